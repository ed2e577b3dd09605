"""Numbers that candidates are drawn by: digests of texts, mixed with a question's.

The one with the smallest number is drawn. So a draw depends on nothing but the texts.
"""

from __future__ import annotations

import hashlib
from typing import Final

import numpy as np
import numpy.typing as npt

NEVER: Final = np.uint32(0xFFFFFFFF)
"""Above every priority, which have 31 bits."""


def digest(text: str) -> np.uint32:
    """A text's number, of 32 bits."""
    return np.uint32(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big"))


def mixed(values: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Numbers of 31 bits in which no trace is left of the order of `values`: MurmurHash3's last step, in place."""
    values ^= values >> np.uint32(16)
    values *= np.uint32(0x85EBCA6B)
    values ^= values >> np.uint32(13)
    values *= np.uint32(0xC2B2AE35)
    values ^= values >> np.uint32(16)
    values >>= np.uint32(1)
    return values
