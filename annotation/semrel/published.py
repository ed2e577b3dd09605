"""The published response file as judgments: `tashika annotate import-responses`.

The file does not say who answered: the first list of one probe and the first of another may be by different people. So
their annotators are named after positions, and what holds of persons is not asked of them. Other content counts as
other people's: the names begin with a digest of the content (published-3f2a9c-1 and so on), whatever the file's name.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tashika.annotation.judging.columns import having
from tashika.annotation.judging.judgments import append_judgments, read_judgments, shards
from tashika.annotation.judging.lock import alone
from tashika.annotation.labelling import Page
from tashika.annotation.words.responses import FROM_FILE, is_position
from tashika.core.annotators import SIMULATED
from tashika.core.audit import record
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.progress import say
from tashika.core.suites.semrel.responses import (
    ProbeKey,
    PublishedResponse,
    ResponseFile,
    describe_dropped,
    read_response_file,
)
from tashika.core.workspace import Workspace

DIGITS: Final = 6
"""Of the digest that names a file."""


def import_responses(workspace: Workspace, page: Page, path: Path, *, simulated: bool) -> int:
    """Adds the answers of a published response file to the judgments, but for those that are there already.

    Args:
        workspace: Where the items lie, and the judgments.
        page: The kind that asks for words.
        path: The file.
        simulated: Whether its answers are a program's; then its annotators' names say so.

    Returns:
        The number of judgments that were added.

    Raises:
        MissingStageError: The items have not been built.
        InputError: The file is no file of responses, or has no probe that is among the items.
    """
    file = read_response_file(path)
    probes = probe_ids(workspace, page)
    responses = [response for response in file.responses if response.probe in probes]
    _say_counts(file, responses, path, workspace)
    digest = content_digest(path)
    with alone(workspace.annotation):
        known = stored(workspace, FROM_FILE + digest)
        rows = (
            row
            for response in responses
            for row in [_judgment(response, page.kind, probes[response.probe], digest, simulated=simulated)]
            if (row["annotation_id"], row["annotator"]) not in known
        )
        added = append_judgments(workspace, rows)
        record(workspace.base, "annotate-import-responses", {"judgments": added})
        shared = _with_other_files(workspace, {probes[response.probe] for response in responses})
    note = " (of simulated annotators)" if simulated else ""
    say(
        f"imported {counted(added, 'new judgment')}{note}, {counted(len(responses) - added, 'was', 'were')} here before"
    )
    if shared:
        say(
            f"  {counted(shared, 'of its probes has', 'of its probes have')} lists of two or more files now: "
            "other content is other people, all count"
        )
    return added


def content_digest(path: Path) -> str:
    """What names a file's people: it depends on what the JSON says, not on its blanks, order of keys, or name."""
    content = json.dumps(read_json(path), sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:DIGITS]


def probe_ids(workspace: Workspace, page: Page) -> dict[ProbeKey, str]:
    """The item of each probe, control questions left out."""
    columns = ["item_id", "target", "relation", "prompt", "known_answers"]
    rows = workspace.read_items(page.kind).select(columns).to_pylist()
    return {
        (row["target"], row["relation"], row["prompt"]): row["item_id"] for row in rows if row["known_answers"] is None
    }


def stored(workspace: Workspace, server: str) -> set[tuple[int, str]]:
    """What was imported from a file of this content before: annotations and annotators."""
    if not shards(workspace):
        return set()
    rows = having(read_judgments(workspace), "server", server)
    return {(row["annotation_id"], row["annotator"]) for row in rows.select(["annotation_id", "annotator"]).to_pylist()}


def _with_other_files(workspace: Workspace, item_ids: set[str]) -> int:
    """How many of these items have judgments of two files or more."""
    files: dict[str, set[str]] = {}
    for row in read_judgments(workspace).select(["item_id", "server"]).to_pylist():
        if is_position(row) and row["item_id"] in item_ids:
            files.setdefault(row["item_id"], set()).add(row["server"])
    return sum(len(servers) > 1 for servers in files.values())


def _say_counts(file: ResponseFile, responses: list[PublishedResponse], path: Path, workspace: Workspace) -> None:
    """Says what was left out of a file, and how many of its probes are items here.

    Raises:
        InputError: None of them is.
    """
    if file.dropped:
        say(f"left out of {path.name}: {describe_dropped(file.dropped)}")
    in_file = {response.probe for response in file.responses}
    here = {response.probe for response in responses}
    hint = f"`tashika build {workspace.suite} --responses {path}` makes items of a file's own probes."
    if not here:
        message = f"none of its {len(in_file):,} probes is among the items"
        raise InputError(message, where=str(path), hint=hint)
    lists, positions = f"{counted(len(responses), 'list')} of answers", max(response.person for response in responses)
    say(f"{path.name}: {lists} to {counted(len(here), 'probe')}, by {counted(positions, 'position')}, not persons")
    if len(here) < len(in_file):
        examples = "; ".join(f"{target}, {prompt}" for target, _, prompt in sorted(in_file - here)[:2])
        say(f"  {len(in_file) - len(here):,} probes of it are no items here and were left out ({examples}). {hint}")


def _judgment(response: PublishedResponse, kind: str, item_id: str, digest: str, *, simulated: bool) -> dict[str, Any]:
    """A published answer as a row of `records.JUDGMENT`; its number is a digest of item and position."""
    number = hashlib.sha256(f"{item_id}/{response.person}".encode()).digest()
    return {
        "item_id": item_id,
        "kind": kind,
        "annotator": f"{SIMULATED if simulated else ''}published-{digest}-{response.person}",
        "label": None,
        "text": "\n".join(response.answers),
        "seconds": None,
        "skipped": False,
        "prefilled": False,
        "created_at": datetime.now(UTC),
        "problem": None,
        "simulated": simulated,
        "server": FROM_FILE + digest,
        "project_id": 0,
        "task_id": 0,
        "annotation_id": int.from_bytes(number[:7]),
    }
