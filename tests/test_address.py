"""Which address goes into the QR code. The interface lists are as ifaddr gives them on real machines."""

import re
import resource
import shutil
import subprocess
import sys
from ipaddress import ip_address

import ifaddr
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.net import address
from companion.net.address import lan_addresses, reachable_base_urls

LAN = ["192.168.1.20"]


def interface(name: str, *ips: str, described: str = "", called: str = "") -> ifaddr.Adapter:
    """`name` on Linux and macOS; Windows has a GUID there, a description and a name people see."""
    addresses: list[ifaddr.IP] = []
    for ip in ips:
        host, _, prefix = ip.partition("/")
        addresses.append(ifaddr.IP((host, 0, 0) if ":" in host else host, int(prefix or 24), called or name))
    return ifaddr.Adapter(name, described or name, addresses)


LOOPBACK = interface("lo", "127.0.0.1/8", "::1/128")
WIFI = interface("wlp3s0", "192.168.1.20", "fe80::1/64", "fd00::2/64")


def urls(host: str, lan: list[str] = LAN, public: str | None = None, scheme: str = "http") -> list[str]:
    return reachable_base_urls(public, host, scheme, 8000, lan)


# --- the machine's own addresses


def test_a_laptop_on_the_wifi_offers_its_one_ipv4_address() -> None:
    assert lan_addresses([LOOPBACK, WIFI]) == ["192.168.1.20"]


@pytest.mark.parametrize(
    "bridge",
    [
        "docker0", "docker_gwbridge", "br-3f9c1d2e4b5a", "veth12ab34c", "vethe1f2a3b", "virbr0", "vboxnet0",
        "vmnet8", "cni0", "cni-podman0", "podman1", "lxcbr0", "lxdbr0", "flannel.1", "cali0a1b2c", "vnet3",
        "incusbr0", "mpqemubr0", "cilium_host", "hassio", "waydroid0", "dummy0",
    ],
)  # fmt: skip
def test_no_bridge_of_containers_or_virtual_machines_is_offered(bridge: str) -> None:
    assert lan_addresses([interface(bridge, "172.17.0.1/16"), WIFI], "172.17.0.1") == ["192.168.1.20"]


@pytest.mark.parametrize("name", ["br0", "vmbr0", "eth0", "en0", "enp0s31f6", "wlan0", "bond0", "eth0:1"])
def test_real_interfaces_are_offered_also_where_a_server_bridges_its_lan(name: str) -> None:
    assert lan_addresses([interface(name, "192.168.1.20")]) == ["192.168.1.20"]


@pytest.mark.parametrize(
    "useless", ["127.0.1.1/8", "0.0.0.0/0", "169.254.7.7/16", "224.0.0.1/4", "0.1.2.3/8"]
)
def test_addresses_no_phone_can_use_are_left_out(useless: str) -> None:
    assert lan_addresses([interface("eth0", useless, "192.168.1.20")], useless) == ["192.168.1.20"]


def test_the_address_wsl_puts_on_its_loopback_is_left_out() -> None:
    assert lan_addresses([interface("lo", "127.0.0.1/8", "10.255.255.254/32")]) == []


def test_of_two_lans_the_one_with_the_default_route_comes_first() -> None:
    cable, wifi = interface("eth0", "10.0.0.5"), interface("wlan0", "192.168.1.20")
    assert lan_addresses([cable, wifi], "192.168.1.20") == ["192.168.1.20", "10.0.0.5"]
    assert lan_addresses([cable, wifi], "10.0.0.5") == ["10.0.0.5", "192.168.1.20"]


def test_without_a_default_route_home_networks_come_before_public_ones() -> None:
    listed = [interface("eth0", "203.0.113.9"), interface("eth1", "172.20.10.2/28")]
    assert lan_addresses(listed) == ["172.20.10.2", "203.0.113.9"]


