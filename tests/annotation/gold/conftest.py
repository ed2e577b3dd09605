"""Suites of one file are forgotten after each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tashika.core.suites import discovery


@pytest.fixture(autouse=True)
def _forget_suites() -> Iterator[None]:
    yield
    discovery._opened.clear()
