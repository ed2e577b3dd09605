"""Objects widened by T-REx (paper, appendix A.1.1.1): what else it states for a subject-relation pair.

T-REx is published as a few hundred JSON files, 25 GB in all; they are streamed, so memory holds the facts and
nothing of the articles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from tashika.builders.myriadlama.facts import Fact
from tashika.core.errors import InputError
from tashika.core.files import stream_json_list

Annotator = Literal["NoSub", "AllEnt", "SPO"]

ANNOTATORS: Final[dict[str, str]] = {
    "NoSub": "NoSubject-Triple-aligner",
    "AllEnt": "Simple-Aligner",
    "SPO": "SPOAligner",
}
"""How T-REx aligned a triple with its sentence -> the annotator's name in the files (precision .98, .96, .88)."""

_IRI = re.compile(r"https?://www\.wikidata\.org/(?:entity|wiki|prop/direct)/(?:Property:)?([QP][1-9]\d*)")


def widened_by_trex(
    facts: Sequence[Fact], files: Iterable[Path], annotators: Sequence[Annotator] = ("NoSub", "AllEnt", "SPO")
) -> list[Fact]:
    """The facts and every further object that T-REx states for one of their pairs.

    Args:
        facts: What is there.
        files: T-REx's JSON files.
        annotators: Whose alignments count; the first that states an object is named as its origin.

    Raises:
        InputError: A file is missing, empty, cut short, or has another form.
    """
    merged = {fact.key: fact for fact in facts}
    labels = {fact.pair: fact.subject_label for fact in facts}
    names = {ANNOTATORS[annotator]: annotator for annotator in annotators}
    for path in files:
        for document in _documents(path):
            for triple in document["triples"]:
                fact = _fact(triple, labels, names, path)
                if fact is not None:
                    merged.setdefault(fact.key, fact)
    return sorted(merged.values(), key=lambda fact: fact.order)


def _documents(path: Path) -> Iterator[dict[str, Any]]:
    import ijson

    count = 0
    try:
        with path.open("rb") as file:
            for document in stream_json_list(file):
                count += 1
                if not isinstance(document, dict) or not isinstance(document.get("triples"), list):
                    raise InputError("a document has no list `triples`", where=f"{path}, document {count}")
                yield document
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path)) from error
    except ijson.JSONError as error:
        raise InputError(
            f"not whole JSON: {error}", where=f"{path}, after document {count}", hint="Fetch the file again."
        ) from error
    if count == 0:
        raise InputError("no documents in it", where=str(path), hint="Expected a JSON list of T-REx documents.")


def _fact(
    triple: dict[str, Any], labels: dict[tuple[str, str], str], annotators: Mapping[str, str], path: Path
) -> Fact | None:
    """The fact that a triple states, or None if it is of no pair of ours, of another annotator, or of a literal."""
    try:
        annotator = annotators.get(triple["annotator"])
        parts = [_IRI.fullmatch(triple[part]["uri"] or "") for part in ("predicate", "subject", "object")]
        surface = triple["object"]["surfaceform"]
    except (KeyError, TypeError) as error:
        raise InputError(f"a triple lacks {error}", where=str(path)) from error
    if not isinstance(surface, str | None):
        raise InputError(f"found the surfaceform {str(surface)[:60]!r}, expected a text", where=str(path))
    if annotator is None or not all(parts):
        return None
    relation, subject, value = (part[1] for part in parts if part)
    if (relation, subject) not in labels:
        return None
    label = surface.strip() if surface and surface.strip() else value
    return Fact(relation, subject, value, labels[relation, subject], label, f"trex:{annotator}")
