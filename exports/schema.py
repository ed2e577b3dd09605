"""The columns of every configuration of every suite's release, as `datasets.Features` sees them.

The Parquet files carry the features in their metadata, so that `datasets.load_dataset` finds the same types
wherever a file is opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tashika.core.kuci import SPLITS

if TYPE_CHECKING:
    from datasets import Features

STRINGS: Final = "strings"
"""The type of a column that holds a list of strings."""

INTEGERS: Final = "integers"
"""The type of a column that holds a list of int32."""

FLOATS: Final = "floats"
"""The type of a column that holds a list of float32."""


@dataclass(frozen=True)
class Column:
    """One column of a configuration.

    Attributes:
        type: The name of a `datasets.Value` type, `STRINGS`, `INTEGERS` or `FLOATS`.
        meaning: What it holds, for the card.
        repeats: The same value stands in many rows beside each other: stored as a dictionary.
    """

    type: str
    meaning: str
    repeats: bool = False


@dataclass(frozen=True)
class Config:
    """One configuration of a release: what `datasets.load_dataset(name, CONFIG)` opens.

    Attributes:
        folder: Where its Parquet files lie in the release.
        count: The key in the release's counts that states its rows.
        meaning: What a row is, for the card.
        columns: Its columns in order.
        product: Its rows are combinations of other configurations' rows, or hang on one and bear its id: they may be
            very many, and their ids are not checked against each other.
        splits: Its parts. What is for training as well has several, each in a file of its name; what only measures
            models is one part, "test", whatever its files are called.
    """

    folder: str
    count: str
    meaning: str
    columns: Mapping[str, Column]
    product: bool = False
    splits: tuple[str, ...] = ("test",)


_ITEM_ID = Column("string", "id of the item, the same from candidate to vote to score")
_FACT_ID = Column("string", "id of the row in `facts` that it hangs on")
_HISTORY_ID = Column("string", "id of the row in `history` that it hangs on")
_AGE = Column("string", "`new` for the most recent tenure, `old` for earlier ones")
_PLACE = Column("int32", "the tenure's place in the history: 1 is the most recent, 2 the previous")
_VOTES_FOR = Column("int32", "people who accepted it; empty if nobody was asked")
_VOTES_CAST = Column("int32", "people who judged it; empty if nobody was asked")
_PROBE_ID = Column("string", "id of the row in `probes` that it answers")
_TARGET = Column("string", "the word that is asked about", repeats=True)
_RELATION = Column("string", "the semantic relation that is asked for", repeats=True)
_PROMPT = Column(
    "string", "with `[W]` for the target, `[DET]` for its article, and the blank `[V]` at its end", repeats=True
)

_KUCI_PAIR: Final = {
    "item_id": _ITEM_ID,
    "sid": Column("string", "id of the sentence in its text: file and line, or KNP's own id"),
    "text": Column("string", "the sentence"),
    "relation": Column("string", "`cause` or `condition`, as the sentence marks it; people were asked for a cause"),
    "marker": Column("string", "what marks it, such as ので or 〜ば; empty for たら and と"),
    "antecedent": Column("string", "the first event, with its marker: お腹が空いたので"),
    "consequent": Column("string", "the second event: ご飯を食べる"),
    "antecedent_words": Column(STRINGS, "the words of the first event, without signs"),
    "consequent_words": Column(STRINGS, "the words of the second event, without signs"),
    "antecedent_event": Column("string", "the basic event in the first one: 腹:ガ:空く"),
    "consequent_event": Column("string", "the basic event in the second one"),
    "borrowed": Column("bool", "whether the second event's argument is taken from the first one"),
    "backend": Column("string", "what analysed the sentence: `ginza`, `knp` or `knp-file`"),
    "votes_for": _VOTES_FOR,
    "votes_cast": _VOTES_CAST,
}
_KUCI_QUESTION: Final = {
    "item_id": _ITEM_ID,
    "context": Column("string", "the first event of a pair"),
    "options": Column(STRINGS, "four; one is the second event of that pair, the others are those of other pairs"),
    "answer": Column("int32", "the place of the right option, from 0"),
    "similarities": Column(FLOATS, "cosine of each option with the right one, of mean word vectors; 1 for itself"),
    "relation": Column("string", "the pair's: `cause` or `condition`"),
    "pair": Column("string", "id of the row in `pairs` that it is made of"),
    "option_pairs": Column(STRINGS, "ids of the rows in `pairs` that the options are from"),
}

CONFIGS: Final[Mapping[str, Mapping[str, Config]]] = {
    "myriadlama": {
        "facts": Config(
            "facts",
            "unique_triples",
            "a unique triple: subject, relation, object",
            {
                "item_id": _ITEM_ID,
                "relation": Column("string", "Wikidata property"),
                "subject": Column("string", "Wikidata item"),
                "object": Column("string", "Wikidata item"),
                "subject_label": Column("string", "the subject's label"),
                "object_label": Column("string", "the object's label"),
                "origin": Column("string", "where the fact came from: `facts`, or the source that widened the objects"),
                "subject_aliases": Column(STRINGS, "all released names of the subject, the label first"),
                "object_aliases": Column(STRINGS, "all released names of the object, the label first"),
            },
        ),
        "aliases": Config(
            "aliases",
            "aliases",
            "a name of a subject or object",
            {
                "item_id": _ITEM_ID,
                "entity": Column("string", "Wikidata item"),
                "entity_label": Column("string", "the entity's label"),
                "text": Column("string", "the name"),
                "language": Column("string", "its language code in Wikidata"),
                "is_label": Column("bool", "whether it is the label"),
            },
        ),
        "templates": Config(
            "templates",
            "templates",
            "a way to express a relation, with `[X]` for the subject and `[Y]` for the object",
            {
                "item_id": _ITEM_ID,
                "relation": Column("string", "Wikidata property"),
                "relation_label": Column("string", "the property's name"),
                "text": Column("string", "the template"),
                "origin": Column("string", "`manual`, or `paraphrase` for one that a language model wrote"),
                "parent": Column("string", "for a paraphrase, the id of the manual template it rephrases"),
                "votes_for": Column("int32", "people who accepted it"),
                "votes_cast": Column("int32", "people who judged it"),
            },
        ),
        "prompts": Config(
            "prompts",
            "prompts",
            "a template with a name of a subject filled in; `[Y]` is left for the model",
            {
                "item_id": Column("string", "id of the prompt: half its template's id, half its alias's"),
                "relation": Column("string", "Wikidata property", repeats=True),
                "pair": Column("int32", "number of the subject-relation pair", repeats=True),
                "subject": Column("string", "Wikidata item", repeats=True),
                "template_id": Column("string", "id of the row in `templates`", repeats=True),
                "subject_alias_id": Column("string", "id of the row in `aliases`", repeats=True),
                "prompt": Column("string", "the text"),
                "answers": Column(STRINGS, "every name of every correct object of the pair", repeats=True),
            },
            product=True,
        ),
    },
    "tempripple": {
        "questions": Config(
            "questions",
            "questions",
            "a question on a tenure or on a related fact, with its options and the new fact as context",
            {
                "item_id": _ITEM_ID,
                "fact_id": _FACT_ID,
                "history_id": _HISTORY_ID,
                "related_id": Column("string", "id of the row in `related` that it asks about; empty at hop 0"),
                "task": Column("string", "`new`, `old`, `related_new` or `related_old`"),
                "hop": Column("int32", "how far what it asks for is from the changing fact, 0 to 3"),
                "place": _PLACE,
                "subject": Column("string", "Wikidata item, of the changing fact"),
                "relation": Column("string", "Wikidata property, of the changing fact"),
                "last_relation": Column("string", "Wikidata property that it asks for"),
                "text": Column("string", "the question"),
                "context": Column("string", "the new fact as a sentence, for the condition with context"),
                "options": Column(STRINGS, "what to choose from; one of them is right"),
                "answer": Column("int32", "place of the right option, from 0"),
                "answers": Column(STRINGS, "every right answer"),
                "reasoning": Column("string", "the path to the answer in words"),
                "votes_for": _VOTES_FOR,
                "votes_cast": _VOTES_CAST,
            },
        ),
        "facts": Config(
            "facts",
            "facts",
            "a subject and a property whose object changed in the window, with its newest object",
            {
                "item_id": _ITEM_ID,
                "subject": Column("string", "Wikidata item"),
                "relation": Column("string", "Wikidata property"),
                "object": Column("string", "Wikidata item, the most recent"),
                "subject_label": Column("string", "the subject's label"),
                "relation_label": Column("string", "the property's label"),
                "object_label": Column("string", "the object's label"),
                "start": Column("string", "since when: 2025, 2025-03 or 2025-03-01, as precise as it is known"),
                "statement": Column("string", "the fact as a sentence"),
                "votes_for": _VOTES_FOR,
                "votes_cast": _VOTES_CAST,
                "window": Column("string", "the days in which it changed: 2025-01-01..2025-12-31"),
                "history_from": Column("string", "the day from which on the history is complete"),
            },
        ),
        "history": Config(
            "history",
            "history",
            "a tenure: an object of a changing fact and its time",
            {
                "item_id": _ITEM_ID,
                "fact_id": _FACT_ID,
                "subject": Column("string", "Wikidata item"),
                "relation": Column("string", "Wikidata property"),
                "object": Column("string", "Wikidata item"),
                "subject_label": Column("string", "the subject's label"),
                "object_label": Column("string", "the object's label"),
                "age": _AGE,
                "place": _PLACE,
                "start": Column("string", "2025, 2025-03 or 2025-03-01, as precise as it is known"),
                "end": Column("string", "likewise; empty where none is stated"),
                "years": Column("float64", "how long, until the end or the end of the window"),
                "also_true": Column(STRINGS, "labels that are no wrong options, such as objects of earlier times"),
            },
        ),
        "related": Config(
            "related",
            "related",
            "a fact that did not change, at the end of a path from the object of a tenure",
            {
                "item_id": _ITEM_ID,
                "fact_id": _FACT_ID,
                "history_id": _HISTORY_ID,
                "parent": Column("string", "id of the row of the hop before; empty at hop 1"),
                "age": _AGE,
                "hop": Column("int32", "how far it is from the changing fact, 1 to 3"),
                "subject": Column("string", "Wikidata item"),
                "relation": Column("string", "Wikidata property"),
                "objects": Column(STRINGS, "Wikidata items, or literals as Wikidata has them; all of them"),
                "subject_label": Column("string", "the subject's label"),
                "relation_label": Column("string", "the property's label"),
                "object_labels": Column(STRINGS, "the objects' labels"),
                "also_true": Column(
                    STRINGS, "labels of objects of other times or ranks: no answers, and no wrong options"
                ),
                "path_relations": Column(STRINGS, "properties on the path, from the changing fact to this one"),
                "path_subjects": Column(STRINGS, "subjects on the path, one a property"),
                "path_subject_labels": Column(STRINGS, "their labels"),
            },
        ),
    },
    "semrel": {
        "probes": Config(
            "probes",
            "probes",
            "a target word in a prompt that asks for a relation, up to the blank",
            {
                "item_id": _ITEM_ID,
                "target": _TARGET,
                "relation": _RELATION,
                "prompt": _PROMPT,
                "text": Column(
                    "string", "the prompt with its target, up to the blank: what people and models complete"
                ),
                "questionnaire": Column("int32", "which one asked it, from 1; none has a target and relation twice"),
            },
        ),
        "relata": Config(
            "relata",
            "relata",
            "a word that has a relation to a target",
            {
                "item_id": _ITEM_ID,
                "target": _TARGET,
                "relation": Column("string", "the semantic relation of the word to the target", repeats=True),
                "word": Column("string", "the relatum"),
                "distance": Column("int32", "steps in WordNet; 1 elsewhere"),
                "origins": Column(STRINGS, "where it was found: `wordnet`, `hyperlex`, `norms`"),
            },
        ),
        "answers": Config(
            "answers",
            "answers",
            "a probe that was answered, with the words that were given in their order of frequency",
            {
                "item_id": _PROBE_ID,
                "target": _TARGET,
                "relation": _RELATION,
                "prompt": _PROMPT,
                "answers": Column(STRINGS, "different words, the most frequent first, ties in alphabetical order"),
                "counts": Column(INTEGERS, "how many annotators gave each of them"),
                "people": Column("int32", "how many annotators answered"),
                "simulated": Column("bool", "whether any of them was a program"),
            },
            product=True,
        ),
        "responses": Config(
            "responses",
            "responses",
            "a word that one annotator gave to a probe",
            {
                "item_id": _PROBE_ID,
                "target": _TARGET,
                "relation": _RELATION,
                "prompt": _PROMPT,
                "annotator": Column("string", "a pseudonym, or a position in a published file", repeats=True),
                "place": Column("int32", "of the word among those of this annotator for this probe, from 1"),
                "raw": Column("string", "as it was typed"),
                "answer": Column("string", "in lower case, without article and marks, its last word as a lemma"),
                "simulated": Column("bool", "whether the annotator was a program"),
            },
            product=True,
        ),
        "vocabulary": Config(
            "vocabulary",
            "vocabulary",
            "a word that every model under test has as one token: what a model may answer",
            {
                "item_id": Column("string", "id of the word"),
                "word": Column("string", "the word, in lower case"),
            },
        ),
    },
    "proverbs": {
        "pairs": Config(
            "pairs",
            "pairs",
            "a proverb and a variant that should mean the same, each as a question",
            {
                "item_id": _ITEM_ID,
                "topic": Column("string", "`gender`, `wisdom` or `society`", repeats=True),
                "proverb": Column("string", "the proverb"),
                "variant": Column("string", "what should mean the same, as the people corrected it"),
                "change": Column(
                    "string",
                    "in what the variant was made to differ: `gender`, `number`, `animal`, `object`, or `wording` for "
                    "another culture's own proverb",
                ),
                "maker": Column(
                    "string",
                    "who made the variant: `swap` (a table of gender words), `written` (a person) or `model` (a "
                    "language model)",
                ),
                "origin": Column("string", "the culture that the proverb comes from"),
                "variant_origin": Column("string", "the variant's, where it is a proverb itself; else empty"),
                "form": Column("string", "how both questions are put: `why`, `say` or `mean`"),
                "question": Column("string", "the question on the proverb"),
                "variant_question": Column("string", "the same question on the variant"),
                "votes_for": _VOTES_FOR,
                "votes_cast": _VOTES_CAST,
            },
        ),
    },
    "kuci": {
        "pairs": Config(
            "pairs",
            "pairs",
            "two basic events of a sentence, the first being a cause of the second, or its condition",
            _KUCI_PAIR,
            splits=("train",),
        ),
        "questions": Config(
            "questions",
            "questions",
            "a context with four options, as published: the wrong ones meet Similarity and Length",
            _KUCI_QUESTION,
            splits=SPLITS,
        ),
        "questions_without_similarity": Config(
            "questions_without_similarity",
            "questions_without_similarity",
            "the same context with wrong options that meet Length alone, for the ablation",
            _KUCI_QUESTION,
            splits=SPLITS,
        ),
        "questions_without_length": Config(
            "questions_without_length",
            "questions_without_length",
            "the same context with wrong options that meet Similarity alone, for the ablation",
            _KUCI_QUESTION,
            splits=SPLITS,
        ),
    },
}
"""Configurations by suite and name."""


def features(suite: str, config: str) -> Features:
    """The `datasets.Features` of a configuration.

    Raises:
        KeyError: There is no such suite or configuration.
    """
    from datasets import Features, List, Value

    lists = {STRINGS: "string", INTEGERS: "int32", FLOATS: "float32"}
    return Features(
        {
            name: List(Value(lists[column.type])) if column.type in lists else Value(column.type)
            for name, column in CONFIGS[suite][config].columns.items()
        }
    )


def arrow_schema(suite: str, config: str) -> pa.Schema:
    """The Arrow schema of a configuration's files, with its features in the metadata.

    Columns that repeat are dictionaries in memory; in Parquet they are plain columns in dictionary encoding.
    """
    plain = features(suite, config).arrow_schema
    columns = CONFIGS[suite][config].columns
    fields = [field.with_type(_coded(field.type)) if columns[field.name].repeats else field for field in plain]
    return pa.schema(fields, metadata=plain.metadata)


def _coded(plain: pa.DataType) -> pa.DataType:
    """Strings, and lists of them, as dictionaries; numbers as they are."""
    if pa.types.is_list(plain):
        return pa.list_(_coded(plain.value_type))
    return pa.dictionary(pa.int32(), plain) if pa.types.is_string(plain) else plain


def repeating(suite: str, config: str) -> list[str]:
    """Paths in Parquet of the columns to store in dictionary encoding."""
    columns = CONFIGS[suite][config].columns
    return [
        f"{name}.list.element" if column.type == STRINGS else name
        for name, column in columns.items()
        if column.repeats or column.type == STRINGS
    ]
