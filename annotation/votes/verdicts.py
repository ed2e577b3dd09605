"""The stage that counts the votes: verdicts for the release, and the summary that its card needs.

Where people answer in words nothing is voted: the answers become a table, and a verdict is an adjudicator's alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa

from tashika.annotation.judging.columns import Column, compute, flat, having
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.pushed import pushed_files, read_pushed
from tashika.annotation.judging.questionnaires import voted
from tashika.annotation.labelling import (
    AnswerPage,
    ChoicePage,
    FormPage,
    Page,
    PreferencePage,
    TextPage,
    VotePage,
    choice_pages,
    form_pages,
    words_pages,
)
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.adjudication import adjudication_file, overrule, read_adjudications
from tashika.annotation.votes.answers import decide_answers, right_labels
from tashika.annotation.votes.form_summaries import summarise_form
from tashika.annotation.votes.forms import answers_of, collect_form, decide_form, put_in, verdicts_of
from tashika.annotation.votes.gold import check_gold
from tashika.annotation.votes.gone import GONE, find_gone
from tashika.annotation.votes.pairwise import cohen_by, first_votes
from tashika.annotation.votes.summaries import measured, summarise, summarise_words
from tashika.annotation.votes.vote import ACCEPTED, REJECTED, UNDECIDED, collect, decide
from tashika.annotation.words.responses import RESPONSES, collect_responses
from tashika.core.files import write_batches, write_json
from tashika.core.records import ANSWER, RESPONSE, VERDICT
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace

VALIDATION = "validation.json"
STAGE = "annotate-vote"
_LAYOUT = 2
"""Of the summary: where an earlier version wrote it, the votes are counted again."""


def count_votes(
    workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings, *, without_careless: bool = False
) -> dict[str, Any]:
    """Writes `verdicts.parquet` and `validation.json`.

    Also `responses.parquet` where people answer in words, and `answers.parquet` where they say what an item is.

    Args:
        workspace: Where judgments, adjudications and what was pushed lie.
        pages: The kinds that people judge.
        settings: The minimum of votes, and what goes into the summary.
        without_careless: Leave out who missed too many control questions, gold questions among them.

    Returns:
        The manifest of the stage.

    Raises:
        InputError: People answer in words, and what answers are read by, such as WordNet, is not installed.
        MissingStageError: Nothing was pushed or pulled yet.
    """
    in_words = words_pages(pages)
    lemmatisers = {page.kind: page.open_lemmatiser() for page in in_words}
    with alone(workspace.annotation):
        judgments = read_judgments(workspace)
        validation_file, response_file = workspace.annotation / VALIDATION, workspace.annotation / RESPONSES
        settled = {**settings.model_dump(mode="json"), "layout": _LAYOUT}
        for name, version in sorted((lemmatiser.name, lemmatiser.version) for lemmatiser in lemmatisers.values()):
            settled |= {name: version, "without_careless": without_careless}
        forms = form_pages(pages)
        asked = [_asked(page) for page in pages if page in forms or page.gold_column or _from_file(page)]
        if asked:
            settled |= {"asked": asked, "without_careless": without_careless}
        stage = Stage(
            name=STAGE,
            directory=workspace.annotation,
            inputs=[
                *shards(workspace),
                *(path for page in [*choice_pages(pages), *forms] for path in pushed_files(workspace, page.kind)),
                *(workspace.item_file(page.kind) for page in pages),
                adjudication_file(workspace),
            ],
            settings=settled,
            outputs=[
                workspace.verdict_file,
                validation_file,
                *([response_file] if in_words else []),
                *([workspace.answer_file] if forms else []),
            ],
        )

        def work() -> dict[str, int]:
            verdicts, answers, summary = tally(
                workspace, [*choice_pages(pages), *forms], settings, judgments, without_careless=without_careless
            )
            if forms:
                write_batches(workspace.answer_file, answers.to_batches(), ANSWER)
            for page in in_words:
                responses, numbers = collect_responses(
                    workspace.read_items(page.kind),
                    having(judgments, "kind", page.kind),
                    cache(lemmatisers[page.kind].lemma),
                    settings,
                    without_careless=without_careless,
                )
                write_batches(response_file, responses.to_batches(), RESPONSE)
                summary[page.kind] = summarise_words(numbers, page.kind, verdicts, settings)
            write_batches(workspace.verdict_file, verdicts.to_batches(), VERDICT)
            write_json(validation_file, summary)
            return _counts(summary)

        simulated = bool(compute.any(judgments["simulated"]).as_py())
        return stage.run(work, what="verdicts (with votes of simulated annotators)" if simulated else "verdicts")


def _counts(summary: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """The counts of the stage's manifest: of each kind its decisions, or what people answered in words."""
    return {
        f"{kind}_{name}": entry[name]
        for kind, entry in summary.items()
        for name in (("judged", "answers") if "answers" in entry else (ACCEPTED, REJECTED, UNDECIDED))
    }


def _from_file(page: Page) -> bool:
    """Whether the page is made from a suite file, which its user may change after the votes."""
    return page.markup is not None


