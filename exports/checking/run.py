"""Runs the checks on a release: those of its form and its suite, which stop it, and those of its content.

What came of them lies in `work/SUITE/checks.json`, beside the release: `tashika publish` goes by it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

from tashika.core.counts import counted
from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import hash_value, read_object, write_json
from tashika.core.progress import say, track
from tashika.core.release_checks import ChecksForm, Severity
from tashika.core.workspace import Workspace
from tashika.exports.checking.choices import (
    baselines_are_at_chance,
    labels_are_balanced,
    questions_hide_their_answers,
)
from tashika.exports.checking.duplicates import no_near_duplicates, no_near_duplicates_across_splits
from tashika.exports.checking.examined import Examined
from tashika.exports.checking.licences import licences_allow_the_release, licences_are_known, notices_are_kept
from tashika.exports.checking.splits import contexts_are_in_one_split, groups_are_in_one_split, items_are_in_one_split
from tashika.exports.checking.texts import (
    characters_print,
    no_personal_data,
    texts_are_in_the_language,
    texts_are_not_empty,
    texts_are_not_overlong,
)
from tashika.exports.checking.votes import items_have_a_verdict, items_have_enough_votes
from tashika.exports.checks import GENERIC, Check, NotWrittenError, Problem, ReleaseFiles, message_of

ContentCheck = Callable[[Examined], Iterable[Problem]]
"""Yields what it finds wrong with the content of a release; its docstring is the message, its name is that of its
severity in `[export.checks]`."""

CONTENT: Final[tuple[ContentCheck, ...]] = (
    items_have_a_verdict,
    items_have_enough_votes,
    groups_are_in_one_split,
    items_are_in_one_split,
    contexts_are_in_one_split,
    no_near_duplicates_across_splits,
    no_near_duplicates,
    questions_hide_their_answers,
    baselines_are_at_chance,
    labels_are_balanced,
    texts_are_not_empty,
    texts_are_not_overlong,
    texts_are_in_the_language,
    characters_print,
    no_personal_data,
    licences_allow_the_release,
    notices_are_kept,
    licences_are_known,
)
"""The checks of the content of every release, in the order in which they are run."""

KEPT: Final = 5
"""How many of a check's problems are kept; all are counted."""

Outcome = Literal["passed", "warning", "error", "off", "not run"]


