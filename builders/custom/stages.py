"""The stages of a build from a suite file: one a kind, each made once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import Any

from tashika.builders.custom.function import function_source
from tashika.builders.custom.generate import Generation, llm_settings
from tashika.builders.custom.query import query_source
from tashika.builders.custom.rows import Source
from tashika.builders.custom.steps import LeftOut, items_of
from tashika.builders.custom.tables import read_hub, read_table
from tashika.builders.sources.hub import HUB
from tashika.builders.sources.serving import OnDemand, small_llm, snapshot_files, snapshot_identity, wikidata_snapshot
from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.core.addresses import shown_address, with_graphs
from tashika.core.custom.build_form import Generate, KindForm, Sparql
from tashika.core.custom.row_check import row_check
from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import ConfigError, InputError
from tashika.core.files import hash_value, replacing, write_rows
from tashika.core.llm import Llm
from tashika.core.progress import bar, say
from tashika.core.records import item_schema
from tashika.core.stages import Stage, short
from tashika.core.workspace import Workspace

SNAPSHOTS: Mapping[str, str] = {"wikidata": "myriadlama", "tempripple": "tempripple"}
"""Packaged snapshots, by the names that a suite file has for them, and the suites that they belong to."""

_SHOWN = 3


@dataclass(frozen=True)
class Builder:
    """A build of a suite that is one file.

    Attributes:
        workspace: Where the items go.
        suite: What is built.
        stack: Ends the servers that were started.
        llm_url: An endpoint in place of the file's.
        llm_model: The model's name there.
        user_agent: The User-Agent that SPARQL endpoints receive; None for Tashika's name alone.
    """

    workspace: Workspace
    suite: CustomSuite
    stack: ExitStack
    llm_url: str | None = None
    llm_model: str | None = None
    user_agent: str | None = None

    def build(self) -> None:
        """Makes the items of each kind that are not there yet.

        Raises:
            InputError: A candidate does not fit, and the suite file has that as an error.
            OutsideError: An endpoint failed; replies that arrived are kept.
        """
        for kind, form in self.suite.file.build.kinds.items():
            stage = self.stage(kind, form)
            stage.run(lambda kind=kind, form=form, stage=stage: self._write(kind, form, stage), what=f"{kind} items")  # type: ignore[misc]

    def stage(self, kind: str, form: KindForm) -> Stage:
        """What the items of a kind depend on."""
        settings: dict[str, Any] = {**form.model_dump(mode="json"), "suite": self.suite.name}
        if form.generate:
            chosen = llm_settings(form.generate, self.llm_url, self.llm_model)
            # Neither the address nor the number of requests at once makes a candidate another one.
            settings["llm"] = chosen.model_dump(mode="json", exclude={"url", "concurrency", "timeout"})
            del settings["generate"]["url"], settings["generate"]["concurrency"]
        if form.sparql:
            settings["endpoint"] = self._identity(form.sparql)
        target = self.workspace.item_file(kind)
        return Stage(f"build-{kind}", self.workspace.items, self._inputs(form), settings, [target])

    def _inputs(self, form: KindForm) -> list[Path]:
        """The files that candidates come from; of a dataset's folder all that lie in it."""
        names = [form.file, form.generate and form.generate.seeds, form.sparql and form.sparql.query_file]
        places = [self.suite.place(name) for name in names if name and not name.startswith(HUB)]
        if form.function:
            module = form.function.partition(":")[0].replace(".", "/")
            places.append(self.suite.path.parent / f"{module}.py")
        return [path for place in places for path in ([place] if not place.is_dir() else _files_in(place))]

    def _write(self, kind: str, form: KindForm, stage: Stage) -> dict[str, Any]:
        refused = self.workspace.items / f"{kind}.refused.tsv"
        with replacing(refused) as temporary, temporary.open("w", encoding="utf-8") as lines:
            lines.write("where\treason\n")
            left_out = LeftOut(lines)
            with bar(f"building {kind} items", None) as advance:
                source = self._source(kind, form, advance)
                _compare_columns(source, form)
                items = items_of(self.suite.name, kind, form, source, left_out, row_check(self.suite.file, kind))
                counted = self._counted(items, advance, by_seed=form.generate is not None)
                first = next(counted, None)
                if first is None:
                    raise _nothing_left(kind, source, left_out)
                count = write_rows(stage.outputs[0], chain([first], counted), item_schema(self.suite.name, kind))
        for reason, times in left_out.counts.most_common():
            say(f"{kind}: {times:,} × {reason}")
        if left_out.counts:
            say(f"{kind}: the list: {refused}")
        return {"items": count, "left_out": sum(left_out.counts.values()), "reasons": dict(left_out.counts)}

    @staticmethod
    def _counted(items: Any, advance: Callable[[int], None], *, by_seed: bool) -> Any:
        for item in items:
            if not by_seed:
                advance(1)
            yield item

    def _source(self, kind: str, form: KindForm, advance: Callable[[int], None]) -> Source:
        if form.file:
            return self.table(form.file, form)
        if form.generate:
            return self.generation(form.generate, advance).source()
        if form.sparql:
            return self._query(kind, form, form.sparql)
        return function_source(str(form.function), self.suite.path.parent)

    def table(self, name: str, form: KindForm | None = None) -> Source:
        """A table that the suite file names."""
        options = {key: getattr(form, key) if form else None for key in ("config", "split", "revision")}
        if name.startswith(HUB):
            return read_hub(name.removeprefix(HUB), **options)
        return read_table(self.suite.place(name), **options)

    def generation(self, form: Generate, advance: Callable[[int], None] = lambda _: None) -> Generation:
        """What a language model is asked for."""
        settings = llm_settings(form, self.llm_url, self.llm_model)
        server = self.stack.enter_context(OnDemand(lambda: small_llm(self.workspace.root)))
        llm = Llm(settings, settings.url or server.url, self.workspace.cache / "llm")
        return Generation(form, self.table(form.seeds), llm, advance)

    def _query(self, kind: str, form: KindForm, sparql: Sparql) -> Source:
        text = sparql.query or self.suite.place(str(sparql.query_file)).read_text(encoding="utf-8")
        order = sparql.order or tuple(form.columns[name].source or name for name in form.key)
        return query_source(sparql, text, self._endpoint(sparql), order, f"SPARQL, {_shown_endpoint(sparql)}")

    def _endpoint(self, form: Sparql) -> SparqlEndpoint:
        cache, identity = self.workspace.cache / "sparql", self._identity(form)
        if form.endpoint not in SNAPSHOTS:
            return SparqlEndpoint(form.endpoint, cache=cache, identity=identity, user_agent=self.user_agent)
        files = snapshot_files(SNAPSHOTS[form.endpoint])
        server = self.stack.enter_context(OnDemand(lambda: wikidata_snapshot(self.workspace.root, files)))
        return SparqlEndpoint(server.url, cache=cache, identity=identity)

    @staticmethod
    def _identity(form: Sparql) -> str:
        """What the replies depend on beside the query."""
        if form.endpoint in SNAPSHOTS:
            return snapshot_identity(snapshot_files(SNAPSHOTS[form.endpoint]))
        if "://" not in form.endpoint:
            known = ", ".join(SNAPSHOTS)
            raise ConfigError(
                f"found {form.endpoint!r}, expected an address, or one of {known}", where="sparql.endpoint"
            )
        return hash_value(with_graphs(form.endpoint))

    def announce(self) -> None:
        """Says what a build would do, and what it would cost: the tables are read, and no model or endpoint is asked.

        Raises:
            InputError: A row of a table does not fit.
        """
        for kind, form in self.suite.file.build.kinds.items():
            found = self.stage(kind, form).manifest()
            if found is not None:
                say(f"{kind}: nothing to do ({short(found['counts'])})")
            elif form.file:
                self._announce_table(kind, form, form.file)
            elif form.generate:
                generation = self.generation(form.generate)
                say(f"{kind}: {generation.cost().describe(generation.llm.settings)}")
            elif form.sparql:
                say(f"{kind}: would ask {_shown_endpoint(form.sparql)}, {form.sparql.page_size:,} rows at once")
            else:
                say(f"{kind}: would run {form.function}")

    def _announce_table(self, kind: str, form: KindForm, name: str) -> None:
        left_out = LeftOut()
        source = self.table(name, form)
        _compare_columns(source, form)
        check = row_check(self.suite.file, kind)
        items = sum(1 for _ in items_of(self.suite.name, kind, form, source, left_out, check))
        if not items:
            raise _nothing_left(kind, source, left_out)
        say(f"{kind}: would write {items:,} items of {name} and leave out {sum(left_out.counts.values()):,}")
        for reason, times in left_out.counts.most_common():
            say(f"  {times:,} × {reason}")


