"""A small world, and tiny models with random weights that are asked about it."""

from __future__ import annotations

import html.parser
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.core.records import item_id
from tashika.core.suites.discovery import all_suites

SUITE = "myriadlama"
RELATIONS = {
    "P36": ["The capital of [X] is [Y].", "[X]'s capital is [Y].", "[Y] is the capital of [X].", "What ([X])? [Y]!"],
    "P19": ["[X] was born in [Y].", "Where was [X] born? In [Y].", 'The "[Y]" of [X].', "[X] was born in [Y]"],
}
NAMES = {
    "Q142": ["France", "French Republic", "FRANCE"],
    "Q183": ["Germany", "Deutschland, D.E."],
    "Q230": ["Georgia", "Sakartvelo"],
    "Q1428": ["Georgia", "GA"],
    "Q90": ["Paris", "City of Light"],
    "Q64": ["Berlin"],
    "Q994": ["Tbilisi", "Tiflis"],
    "Q23556": ["Atlanta City"],
    "Q1": ["Ada Lovelace", "Ada"],
    "Q2": ["Émile Zola", "Zola"],
    "Q84": ["London"],
}
FACTS = [
    ("P36", "Q142", "Q90"),
    ("P36", "Q183", "Q64"),
    ("P36", "Q230", "Q994"),
    ("P36", "Q1428", "Q23556"),
    ("P19", "Q1", "Q84"),
    ("P19", "Q2", "Q90"),
    ("P19", "Q2", "Q84"),
]


def small_release(folder: Path, names: dict[str, list[str]] | None = None) -> Path:
    """Writes a release of the small world, as the exports room does."""
    world = {**NAMES, **(names or {})}
    facts = [
        {
            "item_id": item_id(SUITE, "fact", *fact),
            "relation": fact[0],
            "subject": fact[1],
            "object": fact[2],
            "subject_label": world[fact[1]][0],
            "object_label": world[fact[2]][0],
            "origin": "facts",
            "subject_aliases": world[fact[1]],
            "object_aliases": world[fact[2]],
        }
        for fact in sorted(FACTS)
    ]
    aliases = [
        {
            "item_id": item_id(SUITE, "alias", entity, text),
            "entity": entity,
            "entity_label": texts[0],
            "text": text,
            "language": "en",
            "is_label": text == texts[0],
        }
        for entity, texts in sorted(world.items())
        for text in texts
    ]
    templates = [
        {
            "item_id": item_id(SUITE, "template", relation, text),
            "relation": relation,
            "relation_label": relation,
            "text": text,
            "origin": "manual",
            "parent": None,
            "votes_for": 3,
            "votes_cast": 3,
        }
        for relation, texts in sorted(RELATIONS.items())
        for text in texts
    ]
    tables: dict[str, list[dict[str, Any]]] = {"facts": facts, "aliases": aliases, "templates": templates}
    for name, rows in tables.items():
        (folder / name).mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows), folder / name / f"{name}.parquet")
    identity = {"suite": SUITE, "version": "0.1.0", "digest": "d" * 64, "counts": {}, "simulated": True}
    (folder / "release.json").write_text(json.dumps(identity))
    return folder


def _corpus() -> list[str]:
    words = [name for names in NAMES.values() for name in names]
    texts = [text for texts in RELATIONS.values() for text in texts]
    return [text.replace("[X]", x).replace("[Y]", y) for text in texts for x in words for y in words]


def _trained(tokenizer: Any, trainer: Any) -> Any:
    tokenizer.train_from_iterator(_corpus(), trainer)
    return tokenizer


def _wordpiece() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    _trained(tokenizer, trainers.WordPieceTrainer(vocab_size=260, special_tokens=special, show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer, {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}


def _byte_bpe(*, roberta: bool) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>"] if roberta else ["<|end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    _trained(
        tokenizer,
        trainers.BpeTrainer(vocab_size=420, special_tokens=special, initial_alphabet=alphabet, show_progress=False),
    )
    if not roberta:
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
        return tokenizer, {"bos": "<|end|>", "eos": "<|end|>", "unk": "<|end|>"}
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    names = {"bos": "<s>", "eos": "</s>", "cls": "<s>", "sep": "</s>", "pad": "<pad>", "unk": "<unk>"}
    return tokenizer, {**names, "mask": "<mask>"}


def _unigram(*, causal: bool) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.Unigram())
    if not causal:
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<s>", "</s>", "<unk>"] if causal else ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.UnigramTrainer(
        vocab_size=170, special_tokens=special, unk_token="<unk>", show_progress=False, max_piece_length=12
    )
    _trained(tokenizer, trainer)
    if causal:
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
        return tokenizer, {"bos": "<s>", "eos": "</s>", "unk": "<unk>"}
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer, {"pad": "<pad>", "unk": "<unk>", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}


