"""Tokenizers that part Japanese text with MeCab or Juman++: they work where that is installed, and say so where not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tashika.core.errors import InputError, OutsideError
from tashika.core.models import load_model, load_tokenizer
from tashika.core.pretrained import load_with
from tests.japanese_bert import japanese_bert


@pytest.mark.parametrize("dictionary", ["unidic_lite", "ipadic"])
def test_a_tokenizer_that_calls_mecab_works(tmp_path: Path, dictionary: str) -> None:
    folder = str(japanese_bert(tmp_path / "bert", dictionary=dictionary))
    tokens = load_tokenizer(folder).tokenize("お腹が空いた")
    assert tokens == ["お腹", "が", "空い", "た"]
    assert load_model(folder).kind == "masked"


@pytest.mark.parametrize(
    ("hidden", "dictionary", "needs", "install"),
    [
        ("fugashi", "unidic_lite", "MeCab by fugashi", "pip install 'tashika[japanese-bert]'"),
        ("unidic_lite", "unidic_lite", "MeCab's dictionary unidic-lite", "pip install 'tashika[japanese-bert]'"),
        ("ipadic", "ipadic", "MeCab's dictionary ipadic", "pip install 'tashika[japanese-bert]'"),
        ("unidic", "unidic", "MeCab's dictionary unidic,", "python -m unidic download"),
    ],
)
def test_what_is_missing_is_named_with_what_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hidden: str, dictionary: str, needs: str, install: str
) -> None:
    monkeypatch.setitem(sys.modules, hidden, None)  # an import of it fails as that of a package that is not there
    folder = japanese_bert(tmp_path / "bert", dictionary=dictionary)
    with pytest.raises(OutsideError, match=needs) as caught:
        load_tokenizer(str(folder))
    assert "which is not installed" in str(caught.value)
    assert (caught.value.where, install in (caught.value.hint or "")) == (str(folder), True)


def test_jumanpp_is_a_package_and_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(japanese_bert(tmp_path / "bert", parser="jumanpp"))
    monkeypatch.setitem(sys.modules, "rhoknp", None)
    with pytest.raises(OutsideError, match=r"Juman\+\+ by rhoknp, which is not installed") as caught:
        load_tokenizer(folder)
    assert "github.com/ku-nlp/jumanpp" in (caught.value.hint or "")


def test_jumanpp_that_does_not_run_is_found_before_the_work_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As rhoknp answers where there is no program `jumanpp`: at the first text, not when the tokenizer is loaded."""

    class Jumanpp:
        def apply_to_sentence(self, _text: str) -> None:
            raise RuntimeError("Juman++ is not available.")

    package = type(sys)("rhoknp")
    package.Jumanpp = Jumanpp  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rhoknp", package)
    with pytest.raises(OutsideError, match=r"does not run: Juman\+\+ is not available") as caught:
        load_tokenizer(str(japanese_bert(tmp_path / "bert", parser="jumanpp")))
    assert "on the PATH" in (caught.value.hint or "")


def test_an_error_that_names_no_parser_is_what_it_was(tmp_path: Path) -> None:
    class AutoTokenizer:
        @staticmethod
        def from_pretrained(name: str, **_options: object) -> None:
            raise ImportError(f"{name}: protobuf is needed, install it")

    with pytest.raises(InputError, match="protobuf is needed"):
        load_with(AutoTokenizer, str(tmp_path))
