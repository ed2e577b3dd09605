"""The arrays that the modules of this room hand each other, by what they hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int64]
"""Places, counts and token ids."""
