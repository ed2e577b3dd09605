"""Is what the server has of a person's answer a judgment? One function a check; its name in `problem` is plain words.

Label Studio does not check the bodies of annotations: unknown controls and choices, empty results and answers in
somebody else's name are all stored. What fails here is kept with its `problem`, counted, and not voted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tashika.annotation.labelling import FOR, LONGEST_TEXT, ChoicePage, FormPage, LabelsPage, Page, TextPage, VotePage
from tashika.annotation.options import Accepted

IMPORTED = "imported in the person's name"
"""The problem of answers that no account has saved: whoever has an account may import some in anybody's name."""

NOT_BY_THE_PERSON = ("unknown annotator", "saved by another account", IMPORTED)
"""Problems of answers that the person whose name they bear may not have given."""

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


ITEM_MOVED = "task has another item than was pushed"
TASK_CHANGED = "task was changed on the server"
PAGE_CHANGED = "page was changed on the server"

HELD: Mapping[str, Accepted] = {
    TASK_CHANGED: Accepted.TASKS,
    PAGE_CHANGED: Accepted.PAGE,
    IMPORTED: Accepted.IMPORTED,
}
"""Problems of answers that count once the curator accepts them, and what that is called; see `shown`."""


@dataclass(frozen=True)
class Answer:
    """What a person said, as far as it can be read.

    Attributes:
        label: The choice, or what it stands for; of several labels all of them, see `labelling.SEVERAL`.
        text: What was typed.
        note: What was remarked.
        skipped: Whether the item was passed over.
        prefilled: Whether it is a prediction that was submitted untouched.
        problem: Why it is no judgment; None for a sound one.
    """

    label: str | None = None
    text: str | None = None
    note: str | None = None
    skipped: bool = False
    prefilled: bool = False
    problem: str | None = None


def read_answer(
    annotation: Mapping[str, Any], page: Page, known_users: Mapping[int, Any], data: Mapping[str, Any] | None = None
) -> Answer:
    """Reads one annotation of an export.

    Args:
        annotation: The annotation as Label Studio exports it.
        page: The page that it was made on.
        known_users: The accounts of the server, by number.
        data: What the task shows.

    Returns:
        The answer, with the first problem that was found.
    """
    skipped = bool(annotation.get("was_cancelled"))
    result = annotation.get("result")
    prefilled = is_prefilled(result)
    problem = wrong_person(annotation, known_users)
    if skipped:
        return Answer(skipped=True, prefilled=prefilled, problem=problem)
    problem = problem or wrong_form(result, page)
    if problem:
        return Answer(prefilled=prefilled, problem=problem)
    assert isinstance(result, list)
    text, note = (read_text(result, name) for name in (page.text_control, page.note_control))
    label: str | None = None
    if isinstance(page, ChoicePage):
        label, problem = read_label(result, page, data or {})
        problem = problem or wrong_text(label, text, page, data or {})
    elif isinstance(page, TextPage):
        text = text if page.required else text or ""
        problem = wrong_written(text, page)
    else:
        problem = wrong_words(text, page)
    if prefilled and not problem:
        problem = "untouched prediction"
    return Answer(
        label=label,
        text=text if text is None else text[:LONGEST_TEXT],
        note=note if note is None else note[:LONGEST_TEXT],
        prefilled=prefilled,
        problem=problem,
    )


def wrong_person(annotation: Mapping[str, Any], known_users: Mapping[int, Any]) -> str | None:
    """The answer must be of an account that exists, and saved by that account.

    The server sets `updated_by` to the account that saves, in the browser and by the interface alike. It is null where
    nobody has saved: in an import, and in answers that were copied from one task to others. Servers that have no such
    field are believed.
    """
    author, saved_by = annotation.get("completed_by"), annotation.get("updated_by")
    if not isinstance(author, int) or author not in known_users:
        return NOT_BY_THE_PERSON[0]
    if saved_by is None and "updated_by" in annotation:
        return IMPORTED
    return NOT_BY_THE_PERSON[1] if saved_by not in (None, author) else None


