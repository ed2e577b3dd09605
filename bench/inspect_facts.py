"""What inspect does with an eval.yaml, fact by fact: what `exports/tasks/inspect.py` and docs/inspect.md rely on.

Usage: .bench/interop/bin/python bench/inspect_facts.py. It imports nothing of Tashika, which is not installed there,
but the tests' Hub on loopback, which is plain Python. Models are inspect's own mock. Each fact is printed with whether
it holds; the exit code is 1 where one does not, so that a new version of inspect shows what has to change.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.exports.hub_server import TOKEN, HubServer, Repo  # noqa: E402 - found by the line above

CARD = """---
configs:
- config_name: questions
  data_files:
  - split: test
    path: questions/test.parquet
---
"""
ROWS = [
    {
        "item_id": f"item-{number}",
        "text": f"Question {number} {{x}}",
        "options": ["one {y}", "two", "three", "four"],
        "answer": number % 4,
        "answers": ["a", "b"],
        "empty": None if number % 2 else "there",
    }
    for number in range(4)
]
FIELDS = {"input": "text", "target": "answer", "choices": "options", "metadata": ["item_id", "options", "text"]}
LETTER = {"name": "pattern", "args": {"pattern": r"\A([A-Z])\Z"}}


def task(**changes: Any) -> dict[str, Any]:
    """A task of eval.yaml."""
    plain = {"id": "plain", "config": "questions", "split": "test", "field_spec": FIELDS}
    return {**plain, "solvers": [{"name": "generate"}], "scorers": [LETTER], **changes}


def fields(**changes: Any) -> dict[str, Any]:
    """A field_spec without options, with some keys changed."""
    return {**{key: value for key, value in FIELDS.items() if key != "choices"}, **changes}


class Inspect:
    """inspect with one repository on a Hub on loopback."""

    def __init__(self, hub: HubServer, folder: Path) -> None:
        self.hub, self.folder = hub, folder

    def publish(self, *tasks: dict[str, Any], repo: str = "org/name", **top: Any) -> None:
        """Puts a dataset with these tasks there, in place of the one before."""
        import pyarrow as pa
        import pyarrow.parquet as pq
        import yaml

        rows = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(ROWS), rows)
        about = {"name": "N", "description": "D", "evaluation_framework": "inspect-ai", "tasks": list(tasks), **top}
        made = Repo(repo, "public")
        files = {"README.md": CARD.encode(), "questions/test.parquet": rows.getvalue()}
        made.add_commit({**files, "eval.yaml": yaml.safe_dump(about).encode()})
        made.tags["v0.1.0"] = made.head
        self.hub.repos[repo] = made

    def tasks(self, *tasks: dict[str, Any], name: str = "org/name", repo: str = "org/name", **top: Any) -> list[Any]:
        """The tasks as inspect makes them of the file."""
        from inspect_ai._eval.task.hf import task_create_from_hf

        self.publish(*tasks, repo=repo, **top)
        return list(task_create_from_hf(f"hf/{name}"))

    def log(self, made: Any, reply: str, **options: Any) -> Any:
        """The log of a run whose model always says the same."""
        import inspect_ai
        from inspect_ai.model import ModelOutput, ModelUsage, get_model

        def output() -> Any:
            said = ModelOutput.from_content("mock", reply)
            said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it loads a tokenizer
            return said

        model = get_model("mockllm/model", custom_outputs=[output() for _ in range(100)])
        [log] = inspect_ai.eval(made, model=model, log_dir=str(self.folder / "logs"), display="none", **options)
        return log

    def first(self, *tasks: dict[str, Any], **how: Any) -> Any:
        """The first sample of the first task."""
        return self.tasks(*tasks, **how)[0].dataset[0]

    def values(self, made: dict[str, Any], reply: str) -> list[Any]:
        """What each sample's first scorer gave."""
        log = self.log(self.tasks(made)[0], reply)
        return [next(iter(sample.scores.values())).value for sample in log.samples]

    def prompts(self, made: dict[str, Any]) -> list[str]:
        """The messages of the first sample, without the reply."""
        log = self.log(self.tasks(made)[0], "A")
        return [message.content for message in log.samples[0].messages][:-1]


def refuses(run: Callable[[], Any], words: str) -> bool:
    """Whether something ends in an error with these words."""
    try:
        run()
    except Exception as error:  # whatever inspect raises
        return words in f"{type(error).__name__}: {error}"
    return False


def prompting(template: str) -> dict[str, Any]:
    """A task whose prompt is a template."""
    return task(solvers=[{"name": "prompt_template", "args": {"template": template}}, {"name": "generate"}])


def limited(inspect: Inspect, **args: Any) -> int:
    """How many tokens are asked for where the task says so and the command line says 99."""
    made = inspect.tasks(task(solvers=[{"name": "generate", "args": args}]))[0]
    log = inspect.log(made, "A", max_tokens=99)
    return next(event.config.max_tokens for event in log.samples[0].events if event.event == "model")


