"""Task files of lm-evaluation-harness: one YAML file a way of answering, under `tasks/lm_eval/`.

Written for and tried with lm-eval 0.4.13. What it does, and what is written for that reason:

- A prompt that consists of digits alone is taken for the place of one of several inputs where there are options: a
  prompt that is a column's text is named by its column, which is not rendered.
- `doc_to_target` that looks like a list is read as one: columns are named here too, not rendered, where that is enough.
- `output_type: loglikelihood` puts nothing between prompt and answer: the joint stands in `doc_to_target`.
- `description` is put before the prompt without anything between them: it ends in an empty line.
- `acc_norm` divides a likelihood by the option's characters, and never counts the delimiter.
- Whether there are several right answers is decided by the type of the first row's target.
- Its files carry no code of ours: nothing here needs `!function`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from tashika.core.prompting import LETTERS, NUMBER
from tashika.exports.schema import Config
from tashika.exports.tasks.released import tasks_of
from tashika.exports.tasks.task import Choices, Task, data_file, place_expression

if TYPE_CHECKING:
    from tashika.exports.documents import Draft

FOLDER: Final = "tasks/lm_eval"
SUFFIX: Final = "_letters"
"""Behind the name of a task whose options are listed by letter, for a model that answers in words."""

LETTER_REPLY: Final = (
    r"\A\W*(?:(?:[Aa]nswer|答え|回答|解答|正解)\W*(?:は\W*)?)?([A-Za-z])(?:[.:)\]*`]\s*\S.*|\W*(?:です)?\W*)\Z"
)
"""A reply that is a letter, or a letter with a sign and a text in its line; see `evaluate.ways.letter_answers`."""

_METRICS: Final[Mapping[str, str]] = {"none": "acc", "character": "acc_norm"}
"""What our own evaluator's number is called there, by what it divides a likelihood by."""

_HEADER: Final = """\
# {meaning}.
# Asked of {rows}; written by tashika for lm-evaluation-harness 0.4.13.
# {number}
"""

Values = dict[str, Any]


def lm_eval_files(draft: Draft) -> dict[str, str]:
    """The task files of a release by their paths in it."""
    written: dict[str, str] = {}
    for task in tasks_of(draft):
        for name, (number, values) in _ways(draft, task).items():
            rows = f"{task.config}, {task.split}"
            header = _HEADER.format(meaning=task.meaning[0].upper() + task.meaning[1:], rows=rows, number=number)
            written[f"{FOLDER}/{name}.yaml"] = header + _yaml({"task": name, **_data(draft, task), **values})
    return written


def _ways(draft: Draft, task: Task) -> dict[str, tuple[str, Values]]:
    """The files of a task by their names: what our own number is called there, and what the file says."""
    config = draft.suite.configs[task.config]
    last = _last(draft, task)
    if task.kind == "multiple_choice":
        number = f"Our own accuracy is its {_METRICS[task.norm]}." if task.norm in _METRICS else _NO_NORM
        by_letter = (_BY_LETTER, _letter_likelihood(task, config))
        likelihood = by_letter if task.by_letter else (number, _options(task, config))
        in_words = (_IN_LETTERS, _letters(task, config))
        return {task.id: _with(likelihood, last), f"{task.id}{SUFFIX}": _with(in_words, last)}
    if task.kind == "cloze":
        several = config.columns[task.target].type == "strings"
        way = (_ONE_TOKEN, _one_token(task)) if several else (_GREEDY, _greedy(task, config))
        return {task.id: _with(way, last)}
    if task.match == "contains":
        return {}  # nothing there looks for a part of a reply
    return {task.id: _with((_NUMBERS[task.match], _generate(task, config)), last)}


