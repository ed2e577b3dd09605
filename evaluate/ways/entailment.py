"""P(entailment | premise, hypothesis) of many pairs of texts, and the text consistency that is made of it.

Two ways: a sequence classifier that was trained on natural language inference, or, where there is none, a causal
language model that is asked whether the one text follows from the other. The second is no NLI model and is not called
one: what it gives is how much likelier it finds "yes" than "no".

Identical pairs are judged once. Pairs go through the model in buckets of one length, without padding, in an order that
depends on the texts alone.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from tashika.core.errors import InputError
from tashika.core.models import (
    Dtype,
    LoadedModel,
    is_classifier,
    load_classifier,
    load_model,
    load_outline,
    model_note,
    model_revision,
    resolve_device,
    resolve_dtype,
)
from tashika.core.progress import bar
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.batches import Budget, buckets
from tashika.evaluate.engine.blank_model import max_length
from tashika.evaluate.engine.kernels import use_onednn
from tashika.evaluate.ways.local_generation import chat_text

if TYPE_CHECKING:
    import torch

Pair = tuple[str, str]
"""A premise and a hypothesis."""

Encoded = dict[str, list[int]]
"""The inputs of a model for one pair, by name; `input_ids` is one of them."""

RunJudge = Callable[[Sequence[Sequence[Encoded]]], Iterator[tuple[int, npt.NDArray[np.float64]]]]
"""Gives the scores of each batch with its place, in whatever order they are done."""

ENTAILMENT_NAMES: Final = frozenset({"entailment", "entail", "entails", "entailed", "含意"})
_UNNAMED: Final = "label_"
_YES: Final = ("yes", "Yes", "YES", " yes", " Yes", " YES")
_NO: Final = ("no", "No", "NO", " no", " No", " NO")
_ENCODED_AT_ONCE: Final = 4096


@dataclass(frozen=True)
class Judged:
    """A number for each pair, or for each text.

    Attributes:
        value: (n,) in [0, 1]; NaN where there is a problem.
        problem: (n,) why there is no number; None where there is one.
    """

    value: npt.NDArray[np.float64]
    problem: tuple[str | None, ...]


class Judge(Protocol):
    """Decides whether a hypothesis follows from a premise; see `Classifier` and `YesNo`."""

    longest: int
    """Tokens in a pair, at most."""

    def encode(self, pairs: Sequence[Pair]) -> list[Encoded]:
        """The model's inputs, whole, one a pair."""

    def score(self, batch: Sequence[Encoded]) -> npt.NDArray[np.float64]:
        """(pairs,) P(entailment) of pairs of one length."""

    def describe(self) -> dict[str, Any]:
        """What the numbers depend on, for a manifest."""


def load_judge(name: str, *, device: str = "auto", dtype: str = "auto") -> Judge:
    """A sequence classifier as `Classifier`, a causal language model as `YesNo`.

    Args:
        name: A folder, or a name on the Hub.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        dtype: `auto`, `fp32`, `bf16` or `fp16`.

    Raises:
        InputError: The model cannot be found or cannot be used; the message names the reason.
    """
    if is_classifier(name):
        return Classifier.load(name, device=device, dtype=dtype)
    loaded = load_model(name, device=device, dtype=dtype)
    if loaded.kind != "causal":
        raise InputError(
            "this masked model is no sequence classifier",
            where=name,
            hint="Give a classifier that was trained on natural language inference, or a causal model.",
        )
    return YesNo(loaded)


def outline_judge(name: str, *, dtype: Dtype = "fp32") -> Judge:
    """A judge without weights, which encodes pairs while others score them; see `core.models.load_outline`.

    Raises:
        InputError: The model cannot be found or cannot be used; the message names the reason.
    """
    classifier = is_classifier(name)
    outline = load_outline(name, dtype, classifier=classifier)
    return Classifier(name, outline.model, outline.tokenizer, outline.revision) if classifier else YesNo(outline)


