"""Snapshots become stores of a real Oxigraph: once for each content, whole or not at all, and never from a bad file."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tashika.builders.sources import serving as module
from tashika.builders.sources.serving import snapshot_files, snapshot_identity, snapshot_store, wikidata_snapshot
from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.core.errors import InputError, OutsideError
from tests.hostile import bomb

HEAD = "@prefix wd: <http://www.wikidata.org/entity/> .\n@prefix p: <http://www.wikidata.org/prop/> .\n\n"
FRANCE, JAPAN = ("wd:Q142 p:P36 wd:Q90 .\n", "wd:Q17 p:P36 wd:Q1490 .\n")
TRIPLE = "<http://www.wikidata.org/entity/Q142> <http://www.wikidata.org/prop/P36> <http://www.wikidata.org/entity/Q90>"
COUNTRIES = "SELECT ?s { ?s p:P36 ?o } ORDER BY ?s"
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="http://www.wikidata.org/prop/">
<rdf:Description rdf:about="http://www.wikidata.org/entity/Q142">
<p:P36 rdf:resource="http://www.wikidata.org/entity/Q90"/></rdf:Description></rdf:RDF>
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a file, zipped if its name says so."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        content = text.encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


def countries(work: Path, *files: Path) -> list[str]:
    with wikidata_snapshot(work, files) as url:
        endpoint = SparqlEndpoint(url, cache=work / "cache", identity=snapshot_identity(files))
        return [row["s"][0].rpartition("/")[2] for row in endpoint.select(COUNTRIES)]


def test_several_files_are_served_as_one(write: Callable[[str, str], Path], tmp_path: Path) -> None:
    files = (write("france.ttl", HEAD + FRANCE), write("japan.ttl.gz", HEAD + JAPAN))
    assert countries(tmp_path, *files) == ["Q142", "Q17"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.nt", f"{TRIPLE} .\n"),
        ("a.nt.gz", f"{TRIPLE} .\n"),
        ("a.nq", f"{TRIPLE} .\n"),
        ("a.trig", HEAD + FRANCE),
        ("a.rdf", RDF),
        ("a.rdf.gz", RDF),
        (
            "a.rdf",
            RDF.replace(
                "<rdf:RDF", '<!DOCTYPE rdf:RDF [<!ENTITY wd "http://www.wikidata.org/entity/">]><rdf:RDF', 1
            ).replace('resource="http://www.wikidata.org/entity/', 'resource="&wd;'),
        ),
        ("one line.ttl", HEAD.replace("\n", " ") + FRANCE.strip()),
    ],
)
def test_every_format_is_loaded(write: Callable[[str, str], Path], tmp_path: Path, name: str, text: str) -> None:
    store = snapshot_store(tmp_path, [write(name, text)])
    assert found(store, "SELECT ?s { ?s ?p ?o }") == ["http://www.wikidata.org/entity/Q142"]


def found(store: Path, query: str) -> list[str]:
    command = [module.program("oxigraph"), "query", "--location", str(store), "--results-format", "csv"]
    command += ["--query", query]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[1:]


def test_the_identity_is_of_the_content_alone(write: Callable[[str, str], Path]) -> None:
    france, again = write("france.ttl", HEAD + FRANCE), write("again.ttl", HEAD + FRANCE)
    japan = write("japan.ttl", HEAD + JAPAN)
    assert snapshot_identity([france]) == snapshot_identity([again]) == snapshot_identity([france, again])
    assert snapshot_identity([france, japan]) == snapshot_identity([japan, again])
    assert len({snapshot_identity(files) for files in ([france], [japan], [france, japan], None)}) == 4


def test_equal_files_are_loaded_once(write: Callable[[str, str], Path], tmp_path: Path) -> None:
    unknown = HEAD + "wd:Q142 p:P6 _:unknown .\n"
    store = snapshot_store(tmp_path, [write("one.ttl", unknown), write("two.ttl", unknown)])
    assert len(found(store, "SELECT ?s { ?s ?p ?o }")) == 1


def test_a_store_is_loaded_once(write: Callable[[str, str], Path], tmp_path: Path) -> None:
    path = write("france.ttl", HEAD + FRANCE)
    store = snapshot_store(tmp_path, [path])
    before = {file.name: file.stat().st_mtime_ns for file in store.iterdir()}
    assert snapshot_store(tmp_path, [path]) == store
    assert {file.name: file.stat().st_mtime_ns for file in store.iterdir()} == before
    path.write_text(HEAD + JAPAN)
    assert snapshot_store(tmp_path, [path]) != store
    assert len(list((tmp_path / "servers").iterdir())) == 2, "something was left beside the stores"


def test_what_a_killed_load_left_is_removed(write: Callable[[str, str], Path], tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, alive = (tmp_path / "servers" / f"wikidata-abc.{pid}.part" for pid in (ended.pid, os.getppid()))
    for folder in (left, alive):
        folder.mkdir(parents=True)
    snapshot_store(tmp_path, [write("france.ttl", HEAD + FRANCE)])
    assert not left.exists()
    assert alive.exists()  # somebody is loading it


def test_big_stores_are_put_in_order(
    write: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BIG_BYTES", 1)
    store = snapshot_store(tmp_path, [write("france.ttl", HEAD + FRANCE)])
    assert found(store, "SELECT ?s { ?s ?p ?o }") == ["http://www.wikidata.org/entity/Q142"]


LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
"""Each ten times the one before: 10^11 times "ha"."""


def with_entities(declared: str, used: str = "") -> str:
    """RDF/XML that declares some entities, and uses one."""
    name = "http://www.wikidata.org/entity/Q90"
    return f"<!DOCTYPE rdf:RDF [{declared}]>\n{RDF.replace(name, used or name)}"


BAD = {
    "nested entities": ("a.rdf", with_entities(f'<!ENTITY a0 "ha">{LAUGHS}', "&a11;"), "'<!ENTITY a1"),
    "nested entities, zipped": ("a.rdf.gz", with_entities(f'<!ENTITY a0 "ha">{LAUGHS}', "&a11;"), "'<!ENTITY a1"),
    "nested entities, far down": ("a.rdf", " " * 3_000_000 + with_entities(LAUGHS, "&a11;"), "'<!ENTITY a1"),
    "a long entity": ("a.rdf", with_entities(f'<!ENTITY a "{"ha" * 9_999}">', "&a;"), "at most 512 bytes"),
    "an entity of another file": ("a.rdf", with_entities('<!ENTITY a SYSTEM "/etc/hostname">', "&a;"), "SYSTEM"),
    "an entity of parameters": ("a.rdf", with_entities('<!ENTITY % a "b">'), "ENTITY % a"),
    "an entity that does not end": ("a.rdf", with_entities('<!ENTITY a "b'), "ENTITY a"),
    "UTF-16": ("a.rdf", "\0".join(RDF), "zero byte"),
    "other format": ("a.csv", "a,b\n", "'.csv'"),
    "no extension": ("statements", HEAD + FRANCE, "''"),
    "zipped otherwise": ("a.ttl.bz2", HEAD + FRANCE, "'.bz2'"),
    "empty": ("a.ttl", "", "no statement"),
    "only prefixes": ("a.ttl", HEAD + "# nothing\nPREFIX x: <http://x/>\n", "no statement"),
    "only prefixes, zipped": ("a.ttl.gz", HEAD, "no statement"),
    "only comments": ("a.nt", "# nothing\n\n", "no statement"),
    "empty RDF": ("a.rdf", RDF.splitlines()[0] + "</rdf:RDF>", "no statement in the default graph"),
    "named graph": ("a.nq", f"{TRIPLE} <urn:graph> .\n", "no statement in the default graph"),
    "syntax": ("a.ttl", HEAD + FRANCE + "wd:Q1 p:P36 .\n", "line 5"),
    "IRI": ("a.nt", f"{TRIPLE} .\n<urn:a> <urn:b> <http://a b> .\n", "line 2"),
    "prefix that is not declared": ("a.ttl", FRANCE, "line 1"),
    "not UTF-8": ("a.ttl", "\udcff", "UTF-8"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_by_name(tmp_path: Path, case: str) -> None:
    name, text, told = BAD[case]
    path, good = tmp_path / name, tmp_path / "good.ttl"
    content = text.encode("utf-8", "surrogateescape")
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    good.write_text(HEAD + JAPAN)
    for files in ([path], [good, path]):
        if len(files) == 2 and "default graph" in told:
            continue  # the other file has some
        with pytest.raises(InputError) as caught:
            snapshot_store(tmp_path, files)
        assert caught.value.where == str(path)
        assert told in caught.value.message
    servers = tmp_path / "servers"
    assert not servers.exists() or not list(servers.iterdir()), "half a store was left"


def test_zipped_files_that_are_cut_or_not_zipped_are_refused(tmp_path: Path) -> None:
    cut, never = tmp_path / "cut.ttl.gz", tmp_path / "never.ttl.gz"
    cut.write_bytes(gzip.compress((HEAD + FRANCE * 1000).encode())[:-20])
    never.write_text(HEAD + FRANCE)
    for path in (cut, never):
        with pytest.raises(InputError, match="cannot read it") as caught:
            snapshot_store(tmp_path, [path])
        assert caught.value.where == str(path)


@pytest.mark.parametrize("name", ["missing.ttl", "folder.ttl"])
def test_a_missing_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.ttl").mkdir()
    for ask in (lambda path: snapshot_identity([path]), lambda path: snapshot_store(tmp_path, [path])):
        with pytest.raises(InputError, match="no such file"):
            ask(tmp_path / name)


def test_a_failure_outside_is_not_the_users(
    write: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("france.ttl", HEAD + FRANCE)
    (tmp_path / "broken").write_text("#!/bin/sh\necho 'no space' >&2\nexit 1\n")
    (tmp_path / "broken").chmod(0o755)
    monkeypatch.setattr(module, "program", lambda _: str(tmp_path / "broken"))
    with pytest.raises(OutsideError, match="no space"):
        snapshot_store(tmp_path, [path])


def test_each_suite_has_its_snapshot() -> None:
    for suite in ("myriadlama", "tempripple"):
        (path,) = snapshot_files(suite)
        assert path.parent.name == ("wikidata" if suite == "myriadlama" else suite)
        assert path.is_file()
    with pytest.raises(InputError, match="no snapshot comes with the suite 'kuci'"):
        snapshot_files("kuci")
    with pytest.raises(InputError, match="no suite 'riddles'"):
        snapshot_files("riddles")


def test_the_bundled_snapshots_are_served(tmp_path: Path) -> None:
    with wikidata_snapshot(tmp_path, snapshot_files("tempripple")) as url:
        endpoint = SparqlEndpoint(url, cache=tmp_path / "cache", identity="tempripple")
        (row,) = endpoint.select("SELECT ?l { wd:Q17 p:P6 ?st . ?st a wikibase:BestRank ; ps:P6/rdfs:label ?l }")
        assert row["l"] == ("Sanae Takaichi", "en")


def test_the_command_takes_a_suite_or_files(
    write: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, command: commands.append(command))
    path, work = write("france.ttl", HEAD + FRANCE), ["--work", str(tmp_path)]
    for options in (["--suite", "tempripple"], ["--snapshot", str(path)]):
        result = CliRunner().invoke(module.app, ["wikidata", *work, *options])
        assert result.exit_code == 0, result.output
    stores = [Path(command[command.index("--location") + 1]) for command in commands]
    assert all(command[1] == "serve-read-only" for command in commands)
    assert found(stores[1], COUNTRIES_EVERYWHERE) == ["http://www.wikidata.org/entity/Q142"]
    assert len(found(stores[0], COUNTRIES_EVERYWHERE)) > 20
    missing = CliRunner().invoke(module.app, ["wikidata", *work, "--snapshot", str(tmp_path / "missing.ttl")])
    assert isinstance(missing.exception, InputError)


@pytest.mark.usefixtures("threads_unset")
@pytest.mark.parametrize(("said", "expected"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_the_model_waits_as_the_user_says_or_asleep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str | None, expected: str
) -> None:
    became: list[dict[str, str]] = []
    monkeypatch.setattr(os, "execve", lambda _path, _command, environment: became.append(environment))
    monkeypatch.setattr(module, "llm_command", lambda _work, _port: (["transformers"], tmp_path))
    monkeypatch.chdir(tmp_path)  # the command leaves the folder
    if said is not None:
        monkeypatch.setenv("OMP_WAIT_POLICY", said)
    result = CliRunner().invoke(module.app, ["llm", "--work", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert [(one["OMP_WAIT_POLICY"], one["HF_HUB_OFFLINE"]) for one in became] == [(expected, "1")]


COUNTRIES_EVERYWHERE = "SELECT ?s { ?s <http://www.wikidata.org/prop/P36> ?o }"


@pytest.mark.parametrize("name", ["bomb.nt.gz", "bomb.ttl.gz", "bomb.rdf.gz"])
def test_a_text_that_would_fill_the_memory_is_refused(tmp_path: Path, name: str) -> None:
    turtle = (b'<http://a/b> <http://a/c> "', b'" .\n')
    head = RDF.partition("<p:P36")[0].encode()
    xml = (head + b"<p:P36>", b"</p:P36></rdf:Description></rdf:RDF>")
    path = bomb(tmp_path / name, *(xml if "rdf" in name else turtle), megabytes=20)
    with pytest.raises(InputError, match=r"a text of more than 16 MiB|buffer maximal size of 16777216"):
        snapshot_store(tmp_path, [path])


ENTITIES = """<!DOCTYPE rdf:RDF [{}]>
"""


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;">',
        '<!ENTITY a SYSTEM "file:///etc/passwd">',
        '<!ENTITY % a SYSTEM "http://127.0.0.1:9/a.dtd"> %a;',
        f'<!ENTITY a "{"a" * 600}">',
    ],
)
@pytest.mark.parametrize("name", ["a.rdf", "a.rdf.gz"])
def test_entities_that_expand_or_lie_elsewhere_are_refused(
    write: Callable[[str, str], Path], tmp_path: Path, name: str, declared: str
) -> None:
    path = write(name, ENTITIES.format(declared) + RDF.replace("Q90", "&a;"))
    with pytest.raises(InputError, match="expected entities that stand for at most 512 bytes"):
        snapshot_store(tmp_path, [path])


def test_a_plain_entity_is_read(write: Callable[[str, str], Path], tmp_path: Path) -> None:
    path = write("a.rdf", ENTITIES.format('<!ENTITY wd "http://www.wikidata.org/entity/">') + RDF)
    assert snapshot_store(tmp_path, [path]).is_dir()
