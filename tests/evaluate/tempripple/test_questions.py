"""Reading TempRIPPLE's release: what is taken, what is refused, what a sample holds, and the order of asking."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError, MissingStageError
from tashika.evaluate.tempripple.questions import RippleQuestion, RippleRelease, draw_facts, in_order, read_release

HISTORY = [("P35", 4.0), ("P35", 8.0), ("P6", 3.0)]


def question(number: int = 1, **other: Any) -> dict[str, Any]:
    row = {
        "item_id": f"q{number}",
        "task": "old",
        "hop": 0,
        "place": 2,
        "subject": "Q142",
        "relation": "P35",
        "last_relation": "P35",
        "text": "Who was the previous head of state of France?",
        "context": "The most recent head of state of France is Ada.",
        "options": ["Ada", "Zola", "Eve", "Bob"],
        "answer": 1,
        "answers": ["Zola"],
        "reasoning": "not read here",
    }
    return {**row, **other}


def written(folder: Path, rows: list[dict[str, Any]], history: list[tuple[str, float | None]] | None = None) -> Path:
    for name in ("questions", "history"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "questions" / "questions.parquet")
    tenures = [{"relation": relation, "years": years, "object": "Q1"} for relation, years in history or HISTORY]
    pq.write_table(pa.Table.from_pylist(tenures), folder / "history" / "history.parquet")
    (folder / "release.json").write_text(json.dumps({"version": "0.1.0", "digest": "d" * 64, "simulated": True}))
    return folder


def test_reads_questions_and_mean_durations(tmp_path: Path) -> None:
    found = read_release(written(tmp_path, [question(1), question(2, task="new", place=1, answer=0)]))
    assert (found.version, found.digest, found.simulated) == ("0.1.0", "d" * 64, True)
    assert found.durations == {"P35": 6.0, "P6": 3.0}
    assert (found.options, found.facts) == (4, [("P35", "Q142")])
    first, second = found.questions
    assert (first.item_id, first.options, first.answer) == ("q1", ("Ada", "Zola", "Eve", "Bob"), 1)
    assert (second.task, second.place) == ("new", 1)


def test_says_what_to_run_where_there_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(MissingStageError, match="tashika export tempripple"):
        read_release(tmp_path)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"task": "kept"}, "the task 'kept'"),
        ({"text": " "}, "the question or its context is empty"),
        ({"context": ""}, "the question or its context is empty"),
        ({"options": ["Ada"]}, "1 options"),
        ({"options": ["Ada"] * 27}, "27 options"),
        ({"options": ["Ada", " ", "Eve", "Bob"]}, "an option is empty"),
        ({"options": ["Ada", "Eve", "Eve", "Bob"]}, "stands there twice"),
        ({"answer": 4}, "the answer is the option 4, and there are 4"),
        ({"answer": -1}, "the answer is the option -1"),
        ({"item_id": "q1"}, "the same id"),
    ],
)
def test_refuses_a_question_that_cannot_be_asked(tmp_path: Path, other: Mapping[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_release(written(tmp_path, [question(1), question(2, **other)]))
    assert caught.value.where
    assert caught.value.where.endswith(str(other.get("item_id", "q2")))


def test_refuses_files_that_are_not_whole(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="questions with 3 and 4 options"):
        read_release(written(tmp_path, [question(1), question(2, options=["Ada", "Zola", "Eve"])]))
    with pytest.raises(InputError, match="'context' has 1 nulls"):
        read_release(written(tmp_path, [question(1), question(2, context=None)]))
    with pytest.raises(InputError, match="'years' has 1 nulls"):
        read_release(written(tmp_path, [question()], [("P35", 1.0), ("P35", None)]))
    rows = [{name: value for name, value in question().items() if name != "last_relation"}]
    with pytest.raises(InputError, match="'last_relation' is missing; found item_id"):
        read_release(written(tmp_path, rows))
    folder = written(tmp_path, [question()])
    pq.write_table(
        pq.read_table(folder / "questions" / "questions.parquet").slice(0, 0), folder / "questions/q.parquet"
    )
    (folder / "questions" / "q.parquet").rename(folder / "questions" / "questions.parquet")
    with pytest.raises(InputError, match="no questions"):
        read_release(folder)
    (folder / "questions" / "questions.parquet").write_bytes(b"PAR1 not whole")
    with pytest.raises(InputError, match="not a whole Parquet file"):
        read_release(folder)
    (folder / "history" / "history.parquet").unlink()
    written(tmp_path, [question()])
    (folder / "history" / "history.parquet").unlink()
    with pytest.raises(InputError, match="no such file"):
        read_release(folder)


def _release(facts: dict[str, int], each: int = 2) -> RippleRelease:
    """So many facts of each property, so many questions on each."""
    questions = tuple(
        RippleQuestion(
            f"{relation}-{subject}-{number}", "old", 0, 2, f"Q{subject}", relation, relation, "?", ".", ("a", "b"), 0
        )
        for number in range(each)
        for relation, count in facts.items()
        for subject in range(count)
    )
    return RippleRelease("1", "d", False, questions, {})


def _facts(questions: tuple[RippleQuestion, ...]) -> dict[str, int]:
    found = {(question.relation, question.subject) for question in questions}
    return {name: sum(relation == name for relation, _ in found) for name in ("P1", "P2", "P3")}


def test_a_sample_is_shared_out_by_property() -> None:
    release = _release({"P1": 12, "P2": 6, "P3": 2})
    assert _facts(draw_facts(release, 10, 0)) == {"P1": 6, "P2": 3, "P3": 1}
    # 3.0, 1.5 and 0.5 facts: the fifth goes to P2, the first of the equal remainders.
    assert _facts(draw_facts(release, 5, 0)) == {"P1": 3, "P2": 2, "P3": 0}
    assert draw_facts(release, None, 0) == draw_facts(release, 20, 0) == release.questions
    backwards = replace(release, questions=release.questions[::-1])
    assert draw_facts(backwards, 5, 0) == draw_facts(release, 5, 0)[::-1]
    assert len({draw_facts(release, 5, seed) for seed in range(5)}) > 1


@given(
    sizes=st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)),
    limit=st.integers(1, 30),
    seed=st.integers(0, 9),
)
def test_a_sample_holds_whole_facts(sizes: tuple[int, int, int], limit: int, seed: int) -> None:
    release = _release(dict(zip(("P1", "P2", "P3"), sizes, strict=True)), each=3)
    drawn = draw_facts(release, limit, seed)
    assert sum(_facts(drawn).values()) == min(limit, sum(sizes))
    assert len(drawn) == 3 * min(limit, sum(sizes))
    for name, size in zip(("P1", "P2", "P3"), sizes, strict=True):
        assert abs(_facts(drawn)[name] - size * min(1, limit / sum(sizes))) < 1


def test_prompts_with_one_context_stand_beside_each_other() -> None:
    rows = in_order(_release({"P2": 2, "P1": 1}).questions)
    assert [(row.question.relation, row.question.subject, row.with_context) for row in rows] == [
        (relation, subject, context)
        for relation, subject in (("P1", "Q0"), ("P2", "Q0"), ("P2", "Q1"))
        for context in (False, False, True, True)
    ]
    assert rows == in_order(reversed([row.question for row in rows if row.with_context]))
