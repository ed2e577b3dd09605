"""Who did the training, and how well: read from the server at a pull, and never among the judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.annotation.gold.training import RETRY, alias, answers_at_once
from tashika.annotation.judging.accounts import name_accounts, read_restored
from tashika.annotation.judging.backups import annotations_of, copy_project
from tashika.annotation.judging.columns import having
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.people import Person
from tashika.annotation.judging.same import read_same
from tashika.annotation.judging.validation import NOT_BY_THE_PERSON, Answer, read_answer, read_seconds, read_time
from tashika.annotation.labelling import SEVERAL, ChoicePage, Page, TextPage, WordsPage
from tashika.annotation.labelstudio.client import Server
from tashika.core.answers import read_answer as read_word
from tashika.core.answers import split_answers
from tashika.core.files import read_table, write_rows
from tashika.core.texts import text_key
from tashika.core.workspace import Workspace

_FIELDS: tuple[pa.Field[Any], ...] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("annotator", pa.string(), nullable=False),  # a pseudonym
    pa.field("simulated", pa.bool_(), nullable=False),
    pa.field("first", pa.bool_(), nullable=False),  # whether the first answer is right
    pa.field("last", pa.bool_(), nullable=False),  # whether the last one is; the same where there is one alone
    pa.field("seconds", pa.float32()),
    pa.field("created_at", pa.timestamp("us", tz="UTC"), nullable=False),
    pa.field("server", pa.string(), nullable=False),
)
TRAINED = pa.schema(_FIELDS)
"""What one person answered to one item of a training: `annotation/training.parquet`."""


@dataclass
class Progress:
    """How far a person is with a training.

    Attributes:
        done: Items that were answered; what was skipped is not.
        first: Those that were right at the first try.
        last: Those that were right in the end.
    """

    done: int = 0
    first: int = 0
    last: int = 0


def trained_file(workspace: Workspace) -> Path:
    """Where it lies who answered what in the training."""
    return workspace.annotation / "training.parquet"


def read_trained(workspace: Workspace) -> list[dict[str, Any]]:
    """Rows of `TRAINED`; none is no error."""
    path = trained_file(workspace)
    return read_table(path, TRAINED).to_pylist() if path.exists() else []


def write_trained(workspace: Workspace, rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes who answered what in the trainings, rows of `TRAINED`, in the place of what was there."""
    ordered = sorted(rows, key=lambda row: (row["kind"], row["annotator"], row["item_id"], row["created_at"]))
    write_rows(trained_file(workspace), ordered, TRAINED)


def pull_training(server: Server, workspace: Workspace, pages: Sequence[Page]) -> None:
    """Fetches what people answered in the trainings, in the place of what was fetched before from this server.

    What was fetched of a training that is gone from the server stays.

    Args:
        server: Where the trainings are; what was not pushed yet is left out.
        workspace: Where the results and a copy of each export go.
        pages: See `training.training_pages`.

    Raises:
        OutsideError: The server failed, or what it sent is no export.
    """
    if not pages:
        return
    with alone(workspace.annotation):
        identity = server.identity()
        users = server.users()
        people = name_accounts(users, identity, workspace.annotation)
        origins = read_restored(workspace.annotation, identity).origins
        rows = read_trained(workspace)
        for page in pages:
            project = server.project(page.title)
            if project is not None:
                servers = {identity, *origins.get(page.name, ())}
                rows = [row for row in rows if row["kind"] != page.kind or row["server"] not in servers]
                backup = copy_project(server, workspace, project, page.name, identity, users)
                was_restored = page.name in origins
                rows += [{**row, "server": identity} for row in _trained(backup, page, people, was_restored)]
        write_trained(workspace, rows)


def _trained(backup: Path, page: Page, people: Mapping[int, Person], was_restored: bool) -> Iterator[dict[str, Any]]:
    for task, answer in annotations_of(backup):
        put_back = was_restored and answer.get("import_id") is not None and answer.get("updated_by") is None
        annotation = {**answer, "updated_by": answer.get("completed_by")} if put_back else answer
        data = task.get("data") or {}
        known = page.gold.get(str(data.get("item_id")))
        first, last = read_tries(annotation, page, people, data)
        if known is None or first.skipped or first.problem in NOT_BY_THE_PERSON:
            continue
        person = people[int(annotation["completed_by"])]
        yield {
            "item_id": data["item_id"],
            "kind": page.kind,
            "annotator": person.name,
            "simulated": person.simulated,
            "first": _is_right(first, page, known.answer),
            "last": _is_right(first, page, known.answer) or _is_right(last, page, known.answer),
            "seconds": read_seconds(annotation),
            "created_at": read_time(annotation),
        }


