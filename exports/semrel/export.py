"""The release of semantic relations: probes, relata, what people answered, and the vocabulary of answers.

The paper's sections 3.2 and 3.3. Control questions are never released, so that they stay unknown; a probe that an
adjudicator rejected falls with its answers, and relata fall with the last probe of their target. Nobody needs to have
answered: models are measured on the probes alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.core.answers import answers_by_person, people_with
from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_grown_table
from tashika.core.records import RESPONSE, VERDICT, item_id
from tashika.core.suites.papers import bibtex_of
from tashika.core.suites.semrel import PAPERS
from tashika.core.suites.semrel.words import NAME, RELATIONS
from tashika.core.workspace import Workspace
from tashika.exports.arrow import ascending, column, values
from tashika.exports.arrow import compute as pc
from tashika.exports.checking.shape import Shape
from tashika.exports.judgments import released_names
from tashika.exports.plan import CardText, CountRow, ExportSettings, Plan, SuiteExport
from tashika.exports.schema import features
from tashika.exports.selection import chosen, decisions, with_verdicts
from tashika.exports.semrel.checks import SEMREL
from tashika.exports.semrel.schema import CONFIGS
from tashika.exports.tables import content_digest, table_file
from tashika.exports.validation import KindValidation, read_validation, validation_file

KINDS = ("probe", "relatum")


def plan(workspace: Workspace, _settings: ExportSettings) -> Plan:
    """Selects the items that go in and counts the release.

    Raises:
        MissingStageError: Items are not there yet, or a part of what the annotation leaves is missing.
        InputError: No probe is left, or a file is broken.
    """
    probes, left_probes = _probes(workspace)
    all_relata = workspace.read_items("relatum")
    relata = _in_order(all_relata.filter(pc.is_in(all_relata.column("target"), value_set=column(probes, "target"))))
    all_responses, validation = _annotation(workspace)
    responses, left_responses = _responses(all_responses, probes)
    tables = _tables({"probes": probes, "relata": relata, "responses": responses}, _vocabulary(workspace))
    return Plan(
        # `datasets` cannot open a split without rows: where nobody answered, there are no files of answers.
        files=tuple(table_file(NAME, name, table) for name, table in tables.items() if table.num_rows),
        counts=_counts(tables),
        left_out={
            **left_probes,
            "relata_of_targets_left_out": all_relata.num_rows - relata.num_rows,
            **left_responses,
        },
        digest=content_digest(tables),
        items={"probe": probes, "relatum": relata},
        validation=validation,
    )


def response_file(workspace: Workspace) -> Path:
    """What people answered, one row a word."""
    return workspace.annotation / "responses.parquet"


def vocabulary_file(workspace: Workspace) -> Path:
    """The shared vocabulary, one word a line."""
    return workspace.items / "vocabulary.txt"


# --- what goes in


def _probes(workspace: Workspace) -> tuple[pa.Table, dict[str, int]]:
    """The probes that go in, and how many do not, by reason."""
    items = workspace.read_items("probe")
    asked = items.filter(pc.is_null(items.column("known_answers")))
    verdicts = workspace.read_verdicts() if workspace.verdict_file.exists() else VERDICT.empty_table()
    probes = with_verdicts(asked, verdicts)
    kept = chosen(probes, "audit")
    if kept.num_rows == 0:
        raise InputError(
            f"no probe is left: {decisions(probes) or 'none was built'}, {items.num_rows - asked.num_rows} controls",
            where=str(workspace.item_file("probe")),
            hint=f"Look at the adjudications, or run `tashika build {NAME}` again.",
        )
    left = {"control_questions": items.num_rows - asked.num_rows, "rejected_probes": asked.num_rows - kept.num_rows}
    return _in_order(kept), left


def _annotation(workspace: Workspace) -> tuple[pa.Table, Mapping[str, KindValidation]]:
    """People's answers and the summary of them; nothing where nobody was asked.

    Raises:
        MissingStageError: One is there without the other.
    """
    has_responses, has_summary = response_file(workspace).exists(), validation_file(workspace).exists()
    if not has_responses and not has_summary:
        return RESPONSE.empty_table(), {}
    if not has_responses:
        raise MissingStageError(
            "there is a summary of the answers, but the answers are missing",
            where=str(response_file(workspace)),
            hint=f"Run `tashika annotate vote {NAME}` again.",
        )
    responses = read_grown_table(response_file(workspace), RESPONSE)
    return _renamed(responses, released_names(workspace)), read_validation(workspace)


def _renamed(responses: pa.Table, names: Mapping[str, str]) -> pa.Table:
    """The responses under the pseudonyms of a release; who has none there keeps the own one."""
    people = pa.array([names.get(name, name) for name in values(responses, "annotator")], pa.string())
    place = responses.schema.get_field_index("annotator")
    return responses.set_column(place, responses.schema.field(place), people)


def _responses(responses: pa.Table, probes: pa.Table) -> tuple[pa.Table, dict[str, int]]:
    """The answers to released probes that have a letter, and how many are left out, by reason."""
    here = responses.filter(pc.is_in(responses.column("item_id"), value_set=column(probes, "item_id")))
    kept = here.filter(pc.not_equal(here.column("answer"), ""))
    left = {
        "answers_to_probes_that_are_not_released": responses.num_rows - here.num_rows,
        "empty_answers": here.num_rows - kept.num_rows,
    }
    return _in_order(kept), left


def _vocabulary(workspace: Workspace) -> list[str]:
    """The words of the shared vocabulary, sorted, each once.

    Raises:
        MissingStageError: There is no such file.
        InputError: It is not UTF-8, or has no word.
    """
    path = vocabulary_file(workspace)
    try:
        words = sorted(set(path.read_text(encoding="utf-8").split()))
    except FileNotFoundError as error:
        hint = f"Run `tashika build {NAME}` first."
        raise MissingStageError("there is no shared vocabulary yet", where=str(path), hint=hint) from error
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error}", where=str(path), hint=f"Run `tashika build {NAME}` again.") from error
    if not words:
        raise InputError("found no word", where=str(path), hint=f"Run `tashika build {NAME}` again.")
    return words


def _in_order(table: pa.Table) -> pa.Table:
    """Rows of one relation beside each other, in the paper's order, and of one target in it."""
    ranks = pc.index_in(table.column("relation"), value_set=pa.array(RELATIONS, pa.string()))
    keys = [name for name in ("target", "prompt", "word", "annotator", "place") if name in table.column_names]
    return table.append_column("rank", ranks).sort_by(ascending("rank", *keys)).drop_columns(["rank"]).combine_chunks()


