from __future__ import annotations

import numpy as np
import pytest

from tashika.core.suites.kuci.words import SPLITS, Split
from tashika.evaluate.kuci.asking import BAG, BASELINES, baseline_choices, baseline_scores, baseline_system
from tashika.evaluate.kuci.baselines import BagSettings, highest
from tashika.evaluate.kuci.questions import KuciQuestion

FORMS = ("past plain statement",) * 4
SETTINGS = BagSettings(penalties=(1.0,), rounds=20)


def parts(sizes: dict[Split, int]) -> dict[Split, list[KuciQuestion]]:
    random = np.random.default_rng(0)
    return {
        split: [
            KuciQuestion(
                f"{split}{number}",
                "雨が降ったので",
                tuple(str(one) for one in random.integers(10**6, size=4)),
                int(random.integers(4)),
                (1.0,) * 4,
                "cause",
                "p",
                FORMS,
            )
            for number in range(sizes.get(split, 0))
        ]
        for split in SPLITS
    }


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_is_asked_about_every_part_it_did_not_learn_from(name: str) -> None:
    made = parts({"train": 12, "validation": 4, "test": 6})
    system = baseline_system(name)
    choices = baseline_choices(system, made, {}, SETTINGS)
    assert set(choices) == ({"train", "test"} if name == BAG else set(SPLITS))
    assert all(len(chosen) == len(made[split]) for split, chosen in choices.items())
    scores, _ = baseline_scores(system, made, {}, SETTINGS)
    assert (highest(scores) == choices["test"]).all()


def test_what_is_asked_about_training_questions_learned_from_the_others() -> None:
    made = parts({"train": 8, "validation": 4, "test": 4})
    for split in ("validation", "test"):
        made[split] = [question._replace(answer=2) for question in made[split]]
    made["train"] = [question._replace(answer=1) for question in made["train"]]
    choices = baseline_choices(baseline_system("most-frequent-place"), made, {}, SETTINGS)
    assert {split: set(chosen.tolist()) for split, chosen in choices.items()} == {
        "train": {2},
        "validation": {1},
        "test": {1},
    }


def test_a_part_without_questions_is_left_out() -> None:
    made = parts({"train": 5, "test": 2})
    assert set(baseline_choices(baseline_system("longest-option"), made, {}, SETTINGS)) == {"train", "test"}
    assert baseline_choices(baseline_system("length-clue"), made, {}, SETTINGS) == {}
