"""The release of TempRIPPLE: which facts, tenures, related facts and questions go in, and the content of its card.

The paper's section 2: a changing fact with its history, related facts over up to three hops, and a question on each.
Everything hangs on a changing fact. A fact that the people rejected takes all that hangs on it along; a rejected
question falls alone, and a related fact that no remaining question leads to falls with its last question. A
question that shares its text with one that has other answers, or whose correction gives its answer away, falls too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from tashika.core.errors import InputError
from tashika.core.progress import say
from tashika.core.suites.papers import bibtex_of
from tashika.core.suites.tempripple import PAPERS
from tashika.core.texts import has_words, text_key
from tashika.core.workspace import Workspace
from tashika.exports.arrow import ascending, column, values
from tashika.exports.arrow import compute as pc
from tashika.exports.plan import CardText, CountRow, ExportSettings, Plan, SuiteExport
from tashika.exports.selection import chosen, corrected, decisions, released, with_verdicts
from tashika.exports.tables import content_digest, table_file
from tashika.exports.tempripple.checks import TEMPRIPPLE, is_question
from tashika.exports.tempripple.derived import with_derived
from tashika.exports.tempripple.schema import CONFIGS, DERIVED
from tashika.exports.tempripple.shapes import SHAPES
from tashika.exports.tempripple.tasks import TASKS
from tashika.exports.validation import mode_of, read_validation

SUITE = "tempripple"
KINDS = ("fact", "history", "related", "question")
_CONFIG = {"fact": "facts", "history": "history", "related": "related", "question": "questions"}
_TASKS = ("new", "old", "related_new", "related_old")
_UNDECIDED = ("rejected", "undecided", "unjudged")
_GIVES_AWAY = "questions_whose_correction_gives_the_answer_away"
_ANOTHERS = "questions_whose_correction_is_another_question's_text"
_AMBIGUOUS = "ambiguous_questions"
_REPEATED = "repeated_questions"
_ITEM_OR_DATE = re.compile(r"Q\d+|-?\d{4,}(-\d\d){0,2}", re.ASCII)
_STEP = {"path_relations": "relation", "path_subjects": "subject", "path_subject_labels": "subject_label"}


def plan(workspace: Workspace, _settings: ExportSettings) -> Plan:
    """Selects the items that go in and counts the release.

    Raises:
        MissingStageError: Items or verdicts are not there yet.
        InputError: No fact or no question was accepted, an item's parent is missing, or a question is no question.
    """
    validation = read_validation(workspace)
    verdicts = workspace.read_verdicts()
    items = _linked(workspace, {kind: workspace.read_items(kind) for kind in KINDS})
    judged_facts = with_verdicts(items["fact"], verdicts)
    facts = released(workspace, judged_facts, "fact", mode_of(validation, "fact", "all"))
    standing = {kind: _of(items[kind], "fact_id", facts) for kind in KINDS if kind != "fact"}
    judged_questions = with_verdicts(standing["question"], verdicts)
    questions, questions_left_out = _questions(workspace, judged_questions, mode_of(validation, "question", "audit"))
    kept = {
        "fact": facts,
        "history": standing["history"],
        "related": _asked_for(standing["related"], questions),
        "question": questions,
    }
    kept = {kind: _ordered(kind, table) for kind, table in kept.items()}
    own = {_CONFIG[kind]: table.select(_own_columns(_CONFIG[kind])) for kind, table in kept.items()}
    tables = with_derived(own)
    fallen = {kind: items[kind].num_rows - standing[kind].num_rows for kind in standing}
    return Plan(
        files=tuple(table_file(SUITE, config, tables[config]) for config in CONFIGS),
        counts=_counts(tables),
        left_out={
            **_dropped(judged_facts, facts, "facts"),
            "tenures_of_facts_left_out": fallen["history"],
            "related_facts_of_facts_left_out": fallen["related"],
            "questions_of_facts_left_out": fallen["question"],
            **questions_left_out,
            "related_facts_without_a_question": standing["related"].num_rows - kept["related"].num_rows,
        },
        digest=content_digest(own),
        items=kept,
        validation=validation,
        notes=(*_times(kept["fact"]), *_what_can_be_read(kept["question"])),
    )


def _own_columns(config: str) -> list[str]:
    """The columns that are not made of others."""
    return [name for name in CONFIGS[config].columns if name not in DERIVED[config]]


def _what_can_be_read(questions: pa.Table) -> tuple[str, ...]:
    """How many related questions tell the sides apart, which wrong options tempt, and what rests on undated facts."""
    related = questions.filter(pc.greater(questions.column("hop"), 0))
    side, certainty = (Counter(values(related, name)) for name in ("counterpart", "certainty"))
    sets = ", ".join(sorted(set(values(questions, "option_set"))))
    lured = questions.num_rows - questions.column("lure").null_count
    notes = [f"Wrong options: {sets}; {lured:,} of {questions.num_rows:,} questions offer the other side's answer."]
    if related.num_rows:
        notes += [
            f"Of {related.num_rows:,} related questions {side['differs']:,} have another answer for the new and the "
            f"old object, {side['same']:,} the same one, and {side['none']:,} no counterpart; only the first show "
            "whether a new fact spreads.",
            f"That their facts did not change is certain for {certainty['certain']:,}; {certainty['likely']:,} and "
            f"{certainty['unknown']:,} rest on facts without dates that seldom and often change.",
        ]
    return tuple(notes)


def _times(facts: pa.Table) -> tuple[str, ...]:
    """What "the most recent" and "complete" mean here: nobody can read a question without it."""
    windows = sorted(set(zip(values(facts, "window"), values(facts, "history_from"), strict=True)))
    return tuple(
        f"The facts changed from {window.replace('..', ' to ')}, and their histories are complete from {first} on; "
        "all questions are meant as at the last of these days."
        for window, first in windows
    )


def _linked(workspace: Workspace, items: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """The items with the ids that they hang on, each in a column of its own, and paths as plain lists.

    Raises:
        InputError: An item that must have a parent has none among the items.
    """
    history = _with_parent(workspace, items, "history", "fact_id", "fact", items["history"])
    related = _with_parent(workspace, items, "related", "history_id", "history", items["related"])
    related = _with_parent(workspace, items, "related", "parent", "related", related, needed=False)
    tenure = pc.index_in(column(related, "history_id"), value_set=column(history, "item_id"))
    for name in ("fact_id", "place"):
        related = related.append_column(name, column(history, name).take(tenure))
    for name, part in _STEP.items():
        steps = [[step[part] for step in path] for path in values(related, "path")]
        related = related.append_column(name, pa.array(steps, pa.list_(pa.string())))
    question = _with_parent(workspace, items, "question", "fact_id", "fact", items["question"])
    question = _with_parent(workspace, items, "question", "history_id", "history", question)
    question = _with_parent(workspace, items, "question", "related_id", "related", question, needed=False)
    question = question.append_column("telling", _telling(question, related))
    return {"fact": items["fact"], "history": history, "related": related, "question": question}


def _with_parent(
    workspace: Workspace,
    items: Mapping[str, pa.Table],
    kind: str,
    name: str,
    of: str,
    table: pa.Table,
    *,
    needed: bool = True,
) -> pa.Table:
    """The table with a new column `name`: the last of each row's parents that is an item of the kind `of`.

    Raises:
        InputError: Every row needs such a parent, and one has none.
    """
    known = set(values(items[of], "item_id"))
    parents_of_kind = [
        next((parent for parent in reversed(parents) if parent in known), None) for parents in values(table, "parents")
    ]
    if needed and None in parents_of_kind:
        item = table.column("item_id")[parents_of_kind.index(None)].as_py()
        raise InputError(
            f"found no {of} among the parents of the {kind} {item}; expected one",
            where=str(workspace.item_file(of)),
            hint=f"Run `tashika build {SUITE}` again.",
        )
    return table.append_column(name, pa.array(parents_of_kind, pa.string()))


def _telling(questions: pa.Table, related: pa.Table) -> pa.Array[Any]:
    """The answers of each question that give it away where they stand in its text: items and dates.

    A code or a number may stand there by chance: "is" (Icelandic), 2.
    """
    facts = {
        item: [label for value, label in zip(objects, labels, strict=False) if _ITEM_OR_DATE.fullmatch(value)]
        for item, objects, labels in zip(
            *(values(related, name) for name in ("item_id", "objects", "object_labels")), strict=True
        )
    }
    asked = zip(values(questions, "related_id"), values(questions, "answers"), strict=True)
    return pa.array([facts.get(item, answers) for item, answers in asked], pa.list_(pa.string()))


def _of(table: pa.Table, name: str, parents: pa.Table) -> pa.Table:
    """The rows whose id in the column `name` is that of a parent."""
    return table.filter(pc.is_in(table.column(name), value_set=column(parents, "item_id")))


def _questions(workspace: Workspace, items: pa.Table, mode: str) -> tuple[pa.Table, dict[str, int]]:
    """The judged questions that go in, with their corrected texts, and how many do not, by reason."""
    taken = corrected(chosen(items, mode))
    faults = _faults(taken)
    kept = taken.filter(pc.invert(pc.is_in(taken.column("item_id"), value_set=pa.array(sorted(faults), pa.string()))))
    if kept.num_rows == 0:
        raise InputError(
            f"no question on an accepted fact is left: {decisions(items)}",
            where=str(workspace.verdict_file),
            hint=f"`tashika annotate status {SUITE}` shows who has judged what.",
        )
    _require_questions(workspace, kept)
    counts = Counter(faults.values())
    reasons = {reason: counts[reason] for reason in (_GIVES_AWAY, _ANOTHERS, _AMBIGUOUS, _REPEATED)}
    return kept, {**_dropped(items, taken, "questions"), **reasons}


def _faults(questions: pa.Table) -> dict[str, str]:
    """Why a question cannot stand in the release although nobody rejected it, by its id.

    One person's slip in a correction is no reason to stop: the question is left out, and the slip is shown.
    """
    faults: dict[str, str] = {}
    alike = defaultdict(list)
    rows = questions.select(["item_id", "text", "corrected", "answers", "telling"]).to_pylist()
    for row in rows:
        if row["corrected"] is not None and any(has_words(row["text"], answer) for answer in row["telling"]):
            faults[row["item_id"]] = _GIVES_AWAY
        else:
            alike[text_key(row["text"])].append(row)
    for same in alike.values():
        faults |= _faults_of_one_text(same)
    for row in rows:
        reason = faults.get(row["item_id"])
        if reason in (_GIVES_AWAY, _ANOTHERS):
            slip = reason.removeprefix("questions_whose_").replace("_", " ")
            say(f"question {row['item_id']} is left out, its {slip}: {row['text']!r}; correct it and vote again")
    return faults


def _faults_of_one_text(questions: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Which of the questions with the same text fall: all but one, or all if nobody can tell which of them is meant.

    A text belongs to the questions that were built with it. A correction to it is a repeat if it has the same answers.
    """
    answers = {row["item_id"]: frozenset(map(text_key, row["answers"])) for row in questions}
    owners = [row["item_id"] for row in questions if row["corrected"] is None] or list(answers)
    readings = {answers[owner] for owner in owners}
    kept = min(owners) if len(readings) == 1 else None
    fault_of = {}
    for row in questions:
        item = row["item_id"]
        other = _AMBIGUOUS if row["corrected"] is None else _ANOTHERS
        if item != kept:
            fault_of[item] = _REPEATED if kept and answers[item] in readings else other
    return fault_of


