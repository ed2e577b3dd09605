"""Templates and expressions of a suite file: Jinja in its sandbox, over the columns of a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from tashika.core.errors import ConfigError, InputError

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

Row = Mapping[str, Any]
LONGEST = 100_000
"""Characters; what a template makes of one row is no longer."""


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=False)


def template_problem(text: str, columns: Collection[str]) -> str | None:
    """What is wrong with a template over these columns, or None."""
    from jinja2 import TemplateSyntaxError, meta

    try:
        unknown = meta.find_undeclared_variables(_environment().parse(text)) - set(columns)
    except TemplateSyntaxError as error:
        return f"not a template: {error.message}, in its line {error.lineno}"
    if unknown:
        return f"the template names {', '.join(sorted(map(repr, unknown)))}; it may use {', '.join(columns)}"
    return None


def expression_problem(text: str, columns: Collection[str]) -> str | None:
    """What is wrong with an expression over these columns, or None."""
    return template_problem("{{ (" + text + ") }}", columns)


def renderer(text: str, where: str) -> Callable[[Row], str]:
    """What makes a text of a row.

    Raises:
        ConfigError: The template is none.
    """
    from jinja2 import TemplateError

    try:
        template = _environment().from_string(text)
    except TemplateError as error:
        raise ConfigError(f"not a template: {error}", where=where) from error

    def render(row: Row) -> str:
        try:
            made = template.render(row)
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise InputError(f"the template fails on a row: {error}; the row is {_shown(row)}", where=where) from error
        if len(made) > LONGEST:
            raise InputError(
                f"the template makes {len(made):,} characters of a row, more than {LONGEST:,}", where=where
            )
        return made

    return render


def condition(text: str, where: str) -> Callable[[Row], bool]:
    """What says whether an expression is true of a row.

    Raises:
        ConfigError: The expression is none.
    """
    from jinja2 import TemplateError

    try:
        expression = _environment().compile_expression(text, undefined_to_none=False)
    except TemplateError as error:
        raise ConfigError(f"not an expression: {error}", where=where) from error

    def holds(row: Row) -> bool:
        try:
            return bool(expression(**row))
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise InputError(f"the condition fails on a row: {error}; the row is {_shown(row)}", where=where) from error

    return holds


def _shown(row: Row) -> str:
    return repr(dict(row))[:200]
