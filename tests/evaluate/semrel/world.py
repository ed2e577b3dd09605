"""A small world for the suite on semantic relations: three targets, two relations, and people who answer."""

from __future__ import annotations

import json
from typing import Any

from tashika.core.files import read_table, write_rows
from tashika.core.records import RESPONSE, item_id, item_row, item_schema
from tashika.core.suites.semrel.wordnet import Senses
from tashika.core.workspace import Workspace

HYPERNYMY, ANTONYMY = "[DET] [W] is a kind of [V]", "[DET] [W] is the opposite of [V]"
RELATA = {
    ("dog", "hypernymy"): ["animal", "pet"],
    ("dog", "antonymy"): ["cat"],
    ("cat", "hypernymy"): ["animal"],
    ("cat", "antonymy"): ["dog"],
    ("niece", "hypernymy"): ["relative"],
    ("niece", "antonymy"): ["nephew"],
}
ASKED = [
    (target, relation, prompt)
    for target in ("dog", "cat", "niece")
    for relation, prompt in (("hypernymy", HYPERNYMY), ("antonymy", ANTONYMY))
]
VOCABULARY = ["animal", "cat", "dog", "nephew", "niece", "pet", "relative", "uncle"]
PEOPLE = {
    ("dog", "hypernymy"): [["animal", "pet"], ["animal"]],
    ("dog", "antonymy"): [["cat"], ["cat", "wolf"]],
    ("cat", "hypernymy"): [["animal"], ["animal", "dog"]],
    ("niece", "hypernymy"): [["relative", "kin"], ["relative"]],
}
"""Nobody answers for the antonyms of cat and niece."""


class Shape:
    seed, hidden, layers = 0, 32, 1


class FakeWordNet:
    """As much of WordNet as a response file needs."""

    def relata(self, word: str, relation: str, *_: Any, senses: Senses = "all") -> dict[str, int]:
        return dict.fromkeys(RELATA.get((word, relation), []), 1)

    def lemma(self, word: str) -> str:
        return {"animals": "animal"}.get(word, word)


def probe_id(probe: tuple[str, str, str]) -> str:
    return item_id("semrel", "probe", *probe)


def item(kind: str, key: tuple[str, ...], payload: dict[str, Any]) -> dict[str, Any]:
    return item_row("semrel", kind, key, payload, builder="test", version="1")


def text_of(probe: tuple[str, str, str]) -> str:
    return probe[2].replace("[DET] [W]", f"a {probe[0]}").replace(" [V]", "")


def write_items(workspace: Workspace, kind: str, rows: list[dict[str, Any]]) -> None:
    write_rows(workspace.item_file(kind), sorted(rows, key=lambda row: row["item_id"]), item_schema("semrel", kind))


def write_answers(
    workspace: Workspace, people: dict[tuple[str, str], list[list[str]]] | None = None, *, simulated: bool = False
) -> None:
    """Writes what people, or programs in their place, answered, as the annotation room does."""
    prompts = {"hypernymy": HYPERNYMY, "antonymy": ANTONYMY}
    rows = []
    for (target, relation), given in (people or PEOPLE).items():
        probe = (target, relation, prompts[relation])
        for person, words in enumerate(given):
            for place, word in enumerate(words, start=1):
                columns = {"item_id": probe_id(probe), "target": target, "relation": relation, "prompt": probe[2]}
                told = {"annotator": f"p{person}", "place": place, "raw": word, "answer": word, "simulated": simulated}
                rows.append({**columns, **told})
    write_rows(workspace.annotation / "responses.parquet", rows, RESPONSE)


def metrics_of(workspace: Workspace, system: str) -> dict[str, Any]:
    [folder] = [one for one in workspace.evaluate.iterdir() if one.name.startswith(system)]
    found: dict[str, Any] = json.loads((folder / "metrics.json").read_text())
    return found


def answers_of(workspace: Workspace, system: str) -> dict[tuple[str, str], dict[str, Any]]:
    [folder] = [one for one in workspace.evaluate.iterdir() if one.name.startswith(system)]
    rows = read_table(folder / "answers.parquet").to_pylist()
    return {(row["target"], row["relation"]): row for row in rows}
