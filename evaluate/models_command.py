"""`tashika models`: makes the small models of a first run, under `work/models/`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from tashika.core.lazy import LazyGroup, function_command
from tashika.core.options import WORK, WorkOption
from tashika.core.suites.suite import load_object
from tashika.evaluate.registry import prepared_models


class ModelsGroup(LazyGroup):
    """One command for each model; what makes it is imported when it is called."""

    def entries(self) -> Mapping[str, str]:
        """The models and what they are."""
        return {name: model.help for name, model in prepared_models().items()}

    def whole(self, name: str) -> Any:
        """The command that makes a model."""
        model = prepared_models()[name]

        def make(work: WorkOption = WORK) -> None:
            typer.echo(str(load_object(model.prepare)(work, work / "models" / name)))

        return function_command(name, make, model.help)


app = typer.Typer(cls=ModelsGroup, no_args_is_help=True, help="Make small models ready that need no download.")


@app.callback()
def models() -> None:
    """Make small models ready that need no download."""
