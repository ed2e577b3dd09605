"""Small items of KUCI in the form that the builder writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tashika.core.files import write_rows
from tashika.core.records import item_row, item_schema
from tashika.core.workspace import Workspace

SUITE = "kuci"
OPTIONS = ("ご飯を食べる", "汗をかく", "コーヒーを飲む", "眠くなる")


def pair(antecedent: str = "お腹が空いたので", consequent: str = "ご飯を食べる", **values: Any) -> dict[str, Any]:
    payload = {
        "sid": "a.txt:1", "text": f"{antecedent}、{consequent}。", "relation": "cause", "marker": "ので",
        "confidence": 0.761,
        "antecedent": antecedent, "consequent": consequent, "antecedent_words": ["お腹", "が", "空いた", "ので"],
        "consequent_words": ["ご飯", "を", "食べる"], "antecedent_event": "腹:ガ:空く",
        "consequent_event": "飯:ヲ:食べる", "consequent_form": "non-past plain statement", "consequent_empty": False,
        "borrowed": False, "backend": "ginza",
    }  # fmt: skip
    return item_row(SUITE, "pair", (antecedent, consequent), {**payload, **values}, builder=SUITE, version="1")


def question(number: int = 0, **values: Any) -> dict[str, Any]:
    """A question whose answer is at the place `number % 4`."""
    answer = number % 4
    options = [*OPTIONS[1 : answer + 1], OPTIONS[0], *OPTIONS[answer + 1 :]]
    payload = {
        "conditions": "both", "split": "test", "context": f"お腹が{number}回空いたので", "options": options,
        "answer": answer, "similarities": [1.0 if place == answer else 0.456 for place in range(4)],
        "forms": ["non-past plain statement"] * 4,
        "relation": "cause", "pair": pair()["item_id"],
    }  # fmt: skip
    parents = [pair()["item_id"], "p1", "p2", "p3"]
    key = (str(values.get("conditions", "both")), str(number))
    return item_row(SUITE, "question", key, {**payload, **values}, builder=SUITE, version="1", parents=parents)


def fit(number: int = 0, **values: Any) -> dict[str, Any]:
    """A question as people judge it option by option."""
    row = question(number)
    names = ("split", "context", "options", "answer", "similarities", "relation")
    payload = {"question": row["item_id"], **{name: row[name] for name in names}}
    return item_row(
        SUITE, "fit", (row["item_id"],), {**payload, **values}, builder=SUITE, version="1", parents=[row["item_id"]]
    )


def sense(antecedent: str = "お腹が空いたので", consequent: str = "ご飯を食べる", **values: Any) -> dict[str, Any]:
    payload = {
        "samples": ["any", "basic"], "sid": "a.txt:1", "relation": "cause", "marker": "ので",
        "antecedent": antecedent, "consequent": consequent,
    }  # fmt: skip
    return item_row(SUITE, "sense", (antecedent, consequent), {**payload, **values}, builder=SUITE, version="1")


def write(workspace: Workspace, kind: str, *rows: Mapping[str, Any]) -> None:
    write_rows(workspace.item_file(kind), rows, item_schema(SUITE, kind))
