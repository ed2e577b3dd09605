"""The samples by which the condition Basic is tried: what they are drawn of, and the shares that people leave."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tashika.builders.kuci.basic_trial import draw_samples, summarise_trial, trial_file, trial_lines
from tashika.builders.kuci.settings import FilterSettings, TrialSettings
from tashika.core.files import read_json, write_json, write_rows
from tashika.core.records import VERDICT, item_row, item_schema
from tashika.core.suites.kuci.words import ANY, BASIC
from tashika.core.workspace import Workspace
from tests.builders.kuci.test_pairs import KNOWN, Row, candidate, eat, event, events, hungry
from tests.exports import judged

FILTERS = FilterSettings()


def plain(number: int) -> Row:
    """A reliable candidate that holds no basic event."""
    return candidate(event(f"{number} 回 走った ので", "走る"), eat())


def basic(number: int) -> Row:
    return candidate(hungry(f"お腹 が {number} 回 空いた ので"), eat())


def drawn(rows: Sequence[Row], sample: int = 100, seed: int = 0) -> tuple[dict[str, list[str]], dict[str, int]]:
    """The samples of each antecedent that was drawn."""
    payloads, of = draw_samples(rows, events(*KNOWN), FILTERS, TrialSettings(sample=sample, seed=seed))
    return {one["antecedent"]: one["samples"] for one in payloads}, of


def test_one_sample_is_of_all_reliable_pairs_and_one_of_those_that_meet_basic() -> None:
    unreliable = candidate(hungry("昨日 空いた ので"), eat(), clauses=3)
    doubtful = candidate(hungry("今日 空いた ので"), eat(), certain=False)
    samples, of = drawn([plain(1), basic(1), unreliable, doubtful, basic(2)])
    assert samples == {
        "1回走ったので": [ANY],
        "お腹が1回空いたので": [ANY, BASIC],
        "お腹が2回空いたので": [ANY, BASIC],
    }
    assert of == {ANY: 3, BASIC: 2}


def test_filters_behind_basic_leave_nothing_out_as_in_the_paper() -> None:
    wished = candidate(hungry(), eat(modality="たい"))
    assert drawn([wished])[0] == {"お腹が空いたので": [ANY, BASIC]}


def test_samples_have_their_size_and_depend_on_the_seed_and_not_on_the_order() -> None:
    rows = [row(number) for number in range(60) for row in (plain, basic)]
    first, of = drawn(rows, sample=10)
    assert of == {ANY: 120, BASIC: 60}
    for name in (ANY, BASIC):
        assert sum(name in names for names in first.values()) == 10
    assert drawn(list(reversed(rows)), sample=10)[0] == first
    assert drawn(rows, sample=10, seed=1)[0] != first
    assert all("空いた" in antecedent for antecedent, names in first.items() if BASIC in names)


def test_a_pair_that_stands_there_twice_is_drawn_once() -> None:
    samples, of = drawn([basic(1), basic(1), plain(1), plain(1), plain(1)], sample=2)
    assert len(samples) == 2
    assert of == {ANY: 5, BASIC: 2}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Four pairs: two of the sample of all alone, one of that with Basic, one of both."""
    workspace = Workspace(tmp_path, "kuci")
    names = ([ANY], [ANY], [BASIC], [ANY, BASIC])
    rows = [
        item_row(
            "kuci",
            "sense",
            (str(number),),
            {"samples": samples, "sid": "t:1", "relation": "cause", "marker": "ので",
             "antecedent": f"{number}", "consequent": "B"},
            builder="kuci",
            version="1",
        )
        for number, samples in enumerate(names)
    ]  # fmt: skip
    write_rows(workspace.item_file("sense"), rows, item_schema("kuci", "sense"))
    return workspace


def test_before_people_have_judged_there_are_no_shares(workspace: Workspace) -> None:
    summary = summarise_trial(workspace, {ANY: 50, BASIC: 20})
    assert summary["samples"][ANY]["unjudged"] == 3
    assert summary["samples"][BASIC]["share"] is None
    assert trial_lines(summary) == [
        "all reliable pairs: 3 drawn of 50, not judged yet; in the paper 47 of 100",
        "pairs that meet Basic: 2 drawn of 20, not judged yet; in the paper 77 of 100",
    ]


def test_both_precisions_have_an_interval(workspace: Workspace) -> None:
    """Of the sample of all 1 of 2 decided makes sense, of that with Basic 2 of 2; a pair in both counts in both."""
    decisions = ("rejected", "undecided", "accepted", "accepted")
    ids = [row["item_id"] for row in workspace.read_items("sense").to_pylist()]
    votes = {"accepted": (3, 0), "rejected": (0, 3), "undecided": (1, 1)}
    rows = [
        judged.verdict_row(item, "sense", decision, rule="strict majority, minimum 2", votes=votes)
        for item, decision in zip(ids, decisions, strict=True)
    ]
    write_rows(workspace.verdict_file, sorted(rows, key=lambda row: str(row["item_id"])), VERDICT)
    write_json(workspace.annotation / "validation.json", {"sense": {"annotators": 3, "people": 0, "simulated": True}})
    summary = summarise_trial(workspace, {ANY: 50, BASIC: 20})
    every, with_basic = summary["samples"][ANY], summary["samples"][BASIC]
    assert (every["accepted"], every["rejected"], every["undecided"], every["share"]) == (1, 1, 1, 0.5)
    assert every["interval"] == pytest.approx([0.0945, 0.9055], abs=1e-4)  # Wilson of 1 of 2
    assert with_basic["interval"] == pytest.approx([0.3424, 1.0], abs=1e-4)  # and of 2 of 2
    assert read_json(trial_file(workspace)) == summary
    lines = trial_lines(summary)
    assert "1 of 2 make sense, 50.0% (9.5% to 90.5%); 1 undecided or not judged" in lines[0]
    assert "simulated annotators (programs)" in lines[-1]