def _asked(page: Page) -> list[Any]:
    """What the count depends on that a page says, and no file of the workspace.

    How choices count is fixed in the code of the other suites: it stays out there, so that these are not counted again.
    """
    labels = page.labels if isinstance(page, FormPage) else ()
    compared = [page.between, page.systems] if isinstance(page, PreferencePage) else []
    found = [page.kind, type(page).__name__, page.gold_column, *labels, *compared]
    return [*found, _counted_by(page)] if _from_file(page) else found


def _counted_by(page: Page) -> dict[str, Any]:
    """What a page of a suite file is counted by besides; in the order of the page, which tables of votes follow."""
    found: dict[str, Any] = {}
    if isinstance(page, ChoicePage):
        found["choices"] = list(page.choices.items())
    if isinstance(page, FormPage):
        found["words"] = list(page.words.items())  # known answers may be written in them
    if isinstance(page, VotePage) and page.text_control:
        found["corrected"] = page.text_column
    return found


def tally(
    workspace: Workspace,
    pages: Sequence[ChoicePage | TextPage],
    settings: AnnotateSettings,
    judgments: pa.Table,
    *,
    without_careless: bool = False,
) -> tuple[pa.Table, pa.Table, dict[str, Any]]:
    """The verdicts on all kinds and what people say that items are, adjudications put in; and the summaries."""
    counted: dict[str, _Counted] = {}
    controls: dict[str, dict[str, Any]] = {}
    for page in pages:
        whole, said = workspace.read_items(page.kind), having(judgments, "kind", page.kind)
        if page.gold_column:
            gold = check_gold(page, whole, said, settings.controls.most_missed)
            controls[page.kind] = gold.summary(left_out=without_careless)
            said = gold.without_careless(said) if without_careless else said
        items = voted(page, whole)
        pushed = flat(read_pushed(workspace, page.kind), "item_id").unique()
        mine = pushed.filter(compute.is_in(pushed, value_set=flat(items, "item_id")))
        if isinstance(page, FormPage | TextPage):
            counted[page.kind] = _count_form(page, items, mine, said, settings)
        else:
            counted[page.kind] = _count_choices(page, items, mine, said, settings)
    adjudications = read_adjudications(workspace)
    tables = [VERDICT.empty_table(), *(each.verdicts for each in counted.values())]
    verdicts = overrule(pa.concat_tables(tables), adjudications)
    rows = [row for each in counted.values() for row in each.answers]
    answers = put_in(rows, adjudications, {page.kind: page for page in form_pages(pages)})
    summary = {kind: {**each.summary(verdicts, answers, judgments), **controls.get(kind, {})}
               for kind, each in counted.items()}  # fmt: skip
    for page in pages:
        _add_gone(summary[page.kind], find_gone(page, having(judgments, "kind", page.kind)).num_rows)
    return verdicts, answers, summary


def _add_gone(entry: dict[str, Any], count: int) -> None:
    if count:
        entry["problems"] = dict(sorted({**entry["problems"], GONE: count}.items()))


@dataclass(frozen=True)
class _Counted:
    """What the votes on one kind come to.

    Attributes:
        verdicts: Rows of `records.VERDICT`, without adjudications.
        answers: Rows of `records.ANSWER`, without adjudications; none where people vote.
        summary: Makes the summary of all verdicts, answers and judgments.
    """

    verdicts: pa.Table
    answers: Sequence[dict[str, Any]]
    summary: Callable[[pa.Table, pa.Table, pa.Table], dict[str, Any]]


def _count_form(
    page: FormPage | TextPage, items: pa.Table, mine: Column, said: pa.Table, settings: AnnotateSettings
) -> _Counted:
    ballot = collect_form(page, mine, said)
    found = decide_form(ballot, settings.minimum_votes)

    def summary(verdicts: pa.Table, answers: pa.Table, judgments: pa.Table) -> dict[str, Any]:
        return summarise_form(ballot, verdicts, having(answers, "kind", page.kind), judgments, settings, items)

    return _Counted(verdicts_of(ballot, found, settings.minimum_votes), answers_of(ballot, found), summary)


def _count_choices(
    page: ChoicePage, items: pa.Table, mine: Column, said: pa.Table, settings: AnnotateSettings
) -> _Counted:
    ballot = collect(mine, said, page.choices)
    places = compute.index_in(ballot.item_ids, value_set=flat(items, "item_id"))
    right = right_labels(items.take(places), page.right_choice) if isinstance(page, AnswerPage) else None
    if right is not None:
        decided = decide_answers(ballot, page.kind, settings.minimum_votes, right)
    else:
        texts = flat(items, page.text_column) if isinstance(page, VotePage) and page.text_control else None
        originals = None if texts is None else texts.take(places)
        decided = decide(ballot, page.kind, settings.minimum_votes, originals)

    def summary(verdicts: pa.Table, _answers: pa.Table, judgments: pa.Table) -> dict[str, Any]:
        found = summarise(ballot, page.kind, verdicts, judgments, settings, items.num_rows)
        if page.agreement_by:
            groups = flat(items, page.agreement_by).take(places)
            found["cohen"] = cohen_by(first_votes(ballot, judgments, 2), groups)
        return found if right is None else {**found, **measured(ballot, settings, right)}

    return _Counted(decided, (), summary)
