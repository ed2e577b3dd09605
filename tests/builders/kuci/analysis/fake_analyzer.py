"""An analyser for tests: every word is a morpheme, and a sentence of three words is a clause."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.builders.kuci.analysis.records import Argument, Backend, Clause, Failure, Morpheme, Predicate, Sentence

_FIELDS: tuple[pa.Field[Any], ...] = (pa.field("sid", pa.string()), pa.field("words", pa.int64()))
SCHEMA = pa.schema(_FIELDS)


@dataclass(frozen=True)
class Fake:
    """Opens `FakeAnalyzer`. With a folder, KILL ends the process as often as the folder has files to lose."""

    deaths: Path | None = None

    def __call__(self) -> FakeAnalyzer:
        return FakeAnalyzer(self.deaths)


class FakeAnalyzer:
    """`ARGUMENT CASE PREDICATE` is a clause; BAD fails, KILL kills, RAISE raises, STOP is Ctrl-C."""

    backend: Backend = "ginza"
    keys = "sudachi"

    def __init__(self, deaths: Path | None) -> None:
        self._deaths = deaths

    def analyze(
        self, sentences: Iterable[tuple[str, str]], *, relations_only: bool = False
    ) -> Iterator[Sentence | Failure]:
        for sid, text in list(sentences):  # all of them at first, as a library that reads ahead
            if relations_only and "UNRELATED" in text:
                yield Sentence(sid, text, ())
                continue
            if "BAD" in text:
                yield Failure(sid, text, "it is bad")
                continue
            if "RAISE" in text:
                raise ZeroDivisionError(text)
            if "KILL" in text:
                self._die()
            if "STOP" in text and self._deaths and os.getpid() != int((self._deaths / "driver").read_text()):
                os.kill(int((self._deaths / "driver").read_text()), signal.SIGINT)
                signal.pause()
            yield sentence(sid, text)

    def _die(self) -> None:
        for life in sorted(self._deaths.glob("life-*")) if self._deaths else []:
            life.unlink()
            os.kill(os.getpid(), signal.SIGKILL)

    def describe(self) -> dict[str, str]:
        return {"name": "fake"}


def sentence(sid: str, text: str, **predicate: object) -> Sentence:
    words = text.split()
    morphemes = tuple(Morpheme(word, word, "名詞", 0) for word in words)
    if len(words) != 3:
        return Sentence(sid, text, morphemes)
    argument, case, verb = words
    clause = Clause(0, 3, Predicate(verb, "動", **predicate), (Argument(case, argument),))  # type: ignore[arg-type]
    return Sentence(sid, text, morphemes, (clause,))


class CountWords:
    """A job: a row a sentence."""

    name = "words"
    schema = SCHEMA
    relations_only = False

    def open(self) -> None:
        pass

    def rows(self, results: Iterable[Sentence | Failure]) -> pa.Table:
        rows = [{"sid": one.sid, "words": len(one.morphemes)} for one in results if isinstance(one, Sentence)]
        return pa.Table.from_pylist(rows, schema=SCHEMA)
