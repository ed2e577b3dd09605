"""How likely a causal model finds what may follow a text.

A continuation's log-likelihood is the sum over its tokens, each given all tokens before it. Where a text ends and a
continuation begins is not for us to say but for the tokenizer, which may merge over the seam: text and continuation
are tokenised as one string, and the continuation is whatever follows the tokens that it has in common with the text
alone. Continuations that are to be compared have one seam, the first of theirs. So a token that one of them merges
with the text's end is not held against it: the others then count that end as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tashika.core.errors import InputError
from tashika.core.models import LoadedModel
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.forest import Asked
from tashika.evaluate.engine.model import NOT_A_NUMBER, PROBLEMS, TOO_LONG
from tashika.evaluate.engine.pieces import adds_end
from tashika.evaluate.engine.ragged import Ragged
from tashika.evaluate.engine.recipe import Advance

if TYPE_CHECKING:
    import torch

NOTHING_BEFORE: Final = "nothing stands before it, and the tokenizer has no token for the beginning of a text"
NO_TOKEN: Final = "it adds no token"

_CHARACTERS_AT_ONCE: Final = 2**21
"""Of texts that are held as tokens: about half a million."""


class Likelihood(NamedTuple):
    """What a model makes of a continuation.

    Attributes:
        value: The log-likelihood in nats; not a number where there is a problem.
        tokens: How many tokens it is the sum of.
        greedy: Whether each of them is the likeliest one at its place.
        problem: Why there is no value.
    """

    value: float
    tokens: int
    greedy: bool
    problem: str | None


class Case(NamedTuple):
    """A text and continuations of it that are to be compared."""

    text: str
    continuations: tuple[str, ...]


def score_cases(
    model: LoadedModel | CausalModel, cases: Sequence[Case], advance: Advance = lambda _: None
) -> list[list[Likelihood]]:
    """Log-likelihoods of continuations that are compared with each other.

    What texts begin with alike is computed once, over all cases; neither their order nor what they are scored with
    changes a value. Cases go through in stretches, those whose texts begin alike together, so that memory does not
    grow with them.

    Args:
        model: A causal model.
        cases: Texts and their continuations. Cases that are equal are scored once.
        advance: Told how many cases are done.

    Raises:
        InputError: The model is a masked one, or a continuation is empty.
    """
    causal = causal_model(model)
    for number, case in enumerate(cases):
        if not all(case.continuations):
            raise InputError(
                "a continuation is empty", where=f"case {number + 1}, {case.text[-40:]!r}", hint="Leave it out."
            )
    likelihoods: dict[Case, list[Likelihood]] = {}
    times: dict[Case, int] = {}
    for case in cases:
        times[case] = times.get(case, 0) + 1
    with ThreadPoolExecutor(1, "tokenise") as beside:
        stretches = list(_stretches(sorted(times)))
        coming = beside.submit(_Tokens.of, causal, stretches[0]) if stretches else None
        for number, stretch in enumerate(stretches):
            assert coming is not None
            tokens = coming.result()
            if number + 1 < len(stretches):
                coming = beside.submit(_Tokens.of, causal, stretches[number + 1])
            scored = iter(tokens.scored(causal, _Finished(stretch, times, advance)))
            likelihoods.update((case, [next(scored) for _ in case.continuations]) for case in stretch)
    return [likelihoods[case] for case in cases]


def causal_model(model: LoadedModel | CausalModel) -> CausalModel:
    """The engine's view of a causal model.

    Raises:
        InputError: The model is a masked one.
    """
    if isinstance(model, CausalModel):
        return model
    if model.kind != "causal":
        raise InputError(
            "a masked model has no likelihood of what follows a text",
            where=model.name,
            hint="Give a causal model, such as SmolLM2.",
        )
    return CausalModel(model)


def _stretches(cases: list[Case]) -> Iterator[list[Case]]:
    stretch: list[Case] = []
    held = 0
    for case in cases:
        stretch.append(case)
        held += sum(len(case.text) + len(one) for one in case.continuations)
        if held >= _CHARACTERS_AT_ONCE:
            yield stretch
            stretch, held = [], 0
    if stretch:
        yield stretch


class _Finished:
    """Advances by the cases whose last continuation was scored: a stretch may take minutes."""

    def __init__(self, stretch: Sequence[Case], times: Mapping[Case, int], advance: Advance) -> None:
        continuations = [len(case.continuations) for case in stretch]
        self._times = np.asarray([times[case] for case in stretch], dtype=np.int64)
        self._case = np.repeat(np.arange(len(stretch)), continuations)
        self._left = np.asarray(continuations, dtype=np.int64)
        self._advance = advance

    def __call__(self, rows: Codes) -> None:
        """Notes that these continuations are done, by their places among all of the stretch."""
        cases, counts = np.unique(self._case[rows], return_counts=True)
        self._left[cases] -= counts
        done = int(self._times[cases[self._left[cases] == 0]].sum())
        if done:
            self._advance(done)


class _Tokens(NamedTuple):
    """Cases as tokens, continuation by continuation.

    Attributes:
        ids: Text and continuation.
        seam: (n,) the first token that counts.
        problem: (n,) why a continuation is not scored.
    """

    ids: Ragged
    seam: Codes
    problem: list[str | None]

    @classmethod
    def of(cls, model: CausalModel, cases: Sequence[Case]) -> _Tokens:
        """Tokenises cases."""
        tokenizer = model.blank.loaded.tokenizer
        texts = list(
            chain.from_iterable((case.text, *(case.text + one for one in case.continuations)) for case in cases)
        )
        rows = iter(_encoded(tokenizer, texts))
        before = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        ids: list[list[int]] = []
        seam: list[int] = []
        for case in cases:
            text, wholes = next(rows), [next(rows) for _ in case.continuations]
            begin = min(_common(text, whole) for whole in wholes)
            if begin == 0 and before is not None:
                wholes, begin = [[before, *whole] for whole in wholes], 1
            ids += wholes
            seam += [begin] * len(wholes)
        longest = model.blank.max_length
        problem = [_problem(len(row), begin, longest) for row, begin in zip(ids, seam, strict=True)]
        return cls(Ragged.of(ids), np.asarray(seam, dtype=np.int64), problem)

    def scored(self, model: CausalModel, finished: Callable[[Codes], None]) -> list[Likelihood]:
        """Asks the model, and says which continuations are done as soon as they are."""
        asked = np.asarray([problem is None for problem in self.problem], dtype=bool)
        fine = np.flatnonzero(asked)
        finished(np.flatnonzero(~asked))
        value, greedy = np.full(len(self.seam), np.nan), np.zeros(len(self.seam), dtype=bool)
        if len(fine):
            value[fine], greedy[fine] = _sums(
                model, self.ids.take(fine), self.seam[fine], lambda texts: finished(fine[texts])
            )
        problem = [
            PROBLEMS[NOT_A_NUMBER] if why is None and not np.isfinite(one) else why
            for one, why in zip(value.tolist(), self.problem, strict=True)
        ]
        counts = np.maximum(self.ids.length - self.seam, 0)
        return [
            Likelihood(one if why is None else np.nan, count, why is None and best, why)
            for one, count, best, why in zip(value.tolist(), counts.tolist(), greedy.tolist(), problem, strict=True)
        ]


def _sums(model: CausalModel, ids: Ragged, seam: Codes, finished: Callable[[Codes], None]) -> tuple[Any, Any]:
    """(n,) sums of log-probabilities from the seam on, and (n,) whether all those tokens are the likeliest.

    The last token is predicted and never read: the texts that go through the model end before it.
    """
    value, greedy = np.zeros(len(seam)), np.zeros(len(seam), dtype=bool)

    def receive(asked: Asked, logits: torch.Tensor) -> None:
        import torch

        with torch.inference_mode():
            token = model.blank.put(ids.values[ids.start[asked.text] + asked.position + 1]).long()
            row = model.blank.put(asked.row)
            wanted, total = logits[row, token], torch.logsumexp(logits, dim=-1)
            best = wanted >= logits.amax(dim=-1)[row]
            log_probability, likeliest = (wanted - total[row]).double().cpu().numpy(), best.cpu().numpy()
        begin = np.flatnonzero(np.diff(asked.text, prepend=-1))  # a text's places stand beside each other
        text = asked.text[begin]
        value[text] = np.add.reduceat(log_probability, begin)
        greedy[text] = np.logical_and.reduceat(likeliest, begin)
        finished(text)

    read = Ragged(ids.values, ids.start, ids.length - 1)
    model.behind(read, seam - 1, receive)
    return value, greedy


def _encoded(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    """Token ids with what the tokenizer puts before a text, without what it puts behind it."""
    place: dict[str, int] = {}
    which = [place.setdefault(text, len(place)) for text in texts]
    options = {"return_attention_mask": False, "truncation": False, "verbose": False}
    rows: list[list[int]] = tokenizer(list(place), **options)["input_ids"]
    if adds_end(tokenizer):
        rows = [row[:-1] for row in rows]
    return [rows[at] for at in which]


def _common(one: list[int], other: list[int]) -> int:
    """How many tokens both begin with."""
    if other[: len(one)] == one:
        return len(one)
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _problem(length: int, seam: int, longest: int) -> str | None:
    if length - 1 > longest:  # the last token is predicted and never read
        return PROBLEMS[TOO_LONG]
    if length <= seam:
        return NO_TOKEN
    return NOTHING_BEFORE if seam == 0 else None
