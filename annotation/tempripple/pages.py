"""The labelling pages of TempRIPPLE: changing facts, all of them, and questions.

Source: the paper's section 2.2. Nobody judges its data there; what is asked here is what its tasks take for granted,
that a fact is so and that a question has one reading.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tashika.annotation.labelling import AGAINST, FOR, Row, VotePage
from tashika.annotation.markup import large, said, wikidata_link
from tashika.annotation.wording.dressing import NOTE

SHORTEST, LONGEST = 3, 60  # words of a question; the longest nest four phrases
_CELL = "border:1px solid #d1d5db;padding:3px 10px;text-align:left"
_NEW = "background:#dcfce7;font-weight:600"
_DEBRIS = re.compile(r"[{}<>|\[\]]|\bNone\b|\bnull\b|  ")
_BARE_ID = re.compile(r"\b[QP]\d{2,}\b")
_TWICE = re.compile(r"\b(the|of|is|was|in|most recent)\s+\1\b", re.IGNORECASE)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], marked: int) -> str:
    """A table of pieces of HTML, with the row of number `marked` in colour; without `heads` it has no head."""
    head = "".join(f'<th style="{_CELL};background:#f3f4f6">{piece}</th>' for piece in heads)
    body = "".join(
        f'<tr style="{_NEW if number == marked else ""}">'
        + "".join(f'<td style="{_CELL}">{piece}</td>' for piece in row)
        + "</tr>"
        for number, row in enumerate(rows)
    )
    return f'<table style="border-collapse:collapse">{f"<tr>{head}</tr>" if head else ""}{body}</table>'


def _named(label: str, page: str) -> str:
    return f"<b>{html.escape(label)}</b> &nbsp; {wikidata_link(page)}"


def fact_data(row: Row, _parents: Sequence[Row]) -> dict[str, Any]:
    """What a fact's task shows: the new fact as a sentence, links to look it up, and the whole history."""
    history = [
        (html.escape(tenure["object_label"]), html.escape(tenure["start"]), _end(tenure["end"]))
        for tenure in row["history"]
    ]
    heads = (html.escape(row["relation_label"]), said("from", "開始"), said("to", "終了"))
    last, first = row["window"].rpartition("..")[2], row["history_from"]
    return {
        "subject": row["subject"],
        "relation": row["relation"],
        "object": row["object"],
        "statement": row["statement"],
        "statement_html": large(row["statement"]),
        "subject_html": _named(row["subject_label"], row["subject"]),
        "relation_html": _named(row["relation_label"], f"Property:{row['relation']}"),
        "object_html": _named(row["object_label"], row["object"]),
        "times_html": said(
            f"As at {last}: what changed later does not count. The table should be complete from {first} on.",
            f"{last} 現在：その後の変化は数えません。表は {first} から完全なはずです。",
        ),
        "history_html": _table(heads, history, 0),
    }


def _end(day: str | None) -> str:
    return html.escape(day) if day else said("open", "継続中")


def plausible_fact(row: Row, _parents: Sequence[Row]) -> bool:
    """Whether a fact looks right; stands in for a person's judgment and is only for the simulation.

    It looks at the form alone. The statement is a sentence of three to 60 words that ends with a full stop and names
    both subject and object, which differ; no label is a bare id; and the history begins with this object and start.
    """
    statement, labels = row["statement"], (row["subject_label"], row["object_label"])
    newest: Mapping[str, Any] = row["history"][0] if row["history"] else {}
    return (
        statement.endswith(".")
        and SHORTEST <= len(statement.split()) <= LONGEST
        and all(label in statement for label in labels)
        and labels[0] != labels[1]
        and not any(_BARE_ID.fullmatch(label) for label in labels)
        and (newest.get("object_label"), newest.get("start")) == (row["object_label"], row["start"])
    )


def question_data(row: Row, _parents: Sequence[Row]) -> dict[str, Any]:
    """What a question's task shows: the context, the question, its options with the right one marked, and the path."""
    options = [
        (chr(ord("A") + place), html.escape(text), said("right", "正解") if place == row["answer"] else "")
        for place, text in enumerate(row["options"])
    ]
    return {
        "subject": row["subject"],
        "relation": row["relation"],
        "question": row["text"],
        "question_html": large(row["text"]),
        "context_html": html.escape(row["context"]),
        "options_html": _table((), options, row["answer"]),
        "answers_html": html.escape("; ".join(row["answers"])),
        "reasoning_html": html.escape(row["reasoning"]).replace("\n", "<br>"),
        "subject_html": wikidata_link(row["subject"]),
    }


def check_question(text: str) -> str | None:
    """A question is one line of three to 60 words that ends with a question mark."""
    if text.splitlines() != [text] or not text.endswith("?"):
        return "correction that is not one line with a question mark at its end"
    if not SHORTEST <= len(text.split()) <= LONGEST:
        return f"correction without {SHORTEST} to {LONGEST} words"
    return None


def plausible_question(row: Row, _parents: Sequence[Row]) -> bool:
    """Whether a question looks right; stands in for a person's judgment and is only for the simulation.

    It looks at the form alone. The question is what `check_question` takes, begins with a capital, holds no debris
    (brackets, bare ids, two spaces, a word such as "the" twice in a row) and no right answer; its options differ and
    none is blank; and the marked option, and no other, is among the right answers.
    """
    text, options, answers = row["text"], row["options"], set(row["answers"])
    return (
        check_question(text) is None
        and text[:1].isupper()
        and not (_DEBRIS.search(text) or _BARE_ID.search(text) or _TWICE.search(text))
        and not any(re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text) for answer in answers)
        and all(option.strip() for option in options)
        and len(set(options)) == len(options)
        and [place for place, option in enumerate(options) if option in answers] == [row["answer"]]
    )


PAGES = (
    VotePage(
        suite="tempripple",
        kind="fact",
        note_control=NOTE,
        title="Tashika tempripple fact",
        choices={"valid": FOR, "invalid": AGAINST},
        task_data=fact_data,
        plausible=plausible_fact,
        agreement_by="relation_label",
    ),
    VotePage(
        suite="tempripple",
        kind="question",
        note_control=NOTE,
        title="Tashika tempripple question",
        choices={"valid": FOR, "invalid": AGAINST},
        task_data=question_data,
        plausible=plausible_question,
        agreement_by="task",
        check_text=check_question,
        text_control="correction",
    ),
)
"""In the order in which people are asked."""