# --- the tables


def _tables(kept: Mapping[str, pa.Table], vocabulary: list[str]) -> dict[str, pa.Table]:
    """The configurations' tables."""
    words = [{"item_id": item_id(NAME, "word", word), "word": word} for word in vocabulary]
    made = {
        **kept,
        "answers": pa.Table.from_pylist(
            list(_answers(kept["responses"])), schema=features(NAME, "answers").arrow_schema
        ),
        "vocabulary": pa.Table.from_pylist(words, schema=features(NAME, "vocabulary").arrow_schema),
    }
    return {config: made[config].select(list(columns.columns)) for config, columns in CONFIGS.items()}


def _answers(responses: pa.Table) -> Iterator[dict[str, Any]]:
    """One row a probe, in the order in which the responses have them."""
    by_probe: dict[str, list[dict[str, Any]]] = {}
    for row in responses.to_pylist():
        by_probe.setdefault(row["item_id"], []).append(row)
    for rows in by_probe.values():
        by_person = answers_by_person(rows)
        counts = people_with(by_person.values())
        yield {
            **{name: rows[0][name] for name in ("item_id", "target", "relation", "prompt")},
            "answers": list(counts),
            "counts": list(counts.values()),
            "people": len(by_person),
            "simulated": any(row["simulated"] for row in rows),
        }


