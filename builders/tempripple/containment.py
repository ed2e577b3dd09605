"""What lies in what: an option that contains the right answer, or is contained in it, may be right as well.

Harvard Law School is a part of Harvard University, and who attended one attended the other; who lives in Rome lives in
Italy. So neither is a wrong option where the other is right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from tashika.builders.sources.sparql import ENTITY, SparqlEndpoint
from tashika.builders.sources.wikidata import BATCH, item_number, item_or_none

CONTAINED_IN: Final = ("P17", "P131", "P279", "P361", "P749")
"""Country, administrative territory, superclass, whole, parent organisation."""


def containment(endpoint: SparqlEndpoint, items: Iterable[str], batch: int = BATCH) -> Mapping[str, frozenset[str]]:
    """Which of the items contain another one directly; both are given for each.

    Args:
        endpoint: Where to ask.
        items: Item ids.
        batch: Items a request.
    """
    known = set(items)
    properties = ", ".join(f"wdt:{pid}" for pid in CONTAINED_IN)

    def query(values: str) -> str:
        return f"SELECT DISTINCT ?a ?b WHERE {{ VALUES ?a {{ {values} }} ?a ?p ?b . FILTER(?p IN ({properties})) }}"

    near: dict[str, set[str]] = defaultdict(set)
    for rows in endpoint.select_batches(query, [f"wd:{item}" for item in sorted(known, key=item_number)], batch):
        for row in rows:
            part, whole = row["a"][0].removeprefix(ENTITY), item_or_none(row["b"][0])
            if whole in known and whole != part:
                near[part].add(whole)
                near[whole].add(part)
    return {item: frozenset(others) for item, others in near.items()}
