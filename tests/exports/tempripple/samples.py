"""A small TempRIPPLE as the builder and the annotators leave it: three facts, seven tenures, up to two hops."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tashika.core.files import write_json, write_rows
from tashika.core.records import VERDICT, item_id, item_row, item_schema
from tashika.core.workspace import Workspace
from tests.exports import judged

SUITE = "tempripple"
verdict_row = judged.verdict_row
NAMES = {
    "Q17": "Japan", "Q9673": "Lewis Hamilton", "Q1422": "Juventus FC", "Q235": "Sanae Takaichi",
    "Q318": "Shigeru Ishiba", "Q2911": "Fumio Kishida", "Q169898": "Scuderia Ferrari", "Q172721": "Mercedes",
    "Q533861": "Luciano Spalletti", "Q178629": "Thiago Motta", "Q846": "Kobe University", "Q1321": "Keio University",
    "Q3070": "Fukuzawa Yukichi", "Q9163": "Enzo Ferrari", "Q279": "Modena", "Q1013": "Brackley",
    "Q82884": "Certaldo", "Q652": "Italian", "Q5146": "Portuguese",
}  # fmt: skip
RELATIONS = {"P6": "head of government", "P54": "sports team", "P286": "head coach"}
STABLE = {
    "P69": "educated at", "P571": "inception", "P112": "founder", "P19": "place of birth",
    "P159": "headquarters location", "P1412": "language spoken",
}  # fmt: skip
ORDINALS = {1: "most recent", 2: "previous", 3: "third most recent"}

HISTORIES: dict[tuple[str, str], list[tuple[int, str, str, str | None]]] = {
    ("Q17", "P6"): [
        (1, "Q235", "2025-10-21", None),
        (2, "Q318", "2024-10-01", "2025-10-21"),
        (3, "Q2911", "2021-10-04", "2024-10-01"),
    ],
    ("Q9673", "P54"): [(1, "Q169898", "2025", None), (2, "Q172721", "2013", "2024")],
    ("Q1422", "P286"): [(1, "Q533861", "2025-10-30", None), (3, "Q178629", "2024-06-12", "2025-03-23")],
}
"""(Subject, relation) -> place, object, start, end. Juventus had another coach in between, who is not asked about."""

PATHS: list[tuple[str, list[tuple[str, str, list[str]]]]] = [
    ("Q235", [("Q235", "P69", ["Q846"])]),
    ("Q235", [("Q235", "P69", ["Q846"]), ("Q846", "P571", ["1949"])]),
    ("Q318", [("Q318", "P69", ["Q1321"])]),
    ("Q318", [("Q318", "P69", ["Q1321"]), ("Q1321", "P112", ["Q3070"])]),
    ("Q169898", [("Q169898", "P112", ["Q9163"])]),
    ("Q169898", [("Q169898", "P112", ["Q9163"]), ("Q9163", "P19", ["Q279"])]),
    ("Q172721", [("Q172721", "P159", ["Q1013"])]),
    ("Q533861", [("Q533861", "P19", ["Q82884"])]),
    ("Q178629", [("Q178629", "P1412", ["Q652", "Q5146"])]),
]
"""A tenure's object -> subject, relation and objects of each step."""

WRONG = ["Ulm", "Warsaw", "1912"]
"""The other options of every question."""

EXPORT_TOML = """
[export]
version = "0.1.0"
pretty_name = "TempRIPPLE (test)"
license = "cc0-1.0"
language = ["en"]
"""


def label(value: str) -> str:
    return NAMES.get(value, value)


def _row(kind: str, key: Sequence[str], payload: dict[str, Any], parents: Sequence[str] = ()) -> dict[str, Any]:
    source = [("Wikidata over SPARQL", "2026-01-05")]
    return item_row(SUITE, kind, key, payload, builder=SUITE, version="1", sources=source, parents=parents)


def fact_id(subject: str) -> str:
    """The sample has one fact a subject."""
    return next(item_id(SUITE, "fact", *key) for key in HISTORIES if key[0] == subject)


def tenure_id(value: str) -> str:
    """The sample has one tenure an object."""
    return item_id(SUITE, "history", value)


def related_id(value: str, *relations: str) -> str:
    return item_id(SUITE, "related", value, *relations)


def statement(subject: str, relation: str) -> str:
    newest = HISTORIES[subject, relation][0][1]
    return f"The most recent {RELATIONS[relation]} of {label(subject)} is {label(newest)}."


def fact_rows() -> list[dict[str, Any]]:
    return [
        _row(
            "fact",
            (subject, relation),
            {
                "subject": subject,
                "relation": relation,
                "object": tenures[0][1],
                "subject_label": label(subject),
                "relation_label": RELATIONS[relation],
                "object_label": label(tenures[0][1]),
                "start": tenures[0][2],
                "statement": statement(subject, relation),
                "history": [
                    {"object_label": label(value), "start": start, "end": end} for _, value, start, end in tenures
                ],
                "window": "2025-01-01..2025-12-31",
                "history_from": "2015-01-01",
            },
        )
        for (subject, relation), tenures in HISTORIES.items()
    ]


def history_rows() -> list[dict[str, Any]]:
    return [
        _row(
            "history",
            (value,),
            {
                "subject": subject,
                "relation": relation,
                "object": value,
                "subject_label": label(subject),
                "object_label": label(value),
                "age": "new" if place == 1 else "old",
                "place": place,
                "start": start,
                "end": end,
                "years": 2.5,
                "also_true": [],
            },
            [fact_id(subject)],
        )
        for (subject, relation), tenures in HISTORIES.items()
        for place, value, start, end in tenures
    ]


