"""The masked model that is trained on WordNet: what it reads, what it is not shown, and how it is measured.

What a training of seconds happens to learn differs with the processor's kernels, so no test asks for it.
"""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from tashika.core.errors import InputError
from tashika.core.files import hash_file
from tashika.core.models import load_masked_lm, model_note
from tashika.core.settings import packaged
from tashika.core.suites.semrel.probes import prompt_problem
from tashika.core.suites.semrel.wordnet import WordNet
from tashika.core.suites.semrel.words import RELATIONS
from tashika.core.tokenizing import SPACED, single_tokens
from tashika.evaluate.engine.ragged import Ragged
from tashika.evaluate.engine.tiny_training import SPECIAL, UNKNOWN, new_model, words_of
from tashika.evaluate.semrel import wordnet_bert
from tashika.evaluate.semrel.wordnet_bert import (
    Material,
    WordNetBertSettings,
    _balanced,
    _with_gaps,
    prepare_wordnet_bert,
    read_material,
)
from tashika.evaluate.semrel.wordnet_sentences import (
    UNSEEN,
    WORDINGS,
    RelationItem,
    Sentence,
    common_nouns,
    definition,
    gloss_sentences,
    read_definitions,
    relation_items,
    relation_sentence,
)

HEADER = "  1 WordNet 3.0 Copyright 2006 by somebody.\n"
SYNSETS: dict[str, tuple[str, list[tuple[str, str]], str]] = {
    "beast": ("beast", [("~", "dingo"), ("~", "lynx")], 'a part of the wild; "a wild beast"'),
    "dingo": ("dingo warrigal", [("@", "beast"), ("%p", "tail")], "a wild beast with a tail; of Australia"),
    "lynx": ("lynx", [("@", "beast")], "a beast with short tails"),
    "tail": ("tail", [("#p", "dingo"), ("@", "part")], "the hind part of a beast"),
    "part": ("part wild_part", [("~", "tail"), ("~", "night"), ("~", "day")], "some of a whole"),
    "night": ("night", [("!", "day"), ("@", "part")], "the part that is no day"),
    "day": ("day", [("!", "night"), ("@", "part")], "the part that is no night"),
}
QUICK = WordNetBertSettings(
    hidden=64, layers=1, steps=4, batch=16, learning_rate=1e-2, other_words=30, missing=0.3, held_out=0.0
)


def write_wordnet(folder: Path, beast: str = "~") -> WordNet:
    """A WordNet of these synsets; `beast` is the pointer from beast to its kinds."""
    folder.mkdir()
    offsets = dict.fromkeys(SYNSETS, 0)
    text = ""
    for _ in range(2):  # the second time with the offsets of the first
        text = HEADER
        for name, (words, pointers, gloss) in SYNSETS.items():
            offsets[name] = len(text)
            signs = [(beast if name == "beast" else sign, other) for sign, other in pointers]
            leads = "".join(
                f" {sign} {offsets[other]:08d} n {'0101' if sign == '!' else '0000'}" for sign, other in signs
            )
            listed = " ".join(f"{word} 0" for word in words.split())
            count = len(words.split())
            text += f"{offsets[name]:08d} 05 n {count:02x} {listed} {len(signs):03d}{leads} | {gloss}  \n"
    (folder / "data.noun").write_text(text)
    index = {word: offsets[name] for name, (words, _, _) in SYNSETS.items() for word in words.split()}
    lines = (f"{word} n 1 0 1 0 {place:08d}  \n" for word, place in sorted(index.items()))
    (folder / "index.noun").write_text(HEADER + "".join(lines))
    (folder / "noun.exc").write_text("geese goose\n")
    return WordNet(folder)


@pytest.fixture
def wordnet(tmp_path: Path) -> WordNet:
    return write_wordnet(tmp_path / "wordnet")


