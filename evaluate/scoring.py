"""The engine: a work list and a model in, predictions in Parquet out, in shards that survive a kill.

Identical prompts of a shard are scored once. Texts go through the model in buckets of one length, without padding and
so without an attention mask, longest first. What is kept of a distribution is made at once (`ranks`), so no tensor of
the vocabulary's width outlives its batch, and memory does not grow with the number of prompts.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.files import write_batches
from tashika.core.models import LoadedModel
from tashika.core.progress import bar
from tashika.core.records import PREDICTION
from tashika.evaluate.answers import Answers, blank_form, find_answers, usable_templates
from tashika.evaluate.causal import CausalModel
from tashika.evaluate.masked import MaskedModel
from tashika.evaluate.models import BlankModel
from tashika.evaluate.pieces import Ids, PromptEncoder, Ragged
from tashika.evaluate.prompts import Codes, Stretch, WorkList
from tashika.evaluate.ranks import Ranked, rank_answers

if TYPE_CHECKING:
    import torch

ENGINE_VERSION: Final = 1
"""Part of every stage's settings: raise it when predictions change."""

SHARD_PROMPTS: Final = {"masked": 20_000, "causal": 2_000}
"""Prompts in a shard: what a kill loses at most."""

PROBLEMS: Final = (
    None,
    "blank is not at the end",
    "no single-token object",
    "[X] contains the mask token",
    "too long",
    "the model's output is not a number",
)
_FINE, _NOT_LAST, _NO_OBJECT, _NO_BLANK, _TOO_LONG, _NOT_A_NUMBER = range(len(PROBLEMS))

_LOGITS_AT_ONCE: Final = 2**25
Advance = Callable[[int], None]


