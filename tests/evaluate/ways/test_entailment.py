"""P(entailment) against a slow float64 reference, for tiny random classifiers and a causal model."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tashika.core.errors import InputError, OutsideError
from tashika.core.models import is_classifier, load_classifier, load_model
from tashika.evaluate.ways.entailment import (
    Classifier,
    Encoded,
    Judge,
    Pair,
    YesNo,
    entailment,
    entailment_label,
    label_names,
    load_judge,
    ordered_pairs,
    question,
    text_consistencies,
)

TEXTS = [
    "Paris is the capital of France.",
    "France",
    "Ada was born in London.",
    "Where was Ada Lovelace born? In London.",
    "Germany's capital is Berlin.",
    "GA",
]
PAIRS = [*ordered_pairs(TEXTS), ("GA", "GA")]
LABELS = ("Contradiction", "Neutral", "ENTAILMENT")
SHAPE: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
}


def _pairs_tokenizer(family: str, folder: str) -> Any:
    """The family's tokenizer, which joins two texts as the family's own does."""
    from tokenizers import processors
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    if family == "bert":
        tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", tokenizer.cls_token_id), ("[SEP]", tokenizer.sep_token_id)],
        )
    tokenizer.model_max_length = 62
    return tokenizer


def _far_from_even(model: Any) -> Any:
    torch.manual_seed(5)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.normal_(0.0, 0.4)
    return model


@pytest.fixture(scope="session")
def tiny_classifier(tiny_model: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Gives the folder of a tiny random classifier of a family, with some labels."""
    import transformers as t

    made: dict[Any, str] = {}

    def get(family: str, labels: tuple[str, ...] = LABELS) -> str:
        if (family, labels) not in made:
            folder = tmp_path_factory.mktemp(f"{family}-classifier")
            tokenizer = _pairs_tokenizer(family, tiny_model(family))
            names: dict[str, Any] = {
                "id2label": dict(enumerate(labels)),
                "label2id": {label: place for place, label in enumerate(labels)},
                "vocab_size": len(tokenizer),
            }
            model: Any = {
                "bert": lambda: t.BertForSequenceClassification(t.BertConfig(**SHAPE, **names)),
                "roberta": lambda: t.RobertaForSequenceClassification(
                    t.RobertaConfig(**SHAPE, **names, pad_token_id=1)
                ),
                "llama": lambda: t.LlamaForSequenceClassification(t.LlamaConfig(**SHAPE, **names)),
            }[family]()
            _far_from_even(model).save_pretrained(folder)
            tokenizer.save_pretrained(folder)
            made[family, labels] = str(folder)
        return made[family, labels]

    return get


