"""What only KUCI can say on its card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tashika.core.suites.kuci import PAPERS, drawing
from tashika.core.suites.papers import bibtex_of
from tashika.exports.plan import CardText, CountRow

_SUMMARY: Final = """\
Japanese commonsense questions made of what ordinary sentences say. お腹が空いたので、ご飯を食べる tells of two basic
events, the first being the cause of the second. People confirmed that it is. The first event becomes a question's
context, the second its right option; three second events of other pairs are the wrong options. A model chooses the one
that follows best:

> お腹が空いたので、 … 1. コーヒーを飲む 2. **ご飯を食べる** 3. 汗をかく 4. 眠くなる

Nobody wrote a question or an option for it, so there is no hand of a writer that gives answers away. The design is that
of the paper below; the example is the paper's own."""

_OWN_LICENCE: Final = "a text of your own has its own, to be checked before this release is passed on"
_PACKAGED: Final = f"CC0 1.0 for the packaged text; {_OWN_LICENCE}"
_GINZA: Final = (
    "MIT; the model's own metadata lists training sources under CC BY-NC-SA and under commercial licences. No text of "
    "theirs is in this release"
)

_FILTERED: Final = drawing.filtered({})
CARD: Final = CardText(
    summary=_SUMMARY,
    building=(
        "Basic events are pairs of a predicate and an argument that occur often: in Kyoto University's case frames, "
        "or, as named among the sources, counted in other text than the pairs come from.",
        "Sentences were analysed, and relations of cause or reason and of condition between two clauses were taken "
        "where a word marks them without doubt.",
        "Reliable: the two clauses are the last ones of the sentence, the first depending on the second. Basic: both "
        "hold a basic event; a second clause without an argument borrows the first one's.",
        _FILTERED,
        "People were shown the two events, without the sentence, and chose between `A は B の原因・理由である` and "
        "`その他の関係、もしくは関係がない`, for causes and conditions alike. Pairs that most of them took for a cause "
        "are released.",
    ),
    licences={
        "sentences-a.txt": _PACKAGED,
        "sentences-b.txt": _PACKAGED,
        "sentences-c.txt": _PACKAGED,
        "sentences-d.txt": _PACKAGED,
        "sentences-e.txt": _PACKAGED,
        "frames.txt": _PACKAGED,
        "frames-b.txt": _PACKAGED,
        "ja-ginza": _GINZA,
        "ja_ginza": _GINZA,  # its vectors
        "ginza": "MIT",
        "spacy": "MIT",
        "sudachipy": "Apache-2.0",
        "sudachidict-core": "Apache-2.0",
        "pyknp": "BSD-3-Clause",
    },
    published=("Omura et al. 2020",),
    counts=(
        CountRow("pairs that people accepted", "pairs", (34_170,)),
        CountRow("of them with a marker of cause or reason", "cause_pairs", ()),
        CountRow("of them with a marker of condition", "condition_pairs", ()),
        CountRow("of them with a borrowed argument", "borrowed_pairs", ()),
        CountRow("questions", "questions", (34_132,)),
        CountRow("training questions", "train_questions", (27_304,)),
        CountRow("validation questions", "validation_questions", (3_278,)),
        CountRow("test questions", "test_questions", (3_288,)),
        CountRow("questions without Similarity", "questions_without_similarity", ()),
        CountRow("questions without Length", "questions_without_length", ()),
        CountRow("questions that people judged option by option", "judged_questions", ()),
        CountRow("in which more than one option fits", "more_than_one_fits", ()),
        CountRow("in which the answer alone fits", "the_answer_alone_fits", ()),
        CountRow("in which another option alone fits", "another_option_alone_fits", ()),
        CountRow("in which no option fits", "no_option_fits", ()),
        CountRow("that they leave undecided", "fit_undecided", ()),
    ),
    counts_note=(
        "The paper's three parts add up to 33,870, not to its 34,132 questions. It took 51,841 candidate pairs from "
        "180 million sentences of web text; people's most frequent answers were right on 94 % of 100 questions, and "
        "fine-tuned BERT-large on 79.5 % of the test part (numbers as corrected by the authors)."
    ),
    example="questions",
    limits=(
        "Questions are to be answered one by one. Where texts are used alike, each is the answer of one question and a "
        "wrong option of three: whoever sees several questions of a part beside each other may exclude what is an "
        "answer elsewhere.",
        "Unless the sources above say otherwise, the sentences are our own, written in the style of everyday web text "
        "for this toolkit: they are few, and tamer than what people write. Scores are not comparable with the paper's.",
        "The analyser finds relations with rules. Where GiNZA was used, its model learnt from sources that are partly "
        "licensed for non-commercial use alone; what that means for its output is for you to judge.",
        "The words that the vectors do not know play no part in an option's similarity.",
        "A wrong option is wrong because no accepted pair says otherwise. Some may be fitting answers all the same: "
        "`more_than_one` marks them in the questions that people judged option by option, and in those alone.",
        "In `questions_without_similarity` and `questions_without_length` the options may give the answer away, or be "
        "right as well. They are for the ablations alone.",
        "What is common sense here is what some people in Japan take for it.",
    ),
    citation=bibtex_of(PAPERS),
    tags=("commonsense", "japanese", "multiple-choice", "causality"),
    task_categories=("multiple-choice", "question-answering"),
    use_cases=(
        "Training and measuring language models on everyday commonsense in Japanese: what is likely to follow.",
        "It is no source of advice on health or safety: what follows most often is not what should be done.",
    ),
    biases=(
        "What people in Japan say and take for granted, in written everyday language; other ways of life are rarely "
        "in it.",
        "Relations that the analyser finds are those that a word marks; what goes without saying is missing.",
    ),
    personal_information=(
        "None in the packaged text, which was written for it. A text of your own may name people; look before you "
        "release it.",
    ),
    social_impact=(
        "It helps to measure Japanese models on ordinary life. Models that learn it learn what is usual for some "
        "people, and may take it for what is right."
    ),
)
"""See `plan.CardText`."""


def card_text(built_with: Mapping[str, Any]) -> CardText:
    """The card's text of a release, whose questions were made with these settings.

    Args:
        built_with: What `release.json` holds of them; empty where there are no questions.
    """
    if not built_with:
        return CARD
    steps = [drawing.filtered(built_with) if step == _FILTERED else step for step in CARD.building]
    return replace(CARD, building=(*steps, *_of_questions(built_with)))


def _of_questions(built_with: Mapping[str, Any]) -> tuple[str, ...]:
    """How questions were made, one sentence or two a step."""
    return (
        "Each question has its pair's first event as the context and its second event as the answer. What is known to "
        "follow from the same context, or shares its event, is no wrong option.",
        drawing.parts(built_with),
        f"{drawing.origin(built_with)} {drawing.form(built_with)} {drawing.kinship(built_with)}",
        f"Similarity: {drawing.condition_similarity(built_with)} Length: {drawing.condition_length(built_with)}",
        f"{drawing.use(built_with)} {drawing.evenness(built_with)}",
        "A pair that finds no wrong options has no question (see the counts). People answered a sample of the "
        "questions of `test` (see below). It measures people; no question was left out for it. `people` "
        "has what most of them chose.",
        "Questions of the published set were judged option by option as well: people ticked all options that fit, and "
        "one fits if more than half of them ticked it. `more_than_one` marks questions with several; they stay in, and "
        "scores can be had with them and without.",
    )
