"""The report's part on the three readings of equation 2 and on ties: which of the paper's findings survive which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from markupsafe import Markup

from tashika.core.suites.semrel.words import RELATIONS, SHORT
from tashika.evaluate.semrel.cells import Matrix
from tashika.evaluate.semrel.equation_2 import EQUATION_2, NAMES, Equation2
from tashika.evaluate.semrel.findings import COLUMN, FINDINGS, ROW, Finding
from tashika.evaluate.semrel.groups import ScoredSystem
from tashika.evaluate.semrel.metrics_model import SemRelMetrics
from tashika.evaluate.semrel.plots import heat_map
from tashika.evaluate.semrel.readings_model import ReadingNumbers
from tashika.evaluate.semrel.ties import TIES, Ties

TIE_NAMES: Final[Mapping[Ties, str]] = {
    "first_mention": "first mentioned first",
    "alphabetical": "alphabetical",
    "mean": "mean of their ranks",
}
HALF: Final = 0.5
"""From here on a relation is taken for another at least half as much as for itself."""

HOLDS, WITHIN_CHANCE, FAILS, UNKNOWN = "holds", "within chance", "does not hold", "not known"


@dataclass(frozen=True)
class Verdict:
    """Whether a finding holds of a model under one reading.

    Attributes:
        word: `HOLDS`, `WITHIN_CHANCE` (it is in this direction), `FAILS` or `UNKNOWN`.
        difference: What it is decided by: the model less people, or the antonymy row less the other cells.
        p: Corrected for the five findings; None where an interval decides.
    """

    word: str
    difference: float | None = None
    p: float | None = None


@dataclass(frozen=True)
class FindingOfModel:
    """A finding of the paper, of one model, under each reading.

    Attributes:
        model: Its name.
        finding: The finding.
        sentence: What is asked of the model.
        verdicts: By reading.
        survives: The verdicts in words.
    """

    model: str
    finding: Finding
    sentence: str
    verdicts: Mapping[Equation2, Verdict]
    survives: str


@dataclass(frozen=True)
class SystemReadings:
    """One system under the three readings.

    Attributes:
        system: The system.
        numbers: By reading.
        figures: Heat maps, by reading.
        lasting: Cells that are `HALF` or more under every reading.
        turning: Cells that are so under one reading and less under another, in words.
    """

    system: ScoredSystem
    numbers: Mapping[Equation2, ReadingNumbers]
    figures: Mapping[Equation2, str]
    lasting: Sequence[str]
    turning: Sequence[str]


@dataclass(frozen=True)
class ReadingsPart:
    """What the page shows of it.

    Attributes:
        systems: Those whose scores have the readings.
        older: Names of those whose scores lack them.
        findings: Of each model that was scored beside people.
        bias: Of each such model, what is left of the antonymy bias, in a sentence.
        ties: The people whose ties are known.
    """

    systems: Sequence[SystemReadings]
    older: Sequence[str]
    findings: Sequence[FindingOfModel]
    bias: Sequence[str]
    ties: Sequence[ScoredSystem]
    names: Mapping[Equation2, str]
    tie_names: Mapping[Ties, str]
    tie_ways: Sequence[Ties] = TIES


def readings_part(systems: Sequence[ScoredSystem]) -> ReadingsPart:
    """The systems under each reading."""
    having = [system for system in systems if system.metrics.readings]
    beside = [system for system in having if system.metrics.against_people]
    findings = [row for system in beside for row in _findings(system)]
    return ReadingsPart(
        systems=[_readings(system) for system in having],
        older=[system.name for system in systems if not system.metrics.readings],
        findings=findings,
        bias=[_bias(system, findings) for system in beside],
        ties=[system for system in systems if system.metrics.ties],
        names=NAMES,
        tie_names=TIE_NAMES,
    )


def _readings(system: ScoredSystem) -> SystemReadings:
    numbers = {reading: system.metrics.readings[reading] for reading in EQUATION_2}
    figures = {
        reading: Markup(heat_map(numbers[reading].matrix, f"{system.name}, {NAMES[reading]}")) for reading in EQUATION_2
    }
    cells = list(_cells({reading: numbers[reading].matrix for reading in EQUATION_2}))
    lasting = [name for name, values in cells if all(map(_is_high, values.values()))]
    turning = [_in_words(name, values) for name, values in cells if len(set(map(_is_high, values.values()))) > 1]
    return SystemReadings(system, numbers, figures, lasting, turning)


def _cells(matrices: Mapping[Equation2, Matrix]) -> Iterator[tuple[str, dict[Equation2, float]]]:
    """The cells of two different relations, and their values under the readings that define them."""
    for asked, taken in product(RELATIONS, repeat=2):
        values = {reading: matrix[asked][taken] for reading, matrix in matrices.items()}
        defined = {reading: value for reading, value in values.items() if value is not None}
        if asked != taken and defined:
            yield f"{SHORT[asked]} → {SHORT[taken]}", defined


def _is_high(value: float) -> bool:
    return value >= HALF


def _in_words(name: str, values: Mapping[Equation2, float]) -> str:
    """A cell with the readings under which it is high, and those under which it is not."""
    shown = {reading: f"“{NAMES[reading]}” ({value:.2f})".replace("(0.", "(.") for reading, value in values.items()}
    high = [shown[reading] for reading, value in values.items() if _is_high(value)]
    low = [shown[reading] for reading, value in values.items() if not _is_high(value)]
    return f"{name}: yes under {' and '.join(high)}, no under {' and '.join(low)}"


# What survives --------------------------------------------------------------------------------------------------------


def _findings(system: ScoredSystem) -> Iterator[FindingOfModel]:
    """Each finding of the paper, of one model."""
    for finding in FINDINGS:
        verdicts = {reading: verdict_of(finding, system.metrics, reading) for reading in EQUATION_2}
        sentence = f"{system.name} {finding.short.format(people=system.who.name)}"
        yield FindingOfModel(system.name, finding, sentence, verdicts, describe_survival(verdicts))


def verdict_of(finding: Finding, metrics: SemRelMetrics, reading: Equation2) -> Verdict:
    """Whether a finding holds of a model under a reading.

    A model has to be above people by more than chance (permutation test, Holm's correction over the findings). That
    antonymy is distinguished is no matter of people: its row has to be below the other cells, with the interval of the
    difference.
    """
    numbers, level = metrics.readings[reading], metrics.statistics.level
    if finding.key == ROW:
        less = numbers.row_less_rest
        if less.value is None:
            return Verdict(UNKNOWN)
        sure = less.interval is not None and less.interval.high < 0
        return Verdict(HOLDS if sure else WITHIN_CHANCE if less.value < 0 else FAILS, less.value)
    test = (numbers.against_people or {}).get(finding.key)
    if test is None or test.difference is None or test.p_holm is None:
        return Verdict(UNKNOWN)
    sure = test.p_holm <= 1 - level
    word = FAILS if test.difference <= 0 else HOLDS if sure else WITHIN_CHANCE
    return Verdict(word, test.difference, test.p_holm)


def describe_survival(verdicts: Mapping[Equation2, Verdict]) -> str:
    """Under which readings a finding holds, in words."""
    by_word: dict[str, list[str]] = {}
    for reading, verdict in verdicts.items():
        by_word.setdefault(verdict.word, []).append(f"“{NAMES[reading]}”")
    if len(by_word) == 1:
        return f"{next(iter(by_word))} under all three"
    order = (HOLDS, WITHIN_CHANCE, FAILS, UNKNOWN)
    return "; ".join(f"{word} under {' and '.join(by_word[word])}" for word in order if word in by_word)


def _bias(system: ScoredSystem, findings: Sequence[FindingOfModel]) -> str:
    """What is left of the antonymy bias of a model: the column above people's, and the row below the other cells."""
    of_model = {row.finding.key: row for row in findings if row.model == system.name}
    both = [
        NAMES[reading]
        for reading in EQUATION_2
        if all(of_model[key].verdicts[reading].word == HOLDS for key in (COLUMN, ROW))
    ]
    if len(both) == len(EQUATION_2):
        kept = "survives all three readings"
    elif both:
        kept = f"survives “{'” and “'.join(both)}” alone"
    else:
        kept = "is found under no reading"
    return (
        f"{system.name}: the antonymy bias (its column above that of {system.who.name}, its row below the other cells) "
        f"{kept}. Column: {of_model[COLUMN].survives}. Row: {of_model[ROW].survives}."
    )
