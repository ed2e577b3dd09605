"""A person sees that long work proceeds: on a terminal, and in a log."""

from __future__ import annotations

import io
import threading

import pytest
from rich.console import Console
from rich.progress import Task, TaskID

from tashika.core import bars
from tashika.core import progress as module
from tashika.core.progress import bar


class Output(io.StringIO):
    """What is printed; knows when it holds a line about work under way."""

    def __init__(self) -> None:
        super().__init__()
        self.told = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if " after " in text:
            self.told.set()
        return written


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Output:
    """What a terminal of 80 columns or a log gets."""
    output = Output()
    monkeypatch.setattr(module, "console", Console(file=output, force_terminal=request.param == "terminal", width=80))
    return output


@pytest.mark.parametrize("shown", ["terminal"], indirect=True)
def test_the_note_stands_below_the_bar(shown: Output) -> None:
    with bar("paraphrasing templates", 205, lambda: "requests: 3 sent, 1 answered") as advance:
        advance(7)
    last = shown.getvalue().splitlines()
    at = max(number for number, line in enumerate(last) if "7/205" in line)
    assert "requests: 3 sent, 1 answered" in last[at + 1]


@pytest.mark.parametrize("shown", ["log"], indirect=True)
def test_a_log_says_how_far_the_work_is(shown: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bars, "_PAUSES", (0.0, 3600.0))
    with bar("paraphrasing templates", 205, lambda: "requests: 3 sent, 1 answered") as advance:
        assert shown.told.wait(60)
        advance(1)
    first, *rest = shown.getvalue().splitlines()
    assert first == "paraphrasing templates: 0 of 205 after 0:00:00; requests: 3 sent, 1 answered"
    assert "1/205" in rest[0]


@pytest.mark.parametrize("shown", ["log"], indirect=True)
def test_short_work_leaves_the_bar_alone(shown: Output) -> None:
    with bar("judging", None) as advance:
        advance(2)
    assert "/?" not in shown.getvalue()
    assert " 2 " in shown.getvalue()
    assert len(shown.getvalue().splitlines()) == 1


@pytest.mark.parametrize("shown", ["log"], indirect=True)
def test_no_thread_is_left_after_an_error(shown: Output) -> None:
    with pytest.raises(KeyboardInterrupt), bar("judging", 3):
        raise KeyboardInterrupt
    assert "tashika-progress" not in {thread.name for thread in threading.enumerate()}
    assert "0/3" in shown.getvalue()


@pytest.mark.parametrize("shown", ["log"], indirect=True)
def test_bytes_are_shown_as_people_read_them(shown: Output) -> None:
    with bar("pulling answers", None, unit="bytes") as advance:
        advance(1_174_200)
    assert "1.2 MB" in shown.getvalue()
    assert "1174200" not in shown.getvalue()


@pytest.mark.parametrize("shown", ["terminal"], indirect=True)
def test_eighty_columns_have_room_for_all_numbers(shown: Output) -> None:
    with bar("paraphrasing templates", 205) as advance:
        advance(7)
    assert not [line for line in shown.getvalue().splitlines() if line.endswith("…")]
    assert "7/205" in shown.getvalue()


@pytest.mark.parametrize(
    ("steps", "seconds", "unit", "expected"),
    [
        (0, 10.0, "steps", ""),
        (50, 2.0, "steps", "25/s"),
        (3, 2.0, "steps", "1.5/s"),
        (3, 120.0, "steps", "1.5/min"),  # three in two minutes
        (1, 1800.0, "steps", "2.0/h"),
        (1, 7200.0, "steps", "0.5/h"),
        (3_000_000, 2.0, "bytes", "1.5 MB/s"),
    ],
)
def test_a_rate_is_given_for_a_time_with_a_step_in_it(
    steps: int, seconds: float, unit: module.Unit, expected: str
) -> None:
    assert bars.rate(steps, seconds, unit) == expected


def test_a_line_says_what_is_left() -> None:
    task = Task(TaskID(0), "paraphrasing templates", total=205, completed=5, _get_time=lambda: 0.0)
    line = bars._line(task, 100.0, "", "steps", paced=False)
    assert line == "paraphrasing templates: 5 of 205 after 0:01:40, 3.0/min, about 1:06:40 left"
    assert bars._line(task, 100.0, "7 min left", "steps", paced=True).endswith("after 0:01:40; 7 min left")
