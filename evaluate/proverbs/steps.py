"""The steps of a run on proverbs: each writes its table and returns what the stage's manifest counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from tashika.core.files import read_table, remove_leftovers, write_batches, write_json
from tashika.core.models import Dtype
from tashika.core.stages import Stage
from tashika.evaluate.proverbs.answers import (
    NO_STATEMENT,
    Outcome,
    ask_scores,
    ask_statements,
    consistencies,
    joined,
    step_schema,
    step_table,
)
from tashika.evaluate.proverbs.cross import CROSSES, cross_consistencies, cross_table
from tashika.evaluate.proverbs.metrics import tests
from tashika.evaluate.proverbs.questions import AskedQuestion
from tashika.evaluate.proverbs.recipe import ScoreRecipe
from tashika.evaluate.proverbs.records import ANSWERS, TESTS
from tashika.evaluate.runs import forget, predict
from tashika.evaluate.ways.entailment import Classifier, Judge, RunJudge, load_judge, outline_judge
from tashika.evaluate.ways.judge_check import check_judge, require_fit
from tashika.evaluate.ways.judge_recipe import run_on_devices
from tashika.evaluate.ways.reply_recipe import Answerer

if TYPE_CHECKING:
    from tashika.evaluate.proverbs.run import Run


def ask_for_statements(run: Run, answerer: Answerer, stage: Stage) -> dict[str, Any]:
    """Asks for five statements a question."""
    generator = answerer.asked_as(run.llm(run.settings.answer))
    outcomes = ask_statements(generator, run.questions, run.settings, f"{run.folder.name}, statements")
    return _write(stage, "statements", run.questions, outcomes)


def score_statements(run: Run, answerer: Answerer, stage: Stage) -> dict[str, Any]:
    """Scores what statements there are; the other places have no score and say why."""
    title = f"{run.folder.name}, scores"
    if run.scoring == "likelihood":
        answerer.forget()
        predict(stage, score_recipe(run), run.system, title)
        table = read_table(stage.outputs[0], step_schema("scores"))
        return _counts(run.questions, table["score_problem"].to_pylist())
    statements = statements_of(run)
    answered = answered_places(run, statements)
    generator = answerer.asked_as(run.llm(run.settings.score))
    scores = iter(ask_scores(generator, answered, run.settings, title) if answered else [])
    outcomes = [NO_STATEMENT if statement is None else next(scores) for statement in statements]
    return _write(stage, "scores", run.questions, outcomes)


def check_judge_by_hand(run: Run, stage: Stage) -> dict[str, Any]:
    """Has the judge go through hand-written pairs, on one device of this machine.

    Raises:
        InputError: It is a classifier that fails on them, and the settings do not let it go on.
    """
    settings = run.settings
    # The devices of a Ray cluster need not be on this machine.
    device = "auto" if run.how.engine == "ray" else run.how.kind_of_device
    judge = load_judge(run.judge, device=device, dtype=run.judge_dtype)
    check = check_judge(judge, settings.language, batch_tokens=settings.judge_tokens)
    # A causal model only stands in for a classifier, and every page names it so.
    stands_in = not isinstance(judge, Classifier)
    check = require_fit(check, run.judge_name, may_fail=settings.weak_judge or stands_in)
    write_json(stage.outputs[0], check.model_dump(mode="json"))
    return {"pairs": check.pairs, "right": check.right, "verdict": check.verdict}


def judge_statements(run: Run, answerer: Answerer, stage: Stage) -> dict[str, Any]:
    """Judges how far each statement follows from the question's others."""
    answerer.forget()
    judge, score = _judge_of(run)
    groups, tokens = groups_of(run, statements_of(run)), run.settings.judge_tokens
    outcomes = consistencies(judge, groups, batch_tokens=tokens, run=score)
    about = {**judge.describe(), "model": run.judge_name, "device": run.how.kind_of_device}
    return {**_write(stage, "consistencies", run.questions, outcomes), "judge": about}


