"""Counting the events of text, once: another `floor` needs no analysis, and the packaged frames are shipped counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tashika.builders.kuci.analysis.shards import Outcome, report_failures, write_failures
from tashika.builders.kuci.events.basic_events import EVENT, added_up
from tashika.builders.kuci.events.shipped import Analysis, shipped_counts
from tashika.core.files import read_table, write_batches
from tashika.core.progress import say
from tashika.core.stages import Stage

Paths = tuple[Path, ...]

COUNTS_FILE: Final = "event-counts.parquet"


@dataclass(frozen=True)
class Counting:
    """Counts the events of text, those among them that are seen too rarely to be basic.

    Attributes:
        folder: Where the counts go.
        failures_file: Where the sentences go that could not be analysed.
        settings: What the counts depend on, beside the text and its analysis.
        analysis: What the analysis of files depends on.
        run: Analyses files with the job `CountEvents`.
    """

    folder: Path
    failures_file: Path
    settings: Mapping[str, Any]
    analysis: Callable[[Paths], Analysis]
    run: Callable[[Paths], Outcome]

    def counted(self, paths: Paths) -> tuple[pa.Table, str]:
        """The files -> event-counts.parquet, and the failures.

        Returns:
            The events with their counts, in `EVENT`; and what is to be said of sentences that failed.
        """
        target = self.folder / COUNTS_FILE
        stage = Stage(
            "count-events",
            self.folder,
            inputs=paths,
            settings={**self.settings, **self.analysis(paths)},
            outputs=[target, self.failures_file],
        )
        counts = stage.run(lambda: self._made(paths, target), what="counted events")["counts"]
        return read_table(target, EVENT), counts["failed"]

    def _made(self, paths: Paths, target: Path) -> Mapping[str, Any]:
        shipped = shipped_counts([(path, self.analysis((path,))) for path in paths])
        if shipped is None:
            table, failed = self.analysed(paths)
        else:
            say("the events of the packaged text are counted already: their counts are shipped")
            table, failed = added_up(shipped), ""
            write_failures(self.failures_file, ())
        events = write_batches(target, table.to_batches(), EVENT)
        return {"events": events, "shipped": shipped is not None, "failed": failed}

    def analysed(self, paths: Paths) -> tuple[pa.Table, str]:
        """The same by an analysis of the files, whatever is shipped or was counted before."""
        outcome = self.run(paths)
        table = added_up(outcome.tables())
        failed = report_failures(write_failures(self.failures_file, outcome.failures()), outcome)
        outcome.forget()
        return table, failed
