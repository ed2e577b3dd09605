"""A release of a suite that is one file: which items go in, with what people said of them, and into which part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tashika.core.custom.annotate_form import PageForm
from tashika.core.custom.release_form import ExportForm
from tashika.core.custom.suite import CustomSuite
from tashika.core.draws import chance
from tashika.core.errors import InputError
from tashika.core.workspace import Workspace
from tashika.exports.arrow import ascending
from tashika.exports.arrow import compute as pc
from tashika.exports.custom.card import card_of
from tashika.exports.custom.checks import checks_of
from tashika.exports.custom.replies import reply_columns, right_replies
from tashika.exports.custom.schema import answer_columns, configs_of_suite
from tashika.exports.custom.shapes import shapes_of
from tashika.exports.custom.tasks import tasks_of_suite
from tashika.exports.plan import Breakdown, ExportSettings, Plan, PlannedFile, SuiteExport
from tashika.exports.selection import chosen, decisions, released, with_verdicts
from tashika.exports.tables import content_digest, table_file
from tashika.exports.validation import read_validation

_UNDECIDED: Final = ("rejected", "undecided", "unjudged")
_SPLIT: Final = "split of the release"
_UNASKED: Final = "Other programs cannot ask all of its questions in the same way."


def export_of(suite: CustomSuite) -> SuiteExport:
    """A suite's side of this room."""
    file = suite.file

    def plan(workspace: Workspace, _settings: ExportSettings) -> Plan:
        return plan_of(suite, workspace)

    def inputs(workspace: Workspace) -> Sequence[Path]:
        asked = any(answer_columns(page) for page in file.annotate.kinds.values())
        return [workspace.answer_file] if asked else []

    return SuiteExport(
        suite=suite.name,
        kinds=tuple(file.build.kinds),
        configs=configs_of_suite(suite),
        plan=plan,
        checks=checks_of(suite),
        shapes=shapes_of(suite.file),
        card=card_of(suite),
        inputs=inputs,
        tasks=partial(tasks_of_suite, suite),
        asked=file.evaluate.model_dump(mode="json") if file.evaluate else {},
        own_method=_own_method(suite),
    )


def _own_method(suite: CustomSuite) -> str:
    form = suite.file.evaluate
    if form is None:
        return ""
    return "Another model scores the answers (task = judge)." if form.task == "judge" else _UNASKED


def plan_of(suite: CustomSuite, workspace: Workspace) -> Plan:
    """Selects the items of each kind that go in and counts the release.

    Raises:
        MissingStageError: Items or verdicts are not there yet.
        InputError: No item of a kind goes in, or an item names a part that the release has not.
    """
    judged_kinds = set(suite.file.annotate.kinds)
    validation = read_validation(workspace, judged_kinds) if judged_kinds else {}
    files: list[PlannedFile] = []
    tables: dict[str, pa.Table] = {}
    items: dict[str, pa.Table] = {}
    left_out: dict[str, int] = {}
    breakdown: list[Breakdown] = []
    for kind in suite.file.build.kinds:
        selected, gone = _select(suite, workspace, kind)
        items[kind] = _with_replies(suite, kind, selected)
        left_out |= gone
        parts = _parts(suite, workspace, kind, items[kind])
        files += [table_file(suite.name, kind, part, split) for split, part in parts.items()]
        tables |= {f"{kind}/{split}": part for split, part in parts.items()}
        breakdown += _breakdown(suite, kind, parts)
    return Plan(
        files=tuple(files),
        counts={kind: table.num_rows for kind, table in items.items()},
        left_out=left_out,
        digest=content_digest(tables),
        items=items,
        validation=validation,
        breakdown=tuple(breakdown),
    )


def _select(suite: CustomSuite, workspace: Workspace, kind: str) -> tuple[pa.Table, dict[str, int]]:
    """The items of a kind that go in, with the columns of people's answers, by id; and how many do not."""
    found, page = workspace.read_items(kind), suite.file.page(kind)
    gone: dict[str, int] = {}
    if page is None:
        return found.sort_by(ascending("item_id")), gone
    if page.gold:
        known = found.column(page.gold).is_valid()  # the builder leaves an empty field null
        gone[f"gold_{kind}s"] = int(pc.sum(known).as_py() or 0)
        found = found.filter(pc.invert(known))
    found = with_verdicts(found, workspace.read_verdicts())
    counts = decisions(found)
    gone |= {f"{name}_{kind}s": counts.get(name, 0) for name in _UNDECIDED}
    kept = chosen(found, "audit") if page.mode == "audit" else released(workspace, found, kind, "all")
    if page.mode == "audit":
        gone[f"unjudged_{kind}s"] = gone[f"undecided_{kind}s"] = 0  # an audit keeps these
    return _answered(suite, workspace, kind, _corrected(kept, page)).sort_by(ascending("item_id")), gone


