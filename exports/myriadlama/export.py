"""The release of MyriadLAMA: which facts, names and templates go in, and the content of its card.

Zhao, Yoshinaga and Oba, section 2 and appendix A.1: unique triples are facts; names of a subject and templates of a
relation make prompts; names of the object beside them make derived triples.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from tashika.core.cloze import normalised
from tashika.core.errors import InputError
from tashika.core.files import read_table
from tashika.core.progress import say
from tashika.core.suites.myriadlama import ENGLISH_TEMPLATES, OWN_FACTS, PAPERS
from tashika.core.suites.myriadlama.lama import LAMA_FILE, LAMA_SCHEMA
from tashika.core.suites.papers import bibtex_of
from tashika.core.workspace import Workspace
from tashika.core.writing import without_idle_spaces, writing_of
from tashika.exports.arrow import Order, ascending, column
from tashika.exports.arrow import compute as pc
from tashika.exports.myriadlama.cloze_checks import CLOZE, without_both_slots
from tashika.exports.myriadlama.cloze_plan import (
    FACTOR_CONFIGS,
    cloze_counts,
    cloze_files,
    nameless,
    with_names,
    with_relation_names,
)
from tashika.exports.myriadlama.lite_checks import LITE
from tashika.exports.myriadlama.schema import CONFIGS, RELATION_NAME
from tashika.exports.myriadlama.settings import LiteSettings, MyriadLamaExport
from tashika.exports.myriadlama.shapes import SHAPES
from tashika.exports.myriadlama.tasks import tasks
from tashika.exports.plan import CardText, CountRow, ExportSettings, Plan, SuiteExport
from tashika.exports.selection import chosen, corrected, decisions, released, with_verdicts, without_repeats
from tashika.exports.tables import content_digest, table_file
from tashika.exports.validation import mode_of, read_validation

SUITE = "myriadlama"
KINDS = ("fact", "alias", "template")


def plan(workspace: Workspace, settings: ExportSettings) -> Plan:
    """Selects the items that go in and counts the release.

    Raises:
        MissingStageError: Items or verdicts are not there yet.
        InputError: No template was accepted, a template lacks a slot, or an entity has no name.
    """
    validation = read_validation(workspace)
    verdicts = workspace.read_verdicts()
    items = {kind: workspace.read_items(kind) for kind in KINDS}
    templates, template_counts = _templates(
        workspace, items["template"], verdicts, mode_of(validation, "template", "all")
    )
    aliases = _aliases(items["alias"], verdicts, mode_of(validation, "alias", "audit"))
    _require_names(workspace, items["fact"], items["alias"])
    facts, fact_counts = _facts(workspace, items["fact"], templates, aliases)
    used = pa.chunked_array([*facts.column("subject").chunks, *facts.column("object").chunks]).unique()
    aliases = aliases.filter(pc.is_in(aliases.column("entity"), value_set=used)).combine_chunks()
    named = with_relation_names(with_names(facts, aliases), templates)
    tables = {"facts": named, "aliases": aliases, "templates": templates}
    tables = {name: tables[name].select(list(CONFIGS[name].columns)) for name in FACTOR_CONFIGS}
    lite = settings.lite if isinstance(settings, MyriadLamaExport) else LiteSettings()
    files = cloze_files(SUITE, tables, settings.prompts_per_shard, lite)
    counts = cloze_counts(templates, aliases, facts)
    if lite.pairs:
        counts["lite_prompts"] = sum(file.rows for file in files if file.config == "lite")
    lama = _lama(workspace, facts)
    if lama.num_rows:
        tables["lama_uhn"] = lama
        files = (*files, table_file(SUITE, "lama_uhn", lama))
        counts["lama_prompts"] = lama.num_rows
    return Plan(
        files=files,
        counts=counts,
        left_out={**template_counts, **fact_counts, "rejected_aliases": _rejected(items["alias"], verdicts)},
        digest=content_digest({**tables, "facts": tables["facts"].drop_columns([RELATION_NAME])}),
        items={"fact": facts, "alias": aliases, "template": templates},
        validation=validation,
        card=_card(items["fact"], aliases, templates, settings),
    )


def _card(facts: pa.Table, aliases: pa.Table, templates: pa.Table, settings: ExportSettings) -> CardText | None:
    """The card's text, where that of the suite does not fit; says so where the settings name another language."""
    language = _language(aliases, templates)
    name = writing_of(language).name
    if language not in settings.language:
        say(
            f"card: names and templates are in {name}, and [export] language has {', '.join(settings.language)}; "
            f'set language = ["{language}"] there, and export again'
        )
    if _own(facts):
        return _OWN_CARD
    if language == "en":
        return None
    example = str(templates.column("text")[0])
    return replace(
        _CARD,
        summary=_SUMMARY.replace(_EXAMPLE, example),
        limits=(*_CARD.limits[:-1], f"Names and templates are {name}."),
    )


