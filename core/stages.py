"""A stage of work that is done once: the same input and settings a second time are a no-op, and reported as one.

Beside its outputs a stage leaves `STAGE.manifest.json`: hashes of inputs, settings and outputs, versions, the
day, counts and seconds. What the manifest does not vouch for is made again, so a half-finished stage never looks whole.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tashika.core.addresses import without_addresses_secrets
from tashika.core.audit import record
from tashika.core.errors import InputError
from tashika.core.files import hash_file, hash_value, read_json, remove_leftovers, write_json
from tashika.core.progress import say
from tashika.core.version import installed_version, source_commit, today

Counts = Mapping[str, Any]


@dataclass(frozen=True)
class Stage:
    """One step from inputs to outputs.

    Attributes:
        name: Such as `build-facts`; the manifest is named after it.
        directory: Where the manifest lies.
        inputs: Files that the outputs depend on; a missing one counts as such.
        settings: Plain values that the outputs depend on. Never a secret.
        outputs: The files that the stage makes.
        beside: Files whose change is a reason to look again, though not each makes the outputs again: the manifest has
            their hashes for `tashika status`.
    """

    name: str
    directory: Path
    inputs: Sequence[Path] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    outputs: Sequence[Path] = ()
    beside: Sequence[Path] = ()

    @property
    def manifest_file(self) -> Path:
        """Where the manifest lies."""
        return self.directory / f"{self.name}.manifest.json"

    def fingerprint(self) -> str:
        """A digest of inputs and settings, and of the toolkit's version."""
        inputs = [[self._name(path), hash_file(path) if path.is_file() else None] for path in self.inputs]
        return hash_value([self.name, installed_version(), inputs, self.settings])

    def _name(self, path: Path) -> str:
        """A file's name in the manifest: under the suite's folder its path there, elsewhere no more than its name."""
        base, path = self.directory.parent.resolve(), path.resolve()
        return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name

    def manifest(self) -> dict[str, Any] | None:
        """The manifest of a finished run with these inputs and settings whose outputs still lie there, or None."""
        if not self.manifest_file.exists():
            return None
        try:
            manifest = read_json(self.manifest_file)
        except InputError:
            return None
        if not is_manifest(manifest):
            return None
        made = manifest["outputs"]
        whole = all(path.is_file() and hash_file(path) == made.get(self._name(path)) for path in self.outputs)
        return manifest if whole and manifest["fingerprint"] == self.fingerprint() else None

    def run(self, work: Callable[[], Counts], *, what: str) -> dict[str, Any]:
        """Does the work unless a manifest vouches for it.

        Args:
            work: Makes the outputs and returns counts for the manifest.
            what: The work in plain words, such as "facts".

        Returns:
            The manifest.
        """
        earlier = self.manifest()
        if earlier is not None:
            say(f"{what}: nothing to do, the same input and settings were done before ({short(earlier['counts'])})")
            return self._looked_again(earlier)
        self.manifest_file.unlink(missing_ok=True)
        for path in self.outputs:
            remove_leftovers(path)  # of a run that was killed
        day, started = today(), time.monotonic()
        fingerprint = self.fingerprint()
        counts = dict(work())
        made = {self._name(path): hash_file(path) for path in self.outputs}
        manifest = {
            "stage": self.name,
            "fingerprint": fingerprint,
            "settings": without_addresses_secrets(dict(self.settings)),
            "inputs": {self._name(path): hash_file(path) for path in self.inputs if path.is_file()},
            "outputs": made,
            **self._beside(),
            "versions": _versions(),
            "day": day,
            "counts": counts,
            "seconds": round(time.monotonic() - started, 2),
        }
        # Before the manifest: a process that is killed between the two leaves a line too many, and not one too few.
        record(self.directory, self.name, counts, digests=made, facts={"fingerprint": fingerprint})
        write_json(self.manifest_file, manifest)
        say(f"{what}: {short(counts)} ({manifest['seconds']:.1f} s)")
        return manifest

    def _beside(self) -> dict[str, dict[str, str]]:
        hashes = {self._name(path): hash_file(path) for path in self.beside if path.is_file()}
        return {"beside": hashes} if self.beside else {}

    def _looked_again(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """The manifest, with what lies beside the inputs as it is now."""
        looked = {**manifest, **self._beside()}
        if looked != manifest:
            write_json(self.manifest_file, looked)
        return looked


def _versions() -> dict[str, str]:
    commit = source_commit()
    known = {"tashika": installed_version(), "python": platform.python_version()}
    return {**known, "commit": commit} if commit else known


def is_manifest(content: Any) -> bool:
    """Whether the content of a file is a manifest as this version writes it, and not a damaged one."""
    objects, texts = ("inputs", "outputs", "counts", "settings", "versions"), ("stage", "fingerprint")
    return (
        isinstance(content, dict)
        and all(isinstance(content.get(key), dict) for key in objects)
        and all(isinstance(content.get(key), str) for key in texts)
        and isinstance(content.get("seconds"), int | float)
    )


def short(counts: Counts) -> str:
    """The counts in a few words; what is no number is left to the manifest."""
    plain = [
        f"{name.replace('_', ' ')} {value:,}"
        for name, value in counts.items()
        if isinstance(value, int) and not isinstance(value, bool)
    ]
    return ", ".join(plain[:12]) or "done"
