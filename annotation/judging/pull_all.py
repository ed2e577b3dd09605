"""All that people answered: judgments, adjudicators' decisions, and what was tried in trainings."""

from __future__ import annotations

from collections.abc import Sequence, Set

import pyarrow.parquet as pq

from tashika.annotation.adjudicating.decisions import adjudication_file
from tashika.annotation.adjudicating.pull import pull_adjudications
from tashika.annotation.gold.trained import pull_training
from tashika.annotation.gold.training import training_pages
from tashika.annotation.judging.backups import KEPT_COPIES, prune_copies
from tashika.annotation.judging.judgments import shards
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.pull import pull
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.options import Accepted
from tashika.annotation.settings import AnnotateSettings
from tashika.core.audit import file_digests, record
from tashika.core.counts import counted
from tashika.core.files import remove_leftovers_in
from tashika.core.progress import say
from tashika.core.workspace import Workspace


def pull_all(
    server: Server,
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings,
    accept: Set[Accepted] = frozenset(),
    *,
    drop_retracted: bool = False,
) -> None:
    """Fetches everything that is new in the projects of the kinds, their adjudications and their trainings.

    Args:
        server: Where people answer.
        workspace: Where it goes.
        pages: The kinds.
        settings: How many people an item.
        accept: See `pull`.
        drop_retracted: See `pull`.

    Raises:
        InputError: Nothing was pushed to this server.
        OutsideError: The server failed, or what it sent is no export.
    """
    with alone(workspace.annotation):
        left = remove_leftovers_in(workspace.annotation)
    if left:
        say(f"removed {counted(left, 'file that a process was', 'files that processes were')} writing when killed")
    before = set(shards(workspace))
    pull(server, workspace, pages, settings, accept, drop_retracted=drop_retracted)
    adjudicated = pull_adjudications(server, workspace, pages)
    pull_training(server, workspace, training_pages(pages))
    new = [path for path in shards(workspace) if path not in before]
    if new or adjudicated.new or adjudicated.withdrawn:
        rows = sum(pq.read_metadata(path).num_rows for path in new)
        counts = {"judgments": rows, "decisions": adjudicated.new, "decisions_withdrawn": adjudicated.withdrawn}
        digests = file_digests(workspace.base, [*new, adjudication_file(workspace)])
        facts = {"accepted": ", ".join(sorted(accept))} if accept else None
        record(workspace.base, "annotate-pull", counts, digests=digests, facts=facts)
    with alone(workspace.annotation):
        deleted = prune_copies(workspace)
    if deleted:
        say(f"deleted {counted(deleted, 'copy', 'copies')} of the answers; the last {KEPT_COPIES} of each project stay")
