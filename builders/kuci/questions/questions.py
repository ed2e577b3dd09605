"""Questions: a pair's antecedent, its consequent, and three consequents of other pairs that are wrong.

A wrong option meets two conditions (the paper, section 3.4):

- Similarity: its cosine with the answer, of mean word vectors, is in [0.4, 0.6]. The candidates are divided by it into
  a low, a middle and a high bin, and one of each is taken.
- Length: it has half to twice as many words as the answer.

And it is wrong as far as the pairs can tell: no consequent of a pair with the same antecedent (its text or its basic
event), and none with the basic event of such a consequent, so no paraphrase of the answer either. No two options have
the same text or the same basic event.

What the paper leaves open: bins are of equal count, since it asks for three candidates and not for one in each third of
the range (`bins` = "widths" is the other reading). Consequents are counted once, however many pairs have them. Without
Similarity there are no bins. All three sets have the same contexts: those that have a question in each.

Where we depart from it, each by a setting, since options that give the answer away test nothing:

- `own_part`: wrong options are of a question's own part, lest training questions tell a test question's wrong options
  from its answer.
- `match`: they have the answer's tense, style and act (`forms`), and `refuse_empty`: none is しています or 気分がいい.
- `kinship`: what they followed from is not like the context, nor their event like the answer's.
- `balance`: each text is a wrong option three times as often as it is an answer.
- `even`: the answer is the shortest, the longest, the most typical option as often as any.

Cosines are products of matrices. Directions are rounded to multiples of 1/4000, so that every product and every sum is
a whole number below 2^24, exact in float32: the same questions on any machine. A cosine is off by about 0.0001.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tashika.builders.kuci.questions.candidates import EMPTY, NO_VECTOR, Picked
from tashika.builders.kuci.questions.consequents import Pair, Pool
from tashika.builders.kuci.questions.groups import draw_in_groups
from tashika.builders.kuci.questions.random_draw import draw_at_random
from tashika.builders.kuci.questions.settings import QuestionSettings
from tashika.builders.kuci.questions.splits import clause_key, split
from tashika.builders.kuci.questions.word_vectors import WordVectors
from tashika.core.draws import Draw, order_key
from tashika.core.progress import bar, say
from tashika.core.suites.kuci.words import CONDITIONS, OPTIONS, SPLITS, Conditions, Split

REPEATED: Final = "the same texts as another pair"


def questions(
    pairs: Sequence[Pair], vectors: WordVectors, settings: QuestionSettings
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Makes the questions of all three sets.

    Args:
        pairs: Those that people accepted; their order makes no difference.
        vectors: Of words.
        settings: How.

    Returns:
        The payloads of the kind "question", each with its `parents` (the pair, then those of the wrong options in
        their order), by pair and set; and counts: "pairs", "questions" (of each set), and the pairs without one by
        reason.
    """
    reasons: Counter[str] = Counter()
    asked = _asked(pairs, reasons)
    parts = split(asked, settings.seed, settings.split)
    own = parts if settings.own_part else dict.fromkeys(parts, SPLITS[0])
    pool = Pool(pairs, vectors, own, settings.match, refuse_empty=settings.refuse_empty)
    with_options: list[tuple[Pair, dict[Conditions, Picked]]] = []
    with bar("questions", len(asked)) as advance:
        for pair, picked in _drawn(asked, pool, settings):
            if isinstance(picked, str):
                reasons[picked] += 1
            else:
                with_options.append((pair, picked))
            advance(1)
    with_options.sort(key=lambda one: str(one[0]["item_id"]))
    rows = []
    for conditions in CONDITIONS:
        of_set = [(pair, picked[conditions]) for pair, picked in with_options]
        places = _places([pair for pair, _ in of_set], conditions, parts, settings)
        rows += [
            _row(pair, conditions, picked, pool, settings.seed, place) | {"split": parts[pair["item_id"]]}
            for (pair, picked), place in zip(of_set, places, strict=True)
        ]
    rows.sort(key=lambda row: str(row["pair"]))  # by pair and set
    return rows, {"pairs": len(pairs), "questions": len(with_options), **dict(sorted(reasons.items()))}