def _language(aliases: pa.Table, templates: pa.Table) -> str:
    """The language of a release: that of most labels, `mul` (for all) aside; English where the templates are."""
    sources = {source["name"] for row in column(templates, "sources").to_pylist() for source in row}
    labels = aliases.filter(aliases.column("is_label")).column("language").to_pylist()
    counts = Counter(writing_of(str(language)).code for language in labels if language != "mul")
    if ENGLISH_TEMPLATES in sources or not counts:
        return "en"
    return max(sorted(counts), key=lambda code: counts[code])


def _lama_file(workspace: Workspace) -> Path:
    return workspace.items / LAMA_FILE


def _lama(workspace: Workspace, facts: pa.Table) -> pa.Table:
    """LAMA's own prompts about the released pairs, sorted; no rows where the build was not from LAMA's files."""
    file = _lama_file(workspace)
    if not file.is_file():
        return LAMA_SCHEMA.empty_table()
    released = {*zip(facts.column("relation").to_pylist(), facts.column("subject").to_pylist(), strict=True)}
    rows = [row for row in read_table(file).to_pylist() if (row["relation"], row["subject"]) in released]
    return pa.Table.from_pylist(rows, schema=LAMA_SCHEMA).sort_by(ascending("relation", "subject", "object"))


def _own(facts: pa.Table) -> bool:
    """Whether the facts are the user's own, and none of Wikidata's."""
    return set(facts.column("builder").unique().to_pylist()) == {OWN_FACTS}


def _templates(workspace: Workspace, items: pa.Table, verdicts: pa.Table, mode: str) -> tuple[pa.Table, dict[str, int]]:
    """The accepted templates, sorted by relation and text, and how many of the others there are."""
    table = with_verdicts(items, verdicts)
    kept = _without_idle_spaces(corrected(released(workspace, table, "template", mode)))
    key = pa.array([normalised(str(text)) for text in kept.column("text").to_pylist()], pa.string())
    kept = without_repeats(kept.append_column("key", key), ["relation", "key"]).drop_columns(["key"])
    _require_slots(workspace, kept)
    parent = pa.array([parents[0] if parents else None for parents in kept.column("parents").to_pylist()], pa.string())
    kept = kept.append_column("parent", parent)
    by_decision = decisions(table)
    left = {f"{name}_templates": by_decision.get(name, 0) for name in ("rejected", "undecided", "unjudged")}
    return kept.sort_by(ascending("relation", "text", "item_id")).combine_chunks(), left


def _without_idle_spaces(templates: pa.Table) -> pa.Table:
    """The templates as their language writes them: what people correct may have spaces that nobody writes."""
    texts = pa.array([without_idle_spaces(str(text)) for text in templates.column("text").to_pylist()], pa.string())
    return templates.set_column(templates.schema.get_field_index("text"), "text", texts)


