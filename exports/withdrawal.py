"""Withdrawing a published release: its tag goes, and the card says so; the files on the main branch stay.

A reason is asked for, since whoever has used the release will look for one. The notice stands above the block that an
export writes, so later versions keep it; and a tag that was withdrawn is not published again. Interrupted, the next run
completes it: the card is first, the tag second.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from tashika.core.audit import record
from tashika.core.errors import InputError
from tashika.core.progress import say
from tashika.core.workspace import Workspace
from tashika.exports.card import CARD_FILE
from tashika.exports.checks import RECORD_FILE
from tashika.exports.hub import DatasetRepo, Remote

_BEGIN: Final = "<!-- tashika:withdrawn - versions that must not be used any more; publishing keeps these lines -->"
_END: Final = "<!-- tashika:withdrawn-end -->"
_BLOCK: Final = re.compile(rf"{re.escape(_BEGIN)}\n(?P<lines>.*?){re.escape(_END)}\n*", re.DOTALL)
_LINE: Final = re.compile(r"> - `(?P<tag>[^`]+)`, withdrawn on ")
_FRONT: Final = re.compile(r"\A(?:\ufeff)?---\r?\n.*?\r?\n---\r?\n", re.DOTALL)
_LONGEST_REASON: Final = 500


def withdrawn_tags(card: str | None) -> list[str]:
    """The tags that a card says were withdrawn."""
    block = _BLOCK.search(card or "")
    return [match["tag"] for match in _LINE.finditer(block["lines"])] if block else []


def with_notice(card: str, tag: str, reason: str, day: str) -> str:
    """A card that says that a tag was withdrawn, above everything but its front matter.

    Args:
        card: As it is.
        tag: What is withdrawn.
        reason: Why; it is shown as it is, whatever Markdown or HTML is in it.
        day: When, such as 2026-01-31.
    """
    block = _BLOCK.search(card)
    line = f"> - `{tag}`, withdrawn on {day}: {_plain(reason)}\n"
    if block:
        return card[: block.end("lines")] + line + card[block.end("lines") :]
    front = _FRONT.match(card)
    place = front.end() if front else 0
    head = "> **Withdrawn.** Please do not use these versions any more:\n>\n"
    return f"{card[:place]}\n{_BEGIN}\n{head}{line}{_END}\n\n{card[place:].lstrip(chr(10))}"


def _plain(reason: str) -> str:
    """A reason in one line, in which nothing is markup."""
    text = html.escape(" ".join(reason.split()), quote=False)
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", text)


def refuse_withdrawn(repo: DatasetRepo, remote: Remote, tag: str) -> None:
    """Refuses to publish under a tag that was withdrawn.

    Raises:
        InputError: It was.
    """
    card = repo.read_text(CARD_FILE, remote.head) if CARD_FILE in remote.files else None
    if tag in withdrawn_tags(card):
        hint = "Set a higher version in [export] and export again."
        raise InputError(f"the tag {tag} was withdrawn, as the card says", where=repo.url, hint=hint)


def withdraw_release(workspace: Workspace, name: str, tag: str, reason: str, *, dry: bool = False) -> bool:
    """Withdraws a tag: the card of the main branch says so, then the tag is deleted.

    Args:
        workspace: Whose log has a line on it.
        name: The repository, ORG/NAME; at HF_ENDPOINT, with HF_TOKEN.
        tag: The tag.
        reason: Why, for whoever has used the release.
        dry: Only say what would be done.

    Returns:
        Whether there was anything to do.

    Raises:
        InputError: There is no such repository or tag, or no reason.
        OutsideError: The Hub failed.
    """
    if not reason.strip() or len(reason) > _LONGEST_REASON:
        hint = f"Whoever has used it reads this on the card; {_LONGEST_REASON} characters at most."
        raise InputError("a withdrawal needs a reason", where="--reason", hint=hint)
    repo = DatasetRepo(name)
    remote = repo.look()
    if remote is None:
        raise InputError("there is no such repository, or none for this token", where=repo.url)
    card = (repo.read_text(CARD_FILE, remote.head) if CARD_FILE in remote.files else None) or ""
    said = tag in withdrawn_tags(card)
    if tag not in remote.tags:
        if said:
            say(f"nothing to do: {tag} was withdrawn before, as the card at {repo.url} says")
            return False
        raise InputError(f"there is no tag {tag}", where=repo.url, hint=f"Tags: {', '.join(remote.tags) or 'none'}.")
    commit = remote.tags[tag]
    for line in _announcement(repo, tag, commit, said=said):
        say(f"would {line}" if dry else line)
    if not dry:
        if not said:
            text = with_notice(card, tag, reason, f"{datetime.now(UTC):%Y-%m-%d}").encode()
            repo.commit({CARD_FILE: text}, [], message=f"Withdraw {tag}", parent=remote.head)
        repo.untag(tag)
        record(workspace.base, "publish-withdraw", facts={"repo": repo.name, "tag": tag, "commit": commit})
        say(f"withdrew {tag} at {repo.url}")
    for line in _what_stays(repo, remote, tag, commit):
        say(line)
    return True


def _announcement(repo: DatasetRepo, tag: str, commit: str, *, said: bool) -> Sequence[str]:
    lines = [] if said else [f"write the withdrawal and its reason into the card on the main branch of {repo.url}"]
    return [*lines, f"delete the tag {tag} (commit {commit[:12]})"]


def _what_stays(repo: DatasetRepo, remote: Remote, tag: str, commit: str) -> list[str]:
    """What a withdrawal does not take away, and what to do about it."""
    lines = []
    if RECORD_FILE in remote.files and repo.read_text(RECORD_FILE, remote.head) == repo.read_text(RECORD_FILE, commit):
        lines.append(
            f"the main branch still has the files of {tag}, which whoever names no version gets: publish another "
            f"version over them, or delete them at {repo.url}/tree/main"
        )
    lines.append(
        f"the commit {commit[:12]} stays in the history, for whoever knows it: to remove it squash the history in the "
        "repository's settings on the Hub, or delete the repository; copies that others made are theirs"
    )
    return lines
