"""What each person said last of each item, in the form in which a release may show it.

A release names nobody as the working directory does: `released_as` is a second keyed digest of the pseudonym, by the
workspace's salt. Whoever sees a release cannot compute it from the names in reports and tables of this workspace, and
the holder of the salt can, so that a person's judgments can be taken out of the next release.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Final

import numpy as np
import pyarrow as pa

from tashika.annotation.judging.columns import Column, compute, flat, strings
from tashika.annotation.judging.people import read_salt
from tashika.annotation.labelling import AGAINST, FOR, NEITHER, VotePage
from tashika.annotation.labelling.page import Page
from tashika.annotation.votes.vote import last_statements
from tashika.annotation.words.responses import FROM_FILE
from tashika.core.records import STATEMENT
from tashika.core.workspace import Workspace

COUNTS_AS: Final[Mapping[int, str]] = {FOR: "for", AGAINST: "against", NEITHER: "neither"}
_RELEASED: Final = "person-"
_DIGITS: Final = 12


def statements_of(workspace: Workspace, page: Page, asked: Column, votes: pa.Table, judgments: pa.Table) -> pa.Table:
    """What people said last of the items of one kind that votes decide.

    Judgments with a problem were never a statement, deleted ones among them, and questions of known answer stay out:
    a table of them would give the answers away.

    Args:
        workspace: Where the salt lies.
        page: The page.
        asked: The items.
        votes: What was counted, with the columns item_id and annotator.
        judgments: Rows of `records.JUDGMENT` of the kind.

    Returns:
        Rows of `records.STATEMENT`, sorted by item and by the name in a release.
    """
    said = last_statements(judgments)
    said = said.filter(compute.is_in(said["item_id"], value_set=asked))
    columns = {
        "item_id": flat(said, "item_id"),
        "kind": pa.array([page.kind] * said.num_rows, pa.string()),
        "annotator": flat(said, "annotator"),
        "released_as": _released_names(workspace, said),
        "choice": compute.if_else(said["skipped"], pa.scalar(None, pa.string()), said["label"]).combine_chunks(),
        "counts_as": _counts_as(page, said),
        "seconds": flat(said, "seconds"),
        "skipped": flat(said, "skipped"),
        "counted": compute.is_in(_pairs(said), value_set=_pairs(votes)),
        "simulated": flat(said, "simulated"),
    }
    table = pa.table([columns[name] for name in STATEMENT.names], schema=STATEMENT)
    return table.sort_by([("item_id", "ascending"), ("released_as", "ascending")])


def _pairs(table: pa.Table) -> Column:
    """Item and person of each row, as one text."""
    pairs: Column = compute.binary_join_element_wise(flat(table, "item_id"), flat(table, "annotator"), "/")
    return pairs


def _counts_as(page: Page, said: pa.Table) -> Column:
    choices = page.choices if isinstance(page, VotePage) else {}
    places = compute.index_in(flat(said, "label"), value_set=pa.array(list(choices), pa.string()))
    meanings: Column = pa.array([COUNTS_AS[counts] for counts in choices.values()], pa.string()).take(places)
    kept: Column = compute.if_else(flat(said, "skipped"), pa.scalar(None, pa.string()), meanings)
    return kept


def _released_names(workspace: Workspace, said: pa.Table) -> Column:
    """The name of each row's annotator in a release; programs and positions in a file keep theirs, which say so."""
    from_file = np.array([server.startswith(FROM_FILE) for server in strings(said, "server")], dtype=bool)
    open_names = from_file | flat(said, "simulated").to_numpy(zero_copy_only=False).astype(bool)
    hidden = sorted(set(strings(said.filter(pa.array(~open_names)), "annotator")))
    salt = read_salt(workspace.annotation) if hidden else b""
    names = {name: released_name(name, workspace.suite, salt) for name in hidden}
    return pa.array([names.get(name, name) for name in strings(said, "annotator")], pa.string())


def released_name(pseudonym: str, suite: str, salt: bytes) -> str:
    """The name that a person has in the releases of a suite.

    Args:
        pseudonym: That of the judgments.
        suite: The suite's name.
        salt: The workspace's.
    """
    return _RELEASED + hmac.digest(salt, f"release of {suite}: {pseudonym}".encode(), "sha256").hex()[:_DIGITS]
