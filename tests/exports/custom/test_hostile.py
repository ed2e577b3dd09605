"""A release whose labels and texts would rather be markup."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

from tashika.core.suites.discovery import open_suite
from tashika.core.workspace import Workspace
from tashika.exports.card import BEGIN, END
from tests.exports.custom.test_export import SUITE, answer, export, fill

LABELS = (
    "<script>alert(1)</script>",
    "a|b",
    "`code`",
    END,
    "--- license: mit",
    "[x](http://evil.example) *y* {{ z }}",
    "\u202eevil",
)


def shown(html: str) -> str:
    return re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)


@pytest.mark.parametrize("label", LABELS)
def test_a_label_is_a_text_wherever_a_release_says_it(label: str, tmp_path: Path) -> None:
    names = json.dumps(["yes", label])  # JSON's strings are TOML's
    (tmp_path / "toys.toml").write_text(f'{SUITE}form = "label"\nlabels = {names}\n', encoding="utf-8")
    (tmp_path / "pairs.csv").write_text("text,group,known,other\n")
    assert open_suite(str(tmp_path / "toys.toml")).name == "toys"
    workspace = Workspace(tmp_path / "work", "toys")
    ids = fill(workspace)
    answer(workspace, ids, votes=[0, 3], label=label)
    summary = json.loads((workspace.annotation / "validation.json").read_text())
    summary["pair"] |= {"form": "labels", "decided": {label: 7}, "given": {label: 21}, "problems": {f"no {label}": 1}}
    (workspace.annotation / "validation.json").write_text(json.dumps(summary))
    export(workspace)
    card = (workspace.release / "README.md").read_text(encoding="utf-8")
    _, front, body = card.split("---\n", 2)
    assert yaml.safe_load(front)["license"] != "mit"
    assert body.count(BEGIN) == body.count(END) == 1
    block = body.split(BEGIN)[1].split(END)[0]
    html = shown(MarkdownIt("commonmark", {"html": True}).enable("table").render(block))
    assert not re.search('<script|evil.example">|<em>y|license: mit</h2>|\u202e', html)
    rows = [row for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL) if "decided as" in row]
    assert [row.count("<td") for row in rows] == [2]
    for name in ("statistics.json", "croissant.json"):
        text = (workspace.release / name).read_text(encoding="utf-8")
        assert "<" not in text
        assert "\u202e" not in text
        json.loads(text)
    assert set(yaml.safe_load((workspace.release / "CITATION.cff").read_text(encoding="utf-8"))) >= {"title", "authors"}
