"""LAMA-UHN as LAMA asks it: its own template and label, one prompt a pair, nothing widened (Table 2, first column).

A prompt's right answers are the objects that LAMA itself gives the pair, by LAMA's label alone. A pair that LAMA gives
several objects is one prompt, as in Table 1, where LAMA-UHN has as many prompts as pairs and more triples than either.
Only pairs of the work list are asked, so that one prompt and all prompts are compared on the same pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import numpy as np
import pyarrow as pa

from tashika.core.records import item_id
from tashika.evaluate.myriadlama.fluctuation import score
from tashika.evaluate.myriadlama.metrics import MEASURES
from tashika.evaluate.myriadlama.pooling import RESAMPLES, ratios
from tashika.evaluate.myriadlama.predictions import Predictions
from tashika.evaluate.myriadlama.prompts import Release, WorkList, work_list
from tashika.evaluate.myriadlama.wording_numbers import LamaUhn, UhnFilter

_SUITE: Final = "myriadlama"


def lama_work(release: Release, asked: WorkList) -> WorkList | None:
    """LAMA's own prompts about the pairs that are asked; None where the release has none of them.

    Args:
        release: The release.
        asked: Its prompts, or a sample of them.
    """
    if release.lama is None:
        return None
    pairs = zip(release.facts["relation"].to_pylist(), release.facts["subject"].to_pylist(), strict=True)
    number = {pair: place for place, pair in enumerate(sorted(set(pairs)))}
    drawn = set(asked.pair_number.tolist())
    rows = [row for row in release.lama.to_pylist() if number.get((row["relation"], row["subject"])) in drawn]
    if not rows:
        return None
    templates: dict[str, str] = {}
    labels: dict[tuple[str, str], str] = {}
    for row in rows:
        templates.setdefault(row["relation"], row["template"])
        labels.setdefault((row["relation"], row["subject"]), row["subject_label"])
    return work_list(_as_release(release, rows, templates, labels))


def _as_release(
    release: Release,
    rows: list[dict[str, str]],
    templates: Mapping[str, str],
    labels: Mapping[tuple[str, str], str],
) -> Release:
    """One template a relation, one name a pair: LAMA may call a subject otherwise in another relation."""
    facts = [
        {
            "relation": row["relation"],
            "subject": f"{row['relation']} {row['subject']}",
            "object": row["object"],
            "object_aliases": [row["object_label"]],
        }
        for row in rows
    ]
    names = [
        {"item_id": item_id(_SUITE, "lama-uhn", "subject", *pair), "entity": " ".join(pair), "text": label}
        for pair, label in labels.items()
    ]
    texts = [
        {"item_id": item_id(_SUITE, "lama-uhn", "template", relation), "relation": relation, "text": text}
        for relation, text in templates.items()
    ]
    tables = (pa.Table.from_pylist(part) for part in (facts, names, texts))
    return Release(release.version, release.digest, release.simulated, *tables)


def lama_scores(predictions: Predictions, uhn_filter: UhnFilter, seed: int = 0, resamples: int = RESAMPLES) -> LamaUhn:
    """The numbers of LAMA's own prompts, with intervals over draws of pairs.

    Args:
        predictions: One prompt a pair.
        uhn_filter: LAMA-UHN's filters that the prompts went through.
        seed: Of the draws.
        resamples: How many.
    """
    columns = np.stack([score(predictions.rank, measure) for measure in MEASURES], axis=1).astype(np.float64)
    first, ten, reciprocal = ratios(columns, np.ones_like(columns), seed, resamples)
    return LamaUhn(
        acc_at_1=first,
        acc_at_10=ten,
        mrr=reciprocal,
        asked=predictions.coverage.prompts.asked,
        scored=predictions.coverage.prompts.scored,
        left_out=predictions.coverage.left_out,
        uhn_filter=uhn_filter,
    )


def filter_of(release: Release) -> UhnFilter:
    """LAMA-UHN's filters that a release's own LAMA prompts went through."""
    assert release.lama is not None
    return cast(UhnFilter, release.lama["uhn_filter"][0].as_py())
