"""Asks for statements and scores, and judges the statements: what becomes of each of a question's five places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import pyarrow as pa

from tashika.core.files import hash_value
from tashika.core.llm import Cost, Question, Reply
from tashika.evaluate.proverbs.prompts import read_statement, read_statements, same
from tashika.evaluate.proverbs.questions import AskedQuestion, ProverbPair
from tashika.evaluate.proverbs.records import ANSWERS, PAIR_COLUMNS
from tashika.evaluate.proverbs.score_replies import read_score
from tashika.evaluate.proverbs.settings import EvaluateSettings
from tashika.evaluate.ways.entailment import Judge, RunJudge, text_consistencies
from tashika.evaluate.ways.generation import Answer, Generator, Unparsable, ask_all, cost, require_replies

REPEATED: Final = "the statement stands at another place already"

_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "statements": ("answer", "answer_problem", "answer_asked"),
    "scores": ("score", "score_problem", "score_asked"),
    "consistencies": ("consistency", "consistency_problem"),
}
_KEY: Final = ("item_id", "topic", "side", "question", "place")


def step_schema(step: str) -> pa.Schema:
    """The table that a step leaves: five rows a question, its own columns of `ANSWERS`, and replies as they came."""
    names = [*_KEY, *_COLUMNS[step]]
    fields = [ANSWERS.field(name) for name in names]
    return pa.schema([*fields, *([] if step == "consistencies" else [pa.field("reply", pa.string())])])


class Outcome(NamedTuple):
    """What came of one place of one question.

    Attributes:
        value: The statement or score; None where there is a problem.
        problem: Why there is none; None where there is one.
        asked: How often it was asked for.
        reply: The last reply, as it came; the same for all five statements of one reply.
    """

    value: Any
    problem: str | None
    asked: int
    reply: str | None


NO_STATEMENT: Final = Outcome(None, "no statement", 0, None)
"""The score of a place that has no statement."""


# --- statements ---


def statement_questions(questions: Sequence[AskedQuestion], settings: EvaluateSettings) -> list[Question]:
    """The requests for statements at the first attempt: one a question, or one a place."""
    numbers = range(settings.answers) if settings.asking == "one" else range(1)
    slots = [settings.slots(question.pair.topic, question.text) for question in questions]
    return [settings.answer.question(values, number) for values in slots for number in numbers]


def _reads_all(settings: EvaluateSettings) -> Callable[[str], tuple[str, ...]]:
    """What reads a reply with all statements."""
    return partial(read_statements, count=settings.answers, language=settings.language)


def _reads_one(settings: EvaluateSettings) -> Callable[[str], str]:
    """What reads a reply with one statement."""
    return partial(read_statement, language=settings.language)


def statement_cost(generator: Generator, questions: Sequence[AskedQuestion], settings: EvaluateSettings) -> Cost:
    """What asking for statements costs at most, after what has arrived before."""
    asked_for = statement_questions(questions, settings)
    if settings.asking == "one":
        return _cost_one_by_one(generator, asked_for, settings)
    return cost(generator, asked_for, _reads_all(settings), attempts=settings.attempts)


def ask_statements(
    generator: Generator, questions: Sequence[AskedQuestion], settings: EvaluateSettings, title: str
) -> list[Outcome]:
    """Five outcomes a question, in order.

    Raises:
        OutsideError: An endpoint is down, or gave no reply to some questions and the settings do not allow that.
    """
    if settings.asking == "five":
        answers = ask_all(
            generator,
            statement_questions(questions, settings),
            _reads_all(settings),
            attempts=settings.attempts,
            title=title,
        )
        require_replies(answers, may_be_missing=settings.missing_replies, then="go on")
        return [outcome for answer in answers for outcome in _all(answer, settings.answers)]
    return _one_by_one(generator, statement_questions(questions, settings), settings, title)


def _all(answer: Answer[tuple[str, ...]], count: int) -> list[Outcome]:
    values = answer.value or (None,) * count
    return [Outcome(value, answer.problem, answer.asked, answer.reply) for value in values]


def _one_by_one(
    generator: Generator, questions: Sequence[Question], settings: EvaluateSettings, title: str
) -> list[Outcome]:
    """Asks for each place by itself; a statement that another place of the question has is asked for again.

    Each round asks for what is still missing, with numbers of its own. A place that has its statement keeps it, and of
    two equal ones of one round the first place's stays.
    """
    outcomes: dict[int, Outcome] = {}
    pending = list(range(len(questions)))
    count = settings.answers
    for times in range(1, settings.attempts + 1):
        shown = title if times == 1 else f"{title}, once more"
        numbered = [_numbered(questions[place], (times - 1) * count) for place in pending]
        answers = ask_all(generator, numbered, _reads_one(settings), title=shown)
        require_replies(answers, may_be_missing=settings.missing_replies, then="go on")
        again = []
        for place, answer in zip(pending, answers, strict=True):
            outcomes[place] = _outcome(answer, times, _others(outcomes, place, count))
            if outcomes[place].value is None and answer.reply is not None:  # what is refused is not asked again
                again.append(place)
        pending = again
        if not pending:
            break
    return [outcomes[place] for place in range(len(questions))]


def _cost_one_by_one(generator: Generator, questions: Sequence[Question], settings: EvaluateSettings) -> Cost:
    """What `_one_by_one` will still ask for at most: the kept replies are gone through as it will.

    A place whose reply has not arrived may yet give the statement of a place that comes after it, which is then asked
    for again; what that costs is in it.
    """
    outcomes: dict[int, Outcome] = {}
    left: dict[str, Cost] = {}  # by request: identical ones are asked once
    waiting: set[int] = set()
    pending = list(range(len(questions)))
    count, attempts = settings.answers, settings.attempts
    for times in range(1, attempts + 1):
        again = []
        for place in pending:
            question = _numbered(questions[place], (times - 1) * count)
            reply = generator.kept(question)
            if reply is None:
                left[hash_value(generator.request(question))] = question.cost * (attempts - times + 1)
                waiting.add(place // count)
                continue
            outcomes[place] = _outcome(_kept_answer(question, reply, settings), times, _others(outcomes, place, count))
            if outcomes[place].value is None:
                again.append(place)
            elif place // count in waiting:
                following = _numbered(questions[place], times * count)
                left[hash_value(generator.request(following))] = question.cost * (attempts - times)
        pending = again
    return sum(left.values(), Cost())


def _kept_answer(question: Question, reply: Reply, settings: EvaluateSettings) -> Answer[str]:
    """What `ask_all` makes of a reply at the first attempt."""
    try:
        value = None if reply.cut_off else _reads_one(settings)(reply.text)
    except Unparsable:
        value = None
    return Answer(question, value, reply.text, 1, None if value is not None else "unparsable")


def _numbered(question: Question, more: int) -> Question:
    return Question(question.prompt, question.max_tokens, question.system, question.stop, question.number + more)


def _others(outcomes: Mapping[int, Outcome], place: int, count: int) -> set[str]:
    """The statements that the question has at its other places, as they are compared."""
    first = place - place % count
    others = (outcomes.get(other) for other in range(first, first + count) if other != place)
    return {same(outcome.value) for outcome in others if outcome is not None and outcome.value is not None}


def _outcome(answer: Answer[str], times: int, others: set[str]) -> Outcome:
    reason = answer.problem
    if answer.value is not None:
        if same(answer.value) not in others:
            return Outcome(answer.value, None, times, answer.reply)
        reason = REPEATED
    elif answer.reply is not None and reason is not None:
        reason = reason.partition(": ")[2]  # each round is a first attempt to `asked`
    problem = reason if answer.reply is None else f"unparsable after {times} attempt{'s' * (times > 1)}: {reason}"
    return Outcome(None, problem, times, answer.reply)


# --- scores ---


def score_questions(questions: Sequence[tuple[AskedQuestion, str]], settings: EvaluateSettings) -> list[Question]:
    """The requests for scores, one an answer."""
    return [
        settings.score.question(settings.slots(question.pair.topic, question.text, answer))
        for question, answer in questions
    ]


def longest_scores(questions: Sequence[AskedQuestion], settings: EvaluateSettings) -> Cost:
    """What asking for scores costs at most while the answers are not known: as if each reply were at its longest.

    A reply with all five answers is at most `answer.max_tokens` long, one with one of them as well.
    """
    empty = score_questions([(question, "") for question in questions], settings)
    answers = settings.answer.max_tokens * (settings.answers if settings.asking == "one" else 1)
    costs = [question.cost * settings.answers + Cost(0, answers, 0) for question in empty]
    return sum(costs, Cost()) * settings.attempts


def score_cost(generator: Generator, answered: Sequence[tuple[AskedQuestion, str]], settings: EvaluateSettings) -> Cost:
    """What asking for the scores of known answers costs at most, after what has arrived before."""
    return cost(generator, score_questions(answered, settings), read_score, attempts=settings.attempts)


def ask_scores(
    generator: Generator, answered: Sequence[tuple[AskedQuestion, str]], settings: EvaluateSettings, title: str
) -> list[Outcome]:
    """An outcome an answer.

    Raises:
        OutsideError: As `ask_statements`.
    """
    questions = score_questions(answered, settings)
    answers = ask_all(generator, questions, read_score, attempts=settings.attempts, title=title)
    require_replies(answers, may_be_missing=settings.missing_replies, then="go on")
    return [Outcome(answer.value, answer.problem, answer.asked, answer.reply) for answer in answers]


# --- consistency of texts ---


def consistencies(
    judge: Judge, groups: Sequence[Sequence[str | None]], *, batch_tokens: int, run: RunJudge | None = None
) -> list[Outcome]:
    """TC of each statement of each question: the mean of P(entailment) from the question's other four statements.

    Args:
        judge: The judge; its outline where `run` is given.
        groups: Each question's statements; None where there is none.
        batch_tokens: Tokens in a batch, at most.
        run: See `ways.entailment.entailment`.

    Returns:
        An outcome a place, question by question. A question that lacks a statement has none.
    """
    whole = [[text for text in group if text is not None] for group in groups]
    complete = [texts for texts, group in zip(whole, groups, strict=True) if len(texts) == len(group)]
    judged = iter(text_consistencies(judge, complete, batch_tokens=batch_tokens, run=run))
    outcomes: list[Outcome] = []
    for texts, group in zip(whole, groups, strict=True):
        if len(texts) < len(group):
            outcomes += [Outcome(None, f"too few statements ({len(texts)} of {len(group)})", 0, None)] * len(group)
            continue
        judgement = next(judged)
        outcomes += [
            Outcome(None if problem else float(value), problem, 0, None)
            for value, problem in zip(judgement.value, judgement.problem, strict=True)
        ]
    return outcomes


# --- tables ---


def step_table(step: str, questions: Sequence[AskedQuestion], outcomes: Iterable[Outcome]) -> pa.Table:
    """A step's outcomes, as many of each question, as its table."""
    schema = step_schema(step)
    names = _COLUMNS[step]
    found = list(outcomes)
    count = len(found) // max(1, len(questions))
    places = [(question, place) for question in questions for place in range(1, count + 1)]
    rows = []
    for (question, place), outcome in zip(places, found, strict=True):
        key = (question.pair.item_id, question.pair.topic, question.side, question.text, place)
        values = dict(zip(names, (outcome.value, outcome.problem, outcome.asked), strict=False))
        rows.append({**dict(zip(_KEY, key, strict=True)), **values, "reply": outcome.reply})
    return pa.Table.from_pylist(rows, schema=schema)


def joined(tables: Sequence[pa.Table], pairs: Sequence[ProverbPair]) -> pa.Table:
    """`ANSWERS` of the tables of all steps, whose rows stand in one order, and of the pairs that they are about."""
    columns = {name: table[name] for table in tables for name in table.column_names}
    of_item = {pair.item_id: pair for pair in pairs}
    asked = [of_item[str(item)] for item in columns["item_id"].to_pylist()]
    for name in PAIR_COLUMNS:
        columns[name] = pa.chunked_array([pa.array([getattr(pair, name) for pair in asked], pa.string())])
    table = pa.Table.from_arrays([columns[name] for name in ANSWERS.names], schema=ANSWERS)
    return table.sort_by([(name, "ascending") for name in ("item_id", "side", "place")])
