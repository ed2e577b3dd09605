from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.kuci.events.basic_events import Event
from tashika.builders.kuci.events.case_frames import CaseFrameSettings, read_case_frames, until_share
from tashika.core.errors import InputError
from tests.hostile import bomb

FRAMES = """<?xml version="1.0" encoding="utf-8"?>
<caseframedata>
<entry headword="壊す/こわす" predtype="動">
  <caseframe id="壊す/こわす:動1" frequency="60">
    <argument case="ヲ格" frequency="50">
      <component frequency="30.5">お腹/おなか</component>
      <component frequency="15">体/からだ</component>
      <component frequency="4.5">物/もの</component>
    </argument>
    <argument case="ガ格" frequency="20"><component frequency="20">私/わたし</component></argument>
  </caseframe>
  <caseframe id="壊す/こわす:動2" frequency="30">
    <argument case="ヲ格" frequency="10">
      <component frequency="4">充電/じゅうでん+器/き</component>
      <component frequency="4">家/いえ?家/うち</component>
      <component frequency="2">橋/はし</component>
    </argument>
    <argument case="ノ格~ガ格" frequency="900"><component frequency="900">友達/ともだち</component></argument>
  </caseframe>
  <caseframe id="壊す/こわす:動3" frequency="10">
    <argument case="ヲ格" frequency="10"><component frequency="10">夢/ゆめ</component></argument>
  </caseframe>
</entry>
<entry headword="壊す/こわす+れる/れる" predtype="動">
  <caseframe id="x" frequency="999">
    <argument case="ガ格" frequency="999"><component frequency="999">窓/まど</component></argument>
  </caseframe>
</entry>
<entry headword="降る/ふる">
  <caseframe><argument case="ガ格"><component>雨/あめ</component><component>雪/ゆき</component></argument></caseframe>
</entry>
<entry headword="始まる/はじまる" predtype="動">
  <caseframe id="y" frequency="5">
    <argument case="ガ格" frequency="5"><component frequency="5">&lt;時間&gt;</component></argument>
    <argument case="ニ格" frequency="4"><component frequency="many">春/はる</component></argument>
    <argument case="修飾" frequency="400"><component frequency="400">早く/はやく</component></argument>
  </caseframe>
</entry>
</caseframedata>
"""


def _file(folder: Path, text: str) -> Path:
    path = folder / "frames.xml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_most_frequent_parts_are_basic(tmp_path: Path) -> None:
    found = read_case_frames(_file(tmp_path, FRAMES))
    assert found.keys == "daihyo"
    # 壊す: frames of 60 and 30 pass 75 of 100. Frame 1: ヲ's 50 passes 35 of 70; お腹's 30.5 passes 25 of 50. Frame 2:
    # the possessive is no case; 充電器's 4 does not pass 5 of 10, so 家 is in as well, in both readings.
    # 降る: 1 of 2 does not pass 1. 始まる: ガ's 5 passes 4.5 of 9, and holds no word.
    assert list(found) == [
        Event("壊す/こわす", "動", "ヲ", "お腹/おなか", 30.5),
        Event("壊す/こわす", "動", "ヲ", "充電/じゅうでん+器/き", 4.0),
        Event("壊す/こわす", "動", "ヲ", "家/いえ", 4.0),
        Event("壊す/こわす", "動", "ヲ", "家/うち", 4.0),
        Event("降る/ふる", "", "ガ", "雨/あめ", 1.0),
        Event("降る/ふる", "", "ガ", "雪/ゆき", 1.0),
    ]
    assert found.failures == ()
    assert found.statistics()["headwords left out"] == 1
    # as the paper counts: { お腹 } ヲ 壊す of frame 1, { 充電器, 家 } ヲ 壊す of frame 2, { 雨, 雪 } ガ 降る
    assert found.statistics()["groups, a frame's case each"] == 3


def test_compound_verbs_may_be_predicates_and_other_voices_never(tmp_path: Path) -> None:
    compound = FRAMES.replace("始まる/はじまる", "食べる/たべる+始める/はじめる").replace(
        "&lt;時間&gt;", "弁当/べんとう"
    )
    compound = compound.replace("壊す/こわす+れる/れる", "食べる/たべる+始める/はじめる+られる/られる")
    default = read_case_frames(_file(tmp_path, compound))
    assert default.statistics()["headwords left out"] == 2
    taken = read_case_frames(_file(tmp_path, compound), CaseFrameSettings(compounds=True))
    assert taken.has("食べる/たべる+始める/はじめる", "ガ", "弁当/べんとう")
    assert taken.statistics()["headwords left out"] == 1
    assert "れる" not in " ".join(event.predicate for event in taken)


def test_only_the_most_frequent_predicates_are_kept(tmp_path: Path) -> None:
    path = _file(tmp_path, FRAMES)
    one, two = (read_case_frames(path, CaseFrameSettings(predicates=number)) for number in (1, 2))
    assert {event.predicate for event in one} == {"壊す/こわす"}
    assert {event.predicate for event in two} == {"壊す/こわす"}  # 始まる has no word
    full = read_case_frames(path, CaseFrameSettings(predicates=2, cases=1))
    assert {event.predicate for event in full} == {"壊す/こわす", "始まる/はじまる"}


