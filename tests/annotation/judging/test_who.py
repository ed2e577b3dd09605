"""Who is who, on one server and on another one in its place."""

from __future__ import annotations

from types import ModuleType

from tashika.annotation.judging.accounts import Restored, write_restored
from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.judging.people import name_people, read_salt
from tashika.annotation.judging.roster import Roster, see_accounts
from tashika.annotation.judging.who import who_did_what
from tashika.core.workspace import Workspace

OLD = {1: "admin@example.com", 4: "ada@example.org", 5: "ben@example.org", 6: "cy@example.org"}
NEW = {1: "admin@example.com", 2: "ada@example.org", 3: "ben@example.org"}


def test_whoever_has_answered_nothing_is_shown_once_though_the_server_was_restored(
    workspace: Workspace, samples: ModuleType
) -> None:
    """The restore knew ada by another suite of the directory, so nothing is noted of anybody in this one but ben."""
    names = {
        number: person.name for number, person in name_people(OLD, "ls-old", read_salt(workspace.annotation)).items()
    }
    append_judgments(workspace, [samples.judgment("i", names[5], server="ls-old")])
    write_restored(workspace.annotation, "ls-new", Restored({3: names[5]}))
    # The old server is looked at once more, before the new one.
    roster = see_accounts(see_accounts(see_accounts(Roster(), "ls-new", NEW), "ls-old", OLD), "ls-new", NEW)
    shown = [(work.email, work.annotator, len(work.items)) for work in who_did_what(workspace, roster)]
    now = {
        number: person.name for number, person in name_people(NEW, "ls-new", read_salt(workspace.annotation)).items()
    }
    assert shown == [
        ("ben@example.org", names[5], 1), ("ada@example.org", now[2], 0), ("cy@example.org", names[6], 0)
    ]  # fmt: skip
