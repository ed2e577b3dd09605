"""One way to ask local and remote models: letters in every order, chat templates, both ways, and the paper's."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import torch

from tashika.core.models import load_model
from tashika.core.prompting import LETTERS
from tashika.core.settings import load_section
from tashika.core.workspace import Workspace
from tashika.evaluate.tempripple.command import _ways
from tashika.evaluate.tempripple.predictions import read_predictions
from tashika.evaluate.tempripple.run import evaluate_model
from tashika.evaluate.tempripple.settings import EvaluateSettings, Way
from tests.evaluate.tempripple.runs import CITIES, CONTEXT, ROWS, a_run, a_workspace, predictions

TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}>"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return a_workspace(tmp_path / "work")


def letters_alone(loaded: Any, text: str) -> list[float]:
    """The probability of each letter after a text, with a space and without, from whole strings."""
    chances = []
    for letter in LETTERS[:4]:
        total = 0.0
        ways = {tuple(loaded.tokenizer(f"{text}{space}{letter}")["input_ids"]) for space in ("", " ")}
        before = loaded.tokenizer(text)["input_ids"]
        for ids in ways:
            seam = next(at for at, token in enumerate([*before, None]) if token != ids[at])
            with torch.no_grad():
                logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].double()
            log = torch.log_softmax(logits, dim=-1)
            total += math.exp(sum(float(log[at - 1, ids[at]]) for at in range(seam, len(ids))))
        chances.append(total)
    return chances


def test_every_order_counts_alike(workspace: Workspace, tiny_model: Callable[[str], str]) -> None:
    """Against whole strings one at a time, for every order: the options' mean shares, and each order's choice."""
    run = a_run(workspace, tiny_model("gpt2"), Way("letter", orders=0))
    content, loaded = evaluate_model(run), load_model(tiny_model("gpt2"), device="cpu")
    assert (run.way.orders, content.scoring.orders) == (4, 4)
    checked = 0
    for number, (fact, _task, _hop, _place, text, _answer) in enumerate(ROWS[:4]):
        for with_context in (False, True):
            row = predictions(run)[f"q{number}", with_context]
            if row["problem"]:
                continue
            shares, choices = [0.0] * 4, []
            for order in range(4):
                shown = CITIES[order:] + CITIES[:order]
                listed = "\n".join(f"{letter}. {city}" for letter, city in zip("ABCD", shown, strict=True))
                prompt = (f"{CONTEXT[fact]}\n" if with_context else "") + f"{text}\n{listed}\n>"
                chances = letters_alone(loaded, prompt)
                choices.append(CITIES.index(shown[chances.index(max(chances))]))
                for city, chance in zip(shown, chances, strict=True):
                    shares[CITIES.index(city)] += chance / sum(chances) / 4
            assert row["choices"] == choices
            assert [torch.tensor(score).exp().item() for score in row["scores"]] == pytest.approx(shares, abs=1e-4)
            assert row["chosen"] == shares.index(max(shares))
            checked += 1
    assert checked >= 4
    assert content.bias is not None
    assert sum(content.bias.letters["without"]) == 4 * sum(
        row["problem"] is None and not row["with_context"] for row in predictions(run).values()
    )


def test_an_endpoint_is_asked_in_every_order_and_most_count(
    workspace: Workspace, chat: Callable[[Callable[[str], str]], Any]
) -> None:
    """One that always says A has no majority; one that knows Berlin names it under whatever letter it stands."""
    always = chat(lambda _prompt: "A")
    run = a_run(workspace, "m", Way("chat", orders=0), endpoint=always.url)
    content = evaluate_model(run)
    assert len(always.asked) == 4 * 2 * len(ROWS)
    assert {tuple(row["choices"]) for row in predictions(run).values()} == {(0, 1, 2, 3)}
    assert content.bias is not None
    assert content.bias.letters == {"without": [28, 0, 0, 0], "with": [28, 0, 0, 0]}
    assert content.bias.pull["without"] == pytest.approx(0.75)

    def berlin(prompt: str) -> str:
        return next(line[0] for line in prompt.splitlines() if line[1:] == ". Berlin")

    knows = chat(berlin)
    run = a_run(workspace, "n", Way("chat", orders=0), endpoint=knows.url)
    content = evaluate_model(run)
    assert {row["chosen"] for row in predictions(run).values()} == {CITIES.index("Berlin")}
    assert content.bias is not None
    assert content.bias.agreed == {"without": 1.0, "with": 1.0}
    assert {row["reply"] for row in predictions(run).values()} == {"B\nA\nD\nC"}


def test_a_chat_template_is_used_where_there_is_one(
    workspace: Workspace, tiny_model: Callable[[str], str], tmp_path: Path
) -> None:
    import shutil

    plain = a_run(workspace, tiny_model("gpt2"), Way("text", template=True))
    assert plain.way.template is False  # it has none: the run is that of a plain prompt
    assert plain.folder == a_run(workspace, tiny_model("gpt2"), Way("text")).folder
    folder = Path(shutil.copytree(tiny_model("gpt2"), tmp_path / "chatty"))
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**config, "chat_template": TEMPLATE}))
    run = a_run(workspace, str(folder), Way("text", template=True), system_text="Say.")
    content = evaluate_model(run)
    assert content.scoring.chat_template is True
    assert content.scoring.system == "Say."
    loaded = load_model(str(folder), device="cpu")
    row = predictions(run)["q5", True]
    text = "system: Say.\nuser: Ada was born.\nAda was born in\n>"
    ids = [loaded.tokenizer(text + city)["input_ids"] for city in CITIES]
    before = loaded.tokenizer(text)["input_ids"]
    if row["problem"] is None:
        for number, whole in enumerate(ids):
            seam = next(at for at, token in enumerate([*before, None]) if token != whole[at])
            with torch.no_grad():
                log = torch.log_softmax(loaded.model(input_ids=torch.tensor([whole])).logits[0].double(), dim=-1)
            alone = sum(log[at - 1, whole[at]].item() for at in range(seam, len(whole)))
            assert row["scores"][number] == pytest.approx(alone, abs=1e-3)
    assert run.folder != a_run(workspace, str(folder), Way("text")).folder


def test_the_default_asks_all_models_alike_and_the_paper_once() -> None:
    published = load_section("tempripple", "evaluate", EvaluateSettings)
    assert published.model_dump(exclude={"llm"}) == EvaluateSettings().model_dump(exclude={"llm"})
    assert _ways(published, None, None, None) == [
        Way("letter", orders=0, template=True),
        Way("text", "character", template=True),
    ]
    assert _ways(published, "http://localhost/v1", None, None) == [Way("chat", orders=0)]
    assert _ways(published, None, "generate", None) == [Way("generate", orders=0)]
    paper = load_section("tempripple", "evaluate", EvaluateSettings, Path("paper"))
    assert _ways(paper, None, None, None) == [Way("text", "character")]
    assert _ways(paper, "http://localhost/v1", None, None) == [Way("chat")]
    assert Way("text", "character").describe(paper) == {  # as before there were orders and templates
        "options": "text",
        "norm": "character",
        "format": paper.format.model_dump(),
    }


def test_controls_lie_beside_the_predictions(workspace: Workspace, tiny_model: Callable[[str], str]) -> None:
    plain = evaluate_model(a_run(workspace, tiny_model("llama"), Way("text")))
    run = a_run(
        workspace,
        tiny_model("llama"),
        Way("text"),
        conditions=["unrelated", "conflicting"],
        cutoffs={Path(tiny_model("llama")).name: "2024-12-31"},
    )
    content = evaluate_model(run)
    assert {path.name for path in run.folder.glob("*.parquet")} == {
        "predictions.parquet",
        "control-unrelated.parquet",
        "control-conflicting.parquet",
    }
    assert {row.condition for row in content.controls} == {"unrelated", "conflicting"}
    assert content.cells == plain.cells
    assert content.splits is not None
    assert content.splits.cutoff == "2024-12-31"
    asked = pq.read_table(run.folder / "control-unrelated.parquet").to_pylist()
    assert {row["with_context"] for row in asked} == {True}


def test_predictions_of_an_earlier_version_are_read(workspace: Workspace, tiny_model: Callable[[str], str]) -> None:
    run = a_run(workspace, tiny_model("llama"), Way("letter"))
    first = evaluate_model(run)
    [target] = run.stage().outputs
    older = pq.read_table(target).drop_columns(["choices"])
    pq.write_table(older, target)
    assert read_predictions(target)["choices"].null_count == older.num_rows
    assert first.bias is None  # one order
