"""The numbers of one system, model or people, on semantic relations (Cao, Yamada and Tokunaga, sections 2 and 4).

Every number is over the probes that were answered; those that were not (`problem` says why), and those whose target has
no relata of the probe's relation, are counted apart. Matrices are by full names: `matrix[probe relation][answer
relation]` is Confusability(answer relation, probe relation) of equation 3, `alpha` the same of equation 2.

Intervals are from a bootstrap over targets, since the probes of one target hang together: whole targets are drawn, and
alphas, confusabilities and the bias are computed anew from each draw. Where fewer than two targets stand behind a
number there is none, and a confusability of 1 by definition (the diagonal) has none either. A draw in which a number is
not defined (no target of its probes, or alpha(r, r) = 0) cannot be used for it: `draws` says how many could, and where
these are fewer than half there is no interval, since it would be about a minority of draws. Models are tested against
people in `evaluate.semrel.permutation`.

All this is of one reading of equation 2 and one way to rank ties, which the settings name; `readings` has the numbers
under each of the three readings, `ties` those of people under each of the three ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tashika.core.errors import InputError
from tashika.core.suites.semrel.words import RELATIONS, SHORT, Relation
from tashika.evaluate.semrel.cells import Counts, Matrix
from tashika.evaluate.semrel.confusability import (
    SIZE,
    Probe,
    Relata,
    alpha_matrix,
    confusability_matrix,
    probe_alphas,
    target_sums,
)
from tashika.evaluate.semrel.equation_2 import EQUATION_2
from tashika.evaluate.semrel.findings import COLUMN, FINDINGS, ROW
from tashika.evaluate.semrel.intervals import draw_alphas, intervals_of, mean_of_cells
from tashika.evaluate.semrel.metrics_model import (
    AgainstPeople,
    AntonymyBias,
    ListLengths,
    Measured,
    ProblemCount,
    RelationRow,
    Statistics,
)
from tashika.evaluate.semrel.permutation import Flags, Scored, against_people
from tashika.evaluate.semrel.readings import named, read_as, reading_numbers, tie_influence
from tashika.evaluate.semrel.readings_model import TieInfluence
from tashika.evaluate.semrel.settings import MeasureSettings
from tashika.evaluate.semrel.ties import TIES, Ties, count_ties, rank_words

COLUMNS: Final = ("item_id", "target", "relation", "prompt", "k", "words", "problem")
"""Of a table of answers: one row a probe; `words` are ranked and at most `k`; `problem` is null iff it was answered."""

MEASURE_VERSION: Final = 3
"""Of what `measure` returns: older scores are made again."""

NO_RELATA: Final = "its target has no relata of its relation"
_DIAGONAL: Final[Flags] = np.eye(SIZE, dtype=np.bool_)


def measure(table: pa.Table, relata: Relata, settings: MeasureSettings, people: pa.Table | None = None) -> Measured:
    """All numbers of one system.

    Args:
        table: Its answers, with `COLUMNS`, in any order.
        relata: (target, relation) -> words, of all targets of the table.
        settings: See `settings.MeasureSettings`.
        people: People's answers, with `COLUMNS`; None where there are none, or where the system is the people.

    Raises:
        InputError: The table is empty, lacks a column, or contradicts itself.
    """
    plain = _plain(table, relata, settings.ties)
    theirs = None if people is None else _plain(people, relata, settings.ties)
    scored = read_as(plain, relata, settings.equation_2)
    sums = target_sums(scored.probes, scored.alphas)
    alpha = alpha_matrix(sums)
    matrix = confusability_matrix(alpha)
    drawn_alpha = draw_alphas(sums, settings)
    drawn = confusability_matrix(drawn_alpha)
    n_targets = (sums.probes > 0).sum(axis=0)
    level = settings.level
    bias = {name: mean_of_cells(matrix, drawn, cells, n_targets, level) for name, cells in bias_cells().items()}
    return Measured(
        matrix=named(matrix),
        matrix_intervals=intervals_of(drawn, (n_targets > 1) & ~_DIAGONAL, level),
        alpha=named(alpha),
        alpha_intervals=intervals_of(drawn_alpha, n_targets > 1, level),
        n_probes=_counts(sums.probes.sum(axis=0)),
        n_targets=_counts(n_targets),
        antonymy_bias=AntonymyBias(**bias),
        own=mean_of_cells(alpha, drawn_alpha, _DIAGONAL, n_targets, level),
        off_diagonal=mean_of_cells(matrix, drawn, ~_DIAGONAL, n_targets, level),
        against_people=None if theirs is None else _against(theirs, scored, relata, settings),
        relations=_relations(scored, relata),
        statistics=Statistics(**asdict(settings)),
        readings={each: reading_numbers(plain, theirs, relata, settings, each) for each in EQUATION_2},
        ties=_tie_influence(table, relata, settings),
        **_coverage(table, scored),
    )


def _against(people: Scored, scored: Scored, relata: Relata, settings: MeasureSettings) -> AgainstPeople:
    people = read_as(people, relata, settings.equation_2)
    return against_people(scored, people, bias_cells(), permutations=settings.permutations, seed=settings.seed)


def _tie_influence(table: pa.Table, relata: Relata, settings: MeasureSettings) -> TieInfluence | None:
    """How far ties matter; None for models, whose lists have none, and where the votes are not known."""
    if "votes" not in table.column_names or table["votes"].null_count == table.num_rows:
        return None
    matrices = {}
    for ties in TIES:
        scored = scored_probes(table, relata, replace(settings, ties=ties))
        matrices[ties] = confusability_matrix(alpha_matrix(target_sums(scored.probes, scored.alphas)))
    votes = [row["votes"] for row in _taking_part(table, relata).to_pylist()]
    return tie_influence(matrices, count_ties(votes))


def mean_matrix(matrices: Sequence[Matrix]) -> Matrix:
    """The mean over systems, such as all masked models, cell by cell, over those in which the cell is defined.

    Args:
        matrices: `matrix` of each system.
    """
    cells = [[matrix[r][s] for matrix in matrices] for r in RELATIONS for s in RELATIONS]
    defined = [[value for value in values if value is not None] for values in cells]
    means = [sum(values) / len(values) if values else np.nan for values in defined]
    return named(np.array(means).reshape(SIZE, SIZE))


def describe_empty_rows(alpha: Matrix) -> str:
    """Says which rows of the confusability matrix are not defined though they were asked and answered, and why.

    Args:
        alpha: By probe relation and answer relation.

    Returns:
        A remark; empty where there is no such row.
    """
    rows = [SHORT[r] for r in RELATIONS if alpha[r][r] == 0]
    return f"no row for {', '.join(rows)}: none of the answers was a relatum: alpha(r, r) = 0" if rows else ""


def bias_cells() -> dict[str, Flags]:
    """The cells behind each number of the antonymy bias, without the diagonal: name -> flags (r, s)."""
    return {finding.key: finding.flags for finding in FINDINGS if finding.key in {COLUMN, ROW}}


# Reading -------------------------------------------------------------------------------------------------------------


def scored_probes(table: pa.Table, relata: Relata, settings: MeasureSettings) -> Scored:
    """The probes that take part, with their alphas as the settings' reading of equation 2 takes them into its mean."""
    return read_as(_plain(table, relata, settings.ties), relata, settings.equation_2)


