"""A page's markup in the words of a language, with the style, the keys and the field for a note that all pages have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from tashika.annotation.options import Language
from tashika.annotation.wording.words import Look, Words, shared_words

NOTE: Final = "note"
"""The name of the field for a note."""

HOTKEYS: Final = "1234567890"
"""The keys of a page's choices, in order."""

DECIDES: Final = "decides"
"""The class of a page that is decided by one key, see `labelstudio/inserted/keys.js`."""

_BUTTONS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {},
    "ja": {"submit": "送信", "update": "更新", "skip": "スキップ"},
}
"""What stands on Label Studio's buttons, which has them in English alone."""


@cache
def _style() -> str:
    return files(__package__).joinpath("page.css").read_text(encoding="utf-8")


def style(language: Language) -> str:
    """The style sheet of all pages."""
    rules = [_style()]
    for name, text in _BUTTONS[language].items():
        button = f"[data-testid=bottombar-{name}-button]"
        rules.append(_instead(f"{button} span", text, 16))
    if language == "ja":
        rules.append(_instead(".lsf-modal-ls__title", "作業の説明", 22))
    return "".join(rules)


def _instead(selector: str, text: str, size: int) -> str:
    """The rules that show a text in the place of Label Studio's own."""
    hidden = f"{selector} {{ font-size: 0 !important; }}"
    return f'{hidden} {selector}::after {{ content: "{text}"; font-size: {size}px; }}\n'


def dress(root: Element, look: Look, target: str, *, decides: bool, note: bool) -> str:
    """The markup of a page whose words are in place already.

    Args:
        root: The page; it is changed.
        look: The language.
        target: The part of the page that a note is about.
        decides: Whether one key decides and submits.
        note: Whether there is a field for a note.
    """
    classes = ["tashika", look.language, *root.get("className", "").split(), *([DECIDES] if decides else [])]
    root.set("className", " ".join(dict.fromkeys(classes)))
    sheet = Element("Style")
    sheet.text = f"\n{style(look.language)}"
    root.insert(0, sheet)
    if note:
        add_note(root, look.language, target)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def add_note(root: Element, language: Language, target: str) -> None:
    """Adds a field for a note, folded up so that it takes neither place nor keys."""
    words = shared_words(language)
    holder = SubElement(root, "View", className="tashika-note")
    panel = SubElement(SubElement(holder, "Collapse"), "Panel", value=words["note"])
    add_field(panel, NOTE, target, rows="2", placeholder=words["note_here"])


def add_field(
    parent: Element, name: str, target: str, *, rows: str, placeholder: str, required: str | None = None
) -> None:
    """Adds a field for text, of which there is one answer.

    Args:
        parent: Where to.
        name: Of the field.
        target: The part of the page that it is about.
        rows: How high it is.
        placeholder: What stands in it while it is empty.
        required: What is said where it is left empty; None where it may be.
    """
    area = {"name": name, "toName": target, "rows": rows, "maxSubmissions": "1", "editable": "true"}
    area |= {"showSubmitButton": "false", "placeholder": placeholder}
    if required:
        area |= {"required": "true", "requiredMessage": required}
    SubElement(parent, "TextArea", area)


def add_choices(control: Element, choices: Sequence[str], shown: Mapping[str, str]) -> None:
    """Adds the choices of a page, each with its key.

    Args:
        control: The `Choices`.
        choices: What an answer holds, in order.
        shown: What the page has for a choice, where that is not the choice itself.
    """
    for place, choice in enumerate(choices):
        text = shown.get(choice, choice)
        attributes = {"value": text}
        if text != choice:
            attributes["alias"] = choice
        if place < len(HOTKEYS):
            attributes["hotkey"] = HOTKEYS[place]
        SubElement(control, "Choice", attributes)


def worded(template: str, words: Words, language: Language, choices: Sequence[str]) -> Element:
    """A page's template with its words.

    Args:
        template: Markup in which `@NAME` stands for words of the page, and `Choices` is empty.
        words: The words of the page.
        language: Their language.
        choices: The choices of the page, in order.

    Raises:
        KeyError: The page has no such words.
    """
    root = ElementTree.fromstring(template)
    known = {**shared_words(language), **words.page}
    for element in root.iter():
        for name, value in element.attrib.items():
            if value.startswith("@"):
                element.set(name, known[value[1:]])
    for control in root.iter("Choices"):
        add_choices(control, choices, words.choices)
        control.set("required", "true")
        shown = [words.choices.get(choice, choice) for choice in choices]
        several = control.get("choice") == "multiple"
        message = shared_words(language)["choose_several"] if several else choose_one_of(shown, language)
        control.set("requiredMessage", message)
    return root


def choose_one_of(shown: Sequence[str], language: Language) -> str:
    """What is said to people who have chosen nothing."""
    words = shared_words(language)
    return words["choose"].format(choices=words["or"].join(shown)) if len(shown) == 2 else words["choose_one"]
