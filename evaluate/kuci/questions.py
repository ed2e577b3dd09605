"""KUCI's release as questions to ask: the published set and the sets for the ablations, in three parts each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from tashika.core.draws import shuffled
from tashika.core.errors import InputError
from tashika.core.files import read_table
from tashika.core.suites.kuci.words import CONDITIONS, OPTIONS, RELATIONS, SPLITS, Conditions, Split
from tashika.evaluate.release_tables import AGAIN, Identity, read_columns, read_identity
from tashika.evaluate.ways.questions import Question

CONFIGS: Final[Mapping[Conditions, str]] = {
    "both": "questions",
    "without_similarity": "questions_without_similarity",
    "without_length": "questions_without_length",
}
"""The release's configuration that holds a set."""

PAIRS_FILE: Final = "pairs/train.parquet"
ORIGINS_FILE: Final = "option_origins/test.parquet"
"""The similarities of the options; in releases of earlier versions they stand beside them."""

Similarities = Mapping[str, tuple[float, ...]]
"""Question -> those of its options."""

_FIRST: Final = "Run `tashika export kuci` first, or name the authors' own questions with --questions."


class KuciQuestion(NamedTuple):
    """A question of the release; see `exports.kuci.schema` for what its columns hold.

    What people said of it, `more_than_one`, `fitting` and `people`, is there for the published set alone. The authors'
    own questions (`authors`) have no similarities and no relation, but a `group`, their pair of core events, and how
    many crowd workers agreed.
    """

    item_id: str
    context: str
    options: tuple[str, ...]
    answer: int
    similarities: tuple[float, ...]
    relation: str
    pair: str
    forms: tuple[str, ...] = ()
    more_than_one: str = "not judged"
    fitting: tuple[int, ...] = ()
    people: str = "not asked"
    group: str = ""
    agreement: int = 0

    @property
    def asked(self) -> Question:
        """What a model sees of it."""
        return Question(self.item_id, self.context, self.options, self.answer)

    @property
    def cluster(self) -> str:
        """What hangs together with it when questions are drawn anew: its pair of core events, or its context."""
        return self.group or self.context


Parts = Mapping[Split, tuple[KuciQuestion, ...]]


@dataclass(frozen=True)
class KuciRelease:
    """A release of KUCI, as far as models are asked about it.

    Attributes:
        version: Of the release.
        digest: Of its content.
        simulated: Whether programs played the people who confirmed its pairs.
        sets: Set -> part -> questions. A set for an ablation may be missing.
        markers: Pair -> the word that marks its relation; empty where the release does not say.
        imported: Whether the questions are the authors' own, see `authors`.
    """

    version: str
    digest: str
    simulated: bool
    sets: Mapping[Conditions, Parts]
    markers: Mapping[str, str]
    imported: bool = False

    def part(self, conditions: Conditions, split: Split) -> tuple[KuciQuestion, ...]:
        """The questions of a part of a set.

        Raises:
            InputError: The release has no such set.
        """
        if conditions not in self.sets:
            raise InputError(
                f"the release has no set {conditions}; it has {', '.join(self.sets)}", hint="Choose another with --set."
            )
        return self.sets[conditions][split]


def question_file(conditions: Conditions, split: Split) -> str:
    """Where a part of a set lies in a release."""
    return f"{CONFIGS[conditions]}/{split}.parquet"


def read_release(folder: Path) -> KuciRelease:
    """Reads the questions of a release: the published set, and those for the ablations where they are.

    Raises:
        MissingStageError: There is no release.
        InputError: A file is missing, broken or changed, a question cannot be asked, or stands in two parts of a set.
    """
    identity = read_identity(folder, question_file("both", "test"), _FIRST)
    ours = "imported" not in identity.record
    present = [name for name in CONDITIONS if name == "both" or (folder / CONFIGS[name]).is_dir()]
    return KuciRelease(
        identity.version,
        identity.digest,
        identity.simulated,
        {name: _read_set(identity, name, ours=ours) for name in present},
        _read_markers(identity.file(PAIRS_FILE)),
        not ours,
    )


