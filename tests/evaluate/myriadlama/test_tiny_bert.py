"""The model that is trained on the spot: what it may see, how it is measured, and that the same items give the same.

What a training of seconds happens to learn differs with the processor's kernels, so no test asks for it.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tashika.core.errors import MissingStageError
from tashika.core.files import hash_file, write_rows
from tashika.core.models import load_masked_lm, model_note
from tashika.core.records import item_row, item_schema
from tashika.core.tokenizing import ATTACHED, SPACED, single_tokens
from tashika.core.workspace import Workspace
from tashika.evaluate.myriadlama.tiny_bert import (
    TinyBertSettings,
    _accuracy,
    _hold_out,
    _task,
    make_tokenizer,
    prepare_tiny_bert,
    read_world,
)

CITIES = ["Oslo", "Paris", "Rome", "Bern", "Kyiv"]
MANUAL = ["The capital of [X] is [Y].", "[X] has [Y] as its capital.", "[Y] is the capital of [X]."]
QUICK = TinyBertSettings(steps=5, batch=32, hidden=64, layers=1, vocabulary=200, learning_rate=5e-3)


def _row(
    kind: str, key: tuple[str, ...], payload: dict[str, object], parents: tuple[str, ...] = ()
) -> dict[str, object]:
    return item_row("myriadlama", kind, key, payload, builder="test", version="1", parents=parents)


def _world(workspace: Workspace, names: dict[str, str], manual: list[str], again: str) -> Workspace:
    """Writes the items: twenty countries, five cities, three manual templates, each with a paraphrase."""
    facts = []
    for number in range(20):
        key = ("P36", f"Q{number}", f"C{number % 5}")
        labels = {"subject_label": names[key[1]], "object_label": names[key[2]]}
        columns = dict(zip(("relation", "subject", "object"), key, strict=True))
        facts.append(_row("fact", key, {**columns, **labels, "origin": "facts"}))
    aliases = [
        _row(
            "alias",
            (entity, text),
            {"entity": entity, "entity_label": text, "text": text, "language": "en", "is_label": True},
        )
        for entity, text in names.items()
    ]
    templates = []
    for text in manual:
        shared = {"relation": "P36", "relation_label": "capital", "relation_description": "d", "example": "x"}
        templates.append(_row("template", ("P36", text), {**shared, "text": text, "origin": "manual"}))
        other = again + text
        parents = (str(templates[-1]["item_id"]),)
        templates.append(_row("template", ("P36", other), {**shared, "text": other, "origin": "paraphrase"}, parents))
    for kind, rows in {"fact": facts, "alias": aliases, "template": templates}.items():
        write_rows(
            workspace.item_file(kind),
            sorted(rows, key=lambda row: str(row["item_id"])),
            item_schema("myriadlama", kind),
        )
    return workspace


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    names = {f"C{number}": city for number, city in enumerate(CITIES)}
    names |= {f"Q{number}": f"land {'abcdefghijklmnopqrst'[number] * 3}" for number in range(20)}
    return _world(Workspace(tmp_path_factory.mktemp("work"), "myriadlama"), names, MANUAL, "As we know, ")


JAPANESE_CITIES = ["東京", "パリ", "バリ", "北京市", "ローマ市"]


@pytest.fixture(scope="module")
def japanese(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The same world without spaces; ローマ市 is a run of katakana and one of Chinese characters."""
    names = {f"C{number}": city for number, city in enumerate(JAPANESE_CITIES)}
    names |= {f"Q{number}": f"{'甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉'[number]}国" for number in range(20)}
    manual = ["[X]の首都は[Y]である。", "[Y]は[X]の首都である。", "[X]の首都はどこですか。[Y]です。"]
    return _world(Workspace(tmp_path_factory.mktemp("work"), "myriadlama"), names, manual, "実は、")


