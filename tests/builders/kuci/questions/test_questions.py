from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tashika.builders.kuci.questions import groups
from tashika.builders.kuci.questions.candidates import EMPTY, NO_VECTOR, OTHER_FORM, TOO_FEW, UNBALANCED
from tashika.builders.kuci.questions.questions import REPEATED, questions
from tashika.builders.kuci.questions.settings import QuestionSettings
from tashika.builders.kuci.questions.splits import clause_key
from tashika.builders.kuci.questions.word_vectors import WordVectors
from tashika.core.suites.kuci.words import CONDITIONS, SPLITS
from tests.builders.kuci.questions.by_hand import HAND, of, others, pair, together, vectors, wrong


def test_a_question_as_it_is() -> None:
    made = [pair("q", "雨 が 降っ た ので", "答"), *others("低", "中", "高")]
    rows, counts = questions(made, HAND, together())
    row = of(rows, "q")
    assert row["context"] == "雨が降ったので"
    assert row["options"][row["answer"]] == "答"
    assert dict(zip(row["options"], row["similarities"], strict=True)) == pytest.approx(
        {"答": 1.0, "低": 0.44, "中": 0.5, "高": 0.56}, abs=2e-4
    )
    assert row["parents"][0] == "q"
    names = {"p0": "低", "p1": "中", "p2": "高"}
    assert [names[one] for one in row["parents"][1:]] == [one for one in row["options"] if one != "答"]
    assert counts["pairs"] == 4
    assert counts["questions"] == len(rows) / 3


@pytest.mark.parametrize("seed", range(8))
def test_one_of_each_bin(seed: int) -> None:
    """Five candidates: the two lowest, the two above them, the highest."""
    made = [pair("q", "雨 が 降っ た ので", "答"), *others("下", "低", "中", "高", "上", "遠", "近")]
    row = of(questions(made, HAND, together(seed=seed))[0], "q")
    found = wrong(row)
    assert "上" in found
    assert len(found & {"下", "低"}) == 1
    assert len(found & {"中", "高"}) == 1


def test_bins_of_equal_width() -> None:
    """The range's thirds end at .467 and .533: the middle one holds nothing but 中."""
    made = [pair("q", "雨 が 降っ た ので", "答"), *others("下", "低", "中", "高", "上")]
    wide = together(bins="widths")
    assert "中" in wrong(of(questions(made, HAND, wide)[0], "q"))
    made = [one for one in made if one["consequent"] != "中"]
    _, counts = questions(made, HAND, wide)
    assert counts["no candidate in the middle bin"] >= 1
    assert len(wrong(of(questions(made, HAND, together())[0], "q"))) == 3


def test_both_ends_of_the_range_are_in_it() -> None:
    made = [pair("q", "雨 が 降っ た ので", "答"), *others("端", "中", "高")]
    assert wrong(of(questions(made, HAND, together())[0], "q")) == {"端", "中", "高"}


def test_length_is_half_to_twice_the_answers_words() -> None:
    """The answer has four words; two and eight are in, one and nine are out."""
    made = [
        pair("q", "雨 が 降っ た ので", "答 あ い う"),
        *others("低 あ", "中 あ い う え お か き", "高", "上 あ い う え お か き く", "下 あ い"),
    ]
    rows, _ = questions(made, HAND, together())
    assert wrong(of(rows, "q")) == {"低あ", "中あいうえおかき", "下あい"}


def test_the_ablations_let_in_what_the_condition_kept_out() -> None:
    near = [pair(f"n{number}", f"前{number} と", f"近 語{number}") for number in range(40)]
    long = [pair(f"l{number}", f"後{number} と", f"中 長 い い い 語{number}") for number in range(40)]
    rows, _ = questions([pair("q", "雨 が 降っ た ので", "答 あ"), *others("低 あ", "中 あ", "高 あ"), *near, *long],
                        HAND, together())  # fmt: skip
    assert wrong(of(rows, "q")) == {"低あ", "中あ", "高あ"}
    assert any(one.startswith("近語") for one in wrong(of(rows, "q", "without_similarity")))
    assert not any(one.startswith("中長") for one in wrong(of(rows, "q", "without_similarity")))
    assert any(one.startswith("中長") for one in wrong(of(rows, "q", "without_length")))
    assert not any(one.startswith("近語") for one in wrong(of(rows, "q", "without_length")))


