"""Reading a suite file: everything that is wrong with it at once, each with its line and key."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from tashika.core.custom.form import SuiteFile, misfits
from tashika.core.custom.lines import Loc, line_numbers
from tashika.core.custom.schema import known_keys, suite_schema
from tashika.core.custom.templating import expression_problem, template_problem
from tashika.core.errors import ConfigError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

SUITE_FILE = "suite.toml"
"""The suite file of a folder."""


@dataclass(frozen=True)
class Problem:
    """Something that is wrong with a suite file.

    Attributes:
        path: The file.
        line: Where it stands, from 1; None where it stands nowhere.
        key: Such as `build.kinds.question.key`.
        message: What was found, and what was expected.
    """

    path: Path
    line: int | None
    key: str
    message: str

    def __str__(self) -> str:
        line = "" if self.line is None else f":{self.line}"
        return f"{self.path}{line}: {self.key + ': ' if self.key else ''}{self.message}"


def suite_path(reference: str) -> Path | None:
    """The suite file that a word of the command line means; None where it means no file.

    It is a path if it ends in `.toml`, has a slash in it, or is a folder with a `suite.toml`.
    """
    path = Path(reference)
    if (path / SUITE_FILE).is_file():
        return path / SUITE_FILE
    if path.suffix == ".toml":
        return path
    return path / SUITE_FILE if "/" in reference else None


def read_suite_file(path: Path) -> SuiteFile:
    """Reads and checks a suite file.

    Raises:
        ConfigError: Something is wrong with it; the first problem, and how many more there are.
    """
    file, problems = check_suite_file(path)
    if file is None or problems:
        first, *more = problems
        line = "" if first.line is None else f":{first.line}"
        hint = f"{len(more)} more: `tashika check {path}` shows all of them." if more else None
        raise ConfigError(
            f"{first.key}: {first.message}" if first.key else first.message, where=f"{path}{line}", hint=hint
        )
    return file


def check_suite_file(path: Path) -> tuple[SuiteFile | None, list[Problem]]:
    """A suite file, unless it cannot be read at all, and everything that is wrong with it, in order of the lines."""
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        return None, [Problem(path, None, "", "there is no such file")]
    except IsADirectoryError:
        return None, [Problem(path, None, "", f"found a folder without a {SUITE_FILE}, expected a suite file")]
    except UnicodeDecodeError as error:
        return None, [Problem(path, None, "", f"not a text file in UTF-8: {error}")]
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # the latter of brackets as deep, or a number of thousands of digits
        return None, [Problem(path, _line_of_error(str(error), text), "", f"not valid TOML: {error}")]
    lines = line_numbers(text)
    file: SuiteFile | None = None
    try:
        file = SuiteFile.model_validate(content)
        found = _beyond_the_form(file, path.parent)
    except ValidationError as error:
        found = _form_misfits(error, content)
    problems = [Problem(path, _line(lines, loc), ".".join(loc), message) for loc, message in dict.fromkeys(found)]
    return file, sorted(problems, key=lambda problem: (problem.line or 0, problem.key))


def _line_of_error(message: str, text: str) -> int | None:
    place = re.search(r"at line (\d+)", message)
    if place:
        return int(place[1])
    return text.rstrip().count("\n") + 1 if "at end of document" in message else None


def _beyond_the_form(file: SuiteFile, folder: Path) -> list[tuple[Loc, str]]:
    return [*_name_problems(file), *misfits(file), *_template_problems(file), *_path_problems(file, folder)]


def _name_problems(file: SuiteFile) -> Iterator[tuple[Loc, str]]:
    from tashika.core.suites.discovery import all_suites  # looks at what is installed

    if file.suite.name in all_suites():
        found = f"there is a suite {file.suite.name!r} already"
        yield ("suite", "name"), f"{found}; a suite of your own needs another name"


def _form_misfits(error: ValidationError, content: Mapping[str, Any]) -> list[tuple[Loc, str]]:
    """What does not have the form; where one of several forms would do, one misfit that names what each expects."""
    by_place: dict[Loc, list[ErrorDetails]] = {}
    for entry in error.errors():
        by_place.setdefault(_place(entry, content), []).append(entry)
    schema = suite_schema()
    return [(loc, _misfit(loc, entries, schema)) for loc, entries in by_place.items()]


def _place(entry: ErrorDetails, content: Mapping[str, Any]) -> Loc:
    """Where an error stands in the file, without pydantic's words for what was tried there."""
    keys: list[str] = []
    value: Any = content
    for part in entry["loc"]:
        within = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        if part in within:
            value = value[part]
        elif not (entry["type"] == "missing" and part == entry["loc"][-1]):
            continue
        keys.append(str(part))
    return tuple(keys)


