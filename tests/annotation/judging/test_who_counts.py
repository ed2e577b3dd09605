"""Who did how much, as far as it was pulled."""

from __future__ import annotations

import codecs
import csv
from pathlib import Path
from types import ModuleType

from tashika.annotation.judging.judgments import WITHDRAWN, append_judgments
from tashika.annotation.judging.roster import Roster
from tashika.annotation.judging.who import Work, who_did_what, write_csv
from tashika.annotation.votes.vote import latest_votes
from tashika.core.workspace import Workspace


def test_what_a_person_is_paid_for_is_what_the_votes_count(tmp_path: Path, samples: ModuleType) -> None:
    """A refused answer after a sound one, an answer that was deleted after another, and a refused one alone."""
    work = Workspace(tmp_path, "myriadlama")
    sound, refused = {"annotation_id": 1}, {"annotation_id": 2, "problem": "empty result", "label": None}
    deleted = {"annotation_id": 3, "problem": WITHDRAWN}
    rows = [
        *(samples.judgment("a", "ada", **values) for values in (sound, refused)),
        *(samples.judgment("b", "ada", **values) for values in (sound, deleted)),
        samples.judgment("c", "ada", **refused),
        samples.judgment("d", "ada", **deleted),
        samples.judgment("e", "ada", None, skipped=True),
    ]
    append_judgments(work, rows)
    (person,) = who_did_what(work, Roster())
    assert {item for _, item in person.items} == set(latest_votes(samples.judgment_table(*rows))["item_id"].to_pylist())
    assert (len(person.items), person.skipped, person.refused) == (2, 1, 2)


def test_a_spreadsheet_reads_names_in_any_script_and_runs_none(tmp_path: Path) -> None:
    path = tmp_path / "paid.csv"
    write_csv(path, {"trivia": [Work("annotator-1", "=cmd@example.org", "花子")]})
    assert path.read_bytes().startswith(codecs.BOM_UTF8)
    with path.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["name"], row["email"]) == ("花子", "'=cmd@example.org")
