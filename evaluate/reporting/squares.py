"""PDF of figures that a page has as SVG written by hand: squares and words, and nothing else."""

from __future__ import annotations

import re
from typing import Any, Final
from xml.etree import ElementTree as ET

from tashika.core.reporting.plots import for_a_file, pdf_of

_UNIT: Final = 72.0
"""Units of such a drawing in an inch."""
_STYLE: Final = re.compile(r"([\w-]+): ([^;]+)")


def pdf_of_squares(svg: str) -> bytes | None:
    """A figure as PDF; None where it holds characters that the font lacks, or anything but squares and words."""
    import matplotlib as mpl
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    root = ET.fromstring(for_a_file(svg).encode())  # our own text
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    defaults: Any = dict(mpl.rcParamsDefault)
    with mpl.rc_context({**defaults, "font.sans-serif": ["DejaVu Sans"], "text.parse_math": False}):
        figure = Figure(figsize=(width / _UNIT, height / _UNIT), facecolor="none")
        FigureCanvasPdf(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(height, 0))
        axes.axis("off")
        for element in root:
            if not _draw(axes, element):
                return None
        return pdf_of(figure)


def _draw(axes: Any, element: ET.Element) -> bool:
    """Draws an element; says whether it could."""
    from matplotlib.patches import Rectangle

    name = element.tag.rpartition("}")[2]
    if name in {"title", "desc"}:
        return True
    if name not in {"rect", "text"}:
        return False
    given, looks = element.attrib, dict(_STYLE.findall(element.attrib.get("style", "")))
    x, y = float(given["x"]), float(given["y"])
    if name == "rect":
        axes.add_patch(
            Rectangle(
                (x, y),
                float(given["width"]),
                float(given["height"]),
                facecolor=looks.get("fill", "none"),
                alpha=float(looks.get("fill-opacity", 1)),
                edgecolor=looks.get("stroke", "none"),
                linewidth=1 if "stroke" in looks else 0,
            )
        )
        return True
    size = float(looks.get("font", "14px sans-serif").split("px")[0])
    turned = 90 if "rotate(-90" in given.get("transform", "") else 0
    words = "".join(element.itertext())
    axes.text(x, y, words, color=looks.get("fill"), fontsize=size, ha="center", va="center", rotation=turned)
    return True
