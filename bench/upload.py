"""What the second upload of a large release sends, when the templates of one relation have changed.

Usage: python -m bench.upload --folder DIR [--rows 6500000]

A synthetic release of MyriadLAMA's shape (41 relations, 100 templates each; nobody judged anything) is exported and
published to a Hub on this machine, then again as the next version, with plain uploads and over Xet. Twice: with ten
templates of the middle relation worded anew, and with ten of them left out, which moves all rows behind them.
Prints JSON: the bytes of the release, and those that each upload sent.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tashika.core.files import write_json, write_rows
from tashika.core.records import VERDICT, item_id, item_row, item_schema
from tashika.core.workspace import Workspace
from tashika.exports.checking.run import checks_file
from tashika.exports.plan import suite_export
from tashika.exports.publish import Publication, publish_to_hub
from tashika.exports.release import Export
from tests.exports import hub_server

SUITE, NAME = "myriadlama", "bench/synthetic"
RELATIONS, TEMPLATES, NAMES, CHANGED = 41, 100, 2, 10
MIDDLE = RELATIONS // 2
VERSIONS: Mapping[str, str] = {"before": "", "worded-anew": "worded anew", "left-out": "left out"}
SETTINGS: Mapping[str, Any] = {"pretty_name": "Synthetic", "license": "cc0-1.0"}


def main() -> None:
    """Measures and prints."""
    options = _options()
    os.environ |= {"HF_TOKEN": hub_server.TOKEN, "HF_HUB_OFFLINE": "0", "HF_XET_CACHE": str(options.folder / "xet")}
    from huggingface_hub import constants
    from huggingface_hub.utils import disable_progress_bars

    constants.HF_HUB_OFFLINE = False
    disable_progress_bars()
    subjects = round(options.rows / (RELATIONS * TEMPLATES * NAMES))
    results: dict[str, Any] = {"uploads": []}
    workspace = Workspace(options.folder / "work", SUITE)
    for kept, change in VERSIONS.items():
        _fill(workspace, subjects, change)
        results["rows"] = _export(workspace, "0.1.0" if not change else "0.2.0")["counts"]["prompts"]
        shutil.copytree(workspace.release, workspace.root / kept, dirs_exist_ok=True, copy_function=os.link)
        shutil.copy(checks_file(workspace), workspace.root / f"{kept}.checks.json")
    for kept, change in list(VERSIONS.items())[1:]:
        for xet in (False, True):
            results["uploads"].append({"change": change, "xet": xet, **_publish_both(workspace, kept, xet)})
    shutil.rmtree(workspace.root)
    print(json.dumps(results, indent=2))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the releases lie meanwhile: some 100 MB each")
    parser.add_argument("--rows", type=int, default=6_500_000, help="prompts, about")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    return options


def _fill(workspace: Workspace, subjects: int, change: str) -> None:
    """Items and verdicts; the ten templates that change are worded or judged as `change` says."""
    kinds: dict[str, list[dict[str, Any]]] = {"fact": [], "alias": [], "template": []}
    verdicts = []
    made = {"builder": "synthetic", "version": "1", "sources": [("synthetic", "1")]}
    for number in range(subjects):
        entity = f"Q{number}"
        for place in range(NAMES):
            text = _name(number, place)
            label = {"entity": entity, "entity_label": _name(number, 0), "language": "en"}
            kinds["alias"].append(
                item_row(SUITE, "alias", (entity, text), {**label, "text": text, "is_label": place == 0}, **made)
            )
    objects = [f"O{number}" for number in range(200)]
    for name in objects:
        label = {"entity": name, "entity_label": f"Object {name}", "language": "en"}
        payload = {**label, "text": f"Object {name}", "is_label": True}
        kinds["alias"].append(item_row(SUITE, "alias", (name, payload["text"]), payload, **made))
    for relation in range(RELATIONS):
        code = f"P{relation:03}"
        for number in range(subjects):
            value = objects[(number * 7 + relation) % len(objects)]
            labels = {"subject_label": _name(number, 0), "object_label": f"Object {value}"}
            payload = {"relation": code, "subject": f"Q{number}", "object": value, **labels, "origin": "facts"}
            kinds["fact"].append(item_row(SUITE, "fact", (code, f"Q{number}", value), payload, **made))
        for number in range(TEMPLATES):
            is_changed = relation == MIDDLE and number < CHANGED
            key = f"[X] has, by wording {number} of relation {code}, the object [Y]."
            text = key.replace("has", "is said to have") if is_changed and change == "worded anew" else None
            payload = {
                "relation": code, "relation_label": code, "relation_description": "[X] and [Y].", "text": key,
                "origin": "manual", "example": key,
            }  # fmt: skip
            kinds["template"].append(item_row(SUITE, "template", (code, key), payload, **made))
            out = is_changed and change == "left out"
            verdicts.append(_verdict(item_id(SUITE, "template", code, key), "rejected" if out else "accepted", text))
    for kind, rows in kinds.items():
        write_rows(workspace.item_file(kind), rows, item_schema(SUITE, kind))
    write_rows(workspace.verdict_file, verdicts, VERDICT)
    write_json(workspace.annotation / "validation.json", {})


def _name(number: int, place: int) -> str:
    """A name that compresses about as well as real ones do: two words of drawn syllables."""
    digest = hashlib.sha256(f"{number} {place}".encode()).digest()
    syllables = [f"{'bdfgklmnprstvz'[byte % 14]}{'aeiou'[byte // 14 % 5]}" for byte in digest[:7]]
    return f"{''.join(syllables[:3]).title()} {''.join(syllables[3:]).title()}"


def _verdict(item: str, decision: str, text: str | None) -> dict[str, Any]:
    return {
        "item_id": item, "kind": "template", "decision": decision, "text": text, "votes_for": 3, "votes_against": 0,
        "votes_cast": 3, "rule": "synthetic", "tie": False, "adjudicator": None, "posterior": None,
    }  # fmt: skip


def _export(workspace: Workspace, version: str) -> dict[str, Any]:
    suite = suite_export(SUITE)
    settings = suite.settings.model_validate({**SETTINGS, "version": version})
    return Export(workspace, settings, suite, suite.plan(workspace, settings)).run()


def _publish_both(workspace: Workspace, after: str, xet: bool) -> dict[str, Any]:
    """Publishes the two versions to an empty Hub, and says what each upload sent."""
    from huggingface_hub import constants
    from huggingface_hub.utils._xet import abort_xet_session

    constants.HF_HUB_DISABLE_XET = not xet
    shutil.rmtree(os.environ["HF_XET_CACHE"], ignore_errors=True)
    abort_xet_session()
    results: dict[str, Any] = {}
    with hub_server.HubServer() as hub:
        os.environ["HF_ENDPOINT"] = hub.url
        for version in ("before", after):
            with _in_place(workspace, version):
                publication = Publication(workspace, NAME, seconds=3_600)
                files = publication.files().values()
                before, begun = _sent(hub), time.monotonic()
                publish_to_hub(publication)
                results["second" if version == after else "first"] = {
                    "files": len(files),
                    "bytes": sum(path.stat().st_size for path in files),
                    "sent": _sent(hub) - before,
                    "seconds": round(time.monotonic() - begun, 1),
                }
    return results


def _sent(hub: hub_server.HubServer) -> int:
    """Bytes of large files that have arrived, over either way."""
    return hub.xet.received or sum(map(len, hub.objects.values()))


@contextmanager
def _in_place(workspace: Workspace, version: str) -> Iterator[None]:
    """Puts a version that was kept into the release's place."""
    shutil.rmtree(workspace.release, ignore_errors=True)
    shutil.copytree(workspace.root / version, workspace.release, copy_function=os.link)
    shutil.copy(workspace.root / f"{version}.checks.json", checks_file(workspace))
    yield


if __name__ == "__main__":
    main()
