"""Shards in this process, in others that are killed, and after a run that was cut off."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tashika.builders.kuci.analysis.analyzers import AnalyzerSettings, open_analyzer
from tashika.builders.kuci.analysis.records import Failure, Sentence
from tashika.builders.kuci.analysis.shards import Outcome, Scale, run_shards, write_failures
from tashika.builders.kuci.analysis.work import Input
from tashika.builders.kuci.events.basic_events import CountEvents
from tashika.core import files
from tashika.core.errors import InputError, OutsideError

sys.path.append(str(Path(__file__).parents[4]))  # so that other processes find it as well
from tests.builders.kuci.analysis.fake_analyzer import CountWords, Fake, FakeAnalyzer

TEXTS = ["雨 ガ 降る", "はい", "BAD 1", "パン ヲ 食べる 人", "BAD 2", "雪 ガ 降る", "晴れ"]


def _inputs(texts: list[str]) -> list[Input]:
    return [(f"a.txt:{number}", text) for number, text in enumerate(texts, start=1)]


def _run(inputs: list[Input], folder: Path, scale: Scale, factory: Fake | None = None, **settings: int) -> Outcome:
    return run_shards(inputs, CountWords(), factory or Fake(), folder, settings=settings, scale=scale)


def _bytes(outcome: Outcome, folder: Path) -> tuple[bytes, bytes]:
    outcome.write(folder / "out.parquet")
    write_failures(folder / "failures.tsv", outcome.failures())
    return (folder / "out.parquet").read_bytes(), (folder / "failures.tsv").read_bytes()


def _workers() -> list[list[str]]:
    """Processes of pools that are still there."""
    commands = [one.cmdline() for one in psutil.Process().children() if one.status() != psutil.STATUS_ZOMBIE]
    return [command for command in commands if "spawn_main" in " ".join(command)]


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_rows_and_failures_are_in_the_order_of_the_input(tmp_path: Path) -> None:
    inputs = [*_inputs(TEXTS), Failure("a.txt:8", "\tx\n" * 200, "not valid utf-8")]
    outcome = _run(inputs, tmp_path / "shards", Scale("here", sentences=3))
    rows = pa.concat_tables(outcome.tables()).to_pylist()
    assert [(row["sid"], row["words"]) for row in rows] == [
        ("a.txt:1", 3), ("a.txt:2", 1), ("a.txt:4", 4), ("a.txt:6", 3), ("a.txt:7", 1),
    ]  # fmt: skip
    assert outcome.counts.sentences == 8
    assert outcome.counts.failures == {"it is bad": 2, "not valid utf-8": 1}
    assert _names(tmp_path / "shards") == [f"words-0000{number}.parquet" for number in range(3)]
    assert write_failures(tmp_path / "failures.tsv", outcome.failures()) == 3
    lines = (tmp_path / "failures.tsv").read_text().splitlines()
    assert lines[:2] == ["sid\treason\ttext", "a.txt:3\tit is bad\tBAD 1"]
    assert lines[3] == "a.txt:8\tnot valid utf-8\t" + " ".join(["x"] * 67)  # 200 characters, white space as it was
    outcome.forget()
    assert _names(tmp_path / "shards") == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(TEXTS), max_size=20), st.integers(1, 21), st.integers(1, 21))
def test_shards_of_any_size_give_the_same_bytes(tmp_path: Path, texts: list[str], one: int, two: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tashika.builders.kuci.analysis.shards.ROWS_A_BATCH", 4)
        outcomes = [_run(_inputs(texts), tmp_path / "shards", Scale("here", sentences=size)) for size in (one, two)]
        first = _bytes(_run(_inputs(texts), tmp_path / "shards", Scale("here", sentences=one)), tmp_path)
        second = _bytes(_run(_inputs(texts), tmp_path / "shards", Scale("here", sentences=two)), tmp_path)
    assert first == second
    assert outcomes[0].counts == outcomes[1].counts


def test_a_text_without_sentences_is_an_empty_table(tmp_path: Path) -> None:
    outcome = _run([], tmp_path / "shards", Scale("here"))
    assert outcome.write(tmp_path / "out.parquet") == 0
    assert files.read_table(tmp_path / "out.parquet", CountWords.schema).num_rows == 0


def test_a_second_run_does_only_what_is_new(tmp_path: Path) -> None:
    folder, scale = tmp_path / "shards", Scale("here", sentences=2)
    assert _run(_inputs(TEXTS), folder, scale).speed.sentences == 7
    assert _run(_inputs(TEXTS), folder, scale).speed.sentences == 0
    changed = [*TEXTS[:2], "風 ガ 吹く", *TEXTS[3:]]
    assert _run(_inputs(changed), folder, scale).speed.sentences == 2
    assert _run(_inputs(changed), folder, scale, longest=5).speed.sentences == 7
    (folder / "words-00001.parquet").write_bytes(b"PAR1 and no more")
    assert _run(_inputs(changed), folder, scale, longest=5).speed.sentences == 2
    assert _run(_inputs(changed[:2]), folder, scale, longest=5).counts.sentences == 2
    assert _names(folder) == ["words-00000.parquet"]


@pytest.mark.slow
def test_processes_that_are_killed_change_no_byte(tmp_path: Path) -> None:
    texts = [*TEXTS, "KILL", *TEXTS, "KILL"]
    alone = _bytes(
        _run(_inputs(texts), tmp_path / "alone", Scale("here", sentences=2), Fake(tmp_path / "none")), tmp_path
    )
    deaths = tmp_path / "deaths"
    deaths.mkdir()
    for name in ("life-1", "life-2"):
        (deaths / name).touch()
    for processes in (1, 2):
        scale = Scale("local", processes, sentences=2)
        outcome = _run(_inputs(texts), tmp_path / f"shards-{processes}", scale, Fake(deaths))
        assert _bytes(outcome, tmp_path) == alone
    assert list(deaths.iterdir()) == []
    assert _workers() == []


def test_a_shard_that_always_kills_is_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"life-{number}").touch()
    texts = ["はい", "いいえ", "はい", "KILL", "はい"]
    with pytest.raises(OutsideError, match=r"shard 00001 \(a.txt:3 to a.txt:4\): its process died 3 times.*SIGKILL"):
        _run(_inputs(texts), tmp_path / "shards", Scale("local", 1, sentences=2), Fake(tmp_path))
    assert len(list(tmp_path.glob("life-*"))) == 6
    assert "words-00000.parquet" in _names(tmp_path / "shards")
    assert _workers() == []


def test_an_analyser_that_raises_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError, match="RAISE") as caught:
        _run(_inputs(["はい", "RAISE"]), tmp_path / "shards", Scale("local", 1, sentences=1))
    assert "fake_analyzer.py" in caught.value.__notes__[0]


def test_an_analyser_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    code = (
        "from tashika.core.errors import OutsideError\ndef broken():\n raise OutsideError('no dictionary', hint='x')\n"
    )
    (tmp_path / "broken_factory.py").write_text(code)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        import broken_factory  # type: ignore[import-not-found]

        with pytest.raises(OutsideError, match=r"in process \d+ on .*: no dictionary"):
            run_shards(
                _inputs(TEXTS), CountWords(), broken_factory.broken, tmp_path, settings={}, scale=Scale("local", 1)
            )


def test_what_cannot_be_sent_to_a_process_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be sent"):
        run_shards([], CountWords(), lambda: FakeAnalyzer(None), tmp_path, settings={})


class Mute(FakeAnalyzer):
    def analyze(
        self, sentences: Iterable[tuple[str, str]], *, relations_only: bool = False
    ) -> Iterator[Sentence | Failure]:
        return iter(())


def test_an_analyser_that_leaves_sentences_out_is_found(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="nothing where"):
        run_shards(_inputs(TEXTS), CountWords(), partial(Mute, None), tmp_path, settings={}, scale=Scale("here"))


class Seen(CountWords):
    """A job: the device that the process sees, for each sentence."""

    def rows(self, results: Iterable[Sentence | Failure]) -> pa.Table:
        rows = [{"sid": os.environ.get("CUDA_VISIBLE_DEVICES", ""), "words": 0} for _ in results]
        return pa.Table.from_pylist(rows, schema=CountWords.schema)


@pytest.mark.slow
def test_each_process_sees_a_device_of_its_own(tmp_path: Path) -> None:
    scale = Scale("local", sentences=1, cuda=True, devices=("GPU-3f", "7"))
    outcome = run_shards(_inputs(TEXTS[:2]), Seen(), Fake(), tmp_path, settings={}, scale=scale)
    assert sorted(row["sid"] for table in outcome.tables() for row in table.to_pylist()) == ["7", "GPU-3f"]


def test_there_are_no_more_processes_than_devices() -> None:
    devices = ("0", "1", "2")
    assert [Scale("local", most, devices=devices).most for most in (None, 2, 8)] == [3, 2, 3]


@pytest.mark.slow
def test_ginza_says_the_same_in_another_process(tmp_path: Path) -> None:
    texts = ["雨が降ったので、傘を買った。", "パンを食べる。", "あ" * 600, "*+#EOS 😀"]
    opened = partial(open_analyzer, "ginza", AnalyzerSettings())
    run = partial(run_shards, _inputs(texts), CountEvents(), settings={})
    here = run(opened, tmp_path / "here", scale=Scale("here"))
    spread = run(opened, tmp_path / "spread", scale=Scale("local", 1, sentences=3))
    assert _bytes(here, tmp_path) == _bytes(spread, tmp_path)
    assert here.counts.sentences == 4
    assert sum(here.counts.failures.values()) == 1
    assert {row["predicate"] for table in here.tables() for row in table.to_pylist()} >= {"降る", "買う", "食べる"}


DRIVER = """
import os, sys
from pathlib import Path
sys.path.append(sys.argv[1])
from tests.builders.kuci.analysis.fake_analyzer import CountWords, Fake
from tashika.builders.kuci.analysis.shards import Scale, run_shards

