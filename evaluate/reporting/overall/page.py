"""Writes `report.html` of a working directory: every suite with its steps, numbers and main scores.

What it says of the steps is what `tashika status` says (`core.overview`). It links the suites' own pages, and writes
none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tashika.core.errors import MissingStageError, TashikaError
from tashika.core.files import write_text
from tashika.core.overview.steps import Progress, Step
from tashika.core.overview.suites import Placed, suites_in
from tashika.core.reporting.rendering import STYLE, fill_template
from tashika.core.version import installed_version, source_commit
from tashika.evaluate.reporting.main_scores import main_scores

_HERE: Final = Path(__file__).parent
PAGE: Final = "report.html"


@dataclass(frozen=True)
class Shown:
    """A suite on the page.

    Attributes:
        progress: How far it is.
        scores: See `main_scores.main_scores`.
        problem: Why it has no scores, where a file is broken.
        others: Scored systems that the scores leave out, such as baselines and people.
    """

    progress: Progress
    scores: Sequence[Mapping[str, Any]]
    problem: str
    others: int

    @property
    def name(self) -> str:
        """Of the suite."""
        return self.progress.suite.name

    @property
    def following(self) -> Step | None:
        """The next step."""
        return self.progress.next

    @property
    def simulated(self) -> bool:
        """Whether programs judged in the place of people, some items or all."""
        return bool(self.progress.release.get("simulated")) or any(kind.simulated for kind in self.progress.kinds)

    @property
    def links(self) -> list[tuple[str, str]]:
        """What there is to read, and where it lies beside the page."""
        workspace = self.progress.workspace
        known = {
            "Page of the scores": self.progress.page,
            "Page of the judging": workspace.annotation / "report.html",
            "Card of the release": workspace.release / "README.md",
        }
        root = workspace.root
        return [(name, path.relative_to(root).as_posix()) for name, path in known.items() if path.is_file()]


def write_index(root: Path) -> Path:
    """Writes the page over all suites of a working directory.

    Args:
        root: The working directory.

    Returns:
        The page.

    Raises:
        MissingStageError: There is no suite in it.
    """
    placed = suites_in(root)
    if not placed:
        raise MissingStageError(
            "nothing has been done here yet",
            where=str(root),
            hint="`tashika demo` shows the whole way; --work names another working directory.",
        )
    shown = [_shown(one) for one in placed if one.suite is not None]
    context = {
        "root": str(root),
        "suites": shown,
        "unknown": [one for one in placed if one.suite is None],
        "version": installed_version(),
        "commit": source_commit(),
        "css": _css(),
        "script": _markup((_HERE / "copying.js").read_text(encoding="utf-8")),
        "simulated": any(suite.simulated for suite in shown),
    }
    page = root / PAGE
    write_text(page, fill_template([_HERE], "index.html.j2", context))
    return page


def _shown(placed: Placed) -> Shown:
    assert placed.suite is not None
    progress = Progress(placed.workspace, placed.suite)
    try:
        content: Mapping[str, Any] = main_scores(placed.workspace)
        problem = " ".join(content["remarks"])
    except TashikaError as error:
        content, problem = {"models": []}, f"The scores cannot be read: {error.message}"
    scores = content["models"]
    return Shown(progress, scores, problem, len(progress.scored) - len(scores))


def _css() -> Any:
    return _markup("".join(path.read_text(encoding="utf-8") for path in (STYLE, _HERE / "index.css")))


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)
