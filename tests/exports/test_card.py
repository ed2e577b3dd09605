"""The dataset card: its text, and what people write around it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tashika.core.errors import InputError
from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.exports.card import BEGIN, CARD_FILE, END, Card, merged, outside_text, own_part, size_category
from tashika.exports.release import Export

Make = Callable[..., Export]
GOLD = Path(__file__).parent / "gold"
SIZES = re.compile(r"(num_bytes|download_size|dataset_size): \d+")
CARD = Card(metadata={"license": "cc0-1.0", "tags": ["lama", "cloze"], "configs": []}, block="# New")


def front(text: str) -> dict[str, Any]:
    found = yaml.safe_load(text.split("---\n")[1])
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("simulated", [True, False], ids=["simulated", "people"])
def test_the_card_is_the_gold_file(
    samples: Any, workspace: Workspace, make_export: Make, monkeypatch: pytest.MonkeyPatch, simulated: bool
) -> None:
    monkeypatch.setattr("tashika.exports.card.version", lambda _name: "0.0.0")
    write_json(workspace.annotation / "validation.json", samples.validation(simulated))
    make_export().run()
    gold = GOLD / f"card-{'simulated' if simulated else 'people'}.md"
    card = (workspace.release / CARD_FILE).read_text(encoding="utf-8")
    card = SIZES.sub(r"\1: 0", card)  # they follow the version of the library that writes the files
    # To renew a gold file after a wanted change: copy the card of a failed run over it, and read the difference.
    assert card == gold.read_text(encoding="utf-8")


def test_simulated_annotators_are_named_before_anything_else(release: Path) -> None:
    body = (release / CARD_FILE).read_text(encoding="utf-8").split(BEGIN)[1]
    warning = body.index("**The annotators of this release were simulated.**")
    assert warning < body.index("Relational facts from Wikidata")
    assert "simulated-annotations" in front((release / CARD_FILE).read_text(encoding="utf-8"))["tags"]


def test_people_and_programs_are_counted_apart(samples: Any, workspace: Workspace, make_export: Make) -> None:
    summary = samples.validation(simulated=False)
    summary["template"] |= {"annotators": 5, "people": 2, "simulated": True}
    write_json(workspace.annotation / "validation.json", summary)
    make_export().run()
    card = (workspace.release / CARD_FILE).read_text(encoding="utf-8")
    assert "release.** The template items were judged by 2 people and 3 simulated annotators (programs).\n" in card
    assert "### template (people and simulated annotators)\n" in card
    assert "\n2 people and 3 simulated annotators (programs) cast 35 votes;" in card
    assert "### alias\n" in card
    assert "\n3 people cast 9 votes;" in card
    assert "**Part of the validation is simulated**" in card
    assert "simulated-annotations" in front(card)["tags"]


def test_an_older_summary_calls_nobody_a_person_who_may_be_a_program(
    samples: Any, workspace: Workspace, make_export: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = samples.validation()
    for kind in summary.values():
        del kind["people"]
    write_json(workspace.annotation / "validation.json", summary)
    make_export().run()
    card = (workspace.release / CARD_FILE).read_text(encoding="utf-8")
    assert "\n3 annotators, simulated ones (programs) among them cast 35 votes;" in card
    assert "people and" not in card.partition("## Who validated it")[2].partition("## Limits")[0]
    assert "`tashika annotate vote myriadlama` counts them apart" in capsys.readouterr().err


def test_the_front_matter_has_a_configuration_for_each_folder(release: Path) -> None:
    configs = {entry["config_name"]: entry for entry in front((release / CARD_FILE).read_text())["configs"]}
    assert list(configs) == ["facts", "aliases", "templates", "prompts", "lite"]
    assert configs["prompts"]["default"] is True
    for name, entry in configs.items():
        assert entry["data_files"] == [{"split": "test", "path": f"{name}/*.parquet"}]
        assert list(release.glob(entry["data_files"][0]["path"]))


def test_own_text_and_own_keys_survive_an_export(workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    path = workspace.release / CARD_FILE
    text = path.read_text(encoding="utf-8")
    text = text.replace("license: cc0-1.0", "license: cc0-1.0\nviewer: false").replace("- lama\n", "- lama\n- ours\n")
    text = text.replace(BEGIN, f"Our preface.\n\n{BEGIN}") + "\nOur thanks.\n"
    text = text.replace("Version 0.1.0", "Version 0.1.0, edited inside")
    path.write_text(text, encoding="utf-8")
    make_export(version="0.2.0").run()
    renewed = path.read_text(encoding="utf-8")
    assert "Our preface.\n\n<!-- tashika:begin" in renewed
    assert renewed.endswith(f"{END}\n\nOur thanks.\n")
    assert "Version 0.2.0" in renewed
    assert "edited inside" not in renewed
    assert front(renewed)["viewer"] is False
    assert {"ours", "lama"} <= set(front(renewed)["tags"])


def test_an_edit_of_the_card_alone_does_not_write_the_release_again(
    workspace: Workspace, make_export: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    make_export().run()
    path = workspace.release / CARD_FILE
    path.write_text(path.read_text(encoding="utf-8") + "\nOur thanks.\n", encoding="utf-8")
    capsys.readouterr()
    make_export().run()
    assert "nothing to do" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8").endswith("Our thanks.\n")


def test_a_card_that_was_removed_comes_back(workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    path = workspace.release / CARD_FILE
    before = path.read_text(encoding="utf-8")
    path.unlink()
    make_export().run()
    assert path.read_text(encoding="utf-8") == before


def test_a_card_without_a_block_keeps_all_of_its_text() -> None:
    mine = "---\nlicense: mit\n# a comment\nauthor: me\n---\n# Mine\n\nText.\n"
    found = merged(CARD, mine, "README.md")
    assert found.endswith(f"---\n# Mine\n\nText.\n\n{BEGIN}\n# New\n{END}\n")
    assert front(found) == {"license": "cc0-1.0", "author": "me", "tags": ["lama", "cloze"], "configs": []}


@pytest.mark.parametrize("existing", [None, "", "Just text.\n", "---\nauthor: me\n---\nText\n"])
def test_merging_twice_changes_nothing_more(existing: str | None) -> None:
    once = merged(CARD, existing, "README.md")
    assert merged(CARD, once, "README.md") == once


def test_front_matter_that_needs_no_change_keeps_its_form() -> None:
    text = f"---\n# our comment\nconfigs: []\ntags: [lama, cloze]\nlicense: 'cc0-1.0'\n---\n{BEGIN}\n# Old\n{END}\n"
    assert merged(CARD, text, "README.md") == text.replace("# Old", "# New")


def test_a_release_by_people_loses_the_tag_of_simulation() -> None:
    text = f"---\ntags:\n- simulated-annotations\n- ours\n---\n{BEGIN}\n# Old\n{END}\n"
    assert front(merged(CARD, text, "README.md"))["tags"] == ["ours", "lama", "cloze"]


@pytest.mark.parametrize(
    "body",
    [f"{BEGIN}\ntext", f"text\n{END}", f"{END}\n{BEGIN}", f"{BEGIN}\n{END}\n{BEGIN}\n{END}"],
    ids=["no end", "no begin", "swapped", "twice"],
)
def test_broken_markers_are_an_error_and_not_guessed_at(body: str) -> None:
    with pytest.raises(InputError, match="markers of the generated block") as caught:
        merged(CARD, body, "release/README.md")
    assert caught.value.where == "release/README.md"


@pytest.mark.parametrize("matter", ["a: [1", "- a\n- b"])
def test_front_matter_that_is_no_mapping_is_an_error(matter: str) -> None:
    with pytest.raises(InputError, match="front matter"):
        merged(CARD, f"---\n{matter}\n---\ntext\n", "README.md")


def test_a_card_that_is_not_utf_8_is_an_error_and_stays(workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    path = workspace.release / CARD_FILE
    path.write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match="not UTF-8") as caught:
        make_export().run()
    assert caught.value.where == str(path)
    assert path.read_bytes() == b"caf\xe9"


def test_our_part_is_taken_back_out_of_a_card() -> None:
    text = merged(CARD, "---\nauthor: me\n---\nPreface.\n", "README.md")
    assert own_part(text, "README.md") == CARD
    assert outside_text(text, "README.md") == "Preface."
    with pytest.raises(InputError, match="the generated block is not there"):
        own_part("Just text.\n", "README.md")


@pytest.mark.parametrize(
    ("rows", "name"),
    [(0, "n<1K"), (999, "n<1K"), (1_000, "1K<n<10K"), (6_500_000, "1M<n<10M"), (2 * 10**7, "10M<n<100M")],
)
def test_size_categories_are_the_hubs(rows: int, name: str) -> None:
    assert size_category(rows) == name


def test_the_card_states_the_rule_who_was_left_out_and_what_that_changed(
    samples: Any, workspace: Workspace, make_export: Make
) -> None:
    summary = samples.validation(simulated=False)
    changes = {"items": 12, "changed": 2, "by": {"accepted to rejected": 2}}
    summary["template"] |= {
        "rule": "the model of Dawid and Skene",
        "differs_from_majority": changes,
        "caveats": ["one annotator alone has voted"],
        "without": {"annotators": ["a", "simulated-2"], "changes": changes, "alpha_with": 0.5, "alpha_without": None},
    }
    summary["template"]["agreement"] |= {
        "krippendorff_alpha": 0.61,
        "interval": [0.5, 0.7],
        "first_votes": 2,
        "groups": {
            "capital": {"items": 6, "krippendorff_alpha": 0.4, "interval": None},
            "birth|place": {"items": 5, "krippendorff_alpha": 0.1, "interval": [0.0, 0.2]},
            "never": {"items": 1, "krippendorff_alpha": None, "interval": None},
        },
    }
    write_json(workspace.annotation / "validation.json", summary)
    make_export().run()
    card = (workspace.release / CARD_FILE).read_text(encoding="utf-8")
    (sentence,) = [line for line in card.splitlines() if "is decided by the model of Dawid and Skene" in line]
    assert sentence.endswith(
        "is decided by the model of Dawid and Skene. A strict majority would decide otherwise on 2 of 12 verdicts "
        "(accepted to rejected 2). Mind that one annotator alone has voted. The answers of 1 person and 1 simulated "
        "annotator (program) are left out; this changes 2 of 12 verdicts (accepted to rejected 2), and Krippendorff's "
        "alpha from 0.500 to not defined."
    )
    assert "| Krippendorff's alpha, of each item's first 2 votes, 95 % interval | 0.610 (0.500 to 0.700) |\n" in card
    assert "| least alpha of 3 groups: birth\\|place (5 items) | 0.100 |\n" in card
