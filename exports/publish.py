"""Publishing a release: one commit and a tag, private unless asked otherwise, and never over what people wrote.

A tag is never moved: a release that is published already is left alone, and other content needs another version.
Interrupted, it resumes: the Hub keeps the files that arrived, and a commit without its tag is tagged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import typer

from tashika.core.addresses import REPO_NAME
from tashika.core.annotators import SIMULATED_RELEASE
from tashika.core.audit import file_digests, record
from tashika.core.errors import InputError
from tashika.core.files import hash_file, parse_json
from tashika.core.progress import say
from tashika.core.workspace import Workspace
from tashika.exports.card import CARD_FILE, merged, outside_text, own_part, read_card
from tashika.exports.checking.run import require_checked
from tashika.exports.checks import RECORD_FILE
from tashika.exports.hub import DatasetRepo, Remote, content_size
from tashika.exports.paths import is_inside
from tashika.exports.release import read_record
from tashika.exports.schema import configs_of
from tashika.exports.withdrawal import refuse_withdrawn

_SIMULATED = f"SIMULATED: {SIMULATED_RELEASE}"
_TAG_NAME = re.compile(r"[A-Za-z0-9](?:[\w.+-]*[\w+-])?", re.ASCII)
_LONGEST_NAME: Final = 96
_SHOWN: Final = 5


@dataclass(frozen=True)
class Publication:
    """What shall be published where.

    Attributes:
        workspace: Of the suite.
        repo: ORG/NAME.
        tag: The release's tag; `v` and its version where None.
        public: Whether everybody may see it.
        allow_simulated: Whether simulated annotations may be shown to everybody.
        seconds: How long the upload may take; by its size where None.
    """

    workspace: Workspace
    repo: str
    tag: str | None = None
    public: bool = False
    allow_simulated: bool = False
    seconds: float | None = None

    @cached_property
    def record(self) -> dict[str, Any]:
        """The release's `release.json`."""
        return read_record(self.workspace)

    @property
    def tag_name(self) -> str:
        """The tag to make."""
        return self.tag or f"v{self.record['version']}"

    @property
    def card_file(self) -> Path:
        """The local card."""
        return self.workspace.release / CARD_FILE

    @property
    def documents(self) -> Mapping[str, Any]:
        """What the release has beside its Parquet files and its card, by path."""
        documents: Mapping[str, Any] = self.record.get("documents", {})
        return documents

    def files(self) -> dict[str, Path]:
        """The files to publish, by path: those that the export wrote, and no other."""
        names = [*self.record["files"], *self.documents, CARD_FILE, RECORD_FILE]
        return {name: self.workspace.release / name for name in sorted(names)}

    def others(self) -> list[str]:
        """Files in the release's folder that the export did not write; hidden ones are not among them."""
        folder, own = self.workspace.release, self.files()
        paths = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
        visible = (path for path in paths if not any(part.startswith(".") for part in path.parts))
        return [path.as_posix() for path in visible if path.as_posix() not in own]

    def require_sound(self) -> None:
        """Looks at the names and at the files before anything is asked of the network.

        Raises:
            MissingStageError: There is no whole release.
            InputError: The repository's or the tag's name is none, a file is not what the export wrote, the release
                did not pass its checks, or simulated annotations are about to be shown to everybody.
        """
        if not re.fullmatch(REPO_NAME, self.repo) or len(self.repo) > _LONGEST_NAME:
            raise InputError(f"found --repo {self.repo!r}; expected ORG/NAME", hint="Such as my-group/my-dataset.")
        self._require_tag_name()
        self._require_place()
        again = f"Run `tashika export {self.workspace.argument}` again."
        for path, local in self.files().items():
            self._require_inside(path, local, again)
        for path, described in {**self.record["files"], **self.documents}.items():
            local = self.workspace.release / path
            if not local.is_file() or hash_file(local) != described["sha256"]:
                problem = "not the file that the export wrote" if local.is_file() else "no such file"
                raise InputError(problem, where=str(local), hint=again)
        if not self.card_file.is_file():
            raise InputError("the release has no card", where=str(self.card_file), hint=again)
        require_checked(self.workspace)
        if self.public and self.record["simulated"] and not self.allow_simulated:
            hint = "Leave --public away, or add --allow-simulated if that is meant; the card states it either way."
            raise InputError(_SIMULATED, where=str(self.workspace.release / RECORD_FILE), hint=hint)

    def _require_tag_name(self) -> None:
        name = self.tag_name
        if not _TAG_NAME.fullmatch(name) or ".." in name or name.endswith(".lock") or len(name) > _LONGEST_NAME:
            expected = "expected letters, digits and . _ + -, beginning with a letter or digit"
            raise InputError(f"found the tag {name!r}; {expected}", hint="Such as --tag v1.0.0.")

    def _require_inside(self, path: str, local: Path, hint: str) -> None:
        """Refuses a path that leads out of the release, by its name or by a link."""
        if not is_inside(path):
            where = str(self.workspace.release / RECORD_FILE)
            raise InputError(f"found the path {path!r}; expected one in the release", where=where, hint=hint)
        if local.resolve() != self.workspace.release.resolve().joinpath(path):
            raise InputError("a link; expected the file that the export wrote", where=str(local), hint=hint)

    def _require_place(self) -> None:
        """The task files of a release that names its repository open that one, at the tag of the version."""
        named = str(self.record.get("repo", self.repo))
        found = (self.repo, self.tag_name)
        expected = (named, f"v{self.record['version']}")
        if "repo" in self.record and found != expected:
            raise InputError(
                f"found {' with the tag '.join(found)}; the release was made for {' with the tag '.join(expected)}",
                where=str(self.workspace.release / RECORD_FILE),
                hint="Its task files open that one: set `repo` in [export] and export again, or leave --tag away.",
            )

    def show(self) -> None:
        """Says what would be published; asks nothing of the network."""
        self.require_sound()
        files = self.files()
        for name, path in files.items():
            typer.echo(f"{name}\t{path.stat().st_size:,} bytes")
        total = sum(map(content_size, files.values()))
        visibility = "public" if self.public else "private"
        if self.record["simulated"]:
            say(_SIMULATED)
        _say_others(self)
        say(
            f"would upload {len(files)} files, {total:,} bytes, to the {visibility} dataset {self.repo} in one commit, "
            f"and tag it {self.tag_name}; the card there keeps what people wrote outside of the generated block"
        )


