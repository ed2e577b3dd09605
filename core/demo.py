"""`tashika demo`: the whole main job on this machine, with real servers, real facts and real models.

It only calls the commands that a person would, one after the other, each in a process of its own; what one of them
has finished it does not do again, so an interrupted demo goes on where it was. The annotators are simulated, and
everything that shows them says so.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tashika.core.errors import OutsideError
from tashika.core.options import WORK, WorkOption
from tashika.core.progress import console, say
from tashika.core.services import LOOPBACK, call, free_port, start, stop, wait_until_up
from tashika.core.settings import packaged, packaged_data
from tashika.core.stages import Stage

app = typer.Typer(add_completion=False)

SUITE = "myriadlama"
MODELS = ("tiny-bert", "smollm2")
_START_SECONDS = 240.0
_KEPT = frozenset({"TASHIKA_LABEL_STUDIO_BIN"})


@dataclass(frozen=True)
class Demo:
    """The steps, in one working directory.

    Attributes:
        work: The working directory.
        config: The settings: the published ones, with fewer paraphrases.
        causal_pairs: Subject-relation pairs that the causal model is asked about.
    """

    work: Path
    config: Path
    causal_pairs: int

    @property
    def report(self) -> Path:
        """The page that it all ends with."""
        return self.work / SUITE / "evaluate" / "report.html"

    def stage(self) -> Stage:
        """What the demo depends on and leaves."""
        return Stage(
            "demo",
            self.work,
            inputs=[self.config, packaged("myriadlama_templates.toml"), packaged_data("wikidata/snapshot.ttl")],
            settings={"models": list(MODELS), "causal_pairs": self.causal_pairs},
            outputs=[self.report],
        )

    def run(self) -> dict[str, Any]:
        """Does every step that has not been done."""
        port = free_port()
        log = self.work / "logs" / "label-studio.log"
        console.rule("Label Studio starts in the background, on this machine only")
        serve = [*_tashika("annotate", "serve"), "--port", str(port), "--work", str(self.work)]
        server = start(serve, log=log, environment=_own_environment())
        try:
            self._build()
            address = f"http://{LOOPBACK}:{port}"
            console.rule("People judge the candidates (here: simulated annotators)")
            say(f"Label Studio: waiting for {address}")
            wait_until_up(f"{address}/health", server, name="Label Studio", seconds=_START_SECONDS, log=log)
            for step in ("push", "simulate", "pull", "vote", "status"):
                self._call("annotate", step, SUITE, "--config", str(self.config))
        finally:
            stop(server)
        self._score()
        return {"models": len(MODELS)}

    def _build(self) -> None:
        console.rule("Candidates: facts, aliases and templates")
        self._call("build", SUITE, "--config", str(self.config))
        console.rule("Small real models, prepared once")
        for model in MODELS:
            self._call("models", model)

    def _score(self) -> None:
        console.rule("The release")
        self._call("export", SUITE, "--config", str(self.config))
        console.rule("Scores")
        limits: dict[str, Sequence[str]] = {"smollm2": ("--limit", str(self.causal_pairs))}
        for model in MODELS:
            path = str(self.work / "models" / model)
            self._call("evaluate", SUITE, "--config", str(self.config), "--model", path, *limits.get(model, ()))
        self._call("report", SUITE)

    def _call(self, *arguments: str) -> None:
        command = [*_tashika(*arguments), "--work", str(self.work)]
        console.print(f"$ tashika {' '.join(command[3:])}", style="bold", markup=False)
        code = call(command, environment=_own_environment())
        if code:
            raise OutsideError(
                f"`tashika {arguments[0]}` ended with code {code}",
                hint="Its own message stands above. Run the demo again to go on from there.",
            )


def _own_environment() -> dict[str, str]:
    """This process's environment without the user's own servers and settings.

    Otherwise the simulated people would answer in the user's real Label Studio, and paraphrases might cost money.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith("TASHIKA_") or name in _KEPT}


def _tashika(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tashika.core.cli", *arguments]


@app.command()
def demo(
    work: WorkOption = WORK,
    causal_pairs: Annotated[
        int, typer.Option(min=1, help="Subject-relation pairs that the causal model, the slower one, is asked about.")
    ] = 200,
) -> None:
    """Run the whole main job on this machine: build, annotate, export, evaluate, report.

    Real parts on loopback: Wikidata facts behind Oxigraph, a small language model that paraphrases, a Label Studio
    server, a masked and a causal model. The people are simulated. Takes some minutes; a second run has nothing to do.
    """
    chosen = Demo(work, packaged("myriadlama-demo.toml"), causal_pairs)
    chosen.stage().run(chosen.run, what="demo")
    say(f"The report: {chosen.report.resolve()}")
    say("The candidates, votes, release and scores lie beside it; `tashika status` lists them.")
