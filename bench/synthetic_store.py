"""A made-up Wikidata of four million triples, in the form that Wikidata exports, and a server over it.

Usage: python bench/synthetic_store.py [--scale 1.0] [--seed 0] [--target .bench/synthetic/synthetic-1.nt]

60,000 entities ("Person 12", "City 7"), 27,500 histories of the 16 changing properties, of which about 10,100 have a
start or an end in 2025, and the stable facts, labels, identifiers and references that surround them. The histories are
of many kinds (`KINDS`): with overlaps, gaps, undated or unknown, in days, months or years, with re-elections and
returns. About one in eight is sound; Wikidata's own are less often. Nothing here is true of anything.

The same scale and seed give the same bytes. Triples are written as they are made; only the nodes of dates, which
Wikidata shares between statements, are remembered.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from harness import CACHE
from synthetic_statements import ENTITY, KINDS, XSD, Claim, Triples, When, dated, history, rounded

from tashika.builders.sources.serving import program
from tashika.core.services import LOOPBACK, free_port, running


class Sort(NamedTuple):
    """A sort of entities: how many there are, the class that P31 names, and what their names begin with."""

    size: int
    wikidata_class: str
    name: str


SORTS: Final = {
    "person": Sort(41_500, "Q5", "Person"),
    "city": Sort(6_000, "Q515", "City"),
    "company": Sort(4_000, "Q4830453", "Company"),
    "club": Sort(2_500, "Q476028", "Club"),
    "venue": Sort(1_200, "Q483110", "Venue"),
    "university": Sort(800, "Q3918", "University"),
    "party": Sort(400, "Q7278", "Party"),
    "language": Sort(300, "Q34770", "Language"),
    "country": Sort(200, "Q6256", "Country"),
    "occupation": Sort(200, "Q28640", "Occupation"),
    "league": Sort(150, "Q15991303", "League"),
    "currency": Sort(150, "Q8142", "Currency"),
    "office": Sort(100, "Q4164871", "Office"),
    "award": Sort(100, "Q618779", "Award"),
    "sport": Sort(30, "Q31629", "Sport"),
    "script": Sort(30, "Q8192", "Script"),
    "religion": Sort(20, "Q9174", "Religion"),
    "continent": Sort(7, "Q5107", "Continent"),
    "gender": Sort(3, "Q48277", "Gender"),
    "class": Sort(60, "Q16889133", "Class"),
}
_SHARED: Final = frozenset(
    {"sport", "script", "religion", "continent", "gender", "currency", "language", "country", "class"}
)
"""As many in a small store: its other entities need them."""


class Changing(NamedTuple):
    """Histories of one property: of which sort its subjects are (the first `skip` are left out) and its objects."""

    subjects: str
    objects: str
    size: int
    skip: int
    years: float


CHANGING: Final = {
    "P54": Changing("person", "club", 10_000, 0, 2.3),
    "P108": Changing("person", "company", 2_700, 10_000, 5.0),
    "P102": Changing("person", "party", 1_400, 12_700, 7.0),
    "P69": Changing("person", "university", 1_200, 14_100, 3.0),
    "P551": Changing("person", "city", 500, 15_300, 5.0),
    "P937": Changing("person", "city", 300, 15_800, 5.0),
    "P27": Changing("person", "country", 250, 16_100, 9.0),
    "P140": Changing("person", "religion", 150, 16_350, 9.0),
    "P6": Changing("city", "person", 3_200, 0, 4.5),
    "P17": Changing("city", "country", 80, 3_200, 9.0),
    "P488": Changing("company", "person", 2_600, 0, 4.5),
    "P169": Changing("company", "person", 1_900, 600, 5.0),
    "P159": Changing("company", "city", 400, 2_500, 7.0),
    "P286": Changing("club", "person", 2_500, 0, 1.8),
    "P35": Changing("country", "person", 200, 0, 5.0),
    "P36": Changing("country", "city", 20, 0, 9.0),
}

TOUCHED: Final = 0.35
"""How many of the histories have a start or an end in 2025."""


class World:
    """Draws entities and what is said of them.

    Args:
        scale: 1 for four million triples; a smaller store has fewer of all but what many entities share.
        seed: Of every draw.
    """

    def __init__(self, scale: float = 1.0, seed: int = 0) -> None:
        self.random = Random(seed)
        self.scale = scale
        self.counts = {
            name: sort.size if name in _SHARED else max(30, round(sort.size * scale)) for name, sort in SORTS.items()
        }
        self.told: Counter[str] = Counter()
        self._base = {name: 10**9 + place * 10**7 for place, name in enumerate(SORTS)}

    def id(self, sort: str, number: int) -> str:
        """Far above the items of today's Wikidata."""
        return f"Q{self._base[sort] + number}"

    def any(self, sort: str) -> str:
        """An entity of the sort, as a term; some are named more often than others."""
        count = self.counts[sort]
        return f"<{ENTITY}{self.id(sort, int(count * self.random.random() ** 1.5))}>"

    def write(self, out: Triples) -> None:
        """Every entity with all that is said of it."""
        for sort, count in self.counts.items():
            for number in range(count):
                self._entity(out, sort, number)

    def _entity(self, out: Triples, sort: str, number: int) -> None:
        entity, random = self.id(sort, number), self.random
        language = "mul" if random.random() < 0.2 else "en"
        out.entity(entity, f"{SORTS[sort].name} {number + 1}", language, self._class(sort, number))
        changes = [name for name, one in CHANGING.items() if one.subjects == sort and self._has(one, number)]
        for relation in changes:
            self._history(out, entity, relation)
        for relation, claims in self._stable(sort, number):
            if claims and relation not in changes:
                out.statements(entity, relation, claims)
        if number % 10 == 0:
            out.statements(entity, "P9001", [Claim(f'"{sort}-{number}"')])
        self.told["entities"] += 1

    def _class(self, sort: str, number: int) -> str:
        """A third of the companies are of a class whose superclass tells what they are."""
        return self.id("class", number % 60) if sort == "company" and number % 3 == 0 else SORTS[sort].wikidata_class

    def _has(self, changing: Changing, number: int) -> bool:
        first, count = (round(one * self.scale) for one in (changing.skip, changing.size))
        if changing.subjects in _SHARED:
            first, count = changing.skip, changing.size
        return first <= number < first + count

    def _history(self, out: Triples, entity: str, relation: str) -> None:
        random, changing = self.random, CHANGING[relation]
        touched = random.random() < TOUCHED
        kind = random.choices(list(KINDS), list(KINDS.values()))[0]
        objects = list(dict.fromkeys(self.any(changing.objects) for _ in range(20)))
        claims = history(random, kind, objects, changing.years, touched)
        out.statements(entity, relation, claims)
        self.told["histories"] += 1
        self.told["statements of histories"] += len(claims)
        self.told["histories with a start or an end in 2025"] += any(
            when is not None and when.precision > 0 and when.day.year == 2025
            for claim in claims if claim.rank != "Deprecated"
            for when in (claim.start, claim.other_start, claim.end)
        )  # fmt: skip

    def _some(self, share: float, sort: str, most: int = 1, **told: When | None) -> list[Claim]:
        """Up to `most` different objects of a sort, in as many cases as `share` says."""
        if self.random.random() >= share:
            return []
        count = self.random.randint(1, most)
        return [Claim(one, **told) for one in dict.fromkeys(self.any(sort) for _ in range(count))]

    def _day(self, first: int, last: int) -> When:
        day = date(self.random.randint(first, last), self.random.randint(1, 12), self.random.randint(1, 28))
        return rounded(day, self.random.choice((11, 11, 11, 9)))

    def _time(self, share: float, first: int, last: int) -> list[Claim]:
        return [dated(self._day(first, last))] if self.random.random() < share else []

    def _stable(self, sort: str, number: int) -> Iterator[tuple[str, list[Claim]]]:
        """What does not change (or not often) about an entity: (property, statements)."""
        make = {
            "person": self._person, "city": self._city, "company": self._company, "club": self._club,
            "country": self._country, "language": self._language,
        }.get(sort)  # fmt: skip
        if make is not None:
            yield from make(number)
        elif sort == "university":
            yield from (("P17", self._some(0.9, "country")), ("P571", self._time(0.6, 1400, 2010)))
        elif sort == "party":
            yield from (("P17", self._some(0.9, "country")), ("P112", self._some(0.3, "person", 3)))
        elif sort == "venue":
            yield from (
                ("P17", self._some(0.9, "country")),
                ("P571", self._time(0.6, 1900, 2020)),
                ("P84", self._some(0.4, "person")),
                ("P138", self._some(0.2, "person")),
            )
        elif sort == "league":
            yield from (("P17", self._some(0.8, "country")), ("P641", self._some(1.0, "sport")))
        elif sort == "class":
            yield "P279", [Claim(f"<{ENTITY}{SORTS['company'].wikidata_class}>")]
        elif sort == "currency":
            yield "P498", [Claim(f'"X{chr(65 + number // 26)}{chr(65 + number % 26)}"')]

    def _person(self, number: int) -> Iterator[tuple[str, list[Claim]]]:
        random = self.random
        born = random.randint(1940, 2003)
        yield "P21", self._some(1.0, "gender")
        yield "P19", self._some(0.75, "city")
        yield "P27", self._some(0.8, "country")
        yield "P106", self._some(0.9, "occupation", 3)
        yield "P103", self._some(0.45, "language")
        yield "P69", self._some(0.3, "university", 2)
        yield "P569", self._time(0.85, born, born)
        married = self._day(2018, 2024) if random.random() < 0.2 else self._day(1960, 2014)
        yield "P26", self._some(0.25, "person", start=married)
        yield "P3373", self._some(0.08, "person", 3)
        yield "P39", self._some(0.1, "office", 2, start=self._day(1985, 2024))
        yield "P22", self._some(0.15, "person")
        yield "P25", self._some(0.1, "person")
        yield "P40", self._some(0.05, "person", 3)
        yield "P166", self._some(0.15, "award", 3, point=self._day(1990, 2024))
        yield "P1971", [Claim(f'"+{random.randint(1, 6)}"^^<{XSD}decimal>')] if random.random() < 0.05 else []
        if number < self.counts["person"] // 4:
            yield "P641", self._some(0.8, "sport")
        if random.random() < 0.06:
            died = self._day(2005, 2025)
            yield "P570", [dated(died)]
            yield "P20", self._some(0.9, "city")
            yield "P119", self._some(0.3, "city")

    def _city(self, number: int) -> Iterator[tuple[str, list[Claim]]]:
        yield "P17", self._some(0.98, "country")
        yield "P571", self._time(0.5, 900, 2014)
        yield "P138", self._some(0.15, "person")
        yield "P1376", self._some(1.0, "country") if number < 60 else []

    def _company(self, number: int) -> Iterator[tuple[str, list[Claim]]]:
        yield "P17", self._some(0.9, "country")
        yield "P112", self._some(0.3, "person", 3)
        yield "P571", self._time(0.8, 1850, 2018)
        yield "P159", self._some(0.6, "city")
        yield "P740", self._some(0.2, "city")

    def _club(self, number: int) -> Iterator[tuple[str, list[Claim]]]:
        yield "P17", self._some(0.95, "country")
        yield "P641", self._some(1.0, "sport")
        yield "P115", self._some(0.5, "venue", start=None if self.random.random() < 0.8 else self._day(2016, 2023))
        yield "P118", self._some(0.8, "league")
        yield "P112", self._some(0.2, "person", 2)
        yield "P571", self._time(0.8, 1880, 2012)

    def _country(self, number: int) -> Iterator[tuple[str, list[Claim]]]:
        yield "P30", self._some(1.0, "continent")
        yield "P36", self._some(1.0, "city")
        yield "P38", self._some(1.0, "currency", 2)
        yield "P37", self._some(1.0, "language", 3)
        yield "P571", self._time(0.7, 1200, 1995)

    def _language(self, number: int) -> Iterator[tuple[str, list[Claim]]]:
        yield "P282", self._some(0.9, "script", 2)
        code = [Claim(f'"{chr(97 + number // 26 % 26)}{chr(97 + number % 26)}"')]
        yield "P218", code if number < 180 else []


