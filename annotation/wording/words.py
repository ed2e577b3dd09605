"""The words of one page in each language (`KIND.toml` beside `KIND.xml`), and those that all pages share."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import Field

from tashika.annotation.options import Language
from tashika.core.settings import Section, validated


@dataclass(frozen=True)
class Look:
    """How pages look to the people of a project.

    Attributes:
        language: Of the headings, the choices and the guidelines; what is judged stays in its own.
        note: Whether there is a field for a note.
        one_key: Whether the key of a choice also submits it, where the page asks for nothing else.
    """

    language: Language = "en"
    note: bool = True
    one_key: bool = True


class Example(Section):
    """An example in the guidelines.

    Attributes:
        shown: What people see, or write.
        why: Why it is good or bad.
    """

    shown: str
    why: str


class Guide(Section):
    """The guidelines of one page; the texts may hold HTML of the text kind.

    Attributes:
        title: What is asked.
        text: Paragraphs before the choices.
        choices: When to take each choice.
        more: Paragraphs after the choices.
        examples: Where the examples come from.
        good: Two that are for the item, or as an answer should be.
        bad: Two that are not.
        doubt: What to do in doubt.
    """

    title: str
    text: tuple[str, ...] = ()
    choices: dict[str, str] = Field(default_factory=dict)
    more: tuple[str, ...] = ()
    examples: str
    good: tuple[Example, Example]
    bad: tuple[Example, Example]
    doubt: str


class Words(Section):
    """The words of one page in one language.

    Attributes:
        summary: One line for the list of projects.
        page: What stands for `@NAME` in the page.
        choices: What the page shows for a choice, where that is not the choice itself.
        guidelines: What people read before the first task.
    """

    summary: str
    page: dict[str, str] = Field(default_factory=dict)
    choices: dict[str, str] = Field(default_factory=dict)
    guidelines: Guide


class PageWords(Section):
    """The words of one page in both languages."""

    en: Words
    ja: Words

    def of(self, language: Language) -> Words:
        """Those of a language."""
        return self.en if language == "en" else self.ja


@cache
def page_words(package: str, kind: str) -> PageWords | None:
    """The words of a kind's page; None where its package has none, and the page is as it stands.

    Raises:
        ConfigError: The file lacks something, or has what is not known.
    """
    place = files(package).joinpath(f"{kind}.toml")
    if not place.is_file():
        return None
    return validated(PageWords, tomllib.loads(place.read_text(encoding="utf-8")), str(place))


@cache
def _shared() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("shared.toml").read_text(encoding="utf-8"))


def shared_words(language: Language) -> dict[str, str]:
    """The words that all pages share."""
    return _shared()[language]
