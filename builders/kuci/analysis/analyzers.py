"""The analysers of Japanese by their names."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from tashika.builders.kuci.analysis.ginza import rules as ginza_rules
from tashika.builders.kuci.analysis.knp import sentence as knp_sentence
from tashika.builders.kuci.analysis.records import Analyzer, Backend
from tashika.core.settings import Section

KEYS: Final[dict[Backend, str]] = {"ginza": "sudachi", "knp": "daihyo", "knp-file": "daihyo"}
"""What the lemmas of each analyser are, to be known before one is opened: keys of two kinds are never compared."""

RULES: Final[dict[Backend, str]] = {
    "ginza": ginza_rules.RULES_VERSION,
    "knp": knp_sentence.RULES_VERSION,
    "knp-file": knp_sentence.RULES_VERSION,
}
"""The version of what makes clauses and relations of each analyser's output."""


class AnalyzerSettings(Section):
    """How Japanese sentences are analysed.

    Attributes:
        backend: "ginza" comes with the toolkit; "knp" runs Juman and KNP; "knp-file" reads what KNP wrote before.
        knp_command: KNP with its options. `-dpnd` is for a KNP without case frames; with them, and without it, KNP
            states the cases of topics as well.
        juman_command: Juman++, or Juman with its options (juman -e2 -B).
        timeout: Seconds that Juman and KNP may take for a sentence, each.
        longest: Characters that a sentence may have.
    """

    backend: Backend = "ginza"
    knp_command: str = Field("knp -tab -dpnd", min_length=1)
    juman_command: str = Field("jumanpp", min_length=1)
    timeout: float = Field(30.0, gt=0.0, allow_inf_nan=False)
    longest: int = Field(500, ge=1)


def open_analyzer(backend: Backend, settings: AnalyzerSettings, *, cuda: bool = False) -> Analyzer:
    """Opens an analyser.

    Args:
        backend: Which one.
        settings: Its settings; those of other analysers are not looked at.
        cuda: Whether GiNZA computes on a CUDA device.

    Raises:
        OutsideError: What it needs is not installed, or does not work.
    """
    if backend == "knp":
        from tashika.builders.kuci.analysis.knp.process import Knp

        return Knp(settings.knp_command, settings.juman_command, settings.timeout, settings.longest)
    if backend == "knp-file":
        from tashika.builders.kuci.analysis.knp.file import KnpFile

        return KnpFile()
    from tashika.builders.kuci.analysis.ginza.analyzer import BATCH, CUDA_BATCH, Ginza

    return Ginza(batch=CUDA_BATCH if cuda else BATCH, longest=settings.longest, cuda=cuda)
