"""Replies of a causal model on this machine, in batches, kept on disk like those of an endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tashika.core.errors import InputError, TashikaError
from tashika.core.files import hash_value
from tashika.core.llm import LlmSettings, Question, Reply
from tashika.core.models import LoadedModel
from tashika.core.pretrained import reason
from tashika.core.replies import ReplyCache
from tashika.core.spreading import input_device
from tashika.evaluate.engine.batches import Budget
from tashika.evaluate.engine.blank_model import max_length
from tashika.evaluate.engine.kernels import use_onednn

if TYPE_CHECKING:
    import torch

GENERATION_VERSION: Final = 1
"""Part of every reply's key: raise it when replies change."""


@dataclass(frozen=True)
class Prompt:
    """A question that a local model is to answer.

    Attributes:
        place: Of the question among those that are asked.
        question: What is asked.
        ids: Its token ids.
        key: The hash of its request, from which sampling draws its numbers.
    """

    place: int
    question: Question
    ids: list[int]
    key: str

    @property
    def tokens(self) -> int:
        """Tokens of the prompt and of the longest reply."""
        return len(self.ids) + self.question.max_tokens


Batch = tuple[Prompt, ...]
"""Prompts that go through the model together."""

RunBatches = Callable[[Sequence[Batch], LlmSettings], Iterator[tuple[int, list[Reply]]]]
"""Gives the replies of each batch with its place, in whatever order they are done."""


