"""The report: whole, escaped, and honest about what is missing."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from tashika.annotation.adjudicating.decisions import append_adjudications
from tashika.annotation.adjudicating.pull import PULLED
from tashika.annotation.command import app
from tashika.annotation.judging.columns import having
from tashika.annotation.judging.judgments import read_judgments
from tashika.annotation.labelling import Page, pages_of
from tashika.annotation.reporting.page import write_report
from tashika.annotation.reporting.progress import kind_progress
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import MissingStageError
from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tests.annotation.adjudicating.votes import PEOPLE, judge
from tests.annotation.custom.samples import KINDS, settings_of

HOSTILE = '</p><script>alert("x")</script><img src=x onerror=alert(1)>{{ 7 * 7 }}'
VOID = {"meta", "br", "img", "link", "hr", "input"}


class Structure(HTMLParser):
    """What a page is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.wrong: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def page_of(suite: CustomSuite, work: Workspace, *words: str) -> str:
    result = CliRunner().invoke(app, ["report", str(suite.path), "--work", str(work.root), *words])
    if result.exception:
        raise result.exception
    return (work.annotation / "report.html").read_text(encoding="utf-8")


@pytest.fixture
def judged(six: CustomSuite, work: Workspace, custom: ModuleType) -> Workspace:
    """All kinds with votes; items, a correction and a note that would break a page."""
    custom.write(work, "riddle", [custom.item("riddle", f"{HOSTILE} {place}") for place in range(3)])
    noted: dict[str, Any] = {"label": "sound", "text": HOSTILE, "note": HOSTILE}
    judge(work, "riddle", [[noted, "unsound"], ["sound"] * 3, ["sound"]])
    judge(work, "pair", [["entails", "neutral", "contradicts"], ["neutral"] * 3, [None] * 3])
    judge(work, "topic", [["art", "sport", None], ["art"] * 3, ["art"]])
    judge(work, "quality", [["1", "5", "5"], ["5"] * 3, ["3"]])
    judge(work, "duel", [["left_text", "other", "same"], ["other"] * 3, ["other"]])
    judge(work, "saying", [["so"], ["a", "b", "c"], ["d"]], field="text")
    return work


def test_the_page_is_whole_and_whatever_people_wrote_is_escaped(six: CustomSuite, judged: Workspace) -> None:
    settings = settings_of(six)
    count_votes(judged, pages_of("riddles", settings), settings)
    write_json(judged.annotation / PULLED, {"at": "2026-03-20T09:30:00+00:00"})
    page = page_of(six, judged)
    structure = Structure(page)
    assert (structure.open, structure.wrong) == ([], [])
    assert "script" not in structure.seen
    assert "img" not in structure.seen
    assert not [name for name, _ in structure.attributes if name.startswith("on")]
    assert "&lt;script&gt;" in page
    assert "{{ 7 * 7 }}" in page
    assert "Riddles &amp; &lt;i&gt;answers&lt;/i&gt;" in page
    outside = [value for name, value in structure.attributes if name in {"src", "href"} and str(value)[:1] != "#"]
    assert outside == []
    assert not re.search(r"url\(\s*['\"]?(https?:|//)|@import", page)
    assert page == page_of(six, judged)


def test_it_says_what_is_undecided_contested_and_pulled(six: CustomSuite, judged: Workspace) -> None:
    settings = settings_of(six)
    count_votes(judged, pages_of("riddles", settings), settings)
    write_json(judged.annotation / PULLED, {"at": "2026-03-20T09:30:00+00:00"})
    page = " ".join(page_of(six, judged).split())
    assert "2026-03-20 at 09:30 UTC" in page
    assert "riddle: 2 undecided (fewer votes than needed: 1, a tie: 1); 2 of them wait for people" in page
    assert "left_text 1 · other 1 · same 1" in page
    assert "entails 1 · neutral 1" in page
    assert "there is no date, since too little to tell" in page
    assert "5 items have votes that differ" in page
    assert all(name in page for name in PEOPLE[:3])
    assert "Simulated annotators" not in page
    assert "accepted as 5</span>" in page  # the median of 1, 5 and 5
    contested = page[page.index('id="contested"') : page.index('id="annotators"')]
    assert not any(name in contested for name in PEOPLE)
    fewer = " ".join(page_of(six, judged, "--contested", "1").split())
    assert "1 of them is shown" in fewer
    for heading in ("Progress", "Over time", "Undecided items, and why", "Contested items", "Annotators"):
        assert f"<h2>{heading}</h2>" in page


