"""The proverbs' release as pairs of questions: read, checked, and drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from tashika.core.draws import shuffled
from tashika.core.errors import InputError
from tashika.core.files import read_table
from tashika.core.suites.proverbs.words import CONTROL, SIDES, TOPICS, Side
from tashika.evaluate.release_tables import AGAIN, read_identity

PAIRS_FILE: Final = "pairs/test.parquet"
_ASKED: Final = ("item_id", "topic", "question", "variant_question")
"""What every release has of a pair."""


class ProverbPair(NamedTuple):
    """A pair of the release; see `core.suites.proverbs.PAIR` for what its columns hold.

    What older releases lack is None, and no model is asked about it: it only says to which group a pair belongs.
    """

    item_id: str
    topic: str
    question: str
    variant_question: str
    proverb: str | None = None
    change: str | None = None
    maker: str | None = None
    origin: str | None = None
    variant_origin: str | None = None
    form: str | None = None
    direction: str | None = None

    def asked(self, side: Side) -> str:
        """The question of a side."""
        return self.question if side == "proverb" else self.variant_question


class AskedQuestion(NamedTuple):
    """One of a pair's two questions."""

    pair: ProverbPair
    side: Side

    @property
    def text(self) -> str:
        """What is asked."""
        return self.pair.asked(self.side)


@dataclass(frozen=True)
class ProverbRelease:
    """A release of the suite, as far as models are asked about it.

    Attributes:
        version: Of the release.
        digest: Of its content.
        simulated: Whether programs played the people who judged its pairs.
        pairs: At least one, by topic and id.
    """

    version: str
    digest: str
    simulated: bool
    pairs: tuple[ProverbPair, ...]


def read_release(folder: Path) -> ProverbRelease:
    """Reads the pairs of a release.

    Raises:
        MissingStageError: There is no release.
        InputError: A file is missing, broken or changed, or a pair cannot be asked.
    """
    identity = read_identity(folder, PAIRS_FILE, "Run `tashika export proverbs` first.")
    return ProverbRelease(identity.version, identity.digest, identity.simulated, _pairs(identity.file(PAIRS_FILE)))


def _pairs(file: Path) -> tuple[ProverbPair, ...]:
    table = read_table(file)
    missing = [name for name in _ASKED if name not in table.column_names]
    if missing:
        columns = ", ".join(table.column_names)
        raise InputError(f"the column {missing[0]!r} is missing; found {columns}", where=str(file), hint=AGAIN)
    there = [name for name in ProverbPair._fields if name in table.column_names]
    pairs = [ProverbPair(**row) for row in table.select(there).to_pylist()]
    if not pairs:
        raise InputError("the release has no pairs", where=str(file))
    seen: set[str] = set()
    for pair in pairs:
        wrong = "the same id stands above" if pair.item_id in seen else _problem(pair)
        if wrong:
            raise InputError(wrong, where=f"{file}, {pair.item_id}", hint=AGAIN)
        seen.add(pair.item_id)
    return tuple(sorted(pairs, key=lambda pair: (TOPICS.index(pair.topic), pair.item_id)))


def _problem(pair: ProverbPair) -> str | None:
    """Why a pair cannot be asked."""
    empty = [name for name in _ASKED if not (getattr(pair, name) or "").strip()]
    if empty:
        return f"{empty[0]} is empty"
    if pair.topic not in TOPICS:
        return f"found the topic {pair.topic!r}, expected {', '.join(TOPICS)}"
    if pair.question == pair.variant_question:
        return f"both questions are {pair.question!r}"
    return None


def draw_pairs(pairs: Sequence[ProverbPair], limit: int | None, seed: int) -> tuple[ProverbPair, ...]:
    """So many pairs of each topic, in the order of all.

    What is drawn of a topic depends on its pairs and the seed alone, and a smaller limit draws some of what a larger
    one draws.

    Args:
        pairs: What is drawn from.
        limit: Pairs a topic, at most; None for all. The control of a pair comes with it, and does not count.
        seed: Of the draw.
    """
    if limit is None:
        return tuple(pairs)
    order = dict(zip(pairs, shuffled((pair.item_id for pair in pairs), seed).tolist(), strict=True))
    kept: set[ProverbPair] = set()
    for topic in TOPICS:
        of_topic = [pair for pair in pairs if pair.topic == topic and pair.change != CONTROL]
        kept.update(sorted(of_topic, key=lambda pair: (order[pair], pair.item_id))[:limit])
    drawn = {pair.proverb for pair in kept if pair.topic == "gender"}
    return tuple(pair for pair in pairs if pair in kept or (pair.change == CONTROL and pair.proverb in drawn))


def in_order(pairs: Sequence[ProverbPair]) -> list[AskedQuestion]:
    """Every pair's two questions, the proverb's first."""
    return [AskedQuestion(pair, side) for pair in pairs for side in SIDES]
