"""Semantic relations through one system, a model or the people: its answers to every probe, and its numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tashika.core.errors import InputError
from tashika.core.files import read_grown_table, remove_leftovers, write_batches
from tashika.core.model_size import count_parameters
from tashika.core.models import load_tokenizer
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.metrics import SystemInfo
from tashika.evaluate.runs import LOCAL_LIBRARIES, forget, measure, predict, versions
from tashika.evaluate.semrel.answers import ANSWERS, PEOPLE_ANSWERS
from tashika.evaluate.semrel.breakdown import BREAKDOWN_VERSION, by_frequency, by_prompt, by_vocabulary
from tashika.evaluate.semrel.frequency import Frequencies
from tashika.evaluate.semrel.metrics import MEASURE_VERSION, scored_probes
from tashika.evaluate.semrel.metrics import measure as numbers
from tashika.evaluate.semrel.metrics_model import AskedLengths, AskedTargets, Coverage, Reading, SemRelMetrics
from tashika.evaluate.semrel.probes import Source
from tashika.evaluate.semrel.recipe import ProbeRecipe
from tashika.evaluate.semrel.settings import EvaluateSettings
from tashika.evaluate.semrel.vocabulary import SharedVocabulary, answerable
from tashika.evaluate.systems import System

PEOPLE: Final = "people"


@dataclass(frozen=True)
class Run:
    """One system on one source, or on a sample of it.

    Attributes:
        workspace: Where the files lie.
        source: What it is asked.
        system: A model on this machine, or the people.
        settings: The section [evaluate].
        vocabulary: The shared vocabulary; None where there is none, for people alone.
        frequencies: How often targets are used; None where nobody knows.
    """

    workspace: Workspace
    source: Source
    system: System
    settings: EvaluateSettings
    vocabulary: SharedVocabulary | None
    frequencies: Frequencies | None = None

    @classmethod
    def of_model(
        cls,
        workspace: Workspace,
        source: Source,
        system: System,
        settings: EvaluateSettings,
        vocabulary: SharedVocabulary,
    ) -> Run:
        """A model's run, checked as far as that goes without loading weights.

        Raises:
            InputError: The model's tokenizer splits every word or every target.
        """
        run = cls(workspace, source, system, settings, vocabulary)
        run.coverage()
        return run

    @classmethod
    def of_people(
        cls, workspace: Workspace, source: Source, settings: EvaluateSettings, vocabulary: SharedVocabulary | None
    ) -> Run:
        """The people's run.

        Raises:
            InputError: There are no people.
        """
        if source.people is None:
            raise InputError(
                "there are no answers of people to score",
                where=str(workspace.annotation / "responses.parquet"),
                hint="Pull them with `tashika annotate pull semrel`, or give a published file with --responses.",
            )
        who = source.people.annotators
        note = f"answered by {who.description}" if who and who.simulated else None
        system = System(PEOPLE, who.name if who else PEOPLE, PEOPLE, source.people.digest, note=note)
        return cls(workspace, source, system, settings, vocabulary)

    @property
    def of_a_model(self) -> bool:
        """Whether the system is a model; people need no vocabulary, no device and no weights."""
        return self.system.kind != PEOPLE

    @property
    def folder(self) -> Path:
        """Where answers and numbers lie: another folder for whatever must not take their place."""
        parts = []
        if self.source.origin == "responses":
            stem = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(self.source.name).stem).strip("-.")
            parts += [stem or "responses", self.source.limits_mark]
        if self.source.drawn is not None:
            parts.append(f"{self.source.drawn[0]}-targets")
        if self.of_a_model:
            return self.workspace.evaluate / self.system.folder(*parts)
        return self.workspace.evaluate / "-".join(part for part in (PEOPLE, *parts) if part)  # whatever they are called

    def keys(self) -> dict[str, Any]:
        """What answers depend on, as plain values."""
        people = self.source.people.digest if self.source.people is not None else None
        shared = {"system": self.system.describe(), "probes": self.source.probes_digest, "people": people}
        if not self.of_a_model:
            return {**shared, "votes": self.votes_digest}
        assert self.vocabulary is not None
        reading = {"k": self.settings.k, **self._reading()}
        return {**shared, "reading": reading, "vocabulary": self.vocabulary.digest, "engine": ENGINE_VERSION}

    @property
    def votes_digest(self) -> str | None:
        """Of people's lists with the order of their ties, on which models' answers do not depend."""
        return self.source.people.votes_digest if self.source.people is not None else None

    @property
    def schema(self) -> pa.Schema:
        """Of the answers."""
        return ANSWERS if self.of_a_model else PEOPLE_ANSWERS

    def _reading(self) -> dict[str, str]:
        """How a model's answers are read, beside k; nothing for people."""
        if not self.of_a_model:
            return {}
        ending = self.settings.ending if self.system.kind == "masked" else ""
        settings = self.settings
        return {"ending": ending, "split_targets": settings.split_targets, "vocabulary": settings.vocabulary}

    def reading(self) -> Reading:
        """How answers are read, for `metrics.json`."""
        asked = {probe.item_id for probe in self.source.probes}
        answered = len(asked & set(self.source.people.lists)) if self.source.people is not None else 0
        k = AskedLengths(of_people=answered, of_the_setting=len(asked) - answered, setting=self.settings.k)
        return Reading(k=k, **self._reading())

    def coverage(self) -> Coverage | None:
        """The words and targets that the model's tokenizer has as one token; None for people.

        Raises:
            InputError: It has none of them as one token.
        """
        if not self.of_a_model:
            return None
        assert self.vocabulary is not None
        words, targets = answerable(
            load_tokenizer(self.system.given),
            self.vocabulary.words,
            self.source.targets,
            self.settings.split_targets,
            self.system.given,
        )
        return words.coverage(self.source.relata_words, AskedTargets(asked=len(targets), of=len(self.source.targets)))

    def lengths(self) -> tuple[int, ...]:
        """K of each probe: the length of people's list, or the setting where there is none (paper, section 3.3)."""
        lists = self.source.people.lists if self.source.people is not None else {}
        return tuple(len(lists.get(probe.item_id, ())) or self.settings.k for probe in self.source.probes)

    def recipe(self) -> ProbeRecipe:
        """What a model scores: every probe."""
        system, settings = self.system, self.settings
        assert self.vocabulary is not None
        assert system.device is not None
        assert system.dtype is not None
        return ProbeRecipe(
            system.given,
            "masked" if system.kind == "masked" else "causal",
            system.device,
            system.dtype,
            self.source.probes,
            self.lengths(),
            self.vocabulary.words,
            settings.split_targets,
            settings.ending,
            settings.vocabulary,
            settings.chunk,
            settings.batch_tokens or None,
        )

    def stage(self) -> Stage:
        """The answers."""
        return Stage("answers", self.folder, (), self.keys(), [self.folder / "answers.parquet"])

    def people_answers(self) -> pa.Table | None:
        """The people's answers to the probes at hand; None where there are none."""
        people = self.source.people
        return None if people is None else people.table(self.source.probes)


