"""How a question with options is answered, by name. Light: the command line reads these before anything is loaded."""

from __future__ import annotations

from typing import Final, Literal, get_args

Norm = Literal["none", "token", "character"]
"""What the log-likelihood of an option is divided by."""

NORMS: Final[tuple[Norm, ...]] = get_args(Norm)

OptionsWay = Literal["both", "text", "letter", "generate"]
"""How a causal model on this machine chooses: by the likelihood of an option's text, of its letter, by these two one
after the other, or in words."""

Show = Literal["both", "options"]
"""What a model sees of a question: `options` alone, with an empty context, is the check for annotation artefacts."""
