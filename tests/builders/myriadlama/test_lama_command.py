"""`tashika build myriadlama --lama`: facts of LAMA, its filters and its own prompts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from tashika.core.files import read_table
from tests.conftest import Ran

Run = Callable[..., Ran]


def test_lama_is_kept_and_another_filter_is_another_build(tashika: Run, sparql_url: str, tmp_path: Path) -> None:
    lama, work = tmp_path / "lama", tmp_path / "work"
    lama.mkdir()
    (lama / "relations.jsonl").write_text('{"relation": "P36"}\n')
    row = {"sub_uri": "Q183", "sub_label": "Republic of Bonn", "obj_uri": "Q64", "obj_label": "Berlin"}
    (lama / "P36.jsonl").write_text(json.dumps(row))
    tashika("build", "myriadlama", "--work", work, "--lama", lama, "--facts-only", "--sparql-url", sparql_url)
    ran = tashika("build", "myriadlama", "--work", work, "--facts-only", "--uhn", "none")
    assert f"lama: {lama}, as in the build before (--lama)" in ran[2]
    assert "--uhn was left out in the build before and is none now" in ran[2]
    facts = read_table(work / "myriadlama" / "items" / "fact.parquet")
    assert facts["object_label"].to_pylist() == ["Berlin", "Bonn"]  # LAMA's own, and widened


def test_lamas_own_prompts_are_kept_beside_the_facts_and_go_with_lama(
    tashika: Run, sparql_url: str, tmp_path: Path
) -> None:
    lama, work = tmp_path / "lama", tmp_path / "work"
    lama.mkdir()
    template = "The capital of [X] is [Y] ."
    relations = [{"relation": "P36", "template": template}, {"relation": "place_of_birth", "template": "no slots"}]
    (lama / "relations.jsonl").write_text("\n".join(map(json.dumps, relations)))
    rows = [
        {"sub_uri": "Q183", "sub_label": "Republic of Bonn", "obj_uri": "Q64", "obj_label": "Berlin"},
        {"sub_uri": "Q142", "sub_label": "Paris Republic", "obj_uri": "Q90", "obj_label": "Paris"},
    ]
    (lama / "P36.jsonl").write_text("\n".join(map(json.dumps, rows)))
    command = ("build", "myriadlama", "--work", work, "--facts-only", "--sparql-url", sparql_url)
    tashika(*command, "--lama", lama)
    file = work / "myriadlama" / "items" / "lama-uhn.parquet"
    [kept] = read_table(file).to_pylist()  # the string filter leaves out Paris Republic, and nothing is widened
    assert kept["template"] == template
    assert (kept["subject_label"], kept["object_label"], kept["uhn_filter"]) == ("Republic of Bonn", "Berlin", "string")
    (lama / "relations.jsonl").write_text('{"relation": "P36", "template": "The capital is [Y]."}\n')
    code, _, err = tashika(*command)
    assert code == 2
    assert "expected [X] and [Y] exactly once each" in err
    tashika(*command, "--forget-inputs")
    assert not file.exists()


def test_lama_with_the_string_filter_tells_rows_and_pairs(tashika: Run, sparql_url: str, tmp_path: Path) -> None:
    lama = tmp_path / "lama"
    lama.mkdir()
    (lama / "relations.jsonl").write_text('{"relation": "P36"}\n')
    rows = [
        ("Q183", "Germany", "Q64", "Berlin"),
        ("Q183", "Germany", "Q586", "Bonn"),
        ("Q1", "Paris Region", "Q90", "Paris"),
    ]
    lines = [json.dumps(dict(zip(("sub_uri", "sub_label", "obj_uri", "obj_label"), row, strict=True))) for row in rows]
    (lama / "P36.jsonl").write_text("\n".join(lines))
    command = ("build", "myriadlama", "--lama", lama, "--facts-only", "--sparql-url", sparql_url)
    code, _, err = tashika(*command, "--work", tmp_path / "string", "--uhn", "string")
    assert code == 0, err
    assert "read 3, pairs read 2, after string filter 2, pairs after string filter 1" in err
    tashika(*command, "--work", tmp_path / "none", "--uhn", "none")
    facts: pa.Table = read_table(tmp_path / "none" / "myriadlama" / "items" / "fact.parquet")
    assert facts.num_rows == 3


def test_lamas_own_archive_has_its_relations_beside_the_facts(tashika: Run, sparql_url: str, tmp_path: Path) -> None:
    trex = tmp_path / "data" / "TREx"
    trex.mkdir(parents=True)
    (trex.parent / "relations.jsonl").write_text('{"relation": "P36"}\n')
    row = {"sub_uri": "Q183", "sub_label": "Germany", "obj_uri": "Q64", "obj_label": "Berlin"}
    (trex / "P36.jsonl").write_text(json.dumps(row))
    code, _, err = tashika(
        "build", "myriadlama", "--lama", trex, "--facts-only", "--sparql-url", sparql_url, "--work", tmp_path / "work"
    )
    assert code == 0, err
    assert "facts 2, pairs 1" in err  # widened by Bonn
