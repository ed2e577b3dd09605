"""What is left, at what rate: worked examples by a clock of their own."""

from __future__ import annotations

from tashika.builders.kuci.analysis.pace import Pace


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _pace(share: float | None = None) -> tuple[Pace, Clock]:
    clock = Clock()
    return Pace(None if share is None else lambda: share, clock), clock


def _finish(pace: Pace, clock: Clock, at: float, worker: str, sentences: int = 2_000) -> None:
    clock.now = at
    pace.reach(sentences)
    pace.finish(sentences, worker)


def test_the_rate_counts_from_when_all_processes_have_loaded() -> None:
    pace, clock = _pace()
    _finish(pace, clock, 10.0, "a")
    _finish(pace, clock, 12.0, "b")
    assert pace.rate is None
    _finish(pace, clock, 14.0, "a")
    assert pace.rate is None  # one of the two has shown nothing yet
    _finish(pace, clock, 16.0, "b")
    assert pace.rate == 4_000 / 4.0
    _finish(pace, clock, 22.0, "a")
    assert pace.rate == 6_000 / 10.0


def test_a_process_in_the_place_of_one_that_died_loads_again() -> None:
    pace, clock = _pace()
    for at, worker in ((10.0, "a"), (11.0, "a"), (30.0, "b")):
        _finish(pace, clock, at, worker)
    assert pace.rate is None
    _finish(pace, clock, 31.0, "b")
    _finish(pace, clock, 32.0, "b")
    assert pace.rate == 2_000.0


def test_few_sentences_give_no_rate_and_no_total() -> None:
    pace, clock = _pace(share=0.001)
    for at in (1.0, 2.0, 3.0):
        _finish(pace, clock, at, "a", sentences=100)
    assert (pace.rate, pace.total, pace.note()) == (None, None, "")


def test_what_is_left_is_estimated_until_all_is_read() -> None:
    pace, clock = _pace(share=0.0301)
    pace.reach(4_000)
    assert pace.note() == "loading, 133,000 sentences left"
    pace.read = 0
    _finish(pace, clock, 10.0, "a", sentences=4_000)
    assert pace.total == 133_000  # 132,890 in three digits
    assert pace.note() == "129,000 sentences left"
    pace.share = lambda: 0.05
    assert pace.total == 133_000  # as long as no more sentences have come of it
    _finish(pace, clock, 14.0, "a", sentences=2_000)
    assert pace.note() == "114,000 sentences left, about 4 minutes, 500 sentences/s"
    pace.share = lambda: 1.0
    pace.reach(0)
    assert pace.note() == "500 sentences/s"


def test_what_an_earlier_run_left_is_done_and_says_nothing_of_the_rate() -> None:
    pace, clock = _pace(share=1.0)
    pace.reach(1_000_000)
    pace.kept = 1_000_000
    _finish(pace, clock, 10.0, "a")
    _finish(pace, clock, 12.0, "a")
    pace.reach(700_000_000)
    assert pace.note() == "700,000,000 sentences left, about 8 days, 1,000 sentences/s"


def test_an_input_of_unknown_length_has_a_rate() -> None:
    pace, clock = _pace()
    for at in (1.0, 2.0):
        _finish(pace, clock, at, "a")
    assert pace.note() == "2,000 sentences/s"
