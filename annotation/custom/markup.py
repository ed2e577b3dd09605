"""The page of one kind in Label Studio's markup, made from what the suite file asks.

The markup is built as a tree and never pasted together, so that no text of the user's can become a tag.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from xml.etree.ElementTree import Element, SubElement

from tashika.annotation.custom.showing import html_name
from tashika.annotation.labelling import LEFT, RIGHT
from tashika.annotation.options import Language
from tashika.annotation.wording.dressing import add_choices, add_field, dress
from tashika.annotation.wording.words import Look, shared_words
from tashika.core.custom.annotate_form import SAME, Counts, PageForm

VERDICT, ANSWER, CORRECTION = "verdict", "answer", "correction"
"""The names of the controls: choices that vote, choices or words that answer, and a corrected text."""

_SHORT = 70
"""Characters of all choices together that stand in one line."""

_VARIABLE = re.compile(r"\$(?=\w)")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")


def one_line(text: str) -> str:
    """A text of the user's as it can stand in an attribute: in one line, and with no `$name` for Label Studio to fill.

    An invisible word joiner after the dollar sign keeps it a dollar sign.
    """
    return _VARIABLE.sub("$\u2060", _UNSEEN.sub("", " ".join(text.split())))


def page_words(language: Language) -> Mapping[str, str]:
    """The words of pages that are made, in a language."""
    return _tables()[language]


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def verdict_choices(form: PageForm) -> Mapping[str, Counts]:
    """The choices of a verdict, and whether each counts for the item, against it or neither."""
    return form.choices or {"accept": "for", "reject": "against"}


def choice_words(form: PageForm, language: Language) -> dict[str, str]:
    """What the page shows for the choices that we named ourselves; those of the user's stay as they are."""
    if form.form == "preference":
        ours = [LEFT, RIGHT, SAME]
    else:
        ours = [] if form.choices or form.form != "verdict" else list(verdict_choices(form))
    words = page_words(language)
    return {name: words[name] for name in ours}


def question(form: PageForm, language: Language) -> str:
    """What the page asks."""
    return one_line(form.ask) or page_words(language)[form.form]


def made_page(form: PageForm, columns: Sequence[str], choices: Sequence[str], look: Look, *, decides: bool) -> str:
    """The markup of a page.

    Args:
        form: What people are asked.
        columns: The columns that are shown, in order.
        choices: The choices, in order; none where people write.
        look: The language, and whether there is a field for a note.
        decides: Whether one key decides and submits.
    """
    root, words = Element("View"), page_words(look.language)
    for column in columns:
        _box(root, column, column.replace("_", " "))
    if form.between:
        sides = SubElement(root, "View", className="sides")
        for side in (LEFT, RIGHT):
            _box(sides, side, words[side])
    target = shown_name(LEFT if form.between else columns[0])
    SubElement(root, "Header", value=question(form, look.language), size="5")
    if choices:
        _choices(root, form, choices, target, look.language)
    else:
        required = shared_words(look.language)["write"] if form.required else None
        add_field(root, ANSWER, target, rows="5", placeholder=words["your_answer"], required=required)
    if form.correct:
        _hint(root, words["correct"].format(column=form.correct))
        add_field(root, CORRECTION, target, rows="2", placeholder=words["corrected"].format(column=form.correct))
    return dress(root, look, target, decides=decides, note=look.note)


def shown_name(column: str) -> str:
    """The name of the part of the page that shows a column, or a side."""
    return f"shown-{column}"


def _box(parent: Element, column: str, heading: str) -> None:
    box = SubElement(parent, "View", className="column")
    SubElement(SubElement(box, "View", className="label"), "Header", value=heading, size="6")
    SubElement(box, "HyperText", name=shown_name(column), value=f"${html_name(column)}", inline="true")


def _choices(root: Element, form: PageForm, choices: Sequence[str], target: str, language: Language) -> None:
    several, shared = form.form == "labels", shared_words(language)
    taken = {
        "name": control_of(form),
        "toName": target,
        "choice": "multiple" if several else "single-radio",
        "required": "true",
        "requiredMessage": shared["choose_several" if several else "choose_one"],
    }
    if sum(map(len, choices)) <= _SHORT or form.form == "rating":
        taken["showInline"] = "true"
    add_choices(SubElement(root, "Choices", taken), choices, choice_words(form, language))


def control_of(form: PageForm) -> str:
    """The name of the control that every answer must use."""
    return VERDICT if form.form == "verdict" else ANSWER


def _hint(root: Element, text: str) -> None:
    SubElement(SubElement(root, "View", className="hint"), "Header", value=text, size="6")
