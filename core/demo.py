"""`tashika demo`: the whole main job on this machine, with real servers, real facts and real models.

It only calls the commands that a person would, one after the other, each in a process of its own; what one of them
has finished it does not do again, so an interrupted demo resumes where it stopped. The annotators are simulated, and
everything that shows them states it.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from tashika.core.errors import InputError, OutsideError
from tashika.core.files import read_json
from tashika.core.inputs import BuildInputs, refuse_other_inputs
from tashika.core.options import WORK, SuiteArgument, WorkOption
from tashika.core.progress import console, say
from tashika.core.services import LOOPBACK, call, free_port, knows, start, stop, wait_until_up
from tashika.core.stages import Stage
from tashika.core.suites import Rehearsal
from tashika.core.suites.discovery import all_suites, suite_named
from tashika.core.suites.suite import packaged_file
from tashika.core.workspace import Workspace

app = typer.Typer(add_completion=False)


_START_SECONDS = 240.0
_KEPT = frozenset({"TASHIKA_LABEL_STUDIO_BIN"})


@dataclass(frozen=True)
class Demo:
    """The steps, in one working directory.

    Attributes:
        work: The working directory.
        suite: The suite.
        limits: How many subject-relation pairs a slow model is asked about, by model.
    """

    work: Path
    suite: str
    limits: Mapping[str, int] = field(default_factory=dict)

    @property
    def rehearsal(self) -> Rehearsal:
        """What it runs on."""
        rehearsal = suite_named(self.suite).rehearsal
        if rehearsal is None:
            named = ", ".join(name for name, suite in all_suites().items() if suite.rehearsal)
            raise InputError(f"there is no demo of {self.suite!r}", hint=f"Suites with a demo: {named}.")
        return rehearsal

    @property
    def config(self) -> Path:
        """The settings; those of a suite that is a file are that file."""
        suite = suite_named(self.suite)
        return suite.config_file if self._own_file else packaged_file(self.rehearsal.config)

    @property
    def _own_file(self) -> bool:
        return suite_named(self.suite).own_settings("annotate") is not None

    @property
    def _settings(self) -> tuple[str, ...]:
        """The option with the settings."""
        return () if self._own_file else ("--config", str(self.config))

    @property
    def report(self) -> Path:
        """The page that it all ends with."""
        return self.work / self.suite / "evaluate" / "report.html"

    @property
    def _named(self) -> str:
        return suite_named(self.suite).argument

    def stage(self) -> Stage:
        """What the demo depends on and leaves."""
        return Stage(
            f"demo-{self.suite}",
            self.work,
            inputs=[self.config, *map(packaged_file, self.rehearsal.inputs)],
            settings={"models": list(self.rehearsal.models), "limits": dict(self.limits)},
            outputs=[self.report if self.rehearsal.models else self.work / self.suite / "release" / "release.json"],
        )

    def endings(self) -> list[str]:
        """Where to look when all is done, in lines: a link that opens, and how to see the rest."""
        card = self.work / self.suite / "release" / "README.md"
        name, page = ("report", self.report) if self.report.exists() else ("release", card)
        work = "" if self.work == WORK else f" --work {shlex.quote(str(self.work))}"
        return [
            f"open the {name}: {page.resolve().as_uri()}",
            f"the pages that people judged on: `tashika annotate serve{work}`, which says how to sign in",
            f"candidates, votes, release and scores are in {self.work}; `tashika status{work}` lists them",
        ]

    def run(self) -> dict[str, Any]:
        """Does every step that has not been done.

        Raises:
            InputError: The working directory was built from other inputs, or a Label Studio runs on it.
            OutsideError: A step failed.
        """
        if not self._own_file:
            refuse_other_inputs(
                Workspace(self.work, self.suite),
                BuildInputs(config=self.config),
                hint="Run the demo in a folder of its own: --work DIR (make demo WORK=DIR).",
            )
        self._refuse_beside_server()
        rounds = [(self._build, "People judge the candidates (here: simulated annotators)")]
        if self.rehearsal.second_build:
            rounds.append((self._build_on, "People answer what was made of them (here: simulated annotators)"))
        self._judged(rounds)
        self._score()
        if self.rehearsal.second_round:
            self._judged([(self._check, "People judge what was found (here: simulated annotators)")])
        if self.rehearsal.models:
            self._call("report", self._named)
        return {"models": len(self.rehearsal.models)}

    def _refuse_beside_server(self) -> None:
        """Two servers cannot share the data that `annotate serve` keeps in a working directory, with its account."""
        path = self.work / "label-studio" / "account.json"
        account = read_json(path) if path.exists() else {}
        url, token = account.get("url"), account.get("token")
        if url and knows(f"{url}/api/current-user/whoami", {"Authorization": f"Token {token}"}):
            hint = "End it (Ctrl-C where `tashika annotate serve` runs), or take another folder: --work DIR."
            raise InputError(f"a server is running on this data already, at {url}", where=str(path.parent), hint=hint)

    def _judged(self, rounds: Sequence[tuple[Callable[[], None], str]]) -> None:
        """Has people judge what each round makes; the server starts meanwhile, and is stopped whatever happens."""
        port = free_port()
        log = self.work / "logs" / "label-studio.log"
        console.rule("Label Studio starts in the background, on this machine only")
        serve = [*_tashika("annotate", "serve"), "--port", str(port), "--work", str(self.work)]
        server = start(serve, log=log, environment=_own_environment())
        try:
            for make, heading in rounds:
                make()
                address = f"http://{LOOPBACK}:{port}"
                console.rule(heading)
                say(f"Label Studio: waiting for {address}")
                wait_until_up(f"{address}/health", server, name="Label Studio", seconds=_START_SECONDS, log=log)
                for step in self.rehearsal.judging:
                    self._call("annotate", step, self._named, *self._settings)
        finally:
            stop(server)

    def _build_on(self) -> None:
        console.rule("What is made of the accepted candidates")
        self._call("build", self._named, *self._settings)

    def _check(self) -> None:
        console.rule("What the models said, for people to check")
        self._call("evaluate", self._named, *self._settings, "--checks")

    def _build(self) -> None:
        console.rule(f"Candidates: {', '.join(kind.name for kind in suite_named(self.suite).kinds)}")
        self._call("build", self._named, *self._settings)
        console.rule("Small real models, prepared once")
        for model in self.rehearsal.models:
            self._call("models", model)

    def _score(self) -> None:
        console.rule("The release")
        self._call("export", self._named, *self._settings)
        console.rule("Scores")
        for model in self.rehearsal.models:
            path = str(self.work / "models" / model)
            limit = ("--limit", str(self.limits[model])) if model in self.limits else ()
            self._call("evaluate", self._named, *self._settings, "--model", path, *limit)

    def _call(self, *arguments: str) -> None:
        command = [*_tashika(*arguments), "--work", str(self.work)]
        console.print(f"$ tashika {' '.join(command[3:])}", style="bold", markup=False)
        code = call(command, environment=_own_environment())
        if code:
            raise OutsideError(
                f"`tashika {arguments[0]}` ended with code {code}",
                hint="Its own message stands above. Run the demo again to resume from there.",
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
    suite: SuiteArgument = "myriadlama",
    work: WorkOption = WORK,
    causal_pairs: Annotated[
        int | None,
        typer.Option(
            min=1,
            show_default=False,
            help="Subject-relation pairs that the causal model is asked about; myriadlama's default is 200, else all.",
        ),
    ] = None,
) -> None:
    """Run the whole main job on this machine: build, annotate, export, evaluate, report.

    Real parts on loopback: Wikidata facts behind Oxigraph, small language models, a Label Studio server. The people
    are simulated. Takes some minutes; a second run has nothing to do.
    """
    limits = {**Demo(work, suite).rehearsal.limits, **({"smollm2": causal_pairs} if causal_pairs else {})}
    chosen = Demo(work, suite, limits)
    chosen.stage().run(chosen.run, what=f"demo of {suite}")
    for line in chosen.endings():
        say(line)
