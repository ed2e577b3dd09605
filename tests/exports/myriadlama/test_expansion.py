"""The product of names and templates, against a plain loop."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.records import item_id
from tashika.core.suites.myriadlama.counts import product_counts
from tashika.exports.myriadlama import expansion as module
from tashika.exports.myriadlama.expansion import expansion, spans
from tashika.exports.schema import arrow_schema

SCHEMA = arrow_schema("myriadlama", "prompts")
ENTITIES = [f"Q{number}" for number in range(1, 7)]
RELATIONS = ["P1", "P17", "P2"]


@st.composite
def factors(draw: Any) -> tuple[list[Any], list[Any], list[Any]]:
    templates = [
        (item_id("s", "template", relation, str(number)), relation, f"{number} [X] of {relation} [Y].")
        for relation in RELATIONS
        for number in range(draw(st.integers(1, 4)))
    ]
    texts = st.lists(st.sampled_from(["Ulm", "Bonn", "[X]", "東京", "a b"]), min_size=1, max_size=3, unique=True)
    aliases = [(item_id("s", "alias", e, text), e, text) for e in ENTITIES for text in draw(texts)]
    triples = st.tuples(st.sampled_from(RELATIONS), st.sampled_from(ENTITIES), st.sampled_from(ENTITIES))
    facts = sorted(draw(st.sets(triples, min_size=1, max_size=12)))
    return sorted(templates, key=lambda row: row[1]), sorted(aliases, key=lambda row: row[1]), facts


def tables(found: tuple[list[Any], list[Any], list[Any]]) -> tuple[pa.Table, pa.Table, pa.Table]:
    names = (["item_id", "relation", "text"], ["item_id", "entity", "text"], ["relation", "subject", "object"])
    made = [
        pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(columns)})
        for rows, columns in zip(found, names, strict=True)
    ]
    return made[0], made[1], made[2]


def by_hand(templates: list[Any], aliases: list[Any], facts: list[Any]) -> list[dict[str, Any]]:
    rows = []
    for pair, (relation, subject) in enumerate(sorted({fact[:2] for fact in facts})):
        objects = [fact[2] for fact in facts if fact[:2] == (relation, subject)]
        answers = list(dict.fromkeys(text for value in objects for _, entity, text in aliases if entity == value))
        for alias, entity, name in aliases:
            for template, of, text in templates:
                if entity == subject and of == relation:
                    rows.append(
                        {
                            "item_id": template[:16] + alias[:16],
                            "relation": relation,
                            "pair": pair,
                            "subject": subject,
                            "template_id": template,
                            "subject_alias_id": alias,
                            "prompt": text.replace("[X]", name, 1),
                            "answers": answers,
                        }
                    )
    return rows


@given(factors())
def test_rows_are_those_of_a_plain_loop(found: tuple[list[Any], list[Any], list[Any]]) -> None:
    product = expansion(*tables(found))
    expected = by_hand(*found)
    batches = list(product.batches(0, product.rows, SCHEMA))
    assert product.rows == len(expected)
    assert pa.Table.from_batches(batches).to_pylist() == expected


@given(factors())
def test_counts_are_those_of_the_expanded_product(found: tuple[list[Any], list[Any], list[Any]]) -> None:
    templates, aliases, facts = found
    of_relation = {r: sum(row[1] == r for row in templates) for r in RELATIONS}
    of_entity = {e: sum(row[1] == e for row in aliases) for e in ENTITIES}
    assert product_counts(*tables(found)) == {
        "unique_triples": len(facts),
        "derived_triples": sum(of_entity[s] * of_relation[r] * of_entity[o] for r, s, o in facts),
        "pairs": len({fact[:2] for fact in facts}),
        "prompts": len(by_hand(*found)),
    }


@given(factors(), st.integers(1, 50), st.integers(1, 9))
def test_shards_and_batches_cut_the_same_rows(found: Any, rows_a_shard: int, rows_a_group: int) -> None:
    product = expansion(*tables(found))
    whole = pa.Table.from_batches(product.batches(0, product.rows, SCHEMA)).to_pylist()
    before, module.ROWS_A_GROUP = module.ROWS_A_GROUP, rows_a_group
    try:
        parts = [
            batch
            for start in range(0, product.rows, rows_a_shard)
            for batch in product.batches(start, min(start + rows_a_shard, product.rows), SCHEMA)
        ]
    finally:
        module.ROWS_A_GROUP = before
    assert max(batch.num_rows for batch in parts) <= rows_a_group
    assert [row for batch in parts for row in batch.to_pylist()] == whole


def test_spans_of_unknown_keys_are_empty() -> None:
    found = spans(pa.array(["a", "a", "c"]), pa.array(["c", "b", "a"]))
    assert found.start[found.count > 0].tolist() == [2, 0]
    assert found.count.tolist() == [1, 0, 2]
    assert spans(pa.array([], pa.string()), pa.array(["a"])).count.tolist() == [0]


def test_counts_of_the_papers_shape_do_not_expand_it() -> None:
    # 41 relations x 100 templates, one subject with 1,000 names: a product that is far too large to expand
    templates = pa.table({"relation": [f"P{i:02}" for i in range(41) for _ in range(100)]})
    aliases = pa.table({"entity": ["Q1"] * 1_000 + ["Q2"] * 1_000})
    facts = pa.table({"relation": [f"P{i:02}" for i in range(41)], "subject": ["Q1"] * 41, "object": ["Q2"] * 41})
    assert product_counts(templates, aliases, facts) == {
        "unique_triples": 41,
        "derived_triples": 41 * 100 * 1_000 * 1_000,
        "pairs": 41,
        "prompts": 41 * 100 * 1_000,
    }
