"""The release of KUCI: the pairs that people accepted, the questions made of them, and the content of its card.

Source: Omura, Kawahara and Kurohashi (2020; see core/suites/kuci/README.md), section 3. A pair is released if people
accepted it; a question if its pair and those of its wrong options are. Whether people answered a question right, or
find that more than one option fits, stands beside it and leaves nothing out. Questions that were made before the votes
changed stop the export: to leave some of them out would spoil the parts and the sets for the ablations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tashika.core.errors import InputError
from tashika.core.files import hash_value, read_object
from tashika.core.progress import say
from tashika.core.records import item_schema
from tashika.core.suites.kuci import drawing
from tashika.core.suites.kuci.words import CONDITIONS, OPTIONS, RELATIONS, SPLITS, Conditions
from tashika.core.workspace import Workspace
from tashika.exports.arrow import ascending, values
from tashika.exports.arrow import compute as pc
from tashika.exports.kuci.card import CARD, card_text
from tashika.exports.kuci.checks import KUCI, SETS, place_p
from tashika.exports.kuci.judged import with_judgments
from tashika.exports.kuci.schema import CONFIGS, ORIGINS
from tashika.exports.kuci.shapes import SHAPES
from tashika.exports.kuci.tasks import TASKS
from tashika.exports.plan import Breakdown, ExportSettings, Plan, PlannedFile, SuiteExport
from tashika.exports.selection import decisions, released, with_verdicts
from tashika.exports.tables import content_digest, table_file
from tashika.exports.validation import read_validation

SUITE: Final = "kuci"
KINDS: Final = ("pair", "question", "fit")
_AGAIN: Final = f"Run `tashika build {SUITE}` again, and then this."
_MANIFEST: Final = "build-questions.manifest.json"
_PAIRS_MANIFEST: Final = "build-pairs.manifest.json"
_DRAWN: Final = (
    "similarity",
    "length",
    "bins",
    "balance",
    "even",
    "match",
    "refuse_empty",
    "kinship",
    "split",
    "own_part",
)
"""Settings of the questions that card, report and checks go by."""
_UNDECIDED: Final = ("rejected", "undecided", "unjudged")
_GIVE_AWAY: Final = ("similarities", "option_pairs")
"""Columns that are released apart from the questions: the right option has the similarity 1 and the question's pair."""


def plan(workspace: Workspace, _settings: ExportSettings) -> Plan:
    """Selects the pairs and questions that go in and counts the release.

    Raises:
        MissingStageError: Pairs or verdicts are not there yet.
        InputError: No pair was accepted, or the questions were made of other pairs than those that people accepted.
    """
    validation = read_validation(workspace, KINDS)
    candidates = with_verdicts(workspace.read_items("pair"), workspace.read_verdicts())
    accepted = released(workspace, candidates, "pair", "all").sort_by(ascending("item_id"))
    questions = _questions(workspace)
    built_with = _built_with(workspace, questions, accepted)
    sets = {SETS[name]: _set(with_judgments(workspace, questions), name) for name in CONDITIONS}
    pairs = accepted.select(list(CONFIGS["pairs"].columns))
    files, notes = [table_file(SUITE, "pairs", pairs, "train")], _notes(validation)
    if questions.num_rows:
        files += [file for config, table in sets.items() for file in _files(config, table)]
        files.append(table_file(SUITE, ORIGINS, _origins(sets), "test"))
    else:
        say(f"there are no questions yet: the release has the pairs alone; `tashika build {SUITE}` makes them")
        notes = ("There are no questions in this release yet, but the pairs alone.", *notes)
    return Plan(
        files=tuple(files),
        counts=_counts(pairs, sets),
        left_out={f"{name}_pairs": decisions(candidates).get(name, 0) for name in _UNDECIDED},
        digest=content_digest({"pairs": pairs, **sets}),
        items={"pair": accepted, **({"question": questions} if questions.num_rows else {})},
        validation=validation,
        notes=notes,
        breakdown=tuple(_breakdown(workspace, pairs, sets[SETS["both"]], built_with)),
        built_with=built_with,
        card=card_text(built_with),
    )


# --- questions


