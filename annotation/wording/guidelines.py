"""The guidelines of a page as HTML: what is asked, each choice, examples, what to do in doubt, the keys."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Final

from tashika.annotation.wording.dressing import HOTKEYS
from tashika.annotation.wording.words import Example, Look, Words, shared_words

BREAK: Final = "<br>"
"""An empty line: Label Studio's own style takes the margins of paragraphs and lists away."""


def guidelines_html(words: Words, look: Look, choices: Sequence[str], *, decides: bool, writes: bool) -> str:
    """The guidelines of a page with words of its own.

    Args:
        words: The words of the page.
        look: The language, and whether there is a note.
        choices: The choices of the page, in order.
        decides: Whether one key decides and submits.
        writes: Whether the page has a field for text.
    """
    guide, shared = words.guidelines, shared_words(look.language)
    parts = [f"<h3>{guide.title}</h3>{BREAK}", *map(paragraph, guide.text)]
    for place, choice in enumerate(choices):
        if choice in guide.choices:
            key = shared["key"].format(key=HOTKEYS[place])
            name = html.escape(words.choices.get(choice, choice), quote=False)
            parts.append(paragraph(f"<b>{name}</b> ({key}){shared['colon']}{guide.choices[choice]}"))
    parts += map(paragraph, guide.more)
    parts += examples_list(shared["good"], guide.good) + examples_list(shared["bad"], guide.bad)
    parts.append(paragraph(f"<small>{guide.examples}</small>"))
    parts.append(paragraph(f"<b>{shared['doubt']}</b>{shared['colon']}{guide.doubt}"))
    parts.append(paragraph(keys_line(look, len(choices), decides=decides, writes=writes)))
    return "".join(parts)


def paragraph(text: str) -> str:
    """A paragraph, with an empty line after it."""
    return f"<p>{text}</p>{BREAK}"


def examples_list(heading: str, examples: Sequence[Example]) -> list[str]:
    """Examples under their heading; the texts may hold HTML. Nothing where there are none."""
    if not examples:
        return []
    lines = "".join(f"<li>{example.shown}<br><small>{example.why}</small></li>" for example in examples)
    return [f"<p><b>{heading}</b></p><ul>{lines}</ul>{BREAK}"]


def keys_line(look: Look, choices: int, *, decides: bool, writes: bool) -> str:
    """The keys of a page, as text.

    Args:
        look: The language, and whether there is a note.
        choices: How many choices there are.
        decides: Whether one key decides and submits.
        writes: Whether the page has a field for text.
    """
    words = shared_words(look.language)
    keys: list[str] = []
    if 1 < choices <= len(HOTKEYS):
        span = words["key_range"].format(first=HOTKEYS[0], last=HOTKEYS[choices - 1])
        numbers = words["or"].join(HOTKEYS[:2]) if choices == 2 else span
        keys.append(words["keys_decide" if decides else "choose_keys"].format(keys=numbers))
    if not decides or writes:
        keys.append(words["keys_submit"])
    keys += [words["keys_write"]] if writes else []
    keys += [words["keys_note"]] if look.note else []
    keys += [words["keys_skip"], words["keys_back"]]
    line = f"{words['keys']}{words['colon']}{words['between'].join(keys)}{words['end']}"
    return f"{line} <small>{words['keys_stock']}</small>" if decides else line
