"""What each suite says of its systems item by item: the same numbers as its `metrics.json`, and as naive code gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.suites.discovery import all_suites, suite_named
from tashika.core.suites.semrel.words import RELATIONS
from tashika.core.workspace import Workspace
from tashika.evaluate.comparing.side_by_side import Compared, SideBySide
from tashika.evaluate.comparing.systems import compare_named, scored_folders, side_by_side
from tashika.evaluate.suite import Comparison, Sides
from tests.evaluate.custom.toy_scores import mood_scores, riddle_scores
from tests.evaluate.kuci import toy_scores as kuci
from tests.evaluate.myriadlama import toy_scores as myriadlama
from tests.evaluate.pages import rewrite
from tests.evaluate.proverbs import toy_scores as proverbs
from tests.evaluate.semrel import toy_scores as semrel
from tests.evaluate.tempripple import toy_scores as tempripple

TOYS: Mapping[str, Callable[[Path], Workspace]] = {
    "kuci": kuci.toy_pages,
    "myriadlama": myriadlama.toy_pages,
    "proverbs": proverbs.toy_pages,
    "semrel": semrel.toy_pages,
    "tempripple": tempripple.toy_pages,
}


def comparison_of(suite: str) -> Comparison:
    comparison: Comparison | None = suite_named(suite).load("evaluate").comparison
    assert comparison is not None
    return comparison


def sides_of(workspace: Workspace, *names: str) -> Sides:
    folders = [workspace.evaluate / name for name in names] or scored_folders(workspace)
    return comparison_of(workspace.suite).read(workspace, folders)


def page_of(workspace: Workspace) -> SideBySide:
    return side_by_side(workspace, comparison_of(workspace.suite), scored_folders(workspace))


def measure_of(side: SideBySide, key: str) -> Compared:
    [compared] = [compared for compared in side.measures if compared.measure.key == key]
    return compared


def metrics_of(workspace: Workspace, name: str) -> Any:
    return read_json(workspace.evaluate / name / "metrics.json")


def frame(workspace: Workspace, name: str, file: str = "predictions.parquet") -> pd.DataFrame:
    return pd.read_parquet(workspace.evaluate / name / file)


def test_every_suite_of_the_package_is_compared() -> None:
    assert set(TOYS) == set(all_suites())
    for name in all_suites():
        assert comparison_of(name).files


# --- MyriadLAMA ---


def test_myriadlama_has_beliefs_numbers(tmp_path: Path) -> None:
    workspace = myriadlama.toy_pages(tmp_path)
    side = page_of(workspace)
    scores = metrics_of(workspace, "tiny")
    for key in ("acc@1", "acc@10", "mrr", "overconf@1"):
        compared = measure_of(side, key)
        assert compared.whole.values == pytest.approx([scores[key]] * 2, abs=1e-6)
        assert (compared.whole.items, compared.whole.clusters) == (11, 2)
    by_relation = {part.name: part for part in measure_of(side, "acc@1").groups}
    assert list(by_relation) == ["P19 place of birth", "P36 capital"]
    for name, relation in (("P19 place of birth", "P19"), ("P36 capital", "P36")):
        assert by_relation[name].values[0] == pytest.approx(scores["by_relation"][relation]["acc@1"])


def test_myriadlama_compares_the_prompts_that_all_answered(tmp_path: Path) -> None:
    workspace = myriadlama.toy_pages(tmp_path)
    rows = myriadlama.predictions().to_pylist()
    # another tokenizer: no object of one token in P36's first pair, and other ranks elsewhere
    for row in rows:
        if row["pair"] == 0:
            row |= {"rank": None, "top_probability": None, "problem": "no object of one token"}
        elif row["problem"] is None:
            row["rank"] = 1
    shuffled = pa.Table.from_pylist(rows[::-1])
    pq.write_table(shuffled, workspace.evaluate / "other" / "predictions.parquet")
    compared = measure_of(page_of(workspace), "acc@1")
    both = frame(workspace, "other").merge(frame(workspace, "tiny"), on="item_id")
    both = both[both.problem_x.isna() & both.problem_y.isna()]
    [one] = compared.whole.contests
    assert (one.common, one.first, one.second) == (len(both), 0, 1)
    assert one.delta == pytest.approx((both.rank_x.eq(1).astype(float) - both.rank_y.eq(1)).mean())
    assert side_names(page_of(workspace)) == ["other", "tiny"]
    assert compared.left_out == [0, 3]  # the three prompts of that pair, which only tiny answered


def side_names(side: SideBySide) -> list[str]:
    return list(side.names)


def test_a_plan_of_myriadlama_is_refused(tmp_path: Path) -> None:
    workspace = myriadlama.toy_pages(tmp_path)
    design = {"pairs": 1, "templates": 1, "aliases": 1, "pairs_by_relation": {"P36": 1}, "prompts": 1}
    plan = {
        "half_width": 0.2,
        "confidence": 0.95,
        "chosen": design,
        "of": {"pairs": 4, "templates": 6, "prompts": 12},
        "predicted_half_widths": {},
        "pilot": design,
        "prompts": {"asked": 1, "of": 12},
    }
    rewrite(workspace.evaluate / "other" / "metrics.json", lambda metrics: metrics.update(plan=plan))
    folders = scored_folders(workspace)
    with pytest.raises(InputError, match="a plan drew its prompts with unequal chances"):
        compare_named(workspace, comparison_of("myriadlama"), folders)


# --- TempRIPPLE ---


def test_tempripple_compares_each_task_without_and_with_the_new_fact(tmp_path: Path) -> None:
    workspace = tempripple.toy_pages(tmp_path)
    side = page_of(workspace)
    assert side_names(side) == ["other", "tiny"]
    tables = {name: frame(workspace, name) for name in ("other", "tiny")}
    for key, context in (("without", False), ("with", True)):
        both = tables["other"].merge(tables["tiny"], on=["item_id", "with_context"])
        both = both[(both.with_context == context) & both.correct_x.notna() & both.correct_y.notna()]
        compared = measure_of(side, key)
        [one] = compared.whole.contests
        assert one.common == len(both)
        assert one.delta == pytest.approx((both.correct_x.astype(float) - both.correct_y.astype(float)).mean())
        assert one.clusters == both.groupby(["subject_x", "relation_x"]).ngroups
        assert [part.name for part in compared.groups] == ["new", "related to new", "old"]
        for task, part in zip(("new", "related_new", "old"), compared.groups, strict=True):
            chosen = both[both.task_x == task]
            assert part.values == pytest.approx(
                [chosen.correct_x.astype(float).mean(), chosen.correct_y.astype(float).mean()]
            )


def test_what_the_new_fact_changes_is_paired_within_questions(tmp_path: Path) -> None:
    workspace = tempripple.toy_pages(tmp_path)
    compared = measure_of(page_of(workspace), "change")
    wide = {}
    for name in ("other", "tiny"):
        table = frame(workspace, name).dropna(subset=["correct"])
        pivot = table.pivot_table(
            index="item_id", columns="with_context", values="correct", aggfunc=lambda x: float(x.iloc[0])
        )
        wide[name] = (pivot[True] - pivot[False]).dropna()
    joined = pd.concat(wide, axis=1, join="inner").dropna()
    assert compared.whole.items == len(joined)
    assert list(compared.whole.values) == pytest.approx([joined["other"].mean(), joined["tiny"].mean()])


# --- semantic relations ---


def test_semantic_relations_have_the_numbers_of_metrics_where_all_answered_alike(tmp_path: Path) -> None:
    workspace = semrel.toy_pages(tmp_path)
    side = page_of(workspace)
    assert side_names(side) == ["people", "toy-bert", "toy-opt", "toy-roberta"]
    for place, name in enumerate(side.names):  # every system left the same probe out
        scores = metrics_of(workspace, name)
        assert measure_of(side, "own").whole.values[place] == pytest.approx(scores["own"]["value"])
        cells = [scores["matrix"][r][s] for r in RELATIONS for s in RELATIONS if r != s]
        if None not in cells:
            assert measure_of(side, "confusability").whole.values[place] == pytest.approx(np.mean(cells))
            column = [scores["matrix"][r]["antonymy"] for r in RELATIONS if r != "antonymy"]
            assert measure_of(side, "antonymy column").whole.values[place] == pytest.approx(np.mean(column))


def test_alpha_of_a_relation_is_a_mean_over_its_probes(tmp_path: Path) -> None:
    workspace = semrel.toy_pages(tmp_path)
    compared = measure_of(page_of(workspace), "own")
    assert [part.name for part in compared.groups] == list(RELATIONS)
    rows = frame(workspace, "toy-bert", "answers.parquet")
    for part in compared.groups:
        alphas = []
        for row in rows[(rows.relation == part.name) & rows.problem.isna()].itertuples():
            words = list(np.asarray(row.words))
            relata = semrel.RELATA[str(row.target), str(part.name)]
            score = {word: (len(words) - rank) / (len(words) + 1) for rank, word in enumerate(words)}
            alphas.append(sum(score.get(word, 0.0) for word in relata) / len(relata))
        assert part.values[1] == pytest.approx(np.mean(alphas))


def test_other_vocabularies_of_semantic_relations_are_left_out(tmp_path: Path) -> None:
    workspace = semrel.toy_pages(tmp_path)
    rewrite(
        workspace.evaluate / "toy-opt" / "metrics.json",
        lambda metrics: metrics["vocabulary"].update(digest="ff" * 32),
    )
    side = page_of(workspace)
    assert side_names(side) == ["people", "toy-bert", "toy-roberta"]
    [left] = side.left_out
    assert left.name == "toy-opt"
    assert "vocabulary: ffff" in left.reason


# --- proverbs ---


def test_proverbs_judged_by_another_model_are_not_compared(tmp_path: Path) -> None:
    workspace = proverbs.toy_pages(tmp_path)
    with pytest.raises(InputError, match=r"scored otherwise \(judge: smollm2"):
        compare_named(workspace, comparison_of("proverbs"), scored_folders(workspace))


def test_proverbs_are_compared_pair_by_pair(tmp_path: Path) -> None:
    workspace = proverbs.toy_pages(tmp_path)
    judge = metrics_of(workspace, "tiny")["judge"]
    rewrite(workspace.evaluate / "other" / "metrics.json", lambda metrics: metrics.update(judge=judge))
    side = page_of(workspace)
    tests = frame(workspace, "tiny", "tests.parquet")
    scores = tests[(tests.consistency == "score")]
    compared = measure_of(side, "score errors")
    assert list(compared.whole.values) == [pytest.approx(scores.error.dropna().astype(float).mean())] * 2
    assert [part.name for part in compared.groups] == ["gender", "wisdom"]
    distance = (scores.variant_median - scores["median"]).abs().mean()
    assert measure_of(side, "score distance").whole.values[0] == pytest.approx(distance)


# --- KUCI ---


def test_kuci_takes_the_mean_of_training_runs_and_contexts_as_clusters(tmp_path: Path) -> None:
    workspace = kuci.toy_pages(tmp_path)
    side = page_of(workspace)
    compared = measure_of(side, "accuracy")
    for place, folder in enumerate(path.name for path in scored_folders(workspace)):
        published = frame(workspace, folder)
        published = published[published["set"] == "both"]
        assert compared.whole.values[place] == pytest.approx(published.correct.astype(float).mean())
    assert compared.whole.clusters == 6
    assert [part.name for part in compared.groups] == ["cause", "condition"]


# --- suite files ---


def test_a_suite_file_is_compared_by_right_and_wrong_and_by_its_first_column(tmp_path: Path) -> None:
    _, workspace = riddle_scores(tmp_path)
    side = page_of(workspace)
    assert (side.groups, side.clusters, side.resamples) == ("place", None, 200)
    [compared] = side.measures
    [one] = compared.whole.contests
    assert (one.test, one.gained, one.lost) == ("McNemar", 2, 0)
    assert one.p == pytest.approx(0.5)
    assert [(part.name, list(part.values)) for part in compared.groups] == [
        ("field", [0.5, 0.0]),
        ("house", [1.0, 0.5]),
    ]


def test_labels_are_compared_by_accuracy(tmp_path: Path) -> None:
    _, workspace = mood_scores(tmp_path)
    [compared] = page_of(workspace).measures
    assert (compared.measure.title, list(compared.whole.values)) == ("Accuracy", [0.75, 0.5])


def test_another_task_of_a_suite_file_is_refused(tmp_path: Path) -> None:
    _, workspace = riddle_scores(tmp_path)
    rewrite(workspace.evaluate / "poor" / "metrics.json", lambda metrics: metrics["asking"].update(task="generate"))
    with pytest.raises(InputError, match="task: generate where good has multiple_choice"):
        compare_named(workspace, comparison_of(workspace.suite), scored_folders(workspace))


def test_what_a_suite_reads_is_in_the_order_of_the_folders(tmp_path: Path) -> None:
    names: Sequence[str] = ("tiny", "other")
    for suite, make in TOYS.items():
        workspace = make(tmp_path / suite)
        folders = list(names) if suite in {"tempripple", "proverbs", "myriadlama"} else []
        one = sides_of(workspace, *folders)
        other = sides_of(workspace, *reversed(folders or [folder.name for folder in scored_folders(workspace)]))
        assert [set(system.units) for system in one.systems] == [set(each.units) for each in reversed(other.systems)]
