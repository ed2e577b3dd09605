"""Figure 2 and tables 4 and 5 of the paper, of this release: an example with its chains, and the wording."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tashika.core.files import read_table

Row = Mapping[str, Any]
FILES: Final = ("facts", "history", "questions")


@dataclass(frozen=True)
class Block:
    """A tenure of figure 2: its fact, and questions from it outwards with their answers."""

    age: str
    fact: str
    questions: list[tuple[int, str, str]]


@dataclass(frozen=True)
class Examples:
    """What the page shows of the release's wording.

    Attributes:
        figure_2: A new fact and the old one before it.
        changing: Property -> proposition and question, the names as slots (table 4).
        stable: Property -> question (table 5), the most asked first.
    """

    figure_2: list[Block]
    changing: Mapping[str, tuple[str, str]]
    stable: Mapping[str, str]


def read_examples(files: Mapping[str, Path]) -> Examples:
    """Reads them from the tables of a release; empty where one of them is missing or has other columns.

    Args:
        files: The release's tables by name.
    """
    if not all(name in files for name in FILES):
        return Examples([], {}, {})
    facts, history, questions = (list(read_table(files[name]).to_pylist()) for name in FILES)
    needed = {"fact_id", "history_id", "answers", "text"}
    if not questions or not needed <= set(questions[0]) or not facts or "statement" not in facts[0]:
        return Examples([], {}, {})
    phrases = _phrases(questions)
    return Examples(_figure_2(facts, history, questions), _changing(facts, questions), _stable(questions, phrases))


def _figure_2(facts: Sequence[Row], history: Sequence[Row], questions: Sequence[Row]) -> list[Block]:
    """The fact whose two newest tenures have the longest chains, and of these the one with the most questions."""
    by_tenure: dict[str, list[Row]] = defaultdict(list)
    for row in questions:
        by_tenure[row["history_id"]].append(row)
    tenures: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(history, key=lambda row: int(row["place"])):
        tenures[row["fact_id"]].append(row)

    def worth(fact: Row) -> tuple[int, int, str]:
        chains = [_chain(by_tenure[row["item_id"]]) for row in tenures[fact["item_id"]][:2]]
        shortest = min((len(chain) for chain in chains), default=0) if len(chains) == 2 else 0
        return -shortest, -sum(len(by_tenure[row["item_id"]]) for row in tenures[fact["item_id"]]), fact["item_id"]

    best = min(facts, key=worth)
    return [
        Block(
            row["age"],
            f"({row['start']}, {row['end'] or 'open'}, {row['subject_label']}, {best['relation_label']}, "
            f"{row['object_label']})",
            [(one["hop"], one["text"], "; ".join(one["answers"])) for one in _chain(by_tenure[row["item_id"]])],
        )
        for row in tenures[best["item_id"]][:2]
    ]


def _chain(questions: Sequence[Row]) -> list[Row]:
    """One question a hop, each on the path of the next: the longest there is, the shortest text of equals."""
    ways = {row["reasoning"]: row for row in questions}

    def leading_to(row: Row) -> list[Row]:
        before = [other for way, other in ways.items() if row["reasoning"].startswith(f"{way} - ")]
        return [*sorted(before, key=lambda one: int(one["hop"])), row]

    chains = [leading_to(row) for row in questions]
    return min(chains, key=lambda chain: (-len(chain), len(chain[-1]["text"]), chain[-1]["text"]), default=[])


def _phrases(questions: Sequence[Row]) -> dict[str, str]:
    """Tenure -> the noun phrase of its object: "the most recent head of state of Japan"."""
    return {
        row["history_id"]: row["text"].rstrip("?").partition(" is " if row["task"] == "new" else " was ")[2]
        for row in questions
        if row["hop"] == 0
    }


def _changing(facts: Sequence[Row], questions: Sequence[Row]) -> dict[str, tuple[str, str]]:
    asked = {row["fact_id"]: row["text"] for row in questions if row["task"] == "new"}
    wording: dict[str, tuple[str, str]] = {}
    for fact in facts:
        subject, known = fact["subject_label"], asked.get(fact["item_id"])
        if known and fact["relation"] not in wording and subject in known:
            said = fact["statement"].replace(subject, "<subject>", 1)
            before, _, after = said.rpartition(fact["object_label"])
            wording[fact["relation"]] = (f"{before}<object>{after}", known.replace(subject, "<subject>", 1))
    return dict(sorted(wording.items(), key=lambda entry: int(entry[0][1:])))


def _stable(questions: Sequence[Row], phrases: Mapping[str, str]) -> dict[str, str]:
    """How the properties of one hop are asked; the tenure's phrase is the slot."""
    counts = Counter(row["last_relation"] for row in questions if row["hop"])
    wording: dict[str, str] = {}
    for row in questions:
        phrase = phrases.get(row["history_id"], "")
        if row["hop"] == 1 and phrase and phrase in row["text"]:
            wording.setdefault(row["last_relation"], row["text"].replace(phrase, "<subject>"))
    return dict(sorted(wording.items(), key=lambda entry: (-counts[entry[0]], entry[0])))
