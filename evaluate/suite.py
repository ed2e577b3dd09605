"""What a suite gives this room: the command that scores models, the page of their scores, and how they are compared.

And how what they answered is read by a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tashika.core.workspace import Workspace
    from tashika.evaluate.statistics.inference import Floats
    from tashika.evaluate.statistics.paired import Cells, Codes


@dataclass(frozen=True)
class Evaluation:
    """A suite's side of this room.

    Attributes:
        command: `tashika evaluate SUITE`, a function whose annotated arguments are its options (Typer's way). It writes
            predictions and `metrics.json` into `evaluate/SYSTEM/`.
        write_report: Writes `evaluate/report.html` of a workspace with the scores of all systems, and returns its path.
        comparison: What `tashika compare SUITE` and the report's section on models side by side need; None where a
            suite has none.
        showing: How `tashika show SUITE` reads predictions beside their prompts; None where the release's rows with the
            predictions' `item_id` say enough.
        methods: What only the suite can say in the methods paragraph of its page; None for nothing.
    """

    command: Callable[..., None]
    write_report: Callable[[Workspace], Path]
    comparison: Comparison | None = None
    showing: Showing | None = None
    methods: Methods | None = None


@dataclass(frozen=True)
class Methods:
    """Sentences for the methods paragraph that can be pasted into a paper; empty for nothing.

    Attributes:
        building: How candidates were made, in the past tense.
        asking: What models were asked.
        metric: What the main score is, and what its interval is over.
        settings: Keys of the settings in the manifests of the build that a reader needs, and the words for them.
    """

    building: str = ""
    asking: str = ""
    metric: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


# Predictions for a person ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answered:
    """A prediction with its prompt, as a person reads it.

    Attributes:
        item_id: Of the prompt.
        prompt: What was asked, in words.
        options: What could be chosen; empty where nothing was listed.
        gold: What is right, in words; empty where nothing is.
        answer: What the system answered; None where it did not.
        score: The number that the system's answer is judged by; None where there is none.
        correct: Whether the answer is right; None where nothing is right or wrong.
        problem: Why there is no answer.
        about: What else tells rows of one prompt apart or explains them, by name.
    """

    item_id: str
    prompt: str
    options: Sequence[str] = ()
    gold: Sequence[str] = ()
    answer: str | None = None
    score: float | None = None
    correct: bool | None = None
    problem: str | None = None
    about: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)


Spell = Callable[["Mapping[str, Any]"], Answered]
"""Makes of a row of the table what a person reads."""


@dataclass(frozen=True)
class Showing:
    """How a suite's predictions are read beside their prompts.

    Attributes:
        file: The table in a system's folder, with a column `item_id`.
        open: Reads the release that a system was scored on, given the suite's folders and the system's. It may raise
            what reading a release raises, and `InputError` where the release here is not the one that was scored.
        score: What `Answered.score` is, in a few words.
        columns: Those of the table that are needed; None for all.
        judged: Whether an answer can be right or wrong.
    """

    file: str
    open: Callable[[Workspace, Path], Spell]
    score: str
    columns: Sequence[str] | None = None
    judged: bool = True


# Models side by side --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """How a suite's systems are compared.

    Attributes:
        files: The tables in a system's folder that `read` reads; a system without one of them is left out.
        read: Gives, for the folders of some systems, in their order, what each made of its items.
    """

    files: tuple[str, ...]
    read: Callable[[Workspace, Sequence[Path]], Sides]


Regroup = Callable[["Sequence[Floats]"], "tuple[Sequence[Floats], Codes]"]
"""Makes of all systems' (n, columns) values (m, columns) ones of larger items, and (m,) a row of each of these."""


@dataclass(frozen=True)
class Measure:
    """A number that systems are compared by: the mean of item values, unless it has cells.

    Attributes:
        key: Its name in files and on the command line, such as `acc@1`.
        title: Its name on pages.
        unit: Which of a system's `Units` it is about.
        better: What is better; None where neither is.
        scale: `share` is shown in percent, `plain` as it is.
        cells: Makes the cells, whose mean the number is, of the columns' means; None where the value has one column.
        regroup: Makes the values of larger items, such as questions, of the values of those that all systems have in
            common, such as their prompts; None where the number is of the items themselves.
        items: What these are called, in the plural; None where they are the items themselves.
    """

    key: str
    title: str
    unit: str = "items"
    better: Literal["higher", "lower"] | None = "higher"
    scale: Literal["share", "plain"] = "share"
    cells: Cells | None = None
    regroup: Regroup | None = None
    items: str | None = None


@dataclass(frozen=True)
class Units:
    """What one system made of items of one sort; n of them.

    Attributes:
        ids: (n,) their ids, a sequence or an Arrow array; no two alike.
        values: Measure -> (n,) or (n, columns); NaN where an item does not count for it.
        clusters: (n,) what each belongs to, those of one cluster not being independent; None where each item stands
            for itself, or where other systems say it.
        groups: (n,) what numbers are also given by, such as a relation; None for nothing.
    """

    ids: Any
    values: Mapping[str, Floats]
    clusters: Any = None
    groups: Any = None


@dataclass(frozen=True)
class SystemSide:
    """One system.

    Attributes:
        units: By the sort of items.
        settings: What must be the same in systems that are compared, in words that an error may show.
        sample: What was drawn of the release, in words; empty where it was asked everything.
        baseline: Whether it is there for others to be compared with: two baselines are not compared.
        problem: Why it cannot be compared with any other; None for most.
        tasks: Measure -> the task in the release's `eval.yaml` whose score it is; none where the system was asked in
            another way than that task asks.
    """

    units: Mapping[str, Units] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    sample: str = ""
    baseline: bool = False
    problem: str | None = None
    tasks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sides:
    """Systems and what they are compared by.

    Attributes:
        measures: The first is the one that a log of another program is taken for.
        systems: In the order of the folders.
        clusters: What clusters are called, in the plural; None where each item stands for itself.
        groups: What groups are called, in the plural.
        items: What items are called, in the plural.
        group_names: Group -> its name on pages, in their order; groups that are not named follow by their ids.
        resamples: Of the bootstrap.
        seed: Of bootstrap and permutations.
    """

    measures: Sequence[Measure]
    systems: Sequence[SystemSide]
    clusters: str | None = None
    groups: str = "groups"
    items: str = "items"
    group_names: Mapping[str, str] = field(default_factory=dict)
    resamples: int = 2000
    seed: int = 0