@dataclass(frozen=True)
class Result:
    """What came of one check.

    Attributes:
        check: Its name.
        message: What must hold.
        outcome: Whether it passed, and how severe it is where not; or why it was not run.
        count: How many problems it has.
        problems: The first of them.
        seconds: How long it took.
    """

    check: str
    message: str
    outcome: Outcome
    count: int = 0
    problems: tuple[Problem, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Named:
    """A check that can be run.

    Attributes:
        name: Of its function.
        message: Its docstring's first line.
        severity: What it comes to that finds something.
        run: Runs it.
    """

    name: str
    message: str
    severity: Severity
    run: Callable[[], Iterable[Problem]]


def content_checks(examined: Examined) -> list[Named]:
    """The checks of a release's content, as severe as its settings say."""
    settings = examined.checks
    return [
        Named(name_of(check), message_of(check), severity_of(check, settings), partial(check, examined))
        for check in CONTENT
    ]


def form_checks(release: ReleaseFiles, own: Iterable[Check]) -> list[Named]:
    """The checks of a release's form and those of its suite, which always stop it."""
    return [Named(name_of(check), message_of(check), "error", partial(check, release)) for check in (*GENERIC, *own)]


def name_of(check: Callable[..., Any]) -> str:
    """What a check is called."""
    return str(getattr(check, "__name__", check))


def severity_of(check: Callable[..., Any], settings: ChecksForm) -> Severity:
    """What a check of the content comes to that finds something."""
    severity: Severity = getattr(settings, name_of(check))
    return severity


def run_checks(checks: Sequence[Named], what: str = "checks") -> list[Result]:
    """Runs checks, one after the other; a check that finds something does not keep the others from being run.

    Args:
        checks: The checks.
        what: What the progress calls them.
    """
    return [_result(check) for check in track(checks, what, len(checks))]


def _result(check: Named) -> Result:
    if check.severity == "off":
        return Result(check.name, check.message, "off")
    started, kept, count = time.monotonic(), [], 0
    try:
        problems = iter(check.run())
        kept = list(islice(problems, KEPT))
        count = len(kept) + sum(1 for _ in problems)
    except NotWrittenError:
        return Result(check.name, check.message, "not run")
    outcome: Outcome = "passed" if not count else "error" if check.severity == "error" else "warning"
    return Result(check.name, check.message, outcome, count, tuple(kept), round(time.monotonic() - started, 2))


def failed(results: Iterable[Result]) -> list[Result]:
    """The checks that stop the release."""
    return [result for result in results if result.outcome == "error"]


def require_passed(results: Iterable[Result]) -> None:
    """Raises an InputError if a check stops the release: the first problem, and how many checks more fail."""
    wrong = failed(results)
    if not wrong:
        return
    first, problem = wrong[0], wrong[0].problems[0]
    more = f" So it is {first.count - 1:,} times more." if first.count > 1 else ""
    others = f" So did the checks {', '.join(result.check for result in wrong[1:])}." if len(wrong) > 1 else ""
    raise InputError(
        f"{first.message} Found {problem.found}.{more}",
        where=f"{problem.file}, item {problem.item}" if problem.item else problem.file,
        hint=f"The check {first.check!r} failed; the release was not written.{others}",
    )


def warnings_of(results: Iterable[Result]) -> list[dict[str, Any]]:
    """The warnings as `release.json` lists them: the check, its message, how many problems, and the first of them."""
    return [
        {
            "check": result.check,
            "message": result.message,
            "count": result.count,
            "first": [asdict(problem) for problem in result.problems],
        }
        for result in results
        if result.outcome == "warning"
    ]


def say_results(results: Sequence[Result], workspace: Workspace) -> None:
    """Says how many checks passed, and which of them warn."""
    passed = sum(result.outcome == "passed" for result in results)
    warned = [result for result in results if result.outcome == "warning"]
    say(f"checks: {'all ' if passed == len(results) else ''}{passed} passed")
    for result in warned:
        say(f"warning: {result.message} Found {result.problems[0].found}; {counted(result.count, 'problem')}")
    if warned:
        say(f"`tashika check {workspace.arguments}` shows more of each; release and card list them")


# --- what publishing goes by


def checks_file(workspace: Workspace) -> Path:
    """What came of the checks of the release that was checked last."""
    return workspace.base / "checks.json"


def keep_results(workspace: Workspace, record: Mapping[str, Any], results: Iterable[Result]) -> None:
    """Writes down what came of the checks of a release."""
    outcomes = {result.check: result.outcome for result in results}
    write_json(checks_file(workspace), {"release": files_digest(record), "outcomes": outcomes})


def files_digest(record: Mapping[str, Any]) -> str:
    """A digest of a release's Parquet files: the same for the same rows."""
    return hash_value({path: described["sha256"] for path, described in record["files"].items()})


def require_checked(workspace: Workspace) -> None:
    """Looks whether the release in its place is the one that passed its checks.

    Raises:
        MissingStageError: No check was run on it, or another release was checked last.
        InputError: A check failed, or was not run.
    """
    path, again = checks_file(workspace), f"`tashika check {workspace.arguments}`"
    if not path.exists():
        raise MissingStageError("this release was not checked", where=str(path), hint=f"Run {again} first.")
    kept = read_object(path, {"outcomes": dict, "release": str}, f"Run {again} again.")
    record = read_object(workspace.release / "release.json", {"files": dict}, "Export the release again.")
    if kept["release"] != files_digest(record):
        found = "the release is not the one that was checked last"
        hint = f"{again} checks it, or what an export would write in its place."
        raise MissingStageError(found, where=str(workspace.release), hint=hint)
    wrong = [name for name, outcome in kept["outcomes"].items() if outcome in ("error", "not run")]
    if wrong:
        found = f"of this release's checks failed or were not run: {', '.join(wrong)}"
        raise InputError(found, where=str(path), hint=f"{again} shows what they say; correct it and export again.")
