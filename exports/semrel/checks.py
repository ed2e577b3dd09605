"""What must hold of a release of semantic relations, beside what holds of every release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tashika.core.answers import answers_by_person, people_with
from tashika.core.suites.semrel.probes import probe_text, prompt_problem
from tashika.core.suites.semrel.words import RELATIONS
from tashika.exports.checks import Check, Problem, ReleaseFiles, repeats

Rows = list[dict[str, Any]]


def probes_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """No target, relation and prompt stand twice."""
    yield from repeats(release, "probes", ["target", "relation", "prompt"])


def probes_end_at_the_blank(release: ReleaseFiles) -> Iterator[Problem]:
    """Every probe's text is its prompt with its target in it, and ends where the blank is."""
    for row in _rows(release, "probes"):
        if not _fits(row):
            yield Problem(_file(release, "probes"), row["item_id"], repr(row["text"]))


def _fits(row: dict[str, Any]) -> bool:
    """Whether the text is the prompt with its target, with one of the articles or as a word that takes none."""
    prompt, target = row["prompt"], row["target"]
    if prompt_problem(prompt) is not None:
        return False
    texts = {probe_text(prompt, target, (), "the"), *(probe_text(prompt, target, nouns) for nouns in ((), (target,)))}
    return row["text"] in texts


def no_control_is_released(release: ReleaseFiles) -> Iterator[Problem]:
    """Every probe, answer and relatum is of a target and of one of the six relations: no control question is here."""
    for config in ("probes", "relata", "answers", "responses"):
        for row in _rows(release, config):
            if row["relation"] not in RELATIONS or not row["target"].strip():
                problem = f"the relation {row['relation']!r} of {row['target']!r}"
                yield Problem(_file(release, config), row["item_id"], problem)


def questionnaires_ask_once(release: ReleaseFiles) -> Iterator[Problem]:
    """No questionnaire has one target and relation twice."""
    yield from repeats(release, "probes", ["questionnaire", "target", "relation"])


def probes_have_relata(release: ReleaseFiles) -> Iterator[Problem]:
    """Every probe's target has a relatum of the relation that is asked for."""
    known = {(row["target"], row["relation"]) for row in _rows(release, "relata")}
    for row in _rows(release, "probes"):
        if (row["target"], row["relation"]) not in known:
            yield Problem(_file(release, "probes"), row["item_id"], f"no {row['relation']} of {row['target']!r}")


def relata_have_probes(release: ReleaseFiles) -> Iterator[Problem]:
    """Every relatum's target is that of a probe."""
    targets = {row["target"] for row in _rows(release, "probes")}
    for row in _rows(release, "relata"):
        if row["target"] not in targets:
            yield Problem(_file(release, "relata"), row["item_id"], f"the target {row['target']!r}")


def relata_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """No relatum stands twice at one target and relation."""
    yield from repeats(release, "relata", ["target", "relation", "word"])


def relata_are_other_words(release: ReleaseFiles) -> Iterator[Problem]:
    """Every relatum is a word, and another one than its target."""
    for row in _rows(release, "relata"):
        word = row["word"].casefold().strip()
        if word in {"", row["target"].casefold().strip()}:
            yield Problem(_file(release, "relata"), row["item_id"], f"{row['word']!r} of {row['target']!r}")


def answers_have_probes(release: ReleaseFiles) -> Iterator[Problem]:
    """Every answer's probe is in the release, with the same target, relation and prompt."""
    probes = {row["item_id"]: row for row in _rows(release, "probes")}
    for config in ("answers", "responses"):
        for row in _rows(release, config):
            probe = probes.get(row["item_id"])
            if probe is None:
                yield Problem(_file(release, config), row["item_id"], "no such probe")
                continue
            for name in ("target", "relation", "prompt"):
                if row[name] != probe[name]:
                    yield Problem(_file(release, config), row["item_id"], f"{name} {row[name]!r}, not {probe[name]!r}")


def probes_are_answered_once(release: ReleaseFiles) -> Iterator[Problem]:
    """No probe stands twice among the answers, and no person has two words at one place of one probe."""
    for config, keys in (("answers", ["item_id"]), ("responses", ["item_id", "annotator", "place"])):
        if release.paths(config):
            yield from repeats(release, config, keys)


def answers_are_ranked(release: ReleaseFiles) -> Iterator[Problem]:
    """Every probe's answers differ, each has a count, and they stand by count."""
    for row in _rows(release, "answers"):
        words, counts = row["answers"], row["counts"]
        sound = words and len(words) == len(counts) == len(set(words)) and all(words)
        if not sound or counts != sorted(counts, reverse=True) or not 1 <= min(counts) <= max(counts) <= row["people"]:
            yield Problem(_file(release, "answers"), row["item_id"], f"{words!r} with the counts {counts!r}")


def answers_are_those_of_people(release: ReleaseFiles) -> Iterator[Problem]:
    """Every probe's answers are what the single responses to it give, ties as first mentioned, and none is missing."""
    people: dict[str, Rows] = {}
    for row in _rows(release, "responses"):
        people.setdefault(row["item_id"], []).append(row)
    answers = {row["item_id"]: (row["answers"], row["people"]) for row in _rows(release, "answers")}
    for item in sorted(set(people) | set(answers)):
        responses = answers_by_person(people.get(item, ()))
        words, count = answers.get(item, ([], 0))
        expected = list(people_with(responses.values()))
        if (words, count) != (expected, len(responses)):
            shown = f"{words!r} of {count} people; the responses are {expected!r} of {len(responses)}"
            yield Problem("answers/answers.parquet", item, shown)


def people_are_pseudonyms(release: ReleaseFiles) -> Iterator[Problem]:
    """Every person has a pseudonym, and no address."""
    for row in _rows(release, "responses"):
        if not row["annotator"].strip() or "@" in row["annotator"]:
            yield Problem(_file(release, "responses"), row["item_id"], repr(row["annotator"]))


def simulated_answers_are_told(release: ReleaseFiles) -> Iterator[Problem]:
    """A release with answers of simulated annotators states that it is simulated."""
    if not release.record["simulated"]:
        for config in ("answers", "responses"):
            for row in (row for row in _rows(release, config) if row["simulated"]):
                yield Problem(_file(release, config), row["item_id"], "simulated, but release.json states otherwise")


def vocabulary_differs(release: ReleaseFiles) -> Iterator[Problem]:
    """The vocabulary has words, each once."""
    if release.paths("vocabulary"):
        yield from repeats(release, "vocabulary", ["word"])
    else:
        yield Problem("vocabulary/vocabulary.parquet", None, "no such file")


def _rows(release: ReleaseFiles, config: str) -> Rows:
    """The rows of a configuration; none where nobody answered, and it has no file."""
    return release.table(config).to_pylist() if release.paths(config) else []


def _file(release: ReleaseFiles, config: str) -> str:
    return release.paths(config)[0]


SEMREL: Final[tuple[Check, ...]] = (
    probes_differ,
    probes_end_at_the_blank,
    no_control_is_released,
    questionnaires_ask_once,
    probes_have_relata,
    relata_have_probes,
    relata_differ,
    relata_are_other_words,
    answers_have_probes,
    probes_are_answered_once,
    answers_are_ranked,
    answers_are_those_of_people,
    people_are_pseudonyms,
    simulated_answers_are_told,
    vocabulary_differs,
)
"""The suite's checks, in the order in which they are run."""
