"""What the card says about scoring models with other programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from tashika.core.suites.discovery import suite_named
from tashika.exports.tasks.flexeval import FOLDER as FLEXEVAL
from tashika.exports.tasks.inspect import FILE as INSPECT
from tashika.exports.tasks.lm_eval import FOLDER, SUFFIX


def scoring(record: Mapping[str, Any]) -> dict[str, Any]:
    """The names of the tasks and why there are none, for the card's template.

    Args:
        record: The content of `release.json`.
    """
    paths = [*map(PurePosixPath, record.get("documents", {}))]
    names = [path.stem for path in paths if path.parent == PurePosixPath(FOLDER)]
    return {
        "lm_eval": names,
        "inspect": INSPECT in record.get("documents", {}),
        "flexeval": [path.stem for path in paths if path.parent == PurePosixPath(FLEXEVAL)],
        "letters": any(name.endswith(SUFFIX) for name in names),
        "own_method": suite_named(str(record["suite"])).load("exports").own_method,
    }
