"""An encoder with a linear layer that chooses among a question's options.

Each option is put to the encoder with the context as the tokenizer's own pair, `[CLS] context [SEP] option [SEP]` for
BERT; the last hidden state of the first token goes through one linear layer to a logit, and the softmax is over the
question's options (Omura, Kawahara and Kurohashi 2020, section 4).

What the paper leaves open: a pair that is longer than the model takes loses the beginning of its context, since the
predicate and the marker stand at a Japanese clause's end; such questions are counted. A question with an option that
does not fit by itself is not asked, and counted as well.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tashika.core.errors import InputError
from tashika.core.models import load_tokenizer, model_kind
from tashika.core.pretrained import load_weights, quiet
from tashika.evaluate.engine.blank_model import max_length
from tashika.evaluate.ways.names import Show
from tashika.evaluate.ways.questions import Logits, Question

if TYPE_CHECKING:
    import torch

Places = npt.NDArray[np.int64]
_ENCODER: Final = "encoder"
_HEAD: Final = "head"
_HEAD_SPREAD: Final = 0.02  # as BERT's own weights start
_AT_ONCE: Final = 1_000


@dataclass(frozen=True)
class Chooser:
    """An encoder with its linear layer.

    Attributes:
        modules: `encoder` and `head`, a `torch.nn.ModuleDict`.
        tokenizer: The encoder's.
        device: Where it runs.
        longest: Tokens that it takes, at most.
        inputs: What the encoder takes beside ids and mask.
    """

    modules: Any
    tokenizer: Any
    device: str
    longest: int
    inputs: tuple[str, ...]


class Encoded(NamedTuple):
    """Questions as tokens.

    Attributes:
        ids: Of every question and option the token ids; an empty list of options where a question does not fit.
        types: Token types in the same shape.
        answers: (questions,) the right option's place.
        length: (questions,) tokens of the longest option with its context; 0 where a question does not fit.
        truncated: How many questions lost a part of their context.
    """

    ids: Sequence[Sequence[Sequence[int]]]
    types: Sequence[Sequence[Sequence[int]]]
    answers: Places
    length: Places
    truncated: int

    @property
    def fitting(self) -> Places:
        """The places of the questions that fit."""
        return np.flatnonzero(self.length)

    @property
    def too_long(self) -> int:
        """How many questions do not fit."""
        return int((self.length == 0).sum())


def load_chooser(name: str, *, device: str, longest: int, seed: int) -> Chooser:
    """Loads an encoder, and a linear layer with random weights that depend on the seed alone.

    Args:
        name: A folder, or a name on the Hub; any encoder whose tokenizer puts a token for the whole first.
        device: `cpu`, `cuda` or `cuda:N`.
        longest: Tokens that are used, at most; fewer where the model takes fewer.
        seed: Of the linear layer, and of a pooler that the checkpoint lacks (which is not used).

    Raises:
        InputError: The model cannot be loaded, is no encoder, or its checkpoint lacks weights.
    """
    import torch

    if model_kind(name) == "causal":
        raise InputError("this is a causal model, and an encoder is fine-tuned", where=name, hint=_HINT)
    tokenizer = load_tokenizer(name)
    torch.manual_seed(seed)
    encoder = _load_encoder(name)
    head = torch.nn.Linear(encoder.config.hidden_size, 1)
    torch.nn.init.normal_(head.weight, std=_HEAD_SPREAD)
    torch.nn.init.zeros_(head.bias)
    _check_pair(name, tokenizer)
    takes = inspect.signature(encoder.forward).parameters
    typed = "token_type_ids" in takes and getattr(encoder.config, "type_vocab_size", 2) > 1
    return Chooser(
        torch.nn.ModuleDict({_ENCODER: encoder, _HEAD: head}).to(device),
        tokenizer,
        device,
        min(longest, max_length(encoder, tokenizer)),
        ("token_type_ids",) if typed else (),
    )


_HINT: Final = "Give an encoder of the BERT family: a folder that save_pretrained made, or a name on the Hub."


def _load_encoder(name: str) -> Any:
    from transformers import AutoModel

    model, info = load_weights(AutoModel, name, hint=_HINT)
    missing = sorted(str(key) for key in info["missing_keys"] if "pooler" not in str(key))
    if missing:
        raise InputError(f"the checkpoint lacks weights: {', '.join(missing[:3])} would be random", where=name)
    return model.float()


def _check_pair(name: str, tokenizer: Any) -> None:
    """The logit is read off the first token: that must be one for the whole, and pairs need a sign between them."""
    whole = {tokenizer.cls_token_id, tokenizer.bos_token_id} - {None}
    ids = tokenizer("あ", "い")["input_ids"]
    marks = [place for place, token in enumerate(ids) if token in {tokenizer.sep_token_id, tokenizer.eos_token_id}]
    if not ids or ids[0] not in whole or not any(0 < place < len(ids) - 1 for place in marks):
        raise InputError(
            "the tokenizer makes no pair of the form [CLS] context [SEP] option [SEP]", where=name, hint=_HINT
        )
    if tokenizer.pad_token_id is None:
        raise InputError("the tokenizer has no padding token", where=name, hint=_HINT)


def encode(chooser: Chooser, questions: Sequence[Question], show: Show = "both") -> Encoded:
    """Turns questions into tokens.

    Args:
        chooser: Whose tokenizer and length count.
        questions: What to encode.
        show: What the model sees.
    """
    pairs = [(one.context if show == "both" else "", option) for one in questions for option in one.options]
    ids, types = [], []
    cut = np.zeros(len(pairs), dtype=bool)
    with quiet():
        for start in range(0, len(pairs), _AT_ONCE):
            part = _pairs(chooser.tokenizer, pairs[start : start + _AT_ONCE])
            ids += part[0]
            types += part[1]
        for place in [place for place, one in enumerate(ids) if len(one) > chooser.longest]:
            ids[place], types[place] = _shortened(chooser, *pairs[place])
            cut[place] = True
    return _by_question(questions, ids, types, cut)


def _by_question(
    questions: Sequence[Question], ids: Sequence[list[int]], types: Sequence[list[int]], cut: npt.NDArray[np.bool_]
) -> Encoded:
    grouped: list[list[list[int]]] = []
    grouped_types: list[list[list[int]]] = []
    length, truncated, place = [], 0, 0
    for question in questions:
        here = slice(place, place + len(question.options))
        fits = all(ids[here])
        grouped.append(list(ids[here]) if fits else [])
        grouped_types.append(list(types[here]) if fits else [])
        length.append(max(len(one) for one in ids[here]) if fits else 0)
        truncated += bool(fits and cut[here].any())
        place = here.stop
    answers = np.asarray([question.answer for question in questions], dtype=np.int64)
    return Encoded(grouped, grouped_types, answers, np.asarray(length, dtype=np.int64), truncated)


def _pairs(tokenizer: Any, pairs: Sequence[tuple[str, str]], **how: Any) -> tuple[list[list[int]], list[list[int]]]:
    encoded = tokenizer(
        [context for context, _ in pairs],
        [option for _, option in pairs],
        return_token_type_ids=True,
        return_attention_mask=False,
        **how,
    )
    return encoded["input_ids"], encoded["token_type_ids"]


def _shortened(chooser: Chooser, context: str, option: str) -> tuple[list[int], list[int]]:
    """A pair without the beginning of its context; empty where the option leaves no room for a token of it."""
    tokenizer = chooser.tokenizer
    bare = len(_pairs(tokenizer, [("", option)])[0][0])
    if bare >= chooser.longest:
        return [], []
    side, tokenizer.truncation_side = tokenizer.truncation_side, "left"
    try:
        ids, types = _pairs(tokenizer, [(context, option)], truncation="only_first", max_length=chooser.longest)
    finally:
        tokenizer.truncation_side = side
    return ids[0], types[0]


def logits_of(chooser: Chooser, encoded: Encoded, places: Places, dropout: float = 0.0) -> torch.Tensor:
    """The logits of some questions, (questions, options), float32.

    Args:
        chooser: The model; in training mode its own dropout works.
        encoded: The questions.
        places: Which of them; all must fit, and have the same number of options.
        dropout: Of the first token's state, in training mode alone.
    """
    import torch

    rows = [one for place in places.tolist() for one in encoded.ids[place]]
    types = [one for place in places.tolist() for one in encoded.types[place]]
    width = max(len(row) for row in rows)
    padding = chooser.tokenizer.pad_token_id
    inputs = {
        "input_ids": torch.tensor([[*row, *[padding] * (width - len(row))] for row in rows]),
        "attention_mask": torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows]),
    }
    if "token_type_ids" in chooser.inputs:
        inputs["token_type_ids"] = torch.tensor([[*row, *[0] * (width - len(row))] for row in types])
    inputs = {name: value.to(chooser.device) for name, value in inputs.items()}
    first = chooser.modules[_ENCODER](**inputs).last_hidden_state[:, 0]
    first = torch.nn.functional.dropout(first, dropout, training=chooser.modules.training)
    logits: torch.Tensor = chooser.modules[_HEAD](first).float().view(len(places), -1)
    return logits


def loss_and_right(logits: torch.Tensor, answers: Places) -> tuple[torch.Tensor, int]:
    """The sum of the cross-entropies of a batch's softmaxes over the options, and how many choices are right."""
    import torch

    target = torch.from_numpy(answers).to(logits.device)
    loss = torch.nn.functional.cross_entropy(logits, target, reduction="sum")
    return loss, int((logits.argmax(dim=1) == target).sum())


