from __future__ import annotations

from pathlib import Path

import pytest

from tashika.core.errors import ConfigError
from tashika.core.settings import Section, load_section


class Paint(Section):
    colour: str
    coats: int = 1


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


def test_every_packaged_file_has_the_sections_of_all_rooms() -> None:
    from tashika.core.settings import SECTIONS, read_toml
    from tashika.core.suites.discovery import all_suites

    for suite in all_suites().values():
        assert set(read_toml(suite.config_file)) == set(SECTIONS)