def wrong_form(result: Any, page: Page) -> str | None:
    """The result must be a list of the page's own controls, each once."""
    if not isinstance(result, list):
        return "result is not a list"
    if not result:
        return None if isinstance(page, TextPage) and not page.required else "empty result"
    if not all(isinstance(part, dict) and isinstance(part.get("value"), dict) for part in result):
        return "malformed result"
    controls = [(part.get("from_name"), part.get("type")) for part in result]
    if any(control not in page.controls for control in controls):
        return "unknown control"
    return "control answered twice" if len(set(controls)) < len(controls) else None


def read_label(
    result: list[dict[str, Any]], page: ChoicePage, data: Mapping[str, Any]
) -> tuple[str | None, str | None]:
    """What the choices of a well-formed result stand for, and what is wrong with them; one of the two is None.

    Exactly one choice must be taken (on a page for several labels one or more, each once), and the page must have it.
    """
    taken = read_choices(result, page)
    if isinstance(page, LabelsPage):
        if not taken:
            return None, "no choice"
        if len(set(taken)) < len(taken):
            return None, "choice taken twice"
    elif taken is None or len(taken) != 1:
        return None, "not exactly one choice"
    known = [page.label_of(choice, data) if isinstance(page, FormPage) else choice for choice in taken]
    labels = [label for label in known if label is not None]
    if len(labels) < len(taken) or not set(taken) <= set(page.choices):
        return None, "unknown choice"
    return page.joined(labels) if isinstance(page, LabelsPage) else labels[0], None


def wrong_text(label: str | None, text: str | None, page: ChoicePage, data: Mapping[str, Any]) -> str | None:
    """A correction must be of a sane length and, where it goes with a vote for the item, fit the suite's form."""
    if text is None:
        return None
    if len(text) > LONGEST_TEXT:
        return "text too long"
    if label is None or page.choices.get(label) != FOR:
        return None
    problem = page.check_text(text)
    return page.check_against(text, data) if not problem and isinstance(page, VotePage) else problem


def wrong_words(text: str | None, page: Page) -> str | None:
    """A free answer must be of a sane length and fit the suite's form."""
    if text is None:
        return "no words"
    return "text too long" if len(text) > LONGEST_TEXT else page.check_text(text)


def wrong_written(text: str | None, page: Page) -> str | None:
    """A text that is collected must be there, unless it may be empty, and of a sane length."""
    if text is None:
        return "no text"
    return "text too long" if len(text) > LONGEST_TEXT else page.check_text(text)


def is_prefilled(result: Any) -> bool:
    """Whether every part of the result is a prediction that nobody touched."""
    parts = result if isinstance(result, list) else []
    return bool(parts) and all(isinstance(part, dict) and part.get("origin") == "prediction" for part in parts)


def read_choices(result: list[dict[str, Any]], page: ChoicePage) -> list[str] | None:
    """The choices of a well-formed result; None where there are none, or what is there is no list of choices."""
    for part in result:
        if part["from_name"] == page.choice_control:
            chosen = part["value"].get("choices")
            if isinstance(chosen, list) and all(isinstance(choice, str) for choice in chosen):
                return chosen
    return None


def read_text(result: list[dict[str, Any]], control: str | None) -> str | None:
    """What was typed in a field of a well-formed result; None where nothing was, or the page has no such field."""
    for part in result:
        if part["from_name"] == control:
            typed = part["value"].get("text")
            lines = typed if isinstance(typed, list) else [typed]
            return "\n".join(line for line in lines if isinstance(line, str)).strip() or None
    return None


def read_time(annotation: Mapping[str, Any]) -> datetime:
    """When this version of the answer was saved; the year 1970 where the server does not say."""
    try:
        time = datetime.fromisoformat(str(annotation.get("updated_at") or annotation.get("created_at")))
    except ValueError:
        return _NEVER
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def read_seconds(annotation: Mapping[str, Any]) -> float | None:
    """How long the person took, None where the server does not say."""
    seconds = annotation.get("lead_time")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not math.isfinite(seconds) or seconds < 0:
        return None
    return float(seconds)
