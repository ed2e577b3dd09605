"""Reading a suite file: everything that is wrong with it at once, each with its line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tashika.core.custom.form import Loc, SuiteFile, misfits
from tashika.core.custom.templating import expression_problem, template_problem
from tashika.core.errors import ConfigError

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
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None, [Problem(path, None, "", "there is no such file")]
    except (UnicodeDecodeError, IsADirectoryError) as error:
        return None, [Problem(path, None, "", f"not a text file in UTF-8: {error}")]
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        return None, [Problem(path, int(place[1]) if place else None, "", f"not valid TOML: {error}")]
    lines = line_numbers(text)
    file: SuiteFile | None = None
    try:
        file = SuiteFile.model_validate(content)
        found = _beyond_the_form(file, path.parent)
    except ValidationError as error:
        found = [_misfit(entry) for entry in error.errors()]
    problems = [Problem(path, _line(lines, loc), ".".join(loc), message) for loc, message in dict.fromkeys(found)]
    return file, sorted(problems, key=lambda problem: (problem.line or 0, problem.key))


def _beyond_the_form(file: SuiteFile, folder: Path) -> list[tuple[Loc, str]]:
    return [*misfits(file), *_template_problems(file), *_path_problems(file, folder)]


def _misfit(entry: Any) -> tuple[Loc, str]:
    loc = tuple(
        str(part) for part in entry["loc"] if not str(part).startswith(("function-", "dict[", "tuple[", "list["))
    )
    message = entry["msg"].removeprefix("Value error, ")
    if entry["type"] == "missing":
        return loc, "is missing"
    if entry["type"] == "extra_forbidden":
        return loc, "is not known here"
    if entry["type"] == "value_error" and isinstance(entry.get("input"), dict):
        return loc, message
    return loc, f"{message}; found {str(entry.get('input'))[:80]!r}"


def _template_problems(file: SuiteFile) -> Iterator[tuple[Loc, str]]:
    for name, kind in file.build.kinds.items():
        if kind.where is not None:
            problem = expression_problem(kind.where, list(kind.columns))
            if problem:
                yield ("build", "kinds", name, "where"), problem
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
    except re.error as error:
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
        if not place.exists():
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
    place = (base / name).resolve()
    if not place.is_relative_to(base):
        raise ConfigError(
            f"{name!r} lies outside the folder of the suite file, {folder}: a suite is one folder, so that it can be "
            "given away; copy or link nothing in from elsewhere",
            where=name,
        )
    return folder / name


_HEADER = re.compile(r"^\s*\[\[?\s*([^\[\]#]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=""")


def line_numbers(text: str) -> dict[Loc, int]:
    """The line of each table and key of a TOML text, from 1; what is inside an inline table has none of its own."""
    lines: dict[Loc, int] = {}
    table: Loc = ()
    within: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if within:
            within = None if within in line else within
            continue
        header, key = _HEADER.match(line), _KEY.match(line)
        if header:
            table = _parts(header[1])
            lines.setdefault(table, number)
        elif key:
            lines.setdefault((*table, *_parts(key[1])), number)
        for quotes in ('"""', "'''"):
            if line.count(quotes) % 2:
                within = quotes
    return lines


def _parts(dotted: str) -> Loc:
    found = re.findall(r"\"([^\"]*)\"|'([^']*)'|([A-Za-z0-9_-]+)", dotted)
    return tuple(next(part for part in parts if part) for parts in found if any(parts))


def _line(lines: dict[Loc, int], loc: Loc) -> int | None:
    """The line of a key, or of the closest table or key around it."""
    for length in range(len(loc), 0, -1):
        if loc[:length] in lines:
            return lines[loc[:length]]
    return None
