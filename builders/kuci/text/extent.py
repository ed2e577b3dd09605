"""How much of some files has been read, in lines or rows, which are counted before: they need not be split for that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tashika.builders.kuci.text.files import TextFile
from tashika.builders.kuci.text.lines import lines_of
from tashika.builders.kuci.text.tables import row_count
from tashika.builders.sources.packed import DAMAGED, open_packed


@dataclass
class Extent:
    """The lines of some files, and how many of them have been read.

    Attributes:
        lines: Of all files.
        before: Lines of the files that are read to their end.
        place: The last line that was read of the file at hand, from 1.
    """

    lines: int
    before: int = 0
    place: int = 0

    @property
    def share(self) -> float:
        """Which part of the lines has been read, from 0 to 1."""
        return min(1.0, (self.before + self.place) / self.lines) if self.lines else 1.0

    def next_file(self) -> None:
        """Another file begins."""
        self.before, self.place = self.before + self.place, 0


def extent_of(files: Sequence[TextFile]) -> Extent:
    """Counts the lines or rows of files; of a damaged one those before the damage."""
    return Extent(sum(map(_lines, files)))


def _lines(file: TextFile) -> int:
    if file.format in ("parquet", "arrow"):
        return row_count(file.path, file.format)
    count = 0
    with open_packed(file.path) as stream:
        try:
            for _ in lines_of(stream, file.encoding):
                count += 1
        except DAMAGED:
            pass  # reading it will report that
    return count
