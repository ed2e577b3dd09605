from __future__ import annotations

from collections.abc import Sequence

import pytest

from tashika.builders.tempripple.distractors import OptionSet, Pool, Source
from tashika.builders.tempripple.properties import Properties, read_properties
from tashika.builders.tempripple.questions import (
    Asked,
    Context,
    Material,
    Other,
    Question,
    Refused,
    add_path,
    add_tenure,
    related_question,
    tenure_question,
)
from tashika.builders.tempripple.records import Path, StableFact, Value
from tashika.core.settings import packaged
from tashika.core.suites.tempripple import QUESTION

LABELS = {
    "Q30": "United States of America", "Q22686": "Donald Trump", "Q6279": "Joe Biden", "Q76": "Barack Obama",
    "Q235349": "Jill Biden", "Q432473": "Melania Trump", "Q1860": "English", "Q9063": "Slovene",
    "Q142": "France", "Q3052772": "Emmanuel Macron", "Q27": "Ireland", "Q5052598": "Catherine Connolly",
    "Q155": "Brazil", "Q1": "Brazil national football team", "Q2": "Dorival Júnior", "Q40": "head coach",
}  # fmt: skip
CONTEXT = "The most recent head of state of the United States of America is Donald Trump."
HISTORY = ("Donald Trump", "Joe Biden", "Donald Trump", "Barack Obama")


@pytest.fixture(scope="module")
def properties() -> Properties:
    return read_properties(packaged("tempripple_properties.toml"))


def president(place: int) -> Asked:
    item = ("Q22686", "Q6279", "Q22686", "Q76")[place - 1]
    return Asked("Q30", "P35", item, place, CONTEXT, HISTORY)


def material(
    properties: Properties,
    others: Sequence[tuple[str, int, str, str]],
    options: int = 4,
    option_set: OptionSet = "other-facts",
) -> Material:
    """With these (relation, hop, text, form) of another fact."""
    pool = Pool()
    for relation, hop, text, kind in others:
        pool.add(Source(relation, hop, "Q142 P35"), text, kind)
    for place in range(1, 5):
        add_tenure(pool, president(place), LABELS)
    return Material(properties, LABELS, pool, seed=1, options=options, option_set=option_set)


HEADS = [("P35", 0, name, "item") for name in ("Emmanuel Macron", "Catherine Connolly", "Nicușor Dan")]


def test_the_question_on_a_tenure_that_came_back(properties: Properties) -> None:
    first = tenure_question(material(properties, HEADS), president(1), "one")
    third = tenure_question(material(properties, HEADS), president(3), "three")
    assert isinstance(first, Question)
    assert isinstance(third, Question)
    assert first.text == "Who is the most recent head of state of the United States of America?"
    assert third.text == "Who was the third most recent head of state of the United States of America?"
    assert (first.task, third.task) == ("new", "old")
    for question in (first, third):
        assert question.options[question.answer] == "Donald Trump"
        assert set(question.options) == {"Donald Trump", "Emmanuel Macron", "Catherine Connolly", "Nicușor Dan"}
        assert question.answers == ("Donald Trump",)
        assert question.context == CONTEXT
    assert third.reasoning == "United States of America - head of state (third most recent) -> Donald Trump"


def test_no_object_of_the_history_is_a_wrong_option_even_if_others_have_it(properties: Properties) -> None:
    found = material(properties, [*HEADS[:2], ("P35", 0, "Barack Obama", "item")])
    assert tenure_question(found, president(2), "two") == Refused("too-few-options", "Joe Biden")


def test_the_payload_has_the_columns_of_the_item(properties: Properties) -> None:
    question = tenure_question(material(properties, HEADS), president(2), "two")
    assert isinstance(question, Question)
    payload = question.payload()
    assert list(payload) == list(QUESTION.columns)
    assert isinstance(payload["options"], list)
    assert (payload["hop"], payload["place"], payload["last_relation"]) == (0, 2, "P35")


SPOUSE = StableFact("Q6279", "P26", (Value("Q235349", "item"),))


def test_nested_questions(properties: Properties) -> None:
    languages = [("P103", 2, name, "item") for name in ("Slovene", "French", "Irish")]
    path = Path((SPOUSE, StableFact("Q235349", "P103", (Value("Q1860", "item"),))))
    question = related_question(material(properties, languages), president(2), path, "q")
    assert isinstance(question, Question)
    assert question.text == (
        "What is the native language of the spouse of the previous head of state of the United States of America?"
    )
    assert (question.task, question.hop, question.last_relation) == ("related_old", 2, "P103")
    assert set(question.options) == {"English", "Slovene", "French", "Irish"}
    assert question.reasoning == (
        "United States of America - head of state (previous) -> Joe Biden - spouse -> Jill Biden"
        " - native language -> English"
    )


