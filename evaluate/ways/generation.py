"""Many questions to one model: an endpoint that speaks the OpenAI API, or a causal model here (`local_generation`).

Replies are parsed strictly and asked for again a stated number of times. What cannot be had becomes a row with its
problem, and what ails the endpoint as a whole ends the run. Every reply is kept on disk as it arrives, so the same
run resumes where it ended, and a finished one asks nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, Protocol, TypeVar

from tashika.core.errors import ConfigError, InputError, OutsideError, TashikaError
from tashika.core.files import hash_value
from tashika.core.llm import Cost, Llm, LlmSettings, NoReplyError, Question, Reply
from tashika.core.progress import bar, say

V = TypeVar("V")
Parse = Callable[[str], V]
"""Reads a reply; raises `Unparsable` where it is not in the format that was asked for."""

ALIKE_FAILURES: Final = 10
"""So many failures one after the other are no longer the questions' fault."""


class Unparsable(Exception):  # noqa: N818 - it is no failure of the program
    """A reply is not in the format that was asked for; the message names the difference."""


@dataclass(frozen=True)
class Answer(Generic[V]):
    """What came of a question.

    Attributes:
        question: As it was asked last.
        value: What was read from the reply; None where there is a problem.
        reply: The last reply, as it came; None where none came.
        asked: How often it was asked.
        problem: Why there is no value; None where there is one.
        silent: Whether nobody replied, so that another run may fare better; a question that is refused is not.
    """

    question: Question
    value: V | None
    reply: str | None
    asked: int
    problem: str | None
    silent: bool = False


class Generator(Protocol):
    """Who is asked; see `Endpoint` and `local_generation.LocalModel`."""

    @property
    def settings(self) -> LlmSettings:
        """The model's name, how it is asked, and what that costs."""

    def request(self, question: Question) -> dict[str, Any]:
        """Plain values that determine the reply."""

    def kept(self, question: Question) -> Reply | None:
        """The reply that has arrived before, if it has."""

    def replies(self, questions: Sequence[Question]) -> Iterator[tuple[int, Reply | TashikaError]]:
        """Pairs of a question's place and its reply, as they come, or the error that concerns it alone.

        Raises:
            TashikaError: Nobody can be asked any more. What has arrived is kept.
        """

    def note(self) -> str:
        """What shows that replies are on their way, for the progress bar; empty where the bar itself does."""

    def describe(self) -> dict[str, Any]:
        """What the answers depend on, for a manifest."""


def ask_all(
    generator: Generator,
    questions: Sequence[Question],
    parse: Parse[V] | Sequence[Parse[V]],
    *,
    attempts: int = 1,
    whole: bool = True,
    title: str = "answers",
) -> list[Answer[V]]:
    """Asks all questions, identical ones once, and reads the replies.

    A reply that cannot be read is asked for again, as a request with a number (and so a seed) of its own: the
    question's, and one more each time. Where questions have numbers already, the new ones lie beyond the highest of
    them, so that no second attempt is the first of another question.

    Args:
        generator: Who is asked.
        questions: What is asked.
        parse: Reads a reply; one for all questions, or one for each.
        attempts: How often a question is asked at most.
        whole: Whether a reply that was cut off at its greatest length is refused: half an answer may look like one.
        title: What the answers are, in plain words, for the progress bar.

    Returns:
        One answer a question, in the questions' order.

    Raises:
        ConfigError: The endpoint refuses the key or does not know the model.
        OutsideError: The endpoint is down. What has arrived is kept.
    """
    if attempts < 1:
        raise ValueError(f"attempts is {attempts}, expected at least 1")
    reader = _Reader(questions, parse, attempts, whole)
    _announce(generator, reader, title)
    answers: dict[int, Answer[V]] = {}
    pending: list[int] = list(range(len(questions)))
    with bar(title, len(questions), generator.note) as advance:
        for attempt in range(attempts):
            places = _distinct(generator, reader, pending, attempt)
            pending = []
            for number, outcome in generator.replies([reader.question(group[0], attempt) for group in places]):
                for place in places[number]:
                    answers[place], final = reader.answer(place, attempt, outcome, answers.get(place))
                    if final:
                        advance(1)
                    else:
                        pending.append(place)
            pending.sort()  # replies come in any order; batches shall not depend on it
    return [answers[place] for place in range(len(questions))]


