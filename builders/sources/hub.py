"""Datasets on the Hub, streamed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from tashika.core.errors import OutsideError

HUB: Final = "hf:"
"""What a dataset's name on the Hub begins with; anything else is a file or a folder."""


def stream_hub(name: str, *, config: str | None, split: str | None, revision: str | None) -> Iterable[dict[str, Any]]:
    """The rows of a dataset on the Hub.

    Args:
        name: The dataset's, such as `organisation/name`.
        config: Its configuration; None for the only one.
        split: None for `train`.
        revision: A branch, tag or commit.

    Raises:
        OutsideError: The Hub cannot be reached, or has no such dataset.
    """
    from datasets import load_dataset

    try:
        rows: Iterable[dict[str, Any]] = load_dataset(
            name, config, split=split or "train", revision=revision, streaming=True
        )
    except Exception as error:  # whatever datasets, huggingface_hub and what they stand on raise
        hint = "Check its name, `config`, `split` and `revision`, and the network; a token is read from HF_TOKEN."
        raise OutsideError(f"{type(error).__name__}: {error}", where=f"{HUB}{name}", hint=hint) from error
    return rows
