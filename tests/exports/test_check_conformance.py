"""What must hold of the checks of every suite's release: tested over all of them, the plugin's too."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tashika.core.errors import InputError
from tashika.core.suites.discovery import all_suites
from tashika.exports.checking.run import form_checks, require_passed, run_checks
from tashika.exports.checks import message_of
from tashika.exports.plan import suite_export
from tests.exports.drafts import Break, Draft, ReleaseToys, export_toys, failing
from tests.exports.kuci import breaks as kuci
from tests.exports.myriadlama import breaks as myriadlama
from tests.exports.proverbs import breaks as proverbs
from tests.exports.semrel import breaks as semrel
from tests.exports.tempripple import breaks as tempripple
from tests.plugin import toys as riddles

TOYS = (kuci.RELEASE, myriadlama.RELEASE, proverbs.RELEASE, semrel.RELEASE, tempripple.RELEASE, riddles.RELEASE)
BREAKS = [
    pytest.param(toys, each, id=f"{toys.suite}-{each.name.replace(' ', '_')}") for toys in TOYS for each in toys.breaks
]


@pytest.fixture(scope="module", autouse=True)
def _plugin() -> Iterator[None]:
    with riddles.installed():
        yield


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Callable[[ReleaseToys], Path]:
    """Gives the folder of a suite's toy release, made once; read only."""
    made: dict[str, Path] = {}

    def get(toys: ReleaseToys) -> Path:
        if toys.suite not in made:
            made[toys.suite] = export_toys(toys, tmp_path_factory.mktemp(toys.suite)).release
        return made[toys.suite]

    return get


@pytest.fixture
def draft_of(released: Callable[[ReleaseToys], Path], tmp_path: Path) -> Callable[[ReleaseToys], Draft]:
    """Gives a suite's toy release to break."""
    return lambda toys: Draft(shutil.copytree(released(toys), tmp_path / "release"))


def test_every_suite_is_tested_here() -> None:
    assert {toys.suite for toys in TOYS} == set(all_suites())


@pytest.mark.parametrize("toys", TOYS, ids=lambda toys: toys.suite)
def test_every_check_has_a_message_and_a_break(toys: ReleaseToys) -> None:
    checks = suite_export(toys.suite).checks
    assert checks
    assert {each.check for each in toys.breaks} == set(checks)
    assert all(message_of(check).endswith(".") for check in checks)


@pytest.mark.parametrize("toys", TOYS, ids=lambda toys: toys.suite)
def test_a_sound_release_passes_all(toys: ReleaseToys, draft_of: Callable[[ReleaseToys], Draft]) -> None:
    assert failing(draft_of(toys).written()) == {}


@pytest.mark.parametrize(("toys", "each"), BREAKS)
def test_a_break_fails_its_own_check_alone(
    toys: ReleaseToys, each: Break, draft_of: Callable[[ReleaseToys], Draft]
) -> None:
    draft = draft_of(toys)
    item = each.damage(draft)
    found = draft.written()
    problems = failing(found)
    assert list(problems) == [each.check.__name__]
    if item is not None:
        assert {problem.item for problem in problems[each.check.__name__]} == {item}
    with pytest.raises(InputError) as caught:
        require_passed(run_checks(form_checks(found, suite_export(toys.suite).checks)))
    assert caught.value.message.startswith(message_of(each.check))