def require_replies(
    answers: Sequence[Answer[Any]], *, may_be_missing: bool, where: str | None = None, then: str = "score"
) -> None:
    """A model's bad answer is a result; a failure of its endpoint is none, and would stay in the numbers for good.

    Args:
        answers: To all questions.
        may_be_missing: The setting `missing_replies`.
        where: The endpoint.
        then: What the setting lets the command do without the missing replies, for the hint.

    Raises:
        OutsideError: Some questions got no reply, and the settings do not let them be missing.
    """
    silent = [answer for answer in answers if answer.silent]
    if silent and not may_be_missing:
        raise OutsideError(
            f"{len(silent):,} of {len(answers):,} questions got no reply, such as: {silent[0].problem}",
            where=where,
            hint="All other replies are kept. Run the same command again to ask for the missing ones, or set "
            f"missing_replies = true in [evaluate] to {then} without them.",
        )


def cost(
    generator: Generator,
    questions: Sequence[Question],
    parse: Parse[V] | Sequence[Parse[V]],
    *,
    attempts: int = 1,
    whole: bool = True,
) -> Cost:
    """What `ask_all` with the same arguments will cost at most, after what has arrived before."""
    return _left(generator, _Reader(questions, parse, attempts, whole))[0]


class _Reader(Generic[V]):
    """What is asked at each attempt, and what is made of the outcome."""

    def __init__(
        self, questions: Sequence[Question], parse: Parse[V] | Sequence[Parse[V]], attempts: int, whole: bool
    ) -> None:
        self.questions = questions
        self.attempts = attempts
        self._parse: Sequence[Parse[V]] = [parse] * len(questions) if callable(parse) else parse
        if len(self._parse) != len(questions):
            raise ValueError(f"{len(self._parse)} parsers for {len(questions)} questions")
        self._whole = whole
        self._step = 1 + max((question.number for question in questions), default=0)

    def question(self, place: int, attempt: int) -> Question:
        """The question as it is asked at an attempt, counted from 0."""
        question = self.questions[place]
        return replace(question, number=question.number + attempt * self._step)

    def value(self, place: int, reply: Reply) -> V:
        """Reads a reply.

        Raises:
            Unparsable: It is not in the format that was asked for.
        """
        if self._whole and reply.cut_off:
            raise Unparsable(f"cut off after {self.questions[place].max_tokens} tokens")
        return self._parse[place](reply.text)

    def answer(
        self, place: int, attempt: int, outcome: Reply | TashikaError, before: Answer[V] | None
    ) -> tuple[Answer[V], bool]:
        """The answer after an attempt, and whether it is the last word."""
        question, times = self.question(place, attempt), attempt + 1
        if isinstance(outcome, TashikaError):
            reply = before.reply if before else None
            silent = isinstance(outcome, NoReplyError)
            return Answer(question, None, reply, times, outcome.message, silent), True
        try:
            return Answer(question, self.value(place, outcome), outcome.text, times, None), True
        except Unparsable as unparsable:
            problem = f"unparsable after {times} attempt{'s' if times > 1 else ''}: {unparsable}"
            return Answer(question, None, outcome.text, times, problem), times == self.attempts


def _distinct(generator: Generator, reader: _Reader[Any], pending: Iterable[int], attempt: int) -> list[list[int]]:
    """The pending places, those with the same request together."""
    groups: dict[str, list[int]] = {}
    for place in pending:
        groups.setdefault(hash_value(generator.request(reader.question(place, attempt))), []).append(place)
    return list(groups.values())


