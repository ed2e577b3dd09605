"""What must hold of a release of TempRIPPLE, beside what holds of every release."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tashika.exports.arrow import column
from tashika.exports.arrow import compute as pc
from tashika.exports.checks import Check, Problem, ReleaseFiles, flagged, repeats

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?", re.ASCII)
Rows = list[dict[str, Any]]


def is_question(texts: Any) -> Any:
    """True where a text is one line that ends with a question mark."""
    return pc.match_substring_regex(texts, r"\A[^\r\n]*\S\?\z")


def questions_are_questions(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question is one line and ends with a question mark."""
    table = release.table("questions")
    yield from flagged(_file(release, "questions"), table, pc.invert(is_question(table.column("text"))), "text")


def questions_have_parents(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question's fact and tenure are in the release, and so is the related fact that it asks about."""
    table = release.table("questions")
    for name, config in (("fact_id", "facts"), ("history_id", "history")):
        yield from _strangers(release, "questions", name, config)
    unknown = pc.invert(_known(release, table.column("related_id"), "related"))
    wrong = pc.if_else(pc.equal(table.column("hop"), 0), table.column("related_id").is_valid(), unknown)
    yield from flagged(_file(release, "questions"), table, wrong, "related_id")


def questions_fit_their_parents(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question has the place and age of its tenure, and the hop and property of its related fact."""
    facts, tenures, related = (_by_id(release, name) for name in ("facts", "history", "related"))
    for row in _rows(release, "questions"):
        tenure, last = tenures.get(row["history_id"]), related.get(row["related_id"])
        if tenure is None or row["fact_id"] not in facts or (last is None) != (row["hop"] == 0):
            continue  # parents that are not there are another check's
        expected = {
            "fact_id": tenure["fact_id"],
            "place": tenure["place"],
            "task": f"related_{tenure['age']}" if last else tenure["age"],
            "hop": last["hop"] if last else 0,
            "last_relation": (last or tenure)["relation"],
            "history_id": last["history_id"] if last else row["history_id"],
        }
        yield from _differences(_file(release, "questions"), row, expected)


def options_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question has as many options as the first one, all different and none blank."""
    rows = _rows(release, "questions")
    for row in rows:
        shown = {_same(option) for option in row["options"]}
        if len(row["options"]) != len(rows[0]["options"]) or len(shown) != len(row["options"]) or "" in shown:
            yield Problem(_file(release, "questions"), row["item_id"], repr(row["options"]))


def the_marked_option_is_right(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question's `answer` is the place of an option that is among its right answers."""
    for row in _rows(release, "questions"):
        place, options = row["answer"], row["options"]
        if not 0 <= place < len(options) or options[place] not in row["answers"]:
            yield Problem(_file(release, "questions"), row["item_id"], f"{place} of {options!r}")


def other_options_are_wrong(release: ReleaseFiles) -> Iterator[Problem]:
    """No option beside the marked one is a right answer, or was one at another time."""
    related = _by_id(release, "related")
    for row in _rows(release, "questions"):
        last = related.get(row["related_id"])
        right = {_same(text) for text in (*row["answers"], *(last["also_true"] if last else ()))}
        for place, option in enumerate(row["options"]):
            if place != row["answer"] and _same(option) in right:
                yield Problem(_file(release, "questions"), row["item_id"], repr(option))


def contexts_are_statements(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question's context is the statement of its fact."""
    facts = _by_id(release, "facts")
    for row in _rows(release, "questions"):
        fact = facts.get(row["fact_id"])
        if fact is not None:
            yield from _differences(_file(release, "questions"), row, {"context": fact["statement"]})


def facts_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """No subject and property stand twice."""
    yield from repeats(release, "facts", ["subject", "relation"])


def tenures_have_facts(release: ReleaseFiles) -> Iterator[Problem]:
    """Every tenure's fact is in the release, with the same subject and property."""
    yield from _strangers(release, "history", "fact_id", "facts")
    facts = _by_id(release, "facts")
    for row in _rows(release, "history"):
        fact = facts.get(row["fact_id"])
        if fact is not None:
            expected = {name: fact[name] for name in ("subject", "relation")}
            yield from _differences(_file(release, "history"), row, expected)


def facts_are_newest_tenures(release: ReleaseFiles) -> Iterator[Problem]:
    """Every fact has a tenure at place 1, with the same object and start."""
    newest = {row["fact_id"]: row for row in _rows(release, "history") if row["place"] == 1}
    for fact in _rows(release, "facts"):
        tenure = newest.get(fact["item_id"])
        if tenure is None:
            yield Problem(_file(release, "facts"), fact["item_id"], "no tenure at place 1")
        else:
            yield from _differences(_file(release, "facts"), fact, {name: tenure[name] for name in ("object", "start")})


def places_are_in_order(release: ReleaseFiles) -> Iterator[Problem]:
    """A fact's tenures have the place 1, which is new, and old ones without a hole among them."""
    yield from repeats(release, "history", ["fact_id", "place"])
    for tenures in _of_facts(release):
        for number, row in enumerate(tenures):
            # Between the new one and the old ones may be some that came and went in the window: nobody asks about them.
            hole = number > 1 and row["place"] > tenures[number - 1]["place"] + 1
            if hole or row["place"] < 1 or row["age"] != ("new" if row["place"] == 1 else "old"):
                yield Problem(_file(release, "history"), row["item_id"], f"place {row['place']}, {row['age']}")


def times_are_in_order(release: ReleaseFiles) -> Iterator[Problem]:
    """A tenure ends after it starts, none is over before an older one starts, and the new one comes after all ends."""
    for tenures in _of_facts(release):
        newest = tenures[0]
        for number, row in enumerate(tenures):
            # Overlaps of old ones are not looked for: before the history's beginning they are allowed.
            after = number > 0 and (row["end"] is None or _later(row["end"], newest["start"]))
            early = any(_later(row["start"], newer["end"]) for newer in tenures[:number])
            if after or early or _later(row["start"], row["end"]):
                found = f"{row['start']} to {row['end']} at place {row['place']}"
                yield Problem(_file(release, "history"), row["item_id"], found)


def _of_facts(release: ReleaseFiles) -> list[Rows]:
    """The tenures of each fact, by place."""
    found: dict[str, Rows] = defaultdict(list)
    for row in sorted(_rows(release, "history"), key=lambda row: int(row["place"])):
        found[row["fact_id"]].append(row)
    return list(found.values())


def related_have_parents(release: ReleaseFiles) -> Iterator[Problem]:
    """Every related fact's tenure, of its fact and age, is in the release, and so is the hop before on that tenure."""
    yield from _strangers(release, "related", "fact_id", "facts")
    yield from _strangers(release, "related", "history_id", "history")
    known, tenures = _by_id(release, "related"), _by_id(release, "history")
    for row in _rows(release, "related"):
        tenure = tenures.get(row["history_id"])
        if tenure is not None:
            expected = {name: tenure[name] for name in ("fact_id", "age")}
            yield from _differences(_file(release, "related"), row, expected)
        before = known.get(row["parent"])
        found = (before["history_id"], before["hop"]) if before else (row["history_id"], 0)
        if (before is None) != (row["parent"] is None) or found != (row["history_id"], row["hop"] - 1):
            yield Problem(_file(release, "related"), row["item_id"], f"the parent {row['parent']} of hop {row['hop']}")


def paths_lead_to_their_facts(release: ReleaseFiles) -> Iterator[Problem]:
    """Every path leads from its changing fact to the related fact: one step more than its hop, no subject twice."""
    facts, tenures = _by_id(release, "facts"), _by_id(release, "history")
    for row in _rows(release, "related"):
        fact, tenure = facts.get(row["fact_id"]), tenures.get(row["history_id"])
        steps = list(zip(row["path_relations"], row["path_subjects"], strict=False))
        ends = (
            fact is None or steps[:1] == [(fact["relation"], fact["subject"])],
            tenure is None or row["path_subjects"][1:2] == [tenure["object"]],
            steps[-1:] == [(row["relation"], row["subject"])],
            {len(row[name]) for name in ("path_relations", "path_subjects", "path_subject_labels")} == {row["hop"] + 1},
            len(set(row["path_subjects"])) == len(row["path_subjects"]),
        )
        if not all(ends):
            yield Problem(_file(release, "related"), row["item_id"], f"{steps!r} at hop {row['hop']}")


def related_have_answers(release: ReleaseFiles) -> Iterator[Problem]:
    """Every related fact has an object, and a label for each."""
    table = release.table("related")
    counts = [pc.list_value_length(table.column(name)) for name in ("objects", "object_labels")]
    wrong = pc.or_(pc.less(counts[0], 1), pc.not_equal(*counts))
    yield from flagged(_file(release, "related"), table, wrong, "objects")


def _later(left: str | None, right: str | None) -> bool:
    """Whether the one date certainly lies after the other; what cannot be compared does not."""
    if not (left and right and _DATE.fullmatch(left) and _DATE.fullmatch(right)):
        return False
    length = min(len(left), len(right))
    return left[:length] > right[:length]


def _same(text: str) -> str:
    return " ".join(text.split()).casefold()


def _differences(file: str, row: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[Problem]:
    for name, value in expected.items():
        if row[name] != value:
            yield Problem(file, row["item_id"], f"{name} {row[name]!r}, where its parent has {value!r}")


def _known(release: ReleaseFiles, ids: Any, config: str) -> Any:
    return pc.is_in(ids, value_set=column(release.table(config), "item_id"))


def _strangers(release: ReleaseFiles, config: str, name: str, parents: str) -> Iterator[Problem]:
    table = release.table(config)
    yield from flagged(_file(release, config), table, pc.invert(_known(release, table.column(name), parents)), name)


def _rows(release: ReleaseFiles, config: str) -> Rows:
    return release.table(config).to_pylist()


def _by_id(release: ReleaseFiles, config: str) -> dict[str, dict[str, Any]]:
    return {row["item_id"]: row for row in _rows(release, config)}


def _file(release: ReleaseFiles, config: str) -> str:
    return release.paths(config)[0]


TEMPRIPPLE: Final[tuple[Check, ...]] = (
    questions_are_questions,
    questions_have_parents,
    questions_fit_their_parents,
    options_differ,
    the_marked_option_is_right,
    other_options_are_wrong,
    contexts_are_statements,
    facts_differ,
    tenures_have_facts,
    facts_are_newest_tenures,
    places_are_in_order,
    times_are_in_order,
    related_have_parents,
    paths_lead_to_their_facts,
    related_have_answers,
)
"""The checks of a release of TempRIPPLE, beside those of every release."""
