"""MyriadLAMA's predictions beside their prompts, for a person; each prompt is spelled when it is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tashika.core.workspace import Workspace
from tashika.evaluate.myriadlama.prompts import Release, read_release
from tashika.evaluate.showing import require_scored_here
from tashika.evaluate.suite import Answered, Spell


def open_predictions(workspace: Workspace, folder: Path) -> Spell:
    """The release's factors, to spell a model's prompts of."""
    release = read_release(workspace.release)
    require_scored_here(folder, release.digest)
    templates = {row["item_id"]: row for row in release.templates.to_pylist()}
    aliases = {row["item_id"]: row for row in release.aliases.to_pylist()}
    answers = _answers(release)

    def spell(row: Mapping[str, Any]) -> Answered:
        """A prediction with its prompt, `[Y]` being the blank."""
        template, alias = templates[row["template_id"]], aliases[row["subject_alias_id"]]
        word, rank = row.get("top_word") or f"(token {row['top_token']})", row["rank"]
        asked = row["problem"] is None
        return Answered(
            str(row["item_id"]),
            template["text"].replace("[X]", alias["text"]),
            (),
            answers.get((row["relation"], alias["entity"]), ()),
            word if asked else None,
            row["top_probability"] if asked else None,
            rank == 1 if asked else None,
            row["problem"],
            {
                "relation": " ".join(dict.fromkeys((row["relation"], template["relation_label"]))),
                "rank of the best right name": rank,
            },
        )

    return spell


def _answers(release: Release) -> dict[tuple[str, str], list[str]]:
    """Every name of every object, by relation and subject."""
    names: dict[tuple[str, str], dict[str, None]] = {}
    for row in release.facts.select(["relation", "subject", "object_aliases"]).to_pylist():
        names.setdefault((row["relation"], row["subject"]), {}).update(dict.fromkeys(row["object_aliases"] or ()))
    return {key: list(texts) for key, texts in names.items()}
