"""MyriadLAMA's section [export]."""

from __future__ import annotations

from pydantic import Field

from tashika.core.settings import Section
from tashika.exports.plan import ExportSettings


class LiteSettings(Section):
    """`[export.lite]`: how large the lite set is; see `lite`.

    Attributes:
        pairs: Subject-relation pairs of each relation, at most; 0 for no lite set.
        templates: Templates of each relation, at most.
        prompts: Prompts of each pair, at most.
    """

    pairs: int = Field(20, ge=0)
    templates: int = Field(20, ge=1)
    prompts: int = Field(4, ge=1)


class MyriadLamaExport(ExportSettings):
    """`[export]` of MyriadLAMA.

    Attributes:
        lite: The lite set.
    """

    lite: LiteSettings = LiteSettings()
