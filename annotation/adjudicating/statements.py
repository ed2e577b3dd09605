"""What people said of single items, put together for those who look at items one by one: curators, adjudicators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from tashika.annotation.judging.columns import compute
from tashika.annotation.labelling import ChoicePage, FormPage, Page, PreferencePage, TextPage
from tashika.annotation.votes.gone import without_gone
from tashika.annotation.votes.vote import latest_statements

GONE = "an answer that the page no longer has"


@dataclass(frozen=True)
class Statement:
    """The last thing that a person said of an item.

    Attributes:
        annotator: A pseudonym.
        label: As in `records.JUDGMENT`.
        text: A correction, or what was written where people write.
        note: What was remarked.
        simulated: Whether a program said it.
        counts: Whether the page still has the answer.
    """

    annotator: str
    label: str | None
    text: str | None
    note: str | None
    simulated: bool
    counts: bool = True


@dataclass(frozen=True)
class Statements:
    """What people said of an item.

    Attributes:
        votes: Of who gave an answer, by pseudonym.
        skipped: How many passed it over.
        unsound: How many gave nothing but answers with problems.
    """

    votes: Sequence[Statement] = ()
    skipped: int = 0
    unsound: int = 0

    @property
    def asked(self) -> int:
        """How many people have met the item."""
        return len(self.votes) + self.skipped + self.unsound

    @property
    def simulated(self) -> bool:
        """Whether programs are among those who answered."""
        return any(vote.simulated for vote in self.votes)


@dataclass
class _Gathered:
    votes: list[Statement] = field(default_factory=list)
    sound: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)


def statements_by_item(page: Page, judgments: pa.Table, item_ids: Iterable[str]) -> dict[str, Statements]:
    """What people said of some items; items that nobody has met have empty statements.

    Args:
        page: The page as it is now.
        judgments: Rows of `records.JUDGMENT` of the page's kind.
        item_ids: The items.
    """
    gathered = {item_id: _Gathered() for item_id in item_ids}
    known = pa.array(list(gathered), pa.string())
    judgments = judgments.filter(compute.is_in(judgments["item_id"], value_set=known))
    for row in judgments.select(["item_id", "annotator", "problem"]).to_pylist():
        gathered[row["item_id"]].asked.add(row["annotator"])
        if row["problem"] is None:
            gathered[row["item_id"]].sound.add(row["annotator"])
    latest = latest_statements(judgments)
    counted = {(row["item_id"], row["annotator"]) for row in without_gone(page, latest).to_pylist()}
    for row in latest.to_pylist():
        said = (row["label"], row["text"], row["note"])
        counts = (row["item_id"], row["annotator"]) in counted
        gathered[row["item_id"]].votes.append(Statement(row["annotator"], *said, row["simulated"], counts))
    return {item_id: _statements(answers) for item_id, answers in gathered.items()}


def _statements(gathered: _Gathered) -> Statements:
    voted = {vote.annotator for vote in gathered.votes}
    return Statements(
        votes=tuple(gathered.votes),
        skipped=len(gathered.sound - voted),
        unsound=len(gathered.asked - gathered.sound),
    )


def answer_words(page: Page, vote: Statement) -> str:
    """What somebody answered, as curators read it: labels by their names, a preference by its column, or the text."""
    if not vote.counts:
        return f"{vote.label or vote.text or 'nothing'} ({GONE})"
    if isinstance(page, TextPage):
        return vote.text or "(an empty text)"
    return " + ".join(page.parts(vote.label)) if isinstance(page, FormPage) and vote.label else str(vote.label)


def shown_words(page: Page, vote: Statement, item_id: str) -> str:
    """What somebody answered, as the page itself says it in its language: of a preference the side, not the column."""
    if not vote.counts:
        return GONE if isinstance(page, PreferencePage) else answer_words(page, vote)
    if not isinstance(page, ChoicePage) or not vote.label:
        return answer_words(page, vote)
    choices = [vote.label]
    if isinstance(page, FormPage):
        choices = [page.choice_of(part, item_id) for part in page.parts(vote.label)]
    return ", ".join(page.words_on_page.get(choice, choice) for choice in choices)


def correction_of(page: Page, vote: Statement) -> str | None:
    """The text that somebody proposes beside a vote; None where the text itself is the answer."""
    return None if isinstance(page, TextPage) else vote.text
