"""The form of a suite file as a whole; its JSON Schema is what editors complete by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from tashika.core.custom.annotate_form import AnnotateForm, PageForm
from tashika.core.custom.build_form import BuildForm, KindForm
from tashika.core.custom.lines import Loc
from tashika.core.custom.release_form import EvaluateForm, ExportForm
from tashika.core.settings import Section

SUITE = r"^[a-z][a-z0-9_-]{1,39}$"
_LABELLED = {"label": "label", "labels": "labels", "rating": "rating", "preference": "preferred", "text": "answers"}
"""The column that people's answers become, by the form of the page."""


class SuiteForm(Section):
    """`[suite]`.

    Attributes:
        name: On the command line, and the name of its folder in a workspace.
        title: One line for lists and pages.
        summary: What the dataset is, in Markdown, for the card and the report.
    """

    name: Annotated[str, Field(pattern=SUITE)]
    title: str = Field(min_length=1, max_length=200)
    summary: str = ""


class SuiteFile(Section):
    """A suite file: a dataset from candidates to scores.

    Attributes:
        suite: Its name and title.
        build: Where candidates come from.
        annotate: What people are asked about them.
        export: How it is published.
        evaluate: What models are asked; None where none are.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, title="A Tashika suite file")

    suite: SuiteForm
    build: BuildForm
    annotate: AnnotateForm = AnnotateForm()
    export: ExportForm = ExportForm()
    evaluate: EvaluateForm | None = None

    def page(self, kind: str) -> PageForm | None:
        """What people are asked about a kind; None where nobody is."""
        return self.annotate.kinds.get(kind)

    def answer_column(self, kind: str) -> str | None:
        """The column of a release that people's answers become; None where they only accept or reject."""
        page = self.page(kind)
        return _LABELLED.get(page.form) if page else None

    @property
    def evaluated_kind(self) -> str | None:
        """The kind that models are asked about."""
        if self.evaluate is None:
            return None
        return self.evaluate.kind or next(iter(self.build.kinds))

    def released_columns(self, kind: str) -> dict[str, str]:
        """The types of the columns that a released item has to offer to an evaluation: its own, and people's answer."""
        types: dict[str, str] = {name: form.type for name, form in self.build.kinds[kind].columns.items()}
        answer = self.answer_column(kind)
        forms = {"label": "label", "labels": "label list", "rating": "float32", "preferred": "label"}
        return {**types, **({answer: forms.get(answer, "strings")} if answer else {})}


Misfit = tuple[Loc, str]
"""Where something does not fit, as keys from the top of the file, and what."""


def unknown_kind(name: str, kinds: Iterable[str]) -> str:
    """What is said of a page for a kind that is not built."""
    return f"there is no kind {name!r} in [build.kinds]; known are {', '.join(kinds)}"


def misfits(file: SuiteFile) -> Iterator[Misfit]:
    """Yields what fits by itself and not with the rest of the file: columns and kinds that are not there."""
    kinds = file.build.kinds
    for name, page in file.annotate.kinds.items():
        where: Loc = ("annotate", "kinds", name)
        if name not in kinds:
            yield where, unknown_kind(name, kinds)
            continue
        yield from _page_misfits(where, page, kinds[name])
        yield from _language_misfits(where, page)
        people = page.annotators or file.annotate.annotators
        if file.annotate.minimum_votes > people:
            yield where, f"minimum_votes is {file.annotate.minimum_votes}, but only {people} people judge an item"
    yield from _export_misfits(file)
    yield from _evaluate_misfits(file)


def _page_misfits(where: Loc, page: PageForm, kind: KindForm) -> Iterator[Misfit]:
    for key, names in page.columns_named().items():
        for column in names:
            if column not in kind.columns:
                yield (*where, key), _no_column(column, kind.columns)
    if page.correct and page.correct in kind.columns and kind.columns[page.correct].type != "string":
        yield (*where, "correct"), f"the column {page.correct!r} is no text"
    answer = _LABELLED.get(page.form)
    if answer in kind.columns:
        yield where, f"people's answers become the column {answer!r}, which the kind has already; rename that one"
    for column in page.between or ():
        if column in kind.columns and kind.columns[column].type != "string":
            yield (*where, "between"), f"the column {column!r} is no text"


