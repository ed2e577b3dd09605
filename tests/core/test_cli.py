from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from tashika.core.cli import COMMANDS
from tashika.core.settings import packaged
from tests.conftest import Ran

Run = Callable[..., Ran]


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_command_teaches_what_it_does(tashika: Run, command: str) -> None:
    code, out, err = tashika(*command.split(), "--help")
    assert code == 0, err
    assert f"tashika {command}".strip() in out
    assert "install-completion" not in out or not command


ALL_HELP = """
import io, sys
from contextlib import redirect_stdout
from tashika.core import cli
from tashika.core.suites.discovery import all_suites

lines = [[], *([name] for name in cli.COMMANDS), ["annotate", "push"], ["annotate", "serve"], ["serve", "llm"]]
lines += [[room, suite] for room in ("build", "evaluate") for suite in all_suites()]
for words in lines:
    sys.argv = ["tashika", *words, "--help"]
    with redirect_stdout(io.StringIO()):
        try:
            cli.main()
        except SystemExit as end:
            assert end.code == 0, words
print(*sorted({"torch", "numpy", "pyarrow", "markdown_it", "matplotlib", "httpx"} & set(sys.modules)))
"""


def test_help_loads_no_heavy_library() -> None:
    done = subprocess.run([sys.executable, "-c", ALL_HELP], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout == "\n"


def test_help_looks_as_typer_shows_it(tashika: Run) -> None:
    """What is left out of typer's imports is nothing that a help page shows."""
    quick = "import sys; sys.argv = ['tashika', 'export', '--help']; from tashika.core.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", quick], capture_output=True, text=True, check=True)
    whole = quick.replace("import sys;", "import sys, typer.rich_utils;")
    assert (
        done.stdout == subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, check=True).stdout
    )
    still = (
        "from tashika.core.help_pages import import_help as h; h(); "
        "import rich.markdown as m; print(m.Markdown('x').parsed)"
    )
    assert "Token" in subprocess.run([sys.executable, "-c", still], capture_output=True, text=True, check=True).stdout


def test_the_documents_say_what_the_code_says() -> None:
    from tashika.core.reference import DOCUMENTS

    for name, text in DOCUMENTS.items():
        written = (Path(__file__).parents[2] / "docs" / name).read_text(encoding="utf-8")
        assert written == text(), f"docs/{name}: run `make docs`"


def test_the_version(tashika: Run) -> None:
    code, out, _ = tashika("--version")
    assert code == 0
    assert out.startswith("tashika 0.")


def test_an_unknown_command_is_the_users_mistake(tashika: Run) -> None:
    code, _, err = tashika("bild")
    assert code == 2
    assert "No such command 'bild'" in err


def test_an_unknown_suite_names_those_that_there_are(tashika: Run, tmp_path: Path) -> None:
    code, _, err = tashika("export", "myriadlamma", "--work", tmp_path)
    assert code == 2
    assert "myriadlama" in err


def test_a_full_disk_is_told_without_a_traceback(tashika: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    code, _, err = tashika("build", "myriadlama", "--work", tmp_path, "--facts-only", "--limit", "1")
    assert code == 1
    assert "No space left on device" in err
    assert "What was finished before is kept" in err
    assert "Traceback" not in err
    assert not [path for path in tmp_path.rglob("*") if path.suffix in {".part", ".parquet"} and path.is_file()]


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted; run the same command to continue"),
        (SystemExit(143), 143, "ended by SIGTERM; run the same command to continue"),
    ],
)
def test_who_ends_a_command_early_learns_how_to_continue(
    tashika: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int, said: str
) -> None:
    def ended(_descriptor: int) -> NoReturn:
        raise raised

    monkeypatch.setattr(os, "fsync", ended)
    ran = tashika("build", "myriadlama", "--work", tmp_path, "--facts-only", "--limit", "1")
    assert ran.code == code
    assert ran.err.count(said) == 1
    monkeypatch.setenv("_TASHIKA_CALLED", "1")  # the demo says it
    assert said not in tashika("build", "myriadlama", "--work", tmp_path, "--facts-only", "--limit", "1").err


