"""GiNZA's model in spaCy, with no more of it than the rules read, on a processor or a CUDA device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tashika.builders.kuci.analysis.ginza.tokens import Token
from tashika.builders.kuci.analysis.ginza.words import Words
from tashika.core.errors import OutsideError

MODEL: Final = "ja_ginza"

_UNREAD: Final = ("ner", "morphologizer", "attribute_ruler", "compound_splitter", "bunsetu_recognizer")
"""Parts of the model whose output no rule reads: the rules go by Sudachi's parts of speech, and by the parser."""

_PHRASE: Final = "_bunsetu"
"""Behind the parser's label of a phrase's head; `bunsetu_recognizer` takes it away."""


def load_model(*, cuda: bool = False) -> Any:
    """Loads GiNZA's model.

    Args:
        cuda: Whether it computes on the first CUDA device that this process sees, in place of the processor.

    Raises:
        OutsideError: GiNZA or its model is not installed, or spaCy cannot use a CUDA device.
    """
    try:
        import spacy
        from thinc.api import require_gpu

        if cuda:
            require_gpu()
        model = spacy.load(MODEL, exclude=_UNREAD)
    except (ImportError, OSError) as error:
        raise OutsideError(
            f"GiNZA cannot be started: {error}", hint="Install the extra `japanese`: pip install 'tashika[japanese]'."
        ) from error
    except ValueError as error:
        raise OutsideError(f"spaCy cannot use a CUDA device: {error}", hint="Use --device cpu.") from error
    if not cuda:
        _use_numpy(model)
    return model


def _use_numpy(model: Any) -> None:
    """Lets numpy multiply matrices in place of blis, whose wheels are slow where they do not know the processor."""
    from thinc.api import NumpyOps

    ops = NumpyOps(use_blis=False)
    for _, pipe in model.pipeline:
        for layer in pipe.model.walk():
            layer.ops = ops


def parse(model: Any, sentences: Sequence[Words], batch: int) -> list[list[Token]]:
    """The tokens of sentences with their heads and relations, as the model parses them.

    What spaCy keeps of new words is freed at the end, or a long text would fill the memory with its vocabulary.

    Args:
        model: As `load_model` gives it.
        sentences: Their words.
        batch: Sentences that go through the model at once.

    Raises:
        Exception: Whatever the model raises.
    """
    from spacy.tokens import Doc

    with model.memory_zone():
        docs = (
            Doc(model.vocab, words=[token.surface for token in words.tokens], spaces=words.spaces)
            for words in sentences
        )
        parsed = model.pipe(docs, batch_size=batch)
        return [_with_heads(words.tokens, doc) for words, doc in zip(sentences, parsed, strict=True)]


def _with_heads(tokens: list[Token], doc: Any) -> list[Token]:
    return [
        Token(
            token.index,
            token.surface,
            token.norm,
            token.tag,
            token.form,
            parsed.dep_.removesuffix(_PHRASE),
            parsed.head.i,
        )
        for token, parsed in zip(tokens, doc, strict=True)
    ]
