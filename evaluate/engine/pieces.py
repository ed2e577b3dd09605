"""Prompts as token ids, joined from pieces that are tokenised once: template left, subject, template right.

The pieces are cut at spaces: the subject takes with it whatever touches it in the template ("([X])," with "Paris" is
the piece "(Paris),"), unless the tokenizer cuts at such signs anyway. Joined ids must be those of the whole string:

- Pieces are joined only for tokenizers of which that is known (`locality`); all others get their texts whole.
- A template or a name that is not evenly spaced, or whose edges do not survive normalising, is tokenised whole, and so
  is whatever turns into an added token of the tokenizer, such as a subject called "[MASK]".
- What is known is checked on the tokenizer at hand all the same: every template with a name, and the names that look
  hardest. Where one prompt comes out differently, all are tokenised whole.

Template pieces are kept. Subject pieces are made anew for each call, so memory does not grow with the prompts; a piece
serves all templates that touch the subject in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tashika.core.cloze import OBJECT_SLOT, SUBJECT_SLOT
from tashika.core.models import Kind
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.locality import ANCHOR, Borders, NotLocalError, backend_of
from tashika.evaluate.engine.ragged import Ids, Ragged

__all__ = ["EncodedPrompts", "Ids", "PromptEncoder", "Ragged", "adds_end"]

Mask = npt.NDArray[np.bool_]

_UNEVEN: Final = re.compile(r"\s\s|[^\S ]|^\s|\s$")
_CHECKED_NAMES: Final = 500


@dataclass(frozen=True)
class EncodedPrompts:
    """Distinct prompts as ids, and which of them each prompt asked for is.

    Attributes:
        ids: (distinct,) token ids with the special ones.
        distinct: (n,) the row in `ids` of each prompt.
    """

    ids: Ragged
    distinct: Codes


class PromptEncoder:
    """Turns (template, alias) into token ids.

    Args:
        tokenizer: The model's.
        kind: For a masked model [Y] becomes the mask token; for a causal one the text ends before it.
        templates: Texts with [X] and [Y].
        aliases: Names of subjects.
        by_pieces: Whether to join pieces where that is exact.

    Attributes:
        why_whole: Why pieces are not joined; None where they are.
    """

    def __init__(
        self, tokenizer: Any, kind: Kind, templates: Sequence[str], aliases: Sequence[str], *, by_pieces: bool = True
    ) -> None:
        self._tokenizer = tokenizer
        self._aliases = aliases
        self._texts = [_surface(text, kind, tokenizer.mask_token) for text in templates]
        self._canonical = _numbered(self._texts)
        self._drop_end = kind == "causal" and adds_end(tokenizer)
        self._backend: Any = None
        self._pieces: _Pieces | None = None
        self.why_whole: str | None = "it was asked for"
        if by_pieces:
            try:
                self._begin_pieces()
            except NotLocalError as error:
                self.why_whole = str(error)

    @property
    def by_pieces(self) -> bool:
        """Whether pieces are joined."""
        return self._pieces is not None

    def encode(self, template: Codes, alias: Codes) -> EncodedPrompts:
        """Encodes prompts, each distinct one once.

        Args:
            template: (n,) places in the templates.
            alias: (n,) places in the aliases.
        """
        template = self._canonical[template]  # before [Y] two templates may read the same
        if self._pieces is None:
            return self._whole(template, alias)
        joined, fits = self._pieces.join(template, alias)
        if fits.all():
            return joined
        whole = self._whole(template[~fits], alias[~fits])
        distinct = np.empty(len(fits), dtype=np.int64)
        distinct[fits] = joined.distinct
        distinct[~fits] = whole.distinct + len(joined.ids.length)
        return EncodedPrompts(Ragged.after_each_other([joined.ids, whole.ids]), distinct)

    def _whole(self, template: Codes, alias: Codes) -> EncodedPrompts:
        """Tokenises the distinct texts as they stand."""
        place: dict[str, int] = {}
        distinct = np.empty(len(template), dtype=np.int64)
        for row, (one, name) in enumerate(zip(template.tolist(), alias.tolist(), strict=True)):
            text = self._texts[one].replace(SUBJECT_SLOT, self._aliases[name])
            distinct[row] = place.setdefault(text, len(place))
        return EncodedPrompts(Ragged.of(self._encoded(list(place))), distinct)

    def _encoded(self, texts: list[str]) -> list[list[int]]:
        """Token ids with the special ones."""
        if self._backend is not None:
            rows = _fast(self._backend, texts, special=True)
        else:
            options = {"return_attention_mask": False, "return_token_type_ids": False, "truncation": False}
            rows = self._tokenizer(texts, padding=False, verbose=False, **options)["input_ids"] if texts else []
        return [row[:-1] for row in rows] if self._drop_end else rows

    def _begin_pieces(self) -> None:
        """Makes the pieces, and compares joined with whole.

        Raises:
            NotLocalError: Pieces cannot be joined.
        """
        wrapping = self._encoded([ANCHOR])[0]  # transformers also sets up the backend here
        self._backend = backend_of(self._tokenizer)
        pieces = _Pieces(Borders.of(self._tokenizer), self._texts, self._aliases, wrapping)
        template, alias = pieces.probes(self._canonical)
        joined, fits = pieces.join(template, alias)
        whole = self._whole(template[fits], alias[fits])
        one, other = joined.ids.take(joined.distinct), whole.ids.take(whole.distinct)
        if not (np.array_equal(one.length, other.length) and np.array_equal(one.values, other.values)):
            raise NotLocalError("joined pieces differ from whole texts")
        self._pieces, self.why_whole = pieces, None


class _Touch(NamedTuple):
    """What decides how a subject is tokenised.

    Attributes:
        before: What it stands behind, with a space: the anchor, or an added token; empty where it opens the text.
        lead: What touches it on the left.
        tail: What touches it on the right.
    """

    before: str
    lead: str
    tail: str


@dataclass(frozen=True)
class _Cut:
    """A template: `left`, then `lead` + subject + `tail`, then `right`."""

    left: str
    lead: str
    tail: str
    right: str


class _Pieces:
    """The pieces of templates, and how those of subjects are made.

    Args:
        borders: Where texts may be cut.
        texts: (T,) templates, [X] left in.
        aliases: (A,) names of subjects.
        wrapping: The ids of the anchor with the special ones around it.

    Raises:
        NotLocalError: The special ids are not put around a text.
    """

    def __init__(self, borders: Borders, texts: Sequence[str], aliases: Sequence[str], wrapping: list[int]) -> None:
        self._borders = borders
        self._aliases = aliases
        self._added = np.zeros(max(borders.added, default=-1) + 2, dtype=bool)
        self._added[list(borders.added)] = True
        anchor = self._ids([ANCHOR])[0]
        opening = next((at for at in range(len(wrapping)) if wrapping[at : at + len(anchor)] == anchor), None)
        if opening is None:
            raise NotLocalError("its special tokens are not put around a text")
        cuts = [_cut(text, borders) for text in texts]
        left = self._ids([cut.left if cut else "" for cut in cuts])
        right = self._ids([f"{ANCHOR} {cut.right}" if cut and cut.right else ANCHOR for cut in cuts])
        touches = [self._touch(cut, ids) if cut else None for cut, ids in zip(cuts, left, strict=True)]
        self._touches = sorted({touch for touch in touches if touch})
        self._behind = [self._ids([touch.before.rstrip()])[0] if touch.before else [] for touch in self._touches]
        place = {touch: number for number, touch in enumerate(self._touches)}
        self._touch_of = np.asarray([place[touch] if touch else -1 for touch in touches], dtype=np.int64)
        # For what is known to be local the anchor always stays by itself; a row in which it did not could not be cut.
        whole = [row[: len(anchor)] == anchor for row in right]
        self._even_template = (self._touch_of >= 0) & np.asarray(whole, dtype=bool)
        self._even_alias = np.asarray([_is_even(alias, borders) for alias in aliases], dtype=bool)
        self._left = Ragged.of([wrapping[:opening] + ids for ids in left])
        self._right = Ragged.of([ids[len(anchor) :] + wrapping[opening + len(anchor) :] for ids in right])
        # An uncased model sees one template where there are two.
        self._same = _numbered(list(zip(map(tuple, left), map(tuple, right), touches, strict=True)))

    def join(self, template: Codes, alias: Codes) -> tuple[EncodedPrompts, Mask]:
        """Joins pieces.

        Returns:
            The prompts that could be joined, and (n,) which of those asked for they are.
        """
        fits = self._even_template[template] & self._even_alias[alias]
        if not fits.all():
            template, alias = template[fits], alias[fits]
        names = max(len(self._aliases), 1)
        needed, unit = np.unique(self._touch_of[template] * names + alias, return_inverse=True)
        units, number, alone = self._units(*np.divmod(needed, names))
        if not alone.all():
            stays = alone[unit]
            fits[fits] = stays
            template, unit = template[stays], unit[stays]
        templates = len(self._same)
        key, distinct = np.unique(number[unit] * templates + self._same[template], return_inverse=True)
        subject, which = np.divmod(key, templates)
        return EncodedPrompts(
            Ragged.side_by_side([(self._left, which), (units, subject), (self._right, which)]), distinct
        ), fits

    def probes(self, canonical: Codes) -> tuple[Codes, Codes]:
        """Prompts to compare with whole ones: every template, and names that look hard, each at least once."""
        templates = np.unique(canonical[self._even_template[canonical]])
        names = np.flatnonzero(self._even_alias)
        if len(templates) == 0 or len(names) == 0:
            return templates[:0], names[:0]
        texts = [self._aliases[place] for place in names.tolist()]
        plain = np.asarray([text.isascii() and text.replace(" ", "").isalpha() for text in texts])
        order = names[np.lexsort((np.asarray([len(text) for text in texts]), plain))]
        spread = order[np.linspace(0, len(order) - 1, min(len(order), _CHECKED_NAMES)).astype(np.int64)]
        count = max(len(templates), len(spread))
        return np.resize(templates, count), np.resize(spread, count)

    def _touch(self, cut: _Cut, left: list[int]) -> _Touch:
        """Behind an added token, which may look after its spaces, the piece is made behind that."""
        if self._borders.signs:
            return _Touch(f"{ANCHOR} ", cut.lead, cut.tail)
        if not cut.left:
            return _Touch("", cut.lead, cut.tail)
        before = self._borders.added_at_end(cut.left, left[-1]) if left else None
        return _Touch(f"{before or ANCHOR} ", cut.lead, cut.tail)

    def _units(self, touch: Codes, alias: Codes) -> tuple[Ragged, Codes, Mask]:
        """Ids of subjects with what touches them.

        Args:
            touch: (m,) places in the touches, ascending.
            alias: (m,) places in the aliases.

        Returns:
            Distinct rows; (m,) the row of each subject; (m,) whether its ids can stand in for it.
        """
        names = [self._aliases[place] for place in alias.tolist()]
        bounds = np.searchsorted(touch, np.arange(len(self._touches) + 1)).tolist()
        texts: list[str] = []
        for (before, lead, tail), (start, stop) in zip(self._touches, pairwise(bounds), strict=True):
            texts += [f"{before}{lead}{name}{tail}" for name in names[start:stop]]
        rows, alone = self._ids(texts), np.ones(len(touch), dtype=bool)
        for behind, (start, stop) in zip(self._behind, pairwise(bounds), strict=True):
            size = len(behind)
            alone[start:stop] = [row[:size] == behind for row in rows[start:stop]]
            rows[start:stop] = [row[size:] for row in rows[start:stop]]
        number: dict[tuple[int, ...], int] = {}
        place = np.fromiter((number.setdefault(tuple(row), len(number)) for row in rows), np.int64, len(rows))
        units = Ragged.of(list(number))
        added = self._added[np.minimum(units.values, len(self._added) - 1)]
        suspect = np.zeros(len(units.length), dtype=bool)
        suspect[np.repeat(np.arange(len(suspect)), units.length)[added]] = True
        for one in np.flatnonzero(suspect[place]).tolist():
            touched = self._touches[touch[one]]
            alone[one] &= not self._borders.holds_added(f"{touched.lead}{names[one]}{touched.tail}")
        return units, place, alone

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids without the special ones; equal texts, as many pieces of templates are, are tokenised once."""
        place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        rows = _fast(self._borders.backend, list(place), special=False)
        return rows if len(rows) == len(texts) else [rows[place[text]] for text in texts]


