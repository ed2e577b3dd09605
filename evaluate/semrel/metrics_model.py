"""What `metrics.json` of semantic relations holds, key by key; None where a number is not defined.

Matrices are by full names: `matrix[probe relation][answer relation]`. What each number means is said in
`evaluate.semrel.metrics`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tashika.core.suites.semrel.words import Relation
from tashika.evaluate.metrics import Metrics, Numbers
from tashika.evaluate.semrel.breakdown_model import ByFrequency, ByPrompt, VocabularyNumbers
from tashika.evaluate.semrel.cells import (
    ByRelation,
    Counts,
    Difference,
    Intervals,
    Matrix,
    Mean,
)
from tashika.evaluate.semrel.equation_2 import Equation2
from tashika.evaluate.semrel.readings_model import ReadingNumbers, TieInfluence
from tashika.evaluate.semrel.ties import Ties


class AntonymyBias(Numbers):
    """How far antonymy is preferred.

    Attributes:
        column: Over the antonymy column without the diagonal: how far probes of other relations are taken for antonymy.
        row: Over the antonymy row without the diagonal: how far probes of antonymy are taken for others.
    """

    column: Mean
    row: Mean


class CellDifference(Difference):
    """The difference in one cell of the matrix."""

    probe_relation: Relation
    answer_relation: Relation


class Distance(Numbers):
    """The mean absolute difference of the cells off the diagonal, and its p."""

    value: float | None
    p: float | None


class AgainstPeople(Numbers):
    """A model beside people, over the probes that both answered.

    Attributes:
        n_probes: How many these are.
        n_targets: On how many targets.
        permutations: Of the test.
        cells: Every two different relations.
        distance: Of all these cells.
        means: The two means of the antonymy bias, by name.
    """

    n_probes: int
    n_targets: int
    permutations: int
    cells: list[CellDifference]
    distance: Distance
    means: dict[str, Difference]


class RelationRow(Numbers):
    """A row of Table 1, over the probes that take part; the deviation divides by the number of targets."""

    targets: int
    relata_mean: float | None
    relata_sd: float | None
    prompts: int
    probes: int


class ProblemCount(Numbers):
    """Why probes were not answered, and how many of them."""

    problem: str
    n: int


class ListLengths(Numbers):
    """How many words the lists of the scored probes have."""

    min: int
    mean: float
    max: int


class Statistics(Numbers):
    """The settings of the statistics; see `settings.MeasureSettings`. What older versions do not name they had so."""

    seed: int
    resamples: int
    permutations: int
    level: float
    equation_2: Equation2 = "with_relata"
    ties: Ties = "alphabetical"


class Measured(Numbers):
    """All numbers that follow from a system's answers alone.

    Attributes:
        matrix: Confusability.
        matrix_intervals: None on the diagonal, which is 1 by definition.
        alpha: Alpha.
        alpha_intervals: Of alpha.
        n_probes: Behind each cell.
        n_targets: Behind each cell.
        antonymy_bias: Means of the matrix's antonymy column and row.
        own: The mean of alpha(r, r): how well what is asked for is found.
        off_diagonal: The mean confusability of two different relations.
        against_people: None without people, and for people.
        relations: Table 1 of what was asked.
        n: Probes.
        answered: Those without a problem.
        scored: Those of them whose target has relata of the probe's relation.
        targets: Of the scored probes.
        empty: Scored probes without any word.
        problems: Why probes were not answered, the most frequent first.
        left_out: Why answered probes were not scored, and how many.
        k: Lengths of the scored lists; None if there are none.
        statistics: The settings.
        readings: The numbers under each reading of equation 2; empty in files of older versions.
        ties: How far ties matter; None for models, and in files of older versions.
    """

    matrix: Matrix
    matrix_intervals: Intervals
    alpha: Matrix
    alpha_intervals: Intervals
    n_probes: Counts
    n_targets: Counts
    antonymy_bias: AntonymyBias
    own: Mean
    off_diagonal: Mean
    against_people: AgainstPeople | None
    relations: ByRelation[RelationRow]
    n: int
    answered: int
    scored: int
    targets: int
    empty: int
    problems: list[ProblemCount]
    left_out: dict[str, int]
    k: ListLengths | None
    statistics: Statistics
    readings: dict[Equation2, ReadingNumbers] = Field(default_factory=dict)
    ties: TieInfluence | None = None


class Drawn(Numbers):
    """A sample: how many targets were drawn of how many."""

    targets: int
    of: int


class Limits(Numbers):
    """The vocabulary that a response file's relata were limited to."""

    origin: str
    digest: str


