"""What must hold of a release of facts, names and templates with a blank, whatever suite it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tashika.core.cloze import OBJECT_SLOT, SUBJECT_SLOT, normalised
from tashika.core.records import ID_LENGTH
from tashika.exports.arrow import column
from tashika.exports.arrow import compute as pc
from tashika.exports.checks import Check, Problem, ReleaseFiles, flagged, repeats
from tashika.exports.myriadlama.expansion import Ints

_HALF = ID_LENGTH // 2


def without_both_slots(texts: Any) -> Any:
    """True where a text does not have each of the two slots exactly once."""
    subjects = pc.not_equal(pc.count_substring(texts, SUBJECT_SLOT), 1)
    return pc.or_(subjects, pc.not_equal(pc.count_substring(texts, OBJECT_SLOT), 1))


def templates_have_both_slots(release: ReleaseFiles) -> Iterator[Problem]:
    """Every template has [X] and [Y] exactly once each."""
    table = release.table("templates")
    yield from flagged(_file(release, "templates"), table, without_both_slots(table.column("text")), "text")


def templates_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """No template stands twice in a relation, case, punctuation and spacing left aside."""
    seen: dict[tuple[str, str], str] = {}
    for row in release.table("templates").select(["item_id", "relation", "text"]).to_pylist():
        item, relation, text = row["item_id"], row["relation"], row["text"]
        earlier = seen.setdefault((relation, normalised(text)), item)
        if earlier != item:
            yield Problem(_file(release, "templates"), item, f"{text!r}, which item {earlier} has already")


def paraphrases_have_parents(release: ReleaseFiles) -> Iterator[Problem]:
    """Every paraphrase names the manual template it rephrases, and a manual template names none."""
    table = release.table("templates")
    manual = pc.equal(table.column("origin"), "manual")
    wrong = pc.equal(manual, table.column("parent").is_valid())
    yield from flagged(_file(release, "templates"), table, wrong, "origin")


def facts_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """No fact stands twice."""
    yield from repeats(release, "facts", ["relation", "subject", "object"])


def facts_have_templates(release: ReleaseFiles) -> Iterator[Problem]:
    """Every fact's relation has a template."""
    facts, known = release.table("facts"), column(release.table("templates"), "relation")
    missing = pc.invert(pc.is_in(facts.column("relation"), value_set=known))
    yield from flagged(_file(release, "facts"), facts, missing, "relation")


def facts_have_names(release: ReleaseFiles) -> Iterator[Problem]:
    """Every fact's subject and object has a name in the aliases."""
    facts, known = release.table("facts"), column(release.table("aliases"), "entity")
    for role in ("subject", "object"):
        missing = pc.invert(pc.is_in(facts.column(role), value_set=known))
        yield from flagged(_file(release, "facts"), facts, missing, role)


def names_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """No entity has the same name twice."""
    yield from repeats(release, "aliases", ["entity", "text"])


def names_are_not_blank(release: ReleaseFiles) -> Iterator[Problem]:
    """No name is blank."""
    table = release.table("aliases")
    blank = pc.equal(pc.utf8_trim_whitespace(table.column("text")), "")
    yield from flagged(_file(release, "aliases"), table, blank, "text")


def prompts_have_parents(release: ReleaseFiles) -> Iterator[Problem]:
    """Every prompt's template and subject alias are in the release."""
    for name, config in (("template_id", "templates"), ("subject_alias_id", "aliases")):
        known = column(release.table(config), "item_id")
        for path, batch in release.stream("prompts", ["item_id", name]):
            missing = pc.invert(pc.is_in(_plain(batch.column(name)), value_set=known))
            yield from flagged(path, batch, missing, name)


def prompts_have_composed_ids(release: ReleaseFiles) -> Iterator[Problem]:
    """Every prompt's id is made of the first halves of its template's id and its alias's."""
    for path, batch in release.stream("prompts", ["item_id", "template_id", "subject_alias_id"]):
        parts = [pc.utf8_slice_codeunits(_plain(batch.column(index)), 0, _HALF) for index in (1, 2)]
        expected = pc.binary_join_element_wise(*parts, "")
        yield from flagged(path, batch, pc.not_equal(batch.column("item_id"), expected), "item_id")


def prompts_are_in_order(release: ReleaseFiles) -> Iterator[Problem]:
    """Prompts are sorted by pair, subject alias and template, and no combination stands twice."""
    sets = [column(release.table(config), "item_id") for config in ("aliases", "templates")]
    last: Ints = np.full(3, -1, dtype=np.int64)
    for path, batch in release.stream("prompts", ["pair", "subject_alias_id", "template_id", "item_id"]):
        places = [pc.index_in(batch.column(index + 1), value_set=known) for index, known in enumerate(sets)]
        rows = np.stack([np.asarray(batch.column(0)), *(np.asarray(place.fill_null(-1)) for place in places)])
        steps = np.diff(np.concatenate([last[:, None], rows], axis=1), axis=1)
        first = np.where(steps[0] != 0, steps[0], np.where(steps[1] != 0, steps[1], steps[2]))
        yield from flagged(path, batch, pa.array(first <= 0), "pair")
        last = rows[:, -1]


def prompts_keep_the_blank(release: ReleaseFiles) -> Iterator[Problem]:
    """Every prompt has [Y] exactly once."""
    for path, batch in release.stream("prompts", ["item_id", "prompt"]):
        wrong = pc.not_equal(pc.count_substring(batch.column("prompt"), OBJECT_SLOT), 1)
        yield from flagged(path, batch, wrong, "prompt")


def prompts_have_answers(release: ReleaseFiles) -> Iterator[Problem]:
    """Every prompt has an answer, and no answer is blank."""
    for path, batch in release.stream("prompts", ["item_id", "answers"]):
        answers = batch.column("answers")
        yield from flagged(path, batch, pc.less(pc.list_value_length(answers), 1), "answers")
        blank = pc.fill_null(pc.equal(pc.utf8_trim_whitespace(pc.list_flatten(answers)), ""), True)
        wrong = np.zeros(len(answers), dtype=bool)
        wrong[np.asarray(pc.list_parent_indices(answers).filter(blank))] = True
        yield from flagged(path, batch, pa.array(wrong), "answers")


def _plain(values: Any) -> Any:
    """Strings as such, where they came as a dictionary."""
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _file(release: ReleaseFiles, config: str) -> str:
    return release.paths(config)[0]


CLOZE: Final[tuple[Check, ...]] = (
    templates_have_both_slots,
    templates_differ,
    paraphrases_have_parents,
    facts_differ,
    facts_have_templates,
    facts_have_names,
    names_differ,
    names_are_not_blank,
    prompts_have_parents,
    prompts_have_composed_ids,
    prompts_are_in_order,
    prompts_keep_the_blank,
    prompts_have_answers,
)
"""The checks of a release that fills blanks, beside those of every release."""
