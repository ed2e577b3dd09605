"""People's answers to probes: the published response file, and how an answer is read and ranked.

Source: Cao, Yamada and Tokunaga, section 3.3. The file is an object of targets; a target is an object of relations (the
keys `PUBLISHED_KEYS`), a relation one of prompts, and a prompt a list with one list of words for each person. Who
answered is not told: the lists of two probes at the same position need not be by the same person.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.semrel import BLANK_SLOT, PUBLISHED_KEYS, TARGET_SLOT, Relation

LONGEST_WORDS: Final = 10
LONGEST_CHARACTERS: Final = 200
"""An answer is a word or a short phrase; what is longer was not meant to fill the blank."""

MOST_ANSWERS: Final = 20
"""Answers of one person to one probe; the published ones have up to five."""

_BETWEEN = re.compile("[\\n\\r\u2028,;，；、]+")
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
_ARTICLE = re.compile(r"^(?:a|an|the)\s+")
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
                    yield from _of_probe((target, PUBLISHED_KEYS[key], prompt), people, dropped)


def _of_probe(probe: ProbeKey, people: Any, dropped: Counter[str]) -> Iterator[PublishedResponse]:
    prompt = probe[2]
    if prompt.count(TARGET_SLOT) != 1 or prompt.count(BLANK_SLOT) != 1 or not prompt.endswith(BLANK_SLOT):
        dropped[f"probes without {TARGET_SLOT} once and {BLANK_SLOT} at the end"] += 1
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


def split_answers(text: str) -> list[str]:
    """The answers in a text: what stands on lines of its own or between commas or semicolons, blanks left out."""
    return [part.strip() for part in _BETWEEN.split(text) if part.strip()]


def sound_answers(answers: Sequence[str], dropped: Counter[str]) -> list[str]:
    """The answers of one person to one probe that are some; what is left out is counted in `dropped`."""
    if len(answers) > MOST_ANSWERS:
        dropped[f"people with more than {MOST_ANSWERS} answers to a probe"] += 1
        return []
    problems = [answer_problem(answer) for answer in answers]
    dropped.update(f"answers {problem}" for problem in problems if problem)
    return [answer for answer, problem in zip(answers, problems, strict=True) if not problem]


def answer_problem(raw: str) -> str | None:
    """Why a text is no answer, to be read after "answers"; None for one that is."""
    text = unicodedata.normalize("NFKC", raw)
    if not text.strip():
        return "that are empty"
    if len(text.split()) > LONGEST_WORDS or len(text) > LONGEST_CHARACTERS:
        return f"of more than {LONGEST_WORDS} words or {LONGEST_CHARACTERS} characters"
    if not any(character.isalnum() for character in text):
        return "without a letter"
    return None


def read_answer(raw: str, lemma: Callable[[str], str]) -> str:
    """An answer in the form in which answers are counted and compared with words.

    The rule, in this order: Unicode's NFKC; lower case; whatever is no letter or digit off both ends; one leading
    article (a, an, the) off; single spaces between words; the last word, which is the head of an English noun phrase,
    replaced by its lemma.

    Args:
        raw: As it was typed.
        lemma: The lemma of a noun, or the word itself; WordNet's is `core.wordnet.WordNet.lemma`.

    Returns:
        The answer; empty for a text without a letter or digit.
    """
    text = _ENDS.sub("", unicodedata.normalize("NFKC", raw).lower())
    text = _ENDS.sub("", _ARTICLE.sub("", text))
    *before, head = text.split() or [""]
    return " ".join([*before, lemma(head)]) if head else ""


def ranked(answers_by_person: Iterable[Iterable[str]]) -> list[str]:
    """The answers to one probe, the most frequent first, ties in alphabetical order.

    The frequency is the number of people who gave the answer: a word that one person repeats counts once.

    Args:
        answers_by_person: Each person's answers, as `read_answer` reads them; empty ones do not count.
    """
    people_with = Counter(answer for answers in answers_by_person for answer in set(answers) if answer)
    return sorted(people_with, key=lambda answer: (-people_with[answer], answer))
