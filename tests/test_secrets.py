"""A key or password in an address is neither shown nor written, whichever command it is given to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

SUITE_FILE = """
[suite]
name = "towns"
title = "Towns"

[build.kinds.town]
key = ["name"]
columns.name = "string"
sparql = { endpoint = "ADDRESS", query = "SELECT ?name WHERE { ?s ?p ?name }" }
"""
GENERATED = """
[suite]
name = "towns"
title = "Towns"

[build.kinds.town]
key = ["name"]
columns.name = "string"
generate.seeds = "seeds.csv"
generate.prompt = "Name a town in {{ country }}."
generate.column = "name"
generate.url = "ADDRESS"
"""


@pytest.mark.parametrize("status", [401, 404])
@pytest.mark.parametrize(
    "words",
    [
        "build myriadlama --endpoint ADDRESS",
        "build myriadlama --llm-url ADDRESS --dry-run",
        "build tempripple --endpoint ADDRESS",
        "build tempripple --endpoint ADDRESS --dry-run",
        "build proverbs --llm-url ADDRESS",
        "build myriadlama --endpoint BROKEN",
        "build tempripple --endpoint BROKEN",
        "build proverbs --llm-url BROKEN",
        "build towns.toml",
        "build towns.toml --dry-run",
        "build made.toml",
        "build made.toml --llm-url ADDRESS",
        "evaluate kuci --model m --endpoint ADDRESS",
        "evaluate kuci --model m --endpoint BROKEN",
        "evaluate tempripple --model m --endpoint ADDRESS",
        "evaluate proverbs --model m --endpoint ADDRESS",
        "evaluate towns.toml --model m --endpoint ADDRESS --judge-endpoint ADDRESS",
        "annotate push kuci --url ADDRESS --token SECRET",
        "annotate pull kuci --url ADDRESS --token SECRET",
        "annotate serve --public-url ADDRESS",
        "publish kuci --repo me/it",
        "diff me/it@v1 me/it@v2",
    ],
)
def test_no_secret_of_an_address_is_shown_or_written(
    tashika: Callable[..., tuple[int, str, str]],
    httpserver: HTTPServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    status: int,
) -> None:
    httpserver.expect_request("").respond_with_data("no", status=status)
    address = httpserver.url_for("/v1").replace("http://", "http://me:SECRET@") + "?apikey=SECRET"
    (tmp_path / "given").mkdir()
    for name, text in (("towns.toml", SUITE_FILE), ("made.toml", GENERATED), ("seeds.csv", "country\nItaly\n")):
        (tmp_path / "given" / name).write_text(text.replace("ADDRESS", address))
    monkeypatch.chdir(tmp_path / "given")
    monkeypatch.setenv("HF_ENDPOINT", address)
    monkeypatch.setenv("HF_TOKEN", "SECRET")
    broken = "http://me:SEC/RET@host:port/SECRET@x"
    given = [word.replace("ADDRESS", address).replace("BROKEN", broken) for word in words.split()]
    work = ["--work", str(tmp_path / "work")] if words.split(maxsplit=1)[0] != "diff" else []
    code, out, err = tashika(*given, *work)
    assert code in {0, 1, 2}, err
    assert "Traceback" not in err
    assert "SEC" not in out + err
    written = [path for path in (tmp_path / "work").rglob("*") if path.is_file()]
    assert [path for path in written if b"SECRET" in path.read_bytes()] == []
