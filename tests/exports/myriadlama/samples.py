"""A small suite as the builders and the annotators leave it: 20 facts, 3 relations, real names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tashika.core.files import write_json, write_rows
from tashika.core.records import VERDICT, item_id, item_row, item_schema
from tashika.core.workspace import Workspace
from tests.exports import judged

SUITE = "myriadlama"
verdict_row = judged.verdict_row
NAMES = {
    "Q90": ["Paris", "City of Light"], "Q142": ["France", "French Republic"], "Q64": ["Berlin"],
    "Q183": ["Germany", "Federal Republic of Germany", "Deutschland"], "Q1490": ["Tokyo", "Tōkyō"],
    "Q17": ["Japan", "Nippon", "Nihon"], "Q220": ["Rome", "Eternal City"], "Q38": ["Italy", "Italian Republic"],
    "Q2807": ["Madrid"], "Q29": ["Spain", "Kingdom of Spain"], "Q84": ["London"],
    "Q145": ["United Kingdom", "UK", "Britain"], "Q1203": ["John Lennon", "John Winston Lennon"],
    "Q24826": ["Liverpool"], "Q937": ["Albert Einstein", "Einstein"], "Q3012": ["Ulm"],
    "Q7186": ["Marie Curie", "Maria Skłodowska"], "Q270": ["Warsaw"], "Q36": ["Poland", "Republic of Poland"],
    "Q46": ["Europe"], "Q48": ["Asia"],
}  # fmt: skip
FACTS = [
    ("P36", "Q142", "Q90"), ("P36", "Q183", "Q64"), ("P36", "Q17", "Q1490"), ("P36", "Q38", "Q220"),
    ("P36", "Q29", "Q2807"), ("P36", "Q145", "Q84"), ("P36", "Q36", "Q270"),
    ("P19", "Q1203", "Q24826"), ("P19", "Q1203", "Q145"), ("P19", "Q937", "Q3012"), ("P19", "Q937", "Q183"),
    ("P19", "Q7186", "Q270"), ("P19", "Q7186", "Q36"),
    ("P30", "Q142", "Q46"), ("P30", "Q183", "Q46"), ("P30", "Q17", "Q48"), ("P30", "Q38", "Q46"),
    ("P30", "Q29", "Q46"), ("P30", "Q145", "Q46"), ("P30", "Q36", "Q46"),
]  # fmt: skip
RELATIONS = {"P36": "capital", "P19": "place of birth", "P30": "continent"}
MANUAL = {
    "P36": ["The capital of [X] is [Y].", "[Y] is the seat of government of [X]."],
    "P19": ["[X] was born in [Y].", "Where was [X] born? In [Y]."],
    "P30": ["[X] is a country in [Y].", "On a globe, [X] lies in [Y]."],
}
PARAPHRASES = {
    "P36": ["[X] has its capital in [Y].", "[X]'s capital city is called [Y]."],
    "P19": ["The birthplace of [X] is [Y].", "[X] came into the world in [Y]."],
    "P30": ["[X] belongs to the continent of [Y].", "You find [X] in [Y]."],
}
REJECTED = "You find [X] in [Y]."
UNDECIDED = "[X] came into the world in [Y]."
CORRECTED = {"[X] has its capital in [Y].": "[X] has its capital at [Y]."}
REJECTED_ALIAS = ("Q937", "Einstein")
EXPORT_TOML = """
[export]
version = "0.1.0"
pretty_name = "MyriadLAMA (test)"
license = "cc0-1.0"
language = ["en"]
prompts_per_shard = {shard}
lite = {{ pairs = 1, prompts = 2 }}
"""


def fact_rows() -> list[dict[str, Any]]:
    return [
        item_row(
            SUITE,
            "fact",
            (relation, subject, value),
            {
                "relation": relation,
                "subject": subject,
                "object": value,
                "subject_label": NAMES[subject][0],
                "object_label": NAMES[value][0],
                "origin": "sparql" if value in {"Q145", "Q183", "Q36"} else "facts",
            },
            builder="facts",
            version="1",
            sources=[("Wikidata snapshot", "2026-10-01")],
        )
        for relation, subject, value in FACTS
    ]


def alias_rows() -> list[dict[str, Any]]:
    return [
        item_row(
            SUITE,
            "alias",
            (entity, text),
            {"entity": entity, "entity_label": names[0], "text": text, "language": "en", "is_label": text == names[0]},
            builder="aliases",
            version="1",
            sources=[("Wikidata snapshot", "2026-10-01")],
        )
        for entity, names in NAMES.items()
        for text in names
    ]


def template_row(relation: str, text: str, parent: str | None = None) -> dict[str, Any]:
    payload = {
        "relation": relation,
        "relation_label": RELATIONS[relation],
        "relation_description": "[X] and [Y].",
        "text": text,
        "origin": "paraphrase" if parent else "manual",
        "example": text,
    }
    if parent is None:
        source = [("templates.toml", "abc123")]
        return item_row(SUITE, "template", (relation, text), payload, builder="templates", version="1", sources=source)
    sampling = json.dumps({"temperature": 0.7, "top_p": 0.9, "seed": 1})
    return item_row(
        SUITE,
        "template",
        (relation, text),
        payload,
        builder="paraphrase",
        version="1",
        parents=[item_id(SUITE, "template", relation, parent)],
        generation={"model": "smollm2-135m-instruct", "prompt_hash": f"hash of {parent}", "sampling": sampling},
    )


def template_rows() -> list[dict[str, Any]]:
    manual = [template_row(relation, text) for relation, texts in MANUAL.items() for text in texts]
    pairs = [(relation, text, MANUAL[relation][0]) for relation, texts in PARAPHRASES.items() for text in texts]
    return [*manual, *(template_row(*pair) for pair in pairs)]


def verdict_rows() -> list[dict[str, Any]]:
    decisions = {REJECTED: "rejected", UNDECIDED: "undecided"}
    rows = [
        verdict_row(row["item_id"], "template", decisions.get(row["text"], "accepted"), CORRECTED.get(row["text"]))
        for row in template_rows()
    ]
    audited = [("Q142", "France"), ("Q17", "Nippon"), REJECTED_ALIAS]
    rows += [
        verdict_row(item_id(SUITE, "alias", *key), "alias", "rejected" if key == REJECTED_ALIAS else "accepted")
        for key in audited
    ]
    return sorted(rows, key=lambda row: (row["kind"], row["item_id"]))


def validation(simulated: bool = True) -> dict[str, Any]:
    simulation = {
        "seed": 7,
        "annotators": [{"name": "simulated-1", "error_rate": 0.02}, {"name": "simulated-2", "error_rate": 0.05}],
    }
    shared = {
        "annotators": 3,
        "people": 0 if simulated else 3,
        "minimum_votes": 2,
        "rule": "strict majority",
        "ties": 0,
        "problems": {},
        "simulated": simulated,
        "simulation": simulation if simulated else None,
    }
    return {
        "template": {
            **shared, "mode": "all", "items": 12, "judged": 12, "accepted": 10, "rejected": 1, "undecided": 1,
            "ties": 1, "votes": 35, "acceptance_rate": 10 / 12, "acceptance_interval": [0.552, 0.953],
            "agreement": {"krippendorff_alpha": 0.612, "fleiss_kappa": None, "percent": 0.917},
            "problems": {"no label": 1}, "corrected": 1,
        },
        "alias": {
            **shared, "mode": "audit", "items": 39, "judged": 3, "accepted": 2, "rejected": 1, "undecided": 0,
            "votes": 9, "acceptance_rate": 2 / 3, "acceptance_interval": [0.208, 0.939],
            "agreement": {"krippendorff_alpha": 0.5, "fleiss_kappa": 0.48, "percent": 0.889},
        },
    }  # fmt: skip


def write_items(workspace: Workspace, kind: str, rows: list[dict[str, Any]]) -> None:
    write_rows(workspace.item_file(kind), rows, item_schema(SUITE, kind))


def write_verdicts(workspace: Workspace, rows: list[dict[str, Any]]) -> None:
    write_rows(workspace.verdict_file, rows, VERDICT)


def fill(workspace: Workspace, *, simulated: bool = True) -> None:
    """Writes items, verdicts and the summary of the validation."""
    write_items(workspace, "fact", fact_rows())
    write_items(workspace, "alias", alias_rows())
    write_items(workspace, "template", template_rows())
    write_verdicts(workspace, verdict_rows())
    write_json(workspace.annotation / "validation.json", validation(simulated))


def write_config(path: Path, shard: int = 40) -> Path:
    path.write_text(EXPORT_TOML.format(shard=shard), encoding="utf-8")
    return path
