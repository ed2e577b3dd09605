"""Juman and KNP as processes, with programs that hang, die, say nothing, or answer out of step."""

from __future__ import annotations

import shlex
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.kuci.analysis.knp.process import SELF_TEST, Knp, normalize
from tashika.builders.kuci.analysis.records import Failure, Sentence
from tashika.core.errors import ConfigError, OutsideError

FAKE = r'''
"""Every character is a word; what ends with a comma is a cause. Some words make it misbehave, as juman or as knp."""
import os, sys

role, log = sys.argv[1], sys.argv[2]
sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")

def juman(text):
    for sign in text:
        part = "特殊 1 読点 2" if sign in "、。" else "名詞 6 普通名詞 1"
        print(sign, sign, sign, part, "* 0 * 0 NIL")

def knp(lines):
    print("# S-ID:1 KNP:5.0-fake DATE:x")
    words = [line for line in lines if line]
    cut = next((i + 1 for i, line in enumerate(words) if line.startswith("、")), 0)
    cause = "<用言:動><節-区切><節-主辞><節-機能-原因・理由:ので>"
    for part, tail in ((words[:cut], "1D " + cause), (words[cut:], "-1D <用言:動><節-区切><節-主辞>")):
        if part:
            print("*", tail); print("+", tail)
            for line in part:
                print(line, "<x>")

def misbehave(text):
    """Whether the answer is given already."""
    if role + "止" in text:
        sys.stdin.read()
    if role + "落" in text:
        print("dictionary is gone", file=sys.stderr)
        sys.exit(3)
    if role + "殺" in text:
        os.kill(os.getpid(), 9)
    if role + "黙" in text:
        print("EOS")
        return True
    if role + "他" in text:
        answer("別の文")
        print("EOS")
        return True
    if role + "乱" in text:
        sys.stdout.buffer.write(b"\xff\xfe \nEOS\n")
        return True
    return False

def answer(text):
    if role == "JUMAN":
        juman(text)
    else:
        knp([sign + f" {sign} {sign} 名詞 6 普通名詞 1 * 0 * 0 NIL" for sign in text])

with open(log, "a") as started:
    print(role, file=started)
ROLES = {"JUMAN": "ＪＵＭＡＮ", "KNP": "ＫＮＰ"}
role_name, role = role, role
lines = []
for line in sys.stdin:
    line = line.rstrip("\n")
    if role == "JUMAN":
        text, lines = line, []
    elif line != "EOS":
        lines.append(line)
        continue
    else:
        text = "".join(one.split(" ")[0] for one in lines)
    if not misbehave(text.replace(ROLES[role], role)):
        juman(text) if role == "JUMAN" else knp(lines)
        print("EOS")
    lines = []
    if role + "二" in text.replace(ROLES[role], role):
        print("遅れた答え\nEOS")
    sys.stdout.flush()
    if role + "終" in text.replace(ROLES[role], role):
        sys.exit(0)
'''


