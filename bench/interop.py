"""Whether lm-evaluation-harness gives our numbers by the task files of our releases, item by item.

Usage: .venv/bin/python bench/interop.py [--work work] [--model MODEL] [--limit 40] [--only kuci ...]

For each task: our own evaluator scores some items, lm-eval (`make interop`) the same ones by the file in the release,
and `tashika compare` joins both by `item_id`. A row of the table is a task: on how many items both have an answer, how
many of each are right, and on how many items they differ. Tasks whose method is the same must not differ; why others
may is said beside them. The releases of kuci, tempripple and myriadlama are taken from the working directory; suites
of one file, one for each way of asking, are made here. It ends with 1 where a task differs that must not.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from harness import CACHE, ROOT
from interop_suites import write_suites

INTEROP: Final = CACHE / "interop"
"""The environment of the other programs."""
OURS: Final = (sys.executable, "-m", "tashika.core.cli")


@dataclass(frozen=True)
class Case:
    """A task of a release.

    Attributes:
        task: Its name in lm-eval.
        metric: The number of lm-eval that is ours.
        measure: The same in `tashika compare`; None for the suite's first.
        same: Whether the method is the same, so that no item may differ.
        why: Why items differ, or why some are left out.
    """

    task: str
    metric: str
    measure: str | None = None
    same: bool = True
    why: str = ""


@dataclass(frozen=True)
class Proof:
    """A release, and how our own evaluator is run to be compared with its task files.

    Attributes:
        suite: The suite, or the name of one that is made here.
        cases: The tasks.
        evaluate: Options of `tashika evaluate`.
        settings: What its configuration file says.
        run: What the folder of our own scores is called, as a pattern.
    """

    suite: str
    cases: tuple[Case, ...]
    evaluate: tuple[str, ...] = ("--limit", "{limit}")
    settings: str = ""
    run: str = "*"


_MORE: Final = "only questions with a right answer of one token; lm-eval scores the others as well"
_LETTERS: Final = "ours adds the likelihoods of a letter with and without a space before it"

PROOFS: Final = (
    Proof("riddles_words", (Case("riddles_words", "acc_norm"),)),
    Proof("riddles_shown", (Case("riddles_shown", "acc_norm"),)),
    Proof("riddles_letter", (Case("riddles_letter", "acc", same=False, why=_LETTERS),)),
    Proof("riddles_written", (Case("riddles_written", "exact_match"),)),
    Proof("follows", (Case("follows", "acc_norm"),)),
    Proof("capitals", (Case("capitals", "acc", why=_MORE),)),
    Proof("capitals_shown", (Case("capitals_shown", "acc", why=_MORE),)),
    Proof(
        "kuci",
        (Case("kuci", "acc_norm"),),
        ("--set", "both", "--no-artefact-check", "--limit", "{limit}"),
        run="*zero-shot-character*",
    ),
    Proof(
        "tempripple",
        (Case("tempripple", "acc_norm", "without"), Case("tempripple_context", "acc_norm", "with")),
        ("--options", "text", "--limit", "2"),
        "[evaluate]\nchat_template = false\norders = 1\n",
        "*-text-*",
    ),
    Proof("myriadlama", (Case("myriadlama", "exact_match", why=_MORE),), ("--lite",), run="*lite*"),
)


@dataclass
class Compared:
    """What came of a case.

    Attributes:
        case: The task.
        items: On which both have an answer.
        ours: How many our evaluator has right.
        theirs: How many lm-eval has right.
        differing: Items on which they differ.
    """

    case: Case
    items: int
    ours: int
    theirs: int
    differing: list[str] = field(default_factory=list)

    @property
    def fails(self) -> bool:
        """Whether items differ that must not, or nothing was compared."""
        return not self.items or (self.case.same and bool(self.differing))


def main() -> None:
    """Runs the proofs and prints the table."""
    given = _arguments()
    bench = Bench(CACHE / "interop-work", given.model, given.limit)
    results = []
    for proof in PROOFS:
        if given.only and proof.suite not in given.only:
            continue
        if not bench.prepare(proof.suite, given.work):
            print(f"{proof.suite}: no release in {given.work}; `tashika demo {proof.suite}` makes one")
            continue
        results += bench.compare(proof)
        print("\n".join(map(_row, results[-len(proof.cases) :])), flush=True)
    print("\n" + "\n".join([_HEAD, *map(_row, results)]))
    sys.exit(any(result.fails for result in results) or not results)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "work")
    parser.add_argument("--model", default="smollm2", help="a folder, or a model made by `tashika models`")
    parser.add_argument("--limit", type=int, default=40, help="items of a task, at most")
    parser.add_argument("--only", nargs="*", default=(), help="suites")
    return parser.parse_args()


class Bench:
    """A working directory with copies of releases, and one model.

    Args:
        work: The working directory.
        model: A folder, or the name of a model that `tashika models` makes.
        limit: Items of a task, at most.
    """

    def __init__(self, work: Path, model: str, limit: int) -> None:
        self.work, self.limit = work, limit
        self.suites = write_suites(work / "suites")
        if not Path(model).is_dir():
            run_command([*OURS, "models", model, "--work", str(work)])
            model = str(work / "models" / model)
        self.model = str(Path(model).resolve())

    def prepare(self, suite: str, given: Path) -> bool:
        """Puts the release into the working directory; False where there is none."""
        if suite in self.suites:
            for step in ("build", "export"):
                run_command([*OURS, step, str(self.suites[suite]), "--work", str(self.work)])
            return True
        release = self.work / suite / "release"
        shutil.rmtree(release, ignore_errors=True)
        if not (given / suite / "release" / "release.json").is_file():
            return False
        shutil.copytree(given / suite / "release", release)
        return True

    def compare(self, proof: Proof) -> list[Compared]:
        """Scores a release in both ways, and joins the answers."""
        run = self.ours(proof)
        ours = {case.task: answers_of(proof, case, run) for case in proof.cases}
        logs = self._theirs(proof, ours)
        for case in proof.cases:
            self._read_by_compare(proof, case, run, logs[case.task])
        return [_joined(case, ours[case.task], logs[case.task]) for case in proof.cases]

    def _named(self, suite: str) -> str:
        return str(self.suites.get(suite, suite))

    def ours(self, proof: Proof) -> Path:
        """Scores with our own evaluator; the folder of the scores."""
        options = [option.format(limit=self.limit) for option in proof.evaluate]
        if proof.settings:
            config = self.work / f"{proof.suite}.toml"
            config.write_text(proof.settings, encoding="utf-8")
            options += ["--config", str(config)]
        evaluate = self.work / proof.suite / "evaluate"
        shutil.rmtree(evaluate, ignore_errors=True)
        options += ["--model", self.model, "--device", "cpu", "--dtype", "fp32", "--work", str(self.work)]
        run_command([*OURS, "evaluate", self._named(proof.suite), *options])
        files = (file for file in evaluate.glob(f"{proof.run}/**/predictions.parquet") if "baseline-" not in str(file))
        [folder] = [file.parent for file in files]
        return folder

    def _theirs(self, proof: Proof, ours: Mapping[str, Mapping[str, bool]]) -> dict[str, Path]:
        """Scores the same items with lm-eval, in the release's folder as its card says; the logs of its samples."""
        release = self.work / proof.suite / "release"
        samples = {
            task: [place for place, item in enumerate(items_asked(release, task)) if item in answers][: self.limit]
            for task, answers in ours.items()
        }
        out = self.work / "lm-eval" / proof.suite
        shutil.rmtree(out, ignore_errors=True)
        program, tasks = str(INTEROP / "bin" / "lm-eval"), ",".join(samples)
        run_command([program, "validate", "--include_path", "tasks/lm_eval", "--tasks", tasks], release)
        run_command(
            [
                *(program, "run", "--include_path", "tasks/lm_eval", "--tasks", tasks, "--model", "hf"),
                *("--model_args", f"pretrained={self.model},dtype=float32", "--device", "cpu", "--batch_size", "8"),
                *("--log_samples", "--output_path", str(out), "--samples", json.dumps(samples)),
            ],
            release,
        )
        return {task: next(out.glob(f"*/samples_{task}_2*.jsonl")) for task in samples}

    def _read_by_compare(self, proof: Proof, case: Case, run: Path, log: Path) -> None:
        """Both stand beside each other in `tashika compare`, which joins them by their ids."""
        name = str(run.relative_to(self.work / proof.suite / "evaluate"))
        options = ["--metric", case.metric, "--work", str(self.work)]
        options += ["--measure", case.measure] if case.measure else []
        run_command([*OURS, "compare", self._named(proof.suite), name, f"lm-eval={log}", *options])


