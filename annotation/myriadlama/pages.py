"""The labelling pages of MyriadLAMA: templates, all of them, and aliases.

Source: the paper's section 2, where people write five templates a relation and check what is generated.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

from tashika.annotation.labelling import AGAINST, FOR, Row, VotePage
from tashika.annotation.markup import large, said, wikidata_link
from tashika.annotation.wording.dressing import NOTE
from tashika.core.cloze import OBJECT_SLOT, SUBJECT_SLOT
from tashika.core.writing import UNSPACED, letter_script, script_of

SLOTS = (SUBJECT_SLOT, OBJECT_SLOT)
SHORTEST, LONGEST = 3, 25  # words of a template that a person would call plausible
SHORTEST_UNSPACED, LONGEST_UNSPACED = 6, 100  # characters, where words are not parted by spaces
_STEM = 4
_STOP = frozenset(
    re.findall(
        r"\w+",
        "the and for with from that this which what who whom whose where when how was were are has have had been "
        "being its his her their one out into can may does did not any but",
    )
)
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED_WORD = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{4}")
_DEBRIS = re.compile(
    r"\b(answer|question|paraphrase|template|sentence)\s*:|(答え|回答|質問|言いかえ|言い換え|文)[:：]|\n|[{}<>|]",
    re.IGNORECASE,
)


def _marked(template: str) -> str:
    """The template as HTML with its two slots coloured."""
    text = html.escape(template)
    for slot, style in zip(
        SLOTS, ("background:#dbeafe;color:#1e40af", "background:#fef3c7;color:#92400e"), strict=True
    ):
        mark = f'<span style="{style};padding:0 5px;border-radius:4px;font-weight:600">{slot}</span>'
        text = text.replace(slot, mark)
    return text


def template_data(row: Row, parents: Sequence[Row]) -> dict[str, Any]:
    """What a template's task shows: the relation, the template, an example, and the template it paraphrases."""
    if parents:
        origin = said("A language model wrote it as a paraphrase of: ", "言語モデルが次の文を言いかえました：")
        origin += _marked(parents[0]["text"])
    elif row["origin"] == "manual":
        origin = said("A person wrote it.", "人が書きました。")
    else:
        origin = said("A language model wrote it.", "言語モデルが書きました。")
    return {
        "relation": row["relation"],
        "relation_html": f"<b>{html.escape(row['relation_label'])}</b> <small>({html.escape(row['relation'])})</small>",
        "description_html": _marked(row["relation_description"]),
        "template": row["text"],
        "template_html": f'<span style="font-size:22px;line-height:1.6">{_marked(row["text"])}</span>',
        "example": row["example"],
        "example_html": html.escape(row["example"]),
        "origin_html": origin,
    }


def check_template(text: str) -> str | None:
    """A template has [X] and [Y] exactly once each."""
    return None if all(text.count(slot) == 1 for slot in SLOTS) else "correction without [X] and [Y] exactly once"


def _stems(text: str) -> set[str]:
    """What two wordings of a relation have in common: beginnings of words; without spaces, characters and katakana."""
    text = text.replace("[X]", " ").replace("[Y]", " ")
    if script_of(text) in UNSPACED:
        return {letter for letter in text if letter_script(letter) == "CJK"} | set(_UNSPACED_WORD.findall(text))
    words = (word.lower() for word in _WORD.findall(text))
    return {word[:_STEM] for word in words if len(word) >= 3 and word not in _STOP}


def plausible_template(row: Row, parents: Sequence[Row]) -> bool:
    """Whether a template looks right; stands in for a person's judgment and is only for the simulation.

    A manual template always does. A paraphrase does if it has [X] and [Y] once each and three to 25 words, ends with
    a full stop, a question mark or [Y], holds no debris of the model's reply ("Answer:", a line break, braces), and
    shares the first four letters of a content word with its manual template or with the relation's label. Where words
    are not parted by spaces, characters are counted, and a Chinese character or a word in katakana is shared.
    """
    text = row["text"]
    if row["origin"] == "manual":
        return True
    known = _stems(" ".join([row["relation_label"], *(parent["text"] for parent in parents)]))
    return (
        check_template(text) is None
        and _has_plausible_length(text)
        and text.rstrip().endswith((".", "?", "!", "[Y]", "。", "？", "！", "।", "؟"))
        and not _DEBRIS.search(text)
        and bool(_stems(text) & known)
    )


def _has_plausible_length(text: str) -> bool:
    if script_of(text) in UNSPACED:
        return SHORTEST_UNSPACED <= len(text) <= LONGEST_UNSPACED
    return SHORTEST <= len(text.split()) <= LONGEST


def alias_data(row: Row, _parents: Sequence[Row]) -> dict[str, Any]:
    """What an alias's task shows: the alias, and the entity with a link to its page on Wikidata if it has one."""
    return {
        "entity": row["entity"],
        "entity_html": f"<b>{html.escape(row['entity_label'])}</b> &nbsp; {wikidata_link(row['entity'])}",
        "alias": row["text"],
        "alias_html": large(row["text"]),
        "language": html.escape(row["language"]),
    }


def plausible_alias(row: Row, _parents: Sequence[Row]) -> bool:
    """Whether an alias looks right: two characters or more (one of Chinese will do), not digits only.

    Only for the simulation.
    """
    text = row["text"].strip()
    return (len(text) >= 2 or script_of(text) == "CJK") and not text.isdigit()


PAGES = (
    VotePage(
        suite="myriadlama",
        kind="template",
        note_control=NOTE,
        title="Tashika myriadlama template",
        choices={"valid": FOR, "invalid": AGAINST},
        task_data=template_data,
        plausible=plausible_template,
        agreement_by="relation_label",
        check_text=check_template,
        text_control="correction",
    ),
    VotePage(
        suite="myriadlama",
        kind="alias",
        note_control=NOTE,
        title="Tashika myriadlama alias",
        choices={"valid": FOR, "invalid": AGAINST},
        task_data=alias_data,
        plausible=plausible_alias,
    ),
)
"""In the order in which people are asked."""
