"""A blank: the rank of the right words at it among all tokens of the model, or the words that a reply gives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import pyarrow as pa

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.models import LoadedModel
from tashika.core.prompting import BLANK
from tashika.core.tokenizing import ATTACHED, SPACED, START, single_tokens
from tashika.evaluate.custom.predictions import prediction_table
from tashika.evaluate.custom.prompts import Asked
from tashika.evaluate.engine.blanks import BlankScores, score_blanks
from tashika.evaluate.engine.distributions import Keep
from tashika.evaluate.engine.model import FINE, NO_OBJECT, NOT_LAST, PROBLEMS, Model
from tashika.evaluate.engine.pieces import adds_end
from tashika.evaluate.engine.recipe import Advance

_CLOSING: Final = re.compile(r"[\s.!?。！？\"'”’」)]*")
"""What may stand behind a blank at the end of a text."""


class Prepared(NamedTuple):
    """A stretch of questions as token ids.

    Attributes:
        rows: All of them.
        problems: Why a question is not asked; None for those that are.
        texts: Token ids of those that are asked.
        candidates: The tokens of their right words.
    """

    rows: Sequence[Asked]
    problems: list[str | None]
    texts: list[list[int]]
    candidates: list[list[int]]


@dataclass(frozen=True)
class BlankScorer:
    """A model, masked or causal, that is ready for blanks; see `engine.recipe.Scorer`.

    A right word counts where it is one token of the model, in the form that it has at the blank; a question with no
    such word is not asked. A masked model reads the whole text, a causal one what stands before a blank at its end.
    """

    loaded: LoadedModel
    model: Model
    rows: Sequence[Asked]
    form: EvaluateForm

    def prepare(self, start: int, stop: int) -> Prepared:
        """Makes the texts of a stretch."""
        rows = self.rows[start:stop]
        problems: list[str | None] = []
        texts, candidates = [], []
        for row in rows:
            tokens = answer_tokens(self.loaded.tokenizer, row)
            problem = FINE if tokens else NO_OBJECT
            if self.loaded.kind == "causal" and not _CLOSING.fullmatch(row.text.partition(BLANK)[2]):
                problem = NOT_LAST
            problems.append(PROBLEMS[problem])
            if problem == FINE:
                texts.append(self._surface(row.text))
                candidates.append(tokens)
        return Prepared(rows, problems, self._encoded(texts), candidates)

    def _surface(self, text: str) -> str:
        before, _, behind = text.partition(BLANK)
        system = f"{self.form.system}\n\n" if self.form.system else ""
        if self.loaded.kind == "masked":
            return f"{system}{before}{self.loaded.tokenizer.mask_token}{behind}"
        return (system + before).rstrip(" ")

    def _encoded(self, texts: list[str]) -> list[list[int]]:
        if not texts:
            return []
        tokenizer = self.loaded.tokenizer
        ids: list[list[int]] = tokenizer(texts, return_attention_mask=False, verbose=False)["input_ids"]
        return [row[:-1] for row in ids] if self.loaded.kind == "causal" and adds_end(tokenizer) else ids

    def run(self, prepared: Prepared, advance: Advance = lambda _: None) -> BlankScores:
        """Asks the model."""
        advance(len(prepared.rows) - len(prepared.texts))
        return score_blanks(self.model, prepared.texts, prepared.candidates, Keep(top=1), advance)

    def table(self, prepared: Prepared, result: BlankScores) -> pa.Table:
        """The predictions of a stretch."""
        answers = (self._columns(result, number, why) for number, why in enumerate(result.reasons()))
        found = [next(answers) if problem is None else {"problem": problem} for problem in prepared.problems]
        return prediction_table(prepared.rows, found)

    def _columns(self, result: BlankScores, number: int, problem: str | None) -> dict[str, Any]:
        if problem is not None:
            return {"problem": problem}
        first, count = int(result.candidate_start[number]), int(result.candidate_count[number])
        rank = int(result.rank[first : first + count].min())
        likeliest = self.loaded.tokenizer.decode([int(result.top_tokens[number, 0])]).strip()
        return {"rank": rank, "answer": likeliest, "correct": rank == 1}


def answer_tokens(tokenizer: Any, row: Asked) -> list[int]:
    """The tokens of the right words that are one, in the form that they have at the blank."""
    before = row.text.partition(BLANK)[0]
    form = START if not before else SPACED if before[-1] == " " else ATTACHED
    tokens = single_tokens(tokenizer, row.answers, form).tolist()
    return sorted({token for token in tokens if token >= 0})