if __name__ == "__main__":
    folder, life = Path(sys.argv[2]), Path(sys.argv[3])
    (life / "driver").write_text(str(os.getpid()))
    inputs = [(f"a.txt:{number}", text) for number, text in enumerate(["雨 ガ 降る", "はい", "STOP", "雪"])]
    run_shards(inputs, CountWords(), Fake(life), folder, settings={}, scale=Scale("local", 2, sentences=1))
"""


def test_ctrl_c_ends_all_processes_and_the_next_run_goes_on(tmp_path: Path) -> None:
    script, shards = tmp_path / "driver.py", tmp_path / "shards"
    script.write_text(DRIVER)
    command = [sys.executable, str(script), str(Path(__file__).parents[4]), str(shards), str(tmp_path)]
    ended = subprocess.run(
        command,
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background job's children ignore it
    )
    assert ended.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in ended.stderr
    left = [one for one in psutil.process_iter(["cmdline"]) if str(tmp_path) in " ".join(one.info["cmdline"] or [])]
    assert left == []
    done = [name for name in _names(shards) if not name.startswith(".")]
    assert "words-00002.parquet" not in done
    (tmp_path / "driver").write_text(str(os.getpid()))
    inputs: list[Input] = [
        (f"a.txt:{number}", text) for number, text in enumerate(["雨 ガ 降る", "はい", "STOP", "雪"])
    ]
    outcome = _run(inputs, shards, Scale("here", sentences=1), Fake(tmp_path))
    assert outcome.speed.sentences == 4 - len(done)
    assert [row["sid"] for table in outcome.tables() for row in table.to_pylist()] == [
        f"a.txt:{number}" for number in range(4)
    ]


class CountRelated(CountWords):
    relations_only = True


def test_sentences_that_cannot_hold_a_relation_are_not_analysed(tmp_path: Path) -> None:
    texts = [*TEXTS, "UNRELATED RAISE"]  # to analyse it would be an error
    run = partial(run_shards, settings={}, scale=Scale("here"))
    outcome = run(_inputs(texts), CountRelated(), Fake(), tmp_path)
    assert outcome.counts.sentences == len(texts)
    assert [table.num_rows for table in outcome.tables()] == [len(TEXTS) - sum("BAD" in text for text in TEXTS) + 1]
