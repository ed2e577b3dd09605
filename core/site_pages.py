"""The pages of the documentation site, out of the documents where they lie; `make docs` runs it before Zensical.

`docs/` becomes the root of the site. READMEs of suites and rooms, the contribution guide and the changelog lie
elsewhere in the repository, so they are copied beside it, and relative links are rewritten. A link to what the site
does not hold, such as a folder of code, becomes its text. `llms.txt` (https://llmstxt.org) lists the pages with a line
each.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import urlsplit

ROOMS: Final = ("core", "builders", "annotation", "exports", "evaluate")
"""The folders whose README is a page."""

INTERFACE: Final = """# Python interface

Made from the docstrings. [From Python](python.md) shows how the parts are used.

::: tashika.core.notebook

::: tashika.core.errors
"""
"""The page of which Zensical makes the reference of the Python interface."""

INTERFACE_MODULES: Final = ("core/notebook.py", "core/errors.py")
"""What that page describes. They are read as copies, since `typings/tashika` leads back to the root, for ever."""

_LINK: Final = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_FENCE: Final = re.compile(r" *(```|~~~)")
_CODE_IN_TABLE: Final = re.compile(r"(?<!`)`[^`\n]*\\\|[^`\n]*`")


def pages(root: Path) -> dict[str, str]:
    """Which document becomes which page.

    Args:
        root: The repository.

    Returns:
        The path of each document in the repository, and its path in the site's source.
    """
    docs = root / "docs"
    found = {f"docs/{path.relative_to(docs).as_posix()}": path.relative_to(docs) for path in docs.rglob("*.*")}
    listed = {name: inner.as_posix() for name, inner in sorted(found.items())}
    listed |= {f"{room}/README.md": f"rooms/{room}.md" for room in ROOMS}
    for readme in sorted(root.glob("core/suites/*/README.md")):
        listed[readme.relative_to(root).as_posix()] = f"suites/{readme.parent.name}.md"
    return listed | {
        "data/README.md": "data.md",
        "CONTRIBUTING.md": "contributing.md",
        "CHANGELOG.md": "changelog.md",
    }


def moved(text: str, document: str, listed: Mapping[str, str]) -> str:
    """The text of a document with its relative links as they are between pages; links in code stay.

    A `|` within code in a table is escaped on GitHub and not on the site, which would show the backslash.

    Args:
        text: Markdown.
        document: Its path in the repository.
        listed: What `pages` returns; the README of the repository has the home page in its place.
    """
    places = {**listed, "README.md": "index.md"}
    return "\n".join(block if is_code else _moved_links(block, document, places) for is_code, block in _blocks(text))


def _blocks(text: str) -> Iterator[tuple[bool, str]]:
    """The text in stretches of whole lines, each code or not; a link may go over lines, and not over an empty one."""
    fenced = False
    words: list[str] = []
    for line in text.split("\n"):
        fence = _FENCE.match(line) is not None
        if fenced or fence or line.startswith("    ") or not line:
            if words:
                yield False, "\n".join(words)
            words = []
            yield True, line
        else:
            words.append(line)
        fenced ^= fence
    if words:
        yield False, "\n".join(words)


def _moved_links(block: str, document: str, places: Mapping[str, str]) -> str:
    plain = _CODE_IN_TABLE.sub(lambda code: code[0].replace(r"\|", "|"), block) if block.startswith("|") else block
    return _LINK.sub(lambda link: _moved_link(link, document, places), plain)


def _moved_link(link: re.Match[str], document: str, places: Mapping[str, str]) -> str:
    image, words, target = link.groups()
    parts = urlsplit(target)
    if parts.scheme or parts.netloc or not parts.path:
        return link[0]
    inner = PurePosixPath(os.path.normpath(PurePosixPath(document).parent / parts.path)).as_posix()
    if inner not in places:
        return words
    here = PurePosixPath(places[document]).parent
    place = os.path.relpath(places[inner], here).replace(os.sep, "/")
    return f"{image}[{words}]({place}{f'#{parts.fragment}' if parts.fragment else ''})"


def entries(nav: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """The section, title and path of each page of a navigation, in its order; pages of no section have none."""
    for item in nav:
        for title, inner in item.items():
            if isinstance(inner, str):
                yield "", title, inner
            else:
                yield from ((title, name, path) for _, name, path in entries(inner))


def llms_text(project: Mapping[str, Any]) -> str:
    """The text of `llms.txt`: name, description, and the pages by section, a line each.

    Args:
        project: The table [project] of `zensical.toml`.

    Raises:
        KeyError: A page of the navigation has no summary under `extra.summaries`.
    """
    summaries = project["extra"]["summaries"]
    sections: dict[str, list[str]] = {}
    for section, title, path in entries(project["nav"]):
        sections.setdefault(section, []).append(f"- [{title}]({path}): {summaries[path]}\n")
    blocks = [f"## {section or 'Start'}\n\n{''.join(lines)}" for section, lines in sections.items()]
    return f"# {project['site_name']}\n\n> {project['site_description']}\n\n" + "\n".join(blocks)


def read_project(root: Path) -> dict[str, Any]:
    """The table [project] of the site's settings."""
    project: dict[str, Any] = tomllib.loads((root / "zensical.toml").read_text(encoding="utf-8"))["project"]
    return project


def write_pages(root: Path) -> None:
    """Write the site's source anew: the pages, their images, and `llms.txt` over the pages in Markdown."""
    project = read_project(root)
    folder = root / project["docs_dir"]
    shutil.rmtree(folder, ignore_errors=True)
    listed = pages(root)
    for document, place in listed.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if document.endswith(".md"):
            text = (root / document).read_text(encoding="utf-8")
            target.write_text(moved(text, document, listed), encoding="utf-8")
        else:
            shutil.copyfile(root / document, target)
    (folder / "interface.md").write_text(INTERFACE, encoding="utf-8")
    for module in INTERFACE_MODULES:
        copy = folder.with_name("interface") / "tashika" / module
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / module, copy)
    (folder / "llms.txt").write_text(llms_text(project), encoding="utf-8")


def add_markdown(root: Path) -> None:
    """Put the pages in Markdown beside those that were built: what the links of `llms.txt` open."""
    project = read_project(root)
    folder = root / project["docs_dir"]
    for page in folder.rglob("*.md"):
        shutil.copyfile(page, root / project["site_dir"] / page.relative_to(folder))


if __name__ == "__main__":
    {"write": write_pages, "add": add_markdown}[sys.argv[1]](Path.cwd())
