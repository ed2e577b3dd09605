"""MyriadLAMA's prompts with objects of any number of tokens: each candidate object of the relation has a likelihood.

A name's log-likelihood is the sum over its tokens, and an object's that of its likeliest name, as the paper takes the
most probable correct token (section 3.1). Softmax over the relation's objects gives a distribution.

- **Causal models** read the whole sentence: what stands before the blank is the text, the name and all that follows it
  the continuation (`engine.likelihoods`). So every template can be asked, not only those that end with the blank. This
  is how BEAR ranks answers (Wiland, Ploner, Akbik, 2024).
- **Masked models** fill as many masks as the name has tokens, from left to right, each token given those before it and
  masks in the place of itself and those behind it: log P(t1 | M M M) + log P(t2 | t1 M M) + …. It is the
  pseudo-log-likelihood of the name (Salazar et al., 2020) with the correction of Kauf and Ivanova (2023), who mask the
  rest of a word, since "souvenir" is no surprise where "##nir" can be seen; here the rest of the name is masked, since
  "San" is none where "Francisco" can be. A name of one token has the probability that the one-token way gives it.
  mLAMA (Kassner, Dufter, Schütze, 2021) reads all masks of a name at once, which is cheaper, and takes the tokens as
  independent: "Los York" would be as good as its parts.

Nothing is divided by the number of tokens: these are probabilities, and a long name is less probable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from tashika.core.cloze import OBJECT_SLOT, SUBJECT_SLOT
from tashika.core.models import LoadedModel
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.likelihoods import Case, score_cases
from tashika.evaluate.engine.masked import MaskedModel
from tashika.evaluate.engine.model import FINE, NOT_A_NUMBER, PROBLEMS, TOO_LONG, unfit
from tashika.evaluate.engine.pieces import PromptEncoder
from tashika.evaluate.engine.ragged import Ragged, ranges
from tashika.evaluate.engine.recipe import Advance
from tashika.evaluate.myriadlama.answers import blank_form
from tashika.evaluate.myriadlama.candidates import Candidates, Steps, correct_places, pieces_of
from tashika.evaluate.myriadlama.predictions import PREDICTION
from tashika.evaluate.myriadlama.prompts import Stretch, WorkList

if TYPE_CHECKING:
    import torch

ALONE: Final = "the relation has one candidate object"
UNSAYABLE: Final = "no correct object in the model's vocabulary"

_IDENTITY: Final = ("item_id", "relation", "pair", "template_id", "subject_alias_id")

CANDIDATE_PREDICTION: Final[pa.Schema] = pa.schema(
    [
        *(PREDICTION.field(name) for name in _IDENTITY),
        pa.field("rank", pa.int32()),  # of the likeliest correct object among the relation's; 1 is the top
        pa.field("probability", pa.float32()),  # of it
        pa.field("top_object", pa.dictionary(pa.int32(), pa.string())),  # the likeliest object
        pa.field("top_word", pa.dictionary(pa.int32(), pa.string())),  # its label
        pa.field("top_probability", pa.float32()),
        pa.field("top_10_probability", pa.float32()),
        pa.field("probabilities", pa.list_(pa.float32())),  # of the relation's objects, in the order of their ids
        pa.field("problem", pa.string()),  # why the prompt was not scored; null when it was
    ]
)
"""One row a prompt: `predictions.parquet` of the candidates."""

CANDIDATE_VERSION: Final = 1
"""Of the above; with a new one, predictions are made again."""

Scores = list[Any]
"""For each prompt the (N,) log-likelihoods of its relation's names, or the words that say why there are none."""


class Asker(Protocol):
    """A model that gives the log-likelihoods of names."""

    def prepare(self, at: Stretch) -> Any:
        """Makes the texts; needs no model."""

    def run(self, prepared: Any, advance: Advance) -> Scores:
        """Asks the model."""


