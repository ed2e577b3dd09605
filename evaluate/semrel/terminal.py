"""What `tashika evaluate semrel` prints: what a run would do, and its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.table import Table

from tashika.core.progress import say
from tashika.core.suites.semrel.responses import describe_dropped
from tashika.core.suites.semrel.words import RELATIONS, SHORT
from tashika.evaluate.semrel.cells import Mean
from tashika.evaluate.semrel.equation_2 import EQUATION_2, NAMES
from tashika.evaluate.semrel.findings import COLUMN, ROW
from tashika.evaluate.semrel.metrics import bias_cells, describe_empty_rows
from tashika.evaluate.semrel.metrics_model import Coverage, SemRelMetrics
from tashika.evaluate.semrel.own_words import SOUGHT
from tashika.evaluate.semrel.run import PEOPLE, Run


def announce(run: Run) -> None:
    """Says what a run would do, without loading weights."""
    asked = f"{len(run.source.probes):,} probes on {len(run.source.targets):,} targets"
    coverage, people = run.coverage(), run.source.people
    if coverage is None:
        answered = len(people.lists) if people else 0
        say(f"people: would be scored on {asked} by their answers to {answered:,} of them")
        return
    system = run.system
    say(
        f"{system.name} ({system.kind}, {system.dtype} on {system.device}): of {asked} it would be asked those on "
        f"{coverage.targets.asked:,}, over {coverage.words.kept:,} of {coverage.words.of:,} shared words"
    )


def print_scores(metrics: SemRelMetrics) -> None:
    """Prints the matrix with the paper's short names, the antonymy bias, and what to know beside them."""
    table = Table("probe \\ answer", *(SHORT[relation] for relation in RELATIONS), "probes", "targets")
    for column in table.columns[1:]:
        column.justify = "right"
    for asked in RELATIONS:
        about = metrics.relations[asked]
        cells = [_two_digits(metrics.matrix[asked][taken]) for taken in RELATIONS]
        table.add_row(SHORT[asked], *cells, f"{about.probes:,}", f"{about.targets:,}")
    console = Console()
    console.print(_title(metrics), markup=False, highlight=False, soft_wrap=True)
    console.print(table)
    for line in _remarks(metrics):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _title(metrics: SemRelMetrics) -> str:
    system, source = metrics.model, metrics.source
    where = {"release": f"release {source.name}", "items": "the build's items", "responses": source.name}
    kind = "" if system.kind == PEOPLE else f" ({system.kind}, {system.dtype})"
    limits = ", on relata that no vocabulary limits" if source.without_limits else ""
    return f"{system.name}{kind}: confusability on {where[source.origin]}{limits}"


def _two_digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _remarks(metrics: SemRelMetrics) -> Iterator[str]:
    """What to know beside the numbers."""
    if metrics.source.without_limits:
        yield (
            "relata are not limited to a vocabulary: there are more of them than models can answer, which lowers "
            "alpha. Not comparable with numbers beside models; --vocabulary NAME limits them"
        )
    yield _bias_line(metrics)
    yield from _readings_lines(metrics)
    yield from _vocabulary_lines(metrics)
    empty = describe_empty_rows(metrics.alpha)
    if empty:
        yield empty
    counts = {**{row.problem: row.n for row in metrics.problems}, **metrics.left_out}
    yield f"scored {metrics.scored:,} of {metrics.n:,} probes{_because(counts)}"
    if metrics.coverage:
        yield _coverage_line(metrics.coverage)
    drawn = metrics.source.drawn
    if drawn:
        yield f"a sample: {drawn.targets:,} of {drawn.of:,} targets"
    k = metrics.reading.k
    if k.of_the_setting and metrics.model.kind != PEOPLE:
        yield f"k is {k.setting} for {k.of_the_setting:,} probes that no person answered"
    if metrics.model.note:
        yield metrics.model.note


def _readings_lines(metrics: SemRelMetrics) -> Iterator[str]:
    """The antonymy bias under each reading of equation 2."""
    used = metrics.statistics.equation_2
    yield f"equation 2 is read: {NAMES[used]}; the antonymy column under each of the readings:"
    for reading in EQUATION_2:
        numbers = metrics.readings[reading]
        cells = [f"{SHORT[r]} {_three_digits(numbers.matrix[r]['antonymy'])}" for r in RELATIONS if r != "antonymy"]
        means = f"mean {_three_digits(numbers.means[COLUMN].value)}, row {_three_digits(numbers.means[ROW].value)}"
        yield f"  {NAMES[reading]}: {' '.join(cells)}, {means}"


def _three_digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".removeprefix("0")


def _bias_line(metrics: SemRelMetrics) -> str:
    bias, draws = metrics.antonymy_bias, metrics.statistics.resamples
    cells = {name: int(flags.sum()) for name, flags in bias_cells().items()}
    column = f"{_with_interval(bias.column, draws)} (others taken for antonymy; {_cells(bias.column, cells['column'])})"
    row = f"{_with_interval(bias.row, draws)} (antonymy taken for others; {_cells(bias.row, cells['row'])})"
    return f"antonymy bias: column {column}, row {row}; mean alpha(r, r) {_with_interval(metrics.own, draws)}"


def _vocabulary_lines(metrics: SemRelMetrics) -> Iterator[str]:
    """The antonymy bias with answers sought among other words than those of the table."""
    counted = metrics.reading.vocabulary or "shared"
    if metrics.vocabularies:
        yield f"answers are sought among {SOUGHT[counted]} here"
    for each in metrics.vocabularies:
        if each.vocabulary != counted:
            column, row, own = (_digits(mean) for mean in (each.summary.column, each.summary.row, each.summary.own))
            yield f"among {SOUGHT[each.vocabulary]}: column {column}, row {row}; mean alpha(r, r) {own}"


def _digits(mean: Mean) -> str:
    return "-" if mean.value is None else f"{mean.value:.3f}"


def _cells(mean: Mean, of: int) -> str:
    return f"{mean.cells} of {of} cells"


def _with_interval(mean: Mean, draws: int) -> str:
    interval = mean.interval
    some = f"; {interval.draws:,} of {draws:,} draws" if interval and interval.draws < draws else ""
    beside = f" [{interval.low:.3f}, {interval.high:.3f}{some}]" if interval else ""
    return _digits(mean) + beside


def _because(counts: Mapping[str, int]) -> str:
    return f" (not scored: {describe_dropped(counts)})" if counts else ""


def _coverage_line(coverage: Coverage) -> str:
    words, relata, targets = coverage.words, coverage.relata, coverage.targets
    return (
        f"one token in this model: {words.kept:,} of {words.of:,} shared words, {relata.kept:,} of {relata.of:,} "
        f"relata; asked about {targets.asked:,} of {targets.of:,} targets"
    )
