"""The system under test: a model or an endpoint, where and how exactly it runs, and the folder of its scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import model_validator

from tashika.core.addresses import shown_address
from tashika.core.errors import InputError, TashikaError
from tashika.core.files import hash_value
from tashika.core.llm import Llm, LlmSettings
from tashika.core.models import LoadedModel, load_model, model_kind, model_note, model_revision, resolve_dtype
from tashika.core.progress import say
from tashika.core.spreading import is_spread
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.devices import device_kind, resolve_devices
from tashika.evaluate.options import EngineName
from tashika.evaluate.registry import prepared_models


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
            InputError: A device is not there. With Ray it need not be on this machine, nor can a model be spread.
        """
        if self.engine == "ray" and is_spread(self.device):
            raise InputError(
                f"found --device {self.device} with --engine ray, which has a whole model on each device",
                hint="Leave --engine ray away, or name whole devices.",
            )
        if self.engine == "ray" and self.device.startswith("cuda"):
            return "cuda"
        return device_kind(resolve_devices(self.device)[0])


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


@dataclass(frozen=True)
class System:
    """What is scored: a model on this machine, a model behind an endpoint, or something else that answers.

    Attributes:
        given: What loads or reaches it: a folder, a name on the Hub, or the model's name at the endpoint.
        name: What pages call it.
        kind: `masked` or `causal` for a model on this machine, `chat` behind an endpoint, or a suite's own, such as
            `people` or `baseline`.
        revision: What identifies it: the Hub's commit, a digest of its files, or of its name and address.
        dtype: `fp32`, `bf16` or `fp16`; None where precision is not ours to choose.
        device: `cpu` or `cuda`, `endpoint`, or None.
        note: What to know before believing its scores; None for most.
        endpoint: The endpoint's address without secrets; None on this machine.
        url: The endpoint's address as it was given. It is never written anywhere.
        how: Where and how exactly it runs.
        prepared: Whether `tashika models` made it.
    """

    given: str
    name: str
    kind: str
    revision: str
    dtype: str | None = None
    device: str | None = None
    note: str | None = None
    endpoint: str | None = None
    url: str | None = field(default=None, repr=False, compare=False)
    how: How = How()
    prepared: bool = False

    @classmethod
    def local(cls, given: str, how: How, workspace: Workspace) -> System:
        """A model on this machine, without loading its weights.

        Raises:
            InputError: It cannot be found, or device or precision are not known.
        """
        place = how.kind_of_device
        return cls(
            given,
            Path(given).resolve().name if Path(given).is_dir() else given,
            model_kind(given),
            model_revision(given),
            resolve_dtype(how.dtype, place),
            place,
            model_note(given),
            how=how,
            prepared=Path(given).parent == workspace.root / "models",
        )

    @classmethod
    def chat(cls, name: str, url: str) -> System:
        """A chat model behind an OpenAI-compatible endpoint.

        Raises:
            InputError: The address is none.
        """
        shown = shown_address(url)
        return cls(name, name, "chat", hash_value([name, shown]), device="endpoint", endpoint=shown, url=url)

    def describe(self) -> dict[str, Any]:
        """Which system it is, as plain values: what predictions depend on, and what a page shows."""
        names = ("name", "kind", "revision", "dtype", "device", "note")
        plain = {name: getattr(self, name) for name in names}
        return {**plain, "endpoint": self.endpoint} if self.endpoint else plain

    @property
    def parameters(self) -> int | None:
        """How many parameters a model of this machine has; None where that is not known."""
        if self.kind not in {"masked", "causal"} or self.url is not None:
            return None
        from tashika.core.model_size import count_parameters  # imports torch

        try:
            return count_parameters(self.given)
        except TashikaError:
            return None

    def require_causal(self, purpose: str) -> None:
        """Refuses a masked model.

        Args:
            purpose: What takes a causal one, such as "to answer in words".

        Raises:
            InputError: It is a masked model.
        """
        if self.kind == "masked":
            raise InputError(
                f"this is a masked model, and it takes a causal one {purpose}",
                where=self.given,
                hint="Give a causal model such as smollm2, or a chat model with --endpoint.",
            )

    def folder(self, *parts: str) -> str:
        """The name of the folder of its scores, another one for whatever must not take their place.

        Many models lie in a folder called "checkpoint", so a folder of the user's gets a part of the revision into the
        name, as does a model at an endpoint: two endpoints may have models of one name.

        Args:
            *parts: How it is asked and what, where that is not everything; empty ones are left out.
        """
        shown = [re.sub(r"[^A-Za-z0-9._-]+", "-", self.name.replace("/", "--")).strip("-.")]
        by_content = self.kind == "chat" or (self.revision.startswith("sha256:") and not self.prepared)
        if by_content or not self.name.isascii():
            shown.append(
                hash_value([self.name, f"sha256:{self.revision}" if self.kind == "chat" else self.revision])[:6]
            )
        if self.dtype not in {None, "fp32"}:
            shown.append(str(self.dtype))
        return "-".join(part for part in (*shown, "chat" if self.kind == "chat" else "", *parts) if part)

    def load(self) -> LoadedModel:
        """Loads a model of this machine, on the first of its devices."""
        say(f"{self.name}: loading, {self.dtype} on {self.device}")
        return load_model(self.given, device=resolve_devices(self.how.device)[0], dtype=self.how.dtype)

    def asking(self, llm: LlmSettings) -> LlmSettings:
        """How it is asked for words, from the settings of a suite."""
        return llm.model_copy(update={"url": self.endpoint or "", "model": self.given if self.url else self.name})

    def client(self, llm: LlmSettings, cache: Path) -> Llm:
        """What speaks with the endpoint.

        Args:
            llm: How it is asked.
            cache: Where replies are kept. A request does not name its address, and two endpoints may have models of one
                name, so each system has a folder of its own there.
        """
        return Llm(self.asking(llm), self.url or "", cache / self.revision[:12])


def resolve_name(name: str, work: Path) -> str:
    """A model of `tashika models` by its short name; anything else stays what it is."""
    prepared = work / "models" / name
    if name in prepared_models() and not (prepared / "config.json").is_file():
        raise InputError(f"the model {name} has not been prepared", hint=f"Run `tashika models {name}` first.")
    return str(prepared) if not Path(name).is_dir() and (prepared / "config.json").is_file() else name


def systems_of(names: Sequence[str], workspace: Workspace, how: How, url: str | None = None) -> list[System]:
    """The systems that the command line names: models on this machine, or models at an endpoint.

    Raises:
        InputError: A system cannot be found, the address is malformed, or an option of this machine is given beside it.
    """
    if url is None:
        return [System.local(resolve_name(name, workspace.root), how, workspace) for name in names]
    usual = How()
    given = {name: getattr(how, name) for name in ("device", "dtype", "engine")}
    idle = [f"--{name}" for name, value in given.items() if value != getattr(usual, name)]
    if idle:
        raise InputError(
            f"found {idle[0]} beside --endpoint, which answers in words on a machine of its own",
            hint=f"Leave {idle[0]} or --endpoint away.",
        )
    return [System.chat(name, url) for name in names]
