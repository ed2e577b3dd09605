"""The task file of inspect: `eval.yaml` at the root of a release, by which the Hub knows a benchmark too.

Written for and tried with inspect_ai 0.3.285, which opens it with `inspect eval hf/ORG/NAME`. What it does, and what is
written for that reason:

- Unknown keys of a task are refused: all that is ours to say stands in keys that it knows.
- `field_spec.id` is never passed on, and samples are numbered from 1: `item_id` is metadata.
- A target that is a number becomes a letter where there are `choices`, and its digits elsewhere. A list becomes one
  text that no reply equals. So a task has an option's place, or one text.
- Its own `multiple_choice` writes `A) ...` and takes `ANSWER: A` alone. To ask in our evaluator's words,
  `prompt_template` writes the options out, each by its place in the metadata (`{options[0]}`). That takes as many
  options in every row; where rows differ, it is asked in its own way.
- A placeholder without a value stays as it is written: an empty field cannot be filled in.
- What a solver is given wins over the command line: settings of the generation are left to the latter.
- Rows cannot be left out: a task that asks some rows fits only a release that has no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.custom.templating import renderer
from tashika.core.progress import say
from tashika.core.prompting import LABELS_ALONE, LETTERS, seam
from tashika.exports.arrow import compute as pc
from tashika.exports.tasks.lm_eval import LETTER_REPLY
from tashika.exports.tasks.released import tasks_of
from tashika.exports.tasks.task import Choices, Letters, Task, data_file, formatted, slots

if TYPE_CHECKING:
    from tashika.exports.documents import Draft

FILE: Final = "eval.yaml"
_HEADER: Final = "# Tasks of inspect_ai (tried with 0.3.285) and of the Hub's benchmarks; written by tashika.\n"

Values = dict[str, Any]


class Unfit(Exception):  # noqa: N818 - it is no failure of the program
    """A task that inspect cannot be given; the message says why."""


def inspect_files(draft: Draft) -> dict[str, str]:
    """`eval.yaml` with the tasks that fit; nothing where none does. Of those that do not the reason is said."""
    tasks: list[Values] = []
    for task in tasks_of(draft):
        try:
            tasks.append(_entry(draft, task))
        except Unfit as reason:
            say(f"{FILE} has no task {task.id}: {reason}")
    if not tasks:
        return {}
    about = draft.plan.card or draft.suite.card
    values = {
        "name": draft.settings.pretty_name,
        "description": _first_paragraph(about.summary),
        "evaluation_framework": "inspect-ai",
        "tasks": tasks,
    }
    return {FILE: f"{_HEADER}{_yaml(values)}"}


def _first_paragraph(text: str) -> str:
    """As one line; what it ends with announces the next paragraph."""
    line = " ".join(text.strip().split("\n\n")[0].split())
    return f"{line[:-1]}." if line.endswith(":") else line


def _yaml(values: Values) -> str:
    """Texts of several lines stand there line by line."""
    yaml: Any = import_module("yaml")

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        """Of this file."""

    def text(dumper: Any, value: str) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)

    Dumper.add_representer(str, text)
    return str(yaml.dump(values, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=10_000))


def _entry(draft: Draft, task: Task) -> Values:
    """A task as inspect has it.

    Raises:
        Unfit: It cannot have it.
    """
    way = {"multiple_choice": _labels if _chooses_labels(task) else _letters, "generate": _words}.get(task.kind)
    if way is None:
        raise Unfit("its answer is a token at a blank, and inspect has models write replies")
    rows = _Rows(draft, task)
    rows.require_all_asked()
    asked = way(task, rows)
    template, placed = _template(asked.question)
    given = "prompt" if "prompt" in placed else rows.first_text([task.input, *placed, "item_id"])
    target = task.reply or task.target
    choices = {"choices": asked.choices} if asked.choices else {}
    rows.require_filled([target, given, *placed, *asked.shown])
    # A column called `prompt` is the input: in templates that name is the input's, whatever the metadata say.
    metadata = dict.fromkeys(["item_id", *task.metadata, *(name for name in placed if name != "prompt"), *asked.shown])
    whole = _plain(_examples(task, asked)) + template + asked.behind
    told = [{"name": "system_message", "args": {"template": _plain(asked.system)}}] if asked.system else []
    return {
        "id": task.id,
        "config": task.config,
        "split": task.split,
        "field_spec": {
            "input": given,
            "target": target,
            **choices,
            "metadata": list(metadata),
        },
        "solvers": [*told, {"name": "prompt_template", "args": {"template": whole}}, {"name": asked.solver}],
        "scorers": [asked.scorer],
    }


def _chooses_labels(task: Task) -> bool:
    """Whether a model is asked for the words of a label, and not for the letter of one of a row's options."""
    return task.choices is not None and bool(task.choices.words)


# ways of answering ----------------------------------------------------------------------------------------------------


