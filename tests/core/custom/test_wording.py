from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tashika.core.custom.schema import suite_schema
from tashika.core.custom.wording import PATTERNS


def _patterns(part: Any) -> Iterator[str]:
    """The patterns of a JSON Schema: those of names and of values."""
    if isinstance(part, dict):
        if isinstance(part.get("pattern"), str):
            yield part["pattern"]
        yield from part.get("patternProperties", {})
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _patterns(inner)


def test_each_pattern_of_the_form_has_words() -> None:
    assert set(_patterns(suite_schema())) == set(PATTERNS)
