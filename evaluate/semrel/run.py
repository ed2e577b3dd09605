"""Semantic relations through one system, a model or the people: its answers to every probe, and its numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.errors import InputError
from tashika.core.files import hash_value, read_json, read_table, remove_leftovers, write_batches, write_json
from tashika.core.models import LoadedModel, load_model, load_tokenizer
from tashika.core.progress import bar, say
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.blanks import score_blanks
from tashika.evaluate.engine.distributions import Keep
from tashika.evaluate.engine.kernels import free_memory, give_memory_back
from tashika.evaluate.engine.model import ENGINE_VERSION, Model, model_of
from tashika.evaluate.engine.pieces import adds_end
from tashika.evaluate.engine.recipe import Advance
from tashika.evaluate.engine.shards import Shard, forget_shards, missing
from tashika.evaluate.semrel.metrics import MEASURE_VERSION
from tashika.evaluate.semrel.probes import AskedProbe, Source
from tashika.evaluate.semrel.settings import EvaluateSettings
from tashika.evaluate.semrel.vocabulary import ModelWords, SharedVocabulary, whole_targets
from tashika.evaluate.systems import How, Sample, identity, slug

PEOPLE: Final = "people"
SPLIT_TARGET: Final = "the target is several tokens"

_FIELDS: list[pa.Field[Any]] = [
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("target", pa.string(), nullable=False),
    pa.field("relation", pa.string(), nullable=False),
    pa.field("prompt", pa.string(), nullable=False),
    pa.field("k", pa.int32(), nullable=False),  # words that are read, at most
    pa.field("words", pa.list_(pa.string())),  # ranked; null where there is a problem
    pa.field("problem", pa.string()),  # why there is no answer; null where there is one
]
ANSWERS: Final[pa.Schema] = pa.schema(_FIELDS)
"""`answers.parquet`: one row a probe."""


class Run(NamedTuple):
    """One system on one source, or on a sample of it.

    Attributes:
        workspace: Where the files lie.
        source: What it is asked.
        name: The model; None for the people.
        about: Which system it is: `name`, `kind`, `revision`, `dtype`, `device`, `note`.
        settings: The section [evaluate].
        vocabulary: The shared vocabulary; None where there is none, for people alone.
        device: See `core.models.resolve_device`.
        dtype: `auto`, `fp32`, `bf16` or `fp16`.
    """

    workspace: Workspace
    source: Source
    name: str | None
    about: Mapping[str, Any]
    settings: EvaluateSettings
    vocabulary: SharedVocabulary | None
    device: str = "auto"
    dtype: str = "auto"

    @classmethod
    def of_model(
        cls,
        workspace: Workspace,
        source: Source,
        name: str,
        settings: EvaluateSettings,
        vocabulary: SharedVocabulary,
        *,
        device: str = "auto",
        dtype: str = "auto",
    ) -> Run:
        """A model's run, checked as far as that goes without loading weights.

        Raises:
            InputError: The model cannot be found, the device or precision is unknown, or its tokenizer splits every
                word or every target.
        """
        run = cls(workspace, source, name, identity(name, How(device, dtype)), settings, vocabulary, device, dtype)
        run.coverage()
        return run

    @classmethod
    def of_people(
        cls, workspace: Workspace, source: Source, settings: EvaluateSettings, vocabulary: SharedVocabulary | None
    ) -> Run:
        """The people's run.

        Raises:
            InputError: There are no people.
        """
        if source.people is None:
            raise InputError(
                "there are no answers of people to score",
                where=str(workspace.annotation / "responses.parquet"),
                hint="Pull them with `tashika annotate pull semrel`, or give a published file with --responses.",
            )
        who = source.people.annotators
        note = f"answered by {who.told}" if who and who.simulated else None
        about = {"name": who.name if who else PEOPLE, "kind": PEOPLE, "revision": source.people.digest, "note": note}
        return cls(workspace, source, None, {**about, "dtype": None, "device": None}, settings, vocabulary)

    @property
    def folder(self) -> Path:
        """Where answers and numbers lie: another folder for whatever must not take their place."""
        if self.name is None:
            parts = [PEOPLE]
        else:
            ours = Path(self.name).parent == self.workspace.root / "models"
            parts = [slug(self.about, Sample(), ours=ours)]
        if self.source.origin == "responses":
            parts.append(re.sub(r"[^A-Za-z0-9._-]+", "-", Path(self.source.name).stem).strip("-.") or "responses")
            parts += [self.source.limits_mark] if self.source.limits_mark else []
        if self.source.drawn is not None:
            parts.append(f"{self.source.drawn[0]}-targets")
        return self.workspace.evaluate / "-".join(parts)

    def keys(self) -> dict[str, Any]:
        """What answers depend on, as plain values."""
        people = self.source.people.digest if self.source.people is not None else None
        shared = {"system": dict(self.about), "probes": self.source.probes_digest, "people": people}
        if self.name is None:
            return shared
        assert self.vocabulary is not None
        ending = self.settings.ending if self.about["kind"] == "masked" else ""
        reading = {"k": self.settings.k, "ending": ending, "split_targets": self.settings.split_targets}
        return {**shared, "reading": reading, "vocabulary": self.vocabulary.digest, "engine": ENGINE_VERSION}

    def coverage(self) -> dict[str, Any] | None:
        """The words and targets that the model's tokenizer has as one token; None for people.

        Raises:
            InputError: It has none.
        """
        if self.name is None:
            return None
        words, targets = self.words(load_tokenizer(self.name))
        found = words.describe(self.source.relata_words)
        return {**found, "targets": {"asked": len(targets), "of": len(self.source.targets)}}

    def words(self, tokenizer: Any) -> tuple[ModelWords, frozenset[str]]:
        """The words that the model can answer with, and the targets that it is asked about.

        Raises:
            InputError: There are none.
        """
        assert self.name is not None
        assert self.vocabulary is not None
        words = ModelWords.of(tokenizer, self.vocabulary.words, self.name)
        if self.settings.split_targets == "asked":
            return words, frozenset(self.source.targets)
        return words, whole_targets(tokenizer, self.source.targets, self.name)

    def lengths(self) -> list[int]:
        """K of each probe: the length of people's list, or the setting where there is none (paper, section 3.3)."""
        lists = self.source.people.lists if self.source.people is not None else {}
        return [len(lists.get(probe.item_id, ())) or self.settings.k for probe in self.source.probes]

    def stage(self) -> Stage:
        """The answers."""
        return Stage("answers", self.folder, (), self.keys(), [self.folder / "answers.parquet"])