@dataclass(frozen=True)
class CandidateEngine:
    """Everything that is needed to score any stretch of a work list.

    Attributes:
        work: The prompts.
        candidates: Of each relation.
        correct: For each pair the places of its correct objects.
        asker: The model.
    """

    work: WorkList
    candidates: Sequence[Candidates]
    correct: Sequence[Codes]
    asker: Asker

    @classmethod
    def of(
        cls, loaded: LoadedModel, work: WorkList, candidates: Sequence[Candidates], batch_tokens: int | None = None
    ) -> CandidateEngine:
        """Prepares a model, a work list and candidates for each other."""
        asker: Asker
        if loaded.kind == "masked":
            encoder = PromptEncoder(loaded.tokenizer, loaded.kind, work.template_texts, work.alias_texts)
            steps = steps_of(loaded.tokenizer, work, candidates)
            asker = MaskedAsker(work, MaskedModel(loaded, batch_tokens), encoder, steps, loaded.tokenizer.mask_token_id)
        else:
            asker = CausalAsker(work, candidates, CausalModel(loaded, batch_tokens))
        return cls(work, candidates, correct_places(work, candidates), asker)

    def prepare(self, start: int, stop: int) -> tuple[Stretch, Any]:
        """Makes the texts of a stretch; needs no model, so it may run beside the model."""
        at = self.work.stretch(start, stop)
        return at, self.asker.prepare(at)

    def run(self, prepared: tuple[Stretch, Any], advance: Advance = lambda _: None) -> Scores:
        """Asks the model."""
        return self.asker.run(prepared[1], advance)

    def table(self, prepared: tuple[Stretch, Any], scores: Scores) -> pa.Table:
        """The predictions of a stretch, one row a prompt, in order."""
        at = prepared[0]
        relation = self.work.pair_relation[at.pair].tolist()
        rows = [
            _row(names, self.candidates[place], self.correct[pair])
            for names, place, pair in zip(scores, relation, at.pair.tolist(), strict=True)
        ]
        columns = {**self.work.identity(at)}
        for field in CANDIDATE_PREDICTION:
            if field.name not in columns:
                values: Any = pa.array([row.get(field.name) for row in rows], _plain(field.type))
                columns[field.name] = values.dictionary_encode() if pa.types.is_dictionary(field.type) else values
        return pa.table([columns[name] for name in CANDIDATE_PREDICTION.names], schema=CANDIDATE_PREDICTION)


