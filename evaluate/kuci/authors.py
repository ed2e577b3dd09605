"""The authors' own release of KUCI as questions to ask, without a build of ours.

Source: the README of github.com/ku-nlp/KUCI (format of 2020-10; CC BY-SA 4.0), read and never copied into the project:
JSON Lines with `id`, `context`, `choice_a` to `choice_d`, `label` (a to d), `agreement` (2 to 4, how many of the crowd
workers agreed) and `core_event_pair`; contexts and choices are parted into words by Juman++ with spaces. Its files are
`train.jsonl`, `dev.jsonl` and `test.jsonl`.

What we are not sure of, having the README alone: whether every version of it labels the test part, and names a core
event pair. An earlier page of the authors shows numbers as texts, and no pair. So `agreement` and `core_event_pair`
may be missing, numbers may be texts, and a line without a label is an error that says so.

The questions are written in the form of a release into a working directory that has no build, so that scores of two
data sets never meet on one page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

import pyarrow as pa

from tashika.core.bounded import text_lines
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.files import hash_file, hash_value, parse_json, read_json, write_json, write_rows
from tashika.core.progress import say
from tashika.core.records import item_id
from tashika.core.stages import Stage
from tashika.core.suites.kuci.words import OPTIONS, SPLITS, Split
from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.published import RELEASE_SPLITS
from tashika.evaluate.kuci.questions import question_file

SUITE: Final = "kuci"
IMPORTED: Final = "imported"
"""The key of a `release.json` whose questions are the authors'."""

LETTERS: Final = "abcd"
_FILES: Final[Mapping[Split, tuple[str, ...]]] = {
    "train": ("train.jsonl",),
    "validation": ("dev.jsonl", "development.jsonl", "validation.jsonl", "valid.jsonl"),
    "test": ("test.jsonl",),
}
"""What the file of a part is called; the first name is the authors'."""

_KEYS: Final = ("context", *(f"choice_{letter}" for letter in LETTERS), "label")
_EXPECTED: Final = f"expected a JSON object with id, {', '.join(_KEYS)}, as the README of github.com/ku-nlp/KUCI says"
_COMMA: Final = "、"
_FORMAT: Final = 1
_FIELDS: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("context", pa.string(), nullable=False),
    pa.field("options", pa.list_(pa.string()), nullable=False),
    pa.field("answer", pa.int32(), nullable=False),
    pa.field("similarities", pa.list_(pa.float32()), nullable=False),  # none: the files have no word vectors
    pa.field("relation", pa.string(), nullable=False),  # empty: the files do not say
    pa.field("pair", pa.string(), nullable=False),
    pa.field("group", pa.string(), nullable=False),
    pa.field("agreement", pa.int32(), nullable=False),  # 0 where the files do not say
)
_SCHEMA: Final = pa.schema(_FIELDS)


@dataclass
class Reading:
    """The questions of some files.

    Attributes:
        parts: Rows of the release's form, by part.
        left_out: Questions that cannot be asked, by reason.
    """

    parts: dict[Split, list[dict[str, Any]]] = field(default_factory=lambda: {split: [] for split in SPLITS})
    left_out: Counter[str] = field(default_factory=Counter)


def import_questions(workspace: Workspace, path: Path, *, keep_words: bool = False) -> None:
    """Writes the authors' questions into the working directory as a release; what is done is not done again.

    Args:
        workspace: One that has no build of its own.
        path: A folder with train.jsonl, dev.jsonl and test.jsonl, of which some may be missing; or a file, which is
            taken for the test part.
        keep_words: Leave the spaces between words, for models that read text which Juman++ has parted.

    Raises:
        InputError: The working directory has a build, a file is missing, or a line is not of that format.
    """
    _refuse_own(workspace)
    files = _files(path)
    stage = Stage(
        "import-questions",
        workspace.base,
        inputs=list(files.values()),
        settings={
            "format": _FORMAT,
            "keep_words": keep_words,
            "parts": {part: file.name for part, file in files.items()},
        },
        outputs=[*(workspace.release / question_file("both", split) for split in SPLITS), _record_file(workspace)],
    )
    stage.run(lambda: _import(workspace, files, keep_words), what="the authors' questions")


def _record_file(workspace: Workspace) -> Path:
    return workspace.release / "release.json"


def _refuse_own(workspace: Workspace) -> None:
    """Makes sure that scores on the authors' questions come to lie beside no others.

    Raises:
        InputError: There are items or a release of our own.
    """
    record = _record_file(workspace)
    own = workspace.items.is_dir() or (record.is_file() and IMPORTED not in read_json(record))
    if own:
        raise InputError(
            "this working directory has a build of its own, and scores of two data sets are kept apart",
            where=str(workspace.base),
            hint="Name another one for the authors' questions, such as --work work-kuci-authors.",
        )


def _files(path: Path) -> dict[Split, Path]:
    """The file of each part that is there."""
    if path.is_file():
        return {"test": path}
    if not path.is_dir():
        raise InputError("there is no such file or folder", where=str(path))
    files = {
        split: next((path / name for name in names if (path / name).is_file()), None) for split, names in _FILES.items()
    }
    present = {split: file for split, file in files.items() if file is not None}
    if "test" not in present:
        names = ", ".join(sorted(child.name for child in path.iterdir())[:8]) or "nothing"
        raise InputError(
            f"found {names}, expected test.jsonl, with train.jsonl and dev.jsonl where an encoder is to be fine-tuned",
            where=str(path),
            hint="In a copy of github.com/ku-nlp/KUCI they lie in the folder `dataset`.",
        )
    return present


