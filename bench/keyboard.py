"""How long the browser and the server take for the answers of one page by the keyboard alone.

A program presses the keys as soon as each task is there: the least that people wait, and no measure of how
fast they judge. It signs up at a server that `tashika annotate serve` runs, and makes a project there:

    .venv/bin/python -m bench.keyboard --work WORK     # in the root of the repository
"""

from __future__ import annotations

import argparse
import secrets
import statistics
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from tashika.annotation.judging.push import task_of
from tashika.annotation.labelling import all_pages
from tashika.annotation.labelstudio.account import find_address
from tashika.annotation.labelstudio.client import NewTask, Server
from tashika.core.records import item_row
from tests.browser import find_chromium
from tests.curator import Curator


def measure(work: Path, count: int) -> list[float]:
    """The seconds from each key to the next task."""
    address = find_address(work, None, None)
    server = Server(address)
    page = next(page for page in all_pages("myriadlama") if page.kind == "alias")
    title = f"Bench keyboard {secrets.token_hex(4)}"
    project = server.create_project(title, page.headline, page.xml, page.instructions, 1)
    rows = [
        item_row(
            "myriadlama",
            "alias",
            ("Q17", f"Name {number}"),
            {"entity": "Q17", "entity_label": "Japan", "text": f"Name {number}", "language": "en", "is_label": False},
            builder="bench",
            version="1",
        )
        for number in range(count + 1)
    ]
    server.import_tasks(project.project_id, [NewTask(task_of(page, row, [])) for row in rows])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        curator = Curator(browser, address.url)
        curator.sign_up(server.invitation(), f"bench-{secrets.token_hex(4)}@example.org")
        curator.open(project.project_id)
        curator.close_guidelines()
        seconds = []
        for number in range(count):
            start = time.perf_counter()
            curator.finish("1" if number % 2 else "2")
            seconds.append(time.perf_counter() - start)
        browser.close()
    return seconds


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--items", type=int, default=50)
    given = parser.parse_args()
    seconds = measure(given.work, given.items)
    middle, most = statistics.median(seconds), max(seconds)
    print(f"{len(seconds)} items by one key each: {sum(seconds):.1f} s; median {middle:.2f} s, longest {most:.2f} s")


if __name__ == "__main__":
    main()
