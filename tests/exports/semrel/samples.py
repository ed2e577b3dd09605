"""A small release of semantic relations as the builder and people leave it: three targets, three relations."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tashika.core.files import write_json, write_rows, write_text
from tashika.core.records import RESPONSE, VERDICT, item_id, item_row, item_schema
from tashika.core.workspace import Workspace

SUITE = "semrel"
PROMPTS = {
    "hypernymy": ["[DET] [W] is a kind of any [V]", "every [W] counts as some [V]"],
    "antonymy": ["the opposite of [DET] [W] is every [V]"],
    "meronymy": ["one part of [DET] [W] is the [V]"],
}
RELATA = {
    ("niece", "hypernymy"): ["relative", "kin"],
    ("niece", "antonymy"): ["nephew"],
    ("car", "hypernymy"): ["vehicle"],
    ("car", "meronymy"): ["wheel", "door"],
    ("water", "hypernymy"): ["liquid"],
}
ARTICLES = {"niece": "a ", "car": "a ", "water": ""}
CONTROL = "one plus one is [V]"
VOCABULARY = ["car", "door", "kin", "liquid", "nephew", "niece", "relative", "vehicle", "water", "wheel"]

SAID: dict[tuple[str, str, int], list[list[str]]] = {
    ("niece", "hypernymy", 0): [["relative", "girl"], ["relative"], ["girl", "kin"], ["kin", "relative"]],
    ("niece", "antonymy", 0): [["nephew"], ["nephew", "aunt"], ["uncle"], ["aunt", "nephew"]],
    ("car", "meronymy", 0): [["wheel"], ["wheel", "engine"]],
}
"""(Target, relation, number of the prompt) -> each person's answers."""

EXPORT_TOML = """
[export]
version = "0.1.0"
pretty_name = "Semantic relations (test)"
license = "other"
language = ["en"]
"""


def text(target: str, prompt: str) -> str:
    return prompt.replace("[DET] [W]", ARTICLES[target] + target).replace("[W]", target).removesuffix(" [V]")


def probe_id(target: str, relation: str, number: int = 0) -> str:
    return item_id(SUITE, "probe", target, relation, PROMPTS[relation][number])


def relatum_id(target: str, relation: str, word: str) -> str:
    return item_id(SUITE, "relatum", target, relation, word)


def _row(kind: str, key: Iterable[str], payload: dict[str, Any], source: str) -> dict[str, Any]:
    return item_row(SUITE, kind, key, payload, builder=SUITE, version="1", sources=[(source, "3.0")])


def probe_rows() -> list[dict[str, Any]]:
    """Eight probes, each target and relation once a questionnaire, and a control question in both."""
    rows = [
        _row(
            "probe",
            (target, relation, prompt),
            {
                "target": target,
                "relation": relation,
                "prompt": prompt,
                "text": text(target, prompt),
                "questionnaire": number,
                "known_answers": None,
            },
            "semrel_prompts.toml",
        )
        for target, relation in RELATA
        for number, prompt in enumerate(PROMPTS[relation], start=1)
    ]
    payload = {"target": "", "relation": "control", "prompt": CONTROL, "text": CONTROL[:-4], "known_answers": ["two"]}
    controls = [
        _row("probe", ("", "control", str(number)), {**payload, "questionnaire": number}, "controls.tsv")
        for number in (1, 2)
    ]
    return [controls[0], *rows, controls[1]]


def relatum_rows() -> list[dict[str, Any]]:
    return [
        _row(
            "relatum",
            (target, relation, word),
            {"target": target, "relation": relation, "word": word, "distance": 1, "origins": ["wordnet"]},
            "WordNet",
        )
        for (target, relation), words in RELATA.items()
        for word in words
    ]


def response_rows(*, simulated: bool = False) -> list[dict[str, Any]]:
    return [
        {
            "item_id": probe_id(target, relation, number),
            "target": target,
            "relation": relation,
            "prompt": PROMPTS[relation][number],
            "annotator": f"person-{person}",
            "place": place,
            "raw": f"the {word.upper()}",
            "answer": word,
            "simulated": simulated,
        }
        for (target, relation, number), people in SAID.items()
        for person, words in enumerate(people, start=1)
        for place, word in enumerate(words, start=1)
    ]


def validation(**changes: Any) -> dict[str, Any]:
    """As the annotation room writes it for answers in words."""
    return {
        "probe": {
            "form": "words", "mode": "all", "items": 8, "judged": 3, "annotators": 4, "people": 4, "positions": 0,
            "votes": 10, "answers": 16, "skips": 1, "controls": 2, "most_missed": 0.3, "careless": {},
            "careless_left_out": False, "left_out": {}, "problems": {}, "simulated": False,
            "simulated_annotators": [], "accepted": 0, "rejected": 0, "undecided": 0, "ties": 0, "adjudicated": 0,
            "corrected": 0, "minimum_votes": 2,
            "rule": "none: answers are collected", "acceptance_rate": None, "acceptance_interval": None,
            "simulation": None,
            "agreement": {
                "krippendorff_alpha": None, "fleiss_kappa": None, "percent": None,
                "mean_jaccard": 0.3, "same_first_word": 1.0, "items_with_two_people": 3,
            },
            **changes,
        }
    }  # fmt: skip


def rejection(item: str) -> dict[str, Any]:
    return {
        "item_id": item, "kind": "probe", "decision": "rejected", "text": None, "votes_for": 0, "votes_against": 0,
        "votes_cast": 0, "rule": "adjudication", "tie": False, "adjudicator": "the lead",
    }  # fmt: skip


def write_items(workspace: Workspace, probes: list[dict[str, Any]] | None = None) -> None:
    write_rows(workspace.item_file("probe"), probes or probe_rows(), item_schema(SUITE, "probe"))
    write_rows(workspace.item_file("relatum"), relatum_rows(), item_schema(SUITE, "relatum"))
    write_text(workspace.items / "vocabulary.txt", "".join(f"{word}\n" for word in VOCABULARY))


def write_responses(workspace: Workspace, rows: list[dict[str, Any]], **changes: Any) -> None:
    write_rows(workspace.annotation / "responses.parquet", rows, RESPONSE)
    write_json(workspace.annotation / "validation.json", validation(**changes))


def write_verdicts(workspace: Workspace, *rejected: str) -> None:
    write_rows(workspace.verdict_file, [rejection(item) for item in rejected], VERDICT)


def fill(workspace: Workspace) -> None:
    """Writes items, an empty table of verdicts, responses and their summary."""
    write_items(workspace)
    write_verdicts(workspace)
    write_responses(workspace, response_rows())


def write_config(path: Path) -> Path:
    path.write_text(EXPORT_TOML, encoding="utf-8")
    return path