def test_a_rented_server_offers_its_public_address_first() -> None:
    listed = [interface("eth1", "10.0.0.5"), interface("eth0", "203.0.113.9")]
    assert lan_addresses(listed, "203.0.113.9") == ["203.0.113.9", "10.0.0.5"]


@pytest.mark.parametrize(
    "vpn", ["tun0", "tun-work", "wg0", "tailscale0", "utun4", "ppp0", "ztabcdef12", "tap0"]
)
def test_a_vpn_comes_last_even_when_it_took_the_default_route(vpn: str) -> None:
    listed = [interface(vpn, "10.8.0.6"), interface("eth0", "203.0.113.9")]
    assert lan_addresses(listed, "10.8.0.6") == ["203.0.113.9", "10.8.0.6"]


def test_a_mac_puts_its_wifi_before_shared_bridge_and_tunnel() -> None:
    listed = [
        interface("lo0", "127.0.0.1/8"),
        interface("utun3", "100.101.102.103/32"),
        interface("bridge100", "192.168.64.1"),
        interface("en0", "192.168.1.20"),
    ]
    assert lan_addresses(listed, "192.168.1.20") == ["192.168.1.20", "192.168.64.1", "100.101.102.103"]


def test_windows_names_are_understood() -> None:
    hyper_v = "Hyper-V Virtual Ethernet Adapter"
    listed = [
        interface("{1}", "172.29.160.1/20", described=hyper_v, called="vEthernet (WSL (Hyper-V firewall))"),
        interface("{2}", "172.30.0.1/20", described=hyper_v, called="vEthernet (Default Switch)"),
        interface(
            "{3}", "192.168.56.1", described="VirtualBox Host-Only Ethernet Adapter", called="Ethernet 3"
        ),
        interface(
            "{4}", "192.168.80.1", described="VMware Virtual Ethernet Adapter for VMnet8", called="VMnet8"
        ),
        interface("{5}", "10.8.0.6", described="TAP-Windows Adapter V9", called="Local Area Connection"),
        interface("{6}", "192.168.1.20", described="Intel(R) Wi-Fi 6 AX201 160MHz", called="Wi-Fi"),
        interface("{7}", "127.0.0.1/8", described="Software Loopback Interface 1", called="Loopback"),
        interface("{8}", "10.0.0.5", described="Realtek PCIe GbE", called="Local Area Connection 2"),
    ]
    assert lan_addresses(listed, "192.168.1.20") == ["192.168.1.20", "10.0.0.5", "10.8.0.6"]


def test_a_windows_lan_on_an_external_hyper_v_switch_is_offered() -> None:
    switch = interface(
        "{1}", "192.168.1.20", described="Hyper-V Virtual Ethernet Adapter", called="vEthernet (LAN)"
    )
    assert lan_addresses([switch]) == ["192.168.1.20"]


@pytest.mark.parametrize("inside", ["172.17.0.2/16", "172.29.161.7/20", "192.168.16.3/20", "10.88.0.4/16"])
def test_an_address_shaped_like_a_containers_is_offered_only_after_every_other(inside: str) -> None:
    address = inside.partition("/")[0]
    assert lan_addresses([LOOPBACK, interface("eth0", inside), WIFI], address) == ["192.168.1.20", address]
    assert lan_addresses([LOOPBACK, interface("eth0", inside)], address) == [address]


def test_a_machine_without_a_network_offers_nothing() -> None:
    assert lan_addresses([]) == []
    assert lan_addresses([LOOPBACK]) == []


def test_the_same_address_on_two_interfaces_is_offered_once() -> None:
    assert lan_addresses([WIFI, interface("wlp3s0:1", "192.168.1.20")]) == ["192.168.1.20"]


def test_asking_this_very_machine_never_fails_and_never_names_loopback() -> None:
    assert all(not ip_address(found).is_loopback for found in lan_addresses())