def answers_of(proof: Proof, case: Case, run: Path) -> dict[str, bool]:
    """Of each item that our evaluator has an answer to, whether it is right."""
    import pyarrow.parquet as pq

    rows = pq.read_table(run / "predictions.parquet").to_pylist()
    if proof.suite == "tempripple":
        rows = [row for row in rows if row["with_context"] == (case.measure == "with")]
    if proof.suite == "myriadlama":
        return {row["item_id"]: row["rank"] == 1 for row in rows if row["problem"] is None}
    return {row["item_id"]: row["correct"] for row in rows if row["correct"] is not None}


def items_asked(release: Path, task: str) -> Iterator[str]:
    """Ids of the rows that a task asks, in their order."""
    import pyarrow.parquet as pq
    import yaml

    said = yaml.safe_load((release / "tasks" / "lm_eval" / f"{task}.yaml").read_text(encoding="utf-8"))
    data = said["dataset_kwargs"]
    filters = [tuple(condition) for condition in data["filters"]] if "filters" in data else None
    for file in sorted(release.glob(data["data_files"][said["test_split"]])):
        yield from pq.read_table(file, filters=filters).column("item_id").to_pylist()


def _joined(case: Case, ours: Mapping[str, bool], log: Path) -> Compared:
    with log.open(encoding="utf-8") as file:
        theirs = {row["doc"]["item_id"]: float(row[case.metric]) == 1.0 for row in map(json.loads, file)}
    common = sorted(set(theirs) & set(ours))
    return Compared(
        case,
        len(common),
        sum(ours[item] for item in common),
        sum(theirs[item] for item in common),
        [item for item in common if ours[item] != theirs[item]],
    )


def run_command(command: Sequence[str], folder: Path | None = None) -> None:
    """Runs a command without the network; shows what it printed where it fails."""
    environment: dict[str, Any] = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(CACHE / "interop-hf"),
        "TOKENIZERS_PARALLELISM": "false",
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout[-3000:], done.stderr[-3000:], sep="\n", file=sys.stderr)
        raise SystemExit(f"{' '.join(command[:4])} ... ended with {done.returncode}")


# the table ------------------------------------------------------------------------------------------------------------

_HEAD: Final = (
    "| task | our number there | items | right, ours | right, lm-eval | differing | |\n"
    "|---|---|---:|---:|---:|---:|---|"
)


def _row(result: Compared) -> str:
    case = result.case
    note = case.why if case.same else f"method differs: {case.why}"
    cells = (case.task, case.metric, result.items, result.ours, result.theirs, len(result.differing), note)
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