def _require_questions(workspace: Workspace, questions: pa.Table) -> None:
    wrong = questions.filter(pc.invert(is_question(questions.column("text"))))
    for row in wrong.select(["item_id", "text", "corrected"]).slice(0, 1).to_pylist():
        file = workspace.verdict_file if row["corrected"] else workspace.item_file("question")
        raise InputError(
            f"found the question {row['text']!r}; expected one line with a question mark at its end",
            where=f"{file}, item {row['item_id']}",
            hint="Change the correction in Label Studio, or the property's wording, and build or vote again.",
        )


def _asked_for(related: pa.Table, questions: pa.Table) -> pa.Table:
    """The related facts that a question leads to: what it asks for, and the hops before."""
    before = dict(zip(values(related, "item_id"), values(related, "parent"), strict=True))
    wanted: set[str] = set()
    for asked in values(questions, "related_id"):
        step = asked
        while step is not None and step not in wanted:
            wanted.add(step)
            step = before.get(step)
    return related.filter(pc.is_in(related.column("item_id"), value_set=pa.array(sorted(wanted), pa.string())))


def _ordered(kind: str, table: pa.Table) -> pa.Table:
    """The rows of a fact beside each other, its newest tenure first."""
    if kind == "related":
        for name in ("path_relations", "path_subjects"):
            table = table.append_column(f"root_{name}", pc.list_element(table.column(name), 0))
        keys = ["root_path_relations", "root_path_subjects", "place", "hop", "relation"]
    else:
        keys = {"fact": ["relation", "subject"], "history": ["relation", "subject", "place"]}.get(
            kind, ["relation", "subject", "place", "hop", "last_relation"]
        )
    return table.sort_by(ascending(*keys, "item_id")).combine_chunks()


