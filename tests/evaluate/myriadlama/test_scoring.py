"""The engine against a slow reference: every prompt by itself, as a whole string, all logits, float64."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.core.models import LoadedModel, load_model
from tashika.evaluate.engine import shards
from tashika.evaluate.engine.model import model_of
from tashika.evaluate.engine.pieces import PromptEncoder
from tashika.evaluate.engine.shards import forget_shards, plan, write_predictions
from tashika.evaluate.myriadlama.answers import blank_is_last
from tashika.evaluate.myriadlama.predictions import PREDICTION
from tashika.evaluate.myriadlama.prompts import WorkList, read_release, work_list
from tashika.evaluate.myriadlama.scoring import Engine, Prepared

FAMILIES = ("bert", "roberta", "albert", "distilbert", "electra", "gpt2", "llama")


def _loaded(path: str) -> LoadedModel:
    loaded = load_model(path, device="cpu", dtype="fp32")
    return replace(loaded, model=loaded.model.double())


def _reference(loaded: LoadedModel, work: WorkList) -> list[dict[str, Any]]:
    """One row a prompt, slow and plain."""
    rows = []
    for pair in range(len(work.pair_number)):
        facts = [names for owner, names in zip(work.fact_pair, work.fact_answers, strict=True) if owner == pair]
        words = [word for names in facts for word in names]
        for alias in range(work.alias_start[pair], work.alias_start[pair] + work.alias_count[pair]):
            first = work.template_start[pair]
            for template in range(first, first + work.template_count[pair]):
                text = work.template_texts[template].replace("[X]", work.alias_texts[alias])
                item = work.template_ids[template][:16] + work.alias_ids[alias][:16]
                rows.append({"item_id": item, **_answer(loaded, text, words)})
    return rows


def _answer(loaded: LoadedModel, text: str, words: list[str]) -> dict[str, Any]:
    import torch

    tokenizer, model = loaded.tokenizer, loaded.model
    if loaded.kind == "causal" and not blank_is_last(text):
        return {"rank": None, "problem": "blank is not at the end"}
    before = text[: text.index("[Y]")]
    spaced = before.endswith(" ") and before.strip() != ""
    tokens = set()
    for word in words:
        lead = "x " if spaced else "(" if before.strip() else ""
        ids = tokenizer(lead + word, add_special_tokens=False)["input_ids"]
        ids = ids[len(tokenizer(lead.strip(), add_special_tokens=False)["input_ids"]) if lead else 0 :]
        if len(ids) == 1 and ids[0] not in tokenizer.all_special_ids:
            tokens.add(ids[0])
    if not tokens:
        return {"rank": None, "problem": "no single-token object"}
    shown = text.replace("[Y]", tokenizer.mask_token) if loaded.kind == "masked" else before.rstrip()
    ids = tokenizer(shown)["input_ids"]
    place = ids.index(tokenizer.mask_token_id) if loaded.kind == "masked" else len(ids) - 1
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids])).logits[0, place]
    probability = torch.softmax(logits, dim=-1)
    best = max(float(probability[token]) for token in tokens)
    top = int(logits.argmax())
    piece = tokenizer.convert_ids_to_tokens(top)
    said = tokenizer.decode([top]).strip()
    said = said if said and "\ufffd" not in said else piece
    return {
        "rank": 1 + sum(float(other) > best for other in probability),
        "probability": best,
        "top_token": top,
        "top_word": said,
        "top_probability": float(probability[top]),
        "top_10_probability": float(probability.sort(descending=True).values[:10].sum()),
        "problem": None,
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_agrees_with_the_reference(family: str, tiny_model: Callable[[str], str], release_folder: Path) -> None:
    loaded = _loaded(tiny_model(family))
    work = work_list(read_release(release_folder))
    engine = Engine.of(loaded, work)
    found = engine.score(0, len(work)).to_pylist()
    expected = _reference(loaded, work)
    assert engine.model.blank.way == ("last layer" if family in {"bert", "roberta", "electra"} else "head")
    assert [row["item_id"] for row in found] == [row["item_id"] for row in expected]
    assert [row["problem"] for row in found] == [row["problem"] for row in expected]
    assert [row["rank"] for row in found] == [row["rank"] for row in expected]
    scored = [(one, other) for one, other in zip(found, expected, strict=True) if other["rank"] is not None]
    assert len(scored) > 10
    assert [one["top_token"] for one, _ in scored] == [other["top_token"] for _, other in scored]
    assert [one["top_word"] for one, _ in scored] == [other["top_word"] for _, other in scored]
    for name in ("probability", "top_probability", "top_10_probability"):
        one, other = (np.log([row[name] for row in side]) for side in zip(*scored, strict=True))
        np.testing.assert_allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("family", ["bert", "roberta", "llama"])
def test_fp32_is_close_to_float64(family: str, tiny_model: Callable[[str], str], release_folder: Path) -> None:
    work = work_list(read_release(release_folder))
    path = tiny_model(family)
    exact = Engine.of(_loaded(path), work).score(0, len(work)).to_pylist()
    single = Engine.of(load_model(path, device="cpu", dtype="fp32"), work).score(0, len(work)).to_pylist()
    for one, other in zip(exact, single, strict=True):
        assert one["problem"] == other["problem"]
        if one["problem"] is None:
            assert np.log(one["probability"]) == pytest.approx(np.log(other["probability"]), abs=1e-4)


@pytest.mark.parametrize("family", ["bert", "albert", "gpt2"])
def test_bf16_keeps_the_head_in_fp32(family: str, tiny_model: Callable[[str], str], release_folder: Path) -> None:
    import torch

    loaded = load_model(tiny_model(family), device="cpu", dtype="bf16")
    work = work_list(read_release(release_folder))
    engine = Engine.of(loaded, work)
    exact = Engine.of(_loaded(tiny_model(family)), work).score(0, len(work)).to_pylist()
    found = engine.score(0, len(work)).to_pylist()
    assert loaded.model.get_output_embeddings().weight.dtype == torch.float32
    assert loaded.model.get_input_embeddings().weight.dtype == torch.bfloat16
    assert engine.model.blank.way in {"last layer", "head"}
    pairs = [(one, other) for one, other in zip(found, exact, strict=True) if other["problem"] is None]
    off = [abs(np.log(one["probability"]) - np.log(other["probability"])) for one, other in pairs]
    assert 0 < float(np.mean(off)) < 0.2


@pytest.fixture(scope="module")
def engine_of(tiny_model: Callable[[str], str], release_folder: Path) -> Callable[[str], Engine]:
    """Engines over the small world, made once."""
    made: dict[str, Engine] = {}

    def get(family: str) -> Engine:
        if family not in made:
            made[family] = Engine.of(_loaded(tiny_model(family)), work_list(read_release(release_folder)))
        return made[family]

    return get


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_cutting_batching_and_joining_change_nothing(data: st.DataObject, engine_of: Callable[[str], Engine]) -> None:
    engine = engine_of(data.draw(st.sampled_from(("bert", "roberta", "albert", "llama"))))
    total = len(engine.work)
    whole = engine.score(0, total).to_pylist()
    cuts = sorted({0, total, *data.draw(st.lists(st.integers(0, total), max_size=4))})
    model = model_of(engine.model.blank.loaded, data.draw(st.integers(1, 200)))
    other = replace(engine, model=model)
    if data.draw(st.booleans()):
        kind = engine.model.kind  # type: ignore[attr-defined]
        other = replace(
            other,
            encoder=PromptEncoder(
                engine.model.blank.loaded.tokenizer,
                kind,
                engine.work.template_texts,
                engine.work.alias_texts,
                by_pieces=False,
            ),
        )
    parts = [row for a, b in pairwise(cuts) for row in other.score(a, b).to_pylist()]
    for one, two in zip(whole, parts, strict=True):
        for name in ("item_id", "relation", "pair", "rank", "top_token", "problem"):
            assert one[name] == two[name]
        for name in ("probability", "top_probability"):
            assert one[name] == (two[name] if two[name] is None else pytest.approx(two[name], rel=1e-6))


def test_identical_prompts_are_scored_once(engine_of: Callable[[str], Engine], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two Georgias and three spellings of France are one text each to an uncased model, with their own answers."""
    engine = engine_of("bert")
    asked: list[tuple[int, ...]] = []
    logits = engine.model.blank.logits
    monkeypatch.setattr(
        engine.model.blank, "logits", lambda ids, *rest: (asked.extend(map(tuple, ids.tolist())), logits(ids, *rest))[1]
    )
    rows = engine.score(0, len(engine.work)).to_pylist()
    assert len(asked) == len(set(asked))
    assert len(asked) < sum(row["problem"] is None for row in rows)