_NO_LANGUAGES: Mapping[str, str] = {"cn": "zh", "cz": "cs", "dk": "da", "gr": "el", "jp": "ja", "ua": "uk"}
"""Countries that are taken for languages, and are no code of one."""


def _language_misfits(where: Loc, page: PageForm) -> Iterator[Misfit]:
    named: list[tuple[Loc, Any]] = [(("guidelines",), page.guidelines)]
    for key in ("good", "bad"):
        examples = getattr(page.examples, key, ())
        named += [(("examples", key, str(place), "why"), example.why) for place, example in enumerate(examples)]
    for loc, texts in named:
        for language in texts if isinstance(texts, dict) else ():
            if language in _NO_LANGUAGES:
                yield (*where, *loc, language), f"is no language; did you mean {_NO_LANGUAGES[language]!r}?"


def _export_misfits(file: SuiteFile) -> Iterator[Misfit]:
    for number, language in enumerate(file.export.language):
        if language in _NO_LANGUAGES:
            found = f"{language!r} is no language; did you mean {_NO_LANGUAGES[language]!r}?"
            yield ("export", "language", str(number)), found
    for key in ("split_by", "split_column"):
        column = getattr(file.export, key)
        for name, kind in file.build.kinds.items():
            if column and column not in kind.columns:
                yield ("export", key), f"the kind {name} has no column {column!r}"


_TARGETS: Mapping[str, tuple[str, ...]] = {
    "cloze": ("string", "strings"),
    "multiple_choice": ("int32", "int64", "string", "label"),
    "classification": ("string", "label"),
    "generate": ("string", "strings", "int32", "int64", "float32", "float64"),
    "judge": ("string", "strings", "int32", "int64", "float32", "float64", "label"),
}


def _evaluate_misfits(file: SuiteFile) -> Iterator[Misfit]:
    asked, kind = file.evaluate, file.evaluated_kind
    if asked is None or kind is None:
        return
    if kind not in file.build.kinds:
        yield ("evaluate", "kind"), f"there is no kind {kind!r}; known are {', '.join(file.build.kinds)}"
        return
    columns = file.released_columns(kind)
    yield from _column_misfits(asked, columns)
    yield from _label_misfits(file, asked, kind)
    if asked.task == "classification" and not asked.labels and columns.get(str(asked.target)) != "label":
        yield ("evaluate", "labels"), "which labels there are is not known: name each with the words that stand for it"
    for key in ("split", "few_shot_split", "train_split", "validation_split"):
        split = getattr(asked, key)
        if split is not None and split not in file.export.splits:
            yield ("evaluate", key), f"the release has no part {split!r}; it has {', '.join(file.export.splits)}"


def _column_misfits(asked: EvaluateForm, columns: Mapping[str, str]) -> Iterator[Misfit]:
    named = {"input": (asked.input,), "target": (asked.target,), "choices": asked.choice_columns, "by": asked.by}
    for key, names in named.items():
        for column in names:
            if column is not None and column not in columns:
                yield ("evaluate", key), _no_column(column, columns)
    if asked.target and asked.target in columns and columns[asked.target] not in _TARGETS[asked.task]:
        expected = ", ".join(_TARGETS[asked.task])
        yield ("evaluate", "target"), f"{asked.target!r} is {columns[asked.target]}, expected {expected}"
    expected = "strings" if isinstance(asked.choices, str) else "string"
    for column in asked.choice_columns:
        if column in columns and columns[column] != expected:
            yield ("evaluate", "choices"), f"{column!r} is {columns[column]}, expected {expected}"


def _no_column(column: str, columns: Mapping[str, Any]) -> str:
    return f"there is no column {column!r}; the kind has {', '.join(columns)}"


def _label_misfits(file: SuiteFile, asked: EvaluateForm, kind: str) -> Iterator[Misfit]:
    """Labels that models are given must be those that people gave."""
    page = file.page(kind)
    if page is None or asked.task != "classification" or not asked.labels or asked.target != file.answer_column(kind):
        return
    for label in page.label_names:
        if label not in asked.labels:
            yield ("evaluate", "labels"), f"no words stand for the label {label!r}, which people choose among"
    for label in asked.labels:
        if label not in page.label_names:
            yield ("evaluate", "labels"), f"people choose among {', '.join(page.label_names)}; there is no {label!r}"
