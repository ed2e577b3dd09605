"""The people: `invite`, `people`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from tashika.annotation.commands.shared import TokenOption, UrlOption, load_pages
from tashika.annotation.labelstudio.account import Address, find_address
from tashika.core.errors import InputError, TashikaError
from tashika.core.options import WORK, ConfigOption, OptionalSuiteArgument, WorkOption
from tashika.core.progress import say
from tashika.core.suites.discovery import open_suite, suite_argument
from tashika.core.workspace import Workspace

if TYPE_CHECKING:
    from tashika.annotation.judging.letters import Invitation
    from tashika.annotation.judging.roster import Invited, Roster
    from tashika.annotation.judging.who import Work
    from tashika.annotation.labelling import Page
    from tashika.annotation.labelstudio.client import Server


def invite(  # noqa: PLR0913 - one argument an option
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            show_default=False,
            help="Whom to invite: a name, an e-mail address, or both as 'Anna Kern <anna@example.org>'.",
        ),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option("--suite", show_default=False, help="Whose projects the text names: a name or a suite file."),
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option("--parts", show_default=False, help="Which parts are theirs, such as 1,2; see `parts` of a kind."),
    ] = None,
    language: Annotated[Literal["en", "ja"], typer.Option("--language", help="The language of the text.")] = "en",
    contact: Annotated[
        str, typer.Option("--contact", show_default=False, help="Whom to ask, in the words of the text.")
    ] = "",
    work: WorkOption = WORK,
    config: ConfigOption = None,
    url: UrlOption = None,
    token: TokenOption = None,
) -> None:
    """Print the link with which a person makes an account, or for each NAME a text to send.

    Each annotator needs an account: votes are counted by account. The text says what to do, which projects are the
    person's, and the e-mail address to sign up with, by which `annotate people` recognises the account. People
    who are named without an address get one that serves as a login name alone.

    Whoever has an account can see and change everything on the server, so invite only people you trust, and pull often:
    each pull keeps a copy. Names and addresses lie in people.json in the working directory, which only you can read.
    """
    from tashika.annotation.labelstudio.client import Server

    address = find_address(work, url, token)
    if names:
        wish = _Wish(work, config, open_suite(suite).name if suite else None, language, contact)
        typer.echo(f"\n\n{'-' * 72}\n\n".join(_letters(address, names, wish, _parts(parts, wish.suite))))
    elif suite or parts:
        raise InputError("--suite and --parts go with the names of people", where="annotate invite")
    else:
        typer.echo(Server(address).invitation(address.shown))
    _warn_of_local_link(address)


@dataclass(frozen=True)
class _Wish:
    """What the texts shall say, whoever gets them."""

    work: Path
    config: Path | None
    suite: str | None
    language: Literal["en", "ja"]
    contact: str


def _letters(address: Address, names: list[str], wish: _Wish, parts: list[int]) -> list[str]:
    """Notes whom to expect, and writes what to send to each."""
    from tashika.annotation.judging.letters import write_letter
    from tashika.annotation.judging.lock import alone
    from tashika.annotation.judging.roster import invite as note_people
    from tashika.annotation.judging.roster import parse_person, read_roster, see_accounts, write_roster
    from tashika.annotation.labelstudio.client import Server

    server = Server(address)
    users = server.users()
    with alone(wish.work):
        roster = note_people(read_roster(wish.work), names, wish.suite, parts)
        roster = see_accounts(roster, server.identity(), users)
        write = _writer(server, address, wish)
        wanted = {parse_person(text)[0] for text in names}
        people = [person for person in roster.invited if person.name in wanted]
        with_account = {email.lower() for email in users.values()}
        letters = [
            write_letter(person, write(person), wish.language, has_account=person.email in with_account)
            for person in people
        ]
        write_roster(wish.work, roster)
    return letters


def _parts(text: str | None, suite: str | None) -> list[int]:
    if text is None:
        return []
    if suite is None:
        raise InputError("--parts needs --suite, whose parts they are", where="annotate invite")
    numbers = text.split(",")
    if not all(number.strip().isdecimal() and int(number) > 0 for number in numbers):
        raise InputError(f"expected numbers such as 1,2, found {text!r}", where="--parts")
    return sorted({int(number) for number in numbers})


def _writer(server: Server, address: Address, wish: _Wish) -> Callable[[Invited], Invitation]:
    """What makes a person's invitation; without a suite it names no projects."""
    from tashika.annotation.judging.letters import Invitation
    from tashika.annotation.judging.questionnaires import by_project

    base = Invitation(server.invitation(address.shown), f"{address.shown}/user/login", contact=wish.contact)
    suite = wish.suite
    if suite is None:
        return lambda _person: base
    settings, pages = load_pages(suite, wish.config, wish.work)
    places = {project.title: f"{address.shown}/projects/{project.project_id}/data" for project in server.projects()}
    pushed = [page for page in by_project(Workspace(wish.work, suite), pages) if page.title in places]
    if not pushed:
        hint = f"Run `tashika annotate push {suite_argument(suite)}` first, or leave --suite out."
        raise InputError(f"the server has no projects of {suite}", where=server.url, hint=hint)
    training = [(title, url) for title, url in places.items() if _is_training(title, pages)]
    most = max(page.dealt_over for page in pages)

    def invitation(person: Invited) -> Invitation:
        theirs = person.parts.get(suite, ())
        if max(theirs, default=0) > most:
            hint = "Set `parts` of a kind in the settings, push, then invite; or name the parts again."
            raise InputError(f"expected parts up to {most}, found {max(theirs)}", where="--parts", hint=hint)
        assigned = [page for page in pushed if not theirs or page.dealt_over == 1 or page.part in theirs]
        projects = [(page.title, places[page.title]) for page in assigned]
        of_suite = replace(base, training=training, quota=settings.quota, one_key=settings.one_key, note=settings.note)
        return replace(of_suite, projects=projects)

    return invitation


