"""Candidates that a SPARQL query brings, page by page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tashika.builders.custom.rows import RawRow, Source
from tashika.builders.sources.sparql import PREFIXES, SparqlEndpoint
from tashika.core.custom.build_form import Sparql
from tashika.core.errors import ConfigError

_PROLOGUE = re.compile(r"\s*(?:(?:PREFIX\s+[\w.-]*:\s*<[^>]*>|BASE\s*<[^>]*>|#[^\n]*)\s*)*", re.IGNORECASE)
_DECLARED = re.compile(r"PREFIX\s+([\w.-]*):", re.IGNORECASE)


def paged_query(query: str, order: Sequence[str], size: int, offset: int) -> str:
    """One page of a query, which may have an order and a limit of its own.

    It becomes a subquery, whose rows are put in a total order as far as the variables tell them apart: pages of an
    unordered query may overlap. Well-known prefixes are declared where it does not.

    Args:
        query: A SELECT query.
        order: Variables, without question marks.
        size: Rows a page.
        offset: Rows before it.

    Raises:
        ConfigError: It is no SELECT query.
    """
    prologue = _PROLOGUE.match(query)
    own = prologue[0] if prologue else ""
    rest = query[len(own) :].strip()
    if not re.match(r"SELECT\b", rest, re.IGNORECASE):
        raise ConfigError(f"found {rest[:20]!r}, expected a SELECT query", where="sparql.query")
    declared = set(_DECLARED.findall(own))
    known = "\n".join(line for line in PREFIXES.splitlines() if _DECLARED.findall(line)[0] not in declared)
    keys = " ".join(f"?{name}" for name in order)
    return f"{known}\n{own}\nSELECT * WHERE {{ {{\n{rest}\n}} }}\nORDER BY {keys}\nLIMIT {size}\nOFFSET {offset}"


def query_source(form: Sparql, query: str, endpoint: SparqlEndpoint, order: Sequence[str], name: str) -> Source:
    """The rows of a query; its variables are columns, whose values are texts.

    Args:
        form: How it is paged.
        query: The query.
        endpoint: Who is asked.
        order: Variables that tell rows apart.
        name: What an item's provenance calls the endpoint.
    """
    return Source(_pages(form, query, endpoint, order), name, endpoint.identity.rpartition(" ")[2][:12], texts=True)


def _pages(form: Sparql, query: str, endpoint: SparqlEndpoint, order: Sequence[str]) -> Iterator[RawRow]:
    offset = 0
    while True:
        rows = endpoint.select(paged_query(query, order, form.page_size, offset))
        for number, row in enumerate(rows, start=offset + 1):
            yield RawRow(f"query row {number}", {variable: value for variable, (value, _) in row.items()})
        offset += len(rows)
        if len(rows) < form.page_size:
            return
