"""The real server as it sees people who come through a proxy with TLS: that passes their requests on in plain HTTP."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import httpx
import pytest

from tashika.annotation.labelstudio.account import Address, account_file, read_account, write_private_json
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.labelstudio.server import BIN_VARIABLE, SETUP_PLACE
from tashika.annotation.labelstudio.signup import open_account
from tashika.core.services import free_port, running
from tests.studio import ROOT, Studio

PUBLIC = "https://label.example.org"
AS_THE_PROXY = {"Host": "label.example.org", "Origin": PUBLIC}


@pytest.fixture(scope="module")
def behind_tls(studio: Studio, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """A server with an address for people; it begins with a copy of the other's data, which saves time."""
    data, port = tmp_path_factory.mktemp("behind-tls") / "data", free_port()
    shutil.copytree(studio.data, data)
    account = read_account(data)
    assert account is not None
    write_private_json(account_file(data), asdict(replace(account, url="")))
    options = ["--port", str(port), "--data", str(data), "--public-url", PUBLIC]
    command = [sys.executable, "-m", "tashika.core.cli", "annotate", "serve", *options]
    environment = {**os.environ, BIN_VARIABLE: os.environ.get(BIN_VARIABLE, str(ROOT / SETUP_PLACE))}
    url, log = f"http://127.0.0.1:{port}", data / "behind-tls.log"
    with running(command, name="Label Studio", health=f"{url}/health", log=log, environment=environment):
        yield Address(url, account.token, PUBLIC)


def sign_up(address: Address, email: str, headers: dict[str, str]) -> httpx.Response:
    """What a browser and a proxy make of the form: the cookies go back whatever they are for."""
    link = Server(address).invitation()
    with httpx.Client(trust_env=False) as anybody:
        shown = anybody.get(link, headers=headers)
        token = shown.cookies.get("csrftoken", "")
        form = {"email": email, "password": "a-long-password", "csrfmiddlewaretoken": token}
        cookies = {"Cookie": f"csrftoken={token}"}
        return anybody.post(link, data=form, headers={**headers, **cookies, "Referer": f"{PUBLIC}/user/signup/"})


def test_people_sign_up_through_the_proxy_and_get_cookies_for_tls_alone(behind_tls: Address) -> None:
    answer = sign_up(behind_tls, "tls@example.org", AS_THE_PROXY)
    assert answer.status_code == 302
    cookies = answer.headers.get_list("set-cookie")
    assert [cookie.partition("=")[0] for cookie in cookies if "Secure" in cookie] == ["csrftoken", "sessionid"]
    assert "tls@example.org" in Server(behind_tls).users().values()


def test_forms_of_other_pages_and_other_hosts_are_refused(behind_tls: Address) -> None:
    elsewhere = {**AS_THE_PROXY, "Origin": "https://evil.example"}
    assert sign_up(behind_tls, "evil@example.org", elsewhere).status_code == 403
    assert sign_up(behind_tls, "evil@example.org", {"Host": "evil.example", "Origin": PUBLIC}).status_code == 400
    assert "evil@example.org" not in Server(behind_tls).users().values()


def test_links_for_people_have_the_public_address_and_programs_come_by_the_local_one(behind_tls: Address) -> None:
    server = Server(behind_tls)
    assert server.invitation(behind_tls.shown).startswith(f"{PUBLIC}/user/signup/?token=")
    email = "simulated-77@example.com"
    token: Any = open_account(behind_tls, server.invitation(), email, exists=False)
    assert open_account(behind_tls, server.invitation(), email, exists=True) == token
