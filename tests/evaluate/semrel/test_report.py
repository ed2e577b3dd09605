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
from tashika.evaluate.semrel.published import TABLE_2_PROMPTS, prompt_order
from tashika.evaluate.semrel.report import write_report
from tashika.evaluate.semrel.ties import TIES
from tests.evaluate.pages import rewrite, texts_of, words_of
from tests.evaluate.semrel.toy_scores import (
    FEW,
    RELATA,
    SOURCE,
    SYSTEMS,
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


def section_of(page: str, name: str) -> str:
    [section] = re.findall(rf'<section id="{name}">.*?</section>', page, re.DOTALL)
    return str(section)


def figures_of(page: str) -> list[str]:
    labels = re.findall(r'aria-label="([^"]*)"', page)
    return [label for label in map(html.unescape, labels) if label.startswith("Confusability of")]


def test_figure_1_has_a_map_a_kind_and_one_a_system(workspace: Workspace) -> None:
    page = page_of(workspace)
    kinds, others = figures_of(page)[:3], figures_of(page)[3:]
    readings = [label for label in others if any(f", {name}:" in label for name in NAMES.values())]
    systems = [label for label in others if "," not in label.partition(":")[0]]
    assert [re.split("[:,]", each)[0] for each in kinds] == [
        "Confusability of Masked language models",
        "Confusability of Causal language models",
        "Confusability of People",
    ]
    assert "mean of 2" in kinds[0]
    assert len(systems) == 4
    assert [label.partition(":")[0].partition(", ")[2] for label in readings] == list(NAMES.values()) * 4
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
    page = words_of(section_of(page_of(workspace), "antonymy"))
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


# The readings and ties


def decided(metrics: Any, reading: str, key: str, difference: float, p: float) -> None:
    metrics["readings"][reading]["against_people"][key] = {"difference": difference, "p": p, "p_holm": p}


def test_the_page_says_which_conclusion_survives_which_reading(workspace: Workspace) -> None:
    def change(metrics: Any) -> None:
        decided(metrics, "with_relata", "column", 0.2, 0.01)
        decided(metrics, "printed", "column", 0.1, 0.3)
        decided(metrics, "attainable", "column", -0.1, 0.01)
        for reading, high in (("with_relata", -0.1), ("printed", -0.2), ("attainable", 0.1)):
            ends = {"low": -0.6, "high": high, "draws": 50}
            metrics["readings"][reading]["row_less_rest"] = {"value": -0.4, "cells": 30, "interval": ends}

    rewrite(workspace.evaluate / "toy-opt" / "metrics.json", change)
    page = words_of(page_of(workspace))
    assert (
        "toy-opt: the antonymy bias (its column above that of people, its row below the other cells) survives “probes "
        "with relata” alone. Column: holds under “probes with relata”; within chance under “as printed”; does not hold "
        "under “share of the attainable”. Row: holds under “probes with relata” and “as printed”; within chance under "
        "“share of the attainable”."
    ) in page
    assert "toy-opt takes other relations for antonymy more than people do holds .200, p .010 within chance" in page


def test_confusions_that_the_reading_turns_are_named(workspace: Workspace) -> None:
    def change(metrics: Any) -> None:
        for reading, value in (("with_relata", 1.0), ("printed", 0.9), ("attainable", 0.35)):
            for row in metrics["readings"][reading]["matrix"].values():
                row.update(dict.fromkeys(RELATIONS, 0.1))
            metrics["readings"][reading]["matrix"]["hyponymy"]["synonymy"] = value
            metrics["readings"][reading]["matrix"]["hypernymy"]["synonymy"] = 0.5

    rewrite(workspace.evaluate / "people" / "metrics.json", change)
    page = words_of(page_of(workspace))
    assert (
        "people , under all three readings: HYP → SYN. The reading decides: HPO → SYN: yes under “probes with relata” "
        "(1.00) and “as printed” (.90), no under “share of the attainable” (.35)"
    ) in page


def test_the_antonymy_column_stands_under_each_reading(workspace: Workspace) -> None:
    numbers = metrics_of("people")["readings"]
    page = words_of(page_of(workspace))
    asked = [relation for relation in RELATIONS if relation != "antonymy"]
    for reading, name in NAMES.items():
        cells = [f"{numbers[reading]['matrix'][r]['antonymy']:.3f}".removeprefix("0") for r in asked]
        assert f"{name}{' *' if reading == 'with_relata' else ''} {' '.join(cells)}" in page


def test_scores_of_an_older_version_have_no_readings_and_the_page_says_how_to_get_them(workspace: Workspace) -> None:
    def older(metrics: Any) -> None:
        del metrics["readings"]
        del metrics["ties"]
        for name in ("equation_2", "ties"):
            del metrics["statistics"][name]

    for name in SYSTEMS:
        rewrite(workspace.evaluate / name / "metrics.json", older)
    page = words_of(page_of(workspace))
    assert "Scored by an older version, without the readings: " in page
    assert "models are not asked again" in page
    assert "Which conclusions survive?" not in page


def test_how_far_ties_matter_stands_below(workspace: Workspace) -> None:
    means = dict.fromkeys(("all", "synonymy", "taxonomy", "column", "row"), 0.125)
    matrix = {r: dict.fromkeys(RELATIONS, 0.25) for r in RELATIONS}
    moved = {"probe_relation": "holonymy", "answer_relation": "hypernymy", "low": 0.3, "high": 0.325}
    way = {"matrix": matrix, "means": means}
    ties = {"words": 100, "one_vote": 73, "tied": 80, "most_moved": moved, "ways": dict.fromkeys(TIES, way)}
    add(workspace, "people", ties=ties)
    page = words_of(page_of(workspace))
    assert "73.0% of the 100 words were given by one person alone, and 80.0% share their number of votes" in page
    assert "It moves no cell by more than .025 (HOL → HYP, .300 to .325). The paper does not say" in page
    assert "first mentioned first * .250 .250 .250 .250 .250 .125 .125 .125 alphabetical .250" in page


# Words given, the vocabulary


def test_table_2_has_the_paper_s_prompt_and_not_the_first_of_the_alphabet(workspace: Workspace) -> None:
    prompts = [
        "[DET] [W] is a kind of [V]",
        "the word [W] has a more specific meaning than the word [V]",
        *TABLE_2_PROMPTS,
    ]
    for name in SYSTEMS:
        file = workspace.evaluate / name / "answers.parquet"
        rows = [row for row in pq.read_table(file).to_pylist() if row["relation"] == "hypernymy" and row["words"]]
        more = [
            {**row, "item_id": f"{row['item_id']}-{prompt}", "prompt": prompt} for row in rows for prompt in prompts
        ]
        pq.write_table(pa.Table.from_pylist(more, schema=pq.read_schema(file)), file)
    page = page_of(workspace)
    assert f"<code>{TABLE_2_PROMPTS[0]}</code>" in page
    assert f"<code>{prompts[0]}</code>" not in page


def test_prompts_of_our_own_have_their_order_too() -> None:
    ours = [
        "[DET] [W] counts as some type of [V]",
        "the word [W] names something broader than the word [V]",
        "a [W]: [V]",
    ]
    assert sorted([*ours, TABLE_2_PROMPTS[1]], key=prompt_order) == [TABLE_2_PROMPTS[1], ours[1], ours[0], ours[2]]


def test_relata_without_limits_are_said(workspace: Workspace) -> None:
    source = {**SOURCE, "origin": "responses", "name": "r.json"}
    add(workspace, "people", "people-r-whole", source=source, vocabulary=None)
    page = words_of(page_of(workspace))
    assert "The relata of people (r.json) are limited to no vocabulary" in page
    assert "--vocabulary NAME" in page


def test_what_the_build_s_models_share_stands_beside_footnote_1(workspace: Workspace) -> None:
    content = {"words": 190, "in_any": 1000, "models": {"one": {}, "two": {}}}
    write_json(workspace.items / "targets.json", {"vocabulary": content})
    page = words_of(page_of(workspace))
    assert "its 2 models (one, two) share: 190 of the 1,000 lower-case words" in page
    assert ".190. The paper's models share .19, with Llama 2 in the place of OPT .08 (footnote 1" in page
    write_json(workspace.items / "targets.json", {"vocabulary": {"words": 190, "models": {"one": {}, "two": {}}}})
    assert "its 2 models" not in words_of(page_of(workspace))
