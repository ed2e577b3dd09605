"""The stage that counts the votes: verdicts for the release, and the summary that its card needs.

Where people answer in words nothing is voted: the answers become a table, and a verdict is an adjudicator's alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from tashika.annotation.judging.columns import Column, compute, flat, having
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.pushed import pushed_file, read_pushed
from tashika.annotation.judging.questionnaires import eligible_items
from tashika.annotation.labelling import AGAINST, FOR, AnswerPage, ChoicePage, Page, VotePage, choice_pages, words_pages
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.adjudication import adjudication_file, overrule, read_adjudications
from tashika.annotation.votes.agreement import fleiss_kappa, krippendorff_alpha, percent_agreement, wilson_interval
from tashika.annotation.votes.answers import RULE, decide_answers, human_accuracy, right_labels
from tashika.annotation.votes.pairwise import cohen_by, first_votes
from tashika.annotation.votes.vote import ACCEPTED, REJECTED, UNDECIDED, Ballot, annotators_of, collect, decide
from tashika.annotation.words.responses import RESPONSES, collect_responses
from tashika.core.annotators import SIMULATED
from tashika.core.files import write_batches, write_json
from tashika.core.records import RESPONSE, VERDICT
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace

VALIDATION = "validation.json"
STAGE = "annotate-vote"
_LAYOUT = 2
"""Of the summary: where an earlier version wrote it, the votes are counted again."""


def count_votes(
    workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings, *, without_careless: bool = False
) -> dict[str, Any]:
    """Writes `verdicts.parquet` and `validation.json`, and `responses.parquet` where people answer in words.

    Args:
        workspace: Where judgments, adjudications and what was pushed lie.
        pages: The kinds that people judge.
        settings: The minimum of votes, and what goes into the summary.
        without_careless: Leave out who missed too many control questions.

    Returns:
        The manifest of the stage.

    Raises:
        InputError: People answer in words, and what answers are read by, such as WordNet, is not installed.
        MissingStageError: Nothing was pushed or pulled yet.
    """
    in_words = words_pages(pages)
    lemmatisers = {page.kind: page.open_lemmatiser() for page in in_words}
    with alone(workspace.annotation):
        judgments = read_judgments(workspace)
        validation_file, response_file = workspace.annotation / VALIDATION, workspace.annotation / RESPONSES
        settled = {**settings.model_dump(mode="json"), "layout": _LAYOUT}
        for name, version in sorted((lemmatiser.name, lemmatiser.version) for lemmatiser in lemmatisers.values()):
            settled |= {name: version, "without_careless": without_careless}
        stage = Stage(
            name=STAGE,
            directory=workspace.annotation,
            inputs=[
                *shards(workspace),
                *(pushed_file(workspace, page.kind) for page in choice_pages(pages)),
                *(workspace.item_file(page.kind) for page in pages),
                adjudication_file(workspace),
            ],
            settings=settled,
            outputs=[workspace.verdict_file, validation_file, *([response_file] if in_words else [])],
        )

        def work() -> dict[str, int]:
            verdicts, summary = tally(workspace, choice_pages(pages), settings, judgments)
            for page in in_words:
                responses, numbers = collect_responses(
                    workspace.read_items(page.kind),
                    having(judgments, "kind", page.kind),
                    cache(lemmatisers[page.kind].lemma),
                    settings,
                    without_careless=without_careless,
                )
                write_batches(response_file, responses.to_batches(), RESPONSE)
                summary[page.kind] = summarise_words(numbers, page.kind, verdicts, settings)
            write_batches(workspace.verdict_file, verdicts.to_batches(), VERDICT)
            write_json(validation_file, summary)
            return _counts(summary)

        simulated = bool(compute.any(judgments["simulated"]).as_py())
        return stage.run(work, what="verdicts (with votes of simulated annotators)" if simulated else "verdicts")


def _counts(summary: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """The counts of the stage's manifest: of each kind its decisions, or what people answered in words."""
    return {
        f"{kind}_{name}": entry[name]
        for kind, entry in summary.items()
        for name in (("judged", "answers") if "answers" in entry else (ACCEPTED, REJECTED, UNDECIDED))
    }


def tally(
    workspace: Workspace, pages: Sequence[ChoicePage], settings: AnnotateSettings, judgments: pa.Table
) -> tuple[pa.Table, dict[str, Any]]:
    """The verdicts on all kinds, adjudications put in, and the summary of each kind."""
    ballots: dict[str, Ballot] = {}
    counted: list[pa.Table] = []
    groups: dict[str, Column] = {}
    rights: dict[str, Column] = {}
    items: dict[str, pa.Table] = {page.kind: eligible_items(page, workspace.read_items(page.kind)) for page in pages}
    for page in pages:
        table = items[page.kind]
        pushed = flat(read_pushed(workspace, page.kind), "item_id").unique()
        of_page = pushed.filter(compute.is_in(pushed, value_set=flat(table, "item_id")))
        ballot = collect(of_page, having(judgments, "kind", page.kind), page.choices)
        texts = flat(table, page.text_column) if isinstance(page, VotePage) and page.text_control else None
        places = compute.index_in(ballot.item_ids, value_set=flat(table, "item_id"))
        originals = None if texts is None else texts.take(places)
        if isinstance(page, AnswerPage):
            rights[page.kind] = right_labels(table.take(places), page.right_choice)
            counted.append(decide_answers(ballot, page.kind, settings.minimum_votes, rights[page.kind]))
        else:
            counted.append(decide(ballot, page.kind, settings.minimum_votes, originals))
        ballots[page.kind] = ballot
        if page.agreement_by:
            groups[page.kind] = flat(table, page.agreement_by).take(places)
    verdicts = overrule(pa.concat_tables([VERDICT.empty_table(), *counted]), read_adjudications(workspace))
    return verdicts, {
        kind: {
            **summarise(ballot, kind, verdicts, judgments, settings, items[kind].num_rows),
            **({"cohen": cohen_by(first_votes(ballot, judgments, 2), groups[kind])} if kind in groups else {}),
            **(_measured(ballot, settings, rights[kind]) if kind in rights else {}),
        }
        for kind, ballot in ballots.items()
    }