def _counts(tables: Mapping[str, pa.Table]) -> dict[str, int]:
    relations, targets = values(tables["probes"], "relation"), values(tables["probes"], "target")
    probes, pairs = Counter(relations), Counter(relation for _, relation in set(zip(targets, relations, strict=True)))
    responses = tables["responses"]
    return {
        **{name: table.num_rows for name, table in tables.items()},
        "targets": len(set(targets)),
        **{f"{relation}_targets": pairs[relation] for relation in RELATIONS},
        **{f"{relation}_probes": probes[relation] for relation in RELATIONS},
        "people_by_probe": sum(values(tables["answers"], "people")),
        "annotators": len(responses.column("annotator").unique()),
    }


_SUMMARY = """\
Probes of semantic relations: a noun in a sentence whose last word is left out ("a dog is a kind of any ..."), for
hypernymy, hyponymy, holonymy, meronymy, antonymy and synonymy, each asked in several ways. With them come the words
that have each of these relations to the noun, and what people answered, where they were asked. A model, masked or
causal, or people complete a probe with a ranked list of words; which relations these words have to the noun shows how
well one relation is told from another, and whether antonyms come up where they were not asked for. The design is that
of the paper below."""

_PUBLISHED = {
    "targets": {"hypernymy": 718, "hyponymy": 319, "holonymy": 195, "meronymy": 146, "antonymy": 105, "synonymy": 218},
    "probes": {
        "hypernymy": 5_026, "hyponymy": 2_233, "holonymy": 1_365, "meronymy": 876, "antonymy": 945, "synonymy": 1_526,
    },
}  # fmt: skip
"""The paper's table 1."""

_OWN_LICENCE = "if it is of your own making, its licence is to be checked before this release is passed on"

_WORDNET_NOTICE = """\
This software and database is being provided to you, the LICENSEE, by
Princeton University under the following license.  By obtaining, using
and/or copying this software and database, you agree that you have
read, understood, and will comply with these terms and conditions.:

Permission to use, copy, modify and distribute this software and
database and its documentation for any purpose and without fee or
royalty is hereby granted, provided that you agree to comply with
the following copyright notice and statements, including the disclaimer,
and that the same appear on ALL copies of the software, database and
documentation, including modifications that you make for internal
use or for distribution.

WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.

THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON
UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS OR
IMPLIED.  BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON
UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES OF MERCHANT-
ABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE
OF THE LICENSED SOFTWARE, DATABASE OR DOCUMENTATION WILL NOT
INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR
OTHER RIGHTS.

The name of Princeton University or Princeton may not be used in
advertising or publicity pertaining to distribution of the software
and/or database.  Title to copyright in this software, database and
any associated documentation shall at all times remain with
Princeton University and LICENSEE agrees to preserve same."""
"""WordNet's licence wants it on all copies; relata are taken from there."""