def _plain(table: pa.Table, relata: Relata, ties: Ties) -> Scored:
    """The probes that take part, with their alphas as equation 1 has them."""
    _check(table)
    rows = _taking_part(table, relata)
    columns = [rows[name].to_pylist() for name in ("item_id", "target", "relation", "prompt")]
    ids, targets, relations, prompts = ([str(value) for value in column] for column in columns)
    probes = [Probe(*key) for key in zip(targets, relations, strict=True)]
    votes = rows["votes"].to_pylist() if "votes" in rows.column_names else [None] * len(probes)
    given: list[Any] = rows["words"].to_pylist()
    lists = [rank_words(words, each, ties) for words, each in zip(given, votes, strict=True)]
    words, ranks = [one.words for one in lists], [one.ranks for one in lists]
    return Scored(ids, prompts, probes, [len(each) for each in words], probe_alphas(probes, words, relata, ranks))


def _taking_part(table: pa.Table, relata: Relata) -> pa.Table:
    """The rows of probes that were answered, and whose target has relata of the probe's relation."""
    rows = table.filter(pc.is_null(table["problem"]))
    keys: list[Any] = list(zip(rows["target"].to_pylist(), rows["relation"].to_pylist(), strict=True))
    return rows.filter(pa.array([bool(relata.get(key)) for key in keys], pa.bool_()))


