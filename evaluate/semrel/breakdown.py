"""What the numbers of semantic relations hang on: the vocabulary of the answers, the prompt, the target's frequency.

Each part computes the numbers of `metrics` anew from some of the probes, or from other lists of answers, so that what
is said there of probes that take part, intervals and draws holds here as well.

The intervals of `metrics` are over targets: the prompts are taken as they are. Another author would have written other
prompts, so one more set of intervals is over draws of both: each draw takes targets anew, and of each relation prompts
anew, as many as there are. An answer's weight is how often its target and its prompt were drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.semrel.answers import BY_VOCABULARY
from tashika.evaluate.semrel.breakdown_model import (
    Band,
    ByFrequency,
    ByPrompt,
    PromptNumbers,
    RelationSpread,
    Spread,
    Summary,
    Trend,
    VocabularyNumbers,
)
from tashika.evaluate.semrel.cells import Mean
from tashika.evaluate.semrel.confusability import (
    SIZE,
    Floats,
    Relata,
    TargetSums,
    alpha_matrix,
    confusability_matrix,
    target_sums,
)
from tashika.evaluate.semrel.frequency import Frequencies
from tashika.evaluate.semrel.intervals import draw_alphas, interval_of, mean_of_cells
from tashika.evaluate.semrel.metrics import bias_cells, scored_probes
from tashika.evaluate.semrel.permutation import Flags, Scored
from tashika.evaluate.semrel.readings import named
from tashika.evaluate.semrel.settings import MeasureSettings, VocabularyName

BREAKDOWN_VERSION: Final = 1
"""Of what these functions return: older scores are made again."""

BANDS: Final = ("rare", "middling", "frequent")
_VOCABULARIES: Final[tuple[VocabularyName, ...]] = get_args(VocabularyName)
_DIAGONAL: Final[Flags] = np.eye(SIZE, dtype=np.bool_)
_ANTONYMY: Final = RELATIONS.index("antonymy")
_FEWEST: Final = 3
"""Targets, below which a correlation says nothing."""


class _Numbers(NamedTuple):
    """Alpha, confusability and their draws.

    Attributes:
        alpha: (r, s).
        matrix: (r, s).
        drawn_alpha: (draws, r, s).
        drawn: (draws, r, s) of confusability.
        n_targets: (r, s) behind each cell.
        level: Of the intervals.
    """

    alpha: Floats
    matrix: Floats
    drawn_alpha: Floats
    drawn: Floats
    n_targets: Any
    level: float

    @classmethod
    def of(cls, sums: TargetSums, settings: MeasureSettings, drawn_alpha: Floats | None = None) -> _Numbers:
        alpha = alpha_matrix(sums)
        if drawn_alpha is None:
            drawn_alpha = draw_alphas(sums, settings)
        n_targets = (sums.probes > 0).sum(axis=0)
        drawn = confusability_matrix(drawn_alpha)
        return cls(alpha, confusability_matrix(alpha), drawn_alpha, drawn, n_targets, settings.level)

    def of_alpha(self, cells: Flags) -> Mean:
        return mean_of_cells(self.alpha, self.drawn_alpha, cells, self.n_targets, self.level)

    def of_matrix(self, cells: Flags) -> Mean:
        return mean_of_cells(self.matrix, self.drawn, cells, self.n_targets, self.level)

    def summary(self, probes: int, targets: int) -> Summary:
        bias = {name: self.of_matrix(cells) for name, cells in bias_cells().items()}
        off, own = self.of_matrix(~_DIAGONAL), self.of_alpha(_DIAGONAL)
        return Summary(probes=probes, targets=targets, off_diagonal=off, own=own, **bias)


def summarise(scored: Scored, settings: MeasureSettings) -> Summary:
    """The numbers that a system is known by, of some probes."""
    return _numbers(scored, settings).summary(len(scored.probes), len({probe.target for probe in scored.probes}))


def _numbers(scored: Scored, settings: MeasureSettings) -> _Numbers:
    return _Numbers.of(target_sums(scored.probes, scored.alphas), settings)


def _some(scored: Scored, rows: Sequence[int]) -> Scored:
    """Some of the probes."""
    return Scored(
        [scored.ids[row] for row in rows],
        [scored.prompts[row] for row in rows],
        [scored.probes[row] for row in rows],
        [scored.lengths[row] for row in rows],
        scored.alphas[np.asarray(rows, dtype=np.int64)],
    )


# Vocabularies ---------------------------------------------------------------------------------------------------------


def by_vocabulary(
    table: pa.Table, relata: Relata, shared: Collection[str], settings: MeasureSettings
) -> tuple[VocabularyNumbers, ...]:
    """A model's numbers with its answers sought in each vocabulary; see `own_words`.

    Args:
        table: Its answers; `answers.ANSWERS`.
        relata: (target, relation) -> words.
        shared: The shared vocabulary.
        settings: Of the intervals.

    Returns:
        Nothing where the answers hold one list alone: people's, and files of earlier versions.
    """
    if BY_VOCABULARY.name not in table.column_names:
        return ()
    lists: Any = table[BY_VOCABULARY.name].combine_chunks()
    if lists.null_count == len(lists):
        return ()
    place = table.column_names.index("words")
    words, results = frozenset(shared), []
    for name in _VOCABULARIES:
        field = table.schema.field("words")
        read: pa.Table = table.set_column(place, field, pc.struct_field(lists, name))
        scored = scored_probes(read, relata, settings)
        numbers = _numbers(scored, settings)
        given = [each for each in read["words"].to_pylist() if each is not None]
        answers = [word for each in given for word in each]
        results.append(
            VocabularyNumbers(
                vocabulary=name,
                summary=numbers.summary(len(scored.probes), len({probe.target for probe in scored.probes})),
                matrix=named(numbers.matrix),
                shared=_share(word in words for word in answers),
                first_shared=_share(each[0] in words for each in given if each),
                no_letter=_share(not any(letter.isalpha() for letter in word) for word in answers),
            )
        )
    return tuple(results)


def _share(flags: Iterable[bool]) -> float | None:
    known = list(flags)
    return sum(known) / len(known) if known else None


# Prompts --------------------------------------------------------------------------------------------------------------


def by_prompt(scored: Scored, settings: MeasureSettings) -> ByPrompt:
    """What each prompt gives, how far prompts of a relation differ, and what drawing prompts too does to the intervals.

    Args:
        scored: The probes that take part.
        settings: Of the intervals.
    """
    rows: dict[tuple[int, str], list[int]] = {}
    for row, (probe, prompt) in enumerate(zip(scored.probes, scored.prompts, strict=True)):
        rows.setdefault((RELATIONS.index(probe.relation), prompt), []).append(row)
    prompts = [_of_prompt(scored, place, prompt, rows[place, prompt], settings) for place, prompt in sorted(rows)]
    asked = [relation for relation in RELATIONS if any(each.relation == relation for each in prompts)]
    spreads = []
    for relation in asked:
        alike = [each for each in prompts if each.relation == relation]
        kinds = {name: _spread([getattr(each, name) for each in alike]) for name in ("own", "confused", "antonymy")}
        spreads.append(RelationSpread(relation=relation, **kinds))
    sums = target_sums(scored.probes, scored.alphas)
    numbers = _Numbers.of(sums, settings, draw_targets_and_prompts(scored, settings))
    return ByPrompt(prompts=prompts, spreads=spreads, drawn=numbers.summary(len(scored.probes), len(sums.targets)))


def _of_prompt(
    scored: Scored, place: int, prompt: str, rows: Sequence[int], settings: MeasureSettings
) -> PromptNumbers:
    numbers = _numbers(_some(scored, rows), settings)
    row, antonymy = np.zeros((SIZE, SIZE), dtype=np.bool_), np.zeros((SIZE, SIZE), dtype=np.bool_)
    row[place] = antonymy[place, _ANTONYMY] = True
    return PromptNumbers(
        relation=RELATIONS[place],
        prompt=prompt,
        probes=len(rows),
        own=numbers.of_alpha(row & _DIAGONAL),
        confused=numbers.of_matrix(row & ~_DIAGONAL),
        antonymy=numbers.of_matrix(antonymy & ~_DIAGONAL),
    )


def _spread(means: Sequence[Mean]) -> Spread:
    values = [mean.value for mean in means if mean.value is not None]
    return Spread(
        prompts=len(values),
        least=min(values, default=None),
        most=max(values, default=None),
        sd=float(np.std(values, ddof=1)) if len(values) > 1 else None,
    )


def draw_targets_and_prompts(scored: Scored, settings: MeasureSettings) -> Floats:
    """Alpha of each draw of targets and, for each relation, of prompts: (resamples, r, s).

    Targets are drawn once for all relations, as in `intervals.draw_alphas`; prompts of different relations have
    nothing to do with each other. A relation with a single prompt keeps it.

    Args:
        scored: The probes that take part.
        settings: How many draws, and their seed.
    """
    targets = {target: place for place, target in enumerate(sorted({probe.target for probe in scored.probes}))}
    random = np.random.default_rng(settings.seed)
    draws = settings.resamples
    alphas = np.full((draws, SIZE, SIZE), np.nan)
    if not targets:
        return alphas
    of_target = random.multinomial(len(targets), np.full(len(targets), 1 / len(targets)), size=draws).astype(float)
    known = ~np.isnan(scored.alphas)
    for place, relation in enumerate(RELATIONS):
        rows = [row for row, probe in enumerate(scored.probes) if probe.relation == relation]
        prompts = {prompt: number for number, prompt in enumerate(sorted({scored.prompts[row] for row in rows}))}
        if not prompts:
            continue
        of_prompt = random.multinomial(len(prompts), np.full(len(prompts), 1 / len(prompts)), size=draws).astype(float)
        at = ([targets[scored.probes[row].target] for row in rows], [prompts[scored.prompts[row]] for row in rows])
        above, below = (np.zeros((len(targets), len(prompts), SIZE)) for _ in range(2))
        np.add.at(above, at, np.where(known[rows], scored.alphas[rows], 0.0))
        np.add.at(below, at, known[rows].astype(float))
        sums, counts = (_weighted(values, of_target, of_prompt) for values in (above, below))
        np.divide(sums, counts, out=alphas[:, place], where=counts > 0)
    return alphas


def _weighted(values: Floats, of_target: Floats, of_prompt: Floats) -> Floats:
    """(draws, s) sums over (targets, prompts, s), by how often each target and each prompt was drawn."""
    by_prompt_of_draw = (of_target @ values.reshape(len(values), -1)).reshape(len(of_target), *values.shape[1:])
    weighted: Floats = np.einsum("dps,dp->ds", by_prompt_of_draw, of_prompt)
    return weighted


# Frequency ------------------------------------------------------------------------------------------------------------


def by_frequency(
    scored: Scored, targets: Sequence[str], frequencies: Frequencies, settings: MeasureSettings
) -> ByFrequency:
    """What the frequency of targets does.

    Args:
        scored: The probes that take part.
        targets: All that are asked about, whether or not they take part, so that bands are the same for all systems.
        frequencies: How often they are used.
        settings: Of the intervals.
    """
    counts = {target: frequencies.of(target) for target in targets}
    bands = []
    for name, members in zip(BANDS, thirds(counts), strict=True):
        rows = [row for row, probe in enumerate(scored.probes) if probe.target in members]
        if rows:
            used = [counts[target] for target in members]
            summary = summarise(_some(scored, rows), settings)
            bands.append(Band(name=name, least=min(used), most=max(used), summary=summary))
    return ByFrequency(
        source=frequencies.source,
        digest=frequencies.digest(targets),
        unknown=sum(count == 0 for count in counts.values()),
        bands=bands,
        trends=_trends(scored, counts, settings),
    )


def thirds(counts: dict[str, float]) -> tuple[set[str], set[str], set[str]]:
    """Targets by their frequency, the rarest first. Those of one frequency stay together, so a band may be empty.

    A target lies in the third that the middle of the places of its frequency lies in.
    """
    bands: tuple[set[str], set[str], set[str]] = (set(), set(), set())
    ordered = sorted(counts.values())
    places = {count: (np.searchsorted(ordered, count), np.searchsorted(ordered, count, "right")) for count in ordered}
    for target, count in counts.items():
        first, behind = places[count]
        bands[min(2, int(3 * (first + behind) // (2 * len(ordered))))].add(target)
    return bands


def _trends(scored: Scored, counts: dict[str, float], settings: MeasureSettings) -> list[Trend]:
    sums = target_sums(scored.probes, scored.alphas)
    used = np.asarray([counts[target] for target in sums.targets])
    trends = []
    for place, relation in enumerate(RELATIONS):
        probes = sums.probes[:, place, place]
        asked = probes > 0
        if not asked.any():
            continue
        own = sums.alpha[asked, place, place] / probes[asked]
        rho, drawn = rank_correlation(used[asked], own, settings)
        interval = None if drawn is None else interval_of(drawn, settings.level)
        trends.append(Trend(relation=relation, targets=int(asked.sum()), rho=rho, interval=interval))
    return trends


def rank_correlation(first: Floats, second: Floats, settings: MeasureSettings) -> tuple[float | None, Floats | None]:
    """Spearman's correlation with mid-ranks for ties, and the same of each draw of pairs.

    Returns:
        None twice of fewer than three pairs, or where all values of one side are alike; draws of which that is true
        are NaN.
    """
    from scipy.stats import rankdata

    if len(first) < _FEWEST or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None, None
    picks = np.random.default_rng(settings.seed).integers(len(first), size=(settings.resamples, len(first)))
    rows = np.vstack([np.arange(len(first)), picks])  # the real pairs first
    x, y = (rankdata(values[rows], axis=1) for values in (first, second))
    x, y = (ranks - ranks.mean(axis=1, keepdims=True) for ranks in (x, y))
    below = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    rho = np.divide((x * y).sum(axis=1), below, out=np.full(len(rows), np.nan), where=below > 0)
    return float(rho[0]), rho[1:]
