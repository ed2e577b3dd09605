from __future__ import annotations

import pytest

from tashika.builders.proverbs.variants import Example, VariantSettings, change_for, cost, parsed, question_of
from tashika.core.llm import Cost

OWL = Example(proverb="The cat sleeps.", change="animal", variant="The owl sleeps.")


def settings(**values: object) -> VariantSettings:
    return VariantSettings(**{"instruction": "Write {wanted}.", "lead": "Again:", "examples": (OWL,), **values})


@pytest.mark.parametrize(
    ("line", "change", "origin", "text"),
    [
        ("number: Two heads, no hand.", "number", None, "Two heads, no hand."),
        ("Animal : A dog: a friend", "animal", None, "A dog: a friend"),
        ('object: "A pan boils."', "object", None, "A pan boils."),
        ("wording(Japanese): Even monkeys fall.", "wording", "Japanese", "Even monkeys fall."),
        ("wording [West African]: The hen knows.", "wording", "West African", "The hen knows."),
        ("wording: Latin: Haste slowly.", "wording", "Latin", "Haste slowly."),
        ('object: "a pan boils."', "object", None, "A pan boils."),
    ],
)
def test_reads_a_line(line: str, change: str, origin: str | None, text: str) -> None:
    assert parsed(line)[:3] == (text, change, origin)
    assert parsed(line).problem is None


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("A pan boils.", "is not of the form"),
        ("Here are three variants:", "is not of the form"),
        ("number:", "is not of the form"),
        ("colour: A black dog.", "unknown change 'colour'"),
        ("gender: A woman.", "unknown change 'gender'"),
        ("wording: Haste slowly.", "without its name"),
        ("wording(): Haste slowly.", "without its name"),
        ("animal(Japanese): A monkey.", "a culture's name"),
    ],
)
def test_refuses_a_line(line: str, problem: str) -> None:
    assert problem in (parsed(line).problem or "")


def test_many_are_asked_for_in_one_request() -> None:
    question = question_of("A dog barks.", settings(mode="many", wanted=4, max_tokens=10), 1)
    assert (question.prompt, question.system, question.max_tokens) == ("A dog barks.", "Write 4.", 40)
    assert (question.stop, question.number) == (None, 1)


def test_a_small_model_goes_on_with_examples() -> None:
    question = question_of("Two dogs bark.", settings(), 0)
    assert question.prompt == (
        "Again:\n\nProverb: The cat sleeps.\nAnother animal: The owl sleeps.\n\n"
        "Proverb: Two dogs bark.\nAnother number:"
    )
    assert question.stop == "\n"


def test_what_a_small_model_is_asked_to_change() -> None:
    texts = ["Two dogs bark.", "Dogs bark.", "Pots boil."]
    assert [change_for(text) for text in texts] == ["number", "animal", "object"]


def test_cost_counts_every_round() -> None:
    # "Write 4." and "A dog barks." are 20 characters: 5 tokens and one.
    assert cost(["A dog barks."] * 2, settings(mode="many", wanted=4, max_tokens=10, rounds=3)) == Cost(6, 36, 240)
    assert cost([], settings()) == Cost()


def test_a_source_is_named_once() -> None:
    with pytest.raises(ValueError, match="names a source twice"):
        settings(use=("model", "model"))
