"""The server: `serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tashika.annotation.labelstudio.account import (
    PUBLIC_URL_VARIABLE,
    TOKEN_VARIABLE,
    URL_VARIABLE,
    account_file,
    local_data,
)
from tashika.core.options import WORK, WorkOption
from tashika.core.suites.discovery import all_suites
from tashika.core.workspace import Workspace


def serve(
    work: WorkOption = WORK,
    port: Annotated[
        int | None,
        typer.Option(
            min=1, max=65535, show_default=False, help="The port; by default the last one used, or a free one."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            show_default=False, help="Where its database lies; by default label-studio in the work directory."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The IPv4 address to listen on; 0.0.0.0 for all of this machine.")
    ] = "127.0.0.1",
    public_url: Annotated[
        str | None,
        typer.Option(
            envvar=PUBLIC_URL_VARIABLE,
            show_default=False,
            help="What people elsewhere open: the https:// address of a reverse proxy that passes on to this server.",
        ),
    ] = None,
    without_tls: Annotated[
        bool,
        typer.Option(
            "--without-tls", help="Let people come from other machines without TLS, on a network that you trust."
        ),
    ] = False,
) -> None:
    """Run a Label Studio of your own on this machine until Ctrl-C.

    It keeps its data in SQLite, listens to 127.0.0.1 alone, and lets nobody sign up without an invitation. The first
    start makes an administrator; password and token lie in account.json beside the data, and so does what Label
    Studio prints, in label-studio.log. The other commands find them there, so nothing needs to be set.

    For people elsewhere see "A server for the team" in docs/annotation.md: an ssh tunnel, a reverse proxy, PostgreSQL.
    """
    from tashika.annotation.labelstudio import server
    from tashika.annotation.labelstudio.reach import checked_reach

    reach = checked_reach(host, public_url, without_tls=without_tls)
    server.serve(data or local_data(work), port, reach, _next_step(work, data))


def _next_step(work: Path, data: Path | None) -> str:
    """What to do beside a server that is ready, in another terminal; with the suite if only one was built here."""
    if data is not None and data.absolute() != local_data(work).absolute():
        return (
            f"next, in another terminal: set {URL_VARIABLE} to this address and {TOKEN_VARIABLE} to the token in "
            f"{account_file(data)}, then `tashika annotate push SUITE`"
        )
    built = {path.parents[1].name for path in work.glob("*/items/*.parquet")}
    suite = built.pop() if len(built) == 1 and built <= all_suites().keys() else "SUITE"
    return f"next, in another terminal: `tashika annotate push {Workspace(work, suite).arguments}`"
