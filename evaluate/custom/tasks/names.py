"""Names of settings that several modules share. Light: nothing is imported for them."""

from __future__ import annotations

from typing import Final

TRAINING: Final = ("train_split", "validation_split", "epochs", "learning_rate")
"""Settings of the fine-tuning."""
