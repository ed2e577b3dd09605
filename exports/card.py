"""The dataset card: a block that every export renews, inside a README that otherwise belongs to people.

The block stands between two HTML comments. Text before and after it, and keys of the front matter that are not ours,
stay as they are when the card is written again (huggingface_hub#3043 shows what happens otherwise).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from tashika.core.errors import InputError
from tashika.core.files import hash_value
from tashika.core.suites.columns import LABELS, LISTS, Column
from tashika.exports.escaping import as_cell, as_code, as_text, in_fence, without_markers
from tashika.exports.metadata.about import About
from tashika.exports.metadata.citation import bibtex
from tashika.exports.metadata.head import KEYS as HEAD_KEYS
from tashika.exports.metadata.head import ONLY_WITH_OTHER, head
from tashika.exports.metadata.licences import OTHER
from tashika.exports.plan import CardText, ExportSettings
from tashika.exports.schema import JUDGMENTS, Config, configs_of
from tashika.exports.tasks.scoring import scoring

CARD_FILE: Final = "README.md"
OWN_KEYS: Final = (
    "pretty_name",
    "license",
    "language",
    "task_categories",
    "size_categories",
    "tags",
    "configs",
    *HEAD_KEYS,
)
"""Keys of the front matter that an export sets; tags are added to those that are there."""

BEGIN: Final = "<!-- tashika:begin - this block is written by `tashika export`; edits in it are lost -->"
END: Final = "<!-- tashika:end - what stands outside of the block is kept -->"
_TEMPLATE: Final = "card.md.jinja"
_PARTS: Final = (
    "words.md.jinja",
    "answers.md.jinja",
    "forms.md.jinja",
    "choices.md.jinja",
    "alpha.md.jinja",
    "scoring.md.jinja",
)
_BEGIN_MARK = re.compile(r"<!-- tashika:begin\b.*?-->")
_END_MARK = re.compile(r"<!-- tashika:end\b.*?-->")
_BLANK_LINES = re.compile(r"\n{3,}")
_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))


@dataclass(frozen=True)
class Card:
    """What the exporter writes on the card, before it meets what people wrote there.

    Attributes:
        metadata: Keys of the front matter that are ours.
        block: The Markdown between the markers.
    """

    metadata: dict[str, Any]
    block: str


def make_card(about: About) -> Card:
    """Writes the exporter's part of the card.

    Args:
        about: What is known of the release; its record is the content of `release.json`.
    """
    settings, text, record = about.settings, about.text, about.record
    provenance, validation = about.provenance, about.validation
    declared = configs_of(str(record["suite"]))
    # `datasets` cannot open a split without rows: a configuration that has no file is not announced.
    configs = {name: config for name, config in declared.items() if _data_files(config, record)}
    example = text.example if text.example in configs else next(iter(configs))
    values = {
        "settings": settings,
        "text": text,
        "record": record,
        "provenance": provenance,
        "validation": validation,
        "configs": configs,
        "left_out": {reason: count for reason, count in record["left_out"].items() if count},
        "simulated": record["simulated"],
        "all_simulated": all(entry.judges.only_simulated for entry in validation.values() if entry.annotators),
        "example": example,
        "split": configs[example].splits[-1],
        "asks_for_words": "responses" in declared,
        "shown_type": _shown_type,
        "tool_version": version("tashika"),
        "bibtex": in_fence(bibtex(about)),
        "notice": in_fence(text.notice),
        "about": about,
        **scoring(record),
    }
    block = _environment().get_template(_TEMPLATE).render(values)
    return Card(
        metadata={**_metadata(settings, text, record, configs, example), **head(about, configs)},
        block=without_markers(_BLANK_LINES.sub("\n\n", block).strip()),
    )


def _shown_type(column: Column) -> str:
    """The type of a column in the card's table; of labels with their names, as a cell may have them."""
    if column.type in LABELS:
        names = ", ".join(map(as_code, column.names))
        return f"{'list of labels' if LABELS[column.type] else 'label'}: {names}"
    entries = "strings" if column.type == "strings" else LISTS.get(column.type)
    return f"list of {entries}" if entries else column.type


