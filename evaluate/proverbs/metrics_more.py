"""`metrics.json` of the suite on proverbs, continued: spread beside place, controls, groups of pairs."""

from __future__ import annotations

from tashika.evaluate.metrics import Numbers


class Interval(Numbers):
    """A 95 % confidence interval."""

    low: float
    high: float


class Estimate(Numbers):
    """A number with its interval.

    Attributes:
        value: The number.
        interval: By a bootstrap over proverbs, unless stated otherwise; None of fewer than five.
        units: Of how many proverbs.
    """

    value: float
    interval: Interval | None
    units: int


class Differences(Numbers):
    """Spread and place of the tested pairs beside each other. Counts are of pairs with p below the level.

    Attributes:
        tested: Pairs with values enough.
        errors: By the deciding test of spread, as in `ErrorCounts`.
        paper_errors: By the page's test, Siegel and Tukey's, two constant sets included.
        paper_without_spread: Those of them where neither side has any spread.
        no_spread: Pairs where neither side has any spread.
        two_constants: Those of them whose sides differ: five times 8, five times 9.
        one_side: Pairs where one side alone has no spread.
        centred: Siegel-Tukey, each side's median taken off it.
        ansari: Ansari-Bradley.
        brown_forsythe: Brown-Forsythe.
        location: The rank sum, two constant sets included.
        spread_only: Of the pairs with a spread: an error, and no difference in place.
        location_only: A difference in place, and no error.
        spread_and_location: Both.
        either: Lepage's test, spread or place: the page's hypothesis.
        mean: Mean over pairs of the difference of means, variant less proverb.
        mean_distance: The same without its sign.
        delta: Mean over pairs of Cliff's delta; Vargha and Delaney's A is (1 + delta) / 2.
        width: Mean over pairs of the difference of mean distances from the median.
        width_ratio: The variants' mean distance from their medians, over the proverbs'.
    """

    tested: int
    errors: int
    paper_errors: int
    paper_without_spread: int
    no_spread: int
    two_constants: int
    one_side: int
    centred: int
    ansari: int
    brown_forsythe: int
    location: int
    spread_only: int
    location_only: int
    spread_and_location: int
    either: int
    mean: Estimate | None
    mean_distance: Estimate | None
    delta: Estimate | None
    width: Estimate | None
    width_ratio: Estimate | None


class ControlCell(Numbers):
    """Pairs on gender beside the neutral rewordings of the same proverbs, both tested.

    Attributes:
        proverbs: How many there are.
        errors: Proverbs whose pair has an error.
        control_errors: Proverbs whose control has one.
        errors_apart: Difference of the two shares.
        errors_p: McNemar's exact test of it.
        unlike: Share of pairs unlike in spread or place (Lepage), less that of controls.
        distance: Mean distance of the two sides' means, pairs.
        control_distance: The same of controls.
        distance_apart: The difference: what the change of gender does beyond another wording.
        distance_p: Signed ranks of it.
        women: Difference in differences, women less men: the pair's difference of means, less that of its control.
        women_p: Signed ranks of it.
    """

    proverbs: int
    errors: int
    control_errors: int
    errors_apart: Estimate | None
    errors_p: float | None
    unlike: Estimate | None
    distance: Estimate | None
    control_distance: Estimate | None
    distance_apart: Estimate | None
    distance_p: float | None
    women: Estimate | None
    women_p: float | None


class Crossover(Numbers):
    """The two directions without controls: half of their difference is the gender, half of their sum the change.

    Attributes:
        man_first: Mean difference of means, variant (of women) less proverb (of men).
        woman_first: The same, variant (of men) less proverb (of women).
        women: Women less men, the change taken out.
        change: The variant less the proverb, the gender taken out.
    """

    man_first: Estimate | None
    woman_first: Estimate | None
    women: Estimate | None
    change: Estimate | None


class ControlNumbers(Numbers):
    """Gender, or mere rewording?

    Attributes:
        pairs: Pairs on gender.
        controls: Controls that were asked about.
        cells: Direction (`all` for all) -> consistency -> pairs beside their controls.
        crossover: Consistency -> the two directions.
    """

    pairs: int
    controls: int
    cells: dict[str, dict[str, ControlCell]]
    crossover: dict[str, Crossover]


class GroupCounts(Numbers):
    """Errors among the pairs with one value of a column.

    Attributes:
        pairs: All of them.
        tested: Those with values enough.
        errors: Of the deciding test.
        share: Errors among the tested.
        interval: Of the share (Wilson).
        no_spread: Pairs where neither side has any spread.
        either: Unlike in spread or place (Lepage).
        level: Mean over pairs of the median of the proverb's values.
        distance: Mean distance of the two sides' means.
    """

    pairs: int
    tested: int
    errors: int
    share: float | None
    interval: Interval | None
    no_spread: int
    either: int
    level: Estimate | None
    distance: Estimate | None


class RegionContrast(Numbers):
    """Proverbs of other than Western origin beside the Western ones; intervals by a bootstrap within each.

    Attributes:
        western: Proverbs tested.
        other: Likewise.
        errors: Share of errors, other less Western.
        level: Mean median of the proverb's values, other less Western.
        distance: Mean distance of the two sides' means, other less Western.
    """

    western: int
    other: int
    errors: Estimate | None
    level: Estimate | None
    distance: Estimate | None