class Model(Protocol):
    """What the engine needs of a model; see `masked` and `causal`."""

    blank: BlankModel

    def answerable(self, ids: Ragged) -> npt.NDArray[np.bool_]:
        """Which texts have exactly one place to answer at."""

    def logits(self, ids: Ids) -> torch.Tensor:
        """The distributions at that place."""


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
        batch_tokens: Tokens in a batch, at most.
    """

    work: WorkList
    model: Model
    encoder: PromptEncoder
    answers: Answers
    usable: npt.NDArray[np.bool_]
    forms: Codes
    batch_tokens: int

    @classmethod
    def of(cls, loaded: LoadedModel, work: WorkList, *, batch_tokens: int = 8192, by_pieces: bool = True) -> Engine:
        """Prepares a model and a work list for each other."""
        model: Model = MaskedModel(loaded) if loaded.kind == "masked" else CausalModel(loaded)
        usable = usable_templates(work.template_texts, loaded.kind)
        return cls(
            work,
            model,
            PromptEncoder(loaded.tokenizer, loaded.kind, work.template_texts, work.alias_texts, by_pieces=by_pieces),
            find_answers(loaded.tokenizer, work, usable),
            usable,
            np.asarray([blank_form(text) for text in work.template_texts], dtype=np.int64),
            batch_tokens,
        )

    def score(self, start: int, stop: int, advance: Advance = lambda _: None) -> pa.Table:
        """Predictions of the prompts from `start` up to `stop`, a table of `records.PREDICTION`."""
        at = self.work.stretch(start, stop)
        problem = self._left_out(at)
        asked = np.flatnonzero(problem == _FINE)
        ranked = Ranked.empty(len(problem))
        advance(len(problem) - len(asked))
        if len(asked):
            encoded = self.encoder.encode(at.template[asked], at.alias[asked])
            unfit = self._unfit(encoded.ids)[encoded.distinct]
            problem[asked] = unfit
            fine = unfit == _FINE
            advance(int(len(asked) - fine.sum()))
            self._score(at, asked[fine], encoded.ids, encoded.distinct[fine], ranked, advance)
            problem[asked[fine]] = np.where(np.isfinite(ranked.top_probability[asked[fine]]), _FINE, _NOT_A_NUMBER)
        return self._table(at, problem, ranked)

    def _left_out(self, at: Stretch) -> Codes:
        """What is known before a text is made."""
        problem = np.zeros(len(at.pair), dtype=np.int64)
        problem[self.answers.count[self.forms[at.template], at.pair] == 0] = _NO_OBJECT
        problem[~self.usable[at.template]] = _NOT_LAST
        return problem

    def _unfit(self, ids: Ragged) -> Codes:
        """(texts,) what is wrong with a text."""
        problem = np.where(self.model.answerable(ids), _FINE, _NO_BLANK)
        problem[ids.length > self.model.blank.max_length] = _TOO_LONG
        return problem

    def _score(
        self, at: Stretch, prompts: Codes, ids: Ragged, distinct: Codes, ranked: Ranked, advance: Advance
    ) -> None:
        """Runs the distinct texts in batches and ranks all prompts that ask one of them."""
        order = np.argsort(distinct, kind="stable")
        prompts, distinct = prompts[order], distinct[order]
        wanted, first = np.unique(distinct, return_index=True)
        ends = np.append(first[1:], len(distinct))
        for some in self._batches(ids.length[wanted]):
            logits = self.model.logits(ids.block(wanted[some]))
            count = ends[some] - first[some]
            mine = prompts[_ranges(first[some], count)]
            row = np.repeat(np.arange(len(some)), count)
            ranked.put(mine, rank_answers(logits, row, *self._correct(at, mine)))
            advance(len(mine))

    def _batches(self, length: Codes) -> Iterator[Codes]:
        """Places of texts of one length, longest first."""
        order = np.argsort(-length, kind="stable")
        vocabulary = int(self.model.blank.vocabulary)
        for bucket in np.split(order, np.flatnonzero(np.diff(length[order])) + 1):
            if len(bucket):
                size = max(1, min(self.batch_tokens // int(length[bucket[0]]), _LOGITS_AT_ONCE // vocabulary))
                yield from (bucket[begin : begin + size] for begin in range(0, len(bucket), size))

    def _correct(self, at: Stretch, prompts: Codes) -> tuple[Codes, Codes]:
        """The correct tokens of these prompts, and for each the prompt (its place here) that it belongs to."""
        form, pair = self.forms[at.template[prompts]], at.pair[prompts]
        shift = np.cumsum([0, *(len(tokens) for tokens in self.answers.tokens[:-1])])
        count = self.answers.count[form, pair]
        places = _ranges(self.answers.start[form, pair] + shift[form], count)
        return np.concatenate(self.answers.tokens)[places], np.repeat(np.arange(len(prompts)), count)

    def _table(self, at: Stretch, problem: Codes, ranked: Ranked) -> pa.Table:
        bad = problem != _FINE
        words: Any = pa.array(PROBLEMS, pa.string())
        columns = {
            **self.work.identity(at),
            **{name: pa.array(values, mask=bad) for name, values in ranked._asdict().items()},
            "problem": words.take(pa.array(problem)),
        }
        return pa.table([columns[name] for name in PREDICTION.names], schema=PREDICTION)


def _ranges(start: Codes, count: Codes) -> Codes:
    """`start[i], start[i] + 1, …` with `count[i]` numbers, for each i one after the other."""
    ends = np.cumsum(count)
    within = np.arange(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    return np.asarray(np.repeat(start - (ends - count), count) + within)


def write_predictions(engine: Engine, kind: str, target: Path, key: str, what: str) -> int:
    """Scores a work list into one Parquet file, going on where an earlier run of the same key was cut off.

    Args:
        engine: The engine.
        kind: The model's kind, which sets the size of a shard.
        target: The file.
        key: Digest of everything that the predictions depend on; shards of another key are not used.
        what: For the progress bar.

    Returns:
        The number of predictions.
    """
    folder = _shards(target, key)
    size, total = SHARD_PROMPTS[kind], len(engine.work)
    parts = [(folder / f"part-{start // size:05d}.parquet", start) for start in range(0, total, size)]
    with bar(what, total) as advance:
        for path, start in parts:
            stop = min(start + size, total)
            if path.is_file():
                advance(stop - start)
                continue
            table = engine.score(start, stop, advance)
            write_batches(path, table.to_batches(), PREDICTION)
    return write_batches(target, _all_batches([path for path, _ in parts]), PREDICTION)


def forget_shards(target: Path, key: str) -> None:
    """Removes the shards of finished predictions; those of other keys stay, for their own runs to go on from."""
    shutil.rmtree(_shards(target, key), ignore_errors=True)


def _shards(target: Path, key: str) -> Path:
    return target.parent / "shards" / key[:16]


def _all_batches(paths: list[Path]) -> Iterator[pa.RecordBatch]:
    for path in paths:
        with pq.ParquetFile(path, read_dictionary=["relation", "template_id", "subject_alias_id"]) as file:
            for batch in file.iter_batches(batch_size=SHARD_PROMPTS["masked"]):
                table: Any = pa.Table.from_batches([batch]).cast(PREDICTION)
                yield from table.to_batches()
