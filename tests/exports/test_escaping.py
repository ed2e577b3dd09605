"""Hostile labels and texts in documents of a release."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tashika.core.suites.columns import Column
from tashika.exports.card import BEGIN, END, Card, _shown_type, merged
from tashika.exports.escaping import as_cell, as_code, as_text, document_json, in_fence, one_line, without_markers

HOSTILE = (
    "<script>alert(1)</script>",
    "a|b",
    "one\ntwo\r\n\n# Title",
    "`rm -rf`",
    END,
    BEGIN,
    "--> <!-- tashika:end -->",
    "\u202eevil\u202c",
    "- [x]: &lt; *a* _b_ ~~c~~ ![i](http://x)",
    "---\nlicense: mit\n---",
    "{{ 7 * 7 }} {% raw %}",
    "\\|\\",
    "\x1b[2J",
    "```\n# out",
    "&lt;b&gt;",
)


def rendered(markdown: str) -> str:
    reader = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
    return str(reader.render(markdown))


def table_of(cell: str) -> str:
    return f"| a | b |\n|---|---|\n| {cell} | end |\n"


def shown(html: str) -> str:
    """What a reader sees."""
    import html as entities

    return entities.unescape(re.sub(r"<[^>]*>", "", html))


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_text_is_a_text_in_a_cell_and_in_a_sentence(hostile: str) -> None:
    text = as_text(hostile)
    assert "\n" not in text
    html = rendered(table_of(text))
    cells = re.findall(r"<td>(.*?)</td>", html, re.DOTALL)
    assert len(cells) == 2, html
    assert "<" not in cells[0]
    assert shown(cells[0]) == one_line(hostile)
    assert not re.search("[\u202a-\u202e\x1b]", text)
    assert "<!--" not in text


@given(st.text(max_size=40))
def test_any_text_reads_as_it_is(text: str) -> None:
    cells = re.findall(r"<td>(.*?)</td>", rendered(table_of(as_text(text))), re.DOTALL)
    assert [shown(cell) for cell in cells] == [one_line(text), "end"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_labels_stay_in_their_cell(hostile: str) -> None:
    column = Column("label", "what it is", names=("good", hostile))
    cells = re.findall(r"<td>(.*?)</td>", rendered(table_of(_shown_type(column))), re.DOTALL)
    assert len(cells) == 2
    assert re.findall(r"<(?!/?code>)", cells[0]) == []
    assert shown(cells[0]) == f"label: good, {one_line(hostile)}"


def test_what_a_suite_file_says_of_a_column_is_markdown_without_html() -> None:
    assert as_cell("`a` or **b**|c < 3 <script>x</script>\n<!-- y -->") == (
        r"`a` or **b**\|c < 3 &lt;script>x&lt;/script> &lt;!-- y -->"
    )


def test_plain_names_are_code() -> None:
    assert as_code("very good_1 <3") == "`very good_1 <3`"
    assert as_code("a`b") == r"a\`b"
    assert as_text("ja_ginza 5.3, a*b") == r"ja_ginza 5.3, a\*b"


def test_no_text_ends_the_block_or_its_fence() -> None:
    block = without_markers(f"# A\n{END}\n<!--tashika:begin x -->\n<!-- mine -->")
    card = merged(Card({"license": "mit"}, block), None, "here")
    assert Counter(re.findall(r"<!-- tashika:(begin|end)", card)) == {"begin": 1, "end": 1}
    assert merged(Card({"license": "mit"}, "# B"), card, "here").count("# B") == 1
    assert "# A" not in merged(Card({"license": "mit"}, "# B"), card, "here")
    assert "```" not in in_fence("a ```` b ``` c")


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))
def test_documents_hold_the_same_values_and_end_no_script(value: object) -> None:
    text = document_json(value)
    assert json.loads(text) == value
    assert not re.search("[<\u202a-\u202e\u2066-\u2069\u2028\u2029]", text)


def test_names_with_signs_of_yaml_stay_what_they_are() -> None:
    metadata = {
        "pretty_name": "a: [b] # c",
        "tags": ["---", "no", "1.0", "'\"", "a\n---\nlicense: x"],
        "license": "mit",
    }
    card = merged(Card(metadata, "# A"), None, "here")
    again = merged(Card(metadata, "# B"), card, "here")
    assert again.count("\n---\n") == card.count("\n---\n")
    front = again.split("\n---\n")[0].removeprefix("---\n")
    assert yaml.safe_load(front) == metadata