class RelataInfo(Numbers):
    """The relata that answers were compared with."""

    words: int
    digest: str
    limited_to: Limits | None


class PeopleInfo(Numbers):
    """The people whose answers were scored or compared with.

    Attributes:
        probes: How many they answered.
        answers: Words in all.
        annotators: People and programs together; None where a published file does not say.
        people: The people among them.
        simulated: Whether programs are among them.
        dropped: What was left out, and how often.
        digest: Of the ranked lists.
    """

    probes: int
    answers: int
    annotators: int | None = None  # earlier versions wrote one number, as `people`
    people: int | None
    simulated: bool = False
    dropped: dict[str, int]
    digest: str


class SourceInfo(Numbers):
    """What was asked; see `probes.Source`."""

    origin: Literal["release", "items", "responses"]
    name: str
    revision: str | None
    simulated: bool
    probes: int
    targets: int
    drawn: Drawn | None
    dropped: dict[str, int]
    relata: RelataInfo
    people: PeopleInfo | None

    @property
    def without_limits(self) -> bool:
        """Whether a response file's relata are not limited to a vocabulary."""
        return self.origin == "responses" and self.relata.limited_to is None


class AskedLengths(Numbers):
    """How many probes were read up to the length of people's list, and how many up to the setting."""

    of_people: int
    of_the_setting: int
    setting: int


class Reading(Numbers):
    """How answers were read; people have no ending, no split targets and no vocabulary (see `own_words`)."""

    k: AskedLengths
    ending: str | None = None
    split_targets: str | None = None
    vocabulary: Literal["shared", "words", "tokens"] | None = None  # earlier versions knew the shared words alone


class VocabularyInfo(Numbers):
    """The shared vocabulary."""

    words: int
    origin: Literal["release", "items", "models"]
    digest: str
    dropped: dict[str, int]


class Share(Numbers):
    """How many were kept of how many."""

    kept: int
    of: int


class Examples(Numbers):
    """How many, and a few of them."""

    n: int
    such_as: list[str]


class AskedTargets(Numbers):
    """How many targets a model is asked about of how many."""

    asked: int
    of: int


class Coverage(Numbers):
    """What the tokenizer of a model has as one token.

    Attributes:
        words: Of the shared vocabulary.
        split: Shared words that are several tokens, or unknown.
        doubled: Shared words whose token stands for another word.
        relata: That the model can answer with.
        targets: That it is asked about.
    """

    words: Share
    split: Examples
    doubled: Examples
    relata: Share
    targets: AskedTargets


class SemRelMetrics(Measured, Metrics):
    """The scores of one system: `metrics.json`. There is no `release`; `source` says what was asked.

    Attributes:
        source: What was asked.
        reading: How answers were read.
        vocabulary: None where there is none, for people alone.
        coverage: None for people.
        parameters: Of a model; None where they could not be counted, and for people.
        vocabularies: A model's numbers by the vocabulary of its answers.
        by_prompt: What the choice of prompts does.
        by_frequency: What the frequency of targets does; None without frequencies.
    """

    source: SourceInfo
    reading: Reading
    vocabulary: VocabularyInfo | None
    coverage: Coverage | None
    parameters: int | None = None  # earlier versions have neither this nor what follows
    vocabularies: tuple[VocabularyNumbers, ...] = ()
    by_prompt: ByPrompt | None = None
    by_frequency: ByFrequency | None = None
