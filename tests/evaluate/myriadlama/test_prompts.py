"""The work list: order, ids, samples, and which answers count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError, MissingStageError
from tashika.core.tokenizing import ATTACHED, SPACED, START, single_tokens, words_of
from tashika.evaluate.myriadlama.answers import (
    blank_form,
    blank_is_last,
    find_answers,
    usable_templates,
)
from tashika.evaluate.myriadlama.metrics import Drawn, Kept
from tashika.evaluate.myriadlama.prompts import WorkList, read_release, work_list
from tashika.evaluate.myriadlama.sampling import Sample, describe, draw


@pytest.fixture(scope="module")
def work(release_folder: Path) -> WorkList:
    return work_list(read_release(release_folder))


def test_prompts_are_in_the_order_of_the_release(work: WorkList, release_folder: Path) -> None:
    facts = pq.read_table(release_folder / "facts/facts.parquet").to_pylist()
    aliases = pq.read_table(release_folder / "aliases/aliases.parquet").to_pylist()
    templates = pq.read_table(release_folder / "templates/templates.parquet").to_pylist()
    expected = [
        (template["item_id"][:16] + alias["item_id"][:16], relation, number, template["item_id"], alias["item_id"])
        for number, (relation, subject) in enumerate(sorted({(fact["relation"], fact["subject"]) for fact in facts}))
        for alias in aliases
        if alias["entity"] == subject
        for template in templates
        if template["relation"] == relation
    ]
    columns = work.identity(work.stretch(0, len(work)))
    found = list(zip(*(columns[name].to_pylist() for name in columns), strict=True))
    assert found == expected
    assert len({row[0] for row in found}) == len(work)


@given(st.data())
def test_any_stretch_is_a_part_of_the_whole(work: WorkList, data: st.DataObject) -> None:
    cuts = sorted({0, len(work), *data.draw(st.lists(st.integers(0, len(work)), max_size=5))})
    parts = [work.stretch(begin, end) for begin, end in pairwise(cuts)]
    for whole, *pieces in zip(work.stretch(0, len(work)), *parts, strict=True):
        assert np.array_equal(whole, np.concatenate(pieces))


def test_a_release_that_is_missing_or_holds_a_subject_without_names(release_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingStageError, match="no release yet"):
        read_release(tmp_path)
    release = read_release(release_folder)
    unnamed = replace(release, aliases=release.aliases.slice(5))
    with pytest.raises(InputError, match="nothing under the entity Q1"):
        work_list(unnamed)
    with pytest.raises(InputError, match="has no facts"):
        work_list(replace(release, facts=release.facts.slice(0, 0)))


@given(st.integers(1, 8), st.integers(0, 5))
def test_a_sample_takes_its_share_of_every_relation(work: WorkList, pairs: int, seed: int) -> None:
    usable = np.ones(len(work.template_texts), dtype=bool)
    drawn = draw(work, Sample(pairs=pairs, seed=seed), usable)
    assert len(drawn.pair_number) == min(pairs, len(work.pair_number))
    assert set(drawn.pair_number) <= set(work.pair_number)
    exact = np.bincount(work.pair_relation) * len(drawn.pair_number) / len(work.pair_number)
    assert (np.abs(np.bincount(drawn.pair_relation, minlength=2) - exact) < 1).all()
    whole = work.identity(work.stretch(0, len(work)))["item_id"].to_pylist()
    assert set(drawn.identity(drawn.stretch(0, len(drawn)))["item_id"].to_pylist()) <= set(whole)


def test_a_sample_of_templates_spares_those_that_cannot_be_answered(work: WorkList) -> None:
    usable = usable_templates(work.template_texts, "causal")
    drawn = draw(work, Sample(templates=1, aliases=1), usable)
    again = usable_templates(drawn.template_texts, "causal")
    for start, count in zip(drawn.template_start, drawn.template_count, strict=True):
        assert again[start : start + count].sum() == 1
    assert (~again).sum() == (~usable).sum()
    assert (drawn.alias_count == 1).all()
    two = draw(work, Sample(templates=2, aliases=1), usable)
    assert set(drawn.template_ids) <= set(two.template_ids)
    about = describe(Sample(templates=1), work, drawn)
    assert about.whole is False
    assert about.prompts == Drawn(drawn=len(drawn), of=len(work))


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(InputError, match="limit of 0 pairs"):
        Sample(pairs=0)


@pytest.mark.parametrize(
    ("text", "form", "last"),
    [
        ("[X] is in [Y].", SPACED, True),
        ("Where is [X]? In [Y]!", SPACED, True),
        ('[X] is called "[Y]".', ATTACHED, True),
        ("[Y] is the capital of [X].", START, False),
        ("[X] is in [Y], they say.", SPACED, False),
        ("[X] is in [Y]", SPACED, True),
        ("[X]は[Y]。", ATTACHED, True),
    ],
)
def test_where_the_blank_stands(text: str, form: int, last: bool) -> None:
    assert blank_form(text) == form
    assert blank_is_last(text) is last
    assert usable_templates([text], "causal").tolist() == [last]
    assert usable_templates([text], "masked").tolist() == [True]


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "gpt2", "llama"])
def test_an_answer_is_the_token_that_the_model_would_read_there(family: str, tiny_model: Callable[[str], str]) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_model(family))
    before = {START: "", SPACED: "x ", ATTACHED: "("}
    for form, text in before.items():
        found = single_tokens(tokenizer, ["Paris", "City of Light", "Paris Berlin"], form)
        ids = tokenizer(text + "Paris", add_special_tokens=False)["input_ids"]
        assert found[0] in {ids[-1], -1}
        assert found[1:].tolist() == [-1, -1]
    assert single_tokens(tokenizer, ["Paris"], SPACED)[0] >= 0


@pytest.mark.parametrize("family", ["bert", "roberta", "gpt2", "llama"])
def test_a_word_is_the_same_with_and_without_a_space_before_it(family: str, tiny_model: Callable[[str], str]) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_model(family))
    tokens = [int(single_tokens(tokenizer, ["Paris"], form)[0]) for form in (START, SPACED)]
    words = {word.lower() for word in words_of(tokenizer, [token for token in tokens if token >= 0])}
    assert words == {"paris"}


def test_parts_of_characters_and_of_words_stay_different(tiny_model: Callable[[str], str]) -> None:
    from transformers import AutoTokenizer

    bytewise, pieces = (AutoTokenizer.from_pretrained(tiny_model(family)) for family in ("roberta", "bert"))
    parts = bytewise("\N{SNOWMAN}", add_special_tokens=False)["input_ids"]
    assert len(set(words_of(bytewise, parts))) == len(set(parts)) > 1
    inner = [token for name, token in pieces.get_vocab().items() if name.startswith("##")][:5]
    assert all(word.startswith("##") for word in words_of(pieces, inner))


def test_special_and_unknown_tokens_are_no_answers(tiny_model: Callable[[str], str]) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_model("bert"))
    assert single_tokens(tokenizer, ["[MASK]", "京", "[UNK]", "paris"], START).tolist()[:3] == [-1, -1, -1]


def test_answers_are_those_of_all_objects_of_the_pair(work: WorkList, tiny_model: Callable[[str], str]) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_model("bert"))
    answers = find_answers(tokenizer, work, np.ones(len(work.template_texts), dtype=bool))
    counts = answers.count[SPACED].tolist()
    zola = [int(pair) for pair in set(work.fact_pair) if (work.fact_pair == pair).sum() == 2]
    start = answers.start[SPACED][zola[0]]
    tokens = tokenizer.convert_ids_to_tokens(answers.tokens[SPACED][start : start + counts[zola[0]]].tolist())
    assert sorted(tokens) == ["london", "paris"]
    assert answers.counts.facts == Kept(kept=6, of=7)
    assert answers.counts.pairs == Kept(kept=5, of=6)
    assert answers.counts.objects == Kept(kept=4, of=5)
