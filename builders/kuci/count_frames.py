"""Counts the events of the packaged frames and writes them beside the frames: after these, or the rules, changed.

    python -m tashika.builders.kuci.count_frames

Analyses all frames with the published settings, which takes a minute or two.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from tashika.builders.kuci.events.shipped import COUNTS, Analysis, write_counts
from tashika.builders.kuci.packaged import packaged_frames
from tashika.builders.kuci.rows import SUITE
from tashika.builders.kuci.settings import BuildSettings
from tashika.builders.kuci.stages import Kuci
from tashika.core.progress import say
from tashika.core.settings import load_section, packaged_data
from tashika.core.workspace import Workspace


def main() -> None:
    """Writes the shipped counts."""
    target = packaged_data(COUNTS)
    with TemporaryDirectory() as folder:
        builder = Kuci(Workspace(Path(folder), SUITE), load_section(SUITE, "build", BuildSettings))
        events = write_counts(target, _counted(builder))
    say(f"{events:,} events in {target}")


def _counted(builder: Kuci) -> Iterator[tuple[Path, Analysis, pa.Table]]:
    for path in packaged_frames("all"):
        table, failed = builder.counting.analysed((path,))
        if failed:
            say(f"{path.name}: {failed}")
        yield path, builder.analysis((path,)), table


if __name__ == "__main__":
    main()
