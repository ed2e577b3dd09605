"""How far people who answer in words give the same ones, by relation, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tashika.annotation.quality.resampling import RESAMPLES, interval
from tashika.annotation.words.responses import agreement
from tashika.core.counts import counted


def shared_words(responses: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The intervals of the mean share of words (Jaccard) that two people have in common, over probes.

    Args:
        responses: Rows of `records.RESPONSE`.

    Returns:
        `interval`, over all probes; `by_relation`, with `mean_jaccard`, its `interval` and `items`, the probes that two
        people or more answered; and how many `resamples` the intervals (95 %, percentiles) come from.
    """
    by_item: dict[str, list[Mapping[str, Any]]] = {}
    for row in responses:
        by_item.setdefault(row["item_id"], []).append(row)
    by_relation: dict[str, list[float]] = {}
    for rows in by_item.values():
        share = agreement(rows)["mean_jaccard"]
        if share is not None:
            by_relation.setdefault(rows[0]["relation"], []).append(share)
    return {
        "resamples": RESAMPLES,
        "interval": mean_interval([share for shares in by_relation.values() for share in shares]),
        "by_relation": {
            relation: {"items": len(shares), "mean_jaccard": round(fmean(shares), 6), "interval": mean_interval(shares)}
            for relation, shares in sorted(by_relation.items())
        },
    }


def mean_interval(values: Sequence[float]) -> list[float] | None:
    """The 95 % interval of a mean over items; None with fewer than two."""
    distinct, places = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)

    def mean(patterns: NDArray[np.int64], weights: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(weights @ distinct[patterns[:, 0]] / weights.sum(axis=1), dtype=np.float64)

    return interval(places.reshape(-1, 1).astype(np.int64), mean)


def sharing_lines(summary: Mapping[str, Any], kinds: Sequence[str]) -> Iterator[str]:
    """Yields how far people give the same words, of each kind that they answer in words.

    Args:
        summary: The content of `validation.json`.
        kinds: The kinds to describe.
    """
    for kind in kinds:
        shares = summary.get(kind, {}).get("agreement", {})
        if not shares.get("by_relation"):
            continue
        what = "of their words on a probe (Jaccard, 95 % interval over probes)"
        yield f"{kind}: two people share {_share(shares)} {what}"
        for relation, entry in shares["by_relation"].items():
            yield f"  {relation}: {_share(entry)}, {counted(entry['items'], 'probe')}"


def _share(entry: Mapping[str, Any]) -> str:
    ends = entry["interval"]
    return f"{entry['mean_jaccard']:.1%}" + (f" ({ends[0]:.1%} to {ends[1]:.1%})" if ends else "")
