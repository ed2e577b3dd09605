"""Each form that a suite file may ask for in a real browser: from the invitation to the judgments."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tashika.annotation.labelling import pages_of
from tashika.core.workspace import Workspace
from tests.annotation.rounds import walk
from tests.curator import Curator
from tests.studio import Studio

TEXTS = (
    "What has keys and opens no lock? – A piano.",
    "What gets wetter the more it dries? – A towel.",
    "What has a neck and no head? – A bottle.",
    "What runs and has no legs? – A river.",
)
FORMS = ("pair", "topic", "quality", "duel", "saying", "verdict")


@pytest.mark.parametrize("kind", FORMS)
def test_a_person_goes_through_a_page_that_was_made(
    curator: Curator, fresh_studio: Studio, custom: ModuleType, tmp_path: Path, kind: str
) -> None:
    kinds = {**custom.SIX, "verdict": (custom.COLUMNS, "")}
    rest = "[annotate]\nannotators = 1\nminimum_votes = 1\n"
    suite = custom.open_text(tmp_path / "suite", custom.suite_text({kind: kinds[kind]}, rest=rest))
    settings = custom.settings_of(suite)
    workspace = Workspace(tmp_path / "work", suite.name)
    custom.write(workspace, kind, [custom.item(kind, text) for text in TEXTS])
    (page,) = pages_of(suite.name, settings)
    walk(curator, fresh_studio.server, workspace, page, settings)
