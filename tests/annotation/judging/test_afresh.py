"""A push to a server that has nothing of the suite does not ask people again what they have judged elsewhere."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tashika.annotation.judging.afresh import Again
from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.judging.push import push
from tashika.annotation.labelling import Page
from tashika.annotation.settings import AnnotateSettings
from tashika.core.errors import InputError
from tashika.core.workspace import Workspace
from tests.studio import Studio

LOST = "ls-0123456789ab"


def test_judgments_of_programs_and_of_files_hold_nobody_up(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page], settings: AnnotateSettings, samples: ModuleType
) -> None:
    item = workspace.read_items("template")["item_id"][0].as_py()
    program = samples.judgment(item, "simulated-1", simulated=True, server=LOST)
    published = samples.judgment(item, "published-3f2a9c-1", server="file:3f2a9c")
    of_no_item = samples.judgment("an item of an earlier build", "ada", server=LOST)
    append_judgments(workspace, [program, published, of_no_item])
    push(fresh_studio.server, workspace, pages, settings, dry=False)
    project = fresh_studio.server.project(pages[0].title)
    assert project is not None
    assert project.tasks == 12


def test_judgments_of_people_are_not_asked_again_unless_that_is_meant(
    fresh_studio: Studio,
    workspace: Workspace,
    pages: list[Page],
    settings: AnnotateSettings,
    samples: ModuleType,
    capsys: pytest.CaptureFixture[str],
) -> None:
    items = workspace.read_items("template")["item_id"].to_pylist()
    rows = [
        samples.judgment(item, name, server=LOST, annotation_id=number)
        for number, (item, name) in enumerate([(items[0], "ada"), (items[0], "ben"), (items[1], "ada")])
    ]
    append_judgments(workspace, [*rows, samples.judgment(items[2], "cy", server="ls-other")])
    counted = rf"'{pages[0].title}', but judgments of 3 people .*: 3 from the server {LOST}, 1 from the server ls-other"
    for dry in (True, False):
        with pytest.raises(InputError, match=counted) as refused:
            push(fresh_studio.server, workspace, pages, settings, dry=dry)
        assert refused.value.exit_code == 2
        hint = (
            f"No copy of these projects is left to restore. `tashika annotate push myriadlama --work {workspace.root}"
        )
        assert hint in str(refused.value)
    assert fresh_studio.server.projects() == []
    push(fresh_studio.server, workspace, pages, settings, dry=False, again=Again(everything=True))
    printed = " ".join(capsys.readouterr().err.split())
    assert "People are asked again; a person is known by the e-mail address, and the last answer counts" in printed
    push(fresh_studio.server, workspace, pages, settings, dry=False)  # the project is there now


def test_a_project_that_was_deleted_is_made_anew_if_that_is_meant(
    fresh_studio: Studio,
    workspace: Workspace,
    pages: list[Page],
    settings: AnnotateSettings,
    samples: ModuleType,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server, identity = fresh_studio.server, fresh_studio.server.identity()
    push(server, workspace, pages, settings, dry=False)
    project = server.project(pages[0].title)
    assert project is not None
    item = workspace.read_items("template")["item_id"][0].as_py()
    append_judgments(workspace, [samples.judgment(item, "ada", server=identity, project_id=project.project_id)])
    server.delete_project(project.project_id)
    with pytest.raises(InputError, match=f"project {project.project_id} .* is gone from the server; 1 judgments"):
        push(server, workspace, pages, settings, dry=False)
    push(server, workspace, pages, settings, dry=False, again=Again(everything=True))
    assert "the last answer counts" in " ".join(capsys.readouterr().err.split())
    anew = server.project(pages[0].title)
    assert anew is not None
    assert anew.tasks == 12


def test_a_command_to_copy_says_where_the_suite_lies() -> None:
    assert Workspace(Path("work"), "kuci").arguments == "kuci"
    assert Workspace(Path("my work"), "kuci").arguments == "kuci --work 'my work'"
