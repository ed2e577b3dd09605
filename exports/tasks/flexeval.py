"""Task files of FlexEval: one jsonnet file a way of answering, under `tasks/flexeval/`.

Written for and tried with flexeval 0.18.3. What it does, and what is written for that reason:

- A prompt and the examples before it have no names in common: each row's prompt, and the prompt with its answer, are
  made with the dataset (`asked`, `solved`), and the template puts them behind each other.
- A text that is the path of a file is read as that file: the template is given as an object.
- Options are a list of templates, and those that come out empty are left out: rows may have fewer than the others.
- The options bear what stands before them: `whitespace_before_choices` knows a space alone.
- `RegexExtractor` takes the last match, and its `.` a line's end as well: the pattern is written so that there is one.
- It needs datasets before 3.0, which has no `filters` for Parquet: rows are left out by `keep_conditions`. Nor
  does that know lists as files with labels describe them (`List`): configurations with both have no file.
- Nothing there sets signs aside, compares numbers, or looks for a part of a reply as our own evaluator does.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.custom.templating import renderer
from tashika.core.progress import say
from tashika.core.prompting import LETTERS
from tashika.core.suites.columns import LABELS, LISTS
from tashika.exports.arrow import compute as pc
from tashika.exports.schema import Config
from tashika.exports.tasks.released import tasks_of
from tashika.exports.tasks.task import Condition, Task, data_file, place_expression, quoted

if TYPE_CHECKING:
    from tashika.exports.documents import Draft

FOLDER: Final = "tasks/flexeval"

_HEADER: Final = """\
// {meaning}.
// Asked of {rows}; written by tashika for flexeval 0.18.3.
// {number}
"""
_CHARACTERS: Final = (
    "Our own accuracy divides by characters, byte_norm_accuracy by bytes (with the space), accuracy by nothing."
)
_TOKENS: Final = "Our own accuracy divides a likelihood by tokens, which nothing there does."
_NUMBERS: Final = {"none": "Our own accuracy is its accuracy.", "character": _CHARACTERS, "token": _TOKENS}
_BY_LETTER: Final = "Our own accuracy adds the likelihoods of a letter with and without a space; accuracy has one."
_EXACT: Final = "Our own accuracy is its exact_match."
_CLOZE: Final = "Our own accuracy is its exact_match, over the questions with a right answer of one token."

_LISTS_OF_LABELS: Final = frozenset(name for name, several in LABELS.items() if several)

Values = dict[str, Any]


def flexeval_files(draft: Draft) -> dict[str, str]:
    """The task files of a release by their paths in it."""
    written: dict[str, str] = {}
    for task in tasks_of(draft):
        writer = _Writer(draft, task)
        said = writer.said()
        if said is not None:
            number, values = said
            rows = f"{task.config}, {task.split}"
            header = _HEADER.format(meaning=task.meaning[0].upper() + task.meaning[1:], rows=rows, number=number)
            written[f"{FOLDER}/{task.id}.jsonnet"] = header + json.dumps(values, ensure_ascii=False, indent=2) + "\n"
    return written


class _Writer:
    """Writes the file of one task.

    Args:
        draft: The release.
        task: What is asked.
    """

    def __init__(self, draft: Draft, task: Task) -> None:
        self.draft, self.task = draft, task
        self.config: Config = draft.suite.configs[task.config]

    def said(self) -> tuple[str, Values] | None:
        """What our own number is called there, and what the file says; None where nothing there does the same."""
        types = {column.type for column in self.config.columns.values()}
        if types & {*LABELS} and types & {*LISTS, *_LISTS_OF_LABELS}:
            say(f"{FOLDER} has no task {self.task.id}: FlexEval cannot open files that have labels and lists")
            return None
        if self.task.kind == "multiple_choice":
            return self._by_likelihood()
        if self.task.kind == "cloze":
            return _CLOZE, self._replies(self._cloze(), max_tokens=1)
        extractor = self._extractor()
        return None if extractor is None else (_EXACT, self._replies(self._words(), self.task.max_tokens, *extractor))

    # --- ways of answering

    def _by_likelihood(self) -> tuple[str, Values]:
        """The likelihood of each option's words, or of its letter behind a prompt that lists them."""
        task = self.task
        assert task.choices is not None
        assert task.letters is not None
        right_place = place_expression(task, self.config)
        fewest, most = self._numbers_of_options()
        if task.by_letter:
            number, joint, asked = _BY_LETTER, " ", task.letters.prompt(task.choices)
            listed, right = [*LETTERS[:most]], f"{quoted(LETTERS)}[{right_place}]"
        else:
            number, joint, asked = _NUMBERS[task.norm], task.joint, task.prompt
            listed, right = self._options(most), f"({task.choices.expression})[{right_place}]"
        options = [f"{joint}{option}" for option in listed]
        length = f"{task.choices.expression}|length"
        dataset = {
            "choices_templates": [
                option if place < fewest else f"{{% if {length} > {place} %}}{option}{{% endif %}}"
                for place, option in enumerate(options)
            ],
            "answer_index_template": f"{{{{ {right_place} }}}}",
            "input_templates": {"asked": asked, "solved": f"{asked}{joint}{{{{ {right} }}}}"},
        }
        return number, self._setup("MultipleChoice", dataset, {"choices": ["-"], "answer_index": 0})

    def _options(self, most: int) -> list[str]:
        """A template of each option."""
        choices = self.task.choices
        assert choices is not None
        if choices.column:
            return [f"{{{{ {choices.column}[{number}] }}}}" for number in range(most)]
        return [f"{{{{ {name} }}}}" for name in (choices.columns or map(quoted, choices.words))]

    def _words(self) -> tuple[str, str]:
        """An answer in words: the prompt, and the prompt with its answer."""
        return self.task.prompt, f"{self.task.prompt}{self.task.joint}{{{{ {self._answer()} }}}}"

    def _cloze(self) -> tuple[str, str]:
        """The text before a blank, and the text with the blank filled."""
        blank = quoted(self.task.blank)
        whole = f"{{% set whole %}}{self.task.prompt}{{% endset %}}"
        filled = f"{whole}{{{{ whole.replace({blank}, {self._answer()}) }}}}"
        return f'{whole}{{{{ whole.split({blank})[0].rstrip(" ") }}}}', filled

    def _replies(self, texts: tuple[str, str], max_tokens: int, *extractor: Values) -> Values:
        """What the model writes behind the prompt."""
        several = self.config.columns[self.task.target].type == "strings"
        asked, solved = texts
        dataset = {
            "reference_list_template" if several else "reference_template": f"{{{{ {self.task.target} }}}}",
            "input_templates": {"asked": asked, "solved": solved},
        }
        strip = {"class_path": "StringStrip"}
        processors = {"lm_output_processor": [*extractor, strip], "reference_processor": [strip]}
        return self._setup(
            "Generation",
            dataset,
            {"references": []},
            gen_kwargs={"max_new_tokens": max_tokens, "do_sample": False},
            metrics=[{"class_path": "ExactMatch", "init_args": processors}],
        )

    def _extractor(self) -> list[Values] | None:
        """What finds the answer in a reply; None where nothing there finds it as our own evaluator does."""
        task = self.task
        if self.config.columns[task.target].type not in {"string", "strings"} or task.match not in {"exact", "pattern"}:
            return None
        if task.pattern is None or task.match == "exact":
            return []
        whole = rf"\A.*?(?-s:{task.pattern})"
        try:
            groups = re.compile(whole, re.DOTALL).groups
        except re.error:
            return None  # it sets flags, which must stand first
        return [{"class_path": "RegexExtractor", "init_args": {"pattern": whole}}] if groups == 1 else None

    # --- parts of a file

    def _setup(self, kind: str, dataset: Values, example: Values, **more: Any) -> Values:
        """A file: its dataset, its examples and its prompt."""
        system = quoted(f"{self.task.system}\n\n")
        told = f"{{{{ {system} }}}}" if self.task.system else ""
        shown = self._shown(kind, dataset, example)
        before = "{% for item in few_shot_data %}{{ item.solved }}\n\n{% endfor %}" if shown else ""
        template = {"class_path": "Jinja2PromptTemplate", "init_args": {"template": f"{told}{before}{{{{ asked }}}}"}}
        given = {"eval_dataset": self._dataset(kind, self.task.split, dataset), "prompt_template": template}
        return {"class_path": kind, "init_args": {**given, **shown, **more}}

    def _dataset(self, kind: str, split: str, values: Values) -> Values:
        """Where the rows are: in the repository at the release's tag, or in the folder where the program is run."""
        settings = self.draft.settings
        if settings.repo:
            kwargs: Values = {"revision": f"v{settings.version}"}
            where: Values = {"path": settings.repo, "subset": self.task.config}
        else:
            kwargs, where = {"data_files": {split: data_file(self.config, split)}}, {"path": "parquet"}
        kept = {"keep_conditions": {_holds(condition): "True" for condition in self.task.where}}
        rows = {**where, "split": split, "dataset_kwargs": kwargs, **(kept if self.task.where else {})}
        return {"class_path": f"HF{kind}Dataset", "init_args": {**rows, **values}}

    def _shown(self, kind: str, dataset: Values, example: Values) -> Values:
        """The examples: the task's own, else as many as the command line says (`num_shots`) of another part."""
        task = self.task
        if task.examples:
            render = renderer(dataset["input_templates"]["solved"], task.id)
            shown = [{"inputs": {"solved": render(row)}, **example} for row in task.examples]
            values: Values = {"instance_class": f"{kind}Instance", "instance_params": shown}
            return {"few_shot_generator": {"class_path": "FixedFewShotGenerator", "init_args": values}}
        if not task.fewshot_split:
            return {}
        values = {"dataset": self._dataset(kind, task.fewshot_split, dataset), "num_shots": 0}
        return {"few_shot_generator": {"class_path": "RandomFewShotGenerator", "init_args": values}}

    def _answer(self) -> str:
        """A right answer as an expression."""
        several = self.config.columns[self.task.target].type == "strings"
        return f"{self.task.target}[0]" if several else self.task.target

    def _numbers_of_options(self) -> tuple[int, int]:
        """How many options a row has, at least and at most."""
        choices = self.task.choices
        assert choices is not None
        if not choices.column:
            number = len(choices.columns or choices.words)
            return number, number
        parts = {self.task.split, self.task.fewshot_split} - {None}
        files = [file for part in parts for file in self.draft.folder.glob(data_file(self.config, str(part)))]
        tables = [pq.read_table(file, columns=[choices.column]) for file in files]
        lengths = pc.min_max(pc.list_value_length(pa.concat_tables(tables).column(0))).as_py()
        return int(lengths["min"]), int(lengths["max"])


def _holds(condition: Condition) -> str:
    """A condition on a row as a template that gives `True`."""
    name, operator, value = condition
    return f"{{{{ {name} {operator} {quoted(value) if isinstance(value, str) else value} }}}}"
