"""Files read as flexeval 0.18.3 does: its datasets, `TemplateMultipleChoiceDataset` and `TemplateGenerationDataset`."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

_ENVIRONMENT = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)


@dataclass(frozen=True)
class Instance:
    """What a model is asked of a row: the prompt, the options and the place of the right one, or the right texts."""

    prompt: str
    choices: list[str] = field(default_factory=list)
    answer_index: int | None = None
    references: list[str] = field(default_factory=list)


def flexeval_names(release: Path) -> list[str]:
    return sorted(path.stem for path in (release / "tasks" / "flexeval").glob("*.jsonnet"))


def flexeval_setup(release: Path, name: str) -> dict[str, Any]:
    """A file of JSON behind comments; what `_jsonnet` makes of it."""
    text = (release / "tasks" / "flexeval" / f"{name}.jsonnet").read_text(encoding="utf-8")
    setup: dict[str, Any] = json.loads("\n".join(line for line in text.splitlines() if not line.startswith("//")))
    return setup


def instances_of(release: Path, name: str) -> dict[str, Instance]:
    """What is asked of each row that is kept, by the ids of the rows."""
    said = flexeval_setup(release, name)["init_args"]
    data = said["eval_dataset"]["init_args"]
    files = sorted(release.glob(data["dataset_kwargs"]["data_files"][data["split"]]))
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    for template, value in data.get("keep_conditions", {}).items():
        rows = [row for row in rows if _render(template, row) == value]
    return {row["item_id"]: _instance(said, data, row) for row in rows}


def _instance(said: Mapping[str, Any], data: Mapping[str, Any], row: Mapping[str, Any]) -> Instance:
    inputs = {**row, **{name: _render(text, row) for name, text in data["input_templates"].items()}}
    if "few_shot_generator" in said:
        examples = said["few_shot_generator"]["init_args"].get("instance_params", [])
        inputs["few_shot_data"] = [example["inputs"] for example in examples]
    prompt = _render(said["prompt_template"]["init_args"]["template"], inputs)
    if "choices_templates" in data:
        choices = [_render(template, row) for template in data["choices_templates"]]
        return Instance(prompt, [text for text in choices if text], int(_render(data["answer_index_template"], row)))
    if "reference_template" in data:
        return Instance(prompt, references=[_render(data["reference_template"], row)])
    return Instance(prompt, references=ast.literal_eval(_render(data["reference_list_template"], row)))


def _render(template: str, row: Mapping[str, Any]) -> str:
    return _ENVIRONMENT.from_string(template).render(**row)