SAME = ("雨:ガ:降る", "道:ガ:濡れる")


@pytest.mark.parametrize(
    "right",
    [
        [pair("r", "雨 が 降っ た ので", "中")],  # the same antecedent
        [pair("r", "雨 が ふる と", "中", (SAME[0], ""))],  # the same event in it
        [pair("r", "別 だ から", "中", ("", SAME[1]))],  # the answer's event: a paraphrase
        # the event of another consequent of the antecedent
        [pair("r", "別 だ から", "中", ("", "傘:ヲ:差す")), pair("s", "雨 が 降っ た ので", "遠", ("", "傘:ヲ:差す"))],
    ],
)
def test_what_may_be_right_is_no_wrong_option(right: list[dict[str, Any]]) -> None:
    question = pair("q", "雨 が 降っ た ので", "答", SAME)
    rows, counts = questions([question, *others("低", "高"), *right], HAND, together())
    assert not rows
    assert counts[TOO_FEW] == counts["pairs"]
    rows, _ = questions([question, *others("低", "高", "下", "上"), *right], HAND, together())
    for conditions in CONDITIONS:
        assert "中" not in wrong(of(rows, "q", conditions))


def test_no_two_options_of_one_event() -> None:
    """The lowest and the middle bin share an event; the middle one has another candidate."""
    made = [
        pair("q", "雨 が 降っ た ので", "答"),
        pair("a", "一 だ から", "下", ("", "火:ガ:消える")),
        pair("b", "二 だ から", "低", ("", "火:ガ:消える")),
        pair("c", "三 だ から", "中", ("", "火:ガ:消える")),
        pair("d", "四 だ から", "高", ("", "水:ガ:漏れる")),
        pair("e", "五 だ から", "上", ("", "木:ガ:倒れる")),
    ]
    for seed in range(5):
        rows, _ = questions(made, HAND, together(seed=seed))
        assert wrong(of(rows, "q")) & {"中", "高"} == {"高"}
    _, counts = questions(made[:4], HAND, together())
    assert counts["no candidate in the middle bin"] == 1


def test_a_consequent_that_many_pairs_have_is_one_candidate() -> None:
    made = [pair("q", "雨 が 降っ た ので", "答"), *others("低", "中", "中", "中")]
    made[-1]["consequent_words"] = ["中 "]
    _, counts = questions(made, HAND, together())
    assert counts["questions"] == 0


def test_pairs_without_a_question_are_counted() -> None:
    made = [
        pair("q", "雨 が 降っ た ので", "答"),
        pair("z", "雨 が 降っ た ので", "答"),
        pair("v", "雪 だ から", "未知"),
    ]
    rows, counts = questions([*made, *others("低", "中", "高")], HAND, together())
    assert counts[REPEATED] == 1
    assert counts[NO_VECTOR] == 1
    assert of(rows, "q")
    assert not any(row["pair"] in {"z", "v"} for row in rows)
    assert sum(counts.values()) == 2 * counts["pairs"]


def test_no_pairs() -> None:
    assert questions([], HAND, together()) == ([], {"pairs": 0, "questions": 0})


def test_pairs_none_of_which_has_a_vector() -> None:
    assert questions(others("未", "知"), HAND, together()) == ([], {"pairs": 2, "questions": 0, NO_VECTOR: 2})