def publish_to_hub(publication: Publication, repo: DatasetRepo | None = None) -> str:
    """Publishes a release unless it is published already.

    Args:
        publication: What shall be published where.
        repo: The repository; one for HF_ENDPOINT and HF_TOKEN by default.

    Returns:
        The commit that holds the release.

    Raises:
        InputError: The tag has other content, the repository is public and that was not asked for, or the token
            or name is wrong.
        OutsideError: The Hub failed.
    """
    publication.require_sound()
    _say_others(publication)
    repo = repo or DatasetRepo(publication.repo)
    if publication.record["simulated"]:
        say(_SIMULATED)
    remote = _prepared(publication, repo)
    if publication.tag_name in remote.tags:
        commit = _published_before(publication, repo, remote)
    else:
        refuse_withdrawn(repo, remote, publication.tag_name)
        commit = _upload(publication, repo, remote)
        record(
            publication.workspace.base,
            "publish",
            digests=file_digests(publication.workspace.base, [publication.workspace.release / RECORD_FILE]),
            facts={"repo": publication.repo, "tag": publication.tag_name, "commit": commit},
        )
    if publication.public and remote.private:
        repo.make_public()
        say("it was private and is public now")
    return commit


def _prepared(publication: Publication, repo: DatasetRepo) -> Remote:
    """The repository, made if it was not there."""
    remote = repo.look()
    if remote is None:
        repo.create(private=not publication.public)
        say(f"made the {'public' if publication.public else 'private'} dataset {repo.url}")
        remote = repo.look()
        if remote is None:
            raise InputError("made, but not to be seen with this token", where=repo.url, hint="Check its permissions.")
    if not remote.private and not publication.public:
        hint = "Add --public if everybody may see the release, or make the repository private on the Hub."
        raise InputError("the repository is public already", where=repo.url, hint=hint)
    return remote


