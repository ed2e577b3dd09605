"""Every kind of every suite in a real browser: from the invitation to the judgments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tashika.annotation.labelling import pages_of
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.core.files import write_rows
from tashika.core.records import item_schema
from tashika.core.suites.proverbs.words import question as proverb_question
from tashika.core.workspace import Workspace
from tests.annotation.kuci import samples as kuci
from tests.annotation.myriadlama import samples as myriadlama
from tests.annotation.proverbs.test_pages import check, pair, stereotype
from tests.annotation.rounds import walk
from tests.annotation.semrel import samples as semrel
from tests.annotation.tempripple.test_pages import fact, question
from tests.curator import Curator
from tests.studio import Studio

Rows = list[dict[str, Any]]

EVENTS = (
    ("雨が降ってきたので", "傘をさす"),
    ("お腹が空いたので", "ご飯を食べる"),
    ("薬を飲むと", "熱が下がる"),
    ("駅に着いたら", "友達が待っている"),
)
PROVERBS = (
    ("A cat has nine lives.", "A cat has seven lives."),
    ("A stitch in time saves nine.", "A stitch in time saves ten."),
    ("A leopard cannot change its spots.", "A tiger cannot change its stripes."),
    ("A picture is worth a thousand words.", "A picture is worth ten thousand words."),
)
NAMES = ("State of Japan", "Land of the Rising Sun", "Nihon", "Nippon-koku")


def _proverb_pairs() -> Rows:
    return [pair(proverb, variant) for proverb, variant in PROVERBS]


def _proverb_checks() -> Rows:
    asked = [[proverb_question("why", text) for text in texts] for texts in PROVERBS]
    return [check(str(i), question=one, variant_question=other) for i, (one, other) in enumerate(asked)]


def _stereotypes() -> Rows:
    return [stereotype(str(i), answer=answer) for i, answer in enumerate(("One.", "Two.", "Three.", "Four."))]


KINDS: dict[tuple[str, str], Callable[[], Rows]] = {
    ("myriadlama", "template"): lambda: myriadlama.templates()[:4],
    ("myriadlama", "alias"): lambda: [myriadlama.alias("Q17", "Japan", name) for name in NAMES],
    ("proverbs", "pair"): _proverb_pairs,
    ("proverbs", "check"): _proverb_checks,
    ("proverbs", "stereotype"): _stereotypes,
    ("semrel", "probe"): lambda: [semrel.probe(word) for word in ("dog", "cat", "rose", "oak")],
    ("tempripple", "fact"): lambda: [{**fact(), "item_id": f"{i:032x}"} for i in range(4)],
    ("tempripple", "question"): lambda: [{**question(), "item_id": f"{i:032x}"} for i in range(4)],
    ("kuci", "pair"): lambda: [kuci.pair(*events) for events in EVENTS],
    ("kuci", "question"): lambda: [kuci.question(number) for number in range(4)],
    ("kuci", "fit"): lambda: [kuci.fit(number) for number in range(4)],
    ("kuci", "sense"): lambda: [kuci.sense(*events) for events in EVENTS],
}
"""Four items of each kind."""


@pytest.fixture
def settings_for(tmp_path: Path) -> Callable[[str, str], tuple[Workspace, AnnotateSettings]]:
    def make(suite: str, kind: str) -> tuple[Workspace, AnnotateSettings]:
        workspace = Workspace(tmp_path / "work", suite)
        rows = sorted(KINDS[suite, kind](), key=lambda row: str(row["item_id"]))
        write_rows(workspace.item_file(kind), rows, item_schema(suite, kind))
        return workspace, AnnotateSettings(annotators=1, minimum_votes=1, kinds={kind: KindSettings()})

    return make


@pytest.mark.parametrize(("suite", "kind"), list(KINDS))
def test_a_person_goes_through_a_page(
    curator: Curator,
    fresh_studio: Studio,
    settings_for: Callable[[str, str], tuple[Workspace, AnnotateSettings]],
    suite: str,
    kind: str,
) -> None:
    workspace, settings = settings_for(suite, kind)
    (page,) = (page for page in pages_of(suite, settings))
    if page.kind == "probe":
        page = page.of_part(1)
    walk(curator, fresh_studio.server, workspace, page, settings)


def test_keys_that_come_too_soon_decide_nothing(
    curator: Curator,
    fresh_studio: Studio,
    settings_for: Callable[[str, str], tuple[Workspace, AnnotateSettings]],
) -> None:
    from tashika.annotation.judging.push import push

    workspace, settings = settings_for("myriadlama", "alias")
    pages = pages_of("myriadlama", settings)
    push(fresh_studio.server, workspace, pages, settings, dry=False)
    project = fresh_studio.server.project(pages[0].title)
    assert project is not None
    curator.open(project.project_id)
    curator.close_guidelines()
    curator.finish("1", "2", "1", "2")
    answered = [task.item_id for task in fresh_studio.server.tasks(project.project_id) if task.users]
    assert len(answered) == 1


def test_the_script_stays_out_where_it_is_not_wanted(samples: ModuleType) -> None:
    from tashika.annotation.labelstudio.insertion import insertion_environment

    assert insertion_environment({"TASHIKA_KEYS": "stock"}) == {}
    assert insertion_environment({"DJANGO_SETTINGS_MODULE": "my.settings"}) == {}
    added = insertion_environment({"PYTHONPATH": "/mine"})
    assert added["PYTHONPATH"].endswith(":/mine")
