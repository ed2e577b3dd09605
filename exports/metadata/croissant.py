"""`croissant.json`: the release as https://mlcommons.org/croissant/1.1 describes a dataset, with its RAI part.

Every Parquet file is a FileObject with its hash, every configuration a FileSet and a RecordSet with our columns. Paths
are relative: the file describes the folder that it lies in, on this machine or in a copy of the repository.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tashika.core.suites.columns import DATE, LABELS, LISTS, Column
from tashika.exports.escaping import document_json
from tashika.exports.metadata.about import About, plain
from tashika.exports.metadata.citation import bibtex
from tashika.exports.metadata.licences import licence_of
from tashika.exports.metadata.rai import CONFORMS_TO, responsible
from tashika.exports.schema import Config, configs_of

if TYPE_CHECKING:
    from tashika.exports.documents import Draft

FILE: Final = "croissant.json"
_PARQUET: Final = "application/x-parquet"
_TYPES: Final[Mapping[str, str]] = {
    "string": "sc:Text",
    "bool": "sc:Boolean",
    "int32": "cr:Int32",
    "int64": "cr:Int64",
    "float32": "cr:Float32",
    "float64": "cr:Float64",
    DATE: "sc:Date",
}

_CONTEXT: Final[Mapping[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context of the specification's appendix, with the provenance vocabulary beside it."""


def croissant(draft: Draft) -> dict[str, str]:
    """The document `croissant.json`."""
    return {FILE: document_json(description(draft))}


def description(draft: Draft) -> dict[str, Any]:
    """The release in Croissant's words."""
    about = About.of(draft)
    configs = {name: config for name, config in configs_of(draft.suite.suite).items() if _rows(draft, config)}
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", CONFORMS_TO],
        **_dataset(about),
        **responsible(about),
        "distribution": [*_file_objects(draft), *(_file_set(name, config) for name, config in configs.items())],
        "recordSet": [part for name, config in configs.items() for part in _record_sets(name, config)],
    }


def _rows(draft: Draft, config: Config) -> int:
    files = draft.record["files"].items()
    return sum(int(file["rows"]) for path, file in files if path.startswith(f"{config.folder}/"))


def _dataset(about: About) -> dict[str, Any]:
    settings = about.settings
    licence = licence_of(settings)
    known = {
        "name": settings.pretty_name,
        "description": plain(about.text.summary),
        "version": settings.version,
        "license": licence.link or licence.name,
        "url": about.url,
        "identifier": f"https://doi.org/{settings.doi}" if settings.doi else None,
        "datePublished": settings.date,
        "inLanguage": list(settings.language),
        "keywords": [*about.text.tags, *(["simulated-annotations"] if about.record["simulated"] else [])],
        "creator": [_creator(author.name, author.orcid, author.affiliation) for author in about.authors],
        "citeAs": bibtex(about),
    }
    return {**{name: value for name, value in known.items() if value}, "isLiveDataset": False}


def _creator(name: str, orcid: str | None, affiliation: str) -> dict[str, Any]:
    family, comma, given = name.partition(", ")
    if not comma:
        return {"@type": "sc:Organization", "name": name}
    known = {
        "url": f"https://orcid.org/{orcid}" if orcid else None,
        "affiliation": {"@type": "sc:Organization", "name": affiliation} if affiliation else None,
    }
    return {"@type": "sc:Person", "name": f"{given} {family}", **{key: value for key, value in known.items() if value}}


def _file_objects(draft: Draft) -> Iterator[dict[str, Any]]:
    for path, file in draft.record["files"].items():
        yield {
            "@type": "cr:FileObject",
            "@id": path,
            "name": path,
            "contentUrl": path,
            "contentSize": f"{file['bytes']} B",
            "encodingFormat": _PARQUET,
            "sha256": file["sha256"],
        }


def _file_set(name: str, config: Config) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{name}-files",
        "name": f"{name}-files",
        "description": f"The files of the configuration {name}.",
        "encodingFormat": _PARQUET,
        "includes": f"{config.folder}/*.parquet",
    }


def _record_sets(name: str, config: Config) -> Iterator[dict[str, Any]]:
    """The configuration, after what its columns refer to: its splits, and the names of its labels."""
    split = len(config.splits) > 1
    if split:
        yield _enumeration(f"{name}-splits", "The parts of the configuration.", config.splits, "cr:Split")
    labelled = {column: about for column, about in config.columns.items() if about.type in LABELS}
    for column, about in labelled.items():
        yield _label_names(f"{name}-{column}-names", about.names)
    fields = [_field(name, column, about) for column, about in config.columns.items()]
    key = {} if config.product else {"key": {"@id": f"{name}/item_id"}}
    yield {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{plain(config.meaning)}.",
        **key,
        "field": [*([_split_field(name, config)] if split else []), *fields],
    }


def _enumeration(name: str, meaning: str, values: Sequence[str], kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": meaning,
        "dataType": kind,
        "key": {"@id": f"{name}/name"},
        "field": [{"@type": "cr:Field", "@id": f"{name}/name", "name": "name", "dataType": "sc:Text"}],
        "data": [{f"{name}/name": value} for value in values],
    }


def _label_names(name: str, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": "The names of the labels, by their numbers.",
        "dataType": "sc:Enumeration",
        "key": {"@id": f"{name}/number"},
        "field": [
            {"@type": "cr:Field", "@id": f"{name}/number", "name": "number", "dataType": "cr:Int64"},
            {"@type": "cr:Field", "@id": f"{name}/name", "name": "name", "dataType": "sc:Text"},
        ],
        "data": [{f"{name}/number": number, f"{name}/name": label} for number, label in enumerate(labels)],
    }


def _split_field(name: str, config: Config) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{name}/split",
        "name": "split",
        "description": "The part that the row is in, by its file.",
        "dataType": "sc:Text",
        "source": {
            "fileSet": {"@id": f"{name}-files"},
            "extract": {"fileProperty": "fullpath"},
            "transform": {"regex": rf"{config.folder}/({'|'.join(config.splits)})\.parquet$"},
        },
    }


def _field(name: str, column: str, about: Column) -> dict[str, Any]:
    listed = about.type in LISTS or LABELS.get(about.type, False)
    single = "int64" if about.type in LABELS else LISTS.get(about.type, about.type)
    meaning = plain(about.meaning)
    if about.type in LABELS:
        meaning += f" (numbers from 0: {', '.join(about.names)})"
    return {
        "@type": "cr:Field",
        "@id": f"{name}/{column}",
        "name": column,
        "description": meaning,
        "dataType": _TYPES[single],
        **({"isArray": True, "arrayShape": "-1"} if listed else {}),
        "source": {"fileSet": {"@id": f"{name}-files"}, "extract": {"column": column}},
    }
