"""Over which words a model answers, and the message when it has none."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.tiny_training import tokenizer_of
from tashika.evaluate.semrel.metrics_model import AskedTargets, Examples, Share
from tashika.evaluate.semrel.vocabulary import ModelWords, find_vocabulary, whole_targets

WORDS = ["animal", "cat", "dog", "horse"]


def _release(workspace: Workspace, words: list[str]) -> None:
    file = workspace.release / "vocabulary" / "vocabulary.parquet"
    file.parent.mkdir(parents=True)
    pq.write_table(pa.table({"word": words}), file)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path, "semrel")
    made.items.mkdir(parents=True)
    return made


def test_a_file_with_duplicates_counts_them(workspace: Workspace) -> None:
    (workspace.items / "vocabulary.txt").write_text("dog\ncat\ndog\nDog\ncat\n")
    found = find_vocabulary(workspace, [], released=False)
    assert found is not None
    assert found.words == ("cat", "dog")
    assert found.dropped == {"duplicates": 2, "no_plain_word": 1}


def test_the_release_goes_before_the_build_where_it_is_asked_for(workspace: Workspace) -> None:
    (workspace.items / "vocabulary.txt").write_text("dog\n")
    _release(workspace, ["horse", "cat", "cat"])
    released, built = (find_vocabulary(workspace, [], released=released) for released in (True, False))
    assert released is not None
    assert built is not None
    assert (released.words, released.origin, released.dropped) == (("cat", "horse"), "release", {"duplicates": 1})
    assert (built.words, built.origin) == (("dog",), "items")


def test_without_a_file_the_models_share_one_and_without_models_there_is_none(
    workspace: Workspace, tmp_path: Path
) -> None:
    for name, words in {"a": ["dog", "cat", "horse"], "b": ["horse", "dog", "animal"]}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(words))
    found = find_vocabulary(workspace, [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")], released=True)
    assert found is not None
    assert (found.words, found.origin) == (("dog", "horse"), "models")
    assert find_vocabulary(workspace, [], released=True) is None


def test_an_empty_vocabulary_is_refused(workspace: Workspace) -> None:
    (workspace.items / "vocabulary.txt").write_text("\n\n")
    with pytest.raises(InputError, match="holds no word"):
        find_vocabulary(workspace, [], released=False)
    _release(workspace, [])
    with pytest.raises(InputError, match="found no words"):
        find_vocabulary(workspace, [], released=True)


def test_words_that_the_model_splits_are_left_out_and_counted() -> None:
    tokenizer = tokenizer_of({"dog": 2, "animal": 2, "c": 1, "a": 1, "t": 1}, 2, ())
    found = ModelWords.of(tokenizer, WORDS, "model")
    assert found.words_at(reversed(found.tokens.tolist())) == ["dog", "animal"]
    assert found.split == ("cat", "horse")
    coverage = found.coverage(["animal", "cat"], AskedTargets(asked=1, of=2))
    assert coverage.words == Share(kept=2, of=4)
    assert coverage.relata == Share(kept=1, of=2)
    assert coverage.split == Examples(n=2, such_as=["cat", "horse"])


def test_a_token_of_two_words_stands_for_the_first() -> None:
    found = ModelWords.of(tokenizer_of({"cafe": 1}, 1, ()), ["cafe", "café"], "model")
    assert (found.words, found.doubled, found.split) == (("cafe",), ("café",), ())


def test_a_model_that_splits_everything_is_refused_with_the_count() -> None:
    letters = tokenizer_of(dict.fromkeys("abcdefghijklmnopqrstuvwxyz", 1), 0, ())
    with pytest.raises(InputError, match=r"splits all 4 words of the shared vocabulary.*'animal'"):
        ModelWords.of(letters, WORDS, "model")
    with pytest.raises(InputError, match=r"splits all 2 targets.*'cat', 'dog'"):
        whole_targets(letters, {"dog", "cat"}, "model")


def test_targets_that_are_one_token_are_kept() -> None:
    assert whole_targets(tokenizer_of({"dog": 1}, 1, ()), {"dog", "cat"}, "model") == {"dog"}
    assert whole_targets(tokenizer_of({"dog": 1}, 1, ()), [], "model") == frozenset()
