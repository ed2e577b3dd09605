"""What must hold of a release of TempRIPPLE, beside what holds of every release."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tashika.core.texts import text_key
from tashika.exports.arrow import column
from tashika.exports.arrow import compute as pc
from tashika.exports.checks import Check, Problem, ReleaseFiles, flagged, repeats

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?", re.ASCII)
_PATH = ("path_relations", "path_subjects", "path_subject_labels")
Rows = list[dict[str, Any]]


def is_question(texts: Any) -> Any:
    """True where a text is one line that ends with a question mark."""
    return pc.match_substring_regex(texts, r"\A[^\r\n]*\S\?\z")


def questions_are_questions(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question is one line and ends with a question mark."""
    table = release.table("questions")
    yield from flagged(_file(release, "questions"), table, pc.invert(is_question(table.column("text"))), "text")


def texts_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """No question's text stands twice."""
    seen: set[str] = set()
    for row in _rows(release, "questions"):
        text = text_key(row["text"])
        if text in seen:
            yield Problem(_file(release, "questions"), row["item_id"], repr(row["text"]))
        seen.add(text)


def questions_have_parents(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question's fact and tenure are in the release, and so is the related fact that it asks about."""
    table = release.table("questions")
    for name, config in (("fact_id", "facts"), ("history_id", "history")):
        yield from _strangers(release, "questions", name, config)
    unknown = pc.invert(_known(release, table.column("related_id"), "related"))
    wrong = pc.if_else(pc.equal(table.column("hop"), 0), table.column("related_id").is_valid(), unknown)
    yield from flagged(_file(release, "questions"), table, wrong, "related_id")


def questions_fit_their_parents(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question has the subject, place, age, hop, property and answers of what it asks about."""
    facts, tenures, related = (_by_id(release, name) for name in ("facts", "history", "related"))
    for row in _rows(release, "questions"):
        fact, tenure = facts.get(row["fact_id"]), tenures.get(row["history_id"])
        last = related.get(row["related_id"])
        if tenure is None or fact is None or (last is None) != (row["hop"] == 0):
            continue  # parents that are not there are another check's
        expected = {
            "fact_id": tenure["fact_id"],
            "subject": fact["subject"],
            "relation": fact["relation"],
            "place": tenure["place"],
            "task": f"related_{tenure['age']}" if last else tenure["age"],
            "hop": last["hop"] if last else 0,
            "last_relation": (last or tenure)["relation"],
            "history_id": last["history_id"] if last else row["history_id"],
        }
        yield from _differences(_file(release, "questions"), row, expected)
        right = last["object_labels"] if last else [tenure["object_label"]]
        if _keys(row["answers"]) != _keys(right):
            problem = f"the answers {row['answers']!r}, where its parent has {right!r}"
            yield Problem(_file(release, "questions"), row["item_id"], problem)


def options_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question has as many options as the first one, all different and none blank."""
    rows = _rows(release, "questions")
    for row in rows:
        shown = _keys(row["options"])
        if len(row["options"]) != len(rows[0]["options"]) or len(shown) != len(row["options"]) or "" in shown:
            yield Problem(_file(release, "questions"), row["item_id"], repr(row["options"]))


def the_marked_option_is_right(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question's `answer` is the place of an option that is among its right answers."""
    for row in _rows(release, "questions"):
        place, options = row["answer"], row["options"]
        if not 0 <= place < len(options) or options[place] not in row["answers"]:
            yield Problem(_file(release, "questions"), row["item_id"], f"{place} of {options!r}")


def other_options_are_wrong(release: ReleaseFiles) -> Iterator[Problem]:
    """No option beside the marked one is a right answer, or was one at another time.

    Objects of the same history are options where the question's option set says so; they are wrong at its place.
    """
    related = _by_id(release, "related")
    held = {tenures[0]["fact_id"]: [row["object_label"] for row in tenures] for tenures in _of_facts(release)}
    tenure = _by_id(release, "history")
    for row in _rows(release, "questions"):
        last = related.get(row["related_id"])
        said = tenure[row["history_id"]]["also_true"] if row["history_id"] in tenure else ()
        # At hop 0 a source that counts tenures differently would make another one right.
        history = held.get(row["fact_id"], ()) if row["option_set"] == "other-facts" else ()
        right = _keys([*row["answers"], *(last["also_true"] if last else [*history, *said])])
        for place, option in enumerate(row["options"]):
            if place != row["answer"] and text_key(option) in right:
                yield Problem(_file(release, "questions"), row["item_id"], repr(option))


def lures_are_of_the_other_side(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question's lure is a wrong option that is right of the other side.

    That is the newest tenure for a question on an old one, and an old one for a question on the newest. A related fact
    that no question asks for is not released; what it leads to cannot be checked here.
    """
    related = _by_id(release, "related")
    held: dict[tuple[str, tuple[str, ...]], dict[int, Sequence[str]]] = defaultdict(dict)
    place = {row["item_id"]: row["place"] for row in _rows(release, "history")}
    for row in _rows(release, "history"):
        held[row["fact_id"], ()][row["place"]] = [row["object_label"]]
    for row in related.values():
        held[row["fact_id"], tuple(row["path_relations"][1:])][place.get(row["history_id"], 0)] = row["object_labels"]
    for row in _rows(release, "questions"):
        if row["lure"] is None:
            continue
        last, options = related.get(row["related_id"]), row["options"]
        way = held[row["fact_id"], tuple(last["path_relations"][1:]) if last else ()]
        side = [labels for at, labels in way.items() if (at == 1) == (row["place"] > 1)]
        inside = 0 <= row["lure"] < len(options) and row["lure"] != row["answer"]
        known = side and (last is None or row["place"] > 1)
        if not inside or (known and not any(text_key(options[row["lure"]]) in _keys(labels) for labels in side)):
            yield Problem(_file(release, "questions"), row["item_id"], f"the lure {row['lure']} of {options!r}")


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
    """A tenure ends after it starts, none is over before an older one starts, and the new one comes after all ends.

    And no tenure lasts less than no time.
    """
    for tenures in _of_facts(release):
        newest = tenures[0]
        for number, row in enumerate(tenures):
            # Overlaps of old ones are not looked for: before the history's beginning they are allowed.
            after = number > 0 and (row["end"] is None or _later(row["end"], newest["start"]))
            early = any(_later(row["start"], newer["end"]) for newer in tenures[:number])
            if after or early or _later(row["start"], row["end"]) or not row["years"] >= 0:
                problem = f"{row['start']} to {row['end']} at place {row['place']}, {row['years']} years"
                yield Problem(_file(release, "history"), row["item_id"], problem)


def _of_facts(release: ReleaseFiles) -> list[Rows]:
    """The tenures of each fact, by place."""
    by_fact: dict[str, Rows] = defaultdict(list)
    for row in sorted(_rows(release, "history"), key=lambda row: int(row["place"])):
        by_fact[row["fact_id"]].append(row)
    return list(by_fact.values())


def related_have_parents(release: ReleaseFiles) -> Iterator[Problem]:
    """Every related fact's tenure, of its fact and age, is in the release, and so is the hop before, which leads to it.

    The hop before has this fact's subject as its only object: a fact with several ends its path.
    """
    yield from _strangers(release, "related", "fact_id", "facts")
    yield from _strangers(release, "related", "history_id", "history")
    known, tenures = _by_id(release, "related"), _by_id(release, "history")
    for row in _rows(release, "related"):
        tenure = tenures.get(row["history_id"])
        if tenure is not None:
            expected = {name: tenure[name] for name in ("fact_id", "age")}
            yield from _differences(_file(release, "related"), row, expected)
        before = known.get(row["parent"])
        before_it = (before["history_id"], before["hop"]) if before else (row["history_id"], 0)
        leads = before is None or before["objects"] == [row["subject"]]
        if (before is None) != (row["parent"] is None) or before_it != (row["history_id"], row["hop"] - 1) or not leads:
            shown = f"the parent {row['parent']} of hop {row['hop']} about {row['subject']}"
            if before:
                shown += f"; that one's hop is {before['hop']} and its objects are {before['objects']!r}"
            yield Problem(_file(release, "related"), row["item_id"], shown)


def paths_lead_to_their_facts(release: ReleaseFiles) -> Iterator[Problem]:
    """Every path leads from its changing fact over the hop before to the related fact, and to no entity twice."""
    facts, tenures, related = (_by_id(release, name) for name in ("facts", "history", "related"))
    for row in _rows(release, "related"):
        fact, tenure = facts.get(row["fact_id"]), tenures.get(row["history_id"])
        before = related.get(row["parent"])
        if before and before["history_id"] != row["history_id"]:
            before = None  # a parent on another tenure is another check's
        met = [*row["path_subjects"], *row["objects"]]
        steps = list(zip(row["path_relations"], row["path_subjects"], strict=False))
        ends = (
            fact is None or steps[:1] == [(fact["relation"], fact["subject"])],
            tenure is None or row["path_subjects"][1:2] == [tenure["object"]],
            steps[-1:] == [(row["relation"], row["subject"])],
            {len(row[name]) for name in _PATH} == {row["hop"] + 1},
            before is None or all(row[name][:-1] == before[name] for name in _PATH),
            row["path_subject_labels"][-1:] == [row["subject_label"]],
            len(set(met)) == len(met),
        )
        if not all(ends):
            problem = f"{steps!r} with the objects {row['objects']!r} at hop {row['hop']}"
            yield Problem(_file(release, "related"), row["item_id"], problem)


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


def _keys(texts: Sequence[str]) -> set[str]:
    return set(map(text_key, texts))


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
    texts_differ,
    questions_have_parents,
    questions_fit_their_parents,
    options_differ,
    the_marked_option_is_right,
    other_options_are_wrong,
    lures_are_of_the_other_side,
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