@pytest.fixture(scope="session")
def yes_no_folder(tiny_model: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny random llama that has tokens for yes and no."""
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    tokenizer: Any = AutoTokenizer.from_pretrained(tiny_model("llama"))
    tokenizer.add_tokens(["Yes", "yes", "No"])
    tokenizer.model_max_length = 400
    folder = tmp_path_factory.mktemp("yes-no")
    shape = {**SHAPE, "max_position_embeddings": 400}
    _far_from_even(LlamaForCausalLM(LlamaConfig(**shape, vocab_size=len(tokenizer)))).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def slow_classifier(folder: str, pairs: list[Pair], label: int) -> npt.NDArray[np.float64]:
    """One pair at a time, in float64, through transformers alone."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model: Any = AutoModelForSequenceClassification.from_pretrained(folder).double().eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    found = []
    with torch.no_grad():
        for premise, hypothesis in pairs:
            inputs = tokenizer(premise, hypothesis, return_tensors="pt")
            if model.config.model_type == "llama":
                inputs.pop("token_type_ids", None)
            found.append(float(model(**inputs).logits.softmax(-1)[0, label]))
    return np.asarray(found)


def slow_yes_no(folder: str, pairs: list[Pair]) -> npt.NDArray[np.float64]:
    loaded = load_model(folder, device="cpu")
    model, tokenizer = loaded.model.double(), loaded.tokenizer
    yes, no = tokenizer.convert_tokens_to_ids(["Yes", "yes"]), tokenizer.convert_tokens_to_ids(["No"])
    found = []
    with torch.no_grad():
        for pair in pairs:
            p = model(torch.tensor([tokenizer(question(*pair)).input_ids])).logits[0, -1].softmax(-1)
            found.append(float(p[yes].sum() / (p[yes].sum() + p[no].sum())))
    return np.asarray(found)


@pytest.mark.parametrize("family", ["bert", "roberta", "llama"])
@pytest.mark.parametrize("labels", [LABELS, ("entailment", "not_entailment")])
def test_a_classifier_agrees_with_the_slow_way(
    tiny_classifier: Callable[..., str], family: str, labels: tuple[str, ...]
) -> None:
    folder = tiny_classifier(family, labels)
    judge = Classifier.load(folder, device="cpu")
    label = 2 if labels is LABELS else 0
    assert (judge.label, judge.labels) == (label, labels)
    judged = entailment(judge, PAIRS)
    expected = slow_classifier(folder, PAIRS, label)
    assert np.ptp(expected) > 0.05
    np.testing.assert_allclose(judged.value, expected, atol=1e-5)
    assert judged.problem == (None,) * len(PAIRS)


def test_yes_and_no_agree_with_the_slow_way(yes_no_folder: str) -> None:
    judge = YesNo(load_model(yes_no_folder, device="cpu"))
    expected = slow_yes_no(yes_no_folder, PAIRS)
    assert np.ptp(expected) > 0.05
    np.testing.assert_allclose(entailment(judge, PAIRS).value, expected, atol=1e-5)
    described = judge.describe()
    assert described["method"] == "yes/no likelihood of a causal language model"
    assert (set(described["yes"]), described["no"]) == ({"Yes", "yes"}, ["No"])
    assert "nli" not in json.dumps(described, ensure_ascii=False).casefold()


@pytest.mark.parametrize("family", ["bert", "roberta", "llama", "yes/no"])
def test_order_and_batches_change_nothing(tiny_classifier: Callable[..., str], yes_no_folder: str, family: str) -> None:
    judge = load_judge(yes_no_folder if family == "yes/no" else tiny_classifier(family), device="cpu")
    whole = entailment(judge, PAIRS).value
    shuffled = random.Random(1).sample(range(len(PAIRS)), len(PAIRS))
    again = entailment(judge, [PAIRS[place] for place in shuffled]).value
    assert np.array_equal(again, whole[shuffled])  # the same batches, so the same bits
    for batch_tokens in (1, 100):
        np.testing.assert_allclose(entailment(judge, PAIRS, batch_tokens=batch_tokens).value, whole, atol=1e-5)


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
@pytest.mark.parametrize("family", ["bert", "roberta", "llama"])
def test_a_lower_precision_leaves_the_head_in_fp32(
    tiny_classifier: Callable[..., str], family: str, dtype: Any
) -> None:
    folder = tiny_classifier(family)
    model, _ = load_classifier(folder, dtype)
    head = [weight for name, weight in model.named_parameters() if not name.startswith(model.base_model_prefix)]
    assert head
    assert {weight.dtype for weight in head} == {torch.float32}
    judge = load_judge(folder, device="cpu", dtype=dtype)
    assert judge.describe()["dtype"] == {"bf16": "bfloat16", "fp16": "float16"}[dtype]
    np.testing.assert_allclose(entailment(judge, PAIRS).value, slow_classifier(folder, PAIRS, 2), atol=0.05)


class Counting:
    """A judge whose number is the length of the hypothesis over that of the premise, and who remembers its batches."""

    def __init__(self, longest: int = 100, room: int = 10**9) -> None:
        self.longest = longest
        self.room = room
        self.batches: list[list[tuple[int, int]]] = []

    def encode(self, pairs: Any) -> list[Encoded]:
        return [{"input_ids": [len(one), len(other)] + [0] * (len(one) + len(other) - 2)} for one, other in pairs]

    def score(self, batch: Any) -> npt.NDArray[np.float64]:
        if len(batch) > self.room:
            raise torch.OutOfMemoryError("CUDA out of memory")
        self.batches.append([tuple(inputs["input_ids"][:2]) for inputs in batch])
        return np.asarray([one and other / one / 100 for one, other in self.batches[-1]])

    def describe(self) -> dict[str, Any]:
        return {}


WORDS = st.text("ab", min_size=1, max_size=6)


@settings(deadline=None)
@given(pairs=st.lists(st.tuples(WORDS, WORDS), max_size=30), batch_tokens=st.integers(1, 40))
def test_equal_pairs_are_judged_once_in_batches_of_one_length(pairs: list[Pair], batch_tokens: int) -> None:
    judge = Counting()
    judged = entailment(judge, pairs, batch_tokens=batch_tokens)
    np.testing.assert_array_equal(judged.value, [len(other) / len(one) / 100 for one, other in pairs])
    assert sum(map(len, judge.batches)) == len(set(pairs))
    lengths = [{one + other for one, other in batch} for batch in judge.batches]
    assert all(len(found) == 1 for found in lengths)
    assert [max(found) for found in lengths] == sorted((max(found) for found in lengths), reverse=True)
    assert all(
        len(batch) * max(found) <= max(batch_tokens, *found)
        for batch, found in zip(judge.batches, lengths, strict=True)
    )


@pytest.mark.slow
def test_a_batch_that_is_too_big_for_the_device_is_halved() -> None:
    pairs = [("a" * n, "b" * (9 - n)) for n in range(1, 9)]
    assert np.array_equal(entailment(Counting(room=3), pairs).value, entailment(Counting(), pairs).value)
    with pytest.raises(OutsideError, match="does not hold the model and a single text"):
        entailment(Counting(room=0), pairs)


def test_what_is_too_long_or_empty_has_no_number_and_a_reason(tiny_classifier: Callable[..., str]) -> None:
    judge = Classifier.load(tiny_classifier("roberta"), device="cpu")
    assert judge.longest == 62
    length = len(judge.encode([("GA", "?")])[0]["input_ids"])  # each further "?" is a token of its own
    fits, long = ("GA", "?" * (63 - length)), ("GA", "?" * (64 - length))
    judged = entailment(judge, [long, fits, ("GA", " "), ("", "GA"), long])
    assert judged.problem == (
        "too long: 63 tokens, the model takes 62",
        None,
        *["a text is empty"] * 2,
        judged.problem[0],
    )
    assert np.isnan(judged.value).tolist() == [True, False, True, True, True]
    np.testing.assert_allclose(judged.value[1], slow_classifier(tiny_classifier("roberta"), [fits], 2), atol=1e-5)


def test_an_output_that_is_not_a_number_is_a_problem() -> None:
    judge = Counting()
    judge.score = lambda batch: np.full(len(batch), np.nan)  # type: ignore[method-assign]
    judged = entailment(judge, [("a", "b")])
    assert judged.problem == ("the model's output is not a number",)
    assert entailment(judge, []).value.shape == (0,)


def test_text_consistency_is_the_mean_over_the_other_texts() -> None:
    # The judge says |hypothesis| / |premise| / 100; of lengths 1, 2 and 4: (1/2 + 1/4)/2, (2/1 + 2/4)/2, (4/1 + 4/2)/2.
    (judged,) = text_consistencies(Counting(), [["a", "bb", "cccc"]])
    np.testing.assert_allclose(100 * judged.value, [0.375, 1.25, 3.0])
    assert judged.problem == (None, None, None)
    two, three = text_consistencies(Counting(), [["a", "a"], ["a", "bb", "cccc"]])
    np.testing.assert_allclose(100 * two.value, [1.0, 1.0])
    assert np.array_equal(three.value, judged.value)
    assert text_consistencies(Counting(), []) == []


def test_a_text_with_a_pair_that_has_no_number_has_none_itself() -> None:
    (judged,) = text_consistencies(Counting(longest=6), [["a", "bb", "ccccc"]])
    assert judged.problem == (None, "1 of 2 pairs: too long: 7 tokens, the model takes 6", judged.problem[1])
    assert np.isnan(judged.value).tolist() == [False, True, True]
    with pytest.raises(InputError, match="group 1 has 1 texts"):
        text_consistencies(Counting(), [["a", "b"], ["a"]])


def test_all_ordered_pairs_of_places() -> None:
    assert ordered_pairs(["a", "b", "a"]) == [("b", "a"), ("a", "a"), ("a", "b"), ("a", "b"), ("a", "a"), ("b", "a")]


@pytest.mark.parametrize(
    ("labels", "place"),
    [
        (("contradiction", "neutral", "entailment"), 2),
        (("entailment", "neutral", "contradiction"), 0),
        (("CONTRADICTION", "Entail", "NEUTRAL"), 1),
        (("not_entailment", "entailment"), 1),
        (("entailment", "not_entailment"), 0),
        (("Entailment", "Non-Entailment"), 0),
    ],
)
def test_entailment_is_found_by_its_name(labels: tuple[str, ...], place: int) -> None:
    assert entailment_label(labels, "m") == place


@pytest.mark.parametrize("labels", [("negative", "positive"), ("entailment",), ("entailment", "entail", "neutral")])
def test_labels_that_do_not_tell_are_refused(labels: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=f"of the model's labels .{', '.join(labels)}. mean entailment") as caught:
        entailment_label(labels, "m")
    assert "natural language inference" in str(caught.value)


@pytest.mark.parametrize(
    ("id2label", "label2id", "expected"),
    [
        ({0: "no", 1: "entailment"}, {"no": 0, "entailment": 1}, ("no", "entailment")),
        ({"1": "entailment", "0": "no"}, None, ("no", "entailment")),
        ({0: "LABEL_0", 1: "LABEL_1"}, {"no": 0, "entailment": 1}, ("no", "entailment")),
        ({0: "no", 1: "entailment"}, {"LABEL_0": 0, "LABEL_1": 1}, ("no", "entailment")),
    ],
)
def test_the_order_of_the_labels_is_the_configs(id2label: Any, label2id: Any, expected: tuple[str, ...]) -> None:
    assert label_names(SimpleNamespace(id2label=id2label, label2id=label2id), "m") == expected


@pytest.mark.parametrize(
    ("id2label", "label2id", "message"),
    [
        ({0: "LABEL_0", 1: "LABEL_1"}, {"LABEL_0": 0, "LABEL_1": 1}, "labels have no names: LABEL_0, LABEL_1"),
        (None, None, "labels have no names: none"),
        ({0: "no", 1: "entailment"}, {"no": 1, "entailment": 0}, "which label is which"),
        ({1: "no", 2: "entailment"}, None, "which label is which"),
    ],
)
def test_a_config_that_does_not_tell_the_order_is_refused(id2label: Any, label2id: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        label_names(SimpleNamespace(id2label=id2label, label2id=label2id), "some/model")
    assert "some/model" in str(caught.value)
    assert "config.json" in str(caught.value)


def test_a_classifier_with_unnamed_labels_is_refused(tiny_classifier: Callable[..., str]) -> None:
    with pytest.raises(InputError, match="labels have no names: LABEL_0, LABEL_1, LABEL_2"):
        load_judge(tiny_classifier("bert", ("LABEL_0", "LABEL_1", "LABEL_2")), device="cpu")


@pytest.mark.parametrize("lost", ["classifier.weight", "bert.pooler.dense.weight"])
def test_a_classifier_whose_head_was_not_loaded_is_refused(
    tiny_classifier: Callable[..., str], tmp_path: Path, lost: str
) -> None:
    from shutil import copytree

    from safetensors.torch import load_file, save_file

    folder = Path(copytree(tiny_classifier("bert"), tmp_path / "copy"))
    weights = load_file(folder / "model.safetensors")
    del weights[lost]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=f"no whole classification head: {lost} would be random"):
        load_judge(str(folder), device="cpu")


def test_a_language_model_is_no_classifier(
    tiny_model: Callable[[str], str], tiny_classifier: Callable[..., str]
) -> None:
    assert is_classifier(tiny_classifier("llama"))
    assert not is_classifier(tiny_model("bert"))
    with pytest.raises(InputError, match=r"no whole classification head: .*would be random"):
        load_classifier(tiny_model("bert"))
    with pytest.raises(InputError, match="masked model is no sequence classifier"):
        load_judge(tiny_model("bert"), device="cpu")
    with pytest.raises(InputError, match="only a causal one can be asked"):
        YesNo(load_model(tiny_model("bert"), device="cpu"))


def test_a_vocabulary_without_yes_is_refused(tiny_model: Callable[[str], str]) -> None:
    with pytest.raises(InputError, match="no form of 'yes' as one token"):
        load_judge(tiny_model("llama"), device="cpu")


def test_a_chat_model_is_asked_in_the_form_of_its_template(yes_no_folder: str) -> None:
    loaded = load_model(yes_no_folder, device="cpu")
    loaded.tokenizer.chat_template = "<s>{% for m in messages %}{{ m.content }}{% endfor %}?"
    judge: Judge = YesNo(loaded)
    (made,) = judge.encode([("GA", "Paris")])
    assert (
        made["input_ids"] == loaded.tokenizer("<s>" + question("GA", "Paris") + "?", add_special_tokens=False).input_ids
    )
    assert judge.describe()["form"] == "chat template"
