"""What a tutorial's page says is read as its reader would."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tutorials.reading import Step, commands_of, steps_of, write_file

PAGE = """# Page

```csv title="a/b.csv"
x
1
```

```toml title="a/b.toml (at the end)"
y = 1
```

<!-- test: exit 2 -->
```bash
tashika check a    # a comment
tashika build \\
    a --work "w x"
```

    tashika indented

<!-- test: tashika annotate simulate a -->
```bash
tashika annotate serve
```

```text
printed
```
"""


def test_a_page_is_files_and_commands_in_its_order(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    file, added, commands, person = steps_of(page)
    assert file == Step(3, "csv", "x\n1\n", "a/b.csv")
    assert (added.file, added.part) == ("a/b.toml", "at the end")
    assert commands.commands == [["tashika", "check", "a"], ["tashika", "build", "a", "--work", "w x"]]
    assert (commands.line, commands.code, commands.instead) == (13, 2, "")
    assert person.instead == "tashika annotate simulate a"


def test_a_comment_that_stands_before_no_fence_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- test: exit 2 -->\n\nA paragraph.\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"page.md:3: expected a fence behind the comment 'exit 2'"):
        steps_of(page)


def test_comments_and_empty_lines_are_no_commands() -> None:
    assert commands_of("# first\n\ntashika status   # then\n") == [["tashika", "status"]]


def test_a_file_is_written_added_to_or_changed_in_one_line(tmp_path: Path) -> None:
    write_file(Step(1, "csv", "a\nb\nc\n", "x/y.csv"), tmp_path)
    write_file(Step(1, "csv", "B\n", "x/y.csv", "line 2"), tmp_path)
    write_file(Step(1, "csv", "d\n", "x/y.csv", "at the end"), tmp_path)
    assert (tmp_path / "x" / "y.csv").read_text(encoding="utf-8") == "a\nB\nc\n\nd\n"
