"""Servers that come with the toolkit: Wikidata's snapshot behind Oxigraph, and a small LLM behind an OpenAI-like API.

A build that was given no endpoint starts them itself, when it first asks something, and ends them when it is done.
`tashika serve` runs them for somebody else.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tashika.core.bounded import Bounded
from tashika.core.errors import InputError, OutsideError
from tashika.core.files import hash_file, hash_value, is_running
from tashika.core.options import WORK, WorkOption
from tashika.core.progress import say
from tashika.core.services import LOOPBACK, free_port, require_free, running
from tashika.core.suites.discovery import suite_named
from tashika.core.suites.suite import packaged_file
from tashika.core.threads import with_thread_defaults

app = typer.Typer(no_args_is_help=True, help="Run a Wikidata snapshot or the small LLM on this machine.")

SMALL_LLM = "SmolLM2-135M-Instruct"
"""Suite -> the snapshot that comes with it, under `data/`."""

FORMATS = (".ttl", ".nt", ".nq", ".trig", ".rdf")
"""What a snapshot's file may end with; each also with .gz after it."""

_QUERY_SECONDS = 60
_BIG_BYTES = 64 << 20  # from here on a store is worth being put in order once for all
_BLOCK_BYTES = 1 << 20
_LONGEST_PIECE = 1 << 16
"""Bytes of a line that are looked at at once."""
_LONGEST_TEXT = 16 << 20
"""Bytes between two tags of RDF/XML, at most; in the other formats Oxigraph reads no longer ones either."""
_LONGEST_ENTITY = 2_048
"""Bytes of the longest declaration of an entity that is read, white space and all."""
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_PLAIN_ENTITY = re.compile(
    rb"""<!ENTITY\s{1,200}[^\s"'%&<>]{1,200}\s{1,200}(?:"[^"&%<]{0,512}"|'[^'&%<]{0,512}')\s{0,200}>"""
)
_DECLARATIONS = re.compile(rb"\s*(?:@?(?:prefix|base)\s[^>]*>\s*\.?\s*)*(?:#.*)?\s*", re.IGNORECASE)

PortOption = Annotated[int, typer.Option("--port", min=0, max=65_535, help="Port on 127.0.0.1; 0 takes a free one.")]


class OnDemand:
    """A server of our own: it starts when its address is first asked for, and ends with the `with` block.

    Args:
        run: Starts the server; a context manager that gives its address.
    """

    def __init__(self, run: Callable[[], AbstractContextManager[str]]) -> None:
        self._run = run
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._url: str | None = None

    def __enter__(self) -> OnDemand:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def url(self) -> str:
        """The address of the running server."""
        with self._lock:
            if self._url is None:
                self._url = self._stack.enter_context(self._run())
            return self._url


def program(name: str) -> str:
    """The path of a program that was installed beside this Python.

    Raises:
        OutsideError: It is not there.
    """
    beside = Path(sys.executable).parent / name
    path = str(beside) if beside.exists() else shutil.which(name)
    if path is None:
        raise OutsideError(f"the program {name} is not installed", hint="Run `make setup`, or install tashika[local].")
    return path


def snapshot_files(suite: str = "myriadlama") -> tuple[Path, ...]:
    """The snapshot that comes with a suite.

    Raises:
        InputError: There is no such suite, or no snapshot of it.
    """
    place: str | None = suite_named(suite).load("builders").snapshot
    if place is None:
        raise InputError(f"no snapshot comes with the suite {suite!r}")
    return (packaged_file(place),)


def snapshot_identity(files: Sequence[Path] | None = None) -> str:
    """What replies of a snapshot depend on: its files' content, whatever their names and order.

    Args:
        files: The snapshot; the one that comes with MyriadLAMA if None. So for all functions here.

    Raises:
        InputError: A file is missing, has no content, or is of a format that Oxigraph does not read.
    """
    return f"snapshot {_hash(_by_content(files or snapshot_files()))[:16]}"


