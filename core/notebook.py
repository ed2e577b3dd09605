"""A working directory in Python: its tables as pandas DataFrames, and its stages as functions. See `docs/python.md`.

```python
from tashika.core.notebook import open_workspace

riddles = open_workspace("riddles.toml")
riddles.run("build")
riddles.items("question")
```
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tashika.core.errors import InputError, MissingStageError, OutsideError
from tashika.core.files import read_object, read_table
from tashika.core.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd
    import typer

COMMANDS = frozenset({"build", "export", "publish", "evaluate", "report", "demo"})
"""Commands of a suite that come to an end by themselves."""

STEPS = frozenset({"push", "status", "pull", "vote", "simulate", "forget-simulated", "import-responses"})
"""Those of `tashika annotate`."""


class Notebook:
    """One suite in one working directory.

    Attributes:
        workspace: Where its files lie.

    Args:
        workspace: The same.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def __repr__(self) -> str:
        return f"Notebook({self.workspace.suite!r}, work={str(self.workspace.root)!r})"

    def kinds(self) -> list[str]:
        """The suite's kinds of items, in the order in which they are made."""
        from tashika.core.suites.discovery import suite_named

        return [kind.name for kind in suite_named(self.workspace.suite).kinds]

    def items(self, kind: str) -> pd.DataFrame:
        """The candidates of a kind: one row an item, with its provenance.

        Raises:
            InputError: The suite has no such kind.
            MissingStageError: They have not been built.
        """
        if kind not in self.kinds():
            raise InputError(f"there are no items of the kind {kind!r}", hint=f"Kinds: {', '.join(self.kinds())}.")
        return _frame(self.workspace.read_items(kind))

    def judgments(self) -> pd.DataFrame:
        """What people said: one row a judgment, those that no longer count among them (`core.records.JUDGMENT`).

        Raises:
            MissingStageError: None have been pulled.
        """
        import pyarrow as pa

        from tashika.core.records import JUDGMENT

        shards = sorted(self.workspace.judgments.glob("part-*.parquet"))
        if not shards:
            raise self._missing("judgments", self.workspace.judgments, "annotate pull {}")
        return _frame(pa.concat_tables([read_table(shard, JUDGMENT) for shard in shards]))

    def verdicts(self) -> pd.DataFrame:
        """The decisions on the items: one row an item (`core.records.VERDICT`).

        Raises:
            MissingStageError: No votes have been counted.
        """
        return _frame(self.workspace.read_verdicts())

    def answers(self) -> pd.DataFrame:
        """What people say items are, where they were asked for more than a verdict: labels, ratings, words.

        Raises:
            MissingStageError: No votes have been counted.
        """
        path = self.workspace.annotation / "answers.parquet"
        return self._table(path, "answers", "annotate vote {}")

    def release(self, config: str | None = None, split: str = "test") -> pd.DataFrame:
        """One part of the release.

        Args:
            config: The configuration; it may be left out where there is one only.
            split: The part.

        Raises:
            InputError: There is no such configuration or part.
            MissingStageError: There is no release.
        """
        if not (self.workspace.release / "release.json").is_file():
            raise self._missing("release", self.workspace.release, "export {}")
        from datasets import load_dataset

        try:
            part = load_dataset(str(self.workspace.release), config, split=split)
        except ValueError as error:  # its message names the configurations or the parts that there are
            raise InputError(str(error), where=str(self.workspace.release)) from error
        frame: pd.DataFrame = part.to_pandas()
        return frame

    def systems(self) -> list[str]:
        """The systems that were scored, by the names of their folders."""
        return sorted(path.parent.name for path in self.workspace.evaluate.glob("*/metrics.json"))

    def predictions(self, system: str) -> pd.DataFrame:
        """What a system answered: one row a prompt; the columns are the suite's.

        Raises:
            InputError: No such system was scored.
            MissingStageError: It has no table of predictions.
        """
        self._require_system(system)
        path = self.workspace.evaluate / system / "predictions.parquet"
        return self._table(path, "predictions", "evaluate {} --model NAME")

    def metrics(self, system: str) -> dict[str, Any]:
        """The numbers of a system, as in its `metrics.json`.

        Raises:
            InputError: No such system was scored, or its file is broken.
        """
        self._require_system(system)
        numbers: dict[str, Any] = read_object(self.workspace.evaluate / system / "metrics.json")
        return numbers

    def run(self, *arguments: str | Path) -> None:
        """Runs a stage as the command line does; the suite and the working directory are filled in.

        Args:
            *arguments: Such as `"build", "--dry-run"` or `"annotate", "push"`.

        Raises:
            TashikaError: As on the command line; what it would print as an error is the message.
        """
        from tashika.core.cli import app

        words = [str(argument) for argument in arguments]
        length = 2 if words[:1] == ["annotate"] else 1
        name = " ".join(words[:length])
        if not (name in COMMANDS or name.removeprefix("annotate ") in STEPS):
            known = [*sorted(COMMANDS), *(f"annotate {step}" for step in sorted(STEPS))]
            raise InputError(
                f"{name!r} is not run from Python",
                hint=f"These are: {', '.join(known)}. Others, such as servers, are for a terminal.",
            )
        suite, work = self.workspace.argument, str(self.workspace.root)
        _call(app, [*words[:length], suite, *words[length:], "--work", work], name)

    def _require_system(self, system: str) -> None:
        if system not in self.systems():
            scored = ", ".join(self.systems()) or "none"
            where = str(self.workspace.evaluate)
            raise InputError(f"no system {system!r} was scored", where=where, hint=f"Scored: {scored}.")

    def _table(self, path: Path, what: str, command: str) -> pd.DataFrame:
        if not path.exists():
            raise self._missing(what, path, command)
        return _frame(read_table(path))

    def _missing(self, what: str, place: Path, command: str) -> MissingStageError:
        run = command.format(self.workspace.argument)
        return MissingStageError(f"there are no {what} yet", where=str(place), hint=f"Run `tashika {run}` first.")


def open_workspace(suite: str | Path, work: str | Path = "work") -> Notebook:
    """Opens a working directory, which need not exist yet.

    Args:
        suite: A suite's name, a suite file, or a folder with a `suite.toml`.
        work: What the command line calls `--work`.

    Raises:
        InputError: There is no such suite.
        ConfigError: Something is wrong with the suite file.
    """
    from tashika.core.suites.discovery import open_suite

    return Notebook(Workspace(Path(work), open_suite(str(suite)).name))


def _frame(table: Any) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _call(command: typer.Typer, arguments: list[str], name: str) -> None:
    """Calls a Typer app; a mistake in its options, and a code that is not 0, are errors like all others."""
    import typer
    from typer.exceptions import TyperException
    from typer.main import get_command

    try:
        code = get_command(command).main(arguments, prog_name="tashika", standalone_mode=False)
    except TyperException as error:
        raise InputError(str(error), where=f"tashika {name}") from error
    except typer.Abort as error:
        raise OutsideError(f"`tashika {name}` was stopped") from error
    if isinstance(code, int) and code:
        raise (InputError if code == InputError.exit_code else OutsideError)(f"`tashika {name}` ended with code {code}")
