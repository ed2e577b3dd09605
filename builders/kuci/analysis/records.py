"""What an analysis of a Japanese sentence is, whoever makes it: morphemes, clauses, and relations between clauses.

Keys of predicates and arguments are the analyser's own (KNP's 代表表記, Sudachi's normalised form) and are never
compared between analysers: `Analyzer.keys` names which they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from tashika.builders.kuci.analysis.brackets import BRACKETS
from tashika.builders.kuci.analysis.lead_ins import Word, lead_in
from tashika.core.suites.kuci.words import Relation as Kind

Backend = Literal["ginza", "knp", "knp-file"]
Voice = Literal["active", "passive", "causative", "causative-passive"]


@dataclass(frozen=True, slots=True)
class Morpheme:
    """A morpheme.

    Attributes:
        surface: As it stands in the text.
        lemma: The analyser's key of it.
        pos: Its part of speech, in the analyser's own words: 名詞, 動詞, 助詞 …
        start: Its first character's place in the text.
        unknown: Whether the analyser's dictionary lacks it.
        demonstrative: Whether it is a demonstrative (これ, その, あの人's あの …).
        sign: Whether it is punctuation or a symbol.
    """

    surface: str
    lemma: str
    pos: str
    start: int
    unknown: bool = False
    demonstrative: bool = False
    sign: bool = False

    @property
    def stop(self) -> int:
        """The place after its last character."""
        return self.start + len(self.surface)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a predicate.

    Attributes:
        case: In katakana: ガ, ヲ, ニ, デ, ト, ヘ, カラ, マデ, ヨリ; 未 for a topic whose case is not known.
        lemma: The analyser's key of its head.
        explicit: Whether it stands in the clause.
    """

    case: str
    lemma: str
    explicit: bool = True


@dataclass(frozen=True, slots=True)
class Predicate:
    """The predicate of a clause.

    Attributes:
        lemma: The analyser's key.
        kind: 動 (verb), 形 (adjective) or 判 (noun and copula), as in KNP's 用言 and in the case frames.
        voice: Its voice.
        negated: Whether it is negated.
        past: Whether it is in the past tense (タ形).
        modality: What is said beside the event, such as といい, ばいい, なければならない; empty for none.
    """

    lemma: str
    kind: Literal["動", "形", "判"]
    voice: Voice = "active"
    negated: bool = False
    past: bool = False
    modality: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause.

    Attributes:
        start: Its first morpheme's number.
        stop: The number after its last one's.
        predicate: Its predicate.
        arguments: Those of the predicate.
    """

    start: int
    stop: int
    predicate: Predicate
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A discourse relation between two clauses of a sentence, shown by a marker.

    Attributes:
        modifier: The number of the clause that is the cause or condition.
        head: The number of the clause that follows from it.
        label: Which relation.
        marker: What shows it, in KNP's words: ので, から, タ形+ため, 〜ば, 〜なら; empty for たら and と.
        certain: False where the analyser doubts it (KNP's 節-機能疑).
    """

    modifier: int
    head: int
    label: Kind
    marker: str
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Sentence:
    """An analysed sentence.

    Attributes:
        sid: Its id.
        text: As it was analysed; the joined surfaces of its morphemes.
        morphemes: In their order.
        clauses: In their order; the last one is the main clause.
        relations: Between them, by modifier.
    """

    sid: str
    text: str
    morphemes: tuple[Morpheme, ...]
    clauses: tuple[Clause, ...] = ()
    relations: tuple[Relation, ...] = ()

    def inside(self, clause: Clause) -> tuple[Morpheme, ...]:
        """A clause's morphemes without what joins it to the sentence before: しかし, あっ."""
        morphemes = self.morphemes[clause.start : clause.stop]
        return morphemes[lead_in([Word(one.surface, one.pos, one.sign) for one in morphemes]) :]

    def words(self, clause: Clause) -> tuple[str, ...]:
        """The surfaces of a clause's morphemes but for signs and what leads it in."""
        return tuple(one.surface for one in self.inside(clause) if not one.sign)

    def clause_text(self, clause: Clause) -> str:
        """A clause as it stands, without what leads it in and without the signs at its ends.

        Brackets stay whose other one is within.
        """
        inside = list(self.inside(clause))
        while inside and inside[-1].sign and not _is_paired(inside, -1):
            inside.pop()
        while inside and inside[0].sign and not _is_paired(inside, 0):
            inside.pop(0)
        return "".join(one.surface for one in inside)


def _is_paired(morphemes: Sequence[Morpheme], place: int) -> bool:
    """Whether a bracket at an end has its other one among the morphemes."""
    signs = [morpheme.surface for morpheme in morphemes]
    sign = signs[place]
    if place == 0:
        return sign in BRACKETS and BRACKETS[sign] in signs
    return any(closing == sign and opening in signs for opening, closing in BRACKETS.items())


SHOWN: Final = 200
"""Characters of its text that a failure keeps."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A sentence that could not be analysed, and why."""

    sid: str
    text: str
    reason: str


class Analyzer(Protocol):
    """Analyses sentences; a sentence that cannot be analysed is a `Failure` in its place, and the rest is analysed."""

    backend: Backend
    keys: str
    """What the lemmas are: "daihyo" (KNP's 代表表記) or "sudachi"."""

    def analyze(
        self, sentences: Iterable[tuple[str, str]], *, relations_only: bool = False
    ) -> Iterator[Sentence | Failure]:
        """Analyses (sid, text) pairs, one result each, in their order.

        Args:
            sentences: The pairs.
            relations_only: Whether only relations count: then a sentence without any may be given without words.

        Raises:
            OutsideError: The analyser cannot be started, or fails its self-test.
        """

    def describe(self) -> dict[str, str]:
        """Name and versions, for provenance."""


@dataclass
class Counts:
    """How many sentences there were, and how many failed, by reason."""

    sentences: int = 0
    failures: dict[str, int] = field(default_factory=dict)
