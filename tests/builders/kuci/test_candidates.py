"""What is kept of a sentence's relations, and the table that people read."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from tashika.builders.kuci.analysis.records import Argument, Clause, Failure, Morpheme, Predicate, Relation, Sentence
from tashika.builders.kuci.candidates import CANDIDATE, Candidates, candidates_of, write_candidates_table


def sentence() -> Sentence:
    """Of 昨日、あの窓が割れたので、すぐにガラスを替えた。"""
    surfaces = ["昨日", "、", "あの", "窓", "が", "割れた", "ので", "、", "すぐに", "ガラス", "を", "替えた", "。"]
    morphemes, start = [], 0
    for surface in surfaces:
        odd = {"unknown": surface == "ガラス", "demonstrative": surface == "あの", "sign": surface in "、。"}
        morphemes.append(Morpheme(surface, surface, "", start, **odd))
        start += len(surface)
    clauses = (
        Clause(0, 8, Predicate("割れる", "動", past=True), (Argument("ガ", "窓"),)),
        Clause(8, 13, Predicate("替える", "動", modality="ばいい"), (Argument("ヲ", "ガラス"),)),
    )
    relations = (Relation(0, 1, "cause", "ので", certain=False),)
    return Sentence("a.txt:1", "".join(surfaces), tuple(morphemes), clauses, relations)


def test_a_relation_is_a_row_with_both_clauses() -> None:
    (row,) = candidates_of(sentence())
    assert (row["sid"], row["relation"], row["marker"], row["certain"]) == ("a.txt:1", "cause", "ので", False)
    assert (row["clauses"], row["modifier"], row["head"]) == (2, 0, 1)
    antecedent, consequent = row["antecedent"], row["consequent"]
    assert antecedent["text"] == "昨日、あの窓が割れたので"  # the sign at its end is gone, the one within is not
    assert antecedent["words"] == ["昨日", "あの", "窓", "が", "割れた", "ので"]
    assert (antecedent["predicate"], antecedent["past"], antecedent["modality"]) == ("割れる", True, "")
    assert antecedent["arguments"] == [{"case": "ガ", "lemma": "窓", "explicit": True}]
    assert (antecedent["demonstrative"], antecedent["unknown"]) == (True, False)
    assert consequent["text"] == "すぐにガラスを替えた"
    assert (consequent["demonstrative"], consequent["unknown"], consequent["modality"]) == (False, True, "ばいい")


def test_the_job_skips_failures_and_keeps_its_schema_without_rows() -> None:
    job = Candidates()
    job.open()
    table = job.rows([Failure("x", "", "blank"), sentence()])
    assert table.schema.equals(CANDIDATE)
    assert table["sid"].to_pylist() == ["a.txt:1"]
    assert job.rows([]).schema.equals(CANDIDATE)


def test_the_table_has_one_line_a_relation_whatever_the_text_holds(tmp_path: Path) -> None:
    (row,) = candidates_of(sentence())
    row["text"] = "一\t二\n三"
    assert write_candidates_table(tmp_path / "pairs.tsv", [row, row]) == 2
    head, *lines = (tmp_path / "pairs.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    found = dict(zip(head.split("\t"), lines[0].split("\t"), strict=True))
    assert found["antecedent"] == "昨日、あの窓が割れたので"
    assert found["certain"] == "no"
    assert found["text"] == "一 二 三"


def test_rows_survive_arrow() -> None:
    rows = candidates_of(sentence())
    assert pa.Table.from_pylist(rows, schema=CANDIDATE).to_pylist() == rows