def read(wordnet: WordNet, settings: WordNetBertSettings) -> tuple[list[str], Material]:
    """The sentences as texts, and as the model has them."""
    tokenizer, material = read_material(wordnet, settings, np.random.default_rng(0))
    rows = [material.ids.take(np.asarray([row])).values.tolist() for row in range(len(material.about))]
    return [tokenizer.decode(row[1:-1]) for row in rows], material


def test_no_wording_is_a_prompt_of_the_suite_and_all_can_be_filled() -> None:
    prompts = tomllib.loads(packaged("semrel_prompts.toml").read_text())["prompts"]
    for relation in RELATIONS:
        assert not set(WORDINGS[relation]) & set(prompts[relation])
        assert [prompt_problem(text) for text in WORDINGS[relation]] == [None] * len(WORDINGS[relation])
        assert len(WORDINGS[relation]) > 2 * UNSEEN
    everything = [text for each in WORDINGS.values() for text in each]
    assert len(set(everything)) == len(everything)


@pytest.mark.parametrize(
    ("gloss", "expected"),
    [
        ('a long trip; not a short one; "a trip to Rome"', "a long trip"),
        ('a trip "to Rome"; and on', "a trip"),
        ("a kin", "a kin"),
        ('("his") of him', ""),
    ],
)
def test_a_definition_ends_at_a_semicolon_or_a_quotation(gloss: str, expected: str) -> None:
    assert definition(gloss) == expected


def test_nouns_come_by_how_often_definitions_have_them_in_any_form(wordnet: WordNet) -> None:
    counts = words_of(text for _, text in read_definitions(wordnet))
    # part: 4 times, beast: 3, tail: 2 (once as "tails"), day and night once
    assert common_nouns(wordnet, counts, 9) == ["part", "beast", "tail", "day", "night"]
    assert common_nouns(wordnet, counts, 2) == ["part", "beast"]


def test_relata_are_among_the_nouns_alone(wordnet: WordNet) -> None:
    items = relation_items(wordnet, ["part", "day", "beast", "tail"])
    assert RelationItem("part", "hyponymy", ("day", "tail")) in items  # without night
    assert RelationItem("tail", "hypernymy", ("part",)) in items
    assert {item.relation for item in items} == {"hypernymy", "hyponymy"}


def test_a_relation_is_told_with_the_article_that_its_word_takes() -> None:
    item = RelationItem("owl", "hypernymy", ("bird", "animal"))
    told = relation_sentence(item, "[DET] [W] is a type of [V]", frozenset())
    assert told == Sentence("an owl is a type of", ".", ("bird", "animal"), "owl")
    assert relation_sentence(item, "[DET] [W] is a type of [V]", frozenset({"owl"})).before == "owl is a type of"


def test_a_short_definition_makes_two_sentences() -> None:
    definitions = [(["owl", "bird_of_night"], "a small bird"), (["owl"], "this one is far too long"), (["owl"], "")]
    known = {"a", "small", "bird"}
    assert list(gloss_sentences(definitions, {"owl", "bird"}, known, 4, frozenset())) == [
        Sentence("an", " is a small bird.", ("owl",), ""),
        Sentence("an owl is a small", " .", ("bird",), "owl"),
    ]
    assert len(list(gloss_sentences(definitions, {"owl"}, known, 4, frozenset()))) == 1  # no noun in it to mask
    assert len(list(gloss_sentences(definitions, {"owl"}, {"a", "bird"}, 4, frozenset()))) == 1  # one word is unknown
    assert list(gloss_sentences(definitions, {"owl"}, {"bird"}, 4, frozenset())) == []


def test_what_is_masked_stands_at_the_end_of_every_relation(wordnet: WordNet) -> None:
    texts, material = read(wordnet, QUICK)
    related = [text for text, relation in zip(texts, material.relation, strict=True) if relation >= 0]
    assert all(text.replace(" ", "").endswith("[MASK].") for text in related)
    assert "the opposite of night is [MASK]." in related
    assert all(text.count("[MASK]") == 1 for text in texts)


