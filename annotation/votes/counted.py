"""The votes on one kind, counted by its rule: verdicts, answers, and the kind's part of the summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tashika.annotation.judging.columns import Column, compute, flat, having
from tashika.annotation.labelling import AnswerPage, ChoicePage, FormPage, TextPage, VotePage
from tashika.annotation.quality.agreeing import agreement_with_intervals
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.answers import decide_answers, right_labels
from tashika.annotation.votes.form_summaries import summarise_form
from tashika.annotation.votes.forms import FormBallot, answers_of, collect_form, decide_form, verdicts_of
from tashika.annotation.votes.pairwise import cohen_by, cohen_parts, first_votes, votes_compared
from tashika.annotation.votes.rules import Rule
from tashika.annotation.votes.summaries import measured, summarise
from tashika.annotation.votes.vote import Ballot, collect, decide


@dataclass(frozen=True)
class Counted:
    """What the votes on one kind come to.

    Attributes:
        page: The page.
        items: The items of the kind, without gold questions.
        ballot: The votes.
        rule: How they decide.
        verdicts: Rows of `records.VERDICT`, without adjudications.
        answers: Rows of `records.ANSWER`, without adjudications; none where people vote.
        right: The right choice of each of the ballot's items, where that is known.
    """

    page: ChoicePage | TextPage
    items: pa.Table
    ballot: Ballot | FormBallot
    rule: Rule
    verdicts: pa.Table
    answers: Sequence[Mapping[str, Any]] = ()
    right: Column | None = None

    @property
    def groups(self) -> Column | None:
        """The group of each of the ballot's items by which agreement is reported; None for no groups."""
        by = self.page.agreement_by if isinstance(self.page, ChoicePage) else None
        return None if by is None else self._column(by)

    @property
    def parts(self) -> dict[str, Column]:
        """The columns of the ballot's items by whose values together agreement is reported."""
        names = self.page.agreement_parts if isinstance(self.page, ChoicePage) else ()
        return {name: self._column(name) for name in names}

    def _column(self, name: str) -> Column:
        """A column of the ballot's items."""
        return flat(self.items, name).take(_places(self.ballot.item_ids, self.items))

    def comparable(self, judgments: pa.Table, settings: AnnotateSettings) -> Ballot | FormBallot:
        """The votes that agreement is taken over; see `pairwise.votes_compared`."""
        count = votes_compared(settings, self.page.kind)
        if count is None:
            return self.ballot
        if isinstance(self.ballot, FormBallot):
            return first_votes(self.ballot, judgments, count)
        return first_votes(self.ballot, judgments, count)

    def summary(
        self, verdicts: pa.Table, answers: pa.Table, judgments: pa.Table, settings: AnnotateSettings
    ) -> dict[str, Any]:
        """The kind's part of `validation.json`.

        Args:
            verdicts: Rows of `records.VERDICT` of all kinds, adjudications put in.
            answers: Rows of `records.ANSWER` of all kinds, adjudications put in.
            judgments: Rows of `records.JUDGMENT` of all kinds.
            settings: The minimum of votes, and how people were simulated.
        """
        kind, first = self.page.kind, self.comparable(judgments, settings)
        if isinstance(self.ballot, FormBallot) and isinstance(first, FormBallot):
            known = compute.is_in(answers["item_id"], value_set=pa.array(list(self.page.gold), pa.string()))
            of_kind = having(answers.filter(compute.invert(known)), "kind", kind)
            entry = summarise_form(self.ballot, first, verdicts, of_kind, judgments, settings, self.items, self.rule)
        else:
            assert isinstance(self.ballot, Ballot)
            assert isinstance(first, Ballot)
            entry = summarise(self.ballot, first, kind, verdicts, judgments, settings, self.items.num_rows, self.rule)
            if self.groups is not None:
                entry["cohen"] = cohen_by(first_votes(self.ballot, judgments, 2), self.groups)
            if self.parts:
                entry["cohen_parts"] = cohen_parts(first_votes(self.ballot, judgments, 2), self.parts)
            if self.right is not None:
                entry |= measured(self.ballot, settings, self.right, self.rule)
        entry["agreement"] |= {"first_votes": votes_compared(settings, kind)}
        entry["agreement"] |= agreement_with_intervals(first, self.groups)
        return {**entry, "rule_name": self.rule.name, "caveats": self.caveats()}

    def caveats(self) -> list[str]:
        """What the rule cannot know from these votes."""
        if isinstance(self.ballot, FormBallot):
            return self.rule.caveats(self.ballot.question()) if isinstance(self.page, FormPage) else []
        return self.rule.caveats(self.ballot.answers())


def count_kind(
    page: ChoicePage | TextPage,
    items: pa.Table,
    asked: Column,
    judgments: pa.Table,
    settings: AnnotateSettings,
    rule: Rule,
) -> Counted:
    """Counts the votes on one kind.

    Args:
        page: The page.
        items: The items of the kind, without gold questions.
        asked: Those that were given to people.
        judgments: Rows of `records.JUDGMENT` of the kind that shall count.
        settings: The minimum of votes.
        rule: How the votes decide.
    """
    least = settings.minimum_votes
    if isinstance(page, FormPage | TextPage):
        ballot = collect_form(page, asked, judgments)
        decided = decide_form(ballot, least, rule)
        return Counted(
            page, items, ballot, rule, verdicts_of(ballot, decided, least, rule), answers_of(ballot, decided)
        )
    votes = collect(asked, judgments, page.choices)
    places = _places(votes.item_ids, items)
    if isinstance(page, AnswerPage):
        right = right_labels(items.take(places), page.right_choice)
        verdicts = decide_answers(votes, page.kind, least, right, rule)
        return Counted(page, items, votes, rule, verdicts, right=right)
    texts = flat(items, page.text_column) if isinstance(page, VotePage) and page.text_control else None
    originals = None if texts is None else texts.take(places)
    return Counted(page, items, votes, rule, decide(votes, page.kind, least, originals, rule))


def _places(item_ids: Column, items: pa.Table) -> Column:
    """Where each of these items stands in the table of all of them."""
    places: Column = compute.index_in(item_ids, value_set=flat(items, "item_id"))
    return places
