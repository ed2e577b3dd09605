"""Gold questions: items whose answer is known, by which people are checked and which nobody votes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tashika.annotation.judging.columns import having
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.questionnaires import gold_questions
from tashika.annotation.labelling import Page, TextPage, WordsPage
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.gone import without_gone
from tashika.annotation.votes.rules import Accuracy, Rule
from tashika.annotation.words.controls import Checked, check_people
from tashika.core.texts import text_key
from tashika.core.workspace import Workspace


@dataclass(frozen=True)
class Gold:
    """How people did on the gold questions of a kind.

    Attributes:
        questions: How many there are.
        people: Who met one.
        most_missed: Who missed a larger share is careless.
    """

    questions: int
    people: Mapping[str, Checked]
    most_missed: float

    @property
    def careless(self) -> list[str]:
        """Who missed too many, by pseudonym."""
        return sorted(name for name, checked in self.people.items() if checked.share > self.most_missed)

    def summary(self, *, left_out: bool) -> dict[str, Any]:
        """What `validation.json` says of them, in the form that control questions for words have."""
        careless = {
            name: {"answered": checked.answered, "missed": checked.missed, "skipped": checked.skipped}
            for name, checked in self.people.items()
            if name in self.careless
        }
        return {
            "controls": self.questions,
            "most_missed": self.most_missed,
            "careless": dict(sorted(careless.items())),
            "careless_left_out": left_out,
        }


def check_gold(page: Page, items: pa.Table, judgments: pa.Table, most_missed: float) -> Gold:
    """Sets what people said of the gold questions against what is known of them.

    A person's last sound answer to a question counts, or the last that is none if there is no sound one, which is
    missed. What the page has lost since is neither right nor wrong. Skips are counted as `words.controls.Checked` says.

    Args:
        page: The page.
        items: All items of the kind.
        judgments: Rows of `records.JUDGMENT` of the kind.
        most_missed: Who missed a larger share is careless.
    """
    known = {row["item_id"]: _key(page, page.known_answer(row)) for row in gold_questions(page, items).to_pylist()}

    def is_wrong(row: Mapping[str, Any]) -> bool:
        said = row["text"] if isinstance(page, TextPage) else row["label"]
        return bool(row["problem"]) or _key(page, said) != known[row["item_id"]]

    people = check_people(known, without_gone(page, judgments), is_wrong)
    return Gold(len(known), people, most_missed)


def rule_for(page: Page, settings: AnnotateSettings, gold: Gold | None) -> Rule:
    """The rule by which the votes on a kind decide, with people's accuracy on its gold questions, if it has any."""
    people = gold.people if gold else {}
    right = {name: (checked.answered - checked.missed, checked.answered) for name, checked in people.items()}
    return Rule(settings.rule_of(page.kind), Accuracy(right))


def _key(page: Page, answer: str | None) -> str | None:
    """What two answers have in common that are the same."""
    return text_key(answer) if answer is not None and isinstance(page, TextPage) else answer


def gold_lines(workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings) -> list[str]:
    """Who missed too many of the gold questions that were pulled, a line a person and kind.

    Where people answer in words, `words.responses` says it.
    """
    checked = [page for page in pages if page.checks_people and not isinstance(page, WordsPage)]
    if not checked or not shards(workspace):
        return []
    judgments, most = read_judgments(workspace), settings.most_missed
    lines = []
    for page in checked:
        gold = check_gold(page, workspace.read_items(page.kind), having(judgments, "kind", page.kind), most)
        lines += [
            f"{page.kind}: {name} missed {gold.people[name].describe()}, more than {most:.0%}" for name in gold.careless
        ]
    return lines
