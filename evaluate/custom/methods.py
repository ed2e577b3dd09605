"""What a suite file says for a methods paragraph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from tashika.evaluate.suite import Methods

if TYPE_CHECKING:
    from tashika.core.custom.build_form import KindForm
    from tashika.core.custom.suite import CustomSuite

_WRITTEN: Final = "Models wrote an answer to a prompt that is made of each item"
_ASKED: Final[Mapping[str, str]] = {
    "cloze": "Models filled a blank in a prompt that is made of each item.",
    "multiple_choice": "Models chose one of the options of each item.",
    "classification": "Models gave each item one of a set of labels.",
    "generate": f"{_WRITTEN}.",
    "judge": f"{_WRITTEN}, and another model gave it a number by a rubric.",
}
"""Task -> what models were asked."""
_METRIC: Final = "The main score is accuracy, the share of the items that were answered rightly."
_JUDGED: Final = "The main score is the mean of the numbers that the judging model gave."


def methods_of(suite: CustomSuite) -> Methods:
    """The sentences that follow from a suite file."""
    kinds = suite.file.build.kinds
    building = " ".join([*(_built(kind, form) for kind, form in kinds.items()), *_people(suite)])
    if suite.file.evaluate is None:
        return Methods(building)
    task = suite.file.evaluate.task
    return Methods(building, _ASKED[task], _JUDGED if task == "judge" else _METRIC)


def _built(kind: str, form: KindForm) -> str:
    if form.file:
        origin = f"came from the table {form.file}"
    elif form.generate:
        origin = f"were written by a language model, from the seeds in {form.generate.seeds}"
    elif form.sparql:
        origin = f"came from a SPARQL query ({form.sparql.endpoint})"
    else:
        origin = "were made by a function of the suite's own"
    return f"Candidates of the kind “{kind}” {origin}."


def _people(suite: CustomSuite) -> Iterator[str]:
    """The question that people were asked about each kind."""
    for kind in suite.file.build.kinds:
        page = suite.file.page(kind)
        if page is not None and page.ask:
            yield f"Annotators of “{kind}” were asked: “{page.ask}”."
