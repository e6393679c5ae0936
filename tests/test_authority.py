"""The authority of one machine at home: made once, good for little, and kept to itself."""

from __future__ import annotations

import os
import plistlib
import stat
import subprocess
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from companion.net import authority as made
from companion.net.authority import Authority, NoAuthority, names_on

AT_HOME = ("den", "den.fritz.box", "192.168.1.20", "fe80::1")


@pytest.fixture
def den(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "authority", AT_HOME, "den")


def shown(authority: Authority, *names: str) -> x509.Certificate:
    file, _ = authority.vouch_for(names)
    return x509.load_pem_x509_certificate(file.read_bytes())


def believed(authority: Authority, leaf: x509.Certificate, name: str) -> bool:
    """As a phone that trusts the authority judges it."""
    try:
        address = ip_address(name)
        subject: x509.DNSName | x509.IPAddress = x509.IPAddress(address)
    except ValueError:
        subject = x509.DNSName(name)
    verifier = PolicyBuilder().store(Store([authority.certificate])).build_server_verifier(subject)
    try:
        verifier.verify(leaf, [])
    except VerificationError:
        return False
    return True


def test_it_is_made_once_and_is_good_for_ten_years(den: Authority) -> None:
    again = Authority(den.folder, ("elsewhere",), "another")
    assert again.certificate == den.certificate
    assert again.fingerprint == den.fingerprint
    lasts = den.certificate.not_valid_after_utc - datetime.now(UTC)
    assert timedelta(days=3650) < lasts < timedelta(days=3654)
    assert den.name == "Companion on den"


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_keys_are_readable_by_their_owner_alone(den: Authority) -> None:
    den.vouch_for(AT_HOME)
    old = os.umask(0)
    try:
        den.vouch_for((*AT_HOME, "192.168.1.21"))
    finally:
        os.umask(old)
    rights = {file.name: stat.S_IMODE(file.stat().st_mode) for file in den.folder.iterdir()}
    assert rights == {"authority.key": 0o600, "authority.crt": 0o600, "server.pem": 0o600}
    assert stat.S_IMODE(den.folder.stat().st_mode) == 0o700


def test_a_phone_that_trusts_it_believes_this_machine_and_nobody_else(den: Authority) -> None:
    leaf = shown(den, *AT_HOME)
    for name in ("den", "den.local", "den.fritz.box", "192.168.1.20", "fe80::1", "localhost", "127.0.0.1"):
        assert believed(den, leaf, name), name
    assert not believed(den, leaf, "192.168.1.21"), "which is another machine"
    assert not believed(den, leaf, "bank.example")


@pytest.mark.parametrize("name", ["bank.example", "8.8.8.8", "2606:4700::1111", "notden", "den.example"])
def test_it_cannot_vouch_for_anybody_on_the_internet(den: Authority, name: str) -> None:
    """Not even if somebody takes its key and signs what we would not."""
    assert name not in names_on(shown(den, *AT_HOME, name))
    forged = x509.load_pem_x509_certificate(den.issue([name, "den"]))
    assert name in names_on(forged)
    assert not believed(den, forged, name)


def test_an_address_on_the_internet_that_the_machine_has_itself_is_named_one_by_one(tmp_path: Path) -> None:
    rented = Authority(tmp_path / "authority", ("den", "203.0.113.9"), "den")
    assert believed(rented, shown(rented, "203.0.113.9"), "203.0.113.9")
    assert not rented.covers("203.0.113.10")


def test_another_address_is_vouched_for_anew_without_asking_any_phone(den: Authority) -> None:
    first = shown(den, *AT_HOME)
    assert den.vouch_for(AT_HOME)[1] is False
    assert den.vouch_for(AT_HOME[:2])[1] is False, "one less is no reason"
    file, anew = den.vouch_for(("den", "10.0.0.7"))
    assert anew
    assert believed(den, x509.load_pem_x509_certificate(file.read_bytes()), "10.0.0.7")
    assert first.public_key() != shown(den, "den", "10.0.0.7").public_key()