def snapshot_store(work: Path, files: Sequence[Path] | None = None) -> Path:
    """The Oxigraph store of a snapshot, loaded once for each content; several files are loaded in parallel.

    Raises:
        InputError: A file is missing, broken, or without a statement.
        OutsideError: Oxigraph failed otherwise, perhaps for want of space.
    """
    by_content = _by_content(files or snapshot_files())
    sources = list(by_content.values())
    store = work / "servers" / f"wikidata-{_hash(by_content)[:12]}"
    if store.exists():
        return store
    size = sum(path.stat().st_size for path in sources)
    say(f"Wikidata: loading {', '.join(path.name for path in sources)} ({size / 1e6:.1f} MB) into an Oxigraph store")
    temporary = store.with_name(f"{store.name}.{os.getpid()}.part")  # never load into a store that is served
    for left in [temporary, *abandoned(store.parent, "wikidata-*.part")]:
        shutil.rmtree(left, ignore_errors=True)
    temporary.parent.mkdir(parents=True, exist_ok=True)
    try:
        _load(temporary, sources)
        if size >= _BIG_BYTES:
            _oxigraph("optimize", "--location", str(temporary))
        if not store.exists():  # somebody else may have been faster
            temporary.rename(store)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return store


def abandoned(folder: Path, pattern: str) -> list[Path]:
    """What processes left there that were killed: NAME.PID.part."""
    parts = [(path, path.name.removesuffix(".part").rpartition(".")[2]) for path in sorted(folder.glob(pattern))]
    return [path for path, process in parts if process.isdigit() and not is_running(int(process))]


def _by_content(files: Sequence[Path]) -> dict[str, Path]:
    """The checked files by their hash, in its order; of equal ones one, as blank nodes would be there twice."""
    for path in files:
        _check_file(path)
    # Absolute, so that no name looks like an option; not resolved, as a link's target may lack the extension.
    return dict(sorted({hash_file(path): path.absolute() for path in files}.items()))


def _hash(by_content: Mapping[str, Path]) -> str:
    return next(iter(by_content)) if len(by_content) == 1 else hash_value(list(by_content))


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise InputError("there is no such file", where=str(path), hint="A snapshot is a file of Wikidata's RDF.")
    form = Path(path.name.removesuffix(".gz")).suffix
    if form not in FORMATS:
        hint = "Rename it to what it holds, or convert it with `oxigraph convert`."
        known = f"{', '.join(FORMATS)}, each also with .gz"
        raise InputError(f"found a name that ends with {form!r}, expected {known}", where=str(path), hint=hint)
    if form == ".rdf":
        _refuse_entities(path)
    elif not _says_something(path):
        raise InputError("found no statement, expected a snapshot of Wikidata", where=str(path))


