"""The three stages that make MyriadLAMA's candidates: facts, aliases, templates (paper, section 2, appendix A.1.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tashika.builders.myriadlama import uhn
from tashika.builders.myriadlama.facts import (
    Fact,
    id_order,
    named_by_wikidata,
    read_lama,
    read_lama_templates,
    read_wikidata,
    relations_file,
    widened_by_wikidata,
)
from tashika.builders.myriadlama.manual import Manual, manual_templates, packaged_wordings
from tashika.builders.myriadlama.mlama import MLama, find_mlama
from tashika.builders.myriadlama.own_facts import OwnFacts, read_own_facts
from tashika.builders.myriadlama.settings import SUITE, BuildSettings
from tashika.builders.myriadlama.trex import widened_by_trex
from tashika.builders.paraphrase import (
    Paraphrase,
    ParaphraseSettings,
    Refused,
    Short,
    cost,
    paraphrased,
    short_of,
)
from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.sources.wikidata import Name, names_of
from tashika.builders.templates import Relation, filled
from tashika.core.errors import InputError
from tashika.core.files import hash_file, read_table, write_rows, write_text
from tashika.core.llm import Llm
from tashika.core.progress import bar, say
from tashika.core.records import item_id, item_row, item_schema
from tashika.core.stages import Stage
from tashika.core.suites.myriadlama import OWN_FACTS
from tashika.core.suites.myriadlama.counts import product_counts
from tashika.core.suites.myriadlama.lama import LAMA_FILE, LAMA_SCHEMA
from tashika.core.workspace import Workspace
from tashika.core.writing import writing_of

VERSION = "1"
"""Of the builders below; a new one makes their stages run again."""

SHORT_FILE = "short-templates.tsv"
"""Beside the items: the manual templates that have fewer paraphrases than were asked for."""

_NAMED = 5
"""So many of them are named on the terminal, the shortest first."""


@dataclass(frozen=True)
class Given:
    """What the command line gives beside the settings."""

    lama: Path | None
    trex: tuple[Path, ...]
    facts: Path | None = None


@dataclass
class MyriadLama:
    """The builders of one workspace: their settings, and who they ask."""

    workspace: Workspace
    settings: BuildSettings
    given: Given
    endpoint: SparqlEndpoint
    llm: Llm

    @property
    def language(self) -> str:
        """The language of templates and paraphrases, the first of the build's languages."""
        return self.settings.language

    @cached_property
    def mlama(self) -> MLama | None:
        """The files of mLAMA, where the option `--lama` names them."""
        return find_mlama(self.given.lama, self.language) if self.given.lama else None

    @cached_property
    def own(self) -> OwnFacts | None:
        """The facts of the user's own, if there are any."""
        return read_own_facts(self.given.facts) if self.given.facts else None

    @property
    def _identity(self) -> str | None:
        """Who facts and names are asked of; None where nobody is."""
        return None if self.given.facts else self.endpoint.identity

    @cached_property
    def manual(self) -> Manual:
        """The manual templates, with the files that they come from."""
        return manual_templates(self.settings, self.own, self.mlama)

    @property
    def relations(self) -> dict[str, Relation]:
        """The relations to build, with their manual templates."""
        return self.manual.relations

    def sources(self, origin: str) -> list[tuple[str, str | None]]:
        """Where a fact of this origin comes from, for its provenance."""
        if self.own:
            return [self.own.source]
        if origin.startswith("trex:"):
            return [("T-REx files", ", ".join(path.name for path in self.given.trex))]
        if self.mlama and origin == "facts":
            return [(f"mLAMA files in {writing_of(self.language).name}", hash_file(self.mlama.files[0])[:16])]
        if self.given.lama and origin == "facts":
            return [("LAMA T-REx files", hash_file(relations_file(self.given.lama))[:16])]
        return [("Wikidata over SPARQL", self.endpoint.identity)]

    def build_facts(self) -> None:
        """Facts, filtered and widened -> items/fact.parquet."""
        inputs = self._lama_files()
        inputs += [self.given.facts] if self.given.facts else []
        chosen = ("facts_per_relation", "languages", "uhn", "uhn_model", "widen", "trex_annotators")
        stage = Stage(
            "build-facts",
            self.workspace.items,
            inputs=[*inputs, *self.given.trex],
            settings=self._chosen(
                *chosen,
                named=list(self.settings.relations),
                relations=list(self.relations),
                endpoint=self._identity,
            ),
            outputs=[self.workspace.item_file("fact"), *([self._lama_file] if self._of_lama else [])],
        )
        stage.run(self._facts, what="facts")

    def _lama_files(self) -> list[Path]:
        """The files that facts are read from, of LAMA or mLAMA."""
        if self.mlama:
            return self.mlama.files
        lama = self._of_lama
        return [relations_file(lama), *sorted(lama.glob("P*.jsonl"))] if lama else []

    def _facts(self) -> dict[str, int]:
        facts = self._read_facts()
        counts = {"read": len(facts), "pairs_read": uhn.Counted(facts).pairs}
        counts |= {"duplicate_rows": self.own.duplicates} if self.own else {}
        facts = self._filtered(facts, counts)
        counts |= self._keep_lama(facts)
        before = {fact.object for fact in facts}
        facts = self._widened(facts, counts)
        counts |= {"facts": len(facts), "pairs": uhn.Counted(facts).pairs}
        counts |= {"widened": sum(fact.origin != "facts" for fact in facts)}
        counts |= {"new_objects": len({fact.object for fact in facts} - before)}
        if not facts:
            raise InputError("no facts are left", hint="Check the relations and the filters in the settings.")
        write_rows(self.workspace.item_file("fact"), map(self._fact_row, facts), item_schema(SUITE, "fact"))
        return counts

    def _read_facts(self) -> list[Fact]:
        limit = self.settings.facts_per_relation or None
        facts: list[Fact] | None = None
        if self.own:
            facts = self._own_facts(self.own)
        elif self.mlama:
            say(self.mlama.summary(list(self.relations)))
            facts = self.mlama.read_facts(list(self.relations))
        elif self.given.lama:
            facts = read_lama(self.given.lama, self.settings.relations)
        if facts is not None:
            return [fact for number, fact in _numbered_by_relation(facts) if limit is None or number < limit]
        with bar("facts over SPARQL", len(self.relations)) as advance:
            return read_wikidata(
                self.endpoint, self.relations, self.settings.languages, limit, lambda _relation, _count: advance(1)
            )

    def _filtered(self, facts: list[Fact], counts: dict[str, int]) -> list[Fact]:
        level = self.settings.uhn
        if level == "none":
            return facts
        if self.own and level == "full":
            found = "found the filter full, which asks about names in Wikidata's relations; these facts have others"
            raise InputError(found, hint="Take --uhn string or --uhn none.")
        if level == "full" and writing_of(self.language).code != "en":
            found = f"found the filter full, which asks about names in English; this build is in {self.language}"
            raise InputError(found, hint="Take --uhn string or --uhn none.")
        read, facts = len(facts), uhn.without_substrings(facts)
        if self.own and len(facts) < read:
            say(
                f"the string filter leaves out {read - len(facts):,} facts whose object is a part of the subject; "
                "--uhn none keeps them"
            )
        counts |= {"after_string_filter": len(facts), "pairs_after_string_filter": uhn.Counted(facts).pairs}
        if level == "full":
            facts = uhn.without_guessable(facts, uhn.masked_model_guess(self.settings.uhn_model))
            counts |= {"after_name_filter": len(facts), "pairs_after_name_filter": uhn.Counted(facts).pairs}
        return facts

    def _widened(self, facts: list[Fact], counts: dict[str, int]) -> list[Fact]:
        """The facts with further objects; what the string filter forbids does not come back in this way."""
        if self.own:
            return facts
        if self.given.trex:
            widened = widened_by_trex(facts, self.given.trex, self.settings.trex_annotators)
            wide = named_by_wikidata(widened, self.endpoint, self.settings.languages)
            counts |= {"widened_without_name": len(widened) - len(wide)}
        elif self.settings.widen == "trex":
            raise InputError("the settings ask for T-REx, and no file was given", hint="Name its files with --trex.")
        elif self.settings.widen == "wikidata":
            wide = widened_by_wikidata(facts, self.endpoint, self.settings.languages)
        else:
            return facts
        if self.settings.uhn == "none":
            return wide
        return uhn.without_substrings(wide)

    @property
    def _of_lama(self) -> Path | None:
        """LAMA's own folder, if facts are read from it; mLAMA's is another dataset."""
        return None if self.mlama else self.given.lama

    @property
    def _lama_file(self) -> Path:
        return self.workspace.items / LAMA_FILE

    def _keep_lama(self, facts: Sequence[Fact]) -> dict[str, int]:
        """LAMA's own prompts, before anything is widened: what a model is compared with that is asked one prompt."""
        lama = self._of_lama
        if not lama:
            self._lama_file.unlink(missing_ok=True)
            return {}
        templates = read_lama_templates(lama)
        rows = [
            {
                "item_id": item_id(SUITE, "lama-uhn", *fact.key),
                "relation": fact.relation,
                "template": templates[fact.relation],
                "subject": fact.subject,
                "object": fact.object,
                "subject_label": fact.subject_label,
                "object_label": fact.object_label,
                "uhn_filter": self.settings.uhn,
            }
            for fact in facts
            if fact.relation in templates
        ]
        write_rows(self._lama_file, rows, LAMA_SCHEMA)
        return {"lama_prompts": len(rows)}

    def _fact_row(self, fact: Fact) -> dict[str, Any]:
        payload = {
            "relation": fact.relation,
            "subject": fact.subject,
            "object": fact.object,
            "subject_label": fact.subject_label,
            "object_label": fact.object_label,
            "origin": fact.origin,
        }
        sources = self.sources(fact.origin)
        builder = OWN_FACTS if self.own else "facts"
        return item_row(SUITE, "fact", fact.key, payload, builder=builder, version=VERSION, sources=sources)

    def read_facts(self) -> list[Fact]:
        """The facts that were built."""
        columns = ("relation", "subject", "object", "subject_label", "object_label", "origin")
        table = read_table(self.workspace.item_file("fact"))
        return [Fact(**row) for row in table.select(columns).to_pylist()]

    @cached_property
    def _source_of_names(self) -> tuple[str, str | None]:
        return self.own.source if self.own else ("Wikidata over SPARQL", self.endpoint.identity)

    def _own_facts(self, own: OwnFacts) -> list[Fact]:
        return sorted((fact for fact in own.facts if fact.relation in self.relations), key=lambda fact: fact.order)

    def _own_names(self, own: OwnFacts, labels: Mapping[str, str]) -> dict[str, list[Name]]:
        """The names of entities of own facts, the label first, in the first of the languages."""
        language = self.settings.languages[0] if self.settings.languages else self.language
        return {
            entity: [
                Name(entity, text, language, is_label=not number)
                for number, text in enumerate((label, *own.names.get(entity, ())))
            ]
            for entity, label in labels.items()
        }

    def build_aliases(self) -> None:
        """Labels and aliases of all subjects and objects -> items/alias.parquet."""
        stage = Stage(
            "build-aliases",
            self.workspace.items,
            inputs=[self.workspace.item_file("fact"), *([self.given.facts] if self.given.facts else [])],
            settings=self._chosen("languages", "longest_alias", endpoint=self._identity),
            outputs=[self.workspace.item_file("alias")],
        )
        stage.run(self._aliases, what="aliases")

    def _aliases(self) -> dict[str, int]:
        facts = self.read_facts()
        labels = {fact.subject: fact.subject_label for fact in facts}
        labels |= {fact.object: fact.object_label for fact in facts}
        known = (
            self._own_names(self.own, labels) if self.own else names_of(self.endpoint, labels, self.settings.languages)
        )
        names = [
            (name, label)
            for entity, label in sorted(labels.items(), key=lambda entry: id_order(entry[0]))
            for name in completed(known.get(entity, []), entity, label, self.language)
            if name.is_label or len(name.text) <= self.settings.longest_alias
        ]
        path = self.workspace.item_file("alias")
        write_rows(path, (self._alias_row(*entry) for entry in names), item_schema(SUITE, "alias"))
        aliased = len({name.entity for name, _ in names if not name.is_label})
        return {"entities": len(labels), "names": len(names), "entities_with_aliases": aliased}

    def _alias_row(self, name: Name, label: str) -> dict[str, Any]:
        payload = {
            "entity": name.entity,
            "entity_label": label,
            "text": name.text,
            "language": name.language,
            "is_label": name.is_label,
        }
        key = (name.entity, name.text)
        builder = OWN_FACTS if self.own else "aliases"
        return item_row(SUITE, "alias", key, payload, builder=builder, version=VERSION, sources=[self._source_of_names])

    def build_templates(self) -> None:
        """Manual templates and their paraphrases -> items/template.parquet; refusals -> refused-templates.tsv."""
        refused_file = self.workspace.items / "refused-templates.tsv"
        short_file = self.workspace.items / SHORT_FILE
        llm = self.llm.settings.model_dump(exclude={"url", "concurrency", "timeout", "price_in", "price_out"})
        stage = Stage(
            "build-templates",
            self.workspace.items,
            inputs=[*self.manual.files, self.workspace.item_file("fact")],
            settings=self._chosen(paraphrase=self.paraphrase.keys(), relations=list(self.relations), llm=llm),
            outputs=[self.workspace.item_file("template"), refused_file, short_file],
        )
        stage.run(lambda: self._templates(refused_file, short_file), what="templates")

    @property
    def paraphrase(self) -> ParaphraseSettings:
        """How paraphrases are asked for in the language of the build."""
        return self.settings.paraphrase.in_language(self.language, packaged_wordings())

    def announce_paraphrases(self) -> None:
        """Says what paraphrasing costs at most, and where the model is not addressed in the language."""
        say(f"paraphrases: {cost(self.relations, self.paraphrase).describe(self.llm.settings)}")
        code = writing_of(self.language).code
        in_english = self.paraphrase.instruction == self.settings.paraphrase.instruction
        if self.paraphrase.wanted and code != "en" and in_english:
            say(f"paraphrases: the instruction is in English; [build.paraphrase.by_language.{code}] takes another one")

    def _templates(self, refused_file: Path, short_file: Path) -> dict[str, int]:
        manual = sum(len(relation.manual) for relation in self.relations.values())
        paraphrases: list[Paraphrase] = []
        refused: list[Refused] = []
        if self.paraphrase.wanted:
            self.announce_paraphrases()
            with bar("paraphrasing templates", manual, self.llm.traffic.describe) as advance:
                paraphrases, refused = paraphrased(self.relations, self.llm, self.paraphrase, advance)
        short = short_of(self.relations, paraphrases, self.paraphrase.wanted)
        self._announce_short(short, manual)
        examples = examples_of(self.read_facts())
        rows = (row for name in self.relations for row in self._template_rows(name, paraphrases, examples.get(name)))
        write_rows(self.workspace.item_file("template"), rows, item_schema(SUITE, "template"))
        write_text(refused_file, _refusals(refused))
        write_text(short_file, _short_templates(short))
        counts = {"manual": manual, "paraphrases": len(paraphrases), "refused_lines": len(refused)}
        return {**counts, "manual_with_fewer_paraphrases": len(short)}

    def _announce_short(self, short: Sequence[Short], manual: int) -> None:
        """Names the templates whose rounds ended before there were enough paraphrases."""
        if not short:
            return
        how = self.settings.paraphrase
        fewest = sorted(short, key=lambda row: row.paraphrases)[:_NAMED]
        named = "; ".join(f"{row.relation} {row.manual!r} {row.paraphrases}" for row in fewest)
        say(
            f"{len(short)} of {manual} manual templates have fewer than {how.wanted} paraphrases after "
            f"{how.rounds} rounds: {named}{'; …' if len(short) > _NAMED else ''}. All are in {SHORT_FILE}; "
            "more [build.paraphrase] rounds ask again"
        )

    def _template_rows(
        self, name: str, paraphrases: list[Paraphrase], example: Fact | None
    ) -> Iterator[dict[str, Any]]:
        relation = self.relations[name]

        def row(text: str, origin: str, **provenance: Any) -> dict[str, Any]:
            shown = filled(text, example.subject_label, example.object_label) if example else ""
            payload = {
                "relation": name,
                "relation_label": relation.label,
                "relation_description": relation.description,
                "text": text,
                "origin": origin,
                "example": shown,
            }
            return item_row(SUITE, "template", (name, text), payload, version=VERSION, **provenance)

        for manual in relation.manual:
            yield row(manual, "manual", builder="templates", sources=[self.manual.source(name, manual)])
        for paraphrase in paraphrases:
            if paraphrase.relation == name:
                parent = item_id(SUITE, "template", name, paraphrase.manual)
                yield row(
                    paraphrase.text,
                    "paraphrase",
                    builder="paraphrase",
                    parents=[parent],
                    generation=paraphrase.provenance,
                )

    def product_counts(self) -> dict[str, int]:
        """What the candidates would make together, if all of them were accepted (paper, Table 1)."""
        templates, aliases, facts = (self.workspace.read_items(kind) for kind in ("template", "alias", "fact"))
        return {"templates": templates.num_rows, **product_counts(templates, aliases, facts)}

    def _chosen(self, *names: str, **more: Any) -> dict[str, Any]:
        """Settings that a stage depends on, as plain values."""
        return {"version": VERSION, **self.settings.model_dump(mode="json", include=set(names)), **more}


