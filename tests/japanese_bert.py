"""A tiny BERT whose tokenizer parts text with MeCab or Juman++ before its vocabulary comes in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "お腹", "が", "空い", "た", "ので", "ご飯", "を", "食べる",
         "雨", "傘", "さす", "水", "飲む", "##る", "##く")  # fmt: skip
SHAPE: dict[str, Any] = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}


def japanese_bert(folder: Path, parser: str = "mecab", dictionary: str = "unidic_lite", positions: int = 64) -> Path:
    """Writes the model with random weights.

    Args:
        folder: Where to.
        parser: `mecab` or `jumanpp`.
        dictionary: Of MeCab.
        positions: Tokens that it takes.
    """
    import json

    import torch
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(0)
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=positions, **SHAPE)
    BertForMaskedLM(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    settings = {
        "tokenizer_class": "BertJapaneseTokenizer",
        "word_tokenizer_type": parser,
        "subword_tokenizer_type": "wordpiece",
        "do_lower_case": False,
        "model_max_length": positions,
        **({"mecab_kwargs": {"mecab_dic": dictionary}} if parser == "mecab" else {}),
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder
