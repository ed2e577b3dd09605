"""How fast prompts are scored: the engine against what one would use instead, in one run, interleaved.

Usage: python bench/scoring.py [--quick] [--work work] [--rounds N] [--only bert-base]

A BERT-base with random weights on a synthetic release of the paper's shape (see `world`), and the models that come
with Tashika on the demo's release, where `make demo` has made one. The same prompts go through transformers' fill-mask
pipeline (the ten best tokens, no ranks), through a plain padded loop, and through lm-pub-quiz and minicons, which run
in an environment of their own. What they find is compared, too.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import transformers
from harness import CACHE, Report, Way, cpu_flags, interleaved, parser, timed
from others import PEERS, FillMask, Loop, Peer, started_peers
from peers import BLANK
from world import Vocabulary, prompts, random_bert

from tashika.core.models import LoadedModel, load_model
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.pieces import PromptEncoder
from tashika.evaluate.myriadlama.prompts import WorkList, read_release, work_list
from tashika.evaluate.myriadlama.sampling import Sample, draw
from tashika.evaluate.myriadlama.scoring import Engine

OURS: Final = "ours"
LOWER: Final = "ours, bf16 body"
QUIZ: Final = "lm-pub-quiz"
ANSWERS: Final = 20
"""Answers that lm-pub-quiz is let choose from; its own datasets have 20 to 500 a relation."""


def main() -> None:
    """Runs all comparisons."""
    options = _options()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    report = Report("scoring", options)
    if not PEERS.exists():
        report.say("lm-pub-quiz and minicons are left out: run `make bench-peers` first.")
    runs: dict[str, Callable[[], None]] = {
        "bert-base": lambda: base(report, options),
        "tiny-bert": lambda: packaged(report, options, "tiny-bert", "Tiny BERT of the demo"),
        "smollm2": lambda: packaged(report, options, "smollm2", "SmolLM2-135M"),
    }
    for name in options.only or runs:
        runs[name]()
    report.save()


def _options() -> argparse.Namespace:
    found = parser(__doc__)
    found.add_argument("--work", type=Path, default=Path(os.environ.get("TASHIKA_WORK", "work")))
    found.add_argument("--rounds", type=int)
    found.add_argument("--only", action="append", choices=["bert-base", "tiny-bert", "smollm2"])
    chosen = found.parse_args()
    chosen.rounds = chosen.rounds or (2 if chosen.quick else 5)
    return chosen


def base(report: Report, options: argparse.Namespace) -> None:
    """BERT-base with random weights."""
    vocabulary = Vocabulary.find()
    work = prompts(vocabulary, 100 if options.quick else 300, templates=1 if options.quick else 3)
    folder = CACHE / "models" / "bert-base"
    ours = random_bert(vocabulary)
    ours.model.save_pretrained(folder)
    ours.tokenizer.save_pretrained(folder)
    lower = random_bert(vocabulary, "bf16") if has_bf16() else None
    compare(report, "BERT-base, random weights", Models(folder, ours, lower), work, options.rounds)
    if lower is not None:
        report.say(
            "Random weights give a nearly flat distribution, where ranks hang on the last digits: what bf16 changes in "
            "earnest is seen on the trained models below."
        )


def packaged(report: Report, options: argparse.Namespace, name: str, title: str) -> None:
    """A model that comes with Tashika, on the demo's release."""
    folder, release = options.work / "models" / name, Workspace(options.work, "myriadlama").release
    if not (folder / "config.json").is_file() or not (release / "release.json").is_file():
        report.say(f"{title} is left out: there is no such model and release in {options.work}. Run `make demo` first.")
        return
    ours = load_model(str(folder), device="cpu")
    lower = load_model(str(folder), device="cpu", dtype="bf16") if has_bf16() else None
    whole = work_list(read_release(release))
    sizes = {"masked": ((240, 4, 1), (400, 5, 2)), "causal": ((41, 1, 1), (80, 2, 1))}
    size = Sample(*sizes[ours.kind][0 if options.quick else 1])
    models = Models(folder, ours, lower)
    compare(report, title, models, draw(whole, size, np.ones(len(whole.template_ids), bool)), options.rounds)
    if ours.kind == "causal":
        report.say(sharing(ours, whole))


@dataclass(frozen=True)
class Models:
    """One model: in a folder, loaded in fp32, and with its body in bf16 where the processor has that."""

    folder: Path
    fp32: LoadedModel
    bf16: LoadedModel | None


