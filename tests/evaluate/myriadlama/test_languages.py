"""A release in Japanese, from prompts to predictions, by a masked and a causal model with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tashika.core.models import load_model
from tashika.evaluate.engine.tiny_training import tokenizer_of, words_of
from tashika.evaluate.myriadlama.prompts import Release, WorkList, work_list
from tashika.evaluate.myriadlama.scoring import Engine

TEMPLATES = [
    "[X]の首都は[Y]である。",
    "[X]の首都はどこですか。[Y]です。",
    "[Y]は[X]の首都である。",
    "[X]の政府は[Y]にある。",
]
FACTS = [
    ("ドイツ", "ベルリン"),
    ("フランス", "パリ"),
    ("日本国", "東京"),
    ("中華人民共和国", "北京市"),
    ("タイ王国", "バンコク都"),  # two runs of one script, so two tokens
]
LAST = [True, True, False, False]


def _id(number: int) -> str:
    return f"{number:032x}"


@pytest.fixture(scope="module")
def work() -> WorkList:
    facts = [
        {"relation": "P36", "subject": subject, "object": value, "object_aliases": [value]} for subject, value in FACTS
    ]
    aliases = [{"item_id": _id(1 << (100 + i)), "entity": name, "text": name} for i, (name, _) in enumerate(FACTS)]
    templates = [{"item_id": _id(i << 100), "relation": "P36", "text": text} for i, text in enumerate(TEMPLATES)]
    tables = (pa.Table.from_pylist(rows) for rows in (facts, aliases, templates))
    return work_list(Release("0.1.0", "", False, *tables))


def _save(folder: Path, kind: str) -> str:
    """A model with random weights over the words of this world."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, LlamaConfig, LlamaForCausalLM

    texts = [template.replace("[X]", " ").replace("[Y]", " ") for template in TEMPLATES]
    words = words_of([*texts, *(name for fact in FACTS for name in fact)], spaced=False)
    tokenizer: Any = tokenizer_of(words, 100, [], spaced=False)
    torch.manual_seed(0)
    shape: dict[str, Any] = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_attention_heads": 2,
    }
    model: Any
    if kind == "masked":
        model = BertForMaskedLM(BertConfig(**shape, num_hidden_layers=1))
    else:
        tokenizer.mask_token, tokenizer.eos_token = None, tokenizer.sep_token
        model = LlamaForCausalLM(LlamaConfig(**shape, num_hidden_layers=1, num_key_value_heads=2))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def _expected(loaded: Any, text: str, answer: str) -> tuple[int, float] | None:
    """The rank and the probability of the answer, slow and plain."""
    import torch

    tokenizer = loaded.tokenizer
    [*token] = tokenizer(answer, add_special_tokens=False)["input_ids"]
    if len(token) != 1:
        return None
    masked = loaded.kind == "masked"
    shown = text.replace("[Y]", "[MASK]") if masked else text[: text.index("[Y]")]
    ids = tokenizer(shown)["input_ids"]
    ids = ids if masked or ids[-1] != tokenizer.sep_token_id else ids[:-1]
    with torch.no_grad():
        logits = loaded.model(input_ids=torch.tensor([ids])).logits[
            0, ids.index(tokenizer.mask_token_id) if masked else -1
        ]
    probability = torch.softmax(logits, dim=-1)
    return 1 + int((probability > probability[token[0]]).sum()), float(probability[token[0]])


@pytest.mark.parametrize("kind", ["masked", "causal"])
def test_a_japanese_release_is_scored(kind: str, work: WorkList, tmp_path: Path) -> None:
    loaded = load_model(_save(tmp_path / kind, kind), device="cpu", dtype="fp32")
    assert loaded.kind == kind
    engine = Engine.of(loaded, work)
    assert engine.answers.counts.objects.model_dump() == {"kept": 4, "of": 5}
    rows = engine.score(0, len(work)).to_pylist()
    assert len(rows) == len(FACTS) * len(TEMPLATES)
    answers = dict(FACTS)
    places = work.stretch(0, len(work))
    for row, alias, template in zip(rows, places.alias, places.template, strict=True):
        subject, text = work.alias_texts[alias], work.template_texts[template]
        if kind == "causal" and not LAST[TEMPLATES.index(text)]:
            assert row["problem"] == "blank is not at the end"
            continue
        expected = _expected(loaded, text.replace("[X]", subject), answers[subject])
        if expected is None:
            assert (subject, row["problem"]) == ("タイ王国", "no single-token object")
        else:
            assert row["rank"] == expected[0]
            assert row["probability"] == pytest.approx(expected[1], rel=1e-4)
