"""`CHANGES.md` of a release: what differs from the version before, above what that one said of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from tashika.exports.checks import ReleaseFiles
from tashika.exports.versions.comparison import Changes, compare
from tashika.exports.versions.former import CHANGES_FILE
from tashika.exports.versions.showing import groups_of, headline, in_words, table_rows

if TYPE_CHECKING:
    from tashika.exports.documents import Draft

_TITLE: Final = "# Changes"
_MARKS: Final = re.compile(r"[\\`*_\[\]<>|#]")


def changes_file(draft: Draft) -> Mapping[str, str]:
    """`CHANGES.md`, where there was a version before."""
    former = draft.former
    if former is None:
        return {}
    changes = compare(former.release, ReleaseFiles(draft.folder, draft.record), former.fates)
    earlier = former.changes.removeprefix(_TITLE).strip()
    parts = [_TITLE, "\n".join(section(changes)).strip(), earlier]
    return {CHANGES_FILE: "\n\n".join(part for part in parts if part) + "\n"}


def section(changes: Changes) -> Iterator[str]:
    """What differs: a table, and below it the groups with their examples."""
    before, after = changes.versions
    yield from (f"## Version {after}, after {before}", "", headline(changes), "")
    if changes.is_empty:
        return
    yield f"| configuration | rows in {before} | rows in {after} | added | dropped | changed |"
    yield "|---|--:|--:|--:|--:|--:|"
    for name, *numbers in table_rows(changes):
        yield f"| `{name}` | {' | '.join(numbers)} |"
    yield ""
    for reason, (first, second) in changes.left_out.items():
        yield f"- not released, {escaped(reason.replace('_', ' '))}: {first:,}, now {second:,}"
    for config in changes.configs:
        groups = list(groups_of(config))
        if groups:
            yield from ("", f"### `{config.name}`", "")
        for title, group in groups:
            yield f"- {escaped(title)}" + (f": {len(group.ids):,}" if group.ids else "")
            yield from (f"  - {escaped(in_words(example))}" for example in group.examples)


def escaped(text: str) -> str:
    """Text in which nothing is Markdown or HTML."""
    return _MARKS.sub(lambda mark: f"\\{mark[0]}", text)
