from __future__ import annotations

from pathlib import Path

import pytest

from tashika.core.errors import InputError
from tashika.core.suites.semrel.hyperlex import WordPair, read_hyperlex

HEADER = "WORD1 WORD2 POS TYPE AVG_SCORE AVG_SCORE_0_10 STD SCORES..\n"


def write(path: Path, *lines: str, header: str = HEADER) -> Path:
    path.write_text(header + "".join(f"{line}\n" for line in lines))
    return path


def test_pairs_of_nouns_are_read_and_the_others_counted(tmp_path: Path) -> None:
    read = read_hyperlex(
        write(
            tmp_path / "hyperlex.txt",
            "Poodle dog N hyp-1 5.90 9.83 0.30 6 6 6 5",
            "plant oak N r-hyp-3 1.20 2.00 0.30 1 1 2 1",
            "sofa couch N syn 5.00 8.33 0.30 5 5",
            "king queen N ant 0.40 0.66 0.30 0 1",
            "finger hand N mero 1.00 1.66 0.30 1 1",
            "cat dog N cohyp 0.50 0.83 0.30 0 1",
            "cat idea N no-rel 0.00 0.00 0.30 0 0",
            "walk move V hyp-1 5.00 8.33 0.30 5 5",
            "cat cat N syn 6.00 10.00 0.00 6 6",
            "",
        )
    )
    assert read.pairs == [
        WordPair("poodle", "dog", "hyp", 1),
        WordPair("plant", "oak", "r-hyp", 3),
        WordPair("sofa", "couch", "syn", 1),
        WordPair("king", "queen", "ant", 1),
        WordPair("finger", "hand", "mero", 1),
    ]
    assert read.left_out == {"cohyp": 1, "no-rel": 1, "verbs": 1, "a word with itself": 1}


@pytest.mark.parametrize(
    "line",
    [
        "poodle dog N hyp-1",  # cut off
        "poodle dog N hyp-0 5.90",
        "poodle dog N hyp 5.90",
        "poodle dog N hyper-1 5.90",
        "poodle dog X hyp-1 5.90",
        "poodle dog N hyp-1 much",
        "toy poodle dog N hyp-1 5.90",
    ],
)
def test_a_bad_line_is_told_with_its_number(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "hyperlex.txt", "sofa couch N syn 5.00 8.33", line)
    with pytest.raises(InputError, match=r"hyperlex\.txt:3: found '.*poodle dog .*', expected 'WORD1 WORD2 N\|V TYPE"):
        read_hyperlex(path)


def test_files_of_another_kind_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt: there is no such file"):
        read_hyperlex(tmp_path / "none.txt")
    with pytest.raises(InputError, match=r"empty\.txt:1: the file is empty"):
        read_hyperlex(write(tmp_path / "empty.txt", header=""))
    with pytest.raises(InputError, match=r"pairs\.csv:1: found 'word1,word2', expected the header 'WORD1 WORD2 POS"):
        read_hyperlex(write(tmp_path / "pairs.csv", "a,b", header="word1,word2\n"))
    with pytest.raises(InputError, match="found no pair of nouns"):
        read_hyperlex(write(tmp_path / "verbs.txt", "walk move V hyp-1 5.00"))
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"bytes\.txt: not a text file in UTF-8"):
        read_hyperlex(tmp_path / "bytes.txt")