_NO_NORM: Final = "Our own accuracy divides by tokens, which nothing there does."
_BY_LETTER: Final = "Our own accuracy adds the likelihoods of a letter with and without a space before it; acc has one."
_IN_LETTERS: Final = "Our own reading of replies knows the options' texts too; exact_match takes letters."
_ONE_TOKEN: Final = "Our own accuracy is its exact_match, over the questions with a right answer of one token."
_GREEDY: Final = "Our own accuracy is its acc, over the questions whose right answer is one token."
_NUMBERS: Final[Mapping[str, str]] = {
    "exact": "Our own accuracy is its exact_match.",
    "normalised": "Our own accuracy sets case, signs and spacing aside; exact_match sets case and ASCII's signs aside.",
    "pattern": "Our own accuracy is its exact_match of what the pattern finds.",
    "number": "Our own accuracy compares numbers; exact_match compares how they are written, commas aside.",
}


def _with(way: tuple[str, Values], last: Values) -> tuple[str, Values]:
    return way[0], {**way[1], **last}


def _data(draft: Draft, task: Task) -> Values:
    """Where the rows are: in the repository at the release's tag, or in the folder where the program is run."""
    config = draft.suite.configs[task.config]
    pool = None if task.examples else task.fewshot_split  # a split there would go before the examples
    parts = [task.split, *([pool] if pool else [])]
    asked: Values = {"filters": [list(condition) for condition in task.where]} if task.where else {}
    if draft.settings.repo:
        where: Values = {
            "dataset_path": draft.settings.repo,
            "dataset_name": task.config,
            "dataset_kwargs": {"revision": f"v{draft.settings.version}", **asked},
        }
    else:
        files = {part: data_file(config, part) for part in parts}
        where = {"dataset_path": "parquet", "dataset_kwargs": {"data_files": files, **asked}}
    return {**where, "test_split": task.split, **({"fewshot_split": pool} if pool else {})}


def _last(draft: Draft, task: Task) -> Values:
    """What stands at the end of every file."""
    release = {"release": draft.record["version"], "digest": draft.record["digest"]}
    return {**_examples(task), "metadata": {"version": task.version, **release}}


def _examples(task: Task) -> Values:
    if not task.examples:
        return {}
    samples = [dict(row) for row in task.examples]
    shown: Values = {"sampler": "first_n", "samples": samples}
    if task.kind == "cloze":
        # An example is the whole text with its blank filled, whatever stands behind the blank.
        words = task.target if _is_text(task) else f"{task.target}[0]"
        filled = f'.replace("{task.blank}", {words})'
        shown |= {"doc_to_text": _expression(task.prompt, filled) + "\n\n", "doc_to_target": ""}
    return {"num_fewshot": len(samples), "fewshot_config": shown}


def _is_text(task: Task) -> bool:
    return all(isinstance(row[task.target], str) for row in task.examples)


# ways of answering ----------------------------------------------------------------------------------------------------


def _options(task: Task, config: Config) -> Values:
    """The likelihood of each option's words."""
    assert task.choices is not None
    return {
        "output_type": "multiple_choice",
        **_described(task.system),
        "doc_to_text": _text(task.prompt, config),
        "doc_to_choice": _listed(task.choices),
        "doc_to_target": _place(task, config),
        "target_delimiter": task.joint,
        "metric_list": [_metric("acc"), _metric("acc_norm")],
    }


def _letter_likelihood(task: Task, config: Config) -> Values:
    """The likelihood of each option's letter behind a prompt that lists them."""
    assert task.choices is not None
    assert task.letters is not None
    return {
        "output_type": "multiple_choice",
        **_described(task.system),
        "doc_to_text": task.letters.prompt(task.choices),
        "doc_to_choice": f'{{{{ "{LETTERS}"[:{task.choices.expression}|length]|list }}}}',
        "doc_to_target": _place(task, config),
        "target_delimiter": " ",
        "metric_list": [_metric("acc")],
    }


def _letters(task: Task, config: Config) -> Values:
    """A letter that the model writes."""
    assert task.choices is not None
    assert task.letters is not None
    place = place_expression(task, config)
    return {
        "output_type": "generate_until",
        **_described(task.letters.system),
        "doc_to_text": task.letters.prompt(task.choices),
        "doc_to_target": f'{{{{ "{LETTERS}"[{place}] }}}}',
        "target_delimiter": " ",
        "generation_kwargs": _greedily(task.max_tokens),
        "filter_list": [_filter({"function": "regex", "regex_pattern": LETTER_REPLY}, name="letter")],
        "metric_list": [{**_metric("exact_match"), "ignore_case": True}],
    }


