"""Guidelines: Markdown and HTML of the user's own, several languages, and those that are made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from tashika.annotation.custom.guidelines import sound_html
from tashika.annotation.custom.pages import pages_of_suite
from tashika.annotation.gold.training import training_page
from tashika.annotation.labelling import Known
from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import ConfigError

MARKDOWN = """# Is it *sound*?

- one & two
- <script>alert(1)</script>

[help](https://example.com/?a=1&b=2) and [bad](javascript:alert(1))
"""


def test_markdown_becomes_html_and_its_own_html_stays_text(tmp_path: Path, custom: ModuleType) -> None:
    (page,) = custom.one_kind(tmp_path, 'guidelines = "guide.md"', guide__md=MARKDOWN).load("annotation")
    html = page.instructions
    assert "<h1>Is it <em>sound</em>?</h1>" in html
    assert "<li>one &amp; two</li>" in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert '<a href="https://example.com/?a=1&amp;b=2">help</a>' in html
    assert 'href="javascript' not in html


def test_several_languages_stand_one_after_the_other(tmp_path: Path, custom: ModuleType) -> None:
    form = 'guidelines = { en = "guide.md", ja = "guide.ja.html", xx = "guide.md" }'
    files = {"guide__md": "Read it.", "guide__ja__html": "<p>読んでください。</p>"}
    (page,) = custom.one_kind(tmp_path, form, **files).load("annotation")
    html = page.instructions
    headings = ["<h2>English</h2>", "<h2>日本語</h2>", "<h2>xx</h2>"]
    assert sorted(map(html.index, headings)) == list(map(html.index, headings))
    assert '<div lang="ja">' in html


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<p>a</p>\n<script>x</script>", "<script>"),
        ("<p onclick='x'>a</p>", "attribute onclick"),
        ("<a href='javascript:x'>a</a>", "a link to 'javascript:x'"),
        ("<iframe src='x'></iframe>", "<iframe>"),
        ("<style>p {}</style>", "<style>"),
        ("<form></form>", "<form>"),
        ("<svg/onload=x>", "<svg>"),
        (" \n", "empty"),
    ],
)
def test_html_that_runs_or_loads_is_refused_with_its_line(
    tmp_path: Path, custom: ModuleType, html: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=words) as told:
        pages_of_suite(custom.one_kind(tmp_path, 'guidelines = "guide.html"', guide__html=html))
    assert "guide.html" in str(told.value.where)


def test_html_is_put_together_again_with_every_tag_closed() -> None:
    assert sound_html("<p>a <b>b<p class='x'>1 < 2", "g") == "<p>a <b>b<p>1 &lt; 2</p></b></p>"
    once = sound_html("<ul><li>a</ul><p title='\"'>b &amp; c</p>", "g")
    assert once == '<ul><li>a</li></ul><br><p title="&quot;">b &amp; c</p><br>'


def test_made_guidelines_say_what_is_asked_and_what_each_choice_counts(six: CustomSuite) -> None:
    pages = {page.kind: page for page in six.load("annotation")}
    assert "<li>sound: counts for the item</li>" in pages["riddle"].instructions
    assert "<li>odd: counts neither for nor against it</li>" in pages["riddle"].instructions
    assert "<li>It follows</li>" in pages["pair"].instructions
    assert "median" in pages["quality"].instructions
    assert "the side means nothing" in pages["duel"].instructions


EXAMPLES = """
[annotate.kinds.riddle.examples]
good = [ { shown = "one < two\\nsound", why = { en = "It is so.", ja = "そのとおり。" } } ]
bad = [ { shown = "two < one", why = "It is not <b>so</b>." } ]
"""


def test_examples_of_the_file_stand_in_the_guidelines_as_plain_text(tmp_path: Path, custom: ModuleType) -> None:
    (page,) = custom.one_kind(tmp_path, EXAMPLES).load("annotation")
    assert (
        "<b>Good examples</b></p><ul><li>one &lt; two<br>sound<br><small>It is so.</small></li></ul>"
        in page.instructions
    )
    assert (
        "<b>Bad examples</b></p><ul><li>two &lt; one<br><small>It is not &lt;b&gt;so&lt;/b&gt;.</small>"
        in page.instructions
    )
    japanese = page.with_look(replace(page.look, language="ja")).instructions
    assert "よい例" in japanese
    assert "そのとおり。" in japanese
    assert "It is not &lt;b&gt;so" in japanese  # what is given in one language stands in all


def test_examples_stand_below_guidelines_of_the_users_own_in_each_language(tmp_path: Path, custom: ModuleType) -> None:
    form = 'guidelines = { en = "guide.md", ja = "guide.ja.md" }' + EXAMPLES
    (page,) = custom.one_kind(tmp_path, form, guide__md="Read.", guide__ja__md="読んで。").load("annotation")
    parts = ["Read.", "Good examples", "It is so.", "読んで。", "よい例", "そのとおり。"]
    places = [page.instructions.index(part) for part in parts]
    assert places == sorted(places)


def test_without_examples_there_is_no_heading_for_them(six: CustomSuite) -> None:
    assert all("examples" not in page.instructions for page in six.load("annotation"))


@pytest.mark.parametrize(
    ("examples", "words"),
    [
        ("", "neither `good` nor `bad`"),
        ('good = [ { shown = "a", why = "b" } ]\nbad = [ { shown = "a", why = "c" } ]', "both good and bad"),
        ('good = [ { shown = "a" } ]', "why"),
        ('good = [ { shown = "a", why = {} } ]', "`why` is empty"),
        ('good = [ { shown = " ", why = "b" } ]', "blank"),
        ('fine = [ { shown = "a", why = "b" } ]', "fine"),
        ('good = [ { shown = "a", why = { jp = "b" } } ]', "did you mean 'ja'"),
    ],
)
def test_wrong_examples_are_errors_that_say_what_is_wrong(
    tmp_path: Path, custom: ModuleType, examples: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        custom.one_kind(tmp_path, f"[annotate.kinds.riddle.examples]\n{examples}")


def test_questions_of_known_answer_are_no_examples(tmp_path: Path, custom: ModuleType) -> None:
    gold = '[annotate.gold]\nfile = "gold.csv"\ntraining = 1\n'
    suite = custom.open_text(
        tmp_path / "suite", custom.suite_text({"riddle": custom.SIX["riddle"]}, rest=f"[annotate]\n{gold}")
    )
    row = custom.item("riddle", "A secret?")
    (page,) = suite.load("annotation")
    known = replace(page, gold={row["item_id"]: Known("sound", "because of that", trains=True)})
    assert "because of that" not in known.instructions
    assert "A secret?" not in training_page(known).instructions