def _says_something(path: Path) -> bool:
    """Whether there is more than prefixes and comments; a broken file passes, so that Oxigraph reports the error."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
            pieces = iter(lambda: lines.readline(_LONGEST_PIECE), b"")
            return any(not _DECLARATIONS.fullmatch(piece) for piece in pieces)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return True


def _refuse_entities(path: Path) -> None:
    """Refuses entities that expand to more than they say: a few of them, one inside the other, fill any memory.

    Raises:
        InputError: An entity has others in it, is long, or lies in another file; a text is too long; or the file is in
            UTF-16.
    """
    try:
        opened = gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # noqa: SIM115 - `Bounded` closes it
        with Bounded(opened, str(path), longest=_LONGEST_TEXT, ends=b"<>", what="a text") as file:
            carried, more = b"", True
            while more:
                block = file.read(_BLOCK_BYTES)
                text, more = carried + block, bool(block)
                whole = len(text) - _LONGEST_ENTITY if more else len(text)
                _refuse_declarations(text, whole, path)
                carried = text[max(whole, 0) :]
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return  # so that Oxigraph reports the error


def _refuse_declarations(text: bytes, end: int, path: Path) -> None:
    """Refuses what `_refuse_entities` names among the declarations that begin before `end`."""
    if b"\0" in text:
        raise InputError("found a zero byte, expected RDF/XML in UTF-8", where=str(path))
    for declared in _ENTITY.finditer(text):
        if declared.start() < end and not _PLAIN_ENTITY.match(text, declared.start()):
            start = " ".join(text[declared.start() :][:60].decode("utf-8", "replace").split())
            expected = "entities that stand for at most 512 bytes without another entity in them"
            hint = "Write what they stand for in their place, or convert the file to .nt where you trust it."
            raise InputError(f"found {start!r}, expected {expected}", where=str(path), hint=hint)


def _load(store: Path, files: Sequence[Path]) -> None:
    loaded = _oxigraph("load", "--location", str(store), "--file", *map(str, files), check=False)
    for path in files if loaded.returncode else ():
        _, prefix, message = loaded.stderr.partition(f"Error while loading file {path}: ")
        if prefix and "os error" not in message.splitlines()[0]:
            hint = (
                "Correct the file. To load it as it is, as dumps with wrong IRIs need it, make a store with"
                " `oxigraph load --lenient`, serve it with `oxigraph serve-read-only`, and give its --sparql-url."
            )
            raise InputError(f"Oxigraph cannot read it: {message.splitlines()[0]}", where=str(path), hint=hint)
    if loaded.returncode:
        raise OutsideError(f"Oxigraph could not load the snapshot: {loaded.stderr.strip()}", where=str(files[0]))
    asked = _oxigraph("query", "--location", str(store), "--query", "ASK { ?s ?p ?o }", "--results-format", "csv")
    if "true" not in asked.stdout:
        hint = "Statements in named graphs are not asked: convert the file to .nt, without them."
        raise InputError("found no statement in the default graph", where=str(files[0]), hint=hint)


def _oxigraph(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([program("oxigraph"), *arguments], capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise OutsideError(f"`oxigraph {arguments[0]}` failed: {done.stderr.strip()}")
    return done


def wikidata_command(work: Path, port: int, files: Sequence[Path] | None = None) -> list[str]:
    """The command that serves a snapshot; read-only, so nobody on this machine can change it."""
    bind = ["--bind", f"{LOOPBACK}:{port}", "--timeout-s", str(_QUERY_SECONDS)]
    return [program("oxigraph"), "serve-read-only", "--location", str(snapshot_store(work, files)), *bind]


def llm_command(work: Path, port: int) -> tuple[list[str], Path]:
    """The command that serves SmolLM2-135M-Instruct, and the folder to run it in; converts the model first, once.

    The server answers to the name that it was started with and no other. So it starts in a folder where the model's
    own name leads to it: requests, and with them the kept replies, are then the same on every machine.
    """
    import torch

    from tashika.core.models import prepare_smollm2

    model = prepare_smollm2(work / "models" / "smollm2").resolve()
    folder = (work / "servers" / "llm").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / SMALL_LLM
    link.unlink(missing_ok=True)  # the working directory may have moved
    link.symlink_to(model, target_is_directory=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    where = ["--host", LOOPBACK, "--port", str(port), "--device", device, "--dtype", "bfloat16"]
    return [program("transformers"), "serve", SMALL_LLM, *where], folder


def _llm_environment() -> dict[str, str]:
    return {**with_thread_defaults(), "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


@contextmanager
def wikidata_snapshot(work: Path, files: Sequence[Path] | None = None) -> Iterator[str]:
    """Serves a snapshot while the block runs; gives the endpoint's address."""
    port = free_port()
    url = f"http://{LOOPBACK}:{port}"
    log = work / "logs" / "wikidata.log"
    with running(wikidata_command(work, port, files), name="Oxigraph", health=f"{url}/", log=log):
        say(f"Wikidata: Oxigraph serves the snapshot at {url}/query")
        yield f"{url}/query"


@contextmanager
def small_llm(work: Path) -> Iterator[str]:
    """Serves the small language model while the block runs; gives the base address."""
    port = free_port()
    url = f"http://{LOOPBACK}:{port}"
    command, folder = llm_command(work, port)
    say(f"LLM: starting {SMALL_LLM} on this machine")
    log = work / "logs" / "llm.log"
    health = f"{url}/health"
    with running(command, name="the LLM server", health=health, log=log, environment=_llm_environment(), folder=folder):
        say(f"LLM: {SMALL_LLM} answers at {url}/v1")
        yield f"{url}/v1"


@app.command("wikidata")
def serve_wikidata(
    port: PortOption = 0,
    work: WorkOption = WORK,
    suite: Annotated[str, typer.Option(help="The suite whose bundled snapshot is served.")] = "myriadlama",
    snapshot: Annotated[
        list[Path] | None, typer.Option(help="Serve this file of Wikidata's RDF instead; may be repeated.")
    ] = None,
) -> None:
    """Serve a Wikidata snapshot as a SPARQL endpoint until Ctrl-C."""
    port = port or free_port()
    require_free(port)
    command = wikidata_command(work, port, snapshot or snapshot_files(suite))
    say(f"SPARQL endpoint: http://{LOOPBACK}:{port}/query (Ctrl-C stops it)")
    os.execv(command[0], command)


@app.command("llm")
def serve_llm(port: PortOption = 0, work: WorkOption = WORK) -> None:
    """Serve SmolLM2-135M-Instruct behind an OpenAI-compatible API until Ctrl-C."""
    port = port or free_port()
    require_free(port)
    command, folder = llm_command(work, port)
    os.chdir(folder)
    say(f"OpenAI-compatible endpoint: http://{LOOPBACK}:{port}/v1 (Ctrl-C stops it)")
    os.execve(command[0], command, _llm_environment())
