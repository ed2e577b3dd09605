"""The stage that counts the votes: verdicts for the release, and the summary that its card needs.

Where people answer in words nothing is voted: the answers become a table, and a verdict is an adjudicator's alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa

from tashika.annotation.adjudicating.audit import audit_summary
from tashika.annotation.adjudicating.decisions import adjudication_file, overrule, read_adjudications
from tashika.annotation.adjudicating.lost import part_lost
from tashika.annotation.gold.check import check_gold, rule_for
from tashika.annotation.gold.verdicts import known_decisions, known_verdicts
from tashika.annotation.judging.columns import compute, flat, having, strings
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.pushed import pushed_files, read_pushed
from tashika.annotation.judging.questionnaires import voted
from tashika.annotation.judging.same import Same, read_same
from tashika.annotation.labelling import (
    ChoicePage,
    FormPage,
    Lemmatiser,
    Page,
    PreferencePage,
    TextPage,
    VotePage,
    WordsPage,
    choice_pages,
    form_pages,
    words_pages,
)
from tashika.annotation.quality.agreeing import alpha
from tashika.annotation.quality.annotators import measure_annotators
from tashika.annotation.quality.changes import check_names, compare_verdicts, without_people
from tashika.annotation.quality.sharing import shared_words
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.counted import Counted, count_kind
from tashika.annotation.votes.forms import put_in
from tashika.annotation.votes.gone import GONE, find_gone
from tashika.annotation.votes.rules import MAJORITY
from tashika.annotation.votes.statements import statements_of
from tashika.annotation.votes.summaries import summarise_words
from tashika.annotation.votes.vote import ACCEPTED, REJECTED, UNDECIDED
from tashika.annotation.words.controls import Lemma, check_controls
from tashika.annotation.words.responses import RESPONSES, collect_responses, control_questions, known_words
from tashika.core.files import read_json, write_batches, write_json
from tashika.core.records import ANSWER, RESPONSE, STATEMENT, VERDICT
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace

VALIDATION = "validation.json"
STAGE = "annotate-vote"
_LAYOUT = 4
"""Of the summary: where an earlier version wrote it, the votes are counted again."""


def count_votes(
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings,
    *,
    without_careless: bool = False,
    leave_out: Collection[str] = (),
) -> dict[str, Any]:
    """Writes `verdicts.parquet`, `statements.parquet` and `validation.json`.

    Also `responses.parquet` where people answer in words, and `answers.parquet` where they say what an item is.

    Args:
        workspace: Where judgments, adjudications and what was pushed lie.
        pages: The kinds that people judge.
        settings: The minimum of votes, and what goes into the summary.
        without_careless: Leave out who missed too many control questions, gold questions among them.
        leave_out: Leave out these annotators too, by pseudonym.

    Returns:
        The manifest of the stage.

    Raises:
        InputError: People answer in words, and what answers are read by, such as WordNet, is not installed. Or votes
            shall be weighted by gold questions, and nobody has answered one; or a name to leave out is nobody's.
        MissingStageError: Nothing was pushed or pulled yet.
    """
    lemmatisers = {page.kind: page.open_lemmatiser() for page in words_pages(pages)}
    with alone(workspace.annotation):
        same = read_same(workspace.annotation)
        leave_out = [same.name(name) for name in leave_out]
        left_out = LeftOut(without_careless, frozenset(leave_out))
        judgments = read_judgments(workspace)
        check_names(leave_out, judgments)
        stage = _stage(workspace, pages, settings, lemmatisers, left_out, same)
        simulated = bool(compute.any(judgments["simulated"]).as_py())
        return stage.run(
            lambda: _write_counts(workspace, pages, settings, judgments, lemmatisers, left_out),
            what="verdicts (with votes of simulated annotators)" if simulated else "verdicts",
        )


def _stage(
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings,
    lemmatisers: Mapping[str, Lemmatiser],
    left_out: LeftOut,
    same: Same,
) -> Stage:
    """What the count depends on, and what it writes.

    A setting that some suites have is left out for the others, whose counts of before stay valid.
    """
    forms, in_words = form_pages(pages), words_pages(pages)
    settled = {**settings.model_dump(mode="json"), "layout": _LAYOUT}
    for name, version in sorted((lemmatiser.name, lemmatiser.version) for lemmatiser in lemmatisers.values()):
        settled |= {name: version, "without_careless": left_out.careless}
    asked = [_asked(page) for page in pages if page in forms or page.checks_people or _from_file(page)]
    if asked:
        settled |= {"asked": asked, "without_careless": left_out.careless}
    if same.names:
        settled |= {"same": dict(same.names)}
    if left_out.names:
        settled |= {"leave_out": sorted(left_out.names)}
    return Stage(
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
            workspace.annotation / VALIDATION,
            *([workspace.annotation / RESPONSES] if in_words else []),
            *([workspace.answer_file] if forms else []),
            workspace.statement_file,
        ],
    )


def _write_counts(
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings,
    judgments: pa.Table,
    lemmatisers: Mapping[str, Lemmatiser],
    left_out: LeftOut,
) -> dict[str, int]:
    """Counts the votes and writes what they come to; gives the counts of the stage's manifest."""
    forms = form_pages(pages)
    verdicts, answers, summary, statements = tally(
        workspace, [*choice_pages(pages), *forms], settings, judgments, left_out
    )
    if forms:
        write_batches(workspace.answer_file, answers.to_batches(), ANSWER)
    for page in words_pages(pages):
        lemma = cache(lemmatisers[page.kind].lemma)
        responses, entry = _count_words(workspace, page, settings, judgments, left_out, lemma)
        write_batches(workspace.annotation / RESPONSES, responses.to_batches(), RESPONSE)
        statements.append(_word_statements(workspace, page, judgments, responses))
        summary[page.kind] = summarise_words(entry, page.kind, verdicts, settings)
        summary[page.kind]["agreement"] |= shared_words(responses.to_pylist())
    write_batches(workspace.verdict_file, verdicts.to_batches(), VERDICT)
    write_batches(workspace.statement_file, pa.concat_tables(statements).to_batches(), STATEMENT)
    write_json(workspace.annotation / VALIDATION, summary)
    return _counts(summary)


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
    values: list[Any] = [page.kind, type(page).__name__, page.gold_column, *labels, *compared]
    if page.gold:
        values.append([[item_id, known.answer, known.trains] for item_id, known in page.gold.items()])
    return [*values, _counted_by(page)] if _from_file(page) else values


