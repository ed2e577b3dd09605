"""`[export.checks]`: how severe each check before a release is, and its thresholds."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tashika.core.settings import Section

Severity = Literal["error", "warn", "off"]
"""What a check comes to that finds something: no release, a line in it, or the check is not run."""


class ChecksForm(Section):
    """How severe each check before a release is, and its thresholds; `tashika check SUITE --list` says what they are.

    An `error` stops the release, a warning (`warn`) is listed in it, and a check that is `off` is not run.

    Attributes:
        items_have_a_verdict: Released items of a kind that people judge whole without a verdict.
        items_have_enough_votes: Released items that fewer people judged than a verdict needs.
        groups_are_in_one_split: Items that must stay together, in two parts.
        items_are_in_one_split: The same item in two parts.
        contexts_are_in_one_split: The same context in two parts.
        no_near_duplicates_across_splits: Items of two parts that are nearly the same.
        no_near_duplicates: Items of one part that are nearly the same.
        questions_hide_their_answers: Questions that have the words of their right answer.
        baselines_are_at_chance: Choices that can be answered without understanding the question.
        labels_are_balanced: Labels that nearly all items have, or none.
        texts_are_not_empty: Texts without a visible character.
        texts_are_not_overlong: Texts that are much longer than the others of their column.
        texts_are_in_the_language: Texts in another script than those of `language`.
        characters_print: Control characters, invisible ones and those that stand for a lost one.
        no_personal_data: Addresses of mail, numbers of phones and cards, addresses of machines and houses.
        licences_allow_the_release: Sources whose licence forbids that of the release.
        notices_are_kept: Sources whose licence asks for a notice, where that of the release lets it be left out.
        licences_are_known: Sources whose licence is not known.
        similarity: Share of common runs of letters (Jaccard) from which on two items are nearly the same, 0 to 1.
        duplicates_among: How many items of a configuration are compared for near-duplicates; of more, so many are
            drawn.
        most_of_a_label: The largest share of the items that one label may have, 0 to 1.
        overlong: How many times as long as the median of its column a text may be; below 200 characters none is long.
        significance: A baseline is above chance below this p-value, corrected for their number.
        above_chance: And only from this share of right answers above chance on, 0 to 1.
    """

    items_have_a_verdict: Severity = "error"
    items_have_enough_votes: Severity = "warn"
    groups_are_in_one_split: Severity = "error"
    items_are_in_one_split: Severity = "error"
    contexts_are_in_one_split: Severity = "warn"
    no_near_duplicates_across_splits: Severity = "warn"
    no_near_duplicates: Severity = "warn"
    questions_hide_their_answers: Severity = "warn"
    baselines_are_at_chance: Severity = "warn"
    labels_are_balanced: Severity = "warn"
    texts_are_not_empty: Severity = "warn"
    texts_are_not_overlong: Severity = "warn"
    texts_are_in_the_language: Severity = "warn"
    characters_print: Severity = "warn"
    no_personal_data: Severity = "warn"
    licences_allow_the_release: Severity = "error"
    notices_are_kept: Severity = "warn"
    licences_are_known: Severity = "warn"
    similarity: float = Field(default=0.85, ge=0.5, le=1)
    duplicates_among: int = Field(default=100_000, ge=1)
    most_of_a_label: float = Field(default=0.9, gt=0, le=1)
    overlong: float = Field(default=20.0, gt=1)
    significance: float = Field(default=0.01, gt=0, lt=1)
    above_chance: float = Field(default=0.05, ge=0, lt=1)
