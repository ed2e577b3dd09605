"""A dataset repository on the Hub: what lies there, and how it is changed."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tashika.core.addresses import checked_key, warn_if_readable
from tashika.core.errors import InputError
from tashika.core.files import hash_file
from tashika.core.secrecy import without_secrets
from tashika.exports.hub_errors import hub_errors
from tashika.exports.hub_limits import bounded_requests, upload_seconds, within

DEFAULT_ENDPOINT = "https://huggingface.co"


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository, as far as its content can be compared without fetching it.

    Attributes:
        size: In bytes; None where the Hub does not say.
        blob: Its id in Git; of a large file that of its pointer.
        sha256: Of a large file's content; None for others.
    """

    size: int | None
    blob: str | None
    sha256: str | None

    def holds(self, content: Path | bytes) -> bool:
        """Whether it has this content."""
        if self.size != content_size(content):
            return False
        if self.sha256 is not None:
            return self.sha256 == (
                hash_file(content) if isinstance(content, Path) else hashlib.sha256(content).hexdigest()
            )
        return self.blob == _git_blob(content.read_bytes() if isinstance(content, Path) else content)


@dataclass(frozen=True)
class Remote:
    """What lies in a repository.

    Attributes:
        head: The commit of its main branch.
        private: Whether only its owners see it.
        files: The files of the main branch, by path.
        tags: Commits by tag.
    """

    head: str
    private: bool
    files: Mapping[str, RemoteFile]
    tags: Mapping[str, str]

    def lacks(self, path: str, content: Path | bytes) -> bool:
        """Whether this content is not at this path yet."""
        file = self.files.get(path)
        return file is None or not file.holds(content)

    def lacks_everywhere(self, content: Path | bytes) -> bool:
        """Whether this content is at no path: a file that has another name alone is not sent again."""
        return not any(file.holds(content) for file in self.files.values())


def content_size(content: Path | bytes) -> int:
    """Bytes of a file, or of content in memory."""
    return content.stat().st_size if isinstance(content, Path) else len(content)


