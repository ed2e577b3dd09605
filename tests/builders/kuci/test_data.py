"""The Japanese sentences that come with the toolkit."""

from __future__ import annotations

import pytest

from tashika.core.settings import packaged_data

PAIRS = ("sentences-a", "sentences-b", "sentences-c", "sentences-d", "sentences-e")
TEXTS = (*PAIRS, "frames", "frames-b")


@pytest.fixture(scope="module")
def sentences() -> dict[str, list[str]]:
    return {name: packaged_data(f"kuci/{name}.txt").read_text("utf-8").split("\n") for name in TEXTS}


def test_each_is_a_line_that_ends_with_a_full_stop(sentences: dict[str, list[str]]) -> None:
    for name, lines in sentences.items():
        assert lines.pop() == "", name
        assert [line for line in lines if not line.endswith("。") or line != line.strip() or len(line) > 90] == []


def test_there_are_enough_and_none_twice(sentences: dict[str, list[str]]) -> None:
    pairs = [line for name in PAIRS for line in sentences[name] if line]
    assert len(pairs) >= 6500
    every = [line for lines in sentences.values() for line in lines if line]
    assert len(set(every)) == len(every)  # so events are never counted in the text that pairs come from


def test_the_readme_counts_them(sentences: dict[str, list[str]]) -> None:
    told = packaged_data("kuci/README.md").read_text("utf-8")
    for name, lines in sentences.items():
        assert f"| `{name}.txt` | {len(list(filter(None, lines))):,} |" in told
