"""How semantic relations are scored: the section [evaluate] of the suite's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field

from tashika.core.settings import Section, default_config, read_settings, validated
from tashika.core.suites.semrel.probes import ArticleSetting
from tashika.core.suites.semrel.relata import RelataSettings
from tashika.evaluate.semrel.equation_2 import Equation2
from tashika.evaluate.semrel.ties import Ties

SplitTargets = Literal["left_out", "asked"]
"""What becomes of probes whose target is several tokens of the model."""

VocabularyName = Literal["shared", "words", "tokens"]
"""What a model's answers are sought among; see `own_words`."""


@dataclass(frozen=True)
class MeasureSettings:
    """What the numbers depend on beside the answers.

    Attributes:
        seed: Of the bootstrap and of the permutations.
        resamples: Draws of the bootstrap.
        permutations: Of the test against people.
        level: What an interval holds.
        equation_2: Which reading of it the numbers are of; all three stand beside each other in `readings`.
        ties: How words that equally many people gave are ranked.
    """

    seed: int = 0
    resamples: int = 2000
    permutations: int = 2000
    level: float = 0.95
    equation_2: Equation2 = "with_relata"
    ties: Ties = "first_mention"


class EvaluateSettings(Section):
    """The section [evaluate].

    Attributes:
        k: Words that are read of a model for a probe that people have not answered; for the others k is the length of
            people's list (paper, section 3.3).
        split_targets: What becomes of probes whose target is several tokens of the model: `left_out`, as in the paper,
            whose targets are one token in every model (section 3.2), or `asked`.
        vocabulary: What the answers that count are sought among: the words that all models share, the model's own
            whole words, or all its tokens, as in the paper. The numbers of the other two stand beside.
        frequencies: A table of words and how often each is used; empty for WordNet's tagged nouns. See `frequency`.
        ending: What follows the mask in a masked model's text. Its training texts end with a full stop; without one
            such a model tends to fill the blank with a sign. Causal models read nothing behind the blank.
        equation_2: Which reading of it the numbers, intervals and tests are of: see `equation_2`.
        ties: How words that equally many people gave are ranked: see `ties`.
        seed: Of samples, of the bootstrap and of the permutations.
        resamples: Draws of targets for the intervals.
        permutations: Of the test against people.
        level: What an interval holds.
        chunk: Probes that are asked and written together: what a kill loses at most.
        batch_tokens: Tokens in a batch, at most; 0 takes them from the free memory.
    """

    k: int = Field(10, ge=1)
    split_targets: SplitTargets = "left_out"
    vocabulary: VocabularyName = "shared"
    frequencies: str = ""
    ending: str = "."
    equation_2: Equation2 = "with_relata"
    ties: Ties = "first_mention"
    seed: int = 0
    resamples: int = Field(2000, ge=1)
    permutations: int = Field(2000, ge=1)
    level: float = Field(0.95, gt=0, lt=1)
    chunk: int = Field(2000, ge=1)
    batch_tokens: int = Field(0, ge=0)

    def measuring(self) -> MeasureSettings:
        """What the numbers depend on beside the answers."""
        return MeasureSettings(self.seed, self.resamples, self.permutations, self.level, self.equation_2, self.ties)


class LookUp(NamedTuple):
    """Where the targets of a response file are looked up: as the build does.

    Attributes:
        relata: Sources of relata, and how far.
        wordnet: WordNet's folder; None for where it was installed.
        mass_nouns: Words without an article; None for the packaged list.
        articles: What [DET] in its prompts becomes.
    """

    relata: RelataSettings
    wordnet: Path | None
    mass_nouns: Path | None
    articles: ArticleSetting = "auto"

    @classmethod
    def of_build(cls, config: Path | None) -> LookUp:
        """What the section [build] says of it; only these keys are checked here.

        Raises:
            ConfigError: The file cannot be read, or `relata` does not fit.
        """
        path = config or default_config("semrel")
        build: Any = read_settings("semrel", path)["build"]
        folder, nouns = (Path(build[name]) if build.get(name) else None for name in ("wordnet", "mass_nouns"))
        relata = validated(RelataSettings, build.get("relata", {}), f"{path} [build.relata]")
        return cls(relata, folder, nouns, validated(_Articles, _articles_in(build), f"{path} [build]").articles)


class _Articles(Section):
    """The one key of the section [build] that is checked here, beside `relata`."""

    articles: ArticleSetting = "auto"


def _articles_in(build: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in build.items() if name == "articles"}
