"""The lite set: how it is chosen, by hand and by what must hold of every one."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.records import item_id
from tashika.core.settings import load_section
from tashika.core.workspace import Workspace
from tashika.exports.myriadlama.expansion import expansion
from tashika.exports.myriadlama.export import EXPORT
from tashika.exports.myriadlama.lite import by_object, dealt, lite_set, spread, without_meaning
from tashika.exports.myriadlama.settings import LiteSettings
from tashika.exports.myriadlama.wording_order import distances, grams, typical, wording_order
from tashika.exports.release import Export


def test_places_are_the_middles_of_equal_stretches() -> None:
    assert spread(10, 2) == [2, 7]
    assert spread(10, 3) == [1, 5, 8]
    assert spread(3, 3) == spread(3, 20) == [0, 1, 2]
    assert spread(7, 1) == [3]


@given(st.integers(1, 300), st.integers(1, 300))
def test_every_stretch_gives_one_place(number: int, wanted: int) -> None:
    places = spread(number, wanted)
    assert len(places) == min(number, wanted)
    assert all(0 <= place < number for place in places)
    # no stretch is passed over and none gives two
    steps = np.diff(places)
    assert len(steps) == 0 or steps.max() - steps.min() <= 1
    assert min(steps, default=1) >= 1


def test_subjects_go_by_their_object_the_most_frequent_first() -> None:
    objects = {"a": ["Ulm"], "b": ["Bonn"], "c": ["Rome", "Bonn"], "d": ["Bonn"], "e": ["Rome"]}
    order = by_object(objects)
    assert set(order[:3]) == {"b", "c", "d"}  # c has Rome, too, but more subjects have Bonn
    assert order[3:] == ["e", "a"]
    assert order == by_object(dict(reversed(objects.items())))


def test_a_pair_gets_templates_in_equal_steps_and_its_names_in_turn() -> None:
    assert dealt(0, 8, 1, 0, 4) == [(0, 0), (0, 2), (0, 4), (0, 6)]
    assert dealt(1, 8, 1, 0, 4) == [(0, 1), (0, 3), (0, 5), (0, 7)]
    # the last prompt has the template of the first, with another name
    assert dealt(7, 8, 3, 1, 4) == [(1, 7), (2, 1), (0, 3), (2, 7)]
    assert dealt(0, 8, 2, 1, 4) == [(1, 0), (0, 2), (1, 4), (0, 0)]
    # fewer templates than prompts: what would stand twice stands once
    assert dealt(0, 2, 1, 0, 4) == [(0, 0), (0, 1)]
    assert dealt(0, 1, 1, 0, 4) == [(0, 0)]


shapes = st.tuples(st.integers(1, 12), st.integers(1, 5), st.integers(1, 6))


@given(shapes, st.integers(0, 50), st.integers(0, 4))
def test_no_prompt_stands_twice(shape: tuple[int, int, int], turn: int, start: int) -> None:
    templates, names, prompts = shape
    rows = dealt(turn, templates, names, start % names, prompts)
    assert 1 <= len(rows) == len(set(rows)) <= prompts
    assert all(0 <= name < names and 0 <= template < templates for name, template in rows)
    if names > 1 and prompts > 2:  # two names with one template, which consistency over names needs
        assert max(Counter(template for _, template in rows).values()) > 1


@given(st.integers(1, 12), st.integers(1, 6), st.integers(1, 4))
def test_templates_are_asked_equally_often(templates: int, prompts: int, rounds: int) -> None:
    few = min(templates, prompts)
    rows = [row for turn in range(rounds * templates) for row in dealt(turn, templates, 1, 0, few)]
    assert set(Counter(template for _, template in rows).values()) == {rounds * few}


def test_wordings_are_as_far_apart_as_the_trigrams_that_they_do_not_share() -> None:
    assert grams("Abc") == {" ab", "abc", "bc "}
    assert grams("x") == {" x "}
    far = distances(["abc", "abd", "xyz"])
    assert far[0, 1] == pytest.approx(1 - 1 / 5)  # of " ab", "abc", "bc ", "abd", "bd " the first is of both
    assert far[0, 2] == 1
    assert (np.diag(far) == 0).all()


WORDINGS = (
    "[X] was born in [Y].",
    "[Y] is the birthplace of [X].",
    "[X] was born in the city of [Y].",
    "[Y] is where [X] was born.",
    "The birthplace of [X] is [Y].",
    "[Y] is the birth place of [X].",
    "The birth place of [X] is [Y].",
)


def test_like_wordings_stand_beside_like_and_those_that_end_with_the_blank_come_first() -> None:
    texts = [WORDINGS[place] for place in wording_order(WORDINGS)]
    assert {text for text in texts[:4] if text.endswith("[Y].")} == set(texts[:4])
    born = [place for place, text in enumerate(texts) if text.startswith("[X] was born")]
    assert abs(born[0] - born[1]) == 1


@given(st.permutations(WORDINGS), st.integers(1, 7))
def test_the_typical_wordings_depend_on_the_wordings_alone(texts: list[str], number: int) -> None:
    chosen = [texts[place] for place in typical(texts, number)]
    assert len(set(chosen)) == number
    assert chosen == [WORDINGS[place] for place in typical(WORDINGS, number)]
    turned = [texts[place] for place in without_meaning(texts, typical(texts, number))]
    assert turned == [WORDINGS[place] for place in without_meaning(WORDINGS, typical(WORDINGS, number))]
    assert sorted(turned) == sorted(chosen)


def test_the_most_typical_of_a_stretch_is_least_far_from_the_rest() -> None:
    texts = ["[X] lies in [Y].", "[X] lies within [Y].", "[X] lies in the [Y]."]
    far = distances(texts).sum(axis=1)
    assert typical(texts, 1) == [int(far.argmin())]


@st.composite
def worlds(draw: Any) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Templates, names and facts of two relations."""
    relations, subjects, values = ["P1", "P2"], [f"S{number}" for number in range(9)], ["O1", "O2", "O3"]
    triples = st.tuples(*map(st.sampled_from, (relations, subjects, values)))
    facts = sorted({("P1", "S1", "O1"), ("P2", "S2", "O2"), *draw(st.sets(triples, max_size=25))})
    names = [
        (item_id("s", "alias", entity, str(name)), entity, f"{entity} {name}")
        for entity in [*values, *subjects]
        for name in range(draw(st.integers(1, 3)))
    ]
    templates = [
        (item_id("s", "template", relation, text), relation, text)
        for relation in relations
        for text in WORDINGS[: draw(st.integers(1, len(WORDINGS)))]
    ]
    columns = (["item_id", "relation", "text"], ["item_id", "entity", "text"], ["relation", "subject", "object"])
    tables = [
        pa.table({name: [row[place] for row in rows] for place, name in enumerate(names_of)})
        for rows, names_of in zip((templates, sorted(names, key=lambda row: row[1]), facts), columns, strict=True)
    ]
    return tables[0], tables[1], tables[2]