def _root(value: str) -> tuple[str, str, int]:
    """The subject and relation that a tenure's object belongs to, and its place."""
    return next((*key, place) for key, tenures in HISTORIES.items() for place, found, _, _ in tenures if found == value)


def related_rows() -> list[dict[str, Any]]:
    rows = []
    for value, steps in PATHS:
        subject, relation, place = _root(value)
        last, relations = steps[-1], [step[1] for step in steps]
        payload = {
            "age": "new" if place == 1 else "old",
            "hop": len(steps),
            "subject": last[0],
            "relation": last[1],
            "objects": last[2],
            "subject_label": label(last[0]),
            "relation_label": STABLE[last[1]],
            "object_labels": [label(found) for found in last[2]],
            "also_true": ["Spanish"] if last[1] == "P1412" else [],
            "certainty": "unknown" if last[1] == "P1412" else "certain",
            "path": [
                {"relation": of, "subject": item, "subject_label": label(item)}
                for item, of in [(subject, relation), *((step[0], step[1]) for step in steps)]
            ],
        }
        before = [related_id(value, *relations[:-1])] if len(steps) > 1 else []
        rows.append(_row("related", (value, *relations), payload, [tenure_id(value), *before]))
    return rows


def _question(value: str, steps: list[tuple[str, str, list[str]]]) -> dict[str, Any]:
    subject, relation, place = _root(value)
    phrase = f"the {ORDINALS[place]} {RELATIONS[relation]} of {label(subject)}"
    for step in steps:
        phrase = f"the {STABLE[step[1]]} of {phrase}"
    age, relations = "new" if place == 1 else "old", [step[1] for step in steps]
    answers = [label(found) for found in steps[-1][2]] if steps else [label(value)]
    payload = {
        "task": f"related_{age}" if steps else age,
        "hop": len(steps),
        "place": place,
        "subject": subject,
        "relation": relation,
        "last_relation": relations[-1] if steps else relation,
        "text": f"What is {phrase}?",
        "context": statement(subject, relation),
        "options": [*WRONG[:place], answers[0], *WRONG[place:]],
        "answer": place,
        "answers": answers,
        "reasoning": f"{label(subject)} -> {label(value)}",
        "option_set": "other-facts",
        "lure": None,
        "counterpart": "differs" if not steps else "none",
        "certainty": "unknown" if steps and steps[-1][1] == "P1412" else "certain",
    }
    chain = [related_id(value, *relations[: hop + 1]) for hop in range(len(steps))]
    return _row("question", (value, *relations), payload, [fact_id(subject), tenure_id(value), *chain])


def question_id(value: str, *relations: str) -> str:
    return item_id(SUITE, "question", value, *relations)


def question_rows() -> list[dict[str, Any]]:
    """Seven at hop 0 and nine on related facts."""
    tenures = [value for found in HISTORIES.values() for _, value, _, _ in found]
    return [*(_question(value, []) for value in tenures), *(_question(value, steps) for value, steps in PATHS)]


def verdict_rows(**facts: str) -> list[dict[str, Any]]:
    """Verdicts on all facts, accepted where nothing else is said by subject, and on one question."""
    decided = [verdict_row(fact_id(key[0]), "fact", facts.get(key[0], "accepted")) for key in HISTORIES]
    return [*decided, verdict_row(question_id("Q235"), "question")]


def validation(question_mode: str = "audit", fact_mode: str = "all") -> dict[str, Any]:
    shared = {
        "annotators": 3, "people": 0, "minimum_votes": 2, "rule": "strict majority", "ties": 0, "simulated": True,
        "undecided": 0, "rejected": 0, "acceptance_rate": 1.0, "acceptance_interval": [0.2, 1.0],
        "agreement": {"krippendorff_alpha": None, "fleiss_kappa": None, "percent": 1.0},
        "simulation": {"seed": 7, "annotators": [{"name": "simulated-1", "error_rate": 0.02}]},
    }  # fmt: skip
    return {
        "fact": {**shared, "mode": fact_mode, "items": 3, "judged": 3, "accepted": 3, "votes": 9},
        "question": {**shared, "mode": question_mode, "items": 16, "judged": 1, "accepted": 1, "votes": 3},
    }


def write_items(workspace: Workspace, kind: str, rows: list[dict[str, Any]]) -> None:
    write_rows(workspace.item_file(kind), rows, item_schema(SUITE, kind))


def write_verdicts(workspace: Workspace, rows: list[dict[str, Any]]) -> None:
    write_rows(workspace.verdict_file, rows, VERDICT)


def write_validation(workspace: Workspace, **modes: str) -> None:
    write_json(workspace.annotation / "validation.json", validation(**modes))


def fill(workspace: Workspace) -> None:
    """Writes items, verdicts and the summary of the validation."""
    write_items(workspace, "fact", fact_rows())
    write_items(workspace, "history", history_rows())
    write_items(workspace, "related", related_rows())
    write_items(workspace, "question", question_rows())
    write_verdicts(workspace, verdict_rows())
    write_validation(workspace)


def write_config(path: Path) -> Path:
    path.write_text(EXPORT_TOML, encoding="utf-8")
    return path
