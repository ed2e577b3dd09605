"""`annotation/report.html`: how the judging goes, on one page without outside requests, from what was pulled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tashika.annotation.adjudicating.audit import audit_lines
from tashika.annotation.adjudicating.choosing import is_counted
from tashika.annotation.adjudicating.pull import last_pull
from tashika.annotation.adjudicating.reasons import Open, advice, find_open, reason_lines
from tashika.annotation.judging.columns import flat, having
from tashika.annotation.judging.judgments import read_judgments
from tashika.annotation.judging.mixing import judged_by, mixed_line
from tashika.annotation.judging.questionnaires import voted
from tashika.annotation.labelling import Page
from tashika.annotation.reporting.contested import find_contested
from tashika.annotation.reporting.figures import agreement_figure, answers_figure
from tashika.annotation.reporting.pace import Pace, estimate
from tashika.annotation.reporting.progress import KindProgress, kind_progress, people_of
from tashika.annotation.reporting.timeline import alpha_by_period, count_by_period, periods_of
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.verdicts import VALIDATION
from tashika.core.annotators import Annotators
from tashika.core.files import read_json, write_text
from tashika.core.reporting.rendering import STYLE, fill_template
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace

SHOWN: Final = 50
"""Contested items that the page shows by default."""

_HERE: Final = Path(__file__).parent


def report_file(workspace: Workspace) -> Path:
    """Where the page lies."""
    return workspace.annotation / "report.html"


def write_report(
    workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings, path: Path, shown: int = SHOWN
) -> None:
    """Writes the page.

    Args:
        workspace: Where items, judgments and verdicts lie.
        pages: The kinds.
        settings: People an item.
        path: Where the page goes.
        shown: How many contested items it shows.

    Raises:
        MissingStageError: Nothing was pulled yet.
    """
    write_text(path, fill_template([_HERE], "report.html.j2", gather(workspace, pages, settings, shown)))


def gather(workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings, shown: int) -> dict[str, Any]:
    """What the page is filled with."""
    from markupsafe import Markup

    judgments = read_judgments(workspace)
    verdicts = workspace.read_verdicts() if workspace.verdict_file.exists() else None
    validation = workspace.annotation / VALIDATION
    summary: Mapping[str, Any] = read_json(validation) if validation.exists() else {}
    kinds = [kind_progress(workspace, page, settings, having(judgments, "kind", page.kind), verdicts) for page in pages]
    still_open = find_open(workspace, pages, settings, verdicts) if verdicts is not None else []
    contested = find_contested(workspace, pages, judgments, verdicts, still_open)
    people, programs = judged_by(workspace)
    pulled = last_pull(workspace) or max((time for kind in kinds for time in kind.times), default=datetime.now(UTC))
    names = [page.kind for page in pages]
    return {
        "suite": workspace.suite,
        "argument": workspace.argument,
        "title": suite_named(workspace.suite).title,
        "css": Markup(STYLE.read_text(encoding="utf-8") + (_HERE / "report.css").read_text(encoding="utf-8")),
        "version": version("tashika"),
        "pulled": pulled,
        "counted": verdicts is not None,
        "current": is_counted(workspace),
        "annotators": Annotators(len(people) + len(programs), len(people)),
        "mixed": mixed_line(workspace),
        "rates": _error_rates(summary, names) if programs else {},
        "kinds": kinds,
        "pace": _pace(kinds, pulled),
        "people": people_of(judgments, names, summary),
        "summary": {kind: summary[kind] for kind in names if kind in summary},
        "audits": list(audit_lines(summary, names)),
        "contested": contested[:shown],
        "more": max(len(contested) - shown, 0),
        **_undecided(still_open, settings, workspace),
        **_figures(workspace, pages, settings, judgments, kinds),
    }


def _error_rates(summary: Mapping[str, Any], kinds: Sequence[str]) -> dict[str, float]:
    """How often each program is wrong on purpose, by the last count of the votes."""
    simulations = [summary[kind]["simulation"] for kind in kinds if summary.get(kind, {}).get("simulation")]
    return {person["name"]: person["error_rate"] for entry in simulations for person in entry["annotators"]}


def _pace(kinds: Sequence[KindProgress], pulled: datetime) -> Pace:
    times = [time for kind in kinds for time in kind.times]
    return estimate(times, sum(kind.left for kind in kinds), pulled.astimezone(UTC).date())


def _undecided(items: Sequence[Open], settings: AnnotateSettings, workspace: Workspace) -> dict[str, Any]:
    lines = advice(items, settings, workspace.arguments) if items else []
    return {"undecided": len(items), "reasons": reason_lines(items), "advice": lines}


def _figures(
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings,
    judgments: pa.Table,
    kinds: Sequence[KindProgress],
) -> dict[str, Any]:
    """The figures as SVG, and their numbers for a table."""
    from markupsafe import Markup

    times = [time for kind in kinds for time in kind.times]
    periods = periods_of(times)
    counts = count_by_period(periods, times)
    alphas = {
        page.kind: alpha_by_period(
            page,
            flat(voted(page, workspace.read_items(page.kind)), "item_id"),
            having(judgments, "kind", page.kind),
            periods,
            settings,
        )
        for page in pages
    }
    alphas = {kind: line for kind, line in alphas.items() if any(alpha is not None for alpha in line)}
    return {
        "unit": periods.unit,
        "answers_figure": Markup(answers_figure(periods.names, counts, periods.unit)) if counts else None,
        "agreement_figure": Markup(agreement_figure(periods.names, alphas, periods.unit)) if alphas else None,
        "periods": [
            {"name": name, "answers": counts[place], "alphas": [line[place] for line in alphas.values()]}
            for place, name in enumerate(periods.names)
        ],
        "alphas": list(alphas),
    }