def _saved(folder: Path, tokenizer: Any, special: dict[str, str], model: Callable[[int], Any]) -> Path:
    import torch
    from tokenizers import AddedToken
    from transformers import PreTrainedTokenizerFast

    names: dict[str, Any] = {f"{name}_token": text for name, text in special.items()}
    if special.get("mask") in {"<mask>", "[MASK]"} and "<pad>" in special.values():
        names["mask_token"] = AddedToken(special["mask"], lstrip=True)
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=48, **names)
    wrapped.save_pretrained(folder)
    torch.manual_seed(3)
    made = model(len(wrapped))
    with torch.no_grad():
        for weight in made.parameters():  # far from uniform distributions, so that ranks are told apart
            if weight.dim() > 1:
                weight.normal_(0.0, 0.3)
    made.save_pretrained(folder)
    return folder


def make_model(name: str, folder: Path) -> Path:
    """Makes a tiny model of a family, with random weights and a tokenizer of its kind."""
    import transformers as t

    shape: dict[str, Any] = {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
    }
    positions: dict[str, Any] = {"max_position_embeddings": 52}
    makers: dict[str, Callable[[], tuple[Any, Callable[[int], Any]]]] = {
        "bert": lambda: (_wordpiece(), lambda v: t.BertForMaskedLM(t.BertConfig(vocab_size=v, **shape, **positions))),
        "electra": lambda: (
            _wordpiece(),
            lambda v: t.ElectraForMaskedLM(t.ElectraConfig(vocab_size=v, embedding_size=16, **shape, **positions)),
        ),
        "distilbert": lambda: (
            _wordpiece(),
            lambda v: t.DistilBertForMaskedLM(
                t.DistilBertConfig(vocab_size=v, dim=16, n_layers=2, n_heads=2, hidden_dim=32, **positions)
            ),
        ),
        "roberta": lambda: (
            _byte_bpe(roberta=True),
            lambda v: t.RobertaForMaskedLM(t.RobertaConfig(vocab_size=v, pad_token_id=1, **shape, **positions)),
        ),
        "albert": lambda: (
            _unigram(causal=False),
            lambda v: t.AlbertForMaskedLM(t.AlbertConfig(vocab_size=v, embedding_size=8, **shape, **positions)),
        ),
        "gpt2": lambda: (
            _byte_bpe(roberta=False),
            lambda v: t.GPT2LMHeadModel(t.GPT2Config(vocab_size=v, n_embd=16, n_layer=2, n_head=2, n_positions=48)),
        ),
        "llama": lambda: (
            _unigram(causal=True),
            lambda v: t.LlamaForCausalLM(t.LlamaConfig(vocab_size=v, **shape, max_position_embeddings=48)),
        ),
    }
    (tokenizer, special), model = makers[name]()
    return _saved(folder, tokenizer, special, model)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Gives the folder of a tiny model of a family, made once a session."""
    made: dict[str, Path] = {}

    def get(name: str) -> str:
        if name not in made:
            made[name] = make_model(name, tmp_path_factory.mktemp(name))
        return str(made[name])

    return get


@pytest.fixture(scope="session")
def toy_tokenizer() -> Any:
    """Parts Japanese into characters and joins pairs as BERT does."""
    from tashika.evaluate.kuci.ja_encoder import unigram_tokenizer

    letters = "お腹が空いたので飯を食う走る寝笑雨降とら傘さす眠楽しい急だとても長道あ。"
    return unigram_tokenizer(dict.fromkeys(letters, -1.0))


@pytest.fixture(scope="session")
def toy_encoder(tmp_path_factory: pytest.TempPathFactory, toy_tokenizer: Any) -> Path:
    """A tiny BERT with random weights for `toy_tokenizer`."""
    from types import SimpleNamespace

    from tashika.evaluate.engine.tiny_training import new_model, save

    folder = tmp_path_factory.mktemp("toy")
    save(new_model(len(toy_tokenizer), SimpleNamespace(seed=1, hidden=32, layers=1)), toy_tokenizer, folder)
    return folder


@pytest.fixture(scope="session")
def release_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world as a release; read only."""
    return small_release(tmp_path_factory.mktemp("world") / "release")


@pytest.fixture
def make_release(tmp_path: Path) -> Callable[..., Path]:
    """Writes the small world with other names for some entities."""
    return lambda names=None: small_release(tmp_path / "other", names)


@pytest.fixture
def work(tmp_path: Path, release_folder: Path) -> Path:
    """A working directory with a release of the small world."""
    shutil.copytree(release_folder, tmp_path / "work" / "myriadlama" / "release")
    return tmp_path / "work"