def read_tries(
    annotation: Mapping[str, Any], page: Page, people: Mapping[int, Any], data: Mapping[str, Any]
) -> tuple[Answer, Answer]:
    """The first answer to an item of a training, and the last one; see `validation.read_answer`."""
    result = annotation.get("result")
    parts = [part for part in result if isinstance(part, dict)] if isinstance(result, list) else []
    own = {name for name, _ in page.controls}
    first = [_named(part, page) for part in parts if part.get("from_name") in own]
    again = [_named(part, page) for part in parts if part.get("from_name") == RETRY]
    again = [{**part, "from_name": page.main_control[1]} for part in again]
    tries = [read_answer({**annotation, "result": said}, page, people, data) for said in (first, again or first)]
    return tries[0], tries[1]


def _named(part: Mapping[str, Any], page: Page) -> dict[str, Any]:
    """A part of a result with the names that the choices have on the kind's own page."""
    value = part.get("value")
    if not answers_at_once(page) or not isinstance(value, dict) or not isinstance(value.get("choices"), list):
        return dict(part)
    assert isinstance(page, ChoicePage)
    names = {alias(place): choice for place, choice in enumerate(page.choices)}
    return {**part, "value": {**value, "choices": [names.get(str(taken), taken) for taken in value["choices"]]}}


def _is_right(answer: Answer, page: Page, known: str) -> bool:
    if answer.problem:
        return False
    if isinstance(page, TextPage):
        return text_key(answer.text or "") == text_key(known)
    if isinstance(page, WordsPage):
        lemma = cache(page.open_lemmatiser().lemma)
        right = {read_word(word, lemma) for word in known.split(SEVERAL)}
        return bool(right & {read_word(word, lemma) for word in split_answers(answer.text or "")})
    return answer.label == known


def training_lines(workspace: Workspace, pages: Sequence[Page]) -> list[str]:
    """How far each person is with each training, a line a person and kind, and who has judged without it.

    Args:
        workspace: With what was pulled.
        pages: See `training.training_pages`.
    """
    lines = []
    same = read_same(workspace.annotation)
    rows = [{**row, "annotator": same.name(row["annotator"])} for row in read_trained(workspace)]
    for page in pages:
        wanted = {item_id for item_id, known in page.gold.items() if known.trains}
        people = _progress([row for row in rows if row["kind"] == page.kind and row["item_id"] in wanted])
        for name, progress in sorted(people.items()):
            end = f", {progress.last:,} in the end" if answers_at_once(page) else ""
            done = f"{progress.done:,} of {len(wanted):,} answered"
            lines.append(f"training of {page.kind}: {name}: {done}, {progress.first:,} right at first{end}")
        complete = {name for name, progress in people.items() if progress.done >= len(wanted)}
        untrained = sorted(_judges(workspace, page.kind) - complete)
        if untrained:
            lines.append(f"training of {page.kind}: judged items without all of it: {', '.join(untrained)}")
    return lines


def _progress(rows: Sequence[Mapping[str, Any]]) -> dict[str, Progress]:
    """How far each person is; an item that was answered more than once counts once, from the first try to the last."""
    tries: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row["created_at"]):
        tries.setdefault((row["annotator"], row["item_id"]), []).append(row)
    people: dict[str, Progress] = {}
    for (name, _), rows_of_item in tries.items():
        progress = people.setdefault(name, Progress())
        progress.done += 1
        progress.first += rows_of_item[0]["first"]
        progress.last += rows_of_item[-1]["last"]
    return people


def _judges(workspace: Workspace, kind: str) -> set[str]:
    """Who has judged items of a kind; programs are not trained."""
    if not shards(workspace):
        return set()
    rows = having(read_judgments(workspace), "kind", kind).select(["annotator", "simulated"]).to_pylist()
    return {row["annotator"] for row in rows if not row["simulated"]}