def _data_files(config: Config, record: Mapping[str, Any]) -> list[dict[str, str]]:
    """The files of each split, as the front matter names them; those without rows are not named."""
    if len(config.splits) == 1:
        here = any(path.startswith(f"{config.folder}/") for path in record["files"])
        return [{"split": config.splits[0], "path": f"{config.folder}/*.parquet"}] if here else []
    paths = {split: f"{config.folder}/{split}.parquet" for split in config.splits}
    rows = {path: int(file["rows"]) for path, file in record["files"].items()}
    return [{"split": split, "path": path} for split, path in paths.items() if rows.get(path)]


def _environment() -> Any:
    from jinja2 import DictLoader, Environment, StrictUndefined

    folder = files("tashika.exports").joinpath("templates")
    sources = {name: folder.joinpath(name).read_text(encoding="utf-8") for name in (_TEMPLATE, *_PARTS)}
    environment = Environment(loader=DictLoader(sources), undefined=StrictUndefined, trim_blocks=True)
    environment.filters.update(cell=as_cell, text=as_text, share=_share, interval=_interval, number=_number)
    return environment


def _share(value: float | None) -> str:
    return "not defined" if value is None else f"{100 * value:.1f} %"


def _interval(value: tuple[float, float] | None) -> str:
    return (
        "no interval"
        if value is None or any(map(math.isnan, value))
        else f"{100 * value[0]:.1f} to {100 * value[1]:.1f} %"
    )


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.3f}"


def _metadata(
    settings: ExportSettings, text: CardText, record: Mapping[str, Any], configs: Mapping[str, Config], example: str
) -> dict[str, Any]:
    rows = sum(int(record["counts"][config.count]) for config in configs.values())
    blocks = []
    for name, config in configs.items():
        default = {"default": True} if name == example else {}
        data_files = _data_files(config, record)
        # `datasets` names what it keeps by this block and not by the files: without the digest in it a newer release
        # in the same folder, or another one in a folder of the same name, would be opened as the older one.
        content = {"description": f"content {_content_of(name, config, record)}"}
        blocks.append({"config_name": name, **default, **content, "data_files": data_files})
    return {
        "pretty_name": settings.pretty_name,
        "license": settings.license,
        "language": list(settings.language),
        "task_categories": list(text.task_categories),
        "size_categories": [size_category(rows)],
        "tags": [*text.tags, *(["simulated-annotations"] if record["simulated"] else [])],
        "configs": blocks,
    }


def _content_of(name: str, config: Config, record: Mapping[str, Any]) -> str:
    """A digest of what a configuration holds: by that of the release, which leaves single judgments out, or their own.

    Its columns belong to it, since some follow from others and are not part of the release's digest.
    """
    if name != JUDGMENTS:
        return hash_value([record["digest"], list(config.columns)])[:16]
    files = record["files"].items()
    return next(str(file["sha256"][:16]) for path, file in files if path.startswith(f"{config.folder}/"))


def size_category(rows: int) -> str:
    """The Hub's name for a number of rows."""
    return next((name for limit, name in _SIZES if rows < limit), "10M<n<100M" if rows < 10**8 else "100M<n<1B")


