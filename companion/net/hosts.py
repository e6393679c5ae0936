"""Which names this server answers to, and whose word about a visitor's address it takes.

A page on the internet can give its own name this machine's address ("rebinding"), and a visitor's browser
then takes us for that page. The Host header tells: it is the page's name, not one of ours.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path

from companion.net.address import AUTHORITY, DEFAULT_PORTS, PUBLIC_URL, interfaces

FRESH = 10.0  # seconds; a laptop is carried to another network while it runs
MOST = 1_000  # names that are remembered; whoever makes some up is no reason to remember more
# No name server of the internet gives away names in .local, and browsers never ask one about localhost.
OWN = ("localhost", "*.localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback", "*.local")
DOMAINS = re.compile(r"^(?:search|domain)[ \t]+(.*)$", re.MULTILINE)
LOOPBACK = "127.0.0.0/8,::1"
Network = IPv4Network | IPv6Network
NAME = re.compile(r"[\w.*:\[\]-]+")


class Hosts:
    """`extra` are names that the owner has added, `*` for a part of one or for all."""

    def __init__(
        self,
        public_url: str | None = None,
        extra: Iterable[str] = (),
        here: Callable[[], Iterable[str]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._patterns = [*OWN, *map(_checked, extra)]
        if public_url:
            self._patterns.append(_public(public_url))
        self._here, self._clock = here or names_of_this_machine, clock
        self._known: dict[str, tuple[float, bool]] = {}
        self._names: tuple[float, frozenset[str]] = (0.0, frozenset())

    def ours(self, host: str) -> bool:
        """Whether a request with this Host header is meant for us; of one that was here, by one look-up."""
        now = self._clock()
        until, known = self._known.get(host, (0.0, False))
        if until > now:
            return known
        found = self._look(name_in(host), now)
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[host] = (now + FRESH, found)
        return found

    def _look(self, name: str, now: float) -> bool:
        if not name:
            return False
        if any(fnmatchcase(name, own) for own in self._patterns):
            return True
        address = _address(name)
        if address and (address.is_loopback or address.is_unspecified):
            return True
        if self._names[0] <= now:
            self._names = (now + FRESH, frozenset(self._here()))
        return (str(address) if address else name) in self._names[1]


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a machine, such as games.lan or *.tail.net")
    return name.lower()


def _public(url: str) -> str:
    found = PUBLIC_URL.fullmatch(url.strip())
    name = name_in(found[2]) if found else ""
    if not found or not name or (found[1] or "http").lower() not in DEFAULT_PORTS:
        raise ValueError(f"{url!r} is no address of a server, such as https://games.example")
    return name


def name_in(host: str) -> str:
    """Without its port, as names are compared; empty if it is no name at all."""
    match = AUTHORITY.fullmatch(host)
    return match[1].lower().strip("[]").removesuffix(".") if match else ""


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name)
    except ValueError:
        return None


def names_of_this_machine() -> Iterator[str]:
    """Every address it has, and what it is called: alone, and in the domains of the network it is in."""
    for adapter in interfaces():
        for ip in adapter.ips:
            yield str(ip_address(ip.ip if isinstance(ip.ip, str) else ip.ip[0]))
    name = socket.gethostname().lower()
    yield name
    short = name.partition(".")[0]
    yield from (short, *(f"{short}.{domain.rstrip('.')}" for domain in _domains()))


def _domains() -> list[str]:
    try:
        resolver = Path("/etc/resolv.conf").read_text("utf-8", "replace")
    except OSError:
        return []
    return [domain.lower() for line in DOMAINS.findall(resolver) for domain in line.split() if domain != "."]


class Proxies:
    """How many stand in front, and from which addresses they speak. Nobody else's word is taken for it."""

    def __init__(self, hops: int, addresses: str = LOOPBACK) -> None:
        self.hops = hops
        self._networks = networks(addresses)
        self._known: dict[str, bool] = {}

    def __bool__(self) -> bool:
        return bool(self.hops)

    def believed(self, address: str) -> bool:
        if not self.hops:
            return False
        known = self._known.get(address)
        if known is None:
            if len(self._known) >= MOST:
                self._known.clear()
            known = self._known[address] = self._is_one(address)
        return known

    def _is_one(self, address: str) -> bool:
        try:
            caller = ip_address(address)
        except ValueError:
            return False
        mapped = getattr(caller, "ipv4_mapped", None)
        return any((mapped or caller) in network for network in self._networks)


def networks(text: str) -> list[Network]:
    """As they are set; what is none is a ValueError with a sentence."""
    found = []
    for word in text.replace(",", " ").split():
        try:
            found.append(ip_network(word, strict=False))
        except ValueError:
            raise ValueError(
                f"{word!r} is no address or network, such as 10.0.0.5 or 172.18.0.0/16"
            ) from None
    return found
