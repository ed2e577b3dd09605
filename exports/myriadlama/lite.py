"""The lite set: a small, fixed part of the prompts that stands for all of them, chosen from the release alone.

No model is run, so none is favoured, and no seed is drawn: the same release gives the same list. It is chosen for
diversity, by survey sampling's oldest means of it, systematic sampling along an order in which like stands beside like
(Madow and Madow 1944; Cochran 1977, chapter 8):

- **Pairs.** Those of a relation are sorted by their object, the most frequent first, and every N/n-th is taken, from
  the middle of its stretch. So objects have the share that they have in the release, and each pair stands for N/n.
- **Templates.** Those of a relation are sorted by wording; stretches of equal length give one each (`wording_order`).
- **Prompts.** Templates are dealt out: each pair is asked with a few, and the next pair with the next ones, so that all
  are asked equally often. The order of dealing has no meaning: prompts of a pair that were far apart by wording would
  agree less than prompts do, and templates that met all objects alike would differ less than they do. A pair's names
  take turns. Where it has several, its last prompt repeats the template of the first with another name: consistency is
  a matter of names, too.

Prompts that share a pair or a template say less than as many others. With templates dealt out, the error of a mean is
a fifth to a half smaller than where each pair meets the same few templates (docs/plan.md has what was measured).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tashika.core.draws import shuffled
from tashika.exports.arrow import array, column
from tashika.exports.arrow import compute as pc
from tashika.exports.myriadlama.expansion import Expansion, Ints
from tashika.exports.myriadlama.settings import LiteSettings
from tashika.exports.myriadlama.wording_order import Floats, typical


def spread(number: int, wanted: int) -> list[int]:
    """Places from 0 to below `number`, evenly spread: the middle of each of `wanted` stretches, or all."""
    if wanted >= number:
        return list(range(number))
    return [(2 * stretch + 1) * number // (2 * wanted) for stretch in range(wanted)]


def by_object(objects: Mapping[str, Sequence[str]], seed: int = 0) -> list[str]:
    """Subjects of a relation by their object: those of the most frequent object first.

    Of several objects of a subject the one counts that most subjects of the relation share. Subjects of one object
    follow each other in an order that depends on their ids alone and has no meaning.

    Args:
        objects: Each subject's objects.
        seed: Of that order; the lite set's is 0.
    """
    counts = Counter(entity for entities in objects.values() for entity in entities)
    main = {subject: max(entities, key=lambda one: (counts[one], one)) for subject, entities in objects.items()}
    turn = dict(zip(objects, shuffled(objects, seed).tolist(), strict=True))
    return sorted(objects, key=lambda subject: (-counts[main[subject]], main[subject], turn[subject]))


def without_meaning(texts: Sequence[str], places: Sequence[int], seed: int = 0) -> list[int]:
    """Some of the texts, in an order that depends on them alone.

    Args:
        texts: All of them.
        places: Of those that are wanted.
        seed: Of the order; the lite set's is 0.
    """
    turn = shuffled([texts[place] for place in places], seed)
    return [places[row] for row in np.argsort(turn)]


def dealt(turn: int, templates: int, names: int, start: int, prompts: int) -> list[tuple[int, int]]:
    """The (name, template) places that one pair is asked with, no two alike.

    Args:
        turn: Of the pair among those of its relation, from 0: the next pair gets the next templates.
        templates: How many there are.
        names: How many it has.
        start: The name that it begins with.
        prompts: How many it is asked, at most.
    """
    rows = [((start + step) % names, (turn + step * templates // prompts) % templates) for step in range(prompts)]
    if names > 1 and prompts > 2:
        last = rows[-1][0]
        rows[-1] = (last if last != rows[0][0] else (last + 1) % names, rows[0][1])
    return list(dict.fromkeys(rows))


@dataclass(frozen=True)
class LiteSet:
    """The lite set as rows of the release's prompts; n rows.

    Attributes:
        rows: (n,) numbers of prompts in the release, rising.
        weight: (n,) how many of the release's prompts each stands for. Those of a relation sum to its prompts, and a
            pair weighs as much as it has prompts.
    """

    rows: Ints
    weight: Floats


def lite_set(product: Expansion, templates: pa.Table, facts: pa.Table, settings: LiteSettings) -> LiteSet:
    """Chooses the lite set.

    Args:
        product: All prompts of the release.
        templates: `text`, sorted as the product's.
        facts: `relation`, `subject` and `object`.
        settings: How large it is.
    """
    objects: dict[str, dict[str, list[str]]] = {}
    columns = (facts.column(name).to_pylist() for name in ("relation", "subject", "object"))
    for relation, subject, value in zip(*columns, strict=True):
        objects.setdefault(relation, {}).setdefault(subject, []).append(value)
    texts = [str(text) for text in column(templates, "text").to_pylist()]
    parts = [_of_relation(product, relation, texts, objects[relation], settings) for relation in sorted(objects)]
    rows, weight = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    order = np.argsort(rows)
    return LiteSet(rows[order], weight[order])


def _of_relation(
    product: Expansion,
    relation: str,
    texts: Sequence[str],
    objects: Mapping[str, Sequence[str]],
    settings: LiteSettings,
) -> tuple[Ints, Floats]:
    """The rows and weights of one relation."""
    own = np.flatnonzero(np.asarray(pc.equal(product.relations, relation)))
    place = dict(zip(product.subjects.take(array(own)).to_pylist(), own.tolist(), strict=True))
    ranked = by_object(objects)
    subjects = [ranked[turn] for turn in spread(len(ranked), settings.pairs)]
    pairs = [place[subjects[turn]] for turn in without_meaning(subjects, range(len(subjects)))]
    first = int(product.template_span.start[own[0]])
    count = int(product.template_span.count[own[0]])
    chosen = without_meaning(texts[first : first + count], typical(texts[first : first + count], settings.templates))
    rows = [_of_pair(product, pair, turn, chosen, settings.prompts) for turn, pair in enumerate(pairs)]
    prompts = np.diff(product.offsets)
    times = prompts[own].sum() / prompts[pairs].sum()
    weights = [np.full(len(some), times * prompts[pair] / len(some)) for some, pair in zip(rows, pairs, strict=True)]
    return np.concatenate(rows), np.concatenate(weights)


def _of_pair(product: Expansion, pair: int, turn: int, templates: Sequence[int], prompts: int) -> Ints:
    """The numbers of one pair's prompts."""
    names, width = int(product.alias_span.count[pair]), int(product.template_span.count[pair])
    start = int(shuffled([f"{product.relations[pair]} {product.subjects[pair]}"], 0)[0]) % names
    places = dealt(turn, len(templates), names, start, prompts)
    return np.asarray([int(product.offsets[pair]) + name * width + templates[place] for name, place in places])