def evaluate_system(run: Run) -> SemRelMetrics:
    """Scores one system: `answers.parquet` and `metrics.json` in its folder; the latter's content is returned.

    What was done before is not done again; an interrupted run resumes.
    """
    stage = run.stage()
    [target] = stage.outputs
    stage.run(lambda: _answer(run, stage), what=f"{run.folder.name}, answers")
    if run.of_a_model:
        forget(stage, run.recipe())
    settings = {
        **run.keys(),
        "source": run.source.describe().model_dump(),
        "relata": run.source.relata_digest,
        "measuring": {**vars(run.settings.measuring()), "version": MEASURE_VERSION},
        "vocabulary": run.vocabulary.digest if run.vocabulary else None,
        "votes": run.votes_digest,
        "breakdown": BREAKDOWN_VERSION,
        "frequencies": run.frequencies.digest(run.source.targets) if run.frequencies else None,
    }
    scoring = Stage("metrics", run.folder, [target], settings, [run.folder / "metrics.json"])
    return measure(scoring, lambda: _measured(run, target), SemRelMetrics, _counts, f"{run.folder.name}, scores")


def _answer(run: Run, stage: Stage) -> Mapping[str, Any]:
    """Writes the answers."""
    [target] = stage.outputs
    if run.of_a_model:
        predict(stage, run.recipe(), run.system, f"{run.folder.name}, probes")
    else:
        answers = run.people_answers()
        assert answers is not None
        remove_leftovers(target)
        write_batches(target, answers.to_batches(), run.schema)
    answered = read_grown_table(target, run.schema)
    problems = Counter(str(problem) for problem in answered["problem"].drop_null().to_pylist())
    asked = len(run.source.probes)
    return {"probes": asked, "answered": asked - problems.total(), "problems": dict(problems)}


def _measured(run: Run, target: Path) -> SemRelMetrics:
    people = run.people_answers() if run.of_a_model else None
    table, relata, measuring = read_grown_table(target, run.schema), run.source.relata, run.settings.measuring()
    measured = numbers(table, relata, measuring, people)
    scored = scored_probes(table, relata, measuring)
    targets = run.source.targets
    return SemRelMetrics(
        **dict(measured),
        model=SystemInfo(**run.system.describe(), parameters=run.system.parameters),
        source=run.source.describe(),
        reading=run.reading(),
        vocabulary=run.vocabulary and run.vocabulary.describe(),
        coverage=run.coverage(),
        versions=versions(*(LOCAL_LIBRARIES if run.of_a_model else ())),
        parameters=count_parameters(run.system.given) if run.of_a_model else None,
        vocabularies=by_vocabulary(table, relata, run.vocabulary.words if run.vocabulary else (), measuring),
        by_prompt=by_prompt(scored, measuring),
        by_frequency=run.frequencies and by_frequency(scored, targets, run.frequencies, measuring),
    )


def _counts(metrics: SemRelMetrics) -> Mapping[str, int]:
    return {"probes": metrics.n, "answered": metrics.answered, "scored": metrics.scored, "targets": metrics.targets}