def test_what_the_server_shows_is_renewed_before_its_end(den: Authority, monkeypatch) -> None:
    leaf = shown(den, *AT_HOME)
    lasts = leaf.not_valid_after_utc - leaf.not_valid_before_utc
    assert lasts <= timedelta(days=398), "phones believe no longer one"
    monkeypatch.setattr(made, "RENEW", timedelta(days=400))
    assert den.vouch_for(AT_HOME)[1]


def test_what_lies_there_and_is_not_of_this_authority_is_not_shown(den: Authority, tmp_path: Path) -> None:
    other = Authority(tmp_path / "other", AT_HOME, "den")
    theirs, _ = other.vouch_for(AT_HOME)
    (den.folder / "server.pem").write_bytes(theirs.read_bytes())
    assert believed(den, shown(den, *AT_HOME), "den")


@pytest.mark.parametrize("name", ["DEN", "d_en", "-den", "a b", "", "0.0.0.0", "224.0.0.1", "x" * 80])
def test_a_machine_may_be_called_anything(tmp_path: Path, name: str) -> None:
    odd = Authority(tmp_path / "authority", (name, "192.168.1.20"), name or "den")
    assert believed(odd, shown(odd, name, "192.168.1.20"), "192.168.1.20")


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda folder: (folder / "authority.key").unlink(), "cannot be read"),
        (lambda folder: (folder / "authority.key").write_bytes(b"none"), "is damaged"),
        (lambda folder: (folder / "authority.crt").write_bytes(b"none"), "is damaged"),
        (
            lambda folder: (folder / "authority.key").write_bytes(
                made.new_key().private_bytes(
                    serialization.Encoding.PEM,
                    serialization.PrivateFormat.PKCS8,
                    serialization.NoEncryption(),
                )
            ),
            "key that is not its own",
        ),
    ],
)
def test_one_that_is_damaged_says_what_to_do(den: Authority, spoil, sentence: str) -> None:
    spoil(den.folder)
    with pytest.raises(NoAuthority, match=sentence):
        Authority(den.folder, AT_HOME, "den")


def test_one_that_is_at_its_end_says_so(den: Authority, monkeypatch) -> None:
    monkeypatch.setattr(made, "RENEW", timedelta(days=4000))
    with pytest.raises(NoAuthority, match="Remove that folder, start again"):
        Authority(den.folder, AT_HOME, "den")


def test_openssl_reads_it_as_we_meant_it(den: Authority) -> None:
    """And believes it too: another reader of the same words."""
    file, _ = den.vouch_for(AT_HOME)
    ask = ["openssl", "verify", "-CAfile", str(den.folder / "authority.crt"), "-verify_ip", "192.168.1.20"]
    told = subprocess.run([*ask, str(file)], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    text = subprocess.run(
        ["openssl", "x509", "-in", str(den.folder / "authority.crt"), "-noout", "-text"],
        capture_output=True,
        text=True,
    ).stdout
    for words in ("CA:TRUE, pathlen:0", "Name Constraints: critical", "DNS:den.local", "192.168.0.0/255.255"):
        assert words in text.replace("IP:", ""), words


def test_an_iphone_gets_a_profile_and_android_the_certificate(den: Authority) -> None:
    profile = plistlib.loads(den.profile)
    (root,) = profile["PayloadContent"]
    assert root["PayloadType"] == "com.apple.security.root"
    assert x509.load_der_x509_certificate(root["PayloadContent"]) == den.certificate
    assert profile["PayloadUUID"] != root["PayloadUUID"]
    assert plistlib.loads(den.profile) == profile, "installed twice it is one"
    assert x509.load_der_x509_certificate(den.der) == den.certificate
    assert bytes.fromhex(den.fingerprint) == den.certificate.fingerprint(hashes.SHA256())
