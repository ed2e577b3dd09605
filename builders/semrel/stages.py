"""The two stages that make the items of semantic relations: targets with their relata, then probes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from tashika.builders.semrel.probes import Control, Probe, controls_of, deal, mixed, read_controls, read_prompts
from tashika.builders.semrel.settings import BuildSettings
from tashika.builders.semrel.statistics import statistics
from tashika.builders.semrel.vocabulary import (
    Targets,
    choose_targets,
    model_places,
    model_revisions,
    read_vocabulary,
    targets_of_responses,
)
from tashika.core.files import hash_file, read_json, write_json, write_rows, write_text
from tashika.core.progress import say
from tashika.core.records import item_row, item_schema
from tashika.core.settings import packaged, packaged_data
from tashika.core.stages import Stage
from tashika.core.suites.semrel.norms import packaged_norms
from tashika.core.suites.semrel.probes import Articles, articles_of, probe_text, read_mass_nouns
from tashika.core.suites.semrel.responses import ResponseFile, describe_dropped, read_response_file
from tashika.core.suites.semrel.wordnet import WordNet, open_wordnet
from tashika.core.suites.semrel.words import NAME, RELATIONS, Relation
from tashika.core.workspace import Workspace

BUILDER: Final = "semrel"
VERSION: Final = "1"
CONTROL: Final = "control"
"""Stands in the place of a control question's relation; its target is empty."""

_WORDNET_FILES: Final = ("index.noun", "data.noun", "noun.exc", "cntlist.rev", "index.sense")

Row = dict[str, Any]


_DROPPED = {"duplicates": "duplicates", "no_plain_word": "that are no words of lower-case letters"}
"""Why a line of a vocabulary file is left out, in words."""


