"""Which CUDA devices are chosen, and what is said where there is none. No test computes on one."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Literal

import pytest

from tashika.builders.kuci.analysis.devices import CPU, VISIBLE, check_device, cuda_devices
from tashika.core.errors import InputError, OutsideError


class NoCudaError(Exception):
    """What CuPy raises without a driver."""


@pytest.fixture
def three_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    _install_cupy(monkeypatch, lambda: 3)
    monkeypatch.delenv(VISIBLE, raising=False)


def _install_cupy(monkeypatch: pytest.MonkeyPatch, count: object) -> None:
    runtime = SimpleNamespace(getDeviceCount=count, CUDARuntimeError=NoCudaError)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))


def test_the_processor_needs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert cuda_devices(CPU) == ()


@pytest.mark.usefixtures("three_cards")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cuda", ("0",)),
        ("cuda:2", ("2",)),
        ("cuda:2, cuda:0", ("2", "0")),
        ("cuda:all", ("0", "1", "2")),
    ],
)
def test_devices_have_their_numbers(name: str, expected: tuple[str, ...]) -> None:
    assert cuda_devices(name) == expected


@pytest.mark.usefixtures("three_cards")
def test_devices_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VISIBLE, "5,GPU-3f,1")
    assert cuda_devices("cuda:1,cuda:2") == ("GPU-3f", "1")


@pytest.mark.usefixtures("three_cards")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cuda:3", "(?s)there is no device cuda:3.*cuda:0 to cuda:2"),
        ("gpu", "(?s)found the device 'gpu'.*cuda:all"),
        ("auto", "found the device 'auto'"),
        ("cuda:0,cpu", "found the device"),
        ("cuda:x", "found the device"),
        ("cuda,cuda:0", "found a device twice"),
        ("", "found the device ''"),
    ],
)
def test_wrong_names_are_refused(name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        cuda_devices(name)
    assert caught.match(message)


def test_without_cupy_and_without_a_card_the_processor_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(InputError, match=r"(?s)no CUDA device.*--device cpu.*pip install cupy-cuda12x"):
        cuda_devices("cuda")


def test_with_a_card_and_without_cupy_the_line_to_install_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    with pytest.raises(OutsideError, match=r"(?s)CuPy, which is not installed.*pip install cupy-cuda12x"):
        cuda_devices("cuda:all")


@pytest.mark.parametrize("raises", [True, False])
def test_cupy_without_a_card(monkeypatch: pytest.MonkeyPatch, raises: bool) -> None:
    def count() -> int:
        if raises:
            raise NoCudaError("no driver")
        return 0

    _install_cupy(monkeypatch, count)
    with pytest.raises(InputError, match=r"(?s)no CUDA device on this machine.*--device cpu"):
        cuda_devices("cuda")


@pytest.mark.parametrize(
    ("device", "engine", "backend", "message"),
    [("cuda", "local", "knp", "only giNZA"), ("cuda:1", "ray", "ginza", "cuda: all of the cluster")],
)
def test_what_cannot_have_a_device(device: str, engine: Literal["local", "ray"], backend: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_device(device, engine, backend)
    assert message.lower() in str(caught.value).lower()


def test_a_cluster_has_cards_that_this_machine_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    for device in ("cuda", "cuda:all"):
        check_device(device, "ray", "ginza")
