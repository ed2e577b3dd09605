"""The labelling pages of a suite that is one file: one for each kind that `[annotate.kinds]` names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args

from tashika.annotation.custom.guidelines import given_examples, made_guidelines, read_guidelines
from tashika.annotation.custom.markup import (
    ANSWER,
    CORRECTION,
    VERDICT,
    made_page,
    one_line,
    question,
    verdict_choices,
)
from tashika.annotation.custom.own_page import Expected, read_page
from tashika.annotation.custom.showing import html_name, named, task_columns
from tashika.annotation.custom.truths import BETWEEN, Truth, known_answer
from tashika.annotation.labelling import (
    AGAINST,
    FOR,
    LEFT,
    NEITHER,
    RIGHT,
    SIDES_SEED,
    LabelPage,
    LabelsPage,
    Page,
    PreferencePage,
    RatingPage,
    Row,
    TextPage,
    VotePage,
    fitting_title,
)
from tashika.annotation.options import Language
from tashika.annotation.wording.dressing import HOTKEYS, NOTE
from tashika.annotation.wording.words import Look
from tashika.core.custom.annotate_form import SAME, PageForm
from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import ConfigError

_COUNTS: Final = {"for": FOR, "against": AGAINST, "neither": NEITHER}
_RESERVED: Final = frozenset({"item_id", "suite", "kind", SIDES_SEED})


def pages_of_suite(suite: CustomSuite) -> tuple[Page, ...]:
    """The pages of a suite file.

    Raises:
        ConfigError: A page or guidelines of the user's own do not fit, or a page would show what it must not.
    """
    settings = suite.file.annotate
    look = Look(settings.language, settings.note, settings.one_key)
    return tuple(_page(suite, kind, form, look) for kind, form in settings.kinds.items())


def _page(suite: CustomSuite, kind: str, form: PageForm, look: Look) -> Page:
    where = f"{suite.path} [annotate.kinds.{kind}]"
    choices = shown_choices(form, where)
    columns = shown_columns(form, list(suite.form(kind).columns), where)
    # A page of the user's own has what is in it, and nothing is added.
    made, wanted = form.page is None, look.note if form.note is None else form.note
    look = replace(look, note=wanted if made else form.note is True)
    chosen = form.form not in {"labels", "text"} and form.correct is None and len(choices) <= len(HOTKEYS)
    decides = look.one_key and made and chosen
    truth = Truth(form, choices)
    shared: dict[str, Any] = {
        "suite": suite.name,
        "kind": kind,
        "title": project_title(suite.name, kind),
        "summary": one_line(f"{suite.title}: {question(form, look.language)}"),
        "task_data": partial(_task_data, columns),
        "markup": _markup(suite, form, columns, list(choices), look, decides=decides),
        "guidelines": _guidelines(suite, form, list(choices), look, decides=decides),
        "look": look,
        "remade": partial(_page, suite, kind, form),
        # Read also where the page has no field for it any more: an answer with a note remains one.
        "note_control": NOTE,
        "gold_column": form.gold,
        "known": partial(known_answer, form, choices) if form.gold else _nothing,
        "truth": truth,
    }
    if form.form == "verdict":
        counts = {choice: _COUNTS[vote] for choice, vote in verdict_choices(form).items()}
        if form.correct:
            shared |= {"text_control": CORRECTION, "text_column": form.correct}
        return VotePage(**shared, choices=counts, choice_control=VERDICT, plausible=_always)
    if form.form == "text":
        return TextPage(**shared, text_control=ANSWER, required=form.required)
    shared |= {"choices": dict.fromkeys(choices, NEITHER), "choice_control": ANSWER, "labels": form.label_names}
    if form.form == "preference":
        assert form.between is not None
        page = PreferencePage(**shared, between=form.between, seed=suite.file.annotate.seed, systems=form.systems)
        return _with_sides(page, columns)
    shared["words"] = {label: choice for choice, label in choices.items() if choice != label}
    return {"label": LabelPage, "labels": LabelsPage, "rating": RatingPage}[form.form](**shared)


def shown_choices(form: PageForm, where: str) -> dict[str, str]:
    """Each choice as the page has it, in order, and what it stands for; of a preference the sides.

    Raises:
        ConfigError: A choice cannot be shown, or two look the same.
    """
    if form.form == "text":
        return {}
    if form.form == "preference":
        return {LEFT: LEFT, RIGHT: RIGHT, **({SAME: SAME} if form.same else {})}
    if form.form == "verdict":
        words = {name: name for name in verdict_choices(form)}
    elif isinstance(form.labels, Mapping):
        words = dict(form.labels)
    else:
        words = {name: name for name in form.label_names}
    for label, word in words.items():
        parts_labels = form.form == "labels" and BETWEEN in label
        if word != one_line(word) or label != one_line(label).replace("\u2060", "") or parts_labels:
            hint = "Leave out line breaks, spaces at the ends or in a row, `$` before a letter, and (with labels) `|`."
            raise ConfigError(f"the choice {word!r} cannot be shown or read back", where=where, hint=hint)
    if len(set(words.values())) < len(words):
        raise ConfigError("two labels have the same words on the page", where=where)
    return {word: label for label, word in words.items()}


def shown_columns(form: PageForm, columns: Sequence[str], where: str) -> list[str]:
    """The columns that the page shows: those the file names, or all but those that would tell an answer or a system.

    Raises:
        ConfigError: There are none, or one of them must not be shown, or has a name that tasks have already.
    """
    telling = {"gold": [form.gold], "expected": [form.expected], "systems": [*(form.systems or ())]}
    hidden = {column: key for key, named_columns in telling.items() for column in named_columns if column}
    sides = set(form.between or ())
    shown = [column for column in form.show or columns if column not in sides and (form.show or column not in hidden)]
    for column in shown:
        if column in hidden:
            raise ConfigError(f"`show` names {column!r}, and as `{hidden[column]}` it must not be seen", where=where)
    names = [*shown, *([LEFT, RIGHT] if sides else [])]
    taken = [*names, *map(html_name, names), *_RESERVED]
    for name in names:
        if taken.count(name) > 1 or taken.count(html_name(name)) > 1:
            raise ConfigError(f"the column {name!r} has a name that tasks need for something else", where=where)
    if not names:
        raise ConfigError("the page shows nothing of an item", where=where, hint="Name columns in `show`.")
    return shown


def project_title(suite: str, kind: str) -> str:
    """The heading of the project."""
    return fitting_title(f"Tashika {suite} {kind}")


def _task_data(columns: Sequence[str], row: Row, _parents: Sequence[Row]) -> dict[str, Any]:
    return task_columns(row, columns)


def _with_sides(page: PreferencePage, columns: Sequence[str]) -> PreferencePage:
    """The page with tasks that show both texts, each on its drawn side, and do not say which is which."""

    def task_data(row: Row, parents: Sequence[Row]) -> dict[str, Any]:
        sides = page.sides(row["item_id"])
        texts = {side: row[sides[side]] for side in (LEFT, RIGHT)}
        return {**_task_data(columns, row, parents), **named((LEFT, RIGHT), texts), SIDES_SEED: page.seed}

    return replace(page, task_data=task_data)


def _markup(
    suite: CustomSuite, form: PageForm, columns: Sequence[str], choices: Sequence[str], look: Look, *, decides: bool
) -> str:
    if form.page is None:
        return made_page(form, columns, choices, look, decides=decides)
    names = [*columns, *([LEFT, RIGHT] if form.between else [])]
    control = VERDICT if form.form == "verdict" else ANSWER
    written = {ANSWER: form.form == "text", CORRECTION: form.correct is not None, NOTE: form.note is True}
    expected = Expected(
        choices=(control, choices) if choices else None,
        several=form.form == "labels",
        fields=[name for name, wanted in written.items() if wanted],
        optional=[NOTE] if form.note is None else [],
        plain=names,
        html=[html_name(name) for name in names],
    )
    return read_page(suite.place(form.page), expected)


def _guidelines(suite: CustomSuite, form: PageForm, choices: Sequence[str], look: Look, *, decides: bool) -> str:
    if form.guidelines is None:
        return made_guidelines(suite.title, form, choices, look, decides=decides)
    named_files: Mapping[str, str] = {"": form.guidelines} if isinstance(form.guidelines, str) else form.guidelines
    files: dict[str, Path] = {language: suite.place(name) for language, name in named_files.items()}
    # The language of the page comes first; who reads another scrolls down.
    ordered = dict(sorted(files.items(), key=lambda file: file[0] != look.language))
    spoken: Mapping[str, Language] = {language: language for language in get_args(Language)}
    return read_guidelines(ordered, lambda language: given_examples(form, spoken.get(language, look.language)))


def _always(_row: Row, _parents: Sequence[Row]) -> bool:
    return True


def _nothing(_row: Row) -> str | None:
    return None
