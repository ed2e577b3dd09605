"""`tashika build kuci` from text to questions, with GiNZA; and what it makes of wrong options."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.builders.kuci.analysis.ginza import analyzer as ginza_analyzer
from tashika.builders.kuci.analysis.ginza.analyzer import Ginza
from tashika.builders.kuci.analysis.records import Failure
from tashika.builders.kuci.analysis.shards import Scale
from tashika.builders.kuci.settings import BuildSettings
from tashika.builders.kuci.stages import Kuci
from tashika.core.files import hash_file
from tashika.core.records import VERDICT, item_id, item_schema
from tashika.core.workspace import Workspace
from tests.hostile import Trap

Run = Callable[..., Any]
Row = dict[str, Any]

FRAMES = """妹がパンを食べた。
父はパンを食べます。
雨が降りました。
昨日、雨が降った。
風が吹いた。
強い風が吹きました。
窓を閉めた。
母が窓を閉めました。
傘をさした。
弟は傘をさします。
お腹が空いた。
夕方、お腹が空きます。
本を読んだ。
姉は本を読みます。
水を飲んだ。
犬が水を飲みます。
喉が渇いた。
夏は喉が渇きます。
"""
TEXT = """雨が降ったので、傘をさした。

風が吹いたので、窓を閉めた。
お腹が空いたので、パンを食べた。
喉が渇いたので、水を飲んだ。
雨が降ると、本を読む。
雨が降ったので、傘をさした。
雨が降ったので、水を飲めばいい。
昨日は家にいた。
駅まで走ったので、疲れた。
"""


@pytest.fixture(autouse=True)
def in_this_process(ginza: Ginza, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is loaded once a test run; tests of the shards tell that other processes find the same."""
    monkeypatch.setattr(ginza_analyzer, "load_model", lambda **_: ginza.model)
    monkeypatch.setattr(Kuci, "scale", property(lambda builder: Scale("here", 1, builder.settings.shard)))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text, settings, and the pairs that were built of it."""
    place = tmp_path_factory.mktemp("kuci")
    (place / "frames.txt").write_text(FRAMES, encoding="utf-8")
    (place / "text.txt").write_bytes(TEXT.encode() + b"\xff\xfe\n")
    (place / "kuci.toml").write_text(
        f"[build]\nworkers = 1\nshard = 4\n[build.events]\nframes = ['{place}/frames.txt']\n"
        "[build.questions]\nsimilarity = [-1.0, 1.0]\nown_part = false\nkinship = 1.0\n",
        encoding="utf-8",
    )
    return place


def build(tashika: Run, place: Path, *options: Any) -> Any:
    config = () if "--config" in options else ("--config", place / "kuci.toml")
    where = ("--work", place / "work", *config, "--text", place / "text.txt")
    return tashika("build", "kuci", *where, *options)


def items(place: Path) -> Path:
    return place / "work" / "kuci" / "items"


def rows(place: Path, kind: str) -> list[Row]:
    table = pq.read_table(items(place) / f"{kind}.parquet")
    assert table.schema.names == item_schema("kuci", kind).names
    return list(table.to_pylist())


def content(place: Path, name: str) -> Any:
    return json.loads((items(place) / name).read_text(encoding="utf-8"))


def test_pairs_come_with_their_funnel_and_what_failed(built: Path, tashika: Run) -> None:
    ran = build(tashika, built)
    assert ran.code == 0, ran.err
    pairs = {(row["antecedent"], row["consequent"]): row for row in rows(built, "pair")}
    assert set(pairs) == {
        ("雨が降ったので", "傘をさした"),
        ("風が吹いたので", "窓を閉めた"),
        ("お腹が空いたので", "パンを食べた"),
        ("喉が渇いたので", "水を飲んだ"),
        ("雨が降ると", "本を読む"),
    }
    row = pairs["雨が降ったので", "傘をさした"]
    assert row["item_id"] == item_id("kuci", "pair", "雨が降ったので", "傘をさした")
    assert (row["sid"], row["relation"], row["marker"]) == ("text.txt:1", "cause", "ので")
    assert (row["antecedent_event"], row["backend"], row["borrowed"]) == ("雨:ガ:降る", "ginza", False)
    assert row["sources"][0] == {"name": "text.txt", "revision": hash_file(built / "text.txt")}
    assert pairs["雨が降ると", "本を読む"]["relation"] == "condition"
    funnel = content(built, "funnel.json")
    assert {name: funnel["text"][name] for name in ("sentences", "blank", "repeated", "no_sentence")} == {
        "sentences": 9,
        "blank": 1,
        "repeated": 1,
        "no_sentence": 0,
    }
    assert dict(map(tuple, funnel["steps"]))["no repetition"] == 5
    assert funnel["reasons"]["no modality"] == {"ばいい in the consequent": 1}
    assert "1 repeated sentences left out" in " ".join(ran.out.split())
    failures = (items(built) / "failures.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0] for line in failures] == ["sid", "text.txt:11"]
    table = (items(built) / "pairs.tsv").read_text(encoding="utf-8")
    assert "雨が降ったので\t水を飲めばいい" in table  # every relation, whatever the filters say
    assert "annotate push kuci" in ran.err
    assert content(built, "statistics.json")["pairs"]["relations"] == {"cause": 4, "condition": 1}
    assert not (items(built) / "question.parquet").exists()
    assert not list((items(built) / "shards").glob("*.parquet"))


def test_a_second_run_does_nothing_and_other_filters_analyse_nothing(built: Path, tashika: Run) -> None:
    build(tashika, built)
    assert build(tashika, built).err.count("nothing to do") == 3
    other = built / "other.toml"
    settings = (built / "kuci.toml").read_text(encoding="utf-8")
    other.write_text(settings + "[build.filters]\nmodality = false\n", encoding="utf-8")
    ran = build(tashika, built, "--config", other)
    assert ran.err.count("nothing to do") == 2
    assert ("雨が降ったので", "水を飲めばいい") in {
        (one["antecedent"], one["consequent"]) for one in rows(built, "pair")
    }
    assert build(tashika, built).err.count("nothing to do") == 2


def test_another_floor_analyses_nothing(built: Path, tashika: Run) -> None:
    build(tashika, built)
    other = built / "floor.toml"
    settings = (built / "kuci.toml").read_text(encoding="utf-8")
    other.write_text(settings.replace("[build.events]\n", "[build.events]\nfloor = 1\n"), encoding="utf-8")
    ran = build(tashika, built, "--config", other)
    assert "counted events: nothing to do" in ran.err
    assert content(built, "build-events.manifest.json")["counts"]["events seen too rarely"] == 0
    assert build(tashika, built).err.count("counted events: nothing to do") == 1


def test_the_packaged_frames_are_counted_already(built: Path, tashika: Run, tmp_path: Path) -> None:
    ran = tashika("build", "kuci", "--work", tmp_path, "--text", built / "text.txt")
    assert ran.code == 0, ran.err
    assert "their counts are shipped" in ran.err
    manifest = json.loads((items_of(tmp_path) / "count-events.manifest.json").read_text(encoding="utf-8"))
    assert manifest["counts"]["shipped"]
    sources = {one["name"] for one in pq.read_table(items_of(tmp_path) / "pair.parquet").to_pylist()[0]["sources"]}
    assert "basic events: frames.txt, frames-b.txt" in sources


def test_a_second_build_without_the_options_keeps_ones_own_text(built: Path, tashika: Run, tmp_path: Path) -> None:
    build(tashika, built, "--work", tmp_path, "--frames", built / "frames.txt", "--encoding", "utf-8")
    pairs = (items_of(tmp_path) / "pair.parquet").read_bytes()
    ran = tashika("build", "kuci", "--work", tmp_path)
    assert ran.code == 0, ran.err
    for name in ("config", "text", "frames", "encoding"):
        assert f"as in the build before (--{name})" in ran.err
    assert ran.err.count("nothing to do") == 3
    assert (items_of(tmp_path) / "pair.parquet").read_bytes() == pairs
    (tmp_path / "a.knp").write_text(knp_sentence(), encoding="utf-8")
    knp = tashika("build", "kuci", "--work", tmp_path, "--knp", tmp_path / "a.knp", "--pairs-only", "--dry-run")
    assert "--text was " in knp.err
    assert f"text: {tmp_path / 'a.knp'} (" in knp.err


def test_questions_of_all_pairs_say_that_nobody_confirmed_them(built: Path, tashika: Run) -> None:
    ran = build(tashika, built, "--unconfirmed")
    assert ran.code == 0, ran.err
    assert "nobody has confirmed" in ran.err
    pairs = {row["item_id"]: row for row in rows(built, "pair")}
    found = rows(built, "question")
    assert {row["conditions"] for row in found} == {"both", "without_similarity", "without_length"}
    for row in found:
        assert row["options"][row["answer"]] == pairs[row["pair"]]["consequent"]
        assert row["parents"][0] == row["pair"]
        assert {pairs[parent]["consequent"] for parent in row["parents"]} == set(row["options"])
        assert row["sources"][-1]["name"] == "candidate pairs that nobody confirmed"


def test_the_questions_of_the_test_part_are_there_to_be_judged(built: Path, tashika: Run) -> None:
    build(tashika, built, "--unconfirmed")
    asked = [row for row in rows(built, "question") if (row["conditions"], row["split"]) == ("both", "test")]
    assert {row["question"] for row in rows(built, "fit")} == {row["item_id"] for row in asked}


def test_the_condition_basic_is_tried_without_making_questions(built: Path, tashika: Run, tmp_path: Path) -> None:
    """The reliable candidates: five pairs, one that is filtered later, and 駅まで走ったので、疲れた (not basic)."""
    ran = build(tashika, built, "--work", tmp_path, "--try-basic")
    assert ran.code == 0, ran.err
    said = " ".join(ran.err.split())
    assert "all reliable pairs: 7 drawn of 7, not judged yet; in the paper 47 of 100" in said
    assert "pairs that meet Basic: 6 drawn of 6, not judged yet; in the paper 77 of 100" in said
    assert "`tashika build kuci --try-basic --work " in said
    table = pq.read_table(items_of(tmp_path) / "sense.parquet").to_pylist()
    samples = {(row["antecedent"], row["consequent"]): row["samples"] for row in table}
    assert samples["駅まで走ったので", "疲れた"] == ["any"]
    assert samples["雨が降ったので", "水を飲めばいい"] == ["any", "basic"]  # the filters come behind Basic
    assert not (items_of(tmp_path) / "question.parquet").exists()
    again = build(tashika, built, "--work", tmp_path, "--try-basic")
    assert again.err.count("nothing to do") == 4


def test_questions_of_the_pairs_that_people_accepted(built: Path, tashika: Run) -> None:
    build(tashika, built, "--pairs-only")
    pairs = {row["item_id"]: row for row in rows(built, "pair")}
    rejected = next(one for one, row in pairs.items() if row["consequent"] == "本を読む")
    verdicts = [
        {
            "item_id": one,
            "kind": "pair",
            "decision": "rejected" if one == rejected else "accepted",
            "votes_for": 3,
            "votes_against": 0,
            "votes_cast": 3,
            "rule": "majority",
            "tie": False,
        }
        for one in pairs
    ]
    file = built / "work" / "kuci" / "annotation" / "verdicts.parquet"
    file.parent.mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(verdicts, schema=VERDICT), file)
    ran = build(tashika, built)
    file.unlink()
    assert ran.code == 0, ran.err
    assert "people accepted 4 pairs" in ran.err
    found = rows(built, "question")
    assert found
    assert all(rejected not in row["parents"] and "本を読む" not in row["options"] for row in found)
    assert all(row["sources"][-1]["name"] != "candidate pairs that nobody confirmed" for row in found)


def test_a_dry_run_analyses_nothing(built: Path, tashika: Run, tmp_path: Path) -> None:
    ran = build(tashika, built, "--work", tmp_path, "--dry-run")
    assert ran.code == 0
    assert "frames.txt" in ran.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--knp", "text.txt"), "--text and --knp"),
        (("--backend", "knp-file"), "--knp FILE"),
        (("--backend", "mecab"), "backend"),
        (("--case-frames", "text.txt"), "KNP's keys"),
        (("--text", "none.txt"), "there is no such file"),
        (("--text", "none*.txt"), "no file fits"),
        (("--encoding", "utf-16"), "--encoding utf-8"),
        (("--encoding", "none.txt=cp932"), "none of the files"),
        (("--encoding", "sjisx"), "there is no encoding"),
        (("--text", "text.txt"), "named twice"),
        (("--frames", "text.txt"), "basic events are counted in other text"),
        (("--engine", "spark"), "engine"),
        (("--workers", "-1"), "workers"),
    ],
)
def test_wrong_options_are_told_before_the_work(
    options: tuple[str, str], told: str, built: Path, tashika: Run, tmp_path: Path
) -> None:
    value = built / options[1] if options[1].endswith((".txt", ".")) else options[1]
    ran = build(tashika, built, "--work", tmp_path, options[0], value)
    assert ran.code == 2
    assert told in ran.err
    assert not list(tmp_path.iterdir())


def test_knps_output_needs_case_frames_or_other_output(tashika: Run, tmp_path: Path) -> None:
    (tmp_path / "a.knp").write_text("EOS\n")
    ran = tashika("build", "kuci", "--work", tmp_path / "work", "--knp", tmp_path / "a.knp")
    assert ran.code == 2
    assert "--case-frames" in ran.err


def knp_sentence() -> str:
    """KNP's output for 見ると聞く, with a condition."""
    clause = "<用言:動><用言代表表記:見る/みる><節-区切><節-主辞>"
    word = "{0} {0} {0} 動詞 2 * 0 母音動詞 1 基本形 2 NIL <x>\n"
    first, second = (f"* {head} {clause}{more}\n+ {head} {clause}{more}\n" for head, more in HEADS)
    return f"# S-ID:a KNP:5.0-\n{first}{word.format('見ると')}{second}{word.format('聞く')}EOS\n"


