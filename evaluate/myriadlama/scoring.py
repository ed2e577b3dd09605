"""MyriadLAMA's prompts through a model: a work list in, predictions out, stretch by stretch.

A stretch is prepared (token ids joined, what cannot be asked set aside), run (identical prompts once, in the model's
own batches), and written as a table. What is kept of a distribution is made at once (`distributions`), so no tensor of
the vocabulary's width outlives its batch, and memory does not grow with the number of prompts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tashika.core.models import LoadedModel
from tashika.core.tokenizing import words_of
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.distributions import Answers as AnswersOfBatch
from tashika.evaluate.engine.distributions import Ranked, RankStore
from tashika.evaluate.engine.model import FINE, NO_OBJECT, NOT_A_NUMBER, NOT_LAST, PROBLEMS, Model, model_of, unfit
from tashika.evaluate.engine.pieces import PromptEncoder, Ragged
from tashika.evaluate.engine.ragged import ranges
from tashika.evaluate.engine.recipe import Advance
from tashika.evaluate.myriadlama.answers import Answers, blank_form, find_answers, usable_templates
from tashika.evaluate.myriadlama.predictions import PREDICTION
from tashika.evaluate.myriadlama.prompts import Stretch, WorkList

if TYPE_CHECKING:
    import torch


class Prepared(NamedTuple):
    """A stretch that is ready to run.

    Attributes:
        at: The prompts.
        problem: (n,) why a prompt is not asked, a place in `engine.PROBLEMS`.
        ids: Distinct texts.
        wanted: (texts,) those of them that are asked.
        prompts: Prompts that are asked, those of one text beside each other.
        first: (texts,) the first in `prompts` of each wanted text.
        asking: (texts,) how many there are.
        tokens: Correct tokens of `prompts`.
        token_start: The first in `tokens` of each of `prompts`.
        token_count: How many it has.
    """

    at: Stretch
    problem: Codes
    ids: Ragged
    wanted: Codes
    prompts: Codes
    first: Codes
    asking: Codes
    tokens: Codes
    token_start: Codes
    token_count: Codes


@dataclass(frozen=True)
class Engine:
    """Everything that is needed to score any stretch of a work list.

    Attributes:
        work: The prompts.
        model: The model.
        encoder: Makes token ids.
        answers: The correct tokens.
        usable: (T,) templates that the model can answer.
        forms: (T,) the form of an answer in each template.
        tokenizer: The model's.
    """

    work: WorkList
    model: Model
    encoder: PromptEncoder
    answers: Answers
    usable: npt.NDArray[np.bool_]
    forms: Codes
    tokenizer: Any

    @classmethod
    def of(
        cls, loaded: LoadedModel, work: WorkList, *, batch_tokens: int | None = None, by_pieces: bool = True
    ) -> Engine:
        """Prepares a model and a work list for each other."""
        usable = usable_templates(work.template_texts, loaded.kind)
        return cls(
            work,
            model_of(loaded, batch_tokens),
            PromptEncoder(loaded.tokenizer, loaded.kind, work.template_texts, work.alias_texts, by_pieces=by_pieces),
            find_answers(loaded.tokenizer, work, usable),
            usable,
            np.asarray([blank_form(text) for text in work.template_texts], dtype=np.int64),
            loaded.tokenizer,
        )

    def score(self, start: int, stop: int, advance: Advance = lambda _: None) -> pa.Table:
        """Predictions of the prompts from `start` up to `stop`, a table of `predictions.PREDICTION`."""
        prepared = self.prepare(start, stop)
        return self.table(prepared, self.run(prepared, advance))

    def prepare(self, start: int, stop: int) -> Prepared:
        """Makes the texts of a stretch; needs no model, so it may run beside the model."""
        at = self.work.stretch(start, stop)
        problem = self._left_out(at)
        asked = np.flatnonzero(problem == FINE)
        if len(asked) == 0:
            none = np.zeros(0, dtype=np.int64)
            return Prepared(at, problem, Ragged.of([]), *[none] * 7)
        encoded = self.encoder.encode(at.template[asked], at.alias[asked])
        problem[asked] = unfit(self.model, encoded.ids)[encoded.distinct]
        fine = problem[asked] == FINE
        order = np.argsort(encoded.distinct[fine], kind="stable")
        prompts, distinct = asked[fine][order], encoded.distinct[fine][order]
        wanted, first, asking = np.unique(distinct, return_index=True, return_counts=True)
        return Prepared(at, problem, encoded.ids, wanted, prompts, first, asking, *self._correct(at, prompts))

    def run(self, prepared: Prepared, advance: Advance = lambda _: None) -> Ranked:
        """Asks the model."""
        put = self.model.blank.put
        store = RankStore(len(prepared.problem), self.model.blank.device)
        advance(int((prepared.problem != FINE).sum()))

        def consume(some: Codes, logits: torch.Tensor) -> None:
            count = prepared.asking[some]
            these = ranges(prepared.first[some], count)
            tokens = prepared.token_count[these]
            store.add(
                put(prepared.prompts[these]),
                logits,
                AnswersOfBatch(
                    None if len(these) == len(some) else put(np.repeat(np.arange(len(some)), count)),
                    put(prepared.tokens[ranges(prepared.token_start[these], tokens)]),
                    put(np.repeat(np.arange(len(these)), tokens)),
                ),
            )
            advance(len(these))

        self.model.distributions(prepared.ids, prepared.wanted, consume)
        return store.read()

    def table(self, prepared: Prepared, ranked: Ranked) -> pa.Table:
        """The predictions of a stretch, one row a prompt, in order."""
        problem = prepared.problem.copy()
        problem[(problem == FINE) & ~np.isfinite(ranked.top_probability)] = NOT_A_NUMBER
        bad = problem != FINE
        words: Any = pa.array(PROBLEMS, pa.string())
        columns = {
            **self.work.identity(prepared.at),
            **{name: pa.array(values, mask=bad) for name, values in ranked._asdict().items()},
            "top_word": self._words(ranked.top_token, bad),
            "problem": words.take(pa.array(problem)),
        }
        return pa.table([columns[name] for name in PREDICTION.names], schema=PREDICTION)

    def _words(self, tokens: npt.NDArray[np.int32], bad: npt.NDArray[np.bool_]) -> Any:
        """What tokens say, as a dictionary column; null where a prompt has no answer."""
        used, index = np.unique(tokens[~bad], return_inverse=True)
        words: Any = pa.array(words_of(self.tokenizer, used.tolist()), pa.string()).dictionary_encode()
        codes = np.zeros(len(bad), dtype=np.int32)
        codes[~bad] = np.asarray(words.indices)[index]
        answered: Any = pa.array(codes, mask=bad)
        return pa.DictionaryArray.from_arrays(answered, words.dictionary)

    def _left_out(self, at: Stretch) -> Codes:
        """What is known before a text is made."""
        problem = np.full(len(at.pair), FINE, dtype=np.int64)
        problem[self.answers.count[self.forms[at.template], at.pair] == 0] = NO_OBJECT
        problem[~self.usable[at.template]] = NOT_LAST
        return problem

    def _correct(self, at: Stretch, prompts: Codes) -> tuple[Codes, Codes, Codes]:
        """The correct tokens of these prompts one after the other, where each prompt's begin, and how many it has."""
        form, pair = self.forms[at.template[prompts]], at.pair[prompts]
        shift = np.cumsum([0, *(len(tokens) for tokens in self.answers.tokens[:-1])])
        return (
            np.concatenate(self.answers.tokens),
            self.answers.start[form, pair] + shift[form],
            self.answers.count[form, pair],
        )
