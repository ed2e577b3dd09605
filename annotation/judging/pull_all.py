"""All that people answered: judgments, adjudicators' decisions, and what was tried in trainings."""

from __future__ import annotations

from collections.abc import Sequence, Set

from tashika.annotation.adjudicating.pull import pull_adjudications
from tashika.annotation.gold.trained import pull_training
from tashika.annotation.gold.training import training_pages
from tashika.annotation.judging.pull import pull
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.options import Accepted
from tashika.annotation.settings import AnnotateSettings
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
    pull(server, workspace, pages, settings, accept, drop_retracted=drop_retracted)
    pull_adjudications(server, workspace, pages)
    pull_training(server, workspace, training_pages(pages))
