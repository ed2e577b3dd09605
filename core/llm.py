"""A language model behind an OpenAI-compatible endpoint: strict, cached, retried, concurrent within a limit."""

from __future__ import annotations

import json
import os
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from pydantic import Field

from tashika.core.addresses import checked_key, login_of, may_hold_secrets, warn_if_readable
from tashika.core.errors import ConfigError, InputError, OutsideError
from tashika.core.files import hash_value, parse_json
from tashika.core.replies import ReplyCache, TransientError, retried, seconds_to_wait
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

    def describe(self, settings: LlmSettings) -> str:
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
        number: How often the same was asked before; each time is a request of its own, with a seed of its own.
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


@dataclass(frozen=True)
class Reply:
    """What a model said.

    Attributes:
        text: As it came.
        cut_off: Whether it ends where it was not allowed to be longer, and not where the model ended it.
    """

    text: str
    cut_off: bool = False

    @classmethod
    def of(cls, kept: Any) -> Reply:
        """A reply from the plain values that it is kept as; an older cache holds the whole lines alone."""
        return cls(kept) if isinstance(kept, str) else cls(str(kept["text"]), bool(kept["cut_off"]))

    @property
    def whole_lines(self) -> str:
        """The text without the half line that a cut-off leaves at its end: half a line may look whole."""
        return "\n".join(self.text.split("\n")[:-1]) if self.cut_off else self.text


class NoReplyError(OutsideError):
    """The endpoint is there, but has no usable reply to this question; it may have one to another."""


class _SpoiltReplyError(TransientError):
    """Something came that is no reply. If it always does, that may be the question's fault."""


class Traffic:
    """Counts the requests to an endpoint, failed attempts included. Safe to use from several threads.

    Args:
        clock: Gives the seconds from some moment on.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._begin = 0.0
        self._sent = 0
        self._answered = 0

    def send(self) -> None:
        """A request is sent."""
        with self._lock:
            self._begin = self._begin if self._sent else self._clock()
            self._sent += 1

    def receive(self) -> None:
        """A request got its reply."""
        with self._lock:
            self._answered += 1

    def describe(self) -> str:
        """The counts in plain words, with the rate since the first request; empty before it."""
        with self._lock:
            if not self._sent:
                return ""
            minutes = (self._clock() - self._begin) / 60
            rate = f" ({self._answered / minutes:,.1f} a minute)" if self._answered and minutes else ""
            return f"requests: {self._sent:,} sent, {self._answered:,} answered{rate}"


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
        self._lock = threading.Lock()
        self._clients: dict[str, Any] = {}
        self.cache = ReplyCache(cache)
        self.traffic = Traffic()

    def ask(self, question: Question) -> str:
        """The whole lines of the model's reply; raises what `reply` does."""
        return self.reply(question).whole_lines

    def reply(self, question: Question) -> Reply:
        """The model's reply.

        Raises:
            ConfigError: The key is missing or refused, or the endpoint does not know the model.
            InputError: The request is refused.
            NoReplyError: The endpoint keeps failing at this question, or answers with something that is no completion.
            OutsideError: The endpoint is down or not one.
        """
        request = self.request(question)
        return Reply.of(self.cache.get(request, lambda: asdict(self._send(request))))

    def kept(self, question: Question) -> Reply | None:
        """The reply that has arrived before, if it has."""
        reply = self.cache.find(self.request(question))
        return None if reply is None else Reply.of(reply)

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

    def _send(self, request: dict[str, Any]) -> Reply:
        url = self._url if isinstance(self._url, str) else self._url()
        try:
            return retried(lambda: self._completion(url, request), where=url, sleep=self._sleep)
        except OutsideError as error:
            if isinstance(error.__cause__, _SpoiltReplyError):
                raise NoReplyError(error.message, where=error.where, hint=error.hint) from error
            raise

    def _client(self, url: str) -> Any:
        """The client for an address, made once: that takes longer than many a request."""
        import openai

        with self._lock:
            if url not in self._clients:
                key = checked_key(os.environ.get(KEY_VARIABLE, ""), KEY_VARIABLE)
                if key or may_hold_secrets(url):
                    warn_if_readable(url, "the key")
                self._clients[url] = openai.OpenAI(
                    api_key=key or "none", max_retries=0, timeout=self.settings.timeout, **_parts(url)
                )
            return self._clients[url]

    def _completion(self, url: str, request: dict[str, Any]) -> Reply:
        import openai

        if self._stopped.is_set():
            raise OutsideError("no more is asked: another request failed, or the run is being stopped", where=url)
        client = self._client(url)
        resource: Any = client.completions if self.settings.api == "completions" else client.chat.completions
        self.traffic.send()
        try:
            response = resource.with_raw_response.create(**request)
            reply = _reply_of(response.http_response.content, url)
        except openai.APIStatusError as error:
            raise _refusal(error, url) from error
        except openai.APITimeoutError as error:
            raise TransientError(f"no reply within {self.settings.timeout:.0f} s") from error
        except openai.APIConnectionError as error:
            raise TransientError(f"the endpoint is down or closed the connection ({error.__cause__})") from error
        self.traffic.receive()
        return reply


def _parts(url: str) -> dict[str, Any]:
    """An address as the client takes it: query, and name and password, apart from the path that it adds to."""
    place, user, password = login_of(url)
    parts = urlsplit(place)
    login = {"Authorization": f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"} if user is not None else {}
    query: dict[str, object] = dict(parse_qsl(parts.query))
    base = urlunsplit(parts._replace(query="", fragment=""))
    return {"base_url": base, "default_query": query, "default_headers": login}


def _reply_of(content: bytes, url: str) -> Reply:
    """The reply in a body; half a JSON is worth another try, a page for people is not."""
    if content.lstrip()[:1] == b"<":
        raise OutsideError(
            "the endpoint answers with a web page", where=url, hint="Is the base address right? It often ends in /v1."
        )
    try:
        choice = parse_json(content, mend=True)["choices"][0]
        text = choice["text"] if "text" in choice else choice["message"]["content"]
        if text is not None and not isinstance(text, str):
            raise TypeError
        return Reply(text or "", choice.get("finish_reason") == "length")
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise _SpoiltReplyError("the reply was cut short: not whole JSON") from error
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise NoReplyError(f"the reply is not a completion: {content[:200]!r}", where=url) from error


def _refusal(error: Any, url: str) -> Exception:
    status, message = error.status_code, str(error.message)[:300]
    wait = seconds_to_wait(error.response.headers.get("retry-after"))
    if status == 500 and wait is None:  # some servers say so of one question that they cannot take
        return _SpoiltReplyError(f"status {status}: {message}")
    if status in _TRANSIENT_STATUS:
        return TransientError(f"status {status}: {message}", wait)
    if status in {401, 403}:
        return ConfigError(f"the endpoint refuses the key ({status})", where=url, hint=f"Set {KEY_VARIABLE}.")
    if status == 402:
        return OutsideError(f"the endpoint requires payment ({status}): {message}", where=url)
    if status == 404:
        hint = "Check the model's name and the base address, which often ends in /v1."
        return ConfigError(f"the endpoint does not know this ({status}): {message}", where=url, hint=hint)
    hint = "Perhaps it does not know the model or an option; its own log may say more."
    return InputError(f"the endpoint refuses the request ({status}): {message}", where=url, hint=hint)
