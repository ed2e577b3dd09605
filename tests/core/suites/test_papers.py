from __future__ import annotations

import re

import pytest

from tashika.core.suites.discovery import all_suites
from tashika.core.suites.papers import Paper, bibtex_of

LATIN = Paper(
    "lovelace-1843",
    "Notes on the {Analytical} Engine",
    ("Lovelace, Ada", "Menabrea, Luigi"),
    "article",
    1843,
    "Scientific Memoirs",
    "https://example.org/notes",
    fields={"pages": "666--731"},
)
JAPANESE = Paper(
    "omura", "常識推論", ("大村, 和正", "河原, 大輔"), english="Kazumasa Omura and Daisuke Kawahara: Inference"
)


def test_a_reference_names_authors_title_venue_pages_and_year() -> None:
    assert LATIN.reference == (
        "Ada Lovelace and Luigi Menabrea: Notes on the Analytical Engine. Scientific Memoirs, pages 666–731, 1843."
    )


def test_a_reference_says_what_is_not_known_and_translates() -> None:
    assert JAPANESE.reference == (
        "大村和正 and 河原大輔: 常識推論 (Kazumasa Omura and Daisuke Kawahara: Inference). "
        "Venue and year are not stated in the copy that this suite follows."
    )


def test_bibtex() -> None:
    assert LATIN.bibtex == (
        "@article{lovelace-1843,\n"
        "  title   = {Notes on the {Analytical} Engine},\n"
        "  author  = {Lovelace, Ada and Menabrea, Luigi},\n"
        "  journal = {Scientific Memoirs},\n"
        "  year    = {1843},\n"
        "  pages   = {666--731},\n"
        "  url     = {https://example.org/notes},\n"
        "}"
    )
    assert bibtex_of((LATIN, JAPANESE)) == f"{LATIN.bibtex}\n\n{JAPANESE.bibtex}"
    assert bibtex_of(()) == ""


@pytest.mark.parametrize("name", list(all_suites()))
def test_every_suite_names_what_it_follows(name: str) -> None:
    papers = all_suites()[name].papers
    assert any(paper.followed for paper in papers)
    assert len({paper.key for paper in papers}) == len(papers)
    for paper in papers:
        assert paper.bibtex.count("{") == paper.bibtex.count("}")
        assert not paper.url or re.fullmatch(r"https://[^\s]+", paper.url)