def scored(chooser: Chooser, encoded: Encoded, batch: int, autocast: Any) -> Logits:
    """The logits of all questions; NaN for those that do not fit.

    Args:
        chooser: The model.
        encoded: The questions.
        batch: Questions at once.
        autocast: Makes the context that the model runs in, for its precision.

    Returns:
        (questions, options).
    """
    import torch

    options = max((len(one) for one in encoded.ids), default=0)
    scores = np.full((len(encoded.ids), options), np.nan, dtype=np.float32)
    chooser.modules.eval()
    with torch.inference_mode():
        for places in by_length(encoded, batch):
            with autocast():
                logits = logits_of(chooser, encoded, places)
            scores[places] = logits.cpu().numpy()
    return scores


def by_length(encoded: Encoded, batch: int) -> Iterator[Places]:
    """Questions of like length together, those that fit."""
    fitting = encoded.fitting
    order = fitting[np.argsort(encoded.length[fitting], kind="stable")]
    for start in range(0, len(order), batch):
        yield order[start : start + batch]


def shuffled(encoded: Encoded, batch: int, seed: Sequence[int]) -> list[Places]:
    """An epoch's batches: all questions that fit in a random order, those of like length together for little padding.

    Args:
        encoded: The questions.
        batch: Questions in an update.
        seed: Of the order; the same seed, the same batches.
    """
    generator = np.random.default_rng(list(seed))
    order = generator.permutation(encoded.fitting)
    stretch = batch * _STRETCH
    batches = []
    for start in range(0, len(order), stretch):
        part = order[start : start + stretch]
        part = part[np.argsort(encoded.length[part], kind="stable")]
        batches += [part[first : first + batch] for first in range(0, len(part), batch)]
    return [batches[place] for place in generator.permutation(len(batches)).tolist()]


_STRETCH: Final = 8
"""Batches that are sorted by length together: enough against padding, and few enough that batches stay mixed."""
