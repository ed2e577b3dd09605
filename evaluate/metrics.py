"""What the scores of every suite have in common: `metrics.json` as a model that is checked when it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from tashika.core.errors import InputError
from tashika.core.files import read_object

AGAIN: Final = "Delete the file and evaluate the model again."


class Numbers(BaseModel):
    """Base of all that stands in `metrics.json`: unknown keys are refused, values do not change.

    A key that is no Python name, such as `acc@1`, is a field's alias.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)


class SystemInfo(Numbers):
    """Which system was scored; see `systems.System.describe`.

    Attributes:
        parameters: How many the model has; None where that is not known.
    """

    name: str
    kind: str
    revision: str
    dtype: str | None
    device: str | None
    note: str | None
    endpoint: str | None = None
    parameters: int | None = None


class ReleaseInfo(Numbers):
    """The release that it was scored on.

    Attributes:
        version: Of the release.
        digest: Of its content.
        simulated: Whether programs played the people who validated it.
    """

    version: str
    digest: str
    simulated: bool


class Metrics(Numbers):
    """The scores of one system. A suite derives a class from it with its numbers.

    Attributes:
        model: The system.
        release: What it was scored on; None where that is no release.
        versions: Of the libraries that made the predictions.
    """

    model: SystemInfo
    release: ReleaseInfo | None = None
    versions: dict[str, str]


M = TypeVar("M", bound=Metrics)


def read_metrics(path: Path, form: type[M]) -> M:
    """The scores of one system.

    Raises:
        InputError: The file is missing or broken, or its keys are not those of this version.
    """
    content = read_object(path, hint=AGAIN)
    try:
        return form.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise InputError(f"{key}: {first['msg']}", where=str(path), hint=AGAIN) from error


def write_metrics(path: Path, metrics: Metrics) -> None:
    """Writes scores, whole or not at all; what was not given is left out."""
    from tashika.core.files import write_json

    write_json(path, metrics.model_dump(mode="json", exclude_unset=True))