FACTS: dict[str, Callable[[Inspect], bool]] = {
    "a tag is named behind the repository: hf/ORG/NAME@TAG": lambda inspect: (
        len(inspect.tasks(task(), name="org/name@v0.1.0")) == 1
    ),
    "one of several tasks is named before the tag: hf/ORG/NAME/TASK@TAG": lambda inspect: (
        [made.name for made in inspect.tasks(task(), task(id="other"), name="org/name/other@v0.1.0")]
        == ["hf/org/name/other@v0.1.0/other"]
    ),
    "an organisation whose name ends in hf cannot be named": lambda inspect: refuses(
        lambda: inspect.tasks(task(), name="acme-hf/name", repo="acme-hf/name"), "Expected 2 or 3 components"
    ),
    "an unknown key of a task is refused": lambda inspect: refuses(
        lambda: inspect.tasks(task(version="1")), "Extra inputs are not permitted"
    ),
    "an unknown key of field_spec is refused": lambda inspect: refuses(
        lambda: inspect.tasks(task(field_spec={**FIELDS, "other": "text"})), "Unexpected keyword argument"
    ),
    "an unknown key beside the tasks is passed over": lambda inspect: len(inspect.tasks(task(), version="1")) == 1,
    "several tasks need ids": lambda inspect: refuses(
        lambda: inspect.tasks(task(id=None), task(id="other")), "Task 'id' field is required"
    ),
    "a column that is not there is an error": lambda inspect: refuses(
        lambda: inspect.tasks(task(field_spec={**FIELDS, "input": "nothing"})), "KeyError"
    ),
    "field_spec.id is passed over": lambda inspect: (
        inspect.first(task(field_spec={**FIELDS, "id": "item_id"})).id is None
    ),
    "samples are numbered from 1 in the order of the rows": lambda inspect: (
        [(sample.id, sample.metadata["item_id"]) for sample in inspect.log(inspect.tasks(task())[0], "A").samples]
        == [(number + 1, row["item_id"]) for number, row in enumerate(ROWS)]
    ),
    "a number is a letter where there are choices": lambda inspect: inspect.first(task()).target == "A",
    "whatever the choices are": lambda inspect: (
        inspect.first(task(field_spec={**FIELDS, "choices": ["item_id"]})).target == "A"
    ),
    "a number is its digits elsewhere": lambda inspect: inspect.first(task(field_spec=fields())).target == "0",
    "a list is one text that no reply equals": lambda inspect: (
        inspect.first(task(field_spec=fields(target="answers"))).target == "['a', 'b']"
        and set(inspect.values(task(field_spec=fields(target="answers"), scorers=[{"name": "includes"}]), "a")) == {"I"}
    ),
    "an empty field of the input is an error": lambda inspect: refuses(
        lambda: inspect.tasks(task(field_spec=fields(input="empty"))), "Input should be a valid string"
    ),
    "a template takes options by their place; braces in values stay": lambda inspect: (
        inspect.prompts(prompting("{prompt}|{text}|{options[0]}|{options[3]}"))
        == ["Question 0 {x}|Question 0 {x}|one {y}|four"]
    ),
    "doubled braces are braces; an unknown placeholder stays": lambda inspect: (
        inspect.prompts(prompting("{{a}} {nothing} {options[9]}")) == ["{a} {nothing} {options[9]}"]
    ),
    "its own multiple_choice asks in its own words": lambda inspect: (
        "\n\nQuestion 0 {x}\n\nA) one {y}\nB) two"
        in inspect.prompts(task(solvers=[{"name": "multiple_choice"}], scorers=[{"name": "choice"}]))[0]
    ),
    "and takes a letter behind ANSWER: alone": lambda inspect: (
        [
            inspect.values(task(solvers=[{"name": "multiple_choice"}], scorers=[{"name": "choice"}]), reply)[0]
            for reply in ("ANSWER: A", "A")
        ]
        == ["C", "I"]
    ),
    "settings of a solver win over the command line": lambda inspect: (
        (limited(inspect, max_tokens=7), limited(inspect)) == (7, 99)
    ),
    "an empty reply is wrong, or none for choice (N)": lambda inspect: (
        inspect.values(task(), "")[0] == "I"
        and inspect.values(task(solvers=[{"name": "multiple_choice"}], scorers=[{"name": "choice"}]), "")[0] == "N"
    ),
    "epochs ask each row again": lambda inspect: (
        len(inspect.log(inspect.tasks(task(epochs=2))[0], "A").samples) == 2 * len(ROWS)
    ),
}


def main() -> None:
    """Tries every fact."""
    with HubServer() as hub, tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "HF_ENDPOINT": hub.url,
            "HF_TOKEN": TOKEN,
            "HF_HUB_OFFLINE": "0",
            "HF_DATASETS_OFFLINE": "0",
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "NO_PROXY": "127.0.0.1",
            "HF_HOME": f"{folder}/hf",
            "XDG_CACHE_HOME": f"{folder}/cache",
        }
        from importlib.metadata import version

        inspect = Inspect(hub, Path(folder))
        results = {fact: holds(inspect) for fact, holds in FACTS.items()}
        print(f"inspect_ai {version('inspect_ai')}")
        for fact, true in results.items():
            print(f"{'holds' if true else 'NO   '}  {fact}")
    sys.exit(0 if all(results.values()) else 1)


if __name__ == "__main__":
    main()