@dataclass(frozen=True)
class Asked:
    """The prompts that everybody is asked: those that the engine scored.

    Attributes:
        place: (n,) their rows in the engine's table.
        texts: With the mask in the blank, or cut before it.
        parts: Of each, template, subject, and the text of the first correct answer.
        answers: Of each, the tokens of all correct answers.
    """

    place: Any
    texts: list[str]
    parts: list[tuple[str, str, str]]
    answers: list[list[int]]

    @property
    def unique(self) -> Any:
        """(n,) whether there is one correct token only, so that everybody ranks the same."""
        return np.asarray([len(tokens) == 1 for tokens in self.answers])

    @classmethod
    def of(cls, loaded: LoadedModel, work: WorkList, table: pa.Table) -> Asked:
        """Spells out the prompts; finds their answers by the tokenizer alone, not by the engine."""
        at = work.stretch(0, len(work))
        place = np.flatnonzero(table["problem"].is_null().to_numpy())
        names = _names_of_pairs(loaded, work)
        texts, parts, answers = [], [], []
        for template, alias, pair in zip(
            *(column[place].tolist() for column in (at.template, at.alias, at.pair)), strict=True
        ):
            text, subject = work.template_texts[template], work.alias_texts[alias]
            filled = text.replace("[X]", subject)
            masked = loaded.kind == "masked"
            texts.append(
                filled.replace("[Y]", str(loaded.tokenizer.mask_token)) if masked else filled.split("[Y]")[0].rstrip()
            )
            parts.append((text if masked else text.split("[Y]")[0] + "[Y]", subject, next(iter(names[pair]))))
            answers.append(sorted(set(names[pair].values())))
        return cls(place, texts, parts, answers)


def _names_of_pairs(loaded: LoadedModel, work: WorkList) -> list[dict[str, int]]:
    """Of each pair, the names of its objects that are one token behind a space, with that token."""
    tokenizer, lead = loaded.tokenizer, " " if loaded.kind == "causal" else ""
    words = sorted({name for names in work.fact_answers for name in names})
    ids = tokenizer([lead + word for word in words], add_special_tokens=False)["input_ids"]
    known = {
        word: one[0] for word, one in zip(words, ids, strict=True) if len(one) == 1 and one[0] != tokenizer.unk_token_id
    }
    found: list[dict[str, int]] = [{} for _ in work.pair_number]
    for pair, names in zip(work.fact_pair.tolist(), work.fact_answers, strict=True):
        found[pair].update({name: known[name] for name in names if name in known})
    return found


def compare(report: Report, title: str, models: Models, work: WorkList, rounds: int) -> None:
    """Times all ways on the same prompts and compares what they found."""
    engines = {OURS: Engine.of(models.fp32, work)}
    if models.bf16 is not None:
        engines[LOWER] = Engine.of(models.bf16, work)
    tables = {name: engine.score(0, len(work)) for name, engine in engines.items()}
    asked = Asked.of(models.fp32, work, tables[OURS])
    count, tokens = len(asked.texts), _mean_tokens(models.fp32, asked.texts)
    report.say(
        f"## {title}\n\n{count:,} prompts, {tokens:.1f} tokens on average, {rounds} rounds. Asked of nobody: "
        f"{len(work) - count:,} prompts without an answer of one token, or with a blank that the model cannot answer."
    )
    notes = {OURS: "exact ranks", LOWER: "exact ranks, output layer in fp32"}
    ways = {
        name: Way(timed(lambda engine=engine: engine.score(0, len(work))), count, notes[name])
        for name, engine in engines.items()
    }
    here, there = load_again(models), _peer_rows(models.fp32.kind, asked)
    loop = Loop(here, asked.texts, asked.answers)
    pipeline = FillMask(here, asked.texts) if here.kind == "masked" else None
    if pipeline:
        ways["fill-mask pipeline"] = Way(timed(pipeline), count, "ten best tokens, no ranks")
    ways["plain loop"] = Way(timed(loop), count, "padded, all logits, ranks by sorting")
    with started_peers(there, models.folder) as running:
        for name, peer in running.items():
            added = "; adds a start token" if QUIZ in name and here.kind == "causal" else ""
            ways[name] = Way(peer, len(there[name][1]), NOTES[name] + added)
        report.timings(title, interleaved(ways, rounds), list(engines))
        _agreement(report, title, asked, tables, pipeline, loop, running)
    if models.bf16 is not None:
        report.say(_precision(tables[OURS], tables[LOWER]))


def load_again(models: Models) -> LoadedModel:
    """Another copy of the model, so that nothing that the engine does to its own helps or hinders the others."""
    return load_model(str(models.folder), device="cpu")


NOTES: Final = {
    "minicons": "log-probability and rank of one answer",
    "lm-pub-quiz, 1 answer": "log-probability of one answer, no rank",
    f"lm-pub-quiz, {ANSWERS} answers": f"rank among {ANSWERS} answers",
}


