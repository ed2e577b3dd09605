from __future__ import annotations

from tashika.builders.kuci.analysis.speed import Speed


def test_the_papers_corpus_is_told_in_days_and_in_cores() -> None:
    # 100 sentences/s each: 180 million are 1.8 million seconds of one process, 20.8 days; two take 10.4.
    speed = Speed(sentences=10_000, seconds=100.0, wall=53.0, processes=2)
    assert speed.summary() == (
        "10,000 sentences in 53.0 s; 2 processes: 200 sentences/s (100 each). "
        "180,000,000 sentences would take 10.4 days so, or a day with 21 cores."
    )


def test_a_run_that_did_nothing_has_no_speed() -> None:
    assert Speed(0, 0.0, 0.1, 0).summary() == "0 sentences"


def test_a_few_sentences_say_nothing_of_many() -> None:
    assert Speed(3, 1.4, 1.4, 1).summary() == "3 sentences in 1.4 s; 1 process: 2 sentences/s (2 each)."