@given(worlds(), st.integers(1, 6), st.integers(1, 8), st.integers(1, 5))
def test_a_lite_set_is_a_part_whose_weights_are_those_of_the_whole(
    world: tuple[pa.Table, pa.Table, pa.Table], pairs: int, templates: int, prompts: int
) -> None:
    made = expansion(*world)
    chosen = lite_set(made, world[0], world[2], LiteSettings(pairs=pairs, templates=templates, prompts=prompts))
    assert (np.diff(chosen.rows) > 0).all()
    assert chosen.rows[0] >= 0
    assert chosen.rows[-1] < made.rows
    assert chosen.weight.sum() == pytest.approx(made.rows)
    assert (chosen.weight > 0).all()
    columns = made.columns(chosen.rows)
    relation = columns["relation"].to_pylist()
    for name in set(relation):
        own = [place for place, of in enumerate(relation) if of == name]
        by_pair = Counter(columns["pair"][place].as_py() for place in own)
        every = sum(of == name for of in made.columns(np.arange(made.rows))["relation"].to_pylist())
        assert chosen.weight[own].sum() == pytest.approx(every)
        assert max(by_pair.values()) <= prompts
        assert len(by_pair) <= pairs
        assert len({columns["template_id"][place].as_py() for place in own}) <= templates


def test_a_lite_set_that_may_hold_everything_holds_every_pair_and_template() -> None:
    facts = pa.table({"relation": ["P1"] * 8, "subject": [f"S{n}" for n in range(8)], "object": ["O1"] * 8})
    entities = ["O1", *(f"S{n}" for n in range(8))]
    ids = [item_id("s", "alias", entity) for entity in entities]
    names = pa.table({"item_id": ids, "entity": entities, "text": entities})
    templates = pa.table({"item_id": [f"{n:032x}" for n in range(7)], "relation": ["P1"] * 7, "text": list(WORDINGS)})
    made = expansion(templates, names, facts)
    chosen = lite_set(made, templates, facts, LiteSettings(pairs=100, templates=100, prompts=7))
    assert chosen.rows.tolist() == list(range(8 * 7))
    assert chosen.weight.tolist() == [1.0] * 56


def exported(workspace: Workspace, **lite: int) -> dict[str, Any]:
    settings = load_section("myriadlama", "export", EXPORT.settings)
    settings = settings.model_copy(update={"lite": LiteSettings(**lite)})
    return Export(workspace, settings, EXPORT, EXPORT.plan(workspace, settings)).run()


def test_the_release_has_it_as_a_configuration_and_is_otherwise_the_same(workspace: Workspace) -> None:
    without = exported(workspace, pairs=0)
    assert "lite_prompts" not in without["counts"]
    assert not (workspace.release / "lite").exists()
    assert "`lite`" not in (workspace.release / "README.md").read_text(encoding="utf-8").split("## How to load it")[0]
    record = exported(workspace, pairs=2, prompts=3)
    assert record["digest"] == without["digest"]
    table = pq.read_table(workspace.release / "lite" / "lite.parquet")
    assert record["counts"]["lite_prompts"] == table.num_rows
    prompts = {row["item_id"]: row for row in pq.read_table(workspace.release / "prompts").to_pylist()}
    for row in table.to_pylist():
        weight, last = row.pop("weight"), row.pop("blank_last")
        assert last == bool(re.search(r"\[Y\]\W*$", row["prompt"]))
        assert row == prompts[row["item_id"]]
        assert weight >= 1
    of_relation = Counter((row["relation"], row["pair"]) for row in table.to_pylist())
    assert Counter(relation for relation, _ in of_relation) == {"P19": 2, "P30": 2, "P36": 2}
    card = (workspace.release / "README.md").read_text(encoding="utf-8")
    assert "| `lite` | a prompt of the lite set" in card
    assert "| `weight` | float64 | prompts that it stands for" in card


def test_the_same_release_has_the_same_lite_set(workspace: Workspace, samples: Any) -> None:
    exported(workspace, pairs=2, prompts=3)
    first = (workspace.release / "lite" / "lite.parquet").read_bytes()
    samples.write_items(workspace, "fact", list(reversed(samples.fact_rows())))
    samples.write_items(workspace, "template", list(reversed(samples.template_rows())))
    exported(workspace, pairs=2, prompts=3)
    assert (workspace.release / "lite" / "lite.parquet").read_bytes() == first