def test_status_shows_what_was_done(tashika: Run, tmp_path: Path) -> None:
    _, out, _ = tashika("status", "--work", tmp_path)
    assert "Nothing has been done" in out
    tashika("build", "myriadlama", "--work", tmp_path, "--facts-only", "--limit", "1")
    _, out, _ = tashika("status", "myriadlama", "--work", tmp_path)
    assert "build-facts" in out


def test_options_can_come_from_the_environment(tashika: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TASHIKA_WORK", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("TASHIKA_BUILD_MYRIADLAMA_LIMIT", "1")
    code, _, err = tashika("build", "myriadlama", "--facts-only")
    assert code == 0
    assert "read 41," in err
    assert (tmp_path / "elsewhere" / "myriadlama" / "items" / "fact.parquet").exists()


@pytest.mark.parametrize(
    "command",
    [
        "build kuci",
        "annotate push kuci",
        "annotate status kuci",
        "annotate pull kuci",
        "annotate vote kuci",
        "annotate simulate kuci",
        "export kuci",
        "evaluate kuci",
    ],
)
def test_another_suites_settings_are_refused(tashika: Run, tmp_path: Path, command: str) -> None:
    settings = packaged("proverbs-demo.toml")
    code, _, err = tashika(*command.split(), "--work", tmp_path, "--config", settings)
    assert code == 2
    assert f"error: {settings}: found suite = 'proverbs', expected settings of kuci" in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["annotate status", "annotate vote", "export", "evaluate"])
def test_a_config_is_given_once(tashika: Run, tmp_path: Path, command: str) -> None:
    """The settings of the build are read by each later command, as what they have of its section shows."""
    work, config = tmp_path / "work", tmp_path / "own.toml"
    build = "[build]\npairs_per_topic = 1\n[build.variants]\nuse = ['written']\ninstruction = ''\n"
    config.write_text(build)
    code, _, err = tashika("build", "proverbs", "--work", work, "--config", config)
    assert code == 0, err
    config.write_text(f"{build}[annotate]\nodd = 1\n[export]\nodd = 1\n[evaluate]\nodd = 1\n")
    more = ["--model", "any"] if command == "evaluate" else []
    code, _, err = tashika(*command.split(), "proverbs", "--work", work, *more)
    assert code == 2
    assert f"settings: {config}, as in the build (--config)" in err
    assert f"error: {config} [{command.split(maxsplit=1)[0]}]: " in err
    published = packaged("proverbs.toml")
    _, _, err = tashika(*command.split(), "proverbs", "--work", work, "--config", published, *more)
    assert str(config) not in err


@pytest.mark.usefixtures("threads_unset")
def test_threads_wait_asleep_before_anything_brings_torch(
    tashika: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenMP's runtime reads the variable when it is loaded: too late once torch is there."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys, tashika.core.cli; print('torch' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"
    tashika("status", "--work", tmp_path)
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    tashika("status", "--work", tmp_path)
    assert os.environ["OMP_WAIT_POLICY"] == "ACTIVE"


@pytest.mark.parametrize(
    "words",
    [
        ("--config", "paper", "--config", "own.toml"),
        ("--config=paper", "--config=own.toml"),
        ("--config", "paper", "--config=own.toml"),
    ],
)
@pytest.mark.parametrize(
    "command", ["build myriadlama", "annotate push kuci", "export kuci", "evaluate tempripple --model smollm2"]
)
def test_a_second_settings_file_is_refused(tashika: Run, tmp_path: Path, command: str, words: tuple[str, ...]) -> None:
    code, _, err = tashika(*command.split(), "--work", tmp_path, *words)
    assert code == 2
    assert "found --config 2 times (paper, own.toml); expected one settings file" in err
    assert not list(tmp_path.iterdir())


def test_a_settings_file_may_be_called_like_the_option(tashika: Run, tmp_path: Path) -> None:
    code, _, err = tashika("build", "kuci", "--work", tmp_path, "--config", "--config.toml")
    assert code == 2
    assert "2 times" not in err
