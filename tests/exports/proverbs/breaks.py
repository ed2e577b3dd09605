"""How releases of proverbs break, one check at a time."""

from __future__ import annotations

from typing import Any

from tashika.exports.proverbs import checks
from tests.exports.drafts import Draft, ReleaseToys, broken
from tests.exports.proverbs import samples


def pair(draft: Draft, name: str) -> dict[str, Any]:
    return draft.row("pairs", item_id=samples.pair_id(name))


def another_topic(draft: Draft) -> None:
    pair(draft, "bird")["topic"] = "weather"


def another_change(draft: Draft) -> None:
    pair(draft, "bird")["change"] = "colour"


def another_maker(draft: Draft) -> None:
    pair(draft, "bird")["maker"] = "LLM"


def another_form(draft: Draft) -> None:
    pair(draft, "bird")["form"] = "how"


def a_question_on_another_proverb(draft: Draft) -> None:
    pair(draft, "bird")["question"] = pair(draft, "pot")["question"]


def a_question_in_another_form(draft: Draft) -> None:
    pair(draft, "bird")["variant_question"] = 'What does "A bird in the hand is worth three in the bush" mean?'


def a_variant_without_its_question(draft: Draft) -> None:
    pair(draft, "bird")["variant"] = "A bird in the hand is worth four in the bush."


def a_variant_that_is_its_proverb(draft: Draft) -> None:
    row = pair(draft, "bird")
    row["variant"], row["variant_question"] = "a bird in the  hand is worth two in the bush", row["question"]


def two_lines(draft: Draft) -> None:
    pair(draft, "bird")["variant"] = "A bird in the hand\nis worth three in the bush."


def no_letter(draft: Draft) -> None:
    row = pair(draft, "chickens")
    row["variant"], row["variant_question"] = "...", 'What does "" mean?'


def a_pair_twice(draft: Draft) -> None:
    draft.rows("pairs").append({**pair(draft, "bird"), "item_id": "a" * 32, "topic": "society"})


def a_pair_the_other_way_round(draft: Draft) -> None:
    row = pair(draft, "bird")
    turned = {
        "proverb": row["variant"].upper(), "question": f"What does it mean to say {row['variant'].upper()[:-1]}?",
        "variant": row["proverb"], "variant_question": row["question"],
    }  # fmt: skip
    turned["question"] = turned["question"].replace("say A BIRD", "say a BIRD")
    draft.rows("pairs").append({**row, **turned, "item_id": "b" * 32})


def another_direction(draft: Draft) -> None:
    pair(draft, "clothes")["direction"] = "men"


def a_control_without_its_pair(draft: Draft) -> None:
    row = pair(draft, "prudent")
    row["proverb"] = "Adversity makes any man wise, not rich."
    row["question"] = "Why is it said that adversity makes any man wise, not rich?"


def a_control_that_is_asked_otherwise(draft: Draft) -> None:
    row = pair(draft, "prudent")
    row["form"] = "say"
    for name, text in (("question", row["proverb"]), ("variant_question", row["variant"])):
        row[name] = f"What does it mean to say a{text[1:-1]}?"


BREAKS = [
    *broken(checks.words_are_known, another_topic, another_change, another_maker, another_form, another_direction),
    *broken(checks.texts_are_lines, two_lines, no_letter),
    *broken(
        checks.questions_fit, a_question_on_another_proverb, a_question_in_another_form, a_variant_without_its_question
    ),
    *broken(checks.variants_differ, a_variant_that_is_its_proverb),
    *broken(checks.pairs_differ, a_pair_twice, a_pair_the_other_way_round),
    *broken(checks.controls_have_their_pair, a_control_without_its_pair, a_control_that_is_asked_otherwise),
]
RELEASE = ReleaseToys("proverbs", samples.fill, samples.write_config, BREAKS)