class _Asked(NamedTuple):
    """How a model is asked.

    Attributes:
        question: The template of the prompt, up to what is the same in every row.
        behind: What follows it, as inspect's template.
        system: What is told before.
        scorer: What says whether a reply is right.
        solved: What makes an example's text of its row.
        choices: The columns of options; empty where it has none.
        shown: The same, as columns that the prompt fills in.
        solver: What has the model answer.
    """

    question: str
    behind: str
    system: str
    scorer: Values
    solved: Callable[[Mapping[str, Any]], str]
    choices: str | list[str] = ""
    shown: tuple[str, ...] = ()
    solver: str = "generate"


def _letters(task: Task, rows: _Rows) -> _Asked:
    """A letter that the model writes behind a list of options."""
    choices, letters = task.choices, task.letters
    assert choices is not None
    assert letters is not None
    if not task.reply:
        rows.require_place(choices)
    options = _options(choices, rows)
    if options is None:
        return _own_choice(task, choices, letters)
    lines = [f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False)]
    behind = "\n".join(["", *lines, _plain(letters.cue)])
    scorer = {"name": "pattern", "args": {"pattern": LETTER_REPLY}}
    render = renderer(letters.prompt(choices), task.id)

    def solved(row: Mapping[str, Any]) -> str:
        return f"{render(row)} {row[task.reply] if task.reply else LETTERS[row[task.target]]}"

    columns = choices.column or list(choices.columns)
    shown = (choices.column,) if choices.column else choices.columns
    return _Asked(letters.question, behind, letters.system, scorer, solved, columns, shown)


def _own_choice(task: Task, choices: Choices, letters: Letters) -> _Asked:
    """Inspect's own way with options, for rows that have different numbers of them: `A) ...`, and `ANSWER: A`."""
    if task.examples:
        raise Unfit("its rows have different numbers of options, and stand behind examples")
    return _Asked(letters.question, "", "", {"name": "choice"}, str, choices.column, solver="multiple_choice")


def _labels(task: Task, rows: _Rows) -> _Asked:
    """The words of a label."""
    assert task.choices is not None
    if not task.reply:
        raise Unfit("its labels are numbers, and inspect compares words")
    asked = f"\n\n{LABELS_ALONE} {', '.join(task.choices.words)}."
    scorer = {"name": "match", "args": {"location": "exact"}}
    render = renderer(task.prompt, task.id)

    def solved(row: Mapping[str, Any]) -> str:
        text, joint = seam(render(row).rstrip() + asked)
        return f"{text}{joint}{row[task.reply]}"

    return _Asked(task.prompt.rstrip(), _plain(asked), task.system, scorer, solved)


def _words(task: Task, rows: _Rows) -> _Asked:
    """An answer in words."""
    rows.require_one_text()
    scorers: Mapping[str, Values] = {
        "exact": {"name": "match", "args": {"location": "exact", "ignore_case": False}},
        "normalised": {"name": "match", "args": {"location": "exact"}},
        "contains": {"name": "includes"},
        "number": {"name": "match", "args": {"location": "end", "numeric": True}},
        "pattern": {"name": "pattern", "args": {"pattern": task.pattern, "ignore_case": False}},
    }
    render = renderer(task.prompt, task.id)

    def solved(row: Mapping[str, Any]) -> str:
        text, joint = seam(render(row))
        return f"{text}{joint}{row[task.target]}"

    return _Asked(task.prompt, "", task.system, scorers[task.match], solved)


def _options(choices: Choices, rows: _Rows) -> list[str] | None:
    """The options' placeholders; None where rows have different numbers of them."""
    if not choices.column:
        return [f"{{{name}}}" for name in choices.columns]
    count = rows.options(choices.column)
    return None if count is None else [f"{{{choices.column}[{place}]}}" for place in range(count)]


# templates ------------------------------------------------------------------------------------------------------------


def _template(text: str) -> tuple[str, tuple[str, ...]]:
    """A template as `prompt_template` takes it, and the columns that it fills in.

    Raises:
        Unfit: It does more than that.
    """
    plain, names = formatted(text), slots(text)
    if plain is None or names is None:
        raise Unfit("its prompt is a template with conditions, loops or filters")
    return plain, names


def _examples(task: Task, asked: _Asked) -> str:
    """Rows with their answers, which stand before every question."""
    return "".join(f"{asked.solved(row)}\n\n" for row in task.examples)


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

    def first_text(self, names: Sequence[str]) -> str:
        """The first of these columns that is text: inspect wants one as its input."""
        return next(name for name in names if name and pa.types.is_string(self.column(name).type))

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
            raise Unfit("its right answer is given in words, and inspect takes the letter or the place of an option")

    def require_one_text(self) -> None:
        """The target is one text."""
        kind = self.column(self.task.target).type
        if pa.types.is_list(kind):
            raise Unfit("it has several right answers, of which inspect makes one text")
        if self.task.match != "number" and not pa.types.is_string(kind):
            raise Unfit("its right answer is a number, which inspect writes in its own way")

    def options(self, name: str) -> int | None:
        """How many options every row has; None where that differs.

        Raises:
            Unfit: A row has more than there are letters.
        """
        lengths = pc.min_max(pc.list_value_length(self.column(name))).as_py()
        if lengths["max"] > len(LETTERS):
            raise Unfit(f"a row has {lengths['max']} options, and there are {len(LETTERS)} letters")
        return int(lengths["max"]) if lengths["min"] == lengths["max"] else None