def _import(workspace: Workspace, files: Mapping[Split, Path], keep_words: bool) -> Mapping[str, Any]:
    reading = Reading()
    for split, file in files.items():
        _read_file(reading, split, file, keep_words=keep_words)
    counts: dict[str, int] = {split: len(rows) for split, rows in reading.parts.items()}
    if not counts["test"]:
        raise InputError("there is no question in it", where=str(files["test"]))
    written = [question_file("both", split) for split in reading.parts]
    for path, rows in zip(written, reading.parts.values(), strict=True):
        write_rows(workspace.release / path, rows, _SCHEMA)
    notes = _notes(reading, keep_words)
    for note in notes:
        say(note)
    digests = {file.name: hash_file(file) for file in files.values()}
    record = {
        "suite": SUITE,
        "version": "the authors'",
        "digest": hash_value([_FORMAT, keep_words, {split: hash_file(file) for split, file in files.items()}]),
        "counts": counts,
        "simulated": False,
        "notes": notes,
        IMPORTED: digests,
        "files": {path: {"sha256": hash_file(workspace.release / path)} for path in written},
    }
    write_json(_record_file(workspace), record)
    return counts


def _notes(reading: Reading, keep_words: bool) -> list[str]:
    """What a reader of the scores must know of these questions."""
    counts = {split: len(rows) for split, rows in reading.parts.items()}
    shown = ", ".join(f"{count:,} {split}" for split, count in counts.items())
    whole = counts == dict(RELEASE_SPLITS) and not reading.left_out
    notes = [
        f"These are the authors' own questions, from their files: {shown}"
        + (
            "."
            if whole
            else f"; their README has {', '.join(f'{n:,} {split}' for split, n in RELEASE_SPLITS.items())}."
        )
    ]
    if keep_words:
        notes.append("The spaces that Juman++ put between words were kept.")
    for reason, count in reading.left_out.items():
        notes.append(f"{counted(count, 'question was', 'questions were')} left out: {reason}.")
    for column, what in (("context", "context"), ("group", "core event pair")):
        shared = _shared(reading, column)
        if shared:
            have = counted(shared, "test question has", "test questions have")
            notes.append(f"{have} a {what} that stands in training or validation as well.")
    return notes


def _shared(reading: Reading, column: str) -> int:
    """How many test questions have a value that stands in another part as well."""
    known = {row[column] for split in ("train", "validation") for row in reading.parts[split]} - {""}
    return sum(row[column] in known for row in reading.parts["test"])


def _read_file(reading: Reading, split: Split, file: Path, *, keep_words: bool) -> None:
    seen: set[str] = set()
    for number, line in _lines(file):
        row = _row(line, split, f"{file}, line {number}", keep_words=keep_words)
        if row["item_id"] in seen:
            _refuse("the id stands above already", f"{file}, line {number}")
        seen.add(row["item_id"])
        if len(set(row["options"])) < OPTIONS:
            reading.left_out["the same option twice"] += 1
            continue
        reading.parts[split].append(row)


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in text_lines(file) if line.strip())


def _row(line: str, split: Split, where: str, *, keep_words: bool) -> dict[str, Any]:
    """A line as a row of the release's form.

    Raises:
        InputError: It is not of the authors' format.
    """
    try:
        given = parse_json(line)
    except ValueError as error:
        raise InputError(f"not JSON: {error}; {_EXPECTED}", where=where) from error
    if not isinstance(given, dict):
        _refuse(f"found a JSON {type(given).__name__}", where)
    missing = [name for name in ("id", *_KEYS) if given.get(name) is None]
    if missing == ["label"]:
        _refuse("there is no label, and a choice cannot be scored without one", where)
    if missing:
        _refuse(f"found the keys {', '.join(map(str, given)) or 'none'}, {missing[0]!r} is missing", where)
    texts = [_text(given[name], name, where, keep_words=keep_words) for name in _KEYS[:-1]]
    label = given["label"]
    if not isinstance(label, str) or len(label) != 1 or label not in LETTERS:
        _refuse(f"found the label {label!r}, expected one of a, b, c, d", where)
    identity = item_id(SUITE, "question", "authors", split, str(given["id"]))
    return {
        "item_id": identity,
        "context": texts[0].removesuffix(_COMMA).rstrip(),
        "options": texts[1:],
        "answer": LETTERS.index(label),
        "similarities": [],
        "relation": "",
        "pair": identity,
        "group": str(given.get("core_event_pair") or ""),
        "agreement": _agreement(given.get("agreement"), where),
    }


def _text(value: object, name: str, where: str, *, keep_words: bool) -> str:
    """A text without the spaces between words, or with them."""
    text = value.strip() if isinstance(value, str) else ""
    if not text.strip(_COMMA):
        _refuse(f"found the {name} {value!r}, expected text", where)
    return text if keep_words else text.replace(" ", "")


def _agreement(value: object, where: str) -> int:
    if value is None:
        return 0
    if (
        not isinstance(value, int | str)
        or isinstance(value, bool)
        or not 1 <= len(digits := str(value)) <= 9
        or not digits.isdecimal()
    ):
        _refuse(f"found the agreement {value!r}, expected a number", where)
    return int(value)


def _refuse(problem: str, where: str) -> NoReturn:
    raise InputError(problem if _EXPECTED in problem else f"{problem}; {_EXPECTED}", where=where)
