"""What the condition Basic does: two samples of pairs, with it and without, that people judge by common sense.

Source: the paper, section 3.2. Its authors drew 100 pairs of all reliable ones and 100 of those that meet Basic, before
the filters behind it, and judged whether each can be understood by common sense: 47 and 77 could. Here people judge
them as they judge anything else, and do not see which sample a pair is of. A pair that is drawn into both is judged
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from tashika.builders.kuci.candidates import read_candidates
from tashika.builders.kuci.events.basic_events import BasicEvents
from tashika.builders.kuci.pairs import Events, Row, is_reliable, pair_of
from tashika.builders.kuci.questions.splits import clause_key
from tashika.builders.kuci.settings import FilterSettings, TrialSettings
from tashika.core.annotators import Annotators
from tashika.core.draws import order_key
from tashika.core.files import read_json, write_json, write_rows
from tashika.core.records import item_row, item_schema
from tashika.core.stages import Stage
from tashika.core.suites.kuci.words import ANY, BASIC
from tashika.core.workspace import Workspace

SUITE: Final = "kuci"
KIND: Final = "sense"
PUBLISHED: Final[Mapping[str, int]] = {ANY: 47, BASIC: 77}
"""Of 100 pairs each, as the paper's authors judged them."""

_VERSION: Final = "1"


def trial_file(workspace: Workspace) -> Path:
    """What people made of the two samples."""
    return workspace.items / "basic-trial.json"


