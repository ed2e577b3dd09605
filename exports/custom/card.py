"""What the card says of a suite that is one file: what the file says, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator

from tashika.core.custom.build_form import KindForm
from tashika.core.custom.suite import CustomSuite
from tashika.exports.plan import CardText, CountRow

_TASKS = {
    "multiple_choice": "multiple-choice",
    "classification": "text-classification",
    "generate": "question-answering",
    "cloze": "fill-mask",
    "judge": "text-generation",
}
_KNOWN = {"wikidata": "CC0 1.0"}
"""Licences of the sources that come with the toolkit."""


def card_of(suite: CustomSuite) -> CardText:
    """The suite's text for the card."""
    file = suite.file
    kinds = list(file.build.kinds)
    asked = file.evaluate
    return CardText(
        summary=_text(file.suite.summary or f"{suite.title}."),
        building=tuple(map(_text, file.export.building or _steps(suite))),
        licences={**_KNOWN, **{name.casefold(): _text(own) for name, own in file.export.source_licenses.items()}},
        published=(),
        counts=tuple(CountRow(kind, kind, ()) for kind in kinds),
        counts_note="",
        example=file.evaluated_kind or kinds[0],
        limits=tuple(map(_text, file.export.limits)),
        citation=file.export.citation.replace("```", "'''"),
        citing="Cite this beside it:",
        tags=file.export.tags,
        task_categories=(_TASKS[asked.task],) if asked else (),
    )


def _steps(suite: CustomSuite) -> Iterator[str]:
    for kind, form in suite.file.build.kinds.items():
        yield f"{_origin(form)} (`{kind}`)."
        page = suite.file.page(kind)
        if page:
            asked = f": “{page.ask}”" if page.ask else ""
            yield f"People judged each {kind}{asked} (form: {page.form})."


def _origin(form: KindForm) -> str:
    if form.file:
        return f"Candidates came from the table {form.file}"
    if form.generate:
        return f"A language model wrote candidates, from the seeds in {form.generate.seeds}"
    if form.sparql:
        return f"Candidates came from a SPARQL query ({form.sparql.endpoint})"
    return f"Candidates came from the function {form.function}"


def _text(markdown: str) -> str:
    """An author's Markdown without HTML: neither scripts, nor the comments that mark the generated block."""
    return markdown.replace("<", "&lt;")
