"""The task file of inspect: `eval.yaml` at the root of a release, by which the Hub knows a benchmark too.

Written for and tried with inspect_ai 0.3.285, which opens it with `inspect eval hf/ORG/NAME`. What it does, and what is
written for that reason:

- Unknown keys of a task are refused: all that is ours to say stands in keys that it knows.
- `field_spec.id` is never passed on, and samples are numbered from 1: `item_id` is metadata.
- A target that is a number becomes a letter where there are `choices`, and its digits elsewhere. A list becomes one text
  that no reply equals. So a task has an option's place, or one text.
- Its own `multiple_choice` writes `A) ...` and takes `ANSWER: A` alone. To ask in our evaluator's words,
  `prompt_template` writes the options out, each by its place in the metadata (`{options[0]}`). That takes as many
  options in every row.
- A placeholder without a value stays as it is written: an empty field cannot be filled in.
- What a solver is given wins over the command line: settings of the generation are left to the latter.
- Rows cannot be left out: a task that asks some rows fits only a release that has no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.prompting import LETTERS
from tashika.exports.arrow import compute as pc
from tashika.exports.tasks.lm_eval import LETTER_REPLY
from tashika.exports.tasks.released import tasks_of
from tashika.exports.tasks.task import Choices, Task, data_file, formatted, slots

if TYPE_CHECKING:
    from tashika.exports.documents import Draft

FILE: Final = "eval.yaml"
_HEADER: Final = "# Tasks of inspect_ai (tried with 0.3.285) and of the Hub's benchmarks; written by tashika.\n"
_FIRST_PARAGRAPH: Final = "\n\n"

Values = dict[str, Any]


class Unfit(Exception):  # noqa: N818 - it is no failure of the program
    """A task that inspect cannot be given; the message says why."""


def inspect_files(draft: Draft) -> dict[str, str]:
    """`eval.yaml` with the tasks that fit; nothing where none does."""
    tasks = [entry for _, entry in _entries(draft) if not isinstance(entry, Unfit)]
    if not tasks:
        return {}
    about = draft.plan.card or draft.suite.card
    values = {
        "name": draft.settings.pretty_name,
        "description": " ".join(about.summary.split(_FIRST_PARAGRAPH)[0].split()),
        "evaluation_framework": "inspect-ai",
        "tasks": tasks,
    }
    text = import_module("yaml").safe_dump(values, allow_unicode=True, sort_keys=False, width=10_000)
    return {FILE: f"{_HEADER}{text}"}


def unfit_tasks(draft: Draft) -> dict[str, str]:
    """The tasks that inspect cannot be given, each with the reason."""
    return {task.id: str(entry) for task, entry in _entries(draft) if isinstance(entry, Unfit)}


def _entries(draft: Draft) -> list[tuple[Task, Values | Unfit]]:
    entries: list[tuple[Task, Values | Unfit]] = []
    for task in tasks_of(draft):
        try:
            entries.append((task, _entry(draft, task)))
        except Unfit as reason:
            entries.append((task, reason))
    return entries


def _entry(draft: Draft, task: Task) -> Values:
    """A task as inspect has it.

    Raises:
        Unfit: It cannot have it.
    """
    _require_expressible(task)
    rows = _Rows(draft, task)
    rows.require_all_asked()
    rows.require_text(task.input)
    way = {"multiple_choice": _letters, "generate": _words}.get(task.kind)
    if way is None:
        raise Unfit("its answer is a token at a blank, and inspect has models write replies")
    template, system, choices, scorer = way(task, rows)
    placed = tuple(dict.fromkeys([*slots_of(task), *((task.choices.column,) if task.choices else ())]))
    rows.require_filled([task.target, *filter(None, placed)])
    metadata = dict.fromkeys(["item_id", *task.metadata, *(name for name in placed if name and name != task.input)])
    metadata |= dict.fromkeys(task.choices.columns if task.choices else ())
    spec: Values = {"input": task.input, "target": task.target, "metadata": list(metadata)}
    system_message = [{"name": "system_message", "args": {"template": _plain(system)}}] if system else []
    return {
        "id": task.id,
        "config": task.config,
        "split": task.split,
        "field_spec": {**spec, **({"choices": choices} if choices else {})},
        "solvers": [
            *system_message,
            {"name": "prompt_template", "args": {"template": template}},
            {"name": "generate"},
        ],
        "scorers": [scorer],
    }


def slots_of(task: Task) -> tuple[str, ...]:
    """The columns that a task's prompt fills in."""
    return slots(task.letters.question if task.letters else task.prompt) or ()


def _require_expressible(task: Task) -> None:
    if formatted(task.letters.question if task.letters else task.prompt) is None:
        raise Unfit("its prompt is a template with conditions, loops or filters")
    if task.examples:
        raise Unfit("its questions stand behind examples with their answers")


