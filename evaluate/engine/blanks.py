"""Any texts with a blank: ranks and log-probabilities of given candidates there, the top tokens, the entropy.

The same for masked models (at the mask) and causal ones (behind the text). Suites that ask whole texts use this;
MyriadLAMA's prompts, a product of templates and names, have their own way to it (`scoring`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tashika.core.errors import InputError
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.distributions import Keep, Top, describe, top_tokens
from tashika.evaluate.engine.model import FINE, NO_BLANK, NOT_A_NUMBER, PROBLEMS, Model, unfit
from tashika.evaluate.engine.pieces import Ragged

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class BlankScores:
    """Of n texts with c candidates in all, k top tokens kept.

    Attributes:
        candidate_start: (n,) the first candidate of each text in the columns of candidates.
        candidate_count: (n,) how many it has.
        rank: (c,) 1 + the number of tokens with a strictly greater logit; 0 where the text has a problem.
        log_probability: (c,) natural logarithm; NaN where the text has a problem.
        top_tokens: (n, k) greatest first; -1 where the text has a problem.
        top_log_probabilities: (n, k).
        entropy: (n,) in nats; NaN where it is not kept.
        problem: (n,) places in `engine.PROBLEMS`.
        further: Of each vocabulary in `Keep.further`, (n, k) top tokens, greatest first; -1 as above.
    """

    candidate_start: Codes
    candidate_count: Codes
    rank: npt.NDArray[np.int32]
    log_probability: Floats
    top_tokens: npt.NDArray[np.int32]
    top_log_probabilities: Floats
    entropy: Floats
    problem: Codes
    further: tuple[npt.NDArray[np.int32], ...] = ()

    def reasons(self) -> list[str | None]:
        """Why each text was not asked; None for those that were."""
        reason = {**dict(enumerate(PROBLEMS)), NO_BLANK: "not exactly one blank"}
        return [reason[number] for number in self.problem.tolist()]


def score_blanks(
    model: Model,
    texts: Sequence[Sequence[int]],
    candidates: Sequence[Sequence[int]],
    keep: Keep | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> BlankScores:
    """Asks a model for the distribution at the blank of each text.

    Args:
        model: See `engine.model_of`.
        texts: n token sequences with special tokens: with one mask, or to be continued. Equal ones are run once.
        candidates: For each text the tokens whose rank and log-probability are wanted; may be none.
        keep: What else is kept, and over which vocabulary.
        advance: Called with the number of texts done.

    Raises:
        InputError: A candidate or a token of the vocabulary is not the model's, a candidate is not in the restricted
            vocabulary, or that is not sorted or holds a token twice.
    """
    keep = keep or Keep()
    tokens = Ragged.of(candidates)
    _check(model, tokens.values, keep, len(texts), len(candidates))
    ids, distinct = _once(texts)
    problem = unfit(model, ids)[distinct] if len(texts) else np.zeros(0, dtype=np.int64)
    scores = _empty(tokens, len(texts), Top(keep.top, keep.vocabulary), keep.further, problem, model.blank.vocabulary)
    advance(int((problem != FINE).sum()))
    order = np.argsort(distinct, kind="stable")
    order = order[problem[order] == FINE]
    wanted, first, count = np.unique(distinct[order], return_index=True, return_counts=True)

    def consume(some: Codes, logits: Any) -> None:
        askers = [order[first[one] : first[one] + count[one]] for one in some]
        _take(scores, tokens, askers, logits, keep, model)
        advance(sum(map(len, askers)))

    model.distributions(ids, wanted, consume)
    return scores


def _take(scores: BlankScores, tokens: Ragged, askers: list[Codes], logits: Any, keep: Keep, model: Model) -> None:
    """Keeps what is wanted of a batch, for all texts that are equal to one of it."""
    put = model.blank.put
    texts, rows = np.concatenate(askers), np.repeat(np.arange(len(askers)), [len(one) for one in askers])
    places = np.concatenate([tokens.start[text] + np.arange(tokens.length[text]) for text in texts])
    row = np.repeat(rows, tokens.length[texts])
    described = describe(logits, put(tokens.values[places].astype(np.int64)), put(row), keep, put)
    rank, log_probability, top, top_log, entropy = (values.cpu().numpy() for values in described)
    scores.rank[places], scores.log_probability[places] = rank, log_probability
    scores.top_tokens[texts], scores.top_log_probabilities[texts] = top[rows], top_log[rows]
    if keep.entropy:
        scores.entropy[texts] = entropy[rows]
    lost = ~np.isfinite(logits.max(dim=-1).values.cpu().numpy())
    scores.problem[texts[lost[rows]]] = NOT_A_NUMBER
    for kept, further in zip(scores.further, keep.further, strict=True):
        kept[texts] = top_tokens(logits, further, put).cpu().numpy()[rows]
        kept[texts[lost[rows]]] = -1
    scores.top_tokens[texts[lost[rows]]], scores.entropy[texts[lost[rows]]] = -1, np.nan
    scores.top_log_probabilities[texts[lost[rows]]] = np.nan
    scores.rank[places[lost[row]]], scores.log_probability[places[lost[row]]] = 0, np.nan


def _once(texts: Sequence[Sequence[int]]) -> tuple[Ragged, Codes]:
    """The distinct texts, and which of them each is."""
    place: dict[tuple[int, ...], int] = {}
    distinct = [place.setdefault(tuple(text), len(place)) for text in texts]
    return Ragged.of(list(place)), np.asarray(distinct, dtype=np.int64)


def _empty(
    tokens: Ragged, texts: int, top: Top, further: Sequence[Top], problem: Codes, vocabulary: int
) -> BlankScores:
    nothing = np.full(len(tokens.values), np.nan, np.float32)
    width, *widths = (
        min(each.count, vocabulary if each.vocabulary is None else len(each.vocabulary)) for each in (top, *further)
    )
    return BlankScores(
        tokens.start,
        tokens.length,
        np.zeros(len(tokens.values), np.int32),
        nothing,
        np.full((texts, width), -1, np.int32),
        np.full((texts, width), np.nan, np.float32),
        np.full(texts, np.nan, np.float32),
        problem,
        tuple(np.full((texts, each), -1, np.int32) for each in widths),
    )


def _check(model: Model, candidates: Any, keep: Keep, texts: int, lists: int) -> None:
    if texts != lists:
        raise InputError(f"found {texts:,} texts and candidates for {lists:,}")
    size = model.blank.vocabulary
    vocabularies = [keep.vocabulary, *(top.vocabulary for top in keep.further)]
    for what, values in (("candidate", candidates), *(("vocabulary's token", values) for values in vocabularies)):
        if values is not None and len(values) and (values.min() < 0 or values.max() >= size):
            raise InputError(f"found a {what} outside 0 to {size - 1:,}", hint="Use this model's own tokenizer.")
    if any(values is not None and (len(values) == 0 or np.any(np.diff(values) <= 0)) for values in vocabularies):
        raise InputError("the restricted vocabulary must be sorted, without repeats, and hold something")
    if keep.vocabulary is None:
        return
    outside = np.setdiff1d(candidates, keep.vocabulary)
    if len(outside):
        raise InputError(f"{len(outside):,} candidates are not in the restricted vocabulary, such as {outside[0]}")