def _misfit(loc: Loc, entries: Sequence[ErrorDetails], schema: Mapping[str, Any]) -> str:
    first = entries[0]
    if first["type"] == "missing":
        return "is missing"
    if first["type"] == "extra_forbidden":
        return _unknown_key(loc, schema)
    messages = dict.fromkeys(
        entry["msg"].removeprefix("Value error, ").replace("Input should be", "expected") for entry in entries
    )
    message = "; or ".join(messages)
    if first["loc"][-1] == "[key]":
        message = message.replace("String should", "this name should")
    if first["type"] == "value_error" and isinstance(first.get("input"), dict):
        return message
    return f"{message}; found {_shown(first.get('input'))}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _unknown_key(loc: Loc, schema: Mapping[str, Any]) -> str:
    known = known_keys(schema, loc[:-1])
    close = get_close_matches(loc[-1], known, n=1)
    more = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"
    return f"is not known here; {more}"


def _template_problems(file: SuiteFile) -> Iterator[tuple[Loc, str]]:
    for name, kind in file.build.kinds.items():
        if kind.where is not None:
            problem = expression_problem(kind.where, list(kind.columns))
            if problem:
                yield ("build", "kinds", name, "where"), problem
        if kind.generate:
            problem = template_problem(kind.generate.prompt, None)  # the seed table has the columns
            if problem:
                yield ("build", "kinds", name, "generate", "prompt"), problem
        if kind.generate and kind.generate.read == "pattern":
            problem = _pattern_problem(kind.generate.pattern or "", list(kind.columns))
            if problem:
                yield ("build", "kinds", name, "generate", "pattern"), problem
    yield from _evaluate_template_problems(file)


def _evaluate_template_problems(file: SuiteFile) -> Iterator[tuple[Loc, str]]:
    asked, kind_name = file.evaluate, file.evaluated_kind
    if asked is None or kind_name not in file.build.kinds:
        return
    columns = list(file.released_columns(kind_name))
    for key, text, names in (("prompt", asked.prompt, columns), ("rubric", asked.rubric, [*columns, "reply"])):
        problem = template_problem(text, names) if text is not None else None
        if problem:
            yield ("evaluate", key), problem
    if asked.pattern is not None:
        problem = _pattern_problem(asked.pattern, None)
        if problem:
            yield ("evaluate", "pattern"), problem


def _pattern_problem(pattern: str, columns: Sequence[str] | None) -> str | None:
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"not a regular expression: {error}"
    if columns is None:
        return None if compiled.groups else "the regular expression has no group for the answer"
    unknown = sorted(set(compiled.groupindex) - set(columns))
    if not compiled.groupindex:
        return "the regular expression has no named groups, such as (?P<text>.+)"
    return f"the group {unknown[0]!r} is no column; the kind has {', '.join(columns)}" if unknown else None


def _path_problems(file: SuiteFile, folder: Path) -> Iterator[tuple[Loc, str]]:
    for loc, name in named_paths(file):
        try:
            place = inside(folder, name)
        except ConfigError as error:
            yield loc, error.message
            continue
        if not os.path.exists(place):  # Path.exists raises for a name that is too long
            yield loc, f"there is no such file: {place}"


def named_paths(file: SuiteFile) -> Iterator[tuple[Loc, str]]:
    """The files and folders that a suite file names, each with its key."""
    for name, kind in file.build.kinds.items():
        where: Loc = ("build", "kinds", name)
        if kind.file and not kind.file.startswith("hf:"):
            yield (*where, "file"), kind.file
        if kind.generate and not kind.generate.seeds.startswith("hf:"):
            yield (*where, "generate", "seeds"), kind.generate.seeds
        if kind.sparql and kind.sparql.query_file:
            yield (*where, "sparql", "query_file"), kind.sparql.query_file
    for name, page in file.annotate.kinds.items():
        where = ("annotate", "kinds", name)
        if page.page:
            yield (*where, "page"), page.page
        guides = page.guidelines
        for language, guide in {"": guides}.items() if isinstance(guides, str) else (guides or {}).items():
            yield (*where, "guidelines", *([language] if language else [])), str(guide)


def inside(folder: Path, name: str) -> Path:
    """The path of a file that a suite file names: in the folder of the suite file, or below it.

    Raises:
        ConfigError: It lies elsewhere.
    """
    base = folder.resolve()
    try:
        place = (base / name).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, or a name that no file can have
        raise ConfigError(f"{name[:80]!r} is no name of a file: {error}", where=name[:80]) from error
    if not place.is_relative_to(base):
        raise ConfigError(
            f"{name!r} lies outside the folder of the suite file, {folder}: a suite is one folder, so that it can be "
            "given away; copy or link nothing in from elsewhere",
            where=name,
        )
    return folder / name


def _line(lines: dict[Loc, int], loc: Loc) -> int | None:
    """The line of a key, or of the closest table or key around it."""
    for length in range(len(loc), 0, -1):
        if loc[:length] in lines:
            return lines[loc[:length]]
    return None