def _questions(workspace: Workspace) -> pa.Table:
    """The questions, without rows if there are none yet."""
    if not workspace.item_file("question").exists():
        return item_schema(SUITE, "question").empty_table()
    return workspace.read_items("question")


def _built_with(workspace: Workspace, questions: pa.Table, accepted: pa.Table) -> dict[str, Any]:
    """The conditions that the questions were made with; nothing if there are no questions or nobody wrote them down.

    Raises:
        InputError: They were made of other pairs than the accepted ones.
    """
    if not questions.num_rows:
        return {}
    known = set(values(accepted, "item_id"))
    for row in questions.select(["item_id", "pair", "parents"]).to_pylist():
        strangers = {row["pair"], *row["parents"]} - known
        if strangers:
            raise InputError(
                f"the question {row['item_id']} was made of the pair {min(strangers)}, not accepted (any more)",
                where=str(workspace.item_file("question")),
                hint=_AGAIN,
            )
    path = workspace.items / _MANIFEST
    if not path.exists():
        return {}
    manifest = read_object(path, {"settings": dict, "counts": dict}, _AGAIN)
    settings = manifest["settings"]
    _require_settings(path, settings)
    if not settings["confirmed"]:
        raise InputError("the questions are a preview", where=str(workspace.item_file("question")), hint=_AGAIN)
    if settings["pairs"] != hash_value(sorted(known)):
        raise InputError(
            "the questions were made of other pairs than those that people have accepted by now",
            where=str(workspace.item_file("question")),
            hint=_AGAIN,
        )
    drawn = {name: settings["questions"][name] for name in _DRAWN if name in settings["questions"]}
    pairs = workspace.items / _PAIRS_MANIFEST
    known = read_object(pairs, {"settings": dict}, _AGAIN)["settings"] if pairs.exists() else {}
    filters = {"filters": known["filters"]} if "filters" in known else {}
    return {**drawn, **filters, "lost": _lost(manifest["counts"])}


def _require_settings(path: Path, settings: Mapping[str, Any]) -> None:
    """Refuses a manifest of the questions that lacks what they are checked by.

    Raises:
        InputError: It does.
    """
    if not {"confirmed", "pairs"} <= set(settings) or not isinstance(settings.get("questions"), dict):
        raise InputError("the settings of the questions are missing", where=str(path), hint=_AGAIN)


def _lost(counts: Mapping[str, Any]) -> dict[str, int]:
    """Pairs without a question, by reason, of what the build counted."""
    known = {"pairs", "questions", "confirmed"}
    return {reason: count for reason, count in counts.items() if reason not in known and isinstance(count, int)}


def _set(questions: pa.Table, conditions: Conditions) -> pa.Table:
    """The questions of a set as they are released, with their split, in the order of splits and ids."""
    table = questions.filter(pc.equal(questions.column("conditions"), conditions))
    ranks = pc.index_in(table.column("split"), value_set=pa.array(SPLITS, pa.string()))
    table = table.append_column("rank", ranks).sort_by(ascending("rank", "item_id"))
    origins = [_option_pairs(row) for row in table.select(["pair", "parents", "answer"]).to_pylist()]
    table = table.append_column("option_pairs", pa.array(origins, pa.list_(pa.string())))
    return table.select([*CONFIGS[SETS[conditions]].columns, *_GIVE_AWAY, "split"])


def _origins(sets: Mapping[str, pa.Table]) -> pa.Table:
    """Where the options of all questions are from, by the questions' ids."""
    columns = list(CONFIGS[ORIGINS].columns)
    return pa.concat_tables([table.select(columns) for table in sets.values()]).sort_by(ascending("item_id"))


def _option_pairs(row: Mapping[str, Any]) -> list[str]:
    """The pair of each option: the parents are the question's own and those of the wrong options in their order."""
    others = [parent for parent in row["parents"] if parent != row["pair"]]
    return [*others[: row["answer"]], row["pair"], *others[row["answer"] :]]


def _files(config: str, table: pa.Table) -> list[PlannedFile]:
    """One file a split. A split without a question has a file as well; the card does not announce it."""
    names = list(CONFIGS[config].columns)
    parts = {split: table.filter(pc.equal(table.column("split"), split)).select(names) for split in SPLITS}
    return [table_file(SUITE, config, part, split) for split, part in parts.items()]


