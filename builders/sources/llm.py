"""A language model behind an OpenAI-compatible endpoint: strict, cached, retried, concurrent within a limit."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from tashika.builders.sources.replies import ReplyCache, TransientError, retried, seconds_to_wait
from tashika.core.errors import ConfigError, InputError, OutsideError
from tashika.core.files import hash_value
from tashika.core.settings import Section

KEY_VARIABLE = "TASHIKA_LLM_KEY"
_CHARACTERS_A_TOKEN = 4
_TRANSIENT_STATUS = frozenset({408, 409, 429, 500, 502, 503, 504})


class LlmSettings(Section):
    """Which model is asked, and how.

    Attributes:
        url: The endpoint's base address, such as https://api.openai.com/v1. Empty: a small model on this machine.
        model: The model's name at the endpoint.
        api: "chat" for chat completions, "completions" for plain continuation (small models do better with it).
        temperature: Sampling temperature.
        top_p: Nucleus sampling.
        seed: Sent with every request; a repeated question adds its number to it.
        concurrency: Requests under way at once.
        timeout: Seconds a request may take.
        price_in: Price of a million tokens sent, for the estimate; 0 if it costs nothing.
        price_out: Price of a million tokens received.
    """

    url: str = ""
    model: str = "SmolLM2-135M-Instruct"
    api: Literal["chat", "completions"] = "completions"
    temperature: float = 0.8
    top_p: float = 0.95
    seed: int = 0
    concurrency: int = Field(2, ge=1)
    timeout: float = Field(120.0, gt=0)
    price_in: float = Field(0.0, ge=0)
    price_out: float = Field(0.0, ge=0)


@dataclass(frozen=True)
class Cost:
    """What requests will cost, at most: an estimate by characters, made before they are sent."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.requests + other.requests, self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out
        )

    def __mul__(self, times: int) -> Cost:
        return Cost(self.requests * times, self.tokens_in * times, self.tokens_out * times)

    def told(self, settings: LlmSettings) -> str:
        """The cost in plain words."""
        price = (self.tokens_in * settings.price_in + self.tokens_out * settings.price_out) / 1e6
        money = f", at most {price:.2f} at the stated prices" if price else ""
        return (
            f"at most {self.requests:,} requests to {settings.model}, "
            f"about {self.tokens_in:,} tokens sent and {self.tokens_out:,} received{money}"
        )


@dataclass(frozen=True)
class Question:
    """What a model is asked.

    Attributes:
        prompt: The text to answer or to continue.
        max_tokens: The longest reply.
        system: The instruction before it.
        stop: Where the reply ends.
        number: The how-manieth time the same is asked; each is a request of its own, with a seed of its own.
    """

    prompt: str
    max_tokens: int
    system: str = ""
    stop: str | None = None
    number: int = 0

    @property
    def cost(self) -> Cost:
        """The cost of asking it once, the reply at its longest."""
        return Cost(1, len(self.system + self.prompt) // _CHARACTERS_A_TOKEN + 1, self.max_tokens)


class Llm:
    """Asks one model; each reply is asked for once. Safe to use from several threads.

    Args:
        settings: Which model, and how.
        url: The base address, or a function that gives it, called when the first question is really asked.
        cache: Folder of the replies.
        sleep: Waits between two attempts.
    """

    def __init__(
        self,
        settings: LlmSettings,
        url: str | Callable[[], str],
        cache: Path,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.settings = settings
        self._sleep = sleep
        self._stopped = threading.Event()
        self._url = url
        self.cache = ReplyCache(cache)

    def ask(self, question: Question) -> str:
        """The model's reply.

        Raises:
            ConfigError: The key is missing or refused.
            InputError: The request is refused.
            OutsideError: The endpoint is down, or answers with something that is not a completion.
        """
        request = self.request(question)
        return str(self.cache.get(request, lambda: self._send(request)))

    def stop(self) -> None:
        """Sends nothing more: every further question, and every further attempt at one, is an `OutsideError`."""
        self._stopped.set()

    def request(self, question: Question) -> dict[str, Any]:
        """The request's plain values, as they are sent and as they name the kept reply."""
        body: dict[str, Any] = {
            "model": self.settings.model,
            "max_tokens": question.max_tokens,
            "temperature": self.settings.temperature,
            "top_p": self.settings.top_p,
            "seed": self.settings.seed + question.number,
        }
        if question.stop:
            body["stop"] = [question.stop]
        if self.settings.api == "completions":
            before = f"{question.system}\n\n" if question.system else ""
            return {**body, "prompt": before + question.prompt}
        messages = [{"role": "system", "content": question.system}] if question.system else []
        return {**body, "messages": [*messages, {"role": "user", "content": question.prompt}]}

    def provenance(self, question: Question) -> dict[str, str]:
        """What an item records of the request that its text came from."""
        request = self.request(question)
        prompt = request.pop("prompt", None) or request.pop("messages")
        model = request.pop("model")
        return {"model": model, "prompt_hash": hash_value(prompt), "sampling": json.dumps(request, sort_keys=True)}

    def _send(self, request: dict[str, Any]) -> str:
        url = self._url if isinstance(self._url, str) else self._url()
        return retried(lambda: self._completion(url, request), where=url, sleep=self._sleep)

    def _completion(self, url: str, request: dict[str, Any]) -> str:
        import openai

        if self._stopped.is_set():
            raise OutsideError("no more is asked: another request failed, or the build was told to end", where=url)
        client = openai.OpenAI(
            base_url=url, api_key=os.environ.get(KEY_VARIABLE) or "none", max_retries=0, timeout=self.settings.timeout
        )
        resource: Any = client.completions if self.settings.api == "completions" else client.chat.completions
        try:
            reply = resource.with_raw_response.create(**request)
            return _text_of(reply.http_response.content, url)
        except openai.APIStatusError as error:
            raise _refusal(error, url) from error
        except openai.APITimeoutError as error:
            raise TransientError(f"no reply within {self.settings.timeout:.0f} s") from error
        except openai.APIConnectionError as error:
            raise TransientError(f"the endpoint is down or closed the connection ({error.__cause__})") from error


def _text_of(content: bytes, url: str) -> str:
    """The text in the body of a reply; half a JSON is worth another try, a page for people is not."""
    if content.lstrip()[:1] == b"<":
        raise OutsideError(
            "the endpoint answers with a web page", where=url, hint="Is the base address right? It often ends in /v1."
        )
    try:
        choice = json.loads(content)["choices"][0]
        text = choice["text"] if "text" in choice else choice["message"]["content"]
        cut_off = choice.get("finish_reason") == "length"
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise TransientError("the reply was cut short: not whole JSON") from error
    except (KeyError, IndexError, TypeError) as error:
        raise OutsideError(f"the reply is not a completion: {content[:200]!r}", where=url) from error
    # What was cut off at the longest reply ends in half a line, and half a line may look whole.
    return "\n".join((text or "").split("\n")[:-1]) if cut_off else text or ""


def _refusal(error: Any, url: str) -> Exception:
    status, message = error.status_code, str(error.message)[:300]
    if status in _TRANSIENT_STATUS:
        return TransientError(f"status {status}: {message}", seconds_to_wait(error.response.headers.get("retry-after")))
    if status in {401, 403}:
        return ConfigError(f"the endpoint refuses the key ({status})", where=url, hint=f"Set {KEY_VARIABLE}.")
    return InputError(f"the endpoint refuses the request ({status}): {message}", where=url)
