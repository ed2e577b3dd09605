"""People's answers to probes: the published response file, and how an answer is read and ranked.

Source: Cao, Yamada and Tokunaga, section 3.3. The file is an object of targets; a target is an object of relations (the
keys `PUBLISHED_KEYS`), a relation one of prompts, and a prompt a list with one list of words for each person. Who
answered is not known: the lists of two probes at the same position need not be by the same person.

An older version of the file has {0} and {1} for the slots, and "the" for the article: "the {0} is the {1}". It is read
as what the newer one has in its place, "[DET] [W] is [DET] [V]", so that both give the same probes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tashika.core.answers import sound_answers, split_answers
from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.suites.semrel.words import BLANK_SLOT, OLDER_SLOTS, PUBLISHED_KEYS, TARGET_SLOT, Relation

_OLDER: Final = re.compile(r"\{[01]\}")

_FORM = "Expected target -> relation (hyp, rhyp, ...) -> prompt -> one list of words for each person."

ProbeKey = tuple[str, Relation, str]
"""Target, relation and prompt."""


@dataclass(frozen=True)
class PublishedResponse:
    """What one person answered to one probe.

    Attributes:
        target: The target word.
        relation: What the prompt asks for.
        prompt: With [W], and [V] at its end.
        person: The position among those who answered this probe, from 1; over probes it names nobody.
        answers: As they were typed, in their order; at least one.
    """

    target: str
    relation: Relation
    prompt: str
    person: int
    answers: tuple[str, ...]

    @property
    def probe(self) -> ProbeKey:
        """What makes the probe this one and no other."""
        return self.target, self.relation, self.prompt


@dataclass(frozen=True)
class ResponseFile:
    """The content of a response file.

    Attributes:
        responses: In the file's order.
        dropped: What was left out, a phrase that says what and why, and how many of it.
    """

    responses: Sequence[PublishedResponse]
    dropped: Mapping[str, int]

    def by_probe(self) -> dict[ProbeKey, list[tuple[str, ...]]]:
        """The answers of each probe, one tuple a person, in the file's order."""
        found: dict[ProbeKey, list[tuple[str, ...]]] = {}
        for response in self.responses:
            found.setdefault(response.probe, []).append(response.answers)
        return found


def read_response_file(path: Path) -> ResponseFile:
    """Reads a published response file, leaving out what is no answer.

    Raises:
        InputError: The file is missing, not JSON, or nothing of the kind; or nothing is left of it.
    """
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputError(f"found a JSON {type(content).__name__}, expected an object", where=str(path), hint=_FORM)
    dropped: Counter[str] = Counter()
    responses = list(_responses(content, dropped))
    if not responses:
        why = f"it has no answers; left out: {describe_dropped(dropped)}" if dropped else "it has no answers"
        raise InputError(why, where=str(path), hint=_FORM)
    return ResponseFile(responses, dict(sorted(dropped.items())))


def describe_dropped(dropped: Mapping[str, int]) -> str:
    """What was left out, in one line."""
    return "; ".join(f"{count:,} {what}" for what, count in sorted(dropped.items()))


def _responses(content: dict[str, Any], dropped: Counter[str]) -> Iterator[PublishedResponse]:
    for target, relations in content.items():
        if not target.strip() or not isinstance(relations, dict):
            dropped["targets that are blank or have no object of relations"] += 1
            continue
        for key, prompts in relations.items():
            if key not in PUBLISHED_KEYS:
                dropped[f"probes of the unknown relation {key!r}"] += len(prompts) if isinstance(prompts, dict) else 1
            elif not isinstance(prompts, dict):
                dropped["relations of a target that are no object of prompts"] += 1
            else:
                for prompt, people in prompts.items():
                    yield from _of_probe((target, PUBLISHED_KEYS[key], _in_our_slots(prompt)), people, dropped)


def _in_our_slots(prompt: str) -> str:
    """A prompt of the older version as the newer one has it; any other as it is."""
    if _OLDER.search(prompt):
        for older, newer in OLDER_SLOTS:
            prompt = re.sub(older, newer, prompt)
    return prompt


def _of_probe(probe: ProbeKey, people: Any, dropped: Counter[str]) -> Iterator[PublishedResponse]:
    prompt = probe[2]
    if prompt.count(TARGET_SLOT) != 1 or prompt.count(BLANK_SLOT) != 1 or not prompt.endswith(BLANK_SLOT):
        dropped[f"probes without {TARGET_SLOT} once and {BLANK_SLOT} at the end (or, as of old, {{0}} and {{1}})"] += 1
    elif not isinstance(people, list) or not people:
        dropped["probes without a list of people"] += 1
    else:
        for position, answers in enumerate(people, start=1):
            sound = tuple(_sound(answers, dropped))
            if sound:
                yield PublishedResponse(*probe, position, sound)


def _sound(answers: Any, dropped: Counter[str]) -> Iterator[str]:
    """The answers of one person that are some."""
    if not isinstance(answers, list):
        dropped["people whose answers are no list"] += 1
    elif not answers:
        dropped["people without an answer"] += 1
    else:
        texts = [answer for answer in answers if isinstance(answer, str)]
        if len(texts) < len(answers):
            dropped["answers that are no text"] += len(answers) - len(texts)
        for text in texts:
            parts = split_answers(text)
            if not parts:
                dropped["answers that are empty"] += 1
        yield from sound_answers([part for text in texts for part in split_answers(text)], dropped)