def _published_before(publication: Publication, repo: DatasetRepo, remote: Remote) -> str:
    """The tag is there: nothing to do if it has the same content, except for the card on the main branch."""
    tag = publication.tag_name
    commit = remote.tags[tag]
    if _record_at(repo, commit) != publication.record:
        raise InputError(
            f"the tag {tag} is there with other content",
            where=repo.url,
            hint="Set a higher version in [export] and export again; a published tag is never moved.",
        )
    say(f"nothing to do: this release is published as {tag} at {repo.url}")
    if _record_at(repo, remote.head) == publication.record:
        card = _card(publication, repo, remote)
        if card is not None:
            repo.commit({CARD_FILE: card}, [], message=f"Card of {tag}", parent=remote.head)
            say("the card's generated block was brought up to date on the main branch")
    return commit


def _record_at(repo: DatasetRepo, revision: str) -> Any:
    text = repo.read_text(RECORD_FILE, revision)
    try:
        return parse_json(text) if text else None
    except json.JSONDecodeError:
        return None


def _say_others(publication: Publication) -> None:
    others = publication.others()
    if others:
        shown = ", ".join(others[:_SHOWN]) + (" …" if len(others) > _SHOWN else "")
        say(f"not uploaded, since the export did not write them: {shown}")


def _upload(publication: Publication, repo: DatasetRepo, remote: Remote) -> str:
    """Commits what of the release is not there yet, and tags it."""
    files = publication.files()
    card = _card(publication, repo, remote)
    contents: dict[str, Path | bytes] = {name: path for name, path in files.items() if name != CARD_FILE}
    if card is not None:
        contents[CARD_FILE] = card
    additions = {name: content for name, content in contents.items() if remote.lacks(name, content)}
    stale = sorted(set(_files_before(publication, repo, remote)) - set(files))
    commit = remote.head
    if additions or stale:
        new = {name: content for name, content in additions.items() if remote.lacks_everywhere(content)}
        _say_upload(new, files, stale, repo)
        message = f"Release {publication.record['version']} of {publication.workspace.suite}"
        commit = repo.commit(additions, stale, message=message, parent=remote.head, seconds=publication.seconds)
    else:
        say("all files are there already; the tag is missing")
    repo.tag(publication.tag_name, commit)
    say(f"published {publication.tag_name} at {repo.url}")
    return commit


def _say_upload(
    new: Mapping[str, Path | bytes], files: Mapping[str, Path], stale: Sequence[str], repo: DatasetRepo
) -> None:
    size, total = (sum(map(content_size, contents.values())) for contents in (new, files))
    parts = [f"uploading {len(new)} of {len(files)} files, {size:,} of {total:,} bytes, to {repo.url}"]
    if len(new) < len(files):
        parts.append("the others are there already")
    if stale:
        parts.append(f"{len(stale)} paths of the release before are removed")
    say("; ".join(parts))


def _files_before(publication: Publication, repo: DatasetRepo, remote: Remote) -> Iterator[str]:
    """Parquet files and documents of an earlier release; what people put into the repository is not among them."""
    folders = {config.folder for config in configs_of(str(publication.record["suite"])).values()}
    for name in remote.files:
        folder, _, file = name.partition("/")
        if folder in folders and "/" not in file and file.endswith(".parquet"):
            yield name
    record = _record_at(repo, remote.head) if RECORD_FILE in remote.files else None
    documents = record.get("documents") if isinstance(record, dict) else None
    if isinstance(documents, dict):
        kept = {CARD_FILE, RECORD_FILE, ".gitattributes"}
        yield from (name for name in documents if name in remote.files and name not in kept)


def _card(publication: Publication, repo: DatasetRepo, remote: Remote) -> bytes | None:
    """The card to upload: our block in the text that people wrote there; None if that changes nothing."""
    local = read_card(publication.card_file) or ""
    there = repo.read_text(CARD_FILE, remote.head) if CARD_FILE in remote.files else None
    if there is None or not there.strip():
        return local.encode()
    where = f"{repo.url}, {CARD_FILE}"
    text = merged(own_part(local, str(publication.card_file)), there, where)
    if outside_text(there, where) != outside_text(local, str(publication.card_file)):
        say(f"the card there has text of its own outside of the generated block; it is kept, not {CARD_FILE}'s here")
    return None if text == there else text.encode()