def test_a_share_of_words_and_two_wordings_are_never_learned_from(wordnet: WordNet) -> None:
    texts, material = read(wordnet, QUICK.model_copy(update={"held_out": 0.5}))
    rows = set(_balanced(material, 0.2).tolist())
    antonymy = np.flatnonzero(material.relation == RELATIONS.index("antonymy")).tolist()
    learned = {texts[row] for row in antonymy if row in rows}
    # of the two words, night and day, one is shown, in all wordings but the last two
    assert len(learned) == len(WORDINGS["antonymy"]) - UNSEEN
    assert sum("the opposite of" in text and text.startswith("the") for text in learned) == 1
    assert not any("excludes" in text or "stands" in text for text in learned)


def test_definitions_are_the_share_that_is_asked_for(wordnet: WordNet) -> None:
    _, material = read(wordnet, QUICK)
    for share in (0.0, 0.25, 0.5):
        rows = _balanced(material, share)
        assert (material.relation[rows] < 0).mean() == pytest.approx(share, abs=0.01)


def test_words_go_missing_but_never_the_mask_or_the_word_itself(wordnet: WordNet) -> None:
    _, material = read(wordnet, QUICK)
    batch = np.flatnonzero(material.ids.length == material.ids.length[0])
    before = material.ids.block(batch)
    after = _with_gaps(material, batch, 0.9, np.random.default_rng(0))
    changed = before != after
    assert changed.any()
    assert (after[changed] == UNKNOWN).all()
    assert not (changed & (before == material.about[batch][:, None])).any()
    assert not changed[:, [0, -1]].any()
    assert (_with_gaps(material, batch, 0.0, np.random.default_rng(0)) == before).all()


def test_it_is_a_masked_model_that_says_what_it_is(tmp_path: Path, wordnet: WordNet) -> None:
    folder = prepare_wordnet_bert(tmp_path / "wordnet-bert", QUICK, wordnet)
    assert "trained on WordNet itself" in str(model_note(str(folder)))
    model, tokenizer = load_masked_lm(str(folder))
    assert model.config.vocab_size == len(tokenizer)
    assert (single_tokens(tokenizer, ["day", "night", "beast"], SPACED) >= 0).all()
    assert single_tokens(tokenizer, ["gryphon"], SPACED).tolist() == [-1]


def test_what_it_tells_of_itself_covers_every_part_and_relation(tmp_path: Path, wordnet: WordNet) -> None:
    folder = prepare_wordnet_bert(tmp_path / "wordnet-bert", QUICK, wordnet)
    about = json.loads((folder / "tashika.json").read_text())
    assert about["held_out_wordings"]["antonymy"] == list(WORDINGS["antonymy"][-UNSEEN:])
    found = about["relatum_in_top_10"]
    assert set(found) == {"shown", "held_out_wordings", "held_out_words"}
    assert found["held_out_words"] == dict.fromkeys(RELATIONS)  # none was held out
    asked = {relation for relation, share in found["shown"].items() if share is not None}
    assert asked == {"hypernymy", "hyponymy", "antonymy"}
    assert all(0 <= found[part][relation] <= 1 for part in ("shown", "held_out_wordings") for relation in asked)


def stub_model(vocabulary: int, logits: dict[int, float]) -> Any:
    """A model that gives these logits at every mask, and 0 to all other tokens."""
    given = torch.zeros(vocabulary)
    given[list(logits)] = torch.tensor(list(logits.values()))
    return SimpleNamespace(
        bert=lambda input_ids: SimpleNamespace(last_hidden_state=torch.zeros(*input_ids.shape, 1)),
        cls=lambda states: given.expand(len(states), -1),
    )


