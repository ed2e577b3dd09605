"""Single judgments as a configuration of every release, so that others can count them in their own way.

Verdicts are one way to count; whoever studies disagreement needs what each person said. The table has every person's
last statement on every item that was voted on, rejected items among them: without these nobody could count again. It
has new pseudonyms, whole seconds, and no text that a person typed. What can still be learnt of a person is written in
`docs/judgments.md`.

The digest of a release does not cover this table. It says which items models are scored on; a vote more that changes
no item leaves scores comparable. The table's own hash stands in `release.json` like that of every file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import pyarrow as pa

from tashika.core.errors import MissingStageError
from tashika.core.progress import say
from tashika.core.workspace import Workspace
from tashika.exports.arrow import ascending, column
from tashika.exports.arrow import compute as pc
from tashika.exports.checks import Check, Problem, ReleaseFiles
from tashika.exports.plan import ExportSettings, Plan, SuiteExport
from tashika.exports.schema import JUDGMENTS, configs_of
from tashika.exports.tables import table_file

_ADDRESS: Final = r"@|://"


def with_judgments(plan: Plan, suite: SuiteExport, workspace: Workspace, settings: ExportSettings) -> Plan:
    """Adds the table of single judgments to a plan, unless the settings say otherwise or there are none.

    Args:
        plan: What the suite selected.
        suite: The suite's side of this room.
        workspace: Where the votes were counted.
        settings: `[export]`.
    """
    if not settings.judgments:
        return plan
    if JUDGMENTS in suite.configs:
        say(f"single judgments are not released: the suite has a configuration {JUDGMENTS!r} of its own")
        return plan
    try:
        table = judgment_table(workspace, suite)
    except MissingStageError as error:
        say(f"single judgments are not released: {error}")
        return plan
    if not table.num_rows:
        return plan
    file = table_file(suite.suite, JUDGMENTS, table)
    return replace(plan, files=(*plan.files, file), counts={**plan.counts, JUDGMENTS: table.num_rows})


def judgment_table(workspace: Workspace, suite: SuiteExport) -> pa.Table:
    """The rows of the configuration, by kind, item and annotator.

    Raises:
        MissingStageError: An earlier version counted the votes, which left no table of them.
    """
    said = workspace.read_statements()
    said = said.filter(pc.is_in(said.column("kind"), value_set=pa.array(suite.kinds, pa.string())))
    columns = {
        **{name: column(said, name) for name in said.column_names},
        "annotator": column(said, "released_as"),
        "seconds": pc.round(column(said, "seconds")),
    }
    names = list(configs_of(suite.suite)[JUDGMENTS].columns)
    table = pa.table([columns[name] for name in names], names=names)
    return table.sort_by(ascending("kind", "item_id", "annotator")).combine_chunks()


def released_names(workspace: Workspace) -> dict[str, str]:
    """The name in a release by the pseudonym of the working directory; none where the votes were not counted anew."""
    try:
        said = workspace.read_statements()
    except MissingStageError:
        return {}
    return dict(zip(column(said, "annotator").to_pylist(), column(said, "released_as").to_pylist(), strict=True))


def judgments_name_nobody(release: ReleaseFiles) -> Iterator[Problem]:
    """No annotator of a single judgment has an address for a name."""
    if release.paths(JUDGMENTS):
        for path, batch in release.stream(JUDGMENTS, ["item_id", "annotator"]):
            names = batch.column("annotator").cast(pa.string())
            for row in pc.indices_nonzero(pc.match_substring_regex(names, _ADDRESS)).to_pylist():
                yield Problem(path, batch.column("item_id")[row].as_py(), repr(names[row].as_py()))


def judgments_are_told_to_be_simulated(release: ReleaseFiles) -> Iterator[Problem]:
    """A release with judgments of simulated annotators states that it is simulated."""
    if release.record["simulated"] or not release.paths(JUDGMENTS):
        return
    for path, batch in release.stream(JUDGMENTS, ["item_id", "simulated"]):
        for row in pc.indices_nonzero(batch.column("simulated")).to_pylist():
            yield Problem(path, batch.column("item_id")[row].as_py(), "simulated, but release.json states otherwise")


def judgments_make_the_votes(release: ReleaseFiles) -> Iterator[Problem]:
    """The judgments on an item that counted are as many as the votes that the item states."""
    if not release.paths(JUDGMENTS):
        return
    table = release.table(JUDGMENTS)
    rows = zip(*(table.column(name).to_pylist() for name in ("item_id", "counted", "counts_as")), strict=True)
    cast = Counter(item for item, counted, counts_as in rows if counted and counts_as != "neither")
    for name, config in release.configs.items():
        if name != JUDGMENTS and not config.product and "votes_cast" in config.columns:
            yield from _miscounted(release, name, cast)


def _miscounted(release: ReleaseFiles, config: str, cast: Mapping[str, int]) -> Iterator[Problem]:
    for path, batch in release.stream(config, ["item_id", "votes_cast"]):
        for item, stated in zip(*(batch.column(index).to_pylist() for index in (0, 1)), strict=True):
            if stated is not None and stated != cast.get(item, 0):
                yield Problem(path, item, f"{stated} votes, but {cast.get(item, 0)} judgments that counted")


JUDGMENT_CHECKS: Final[tuple[Check, ...]] = (
    judgments_name_nobody,
    judgments_are_told_to_be_simulated,
    judgments_make_the_votes,
)
"""What must hold of the table of single judgments in every release."""
