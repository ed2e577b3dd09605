"""The report's sections on vocabulary, prompts, frequency and size."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.core.workspace import Workspace
from tashika.evaluate.semrel.breakdown_page import short_count
from tashika.evaluate.semrel.comparison import read
from tashika.evaluate.semrel.report import write_report
from tests.evaluate.pages import rewrite, words_of
from tests.evaluate.semrel.toy_scores import PARAMETERS, SYSTEMS, toy_pages

MODELS = [name for name, kind in SYSTEMS.items() if kind != "people"]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return toy_pages(tmp_path)


def section(workspace: Workspace, name: str) -> str:
    page = write_report(workspace).read_text(encoding="utf-8")
    parts = re.findall(rf'<section id="{name}">.*?</section>', page, re.DOTALL)
    return parts[0] if parts else ""


def change_all(workspace: Workspace, change: Any) -> None:
    for folder in workspace.evaluate.iterdir():
        if folder.is_dir():
            rewrite(folder / "metrics.json", change)


def test_every_model_s_numbers_stand_in_each_vocabulary_and_the_one_that_counts_is_bold(workspace: Workspace) -> None:
    html = section(workspace, "vocabulary")
    assert html.count("<strong>shared words</strong>") == len(MODELS)
    assert html.count("all its tokens</td>") == len(MODELS)
    text = words_of(html)
    assert "People" not in text  # they answer with any word
    assert "of first answers" in text
    assert html.count("<svg") == 3 * len(MODELS)


def test_another_vocabulary_that_counts_makes_a_group_of_its_own(workspace: Workspace) -> None:
    rewrite(
        workspace.evaluate / "toy-bert" / "metrics.json",
        lambda metrics: metrics["reading"].update(vocabulary="tokens"),
    )
    page = words_of(write_report(workspace).read_text(encoding="utf-8"))
    assert "toy-bert (1.0.0, all of a model's tokens)" in page
    assert "toy-opt (1.0.0, shared words)" in page
    assert "The systems do not stand on the same probes, relata and vocabulary" in page
    html = section(workspace, "vocabulary")
    assert html.count("<strong>all its tokens</strong>") == 1


def test_prompts_have_both_intervals_their_spread_and_a_row_each(workspace: Workspace) -> None:
    text = words_of(section(workspace, "prompts"))
    assert text.count("targets and prompts") == len(SYSTEMS)
    assert text.count("[DET] [W], hypernymy: [V]") == len(SYSTEMS)
    assert text.count("every prompt") == len(SYSTEMS)


def test_frequencies_have_bands_trends_and_their_source(workspace: Workspace) -> None:
    text = words_of(section(workspace, "frequency"))
    assert "rare 0, 0" in text
    assert "middling 3, 3" in text
    assert "frequent 40, 40" in text
    assert text.count("Frequency: a toy's table.") == 1


def test_models_stand_by_their_size(workspace: Workspace) -> None:
    html = section(workspace, "size")
    text = words_of(html)
    places = [text.index(f"{name} ") for name in sorted(PARAMETERS, key=lambda name: PARAMETERS[name])]
    assert places == sorted(places)
    assert all(shown in text for shown in ("110M", "355M", "1.3B"))
    assert html.count("<svg") == 1


def test_one_model_has_a_row_and_no_figure(workspace: Workspace) -> None:
    for name in MODELS[1:]:
        rewrite(workspace.evaluate / name / "metrics.json", lambda metrics: metrics.update(parameters=None))
    assert "<svg" not in section(workspace, "size")
    assert "110M" in section(workspace, "size")


def test_scores_of_an_earlier_version_have_none_of_these_sections(workspace: Workspace) -> None:
    def older(metrics: Any) -> None:
        for name in ("parameters", "vocabularies", "by_prompt", "by_frequency"):
            metrics.pop(name)

    change_all(workspace, older)
    page = write_report(workspace).read_text(encoding="utf-8")
    assert not [name for name in ("vocabulary", "prompts", "frequency", "size") if f'id="{name}"' in page]
    assert 'href="#size"' not in page


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (7, "7"),
        (1_300, "1.3K"),
        (134_515_008, "135M"),
        (1_300_000_000, "1.3B"),
        (66_000_000_000, "66B"),
        (999_999_999, "1,000M"),
    ],
)
def test_numbers_of_parameters_are_short(count: int, shown: str) -> None:
    assert short_count(count) == shown


def test_systems_whose_answers_are_sought_among_other_words_are_not_compared(workspace: Workspace) -> None:
    rewrite(
        workspace.evaluate / "toy-bert" / "metrics.json",
        lambda metrics: metrics["reading"].update(vocabulary="words"),
    )
    folders = [workspace.evaluate / name for name in ("toy-bert", "toy-roberta")]
    first, second = (system.settings for system in read(workspace, folders).systems)
    assert {key for key in first if first[key] != second[key]} == {"answers sought among"}


def test_answers_of_an_earlier_version_are_compared(workspace: Workspace) -> None:
    file = workspace.evaluate / "toy-bert" / "answers.parquet"
    pq.write_table(pq.read_table(file).drop_columns(["by_vocabulary"]), file)
    [system] = read(workspace, [file.parent]).systems
    assert system.problem is None
    assert len(system.units["items"].ids) == 17
