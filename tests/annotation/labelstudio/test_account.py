"""Where the server is, who may read the token, and how the server is started."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from tashika.annotation.judging.people import Person, name_people, read_salt
from tashika.annotation.labelstudio import server
from tashika.annotation.labelstudio.account import (
    Address,
    account_file,
    find_address,
    keep_account,
    local_data,
    read_account,
)
from tashika.core.errors import InputError


def test_the_account_is_made_once_and_is_private(tmp_path: Path) -> None:
    data = local_data(tmp_path)
    first = keep_account(data, "http://127.0.0.1:1")
    second = keep_account(data, "http://127.0.0.1:2")
    assert (first.password, first.token) == (second.password, second.token)
    assert read_account(data) == second
    assert stat.S_IMODE((data / "account.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert len(first.token) == 40


def test_a_folder_that_others_can_open_is_closed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "label_studio.sqlite3").touch(mode=0o644)  # as an earlier version left it
    for _ in range(2):
        keep_account(tmp_path, "http://127.0.0.1:1")
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
    assert "".join(capsys.readouterr().err.split()).count("nowonlyyoucan") == 1


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path, mode: int) -> None:
        raise PermissionError(1, f"no {mode}", str(path))

    tmp_path.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", refused)
    with pytest.raises(InputError, match="other users can open this folder"):
        keep_account(tmp_path, "http://127.0.0.1:1")
    assert not (tmp_path / "account.json").exists()


def test_the_address_comes_from_options_or_from_the_account(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tashika annotate serve"):
        find_address(tmp_path, None, None)
    account = keep_account(local_data(tmp_path), "http://127.0.0.1:1")
    assert find_address(tmp_path, None, None) == Address("http://127.0.0.1:1", account.token)
    assert find_address(tmp_path, "http://127.0.0.1:1/", None).token == account.token
    assert find_address(tmp_path, "https://label.example.org/ls/", "t") == Address("https://label.example.org/ls", "t")


def test_the_local_token_goes_to_no_other_server(tmp_path: Path) -> None:
    keep_account(local_data(tmp_path), "http://127.0.0.1:1")
    with pytest.raises(InputError, match="no token for this server"):
        find_address(tmp_path, "https://label.example.org", None)


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://x", "http://", "http://user:pw@host"])
def test_an_address_that_is_none_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match="no address of a server"):
        find_address(tmp_path, url, "t")


def test_a_broken_account_is_told(tmp_path: Path) -> None:
    (tmp_path / "account.json").write_text('{"email": 1}')
    with pytest.raises(InputError, match="no account"):
        read_account(tmp_path)


def test_people_get_stable_pseudonyms_and_simulated_ones_their_names(tmp_path: Path) -> None:
    salt = read_salt(tmp_path)
    assert salt == read_salt(tmp_path)
    assert stat.S_IMODE((tmp_path / "salt.json").stat().st_mode) == 0o600
    users = {1: "ada@example.org", 2: "simulated-12@example.com", 3: "simulated-0@example.com"}
    named = name_people(users, "ls-1", salt)
    assert named == name_people(users, "ls-1", salt)
    assert named[2] == Person("simulated-12", True)
    assert not named[1].simulated
    assert not named[3].simulated
    assert len({person.name for person in named.values()}) == 3
    assert named[1] != name_people(users, "ls-2", salt)[1]
    assert named[1] != name_people(users, "ls-1", b"other")[1]


def test_the_program_is_found_or_make_setup_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="make setup"):
        server.find_program({"PATH": str(tmp_path)})
    with pytest.raises(InputError, match="no program"):
        server.find_program({"TASHIKA_LABEL_STUDIO_BIN": str(tmp_path / "none")})
    on_path, installed = tmp_path / "label-studio", tmp_path / server.SETUP_PLACE
    for program in (on_path, installed):
        program.parent.mkdir(parents=True, exist_ok=True)
        program.touch(mode=0o755)
        assert server.find_program({"PATH": str(tmp_path)}) == str(program)
    assert server.find_program({"TASHIKA_LABEL_STUDIO_BIN": str(on_path)}) == str(on_path)


def test_serving_becomes_the_server_with_its_secrets_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "label-studio"
    program.touch(mode=0o755)
    monkeypatch.setenv("TASHIKA_LABEL_STUDIO_BIN", str(program))
    became: list[tuple[str, list[str], dict[str, str]]] = []
    monkeypatch.setattr(os, "execve", lambda *call: became.append(call))
    server.serve(tmp_path / "data", None)
    server.serve(tmp_path / "data", None)
    account = read_account(tmp_path / "data")
    assert account is not None
    said = capsys.readouterr().err
    for path, command, environment in became:
        assert path == str(program)
        assert command[1:5] == ["start", "--no-browser", "--internal-host", "127.0.0.1"]
        assert environment["LABEL_STUDIO_USER_TOKEN"] == account.token
        assert environment["LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK"] == "true"
        for secret in (account.token, account.password):
            assert secret not in " ".join(command)
            assert secret not in said
    assert became[0][1] == became[1][1]  # the port of the last start
    assert account.url in said


@pytest.mark.usefixtures("threads_unset")
@pytest.mark.parametrize(("said", "expected"), [(None, "1"), ("4", "4")])
def test_the_server_has_one_thread_for_sums_unless_the_user_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str | None, expected: str
) -> None:
    program = tmp_path / "label-studio"
    program.touch(mode=0o755)
    monkeypatch.setenv("TASHIKA_LABEL_STUDIO_BIN", str(program))
    if said is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", said)
    became: list[dict[str, str]] = []
    monkeypatch.setattr(os, "execve", lambda _path, _command, environment: became.append(environment))
    server.serve(tmp_path / "data", None)
    assert became[0]["OPENBLAS_NUM_THREADS"] == expected
    assert (became[0]["MKL_NUM_THREADS"], became[0]["OMP_WAIT_POLICY"]) == ("1", "PASSIVE")


def test_a_port_that_is_taken_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TASHIKA_LABEL_STUDIO_BIN", "/bin/true")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} is taken"):
            server.serve(tmp_path / "data", port)
    assert read_account(tmp_path / "data") is None


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080x", "http://127.0.0.1:99999", "http://[::1", "http://:80"])
def test_an_address_with_a_damaged_port_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match="is no address of a server"):
        find_address(tmp_path, url, "a" * 40)


@pytest.mark.parametrize("token", ["a\nb", "two words", "schlüssel"])
def test_a_damaged_token_is_refused(tmp_path: Path, token: str) -> None:
    with pytest.raises(InputError, match="expected a key"):
        find_address(tmp_path, "http://127.0.0.1:8080", token)


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "3",
        '{"email": "a", "password": "b", "token": "c", "url": "http://127.0.0.1:abc"}',
        '{"email": "a", "password": "b", "token": "c", "url": "http://127.0.0.1:99999"}',
        '{"email": "a", "password": "b", "token": 3, "url": 5}',
    ],
)
def test_a_damaged_account_is_refused(tmp_path: Path, content: str) -> None:
    account_file(tmp_path).write_text(content)
    with pytest.raises(InputError, match="no account of a local Label Studio"):
        read_account(tmp_path)
