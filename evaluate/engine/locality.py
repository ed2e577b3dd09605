"""Where the texts of a tokenizer may be cut: derived from what it is built of, not from a sample of its output.

A fast tokenizer is a chain. Added tokens (such as the mask) are found in the text; what lies between them is
normalised and cut into words; each word is given to the model. Token ids of parts can be joined where no link of the
chain looks across the place of the cut. These are known not to look across a single space between two words:

- added tokens that hold no space;
- normalisers that change characters one by one, or runs of several spaces, or the ends of a text (`_LOCAL`,
  `_SPACE_RUNS`);
- cutters that cut at every space, whatever stands beside it (`_Space.cut_by`): then any model is given the same words;
- where nothing cuts at spaces, BPE without a piece that has a space behind anything else: no merge can cross one.

Everything else is not known: other regular expressions, cutters written in Python, Unigram over whole texts (where
rounding can break ties by what went before). A tokenizer that has any of it gets its texts whole. And where a name or a
template spoils it, since normalising leaves a space at its edge, `Borders.is_firm` states it.

Source: the code of Hugging Face's tokenizers 0.23, and the tokenizers that transformers 5 builds with it.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

ANCHOR: Final = "x"
"""A word that parts are put behind, so that they do not open the text."""

_SIGN: Final = "▁"
"""What SentencePiece writes for a space."""

_LOCAL: Final = {
    *("BertNormalizer", "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Strip", "Nmt", "Precompiled"),
    *("Prepend", "ByteLevel"),
}
_SPACE_RUNS: Final = {" {2,}", r"\s{2,}|[\n\r\t]", r"\s+", r"\n", r"[\n\r\t]"}

_ENDINGS: Final = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORD: Final = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
_CAPITALS: Final = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
_ALTERNATIVES: Final = (
    *(_ENDINGS, "'s", "'t", "'re", "'ve", "'m", "'ll", "'d"),
    *(_WORD, _CAPITALS, f"{_WORD}{_ENDINGS}?", f"{_CAPITALS}{_ENDINGS}?"),
    *(r"[^\r\n\p{L}\p{N}]?\p{L}+", r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+", r" ?\p{L}+"),
    *(r"\p{N}", r"\p{N}{1,3}", r" ?\p{N}+", r" ?[^\s\p{L}\p{N}]+", r" ?[^\s\p{L}\p{N}]+[\r\n]*"),
    *(r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*", r"\s*[\r\n]+", r"\s+(?!\S)"),
)
"""What GPT-2, GPT-4o, Llama 3, Mistral and Qwen cut with. None of them takes a space but as its first character or
among spaces alone, and none looks back. With `\\s+` as the last one no space is left over."""

_KNOWN_EXPRESSION: Final = re.compile(
    r"(?:(?:{})\|)+{}".format("|".join(map(re.escape, _ALTERNATIVES)), re.escape(r"\s+"))
)


class NotLocalError(Exception):
    """It is not known whether texts of this tokenizer may be cut at spaces; the message names the reason."""


def backend_of(tokenizer: Any) -> Any:
    """The tokenizer of the tokenizers library, where nothing but that makes the ids.

    Raises:
        NotLocalError: Something else has a hand in it.
    """
    from transformers import PreTrainedTokenizerFast as Fast

    if not isinstance(tokenizer, Fast):
        raise NotLocalError("it is not a fast tokenizer")
    if any(getattr(type(tokenizer), name) is not getattr(Fast, name) for name in ("__call__", "_encode_plus")):
        raise NotLocalError(f"{type(tokenizer).__name__} has its own way of tokenising")
    return tokenizer.backend_tokenizer


@dataclass(frozen=True)
class Borders:
    """Where the texts of a tokenizer may be cut.

    Attributes:
        backend: The tokenizer of the tokenizers library.
        added: The added tokens, by their ids.
        space: What a space has become where words are cut.
        strict: Whether a space more or less at the edge of a part changes the ids.
        signs: Characters that a text may be cut beside as well. With any, it does not matter to a part either whether
            it opens the text.
    """

    backend: Any
    added: Mapping[int, Any]
    space: str
    strict: bool
    signs: frozenset[str]

    @classmethod
    def of(cls, tokenizer: Any) -> Borders:
        """Looks at the parts of a tokenizer of transformers.

        Raises:
            NotLocalError: One of them is not known to keep to its side of a space.
        """
        backend = backend_of(tokenizer)
        normalisers = list(_parts(backend.normalizer, "normalizers"))
        cutters = list(_parts(backend.pre_tokenizer, "pretokenizers"))
        for part in normalisers:
            _check_normaliser(part)
        normalised = _normalised_space(backend)
        added = backend.get_added_tokens_decoder()
        spaced = [_holds_space(token, backend, normalised) for token in added.values()]
        _check_model(backend.model)
        space = _Space(normalised)
        if not space.cut_by(cutters):
            _check_merges(backend, space.now)
        # BertNormalizer leaves signs as they are; NFC would make one of "=" and a stroke behind it.
        plain = all(part["type"] == "BertNormalizer" for part in normalisers)
        signs = string.punctuation if plain and [one["type"] for one in cutters] == ["BertPreTokenizer"] else ""
        return cls(
            backend=backend,
            added=added,
            space=space.now,
            strict=not (plain and space.dropped) or any(spaced),
            signs=frozenset(signs).difference(*(token.content for token in added.values())),
        )

    def is_firm(self, text: str) -> bool:
        """Whether the edges of a part stay where they are when it is normalised, last in the text or not.

        Args:
            text: Without a space at its ends.
        """
        if self._is_plain(text):
            return self._has_edges(text)
        normalise = self.backend.normalizer.normalize_str
        frame, last = normalise(f"{ANCHOR} {ANCHOR}"), normalise(f"{ANCHOR} {text}")
        begin, end = frame[:-1], frame[-2:]
        inner = last[len(begin) :]
        between = normalise(f"{ANCHOR} {text} {ANCHOR}")
        return last == begin + inner and between == begin + inner + end and self._has_edges(inner)

    def ends_firm(self, text: str) -> bool:
        """Whether the right edge of the beginning of a text stays where it is when that is normalised.

        What stands behind an added token is normalised by itself, and may have nothing left but its space.
        """
        if self._is_plain(text):
            return self._has_edges(text)
        tokens = [token.content for token in self.added.values() if token.content in text]
        behind = max((text.rindex(content) + len(content) for content in tokens), default=0)
        if behind == len(text):
            return True
        normalise = self.backend.normalizer.normalize_str
        left, both = normalise(text[behind:]), normalise(f"{text[behind:]} {ANCHOR}")
        return both == left + normalise(f"{ANCHOR} {ANCHOR}")[-2:] and self._has_edges(left[-1:])

    def _is_plain(self, text: str) -> bool:
        """Whether normalising cannot move the edges of a text."""
        return not self.strict or self.backend.normalizer is None or (text.isascii() and text.isprintable())

    def _has_edges(self, text: str) -> bool:
        """Whether something that is no space stands at both ends."""
        if not self.strict:
            return True
        return text != "" and not any(edge.isspace() or edge in {self.space, _SIGN} for edge in (text[0], text[-1]))

    def holds_added(self, text: str) -> bool:
        """Whether a text may have an added token in it; an unknown word, which has the id of one, is none."""
        return any(content in form for token in self.added.values() for content, form in self._forms(token, text))

    def added_at_end(self, text: str, last: int) -> str | None:
        """The added token that a text ends with, if it does.

        Args:
            text: Without a space at its end.
            last: The id of its last token.
        """
        token = self.added.get(last)
        if token is None or not any(form.endswith(content) for content, form in self._forms(token, text)):
            return None
        return str(token.content)

    def _forms(self, token: Any, text: str) -> Iterator[tuple[str, str]]:
        """What is looked for in what: the token in the text, and for some tokens both as they are normalised."""
        yield token.content, text
        if token.normalized and self.backend.normalizer is not None:
            normalise = self.backend.normalizer.normalize_str
            yield normalise(token.content), normalise(text)


class _Space:
    """What becomes of a space on its way through the cutters.

    Attributes:
        now: What it is now, one character.
        dropped: Whether it goes missing where it is cut at.
    """

    def __init__(self, normalised: str) -> None:
        self.now = normalised
        self.dropped = False

    def cut_by(self, cutters: list[Mapping[str, Any]]) -> bool:
        """Whether one of the cutters cuts at every space, by nothing but what stands on either side of the place.

        Raises:
            NotLocalError: One that comes before does not do its part for each side by itself.
        """
        return any(self._cut_by(cutter) for cutter in cutters)

    def _cut_by(self, cutter: Mapping[str, Any]) -> bool:
        kind = cutter["type"]
        if kind in {"Digits", "Punctuation"}:
            return False  # between two characters, by what they are
        if kind == "Metaspace" and self.now in {" ", cutter["replacement"]}:
            self.now = cutter["replacement"]
            return bool(cutter["split"])
        if kind == "Split" and cutter["pattern"] == {"String": " "} and not cutter["invert"] and self.now != " ":
            return False  # there are no spaces any more
        if self.now == " ":
            if kind == "ByteLevel" and not cutter["use_regex"]:
                self.now = "Ġ"
                return False
            if kind == "ByteLevel" or (kind == "Split" and _is_known_split(cutter)):
                return True
            if kind in {"BertPreTokenizer", "Whitespace", "WhitespaceSplit"}:
                self.dropped = True
                return True
        raise NotLocalError(f"its pre-tokenizer {kind} is not known to cut at spaces")


def _is_known_split(cutter: Mapping[str, Any]) -> bool:
    pattern = cutter["pattern"]
    if cutter["invert"]:
        return False
    if "String" in pattern:
        return pattern["String"] == " " and cutter["behavior"] in {"Isolated", "Removed", "MergedWithNext"}
    return cutter["behavior"] == "Isolated" and _KNOWN_EXPRESSION.fullmatch(pattern["Regex"]) is not None


def _parts(link: Any, inner: str) -> Iterator[Mapping[str, Any]]:
    """The normalisers or pre-tokenizers that a link of the chain is made of, as their own JSON."""
    if link is None:
        return
    try:
        content = json.loads(link.__getstate__())
    except Exception as error:
        raise NotLocalError("a part of it is written in Python") from error
    yield from _flat(content, inner)


def _flat(content: Mapping[str, Any], inner: str) -> Iterator[Mapping[str, Any]]:
    if content["type"] != "Sequence":
        yield content
        return
    for part in content[inner]:
        yield from _flat(part, inner)


def _check_normaliser(part: Mapping[str, Any]) -> None:
    if part["type"] in _LOCAL:
        return
    if part["type"] == "Replace":
        ((how, what),) = part["pattern"].items()
        content = part["content"]
        if how == "Regex" and what in _SPACE_RUNS and content in {" ", _SIGN}:
            return
        if how == "String" and ((what == " " and content == _SIGN) or not re.search(rf"[\s{_SIGN}Ġ]", what + content)):
            return
    raise NotLocalError(f"its normaliser {part['type']} is not known to keep to one side of a space")


def _normalised_space(backend: Any) -> str:
    text = f"{ANCHOR} {ANCHOR}"
    if backend.normalizer is not None:
        text = backend.normalizer.normalize_str(text)
    space = text[-2:-1]
    if not space or not text.endswith(f"{ANCHOR}{space}{ANCHOR}"):
        raise NotLocalError("its normaliser does not keep spaces")
    return space


def _holds_space(token: Any, backend: Any, space: str) -> bool:
    """Whether an added token is made of spaces; one that could lie across a cut is refused.

    There is no run of spaces and no other blank character in a text that is cut.
    """
    forms = [token.content]
    if token.normalized and backend.normalizer is not None:
        forms.append(backend.normalizer.normalize_str(token.content))
    if ANCHOR in forms:
        raise NotLocalError(f"{ANCHOR!r}, which parts are put behind, is an added token")
    forms = [form.replace(space, " ") for form in forms]
    if any(form == " " or (re.search(r"\s", form) and form.strip()) for form in forms):
        raise NotLocalError(f"its added token {token.content!r} has a space in it")
    return any(form.isspace() for form in forms)


def _check_model(model: Any) -> None:
    kind = type(model).__name__
    if kind not in {"WordPiece", "WordLevel", "BPE", "Unigram"}:
        raise NotLocalError(f"its model {kind} is not known")
    if any(getattr(model, name, None) for name in ("dropout", "alpha", "nbest_size")):
        raise NotLocalError("its model draws at random")


def _check_merges(backend: Any, space: str) -> None:
    """Without cuts at spaces: BPE whose merges cannot cross one, since no piece has it behind something else."""
    model = backend.model
    if type(model).__name__ != "BPE":
        raise NotLocalError("nothing cuts its texts at spaces")
    if model.ignore_merges or model.end_of_word_suffix or model.continuing_subword_prefix:
        raise NotLocalError("its model looks at a text as a whole")
    vocabulary = backend.get_vocab(with_added_tokens=False)
    crossing = next((piece for piece in vocabulary if space in piece.lstrip(space)), None)
    if crossing is not None:
        raise NotLocalError(f"its piece {crossing!r} has a space inside, and nothing cuts its texts at spaces")
    if model.fuse_unk and space not in vocabulary:
        raise NotLocalError("its model joins unknown words")
