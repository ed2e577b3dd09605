"""Questions that a model answers in words: asked on this machine or at an endpoint, read, and judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.core.llm import Question
from tashika.evaluate.custom.predictions import prediction_table
from tashika.evaluate.custom.run import Run
from tashika.evaluate.custom.tasks import answering, choosing, judging
from tashika.evaluate.systems import AnswerSettings, System
from tashika.evaluate.ways.generation import Answer, ask_all, cost, require_replies
from tashika.evaluate.ways.reply_recipe import Answerer


def answered(run: Run) -> pa.Table:
    """Asks the model, and the judge where there is one.

    Replies are kept as they come, so an interrupted run asks only for what is missing.

    Raises:
        OutsideError: An endpoint gave no reply to some questions, and the settings do not allow that.
    """
    answers = _replies(run)
    form, rows = run.form, run.asked
    if form.task == "judge":
        found = _judged(run, answers)
    elif form.task in {"multiple_choice", "classification"}:
        found = [choosing.columns(row, answer) for row, answer in zip(rows, answers, strict=True)]
    else:
        matching = form if form.task == "generate" else form.model_copy(update={"match": "normalised"})
        found = [answering.columns(matching, row, answer) for row, answer in zip(rows, answers, strict=True)]
    return prediction_table(rows, found)


def announced_cost(run: Run) -> str:
    """What asking an endpoint will cost at most, in words, after what has arrived before."""
    generator = _answerer(run, run.system).asked_as(_asking(run))
    found = cost(generator, _questions(run), _readers(run), whole=_whole(run))
    return found.describe(generator.settings)


def _replies(run: Run) -> list[Answer[Any]]:
    answerer = _answerer(run, run.system)
    answers: list[Answer[Any]] = ask_all(
        answerer.asked_as(_asking(run)),
        _questions(run),
        _readers(run),
        whole=_whole(run),
        title=f"{run.folder.name}, answers",
    )
    answerer.forget()
    require_replies(answers, may_be_missing=run.form.missing_replies, where=run.system.endpoint)
    return answers


def _judged(run: Run, answers: Sequence[Answer[str]]) -> list[Mapping[str, Any]]:
    """The judge reads every answer that there is."""
    assert run.judge is not None
    there = [place for place, answer in enumerate(answers) if answer.value is not None]
    make = judging.judge_question(run.form)
    questions = [make(run.items[place], str(answers[place].value)) for place in there]
    answerer = _answerer(run, run.judge)
    settings = AnswerSettings(seed=run.form.seed, concurrency=run.form.concurrency)
    judgements = ask_all(
        answerer.asked_as(settings),
        questions,
        judging.score_reader(run.form),
        title=f"{run.folder.name}, judgements",
    )
    answerer.forget()
    require_replies(judgements, may_be_missing=run.form.missing_replies, where=run.judge.endpoint)
    by_place = dict(zip(there, judgements, strict=True))
    return [judging.columns(answer, by_place.get(place)) for place, answer in enumerate(answers)]


def _answerer(run: Run, system: System) -> Answerer:
    cache: Path = run.workspace.cache / "answers"
    return Answerer(system, cache)


def _asking(run: Run) -> AnswerSettings:
    form = run.form
    return AnswerSettings(
        api="chat" if form.chat else "completions",
        temperature=form.temperature,
        seed=form.seed,
        concurrency=form.concurrency,
    )


def _questions(run: Run) -> list[Question]:
    system = run.prompter.system
    return [Question(row.text, run.form.max_tokens, system) for row in run.asked]


def _readers(run: Run) -> list[Callable[[str], Any]]:
    if run.form.task in {"multiple_choice", "classification"}:
        return [choosing.reader(run.form, row) for row in run.asked]
    return [answering.as_it_is for _ in run.asked]


def _whole(run: Run) -> bool:
    """Whether a reply that was cut off is refused: half a letter may look like one; half an answer can be read."""
    return run.form.task in {"multiple_choice", "classification"}