def _require_slots(workspace: Workspace, templates: pa.Table) -> None:
    wrong = templates.filter(without_both_slots(templates.column("text")))
    for row in wrong.select(["item_id", "text", "corrected"]).slice(0, 1).to_pylist():
        file = workspace.verdict_file if row["corrected"] else workspace.item_file("template")
        raise InputError(
            f"found the template {row['text']!r}; expected [X] and [Y] exactly once each",
            where=f"{file}, item {row['item_id']}",
            hint="Change the correction in Label Studio, or the template, and build or vote again.",
        )


def _aliases(items: pa.Table, verdicts: pa.Table, mode: str) -> pa.Table:
    """The names that were not rejected, by entity with the label first."""
    kept = without_repeats(corrected(chosen(with_verdicts(items, verdicts), mode)), ["entity", "text"])
    order: Order = [*ascending("entity"), ("is_label", "descending"), *ascending("text", "item_id")]
    return kept.sort_by(order).combine_chunks()


def _rejected(items: pa.Table, verdicts: pa.Table) -> int:
    return decisions(with_verdicts(items, verdicts)).get("rejected", 0)


def _require_names(workspace: Workspace, facts: pa.Table, aliases: pa.Table) -> None:
    """Every entity was built with a name; which of them the people rejected is another matter."""
    for row in facts.filter(nameless(facts, aliases.sort_by("entity"))).slice(0, 1).to_pylist():
        known = set(aliases.column("entity").to_pylist())
        entity = next(row[role] for role in ("subject", "object") if row[role] not in known)
        raise InputError(
            f"{entity} of the fact {row['item_id']} has no name; expected at least its label",
            where=str(workspace.item_file("alias")),
            hint=f"Run `tashika build {SUITE}` again.",
        )


def _facts(
    workspace: Workspace, facts: pa.Table, templates: pa.Table, aliases: pa.Table
) -> tuple[pa.Table, dict[str, int]]:
    """The facts that can be asked, sorted by relation, subject and object, and how many cannot be and why."""
    askable = facts.filter(pc.is_in(facts.column("relation"), value_set=column(templates, "relation")))
    named = askable.filter(pc.invert(nameless(askable, aliases)))
    if named.num_rows == 0:
        raise InputError(
            f"none of the {facts.num_rows} facts has an accepted template for its relation, and names",
            where=str(workspace.item_file("fact")),
            hint=f"`tashika annotate status {SUITE}` shows who has judged what.",
        )
    left = {
        "facts_without_template": facts.num_rows - askable.num_rows,
        "facts_whose_names_were_rejected": askable.num_rows - named.num_rows,
    }
    return named.sort_by(ascending("relation", "subject", "object", "item_id")).combine_chunks(), left


_EXAMPLE = "John Lennon was born in [Y]."

_SUMMARY = f"""\
Relational facts from Wikidata, each asked in many ways: the names of a subject and many templates of its relation,
manual ones and their paraphrases by a language model, make cloze prompts such as "{_EXAMPLE}". It
follows the design of MyriadLAMA, which measures not only how much a language model knows but how far the answer
depends on the wording."""

