"""`tashika build myriadlama` against a real SPARQL server, the packaged snapshot, and an LLM endpoint of the test's."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.builders.myriadlama.facts import Fact
from tashika.builders.myriadlama.stages import completed, examples_of
from tashika.builders.sources.wikidata import Name
from tashika.core.files import hash_file, read_json, read_table
from tashika.core.records import item_id, item_schema
from tashika.core.settings import packaged
from tests.conftest import Ran

Run = Callable[..., Ran]

TEMPLATES = """
[P36]
label = "capital"
description = "The seat of a country's government."
manual = ["The capital of [X] is [Y].", "[Y] is the capital of [X]."]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The packaged settings, for the templates above and a single paraphrase of each."""
    templates = tmp_path / "templates.toml"
    templates.write_text(TEMPLATES)
    text = packaged("myriadlama.toml").read_text()
    text = text.replace('templates = ""', f'templates = "{templates}"').replace("wanted = 19", "wanted = 1")
    path = tmp_path / "config.toml"
    path.write_text(text)
    return path


@pytest.fixture
def llm(httpserver: HTTPServer) -> str:
    def answer(request: Request) -> Response:
        sentence = json.loads(request.data)["messages"][-1]["content"]
        text = f"1. So to say: {sentence}\n2. A town."
        return Response(json.dumps({"choices": [{"message": {"content": text}}]}), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answer)
    return httpserver.url_for("/v1")


def test_the_whole_build(tashika: Run, config: Path, sparql_url: str, llm: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    command = ("build", "myriadlama", "--work", work, "--config", config, "--sparql-url", sparql_url, "--llm-url", llm)
    code, _, err = tashika(*command)
    assert code == 0, err
    items = work / "myriadlama" / "items"

    facts = read_table(items / "fact.parquet", item_schema("myriadlama", "fact")).to_pylist()
    assert [(f["subject_label"], f["object_label"], f["origin"]) for f in facts] == [
        ("France", "Paris", "facts"),
        ("Germany", "Berlin", "facts"),
        ("Germany", "Bonn", "wikidata"),
    ]
    assert facts[0]["item_id"] == item_id("myriadlama", "fact", "P36", "Q142", "Q90")

    aliases = read_table(items / "alias.parquet", item_schema("myriadlama", "alias")).to_pylist()
    assert [a["text"] for a in aliases if a["entity"] == "Q183"] == ["Germany", "Federal Republic of Germany", "BRD"]
    assert [a["entity"] for a in aliases if a["is_label"]] == ["Q64", "Q90", "Q142", "Q183", "Q586"]

    templates = read_table(items / "template.parquet", item_schema("myriadlama", "template")).to_pylist()
    assert [(t["text"], t["origin"], t["example"]) for t in templates] == [
        ("The capital of [X] is [Y].", "manual", "The capital of France is Paris."),
        ("[Y] is the capital of [X].", "manual", "Paris is the capital of France."),
        ("So to say: The capital of [X] is [Y].", "paraphrase", "So to say: The capital of France is Paris."),
        ("So to say: [Y] is the capital of [X].", "paraphrase", "So to say: Paris is the capital of France."),
    ]
    assert templates[2]["parents"] == [templates[0]["item_id"]]
    assert templates[2]["generation"]["model"] == "SmolLM2-135M-Instruct"
    assert templates[0]["generation"] is None
    refused = (items / "refused-templates.tsv").read_text().splitlines()
    assert refused[1].endswith("\tA town.\t[X] stands 0 times, expected once")
    assert (items / "short-templates.tsv").read_text() == "relation\tmanual\tparaphrases\n"


def with_secrets(url: str) -> str:
    return url.replace("http://", "http://me:SECRET@") + "?apikey=SECRET"


def test_no_secret_of_an_address_is_written_or_shown(
    tashika: Run, config: Path, sparql_url: str, llm: str, httpserver: HTTPServer, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    options = ("--config", config, "--endpoint", with_secrets(sparql_url), "--llm-url", with_secrets(llm))
    code, out, err = tashika("build", "myriadlama", "--work", work, *options)
    assert code == 0, err
    assert "SECRET" not in out + err
    assert httpserver.log[0][0].query_string == b"apikey=SECRET"
    assert [path for path in work.rglob("*") if path.is_file() and b"SECRET" in path.read_bytes()] == []
    manifest = read_json(work / "myriadlama" / "items" / "build-facts.manifest.json")
    assert manifest["settings"]["endpoint"] == sparql_url
    assert tashika("build", "myriadlama", "--work", work, *options)[2].count("nothing to do") == 3


def test_a_second_run_has_nothing_to_do_and_asks_nobody(
    tashika: Run, config: Path, sparql_url: str, llm: str, httpserver: HTTPServer, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    command = ("build", "myriadlama", "--work", work, "--config", config, "--sparql-url", sparql_url, "--llm-url", llm)
    tashika(*command)
    before = {path: path.read_bytes() for path in sorted((work / "myriadlama" / "items").iterdir())}
    asked = len(httpserver.log)
    code, _, err = tashika(*command)
    assert code == 0
    assert err.count("nothing to do") == 3
    assert len(httpserver.log) == asked
    assert {path: path.read_bytes() for path in before} == before


def test_a_second_build_without_the_options_keeps_ones_own_data(
    tashika: Run, config: Path, sparql_url: str, llm: str, httpserver: HTTPServer, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    options = ("--config", config, "--sparql-url", sparql_url, "--llm-url", llm, "--uhn", "none", "--limit", "1")
    tashika("build", "myriadlama", "--work", work, *options)
    before = {path: path.read_bytes() for path in sorted((work / "myriadlama" / "items").iterdir())}
    asked = len(httpserver.log)
    code, _, err = tashika("build", "myriadlama", "--work", work)
    assert code == 0, err
    for name in ("config", "sparql-url", "llm-url", "uhn", "limit"):
        assert f"as in the build before (--{name})" in err
    assert err.count("nothing to do") == 3
    assert len(httpserver.log) == asked
    assert {path: path.read_bytes() for path in before} == before


MLAMA: dict[str, list[dict[str, Any]]] = {
    "P36": [
        {"sub_uri": "Q183", "sub_label": "ドイツ", "obj_uri": "Q64", "obj_label": "ベルリン", "uuid": "a", "lineid": 0},
        {"sub_uri": "Q142", "sub_label": "フランス", "obj_uri": "Q90", "obj_label": "パリ", "uuid": "b", "lineid": 1},
    ],
    "templates": [{"relation": "P36", "template": "[X] の首都は [Y] です。"}],
}


@pytest.fixture
def japanese(tmp_path: Path) -> Path:
    """Settings of a build in Japanese, and mLAMA's folder beside them."""
    for name, rows in MLAMA.items():
        path = tmp_path / "mlama1.1" / "ja" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(map(json.dumps, rows)))
    path = tmp_path / "ja.toml"
    path.write_text('suite = "myriadlama"\n[build]\nlanguages = ["ja"]\n[build.paraphrase]\nwanted = 0\n')
    return path


