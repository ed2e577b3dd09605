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
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tashika.core.errors import InputError
from tashika.core.suites.semrel.words import RELATIONS, SHORT, Relation
from tashika.evaluate.semrel.confusability import (
    SIZE,
    Floats,
    Probe,
    Relata,
    TargetSums,
    alpha_matrix,
    confusability_matrix,
    probe_alphas,
    target_sums,
)
from tashika.evaluate.semrel.metrics_model import (
    AgainstPeople,
    AntonymyBias,
    Counts,
    Interval,
    Intervals,
    ListLengths,
    Matrix,
    Mean,
    Measured,
    ProblemCount,
    RelationRow,
    Statistics,
)
from tashika.evaluate.semrel.permutation import Flags, Scored, against_people
from tashika.evaluate.semrel.settings import MeasureSettings
from tashika.evaluate.statistics.inference import cluster_replicates, percentile_interval

COLUMNS: Final = ("item_id", "target", "relation", "prompt", "k", "words", "problem")
"""Of a table of answers: one row a probe; `words` are ranked and at most `k`; `problem` is null iff it was answered."""

MEASURE_VERSION: Final = 2
"""Of what `measure` returns: older scores are made again."""

NO_RELATA: Final = "its target has no relata of its relation"
_ANTONYMY: Final = RELATIONS.index("antonymy")
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
    scored = scored_probes(table, relata)
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
        matrix_intervals=_intervals(drawn, (n_targets > 1) & ~_DIAGONAL, level),
        alpha=named(alpha),
        alpha_intervals=_intervals(drawn_alpha, n_targets > 1, level),
        n_probes=_counts(sums.probes.sum(axis=0)),
        n_targets=_counts(n_targets),
        antonymy_bias=AntonymyBias(**bias),
        own=mean_of_cells(alpha, drawn_alpha, _DIAGONAL, n_targets, level),
        off_diagonal=mean_of_cells(matrix, drawn, ~_DIAGONAL, n_targets, level),
        against_people=None if people is None else _against(people, scored, relata, settings),
        relations=_relations(scored, relata),
        statistics=Statistics(**asdict(settings)),
        **_coverage(table, scored),
    )


def _against(people: pa.Table, scored: Scored, relata: Relata, settings: MeasureSettings) -> AgainstPeople:
    return against_people(
        scored, scored_probes(people, relata), bias_cells(), permutations=settings.permutations, seed=settings.seed
    )


def named(matrix: Floats) -> Matrix:
    """A matrix by full names, None for NaN."""
    return {
        r: {s: None if np.isnan(matrix[i, j]) else float(matrix[i, j]) for j, s in enumerate(RELATIONS)}
        for i, r in enumerate(RELATIONS)
    }


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
    column, row = np.zeros((SIZE, SIZE), dtype=np.bool_), np.zeros((SIZE, SIZE), dtype=np.bool_)
    column[:, _ANTONYMY] = row[_ANTONYMY] = True
    column[_ANTONYMY, _ANTONYMY] = row[_ANTONYMY, _ANTONYMY] = False
    return {"column": column, "row": row}


# Reading -------------------------------------------------------------------------------------------------------------


def scored_probes(table: pa.Table, relata: Relata) -> Scored:
    """The probes that take part, with their alphas."""
    _check(table)
    rows = table.filter(pc.is_null(table["problem"]))
    keys: list[Any] = list(zip(rows["target"].to_pylist(), rows["relation"].to_pylist(), strict=True))
    rows = rows.filter(pa.array([bool(relata.get(key)) for key in keys], pa.bool_()))
    probes = [Probe(*key) for key in keys if relata.get(key)]
    words: list[Any] = rows["words"].to_pylist()
    ids, prompts = ([str(each) for each in rows[name].to_pylist()] for name in ("item_id", "prompt"))
    return Scored(ids, prompts, probes, [len(each) for each in words], probe_alphas(probes, words, relata))


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
            f"the probe {row['item_id']} of {row['target']!r} has the words {row['words']} and the problem "
            f"{row['problem']!r}, expected one of both",
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


# Intervals ------------------------------------------------------------------------------------------------------------


def draw_alphas(sums: TargetSums, settings: MeasureSettings) -> Floats:
    """Alpha of each draw of targets: (resamples, r, s). All cells come from the same draws."""
    flat = (len(sums.targets), SIZE * SIZE)
    drawn = cluster_replicates(
        sums.alpha.reshape(flat), sums.probes.reshape(flat), resamples=settings.resamples, seed=settings.seed
    )
    return drawn.reshape(-1, SIZE, SIZE)


def interval_of(values: Floats, level: float) -> Interval | None:
    """The interval of (draws,) values, NaN where a draw gave nothing; None where most draws gave nothing."""
    usable = int(np.count_nonzero(~np.isnan(values)))
    ends = percentile_interval(values, level) if 2 * usable >= len(values) else None
    return Interval(low=ends.low, high=ends.high, draws=usable) if ends else None


def _intervals(drawn: Floats, holds: Flags, level: float) -> Intervals:
    return {
        r: {s: interval_of(drawn[:, i, j], level) if holds[i, j] else None for j, s in enumerate(RELATIONS)}
        for i, r in enumerate(RELATIONS)
    }


def mean_of_cells(matrix: Floats, drawn: Floats, cells: Flags, n_targets: Any, level: float) -> Mean:
    """The mean of some cells, over those that are defined.

    A draw in which one of these is not (it holds none of the few targets) gives no mean: one of fewer cells would be
    another number.
    """
    used = cells & ~np.isnan(matrix)
    if not used.any():
        return Mean(value=None, cells=0, interval=None)
    several = bool((n_targets[used] > 1).all())
    interval = interval_of(drawn[:, used].mean(axis=1), level) if several else None
    return Mean(value=float(matrix[used].mean()), cells=int(used.sum()), interval=interval)


def _counts(matrix: Any) -> Counts:
    return {r: {s: int(matrix[i, j]) for j, s in enumerate(RELATIONS)} for i, r in enumerate(RELATIONS)}
