"""Where a suite's files lie: `work/SUITE/{items,annotation,release,evaluate,cache}`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_grown_table, read_table

if TYPE_CHECKING:
    import pyarrow as pa


FOLDERS = ("items", "annotation", "release", "evaluate", "cache")
"""What lies in the folder of a suite."""


def base_of(directory: Path) -> Path | None:
    """The folder of the suite that a folder is in, or that it is; None for a folder that is in none."""
    if (directory / "items").is_dir() or (directory / "annotation").is_dir():
        return directory
    for path in (directory, *directory.parents):
        if path.name in FOLDERS and path.parent.name not in FOLDERS:
            return path.parent
    return None


@dataclass(frozen=True)
class Workspace:
    """The folders of one suite under a working directory."""

    root: Path
    suite: str

    @property
    def base(self) -> Path:
        """The suite's own folder."""
        return self.root / self.suite

    @property
    def argument(self) -> str:
        """What the command line is given to mean the suite: its name, or the file of one of the user's own."""
        from tashika.core.suites.discovery import suite_argument

        return suite_argument(self.suite)

    @property
    def arguments(self) -> str:
        """As `argument`, and where the suite lies unless that is the default: for commands to be copied as they are."""
        from tashika.core.options import WORK

        return self.argument if self.root == WORK else f"{self.argument} --work {shlex.quote(str(self.root))}"

    @property
    def inputs_file(self) -> Path:
        """What the items were built from; see `core.inputs`."""
        return self.base / "inputs.json"

    @property
    def items(self) -> Path:
        """Item tables, one Parquet file a kind."""
        return self.base / "items"

    @property
    def annotation(self) -> Path:
        """Judgments, verdicts, and what was pushed."""
        return self.base / "annotation"

    @property
    def pushed(self) -> Path:
        """Which item is which task on the server, one table a project."""
        return self.annotation / "pushed"

    @property
    def judgments(self) -> Path:
        """What people said, in shards that are only added to."""
        return self.annotation / "judgments"

    @property
    def release(self) -> Path:
        """The dataset as `datasets.load_dataset` opens it."""
        return self.base / "release"

    @property
    def evaluate(self) -> Path:
        """Predictions and scores, one folder a model, and the report."""
        return self.base / "evaluate"

    @property
    def cache(self) -> Path:
        """Replies of the outside, by the hash of the request. Safe to delete."""
        return self.base / "cache"

    def item_file(self, kind: str) -> Path:
        """The item table of a kind."""
        return self.items / f"{kind}.parquet"

    def read_items(self, kind: str) -> pa.Table:
        """The items of a kind.

        Raises:
            MissingStageError: They have not been built.
            InputError: The file is broken, or of a version whose items had other columns.
        """
        from tashika.core.records import item_schema

        path = self.item_file(kind)
        if not path.exists():
            raise MissingStageError(
                f"there are no {kind} items yet", where=str(path), hint=f"Run `tashika build {self.argument}` first."
            )
        try:
            return read_table(path, item_schema(self.suite, kind))
        except InputError as error:
            error.hint = error.hint or f"Run `tashika build {self.argument}` again: items keep their ids and verdicts."
            raise

    @property
    def verdict_file(self) -> Path:
        """The verdicts of all kinds."""
        return self.annotation / "verdicts.parquet"

    def read_verdicts(self) -> pa.Table:
        """The verdicts on the suite's items.

        Raises:
            MissingStageError: No votes have been counted.
        """
        from tashika.core.records import VERDICT

        if not self.verdict_file.exists():
            raise MissingStageError(
                "there are no verdicts yet",
                where=str(self.verdict_file),
                hint=f"Run `tashika annotate vote {self.argument}` first.",
            )
        return read_grown_table(self.verdict_file, VERDICT)

    @property
    def answer_file(self) -> Path:
        """What people say items are: labels, ratings, preferences and texts, of all kinds."""
        return self.annotation / "answers.parquet"

    def read_answers(self) -> pa.Table:
        """What people say items are: rows of `records.ANSWER`, sorted by kind and item.

        Raises:
            MissingStageError: No votes have been counted.
        """
        from tashika.core.records import ANSWER

        if not self.answer_file.exists():
            raise MissingStageError(
                "there are no answers yet",
                where=str(self.answer_file),
                hint=f"Run `tashika annotate vote {self.argument}` first.",
            )
        return read_table(self.answer_file, ANSWER)

    @property
    def statement_file(self) -> Path:
        """What each person said last of each item, and whether it was counted."""
        return self.annotation / "statements.parquet"

    def read_statements(self) -> pa.Table:
        """What people said: rows of `records.STATEMENT`, sorted by kind, item and person; none where nobody voted.

        Raises:
            MissingStageError: An earlier version counted the votes, which left no such file.
        """
        from tashika.core.records import STATEMENT

        if self.statement_file.exists():
            return read_table(self.statement_file, STATEMENT)
        if not self.verdict_file.exists():
            return STATEMENT.empty_table()
        raise MissingStageError(
            "there is no table of single judgments yet",
            where=str(self.statement_file),
            hint=f"Count the votes again: `tashika annotate vote {self.argument}`.",
        )
