"""Figures as SVG text in one style: colours follow the page's light or dark theme, the bytes follow the data alone.

Colours are CSS variables with a fallback, so that a figure stands inside a page and alone. Series are distinguished by
shape and place as well as by colour; blue and vermilion are Okabe and Ito's, which suit colour-blind readers.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from typing import Any, Final

# matplotlib draws with stand-ins, which become CSS variables. None is a grey, which a PDF writes as a single number.
INK, FAINT, GRID, MAIN, SECOND, PAPER = "#010203", "#010204", "#010205", "#010206", "#010207", "#010208"
_VARIABLES: Final = {
    INK: "var(--ink, #1c2128)",
    FAINT: "var(--faint, #667080)",
    GRID: "var(--grid, #d8dde4)",
    MAIN: "var(--main, #0072b2)",
    SECOND: "var(--second, #d55e00)",
    PAPER: "var(--paper, #ffffff)",
}
_STYLE: Final[dict[str, Any]] = {
    "axes.axisbelow": True,
    "axes.edgecolor": FAINT,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so that the layout is the same everywhere
    "font.size": 9.5,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: it can be read aloud, searched and copied
    "svg.hashsalt": "tashika",
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a model's name is a dollar sign
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
}
_COLLECTED: ContextVar[dict[str, bytes | None] | None] = ContextVar("collected", default=None)
_WIDTH = 4.7  # inches at 72 dpi: about a phone's width, so that text keeps its size there


def percent_axes(*axes: Any) -> None:
    """Shows fractions as percentages."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    for axis in axes:
        axis.set_major_locator(MaxNLocator(6))
        axis.set_major_formatter(PercentFormatter(1.0))


@contextmanager
def collected_pdfs() -> Iterator[dict[str, bytes | None]]:
    """Yields a table that is filled while the block runs: each figure that is drawn, as PDF, by its SVG text.

    A figure with characters that the PDF's font lacks has None, since boxes would stand in their place.
    """
    pdfs: dict[str, bytes | None] = {}
    token = _COLLECTED.set(pdfs)
    try:
        yield pdfs
    finally:
        _COLLECTED.reset(token)


def is_collecting() -> bool:
    """Whether figures are wanted as files: pages that are there already are drawn again."""
    return _COLLECTED.get() is not None


@contextmanager
def drawing(height: float, title: str, description: str = "") -> Iterator[tuple[Any, list[str]]]:
    """Yields a figure and a list, which holds the figure as SVG text when the block has ended.

    Args:
        height: In inches.
        title: What the figure shows, for those who hear the page.
        description: Its numbers in words, for them too.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    result: list[str] = []
    style: Any = {**dict(mpl.rcParamsDefault), **_STYLE}  # not the reader's own settings: the bytes shall be the same
    with mpl.rc_context(style):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        yield figure, result
        text = io.StringIO()
        with warnings.catch_warnings():
            # Text stays text, so what matplotlib's font lacks (Japanese labels) the reader's browser has.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
        result.append(_for_a_page(text.getvalue(), title, description))
        pdfs = _COLLECTED.get()
        if pdfs is not None:
            pdfs[result[0].strip()] = pdf_of(figure)


def pdf_of(figure: Any) -> bytes | None:
    """A figure as PDF in the colours of the light theme; None where the font lacks a character of it.

    The bytes depend on the figure alone. Stand-ins are replaced in the file, where a colour has the same length
    whatever it is, since the file is not compressed and each fraction has ten digits.
    """
    import matplotlib as mpl

    data = io.BytesIO()
    with warnings.catch_warnings(record=True) as caught, mpl.rc_context({"pdf.compression": 0, "pdf.fonttype": 42}):
        warnings.simplefilter("always")
        figure.savefig(data, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
    if any("missing from" in str(warning.message) for warning in caught):
        return None
    content = data.getvalue()
    for stand_in, variable in _VARIABLES.items():
        red, green, blue = _pdf_colour(variable[-8:-1])
        pattern = rb"(?<=\s)" + rb"(\s)".join(map(re.escape, _pdf_colour(stand_in))) + rb"(?=\s)"
        content = re.sub(pattern, rb"%b\g<1>%b\g<2>%b" % (red, green, blue), content)
    return content


def _pdf_colour(colour: str) -> list[bytes]:
    return [f"{int(colour[place : place + 2], 16) / 255:.10f}".encode() for place in (1, 3, 5)]


def for_a_file(svg: str) -> str:
    """A figure of a page as a file of its own: colours in place of variables, which few programs know, and a size."""
    text = re.sub(r"var\(--[\w-]+, (#[0-9a-fA-F]{6})\)", r"\1", svg)
    view = re.search(r'viewBox="([^"]+)"', text)
    assert view is not None  # every figure of a page has one
    width, height = view[1].split()[2:]
    text = text.replace("<svg ", f'<svg width="{width}" height="{height}" ', 1)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _for_a_page(svg: str, title: str, description: str) -> str:
    """Makes matplotlib's file a part of a page: no prologue, no fixed size, ids of its own, colours of the page."""
    prefix = "f" + re.sub(r"\W+", "-", title.lower())
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r"(url\(|href=\")#", rf"\1#{prefix}-", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    view = re.search(r'viewBox="[^"]+"', svg)
    assert view is not None  # every figure that matplotlib writes has one
    head = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {view[0]} role="img"'
    body = re.sub(r" *\n *", "\n", svg[svg.index(">") + 1 :])
    words = f"<desc>{escape(description)}</desc>" if description else ""
    return f'{head} aria-label="{escape(title)}"><title>{escape(title)}</title>{words}{body}'
