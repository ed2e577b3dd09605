"""What the columns of such a release are for, as far as the suite file says."""

from __future__ import annotations

from collections.abc import Mapping

from tashika.core.custom.form import SuiteFile
from tashika.core.custom.release_form import EvaluateForm
from tashika.exports.checking.shape import Choice, Shape

_TEXT = ("string", "strings")


def shapes_of(file: SuiteFile) -> Mapping[str, Shape]:
    """The shapes by kind: the columns of text are read, and those that make an item are compared."""
    return {kind: _shape(file, kind) for kind in file.build.kinds}


def _shape(file: SuiteFile, kind: str) -> Shape:
    form, page = file.build.kinds[kind], file.page(kind)
    columns = {name: column.type for name, column in form.columns.items() if not (page and name == page.gold)}
    texts = tuple(name for name, kind_of in columns.items() if kind_of in _TEXT)
    named = form.near_duplicates.columns if form.near_duplicates else form.key
    compared = tuple(name for name in named if columns.get(name) in _TEXT)
    asked = file.evaluate if file.evaluated_kind == kind else None
    question, answers = _question(asked, texts)
    label = file.answer_column(kind) if page and page.form == "label" else None
    return Shape(
        texts=texts,
        compared=compared,
        within=tuple(name for name in form.key if name in columns and name not in compared) if compared else (),
        contexts=_contexts(asked, compared, file.export.split_by) if asked else (),
        groups=(file.export.split_by,) if file.export.split_by else (),
        choice=_choice(asked, texts) if asked else None,
        label=label or (asked.target if asked and asked.task == "classification" else None),
        question=question,
        answers=answers,
    )


def _contexts(asked: EvaluateForm, compared: tuple[str, ...], split_by: str | None) -> tuple[str, ...]:
    """The columns that make an item together and are read each: one of them in two parts is seen before it is asked."""
    read = [name for name in compared if name == asked.input or name in (asked.prompt or "")]
    return tuple(name for name in read if len(compared) > 1 and name != split_by)


def _choice(asked: EvaluateForm, texts: tuple[str, ...]) -> Choice | None:
    if asked.task != "multiple_choice" or asked.target is None:
        return None
    question = (asked.input,) if asked.input else tuple(name for name in texts if name in (asked.prompt or ""))
    kept = tuple(name for name in question if name not in {*asked.choice_columns, asked.target})
    return Choice(kept, asked.choice_columns, asked.target)


def _question(asked: EvaluateForm | None, texts: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of a question and of its answer, where there is nothing to choose from."""
    if asked is None or asked.task not in {"cloze", "generate"} or asked.input is None or asked.target not in texts:
        return (), ()
    return (asked.input,), (asked.target,)
