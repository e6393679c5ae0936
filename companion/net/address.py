"""Which address a phone can reach: what the QR code and the join line stand on.

A wrong address is worse than none, because everyone at the table scans it before anyone doubts it.
So whatever is doubtful is left out, and an empty list means: say so, and ask for a public URL.
"""

from __future__ import annotations

import ctypes.util
import re
import socket
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import ifaddr

# Interface names, lower case. Windows names an adapter three times, and all three are looked at.
# Not here on purpose: br0 and vmbr0 (a server's real LAN) and other "vEthernet" switches (a Hyper-V
# external switch carries the real LAN).
NEVER = (
    "lo", "lo[0-9]*", "lo:*", "*loopback*", "dummy*", "ifb*",
    "docker*", "br-*", "veth[!e]*", "vethe[!r]*",  # but not Windows' vEthernet
    "podman*", "nerdctl*", "hassio*", "cni*", "cbr[0-9]*", "flannel*", "cali*", "cilium*", "weave*",
    "kube-*", "tunl[0-9]*", "nodelocaldns*", "vxlan*", "ovs-*",
    "virbr*", "vnet[0-9]*", "vnic[0-9]*", "vboxnet*", "vmnet*", "vmenet*", "lxc*", "lxdbr*", "incusbr*",
    "mpqemubr*", "waydroid*", "anbox*",
    "*virtualbox host-only*", "*vmware virtual ethernet*",
    "vethernet (wsl*", "vethernet (default switch)", "vethernet (nat)", "vethernet (docker*",
)  # fmt: skip
LAST = (
    "tun*", "tap*", "utun*", "wg*", "wireguard*", "wintun*", "tailscale*", "zt*", "zerotier*", "feth[0-9]*",
    "ppp*", "ipsec*", "nordlynx*", "proton*", "mullvad*", "cscotun*", "gpd[0-9]*", "*anyconnect*",
    "*vpn*", "*tunnel*", "wwan*", "rmnet*",
    "bridge1[0-9][0-9]",  # macOS: a virtual machine's bridge, or the hotspot the phones are on
)  # fmt: skip

HOME_NETWORKS = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
# Seen from inside a container or WSL the only interface is an innocent eth0, and only the shape of its
# network gives it away: what Docker, Podman and WSL hand out. It is offered last, not left out, since a
# real LAN may have that shape too, and then it is the only address there is.
NAT_SHAPES = (("172.16.0.0/12", 16), ("172.16.0.0/12", 20), ("192.168.0.0/16", 20), ("10.88.0.0/16", 16))
# A Host header carries no netmask, so only the low addresses that bridges give out first are doubted:
# 172.20.10.2, an iPhone's hotspot, must pass.
BRIDGE_RANGES = tuple(
    map(IPv4Network, (*(f"172.{n}.0.0/24" for n in range(17, 32)), "10.88.0.0/24", "192.168.122.0/24"))
)
THIS_MACHINE = (
    "localhost", "*.localhost", "localhost[46]", "localhost.localdomain", "ip6-localhost", "ip6-loopback",
    "*.docker.internal", "*.containers.internal",
)  # fmt: skip
DEFAULT_PORTS = {"http": 80, "https": 443}

AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[0-9A-Za-z.-]{1,253})(?::([0-9]{1,5}))?")
LABEL = re.compile(r"[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?")
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
PUBLIC_URL = re.compile(r"(?:([A-Za-z]+)://)?([^/?#]+)((?:/[\w.~!$&'()*+,;=:@%-]*)*)", re.ASCII)


class Place(NamedTuple):
    """Where a server listens; a host as a URL spells it, and no port where the scheme's own is meant."""

    host: str
    port: int | None

    def url(self, scheme: str) -> str:
        if self.port in (None, DEFAULT_PORTS[scheme]):
            return f"{scheme}://{self.host}"
        return f"{scheme}://{self.host}:{self.port}"


def lan_addresses(adapters: Iterable[ifaddr.Adapter] | None = None, default: str | None = None) -> list[str]:
    """IPv4 addresses a phone in the same network can plausibly reach, best first.

    Given adapters, this looks at nothing but its arguments; `default` is the default route's address.
    """
    if adapters is None:
        adapters, default = interfaces(), default or default_route_address()
    ranked = [
        (_rank(adapter, ip, default), str(ip.ip))
        for adapter in adapters
        for ip in adapter.ips
        if ip.is_IPv4 and _for_phones(adapter, ip)
    ]
    return list(dict.fromkeys(address for _, address in sorted(ranked, key=lambda pair: pair[0])))


