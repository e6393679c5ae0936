"""A hostile phone, from an address of its own: sends one request again and again, on many lines at once.

    python hostile_phone.py 8000 100 keep|once|half < request

It is a process of its own, so that the phones it is let loose on do not share their interpreter with it. When
its standard input ends, it prints how often it was answered with which status.
"""

from __future__ import annotations

from gevent import monkey

monkey.patch_all()

import json  # noqa: E402
import re  # noqa: E402
import secrets  # noqa: E402
import socket  # noqa: E402
import sys  # noqa: E402
from collections import Counter  # noqa: E402

import gevent  # noqa: E402

ADDRESS = "127.0.0.2"  # all of 127.0.0.0/8 is this machine, and the victim is 127.0.0.1
LENGTH = re.compile(rb"\r\nContent-Length: (\d+)\r\n", re.IGNORECASE)
answers: Counter[str] = Counter()


def attack(port: int, request: str, how: str) -> None:
    """`keep`: over a line that stays; `once`: a new line for each; `half`: a line that is never let go."""
    kept: list[socket.socket] = []
    while True:
        try:
            line = socket.create_connection(("127.0.0.1", port), 10, (ADDRESS, 0))
            kept = [*kept, line] if how == "half" else [line]
            while True:
                line.sendall(request.replace("TAP", secrets.token_hex(8)).encode())
                if how == "half":
                    answers["held"] += 1
                    break
                answers[status(line)] += 1
                if how == "once":
                    break
            gevent.sleep(0.01 if how == "half" else 0)
        except (OSError, ValueError):
            answers["cut off"] += 1
            gevent.sleep(0.01)


def status(line: socket.socket) -> str:
    """Of the next answer, all of which is read; of a stream only its first bytes."""
    heard = b""
    while b"\r\n\r\n" not in heard:
        got = line.recv(65536)
        if not got:
            raise ValueError("cut off")
        heard += got
    head, _, body = heard.partition(b"\r\n\r\n")
    found = LENGTH.search(head + b"\r\n")
    left = int(found[1]) - len(body) if found else 0
    while left > 0 and (got := line.recv(65536)):
        left -= len(got)
    return head.split(b" ", 2)[1].decode()


def main(port: int, lines: int, how: str, request: str) -> None:
    for _ in range(lines):
        gevent.spawn(attack, port, request, how)
    gevent.get_hub().threadpool.apply(sys.stdin.read)  # until whoever started us has seen enough
    print(json.dumps(answers))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], json.loads(sys.stdin.readline()))
