"""The labelling page of one kind of item: what every page has, whatever people are asked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any, Self
from xml.etree import ElementTree

from tashika.annotation.wording.dressing import dress, worded
from tashika.annotation.wording.guidelines import guidelines_html
from tashika.annotation.wording.words import Look, PageWords, page_words

Row = Mapping[str, Any]
"""One row of an item table."""

FOR, AGAINST, NEITHER = 1, -1, 0
"""How a choice counts."""

LEFT, RIGHT = "left", "right"
"""The choices of a preference, whose sides are drawn."""

SEVERAL = "\n"
"""What stands between the labels of an item that has several."""

SIDES_SEED = "sides_seed"
"""The name that a task has for the seed of its sides."""

LONGEST_TITLE = 50
"""Characters that Label Studio takes for the heading of a project."""

_PART = re.compile(r", part ([1-9][0-9]{0,3})/([1-9][0-9]{0,3})$")

LONGEST_TEXT = 2_000
"""Characters; what is longer was not typed into a field for a correction or an answer."""


def fitting_title(title: str, longest: int = LONGEST_TITLE) -> str:
    """The heading of a project; what is too long for Label Studio ends in a digest of it."""
    if len(title) <= longest:
        return title
    digest = hashlib.sha256(title.encode()).hexdigest()[:8]
    return f"{title[: longest - 9]} {digest}"


_TRAINING = " training"


@dataclass(frozen=True)
class Known:
    """What a file of gold questions says of an item.

    Attributes:
        answer: In the form of `records.JUDGMENT`; words are parted by `SEVERAL`.
        explanation: Why, for people in training; empty where the file does not say.
        trains: Whether the item is in the training, and so not among the gold questions.
    """

    answer: str
    explanation: str = ""
    trains: bool = False


def training_title(title: str) -> str:
    """The heading of the training for a project; what is too long for Label Studio ends in a digest of it."""
    return fitting_title(title, LONGEST_TITLE - len(_TRAINING)) + _TRAINING


def nothing_known(_row: Row) -> str | None:
    """The answer that is known of an item of a page where none is known of any."""
    return None


def no_objection(_text: str, _data: Row | None = None) -> str | None:
    """The check of a page that takes any text."""
    return None


@dataclass(frozen=True, kw_only=True)
class Page:
    """The labelling page of one kind of item: what every page has, whatever people are asked.

    Attributes:
        suite: The suite's name.
        kind: The kind of item.
        package: Where `KIND.xml` (the page in Label Studio's markup) lies, with `KIND.toml` (the words of the page and
            its guidelines in each language; in the page `@NAME` stands for them), or else with `KIND.html` (the
            guidelines of a page that is taken as it is); None for `tashika.annotation.SUITE`.
        title: The heading of the project, at most 50 characters; one that is parted gets a number after it.
        summary: One line for the list of projects, where the words do not have it.
        task_data: Makes what the task shows of an item and of its parents that are of the same kind.
        only: The values that items must have in some columns to be shown to people; empty for all items.
        text_control: The name of the `TextArea` in the XML; None where the page has none.
        check_text: Says what is wrong with what was typed there, or None.
        made_by: The command that makes the items, where it is not the build. Until it has run the kind is left out.
        markup: The page in Label Studio's markup, where it lies in no package.
        guidelines: The guidelines as HTML, where they lie in no package.
        look: The language, and what all pages have or have not.
        remade: Makes the page in another look, where it lies in no package.
        note_control: The name of the `TextArea` for a note; None where the page has none.
        gold_column: The column with known answers: where it is not empty the item is a gold question, which people are
            checked by and nobody votes on. None where there are no such items.
        known: Gives the known answer of such an item, in the form of `records.JUDGMENT`.
        gold: What a file of gold questions says, by item id, in the order of the file; nobody votes on these either.
        training: Whether this is the page of the training, see `annotation.gold.training`.
        truth: What a simulated annotator takes for right, in the same form; None where nothing is known.
        dealt_over: Over how many projects the items of the kind are dealt, as the settings say.
        part: The number of the project, from 1, of a kind that has several; None for the page of all items.
    """

    suite: str
    kind: str
    title: str
    task_data: Callable[[Row, Sequence[Row]], dict[str, Any]]
    summary: str = ""
    only: Mapping[str, str] = field(default_factory=dict)
    text_control: str | None = None
    check_text: Callable[[str], str | None] = field(default=no_objection)
    made_by: str | None = None
    package: str | None = None
    markup: str | None = None
    guidelines: str | None = None
    look: Look = field(default_factory=Look)
    remade: Callable[[Look], Page] | None = None
    note_control: str | None = None
    gold_column: str | None = None
    known: Callable[[Row], str | None] = field(default=nothing_known)
    gold: Mapping[str, Known] = field(default_factory=dict)
    training: bool = False
    truth: Callable[[Row], str | None] = field(default=nothing_known)
    dealt_over: int = 1
    part: int | None = None

    @property
    def name(self) -> str:
        """What the page's project is called in files: the kind, and the number of the part if it has one."""
        if self.training:
            return f"{self.kind}-training"
        return self.kind if self.part is None else f"{self.kind}-{self.part}"

    def of_part(self, number: int) -> Self:
        """The page of one part, which has a project of its own."""
        ending = f", part {number}/{self.dealt_over}"
        title = fitting_title(self.title, LONGEST_TITLE - len(ending)) + ending
        return replace(self, title=title, part=number)

    def for_project(self, title: str) -> Self | None:
        """The page of the project with that heading, of the kind or of a part of it; None for any other project.

        Parts are recognized whatever number of them the settings name.
        """
        if title == self.title:
            return replace(self, dealt_over=1)
        if title == training_title(self.title) and not self.training:
            return replace(self, title=title, training=True, dealt_over=1)
        match = _PART.search(title)
        if match is None or self.part is not None:
            return None
        page = replace(self, dealt_over=int(match[2])).of_part(int(match[1]))
        return page if page.title == title else None

    @property
    def checks_people(self) -> bool:
        """Whether there may be items with a known answer."""
        return bool(self.gold_column or self.gold)

    def known_answer(self, row: Row) -> str | None:
        """The known answer of an item, by the file of gold questions or by its column; None where none is known."""
        by_file = self.gold.get(row["item_id"])
        return self.known(row) if by_file is None else by_file.answer

    @property
    def main_control(self) -> tuple[str, str]:
        """The tag and the name of the control that every answer must use."""
        raise NotImplementedError

    @property
    def controls(self) -> list[tuple[str, str]]:
        """The names and types of the controls that an answer may come from."""
        return [(name, "textarea") for name in (self.text_control, self.note_control) if name]

    @property
    def decides(self) -> bool:
        """Whether the key of a choice is the whole answer."""
        return False

    @property
    def target(self) -> str:
        """The part of the page that the main control is about."""
        return self._target_in(ElementTree.fromstring(self.xml))

    def _target_in(self, root: ElementTree.Element) -> str:
        tag, name = self.main_control
        element = root.find(f".//{tag}[@name='{name}']")
        if element is None:
            raise ValueError(f"the page {self.suite}/{self.kind}.xml has no {tag} named {name!r}")
        return element.attrib["toName"]

    def with_look(self, look: Look) -> Page:
        """The page in a language, with or without what the look names."""
        return self.remade(look) if self.remade else replace(self, look=look)

    @property
    def shown_choices(self) -> list[str]:
        """What an answer may hold of the choices on the page, in order."""
        return []

    @property
    def _words(self) -> PageWords | None:
        return page_words(self._package, self.kind)

    @property
    def _package(self) -> str:
        return self.package or f"tashika.annotation.{self.suite}"

    @property
    def headline(self) -> str:
        """One line for the list of projects."""
        words = None if self.markup is not None else self._words
        return words.of(self.look.language).summary if words else self.summary

    @property
    def xml(self) -> str:
        """The page in Label Studio's own markup."""
        if self.markup is not None:
            return self.markup
        template, words = self._read(f"{self.kind}.xml"), self._words
        if words is None:
            return template
        language = self.look.language
        root = worded(template, words.of(language), language, self.shown_choices)
        note = self.look.note and self.note_control is not None
        return dress(root, self.look, self._target_in(root), decides=self.decides, note=note)

    @property
    def instructions(self) -> str:
        """The guidelines as HTML, shown to each person before the first task."""
        if self.guidelines is not None:
            return self.guidelines
        words = self._words
        if words is None:
            return self._read(f"{self.kind}.html")
        spoken, writes = words.of(self.look.language), self.text_control is not None
        return guidelines_html(spoken, self.look, self.shown_choices, decides=self.decides, writes=writes)

    def _read(self, name: str) -> str:
        return files(self._package).joinpath(name).read_text(encoding="utf-8")
