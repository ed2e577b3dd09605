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
        for row, (number, name) in enumerate(zip(template.tolist(), alias.tolist(), strict=True)):
            text = self._texts[number].replace(SUBJECT_SLOT, self._aliases[name])
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
        wrapped = self._encoded([ANCHOR])[0]  # transformers also sets up the backend here
        self._backend = backend_of(self._tokenizer)
        pieces = _Pieces(Borders.of(self._tokenizer), self._texts, self._aliases, wrapped)
        template, alias = pieces.probes(self._canonical)
        joined, fits = pieces.join(template, alias)
        whole = self._whole(template[fits], alias[fits])
        joined_ids = joined.ids.take(joined.distinct)
        whole_ids = whole.ids.take(whole.distinct)
        same_lengths = np.array_equal(joined_ids.length, whole_ids.length)
        if not (same_lengths and np.array_equal(joined_ids.values, whole_ids.values)):
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


@dataclass(frozen=True)
class _Wrapping:
    """The special ids that a tokenizer puts around a text, here around the anchor.

    Attributes:
        opening: What stands before.
        anchor: The anchor's own ids.
        closing: What stands behind.
    """

    opening: list[int]
    anchor: list[int]
    closing: list[int]

    @classmethod
    def of(cls, wrapped: list[int], anchor: list[int]) -> _Wrapping:
        """Finds the anchor's ids among those of the wrapped anchor.

        Raises:
            NotLocalError: They are not there.
        """
        size = len(anchor)
        for at in range(len(wrapped)):
            if wrapped[at : at + size] == anchor:
                return cls(wrapped[:at], anchor, wrapped[at + size :])
        raise NotLocalError("its special tokens are not put around a text")


@dataclass(frozen=True)
class _TemplatePieces:
    """What stands on both sides of the subject in each of T templates.

    Attributes:
        left: T rows of ids, with the special ones that open a text.
        right: T rows of ids, with the special ones that close it.
        touches: The distinct ways in which templates touch their subject, sorted.
        touch: (T,) the place of each template's way in `touches`; -1 for a template that is not cut.
        joinable: (T,) whether its pieces can be joined.
        same: (T,) the first template with the same pieces: an uncased model sees one where there are two.
    """

    left: Ragged
    right: Ragged
    touches: Sequence[_Touch]
    touch: Codes
    joinable: Mask
    same: Codes

    @classmethod
    def of(cls, texts: Sequence[str], borders: Borders, wrapping: _Wrapping) -> _TemplatePieces:
        """Cuts templates and tokenises their pieces."""
        cuts = [_cut(text, borders) for text in texts]
        left = _ids(borders.backend, [cut.left if cut else "" for cut in cuts])
        right = _ids(borders.backend, [f"{ANCHOR} {cut.right}" if cut and cut.right else ANCHOR for cut in cuts])
        touches = [_touch(cut, ids, borders) if cut else None for cut, ids in zip(cuts, left, strict=True)]
        distinct = sorted({touch for touch in touches if touch})
        place = {touch: number for number, touch in enumerate(distinct)}
        touch_of = np.asarray([place[touch] if touch else -1 for touch in touches], dtype=np.int64)
        # For what is known to be local the anchor always stays by itself; a row in which it did not could not be cut.
        size = len(wrapping.anchor)
        apart = np.asarray([row[:size] == wrapping.anchor for row in right], dtype=bool)
        return cls(
            left=Ragged.of([wrapping.opening + ids for ids in left]),
            right=Ragged.of([ids[size:] + wrapping.closing for ids in right]),
            touches=distinct,
            touch=touch_of,
            joinable=(touch_of >= 0) & apart,
            same=_numbered(list(zip(map(tuple, left), map(tuple, right), touches, strict=True))),
        )


class _SubjectPieces:
    """Makes the pieces of subjects, each with what touches it in a template.

    Args:
        aliases: (A,) names of subjects.
        touches: The ways in which templates touch them.
        borders: Where texts may be cut.
    """

    def __init__(self, aliases: Sequence[str], touches: Sequence[_Touch], borders: Borders) -> None:
        self._aliases = aliases
        self._touches = touches
        self._borders = borders
        self._behind = [_ids(borders.backend, [touch.before.rstrip()])[0] if touch.before else [] for touch in touches]
        self._added = np.zeros(max(borders.added, default=-1) + 2, dtype=bool)
        self._added[list(borders.added)] = True

    def make(self, touch: Codes, alias: Codes) -> tuple[Ragged, Codes, Mask]:
        """Ids of subjects with what touches them.

        Args:
            touch: (m,) places in the touches, ascending.
            alias: (m,) places in the aliases.

        Returns:
            Distinct rows; (m,) the row of each subject; (m,) whether its ids can stand in for it.
        """
        names = [self._aliases[place] for place in alias.tolist()]
        rows, alone = self._rows(touch, names)
        number: dict[tuple[int, ...], int] = {}
        place = np.fromiter((number.setdefault(tuple(row), len(number)) for row in rows), np.int64, len(rows))
        units = Ragged.of(list(number))
        for subject in np.flatnonzero(self._holding_added(units)[place]).tolist():
            touched = self._touches[touch[subject]]
            alone[subject] &= not self._borders.holds_added(f"{touched.lead}{names[subject]}{touched.tail}")
        return units, place, alone

    def _rows(self, touch: Codes, names: Sequence[str]) -> tuple[list[list[int]], Mask]:
        """Ids of each subject without what it stands behind; (m,) whether that came out apart from it."""
        bounds = np.searchsorted(touch, np.arange(len(self._touches) + 1)).tolist()
        texts: list[str] = []
        for (before, lead, tail), (start, stop) in zip(self._touches, pairwise(bounds), strict=True):
            texts += [f"{before}{lead}{name}{tail}" for name in names[start:stop]]
        rows = _ids(self._borders.backend, texts)
        apart = np.ones(len(names), dtype=bool)
        for behind, (start, stop) in zip(self._behind, pairwise(bounds), strict=True):
            size = len(behind)
            apart[start:stop] = [row[:size] == behind for row in rows[start:stop]]
            rows[start:stop] = [row[size:] for row in rows[start:stop]]
        return rows, apart

    def _holding_added(self, units: Ragged) -> Mask:
        """(units,) whether a row holds an added token of the tokenizer."""
        added = self._added[np.minimum(units.values, len(self._added) - 1)]
        holding = np.zeros(len(units.length), dtype=bool)
        holding[np.repeat(np.arange(len(holding)), units.length)[added]] = True
        return holding


