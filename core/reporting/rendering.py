"""Pages of HTML without outside requests: the style they share, and how values look on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tashika.core.annotators import Annotators
from tashika.core.counts import counted

STYLE: Final = Path(__file__).with_name("report.css")
"""For screens wide and narrow, light and dark, and for paper."""


def fill_template(
    folders: Sequence[Path],
    name: str,
    context: Mapping[str, Any],
    filters: Mapping[str, Callable[..., Any]] | None = None,
) -> str:
    """Fills a template; whatever it is filled with is escaped.

    Args:
        folders: Where templates lie, the first first.
        name: Of the template.
        context: What it is filled with. Of what is missing nothing is shown.
        filters: How a room shows values, beside `FILTERS`.
    """
    from jinja2 import ChainableUndefined, Environment, FileSystemLoader

    environment = Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update({**FILTERS, **(filters or {})})
    return environment.get_template(name).render(**context)


# How values look. None and what a file does not say are shown as a dash.
DASH: Final = "–"


def is_number(value: Any) -> bool:
    """Whether it is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def at(value: Any, path: str) -> Any:
    """The value under a path such as `fluctuation/acc@1/range`, None where there is none."""
    for key in path.split("/"):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _count(value: Any) -> str:
    return f"{value:,}" if is_number(value) else DASH


def _fraction(value: Any) -> str:
    return f"{value:.4f}".replace("-", "−") if is_number(value) else DASH


def _signed(value: Any) -> str:
    return f"{value:+.4f}".replace("-", "−") if is_number(value) else DASH


def _percent(value: Any) -> str:
    return f"{value:.1%}".replace("-", "−") if is_number(value) else DASH


def _points(value: Any) -> str:
    return f"{100 * value:.1f} points" if is_number(value) else DASH


def _share(value: Any) -> str:
    """A percentage that may stand as a share of 1 or of 100."""
    return _percent(value / 100 if is_number(value) and value > 1 else value)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        known = {str(key).replace("_", " "): inner for key, inner in value.items() if inner not in (None, "", {}, [])}
        return ", ".join(f"{key} {_inside(inner)}" for key, inner in known.items()) or DASH
    return str(value) if value is not None and str(value) else DASH


def _inside(value: Any) -> str:
    return f"({_shown(value)})" if isinstance(value, Mapping) else str(value)


def _hundredth(value: Any) -> str:
    """A share in percent with two digits, as tables of papers compare them."""
    return f"{value:.2%}".replace("-", "−") if is_number(value) else DASH


def _gain(value: Any) -> str:
    """A difference of shares in percentage points, with its sign."""
    if not is_number(value):
        return DASH
    points = round(100 * value, 1)
    return f"{points:+.1f}".replace("-", "−") if points else "0.0"


def _thousandths(value: Any) -> str:
    """As papers print shares: .976, 1.000, −.031."""
    if not is_number(value):
        return DASH
    digits = f"{abs(value):.3f}".removeprefix("0")
    return f"−{digits}" if value < 0 and digits != ".000" else digits


def _tenth(value: Any) -> str:
    return f"{value:,.1f}" if is_number(value) else DASH


def _p(value: Any) -> str:
    """A p with three digits, or that it is smaller than that."""
    if not is_number(value):
        return DASH
    return "< .001" if value < 0.001 else _thousandths(value)


def _judges(entry: Any) -> Annotators:
    """The annotators of an entry of the validation; nobody where there is none."""
    return Annotators.of(entry if isinstance(entry, Mapping) else {})


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "at": at,
    "count": _count,
    "counted": counted,
    "fraction": _fraction,
    "gain": _gain,
    "hundredth": _hundredth,
    "judges": _judges,
    "p": _p,
    "percent": _percent,
    "points": _points,
    "share": _share,
    "shown": _shown,
    "signed": _signed,
    "tenth": _tenth,
    "thousandths": _thousandths,
}
