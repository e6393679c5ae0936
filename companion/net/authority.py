"""A certificate authority of this machine's own, for https at home.

Phones trust it once; then they trust this server under every address it comes to have. It is made once, kept
beside the database, and good for little else: it may vouch for this machine's own names, and for addresses
that only a home network has. Those change, as when a router gives a laptop another one, so they are not in
the authority one by one; what the server shows is, and is made anew when there are others.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING

from companion.net.address import LABEL

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes

FOLDER = "authority"
KEY, CERTIFICATE = "authority.key", "authority.crt"
SERVER = "server.pem"  # its key and its certificate in one file, so that the two always fit
TEN_YEARS = timedelta(days=3652)
A_YEAR = timedelta(days=397)  # phones believe no server's certificate that is good for much longer
RENEW = timedelta(days=30)  # before its end
SKEW = timedelta(days=1)  # by which a phone's clock may be wrong
Network = IPv4Network | IPv6Network
#: No machine of the internet has these: private ones, those of a cable between two, this machine's own.
HOME: tuple[Network, ...] = tuple(
    map(
        ip_network,
        (
            "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "127.0.0.0/8",
            "fc00::/7", "fe80::/10", "::1/128",
        ),
    )
)  # fmt: skip
ALWAYS = ("localhost", "127.0.0.1", "::1")


class NoAuthority(Exception):
    """What is kept cannot be used; the text says so in one line."""


class Authority:
    """Made on first use. `names` are what this machine goes by and has as addresses, at that moment."""

    def __init__(self, folder: Path, names: Iterable[str], machine: str) -> None:
        self.folder = folder
        if not (folder / CERTIFICATE).exists():
            _found(folder, names, machine)
        self._read()

    def _read(self) -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        try:
            self.certificate = x509.load_pem_x509_certificate((self.folder / CERTIFICATE).read_bytes())
            key = load_pem_private_key((self.folder / KEY).read_bytes(), None)
        except OSError as why:
            raise NoAuthority(f"{why.filename} cannot be read: {why.strerror}.") from why
        except (ValueError, TypeError) as why:
            raise NoAuthority(self._anew("is damaged")) from why
        if key.public_key() != self.certificate.public_key():
            raise NoAuthority(self._anew("has a key that is not its own"))
        if self.certificate.not_valid_after_utc < datetime.now(UTC) + RENEW:
            raise NoAuthority(self._anew("has come to its end"))
        self._key: CertificateIssuerPrivateKeyTypes = key  # type: ignore[assignment]
        self._dns, self._networks = _permitted(self.certificate)

    def _anew(self, what: str) -> str:
        return (
            f"The authority in {self.folder} {what}. Remove that folder, start again, and let every phone"
            " trust the new one."
        )

    # --- what phones are given ---

    @property
    def name(self) -> str:
        from cryptography.x509.oid import NameOID

        return str(self.certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)

    @property
    def fingerprint(self) -> str:
        """As phones show it, so that two people can compare: what came over plain http may be another's."""
        from cryptography.hazmat.primitives.hashes import SHA256

        return self.certificate.fingerprint(SHA256()).hex(" ", 2).upper()

    @property
    def der(self) -> bytes:
        """As Android and computers take it."""
        from cryptography.hazmat.primitives.serialization import Encoding

        return self.certificate.public_bytes(Encoding.DER)

    @property
    def profile(self) -> bytes:
        """As an iPhone takes it. Installed twice it is still one."""
        import plistlib
        import uuid

        digest = self.fingerprint.replace(" ", "").lower()
        payload = {
            "PayloadType": "com.apple.security.root",
            "PayloadVersion": 1,
            "PayloadIdentifier": f"companion.{digest[:16]}.root",
            "PayloadUUID": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{digest} root")).upper(),
            "PayloadDisplayName": self.name,
            "PayloadContent": self.der,
        }
        return plistlib.dumps(
            {
                "PayloadType": "Configuration",
                "PayloadVersion": 1,
                "PayloadIdentifier": f"companion.{digest[:16]}",
                "PayloadUUID": str(uuid.uuid5(uuid.NAMESPACE_OID, digest)).upper(),
                "PayloadDisplayName": self.name,
                "PayloadDescription": "Lets this phone trust the companion on one computer at home.",
                "PayloadContent": [payload],
            }
        )

    # --- what the server shows ---

    def covers(self, name: str) -> bool:
        address = _address(name)
        if address is not None:
            return any(address in network for network in self._networks)
        return any(name == own or name.endswith(f".{own}") for own in self._dns)

    def vouch_for(self, names: Iterable[str]) -> tuple[Path, bool]:
        """The file that the server shows under these names, and whether it had to be made anew."""
        wanted = {name for name in _sound((*ALWAYS, *names)) if self.covers(name)}
        file = self.folder / SERVER
        if wanted <= self._vouched_for(file):
            return file, False
        _write(file, self.issue(sorted(wanted)))
        return file, True

    def _vouched_for(self, file: Path) -> set[str]:
        """Nothing, if it is not ours, or soon over."""
        from cryptography import x509
        from cryptography.exceptions import InvalidSignature

        try:
            shown = x509.load_pem_x509_certificate(file.read_bytes())
            shown.verify_directly_issued_by(self.certificate)
        except (OSError, ValueError, TypeError, InvalidSignature):
            return set()
        if shown.not_valid_after_utc < datetime.now(UTC) + RENEW:
            return set()
        return names_on(shown)

    def issue(self, names: list[str]) -> bytes:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.serialization import Encoding
        from cryptography.x509.oid import ExtendedKeyUsageOID

        key = new_key()
        until = min(datetime.now(UTC) + A_YEAR - SKEW, self.certificate.not_valid_after_utc)
        shown = (
            _begun(key, f"{self.name}: server", self.certificate.subject, until)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(digital_signature=True), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName([_alternative(each) for each in names]), False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.certificate.public_key()),  # type: ignore[arg-type]
                critical=False,
            )
            .sign(self._key, hashes.SHA256())
        )
        return _as_pem(key) + shown.public_bytes(Encoding.PEM)


