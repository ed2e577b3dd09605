"""A real Ray cluster on this machine, started once in a test run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    """A cluster on 127.0.0.1 with room for two workers, which find the modules of the tests."""
    import torch

    from tashika.core.ray_cluster import ray_module

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAY_ADDRESS", raising=False)
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        module = ray_module()
        cpus = 2 * torch.get_num_threads()
        module.init(address="local", num_cpus=cpus, include_dashboard=False, log_to_driver=False)
        yield module
        module.shutdown()
