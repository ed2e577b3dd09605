"""A tiny BERT that is trained on the spot, so that a first run has a masked model to score without a download.

It reads sentences made from the workspace's own items (facts, names and templates, before anybody has judged them)
with the object masked, and nothing else: it knows only this world, and says so wherever its scores stand. A part of
the pairs and, in every relation, a manual template with its paraphrases are held out, so that its scores are not
all memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tashika.core.cloze import OBJECT_SLOT, SUBJECT_SLOT
from tashika.core.errors import InputError
from tashika.core.files import write_json
from tashika.core.models import NOTE_FILE
from tashika.core.settings import Section
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.core.writing import UNSPACED, script_of
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.pieces import EncodedPrompts, PromptEncoder
from tashika.evaluate.engine.tiny_training import (
    OUTPUTS,
    UNKNOWN,
    by_length,
    learn,
    new_model,
    one_thread,
    run_once,
    save,
    splitter,
    tokenizer_of,
    words_of,
)
from tashika.evaluate.myriadlama.answers import Answers, blank_form, find_answers
from tashika.evaluate.myriadlama.prompts import Release, Stretch, WorkList, work_list

NOTE: Final = (
    "knows only the demo's world: a tiny BERT trained on this machine on the facts that it is asked about, "
    "in place of a real masked model. Its scores show that the evaluation works, not what language models know."
)
_MOST_MISSING: Final = 0.9
_PROBES: Final = 2_000
_MOST_SENTENCES: Final = 1_000_000
Mask = npt.NDArray[np.bool_]


class TinyBertSettings(Section):
    """How the model is trained.

    Attributes:
        seed: Of what is held out, of the first weights and of the order of sentences.
        vocabulary: Most frequent words that are one token each; one-word objects and single characters come on top.
        hidden: Width.
        layers: Depth.
        steps: Updates.
        batch: Sentences in an update.
        learning_rate: At its highest.
        held_out_pairs: Share of each relation's pairs that no sentence shows.
    """

    seed: int = 0
    vocabulary: int = 5000
    hidden: int = 128
    layers: int = 2
    steps: int = 1600
    batch: int = 128
    learning_rate: float = 2e-3
    held_out_pairs: float = 0.2


def prepare(work: Path, target: Path) -> Path:
    """Trains the model on the items of a working directory; see `prepare_tiny_bert`."""
    return prepare_tiny_bert(Workspace(work, "myriadlama"), target)


def prepare_tiny_bert(workspace: Workspace, target: Path, settings: TinyBertSettings | None = None) -> Path:
    """Trains the model once for these items; a finished one is left as it is.

    Args:
        workspace: Where the items are.
        target: The model's folder.
        settings: How to train it.

    Returns:
        The folder; `tashika.json` in it holds the note, what was held out, and how well each part was learned.

    Raises:
        MissingStageError: There are no items.
        InputError: The items make no sentence to learn from.
    """
    chosen = settings or TinyBertSettings()
    world = read_world(workspace)  # first, so that missing items are said before anything starts
    stage = Stage(
        target.name,
        target.parent,
        inputs=[workspace.item_file(kind) for kind in ("fact", "alias", "template")],
        settings=chosen.model_dump(),
        outputs=[target / name for name in OUTPUTS],
    )

    return run_once(stage, target, lambda folder: _train(world, folder, chosen), f"{target.name}, trained on the items")


@dataclass(frozen=True)
class World:
    """The items as a work list, with what decides who is held out.

    Attributes:
        work: The prompts.
        manual: (T,) the template, or for a paraphrase its manual template, by item id.
        objects: Labels of all objects.
    """

    work: WorkList
    manual: tuple[str, ...]
    objects: tuple[str, ...]


def read_world(workspace: Workspace) -> World:
    """Reads the items of a workspace.

    Raises:
        MissingStageError: They have not been built.
    """
    facts, aliases, templates = (workspace.read_items(kind) for kind in ("fact", "alias", "template"))
    names: dict[str, list[str]] = {}
    for entity, text in zip(aliases["entity"].to_pylist(), aliases["text"].to_pylist(), strict=True):
        names.setdefault(str(entity), []).append(str(text))
    answers: Any = pa.array(
        [names.get(str(entity), []) for entity in facts["object"].to_pylist()], pa.list_(pa.string())
    )
    parents = zip(templates["item_id"].to_pylist(), templates["parents"].to_pylist(), strict=True)
    origin = {str(name): str(above[0]) if above else str(name) for name, above in parents}
    work = work_list(Release("", "", False, facts.append_column("object_aliases", answers), aliases, templates))
    return World(
        work,
        tuple(origin[template] for template in work.template_ids),
        tuple(str(label) for label in facts["object_label"].to_pylist()),
    )


@dataclass(frozen=True)
class _Task:
    """Sentences to learn from and to be probed with.

    Attributes:
        mask: The mask token.
        template_word: (vocabulary,) whether a token stands in any template.
    """

    mask: int
    template_word: Mask
    at: Stretch
    prompts: EncodedPrompts
    answers: Answers
    forms: Codes
    shown_pair: Mask
    shown_template: Mask

    def correct(self, row: int) -> Codes:
        """The correct tokens of a sentence."""
        form, pair = self.forms[self.at.template[row]], self.at.pair[row]
        start = self.answers.start[form, pair]
        tokens: Codes = self.answers.tokens[form][start : start + self.answers.count[form, pair]]
        return tokens


def _train(world: World, folder: Path, settings: TinyBertSettings) -> Mapping[str, Any]:
    generator = np.random.default_rng(settings.seed)
    shown_pair, shown_template = _hold_out(world, settings.held_out_pairs, generator)
    tokenizer = make_tokenizer(world, shown_template, settings.vocabulary)
    task = _task(world.work, tokenizer, shown_pair, shown_template)
    model = new_model(len(tokenizer), settings)
    rows = np.flatnonzero(shown_pair[task.at.pair] & shown_template[task.at.template])
    if len(rows) == 0:
        raise InputError("no object of these facts is a single word, so there is nothing to learn")
    with one_thread():
        _learn(model, task, rows, settings, generator)
        accuracy = _probe(model, task, generator)
    save(model, tokenizer, folder)
    held = [template for template, shown in zip(world.work.template_ids, shown_template, strict=True) if not shown]
    counts = {
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "vocabulary": len(tokenizer),
        "sentences": len(rows),
        "held_out_pairs": int((~shown_pair).sum()),
    }
    write_json(folder / NOTE_FILE, {"note": NOTE, **counts, "held_out_templates": held, "accuracy": accuracy})
    return {**counts, "held_out_templates": len(held), "accuracy": accuracy}


def _hold_out(world: World, share: float, generator: np.random.Generator) -> tuple[Mask, Mask]:
    """Which pairs and which templates the model may see; a relation with one manual template keeps it."""
    work = world.work
    shown_pair = np.ones(len(work.pair_number), dtype=bool)
    hidden: set[str] = set()
    for relation in range(len(work.relations)):
        pairs = generator.permutation(np.flatnonzero(work.pair_relation == relation))
        shown_pair[pairs[: int(share * len(pairs))]] = False
        start, count = work.template_start[pairs[0]], work.template_count[pairs[0]]
        manual = sorted(set(world.manual[start : start + count]))
        if len(manual) > 1:
            hidden.add(manual[int(generator.integers(len(manual)))])
    return shown_pair, np.asarray([template not in hidden for template in world.manual], dtype=bool)


def make_tokenizer(world: World, shown_template: Mask, size: int) -> Any:
    """A tokenizer of this world, in which every object that is one word is one token."""
    spaced = not any(script_of(text) in UNSPACED for text in world.work.template_texts)
    split = splitter(spaced=spaced)
    objects = sorted(parts[0] for parts in map(split, set(world.objects)) if len(parts) == 1)
    words = words_of(_texts(world.work, shown_template), spaced=spaced)
    return tokenizer_of(words, size, objects, spaced=spaced)


def _texts(work: WorkList, shown_template: Mask) -> Iterator[str]:
    """Names and templates, each once: what the pieces are learned from."""
    yield from work.alias_texts
    yield from sorted({name for names in work.fact_answers for name in names})
    for text, shown in zip(work.template_texts, shown_template, strict=True):
        if shown:
            yield text.replace(SUBJECT_SLOT, " ").replace(OBJECT_SLOT, " ")


def _task(work: WorkList, tokenizer: Any, shown_pair: Mask, shown_template: Mask) -> _Task:
    usable = np.ones(len(work.template_texts), dtype=bool)
    answers = find_answers(tokenizer, work, usable)
    forms = np.asarray([blank_form(text) for text in work.template_texts], dtype=np.int64)
    at = work.stretch(0, len(work))
    kept = np.flatnonzero(answers.count[forms[at.template], at.pair] > 0)
    kept = kept[:: len(kept) // _MOST_SENTENCES + 1]
    at = Stretch(*(codes[kept] for codes in at))
    prompts = PromptEncoder(tokenizer, "masked", work.template_texts, work.alias_texts).encode(at.template, at.alias)
    words = np.zeros(len(tokenizer), dtype=bool)
    texts = [text.replace(SUBJECT_SLOT, " ").replace(OBJECT_SLOT, " ") for text in work.template_texts]
    words[[token for ids in tokenizer(texts, add_special_tokens=False)["input_ids"] for token in ids]] = True
    return _Task(tokenizer.mask_token_id, words, at, prompts, answers, forms, shown_pair, shown_template)


def _learn(model: Any, task: _Task, rows: Codes, settings: TinyBertSettings, generator: np.random.Generator) -> None:
    """Fits the token at the mask; the head runs there alone. A batch holds sentences of one length."""
    import torch

    def loss_of(batch: Codes) -> Any:
        target = [int(tokens[generator.integers(len(tokens))]) for tokens in map(task.correct, batch.tolist())]
        return torch.nn.functional.cross_entropy(_logits(model, task, batch, generator), torch.tensor(target))

    length = task.prompts.ids.length[task.prompts.distinct[rows]]
    learn(model, by_length(rows, length, settings, generator), loss_of, settings, "tiny BERT, training")


def _logits(model: Any, task: _Task, rows: Codes, generator: np.random.Generator | None = None) -> Any:
    """Logits at the mask of sentences of one length, (rows, vocabulary).

    With a generator, words of the templates go missing, of each sentence another share. What a template says must
    then be gathered from any of its words, and a template never seen is less of a surprise.
    """
    import torch

    block = task.prompts.ids.block(task.prompts.distinct[rows]).astype(np.int64)
    if generator is not None:
        rate = generator.random((len(block), 1)) * _MOST_MISSING
        block[task.template_word[block] & (generator.random(block.shape) < rate)] = UNKNOWN
    ids = torch.from_numpy(block)
    places = (ids == task.mask).int().argmax(dim=1)
    states = model.bert(input_ids=ids).last_hidden_state
    return model.cls(states[torch.arange(len(ids)), places])


def _probe(model: Any, task: _Task, generator: np.random.Generator) -> dict[str, float | None]:
    """Acc@1 on a sample of each part: what was shown, new templates of known pairs, new pairs in known templates."""
    pair, template = task.shown_pair[task.at.pair], task.shown_template[task.at.template]
    parts = {"shown": pair & template, "held_out_templates": pair & ~template, "held_out_pairs": ~pair & template}
    return {name: _accuracy(model, task, np.flatnonzero(part), generator) for name, part in parts.items()}


def _accuracy(model: Any, task: _Task, rows: Codes, generator: np.random.Generator) -> float | None:
    import torch

    if len(rows) == 0:
        return None
    rows = generator.permutation(rows)[:_PROBES]
    length = task.prompts.ids.length[task.prompts.distinct[rows]]
    right = 0
    with torch.inference_mode():
        for one in np.unique(length):
            some = rows[length == one]
            top = _logits(model, task, some).argmax(dim=1).tolist()
            right += sum(token in task.correct(row) for token, row in zip(top, some.tolist(), strict=True))
    return right / len(rows)