def test_a_build_in_japanese_from_mlama(tashika: Run, japanese: Path, sparql_url: str, tmp_path: Path) -> None:
    japanese.write_text(
        japanese.read_text().replace("[build]", '[build]\nlama_templates = "beside"\nrelations = ["P36"]')
    )
    work = tmp_path / "work"
    given = ("--config", japanese, "--lama", tmp_path / "mlama1.1", "--sparql-url", sparql_url)
    code, _, err = tashika("build", "myriadlama", "--work", work, *given)
    assert code == 0, err
    assert "mLAMA, Japanese: files of facts for 1 of 1 relations, 1 templates" in err
    items = work / "myriadlama" / "items"
    facts = read_table(items / "fact.parquet").to_pylist()
    assert [(fact["subject_label"], fact["object_label"]) for fact in facts] == [
        ("フランス", "パリ"),
        ("ドイツ", "ベルリン"),
    ]
    assert facts[0]["sources"][0]["name"] == "mLAMA files in Japanese"
    aliases = read_table(items / "alias.parquet").to_pylist()
    assert {(alias["text"], alias["language"]) for alias in aliases} == {
        (name, "ja") for name in ("フランス", "パリ", "ドイツ", "ベルリン")
    }
    templates = read_table(items / "template.parquet").to_pylist()
    assert [template["text"] for template in templates if "の首都は[Y]" in template["text"]] == [
        "[X]の首都は[Y]である。",
        "[X]の首都は[Y]です。",
    ]
    assert [template["sources"][0]["name"] for template in templates[-1:]] == ["mLAMA files, templates.jsonl"]
    assert templates[0]["example"] == "フランスの首都はパリである。"
    assert "prompts 12" in err
    assert tashika("build", "myriadlama", "--work", work)[2].count("nothing to do") == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--uhn", "full", "--limit", "1"), "which asks about names in English; this build is in ja"),
        (("--templates", packaged("myriadlama_templates.toml")), "is not written in Japanese"),
    ],
)
def test_what_does_not_go_with_japanese(
    tashika: Run, japanese: Path, sparql_url: str, tmp_path: Path, options: tuple[object, ...], message: str
) -> None:
    command = ("build", "myriadlama", "--work", tmp_path / "work", "--config", japanese, "--sparql-url", sparql_url)
    code, _, err = tashika(*command, "--lama", tmp_path / "mlama1.1", *options)
    assert code == 2
    assert message in err


