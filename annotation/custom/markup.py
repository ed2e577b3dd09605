"""The page of one kind in Label Studio's markup, made from what the suite file asks.

The markup is built as a tree and never pasted together, so that no text of the user's can become a tag.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from tashika.annotation.custom.showing import html_name
from tashika.annotation.labelling import LEFT, RIGHT
from tashika.core.custom.annotate_form import Counts, PageForm

VERDICT, ANSWER, CORRECTION, NOTE = "verdict", "answer", "correction", "note"
"""The names of the controls: choices that vote, choices or words that answer, a corrected text, and a note."""

WORDS: Mapping[str, str] = {
    "verdict": "Is it right as it stands?",
    "label": "Which label fits?",
    "labels": "Which labels fit? There may be several.",
    "rating": "How do you rate it?",
    "preference": "Which one is better?",
    "text": "What do you say to it?",
}
"""What is asked where the file does not say it."""

_STYLE = """
    .tashika { max-width: 860px; margin: 0 auto; font-size: 15px; }
    .tashika .column { border: 1px solid #d1d5db; border-radius: 8px; padding: 8px 18px 12px; margin: 10px 0; }
    .tashika .label *, .tashika .hint * { color: #6b7280; font-size: 14px !important; font-weight: 500; }
    .tashika .sides { display: grid; grid-template-columns: 1fr 1fr; gap: 14px; align-items: stretch; }
    /* Label Studio's panels for regions: there are none here. */
    .lsf-sidepanels { padding-right: 0 !important; }
    .lsf-sidepanels__wrapper_align_right { display: none !important; }
  """
_HOTKEYS = "1234567890"
_SHORT = 70
"""Characters of all choices together that stand in one line."""

_VARIABLE = re.compile(r"\$(?=\w)")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")


def one_line(text: str) -> str:
    """A text of the user's as it can stand in an attribute: in one line, and with no `$name` for Label Studio to fill.

    An invisible word joiner after the dollar sign keeps it a dollar sign.
    """
    return _VARIABLE.sub("$\u2060", _UNSEEN.sub("", " ".join(text.split())))


def verdict_choices(form: PageForm) -> Mapping[str, Counts]:
    """The choices of a verdict, and whether each counts for the item, against it or neither."""
    return form.choices or {"accept": "for", "reject": "against"}


def question(form: PageForm) -> str:
    """What the page asks."""
    return one_line(form.ask) or WORDS[form.form]


def made_page(form: PageForm, columns: Sequence[str], choices: Sequence[str]) -> str:
    """The markup of a page.

    Args:
        form: What people are asked.
        columns: The columns that are shown, in order.
        choices: The choices, in order; none where people write.
    """
    root = Element("View", className="tashika")
    SubElement(root, "Style").text = _STYLE
    for column in columns:
        _box(root, column, column)
    if form.between:
        sides = SubElement(root, "View", className="sides")
        _box(sides, LEFT, "left")
        _box(sides, RIGHT, "right")
    target = shown_name(LEFT if form.between else columns[0])
    SubElement(root, "Header", value=question(form), size="5")
    if choices:
        _choices(root, form, choices, target)
    else:
        _field(root, ANSWER, target, rows="5", placeholder="Your answer", required=form.required)
    if form.correct:
        _hint(root, f"It is right but for a slip? Then write “{form.correct}” anew, as a whole.")
        _field(root, CORRECTION, target, rows="2", placeholder=f"{form.correct}, corrected (optional)")
    if form.note:
        _hint(root, "Anything to remark?")
        _field(root, NOTE, target, rows="1", placeholder="A note (optional)")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def shown_name(column: str) -> str:
    """The name of the part of the page that shows a column, or a side."""
    return f"shown-{column}"


def _box(parent: Element, column: str, heading: str) -> None:
    box = SubElement(parent, "View", className="column")
    SubElement(SubElement(box, "View", className="label"), "Header", value=heading.replace("_", " "), size="6")
    SubElement(box, "HyperText", name=shown_name(column), value=f"${html_name(column)}", inline="true")


def _choices(root: Element, form: PageForm, choices: Sequence[str], target: str) -> None:
    several = form.form == "labels"
    taken = {
        "name": control_of(form),
        "toName": target,
        "choice": "multiple" if several else "single-radio",
        "required": "true",
        "requiredMessage": f"Please choose {'at least one' if several else 'one'}, or skip.",
    }
    if sum(map(len, choices)) <= _SHORT or form.form == "rating":
        taken["showInline"] = "true"
    control = SubElement(root, "Choices", taken)
    for place, choice in enumerate(choices):
        key = {"hotkey": _HOTKEYS[place]} if place < len(_HOTKEYS) else {}
        SubElement(control, "Choice", {"value": choice, **key})


def control_of(form: PageForm) -> str:
    """The name of the control that every answer must use."""
    return VERDICT if form.form == "verdict" else ANSWER


def _hint(root: Element, text: str) -> None:
    SubElement(SubElement(root, "View", className="hint"), "Header", value=text, size="6")


def _field(root: Element, name: str, target: str, *, rows: str, placeholder: str, required: bool = False) -> None:
    area = {"name": name, "toName": target, "rows": rows, "maxSubmissions": "1", "editable": "true"}
    area |= {"showSubmitButton": "false", "placeholder": placeholder}
    if required:
        area |= {"required": "true", "requiredMessage": "Please write something, or skip."}
    SubElement(root, "TextArea", area)
