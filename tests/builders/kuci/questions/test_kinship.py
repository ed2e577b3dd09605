"""What is no wrong option because it may be right as well."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tashika.builders.kuci.questions.candidates import AKIN
from tashika.builders.kuci.questions.consequents import SCALE, Pool
from tashika.builders.kuci.questions.questions import questions
from tashika.builders.kuci.questions.settings import QuestionSettings
from tests.builders.kuci.questions.by_hand import COSINES, of, pair, together, vectors, wrong
from tests.builders.kuci.questions.test_questions import spread

RAIN = (1.0, 0.0)
STORM = (0.8, 0.6)  # a cosine of .8 with rain
SHOP = (0.0, 1.0)  # of 0 with rain, of .6 with a storm
TABLE = vectors(
    {"答": RAIN, "雨": RAIN, "嵐": STORM, "店": SHOP, "海": RAIN, "山": SHOP, "行く": (0.6, 0.8)}
    | {word: (cosine, (1 - cosine**2) ** 0.5) for word, cosine in COSINES.items()}
)
WAYS = pytest.mark.parametrize("how", [{}, {"even": True}], ids=["at random", "in groups"])


def of_rain(*antecedents: str) -> list[dict[str, Any]]:
    """A question about rain, and a candidate of each antecedent."""
    words = ("下", "低", "中", "高", "上")
    made = [pair(f"p{number}", f"{word} と", words[number]) for number, word in enumerate(antecedents)]
    return [pair("q", "雨 の", "答"), *made]


@WAYS
def test_what_followed_from_the_like_is_no_wrong_option(how: dict[str, bool]) -> None:
    made = of_rain("店", "店 店", "嵐", "店 店 店")
    assert wrong(of(questions(made, TABLE, together(kinship=0.79, **how))[0], "q")) == {"下", "低", "高"}
    chosen = wrong(of(questions(made, TABLE, together(kinship=1, **how))[0], "q"))
    assert len(chosen) == 3
    assert "高" in chosen  # the only one of the high bin


@WAYS
def test_of_several_antecedents_the_most_similar_counts(how: dict[str, bool]) -> None:
    made = [*of_rain("店", "店 店", "店 嵐", "店 店 店"), pair("again", "嵐 の", "低")]
    assert wrong(of(questions(made, TABLE, together(kinship=0.79, **how))[0], "q")) == {"下", "中", "高"}


@WAYS
def test_an_event_like_the_answers_is_no_wrong_option(how: dict[str, bool]) -> None:
    """海:ニ:行く is (1.6, .8); with 山:ニ:行く, (.6, 1.8), it has a cosine of .707, with 海 alone one of .894."""
    events = {"q": "海:ニ:行く", "p0": "山:ニ:行く", "p1": "海:ガ:無い", "p2": "", "p3": "山:ガ:無い"}
    made = [
        {**one, "consequent_event": events[one["item_id"]]} for one in of_rain("店", "店 店", "店 店 店", "店 店 の")
    ]
    rows, _ = questions([*made, pair("p4", "店 が", "上")], TABLE, together(kinship=0.8, **how))
    assert "低" not in wrong(of(rows, "q"))
    rows, counts = questions(made, TABLE, together(kinship=0.7, **how))
    assert not [row for row in rows if row["pair"] == "q"]
    assert counts[AKIN] >= 1


def test_kinship_by_hand() -> None:
    made = of_rain("店", "嵐")
    pool = Pool(made, TABLE, dict.fromkeys(("q", "p0", "p1"), "train"))
    places = np.array(sorted(place for one in made if (place := pool.place(one)) is not None))
    cosines = pool.kinship([made[0], made[1]], places) / SCALE**2
    by_text = {pool.parents[place]["consequent"]: cosines[:, number] for number, place in enumerate(places)}
    assert by_text["答"] == pytest.approx([1, 0], abs=1e-3)
    assert by_text["下"] == pytest.approx([0, 1], abs=1e-3)
    assert by_text["低"] == pytest.approx([0.8, 0.6], abs=1e-3)


def test_where_use_is_balanced_strangers_are_taken_first() -> None:
    """Contexts of one word each: on average less like those of the wrong options than where kinship is no matter."""
    made, table = spread()
    words = sorted({word for one in made for word in one["consequent_words"]})
    made = [
        {**one, "antecedent_words": [words[number % 30], str(number)], "antecedent": f"{words[number % 30]}{number}"}
        for number, one in enumerate(made)
    ]
    means = {}
    for kinship in (0.99, 1.0):
        rows, _ = questions(made, table, QuestionSettings(kinship=kinship, split=(1, 0, 0)))
        directions, _ = table.directions([one["antecedent_words"] for one in made])
        place = {one["item_id"]: number for number, one in enumerate(made)}
        assert len(rows) > 600
        means[kinship] = np.mean(
            [directions[place[row["pair"]]] @ directions[place[other]] for row in rows for other in row["parents"][1:]]
        )
    assert means[0.99] < means[1.0] - 0.1