def _counts(tables: Mapping[str, pa.Table]) -> dict[str, int]:
    hops = Counter(values(tables["related"], "hop"))
    tasks = Counter(values(tables["questions"], "task"))
    return {
        **{name: table.num_rows for name, table in tables.items()},
        **{f"related_hop_{hop}": hops[hop] for hop in (1, 2, 3)},
        **{f"{task}_questions": tasks[task] for task in _TASKS},
        "relations": len(tables["facts"].column("relation").unique()),
        "subjects": len(tables["facts"].column("subject").unique()),
    }


def _dropped(items: pa.Table, kept: pa.Table, noun: str) -> dict[str, int]:
    """How many judged items were not taken over, by their decision."""
    gone = items.filter(pc.invert(pc.is_in(items.column("item_id"), value_set=column(kept, "item_id"))))
    counts = decisions(gone)
    return {f"{name}_{noun}": counts.get(name, 0) for name in _UNDECIDED}


_SUMMARY = """\
Facts that changed in a stated window of time, what was so before, and what hangs on both: questions with four options
on the most recent object of a fact ("Who is the most recent head of government of Japan?"), on the earlier ones ("Who
was the previous ...?"), and on facts up to three hops away ("Who is the spouse of the previous ...?"). Each comes with
the new fact as a sentence. Asked with and without that sentence, a model shows whether it takes the new fact in, keeps
what was so before, and lets both spread to related facts. It follows the design of TempRIPPLE."""

