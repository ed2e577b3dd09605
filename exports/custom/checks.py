"""What must hold of a release of a suite that is one file, beside what must hold of every release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tashika.core.custom.form import SuiteFile
from tashika.core.custom.suite import CustomSuite
from tashika.core.suites.columns import Column
from tashika.exports.arrow import compute as pc
from tashika.exports.checks import Check, Problem, ReleaseFiles, flagged
from tashika.exports.custom.schema import VOTES, answer_columns


def checks_of(suite: CustomSuite) -> tuple[Check, ...]:
    """The checks that the suite's columns allow."""
    checks = ReleaseChecks(suite.file)
    labelled = (checks.labels_are_declared,) if any(checks.labels()) else ()
    voted = (checks.votes_fit_the_answer,) if any(VOTES in columns for _, columns in checks.answers()) else ()
    return (checks.files_are_parts, *labelled, *voted)


@dataclass(frozen=True)
class ReleaseChecks:
    """The checks of one suite; each looks at the files, and yields what is wrong.

    Attributes:
        file: The suite file.
    """

    file: SuiteFile

    def answers(self) -> Iterator[tuple[str, dict[str, Column]]]:
        """The kinds, each with the columns of people's answers."""
        for kind in self.file.build.kinds:
            yield kind, answer_columns(self.file.page(kind))

    def labels(self) -> Iterator[tuple[str, str, Column]]:
        """The kinds that have one label an item, with the column."""
        for kind, columns in self.answers():
            for name, column in columns.items():
                if column.type == "label":
                    yield kind, name, column

    def files_are_parts(self, release: ReleaseFiles) -> Iterator[Problem]:
        """Every file is one of the declared parts of its kind."""
        for kind in self.file.build.kinds:
            declared = {f"{release.configs[kind].folder}/{split}.parquet" for split in self.file.export.splits}
            for path in release.paths(kind):
                if path not in declared:
                    yield Problem(path, None, f"a part that is none of {', '.join(self.file.export.splits)}")

    def labels_are_declared(self, release: ReleaseFiles) -> Iterator[Problem]:
        """Every label is one of those that people could choose."""
        for kind, name, column in self.labels():
            for path, batch in release.stream(kind, ["item_id", name]):
                codes = batch.column(name)
                wrong = pc.or_(pc.less(codes, 0), pc.greater_equal(codes, len(column.names)))
                yield from flagged(path, batch, wrong, name)

    def votes_fit_the_answer(self, release: ReleaseFiles) -> Iterator[Problem]:
        """The votes on an item are a number for each label; of adjudicated items the decided label may have fewer."""
        for kind, columns in self.answers():
            page = self.file.page(kind)
            if page is None or VOTES not in columns:
                continue
            for path, batch in release.stream(kind, ["item_id", VOTES, "votes_cast"]):
                for row in batch.to_pylist():
                    votes = row[VOTES]
                    enough = page.form == "labels" or sum(votes) <= row["votes_cast"]
                    if len(votes) != len(page.label_names) or min(votes) < 0 or not enough:
                        yield Problem(path, row["item_id"], f"votes {votes}, of {row['votes_cast']} cast")