def read_card(path: Path) -> str | None:
    """The text of a card; None if there is none.

    Raises:
        InputError: It is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8") if path.exists() else None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error}", where=str(path), hint="Save the card as UTF-8.") from error


def merged(card: Card, existing: str | None, where: str) -> str:
    """The card's text: ours, in what people wrote.

    Args:
        card: Our part.
        existing: The README as it is, None if there is none.
        where: What to call it in an error.

    Raises:
        InputError: Its front matter is not YAML, or one of the two markers is missing.
    """
    if existing is None or not existing.strip():
        return f"{_front_matter(card.metadata)}\n{BEGIN}\n{card.block}\n{END}\n"
    theirs, body = _split(existing)
    front = _merged_front_matter(card.metadata, theirs, where)
    before, after = outside(body, where)
    return f"{front}{before}{BEGIN}\n{card.block}\n{END}{after}"


def outside(body: str, where: str) -> tuple[str, str]:
    """What people wrote before and after the block; all of it comes before where there is no block yet.

    Raises:
        InputError: One marker is there without the other, or twice.
    """
    begins, ends = list(_BEGIN_MARK.finditer(body)), list(_END_MARK.finditer(body))
    if not begins and not ends:
        return body.rstrip("\n") + "\n\n", "\n"
    if len(begins) != 1 or len(ends) != 1 or ends[0].start() < begins[0].end():
        problem = f"found {len(begins)} begin and {len(ends)} end markers of the generated block; expected one of each"
        raise InputError(problem, where=where, hint=f"Put the lines back around the block:\n  {BEGIN}\n  {END}")
    return body[: begins[0].start()], body[ends[0].end() :]


def own_part(readme: str, where: str) -> Card:
    """Our part of a README that an export has written: what is published into the remote card.

    Raises:
        InputError: The block is not there, or its markers are broken.
    """
    front, body = _split(readme)
    before, after = outside(body, where)
    block = body[len(before) : len(body) - len(after)]
    if not _BEGIN_MARK.search(block):
        hint = "Export again: the block is put back, and your text stays."
        raise InputError("the generated block is not there", where=where, hint=hint)
    inside = _END_MARK.sub("", _BEGIN_MARK.sub("", block, count=1), count=1).strip()
    metadata = _parsed(front, where)
    return Card(metadata={key: metadata[key] for key in OWN_KEYS if key in metadata}, block=inside)


def outside_text(readme: str, where: str) -> str:
    """What people wrote in a README's body, without the space around it."""
    before, after = outside(_split(readme)[1], where)
    return f"{before.strip()}\n{after.strip()}".strip()


def _split(readme: str) -> tuple[str, str]:
    """Front matter and body."""
    from huggingface_hub.repocard import REGEX_YAML_BLOCK

    matter = REGEX_YAML_BLOCK.search(readme)
    return (matter.group(2), readme[matter.end() :]) if matter else ("", readme)


def _merged_front_matter(ours: Mapping[str, Any], theirs: str, where: str) -> str:
    """Our keys take the place of theirs; tags of both are kept; text that needs no change is not touched."""
    metadata = _parsed(theirs, where)
    tags = list(dict.fromkeys([*_tags(metadata), *ours.get("tags", ())]))
    if "simulated-annotations" not in ours.get("tags", ()):
        tags = [tag for tag in tags if tag != "simulated-annotations"]
    if ours.get("license", OTHER) != OTHER:  # what an earlier release said of another licence
        metadata = {key: value for key, value in metadata.items() if key not in ONLY_WITH_OTHER}
    wanted = {**metadata, **ours, "tags": tags}
    return f"---\n{theirs.strip()}\n---\n" if wanted == _parsed(theirs, where) else _front_matter(wanted)


def _tags(metadata: Mapping[str, Any]) -> list[str]:
    tags = metadata.get("tags") or []
    return [tags] if isinstance(tags, str) else list(tags)


def _parsed(text: str, where: str) -> dict[str, Any]:
    yaml = _yaml()
    try:
        values = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise InputError(f"the front matter is not valid YAML: {error}", where=where) from error
    if not isinstance(values, dict):
        raise InputError(f"the front matter is a {type(values).__name__}, expected keys and values", where=where)
    return values


def _front_matter(metadata: Mapping[str, Any]) -> str:
    text = _yaml().safe_dump(dict(metadata), allow_unicode=True, sort_keys=False, width=10_000)
    return f"---\n{text}---\n"


def _yaml() -> Any:
    """PyYAML, which comes with huggingface_hub and without types."""
    return import_module("yaml")
