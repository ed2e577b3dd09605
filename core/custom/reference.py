"""The text of `docs/suite-file.md`: every key of a suite file, out of its JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tashika.core.custom.schema import suite_schema

_HEADING = """# All keys of a suite file

Made by `make docs` from the models that read the file; a test compares the two. [own-dataset.md](own-dataset.md) shows
how they go together, and [suite.schema.json](suite.schema.json) says the same to an editor. Paths are relative to the
suite file and stay in its folder.
"""

_TABLES = {
    "SuiteForm": "[suite]",
    "KindForm": "[build.kinds.KIND]",
    "ColumnForm": "columns = { NAME = { ... } }",
    "Generate": "[build.kinds.KIND.generate]",
    "Sparql": "[build.kinds.KIND.sparql]",
    "NearDuplicates": "[build.kinds.KIND.near_duplicates]",
    "AnnotateForm": "[annotate]",
    "PageForm": "[annotate.kinds.KIND]",
    "ExportForm": "[export]",
    "ChecksForm": "[export.checks]",
    "Author": "authors = [{ ... }]",
    "EvaluateForm": "[evaluate]",
}
"""The models in the order of a file, and how each table is written there."""


def keys_reference() -> str:
    """All tables and their keys in Markdown."""
    definitions = suite_schema()["$defs"]
    return _HEADING + "".join(f"\n{_section(definitions[name], header)}" for name, header in _TABLES.items())


def _section(model: Mapping[str, Any], header: str) -> str:
    required = set(model.get("required", ()))
    rows = [
        f"| `{name}` | {_cell(_form(key))} | {_default(key, name in required)} | {_cell(key['description'])} |\n"
        for name, key in model["properties"].items()
        if name != "kinds"
    ]
    text = "" if model["description"].startswith("`[") else model["description"] + "\n\n"
    return f"## `{header}`\n\n{text}| key | value | default | what it is |\n|---|---|---|---|\n{''.join(rows)}"


def _form(key: Mapping[str, Any]) -> str:
    return " or ".join(dict.fromkeys(_forms(key)))


def _forms(key: Mapping[str, Any]) -> Iterator[str]:
    if "anyOf" in key:
        for form in key["anyOf"]:
            yield from _forms(form)
    elif "enum" in key:
        yield ", ".join(f"`{value}`" for value in key["enum"])
    elif key.get("type") == "array":
        yield f"{len(key['prefixItems'])} of them in a list" if "prefixItems" in key else "list"
    elif "$ref" in key or key.get("type") == "object":
        yield "table"
    else:
        yield {"string": "text", "boolean": "true or false", "number": "number"}.get(key["type"], key["type"])


def _default(key: Mapping[str, Any], required: bool) -> str:
    if required:
        return "required"
    value = key.get("default")
    if value is None or value in ("", [], {}):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
