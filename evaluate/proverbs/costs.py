"""What asking costs: at most, before anything is sent, and really, from the tables of a finished run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from tashika.core.files import read_table
from tashika.core.llm import Cost, Question
from tashika.evaluate.proverbs.answers import (
    longest_scores,
    score_cost,
    score_questions,
    statement_cost,
    statement_questions,
    step_schema,
)
from tashika.evaluate.proverbs.metrics_model import Costs, PromptCosts, RequestCost
from tashika.evaluate.proverbs.steps import answered_places, statements_of

if TYPE_CHECKING:
    from tashika.evaluate.proverbs.run import Run


def costs(run: Run) -> Costs:
    """What a whole run costs at most, and what was really asked."""
    return Costs(estimate=_plain(_estimate(run)), asked=_plain(_asked(run)))


def describe_cost(run: Run) -> str:
    """What both prompts will still cost at most, in plain words. Nothing is sent and no weights are loaded.

    While the statements are not known, the scores cost as much as if each statement were at its longest.
    """
    left = _estimate(run)
    if run.system.url is not None:
        answerer, settings = run.answerer(), run.settings
        left["statements"] = statement_cost(answerer.asked_as(run.llm(settings.answer)), run.questions, settings)
        if run.stage("statements").manifest() is not None:
            answered = answered_places(run, statements_of(run))
            left["scores"] = score_cost(answerer.asked_as(run.llm(settings.score)), answered, settings)
    asking = run.system.asking(run.llm(run.settings.answer))
    parts = [f"{name}, {cost.describe(asking) if cost.requests else 'nothing to ask'}" for name, cost in left.items()]
    return "; ".join([*parts, f"together {sum(left.values(), Cost()).describe(asking)}"])


def _estimate(run: Run) -> dict[str, Cost]:
    """What a whole run costs at most, by prompt: nothing that arrived before is taken off."""
    statements = sum((question.cost for question in set(statement_questions(run.questions, run.settings))), Cost())
    return {
        "statements": statements * run.settings.attempts,
        "scores": Cost() if run.scoring == "likelihood" else longest_scores(run.questions, run.settings),
    }


def _asked(run: Run) -> dict[str, Cost]:
    """What was really asked for, attempts included; tokens are estimated by characters, like those of the estimate.

    A prompt that a model on this machine cannot take is not asked. A request that was sent again since the connection
    failed counts once.
    """
    settings, here = run.settings, run.system.url is None
    rows = read_table(run.path("statements"), step_schema("statements")).to_pylist()
    step = 1 if settings.asking == "one" else settings.answers
    questions = statement_questions(run.questions, settings)
    statements = _spent(zip(questions, rows[::step], strict=True), "answer_asked", here=here)
    if run.scoring == "likelihood":
        return {"statements": statements, "scores": Cost()}
    scores = read_table(run.path("scores"), step_schema("scores")).to_pylist()
    answered = [score for score, row in zip(scores, rows, strict=True) if row["answer"] is not None]
    requests = score_questions(answered_places(run, [row["answer"] for row in rows]), settings)
    return {"statements": statements, "scores": _spent(zip(requests, answered, strict=True), "score_asked", here=here)}


def _spent(pairs: Iterable[tuple[Question, Mapping[str, Any]]], column: str, *, here: bool) -> Cost:
    """The cost of requests that were made, identical ones once; each attempt's reply as long as the last.

    Args:
        pairs: A request, and the row of what came of it.
        column: How often it was made.
        here: Whether the model is on this machine, where a prompt without a reply was never asked.
    """
    asked = ((question, row) for question, row in pairs if not here or row["reply"] is not None)
    distinct = {question: (row[column], row["reply"] or "") for question, row in asked}
    spent = [
        replace(question.cost, tokens_out=-(-len(reply) // 4)) * times for question, (times, reply) in distinct.items()
    ]
    return sum(spent, Cost())


def _plain(by_prompt: Mapping[str, Cost]) -> PromptCosts:
    return PromptCosts(**{name: RequestCost(**asdict(cost)) for name, cost in by_prompt.items()})
