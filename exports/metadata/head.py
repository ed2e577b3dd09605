"""The front matter of the card, as far as the Hub and `datasets` read it: origin, licence, and what each file holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tashika.exports.metadata.about import About
from tashika.exports.metadata.licences import OTHER
from tashika.exports.schema import Config, features

KEYS: Final = (
    "license_name",
    "license_link",
    "annotations_creators",
    "language_creators",
    "source_datasets",
    "dataset_info",
)
"""What this module sets."""

ONLY_WITH_OTHER: Final = ("license_name", "license_link")
"""Keys that a card has under the licence `other` alone."""

_EXTENDED: Final = (
    ("wikidata", "extended|other-wikidata"),
    ("wordnet", "extended|other-wordnet"),
    ("hyperlex", "extended|other-hyperlex"),
    ("t-rex", "extended|other-t-rex"),
    ("trex", "extended|other-t-rex"),
    ("lama", "extended|lama"),
)
"""A word in a source's name, and what the Hub calls a dataset that rests on it."""


def head(about: About, configs: Mapping[str, Config]) -> dict[str, Any]:
    """The keys of the front matter.

    Args:
        about: What is known of the release.
        configs: The configurations that have rows.
    """
    return {
        **_licence(about),
        "annotations_creators": list(_annotators(about)),
        "language_creators": _writers(about),
        "source_datasets": list(_sources(about)),
        "dataset_info": [_info(about, name, config) for name, config in configs.items()],
    }


def _licence(about: About) -> dict[str, str]:
    """Of the licence `other` its name and place, which the Hub asks for; the file LICENSE unless another is named."""
    settings = about.settings
    if settings.license != OTHER:
        return {}
    name = settings.license_name or "terms-of-the-sources"
    return {"license_name": name, "license_link": settings.license_link or "LICENSE"}


def _annotators(about: About) -> Iterator[str]:
    if not about.judged:
        yield "no-annotation"
        return
    if about.judged_by_people:
        yield from about.settings.annotations_creators or ("other",)
    if about.record["simulated"]:
        yield "machine-generated"


def _writers(about: About) -> list[str]:
    """Texts of known datasets were found; of a file with another name only a person can say who wrote it."""
    if about.settings.language_creators:
        return list(about.settings.language_creators)
    made = [
        *(["found"] if _known_sources(about) else []),
        *(["machine-generated"] if about.provenance.generations else []),
    ]
    return made or ["other"]


def _sources(about: About) -> list[str]:
    return _known_sources(about) or ["original"]


def _known_sources(about: About) -> list[str]:
    names = [source.name.casefold() for source in about.provenance.sources]
    matches = [next((label for word, label in _EXTENDED if word in name), None) for name in names]
    return list(dict.fromkeys(filter(None, matches)))


def _info(about: About, name: str, config: Config) -> dict[str, Any]:
    """What `datasets` writes of a configuration: its features, and the rows and bytes of each split.

    Bytes of a split are those of its Parquet pages before compression, which follow from the rows alone.
    """
    columns = features(str(about.record["suite"]), name)
    files = {path: file for path, file in about.record["files"].items() if path.startswith(f"{config.folder}/")}
    parts = {split: _files_of(split, config, files) for split in config.splits}
    splits = [
        {
            "name": split,
            "num_bytes": sum(int(file.get("uncompressed", file["bytes"])) for file in those),
            "num_examples": sum(int(file["rows"]) for file in those),
        }
        for split, those in parts.items()
        if any(file["rows"] for file in those)
    ]
    return {
        "config_name": name,
        "features": columns._to_yaml_list(),
        "splits": splits,
        "download_size": sum(int(file["bytes"]) for file in files.values()),
        "dataset_size": sum(split["num_bytes"] for split in splits),
    }


def _files_of(split: str, config: Config, files: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    if len(config.splits) == 1:
        return list(files.values())
    return [file for path, file in files.items() if path == f"{config.folder}/{split}.parquet"]