EXPORT = SuiteExport(
    suite=SUITE,
    kinds=KINDS,
    configs=CONFIGS,
    plan=plan,
    checks=TEMPRIPPLE,
    shapes=SHAPES,
    tasks=lambda _: TASKS,
    card=CardText(
        summary=_SUMMARY,
        building=(
            "A changing fact is a subject and one of 16 Wikidata properties whose object changed in the window. Its "
            "whole history is taken, with normal and preferred ranks, and kept only if there is one object at any "
            "time, no gap of a year or more, and no statement without a start, unless it was over before the history.",
            "Consecutive statements of one object are one tenure; a return after somebody else is another one. The "
            "most recent tenure is new, the ones before the window are old, and those in between are not asked about "
            "but count in the ordinals.",
            "Related facts lead from the object of a tenure over up to three hops, through properties that fit the "
            "entity's type and that did not change. No entity stands twice on a path; several answers occur only "
            "at its last hop.",
            "Questions are made from templates with an ordinal, and are nested for hops. The wrong options were drawn "
            "before people judged, and are never another right answer: true objects of the same property of other "
            "candidate facts (`option_set` `other-facts`, as the paper has it), the fact's own objects of other times "
            "first (`same-history`), or one of these and others (`mixed`). `lure` marks the one that is right of the "
            "new object where the question is on an old one, and the other way round.",
            "`counterpart` says whether the right option is right of both sides. Such a question is answered well by "
            "who follows either; a claim that a fact spreads needs those that differ.",
            "People judged the facts with their histories, and questions (see below). A fact that was rejected is "
            "left out with every tenure, related fact and question that hangs on it. A rejected question is left out "
            "alone; its tenure stays, and a related fact stays as long as a released question leads over it. A "
            "correction replaces the text of its question; if it gives the answer away, or is another question's text, "
            "the question is left out.",
        ),
        licences={
            "tempripple_properties.toml": "Apache-2.0, written for this dataset",
            "wikidata": "CC0 1.0",
            "tempripple": "CC0 1.0, written for this dataset",
        },
        published=("TempRIPPLE",),
        counts=(
            CountRow("changing subject-property pairs", "facts", (464,)),
            CountRow("tenures, new and old", "history", (1_680,)),
            CountRow("related facts", "related", (35_198,)),
            CountRow("related facts, hop 1", "related_hop_1", (9_338,)),
            CountRow("related facts, hop 2", "related_hop_2", (16_370,)),
            CountRow("related facts, hop 3", "related_hop_3", (9_490,)),
            CountRow("questions", "questions", (37_000,)),
        ),
        counts_note=(
            "The paper says that it has about 37,000 questions, which is the sum of its tenures and related facts; it "
            "does not say how it counts a related fact that several paths lead to. Here it counts once a path. Its "
            "figures come from the whole of Wikidata; those of this release from the sources below."
        ),
        example="questions",
        limits=(
            "Facts are as the sources had them at the stated revisions, and `the most recent` is meant at the end of "
            "the window: read today, another answer may be right.",
            "A history is complete only from its stated beginning on, and short vacancies and acting holders may be "
            "missing, so that an ordinal may count differently elsewhere.",
            "Related facts may be incomplete: an answer that is right but not in the source counts as wrong. Where "
            "several answers are known, `answers` has all of them and one of them is among the options.",
            "A related fact counts as unchanged if the source states no change; most statements have no dates at all. "
            "`certainty` says which facts are `certain` by their dates or their nature.",
            "Only the facts themselves were put before people one by one; related facts were seen only through the "
            "questions that were judged.",
            "Questions are made by rule: they read stiffly, the nested ones above all.",
            "Wrong options of other facts may be easy to tell by their kind or their time.",
            "Statements on living people are those of the source. Questions and labels are English.",
        ),
        citation=bibtex_of(PAPERS),
        tags=("knowledge-editing", "temporal", "wikidata", "multi-hop", "multiple-choice"),
        task_categories=("question-answering", "multiple-choice"),
        use_cases=(
            "Measuring whether a language model takes a new fact in, keeps what was so before, and lets both spread to "
            "related facts.",
            "It is no source of current facts, and no training set.",
        ),
        biases=(
            "Facts are those that change often and that Wikidata dates well: offices, clubs, employers of well-known "
            "people and organisations, of Europe and North America above all.",
        ),
        personal_information=(
            "Facts and questions name people, living ones among them, as Wikidata publishes them: such as office, "
            "employer, spouse or club.",
        ),
        social_impact=(
            "It shows where a model holds on to what is out of date. Its questions are on the stated window of time; "
            "answers that are right today may be wrong in it, and should not be spread as news."
        ),
    ),
)