def entailment(judge: Judge, pairs: Sequence[Pair], *, batch_tokens: int = 8192, run: RunJudge | None = None) -> Judged:
    """P(entailment) of each pair.

    Args:
        judge: What decides it; an outline (`outline_judge`) where `run` is given.
        pairs: Premises and hypotheses, in any order and number.
        batch_tokens: Tokens in a batch, at most.
        run: Scores batches on other devices or machines; None scores them with `judge`.

    Returns:
        The numbers in the pairs' order. A pair that is too long for the model, or has an empty text, has none: it is
        never cut.

    Raises:
        OutsideError: The device has not the memory for a single pair.
    """
    distinct = sorted(set(pairs))
    encoded = _encoded(judge, distinct)
    problems = [_unfit(pair, inputs, judge.longest) for pair, inputs in zip(distinct, encoded, strict=True)]
    lengths = [0 if bad else len(inputs["input_ids"]) for bad, inputs in zip(problems, encoded, strict=True)]
    values = np.full(len(distinct), np.nan)
    batches = _batches(np.asarray(lengths, dtype=np.int64), batch_tokens)
    run = run or run_with(judge, batch_tokens)
    with bar("entailment", len(distinct)) as advance:
        advance(lengths.count(0))
        for number, scores in run([[encoded[place] for place in places] for places in batches]):
            values[batches[number]] = scores
            advance(len(scores))
    for place in np.flatnonzero(~np.isfinite(values)):
        values[place] = np.nan
        problems[place] = problems[place] or "the model's output is not a number"
    where = {pair: place for place, pair in enumerate(distinct)}
    order = [where[pair] for pair in pairs]
    return Judged(values[np.asarray(order, dtype=np.int64)], tuple(problems[place] for place in order))


def _batches(lengths: Codes, batch_tokens: int) -> list[Codes]:
    """Places of pairs of one length that go through the model together; those of length 0 are left out."""
    budget, fit = Budget(batch_tokens), np.flatnonzero(lengths)
    batches = []
    for bucket in buckets(lengths[fit]):
        places = fit[bucket]
        size = budget.texts(int(lengths[places[0]]), vocabulary=1)
        batches += [places[start : start + size] for start in range(0, len(places), size)]
    return batches


def run_with(judge: Judge, batch_tokens: int) -> RunJudge:
    """Scores batches with one judge, one after the other, in parts if the memory runs out."""
    budget = Budget(batch_tokens)

    def run(batches: Sequence[Sequence[Encoded]]) -> Iterator[tuple[int, npt.NDArray[np.float64]]]:
        for number, batch in enumerate(batches):
            yield number, score_batch(judge, batch, budget)

    return run


def score_batch(judge: Judge, batch: Sequence[Encoded], budget: Budget) -> npt.NDArray[np.float64]:
    """(pairs,) P(entailment) of pairs of one length; `budget` is halved if the memory runs out.

    Raises:
        OutsideError: The device has not the memory for a single pair.
    """
    values = np.full(len(batch), np.nan)

    def work(some: Codes) -> None:
        values[some] = judge.score([batch[place] for place in some])

    budget.run(np.arange(len(batch)), partial(budget.texts, len(batch[0]["input_ids"]), vocabulary=1), work)
    return values


def ordered_pairs(texts: Sequence[str]) -> list[Pair]:
    """All n × (n - 1) ordered pairs of different places, those of the first text as the hypothesis first."""
    return [(other, one) for i, one in enumerate(texts) for j, other in enumerate(texts) if i != j]


def text_consistencies(
    judge: Judge, groups: Sequence[Sequence[str]], *, batch_tokens: int = 8192, run: RunJudge | None = None
) -> list[Judged]:
    """How far each text of a group follows from its others: TC_i = mean over j ≠ i of P(entailment | r_i, r_j).

    Source: "A Statistical Analysis of LLMs' Self-Evaluation Using Proverbs" (PRICAI 2024), text consistency, where r_i
    is the hypothesis and r_j the premise. The pairs of all groups go through the model together.

    Args:
        judge: Who tells.
        groups: Of each group at least two texts, such as answers to one question.
        batch_tokens: Tokens in a batch, at most.
        run: Scores batches on other devices or machines; None scores them with `judge`.

    Returns:
        Of each group (n,) one number a text; none for a text that has a pair without one.

    Raises:
        InputError: A group has fewer than two texts.
    """
    alone = next((place for place, texts in enumerate(groups) if len(texts) < 2), None)
    if alone is not None:
        count = len(groups[alone])
        raise InputError(f"group {alone} has {count} texts; at least two are needed to compare them with each other")
    pairs = [pair for texts in groups for pair in ordered_pairs(texts)]
    judged = entailment(judge, pairs, batch_tokens=batch_tokens, run=run)
    results, start = [], 0
    for texts in groups:
        n = len(texts)
        stop = start + n * (n - 1)
        problems = [judged.problem[first : first + n - 1] for first in range(start, stop, n - 1)]
        # Exact sums do not depend on the order, so equal sets of answers have equal values.
        means = [math.fsum(row) / (n - 1) for row in judged.value[start:stop].reshape(n, n - 1).tolist()]
        results.append(Judged(np.asarray(means), tuple(map(_problem_of, problems))))
        start = stop
    return results


def _problem_of(problems: Sequence[str | None]) -> str | None:
    """What stands in a text's way, of its pairs' problems."""
    bad = [problem for problem in problems if problem]
    return f"{len(bad)} of {len(problems)} pairs: {bad[0]}" if bad else None