@dataclass
class SemRel:
    """The builder of one workspace.

    Attributes:
        workspace: Where the items go.
        settings: How they are made.
        responses: A response file whose targets, relations and prompts are used; None: our own.
    """

    workspace: Workspace
    settings: BuildSettings
    responses: Path | None = None

    @cached_property
    def wordnet(self) -> WordNet:
        """The open WordNet."""
        return open_wordnet(Path(self.settings.wordnet) if self.settings.wordnet else None)

    @cached_property
    def response_file(self) -> ResponseFile | None:
        """The content of the response file."""
        return read_response_file(self.responses) if self.responses else None

    @property
    def prompts_file(self) -> Path:
        """Our own prompts."""
        return Path(self.settings.prompts) if self.settings.prompts else packaged("semrel_prompts.toml")

    @property
    def mass_nouns_file(self) -> Path:
        """The words that take no article."""
        return Path(self.settings.mass_nouns) if self.settings.mass_nouns else packaged_data("semrel/mass_nouns.txt")

    @property
    def articles(self) -> Articles:
        """What [DET] in a prompt becomes."""
        return articles_of(self.settings.articles, of_responses=self.responses is not None)

    @property
    def controls_file(self) -> Path:
        """The control questions."""
        return Path(self.settings.controls) if self.settings.controls else packaged_data("semrel/controls.tsv")

    @property
    def vocabulary_file(self) -> Path:
        """The shared vocabulary, one word a line, sorted."""
        return self.workspace.items / "vocabulary.txt"

    @property
    def targets_file(self) -> Path:
        """The targets of each relation, and what fell away on the way to them."""
        return self.workspace.items / "targets.json"

    @property
    def statistics_file(self) -> Path:
        """Table 1 as plain values."""
        return self.workspace.items / "statistics.json"

    def prompts(self) -> Mapping[Relation, Sequence[str]]:
        """The prompts of each relation, ours or those of the response file.

        Raises:
            ConfigError: Our own file is broken.
        """
        if self.response_file is None:
            return read_prompts(self.prompts_file)
        by_relation: dict[Relation, dict[str, None]] = {relation: {} for relation in RELATIONS}
        for response in self.response_file.responses:
            by_relation[response.relation][response.prompt] = None
        return {relation: list(prompts) for relation, prompts in by_relation.items() if prompts}

    def build(self) -> None:
        """Both stages; what is done is not done again."""
        if self.responses and self.response_file and self.response_file.dropped:
            say(f"{self.responses}: dropped {describe_dropped(self.response_file.dropped)}")
        self.prompts()  # a broken file is an error before the long part begins
        self.build_relata()
        self.build_probes()

    # --- targets and relata

    def build_relata(self) -> None:
        """Vocabulary, targets and relata -> items/vocabulary.txt, targets.json, relatum.parquet."""
        Stage(
            "build-relata",
            self.workspace.items,
            inputs=[*self._lists(), *([self.responses] if self.responses else [])],
            settings=self._chosen("targets", "enough", "most", "shortest")
            | {
                "builder": VERSION,
                "relata": self.settings.relata.model_dump(mode="json", exclude={"hyperlex", "norms"}),
                "models": model_revisions(self.settings.models, self.workspace.root),
                "wordnet": self._wordnet_revision,
            },
            outputs=[self.vocabulary_file, self.targets_file, self.workspace.item_file("relatum")],
        ).run(self._relata, what="targets and relata")

    def _chosen(self, *names: str) -> dict[str, Any]:
        return self.settings.model_dump(mode="json", include=set(names))

    def _lists(self) -> list[Path]:
        relata = self.settings.relata
        norms = Path(relata.norms) if relata.norms else packaged_norms()
        return [norms, *([Path(relata.hyperlex)] if relata.hyperlex else [])]

    @cached_property
    def _wordnet_revision(self) -> dict[str, str]:
        files = [self.wordnet.folder / name for name in _WORDNET_FILES]
        return {"version": self.wordnet.version} | {path.name: hash_file(path) for path in files if path.is_file()}

    def _relata(self) -> Mapping[str, Any]:
        vocabulary = read_vocabulary(model_places(self.settings.models, self.workspace.root), self.wordnet)
        for name, counts in vocabulary.counts.items():
            left = [f"{counts[why]:,} {what}" for why, what in _DROPPED.items() if counts.get(why)]
            # Only for lists of words: most tokens of a model are no words, which is no news.
            if left and "duplicates" in counts:
                say(f"{name}: dropped {' and '.join(left)}, {counts['words']:,} words are left")
        if self.response_file is None:
            targets = choose_targets(self.settings, self.wordnet, vocabulary)
        else:
            asked = {(response.target, response.relation) for response in self.response_file.responses}
            targets = targets_of_responses(asked, self.settings, self.wordnet, vocabulary)
            _say_dropped(asked, targets)
        write_text(self.vocabulary_file, "".join(f"{word}\n" for word in sorted(vocabulary.words)))
        content = {
            "pairs": {relation: list(words) for relation, words in targets.pairs.items()},
            "filled": dict(targets.filled),
            "available": dict(targets.available),
            "steps": {source: [list(step) for step in steps] for source, steps in targets.steps.items()},
            "vocabulary": {"words": len(vocabulary.words), "in_any": vocabulary.in_any, "models": vocabulary.counts},
        }
        write_json(self.targets_file, content)
        schema = item_schema(NAME, "relatum")
        relata = write_rows(self.workspace.item_file("relatum"), self._relatum_rows(targets), schema)
        counts = {
            "words_in_the_vocabulary": len(vocabulary.words),
            "targets": len({target for words in targets.pairs.values() for target in words}),
            "relata": relata,
        }
        return {**counts, **{key: content[key] for key in ("steps", "filled", "available", "vocabulary")}}

    def _relatum_rows(self, targets: Targets) -> Iterator[Row]:
        norms, *hyperlex = self._lists()
        revisions = {"wordnet": ("WordNet", self.wordnet.version), "norms": ("category norms", hash_file(norms))}
        if hyperlex:
            revisions["hyperlex"] = ("HyperLex", hash_file(hyperlex[0]))
        for (target, relation), relata in sorted(targets.relata.items()):
            for word, relatum in relata.items():
                yield item_row(
                    NAME,
                    "relatum",
                    (target, relation, word),
                    {
                        "target": target,
                        "relation": relation,
                        "word": word,
                        "distance": relatum.distance,
                        "origins": list(relatum.origins),
                    },
                    builder=BUILDER,
                    version=VERSION,
                    sources=[revisions[origin] for origin in relatum.origins],
                )

    # --- probes

    def build_probes(self) -> None:
        """Probes in questionnaires with control questions -> items/probe.parquet, statistics.json."""
        prompts = self.responses or self.prompts_file
        Stage(
            "build-probes",
            self.workspace.items,
            inputs=[
                prompts,
                self.mass_nouns_file,
                self.controls_file,
                self.targets_file,
                self.workspace.item_file("relatum"),
            ],
            settings=self._chosen("control_share", "questionnaire_size", "seed")
            | {"builder": VERSION}
            | ({"articles": self.articles} if self.articles != "by_sound" else {}),  # builds of before stay valid
            outputs=[self.workspace.item_file("probe"), self.statistics_file],
        ).run(self._probes, what="probes")

    def _probes(self) -> Mapping[str, Any]:
        dealt = deal(self._prompts_of_pairs(), self.settings.questionnaire_size, self.settings.seed)
        questions = read_controls(self.controls_file)
        random.Random(self.settings.seed).shuffle(questions)  # the file has like beside like
        controls = controls_of(dealt, questions, self.settings.control_share)
        without_article = read_mass_nouns(self.mass_nouns_file)
        source = ("published responses", hash_file(self.responses)) if self.responses else _own(self.prompts_file)
        rows = [_probe_row(probe, without_article, self.articles, source) for probe in dealt.probes]
        rows += [_control_row(control, number, _own(self.controls_file)) for control, number in controls]
        write_rows(self.workspace.item_file("probe"), mixed(rows, self.settings.seed), item_schema(NAME, "probe"))
        table = statistics(self.workspace.read_items("probe"), self.workspace.read_items("relatum"))
        write_json(self.statistics_file, {**table, "series": dealt.series})
        counts = {name: table[name] for name in ("targets", "probes", "controls", "questionnaires")}
        return {**counts, "table_1": table["relations"]}

    def _prompts_of_pairs(self) -> dict[tuple[str, Relation], list[str]]:
        """The prompts of every target and relation that is asked."""
        pairs = read_json(self.targets_file)["pairs"]
        kept = {(str(target), relation) for relation in RELATIONS for target in pairs[relation]}
        if self.response_file is None:
            prompts = self.prompts()
            return {(target, relation): list(prompts.get(relation, ())) for target, relation in kept}
        of_pairs: dict[tuple[str, Relation], list[str]] = {}
        for target, relation, prompt in self.response_file.by_probe():
            if (target, relation) in kept:
                of_pairs.setdefault((target, relation), []).append(prompt)
        return of_pairs


