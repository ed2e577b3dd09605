from __future__ import annotations

import pytest

from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.sources.wikidata import Name, facts_of, names_of, objects_of, require_item, require_property
from tashika.core.errors import InputError


def test_facts_are_the_best_ranked_between_entities(endpoint: SparqlEndpoint) -> None:
    # Q999's capital is unknown (a blank node): no fact.
    assert facts_of(endpoint, "P36") == [("Q142", "Q90"), ("Q183", "Q64"), ("Q998", "Q99999")]


def test_a_limit_takes_the_first_subjects(endpoint: SparqlEndpoint) -> None:
    assert facts_of(endpoint, "P36", limit=1) == [("Q142", "Q90")]


def test_objects_are_of_every_rank_but_deprecated(endpoint: SparqlEndpoint) -> None:
    assert sorted(objects_of(endpoint, "P36", ["Q183", "Q142"])) == [("Q142", "Q90"), ("Q183", "Q586"), ("Q183", "Q64")]


def test_the_label_is_of_the_first_language_that_has_one(endpoint: SparqlEndpoint) -> None:
    names = names_of(endpoint, ["Q64", "Q90", "Q42"])
    assert names["Q64"] == [Name("Q64", "Berlin", "mul", is_label=True)]
    assert names["Q90"] == [
        Name("Q90", "Paris", "en", is_label=True),
        Name("Q90", "Paris (France)", "mul", is_label=False),
    ]
    assert names["Q42"] == [
        Name("Q42", "Douglas Adams", "mul", is_label=True),
        Name("Q42", "DNA", "en", is_label=False),
        Name("Q42", "Douglas N. Adams", "mul", is_label=False),
    ]


def test_a_name_counts_once_whatever_its_case(endpoint: SparqlEndpoint) -> None:
    texts = [name.text for name in names_of(endpoint, ["Q183"])["Q183"]]
    assert texts == ["Germany", "Federal Republic of Germany", "BRD"]


def test_who_has_no_name_is_absent(endpoint: SparqlEndpoint) -> None:
    assert names_of(endpoint, ["Q99999"]) == {}


@pytest.mark.parametrize("value", ["P19", "Q", "Q0", "Q01", "q42", "Q42 ", "", "http://www.wikidata.org/entity/Q42"])
def test_a_wrong_qid_is_refused(value: str) -> None:
    with pytest.raises(InputError, match="expected an item id"):
        require_item(value, "facts.jsonl:3")


@pytest.mark.parametrize("value", ["Q19", "P", "P0", "P19\n", "place_of_birth"])
def test_a_wrong_pid_is_refused(value: str) -> None:
    with pytest.raises(InputError, match="expected a property id"):
        require_property(value, "here")