# --- numbers on the card


def _counts(pairs: pa.Table, sets: Mapping[str, pa.Table]) -> dict[str, int]:
    relations = Counter(values(pairs, "relation"))
    splits = Counter(values(sets[SETS["both"]], "split"))
    return {
        "pairs": pairs.num_rows,
        **{f"{relation}_pairs": relations[relation] for relation in RELATIONS},
        "borrowed_pairs": sum(values(pairs, "borrowed")),
        **{config: table.num_rows for config, table in sets.items()},
        ORIGINS: sum(table.num_rows for table in sets.values()),
        **{f"{split}_questions": splits[split] for split in SPLITS},
        **_judged_counts(sets[SETS["both"]]),
    }


def _judged_counts(questions: pa.Table) -> dict[str, int]:
    """How many questions people judged option by option, and in how many they find what."""
    several = Counter(values(questions, "more_than_one"))
    rows = questions.select(["more_than_one", "fitting", "answer"]).to_pylist()
    single = [row for row in rows if row["more_than_one"] == "no"]
    return {
        "judged_questions": questions.num_rows - several["not judged"],
        "more_than_one_fits": several["yes"],
        "the_answer_alone_fits": sum(row["fitting"] == [row["answer"]] for row in single),
        "another_option_alone_fits": sum(bool(row["fitting"]) and row["fitting"] != [row["answer"]] for row in single),
        "no_option_fits": sum(not row["fitting"] for row in single),
        "fit_undecided": several["undecided"],
    }


def funnel_file(workspace: Workspace) -> Path:
    """How many candidates each step of the build left."""
    return workspace.items / "funnel.json"


def _breakdown(
    workspace: Workspace, pairs: pa.Table, questions: pa.Table, built_with: Mapping[str, Any]
) -> list[Breakdown]:
    """The funnel, the pairs without a question, the pairs' markers, and how the right answers lie."""
    breakdowns = []
    path = funnel_file(workspace)
    if path.exists():
        funnel = read_object(path, {"text": dict, "steps": list}, _AGAIN)
        steps = [("sentences", funnel["text"]["sentences"]), *map(tuple, funnel["steps"])]
        steps += [("accepted by people", pairs.num_rows), ("questions", questions.num_rows)]
        breakdowns.append(Breakdown("What each step left", tuple((str(name), int(count)) for name, count in steps)))
    without = drawing.lost(built_with)
    if without:
        breakdowns.append(Breakdown("Accepted pairs without a question, because", tuple(without.items())))
    markers = Counter(marker or "たら, と" for marker in values(pairs, "marker"))
    breakdowns.append(
        Breakdown("Pairs by their marker", tuple(sorted(markers.items(), key=lambda one: (-one[1], one[0]))))
    )
    if questions.num_rows:
        splits, places = Counter(values(questions, "split")), Counter(values(questions, "answer"))
        shares = ((f"{split} ({splits[split] / questions.num_rows:.1%})", splits[split]) for split in SPLITS)
        breakdowns.append(Breakdown("Questions by split", tuple(shares)))
        heading = f"Right answers by their place (chi-square test against equal shares: p = {_p(questions)})"
        breakdowns.append(Breakdown(heading, tuple((f"place {place}:", places[place]) for place in range(OPTIONS))))
    return breakdowns


def _p(questions: pa.Table) -> str:
    return f"{place_p(values(questions, 'answer')):.3g}"


def _notes(validation: Mapping[str, Any]) -> tuple[str, ...]:
    """What the card's own words on an audit do not fit."""
    audited = "pair" in validation and validation["pair"].mode == "audit"
    return ("Of the pairs only those that people accepted are released.",) if audited else ()


EXPORT = SuiteExport(
    suite=SUITE,
    kinds=KINDS,
    configs=CONFIGS,
    plan=plan,
    checks=KUCI,
    shapes=SHAPES,
    tools=("ginza", "ja-ginza", "ja_ginza", "spacy", "sudachipy", "sudachidict-core", "pyknp"),
    card=CARD,
    inputs=lambda workspace: (funnel_file(workspace),),
    tasks=lambda _: TASKS,
)
