"""Basic events from Kyoto University's case frames (GSK2018-B): predicates with the nouns that their cases take.

Source: Omura, Kawahara and Kurohashi (2020), section 3.1: of the 5,000 most frequent predicates in the active voice the
frames, cases and arguments, most frequent first, until their frequencies add up to more than 75 %, 50 % and 50 %.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar
from xml.etree import ElementTree

from pydantic import Field

from tashika.builders.kuci.analysis.knp.sentence import DO
from tashika.builders.kuci.analysis.records import Failure
from tashika.builders.kuci.events.basic_events import CASES, BasicEvents, Event
from tashika.builders.sources.packed import DAMAGED, open_packed
from tashika.core.bounded import Bounded
from tashika.core.errors import InputError
from tashika.core.settings import Section

T = TypeVar("T")

_VOICES: Final = frozenset({"れる/れる", "られる/られる", "せる/せる", "させる/させる"})
"""What stands behind a `+` in the headword of another voice than the active one."""

LARGEST_FRAME: Final = 64 << 20
"""Bytes of the XML of a case frame, at most, and of what stands between two."""

_HINT: Final = "Expected Kyoto University's case frames in XML (<caseframedata>), plain or gz."


class CaseFrameSettings(Section):
    """How much of the case frames is basic; the paper's numbers.

    Attributes:
        predicates: The most frequent ones that are kept.
        frames: Share of a predicate's frequency that its frames have to pass.
        cases: Share of a frame's frequency that its cases have to pass.
        arguments: Share of a case's frequency that its arguments have to pass.
        compounds: Whether compound verbs (食べ始める) are predicates of their own. The paper leaves out other voices
            than the active one, and does not say what it does with compounds.
    """

    predicates: int = Field(5_000, ge=1)
    frames: float = Field(0.75, gt=0, le=1)
    cases: float = Field(0.5, gt=0, le=1)
    arguments: float = Field(0.5, gt=0, le=1)
    compounds: bool = False


def until_share(items: Iterable[T], frequency: Callable[[T], float], share: float) -> list[T]:
    """The most frequent items until their frequencies pass a share of all; the one that crosses it is the last.

    Of items that are equally frequent the earlier ones come first. Items of no frequency are left out.
    """
    ranked = sorted((one for one in items if frequency(one) > 0), key=lambda one: -frequency(one))
    enough, passed = share * math.fsum(map(frequency, ranked)), 0.0
    taken = []
    for one in ranked:
        if passed > enough:
            break
        taken.append(one)
        passed += frequency(one)
    return taken


def read_case_frames(path: Path, settings: CaseFrameSettings | None = None) -> BasicEvents:
    """Reads basic events from a file of case frames in one pass; no more than one predicate is in memory, and the best.

    - Headwords with `+` are left out: passives and causatives always, compounds unless the settings take them. A noun
      with する (掃除/そうじ+する/する) is no compound, and has the noun's key, as in KNP's output.
    - The paper counts a frame's case with all of its arguments, { お腹, 体 } ヲ 壊す, as one basic event; here each
      argument is an event, which holds the same clauses to be basic, and `groups` counts as the paper does.
    - Cases that no argument of a clause has (possessive ノ格~ガ格, 外の関係, 修飾 …) are left out and count nowhere.
    - A compound (`+`: 充電/じゅうでん+用/よう) is one argument, as KNP's keys have it. Of alternatives (`?`) each is an
      event. Classes such as <時間> count in the shares but are no words.
    - A frequency that is missing is the sum of its parts (cases), the largest of them (frames), or 1 (arguments). The
      whole that shares are taken of is the sum of what is ranked.

    Args:
        path: The file, plain or gz.
        settings: How much is kept.

    Returns:
        The events, keyed by 代表表記. If the file is cut short or broken, those of the predicates that were read whole,
        and a `Failure` that names where it ends.

    Raises:
        InputError: The file is missing, not a single predicate can be read, or a frame would fill the memory.
    """
    settings = settings or CaseFrameSettings()
    reader = _Reader(settings)
    failures = []
    longest: dict[str, Any] = {"longest": LARGEST_FRAME, "ends": b"", "what": "a case frame"}
    with Bounded(open_packed(path), str(path), **longest) as file:
        try:
            for entry in _entries(file, path, settings):
                reader.add(entry)
        except (ElementTree.ParseError, *DAMAGED) as error:
            if not reader.entries:
                raise InputError(f"not XML of case frames: {error}", where=str(path), hint=_HINT) from error
            failures = [Failure(f"{path.name}:{reader.entries + 1}", reader.last, f"cut short or broken: {error}")]
        except ValueError as error:  # an encoding that the parser does not know
            raise InputError(f"cannot be read: {error}", where=str(path), hint="Convert it to UTF-8 first.") from error
    if not reader.entries:
        raise InputError("there is no <entry> in it", where=str(path), hint=_HINT)
    statistics = {
        "entries": reader.entries,
        "headwords left out": reader.left_out,
        "groups, a frame's case each": reader.groups,
        "cut short": len(failures),
    }
    return BasicEvents(reader.events(), keys="daihyo", source=path.name, failures=failures, counts=statistics)


Frame = tuple[float, list[tuple[str, str, float]]]
"""A frame's frequency, and (case, argument, frequency) of those of its arguments that are basic."""


