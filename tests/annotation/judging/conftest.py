"""A server that others of the run find as they left it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.annotation.custom.conftest import _forget_suites
from tests.studio import Studio

__all__ = ["_forget_suites", "no_accounts_left"]


@pytest.fixture
def no_accounts_left(fresh_studio: Studio) -> Iterator[None]:
    """Takes the accounts of people that a test makes off the server again."""
    before = fresh_studio.server.users().keys()
    yield
    for number, email in fresh_studio.server.users().items():
        if number not in before and not email.endswith("@example.com"):
            fresh_studio.server.delete_account(number)
