"""A lost server from what was pulled: `restore`."""

from __future__ import annotations

from tashika.annotation.commands.shared import TokenOption, UrlOption, load_pages
from tashika.annotation.labelstudio.account import find_address
from tashika.core.audit import record
from tashika.core.options import WORK, ConfigOption, DryRunOption, SuiteArgument, WorkOption
from tashika.core.workspace import Workspace


def restore(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    url: UrlOption = None,
    token: TokenOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Put back what a server has lost from the copies that the pulls have kept: projects, tasks, accounts, answers.

    The server may be a new one (`annotate serve` in an empty folder), or one where somebody deleted a project or tasks.
    People keep their names in the judgments, so the next pull adds nothing. Accounts are made anew with the same
    addresses and new passwords, which are kept in annotation/restored-passwords.json. It refuses where people have
    answered since; an interrupted run is completed by the next one.
    """
    from tashika.annotation.gold.training import training_pages
    from tashika.annotation.judging.push import push
    from tashika.annotation.judging.restore import restore as put_back
    from tashika.annotation.labelstudio.client import Server

    settings, pages = load_pages(suite, config, work)
    workspace, address = Workspace(work, suite), find_address(work, url, token)
    every = [*pages, *training_pages(pages)]
    answers = put_back(address, workspace, every, settings, dry=dry_run)
    if not dry_run:
        record(workspace.base, "annotate-restore", {"answers": answers})
        push(Server(address), workspace, every, settings, dry=False)
