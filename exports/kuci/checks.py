"""What must hold of a release of KUCI, beside what holds of every release."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tashika.core.suites.kuci.words import ANSWERED, CONDITIONS, OPTIONS, RELATIONS, SEVERAL, SPLITS, Conditions
from tashika.core.texts import text_key
from tashika.exports.checks import Check, Problem, ReleaseFiles
from tashika.exports.kuci.schema import ORIGINS

SETS: Final[Mapping[Conditions, str]] = {
    "both": "questions",
    "without_similarity": "questions_without_similarity",
    "without_length": "questions_without_length",
}
"""The configuration of each set of questions."""

SIMILARITY: Final = (0.4, 0.6)
LENGTH: Final = (0.5, 2.0)
"""The paper's ranges, where the release does not name its own."""

LEAST_P: Final = 1e-6
"""Right answers that lie so unevenly over the four places are no accident."""

_SLACK: Final = 1e-6  # of a cosine, which is stored as a float32
_FULL: Final = 20  # questions, below which a chi-square test says nothing

Row = dict[str, Any]


def clause_key(words: Sequence[str]) -> str:
    """Two clauses with the same key are the same to a reader: width, case, spaces and signs are no difference.

    The words of a clause are without its signs already.
    """
    return text_key("".join(words))


def place_p(answers: Sequence[int]) -> float:
    """The p-value of a chi-square test that right answers lie on all four places alike; 1 for too few questions."""
    if len(answers) < _FULL:
        return 1.0
    from scipy.stats import chisquare

    counts = Counter(answers)
    return float(chisquare([counts[place] for place in range(OPTIONS)]).pvalue)


def pairs_are_sound(release: ReleaseFiles) -> Iterator[Problem]:
    """Every pair has a known relation, two events with words, and does not stand twice."""
    seen: set[tuple[str, str]] = set()
    for row in _rows(release, "pairs"):
        shown = f"{row['antecedent']!r}, {row['consequent']!r}"
        key = (clause_key(row["antecedent_words"]), clause_key(row["consequent_words"]))
        if row["relation"] not in RELATIONS:
            yield _problem(release, "pairs", row, f"the relation {row['relation']!r}")
        if not all((*key, row["antecedent"].strip(), row["consequent"].strip())):
            yield _problem(release, "pairs", row, f"an event without words in {shown}")
        if key in seen:
            yield _problem(release, "pairs", row, f"{shown} twice")
        seen.add(key)


def options_are_four(release: ReleaseFiles) -> Iterator[Problem]:
    """Every question has a context, four different options, and an answer among them."""
    for config, row in _questions(release):
        keys = {text_key(option) for option in row["options"]}
        lists = {len(row[name]) for name in ("options", "similarities", "option_pairs")}
        if lists != {OPTIONS} or len(keys) < OPTIONS or "" in keys or not text_key(row["context"]):
            yield _problem(release, config, row, f"the context {row['context']!r} with the options {row['options']!r}")
        if not 0 <= row["answer"] < OPTIONS:
            yield _problem(release, config, row, f"the answer {row['answer']}")


def questions_fit_their_pairs(release: ReleaseFiles) -> Iterator[Problem]:
    """A question's context and right option are its pair's, and every option is the consequent of the pair it names."""
    pairs = _pairs(release)
    for config, row in _sound(release):
        own = pairs.get(row["pair"])
        if own is None or own["antecedent"] != row["context"] or own["relation"] != row["relation"]:
            yield _problem(release, config, row, f"the context {row['context']!r}, not that of the pair {row['pair']}")
        if row["option_pairs"][row["answer"]] != row["pair"]:
            yield _problem(release, config, row, f"the right option of another pair, {row['options'][row['answer']]!r}")
        for option, pair in zip(row["options"], row["option_pairs"], strict=True):
            if pair not in pairs or pairs[pair]["consequent"] != option:
                yield _problem(release, config, row, f"the option {option!r}, not that of the pair {pair}")


def wrong_options_are_wrong(release: ReleaseFiles) -> Iterator[Problem]:
    """No wrong option is the consequent of a pair with the same antecedent."""
    follows: dict[str, set[str]] = {}
    for row in _rows(release, "pairs"):
        follows.setdefault(text_key(row["antecedent"]), set()).add(text_key(row["consequent"]))
    for config, row in _sound(release):
        right = follows.get(text_key(row["context"]), set())
        for option, pair in zip(row["options"], row["option_pairs"], strict=True):
            if pair != row["pair"] and text_key(option) in right:
                yield _problem(release, config, row, f"{option!r} after {row['context']!r}")