def _numbered_by_relation(facts: Iterable[Fact]) -> Iterator[tuple[int, Fact]]:
    counts: dict[str, int] = {}
    for fact in facts:
        yield counts.setdefault(fact.relation, 0), fact
        counts[fact.relation] += 1


def completed(names: list[Name], entity: str, label: str, language: str = "en") -> list[Name]:
    """The names of an entity, with the one that the facts call it by, and exactly one marked as its label."""
    if label.casefold() not in {name.text.casefold() for name in names}:
        names = [*names, Name(entity, label, language, is_label=not names)]
    return names


def examples_of(facts: Iterable[Fact]) -> dict[str, Fact]:
    """For each relation a fact to show to people: undisputed (the only object of its pair) where there is one.

    Among those it is that of the lowest ids, since well-known entities came first to Wikidata.
    """
    facts = list(facts)
    objects = Counter(fact.pair for fact in facts)
    best: dict[str, Fact] = {}
    for fact in facts:
        best[fact.relation] = min(
            best.get(fact.relation, fact), fact, key=lambda fact: (objects[fact.pair] > 1, *_prominence(fact))
        )
    return best


def _prominence(fact: Fact) -> tuple[int, int]:
    subject, value = id_order(fact.subject)[0], id_order(fact.object)[0]
    return subject + value, subject


def _refusals(refused: list[Refused]) -> str:
    lines = ["relation\tmanual\treply\treason"]
    lines += ["\t".join((r.relation, r.manual, r.text.replace("\t", " "), r.reason)) for r in refused]
    return "\n".join(lines) + "\n"


def _short_templates(short: Sequence[Short]) -> str:
    lines = ["relation\tmanual\tparaphrases", *(f"{row.relation}\t{row.manual}\t{row.paraphrases}" for row in short)]
    return "\n".join(lines) + "\n"