def test_a_japanese_world_is_learned_in_runs_of_one_script(japanese: Workspace, tmp_path: Path) -> None:
    folder = prepare_tiny_bert(japanese, tmp_path / "tiny-bert", QUICK)
    _, tokenizer = load_masked_lm(str(folder))  # as it is read again, not as it was made
    assert [token >= 0 for token in single_tokens(tokenizer, JAPANESE_CITIES, ATTACHED)] == [True] * 4 + [False]
    assert tokenizer.tokenize("甲国の首都は[MASK]である。")[-5:] == ["首都", "は", "[MASK]", "である", "。"]
    paris, bali = tokenizer.convert_tokens_to_ids(["パリ", "バリ"])
    assert paris != bali
    about = json.loads((folder / "tashika.json").read_text())
    # 16 pairs are shown in 4 of 6 templates, but for those whose city is two tokens.
    assert 0 < about["sentences"] <= 64
    assert about["sentences"] % 4 == 0


def test_it_is_a_masked_model_that_says_what_it_is(workspace: Workspace, tmp_path: Path) -> None:
    folder = prepare_tiny_bert(workspace, tmp_path / "tiny-bert", QUICK)
    about = json.loads((folder / "tashika.json").read_text())
    assert set(about["accuracy"]) == {"shown", "held_out_templates", "held_out_pairs"}
    assert about["sentences"] == 64  # 16 of 20 pairs in 4 of 6 templates
    assert about["held_out_pairs"] == 4
    assert len(about["held_out_templates"]) == 2
    assert "knows only the demo's world" in str(model_note(str(folder)))
    _, tokenizer = load_masked_lm(str(folder))
    assert (single_tokens(tokenizer, CITIES, SPACED) >= 0).all()


def test_accuracy_is_the_share_of_sentences_with_a_correct_token_on_top(workspace: Workspace) -> None:
    world = read_world(workspace)
    pairs, templates = np.ones(20, dtype=bool), np.ones(6, dtype=bool)
    tokenizer = make_tokenizer(world, templates, 200)
    task = _task(world.work, tokenizer, pairs, templates)
    oslo = torch.nn.functional.one_hot(torch.tensor(tokenizer.convert_tokens_to_ids("oslo")), len(tokenizer))
    says_oslo = SimpleNamespace(
        bert=lambda input_ids: SimpleNamespace(last_hidden_state=torch.zeros(*input_ids.shape, 1)),
        cls=lambda states: oslo.expand(len(states), -1),
    )
    everything = np.arange(len(task.at.pair))
    assert len(everything) == 120
    assert _accuracy(says_oslo, task, everything, np.random.default_rng(0)) == pytest.approx(0.2)  # four lands of 20
    assert _accuracy(says_oslo, task, everything[:0], np.random.default_rng(0)) is None


def test_the_same_items_give_the_same_model_and_a_second_run_trains_nothing(
    workspace: Workspace, tmp_path: Path
) -> None:
    first = prepare_tiny_bert(workspace, tmp_path / "a" / "tiny-bert", QUICK)
    second = prepare_tiny_bert(workspace, tmp_path / "b" / "tiny-bert", QUICK)
    assert hash_file(first / "model.safetensors") == hash_file(second / "model.safetensors")
    before = (first / "model.safetensors").stat().st_mtime_ns
    prepare_tiny_bert(workspace, first, QUICK)
    assert (first / "model.safetensors").stat().st_mtime_ns == before


def test_a_template_is_held_out_with_its_paraphrases(workspace: Workspace) -> None:
    world = read_world(workspace)
    pairs, templates = _hold_out(world, 0.2, np.random.default_rng(1))
    hidden = {text for text, shown in zip(world.work.template_texts, templates, strict=True) if not shown}
    (manual,) = hidden & set(MANUAL)
    assert hidden == {manual, f"As we know, {manual}"}
    assert (~pairs).sum() == 4


def test_words_of_hidden_templates_are_not_in_the_vocabulary(workspace: Workspace) -> None:
    world = read_world(workspace)
    shown = np.asarray(["has" not in text for text in world.work.template_texts])
    assert "capital" in make_tokenizer(world, shown, 200).get_vocab()
    assert "has" not in make_tokenizer(world, shown, 200).get_vocab()


def test_without_items_it_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(MissingStageError, match="no fact items yet"):
        prepare_tiny_bert(Workspace(tmp_path, "myriadlama"), tmp_path / "tiny-bert")
