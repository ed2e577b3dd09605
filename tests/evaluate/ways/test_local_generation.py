"""Asking a causal model on this machine."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tashika.core.errors import InputError, OutsideError, TashikaError
from tashika.core.llm import LlmSettings, Question, Reply
from tashika.core.models import LoadedModel, load_model
from tashika.evaluate.ways.generation import ask_all
from tashika.evaluate.ways.local_generation import LocalModel, chat_text
from tests.hostile import edit

PROMPTS = ["The capital of France is", "Paris", "Where was Ada Lovelace born? In", "Germany's capital", "What (", "GA"]
GREEDY: dict[str, Any] = {"temperature": 0.0}


@pytest.fixture
def llama(tiny_model: Callable[[str], str]) -> LoadedModel:
    return load_model(tiny_model("llama"), device="cpu")


def local(loaded: LoadedModel, cache: Path, *, batch_tokens: int = 4096, **values: Any) -> LocalModel:
    return LocalModel(loaded, LlmSettings(**values), cache, batch_tokens=batch_tokens)


def questions(max_tokens: int = 6, **values: Any) -> list[Question]:
    return [Question(prompt, max_tokens, **values) for prompt in PROMPTS]


def replies(model: LocalModel, wanted: list[Question]) -> list[Reply]:
    found = dict(model.replies(wanted))
    made = [found[place] for place in range(len(wanted))]
    assert all(isinstance(reply, Reply) for reply in made)
    return [reply for reply in made if isinstance(reply, Reply)]


def without_end(loaded: LoadedModel) -> None:
    """Lets no token end a reply: a random model says it at any time."""
    loaded.model.generation_config.eos_token_id = loaded.tokenizer.eos_token_id = None


def slowly(loaded: LoadedModel, prompt: str, tokens: int) -> list[int]:
    """The likeliest continuation, in float64, one text at a time, without a cache of what was read before."""
    model = load_model(loaded.name, device="cpu").model.double()
    ids = loaded.tokenizer(prompt).input_ids
    start = len(ids)
    while len(ids) < start + tokens:
        ids = [*ids, int(model(torch.tensor([ids])).logits[0, -1].argmax())]
    return list(ids[start:])


def counting(loaded: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the batches that run from now on."""
    sizes: list[int] = []
    generate = loaded.model.generate

    def counted(**inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        return generate(**inputs)

    monkeypatch.setattr(loaded.model, "generate", counted)
    return sizes


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_greedy_replies_are_the_likeliest_tokens_whatever_the_batch(
    tiny_model: Callable[[str], str], tmp_path: Path, family: str
) -> None:
    loaded = load_model(tiny_model(family), device="cpu")
    without_end(loaded)
    together = replies(local(loaded, tmp_path / "together", **GREEDY), questions())
    alone = replies(local(loaded, tmp_path / "alone", batch_tokens=1, **GREEDY), questions())
    assert together == alone
    for prompt, reply in zip(PROMPTS, together, strict=True):
        assert reply == Reply(
            loaded.tokenizer.decode(slowly(loaded, prompt, 6), skip_special_tokens=True), cut_off=True
        )


def test_a_reply_ends_where_the_model_or_the_stop_string_ends_it(llama: LoadedModel, tmp_path: Path) -> None:
    without_end(llama)
    plain = replies(local(llama, tmp_path, **GREEDY), questions(8))
    assert all(reply.cut_off for reply in plain)
    # Its own stop string for each, in one batch, made of what each says.
    stops = [reply.text[len(reply.text) // 2 :][:2] for reply in plain]
    stopped = [replace(question, stop=stop) for question, stop in zip(questions(8), stops, strict=True)]
    for reply, stop, whole in zip(replies(local(llama, tmp_path, **GREEDY), stopped), stops, plain, strict=True):
        assert reply == Reply(whole.text[: whole.text.index(stop)])
    # A checkpoint may name more tokens that end a reply than its tokenizer does.
    third = slowly(llama, PROMPTS[0], 3)[2]
    llama.model.generation_config.eos_token_id = [third, 1]
    (ended,) = replies(local(llama, tmp_path / "other", **GREEDY), questions(8)[:1])
    expected = slowly(llama, PROMPTS[0], 8)
    text = llama.tokenizer.decode(expected[: expected.index(third)], skip_special_tokens=True)
    assert ended == Reply(text)


def test_each_question_has_its_own_greatest_length(llama: LoadedModel, tmp_path: Path) -> None:
    model = local(llama, tmp_path, **GREEDY)
    mixed = [Question(PROMPTS[0], length) for length in (1, 4, 2)]
    for question, reply in zip(mixed, replies(model, mixed), strict=True):
        tokens = slowly(llama, PROMPTS[0], question.max_tokens)
        assert reply.text == llama.tokenizer.decode(tokens, skip_special_tokens=True)


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_a_long_prompt_with_a_short_reply_runs_beside_a_short_one_with_a_long_reply(
    tiny_model: Callable[[str], str], tmp_path: Path, family: str
) -> None:
    loaded = load_model(tiny_model(family), device="cpu")  # gpt2 has 48 positions and not one more
    without_end(loaded)
    long = " ".join(PROMPTS[:3])
    tokens = len(loaded.tokenizer(long).input_ids)
    assert 10 < tokens < 48
    mixed = [Question(long, 48 - tokens), Question("GA", 40), Question(long, 1)]
    made = replies(local(loaded, tmp_path, **GREEDY), mixed)
    assert [reply.text for reply in made] == [
        loaded.tokenizer.decode(slowly(loaded, question.prompt, question.max_tokens), skip_special_tokens=True)
        for question in mixed
    ]


def test_sampling_depends_on_the_request_and_on_nothing_else(llama: LoadedModel, tmp_path: Path) -> None:
    def said(folder: str, wanted: list[Question], **values: Any) -> dict[str, str]:
        model = local(llama, tmp_path / folder, **{"temperature": 1.0, "top_p": 1.0, **values})
        return {f"{q.prompt} {q.number}": r.text for q, r in zip(wanted, replies(model, wanted), strict=True)}

    first = said("a", questions())
    assert first == said("b", questions()[::-1], batch_tokens=1)
    assert first != said("c", questions(), seed=1)
    numbered = [Question(PROMPTS[0], 6, number=number) for number in range(5)]
    assert len(set(said("d", numbered).values())) > 1
    # A seed and a number are added up, as in a request to an endpoint.
    assert said("e", numbered[:1], seed=3)[f"{PROMPTS[0]} 0"] == said("f", numbered[3:4])[f"{PROMPTS[0]} 3"]


def test_samples_follow_the_models_distribution_and_its_nucleus(llama: LoadedModel, tmp_path: Path) -> None:
    n, top_p, temperature = 300, 0.6, 1.5
    ids = torch.tensor([llama.tokenizer(PROMPTS[0]).input_ids])
    probability = torch.softmax(llama.model(ids).logits[0, -1].double() / temperature, -1).detach().numpy()
    order = np.argsort(-probability)
    nucleus = order[: int(np.searchsorted(np.cumsum(probability[order]), top_p)) + 1]
    assert len(nucleus) > 2
    model = local(llama, tmp_path, temperature=temperature, top_p=top_p)
    found = Counter(
        reply.text for reply in replies(model, [Question(PROMPTS[0], 1, number=number) for number in range(n)])
    )
    expected: Counter[str] = Counter()
    for token in nucleus:
        text = llama.tokenizer.decode([int(token)], skip_special_tokens=True)
        expected[text] += n * probability[token] / probability[nucleus].sum()
    assert set(found) <= set(expected)
    for text, count in expected.items():  # four standard deviations; the seeds are fixed
        assert abs(found[text] - count) <= 4 * np.sqrt(count) + 1


def test_a_narrow_nucleus_is_greedy(llama: LoadedModel, tmp_path: Path) -> None:
    greedy = replies(local(llama, tmp_path, **GREEDY), questions())
    assert replies(local(llama, tmp_path, temperature=1.0, top_p=0.0), questions()) == greedy


def test_what_is_too_long_is_a_row_and_never_cut(llama: LoadedModel, tmp_path: Path) -> None:
    tokens = len(llama.tokenizer(PROMPTS[0]).input_ids)
    fitting, too_long, other = Question(PROMPTS[0], 48 - tokens), Question(PROMPTS[0], 49 - tokens), Question("GA", 2)
    answers = ask_all(local(llama, tmp_path, **GREEDY), [too_long, fitting, other], str, whole=False)
    assert answers[0].problem == f"too long: {tokens} tokens and a reply up to {49 - tokens}; the model takes 48"
    assert answers[0].reply is None
    assert [answer.problem for answer in answers[1:]] == [None, None]


def test_a_finished_run_asks_nothing_and_an_interrupted_one_the_rest(
    llama: LoadedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_text: str) -> str:
        raise KeyboardInterrupt

    sizes = counting(llama, monkeypatch)
    values: dict[str, Any] = {"temperature": 1.0, "batch_tokens": 40}
    with pytest.raises(KeyboardInterrupt):
        ask_all(local(llama, tmp_path / "a", **values), questions(), interrupted, whole=False)
    first = sum(sizes)
    assert 0 < first < len(PROMPTS)
    resumed = ask_all(local(llama, tmp_path / "a", **values), questions(), str, whole=False)
    assert sum(sizes) == len(PROMPTS)
    assert resumed == ask_all(local(llama, tmp_path / "b", **values), questions(), str, whole=False)
    sizes.clear()
    assert ask_all(local(llama, tmp_path / "a", **values), questions(), str, whole=False) == resumed
    assert not sizes


def test_replies_are_kept_by_what_determines_them(llama: LoadedModel, tmp_path: Path) -> None:
    question = Question("GA", 4)
    sampled = local(llama, tmp_path, temperature=1.0)
    requests = [
        sampled.request(question),
        sampled.request(replace(question, number=1)),
        local(llama, tmp_path, temperature=1.0, top_p=0.5).request(question),
        local(llama, tmp_path, **GREEDY).request(question),
        local(replace(llama, revision="sha256:other"), tmp_path, temperature=1.0).request(question),
        local(load_model(llama.name, device="cpu", dtype="bf16"), tmp_path, temperature=1.0).request(question),
    ]
    assert len({str(request) for request in requests}) == len(requests)
    assert local(replace(llama, name="elsewhere"), tmp_path, temperature=1.0).request(question) == requests[0]
    greedy = local(llama, tmp_path, seed=5, **GREEDY)  # neither seed nor number change what is likeliest
    assert greedy.request(replace(question, number=3)) == requests[3]


def test_penalties_that_come_with_a_checkpoint_change_nothing(llama: LoadedModel, tmp_path: Path) -> None:
    plain = replies(local(llama, tmp_path / "a", **GREEDY), questions())
    llama.model.generation_config.repetition_penalty = 50.0
    llama.model.generation_config.top_k = 1
    assert replies(local(llama, tmp_path / "b", **GREEDY), questions()) == plain


@pytest.mark.slow
def test_a_batch_that_is_too_big_for_the_device_is_halved(
    llama: LoadedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = replies(local(llama, tmp_path / "a", **GREEDY), questions())
    generate, room = llama.model.generate, 2

    def small(**inputs: Any) -> Any:
        if len(inputs["input_ids"]) > room:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return generate(**inputs)

    monkeypatch.setattr(llama.model, "generate", small)
    assert replies(local(llama, tmp_path / "b", **GREEDY), questions()) == expected
    room = 0
    with pytest.raises(OutsideError, match="does not hold the model and a single text"):
        replies(local(llama, tmp_path / "c", **GREEDY), questions())


def test_a_chat_model_is_asked_in_the_form_of_its_template(llama: LoadedModel, tmp_path: Path) -> None:
    question = Question("Paris", 3, system="GA")
    plain = local(llama, tmp_path, api="chat", **GREEDY)
    assert plain.request(question)["form"] == "plain"  # there is no template yet
    llama.tokenizer.chat_template = (
        "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
        "{% if add_generation_prompt %}assistant: {% endif %}"
    )
    chat = local(llama, tmp_path, api="chat", **GREEDY)
    assert chat.request(question)["form"] == "chat"
    assert chat.describe()["form"] == "chat template"
    text = "system: GA\nuser: Paris\nassistant: "
    ids = llama.tokenizer(text, add_special_tokens=False).input_ids
    made = llama.model.generate(torch.tensor([ids]), max_new_tokens=3, do_sample=False)[0, len(ids) :]
    assert replies(chat, [question])[0].text == llama.tokenizer.decode(made, skip_special_tokens=True)
    (same,) = replies(local(llama, tmp_path, **GREEDY), [Question("Paris", 3, system="GA")])
    assert same == replies(plain, [question])[0]


def test_a_template_without_system_messages_gets_the_instruction_before_the_question(llama: LoadedModel) -> None:
    llama.tokenizer.chat_template = (
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "[{{ m.content }}]{% endfor %}"
    )
    assert chat_text(llama.tokenizer, "Be brief.", "Why?") == "[Be brief.\n\nWhy?]"
    assert chat_text(llama.tokenizer, "", "Why?") == "[Why?]"


def test_a_masked_model_cannot_answer(tiny_model: Callable[[str], str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only a causal one can answer"):
        local(load_model(tiny_model("bert"), device="cpu"), tmp_path)


def test_an_empty_prompt_is_a_row(tiny_model: Callable[[str], str], tmp_path: Path) -> None:
    gpt2 = load_model(tiny_model("gpt2"), device="cpu")  # its tokenizer puts nothing before a text
    ((_, problem),) = local(gpt2, tmp_path).replies([Question("", 3)])
    assert isinstance(problem, TashikaError)
    assert problem.message == "the prompt has no tokens"


def test_an_end_token_that_is_no_number_is_named(tiny_model: Callable[[str], str], tmp_path: Path) -> None:
    model = shutil.copytree(tiny_model("llama"), tmp_path / "model")
    edit(model / "generation_config.json", eos_token_id="</s>")
    with pytest.raises(InputError, match="the token that ends a reply is '</s>'"):
        local(load_model(str(model), device="cpu"), tmp_path)
