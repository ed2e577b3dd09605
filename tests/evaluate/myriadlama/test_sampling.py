"""Designs: what they draw, that a larger one holds a smaller one, that nothing is asked twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.core.models import Kind
from tashika.evaluate.myriadlama.lite.frame import Frame
from tashika.evaluate.myriadlama.lite.plan_run import frame_of
from tashika.evaluate.myriadlama.metrics import Kept
from tashika.evaluate.myriadlama.prompts import WorkList, read_release, work_list
from tashika.evaluate.myriadlama.sampling import Design, Order, Sample, turns


@pytest.fixture(scope="module")
def work(release_folder: Path) -> WorkList:
    return work_list(read_release(release_folder))


@pytest.fixture(scope="module", params=["bert", "llama"])
def frame(request: pytest.FixtureRequest, work: WorkList, tiny_model: Callable[[str], str]) -> Frame:
    kind: Kind = "masked" if request.param == "bert" else "causal"
    return frame_of(tiny_model(request.param), kind, work)[0]


def prompts_of(work: WorkList) -> list[tuple[int, str, str]]:
    """The (pair, template, name) of every prompt of a list."""
    if len(work) == 0:
        return []
    at = work.stretch(0, len(work))
    return [
        (int(work.pair_number[pair]), work.template_ids[template], work.alias_ids[name])
        for pair, name, template in zip(at.pair, at.alias, at.template, strict=True)
    ]


def test_a_frame_holds_what_can_be_answered(work: WorkList, tiny_model: Callable[[str], str]) -> None:
    """Five of the six pairs have an answer of one token; a causal model uses the templates that end with the blank."""
    masked, answers = frame_of(tiny_model("bert"), "masked", work)
    assert masked.relations == ("P19", "P36")
    assert len(masked.pairs) == 5
    assert answers.counts.pairs == Kept(kept=5, of=6)
    assert masked.widths.tolist() == [4, 4]
    causal, _ = frame_of(tiny_model("llama"), "causal", work)
    assert causal.widths.tolist() == [3, 3]
    assert [list(ids) for ids in causal.templates] == [sorted(ids) for ids in causal.templates]
    whole = Order.of(work, masked, 0).take(Design((9, 9)))
    assert len(whole) == masked.prompts.sum()


def test_a_model_that_can_answer_nothing_is_refused(work: WorkList, tiny_model: Callable[[str], str]) -> None:
    _, answers = frame_of(tiny_model("bert"), "masked", work)
    nothing = np.zeros(len(work.template_ids), dtype=bool)
    with pytest.raises(InputError, match="can answer no prompt"):
        Frame.of(work, answers, nothing, np.zeros(len(nothing), dtype=np.int64))


sizes = st.tuples(st.integers(1, 3), st.integers(1, 3))
limits = st.one_of(st.none(), st.integers(1, 4))


@given(sizes, limits, limits, sizes, limits, limits, st.integers(0, 3))
def test_what_is_left_of_a_design_and_what_was_asked_make_it_whole(
    work: WorkList,
    frame: Frame,
    more: tuple[int, int],
    templates: int | None,
    names: int | None,
    fewer: tuple[int, int],
    some_templates: int | None,
    some_names: int | None,
    seed: int,
) -> None:
    order = Order.of(work, frame, seed)
    large = Design(more, templates, names)
    small = Design(
        tuple(min(pair) for pair in zip(more, fewer, strict=True)),
        min(templates or 9, some_templates or 9),
        min(names or 9, some_names or 9),
    )
    assert large.holds(small) or (templates or 9) > 4 or (names or 9) > 4
    asked, left, everything = (
        prompts_of(part) for part in (order.take(small), order.take(large, without=small), order.take(large))
    )
    assert Counter(asked) + Counter(left) == Counter(everything)
    assert max(Counter(everything).values()) == 1


@given(sizes, limits, limits)
def test_a_design_draws_what_it_says(
    work: WorkList, frame: Frame, pairs: tuple[int, int], templates: int | None, names: int | None
) -> None:
    part = Order.of(work, frame, 0).take(Design(pairs, templates, names))
    assert np.bincount(part.pair_relation).tolist() == np.minimum(pairs, frame.sizes).tolist()
    assert set(part.template_count.tolist()) == {min(frame.widths[0], templates or 9)}
    places = np.searchsorted(frame.pairs, part.pair_number)
    assert part.alias_count.tolist() == np.minimum(frame.aliases[places], names or 9).tolist()
    assert {one for _, one, _ in prompts_of(part)} <= {one for ids in frame.templates for one in ids}


def test_a_pair_keeps_its_answers(work: WorkList, frame: Frame) -> None:
    """The answers of a pair that stands twice in a list stand twice as well."""
    order = Order.of(work, frame, 0)
    twice = order.take(Design((3, 3)), without=Design((3, 3), 2, 1))
    assert len(set(twice.pair_number.tolist())) < len(twice.pair_number)

    def answers(part: WorkList, row: int) -> list[tuple[str, ...]]:
        return sorted(part.fact_answers[fact] for fact in np.flatnonzero(part.fact_pair == row))

    known = {int(number): answers(work, row) for row, number in enumerate(work.pair_number)}
    for row, number in enumerate(twice.pair_number):
        assert answers(twice, row) == known[int(number)]


def test_turns_count_within_a_group() -> None:
    assert turns(np.asarray([0, 1, 0, 1, 0]), np.asarray([5, 1, 3, 0, 4])).tolist() == [2, 1, 0, 0, 1]


def test_a_sample_is_named_by_its_limits() -> None:
    assert Sample().parts == ()
    assert Sample(pairs=300, aliases=1).parts == ("300-pairs", "1-aliases")
