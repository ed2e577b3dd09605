"""As of when a store's data are."""

from __future__ import annotations

import re

from tashika.builders.sources.sparql import SparqlEndpoint

_TELLERS = "<http://www.wikidata.org> wikibase:Dump"
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def data_date(endpoint: SparqlEndpoint) -> str | None:
    """The day of the newest data, such as 2025-12-12; None where the store does not say.

    Dumps state a date of themselves (`wikibase:Dump`), and the public query service that of its last update
    (`<http://www.wikidata.org>`). The reply is kept like all others, so the day stays that of the first question.

    Raises:
        InputError: The endpoint refuses the query.
        OutsideError: The endpoint fails.
    """
    query = f"SELECT ?date WHERE {{ VALUES ?data {{ {_TELLERS} }} ?data schema:dateModified ?date }}"
    days = (_DAY.match(row["date"][0]) for row in endpoint.select(query))
    return max((day[0] for day in days if day), default=None)