@pytest.fixture
def run(work: Path, tmp_path: Path) -> Callable[..., Any]:
    """Runs `tashika evaluate myriadlama` with small settings, which lie in `config.toml`."""
    from typer.testing import CliRunner

    from tashika.evaluate.command import app

    config = tmp_path / "config.toml"
    config.write_text("[evaluate]\ndraws = 20\nbins = 4\nseed = 0\nbatch_tokens = 512\n")

    def call(*arguments: str, expect: type[BaseException] | None = None) -> Any:
        line = ["myriadlama", *arguments, "--work", str(work), "--config", str(config)]
        result = CliRunner().invoke(app, line)
        if expect is None:
            assert result.exit_code == 0, result.output
        else:
            assert isinstance(result.exception, expect)
        return result

    return call


class _Tags(html.parser.HTMLParser):
    """Notes which elements are open, the ids, and what is linked to."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        self.open += [] if tag in {"meta", "br"} else [tag]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [str(values["id"])] if "id" in values else []
        self.links += [str(values[key]) for key in ("src", "href", "xlink:href") if key in values]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def assert_whole() -> Callable[[str], None]:
    """Checks a report: elements are closed in order, ids differ, links lead into the page, nothing is loaded.

    Papers are linked, which loads nothing.
    """
    papers = {paper.url for suite in all_suites().values() for paper in suite.papers}

    def check(page: str) -> None:
        tags = _Tags()
        tags.feed(page)
        assert tags.open == []
        assert len(tags.ids) == len(set(tags.ids))
        inside = [link for link in tags.links if link not in papers]
        assert all(link.startswith("#") and link[1:] in tags.ids for link in inside)
        assert not re.search(r"@import|url\((?!#)|{{|{%|<script[^>]+src=|<(img|link|iframe)\b", page)

    return check


class Chat:
    """An OpenAI-compatible chat endpoint that says to each prompt what the test's function says."""

    def __init__(self, server: HTTPServer, say: Callable[[str], str | tuple[int, str]]) -> None:
        self.url = server.url_for("/v1")
        self.asked: list[dict[str, Any]] = []
        self.keys: set[str | None] = set()
        self._say, self._lock = say, Lock()
        server.clear()
        server.expect_request("/v1/chat/completions").respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        body = json.loads(request.data)
        with self._lock:
            self.asked.append(body)
            self.keys.add(request.headers.get("Authorization"))
        said = self._say(body["messages"][-1]["content"])
        status, text = said if isinstance(said, tuple) else (200, said)
        content = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
        shown: Any = content if status == 200 else {"error": {"message": text}}
        return Response(json.dumps(shown), status=status, content_type="application/json")


@pytest.fixture(scope="module")
def chat_server() -> Iterator[HTTPServer]:
    with HTTPServer(host="127.0.0.1", port=0, threaded=True) as server:
        yield server


@pytest.fixture
def chat(chat_server: HTTPServer) -> Callable[[Callable[[str], str | tuple[int, str]]], Chat]:
    """Serves a `Chat` that says what a function makes of a prompt; a status with a text is a failure."""
    return lambda say: Chat(chat_server, say)


@pytest.fixture
def serve(chat_server: HTTPServer) -> Callable[[Callable[[str, int], Any]], Any]:
    """Serves a `Wire` that says what a function makes of a prompt and its seed, whole or not."""
    from tests.evaluate.proverbs.world import Wire

    return lambda say: Wire(chat_server, say)


@pytest.fixture(scope="session")
def judge(tiny_model: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A judge of proverbs' statements with random weights."""
    from tests.evaluate.proverbs.world import LABELS, make_judge

    return make_judge(tmp_path_factory.mktemp("judge"), tiny_model("bert"), LABELS)


@pytest.fixture
def never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two attempts at a broken reply nothing waits."""
    from tashika.core import llm
    from tashika.core.replies import retried

    monkeypatch.setattr(llm, "retried", lambda call, *, where, sleep: retried(call, where=where, sleep=lambda _: None))


@pytest.fixture
def a_run(tmp_path: Path, judge: str, never_waits: None) -> Callable[..., Any]:
    """A run of proverbs on one pair a topic, at an endpoint or on this machine."""
    from tashika.core.workspace import Workspace
    from tashika.evaluate.proverbs.questions import read_release
    from tashika.evaluate.proverbs.run import Run
    from tashika.evaluate.proverbs.settings import EvaluateSettings
    from tashika.evaluate.systems import How, System
    from tests.evaluate.proverbs.world import write_release

    def make(model: str = "m", endpoint: str | None = None, **values: Any) -> Run:
        workspace = Workspace(values.pop("work", tmp_path / "work"), "proverbs")
        if not workspace.release.exists():
            write_release(workspace.release)
        limit, chosen = values.pop("limit", None), values.pop("judge", judge)
        how = values.pop("how", How("cpu", "fp32"))
        settings = EvaluateSettings.model_validate(
            {"judge": chosen, "weak_judge": True, "llm": {"concurrency": 1}, **values}
        )
        system = System.chat(model, endpoint) if endpoint else System.local(model, how, workspace)
        return Run.of(workspace, read_release(workspace.release), system, how, settings, chosen, limit)

    return make
