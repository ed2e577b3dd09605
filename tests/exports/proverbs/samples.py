"""A small set of proverbs as the builder and people leave it: seven pairs over three topics, a control, and a check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tashika.core.files import write_json, write_rows
from tashika.core.records import VERDICT, item_id, item_row, item_schema
from tashika.core.workspace import Workspace
from tests.exports import judged

SUITE = "proverbs"
ADVERSITY = "Adversity makes a man wise, not rich."
BIRD = "A bird in the hand is worth two in the bush."
POT = "The pot calls the kettle black."
CHICKENS = "Don't count your chickens before they are hatched."
PAIRS: dict[str, tuple[str, ...]] = {
    # name: topic, proverb, variant, change, maker, origin, variant's origin, form, question, the variant's question
    "adversity": (
        "gender", ADVERSITY, "Adversity makes a woman wise, not rich.", "gender", "swap", "English", "", "why",
        "Why is it said that adversity makes a man wise, not rich?",
        "Why is it said that adversity makes a woman wise, not rich?",
    ),
    "prudent": (
        "gender", ADVERSITY, "Adversity makes a man prudent, not rich.", "neutral", "written", "English", "", "why",
        "Why is it said that adversity makes a man wise, not rich?",
        "Why is it said that adversity makes a man prudent, not rich?",
    ),
    "clothes": (
        "gender", "Clothes make the man.", "Clothes make the woman.", "gender", "swap", "Latin", "", "why",
        "Why is it said that clothes make the man?", "Why is it said that clothes make the woman?",
    ),
    "bird": (
        "wisdom", BIRD, "A bird in the hand is worth three in the bush.", "number", "model", "English", "", "say",
        "What does it mean to say a bird in the hand is worth two in the bush?",
        "What does it mean to say a bird in the hand is worth three in the bush?",
    ),
    "chickens": (
        "wisdom", CHICKENS, "Don't count your ducks before they are hatched.", "animal", "model", "English", "", "mean",
        'What does "Don\'t count your chickens before they are hatched" mean?',
        'What does "Don\'t count your ducks before they are hatched" mean?',
    ),
    "pot": (
        "society", POT, "The hyena calls another hyena worse than itself.", "wording", "written", "English", "Swahili",
        "why", "Why is it said that the pot calls the kettle black?",
        "Why is it said that the hyena calls another hyena worse than itself?",
    ),
    "frog": (
        "society", "A frog in a well does not know the sea.", "A fish in a bowl does not know the sea.", "animal",
        "written", "Japanese", "", "why", "Why is it said that a frog in a well does not know the sea?",
        "Why is it said that a fish in a bowl does not know the sea?",
    ),
    "mice": (
        "society", "When the cat's away, the mice will play.", "When the owl's away, the mice will play.", "animal",
        "model", "English", "", "say", "What does it mean to say when the cat's away, the mice will play?",
        "What does it mean to say when the owl's away, the mice will play?",
    ),
}  # fmt: skip
_COLUMNS = (
    "topic", "proverb", "variant", "change", "maker", "origin", "variant_origin", "form", "question",
    "variant_question",
)  # fmt: skip
EXPORT_TOML = """
[export]
version = "0.1.0"
pretty_name = "Proverbs (test)"
license = "cc0-1.0"
language = ["en"]
"""


def pair_id(name: str) -> str:
    return item_id(SUITE, "pair", *PAIRS[name][:3])


def pair_row(name: str, **changes: Any) -> dict[str, Any]:
    payload: dict[str, Any] = dict(zip(_COLUMNS, PAIRS[name], strict=True))
    payload["variant_origin"] = payload["variant_origin"] or None
    payload["direction"] = "man-first" if payload["topic"] == "gender" else None
    generation = {"model": "small-lm", "prompt_hash": name, "sampling": '{"temperature": 0.8}'}
    row = item_row(
        SUITE, "pair", PAIRS[name][:3], payload, builder=SUITE, version="1", sources=[("proverbs.csv", "1")],
        generation=generation if payload["maker"] == "model" else None,
    )  # fmt: skip
    return {**row, **changes}


def pair_rows() -> list[dict[str, Any]]:
    return [pair_row(name) for name in PAIRS]


def check_row() -> dict[str, Any]:
    payload = {
        "topic": "gender", "consistency": "score", "model": "small-lm", "system": "small-lm", "question": "q?",
        "variant_question": "v?", "answers": ["a"] * 5, "variant_answers": ["b"] * 5, "scores": [8, 8, 8, 8, 8],
        "variant_scores": [1, 10, 1, 10, 5], "detected": True, "p": 0.01,
    }  # fmt: skip
    key = (pair_id("adversity"), "score", "small-lm")
    return item_row(SUITE, "check", key, payload, builder=SUITE, version="1", parents=[pair_id("adversity")])


def verdict_row(item: str, decision: str = "accepted", text: str | None = None, kind: str = "pair") -> dict[str, Any]:
    votes = {"accepted": (2, 0), "rejected": (0, 2), "undecided": (1, 1)}
    return judged.verdict_row(item, kind, decision, text, rule="strict majority, minimum 2", votes=votes)


def entry(**changes: Any) -> dict[str, Any]:
    """The summary of one kind."""
    return judged.entry(8, 2, **changes)


def verdict_rows(**changes: Any) -> list[dict[str, Any]]:
    """All pairs accepted; by name another decision, a (decision, correction), or None for no verdict."""
    rows = []
    for name in PAIRS:
        said = changes.get(name, "accepted")
        if said is not None:
            decision, text = said if isinstance(said, tuple) else (said, None)
            rows.append(verdict_row(pair_id(name), decision, text))
    return rows


def check_verdict(decision: str = "accepted") -> dict[str, Any]:
    return verdict_row(check_row()["item_id"], decision, kind="check")


def write_verdicts(workspace: Workspace, rows: list[dict[str, Any]]) -> None:
    write_rows(workspace.verdict_file, rows, VERDICT)


def write_validation(workspace: Workspace, **kinds: dict[str, Any]) -> None:
    write_json(workspace.annotation / "validation.json", {"pair": entry(), **kinds})


def write_pairs(workspace: Workspace, rows: list[dict[str, Any]]) -> None:
    write_rows(workspace.item_file("pair"), rows, item_schema(SUITE, "pair"))


def fill(workspace: Workspace) -> None:
    """Writes pairs, verdicts and the summary of the validation; no checks yet."""
    write_pairs(workspace, pair_rows())
    write_verdicts(workspace, verdict_rows())
    write_validation(workspace)


def add_checks(workspace: Workspace, decision: str = "accepted") -> None:
    """As after `evaluate proverbs --checks` and a second round of votes, by programs."""
    write_rows(workspace.item_file("check"), [check_row()], item_schema(SUITE, "check"))
    write_verdicts(workspace, [*verdict_rows(), check_verdict(decision)])
    write_validation(workspace, check=entry(items=1, judged=1, accepted=1, votes=2, people=0, simulated=True))


def write_config(path: Path) -> Path:
    path.write_text(EXPORT_TOML, encoding="utf-8")
    return path
