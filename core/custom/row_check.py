"""Whether models could be asked about a candidate: found when it is built, not when people have judged it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tashika.core.custom.form import SuiteFile
from tashika.core.custom.release_form import EvaluateForm
from tashika.core.custom.templating import renderer, template_problem
from tashika.core.errors import InputError

Row = Mapping[str, Any]
RowCheck = Callable[[Row], str | None]
"""What is wrong with a candidate, or None."""


def row_check(file: SuiteFile, kind: str) -> RowCheck:
    """What the section [evaluate] asks of each candidate of a kind.

    What people's answers will be is not known yet, and not looked at.
    """
    asked = file.evaluate
    if asked is None or kind != file.evaluated_kind:
        return lambda _: None
    checks = [*_target_checks(file, asked, kind), *_prompt_checks(file, asked, kind)]
    return lambda row: next(filter(None, (check(row) for check in checks)), None)


def _target_checks(file: SuiteFile, asked: EvaluateForm, kind: str) -> list[RowCheck]:
    target = asked.target
    if target not in file.build.kinds[kind].columns:
        return [lambda row: _options(row, asked)[1]] if asked.task == "multiple_choice" else []
    if asked.task == "multiple_choice":
        return [lambda row: _wrong_choice(row, asked, str(target))]
    if asked.task == "classification" and asked.labels:
        return [lambda row: _wrong_label(row[str(target)], asked)]
    return []


def _options(row: Row, asked: EvaluateForm) -> tuple[Sequence[str], str | None]:
    """The options of a candidate, and what is wrong with them."""
    columns = asked.choice_columns
    options = (row[columns[0]] or []) if isinstance(asked.choices, str) else [row[column] for column in columns]
    named = ", ".join(columns)
    if len(options) < 2:
        return options, f"column {named}: found {len(options)} option, expected two or more; is `separator` right?"
    doubled = next((option for option in options if options.count(option) > 1), None)
    return options, f"column {named}: found the option {doubled!r} twice" if doubled is not None else None


def _wrong_choice(row: Row, asked: EvaluateForm, target: str) -> str | None:
    options, problem = _options(row, asked)
    answer = row[target]
    if problem or answer is None:
        return problem
    if isinstance(answer, int):
        if 0 <= answer < len(options):
            return None
        return f"column {target}: found {answer}, expected the place of one of {len(options)} options, from 0"
    if answer in options:
        return None
    return f"column {target}: found {answer!r}, expected one of the options: {', '.join(map(str, options))}"


def _wrong_label(answer: Any, asked: EvaluateForm) -> str | None:
    if answer is None or answer in asked.labels:
        return None
    return f"column {asked.target}: found {answer!r}, expected one of {', '.join(asked.labels)}"


def _prompt_checks(file: SuiteFile, asked: EvaluateForm, kind: str) -> list[RowCheck]:
    """The prompt must make a text of each candidate, unless it names what people have still to answer."""
    prompt = asked.prompt
    if prompt is None or template_problem(prompt, list(file.build.kinds[kind].columns)):
        return []
    render = renderer(prompt, "[evaluate] prompt")

    def fails(row: Row) -> str | None:
        try:
            render(row)
        except InputError as error:
            return f"[evaluate] prompt: {error.message}"
        return None

    return [fails]
