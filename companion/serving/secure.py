"""https: the second door of the server. Behind it all is as behind the first, which knows nothing of it.

Whatever serves a phone (handler, lines, streams) uses two faces of its socket: gevent's own, which may wait,
and `_sock` beneath it, which may not. A line over TLS has the same two.
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gevent
from gevent.server import StreamServer

from companion.net.authority import Authority, NoAuthority
from companion.net.hosts import names_of_this_machine
from companion.serving.connections import refusal

if TYPE_CHECKING:
    from companion.serving.serve import Server

log = logging.getLogger(__name__)
LOOK = 10  # seconds; a laptop is carried to another network, or somebody puts a new certificate in place
PLAIN = refusal("400 BAD REQUEST", b"This port speaks https. Write https:// before the address.")
NOT_YET = (ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Beneath:
    """A line over TLS that never waits, told in the words of a plain socket."""

    __slots__ = ("_raw", "_tls")

    def __init__(self, tls: Any, raw: Any) -> None:
        self._tls, self._raw = tls, raw

    def send(self, data: bytes, flags: int = 0) -> int:
        """All of it, some of it, or not yet. After that the same bytes must be sent again, or none."""
        try:
            return int(self._tls.write(data))
        except NOT_YET:
            raise BlockingIOError from None

    def recv(self, most: int, flags: int = 0) -> bytes:
        """Also what is decoded already: of that no watcher would tell. What is read cannot be peeked at; a
        stream is where that is asked for, and there nothing comes but its end."""
        try:
            data = bytes(self._tls.read(most))
            while self._tls.pending():
                data += self._tls.read(self._tls.pending())
        except NOT_YET:
            raise BlockingIOError from None
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
            return b""
        return data

    def pending(self) -> int:
        return int(self._tls.pending())

    def shutdown(self, how: int) -> None:
        self._raw.shutdown(how)

    def close(self) -> None:
        self._raw.close()


class SecureLine:
    """A line over TLS, as the server sees a socket."""

    def __init__(self, line: Any) -> None:
        self._line = line
        self._sock = Beneath(line._sslobj, line._sock)  # noqa: SLF001
        self.recv, self.recv_into, self.sendall = line.recv, line.recv_into, line.sendall
        self.fileno, self.setsockopt, self.close = line.fileno, line.setsockopt, line.close

    def shutdown(self, how: int) -> None:
        """The line, not what is spoken on it: whoever reads hears the end."""
        self._line._sock.shutdown(how)  # noqa: SLF001


class Certificate:
    """What the server shows, and sees to it that it is good: `find` says in which files it is."""

    def __init__(self, find: Callable[[], tuple[Path, Path]]) -> None:
        self._find = find
        self._loaded: tuple[object, ...] = ()
        self._last_warning = ""
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.context.set_alpn_protocols(["http/1.1"])
        self._look()

    def look_again(self) -> None:
        """Whoever is connected stays so; whoever comes from now on is shown what is there now, or, where that
        cannot be used, what was there before."""
        try:
            self._look()
            self._last_warning = ""
        except (OSError, ValueError) as why:
            if str(why) != self._last_warning:  # once is enough, however long it lasts
                log.warning("https goes on with the certificate that it has: %s", why)
            self._last_warning = str(why)

    def _look(self) -> None:
        certificate, key = self._find()
        now = tuple(_stamp(file) for file in (certificate, key))
        if now != self._loaded:
            self.context.load_cert_chain(certificate, key, _no_password)
            self._loaded = now


def _stamp(file: Path) -> tuple[int, int, int]:
    found = file.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino


def _no_password() -> str:
    """Else OpenSSL would ask for it at the terminal, and nobody may be there."""
    raise ValueError("its key is locked with a password")


def own(authority: Authority, more: tuple[str, ...] = ()) -> Certificate:
    """By this machine's own authority, for whatever names and addresses it has just now."""
    left_out: set[str] = set()

    def find() -> tuple[Path, Path]:
        names = {*more, *names_of_this_machine()}
        file, _ = authority.vouch_for(names)
        new = {each for each in names if not authority.covers(each)} - left_out
        if new:
            left_out.update(new)
            log.warning(
                "no https at %s: the authority in %s is not for it", ", ".join(sorted(new)), authority.folder
            )
        return file, file

    return Certificate(find)


def brought(certificate: Path, key: Path) -> Certificate:
    """Somebody's own; what cannot be used is a NoAuthority with a sentence."""
    for file in (certificate, key):
        try:
            file.read_bytes()
        except OSError as why:
            raise NoAuthority(f"{file} cannot be read: {why.strerror}.") from why
    try:
        return Certificate(lambda: (certificate, key))
    except (ssl.SSLError, ValueError) as why:
        locked = f" ({why})" if isinstance(why, ValueError) and not isinstance(why, ssl.SSLError) else ""
        sentence = f"{certificate} and {key} are no certificate in PEM with its key{locked}."
        raise NoAuthority(sentence) from why


class SecureDoor(StreamServer):  # type: ignore[misc]
    """Where phones come in that speak TLS. Once that is agreed on, the server takes them as any other."""

    def __init__(self, listener: Any, server: Server, certificate: Certificate) -> None:
        self.server, self.certificate = server, certificate
        self.backlog = server.backlog
        super().__init__(listener, self.come_in, spawn=server.pool)

    def come_in(self, sock: Any, address: Any) -> None:
        """It counts from its first byte on: who says nothing takes the place of one who would."""
        connections, who = self.server.connections, address[0]
        counted = not self.server.road.proxies.believed(who)
        if counted and not connections.gate.enter(who):
            return
        line = self._agree(sock, connections.limits.head)
        if line is None:
            if counted:
                connections.gate.leave(who)
            return
        secure = SecureLine(line)
        self.server.ahead[secure] = (b"", counted)
        try:
            self.server.handle(secure, address)
        finally:
            if self.server.ahead.pop(secure, None) and counted:  # it was gone before anybody took it up
                connections.gate.leave(who)
            self.server.do_close(secure)

    def _agree(self, sock: Any, seconds: float) -> Any:
        line: Any = None
        try:
            line = self.certificate.context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
            with gevent.Timeout(min(seconds, 3600)):
                line.do_handshake()
            return line
        except (OSError, gevent.Timeout) as why:  # cut off, too slow, or it does not trust us yet
            if line is not None:
                if getattr(why, "reason", "") == "HTTP_REQUEST":
                    with suppress(OSError):
                        line._sock.send(PLAIN)  # noqa: SLF001
                line.close()
            return None
