"""Options that the suites' `evaluate` commands share. Light: `--help` imports nothing else of this room."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from tashika.core.completing import Offer, offered, work_of


def complete_model(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """The models that `tashika models` makes, and those that lie in the working directory."""
    from tashika.evaluate.registry import prepared_models

    folder = work_of(ctx) / "models"
    made = {path.parent.name: path.parent for path in sorted(folder.glob("*/config.json"))}
    known = prepared_models()
    ready = {name: "ready" if name in made else f"made ready by `tashika models {name}`" for name in known}
    others = {str(path): "a model in the working directory" for name, path in made.items() if name not in known}
    return offered([*ready.items(), *others.items()], incomplete)


EngineName = Literal["local", "ray"]

ModelOption = Annotated[
    list[str],
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, or a model made by `tashika models`. May be repeated.",
        show_default=False,
        autocompletion=complete_model,
    ),
]
DeviceOption = Annotated[
    str,
    typer.Option(
        "--device",
        help="auto, cpu, cuda, cuda:N, several with commas between, or cuda:all: a model on each. With + between "
        "(cuda:0+cuda:1, or spread for all there are) they hold one model together.",
    ),
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