class Fakes:
    """The commands of both programs, and how often each was started."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "starts.log"
        script = folder / "fake.py"
        script.write_text(FAKE, encoding="utf-8")
        self.juman, self.knp = (
            shlex.join([sys.executable, "-I", "-S", str(script), role, str(self.log)]) for role in ("JUMAN", "KNP")
        )

    def starts(self) -> int:
        return self.log.read_text().split().count("KNP")

    def open(self, timeout: float = 30.0, longest: int = 500) -> Knp:
        return Knp(self.knp, self.juman, timeout, longest)


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    return Fakes(tmp_path)


def run(knp: Knp, *texts: str) -> list[Sentence | Failure]:
    return list(knp.analyze((f"s{number}", text) for number, text in enumerate(texts)))


def reason(found: Sentence | Failure) -> str:
    assert isinstance(found, Failure), found
    return found.reason


def test_sentences_go_through_both(fakes: Fakes) -> None:
    with fakes.open() as knp:
        first, second = run(knp, "雨なので、寝る。", "EOS+*#")
        assert knp.describe()["knp"] == "KNP:5.0-fake"
    assert isinstance(first, Sentence)
    assert [first.clause_text(one) for one in first.clauses] == ["雨なので", "寝る"]
    assert [one.marker for one in first.relations] == ["ので"]
    assert isinstance(second, Sentence)
    assert second.text == "ＥＯＳ＋＊＃"
    assert fakes.starts() == 1


@pytest.mark.parametrize(
    ("trouble", "said", "starts"),
    [
        # Who ends is asked once more: an earlier sentence may have been what ended it.
        ("JUMAN落", "ended with code 3: dictionary is gone", 3),
        ("KNP落", "ended with code 3: dictionary is gone", 3),
        ("JUMAN殺", "killed by signal 9", 3),
        ("KNP殺", "killed by signal 9", 3),
        # Who answers nonsense, but the test well, is not started anew.
        ("JUMAN黙", "answered EOS and no words", 1),
        ("KNP黙", "answered EOS and no words", 1),
        ("JUMAN他", "not those of the sentence", 1),
        ("KNP他", "not those of the sentence", 1),
        ("JUMAN乱", "not UTF-8", 1),
        ("KNP乱", "not UTF-8", 1),
    ],
)
def test_trouble_is_a_failure_and_the_rest_goes_on(fakes: Fakes, trouble: str, said: str, starts: int) -> None:
    with fakes.open() as knp:
        before, broken, after = run(knp, "前", trouble, "後")
    assert isinstance(before, Sentence)
    assert said in reason(broken)
    assert (broken.sid, broken.text) == ("s1", trouble)
    assert isinstance(after, Sentence)
    assert after.text == "後"
    assert fakes.starts() == starts


@pytest.mark.parametrize("role", ["JUMAN", "KNP"])
def test_a_program_that_hangs_is_started_anew(fakes: Fakes, role: str) -> None:
    with fakes.open(timeout=0.3) as knp:
        (broken,) = run(knp, f"{role}止")
        assert "did not answer within 0.3 s" in reason(broken)
        assert fakes.starts() == 1  # the next one is started when there is a next sentence
        knp.timeout = 30.0
        (after,) = run(knp, "後")
    assert isinstance(after, Sentence)
    assert fakes.starts() == 2


@pytest.mark.parametrize("trouble", ["JUMAN二", "KNP二", "JUMAN終", "KNP終"])
def test_a_second_answer_or_a_silent_end_harms_no_other_sentence(fakes: Fakes, trouble: str) -> None:
    with fakes.open() as knp:
        found = run(knp, trouble, "雨", "雪")
    # The sentence itself is whole, unless its second answer came at once.
    assert isinstance(found[0], Sentence) or "more than once" in found[0].reason
    assert [isinstance(one, Sentence) and one.text for one in found[1:]] == ["雨", "雪"]


def test_it_works_off_the_main_thread(fakes: Fakes) -> None:
    found: list[Sentence | Failure] = []

    def work() -> None:
        with fakes.open(timeout=0.3) as knp:
            found.extend(run(knp, "KNP止"))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert "did not answer" in reason(found[0])


def test_bad_texts_are_failures_without_being_asked(fakes: Fakes) -> None:
    with fakes.open(longest=20) as knp:
        empty, blank, unseen, long, emoji, two_lines = run(
            knp, "", " \u3000\t", "\u200b\x00", "長" * 10_000, "雨☔😀", "雨\n雪"
        )
    assert [reason(one) for one in (empty, blank, unseen)] == ["blank text"] * 3
    assert reason(long) == "longer than 20 characters"
    assert isinstance(long, Failure)
    assert long.text == "長" * 10_000
    assert isinstance(emoji, Sentence)
    assert emoji.text == "雨☔😀"
    assert isinstance(two_lines, Sentence)
    assert two_lines.text == "雨\u3000雪"
    assert fakes.starts() == 1


def test_questions_and_answers_larger_than_a_pipe(fakes: Fakes) -> None:
    with fakes.open(longest=20_000) as knp:
        (found,) = run(knp, "長" * 2_000)  # over 64 KiB each way
    assert isinstance(found, Sentence)
    assert len(found.morphemes) == 2_000


def test_closing_stops_the_programs(fakes: Fakes) -> None:
    knp = fakes.open()
    knp.close()
    assert not knp._juman.waits()
    (found,) = run(knp, "雨")  # and the next sentence starts them again
    assert isinstance(found, Sentence)
    knp.close()
    assert fakes.starts() == 2


def executable(path: Path, body: str) -> str:
    path.write_text(f"#!{sys.executable} -IS\nimport sys\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return shlex.quote(str(path))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("for line in sys.stdin: print('EOS', flush=True)", "answered EOS and no words"),  # as Debian's juman does
        ("sys.exit(0)", "ended with code 0"),
        ("print('no dictionary', file=sys.stderr); sys.exit(1)", "ended with code 1: no dictionary"),
        ("for line in sys.stdin: print('あ あ あ\\nEOS', flush=True)", "not those of the sentence"),
    ],
)
def test_a_juman_that_does_not_work_is_found_at_the_start(fakes: Fakes, tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(OutsideError) as caught:
        Knp(fakes.knp, executable(tmp_path / "juman", body), 30.0, 500)
    assert said in caught.value.message
    assert SELF_TEST in caught.value.message
    assert "Debian" in str(caught.value.hint)


def test_a_knp_that_tells_no_clauses_is_found_at_the_start(fakes: Fakes, tmp_path: Path) -> None:
    body = """