def test_other_right_answers_and_what_was_once_true_are_no_options(properties: Properties) -> None:
    names = ["Villanova", "Delaware", "Oxford", "Yale", "Sciences Po", "Jill Biden", "Joe Biden"]
    labels = {**LABELS, "Q11": "Villanova", "Q12": "Delaware", "Q13": "Oxford"}
    found = material(properties, [("P69", 2, name, "item") for name in names])
    found = Material(properties, labels, found.pool, seed=0, options=3)
    studied = StableFact("Q235349", "P69", (Value("Q11", "item"), Value("Q12", "item")))
    also = [Value("Q13", "item"), Value("Q99", "item")]
    chosen = set()
    for number in range(20):
        question = related_question(found, president(2), Path((SPOUSE, studied)), str(number), Context(also))
        assert isinstance(question, Question)
        assert question.answers == ("Villanova", "Delaware")
        chosen.add(question.options[question.answer])
        assert set(question.options) - {"Villanova", "Delaware"} == {"Yale", "Sciences Po"}
    assert chosen == {"Villanova", "Delaware"}


def test_dates_are_shown_in_words_beside_dates_as_precise(properties: Properties) -> None:
    others = [("P569", 1, text, "time-2") for text in ("1 May 1950", "2 May 1950", "3 May 1950")]
    others += [("P569", 1, str(year), "time-0") for year in range(1900, 1950)]
    born = Path((StableFact("Q6279", "P569", (Value("1942-11-20", "time"),)),))
    question = related_question(material(properties, others), president(2), born, "q")
    assert isinstance(question, Question)
    assert set(question.options) == {"20 November 1942", "1 May 1950", "2 May 1950", "3 May 1950"}
    assert question.widening == ""


def test_too_few_at_the_hop_are_widened_and_said_so(properties: Properties) -> None:
    others = [("P26", 1, "Brigitte Macron", "item"), *(("P26", hop, f"Spouse {hop}", "item") for hop in (2, 3))]
    question = related_question(material(properties, others), president(2), Path((SPOUSE,)), "q")
    assert isinstance(question, Question)
    assert question.widening == "hop"
    assert "widening" not in question.payload()


def coach(relation: str, item: str) -> Path:
    return Path((StableFact("Q2", relation, (Value(item, "item"),)),))


@pytest.mark.parametrize(
    ("asked", "path", "refused"),
    [
        (Asked("Q7", "P35", "Q76", 1, "", HISTORY), Path(()), Refused("no-label", "Q7")),
        (Asked("Q30", "P35", "Q7", 1, "", HISTORY), Path(()), Refused("no-label", "Q7")),
        (president(2), Path((StableFact("Q6279", "P26", (Value("Q7", "item"),)),)), Refused("no-label", "Q7")),
        (
            president(2),
            Path((StableFact("Q6279", "P26", (Value("Q7", "item"),)), StableFact("Q7", "P21", (Value("Q8", "item"),)))),
            Refused("no-label", "Q7"),
        ),
        (
            president(2),
            Path((StableFact("Q6279", "P21", (Value("Q76", "item"),)), SPOUSE)),
            Refused("nothing-asked", "P21"),
        ),
        (Asked("Q155", "P17", "Q155", 1, "", ()), Path(()), Refused("answer-in-question", "Brazil")),
        (Asked("Q1", "P286", "Q2", 1, "", ()), coach("P27", "Q155"), Refused("answer-in-question", "Brazil")),
        (
            Asked("Q1", "P286", "Q2", 1, "", ()),
            coach("P106", "Q40"),
            Refused("answer-in-question", "head coach"),
        ),
        (president(2), Path((SPOUSE,)), Refused("too-few-options", "Jill Biden")),
    ],
)
def test_what_is_not_asked(properties: Properties, asked: Asked, path: Path, refused: Refused) -> None:
    found = material(properties, HEADS)
    question = related_question(found, asked, path, "q") if path.steps else tenure_question(found, asked, "q")
    assert question == refused


def test_a_code_that_is_a_word_of_the_question_gives_nothing_away(properties: Properties) -> None:
    codes = [("P218", 1, code, "string") for code in ("fr", "de", "sl")]
    path = Path((StableFact("Q76", "P218", (Value("is", "string"),)),))
    question = related_question(material(properties, codes), president(4), path, "q")
    assert isinstance(question, Question)
    assert question.options[question.answer] == "is"


def test_an_answer_that_stands_in_the_question_leaves_the_others(properties: Properties) -> None:
    labels = {**LABELS, "Q9": "Argentina"}
    pool = material(properties, [("P27", 1, name, "item") for name in ("France", "Ireland", "Peru")]).pool
    path = Path((StableFact("Q2", "P27", (Value("Q155", "item"), Value("Q9", "item"))),))
    asked = Asked("Q1", "P286", "Q2", 1, "", ())
    question = related_question(Material(properties, labels, pool), asked, path, "q")
    assert isinstance(question, Question)
    assert question.options[question.answer] == "Argentina"
    assert question.answers == ("Brazil", "Argentina")


