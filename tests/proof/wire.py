"""One end of a wire that anything can be sent over, from many addresses."""

from __future__ import annotations

import http.client
import random
import re
import socket

from fuzzing import Request

PATIENCE = 60  # seconds; whoever is not answered by then hangs, however busy the machine is
LINE = 25  # requests on one connection; the next one comes from another address


class Wire:
    """To the server from now this and now that address: all of 127.0.0.0/8 is this machine."""

    def __init__(self, url: str, chance: random.Random) -> None:
        self.host, self.chance, self.asked = url.removeprefix("http://"), chance, 0
        self.line = self._another()

    def _another(self) -> http.client.HTTPConnection:
        self.source = (f"127.{self.chance.randint(1, 250)}.{self.chance.randint(0, 250)}.9", 0)
        return http.client.HTTPConnection(self.host, timeout=PATIENCE, source_address=self.source)

    def ask(self, request: Request) -> tuple[int, str]:
        """The status, 0 if the server hung up; and what it said, but of a stream only that it is one."""
        self.asked += 1
        if self.asked % LINE == 0:
            self.hang_up()
        try:
            self.line.putrequest(_plain(request.method), _plain(request.path), skip_accept_encoding=True)
            for name, value in request.headers.items():
                self.line.putheader(name, value.encode("latin-1", "replace"))
            if request.body or request.method == "POST":
                self.line.putheader("Content-Length", str(len(request.body)))
            self.line.endheaders(request.body or None)
            answer = self.line.getresponse()
            if answer.headers.get_content_type() == "text/event-stream":
                answer.close()
                self.hang_up()
                return answer.status, ""
            return answer.status, answer.read().decode("utf-8", "replace")
        except TimeoutError:
            raise
        except (http.client.HTTPException, OSError):
            self.hang_up()
            return 0, ""

    def say(self, raw: bytes) -> tuple[int, str]:
        """Bytes, and no more of them; then whatever comes back."""
        host, _, port = self.host.partition(":")
        try:
            with socket.create_connection((host, int(port)), PATIENCE, self.source) as line:
                line.sendall(raw)
                line.shutdown(socket.SHUT_WR)
                heard = _all_of(line)
        except TimeoutError:
            raise
        except OSError:
            return 0, ""
        status = re.match(rb"HTTP/1\.[01] (\d{3}) ", heard)
        return int(status[1]) if status else 0, heard.decode("utf-8", "replace")

    def hang_up(self) -> None:
        self.line.close()
        self.line = self._another()


def _plain(text: str) -> str:
    """What http.client lets through; what it does not is for `say`."""
    return re.sub(r"[^!-~]", "_", text) or "_"


def _all_of(line: socket.socket) -> bytes:
    """Of a stream, which never ends, only how it begins."""
    heard = b""
    while b"text/event-stream" not in heard and (more := line.recv(65536)):
        heard += more
    return heard
