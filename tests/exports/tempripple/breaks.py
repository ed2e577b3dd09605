"""How releases of TempRIPPLE break, one check at a time."""

from __future__ import annotations

from typing import Any

from tashika.exports.tempripple import checks
from tests.exports.drafts import Break, Draft, ReleaseToys, broken
from tests.exports.tempripple import samples as ripples


def question(draft: Draft, *key: str) -> dict[str, Any]:
    return draft.row("questions", item_id=ripples.question_id(*key))


def tenure(draft: Draft, value: str) -> dict[str, Any]:
    return draft.row("history", item_id=ripples.tenure_id(value))


def path(draft: Draft, *key: str) -> dict[str, Any]:
    return draft.row("related", item_id=ripples.related_id(*key))


def change(row: dict[str, Any], **values: Any) -> str:
    row.update(values)
    return str(row["item_id"])


def break_age(draft: Draft) -> str:
    """A new tenure that calls itself old, and that nothing hangs on which would know better."""
    row = tenure(draft, "Q533861")
    for name in ("questions", "related"):
        draft.keep(name, lambda other: bool(other["history_id"] != row["item_id"]))
    return change(row, age="old")


def branch(draft: Draft) -> str:
    """A hop that goes on from one of several objects."""
    change(path(draft, "Q318", "P69"), objects=["Q1321", "Q846"], object_labels=["Keio University", "Kobe University"])
    change(question(draft, "Q318", "P69"), answers=["Keio University", "Kobe University"])
    return str(path(draft, "Q318", "P69", "P112")["item_id"])


def jump(draft: Draft) -> str:
    """A hop that goes on from what the one before does not lead to."""
    change(path(draft, "Q318", "P69"), objects=["Q846"])
    return str(path(draft, "Q318", "P69", "P112")["item_id"])


STRANGER = "f" * 32


def repeat_fact(draft: Draft) -> str:
    """A fact with its tenures that stands there under another id as well."""
    fact = draft.rows("facts")[0]
    tenures = [row for row in draft.rows("history") if row["fact_id"] == fact["item_id"]]
    copies = [{**row, "item_id": f"{number}" * 32, "fact_id": STRANGER} for number, row in enumerate(tenures)]
    draft.rows("history").extend(copies)
    draft.rows("facts").append({**fact, "item_id": STRANGER})
    return STRANGER


