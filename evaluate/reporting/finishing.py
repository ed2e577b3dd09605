"""What every page gets after its template: titles of tables, buttons that copy them, places to link to.

A template holds the content alone. So that no suite can forget it, each table gets a `<caption>`, a place for the
keyboard where it scrolls, and buttons for its text as CSV, LaTeX and Markdown; each heading and figure gets an id and a
link to itself. The texts are those of `report --export`; they lie in the page, which works from a file and asks nobody.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from itertools import accumulate, count
from pathlib import Path
from typing import Final, NamedTuple

from tashika.evaluate.reporting.copies import FORMATS, TableTexts, texts_of
from tashika.evaluate.reporting.parts import names_of, parts_of

SCRIPT: Final = Path(__file__).with_name("page.js")
_LINKED: Final = frozenset({"h2", "h3"})


def finished(page: str) -> str:
    """A page with what its template leaves out.

    Args:
        page: HTML with `<div class="scroll">` around each table that may be wide.
    """
    tables, _ = parts_of(page)
    texts = texts_of(tables)
    places = _Places(page)
    places.feed(page)
    places.close()
    changes = list(_anchors(places))
    for number, (table, words) in enumerate(zip(tables, texts, strict=True)):
        if not table.caption:
            changes.append(_Change(table.inside, f'<caption class="unseen">{escape(words.title)}</caption>'))
        box = places.boxes.get(number)
        if box is not None:
            changes.append(_Change(box.start, f' tabindex="0" role="region" aria-label="{escape(words.title)}"'))
        changes.append(_Change(table.end if box is None else box.end, _buttons(number, words.title)))
    if texts:
        changes.append(_Change(page.rindex("</body>"), _scripts(texts)))
    return _changed(page, changes)


class _Change(NamedTuple):
    """What is put into the page, and where, in characters."""

    place: int
    text: str


class _Box(NamedTuple):
    """A `div` that scrolls: the end of its first tag, before the bracket, and the end of its last one."""

    start: int
    end: int


class _Heading(NamedTuple):
    """A heading or figure that may be linked.

    Attributes:
        start: The end of its first tag, before the bracket.
        end: Where its words end.
        id: Its own id, or that of the section that it is the title of; empty where there is none.
        words: What it says.
    """

    start: int
    end: int
    id: str
    words: str


@dataclass
class _Draft:
    """A heading or figure that is being read."""

    start: int
    id: str
    end: int = 0
    words: list[str] = field(default_factory=list)


class _Places(HTMLParser):
    """Finds what `finished` changes.

    Attributes:
        boxes: By the number of its table.
        links: Headings and figures.
        ids: All ids of the page.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.boxes: dict[int, _Box] = {}
        self.links: list[_Heading] = []
        self.ids: set[str] = set()
        self._lines = list(accumulate((len(line) + 1 for line in page.split("\n")), initial=0))
        self._divs: list[int | None] = []
        """The open ones: the end of the first tag of one that scrolls."""
        self._held: int | None = None
        """The number of the table in the open box."""
        self._tables = 0
        self._section = ""
        self._heading: _Draft | None = None
        self._figure: _Draft | None = None

    def _end_of_tag(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column + len(self.get_starttag_text() or "") - 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        own = given.get("id") or ""
        self.ids.add(own)
        if tag == "div":
            scrolls = "scroll" in (given.get("class") or "").split()
            self._divs.append(self._end_of_tag() if scrolls else None)
        elif tag == "table":
            self._held, self._tables = self._tables, self._tables + 1
        elif tag == "section":
            self._section = own
        elif tag in _LINKED:
            self._heading = _Draft(self._end_of_tag(), own or (self._section if tag == "h2" else ""))
        elif tag == "figure":
            self._figure = _Draft(self._end_of_tag(), own)
        elif tag == "svg" and self._figure is not None:
            self._figure.words.append(given.get("aria-label") or "figure")

    def handle_endtag(self, tag: str) -> None:
        line, column = self.getpos()
        place = self._lines[line - 1] + column
        if tag == "div":
            start = self._divs.pop()
            if start is not None and self._held is not None:
                self.boxes[self._held] = _Box(start, place + len("</div>"))
                self._held = None
        elif tag in _LINKED and self._heading is not None:
            self.links.append(_linked(self._heading, place))
            self._heading = None
        elif tag == "figcaption" and self._figure is not None:
            self._figure.end = place
        elif tag == "figure" and self._figure is not None:
            if self._figure.end:
                self.links.append(_linked(self._figure, self._figure.end))
            self._figure = None

    def handle_data(self, data: str) -> None:
        if self._heading is not None:
            self._heading.words.append(data)


def _linked(draft: _Draft, end: int) -> _Heading:
    return _Heading(draft.start, end, draft.id, " ".join("".join(draft.words).split()))


def _anchors(places: _Places) -> Iterator[_Change]:
    """An id where there is none, and a link to it; the style sheet writes its sign, so that it is never copied."""
    taken = set(places.ids)
    for link, name in zip(places.links, names_of([link.words for link in places.links]), strict=True):
        own = link.id
        if not own:
            own = next(free for free in _numbered(name) if free not in taken)
            taken.add(own)
            yield _Change(link.start, f' id="{escape(own)}"')
        yield _Change(
            link.end, f'<a class="anchor" href="#{escape(own)}" aria-label="Link to {escape(link.words)}"></a>'
        )


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _buttons(number: int, title: str) -> str:
    buttons = "".join(
        f'<button type="button" data-table="{number}" data-format="{name}" '
        f'aria-label="Copy as {name}: {escape(title)}">{name}</button>'
        for name in FORMATS
    )
    return f'<div class="copy"><span>Copy as</span>{buttons}<output></output></div>'


def _scripts(texts: Sequence[TableTexts]) -> str:
    held: list[Mapping[str, str]] = [words.texts for words in texts]
    # Nothing in a text may end the element.
    data = json.dumps(held, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    script = SCRIPT.read_text(encoding="utf-8")
    return f'<script type="application/json" id="tables">{data}</script>\n<script>\n{script}</script>\n'


def _changed(page: str, changes: Sequence[_Change]) -> str:
    parts, start = [], 0
    for place, text in sorted(changes, key=lambda change: change.place):
        parts += [page[start:place], text]
        start = place
    return "".join([*parts, page[start:]])
