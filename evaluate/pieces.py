"""Prompts as token ids, joined from pieces that are tokenised once: template left, subject, template right.

The pieces are cut at spaces: the subject takes with it whatever touches it in the template ("([X])," with "Paris"
is the piece "(Paris),"). Most tokenizers never look across a space, and joined ids are then those of the whole
string; that is not assumed but checked, for every template on the tokenizer at hand, and where one joined prompt
differs, all prompts are tokenised whole. Text that is not evenly spaced is tokenised whole from the start.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tashika.core.cloze import OBJECT_SLOT, SUBJECT_SLOT
from tashika.core.models import Kind
from tashika.evaluate.prompts import Codes

Ids = npt.NDArray[np.int32]

_UNEVEN: Final = re.compile(r"\s\s|[^\S ]|^\s|\s$")
_ANCHOR: Final = "x"
_PROBES_A_TEMPLATE: Final = 2


@dataclass(frozen=True)
class Ragged:
    """Rows of different lengths, one after the other."""

    values: Ids
    start: Codes
    length: Codes

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> Ragged:
        """From lists."""
        length = np.asarray([len(row) for row in rows], dtype=np.int64)
        values = np.fromiter((one for row in rows for one in row), np.int32, int(length.sum()))
        return cls(values, np.cumsum(length) - length, length)

    def take(self, rows: Codes) -> Ragged:
        """The rows at these places, copied together."""
        start, length = self.start[rows], self.length[rows]
        ends = np.cumsum(length)
        source = np.repeat(start - (ends - length), length) + np.arange(int(ends[-1]) if len(ends) else 0)
        return Ragged(self.values[source], ends - length, length)

    def block(self, rows: Codes) -> Ids:
        """Rows of one and the same length, (rows, length)."""
        length = int(self.length[rows[0]])
        return self.values[self.start[rows][:, None] + np.arange(length)]


@dataclass(frozen=True)
class EncodedPrompts:
    """Distinct prompts as ids, and which of them each prompt asked for is.

    Attributes:
        ids: (distinct,) token ids with the special ones.
        distinct: (n,) the row in `ids` of each prompt.
    """

    ids: Ragged
    distinct: Codes


@dataclass(frozen=True)
class _Cut:
    """A template around its subject: `left`, then `lead` + subject + `tail` without a space between, then `right`."""

    left: str
    lead: str
    tail: str
    right: str

    @property
    def touch(self) -> tuple[str, str, bool]:
        """What decides how the subject is tokenised: what touches it, and whether it opens the text."""
        return self.lead, self.tail, not self.left


class PromptEncoder:
    """Turns (template, alias) into token ids.

    Args:
        tokenizer: The model's.
        kind: For a masked model [Y] becomes the mask token; for a causal one the text ends before it.
        templates: Texts with [X] and [Y].
        aliases: Names of subjects.
        by_pieces: Whether to try joining pieces.

    Attributes:
        by_pieces: Whether pieces are joined; False where that was not exact.
    """

    def __init__(
        self, tokenizer: Any, kind: Kind, templates: Sequence[str], aliases: Sequence[str], *, by_pieces: bool = True
    ) -> None:
        self._tokenizer = tokenizer
        self._aliases = aliases
        self._texts = [_surface(text, kind, tokenizer.mask_token) for text in templates]
        first = {text: at for at, text in reversed(list(enumerate(self._texts)))}
        self._canonical = np.asarray([first[text] for text in self._texts], dtype=np.int64)
        self._drop_end = kind == "causal" and _adds_end(tokenizer)
        self._even_alias = np.asarray([_UNEVEN.search(alias) is None and alias != "" for alias in aliases], dtype=bool)
        self._even_template = np.asarray([_is_even(text) for text in self._texts], dtype=bool)
        self.by_pieces = by_pieces and bool(getattr(tokenizer, "is_fast", False)) and self._cut()

    def encode(self, template: Codes, alias: Codes) -> EncodedPrompts:
        """Encodes prompts, each distinct one once.

        Args:
            template: (n,) places in the templates.
            alias: (n,) places in the aliases.
        """
        template = self._canonical[template]  # before [Y] two templates may read the same
        if not self.by_pieces:
            return self._whole(template, alias)
        even = self._even_template[template] & self._even_alias[alias]
        if even.all():
            return self._joined(template, alias) or self._whole(template, alias)
        joined = self._joined(template[even], alias[even])
        if joined is None:
            return self._whole(template, alias)
        return _merged(even, joined, self._whole(template[~even], alias[~even]))

    def _whole(self, template: Codes, alias: Codes) -> EncodedPrompts:
        """Tokenises the distinct texts as they stand."""
        place: dict[str, int] = {}
        distinct = np.empty(len(template), dtype=np.int64)
        for row, (one, name) in enumerate(zip(template.tolist(), alias.tolist(), strict=True)):
            text = self._texts[one].replace(SUBJECT_SLOT, self._aliases[name])
            distinct[row] = place.setdefault(text, len(place))
        return EncodedPrompts(Ragged.of(self._encoded(list(place))), distinct)

    def _encoded(self, texts: list[str], *, special: bool = True) -> list[list[int]]:
        if not texts:
            return []
        options = {"add_special_tokens": special, "return_attention_mask": False, "truncation": False}
        rows: list[list[int]] = self._tokenizer(texts, verbose=False, **options)["input_ids"]
        return [row[:-1] for row in rows] if special and self._drop_end else rows

    def _cut(self) -> bool:
        """Cuts the templates into pieces; False if this tokenizer does not allow it."""
        anchor, wrapped = self._encoded([_ANCHOR], special=False)[0], self._encoded([_ANCHOR])[0]
        opening = next((at for at in range(len(wrapped)) if wrapped[at : at + len(anchor)] == anchor), None)
        if opening is None:
            return False
        self._anchor, before, after = anchor, wrapped[:opening], wrapped[opening + len(anchor) :]
        cuts = [_cut(text) if even else None for text, even in zip(self._texts, self._even_template, strict=True)]
        touches = sorted({cut.touch for cut in cuts if cut})
        self._touches, place = touches, {touch: number for number, touch in enumerate(touches)}
        self._touch = np.asarray([place[cut.touch] if cut else -1 for cut in cuts], dtype=np.int64)
        left = self._encoded([cut.left if cut else "" for cut in cuts], special=False)
        right = self._following([f"{_ANCHOR} {cut.right}" if cut and cut.right else _ANCHOR for cut in cuts])
        if right is None:
            return False
        self._left = Ragged.of([before + ids for ids in left])
        self._right = Ragged.of([ids + after for ids in right])
        return self._pieces_are_exact()

    def _following(self, texts: list[str]) -> list[list[int]] | None:
        """The ids behind the anchor that every text opens with; None where the anchor did not stay by itself."""
        rows, size = self._encoded(texts, special=False), len(self._anchor)
        return [row[size:] for row in rows] if all(row[:size] == self._anchor for row in rows) else None

    def _pieces_are_exact(self) -> bool:
        """Compares joined with whole, every template with a few names spread over all of them."""
        templates, names = np.flatnonzero(self._even_template), np.flatnonzero(self._even_alias)
        if len(templates) == 0 or len(names) == 0:
            return False
        template = np.repeat(templates, _PROBES_A_TEMPLATE)
        alias = names[np.linspace(0, len(names) - 1, len(template)).astype(np.int64)]
        joined = self._joined(template, alias)
        whole = self._whole(template, alias)
        if joined is None:
            return False
        one, other = joined.ids.take(joined.distinct), whole.ids.take(whole.distinct)
        return np.array_equal(one.length, other.length) and np.array_equal(one.values, other.values)

    def _joined(self, template: Codes, alias: Codes) -> EncodedPrompts | None:
        """Joins pieces; None where a subject does not tokenise by itself."""
        touch = self._touch[template]
        needed, unit = np.unique(touch * len(self._aliases) + alias, return_inverse=True)
        rows = self._units(*np.divmod(needed, max(len(self._aliases), 1)))
        if rows is None:
            return None
        number: dict[tuple[int, ...], int] = {}
        same = np.asarray([number.setdefault(tuple(row), len(number)) for row in rows], dtype=np.int64)
        units = Ragged.of(list(number))
        key, distinct = np.unique(template * max(len(number), 1) + same[unit], return_inverse=True)
        which, subject = np.divmod(key, max(len(number), 1))
        return EncodedPrompts(
            _interleaved(self._left.take(which), units.take(subject), self._right.take(which)), distinct
        )

    def _units(self, touch: Codes, alias: Codes) -> list[list[int]] | None:
        """Ids of subjects with what touches them; behind the anchor where they do not open the text."""
        texts, opens = [], []
        for place, name in zip(touch.tolist(), alias.tolist(), strict=True):
            lead, tail, first = self._touches[place]
            unit = f"{lead}{self._aliases[name]}{tail}"
            texts.append(unit if first else f"{_ANCHOR} {unit}")
            opens.append(first)
        rows, size = self._encoded(texts, special=False), len(self._anchor)
        if any(not first and row[:size] != self._anchor for row, first in zip(rows, opens, strict=True)):
            return None
        return [row if first else row[size:] for row, first in zip(rows, opens, strict=True)]


def _surface(text: str, kind: Kind, mask: str | None) -> str:
    """What the model sees of a template, [X] left in; empty where a causal model gets no subject to see."""
    if kind == "masked":
        return text.replace(OBJECT_SLOT, str(mask))
    return text[: text.index(OBJECT_SLOT)].rstrip()


def _is_even(text: str) -> bool:
    return text.count(SUBJECT_SLOT) == 1 and _UNEVEN.search(text) is None


def _adds_end(tokenizer: Any) -> bool:
    """Whether the tokenizer closes texts with an end token, after which nothing is to be predicted."""
    ids = tokenizer(_ANCHOR)["input_ids"]
    return tokenizer.eos_token_id is not None and ids[-1] == tokenizer.eos_token_id


def _cut(text: str) -> _Cut:
    at = text.index(SUBJECT_SLOT)
    begin = text.rfind(" ", 0, at) + 1
    end = text.find(" ", at)
    end = len(text) if end < 0 else end
    return _Cut(text[:begin].rstrip(), text[begin:at], text[at + len(SUBJECT_SLOT) : end], text[end:].lstrip())


def _interleaved(*parts: Ragged) -> Ragged:
    """Row by row the parts one after the other."""
    rows, values = len(parts[0].length), np.concatenate([part.values for part in parts])
    shift = np.cumsum([0, *(len(part.values) for part in parts[:-1])])
    start = np.stack([part.start + moved for part, moved in zip(parts, shift, strict=True)], axis=1)
    length = np.stack([part.length for part in parts], axis=1)
    joined = Ragged(values, start.ravel(), length.ravel()).take(np.arange(rows * len(parts)))
    total = length.sum(axis=1)
    return Ragged(joined.values, np.cumsum(total) - total, total)


def _merged(first: Any, one: EncodedPrompts, other: EncodedPrompts) -> EncodedPrompts:
    """Puts prompts encoded in two ways back into their order."""
    distinct = np.empty(len(first), dtype=np.int64)
    distinct[first] = one.distinct
    distinct[~first] = other.distinct + len(one.ids.length)
    length = np.concatenate([one.ids.length, other.ids.length])
    values = np.concatenate([one.ids.values, other.ids.values])
    return EncodedPrompts(Ragged(values, np.cumsum(length) - length, length), distinct)