def _left(generator: Generator, reader: _Reader[Any]) -> tuple[Cost, int]:
    """What is still to be paid for at most, and how many questions are answered by what has arrived before."""
    total, settled, seen = Cost(), 0, set()
    for place in range(len(reader.questions)):
        for attempt in range(reader.attempts):
            question = reader.question(place, attempt)
            reply = generator.kept(question)
            if reply is None:
                key = hash_value(generator.request(question))
                total += question.cost * (reader.attempts - attempt if key not in seen else 0)
                seen.add(key)
                break
            if reader.answer(place, attempt, reply, None)[1]:
                settled += 1
                break
    return total, settled


def _announce(generator: Generator, reader: _Reader[Any], title: str) -> None:
    left, settled = _left(generator, reader)
    before = f"{settled:,} have arrived before, " if settled else ""
    rest = left.describe(generator.settings) if left.requests else "nothing is left to ask"
    say(f"{title}: {len(reader.questions):,} questions, {before}{rest}")


class Endpoint:
    """A model behind an OpenAI-compatible endpoint, asked as concurrently as its settings allow.

    Args:
        llm: Who is asked; after a run that ended early it asks nothing more.
    """

    def __init__(self, llm: Llm) -> None:
        self._llm = llm

    @property
    def settings(self) -> LlmSettings:
        """The model's name, how it is asked, and what that costs."""
        return self._llm.settings

    def request(self, question: Question) -> dict[str, Any]:
        """The request as it is sent."""
        return self._llm.request(question)

    def kept(self, question: Question) -> Reply | None:
        """The reply that has arrived before, if it has."""
        return self._llm.kept(question)

    def replies(self, questions: Sequence[Question]) -> Iterator[tuple[int, Reply | TashikaError]]:
        """Pairs of a question's place and its reply, as they come, or the error that concerns it alone.

        Raises:
            ConfigError: The key is refused, or the endpoint does not know the model.
            InputError: The first questions are all refused for the same reason.
            OutsideError: The endpoint is down, or fails at one question after the other.
        """
        failures = _Failures()
        with ThreadPoolExecutor(max_workers=self.settings.concurrency) as pool:
            jobs = {pool.submit(self._llm.reply, question): place for place, question in enumerate(questions)}
            try:
                for job in as_completed(jobs):
                    yield jobs[job], failures.outcome(job)
            except BaseException:
                # After an error or Ctrl-C: what is under way arrives and is kept, nothing more is sent.
                self._llm.stop()
                pool.shutdown(cancel_futures=True)
                raise

    def note(self) -> str:
        """The requests sent and answered."""
        return self._llm.traffic.describe()

    def describe(self) -> dict[str, Any]:
        """What the answers depend on: the settings but for prices and patience."""
        apart = {"concurrency", "timeout", "price_in", "price_out"}
        return {"asked": "endpoint", **self.settings.model_dump(mode="json", exclude=apart)}


class _Failures:
    """Tells what is wrong with one question from what is wrong with the endpoint."""

    def __init__(self) -> None:
        self._answered = False
        self._alike = 0
        self._last = ""

    def outcome(self, job: Future[Reply]) -> Reply | TashikaError:
        """A question's reply or its own error; raises what concerns them all."""
        try:
            reply = job.result()
        except ConfigError:
            raise
        except (InputError, NoReplyError) as error:
            self._count(error)
            return error
        self._answered, self._alike = True, 0
        return reply

    def _count(self, error: TashikaError) -> None:
        ours = isinstance(error, InputError)
        # A wrong setting is refused in the same words each time, and nothing at all is answered.
        same = not ours or (error.message == self._last and not self._answered)
        self._alike = self._alike + 1 if same else 1
        self._last = error.message
        if self._alike >= ALIKE_FAILURES:
            message = f"{error.message}; {self._alike} questions in a row failed so"
            raise type(error)(message, where=error.where, hint=error.hint) from error
