"""`tashika report --export`: each table of the page as CSV, LaTeX and Markdown, each figure as SVG and PDF.

They are taken from the page that was written, so that none is left out and none says anything else. Beside them lies a
copy of the page with links to the files. The same scores give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from tashika.core.files import replacing, write_text
from tashika.core.progress import say
from tashika.core.reporting.plots import collected_pdfs, for_a_file
from tashika.evaluate.reporting.copies import texts_of
from tashika.evaluate.reporting.methods import write_methods
from tashika.evaluate.reporting.parts import FigurePart, TablePart, names_of, parts_of
from tashika.evaluate.reporting.squares import pdf_of_squares

_SUFFIXES: Final = {"CSV": ".csv", "LaTeX": ".tex", "Markdown": ".md", "SVG": ".svg", "PDF": ".pdf"}
_WORDS: Final = {suffix: word for word, suffix in _SUFFIXES.items()}


@dataclass(frozen=True)
class _File:
    """A file of the export: its path in the folder, its content, and where the page links it."""

    path: str
    content: str | bytes
    place: int


def export_report(write_report: Callable[[], Path], folder: Path) -> list[Path]:
    """Writes the page, and what it shows as files.

    Args:
        write_report: Writes the page and returns its path.
        folder: Where the files go: `tables/`, `figures/`, and the page itself as `report.html`. Files of an earlier
            export are written again; what else lies there stays.

    Returns:
        What was written.

    Raises:
        MissingStageError: No model has been scored.
        OSError: The folder is not writable.
    """
    with collected_pdfs() as pdfs:
        page = write_report().read_text(encoding="utf-8")
    tables, figures = parts_of(page)
    files = [*_table_files(tables), *_figure_files(figures, pdfs)]
    written = []
    for file in files:
        path = folder / file.path
        if isinstance(file.content, str):
            write_text(path, file.content)
        else:
            with replacing(path) as temporary:
                temporary.write_bytes(file.content)
        written.append(path)
    written += write_methods(page, folder)
    write_text(folder / "report.html", _linked(page, files))
    lacking = sum(pdf is None for pdf in pdfs.values())
    if lacking:
        say(f"{lacking} figures are SVG alone: they have characters that the font of a PDF lacks")
    say(f"{len(tables)} tables and {len(figures)} figures: {folder}")
    return [*written, folder / "report.html"]


def _table_files(tables: list[TablePart]) -> Iterator[_File]:
    for table, words in zip(tables, texts_of(tables), strict=True):
        for name, text in words.texts.items():
            yield _File(f"tables/{words.name}{_SUFFIXES[name]}", text, table.end)


def _figure_files(figures: list[FigurePart], pdfs: Mapping[str, bytes | None]) -> Iterator[_File]:
    for figure, name in zip(figures, names_of([figure.title for figure in figures]), strict=True):
        yield _File(f"figures/{name}.svg", for_a_file(figure.svg), figure.end)
        pdf = pdfs[figure.svg] if figure.svg in pdfs else pdf_of_squares(figure.svg)
        if pdf is not None:
            yield _File(f"figures/{name}.pdf", pdf, figure.end)


def _linked(page: str, files: list[_File]) -> str:
    """The page with links to the files below what they hold."""
    links: dict[int, list[str]] = {}
    for file in files:
        word = _WORDS[Path(file.path).suffix]
        links.setdefault(file.place, []).append(f'<a href="{escape(file.path)}">{word}</a>')
    parts, start = [], 0
    for place in sorted(links):
        parts += [page[start:place], f'<p class="small">{" · ".join(links[place])}</p>']
        start = place
    return "".join([*parts, page[start:]])
