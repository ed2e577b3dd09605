"""Answers in words: which count, who reads carelessly, and the table of responses.

Nothing is voted here. An answer counts unless the judgment has a problem, or its author had answered another probe of
the same target and relation before: who has seen one of them answers the next ones from memory.

Source: Cao, Yamada and Tokunaga, section 3.3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any, Final

import pyarrow as pa

from tashika.annotation.judging.columns import having
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.labelling import SEVERAL, Page, words_pages
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.vote import latest_statements
from tashika.annotation.words.controls import Checked, Lemma, check_controls
from tashika.core.answers import read_answer, sound_answers, split_answers
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.progress import say
from tashika.core.records import RESPONSE
from tashika.core.workspace import Workspace

RESPONSES: Final = "responses.parquet"
TWICE: Final = "same target and relation twice"
CARELESS: Final = "by an annotator who missed too many control questions"
FROM_FILE: Final = "file:"
"""What the server of a judgment begins with that was read from a file: its annotator is a position, not a person."""


@dataclass(frozen=True)
class Review:
    """Which answers to the items of a kind count, and who answered carelessly.

    Attributes:
        counted: Statements on probes that count: rows of `records.JUDGMENT`, by item and annotator.
        twice: How many do not since their author had answered such a probe before.
        people: The persons who met a control question.
        most_missed: A larger share is careless.
        unchecked: The persons whose answers to probes count and who met no control question, though there are some.
    """

    counted: Sequence[Mapping[str, Any]]
    twice: int
    people: Mapping[str, Checked]
    most_missed: float
    unchecked: Sequence[str] = ()
    careless: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        names = sorted(name for name, checked in self.people.items() if checked.share > self.most_missed)
        object.__setattr__(self, "careless", names)

    def lines(self) -> list[str]:
        """What to know of the people, for a terminal."""
        lines = [
            f"{name} missed {self.people[name].describe()}, more than {self.most_missed:.0%}" for name in self.careless
        ]
        skipped = {name: checked.skipped for name, checked in self.people.items() if name not in self.careless}
        if any(skipped.values()):
            named = ", ".join(f"{name} {count}" for name, count in sorted(skipped.items()) if count)
            lines.append(f"skipped control questions, which are missed only by who skips more than half: {named}")
        if self.unchecked:
            lines.append(f"answered probes and no control question: {', '.join(self.unchecked)}")
        if self.twice:
            lines.append(f"{counted(self.twice, 'answer is', 'answers are')} not counted: {TWICE}")
        return lines


def known_words(page: Page) -> dict[str, list[str]]:
    """The known answers of the items that a file of gold questions names, by item."""
    return {item_id: known.answer.split(SEVERAL) for item_id, known in page.gold.items()}


def control_questions(items: pa.Table, gold: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The known answers by item: of the probes that have some in their table, and of those in `gold`."""
    rows = items.select(["item_id", "known_answers"]).to_pylist()
    controls = {row["item_id"]: row["known_answers"] for row in rows if row["known_answers"] is not None}
    there = {row["item_id"] for row in rows}
    return controls | {item_id: answers for item_id, answers in gold.items() if item_id in there}


def review(
    items: pa.Table,
    judgments: pa.Table,
    lemma: Lemma,
    most_missed: float,
    gold: Mapping[str, Sequence[str]] | None = None,
) -> Review:
    """Sorts out which answers count, and who answered carelessly.

    Args:
        items: The probes, with target, relation and known_answers; those with known answers are control questions.
        judgments: Rows of `records.JUDGMENT` of this kind; those of other items are left out.
        lemma: See `core.answers.read_answer`.
        most_missed: Who misses a larger share of the control questions is careless.
        gold: What is known of other probes, which are control questions too.
    """
    known = {row["item_id"]: row for row in items.select(["item_id", "target", "relation"]).to_pylist()}
    statements = [row for row in latest_statements(judgments).to_pylist() if row["item_id"] in known]
    controls = control_questions(items, gold or {})
    people = check_controls(controls, judgments, lemma)
    statements = [row for row in statements if row["item_id"] not in controls]
    counted: list[Mapping[str, Any]] = []
    seen: set[tuple[str, str, str]] = set()
    # The numbers of a server rise with time, and an answer keeps its own when it is edited.
    for row in sorted(statements, key=lambda row: row["annotation_id"]):
        item = known[row["item_id"]]
        place = (row["annotator"], item["target"], item["relation"])
        if is_position(row):
            counted.append(row)
        elif place not in seen:
            seen.add(place)
            counted.append(row)
    counted.sort(key=lambda row: (row["item_id"], row["annotator"]))
    persons = {row["annotator"] for row in counted if not is_position(row)}
    unchecked = sorted(persons - set(people)) if controls else []
    return Review(counted, len(statements) - len(counted), people, most_missed, unchecked)


def is_position(row: Mapping[str, Any]) -> bool:
    """Whether a judgment's annotator is a position in a published file, and may be another person at each probe."""
    return str(row["server"]).startswith(FROM_FILE)


def responses(
    items: pa.Table, counted: Iterable[Mapping[str, Any]], lemma: Lemma, dropped: Counter[str]
) -> list[dict[str, Any]]:
    """The answers one by one.

    Args:
        items: The probes.
        counted: Rows of `records.JUDGMENT`.
        lemma: See `core.answers.read_answer`.
        dropped: Counts what was typed and is no answer, by reason.

    Returns:
        Rows of `records.RESPONSE`, in the order of `counted`.
    """
    columns = ["item_id", "target", "relation", "prompt"]
    probes = {row["item_id"]: row for row in items.select(columns).to_pylist()}
    counted = list(counted)
    turns = _turns(counted)
    return [
        {
            **probes[row["item_id"]],
            "annotator": row["annotator"],
            "place": place,
            "raw": raw,
            "answer": read_answer(raw, lemma),
            "simulated": row["simulated"],
            "turn": turns[row["item_id"], row["annotator"]],
        }
        for row in counted
        for place, raw in enumerate(sound_answers(split_answers(row["text"]), dropped), start=1)
    ]


