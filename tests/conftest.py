"""What every test stands on: no network but loopback, no model hub, no settings of the user's own."""

from __future__ import annotations

import os

import pytest

os.environ.update(
    HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1", TOKENIZERS_PARALLELISM="false"
)


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("TASHIKA_") and name != "TASHIKA_LABEL_STUDIO_BIN"]:
        monkeypatch.delenv(name)