class LocalModel:
    """A causal model on this machine, asked in batches of about equal length.

    Sampling draws its numbers for each question by itself, from the hash of its request: a reply does not depend on
    the batch that the question came in. Chat settings use the tokenizer's chat template, where there is one.

    Args:
        loaded: The model; its outline (`core.models.load_outline`) where `run` is given.
        settings: `api`, `temperature`, `top_p` and `seed`; the model and its address are not read.
        cache: Folder of the replies.
        batch_tokens: Tokens in a batch, at most, replies included.
        run: Runs batches on other devices or machines; None runs them with `loaded`.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        settings: LlmSettings,
        cache: Path,
        *,
        batch_tokens: int = 4096,
        run: RunBatches | None = None,
    ) -> None:
        if loaded.kind != "causal":
            raise InputError(f"the model is {loaded.kind}, and only a causal one can answer", where=loaded.name)
        self.settings = settings.model_copy(update={"url": "", "model": loaded.name, "price_in": 0.0, "price_out": 0.0})
        self.cache = ReplyCache(cache)
        self._loaded = loaded
        self._tokenizer = loaded.tokenizer
        self._chat = settings.api == "chat" and bool(self._tokenizer.chat_template)
        self._longest = max_length(loaded.model, loaded.tokenizer)
        self._batch_tokens = batch_tokens
        self._run = run or run_with(Replier(loaded, batch_tokens))
        self._dtype = str(next(loaded.model.base_model.parameters()).dtype).removeprefix("torch.")

    def request(self, question: Question) -> dict[str, Any]:
        """Plain values that determine the reply: they name the model by its weights, not by its place."""
        known = self._loaded.revision != "unknown"
        sampling: dict[str, Any] = {"temperature": self.settings.temperature}
        if self.settings.temperature > 0:
            sampling |= {"top_p": self.settings.top_p, "seed": self.settings.seed + question.number}
        return {
            "model": self._loaded.revision if known else self._loaded.name,
            "dtype": self._dtype,
            "form": "chat" if self._chat else "plain",
            "system": question.system,
            "prompt": question.prompt,
            "max_tokens": question.max_tokens,
            "stop": question.stop,
            "engine": GENERATION_VERSION,
            **sampling,
        }

    def kept(self, question: Question) -> Reply | None:
        """The reply that was made before, if it was."""
        reply = self.cache.find(self.request(question))
        return None if reply is None else Reply.of(reply)

    def replies(self, questions: Sequence[Question]) -> Iterator[tuple[int, Reply | TashikaError]]:
        """Pairs of a question's place and its reply, batch by batch, or the error of a prompt that is too long.

        Raises:
            OutsideError: There is not the memory for a single question.
        """
        prompts = []
        for place, question in enumerate(questions):
            reply = self.kept(question)
            if reply is not None:
                yield place, reply
                continue
            prompt = Prompt(place, question, self._ids(question), hash_value(self.request(question)))
            unfit = self._unfit(prompt)
            if unfit:
                yield place, unfit
            else:
                prompts.append(prompt)
        batches = list(self._batches(prompts))
        if not batches:
            return
        for number, replies in self._run(batches, self.settings):
            for prompt, reply in zip(batches[number], replies, strict=True):
                self.cache.keep(self.request(prompt.question), asdict(reply))
            yield from zip((prompt.place for prompt in batches[number]), replies, strict=True)

    def note(self) -> str:
        """Nothing: replies come batch by batch."""
        return ""

    def describe(self) -> dict[str, Any]:
        """What the answers depend on."""
        return {
            "asked": "causal model on this machine",
            "model": self._loaded.name,
            "revision": self._loaded.revision,
            "dtype": self._dtype,
            "device": str(input_device(self._loaded.model)),
            "form": "chat template" if self._chat else "plain text",
            "temperature": self.settings.temperature,
            "top_p": self.settings.top_p,
            "seed": self.settings.seed,
        }

    def _ids(self, question: Question) -> list[int]:
        if self._chat:
            text = chat_text(self._tokenizer, question.system, question.prompt)
            ids = self._tokenizer(text, add_special_tokens=False, verbose=False).input_ids
        else:
            before = f"{question.system}\n\n" if question.system else ""
            ids = self._tokenizer(before + question.prompt, verbose=False).input_ids
        return list(ids)

    def _unfit(self, prompt: Prompt) -> InputError | None:
        if not prompt.ids:
            return InputError("the prompt has no tokens")
        if prompt.tokens > self._longest:
            longest, reply = self._longest, prompt.question.max_tokens
            return InputError(
                f"too long: {len(prompt.ids)} tokens and a reply up to {reply}; the model takes {longest}"
            )
        return None

    def _batches(self, prompts: Sequence[Prompt]) -> Iterator[Batch]:
        """Questions of about equal length, longest first. They do not depend on what runs them."""
        batch: Batch = ()
        for prompt in sorted(prompts, key=lambda prompt: (-len(prompt.ids), -prompt.tokens, prompt.place)):
            together = (*batch, prompt)
            # All run on until the last has ended, and some models have no positions behind their greatest length.
            tokens = len(together[0].ids) + max(other.question.max_tokens for other in together)
            if batch and (tokens * len(together) > self._batch_tokens or tokens > self._longest):
                yield batch
                together = (prompt,)
            batch = together
        if batch:
            yield batch


class Replier:
    """A causal model that writes replies, ready on its device.

    Args:
        loaded: The model; its generation settings are replaced.
        batch_tokens: Tokens in a batch, at most; halved when the memory runs out.
    """

    def __init__(self, loaded: LoadedModel, batch_tokens: int = 4096) -> None:
        from transformers import GenerationConfig

        self._loaded = loaded
        self._tokenizer = loaded.tokenizer
        self._budget = Budget(batch_tokens)
        use_onednn(loaded.model)
        self._ends = _end_tokens(loaded)
        self._pad = self._ends[0] if self._ends else 0
        # A checkpoint brings penalties and filters of its own, which generate() takes over where nothing is said.
        plain: dict[str, Any] = {"eos_token_id": self._ends or None, "pad_token_id": self._pad, "do_sample": False}
        loaded.model.generation_config = GenerationConfig(**plain)  # type: ignore[no-untyped-call]

    def replies(self, batch: Sequence[Prompt], settings: LlmSettings) -> list[Reply]:
        """The replies to a batch, in parts if the memory runs out.

        Args:
            batch: What is asked.
            settings: `temperature` and `top_p`.

        Raises:
            OutsideError: There is not the memory for a single question.
        """
        replies: list[Reply] = []
        tokens = max(prompt.tokens for prompt in batch)
        self._budget.run(
            np.arange(len(batch)),
            lambda: self._budget.texts(tokens, vocabulary=1),
            lambda some: replies.extend(self._generated([batch[place] for place in some], settings)),
        )
        return replies

    def _generated(self, batch: Sequence[Prompt], settings: LlmSettings) -> list[Reply]:
        """Runs a batch, padded on the left."""
        import torch
        from transformers import LogitsProcessorList, StoppingCriteriaList

        model: Any = self._loaded.model
        device = input_device(model)
        longest = max(len(prompt.ids) for prompt in batch)
        ids = np.full((len(batch), longest), self._pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, prompt in enumerate(batch):
            ids[row, longest - len(prompt.ids) :] = prompt.ids
            mask[row, longest - len(prompt.ids) :] = 1
        stopper = _Stopper(self._tokenizer, batch, longest)
        drawn = [_Sampler(settings, [prompt.key for prompt in batch])]
        with torch.inference_mode():
            out = model.generate(
                input_ids=torch.from_numpy(ids).to(device),
                attention_mask=torch.from_numpy(mask).to(device),
                max_new_tokens=max(prompt.question.max_tokens for prompt in batch),
                logits_processor=LogitsProcessorList(drawn if settings.temperature > 0 else []),
                stopping_criteria=StoppingCriteriaList([stopper]),
            )
        made = out[:, longest:].tolist()
        return [self._reply(prompt.question, tokens) for prompt, tokens in zip(batch, made, strict=True)]

    def _reply(self, question: Question, tokens: list[int]) -> Reply:
        tokens = tokens[: question.max_tokens]
        end = next((place for place, token in enumerate(tokens) if token in self._ends), None)
        text = _decoded(self._tokenizer, tokens[:end])
        if question.stop and question.stop in text:
            return Reply(text[: text.index(question.stop)])
        return Reply(text, cut_off=end is None)


def run_with(replier: Replier) -> RunBatches:
    """Runs batches with one model, one after the other."""

    def run(batches: Sequence[Batch], settings: LlmSettings) -> Iterator[tuple[int, list[Reply]]]:
        for number, batch in enumerate(batches):
            yield number, replier.replies(batch, settings)

    return run


def chat_text(tokenizer: Any, system: str, prompt: str) -> str:
    """A question in the format of the tokenizer's chat template, up to where the reply begins.

    Some templates know no system message: there the instruction stands before the question.

    Raises:
        InputError: The template is broken.
    """
    from jinja2 import TemplateError

    def made(*messages: tuple[str, str]) -> str:
        plain = [{"role": role, "content": content} for role, content in messages]
        return str(tokenizer.apply_chat_template(plain, tokenize=False, add_generation_prompt=True))

    try:
        if system:
            with suppress(TemplateError):
                return made(("system", system), ("user", prompt))
        return made(("user", f"{system}\n\n{prompt}" if system else prompt))
    except Exception as error:  # a template is a small program of the checkpoint, and fails in any way
        raise InputError(
            f"the chat template fails: {reason(error)}",
            where=str(tokenizer.name_or_path),
            hint="Correct the checkpoint's chat template, or remove it to ask without one.",
        ) from error


def chat_prefix(tokenizer: Any, system: str, prompt: str) -> str:
    """`chat_text` for a reader that tokenises it like any text: without the token that the tokenizer opens one with.

    Raises:
        InputError: The template is broken.
    """
    text = chat_text(tokenizer, system, prompt)
    opening = tokenizer.bos_token
    if opening and text.startswith(opening) and tokenizer("x").input_ids[0] == tokenizer.bos_token_id:
        return text.removeprefix(opening)
    return text


def _end_tokens(loaded: LoadedModel) -> list[int]:
    """The tokens that end a reply: chat models often have one more than their tokenizer names."""
    known = loaded.model.generation_config.eos_token_id
    ends = [*(known if isinstance(known, list | tuple) else [known]), loaded.tokenizer.eos_token_id]
    wrong = [end for end in ends if not isinstance(end, int | None)]
    if wrong:
        raise InputError(
            f"the token that ends a reply is {wrong[0]!r}, expected a number",
            where=loaded.name,
            hint="Correct eos_token_id in generation_config.json.",
        )
    return sorted({end for end in ends if end is not None})


def _decoded(tokenizer: Any, tokens: list[int]) -> str:
    return str(tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))


class _Stopper:
    """Ends each reply of a batch at its own stop string and its own greatest length."""

    def __init__(self, tokenizer: Any, batch: Sequence[Prompt], start: int) -> None:
        self._tokenizer = tokenizer
        self._questions = [prompt.question for prompt in batch]
        self._start = start
        self._done = [False] * len(batch)

    def __call__(self, ids: torch.Tensor, _scores: Any, **_: Any) -> torch.Tensor:
        import torch

        length = ids.shape[1] - self._start
        for row, question in enumerate(self._questions):
            if not self._done[row]:
                self._done[row] = length >= question.max_tokens or self._stopped(question.stop, ids[row])
        return torch.tensor(self._done, device=ids.device)

    def _stopped(self, stop: str | None, row: torch.Tensor) -> bool:
        if not stop:
            return False
        # A token has a byte at least, so the stop string lies in as many tokens as it has bytes.
        tokens = row[self._start :][-len(stop.encode()) - 1 :].tolist()
        return stop in _decoded(self._tokenizer, tokens)


class _Sampler:
    """Draws each text's next token by its own sequence of numbers, and leaves that token alone to be chosen."""

    def __init__(self, settings: LlmSettings, keys: Sequence[str]) -> None:
        self._temperature, self._top_p = settings.temperature, settings.top_p
        self._numbers = [np.random.default_rng(int(key, 16)) for key in keys]

    def __call__(self, _ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        import torch

        probability = (scores.double() / self._temperature).softmax(-1)
        probability, tokens = probability.sort(stable=True, dim=-1, descending=True)
        running = probability.cumsum(-1)
        kept = running - probability < self._top_p  # the fewest tokens that reach top_p together
        kept[:, 0] = True
        total = (probability * kept).sum(-1)
        drawn = torch.tensor([numbers.random() for numbers in self._numbers], device=scores.device) * total
        place = (running <= drawn[:, None]).sum(-1).clamp(max=kept.sum(-1) - 1)
        chosen = tokens.gather(-1, place[:, None])
        return torch.full_like(scores, -torch.inf).scatter(-1, chosen, 0.0)
