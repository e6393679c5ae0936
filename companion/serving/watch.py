"""For whoever watches the server: `/healthz` and `/metrics`, on a port that phones do not know."""

from __future__ import annotations

import json
import logging
import os
import secrets
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gevent.pywsgi import WSGIServer
from sqlmodel import col, delete, insert

from companion import BadSetting, __version__
from companion.serving.meter import LogCounter, Meter, Metric, counter, gauge, histogram, spelled
from companion.storage.database import known_revisions
from companion.storage.rows import KeptRow, NotSaved, Raced

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from flask import Flask

    from companion.net.hosts import Hosts
    from companion.serving.serve import Server
    from companion.sittings.play import Play
    from companion.storage.store import Store

log = logging.getLogger(__name__)
FRESH = 1.0  # seconds that what was found is good for: however often it is asked, the disk is not
TEXT, JSON, PROMETHEUS = "text/plain", "application/json", "text/plain; version=0.0.4; charset=utf-8"


class Watch:
    def __init__(self, app: Flask, server: Server) -> None:
        self.server = server
        self.play: Play = app.extensions["play"]
        self.hosts: Hosts = app.extensions["hosts"]
        self.streams = app.extensions["streams"]
        self.logged = LogCounter()
        self._found: tuple[float, dict[str, str]] = (0.0, {})
        self._listener: Any = None

    def start(self, host: str, port: int) -> None:
        self._listener = WSGIServer((host, port), self, log=None, error_log=log)
        try:
            self._listener.start()
        except OSError as why:
            reason = str(why.strerror).partition(": ")[0]
            raise BadSetting(f"COMPANION_WATCH: port {port} of {host} cannot be used: {reason}.") from why
        logging.getLogger().addHandler(self.logged)

    def close(self) -> None:
        logging.getLogger().removeHandler(self.logged)
        self._listener.stop(timeout=0)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        status, kind, body = self._answer(environ)
        start_response(status, [("Content-Type", kind), ("Cache-Control", "no-store")])
        return [body.encode()]

    def _answer(self, environ: WSGIEnvironment) -> tuple[str, str, str]:
        if not self.hosts.ours(environ.get("HTTP_HOST", "")):
            return "421 MISDIRECTED REQUEST", TEXT, "This server does not go by that name.\n"
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            return "405 METHOD NOT ALLOWED", TEXT, "That cannot be done here.\n"
        path = environ.get("PATH_INFO", "")
        if path == "/healthz":
            health = self.health()
            well = health["status"] == "ok"
            return "200 OK" if well else "503 SERVICE UNAVAILABLE", JSON, json.dumps(health) + "\n"
        if path == "/metrics":
            return "200 OK", PROMETHEUS, spelled(self.metrics())
        return "404 NOT FOUND", TEXT, "Here are /healthz and /metrics.\n"

    def health(self) -> dict[str, Any]:
        until, found = self._found
        if time.monotonic() > until:
            found = tried_out(self.play.store)
            self._found = (time.monotonic() + FRESH, found)
        well = set(found.values()) == {"ok"}
        about = {"version": __version__, "schema": known_revisions()[-1], "pid": os.getpid()}
        return {"status": "ok" if well else "unwell", **found, **about}

    def metrics(self) -> list[Metric]:
        meter: Meter = self.server.meter
        stalls, queues = self.server.stalls, {
            '{of="disk"}': float(self.play.store.queued),
            '{of="requests"}': float(len(self.server.under_way)),
            '{of="pokes"}': float(self.play.live.queued),
        }  # fmt: skip
        refused = {
            f'{{status="{n}"}}': float(many) for n, many in sorted(meter.answers.items()) if n // 100 == 4
        }
        broken = {f'{{status="{n}"}}': float(many) for n, many in sorted(meter.answers.items()) if n >= 500}
        lines = {f'{{level="{level}"}}': float(many) for level, many in self.logged.many.items()}
        return [
            gauge("companion_build_info", "The version that serves.", {f'{{version="{__version__}"}}': 1}),
            counter("companion_taps_total", "Taps that are on disk and answered.", sum(meter.taps)),
            counter("companion_refusals_total", "Answers that say why not, by status.", refused),
            counter("companion_errors_total", "Answers that are our fault, by status.", broken),
            counter("companion_log_lines_total", "Lines that were logged, by level.", lines),
            histogram("companion_tap_seconds", "From a tap to its answer.", meter.taps, meter.seconds),
            gauge("companion_streams", "Phones that listen.", len(self.streams)),
            gauge("companion_tables", "Tables in memory.", self.play.many),
            counter("companion_stalls_total", "Times that all phones waited for over 20 ms.", stalls.total),
            counter("companion_stalled_seconds_total", "How long they did, in all.", stalls.seconds),
            gauge("companion_queue", "What is on its way and not there yet.", queues),
            counter("process_cpu_seconds_total", "Processor time, of user and system.", time.process_time()),
            gauge("process_start_time_seconds", "When this process began to serve.", meter.began),
        ]  # fmt: skip


def tried_out(store: Store) -> dict[str, str]:
    """Whether it can be read, and written: both are done, and the second goes all the way to the disk."""
    found = {"database": "ok", "journal": "ok"}
    try:
        store.all_misses(0)
    except NotSaved as why:
        found["database"] = str(why)
    try:
        with store.writing() as writer:
            writer.connection.execute(delete(KeptRow).where(col(KeptRow.name) == "watched"))
            row = {"name": "watched", "value": secrets.token_hex(8)}
            writer.connection.execute(insert(KeptRow), row)
    except Raced:  # by another worker, which asks the same
        pass
    except NotSaved as why:
        found["journal"] = str(why)
    return found
