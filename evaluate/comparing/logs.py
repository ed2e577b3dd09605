"""Logs of other evaluation programs, sample by sample, as values by `item_id`.

- lm-eval: `--log_samples` writes `samples_TASK_DATE.jsonl`, a line a document and filter, with the document as it was
  in the dataset (`doc`), the names of its `metrics`, and a number under each.
- inspect: a log is one JSON object (`--log-format json`) or a zip (`.eval`) with `header.json` and a file a sample. The
  id is the sample's `metadata.item_id`, or else its `id`. C, I, P and N stand for 1, 0, 0.5 and 0 (inspect's
  `value_to_float`); epochs are averaged, as inspect's default reducer does.

Files are streamed: what is kept of a sample is its id and one number.
"""

from __future__ import annotations

import json
import math
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.files import parse_json, read_json_lines, stream_json
from tashika.evaluate.suite import Units

SUFFIXES: Final = (".jsonl", ".json", ".eval")
LARGEST_SAMPLE: Final = 256 << 20
"""Bytes of one sample in a zip, unpacked."""
_FIRST: Final = ("acc", "exact_match")
"""What a log of lm-eval is read by where it has several numbers."""
_LETTERS: Final[Mapping[str, float]] = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_ZSTD: Final = 93
_TAG: Final = re.compile(r"\bhf/[^@]+@v(\d[^/]*)")
_DATE: Final = re.compile(r"_\d{4}-\d\d-\d\dT[\d.-]+$")


class Sample(NamedTuple):
    """One entry of a log.

    Attributes:
        item: The item's id; None where there is none.
        numbers: By name; NaN where there is no number.
        filter: Of lm-eval, what was made of the replies before they were scored; empty elsewhere.
        run: The epoch, of inspect.
        fields: What the entry has in the place where an id should stand, for an error.
        failed: Whether it ended in an error, of inspect.
    """

    item: str | None
    numbers: Mapping[str, float]
    filter: str
    run: int
    fields: Sequence[str]
    failed: bool = False


@dataclass(frozen=True)
class Log:
    """What is taken from a log.

    Attributes:
        name: Of the system that it is about.
        metric: The number that was taken.
        values: Item -> the number, the mean of all epochs; NaN where a sample has none.
        remark: What to know of the log; None for most.
        release: The version whose tag the questions were opened at, where the log says so.
    """

    name: str
    metric: str
    values: Mapping[str, float]
    remark: str | None = None
    release: str | None = None

    def units(self, measure: str) -> Units:
        """As the items of a system, for one measure."""
        return Units(list(self.values), {measure: np.fromiter(self.values.values(), np.float64, len(self.values))})


def is_log(given: str) -> bool:
    """Whether what a user named is a log, and not a system's folder."""
    return given.endswith(SUFFIXES)


def read_log(path: Path, metric: str | None = None, only: str | None = None, name: str | None = None) -> Log:
    """Reads a log.

    Args:
        path: The log.
        metric: The number to take; None for the only one, or for lm-eval's `acc` or `exact_match`.
        only: Lm-eval's filter; None for the only one.
        name: What the system shall be called; None for what the log says.

    Raises:
        InputError: The file is missing, broken or no such log, has no item ids, or an item twice.
    """
    if not path.is_file():
        raise InputError("there is no such file", where=str(path))
    head: Mapping[str, Any] = {}
    if path.suffix == ".jsonl":
        samples, shown = _lm_eval(path), _model_of_folder(path)
    else:
        head = _zip_header(path) if path.suffix == ".eval" else _json_header(path)
        samples = _inspect_zip(path) if path.suffix == ".eval" else _inspect_json(path)
        shown = f"{(head.get('eval') or {}).get('model') or path.stem} (inspect)"
    status = str(head.get("status", "success"))
    chosen = _Chosen(path, metric, only)
    for sample in samples:
        chosen.add(sample)
    if not chosen.values and chosen.filters:
        raise InputError(f"found no filter {only!r}; the log has {', '.join(sorted(chosen.filters))}", where=str(path))
    if not chosen.values:
        ended = f"; its run has the status {status!r}" if status != "success" else ""
        raise InputError(f"the log holds no samples{ended}", where=str(path), hint=_WITH_SAMPLES)
    if chosen.metric is None:
        raise InputError(
            f"none of its {counted(len(chosen.values), 'item')} has a score{_ended(chosen, status)}",
            where=str(path),
            hint=None if path.suffix == ".jsonl" else "Score it with `inspect score`, or run it without --no-score.",
        )
    remarks = _remarks(chosen, status, head)
    remark = f"{name or shown}: {'; '.join(remarks)}" if remarks else None
    return Log(name or shown, chosen.metric, chosen.means(), remark, _version(head))


def _ended(chosen: _Chosen, status: str) -> str:
    """What a log without scores ended in, as the end of a sentence."""
    failed = f"; {counted(chosen.failed, 'sample')} ended in an error" if chosen.failed else ""
    return failed + (f"; its run has the status {status!r}" if status != "success" else "")


