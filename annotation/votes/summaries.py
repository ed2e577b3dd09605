"""The summary of a kind in `validation.json`: what cards and reports say of its validation."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tashika.annotation.judging.columns import Column, compute, having
from tashika.annotation.labelling import AGAINST, FOR
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.agreement import fleiss_kappa, krippendorff_alpha, percent_agreement, wilson_interval
from tashika.annotation.votes.answers import RULE, human_accuracy
from tashika.annotation.votes.pairwise import votes_compared
from tashika.annotation.votes.rules import MAJORITY, Rule
from tashika.annotation.votes.vote import ACCEPTED, MAJORITY_RULE, REJECTED, UNDECIDED, Ballot, annotators_of
from tashika.core.annotators import SIMULATED


def shared_summary(
    item_ids: Column, votes: pa.Table, kind: str, verdicts: pa.Table, judgments: pa.Table, settings: AnnotateSettings
) -> dict[str, Any]:
    """What the card says of every kind that people judge by votes: decisions, people, and problems.

    Args:
        item_ids: The items that were given to people.
        votes: Those that count, see `vote.latest_votes`.
        kind: The kind.
        verdicts: Rows of `records.VERDICT` of all kinds.
        judgments: Rows of `records.JUDGMENT` of all kinds.
        settings: The minimum of votes, and how people were simulated.
    """
    of_items = verdicts.filter(compute.is_in(verdicts["item_id"], value_set=item_ids))
    decisions = Counter(of_items["decision"].to_pylist())
    judged = having(judgments, "kind", kind)
    annotators = annotators_of(votes)
    return {
        "mode": settings.kinds[kind].mode,
        "judged": of_items.num_rows,
        **{decision: decisions[decision] for decision in (ACCEPTED, REJECTED, UNDECIDED)},
        "ties": int(compute.sum(compute.and_(of_items["tie"], compute.is_null(of_items["adjudicator"]))).as_py() or 0),
        "adjudicated": of_items.num_rows - of_items["adjudicator"].null_count,
        "annotators": annotators.total,
        "people": annotators.people,
        "votes": votes.num_rows,
        "skips": int(compute.sum(judged["skipped"]).as_py() or 0),
        "minimum_votes": settings.minimum_votes,
        "problems": dict(sorted(Counter(compute.drop_null(judged["problem"]).to_pylist()).items())),
        "simulated": annotators.simulated,
        "simulation": simulation(settings) if annotators.simulated else None,
    }


def summarise(
    ballot: Ballot,
    first: Ballot,
    kind: str,
    verdicts: pa.Table,
    judgments: pa.Table,
    settings: AnnotateSettings,
    items: int,
    rule: Rule = MAJORITY,
) -> dict[str, Any]:
    """What the card says of a kind that people vote on: decisions, people, agreement and problems.

    The acceptance rate is that of the decided items that were given to people; its interval is Wilson's at 95 %.
    Agreement is that of the people who were asked first: not of who was asked because these were split.

    Args:
        ballot: The votes.
        first: Those of them that agreement is taken over.
        kind: The kind.
        verdicts: Rows of `records.VERDICT` of all kinds.
        judgments: Rows of `records.JUDGMENT` of all kinds.
        settings: The minimum of votes, and how people were simulated.
        items: How many items of the kind there are.
        rule: How the votes decide.
    """
    shared = shared_summary(ballot.item_ids, ballot.votes, kind, verdicts, judgments, settings)
    decided = shared[ACCEPTED] + shared[REJECTED]
    of_items = verdicts.filter(compute.is_in(verdicts["item_id"], value_set=ballot.item_ids))
    breaks_ties = settings.kinds[kind].tie_breaker
    return {
        **shared,
        "items": items,
        "ties_broken": ties_broken(ballot, first) if breaks_ties else 0,
        "corrected": of_items.num_rows - of_items["text"].null_count,
        "rule": rule.in_words(MAJORITY_RULE) + (", one annotator more is asked about ties" if breaks_ties else ""),
        "acceptance_rate": round(shared[ACCEPTED] / decided, 6) if decided else None,
        "acceptance_interval": [round(end, 6) for end in wilson_interval(shared[ACCEPTED], decided)],
        "agreement": agreement(first, votes_compared(settings, kind) or settings.people(kind)),
    }


def measured(ballot: Ballot, settings: AnnotateSettings, right: Column, rule: Rule) -> dict[str, Any]:
    """What the card says besides of a kind that people answer: how often they are right."""
    human = human_accuracy(ballot, right, settings.minimum_votes, rule)
    return {"form": "answers", "rule": rule.in_words(RULE), "human": human}


def ties_broken(ballot: Ballot, first: Ballot) -> int:
    """How many items had as many votes for as against among the first votes, and have not among all."""
    tied, left = (
        (votes.cast(FOR) == votes.cast(AGAINST)) & (votes.cast(FOR) + votes.cast(AGAINST) > 0)
        for votes in (first, ballot)
    )
    return int(np.count_nonzero(tied & ~left))


def summarise_words(
    counts: Mapping[str, Any], kind: str, verdicts: pa.Table, settings: AnnotateSettings
) -> dict[str, Any]:
    """What the card says of a kind that is answered in words, in the form of `summarise`: nothing is voted."""
    of_items = having(verdicts, "kind", kind)
    decisions = Counter(of_items["decision"].to_pylist())
    return {
        "form": "words",
        "mode": settings.kinds[kind].mode,
        **counts,
        **{decision: decisions[decision] for decision in (ACCEPTED, REJECTED, UNDECIDED)},
        "ties": 0,
        "adjudicated": of_items.num_rows,
        "corrected": 0,
        "minimum_votes": settings.minimum_votes,
        "rule": "none: answers are collected",
        "acceptance_rate": None,
        "acceptance_interval": None,
        "simulation": simulation(settings, counts["simulated_annotators"]) if counts["simulated"] else None,
    }


def agreement(ballot: Ballot, annotators: int) -> dict[str, float | None]:
    """The coefficients of a kind; null where one is not defined.

    Fleiss' kappa takes the items that have exactly the wanted number of votes; the others take all with two or more.
    """
    counts = ballot.counts()
    full = counts[counts.sum(axis=1) == annotators]
    return {
        "krippendorff_alpha": rounded(krippendorff_alpha(counts)),
        "fleiss_kappa": rounded(fleiss_kappa(full) if annotators > 1 else math.nan),
        "percent": rounded(percent_agreement(counts)),
        "items_with_two_votes": int(np.count_nonzero(counts.sum(axis=1) >= 2)),
    }


def rounded(value: float) -> float | None:
    """A number of the summary; None where it is not defined."""
    return None if math.isnan(value) else round(value, 6)


def simulation(settings: AnnotateSettings, names: Sequence[str] = ()) -> dict[str, Any]:
    """Who was simulated, and how often they are wrong on purpose: the first crew, or those of these names."""
    rates = settings.simulation.error_rates
    numbers = [int(name.rpartition("-")[2]) for name in names if re.fullmatch(rf"{SIMULATED}\d+", name)]
    people = [
        {"name": f"{SIMULATED}{number}", "error_rate": rates[(number - 1) % len(rates)]}
        for number in (sorted(numbers) if names else range(1, len(rates) + 1))
    ]
    return {"seed": settings.simulation.seed, "skip_rate": settings.simulation.skip_rate, "annotators": people}