def _counted_by(page: Page) -> dict[str, Any]:
    """What a page of a suite file is counted by besides; in the order of the page, which tables of votes follow."""
    values: dict[str, Any] = {}
    if isinstance(page, ChoicePage):
        values["choices"] = list(page.choices.items())
    if isinstance(page, FormPage):
        values["words"] = list(page.words.items())  # known answers may be written in them
    if isinstance(page, VotePage) and page.text_control:
        values["corrected"] = page.text_column
    return values


@dataclass(frozen=True)
class LeftOut:
    """Whose judgments do not count.

    Attributes:
        careless: Whether those of people who missed too many gold questions do not.
        names: Others, by pseudonym.
    """

    careless: bool = False
    names: frozenset[str] = frozenset()


def tally(
    workspace: Workspace,
    pages: Sequence[ChoicePage | TextPage],
    settings: AnnotateSettings,
    judgments: pa.Table,
    left_out: LeftOut = LeftOut(),
) -> tuple[pa.Table, pa.Table, dict[str, Any], list[pa.Table]]:
    """The verdicts on all kinds and what people say that items are, adjudications put in; summaries; statements."""
    counts = [_count(workspace, page, settings, judgments, left_out) for page in pages]
    adjudications, _ = part_lost(read_adjudications(workspace), pages)
    golden = [(page, workspace.read_items(page.kind)) for page in pages if page.gold]
    by_gold = [verdict for page, items in golden for verdict in known_verdicts(page, items)]
    tables = [pa.Table.from_pylist(by_gold, schema=VERDICT), *(counted.verdicts for counted, _ in counts)]
    by_vote = pa.concat_tables(tables)
    verdicts = overrule(by_vote, adjudications)
    rows = [row for counted, _ in counts for row in counted.answers]
    decided = [decision for page, items in golden for decision in known_decisions(page, items)]
    answers = put_in(rows, [*decided, *adjudications], {page.kind: page for page in form_pages(pages)})
    summary = {
        counted.page.kind: {**counted.summary(verdicts, answers, judgments, settings), **measures}
        for counted, measures in counts
    }
    for page in pages:
        _add_gone(summary[page.kind], find_gone(page, having(judgments, "kind", page.kind)).num_rows)
        decisions = [row for row in adjudications if row["kind"] == page.kind]
        summary[page.kind] |= audit_summary(page, having(by_vote, "kind", page.kind).to_pylist(), decisions)
    ballots = [(counted.page, counted.ballot) for counted, _ in counts]
    statements = [
        statements_of(workspace, page, ballot.item_ids, ballot.votes, having(judgments, "kind", page.kind))
        for page, ballot in ballots
    ]
    return verdicts, answers, summary, [STATEMENT.empty_table(), *statements]