@pytest.mark.parametrize(
    "wrong_settings",
    [
        {"similarity": (0.6, 0.4)},
        {"similarity": (0.4, 1.4)},
        {"length": (0, 2)},
        {"length": (2, 0.5)},
        {"split": (0, 0, 0)},
        {"split": (-1, 1, 1)},
        {"split": (8, 2)},
        {"split": (float("nan"), 1, 1)},
        {"bins": "thirds"},
        {"block": 0},
    ],
)
def test_settings_that_make_no_sense(wrong_settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        QuestionSettings(**wrong_settings)


# How long the options are


def spread() -> tuple[list[dict[str, Any]], WordVectors]:
    """300 consequents of three words each, so that Length lets all in; of 6 to 14 characters, few of them the same."""
    draw = np.random.default_rng(2)
    made = [
        pair(f"i{number}", f"前{number} と", " ".join(f"{word:02}" + "長" * (number % 5) for word in chosen))
        for number, chosen in enumerate(draw.integers(0, 30, (300, 3)))
    ]
    words = {word for one in made for word in one["consequent_words"]}
    rows: dict[str, list[float]] = {word: (draw.normal(size=8) + 0.6).tolist() for word in sorted(words)}
    return made, vectors(rows)


def ranks(row: Mapping[str, Any], table: WordVectors, made: Mapping[str, Mapping[str, Any]]) -> tuple[int, int, int]:
    """Options longer than the answer and as long as it; options nearer to the mean direction of the other three."""
    lengths = [len(one) for one in row["options"]]
    own = lengths.pop(row["answer"])
    directions, _ = table.directions([made[one]["consequent_words"] for one in row["parents"]])  # the answer's is first
    total = directions.sum(axis=0)
    central = [float(one @ (total - one)) for one in directions]
    return sum(one > own for one in lengths), lengths.count(own), sum(one > central[0] for one in central)


def test_the_answer_is_anywhere_by_length_and_by_centrality() -> None:
    """Each rank in a quarter of the questions, equal options sharing theirs."""
    made, table = spread()
    by_id = {one["item_id"]: one for one in made}
    for how in ({"balance": True}, {"balance": False}):
        shares = rank_shares(questions(made, table, together(even=True, **how))[0], table, by_id)
        for (conditions, cue), counts in shares.items():
            if (conditions, cue) != ("without_length", "length"):
                assert np.abs(counts - counts.sum() / 4).max() <= 1, (how, conditions, cue, counts)


def rank_shares(
    rows: Sequence[Mapping[str, Any]], table: WordVectors, made: Mapping[str, Mapping[str, Any]]
) -> dict[tuple[str, str], Any]:
    """How many answers have each rank, by set and cue; those that equal k - 1 others have a kth of k ranks."""
    counts: dict[tuple[str, str], Any] = {}
    for row in rows:
        above, same, central = ranks(row, table, made)
        by_length, by_centrality = np.zeros(4), np.zeros(4)
        by_length[above : above + same + 1] = 1 / (same + 1)
        by_centrality[central] = 1
        for cue, own in (("length", by_length), ("centrality", by_centrality)):
            counts[row["conditions"], cue] = counts.get((row["conditions"], cue), 0) + own
    return counts


# Against a plain loop over pairs

WORDS = "abcdefgh"
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
tables = st.lists(st.tuples(*[st.integers(-3, 6)] * 3), min_size=len(WORDS), max_size=len(WORDS)).map(
    lambda rows: dict(zip(WORDS, rows, strict=True))
)
pair_lists = st.lists(
    st.tuples(st.integers(0, 12), words, st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=40
).map(
    lambda made: [
        pair(f"i{place:02}", f"前{antecedent} と", " ".join(consequent), (f"e{one % 8 or ''}"[:one], f"f{two}"))
        for place, (antecedent, consequent, one, two) in enumerate(made)
    ]
)


def test_wrong_options_come_from_the_questions_own_part() -> None:
    made, table = spread()
    rows, counts = questions(made, table, QuestionSettings(seed=1))
    parts = {row["pair"]: row["split"] for row in rows}
    assert Counter(parts.values()).keys() == set(SPLITS)
    assert counts["questions"] > 250
    known = [(row["split"], parts[one]) for row in rows for one in row["parents"] if one in parts]
    assert all(own == other for own, other in known)
    mixed, _ = questions(made, table, together(seed=1))
    parts = {row["pair"]: row["split"] for row in mixed}
    assert any(parts.get(one, row["split"]) != row["split"] for row in mixed for one in row["parents"])


RANDOM = together(similarity=(0.2, 0.8), block=3)
EVEN = RANDOM.model_copy(update={"even": True})
WIDE = EVEN.model_copy(update={"balance": True})


def cosine(one: Sequence[str], two: Sequence[str], table: Mapping[str, Sequence[float]]) -> float:
    first, second = (np.mean([table[word] for word in each], axis=0) for each in (one, two))
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def may_be_right(question: Mapping[str, Any], other: Mapping[str, Any], made: Sequence[Mapping[str, Any]]) -> bool:
    known = [
        one
        for one in made
        if one["antecedent"] == question["antecedent"]
        or (one["antecedent_event"] and one["antecedent_event"] == question["antecedent_event"])
    ]
    holders = {
        one["consequent"] for one in made if one["consequent_event"] in {two["consequent_event"] for two in known}
    }
    return other["consequent"] in holders | {one["consequent"] for one in known}


@settings(max_examples=80)
@given(pair_lists, tables, st.sampled_from([WIDE, EVEN, RANDOM]))
def test_every_question_meets_the_conditions(
    made: list[dict[str, Any]], table: dict[str, Sequence[float]], how: QuestionSettings
) -> None:
    rows, counts = questions(made, vectors(table), how)
    by_id = {one["item_id"]: one for one in made}
    for row in rows:
        question, distractors = by_id[row["pair"]], [by_id[one] for one in row["parents"][1:]]
        assert [one["consequent"] for one in distractors] == [
            one for place, one in enumerate(row["options"]) if place != row["answer"]
        ]
        assert len({clause_key([one]) for one in row["options"]}) == 4
        assert len({one["consequent_event"] for one in distractors}) == 3
        for other in distractors:
            assert not may_be_right(question, other, made)
            told = row["similarities"][row["options"].index(other["consequent"])]
            found = cosine(question["consequent_words"], other["consequent_words"], table)
            assert told == pytest.approx(found, abs=5e-4)
            assert row["conditions"] == "without_similarity" or 0.2 <= told <= 0.8
            ratio = len(other["consequent_words"]) / len(question["consequent_words"])
            assert row["conditions"] == "without_length" or 0.5 <= ratio <= 2
    sets = Counter(row["pair"] for row in rows)
    assert set(sets.values()) <= {3}
    assert len(sets) == counts["questions"]
    assert sum(counts.values()) == 2 * counts["pairs"]
    assert len({(row["pair"], row["split"]) for row in rows}) == len(sets)  # the same split in each set


@settings(max_examples=40)
@given(pair_lists, tables)
def test_no_question_is_missed(made: list[dict[str, Any]], table: dict[str, Sequence[float]]) -> None:
    """Who has three candidates well within the range, of three events, has a question or an empty bin."""
    rows, counts = questions(made, vectors(table), RANDOM)
    asked = {row["pair"] for row in rows}
    with_vector = [one for one in made if np.mean([table[word] for word in one["consequent_words"]], axis=0).any()]
    missed = 0
    for question in with_vector:
        good = {
            other["consequent"]
            for other in with_vector
            if not may_be_right(question, other, made)
            and 0.21 <= cosine(question["consequent_words"], other["consequent_words"], table) <= 0.79
            and 0.5 <= len(other["consequent_words"]) / len(question["consequent_words"]) <= 2
        }
        missed += len(good) >= 3 and question["item_id"] not in asked
    assert missed <= counts.get(REPEATED, 0) + sum(n for reason, n in counts.items() if reason.endswith("bin"))


@settings(max_examples=40)
@given(pair_lists, tables, st.randoms(), st.integers(1, 50))
def test_neither_the_order_nor_the_blocks_matter(
    made: list[dict[str, Any]], table: dict[str, Sequence[float]], random: Any, block: int
) -> None:
    expected = questions(made, vectors(table), WIDE)
    shuffled = list(made)
    random.shuffle(shuffled)
    assert questions(shuffled, vectors(table), WIDE.model_copy(update={"block": block})) == expected


def test_most_questions_stay_when_pairs_are_added() -> None:
    """A new consequent is drawn for three in a hundred of its questions or so, and moves a bin's end for a few.

    Where they are balanced, fewer stay: another assignment costs less than the old one with the new pair fitted in.
    """
    draw = np.random.default_rng(0)
    table = {f"w{number}": row for number, row in enumerate(draw.normal(size=(101, 8)) + 1)}
    made = [pair(f"i{number}", f"前{number} と", f"w{number}") for number in range(101)]
    for balance, least in ((False, 0.8), (True, 0.4)):
        how = together(balance=balance)
        before, after = (questions(some, vectors(table), how)[0] for some in (made[:100], made))
        kept = sum(wrong(row) == wrong(of(after, row["pair"], row["conditions"])) for row in before)
        assert kept > least * len(before)


def test_answers_are_anywhere() -> None:
    draw = np.random.default_rng(1)
    table = {f"w{number}": row for number, row in enumerate(draw.normal(size=(200, 8)) + 1)}
    rows, _ = questions(
        [pair(f"i{number}", f"前{number} と", f"w{number}") for number in range(200)],
        vectors(table),
        together(),
    )
    places = Counter(row["answer"] for row in rows)
    assert all(0.18 < places[place] / len(rows) < 0.32 for place in range(4))


# How often texts are used


def uses(rows: Sequence[Mapping[str, Any]], conditions: str) -> dict[tuple[str, str], tuple[int, int]]:
    """Part and text -> how often it is an answer, and how often a wrong option."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for row in rows:
        if row["conditions"] == conditions:
            for place, text in enumerate(row["options"]):
                answer, distractor = counts.get((row["split"], text), (0, 0))
                right = place == row["answer"]
                counts[row["split"], text] = answer + right, distractor + (not right)
    return counts


@settings(max_examples=60)
@given(pair_lists, tables)
def test_each_text_is_a_wrong_option_three_times_as_often_as_an_answer(
    made: list[dict[str, Any]], table: dict[str, Sequence[float]]
) -> None:
    rows, _ = questions(made, vectors(table), WIDE)
    for conditions in CONDITIONS:
        everywhere: Counter[tuple[str, bool]] = Counter()
        for (_, text), (answer, distractor) in uses(rows, conditions).items():
            everywhere[text, True] += 3 * answer
            everywhere[text, False] += distractor
        assert all(everywhere[text, True] == everywhere[text, False] for text, _ in everywhere)


def test_use_is_balanced_in_each_part_and_places_are() -> None:
    made, table = spread()
    rows, counts = questions(made, table, QuestionSettings())
    assert counts["questions"] >= 250
    for conditions in CONDITIONS:
        used = uses(rows, conditions)
        assert {split for split, _ in used} == set(SPLITS)
        assert all(3 * answer == distractor for answer, distractor in used.values())
        for split in SPLITS:
            places = Counter(row["answer"] for row in rows if (row["conditions"], row["split"]) == (conditions, split))
            assert max(places.values()) - min(places[place] for place in range(4)) <= 1


def test_large_parts_are_balanced_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "BLOCK", 40)
    made, table = spread()
    rows, counts = questions(made, table, together(balance=True))
    assert counts["questions"] > 200
    sharing: dict[str, set[str]] = {}
    for row in rows:
        for text in row["options"]:
            sharing.setdefault(text, set()).update(row["options"])
    reached, ahead = set[str](), [rows[0]["options"][0]]
    while ahead:
        text = ahead.pop()
        if text not in reached:
            reached.add(text)
            ahead += sharing[text]
    assert len(reached) < 80  # of 300: no question shares an option with one of another block
    assert all(3 * a == d for a, d in uses([{**row, "split": ""} for row in rows], "both").values())


def test_pairs_whose_texts_cannot_be_used_alike_have_no_question() -> None:
    """Four of equal likeness are each other's wrong options. A fifth is like three of them, and not like the fourth.

    These two have three candidates each, the same three, of which each would be used by all four others.
    """
    four = np.linalg.cholesky(np.full((4, 4), 0.5) + np.eye(4) / 2)  # cosines of .5
    fifth = np.linalg.solve(four, [0.45, 0.45, 0.45, -0.2])
    rows_of = [*([*row, 0.0] for row in four.tolist()), [*fifth.tolist(), float(np.sqrt(1 - fifth @ fifth))]]
    table = vectors(dict(zip("abcde", rows_of, strict=True)))
    made = [pair(word, f"前{word} と", word) for word in "abcde"]
    for some, without in ((made[:4], {}), (made, {UNBALANCED: 1})):
        rows, counts = questions(some, table, together(balance=True, split=(1, 0, 0)))
        assert counts == {"pairs": len(some), "questions": 4, **without}
        assert all({*"abc"} < set(row["options"]) for row in rows)
        assert len({*"de"} & {option for row in rows for option in row["options"]}) == 1
        assert sorted(row["answer"] for row in rows if row["conditions"] == "both") == [0, 1, 2, 3]
    assert questions(made[:3], table, together(balance=True))[1] == {"pairs": 3, "questions": 0, TOO_FEW: 3}


# The form of options


def test_wrong_options_have_the_answers_form() -> None:
    forms = ("past plain statement", "past polite statement", "non-past plain statement", "non-past plain request")
    made, table = spread()
    made = [{**one, "consequent_form": forms[number % 4]} for number, one in enumerate(made)]
    for how in (QuestionSettings(split=(1, 0, 0)), together(match=("tense", "style", "act"))):
        rows, counts = questions(made, table, how)
        assert counts["questions"] > 150
        assert all(len(set(row["forms"])) == 1 for row in rows)
    by_id = {one["item_id"]: one for one in made}
    for row in questions(made, table, together(match=("tense",)))[0]:
        parents = [by_id[one]["consequent_form"] for one in row["parents"]]
        assert row["forms"][row["answer"]] == parents[0]
        assert [form for place, form in enumerate(row["forms"]) if place != row["answer"]] == parents[1:]
        assert len({form.split()[0] for form in parents}) == 1
    rows = questions(made, table, together(match=()))[0]
    assert any(len(set(row["forms"])) > 1 for row in rows)


def test_candidates_of_another_form_are_not_enough() -> None:
    made = [pair("q", "雨 が 降っ た ので", "答", form="past plain statement"), *others("低", "中", "高")]
    _, counts = questions(made, HAND, together())
    assert counts[OTHER_FORM] == 1
    rows, _ = questions(made, HAND, together(match=("style", "act")))
    assert of(rows, "q")


def test_what_names_no_event_is_no_option() -> None:
    made = [pair("q", "雨 が 降っ た ので", "答"), *others("低", "中", "高", "下", "上")]
    made[2]["consequent_empty"] = True  # 中
    rows, counts = questions(made, HAND, together())
    assert counts[EMPTY] == 1
    assert not any("中" in row["options"] for row in rows)
    rows, _ = questions([*made[:3], made[3]], HAND, together(refuse_empty=False))
    assert "中" in wrong(of(rows, "q"))


def test_balanced_questions_depend_on_the_pairs_alone() -> None:
    made, table = spread()
    expected = questions(made, table, QuestionSettings())
    draw = np.random.default_rng(5)
    for _ in range(2):
        draw.shuffle(made)  # type: ignore[arg-type]
        assert questions(made, table, QuestionSettings()) == expected