_CARD = CardText(
    summary=_SUMMARY,
    building=(
        "Facts are unique triples of subject, relation and object; further correct objects of a subject-relation "
        "pair were added where a source has them (`origin` says which).",
        "Names of subjects and objects are their Wikidata labels and aliases.",
        "Templates were written by hand, varied in syntax and entailment, and paraphrased by a language model.",
        "Every template and a sample of the names went to several annotators (see below). Only accepted templates "
        "are released, and no name that was rejected.",
        "Prompts are all combinations of a subject's names with its relation's templates.",
        "The lite set (`lite`), where there is one, was chosen from these without running any model: pairs spread over "
        "the objects of each relation, templates spread over its wordings, and dealt out so that each is asked about "
        "equally often.",
    ),
    licences={
        "myriadlama_templates.toml": "Apache-2.0, written for this dataset",
        "myriadlama_templates_ja.toml": "Apache-2.0, written for this dataset",
        "wikidata": "CC0 1.0",
        "trex": "CC BY-SA 4.0",
        "lama": "CC BY-NC 4.0",
        "mlama": "CC BY-NC-SA 4.0",
        "t-rex": "CC BY-SA 4.0",
    },
    published=("LAMA-UHN", "MyriadLAMA"),
    counts=(
        CountRow("relation templates", "templates", (41, 4_100)),
        CountRow("unique triples", "unique_triples", (27_106, 34_048)),
        CountRow("derived triples", "derived_triples", (27_106, 21_140_500)),
        CountRow("subject-relation pairs", "pairs", (24_643, 24_643)),
        CountRow("prompts", "prompts", (24_643, 6_492_800)),
    ),
    counts_note=(
        "The paper counts only objects that are one token for the models it evaluates. This release keeps every "
        "object; which of them are one token is decided for each model when it is evaluated."
    ),
    example="prompts",
    limits=(
        "A fact may be incomplete: an answer that is right but not in Wikidata or the widening source counts as wrong.",
        "Facts and names are as the sources had them at the stated revisions; the world may have changed since.",
        "Some templates are entailed by the relation and are not equivalent to it.",
        "Names are combined with templates by rule, so a prompt may read awkwardly (articles, number, gender).",
        "Names are English; templates are English.",
    ),
    citation=bibtex_of(PAPERS),
    citing="The design follows the first of these papers; the second is its authors' English one. Cite them beside it.",
    tags=("knowledge-probing", "lama", "wikidata", "cloze"),
    task_categories=("fill-mask",),
    use_cases=(
        "Measuring what a language model knows of relational facts, and how far its answers depend on the wording.",
        "It is no training set: a model that has learnt from it is measured by it no more.",
    ),
    biases=(
        "Wikidata knows more of people, places and works of Europe and North America than of others, and more of what "
        "is famous; the facts here share that.",
        "Names are those of one language, and templates that were varied by a language model have its habits.",
    ),
    personal_information=(
        "Facts name people, living ones among them, as Wikidata publishes them: such as birthplace, occupation or "
        "employer.",
    ),
    social_impact=(
        "A benchmark of knowledge shows where a model answers wrongly with confidence. Read as a ranking of models by "
        "truthfulness it misleads: it asks for few relations, in one language."
    ),
)

_OWN_CARD = replace(
    _CARD,
    summary=_SUMMARY.replace("Relational facts from Wikidata", "Relational facts of our own"),
    building=(
        "Facts are unique triples of subject, relation and object from a table of names, see the sources below. One "
        "name is one entity; its id is made of it.",
        "Names of subjects and objects are those of the table.",
        "Templates were written by hand; where a language model paraphrased them, it is named below.",
        *_CARD.building[3:],
    ),
    licences={"own facts": "see the source", **_CARD.licences},
    published=(),
    counts=tuple(replace(row, published=()) for row in _CARD.counts),
    counts_note="Which objects are one token is decided for each model when it is evaluated.",
    limits=(
        "A fact may be incomplete: an answer that is right but not in the table counts as wrong.",
        "Two things of one name are one entity here.",
        *_CARD.limits[2:4],
    ),
    tags=("knowledge-probing", "cloze"),
    biases=(),
    personal_information=(),
)
"""For facts of the user's own."""

EXPORT = SuiteExport(
    suite=SUITE,
    kinds=KINDS,
    configs=CONFIGS,
    plan=plan,
    checks=(*CLOZE, *LITE),
    shapes=SHAPES,
    card=_CARD,
    settings=MyriadLamaExport,
    tasks=tasks,
    own_method="None of its prompts ends with its blank, which a causal model needs.",
    inputs=lambda workspace: tuple(file for file in (_lama_file(workspace),) if file.is_file()),
)