@dataclass(frozen=True)
class _Entry:
    """A predicate as it stands in the file."""

    headword: str
    kind: str
    frames: list[Frame]


def _entries(file: Bounded, path: Path, settings: CaseFrameSettings) -> Iterator[_Entry]:
    """The predicates; the tree is cleared frame by frame."""
    root: ElementTree.Element | None = None
    frames: list[Frame] = []
    for event, element in ElementTree.iterparse(file, events=("start", "end")):
        if root is None:
            root = element
            if element.tag != "caseframedata":
                raise InputError(f"found <{element.tag}>, expected <caseframedata>", where=str(path), hint=_HINT)
        if event == "start":
            continue
        if element.tag == "caseframe":
            frames.append((_frame_frequency(element), list(_arguments(element, settings))))
            element.clear()
            file.rest()
        elif element.tag == "entry":
            yield _Entry(element.get("headword", "").removesuffix(DO), element.get("predtype", ""), frames)
            frames = []
            root.clear()


class _Reader:
    """Keeps the events of the most frequent predicates seen so far."""

    def __init__(self, settings: CaseFrameSettings) -> None:
        self._settings = settings
        self._best: list[tuple[float, int, list[Event], int]] = []
        self.entries = 0
        self.left_out = 0
        self.last = ""

    def add(self, entry: _Entry) -> None:
        """Takes one predicate."""
        self.entries += 1
        self.last = entry.headword
        if not entry.headword or _other_voice(entry.headword, compounds=self._settings.compounds):
            self.left_out += 1
            return
        arguments: dict[tuple[str, str], float] = {}
        groups = 0
        for _, taken in until_share(entry.frames, lambda one: one[0], self._settings.frames):
            groups += len({case for case, _, _ in taken})
            for case, argument, frequency in taken:
                arguments[case, argument] = arguments.get((case, argument), 0.0) + frequency
        events = [
            Event(entry.headword, entry.kind, case, argument, frequency)
            for (case, argument), frequency in arguments.items()
        ]
        # Of equally frequent predicates the earlier one stays.
        ranked = (math.fsum(one[0] for one in entry.frames), -self.entries, events, groups)
        if len(self._best) < self._settings.predicates:
            heapq.heappush(self._best, ranked)
        else:
            heapq.heappushpop(self._best, ranked)

    def events(self) -> Iterator[Event]:
        """Those of the predicates that are kept."""
        return (event for _, _, events, _ in self._best for event in events)

    @property
    def groups(self) -> int:
        """Basic events as the paper counts them: the cases of the frames that are kept, with their arguments."""
        return sum(groups for *_, groups in self._best)


def _other_voice(headword: str, *, compounds: bool) -> bool:
    """Whether a headword is left out: a passive or causative, or a compound where these are not taken."""
    parts = headword.split("+")[1:]
    return bool(parts) and (not compounds or not _VOICES.isdisjoint(parts))


def _arguments(frame: ElementTree.Element, settings: CaseFrameSettings) -> Iterator[tuple[str, str, float]]:
    """(case, argument, frequency) of a frame's basic arguments."""
    cases = [(_case(one), _case_frequency(one), one) for one in frame.iter("argument")]
    for case, _, element in until_share((one for one in cases if one[0] in CASES), lambda one: one[1], settings.cases):
        components = [(one.text or "", _frequency(one, 1.0)) for one in element.iter("component")]
        for text, frequency in until_share(components, lambda one: one[1], settings.arguments):
            if (word := text.strip()) and not word.startswith("<"):
                yield case, word, frequency


def _case(argument: ElementTree.Element) -> str:
    return argument.get("case", "").removesuffix("格")


def _frame_frequency(frame: ElementTree.Element) -> float:
    if "frequency" in frame.attrib:
        return _frequency(frame, 0.0)
    return max((_case_frequency(one) for one in frame.iter("argument")), default=0.0)


def _case_frequency(argument: ElementTree.Element) -> float:
    if "frequency" in argument.attrib:
        return _frequency(argument, 0.0)
    return math.fsum(_frequency(one, 1.0) for one in argument.iter("component"))


def _frequency(element: ElementTree.Element, otherwise: float) -> float:
    """The attribute, which may be a fraction (2.5); what is no number counts as missing."""
    try:
        value = float(element.attrib["frequency"])
    except (KeyError, ValueError):
        return otherwise
    return value if math.isfinite(value) and value >= 0 else otherwise