def draw_samples(
    candidates: Iterable[Row], events: Events, filters: FilterSettings, settings: TrialSettings
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Draws both samples while candidates stream by; no more than the samples are in memory.

    Args:
        candidates: Rows of `candidates.CANDIDATE`.
        events: The basic events.
        filters: Which relations are of interest.
        settings: How many, and the seed.

    Returns:
        The pairs that were drawn, as payloads of the kind "sense", and how many reliable candidates each sample was
        drawn of; the same two texts count as often as they stand there, and are drawn once.
    """
    drawn = {name: _Smallest(settings.sample) for name in (ANY, BASIC)}
    seen = dict.fromkeys(drawn, 0)
    for row in candidates:
        if not is_reliable(row, filters):
            continue
        key = tuple(clause_key(row[side]["words"]) for side in ("antecedent", "consequent"))
        for name in (ANY, BASIC) if pair_of(row, events)[0] is not None else (ANY,):
            seen[name] += 1
            drawn[name].add(order_key(settings.seed, name, *key), key, row)
    chosen = {key: row for smallest in drawn.values() for key, row in smallest.rows.values()}
    samples = {key: [name for name in drawn if key in drawn[name].keys] for key in sorted(chosen)}
    return [_payload(chosen[key], names) for key, names in samples.items()], seen


class _Smallest:
    """The rows with the smallest places in an order, each text once."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.rows: dict[bytes, tuple[tuple[str, ...], Row]] = {}

    def add(self, place: bytes, key: tuple[str, ...], row: Row) -> None:
        """Takes a row if it belongs among the smallest."""
        if place in self.rows:
            return
        if len(self.rows) == self._count:
            last = max(self.rows)
            if place > last:
                return
            del self.rows[last]
        self.rows[place] = (key, row)

    @property
    def keys(self) -> set[tuple[str, ...]]:
        """Of the rows that are kept."""
        return {key for key, _ in self.rows.values()}


def _payload(row: Row, samples: list[str]) -> dict[str, Any]:
    texts = {side: row[side]["text"] for side in ("antecedent", "consequent")}
    return {"samples": samples, **{name: row[name] for name in ("sid", "relation", "marker")}, **texts}


def build_samples(
    workspace: Workspace, files: tuple[Path, Path], filters: FilterSettings, settings: TrialSettings
) -> Mapping[str, int]:
    """Candidates and basic events -> items/sense.parquet; what is done is not done again.

    Args:
        workspace: Where the items go.
        files: The candidates, and the basic events.
        filters: Which relations are of interest.
        settings: How the samples are drawn.

    Returns:
        How many reliable pairs each sample was drawn of.
    """
    candidates, events = files
    target = workspace.item_file(KIND)
    stage = Stage(
        "build-basic-trial",
        workspace.items,
        inputs=files,
        settings={"builder": _VERSION, "relations": filters.relations, **settings.model_dump(mode="json")},
        outputs=[target],
    )

    def make() -> Mapping[str, Any]:
        payloads, of = draw_samples(read_candidates(candidates), BasicEvents.load(events), filters, settings)
        rows = (
            item_row(SUITE, KIND, (one["antecedent"], one["consequent"]), one, builder=SUITE, version=_VERSION)
            for one in payloads
        )
        return {"drawn": write_rows(target, rows, item_schema(SUITE, KIND)), **of}

    counts = stage.run(make, what="samples to try the condition Basic")["counts"]
    return {name: int(counts[name]) for name in (ANY, BASIC)}


def summarise_trial(workspace: Workspace, of: Mapping[str, int]) -> dict[str, Any]:
    """What people made of both samples -> items/basic-trial.json.

    Args:
        workspace: With the items and, once people have judged them, verdicts.
        of: How many pairs each sample was drawn of.

    Returns:
        By sample: pairs `drawn`, `of` how many, `accepted`, `rejected`, `undecided` and `unjudged` ones; the `share` of
        the accepted among the decided, 0 to 1, with its 95 % `interval` (Wilson), both None before there are any; and
        whether the annotators were `simulated`.
    """
    decisions: dict[str, str] = {}
    if workspace.verdict_file.exists():
        verdicts = workspace.read_verdicts().select(["item_id", "kind", "decision"]).to_pylist()
        decisions = {row["item_id"]: row["decision"] for row in verdicts if row["kind"] == KIND}
    rows = workspace.read_items(KIND).select(["item_id", "samples"]).to_pylist()
    samples = {
        name: {
            "of": of[name],
            **_shares([decisions.get(row["item_id"], "unjudged") for row in rows if name in row["samples"]]),
        }
        for name in (ANY, BASIC)
    }
    summary = {"samples": samples, "simulated": _simulated(workspace)}
    write_json(trial_file(workspace), summary)
    return summary


def _shares(decisions: list[str]) -> dict[str, Any]:
    from scipy.stats import binomtest

    names = ("accepted", "rejected", "undecided", "unjudged")
    counts = {name: decisions.count(name) for name in names}
    decided = counts["accepted"] + counts["rejected"]
    interval = binomtest(counts["accepted"], decided).proportion_ci(method="wilson") if decided else None
    return {
        "drawn": len(decisions),
        **counts,
        "share": counts["accepted"] / decided if decided else None,
        "interval": [float(interval.low), float(interval.high)] if interval else None,
    }


def _simulated(workspace: Workspace) -> bool:
    file = workspace.annotation / "validation.json"
    entry: Mapping[str, Any] = read_json(file).get(KIND, {}) if file.exists() else {}
    return Annotators.of(entry).simulated


def trial_lines(summary: Mapping[str, Any]) -> list[str]:
    """A line a sample for the terminal, with the paper's numbers."""
    named = {ANY: "all reliable pairs", BASIC: "pairs that meet Basic"}
    lines = []
    for name, sample in summary["samples"].items():
        line = f"{named[name]}: {sample['drawn']:,} drawn of {sample['of']:,}"
        if sample["share"] is None:
            line += ", not judged yet"
        else:
            low, high = sample["interval"]
            line += f"; {sample['accepted']:,} of {sample['accepted'] + sample['rejected']:,} make sense"
            line += f", {sample['share']:.1%} ({low:.1%} to {high:.1%})"
            left = sample["undecided"] + sample["unjudged"]
            line += f"; {left:,} undecided or not judged" if left else ""
        lines.append(f"{line}; in the paper {PUBLISHED[name]} of 100")
    if summary["simulated"]:
        lines.append("simulated annotators (programs) judged the samples: these shares say nothing of Basic")
    return lines
