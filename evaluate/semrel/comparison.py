"""Semantic relations side by side: probe by probe, with the targets as clusters.

A probe's value is its alphas (equation 1), in the row of its relation: 36 columns, of which it fills six. Their means
are the matrix of equation 2, from which the numbers follow as in `metrics`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow.compute as pc

from tashika.core.files import read_grown_table, read_table
from tashika.core.suites.semrel.words import RELATIONS
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.semrel.answers import ANSWERS, PEOPLE_ANSWERS
from tashika.evaluate.semrel.confusability import SIZE, Floats, Probe, Relata, confusability_matrix, probe_alphas
from tashika.evaluate.semrel.equation_2 import read_alphas
from tashika.evaluate.semrel.groups import groups_of
from tashika.evaluate.semrel.metrics import bias_cells
from tashika.evaluate.semrel.metrics_model import SemRelMetrics
from tashika.evaluate.semrel.ties import rank_words
from tashika.evaluate.suite import Measure, Sides, SystemSide, Units

FILE: Final = "answers.parquet"
_OFF: Final = ~np.eye(SIZE, dtype=np.bool_)


def _own(means: Floats) -> Floats:
    """(…, 6) alpha(r, r), of (…, 36)."""
    own: Floats = np.diagonal(means.reshape(*means.shape[:-1], SIZE, SIZE), axis1=-2, axis2=-1)
    return own


def _confused(means: Floats) -> Floats:
    """(…, 30) confusability of every two different relations."""
    return confusability_matrix(means.reshape(*means.shape[:-1], SIZE, SIZE))[..., _OFF]


def _column(means: Floats) -> Floats:
    """(…, 5) how far probes of other relations are taken for antonymy."""
    return confusability_matrix(means.reshape(*means.shape[:-1], SIZE, SIZE))[..., bias_cells()["column"]]


def _row(means: Floats) -> Floats:
    """(…, 5) how far probes of antonymy are taken for others."""
    return confusability_matrix(means.reshape(*means.shape[:-1], SIZE, SIZE))[..., bias_cells()["row"]]


MEASURES: Final = (
    Measure("own", "Alpha of what is asked for", scale="plain", cells=_own),
    Measure("confusability", "Mean confusability", better=None, scale="plain", cells=_confused),
    Measure("antonymy column", "Taken for antonymy", better=None, scale="plain", cells=_column),
    Measure("antonymy row", "Antonymy taken for others", better=None, scale="plain", cells=_row),
)


def read(workspace: Workspace, folders: Sequence[Path]) -> Sides:
    """What each system made of its probes."""
    scores = [read_metrics(folder / "metrics.json", SemRelMetrics) for folder in folders]
    relata = _relata(workspace)
    systems = []
    for folder, metrics, group in zip(folders, scores, groups_of(scores), strict=True):
        known = None if metrics.source.origin == "responses" else relata
        if known is None:
            systems.append(SystemSide(problem="the relata that its answers were compared with do not lie here"))
            continue
        drawn = metrics.source.drawn
        settings = {
            "probes": metrics.source.name or metrics.source.origin,
            "revision": group.revision,
            "relata": group.relata,
            "vocabulary": group.vocabulary,
            "answers sought among": group.answers,
            "equation_2": metrics.statistics.equation_2,
            "ties": metrics.statistics.ties,
        }
        units = {"items": _units(folder / FILE, known, metrics)}
        systems.append(SystemSide(units, settings, f"{drawn.targets:,} of {drawn.of:,} targets" if drawn else ""))
    names = {str(relation): str(relation) for relation in RELATIONS}
    return Sides(MEASURES, systems, clusters="targets", groups="relations", items="probes", group_names=names)


def _relata(workspace: Workspace) -> Relata | None:
    """The relata of the release, or of the build; None where neither lies here."""
    files = (workspace.release / "relata" / "relata.parquet", workspace.item_file("relatum"))
    file = next((path for path in files if path.is_file()), None)
    if file is None:
        return None
    words: dict[tuple[str, str], set[str]] = {}
    for row in read_table(file, columns=["target", "relation", "word"]).to_pylist():
        words.setdefault((str(row["target"]), str(row["relation"])), set()).add(str(row["word"]))
    return words


def _units(file: Path, relata: Relata, metrics: SemRelMetrics) -> Units:
    people = metrics.model.kind == "people"
    table = read_grown_table(file, PEOPLE_ANSWERS if people else ANSWERS)
    answered = table.filter(pc.is_null(table["problem"])).to_pylist()
    probes = [Probe(row["target"], row["relation"]) for row in answered]
    lists = [rank_words(row["words"], row.get("votes"), metrics.statistics.ties) for row in answered]
    plain = probe_alphas(probes, [one.words for one in lists], relata, [one.ranks for one in lists])
    alphas = read_alphas(metrics.statistics.equation_2, plain, probes, [len(one.words) for one in lists], relata)
    values = np.full((len(probes), SIZE, SIZE), np.nan)
    for number, probe in enumerate(probes):
        values[number, _PLACE[probe.relation]] = alphas[number]
    flat = values.reshape(len(probes), SIZE * SIZE)
    return Units(
        [str(row["item_id"]) for row in answered],
        {measure.key: flat for measure in MEASURES},
        [probe.target for probe in probes],
        [probe.relation for probe in probes],
    )


_PLACE: Final[Mapping[str, int]] = {relation: place for place, relation in enumerate(RELATIONS)}