def splits_are_apart(release: ReleaseFiles) -> Iterator[Problem]:
    """No antecedent stands in two splits of a set."""
    pairs = _pairs(release)
    for config in SETS.values():
        first: dict[str, str] = {}
        for split, row in _by_split(release, config):
            own = pairs.get(row["pair"])
            key = clause_key(own["antecedent_words"]) if own else text_key(row["context"])
            before = first.setdefault(key, split)
            if before != split:
                yield _problem(release, config, row, f"{row['context']!r} in {before} and {split}")


def questions_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """No question stands twice in a set."""
    for config in SETS.values():
        seen: set[tuple[str, frozenset[str]]] = set()
        for row in _rows(release, config):
            key = (text_key(row["context"]), frozenset(map(text_key, row["options"])))
            if key in seen:
                yield _problem(release, config, row, f"{row['context']!r} with the same options again")
            seen.add(key)


def sets_have_the_same_questions(release: ReleaseFiles) -> Iterator[Problem]:
    """The sets for the ablations are made of the same pairs as the published one, in the same splits."""
    published = {row["pair"]: split for split, row in _by_split(release, SETS["both"])}
    for name in CONDITIONS[1:]:
        split_of_pair = {row["pair"]: split for split, row in _by_split(release, SETS[name])}
        for pair in sorted(set(published.items()) ^ set(split_of_pair.items()))[:1]:
            yield Problem(SETS[name], None, f"the pair {pair[0]} in {pair[1]} of one set alone")


def similarity_holds(release: ReleaseFiles) -> Iterator[Problem]:
    """Where Similarity is a condition, every wrong option's cosine with the answer is in its range."""
    low, high = _range(release, "similarity", SIMILARITY)
    for name in ("both", "without_length"):
        for row in _well_formed(release, SETS[name]):
            for place, cosine in enumerate(row["similarities"]):
                if place != row["answer"] and not low - _SLACK <= cosine <= high + _SLACK:
                    yield _problem(release, SETS[name], row, f"{cosine:.4f}, not within {low} to {high}")


def length_holds(release: ReleaseFiles) -> Iterator[Problem]:
    """Where Length is a condition, every wrong option's number of words fits the answer's."""
    low, high = _range(release, "length", LENGTH)
    words = _lengths(release)
    for name in ("both", "without_similarity"):
        for row in _well_formed(release, SETS[name]):
            lengths = [words.get(pair) for pair in row["option_pairs"]]
            answer = lengths[row["answer"]]
            for option, length in zip(row["options"], lengths, strict=True):
                if length is None or not answer:
                    continue  # another check's
                if not low <= length / answer <= high:
                    yield _problem(release, SETS[name], row, f"{option!r} with {length} words beside {answer}")


def forms_match(release: ReleaseFiles) -> Iterator[Problem]:
    """Where wrong options were to have the answer's form, they have: in tense, style and act, as far as asked for."""
    names = ("tense", "style", "act")
    wanted = [names.index(name) for name in release.record.get("built_with", {}).get("match", ())]
    for config, row in _questions(release):
        if len(row["forms"]) != OPTIONS:
            yield _problem(release, config, row, f"{len(row['forms'])} forms of {OPTIONS} options")
        elif len({tuple(form.split(" ")[place] for place in wanted) for form in row["forms"]}) > 1:
            yield _problem(release, config, row, f"options of several forms, {', '.join(row['forms'])}")


def texts_are_used_alike(release: ReleaseFiles) -> Iterator[Problem]:
    """Where use was to be balanced, each text is a wrong option three times as often as an answer, in its part."""
    built_with = release.record.get("built_with", {})
    if not built_with.get("balance"):
        return
    for config in SETS.values():
        answers: Counter[tuple[str, str]] = Counter()
        shown: Counter[tuple[str, str]] = Counter()
        for split, row in _with_split(release, config):
            part = split if built_with.get("own_part") else ""
            shown.update((part, text_key(option)) for option in row["options"])
            answers[part, text_key(row["options"][row["answer"]])] += 1
        for part, text in sorted(shown):
            right = answers[part, text]
            if shown[part, text] != OPTIONS * right:
                where = f"in {part}" if part else "in all parts"
                wrong = shown[part, text] - right
                yield Problem(config, None, f"{text!r} is an answer {right} and a wrong option {wrong} times {where}")


def answers_are_spread(release: ReleaseFiles) -> Iterator[Problem]:
    """The right answers lie on all four places about alike."""
    for config in SETS.values():
        answers = [int(row["answer"]) for row in _rows(release, config)]
        p = place_p(answers)
        if math.isnan(p) or p < LEAST_P:
            shown = ", ".join(f"{place}: {count}" for place, count in sorted(Counter(answers).items()))
            yield Problem(config, None, f"p = {p:.2g} ({shown})")


