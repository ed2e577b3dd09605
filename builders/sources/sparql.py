"""A SPARQL endpoint that speaks Wikidata: POST only, replies kept on disk, failures distinguished.

SPARQLWrapper neither retries nor notices a robot page that comes with status 200; both are done here.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.client import HTTPException
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

from tashika.core.addresses import login_of, may_hold_secrets, warn_if_readable
from tashika.core.errors import InputError, OutsideError
from tashika.core.progress import say
from tashika.core.replies import LONGEST_ASKED_SECONDS, ReplyCache, TransientError, retried, seconds_to_wait

ENTITY = "http://www.wikidata.org/entity/"

PREFIXES = f"""\
PREFIX wd: <{ENTITY}>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX p: <http://www.wikidata.org/prop/>
PREFIX ps: <http://www.wikidata.org/prop/statement/>
PREFIX pq: <http://www.wikidata.org/prop/qualifier/>
PREFIX pqv: <http://www.wikidata.org/prop/qualifier/value/>
PREFIX psv: <http://www.wikidata.org/prop/statement/value/>
PREFIX wdno: <http://www.wikidata.org/prop/novalue/>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX schema: <http://schema.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""

Row = Mapping[str, tuple[str, str | None]]
"""Variable -> (value, language tag)."""

_BUSY_SECONDS = 60.0
"""How long to wait after "too many requests" where a public endpoint does not say how long."""

_TRANSIENT_CODES = frozenset({408, 429, 500, 502, 503, 504})
_OVERLOADED_CODES = frozenset({500, 502, 504})


class CutShortError(OutsideError):
    """The endpoint ran out of time: half of the question may be answered."""


class _OverloadedError(TransientError):
    """A status that a passing fault has, but also a question that is too much for the engine behind a proxy."""


