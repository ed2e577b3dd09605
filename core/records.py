"""The records that the rooms exchange: their Arrow schemas, and the ids that connect them.

One id leads from a builder's row through the people's votes to the row of the release and the score of a model.
It is a digest of what the candidate *is* (suite, kind and key), so that it stays the same over runs and machines.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

import pyarrow as pa

ID_LENGTH: Final = 32
"""Hex digits of an item id: 128 bits, no collision to be expected below 10^18 items."""

_SOURCE = pa.struct([pa.field("name", pa.string(), nullable=False), pa.field("revision", pa.string())])
_GENERATION = pa.struct(
    [
        pa.field("model", pa.string(), nullable=False),
        pa.field("prompt_hash", pa.string(), nullable=False),
        pa.field("sampling", pa.string(), nullable=False),  # the settings as JSON
    ]
)

ITEM_FIELDS: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("suite", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("builder", pa.string(), nullable=False),
    pa.field("builder_version", pa.string(), nullable=False),
    pa.field("sources", pa.list_(_SOURCE), nullable=False),
    pa.field("parents", pa.list_(pa.string()), nullable=False),
    pa.field("generation", _GENERATION),
)
"""What every item has, whatever its kind; `generation` is null unless a language model wrote the text."""

_TENURE = pa.struct(
    [
        pa.field("object_label", pa.string(), nullable=False),
        pa.field("start", pa.string(), nullable=False),  # 2025, 2025-03 or 2025-03-01, as precise as it is known
        pa.field("end", pa.string()),  # null: no end is stated
    ]
)
_STEP = pa.struct(
    [
        pa.field("relation", pa.string(), nullable=False),
        pa.field("subject", pa.string(), nullable=False),
        pa.field("subject_label", pa.string(), nullable=False),
    ]
)

PAYLOADS: Final[Mapping[tuple[str, str], tuple[pa.Field[Any], ...]]] = {
    ("myriadlama", "fact"): (
        pa.field("relation", pa.string(), nullable=False),
        pa.field("subject", pa.string(), nullable=False),
        pa.field("object", pa.string(), nullable=False),
        pa.field("subject_label", pa.string(), nullable=False),
        pa.field("object_label", pa.string(), nullable=False),
        pa.field("origin", pa.string(), nullable=False),  # "facts", or the widener that added the object
    ),
    ("myriadlama", "alias"): (
        pa.field("entity", pa.string(), nullable=False),
        pa.field("entity_label", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("language", pa.string(), nullable=False),
        pa.field("is_label", pa.bool_(), nullable=False),
    ),
    ("myriadlama", "template"): (
        pa.field("relation", pa.string(), nullable=False),
        pa.field("relation_label", pa.string(), nullable=False),
        pa.field("relation_description", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("origin", pa.string(), nullable=False),  # "manual" or "paraphrase"
        pa.field("example", pa.string(), nullable=False),  # a fact filled in, for the people who judge it
    ),
    # One (subject, property) that changed in the window: its newest tenure, and the others for the people to see.
    ("tempripple", "fact"): (
        pa.field("subject", pa.string(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),
        pa.field("object", pa.string(), nullable=False),
        pa.field("subject_label", pa.string(), nullable=False),
        pa.field("relation_label", pa.string(), nullable=False),
        pa.field("object_label", pa.string(), nullable=False),
        pa.field("start", pa.string(), nullable=False),
        pa.field("statement", pa.string(), nullable=False),  # the new fact as a sentence, a question's context
        pa.field("history", pa.list_(_TENURE), nullable=False),  # all tenures, the newest first
        pa.field("window", pa.string(), nullable=False),  # in which it changed: 2025-01-01..2025-12-31
        pa.field("history_from", pa.string(), nullable=False),  # from when on the history is complete
    ),
    # One tenure of an accepted (subject, property); its parent is the fact.
    ("tempripple", "history"): (
        pa.field("subject", pa.string(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),
        pa.field("object", pa.string(), nullable=False),
        pa.field("subject_label", pa.string(), nullable=False),
        pa.field("object_label", pa.string(), nullable=False),
        pa.field("age", pa.string(), nullable=False),  # "new" or "old"
        pa.field("place", pa.int32(), nullable=False),  # 1 is the most recent
        pa.field("start", pa.string(), nullable=False),
        pa.field("end", pa.string()),
        pa.field("years", pa.float64(), nullable=False),  # until the end, or the end of the window
        pa.field("also_true", pa.list_(pa.string()), nullable=False),  # labels that are no wrong options
    ),
    # A stable fact at the end of a path from a tenure's object; its parents are the tenure and the hop before.
    ("tempripple", "related"): (
        pa.field("age", pa.string(), nullable=False),  # "new" or "old", as the tenure
        pa.field("hop", pa.int32(), nullable=False),  # 1 to 3
        pa.field("subject", pa.string(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),
        pa.field("objects", pa.list_(pa.string()), nullable=False),  # items' ids, or literals as Wikidata has them
        pa.field("subject_label", pa.string(), nullable=False),
        pa.field("relation_label", pa.string(), nullable=False),
        pa.field("object_labels", pa.list_(pa.string()), nullable=False),
        pa.field("also_true", pa.list_(pa.string()), nullable=False),  # labels that are no wrong options
        pa.field("path", pa.list_(_STEP), nullable=False),  # from the changing fact to this one
    ),
    # A question on a tenure (hop 0) or a related fact; its parents are the fact, the tenure, and the related fact.
    ("tempripple", "question"): (
        pa.field("task", pa.string(), nullable=False),  # "new", "old", "related_new" or "related_old"
        pa.field("hop", pa.int32(), nullable=False),  # 0 to 3
        pa.field("place", pa.int32(), nullable=False),  # of the tenure, 1 is the most recent
        pa.field("subject", pa.string(), nullable=False),  # of the changing fact
        pa.field("relation", pa.string(), nullable=False),  # of the changing fact
        pa.field("last_relation", pa.string(), nullable=False),  # what the question asks for
        pa.field("text", pa.string(), nullable=False),
        pa.field("context", pa.string(), nullable=False),  # the new fact as a sentence
        pa.field("options", pa.list_(pa.string()), nullable=False),  # four
        pa.field("answer", pa.int32(), nullable=False),  # the right option's place, from 0
        pa.field("answers", pa.list_(pa.string()), nullable=False),  # every right answer
        pa.field("reasoning", pa.string(), nullable=False),  # the path in words, for the people who judge it
    ),
    # A target word in a prompt, up to the blank that people and models fill.
    ("semrel", "probe"): (
        pa.field("target", pa.string(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),  # one of core.semrel.RELATIONS
        pa.field("prompt", pa.string(), nullable=False),  # with [W], [V] at its end, and [DET] before either
        pa.field(
            "text", pa.string(), nullable=False
        ),  # filled, without what stands for the blank: "a dog is a kind of"
        pa.field("questionnaire", pa.int32(), nullable=False),  # from 1; none has one target and relation twice
        pa.field("known_answers", pa.list_(pa.string())),  # of a control question; null for a probe
    ),
    # A word that has a relation to a target.
    ("semrel", "relatum"): (
        pa.field("target", pa.string(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),
        pa.field("word", pa.string(), nullable=False),
        pa.field("distance", pa.int32(), nullable=False),  # steps in WordNet; 1 elsewhere
        pa.field("origins", pa.list_(pa.string()), nullable=False),  # wordnet, hyperlex, norms
    ),
    # A proverb and a variant that should mean the same, each as a question.
    ("proverbs", "pair"): (
        pa.field("topic", pa.string(), nullable=False),  # one of core.proverbs.TOPICS
        pa.field("proverb", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("change", pa.string(), nullable=False),  # one of core.proverbs.CHANGES
        pa.field("maker", pa.string(), nullable=False),  # of the variant: "swap", "written" or "model"
        pa.field("origin", pa.string(), nullable=False),  # the culture that the proverb comes from
        pa.field("variant_origin", pa.string()),  # the variant's, where it is a proverb itself
        pa.field("form", pa.string(), nullable=False),  # of both questions, one of core.proverbs.FORMS
        pa.field("question", pa.string(), nullable=False),
        pa.field("variant_question", pa.string(), nullable=False),
    ),
    # What a model said to both questions of a pair, for people to tell whether it is inconsistent; its parent is the
    # pair. Made by `evaluate proverbs --checks`; as many without a detected error as with one.
    ("proverbs", "check"): (
        pa.field("topic", pa.string(), nullable=False),
        pa.field("consistency", pa.string(), nullable=False),  # what is compared: one of core.proverbs.CONSISTENCIES
        pa.field("model", pa.string(), nullable=False),
        pa.field("system", pa.string(), nullable=False),  # the model's folder of scores
        pa.field("question", pa.string(), nullable=False),
        pa.field("variant_question", pa.string(), nullable=False),
        pa.field("answers", pa.list_(pa.string()), nullable=False),
        pa.field("variant_answers", pa.list_(pa.string()), nullable=False),
        pa.field("scores", pa.list_(pa.int32()), nullable=False),  # an answer's score may be null
        pa.field("variant_scores", pa.list_(pa.int32()), nullable=False),
        pa.field("detected", pa.bool_(), nullable=False),  # never shown to the people who judge
        pa.field("p", pa.float64(), nullable=False),  # of the Siegel-Tukey test; never shown either
    ),
    # Two basic events of one sentence, the first being the cause or the condition of the second.
    ("kuci", "pair"): (
        pa.field("sid", pa.string(), nullable=False),  # the sentence's id in the text
        pa.field("text", pa.string(), nullable=False),  # the sentence
        pa.field("relation", pa.string(), nullable=False),  # one of core.kuci.RELATIONS
        pa.field("marker", pa.string(), nullable=False),  # ので, から, タ形+ため, 〜ば; empty for a bare condition
        pa.field("antecedent", pa.string(), nullable=False),  # with its marker, without the comma: お腹が空いたので
        pa.field("consequent", pa.string(), nullable=False),  # without the full stop: ご飯を食べる
        pa.field("antecedent_words", pa.list_(pa.string()), nullable=False),  # surfaces of its morphemes, no signs
        pa.field("consequent_words", pa.list_(pa.string()), nullable=False),
        pa.field("antecedent_event", pa.string(), nullable=False),  # the basic event in it: 腹:ガ:空く
        pa.field("consequent_event", pa.string(), nullable=False),
        pa.field("borrowed", pa.bool_(), nullable=False),  # the consequent's argument is the antecedent's
        pa.field("backend", pa.string(), nullable=False),  # who analysed it: "ginza", "knp" or "knp-file"
    ),
    # A context with four options; its parents are the pair and those of the wrong options.
    ("kuci", "question"): (
        pa.field("conditions", pa.string(), nullable=False),  # one of core.kuci.CONDITIONS
        pa.field("split", pa.string(), nullable=False),  # one of core.kuci.SPLITS
        pa.field("context", pa.string(), nullable=False),  # the antecedent
        pa.field("options", pa.list_(pa.string()), nullable=False),  # four
        pa.field("answer", pa.int32(), nullable=False),  # the consequent's place, from 0
        pa.field("similarities", pa.list_(pa.float32()), nullable=False),  # of each option with the answer; 1 for it
        pa.field("relation", pa.string(), nullable=False),
        pa.field("pair", pa.string(), nullable=False),  # the pair's item_id
    ),
}
"""The columns that a kind of item has beside `ITEM_FIELDS`, by (suite, kind)."""

_JUDGMENT: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("annotator", pa.string(), nullable=False),  # a pseudonym
    pa.field("label", pa.string()),
    pa.field("text", pa.string()),  # a correction, or a free answer
    pa.field("seconds", pa.float32()),
    pa.field("skipped", pa.bool_(), nullable=False),
    pa.field("prefilled", pa.bool_(), nullable=False),  # an untouched prediction
    pa.field("created_at", pa.timestamp("us", tz="UTC"), nullable=False),
    pa.field("problem", pa.string()),  # why it is not voted; null for a sound one
    pa.field("simulated", pa.bool_(), nullable=False),
    pa.field("server", pa.string(), nullable=False),
    pa.field("project_id", pa.int64(), nullable=False),
    pa.field("task_id", pa.int64(), nullable=False),
    pa.field("annotation_id", pa.int64(), nullable=False),
)
JUDGMENT: Final = pa.schema(_JUDGMENT)
"""What one person said of one item. Append-only: the latest of one annotator counts, the rest stay."""

_VERDICT: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("decision", pa.string(), nullable=False),  # one of DECISIONS
    pa.field("text", pa.string()),  # the corrected text that the voters agree on
    pa.field("votes_for", pa.int32(), nullable=False),
    pa.field("votes_against", pa.int32(), nullable=False),
    pa.field("votes_cast", pa.int32(), nullable=False),
    pa.field("rule", pa.string(), nullable=False),
    pa.field("tie", pa.bool_(), nullable=False),
    pa.field("adjudicator", pa.string()),
)
VERDICT: Final = pa.schema(_VERDICT)
"""The decision on an item."""

DECISIONS: Final = ("accepted", "rejected", "undecided")

PREDICTION: Final[pa.Schema] = pa.schema(
    [
        pa.field("item_id", pa.string(), nullable=False),  # the prompt's, see prompt_id
        pa.field("relation", pa.dictionary(pa.int16(), pa.string()), nullable=False),
        pa.field("pair", pa.int32(), nullable=False),  # number of the subject-relation pair in the release
        pa.field("template_id", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("subject_alias_id", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("rank", pa.int32()),  # of the best correct object, 1 is the top; null when not scored
        pa.field("probability", pa.float32()),
        pa.field("top_token", pa.int32()),
        pa.field("top_probability", pa.float32()),
        pa.field("problem", pa.string()),  # why the prompt was not scored; null when it was
    ]
)
"""One row a prompt and model, for the suites that fill a blank."""


_RESPONSE: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),  # the probe's
    pa.field("target", pa.string(), nullable=False),
    pa.field("relation", pa.string(), nullable=False),
    pa.field("prompt", pa.string(), nullable=False),
    pa.field("annotator", pa.string(), nullable=False),  # a pseudonym
    pa.field("place", pa.int32(), nullable=False),  # of the answer among those of this person, from 1
    pa.field("raw", pa.string(), nullable=False),  # as it was typed
    pa.field("answer", pa.string(), nullable=False),  # as core.responses reads it
    pa.field("simulated", pa.bool_(), nullable=False),
)
RESPONSE: Final = pa.schema(_RESPONSE)
"""One word that a person gave to a probe: `annotation/responses.parquet`."""


def item_schema(suite: str, kind: str) -> pa.Schema:
    """The schema of the item table of one kind.

    Raises:
        KeyError: The suite has no such kind.
    """
    return pa.schema([*ITEM_FIELDS, *PAYLOADS[suite, kind]])


def item_id(suite: str, kind: str, *key: str) -> str:
    """The id of the item that suite, kind and key describe: 32 hex digits, the same on every machine.

    Args:
        suite: The suite's name.
        kind: The kind of item in the suite.
        *key: What makes the item this one and no other, such as subject, relation and object.
    """
    text = json.dumps([suite, kind, *key], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:ID_LENGTH]


def prompt_id(template_id: str, subject_alias_id: str) -> str:
    """The id of a prompt: one half from its template's id and one from its subject alias's.

    A prompt is a product, and there are millions of them. Composed in this way its id leads to both parents
    without a table, and a column of prompt ids compresses to little more than the two columns of halves.
    """
    half = ID_LENGTH // 2
    return template_id[:half] + subject_alias_id[:half]


def item_row(  # noqa: PLR0913 - one argument a column
    suite: str,
    kind: str,
    key: Iterable[str],
    payload: Mapping[str, Any],
    *,
    builder: str,
    version: str,
    sources: Iterable[tuple[str, str | None]] = (),
    parents: Iterable[str] = (),
    generation: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """One row of an item table, complete with its id.

    Args:
        suite: The suite's name.
        kind: The kind of item in the suite.
        key: What identifies the item, see `item_id`.
        payload: The kind's own columns.
        builder: The name of the builder that made it.
        version: The builder's version.
        sources: Pairs of a source's name and its revision.
        parents: Ids of the items that this one was made from.
        generation: `model`, `prompt_hash` and `sampling` of a generated text.
    """
    return {
        "item_id": item_id(suite, kind, *key),
        "suite": suite,
        "kind": kind,
        "builder": builder,
        "builder_version": version,
        "sources": [{"name": name, "revision": revision} for name, revision in sources],
        "parents": list(parents),
        "generation": dict(generation) if generation else None,
        **payload,
    }
