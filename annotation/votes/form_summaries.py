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
    found = {"given": given, "decided": {label: decided[label] for label in page.labels}}
    if isinstance(page, PreferencePage):
        found["preferences"] = preference_summary(compare(page, items, rows), systems=page.systems is not None)
    return found


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
    found: dict[str, Any] = {"krippendorff_alpha": None, "fleiss_kappa": None, "percent": None, "scale": "nominal"}
    found["items_with_two_votes"] = int(np.count_nonzero(cast >= 2))
    if isinstance(page, TextPage):
        return found
    if isinstance(page, LabelsPage):
        each = [np.stack([counts[:, place], cast - counts[:, place]], axis=1) for place in range(counts.shape[1])]
        found["krippendorff_alpha"] = _mean_defined([krippendorff_alpha(matrix) for matrix in each])
        found["percent"] = _mean_defined([percent_agreement(matrix) for matrix in each])
        return found
    found["percent"] = rounded(percent_agreement(counts))
    if isinstance(page, RatingPage):
        return {**found, "scale": "ordinal", "krippendorff_alpha": rounded(ordinal_alpha(counts))}
    return {
        **found,
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
        kinds: The kinds to tell of.
    """
    for kind in kinds:
        found = summary.get(kind, {})
        form = found.get("form")
        if form not in {"labels", "ratings", "preferences", "texts"}:
            continue
        alpha = found["agreement"]["krippendorff_alpha"]
        agreed = f"; {found['agreement']['scale']} alpha {alpha:.3f}" if alpha is not None else ""
        who = Annotators.of(found).description
        yield f"{kind}: {found['accepted']:,} of {counted(found['judged'], 'item')} decided by {who}{agreed}"
        yield from _form_details(found)


def _form_details(found: Mapping[str, Any]) -> Iterator[str]:
    if "decided" in found:
        yield "  decided: " + ", ".join(f"{label} {count:,}" for label, count in found["decided"].items())
    if found.get("rating") and found["rating"]["median"] is not None:
        rating = found["rating"]
        yield (
            f"  on a scale from 1 to {rating['points']}: median {rating['median']:g}, mean {rating['mean']:.2f}, "
            f"spread of an item's votes {rating['spread']:.2f}"
        )
    if "answers" in found and found["form"] == "texts":
        yield f"  {counted(found['answers'], 'text')}"
    if "preferences" in found:
        yield from _preference_lines(found["preferences"])


def _preference_lines(preferences: Mapping[str, Any]) -> Iterator[str]:
    for name, entry in preferences["entries"].items():
        rate = "never decided" if entry["rate"] is None else f"preferred in {entry['rate']:.1%} of {{}} comparisons"
        low, high = entry["interval"]
        told = rate.format(f"{entry['wins'] + entry['losses']:,}")
        told += f" ({low:.1%} to {high:.1%})" if entry["rate"] is not None else ""
        strength = f", Bradley-Terry strength {entry['strength']:.3f}" if entry["strength"] is not None else ""
        yield f"  {name}: {told}, neither in {entry['same']:,}{strength}"
    if preferences["reason"]:
        yield f"  no Bradley-Terry strengths: {preferences['reason']}"
