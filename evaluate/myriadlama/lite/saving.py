"""What a plan or the lite set saved, in words."""

from __future__ import annotations

from tashika.evaluate.myriadlama.lite.intervals import NUMBERS
from tashika.evaluate.myriadlama.metrics import LiteMetrics, MyriadLamaMetrics


def saving(metrics: MyriadLamaMetrics) -> str:
    """What was asked of how much, and what is known by it, in a sentence or two; empty for what is no estimate."""
    if metrics.intervals is None:
        return ""
    widths = {number: metrics.intervals[number].half_width for number in NUMBERS}
    if metrics.lite:
        return _of_lite(metrics.lite, widths)
    if metrics.plan is None:
        return ""
    asked, whole = metrics.plan.prompts.asked, metrics.plan.prompts.of
    text = f"{asked:,} of {whole:,} prompts were asked ({asked / whole:.1%}, the pilot's among them)"
    wide = {number: width for number, width in widths.items() if width > metrics.plan.half_width}
    if not wide:
        return f"{text}; every number is known within {metrics.plan.half_width:g} at 95 %."
    wider = ", ".join(f"{number} {width:.4f}" for number, width in wide.items())
    return f"{text}. Wider than the {metrics.plan.half_width:g} that was asked for came out: {wider}."


def _of_lite(lite: LiteMetrics, widths: dict[str, float]) -> str:
    asked, whole = lite.prompts.asked, lite.prompts.of
    widest = max(widths, key=lambda number: widths[number])
    text = (
        f"{asked:,} of {whole:,} prompts that it can answer were asked ({asked / whole:.1%}); the widest interval is "
        f"that of {widest}, ± {widths[widest]:.4f} at 95 %."
    )
    without = lite.relations.of - lite.relations.asked
    if without:
        text += f" It could answer none of these of {without} of {lite.relations.of} relations: they are not estimated."
    return text
