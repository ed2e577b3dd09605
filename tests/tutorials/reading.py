"""What a tutorial page has its reader do: files to write, commands to run, Python to try, in the order of the page.

A page writes commands in fences of `bash`, Python in fences of `python`, and files in fences with a `title`: the path,
and behind it ` (at the end)` or ` (line 3)` where the text is added to a file that is there, or takes a line's place. A
comment before a fence says what the test does that the reader does not see:

- `<!-- test: tashika ... -->`: this command in the place of the fence, such as one that simulates people;
- `<!-- test: NAME -->`: a function of the test in the place of the fence, such as one that stands for another program;
- `<!-- test: exit 2 -->`: the last command of the fence ends with this code.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt

_COMMENT: Final = re.compile(r"<!-- test: (.*?) -->\s*")
_TITLE: Final = re.compile(r'(\w+) title="([^" ]+)(?: \((at the end|line \d+)\))?"')
_EXIT: Final = re.compile(r"exit (\d)")


@dataclass(frozen=True)
class Step:
    """One fence of a page.

    Attributes:
        line: Where it stands on the page, from 1.
        language: The fence's, such as `bash`.
        text: What stands in it.
        file: The file that it is written to; None for commands and Python.
        part: Which part of the file it is, such as `line 3`; empty for all of it.
        instead: What the test does in its place; empty where it does what the fence says.
        code: How the last command ends.
    """

    line: int
    language: str
    text: str
    file: str | None = None
    part: str = ""
    instead: str = ""
    code: int = 0

    @property
    def commands(self) -> list[list[str]]:
        """The words of each command, without comments."""
        return commands_of(self.text)


def commands_of(text: str) -> list[list[str]]:
    """The words of each command of a shell's text, without comments; a backslash at the end of a line continues it."""
    lines = text.replace("\\\n", " ").splitlines()
    split = (shlex.split(line, comments=True) for line in lines)
    return [words for words in split if words]


def steps_of(page: Path) -> list[Step]:
    """The fences of a page that have its reader do something, in order.

    Raises:
        ValueError: A comment for the test stands before no fence.
    """
    return list(_steps(page))


def _steps(page: Path) -> Iterator[Step]:
    note = ""
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        line = (token.map or [0])[0] + 1
        comment = _COMMENT.fullmatch(token.content) if token.type == "html_block" else None
        if note and token.type != "fence":
            raise ValueError(f"{page.name}:{line}: expected a fence behind the comment {note!r}")
        if comment:
            note = comment[1]
        if token.type == "fence":
            step = _step(line, token.info.strip(), token.content, note)
            if step:
                yield step
            note = ""


def _step(line: int, info: str, text: str, note: str) -> Step | None:
    exit_code = _EXIT.fullmatch(note)
    code, instead = (int(exit_code[1]), "") if exit_code else (0, note)
    titled = _TITLE.fullmatch(info)
    if titled:
        return Step(line, titled[1], text, titled[2], titled[3] or "", instead)
    return Step(line, info, text, None, "", instead, code) if info in {"bash", "python"} else None


def write_file(step: Step, folder: Path) -> None:
    """Writes the file of a step as its reader would.

    Args:
        step: With a file.
        folder: Where the reader is.
    """
    path = folder / str(step.file)
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text(encoding="utf-8") if step.part else ""
    if step.part == "at the end":
        before += "\n"
    elif step.part:
        lines = before.splitlines(keepends=True)
        lines[int(step.part.removeprefix("line ")) - 1] = step.text
        path.write_text("".join(lines), encoding="utf-8")
        return
    path.write_text(before + step.text, encoding="utf-8")