def say_empty_parts(rows: Sequence[Mapping[str, Any]]) -> None:
    """Says which parts have no question, and what helps."""
    empty = sorted(set(SPLITS) - {row["split"] for row in rows})
    if empty:
        say(
            f"no question in {' and '.join(empty)}: too few pairs for wrong options of their own part and form; "
            "give more text, larger shares (split), or `--config paper`, whose options tell more than they should"
        )


def _places(
    pairs: Sequence[Pair], conditions: Conditions, parts: Mapping[str, Split], settings: QuestionSettings
) -> list[int]:
    """The place of each question's answer among its options.

    Each question draws for itself. Where use is balanced, a place that too many of a part have drawn keeps the first of
    them, in an order of their own, and the others take places with room: who always takes the first option is right in
    a quarter of the questions.
    """
    drawn = [Draw(settings.seed, f"place:{conditions}:{pair['item_id']}").below(OPTIONS) for pair in pairs]
    if not settings.balance:
        return drawn
    by_part: dict[Split, list[int]] = {}
    for number in sorted(range(len(pairs)), key=lambda one: order_key(settings.seed, str(pairs[one]["item_id"]))):
        by_part.setdefault(parts[pairs[number]["item_id"]], []).append(number)
    for numbers in by_part.values():
        wishes = Counter(drawn[number] for number in numbers)
        room = dict.fromkeys(range(OPTIONS), len(numbers) // OPTIONS)
        for place in sorted(room, key=lambda one: -wishes[one])[: len(numbers) % OPTIONS]:
            room[place] += 1
        left_over = []
        for number in numbers:
            if room[drawn[number]]:
                room[drawn[number]] -= 1
            else:
                left_over.append(number)
        free = [place for place in room for _ in range(room[place])]
        for number, place in zip(left_over, free, strict=True):
            drawn[number] = place
    return drawn


def _asked(pairs: Sequence[Pair], reasons: Counter[str]) -> list[Pair]:
    """Pairs that differ in more than width, case and signs."""
    first: dict[tuple[str, str], Pair] = {}
    for pair in sorted(pairs, key=lambda one: str(one["item_id"])):
        key = clause_key(pair["antecedent_words"]), clause_key(pair["consequent_words"])
        if first.setdefault(key, pair) is not pair:
            reasons[REPEATED] += 1
    return list(first.values())


def _drawn(
    asked: Sequence[Pair], pool: Pool, settings: QuestionSettings
) -> Iterator[tuple[Pair, dict[Conditions, Picked] | str]]:
    """Yields each pair with its wrong options, or with the reason why it has no question."""
    able: list[tuple[Pair, int]] = []
    for pair in asked:
        place = pool.place(pair)
        if place is None:
            yield pair, NO_VECTOR
        elif not pool.usable[place]:
            yield pair, EMPTY
        else:
            able.append((pair, place))
    draw = draw_in_groups if settings.balance or settings.even else draw_at_random
    yield from draw(able, pool, settings)


def _row(pair: Pair, conditions: Conditions, picked: Picked, pool: Pool, seed: int, place: int) -> dict[str, Any]:
    """A question's payload but for its split, and its parents. The order of wrong options is the question's own."""
    others = [pool.parent(place, pair) for place in picked.places]
    texts = [pair["consequent"], *(one["consequent"] for one in others)]
    similarities = [1.0, *picked.similarities]
    forms = [str(one["consequent_form"]) for one in (pair, *others)]
    order = list(Draw(seed, f"{conditions}:{pair['item_id']}").shuffled(range(1, OPTIONS)))
    order.insert(place, 0)
    return {
        "conditions": conditions,
        "context": pair["antecedent"],
        "options": [texts[one] for one in order],
        "answer": place,
        "similarities": [similarities[one] for one in order],
        "forms": [forms[one] for one in order],
        "relation": pair["relation"],
        "pair": pair["item_id"],
        "parents": [pair["item_id"], *(others[one - 1]["item_id"] for one in order if one)],
    }