def test_the_loss_of_a_sentence_is_the_mean_over_its_relata(wordnet: WordNet, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer, material = read_material(wordnet, QUICK, np.random.default_rng(0))
    of_part = np.flatnonzero(material.about == tokenizer.convert_tokens_to_ids("part"))
    row = of_part[material.relation[of_part] == RELATIONS.index("hyponymy")][:1]
    day = tokenizer.convert_tokens_to_ids("day")
    losses = []
    monkeypatch.setattr(wordnet_bert, "learn", lambda _model, _batches, loss_of, *_: losses.append(float(loss_of(row))))
    wordnet_bert._learn(stub_model(len(tokenizer), {day: math.log(3)}), material, row, QUICK, np.random.default_rng(0))
    # the kinds of part are day, night and tail; of len + 2 shares of probability day has 3, the others 1 each
    total = len(tokenizer) + 2
    assert losses == pytest.approx([-(math.log(3 / total) + 2 * math.log(1 / total)) / 3], rel=1e-5)


def test_a_word_is_found_if_one_of_its_relata_is_in_the_top_ten(wordnet: WordNet) -> None:
    tokenizer, material = read_material(wordnet, QUICK, np.random.default_rng(0))
    known = tokenizer.get_vocab()
    others = [place for word, place in known.items() if word not in {*SYNSETS, *SPECIAL}]
    model = stub_model(len(tokenizer), {known["day"]: 9.0, known["tail"]: 8.0, **dict.fromkeys(others[:8], 1.0)})

    def share(relation: str, shown: bool = True) -> float | None:
        rows = np.flatnonzero((material.relation == RELATIONS.index(relation)) & shown)
        return wordnet_bert._share_found(model, material, rows)

    assert share("antonymy") == 0.5  # of night it is day, but of day not night
    assert share("hyponymy") == 1.0  # of part; day and tail are both there and count once
    assert share("hypernymy") == 0.0  # part
    assert share("hyponymy", shown=False) is None


def test_words_that_are_related_start_alike(wordnet: WordNet) -> None:
    """Two words that have each other alone: both get the mean of their two vectors, brought to length one."""
    ids = Ragged.of([[2, 4, 3], [2, 4, 3]])
    both, none = np.asarray([True, True]), np.asarray([0, 0])
    material = Material(ids, np.asarray([5, 6]), Ragged.of([[6], [5]]), none, both, both)
    model = new_model(8, QUICK)
    first = model.bert.embeddings.word_embeddings.weight.detach().clone()
    wordnet_bert._start_alike(model, material, QUICK)
    added = (model.bert.embeddings.word_embeddings.weight.detach() - first).numpy()
    drawn = np.random.default_rng(QUICK.seed).normal(size=(8, QUICK.hidden))[5:7].mean(axis=0)
    assert added[5] == pytest.approx(drawn / np.linalg.norm(drawn), abs=1e-6)
    assert added[6] == pytest.approx(added[5], abs=1e-6)
    assert not added[[0, 1, 2, 3, 4, 7]].any()


def test_the_same_wordnet_gives_the_same_model_and_a_second_run_trains_nothing(tmp_path: Path) -> None:
    wordnet = write_wordnet(tmp_path / "wordnet")
    first = prepare_wordnet_bert(tmp_path / "a" / "wordnet-bert", QUICK, wordnet)
    second = prepare_wordnet_bert(tmp_path / "b" / "wordnet-bert", QUICK, wordnet)
    assert hash_file(first / "model.safetensors") == hash_file(second / "model.safetensors")
    before = (first / "model.safetensors").stat().st_mtime_ns
    prepare_wordnet_bert(first, QUICK, wordnet)
    assert (first / "model.safetensors").stat().st_mtime_ns == before
    prepare_wordnet_bert(first, QUICK, write_wordnet(tmp_path / "other", beast="%m"))
    assert (first / "model.safetensors").stat().st_mtime_ns != before


def test_words_without_a_relatum_are_refused(tmp_path: Path, wordnet: WordNet) -> None:
    with pytest.raises(InputError, match="no common noun has a relatum"):
        prepare_wordnet_bert(tmp_path / "wordnet-bert", QUICK.model_copy(update={"nouns": 1}), wordnet)
    assert not (tmp_path / "wordnet-bert").exists()
