"""The one door to a model's files: nothing that comes with a checkpoint runs, and broken files end in a clear error.

A checkpoint can run code in two ways. Python files beside it are run by transformers where `trust_remote_code` allows
it, and where nothing is said transformers asks on the terminal: here it is always forbidden. Weights in a `.bin` file
are a pickle, which can run any code when it is opened: here nothing but tensors and plain values is read from one
(`weights_only`). Safetensors are taken where a checkpoint has both.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Final

from tashika.core.errors import InputError, OutsideError
from tashika.core.word_parsers import missing_parser

NO_TENSORS: Final = "they are broken, or a pickle that holds more than tensors and could run code"
"""What is wrong with weights that `torch.load` refuses; its own message advises to open them all the same."""

_OF_TORCH_LOAD: Final = ("weights_only", "PytorchStreamReader", "inline_container")
"""What stands in the messages of `torch.load` on files that it refuses, whatever the error's type."""

_HINT: Final = "Give a folder made by save_pretrained, or a name on the Hub (which needs the network once)."
_HINT_CODE: Final = "Give a model of an architecture that transformers itself has; some models have a converted copy."
_HINT_TENSORS: Final = "Give a checkpoint with its weights as safetensors (model.safetensors), which cannot run code."
_HINT_BROKEN: Final = "Fetch or copy the model again."
_FOR_USERS: Final = (OSError, ValueError, ImportError, RuntimeError, MemoryError)
"""What transformers raises with a message for its user; anything else means that a file is not as it expects."""

_OF_FILES: Final = (JSONDecodeError, UnicodeError, RecursionError)
"""Those of `_FOR_USERS` that mean the same."""


def load_with(auto: Any, name: str, *, hint: str = _HINT, **options: Any) -> Any:
    """Runs `from_pretrained` of one of transformers' classes, without the code that may come with the checkpoint.

    Args:
        auto: Such as `transformers.AutoModel`.
        name: A folder, or a name on the Hub.
        hint: What to give instead where the model cannot be found.
        options: Passed on.

    Returns:
        What `from_pretrained` gives.

    Raises:
        InputError: The model cannot be found, is broken, or needs code of its own; the message names the reason.
        OutsideError: Its tokenizer calls a program or a package that is not installed.
    """
    if not Path(name).is_dir() and (name.startswith((".", "/", "~")) or name.count("/") > 1):
        raise InputError("there is no such folder", where=name, hint="Give a model's folder or its name on the Hub.")
    try:
        with quiet():
            return auto.from_pretrained(name, trust_remote_code=False, **options)
    except Exception as error:  # a broken file can lead transformers, torch and the Rust libraries to any
        raise _refusal(name, auto, error, hint) from error


def load_weights(auto: Any, name: str, *, hint: str = _HINT) -> tuple[Any, dict[str, Any]]:
    """A model, and transformers' report on what its checkpoint lacked; see `load_with`.

    Raises:
        InputError: The model cannot be found, is broken, or needs code of its own; the message names the reason.
    """
    model, info = load_with(auto, name, hint=hint, output_loading_info=True, weights_only=True)
    return model, info


def reason(error: Exception) -> str:
    """A library's message about a file that it cannot open, in one line."""
    text = str(error)
    if isinstance(error, UnpicklingError) or any(mark in text for mark in _OF_TORCH_LOAD):
        return NO_TENSORS
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = " ".join(lines[: 2 if lines and lines[0].endswith(":") else 1])
    return first if first and _for_users(error) else f"{type(error).__name__}: {first}".rstrip(": ")


def _for_users(error: Exception) -> bool:
    return isinstance(error, _FOR_USERS) and not isinstance(error, _OF_FILES)


def _refusal(name: str, auto: Any, error: Exception, hint: str) -> InputError | OutsideError:
    """The error for a model that cannot be loaded: what is wrong with it, and what to do."""
    text, why = str(error), reason(error)
    what = "the model's tokenizer" if auto.__name__.endswith("Tokenizer") else "the model"
    parser = missing_parser(error)
    if parser:
        needed, install = parser
        return OutsideError(f"{what} needs {needed}, which is not installed", where=name, hint=install)
    if "trust_remote_code" in text:
        problem = "it comes with code of its own, which would have to run, and no code of a checkpoint is run here"
        return InputError(f"{what} cannot be loaded: {problem}", where=name, hint=_HINT_CODE)
    if why == NO_TENSORS:
        return InputError(f"the model's weights cannot be loaded: {why}", where=name, hint=_HINT_TENSORS)
    if "ignore_mismatched_sizes" in text:
        problem = "the weights have other sizes than its config.json says"
        return InputError(f"{what} cannot be loaded: {problem}", where=name, hint=_HINT_BROKEN)
    # Where a zip archive of weights is cut, torch asks the system for a place before its beginning.
    unforeseen = not _for_users(error) or getattr(error, "errno", None) == errno.EINVAL
    if unforeseen and Path(name).is_dir():  # of a name on the Hub, the network may be to blame
        why, hint = f"a file of it is cut short or broken ({why})", _HINT_BROKEN
    return InputError(f"{what} cannot be loaded: {why}", where=name, hint=hint)


@contextmanager
def quiet() -> Iterator[None]:
    """Keeps transformers' bars and advice off the screen: what matters of them is checked here."""
    from transformers.utils import logging

    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
