from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tashika.builders.kuci.analysis.records import Argument, Clause, Failure, Predicate, Sentence
from tashika.builders.kuci.analysis.shards import Scale, run_shards
from tashika.builders.kuci.events.basic_events import (
    EVENT,
    BasicEvents,
    CountEvents,
    Event,
    closest_event,
    event_words,
    frequent_events,
    refuse_same_text,
)
from tashika.builders.kuci.text.files import text_files
from tashika.core.errors import InputError

sys.path.append(str(Path(__file__).parents[3]))  # so that other processes find it as well
from tests.builders.kuci.analysis.fake_analyzer import Fake, sentence

EATEN = Event("食べる", "動", "ヲ", "パン", 2.0)
RAIN = Event("降る", "動", "ガ", "雨", 3.0)


def _clause(*arguments: Argument, **predicate: object) -> Clause:
    return Clause(0, 1, Predicate("取る", "動", **predicate), arguments)  # type: ignore[arg-type]


def test_the_closest_argument_makes_the_event() -> None:
    clause = _clause(Argument("ガ", "私"), Argument("ヲ", "予約"), past=True, negated=True)
    assert closest_event(clause) == Event("取る", "動", "ヲ", "予約")


def test_topics_and_arguments_elsewhere_are_no_events() -> None:
    assert closest_event(_clause(Argument("ヲ", "席"), Argument("未", "私"), Argument("ニ", "店", explicit=False))) == (
        Event("取る", "動", "ヲ", "席")
    )
    assert closest_event(_clause(Argument("未", "私"))) is None


def test_other_voices_are_no_events() -> None:
    assert closest_event(_clause(Argument("ガ", "財布"), voice="passive")) is None


def test_a_job_counts_and_skips_failures() -> None:
    found: list[Sentence | Failure] = [
        sentence("1", "パン ヲ 食べる"),
        Failure("2", "?", "bad"),
        sentence("3", "パン ヲ 食べる"),
        sentence("4", "はい"),
    ]
    assert CountEvents().rows(found).to_pylist() == [EATEN._asdict()]


def test_what_is_seen_too_rarely_is_no_basic_event() -> None:
    tables = [CountEvents().rows([sentence("1", text)]) for text in ("パン ヲ 食べる", "雨 ガ 降る", "パン ヲ 食べる")]
    found = frequent_events(tables, keys="sudachi", source="other.txt", floor=2)
    assert list(found) == [EATEN]
    assert found.statistics() == {
        "keys": "sudachi",
        "source": "other.txt",
        "predicates": 1,
        "events": 1,
        "events by case": {"ヲ": 1},
        "events seen too rarely": 1,
    }
    assert len(frequent_events([], keys="sudachi", source="")) == 0


def test_they_are_looked_up() -> None:
    found = BasicEvents([RAIN, EATEN], keys="sudachi")
    assert found.has("降る", "ガ", "雨")
    assert not found.has("降る", "ヲ", "雨")
    assert found.of("食べる") == (EATEN,)
    assert found.of("寝る") == ()


def test_every_reading_is_looked_up() -> None:
    found = BasicEvents([Event("空く/すく", "動", "ガ", "お腹/おなか?腹/はら")], keys="daihyo")
    assert found.has("空く/あく?空く/すく", "ガ", "腹/はら")
    assert not found.has("空く/あく", "ガ", "腹/はら")
    assert len(found.of("空く/あく?空く/すく")) == 2


def test_a_noun_with_suru_is_the_verb_that_case_frames_have() -> None:
    """KNP reads 運動をする as 運動する with 運動 in ヲ."""
    found = BasicEvents([Event("する/する", "動", "ヲ", "運動/うんどう")], keys="daihyo")
    assert found.has("運動/うんどう", "ヲ", "運動/うんどう")
    assert not found.has("運動/うんどう", "ガ", "運動/うんどう")
    assert not found.has("運動/うんどう", "ヲ", "公園/こうえん")
    assert not found.has("体操/たいそう", "ヲ", "運動/うんどう")


@pytest.mark.parametrize(
    ("predicate", "argument", "words"),
    [
        ("空く", "腹", "腹:ガ:空く"),
        ("空く/あく?空く/すく", "腹/はら", "腹:ガ:空く"),
        ("運動/うんどう+する/する", "充電/じゅうでん+器/き", "充電器:ガ:運動する"),
        ("運転+する", "車", "車:ガ:運転する"),
        ("C++", "/", "/:ガ:C++"),
    ],
)
def test_in_words(predicate: str, argument: str, words: str) -> None:
    assert event_words(predicate, "ガ", argument) == words


def test_keys_are_never_mixed() -> None:
    events = BasicEvents([RAIN], keys="sudachi", source="frames.txt")
    events.require("sudachi")
    with pytest.raises(InputError, match="never mixed"):
        events.require("daihyo")
    with pytest.raises(InputError, match="never mixed"):
        BasicEvents([], keys="daihyo").require("sudachi")


WORD = st.text("あい雨/?+", min_size=1, max_size=4)
EVENTS = st.builds(
    Event, WORD, st.sampled_from(["動", "形", ""]), st.sampled_from(["ガ", "ヲ"]), WORD, st.floats(0.5, 9)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(EVENTS, max_size=8), st.randoms(), st.sampled_from(["daihyo", "sudachi"]))
def test_they_are_the_same_in_any_order_and_after_a_file(
    tmp_path: Path, some: list[Event], random: object, keys: str
) -> None:
    shuffled = list(some)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    failures = [Failure("a:1", "語", "cut")]
    first = BasicEvents(some, keys=keys, source="s", failures=failures, counts={"n": 1})
    second = BasicEvents(shuffled, keys=keys, source="s", failures=failures, counts={"n": 1})
    assert list(first) == list(second)
    first.save(tmp_path / "a.parquet")
    second.save(tmp_path / "b.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    loaded = BasicEvents.load(tmp_path / "a.parquet")
    assert list(loaded) == list(first)
    assert (loaded.keys, loaded.failures, loaded.statistics()) == (keys, first.failures, first.statistics())


def test_another_file_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist([], schema=EVENT), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="not a file of basic events"):
        BasicEvents.load(tmp_path / "a.parquet")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(
    st.lists(st.sampled_from(["雨 ガ 降る", "雪 ガ 降る", "パン ヲ 食べる", "BAD"]), max_size=12), st.integers(1, 13)
)
def test_shards_of_any_size_count_the_same(tmp_path: Path, texts: list[str], size: int) -> None:
    outcome = run_shards(
        [(str(number), text) for number, text in enumerate(texts)],
        CountEvents(),
        Fake(),
        tmp_path / "shards",
        settings={},
        scale=Scale("here", sentences=size),
    )
    found = frequent_events(outcome.tables(), keys="sudachi", source="", floor=2)
    counts = {text: texts.count(text) for text in texts if text != "BAD" and texts.count(text) >= 2}
    assert {f"{one.argument} {one.case} {one.predicate}": one.frequency for one in found} == counts


def test_the_text_that_pairs_come_from_is_refused(tmp_path: Path) -> None:
    pairs, copy, other = tmp_path / "pairs.txt", tmp_path / "copy.gz", tmp_path / "other.txt"
    pairs.write_text("雨が降る。\n", encoding="utf-8")
    copy.write_bytes(gzip.compress("雨が降る。\r\n\r\n".encode()))
    other.write_text("雪が降る。\n", encoding="utf-8")
    refuse_same_text(text_files([other]), text_files([pairs]))
    with pytest.raises(InputError, match=r"pairs\.txt"):
        refuse_same_text(text_files([other, copy]), text_files([pairs]))