def evaluate_system(run: Run) -> dict[str, Any]:
    """Scores one system: `answers.parquet` and `metrics.json` in its folder; the latter's content is returned.

    What was done before is not done again; what an interrupted run has done is gone on from.
    """
    stage = run.stage()
    [target] = stage.outputs
    stage.run(lambda: _answer(run, stage), what=f"{run.folder.name}, answers")
    forget_shards(target, _parts_key(run, stage))  # not before the manifest vouches for the whole
    metrics = run.folder / "metrics.json"
    settings = {
        **run.keys(),
        "source": run.source.describe(),
        "relata": run.source.relata_digest,
        "measuring": {**vars(run.settings.measuring()), "version": MEASURE_VERSION},
        "vocabulary": run.vocabulary.digest if run.vocabulary else None,
    }
    scoring = Stage("metrics", run.folder, [target], settings, [metrics])
    scoring.run(lambda: _measure(run, target, metrics), what=f"{run.folder.name}, scores")
    content: dict[str, Any] = read_json(metrics)
    return content


def people_table(source: Source) -> pa.Table | None:
    """The people's answers to the probes at hand, as a system's."""
    return None if source.people is None else source.people.table(source.probes, ANSWERS)


def _measure(run: Run, target: Path, metrics: Path) -> Mapping[str, Any]:
    from tashika.evaluate.semrel.metrics import measure

    people = None if run.name is None else people_table(run.source)
    found = measure(read_table(target, ANSWERS), run.source.relata, run.settings.measuring(), people)
    libraries = () if run.name is None else ("torch", "transformers", "tokenizers")
    vocabulary = run.vocabulary
    beside = {
        "model": dict(run.about),
        "source": run.source.describe(),
        "reading": {**run.keys().get("reading", {}), "k": _told_lengths(run)},
        "vocabulary": vocabulary
        and {
            "words": len(vocabulary.words),
            "origin": vocabulary.origin,
            "digest": vocabulary.digest,
            "dropped": dict(vocabulary.dropped),
        },
        "coverage": run.coverage(),
        "versions": {one: version(one) for one in ("tashika", *libraries)},
    }
    write_json(metrics, {**found, **beside})
    return {"probes": found["n"], "answered": found["answered"], "scored": found["scored"], "targets": found["targets"]}


def _told_lengths(run: Run) -> dict[str, int]:
    """How many probes have people's k, and how many the setting's."""
    asked = {probe.item_id for probe in run.source.probes}
    known = len(asked & set(run.source.people.lists)) if run.source.people is not None else 0
    return {"of_people": known, "of_the_setting": len(asked) - known, "setting": run.settings.k}


