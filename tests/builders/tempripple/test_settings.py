from __future__ import annotations

from datetime import date

import pytest

from tashika.builders.tempripple.settings import BuildSettings, read_window
from tashika.core.errors import ConfigError
from tashika.core.settings import load_section, validated


def test_the_packaged_settings_are_the_papers() -> None:
    settings = load_section("tempripple", "build", BuildSettings)
    assert read_window(settings.window) == (date(2025, 1, 1), date(2025, 12, 31))
    assert (settings.history_from, settings.hops, settings.cap) == (date(2015, 1, 1), 3, 1_000_000)


def test_days_are_counted_from_1970() -> None:
    period = BuildSettings(window="1970-01-02..1970-02-01", history_from=date(1969, 12, 31)).period
    assert (period.history_from, period.window_from, period.window_to, period.gap) == (-1, 1, 31, 365)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"window": "2025"}, "expected two days such as"),
        ({"window": "2025-12-31..2025-01-01"}, "2025-01-01 lies before 2025-12-31"),
        ({"window": "2025-02-30..2025-03-01"}, "day"),
        ({"window": "2025-01-01..2025-12-31", "history_from": "2025-06-01"}, "lies after the start of the window"),
        ({"history_from": "yesterday"}, "date"),
        ({"hops": 4}, "less than or equal to 3"),
        ({"hop": 3}, "not permitted"),
        ({"options": 1}, "greater than or equal to 2"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        validated(BuildSettings, given, "here")