def _encoded(judge: Judge, pairs: Sequence[Pair]) -> list[Encoded]:
    starts = range(0, len(pairs), _ENCODED_AT_ONCE)
    return [inputs for start in starts for inputs in judge.encode(pairs[start : start + _ENCODED_AT_ONCE])]


def _unfit(pair: Pair, inputs: Encoded, longest: int) -> str | None:
    if not (pair[0].strip() and pair[1].strip()):
        return "a text is empty"
    length = len(inputs["input_ids"])
    return f"too long: {length} tokens, the model takes {longest}" if length > longest else None


def _tensors(batch: Sequence[Encoded], device: Any) -> dict[str, torch.Tensor]:
    import torch

    return {name: torch.tensor([inputs[name] for inputs in batch], device=device) for name in batch[0]}


class Classifier:
    """A sequence classifier that knows "entailment" as one of its labels.

    Args:
        name: As the user gave it.
        model: In evaluation mode, on its device.
        tokenizer: Its tokenizer.
        revision: What identifies it.

    Attributes:
        longest: Tokens in a pair, at most.
        labels: The model's labels, in the order of its outputs.
        label: The place of entailment among them.

    Raises:
        InputError: The model's config does not name the label of entailment.
    """

    def __init__(self, name: str, model: Any, tokenizer: Any, revision: str) -> None:
        self.labels = label_names(model.config, name)
        self.label = entailment_label(self.labels, name)
        self.longest = max_length(model, tokenizer)
        self._name, self._model, self._tokenizer, self._revision = name, model, tokenizer, revision
        self._inputs = set(inspect.signature(model.forward).parameters)
        use_onednn(model)
        # Without padding the last token is the last one. Models that look for the padding want to know what it is.
        text = model.config.get_text_config()
        if getattr(text, "pad_token_id", None) is None:
            text.pad_token_id = -1

    @classmethod
    def load(cls, name: str, *, device: str = "auto", dtype: str = "auto") -> Classifier:
        """Loads it by folder or by name on the Hub.

        Raises:
            InputError: The model cannot be found or cannot be used; the message names the reason.
        """
        place = resolve_device(device)
        model, tokenizer = load_classifier(name, resolve_dtype(dtype, place), place)
        return cls(name, model, tokenizer, model_revision(name, model.config))

    def encode(self, pairs: Sequence[Pair]) -> list[Encoded]:
        """The pairs as the tokenizer joins them, with the segments where the model reads them."""
        made = self._tokenizer(
            [one for one, _ in pairs], [other for _, other in pairs], truncation=False, verbose=False
        )
        names = [name for name in made if name in self._inputs and name != "attention_mask"]
        return [{name: made[name][place] for name in names} for place in range(len(pairs))]

    def score(self, batch: Sequence[Encoded]) -> npt.NDArray[np.float64]:
        """(pairs,) the softmax's share of entailment."""
        return self.shares(batch)[:, self.label]

    def shares(self, batch: Sequence[Encoded]) -> npt.NDArray[np.float64]:
        """(pairs, labels) the softmax over all labels, of pairs of one length."""
        import torch

        with torch.inference_mode():
            logits = self._model(**_tensors(batch, self._model.device)).logits
            probabilities: npt.NDArray[np.float64] = logits.double().softmax(-1).cpu().numpy()
        return probabilities

    def describe(self) -> dict[str, Any]:
        """What the numbers depend on."""
        return {
            "method": "sequence classifier",
            "model": self._name,
            "revision": self._revision,
            "dtype": _dtype(self._model),
            "device": str(self._model.device),
            "labels": list(self.labels),
            "label": self.labels[self.label],
            "note": model_note(self._name),
        }


def label_names(config: Any, name: str) -> tuple[str, ...]:
    """The labels of a classifier in the order of its outputs.

    Args:
        config: The model's config, with `id2label` and `label2id`.
        name: The model, for messages.

    Raises:
        InputError: The two contradict each other, or the labels have no names.
    """
    by_id = {int(place): str(label) for place, label in (config.id2label or {}).items()}
    by_label = {int(place): str(label) for label, place in (config.label2id or {}).items()}
    named = [labels for labels in (by_id, by_label) if labels and not all(map(_unnamed, labels.values()))]
    if not named:
        names = ", ".join(by_id.values()) or "none"
        raise InputError(f"the model's labels have no names: {names}", where=name, hint=_HINT_LABELS)
    if any(labels != named[0] for labels in named) or sorted(named[0]) != list(range(len(named[0]))):
        raise InputError(
            f"id2label says {by_id}, label2id says {by_label}: which label is which?", where=name, hint=_HINT_LABELS
        )
    return tuple(named[0][place] for place in range(len(named[0])))


