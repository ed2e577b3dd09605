"""Versions of a release: what differs between two of them, on the terminal and as `CHANGES.md` in the release."""
