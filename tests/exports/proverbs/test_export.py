"""The release of the proverbs: which pairs go in, what corrections do to them, and what the card says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import ConfigError, InputError, MissingStageError
from tashika.core.files import hash_file, read_json
from tashika.core.workspace import Workspace
from tashika.exports.proverbs.export import stands_as_clause
from tashika.exports.publish import Publication, publish_to_hub
from tashika.exports.release import Export
from tashika.exports.schema import features
from tests.exports.proverbs import samples

SUITE, FILE = "proverbs", "pairs/test.parquet"
Make = Callable[[], Export]

"""The helper module beside this file, which conftest.py loads."""


def read(workspace: Workspace) -> dict[str, dict[str, Any]]:
    """The released rows by the names that the sample has for them."""
    names = {samples.pair_id(name): name for name in samples.PAIRS}
    return {names[row["item_id"]]: row for row in pq.read_table(workspace.release / FILE).to_pylist()}


def card(workspace: Workspace) -> str:
    return (workspace.release / "README.md").read_text(encoding="utf-8")


def decide(workspace: Workspace, **changes: Any) -> None:
    samples.write_verdicts(workspace, samples.verdict_rows(**changes))


def left_out(record: dict[str, Any]) -> dict[str, int]:
    return {name: count for name, count in record["left_out"].items() if count}


# What goes in


def test_the_counts_are_those_of_the_sample(proverb_release: Path) -> None:
    record = read_json(proverb_release / "release.json")
    assert record["counts"] == {
        "pairs": 8, "gender_pairs": 2, "wisdom_pairs": 2, "society_pairs": 3, "control_pairs": 1, "proverbs": 7,
        "corrected_pairs": 0,
    }  # fmt: skip
    assert left_out(record) == {}
    assert record["simulated"] is False
    assert "notes" not in record


def test_rows_stand_by_topic_in_the_papers_order_and_by_id_in_it(proverb_release: Path) -> None:
    rows = pq.read_table(proverb_release / FILE).to_pylist()
    topics = [row["topic"] for row in rows]
    assert topics == ["gender"] * 3 + ["wisdom"] * 2 + ["society"] * 3
    for topic in set(topics):
        ids = [row["item_id"] for row in rows if row["topic"] == topic]
        assert ids == sorted(ids)


def test_a_row_has_what_was_built_and_how_people_voted(proverb_workspace: Workspace, proverb_release: Path) -> None:
    assert read(proverb_workspace)["pot"] == {
        "item_id": samples.pair_id("pot"), "topic": "society", "proverb": samples.POT,
        "variant": "The hyena calls another hyena worse than itself.", "change": "wording", "maker": "written",
        "origin": "English", "variant_origin": "Swahili", "form": "why",
        "direction": None,
        "question": "Why is it said that the pot calls the kettle black?",
        "variant_question": "Why is it said that the hyena calls another hyena worse than itself?",
        "votes_for": 2, "votes_cast": 2,
    }  # fmt: skip


@pytest.mark.parametrize("decision", ["rejected", "undecided", None])
def test_only_accepted_pairs_go_in(proverb_workspace: Workspace, export_proverbs: Make, decision: str | None) -> None:
    decide(proverb_workspace, bird=decision)
    record = export_proverbs().run()
    assert set(read(proverb_workspace)) == set(samples.PAIRS) - {"bird"}
    assert left_out(record) == {f"{decision or 'unjudged'}_pairs": 1}


def test_of_audited_pairs_all_but_the_rejected_ones_go_in(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    decide(proverb_workspace, bird=None, pot="undecided", frog="rejected")
    samples.write_validation(proverb_workspace, pair=samples.entry(mode="audit"))
    record = export_proverbs().run()
    assert set(read(proverb_workspace)) == set(samples.PAIRS) - {"frog"}
    assert left_out(record) == {"rejected_pairs": 1}


# Checks of detected errors


@pytest.mark.parametrize("decision", ["accepted", "rejected"])
def test_votes_on_checks_change_nothing_and_the_export_has_nothing_to_do(
    proverb_workspace: Workspace, export_proverbs: Make, capsys: pytest.CaptureFixture[str], decision: str
) -> None:
    def contents() -> dict[str, tuple[str, int]]:
        files = [path for path in proverb_workspace.release.rglob("*") if path.is_file()]
        return {path.name: (hash_file(path), path.stat().st_mtime_ns) for path in files}

    export_proverbs().run()
    before = contents()
    capsys.readouterr()
    samples.add_checks(proverb_workspace, decision)
    export_proverbs().run()
    assert "release: nothing to do" in capsys.readouterr().err
    assert contents() == before


def test_simulated_annotators_of_checks_do_not_make_the_pairs_simulated(
    proverb_workspace: Workspace, export_proverbs: Make
) -> None:
    samples.add_checks(proverb_workspace)
    record = export_proverbs().run()
    assert record["simulated"] is False
    assert "simulated" not in card(proverb_workspace)
    assert "### check" not in card(proverb_workspace)


def test_a_new_vote_on_a_pair_makes_a_new_release(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    samples.add_checks(proverb_workspace)
    first = export_proverbs().run()["digest"]
    decide(proverb_workspace, bird="rejected")
    assert export_proverbs().run()["digest"] != first


def test_a_summary_that_tells_another_story_makes_a_new_release(
    proverb_workspace: Workspace, export_proverbs: Make
) -> None:
    assert export_proverbs().run()["simulated"] is False
    samples.write_validation(proverb_workspace, pair=samples.entry(simulated=True))
    assert export_proverbs().run()["simulated"] is True


# Controls


def test_a_control_goes_in_beside_its_pair_alone(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    export_proverbs().run()
    rows = read(proverb_workspace)
    assert rows["prudent"]["question"] == rows["adversity"]["question"]
    assert {rows[name]["direction"] for name in ("adversity", "prudent", "clothes")} == {"man-first"}
    assert rows["pot"]["direction"] is None
    assert "Pairs on gender by whom the proverb speaks of" in card(proverb_workspace)
    decide(proverb_workspace, adversity="rejected")
    record = export_proverbs().run()
    assert "prudent" not in read(proverb_workspace)
    assert left_out(record) == {"rejected_pairs": 1, "controls_without_their_pair": 1}
    assert record["counts"]["control_pairs"] == 0


def test_a_pair_that_a_correction_quotes_quotes_its_control(
    proverb_workspace: Workspace, export_proverbs: Make
) -> None:
    decide(proverb_workspace, adversity=("accepted", "Is a woman wise by adversity?"))
    export_proverbs().run()
    rows = read(proverb_workspace)
    assert rows["adversity"]["form"] == rows["prudent"]["form"] == "mean"
    assert rows["prudent"]["question"] == rows["adversity"]["question"]
    assert rows["prudent"]["variant_question"] == ('What does "Adversity makes a man prudent, not rich" mean?')


# Corrections


def test_a_correction_takes_the_variants_place_and_its_question_is_put_anew(
    proverb_workspace: Workspace, export_proverbs: Make
) -> None:
    text = "A bird in the hand is\n worth  ten in the bush!"
    decide(proverb_workspace, bird=("accepted", text))
    record = export_proverbs().run()
    row = read(proverb_workspace)["bird"]
    assert row["variant"] == "A bird in the hand is worth ten in the bush!"
    assert row["variant_question"] == "What does it mean to say a bird in the hand is worth ten in the bush?"
    assert row["question"] == "What does it mean to say a bird in the hand is worth two in the bush?"
    assert (row["form"], row["maker"], row["proverb"]) == ("say", "model", samples.BIRD)
    assert record["counts"]["corrected_pairs"] == 1


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Why fear the sea? Look at it.", 'What does "Why fear the sea? Look at it" mean?'),
        ("Who knows the sea, in a bowl?", 'What does "Who knows the sea, in a bowl?" mean?'),
        ("There is a fish. It knows no sea.", 'What does "There is a fish. It knows no sea" mean?'),
        ('"There is the sea!" said no fish', 'What does ""There is the sea!" said no fish" mean?'),
    ],
)
def test_where_a_correction_cannot_be_a_clause_both_questions_quote(
    proverb_workspace: Workspace, export_proverbs: Make, text: str, asked: str
) -> None:
    decide(proverb_workspace, frog=("accepted", text))
    export_proverbs().run()
    row = read(proverb_workspace)["frog"]
    assert row["form"] == "mean"
    assert row["question"] == 'What does "A frog in a well does not know the sea" mean?'
    assert row["variant_question"] == asked


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("  a FROG in a well  does not know the sea", "is_its_proverb"),
        ("clothes make the man", "is_another_pair's_text"),
        ("Clothes make the woman!", "is_another_pair's_text"),
        ("... 12 ...", "has_no_letter"),
    ],
)
def test_a_correction_that_cannot_stand_takes_its_pair_out_with_a_note(
    proverb_workspace: Workspace, export_proverbs: Make, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    decide(proverb_workspace, frog=("accepted", text))
    record = export_proverbs().run()
    assert set(read(proverb_workspace)) == set(samples.PAIRS) - {"frog"}
    assert left_out(record) == {f"pairs_whose_correction_{reason}": 1}
    (note,) = record["notes"]
    assert '"A frog in a well does not know the sea."' in note
    assert note.endswith(f"is left out: its correction {reason.replace('_', ' ')}.")
    assert f"**{note}**" in card(proverb_workspace)
    assert repr(text) in capsys.readouterr().err


def test_what_was_typed_for_a_pair_that_is_left_out_is_not_published(
    proverb_workspace: Workspace, export_proverbs: Make
) -> None:
    decide(proverb_workspace, frog=("accepted", "CLOTHES make the WOMAN"))
    export_proverbs().run()
    assert "CLOTHES make the WOMAN" not in card(proverb_workspace)
    assert "CLOTHES make the WOMAN" not in (proverb_workspace.release / "release.json").read_text(encoding="utf-8")


def test_of_two_equal_corrections_the_first_row_stays(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    decide(proverb_workspace, bird=("accepted", "Less is more."), pot=("accepted", "less is more"))
    record = export_proverbs().run()
    rows = read(proverb_workspace)
    assert rows["bird"]["variant"] == "Less is more."
    assert "pot" not in rows
    assert left_out(record) == {"pairs_whose_correction_is_another_pair's_text": 1}


def test_a_text_that_a_correction_replaced_or_people_rejected_is_free(
    proverb_workspace: Workspace, export_proverbs: Make
) -> None:
    freed, rejected = samples.PAIRS["clothes"][2], samples.PAIRS["bird"][2]
    decide(
        proverb_workspace,
        clothes=("accepted", "Clothes make the lady."),
        frog=("accepted", freed),
        bird="rejected",
        pot=("accepted", rejected),
    )
    export_proverbs().run()
    rows = read(proverb_workspace)
    assert (rows["frog"]["variant"], rows["pot"]["variant"]) == (freed, rejected)


@given(st.text(alphabet="abc ,;'-", max_size=30), st.sampled_from(["", ".", "!", "...", " . "]))
def test_one_sentence_stands_as_a_clause_whatever_it_ends_with(text: str, end: str) -> None:
    assert stands_as_clause(text + end)
    assert not stands_as_clause(f"{text}?{end}")
    assert not stands_as_clause(f"{text}a. b{end}")


# The written files


def test_datasets_opens_it_with_and_without_the_configurations_name(
    proverb_workspace: Workspace, proverb_release: Path, tmp_path: Path
) -> None:
    import datasets

    cache = str(tmp_path / "cache")
    assert datasets.get_dataset_config_names(str(proverb_release)) == ["pairs"]
    assert datasets.get_dataset_split_names(str(proverb_release), "pairs") == ["test"]
    found = datasets.load_dataset(str(proverb_release), "pairs", split="test", cache_dir=cache)
    assert found.features == features(SUITE, "pairs")
    assert found.to_list() == list(read(proverb_workspace).values())
    streamed = datasets.load_dataset(str(proverb_release), split="test", streaming=True)
    assert [row["question"] for row in streamed] == found["question"]


def test_two_exports_of_the_same_items_in_another_order_give_equal_bytes(
    proverb_workspace: Workspace, export_proverbs: Make
) -> None:
    def contents() -> dict[str, str]:
        files = (path for path in proverb_workspace.release.rglob("*") if path.is_file())
        return {path.name: hash_file(path) for path in files}

    decide(proverb_workspace, bird=("accepted", "Less is more."), pot=("accepted", "less is more"))
    export_proverbs().run()
    first = contents()
    samples.write_pairs(proverb_workspace, samples.pair_rows()[::-1])
    export_proverbs().run()
    assert contents() == first


def test_it_is_published_and_shown_before(
    hub: Any, proverb_workspace: Workspace, proverb_release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publication = Publication(proverb_workspace, "lab/proverbs")
    publication.show()
    shown = capsys.readouterr()
    assert FILE in shown.out + shown.err
    assert hub.requests == []
    commit = publish_to_hub(publication)
    repo = hub.repos["lab/proverbs"]
    assert repo.tags == {"v0.1.0": commit}
    assert repo.files[FILE] == (proverb_release / FILE).read_bytes()


# The card


def test_the_card_counts_pairs_beside_the_papers_and_by_what_they_are(
    proverb_workspace: Workspace, export_proverbs: Make
) -> None:
    decide(proverb_workspace, frog="rejected")
    export_proverbs().run()
    text = card(proverb_workspace)
    assert "| pairs, gender | 2 | 100 |" in text
    assert "| pairs, society | 2 | 100 |" in text
    assert "| pairs and controls | 7 | 300 |" in text
    assert "\nChanges in wisdom: number 1, animal 1.\n" in text
    assert "\nVariants by who made them: swap 2, written 1, model 3.\n" in text
    assert "\nProverbs by where they come from: English 5, Latin 1.\n" in text
    assert "\nVariants that are proverbs themselves, by where they come from: Swahili 1.\n" in text
    assert "Built but not released: 1 rejected pairs." in text
    assert "| small-lm | temperature 0.8 | 3 | 3 |" in text
    assert "A Statistical Analysis of {LLMs'} Self-Evaluation Using Proverbs" in text
    assert 'load_dataset("ORG/NAME", "pairs", split="test", revision="v0.1.0")' in text


def test_the_card_tells_of_agreement_by_topic(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    cohen = {
        "all": {"kappa": 0.71, "items": 7}, "gender": {"kappa": None, "items": 2, "reason": "no luck"},
        "society": {"kappa": 0.5, "items": 3}, "wisdom": {"kappa": 0.469, "items": 2},
    }  # fmt: skip
    samples.write_validation(proverb_workspace, pair=samples.entry(cohen=cohen))
    export_proverbs().run()
    lines = [line for line in card(proverb_workspace).splitlines() if "Cohen" in line]
    assert lines == [
        "| Cohen's kappa of two people, gender (2 items) | not defined (no luck) |",
        "| Cohen's kappa of two people, wisdom (2 items) | 0.469 |",
        "| Cohen's kappa of two people, society (3 items) | 0.500 |",
        "| Cohen's kappa of two people, all (7 items) | 0.710 |",
    ]


def test_the_card_tells_how_ties_were_broken(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    rule = "strict majority, one person more is asked about ties"
    samples.write_validation(proverb_workspace, pair=samples.entry(rule=rule, ties_broken=3, annotators=3))
    export_proverbs().run()
    text = card(proverb_workspace)
    assert f"an item with at least 2 votes is decided by {rule}." in text
    assert "| ties that one person more has broken | 3 |" in text


def test_agreement_that_was_not_taken_is_not_told(proverb_workspace: Workspace, proverb_release: Path) -> None:
    assert "Cohen" not in card(proverb_workspace)


def test_simulated_annotators_are_told_wherever_they_show(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    simulation = {"seed": 7, "skip_rate": 0.0, "annotators": [{"name": "simulated-1", "error_rate": 0.05}]}
    samples.write_validation(proverb_workspace, pair=samples.entry(people=0, simulated=True, simulation=simulation))
    record = export_proverbs().run()
    text = card(proverb_workspace)
    assert record["simulated"] is True
    assert "The annotators of this release were simulated." in text
    assert "### pair (simulated annotators)" in text
    assert "- simulated-annotations" in text
    assert "simulated-1 errs on 5.0 %" in text


# Bad input


def test_without_pairs_it_says_which_command_comes_first(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    proverb_workspace.item_file("pair").unlink()
    with pytest.raises(MissingStageError, match="there are no pair items yet"):
        export_proverbs()


@pytest.mark.parametrize("gone", ["verdicts.parquet", "validation.json"])
def test_without_votes_it_says_which_command_comes_first(
    proverb_workspace: Workspace, export_proverbs: Make, gone: str
) -> None:
    (proverb_workspace.annotation / gone).unlink()
    with pytest.raises(MissingStageError, match="annotate vote proverbs"):
        export_proverbs()


def test_votes_on_checks_alone_are_none_on_pairs(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    samples.write_verdicts(proverb_workspace, [samples.check_verdict()])
    with pytest.raises(MissingStageError, match="none of the 8 pairs has a verdict"):
        export_proverbs()


def test_a_release_without_pairs_is_refused(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    decide(proverb_workspace, **dict.fromkeys(samples.PAIRS, "rejected"))
    with pytest.raises(InputError, match=r"no pair was accepted: .*'rejected': 8"):
        export_proverbs()


def test_a_release_whose_corrections_all_fall_is_refused(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    decide(
        proverb_workspace, **{**dict.fromkeys(samples.PAIRS, "rejected"), "bird": ("accepted", samples.BIRD.lower())}
    )
    with pytest.raises(InputError, match="no pair is left"):
        export_proverbs()


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("bird", {"generation": None}, "does not say which one"),
        ("frog", {"generation": {"model": "m", "prompt_hash": "h", "sampling": "{}"}}, "names a language model"),
    ],
)
def test_a_variant_and_its_generation_belong_together(
    proverb_workspace: Workspace, export_proverbs: Make, name: str, changes: dict[str, Any], message: str
) -> None:
    rows = [samples.pair_row(key, **(changes if key == name else {})) for key in samples.PAIRS]
    samples.write_pairs(proverb_workspace, rows)
    with pytest.raises(InputError, match=message) as caught:
        export_proverbs()
    assert samples.pair_id(name) in str(caught.value)


@pytest.mark.parametrize("column", ["question", "variant_question"])
def test_a_question_that_would_be_put_otherwise_today_names_the_item_and_what_to_do(
    proverb_workspace: Workspace, export_proverbs: Make, column: str
) -> None:
    old = samples.pair_row("pot")[column].replace("the ", "The ", 1)
    rows = [samples.pair_row(name, **({column: old} if name == "pot" else {})) for name in samples.PAIRS]
    samples.write_pairs(proverb_workspace, rows)
    with pytest.raises(InputError, match=r"(?s)Why is it said that The .* build proverbs` again") as caught:
        export_proverbs()
    assert samples.pair_id("pot") in str(caught.value)


def test_a_form_that_nobody_knows_is_found_before_anything_is_written(
    proverb_workspace: Workspace, export_proverbs: Make
) -> None:
    rows = [samples.pair_row(name, **({"form": "how"} if name == "pot" else {})) for name in samples.PAIRS]
    samples.write_pairs(proverb_workspace, rows)
    with pytest.raises(InputError, match="the form 'how', not one of why, say, mean"):
        export_proverbs().run()


def test_built_pairs_that_are_one_pair_are_refused_and_nothing_is_written(
    proverb_workspace: Workspace, export_proverbs: Make
) -> None:
    again = {**samples.pair_row("frog"), "item_id": "d" * 32}
    samples.write_pairs(proverb_workspace, [*samples.pair_rows(), again])
    samples.write_verdicts(proverb_workspace, [*samples.verdict_rows(), samples.verdict_row("d" * 32)])
    with pytest.raises(InputError, match="No pair stands twice"):
        export_proverbs().run()
    assert not (proverb_workspace.release / "release.json").exists()


def test_a_summary_of_another_form_is_refused(proverb_workspace: Workspace, export_proverbs: Make) -> None:
    samples.write_validation(proverb_workspace, pair=samples.entry(cohen={"all": "good"}))
    with pytest.raises(ConfigError, match=r"cohen\.all"):
        export_proverbs()
