"""What a suite asks of a configuration of its release, said once; every format of task files is written from it.

Prompts are Jinja templates over the columns of a row, in the very words that our own evaluator uses, so that another
program's numbers can equal ours. They use nothing of Jinja but what any program with it has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from tashika.core.prompting import LETTERS
from tashika.exports.schema import Config

Kind = Literal["multiple_choice", "generate", "cloze"]
Norm = Literal["none", "character", "token"]
Match = Literal["exact", "normalised", "contains", "pattern", "number"]
Condition = tuple[str, str, Any]
"""A column, one of `==`, `!=`, `in`, and a value: rows that it does not hold for are not asked."""

_SLOT: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True)
class Choices:
    """What is chosen among; one of the first three is given.

    Attributes:
        column: The column with the list of options.
        columns: Columns with an option each.
        words: The same options for all rows.
        places: The place among the options of each value of the target, where that is a label; None where a label is
            no option (people preferred none). Empty where the target is a place already, or one of the options' words.
        names: What `words` are called in the target, where it is a text.
    """

    column: str = ""
    columns: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    places: tuple[int | None, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def expression(self) -> str:
        """The options as a Jinja expression that is a list."""
        if self.column:
            return self.column
        entries = self.columns or tuple(quoted(word) for word in self.words)
        return f"[{', '.join(entries)}]"


@dataclass(frozen=True)
class Letters:
    """How options are listed by letter, for a model that answers in words.

    Attributes:
        question: The template of what stands before the options.
        cue: The last line.
        system: What a chat model is told before.
    """

    question: str
    cue: str
    system: str = ""

    def prompt(self, choices: Choices) -> str:
        """The template of the whole prompt: question, a line an option (`A. ...`), cue."""
        loop = f"{{% for option in {choices.expression} %}}"
        line = f"{{{{ {quoted(LETTERS)}[loop.index0] }}}}. {{{{ option }}}}\n"
        return f"{self.question}\n{loop}{line}{{% endfor %}}{self.cue}"


@dataclass(frozen=True)
class Task:
    """A task over one part of one configuration.

    Attributes:
        id: Its name in every program; begins with the suite's.
        meaning: What it asks, one sentence without its full stop.
        config: The configuration of the release.
        split: The part that is asked.
        kind: `multiple_choice`: one of several options, by the likelihood of its words behind the prompt, or by its
            letter. `generate`: an answer in words. `cloze`: the words for a blank at the end.
        input: The column that holds the question itself, for programs that have no templates.
        prompt: The template of what is read, up to where the answer begins; of a cloze with its blank.
        target: The column with what is right: the place of an option from 0, a label, or words (one text or a list).
        reply: The column with the text of a right reply, where the target is no such text, nor a place: the letter of
            the right option, or the words of a label. Empty elsewhere.
        joint: What stands between prompt and answer; nothing in a language without spaces. It belongs to the answer.
        choices: What is chosen among; None with other kinds.
        letters: How options are listed by letter; None with other kinds.
        by_letter: Whether our own evaluator takes the likelihood of the letter, and not that of the words.
        norm: What our own evaluator divides an option's likelihood by.
        system: What a model is told before a prompt that lists no letters; may be empty.
        blank: What marks the blank of a cloze.
        match: When an answer in words is right.
        pattern: The regular expression whose first group is the answer, with match = "pattern".
        max_tokens: Of an answer in words.
        fewshot_split: A part that examples may be drawn from; None where there is none.
        examples: Rows that stand with their answers before each question, the same for all.
        where: Which rows are asked; all of these must hold.
        metadata: Columns beside `item_id` that tell questions apart in a log.
        version: Of the wording: raise it when the same model would get other numbers.
    """

    id: str
    meaning: str
    config: str
    split: str
    kind: Kind
    input: str
    prompt: str
    target: str
    reply: str = ""
    joint: str = " "
    choices: Choices | None = None
    letters: Letters | None = None
    by_letter: bool = False
    norm: Norm = "character"
    system: str = ""
    blank: str = ""
    match: Match = "exact"
    pattern: str | None = None
    max_tokens: int = 32
    fewshot_split: str | None = None
    examples: tuple[Mapping[str, Any], ...] = ()
    where: tuple[Condition, ...] = ()
    metadata: tuple[str, ...] = ()
    version: int = 1

    def __post_init__(self) -> None:
        if (self.kind == "multiple_choice") != (self.choices is not None and self.letters is not None):
            raise ValueError(f"the task {self.id}: choices and letters go with multiple_choice, and only with it")
        if (self.kind == "cloze") != bool(self.blank):
            raise ValueError(f"the task {self.id}: a blank goes with cloze, and only with it")


def data_file(config: Config, split: str) -> str:
    """Where the rows of a part lie in the release; a pattern where a configuration is one part in several files."""
    name = "*" if len(config.splits) == 1 else split
    return f"{config.folder}/{name}.parquet"


def place_expression(task: Task, config: Config) -> str:
    """The place of the right option as an expression."""
    assert task.choices is not None
    if task.choices.places:
        places = ", ".join("none" if place is None else str(place) for place in task.choices.places)
        return f"[{places}][{task.target}]"
    if config.columns[task.target].type != "string":
        return task.target
    if task.choices.names:
        return f"{Choices(words=task.choices.names).expression}.index({task.target})"
    return f"{task.choices.expression}.index({task.target})"


def slots(template: str) -> tuple[str, ...] | None:
    """The columns that a template fills in, in their order; None where it does more than that."""
    rest = _SLOT.sub("", template)
    return None if "{{" in rest or "{%" in rest or "{#" in rest else tuple(_SLOT.findall(template))


def formatted(template: str) -> str | None:
    """The template for `str.format`: `{column}` in place of `{{ column }}`; None where it is more than slots."""
    if slots(template) is None:
        return None
    parts = _SLOT.split(template)
    plain = [part.replace("{", "{{").replace("}", "}}") for part in parts[::2]]
    names = [f"{{{name}}}" for name in parts[1::2]]
    return "".join(text for pair in zip(plain, [*names, ""], strict=True) for text in pair)


def quoted(text: str) -> str:
    """Text as a string of Jinja's."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
