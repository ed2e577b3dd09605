"""Joined token ids are those of the whole string, and a tokenizer that does not allow it gets its texts whole."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, NormalizedString, PreTokenizedString, Regex, Tokenizer, models, processors, trainers
from tokenizers import normalizers as norm
from tokenizers import pre_tokenizers as pre
from transformers import ByT5Tokenizer, CanineTokenizer, PreTrainedTokenizerFast

from tashika.core.models import Kind
from tashika.evaluate.engine.pieces import PromptEncoder

CORPUS = [
    f"{first} {name}{sign} {second} ({name}) don't 1234 東京 Ünï ½."
    for first in ("The capital of", "Is", "in")
    for name in ("France", "Washington, D.C.", "Émile Zola", "São Tomé", "Jean-Luc O'Brien")
    for second, sign in (("is born in", ""), ("was", "'s"), ("est né à", ","))
]
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
ALBERT = [norm.Replace("``", '"'), norm.Replace("''", '"'), norm.NFKD(), norm.StripAccents(), norm.Lowercase()]
ONE_SPACE = norm.Replace(Regex(" {2,}"), " ")
SPECIAL = ("<s>", "</s>", "<unk>", "<mask>")


def _tokenizer(
    model: str,
    normaliser: Any = None,
    cutter: Any = None,
    style: str = "bert",
    *,
    trained_with: Any = None,
    cls: Any = PreTrainedTokenizerFast,
    **mask: bool,
) -> Any:
    """A small tokenizer, if wanted trained with other cuts than it has later.

    Its special tokens are those of BERT, of RoBERTa, or (no end) of Llama; `mask` is how the mask handles spaces.
    """
    first, last, unknown, blank = ("[CLS]", "[SEP]", "[UNK]", "[MASK]") if style == "bert" else SPECIAL
    options: dict[str, Any] = {"special_tokens": [unknown], "show_progress": False, "vocab_size": 300}
    made, trainer = {
        "wordpiece": lambda: (models.WordPiece(unk_token=unknown), trainers.WordPieceTrainer(**options)),
        "bytes": lambda: (models.BPE(), trainers.BpeTrainer(initial_alphabet=pre.ByteLevel.alphabet(), **options)),
        "bpe": lambda: (models.BPE(unk_token=unknown, fuse_unk=True), trainers.BpeTrainer(**options)),
        "unigram": lambda: (models.Unigram(), trainers.UnigramTrainer(unk_token=unknown, **options)),
    }[model]()
    tokenizer = Tokenizer(made)
    tokenizer.normalizer = normaliser or norm.Sequence([])
    tokenizer.pre_tokenizer = trained_with or cutter or pre.Sequence([])
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.pre_tokenizer = cutter or pre.Sequence([])
    tokenizer.add_special_tokens([first, last, unknown, blank])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A" if style == "llama" else f"{first} $A {last}",
        special_tokens=[(one, tokenizer.token_to_id(one)) for one in (first, last)],
    )
    names = {"bos_token": first, "eos_token": last, "unk_token": unknown}
    return cls(tokenizer_object=tokenizer, mask_token=AddedToken(blank, **mask), **names)


def _meta(scheme: str, *, split: bool = True) -> Any:
    return pre.Metaspace(prepend_scheme=scheme, split=split)


def _by(expression: str) -> Any:
    return pre.Sequence([pre.Split(Regex(expression), "isolated"), pre.ByteLevel(False, use_regex=False)])


def _local_kinds() -> dict[str, tuple[Kind, Callable[[], Any]]]:
    bytes_, cut = pre.ByteLevel(False), pre.Split("▁", "merged_with_next")
    bert, cased, seq = norm.BertNormalizer(), norm.BertNormalizer(lowercase=False), norm.Sequence
    xlmr = seq([norm.Nmt(), norm.NFKC(), norm.Strip(False, True), norm.Replace(Regex(" {2,}"), "▁")])
    llama = seq([norm.Prepend("▁"), norm.Replace(" ", "▁")])
    words, digits = pre.WhitespaceSplit(), pre.Digits(True)
    make = _tokenizer
    return {
        "BERT": ("masked", lambda: make("wordpiece", bert, pre.BertPreTokenizer())),
        "BERT, cased": ("masked", lambda: make("wordpiece", cased, pre.BertPreTokenizer(), lstrip=True)),
        "WordPiece": ("masked", lambda: make("wordpiece", norm.NFC(), words, rstrip=True)),
        "RoBERTa": ("masked", lambda: make("bytes", None, bytes_, "roberta", lstrip=True)),
        "prefix space": ("masked", lambda: make("bytes", None, pre.ByteLevel(True), "roberta", rstrip=True)),
        "GPT-2": ("causal", lambda: make("bytes", None, bytes_, "llama")),
        "digits": ("causal", lambda: make("bytes", None, pre.Sequence([digits, bytes_]), "roberta")),
        "Llama 3": ("causal", lambda: make("bytes", norm.NFC(), _by(LLAMA3), "llama")),
        "stripped": ("masked", lambda: make("bytes", seq([norm.Nmt(), norm.NFKC(), norm.Strip()]), bytes_, "roberta")),
        "ALBERT": ("masked", lambda: make("unigram", seq([*ALBERT, ONE_SPACE]), _meta("always"), lstrip=True)),
        "XLM-R": ("masked", lambda: make("unigram", xlmr, pre.Sequence([words, _meta("always")]), "roberta")),
        "first": ("masked", lambda: make("unigram", seq([norm.Nmt(), ONE_SPACE, norm.Strip()]), _meta("first"))),
        "never": ("masked", lambda: make("unigram", None, _meta("never"), "roberta", rstrip=True)),
        "whole BPE": (
            "causal",
            lambda: make("bpe", None, _meta("first", split=False), "llama", trained_with=_meta("first")),
        ),
        "Llama 2": ("masked", lambda: make("bpe", llama, None, "llama", trained_with=cut)),
        "Gemma": (
            "causal",
            lambda: make(
                "bpe", norm.Replace(" ", "▁"), pre.Split(" ", "merged_with_previous"), "roberta", trained_with=cut
            ),
        ),
    }


class _Dictionary:
    """A cutter like MeCab: where it cuts depends on what stands around; here behind "of", if an F follows."""

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(lambda _, part: self._cut(part))

    def _cut(self, part: NormalizedString) -> list[NormalizedString]:
        at = str(part).find("of F") + 3
        cut: list[Any] = [part] if at < 3 else [part[:at], part[at:]]
        return cut


class _Louder(PreTrainedTokenizerFast):
    """A tokenizer that does something to its texts before they come to the backend."""

    def _encode_plus(self, text: Any, *args: Any, **kwargs: Any) -> Any:
        louder = [one.replace("of F", "OF F") for one in ([text] if isinstance(text, str) else text)]
        return super()._encode_plus(louder[0] if isinstance(text, str) else louder, *args, **kwargs)


def _with_added(token: str) -> Any:
    tokenizer = _tokenizer("bytes", None, pre.ByteLevel(False))
    tokenizer.add_tokens([token])
    return tokenizer


def _of_letters(*merges: tuple[str, str], space: str = "▁") -> Any:
    """BPE over whole texts that knows letters, a space, and what a few merges make."""
    pieces = ["<unk>", "<mask>", *"abcdefghijklmnopqrstuvwxyzFP", space, *map("".join, merges)]
    vocabulary = {piece: at for at, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocabulary, list(merges), unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = norm.Replace(" ", "▁")
    tokenizer.add_special_tokens(["<mask>"])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", mask_token="<mask>")


def _with_dictionary() -> Any:
    tokenizer = _tokenizer("wordpiece", None, pre.WhitespaceSplit())
    tokenizer.backend_tokenizer.pre_tokenizer = pre.PreTokenizer.custom(_Dictionary())
    return tokenizer


def _foreign_kinds() -> dict[str, tuple[str, Callable[[], Any]]]:
    make, words = _tokenizer, pre.WhitespaceSplit()
    scripts = pre.Sequence([pre.UnicodeScripts(), _meta("never")])
    return {
        "BPE over spaces": ("has a space inside", lambda: make("bpe")),
        "Unigram over spaces": ("nothing cuts", lambda: make("unigram", None, _meta("first", split=False))),
        "WordPiece without cuts": ("nothing cuts", lambda: make("wordpiece")),
        "unknown space": ("joins unknown words", lambda: _of_letters(space="_")),
        "cuts behind spaces": ("Split is not", lambda: make("bpe", None, pre.Split(" ", "merged_with_previous"))),
        "expression over spaces": ("Split is not", lambda: make("bytes", None, _by(r"of F\p{L}+|\p{L}+|\s+"))),
        "scripts": ("UnicodeScripts is not", lambda: make("bpe", None, scripts)),
        "normaliser over spaces": ("normaliser Replace", lambda: make("wordpiece", norm.Replace("of F", "X"), words)),
        "other anchor": ("does not keep", lambda: make("wordpiece", norm.Replace("x", "y"), words)),
        "added token with a space": ("'of F' has a space", lambda: _with_added("of F")),
        "added anchor": ("is an added token", lambda: _with_added("x")),
        "cutter in Python": ("written in Python", _with_dictionary),
        "wrapper of its own": ("own way of tokenising", lambda: make("bytes", None, pre.ByteLevel(False), cls=_Louder)),
        "not fast": ("not a fast tokenizer", CanineTokenizer),
    }


LOCAL, FOREIGN = _local_kinds(), _foreign_kinds()


@cache
def _local(name: str) -> Any:
    return LOCAL[name][1]()


@cache
def _foreign(name: str) -> Any:
    return FOREIGN[name][1]()


def _rows(encoder: PromptEncoder, templates: int, names: int) -> list[list[int]]:
    template, alias = np.divmod(np.arange(templates * names), names)
    encoded = encoder.encode(template, alias)
    ids = encoded.ids
    rows = [ids.values[begin : begin + size].tolist() for begin, size in zip(ids.start, ids.length, strict=True)]
    return [rows[place] for place in encoded.distinct]


def _whole(tokenizer: Any, kind: Kind, template: str, name: str) -> list[int]:
    if kind == "masked":
        text = template.replace("[Y]", tokenizer.mask_token)
    else:
        text = template[: template.index("[Y]")].rstrip()
    ids: list[int] = tokenizer(text.replace("[X]", name))["input_ids"]
    ends = kind == "causal" and tokenizer("x")["input_ids"][-1] == tokenizer.eos_token_id
    return ids[:-1] if ends else ids


def _same(tokenizer: Any, kind: Kind, templates: list[str], names: list[str]) -> PromptEncoder:
    encoder = PromptEncoder(tokenizer, kind, templates, names)
    found = _rows(encoder, len(templates), len(names))
    for at, (template, name) in enumerate((template, name) for template in templates for name in names):
        assert found[at] == _whole(tokenizer, kind, template, name), (template, name)
    return encoder


SIGNS = ["(", ")", "'s", ",", ".", "-", '"', "«", "'", "[", "]", "/", "=", "_", "\u200b", "\u0301", "¨", "x"]
LETTERS = [
    *"aeosPGxÉßΣ12 .,-'()東京한ｶ½①ﬁ´▁Ġ",
    "\u0301",
    "\u0338",
    "\u200b",
    "\u200d",
    "\u0600",
    "\x01",
    "\u3000",
    "👧",
    "''",
]
WORDS = [
    "The",
    "CAPITAL",
    "of",
    "born in",
    "«is»",
    "né",
    "",
    "x",
    "東京",
    "3",
    "\u200b",
    "\u0301a",
    "<unk>",
    "[MASK]",
    "œ",
]
NAMED = ["France", "Washington, D.C.", "AC/DC", "3M", "[X]", "[Y]", "[MASK]", "<mask>", "</s>", "[UNK]", "of F", "\x01"]
NAMES = st.one_of(
    st.sampled_from(NAMED), st.lists(st.sampled_from(LETTERS), min_size=1, max_size=9).map("".join), st.text(max_size=6)
)


@st.composite
def _templates(draw: st.DrawFn, kind: Kind) -> str:
    """A template of some words, with a subject that signs may touch and a blank (a last one, for causal models)."""
    signs = st.lists(st.sampled_from(SIGNS), max_size=2).map("".join)
    words = st.lists(st.sampled_from(WORDS), max_size=3)
    parts = [*draw(words), f"{draw(signs)}[X]{draw(signs)}", *draw(words)]
    blank = len(parts) if kind == "causal" else draw(st.integers(0, len(parts)))
    parts.insert(blank, f"{draw(signs)}[Y]{draw(signs)}")
    return draw(st.sampled_from([" ", " ", " ", "  ", ""])).join(parts)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOCAL)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_joined_is_whole(name: str, data: st.DataObject) -> None:
    kind = LOCAL[name][0]
    templates = data.draw(st.lists(_templates(kind), min_size=1, max_size=4))
    encoder = _same(_local(name), kind, templates, data.draw(st.lists(NAMES, min_size=1, max_size=4)))
    assert encoder.by_pieces, encoder.why_whole


@pytest.mark.slow
@pytest.mark.parametrize("name", FOREIGN)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_whole_where_nothing_else_is_known_to_be_exact(name: str, data: st.DataObject) -> None:
    templates = data.draw(st.lists(_templates("masked"), min_size=1, max_size=3))
    _same(_foreign(name), "masked", templates, data.draw(st.lists(NAMES, min_size=1, max_size=3)))


@pytest.mark.parametrize("name", FOREIGN)
def test_it_says_why_not(name: str) -> None:
    encoder = _same(_foreign(name), "masked", ["The capital of [X] is [Y].", "Is [X] [Y]?"], ["France", "3 Fs"])
    assert not encoder.by_pieces
    assert FOREIGN[name][0] in str(encoder.why_whole)


HARD = {
    "an unknown word before the subject is no added token": (["is œ½½ [X] né [Y]"], ["France", "3M", "Þ"]),
    "a blank becomes a space": (["in [X]\u200b is [Y]", "\u200b[X] is\u200b [Y]"], ["France", "Paris\u200b", "a¨"]),
    "nothing left behind the mask": (["[Y]\u200b .[X] is", "[Y] [X]\u200b", "[Y]¨ [X]"], ["France", "Σ"]),
    "the mask beside the subject": (["[Y] [X] is", "is [X] [Y]", "[Y][X]", "[X]/[Y]", "([Y])-[X]"], ["France", "é"]),
    "names that are added tokens": (["([X]) is [Y]", "[X [X]] [Y]", "[[X]] [Y]"], ["[MASK]", "<mask>", "MASK", "</s>"]),
    "a sign and what changes it": (["is =[X] <[X [Y]", "is =[X] [Y]", "([X]) [Y]"], ["\u0338a", "\u0301", "'s", "''"]),
    "names without a letter": (["in [X] is [Y]", "[X] [Y]"], ["\x01", "\u200d", " ", "▁", "\u0600", "''", "1", ""]),
    "no subject, or two": (["in it is [Y]", "[X] is [X] [Y]"], ["France", "Spain"]),
}


@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("name", LOCAL)
def test_hard_cases(name: str, case: str) -> None:
    kind = LOCAL[name][0]
    templates, names = HARD[case]
    last = [f"{one.replace('[Y]', 'a')} [Y]" for one in templates] if kind == "causal" else templates
    assert _same(_local(name), kind, last, names).by_pieces


@pytest.mark.parametrize("name", LOCAL)
def test_ordinary_text_is_joined(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, tokenizer = LOCAL[name][0], _local(name)
    templates = [
        "The capital of [X] is [Y].",
        "[X]'s capital ([X is not here]) is [Y].",
        "« [X], né à [Y]",
        "In ([X]), [Y]",
    ]
    names = ["France", "Washington, D.C.", "Émile Zola", unicodedata.normalize("NFD", "São Tomé")]
    encoder = _same(tokenizer, kind, templates, names)
    monkeypatch.setattr(PreTrainedTokenizerFast, "__call__", None)  # whole texts would go through it
    assert len(_rows(encoder, len(templates), len(names))) == 16


def test_a_single_merge_over_a_space_is_enough() -> None:
    """Which a sample could miss: one template of a hundred meets it."""
    letters = [one + other for one in "abcdeghijk" for other in "abcdeghijk"]
    templates, names = [*(f"{two} [X] is [Y]" for two in letters), "of [X] [Y]"], [*letters, "Paris"]
    for merge in [("f", "▁"), ("▁", "P")]:
        encoder = _same(_of_letters(merge), "masked", templates[::9], names[::9])
        assert encoder.by_pieces is (merge == ("▁", "P"))


def test_what_is_known_is_checked_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from tashika.evaluate.engine import locality

    tokenizer = _foreign("BPE over spaces")
    monkeypatch.setattr(locality, "_check_merges", lambda *_: None)
    encoder = _same(tokenizer, "masked", ["The capital of [X] is [Y]", "[X] is [Y]"], ["France", "Washington"])
    assert encoder.why_whole == "joined pieces differ from whole texts"


def test_slow_causal_tokenizers_get_whole_texts() -> None:
    encoder = _same(ByT5Tokenizer(), "causal", ["The capital of [X] is [Y]."], ["France", "Émile Zola"])
    assert not encoder.by_pieces


def test_pieces_can_be_switched_off() -> None:
    encoder = PromptEncoder(_local("RoBERTa"), "masked", ["[X] is [Y]."], ["Paris"], by_pieces=False)
    assert (encoder.by_pieces, encoder.why_whole) == (False, "it was asked for")


def test_others_may_set_the_tokenizer_meanwhile() -> None:
    tokenizer = LOCAL["BERT"][1]()
    names = ["France", "Washington, D.C."]
    encoder = PromptEncoder(tokenizer, "masked", ["[X] is [Y]."], names)
    expected = [_whole(tokenizer, "masked", "[X] is [Y].", name) for name in names]
    tokenizer.backend_tokenizer.enable_truncation(3)
    assert _rows(encoder, 1, 2) == expected
    tokenizer.backend_tokenizer.enable_padding(length=40)
    assert _rows(encoder, 1, 2) == expected


def test_equal_texts_are_one_row() -> None:
    """An uncased model sees one name where there are two, and one template; before [Y] two templates read the same."""
    template, alias = np.divmod(np.arange(6), 2)
    names = ["Paris", "PARIS"]
    bert = PromptEncoder(_local("BERT"), "masked", ["[X] is [Y].", "Is [X] [Y]?", "is [X] [Y]?"], names)
    assert bert.encode(template, alias).distinct.tolist() == [0, 0, 1, 1, 1, 1]
    llama = PromptEncoder(_local("Llama 3"), "causal", ["[X] is [Y].", "[X] is [Y]!", "[X] was [Y]"], names)
    found = llama.encode(template, alias).distinct.tolist()
    assert (found[:2], len(set(found))) == (found[2:4], 4)


def test_nothing_is_nothing() -> None:
    encoder = PromptEncoder(_local("RoBERTa"), "masked", ["[X] is [Y]."], ["Paris"])
    none = np.zeros(0, dtype=np.int64)
    assert len(encoder.encode(none, none).ids.length) == 0
    assert PromptEncoder(_local("RoBERTa"), "masked", [], []).encode(none, none).distinct.tolist() == []
