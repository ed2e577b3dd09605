"""What a suite file is told that is broken: each problem at its line, with its key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tashika.core.custom.reading import check_suite_file, read_suite_file
from tashika.core.errors import ConfigError

SOUND: Final = """\
[suite]
name = "riddles"
title = "Riddles"

[build.kinds.question]
file = "riddles.csv"
key = ["text"]
columns = { text = "string", options = "strings", answer = "int32", topic = "string" }

[annotate]
annotators = 3

[annotate.kinds.question]
show = ["text", "options"]
choices = { sound = "for", unsound = "against" }
correct = "text"
guidelines = { en = "guide.md" }

[export]
splits = { validation = 0.25, test = 0.75 }

[evaluate]
task = "multiple_choice"
input = "text"
choices = "options"
target = "answer"
"""
FILE = 'file = "riddles.csv"'
GENERATE = 'generate = { seeds = "riddles.csv", prompt = "Write.", %s }'
INPUT = 'input = "text"'


@pytest.fixture
def suite(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """Writes a suite file beside the files that it may name."""
    for name in ("riddles.csv", "guide.md"):
        (tmp_path / name).write_text("text\nWhat has an eye and cannot see?\n")

    def write(text: str | bytes) -> Path:
        path = tmp_path / "riddles.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


Write = Callable[[str | bytes], Path]


def found(path: Path) -> list[tuple[int | None, str, str]]:
    """The problems of a file, as line, key and message."""
    return [(problem.line, problem.key, problem.message) for problem in check_suite_file(path)[1]]


def changed(old: str, new: str) -> str:
    assert SOUND.count(old) == 1, old
    return SOUND.replace(old, new)


def test_a_sound_file_has_no_problems(suite: Write) -> None:
    path = suite(SOUND)
    assert found(path) == []
    assert read_suite_file(path).build.kinds["question"].key == ("text",)


@pytest.mark.parametrize("encoded", [SOUND.encode("utf-8-sig"), SOUND.replace("\n", "\r\n").encode()])
def test_editors_of_windows_write_sound_files(suite: Write, encoded: bytes) -> None:
    assert found(suite(encoded)) == []


def asked(page: str) -> str:
    """The sound file with something else asked of people."""
    return changed('choices = { sound = "for", unsound = "against" }\ncorrect = "text"', page)


QUESTION, PAGE = "build.kinds.question", "annotate.kinds.question"
BROKEN: Final[dict[str, tuple[str, int | None, str, str]]] = {
    "unknown key": (
        changed("annotators = 3", "anotators = 3"), 11, "annotate.anotators", "did you mean 'annotators'?",
    ),
    "unknown key like no other": (
        changed("annotators = 3", "xyz = 3"), 11, "annotate.xyz",
        "known are annotators, minimum_votes, ",
    ),
    "unknown key inside an inline table": (
        changed('answer = "int32"', 'answer = { type = "int32", meening = "" }'), 8,
        f"{QUESTION}.columns.answer.meening", "did you mean 'meaning'?",
    ),
    "unknown section": (SOUND + "[publish]\n", 27, "publish", "known are suite, build, annotate, export, evaluate"),
    "missing key": (changed('title = "Riddles"\n', ""), 1, "suite.title", "is missing"),
    "missing key of a kind": (changed('key = ["text"]\n', ""), 5, f"{QUESTION}.key", "is missing"),
    "missing section": (SOUND[SOUND.index("[build") :], None, "suite", "is missing"),
    "wrong type": (changed("annotators = 3", 'annotators = "three"'), 11, "annotate.annotators", "found 'three'"),
    "wrong type of a list": (
        changed('key = ["text"]', 'key = "text"'), 7, f"{QUESTION}.key",
        "expected a list of column names, such as [\"text\"]; found 'text'",
    ),
    "key without columns": (
        changed('key = ["text"]', "key = []"), 7, f"{QUESTION}.key", "it is empty, expected at least one column",
    ),
    "bad name of a column": (
        changed('topic = "string"', '"話題" = "string"'), 8, f"{QUESTION}.columns.話題",
        "a column's name has letters from A to Z, digits and underscores, begins with a letter",
    ),
    "bad name of a column of the key": (
        changed('key = ["text"]', 'key = ["the text"]'), 7, f"{QUESTION}.key.0", "named by the column's `source`",
    ),
    "parts as text": (
        changed("{ validation = 0.25, test = 0.75 }", '"test"'), 20, "export.splits",
        'expected names in a list, such as ["test"], or each with its share, such as { validation = 0.1, test = 0.9 }',
    ),
    "bad name of a part": (
        changed("{ validation = 0.25, test = 0.75 }", '["Test"]'), 20, "export.splits.0", "the name of a part has",
    ),
    "language in words": (
        changed("[export]", '[export]\nlanguage = ["English"]'), 20, "export.language.0",
        "expected codes such as en or ja; found 'English'",
    ),
    "country for a language": (
        changed("[export]", '[export]\nlanguage = ["jp"]'), 20, "export.language.0", "did you mean 'ja'?",
    ),
    "country for a language of the guidelines": (
        changed("{ en =", "{ jp ="), 17, f"{PAGE}.guidelines.jp", "did you mean 'ja'?",
    ),
    "license in words": (
        changed("[export]", '[export]\nlicense = "CC0"'), 20, "export.license",
        "expected an identifier of the Hub, such as cc0-1.0; found 'CC0'",
    ),
    "wrong type where two would do": (
        changed('{ en = "guide.md" }', "7"), 17, f"{PAGE}.guidelines",
        "expected text; or expected a table; found 7",
    ),
    "unknown type of a column": (
        changed('"int32"', '"integer"'), 8, f"{QUESTION}.columns.answer", "found 'integer'",
    ),
    "too small": (changed("annotators = 3", "annotators = 0"), 11, "annotate.annotators", "greater than or equal to 1"),
    "unknown form": (
        changed('correct = "text"', 'form = "verdicts"'), 16, f"{PAGE}.form", "expected 'verdict', 'label'",
    ),
    "bad name of a kind": (
        SOUND.replace("kinds.question", 'kinds."Big Question"'), 5, "build.kinds.Big Question",
        "a kind's name has small letters from a to z",
    ),
    "bad name of a suite": (changed('"riddles"', '"The Riddles"'), 2, "suite.name", "found 'The Riddles'"),
    "name of another suite": (changed('"riddles"', '"kuci"'), 2, "suite.name", "there is a suite 'kuci' already"),
    "two sources": (
        changed(FILE, FILE + '\nfunction = "riddles:rows"'), 5, QUESTION, "found file and function, expected",
    ),
    "no source": (changed(FILE + "\n", ""), 5, QUESTION, "found none, expected exactly one of"),
    "column of every item": (
        changed('topic = "string"', 'votes = "string"'), 5, QUESTION, "every item has a column 'votes' of its own",
    ),
    "unknown column of the key": (
        changed('key = ["text"]', 'key = ["txt"]'), 5, QUESTION, "key names the column 'txt'",
    ),
    "key that may be empty": (
        changed('text = "string"', 'text = { type = "string", optional = true }'), 5, QUESTION, "may be empty",
    ),
    "unknown column of near duplicates": (
        changed(FILE, FILE + '\nnear_duplicates = { columns = ["txt"] }'), 5, QUESTION, "'txt'",
    ),
    "unknown column of a reply": (
        changed(FILE, GENERATE % 'column = "txt"'), 5, QUESTION, "generate.column names the column 'txt'",
    ),
    "reply without a column": (
        changed(FILE, GENERATE % "wanted = 2"), 6, f"{QUESTION}.generate", '`column` goes with read = "lines"',
    ),
    "unknown column shown": (
        changed('["text", "options"]', '["text", "picture"]'), 14, f"{PAGE}.show", "there is no column 'picture'",
    ),
    "unknown column corrected": (changed('correct = "text"', 'correct = "txt"'), 16, f"{PAGE}.correct", "'txt'"),
    "number corrected": (changed('correct = "text"', 'correct = "answer"'), 16, f"{PAGE}.correct", "is no text"),
    "unknown column of gold": (changed('correct = "text"', 'gold = "known"'), 16, f"{PAGE}.gold", "'known'"),
    "unknown column expected": (changed('correct = "text"', 'expected = "known"'), 16, f"{PAGE}.expected", "'known'"),
    "unknown column of splits": (
        changed("[export]", '[export]\nsplit_by = "author"'), 20, "export.split_by", "has no column 'author'",
    ),
    "unknown input": (changed(INPUT, 'input = "txt"'), 24, "evaluate.input", "there is no column 'txt'"),
    "unknown target": (changed('"answer"\n', '"solution"\n'), 26, "evaluate.target", "there is no column 'solution'"),
    "target of another type": (changed('"answer"\n', '"options"\n'), 26, "evaluate.target", "is strings, expected"),
    "choices that are no list": (changed('"options"\ntarget', '"topic"\ntarget'), 25, "evaluate.choices", "is string"),
    "unknown column of groups": (SOUND + 'by = ["age"]\n', 27, "evaluate.by", "there is no column 'age'"),
    "unknown kind of pages": (
        changed("[annotate.kinds.question]", "[annotate.kinds.riddle]"), 13, "annotate.kinds.riddle",
        "there is no kind 'riddle'",
    ),
    "unknown kind evaluated": (SOUND + 'kind = "riddle"\n', 27, "evaluate.kind", "there is no kind 'riddle'"),
    "unknown part": (SOUND + 'split = "train"\n', 27, "evaluate.split", "the release has no part 'train'"),
    "condition that names an unknown column": (
        changed(FILE, FILE + '\nwhere = "difficulty > 3"'), 7, f"{QUESTION}.where",
        "names 'difficulty'; it may use text, options, answer, topic",
    ),
    "condition that is none": (
        changed(FILE, FILE + '\nwhere = "answer >"'), 7, f"{QUESTION}.where", "not an expression",
    ),
    "condition with more behind it": (
        changed(FILE, FILE + "\nwhere = 'text }} {{ topic'"), 7, f"{QUESTION}.where", "not an expression",
    ),
    "template that names an unknown column": (
        changed(INPUT, 'prompt = "{{ riddle }}"'), 24, "evaluate.prompt", "names 'riddle'",
    ),
    "template with a mistake": (changed(INPUT, 'prompt = "{{ text"'), 24, "evaluate.prompt", "not a template"),
    "template with an unknown filter": (
        changed(INPUT, 'prompt = "{{ text | shout }}"'), 24, "evaluate.prompt", "No filter named 'shout'",
    ),
    "prompt with a mistake": (
        changed(FILE, 'generate = { seeds = "riddles.csv", prompt = "{% if %}", column = "text" }'), 6,
        f"{QUESTION}.generate.prompt", "not a template",
    ),
    "bad regular expression": (
        changed(FILE, GENERATE % 'read = "pattern", pattern = "(?P<text>"'), 6, f"{QUESTION}.generate.pattern",
        "not a regular expression",
    ),
    "regular expression too large": (
        changed(FILE, GENERATE % 'read = "pattern", pattern = "(?P<text>a{99999999999})"'), 6,
        f"{QUESTION}.generate.pattern", "not a regular expression",
    ),
    "regular expression without names": (
        changed(FILE, GENERATE % 'read = "pattern", pattern = "(.+)"'), 6, f"{QUESTION}.generate.pattern",
        "has no named groups",
    ),
    "regular expression that names no column": (
        changed(FILE, GENERATE % 'read = "pattern", pattern = "(?P<riddle>.+)"'), 6, f"{QUESTION}.generate.pattern",
        "the group 'riddle' is no column",
    ),
    "path outside": (changed('"riddles.csv"', '"../riddles.csv"'), 6, f"{QUESTION}.file", "lies outside the folder"),
    "absolute path": (changed('"guide.md"', '"/etc/hostname"'), 17, f"{PAGE}.guidelines.en", "lies outside the folder"),
    "missing file": (changed('"riddles.csv"', '"riddle.csv"'), 6, f"{QUESTION}.file", "there is no such file"),
    "name that no file can have": (changed('"riddles.csv"', r'"\u0000"'), 6, f"{QUESTION}.file", "is no name"),
    "name longer than any file's": (
        changed('"riddles.csv"', f'"{"a" * 5000}"'), 6, f"{QUESTION}.file", "there is no such file",
    ),
    "shares that do not sum to 1": (
        changed("validation = 0.25", "validation = 0.5"), 19, "export", "sum to 1.25, expected 1",
    ),
    "parts without shares": (
        changed("{ validation = 0.25, test = 0.75 }", '["validation", "test"]'), 19, "export", "expected their shares",
    ),
    "unknown column of a whole reply": (
        changed(FILE, GENERATE % 'read = "whole", into = ["text", "txt"]'), 5, QUESTION,
        "generate.into names the column 'txt'",
    ),
    "parts by shares and by a column": (
        changed("[export]", '[export]\nsplit_column = "topic"'), 19, "export", "`splits` is a list of names",
    ),
    "label doubled": (
        asked('form = "label"\nlabels = ["a", "a"]'),
        13, PAGE, "two labels or points are the same",
    ),
    "one label": (
        asked('form = "label"\nlabels = ["a"]'),
        13, PAGE, "needs two `labels` or more",
    ),
    "rating with one point": (
        asked('form = "rating"\nscale = 1'),
        16, f"{PAGE}.scale", "greater than or equal to 2",
    ),
    "rating with one named point": (
        asked('form = "rating"\nscale = ["good"]'),
        13, PAGE, "two points or more",
    ),
    "key of another form": (
        changed('correct = "text"', 'labels = ["a", "b"]'), 13, PAGE, "`labels` goes with form = 'label' or 'labels'",
    ),
    "choices without one against": (
        changed('unsound = "against"', 'unsound = "neither"'), 13, PAGE, 'one that counts "against"',
    ),
    "preference without between": (
        asked('form = "preference"'),
        13, PAGE, "needs `between`",
    ),
    "preference for a number": (
        asked('form = "preference"\nbetween = ["text", "answer"]',
        ),
        16, f"{PAGE}.between", "the column 'answer' is no text",
    ),
    "column that people's answers become": (
        asked('form = "label"\nlabels = ["a", "b"]',
        ).replace('topic = "string"', 'label = "string"'),
        13, PAGE, "people's answers become the column 'label'",
    ),
    "audit without a sample": (
        changed('correct = "text"', 'mode = "audit"'), 13, PAGE, '`sample` goes with mode = "audit"',
    ),
    "more votes than people": (
        changed("annotators = 3", "annotators = 3\nminimum_votes = 4"), 14, PAGE,
        "minimum_votes is 4, but only 3 people judge an item",
    ),
    "input and prompt": (SOUND + 'prompt = "{{ text }}"\n', 22, "evaluate", "expected `input` or `prompt`"),
    "no target": (changed('target = "answer"\n', ""), 22, "evaluate", "needs `target`"),
    "examples from nowhere": (SOUND + "few_shot = 3\n", 22, "evaluate", "`few_shot` and `few_shot_split` go together"),
    "examples that hold the answers": (
        SOUND + 'few_shot = 3\nfew_shot_split = "test"\n', 22, "evaluate", "is the part that is asked",
    ),
    "unknown labels of a classification": (
        SOUND[: SOUND.index("[evaluate]")] + '[evaluate]\ntask = "classification"\ninput = "text"\ntarget = "topic"\n',
        22, "evaluate.labels", "which labels there are is not known",
    ),
    "not TOML": (changed("annotators = 3", "annotators = three"), 11, "", "not valid TOML"),
    "not TOML at the end": (SOUND + "by = [", 27, "", "not valid TOML"),
    "a key twice": (SOUND + INPUT + "\n", 27, "", "not valid TOML"),
    "brackets as deep as nobody writes": ("key = " + "[" * 100_000, None, "", "not valid TOML"),
    "a number as long as nobody writes": ("key = " + "9" * 5000, None, "", "not valid TOML"),
    "empty": ("", None, "build", "is missing"),
}  # fmt: skip
"""A file, and the line, the key and a part of the message of its first problem."""


@pytest.mark.parametrize("how", BROKEN)
def test_a_problem_has_its_line_and_key(suite: Write, how: str) -> None:
    text, line, key, message = BROKEN[how]
    first, *_ = found(suite(text))
    assert first[:2] == (line, key)
    assert message in first[2]


ALONE: Final = frozenset(BROKEN) - {
    "empty", "bad name of a kind", "unknown kind of pages", "missing key of a kind", "missing section",
}  # fmt: skip


@pytest.mark.parametrize("how", sorted(ALONE))
def test_one_mistake_is_one_problem(suite: Write, how: str) -> None:
    assert len(found(suite(BROKEN[how][0]))) == 1


def test_all_problems_are_said_at_once_in_the_order_of_the_lines(suite: Write) -> None:
    text = changed('["text", "options"]', '["picture"]').replace('"riddles.csv"', '"none.csv"') + 'by = ["age"]\n'
    assert [line for line, _, _ in found(suite(text))] == [6, 14, 27]
    text = changed("annotators = 3", "anotators = 3").replace('title = "Riddles"\n', "")
    assert [key for _, key, _ in found(suite(text))] == ["suite.title", "annotate.anotators"]


def test_what_does_not_hang_on_the_form_is_said_with_what_is_wrong_with_it(suite: Write) -> None:
    text = changed("annotators = 3", "anotators = 3").replace('"riddles.csv"', '"none.csv"')
    text = text.replace('"guide.md"', '"none.md"').replace("[annotate.kinds.question]", "[annotate.kinds.riddle]")
    text = text.replace('correct = "text"', 'labels = ["a", "b"]')
    problems = found(suite(text))
    assert [key for _, key, _ in problems] == [
        f"{QUESTION}.file", "annotate.anotators", "annotate.kinds.riddle", "annotate.kinds.riddle.guidelines.en",
    ]  # fmt: skip
    assert problems[2][2] == "there is no kind 'riddle' in [build.kinds]; known are question"


def test_a_command_stops_at_the_first_problem_and_counts_the_others(suite: Write) -> None:
    path = suite(changed('["text", "options"]', '["picture"]') + 'by = ["age"]\n')
    with pytest.raises(ConfigError) as caught:
        read_suite_file(path)
    assert f"{path}:14" in str(caught.value)
    assert f"1 more: `tashika check {path}` shows all of them." in str(caught.value)


def test_a_file_that_is_none(suite: Write, tmp_path: Path) -> None:
    assert "there is no such file" in found(tmp_path / "none.toml")[0][2]
    assert "not a text file in UTF-8" in found(suite(b"[suite]\nname = '\xff'"))[0][2]
    assert "found a folder" in found(tmp_path)[0][2]


def test_a_link_leads_out_of_the_folder_no_more_than_a_path(suite: Write, tmp_path: Path) -> None:
    (tmp_path / "riddles.csv").unlink()
    (tmp_path / "riddles.csv").symlink_to("/etc/hostname")
    assert "lies outside the folder" in found(suite(SOUND))[0][2]
    (tmp_path / "riddles.csv").unlink()
    (tmp_path / "riddles.csv").symlink_to("riddles.csv")
    assert [key for _, key, _ in found(suite(SOUND))] == [f"{QUESTION}.file"]


def test_a_template_is_read_and_not_computed(suite: Write) -> None:
    """Jinja computes constants when it compiles: these would fill the memory, or take for ever."""
    for template in ("{{ 9 ** 9 ** 9 ** 9 }}", "{{ 'a' * 999999999999 }}", "{{ " + "(" * 5000 + " }}"):
        found(suite(changed(INPUT, f'prompt = "{template}"')))


_VALUES: Any = st.recursive(
    st.one_of(st.integers(), st.text(max_size=20), st.booleans(), st.floats(), st.dates()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
_PIECES = [piece for line in SOUND.splitlines() for piece in (line, *line.split(" = "))]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(), st.lists(st.sampled_from(_PIECES) | st.text(max_size=5)).map("\n".join)))
@example("[suite]\nname = 1979-05-27\n[build.kinds]\nq = 5\n")
@example("suite.name = 'a'\nbuild = 3\n[[annotate.kinds]]\n")
def test_no_text_makes_the_check_stumble(suite: Write, text: str | bytes) -> None:
    check_suite_file(suite(text if isinstance(text, bytes) else text.encode("utf-8", "replace")))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_value_of_a_key_makes_the_check_stumble(suite: Write, data: st.DataObject) -> None:
    lines = SOUND.splitlines()
    number = data.draw(st.sampled_from([i for i, line in enumerate(lines) if "=" in line]))
    lines[number] = f"{lines[number].split(' = ')[0]} = {_toml(data.draw(_VALUES))}"
    for line, _, message in found(suite("\n".join(lines))):
        assert line is None or 1 <= line <= len(lines)
        assert message


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(letter):08x}" if not letter.isalnum() else letter for letter in value) + '"'
    return str(value).lower() if isinstance(value, bool) else str(value)
