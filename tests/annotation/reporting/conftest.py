"""The suite with a page of each form, from the tests of suite files."""

from __future__ import annotations

from tests.annotation.custom.conftest import _forget_suites, custom, six, work

__all__ = ["_forget_suites", "custom", "six", "work"]
