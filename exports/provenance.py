"""Where the released items came from, counted from each item's own provenance."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tashika.exports.arrow import values


@dataclass(frozen=True)
class Builder:
    """A builder, and how many released items of a kind it made."""

    kind: str
    name: str
    version: str
    items: int


@dataclass(frozen=True)
class Source:
    """A source in one revision, how many released items rest on it, and its licence if it is known."""

    name: str
    revision: str | None
    items: int
    licence: str | None


@dataclass(frozen=True)
class Generation:
    """A language model with its sampling settings, and how many released texts it wrote from how many prompts."""

    model: str
    sampling: str
    prompts: int
    items: int


@dataclass(frozen=True)
class Provenance:
    """Builders, sources and generating models of a release, each in a fixed order."""

    builders: tuple[Builder, ...]
    sources: tuple[Source, ...]
    generations: tuple[Generation, ...]


def provenance(items: Mapping[str, pa.Table], licences: Mapping[str, str]) -> Provenance:
    """Counts where items came from.

    Args:
        items: Released items by kind, with the columns of `core.records.ITEM_FIELDS`.
        licences: Words in a source's name, in lower case, and that source's licence; the first that fits is taken.
    """
    return Provenance(tuple(_builders(items)), tuple(_sources(items, licences)), tuple(_generations(items)))


def _builders(items: Mapping[str, pa.Table]) -> Iterator[Builder]:
    for kind, table in items.items():
        pairs = zip(values(table, "builder"), values(table, "builder_version"), strict=True)
        for (name, version), count in sorted(Counter(pairs).items()):
            yield Builder(kind, name, version, count)


def _sources(items: Mapping[str, pa.Table], licences: Mapping[str, str]) -> Iterator[Source]:
    counts: Counter[tuple[str, str | None]] = Counter()
    for table in items.values():
        for sources in values(table, "sources"):
            counts.update((source["name"], source["revision"]) for source in sources)
    for (name, revision), count in sorted(counts.items(), key=lambda entry: (entry[0][0], entry[0][1] or "")):
        licence = next((known for words, known in licences.items() if has_words(name, words)), None)
        yield Source(name, revision, count, licence)


def has_words(name: str, words: str) -> bool:
    """Whether the words stand in the name as such: `lama` is in `LAMA P19.jsonl`, not in `llama.cpp`."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", name.casefold()) is not None


def _generations(items: Mapping[str, pa.Table]) -> Iterator[Generation]:
    counts: Counter[tuple[str, str]] = Counter()
    prompts: dict[tuple[str, str], set[str]] = {}
    for table in items.values():
        for generation in filter(None, values(table, "generation")):
            key = (generation["model"], generation["sampling"])
            counts[key] += 1
            prompts.setdefault(key, set()).add(generation["prompt_hash"])
    for (model, sampling), count in sorted(counts.items()):
        yield Generation(model, _readable(sampling), len(prompts[model, sampling]), count)


def _readable(sampling: str) -> str:
    """Sampling settings as `name value` pairs, or as they are if they are not a JSON object."""
    try:
        settings: Any = json.loads(sampling)
    except json.JSONDecodeError:
        return sampling
    if not isinstance(settings, dict):
        return sampling
    return ", ".join(f"{name} {value}" for name, value in sorted(settings.items()))
