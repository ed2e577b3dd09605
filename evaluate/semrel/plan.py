"""What a call of `tashika evaluate semrel` scores: the source, the shared vocabulary, and a run for each system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tashika.core.errors import InputError
from tashika.core.inputs import build_settings_file, load_settings
from tashika.core.progress import say
from tashika.core.suites.semrel.responses import describe_dropped
from tashika.core.workspace import Workspace
from tashika.evaluate.semrel.asked import Asked
from tashika.evaluate.semrel.frequency import find_frequencies
from tashika.evaluate.semrel.probes import Source, draw_targets, is_released, read_responses, read_source
from tashika.evaluate.semrel.run import Run
from tashika.evaluate.semrel.settings import EvaluateSettings, LookUp
from tashika.evaluate.semrel.vocabulary import SharedVocabulary, find_vocabulary
from tashika.evaluate.systems import How, systems_of

_PLACES: Final = {"release": "release", "items": "build"}


def plan_runs(
    workspace: Workspace,
    models: Sequence[str],
    how: How,
    asked: Asked,
    config: Path | None,
) -> list[Run]:
    """The systems that are to be scored, people first; says what they are scored on.

    Args:
        workspace: The suite's folders.
        models: The models; people alone are scored where none is named.
        how: Where and how exactly they run.
        asked: What they are asked.
        config: The user's settings.

    Raises:
        InputError: There are no people, or a model cannot be used.
    """
    settings = load_settings(workspace, "evaluate", EvaluateSettings, config)
    systems = systems_of(models, workspace, how)
    named = [system.given for system in systems] or list(asked.vocabulary)
    vocabulary = find_vocabulary(workspace, named, released=is_released(workspace))
    if asked.vocabulary and vocabulary is not None and vocabulary.origin != "models":
        hint = f"Leave --vocabulary away: relata are limited by that of the {_PLACES[vocabulary.origin]}."
        raise InputError("found --vocabulary beside a build, which has its own", hint=hint)
    if vocabulary is not None:
        _say_vocabulary(vocabulary)
    look_up = LookUp.of_build(config or build_settings_file(workspace))
    if asked.responses is None:
        source = read_source(workspace)
    else:
        source = read_responses(asked.responses, look_up, vocabulary)
        _say_limits(source)
    frequencies = find_frequencies(settings.frequencies, look_up.wordnet)
    if source.dropped:
        say(f"left out or passed over: {describe_dropped(source.dropped)}")
    source = draw_targets(source, asked.limit, settings.seed)
    runs = [Run.of_people(workspace, source, settings, vocabulary)] if source.people or not models else []
    for system in systems:
        assert vocabulary is not None
        runs.append(Run.of_model(workspace, source, system, settings, vocabulary))
    return [replace(run, frequencies=frequencies) for run in runs]


def _say_vocabulary(vocabulary: SharedVocabulary) -> None:
    origin = {
        "release": "of the release",
        "items": "of the build",
        "models": "of what is named here, since there is no build: the words that are one token in each",
    }[vocabulary.origin]
    left = {name.replace("_", " "): count for name, count in vocabulary.dropped.items()}
    beside = f" (left out: {describe_dropped(left)})" if left else ""
    say(f"shared vocabulary {origin}: {len(vocabulary.words):,} words{beside}")


def _say_limits(source: Source) -> None:
    """Says which vocabulary limits a response file's relata, since people's numbers depend on it too."""
    if source.limits is None:
        say(
            "relata: all of them, also words that no model can answer: people's numbers are not comparable with those "
            "beside models. There is no build, nor a model, whose vocabulary limits them; --vocabulary NAME does"
        )
    elif source.limits.origin == "models":
        say(
            f"relata: limited to the vocabulary {source.limits_mark} of the models named here; people's numbers are on "
            "these, and others with other models"
        )
    else:
        say(f"relata: limited to the vocabulary of the {_PLACES[source.limits.origin]}")
