"""The release of a suite file as questions: the rows of one part, each with what is read to a model and its target."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.custom.suite import CustomSuite
from tashika.core.custom.templating import renderer, template_problem
from tashika.core.draws import drawn_order
from tashika.core.errors import InputError
from tashika.core.files import read_table
from tashika.core.prompting import BLANK
from tashika.evaluate.custom.targets import NoTarget, Target, TargetReader
from tashika.evaluate.release_tables import AGAIN, Identity, read_identity

CLASSES: Final = ("label", "preferred")
"""Columns of people's answers that hold the place of a label."""


@dataclass(frozen=True)
class Item:
    """A released item as a question.

    Attributes:
        item_id: Its id.
        row: Its columns; labels stand there by their names.
        prompt: What a model reads, without examples before it.
        target: Its options and what is right.
        votes: How many people chose each of the target's names, then each label that is none of them; empty where
            the target is not what people chose, or the release does not say.
    """

    item_id: str
    row: Mapping[str, Any]
    prompt: str
    target: Target
    votes: tuple[int, ...] = ()


@dataclass(frozen=True)
class CustomRelease:
    """A release, as far as models are asked about it.

    Attributes:
        version: Of the release.
        digest: Of its content.
        simulated: Whether programs played the people who judged it.
        kind: The kind that is asked about.
        file: The part that is asked.
        items: Its items that have a target, in the file's order.
        untargeted: How many have none, by reason.
        pool: Items of another part, which examples are drawn from.
        training: Items of the parts that a masked model learns from and is stopped by; empty where there are none.
        training_files: Those parts.
        label_names: What people chose among, where the target is their answer.
    """

    version: str
    digest: str
    simulated: bool
    kind: str
    file: Path
    items: tuple[Item, ...]
    untargeted: Mapping[str, int]
    pool: tuple[Item, ...] = ()
    label_names: tuple[str, ...] = ()
    training: tuple[tuple[Item, ...], ...] = ()
    training_files: tuple[Path, ...] = ()

    def drawn(self, limit: int | None, seed: int) -> tuple[Item, ...]:
        """Some items in their order; which depends on their ids and the seed alone.

        Args:
            limit: How many; None for all.
            seed: Of the draw.
        """
        if limit is None or limit >= len(self.items):
            return self.items
        kept = set(drawn_order([item.item_id for item in self.items], seed)[:limit])
        return tuple(item for place, item in enumerate(self.items) if place in kept)

    def examples(self, count: int, seed: int) -> tuple[Item, ...]:
        """The items that stand with their answers before each question, the same ones before all.

        Raises:
            InputError: There are not so many.
        """
        if count > len(self.pool):
            raise InputError(
                f"few_shot is {count}, and the part that examples are drawn from has {len(self.pool)} with an answer",
                hint="Lower `few_shot` in [evaluate], or draw from a larger part.",
            )
        order = drawn_order([item.item_id for item in self.pool], seed)
        return tuple(self.pool[place] for place in order[:count])


def part_file(kind: str, split: str) -> str:
    """The path of a part of a kind in a release."""
    return f"{kind}/{split}.parquet"


def release_file(folder: Path, kind: str, split: str) -> Path:
    """Where a part of a kind lies in a release."""
    return folder / part_file(kind, split)


def read_release(suite: CustomSuite, folder: Path) -> CustomRelease:
    """Reads what `[evaluate]` asks about.

    Raises:
        MissingStageError: There is no release.
        InputError: A part is missing, broken, changed or empty, lacks a column, or an item cannot be asked.
    """
    form, kind = suite.file.evaluate, suite.file.evaluated_kind
    assert form is not None
    assert kind is not None
    identity = read_identity(folder, part_file(kind, form.split), f"Run `tashika export {suite.argument}` first.")
    reader = _Reader(suite, form, kind)
    items, untargeted = reader.read(identity, form.split)
    pool = reader.read(identity, form.few_shot_split)[0] if form.few_shot_split else ()
    return CustomRelease(
        identity.version,
        identity.digest,
        identity.simulated,
        kind,
        release_file(folder, kind, form.split),
        items,
        untargeted,
        pool,
        reader.names if form.target == suite.file.answer_column(kind) else (),
        tuple(reader.read(identity, split)[0] for split in form.training_splits),
        tuple(release_file(folder, kind, split) for split in form.training_splits),
    )


