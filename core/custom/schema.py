"""The JSON Schema of a suite file, which editors complete and check by, with what each key means."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from tashika.core.custom.form import SuiteFile

_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)
_DEFINITIONS = "#/$defs/"


def suite_schema() -> dict[str, Any]:
    """The JSON Schema of a suite file; keys are described as in the docstrings of the models."""
    schema = SuiteFile.model_json_schema()
    models = {model.__name__: model for model in _models()}
    for name, described in [*schema["$defs"].items(), (SuiteFile.__name__, schema)]:
        _describe(described, models[name])
    whole: dict[str, Any] = _without_null(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole}


def attribute_texts(model: type) -> dict[str, str]:
    """What the section "Attributes" of a Google-style docstring says of each attribute, each on one line."""
    _, _, rest = inspect.cleandoc(model.__doc__ or "").partition("\nAttributes:\n")
    section = re.split(r"^\S", rest, maxsplit=1, flags=re.MULTILINE)[0]
    return {name: " ".join(text.split()) for name, text in _ATTRIBUTE.findall(section)}


def summary_text(model: type) -> str:
    """What a Google-style docstring says before its sections, on one line."""
    text, _, _ = inspect.cleandoc(model.__doc__ or "").partition("\nAttributes:\n")
    return " ".join(text.split())


def known_keys(schema: Mapping[str, Any], loc: Sequence[str]) -> list[str]:
    """The keys that a table of a suite file may have; none where any name may stand.

    Args:
        schema: Of the suite file.
        loc: The table, as keys from the top of the file.
    """
    tables: list[Mapping[str, Any]] = [schema]
    for key in loc:
        tables = [inner for table in tables for form in _forms(schema, table) for inner in _inner(form, key)]
    return [key for table in tables for form in _forms(schema, table) for key in form.get("properties", {})]


def _models() -> Iterator[type[BaseModel]]:
    """The models of a suite file, each once."""
    from tashika.core import release_checks, release_words
    from tashika.core.custom import annotate_form, build_form, form, release_form

    for module in (form, build_form, annotate_form, release_form, release_words, release_checks):
        for value in vars(module).values():
            if inspect.isclass(value) and issubclass(value, BaseModel) and value.__module__ == module.__name__:
                yield value


def _describe(described: dict[str, Any], model: type[BaseModel]) -> None:
    described["description"] = summary_text(model)
    texts = {name: text for base in reversed(model.__mro__) for name, text in attribute_texts(base).items()}
    for name, key in described["properties"].items():
        key["description"] = texts[name]
        key.pop("title", None)


def _without_null(value: Any) -> Any:
    """TOML has no null: a key that may be left out has no default, and no other type beside its own."""
    if isinstance(value, list):
        return [_without_null(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _without_null(entry) for key, entry in value.items() if key != "default" or entry is not None}
    if "patternProperties" in kept:
        kept["additionalProperties"] = False  # so that an editor marks a name that no table can have
    forms = [form for form in kept.get("anyOf", []) if form != {"type": "null"}]
    if "anyOf" in kept and len(forms) == 1:
        del kept["anyOf"]
        return {**forms[0], **kept}
    return {**kept, "anyOf": forms} if forms else kept


def _forms(schema: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The forms that a part of a schema may have."""
    if "$ref" in part:
        yield from _forms(schema, schema["$defs"][part["$ref"].removeprefix(_DEFINITIONS)])
    for form in part.get("anyOf", ()):
        yield from _forms(schema, form)
    if "properties" in part or "additionalProperties" in part or "patternProperties" in part:
        yield part


def _inner(form: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    if key in form.get("properties", {}):
        yield form["properties"][key]
        return
    for inner in (form.get("additionalProperties"), *form.get("patternProperties", {}).values()):
        if isinstance(inner, Mapping):
            yield inner
