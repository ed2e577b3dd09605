"""A small Hub on loopback: the part of the Hub's protocol that publishing and loading a dataset needs.

Repositories live in memory: commits are snapshots of the files, LFS objects are kept by their hash, and every request
is recorded. `fail` makes chosen requests go wrong.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.exports.xet_storage import FAR_FUTURE, XET_TOKEN, XetStorage

TOKEN = "hf_test_token_that_is_no_secret"
LFS_ENDING = ".parquet"


@dataclass
class Repo:
    """One dataset repository."""

    name: str
    visibility: str
    commits: list[tuple[str, dict[str, bytes]]] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def head(self) -> str:
        return self.commits[-1][0]

    @property
    def files(self) -> dict[str, bytes]:
        return self.commits[-1][1]

    def add_commit(self, files: dict[str, bytes]) -> str:
        content = json.dumps([len(self.commits), *sorted((path, _sha256(data)) for path, data in files.items())])
        commit = hashlib.sha1(content.encode()).hexdigest()
        self.commits.append((commit, files))
        return commit

    def resolve(self, revision: str) -> tuple[str, dict[str, bytes]] | None:
        wanted = self.head if revision in {"main", "refs/heads/main"} else self.tags.get(revision, revision)
        return next((commit for commit in self.commits if commit[0] == wanted), None)


@dataclass(frozen=True)
class Answer:
    """What a request gets."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """Whether the connection is closed in place of an answer."""


Failure = Callable[[str, str], Answer | None]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _git_oid(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def _oid(path: str, data: bytes) -> str:
    return _sha256(data) if path.endswith(LFS_ENDING) else _git_oid(data)


def as_json(value: Any, status: int = 200, **headers: str) -> Answer:
    return Answer(status, json.dumps(value).encode(), {"Content-Type": "application/json", **headers})


def refused(status: int, message: str, code: str = "") -> Answer:
    headers = {"X-Error-Message": message, **({"X-Error-Code": code} if code else {})}
    return as_json({"error": message}, status, **headers)


class HubServer:
    """Runs the Hub while the block runs.

    Attributes:
        repos: By name.
        objects: LFS objects by hash.
        xet: The storage behind it, for clients that upload over Xet.
        requests: (method, path) of every request, in order.
        payloads: JSON bodies of the requests that make repositories and change their settings.
        fail: Given method and path, the answer that a request gets in place of the proper one, or None.
    """

    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.objects: dict[str, bytes] = {}
        self.requests: list[tuple[str, str]] = []
        self.payloads: list[dict[str, Any]] = []
        self.fail: Failure = lambda _method, _path: None
        self.xet = XetStorage()
        self.lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> HubServer:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def count(self, method: str, part: str) -> int:
        """How many requests of a method had `part` in their path."""
        return sum(found == method and part in path for found, path in self.requests)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_arguments: Any) -> None:
                """Says nothing."""

            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                with hub.lock:
                    hub.requests.append((self.command, self.path))
                    answer = hub.fail(self.command, self.path)
                    if answer is None:
                        answer = hub.answer(self.command, self.path, body, dict(self.headers.items()))
                if answer.cut:
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in answer.headers:
                    self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer.body)

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _serve  # noqa: N815 - the names that http.server asks for

        return Handler

    def answer(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        """The proper answer to a request."""
        headers = {name.lower(): value for name, value in headers.items()}
        place = unquote(urlsplit(path).path)
        if place.startswith("/cas/"):
            return Answer(*self.xet.answer(method, place.removeprefix("/cas"), body, headers, self.objects))
        if place == "/v1/telemetry":
            return Answer(204)
        if place.startswith("/lfs-upload/"):
            return self._put_object(place.rsplit("/", 1)[1], body)
        if headers.get("authorization") not in {None, f"Bearer {TOKEN}"}:
            return refused(401, "Invalid credentials in Authorization header")
        known = headers.get("authorization") is not None
        for pattern, wanted, handle in self._routes():
            found = re.fullmatch(pattern, place)
            if found and method in wanted:
                return handle(found, body, headers, known, path)
        return refused(404, f"no route for {method} {place}")

    def _routes(self) -> list[tuple[str, set[str], Callable[..., Answer]]]:
        repo = r"(?P<repo>[^/]+/[^/]+)"
        api = rf"/api/datasets/{repo}"
        return [
            (r"/api/repos/create", {"POST"}, self._create),
            (r"/api/validate-yaml", {"POST"}, lambda *_: as_json({"errors": [], "warnings": []})),
            (rf"{api}", {"GET"}, self._info),
            (rf"{api}/revision/(?P<rev>.+)", {"GET"}, self._info),
            (rf"{api}/refs", {"GET"}, self._refs),
            (rf"{api}/settings", {"PUT"}, self._settings),
            (rf"{api}/tree/(?P<rev>[^/]+)(?:/(?P<path>.*))?", {"GET"}, self._tree),
            (rf"{api}/paths-info/(?P<rev>[^/]+)", {"POST"}, self._paths_info),
            (rf"{api}/preupload/(?P<rev>.+)", {"POST"}, self._preupload),
            (rf"{api}/commit/(?P<rev>.+)", {"POST"}, self._commit),
            (rf"{api}/tag/(?P<rev>.+)", {"POST"}, self._tag),
            (rf"{api}/tag/(?P<tag>.+)", {"DELETE"}, self._untag),
            (rf"{api}/xet-write-token/(?P<rev>.+)", {"GET"}, self._xet_token),
            (rf"/datasets/{repo}\.git/info/lfs/objects/batch", {"POST"}, self._batch),
            (rf"/datasets/{repo}/resolve/(?P<rev>[^/]+)/(?P<path>.+)", {"GET", "HEAD"}, self._resolve),
        ]

    def _repo(self, found: re.Match[str], known: bool) -> Repo | Answer:
        repo = self.repos.get(found["repo"])
        if repo is None or (repo.visibility == "private" and not known):
            return refused(404 if known else 401, "Repository not found", "RepoNotFound")
        return repo

    def _create(self, _found: Any, body: bytes, _headers: Any, known: bool, _path: str) -> Answer:
        if not known:
            return refused(401, "Invalid username or password.")
        payload = json.loads(body)
        self.payloads.append(payload)
        name = f"{payload['organization']}/{payload['name']}"
        if name in self.repos:
            return refused(409, "You already created this dataset repo")
        self.repos[name] = Repo(name, payload.get("visibility", "public"))
        self.repos[name].add_commit({".gitattributes": b"*.parquet filter=lfs\n"})
        return as_json({"url": f"{self.url}/datasets/{name}"})

    def _info(self, found: re.Match[str], _body: bytes, _headers: Any, known: bool, path: str) -> Answer:
        repo = self._repo(found, known)
        if isinstance(repo, Answer):
            return repo
        commit = repo.resolve(found.groupdict().get("rev") or "main")
        if commit is None:
            return refused(404, "Revision not found", "RevisionNotFound")
        asked = parse_qs(urlsplit(path).query).get("blobs", [""])[0].casefold() in {"true", "1"}
        siblings = [{"rfilename": n, **(self._blob(n, d) if asked else {})} for n, d in sorted(commit[1].items())]
        private = repo.visibility == "private"
        return as_json({"id": repo.name, "sha": commit[0], "private": private, "siblings": siblings, "tags": []})

    def _refs(self, found: re.Match[str], _body: bytes, _headers: Any, known: bool, _path: str) -> Answer:
        repo = self._repo(found, known)
        if isinstance(repo, Answer):
            return repo
        tags = [{"name": n, "ref": f"refs/tags/{n}", "targetCommit": c} for n, c in repo.tags.items()]
        main = {"name": "main", "ref": "refs/heads/main", "targetCommit": repo.head}
        return as_json({"branches": [main], "converts": [], "tags": tags})

    def _settings(self, found: re.Match[str], body: bytes, _headers: Any, known: bool, _path: str) -> Answer:
        repo = self._repo(found, known)
        if isinstance(repo, Answer):
            return repo
        self.payloads.append(json.loads(body))
        repo.visibility = self.payloads[-1]["visibility"]
        return as_json({"visibility": repo.visibility})

    def _blob(self, path: str, data: bytes) -> dict[str, Any]:
        """What the Hub says of a file when it is asked for `blobs`."""
        entry = self._entry(path, data)
        lfs = {"lfs": {**entry["lfs"], "sha256": entry["lfs"]["oid"]}} if "lfs" in entry else {}
        return {"size": entry["size"], "blobId": entry["oid"], **lfs}

    def _entry(self, path: str, data: bytes) -> dict[str, Any]:
        entry: dict[str, Any] = {"type": "file", "path": path, "size": len(data), "oid": _git_oid(data)}
        if path.endswith(LFS_ENDING):
            entry["lfs"] = {"oid": _sha256(data), "size": len(data), "pointerSize": 130}
        return entry

    def _tree(self, found: re.Match[str], _body: bytes, _headers: Any, known: bool, path: str) -> Answer:
        repo = self._repo(found, known)
        if isinstance(repo, Answer):
            return repo
        commit = repo.resolve(found["rev"])
        if commit is None:
            return refused(404, "Revision not found", "RevisionNotFound")
        prefix = f"{found['path'].rstrip('/')}/" if found["path"] else ""
        inside = {name: data for name, data in commit[1].items() if name.startswith(prefix)}
        if prefix and not inside:
            return refused(404, "Entry not found", "EntryNotFound")
        deep = parse_qs(urlsplit(path).query).get("recursive", ["False"])[0].casefold() in {"true", "1"}
        files = [self._entry(n, d) for n, d in sorted(inside.items()) if deep or "/" not in n[len(prefix) :]]
        folders = sorted({prefix + name[len(prefix) :].split("/")[0] for name in inside if "/" in name[len(prefix) :]})
        oid = hashlib.sha1(prefix.encode()).hexdigest()
        return as_json([*({"type": "directory", "path": name, "oid": oid, "size": 0} for name in folders), *files])

    def _paths_info(self, found: re.Match[str], body: bytes, headers: Any, known: bool, _path: str) -> Answer:
        repo = self._repo(found, known)
        if isinstance(repo, Answer):
            return repo
        commit = repo.resolve(found["rev"])
        if commit is None:
            return refused(404, "Revision not found", "RevisionNotFound")
        is_json = "json" in headers.get("content-type", "")
        wanted = json.loads(body)["paths"] if is_json else parse_qs(body.decode())["paths"]
        return as_json([self._entry(name, commit[1][name]) for name in wanted if name in commit[1]])

    def _preupload(self, found: re.Match[str], body: bytes, _headers: Any, known: bool, _path: str) -> Answer:
        repo = self._repo(found, known)
        if isinstance(repo, Answer):
            return repo
        files = []
        for wanted in json.loads(body)["files"]:
            path = wanted["path"]
            mode = "lfs" if path.endswith(LFS_ENDING) else "regular"
            oid = _oid(path, repo.files[path]) if path in repo.files else None
            files.append({"path": path, "uploadMode": mode, "shouldIgnore": False, "oid": oid})
        return as_json({"files": files})

    def _batch(self, _found: Any, body: bytes, _headers: Any, _known: bool, _path: str) -> Answer:
        objects = []
        for wanted in json.loads(body)["objects"]:
            entry = dict(wanted)
            if wanted["oid"] not in self.objects:
                entry["actions"] = {"upload": {"href": f"{self.url}/lfs-upload/{wanted['oid']}", "header": {}}}
            objects.append(entry)
        return as_json({"transfer": "basic", "objects": objects})

    def _put_object(self, oid: str, body: bytes) -> Answer:
        if _sha256(body) != oid:
            return refused(400, "the content does not have this hash")
        self.objects[oid] = body
        return Answer()

    def _xet_token(self, found: re.Match[str], _body: bytes, _headers: Any, known: bool, _path: str) -> Answer:
        repo = self._repo(found, known)
        if isinstance(repo, Answer):
            return repo
        return as_json({"accessToken": XET_TOKEN, "exp": FAR_FUTURE, "casUrl": f"{self.url}/cas"})

    def _commit(self, found: re.Match[str], body: bytes, _headers: Any, known: bool, _path: str) -> Answer:
        repo = self._repo(found, known)
        if isinstance(repo, Answer):
            return repo
        files = dict(repo.files)
        for line in body.decode().splitlines():
            operation = json.loads(line)
            key, value = operation["key"], operation["value"]
            if key == "header" and value.get("parentCommit") not in {None, repo.head}:
                return refused(412, "The branch has moved on")
            if key == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif key == "lfsFile":
                if value["oid"] not in self.objects:
                    return refused(400, f"the content of {value['path']} has not been uploaded")
                files[value["path"]] = self.objects[value["oid"]]
            elif key == "deletedFile":
                del files[value["path"]]
        commit = repo.add_commit(files)
        return as_json({"commitUrl": f"{self.url}/datasets/{repo.name}/commit/{commit}", "commitOid": commit})

    def _tag(self, found: re.Match[str], body: bytes, _headers: Any, known: bool, _path: str) -> Answer:
        repo = self._repo(found, known)
        if isinstance(repo, Answer):
            return repo
        name, commit = json.loads(body)["tag"], repo.resolve(found["rev"])
        if name in repo.tags:
            return refused(409, "Tag exists")
        if commit is None:
            return refused(404, "Revision not found", "RevisionNotFound")
        repo.tags[name] = commit[0]
        return as_json({})

    def _untag(self, found: re.Match[str], _body: bytes, _headers: Any, known: bool, _path: str) -> Answer:
        repo = self._repo(found, known)
        if isinstance(repo, Answer):
            return repo
        if repo.tags.pop(found["tag"], None) is None:
            return refused(404, "Revision not found", "RevisionNotFound")
        return as_json({})

    def _resolve(self, found: re.Match[str], _body: bytes, headers: dict[str, str], known: bool, _path: str) -> Answer:
        repo = self._repo(found, known)
        if isinstance(repo, Answer):
            return repo
        commit = repo.resolve(found["rev"])
        if commit is None:
            return refused(404, "Revision not found", "RevisionNotFound")
        if found["path"] not in commit[1]:
            return refused(404, "Entry not found", "EntryNotFound")
        data = commit[1][found["path"]]
        shared = {"ETag": f'"{_oid(found["path"], data)}"', "X-Repo-Commit": commit[0], "Accept-Ranges": "bytes"}
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", headers.get("range", ""))
        if wanted is None:
            return Answer(200, data, {**shared, "Content-Length": str(len(data))})
        start, stop = int(wanted[1]), min(int(wanted[2] or len(data) - 1), len(data) - 1)
        content_range = f"bytes {start}-{stop}/{len(data)}"
        return Answer(206, data[start : stop + 1], {**shared, "Content-Range": content_range})
