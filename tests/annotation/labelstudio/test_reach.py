"""What the server binds to, and what it needs so that people elsewhere come in safely."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tashika.annotation.labelstudio import server
from tashika.annotation.labelstudio.account import find_address, local_data, read_account
from tashika.annotation.labelstudio.reach import THIS_MACHINE, Reach, checked_reach, is_on_this_machine
from tashika.core.errors import InputError
from tests.annotation.labelstudio.conftest import Started

PUBLIC = "https://label.example.org:8443"


def test_by_default_it_is_this_machine_alone() -> None:
    assert checked_reach("127.0.0.1", None, without_tls=False) == THIS_MACHINE
    assert checked_reach("localhost", "", without_tls=False) == THIS_MACHINE
    assert THIS_MACHINE.variables() == {}
    assert not THIS_MACHINE.leaves_the_machine


@pytest.mark.parametrize(("host", "url"), [("0.0.0.0", None), ("192.0.2.7", None), ("127.0.0.1", "http://192.0.2.7")])
def test_nobody_comes_from_elsewhere_without_tls_unless_that_is_said(host: str, url: str | None) -> None:
    with pytest.raises(InputError, match=r"without TLS(?s:.*)ssh tunnel(?s:.*)--public-url(?s:.*)--without-tls"):
        checked_reach(host, url, without_tls=False)
    assert checked_reach(host, url, without_tls=True).leaves_the_machine


@pytest.mark.parametrize(
    ("host", "url", "words"),
    [
        ("label.example.org", None, "IPv4 address"),
        ("::1", None, "IPv4 address"),
        ("127.0.0.1", "label.example.org", "no address of a server"),
        ("127.0.0.1", "https://label.example.org/studio", "without a path"),
        ("127.0.0.1", "https://me:secret@label.example.org", "no address of a server"),
    ],
)
def test_what_is_no_address_is_refused(host: str, url: str | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        checked_reach(host, url, without_tls=True)


def test_behind_tls_forms_are_trusted_and_cookies_are_for_tls_alone() -> None:
    reach = checked_reach("192.0.2.7", f"{PUBLIC}/", without_tls=False)
    assert reach == Reach("192.0.2.7", PUBLIC)
    assert reach.variables() == {
        "LABEL_STUDIO_HOST": PUBLIC,
        "LABEL_STUDIO_ALLOWED_HOSTS": "label.example.org,127.0.0.1,localhost,192.0.2.7",
        "LABEL_STUDIO_CSRF_TRUSTED_ORIGINS": PUBLIC,
        "LABEL_STUDIO_SESSION_COOKIE_SECURE": "1",
        "LABEL_STUDIO_CSRF_COOKIE_SECURE": "1",
    }
    plain = checked_reach("0.0.0.0", "http://192.0.2.7:8080", without_tls=True)
    assert not any("SECURE" in name for name in plain.variables())
    assert plain.local_host == "127.0.0.1"


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:8080", True),
        ("http://localhost:8080", True),
        ("http://[::1]:8080", True),
        (PUBLIC, False),
        ("http://192.0.2.7", False),
    ],
)
def test_a_link_that_only_works_here_is_known(url: str, here: bool) -> None:
    assert is_on_this_machine(url) == here


def test_serving_keeps_both_addresses_and_says_who_reaches_it(
    tmp_path: Path, started: list[Started], capsys: pytest.CaptureFixture[str]
) -> None:
    data = local_data(tmp_path)
    server.serve(data, None, checked_reach("127.0.0.1", PUBLIC, without_tls=False))
    account = read_account(data)
    assert account is not None
    assert f"people open {PUBLIC}; a proxy there must pass on to {account.url}" in capsys.readouterr().err
    assert started[0].environment["LABEL_STUDIO_HOST"] == PUBLIC
    address = find_address(tmp_path, None, None)
    assert (address.url, address.shown) == (account.url, PUBLIC)
    assert find_address(tmp_path, PUBLIC, None).token == account.token
    server.serve(data, None)
    assert f"at the last start people reached it at {PUBLIC}" in capsys.readouterr().err
    assert started[1].environment["LABEL_STUDIO_HOST"] == account.url
    server.serve(data, None, checked_reach("0.0.0.0", None, without_tls=True))
    assert "WARNING: there is no TLS" in capsys.readouterr().err
    assert started[2].command[4] == "0.0.0.0"
    assert find_address(tmp_path, None, None).shown == account.url


def test_the_variables_of_postgresql_pass_through_and_are_said(
    tmp_path: Path, started: list[Started], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DJANGO_DB", "default")
    monkeypatch.setenv("POSTGRE_NAME", "votes")
    monkeypatch.setenv("POSTGRE_PASSWORD", "5ecret")
    server.serve(tmp_path, None)
    assert started[0].environment["POSTGRE_PASSWORD"] == "5ecret"
    said = capsys.readouterr().err
    assert "data: the PostgreSQL database votes on localhost:5432" in said
    assert "5ecret" not in said
    monkeypatch.setenv("LABEL_STUDIO_DJANGO_DB", "sqlite")
    assert not server.database(os.environ)
