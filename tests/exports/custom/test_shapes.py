"""What a suite file says of its columns, as the checks of a release go by it."""

from __future__ import annotations

from pathlib import Path

from tashika.core.suites.discovery import open_suite
from tashika.exports.checking.shape import Choice, Shape
from tashika.exports.plan import suite_export

HEAD = """
[suite]
name = "shaped"
title = "Shapes"

[build.kinds.item]
file = "items.csv"
key = ["premise", "text"]
columns = { premise = "string", text = "string", options = "strings", answer = "string", known = "string" }

[annotate.kinds.item]
"""


def shape_of(folder: Path, rest: str) -> Shape:
    path = folder / "shaped.toml"
    path.write_text(HEAD + rest, encoding="utf-8")
    (folder / "items.csv").write_text("premise,text,options,answer,known\n")
    return suite_export(open_suite(str(path)).name).shapes["item"]


def test_a_choice_between_options(tmp_path: Path) -> None:
    shape = shape_of(
        tmp_path,
        'gold = "known"\n[export]\nsplits = { dev = 0.5, test = 0.5 }\nsplit_by = "premise"\n[evaluate]\n'
        'task = "multiple_choice"\nprompt = "{{ premise }} {{ text }}"\nchoices = "options"\ntarget = "answer"\n',
    )
    assert shape == Shape(
        texts=("premise", "text", "options", "answer"),
        compared=("premise", "text"),
        contexts=("text",),
        groups=("premise",),
        choice=Choice(("premise", "text"), ("options",), "answer"),
    )


def test_labels_that_people_give(tmp_path: Path) -> None:
    shape = shape_of(tmp_path, 'form = "label"\nlabels = ["yes", "no"]\n')
    assert (shape.label, shape.choice, shape.contexts, shape.groups) == ("label", None, (), ())


def test_an_answer_in_words(tmp_path: Path) -> None:
    shape = shape_of(tmp_path, '[evaluate]\ntask = "generate"\ninput = "text"\ntarget = "answer"\n')
    assert (shape.question, shape.answers) == (("text",), ("answer",))


def test_licences_of_sources_stand_in_the_suite_file(tmp_path: Path) -> None:
    path = tmp_path / "shaped.toml"
    shape_of(tmp_path, '[export]\nsource_licenses = { "Items.csv" = "CC BY <4.0>" }\n')
    assert suite_export(open_suite(str(path)).name).card.licences["items.csv"] == "CC BY &lt;4.0>"
