"""A page of results in a real browser, from a file: tables are copied and reached by the keyboard, a phone holds it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tashika.core.suites.discovery import suite_named
from tashika.evaluate.reporting.copies import texts_of
from tashika.evaluate.reporting.parts import parts_of
from tests.evaluate.tempripple import toy_scores

DESK, PHONE = (1400, 900), (390, 844)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with figures, wide tables and folds."""
    workspace = toy_scores.REPORT.make(tmp_path_factory.mktemp("report"))
    page: Path = suite_named(workspace.suite).load("evaluate").write_report(workspace)
    return page


@pytest.fixture(params=[DESK, PHONE], ids=["desk", "phone"])
def page(request: pytest.FixtureRequest, browser: Browser, report: Path) -> Iterator[Page]:
    width, height = request.param
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    opened.goto(report.as_uri())
    yield opened
    context.close()


@pytest.mark.parametrize("form", ["CSV", "LaTeX", "Markdown"])
def test_a_table_is_copied_as_it_is_exported(page: Page, report: Path, form: str) -> None:
    tables, _ = parts_of(report.read_text(encoding="utf-8"))
    page.locator(f'button[data-table="0"][data-format="{form}"]').click()
    expect(page.locator(".copy output").first).to_have_text(f"copied as {form}")
    assert page.evaluate("navigator.clipboard.readText()") == texts_of(tables)[0].texts[form]


def test_where_the_clipboard_is_closed_the_table_is_copied_the_older_way(page: Page) -> None:
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('closed')); }")
    page.locator('button[data-table="0"][data-format="CSV"]').press("Enter")
    expect(page.locator(".copy output").first).to_have_text("copied as CSV")
    assert "," in page.evaluate("navigator.clipboard.readText()")


def test_the_page_itself_never_scrolls_sideways(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_table_that_scrolls_is_reached_by_the_keyboard_and_says_so(browser: Browser, report: Path) -> None:
    opened = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]})
    opened.goto(report.as_uri())
    box = opened.locator(".scroll.wide").first
    expect(box).to_have_attribute("tabindex", "0")
    expect(box).to_have_attribute("role", "region")
    box.focus()
    opened.keyboard.press("ArrowRight")
    opened.wait_for_function("document.activeElement.scrollLeft > 0")
    cue = "(box) => getComputedStyle(box.nextElementSibling, '::before').content"
    assert "scroll sideways" in box.evaluate(cue)
    opened.set_viewport_size({"width": 2400, "height": 900})
    expect(opened.locator(".scroll.wide")).to_have_count(0)
    opened.close()
