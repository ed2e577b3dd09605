"""The shipped counts of the packaged frames' events."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tashika.builders.kuci.analysis.ginza.analyzer import Ginza
from tashika.builders.kuci.analysis.records import Sentence
from tashika.builders.kuci.events.basic_events import EVENT, Event, added_up, closest_event
from tashika.builders.kuci.events.shipped import shipped_counts, write_counts
from tashika.builders.kuci.packaged import Share, packaged_frames
from tashika.builders.kuci.settings import BuildSettings
from tashika.builders.kuci.stages import Kuci
from tashika.core.errors import InputError
from tashika.core.settings import load_section
from tashika.core.workspace import Workspace

RAIN = Event("降る", "動", "ガ", "雨", 3.0)
WIND = Event("吹く", "動", "ガ", "風", 1.0)
ANALYSIS = {"rules": "2", "versions": {"ginza": "5.2.0"}, "shares": (0.5, 0.5)}


def _table(*events: Event) -> pa.Table:
    return pa.Table.from_pylist([one._asdict() for one in events], schema=EVENT)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two files of text."""
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_text("雨が降った。\n", encoding="utf-8")
    other.write_text("風が吹いた。\n", encoding="utf-8")
    return one, other


@pytest.fixture
def counts(files: tuple[Path, Path], tmp_path: Path) -> Path:
    """What was counted in them."""
    path = tmp_path / "counts.tsv"
    tables = (_table(RAIN, WIND), _table(RAIN))
    assert write_counts(path, zip(files, (ANALYSIS, ANALYSIS), tables, strict=True)) == 3
    return path


def test_counts_are_read_back_by_file(files: tuple[Path, Path], counts: Path) -> None:
    one, other = files
    assert shipped_counts([(other, ANALYSIS)], counts) == [_table(RAIN)]
    both = shipped_counts([(one, ANALYSIS), (other, ANALYSIS)], counts)
    assert both == [_table(RAIN, WIND), _table(RAIN)]
    assert added_up(both).to_pylist() == [WIND._asdict(), RAIN._replace(frequency=6.0)._asdict()]


def test_they_vouch_for_the_same_lines_and_analysis_alone(files: tuple[Path, Path], counts: Path) -> None:
    one, other = files
    assert shipped_counts([(one, {**ANALYSIS, "rules": "3"})], counts) is None
    other.write_text("風が吹きました。\n", encoding="utf-8")
    assert shipped_counts([(one, ANALYSIS)], counts) is not None
    assert shipped_counts([(one, ANALYSIS), (other, ANALYSIS)], counts) is None
    assert shipped_counts([(one, ANALYSIS)], counts.parent / "missing.tsv") is None


@pytest.mark.parametrize("content", ["", "雨\n", "[]\ncolumns\n", "{}"])
def test_a_damaged_file_says_what_to_do(files: tuple[Path, Path], counts: Path, content: str) -> None:
    counts.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="not a file of counted events") as error:
        shipped_counts([(files[0], ANALYSIS)], counts)
    assert "count_frames" in str(error.value.hint)


def test_a_row_without_a_count_is_damage(files: tuple[Path, Path], counts: Path) -> None:
    head, names, *_ = counts.read_text(encoding="utf-8").splitlines()
    counts.write_text(f"{head}\n{names}\none.txt\t降る\t動\tガ\t雨\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a file of counted events"):
        shipped_counts([(files[0], ANALYSIS)], counts)


@pytest.mark.parametrize("share", ["all", "part"])
def test_the_shipped_file_is_of_the_packaged_frames_and_these_rules(share: Share, tmp_path: Path) -> None:
    settings = load_section("kuci", "build", BuildSettings)
    builder = Kuci(Workspace(tmp_path, "kuci"), settings)
    files = packaged_frames(share)
    assert shipped_counts([(path, builder.analysis((path,))) for path in files]) is not None, (
        "the frames, the rules or a pinned version changed: python -m tashika.builders.kuci.count_frames"
    )


def test_the_shipped_counts_hold_what_is_in_the_text(ginza: Ginza, tmp_path: Path) -> None:
    builder = Kuci(Workspace(tmp_path, "kuci"), load_section("kuci", "build", BuildSettings))
    for path in packaged_frames("all"):
        lines = path.read_text(encoding="utf-8").splitlines()[::250]
        tables = shipped_counts([(path, builder.analysis((path,)))])
        assert tables is not None
        known = {Event(**{**row, "frequency": 1.0}) for row in tables[0].to_pylist()}
        for result in ginza.analyze((str(number), line) for number, line in enumerate(lines)):
            assert isinstance(result, Sentence)
            assert {event for one in result.clauses if (event := closest_event(one))} <= known
