"""How large a model is, without its weights."""

from __future__ import annotations

from typing import Any

from tashika.core.models import load_config, model_kind
from tashika.core.pretrained import quiet


def count_parameters(name: str) -> int | None:
    """How many parameters a model has, by its config alone; weights that are shared count once.

    Args:
        name: A folder, or a name on the Hub.

    Returns:
        None where the config does not say, as of an architecture that is made otherwise.

    Raises:
        InputError: The model cannot be found.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    config = load_config(name)
    made: Any = AutoModelForMaskedLM if model_kind(name) == "masked" else AutoModelForCausalLM
    try:
        with quiet(), torch.device("meta"):
            model = made.from_config(config, trust_remote_code=False)
    except (RuntimeError, ValueError, TypeError, AttributeError, NotImplementedError, ImportError):
        return None
    return sum(int(values.numel()) for values in model.parameters())
