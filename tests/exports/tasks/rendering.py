"""Templates rendered as lm-eval 0.4.13 does (its `utils.apply_template`), and its reading of targets and options."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined

_ENVIRONMENT = Environment(loader=BaseLoader(), undefined=StrictUndefined, keep_trailing_newline=True)


def render(template: str, row: Mapping[str, Any]) -> str:
    return _ENVIRONMENT.from_string(template).render(**row)


def text_of(said: Mapping[str, Any], row: Mapping[str, Any]) -> Any:
    """What `ConfigurableTask.doc_to_text` makes of a row."""
    if said["doc_to_text"] in row:
        return row[said["doc_to_text"]]
    text = render(said["doc_to_text"], row)
    return ast.literal_eval(text) if text.isdigit() and "doc_to_choice" in said else text


def target_of(said: Mapping[str, Any], row: Mapping[str, Any]) -> Any:
    """What `ConfigurableTask.doc_to_target` makes of a row."""
    if said["doc_to_target"] in row:
        return row[said["doc_to_target"]]
    text = render(said["doc_to_target"], row)
    if text.isdigit() and "doc_to_choice" in said:
        return ast.literal_eval(text)
    return ast.literal_eval(text) if text[:1] == "[" and text[-1:] == "]" else text


def options_of(said: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """What `ConfigurableTask.doc_to_choice` makes of a row."""
    choices = said["doc_to_choice"]
    if isinstance(choices, list):
        return choices
    found: list[str] = row[choices] if choices in row else ast.literal_eval(render(choices, row))
    return found


def place_of(said: Mapping[str, Any], row: Mapping[str, Any]) -> int:
    """The place of the right option, as `process_results` finds it."""
    target = target_of(said, row)
    return options_of(said, row).index(target) if isinstance(target, str) else int(target)