def _own(path: Path) -> tuple[str, str]:
    return path.name, hash_file(path)


def _say_dropped(asked: set[tuple[str, Relation]], targets: Targets) -> None:
    """Says which targets and relations of a response file are not asked, and why."""
    kept = {(target, relation) for relation, words in targets.pairs.items() for target in words}
    dropped = sorted(asked - kept)
    if not dropped:
        return
    some = ", ".join(f"{target} ({relation})" for target, relation in dropped[:8])
    more = f" and {len(dropped) - 8:,} others" if len(dropped) > 8 else ""
    count = f"{len(dropped):,} of {len(asked):,} targets with their relation"
    say(f"dropped {count}, being no noun of the vocabulary that has a relatum in it: {some}{more}")


def _probe_row(probe: Probe, without_article: frozenset[str], articles: Articles, source: tuple[str, str]) -> Row:
    payload = {
        "target": probe.target,
        "relation": probe.relation,
        "prompt": probe.prompt,
        "text": probe_text(probe.prompt, probe.target, without_article, articles),
        "questionnaire": probe.questionnaire,
        "known_answers": None,
    }
    key = (probe.target, probe.relation, probe.prompt)
    return item_row(NAME, "probe", key, payload, builder=BUILDER, version=VERSION, sources=[source])


def _control_row(control: Control, questionnaire: int, source: tuple[str, str]) -> Row:
    payload = {
        "target": "",
        "relation": CONTROL,
        "prompt": control.prompt,
        "text": control.text,
        "questionnaire": questionnaire,
        "known_answers": list(control.answers),
    }
    key = ("", CONTROL, control.prompt, str(questionnaire))
    return item_row(NAME, "probe", key, payload, builder=BUILDER, version=VERSION, sources=[source])