HEADS = (("1D", "<節-機能-条件><係:連用>"), ("-1D", ""))


def test_knps_output_alone_gives_every_relation(tashika: Run, tmp_path: Path) -> None:
    (tmp_path / "a.knp").write_text(knp_sentence() + "# S-ID:b\n* 1D\n", encoding="utf-8")
    ran = tashika("build", "kuci", "--work", tmp_path, "--knp", tmp_path / "a.knp", "--pairs-only")
    assert ran.code == 0, ran.err
    _, row = (items_of(tmp_path) / "pairs.tsv").read_text(encoding="utf-8").splitlines()
    assert row.split("\t")[:6] == ["a.knp:a", "condition", "", "yes", "見ると", "聞く"]
    failures = (items_of(tmp_path) / "text-failures.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0] for line in failures] == ["sid", "a.knp:b"]
    assert "--case-frames" in ran.err
    assert not (items_of(tmp_path) / "pair.parquet").exists()


def items_of(work: Path) -> Path:
    return work / "kuci" / "items"


def test_an_encoding_is_of_the_users_text_and_not_of_the_packaged_one(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    builder = Kuci(Workspace(tmp_path, "kuci"), BuildSettings(encoding="cp932"), (own,))
    (first, *_) = builder._inputs(builder.frames, None)
    assert not isinstance(first, Failure)
    own.write_bytes("雨が降った。".encode("cp932"))
    assert list(builder._inputs(builder.text, None)) == [("own.txt:1", "雨が降った。")]


def test_a_text_in_another_encoding_is_refused_at_once(built: Path, tashika: Run, tmp_path: Path) -> None:
    (tmp_path / "frames.txt").write_bytes(FRAMES.encode("cp932"))
    options = ("--work", tmp_path / "work", "--frames", tmp_path / "frames.txt")
    ran = build(tashika, built, *options, "--encoding", "utf-8")
    assert ran.code == 2
    assert "--encoding cp932" in " ".join(ran.err.split())
    assert build(tashika, built, *options, "--encoding", "frames.txt=cp932", "--dry-run").code == 0
    assert build(tashika, built, *options).code == 0


def test_what_fails_of_the_text_that_events_are_counted_in_is_kept(built: Path, tashika: Run, tmp_path: Path) -> None:
    (tmp_path / "frames.txt").write_bytes(FRAMES.encode() + b"\xff\xfe\n")
    ran = build(tashika, built, "--work", tmp_path, "--frames", tmp_path / "frames.txt")
    assert ran.code == 0, ran.err
    failures = (items_of(tmp_path) / "failures.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0] for line in failures] == ["sid", "text.txt:11", "frames.txt:19"]
    assert "1 of 19 sentences could not be analysed" in " ".join(ran.err.split())


def test_word_vectors_that_could_run_code_are_refused_before_the_analysis(
    built: Path, tashika: Run, tmp_path: Path, trap: Trap
) -> None:
    (tmp_path / "vectors.txt").write_bytes(trap.pickled(2))
    settings = (built / "kuci.toml").read_text(encoding="utf-8") + f"vectors = '{tmp_path}/vectors.txt'\n"
    (tmp_path / "kuci.toml").write_text(settings, encoding="utf-8")
    ran = build(tashika, built, "--work", tmp_path / "new", "--config", tmp_path / "kuci.toml")
    trap.assert_silent()
    assert ran.code == 2
    assert "this is a pickle" in ran.err
    assert "save_word2vec_format" in ran.err
    assert not (tmp_path / "new").exists()
