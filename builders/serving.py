"""Servers that come with the toolkit: Wikidata's snapshot behind Oxigraph, and a small LLM behind an OpenAI-like API.

A build that was given no endpoint starts them itself, when it first asks something, and ends them when it is done.
`tashika serve` runs them for somebody else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tashika.core.errors import OutsideError
from tashika.core.files import hash_file
from tashika.core.options import WORK, WorkOption
from tashika.core.progress import say
from tashika.core.services import LOOPBACK, free_port, running
from tashika.core.settings import packaged_data

app = typer.Typer(no_args_is_help=True, help="Run the bundled Wikidata snapshot or the small LLM on this machine.")

SMALL_LLM = "SmolLM2-135M-Instruct"
SNAPSHOT = "wikidata/snapshot.ttl"
_QUERY_SECONDS = 60

PortOption = Annotated[int, typer.Option("--port", help="Port on 127.0.0.1; 0 takes a free one.")]


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
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise OutsideError(f"the program {name} is not installed", hint="Run `make setup`, or install tashika[local].")
    return found


def snapshot_identity() -> str:
    """What replies of the bundled snapshot depend on: its content."""
    return f"snapshot {hash_file(packaged_data(SNAPSHOT))[:16]}"


def snapshot_store(work: Path) -> Path:
    """The Oxigraph store of the bundled snapshot, loaded once for each content."""
    source = packaged_data(SNAPSHOT)
    store = work / "servers" / f"wikidata-{hash_file(source)[:12]}"
    if not store.exists():
        say("Wikidata: loading the bundled snapshot into an Oxigraph store")
        temporary = store.with_name(f"{store.name}.{os.getpid()}.part")  # never load into a store that is served
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.parent.mkdir(parents=True, exist_ok=True)
        command = [program("oxigraph"), "load", "--location", str(temporary), "--file", str(source)]
        loaded = subprocess.run(command, capture_output=True, text=True, check=False)
        if loaded.returncode:
            shutil.rmtree(temporary, ignore_errors=True)
            raise OutsideError(f"Oxigraph could not load the snapshot: {loaded.stderr.strip()}", where=str(source))
        temporary.rename(store)
    return store


def wikidata_command(work: Path, port: int) -> list[str]:
    """The command that serves the snapshot; read-only, so nobody on this machine can change it."""
    bind = ["--bind", f"{LOOPBACK}:{port}", "--timeout-s", str(_QUERY_SECONDS)]
    return [program("oxigraph"), "serve-read-only", "--location", str(snapshot_store(work)), *bind]


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


def _offline() -> dict[str, str]:
    return {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


@contextmanager
def wikidata_snapshot(work: Path) -> Iterator[str]:
    """Serves the snapshot while the block runs; gives the endpoint's address."""
    port = free_port()
    url = f"http://{LOOPBACK}:{port}"
    log = work / "logs" / "wikidata.log"
    with running(wikidata_command(work, port), name="Oxigraph", health=f"{url}/", log=log):
        say(f"Wikidata: Oxigraph serves the bundled snapshot at {url}/query")
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
    with running(command, name="the LLM server", health=health, log=log, environment=_offline(), folder=folder):
        say(f"LLM: {SMALL_LLM} answers at {url}/v1")
        yield f"{url}/v1"


@app.command("wikidata")
def serve_wikidata(port: PortOption = 0, work: WorkOption = WORK) -> None:
    """Serve the bundled Wikidata snapshot as a SPARQL endpoint until Ctrl-C."""
    port = port or free_port()
    command = wikidata_command(work, port)
    say(f"SPARQL endpoint: http://{LOOPBACK}:{port}/query (Ctrl-C stops it)")
    os.execv(command[0], command)


@app.command("llm")
def serve_llm(port: PortOption = 0, work: WorkOption = WORK) -> None:
    """Serve SmolLM2-135M-Instruct behind an OpenAI-compatible API until Ctrl-C."""
    port = port or free_port()
    command, folder = llm_command(work, port)
    os.chdir(folder)
    say(f"OpenAI-compatible endpoint: http://{LOOPBACK}:{port}/v1 (Ctrl-C stops it)")
    os.execve(command[0], command, _offline())
