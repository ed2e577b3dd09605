"""Files that would run code if they were opened carelessly, and checkpoints that are broken in every way we know."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

PICKLE_PROTOCOLS: Final = range(pickle.HIGHEST_PROTOCOL + 1)
WEIGHTS: Final = "model.safetensors"
BINARY: Final = "pytorch_model.bin"


class Payload:
    """Makes a folder when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = str(marker)

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.marker,)


class Trap:
    """Tells whether code out of a file has run.

    Args:
        folder: Where the code leaves its mark.
    """

    def __init__(self, folder: Path) -> None:
        self.marker = folder / "code-has-run"

    def pickled(self, protocol: int) -> bytes:
        """A pickle that runs code."""
        return pickle.dumps(Payload(self.marker), protocol)

    @property
    def script(self) -> str:
        """A Python file that runs code, with the classes that a checkpoint's config names."""
        return f"import os\nos.mkdir({str(self.marker)!r})\nclass Config: ...\nclass Model: ...\n"

    def assert_silent(self) -> None:
        assert not self.marker.exists(), "code out of a file has run"


def _in_binary(write: Callable[[Path, Trap], object]) -> Callable[[Path, Trap], None]:
    """Weights as a .bin file alone."""

    def break_(model: Path, trap: Trap) -> None:
        (model / WEIGHTS).unlink()
        write(model / BINARY, trap)

    return break_


def _torch_archive(file: Path, trap: Trap, *, zipped: bool = True) -> None:
    import torch

    torch.save({"weight": Payload(trap.marker)}, file, _use_new_zipfile_serialization=zipped)


def _cut_archive(file: Path, trap: Trap) -> None:
    import torch

    torch.save({"weight": torch.zeros(50)}, file)
    file.write_bytes(file.read_bytes()[:-40])


def _indexed_archive(model: Path, trap: Trap) -> None:
    (model / WEIGHTS).unlink()
    _torch_archive(model / "part.bin", trap)
    (model / f"{WEIGHTS}.index.json").write_text('{"metadata": {}, "weight_map": {"weight": "part.bin"}}')


def _with_code(model: Path, trap: Trap) -> None:
    """As a model on the Hub that brings an architecture of its own."""
    (model / "own.py").write_text(trap.script)
    autos = ("AutoModel", "AutoModelForMaskedLM", "AutoModelForCausalLM", "AutoModelForSequenceClassification")
    edit(
        model / "config.json",
        model_type="own",
        auto_map={"AutoConfig": "own.Config", **dict.fromkeys(autos, "own.Model")},
    )


def edit(file: Path, **values: Any) -> None:
    """Changes values of a JSON object."""
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-50])


BREAKS: Final[dict[str, Callable[[Path, Trap], object]]] = {
    "weights cut short": lambda model, _: _cut(model / WEIGHTS),
    "weights empty": lambda model, _: (model / WEIGHTS).write_bytes(b""),
    "weights of garbage": lambda model, _: (model / WEIGHTS).write_bytes(b"\x07garbage" * 40),
    "weights gone": lambda model, _: (model / WEIGHTS).unlink(),
    "weights that are code": lambda model, trap: (model / WEIGHTS).write_bytes(trap.pickled(2)),
    "bin with code": _in_binary(_torch_archive),
    "old bin with code": _in_binary(lambda file, trap: _torch_archive(file, trap, zipped=False)),
    "bin that is code": _in_binary(lambda file, trap: file.write_bytes(trap.pickled(0))),
    "bin behind an index with code": _indexed_archive,
    "bin cut short": _in_binary(_cut_archive),
    "bin empty": _in_binary(lambda file, _: file.write_bytes(b"")),
    "bin of garbage": _in_binary(lambda file, _: file.write_bytes(b"\x07garbage" * 40)),
    "config cut short": lambda model, _: _cut(model / "config.json"),
    "config empty": lambda model, _: (model / "config.json").write_bytes(b""),
    "config that is a number": lambda model, _: (model / "config.json").write_text("5"),
    "config of wrong types": lambda model, _: edit(model / "config.json", vocab_size="many"),
    "config of other sizes": lambda model, _: edit(model / "config.json", vocab_size=7),
    "config with code": _with_code,
    "tokenizer cut short": lambda model, _: _cut(model / "tokenizer.json"),
    "tokenizer without a model": lambda model, _: edit(model / "tokenizer.json", model={"type": "WordPiece"}),
    "tokenizer config of garbage": lambda model, _: (model / "tokenizer_config.json").write_bytes(b"\xff\x00"),
    "tokenizer of no length": lambda model, _: edit(model / "tokenizer_config.json", model_max_length="x"),
}
"""What is done to the folder of a good model, by its name."""

KINDS_OF_BREAKS: Final = (
    "weights cut short",
    "bin with code",
    "config of wrong types",
    "config with code",
    "tokenizer cut short",
)
"""One of each kind, for tests that every suite has."""


def roomy_copy(model: str | Path, folder: Path) -> Path:
    """A copy of a tiny model that takes long prompts: where none fits, no weights are loaded."""
    shutil.copytree(model, folder)
    edit(folder / "config.json", max_position_embeddings=2048)
    edit(folder / "tokenizer_config.json", model_max_length=2048)
    return folder


def broken_model(model: str | Path, folder: Path, how: str, trap: Trap) -> Path:
    """A copy of a model, broken in one of the ways of `BREAKS`."""
    shutil.copytree(model, folder)
    BREAKS[how](folder, trap)
    return folder


def assert_refused(code: int, told: str, model: Path, trap: Trap) -> None:
    """A command has left with a clear error about the model, and no code has run."""
    trap.assert_silent()
    assert code == 2, told
    assert str(model) in told
    for word in ("Traceback", "weights_only", "trust_remote_code"):
        assert word not in told


def bomb(path: Path, head: bytes, tail: bytes, *, megabytes: int = 2) -> Path:
    """A small gzipped file with one long run of letters in it."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head)
        for _ in range(megabytes):
            file.write(b"a" * (1 << 20))
        file.write(tail)
    return path
