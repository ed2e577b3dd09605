"""Accounts for simulated annotators, made as a person would make one: through the invitation link."""

from __future__ import annotations

import hmac

import httpx

from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.client import http_client, refused, speaking_to
from tashika.core.addresses import is_loopback
from tashika.core.errors import InputError


def password_for(email: str, token: str) -> str:
    """A simulated account's password: known to whoever holds the token, and kept nowhere."""
    return hmac.digest(token.encode(), f"tashika {email}".encode(), "sha256").hex()


def open_account(address: Address, invitation: str, email: str, *, exists: bool) -> str:
    """Makes an account, or logs into it, and returns the token of its own.

    Args:
        address: The server, and the token of whoever simulates.
        invitation: The link that lets people sign up.
        email: The account's name.
        exists: Whether the server has it already.

    Raises:
        InputError: The account cannot be opened.
        OutsideError: The server failed.
    """
    form = {"email": email, "password": password_for(email, address.token)}
    with speaking_to(address.url), http_client(address.url) as session:
        page = f"{address.url}/user/login/" if exists else invitation
        answer = _submit(session, page, form)
        if answer.status_code != 302:
            hint = f"Delete the account {email} on the server, or use the token that it was made with."
            raise InputError(f"the account {email} could not be opened", where=address.url, hint=hint)
        return _own_token(session, address.url)


def _submit(session: httpx.Client, page: str, form: dict[str, str]) -> httpx.Response:
    shown = session.get(page)
    if shown.status_code != 200 or "csrftoken" not in session.cookies:
        raise refused(shown, page.partition("?")[0])
    _keep_cookies_on_loopback(session, page)
    fields = {**form, "csrfmiddlewaretoken": session.cookies["csrftoken"], "allow_newsletters": "false"}
    answer = session.post(page, data=fields, headers={"Referer": page})
    if answer.status_code >= 400:
        raise refused(answer, page.partition("?")[0])
    _keep_cookies_on_loopback(session, page)
    return answer


def _keep_cookies_on_loopback(session: httpx.Client, page: str) -> None:
    """A server behind TLS gives cookies for TLS alone; here, on its own machine, they cross no network."""
    if is_loopback(page):
        for cookie in session.cookies.jar:
            cookie.secure = False


def _own_token(session: httpx.Client, url: str) -> str:
    answer = session.get(f"{url}/api/current-user/token")
    if answer.status_code != 200:
        hint = "Simulated annotators need legacy API tokens; allow them in the organization's settings."
        raise InputError("the server gives out no token for the account", where=url, hint=hint)
    return str(answer.json()["token"])
