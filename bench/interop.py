"""Whether lm-evaluation-harness gives our numbers by the task files of our releases, item by item.

Usage: .venv/bin/python bench/interop.py [--work work] [--model MODEL] [--limit 40] [--only kuci riddles_letter ...]

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
    """A task of a release, and how our own evaluator is run to be compared with it.

    Attributes:
        task: Its name in lm-eval.
        suite: The suite, or the name of one that is made here.
        metric: The number of lm-eval that is ours.
        evaluate: Options of `tashika evaluate`.
        settings: What its configuration file says.
        measure: Of `tashika compare`; None for the suite's first.
        run: What the folder of our own scores is called, as a pattern.
        same: Whether the method is the same, so that no item may differ.
        why: Why items may differ.
    """

    task: str
    suite: str
    metric: str
    evaluate: tuple[str, ...] = ()
    settings: str = ""
    measure: str | None = None
    run: str = "*"
    same: bool = True
    why: str = ""


_PLAIN: Final = "[evaluate]\nchat_template = false\norders = 1\n"
_ONE: Final = "[evaluate]\norders = 1\n"
_MORE: Final = "lm-eval scores the questions as well that have no right answer of one token; these are left out here"
_LETTERS: Final = "ours adds the likelihoods of a letter with and without a space before it"

CASES: Final = (
    Case("kuci", "kuci", "acc_norm", ("--set", "both", "--no-artefact-check"), run="*zero-shot-character*"),
    Case("tempripple", "tempripple", "acc_norm", ("--options", "text"), _PLAIN, "without", run="*-text-*"),
    Case("tempripple_context", "tempripple", "acc_norm", ("--options", "text"), _PLAIN, "with", run="*-text-*"),
    Case("myriadlama", "myriadlama", "exact_match", ("--lite",), run="*lite*", why=_MORE),
    Case("riddles_words", "riddles_words", "acc_norm"),
    Case("riddles_shown", "riddles_shown", "acc_norm"),
    Case("riddles_letter", "riddles_letter", "acc", same=False, why=_LETTERS),
    Case("riddles_written", "riddles_written", "exact_match"),
    Case("follows", "follows", "acc_norm"),
    Case("capitals", "capitals", "acc", why=_MORE),
    Case("capitals_shown", "capitals_shown", "acc", why=_MORE),
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
    """Runs the cases and prints the table."""
    given = _arguments()
    work = CACHE / "interop-work"
    suites = write_suites(work / "suites")
    results = []
    for case in CASES:
        if given.only and case.task not in given.only:
            continue
        if not _prepare(case, given.work, work, suites):
            print(f"{case.task}: no release of {case.suite} in {given.work}; `tashika demo {case.suite}` makes one")
            continue
        results.append(_compare(case, work, suites, given.model, given.limit))
        print(_row(results[-1]), flush=True)
    print("\n" + "\n".join([_HEAD, *map(_row, results)]))
    sys.exit(any(result.fails for result in results) or not results)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "work")
    parser.add_argument("--model", default="smollm2", help="a folder, or a model made by `tashika models`")
    parser.add_argument("--limit", type=int, default=40, help="items of a task, at most")
    parser.add_argument("--only", nargs="*", default=())
    return parser.parse_args()


def _prepare(case: Case, given: Path, work: Path, suites: Mapping[str, Path]) -> bool:
    """Puts the release into a working directory of our own; False where there is none."""
    release = work / case.suite / "release"
    if case.suite in suites:
        for step in ("build", "export"):
            _run([*OURS, step, str(suites[case.suite]), "--work", str(work)])
        return True
    shutil.rmtree(release, ignore_errors=True)
    if not (given / case.suite / "release" / "release.json").is_file():
        return False
    shutil.copytree(given / case.suite / "release", release)
    return True


# one task -------------------------------------------------------------------------------------------------------------


def _compare(case: Case, work: Path, suites: Mapping[str, Path], model: str, limit: int) -> Compared:
    folder = _model_folder(model, work)
    suite = str(suites.get(case.suite, case.suite))
    run = _ours(case, suite, work, folder, limit)
    answers = _answers(case, run)
    log = _theirs(case, work, folder, answers)
    _read_by_compare(case, suite, work, run, log)
    theirs = {row["doc"]["item_id"]: float(row[case.metric]) == 1.0 for row in map(json.loads, log.open())}
    common = sorted(set(theirs) & set(answers))
    return Compared(
        case,
        len(common),
        sum(answers[item] for item in common),
        sum(theirs[item] for item in common),
        [item for item in common if answers[item] != theirs[item]],
    )


def _model_folder(model: str, work: Path) -> str:
    if Path(model).is_dir():
        return str(Path(model).resolve())
    _run([*OURS, "models", model, "--work", str(work)])
    return str((work / "models" / model).resolve())


def _ours(case: Case, suite: str, work: Path, model: str, limit: int) -> Path:
    """Scores with our own evaluator; the folder of the scores."""
    options = list(case.evaluate)
    if case.settings:
        config = work / f"{case.task}.toml"
        config.write_text(case.settings, encoding="utf-8")
        options += ["--config", str(config)]
    if "--lite" not in options:
        facts = max(1, limit // 30)  # tempripple draws facts, each with all its questions
        options += ["--limit", str(facts if case.suite == "tempripple" else limit)]
    evaluate = work / case.suite / "evaluate"
    shutil.rmtree(evaluate, ignore_errors=True)
    options += ["--model", model, "--device", "cpu", "--dtype", "fp32", "--work", str(work)]
    _run([*OURS, "evaluate", suite, *options])
    files = (file for file in evaluate.glob(f"{case.run}/**/predictions.parquet") if "baseline-" not in str(file))
    [folder] = [file.parent for file in files]
    return folder


def _answers(case: Case, run: Path) -> dict[str, bool]:
    """Of each item that our evaluator has an answer to, whether it is right."""
    import pyarrow.parquet as pq

    rows = pq.read_table(run / "predictions.parquet").to_pylist()
    if case.suite == "tempripple":
        rows = [row for row in rows if row["with_context"] == (case.measure == "with")]
    if case.suite == "myriadlama":
        return {row["item_id"]: row["rank"] == 1 for row in rows if row["problem"] is None}
    return {row["item_id"]: row["correct"] for row in rows if row["correct"] is not None}


def _theirs(case: Case, work: Path, model: str, answers: Mapping[str, bool]) -> Path:
    """Scores the same items with lm-eval, in the release's folder as its card says; the log of its samples."""
    release = work / case.suite / "release"
    places = [place for place, item in enumerate(_asked(release, case.task)) if item in answers]
    out = work / "lm-eval" / case.task
    shutil.rmtree(out, ignore_errors=True)
    program = INTEROP / "bin" / "lm-eval"
    _run([str(program), "validate", "--include_path", "tasks/lm_eval", "--tasks", case.task], release)
    _run(
        [
            *(str(program), "run", "--include_path", "tasks/lm_eval", "--tasks", case.task, "--model", "hf"),
            *("--model_args", f"pretrained={model},dtype=float32", "--device", "cpu", "--batch_size", "8"),
            *("--log_samples", "--output_path", str(out), "--samples", json.dumps({case.task: places})),
        ],
        release,
    )
    [log] = out.glob(f"*/samples_{case.task}_*.jsonl")
    return log


def _asked(release: Path, task: str) -> Iterator[str]:
    """Ids of the rows that a task asks, in their order."""
    import pyarrow.parquet as pq
    import yaml

    said = yaml.safe_load((release / "tasks" / "lm_eval" / f"{task}.yaml").read_text(encoding="utf-8"))
    data = said["dataset_kwargs"]
    filters = [tuple(condition) for condition in data["filters"]] if "filters" in data else None
    for file in sorted(release.glob(data["data_files"][said["test_split"]])):
        yield from pq.read_table(file, filters=filters).column("item_id").to_pylist()


def _read_by_compare(case: Case, suite: str, work: Path, run: Path, log: Path) -> None:
    """Both stand beside each other in `tashika compare`, which joins them by their ids."""
    name = str(run.relative_to(work / case.suite / "evaluate"))
    measure = ["--measure", case.measure] if case.measure else []
    _run([*OURS, "compare", suite, name, f"lm-eval={log}", "--metric", case.metric, *measure, "--work", str(work)])


def _run(command: Sequence[str], folder: Path | None = None) -> None:
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