def _lengths(release: ReleaseFiles) -> dict[str, int]:
    """The words of each pair's consequent; one text has one length, that of the first pair with it.

    An analyser may divide the same text otherwise in another sentence, and the build counts a text once.
    """
    first: dict[str, int] = {}
    rows = sorted(_rows(release, "pairs"), key=lambda row: str(row["item_id"]))
    keys = {row["item_id"]: clause_key(row["consequent_words"]) for row in rows}
    for row in rows:
        first.setdefault(keys[row["item_id"]], len(row["consequent_words"]))
    return {item: first[key] for item, key in keys.items()}


def _range(release: ReleaseFiles, name: str, published: tuple[float, float]) -> tuple[float, float]:
    low, high = release.record.get("built_with", {}).get(name, published)
    return float(low), float(high)


def _rows(release: ReleaseFiles, config: str) -> list[Row]:
    """The rows of a configuration; those of questions with where their options are from, as far as a row says it."""
    rows = release.table(config).to_pylist()
    if config not in SETS.values():
        return rows
    origins = {row["item_id"]: row for row in release.table(ORIGINS).to_pylist()}
    nowhere: Row = {"similarities": [], "option_pairs": []}
    return [{**row, **origins.get(row["item_id"], nowhere)} for row in rows]


def _pairs(release: ReleaseFiles) -> dict[str, Row]:
    return {row["item_id"]: row for row in _rows(release, "pairs")}


def _questions(release: ReleaseFiles) -> Iterator[tuple[str, Row]]:
    for config in SETS.values():
        for row in _rows(release, config):
            yield config, row


def _well_formed(release: ReleaseFiles, config: str) -> Iterator[Row]:
    """The questions that `options_are_four` has no quarrel with as to their form."""
    for row in _rows(release, config):
        lists = {len(row[name]) for name in ("options", "similarities", "option_pairs")}
        if lists == {OPTIONS} and 0 <= row["answer"] < OPTIONS:
            yield row


def _sound(release: ReleaseFiles) -> Iterator[tuple[str, Row]]:
    for config in SETS.values():
        for row in _well_formed(release, config):
            yield config, row


def _by_split(release: ReleaseFiles, config: str) -> Iterator[tuple[str, Row]]:
    """Contexts and pairs of questions with the split that their file is."""
    return _streamed(release, config, ["item_id", "context", "pair"])


def _with_split(release: ReleaseFiles, config: str) -> Iterator[tuple[str, Row]]:
    """Options of questions in their right form, with the split that their file is."""
    for split, row in _streamed(release, config, ["item_id", "options", "answer"]):
        if 0 <= row["answer"] < len(row["options"]):  # else another check's
            yield split, row


def _streamed(release: ReleaseFiles, config: str, columns: list[str]) -> Iterator[tuple[str, Row]]:
    folder = release.configs[config].folder
    for path, batch in release.stream(config, columns):
        split = path.removeprefix(f"{folder}/").removesuffix(".parquet")
        for row in batch.to_pylist():
            yield split, row


def files_are_splits(release: ReleaseFiles) -> Iterator[Problem]:
    """Every file of questions is named after its split."""
    for config in SETS.values():
        folder = release.configs[config].folder
        for path in release.paths(config):
            if path not in {f"{folder}/{split}.parquet" for split in SPLITS}:
                yield Problem(path, None, f"another name than {', '.join(SPLITS)}")


def _problem(release: ReleaseFiles, config: str, row: Row, message: str) -> Problem:
    return Problem(release.configs[config].folder, row["item_id"], message)


def judgments_are_sound(release: ReleaseFiles) -> Iterator[Problem]:
    """What people said of a question's options is one of the known words, and fits the options that it names."""
    for row in _rows(release, SETS["both"]):
        several, fitting = row["more_than_one"], row["fitting"]
        if several not in SEVERAL or row["people"] not in ANSWERED:
            yield _problem(release, SETS["both"], row, f"{several!r} and {row['people']!r} of what people said")
        elif fitting != sorted(set(fitting) & set(range(OPTIONS))) or (several == "yes") != (len(fitting) > 1):
            yield _problem(release, SETS["both"], row, f"{several!r} with the fitting options {fitting}")


KUCI: Final[tuple[Check, ...]] = (
    files_are_splits,
    pairs_are_sound,
    options_are_four,
    questions_fit_their_pairs,
    wrong_options_are_wrong,
    splits_are_apart,
    questions_differ,
    sets_have_the_same_questions,
    similarity_holds,
    length_holds,
    forms_match,
    texts_are_used_alike,
    answers_are_spread,
    judgments_are_sound,
)
"""The checks of a release of KUCI, beside those of every release."""
