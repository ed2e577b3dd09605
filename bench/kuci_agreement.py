"""How far GiNZA's rules find the relations that KNP finds: precision and recall, by relation.

    python bench/kuci_agreement.py parsed.knp [MORE ...] [--show]

KNP's output is an argument and is never copied in: its sentences have licences of their own. A relation of GiNZA's
counts as found where KNP has one of the same kind (cause, condition) between clauses that end at the same places. Only
certain ones count; in the second line only those whose clauses are the sentence's last two.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tashika.builders.kuci.analysis.ginza.analyzer import Ginza
from tashika.builders.kuci.analysis.knp.file import read_blocks
from tashika.builders.kuci.analysis.knp.sentence import read_block
from tashika.builders.kuci.analysis.records import Sentence


class Place(NamedTuple):
    """A relation by where its clauses end, in characters of the text without signs behind them.

    Attributes:
        kind: cause or condition.
        modifier: The end of the clause that is the cause or condition.
        head: The end of the other one.
    """

    kind: str
    modifier: int
    head: int


def places(sentence: Sentence, *, last: bool) -> set[Place]:
    """The certain relations of a sentence; with `last` those between its last two clauses."""
    ends = [_end(sentence, clause.start, clause.stop) for clause in sentence.clauses]
    count = len(ends)
    return {
        Place(one.label, ends[one.modifier], ends[one.head])
        for one in sentence.relations
        if one.certain and (not last or (one.head == count - 1 and one.modifier == count - 2))
    }


def _end(sentence: Sentence, start: int, stop: int) -> int:
    inside = [one for one in sentence.morphemes[start:stop] if not one.sign]
    return inside[-1].stop if inside else 0


def pairs_of(paths: list[Path]) -> Iterator[tuple[Sentence, Sentence]]:
    """KNP's and GiNZA's analysis of each sentence that both could analyse."""
    ginza = Ginza()
    for path in paths:
        parsed = (read_block(block, sid) for sid, block in read_blocks(path))
        sentences = [one for one in parsed if isinstance(one, Sentence)]
        others = ginza.analyze((one.sid, one.text) for one in sentences)
        for one, other in zip(sentences, others, strict=True):
            if isinstance(other, Sentence):
                yield one, other


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--show", action="store_true", help="print the sentences where the two differ")
    options = parser.parse_args()
    both = list(pairs_of(options.files))
    print(f"{len(both):,} sentences")
    for name, last in (("all certain relations", False), ("of the last two clauses", True)):
        theirs, ours, same = 0, 0, 0
        for parsed, other in both:
            expected, found = places(parsed, last=last), places(other, last=last)
            theirs, ours, same = theirs + len(expected), ours + len(found), same + len(expected & found)
            if options.show and expected != found:
                print(f"  {parsed.text}\n    KNP {sorted(expected)}\n    GiNZA {sorted(found)}")
        shares = f"precision {_share(same, ours)}, recall {_share(same, theirs)}"
        print(f"{name}: KNP {theirs}, GiNZA {ours}, same {same}; {shares}")


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "-"


if __name__ == "__main__":
    main()
