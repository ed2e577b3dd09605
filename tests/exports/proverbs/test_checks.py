"""Every check on a release of the proverbs that fails just this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.files import hash_file, read_json
from tashika.exports.checks import GENERIC, Check, ReleaseFiles, message_of
from tashika.exports.parquet import write_table
from tashika.exports.proverbs import checks
from tashika.exports.proverbs.checks import PROVERBS
from tashika.exports.schema import features
from tests.exports.proverbs import samples

SUITE, CONFIG, FILE = "proverbs", "pairs", "pairs/test.parquet"

"""The helper module beside this file, which conftest.py loads."""


class Draft:
    """A release to break: rows that are written back, with a record that fits them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = read_json(folder / "release.json")
        self.rows: list[dict[str, Any]] = pq.read_table(folder / FILE).to_pylist()

    def row(self, name: str) -> dict[str, Any]:
        return next(row for row in self.rows if row["item_id"] == samples.pair_id(name))

    def failing(self) -> list[str]:
        table = pa.Table.from_pylist(self.rows, schema=features(SUITE, CONFIG).arrow_schema)
        write_table(self.folder / FILE, table, SUITE, CONFIG)
        self.record["counts"][CONFIG] = len(self.rows)
        self.record["files"][FILE] = {"rows": len(self.rows), "sha256": hash_file(self.folder / FILE)}
        found = ReleaseFiles(self.folder, self.record)
        return [check.__name__ for check in (*GENERIC, *PROVERBS) if list(check(found))]


@pytest.fixture
def draft(proverb_release: Path) -> Draft:
    return Draft(proverb_release)


def another_topic(draft: Draft) -> None:
    draft.row("bird")["topic"] = "weather"


def another_change(draft: Draft) -> None:
    draft.row("bird")["change"] = "colour"


def another_maker(draft: Draft) -> None:
    draft.row("bird")["maker"] = "LLM"


def another_form(draft: Draft) -> None:
    draft.row("bird")["form"] = "how"


def a_question_on_another_proverb(draft: Draft) -> None:
    draft.row("bird")["question"] = draft.row("pot")["question"]


def a_question_in_another_form(draft: Draft) -> None:
    draft.row("bird")["variant_question"] = 'What does "A bird in the hand is worth three in the bush" mean?'


def a_variant_without_its_question(draft: Draft) -> None:
    draft.row("bird")["variant"] = "A bird in the hand is worth four in the bush."


def a_variant_that_is_its_proverb(draft: Draft) -> None:
    row = draft.row("bird")
    row["variant"], row["variant_question"] = "a bird in the  hand is worth two in the bush", row["question"]


def two_lines(draft: Draft) -> None:
    draft.row("bird")["variant"] = "A bird in the hand\nis worth three in the bush."


def no_letter(draft: Draft) -> None:
    row = draft.row("chickens")
    row["variant"], row["variant_question"] = "...", 'What does "" mean?'


def a_pair_twice(draft: Draft) -> None:
    draft.rows.append({**draft.row("bird"), "item_id": "a" * 32, "topic": "society"})


def a_pair_the_other_way_round(draft: Draft) -> None:
    row = draft.row("bird")
    turned = {
        "proverb": row["variant"].upper(), "question": f"What does it mean to say {row['variant'].upper()[:-1]}?",
        "variant": row["proverb"], "variant_question": row["question"],
    }  # fmt: skip
    turned["question"] = turned["question"].replace("say A BIRD", "say a BIRD")
    draft.rows.append({**row, **turned, "item_id": "b" * 32})


BREAKS: list[tuple[Callable[[Draft], None], Check]] = [
    (another_topic, checks.words_are_known),
    (another_change, checks.words_are_known),
    (another_maker, checks.words_are_known),
    (another_form, checks.words_are_known),
    (two_lines, checks.texts_are_lines),
    (no_letter, checks.texts_are_lines),
    (a_question_on_another_proverb, checks.questions_fit),
    (a_question_in_another_form, checks.questions_fit),
    (a_variant_without_its_question, checks.questions_fit),
    (a_variant_that_is_its_proverb, checks.variants_differ),
    (a_pair_twice, checks.pairs_differ),
    (a_pair_the_other_way_round, checks.pairs_differ),
]


def test_a_sound_release_passes(draft: Draft) -> None:
    assert draft.failing() == []


@pytest.mark.parametrize(("damage", "check"), BREAKS, ids=[damage.__name__ for damage, _ in BREAKS])
def test_a_break_fails_its_own_check_alone(draft: Draft, damage: Callable[[Draft], None], check: Check) -> None:
    damage(draft)
    assert draft.failing() == [check.__name__]


def test_a_pair_that_shares_one_text_is_another_pair(draft: Draft) -> None:
    text = "A bird in the hand is worth ten in the bush."
    row = {**draft.row("bird"), "item_id": "c" * 32, "variant": text}
    row["variant_question"] = "What does it mean to say a bird in the hand is worth ten in the bush?"
    draft.rows.append(row)
    assert draft.failing() == []


def test_every_check_says_what_must_hold_and_is_broken_here() -> None:
    assert {check.__name__ for check in PROVERBS} == {check.__name__ for _, check in BREAKS}
    assert all(message_of(check).endswith(".") for check in PROVERBS)