def reachable_base_urls(
    public_url: str | None, host_header: str, scheme: str, port: int, lan: Sequence[str]
) -> list[str]:
    """Base URLs to offer phones, best first, without a trailing slash; empty if none can work."""
    scheme = scheme if scheme in DEFAULT_PORTS else "http"
    configured = _configured(public_url or "", scheme)
    listed = [Place(address, port) for address in lan if _reachable(address)]
    used = _used_by_browser(host_header, lan)
    if used is None:
        places = listed
    elif "." in used.host or ":" in used.host:
        places = [used, *listed]
    else:
        places = [*listed, used]  # a bare name is often known to this machine alone (Debian: 127.0.1.1)
    return list(dict.fromkeys([*configured, *(place.url(scheme) for place in places)]))


def interfaces() -> list[ifaddr.Adapter]:
    """As they are now. No start waits for ifaddr to be loaded, and nor does a page: to find out where the C
    library lies it would run other programs, while the one that this process has loaded will do."""
    search = ctypes.util.find_library
    ctypes.util.find_library = lambda name: None  # to ctypes that means: what is loaded already
    try:
        import ifaddr
    finally:
        ctypes.util.find_library = search
    try:
        return list(ifaddr.get_adapters())
    except OSError:
        return []


def default_route_address() -> str | None:
    """The address this machine would speak from. Connecting a UDP socket only asks the routing table."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("203.0.113.1", 9))  # a documentation address: nobody's, and nothing is sent
            return str(probe.getsockname()[0])
    except OSError:
        return None


def _rank(adapter: ifaddr.Adapter, ip: ifaddr.IP, default: str | None) -> tuple[bool, bool, bool, bool]:
    """Sorts ascending. A VPN that took the default route is still no way in for the phone on the sofa."""
    at_home = any(IPv4Address(str(ip.ip)) in network for network in HOME_NETWORKS)
    return _named(adapter, ip, LAST), _behind_nat(adapter, ip), ip.ip != default, not at_home


def _for_phones(adapter: ifaddr.Adapter, ip: ifaddr.IP) -> bool:
    return _reachable(str(ip.ip)) and not _named(adapter, ip, NEVER)


def _named(adapter: ifaddr.Adapter, ip: ifaddr.IP, patterns: Iterable[str]) -> bool:
    names = {str(name).lower() for name in (adapter.name, adapter.nice_name, ip.nice_name)}
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _behind_nat(adapter: ifaddr.Adapter, ip: ifaddr.IP) -> bool:
    return re.fullmatch(r"eth[0-9]+", str(adapter.name)) is not None and any(
        ip.network_prefix == prefix and IPv4Address(str(ip.ip)) in IPv4Network(network)
        for network, prefix in NAT_SHAPES
    )


def _reachable(address: str) -> bool:
    parsed = _parsed(address)
    return parsed is not None and not (
        parsed.is_loopback
        or parsed.is_link_local
        or parsed.is_multicast
        or parsed.is_reserved
        or parsed.packed[0] == 0  # 0.0.0.0, :: and ::ffff:127.0.0.1
    )


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(address)
    except ValueError:
        return None


def _configured(public_url: str, scheme: str) -> list[str]:
    """The owner's own word, path prefix included; left out only if it cannot be a phone's way in."""
    match = PUBLIC_URL.fullmatch(public_url.strip())
    if match is None:
        return []
    own_scheme = (match[1] or scheme).lower()
    place = _place(match[2])
    if place is None or own_scheme not in DEFAULT_PORTS:
        return []
    return [place.url(own_scheme) + match[3].rstrip("/")]


def _used_by_browser(host_header: str, lan: Sequence[str]) -> Place | None:
    """What stands in the browser's address bar, unless that is a bridge only this machine can see."""
    place = _place(host_header)
    if place is None or place.host in lan:
        return place
    address = _parsed(place.host)
    return None if any(address in network for network in BRIDGE_RANGES if address) else place


def _place(authority: str) -> Place | None:
    """A plain host[:port] that is not this machine's own; anything else, however hostile, is None."""
    match = AUTHORITY.fullmatch(authority)
    if match is None:
        return None
    host = _host(match[1].lower())
    port = int(match[2]) if match[2] else None
    return Place(host, port) if host and (port is None or 1 <= port <= 65535) else None


def _host(host: str) -> str | None:
    if host.startswith("["):
        inner = _parsed(host[1:-1])
        return f"[{inner}]" if isinstance(inner, IPv6Address) and _reachable(str(inner)) else None
    labels = host.removesuffix(".").split(".")
    if not all(map(LABEL.fullmatch, labels)):
        return None
    name = ".".join(labels)
    if NUMBER.fullmatch(labels[-1]):  # browsers read every such name as an IPv4 address, 127.1 included
        return name if _reachable(name) else None
    return None if any(fnmatchcase(name, own) for own in THIS_MACHINE) else name
