"""From logits to what is kept of them, at once, on the device: ranks by counting, probabilities by log-sum-exp.

Nothing of the vocabulary's width outlives its batch, nothing is sorted, and no softmax is written out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tashika.evaluate.engine.arrays import Codes

if TYPE_CHECKING:
    import torch

Consume = Callable[[Codes, "torch.Tensor"], None]
"""Takes places in what was asked, (batch,), and the logits there, (batch, vocabulary)."""
Put = Callable[[Any], "torch.Tensor"]
"""Brings an array to the model's device."""


class Ranked(NamedTuple):
    """Of n prompts, (n,) each.

    Attributes:
        rank: 1 + the number of tokens with a logit strictly greater than the best correct one's, over the whole
            vocabulary: tokens that tie with it do not push it down.
        probability: Of the best correct token.
        top_token: The token with the greatest logit, the lowest of equals.
        top_probability: Its probability.
        top_10_probability: Of the ten most probable tokens together.
    """

    rank: npt.NDArray[np.int32]
    probability: npt.NDArray[np.float32]
    top_token: npt.NDArray[np.int32]
    top_probability: npt.NDArray[np.float32]
    top_10_probability: npt.NDArray[np.float32]


class RankStore:
    """Room for the ranks of n prompts on the model's device, which is read once, when all are there.

    Args:
        count: n.
        device: Where the logits are.
    """

    def __init__(self, count: int, device: torch.device) -> None:
        import torch

        whole = torch.zeros((2, count), dtype=torch.int32, device=device)
        real = torch.zeros((3, count), dtype=torch.float32, device=device)
        self._rank, self._top = whole
        self._probability, self._top_probability, self._top_10_probability = real

    def add(self, at: torch.Tensor, logits: torch.Tensor, answers: Answers) -> None:
        """Ranks the best correct answer of some prompts.

        Args:
            at: (k,) places of the prompts.
            logits: (texts, vocabulary).
            answers: Which text each prompt asks, and its correct tokens.
        """
        import torch

        with torch.inference_mode():
            best = _best(logits, answers)
            total = torch.logsumexp(logits, dim=-1)
            top, top_token = logits.max(dim=-1)
            top_10 = logits.topk(min(10, logits.shape[1]), dim=-1, sorted=False).values.logsumexp(dim=-1)
            of_prompt = logits if answers.row is None else logits[answers.row]
            rank = 1 + (of_prompt > best[:, None]).sum(dim=-1, dtype=torch.int32)
            if answers.row is not None:
                total, top, top_token, top_10 = (values[answers.row] for values in (total, top, top_token, top_10))
            self._rank[at], self._top[at] = rank, top_token.to(torch.int32)
            self._probability[at] = (best - total).exp().float()
            self._top_probability[at] = (top - total).exp().float()
            self._top_10_probability[at] = (top_10 - total).exp().float()

    def read(self) -> Ranked:
        """All of it as arrays."""
        kept = (self._rank, self._probability, self._top, self._top_probability, self._top_10_probability)
        return Ranked(*(values.cpu().numpy() for values in kept))


class Answers(NamedTuple):
    """The correct tokens of k prompts.

    Attributes:
        row: (k,) the text of each prompt; None where prompt i asks text i.
        tokens: (answers,) correct tokens of all of them; every prompt has at least one.
        owner: (answers,) the prompt that each belongs to.
    """

    row: torch.Tensor | None
    tokens: torch.Tensor
    owner: torch.Tensor


def _best(logits: torch.Tensor, answers: Answers) -> torch.Tensor:
    """(k,) the greatest logit among the correct tokens of each prompt."""
    import torch

    text = answers.owner if answers.row is None else answers.row[answers.owner]
    correct = logits[text, answers.tokens]
    prompts = len(logits) if answers.row is None else len(answers.row)
    best = torch.full((prompts,), -torch.inf, dtype=logits.dtype, device=logits.device)
    return best.scatter_reduce(0, answers.owner, correct, "amax")


