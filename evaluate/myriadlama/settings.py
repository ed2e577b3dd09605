"""MyriadLAMA's section [evaluate]."""

from __future__ import annotations

from pydantic import Field

from tashika.core.settings import Section


class EvaluateSettings(Section):
    """How models are scored.

    Attributes:
        draws: N of section 3.2, draws of one template a relation.
        bins: M of equation 6.
        seed: Of the draws and of samples.
        batch_tokens: Tokens in a batch, at most; 0 takes them from the free memory.
        precision_prompts: How many prompts a run in bf16 or fp16 asks again in fp32, to say what it changes; 0 none.
    """

    draws: int = Field(5000, ge=1)
    bins: int = Field(10, ge=1)
    seed: int = 0
    batch_tokens: int = Field(0, ge=0)
    precision_prompts: int = Field(1000, ge=0)
