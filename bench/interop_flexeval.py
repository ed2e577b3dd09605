"""Whether FlexEval gives our numbers by the task files of our releases, item by item.

Usage: .venv/bin/python bench/interop_flexeval.py [--work work] [--model MODEL] [--limit 40] [--only kuci ...]

As `interop.py`, whose releases and suites these are, with `flexeval_lm` of an environment of its own. FlexEval takes
the option of the greatest likelihood, divided by nothing or by bytes, so our own evaluator divides by nothing here
(`norm = "none"`). It writes no ids beside what it chose: answers are joined by their order in the release, in which
FlexEval reads the rows. A task whose method is the same must not differ in any item.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from harness import CACHE, ROOT
from interop import Bench, Case, Proof, answers_of, items_asked, run_command

FLEXEVAL: Final = CACHE / "flexeval"
"""The environment of FlexEval, which needs a datasets before 3.0."""

_MORE: Final = "only questions with a right answer of one token; FlexEval scores the others as well"
_LETTERS: Final = "ours adds the likelihoods of a letter with and without a space before it"
_BY_WORDS: Final = "prediction"
"""The place of the option with the greatest likelihood, in FlexEval's outputs."""
_WRITTEN: Final = "exact_match"
_NO_NORM: Final = ("--norm", "none")

_DIVIDED: Final = ("riddles_words", "riddles_shown", "follows")
"""Suites of one file that divide a likelihood by characters unless told otherwise; [evaluate] is their last section."""

PROOFS: Final = (
    Proof("riddles_words", (Case("riddles_words", _BY_WORDS),), ()),
    Proof("riddles_shown", (Case("riddles_shown", _BY_WORDS),), ()),
    Proof("riddles_letter", (Case("riddles_letter", _BY_WORDS, same=False, why=_LETTERS),), ()),
    Proof("riddles_written", (Case("riddles_written", _WRITTEN),), ()),
    Proof("follows", (Case("follows", _BY_WORDS),), ()),
    Proof("capitals", (Case("capitals", _WRITTEN, why=_MORE),), ()),
    Proof("capitals_shown", (Case("capitals_shown", _WRITTEN, why=_MORE),), ()),
    Proof(
        "kuci",
        (Case("kuci", _BY_WORDS),),
        ("--set", "both", "--no-artefact-check", "--limit", "{limit}", *_NO_NORM),
        run="*zero-shot*",
    ),
    Proof(
        "tempripple",
        (Case("tempripple", _BY_WORDS, "without"), Case("tempripple_context", _BY_WORDS, "with")),
        ("--options", "text", "--limit", "2", *_NO_NORM),
        "[evaluate]\nchat_template = false\norders = 1\n",
        "*-text-*",
    ),
    Proof("myriadlama", (Case("myriadlama", _WRITTEN, why=_MORE),), ("--lite",), run="*lite*"),
)


def main() -> None:
    """Runs the proofs and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "work")
    parser.add_argument("--model", default="smollm2", help="a folder, or a model made by `tashika models`")
    parser.add_argument("--limit", type=int, default=40, help="items of a task, at most")
    parser.add_argument("--only", nargs="*", default=(), help="suites")
    given = parser.parse_args()
    bench = Bench(CACHE / "interop-flexeval-work", given.model, given.limit)
    print("| task | items | right, ours | right, FlexEval | differing | |\n|---|---:|---:|---:|---:|---|")
    for suite in _DIVIDED:
        with bench.suites[suite].open("a", encoding="utf-8") as file:
            file.write('norm = "none"\n')
    fails = []
    for proof in PROOFS:
        if given.only and proof.suite not in given.only:
            continue
        if not bench.prepare(proof.suite, given.work):
            print(f"{proof.suite}: no release in {given.work}; `tashika demo {proof.suite}` makes one")
            continue
        scores = bench.ours(proof)
        for case in proof.cases:
            ours = answers_of(proof, case, scores)
            chosen = sorted(ours)[: given.limit]
            fails.append(_compared(bench, proof, case, {item: ours[item] for item in chosen}))
    sys.exit(any(fails) or not fails)


def _compared(bench: Bench, proof: Proof, case: Case, ours: Mapping[str, bool]) -> bool:
    """Scores the same items with FlexEval and prints the row of the table; whether it fails."""
    release = bench.work / proof.suite / "release"
    theirs = _theirs(bench, release, case, list(ours))
    differing = sum(ours[item] != theirs[item] for item in ours)
    why = case.why if case.same else f"method differs: {case.why}"
    cells = (case.task, len(ours), sum(ours.values()), sum(theirs.values()), differing, why)
    print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return not ours or (case.same and bool(differing))


def _theirs(bench: Bench, release: Path, case: Case, items: list[str]) -> dict[str, bool]:
    """Of each item, whether FlexEval finds it right; run in the release's folder as its card says."""
    out = bench.work / "flexeval" / case.task
    shutil.rmtree(out, ignore_errors=True)
    file = release / "tasks" / "flexeval" / f"{case.task}.jsonnet"
    setup = json.loads("\n".join(line for line in file.read_text(encoding="utf-8").splitlines() if line[:2] != "//"))
    given = setup["init_args"]["eval_dataset"]["init_args"]
    # FlexEval reads its files as YAML, whose keys end after 1,024 characters: so ids stand there by eight. Those
    # of a product begin with one factor's id and end with the other's.
    middles = " ".join(item[12:20] for item in items)
    given["keep_conditions"] = given.get("keep_conditions", {}) | {f"{{{{ item_id[12:20] in '{middles}' }}}}": "True"}
    part = out.with_suffix(".jsonnet")
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(json.dumps(setup, ensure_ascii=False), encoding="utf-8")
    run_command(
        [
            *(str(FLEXEVAL / "bin" / "flexeval_lm"), "--language_model", "HuggingFaceLM"),
            *("--language_model.model", bench.model),
            *("--language_model.model_kwargs", json.dumps({"dtype": "float32", "device_map": "cpu"})),
            *("--eval_setup", str(part), "--save_dir", str(out)),
        ],
        release,
    )
    with (out / "outputs.jsonl").open(encoding="utf-8") as lines:
        rows = list(map(json.loads, lines))
    order = [item for item in items_asked(release, case.task) if item in set(items)]
    return {item: _is_right(row, case.metric) for item, row in zip(order, rows, strict=True)}


def _is_right(row: Mapping[str, Any], metric: str) -> bool:
    return bool(row[metric] == row["answer_index"]) if metric == _BY_WORDS else bool(row[metric])


if __name__ == "__main__":
    main()
