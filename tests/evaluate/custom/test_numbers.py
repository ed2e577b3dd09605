"""Numbers of a suite file's evaluation by hand: comparisons, F1, people, a judge's reading, seams."""

from __future__ import annotations

from typing import Any

import pytest

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.prompting import seam
from tashika.evaluate.custom.estimates import mean
from tashika.evaluate.custom.metrics import Row, confusion_of, correlated, macro_f1
from tashika.evaluate.custom.people import against_people
from tashika.evaluate.custom.prompts import read_by
from tashika.evaluate.custom.questions import Item
from tashika.evaluate.custom.targets import Target
from tashika.evaluate.custom.tasks.answering import extracted, folded, is_right
from tashika.evaluate.custom.tasks.choosing import read_label
from tashika.evaluate.custom.tasks.judging import read_score
from tashika.evaluate.ways.generation import Unparsable

FORM = EvaluateForm(task="classification", input="text", target="label", resamples=500)
LABELS = ("good", "bad")


def row(right: int, given: int | None, votes: tuple[int, ...] = ()) -> Row:
    item = Item("i", {}, "?", Target(LABELS, LABELS, right), votes)
    return Row(item, {"correct": given == right, "place": given})


def generating(**values: Any) -> EvaluateForm:
    return EvaluateForm.model_validate({"task": "generate", "input": "text", "target": "words", **values})


# --- estimates ---


def test_f1_counts_what_cannot_be_read_as_missed() -> None:
    rows = [row(0, 0), row(0, 0), row(0, 1), row(1, 1), row(1, None)]
    confusion = confusion_of(rows)
    assert confusion.counts == [[2, 1, 0], [0, 1, 1]]
    assert confusion.f1 == [pytest.approx(2 * 2 / (3 + 2)), pytest.approx(2 * 1 / (2 + 2))]
    found = macro_f1(confusion, FORM)
    assert found.value == pytest.approx((0.8 + 0.5) / 2)
    assert found.low is not None
    assert found.low < 0.65 < (found.high or 0)


def test_a_label_that_nothing_has_does_not_count() -> None:
    confusion = confusion_of([row(0, 0), row(0, 0)])
    assert confusion.f1 == [1.0, None]
    assert macro_f1(confusion, FORM).value == 1.0


def test_a_mean_of_one_value_has_no_interval() -> None:
    assert mean([3.0], FORM).model_dump(exclude_unset=True) == {"n": 1, "value": 3.0}
    assert mean([], FORM).value is None


def test_a_correlation_needs_three_pairs_that_vary() -> None:
    assert correlated([(1, 1), (2, 2)]).r is None
    assert correlated([(1, 1), (1, 2), (1, 3)]).r is None
    assert correlated([(1, 30), (2, 20), (3, 10)]).r == pytest.approx(-1.0)


# --- people ---


def test_people_are_compared_with_the_others_on_the_item() -> None:
    # 4:1 and the model with the many: each of the 4 has 3:1 with them, the 1 has 4:0 against it.
    # 2:2 and the model is right: who is left out has 1:2 against them.
    found = against_people([row(0, 0, (4, 1)), row(1, 1, (2, 2))], FORM)
    assert found is not None
    assert found.one.n == 9
    assert found.one.value == pytest.approx(4 / 9)
    # the first: 5 times with the rest; the second: the rest of the two at 0 say 1, as the model; those at 1 say 0
    assert found.model.value == pytest.approx(7 / 9)
    assert found.majority.value == 1.0
    assert found.undecided == 0


def test_without_votes_there_are_no_people() -> None:
    assert against_people([row(0, 0), row(1, 1, (0, 1))], FORM) is None


# --- replies ---


@pytest.mark.parametrize(
    ("text", "score"), [("4", 4), ("Score: 3.5", 3.5), ("**4**", 4), ("2/5", 2), ("2 out of 5", 2), ("４", 4)]
)
def test_a_judges_number_is_read(text: str, score: float) -> None:
    assert read_score(text, 1, 5) == score


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no number"),
        ("good", "no number"),
        ("4 or 5", "several numbers"),
        ("7/10", "several numbers"),
        ("9", "outside the scale from 1 to 5"),
        ("-2", "outside the scale"),
    ],
)
def test_a_judges_reply_without_one_number_is_refused(text: str, told: str) -> None:
    with pytest.raises(Unparsable, match=told):
        read_score(text, 1, 5)


def test_a_label_is_read_strictly() -> None:
    assert read_label("**Not Good.**", ["good", "not good"]) == 1
    for text, told in (("", "empty"), ("good and bad", "none of the labels"), ("goodness", "none of the labels")):
        with pytest.raises(Unparsable, match=told):
            read_label(text, LABELS)


def test_japanese_answers_are_matched_without_spaces() -> None:
    assert folded("「東京」。") == "東京"
    assert is_right(generating(match="contains"), "答えは東京です", ["東京"])
    assert not is_right(generating(match="contains"), "It is atomic", ["tom"])
    assert is_right(generating(match="normalised"), "！", ["!"])


def test_the_last_number_of_a_reply_counts() -> None:
    form = generating(match="number")
    assert extracted(form, "2 + 2 = 4.") == "4"
    assert extracted(form, "1,234.50 yen") == "1,234.50"
    assert is_right(form, "1,234.50", ["1234.5"])
    assert not is_right(form, "12", ["1.2e2"])


# --- seams ---


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Answer:", ("Answer:", " ")),
        ("Answer: ", ("Answer:", " ")),
        ("Answer:\n", ("Answer:\n", "")),
        ("答え：", ("答え：", "")),
        ("", ("", "")),
    ],
)
def test_the_space_before_an_answer_belongs_to_it(text: str, parts: tuple[str, str]) -> None:
    assert seam(text) == parts


class _Tokenizer:
    """A tokenizer that opens texts with a token, and whose chat template does too."""

    chat_template = "{{ ... }}"
    bos_token = "<s>"
    bos_token_id = 1
    name_or_path = "tiny"

    def apply_chat_template(self, messages: Any, **_: Any) -> str:
        return "<s>" + "".join(f"[{one['role']}] {one['content']} " for one in messages) + "[assistant]"

    def __call__(self, text: str) -> Any:
        return type("Encoded", (), {"input_ids": [1, len(text)]})


def test_a_chat_template_is_read_with_one_opening_token() -> None:
    tokenizer = _Tokenizer()
    assert read_by(tokenizer, "Hi?", "Be brief.", chat=True) == ("[system] Be brief. [user] Hi? [assistant]", "")
    assert read_by(tokenizer, "Hi?", "Be brief.", chat=False) == ("Be brief.\n\nHi?", " ")