def test_a_packed_file_is_the_same(tmp_path: Path) -> None:
    packed = tmp_path / "frames.xml.gz"
    packed.write_bytes(gzip.compress(FRAMES.encode()))
    assert list(read_case_frames(packed)) == list(read_case_frames(_file(tmp_path, FRAMES)))


def test_a_file_cut_short_keeps_what_is_whole_and_tells_where_it_ends(tmp_path: Path) -> None:
    cut = FRAMES[: FRAMES.index("雪/ゆき")]
    found = read_case_frames(_file(tmp_path, cut))
    assert {event.predicate for event in found} == {"壊す/こわす"}
    (failure,) = found.failures
    assert failure.sid == "frames.xml:3"
    assert "cut short" in failure.reason
    assert failure.text == "壊す/こわす+れる/れる"
    assert found.statistics()["cut short"] == 1


def test_a_packed_file_cut_short_keeps_what_is_whole(tmp_path: Path) -> None:
    entries = "".join(
        f'<entry headword="語{n}/ご"><caseframe><argument case="ヲ格"><component>物{n * n}/もの</component></argument>'
        "</caseframe></entry>"
        for n in range(3_000)
    )
    path = tmp_path / "frames.xml.gz"
    path.write_bytes(gzip.compress(f"<caseframedata>{entries}</caseframedata>".encode())[:-3_000])
    found = read_case_frames(path)
    assert found.has("語0/ご", "ヲ", "物0/もの")
    assert len(found.failures) == 1


@pytest.mark.parametrize(
    "text",
    ["", "# S-ID:1\n* 1D\nEOS\n", "<other><entry/></other>", "<caseframedata></caseframedata>", "<caseframedata><ent"],
)
def test_what_is_no_case_frames_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"frames\.xml"):
        read_case_frames(_file(tmp_path, text))


def test_an_encoding_that_the_parser_lacks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "frames.xml"
    path.write_bytes(FRAMES.replace("utf-8", "euc-jp").encode("euc-jp"))
    with pytest.raises(InputError, match="UTF-8"):
        read_case_frames(path)


def test_the_item_that_crosses_is_taken_and_one_that_only_reaches_is_not_the_last() -> None:
    def taken(*numbers: int) -> list[int]:
        return until_share(numbers, float, 0.5)

    assert taken(51, 49) == [51]
    assert taken(50, 50) == [50, 50]
    assert taken(1, 3, 2) == [3, 2]
    assert taken(0, 0) == []


@given(st.lists(st.integers(0, 20), max_size=12), st.integers(1, 100))
def test_the_share_is_that_of_the_shortest_prefix_that_passes_it(numbers: list[int], percent: int) -> None:
    ranked = sorted((one for one in numbers if one), reverse=True)
    passing = [stop for stop in range(len(ranked) + 1) if 100 * sum(ranked[:stop]) > percent * sum(ranked)]
    expected = ranked[: passing[0]] if passing else ranked
    assert until_share(numbers, float, percent / 100) == expected


def test_a_noun_with_suru_has_the_key_that_sentences_have(tmp_path: Path) -> None:
    frame = '<caseframe><argument case="ヲ格"><component>{}</component></argument></caseframe>'
    entries = "".join(
        f'<entry headword="{head}" predtype="動">{frame.format(noun)}</entry>'
        for head, noun in (
            ("掃除/そうじ", "部屋/へや"),
            ("掃除/そうじ+する/する", "床/ゆか"),
            ("掃除/そうじ+する/する+れる/れる", "窓/まど"),
        )
    )
    events = read_case_frames(_file(tmp_path, f"<caseframedata>{entries}</caseframedata>"))
    assert [event[:4] for event in events] == [
        ("掃除/そうじ", "動", "ヲ", "床/ゆか"),
        ("掃除/そうじ", "動", "ヲ", "部屋/へや"),
    ]
    assert events.has("掃除/そうじ", "ヲ", "床/ゆか")


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("<caseframedata><entry headword='a'><caseframe><argument case='ガ格'><component>", "</component>"),
        ("<caseframedata><entry headword='", "'></entry>"),
        ("<caseframedata><!--", "-->"),
    ],
)
def test_a_text_that_would_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: str, tail: str
) -> None:
    monkeypatch.setattr("tashika.builders.kuci.events.case_frames.LARGEST_FRAME", 1 << 20)
    path = bomb(tmp_path / "frames.xml.gz", head.encode(), tail.encode())
    with pytest.raises(InputError, match="a case frame of more than 1 MiB"):
        read_case_frames(path)


def test_entities_that_expand_are_refused(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    text = f'<!DOCTYPE caseframedata [<!ENTITY e0 "aaaaaaaaaa">{entities}]><caseframedata>&e9;</caseframedata>'
    with pytest.raises(InputError, match="amplification"):
        read_case_frames(_file(tmp_path, text))