OTHERS = ["Ulm", "Warsaw", "Bonn", "1912"]
BREAKS = [
    *broken(checks.facts_differ, repeat_fact),
    Break(checks.questions_are_questions, "no mark", lambda d: change(question(d, "Q318"), text="Who was it.")),
    Break(checks.texts_differ, "two", lambda d: change(question(d, "Q2911"), text=question(d, "Q318")["text"].upper())),
    Break(checks.questions_have_parents, "no fact", lambda d: change(question(d, "Q318"), fact_id=STRANGER)),
    Break(checks.questions_have_parents, "no tenure", lambda d: change(question(d, "Q318"), history_id=STRANGER)),
    Break(checks.questions_have_parents, "unknown", lambda d: change(question(d, "Q318", "P69"), related_id=STRANGER)),
    Break(checks.questions_have_parents, "hop lost", lambda d: change(question(d, "Q318", "P69"), related_id=None)),
    Break(checks.questions_fit_their_parents, "place", lambda d: change(question(d, "Q318"), place=3)),
    Break(checks.questions_fit_their_parents, "task", lambda d: change(question(d, "Q318", "P69"), task="old")),
    Break(checks.questions_fit_their_parents, "hop", lambda d: change(question(d, "Q318", "P69"), hop=2)),
    Break(checks.questions_fit_their_parents, "asked", lambda d: change(question(d, "Q318"), last_relation="P35")),
    Break(checks.questions_fit_their_parents, "subject", lambda d: change(question(d, "Q318"), subject="Q30")),
    Break(checks.questions_fit_their_parents, "relation", lambda d: change(question(d, "Q318", "P69"), relation="P35")),
    Break(
        checks.questions_fit_their_parents,
        "too many answers",
        lambda d: change(question(d, "Q318"), answers=["Shigeru Ishiba", "Taro Aso"]),
    ),
    Break(
        checks.questions_fit_their_parents,
        "too few answers",
        lambda d: change(question(d, "Q178629", "P1412"), answers=["Italian"]),
    ),
    Break(
        checks.questions_fit_their_parents,
        "answer of another",
        lambda d: change(question(d, "Q318", "P69"), answers=["Ulm"], answer=0, options=["Ulm", "Warsaw", "1912", "x"]),
    ),
    Break(checks.options_differ, "few", lambda d: change(question(d, "Q318"), options=["Ulm", "x", "Shigeru Ishiba"])),
    Break(
        checks.options_differ,
        "twice",
        lambda d: change(question(d, "Q235"), options=["Ulm", "Sanae Takaichi", "a", "A "]),
    ),
    Break(
        checks.options_differ,
        "blank",
        lambda d: change(question(d, "Q235"), options=["Ulm", "Sanae Takaichi", "a", " "]),
    ),
    Break(
        checks.the_marked_option_is_right,
        "wrong mark",
        lambda d: change(question(d, "Q318"), options=OTHERS),
    ),
    Break(
        checks.the_marked_option_is_right,
        "no mark at all",
        lambda d: change(question(d, "Q318"), answer=4, options=OTHERS),
    ),
    Break(
        checks.other_options_are_wrong,
        "also right",
        lambda d: change(question(d, "Q178629", "P1412"), options=["Ulm", "portuguese", "1912", "Italian"]),
    ),
    Break(
        checks.other_options_are_wrong,
        "another tenure's",
        lambda d: change(question(d, "Q235"), options=["Ulm", "Sanae Takaichi", "Fumio\u3000KISHIDA", "Warsaw"]),
    ),
    Break(
        checks.other_options_are_wrong,
        "was right",
        lambda d: change(path(d, "Q178629", "P1412"), also_true=["Ulm"]) and ripples.question_id("Q178629", "P1412"),
    ),
    Break(checks.lures_are_of_the_other_side, "right", lambda d: change(question(d, "Q235"), lure=2)),
    Break(checks.lures_are_of_the_other_side, "a stranger", lambda d: change(question(d, "Q235"), lure=0)),
    Break(checks.lures_are_of_the_other_side, "no option", lambda d: change(question(d, "Q235"), lure=9)),
    Break(checks.contexts_are_statements, "context", lambda d: change(question(d, "Q318"), context="It is so.")),
    Break(checks.tenures_have_facts, "no root", lambda d: change(tenure(d, "Q2911"), subject="Q30")),
    Break(checks.facts_are_newest_tenures, "object", lambda d: change(d.rows("facts")[0], object="Q30")),
    Break(checks.facts_are_newest_tenures, "start", lambda d: change(d.rows("facts")[0], start="2025")),
    Break(checks.places_are_in_order, "old 1", break_age),
    Break(checks.times_are_in_order, "backwards", lambda d: change(tenure(d, "Q172721"), start="2025-03")),
    Break(checks.times_are_in_order, "open", lambda d: change(tenure(d, "Q318"), end=None)),
    Break(checks.times_are_in_order, "overlap", lambda d: change(tenure(d, "Q318"), end="2025-11")),
    Break(checks.times_are_in_order, "negative", lambda d: change(tenure(d, "Q318"), years=-0.5)),
    Break(checks.times_are_in_order, "no number", lambda d: change(tenure(d, "Q318"), years=float("nan"))),
    Break(checks.related_have_parents, "parent", lambda d: change(path(d, "Q318", "P69", "P112"), parent=STRANGER)),
    Break(checks.related_have_parents, "no parent", lambda d: change(path(d, "Q318", "P69", "P112"), parent=None)),
    Break(checks.related_have_parents, "age", lambda d: change(path(d, "Q318", "P69"), age="new")),
    Break(
        checks.related_have_parents,
        "other tenure",
        lambda d: change(path(d, "Q318", "P69", "P112"), parent=ripples.related_id("Q235", "P69")),
    ),
    Break(checks.related_have_parents, "branch", branch),
    Break(checks.related_have_parents, "jump", jump),
    Break(
        checks.paths_lead_to_their_facts,
        "root",
        lambda d: change(path(d, "Q172721", "P159"), path_subjects=["Q1", "Q172721"]),
    ),
    Break(
        checks.paths_lead_to_their_facts,
        "long",
        lambda d: change(path(d, "Q172721", "P159"), path_subject_labels=["Mercedes"]),
    ),
    Break(
        checks.paths_lead_to_their_facts,
        "another way",
        lambda d: change(path(d, "Q318", "P69", "P112"), path_relations=["P6", "P108", "P112"]),
    ),
    Break(
        checks.paths_lead_to_their_facts,
        "another name",
        lambda d: change(path(d, "Q318", "P69", "P112"), path_subject_labels=["Japan", "Aso", "Keio University"]),
    ),
    Break(
        checks.paths_lead_to_their_facts, "last name", lambda d: change(path(d, "Q172721", "P159"), subject_label="X")
    ),
    Break(checks.paths_lead_to_their_facts, "back", lambda d: change(path(d, "Q318", "P69", "P112"), objects=["Q318"])),
    Break(checks.paths_lead_to_their_facts, "home", lambda d: change(path(d, "Q172721", "P159"), objects=["Q9673"])),
    Break(
        checks.paths_lead_to_their_facts,
        "object twice",
        lambda d: change(path(d, "Q178629", "P1412"), objects=["Q652", "Q652"]),
    ),
    Break(
        checks.paths_lead_to_their_facts,
        "detour",
        lambda d: change(path(d, "Q318", "P69", "P112"), path_subjects=["Q17", "Q235", "Q1321"]),
    ),
    Break(checks.related_have_answers, "no objects", lambda d: change(path(d, "Q172721", "P159"), objects=[])),
    Break(
        checks.related_have_answers,
        "labels",
        lambda d: change(path(d, "Q172721", "P159"), object_labels=["Brackley", "Brackley"]),
    ),
]
RELEASE = ReleaseToys("tempripple", ripples.fill, ripples.write_config, BREAKS)
