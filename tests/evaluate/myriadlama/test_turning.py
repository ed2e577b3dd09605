"""Where the order of models turns: worked by hand, and against a plain loop over all choices of templates."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest

from tashika.evaluate.myriadlama.turning import turns_of
from tests.evaluate.myriadlama.test_belief import Row, table_of


def written(folder: Path, name: str, rows: list[Row]) -> Path:
    file = folder / f"{name}.parquet"
    pq.write_table(table_of(rows, [(("P1", 0, "Z", "s"), "too long")]), file)
    return file


def test_a_model_that_knows_one_wording_is_above_in_half_of_the_draws(tmp_path: Path) -> None:
    # Two pairs, templates A and B. The first model is right with A alone, twice; the second with B, once.
    def rows(right: set[tuple[int, str]]) -> list[Row]:
        return [("P1", p, t, f"s{p}", 1 if (p, t) in right else 2, 1, 0.5) for p in (0, 1) for t in "AB"]

    files = [written(tmp_path, "one", rows({(0, "A"), (1, "A")})), written(tmp_path, "other", rows({(0, "B")}))]
    [turn] = turns_of(files, 20_000, 0)
    assert (turn.prompts, turn.one_accuracy, turn.other_accuracy) == (4, 0.5, 0.25)
    assert turn.above == pytest.approx(0.5, abs=0.02)
    assert turn.above + turn.below == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_loop_over_all_choices_agrees(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    prompts = [
        (f"P{pair % 2}", pair, f"P{pair % 2}-{t}", f"s{pair}-{a}")
        for pair in range(6)
        for t in range(3)
        for a in (0, 1)
    ]
    answered = [[key for key in prompts if random.random() < 0.9] for _ in range(2)]
    ranks = [{key: random.choice((1, 2)) for key in keys} for keys in answered]
    files = [written(tmp_path, str(n), [(*key, rank, 1, 0.5) for key, rank in ranks[n].items()]) for n in (0, 1)]
    [turn] = turns_of(files, 20_000, seed)

    def accuracy(model: dict[tuple[str, int, str, str], int], pair: int, template: str) -> float:
        hits = [rank == 1 for key, rank in model.items() if key[1:3] == (pair, template)]
        return sum(hits) / len(hits)

    common = {key[1:3] for key in ranks[0]} & {key[1:3] for key in ranks[1]}
    above = below = total = 0
    choices = [sorted({template for _, template in common if template.startswith(name)}) for name in ("P0", "P1")]
    for chosen in product(*choices):
        cells = [cell for cell in sorted(common) if cell[1] in chosen]
        one, other = (sum(accuracy(model, *cell) for cell in cells) for model in ranks)
        above += one > other + 1e-9
        below += one < other - 1e-9
        total += 1
    assert turn.above == pytest.approx(above / total, abs=0.02)
    assert turn.below == pytest.approx(below / total, abs=0.02)


def test_models_that_answered_nothing_in_common_are_not_compared(tmp_path: Path) -> None:
    one = written(tmp_path, "one", [("P1", 0, "A", "s", 1, 1, 0.5)])
    other = written(tmp_path, "other", [("P1", 0, "B", "s", 1, 1, 0.5)])
    assert turns_of([one, other], 10, 0) == []