def test_a_language_without_templates(tashika: Run, japanese: Path, sparql_url: str, tmp_path: Path) -> None:
    japanese.write_text(japanese.read_text().replace('"ja"', '"de"'))
    command = ("build", "myriadlama", "--work", tmp_path / "work", "--config", japanese, "--sparql-url", sparql_url)
    code, _, err = tashika(*command)
    assert code == 2
    assert "no packaged templates in German" in err
    assert not (tmp_path / "work" / "myriadlama" / "items" / "fact.parquet").exists()


def test_an_instruction_in_english_is_announced(tashika: Run, own: Path) -> None:
    (own / "templates.toml").write_text(
        '["lies in"]\nmanual = ["[X] liegt in [Y]."]\n[has_the_colour]\nmanual = ["[X] ist [Y]."]'
    )
    (own / "own.toml").write_text('[build]\nlanguages = ["de"]\n')
    options = ("--facts", "facts.csv", "--templates", "templates.toml", "--config", "own.toml", "--dry-run")
    err = tashika("build", "myriadlama", *options)[2]
    assert "manual in German, 19 paraphrases wanted" in err
    assert "the instruction is in English; [build.paraphrase.by_language.de] takes another one" in err


OWN_FACTS = """subject,relation,object,aliases
Goryokaku,lies in,Hakodate,Fort Goryokaku
Mount Hakodate,lies in,Hakodate,
Toshi,has the colour,black,
Toshi,has the colour,white,Toshi-chan
Toshi,has the colour,white,
"""
OWN_TEMPLATES = """["lies in"]
manual = ["[X] lies in [Y].", "Where is [X]? In [Y]."]
[has_the_colour]
label = "colour"
manual = ["The colour of [X] is [Y]."]
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with facts, templates and settings of one's own, in which one works."""
    (tmp_path / "facts.csv").write_text(OWN_FACTS)
    (tmp_path / "templates.toml").write_text(OWN_TEMPLATES)
    (tmp_path / "own.toml").write_text("[build.paraphrase]\nwanted = 0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_facts_of_ones_own_are_built_without_wikidata(tashika: Run, own: Path) -> None:
    command = ("build", "myriadlama", "--sparql-url", "http://127.0.0.1:9/query")  # nobody listens there
    code, _, err = tashika(*command, "--facts", "facts.csv", "--templates", "templates.toml", "--config", "own.toml")
    assert code == 0, err
    assert "the string filter leaves out 1 facts" in err
    assert "read 4, pairs read 3, duplicate rows 1, after string filter 3" in err
    items = own / "work" / "myriadlama" / "items"
    facts = read_table(items / "fact.parquet", item_schema("myriadlama", "fact")).to_pylist()
    assert [(f["relation"], f["subject_label"], f["object_label"]) for f in facts] == [
        ("has_the_colour", "Toshi", "black"),
        ("has_the_colour", "Toshi", "white"),
        ("lies_in", "Goryokaku", "Hakodate"),
    ]
    (source,) = facts[0]["sources"]
    assert source == {"name": "own facts, facts.csv", "revision": hash_file(own / "facts.csv")[:16]}
    aliases = read_table(items / "alias.parquet", item_schema("myriadlama", "alias")).to_pylist()
    assert [(a["text"], a["is_label"]) for a in aliases] == [
        ("black", True), ("Goryokaku", True), ("Fort Goryokaku", False), ("Hakodate", True),
        ("Toshi", True), ("Toshi-chan", False), ("white", True),
    ]  # fmt: skip
    templates = read_table(items / "template.parquet", item_schema("myriadlama", "template")).to_pylist()
    assert [(t["relation"], t["relation_label"], t["example"]) for t in templates] == [
        ("has_the_colour", "colour", "The colour of Toshi is black."),
        ("lies_in", "lies in", "Goryokaku lies in Hakodate."),
        ("lies_in", "lies in", "Where is Goryokaku? In Hakodate."),
    ]
    assert "prompts 6" in err
    assert tashika("build", "myriadlama")[2].count("nothing to do") == 3


def test_facts_of_ones_own_are_paraphrased_too(tashika: Run, own: Path, llm: str) -> None:
    (own / "own.toml").write_text("[build]\nrelations = ['lies in']\n[build.paraphrase]\nwanted = 1\n")
    options = ("--facts", "facts.csv", "--templates", "templates.toml", "--config", "own.toml", "--uhn", "none")
    code, _, err = tashika("build", "myriadlama", *options, "--llm-url", llm)
    assert code == 0, err
    assert "manual 2, paraphrases 2" in err
    facts = read_table(own / "work" / "myriadlama" / "items" / "fact.parquet")
    assert facts["subject_label"].to_pylist() == ["Goryokaku", "Mount Hakodate"]


def test_other_facts_take_the_place_of_ones_own(tashika: Run, own: Path, sparql_url: str) -> None:
    options = ("--facts", "facts.csv", "--templates", "templates.toml", "--config", "own.toml")
    tashika("build", "myriadlama", *options)
    (own / "lama").mkdir()
    (own / "lama" / "relations.jsonl").write_text('{"relation": "P36"}\n')
    row = {"sub_uri": "Q183", "sub_label": "Germany", "obj_uri": "Q64", "obj_label": "Berlin"}
    (own / "lama" / "P36.jsonl").write_text(json.dumps(row))
    code, _, err = tashika("build", "myriadlama", "--lama", "lama", "--facts-only", "--sparql-url", sparql_url)
    assert code == 0, err
    assert "--templates was templates.toml in the build before and is left out now" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--facts", "facts.csv"),
            "facts.csv:2: myriadlama_templates.toml has no templates for the relation 'lies in'",
        ),
        (("--facts", "facts.csv", "--templates", "templates.toml", "--uhn", "full"), "found the filter full"),
        (("--facts", "facts.csv", "--lama", "lama"), "found both --facts and --lama, expected one of them"),
        (("--facts", "facts.csv", "--trex", "facts.csv"), "found both --facts and --trex, expected one of them"),
        (("--templates", "templates.toml"), "found 'lies in', expected a property id such as P19"),
    ],
)
def test_what_does_not_go_with_facts_of_ones_own_is_told(
    tashika: Run, own: Path, options: tuple[str, ...], message: str
) -> None:
    code, _, err = tashika("build", "myriadlama", *options)
    assert (code, message in err, "Traceback" in err) == (2, True, False), err
    assert not list((own / "work").rglob("*.parquet"))


