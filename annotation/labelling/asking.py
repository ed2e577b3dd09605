"""Pages by what people are asked: to vote, to answer a question, to say what an item is, or to write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self
from xml.etree import ElementTree

from tashika.annotation.labelling.page import (
    LEFT,
    RIGHT,
    SEVERAL,
    SIDES_SEED,
    Page,
    Row,
    no_objection,
    training_title,
)
from tashika.annotation.wording.dressing import HOTKEYS
from tashika.core.draws import Draw
from tashika.core.workspace import Workspace

Drawer = Callable[[Row, str, float, int], Sequence[str] | None]
"""The words that a simulated annotator types: of an item, its name, error rate and seed; None for a skip."""


class Lemmatiser(NamedTuple):
    """What reduces the words of answers to their lemmas.

    Attributes:
        name: Such as wordnet.
        version: Of its data.
        lemma: The lemma of a word, or the word itself.
    """

    name: str
    version: str
    lemma: Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class ChoicePage(Page):
    """A page on which one of several choices is taken.

    Attributes:
        choices: Each choice of the page and how it counts: `FOR`, `AGAINST` or `NEITHER`.
        choice_control: The name of the `Choices` in the XML.
        agreement_by: The column by whose values the agreement of two people is reported; None for no such table.
        agreement_parts: Columns by whose values together it is reported beside that.
    """

    choices: Mapping[str, int]
    choice_control: str = "verdict"
    agreement_by: str | None = None
    agreement_parts: tuple[str, ...] = ()

    @property
    def main_control(self) -> tuple[str, str]:
        """The choices."""
        return "Choices", self.choice_control

    @property
    def controls(self) -> list[tuple[str, str]]:
        """The choices, and the field for text if there is one."""
        return [(self.choice_control, "choices"), *super().controls]

    @property
    def shown_choices(self) -> list[str]:
        """All choices."""
        return list(self.choices)

    @cached_property
    def words_on_page(self) -> Mapping[str, str]:
        """What the page shows for each choice, in its language."""
        tag, name = self.main_control
        control = ElementTree.fromstring(self.xml).find(f".//{tag}[@name='{name}']")
        shown = control.iter("Choice") if control is not None else ()
        words = [(choice.get("alias", ""), choice.get("value", "")) for choice in shown]
        return {alias or value: value for alias, value in words}

    @property
    def decides(self) -> bool:
        """Where one choice is the answer, each has a key, and the settings do not speak against it."""
        return self.look.one_key and self.text_control is None and len(self.choices) <= len(HOTKEYS)


@dataclass(frozen=True, kw_only=True)
class VotePage(ChoicePage):
    """A page on which people vote for or against an item, and may correct its text where there is a field for it.

    Attributes:
        plausible: Stands in for a person's judgment of an item (and its parents) in a simulation, and nowhere else.
        check_against: Says what is wrong with a correction of the task that shows this data, or None.
        text_column: The column of the item that a correction replaces.
    """

    plausible: Callable[[Row, Sequence[Row]], bool]
    check_against: Callable[[str, Row], str | None] = field(default=no_objection)
    text_column: str = "text"

    def choice_that_counts(self, vote: int) -> str:
        """The first choice that counts as `vote`."""
        return next(choice for choice, counts in self.choices.items() if counts == vote)


@dataclass(frozen=True, kw_only=True)
class AnswerPage(ChoicePage):
    """A page whose choices answer a question: people's accuracy is measured, and nothing is voted.

    See `annotation.votes.answers`.

    Attributes:
        right_choice: Gives an item's right choice.
    """

    right_choice: Callable[[Row], str]


@dataclass(frozen=True, kw_only=True)
class FormPage(ChoicePage):
    """A page whose choices say what an item is: its label, its labels, a point on a scale, or what is preferred.

    Attributes:
        labels: What an answer may be in `records.JUDGMENT`, in the order of the page.
        words: The choice of the page for each label that is not its own name.
    """

    labels: tuple[str, ...]
    words: Mapping[str, str] = field(default_factory=dict)

    def label_of(self, choice: str, _data: Row) -> str | None:
        """The label that a choice stands for, on a task that shows this data; None for an unknown choice."""
        return next((label for label in self.labels if self.words.get(label, label) == choice), None)

    def choice_of(self, label: str, _item_id: str) -> str:
        """The choice that stands for a label, on the task of an item."""
        return self.words.get(label, label)

    def parts(self, label: str) -> list[str]:
        """The labels that a judgment names: one, unless people may take several."""
        return [label]


@dataclass(frozen=True, kw_only=True)
class LabelPage(FormPage):
    """A page on which people give an item one of several labels."""


@dataclass(frozen=True, kw_only=True)
class LabelsPage(FormPage):
    """A page on which people give an item one label or more; in a judgment they are joined, see `SEVERAL`."""

    @property
    def decides(self) -> bool:
        """Never: there may be more labels to come."""
        return False

    def joined(self, labels: Iterable[str]) -> str:
        """The labels in the order of the page, as a judgment and a verdict have them."""
        taken = set(labels)
        return SEVERAL.join(label for label in self.labels if label in taken)

    def parts(self, label: str) -> list[str]:
        """The labels that are joined."""
        return label.split(SEVERAL)


@dataclass(frozen=True, kw_only=True)
class RatingPage(FormPage):
    """A page on which people take a point of a scale; the labels are its points, from least to most."""

    def value(self, point: str) -> int:
        """The number of a point: its place on the scale, from 1."""
        return self.labels.index(point) + 1


@dataclass(frozen=True, kw_only=True)
class PreferencePage(FormPage):
    """A page on which two texts of an item stand side by side, and people say which they prefer.

    The labels are the two columns, and the third is `neither` where people may prefer neither. Which column stands on
    the left is drawn for each item, so the choices are the sides.

    Attributes:
        between: The two columns.
        seed: Draws the sides. A task carries the seed that its sides were drawn with, so that an answer is read rightly
            after the settings have changed.
        systems: The columns that name who wrote each text; None to compare the columns themselves.
    """

    between: tuple[str, str]
    seed: int = 0
    systems: tuple[str, str] | None = None

    def sides(self, item_id: str, seed: int | None = None) -> dict[str, str]:
        """The column of each side, and what stands for neither.

        Args:
            item_id: The item.
            seed: The seed of the draw; the page's own by default.
        """
        drawn = Draw(self.seed if seed is None else seed, f"sides {item_id}").below(2)
        first, second = self.between[::-1] if drawn else self.between
        return {LEFT: first, RIGHT: second, **{label: label for label in self.labels[2:]}}

    def label_of(self, choice: str, data: Row) -> str | None:
        """The column that stands on the chosen side of a task."""
        seed = data.get(SIDES_SEED)
        drawn = self.sides(str(data.get("item_id", "")), seed if isinstance(seed, int) else None)
        return drawn.get(choice)

    def choice_of(self, label: str, item_id: str) -> str:
        """The side on which a column stands."""
        return next(side for side, column in self.sides(item_id).items() if column == label)


@dataclass(frozen=True, kw_only=True)
class TextPage(Page):
    """A page on which people write a text, which is collected as it is: nothing is voted.

    Attributes:
        required: Whether an empty answer is none.
    """

    required: bool = True

    @property
    def main_control(self) -> tuple[str, str]:
        """The field for the text."""
        return "TextArea", str(self.text_control)


@dataclass(frozen=True, kw_only=True)
class WordsPage(Page):
    """A page on which people answer in words: the answers are collected, and nothing is voted.

    Attributes:
        words: Makes what stands in for a person's words in a simulation, and nowhere else.
        parted_by: The column of numbers that parts the items over projects of their own; None for one project. The
            community edition of Label Studio cannot say who gets which task, but who opens which project can be agreed.
        once: The columns whose values together a person should meet once, in whatever part.
        lemmatiser: Opens what reduces the words of answers to their lemmas; None leaves them as they were typed.
        take_over: Adds the answers of a published file to the judgments: of the workspace, the page, the file, and
            whether they are a program's; gives how many were new. None where no such files are known.
    """

    words: Callable[[Workspace], Drawer]
    parted_by: str | None = None
    once: tuple[str, ...] = ()
    lemmatiser: Callable[[], Lemmatiser] | None = None
    take_over: Callable[[Workspace, Page, Path, bool], int] | None = None

    def of_part(self, number: int) -> Self:
        """The page of one part, which has a project of its own."""
        if self.parted_by is None:
            return super().of_part(number)
        return replace(self, title=f"{self.title}, {self.parted_by} {number}", part=number)

    def for_project(self, title: str) -> Self | None:
        """The page of the project with that heading, of the kind or of a part of it; None for any other project."""
        if self.parted_by is None or title in {self.title, training_title(self.title)}:
            return super().for_project(title)
        start, _, number = title.rpartition(" ")
        parted = self.part is None and start == f"{self.title}, {self.parted_by}"
        return self.of_part(int(number)) if parted and number.isascii() and number.isdigit() else None

    @property
    def main_control(self) -> tuple[str, str]:
        """The field for the words."""
        return "TextArea", str(self.text_control)

    def open_lemmatiser(self) -> Lemmatiser:
        """What reduces the words of answers to their lemmas; words stay as they are where the page names none.

        Raises:
            InputError: It is not installed.
        """
        return self.lemmatiser() if self.lemmatiser else Lemmatiser("words", "as typed", str)


def choice_pages(pages: Sequence[Page]) -> list[ChoicePage]:
    """Those of the pages on which people vote, or answer a question whose answer is known."""
    return [page for page in pages if isinstance(page, VotePage | AnswerPage)]


def form_pages(pages: Sequence[Page]) -> list[FormPage | TextPage]:
    """Those of the pages on which people say what an item is, see `annotation.votes.forms`."""
    return [page for page in pages if isinstance(page, FormPage | TextPage)]


def words_pages(pages: Sequence[Page]) -> list[WordsPage]:
    """Those of the pages on which people answer in words."""
    return [page for page in pages if isinstance(page, WordsPage)]