class _Reader:
    """Reads parts of a kind, all in one way.

    Attributes:
        names: What people chose among; empty where they chose among nothing.
    """

    def __init__(self, suite: CustomSuite, form: EvaluateForm, kind: str) -> None:
        page = suite.file.page(kind)
        self._form, self._kind, self._argument = form, kind, suite.argument
        self._answer = suite.file.answer_column(kind)
        self.names = page.label_names if page and self._answer else ()
        self._target = TargetReader(form, self.names if form.target == self._answer else ())

    def read(self, identity: Identity, split: str) -> tuple[tuple[Item, ...], dict[str, int]]:
        """The items of a part that have a target, and how many have none, by reason."""
        file = identity.file(part_file(self._kind, split))
        if not file.is_file():
            parts = sorted(path.stem for path in file.parent.glob("*.parquet"))
            raise InputError(
                f"the release has no part {split!r} of the kind {self._kind}; it has {', '.join(parts) or 'none'}",
                where=str(file),
                hint=f"Name another part in [evaluate], or run `tashika export {self._argument}` again.",
            )
        table = read_table(file)
        self._check(table, file)
        render = self._renderer()
        items: list[Item] = []
        without: dict[str, int] = {}
        seen: set[str] = set()
        for row in (row for batch in table.to_batches() for row in batch.to_pylist()):
            item_id = str(row["item_id"])
            if item_id in seen:
                raise InputError("the same id stands above", where=f"{file}, {item_id}", hint=AGAIN)
            seen.add(item_id)
            try:
                items.append(self._item(row, item_id, render))
            except NoTarget as none:
                without[str(none)] = without.get(str(none), 0) + 1
            except InputError as error:
                raise InputError(error.message, where=f"{file}, {item_id}", hint=error.hint) from error
        if not items:
            reasons = "; ".join(f"{count:,} {reason}" for reason, count in without.items())
            raise InputError(
                f"there is nothing to ask about: {reasons or 'the part is empty'}",
                where=str(file),
                hint="Name another part in [evaluate], or export a release with more items.",
            )
        return tuple(items), without

    def _check(self, table: pa.Table, file: Path) -> None:
        form, columns = self._form, table.column_names
        needed = ["item_id", form.input, form.target, *form.choice_columns, *form.by]
        for name in needed:
            if name is not None and name not in columns:
                found = ", ".join(columns)
                raise InputError(f"the column {name!r} is missing; found {found}", where=str(file), hint=AGAIN)
        for text, names in ((form.prompt, columns), (form.rubric, [*columns, "reply"])):
            problem = template_problem(text, names) if text is not None else None
            if problem:
                raise InputError(problem, where=str(file), hint=AGAIN)
        written = _written_names(table, self._answer) if self._answer in CLASSES else None
        if written is not None and written != self.names:
            raise InputError(
                f"the release's {self._answer} is one of {', '.join(written)}, and the suite file's of "
                f"{', '.join(self.names)}",
                where=str(file),
                hint=AGAIN,
            )

    def _renderer(self) -> Callable[[Mapping[str, Any]], str]:
        if self._form.prompt is not None:
            return renderer(self._form.prompt, "[evaluate] prompt")
        name = str(self._form.input)
        return lambda row: "" if row[name] is None else str(row[name])

    def _named(self, place: int) -> str:
        if not 0 <= place < len(self.names):
            raise InputError(f"{self._answer} is {place}, and there are {len(self.names)} labels", hint=AGAIN)
        return self.names[place]

    def _item(self, row: dict[str, Any], item_id: str, render: Callable[[Mapping[str, Any]], str]) -> Item:
        if self._answer in CLASSES and row.get(self._answer) is not None:
            row[self._answer] = self._named(row[self._answer])
        prompt = render(row)
        if not prompt.strip():
            raise InputError("the question is empty", hint="Correct `input` or `prompt` in [evaluate], or the items.")
        if self._form.task == "cloze" and prompt.count(BLANK) != 1:
            found = prompt.count(BLANK)
            raise InputError(f"found {found} blanks, expected one {BLANK}", hint="A cloze marks its blank so.")
        target = self._target.of(row)
        return Item(item_id, row, prompt, target, self._votes(row, target))

    def _votes(self, row: Mapping[str, Any], target: Target) -> tuple[int, ...]:
        votes = row.get("votes") or []
        if self._form.target != self._answer or len(votes) != len(self.names) or set(target.names) - set(self.names):
            return ()
        order = [*target.names, *(name for name in self.names if name not in target.names)]
        return tuple(int(votes[self.names.index(name)]) for name in order)


def _written_names(table: pa.Table, column: str | None) -> tuple[str, ...] | None:
    """The names of a ClassLabel that the table itself tells; None where it tells none."""
    told = (table.schema.metadata or {}).get(b"huggingface")
    if told is None:
        return None
    try:
        names = json.loads(told)["info"]["features"][column]["names"]
    except (ValueError, KeyError, TypeError):
        return None
    return tuple(map(str, names))