def test_every_table_has_headings_and_every_figure_words(six: CustomSuite, judged: Workspace) -> None:
    page = page_of(six, judged)
    tables = re.findall(r"<table>.*?</table>", page, flags=re.DOTALL)
    assert tables
    for table in tables:
        assert 'scope="col"' in table
        assert table.count('<th scope="row"') == table.count("<tr>") - 1
    figures = re.findall(r"<svg[^>]*>", page)
    assert figures
    assert all('role="img" aria-label="' in figure for figure in figures)
    assert '<html lang="en">' in page


def test_before_a_count_and_after_a_later_pull_it_says_so(six: CustomSuite, judged: Workspace) -> None:
    page = page_of(six, judged)
    assert "The votes have not been counted yet" in " ".join(page.split())
    settings = settings_of(six)
    count_votes(judged, pages_of("riddles", settings), settings)
    judge(judged, "pair", [["neutral"], [], []])
    assert "come since the votes were counted" in " ".join(page_of(six, judged).split())


def test_programs_are_named_at_the_top(six: CustomSuite, work: Workspace) -> None:
    program: dict[str, Any] = {"label": "neutral", "annotator": "simulated-1", "simulated": True}
    judge(work, "pair", [[program], [], []])
    page = " ".join(page_of(six, work).split())
    assert page.index("No person has answered") < page.index("<main>")
    assert "simulated-1 (a program)" in page
    judge(work, "pair", [["neutral"], [], []])
    assert "Some of the answers here were given by programs" in " ".join(page_of(six, work).split())


def test_without_a_pull_it_says_what_to_do(six: CustomSuite, work: Workspace, tmp_path: Path) -> None:
    settings = settings_of(six)
    with pytest.raises(MissingStageError, match="annotate pull"):
        write_report(work, pages_of("riddles", settings), settings, tmp_path / "page.html")
    assert len(KINDS) == len(pages_of("riddles", settings))


def test_questions_of_known_answer_are_not_contested(tmp_path: Path, custom: ModuleType) -> None:
    suite = custom.one_kind(tmp_path / "suite", 'form = "label"\nlabels = ["a", "b"]\ngold = "gold"')
    work = Workspace(tmp_path / "work", "riddles")
    custom.write(work, "riddle", [custom.item("riddle", "known", gold="a"), custom.item("riddle", "asked")])
    judge(work, "riddle", [["a", "b"], ["a", "b"]])
    page = " ".join(page_of(suite, work).split())
    assert "1 item has votes that differ" in page


def test_what_is_left_knows_of_items_stopped_early(six: CustomSuite, judged: Workspace) -> None:
    """Pairs: three answers, three alike, three skips. Topics: two and a skip, three alike, one."""
    plain = settings_of(six)
    topic, saying = (page for page in pages_of("riddles", plain) if page.kind in {"topic", "saying"})
    judgments = having(read_judgments(judged), "kind", "topic")

    def left(page: Page, **settings: bool) -> tuple[int, int, float]:
        of_kind = having(read_judgments(judged), "kind", page.kind)
        progress = kind_progress(judged, page, plain.model_copy(update=settings), of_kind, None)
        return progress.left, progress.complete, round(progress.share, 3)

    assert judgments.num_rows == 7
    assert left(topic) == (1 + 0 + 2, 1, round(6 / 9, 3))
    # art and sport: one person more decides; three alike are done; of one answer the second of two is wanted.
    assert left(topic, adaptive=True) == (1 + 0 + 1, 1, round(6 / 8, 3))
    assert left(saying) == left(saying, adaptive=True)


def test_the_report_names_no_adjudicator(six: CustomSuite, judged: Workspace) -> None:
    settings = settings_of(six)
    item = str(judged.read_items("riddle")["item_id"][0])
    row = {"item_id": item, "kind": "riddle", "decision": "accepted", "text": None, "adjudicator": "Ada Lovelace"}
    append_adjudications(judged, [row])
    count_votes(judged, pages_of("riddles", settings), settings)
    page = page_of(six, judged)
    assert "adjudicated" in page
    assert "Lovelace" not in page