def test_a_machine_cut_off_from_every_network_has_no_way_out_and_says_so() -> None:
    asked = "from companion.net import address as a; print(a.default_route_address(), a.lan_addresses())"
    cut_off = [
        "unshare",
        "--map-root-user",
        "--net",
        sys.executable,
        "-c",
        asked,
    ]  # an empty network of its own
    if not shutil.which("unshare") or subprocess.run([*cut_off[:3], "true"], capture_output=True).returncode:
        pytest.skip("this machine cannot make an empty network")
    assert subprocess.run(cut_off, capture_output=True, text=True, check=True).stdout == "None []\n"


def test_a_machine_that_cannot_even_list_its_interfaces_offers_nothing() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (0, hard)
    )  # no socket opens, to list them or to probe the route
    try:
        found = address.interfaces(), address.default_route_address(), lan_addresses()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert found == ([], None, [])


def test_to_list_them_no_other_program_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """All phones would wait for it."""
    for name in [each for each in sys.modules if each.partition(".")[0] == "ifaddr"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("another program was run"))
    assert "lo" in {each.name for each in address.interfaces()}


# --- what goes into the join link


def test_the_address_the_browser_used_comes_first_then_the_lan() -> None:
    assert urls("10.0.0.5:8000") == ["http://10.0.0.5:8000", "http://192.168.1.20:8000"]
    assert urls("games.example.org") == ["http://games.example.org", "http://192.168.1.20:8000"]
    assert urls("Games.Example.Org.") == ["http://games.example.org", "http://192.168.1.20:8000"]
    assert urls("laptop.local:8000") == ["http://laptop.local:8000", "http://192.168.1.20:8000"]
    assert urls("[fd00::2]:8000") == ["http://[fd00::2]:8000", "http://192.168.1.20:8000"]


def test_an_address_is_named_once() -> None:
    assert urls("192.168.1.20:8000") == ["http://192.168.1.20:8000"]
    assert urls("192.168.1.20:8000", public="http://192.168.1.20:8000/") == ["http://192.168.1.20:8000"]


@pytest.mark.parametrize(
    "own",
    [
        "localhost", "localhost:8000", "LOCALHOST:8000", "localhost.", "ada.localhost:8000",
        "localhost.localdomain",
        "127.0.0.1:8000", "127.8.9.10", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0.0.0.0:8000", "0",
        "[::1]:8000", "[::]", "[::ffff:127.0.0.1]", "[fe80::1]", "169.254.7.7", "255.255.255.255",
        "host.docker.internal:8000",
    ],
)  # fmt: skip
def test_a_browser_on_the_laptop_itself_leads_to_the_lan_address(own: str) -> None:
    assert urls(own) == ["http://192.168.1.20:8000"]
    assert urls(own, lan=[]) == []


@pytest.mark.parametrize("bridge", ["172.17.0.2:8000", "172.18.0.1", "10.88.0.4", "192.168.122.1:8000"])
def test_a_bridge_address_in_the_browser_is_not_offered(bridge: str) -> None:
    assert urls(bridge) == ["http://192.168.1.20:8000"]


def test_a_real_lan_in_a_range_bridges_like_is_offered() -> None:
    assert urls("172.18.0.9", lan=["172.18.0.9"]) == ["http://172.18.0.9", "http://172.18.0.9:8000"]
    assert urls("172.20.10.2:8000", lan=[]) == ["http://172.20.10.2:8000"]  # an iPhone's hotspot


def test_a_bare_machine_name_comes_after_the_lan_because_phones_seldom_know_it() -> None:
    assert urls("laptop:8000") == ["http://192.168.1.20:8000", "http://laptop:8000"]


