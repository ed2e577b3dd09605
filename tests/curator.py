"""A person at the labelling pages: signs up, reads the guidelines, and answers by key, in a real browser."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Locator, Page, expect

PASSWORD: Final = "a-long-password-of-a-test"
SCREENSHOTS: Final = os.environ.get("TASHIKA_SCREENSHOTS")
"""A folder for pictures of the pages; read before any test begins, see `tests.conftest`."""

PHONE: Final = {"width": 390, "height": 844}
DESK: Final = {"width": 1200, "height": 800}

_QUIET = "() => window.Htx && !Htx.isSubmitting && !Htx.isLoading && Htx.task"
_ANOTHER = f"(before) => ({_QUIET})() && Htx.task.id !== before"
_OTHER_OR_NONE = (
    "(before) => window.Htx && !Htx.isSubmitting && !Htx.isLoading && (Htx.noTask || Htx.task?.id !== before)"
)


class Curator:
    """An account of its own, in a browser of its own.

    Attributes:
        page: What is open.
    """

    def __init__(self, browser: Browser, url: str) -> None:
        self.url = url
        self._browser = browser
        self._open_window()

    def _open_window(self) -> None:
        self._context = self._browser.new_context(viewport=DESK, locale="en-US")  # type: ignore[arg-type]
        self.page: Page = self._context.new_page()

    def sign_up(self, invitation: str, email: str) -> None:
        """Makes an account by the link."""
        self.page.goto(invitation)
        self._send(email)

    def log_in(self, email: str) -> None:
        """Enters an account that is there, in a new window: what the old one still loads would bring its cookies."""
        self._context.close()
        self._open_window()
        self.page.goto(f"{self.url}/user/login/")
        self._send(email)

    def _send(self, email: str) -> None:
        self.page.fill("input[name=email]", email)
        self.page.fill("input[name=password]", PASSWORD)
        self.page.click("button[type=submit]")
        self.page.wait_for_url(lambda url: "/user/" not in url, wait_until="commit")

    def open(self, project: int) -> Locator:
        """Opens a project's next task, and gives the guidelines that stand before it."""
        self.page.goto(f"{self.url}/projects/{project}/data?labeling=1")
        self.page.wait_for_function(_QUIET)
        return self.guidelines

    def list_tasks(self, project: int) -> str:
        """Opens a project's list of tasks, as a person who follows an invitation does, and gives its texts."""
        self.page.goto(f"{self.url}/projects/{project}/data")
        rows = self.page.locator(".lsf-table__row-wrapper")
        rows.first.wait_for()
        return self.page.locator(".lsf-table").first.inner_text()

    def label_all(self) -> Locator:
        """Begins with the first task of the list, and gives the guidelines that stand before it."""
        self.page.get_by_role("button", name="Label All Tasks").click()
        self.page.wait_for_function(_QUIET)
        return self.guidelines

    @property
    def guidelines(self) -> Locator:
        """The guidelines, if they are open."""
        return self.page.locator(".lsf-modal-ls_visible")

    def close_guidelines(self) -> None:
        """Closes them, as a person does."""
        self.page.keyboard.press("Escape")
        expect(self.guidelines).to_have_count(0)

    @property
    def task(self) -> dict[str, Any]:
        """The data of the task that is shown."""
        data: dict[str, Any] = json.loads(self.page.evaluate("Htx.task.data"))
        return data

    @property
    def chosen(self) -> list[str]:
        """The choices that are taken, as an answer holds them."""
        parts = self.page.evaluate("Htx.annotationStore.selected.serializeAnnotation()")
        return [choice for part in parts for choice in part["value"].get("choices", [])]

    def press(self, *keys: str) -> None:
        """Presses keys; the task stays."""
        for key in keys:
            self.page.keyboard.press(key)

    def finish(self, *keys: str) -> None:
        """Presses keys, the last of which brings another task, or the end of them."""
        before = self.page.evaluate("Htx.task.id")
        self.press(*keys)
        self.page.wait_for_function(_OTHER_OR_NONE, arg=before)

    def go(self, key: str) -> None:
        """Goes to another task of those that were seen."""
        before = self.page.evaluate("Htx.task.id")
        self.press(key)
        self.page.wait_for_function(_ANOTHER, arg=before)

    def write(self, key: str, text: str) -> None:
        """Opens a field by its key, and types; what stands there is replaced."""
        self.press(key)
        field = self.page.locator("textarea:focus")
        field.wait_for()
        field.fill(text)

    def photograph(self, name: str) -> None:
        """Keeps a picture of what is shown, where somebody asked for pictures."""
        if SCREENSHOTS:
            Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
            self.page.evaluate(
                "document.querySelectorAll('[class*=toast], .Toastify').forEach((each) => each.remove())"
            )
            self.page.screenshot(path=Path(SCREENSHOTS) / f"{name}.png", animations="disabled")

    def on_a_phone(self, on: bool = True) -> None:
        """Makes the window as narrow as a phone's, or wide again."""
        self.page.set_viewport_size(PHONE if on else DESK)  # type: ignore[arg-type]

    def too_wide(self) -> list[str]:
        """What of the labelling page reaches out of a narrow window, or is cut off in it."""
        wide: list[str] = self.page.evaluate(
            """() => [...document.querySelectorAll(".tashika, .tashika *, .lsf-bottombar button")]
              .filter((tag) => tag.getClientRects().length && !tag.closest(".history"))
              .filter((tag) => { const box = tag.getBoundingClientRect();
                                 return box.right > innerWidth + 1 || box.left < -1; })
              .map((tag) => `${tag.tagName} ${tag.className} ${tag.textContent.slice(0, 40)}`)"""
        )
        return wide

    def close(self) -> None:
        """Ends the browser's window."""
        self._context.close()
