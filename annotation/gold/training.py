"""The training for a kind of item: its own page, which says at once whether an answer is right, and why.

The page is made from the markup of the kind's page, whatever that is: the first answer is locked when it is taken, what
is known of it appears, and where it was wrong the person takes another one. Where there are many right answers (several
labels, texts, words) the answer is shown when the person asks for it. Label Studio shows a `View` when a choice is
taken (`visibleWhen`); what it shows comes from the task. So the answers lie in the tasks of the training, and nowhere
else: an item of the training is no gold question.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from tashika.annotation.labelling import (
    SEVERAL,
    ChoicePage,
    FormPage,
    LabelsPage,
    Page,
    Row,
    WordsPage,
    training_title,
)

RETRY, REVEAL = "training-retry", "training-reveal"
"""The names of the controls that a training adds: the answer after the first one, and the wish to see the answer."""

DECIDES: Final = "decides"
"""The class of a page on which the key of a choice submits it."""

ENGLISH: Final = "en"


@dataclass(frozen=True)
class Wording:
    """What a training page says."""

    banner: str
    right: str
    wrong: str
    answer: str
    retry: str
    reveal: str
    between: str


WORDS: Final[Mapping[str, Wording]] = {
    ENGLISH: Wording(
        banner="Training: answer, and see at once whether it is right. Nothing here is counted.",
        right="Right.",
        wrong="Not right: the answer is “{answer}”.",
        answer="The answer is “{answer}”.",
        retry="And now? Take the right answer, then submit.",
        reveal="Show the answer",
        between=", ",
    ),
    "ja": Wording(
        banner="練習: 答えると、正しいかどうかがすぐに表示されます。ここでの回答は集計されません。",
        right="正解です。",
        wrong="不正解です。正解は「{answer}」です。",
        answer="正解は「{answer}」です。",
        retry="正しい答えを選んでから、送信してください。",
        reveal="答えを見る",
        between="、",
    ),
}

_ANSWERING: Final = "tashika-training-answering"
"""The class of the question with its choices and what follows them."""

_STYLE = """
    .tashika-training-banner { max-width: 860px; margin: 0 auto 10px; padding: 2px 14px;
      border-left: 4px solid #2563eb; background: #eff6ff; }
    .tashika-training-banner * { color: #1e3a8a !important; font-size: 14px !important; }
    /* The first answer stays. */
    .tashika-training-first:has(> .lsf-choices input[type=radio]:checked),
    .tashika-training:has(.tashika-training-reveal input:checked) .tashika-training-first
      { pointer-events: none; opacity: 0.75; }
    /* Label Studio hides what its conditions do not show by style="display: none". */
    .tashika-training:has(.tashika-training-feedback:not([style*="none"]) .tashika-right) .tashika-training-retry
      { display: none; }
    /* On a short screen the question and its choices stay in sight, and so does what is said of the answer. */
    @media (max-height: 820px), (max-width: 640px) {
      .tashika-training-answering { position: sticky; bottom: 0; z-index: 3; max-height: 62vh; overflow: auto;
        margin: 0 -10px; padding: 4px 10px; border-top: 1px solid #d1d5db;
        background: var(--color-neutral-background, #ffffff); }
    }
    @media (max-width: 640px) {
      .lsf-main-content { overflow: visible !important; }
      .tashika-training-answering { bottom: 50px; }
      .tashika-training-banner { padding: 0 10px; margin-bottom: 4px; }
      .tashika-training .lsf-choice .ant-radio-wrapper { padding: 4px 0 !important; }
    }
  """
_BOX = "border-radius:8px;padding:10px 16px;margin:10px 0;font-size:16px;line-height:1.6;white-space:pre-wrap"
_COLOURS = {"told": "border:2px solid #2563eb;background:#eff6ff;color:#1e3a8a",
            "right": "border:2px solid #15803d;background:#f0fdf4;color:#14532d",
            "wrong": "border:2px solid #b45309;background:#fffbeb;color:#78350f"}  # fmt: skip


def training_pages(pages: Sequence[Page]) -> list[Page]:
    """The pages of the trainings: one for each kind of which some items are for training.

    Args:
        pages: With what the file of gold questions says.
    """
    return [training_page(page) for page in pages if any(known.trains for known in page.gold.values())]


def training_page(page: Page) -> Page:
    """The page of the training for a kind, in the language that is a class of its page; English where none is."""
    classes = ElementTree.fromstring(page.xml).get("className", "").split()
    wording = WORDS[next((language for language in WORDS if language in classes), ENGLISH)]
    shared: dict[str, Any] = {
        "title": training_title(page.title),
        "training": True,
        "dealt_over": 1,
        "part": None,
        "markup": training_markup(page, wording),
        "guidelines": page.with_look(replace(page.look, one_key=False)).instructions,
        "task_data": partial(_task_data, page, wording, _shown_choices(page)),
    }
    if isinstance(page, WordsPage):
        shared["parted_by"] = None
    return replace(page, **shared)


def answers_at_once(page: Page) -> bool:
    """Whether one choice is the answer, so that it is followed by what is right; else the answer is asked for."""
    return isinstance(page, ChoicePage) and not isinstance(page, LabelsPage)


def alias(place: int) -> str:
    """What a training calls a choice, by its place from 0: a condition in the markup cannot name one with a comma."""
    return f"choice-{place + 1}"


def feedback_name(place: int) -> str:
    """The entry of a task that is shown when the choice of that place is taken."""
    return f"training_feedback_{place + 1}_html"


def training_markup(page: Page, wording: Wording) -> str:
    """The markup of a kind's page as that of its training."""
    page_root = ElementTree.fromstring(page.xml)
    # There is something to read after the choice, so the key of a choice must not submit it.
    page_root.set("className", " ".join(name for name in page_root.get("className", "").split() if name != DECIDES))
    tag, name = page.main_control
    parents = {child: parent for parent in page_root.iter() for child in parent}
    control = next(element for element in page_root.iter(tag) if element.get("name") == name)
    target = control.attrib["toName"]
    parent = parents[control]
    place = list(parent).index(control)
    parent.remove(control)
    first = Element("View", className="tashika-training-first")
    first.append(control)
    after = _after_a_choice(page, control, wording) if answers_at_once(page) else _on_demand(target, wording)
    answering = Element("View", className=_ANSWERING)
    if place and parent[place - 1].tag == "Header":
        place -= 1
        question = parent[place]
        parent.remove(question)
        answering.append(question)
    answering.extend([first, *after])
    parent.insert(place, answering)
    root = Element("View", className="tashika-training")
    SubElement(root, "Style").text = _STYLE
    SubElement(SubElement(root, "View", className="tashika-training-banner"), "Header", value=wording.banner, size="6")
    root.append(page_root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _after_a_choice(page: Page, control: Element, wording: Wording) -> list[Element]:
    """What appears when a choice is taken; the choices get the names that the conditions are about."""
    assert isinstance(page, ChoicePage)
    name, places = control.attrib["name"], list(page.choices)
    found = []
    for choice in control.iter("Choice"):
        place = places.index(choice.get("alias", choice.attrib["value"]))
        choice.set("alias", alias(place))
        found.append(_feedback(name, alias(place), feedback_name(place)))
    retry = Element("View", className="tashika-training-retry", visibleWhen="choice-selected", whenTagName=name)
    SubElement(retry, "Header", value=wording.retry, size="6")
    again = deepcopy(control)
    again.set("name", RETRY)
    for attribute in ("required", "requiredMessage"):
        again.attrib.pop(attribute, None)
    for choice in again.iter("Choice"):
        choice.attrib.pop("hotkey", None)
    retry.append(again)
    return [*found, retry]


def _on_demand(target: str, wording: Wording) -> list[Element]:
    """What shows the answer on demand."""
    reveal = Element("View", className="tashika-training-reveal")
    choices = SubElement(reveal, "Choices", name=REVEAL, toName=target, choice="single-radio")
    SubElement(choices, "Choice", value=wording.reveal, alias=alias(0))
    return [reveal, _feedback(REVEAL, alias(0), feedback_name(0))]


def _feedback(control: str, choice: str, entry: str) -> Element:
    condition = {"visibleWhen": "choice-selected", "whenTagName": control, "whenChoiceValue": choice}
    view = Element("View", {"className": "tashika-training-feedback", **condition})
    SubElement(view, "HyperText", name=entry.replace("_", "-"), value=f"${entry}", inline="true")
    return view


def _shown_choices(page: Page) -> dict[str, str]:
    """What the page shows for each of its choices."""
    elements = ElementTree.fromstring(page.xml).iter("Choice")
    return {element.get("alias", element.attrib["value"]): element.attrib["value"] for element in elements}


def _task_data(
    page: Page, wording: Wording, shown: Mapping[str, str], row: Row, parents: Sequence[Row]
) -> dict[str, Any]:
    data = page.task_data(row, parents)
    known = page.gold[row["item_id"]]
    answer = wording.between.join(shown.get(choice, choice) for choice in _choices(page, known.answer, row["item_id"]))
    told = wording.answer.format(answer=answer)
    if not answers_at_once(page):
        return {**data, feedback_name(0): _box("told", told, known.explanation)}
    right = _choices(page, known.answer, row["item_id"])
    assert isinstance(page, ChoicePage)
    boxes = {
        feedback_name(place): _box("right", wording.right, known.explanation)
        if choice in right
        else _box("wrong", wording.wrong.format(answer=answer), known.explanation)
        for place, choice in enumerate(page.choices)
    }
    return {**data, **boxes}


def _choices(page: Page, answer: str, item_id: str) -> list[str]:
    """The choices of the page that stand for an answer, or the words or the text."""
    if isinstance(page, FormPage):
        return [page.choice_of(label, item_id) for label in page.parts(answer)]
    return answer.split(SEVERAL) if isinstance(page, WordsPage) else [answer]


def _box(name: str, told: str, explanation: str) -> str:
    text = html.escape("\n".join(part for part in (told, explanation) if part))
    return f'<div class="tashika-{name}" style="{_BOX};{_COLOURS[name]}">{text}</div>'
