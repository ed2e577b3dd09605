"""Which kind of thing an entity is: person, country, sports club, ... It decides what may be asked of it.

A class (of P31) that the properties' file does not name is looked up among its superclasses (P279), which are walked
once for all entities: a `P31/P279*` inside the query for facts would take a public endpoint minutes.

A store may lack the best-rank view (wdt:), which repeats what the statements say; then these are asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tashika.builders.sources.sparql import ENTITY, SparqlEndpoint
from tashika.builders.sources.wikidata import BATCH, item_number, item_or_none
from tashika.core.progress import say

_PREFERRED = "wikibase:PreferredRank"

DEPTH = 5
"""Superclasses further up say little: half of Wikidata is an "entity" within seven steps."""


class EntityTypes:
    """Finds types; remembers the superclasses that it has asked for.

    Args:
        endpoint: Where to ask.
        classes: Class -> type, such as Q5 -> person.
        batch: Entities a request.
        depth: Steps from a class to a superclass that still gives it a type, at most.
    """

    def __init__(
        self, endpoint: SparqlEndpoint, classes: Mapping[str, str], *, batch: int = BATCH, depth: int = DEPTH
    ) -> None:
        self._endpoint = endpoint
        self._classes = classes
        self._batch = batch
        self._depth = depth
        self._parents: dict[str, frozenset[str]] = {}
        self._types: dict[str, frozenset[str]] = {}
        self._has_view: dict[str, bool] = {}

    def types_of(self, entities: Iterable[str]) -> dict[str, frozenset[str]]:
        """The types of each entity: all that its classes have; none where no class leads to a type.

        Args:
            entities: Item ids.
        """
        classes = {entity: frozenset[str]() for entity in entities}
        classes.update(self._linked("P31", classes))
        self._load_superclasses({item for several in classes.values() for item in several})
        return {
            entity: frozenset(name for item in several for name in self._types_of_class(item))
            for entity, several in classes.items()
        }

    def _load_superclasses(self, classes: set[str]) -> None:
        """Asks for the superclasses of unknown classes, then for theirs; a level's classes in one go."""
        level = classes
        for _ in range(self._depth):
            level = {item for item in level if item not in self._classes and item not in self._types}
            missing = level - self._parents.keys()
            if missing:
                self._parents.update(dict.fromkeys(missing, frozenset()))  # the topmost ones have no superclass
                self._parents.update(self._linked("P279", missing))
            level = {parent for item in level for parent in self._parents[item]}

    def _types_of_class(self, start: str) -> frozenset[str]:
        """The first types on every way up; a way ends at a class that has one, and where it has been before."""
        if start not in self._types:
            types: set[str] = set()
            seen = level = {start}
            for _ in range(self._depth + 1):
                types |= {self._classes[one] for one in level if one in self._classes}
                upwards = (self._parents.get(one, frozenset()) for one in level if one not in self._classes)
                level = {parent for parents in upwards for parent in parents} - seen
                seen = seen | level
            self._types[start] = frozenset(types)
        return self._types[start]

    def _linked(self, relation: str, entities: Iterable[str]) -> dict[str, frozenset[str]]:
        """Entity -> objects of P31 or P279 in the best-rank view; unknown ones are left out."""
        terms = [f"wd:{entity}" for entity in sorted(set(entities), key=item_number)]
        classes = self._asked(f"?e wdt:{relation} ?c", terms) if self._has_view.get(relation, True) else {}
        if classes or not terms or self._view_exists(relation):
            return classes
        # As in the view: the preferred statements; where there are none, the normal ones.
        preferred = self._asked(f"?e p:{relation} ?st . ?st ps:{relation} ?c ; wikibase:rank {_PREFERRED}", terms)
        rest = [term for term in terms if term.removeprefix("wd:") not in preferred]
        return preferred | self._asked(
            f"?e p:{relation} ?st . ?st ps:{relation} ?c . "
            f"FILTER NOT EXISTS {{ ?st wikibase:rank {_PREFERRED} }} "
            "FILTER NOT EXISTS { ?st wikibase:rank wikibase:DeprecatedRank }",
            rest,
        )

    def _view_exists(self, relation: str) -> bool:
        """Whether the store has the best-rank view of a property at all; asked when it gave nothing."""
        if relation not in self._has_view:
            exists = bool(self._endpoint.select(f"SELECT ?e WHERE {{ ?e wdt:{relation} ?c }} LIMIT 1"))
            self._has_view[relation] = exists
            if not exists:
                say(f"The store has no wdt:{relation}; p:{relation} and ps:{relation} are asked instead")
        return self._has_view[relation]

    def _asked(self, pattern: str, terms: Sequence[str]) -> dict[str, frozenset[str]]:
        """?e -> all ?c that are items."""

        def query(values: str) -> str:
            return f"SELECT ?e ?c WHERE {{ VALUES ?e {{ {values} }} {pattern} }}"

        linked: dict[str, set[str]] = {}
        for rows in self._endpoint.select_batches(query, terms, self._batch):
            for row in rows:
                if item := item_or_none(row["c"][0]):
                    linked.setdefault(row["e"][0].removeprefix(ENTITY), set()).add(item)
        return {entity: frozenset(several) for entity, several in linked.items()}
