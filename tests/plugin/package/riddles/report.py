"""The page of all scored models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riddles.evaluate import RiddleMetrics
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.reporting.page import provenance, shared_context, sources, write_page

HERE = Path(__file__).parent


@dataclass(frozen=True)
class ScoredModel:
    """A model on the page."""

    name: str
    metrics: RiddleMetrics
    provenance: Sequence[tuple[str, Any]]


def write_report(workspace: Workspace) -> Path:
    """Writes `evaluate/report.html`."""

    def context(scores: Sequence[Path], files: Any) -> dict[str, Any]:
        found = [read_metrics(path, RiddleMetrics) for path in scores]
        models = [ScoredModel(one.model.name, one, provenance(one, {})) for one in found]
        headline = f"{len(models)} model answered {found[0].riddles} riddles."
        return {**shared_context(workspace, HERE, models, files), "headline": headline, "glossary": ()}

    return write_page(workspace, HERE, sources(workspace), context)
