"""What a page gets after its template: captions, places to link to, and the texts that its buttons copy."""

from __future__ import annotations

import json
import re

from tashika.evaluate.reporting.copies import texts_of, titles_of
from tashika.evaluate.reporting.finishing import finished
from tashika.evaluate.reporting.formats import as_csv, as_markdown
from tashika.evaluate.reporting.parts import parts_of

PAGE = """<!doctype html>
<html><body><h1>Report</h1>
<section id="scores"><h2>Scores &amp; more</h2>
<figure><svg aria-label="Accuracy of all"></svg><figcaption>As it is.</figcaption></figure>
<div class="scroll"><table><thead><tr><th>Model</th><th>Acc</th></tr></thead><tbody><tr><td>a</td><td>1</td></tr></tbody></table></div>
<div><div class="scroll"><table><thead><tr><th>Task</th></tr></thead><tr><td>b</td></tr></table></div></div>
<h3>By relation</h3><h3>By relation</h3>
<table><caption>Its <em>own</em> title</caption><tr><td>&lt;/script&gt;</td></tr></table>
</section></body></html>
"""  # noqa: E501 - cells as the templates write them


def test_tables_are_called_by_their_headings_or_their_own_title() -> None:
    titles = ["Scores & more: Model", "Scores & more: Task", "Its own title"]
    assert titles_of(parts_of(PAGE)[0]) == titles
    page = finished(PAGE)
    assert [table.caption for table in parts_of(page)[0]] == titles
    assert titles_of(parts_of(page)[0]) == titles


def test_a_table_that_may_scroll_is_a_region_for_the_keyboard() -> None:
    boxes = re.findall(r'<div class="scroll" tabindex="0" role="region" aria-label="([^"]+)">', finished(PAGE))
    assert boxes == ["Scores &amp; more: Model", "Scores &amp; more: Task"]


def test_headings_and_figures_have_an_id_and_a_link_to_it() -> None:
    page = finished(PAGE)
    assert (
        '<h2>Scores &amp; more<a class="anchor" href="#scores" aria-label="Link to Scores &amp; more"></a></h2>' in page
    )
    assert '<h3 id="by-relation">By relation<a class="anchor" href="#by-relation"' in page
    assert '<h3 id="by-relation-2">By relation<a class="anchor" href="#by-relation-2"' in page
    assert '<figure id="accuracy-of-all">' in page
    assert 'As it is.<a class="anchor" href="#accuracy-of-all"' in page


def test_the_texts_that_are_copied_are_those_of_the_export() -> None:
    page = finished(PAGE)
    held = re.search(r'<script type="application/json" id="tables">(.*?)</script>', page, flags=re.DOTALL)
    assert held is not None
    tables, _ = parts_of(PAGE)
    texts = json.loads(held[1])
    assert texts == [words.texts for words in texts_of(tables)]
    assert texts[0]["CSV"] == as_csv(tables[0]) == "Model,Acc\na,1\n"
    assert texts[2]["Markdown"] == as_markdown(tables[2])
    assert "</script>" in texts[2]["CSV"]  # in the text, and not in the page's code
    assert page.count("</script>") == 2
    assert [int(number) for number in re.findall(r'data-table="(\d)" data-format="CSV"', page)] == [0, 1, 2]


def test_nothing_else_of_the_page_changes() -> None:
    page = finished(PAGE)
    added = (
        r'<caption class="unseen">.*?</caption>|<div class="copy">.*?</div>|<script.*?</script>\n'
        r'|<a class="anchor"[^>]*></a>| tabindex="0" role="region" aria-label="[^"]*"|(?<=<h3) id="[^"]*"'
        r'|(?<=<figure) id="[^"]*"'
    )
    assert re.sub(added, "", page, flags=re.DOTALL) == PAGE


def test_a_page_without_tables_has_no_script() -> None:
    page = "<html><body><h2 id='x'>A</h2></body></html>"
    assert "<script" not in finished(page)
