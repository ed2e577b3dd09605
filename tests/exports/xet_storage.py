"""The storage behind a Hub, as far as uploads over Xet need it: xorbs (chunks packed together) and shards (what files
are made of), kept in memory. Files are put together as their shards say, so that a wrong upload is no file.

The formats: https://huggingface.co/docs/xet (upload protocol, xorb, shard).
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

XET_TOKEN = "xet_test_token_that_is_no_secret"
FAR_FUTURE = 4_102_444_800
"""2100-01-01, in seconds since 1970."""

_HEADER, _ENTRY = 48, 48
_WITH_VERIFICATION, _WITH_SHA = 1 << 31, 1 << 30
_NONE, _LZ4, _GROUPED_LZ4 = 0, 1, 2

Reply = tuple[int, bytes, dict[str, str]]


def _hex(digest: bytes) -> str:
    """A hash as addresses have it: each eight bytes as a number in little-endian order."""
    return "".join(f"{number:016x}" for number in struct.unpack("<4Q", digest))


def chunks_of(xorb: bytes) -> list[bytes]:
    """The chunks of a xorb, unpacked."""
    chunks, place = [], 0
    while place + 8 <= len(xorb) and xorb[place] == 0:
        packed = int.from_bytes(xorb[place + 1 : place + 4], "little")
        scheme, size = xorb[place + 4], int.from_bytes(xorb[place + 5 : place + 8], "little")
        data = xorb[place + 8 : place + 8 + packed]
        if scheme != _NONE:
            data = pa.decompress(data, decompressed_size=size, codec="lz4", asbytes=True)
        if scheme == _GROUPED_LZ4:
            data = _ungrouped(data)
        assert len(data) == size
        chunks.append(data)
        place += 8 + packed
    return chunks


def _ungrouped(data: bytes) -> bytes:
    """Bytes that were grouped by their place modulo four, in order again."""
    result, start = bytearray(len(data)), 0
    for group in range(4):
        count = len(range(group, len(data), 4))
        result[group::4] = data[start : start + count]
        start += count
    return bytes(result)


def files_of(shard: bytes) -> Iterator[tuple[str, list[tuple[str, int, int]]]]:
    """The files of a shard: SHA-256, and its terms (xorb, first chunk, the chunk after the last)."""
    place = _HEADER
    while shard[place : place + 32] != b"\xff" * 32:
        flags, count = struct.unpack_from("<II", shard, place + 32)
        place += _ENTRY
        terms = []
        for start in range(place, place + count * _ENTRY, _ENTRY):
            _, _, first, after = struct.unpack_from("<IIII", shard, start + 32)
            terms.append((_hex(shard[start : start + 32]), first, after))
        place += count * _ENTRY * (2 if flags & _WITH_VERIFICATION else 1)
        assert flags & _WITH_SHA
        yield _hex(shard[place : place + 32]), terms
        place += _ENTRY


class XetStorage:
    """The storage.

    Attributes:
        xorbs: Chunks by the xorb's hash.
        received: Bytes of all xorbs that were uploaded.
    """

    def __init__(self) -> None:
        self.xorbs: dict[str, list[bytes]] = {}
        self.received = 0

    def answer(self, method: str, path: str, body: bytes, headers: dict[str, str], objects: dict[str, bytes]) -> Reply:
        """The answer to a request; the files that a shard completes are put among `objects`, by their SHA-256."""
        if headers.get("authorization") != f"Bearer {XET_TOKEN}":
            return _json({"error": "no such token"}, 401)
        xorb = re.fullmatch(r"/v1/xorbs/default/([0-9a-f]{64})", path)
        if xorb and method == "POST":
            is_new = xorb[1] not in self.xorbs
            self.xorbs[xorb[1]] = chunks_of(body)
            self.received += len(body)
            return _json({"was_inserted": is_new})
        if path == "/v2/shards" and method == "POST":
            for sha256, terms in files_of(body):
                content = b"".join(b"".join(self.xorbs[name][first:after]) for name, first, after in terms)
                if hashlib.sha256(content).hexdigest() != sha256:
                    return _json({"error": f"the terms do not make the file {sha256}"}, 400)
                objects[sha256] = content
            return 200, b'{"type": "result", "result": 1}\n', {"Content-Type": "application/x-ndjson"}
        return _json({"error": f"nothing at {path}"}, 404)


def _json(value: Any, status: int = 200) -> Reply:
    return status, json.dumps(value).encode(), {"Content-Type": "application/json"}
