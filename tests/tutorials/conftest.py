"""The Hub of the tests, for the tutorials that publish."""

from tests.exports.conftest import hub

__all__ = ["hub"]
