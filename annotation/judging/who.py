"""Who is who: the pseudonyms of judgments beside accounts and invited names, and who did how much.

It is shown to whoever holds the working directory, and goes into no verdict, summary or release.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.box import SIMPLE
from rich.table import Table

from tashika.annotation.judging.accounts import joined_accounts
from tashika.annotation.judging.judgments import WITHDRAWN, read_judgments, shards
from tashika.annotation.judging.questionnaires import part_of
from tashika.annotation.judging.roster import Roster
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.account import ADMIN, write_private_text
from tashika.annotation.spreadsheets import ENCODING, no_formula
from tashika.core.counts import counted
from tashika.core.records import JUDGMENT
from tashika.core.workspace import Workspace

_FIELDS = ("suite", "name", "email", "annotator", "answers", "skipped", "refused", "seconds", "first", "last")


@dataclass(frozen=True)
class Work:
    """What a person did in a suite, as far as it was pulled.

    Attributes:
        annotator: The pseudonym; empty for who was invited and has no account yet.
        email: Of the account, or of the invitation; empty where the account is not known.
        name: As invited; empty for others.
        items: The items whose last sound statement is an answer, by kind and id: those that `vote` counts.
        skipped: The items whose last sound statement is a skip.
        refused: Items whose last answer is no judgment; one that was deleted on the server does not count.
        seconds: What Label Studio measured, of all answers.
        first: When the first answer was given; None where there is none.
        last: Likewise the last.
    """

    annotator: str
    email: str
    name: str = ""
    items: frozenset[tuple[str, str]] = frozenset()
    skipped: int = 0
    refused: int = 0
    seconds: float = 0.0
    first: datetime | None = None
    last: datetime | None = None

    @property
    def shown(self) -> str:
        """What to call the person."""
        return self.name or self.email or self.annotator


def who_did_what(workspace: Workspace, roster: Roster) -> list[Work]:
    """What each person did, those who answered first; simulated annotators are no persons and are left out.

    Args:
        workspace: Its judgments and its salt.
        roster: Names and accounts.
    """
    judgments = read_judgments(workspace) if shards(workspace) else JUDGMENT.empty_table()
    emails = {
        person.name: users[number]
        for server, users in roster.accounts.items()
        for number, person in joined_accounts(users, server, workspace.annotation).items()
        if not person.simulated
    }
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in _of_people(judgments).to_pylist():
        rows.setdefault(row["annotator"], []).append(row)
    invited = {person.email: person.name for person in roster.invited}
    answered = {emails[annotator] for annotator in rows if annotator in emails}
    # An address without answers is shown once, with the account that was seen last: a restored server has others.
    idle = {email: annotator for annotator, email in emails.items() if email != ADMIN and email not in answered}
    work = []
    for annotator in {**dict.fromkeys(sorted(rows)), **dict.fromkeys(sorted(emails, key=emails.__getitem__))}:
        email = emails.get(annotator, "")
        if annotator in rows or idle.get(email) == annotator:
            work.append(_work(annotator, email, invited.get(email.lower(), ""), rows.get(annotator, [])))
    here = {email.lower() for email in emails.values()}
    work += [Work("", person.email, person.name) for person in roster.invited if person.email not in here]
    return sorted(work, key=lambda person: (-len(person.items), person.shown))


def _of_people(judgments: pa.Table) -> pa.Table:
    columns = ["item_id", "kind", "annotator", "seconds", "skipped", "created_at", "problem", "simulated"]
    table = judgments.select(columns)
    keep = [not simulated for simulated in table["simulated"].to_pylist()]
    return table.filter(pa.array(keep, pa.bool_()))


def _work(annotator: str, email: str, name: str, rows: Sequence[Mapping[str, Any]]) -> Work:
    rows = sorted((row for row in rows if row["problem"] != WITHDRAWN), key=lambda row: row["created_at"])
    latest = {(row["kind"], row["item_id"]): row for row in rows}
    sound = {(row["kind"], row["item_id"]): row for row in rows if not row["problem"]}
    times = [row["created_at"] for row in rows]
    return Work(
        annotator=annotator,
        email=email,
        name=name,
        items=frozenset(item for item, row in sound.items() if not row["skipped"]),
        skipped=sum(bool(row["skipped"]) for row in sound.values()),
        refused=sum(bool(row["problem"]) and not row["skipped"] for row in latest.values()),
        seconds=sum(row["seconds"] or 0.0 for row in latest.values()),
        first=min(times, default=None),
        last=max(times, default=None),
    )


def who_table(suite: str, work: Iterable[Work], quota: int | None) -> Table:
    """The table of `tashika annotate people`."""
    table = Table(title=f"{suite}: who is who (as pulled)", box=SIMPLE, padding=0)
    for heading in ("name", "account"):
        table.add_column(heading, overflow="fold")
    table.add_column("annotator", no_wrap=True)
    for heading in ("answers", *(["left"] if quota else []), "skipped", "last answer"):
        table.add_column(heading, justify="right", no_wrap=True)
    for person in work:
        left = [f"{max(quota - len(person.items), 0):,}"] if quota else []
        last = person.last.strftime("%Y-%m-%d") if person.last else "–"
        account = person.email or "account unknown"
        counts = (f"{len(person.items):,}", *left, f"{person.skipped:,}", last)
        table.add_row(person.name or "–", account, person.annotator or "no account yet", *counts)
    return table


def quota_lines(work: Iterable[Work], quota: int | None, *, pseudonyms: bool) -> list[str]:
    """Who has judged as many items as a person shall.

    Args:
        work: What people did.
        quota: Items a person; None for no limit.
        pseudonyms: Whether people are called by these, as wherever others may look.
    """
    done = [
        (person.annotator if pseudonyms else person.shown) for person in work if quota and len(person.items) >= quota
    ]
    if not done:
        return []
    ask = "ask them to stop, since Label Studio continues to offer items"
    return [f"the quota of {counted(quota or 0, 'item')} is reached by {', '.join(done)}; {ask}"]


def part_lines(work: Iterable[Work], roster: Roster, suite: str, pages: Sequence[Page]) -> list[str]:
    """Which parts are whose, which are nobody's, and who answered in a part of somebody else.

    Args:
        work: What people did.
        roster: Who was given which parts.
        suite: The suite's name.
        pages: Its kinds.
    """
    lines = []
    dealt = {page.kind: page.dealt_over for page in pages if page.dealt_over > 1}
    assigned = {invited.name: set(invited.parts[suite]) for invited in roster.invited if invited.parts.get(suite)}
    if not dealt or not assigned:
        return []
    for person in work:
        done = Counter((kind, part_of(item, dealt[kind])) for kind, item in person.items if kind in dealt)
        strange = {part: count for part, count in done.items() if part[1] not in assigned.get(person.name, {part[1]})}
        for (kind, part), count in sorted(strange.items()):
            lines.append(
                f"{person.shown} answered {counted(count, 'item')} of {kind}-{part}, which is not theirs; all count"
            )
    for kind, parts in dealt.items():
        nobody = [str(part) for part in range(1, parts + 1) if not any(part in theirs for theirs in assigned.values())]
        if nobody:
            lines.append(f"nobody was given {kind} part {', '.join(nobody)}")
    return lines


def write_csv(path: Path, work_by_suite: Mapping[str, Sequence[Work]]) -> None:
    """Writes who did how much, to pay and to thank; nobody else on the machine can read the file.

    Whoever signs up chooses an address, so it must be no formula.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_FIELDS)
    for suite, work in work_by_suite.items():
        for person in work:
            times = [time.isoformat(timespec="seconds") if time else "" for time in (person.first, person.last)]
            counts = (len(person.items), person.skipped, person.refused, round(person.seconds))
            names = map(no_formula, (suite, person.name, person.email, person.annotator))
            writer.writerow([*names, *counts, *times])
    write_private_text(path, text.getvalue(), ENCODING)