# The files


def generate(target: Path, scale: float = 1.0, seed: int = 0) -> dict[str, Any]:
    """Writes the store's N-Triples; what it holds is kept beside, in a file that ends with .json.

    Returns:
        Counts of what was written, the bytes, and the seconds that it took.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f"{target.name}.{os.getpid()}.part")
    began = time.perf_counter()
    with temporary.open("w", encoding="utf-8", buffering=1 << 20) as out:
        triples, world = Triples(out), World(scale, seed)
        world.write(triples)
    found = {"scale": scale, "seed": seed, "triples": triples.count, **world.told}
    found |= {"bytes": temporary.stat().st_size, "seconds": time.perf_counter() - began}
    temporary.rename(target)
    target.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def load(source: Path, store: Path) -> dict[str, float]:
    """Loads a file into a new Oxigraph store, in place of an older one.

    Returns:
        Seconds of loading and of optimising, and the bytes on disk.
    """
    shutil.rmtree(store, ignore_errors=True)
    oxigraph, seconds = program("oxigraph"), []
    for command in (["load", "--location", str(store), "--file", str(source)], ["optimize", "--location", str(store)]):
        began = time.perf_counter()
        subprocess.run([oxigraph, *command], check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    size = sum(file.stat().st_size for file in store.rglob("*") if file.is_file())
    return {"load_seconds": seconds[0], "optimise_seconds": seconds[1], "bytes": size}


@contextmanager
def served(store: Path) -> Iterator[tuple[str, int]]:
    """Serves a store read-only while the block runs; gives the endpoint's address and the server's process id."""
    port = free_port()
    url = f"http://{LOOPBACK}:{port}"
    bind = ["--bind", f"{LOOPBACK}:{port}", "--timeout-s", "120"]
    command = [program("oxigraph"), "serve-read-only", "--location", str(store), *bind]
    with running(command, name="Oxigraph", health=f"{url}/", log=store.with_suffix(".log")) as process:
        yield f"{url}/query", process.pid


def main() -> None:
    """Writes the file and tells what it holds."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--scale", type=float, default=1.0)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--target", type=Path)
    chosen = options.parse_args()
    found = generate(chosen.target or CACHE / "synthetic" / f"synthetic-{chosen.scale:g}.nt", chosen.scale, chosen.seed)
    print("A synthetic store; nothing in it is true of anything.")
    for name, value in found.items():
        print(f"{name}: {value:,.1f}" if isinstance(value, float) else f"{name}: {value:,}")


if __name__ == "__main__":
    main()
