"""The small world as a workspace, two tiny models, and the command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tashika.core.workspace import Workspace
from tashika.evaluate.engine.tiny_training import POSITIONS, new_model, save, tokenizer_of
from tashika.evaluate.semrel import probes as semrel_probes
from tests.evaluate.semrel.world import (
    ASKED,
    HYPERNYMY,
    RELATA,
    VOCABULARY,
    FakeWordNet,
    Shape,
    item,
    text_of,
    write_items,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Three targets, two relations, a control question."""
    made = Workspace(tmp_path / "work", "semrel")
    names = ("target", "relation", "prompt")
    probes = [
        item("probe", probe, {**dict(zip(names, probe, strict=True)), "text": text_of(probe), "questionnaire": 1})
        for probe in ASKED
    ]
    control = ("sky", "hypernymy", HYPERNYMY)
    known = {"text": "a sky is a kind of", "questionnaire": 1, "known_answers": ["thing"]}
    probes.append(item("probe", control, {**dict(zip(names, control, strict=True)), **known}))
    write_items(made, "probe", [{"known_answers": None, **probe} for probe in probes])
    relata = [
        item(
            "relatum",
            (*key, word),
            {"target": key[0], "relation": key[1], "word": word, "distance": 1, "origins": ["wordnet"]},
        )
        for key, words in RELATA.items()
        for word in words
    ]
    write_items(made, "relatum", relata)
    (made.items / "vocabulary.txt").write_text("\n".join(VOCABULARY))
    return made


@pytest.fixture(scope="session")
def masked(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT with random weights whose tokenizer has all words but "uncle"."""
    folder = tmp_path_factory.mktemp("masked")
    words = " ".join([*VOCABULARY[:-1], "a is kind of the opposite . u n c l e"]).split()
    tokenizer = tokenizer_of(dict.fromkeys(words, 1), len(words), ())
    tokenizer.model_max_length = POSITIONS
    save(new_model(len(tokenizer), Shape()), tokenizer, folder)
    return str(folder)


@pytest.fixture(scope="session")
def causal(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A GPT-2 with random weights over whole words; "niece" is unknown to it."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    words = [
        "<unk>",
        *(word for word in VOCABULARY if word != "niece"),
        *["a", "is", "kind", "of", "the", "opposite", "x"],
    ]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    folder = tmp_path_factory.mktemp("causal")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", model_max_length=32).save_pretrained(folder)
    torch.manual_seed(1)
    GPT2LMHeadModel(GPT2Config(vocab_size=len(words), n_embd=16, n_layer=1, n_head=2, n_positions=32)).save_pretrained(
        folder
    )
    return str(folder)


@pytest.fixture
def run(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs `tashika evaluate semrel` with small settings."""
    from typer.testing import CliRunner

    from tashika.evaluate.command import app

    monkeypatch.setattr(semrel_probes, "open_wordnet", lambda _: FakeWordNet())
    config = tmp_path / "config.toml"

    def call(*arguments: str, expect: type[BaseException] | None = None, settings: str = "") -> Any:
        config.write_text(f"[evaluate]\nk = 3\nresamples = 20\npermutations = 20\nchunk = 4\n{settings}")
        line = ["semrel", *arguments, "--work", str(workspace.root), "--config", str(config)]
        result = CliRunner().invoke(app, line, env={"COLUMNS": "200"})
        if expect is None:
            assert result.exit_code == 0, result.output + repr(result.exception)
            return result
        assert isinstance(result.exception, expect), result.output
        return result.exception

    return call
