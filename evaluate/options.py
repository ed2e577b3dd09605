"""Options that the suites' `evaluate` commands share. Light: `--help` imports nothing else of this room."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

EngineName = Literal["local", "ray"]

ModelOption = Annotated[
    list[str],
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, or a model made by `tashika models`. May be repeated.",
        show_default=False,
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