def entailment_label(labels: Sequence[str], name: str) -> int:
    """The place of the label that means entailment; case does not matter.

    Raises:
        InputError: There is none, or more than one.
    """
    places = [place for place, label in enumerate(labels) if label.strip().casefold() in ENTAILMENT_NAMES]
    if len(places) != 1 or len(labels) < 2:
        raise InputError(
            f"{len(places)} of the model's labels ({', '.join(labels)}) mean entailment, expected one of several",
            where=name,
            hint="Give a classifier that was trained on natural language inference. " + _HINT_LABELS,
        )
    return places[0]


_HINT_LABELS: Final = (
    "Its card has the order that it was trained with; write it into a copy's config.json, such as "
    '"id2label": {"0": "contradiction", "1": "neutral", "2": "entailment"} and "label2id" to match.'
)


def _unnamed(label: str) -> bool:
    return label.casefold().startswith(_UNNAMED) and label[len(_UNNAMED) :].isdigit()


class YesNo:
    """A causal language model that is asked whether the hypothesis follows: P = p(yes) / (p(yes) + p(no)).

    Yes and no are summed over their forms (capital letters, a blank before them) as the token that follows the
    question. Only the last position's logits are computed. A model with a chat template is asked in its form.

    Args:
        loaded: The model.

    Attributes:
        longest: Tokens in a question, at most.

    Raises:
        InputError: It is no causal model, or its vocabulary lacks yes or no as one token.
    """

    def __init__(self, loaded: LoadedModel) -> None:
        if loaded.kind != "causal":
            raise InputError(f"the model is {loaded.kind}, and only a causal one can be asked", where=loaded.name)
        self._loaded = loaded
        self._yes, self._no = (_tokens(loaded, forms) for forms in (_YES, _NO))
        self._chat = bool(loaded.tokenizer.chat_template)
        self.longest = max_length(loaded.model, loaded.tokenizer)
        use_onednn(loaded.model)
        known = inspect.signature(loaded.model.forward).parameters
        self._options = {name: value for name, value in (("logits_to_keep", 1), ("use_cache", False)) if name in known}

    def encode(self, pairs: Sequence[Pair]) -> list[Encoded]:
        """The questions, one a pair."""
        texts = [question(*pair) for pair in pairs]
        if self._chat:
            texts = [chat_text(self._loaded.tokenizer, "", text) for text in texts]
        made = self._loaded.tokenizer(texts, truncation=False, verbose=False, add_special_tokens=not self._chat)
        return [{"input_ids": ids} for ids in made["input_ids"]]

    def score(self, batch: Sequence[Encoded]) -> npt.NDArray[np.float64]:
        """(pairs,) the share of yes among yes and no."""
        import torch

        model = self._loaded.model
        with torch.inference_mode():
            logits = model(**_tensors(batch, model.device), **self._options).logits[:, -1].double()
            yes, no = (logits[:, tokens].logsumexp(-1) for tokens in (self._yes, self._no))
            probabilities: npt.NDArray[np.float64] = torch.sigmoid(yes - no).cpu().numpy()
        return probabilities

    def describe(self) -> dict[str, Any]:
        """What the numbers depend on."""
        words = self._loaded.tokenizer.convert_ids_to_tokens
        return {
            "method": "yes/no likelihood of a causal language model",
            "model": self._loaded.name,
            "revision": self._loaded.revision,
            "dtype": _dtype(self._loaded.model),
            "device": str(self._loaded.model.device),
            "question": question("{premise}", "{hypothesis}"),
            "form": "chat template" if self._chat else "plain text",
            "yes": words(self._yes),
            "no": words(self._no),
            "note": self._loaded.note,
        }


def question(premise: str, hypothesis: str) -> str:
    """What a causal model is asked about a pair."""
    ask = "Does the hypothesis follow from the premise? Answer yes or no."
    return f"Premise: {premise}\nHypothesis: {hypothesis}\n{ask}"


def _tokens(loaded: LoadedModel, forms: Sequence[str]) -> list[int]:
    """The forms of a word that are one token of the model."""
    made = loaded.tokenizer(list(forms), add_special_tokens=False)["input_ids"]
    tokens = sorted({ids[0] for ids in made if len(ids) == 1} - {loaded.tokenizer.unk_token_id})
    if not tokens:
        raise InputError(
            f"the model's vocabulary has no form of {forms[0]!r} as one token",
            where=loaded.name,
            hint="Give another causal model, or a classifier that was trained on natural language inference.",
        )
    return tokens


def _dtype(model: Any) -> str:
    return str(next(model.base_model.parameters()).dtype).removeprefix("torch.")
