"""What a suite declares of its labelling pages; nothing here knows a suite.

For each kind of item that people judge, a suite's `PAGES` hold a page: what it looks like, what a task shows, and what
people are asked: to vote (`VotePage`), to answer a question (`AnswerPage`), to write words (`WordsPage`), or to say
what the item is (`LabelPage`, `LabelsPage`, `RatingPage`, `PreferencePage`, `TextPage`; see `annotation.votes.forms`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.wording.dressing import HOTKEYS, dress, worded
from tashika.annotation.wording.guidelines import guidelines_html
from tashika.annotation.wording.words import Look, PageWords, page_words
from tashika.core.draws import Draw
from tashika.core.errors import ConfigError
from tashika.core.progress import say
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace

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

LONGEST_TEXT = 2_000
"""Characters; what is longer was not typed into a field for a correction or an answer."""

LONGEST_TITLE = 50
"""Characters that Label Studio takes for the heading of a project."""

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


def fitting_title(title: str) -> str:
    """The heading of a project; what is too long for Label Studio ends in a digest of it."""
    if len(title) <= LONGEST_TITLE:
        return title
    digest = hashlib.sha256(title.encode()).hexdigest()[:8]
    return f"{title[: LONGEST_TITLE - 9]} {digest}"


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
        known: Gives the known answer of a gold question, in the form of `records.JUDGMENT`.
        truth: What a simulated annotator takes for right, in the same form; None where nothing is known.
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
    truth: Callable[[Row], str | None] = field(default=nothing_known)

    @property
    def name(self) -> str:
        """What the page's project is called in files: the kind, unless a kind has several projects."""
        return self.kind

    def for_project(self, title: str) -> Page | None:
        """The page of the project with that heading; None for any other project."""
        return self if title == self.title else None

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


@dataclass(frozen=True, kw_only=True)
class ChoicePage(Page):
    """A page on which one of several choices is taken.

    Attributes:
        choices: Each choice of the page and how it counts: `FOR`, `AGAINST` or `NEITHER`.
        choice_control: The name of the `Choices` in the XML.
        agreement_by: The column by whose values the agreement of two people is reported; None for no such table.
    """

    choices: Mapping[str, int]
    choice_control: str = "verdict"
    agreement_by: str | None = None

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
        part: The number of the project's items in that column; None for the page of all of them.
        lemmatiser: Opens what reduces the words of answers to their lemmas; None leaves them as they were typed.
        take_over: Adds the answers of a published file to the judgments: of the workspace, the page, the file, and
            whether they are a program's; gives how many were new. None where no such files are known.
    """

    words: Callable[[Workspace], Drawer]
    parted_by: str | None = None
    once: tuple[str, ...] = ()
    part: int | None = None
    lemmatiser: Callable[[], Lemmatiser] | None = None
    take_over: Callable[[Workspace, Page, Path, bool], int] | None = None

    @property
    def name(self) -> str:
        """The kind, and the number of the part if it has one."""
        return self.kind if self.part is None else f"{self.kind}-{self.part}"

    def of_part(self, number: int) -> WordsPage:
        """The page of one part, which has a project of its own."""
        return replace(self, title=f"{self.title}, {self.parted_by} {number}", part=number)

    def for_project(self, title: str) -> WordsPage | None:
        """The page of the project with that heading, of the kind or of a part of it; None for any other project."""
        if title == self.title:
            return self
        start, _, number = title.rpartition(" ")
        parted = self.parted_by is not None and self.part is None and start == f"{self.title}, {self.parted_by}"
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


def takes_rule(page: Page) -> bool:
    """Whether the votes on a page are decided by a rule: ratings have a median, and words and texts are collected."""
    return isinstance(page, ChoicePage) and not isinstance(page, RatingPage)


def _refuse_rule(page: Page, settings: AnnotateSettings) -> None:
    """Refuses a rule for answers that no rule decides.

    Raises:
        ConfigError: The settings name one other than the majority.
    """
    name = settings.rule_of(page.kind)
    if name == "majority" or takes_rule(page):
        return
    own = settings.kinds[page.kind].rule is not None
    done = "the median decides" if isinstance(page, RatingPage) else "all answers are collected"
    raise ConfigError(
        f"the rule {name!r} does not apply to {page.kind} items: {done}",
        where=f"[annotate.kinds.{page.kind}] rule" if own else "[annotate] rule",
        hint="Leave it out."
        if own
        else f'Add rule = "majority" to [annotate.kinds.{page.kind}], which changes nothing.',
    )


def all_pages(suite: str) -> tuple[Page, ...]:
    """The pages of all kinds that people may judge in a suite.

    Raises:
        InputError: There is no such suite.
    """
    pages: tuple[Page, ...] = suite_named(suite).load("annotation")
    return pages


def pages_of(suite: str, settings: AnnotateSettings) -> list[Page]:
    """The pages of the kinds that the settings name, in the suite's order.

    Raises:
        InputError: There is no such suite.
        ConfigError: The settings name no kind, or one without a page, or would break ties or use another rule than the
            majority where nothing is voted.
    """
    known = all_pages(suite)
    names = ", ".join(page.kind for page in known)
    strangers = [kind for kind in settings.kinds if kind not in {page.kind for page in known}]
    if strangers or not settings.kinds:
        found = f"people judge no {strangers[0]!r} items" if strangers else "no kind of item is named"
        raise ConfigError(found, where="[annotate.kinds]", hint=f"Kinds that {suite} has a page for: {names}.")
    look = Look(settings.language, settings.note, settings.one_key)
    pages = [page.with_look(look) for page in known if page.kind in settings.kinds]
    for page in pages:
        if isinstance(page, AnswerPage | FormPage | TextPage) and settings.kinds[page.kind].tie_breaker:
            where = f"[annotate.kinds.{page.kind}] tie_breaker"
            found = "these answers are not for or against an item, and have no ties to break"
            raise ConfigError(found, where=where, hint="Leave it out.")
        _refuse_rule(page, settings)
    return pages


def pages_at_hand(workspace: Workspace, pages: Sequence[Page]) -> list[Page]:
    """The pages without those whose items another command than the build has still to make; these are named."""
    later = [page for page in pages if page.made_by and not workspace.item_file(page.kind).exists()]
    for page in later:
        say(f"no {page.kind} items yet, so this goes without them; `{page.made_by}` makes them")
    return [page for page in pages if page not in later]
