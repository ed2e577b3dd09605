"""Templates and expressions of a suite file: Jinja in its sandbox, over the columns of a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from tashika.core.errors import ConfigError, InputError

if TYPE_CHECKING:
    from jinja2 import nodes
    from jinja2.sandbox import ImmutableSandboxedEnvironment

Row = Mapping[str, Any]
LONGEST = 100_000
"""Characters; what a template makes of one row is no longer."""
_LARGEST_POWER = 64
_OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "**"})


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Environment(ImmutableSandboxedEnvironment):
        """Computes nothing while a template is only read, and no value that fills the memory."""

        intercepted_binops = _OPERATORS

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            if operator == "*" and _copies(left, right) > LONGEST:
                raise ValueError(f"a text or list is repeated to more than {LONGEST:,} characters or entries")
            if operator == "**" and (abs(left) > LONGEST or abs(right) > _LARGEST_POWER):
                raise ValueError(f"the power is too large: more than {LONGEST:,} to the {_LARGEST_POWER}")
            return super().call_binop(context, operator, left, right)

    return Environment(undefined=StrictUndefined, keep_trailing_newline=False)


def _copies(left: Any, right: Any) -> int:
    """How long a product of a text or list with a number is; 0 for other products."""
    for whole, times in ((left, right), (right, left)):
        if isinstance(whole, str | list | tuple) and isinstance(times, int):
            return len(whole) * times
    return 0


def template_problem(text: str, columns: Collection[str] | None) -> str | None:
    """What is wrong with a template over these columns, or None.

    Args:
        text: The template.
        columns: What it may use; None where that is not known yet.
    """
    return _problem(lambda: _environment().parse(text), columns, "a template")


def expression_problem(text: str, columns: Collection[str]) -> str | None:
    """What is wrong with an expression over these columns, or None."""

    def parsed() -> nodes.Template:
        from jinja2 import TemplateSyntaxError, nodes
        from jinja2.parser import Parser

        parser = Parser(_environment(), text, state="variable")
        expression = parser.parse_expression()
        if not parser.stream.eos:
            raise TemplateSyntaxError(f"unexpected {parser.stream.current.value!r}", parser.stream.current.lineno)
        template = nodes.Template([nodes.Output([expression], lineno=1)], lineno=1)
        return template.set_environment(_environment())  # type: ignore[return-value]

    return _problem(parsed, columns, "an expression")


def _problem(parsed: Callable[[], nodes.Template], columns: Collection[str] | None, what: str) -> str | None:
    from jinja2 import TemplateSyntaxError, meta

    try:
        tree = parsed()
        names = meta.find_undeclared_variables(tree)
        if any(True for _ in meta.find_referenced_templates(tree)):
            return f"{what} takes in another one, which it cannot"
    except TemplateSyntaxError as error:
        return f"not {what}: {error.message}, in its line {error.lineno}"
    except (ValueError, RecursionError, SyntaxError) as error:  # numbers of thousands of digits, brackets as deep
        return f"not {what}: {error}"
    unknown = set() if columns is None else names - set(columns)
    if unknown:
        return f"{what} names {', '.join(sorted(map(repr, unknown)))}; it may use {', '.join(columns or ())}"
    return None


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
