"""The section `[build]` of a suite file: kinds of items, their columns, and where candidates come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from tashika.core.settings import Section
from tashika.core.suites.columns import LISTS, VALUES, Column

ColumnType = Literal["string", "bool", "int32", "int64", "float32", "float64", "strings", "integers", "floats"]
COLUMN = r"^[A-Za-z][A-Za-z0-9_]{0,62}$"
KIND = r"^[a-z][a-z0-9_]{0,39}$"
FUNCTION = r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"
Name = Annotated[str, Field(pattern=COLUMN)]
KindName = Annotated[str, Field(pattern=KIND)]
OWN_COLUMNS = frozenset(
    {"item_id", "suite", "kind", "builder", "builder_version", "sources", "parents", "generation"}
    | {"votes_for", "votes_cast", "votes"}
)
"""Names that items and releases have already."""

assert set(ColumnType.__args__) == {*VALUES, *LISTS}  # type: ignore[attr-defined]


class ColumnForm(Section):
    """A column of a kind of item.

    Attributes:
        type: string, bool, int32, int64, float32, float64; or a list: strings, integers, floats.
        meaning: What it holds, for the card.
        optional: Whether it may be empty.
        source: Its name in the table, where that is another one: any text, in any script.
    """

    type: ColumnType
    meaning: str = ""
    optional: bool = False
    source: str | None = Field(default=None, min_length=1)

    def column(self, name: str) -> Column:
        """The column as a suite declares it."""
        meaning = self.meaning.replace("<", "&lt;") or f"the column `{name}` of the candidates"
        return Column(self.type, meaning, optional=self.optional)


def _whole(value: Any) -> Any:
    return {"type": value} if isinstance(value, str) else value


AnyColumn = Annotated[ColumnForm, BeforeValidator(_whole, json_schema_input_type=ColumnType | ColumnForm)]


class Generate(Section):
    """Candidates that a language model writes, some for each row of a seed table.

    Attributes:
        seeds: A table; its columns can be used in the prompt. Beside the suite file, like every path here.
        prompt: A Jinja template.
        system: The system message for chat models.
        wanted: Candidates a seed.
        rounds: How often a seed is asked about, before the candidates that are there must do.
        read: How a reply is read: `lines` (a candidate a line), `json` (an object or a list of objects), `pattern`, or
            `whole` (each of several replies fills a column, see `into`).
        pattern: A regular expression whose named groups are columns.
        column: Where a line goes.
        into: Columns that the replies to one seed fill, in order: one candidate a seed, such as two answers to compare.
        keep: Columns of the seed table that each candidate keeps.
        url: An OpenAI-compatible endpoint; empty: the small model of this machine.
        model: Its name there.
        api: `chat` or `completions`.
        temperature: Of the sampling.
        top_p: Of the sampling.
        max_tokens: Of a reply.
        seed: Of the sampling.
        stop: Where a reply ends.
        concurrency: Requests at once.
    """

    seeds: str
    prompt: str = Field(min_length=1)
    system: str = ""
    wanted: int = Field(default=1, ge=1, le=1000)
    rounds: int = Field(default=3, ge=1, le=100)
    read: Literal["lines", "json", "pattern", "whole"] = "lines"
    pattern: str | None = None
    column: Name | None = None
    into: tuple[Name, ...] = ()
    keep: tuple[Name, ...] = ()
    url: str = ""
    model: str = "SmolLM2-135M-Instruct"
    api: Literal["chat", "completions"] = "chat"
    temperature: float = Field(default=0.8, ge=0, le=2)
    top_p: float = Field(default=0.95, gt=0, le=1)
    max_tokens: int = Field(default=256, ge=1)
    seed: int = 0
    stop: str | None = Field(default=None, min_length=1)
    concurrency: int = Field(default=4, ge=1, le=256)

    @model_validator(mode="after")
    def _reads_what_it_needs(self) -> Generate:
        if (self.read == "pattern") != (self.pattern is not None):
            raise ValueError('`pattern` goes with read = "pattern", and only with it')
        if (self.read == "lines") != (self.column is not None):
            raise ValueError('`column` goes with read = "lines", and only with it')
        if (self.read == "whole") != bool(self.into):
            raise ValueError('`into` goes with read = "whole", and only with it')
        if self.into and self.wanted > 1:
            raise ValueError("`into` makes one candidate a seed; leave `wanted` out")
        return self


class Sparql(Section):
    """Candidates that a query brings: its variables are columns.

    Attributes:
        query: The query, or
        query_file: a file that holds it. It has no LIMIT or OFFSET of its own: it is paged.
        endpoint: Its address; `wikidata` and `tempripple` are packaged snapshots, served on this machine.
        page_size: Rows a request.
        order: Variables to order by, so that pages fit; the key's columns by default.
    """

    query: str | None = None
    query_file: str | None = None
    endpoint: str = "wikidata"
    page_size: int = Field(default=5000, ge=1, le=100_000)
    order: tuple[Name, ...] = ()

    @model_validator(mode="after")
    def _one_query(self) -> Sparql:
        if (self.query is None) == (self.query_file is None):
            raise ValueError("expected `query` or `query_file`, and not both")
        return self


class NearDuplicates(Section):
    """What is done about candidates that are nearly the same (MinHash over runs of three letters, Broder 1997).

    Attributes:
        columns: Whose texts are compared.
        threshold: The Jaccard similarity of their sets of runs of three letters, from which on they are the same.
        action: `drop` keeps the first, `count` keeps all and says how many there are.
    """

    columns: tuple[Name, ...] = Field(min_length=1)
    threshold: float = Field(default=0.8, gt=0, lt=1)
    action: Literal["drop", "count"] = "drop"


class KindForm(Section):
    """A kind of item, and where its candidates come from: exactly one of file, generate, sparql and function.

    Attributes:
        meaning: What one is, for the card.
        key: Columns that make an item this one and no other: its id is a digest of suite, kind and these.
        columns: By name: a type, or a table with type, meaning, optional, source. A name has letters from A to Z,
            digits and underscores, and begins with a letter; a header in another script is named by `source`.
        file: A table (CSV, TSV, JSONL, Parquet, plain or .gz), a dataset's folder, or `hf:NAME` on the Hub.
        config: The dataset's configuration.
        split: The dataset's split.
        revision: The dataset's revision.
        separator: What parts a list in a field of CSV or TSV.
        generate: A language model writes them.
        sparql: A query brings them.
        function: MODULE:NAME of a Python function without arguments that yields rows; the module may lie beside the
            suite file.
        where: A Jinja expression over the columns; a row is left out and counted where it is false.
        bad: What a row that does not fit comes to: `error`, or `refuse`, which counts it by reason.
        duplicates: What a second row of one key comes to: `error`, or `refuse`.
        near_duplicates: What is done about candidates that are nearly the same; see the table of that name below.
        sample: How many to draw.
        seed: Draws another sample.
    """

    meaning: str = ""
    key: tuple[Name, ...] = Field(min_length=1)
    columns: dict[Name, AnyColumn] = Field(min_length=1)
    file: str | None = Field(default=None, min_length=1)
    config: str | None = None
    split: str | None = None
    revision: str | None = None
    separator: str = Field(default="|", min_length=1)
    generate: Generate | None = None
    sparql: Sparql | None = None
    function: str | None = Field(default=None, pattern=FUNCTION)
    where: str | None = None
    bad: Literal["error", "refuse"] = "error"
    duplicates: Literal["error", "refuse"] = "error"
    near_duplicates: NearDuplicates | None = None
    sample: int | None = Field(default=None, ge=1)
    seed: int = 0

    @model_validator(mode="after")
    def _fits(self) -> KindForm:
        named = [name for name in ("file", "generate", "sparql", "function") if getattr(self, name) is not None]
        if len(named) != 1:
            found = f"found {' and '.join(named)}" if named else "found none"
            raise ValueError(f"{found}, expected exactly one of file, generate, sparql and function")
        for name in self.columns:
            if name in OWN_COLUMNS:
                raise ValueError(f"columns: every item has a column {name!r} of its own; use another name")
        for where, names in self._references().items():
            for name in names:
                if name not in self.columns:
                    raise ValueError(f"{where} names the column {name!r}, which is not among `columns`")
        for name in self.key:
            if self.columns[name].optional:
                raise ValueError(f"key: the column {name!r} may be empty, and an item's id cannot hang on it")
        return self

    def _references(self) -> Mapping[str, tuple[str, ...]]:
        near = self.near_duplicates.columns if self.near_duplicates else ()
        form = self.generate
        line = (form.column,) if form and form.column else ()
        into = form.into if form else ()
        known = {"key": self.key, "near_duplicates.columns": near}
        return {**known, "generate.column": line, "generate.into": into}


class BuildForm(Section):
    """`[build]`.

    Attributes:
        kinds: The kinds of items, in the order in which they are made.
    """

    kinds: dict[KindName, KindForm] = Field(min_length=1)
