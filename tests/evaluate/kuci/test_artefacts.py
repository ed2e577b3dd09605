"""The artefact check: which numbers it goes by, and that it says plainly what it found."""

from collections.abc import Callable

from tashika.evaluate.kuci.artefacts import checks_of, summary
from tashika.evaluate.kuci.metrics import against_chance
from tashika.evaluate.kuci.metrics_model import KuciMetrics, Scoring, SetScore
from tashika.evaluate.kuci.settings import Method
from tashika.evaluate.ways.names import Show

# With those numbers alone that the check reads.
SOME_METRICS: Callable[..., KuciMetrics] = KuciMetrics.model_construct
SOME_SCORE: Callable[..., SetScore] = SetScore.model_construct


def a_system(
    name: str,
    test: tuple[int, int],
    whole: tuple[int, int] | None = None,
    how: Method = "baseline",
    show: Show = "both",
) -> tuple[str, KuciMetrics]:
    """A system that gave so many right answers of so many."""
    score = SOME_SCORE(**dict(against_chance(*test)))
    parts = {"both": against_chance(*whole)} if whole else {}
    scoring = Scoring(how=how, show=show, norm="none")
    return name, SOME_METRICS(chance=0.25, sets={"both": score}, all_parts=parts, scoring=scoring)


def test_a_rule_is_judged_by_all_parts() -> None:
    """A third of 54 may be luck; a third of 523 (two-sided p about 8e-5) is none."""
    [alone] = checks_of([a_system("shortest option", (18, 54))])
    assert alone.verdict == "not significantly away from chance"
    [whole] = checks_of([a_system("shortest option", (18, 54), (171, 523))])
    assert whole.verdict == "significantly above chance"
    assert "32.7% of 523 questions of all parts" in whole.numbers
    assert "7.7 points above" in whole.numbers


def test_below_chance_is_away_as_well() -> None:
    [check] = checks_of([a_system("longest option", (70, 400))])
    assert check.verdict == "significantly below chance"
    assert "7.5 points below" in check.numbers


def test_models_that_see_all_are_no_baselines_and_those_that_see_options_are() -> None:
    systems = [
        a_system("whole", (50, 54), how="fine-tuned"),
        a_system("blind", (14, 54), how="fine-tuned", show="options"),
    ]
    assert [check.name for check in checks_of(systems)] == ["blind"]


def test_a_system_that_answered_nothing_is_left_out() -> None:
    name, silent = a_system("blind", (1, 4))
    silent.sets["both"] = SOME_SCORE(accuracy=None, p_chance=None)
    assert checks_of([(name, silent)]) == []


def test_the_summary_says_how_many_and_which() -> None:
    near = [a_system("longest option", (26, 100)), a_system("bag", (24, 100))]
    assert summary(checks_of(near)).startswith("None of the 2 baselines")
    # two-sided p of 34 of 100 is .0496 at most: three tests make too much of it for Holm
    away = [*near, a_system("shortest option", (34, 100))]
    said = summary(checks_of(away))
    assert said.startswith("1 of the 3 baselines is significantly away from chance")
    assert ": shortest option, above chance." in said
    assert "0 of them are so still" in said