def test_objects_of_paths_become_options_of_other_facts_alone(properties: Properties) -> None:
    pool = Pool()
    macron = Asked("Q142", "P35", "Q3052772", 1, "", ())
    children = StableFact("Q3052772", "P40", tuple(Value(item, "item") for item in ("Q27", "Q155", "Q142", "Q0")))
    add_path(pool, macron, Path((children,)), LABELS)
    found = Material(properties, LABELS, pool)
    path = Path((StableFact("Q6279", "P40", (Value("Q76", "item"),)),))
    question = related_question(found, president(2), path, "q")
    assert isinstance(question, Question)
    assert set(question.options) == {"Barack Obama", "Ireland", "Brazil", "France"}
    own = related_question(found, macron, Path((StableFact("Q3052772", "P40", (Value("Q76", "item"),)),)), "q")
    assert own == Refused("too-few-options", "Barack Obama")


# --- options of the same history, and the other side

BIDEN = Context(
    others=[Other(place, (Value(name, "string"),)) for place, name in enumerate(HISTORY, 1) if place != 2], other_side=1
)
"""What is known of the previous one: Trump follows and went before, Obama was the fourth."""


@pytest.mark.parametrize(
    ("option_set", "lured", "of_the_history"),
    [("other-facts", False, set()), ("mixed", True, {"Donald Trump"}), ("same-history", True, set(HISTORY[2:]))],
)
def test_the_new_object_tempts_where_it_is_offered(
    properties: Properties, option_set: OptionSet, lured: bool, of_the_history: set[str]
) -> None:
    question = tenure_question(material(properties, HEADS, option_set=option_set), president(2), "two", BIDEN)
    assert isinstance(question, Question)
    assert question.options[question.answer] == "Joe Biden"
    assert set(question.options) & set(HISTORY) == {"Joe Biden", *of_the_history}
    assert len(set(question.options)) == 4
    assert (question.lure is not None) == lured
    assert question.lure is None or question.options[question.lure] == "Donald Trump"
    assert (question.counterpart, question.option_set) == ("differs", option_set)


def test_who_came_back_is_no_lure_and_the_answer_is_the_same(properties: Properties) -> None:
    known = Context(
        others=[Other(1, (Value("Donald Trump", "string"),)), Other(2, (Value("Joe Biden", "string"),))], other_side=1
    )
    found = material(properties, HEADS, option_set="same-history")
    question = tenure_question(found, president(3), "three", known)
    assert isinstance(question, Question)
    assert (question.lure, question.counterpart) == (None, "same")
    assert "Joe Biden" in question.options


def test_what_may_be_right_is_no_lure(properties: Properties) -> None:
    known = Context([Value("Donald Trump", "string")], BIDEN.others, 1)
    found = material(properties, HEADS, option_set="mixed")
    question = tenure_question(found, president(2), "two", known)
    assert isinstance(question, Question)
    assert "Donald Trump" not in question.options
    assert "Barack Obama" in question.options  # the next to tempt, and of no side
    assert question.lure is None


def test_a_path_has_the_answer_that_it_leads_to_from_the_new_object(properties: Properties) -> None:
    """Jill Biden's languages against Melania Trump's; and a day tempts among days alone."""
    languages = [("P103", 2, name, "item") for name in ("French", "Romanian", "Irish")]
    native = Path((SPOUSE, StableFact("Q235349", "P103", (Value("Q1860", "item"),))))
    new = Context(others=[Other(1, (Value("Q9063", "item"),))], other_side=1, certainty="likely")
    question = related_question(material(properties, languages, option_set="mixed"), president(2), native, "q", new)
    assert isinstance(question, Question)
    assert question.lure is not None
    assert (question.options[question.lure], question.counterpart, question.certainty) == (
        "Slovene",
        "differs",
        "likely",
    )
    same = Context(others=[Other(1, (Value("Q9063", "item"), Value("Q1860", "item")))], other_side=1)
    both = related_question(material(properties, languages, option_set="mixed"), president(2), native, "q", same)
    assert isinstance(both, Question)
    assert both.counterpart == "same"  # the right option is right of the new one as well
    days = [("P569", 1, f"{day} May 1950", "time-2") for day in (1, 2, 3)]
    born = Path((StableFact("Q6279", "P569", (Value("1942-11-20", "time"),)),))
    for other, offered in (("1946-06-14", True), ("1946", False)):
        known = Context(others=[Other(1, (Value(other, "time"),))], other_side=1)
        question = related_question(material(properties, days, option_set="mixed"), president(2), born, "q", known)
        assert isinstance(question, Question)
        assert (question.lure is not None) == offered


def test_nothing_known_of_the_other_side(properties: Properties) -> None:
    question = tenure_question(material(properties, HEADS, option_set="same-history"), president(2), "two")
    assert isinstance(question, Question)
    assert (question.lure, question.counterpart, question.certainty) == (None, "none", "certain")
