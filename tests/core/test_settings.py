from __future__ import annotations

from pathlib import Path

import pytest

from tashika.core import settings
from tashika.core.errors import ConfigError
from tashika.core.settings import (
    SECTIONS,
    Section,
    default_config,
    load_section,
    overridden,
    packaged,
    read_settings,
    read_toml,
    settings_file,
)
from tashika.core.suites.discovery import all_suites
from tashika.core.suites.suite import packaged_file


class Paint(Section):
    colour: str
    coats: float = 1


def config(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return path


def test_a_section_is_read(tmp_path: Path) -> None:
    assert load_section("any", "build", Paint, config(tmp_path, '[build]\ncolour = "red"')) == Paint(colour="red")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[build]\ncolor = "red"', "colou?r"),
        ('[build]\ncolour = "red"\ncoats = "many"', "coats: .*found 'many'"),
        ("[build]\ncoats = 2", "colour is missing"),
        ('[bild]\ncolour = "red"', r"unknown section \[bild\]; known are build, annotate, export, evaluate"),
        ("[build", "not valid TOML"),
    ],
)
def test_what_does_not_fit_is_named_with_its_file(tmp_path: Path, text: str, message: str) -> None:
    path = config(tmp_path, text)
    with pytest.raises(ConfigError, match=message) as caught:
        load_section("any", "build", Paint, path)
    assert str(path) in str(caught.value)


def test_every_packaged_file_has_the_sections_of_all_rooms_and_names_its_suite() -> None:
    for suite in all_suites().values():
        assert suite.rehearsal is not None
        for path in {suite.config_file, packaged_file(suite.rehearsal.config)}:
            content = read_toml(path)
            assert content.pop("suite") == suite.name
            assert set(content) == set(SECTIONS)


@pytest.mark.parametrize("suite", all_suites())
def test_a_file_without_a_name_is_known_by_its_keys(suite: str, tmp_path: Path) -> None:
    text = packaged(f"{suite}.toml").read_text(encoding="utf-8")
    path = config(tmp_path, "".join(line for line in text.splitlines(keepends=True) if not line.startswith("suite =")))
    assert set(read_settings(suite, path)) == set(SECTIONS)
    for other in set(all_suites()) - {suite}:
        with pytest.raises(ConfigError, match=f"these look like settings of {suite}, not of {other}"):
            read_settings(other, path)


@pytest.mark.parametrize(
    ("text", "suite", "owner"),
    [
        ("[build]\nhops = 2", "myriadlama", "tempripple"),
        ("[annotate.kinds.question]\nmode = 'all'", "proverbs", "kuci"),
        ("[build]\nseed = 2", "semrel", None),  # many have a seed
        ("[export]\nlicense = 'x'", "semrel", None),
        ("[build]\nhopps = 2", "myriadlama", None),  # nobody's; the room says what it knows
        ("[annotate.kinds.history]\nmode = 'all'", "tempripple", None),  # a kind of item, though nobody judges it
    ],
)
def test_a_key_of_another_suite_alone_tells_whose_a_file_is(
    text: str, suite: str, owner: str | None, tmp_path: Path
) -> None:
    path = config(tmp_path, text)
    if owner is None:
        assert read_settings(suite, path)
    else:
        with pytest.raises(ConfigError, match=f"look like settings of {owner}, not of {suite}"):
            read_settings(suite, path)


def test_a_file_that_names_its_suite_is_its_own_whatever_its_keys(tmp_path: Path) -> None:
    text = packaged("kuci.toml").read_text(encoding="utf-8").replace('suite = "kuci"', 'suite = "proverbs"')
    assert read_settings("proverbs", config(tmp_path, text))
    with pytest.raises(ConfigError, match="found suite = 'proverbs', expected settings of kuci"):
        read_settings("kuci", tmp_path / "config.toml")


class House(Section):
    walls: Paint
    rooms: int = 3


def test_the_command_line_goes_before_the_file_key_by_key() -> None:
    house = House(walls=Paint(colour="red", coats=2))
    assert overridden(house, {"rooms": None, "walls": {"colour": None, "coats": 4}}) == House(
        walls=Paint(colour="red", coats=4)
    )
    assert overridden(house, {"rooms": 5}).rooms == 5
    with pytest.raises(ConfigError, match=r"command line: walls.coats: .*found 'many'"):
        overridden(house, {"walls": {"coats": "many"}})


