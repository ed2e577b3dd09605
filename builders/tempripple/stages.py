"""The three stages that make TempRIPPLE's candidates: histories, related facts, questions (paper, section 2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any

from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.sources.wikidata import BATCH, labels_of
from tashika.builders.tempripple.changes import histories
from tashika.builders.tempripple.containment import containment
from tashika.builders.tempripple.data_date import data_date
from tashika.builders.tempripple.properties import Properties, read_properties
from tashika.builders.tempripple.question_items import Topic, labels_in, question_row, questions, refusals, topics
from tashika.builders.tempripple.questions import Refused
from tashika.builders.tempripple.records import History
from tashika.builders.tempripple.rejected import count_reasons, header, items_in, items_of, line, nameless
from tashika.builders.tempripple.ripples import ripples
from tashika.builders.tempripple.rows import (
    SUITE,
    VERSION,
    PlacedTenure,
    Row,
    fact_row,
    history_rows,
    read_tenures,
    related_row,
)
from tashika.builders.tempripple.settings import BuildSettings
from tashika.builders.tempripple.statistics import statistics
from tashika.builders.tempripple.tenures import Rejection
from tashika.builders.tempripple.wording import statement_of
from tashika.core.errors import InputError
from tashika.core.files import replacing, write_json, write_rows, write_text
from tashika.core.progress import bar, say
from tashika.core.records import item_schema
from tashika.core.settings import packaged
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace

NATIONAL_TEAMS = ("Q1194951", "Q6979593")
"""Classes of teams that a player has beside a club: national sports teams, national association football teams."""


@dataclass
class TempRipple:
    """The builder of one workspace: its settings, and who it asks."""

    workspace: Workspace
    settings: BuildSettings
    endpoint: SparqlEndpoint

    @cached_property
    def properties_file(self) -> FilePath:
        """The properties and their wording."""
        return FilePath(self.settings.properties) if self.settings.properties else packaged(f"{SUITE}_properties.toml")

    @cached_property
    def properties(self) -> Properties:
        """The content of that file."""
        return read_properties(self.properties_file)

    @cached_property
    def relations(self) -> list[str]:
        """The changing properties to build.

        Raises:
            InputError: The settings name one that the file does not have.
        """
        known = self.properties.changing
        strangers = [relation for relation in self.settings.relations if relation not in known]
        if strangers:
            raise InputError(
                f"{strangers[0]} is no changing property of {self.properties_file.name}",
                hint=f"It has {', '.join(known)}.",
            )
        return list(self.settings.relations or known)

    @property
    def rejected_file(self) -> FilePath:
        """The table of rejected histories."""
        return self.workspace.items / "rejected.tsv"

    @property
    def refused_file(self) -> FilePath:
        """The table of questions that could not be made."""
        return self.workspace.items / "refused-questions.tsv"

    @property
    def statistics_file(self) -> FilePath:
        """Table 1 as plain values."""
        return self.workspace.items / "statistics.json"

    @cached_property
    def sources(self) -> list[tuple[str, str | None]]:
        """Where the facts come from, and as at which day if the store states it: what is entered later changes all."""
        date = data_date(self.endpoint)
        return [
            ("Wikidata over SPARQL", f"{self.endpoint.identity}, data of {date}" if date else self.endpoint.identity)
        ]

    def build(self) -> None:
        """All stages; what is done is not done again."""
        self.build_histories()
        self.build_related()
        self.build_questions()

    # --- histories

    def build_histories(self) -> None:
        """Changing facts and their tenures -> items/{fact,history}.parquet; the others -> items/rejected.tsv."""
        chosen = ("window", "history_from", "gap_days", "cap", "languages", "clubs_only", "old_dates")
        stage = Stage(
            "build-histories",
            self.workspace.items,
            inputs=[self.properties_file],
            settings=self._chosen(*chosen, relations=self.relations, endpoint=self.endpoint.identity),
            outputs=[self.workspace.item_file("fact"), self.workspace.item_file("history"), self.rejected_file],
        )
        stage.run(self._histories, what="histories")

    def _histories(self) -> dict[str, Any]:
        before = self.endpoint.requests
        reasons: dict[str, int] = {}
        accepted: list[History] = []
        labels: dict[str, str] = {}
        with replacing(self.rejected_file) as temporary, temporary.open("w", encoding="utf-8") as table:
            table.write(header())
            with bar("histories over SPARQL", len(self.relations)) as advance:
                for relation in self.relations:
                    accepted += self._judged(relation, table.write, reasons, labels)
                    advance(1)
        if not accepted:
            raise InputError(
                f"no history was accepted; rejected: {_reasons_in_words(reasons) or 'none was found at all'}",
                where=self.endpoint.identity,
                hint="Look at the window, at history_from, and at items/rejected.tsv.",
            )
        say(f"histories: {len(accepted):,} accepted; not accepted, by reason: {_reasons_in_words(reasons) or 'none'}")
        facts, tenures = self._write_histories(accepted, labels)
        return {
            "facts": facts,
            "tenures": tenures,
            "rejected": sum(1 for _ in self.rejected_file.open(encoding="utf-8")) - 1,
            "requests": self.endpoint.requests - before,
            "reasons": dict(sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))),
        }

    def _judged(
        self, relation: str, write: Callable[[str], object], reasons: dict[str, int], labels: dict[str, str]
    ) -> Iterator[History]:
        """Yields the accepted histories of a property and keeps their labels; writes the others down."""
        teams = self._national_teams() if relation == "P54" and self.settings.clubs_only else frozenset()
        outcomes = histories(
            self.endpoint,
            relation,
            self.settings.period,
            self.settings.cap,
            self.settings.batch,
            only_objects=(lambda item: item not in teams) if teams else None,
        )
        for batch in _batches(outcomes, BATCH):
            known = labels_of(self.endpoint, _items_of(batch), self.settings.languages)
            for outcome in batch:
                rejection = outcome if isinstance(outcome, Rejection) else nameless(outcome, known)
                if rejection is None:
                    assert isinstance(outcome, History)
                    labels |= {item: known[item] for item in items_in(outcome) if item in known}
                    yield outcome
                    continue
                count_reasons(rejection.reasons, reasons)
                write(line(rejection, known, self.properties.changing[relation].label))

    def _national_teams(self) -> frozenset[str]:
        classes = " ".join(f"wd:{item}" for item in NATIONAL_TEAMS)
        rows = self.endpoint.select(f"SELECT DISTINCT ?o WHERE {{ VALUES ?c {{ {classes} }} ?o wdt:P31/wdt:P279* ?c }}")
        return frozenset(row["o"][0].rpartition("/")[2] for row in rows)

    def _write_histories(self, accepted: Sequence[History], labels: Mapping[str, str]) -> tuple[int, int]:
        objects = {tenure.object for history in accepted for tenure in history.tenures}
        near = containment(self.endpoint, {*objects, *labels}, self.settings.batch)
        changing = self.properties.changing

        def facts() -> Iterator[dict[str, Any]]:
            for history in accepted:
                statement = statement_of(history, changing[history.relation], labels, self.properties.articles)
                wording = (changing[history.relation].label, statement)
                yield fact_row(history, labels, wording, self.settings.period, self.sources)

        def tenures() -> Iterator[dict[str, Any]]:
            for history in accepted:
                yield from history_rows(history, labels, near, self.settings.period, self.sources)

        return (
            write_rows(self.workspace.item_file("fact"), facts(), item_schema(SUITE, "fact")),
            write_rows(self.workspace.item_file("history"), tenures(), item_schema(SUITE, "history")),
        )

    def tenures(self) -> list[PlacedTenure]:
        """The tenures that were built."""
        return read_tenures(self.workspace.read_items("history").to_pylist())

    # --- related facts

    def build_related(self) -> None:
        """Related facts of all tenures -> items/related.parquet."""
        stage = Stage(
            "build-related",
            self.workspace.items,
            inputs=[self.properties_file, self.workspace.item_file("history")],
            settings=self._chosen(
                "window", "history_from", "hops", "languages", "batch", endpoint=self.endpoint.identity
            ),
            outputs=[self.workspace.item_file("related")],
        )
        stage.run(self._related, what="related facts")

    def _related(self) -> dict[str, int]:
        before = self.endpoint.requests
        tenures = self.tenures()
        roots = [(tenure.subject, tenure.object) for tenure in tenures]
        related = ripples(
            self.endpoint, self.properties, roots, self.settings.period, self.settings.hops, self.settings.batch
        )
        items = {*related.entities(), *(tenure.subject for tenure in tenures), *(tenure.object for tenure in tenures)}
        labels = labels_of(self.endpoint, items, self.settings.languages)
        near = containment(self.endpoint, items, self.settings.batch)
        counts = {f"hop_{hop}": 0 for hop in range(1, self.settings.hops + 1)}

        def rows() -> Iterator[dict[str, Any]]:
            for tenure in tenures:
                for path in related.paths(tenure.subject, tenure.object, usable=labels.__contains__):
                    counts[f"hop_{path.hop}"] += 1
                    yield related_row(tenure, path, labels, near, self.properties, self.sources)

        write_rows(self.workspace.item_file("related"), rows(), item_schema(SUITE, "related"))
        return {**counts, "requests": self.endpoint.requests - before}

    # --- questions

    def build_questions(self) -> None:
        """Questions with options -> items/question.parquet; what could not be asked -> items/refused-questions.tsv."""
        kinds = ("fact", "history", "related")
        stage = Stage(
            "build-questions",
            self.workspace.items,
            inputs=[self.properties_file, *(self.workspace.item_file(kind) for kind in kinds)],
            settings=self._chosen("seed", "options", "option_set"),
            outputs=[self.workspace.item_file("question"), self.refused_file, self.statistics_file],
        )
        stage.run(self._questions, what="questions")

    def _questions(self) -> dict[str, Any]:
        facts, tenures, related = (self._rows(kind) for kind in ("fact", "history", "related"))
        about = topics(facts, tenures, related, self.properties)
        labels = labels_in(tenures, related)
        refused: list[tuple[Topic, Refused]] = []
        seed, options = self.settings.seed, self.settings.options
        widened = 0

        def rows() -> Iterator[dict[str, Any]]:
            nonlocal widened
            for topic, made in questions(about, self.properties, labels, seed, options, self.settings.option_set):
                if isinstance(made, Refused):
                    refused.append((topic, made))
                    continue
                widened += bool(made.widening)
                yield question_row(topic, made)

        count = write_rows(self.workspace.item_file("question"), rows(), item_schema(SUITE, "question"))
        write_text(self.refused_file, refusals(refused))
        if count == 0:
            raise InputError("no question could be asked", where=str(self.refused_file), hint="It has the reasons.")
        tables = (self.workspace.read_items(kind) for kind in ("history", "related", "question"))
        write_json(self.statistics_file, statistics(*tables))
        reasons = dict(Counter(made.reason for _, made in refused).most_common())
        return {"questions": count, "with_options_from_further": widened, "refused": len(refused), "reasons": reasons}

    def _rows(self, kind: str) -> list[Row]:
        return list(self.workspace.read_items(kind).to_pylist())

    def _chosen(self, *names: str, **more: Any) -> dict[str, Any]:
        """Settings that a stage depends on, as plain values."""
        return {"version": VERSION, **self.settings.model_dump(mode="json", include=set(names)), **more}


def _items_of(outcomes: Iterable[History | Rejection]) -> Iterator[str]:
    for outcome in outcomes:
        yield from items_of([outcome]) if isinstance(outcome, Rejection) else items_in(outcome)


def _reasons_in_words(reasons: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(reasons.items()))


def _batches(outcomes: Iterable[History | Rejection], size: int) -> Iterator[list[History | Rejection]]:
    batch: list[History | Rejection] = []
    for outcome in outcomes:
        batch.append(outcome)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