def _is_training(title: str, pages: list[Page]) -> bool:
    """Whether a project trains people for one of the pages, by the name that its page has in files."""
    matches = [page.for_project(title) for page in pages]
    return any(match is not None and match.name.endswith("-training") for match in matches)


def _warn_of_local_link(address: Address) -> None:
    """A link to this machine is of no use on another one."""
    from urllib.parse import urlsplit

    from tashika.annotation.labelstudio.reach import is_on_this_machine

    if is_on_this_machine(address.shown):
        port = urlsplit(address.shown).port or 80
        say(
            f"the link works on this machine alone; elsewhere it works while `ssh -N -L {port}:127.0.0.1:{port} "
            'THIS-MACHINE` runs there. For a team see "A server for the team" in docs/annotation.md'
        )


def people(
    suite: OptionalSuiteArgument = None,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    url: UrlOption = None,
    token: TokenOption = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", show_default=False, help="Write it to a file too, which only you can read.")
    ] = None,
    same: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--same",
            metavar="A B",
            show_default=False,
            help="Two annotators are one person, whose last answer counts, under the name of A. Each is given by "
            "pseudonym, e-mail address, or the name of the invitation.",
        ),
    ] = None,
    apart: Annotated[
        str | None,
        typer.Option(
            "--apart",
            metavar="ANNOTATOR",
            show_default=False,
            help="A pseudonym that was joined with another one is a person of its own.",
        ),
    ] = None,
) -> None:
    """Show which pseudonym is whose account, under which name people were invited, and who did how much.

    Answers are counted as pulled, an item once, without those of simulated annotators. Nothing of what is shown here
    is in a verdict, release or report. Without a server it shows the accounts that were seen before.
    To count the votes without somebody: `tashika annotate vote SUITE --leave-out ANNOTATOR`.

    A pseudonym belongs to an account of a server. Whoever comes back on another server, since one was lost, with the
    same e-mail address is the same annotator from the next pull on; with another address `--same` says so.
    """
    from tashika.annotation.judging.returning import join, part
    from tashika.annotation.judging.who import who_did_what, who_table, write_csv

    if same or apart:
        if not suite or (same and apart):
            raise InputError("--same and --apart go with a suite, one at a time", where="annotate people")
        workspace = Workspace(work, suite)
        if same:
            join(workspace, *same)
        elif apart:
            part(workspace, apart)
        return

    roster = _roster_of_today(work, url, token)
    suites = [suite] if suite else _suites(work)
    if not suites:
        raise InputError(
            "nobody has been asked anything here yet", where=str(work), hint="Run `tashika annotate push`."
        )
    work_by_suite = {name: who_did_what(Workspace(work, name), roster) for name in suites}
    console = Console()
    for name, done in work_by_suite.items():
        quota, lines = _quota_and_lines(name, done, roster, work, config) if suite else (None, [])
        console.print(who_table(name, done, quota))
        for line in lines:
            typer.echo(line)
    if csv:
        write_csv(csv, work_by_suite)
        say(f"{csv}, which only you can read, has names and e-mail addresses: keep it out of what you publish")


def _roster_of_today(work: Path, url: str | None, token: str | None) -> Roster:
    """What is known of people, with the server's accounts of today if it answers."""
    from tashika.annotation.judging.lock import alone
    from tashika.annotation.judging.roster import read_roster, see_accounts, write_roster
    from tashika.annotation.labelstudio.client import Server

    try:
        server = Server(find_address(work, url, token))
        identity, users = server.identity(), server.users()
    except TashikaError as error:
        say(f"the server's accounts of today are missing: {error}")
        return read_roster(work)
    with alone(work):
        roster = see_accounts(read_roster(work), identity, users)
        write_roster(work, roster)
    return roster


def _suites(work: Path) -> list[str]:
    """The suites of a working directory whose items were pushed or judged."""
    folders = sorted(work.iterdir()) if work.is_dir() else []
    return [folder.name for folder in folders if Workspace(work, folder.name).annotation.is_dir()]


def _quota_and_lines(
    suite: str, done: list[Work], roster: Roster, work: Path, config: Path | None
) -> tuple[int | None, list[str]]:
    from tashika.annotation.judging.who import part_lines, quota_lines

    settings, pages = load_pages(suite, config, work)
    lines = [
        *quota_lines(done, settings.quota, pseudonyms=False),
        *part_lines(done, roster, suite, pages),
    ]
    return settings.quota, lines
