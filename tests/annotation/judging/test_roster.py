"""Who was invited under which name and address."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tashika.annotation.judging.letters import Invitation, write_letter
from tashika.annotation.judging.roster import (
    Invited,
    Roster,
    invite,
    parse_person,
    read_roster,
    roster_file,
    see_accounts,
    write_roster,
)
from tashika.core.errors import InputError

INVITATION = Invitation(
    link="https://label.example.org/user/signup/?token=t",
    login="https://label.example.org/user/login",
    projects=[("Tashika trivia question, part 1/2", "https://label.example.org/projects/7/data")],
    training=[("Tashika trivia question training", "https://label.example.org/projects/6/data")],
    quota=1_200,
    contact="Mia",
)


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Anna Kern <Anna@Example.org>", ("Anna Kern", "anna@example.org")),
        ("anna@example.org", ("anna@example.org", "anna@example.org")),
        ("  Ben  Li ", ("Ben Li", "")),
        ("花子", ("花子", "")),
    ],
)
def test_a_person_is_a_name_an_address_or_both(text: str, person: tuple[str, str]) -> None:
    assert parse_person(text) == person


@pytest.mark.parametrize(
    "text", ["", "  ", "@", "Anna <anna@>", "anna@example", "a\x1bb", "Anna <a b@example.org>", "Anna <anna>"]
)
def test_what_is_no_person_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected a person"):
        parse_person(text)


def test_who_has_no_address_gets_one_that_receives_no_mail() -> None:
    roster = invite(Roster(), ["Ben Li", "BEN-LI!", "花子", "太郎", "Zoë <zoe@example.org>"])
    addresses = [person.email for person in roster.invited]
    assert addresses == [
        "ben-li@annotate.invalid",
        "ben-li-2@annotate.invalid",
        "person@annotate.invalid",
        "person-2@annotate.invalid",
        "zoe@example.org",
    ]
    assert [person.gets_mail for person in roster.invited] == [False, False, False, False, True]


def test_who_is_invited_again_keeps_what_is_not_said_anew() -> None:
    first = invite(Roster(), ["Ben", "Anna <anna@example.org>"], "trivia", [1, 2])
    again = invite(first, ["Ben <ben@example.org>"])
    assert again.invited[0] == Invited("Ben", "ben@example.org", {"trivia": [1, 2]})
    assert invite(again, ["Ben"], "trivia", [3]).invited[0] == Invited("Ben", "ben@example.org", {"trivia": [3]})
    assert invite(again, ["Ben"], "riddles", [1]).invited[0].parts == {"trivia": [1, 2], "riddles": [1]}
    with pytest.raises(InputError, match=r"anna@example\.org belongs to Anna"):
        invite(first, ["Ben <ANNA@example.org>"])


def test_the_file_is_private_and_says_what_was_put_in(tmp_path: Path) -> None:
    assert read_roster(tmp_path) == Roster()
    roster = see_accounts(invite(Roster(), ["花子"], "trivia", [1]), "ls-1", {4: "person@annotate.invalid"})
    roster = see_accounts(roster, "ls-1", {5: "ben@example.org"})
    write_roster(tmp_path, roster)
    assert read_roster(tmp_path) == roster
    assert roster.accounts == {"ls-1": {4: "person@annotate.invalid", 5: "ben@example.org"}}
    assert stat.S_IMODE(roster_file(tmp_path).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content", ["[]", '{"invited": [{"who": 1}], "accounts": {}}', '{"invited": [], "accounts": 1}']
)
def test_a_broken_file_is_named(tmp_path: Path, content: str) -> None:
    roster_file(tmp_path).write_text(content)
    with pytest.raises(InputError, match=r"people\.json"):
        read_roster(tmp_path)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_text_has_what_a_person_needs(language: str) -> None:
    person = invite(Roster(), ["花子"]).invited[0]
    text = write_letter(person, INVITATION, "ja" if language == "ja" else "en", has_account=False)
    needed = (person.name, person.email, INVITATION.link, INVITATION.login, "Mia", "1,200", "Ctrl+Enter", "Ctrl+Space")
    for each in (*needed, *INVITATION.projects[0], *INVITATION.training[0]):
        assert each in text
    known = write_letter(person, INVITATION, "ja" if language == "ja" else "en", has_account=True)
    assert "N " in text
    assert "←" in text
    assert "N " not in write_letter(
        person, replace(INVITATION, note=False), "ja" if language == "ja" else "en", has_account=True
    )
    assert INVITATION.link not in known
    assert INVITATION.login in known
    assert person.email in known