def summarise(
    ballot: Ballot, kind: str, verdicts: pa.Table, judgments: pa.Table, settings: AnnotateSettings, items: int
) -> dict[str, Any]:
    """The summary of a kind for the card: decisions, people, agreement and problems.

    The acceptance rate is that of the decided items that were given to people; its interval is Wilson's at 95 %.
    Agreement is that of the people who were asked first: not of who was asked because these were split.
    """
    of_page = verdicts.filter(compute.is_in(verdicts["item_id"], value_set=ballot.item_ids))
    decisions = Counter(of_page["decision"].to_pylist())
    decided = decisions[ACCEPTED] + decisions[REJECTED]
    judged = having(judgments, "kind", kind)
    breaks_ties = settings.kinds[kind].tie_breaker
    first = first_votes(ballot, judgments, settings.people(kind)) if breaks_ties else ballot
    annotators = annotators_of(ballot.votes)
    return {
        "mode": settings.kinds[kind].mode,
        "items": items,
        "judged": of_page.num_rows,
        **{decision: decisions[decision] for decision in (ACCEPTED, REJECTED, UNDECIDED)},
        "ties": int(compute.sum(of_page["tie"]).as_py() or 0),
        "ties_broken": ties_broken(ballot, first),
        "adjudicated": of_page.num_rows - of_page["adjudicator"].null_count,
        "corrected": of_page.num_rows - of_page["text"].null_count,
        "annotators": annotators.total,
        "people": annotators.people,
        "votes": ballot.votes.num_rows,
        "skips": int(compute.sum(judged["skipped"]).as_py() or 0),
        "minimum_votes": settings.minimum_votes,
        "rule": "strict majority" + (", one annotator more is asked about ties" if breaks_ties else ""),
        "acceptance_rate": round(decisions[ACCEPTED] / decided, 6) if decided else None,
        "acceptance_interval": [round(end, 6) for end in wilson_interval(decisions[ACCEPTED], decided)],
        "agreement": agreement(first, settings.people(kind)),
        "problems": dict(sorted(Counter(compute.drop_null(judged["problem"]).to_pylist()).items())),
        "simulated": annotators.simulated,
        "simulation": simulation(settings) if annotators.simulated else None,
    }


def _measured(ballot: Ballot, settings: AnnotateSettings, right: Column) -> dict[str, Any]:
    """What the summary has besides for a kind that people answer: how often they are right."""
    return {"form": "answers", "rule": RULE, "human": human_accuracy(ballot, right, settings.minimum_votes)}


def ties_broken(ballot: Ballot, first: Ballot) -> int:
    """How many items had as many votes for as against among the first votes, and have not among all."""
    tied, left = (
        (votes.cast(FOR) == votes.cast(AGAINST)) & (votes.cast(FOR) + votes.cast(AGAINST) > 0)
        for votes in (first, ballot)
    )
    return int(np.count_nonzero(tied & ~left))


def summarise_words(
    summary: Mapping[str, Any], kind: str, verdicts: pa.Table, settings: AnnotateSettings
) -> dict[str, Any]:
    """The summary of a kind that is answered in words, with the keys of `summarise`: nothing is voted."""
    of_kind = having(verdicts, "kind", kind)
    decisions = Counter(of_kind["decision"].to_pylist())
    return {
        "form": "words",
        "mode": settings.kinds[kind].mode,
        **summary,
        **{decision: decisions[decision] for decision in (ACCEPTED, REJECTED, UNDECIDED)},
        "ties": 0,
        "adjudicated": of_kind.num_rows,
        "corrected": 0,
        "minimum_votes": settings.minimum_votes,
        "rule": "none: answers are collected",
        "acceptance_rate": None,
        "acceptance_interval": None,
        "simulation": simulation(settings, summary["simulated_annotators"]) if summary["simulated"] else None,
    }


def agreement(ballot: Ballot, annotators: int) -> dict[str, float | None]:
    """The coefficients of a kind; null where one is not defined.

    Fleiss' kappa takes the items that have exactly the wanted number of votes; the others take all with two or more.
    """
    counts = ballot.counts()
    full = counts[counts.sum(axis=1) == annotators]
    return {
        "krippendorff_alpha": _number(krippendorff_alpha(counts)),
        "fleiss_kappa": _number(fleiss_kappa(full) if annotators > 1 else math.nan),
        "percent": _number(percent_agreement(counts)),
        "items_with_two_votes": int(np.count_nonzero(counts.sum(axis=1) >= 2)),
    }


def _number(value: float) -> float | None:
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
