"""The report on semantic relations: figure 1, both tables, and systems that do not stand on the same words."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError
from tashika.core.files import write_json
from tashika.core.suites.semrel.words import RELATIONS
from tashika.core.workspace import Workspace
from tashika.evaluate.semrel.answers import ANSWERS
from tashika.evaluate.semrel.cells import Matrix
from tashika.evaluate.semrel.equation_2 import NAMES
from tashika.evaluate.semrel.metrics import measure
from tashika.evaluate.semrel.plots import colour_scale, heat_map
from tashika.evaluate.semrel.report import write_report
from tests.evaluate.pages import rewrite, texts_of, words_of
from tests.evaluate.semrel.toy_scores import (
    FEW,
    RELATA,
    SOURCE,
    VOCABULARY,
    add,
    drawn_answers,
    metrics_of,
    toy_pages,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return toy_pages(tmp_path)


def page_of(workspace: Workspace) -> str:
    return write_report(workspace).read_text(encoding="utf-8")


def figures_of(page: str) -> list[str]:
    labels = re.findall(r'aria-label="([^"]*)"', page)
    return [label for label in map(html.unescape, labels) if label.startswith("Confusability of")]


def test_figure_1_has_a_map_a_kind_and_one_a_system(workspace: Workspace) -> None:
    page = page_of(workspace)
    kinds, readings, systems = figures_of(page)[:3], figures_of(page)[3:15], figures_of(page)[15:]
    assert [re.split("[:,]", each)[0] for each in kinds] == [
        "Confusability of Masked language models",
        "Confusability of Causal language models",
        "Confusability of People",
    ]
    assert "mean of 2" in kinds[0]
    assert len(systems) == 4
    assert [label.partition(":")[0].partition(", ")[2] for label in readings[:3]] == list(NAMES.values())
    assert "Mean of 2, cell by cell." in words_of(page)
    assert "2 masked language models, one causal" in words_of(page).lower()


def test_the_mean_over_masked_models_stands_in_the_figure(workspace: Workspace) -> None:
    values = [metrics_of(name)["matrix"]["hypernymy"]["antonymy"] for name in ("toy-bert", "toy-roberta")]
    svg = re.findall(r"<svg.*?</svg>", page_of(workspace), re.DOTALL)[0]
    assert f"{sum(values) / 2:.2f}".removeprefix("0") in texts_of(svg)


def test_table_1_stands_beside_the_paper_s(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "Hypernymy (HYP) 3 2.0 ± 0.0 1 3 718 9.0 ± 7.1 7 5,026" in page


def test_the_bias_has_its_intervals_and_the_test_against_people(workspace: Workspace) -> None:
    def change(metrics: Any) -> None:
        metrics["antonymy_bias"]["column"] |= {"value": 0.8125, "interval": {"low": 0.7, "high": 0.9, "draws": 50}}
        metrics["antonymy_bias"]["row"] |= {"cells": 4}
        metrics["against_people"]["means"]["column"] = {"difference": 0.25, "p": 0.01, "p_holm": 0.02}
        metrics["against_people"]["distance"] = {"value": 0.125, "p": 0.0004}

    rewrite(workspace.evaluate / "toy-bert" / "metrics.json", change)
    page = words_of(page_of(workspace))
    assert ".812 .700 to .900 .250 p .010, Holm .020" in page
    assert ".125 p &lt; .001" in page
    assert "4 of 5 cells" in page
    assert page.count("of 5 cells") == 1


def test_rows_and_draws_that_are_missing_are_said(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "no row for" not in page
    assert ".100 to .200 in 31 draws" not in page

    def change(metrics: Any) -> None:
        metrics["alpha"]["holonymy"]["holonymy"] = metrics["alpha"]["synonymy"]["synonymy"] = 0.0
        metrics["matrix_intervals"]["hypernymy"]["antonymy"] = {"low": 0.1, "high": 0.2, "draws": 31}

    rewrite(workspace.evaluate / "toy-bert" / "metrics.json", change)
    page = words_of(page_of(workspace))
    assert "toy-bert: no row for HOL, SYN: none of the answers was a relatum: alpha(r, r) = 0." in page
    assert ".100 to .200 in 31 draws" in page
    assert "defined in fewer than half of the draws" in page


def test_every_cell_and_its_test_are_there(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert page.count("every cell with its interval") == 4
    assert page.count("against people: every cell") == 3
    assert "3 probes, 3 targets" in page


def test_table_2_is_about_the_paper_s_target_and_marks_relata(workspace: Workspace) -> None:
    page = page_of(workspace)
    assert "Table 2 for the target niece" in words_of(page)
    assert '<span class="right">HYP</span>' in page
    assert '<span class="interval">ANT</span>' in page
    assert "ALBERT-xxlarge niece cousin" in words_of(page)


def test_table_2_takes_the_first_target_that_all_answered(workspace: Workspace) -> None:
    answers = drawn_answers("toy-bert").to_pylist()
    path = workspace.evaluate / "toy-bert" / "answers.parquet"
    pq.write_table(pa.Table.from_pylist([row for row in answers if row["target"] != "niece"], schema=ANSWERS), path)
    assert "Table 2 for the target aunt" in words_of(page_of(workspace))
    pq.write_table(pa.Table.from_pylist([], schema=ANSWERS), path)
    assert "no target that all systems answered" in words_of(page_of(workspace))
    path.unlink()
    assert "no target that all systems answered" in words_of(page_of(workspace))


def test_coverage_says_what_was_dropped_and_why(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "1: the target is split into pieces" in page
    assert "this model: targets asked 2, of 3" in page
    assert "this model: words kept 2, of 3" in page
    assert "probes: no noun 7" in page
    assert "vocabulary: two pieces 3" in page


def test_systems_of_other_probes_are_not_thrown_together(workspace: Workspace) -> None:
    source = {**SOURCE, "origin": "responses", "name": "published.json", "revision": "sha256:aa"}
    add(workspace, "people", "people-published", source=source)
    page = page_of(workspace)
    words = words_of(page)
    assert "do not stand on the same probes" in words
    assert "people (published.json)" in words
    assert "Confusability of People (1.0.0)" in "".join(figures_of(page))
    assert "Confusability of People (published.json)" in "".join(figures_of(page))
    drawn = {**source, "drawn": {"targets": 1000, "of": 2000}}
    add(workspace, "people", "people-drawn", source=drawn)
    assert "people (published.json, 1,000 targets drawn)" in words_of(page_of(workspace))


def on_words(relata: str, vocabulary: str | None) -> dict[str, Any]:
    """Changes of scores on one response file with these relata and this vocabulary."""
    source = {**SOURCE, "origin": "responses", "name": "published.json", "revision": "sha256:aa"}
    words = vocabulary and {**VOCABULARY, "digest": vocabulary * 32}
    limits = words and {"origin": "models", "digest": words["digest"]}
    limited = {**SOURCE["relata"], "digest": relata * 32, "limited_to": limits}
    return {"source": {**source, "relata": limited}, "vocabulary": words}


def test_relata_of_other_vocabularies_are_not_thrown_together(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "semrel")
    add(workspace, "toy-bert", **on_words("a1", "b1"))
    add(workspace, "toy-roberta", **on_words("a2", "b2"))
    add(workspace, "people", "people-published-b1", **on_words("a1", "b1"))
    add(workspace, "people", "people-published-whole", **on_words("a3", None))
    page = page_of(workspace)
    words = words_of(page)
    assert "Check this. The systems do not stand on the same probes, relata and vocabulary." in words
    assert "There are 3 groups" in words
    assert "published.json, vocabulary b1b1b1b1: 2" in words
    assert "published.json, no vocabulary: 1" in words
    assert "Mean of 2" not in words
    for name in ("Masked language models", "People"):
        assert f"Confusability of {name} (published.json, vocabulary b1b1b1b1)" in "".join(figures_of(page))
    assert "people (published.json, no vocabulary)" in words


def test_people_on_the_same_relata_stand_beside_the_models_of_a_vocabulary(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "semrel")
    add(workspace, "toy-bert", **on_words("a1", "b1"))
    add(workspace, "people", **{**on_words("a1", "b1"), "vocabulary": None})
    words = words_of(page_of(workspace))
    assert "Check this." not in words
    assert "published.json, " not in words


def test_the_same_name_of_other_content_is_another_group(tmp_path: Path) -> None:
    workspace, other = Workspace(tmp_path, "semrel"), on_words("a1", "b1")
    add(workspace, "people", "people-1", **other)
    add(workspace, "people", "people-2", **{**other, "source": {**other["source"], "revision": "sha256:bb"}})
    words = words_of(page_of(workspace))
    assert "people (published.json, revision aa)" in words
    assert "people (published.json, revision bb)" in words


def test_programs_are_not_called_people_nor_people_programs(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "Simulated annotators." not in page
    assert "Mean distance from people" in page

    def answered_by(**who: Any) -> str:
        people = {"probes": 18, "answers": 72, "dropped": {}, "digest": "e0" * 32, **who}
        for folder in workspace.evaluate.iterdir():
            if folder.is_dir():
                rewrite(
                    folder / "metrics.json", lambda metrics: metrics["source"].update(people=people, simulated=True)
                )
        return words_of(page_of(workspace))

    page = answered_by(annotators=4, people=0, simulated=True)
    assert "Simulated annotators. Programs gave answers below" in page
    assert "Mean distance from simulated annotators" in page
    assert "toy-bert against simulated annotators: every cell" in page
    assert "one causal language model and simulated annotators were asked" in page
    page = answered_by(annotators=4, people=1, simulated=True)
    assert "Mean distance from people and simulated annotators" in page
    page = answered_by(people=4)  # as earlier versions wrote it
    assert "Mean distance from annotators" in page


def test_people_alone_make_a_page(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "semrel")
    write_json(workspace.evaluate / "people" / "metrics.json", metrics_of("people", vocabulary=None))
    page = words_of(page_of(workspace))
    assert "People were asked up to 18 probes of six semantic relations on 3 targets." in page
    assert "against people: every cell" not in page


def test_a_model_that_answered_nothing_makes_a_page(tmp_path: Path) -> None:
    workspace, answers = Workspace(tmp_path, "semrel"), drawn_answers("toy-bert").to_pylist()
    silent = [{**row, "words": None, "problem": "too long"} for row in answers]
    found = measure(pa.Table.from_pylist(silent, schema=ANSWERS), RELATA, FEW, drawn_answers("people"))
    write_json(workspace.evaluate / "m" / "metrics.json", metrics_of("toy-bert", **found.model_dump(mode="json")))
    page = words_of(page_of(workspace))
    assert "18: too long" in page
    assert "nan" not in page.lower().split()


def test_scores_whose_matrix_lacks_a_relation(workspace: Workspace) -> None:
    rewrite(workspace.evaluate / "people" / "metrics.json", lambda metrics: metrics["matrix"].pop("holonymy"))
    with pytest.raises(InputError, match=r"people/metrics.json: matrix: .*'holonymy' is missing"):
        write_report(workspace)


# Heat maps ------------------------------------------------------------------------------------------------------------


def looks_of(matrix: Matrix) -> tuple[str, list[str]]:
    svg = heat_map(matrix, "x")
    return svg, texts_of(svg)


def test_a_heat_map_shows_every_number_and_a_dash_where_there_is_none() -> None:
    matrix: Matrix = {r: {s: 1.0 if r == s else 0.25 for s in RELATIONS} for r in RELATIONS}
    matrix["antonymy"]["synonymy"], matrix["synonymy"]["antonymy"], matrix["synonymy"]["meronymy"] = None, 0.0, 1.0
    svg, texts = looks_of(matrix)
    assert texts.count(".25") == 27
    assert texts.count("–") == texts.count(".00") == 1
    assert texts.count("1") == 7
    assert texts.count("ANT") == 2
    assert svg.count("var(--main, #0072b2)") == 29


def test_colours_share_one_scale() -> None:
    def opacities(value: float) -> set[str]:
        svg = looks_of({r: {s: 1.0 if r == s else value for s in RELATIONS} for r in RELATIONS})[0]
        return set(re.findall(r"fill: var\(--main, #0072b2\); fill-opacity: ([\d.]+)", svg))

    [half], [whole] = opacities(0.5), opacities(1.0)
    assert float(half) == pytest.approx(float(whole) / 2)
    assert float(whole) <= 0.7  # ink on it stays readable
    assert "Colour scale" in colour_scale()
