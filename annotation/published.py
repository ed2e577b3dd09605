"""The published response file as judgments: `tashika annotate import-responses`.

The file tells no persons: the first list of one probe and the first of another may be by different people. So their
annotators are named after positions (published-1 and on), and what holds of persons is not asked of them.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tashika.annotation.columns import having
from tashika.annotation.judgments import append_judgments, read_judgments, shards
from tashika.annotation.labelling import Page
from tashika.annotation.lock import alone
from tashika.annotation.responses import FROM_FILE
from tashika.core.errors import InputError
from tashika.core.progress import say
from tashika.core.responses import ProbeKey, PublishedResponse, ResponseFile, describe_dropped, read_response_file
from tashika.core.workspace import Workspace


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
        InputError: The file is none, or has no probe that is among the items.
    """
    found = read_response_file(path)
    probes = probe_ids(workspace, page)
    mine = [response for response in found.responses if response.probe in probes]
    _tell(found, mine, path, workspace)
    with alone(workspace.annotation):
        server = FROM_FILE + path.name
        known = stored_texts(workspace, server)
        rows = (
            row
            for response in mine
            for row in [_judgment(response, page.kind, probes[response.probe], server, simulated=simulated)]
            if known.get(row["annotation_id"]) != (row["text"], row["annotator"])
        )
        added = append_judgments(workspace, rows)
    note = " (of simulated people)" if simulated else ""
    say(f"imported {added:,} new judgments{note}, {len(mine) - added:,} were here before")
    return added


def probe_ids(workspace: Workspace, page: Page) -> dict[ProbeKey, str]:
    """The item of each probe, control questions left out."""
    columns = ["item_id", "target", "relation", "prompt", "known_answers"]
    rows = workspace.read_items(page.kind).select(columns).to_pylist()
    return {
        (row["target"], row["relation"], row["prompt"]): row["item_id"] for row in rows if row["known_answers"] is None
    }


def stored_texts(workspace: Workspace, server: str) -> dict[int, tuple[str, str]]:
    """What was imported from a file of this name before: the last text and annotator, by annotation."""
    if not shards(workspace):
        return {}
    rows = having(read_judgments(workspace), "server", server).sort_by("created_at")
    columns = ["annotation_id", "text", "annotator"]
    return {row["annotation_id"]: (row["text"], row["annotator"]) for row in rows.select(columns).to_pylist()}


def _tell(found: ResponseFile, mine: list[PublishedResponse], path: Path, workspace: Workspace) -> None:
    if found.dropped:
        say(f"left out of {path.name}: {describe_dropped(found.dropped)}")
    in_file, here = {response.probe for response in found.responses}, {response.probe for response in mine}
    hint = f"`tashika build {workspace.suite} --responses {path}` makes items of a file's own probes."
    if not here:
        message = f"none of its {len(in_file):,} probes is among the items"
        raise InputError(message, where=str(path), hint=hint)
    positions = max(response.person for response in mine)
    say(f"{path.name}: {len(mine):,} lists of answers to {len(here):,} probes, by {positions} positions, not persons")
    if len(here) < len(in_file):
        examples = "; ".join(f"{target}, {prompt}" for target, _, prompt in sorted(in_file - here)[:2])
        say(f"  {len(in_file) - len(here):,} probes of it are no items here and were left out ({examples}). {hint}")


def _judgment(response: PublishedResponse, kind: str, item_id: str, server: str, *, simulated: bool) -> dict[str, Any]:
    """A published answer as a row of `records.JUDGMENT`; its number is a digest of item and position."""
    digest = hashlib.sha256(f"{item_id}/{response.person}".encode()).digest()
    return {
        "item_id": item_id,
        "kind": kind,
        "annotator": f"{'simulated-' if simulated else ''}published-{response.person}",
        "label": None,
        "text": "\n".join(response.answers),
        "seconds": None,
        "skipped": False,
        "prefilled": False,
        "created_at": datetime.now(UTC),
        "problem": None,
        "simulated": simulated,
        "server": server,
        "project_id": 0,
        "task_id": 0,
        "annotation_id": int.from_bytes(digest[:7]),
    }
