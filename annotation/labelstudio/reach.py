"""Who can reach the server: what it binds to, under which address people find it, and what that needs to be safe.

Label Studio speaks plain HTTP. So it listens to this machine alone, unless TLS stands in front of it: a reverse proxy,
whose address people open, while the server trusts forms that come through it and gives out cookies for TLS alone.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from tashika.annotation.labelstudio.account import is_url
from tashika.core.errors import InputError
from tashika.core.services import LOOPBACK

WITHOUT_TLS = "--without-tls"
_ANYWHERE = "0.0.0.0"
_SAFE_WAYS = (
    "For two people an ssh tunnel is enough: leave --host out. For a team put a reverse proxy with TLS in front and "
    f"name its address with --public-url https://…; {WITHOUT_TLS} does without, on a network that you trust."
)


@dataclass(frozen=True)
class Reach:
    """What a server binds to, and where people find it.

    Attributes:
        host: An IPv4 address of this machine; 0.0.0.0 for all of them.
        public_url: What people open, without a slash at its end; empty for the server's own address.
    """

    host: str = LOOPBACK
    public_url: str = ""

    @property
    def local_host(self) -> str:
        """Where programs on this machine find it."""
        return LOOPBACK if self.host == _ANYWHERE else self.host

    @property
    def is_open(self) -> bool:
        """Whether other machines can connect to it."""
        return not ipaddress.IPv4Address(self.host).is_loopback

    @property
    def has_tls(self) -> bool:
        """Whether people come through TLS."""
        return urlsplit(self.public_url).scheme == "https"

    @property
    def leaves_the_machine(self) -> bool:
        """Whether people's passwords and answers cross a network readable, for want of TLS."""
        public = self.public_url and not is_on_this_machine(self.public_url)
        return not self.has_tls and bool(self.is_open or public)

    def variables(self) -> dict[str, str]:
        """The settings that Label Studio needs behind a proxy, by their names in the environment."""
        if not self.public_url:
            return {}
        parts = urlsplit(self.public_url)
        hosts = dict.fromkeys([str(parts.hostname), LOOPBACK, "localhost", self.local_host])
        variables = {
            "LABEL_STUDIO_HOST": self.public_url,
            "LABEL_STUDIO_ALLOWED_HOSTS": ",".join(hosts),
            "LABEL_STUDIO_CSRF_TRUSTED_ORIGINS": f"{parts.scheme}://{parts.netloc}",
        }
        if self.has_tls:
            variables |= dict.fromkeys(("LABEL_STUDIO_SESSION_COOKIE_SECURE", "LABEL_STUDIO_CSRF_COOKIE_SECURE"), "1")
        return variables


THIS_MACHINE = Reach()


def is_on_this_machine(url: str) -> bool:
    """Whether nobody on another machine can open the address as it stands."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def checked_reach(host: str, public_url: str | None, *, without_tls: bool) -> Reach:
    """The reach that was asked for.

    Args:
        host: An IPv4 address, or localhost.
        public_url: What people open; None or empty for the server's own address.
        without_tls: Whether passwords and answers may cross the network readable.

    Raises:
        InputError: The host or the address is none, or people would come from other machines without TLS.
    """
    try:
        bound = str(ipaddress.IPv4Address(LOOPBACK if host == "localhost" else host))
    except ValueError as error:
        hint = "Name an address of this machine, such as 192.0.2.7, or 0.0.0.0 for all of them."
        raise InputError(f"expected an IPv4 address to bind to, found {host!r}", where="--host", hint=hint) from error
    public_url = (public_url or "").rstrip("/")
    if public_url and not is_url(public_url):
        message = f"{public_url!r} is no address of a server; expected something like https://label.example.org"
        raise InputError(message, where="--public-url")
    if urlsplit(public_url).path:
        message = f"expected an address without a path, found {public_url!r}"
        raise InputError(message, where="--public-url", hint="Give the server a host name of its own.")
    reach = Reach(bound, public_url)
    if reach.leaves_the_machine and not without_tls:
        message = f"people would reach {public_url or bound} without TLS, and passwords could be read on the way"
        raise InputError(message, where="--host" if reach.is_open else "--public-url", hint=_SAFE_WAYS)
    return reach
