"""The settings of questions."""

from __future__ import annotations

import math
from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from tashika.builders.kuci.forms import FormPart
from tashika.builders.kuci.questions.splits import PUBLISHED
from tashika.builders.kuci.questions.word_vectors import Words
from tashika.core.settings import Section
from tashika.core.suites.kuci.words import SPLITS

Bins = Literal["counts", "widths"]


class QuestionSettings(Section):
    """How questions are made.

    Attributes:
        similarity: The range of a wrong option's cosine with the answer, both ends included.
        length: The range of its number of words divided by the answer's, both ends included.
        bins: Of equal count, or of equal width within the range.
        balance: Each text is a wrong option three times as often as it is an answer (module `balance`): our departure
            from the paper; false: wrong options are drawn at random, as in the paper.
        even: The answer's ranks by length and by likeness to the other options are even (module `even`): our departure
            from the paper.
        match: What wrong options have as the answer has it: tense, style (politeness), act (statement, request …).
        refuse_empty: A consequent that names no event, or one that follows from nearly anything (しています, 驚いた,
            気分がいい), is neither an answer nor a wrong option.
        kinship: The highest cosine of the question's antecedent with one that a wrong option followed from, and of the
            answer's basic event with the wrong option's: what is like in one of them may be a right answer too. Where
            use is balanced, wrong options of low kinship are taken first. 1: any.
        split: Shares of the training, validation and test part.
        own_part: Wrong options come from the question's own part. Otherwise a test question's wrong options stand in
            training questions and its answer does not, which gives the answer to whoever has read those.
        vectors: A file of word vectors (word2vec's text or binary format, fastText's .vec, GloVe's); empty: ja-ginza's.
        words: Which words make an option's vector; "content": all but particles and auxiliaries.
        seed: Of the draws and of the split.
        block: Answers that go through one product of matrices; changes the memory that it takes and nothing else.
    """

    similarity: tuple[float, float] = (0.4, 0.6)
    length: tuple[float, float] = (0.5, 2.0)
    bins: Bins = "counts"
    balance: bool = True
    even: bool = True
    match: tuple[FormPart, ...] = get_args(FormPart)
    refuse_empty: bool = True
    kinship: float = Field(0.45, ge=-1.0, le=1.0)
    split: tuple[float, float, float] = PUBLISHED
    own_part: bool = True
    vectors: str = ""
    words: Words = "content"
    seed: int = 0
    block: int = Field(256, ge=1)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not -1 <= self.similarity[0] <= self.similarity[1] <= 1:
            raise ValueError("similarity is a range within [-1, 1], the smaller end first")
        if not 0 < self.length[0] <= self.length[1]:
            raise ValueError("length is a range of numbers above 0, the smaller end first")
        if min(self.split) < 0 or not 0 < sum(self.split) < math.inf:
            raise ValueError(f"split is {len(SPLITS)} shares of at least 0, not all of them 0")
        return self
