"""Prompts from a file, probes from prompts and targets, and questionnaires that show no target and relation twice.

Probes are dealt like cards. All prompts of one target and relation are dealt one after the other, so with at least as
many questionnaires as a target has prompts, no questionnaire gets two of them. As a person answers more than one
questionnaire, their number is a multiple of the most prompts a target has, the *series*: questionnaires whose numbers
are equal modulo the series share no target and relation either, so whoever stays in one series meets each only once.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from tashika.core.errors import ConfigError, InputError
from tashika.core.settings import read_toml
from tashika.core.suites.semrel.probes import prompt_problem
from tashika.core.suites.semrel.words import BLANK_SLOT, RELATIONS, Relation

Pair = tuple[str, Relation]


def read_prompts(path: Path) -> dict[Relation, list[str]]:
    """Reads a file of prompts: a table [prompts] of lists, by relation.

    Raises:
        ConfigError: The file is missing, names an unknown relation, or holds a prompt in another format, or one twice.
    """
    content = read_toml(path).get("prompts")
    if not isinstance(content, dict) or not content:
        raise ConfigError("found no table [prompts]", where=str(path), hint=f"Relations: {', '.join(RELATIONS)}.")
    unknown = [name for name in content if name not in RELATIONS]
    if unknown:
        raise ConfigError(
            f"unknown relation {unknown[0]!r}, {len(unknown)} of {len(content)}",
            where=str(path),
            hint=f"Relations: {', '.join(RELATIONS)}.",
        )
    return {
        relation: _checked(content[relation], f"{path} {relation}") for relation in RELATIONS if relation in content
    }


def _checked(prompts: Any, where: str) -> list[str]:
    if not isinstance(prompts, list) or not prompts or not all(isinstance(prompt, str) for prompt in prompts):
        raise ConfigError("expected a list of at least one prompt", where=where)
    for prompt in prompts:
        problem = prompt_problem(prompt)
        if problem:
            raise ConfigError(problem, where=where, hint=f"The prompt is {prompt!r}.")
    double = [prompt for prompt in prompts if prompts.count(prompt) > 1]
    if double:
        raise ConfigError(f"the prompt {double[0]!r} stands here {prompts.count(double[0])} times", where=where)
    return [str(prompt) for prompt in prompts]


class Control(NamedTuple):
    """A question whose answer is known: its text with [V] at the end, and every answer that counts."""

    prompt: str
    answers: tuple[str, ...]

    @property
    def text(self) -> str:
        """Up to the blank."""
        return self.prompt.removesuffix(BLANK_SLOT).rstrip()


def read_controls(path: Path) -> list[Control]:
    """Reads control questions: a tab-separated table with `prompt` and `answers`, with | between the answers.

    Raises:
        InputError: The file is missing, has other columns, or a line has no answer or no [V] at its end.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path)) from error
    if not rows:
        raise InputError("the file holds no control question", where=str(path), hint="Columns: prompt, answers.")
    controls = []
    for number, row in enumerate(rows, start=2):
        prompt = (row.get("prompt") or "").strip()
        answers = tuple(word.strip().lower() for word in (row.get("answers") or "").split("|") if word.strip())
        if not prompt.endswith(BLANK_SLOT) or not answers:
            raise InputError(
                f"found the prompt {prompt[:80]!r} with {len(answers)} answers, expected {BLANK_SLOT} at its end and "
                "one answer or more",
                where=f"{path}:{number}",
                hint="Columns: prompt, answers (with | between them).",
            )
        controls.append(Control(prompt, answers))
    return controls


class Probe(NamedTuple):
    """A target in a prompt, and the questionnaire that asks it, from 1."""

    target: str
    relation: Relation
    prompt: str
    questionnaire: int


@dataclass(frozen=True)
class Deal:
    """Probes in questionnaires.

    Attributes:
        probes: In the order in which they were dealt.
        questionnaires: How many there are.
        series: Questionnaires whose numbers are equal modulo this share no target and relation.
    """

    probes: Sequence[Probe]
    questionnaires: int
    series: int


def deal(prompts: Mapping[Pair, Sequence[str]], size: int, seed: int) -> Deal:
    """Deals all probes to questionnaires whose sizes differ by one at most.

    Args:
        prompts: The prompts of each target and relation.
        size: Probes in a questionnaire, at most, unless a target has more prompts than there are questionnaires then.
        seed: Of the order.
    """
    total = sum(len(texts) for texts in prompts.values())
    series = max((len(texts) for texts in prompts.values()), default=1)
    count = series * max(1, ceil(total / (series * size)))
    draw = random.Random(seed)
    pairs = sorted(prompts)
    draw.shuffle(pairs)
    probes: list[Probe] = []
    for target, relation in pairs:
        texts = sorted(prompts[target, relation])
        draw.shuffle(texts)  # else a questionnaire would see the same few prompts again and again
        for text in texts:
            probes.append(Probe(target, relation, text, len(probes) % count + 1))
    return Deal(probes, count, series)


def controls_of(dealt: Deal, controls: Sequence[Control], share: float) -> list[tuple[Control, int]]:
    """The control questions of every questionnaire: (control, questionnaire).

    Each questionnaire gets as many as make up `share` of its questions, one at least. Those of one series take turns,
    so that a person meets a control again as late as can be.

    Args:
        dealt: The questionnaires.
        controls: The questions to choose from.
        share: Of all questions of a questionnaire; 0: no controls.
    """
    if not share or not controls or not dealt.probes:
        return []
    size = ceil(len(dealt.probes) / dealt.questionnaires)
    count = min(len(controls), max(1, round(size * share / (1 - share))))
    questions = []
    for number in range(1, dealt.questionnaires + 1):
        block, lane = divmod(number - 1, dealt.series)
        first = block * count + lane  # another start in each series, so that not all begin alike
        questions += [(controls[(first + place) % len(controls)], number) for place in range(count)]
    return questions


def mixed(rows: Iterable[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """The rows by questionnaire, in each in a random order: how they are shown, controls among probes."""
    keyed = sorted(rows, key=lambda row: (row["questionnaire"], row["item_id"]))
    draw = random.Random(seed)
    places = {row["item_id"]: draw.random() for row in keyed}
    return sorted(keyed, key=lambda row: (row["questionnaire"], places[row["item_id"]]))
