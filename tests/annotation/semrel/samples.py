"""Small probes, relata, and what people said of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tashika.core.files import write_rows
from tashika.core.records import item_row, item_schema
from tashika.core.workspace import Workspace

PROMPTS = ("[DET] [W] is a kind of [V]", "[DET] [W] is one sort of [V]")


def probe(
    target: str, place: int = 0, relation: str = "hypernymy", known: list[str] | None = None, **values: Any
) -> dict[str, Any]:
    prompt = PROMPTS[place]
    payload = {
        "target": target,
        "relation": relation,
        "prompt": prompt,
        "text": prompt.replace("[DET]", "a").replace("[W]", target).removesuffix(" [V]"),
        "questionnaire": place + 1,
        "known_answers": known,
        **values,
    }
    key = (target, relation, prompt, *(known or ()))
    return item_row("semrel", "probe", key, payload, builder="semrel", version="1")


def relatum(target: str, word: str, relation: str = "hypernymy") -> dict[str, Any]:
    payload = {"target": target, "relation": relation, "word": word, "distance": 1, "origins": ["wordnet"]}
    return item_row("semrel", "relatum", (target, relation, word), payload, builder="semrel", version="1")


def write(workspace: Workspace, probes: Iterable[Mapping[str, Any]], relata: Iterable[Mapping[str, Any]] = ()) -> None:
    write_rows(workspace.item_file("probe"), list(probes), item_schema("semrel", "probe"))
    write_rows(workspace.item_file("relatum"), list(relata), item_schema("semrel", "relatum"))