class _Pieces:
    """The pieces of templates and subjects, and how they are joined.

    Args:
        borders: Where texts may be cut.
        texts: (T,) templates, [X] left in.
        aliases: (A,) names of subjects.
        wrapped: The ids of the anchor with the special ones around it.

    Raises:
        NotLocalError: The special ids are not put around a text.
    """

    def __init__(self, borders: Borders, texts: Sequence[str], aliases: Sequence[str], wrapped: list[int]) -> None:
        wrapping = _Wrapping.of(wrapped, _ids(borders.backend, [ANCHOR])[0])
        self._aliases = aliases
        self._templates = _TemplatePieces.of(texts, borders, wrapping)
        self._subjects = _SubjectPieces(aliases, self._templates.touches, borders)
        self._joinable_alias = np.asarray([_is_even(alias, borders) for alias in aliases], dtype=bool)

    def join(self, template: Codes, alias: Codes) -> tuple[EncodedPrompts, Mask]:
        """Joins pieces.

        Returns:
            The prompts that could be joined, and (n,) which of those asked for they are.
        """
        templates = self._templates
        fits = templates.joinable[template] & self._joinable_alias[alias]
        if not fits.all():
            template, alias = template[fits], alias[fits]
        names = max(len(self._aliases), 1)
        needed, unit = np.unique(templates.touch[template] * names + alias, return_inverse=True)
        units, number, alone = self._subjects.make(*np.divmod(needed, names))
        if not alone.all():
            stays = alone[unit]
            fits[fits] = stays
            template, unit = template[stays], unit[stays]
        count = len(templates.same)
        key, distinct = np.unique(number[unit] * count + templates.same[template], return_inverse=True)
        subject, which = np.divmod(key, count)
        parts = [(templates.left, which), (units, subject), (templates.right, which)]
        return EncodedPrompts(Ragged.side_by_side(parts), distinct), fits

    def probes(self, canonical: Codes) -> tuple[Codes, Codes]:
        """Prompts to compare with whole ones: every template, and names that look hard, each at least once."""
        templates = np.unique(canonical[self._templates.joinable[canonical]])
        names = np.flatnonzero(self._joinable_alias)
        if len(templates) == 0 or len(names) == 0:
            return templates[:0], names[:0]
        texts = [self._aliases[place] for place in names.tolist()]
        plain = np.asarray([text.isascii() and text.replace(" ", "").isalpha() for text in texts])
        order = names[np.lexsort((np.asarray([len(text) for text in texts]), plain))]
        spread = order[np.linspace(0, len(order) - 1, min(len(order), _CHECKED_NAMES)).astype(np.int64)]
        count = max(len(templates), len(spread))
        return np.resize(templates, count), np.resize(spread, count)


def _touch(cut: _Cut, left: list[int], borders: Borders) -> _Touch:
    """How a template touches its subject; behind an added token, which may look after its spaces, it stands there."""
    if borders.signs:
        return _Touch(f"{ANCHOR} ", cut.lead, cut.tail)
    if not cut.left:
        return _Touch("", cut.lead, cut.tail)
    before = borders.added_at_end(cut.left, left[-1]) if left else None
    return _Touch(f"{before or ANCHOR} ", cut.lead, cut.tail)


def _ids(backend: Any, texts: Sequence[str]) -> list[list[int]]:
    """Token ids without the special ones; equal texts, as many pieces of templates are, are tokenised once."""
    place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    rows = _fast(backend, list(place), special=False)
    return rows if len(rows) == len(texts) else [rows[place[text]] for text in texts]


def _fast(backend: Any, texts: list[str], *, special: bool) -> list[list[int]]:
    """What transformers does with texts, for their ids alone: uncut, unpadded, and twice as fast."""
    if backend.truncation is not None:  # to set them on a tokenizer that is busy is an error
        backend.no_truncation()
    if backend.padding is not None:
        backend.no_padding()
    return [encoding.ids for encoding in backend.encode_batch_fast(texts, add_special_tokens=special)]


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
    behind = at + len(SUBJECT_SLOT)
    ends = {" ", *borders.signs}
    begin = at
    end = behind
    while begin > 0 and text[begin - 1] not in ends:
        begin -= 1
    while end < len(text) and text[end] not in ends:
        end += 1
    cut = _Cut(text[:begin].rstrip(), text[begin:at], text[behind:end], text[end:].lstrip())
    firm = borders.is_firm(f"{cut.lead}{ANCHOR}{cut.tail}") and (not cut.right or borders.is_firm(cut.right))
    return cut if firm and (not cut.left or borders.ends_firm(cut.left)) else None
