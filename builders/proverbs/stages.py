"""The stages that make pairs of proverbs: variants, pairs with their questions, statistics."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, cast

from tashika.builders.proverbs.forms import SentenceForm, question_form, sentence_form
from tashika.builders.proverbs.gender_swap import direction_of
from tashika.builders.proverbs.list import Proverb, packaged_proverbs, read_proverbs
from tashika.builders.proverbs.pairs import Finder, Pair, Refused, Variant
from tashika.builders.proverbs.settings import BuildSettings
from tashika.builders.proverbs.statistics import statistics
from tashika.builders.proverbs.variants import Asker, cost
from tashika.core.files import hash_file, read_json, write_json, write_rows, write_text
from tashika.core.llm import Cost, Llm
from tashika.core.progress import bar, say
from tashika.core.records import item_row, item_schema
from tashika.core.settings import packaged, packaged_data
from tashika.core.stages import Stage
from tashika.core.suites.proverbs.words import Form, language_of, question
from tashika.core.workspace import Workspace

SUITE: Final = "proverbs"
VERSION: Final = "2"
"""Of the builders below; a new one makes their stages run again."""

_BUILDERS: Final = {"swap": "gender-swap", "written": "written-variants", "model": "model-variants"}


@dataclass
class Proverbs:
    """The builders of one workspace: their settings, and who they ask."""

    workspace: Workspace
    settings: BuildSettings
    llm: Llm

    @cached_property
    def list_file(self) -> Path:
        """The list of proverbs."""
        return Path(self.settings.proverbs) if self.settings.proverbs else packaged_proverbs(self.settings.language)

    @cached_property
    def proverbs(self) -> list[Proverb]:
        """The proverbs of the list."""
        return read_proverbs(self.list_file)

    @property
    def variants_file(self) -> Path:
        """The proverbs that were chosen, with their variants, and what they cost."""
        return self.workspace.items / "variants.json"

    @property
    def refused_file(self) -> Path:
        """What was refused, and why."""
        return self.workspace.items / "refused-variants.tsv"

    @property
    def statistics_file(self) -> Path:
        """The numbers of the pairs."""
        return self.workspace.items / "statistics.json"

    def build(self) -> None:
        """Variants, then pairs, then their statistics; what is done is not done again."""
        self._build_variants()
        self._build_pairs()
        self._build_statistics()

    def finder(self, asker: Asker | None, advance: Any = None) -> Finder:
        """What finds the variants; without an asker it only lists what there is to ask."""
        ask = None if asker is None else lambda texts: asker.propose(texts, advance)
        settings = self.settings
        most, seed = settings.pairs_per_topic, settings.seed
        return Finder(self.proverbs, settings.variants, most, seed, ask, balance=settings.balance)

    def cost_at_most(self) -> Cost:
        """What the model would be asked at most."""
        if "model" not in self.settings.variants.use:
            return Cost()
        finder = self.finder(None)
        if self.settings.variants.use[0] == "written":
            finder.pairs()
        return cost([self.proverbs[place].text for place in finder.without_variant()], self.settings.variants)

    def _words(self) -> list[Path]:
        japanese = any(language_of(proverb.text) == "ja" for proverb in self.proverbs)
        more = [packaged("proverbs_words_ja.toml")] if japanese else []
        return [packaged("proverbs_words.toml"), packaged_data("proverbs/names.txt"), *more]

    def _build_variants(self) -> None:
        llm = self.llm.settings.model_dump(exclude={"url", "concurrency", "timeout", "price_in", "price_out"})
        asks = "model" in self.settings.variants.use
        stage = Stage(
            "build-variants",
            self.workspace.items,
            inputs=[self.list_file, *self._words()],
            settings=self._chosen(
                "pairs_per_topic", "seed", "balance", "controls", "variants", llm=llm if asks else None
            ),
            outputs=[self.variants_file, self.refused_file],
        )
        stage.run(self._variants, what="variants")

    def _variants(self) -> dict[str, int]:
        at_most = self.cost_at_most()
        if at_most.requests:
            say(f"variants: {at_most.describe(self.llm.settings)}")
        # A bar that never moves would only puzzle: often the list has all that is wanted.
        shown = bar("variants by the model", None, self.llm.traffic.describe)
        with shown if at_most.requests else nullcontext(_nothing) as advance:
            finder = self.finder(Asker(self.llm, self.settings.variants), advance)
            pairs = finder.pairs()
        controls = finder.controls(pairs) if self.settings.controls else []
        content = {
            "pairs": [_plain(pair) for pair in pairs],
            "controls": [_plain(pair) for pair in controls],
            "lacking": finder.short(),
            "tagged": {topic: sum(topic in proverb.topics for proverb in self.proverbs) for topic in finder.short()},
            "refused": [list(refused) for refused in finder.refused],
            "cost": {"proverbs": len(finder.asked), **asdict(cost(finder.asked, self.settings.variants))},
        }
        write_json(self.variants_file, content)
        write_text(self.refused_file, _lines(finder.refused))
        refused = len(finder.refused)
        return {"proverbs": len(self.proverbs), "pairs": len(pairs), "controls": len(controls), "refused": refused}

    def _build_pairs(self) -> None:
        stage = Stage(
            "build-pairs",
            self.workspace.items,
            inputs=[self.variants_file, self.list_file, *self._words()],
            settings=self._chosen("forms", "seed"),
            outputs=[self.workspace.item_file("pair")],
        )
        stage.run(self._pairs, what="pairs")

    def _pairs(self) -> dict[str, int]:
        content = read_json(self.variants_file)
        pairs, controls = ([_pair(plain) for plain in content[name]] for name in ("pairs", "controls"))
        of_proverb = {control.proverb.text: control for control in controls}
        forms = [self._form(pair, of_proverb.get(pair.proverb.text)) for pair in pairs]
        rows = [self._row(pair, form) for pair, form in zip(pairs, forms, strict=True)]
        asked = {pair.proverb.text: form for pair, form in zip(pairs, forms, strict=True) if pair.topic == "gender"}
        rows += [self._row(control, asked[control.proverb.text]) for control in controls]
        write_rows(self.workspace.item_file("pair"), rows, item_schema(SUITE, "pair"))
        return {"pairs": len(pairs), "controls": len(controls)}

    def _form(self, pair: Pair, control: Pair | None) -> Form:
        """How a pair is asked about. Its control is asked about alike, so the form must fit that as well."""
        texts, kinds = (pair.proverb.text, pair.variant.text), sentence_forms(pair)
        form = question_form(texts, kinds, self.settings.forms, self.settings.seed)
        if control is not None and pair.topic == "gender":
            clause = question_form((control.variant.text,), sentence_forms(control), ("why",), 0)
            return form if clause == "why" else "mean"
        return form

    def _row(self, pair: Pair, form: Form) -> dict[str, Any]:
        proverb, variant = pair.proverb, pair.variant
        payload = {
            "topic": pair.topic,
            "proverb": proverb.text,
            "variant": variant.text,
            "change": variant.change,
            "maker": variant.maker,
            "origin": proverb.origin,
            "variant_origin": variant.origin,
            "form": form,
            "question": question(form, proverb.text),
            "variant_question": question(form, variant.text),
            "direction": direction_of(proverb.text) if pair.topic == "gender" else None,
        }
        return item_row(
            SUITE,
            "pair",
            (proverb.text, variant.text),
            payload,
            builder=_BUILDERS[variant.maker],
            version=VERSION,
            sources=[(self.list_file.name, hash_file(self.list_file)[:16])],
            generation=variant.provenance,
        )

    def _build_statistics(self) -> None:
        pair_file = self.workspace.item_file("pair")
        stage = Stage(
            "build-statistics",
            self.workspace.items,
            inputs=[pair_file, self.variants_file],
            settings=self._chosen("pairs_per_topic"),
            outputs=[self.statistics_file],
        )

        def work() -> dict[str, int]:
            numbers = statistics(self.workspace.read_items("pair").to_pylist(), read_json(self.variants_file))
            write_json(self.statistics_file, numbers)
            return {"pairs": numbers["pairs"]}

        stage.run(work, what="statistics")

    def _chosen(self, *names: str, **more: Any) -> dict[str, Any]:
        """Settings that a stage depends on, as plain values."""
        return {"version": VERSION, **self.settings.model_dump(mode="json", include=set(names)), **more}


def sentence_forms(pair: Pair) -> tuple[SentenceForm, SentenceForm]:
    """What kinds of sentence a proverb and its variant are.

    The list's word counts where it has one. A written variant that differs in a word or two is built as its proverb is;
    another culture's wording, and what a model wrote, is looked at by itself.
    """
    by_rule, listed = sentence_form(pair.proverb.text), pair.proverb.form
    # What begins as an order would be no clause, whatever the list says; quoted it is right in any case.
    form = by_rule if by_rule == "imperative" or not listed else cast(SentenceForm, listed)
    alone = pair.variant.change == "wording" or pair.variant.maker == "model"
    return form, sentence_form(pair.variant.text) if alone else form


def _nothing(_steps: int) -> None:
    """What is called for progress where there is none to show."""


def _plain(pair: Pair) -> dict[str, Any]:
    return {"topic": pair.topic, "proverb": pair.proverb._asdict(), "variant": pair.variant._asdict()}


def _pair(plain: dict[str, Any]) -> Pair:
    return Pair(plain["topic"], Proverb(**plain["proverb"]), Variant(**plain["variant"]))


def _lines(refused: Sequence[Refused]) -> str:
    rows = [Refused._fields, *refused]
    return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