def _peer_rows(kind: str, asked: Asked) -> dict[str, tuple[str, list[Any]]]:
    """What the peers are asked; lm-pub-quiz, which is slow, fewer prompts."""
    pool = [answer for _, _, answer in asked.parts]
    one = [(template, subject, [answer]) for template, subject, answer in asked.parts]
    several = [(template, subject, [answer, *pool[: ANSWERS - 1]]) for template, subject, answer in asked.parts]
    rows = [
        (template.replace("[X]", subject).replace("[Y]", BLANK if kind == "masked" else "").rstrip(), answer)
        for template, subject, answer in asked.parts
    ]
    return {
        "minicons": (f"minicons-{kind}", rows),
        "lm-pub-quiz, 1 answer": (f"lm-pub-quiz-{kind}", one[:64]),
        f"lm-pub-quiz, {ANSWERS} answers": (f"lm-pub-quiz-{kind}", several[:8]),
    }


def _agreement(
    report: Report,
    title: str,
    asked: Asked,
    tables: Mapping[str, pa.Table],
    pipeline: FillMask | None,
    loop: Loop,
    running: Mapping[str, Peer],
) -> None:
    """Whether the others found the same, on the prompts that they were asked."""
    ours = _columns(tables[OURS], asked.place)
    logs, only = np.log(ours["probability"].astype(np.float64)), asked.unique
    rows: list[tuple[object, ...]] = []
    if pipeline:
        rows.append(("fill-mask pipeline", len(only), _share(pipeline.top == ours["top_token"]), "", "", ""))
    off = np.abs(loop.rank - ours["rank"])
    gap = np.abs(loop.log_probability - logs).max()
    rows.append(
        ("plain loop", len(only), _share(loop.top == ours["top_token"]), _share(off == 0), int(off.max()), f"{gap:.1e}")
    )
    for name, peer in running.items():
        if QUIZ in name and pipeline is None:  # with a causal model it reads other texts
            continue
        same = only[: len(peer.found)]
        theirs, mine = np.asarray([row[:2] for row in peer.found])[same], logs[: len(same)][same]
        gap = np.abs(theirs[:, 0] - mine).max() if same.any() else float("nan")
        ranked = name == "minicons"
        off = np.abs(theirs[:, 1] - ours["rank"][: len(same)][same]) if ranked else np.zeros(1)
        rows.append(
            (
                name,
                int(same.sum()),
                "",
                _share(off == 0) if ranked else "",
                int(off.max()) if ranked else "",
                f"{gap:.1e}",
            )
        )
    head = (
        "way",
        "prompts",
        "top token equal",
        "rank equal",
        "ranks apart, at most",
        "log-probabilities apart, at most",
    )
    report.table(f"{title}: do the others find what ours finds (fp32)?", head, rows)
    report.keep(f"{title}: agreement", [dict(zip(head, row, strict=True)) for row in rows])


def _precision(full: pa.Table, lower: pa.Table) -> str:
    """What a bf16 body changes, in a sentence."""
    place = np.flatnonzero(full["problem"].is_null().to_numpy())
    one, two = _columns(full, place), _columns(lower, place)
    apart = np.abs(np.log(one["probability"].astype(np.float64)) - np.log(two["probability"].astype(np.float64)))
    ranks, tops = (_share(one[name] == two[name]) for name in ("rank", "top_token"))
    first, second = (f"{np.mean(found['rank'] == 1):.4f}" for found in (one, two))
    moved = np.abs(one["rank"] - two["rank"])
    return (
        f"bf16 body against fp32, {len(place):,} prompts: ranks equal {ranks}, apart by {np.median(moved):.0f} in the "
        f"middle; top token equal {tops}; Acc@1 {first} in fp32 and {second} in bf16; log-probabilities apart by "
        f"{np.median(apart):.1e} in the middle and {apart.max():.1e} at most."
    )


def _columns(table: pa.Table, place: Any) -> dict[str, Any]:
    names = ("rank", "probability", "top_token")
    return {name: table[name].to_numpy(zero_copy_only=False)[place] for name in names}


def _share(same: Any) -> str:
    return f"{np.mean(same):.4f}"


def _mean_tokens(loaded: LoadedModel, texts: Sequence[str]) -> float:
    return float(np.mean([len(ids) for ids in loaded.tokenizer(list(texts))["input_ids"]]))


def has_bf16() -> bool:
    """Whether this processor multiplies in bf16; others only emulate it, slower than fp32."""
    return bool({"avx512_bf16", "amx_bf16"} & set(cpu_flags()))


def sharing(loaded: LoadedModel, work: WorkList) -> str:
    """The share of tokens that a cache of all shared beginnings would spare a causal model."""
    encoder = PromptEncoder(loaded.tokenizer, "causal", work.template_texts, work.alias_texts)
    at = work.stretch(0, min(len(work), 5_000))
    ids = encoder.encode(at.template, at.alias).ids
    beginnings = {
        ids.values[begin : begin + end].tobytes()
        for begin, size in zip(ids.start.tolist(), ids.length.tolist(), strict=True)
        for end in range(1, size + 1)
    }
    spared = 1 - len(beginnings) / int(ids.length.sum())
    return f"Shared beginnings: {spared:.0%} of the tokens of {len(ids.length):,} texts."


if __name__ == "__main__":
    main()
