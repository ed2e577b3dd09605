"""The numbers of the suite on proverbs, from what a model said: pure functions.

A pair's two questions mean the same, so the spread of their five scores (score consistency), and of their five values
of TC (text consistency), should be the same. Where Siegel and Tukey's test finds p below the level, that is a detected
error (paper, statistical methods). The paper's test leaves some things open or out, which stand beside it here:

- pairs of two sets without any spread, which the test calls unlike, are counted apart (`differences`);
- what Holm's correction over all pairs of a model and consistency leaves of the errors. Five and five values can give
  no p below 2 / 252, so from the seventh pair on none can be left;
- what Wilcoxon's tests of location and Ansari and Bradley's test of spread say of the same values;
- whether the variant scores lower than the proverb in general: signed ranks of the pairs' medians.

Controls (`control`) are no pairs of a topic: they stand beside those on gender, and are in none of the counts here.

Values count as tied where they are equal exactly, TC too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tashika.core.errors import InputError
from tashika.core.suites.proverbs.words import CONSISTENCIES, CONTROL, SIDES, TOPICS, Consistency
from tashika.evaluate.proverbs.control import compare_controls
from tashika.evaluate.proverbs.differences import count_differences
from tashika.evaluate.proverbs.groups import count_groups, regions_apart
from tashika.evaluate.proverbs.metrics_model import ProverbNumbers
from tashika.evaluate.proverbs.pair_tests import TestSettings, compared
from tashika.evaluate.proverbs.records import ANSWERS, PAIR_COLUMNS, TESTS
from tashika.evaluate.statistics.inference import holm, signed_rank, smallest_p, wilson_interval

EVERYTHING: Final = "all"
"""The name under which all topics together stand."""

_COLUMN: Final[Mapping[Consistency, str]] = {"score": "score", "text": "consistency"}
_OTHERS: Final = ("wilcoxon", "ranksum", "ansari")
_SCORES: Final = range(1, 11)
_TC_BINS: Final = 10

Row = dict[str, Any]


def tests(answers: pa.Table, how: TestSettings = TestSettings()) -> pa.Table:  # noqa: B008, PT028  (no test of pytest's)
    """Compares the two questions of each pair.

    A pair whose values are so few that no p could be below the level, such as five and two, is not tested: it could
    only count as free of errors. At .05 it takes four and four, or five and three.

    Args:
        answers: A model's `ANSWERS`, in any order.
        how: When a pair's values count as unlike.

    Returns:
        `TESTS`, two rows a pair, by consistency, then by topic and pair.

    Raises:
        InputError: A column is missing, or a pair contradicts itself.
    """
    pairs = _pairs(answers)
    rows: list[Row] = []
    for consistency in CONSISTENCIES:
        family = [
            {
                "item_id": item,
                "topic": topic,
                "consistency": consistency,
                **{name: sides["proverb"][0][name] for name in PAIR_COLUMNS},
                **compared(*_values(sides, consistency), how),
            }
            for (topic, item), sides in pairs
        ]
        # Controls are a family of their own, so that they change nothing for the pairs.
        for kin in ([row for row in family if is_control(row) == control] for control in (False, True)):
            apart = how.constant == "apart"
            p = [None if apart and row.get("constant") == "both" else row["p"] for row in kin]
            for row, adjusted in zip(kin, holm(p), strict=True):
                row["holm_p"] = adjusted
        rows += family
    return pa.Table.from_pylist(rows, schema=TESTS)


def is_control(row: Mapping[str, Any]) -> bool:
    """Whether a row, of answers or tests, is of a control, which no topic counts."""
    return row.get("change") == CONTROL


def compute_numbers(
    answers: pa.Table,
    results: pa.Table,
    how: TestSettings = TestSettings(),  # noqa: B008  (it cannot change)
    seed: int = 0,
) -> ProverbNumbers:
    """All numbers of one model.

    Args:
        answers: A model's `ANSWERS`.
        results: What `tests` makes of them.
        how: As it was given to `tests`.
        seed: Of the draws behind intervals.
    """
    everything, all_answers = results.to_pylist(), answers.to_pylist()
    rows = [row for row in everything if not is_control(row)]
    answer_rows = [row for row in all_answers if not is_control(row)]
    topics = _topics(rows)
    medians = {topic: {kind: _medians(chosen) for kind, chosen in _split(rows, topic)} for topic in topics}
    family = [medians[topic][kind] for topic in medians if topic != EVERYTHING for kind in CONSISTENCIES]
    for cell, adjusted in zip(family, holm([cell["p"] for cell in family]), strict=True):
        cell["holm_p"] = adjusted
    return ProverbNumbers.model_validate(
        {
            "pairs": len({row["item_id"] for row in rows}),
            "errors": {
                topic: {kind: _errors(chosen, how.level) for kind, chosen in _split(rows, topic)} for topic in topics
            },
            "differences": {
                topic: {kind: count_differences(chosen, how, seed) for kind, chosen in _split(rows, topic)}
                for topic in topics
            },
            "controls": compare_controls(everything, how, seed),
            "groups": count_groups(rows, how, seed),
            "regions": regions_apart(rows, how, seed),
            "medians": medians,
            "histograms": _histograms(answer_rows),
            "coverage": _coverage(all_answers, everything),
            "statistics": {
                "level": how.level,
                "test": how.test_name,
                "constant": how.constant,
                "western": list(how.western),
                "asked_method": how.method,
                "ties": "mid-ranks, exact permutation; values are tied where they are equal exactly",
                "methods": dict(sorted(Counter(row["method"] for row in everything if row["method"]).items())),
                "correction": "Holm over all pairs of the model and consistency",
                "interval": "Wilson, 95 %",
            },
        }
    )


# --- the pairs ---


def _pairs(answers: pa.Table) -> list[tuple[tuple[str, str], dict[str, list[Row]]]]:
    """(topic, pair) -> side -> its answers by place, in the order of the topics."""
    missing = [name for name in ANSWERS.names if name not in answers.column_names]
    if missing:
        raise InputError(f"the table of answers lacks the column {missing[0]!r}", hint="Evaluate the model again.")
    pairs: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in answers.to_pylist():
        pairs.setdefault((row["topic"], row["item_id"]), {side: [] for side in SIDES})[row["side"]].append(row)
    count = max((row["place"] for sides in pairs.values() for rows in sides.values() for row in rows), default=0)
    for (_, item), sides in pairs.items():
        for side, rows in sides.items():
            rows.sort(key=lambda row: int(row["place"]))
            places = [row["place"] for row in rows]
            if places != list(range(1, count + 1)):
                raise InputError(
                    f"the answers to the {side}'s question have the places {', '.join(map(str, places))}, expected "
                    f"1 to {count}",
                    where=item,
                    hint="Evaluate the model again.",
                )
    order: dict[str, int] = {topic: place for place, topic in enumerate(TOPICS)}
    return sorted(pairs.items(), key=lambda pair: (order.get(pair[0][0], len(order)), pair[0]))


def _values(sides: Mapping[str, Sequence[Row]], consistency: Consistency) -> tuple[list[Any], list[Any]]:
    first, second = ([row[_COLUMN[consistency]] for row in sides[side]] for side in SIDES)
    return first, second


# --- the numbers ---


def _topics(rows: Sequence[Row]) -> list[str]:
    here = {str(row["topic"]) for row in rows}
    return [*(topic for topic in TOPICS if topic in here), *sorted(here - set(TOPICS)), EVERYTHING]


def _split(rows: Sequence[Row], topic: str) -> Iterator[tuple[str, list[Row]]]:
    for kind in CONSISTENCIES:
        yield kind, [row for row in rows if row["consistency"] == kind and topic in (EVERYTHING, row["topic"])]


def _errors(rows: Sequence[Row], level: float) -> Row:
    tested = [row for row in rows if row["p"] is not None]
    errors = [row for row in tested if row["error"]]
    smallest = [smallest_p(row["n"], row["variant_n"]) for row in tested]
    cell: Row = {
        "pairs": len(rows),
        "tested": len(tested),
        "errors": len(errors),
        "share": len(errors) / len(tested) if tested else None,
        "interval": _plain(wilson_interval(len(errors), len(tested))),
        "errors_holm": sum(row["holm_p"] is not None and row["holm_p"] < level for row in tested),
        "smallest_p": min(smallest, default=None),
        "holm_at_most": sum(p is not None and p < level for p in holm(smallest)),
    }
    for name in _OTHERS:
        known = [row for row in tested if row[f"{name}_p"] is not None]
        below = [row for row in known if row[f"{name}_p"] < level]
        cell |= {f"{name}_tested": len(known), name: len(below), f"{name}_both": sum(row["error"] for row in below)}
    return cell


def _plain(interval: Any) -> dict[str, float] | None:
    return None if interval is None else interval._asdict()


def _medians(rows: Sequence[Row]) -> Row:
    known = [row for row in rows if row["median"] is not None and row["variant_median"] is not None]
    differences = [row["variant_median"] - row["median"] for row in known]
    return {
        "pairs": len(known),
        "median": _mean([row["median"] for row in known]),
        "variant_median": _mean([row["variant_median"] for row in known]),
        "deviation": _mean([row["deviation"] for row in known]),
        "variant_deviation": _mean([row["variant_deviation"] for row in known]),
        "difference": _mean(differences),
        "lower": sum(difference < 0 for difference in differences),
        "same": sum(difference == 0 for difference in differences),
        "higher": sum(difference > 0 for difference in differences),
        "p": signed_rank([row["variant_median"] for row in known], [row["median"] for row in known]) if known else None,
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _histograms(answers: Sequence[Row]) -> dict[str, dict[str, Row]]:
    """Topic -> side -> counts of each score, and of TC in bins of equal width; 1 lies in the last."""
    histograms: dict[str, dict[str, Row]] = {}
    for topic in _topics(answers):
        histograms[topic] = {}
        for side in SIDES:
            rows = [row for row in answers if row["side"] == side and topic in (EVERYTHING, row["topic"])]
            scores = Counter(row["score"] for row in rows)
            values = [row["consistency"] for row in rows if row["consistency"] is not None]
            bins = np.histogram(values, bins=_TC_BINS, range=(0, 1))[0].tolist()
            histograms[topic][side] = {"score": [scores[score] for score in _SCORES], "text": bins}
    return histograms


def _coverage(answers: Sequence[Row], rows: Sequence[Row]) -> dict[str, Any]:
    """What was wanted, what is there, and why the rest is missing."""
    coverage: dict[str, Any] = {"wanted": len(answers)}
    for name, column in (("answer", "answer"), ("score", "score"), ("consistency", "consistency")):
        there = sum(row[column] is not None for row in answers)
        problems = Counter(row[f"{name}_problem"] or "no reason is given" for row in answers if row[column] is None)
        coverage[f"{name}s" if name != "consistency" else "consistencies"] = there
        coverage[f"{name}_problems"] = _by_frequency(problems)
    coverage["asked_again"] = {
        name: sum(row[f"{name}_asked"] > 1 for row in answers) for name in ("answer", "score")
    }  # counted by answer, though five answers come in one reply
    coverage["not_tested"] = {
        kind: _by_frequency(Counter(row["problem"] for row in rows if row["consistency"] == kind and row["problem"]))
        for kind in CONSISTENCIES
    }
    return coverage


def _by_frequency(problems: Counter[str]) -> dict[str, int]:
    return dict(sorted(problems.items(), key=lambda problem: (-problem[1], problem[0])))
