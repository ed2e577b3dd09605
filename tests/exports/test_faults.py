"""What goes wrong while a release is published, with and without Xet: each fault, what the user sees, and that the
release is whole on the Hub or not to be seen there. docs/publishing.md has the table.
"""

from __future__ import annotations

import logging
import operator
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tashika.core.errors import InputError, OutsideError, TashikaError
from tashika.core.settings import load_section
from tashika.core.workspace import Workspace
from tashika.exports.hub_limits import upload_seconds, within
from tashika.exports.plan import suite_export
from tashika.exports.publish import Publication, publish_to_hub
from tashika.exports.release import Export
from tests.exports import hub_server as server
from tests.exports.myriadlama import samples
from tests.exports.xet_storage import XET_TOKEN

NAME = "lab/myriadlama"
ALWAYS = 10**6
XORB, SHARD = ("POST", "/cas/v1/xorbs/"), ("POST", "/cas/v2/shards")
TOKEN, CREATE = ("GET", "/xet-write-token/"), ("POST", "/api/repos/create")
MODES, COMMIT, TAG = ("POST", "/preupload/"), ("POST", "/commit/"), ("POST", "/tag/")
BATCH, PUT, LOOK = ("POST", "/info/lfs/"), ("PUT", "/lfs-upload/"), ("GET", f"/api/datasets/{NAME}")
CUT = server.Answer(cut=True)

Request = tuple[str, str]


def no(status: int, **headers: str) -> server.Answer:
    """A refusal that repeats the token, as a careless server might."""
    answer = server.refused(status, f"no, not with {server.TOKEN}")
    return server.Answer(status, answer.body, {**answer.headers, **headers})


def when(hub: Any, request: Request, answer: server.Answer, times: int = ALWAYS) -> None:
    """Makes the next requests of a method whose path has a part get another answer."""
    left = [times]

    def fail(method: str, path: str) -> server.Answer | None:
        if method == request[0] and request[1] in path and left[0]:
            left[0] -= 1
            return answer
        return None

    hub.fail = fail


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that the Hub's client takes, which it does not take here."""
    from huggingface_hub.utils import _http

    taken: list[float] = []
    monkeypatch.setattr(_http, "time", SimpleNamespace(sleep=taken.append))
    return taken


@pytest.fixture(scope="module")
def publication(tmp_path_factory: pytest.TempPathFactory) -> Publication:
    """A release that no test changes."""
    folder = tmp_path_factory.mktemp("release")
    workspace = Workspace(folder / "work", "myriadlama")
    samples.fill(workspace)
    suite = suite_export(workspace.suite)
    settings = load_section(workspace.suite, "export", suite.settings, samples.write_config(folder / "config.toml"))
    Export(workspace, settings, suite, suite.plan(workspace, settings)).run()
    return Publication(workspace, NAME)