@pytest.mark.parametrize(
    "hostile",
    [
        "", " ", ":", ":8000", "a b", "ada@evil.example", "ada:secret@evil.example:80", "evil.example/path",
        "evil.example?x", "evil.example#x", "evil.example\\x", "evil\0.example", "evil.example\n",
        "\tevil.example",
        '"><script>alert(1)</script>', "javascript:alert(1)", "evil.example:", "evil.example:0",
        "evil.example:65536", "evil.example:80:80", "evil.example:-1", "evil.example:\u0663",
        "\u2170.example", "\u212a.example",
        "-evil.example", "evil..example", ".example", "[::1", "::1", "fd00::2", "[fd00::2]x",
        "[fd00::2%25eth0]",
        "[192.168.1.9]", "[]", "256.1.1.1", "1.2.3", "a" * 64, "a." * 200, "a,b", "%31.example",
    ],
)  # fmt: skip
def test_a_hostile_host_header_is_as_good_as_none(hostile: str) -> None:
    assert urls(hostile) == ["http://192.168.1.20:8000"]


@given(host=st.text() | st.from_regex(r"[\[\]0-9a-fx:.@%-]{1,30}", fullmatch=True))
def test_whatever_the_host_header_holds_only_plain_reachable_urls_come_out(host: str) -> None:
    for url in urls(host, lan=[]):
        plain = re.fullmatch(
            r"http://(?:\[([0-9a-f:.]+)\]|([0-9.]+)|[0-9a-z.-]*[a-z-][0-9a-z.-]*)(:[0-9]+)?", url
        )
        assert plain, url
        literal = plain[1] or plain[2]
        assert not literal or not (ip_address(literal).is_loopback or ip_address(literal).is_unspecified)


def test_the_owners_public_url_comes_first_and_the_rest_follows() -> None:
    assert urls("10.0.0.5:8000", public="https://games.example.org") == [
        "https://games.example.org",
        "http://10.0.0.5:8000",
        "http://192.168.1.20:8000",
    ]


@pytest.mark.parametrize(
    ("configured", "kept"),
    [
        ("https://games.example.org/table/", "https://games.example.org/table"),
        ("https://games.example.org/a/b//", "https://games.example.org/a/b"),
        (" https://games.example.org/ ", "https://games.example.org"),
        ("HTTPS://Games.Example.org:443/Table", "https://games.example.org/Table"),
        ("http://games.example.org:80", "http://games.example.org"),
        ("http://games.example.org:443", "http://games.example.org:443"),
        ("http://[FD00::2]:8000/", "http://[fd00::2]:8000"),
        ("games.example.org:8000/table", "http://games.example.org:8000/table"),
        ("http://172.17.0.2:8000", "http://172.17.0.2:8000"),
    ],
)
def test_a_public_url_keeps_its_path_and_loses_slash_and_default_port(configured: str, kept: str) -> None:
    assert urls("localhost:8000", public=configured) == [kept, "http://192.168.1.20:8000"]


@pytest.mark.parametrize(
    "unusable",
    [
        "", "/", "http://", "ftp://games.example.org", "http://localhost:8000", "http://0.0.0.0:8000",
        "https://ada:secret@games.example.org", "https://games.example.org/?x=1", "javascript:alert(1)",
        'https://games.example.org/"><b>', "https://games.example.org:99999", "//games.example.org",
    ],
)  # fmt: skip
def test_a_public_url_no_phone_could_open_is_left_out(unusable: str) -> None:
    assert urls("localhost:8000", public=unusable) == ["http://192.168.1.20:8000"]


def test_default_ports_are_left_out() -> None:
    assert reachable_base_urls(None, "10.0.0.5:80", "http", 80, LAN) == [
        "http://10.0.0.5",
        "http://192.168.1.20",
    ]
    assert reachable_base_urls(None, "10.0.0.5:443", "https", 443, LAN) == [
        "https://10.0.0.5",
        "https://192.168.1.20",
    ]


def test_an_unknown_scheme_is_taken_for_plain_http() -> None:
    assert urls("10.0.0.5:8000", lan=[], scheme="javascript") == ["http://10.0.0.5:8000"]


def test_nothing_reachable_is_said_by_an_empty_list() -> None:
    assert urls("localhost:8000", lan=[]) == []
    assert urls("localhost:8000", lan=["127.0.0.1", "0.0.0.0", "169.254.7.7"]) == []