def _read_set(identity: Identity, conditions: Conditions, *, ours: bool) -> Parts:
    """The parts of a set; of our own, no context stands in two."""
    beside = _read_similarities(identity.file(ORIGINS_FILE))
    parts = {split: _read_questions(identity.file(question_file(conditions, split)), beside) for split in SPLITS}
    seen: dict[str, str] = {}
    for split, questions in parts.items() if ours else ():
        for question in questions:
            # a context in two parts would tell the answer's kind: the split keeps antecedents apart
            before = seen.setdefault(question.context, split)
            if before != split:
                raise InputError(
                    f"the context {question.context!r} stands in the parts {before} and {split}",
                    where=str(identity.folder / CONFIGS[conditions]),
                    hint=AGAIN,
                )
    return parts


def _read_similarities(file: Path) -> Similarities:
    if not file.is_file():
        return {}
    return {row["item_id"]: tuple(row["similarities"]) for row in read_columns(file, ("item_id", "similarities"))}


def _read_questions(file: Path, similarities: Similarities) -> tuple[KuciQuestion, ...]:
    questions: list[KuciQuestion] = []
    seen: set[str] = set()
    for row in read_columns(file, _columns(file)):
        lists: dict[str, Any] = {
            name: tuple(row[name]) for name in ("options", "similarities", "forms", "fitting") if name in row
        }
        beside = {"similarities": similarities.get(row["item_id"], ())}
        question = KuciQuestion(**{**beside, **row, **lists})
        wrong = "the same id stands above" if question.item_id in seen else _problem(question)
        if wrong:
            raise InputError(wrong, where=f"{file}, {question.item_id}", hint=AGAIN)
        seen.add(question.item_id)
        questions.append(question)
    return tuple(questions)


def _columns(file: Path) -> list[str]:
    """Those that a question needs, and those of the others that the file has."""
    optional = {*KuciQuestion._field_defaults, "similarities"}
    present = set(read_table(file).column_names) if file.is_file() else set()
    return [name for name in KuciQuestion._fields if name not in optional or name in present]


def _problem(question: KuciQuestion) -> str | None:
    """Why a question cannot be asked."""
    options = question.options
    if not question.context.strip():
        return "the context is empty"
    if len(options) != OPTIONS or len(question.similarities) not in ({0, OPTIONS} if question.relation else {0}):
        return f"found {len(options)} options with {len(question.similarities)} similarities, expected {OPTIONS}"
    if not all(option and option.strip() for option in options) or len(set(options)) < OPTIONS:
        return f"an option is empty, or stands there twice: {options}"
    if not 0 <= question.answer < OPTIONS:
        return f"the answer is the option {question.answer}, and there are {OPTIONS}, counted from 0"
    if question.relation and question.relation not in RELATIONS:
        return f"found the relation {question.relation!r}, expected {' or '.join(RELATIONS)}"
    return None


def _read_markers(file: Path) -> dict[str, str]:
    if not file.is_file():
        return {}
    return {str(row["item_id"]): str(row["marker"]) for row in read_columns(file, ("item_id", "marker"))}


def draw_questions(questions: Sequence[KuciQuestion], limit: int | None, seed: int) -> tuple[KuciQuestion, ...]:
    """Some questions in their order; which depends on their pairs and the seed alone, so that sets share pairs.

    Args:
        questions: What is drawn from.
        limit: How many; None for all.
        seed: Of the draw.
    """
    if limit is None or limit >= len(questions):
        return tuple(questions)
    order = shuffled((question.pair for question in questions), seed)
    kept = set(sorted(range(len(questions)), key=lambda place: (int(order[place]), place))[:limit])
    return tuple(question for place, question in enumerate(questions) if place in kept)
