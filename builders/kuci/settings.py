"""The settings of the builder of KUCI."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field, field_validator

from tashika.builders.kuci.analysis.analyzers import AnalyzerSettings
from tashika.builders.kuci.analysis.devices import CPU
from tashika.builders.kuci.events.case_frames import CaseFrameSettings
from tashika.builders.kuci.packaged import Share
from tashika.builders.kuci.questions.settings import QuestionSettings
from tashika.builders.kuci.text.encodings import AUTO
from tashika.builders.kuci.text.places import files_of
from tashika.builders.kuci.text.sentences import TextSettings
from tashika.core.errors import InputError
from tashika.core.files import hash_file, hash_value
from tashika.core.input_records import file_digest
from tashika.core.inputs import BuildInputs
from tashika.core.settings import Section
from tashika.core.suites.kuci.words import RELATIONS, Relation, Split


class EventSettings(Section):
    """What is a basic event (section 3.1).

    Attributes:
        case_frames: The XML file of Kyoto University's case frames, plain or gz; empty: events are counted in `frames`.
        shares: How much of the case frames is basic.
        frames: Text files that events are counted in (of the backend knp-file: KNP's output); empty: the packaged one.
            They must not be the text that the pairs come from, in which every event would be basic.
        floor: How often an event is seen there, at least.
    """

    case_frames: str = ""
    shares: CaseFrameSettings = Field(default_factory=CaseFrameSettings)
    frames: tuple[str, ...] = ()
    floor: int = Field(2, ge=1)


class FilterSettings(Section):
    """Which candidates become pairs (section 3.2), beside the conditions that always hold.

    Attributes:
        relations: Of interest.
        frequent_share: A basic event is too frequent, hence a phrase and no event (問題が無い), in more than this share
            of the pairs that hold two basic events. The paper gives no number. Of its 120,000 pairs all filters leave
            43 %, which is about where events in more than 0.1 % of the pairs go, by our estimate.
        frequent_floor: In so many pairs or fewer no event is too frequent: in a small text each one has a large share.
        demonstratives: Pairs with a demonstrative are left out.
        unknown_words: Pairs with a word that the analyser's dictionary lacks are left out.
        modality: Pairs are left out that say on either side what somebody thinks of the event (といい,
            なければならない), or that ask, propose, wish or guess (てください, ましょう, たい, だろう): what KNP calls
            モダリティ.
        least_confidence: Pairs are left out whose marker is right less often (`confidence`); .75: those of たら and と.
        fewest_words: Of either side, signs not counted.
    """

    relations: tuple[Relation, ...] = Field(RELATIONS, min_length=1)
    frequent_share: float = Field(0.001, gt=0.0, le=1.0)
    frequent_floor: int = Field(30, ge=0)
    demonstratives: bool = True
    unknown_words: bool = True
    modality: bool = True
    least_confidence: float = Field(0.0, ge=0.0, le=1.0)
    fewest_words: int = Field(1, ge=1)


class JudgedSettings(Section):
    """Which questions people judge option by option.

    Attributes:
        splits: Parts of the published set; how many of their questions people get is `[annotate.kinds.fit]`'s to say.
    """

    splits: tuple[Split, ...] = Field(("test",), min_length=1)


class TrialSettings(Section):
    """How the samples are drawn by which the condition Basic is tried.

    Attributes:
        sample: Pairs in each; the paper has 100.
        seed: Of the draws.
    """

    sample: int = Field(100, ge=1)
    seed: int = 0


class BuildSettings(Section):
    """The section [build] of kuci.

    Attributes:
        encoding: Of the text, and of the text that basic events are counted in; "auto": recognised for each file.
        text: How sentences are taken from files.
        packaged: How much of the packaged text is read where no other text is given: "all", or the "part" that the demo
            reads, whose analysis takes a third of the time.
        engine: Processes of this machine, or Ray Data. What comes out is the same.
        workers: Processes of this machine; 0: one a core, or one a CUDA device.
        device: What GiNZA computes on: cpu, cuda, cuda:N, several with commas between, or cuda:all.
        shard: Sentences in a shard: what a kill loses at most.
        analyzer: Who analyses the text.
        events: What is a basic event.
        filters: Which candidates become pairs.
        questions: How questions are made of pairs.
        judged: Which questions people judge option by option.
        basic_trial: How the condition Basic is tried.
    """

    encoding: str = AUTO
    packaged: Share = "all"
    engine: Literal["local", "ray"] = "local"
    workers: int = Field(0, ge=0)
    device: str = CPU
    shard: int = Field(2_000, ge=1)
    text: TextSettings = Field(default_factory=TextSettings)
    analyzer: AnalyzerSettings = Field(default_factory=AnalyzerSettings)
    events: EventSettings = Field(default_factory=EventSettings)
    filters: FilterSettings = Field(default_factory=FilterSettings)
    questions: QuestionSettings = Field(default_factory=QuestionSettings)
    judged: JudgedSettings = Field(default_factory=JudgedSettings)
    basic_trial: TrialSettings = Field(default_factory=TrialSettings)


class Inputs(BuildInputs):
    """The options of `tashika build kuci` that change what is built."""

    ALTERNATIVES = (("text", "knp"), ("frames", "case_frames"))
    # What goes with KNP's output: no other analyser reads its format and its keys.
    BESIDE = MappingProxyType({"knp": ("frames", "case_frames", "backend"), "text": ("field", "encoding")})

    text: tuple[Path, ...] = ()
    knp: tuple[Path, ...] = ()
    frames: tuple[Path, ...] = ()
    case_frames: Path | None = None
    backend: str | None = None
    field: str | None = None
    encoding: tuple[str, ...] = ()

    @field_validator("encoding", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """Of a workspace of an older version, which had one encoding for all files."""
        return (value,) if isinstance(value, str) else value

    @classmethod
    def digest(cls, path: Path) -> str:
        """A digest of a file's content, or of all files of a folder and of its folders.

        Raises:
            InputError: There is no such file, or the folder is empty.
        """
        if not path.is_dir():
            return file_digest(path)
        return hash_value([[file.relative_to(path).as_posix(), hash_file(file)] for file in files_of(path)])

    @property
    def encodings(self) -> tuple[str | None, dict[str, str]]:
        """The encoding of all files, and those of single files, given as FILE=NAME."""
        single = dict(given.rsplit("=", 1) for given in self.encoding if "=" in given)
        general = [given for given in self.encoding if "=" not in given]
        if len(general) > 1:
            raise InputError(
                f"found the encodings {' and '.join(general)} for all files, expected one",
                hint="Name the file for which one is: --encoding FILE=NAME.",
            )
        return (general[0] if general else None), {Path(name).name: value for name, value in single.items()}
