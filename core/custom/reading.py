"""Reading a suite file: everything that is wrong with it at once, each with its line and key."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tashika.core.custom.form import SuiteFile, misfits, unknown_kind
from tashika.core.custom.lines import Loc, line_numbers
from tashika.core.custom.templating import expression_problem, template_problem
from tashika.core.custom.wording import form_misfits
from tashika.core.errors import ConfigError
from tashika.core.settings import parse_toml
from tashika.core.suites.suite import SUITE_FILE


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
        content = parse_toml(text)
    except ValueError as error:
        return None, [Problem(path, _line_of_error(str(error), text), "", f"not valid TOML: {error}")]
    lines = line_numbers(text)
    file: SuiteFile | None = None
    try:
        file = SuiteFile.model_validate(content)
        found = _beyond_the_form(file, content, path.parent)
    except ValidationError as error:
        found = _raw_problems(error, content, path.parent)
    problems = [Problem(path, _line(lines, loc), ".".join(loc), message) for loc, message in dict.fromkeys(found)]
    return file, sorted(problems, key=lambda problem: (problem.line or 0, problem.key))


def _line_of_error(message: str, text: str) -> int | None:
    place = re.search(r"at line (\d+)", message)
    if place:
        return int(place[1])
    return text.rstrip().count("\n") + 1 if "at end of document" in message else None


def _beyond_the_form(file: SuiteFile, content: Mapping[str, Any], folder: Path) -> list[tuple[Loc, str]]:
    return [*_name_problems(file), *misfits(file), *_template_problems(file), *_path_problems(content, folder)]


def _name_problems(file: SuiteFile) -> Iterator[tuple[Loc, str]]:
    from tashika.core.suites.discovery import all_suites  # looks at what is installed

    if file.suite.name in all_suites():
        found = f"there is a suite {file.suite.name!r} already"
        yield ("suite", "name"), f"{found}; a suite of your own needs another name"


def _raw_problems(error: ValidationError, content: Mapping[str, Any], folder: Path) -> list[tuple[Loc, str]]:
    """What is wrong with a file that does not have the form: with that, what does not hang on the form."""
    kinds = _table(content, "build", "kinds")
    unknown: list[Loc] = [("annotate", "kinds", name) for name in _table(content, "annotate", "kinds") if kinds]
    unknown = [loc for loc in unknown if loc[-1] not in kinds]
    found = [(loc, message) for loc, message in form_misfits(error, content) if loc[:3] not in unknown]
    wrong = {loc for loc, _ in found}
    paths = [(loc, message) for loc, message in _path_problems(content, folder) if loc not in wrong]
    return [*((loc, unknown_kind(loc[-1], kinds)) for loc in unknown), *found, *paths]


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


def _path_problems(content: Mapping[str, Any], folder: Path) -> Iterator[tuple[Loc, str]]:
    for loc, name in _raw_paths(content):
        try:
            place = inside(folder, name)
        except ConfigError as error:
            yield loc, error.message
            continue
        if not os.path.exists(place):  # Path.exists raises for a name that is too long
            yield loc, f"there is no such file: {place}"


def named_paths(file: SuiteFile) -> Iterator[tuple[Loc, str]]:
    """The files and folders that a suite file names, each with its key."""
    return _raw_paths(file.model_dump())


def _raw_paths(content: Mapping[str, Any]) -> Iterator[tuple[Loc, str]]:
    """The same of a file's content, which need not have the form: what is no text names nothing."""
    for loc, name in (*_build_paths(content), *_page_paths(content)):
        if isinstance(name, str) and name:
            yield loc, name


def _build_paths(content: Mapping[str, Any]) -> Iterator[tuple[Loc, Any]]:
    for name in _table(content, "build", "kinds"):
        where: Loc = ("build", "kinds", name)
        for *tables, key in (("file",), ("generate", "seeds"), ("sparql", "query_file")):
            path = _table(content, *where, *tables).get(key)
            if not (isinstance(path, str) and path.startswith("hf:") and key != "query_file"):
                yield (*where, *tables, key), path


def _page_paths(content: Mapping[str, Any]) -> Iterator[tuple[Loc, Any]]:
    for name in _table(content, "annotate", "kinds"):
        where: Loc = ("annotate", "kinds", name)
        page = _table(content, *where)
        yield (*where, "page"), page.get("page")
        yield (*where, "guidelines"), page.get("guidelines")
        for language, guide in _table(page, "guidelines").items():
            yield (*where, "guidelines", language), guide


def _table(content: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """A table of a file; an empty one where there is none."""
    value: Any = content
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


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
