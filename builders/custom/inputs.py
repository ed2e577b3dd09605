"""What a build from a suite file depends on, for the memory of the workspace."""

from __future__ import annotations

from pathlib import Path

from tashika.core.custom.reading import inside, named_paths, read_suite_file
from tashika.core.files import hash_value
from tashika.core.input_records import file_digest
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
        """A digest of what a build reads: the section [build], and the tables that it names.

        Raises:
            ConfigError: Something is wrong with the suite file.
        """
        file = read_suite_file(path)
        places = [inside(path.parent, name) for loc, name in named_paths(file) if loc[0] == "build"]
        tables = [file_digest(place) for place in places]
        return hash_value([file.suite.name, file.build.model_dump(mode="json"), tables])