def _plain(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _row(names: Any, candidates: Candidates, correct: Codes) -> dict[str, Any]:
    """What is kept of a prompt's names."""
    if isinstance(names, str):
        return {"problem": names}
    if len(candidates.objects) < 2:
        return {"problem": ALONE}
    objects = np.maximum.reduceat(names, candidates.first)
    best, top = float(objects[correct].max()), int(objects.argmax())
    if best == -np.inf:
        return {"problem": UNSAYABLE}
    shares = np.exp(objects - objects[top])
    shares /= shares.sum()
    return {
        "rank": 1 + int((objects > best).sum()),
        "probability": float(shares[correct].max()),
        "top_object": candidates.objects[top],
        "top_word": candidates.names[int(candidates.first[top])],
        "top_probability": float(shares[top]),
        "top_10_probability": min(1.0, float(np.sort(shares)[-10:].sum())),
        "probabilities": shares.astype(np.float32),
    }


class CausalAsker:
    """A causal model: a prompt is a text, the names with what follows the blank are its continuations.

    Args:
        work: The prompts.
        candidates: Of each relation.
        model: The model.
    """

    def __init__(self, work: WorkList, candidates: Sequence[Candidates], model: CausalModel) -> None:
        self._work, self._candidates, self._model = work, candidates, model

    def prepare(self, at: Stretch) -> list[Case]:
        """Makes the texts."""
        relation = self._work.pair_relation[at.pair].tolist()
        return [
            case_of(self._work.template_texts[template], self._work.alias_texts[alias], self._candidates[place].names)
            for place, alias, template in zip(relation, at.alias.tolist(), at.template.tolist(), strict=True)
        ]

    def run(self, prepared: list[Case], advance: Advance) -> Scores:
        """Asks the model."""
        scores: Scores = []
        for row in score_cases(self._model, prepared, advance):
            problem = next((one.problem for one in row if one.problem), None)
            scores.append(problem or np.asarray([one.value for one in row]))
        return scores


def case_of(template: str, subject: str, names: Sequence[str]) -> Case:
    """A template as a text and its continuations: what stands before the blank, and each name with all that follows.

    The space before the blank goes to the continuation, as tokenizers have it. The subject may follow the blank.
    """
    before, after = (part.replace(SUBJECT_SLOT, subject) for part in template.split(OBJECT_SLOT))
    text = before.rstrip()
    return Case(text, tuple(f"{before[len(text) :]}{name}{after}" if text else f"{name}{after}" for name in names))


class Masks(NamedTuple):
    """A stretch that is ready for a masked model; T texts, W wanted tokens.

    Attributes:
        ids: T texts.
        tokens: (W,) wanted tokens, text by text.
        first: (T,) the first of each text.
        counts: (T,) how many it has.
        problem: (n,) why a prompt is not asked, a place in `engine.PROBLEMS`.
        steps: For each prompt that is asked its steps and the first of its wanted tokens; None for the others.
    """

    ids: Ragged
    tokens: Codes
    first: Codes
    counts: Codes
    problem: Codes
    steps: Sequence[tuple[Steps, int] | None]


class MaskedAsker:
    """A masked model: as many masks as a name has tokens, filled from left to right.

    Args:
        work: The prompts.
        model: The model.
        encoder: Makes the token ids of a prompt with one mask.
        steps: By relation and form.
        mask: The mask token.
    """

    def __init__(
        self,
        work: WorkList,
        model: MaskedModel,
        encoder: PromptEncoder,
        steps: Mapping[tuple[int, int], Steps],
        mask: int,
    ) -> None:
        self._work, self._model, self._encoder, self._steps, self._mask = work, model, encoder, steps, mask
        self._forms = [blank_form(text) for text in work.template_texts]

    def prepare(self, at: Stretch) -> Masks:
        """Makes the texts."""
        encoded = self._encoder.encode(at.template, at.alias)
        problem = unfit(self._model, encoded.ids)[encoded.distinct]
        relation = self._work.pair_relation[at.pair].tolist()
        texts: list[list[int]] = []
        steps: list[tuple[Steps, int] | None] = []
        tokens: list[Codes] = []
        counts: list[Codes] = []
        begin = 0
        for prompt, (place, template) in enumerate(zip(relation, at.template.tolist(), strict=True)):
            row = int(encoded.distinct[prompt])
            own = self._steps[place, self._forms[template]]
            length = int(encoded.ids.length[row])
            if problem[prompt] == FINE and length - 1 + own.longest > self._model.blank.max_length:
                problem[prompt] = TOO_LONG
            if problem[prompt] != FINE:
                steps.append(None)
                continue
            start = int(encoded.ids.start[row])
            texts += self._texts(encoded.ids.values[start : start + length].tolist(), own)
            steps.append((own, begin))
            tokens.append(own.tokens)
            counts.append(own.count)
            begin += len(own.tokens)
        none = [np.zeros(0, dtype=np.int64)]
        count = np.concatenate(counts or none)
        return Masks(Ragged.of(texts), np.concatenate(tokens or none), np.cumsum(count) - count, count, problem, steps)

    def _texts(self, prompt: list[int], steps: Steps) -> list[list[int]]:
        """A prompt's text for each step: its one mask gives way to what is filled in, and masks."""
        at = prompt.index(self._mask)
        left, right = prompt[:at], prompt[at + 1 :]
        return [
            [*left, *filled, *[self._mask] * masks, *right]
            for filled, masks in zip(steps.filled, steps.masks.tolist(), strict=True)
        ]

    def run(self, prepared: Masks, advance: Advance) -> Scores:
        """Asks the model: what is wanted stands at the first mask of a text."""
        values = np.full(len(prepared.tokens), np.nan)
        put, texts, prompts = self._model.blank.put, len(prepared.ids.length), len(prepared.problem)
        done = 0

        def consume(some: Codes, logits: torch.Tensor) -> None:
            nonlocal done
            import torch

            places = ranges(prepared.first[some], prepared.counts[some])
            row = put(np.repeat(np.arange(len(some)), prepared.counts[some]))
            with torch.inference_mode():
                wanted = logits[row, put(prepared.tokens[places])] - torch.logsumexp(logits, dim=-1)[row]
            values[places] = wanted.double().cpu().numpy()
            advance(min(texts, done + len(some)) * prompts // texts - min(texts, done) * prompts // texts)
            done += len(some)

        if texts:
            self._model.distributions(prepared.ids, np.arange(texts), consume)
        else:
            advance(prompts)
        return [_names(steps, problem, values) for steps, problem in zip(prepared.steps, prepared.problem, strict=True)]


def _names(steps: tuple[Steps, int] | None, problem: int, values: Any) -> Any:
    """The log-likelihoods of a prompt's names, or why there are none."""
    if steps is None:
        return str(PROBLEMS[problem])
    own, begin = steps
    wanted = values[begin : begin + len(own.tokens)]
    return own.scores(wanted) if np.isfinite(wanted).all() else str(PROBLEMS[NOT_A_NUMBER])


def steps_of(tokenizer: Any, work: WorkList, candidates: Sequence[Candidates]) -> dict[tuple[int, int], Steps]:
    """The steps of every relation in every form that its templates have."""
    forms: dict[int, set[int]] = {}
    spans = set(
        zip(work.pair_relation.tolist(), work.template_start.tolist(), work.template_count.tolist(), strict=True)
    )
    for relation, start, count in spans:
        forms.setdefault(relation, set()).update(map(blank_form, work.template_texts[start : start + count]))
    return {
        (relation, form): Steps.of(pieces_of(tokenizer, candidates[relation].names, form))
        for relation in sorted(forms)
        for form in sorted(forms[relation])
    }