def test_a_name_that_holds_the_mask_token_or_is_too_long_is_a_row_with_its_reason(
    tiny_model: Callable[[str], str], make_release: Callable[..., Path]
) -> None:
    folder = make_release({"Q142": ["France", "the [MASK] republic", "very " * 60 + "France"]})
    work = work_list(read_release(folder))
    rows = Engine.of(load_model(tiny_model("bert"), device="cpu"), work).score(0, len(work)).to_pylist()
    names = {name: place for place, name in zip(work.alias_ids, work.alias_texts, strict=True)}
    of = {
        text.split()[0]: {row["problem"] for row in rows if row["subject_alias_id"] == one}
        for text, one in names.items()
    }
    assert of["the"] == {"[X] contains the mask token"}
    assert of["very"] == {"too long"}
    assert of["France"] == {None}
    assert all((row["rank"] is None) == (row["problem"] is not None) for row in rows)


def test_predictions_are_the_schema_and_survive_a_kill(
    engine_of: Callable[[str], Engine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_of("bert")
    target = tmp_path / "model" / "predictions.parquet"
    todo = plan(target, "k" * 64, len(engine.work), 10)
    ran: list[int] = []
    run = Engine.run

    def counted(self: Engine, prepared: Prepared, advance: Any) -> Any:
        ran.append(len(prepared.problem))
        if len(ran) == 3:
            raise KeyboardInterrupt
        return run(self, prepared, advance)

    monkeypatch.setattr(Engine, "run", counted)
    with pytest.raises(KeyboardInterrupt):
        write_predictions([engine], todo, target, PREDICTION, "test")
    assert not target.exists()
    assert [shard.path.is_file() for shard in todo] == [True, True] + [False] * (len(todo) - 2)
    written = [shard.path.stat().st_mtime_ns for shard in todo[:2]]
    count = write_predictions([engine], todo, target, PREDICTION, "test")
    assert [shard.path.stat().st_mtime_ns for shard in todo[:2]] == written
    assert sum(ran) == len(engine.work) + 10  # the one that was cut off ran twice
    table = pq.read_table(target)
    assert (count, table.num_rows) == (len(engine.work), len(engine.work))
    assert table.schema.names == PREDICTION.names
    assert [str(field.type) for field in table.schema] == [str(field.type) for field in PREDICTION]
    assert table.to_pylist() == engine.score(0, len(engine.work)).to_pylist()
    before = list(target.parent.rglob("part-*"))
    forget_shards(target, "o" * 64)  # those of another key
    assert list(target.parent.rglob("part-*")) == before != []
    forget_shards(target, "k" * 64)
    assert not list(target.parent.rglob("part-*"))


def test_several_models_share_the_shards(
    tiny_model: Callable[[str], str], release_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = work_list(read_release(release_folder))
    two = [Engine.of(load_model(tiny_model("bert"), device="cpu"), work) for _ in range(2)]
    ran: list[int] = []
    run = Engine.run
    monkeypatch.setattr(Engine, "run", lambda self, *rest: (ran.append(id(self)), run(self, *rest))[1])
    one, other = tmp_path / "one" / "predictions.parquet", tmp_path / "other" / "predictions.parquet"
    write_predictions(two, plan(one, "k" * 64, len(work), 7), one, PREDICTION, "test")
    assert set(ran) == {id(engine) for engine in two}
    write_predictions(two[:1], plan(other, "k" * 64, len(work), 7), other, PREDICTION, "test")
    assert one.read_bytes() == other.read_bytes()


def test_a_failure_in_one_of_several_ends_the_run(
    tiny_model: Callable[[str], str], release_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one waits in the middle of its first shard until the failure is known, and begins no other."""
    work = work_list(read_release(release_folder))
    fine, bad = (Engine.of(load_model(tiny_model("bert"), device="cpu"), work) for _ in range(2))
    run, failed = Engine.run, Event()

    def broken(self: Engine, prepared: Prepared, advance: Any) -> Any:
        if self is bad:
            raise InputError("broken")
        ranked = run(self, prepared)
        while not failed.is_set():  # what the run is told of a failure reaches an engine through its progress
            try:
                advance(0)
            except shards.StoppedError:
                failed.set()
        advance(len(prepared.problem))
        return ranked

    monkeypatch.setattr(Engine, "run", broken)
    target = tmp_path / "predictions.parquet"
    todo = plan(target, "k" * 64, len(work), 5)
    with pytest.raises(InputError, match="broken"):
        write_predictions([fine, bad], todo, target, PREDICTION, "test")
    assert not target.exists()
    assert [shard.path for shard in todo if shard.path.is_file()] == []


def test_a_model_whose_head_looks_at_all_positions_gets_its_full_logits(
    tiny_model: Callable[[str], str], release_folder: Path
) -> None:
    loaded = _loaded(tiny_model("bert"))
    head, cls = loaded.model.cls.forward, loaded.model.cls
    cls.forward = lambda hidden: head(hidden - hidden.mean(dim=1, keepdim=True))
    work = work_list(read_release(release_folder))
    engine = Engine.of(loaded, work)
    found = engine.score(0, len(work)).to_pylist()
    assert engine.model.blank.way == "full"
    assert [row["rank"] for row in found] == [row["rank"] for row in _reference(loaded, work)]


def test_output_that_is_not_a_number_is_a_problem_and_no_rank(
    tiny_model: Callable[[str], str], release_folder: Path
) -> None:
    import torch

    loaded = _loaded(tiny_model("bert"))
    with torch.no_grad():
        loaded.model.cls.predictions.bias[:] = float("nan")
    work = work_list(read_release(release_folder))
    rows = Engine.of(loaded, work).score(0, len(work)).to_pylist()
    assert "the model's output is not a number" in {row["problem"] for row in rows}
    assert {row["rank"] for row in rows} == {None}
