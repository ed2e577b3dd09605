"""What a build from a suite file depends on, for the memory of the workspace."""

from __future__ import annotations

from pathlib import Path

from tashika.core.custom.suite import suite_file_digest
from tashika.core.inputs import BuildInputs


class Inputs(BuildInputs):
    """The options of `tashika build FILE` that change what is built.

    Attributes:
        suite_file: The suite file, of which the section [build] counts, and the files that it names.
        llm_url: An endpoint in place of the file's.
        llm_model: The model's name there.
    """

    suite_file: Path
    llm_url: str | None = None
    llm_model: str | None = None

    @classmethod
    def digest(cls, path: Path) -> str:
        """See `core.custom.suite.suite_file_digest`."""
        return suite_file_digest(path)