def test_two_builds_give_the_same_bytes(tashika: Run, config: Path, sparql_url: str, llm: str, tmp_path: Path) -> None:
    for work in ("one", "two"):
        tashika(
            "build", "myriadlama", "--work", tmp_path / work, "--config", config, "--sparql-url", sparql_url,
            "--llm-url", llm,
        )  # fmt: skip
    names = ["fact.parquet", "alias.parquet", "template.parquet", "refused-templates.tsv"]
    one, two = ([(tmp_path / work / "myriadlama" / "items" / n).read_bytes() for n in names] for work in ("one", "two"))
    assert one == two


def test_an_endpoint_that_fails_half_way_keeps_what_was_done(
    tashika: Run, config: Path, sparql_url: str, httpserver: HTTPServer, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    httpserver.expect_request("/v1/chat/completions").respond_with_data("<html></html>", content_type="text/html")
    llm = httpserver.url_for("/v1")
    code, _, err = tashika(
        "build", "myriadlama", "--work", work, "--config", config, "--sparql-url", sparql_url, "--llm-url", llm
    )
    assert code == 1
    assert "answers with a web page" in err
    assert "Traceback" not in err
    items = work / "myriadlama" / "items"
    assert (items / "alias.parquet").exists()
    assert not (items / "template.parquet").exists()
    assert not [path for path in items.iterdir() if path.name.endswith(".part")]


def test_the_packaged_snapshot_is_served_when_no_endpoint_is_given(tashika: Run, tmp_path: Path) -> None:
    code, _, err = tashika("build", "myriadlama", "--work", tmp_path, "--facts-only", "--limit", "2")
    assert code == 0, err
    manifest = read_json(tmp_path / "myriadlama" / "items" / "build-facts.manifest.json")
    assert manifest["counts"]["read"] == 82  # 41 relations
    assert re.fullmatch(r"snapshot [0-9a-f]{16}", manifest["settings"]["endpoint"])


def test_what_the_string_filter_forbids_does_not_come_back_by_widening(
    tashika: Run, sparql_url: str, tmp_path: Path
) -> None:
    lama = tmp_path / "lama"
    lama.mkdir()
    (lama / "relations.jsonl").write_text('{"relation": "P36"}\n')
    row = {"sub_uri": "Q183", "sub_label": "Republic of Bonn", "obj_uri": "Q64", "obj_label": "Berlin"}
    (lama / "P36.jsonl").write_text(json.dumps(row))
    for level, objects in (("string", ["Berlin"]), ("none", ["Berlin", "Bonn"])):
        work = tmp_path / level
        tashika(
            "build", "myriadlama", "--lama", lama, "--uhn", level, "--facts-only", "--sparql-url", sparql_url,
            "--work", work,
        )  # fmt: skip
        facts = read_table(work / "myriadlama" / "items" / "fact.parquet")
        assert facts["object_label"].to_pylist() == objects


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--uhn", "half"), 2, "uhn"),
        (("--trex", "missing.json", "--facts-only"), 2, "missing.json: there is no such file"),
        (("--lama", "missing"), 2, "there is no such file"),
        (("--config", "missing.toml"), 2, "missing.toml: there is no such file"),
        (("--sparql-url", "http://127.0.0.1:9/query"), 1, "the endpoint is down"),
        (("--sparql-url", "notaurl"), 2, "expected an address"),
        (("--llm-url", "nourl"), 2, "expected an address"),
        (("--config", "."), 2, "Is a directory"),
        (("--limit", "0"), 2, "greater than or equal to 1"),
    ],
)
def test_bad_options_are_told_without_a_traceback(
    tashika: Run, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    found, _, err = tashika("build", "myriadlama", "--work", tmp_path / "work", *arguments)
    assert (found, message in err, "Traceback" in err) == (code, True, False), err


def test_a_dry_run_does_nothing_and_tells_the_cost(tashika: Run, tmp_path: Path) -> None:
    code, _, err = tashika("build", "myriadlama", "--work", tmp_path / "work", "--dry-run")
    assert code == 0
    assert "205 manual, 19 paraphrases wanted of each" in err
    assert "at most 11,685 requests" in err  # 205 templates x 3 rounds x 19, one a request
    assert not (tmp_path / "work").exists()


def test_an_unknown_setting_is_refused_by_name(tashika: Run, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(packaged("myriadlama.toml").read_text().replace("[build]", '[build]\ncolour = "red"'))
    code, _, err = tashika("build", "myriadlama", "--work", tmp_path / "work", "--config", path)
    assert code == 2
    assert "colour" in err


def test_a_language_with_a_quotation_mark_is_refused(tashika: Run, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("suite = \"myriadlama\"\n[build]\nlanguages = ['en\"', 'mul']\n")
    code, _, err = tashika("build", "myriadlama", "--work", tmp_path / "work", "--config", path)
    assert code == 2
    assert "languages.0: String should match pattern" in err
    assert "Traceback" not in err


def test_an_entity_without_names_is_called_what_the_facts_call_it() -> None:
    assert completed([], "Q1", "Here") == [Name("Q1", "Here", "en", is_label=True)]
    label = Name("Q1", "There", "en", is_label=True)
    assert completed([label], "Q1", "Here") == [label, Name("Q1", "Here", "en", is_label=False)]
    assert completed([label], "Q1", "THERE") == [label]


def test_the_example_is_undisputed_and_well_known() -> None:
    facts = [
        Fact("P36", "Q30", "Q60", "USA", "New York City"),
        Fact("P36", "Q30", "Q61", "USA", "Washington, D.C."),
        Fact("P36", "Q142", "Q90", "France", "Paris"),
        Fact("P36", "Q16", "Q1930", "Canada", "Ottawa"),
    ]
    assert examples_of(facts)["P36"].subject_label == "France"