def _fast(backend: Any, texts: list[str], *, special: bool) -> list[list[int]]:
    """What transformers does with texts, for their ids alone: uncut, unpadded, and twice as fast."""
    if backend.truncation is not None:  # to set them on a tokenizer that is busy is an error
        backend.no_truncation()
    if backend.padding is not None:
        backend.no_padding()
    return [found.ids for found in backend.encode_batch_fast(texts, add_special_tokens=special)]


def _surface(text: str, kind: Kind, mask: str | None) -> str:
    """What the model sees of a template, [X] left in; empty where a causal model gets no subject to see."""
    if kind == "masked":
        return text.replace(OBJECT_SLOT, str(mask))
    return text[: text.index(OBJECT_SLOT)].rstrip()


def adds_end(tokenizer: Any) -> bool:
    """Whether the tokenizer closes texts with an end token, after which nothing is to be predicted."""
    ids = tokenizer(ANCHOR)["input_ids"]
    return tokenizer.eos_token_id is not None and ids[-1] == tokenizer.eos_token_id


def _numbered(items: Sequence[Hashable]) -> Codes:
    """For each item the place of the first one that equals it."""
    first: dict[Hashable, int] = {}
    return np.asarray([first.setdefault(item, place) for place, item in enumerate(items)], dtype=np.int64)


def _is_even(text: str, borders: Borders) -> bool:
    return _UNEVEN.search(text) is None and borders.is_firm(text)


def _cut(text: str, borders: Borders) -> _Cut | None:
    """Cuts a template around its subject; None where it must stay whole."""
    if text.count(SUBJECT_SLOT) != 1 or _UNEVEN.search(text):
        return None
    at = text.index(SUBJECT_SLOT)
    end = behind = at + len(SUBJECT_SLOT)
    begin, ends = at, {" ", *borders.signs}
    while begin > 0 and text[begin - 1] not in ends:
        begin -= 1
    while end < len(text) and text[end] not in ends:
        end += 1
    cut = _Cut(text[:begin].rstrip(), text[begin:at], text[behind:end], text[end:].lstrip())
    firm = borders.is_firm(f"{cut.lead}{ANCHOR}{cut.tail}") and (not cut.right or borders.is_firm(cut.right))
    return cut if firm and (not cut.left or borders.ends_firm(cut.left)) else None