def test_what_a_file_leaves_out_is_published_key_by_key(tmp_path: Path) -> None:
    published = read_settings("kuci", packaged("kuci.toml"))
    text = "[build.events]\nfloor = 5\n[build.questions]\nsplit = [1, 1]\n[evaluate.bag]\nmost = 1\n"
    found = read_settings("kuci", config(tmp_path, text))
    assert found["build"]["events"] == {**published["build"]["events"], "floor": 5}
    assert found["build"]["questions"] == {**published["build"]["questions"], "split": [1, 1]}  # lists replace
    assert found["evaluate"]["bag"] == {**published["evaluate"]["bag"], "most": 1}  # which the room refuses
    assert found["export"] == published["export"]
    assert found["build"]["analyzer"] == published["build"]["analyzer"]


def test_a_value_in_the_place_of_a_table_is_told(tmp_path: Path) -> None:
    assert read_settings("kuci", config(tmp_path, "[build]\nevents = 3\n"))["build"]["events"] == 3
    assert read_settings("kuci", config(tmp_path, "[build.shard]\nsize = 3\n"))["build"]["shard"] == {"size": 3}


@pytest.mark.parametrize("suite", all_suites())
def test_a_packaged_file_is_whole(suite: str) -> None:
    """No published value slips into a demo: its file says everything itself."""
    rehearsal = all_suites()[suite].rehearsal
    assert rehearsal is not None
    for path in {all_suites()[suite].config_file, packaged_file(rehearsal.config)}:
        content = read_toml(path)
        content.pop("suite")
        assert read_settings(suite, path) == content


def test_another_mode_of_judging_leaves_the_published_sample_behind(tmp_path: Path) -> None:
    for mode, kind in (
        ("all", {"mode": "all"}),
        ("none", {"mode": "none"}),
        ("audit", {"mode": "audit", "sample": 60}),
    ):
        path = config(tmp_path, f"[annotate.kinds.alias]\nmode = '{mode}'\n")
        assert read_settings("myriadlama", path)["annotate"]["kinds"] == {"template": {"mode": "all"}, "alias": kind}
    path = config(tmp_path, "[annotate.kinds.alias]\nsample = 5\n")
    assert read_settings("myriadlama", path)["annotate"]["kinds"]["alias"] == {"mode": "audit", "sample": 5}


def test_a_preset_is_a_file_beside_the_published_one() -> None:
    preset = settings_file("tempripple", Path("paper"))
    assert preset == default_config("tempripple").with_name("tempripple-paper.toml")
    by_word, by_path = (read_settings("tempripple", path) for path in (Path("paper"), preset))
    assert by_word == by_path
    assert by_word["evaluate"]["orders"] == 1
    assert by_word["build"]["window"] == read_settings("tempripple", default_config("tempripple"))["build"]["window"]


def test_a_suite_without_a_preset_says_which_have_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "PRESETS", ("paper", "demo"))  # of the suites some have a file for a demo
    with pytest.raises(ConfigError, match="the suite tempripple has no preset 'demo'") as caught:
        load_section("tempripple", "build", Paint, Path("demo"))
    assert "kuci" in (caught.value.hint or "")
    assert settings_file("kuci", tmp_path / "paper") == tmp_path / "paper"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[build]\ncolour = 'red'\ncoats = inf\n", "coats: Input should be a finite number"),
        (b"[build]\ncolour = 'red'\ncoats = nan\n", "coats: Input should be a finite number"),
        (b'[build]\ncolour = "r\\u0000d"\n', r"found the character \\u0000 in colour"),
        (b'[build]\ncolours = [{"a\\u0000" = 1}]\n', r"found the character \\u0000 in 'a"),
        (b"[build]\ncoats = " + b"[" * 5_000 + b"]" * 5_000, "not valid TOML: nested too deeply"),
        (b"[build]\ncoats = " + b"9" * 5_000, "not valid TOML: Exceeds the limit"),
        (b"[build]\ncolour = '\xff'", "not valid TOML: 'utf-8' codec"),
    ],
)
def test_hostile_settings_end_in_a_clear_error(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        load_section("any", "build", Paint, path)


def test_settings_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xef\xbb\xbf[build]\r\ncolour = 'red'\r\n")
    assert load_section("any", "build", Paint, path) == Paint(colour="red")
