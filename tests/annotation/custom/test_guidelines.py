"""Guidelines: Markdown and HTML of the user's own, several languages, and those that are made."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tashika.annotation.custom.guidelines import sound_html
from tashika.annotation.custom.pages import pages_of_suite
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