def _shown_endpoint(form: Sparql) -> str:
    """An endpoint without secrets, or the name of a packaged snapshot."""
    return f"the packaged {form.endpoint} snapshot" if form.endpoint in SNAPSHOTS else shown_address(form.endpoint)


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _compare_columns(source: Source, form: KindForm) -> None:
    """Says which columns of a source are not used: they may be misspelt, or simply not wanted.

    Raises:
        InputError: A column that no row can do without is not there.
    """
    if source.known is None:
        return
    wanted = {column.source or name: column for name, column in form.columns.items()}
    unused = [name for name in source.known if name not in wanted]
    missing = [name for name, column in wanted.items() if not column.optional and name not in source.known]
    if missing:
        likely = {name: get_close_matches(name, unused, n=1) for name in missing}
        named = [f"{name!r}" + (f" (did you mean {near[0]!r}?)" if near else "") for name, near in likely.items()]
        found = f"there is no column {', '.join(named)}; the table has {', '.join(map(_printable, source.known))}"
        hint = 'Name it in `columns` as the table does, or by its `source`: text = { type = "string", source = "..." }.'
        raise InputError(found, where=f"{source.name}:1", hint=hint)
    if unused:
        more = f" and {len(unused) - _SHOWN} more" if len(unused) > _SHOWN else ""
        say(f"{source.name}: columns that are not used: {', '.join(map(_printable, unused[:_SHOWN]))}{more}")


def _printable(name: str) -> str:
    """A name without what would steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def _nothing_left(kind: str, source: Source, left_out: LeftOut) -> InputError:
    """The error of a build without an item."""
    reasons = "; ".join(f"{times:,} × {reason}" for reason, times in left_out.counts.most_common(3))
    found = f"no {kind} is left: {reasons}" if reasons else f"there is no {kind} in it"
    return InputError(
        found, where=source.name, hint="A dataset needs one at the least; look at the table and at `where`."
    )
