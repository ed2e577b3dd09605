"""The configurations of such a release, from the suite file: one a kind, named like it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tashika.core.custom.annotate_form import PageForm
from tashika.core.custom.suite import CustomSuite
from tashika.core.suites.columns import Column
from tashika.exports.custom.replies import reply_columns
from tashika.exports.escaping import as_text
from tashika.exports.schema import ITEM_ID, VOTES_CAST, VOTES_FOR, Config

VOTES: Final = "votes"
_OF_RATING: Final[Mapping[str, Column]] = {
    "rating": Column("float32", "the median of what people gave; points count from 1"),
    "mean": Column("float32", "their mean"),
    "spread": Column("float32", "their standard deviation"),
}


def configs_of_suite(suite: CustomSuite) -> Mapping[str, Config]:
    """The configurations by name."""
    return {kind.name: _config(suite, kind.name, kind.meaning.replace("<", "&lt;")) for kind in suite.kinds}


def _config(suite: CustomSuite, kind: str, meaning: str) -> Config:
    page = suite.file.page(kind)
    own = dict(suite.kind(kind).columns)
    if page and page.gold:
        del own[page.gold]  # items that have one are not released
    columns = {"item_id": ITEM_ID, **own, **answer_columns(page)}
    columns |= reply_columns(suite, kind)
    if page:
        said = VOTES_FOR if page.form == "verdict" else replace(VOTES_FOR, meaning="people who gave that answer")
        columns |= {"votes_for": said, "votes_cast": VOTES_CAST}
    return Config(kind, kind, meaning, columns, splits=tuple(suite.file.export.splits))


def answer_columns(page: PageForm | None) -> dict[str, Column]:
    """The columns that people's answers become; none where they accept or reject, or nobody is asked."""
    if page is None or page.form == "verdict":
        return {}
    if page.form == "text":
        return {"answers": Column("strings", "what people wrote")}
    names, shown = page.label_names, ", ".join(map(as_text, page.label_names))
    of_each = Column("integers", f"people who said each: {shown}")
    if page.form == "rating":
        return {**_OF_RATING, VOTES: replace(of_each, meaning=f"people who gave each point: {shown}")}
    if page.form == "labels":
        label = Column("labels", "the labels that more than half of the people gave", names=names)
        return {"labels": label, VOTES: of_each}
    name = "label" if page.form == "label" else "preferred"
    meaning = "the label that more than half of the people gave" if page.form == "label" else "what most preferred"
    return {name: Column("label", meaning, names=names), VOTES: of_each}