def _answer(run: Run, stage: Stage) -> Mapping[str, Any]:
    """Writes the answers."""
    [target] = stage.outputs
    if run.name is None:
        table = people_table(run.source)
        assert table is not None
        batches: Iterator[pa.RecordBatch] = iter(table.to_batches())
    else:
        batches = _asked(run, target, _parts_key(run, stage))
    remove_leftovers(target)
    write_batches(target, batches, ANSWERS)
    problems = Counter(str(one) for one in read_table(target, ANSWERS)["problem"].drop_null().to_pylist())
    asked = len(run.source.probes)
    return {"probes": asked, "answered": asked - problems.total(), "problems": dict(problems)}


# --- a model at the blank ---


def _parts_key(run: Run, stage: Stage) -> str:
    """The key of the finished chunks: all that the answers depend on, and how they are cut."""
    return hash_value([stage.fingerprint(), run.settings.chunk])


def _asked(run: Run, target: Path, key: str) -> Iterator[pa.RecordBatch]:
    """Asks the probes chunk by chunk, each in a file of its own, from where an earlier run was cut off."""
    size, count = run.settings.chunk, len(run.source.probes)
    folder = target.parent / "shards" / key[:16]  # as `forget_shards` has it
    parts = [
        Shard(folder / f"part-{start // size:05d}.parquet", start, min(start + size, count))
        for start in range(0, count, size)
    ]
    with bar(f"{run.folder.name}, probes", count) as advance:
        todo = missing(parts, advance)
        if todo:
            _ask_parts(run, todo, advance)
    for part in parts:
        with pq.ParquetFile(part.path) as file:
            yield from file.iter_batches()


def _ask_parts(run: Run, parts: Sequence[Shard], advance: Advance) -> None:
    assert run.name is not None
    say(f"{run.about['name']}: loading, {run.about['dtype']} on {run.about['device']}")
    loaded = load_model(run.name, device=run.device, dtype=run.dtype)
    model = model_of(loaded, run.settings.batch_tokens or None)
    words, targets = run.words(loaded.tokenizer)
    lengths = run.lengths()
    for part in parts:
        probes = run.source.probes[part.start : part.stop]
        rows = list(_rows(probes, lengths[part.start : part.stop], targets))
        kept = [place for place, row in enumerate(rows) if row["problem"] is None]
        texts = blank_texts(loaded, [probes[place].text for place in kept], run.settings.ending)
        found = read_blanks(model, texts, [rows[place]["k"] for place in kept], words, advance)
        for place, columns in zip(kept, found, strict=True):
            rows[place].update(columns)
        advance(len(rows) - sum(row["problem"] is None for row in rows))
        write_batches(part.path, pa.Table.from_pylist(rows, schema=ANSWERS).to_batches(), ANSWERS)
        give_memory_back()
    del model, loaded
    free_memory()  # a card holds one model, and the next is loaded by the same process


def _rows(probes: Sequence[AskedProbe], lengths: Sequence[int], targets: frozenset[str]) -> Iterator[dict[str, Any]]:
    for probe, k in zip(probes, lengths, strict=True):
        known = {name: getattr(probe, name) for name in ("item_id", "target", "relation", "prompt")}
        problem = None if probe.target in targets else SPLIT_TARGET
        yield {**known, "k": k, "words": None, "problem": problem}


def blank_texts(loaded: LoadedModel, texts: Sequence[str], ending: str) -> list[list[int]]:
    """Probes as the model reads them: with a mask and the ending behind it, or to be continued.

    Args:
        loaded: The model.
        texts: Up to the blank, without a space at the end: the answers are words with a space before them.
        ending: Of a masked model's texts.
    """
    if not texts:
        return []
    tokenizer = loaded.tokenizer
    if loaded.kind == "masked":
        texts = [f"{text} {tokenizer.mask_token}{ending}" for text in texts]
    ids: list[list[int]] = tokenizer(list(texts), return_attention_mask=False, verbose=False)["input_ids"]
    cut = loaded.kind == "causal" and adds_end(tokenizer)
    return [one[:-1] for one in ids] if cut else ids


def read_blanks(
    model: Model, texts: Sequence[Sequence[int]], lengths: Sequence[int], words: ModelWords, advance: Advance
) -> list[dict[str, Any]]:
    """The likeliest words at each blank, over the words that the model can answer with.

    Args:
        model: See `engine.model_of`.
        texts: See `blank_texts`.
        lengths: How many words of each.
        words: The vocabulary.
        advance: Called with the number of texts done.

    Returns:
        `words` and `problem` of each text, one of them None.
    """
    keep = Keep(top=max(lengths, default=0), vocabulary=words.tokens)
    scores = score_blanks(model, texts, [() for _ in texts], keep, advance)
    found = []
    for top, k, problem in zip(scores.top_tokens, lengths, scores.reasons(), strict=True):
        found.append({"words": words.words_at(top[:k]) if problem is None else None, "problem": problem})
    return found
