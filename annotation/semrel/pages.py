"""The labelling page of the suite on semantic relations: a probe, to be completed in words.

Source: Cao, Yamada and Tokunaga, section 3.3. Four people complete a probe, each with several words in the order in
which they come to mind. Nothing is voted: whatever is an answer counts.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tashika.annotation.labelling import Drawer, Lemmatiser, Page, Row, WordsPage
from tashika.annotation.wording.dressing import NOTE
from tashika.core.answers import sound_answers, split_answers
from tashika.core.draws import chance, order_key
from tashika.core.suites.semrel.wordnet import open_wordnet
from tashika.core.workspace import Workspace

MOST_DRAWN = 3
"""Words that a simulated annotator gives, at most."""

_BLANK = '<span style="display:inline-block;min-width:120px;border-bottom:2px solid #1e40af">&nbsp;</span>'


def probe_data(row: Row, _parents: Sequence[Row]) -> dict[str, Any]:
    """What a probe's task shows: its text and the blank. A control question looks like any other."""
    text = row["text"].rstrip()
    return {
        "target": row["target"],
        "text": text,
        "text_html": f'<span style="font-size:22px;line-height:1.6">{html.escape(text)} {_BLANK}</span>',
    }


def check_answers(text: str) -> str | None:
    """Among what was typed there must be an answer, and not too many of them."""
    dropped: Counter[str] = Counter()
    return None if sound_answers(split_answers(text), dropped) else "; ".join(sorted(dropped)) or "no words"


def simulated_words(workspace: Workspace) -> Drawer:
    """The words that simulated annotators type: relata of the target, and with their error rate any other target's.

    Of one to three words, each is wrong with the error rate. The right ones are those of the control question, or the
    relata that the build found; all simulated annotators prefer the same ones, though not always. Where there are none
    they skip.
    """
    table = workspace.read_items("relatum").select(["target", "relation", "word"]).to_pylist()
    relata: dict[tuple[str, str], set[str]] = {}
    related: dict[str, set[str]] = {}
    for row in table:
        relata.setdefault((row["target"], row["relation"]), set()).add(row["word"])
        related.setdefault(row["target"], set()).add(row["word"])
    everything = sorted({row["word"] for row in table})

    def draw(row: Row, name: str, error_rate: float, seed: int) -> list[str] | None:
        key = (row["target"], row["relation"])
        right = sorted(set(row["known_answers"] or relata.get(key, ())), key=lambda word: order_key(seed, *key, word))
        if not right:
            return None
        # A word of another relation of the target is no plain error, but what the suite measures.
        near, item = related.get(row["target"], set()) | set(right), row["item_id"]
        words = []
        for place in range(1 + int(chance(seed, "how many", name, item) * MOST_DRAWN)):
            pick = chance(seed, "word", name, item, str(place))
            err = chance(seed, "error", name, item, str(place)) < error_rate
            # The square prefers the first of the right words, so that people agree more than by chance.
            chosen = ([word for word in everything if word not in near] or ["nonsense"]) if err else right
            words.append(chosen[int((pick if err else pick**2) * len(chosen))])
        return list(dict.fromkeys(words))

    return draw


def wordnet_lemmas() -> Lemmatiser:
    """WordNet's lemmas of nouns.

    Raises:
        InputError: WordNet is not installed.
    """
    wordnet = open_wordnet()
    return Lemmatiser("wordnet", wordnet.version, wordnet.lemma)


def take_over(workspace: Workspace, page: Page, path: Path, simulated: bool) -> int:
    """Adds the answers of a published response file, see `published`."""
    from tashika.annotation.semrel.published import import_responses

    return import_responses(workspace, page, path, simulated=simulated)


PAGES = (
    WordsPage(
        suite="semrel",
        kind="probe",
        note_control=NOTE,
        title="Tashika semrel probe",
        task_data=probe_data,
        words=simulated_words,
        check_text=check_answers,
        text_control="answers",
        parted_by="questionnaire",
        once=("target", "relation"),
        lemmatiser=wordnet_lemmas,
        take_over=take_over,
    ),
)
"""People complete probes; relata come from lexicons and are not judged."""
