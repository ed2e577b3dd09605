"""The responsible-AI part of Croissant, from what the items' provenance and the votes say.

Properties of the vocabulary http://mlcommons.org/croissant/RAI/1.0. The first eight of `REQUIRED` are those that the
Evaluations & Datasets track of NeurIPS 2026 asks for. What nobody has said is left out and named by the export; nothing
is made up here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tashika.exports.metadata.about import About, plain
from tashika.exports.validation import KindValidation

CONFORMS_TO: Final = "http://mlcommons.org/croissant/RAI/1.0"
REQUIRED: Final = (
    "rai:dataLimitations",
    "rai:dataBiases",
    "rai:personalSensitiveInformation",
    "rai:dataUseCases",
    "rai:dataSocialImpact",
    "rai:hasSyntheticData",
    "prov:wasDerivedFrom",
    "prov:wasGeneratedBy",
)
_SOURCES: Final = (
    ("wikidata", "https://www.wikidata.org/"),
    ("wordnet", "https://wordnet.princeton.edu/"),
    ("hyperlex", "https://aclanthology.org/J17-4004/"),
    ("t-rex", "https://hadyelsahar.github.io/t-rex/"),
    ("trex", "https://hadyelsahar.github.io/t-rex/"),
    ("lama", "https://github.com/facebookresearch/LAMA"),
)
"""A word in a source's name, and where the source is to be found; the first that fits is taken."""


def responsible(about: About) -> dict[str, Any]:
    """The properties that are known, by name; none is empty."""
    values = {
        "rai:dataCollection": " ".join(map(plain, about.text.building)),
        "rai:dataLimitations": list(_limitations(about)),
        "rai:dataBiases": list(about.biases),
        "rai:dataUseCases": list(about.use_cases),
        "rai:dataSocialImpact": about.social_impact,
        "rai:personalSensitiveInformation": list(_personal(about)),
        "rai:annotationsPerItem": "; ".join(_per_item(about)),
        "rai:dataAnnotationProtocol": list(_protocol(about)),
        "rai:dataAnnotationPlatform": list(_platforms(about)),
        "rai:dataAnnotationAnalysis": list(_analysis(about)),
        "rai:annotatorDemographics": list(about.settings.annotator_demographics),
        "rai:machineAnnotationTools": list(_machines(about)),
        "rai:dataReleaseMaintenancePlan": about.settings.maintenance,
        "prov:wasDerivedFrom": list(_derived_from(about)),
        "prov:wasGeneratedBy": list(_activities(about)),
    }
    return {"rai:hasSyntheticData": about.synthetic, **{name: value for name, value in values.items() if value}}


def _limitations(about: About) -> Iterator[str]:
    if about.record["simulated"]:
        yield "Simulated annotators (programs) judged this release, all of it or a part: it is not human-validated."
    yield from map(plain, about.text.limits)


def _personal(about: About) -> Iterator[str]:
    yield from about.personal_information
    if about.record["counts"].get("judgments"):
        yield (
            "Single judgments bear pseudonyms that this release alone has, made with a secret key; they have no "
            "address, no time and no text that a person typed. Who knows what somebody answered can find that person's "
            "other answers."
        )


def _per_item(about: About) -> Iterator[str]:
    for kind, entry in about.validation.items():
        if entry.judged and entry.votes:
            answers = "answers" if entry.form in {"words", "answers"} else "votes"
            each = entry.votes / entry.judged
            yield (
                f"{kind}: {each:.1f} {answers} an item on average ({entry.votes:,} on {entry.judged:,} items), by "
                f"{entry.judges.description}"
            )


def _protocol(about: About) -> Iterator[str]:
    for kind, entry in about.validation.items():
        if not entry.annotators:
            continue
        scope = "every item was to be judged" if entry.mode == "all" else "a sample of the items was judged"
        counted = f"an item with at least {entry.minimum_votes} votes is decided by {entry.rule}"
        decided = "all answers are kept" if entry.form == "words" else counted
        parts = [f"{kind}{entry.judges.mark}: {scope}", decided]
        if entry.controls:
            parts.append(f"{entry.controls:,} questions of known answer checked the annotators")
        if entry.adjudicated:
            parts.append(f"{entry.adjudicated:,} items were decided by adjudication after the vote")
        yield "; ".join(parts) + "."


