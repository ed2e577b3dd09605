"""Made-up systems side by side: which items count, what is left out, who is refused, what stands in words."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.comparing.aligning import Aligned
from tashika.evaluate.comparing.logs import Log
from tashika.evaluate.comparing.side_by_side import SideBySide, compare
from tashika.evaluate.comparing.systems import compare_named, find_folder, scored_folders, side_by_side
from tashika.evaluate.comparing.words import difference_words, summary, verdict
from tashika.evaluate.suite import Comparison, Measure, Sides, SystemSide, Units

ACCURACY = Measure("accuracy", "Accuracy")
MISTAKES = Measure("mistakes", "Mistakes", better="lower", scale="plain")
NAN = float("nan")


def system(
    values: Mapping[str, float],
    clusters: Mapping[str, str] | None = None,
    groups: Mapping[str, str] | None = None,
    **more: Any,
) -> SystemSide:
    def of(names: Mapping[str, str] | None) -> list[str] | None:
        return None if names is None else [names[item] for item in values]

    numbers = np.array(list(values.values()), dtype=float)
    units = Units(list(values), {"accuracy": numbers}, of(clusters), of(groups))
    return SystemSide({"items": units}, **more)


def played(*systems: SystemSide, **more: Any) -> SideBySide:
    names = [f"m{number}" for number in range(1, len(systems) + 1)]
    return compare(Sides([ACCURACY], systems, resamples=100, **more), names)


def words(side: SideBySide) -> list[str]:
    return [
        verdict(one, compared.measure, side.names, side)
        for compared in side.measures
        for one in compared.whole.contests
    ]


# --- common items ---


def test_only_items_that_count_for_all_are_compared() -> None:
    side = played(
        system({"a": 1, "b": 0, "c": 1, "d": NAN}),
        system({"b": 1, "c": 1, "d": 1, "e": 0}),
        system({"c": 0, "b": 1, "x": 1}),
    )
    [compared] = side.measures
    assert compared.whole.items == 2  # b and c
    assert list(compared.whole.values) == [0.5, 1.0, 0.5]
    assert compared.left_out == [1, 2, 1]  # a; d and e; x
    assert compared.asked == [4, 4, 3]
    assert summary(side)[1] == (
        "2 items count for all systems; left out, since another was not asked them or has no answer: m1 1, m2 2, m3 1."
    )


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_numbers_are_those_of_a_join_by_pandas_in_any_order(data: st.DataObject) -> None:
    names = [f"i{number}" for number in range(12)]
    clusters = {name: f"c{number % 3}" for number, name in enumerate(names)}
    tables = []
    for _ in range(3):
        asked = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        tables.append({name: data.draw(st.sampled_from([0.0, 1.0, NAN])) for name in asked})
    side = played(*(system(each, clusters) for each in tables), clusters="clusters")
    joined = pd.concat([pd.Series(each) for each in tables], axis=1, join="inner").dropna()
    [compared] = side.measures
    assert compared.whole.items == len(joined)
    for one in compared.whole.contests:
        if len(joined):
            assert one.delta == pytest.approx((joined[one.first] - joined[one.second]).mean())
            assert one.gained == int((joined[one.first] > joined[one.second]).sum())
            assert one.clusters == len({clusters[str(name)] for name in joined.index})
        else:
            assert one.delta is None


def test_an_item_that_stands_twice_is_named() -> None:
    units = Units(["a", "b", "a"], {"accuracy": np.ones(3)})
    with pytest.raises(InputError, match="the item a stands 2 times, expected each item once") as error:
        Aligned([units, units], ["m1", "m2"])
    assert error.value.where == "m1"


def test_groups_have_numbers_and_a_correction_of_their_own() -> None:
    items = [f"i{number:02}" for number in range(24)]
    groups = {item: ("first", "second")[number % 2] for number, item in enumerate(items)}
    better = system(dict.fromkeys(items, 1.0), groups=groups)
    worse = system({item: float(groups[item] == "second") for item in items}, groups=groups)
    side = played(better, worse, group_names={"second": "the second", "first": "the first"})
    [compared] = side.measures
    assert [(part.name, part.items, list(part.values)) for part in compared.groups] == [
        ("the second", 12, [1.0, 1.0]),
        ("the first", 12, [1.0, 0.0]),
    ]
    assert [part.contests[0].p for part in compared.groups] == pytest.approx([1.0, 2 * 0.5**12])
    assert [part.contests[0].p_holm for part in compared.groups] == pytest.approx([1.0, 4 * 0.5**12])
    assert (side.tests, side.group_tests) == (1, 2)
    assert compared.whole.contests[0].p_holm == pytest.approx(2 * 0.5**12)


def test_a_group_that_is_a_cluster_has_numbers_and_no_test() -> None:
    relations = {"a": "P1", "b": "P1", "c": "P2", "d": "P2"}
    side = played(
        system({"a": 1, "b": 1, "c": 0, "d": 1}, relations, relations),
        system({"a": 0, "b": 1, "c": 0, "d": 1}, relations, relations),
        clusters="relations",
    )
    [compared] = side.measures
    assert [list(part.values) for part in compared.groups] == [[1.0, 0.5], [0.5, 0.5]]
    assert [part.contests[0].p for part in compared.groups] == [None, None]
    assert compared.whole.contests[0].p == 1.0


def test_two_baselines_are_not_compared() -> None:
    row = {"a": 1.0, "b": 0.0}
    side = played(system(row), system(row, baseline=True), system(row, baseline=True))
    assert [(one.first, one.second) for one in side.measures[0].whole.contests] == [(0, 1), (0, 2)]
    alone = played(system(row, baseline=True), system(row, baseline=True))
    assert len(alone.measures[0].whole.contests) == 1


def test_the_family_is_every_measure_and_pair() -> None:
    both = Sides(
        [ACCURACY, MISTAKES],
        [
            SystemSide({"items": Units(range_ids(9), {"accuracy": np.ones(9), "mistakes": np.zeros(9)})}),
            SystemSide({"items": Units(range_ids(9), {"accuracy": np.zeros(9), "mistakes": np.ones(9)})}),
        ],
        resamples=100,
    )
    side = compare(both, ["m1", "m2"])
    assert side.tests == 2
    assert [one.p_holm for each in side.measures for one in each.whole.contests] == pytest.approx([2 * 2 * 0.5**9] * 2)
    assert words(side) == ["m1 is better", "m1 is better"]


@pytest.mark.parametrize(
    ("name", "verb"),
    [("people", "are"), ("people (published.json)", "are"), ("simulated annotators", "are"), ("annotators-bert", "is")],
)
def test_people_are_several(name: str, verb: str) -> None:
    rows = {str(number): 1.0 for number in range(9)}
    side = compare(Sides([ACCURACY], [system(rows), system(dict.fromkeys(rows, 0.0))], resamples=100), [name, "m2"])
    assert words(side) == [f"{name} {verb} better"]


def range_ids(count: int) -> list[str]:
    return [str(number) for number in range(count)]


# --- words ---


def test_what_is_no_difference_is_said_in_words() -> None:
    same = {"a": 1.0, "b": 0.0, "c": 1.0}
    assert words(played(system(same), system(same))) == ["not told apart"]
    clusters = {"a": "p", "b": "q", "c": "r"}
    other = {"a": 0.0, "b": 1.0, "c": 1.0}
    few = played(system(same, clusters), system(other, clusters), clusters="relations")
    assert words(few) == ["not told apart: too few relations differ"]
    none = played(system(same, clusters), system(same, clusters), clusters="relations")
    assert words(none) == ["not told apart: no relations differ"]
    assert words(played(system({"a": 1.0}), system({"b": 1.0}))) == ["no items in common"]


def test_numbers_have_signs_and_units() -> None:
    assert difference_words(-0.0314, ACCURACY) == "−3.1 points"
    assert difference_words(0.25, MISTAKES) == "+0.250"
    assert difference_words(-0.0001, ACCURACY) == "0.0 points"
    assert difference_words(None, ACCURACY) == "–"


# --- which systems ---


class World:
    """A workspace with scored systems, and a suite that reads them from here."""

    def __init__(self, root: Path) -> None:
        self.workspace = Workspace(root, "riddles")
        self.sides: dict[str, SystemSide] = {}

    def add(self, folder: str, side: SystemSide, name: str | None = None, digest: str = "d1" * 32) -> None:
        place = self.workspace.evaluate / folder
        release = {"version": "0.1.0", "digest": digest, "simulated": False}
        write_json(place / "metrics.json", {"model": {"name": name or folder}, "release": release, "score": 1})
        (place / "predictions.parquet").write_bytes(b"")
        self.sides[folder] = side

    @property
    def comparison(self) -> Comparison:
        def read(workspace: Workspace, folders: Sequence[Path]) -> Sides:
            return Sides([ACCURACY], [self.sides[folder.name] for folder in folders], resamples=50)

        return Comparison(("predictions.parquet",), read)

    def named(self, *names: str, logs: Sequence[Log] = ()) -> SideBySide:
        folders = [find_folder(self.workspace, name) for name in names]
        return compare_named(self.workspace, self.comparison, folders, logs)

    def page(self) -> SideBySide:
        return side_by_side(self.workspace, self.comparison, scored_folders(self.workspace))


@pytest.fixture
def world(tmp_path: Path) -> World:
    result = World(tmp_path)
    result.add("good", system({"a": 1, "b": 1, "c": 1}, settings={"judge": "x"}))
    result.add("poor", system({"a": 1, "b": 0, "c": 1}, settings={"judge": "x"}))
    return result


def test_systems_are_named_by_folder_or_model(world: World) -> None:
    world.add("good-abc123", system({"a": 1}), name="org/large")
    assert find_folder(world.workspace, "org/large").name == "good-abc123"
    assert world.named("good", "poor").names == ["good", "poor"]
    with pytest.raises(InputError, match="no system 'best' was scored; scored are: good, good-abc123, poor"):
        find_folder(world.workspace, "best")
    world.add("large-2", system({"a": 1}), name="org/large")
    with pytest.raises(InputError, match="2 systems are called 'org/large': good-abc123, large-2"):
        find_folder(world.workspace, "org/large")


def test_one_system_is_too_few(world: World) -> None:
    with pytest.raises(InputError, match="found one system, expected two or more; scored are: good, poor"):
        world.named("good")


def test_another_release_is_refused_and_left_out(world: World) -> None:
    world.add("old", system({"a": 1, "b": 1, "c": 1}, settings={"judge": "x"}), digest="e2" * 32)
    text = r"release: 0.1.0 \(e2e2e2e2e2e2\) where good has 0.1.0 \(d1d1d1d1d1d1\)"
    with pytest.raises(InputError, match=f"good and old cannot be compared: scored otherwise .{text}"):
        world.named("good", "old")
    page = world.page()
    assert page.names == ["good", "poor"]
    assert [left.name for left in page.left_out] == ["old"]
    assert "e2e2e2e2e2e2" in page.left_out[0].reason


def test_other_settings_are_refused_with_the_reason(world: World) -> None:
    world.add("judged", system({"a": 1}, settings={"judge": "y"}))
    with pytest.raises(InputError, match=r"scored otherwise \(judge: y where poor has x\)"):
        world.named("poor", "judged")


def test_what_cannot_be_compared_says_why(world: World) -> None:
    world.add("plan", SystemSide(problem="a plan drew its prompts"))
    world.add("mute", system({"a": NAN, "b": NAN}, settings={"judge": "x"}))
    (world.workspace.evaluate / "poor" / "predictions.parquet").unlink()
    for name, reason in (
        ("plan", "a plan drew its prompts"),
        ("mute", "nothing that it was asked counts"),
        ("poor", "its predictions.parquet does not lie here"),
    ):
        with pytest.raises(InputError, match=f"cannot be compared: {reason}") as error:
            world.named("good", name)
        assert error.value.where == name
    page = world.page()
    assert page.measures == []
    assert {left.name for left in page.left_out} == {"plan", "mute", "poor"}


def test_samples_are_mixed_by_hand_and_kept_apart_on_the_page(world: World) -> None:
    world.add("tried", system({"a": 0}, settings={"judge": "x"}, sample="1 of 3 questions"))
    mixed = world.named("good", "tried")
    assert mixed.measures[0].whole.items == 1
    assert "They were not asked the same sample (good everything; tried 1 of 3 questions)" in summary(mixed)[-1]
    page = world.page()
    assert page.names == ["good", "poor"]
    assert page.left_out[0].reason == "it was asked 1 of 3 questions, and the others everything"


def test_systems_without_a_common_item_are_refused(world: World) -> None:
    world.add("elsewhere", system({"x": 1}, settings={"judge": "x"}))
    with pytest.raises(InputError, match="these systems have no items in common"):
        world.named("good", "elsewhere")


# --- logs ---


def test_a_log_stands_beside_a_system_with_its_clusters(world: World) -> None:
    clusters = {"a": "p", "b": "p", "c": "q"}
    world.add("clustered", system({"a": 1, "b": 1, "c": 0}, clusters, settings={"judge": "x"}))
    side = world.named("clustered", logs=[Log("theirs", "acc", {"a": 0.0, "b": 1.0, "zz": 1.0})])
    assert (side.measures[0].whole.items, side.measures[0].whole.clusters) == (2, 1)
    assert "theirs: acc of the log stands for Accuracy." in side.remarks
    assert "theirs: of its 3 items 1 left out, as no system here was asked them." in side.remarks


def test_a_log_of_another_version_is_said_to_be_one(world: World) -> None:
    here = Log("theirs", "acc", {"a": 0.0, "b": 1.0}, release="0.1.0")
    other = Log("older", "acc", {"a": 0.0, "b": 1.0}, release="0.0.9")
    remarks = world.named("good", logs=[here, other]).remarks
    assert [remark for remark in remarks if "may read otherwise" in remark] == [
        "older: its questions are of release 0.0.9, and those here of 0.1.0; items with the same id may read otherwise "
        "there."
    ]


def test_two_logs_take_their_clusters_from_a_scored_system(world: World) -> None:
    logs = [Log("one", "acc", {"a": 0.0, "b": 1.0}), Log("one", "acc", {"b": 1.0, "a": 1.0})]
    side = world.named(logs=logs)
    assert list(side.names) == ["one", "one (2)"]
    assert side.measures[0].whole.values == [0.5, 1.0]


def test_logs_alone_need_a_scored_system_that_can_be_compared(world: World) -> None:
    logs = [Log("one", "acc", {"a": 0.0, "b": 1.0}), Log("two", "acc", {"b": 1.0, "a": 1.0})]
    world.add("a-plan", SystemSide(problem="a plan drew its prompts"))
    assert list(world.named(logs=logs).names) == ["one", "two"]
    for name in ("good", "poor"):
        (world.workspace.evaluate / name / "metrics.json").unlink()
    with pytest.raises(InputError, match="no system has been scored, which says how the items of a log hang together"):
        world.named(logs=logs)


def test_a_log_of_another_release_is_refused(world: World) -> None:
    with pytest.raises(InputError, match="none of its 2 items was asked of the systems here, such as x") as error:
        world.named("good", logs=[Log("theirs", "acc", {"x": 1.0, "y": 0.0})])
    assert "another release" in str(error.value.hint)


def test_a_log_with_impossible_numbers_is_refused(world: World) -> None:
    with pytest.raises(InputError, match=r"found perplexity = 12\.5 for b, and Accuracy is from 0 to 1"):
        world.named("good", logs=[Log("theirs", "perplexity", {"a": 1.0, "b": 12.5})])


def test_every_two_of_three(world: World) -> None:
    world.add("third", system({"a": 0, "b": 0, "c": 0}, settings={"judge": "x"}))
    pairs = [(one.first, one.second) for one in world.page().measures[0].whole.contests]
    assert pairs == list(itertools.combinations(range(3), 2))