def _git_blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class DatasetRepo:
    """A dataset repository, through the Hub's client.

    Args:
        name: ORG/NAME.
        endpoint: The Hub's address; HF_ENDPOINT or the public Hub by default.
        token: Of a user who may write; HF_TOKEN or the login by default.
        reading: Whether nothing is to be written, so that a public repository needs no token.

    Raises:
        InputError: There is no token, and one is needed.
    """

    def __init__(
        self, name: str, endpoint: str | None = None, token: str | None = None, *, reading: bool = False
    ) -> None:
        from huggingface_hub import HfApi, get_token

        self.name = name
        self.endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or DEFAULT_ENDPOINT).rstrip("/")
        secret = checked_key(token or os.environ.get("HF_TOKEN") or get_token() or "", "HF_TOKEN")
        if not secret and not reading:
            hint = "Set HF_TOKEN to a token with write permission, or log in with `hf auth login`."
            raise InputError("there is no token for the Hub", where=self.endpoint, hint=hint)
        if secret:
            warn_if_readable(self.endpoint, "the token for the Hub")
        self._token = secret
        self._api = HfApi(endpoint=self.endpoint, token=secret or False, library_name="tashika")

    @property
    def url(self) -> str:
        """Where people see it."""
        return f"{without_secrets(self.endpoint)}/datasets/{self.name}"

    @property
    def _where(self) -> str:
        return f"{self.endpoint}, dataset {self.name}"

    @contextmanager
    def _errors(self) -> Iterator[Callable[[], None]]:
        """Errors and limits of what the client does in the block; yields what ends its requests."""
        with hub_errors(self.endpoint, self.name, self._token), bounded_requests(self._where) as end:
            yield end

    def look(self) -> Remote | None:
        """What lies there; None if there is no such repository.

        Raises:
            InputError: The token is refused.
            OutsideError: The Hub does not answer as one.
        """
        from huggingface_hub.errors import RepositoryNotFoundError

        with self._errors():
            try:
                info = self._api.dataset_info(self.name, files_metadata=True)
            except RepositoryNotFoundError as error:
                if error.response.status_code != 404:
                    raise
                return None
            refs = self._api.list_repo_refs(self.name, repo_type="dataset")
        files = {
            sibling.rfilename: RemoteFile(sibling.size, sibling.blob_id, sibling.lfs.sha256 if sibling.lfs else None)
            for sibling in info.siblings or ()
        }
        tags = {tag.name: tag.target_commit for tag in refs.tags}
        return Remote(str(info.sha), bool(info.private), files, tags)

    def create(self, *, private: bool) -> None:
        """Makes the repository, unless somebody else has made it meanwhile.

        Raises:
            InputError: The token may not.
            OutsideError: The Hub failed, or is busy with this name.
        """
        from huggingface_hub.errors import HfHubHTTPError

        visibility: Any = "private" if private else "public"
        with self._errors():
            try:
                self._api.create_repo(self.name, repo_type="dataset", visibility=visibility)
                return
            except HfHubHTTPError as error:
                # 409 says "it exists" and "another request makes it" alike; the client's `exist_ok` takes it for the
                # first and looks for an address in the answer.
                if error.response.status_code != HTTPStatus.CONFLICT:
                    raise
                conflict = error
        if self.look() is None:
            with self._errors():
                raise conflict

    def make_public(self) -> None:
        """Lets everybody see the repository."""
        with self._errors():
            self._api.update_repo_settings(self.name, repo_type="dataset", visibility="public")

    def read_text(self, path: str, revision: str) -> str | None:
        """The text of a file; None if there is none."""
        with tempfile.TemporaryDirectory() as cache, self._errors():
            local = self._fetch(path, revision, Path(cache))
            return None if local is None else local.read_text(encoding="utf-8")

    def fetch(self, path: str, revision: str, target: Path) -> None:
        """Writes a file of the repository to a place.

        Raises:
            InputError: There is no such file.
        """
        with tempfile.TemporaryDirectory(dir=target.parent) as cache, self._errors():
            local = self._fetch(path, revision, Path(cache))
            if local is not None:
                local.resolve().replace(target)
                return
        raise InputError("there is no such file", where=f"{self.url}, {path} at {revision}")

    def _fetch(self, path: str, revision: str, cache: Path) -> Path | None:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import RemoteEntryNotFoundError

        try:
            local = hf_hub_download(
                self.name,
                path,
                repo_type="dataset",
                revision=revision,
                cache_dir=cache,
                endpoint=self.endpoint,
                token=self._token or False,
            )
        except RemoteEntryNotFoundError:
            return None
        return Path(local)

    def commit(
        self,
        additions: Mapping[str, Path | bytes],
        deletions: Sequence[str],
        *,
        message: str,
        parent: str,
        seconds: float | None = None,
    ) -> str:
        """Changes files in one commit; content that is there already is not uploaded, no change makes no commit.

        Args:
            additions: Content by path.
            deletions: Paths.
            message: Of the commit.
            parent: The commit that the changes were made for.
            seconds: How long it may take; by default as `upload_seconds` says.

        Returns:
            The commit that has this content.

        Raises:
            OutsideError: The repository was changed meanwhile, or it took too long.
        """
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        operations: list[Any] = [
            CommitOperationAdd(path, str(content) if isinstance(content, Path) else content)
            for path, content in additions.items()
        ]
        operations += [CommitOperationDelete(path, is_folder=False) for path in deletions]
        limit = seconds or upload_seconds(sum(map(content_size, additions.values())))

        def work() -> Any:
            return self._api.create_commit(
                self.name, operations, commit_message=message, repo_type="dataset", parent_commit=parent
            )

        with self._errors() as end:
            return str(within(limit, work, end, self._where).oid)

    def tag(self, name: str, commit: str) -> None:
        """Tags a commit."""
        with self._errors():
            self._api.create_tag(self.name, tag=name, revision=commit, repo_type="dataset")

    def untag(self, name: str) -> None:
        """Deletes a tag; one that is gone already is no error."""
        from huggingface_hub.errors import RevisionNotFoundError

        with self._errors():
            try:
                self._api.delete_tag(self.name, tag=name, repo_type="dataset")
            except RevisionNotFoundError:
                return
