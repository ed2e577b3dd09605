"""TempRIPPLE's release as questions to ask: read, checked, sampled, and put in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from tashika.core.draws import shuffled
from tashika.core.errors import InputError
from tashika.core.prompting import LETTERS
from tashika.evaluate.release_tables import AGAIN, read_columns, read_identity
from tashika.evaluate.tempripple.answers import TASKS
from tashika.evaluate.tempripple.facets import FACTS_FILE, Facets, read_facets

QUESTIONS_FILE: Final = "questions/questions.parquet"
HISTORY_FILE: Final = "history/history.parquet"


class RippleQuestion(NamedTuple):
    """A question of the release; see `core.suites.tempripple.QUESTION` for what its columns hold."""

    item_id: str
    task: str
    hop: int
    place: int
    subject: str
    relation: str
    last_relation: str
    text: str
    context: str
    options: tuple[str, ...]
    answer: int


class Asked(NamedTuple):
    """A question in one of its two conditions.

    Attributes:
        question: What is asked.
        with_context: Whether the new fact stands before it.
    """

    question: RippleQuestion
    with_context: bool


@dataclass(frozen=True)
class RippleRelease:
    """A release of TempRIPPLE, as far as models are asked about it.

    Attributes:
        version: Of the release.
        digest: Of its content.
        simulated: Whether programs played the people who validated it.
        questions: At least one.
        durations: Property -> mean years of its tenures (the paper's table 3).
        facets: What else is known of the questions, by id.
    """

    version: str
    digest: str
    simulated: bool
    questions: tuple[RippleQuestion, ...]
    durations: Mapping[str, float]
    facets: Mapping[str, Facets] = field(default_factory=dict, repr=False)

    @property
    def options(self) -> int:
        """How many options each question has."""
        return len(self.questions[0].options)

    @property
    def facts(self) -> list[tuple[str, str]]:
        """(relation, subject) of the changing facts that are asked about, sorted."""
        return sorted({(question.relation, question.subject) for question in self.questions})


def read_release(folder: Path) -> RippleRelease:
    """Reads the questions of a release, and how long its properties' objects stay.

    Raises:
        MissingStageError: There is no release.
        InputError: A file is missing, broken or changed, or a question cannot be asked.
    """
    identity = read_identity(folder, QUESTIONS_FILE, "Run `tashika export tempripple` first.")
    questions = identity.file(QUESTIONS_FILE)
    return RippleRelease(
        identity.version,
        identity.digest,
        identity.simulated,
        _read_questions(questions),
        _read_durations(identity.file(HISTORY_FILE)),
        read_facets(questions, identity.file(FACTS_FILE)),
    )


def _read_questions(file: Path) -> tuple[RippleQuestion, ...]:
    rows = read_columns(file, RippleQuestion._fields)
    if not rows:
        raise InputError("the release has no questions", where=str(file))
    questions = tuple(RippleQuestion(**{**row, "options": tuple(row["options"])}) for row in rows)
    seen: set[str] = set()
    for question in questions:
        wrong = "the same id stands above" if question.item_id in seen else _problem(question)
        if wrong:
            raise InputError(wrong, where=f"{file}, {question.item_id}", hint=AGAIN)
        seen.add(question.item_id)
    widths = sorted({len(question.options) for question in questions})
    if len(widths) > 1:
        numbers = " and ".join(map(str, widths))
        raise InputError(f"found questions with {numbers} options, expected one number", where=str(file), hint=AGAIN)
    return questions


def _problem(question: RippleQuestion) -> str | None:
    """Why a question cannot be asked."""
    options = question.options
    if question.task not in TASKS:
        return f"found the task {question.task!r}, expected {', '.join(TASKS)}"
    if not question.text.strip() or not question.context.strip():
        return "the question or its context is empty"
    if not 2 <= len(options) <= len(LETTERS):
        return f"found {len(options)} options, expected 2 to {len(LETTERS)}"
    if not all(option and option.strip() for option in options) or len(set(options)) < len(options):
        return f"an option is empty, or stands there twice: {options}"
    if not 0 <= question.answer < len(options):
        return f"the answer is the option {question.answer}, and there are {len(options)}, counted from 0"
    return None


def _read_durations(file: Path) -> dict[str, float]:
    years: dict[str, list[float]] = {}
    for row in read_columns(file, ("relation", "years")):
        years.setdefault(row["relation"], []).append(row["years"])
    return {relation: float(np.mean(terms)) for relation, terms in sorted(years.items())}


def draw_facts(release: RippleRelease, limit: int | None, seed: int) -> tuple[RippleQuestion, ...]:
    """The questions on some changing facts: all those on a (subject, property), or none.

    Properties share the limit by how many facts they have, the largest remainders the rest. What is drawn of a
    property depends on its facts and the seed alone.

    Args:
        release: What is drawn from.
        limit: How many facts; None for all.
        seed: Of the draw.
    """
    facts = release.facts
    if limit is None or limit >= len(facts):
        return release.questions
    by_relation: dict[str, list[tuple[str, str]]] = {}
    order = dict(zip(facts, shuffled((f"{relation} {subject}" for relation, subject in facts), seed), strict=True))
    for fact in sorted(facts, key=lambda fact: (order[fact], fact)):
        by_relation.setdefault(fact[0], []).append(fact)
    shares = _shares({relation: len(of_relation) for relation, of_relation in by_relation.items()}, limit)
    kept = {fact for relation, of_relation in by_relation.items() for fact in of_relation[: shares[relation]]}
    return tuple(question for question in release.questions if (question.relation, question.subject) in kept)


def _shares(sizes: Mapping[str, int], limit: int) -> dict[str, int]:
    """Shares out a limit in proportion to sizes that sum to more."""
    total = sum(sizes.values())
    shares = {name: size * limit // total for name, size in sizes.items()}
    remainders = sorted(sizes, key=lambda name: (-(sizes[name] * limit % total), name))
    for name in remainders[: limit - sum(shares.values())]:
        shares[name] += 1
    return shares


def in_order(questions: Iterable[RippleQuestion], conditions: Sequence[bool] = (False, True)) -> list[Asked]:
    """Every question in these conditions, a fact's together and those of one condition in it beside each other.

    Prompts with one context stand so in one chunk, and what they begin with alike is computed once.
    """
    rows = [Asked(question, with_context) for question in questions for with_context in conditions]
    return sorted(
        rows,
        key=lambda row: (
            row.question.relation,
            row.question.subject,
            row.with_context,
            row.question.place,
            row.question.hop,
            row.question.text,
            row.question.item_id,
        ),
    )
