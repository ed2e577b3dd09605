"""From logits to what is kept of them: the best correct answer's rank and probability, and the top token's."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from tashika.evaluate.prompts import Codes

if TYPE_CHECKING:
    import torch


class Ranked(NamedTuple):
    """Of n prompts, (n,) each.

    Attributes:
        rank: 1 + the number of tokens with a logit strictly greater than the best correct one's, over the whole
            vocabulary: tokens that tie with it do not push it down.
        probability: Of the best correct token.
        top_token: The token with the greatest logit, the lowest of equals.
        top_probability: Its probability.
    """

    rank: npt.NDArray[np.int32]
    probability: npt.NDArray[np.float32]
    top_token: npt.NDArray[np.int32]
    top_probability: npt.NDArray[np.float32]

    @classmethod
    def empty(cls, count: int) -> Ranked:
        """Room for `count` prompts."""
        whole, real = np.zeros(count, np.int32), np.zeros(count, np.float32)
        return cls(whole, real, whole.copy(), real.copy())

    def put(self, at: Codes, other: Ranked) -> None:
        """Sets the prompts at these places."""
        for mine, theirs in zip(self, other, strict=True):
            mine[at] = theirs


def rank_answers(logits: torch.Tensor, row: Codes, tokens: Codes, prompt: Codes) -> Ranked:
    """Ranks the best correct answer of each prompt by counting, without sorting and without a softmax.

    Args:
        logits: (rows, vocabulary), one row a distinct text.
        row: (n,) the row of each prompt.
        tokens: (answers,) correct tokens of all prompts.
        prompt: (answers,) the prompt that each belongs to; every prompt has at least one.
    """
    import torch

    with torch.inference_mode():
        place = torch.from_numpy(row).to(logits.device)
        owner = torch.from_numpy(prompt).to(logits.device)
        correct = logits[place[owner], torch.from_numpy(tokens).to(logits.device)]
        best = torch.full((len(row),), -torch.inf, dtype=logits.dtype, device=logits.device)
        best = best.scatter_reduce(0, owner, correct, "amax")
        total = torch.logsumexp(logits, dim=-1)
        top, top_token = logits.max(dim=-1)
        one_each = len(row) == len(logits) and bool((row == np.arange(len(row))).all())
        of_prompt = logits if one_each else logits[place]
        rank = 1 + (of_prompt > best[:, None]).sum(dim=-1)
        return Ranked(
            rank.to(torch.int32).cpu().numpy(),
            (best - total[place]).exp().float().cpu().numpy(),
            top_token[place].to(torch.int32).cpu().numpy(),
            (top - total).exp()[place].float().cpu().numpy(),
        )