@pytest.fixture
def quiet(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Neither token may be in what is printed or logged, down to the debugging lines of the clients."""
    caplog.set_level(logging.DEBUG)
    yield
    seen = "".join(capfd.readouterr()) + caplog.text
    assert server.TOKEN not in seen
    assert XET_TOKEN not in seen


def is_whole_or_not_there(hub: Any, release: Path) -> None:
    """A tag leads to the whole release; without one there is none of it, or a whole commit that waits for its tag."""
    repo = hub.repos.get(NAME)
    if repo is None:
        return
    local = {path.relative_to(release).as_posix(): path.read_bytes() for path in release.rglob("*") if path.is_file()}
    remote = {path: content for path, content in repo.files.items() if path != ".gitattributes"}
    assert repo.visibility == "private"
    assert remote in ({}, local)
    assert remote or not repo.tags


def require(hub: Any, publication: Publication, kind: type[TashikaError], said: str) -> TashikaError:
    """Publishing fails as expected, leaves nothing half done, and works once the fault is gone."""
    with pytest.raises(kind, match=said) as caught:
        publish_to_hub(publication)
    assert server.TOKEN not in str(caught.value)
    assert hub.url in str(caught.value)
    is_whole_or_not_there(hub, publication.workspace.release)
    hub.fail = lambda _method, _path: None
    publish_to_hub(publication)
    assert list(hub.repos[NAME].tags) == ["v0.1.0"]
    is_whole_or_not_there(hub, publication.workspace.release)
    return caught.value


SHARED: list[tuple[Request, server.Answer, type[TashikaError], str]] = [
    (LOOK, no(401), InputError, r"does not accept the token \(status 401: no, not with \(the token\)\)"),
    (LOOK, no(403), InputError, "may not write there"),
    (LOOK, CUT, OutsideError, "no answer: "),
    (CREATE, no(401), InputError, "does not accept the token"),
    (CREATE, no(403), InputError, "may not write there"),
    (CREATE, no(404), InputError, "no such repository"),
    (CREATE, no(409), OutsideError, "another change is being made there"),
    (CREATE, no(429), OutsideError, "asks for fewer requests"),
    (CREATE, no(429, **{"Retry-After": "100000"}), OutsideError, r"a pause of 1 day, 3:46:40; we wait 300 s at most"),
    (CREATE, no(500), OutsideError, "the Hub failed"),
    (MODES, no(401), InputError, "does not accept the token"),
    (MODES, no(403), InputError, "may not write there"),
    (MODES, no(404), InputError, "no such repository"),
    (MODES, no(429), OutsideError, "asks for fewer requests"),
    (MODES, no(429, **{"Retry-After": "100000"}), OutsideError, "we wait 300 s at most"),
    (MODES, no(500), OutsideError, "the Hub failed"),
    (MODES, CUT, OutsideError, "no answer: "),
    (COMMIT, no(401), InputError, "does not accept the token"),
    (COMMIT, no(403), InputError, "may not write there"),
    (COMMIT, no(409), OutsideError, "another change is being made there"),
    (COMMIT, no(412), OutsideError, "was changed while we published"),
    (COMMIT, no(413), OutsideError, "too large"),
    (COMMIT, no(429), OutsideError, "asks for fewer requests"),
    (COMMIT, no(500), OutsideError, "the Hub failed"),
    (COMMIT, CUT, OutsideError, "no answer: "),
    (TAG, no(403), InputError, "may not write there"),
    (TAG, no(409), OutsideError, "another change is being made there"),
    (TAG, no(500), OutsideError, "the Hub failed"),
]
AFTER_THE_UPLOAD = [fault for fault in SHARED if fault[0] in {COMMIT, TAG}]
PLAIN: list[tuple[Request, server.Answer, type[TashikaError], str]] = [
    (BATCH, no(403), InputError, "may not write there"),
    (BATCH, no(500), OutsideError, "the Hub failed"),
    (PUT, no(401), InputError, "does not accept the token"),
    (PUT, no(403), InputError, "may not write there"),
    (PUT, no(429, **{"Retry-After": "100000"}), OutsideError, "we wait 300 s at most"),
    (PUT, no(500), OutsideError, "the Hub failed"),
    (PUT, CUT, OutsideError, "no answer: "),
]
OVER_XET: list[tuple[Request, server.Answer, type[TashikaError], str]] = [
    (TOKEN, no(401), InputError, r"does not accept the token \(status 401: no token for the storage, Xet\)"),
    (TOKEN, no(403), InputError, r"may not write there \(status 403: no token for the storage, Xet\)"),
    (TOKEN, no(404), InputError, "no such repository"),
    (TOKEN, no(429), OutsideError, "asks for fewer requests"),
    (TOKEN, no(500), OutsideError, "the Hub failed"),
    (TOKEN, CUT, OutsideError, "no answer when a token for the storage"),
    (TOKEN, server.Answer(200, b"<html></html>"), OutsideError, "the Hub's storage, Xet"),
    *(
        (request, no(status), OutsideError, rf"the Hub's storage, Xet at http://127.*\(status {status}\)")
        for request in (XORB, SHARD)
        for status in (401, 403, 404, 500, 503)
    ),
    (XORB, no(429), OutsideError, r"storage, Xet at .*asks for fewer requests \(status 429\)"),
    (SHARD, no(429), OutsideError, r"storage, Xet at .*asks for fewer requests \(status 429\)"),
    (XORB, CUT, OutsideError, "no answer from the Hub's storage, Xet at http://127"),
    (SHARD, CUT, OutsideError, "no answer from the Hub's storage, Xet at http://127"),
    (SHARD, server.Answer(200, b"<html></html>"), OutsideError, "the Hub's storage, Xet: "),
]


def _name(value: object) -> str | None:
    if isinstance(value, server.Answer):
        return "cut" if value.cut else f"{value.status}{value.headers.get('Retry-After', '')}"
    return value[1].strip("/") if isinstance(value, tuple) else ""


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("request_", "answer", "kind", "said"), [*SHARED, *PLAIN], ids=_name)
def test_a_fault_without_xet(
    hub: Any,
    publication: Publication,
    request_: Request,
    answer: server.Answer,
    kind: type[TashikaError],
    said: str,
) -> None:
    when(hub, request_, answer)
    require(hub, publication, kind, said)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("request_", "answer", "kind", "said"), [*AFTER_THE_UPLOAD, *OVER_XET], ids=_name)
def test_a_fault_over_xet(
    xet_hub: Any,
    publication: Publication,
    request_: Request,
    answer: server.Answer,
    kind: type[TashikaError],
    said: str,
) -> None:
    when(xet_hub, request_, answer)
    error = require(xet_hub, publication, kind, said)
    if (request_, answer, kind, said) in OVER_XET and kind is OutsideError and "the Hub failed" not in said:
        assert "fewer" in said or "HF_HUB_DISABLE_XET=1" in str(error)
    assert xet_hub.count("PUT", "/lfs-upload/") == 0


@pytest.mark.parametrize("request_", [MODES, BATCH, PUT, COMMIT], ids=_name)
@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_hub_that_fails_once_is_asked_again(
    hub: Any, publication: Publication, pauses: list[float], request_: Request, status: int
) -> None:
    when(hub, request_, no(status, **{"Retry-After": "20"}), times=1)
    if request_ in {COMMIT}:  # not asked again by the client: nobody knows whether it was made
        require(hub, publication, OutsideError, f"status {status}")
        return
    publish_to_hub(publication)
    assert pauses == [21.0]
    is_whole_or_not_there(hub, publication.workspace.release)


@pytest.mark.parametrize("request_", [TOKEN, XORB, SHARD], ids=_name)
@pytest.mark.parametrize("answer", [no(429), no(500), CUT], ids=_name)
def test_a_storage_that_fails_once_is_asked_again(
    xet_hub: Any, publication: Publication, request_: Request, answer: server.Answer
) -> None:
    when(xet_hub, request_, answer, times=1)
    publish_to_hub(publication)
    is_whole_or_not_there(xet_hub, publication.workspace.release)


def test_a_pause_is_announced(hub: Any, publication: Publication, capsys: pytest.CaptureFixture[str]) -> None:
    when(hub, MODES, no(429, **{"Retry-After": "20"}), times=1)
    publish_to_hub(publication)
    assert "the Hub asks for a pause of 20 s; waiting" in capsys.readouterr().err


def test_a_repository_that_somebody_makes_at_the_same_time(hub: Any, publication: Publication) -> None:
    def fail(method: str, path: str) -> server.Answer | None:
        if (method, path) != CREATE:
            return None
        hub.repos[NAME] = server.Repo(NAME, "private")
        hub.repos[NAME].add_commit({})
        return server.refused(409, "You already created this dataset repo")

    hub.fail = fail
    publish_to_hub(publication)
    is_whole_or_not_there(hub, publication.workspace.release)


@pytest.mark.parametrize("request_", [XORB, SHARD], ids=_name)
def test_a_storage_that_does_not_answer_is_left_after_the_deadline(
    xet_hub: Any, publication: Publication, request_: Request
) -> None:
    is_left_after_the_deadline(xet_hub, publication, request_)


@pytest.mark.parametrize("request_", [MODES, PUT, COMMIT], ids=_name)
def test_a_hub_that_does_not_answer_is_left_after_the_deadline(
    hub: Any, publication: Publication, request_: Request
) -> None:
    is_left_after_the_deadline(hub, publication, request_)


def is_left_after_the_deadline(hub: Any, publication: Publication, request_: Request) -> None:
    """Where a request is not answered, publishing ends with an error, and works once it is."""
    ended = threading.Event()

    def fail(method: str, path: str) -> server.Answer | None:
        if method == request_[0] and request_[1] in path:
            ended.wait(60)
            return CUT
        return None

    hub.fail = fail
    hasty = Publication(publication.workspace, NAME, seconds=1)
    try:
        with pytest.raises(OutsideError, match="did not end within 0:00:01") as caught:
            publish_to_hub(hasty)
    finally:
        ended.set()
    for thread in [thread for thread in threading.enumerate() if thread.name == "publish"]:
        thread.join(60)
        assert not thread.is_alive()  # its next request is refused, so that a command ends
    assert "--deadline" in str(caught.value)
    assert "HF_HUB_DISABLE_XET=1" in str(caught.value)
    is_whole_or_not_there(hub, publication.workspace.release)
    hub.fail = lambda _method, _path: None
    publish_to_hub(publication)
    assert list(hub.repos[NAME].tags) == ["v0.1.0"]


def test_a_large_upload_has_more_time() -> None:
    assert upload_seconds(0) == 600
    assert upload_seconds(600 * 10**6) == 6_600


def test_work_within_its_time_gives_its_result_or_its_own_error() -> None:
    assert within(60, lambda: 3, pytest.fail, "there") == 3
    with pytest.raises(KeyError, match="lost"):
        within(60, partial(operator.getitem, {"kept": 1}, "lost"), pytest.fail, "there")
