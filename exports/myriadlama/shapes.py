"""What the columns of MyriadLAMA's configurations are for; prompts are checked in the tables that they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.exports.checking.shape import Shape

SHAPES: Final[Mapping[str, Shape]] = {
    "facts": Shape(question=("subject_label",), answers=("object_label",)),
    "aliases": Shape(texts=("text",), language="language"),
    "templates": Shape(texts=("text",), compared=("text",), within=("relation",)),
    "lama_uhn": Shape(texts=("template", "subject_label", "object_label")),
}
"""Shapes by configuration."""
