"""What a build made, in numbers: the funnel, the pairs, the questions, and how fast the text was analysed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from tashika.builders.kuci.analysis.speed import PAPER_SENTENCES, Speed
from tashika.builders.kuci.text.sentences import BLANK, NO_SENTENCE, REPEATED
from tashika.core.suites.kuci.words import CONDITIONS, RELATIONS, SPLITS

PUBLISHED: Final[Mapping[str, int]] = {
    "sentences": PAPER_SENTENCES,
    "relations found": 20_000_000,
    "basic": 120_000,
    "no repetition": 51_841,
    "accepted by people": 34_170,
    "questions": 34_132,
}
"""The paper's numbers, where it gives one (sections 3.2 to 3.4)."""

_DAY: Final = 86_400
_LEFT_OUT: Final = {
    "failures": "sentences could not be analysed",
    BLANK: "blank lines left out",
    REPEATED: "repeated sentences left out",
    NO_SENTENCE: "lines without a sentence left out",
}
_FEW: Final = 0.05
"""Less than this share of the reliable pairs holds two basic events where these are of other text."""
_NO_MARKER: Final = "たら, と"
"""How the table names the conditions that have no marker of their own."""


def statistics(
    pair: pa.Table,
    question: pa.Table | None,
    *,
    funnel: Mapping[str, Any],
    analysed: Mapping[str, Any],
    events: Mapping[str, Any],
    made: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What was made as plain values, for `items/statistics.json`.

    Args:
        pair: The pair items.
        question: The question items, None if there are none yet.
        funnel: The content of `items/funnel.json`.
        analysed: The counts of the stage that analysed the text.
        events: The counts of the stage that made the basic events.
        made: The counts of the stage that made the questions.
    """
    relations, markers = (map(str, pair[name].to_pylist()) for name in ("relation", "marker"))
    by_marker = Counter(zip(relations, markers, strict=True))
    return {
        "text": funnel["text"],
        "basic_events": dict(events),
        "funnel": funnel["steps"],
        "pairs": {
            "all": pair.num_rows,
            "borrowed": sum(pair["borrowed"].to_pylist()),
            "relations": {
                name: sum(count for (relation, _), count in by_marker.items() if relation == name) for name in RELATIONS
            },
            "markers": [
                [relation, marker, count]
                for (relation, marker), count in sorted(by_marker.items(), key=lambda item: (-item[1], item[0]))
            ],
        },
        "questions": None if question is None or made is None else _of_questions(question, made),
        "speed": _of_speed(analysed["speed"]),
    }


def _of_questions(question: pa.Table, made: Mapping[str, Any]) -> dict[str, Any]:
    conditions, splits = (map(str, question[name].to_pylist()) for name in ("conditions", "split"))
    counts = Counter(zip(conditions, splits, strict=True))
    return {
        "made": dict(made),
        "by_conditions": {name: {split: counts[name, split] for split in SPLITS} for name in CONDITIONS},
    }


def _of_speed(speed: Mapping[str, Any]) -> dict[str, Any]:
    """Sentences a second, and what they mean for the paper's text; None where nothing was analysed in the last run."""
    run = Speed(**speed)
    known = run.each > 0
    return {
        "sentences": run.sentences,
        "seconds": round(run.wall, 2),
        "processes": run.processes,
        "sentences_per_second": round(run.together, 1) if known else None,
        "sentences_per_second_and_process": round(run.each, 1) if known else None,
        "paper_sentences": PAPER_SENTENCES,
        "paper_days": round(PAPER_SENTENCES / run.together / _DAY, 2) if run.projects else None,
        "paper_processes_for_a_day": math.ceil(PAPER_SENTENCES / run.each / _DAY) if run.projects else None,
    }


def funnel_table(funnel: Mapping[str, Any]) -> Any:
    """The funnel for a terminal, beside the paper's numbers.

    Args:
        funnel: The content of `items/funnel.json`.
    """
    from rich.table import Table

    table = Table("step", "left", "fell away because", "paper", title="Pairs")
    text = funnel["text"]
    failed = ", ".join(f"{text[name]:,} {what}" for name, what in _LEFT_OUT.items() if text.get(name))
    table.add_row("sentences", f"{text['sentences']:,}", failed, f"{PUBLISHED['sentences']:,}")
    for name, count in funnel["steps"]:
        why = ", ".join(_most_frequent(funnel["reasons"].get(name, {})))
        table.add_row(name, f"{count:,}", why, f"{PUBLISHED[name]:,}" if name in PUBLISHED else "")
    return table


def few_events(funnel: Mapping[str, Any]) -> bool:
    """Whether hardly any pair holds two basic events, so that other text is needed to count them in.

    Args:
        funnel: The content of `items/funnel.json`.
    """
    steps = dict(map(tuple, funnel["steps"]))
    return bool(steps["reliable"]) and steps["basic"] < _FEW * steps["reliable"]


def _most_frequent(reasons: Mapping[str, int], most: int = 5) -> Iterator[str]:
    """The most frequent reasons with their counts, and how many others there are."""
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    yield from (f"{why} {count:,}" for why, count in ordered[:most])
    rest = sum(count for _, count in ordered[most:])
    if rest:
        yield f"others {rest:,}"


def pairs_table(numbers: Mapping[str, Any]) -> Any:
    """The pairs by relation and marker, for a terminal.

    Args:
        numbers: What `statistics` returns.
    """
    from rich.table import Table

    table = Table("relation", "marker", "pairs", title=f"{numbers['pairs']['all']:,} pairs")
    for relation, marker, count in numbers["pairs"]["markers"]:
        table.add_row(relation, marker or _NO_MARKER, f"{count:,}")
    return table


def questions_table(numbers: Mapping[str, Any]) -> Any:
    """The questions by conditions and part, for a terminal.

    Args:
        numbers: What `statistics` returns, with questions.
    """
    from rich.table import Table

    made = numbers["questions"]["made"]
    reasons = {
        name: count
        for name, count in made.items()
        if name not in {"pairs", "questions", "confirmed"} and isinstance(count, int)
    }
    why = ", ".join(_most_frequent(reasons))
    table = Table("wrong options", *SPLITS, title="Questions", caption=f"no question: {why}" if why else None)
    for name, parts in numbers["questions"]["by_conditions"].items():
        table.add_row(name, *(f"{parts[split]:,}" for split in SPLITS))
    return table