def judge_across(run: Run, stage: Stage) -> dict[str, Any]:
    """Judges how far each statement follows from those of the pair's other question."""
    [target] = stage.outputs
    judge, score = _judge_of(run)
    groups, tokens = groups_of(run, statements_of(run)), run.settings.judge_tokens
    outcomes = cross_consistencies(judge, groups, batch_tokens=tokens, run=score)
    remove_leftovers(target)
    write_batches(target, cross_table(run.questions, outcomes).to_batches(), CROSSES)
    return _counts(run.questions, [outcome.problem for outcome in outcomes])


def _judge_of(run: Run) -> tuple[Judge, RunJudge]:
    """The judge's outline, and what has its batches scored."""
    tokens, dtype = run.settings.judge_tokens, run.judge_dtype
    score = run_on_devices(run.judge, run.how, shown=run.judge_name, dtype=dtype, batch_tokens=tokens)
    return outline_judge(run.judge, dtype=cast(Dtype, dtype)), score


def compare_pairs(run: Run, stage: Stage) -> dict[str, Any]:
    """Joins the tables of all steps and tests every pair."""
    answers_file, tests_file = stage.outputs
    answers = joined([read_table(path, step_schema(path.stem)) for path in stage.inputs], run.pairs)
    write_batches(answers_file, answers.to_batches(), ANSWERS)
    results = tests(answers, run.settings.tests)
    write_batches(tests_file, results.to_batches(), TESTS)
    rows = results.to_pylist()
    tested = sum(row["p"] is not None for row in rows)
    return {"pairs": len(run.pairs), "tests": tested, "errors": sum(row["error"] is True for row in rows)}


def forget_scored(run: Run) -> None:
    """Removes the parts of finished scores, where they are likelihoods."""
    if run.scoring == "likelihood":
        forget(run.stage("scores"), score_recipe(run))


def score_recipe(run: Run) -> ScoreRecipe:
    """How a model on this machine scores its statements by likelihood."""
    system, statements = run.system, statements_of(run)
    work = tuple(
        (question, run.settings.slots(question.pair.topic, question.text), tuple(group))
        for question, group in zip(run.questions, groups_of(run, statements), strict=True)
    )
    return ScoreRecipe(system.given, "causal", str(system.device), str(system.dtype), work, run.settings.score)


def statements_of(run: Run) -> list[str | None]:
    """The statements by question and place; None where there is none."""
    table = read_table(run.path("statements"), step_schema("statements"))
    statements: list[str | None] = table["answer"].to_pylist()
    return statements


def groups_of(run: Run, statements: Sequence[str | None]) -> list[Sequence[str | None]]:
    """The statements of each question."""
    count = run.settings.answers
    return [statements[at : at + count] for at in range(0, len(statements), count)]


def answered_places(run: Run, statements: Sequence[str | None]) -> list[tuple[AskedQuestion, str]]:
    """The statements that there are, each with its question."""
    places = [question for question in run.questions for _ in range(run.settings.answers)]
    pairs = zip(places, statements, strict=True)
    return [(question, statement) for question, statement in pairs if statement is not None]


def _write(stage: Stage, step: str, questions: Sequence[AskedQuestion], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Writes a step's table."""
    [target] = stage.outputs
    remove_leftovers(target)
    write_batches(target, step_table(step, questions, outcomes).to_batches(), step_schema(step))
    return _counts(questions, [outcome.problem for outcome in outcomes])


def _counts(questions: Sequence[AskedQuestion], problems: Sequence[str | None]) -> dict[str, Any]:
    """The entry of a step in the manifest."""
    reasons: Mapping[str, int] = Counter(problem for problem in problems if problem is not None)
    missing = sum(reasons.values())
    return {
        "questions": len(questions),
        "found": len(problems) - missing,
        "missing": missing,
        "problems": dict(sorted(reasons.items())),
    }
