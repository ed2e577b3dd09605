"""The few things that this room asks of a Label Studio server, each failure reported in plain words.

It stands on Label Studio's own SDK, which knows both kinds of token. The SDK repeats a POST that seems to have
failed; an import that had arrived after all would then stand twice, so nothing that writes is ever repeated here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Any

import httpx

from tashika.annotation.labelstudio.account import TOKEN_VARIABLE, URL_VARIABLE, Address
from tashika.annotation.labelstudio.digests import digest_of
from tashika.annotation.labelstudio.halving import MOST_UNREADABLE, ServerFailedError, halved
from tashika.core.addresses import is_loopback
from tashika.core.errors import InputError, OutsideError, TashikaError

_ONCE: Any = {"max_retries": 0}
_TASKS_A_PAGE = 1_000
_SECONDS = 300.0
START_HINT = f"Start it with `tashika annotate serve`, or set {URL_VARIABLE} to a server that runs."
_ADDRESS_HINT = f"Is {URL_VARIABLE} the address of a Label Studio server, and not of a proxy or a page in front of it?"


@dataclass(frozen=True)
class Project:
    """A labelling project on the server.

    Attributes:
        project_id: The server's number.
        title: Its heading.
        xml: The page.
        annotators: People a task.
        instructions: The guidelines as HTML.
        tasks: How many tasks it has.
        summary: One line for the list of projects.
    """

    project_id: int
    title: str
    xml: str
    annotators: int
    instructions: str
    tasks: int = 0
    summary: str = ""


@dataclass(frozen=True)
class Task:
    """One item on the server.

    Attributes:
        task_id: The server's number.
        item_id: Ours; empty for a task that somebody else put there.
        users: Who answered or skipped it. Only a pull shows for certain which of the two: the server's own count of
            skips misses some when people answer at the same moment.
        wanted: How many people the server asks about it.
        shown: The digest of what it shows, see `digests.digest_of`; empty where that was not read.
        readable: Whether the server can send what it shows; of others the item is not known.
    """

    task_id: int
    item_id: str
    users: frozenset[int]
    wanted: int = 1
    shown: str = ""
    readable: bool = True


@dataclass(frozen=True)
class NewTask:
    """A task to import.

    Attributes:
        data: What it shows.
        annotations: Answers that come with it, in the format of an export; the server gives them new numbers.
    """

    data: Mapping[str, Any]
    annotations: Sequence[Mapping[str, Any]] = ()


def http_client(url: str) -> httpx.Client:
    """A plain connection to the server, patient enough for an export; past a proxy of the environment on loopback."""
    return httpx.Client(timeout=_SECONDS, follow_redirects=False, trust_env=not is_loopback(url))


def refusal(status: int, body: Any, url: str) -> TashikaError:
    """The error for an answer of the server that is none."""
    if status in {401, 403}:
        return InputError(
            f"the server refused the token (status {status})",
            where=url,
            hint=f"Set {TOKEN_VARIABLE} to a token of this server; Label Studio shows it under Account & Settings.",
        )
    if status == 404:
        return InputError("the server has no such page or project (status 404)", where=url, hint=_ADDRESS_HINT)
    if status == 429:
        return OutsideError("the server asks for fewer requests (status 429)", where=url, hint="Try again later.")
    if status >= 500:
        hint = "Look at the server's log, then run the same command again; what is done is kept."
        kind = ServerFailedError if status == 500 else OutsideError
        return kind(f"the server failed with status {status}{_detail(body)}", where=url, hint=hint)
    if status >= 300:
        return OutsideError(f"the server refused the request with status {status}{_detail(body)}", where=url)
    start = str(body).strip()[:60]
    return OutsideError(f"expected JSON from the server, found {start!r}", where=url, hint=_ADDRESS_HINT)


def refused(answer: httpx.Response, url: str) -> TashikaError:
    """The error for an answer of the server that is not the one expected."""
    try:
        body = answer.json()
    except ValueError:
        body = answer.text
    return refusal(answer.status_code, body, url)


def _detail(body: Any) -> str:
    if isinstance(body, dict):
        body = body.get("validation_errors") or body.get("detail") or ""
    text = str(body).strip()
    return "" if not text or text.startswith("<") else f": {text[:200]}"


@contextmanager
def speaking_to(url: str) -> Iterator[None]:
    """Turns whatever goes wrong between us and the server into an error with what to do."""
    from label_studio_sdk.core.api_error import ApiError
    from label_studio_sdk.core.parse_error import ParsingError

    try:
        yield
    except httpx.ConnectError as error:
        raise OutsideError("no Label Studio server answers", where=url, hint=START_HINT) from error
    except httpx.TimeoutException as error:
        hint = "Run the same command again; what is done is kept."
        raise OutsideError(f"the server did not answer within {_SECONDS:.0f} s", where=url, hint=hint) from error
    except httpx.HTTPError as error:
        hint = "Run the same command again; what is done is kept."
        raise OutsideError(f"the connection broke ({type(error).__name__}: {error})", where=url, hint=hint) from error
    except (ParsingError, JSONDecodeError) as error:
        raise OutsideError(
            f"the server's answer is not in the expected format: {error}", where=url, hint=_ADDRESS_HINT
        ) from error
    except ApiError as error:
        raise refusal(error.status_code or 0, error.body, url) from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:  # the SDK trusts the shape of what it reads
        message = f"the server's answer lacks what was expected ({error})"
        raise OutsideError(message, where=url, hint=_ADDRESS_HINT) from error


class Server:
    """A Label Studio server.

    Every method raises OutsideError or InputError, as `speaking_to` does.
    """

    def __init__(self, address: Address) -> None:
        from label_studio_sdk import LabelStudio

        self.url = address.url
        self.shown = address.shown
        with speaking_to(self.url):
            client = http_client(address.url)
            self._sdk: Any = LabelStudio(base_url=address.url, api_key=address.token, httpx_client=client)  # type: ignore[no-untyped-call]

    def identity(self) -> str:
        """A name that stays when the same server comes back on another port: a digest of when it was founded."""
        with speaking_to(self.url):
            organizations = self._sdk.organizations.list()
            if not organizations:
                raise OutsideError("the server has no organization", where=self.url, hint=_ADDRESS_HINT)
            founded = [organizations[0].id, str(organizations[0].created_at)]
        return "ls-" + hashlib.sha256(repr(founded).encode()).hexdigest()[:12]

    def users(self) -> dict[int, str]:
        """The e-mail address of every account, by its number."""
        with speaking_to(self.url):
            return {int(user.id): str(user.email) for user in self._sdk.users.list()}

    def own_account(self) -> int:
        """The number of the account that the token belongs to."""
        with speaking_to(self.url):
            return int(self._sdk.users.whoami().id)

    def delete_account(self, number: int) -> None:
        """Deletes an account; one that is gone already is no error.

        Its annotations, if there are any left, stay on the server without an author.
        """
        with self._deleting():
            self._sdk.users.delete(id=number, request_options=_ONCE)

    def invitation(self, base: str | None = None) -> str:
        """The link with which a person makes an account.

        Args:
            base: Where the person reaches the server; None for where this program does.
        """
        with speaking_to(self.url):
            path = self._sdk.organizations.invites.get_invite_link().invite_url
            if not path:
                raise TypeError("no link in it")
            return f"{base or self.url}/{path.lstrip('/')}"

    def projects(self) -> list[Project]:
        """All projects of the server, whoever made them."""
        with speaking_to(self.url):
            return [_project(project) for project in _each_once(self._sdk.projects.list(), "results")]

    def project(self, title: str) -> Project | None:
        """The project of that title; of several the oldest, which is the same for everybody who asks."""
        return next(iter(self.projects_titled(title)), None)

    def projects_titled(self, title: str) -> list[Project]:
        """All projects of that title, the oldest first."""
        with speaking_to(self.url):
            projects = _each_once(self._sdk.projects.list(title=title), "results")
            titled = [_project(project) for project in projects if project.title == title]
            return sorted(titled, key=lambda project: project.project_id)

    def project_numbered(self, project_id: int) -> Project | None:
        """The project of that number, whatever its title; None if there is none."""
        from label_studio_sdk.core.api_error import ApiError

        with speaking_to(self.url):
            try:
                return _project(self._sdk.projects.get(id=project_id))
            except ApiError as error:
                if error.status_code != 404:
                    raise
                return None

    def rename_project(self, project_id: int, title: str) -> None:
        """Gives a project another title."""
        with speaking_to(self.url):
            self._sdk.projects.update(id=project_id, title=title, request_options=_ONCE)

    def delete_project(self, project_id: int) -> None:
        """Deletes a project with all that is in it; one that is gone already is no error."""
        with self._deleting():
            self._sdk.projects.delete(id=project_id, request_options=_ONCE)

    def create_project(
        self, title: str, summary: str, xml: str, instructions: str, annotators: int, *, words: bool = False
    ) -> Project:
        """Makes a project.

        Args:
            title: Its heading.
            summary: One line for the list of projects.
            xml: The page.
            instructions: The guidelines as HTML.
            annotators: People a task.
            words: Whether the page has a text field alone. The button Submit counts typed text as nothing until it is
                sent, so it must not be kept grey for empty answers; the pull refuses these.
        """
        with speaking_to(self.url):
            made = self._sdk.projects.create(
                title=title,
                description=summary,
                label_config=xml,
                expert_instruction=instructions,
                show_instruction=True,
                enable_empty_annotation=words,
                maximum_annotations=annotators,
                request_options=_ONCE,
            )
            return _project(made)

    def update_project(
        self, project: Project, summary: str, xml: str, instructions: str, annotators: int, *, words: bool = False
    ) -> None:
        """Brings all but the heading up to date; see `create_project`.

        A page that is there already is not sent: the server would check it against all answers, and one of a control
        that no page has, which any account can send, would bar every change.
        """
        changed = {} if project.xml.strip() == xml.strip() else {"label_config": xml}
        with speaking_to(self.url):
            self._sdk.projects.update(
                id=project.project_id,
                description=summary,
                expert_instruction=instructions,
                enable_empty_annotation=words,
                maximum_annotations=annotators,
                request_options=_ONCE,
                **changed,
            )

    def tabs(self, project_id: int) -> list[tuple[int, dict[str, Any]]]:
        """The number and the content of each tab of a project's data manager, from left to right."""
        with speaking_to(self.url):
            views = self._sdk.views.list(project=project_id, request_options=_ONCE)
            return [(int(view.id), dict(view.data or {})) for view in views]

    def create_tab(self, project_id: int, tab: dict[str, Any]) -> None:
        """Adds a tab to a project's data manager."""
        with speaking_to(self.url):
            self._sdk.views.create(project=project_id, data=tab, request_options=_ONCE)

    def update_tab(self, tab_id: int, tab: dict[str, Any]) -> None:
        """Replaces the content of a tab."""
        with speaking_to(self.url):
            self._sdk.views.update(id=str(tab_id), data=tab, request_options=_ONCE)

    def tasks(self, project_id: int) -> Iterator[Task]:
        """All tasks of a project, also those whose data the server cannot send.

        Whoever has an account can import half a surrogate, and a list with it fails (status 500). Then the data are
        read apart from the rest, and round what is unreadable.
        """
        seen: set[int] = set()
        with speaking_to(self.url):
            try:
                for task in self._list_tasks(project_id, "id,data,annotators,overlap"):
                    seen.add(int(task.id))
                    yield _task(task, dict(task.data))
            except ServerFailedError:
                tasks = list(self._list_tasks(project_id, "id,annotators,overlap"))
                data = self._task_data(project_id, sorted(int(task.id) for task in tasks))
                yield from (_task(task, data.get(int(task.id))) for task in tasks if int(task.id) not in seen)

    def _list_tasks(self, project_id: int, fields: str) -> Iterator[Any]:
        with speaking_to(self.url):
            pages = self._sdk.tasks.list(project=project_id, fields="all", include=fields, page_size=_TASKS_A_PAGE)
            yield from _each_once(pages, "tasks")

    def _task_data(self, project_id: int, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
        """What tasks show, by number, without those that the server cannot send."""
        data: dict[int, dict[str, Any]] = {}
        unreadable = 0
        for start in range(0, len(numbers), _TASKS_A_PAGE):
            part = numbers[start : start + _TASKS_A_PAGE]
            for _, page in halved(part, lambda some: self._data_between(project_id, some[0], some[-1])):
                if not isinstance(page, ServerFailedError):
                    data.update(page)
                    continue
                unreadable += 1
                if unreadable > MOST_UNREADABLE:
                    raise page
        return data

    def _data_between(self, project_id: int, first: int, last: int) -> dict[int, dict[str, Any]]:
        """What the tasks with these numbers and those in between show; at most a page of them."""
        limits = {"greater": first - 1, "less": last + 1}
        items = [
            {"filter": "filter:tasks:id", "operator": name, "type": "Number", "value": value}
            for name, value in limits.items()
        ]
        query = json.dumps({"filters": {"conjunction": "and", "items": items}, "ordering": ["tasks:id"]})
        with speaking_to(self.url):
            page = self._sdk.tasks.list(
                project=project_id,
                fields="all",
                include="id,data",
                page=1,
                page_size=_TASKS_A_PAGE,
                query=query,
                request_options=_ONCE,
            ).response
            return {int(task.id): dict(task.data) for task in page.tasks}

    def task_numbers(self, project_id: int, after: int, most: int) -> tuple[list[int], int]:
        """The lowest numbers of tasks above a number, whatever is deleted or added meanwhile.

        Args:
            project_id: The project.
            after: The number.
            most: How many.

        Returns:
            The numbers, ascending, and how many tasks there are above `after`.
        """
        above = {"filter": "filter:tasks:id", "operator": "greater", "type": "Number", "value": after}
        query = {"filters": {"conjunction": "and", "items": [above]}, "ordering": ["tasks:id"]}
        with speaking_to(self.url):
            page = self._sdk.tasks.list(
                project=project_id, fields="task_only", include="id", page=1, page_size=most, query=json.dumps(query)
            ).response
            numbers = [int(task.id) for task in page.tasks]
            if numbers != sorted(set(numbers)) or (numbers and numbers[0] <= after):
                raise ValueError("the tasks are not in the order that was asked for")
            return numbers, int(page.total)

    def import_tasks(self, project_id: int, tasks: Sequence[NewTask]) -> list[int]:
        """Imports tasks in one request, which the server takes as a whole or not at all.

        Returns:
            The numbers of the new tasks, in the order of `tasks`.
        """
        from label_studio_sdk import ImportApiRequest

        with speaking_to(self.url):
            requests = [
                ImportApiRequest(data=task.data, annotations=task.annotations)
                if task.annotations
                else ImportApiRequest(data=task.data)
                for task in tasks
            ]
            made = self._sdk.projects.import_tasks(
                id=project_id, request=requests, return_task_ids=True, request_options=_ONCE
            )
            numbers = [int(number) for number in made.task_ids]
            if len(numbers) != len(tasks):
                raise ValueError(f"{len(tasks)} tasks imported, {len(numbers)} numbers returned")
            return numbers

    def delete_task(self, task_id: int) -> None:
        """Deletes a task with all that is in it; one that is gone already is no error."""
        with self._deleting():
            self._sdk.tasks.delete(id=str(task_id), request_options=_ONCE)

    def ask_more(self, task_id: int, wanted: int, *, complete: bool = False) -> None:
        """Has the server ask so many people about a task.

        Args:
            task_id: The task.
            wanted: How many.
            complete: Whether so many have answered it; else it is offered again to those who have not.
        """
        with speaking_to(self.url):
            # The next task is chosen by `is_labeled`, which the server does not derive from the overlap here.
            self._sdk.tasks.update(id=str(task_id), overlap=wanted, is_labeled=complete, request_options=_ONCE)

    def delete_annotation(self, annotation_id: int) -> None:
        """Deletes an annotation; one that is gone already is no error."""
        with self._deleting():
            self._sdk.annotations.delete(id=annotation_id, request_options=_ONCE)

    @contextmanager
    def _deleting(self) -> Iterator[None]:
        """As `speaking_to`, but what is not there need not be deleted."""
        from label_studio_sdk.core.api_error import ApiError

        with speaking_to(self.url):
            try:
                yield
            except ApiError as error:
                if error.status_code != 404:
                    raise

    def export(self, project_id: int, task_ids: Sequence[int] = ()) -> Iterator[bytes]:
        """The raw JSON export of a project, in chunks.

        Args:
            project_id: The project.
            task_ids: Only these tasks; all of them by default. Some thousands fit into an address.
        """
        options: dict[str, Any] = {"chunk_size": 1 << 16}
        if task_ids:
            options["additional_query_parameters"] = {"ids[]": [str(number) for number in task_ids]}
        with speaking_to(self.url):
            yield from self._sdk.projects.exports.download_sync(
                project_id, export_type="JSON", download_all_tasks=True, request_options=options
            )


def _task(task: Any, data: Mapping[str, Any] | None) -> Task:
    """A listed task and what it shows; None where the server cannot send that."""
    users = frozenset(int(user) for user in task.annotators or ())
    number, wanted = int(task.id), int(task.overlap or 1)
    if data is None:
        return Task(number, "", users, wanted, readable=False)
    return Task(number, str(data.get("item_id", "")), users, wanted, digest_of(data))


def _each_once(pages: Any, field: str) -> Iterator[Any]:
    """The records of all pages; an answer without records and a page that comes again and again are refused."""
    if getattr(pages.response, field) is None:
        raise TypeError(f"no {field!r} in it")
    seen: set[int] = set()
    for record in pages:
        if record.id in seen:
            raise TypeError(f"record {record.id} comes twice")
        seen.add(record.id)
        yield record


def _project(project: Any) -> Project:
    return Project(
        project_id=int(project.id),
        title=str(project.title),
        xml=str(project.label_config or ""),
        annotators=int(project.maximum_annotations or 1),
        instructions=str(project.expert_instruction or ""),
        tasks=int(project.task_number or 0),
        summary=str(project.description or ""),
    )
