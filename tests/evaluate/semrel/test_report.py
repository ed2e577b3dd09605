"""The report on semantic relations: one file, no outside requests, figure 1 and both tables, honest about simulation.

The answers are simulated: drawn from seeded chances, and nobody gave them.
"""

import html.parser
import json
import re
import xml.etree.ElementTree as ET
import zlib
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import write_json
from tashika.core.suites.semrel.words import RELATIONS
from tashika.core.workspace import Workspace
from tashika.evaluate.semrel.metrics import measure
from tashika.evaluate.semrel.plots import colour_scale, heat_map
from tashika.evaluate.semrel.report import write_report
from tashika.evaluate.semrel.settings import MeasureSettings
from tests.evaluate.pages import assert_command_writes, assert_written_once, rewrite

SCHEMA = pa.schema(
    [
        ("item_id", pa.string()),
        ("target", pa.string()),
        ("relation", pa.string()),
        ("prompt", pa.string()),
        ("k", pa.int32()),
        ("words", pa.list_(pa.string())),
        ("problem", pa.string()),
    ]
)
TARGETS = ("aunt", "niece", "uncle")
RELATA = {(t, r): frozenset({f"{t}-{r}-{n}" for n in range(2)}) for t in TARGETS for r in RELATIONS}
FEW = MeasureSettings(resamples=50, permutations=50)
SYSTEMS = {"simulated-bert": "masked", "simulated-roberta": "masked", "simulated-<b>opt": "causal", "people": "people"}


@cache
def simulated_answers(name):
    random, rows = np.random.default_rng(zlib.crc32(name.encode())), []
    for target, relation in RELATA:
        pool = [f"{target}-{each}-{n}" for each in RELATIONS for n in range(2)]
        words = [word for word in pool if random.random() < (0.8 if relation in word else 0.3)][:4]
        rows.append((f"{target}/{relation}", target, relation, f"[DET] [W], {relation}: [V]", 4, words, None))
    rows[3] = (*rows[3][:5], None, "the target is split into pieces")
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA)


@cache
def scores(name):
    people = None if SYSTEMS[name] == "people" else simulated_answers("people")
    return measure(simulated_answers(name), RELATA, FEW, people).model_dump_json()


SOURCE = {
    "origin": "release",
    "name": "1.0.0",
    "revision": "d1" * 32,
    "simulated": False,
    "probes": 18,
    "targets": 3,
    "drawn": None,
    "dropped": {"no noun": 7},
    "relata": {"words": 36, "digest": "a0" * 32, "limited_to": None},
    "people": None,
}
VOCABULARY = {"words": 16982, "origin": "release", "digest": "b0" * 32, "dropped": {"two_pieces": 3}}
COVERAGE = {
    "words": {"kept": 2, "of": 3},
    "split": {"n": 1, "such_as": ["uncle"]},
    "doubled": {"n": 0, "such_as": []},
    "relata": {"kept": 30, "of": 36},
    "targets": {"asked": 2, "of": 3},
}


def metrics_of(name, **changes):
    """As the command writes them: a fresh copy."""
    local = SYSTEMS[name] != "people"
    reading = {"ending": ".", "split_targets": "left_out"} if local else {}
    beside = {
        "model": {
            "name": name,
            "kind": SYSTEMS[name],
            "revision": "r1",
            "dtype": "fp32" if local else None,
            "device": "cpu" if local else None,
            "note": None,
        },
        "source": SOURCE,
        "reading": {"k": {"of_people": 17, "of_the_setting": 1, "setting": 4}, **reading},
        "vocabulary": VOCABULARY,
        "coverage": COVERAGE if local else None,
        "versions": {"torch": "2.9"},
    }
    return json.loads(json.dumps({**json.loads(scores(name)), **beside, **changes}))


def add(workspace, name, folder=None, **changes):
    folder = workspace.evaluate / (folder or re.sub(r"\W", "", name))
    write_json(folder / "metrics.json", metrics_of(name, **changes))
    pq.write_table(simulated_answers(name), folder / "answers.parquet")