@dataclass(frozen=True)
class Top:
    """The likeliest tokens of one vocabulary.

    Attributes:
        count: How many.
        vocabulary: Sorted tokens among which they are sought; None for all tokens.
    """

    count: int
    vocabulary: Codes | None = None


@dataclass(frozen=True)
class Keep:
    """What is kept of a distribution beside the candidates' ranks and log-probabilities.

    Attributes:
        top: The k tokens with the greatest logits; 0 for none.
        entropy: Whether to keep the entropy, in nats.
        vocabulary: Sorted tokens that count, all others left out of ranks, sums and tops; None for all tokens.
        further: The likeliest tokens of other vocabularies, of the same distribution.
    """

    top: int = 0
    entropy: bool = False
    vocabulary: Codes | None = None
    further: tuple[Top, ...] = ()


class Described(NamedTuple):
    """Of a batch of texts with c candidates in all.

    Attributes:
        rank: (c,) of each candidate, 1 + the number of tokens with a strictly greater logit.
        log_probability: (c,) of each candidate.
        top_tokens: (texts, k), greatest first.
        top_log_probabilities: (texts, k).
        entropy: (texts,) in nats; zeros where it is not kept.
    """

    rank: torch.Tensor
    log_probability: torch.Tensor
    top_tokens: torch.Tensor
    top_log_probabilities: torch.Tensor
    entropy: torch.Tensor


def describe(logits: torch.Tensor, tokens: torch.Tensor, row: torch.Tensor, keep: Keep, put: Put) -> Described:
    """What is asked for of some distributions.

    Args:
        logits: (texts, vocabulary).
        tokens: (c,) candidates; with a restricted vocabulary, of it.
        row: (c,) the text that each belongs to, ascending.
        keep: What else is kept.
        put: Brings the vocabulary to the device.
    """
    import torch

    if keep.vocabulary is not None:
        kept = put(keep.vocabulary)
        logits, tokens = logits[:, kept], torch.searchsorted(kept, tokens)
    total = torch.logsumexp(logits, dim=-1)
    wanted = logits[row, tokens]
    top, places = logits.topk(min(keep.top, logits.shape[1]), dim=-1)
    return Described(
        _counted(logits, row, wanted),
        wanted - total[row],
        places if keep.vocabulary is None else kept[places],
        top - total[:, None],
        _entropy(logits, total) if keep.entropy else torch.zeros_like(total),
    )


def top_tokens(logits: torch.Tensor, top: Top, put: Put) -> torch.Tensor:
    """(texts, k) the likeliest tokens of a vocabulary, greatest first; k is its size where that is smaller.

    Args:
        logits: (texts, whole vocabulary).
        top: How many, of which vocabulary.
        put: Brings the vocabulary to the device.
    """
    if top.vocabulary is None:
        return logits.topk(min(top.count, logits.shape[1]), dim=-1).indices
    kept = put(top.vocabulary)
    return kept[logits[:, kept].topk(min(top.count, len(kept)), dim=-1).indices]


def _counted(logits: torch.Tensor, row: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """(c,) ranks, one candidate of each text at a time, so that no text's logits are copied for each of its own."""
    import torch

    count = torch.bincount(row, minlength=len(logits))
    first = torch.cumsum(count, 0) - count
    rank = torch.zeros(len(row), dtype=torch.int32, device=logits.device)
    for turn in range(int(count.max()) if len(row) else 0):
        texts = (count > turn).nonzero().squeeze(1)
        at = first[texts] + turn
        rank[at] = 1 + (logits[texts] > wanted[at][:, None]).sum(dim=-1, dtype=torch.int32)
    return rank


def _entropy(logits: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    """(texts,) log Z minus the expected logit; tokens ruled out by -inf add nothing."""
    logs = logits - total[:, None]
    entropy: torch.Tensor = -(logs.exp() * logs.clamp_min(-1e30)).sum(dim=-1)
    return entropy
