"""The stages that make KUCI's items: basic events, candidates, pairs, and questions of those that people accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tashika.builders.kuci.analysis.analyzers import KEYS, RULES, open_analyzer
from tashika.builders.kuci.analysis.devices import check_device, cuda_devices, is_cuda
from tashika.builders.kuci.analysis.knp.file import read_blocks, require_clauses
from tashika.builders.kuci.analysis.shards import Outcome, Scale, report_failures, run_shards, write_failures
from tashika.builders.kuci.analysis.work import Input, Job
from tashika.builders.kuci.basic_trial import build_samples, summarise_trial
from tashika.builders.kuci.candidates import Candidates, read_candidates, write_candidates_table
from tashika.builders.kuci.corpus import corpus_files, is_analysed, reading, require_named
from tashika.builders.kuci.counting import Counting
from tashika.builders.kuci.events.basic_events import BasicEvents, CountEvents, frequent_events, refuse_same_text
from tashika.builders.kuci.events.case_frames import read_case_frames
from tashika.builders.kuci.judged import build_judged
from tashika.builders.kuci.packaged import packaged_frames, packaged_text
from tashika.builders.kuci.pairs import FIRST_STEP, select
from tashika.builders.kuci.questions.questions import questions, say_empty_parts
from tashika.builders.kuci.questions.word_vectors import open_vectors
from tashika.builders.kuci.rows import SUITE, VERSION, Row, pair_row, question_row
from tashika.builders.kuci.settings import BuildSettings
from tashika.builders.kuci.statistics import statistics
from tashika.builders.kuci.text.extent import Extent, extent_of
from tashika.builders.kuci.text.files import TextFile
from tashika.builders.kuci.text.places import expand, names_of
from tashika.builders.kuci.text.sentences import BLANK, NO_SENTENCE, REPEATED, read_sentences
from tashika.core.errors import InputError
from tashika.core.files import hash_file, hash_value, read_json, replacing, write_json, write_rows
from tashika.core.progress import say
from tashika.core.records import item_schema
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace

UNCONFIRMED: Final = "candidate pairs that nobody confirmed"
"""A source of questions that are a preview."""

VECTORS_PACKAGE: Final = "ja-ginza"

_PACKAGES: Final = {
    "ginza": ("ginza", "ja-ginza", "spacy", "SudachiPy", "SudachiDict-core"),
    "knp": ("pyknp",),
    "knp-file": ("pyknp",),
}
"""What an analysis depends on, by backend."""


@dataclass
class Kuci:
    """The builder of one workspace.

    Attributes:
        workspace: Where the items go.
        settings: How they are made.
        text: The files, folders and patterns that pairs come from: text, or KNP's output for the backend knp-file.
        events: What is known of the basic events, once they are made.
        analysed: What is known of the text, once it is analysed.
    """

    workspace: Workspace
    settings: BuildSettings
    text: tuple[Path, ...] = ()
    events: Mapping[str, Any] = field(default_factory=dict, init=False)
    analysed: Mapping[str, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.text = expand(self.text) or packaged_text(self.settings.packaged)

    @property
    def has_events(self) -> bool:
        """Whether there is something to take basic events from: the packaged text is no output of KNP."""
        events = self.settings.events
        return bool(events.case_frames or events.frames) or self.settings.analyzer.backend != "knp-file"

    @property
    def frames(self) -> tuple[Path, ...]:
        """The files that basic events are counted in; none if there are case frames.

        Raises:
            InputError: They must be KNP's output, and none is named.
        """
        events = self.settings.events
        if events.case_frames:
            return ()
        if not self.has_events:
            raise InputError(
                "with KNP's output as the text there is nothing to count basic events in",
                hint="Give --case-frames FILE, or KNP's output of other text: --frames FILE. "
                "With --pairs-only neither is needed: pairs.tsv then has every relation found.",
            )
        return expand(map(Path, events.frames)) or packaged_frames(self.settings.packaged)

    @property
    def borrows_events(self) -> bool:
        """Whether pairs come from text of the user's own, and basic events from the packaged one."""
        own = set(packaged_text("all")).isdisjoint(self.text)
        return own and not is_analysed(self.settings) and not set(packaged_frames("all")).isdisjoint(self.frames)

    @property
    def events_file(self) -> Path:
        """The basic events."""
        return self.workspace.items / "basic-events.parquet"

    @property
    def candidates_file(self) -> Path:
        """Every relation found."""
        return self.workspace.items / "candidates.parquet"

    @property
    def table_file(self) -> Path:
        """Every relation found, for people to read."""
        return self.workspace.items / "pairs.tsv"

    @property
    def text_failures_file(self) -> Path:
        """What could not be read or analysed of the text."""
        return self.workspace.items / "text-failures.tsv"

    @property
    def event_failures_file(self) -> Path:
        """What could not be read or analysed of the case frames, or of the text that basic events are counted in."""
        return self.workspace.items / "basic-events-failures.tsv"

    @property
    def failures_file(self) -> Path:
        """All that could not be read or analysed."""
        return self.workspace.items / "failures.tsv"

    @property
    def funnel_file(self) -> Path:
        """How many candidates each step leaves."""
        return self.workspace.items / "funnel.json"

    @property
    def statistics_file(self) -> Path:
        """What was made, in numbers."""
        return self.workspace.items / "statistics.json"

    @property
    def scale(self) -> Scale:
        """How the analysis is spread."""
        settings = self.settings
        devices = cuda_devices(settings.device) if settings.engine == "local" else ()
        return Scale(
            settings.engine, settings.workers or None, settings.shard, cuda=is_cuda(settings.device), devices=devices
        )

    def check(self) -> None:
        """Finds what is wrong with the files before the long part begins.

        Raises:
            InputError: A file is missing, the format of word vectors is unknown, or basic events would be counted
                in the text that the pairs come from.
        """
        case_frames = self.settings.events.case_frames
        self.check_text()
        _check_files((*self.frames, *([Path(case_frames)] if case_frames else [])))
        vectors = self.settings.questions.vectors
        if vectors:
            from tashika.builders.kuci.questions.word_vectors import check_vectors

            check_vectors(Path(vectors))
        refuse_same_text(self.files(self.frames), self.files(self.text))

    def check_text(self) -> None:
        """Finds what is wrong with the files that pairs come from.

        Raises:
            InputError: One is missing, or named twice; or it is no text, or not in the encoding that is given; or the
                device cannot be used.
            OutsideError: What spaCy needs for the device is not installed.
        """
        check_device(self.settings.device, self.settings.engine, self.settings.analyzer.backend)
        _check_files(self.text)
        if is_analysed(self.settings):
            names_of(self.text)
            require_clauses(self.text)
        else:
            require_named(self.settings.text.encodings, [*self.text, *self.frames])
            self.files(self.text)
            self.files(self.frames)

    def build_pairs(self) -> None:
        """All stages up to the pairs, of files that `check` took; what is done is not done again."""
        self.events = self.build_events()
        self.analysed = self.build_candidates()
        self.select_pairs(self.analysed)

    def build_relations(self) -> None:
        """The relations in the text that `check_text` took alone: there are no basic events to recognise pairs by."""
        self.analysed = self.build_candidates()

    # --- basic events

    def build_events(self) -> Mapping[str, Any]:
        """Case frames, or other text -> items/basic-events.parquet, basic-events-failures.tsv."""
        events = self.settings.events
        inputs = [Path(events.case_frames)] if events.case_frames else list(self.frames)
        chosen = {"shares"} if events.case_frames else {"floor"}
        stage = Stage(
            "build-events",
            self.workspace.items,
            inputs=inputs,
            settings={"builder": VERSION, **events.model_dump(mode="json", include=chosen), **self.analysis(inputs)},
            outputs=[self.events_file, self.event_failures_file],
        )
        return self._counts(stage.run(self._events, what="basic events"))

    def _events(self) -> Mapping[str, Any]:
        events = self.settings.events
        if events.case_frames:
            summary = ""
            basic = read_case_frames(Path(events.case_frames), events.shares)
            write_failures(self.event_failures_file, basic.failures)
            for failure in basic.failures:
                say(f"{failure.sid}: {failure.reason}")
        else:
            table, summary = self.counting.counted(self.frames)
            source = ", ".join(names_of(self.frames).values())
            basic = frequent_events([table], keys=self._keys, source=source, floor=events.floor)
        basic.require(self._keys)
        if not len(basic):
            raise InputError("there is no basic event in it", where=basic.source, hint=summary)
        basic.save(self.events_file)
        return basic.statistics()

    @property
    def counting(self) -> Counting:
        """How the events of text are counted."""
        run = partial(self._run, job=CountEvents(), what="basic events")
        return Counting(self.workspace.items, self.event_failures_file, {"builder": VERSION}, self.analysis, run)

    # --- candidates

    def build_candidates(self) -> Mapping[str, Any]:
        """The text -> items/candidates.parquet, pairs.tsv, text-failures.tsv."""
        stage = Stage(
            "build-candidates",
            self.workspace.items,
            inputs=self.text,
            settings={"builder": VERSION, **self.analysis(self.text)},
            outputs=[self.candidates_file, self.table_file, self.text_failures_file],
        )
        return self._counts(stage.run(self._candidates, what="candidates"))

    def _candidates(self) -> Mapping[str, Any]:
        skipped: Counter[str] = Counter()
        outcome = self._run(self.text, Candidates(), "candidates", skipped)
        count = outcome.write(self.candidates_file)
        write_candidates_table(self.table_file, read_candidates(self.candidates_file))
        failures = write_failures(self.text_failures_file, outcome.failures())
        report_failures(failures, outcome)
        outcome.forget()
        return {
            "sentences": outcome.counts.sentences,
            **{reason: skipped[reason] for reason in (BLANK, REPEATED, NO_SENTENCE)},
            "failures": failures,
            "candidates": count,
            "reasons": dict(sorted(outcome.counts.failures.items())),
            "speed": asdict(outcome.speed),  # of this run, which may have found shards of an earlier one
        }

    def _run(self, paths: tuple[Path, ...], job: Job, what: str, skipped: Counter[str] | None = None) -> Outcome:
        analyzer = self.settings.analyzer
        extent = None if is_analysed(self.settings) else extent_of(self.files(paths))
        return run_shards(
            self._inputs(paths, skipped, extent),
            job,
            partial(open_analyzer, analyzer.backend, analyzer, cuda=is_cuda(self.settings.device)),
            self.workspace.items / "shards",
            settings=self.analysis(paths),
            scale=self.scale,
            what=what,
            share=None if extent is None else lambda: extent.share,
        )

    def _inputs(
        self, paths: tuple[Path, ...], skipped: Counter[str] | None, extent: Extent | None = None
    ) -> Iterator[Input]:
        if is_analysed(self.settings):
            for path, name in names_of(paths).items():
                yield from read_blocks(path, name)
        else:
            yield from read_sentences(self.files(paths), self.settings.text, skipped, extent)

    def files(self, paths: Sequence[Path]) -> tuple[TextFile, ...]:
        """Files of text with their formats, encodings and fields."""
        return corpus_files(paths, self.settings, {*packaged_text("all"), *packaged_frames("all")})

    def analysis(self, paths: Sequence[Path]) -> dict[str, Any]:
        """What the analysis of a text depends on, beside the text."""
        return {
            "text": reading(self.files(paths), self.settings),
            "analyzer": self.settings.analyzer.model_dump(mode="json"),
            "rules": RULES[self.settings.analyzer.backend],
            "versions": dict(self._versions),
        }

    @cached_property
    def _versions(self) -> tuple[tuple[str, str | None], ...]:
        return tuple((name, _version(name)) for name in _PACKAGES[self.settings.analyzer.backend])

    @property
    def _keys(self) -> str:
        return KEYS[self.settings.analyzer.backend]

    # --- pairs

    def select_pairs(self, analysed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Candidates and basic events -> items/pair.parquet, funnel.json, failures.tsv.

        Args:
            analysed: The counts that `build_candidates` returns.
        """
        names = ("sentences", BLANK, REPEATED, NO_SENTENCE, "failures", "reasons")
        texts = {name: analysed[name] for name in names}
        stage = Stage(
            "build-pairs",
            self.workspace.items,
            inputs=[
                self.candidates_file,
                self.events_file,
                self.text_failures_file,
                self.event_failures_file,
                *self.text,
            ],
            settings={
                "builder": VERSION,
                "forms": "1",  # pairs without the columns that `forms` makes are made again
                "filters": self.settings.filters.model_dump(mode="json"),
                "backend": self.settings.analyzer.backend,
                "versions": dict(self._versions),
                "text": texts,
            },
            outputs=[self.workspace.item_file("pair"), self.funnel_file, self.failures_file],
        )
        return self._counts(stage.run(lambda: self._pairs(texts), what="pairs"))

    def _pairs(self, texts: Mapping[str, Any]) -> Mapping[str, Any]:
        events = BasicEvents.load(self.events_file)
        events.require(self._keys)
        selection = select(read_candidates(self.candidates_file), events, self.settings.filters)
        sources = self._sources(events)
        backend = self.settings.analyzer.backend
        rows = (pair_row(pair, backend, sources(pair.row["sid"])) for pair in selection.pairs)
        count = write_rows(self.workspace.item_file("pair"), rows, item_schema(SUITE, "pair"))
        funnel = selection.funnel()
        write_json(self.funnel_file, {"text": texts, **funnel})
        self._write_failures()
        return {"candidates": selection.steps[FIRST_STEP], "pairs": count, "borrowed": funnel["borrowed"]}

    def _write_failures(self) -> None:
        """Those of the text, then those of what basic events come from."""
        with replacing(self.failures_file) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
            for path, left_out in ((self.text_failures_file, 0), (self.event_failures_file, 1)):
                with path.open(encoding="utf-8", newline="\n") as one:
                    file.writelines(islice(one, left_out, None))  # one head is enough

    def _sources(self, events: BasicEvents) -> Callable[[str], Sequence[tuple[str, str | None]]]:
        """What a pair comes from, by its sentence's id: the text, the analyser, the basic events."""
        revisions = {name: hash_file(path) for path, name in names_of(self.text).items()}
        everything = (", ".join(revisions) if len(revisions) < 4 else f"{len(revisions)} files"), hash_value(revisions)
        others = (*self._versions, (f"basic events: {events.source}", hash_file(self.events_file)))

        def sources(sid: str) -> Sequence[tuple[str, str | None]]:
            name = sid.rpartition(":")[0]
            return ((name, revisions[name]) if name in revisions else everything, *others)

        return sources

    # --- questions

    def accepted(self) -> list[Row] | None:
        """The pairs that people accepted; None before there are verdicts on any of them."""
        if not self.workspace.verdict_file.exists():
            return None
        verdicts = self.workspace.read_verdicts().select(["item_id", "kind", "decision"]).to_pylist()
        decisions = {verdict["item_id"]: verdict["decision"] for verdict in verdicts if verdict["kind"] == "pair"}
        pairs = self.workspace.read_items("pair").to_pylist()
        if not any(pair["item_id"] in decisions for pair in pairs):
            return None
        return [pair for pair in pairs if decisions.get(pair["item_id"]) == "accepted"]

    def build_questions(self, pairs: Sequence[Row], *, confirmed: bool) -> Mapping[str, Any]:
        """Pairs -> items/question.parquet, and fit.parquet.

        Args:
            pairs: Rows of the kind "pair".
            confirmed: Whether people accepted them.

        Raises:
            InputError: Not a single question can be made of them.
        """
        settings = self.settings.questions
        vectors = [Path(settings.vectors)] if settings.vectors else []
        stage = Stage(
            "build-questions",
            self.workspace.items,
            inputs=[self.workspace.item_file("pair"), *vectors],
            settings={
                "builder": VERSION,
                "confirmed": confirmed,
                "pairs": hash_value(sorted(one["item_id"] for one in pairs)),
                "questions": settings.model_dump(mode="json", exclude={"block", "vectors"}),
                "vectors": "" if vectors else f"{VECTORS_PACKAGE} {_version(VECTORS_PACKAGE)}",
            },
            outputs=[self.workspace.item_file("question")],
        )
        counts = self._counts(stage.run(lambda: self._questions(pairs, confirmed), what="questions"))
        build_judged(self.workspace, self.settings.judged)
        return counts

    def try_basic(self) -> dict[str, Any]:
        """Draws the samples by which the condition Basic is tried, and sums up what people made of them."""
        files = (self.candidates_file, self.events_file)
        of = build_samples(self.workspace, files, self.settings.filters, self.settings.basic_trial)
        return summarise_trial(self.workspace, of)

    def _questions(self, pairs: Sequence[Row], confirmed: bool) -> Mapping[str, Any]:
        settings = self.settings.questions
        vectors = open_vectors(Path(settings.vectors) if settings.vectors else None)
        made, counts = questions(pairs, vectors, settings)
        if not made:
            raise InputError(
                f"no question can be made of {len(pairs):,} pairs: {counts}",
                hint="A question needs three other pairs whose consequents meet its conditions. Give more text, or "
                "count basic events in more of it (--frames FILE).",
            )
        say_empty_parts(made)
        sources = [(vectors.name, vectors.revision), *([] if confirmed else [(UNCONFIRMED, None)])]
        rows = (question_row(one, sources) for one in made)
        write_rows(self.workspace.item_file("question"), rows, item_schema(SUITE, "question"))
        return {**counts, "confirmed": confirmed, "vectors": vectors.describe()}

    # --- statistics

    def write_statistics(self, made: Mapping[str, Any] | None) -> dict[str, Any]:
        """What was made -> items/statistics.json.

        Args:
            made: The counts that `build_questions` returns; None if there are no questions yet.
        """
        numbers = statistics(
            self.workspace.read_items("pair"),
            self.workspace.read_items("question") if made else None,
            funnel=read_json(self.funnel_file),
            analysed=self.analysed,
            events=self.events,
            made=made,
        )
        write_json(self.statistics_file, numbers)
        return numbers

    @staticmethod
    def _counts(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
        counts: Mapping[str, Any] = manifest["counts"]
        return counts


def _check_files(paths: Sequence[Path]) -> None:
    for path in paths:
        if not path.is_file():
            problem = "found a folder, expected a file" if path.is_dir() else "there is no such file"
            raise InputError(problem, where=str(path))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None  # the analyser itself reports what is missing
