"""Prompts and controls from files, and questionnaires in which nobody meets a target and relation twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.semrel.probes import Control, Pair, controls_of, deal, mixed, read_controls, read_prompts
from tashika.core.errors import ConfigError, InputError
from tashika.core.settings import packaged, packaged_data
from tashika.core.suites.semrel.words import RELATIONS

PAIRS = st.dictionaries(
    st.tuples(st.text("abc", min_size=1, max_size=4), st.sampled_from(RELATIONS)),
    st.integers(1, 9).map(lambda count: [f"prompt {number}" for number in range(count)]),
    min_size=1,
    max_size=60,
)


def test_the_packaged_prompts_are_as_many_as_the_papers() -> None:
    found = read_prompts(packaged("semrel_prompts.toml"))
    assert [len(found[relation]) for relation in RELATIONS] == [7, 7, 7, 6, 9, 7]
    assert len({prompt for prompts in found.values() for prompt in prompts}) == 43


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no table"),
        ("[prompts]\nhyp = ['[W] is [V]']", "unknown relation 'hyp', 1 of 1"),
        ("[prompts]\nhypernymy = []", "at least one prompt"),
        ("[prompts]\nhypernymy = 'a [W] is [V]'", "expected a list"),
        ("[prompts]\nhypernymy = ['it is a [V]']", r"no \[W\]"),
        ("[prompts]\nhypernymy = ['[V] is [W]']", "not at the end"),
        ("[prompts]\nhypernymy = ['[W] is [V]', '[W] is [V]']", "2 times"),
        ("[prompts", "not valid TOML"),
    ],
)
def test_broken_prompts_are_told(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "prompts.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_prompts(file)


def test_the_packaged_controls_have_answers() -> None:
    found = read_controls(packaged_data("semrel/controls.tsv"))
    assert len({control.prompt for control in found}) == len(found) >= 40
    capital = next(control for control in found if control.prompt.startswith("London"))
    assert capital.text == "London is the capital of"
    assert {"england", "britain"} <= set(capital.answers)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("prompt\tanswers\n", "no control question"),
        ("prompt\tanswers\nRome is in [V]\t\n", r"expected \[V\] at its end"),
        ("prompt\tanswers\n[V] has Rome\titaly\n", r"expected \[V\] at its end"),
        ("question\tanswer\nRome is in [V]\titaly\n", r"expected \[V\] at its end"),
    ],
)
def test_broken_controls_are_told(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "controls.tsv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_controls(file)
    with pytest.raises(InputError, match="no such file"):
        read_controls(tmp_path / "none.tsv")


@given(PAIRS, st.integers(1, 50), st.integers(0, 3))
def test_no_series_shows_a_target_and_relation_twice(prompts: dict[Pair, list[str]], size: int, seed: int) -> None:
    dealt = deal(prompts, size, seed)
    assert sorted(probe[:3] for probe in dealt.probes) == sorted(
        (target, relation, text) for (target, relation), texts in prompts.items() for text in texts
    )
    met = Counter((one.target, one.relation, one.questionnaire % dealt.series) for one in dealt.probes)
    assert set(met.values()) == {1}
    sizes = Counter(one.questionnaire for one in dealt.probes)
    assert set(sizes) <= set(range(1, dealt.questionnaires + 1))
    counts = [sizes[number] for number in range(1, dealt.questionnaires + 1)]
    assert max(counts) - min(counts) <= 1
    assert max(counts) <= size
    assert deal(prompts, size, seed) == dealt


def test_questionnaires_see_every_prompt() -> None:
    """A number of questionnaires that is a multiple of the prompts would else give each the same prompt throughout."""
    words = [f"word{number}" for number in range(200)]
    dealt = deal({(word, "hypernymy"): [f"{place}" for place in range(7)] for word in words}, 20, 0)
    first = Counter(one.prompt for one in dealt.probes if one.questionnaire == 1)
    assert len(first) > 4


def test_every_questionnaire_gets_its_controls() -> None:
    controls = [Control(f"{number} is [V]", ("x",)) for number in range(10)]
    prompts: dict[Pair, list[str]] = {(f"w{number}", "synonymy"): ["a", "b", "c"] for number in range(18)}
    dealt = deal(prompts, 9, 0)  # 54 probes, 6 questionnaires of 9, series of 3
    given_out = controls_of(dealt, controls, 0.25)  # 9 probes and 3 controls
    by_questionnaire: dict[int, list[Control]] = {}
    for control, number in given_out:
        by_questionnaire.setdefault(number, []).append(control)
    assert sorted(by_questionnaire) == [1, 2, 3, 4, 5, 6]
    assert all(len(set(found)) == 3 for found in by_questionnaire.values())
    for lane in (1, 2, 3):  # whoever answers both questionnaires of a series meets no control twice
        assert not set(by_questionnaire[lane]) & set(by_questionnaire[lane + 3])
    assert controls_of(dealt, controls, 0.0) == []
    assert len(controls_of(dealt, controls[:2], 0.45)) == 2 * 6  # no more than there are


def test_rows_are_by_questionnaire_with_the_controls_among_the_probes() -> None:
    rows = [{"item_id": f"{number:02}", "questionnaire": 1 + number % 2, "place": number} for number in range(40)]
    found = mixed(rows, 0)
    assert [row["questionnaire"] for row in found] == [1] * 20 + [2] * 20
    assert [row["place"] for row in found[:20]] != list(range(0, 40, 2))
    assert mixed(reversed(rows), 0) == found