def _remarks(chosen: _Chosen, status: str, head: Mapping[str, Any]) -> list[str]:
    """What to know of a log."""
    remarks = [f"the run has the status {status!r}: only some samples were done"] if status != "success" else []
    if chosen.failed:
        samples = counted(chosen.failed, "sample")
        remarks.append(f"{samples} of {chosen.samples:,} ended in an error, without a value")
    if chosen.runs > 1:
        reducers = _config(head).get("epochs_reducer")
        other = [name for name in reducers if name != "mean"] if isinstance(reducers, list) else []
        instead = f", where inspect's own number is by {' and '.join(map(str, other))}" if other else ""
        remarks.append(f"the mean of {chosen.runs} epochs is taken{instead}")
    return remarks


def _config(head: Mapping[str, Any]) -> Mapping[str, Any]:
    about = head.get("eval")
    config = about.get("config") if isinstance(about, Mapping) else None
    return config if isinstance(config, Mapping) else {}


def _version(head: Mapping[str, Any]) -> str | None:
    """The release's version, where its task was named by the tag: hf/ORG/NAME@v0.1.0."""
    about = head.get("eval")
    task = str(about.get("task", "")) if isinstance(about, Mapping) else ""
    match = _TAG.search(task)
    return match[1] if match else None


_WITH_SAMPLES: Final = "Run lm-eval with --log_samples; inspect logs samples unless --no-log-samples is given."


class _Chosen:
    """One number of each item, taken from a stream of samples."""

    def __init__(self, path: Path, metric: str | None, only: str | None) -> None:
        self.path, self.metric, self.only = path, metric, only
        self.values: dict[str, dict[int, float]] = {}
        self.filters: set[str] = set()
        self.samples = self.failed = 0

    @property
    def runs(self) -> int:
        """Epochs of the item that has most."""
        return max(map(len, self.values.values()), default=0)

    def add(self, sample: Sample) -> None:
        """Takes the number of a sample, if it is of the filter."""
        self.filters.add(sample.filter)
        if self.only is not None and sample.filter and sample.filter != self.only:
            return
        if self.only is None and len(self.filters) > 1:
            raise InputError(
                f"the log has the filters {' and '.join(sorted(self.filters))}, expected one",
                where=str(self.path),
                hint="Choose one with --filter.",
            )
        if sample.item is None:
            raise InputError(
                f"no item_id in the log; a sample has {', '.join(sample.fields) or 'nothing'}",
                where=str(self.path),
                hint="Evaluate the release's own rows: the column item_id must be in lm-eval's dataset, and be the id "
                "of inspect's Sample or stand in its metadata.",
            )
        if self.metric is None:
            self.metric = self._metric(sample.numbers)
        if self.metric not in sample.numbers and sample.numbers:
            raise InputError(
                f"found no number {self.metric!r}; the log has {', '.join(sorted(sample.numbers))}",
                where=f"{self.path}, {sample.item}",
                hint="Choose one of these with --metric.",
            )
        runs = self.values.setdefault(sample.item, {})
        if sample.run in runs:
            raise InputError(
                f"the item {sample.item} stands there twice, expected each item once",
                where=str(self.path),
                hint="Take the log of one run; a sample of several rows cannot be compared.",
            )
        runs[sample.run] = sample.numbers.get(str(self.metric), math.nan)
        self.samples += 1
        self.failed += sample.failed

    def _metric(self, numbers: Mapping[str, float]) -> str | None:
        """The number to take; None where this sample has none, so that a later one decides."""
        names = sorted(numbers)
        usual = [name for name in (*_FIRST, *names[:1]) if name in names and (name in _FIRST or len(names) == 1)]
        if usual:
            return usual[0]
        if not names:
            return None
        raise InputError(
            f"the log has the numbers {', '.join(names)}, and it is not clear which to take",
            where=str(self.path),
            hint="Choose one with --metric.",
        )

    def means(self) -> dict[str, float]:
        """Item -> the mean of its runs that have a number."""
        means = {}
        for item, runs in self.values.items():
            known = [value for value in runs.values() if not math.isnan(value)]
            means[item] = sum(known) / len(known) if known else math.nan
        return means


# lm-eval --------------------------------------------------------------------------------------------------------------


def _lm_eval(path: Path) -> Iterator[Sample]:
    for number, row in read_json_lines(path):
        doc = row.get("doc")
        if not isinstance(doc, Mapping):
            raise InputError(
                f"found no `doc` among {', '.join(sorted(row))}, expected a line of lm-eval's samples",
                where=f"{path}:{number}",
                hint="Take samples_TASK_DATE.jsonl, which lm-eval writes with --log_samples.",
            )
        names = row.get("metrics")
        listed = [str(name) for name in names] if isinstance(names, list) else [key for key in _FIRST if key in row]
        numbers = {name: value for name in listed if (value := _number(row.get(name))) is not None}
        yield Sample(_text(doc.get("item_id")), numbers, str(row.get("filter") or ""), 1, sorted(map(str, doc)))