def _greedy(task: Task, config: Config) -> Values:
    """Whether each token of the answer is the likeliest one at its place."""
    words = "{{ " + _words(task, config) + " }}"
    return {
        "output_type": "loglikelihood",
        **_described(task.system),
        "doc_to_text": _before_blank(task),
        "doc_to_target": task.joint + words,
        "target_delimiter": task.joint,
        "metric_list": [_metric("acc")],
    }


def _one_token(task: Task) -> Values:
    """The likeliest token at the blank, which is right if it is any of the answers."""
    return {
        "output_type": "generate_until",
        **_described(task.system),
        "doc_to_text": _before_blank(task),
        "doc_to_target": task.target,
        "target_delimiter": task.joint,
        "generation_kwargs": _greedily(1),
        "filter_list": [_filter()],
        "metric_list": [_metric("exact_match")],
    }


def _generate(task: Task, config: Config) -> Values:
    """An answer in words."""
    steps: dict[str, list[Values]] = {
        "pattern": [{"function": "regex", "regex_pattern": task.pattern}],
        "number": [{"function": "regex", "regex_pattern": NUMBER, "group_select": -1}],
    }
    sets_aside: dict[str, Values] = {
        "normalised": {"ignore_case": True, "ignore_punctuation": True},
        "number": {"regexes_to_ignore": [","]},
    }
    column = config.columns[task.target].type
    target = task.target if column in {"string", "strings"} else "{{ " + _words(task, config) + " }}"
    return {
        "output_type": "generate_until",
        **_described(task.system),
        "doc_to_text": _text(task.prompt, config),
        "doc_to_target": target,
        "target_delimiter": task.joint,
        "generation_kwargs": _greedily(task.max_tokens),
        "filter_list": [_filter(*steps.get(task.match, []))],
        "metric_list": [{**_metric("exact_match"), **sets_aside.get(task.match, {})}],
    }


# parts of a file ------------------------------------------------------------------------------------------------------


def _described(system: str) -> Values:
    return {"description": f"{system}\n\n"} if system else {}


def _text(template: str, config: Config) -> str:
    """A prompt: a column's name where it is the text of one column."""
    name = template.removeprefix("{{ ").removesuffix(" }}")
    plain = template == f"{{{{ {name} }}}}" and name in config.columns and config.columns[name].type == "string"
    return name if plain else template


def _expression(template: str, then: str) -> str:
    """What a template makes of a row, and what is done to that."""
    return f"{{% set whole %}}{template}{{% endset %}}{{{{ whole{then} }}}}"


def _before_blank(task: Task) -> str:
    return _expression(task.prompt, f'.split("{task.blank}")[0].rstrip(" ")')


def _listed(choices: Choices) -> str | list[str]:
    if choices.column:
        return choices.column
    return list(choices.words) if choices.words else f"{{{{ {choices.expression} }}}}"


def _place(task: Task, config: Config) -> str:
    """The right option: the column where it is the place itself or an option's words, else an expression."""
    expression = place_expression(task, config)
    return task.target if expression == task.target else f"{{{{ {expression} }}}}"


def _words(task: Task, config: Config) -> str:
    """The right words as an expression; numbers as one writes them: 4, not 4.0."""
    name = task.target
    if config.columns[name].type not in {"float32", "float64"}:
        return name
    return f'({name}|int) if {name} == ({name}|int) else ("%.6g"|format({name}))'


def _greedily(tokens: int) -> Values:
    return {"until": [], "do_sample": False, "temperature": 0.0, "max_gen_toks": tokens}


def _filter(*steps: Values, name: str = "stripped") -> Values:
    return {"name": name, "filter": [*steps, {"function": "remove_whitespace"}, {"function": "take_first"}]}


def _metric(name: str) -> Values:
    return {"metric": name, "aggregation": "mean", "higher_is_better": True}


def _yaml(values: Values) -> str:
    text: str = import_module("yaml").safe_dump(values, allow_unicode=True, sort_keys=False, width=10_000)
    return text