def _with_replies(suite: CustomSuite, kind: str, items: pa.Table) -> pa.Table:
    """The items with what a model should say, where that needs a column of its own."""
    for name in reply_columns(suite, kind):
        items = items.append_column(name, right_replies(suite, kind, items))
    return items


def _corrected(items: pa.Table, page: PageForm) -> pa.Table:
    """The items with the text that people may write anew as they wrote it."""
    if page.correct is None:
        return items
    text = pc.coalesce(items.column("corrected"), items.column(page.correct))
    return items.set_column(items.schema.get_field_index(page.correct), page.correct, text)


def _answered(suite: CustomSuite, workspace: Workspace, kind: str, items: pa.Table) -> pa.Table:
    """The items with the columns of people's answers."""
    page = suite.file.page(kind)
    columns = answer_columns(page)
    if page is None or not columns:
        return items
    answers = workspace.read_answers()
    answers = answers.filter(pc.equal(answers.column("kind"), kind))
    rows = pc.index_in(items.column("item_id").combine_chunks(), value_set=answers.column("item_id").combine_chunks())
    if rows.null_count:
        found = f"{rows.null_count:,} accepted {kind}s have no answer"
        raise InputError(
            found, where=str(workspace.answer_file), hint="Count the votes again: `tashika annotate vote`."
        )
    answers = answers.take(rows)
    for name in columns:
        items = items.append_column(name, _answer(name, answers, page.label_names))
    return items


def _answer(name: str, answers: pa.Table, names: Sequence[str]) -> Any:
    """A column of people's answers; labels as their places among the names."""
    places = pa.array(names, pa.string())
    if name in {"label", "preferred"}:
        return pc.cast(pc.index_in(answers.column("label").combine_chunks(), value_set=places), pa.int64())
    if name == "labels":
        labels: Any = answers.column("labels").combine_chunks()
        codes = pc.cast(pc.index_in(labels.flatten(), value_set=places), pa.int64())
        offsets = np.concatenate([[0], np.cumsum(pc.list_value_length(labels).to_numpy(zero_copy_only=False))])
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), codes)
    return answers.column({"rating": "median", "answers": "texts"}.get(name, name))


# --- parts


def _parts(suite: CustomSuite, workspace: Workspace, kind: str, items: pa.Table) -> dict[str, pa.Table]:
    """The released columns of each part, in the order of the suite file."""
    names, form = list(configs_of_suite(suite)[kind].columns), suite.file.export
    splits = split_of(form, items, str(workspace.item_file(kind)))
    table = items.append_column(_SPLIT, splits)
    return {split: table.filter(pc.equal(table.column(_SPLIT), split)).select(names) for split in form.splits}


def split_of(form: ExportForm, items: pa.Table, where: str) -> Any:
    """The part of each item: what its column says, or drawn by a digest of its id, or of what must stay together.

    Raises:
        InputError: An item names a part that the release has not.
    """
    names = pa.array(list(form.splits), pa.string())
    if form.split_column:
        found = items.column(form.split_column)
        strange = items.filter(pc.invert(pc.is_in(found, value_set=names)))
        if strange.num_rows:
            row = strange.slice(0, 1).to_pylist()[0]
            message = f"the item {row['item_id']} has {form.split_column} {row[form.split_column]!r}"
            raise InputError(f"{message}, expected one of {', '.join(form.splits)}", where=where)
        return found
    if not isinstance(form.splits, dict):
        return pa.array([form.splits[0]] * items.num_rows, pa.string())
    ends = np.cumsum(list(form.splits.values()))
    together = items.column(form.split_by or "item_id").to_pylist()
    draws = np.array([chance(0, "split", str(value)) for value in together])
    places = np.minimum(np.searchsorted(ends, draws, side="right"), len(ends) - 1)
    return names.take(pa.array(places, pa.int64()))


def _breakdown(suite: CustomSuite, kind: str, parts: Mapping[str, pa.Table]) -> list[Breakdown]:
    """How many items of a kind each part has, and each label."""
    found = []
    if len(parts) > 1:
        found.append(Breakdown(f"Parts of {kind}", tuple((split, part.num_rows) for split, part in parts.items())))
    page = suite.file.page(kind)
    for name, column in answer_columns(page).items():
        if column.type == "label":
            codes = np.concatenate([np.asarray(part.column(name)) for part in parts.values()])
            each = np.bincount(codes.astype(np.int64), minlength=len(column.names)).tolist()
            found.append(Breakdown(f"{kind}, {name}", tuple(zip(column.names, each, strict=True))))
    return found
