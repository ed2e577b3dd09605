"""What a project looks like in a pull, and what people changed by hand: a line for each thing, with what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tashika.annotation.judging.backups import item_of
from tashika.annotation.judging.columns import strings
from tashika.annotation.judging.people import Person
from tashika.annotation.judging.projects import doubled, in_all_languages, remove_doubled
from tashika.annotation.judging.pushed import pushed_file, read_pushed_file
from tashika.annotation.judging.questionnaires import gold_questions
from tashika.annotation.judging.shown import Shown
from tashika.annotation.judging.stopping import people_at_first
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Project, Server
from tashika.annotation.settings import AnnotateSettings
from tashika.core.counts import counted
from tashika.core.suites.discovery import suite_argument
from tashika.core.workspace import Workspace


class Sight:
    """A project as an export shows it; of each task only what the lines need.

    Attributes:
        tasks: The numbers of its tasks.
        items: How many tasks each item has.
        annotations: The numbers of its answers and skips.
        import_ids: What these were called where they were exported, for those that were imported.
        unreadable: The numbers of tasks that are there and that the export lacks.
    """

    def __init__(
        self, page: Page, project: Project, people: Mapping[int, Person], server: str, shown: Shown | None = None
    ) -> None:
        self.tasks: set[int] = set()
        self.items: Counter[str] = Counter()
        self.annotations: set[int] = set()
        self.import_ids: set[int] = set()
        self.unreadable: frozenset[int] = frozenset()
        self._page, self._project, self._people, self._server = page, project, people, server
        self._shown = shown
        self._strangers = self._drafts = self._twice = 0
        self._crowded: dict[str, int] = {}
        self._unknown: Counter[str] = Counter()

    def add(self, task: Mapping[str, Any]) -> None:
        """Takes a look at an exported task."""
        self.tasks.add(task["id"])
        item = item_of(task)
        self.items[item] += 1
        self._strangers += not item
        self._drafts += sum(
            isinstance(draft, dict) and draft.get("annotation") is None for draft in task.get("drafts") or ()
        )
        authors: Counter[int] = Counter()
        for annotation in task["annotations"]:
            self.annotations.add(annotation["id"])
            if isinstance(annotation.get("import_id"), int):
                self.import_ids.add(annotation["import_id"])
            author = annotation.get("completed_by")
            if not isinstance(author, int) or author not in self._people:
                self._unknown[str(author)] += 1
            elif not annotation.get("was_cancelled"):
                authors[author] += 1
        if item and len(authors) > self._project.annotators:
            self._crowded[item] = len(authors)
        self._twice += any(count > 1 for count in authors.values())

    def remove_doubled(self, server: Server) -> None:
        """Deletes tasks of items that have an older one where nobody has answered or begun, as a push does."""
        items = [item for item, count in self.items.items() if item and count > 1]
        if not items:
            return
        tasks = list(server.tasks(self._project.project_id))
        removed = remove_doubled(server, self._project, doubled(tasks, items), self._page.name)
        self.items.subtract(task.item_id for task in tasks if task.task_id in removed)

    def lines(self, workspace: Workspace, settings: AnnotateSettings | None) -> list[str]:
        """What was changed by hand, or needs somebody's hand.

        Args:
            workspace: What was pushed.
            settings: How many people an item; None if that is of no concern.
        """
        texts = [
            *self._project_lines(settings),
            *self._task_lines(workspace),
            *(self._shown.lines() if self._shown else ()),
            *self._answer_lines(),
            *self._crowded_lines(workspace, settings),
        ]
        return [f"{self._page.name}: {text}" for text in texts]

    def _project_lines(self, settings: AnnotateSettings | None) -> list[str]:
        page, project = self._page, self._project
        push = f"`tashika annotate push {suite_argument(page.suite)}`"
        lines = []
        if project.title != page.title:
            lines.append(
                f"project {project.project_id} was renamed to {project.title!r}; {push} gives it its title back, "
                "without which others who push the suite do not find it"
            )
        if project.xml.strip() not in in_all_languages(page):
            lines.append(f"the page of project {project.project_id} is not the suite's; {push} puts it right")
        asked = people_at_first(page, settings) if settings else project.annotators
        if project.annotators != asked:
            lines.append(
                f"project {project.project_id} asks {counted(project.annotators, 'person')} an item, the "
                f"settings {asked}; "
                f"{push} puts it right"
            )
        return lines

    def _task_lines(self, workspace: Workspace) -> list[str]:
        pushed = read_pushed_file(pushed_file(workspace, self._page.name)).to_pylist()
        place = (self._server, self._project.project_id)
        of_project = [row for row in pushed if (row["server"], row["project_id"]) == place]
        wanted = {row["item_id"] for row in of_project if row["task_id"] not in self.unreadable}
        gone = wanted - self.items.keys()
        push = f"`tashika annotate push {suite_argument(self._page.suite)}`"
        lines = []
        if gone:
            lines.append(
                f"the tasks of {counted(len(gone), 'item')} were deleted on the server; judgments that were pulled "
                f"before still count, and {push} puts the tasks back; `pull --drop-retracted` withdraws those judgments"
            )
        if self._strangers:
            lines.append(
                f"{counted(self._strangers, 'task without an item was', 'tasks without an item were')} added by hand; "
                "answers there are kept and not voted"
            )
        several = sum(count > 1 for item, count in self.items.items() if item)
        if several:
            lines.append(f"{counted(several, 'item has', 'items have')} more than one task with answers or drafts")
        return lines

    def _crowded_lines(self, workspace: Workspace, settings: AnnotateSettings | None) -> list[str]:
        """Items with more answers than people asked, but for questions of known answer, which everybody is asked."""
        kind = settings.kinds.get(self._page.kind) if settings else None
        if not self._crowded or (kind and kind.tie_breaker):
            return []
        most = settings.people(self._page.kind) if settings else self._project.annotators
        most = max(most, self._project.annotators)
        known = set(strings(gold_questions(self._page, workspace.read_items(self._page.kind)), "item_id"))
        count = sum(people > most for item, people in self._crowded.items() if item not in known)
        line = (
            f"{counted(count, 'item has', 'items have')} answers of more than the {counted(most, 'person')} "
            "asked, who answered at the same moment or by "
            "hand; all count"
        )
        return [line] if count else []

    def _answer_lines(self) -> list[str]:
        lines = []
        if self._unknown:
            lines.append(
                f"{counted(self._unknown.total(), 'answer is', 'answers are')} of accounts that the server does not "
                "have (any more), not voted unless pulled before; delete no account of who has answered"
            )
        if self._twice:
            lines.append(
                f"{counted(self._twice, 'task was', 'tasks were')} answered more than once by one person, whose "
                "last answer counts"
            )
        if self._drafts:
            drafts = counted(self._drafts, "answer is a draft", "answers are drafts")
            lines.append(
                f"{drafts}: begun and not submitted, and so not pulled; have people open the tasks again and submit"
            )
        return lines
