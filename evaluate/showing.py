"""Predictions joined with the release: what was asked, what is right, and what a system answered, row by row.

A suite gives a `Showing`; for one that gives none the release's rows with the predictions' `item_id` are the prompts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tashika.core.errors import InputError
from tashika.core.files import read_object, read_table
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import AGAIN
from tashika.evaluate.release_tables import RECORD_FILE, read_identity
from tashika.evaluate.suite import Answered, Showing, Spell

_BATCH: Final = 4096
_ANSWERS: Final = ("answer_text", "reply", "choice", "chosen", "prediction", "answer")
"""Columns of predictions that may hold what was answered, of which the first that is there is taken."""
_GOLD: Final = ("expected", "gold", "target", "label", "answer", "answers")
"""The same of what is right, in the release or in the predictions."""
_SCORES: Final = ("score", "rank", "probability")


def answered(
    workspace: Workspace, folder: Path, showing: Showing, item: str | None = None, *, wrong: bool = False
) -> Iterator[Answered]:
    """Yields the predictions of a system with their prompts, in the table's order.

    Args:
        workspace: The suite's folders.
        folder: The system's.
        showing: What the suite gives, or `generic`.
        item: The only item wanted, by its id or the beginning of it; None for all.
        wrong: Whether right answers, and those that are neither, are left out.

    Raises:
        InputError: The table is missing or broken, or no item has that id.
    """
    file = folder / showing.file
    if not file.is_file():
        raise InputError(
            f"its {showing.file} does not lie here",
            where=folder.name,
            hint="Evaluate the model again, or copy it here.",
        )
    spell = showing.open(workspace, folder)
    known = False
    for row in _rows(file, showing.columns, item):
        known = True
        try:
            shown = spell(row)
        except (KeyError, IndexError) as error:
            raise InputError(
                "the release that lies here has no such question",
                where=f"{file}, {row['item_id']}",
                hint="Evaluate the model again, or bring back the release and the suite file that it was scored on.",
            ) from error
        if not wrong or shown.correct is False:
            yield shown
    if item is not None and not known:
        raise InputError(
            f"{folder.name} was not asked about an item {item!r}",
            where=str(file),
            hint="Take an id, or its first digits, from the column item_id; `tashika show` without --item prints them.",
        )


def _rows(file: Path, columns: Sequence[str] | None, item: str | None) -> Iterator[dict[str, Any]]:
    """The rows of a table, or of one item; read batch by batch, since there may be millions.

    Raises:
        InputError: The table is broken or has no ids.
    """
    asks: Any = pc
    try:
        with pq.ParquetFile(file) as table:
            names = table.schema_arrow.names
            if "item_id" not in names:
                raise InputError(f"the column 'item_id' is missing; found {', '.join(names)}", where=str(file))
            kept = None if columns is None else [name for name in columns if name in names]
            for batch in table.iter_batches(batch_size=_BATCH, columns=kept):
                ids = batch.column("item_id").cast(pa.string())
                chosen = batch if item is None else batch.filter(asks.starts_with(ids, pattern=item))
                yield from chosen.to_pylist()
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"not a whole Parquet file: {error}", where=str(file), hint="Evaluate the model again."
        ) from error


def require_scored_here(folder: Path, digest: str) -> None:
    """Refuses to join predictions with another release than the one that they are of: its items may read otherwise.

    Args:
        folder: The system's.
        digest: Of the release that lies here.

    Raises:
        InputError: The system was scored on another one.
    """
    scored = read_object(folder / "metrics.json", {"release": dict}, AGAIN)["release"]
    if scored.get("digest") != digest:
        raise InputError(
            f"was scored on release {scored.get('version')} ({str(scored.get('digest'))[:12]}), and another one lies "
            f"here ({digest[:12]}), whose items may read otherwise",
            where=folder.name,
            hint="Evaluate it again, or bring that release back.",
        )


# A suite that gives nothing -------------------------------------------------------------------------------------------


def generic(file: str) -> Showing:
    """How predictions are shown whose suite does not say it: beside the release's rows with the same id.

    Args:
        file: The table.
    """
    return Showing(file, _open_any, "what the predictions' column of that name holds")


def _open_any(workspace: Workspace, folder: Path) -> Spell:
    record = workspace.release / RECORD_FILE
    if record.is_file():
        require_scored_here(folder, read_identity(workspace.release, RECORD_FILE, "").digest)
    items = _items(sorted(workspace.release.glob("*/*.parquet")))

    def spell(row: Mapping[str, Any]) -> Answered:
        """A row beside its item, by what their columns are called."""
        return _spelled(row, items.get(str(row["item_id"]), {}))

    return spell


def _items(files: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """The release's rows by id; a row of a table that only hangs on items, such as a judgment, does not replace one."""
    items: dict[str, dict[str, Any]] = {}
    for file in files:
        table = read_table(file)
        if "item_id" in table.column_names and not {"annotator", "choice"} <= set(table.column_names):
            for row in table.to_pylist():
                items.setdefault(str(row["item_id"]), row)
    return items


def _spelled(row: Mapping[str, Any], item: Mapping[str, Any]) -> Answered:
    options = item.get("options") if isinstance(item.get("options"), list) else []
    given = next((name for name in _ANSWERS if row.get(name) is not None), None)
    beside = {**row, **item}
    gold = next((name for name in _GOLD if beside.get(name) is not None and name != given), None)
    score = next((name for name in _SCORES if isinstance(row.get(name), int | float)), None)
    correct = row.get("correct")
    if correct is None and options and given and gold and isinstance(row[given], int):
        correct = row[given] == beside[gold]
    texts = {name: value for name, value in item.items() if isinstance(value, str) and name != "item_id"}
    prompt = "\n".join(texts.values()) if len(texts) == 1 else "\n".join(f"{k}: {v}" for k, v in texts.items())
    used = {"item_id", given, gold, score, "correct", "problem"}
    return Answered(
        str(row["item_id"]),
        prompt or "(the release here has no such item)",
        [str(option) for option in options or ()],
        _named(beside[gold], options) if gold else (),
        None if given is None else ", ".join(_named(row[given], options)),
        None if score is None else float(row[score]),
        correct,
        row.get("problem"),
        {name: plain for name, value in row.items() if name not in used and (plain := _plain(value)) is not None},
    )


def _named(value: Any, options: Sequence[Any] | None) -> list[str]:
    """A value in words: the place of an option by the option."""
    if isinstance(value, list):
        return [word for each in value for word in _named(each, options)]
    if isinstance(value, int) and not isinstance(value, bool) and options and 0 <= value < len(options):
        return [str(options[value])]
    return [str(value)]


def _plain(value: Any) -> str | int | float | bool | None:
    return value if isinstance(value, str | int | float | bool) else None