def _count(
    workspace: Workspace,
    page: ChoicePage | TextPage,
    settings: AnnotateSettings,
    judgments: pa.Table,
    left_out: LeftOut,
) -> tuple[Counted, dict[str, Any]]:
    """The votes on a kind, and what is measured of people and of the choices among rules and people."""
    whole, everything = workspace.read_items(page.kind), having(judgments, "kind", page.kind)
    gold = check_gold(page, whole, everything, settings.most_missed) if page.checks_people else None
    people = gold.people if gold else {}
    rule = rule_for(page, settings, gold)
    rule.check(page.kind)
    items = voted(page, whole)
    pushed = flat(read_pushed(workspace, page.kind), "item_id").unique()
    asked = pushed.filter(compute.is_in(pushed, value_set=flat(items, "item_id")))
    careless = frozenset(gold.careless if gold and left_out.careless else ())
    nobody = (left_out.names | careless) & set(strings(everything, "annotator"))
    everybody = count_kind(page, items, asked, everything, settings, rule)
    counted = everybody
    if nobody:
        counted = count_kind(page, items, asked, without_people(everything, nobody), settings, rule)
    measures: dict[str, Any] = gold.summary(left_out=left_out.careless) if gold else {}
    if page.gold:
        measures["known"] = len(known_decisions(page, whole))
    if rule.name != MAJORITY.name:
        by_majority = count_kind(page, items, asked, without_people(everything, nobody), settings, MAJORITY)
        measures["differs_from_majority"] = compare_verdicts(by_majority.verdicts, counted.verdicts)
    if nobody:
        measures["without"] = {
            "annotators": sorted(nobody),
            "changes": compare_verdicts(everybody.verdicts, counted.verdicts),
            "alpha_with": alpha(everybody.comparable(judgments, settings)),
            "alpha_without": alpha(counted.comparable(judgments, settings)),
        }
    votes = None if isinstance(page, TextPage) else everybody.ballot.answers()
    too_fast = settings.controls.too_fast
    measures["by_annotator"] = measure_annotators(votes, everything, people, too_fast, nobody)
    return counted, measures


def _count_words(
    workspace: Workspace,
    page: WordsPage,
    settings: AnnotateSettings,
    judgments: pa.Table,
    left_out: LeftOut,
    lemma: Lemma,
) -> tuple[pa.Table, dict[str, Any]]:
    """The responses to a kind that is answered in words, and their summary with what is measured of people."""
    items, everything = workspace.read_items(page.kind), having(judgments, "kind", page.kind)
    kept, gold = without_people(everything, left_out.names), known_words(page)
    responses, summary = collect_responses(items, kept, lemma, settings, without_careless=left_out.careless, gold=gold)
    checked = check_controls(control_questions(items, gold), everything, lemma)
    nobody = left_out.names | frozenset(summary["careless"] if left_out.careless else ())
    summary["by_annotator"] = measure_annotators(None, everything, checked, settings.controls.too_fast, nobody)
    return responses, summary


def _word_statements(workspace: Workspace, page: WordsPage, judgments: pa.Table, responses: pa.Table) -> pa.Table:
    """What is known of single judgments where people answer in words: `responses` have the words themselves."""
    controls = control_questions(workspace.read_items(page.kind), known_words(page))
    items = flat(workspace.read_items(page.kind), "item_id")
    asked = items.filter(compute.invert(compute.is_in(items, value_set=pa.array(list(controls), pa.string()))))
    return statements_of(workspace, page, asked, responses, having(judgments, "kind", page.kind))


def left_out(workspace: Workspace, kind: str) -> list[str]:
    """Whose votes the last count of a kind left out; nobody before the first."""
    path = workspace.annotation / VALIDATION
    summary: dict[str, Any] = read_json(path) if path.exists() else {}
    return list(summary.get(kind, {}).get("without", {}).get("annotators", ()))


def _add_gone(entry: dict[str, Any], count: int) -> None:
    if count:
        entry["problems"] = dict(sorted({**entry["problems"], GONE: count}.items()))
