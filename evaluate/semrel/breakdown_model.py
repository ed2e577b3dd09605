"""What `metrics.json` of semantic relations holds beside the numbers of all probes: what these hang on."""

from __future__ import annotations

from tashika.core.suites.semrel.words import Relation
from tashika.evaluate.metrics import Numbers
from tashika.evaluate.semrel.cells import Interval, Matrix, Mean
from tashika.evaluate.semrel.settings import VocabularyName


class Summary(Numbers):
    """The numbers that a system is known by, of some of its probes or of another list of answers.

    Attributes:
        probes: Behind them.
        targets: Behind them.
        column: Others taken for antonymy.
        row: Antonymy taken for others.
        off_diagonal: The mean of all cells off the diagonal.
        own: The mean of alpha(r, r).
    """

    probes: int
    targets: int
    column: Mean
    row: Mean
    off_diagonal: Mean
    own: Mean


class VocabularyNumbers(Numbers):
    """What a model's numbers are when its answers are sought in one vocabulary; see `own_words`.

    Attributes:
        vocabulary: Which one.
        summary: The numbers.
        matrix: Confusability.
        shared: The share of the answers that are words of the shared vocabulary; None without answers.
        first_shared: The same of the first answers alone.
        no_letter: The share of the answers without any letter: numbers and signs.
    """

    vocabulary: VocabularyName
    summary: Summary
    matrix: Matrix
    shared: float | None
    first_shared: float | None
    no_letter: float | None


class PromptNumbers(Numbers):
    """What a system made of one prompt.

    Attributes:
        relation: That it asks for.
        prompt: The prompt.
        probes: That take part.
        own: Alpha(r, r).
        confused: The mean of the row without the diagonal.
        antonymy: How far it is taken for antonymy; not defined for prompts that ask for antonymy.
    """

    relation: Relation
    prompt: str
    probes: int
    own: Mean
    confused: Mean
    antonymy: Mean


class Spread(Numbers):
    """How far the prompts of one relation differ in a number, over those in which it is defined.

    Attributes:
        prompts: How many these are.
        least: The smallest.
        most: The greatest.
        sd: The standard deviation, divided by their number less one; None of fewer than two.
    """

    prompts: int
    least: float | None
    most: float | None
    sd: float | None


class RelationSpread(Numbers):
    """How far the prompts of a relation differ; the numbers are those of `PromptNumbers`."""

    relation: Relation
    own: Spread
    confused: Spread
    antonymy: Spread


class ByPrompt(Numbers):
    """What the choice of prompts does.

    Attributes:
        prompts: Each prompt.
        spreads: Each relation that was asked for.
        drawn: The numbers of all probes, with intervals from draws of targets and of prompts alike.
    """

    prompts: list[PromptNumbers]
    spreads: list[RelationSpread]
    drawn: Summary


class Band(Numbers):
    """The numbers on targets that are about as frequent.

    Attributes:
        name: `rare`, `middling` or `frequent`.
        least: How often the rarest of them is used.
        most: How often the most frequent is.
        summary: The numbers.
    """

    name: str
    least: float
    most: float
    summary: Summary


class Trend(Numbers):
    """Whether what was asked for is found the better, the more frequent the target is.

    Attributes:
        relation: That was asked for.
        targets: How many.
        rho: Spearman's correlation of a target's frequency with the mean of alpha(r, r) over its probes.
        interval: Of a bootstrap over targets.
    """

    relation: Relation
    targets: int
    rho: float | None
    interval: Interval | None


class ByFrequency(Numbers):
    """What the frequency of targets does.

    Attributes:
        source: Where frequencies come from.
        digest: Of the frequencies of the targets.
        unknown: How many targets the source does not have, or has with 0.
        bands: Thirds of the targets, as far as targets of one frequency can be parted, the rarest first.
        trends: Each relation that was asked for.
    """

    source: str
    digest: str
    unknown: int
    bands: list[Band]
    trends: list[Trend]