def _model_of_folder(path: Path) -> str:
    """The model by the folder that lm-eval makes for it (`ORGANISATION__MODEL`), else the task by the file."""
    folder = path.resolve().parent.name
    name = folder.rpartition("__")[2] if "__" in folder else _DATE.sub("", path.stem).removeprefix("samples_")
    return f"{name} (lm-eval)"


# inspect --------------------------------------------------------------------------------------------------------------


def _json_header(path: Path) -> Mapping[str, Any]:
    """Status and task of a JSON log, which stand before its samples."""
    head: dict[str, Any] = {}
    for key in ("status", "eval"):
        with path.open("rb") as file, _whole(path):
            head[key] = next(iter(stream_json(file, key)), None)
    if not isinstance(head["eval"], Mapping):
        raise InputError(
            "found no `eval`, expected a log of inspect",
            where=str(path),
            hint="A log of lm-eval ends in .jsonl, one of inspect in .json or .eval.",
        )
    return head


def _inspect_json(path: Path) -> Iterator[Sample]:
    with path.open("rb") as file, _whole(path):
        for entry in stream_json(file, "samples.item"):
            yield _inspect_sample(entry, str(path))


def _zip_header(path: Path) -> Mapping[str, Any]:
    with _opened(path) as archive:
        if "header.json" not in archive.namelist():
            raise InputError(
                "found no header.json, expected a finished log of inspect",
                where=str(path),
                hint="A run that was cut off has none: `inspect eval-retry` finishes it.",
            )
        head = _entry(archive, archive.getinfo("header.json"), path)
    return head if isinstance(head, Mapping) else {}


def _inspect_zip(path: Path) -> Iterator[Sample]:
    with _opened(path) as archive:
        for info in archive.infolist():
            if info.filename.startswith("samples/") and info.filename.endswith(".json"):
                yield _inspect_sample(_entry(archive, info, path), f"{path}, {info.filename}")


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise InputError(f"no whole zip: {error}", where=str(path), hint=_CUT) from error


_CUT: Final = "The file is cut short or was changed: copy it again, or run the evaluation again."


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> Any:
    """One JSON file of a zip."""
    where = f"{path}, {info.filename}"
    if info.file_size > LARGEST_SAMPLE:
        size = f"{info.file_size / (1 << 20):,.0f} MiB"
        raise InputError(f"found a sample of {size}, expected at most {LARGEST_SAMPLE >> 20} MiB", where=where)
    try:
        content = _unpacked(archive, info)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError) as error:
        raise InputError(f"cannot be unpacked: {error}", where=where, hint=_CUT) from error
    try:
        return parse_json(content)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not valid JSON: {error}", where=where, hint=_CUT) from error


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A file of a zip, by Python's own means, or with zstd, which inspect packs with and Python 3.11 does not know."""
    if info.compress_type != _ZSTD:
        return archive.read(info)
    import pyarrow as pa

    file: Any = archive.fp
    file.seek(info.header_offset)
    head = file.read(30)  # a local header: its last four bytes are the lengths of the name and of what is beside it
    file.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
    packed: Any = pa.CompressedInputStream(pa.BufferReader(file.read(info.compress_size)), "zstd")
    content = bytes(packed.read(info.file_size + 1))
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile("bad CRC")
    return content


def _inspect_sample(entry: Any, where: str) -> Sample:
    if not isinstance(entry, Mapping):
        raise InputError(f"found a JSON {type(entry).__name__}, expected a sample", where=where)
    metadata = entry.get("metadata")
    beside = metadata if isinstance(metadata, Mapping) else {}
    item = _text(beside.get("item_id"))
    if item is None and isinstance(entry.get("id"), str):
        item = entry["id"]
    fields = [*(["id, a number"] if isinstance(entry.get("id"), int) else []), *(f"metadata.{key}" for key in beside)]
    epoch = entry.get("epoch")
    run = epoch if isinstance(epoch, int) else 1
    return Sample(item, dict(_scores(entry.get("scores"))), "", run, fields, bool(entry.get("error")))


def _scores(scores: Any) -> Iterator[tuple[str, float]]:
    """The numbers of all scorers; of one that gives several, under `SCORER/NAME`."""
    if not isinstance(scores, Mapping):
        return
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        parts: Iterable[tuple[str, Any]] = (
            ((f"{scorer}/{key}", part) for key, part in value.items())
            if isinstance(value, Mapping)
            else [(str(scorer), value)]
        )
        for name, part in parts:
            number = _number(part)
            if number is not None:
                yield name, number


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Turns what a stream of JSON raises into an error that names the file."""
    import ijson

    try:
        yield
    except (ijson.JSONError, UnicodeDecodeError) as error:
        raise InputError(f"not valid JSON: {error}", where=str(path), hint=_CUT) from error


# Values ---------------------------------------------------------------------------------------------------------------


def _number(value: Any) -> float | None:
    """A number, of C, I, P and N too; None of anything else."""
    if isinstance(value, str):
        return _LETTERS.get(value)
    if isinstance(value, bool | int | float):
        return float(value)
    return None


def _text(value: Any) -> str | None:
    return str(value) if isinstance(value, str) and value else None
