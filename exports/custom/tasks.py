"""What a suite file asks of models, from its section `[evaluate]`; see `exports.tasks`.

The prompt is the file's own. What it cannot say beforehand is read from the released rows: what stands between prompt
and answer, which rows have an answer at all, and the rows that are shown as examples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.custom.suite import CustomSuite
from tashika.core.custom.templating import renderer
from tashika.core.draws import drawn_order
from tashika.core.files import read_table
from tashika.core.prompting import BLANK, LETTER_ALONE, seam
from tashika.core.writing import closes
from tashika.exports.custom.replies import reply_columns
from tashika.exports.tasks.task import Choices, Condition, Kind, Letters, Task

Row = Mapping[str, Any]
_KINDS: Final[Mapping[str, Kind]] = {
    "multiple_choice": "multiple_choice",
    "classification": "multiple_choice",
    "generate": "generate",
    "cloze": "cloze",
}
_MEANINGS: Final[Mapping[str, str]] = {
    "multiple_choice": "one of several options",
    "classification": "one of the labels",
    "generate": "an answer in words",
    "cloze": "the words for a blank",
}


def tasks_of_suite(suite: CustomSuite, folder: Path) -> tuple[Task, ...]:
    """The task of a suite file; none where it asks nothing, a judge scores, or no row has an answer."""
    form, kind = suite.file.evaluate, suite.file.evaluated_kind
    if form is None or kind is None or form.task not in _KINDS:
        return ()
    return _Reader(suite, form, kind).tasks(folder / kind)


@dataclass(frozen=True)
class _Reader:
    """Makes the task of one suite file.

    Attributes:
        suite: The suite.
        form: Its section [evaluate].
        kind: The kind that is asked about.
    """

    suite: CustomSuite
    form: EvaluateForm
    kind: str

    def tasks(self, folder: Path) -> tuple[Task, ...]:
        """The task, by the rows of the kind's folder in a release."""
        rows = self._rows(folder, self.form.split)
        asked = [row for row in rows if self._has_target(row)]
        if not asked or not self._can_be_asked(asked):
            return ()
        where = self._answered() if len(asked) < len(rows) else ()
        if where is None:
            return ()
        return (self._task(asked, where, self._examples(folder)),)

    def _task(self, asked: Sequence[Row], where: tuple[Condition, ...], examples: tuple[Row, ...]) -> Task:
        form = self.form
        kind = _KINDS[form.task]
        choices = self._choices() if kind == "multiple_choice" else None
        template = self._template.rstrip(" ")
        listed = Letters(self._template, form.cue, form.system or LETTER_ALONE) if choices else None
        return Task(
            id=self.suite.name,
            meaning=f"{self.suite.title.rstrip('.')} ({_MEANINGS[form.task]})",
            config=self.kind,
            split=form.split,
            kind=kind,
            input=form.input or "",
            prompt=template,
            target=str(form.target),
            reply=next(iter(reply_columns(self.suite, self.kind)), ""),
            joint=self._joint(asked),
            choices=choices,
            letters=listed,
            by_letter=form.task == "multiple_choice" and form.way == "letter",
            norm=form.norm,
            system=form.system,
            blank=BLANK if kind == "cloze" else "",
            match=form.match,
            pattern=form.pattern,
            max_tokens=form.max_tokens,
            fewshot_split=form.few_shot_split or form.train_split,
            examples=examples,
            where=where,
            metadata=form.by,
        )

    @property
    def _template(self) -> str:
        """The prompt as a template; a line's end behind it is none for our own evaluator."""
        prompt = self.form.prompt
        return f"{{{{ {self.form.input} }}}}" if prompt is None else prompt.removesuffix("\n")

    def _rows(self, folder: Path, split: str | None) -> list[Row]:
        file = folder / f"{split}.parquet"
        return list(read_table(file).to_pylist()) if split and file.is_file() else []

    def _has_target(self, row: Row) -> bool:
        """Whether something is known to be right about a row; see `evaluate.custom.targets`."""
        value = row[str(self.form.target)]
        if value is None or value in ("", []):
            return False
        places = self._places()
        return not (places and places[value] is None)

    def _answered(self) -> tuple[Condition, ...] | None:
        """What holds of the rows alone that have an answer; None where no condition says so."""
        target = str(self.form.target)
        places = self._places()
        if places:
            return ((target, "in", [label for label, place in enumerate(places) if place is not None]),)
        types = self.suite.file.released_columns(self.kind)
        empty: Mapping[str, tuple[str, Any]] = {"string": ("!=", ""), "int32": (">=", 0), "int64": (">=", 0)}
        return ((target, *empty[types[target]]),) if types.get(target) in empty else None

    # --- what is chosen among

    def _labels(self) -> tuple[str, ...]:
        """The labels that people chose among, where their answer is the target."""
        page = self.suite.file.page(self.kind)
        own = self.suite.file.answer_column(self.kind) == self.form.target
        return page.label_names if page and own and self.form.target in {"label", "preferred"} else ()

    def _places(self) -> tuple[int | None, ...]:
        """Of each label its place among the options; empty where the target is no label."""
        if self.form.task == "classification":
            names = list(self.form.labels) or list(self._labels())
        elif self.form.task == "multiple_choice":
            names = list(self.form.choice_columns)
        else:
            return ()
        return tuple(names.index(label) if label in names else None for label in self._labels())

    def _choices(self) -> Choices:
        form = self.form
        if form.task == "classification":
            labels = form.labels or {name: name for name in self._labels()}
            return Choices(words=tuple(labels.values()), places=self._places(), names=tuple(labels))
        if isinstance(form.choices, str):
            return Choices(column=form.choices)
        return Choices(columns=form.choice_columns, places=self._places())

    # --- what is read from the rows

    def _render(self, row: Row) -> str:
        return renderer(self._template, "[evaluate] prompt")(row)

    def _joint(self, asked: Sequence[Row]) -> str:
        """What stands between prompt and answer; of rows that differ in it, what most have."""
        if self.form.task == "cloze":
            texts = [self._render(row).partition(BLANK)[0] for row in asked]
        else:
            texts = [self._render(row) for row in asked]
        return Counter(seam(text)[1] for text in texts).most_common(1)[0][0]

    def _can_be_asked(self, asked: Sequence[Row]) -> bool:
        """A blank must be last in all rows, so that a causal model can fill it."""
        if self.form.task != "cloze":
            return True
        parts = [self._render(row).partition(BLANK) for row in asked]
        return all(blank and closes(behind) for _, blank, behind in parts)

    def _examples(self, folder: Path) -> tuple[Row, ...]:
        """The rows that our own evaluator shows as well."""
        pool = [row for row in self._rows(folder, self.form.few_shot_split) if self._has_target(row)]
        order = drawn_order([str(row["item_id"]) for row in pool], self.form.seed)
        return tuple(pool[place] for place in order[: self.form.few_shot])