sys.stdin.reconfigure(encoding="utf-8"); sys.stdout.reconfigure(encoding="utf-8")
print("* -1D <x>\\n+ -1D <x>")
for line in sys.stdin:
    print(line.strip(), flush=True)
"""
    with pytest.raises(OutsideError, match="no cause was found"):
        Knp(executable(tmp_path / "knp", body), fakes.juman, 30.0, 500)


def test_a_program_that_breaks_for_good_is_an_error(fakes: Fakes, tmp_path: Path) -> None:
    with fakes.open() as knp:
        (tmp_path / "fake.py").write_text("raise SystemExit(1)", encoding="utf-8")
        results = knp.analyze([("a", "雨"), ("b", "KNP落")])
        assert isinstance(next(results), Sentence)
        with pytest.raises(OutsideError, match="self-test"):
            next(results)


def test_programs_that_are_not_there(fakes: Fakes, tmp_path: Path) -> None:
    with pytest.raises(OutsideError, match="cannot be started") as caught:
        Knp(fakes.knp, str(tmp_path / "no-juman"), 30.0, 500)
    assert "juman_command" in str(caught.value.hint)
    with pytest.raises(ConfigError, match="knp_command"):
        Knp(" ", fakes.juman, 30.0, 500)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a+b * #1", "ａ＋ｂ\u3000＊\u3000＃１"),
        ("EOS", "ＥＯＳ"),
        ("ﾊﾝｶｸ ", "ハンカク"),
        ("㌔", "キロ"),
        ("か\u3099", "が"),
        ("一\r\n二\u2028三", "一\u3000\u3000二\u3000三"),
        ("👨\u200d👩", "👨👩"),
        ("\ud800雨", "雨"),
    ],
)
def test_normal_forms(text: str, said: str) -> None:
    assert normalize(text) == said


@given(st.text())
def test_a_normal_form_is_one_line_without_half_width(text: str) -> None:
    said = normalize(text)
    assert not any(" " <= sign <= "~" for sign in said)
    assert len(said.splitlines()) <= 1
    assert normalize(said) == said
    said.encode()
