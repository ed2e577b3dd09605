"""Objects of several tokens: against slow references, every name by itself, whole texts, all logits, float64."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.models import LoadedModel, load_model
from tashika.core.workspace import Workspace
from tashika.evaluate.myriadlama.candidate_scoring import UNSAYABLE, CandidateEngine, case_of
from tashika.evaluate.myriadlama.candidates import Steps, candidates_of, correct_places
from tashika.evaluate.myriadlama.prompts import WorkList, read_release, work_list
from tashika.evaluate.myriadlama.report import write_report
from tashika.evaluate.myriadlama.scoring import Engine
from tests.evaluate.conftest import FACTS, NAMES
from tests.evaluate.pages import words_of


def _loaded(path: str) -> LoadedModel:
    loaded = load_model(path, device="cpu", dtype="fp32")
    return replace(loaded, model=loaded.model.double())


def _log_probabilities(loaded: LoadedModel, ids: list[int], place: int) -> Any:
    import torch

    with torch.no_grad():
        return torch.log_softmax(loaded.model(input_ids=torch.tensor([ids])).logits[0, place], dim=-1)


def _masked(loaded: LoadedModel, text: str, name: str) -> float | None:
    """The tokens of a name one after the other, the rest of the name masked."""
    tokenizer = loaded.tokenizer
    before = text[: text.index("[Y]")]
    lead = "" if not before.strip() else "x " if before[-1].isspace() else "("
    start = tokenizer(lead.strip(), add_special_tokens=False)["input_ids"] if lead else []
    name_ids = tokenizer(lead + name, add_special_tokens=False)["input_ids"][len(start) :]
    if tokenizer.unk_token_id in name_ids:
        return None
    prompt = tokenizer(text.replace("[Y]", tokenizer.mask_token))["input_ids"]
    place = prompt.index(tokenizer.mask_token_id)
    total = 0.0
    for at, token in enumerate(name_ids):
        inside = [*name_ids[:at], *[tokenizer.mask_token_id] * (len(name_ids) - at)]
        ids = [*prompt[:place], *inside, *prompt[place + 1 :]]
        total += float(_log_probabilities(loaded, ids, place + at)[token])
    return total


def _causal(loaded: LoadedModel, text: str, name: str) -> float:
    """The whole sentence from its second token on: what stands before the blank is the same for all names.

    Where the blank opens the sentence, a token for the beginning of a text makes the name's first token the second.
    """
    tokenizer = loaded.tokenizer
    ids = tokenizer(text.replace("[Y]", name))["input_ids"]
    if text.startswith("[Y]") and ids[0] != tokenizer.bos_token_id:
        ids = [tokenizer.bos_token_id, *ids]
    return sum(float(_log_probabilities(loaded, ids[:at], at - 1)[ids[at]]) for at in range(1, len(ids)))


def _reference(loaded: LoadedModel, work: WorkList) -> list[dict[str, Any]]:
    """One row a prompt, slow and plain."""
    rows = []
    objects = {relation: sorted({fact[2] for fact in FACTS if fact[0] == relation}) for relation in ("P19", "P36")}
    pairs = sorted({fact[:2] for fact in FACTS})
    for number, (relation, subject) in enumerate(pairs):
        correct = {fact[2] for fact in FACTS if fact[:2] == (relation, subject)}
        first, last = (int(values[number]) for values in (work.template_start, work.template_count))
        for alias in range(work.alias_start[number], work.alias_start[number] + work.alias_count[number]):
            for template in work.template_texts[first : first + last]:
                text = template.replace("[X]", work.alias_texts[alias])
                score = _masked if loaded.kind == "masked" else _causal
                likelihood = {}
                for entity in objects[relation]:
                    known = [value for name in NAMES[entity] if (value := score(loaded, text, name)) is not None]
                    likelihood[entity] = max(known, default=-np.inf)
                odds = pd.Series({entity: np.exp(value) for entity, value in likelihood.items()})
                shares = odds / odds.sum()
                best = max(likelihood[entity] for entity in correct)
                rows.append(
                    {
                        "rank": 1 + sum(value > best for value in likelihood.values()),
                        "top_object": str(shares.idxmax()),
                        "probabilities": shares.tolist(),
                    }
                )
    return rows


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "gpt2", "llama"])
def test_agrees_with_the_reference(family: str, tiny_model: Callable[[str], str], release_folder: Path) -> None:
    loaded = _loaded(tiny_model(family))
    work = work_list(read_release(release_folder))
    engine = CandidateEngine.of(loaded, work, candidates_of(work))
    prepared = engine.prepare(0, len(work))
    found = engine.table(prepared, engine.run(prepared)).to_pylist()
    expected = _reference(loaded, work)
    assert [row["problem"] for row in found] == [None] * len(expected)
    for name in ("rank", "top_object"):
        assert [row[name] for row in found] == [row[name] for row in expected]
    for row, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(row["probabilities"], other["probabilities"], atol=1e-5)


def test_a_name_of_one_token_has_the_probability_that_the_other_way_gives_it(
    tiny_model: Callable[[str], str], release_folder: Path
) -> None:
    loaded = _loaded(tiny_model("bert"))
    work = work_list(read_release(release_folder))
    tokens = Engine.of(loaded, work).score(0, len(work)).to_pylist()
    engine = CandidateEngine.of(loaded, work, candidates_of(work))
    prepared = engine.prepare(0, len(work))
    names = engine.run(prepared)
    correct = correct_places(work, engine.candidates)
    stretch = work.stretch(0, len(work))
    compared = 0
    for row, scores, pair in zip(tokens, names, stretch.pair.tolist(), strict=True):
        candidates = engine.candidates[int(work.pair_relation[pair])]
        one_token = [
            scores[place]
            for place, name in enumerate(candidates.names)
            if len(loaded.tokenizer(name, add_special_tokens=False)["input_ids"]) == 1
            and int(np.searchsorted(candidates.first, place, side="right")) - 1 in correct[pair]
        ]
        if one_token and row["probability"] is not None:
            assert np.exp(max(one_token)) == pytest.approx(row["probability"], rel=1e-4)
            compared += 1
    assert compared > 10


def test_steps_are_shared_by_names_that_begin_alike() -> None:
    # "a b", "a c" and "a b d": two lengths; of length 2 the first token is shared, of length 3 three steps.
    steps = Steps.of([[1, 2], [1, 3], [1, 2, 4], None, [9]])
    assert steps.filled == ((), (), (1,), (), (1,), (1, 2))
    assert steps.masks.tolist() == [1, 2, 1, 3, 2, 1]
    values = -np.arange(1.0, len(steps.tokens) + 1)
    where = dict(zip(steps.tokens.tolist(), values.tolist(), strict=False))
    assert steps.longest == 3
    scores = steps.scores(values)
    assert scores[3] == -np.inf
    assert scores[4] == where[9]
    assert scores[0] - scores[1] == pytest.approx(where[2] - where[3]) or steps.tokens.tolist().count(2) > 1


def test_the_text_of_a_causal_model_ends_before_the_space() -> None:
    assert case_of("[X] was born in [Y] .", "Ada", ["London", "Rome"]) == (
        "Ada was born in",
        (" London .", " Rome ."),
    )
    assert case_of("[Y] is where [X] lives.", "Ada", ["London"]) == ("", ("London is where Ada lives.",))


def test_objects_that_cannot_be_said_are_left_out(
    tiny_model: Callable[[str], str], make_release: Callable[..., Path]
) -> None:
    work = work_list(read_release(make_release({"Q64": ["東京"], "Q90": ["Paris", "東"]})))
    engine = CandidateEngine.of(_loaded(tiny_model("bert")), work, candidates_of(work))
    prepared = engine.prepare(0, len(work))
    rows = engine.table(prepared, engine.run(prepared)).to_pylist()
    problems = {row["pair"]: row["problem"] for row in rows}
    berlin = {pair for pair, problem in problems.items() if problem == UNSAYABLE}
    assert len(berlin) == 1
    assert all(min(row["probabilities"]) == 0 for row in rows if row["relation"] == "P36" and not row["problem"])


def test_a_run_is_written_once_and_its_numbers_are_those_of_pandas(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    llama = tiny_model("llama")
    shown = run("--model", llama, "--answers", "candidates").stdout
    assert "ensemble" in shown
    [folder] = (work / "myriadlama" / "evaluate" / "candidates").iterdir()
    metrics = json.loads((folder / "metrics.json").read_text())
    table = pq.read_table(folder / "predictions.parquet").to_pandas()
    assert metrics["belief"]["coverage"]["templates"] == {"asked": 8, "scored": 8}
    assert metrics["belief"]["acc@1"] == pytest.approx((table["rank"] == 1).mean())
    assert metrics["belief"]["mrr"] == pytest.approx((1 / table["rank"]).mean())
    facts = pd.DataFrame(FACTS, columns=["relation", "subject", "object"]).sort_values(
        ["relation", "subject", "object"]
    )
    numbers = facts.groupby(["relation", "subject"]).ngroup()
    right = facts.groupby(numbers)["object"].agg(set)
    objects = facts.groupby("relation")["object"].agg(lambda column: sorted(set(column)))
    hits, chance = [], 0.0
    for pair, rows in table.groupby("pair"):
        mean = np.mean(np.stack(rows["probabilities"].tolist()), axis=0)
        own = objects[rows["relation"].iloc[0]]
        hits.append(own[int(np.argmax(mean))] in right[pair])
        chance += len(rows) * len(right[pair]) / len(own)
    assert metrics["ensemble"]["accuracy"]["value"] == pytest.approx(np.mean(hits))
    assert metrics["chance"] == pytest.approx(chance / len(table))
    assert metrics["sequences"] == sum(len(table[table["relation"] == name]) * _names(name) for name in objects.index)

    loaded = "tashika.evaluate.myriadlama.candidate_run.load_model"
    monkeypatch.setattr(loaded, lambda *_, **__: pytest.fail("loaded again"))
    run("--model", llama, "--answers", "candidates")


def _names(relation: str) -> int:
    return sum(len(NAMES[entity]) for entity in {fact[2] for fact in FACTS if fact[0] == relation})


def test_two_devices_and_small_shards_write_the_bytes_of_one_process(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tashika.evaluate.myriadlama.candidate_run._SHARD_NAMES", {"masked": 30, "causal": 30})
    written = []
    for device in ("cpu", "cpu,cpu"):
        run("--model", tiny_model("bert"), "--answers", "candidates", "--device", device)
        [folder] = (work / "myriadlama" / "evaluate" / "candidates").iterdir()
        written.append((folder / "predictions.parquet").read_bytes())
        for file in folder.iterdir():
            file.unlink()
    assert written[0] == written[1]


@pytest.mark.usefixtures("ray")
def test_a_cluster_writes_the_bytes_of_one_process(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tashika.evaluate.myriadlama.candidate_run._SHARD_NAMES", {"masked": 90, "causal": 90})
    written = []
    for engine in ("local", "ray"):
        run("--model", tiny_model("llama"), "--answers", "candidates", "--device", "cpu", "--engine", engine)
        [folder] = (work / "myriadlama" / "evaluate" / "candidates").iterdir()
        written.append((folder / "predictions.parquet").read_bytes())
        for file in folder.iterdir():
            file.unlink()
    assert written[0] == written[1]


def test_the_cost_is_said_before_anything_is_asked(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    result = run("--model", tiny_model("gpt2"), "--answers", "candidates", "--limit", "3", "--dry-run")
    assert "sequences for" in result.stderr
    assert not (work / "myriadlama" / "evaluate").exists()
    run("--model", tiny_model("gpt2"), "--answers", "candidates", "--plan", expect=InputError)


def test_the_page_has_both_ways_apart(run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]) -> None:
    workspace = Workspace(work, "myriadlama")
    bert = tiny_model("bert")
    run("--model", bert, "--answers", "candidates", "--limit", "4")
    with pytest.raises(MissingStageError, match="several tokens alone"):
        write_report(workspace)
    run("--model", bert)
    page = words_of(write_report(workspace).read_text(encoding="utf-8"))
    [folder] = (work / "myriadlama" / "evaluate" / "candidates").iterdir()
    metrics = json.loads((folder / "metrics.json").read_text())
    section = page[page.index("Objects of any number of tokens") : page.index("Quality and diversity of the prompts")]
    numbers = (metrics["belief"]["acc@1"], metrics["chance"], *metrics["ensemble"]["accuracy"].values())
    for number in numbers:
        assert f"{number:.2%}" in section
    assert "of a drawn sample, 4 of 6 subject–relation pairs" in section
    assert page.count("Among candidates") == 1