def _check(table: pa.Table) -> None:
    """Raises InputError for a table that contradicts itself."""
    hint = "Delete the file and evaluate again."
    missing = [name for name in COLUMNS if name not in table.column_names]
    if missing:
        raise InputError(f"the answers lack the column {missing[0]!r}", hint=hint)
    if table.num_rows == 0:
        raise InputError("found no answers, expected one row a probe", hint=hint)
    unknown = sorted(set(table["relation"].unique().to_pylist()) - set(RELATIONS), key=str)
    if unknown:
        raise InputError(f"found the relation {unknown[0]!r}, expected one of {', '.join(RELATIONS)}", hint=hint)
    if len(table["item_id"].unique()) != table.num_rows:
        raise InputError("a probe is answered twice, expected one row a probe", hint=hint)
    asks: Any = pc  # its stubs want types that the name of a column does not give
    contradicting = asks.equal(asks.is_null(table["problem"]), asks.is_null(table["words"]))
    if asks.any(contradicting).as_py():
        row = table.filter(contradicting).slice(0, 1).to_pylist()[0]
        raise InputError(
            f"the probe {row['item_id']} of {row['target']!r} has {_both_or_none(row)}, expected words or a problem",
            hint=hint,
        )
    longer = asks.fill_null(asks.greater(asks.list_value_length(table["words"]), table["k"]), False)
    if asks.any(longer).as_py():
        row = table.filter(longer).slice(0, 1).to_pylist()[0]
        raise InputError(
            f"the probe {row['item_id']} of {row['target']!r} has {len(row['words'])} words, "
            f"expected at most k = {row['k']}",
            hint=hint,
        )


def _both_or_none(row: Mapping[str, Any]) -> str:
    return "neither words nor a problem" if row["words"] is None else f"words and the problem {row['problem']!r}"


def _coverage(table: pa.Table, scored: Scored) -> dict[str, Any]:
    """What was asked, answered and scored, and why the rest was not: fields of `Measured`."""
    problems = Counter(str(problem) for problem in table["problem"].drop_null().to_pylist())
    answered = table.num_rows - problems.total()
    without = answered - len(scored.probes)
    lengths = scored.lengths
    return {
        "n": table.num_rows,
        "answered": answered,
        "scored": len(scored.probes),
        "targets": len({probe.target for probe in scored.probes}),
        "empty": sum(length == 0 for length in lengths),
        "problems": [ProblemCount(problem=problem, n=n) for problem, n in problems.most_common()],
        "left_out": {NO_RELATA: without} if without else {},
        "k": ListLengths(min=min(lengths), mean=sum(lengths) / len(lengths), max=max(lengths)) if lengths else None,
    }


def _relations(scored: Scored, relata: Relata) -> dict[Relation, RelationRow]:
    """Table 1 of the probes that take part; the deviation is that of all targets (divided by n)."""
    targets: dict[str, set[str]] = {relation: set() for relation in RELATIONS}
    prompts: dict[str, set[str]] = {relation: set() for relation in RELATIONS}
    probes = Counter(probe.relation for probe in scored.probes)
    for probe, prompt in zip(scored.probes, scored.prompts, strict=True):
        targets[probe.relation].add(probe.target)
        prompts[probe.relation].add(prompt)
    rows: dict[Relation, RelationRow] = {}
    for relation in RELATIONS:
        sizes = [len(set(relata[target, relation])) for target in targets[relation]]
        rows[relation] = RelationRow(
            targets=len(sizes),
            relata_mean=float(np.mean(sizes)) if sizes else None,
            relata_sd=float(np.std(sizes)) if sizes else None,
            prompts=len(prompts[relation]),
            probes=probes[relation],
        )
    return rows


def _counts(matrix: Any) -> Counts:
    return {r: {s: int(matrix[i, j]) for j, s in enumerate(RELATIONS)} for i, r in enumerate(RELATIONS)}