# ways of answering ----------------------------------------------------------------------------------------------------

Way = tuple[str, str, str | list[str] | None, Values]
"""Template of the prompt, what is told before it, the columns of options, the scorer."""


def _letters(task: Task, rows: _Rows) -> Way:
    """A letter that the model writes behind a list of options."""
    choices, letters = task.choices, task.letters
    assert choices is not None
    assert letters is not None
    rows.require_place(choices)
    shown, columns = _shown_options(task, choices, rows)
    lines = [f"{letter}. {option}" for letter, option in zip(LETTERS, shown, strict=False)]
    template = "\n".join([_template(letters.question, task), *lines, _plain(letters.cue)])
    return template, letters.system, columns, {"name": "pattern", "args": {"pattern": LETTER_REPLY}}


def _shown_options(task: Task, choices: Choices, rows: _Rows) -> tuple[list[str], str | list[str]]:
    """The options' placeholders, and the columns that make a letter of the target's place."""
    if choices.column:
        return [f"{{{choices.column}[{place}]}}" for place in range(rows.options(choices.column))], choices.column
    if choices.columns:
        return [f"{{{name}}}" for name in choices.columns], list(choices.columns)
    # Whatever is named: that there are choices is what makes a letter of a number.
    return [_plain(word) for word in choices.words], [task.input]


def _words(task: Task, rows: _Rows) -> Way:
    """An answer in words."""
    rows.require_one_text()
    scorers: Mapping[str, Values] = {
        "exact": {"name": "match", "args": {"location": "exact", "ignore_case": False}},
        "normalised": {"name": "match", "args": {"location": "exact"}},
        "contains": {"name": "includes"},
        "number": {"name": "match", "args": {"location": "end", "numeric": True}},
        "pattern": {"name": "pattern", "args": {"pattern": task.pattern, "ignore_case": False}},
    }
    return _template(task.prompt, task), task.system, None, scorers[task.match]


def _template(template: str, task: Task) -> str:
    """The template for `prompt_template`; the input is its `{prompt}`."""
    text = formatted(template)
    assert text is not None
    return text.replace(f"{{{task.input}}}", "{prompt}")


def _plain(text: str) -> str:
    """Text that a template of inspect leaves as it is."""
    return text.replace("{", "{{").replace("}", "}}")


# rows -----------------------------------------------------------------------------------------------------------------


class _Rows:
    """The rows of the part that a task asks, column by column."""

    def __init__(self, draft: Draft, task: Task) -> None:
        self.task = task
        config = draft.suite.configs[task.config]
        self._files = sorted(draft.folder.glob(data_file(config, task.split)))

    def column(self, name: str) -> pa.ChunkedArray[Any]:
        """A column of all files."""
        return pa.concat_tables([pq.read_table(file, columns=[name]) for file in self._files]).column(name)

    def require_all_asked(self) -> None:
        """Every row must be one that the task asks."""
        holds = {"==": pc.equal, "!=": pc.not_equal}
        for name, operator, value in self.task.where:
            column = self.column(name)
            kept = pc.is_in(column, value_set=pa.array(value)) if operator == "in" else holds[operator](column, value)
            if not pc.all(pc.fill_null(kept, False)).as_py():
                raise Unfit("it asks some of the rows, and inspect asks all")

    def require_text(self, name: str) -> None:
        """The input is a text."""
        if not pa.types.is_string(self.column(name).type):
            raise Unfit(f"its input {name} is no text")

    def require_filled(self, names: list[str]) -> None:
        """No field of these columns is empty."""
        for name in dict.fromkeys(names):
            if self.column(name).null_count:
                raise Unfit(f"the column {name} has empty fields")

    def require_place(self, choices: Choices) -> None:
        """The target is the place of an option."""
        if choices.places and any(place != number for number, place in enumerate(choices.places) if place is not None):
            raise Unfit("its labels stand in another order than its options")
        if not pa.types.is_integer(self.column(self.task.target).type):
            raise Unfit("its right answer is told in words, and inspect takes the letter or the place of an option")

    def require_one_text(self) -> None:
        """The target is one text."""
        kind = self.column(self.task.target).type
        if pa.types.is_list(kind):
            raise Unfit("it has several right answers, of which inspect makes one text")
        if self.task.match != "number" and not pa.types.is_string(kind):
            raise Unfit("its right answer is a number, which inspect writes in its own way")

    def options(self, name: str) -> int:
        """How many options every row has."""
        lengths = pc.min_max(pc.list_value_length(self.column(name))).as_py()
        if lengths["min"] != lengths["max"]:
            raise Unfit(f"its rows have {lengths['min']} to {lengths['max']} options")
        return int(lengths["max"])