EXPORT = SuiteExport(
    suite=NAME,
    kinds=KINDS,
    configs=CONFIGS,
    plan=plan,
    checks=SEMREL,
    shapes={
        "probes": Shape(texts=("text",)),
        "relata": Shape(texts=("word",)),
        "responses": Shape(texts=("raw",)),
        "vocabulary": Shape(texts=("word",)),
    },
    inputs=lambda workspace: (response_file(workspace), vocabulary_file(workspace)),
    own_method="Its measures compare ranked lists of words with sets of related words, and models with people; no one "
    "answer is right.",
    card=CardText(
        summary=_SUMMARY,
        building=(
            "Targets are nouns of one word that every model under test has as one token. They come from HyperLex and "
            "from category norms where these were given, and from WordNet.",
            "Relata are looked up in WordNet, by steps over its noun synsets, and taken over from HyperLex and the "
            "norms; `origins` says which of them has a word. A target is asked about a relation only if it has a "
            "relatum of it in the shared vocabulary.",
            "A probe is a prompt with its target, cut off where the blank is, so that masked and causal models are "
            "asked the same. `[DET]` before the target is the article of its first sound, or none if it is a mass "
            'noun, and nothing before the blank; in the prompts of a response file it is "the" before both, as its '
            "people read it.",
            "Probes were dealt to questionnaires, none of which has a target and relation twice, with control "
            "questions of known answer among them. The control questions are not released.",
            "People completed a probe with several words in their order. An answer is read in lower case, without a "
            "leading article and without what is no letter at its ends, its last word as a lemma; `raw` has it as "
            "it was typed. `answers` has the words of a probe by the number of people who gave them, ties in the "
            "order of first mention: `turn` says who answered a probe first, `place` which word came first.",
        ),
        notice=_WORDNET_NOTICE,
        licences={
            "wordnet": "WordNet License (Princeton University); its notice goes along with every copy",
            "hyperlex": "that of HyperLex (Vulić et al., 2017), to be checked before this release is passed on",
            "category norms": f"CC0 1.0 for the packaged list; {_OWN_LICENCE}",
            "semrel_prompts.toml": "CC0 1.0, written for this dataset",
            "published responses": "that of the file, to be checked before this release is passed on",
        },
        published=("Table 1",),
        counts=(
            *(
                CountRow(f"{what}, {relation}", f"{relation}_{what}", (published[relation],))
                for what, published in _PUBLISHED.items()
                for relation in RELATIONS
            ),
            CountRow("probes", "probes", (sum(_PUBLISHED["probes"].values()),)),
            CountRow("responses (one person to one probe)", "people_by_probe", (4 * 11_971,)),
        ),
        counts_note=(
            "A target counts once for each relation that it is asked about. In the paper four people answered each "
            "probe. It took its targets from HyperLex and from category norms that are not free; those of this release "
            "come from the sources below, so that the words differ even where the numbers agree."
        ),
        example="probes",
        limits=(
            "Prompts and category norms are our own and not the paper's, unless the sources above say otherwise: "
            "scores are not comparable with the paper's word by word.",
            "Relata derive from WordNet. `WordNet (c) Princeton University. All rights reserved.` Its licence "
            "(https://wordnet.princeton.edu/license-and-commercial-use) permits use, copying, modification and "
            "distribution for any purpose and without fee, if this notice goes along and Princeton's name is not used "
            "to advertise.",
            "Relata are complete only as far as their sources are: a sound answer that none of them has counts as no "
            "relatum. WordNet lists all senses of a word, also rare ones.",
            "Where HyperLex or norms of others are among the sources, what comes from them is under their own terms; "
            "nobody has checked here whether these permit to pass it on.",
            "Words of several tokens are no targets and cannot be answered by a model: the vocabulary is that of "
            "common words, and depends on the models that shared it.",
            "Questions are English and ask for nouns without context; people may think of another sense than the "
            "one that WordNet relates.",
            "What people answer says how they complete a sentence, not what is true of the words.",
        ),
        citation=bibtex_of(PAPERS),
        tags=("semantic-relations", "lexical-semantics", "wordnet", "probing", "antonymy"),
        task_categories=("fill-mask", "text-generation"),
        use_cases=(
            "Measuring how well a language model tells one semantic relation from another, beside people.",
            "It is no lexicon, and no training set.",
        ),
        biases=(
            "Targets are frequent English nouns of one token; rare words, other parts of speech and other languages "
            "are not in it.",
            "Relations are those of WordNet's lexicographers, American English above all.",
        ),
        personal_information=("None in the items.",),
        social_impact=(
            "It shows what a model confuses, such as opposites with synonyms. Lists of words hold the prejudices of "
            "their makers, people's answers those of the people asked."
        ),
    ),
)