def names_on(shown: x509.Certificate) -> set[str]:
    """Under which it may be shown."""
    from cryptography import x509

    try:
        listed = shown.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    return {str(each.value) for each in listed}


# --- how it is made ---


def _found(folder: Path, names: Iterable[str], machine: str) -> None:
    """All of it or nothing: it comes into its place as a whole."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.serialization import Encoding

    key = new_key()
    name = f"Companion on {machine}"[:64]
    made = (
        _begun(key, name, None, datetime.now(UTC) + TEN_YEARS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(key_cert_sign=True, crl_sign=True), critical=True)
        .add_extension(x509.NameConstraints(list(_only_for(names)), None), critical=True)
        .sign(key, hashes.SHA256())
    )
    aside = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        aside.mkdir(mode=0o700, parents=True)
        _write(aside / KEY, _as_pem(key))
        _write(aside / CERTIFICATE, made.public_bytes(Encoding.PEM))
        with suppress(FileNotFoundError):
            folder.rmdir()  # if it is there, it is empty
        aside.rename(folder)
    except OSError as why:
        raise NoAuthority(f"{why.filename} cannot be written: {why.strerror}.") from why


def _only_for(names: Iterable[str]) -> Iterator[x509.GeneralName]:
    """This machine's names, and addresses at home; one that it has elsewhere is named by itself."""
    from cryptography import x509

    for network in HOME:
        yield x509.IPAddress(network)
    for name in dict.fromkeys(_sound((*ALWAYS, *names))):
        address = _address(name)
        if address is None:
            yield x509.DNSName(name)
        elif not any(address in network for network in HOME):
            yield x509.IPAddress(ip_network(address))


def _permitted(authority: x509.Certificate) -> tuple[set[str], list[Network]]:
    from cryptography import x509

    only = authority.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or []
    names = {str(each.value) for each in only if isinstance(each, x509.DNSName)}
    values = [each.value for each in only if isinstance(each, x509.IPAddress)]
    return names, [each for each in values if isinstance(each, IPv4Network | IPv6Network)]


def _sound(names: Iterable[str]) -> Iterator[str]:
    """In the way that a certificate spells them; what is none is left out."""
    for name in names:
        address = _address(name)
        if address is not None:
            yield str(address)
        elif name and all(LABEL.fullmatch(label) for label in name.split(".")):
            yield name
            if "." not in name and name not in ALWAYS and not re.fullmatch("[0-9]+", name):
                yield f"{name}.local"  # as the machine is called where nobody keeps a list of names


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(name)
    except ValueError:
        return None
    return None if found.is_unspecified or found.is_multicast else found


def _begun(
    key: EllipticCurvePrivateKey, name: str, issuer: x509.Name | None, until: datetime
) -> x509.CertificateBuilder:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer or subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - SKEW)
        .not_valid_after(until)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(
    digital_signature: bool = False, key_cert_sign: bool = False, crl_sign: bool = False
) -> x509.KeyUsage:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=digital_signature,
        key_cert_sign=key_cert_sign,
        crl_sign=crl_sign,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _alternative(name: str) -> x509.GeneralName:
    from cryptography import x509

    address = _address(name)
    return x509.DNSName(name) if address is None else x509.IPAddress(address)


def new_key() -> EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _as_pem(key: EllipticCurvePrivateKey) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _write(file: Path, text: bytes) -> None:
    """Readable by its owner alone from its first byte on, and never half written."""
    aside = file.with_name(f"{file.name}.{os.getpid()}")
    aside.unlink(missing_ok=True)
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    aside.replace(file)
