"""The text of a build: which files it is in, and how they are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from tashika.builders.kuci.settings import BuildSettings
from tashika.builders.kuci.text.encodings import UTF_8
from tashika.builders.kuci.text.files import TextFile, text_files
from tashika.builders.kuci.text.places import names_of
from tashika.core.errors import InputError


def is_analysed(settings: BuildSettings) -> bool:
    """Whether the text is KNP's output."""
    return settings.analyzer.backend == "knp-file"


def corpus_files(
    paths: Sequence[Path], settings: BuildSettings, packaged: Collection[Path] = ()
) -> tuple[TextFile, ...]:
    """Files of text with their formats, encodings and fields.

    Args:
        paths: Those that pairs come from, or that basic events are counted in.
        settings: What was said of them.
        packaged: Files of our own, which are UTF-8 whatever was said.

    Raises:
        InputError: One is no text, or not in the encoding that was given.
    """
    if is_analysed(settings):
        return tuple(TextFile(path, name) for path, name in names_of(paths).items())
    if set(packaged).issuperset(paths):
        return text_files(paths, UTF_8)
    names = {path.name for path in paths}
    own = {name: encoding for name, encoding in settings.text.encodings.items() if name in names}
    return text_files(paths, settings.encoding, own, settings.text.field)


def reading(files: Sequence[TextFile], settings: BuildSettings) -> Mapping[str, Any]:
    """How sentences are taken from files, in plain values: what an analysis depends on beside their content."""
    if is_analysed(settings):
        return {}
    formats = {file.name: [file.format, file.encoding, file.field] for file in files}
    return {**settings.text.model_dump(mode="json", exclude={"field", "encodings"}), "files": formats}


def require_named(encodings: Mapping[str, str], paths: Sequence[Path]) -> None:
    """Checks that each file for which an encoding is given is among the files.

    Raises:
        InputError: One is not.
    """
    names = [path.name for path in paths]
    for name in encodings:
        if name not in names:
            raise InputError(
                f"an encoding is given for {name}, which is none of the files", hint=f"They are {', '.join(names[:9])}."
            )