class SparqlEndpoint:
    """Asks one endpoint; each reply is asked for once.

    Args:
        url: The address, such as http://127.0.0.1:7878/query; or a function that gives it, called when the first
            question is really asked (a server of our own is started no earlier).
        cache: Folder of the replies.
        identity: What the replies depend on beside the query: a snapshot's hash, or the address.
        user_agent: Who asks; Wikidata refuses clients that do not say.
        timeout: Seconds a socket may be silent.
        sleep: Waits between two attempts.

    Attributes:
        requests: How many requests were sent; kept replies are none.
    """

    def __init__(
        self,
        url: str | Callable[[], str],
        *,
        cache: Path,
        identity: str,
        user_agent: str | None = None,
        timeout: int = 90,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = url
        self.identity = identity
        self.requests = 0
        self.cache = ReplyCache(cache)
        self.user_agent = user_agent or f"tashika/{version('tashika')} (dataset builder; SPARQLWrapper)"
        self.timeout = timeout
        self._sleep = sleep
        self._halved: set[int] = set()

    @property
    def url(self) -> str:
        """The endpoint's address."""
        return self._url if isinstance(self._url, str) else self._url()

    def select(self, query: str) -> list[Row]:
        """The rows of a SELECT query.

        Raises:
            InputError: The endpoint refuses the query or does not exist.
            OutsideError: It is down, overloaded, or answers with something that is not SPARQL JSON.
        """
        return self._select(query, halvable=False)

    def _select(self, query: str, *, halvable: bool) -> list[Row]:
        bindings = self.cache.get([self.identity, query], lambda: self._bindings(query, halvable=halvable))
        return [{name: (term[0], term[1]) for name, term in row.items()} for row in bindings]

    def select_batches(self, query: Callable[[str], str], terms: Sequence[str], size: int) -> Iterator[list[Row]]:
        """The rows of the same query for many terms, a batch of terms in one VALUES block each.

        Args:
            query: Makes the query from the text of the VALUES block's terms.
            terms: Prefixed names such as `wd:Q42`.
            size: Terms a request.
        """
        for start in range(0, len(terms), size):
            yield from self._halving(query, terms[start : start + size])

    def _halving(self, query: Callable[[str], str], terms: Sequence[str]) -> Iterator[list[Row]]:
        """A batch at once, or where that is too much for the endpoint, in halves."""
        half = len(terms) // 2
        try:
            yield self._select(query(" ".join(terms)), halvable=half > 0)
        except CutShortError as error:
            if half == 0:
                raise
            self._say_halving(error, len(terms))
            yield from self._halving(query, terms[:half])
            yield from self._halving(query, terms[half:])

    def _say_halving(self, error: CutShortError, size: int) -> None:
        """Tells it once for batches of about this size: there may be hundreds of them."""
        if size.bit_length() not in self._halved:
            self._halved.add(size.bit_length())
            say(f"{error.where}: {error.message}; what was asked for {size} at once is asked for in halves")

    def _bindings(self, query: str, *, halvable: bool) -> list[dict[str, list[str | None]]]:
        url = self.url
        if may_hold_secrets(url):
            warn_if_readable(url, "what stands in the address")

        def post() -> dict[str, Any]:
            try:
                return self._post(url, query)
            except CutShortError as error:
                if halvable:
                    raise
                raise TransientError(error.message) from error

        try:
            reply = retried(post, where=url, sleep=self._sleep)
        except OutsideError as error:
            if halvable and _too_much(error.__cause__):
                raise CutShortError(error.message, where=url) from error
            raise
        rows = reply["results"]["bindings"]
        return [{name: [term["value"], term.get("xml:lang")] for name, term in row.items()} for row in rows]

    def _post(self, url: str, query: str) -> dict[str, Any]:
        from SPARQLWrapper import JSON, POST, SPARQLWrapper

        place, user, password = login_of(url)
        wrapper = SPARQLWrapper(place, agent=self.user_agent)  # not thread-safe: one a request
        if user is not None:
            wrapper.setCredentials(user, password)
        wrapper.setMethod(POST)
        wrapper.setReturnFormat(JSON)
        wrapper.setTimeout(self.timeout)
        wrapper.setQuery(PREFIXES + query)
        self.requests += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # "not JSON": reported below, with what to do
            reply = _told_apart(lambda: wrapper.query().convert(), url)
        if not isinstance(reply, dict) or "bindings" not in reply.get("results", {}):
            raise OutsideError(
                "the reply is not SPARQL JSON (a page for people, perhaps a refusal of robots)",
                where=url,
                hint="Check the endpoint's address; public endpoints require a contact in --user-agent.",
            )
        return reply


def _too_much(cause: BaseException | None) -> bool:
    """Whether all attempts failed with a status that a smaller question may not have."""
    return isinstance(cause, _OverloadedError) and (cause.retry_after or 0.0) <= LONGEST_ASKED_SECONDS


def _told_apart(call: Callable[[], Any], url: str) -> Any:
    """Turns what SPARQLWrapper raises into what is worth another try and what is not."""
    from SPARQLWrapper import SPARQLExceptions as Sparql

    try:
        return call()
    except Sparql.QueryBadFormed as error:
        raise InputError(f"the endpoint refuses the query: {_first_line(error)}", where=url) from error
    except Sparql.Unauthorized as error:
        raise InputError("the endpoint requires credentials (401)", where=url) from error
    except Sparql.EndPointNotFound as error:
        hint = "Addresses of SPARQL endpoints often end in /query or /sparql."
        raise InputError("there is no endpoint at this address (404)", where=url, hint=hint) from error
    except Sparql.EndPointInternalError as error:
        raise _OverloadedError(f"the endpoint failed (500): {_first_line(error)}") from error
    except URLError as error:
        raise _transport_error(error, url) from error
    except (HTTPException, ConnectionError) as error:
        raise TransientError(f"the connection broke off ({type(error).__name__})") from error
    except (TimeoutError, json.JSONDecodeError) as error:
        # A time-out inside the engine arrives as status 200 with half a JSON.
        raise CutShortError(f"the reply was cut short ({type(error).__name__})", where=url) from error
    except (RecursionError, ValueError) as error:
        problem = "the reply is nested too deeply or has a number of thousands of digits"
        raise OutsideError(f"{problem}: it is not SPARQL JSON", where=url) from error


def _transport_error(error: URLError, url: str) -> Exception:
    """What a status without a class of its own, or a connection that was not made, means."""
    if isinstance(error, HTTPError):
        if error.code not in _TRANSIENT_CODES:
            return OutsideError(f"the endpoint answers with status {error.code}: {error.reason}", where=url)
        wait = seconds_to_wait(error.headers.get("Retry-After"))
        busy = _BUSY_SECONDS if error.code in {429, 503} else None
        kind = _OverloadedError if error.code in _OVERLOADED_CODES else TransientError
        return kind(f"status {error.code}", busy if wait is None else wait)
    if not isinstance(error.reason, ConnectionRefusedError):
        return TransientError(f"the connection failed ({error.reason})")
    hint = "Start it, or leave --sparql-url out to use the snapshot that comes with Tashika."
    return OutsideError(f"the endpoint is down: {error.reason}", where=url, hint=hint)


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else type(error).__name__