@pytest.fixture
def workspace(tmp_path):
    workspace = Workspace(tmp_path, "semrel")
    for name in SYSTEMS:
        add(workspace, name)
    write_json(workspace.release / "release.json", {"version": "1.0.0", "digest": "d1" * 32, "simulated": False})
    rows = [{"target": t, "relation": r, "word": w} for (t, r), words in RELATA.items() for w in sorted(words)]
    workspace.items.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), workspace.item_file("relatum"))
    return workspace


def page_of(workspace):
    return write_report(workspace).read_text(encoding="utf-8")


def words_of(page):
    page = re.sub(r"<style.*?</style>", "", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


def figures_of(page):
    labels = re.findall(r'aria-label="([^"]*)"', page)
    return [label for label in map(html.unescape, labels) if label.startswith("Confusability of")]


def test_one_sound_file_without_outside_requests(workspace, assert_whole):
    page = page_of(workspace)
    assert_whole(page)
    addresses = set(re.findall(r"https?://[^\"' )<]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_figure_1_has_a_map_a_kind_and_one_a_system(workspace):
    page = page_of(workspace)
    kinds, systems = figures_of(page)[:3], figures_of(page)[3:]
    assert [re.split("[:,]", each)[0] for each in kinds] == [
        "Confusability of Masked language models",
        "Confusability of Causal language models",
        "Confusability of People",
    ]
    assert "mean of 2" in kinds[0]
    assert len(systems) == 4
    assert "Mean of 2, cell by cell." in words_of(page)
    assert "2 masked language models, one causal" in words_of(page).lower()


def test_names_are_escaped(workspace):
    page = page_of(workspace)
    assert "<b>opt" not in page
    assert "simulated-&lt;b&gt;opt" in page


def test_the_mean_over_masked_models_stands_in_the_figure(workspace):
    values = [metrics_of(name)["matrix"]["hypernymy"]["antonymy"] for name in ("simulated-bert", "simulated-roberta")]
    page = page_of(workspace)
    svg = re.search(r"<svg.*?</svg>", page, re.DOTALL)[0]
    shown = ["".join(each.itertext()).strip() for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert f"{sum(values) / 2:.2f}".removeprefix("0") in shown


def test_table_1_stands_beside_the_paper_s(workspace):
    page = words_of(page_of(workspace))
    assert "Hypernymy (HYP) 3 2.0 ± 0.0 1 3 718 9.0 ± 7.1 7 5,026" in page


def test_the_bias_has_its_intervals_and_the_test_against_people(workspace):
    def change(metrics):
        metrics["antonymy_bias"]["column"] |= {"value": 0.8125, "interval": {"low": 0.7, "high": 0.9, "draws": 50}}
        metrics["antonymy_bias"]["row"] |= {"cells": 4}
        metrics["against_people"]["means"]["column"] = {"difference": 0.25, "p": 0.01, "p_holm": 0.02}
        metrics["against_people"]["distance"] = {"value": 0.125, "p": 0.0004}

    rewrite(workspace.evaluate / "simulatedbert" / "metrics.json", change)
    page = words_of(page_of(workspace))
    assert ".812 .700 to .900 .250 p .010, Holm .020" in page
    assert ".125 p < .001" in page
    assert "4 of 5 cells" in page
    assert page.count("of 5 cells") == 1


def test_rows_and_draws_that_are_missing_are_said(workspace):
    page = words_of(page_of(workspace))
    assert "no row for" not in page
    assert ".100 to .200 31 of 50 draws" not in page

    def change(metrics):
        metrics["alpha"]["holonymy"]["holonymy"] = metrics["alpha"]["synonymy"]["synonymy"] = 0.0
        metrics["matrix_intervals"]["hypernymy"]["antonymy"] = {"low": 0.1, "high": 0.2, "draws": 31}

    rewrite(workspace.evaluate / "simulatedbert" / "metrics.json", change)
    page = words_of(page_of(workspace))
    assert "simulated-bert: no row for HOL, SYN: none of the answers was a relatum: alpha(r, r) = 0." in page
    assert ".100 to .200 31 of 50 draws" in page
    assert "defined in fewer than half of the draws" in page


def test_every_cell_and_its_test_are_there(workspace):
    page = words_of(page_of(workspace))
    assert page.count("every cell with its interval") == 4
    assert page.count("against people: every cell") == 3
    assert "3 probes, 3 targets" in page


def test_table_2_is_about_the_paper_s_target_and_marks_relata(workspace):
    page = page_of(workspace)
    assert "Table 2 for the target niece" in words_of(page)
    assert '<span class="right">HYP</span>' in page
    assert '<span class="interval">ANT</span>' in page
    assert "ALBERT-xxlarge niece cousin" in words_of(page)


def test_table_2_takes_the_first_target_that_all_answered(workspace):
    answers = simulated_answers("simulated-bert").to_pylist()
    path = workspace.evaluate / "simulatedbert" / "answers.parquet"
    pq.write_table(pa.Table.from_pylist([row for row in answers if row["target"] != "niece"], schema=SCHEMA), path)
    assert "Table 2 for the target aunt" in words_of(page_of(workspace))
    pq.write_table(pa.Table.from_pylist([], schema=SCHEMA), path)
    assert "no target that all systems answered" in words_of(page_of(workspace))
    path.unlink()
    assert "no target that all systems answered" in words_of(page_of(workspace))


def test_coverage_says_what_was_dropped_and_why(workspace):
    page = words_of(page_of(workspace))
    assert "1: the target is split into pieces" in page
    assert "this model: targets asked 2, of 3" in page
    assert "this model: words kept 2, of 3" in page
    assert "probes: no noun 7" in page
    assert "vocabulary: two pieces 3" in page


def test_systems_of_other_probes_are_not_thrown_together(workspace):
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


def on_words(relata, vocabulary):
    """Changes of scores on one response file with these relata and this vocabulary."""
    source = {**SOURCE, "origin": "responses", "name": "published.json", "revision": "sha256:aa"}
    words = vocabulary and {**VOCABULARY, "digest": vocabulary * 32}
    return {"source": {**source, "relata": {**SOURCE["relata"], "digest": relata * 32}}, "vocabulary": words}


def test_relata_of_other_vocabularies_are_not_thrown_together(tmp_path):
    workspace = Workspace(tmp_path, "semrel")
    add(workspace, "simulated-bert", **on_words("a1", "b1"))
    add(workspace, "simulated-roberta", **on_words("a2", "b2"))
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


def test_people_on_the_same_relata_stand_beside_the_models_of_a_vocabulary(tmp_path):
    workspace = Workspace(tmp_path, "semrel")
    add(workspace, "simulated-bert", **on_words("a1", "b1"))
    add(workspace, "people", **on_words("a1", None))
    words = words_of(page_of(workspace))
    assert "Check this." not in words
    assert "published.json, " not in words


def test_the_same_name_of_other_content_is_another_group(tmp_path):
    workspace, other = Workspace(tmp_path, "semrel"), on_words("a1", "b1")
    add(workspace, "people", "people-1", **other)
    add(workspace, "people", "people-2", **{**other, "source": {**other["source"], "revision": "sha256:bb"}})
    words = words_of(page_of(workspace))
    assert "people (published.json, revision aa)" in words
    assert "people (published.json, revision bb)" in words


def test_programs_are_not_called_people_nor_people_programs(workspace):
    page = words_of(page_of(workspace))
    assert "Simulated annotators." not in page
    assert "Mean distance from people" in page

    def answered_by(**who):
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
    assert "simulated-bert against simulated annotators: every cell" in page
    assert "one causal language model and simulated annotators were asked" in page
    page = answered_by(annotators=4, people=1, simulated=True)
    assert "Mean distance from people and simulated annotators" in page
    page = answered_by(people=4)  # as earlier versions wrote it
    assert "Mean distance from annotators" in page


def test_a_simulated_release_and_a_note_are_said(workspace):
    rewrite(
        workspace.evaluate / "simulatedbert" / "metrics.json",
        lambda metrics: metrics["model"].update(note="made for tests"),
    )
    write_json(workspace.release / "release.json", {"version": "1", "digest": "d1" * 32, "simulated": True})
    page = words_of(page_of(workspace))
    assert "Simulated annotators." in page
    assert "Note: made for tests." in page


def test_another_release_is_pointed_out(workspace):
    write_json(workspace.release / "release.json", {"version": "2", "digest": "ee" * 32})
    assert "simulated-bert was scored on another release (d1d1d1d1d1d1)" in words_of(page_of(workspace))


def test_people_alone_make_a_page(tmp_path):
    workspace = Workspace(tmp_path, "semrel")
    write_json(workspace.evaluate / "people" / "metrics.json", metrics_of("people", vocabulary=None))
    page = words_of(page_of(workspace))
    assert "People were asked up to 18 probes of six semantic relations on 3 targets." in page
    assert "against people: every cell" not in page


def test_a_model_that_answered_nothing_makes_a_page(tmp_path):
    workspace, answers = Workspace(tmp_path, "semrel"), simulated_answers("simulated-bert").to_pylist()
    silent = [{**row, "words": None, "problem": "too long"} for row in answers]
    found = measure(pa.Table.from_pylist(silent, schema=SCHEMA), RELATA, FEW, simulated_answers("people"))
    write_json(workspace.evaluate / "m" / "metrics.json", metrics_of("simulated-bert", **found.model_dump(mode="json")))
    page = words_of(page_of(workspace))
    assert "18: too long" in page
    assert "nan" not in page.lower().split()


def test_a_second_run_is_a_no_op_and_the_bytes_follow_the_scores(workspace, capsys):
    assert_written_once(write_report, workspace, capsys)


def test_the_command_writes_the_page_of_its_suite(workspace):
    assert_command_writes(workspace)


def test_no_scores(tmp_path):
    with pytest.raises(MissingStageError, match="no model has been scored yet"):
        write_report(Workspace(tmp_path, "semrel"))


def test_scores_that_lack_a_number(workspace):
    rewrite(workspace.evaluate / "people" / "metrics.json", lambda metrics: metrics.pop("alpha"))
    with pytest.raises(InputError, match=r"people/metrics.json: alpha: Field required"):
        write_report(workspace)
    assert not (workspace.evaluate / "report.html").exists()


def test_scores_whose_matrix_lacks_a_relation(workspace):
    rewrite(workspace.evaluate / "people" / "metrics.json", lambda metrics: metrics["matrix"].pop("holonymy"))
    with pytest.raises(InputError, match=r"people/metrics.json: matrix: .*'holonymy' is missing"):
        write_report(workspace)


# Heat maps ------------------------------------------------------------------------------------------------------------


def looks_of(matrix):
    svg = heat_map(matrix, "x")
    texts = ["".join(each.itertext()).strip() for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    return svg, texts


def test_a_heat_map_shows_every_number_and_a_dash_where_there_is_none():
    matrix = {r: {s: 1.0 if r == s else 0.25 for s in RELATIONS} for r in RELATIONS}
    matrix["antonymy"]["synonymy"], matrix["synonymy"]["antonymy"], matrix["synonymy"]["meronymy"] = None, 0.0, 1.0
    svg, texts = looks_of(matrix)
    assert texts.count(".25") == 27
    assert texts.count("–") == texts.count(".00") == 1
    assert texts.count("1") == 7
    assert texts.count("ANT") == 2
    assert svg.count("var(--main, #0072b2)") == 29


def test_colours_share_one_scale():
    def opacities(value):
        svg = looks_of({r: {s: 1.0 if r == s else value for s in RELATIONS} for r in RELATIONS})[0]
        return set(re.findall(r"fill: var\(--main, #0072b2\); fill-opacity: ([\d.]+)", svg))

    [half], [whole] = opacities(0.5), opacities(1.0)
    assert float(half) == pytest.approx(float(whole) / 2)
    assert float(whole) <= 0.7  # ink on it stays readable
    assert "Colour scale" in colour_scale()
