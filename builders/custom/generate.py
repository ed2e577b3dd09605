"""Candidates that a language model writes: a prompt for each row of a seed table, and replies read strictly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tashika.builders.custom.rows import Raw, RawRow, Source
from tashika.core.custom.build_form import Generate
from tashika.core.custom.templating import renderer
from tashika.core.errors import InputError
from tashika.core.files import parse_json
from tashika.core.llm import Cost, Llm, LlmSettings, Question

Parts = Iterator[tuple[Mapping[str, Any], str | None]]
"""Candidates of a reply, each with the reason why it is refused, or None."""

_BULLET = re.compile(r"^\s*(?:\d{1,3}[.):]\s+|[-*•・]\s+)")
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


def llm_settings(form: Generate, url: str | None, model: str | None) -> LlmSettings:
    """How the model is asked, with what the command line gives in place of the file's."""
    return LlmSettings(
        url=url or form.url,
        model=model or form.model,
        api=form.api,
        temperature=form.temperature,
        top_p=form.top_p,
        seed=form.seed,
        concurrency=form.concurrency,
    )


@dataclass(frozen=True)
class Generation:
    """Candidates to be written.

    Attributes:
        form: How.
        seeds: The seed table.
        llm: Who writes.
        done: Called with 1 after each seed.
    """

    form: Generate
    seeds: Source
    llm: Llm
    done: Callable[[int], None] = lambda _: None

    def source(self) -> Source:
        """The candidates, in the order of the seeds."""
        name = f"{self.llm.settings.model}, from {self.seeds.name}"
        return Source(self._rows(), name, self.seeds.revision, lenient=True)

    def cost(self) -> Cost:
        """What writing them costs at most."""
        total = Cost()
        for seed in self.seeds.rows:
            for question in self._questions(seed):
                total += question.cost
        return total

    def _rows(self) -> Iterator[RawRow]:
        """Asks about several seeds at once, and gives their candidates in order."""
        size = self.llm.settings.concurrency
        with ThreadPoolExecutor(max_workers=size) as pool:
            try:
                while batch := list(islice(self.seeds.rows, 4 * size)):
                    for rows in pool.map(self._of_seed, batch):
                        yield from rows
                        self.done(1)
            except BaseException:
                self.llm.stop()  # what has been sent may cost money; nothing more is sent
                pool.shutdown(cancel_futures=True)
                raise

    def _questions(self, seed: RawRow) -> Iterator[Question]:
        """The questions about a seed: as many as it may take, each with a seed of its own for the sampling."""
        if seed.refused:
            raise InputError(seed.refused, where=seed.where)
        prompt = renderer(self.form.prompt, f"{seed.where}, generate.prompt")(seed.values)
        times = len(self.form.into) or self.form.rounds
        for number in range(times):
            yield Question(prompt, self.form.max_tokens, self.form.system, self.form.stop, number)

    def _of_seed(self, seed: RawRow) -> list[RawRow]:
        missing = [name for name in self.form.keep if name not in seed.values]
        if missing:
            known = ", ".join(seed.values)
            raise InputError(f"the seed table has no column {missing[0]!r} to keep; it has {known}", where=seed.where)
        kept = {name: seed.values[name] for name in self.form.keep}
        return self._together(seed, kept) if self.form.into else self._apart(seed, kept)

    def _together(self, seed: RawRow, kept: Raw) -> list[RawRow]:
        """One candidate of a seed: each reply fills a column."""
        questions = list(self._questions(seed))
        replies = [self.llm.reply(question).text.strip() for question in questions]
        values = {**kept, **dict(zip(self.form.into, replies, strict=True))}
        generation = self.llm.provenance(questions[0])
        reason = "two replies are the same" if len(set(replies)) < len(replies) else None
        return [RawRow(seed.where, values, generation, reason)]

    def _apart(self, seed: RawRow, kept: Raw) -> list[RawRow]:
        """The candidates of a seed, until there are enough or every question has been asked."""
        rows: list[RawRow] = []
        seen: set[str] = set()
        for question in self._questions(seed):
            reply = self.llm.reply(question)
            text = reply.whole_lines if self.form.read == "lines" else reply.text
            generation = self.llm.provenance(question)
            for values, reason in read_reply(text, self.form):
                twin = json.dumps(values, sort_keys=True, ensure_ascii=False).casefold()
                refused = reason or ("repeats another candidate of its seed" if twin in seen else None)
                seen.add(twin)
                rows.append(RawRow(seed.where, {**kept, **values}, generation, refused))
            if sum(row.refused is None for row in rows) >= self.form.wanted:
                break
        return _first(rows, self.form.wanted)


def _first(rows: list[RawRow], wanted: int) -> list[RawRow]:
    """The rows up to the last one that is wanted: sound ones beyond are neither candidates nor refused."""
    kept, sound = [], 0
    for row in rows:
        if row.refused is None:
            sound += 1
            if sound > wanted:
                continue
        kept.append(row)
    return kept


def read_reply(text: str, form: Generate) -> Parts:
    """The candidates in a reply; a reply that holds none is one refusal.

    Args:
        text: The reply.
        form: `read` says how: a candidate a line, JSON, or what a pattern finds.
    """
    parts = list({"lines": _lines, "json": _json, "pattern": _pattern}[form.read](text, form))
    yield from parts or [({}, "the reply is empty" if not text.strip() else "the reply holds no candidate")]


def _lines(text: str, form: Generate) -> Parts:
    for line in text.splitlines():
        said = " ".join(_BULLET.sub("", line).split())
        if said:
            yield {str(form.column): said}, None


def _json(text: str, _form: Generate) -> Parts:
    fenced = _FENCE.search(text)
    try:
        found = parse_json(fenced[1] if fenced else text)
    except ValueError:
        yield {}, "the reply is no JSON"
        return
    for entry in found if isinstance(found, list) else [found]:
        if isinstance(entry, dict):
            yield entry, None
        else:
            yield {}, f"found a JSON {type(entry).__name__} in the reply, expected an object"


def _pattern(text: str, form: Generate) -> Parts:
    for match in re.finditer(str(form.pattern), text):
        yield {name: value for name, value in match.groupdict().items() if value is not None}, None
