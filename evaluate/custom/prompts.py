"""What a model reads of each question: examples with their answers, the question, and how an answer is joined to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.prompting import BLANK, LABELS_ALONE, LETTER_ALONE, LETTERS, seam
from tashika.evaluate.custom.questions import Item
from tashika.evaluate.ways.local_generation import chat_prefix
from tashika.evaluate.ways.options import Choice, letter_prompt

_BETWEEN: Final = "\n\n"
"""Parts examples from each other and from the question."""

_MISSING: Final = f"Write what stands for {BLANK}, and nothing else."


class Asked(NamedTuple):
    """A question as a model reads it; plain, so that other machines can be sent it.

    Attributes:
        item_id: The item.
        text: What is read, with the examples before it.
        options: What is chosen among, in words.
        names: What the options are called.
        place: The right option.
        answers: The right words.
    """

    item_id: str
    text: str
    options: tuple[str, ...]
    names: tuple[str, ...]
    place: int | None
    answers: tuple[str, ...]

    @property
    def expected(self) -> str | None:
        """The right answer, for a reader."""
        if self.place is not None:
            return self.names[self.place]
        return self.answers[0] if self.answers else None

    @property
    def lettered(self) -> bool:
        """Whether there are letters for all options."""
        return 0 < len(self.options) <= len(LETTERS)


@dataclass(frozen=True)
class Prompter:
    """Makes what is read of questions, all in one way.

    Attributes:
        form: The section [evaluate].
        examples: Items that stand with their answers before each question.
        in_words: Whether the model answers in words, and is told how.
    """

    form: EvaluateForm
    examples: Sequence[Item] = ()
    in_words: bool = False

    @property
    def letters(self) -> bool:
        """Whether options are listed by letter."""
        return self.form.task == "multiple_choice" and (self.in_words or self.form.way == "letter")

    @property
    def system(self) -> str:
        """What a chat model is told before."""
        task = self.form.task
        if self.form.system or not self.in_words or task not in {"multiple_choice", "cloze"}:
            return self.form.system
        return LETTER_ALONE if task == "multiple_choice" else _MISSING

    def asked(self, item: Item) -> Asked:
        """A question as it is read."""
        before = "".join(self._solved(example) + _BETWEEN for example in self.examples)
        target = item.target
        question = item.prompt
        if self.in_words:
            question = self._for_words(item)
        return Asked(item.item_id, before + question, target.options, target.names, target.place, tuple(target.answers))

    def _for_words(self, item: Item) -> str:
        """The question with what may answer it, for a model that sees no list of options else."""
        if self.letters:
            return self._lettered(item)
        if self.form.task == "classification":
            return f"{item.prompt.rstrip()}\n\n{LABELS_ALONE} {', '.join(item.target.options)}."
        return item.prompt

    def _lettered(self, item: Item) -> str:
        return letter_prompt(Choice("", item.prompt, item.target.options), cue=self.form.cue)

    def _solved(self, item: Item) -> str:
        """An example with its answer."""
        target = item.target
        if self.form.task == "cloze" and not self.in_words:
            return item.prompt.replace(BLANK, target.answers[0])
        if self.letters and target.place is not None:
            return f"{self._lettered(item)} {LETTERS[target.place]}"
        answer = target.options[target.place] if target.place is not None else target.answers[0]
        text, joint = seam(self._for_words(item) if self.in_words else item.prompt)
        return text + joint + answer


def read_by(tokenizer: Any, text: str, system: str, *, chat: bool) -> tuple[str, str]:
    """A text as a model on this machine reads it, and what stands between it and its answer.

    Args:
        tokenizer: The model's.
        text: What is read.
        system: What a chat model is told before.
        chat: Whether its chat template is used, where it has one.
    """
    if chat and tokenizer.chat_template:
        return chat_prefix(tokenizer, system, text), ""
    return seam(f"{system}\n\n{text}" if system else text)
