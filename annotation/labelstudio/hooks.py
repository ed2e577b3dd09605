"""Webhooks of a Label Studio server: where it calls when somebody has answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.client import http_client, speaking_to

ANSWERED = ("ANNOTATION_CREATED", "ANNOTATIONS_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_DELETED")
"""The actions after which there is something to pull."""

_ONCE: Any = {"max_retries": 0}


@dataclass(frozen=True)
class Hook:
    """A webhook: its number, and the address that the server calls."""

    number: int
    url: str


class Hooks:
    """The webhooks of a server. Every method raises OutsideError or InputError, as `client.speaking_to` does."""

    def __init__(self, address: Address) -> None:
        from label_studio_sdk import LabelStudio

        self.url = address.url
        with speaking_to(self.url):
            client = http_client(address.url)
            self._sdk: Any = LabelStudio(base_url=address.url, api_key=address.token, httpx_client=client)  # type: ignore[no-untyped-call]

    def all(self) -> list[Hook]:
        """Those of all projects, whoever made them."""
        with speaking_to(self.url):
            return [Hook(int(hook.id), str(hook.url)) for hook in self._sdk.webhooks.list()]

    def add(self, project_id: int, url: str, headers: Mapping[str, str]) -> Hook:
        """Has the server call `url` with these headers after each answer in a project; what was answered stays there.

        Everybody with an account on the server can read the headers.
        """
        with speaking_to(self.url):
            hook = self._sdk.webhooks.create(
                url=url,
                project=project_id,
                actions=list(ANSWERED),
                headers=dict(headers),
                send_payload=False,
                send_for_all_actions=False,
                is_active=True,
                request_options=_ONCE,
            )
            return Hook(int(hook.id), str(hook.url))

    def remove(self, hook: Hook) -> None:
        """Removes a webhook; one that is gone already is no error."""
        from label_studio_sdk.core.api_error import ApiError

        with speaking_to(self.url):
            try:
                self._sdk.webhooks.delete(id=hook.number, request_options=_ONCE)
            except ApiError as error:
                if error.status_code != 404:
                    raise
