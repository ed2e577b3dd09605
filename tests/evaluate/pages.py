"""What the tests of reports make of a page, and what the test over all reports needs of a suite."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tashika.core.files import write_json
from tashika.core.workspace import Workspace


class ReportToys(NamedTuple):
    """What `test_report_conformance.py` tests a suite's report with.

    Attributes:
        suite: Its name.
        make: Fills an empty folder with the scores of two systems or more on the release beside them, in which no
            program has judged anything.
        lacks: A key that `metrics.json` cannot do without.
    """

    suite: str
    make: Callable[[Path], Workspace]
    lacks: str


def words_of(page: str) -> str:
    """The text of a page, without markup, styles, scripts, what copies tables, and figures' code."""
    unread = r'<(style|script)\b.*?</\1>|<caption class="unseen">.*?</caption>|<div class="copy">.*?</div>'
    text = re.sub(rf"{unread}|<[^>]+>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", text.replace("&#39;", "'"))


def texts_of(svg: str) -> list[str]:
    """The texts of a figure."""
    elements = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(each.itertext()).strip() for each in elements]


def rewrite(path: Path, change: Callable[[Any], object]) -> None:
    """Changes what a JSON file says."""
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    write_json(path, content)