def _turns(counted: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """By item and annotator, which of the item's annotators a person is, from 1: who answered first comes first.

    Words that equally many people gave are ranked by who mentioned them first. The numbers of a server rise with time.
    Positions in a file have their own order; programs, which answer at the same time, that of their names, so that two
    runs give the same.
    """

    def order(row: Mapping[str, Any]) -> tuple[Any, ...]:
        by_name = row["simulated"] or is_position(row)
        name, number = row["annotator"].rpartition("-")[::2]
        numbered = (name, int(number)) if number.isdigit() else (row["annotator"], 0)
        return row["server"], 0 if by_name else row["annotation_id"], *numbered

    by_item: dict[str, list[Mapping[str, Any]]] = {}
    for row in counted:
        by_item.setdefault(row["item_id"], []).append(row)
    return {
        (item_id, row["annotator"]): turn
        for item_id, rows in by_item.items()
        for turn, row in enumerate(sorted(rows, key=order), start=1)
    }


def collect_responses(
    items: pa.Table,
    judgments: pa.Table,
    lemma: Lemma,
    settings: AnnotateSettings,
    *,
    without_careless: bool,
    gold: Mapping[str, Sequence[str]] | None = None,
) -> tuple[pa.Table, dict[str, Any]]:
    """The table of responses and the summary of them for a release's card.

    Args:
        items: The probes and control questions.
        judgments: Rows of `records.JUDGMENT` of this kind.
        lemma: See `core.answers.read_answer`.
        settings: What counts as careless.
        without_careless: Whether the answers of careless people are left out.
        gold: See `review`.

    Returns:
        Rows of `records.RESPONSE`, sorted by item, annotator and place, without control questions; and the summary.
    """
    reviewed = review(items, judgments, lemma, settings.most_missed, gold)
    for line in reviewed.lines():
        say(f"  {line}")
    careless = set(reviewed.careless) if without_careless else set()
    kept = [row for row in reviewed.counted if row["annotator"] not in careless]
    dropped: Counter[str] = Counter()
    rows = responses(items, kept, lemma, dropped)
    problems = Counter(str(problem) for problem in judgments["problem"].to_pylist() if problem)
    problems += Counter({TWICE: reviewed.twice, CARELESS: len(reviewed.counted) - len(kept)})
    controls = len(control_questions(items, gold or {}))
    summary = {
        "items": items.num_rows - controls,
        "judged": len({row["item_id"] for row in rows}),
        "annotators": len({row["annotator"] for row in kept}),
        "people": len({row["annotator"] for row in kept if not row["simulated"]}),
        "positions": len({row["annotator"] for row in kept if is_position(row)}),
        "votes": len(kept),
        "answers": len(rows),
        "skips": judgments["skipped"].to_pylist().count(True),
        "controls": controls,
        "most_missed": settings.most_missed,
        "careless": {name: _counts(reviewed.people[name]) for name in reviewed.careless},
        "careless_left_out": without_careless,
        "unchecked": list(reviewed.unchecked),
        "left_out": dict(sorted(dropped.items())),
        "agreement": agreement(rows),
        "problems": dict(sorted(problems.items())),
        "simulated": any(row["simulated"] for row in kept),
        "simulated_annotators": sorted({row["annotator"] for row in kept if row["simulated"]}),
    }
    return pa.Table.from_pylist(rows, schema=RESPONSE), summary


def _counts(checked: Checked) -> dict[str, int]:
    return {"answered": checked.answered, "missed": checked.missed, "skipped": checked.skipped}


def agreement(rows: Iterable[Mapping[str, Any]]) -> dict[str, float | int | None]:
    """How far people agree on a probe; over the probes that two or more answered, None without one.

    Args:
        rows: Rows of `records.RESPONSE`.

    Returns:
        `mean_jaccard`, the mean over probes of the mean over pairs of people of shared answers to all answers of the
        two; `same_first_word`, the share of probes where two people have the same first answer; and
        `items_with_two_people`. The coefficients of votes are not defined for words.
    """
    by_item: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        by_item.setdefault(row["item_id"], {}).setdefault(row["annotator"], []).append(row["answer"])
    shared = [list(people.values()) for people in by_item.values() if len(people) >= 2]
    first = sum(len({answers[0] for answers in people}) < len(people) for people in shared)
    overlap = sum(_mean_jaccard(people) for people in shared)
    return {
        "krippendorff_alpha": None,
        "fleiss_kappa": None,
        "percent": None,
        "mean_jaccard": round(overlap / len(shared), 6) if shared else None,
        "same_first_word": round(first / len(shared), 6) if shared else None,
        "items_with_two_people": len(shared),
    }


def _mean_jaccard(people: Sequence[Sequence[str]]) -> float:
    pairs = [(set(first), set(second)) for first, second in combinations(people, 2)]
    return sum(len(first & second) / len(first | second) for first, second in pairs) / len(pairs)


def report_people(workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings) -> None:
    """Says after a pull who reads carelessly, and how many answers are not counted; or why that is not known."""
    asked = words_pages(pages)
    if not asked or not shards(workspace):
        return
    for page in asked:
        try:
            lemma = cache(page.open_lemmatiser().lemma)
        except InputError as error:
            say(f"the control questions are not checked: {error}")
            continue
        judged = having(read_judgments(workspace), "kind", page.kind)
        items = workspace.read_items(page.kind)
        for line in review(items, judged, lemma, settings.most_missed, known_words(page)).lines():
            say(f"  {line}")