def _platforms(about: About) -> Iterator[str]:
    if not about.judged:
        return
    if all(entry.positions == entry.annotators for entry in about.validation.values() if entry.annotators):
        yield "a published file of responses"
    else:
        yield "Label Studio, with projects made by Tashika"


def _analysis(about: About) -> Iterator[str]:
    for kind, entry in about.validation.items():
        parts = list(_agreement(entry))
        if parts:
            yield f"{kind}{entry.judges.mark}: {'; '.join(parts)}."


def _agreement(entry: KindValidation) -> Iterator[str]:
    agreement = entry.agreement
    if agreement.krippendorff_alpha is not None:
        low_high = agreement.interval
        interval = f" (95 % interval {low_high[0]:.3f} to {low_high[1]:.3f})" if low_high else ""
        yield f"Krippendorff's alpha {agreement.krippendorff_alpha:.3f}{interval}"
    if agreement.fleiss_kappa is not None:
        yield f"Fleiss' kappa {agreement.fleiss_kappa:.3f}"
    if agreement.percent is not None:
        yield f"{100 * agreement.percent:.1f} % of pairs of votes agree"
    if agreement.mean_jaccard is not None:
        yield f"mean Jaccard overlap of two people's answers {agreement.mean_jaccard:.3f}"
    if entry.form == "votes" and entry.acceptance_rate is not None:
        yield f"{100 * entry.acceptance_rate:.1f} % of the decided items were accepted"
    if entry.human and entry.human.accuracy is not None:
        yield f"{100 * entry.human.accuracy:.1f} % of the questions were answered right"


def _machines(about: About) -> Iterator[str]:
    for kind, entry in about.validation.items():
        if entry.simulation:
            named = ", ".join(f"{one.name} errs on {one.error_rate:.0%}" for one in entry.simulation.annotators)
            yield f"Simulated annotators of {kind} items, seed {entry.simulation.seed}: {named}."
        elif entry.simulated:
            yield f"Simulated annotators (programs) of {kind} items."
    for generation in about.provenance.generations:
        yield f"{generation.model} wrote texts of {generation.items:,} items ({generation.sampling})."


def _derived_from(about: About) -> Iterator[dict[str, Any]]:
    for source in about.provenance.sources:
        entity: dict[str, Any] = {"@type": "prov:Entity", "prov:label": source.name}
        address = next((url for word, url in _SOURCES if word in source.name.casefold()), None)
        if address:
            entity["url"] = address
        if source.revision:
            entity["version"] = source.revision
        if source.licence:
            entity["license"] = source.licence
        yield entity


def _activities(about: About) -> Iterator[dict[str, Any]]:
    for builder in about.provenance.builders:
        yield _activity(
            f"building of {builder.kind} items",
            f"{builder.items:,} released {builder.kind} items were made by the builder {builder.name}.",
            {"@type": "prov:SoftwareAgent", "prov:label": f"Tashika, builder {builder.name} {builder.version}"},
        )
    for generation in about.provenance.generations:
        yield _activity(
            "generation of text",
            f"{generation.items:,} released texts, from {generation.prompts:,} requests ({generation.sampling}).",
            {"@type": "prov:SoftwareAgent", "prov:label": generation.model},
        )
    for kind, entry in about.validation.items():
        if entry.annotators:
            program = {"@type": "prov:SoftwareAgent", "prov:label": "simulated annotators (programs)"}
            people = {"@type": "prov:Person", "prov:label": entry.judges.description}
            yield _activity(
                f"annotation of {kind} items",
                f"{entry.judges.description} gave {entry.votes:,} votes or answers.",
                program if entry.judges.only_simulated else people,
            )


def _activity(label: str, text: str, agent: dict[str, str]) -> dict[str, Any]:
    return {"@type": "prov:Activity", "prov:label": label, "description": text, "prov:wasAssociatedWith": agent}
