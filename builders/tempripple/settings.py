"""TempRIPPLE's settings for its builder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, model_validator

from tashika.builders.sources.wikidata import LANGUAGE_CODE
from tashika.builders.tempripple.distractors import OptionSet
from tashika.builders.tempripple.records import OldDates, Period
from tashika.core.inputs import BuildInputs
from tashika.core.settings import Section

EPOCH = date(1970, 1, 1)
_WINDOW = re.compile(r"(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)", re.ASCII)


def read_window(text: str) -> tuple[date, date]:
    """The first and the last day of a window such as 2025-01-01..2025-12-31.

    Raises:
        ValueError: It has another form, or ends before it starts.
    """
    match = _WINDOW.fullmatch(text)
    if not match:
        raise ValueError("expected two days such as 2025-01-01..2025-12-31")
    first, last = (date.fromisoformat(part) for part in match.groups())
    if last < first:
        raise ValueError(f"{last} lies before {first}")
    return first, last


def _window(text: str) -> str:
    read_window(text)
    return text


def _once(relations: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(relations))


class BuildSettings(Section):
    """TempRIPPLE's section [build].

    Attributes:
        window: The days in which a new fact starts, the last one included (section 2.2).
        history_from: From when on a history must be complete (the paper's 2015).
        hops: Related facts at most this far away (the paper's 3).
        gap_days: So many days without an object make a history incomplete (appendix A: one year).
        cap: The most subjects of one property (appendix A: a million rows).
        relations: Changing properties; all 16 if empty.
        properties: A TOML file of properties with their wording; empty: the packaged one.
        languages: Languages of labels, in order of preference, as Wikidata writes them: en, zh-hans.
        clubs_only: Whether sports teams that are national teams are left out of P54 before it is judged.
        seed: Of the options that are drawn, and their order.
        options: Options of a question.
        option_set: Where wrong options come from, see `distractors.OptionSet`; the paper's are `other-facts`.
        old_dates: Whether a statement without a usable date that was over before the history rejects it (`reject`, as
            the paper may have it), or not (`age`).
        batch: Entities a request.
    """

    window: Annotated[str, AfterValidator(_window)] = "2025-01-01..2025-12-31"
    history_from: date = date(2015, 1, 1)
    hops: int = Field(3, ge=0, le=3)
    gap_days: int = Field(365, ge=1)
    cap: int = Field(1_000_000, ge=1)
    relations: Annotated[tuple[str, ...], AfterValidator(_once)] = ()
    properties: str = ""
    languages: tuple[Annotated[str, Field(pattern=LANGUAGE_CODE)], ...] = Field(("en", "mul"), min_length=1)
    clubs_only: bool = False
    seed: int = 0
    options: int = Field(4, ge=2, le=26)
    option_set: OptionSet = "other-facts"
    old_dates: OldDates = "age"
    batch: int = Field(500, ge=1)

    @model_validator(mode="after")
    def _history_before_window(self) -> Any:
        if self.history_from > read_window(self.window)[0]:
            raise ValueError(f"history_from {self.history_from} lies after the start of the window {self.window}")
        return self

    @property
    def period(self) -> Period:
        """The times as days since 1970-01-01."""
        first, last = ((day - EPOCH).days for day in read_window(self.window))
        return Period((self.history_from - EPOCH).days, first, last, self.gap_days, self.old_dates)


class Inputs(BuildInputs):
    """The options of `tashika build tempripple` that change what is built."""

    ALTERNATIVES = (("sparql_url", "snapshot"),)
    FORMER: ClassVar[Mapping[str, str]] = {"endpoint": "sparql_url"}

    sparql_url: str | None = None
    snapshot: tuple[Path, ...] = ()
    window: str | None = None
    history_from: str | None = None
    hops: int | None = None
