"""The system under test: a model or an endpoint, where and how exactly it runs, and the folder of its scores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import typer
from pydantic import model_validator

from tashika.core.errors import InputError
from tashika.core.files import hash_value
from tashika.core.llm import LlmSettings
from tashika.core.models import model_kind, model_note, model_revision, resolve_dtype
from tashika.evaluate.engine.devices import resolve_devices
from tashika.evaluate.registry import prepared_models

EngineName = Literal["local", "ray"]

DeviceOption = Annotated[
    str, typer.Option("--device", help="auto, cpu, cuda, cuda:N, several with commas between, or cuda:all.")
]
EngineOption = Annotated[
    EngineName,
    typer.Option("--engine", help="local, or ray: the same shards on every GPU of a Ray cluster (RAY_ADDRESS)."),
]
DtypeOption = Annotated[str, typer.Option("--dtype", help="auto (fp32 on a CPU, bf16 on CUDA), fp32, bf16 or fp16.")]
EndpointOption = Annotated[
    str | None,
    typer.Option("--endpoint", help="Ask chat models behind this OpenAI-compatible address; key in TASHIKA_LLM_KEY."),
]


@dataclass(frozen=True)
class How:
    """Where and how exactly a model runs.

    Attributes:
        device: See `devices.resolve_devices`.
        dtype: `auto`, `fp32`, `bf16` or `fp16`.
        engine: `local` or `ray`.
    """

    device: str = "auto"
    dtype: str = "auto"
    engine: EngineName = "local"

    @property
    def kind_of_device(self) -> str:
        """`cpu` or `cuda`: which of several alike makes no difference to the predictions.

        Raises:
            InputError: A device is not there. With Ray it need not be on this machine.
        """
        if self.engine == "ray" and self.device.startswith("cuda"):
            return "cuda"
        return resolve_devices(self.device)[0].split(":")[0]


@dataclass(frozen=True)
class Sample:
    """How much of a release is asked; None is all.

    Attributes:
        pairs: Subject-relation pairs in all, shared out among the relations by their size.
        templates: Templates of each relation, among those that the model can answer.
        aliases: Names of each subject.
        seed: Of the draw.
    """

    pairs: int | None = None
    templates: int | None = None
    aliases: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("pairs", "templates", "aliases"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"found the limit of {value} {name}; it must be at least 1")

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return self.pairs is None and self.templates is None and self.aliases is None


class AnswerSettings(LlmSettings):
    """How a model answers in words; the endpoint and the model's name come from the command line."""

    api: Literal["chat", "completions"] = "chat"
    temperature: float = 0.0
    top_p: float = 1.0

    @model_validator(mode="after")
    def _named_elsewhere(self) -> AnswerSettings:
        if self.model_fields_set & {"url", "model"}:
            raise ValueError("name the endpoint with --endpoint and the model with --model")
        return self


def identity(name: str, how: How) -> dict[str, Any]:
    """Which model it is and how it will run, without loading its weights.

    Raises:
        InputError: It cannot be found, or device or precision are not known.
    """
    place = how.kind_of_device
    return {
        "name": Path(name).resolve().name if Path(name).is_dir() else name,
        "kind": model_kind(name),
        "revision": model_revision(name),
        "dtype": resolve_dtype(how.dtype, place),
        "device": place,
        "note": model_note(name),
    }


def slug(about: Mapping[str, Any], sample: Sample, *, ours: bool = False) -> str:
    """The name of the folder of a model's scores, another one for whatever must not take their place.

    Args:
        about: The model, see `identity`.
        sample: What it is asked; part of the name where that is not everything.
        ours: Whether `tashika models` made it. Other folders get a part of the revision into the name, since many
            models lie in a folder called "checkpoint".
    """
    name = str(about["name"])
    parts = [re.sub(r"[^A-Za-z0-9._-]+", "-", name.replace("/", "--")).strip("-.")]
    if (about["revision"].startswith("sha256:") and not ours) or not name.isascii():
        parts.append(hash_value([name, about["revision"]])[:6])
    if about["dtype"] != "fp32":
        parts.append(about["dtype"])
    limits = {"pairs": sample.pairs, "templates": sample.templates, "aliases": sample.aliases}
    parts += [f"{limit}-{what}" for what, limit in limits.items() if limit is not None]
    return "-".join(part for part in parts if part)


def resolve_name(name: str, work: Path) -> str:
    """A model of `tashika models` by its short name; anything else stays what it is."""
    prepared = work / "models" / name
    if name in prepared_models() and not (prepared / "config.json").is_file():
        raise InputError(f"the model {name} has not been prepared", hint=f"Run `tashika models {name}` first.")
    return str(prepared) if not Path(name).is_dir() and (prepared / "config.json").is_file() else name


def shown_address(url: str) -> str:
    """An endpoint's address without a name, password or query, which may be secrets.

    Raises:
        InputError: It is no address.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        host, port = None, ""
    if not host or parts.scheme not in {"http", "https"}:
        raise InputError(
            f"found the endpoint {url!r}, expected an address", hint="Such as https://api.openai.com/v1 or http://…/v1."
        )
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"
