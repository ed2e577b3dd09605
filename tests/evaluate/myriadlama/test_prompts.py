"""The work list: order, ids, samples, and which answers count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError, MissingStageError
from tashika.core.tokenizing import ATTACHED, SPACED, START, single_tokens, single_tokens_after, words_of
from tashika.evaluate.myriadlama.answers import (
    blank_form,
    blank_is_last,
    find_answers,
    letters_before,
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
        ("[X]の首都は[Y]です。", ATTACHED, True),
        ("[X]の首都はどこですか。[Y]だ。", ATTACHED, True),
        ("[X]の首都は「[Y]」である。", ATTACHED, True),
        ("[X]は[Y]で生まれた。", ATTACHED, False),
        ("[Y]は[X]の首都である。", START, False),
        ("عاصمة [X] هي [Y]؟", SPACED, True),
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


def test_a_word_behind_a_letter_is_a_word_where_no_spaces_are_written() -> None:
    from tokenizers import Tokenizer, decoders, models
    from transformers import PreTrainedTokenizerFast

    pieces = ["[UNK]", "フランス", "##フランス", "france", "##france"]
    model = models.WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]")
    backend = Tokenizer(model)
    backend.decoder = decoders.WordPiece()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="[UNK]")
    assert words_of(tokenizer, [1, 2, 3, 4]) == ["フランス", "フランス", "france", "##france"]


def test_special_and_unknown_tokens_are_no_answers(tiny_model: Callable[[str], str]) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_model("bert"))
    assert single_tokens(tokenizer, ["[MASK]", "京", "[UNK]", "paris"], START).tolist()[:3] == [-1, -1, -1]


WORDS = ("東京", "フランス", "本", "大阪府", "フランス語")


def japanese_tokenizer(way: str) -> Any:
    """A small tokenizer in one of the ways in which Japanese is tokenised.

    `wordpiece` sees a text up to the next sign as one word, as multilingual BERT does with kana; `characters` parts
    Chinese characters, as it does with these; `words` parts words first, as MeCab does; `bpe` knows bytes.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from transformers import PreTrainedTokenizerFast

    if way == "bpe":
        pieces = sorted(pre_tokenizers.ByteLevel.alphabet())
        merges: list[tuple[str, str]] = []
        for word in ("東京", "は"):
            signs = list(pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(word)[0][0])
            while len(signs) > 1:
                merges.append((signs[0], signs[1]))
                signs[:2] = ["".join(signs[:2])]
        vocabulary = {piece: place for place, piece in enumerate([*pieces, *(a + b for a, b in merges), "<unk>"])}
        backend = Tokenizer(models.BPE(vocabulary, merges))
        backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        backend.decoder = decoders.ByteLevel()
        return PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="<unk>")
    pieces = ["[UNK]", "[MASK]", "は", "の", "東", "京", "本", "東京", "フランス", "##東京", "##フランス", "(", "##語"]
    backend = Tokenizer(models.WordPiece({piece: place for place, piece in enumerate(pieces)}, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(
        lowercase=False, strip_accents=False, handle_chinese_chars=way == "characters"
    )
    backend.pre_tokenizer = BertPreTokenizer()
    if way == "words":
        parts = pre_tokenizers.Split(Regex("は|の"), "isolated")
        backend.pre_tokenizer = pre_tokenizers.Sequence([BertPreTokenizer(), parts])
    return PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="[UNK]", mask_token="[MASK]")


WHOLE = {"東京": "東京", "フランス": "フランス", "本": "本"}


@pytest.mark.parametrize(
    ("way", "alone", "behind"),
    [
        # The word by itself is 東京; in running text it is ##東京 behind は: two tokens that spell it.
        ("wordpiece", WHOLE, {"東京": "##東京", "フランス": "##フランス"}),
        # Chinese characters are words of one character; kana are not parted.
        ("characters", {"フランス": "フランス", "本": "本"}, {"フランス": "##フランス", "本": "本"}),
        ("words", WHOLE, WHOLE),
        ("bpe", {"東京": "東京"}, {"東京": "東京"}),
    ],
)
def test_what_tokenizers_make_of_a_word_behind_a_letter(
    way: str, alone: dict[str, str], behind: dict[str, str]
) -> None:
    tokenizer = japanese_tokenizer(way)

    def spelt(tokens: Any) -> dict[str, str]:
        pieces = zip(WORDS, tokens.tolist(), strict=True)
        name = tokenizer.decode if way == "bpe" else tokenizer.convert_ids_to_tokens
        return {word: name(token) for word, token in pieces if token >= 0}

    assert spelt(single_tokens(tokenizer, WORDS, ATTACHED)) == alone
    assert spelt(single_tokens_after(tokenizer, WORDS, "は", "は")) == behind


def test_each_token_that_spells_a_name_behind_a_letter_is_an_answer(work: WorkList) -> None:
    tokenizer = japanese_tokenizer("wordpiece")
    texts = ("[X]は[Y]である。", "[X]の[Y]", "[Y]は[X]", "[X]、[Y]")
    answers = (("東京", "大阪府"),) * len(work.fact_answers)
    asked = replace(work, template_texts=(texts * len(work.template_texts))[: len(work.template_texts)])
    asked = replace(asked, fact_answers=answers)
    assert letters_before(asked.template_texts) == ["の", "は"]
    found = find_answers(tokenizer, asked, np.ones(len(asked.template_texts), dtype=bool))
    assert set(tokenizer.convert_ids_to_tokens(found.tokens[ATTACHED].tolist())) == {"東京", "##東京"}
    assert set(tokenizer.convert_ids_to_tokens(found.tokens[START].tolist())) == {"東京"}
    assert found.count[ATTACHED].tolist() == [2] * len(work.pair_number)


def test_a_letter_that_a_tokenizer_does_not_know_is_no_place_to_stand(work: WorkList) -> None:
    tokenizer = japanese_tokenizer("wordpiece")
    texts = ("[X]が[Y]だ。",) * len(work.template_texts)  # が is unknown, and all behind it with it
    asked = replace(work, template_texts=texts, fact_answers=(("東京", "(本"),) * len(work.fact_answers))
    found = find_answers(tokenizer, asked, np.ones(len(texts), dtype=bool))
    assert set(tokenizer.convert_ids_to_tokens(found.tokens[ATTACHED].tolist())) == {"東京"}


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
