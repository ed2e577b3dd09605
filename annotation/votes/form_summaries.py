"""The summary of a kind of which people say what the items are: as in `summaries`, and what its form needs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Any

import numpy as np
import pyarrow as pa

from tashika.annotation.labelling import LabelsPage, PreferencePage, RatingPage, TextPage
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.agreement import (
    Counts,
    fleiss_kappa,
    krippendorff_alpha,
    ordinal_alpha,
    percent_agreement,
)
from tashika.annotation.votes.forms import FormBallot, rule_of
from tashika.annotation.votes.pairwise import votes_compared
from tashika.annotation.votes.preferences import compare, preference_summary
from tashika.annotation.votes.rules import MAJORITY, Rule
from tashika.annotation.votes.summaries import rounded, shared_summary
from tashika.core.annotators import Annotators
from tashika.core.counts import counted

_FORMS = ((RatingPage, "ratings"), (PreferencePage, "preferences"), (TextPage, "texts"))


def summarise_form(
    ballot: FormBallot,
    first: FormBallot,
    verdicts: pa.Table,
    answers: pa.Table,
    judgments: pa.Table,
    settings: AnnotateSettings,
    items: pa.Table,
    rule: Rule = MAJORITY,
) -> dict[str, Any]:
    """What the card says of a kind.

    Args:
        ballot: What people said.
        first: What agreement is taken over of it.
        verdicts: Rows of `records.VERDICT` of all kinds, adjudications put in.
        answers: Rows of `records.ANSWER` of the kind, adjudications put in.
        judgments: Rows of `records.JUDGMENT` of all kinds.
        settings: The minimum of votes, and how people were simulated.
        items: The items of the kind, without gold questions.
        rule: How labels are decided.
    """
    page = ballot.page
    rows = answers.to_pylist()
    return {
        "form": next((name for kind, name in _FORMS if isinstance(page, kind)), "labels"),
        "items": items.num_rows,
        **shared_summary(ballot.item_ids, ballot.votes, page.kind, verdicts, judgments, settings),
        "corrected": 0,
        "rule": rule_of(page, rule),
        "acceptance_rate": None,
        "acceptance_interval": None,
        "agreement": form_agreement(first, votes_compared(settings, page.kind) or settings.people(page.kind)),
        **_of_form(ballot, rows, items),
    }


def _of_form(ballot: FormBallot, rows: Sequence[Mapping[str, Any]], items: pa.Table) -> dict[str, Any]:
    page = ballot.page
    if isinstance(page, TextPage):
        return {"answers": sum(len(row["texts"]) for row in rows)}
    given = dict(zip(page.labels, ballot.counts().sum(axis=0).tolist(), strict=True))
    if isinstance(page, RatingPage):
        rated = [row for row in rows if row["median"] is not None]
        return {
            "given": given,
            "rating": {
                "points": len(page.labels),
                "median": median(row["median"] for row in rated) if rated else None,
                "mean": _mean([row["mean"] for row in rated]),
                "spread": _mean([row["spread"] for row in rated]),
            },
        }
    decided = Counter(label for row in rows for label in (row["labels"] or [row["label"]]) if label is not None)
    summary = {"given": given, "decided": {label: decided[label] for label in page.labels}}
    if isinstance(page, PreferencePage):
        summary["preferences"] = preference_summary(compare(page, items, rows), systems=page.systems is not None)
    return summary


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), 6) if known else None


def form_agreement(ballot: FormBallot, annotators: int) -> dict[str, Any]:
    """How far people agree, by a coefficient that fits the scale; None where it is not defined.

    Krippendorff's alpha is ordinal for ratings and nominal else; of several labels it is the mean over labels of
    whether people took the label, without those that everybody or nobody took. Fleiss' kappa takes the items with
    exactly the wanted number of votes, and is given for single labels and preferences alone. Texts have none.
    """
    page, counts, cast = ballot.page, ballot.counts(), ballot.cast
    coefficients: dict[str, Any] = {
        "krippendorff_alpha": None,
        "fleiss_kappa": None,
        "percent": None,
        "scale": "nominal",
    }
    coefficients["items_with_two_votes"] = int(np.count_nonzero(cast >= 2))
    if isinstance(page, TextPage):
        return coefficients
    if isinstance(page, LabelsPage):
        matrices = [np.stack([counts[:, place], cast - counts[:, place]], axis=1) for place in range(counts.shape[1])]
        coefficients["krippendorff_alpha"] = _mean_defined([krippendorff_alpha(matrix) for matrix in matrices])
        coefficients["percent"] = _mean_defined([percent_agreement(matrix) for matrix in matrices])
        return coefficients
    coefficients["percent"] = rounded(percent_agreement(counts))
    if isinstance(page, RatingPage):
        return {**coefficients, "scale": "ordinal", "krippendorff_alpha": rounded(ordinal_alpha(counts))}
    return {
        **coefficients,
        "krippendorff_alpha": rounded(krippendorff_alpha(counts)),
        "fleiss_kappa": _fleiss(counts, annotators),
    }


def _fleiss(counts: Counts, annotators: int) -> float | None:
    full = counts[counts.sum(axis=1) == annotators]
    return rounded(fleiss_kappa(full)) if annotators > 1 else None


def _mean_defined(values: Sequence[float]) -> float | None:
    known = [value for value in values if not math.isnan(value)]
    return round(fmean(known), 6) if known else None


def form_lines(summary: Mapping[str, Any], kinds: Sequence[str]) -> Iterator[str]:
    """Yields what people say that items are, for a terminal.

    Args:
        summary: The content of `validation.json`.
        kinds: The kinds to describe.
    """
    for kind in kinds:
        entry = summary.get(kind, {})
        form = entry.get("form")
        if form not in {"labels", "ratings", "preferences", "texts"}:
            continue
        alpha = entry["agreement"]["krippendorff_alpha"]
        agreed = f"; {entry['agreement']['scale']} alpha {alpha:.3f}" if alpha is not None else ""
        who = Annotators.of(entry).description
        yield f"{kind}: {entry['accepted']:,} of {counted(entry['judged'], 'item')} decided by {who}{agreed}"
        yield from _form_details(entry)


def _form_details(entry: Mapping[str, Any]) -> Iterator[str]:
    if "decided" in entry:
        yield "  decided: " + ", ".join(f"{label} {count:,}" for label, count in entry["decided"].items())
    if entry.get("rating") and entry["rating"]["median"] is not None:
        rating = entry["rating"]
        yield (
            f"  on a scale from 1 to {rating['points']}: median {rating['median']:g}, mean {rating['mean']:.2f}, "
            f"spread of an item's votes {rating['spread']:.2f}"
        )
    if "answers" in entry and entry["form"] == "texts":
        yield f"  {counted(entry['answers'], 'text')}"
    if "preferences" in entry:
        yield from _preference_lines(entry["preferences"])


def _preference_lines(preferences: Mapping[str, Any]) -> Iterator[str]:
    for name, entry in preferences["entries"].items():
        rate = "never decided" if entry["rate"] is None else f"preferred in {entry['rate']:.1%} of {{}} comparisons"
        low, high = entry["interval"]
        line = rate.format(f"{entry['wins'] + entry['losses']:,}")
        line += f" ({low:.1%} to {high:.1%})" if entry["rate"] is not None else ""
        strength = f", Bradley-Terry strength {entry['strength']:.3f}" if entry["strength"] is not None else ""
        yield f"  {name}: {line}, neither in {entry['same']:,}{strength}"
    if preferences["reason"]:
        yield f"  no Bradley-Terry strengths: {preferences['reason']}"
