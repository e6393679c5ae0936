"""Watching it: health and metrics on a port of their own, and a log of one line each."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import sys
import timeit
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from at_the_table import Handset, Serve, Served, companion
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families
from services import free_port
from test_serving import Caller, eventually

from companion import BadSetting, __version__, settings
from companion.serving import logs
from companion.serving.meter import BOUNDS, Meter
from companion.storage.rows import NotSaved

UNDER_WATCH = "127.0.0.1"


def asked(port: int, path: str, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(f"http://{UNDER_WATCH}:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as why:
        return why.code, why.read().decode()


def metrics(port: int) -> dict[str, float]:
    """As Prometheus' own reader has them: name and labels → value."""
    status, text = asked(port, "/metrics")
    assert status == 200
    families = list(text_string_to_metric_families(text))
    assert all(each.documentation for each in families)
    return {
        each.name + "".join(f" {name}={value}" for name, value in sorted(each.labels.items())): each.value
        for family in families
        for each in family.samples
    }


def health(port: int) -> tuple[int, dict[str, Any]]:
    status, text = asked(port, "/healthz")
    return status, json.loads(text)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, int]]:
    port = free_port()
    server = Served(tmp_path_factory.mktemp("watched"), COMPANION_WATCH=str(port), COMPANION_LIMITS="taps=20")
    yield server.start(), port
    if server.process:
        server.kill()


def test_what_happened_is_counted_as_prometheus_reads_it(watched: tuple[Served, int]) -> None:
    server, port = watched
    before = metrics(port)
    assert before["companion_build_info version=" + __version__] == 1
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    stream = ada.listen(code)
    taps = [ada.count(code).status for _ in range(12)]
    assert ada.ask("POST", f"/s/{code}/do/count", {"tap": "no-such-seat", "seat": "77"}).status == 422
    assert ada.ask("GET", "/s/ZZZZZZ").status == 404
    after = metrics(port)

    def more(name: str) -> float:
        return after[name] - before.get(name, 0)

    assert more("companion_taps_total") == taps.count(201) == 12
    assert more("companion_tap_seconds_count") == 12
    assert more("companion_tap_seconds_bucket le=+Inf") == 12
    buckets = [after[f"companion_tap_seconds_bucket le={bound}"] for bound in (*BOUNDS, "+Inf")]
    assert buckets == sorted(buckets)
    assert 0 < more("companion_tap_seconds_sum") < 12 * BOUNDS[-1]
    assert more("companion_refusals_total status=422") == 1
    assert more("companion_refusals_total status=404") == 1
    assert after["companion_streams"] == 1
    assert after["companion_tables"] >= 1
    assert {"companion_queue of=disk", "companion_queue of=requests", "companion_queue of=pokes"} <= set(
        after
    )
    assert {"companion_stalls_total", "companion_stalled_seconds_total"} <= set(after)
    assert {"companion_log_lines_total level=error", "process_cpu_seconds_total"} <= set(after)
    stream.close()

    def left() -> bool:
        """Whoever writes to it notices; where nobody taps, the next heartbeat does (`test_deploy`)."""
        ada.count(code)
        return metrics(port)["companion_streams"] == 0

    eventually(left)
    before = metrics(port)
    hasty = [ada.count(code).status for _ in range(150)].count(429)
    after = metrics(port)
    assert more("companion_refusals_total status=429") == hasty > 0


def test_health_says_which_version_and_that_it_can_be_read_and_written(watched: tuple[Served, int]) -> None:
    server, port = watched
    status, said = health(port)
    assert (status, said["status"], said["database"], said["journal"]) == (200, "ok", "ok", "ok")
    assert said["version"] == __version__
    assert server.process
    assert said["pid"] == server.process.pid


def test_neither_is_on_the_port_that_phones_use(watched: tuple[Served, int], served: Serve) -> None:
    server, port = watched
    for each in (server, served()):
        assert Caller(each.url).ask("GET", "/metrics").status == 404
        said = Caller(each.url).ask("GET", "/healthz").json
        assert said.keys() == {"streams", "pid"}  # that it is there, and nothing of what is in it
    assert asked(port, "/")[0] == 404
    assert asked(port, "/metrics", Host="evil.example")[0] == 421
    assert server.env["COMPANION_WATCH"] == str(port)
    with pytest.raises(OSError, match="refused"):  # and only this machine can ask
        urllib.request.urlopen(f"http://127.0.0.2:{port}/metrics", timeout=5)


def test_what_keeps_a_journal_from_being_written_is_said(served: Serve, tmp_path: Path) -> None:
    port = free_port()
    server = served(COMPANION_WATCH=f"{UNDER_WATCH}:{port}")
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    assert health(port)[0] == 200
    (tmp_path / "companion.sqlite").rename(tmp_path / "gone.sqlite")
    eventually(lambda: health(port)[0] == 503)
    said = health(port)[1]
    assert said["status"] == "unwell"
    assert "deleted or moved away" in said["journal"]
    assert ada.count(code).status == 503
    assert metrics(port)["companion_errors_total status=503"] >= 1


@pytest.mark.postgres
def test_a_database_that_went_away_is_said_and_that_it_is_back(
    served: Serve, postgres_database: str, tmp_path: Path
) -> None:
    import psycopg
    from services import without_driver

    port = free_port()
    server = served(COMPANION_WATCH=str(port), COMPANION_DATABASE_URL=postgres_database)
    assert health(port)[0] == 200
    name = postgres_database.rpartition("/")[2]
    root = f"{without_driver(postgres_database).rpartition('/')[0]}/postgres"
    with psycopg.connect(root, autocommit=True) as database:
        database.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'.encode())
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        eventually(lambda: health(port)[0] == 503)
        said = health(port)[1]
        assert "not currently accepting connections" in said["database"]
        assert said["journal"] != "ok"
        database.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true'.encode())
    eventually(lambda: health(port)[0] == 200)
    assert server.process


@pytest.mark.parametrize("setting", ["yes", "localhost", "127.0.0.1:", "0", "127.0.0.1:99999"])
def test_a_place_to_watch_from_that_cannot_be_is_refused(
    setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANION_WATCH", setting)
    with pytest.raises(BadSetting, match="such as 9464"):
        settings()


def test_a_port_to_watch_from_that_is_taken_is_said_in_one_line(
    watched: tuple[Served, int], tmp_path: Path
) -> None:
    from test_serving import companion as run

    env = {"COMPANION_WATCH": str(watched[1]), "COMPANION_INSTANCE": str(tmp_path)}
    ended = run("serve", "--port", str(free_port()), **env)
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert (
        f"COMPANION_WATCH: port {watched[1]} of 127.0.0.1 cannot be used: Address already in use"
        in ended.stderr
    )


def test_to_count_a_tap_takes_a_hundredth_of_what_the_tap_takes_at_most() -> None:
    """0.47 ms of a processor is what one takes at the fastest (README)."""
    meter, request = Meter(), b"POST /s/K7PQ4M/do/count HTTP/1.1\r\n"
    took = min(timeit.repeat(lambda: meter.answered(201, request, 0.0), number=2000, repeat=20)) / 2000
    assert took < 0.00047 / 100
    assert sum(meter.taps) == 40_000


# --- the log ---


def logged(kind: str, say: Any) -> str:
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    handler.setFormatter(logs.AsJson() if kind == "json" else logs.AsText(logs.FORMAT))
    handler.addFilter(logs.add_request)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        say()
    finally:
        root.removeHandler(handler)
    return said.getvalue()


@pytest.mark.parametrize("kind", ["text", "json"])
def test_a_line_names_the_table_its_version_and_the_request(
    app: Flask, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = Handset(app)
    code = ada.open("Ada", "Bob")
    version = app.extensions["play"].show(code).version

    def full(*_: object) -> None:
        raise NotSaved("the disk is full")

    monkeypatch.setattr(app.extensions["play"].store, "append", full)
    answers = []
    text = logged(kind, lambda: answers.append(ada.count(code)))
    name = answers[0].headers["X-Request-Id"]
    (line,) = text.splitlines()
    if kind == "json":
        told = json.loads(line)
        assert (told["table"], told["version"], told["request"]) == (code, version, name)
        assert (told["level"], told["logger"]) == ("warning", "companion.web.guard")
        assert "the disk is full" in told["message"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]{12}\+00:00", told["at"])
    else:
        assert line.endswith(f"[table={code} version={version} request={name}]")


@pytest.mark.parametrize("kind", ["text", "json"])
def test_what_broke_is_one_line_with_all_that_is_known_of_it(app: Flask, kind: str) -> None:
    def break_down() -> str:
        raise RuntimeError("two\nlines\r\nand 2026-01-01 00:00:00,000 WARNING forged: a third")

    app.add_url_rule("/broken", "broken", break_down)
    text = logged(kind, lambda: Handset(app).get("/broken"))
    (line,) = text.splitlines()
    assert "break_down" in line
    assert "Traceback" in line
    if kind == "json":
        assert "\nRuntimeError: two\nlines" in json.loads(line)["traceback"]


def test_a_proxy_may_name_a_request_and_nobody_else(app: Flask) -> None:
    def fail() -> str:
        raise RuntimeError

    app.add_url_rule("/broken", "broken", fail)
    named = {"X-Request-Id": "given-by-a-stranger"}
    assert Handset(app).get("/broken", headers=named).headers["X-Request-Id"] != "given-by-a-stranger"


def test_a_kind_of_log_that_is_none_is_refused(tmp_path: Path) -> None:
    asked = companion(tmp_path, "history", COMPANION_LOG="xml")
    assert (asked.returncode, asked.stderr) == (
        2,
        "companion: COMPANION_LOG is text or json; 'xml' is neither.\n",
    )


def test_a_server_writes_json_where_that_is_set(served: Serve, tmp_path: Path) -> None:
    server = served(COMPANION_LOG="json")
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    (tmp_path / "companion.sqlite").rename(tmp_path / "gone.sqlite")
    assert ada.count(code).status == 503
    lines = [line for line in server.log().splitlines() if line.startswith("{")]
    told = next(each for each in map(json.loads, lines) if each.get("table") == code)
    assert (told["version"], told["pid"]) == (1, server.process.pid if server.process else 0)
    assert told["request"]
    assert os.environ.get("COMPANION_LOG") is None


def test_a_log_on_a_full_disk_breaks_nothing(served: Serve, tmp_path: Path) -> None:
    """What cannot be said is left unsaid: gevent forgets whose turn it is if it cannot say that one broke."""
    (tmp_path / "serve.log").symlink_to("/dev/full")
    server = served()
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    assert [ada.count(code).status for _ in range(3)] == [201] * 3


def test_a_server_says_what_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full").open("w", buffering=1)  # noqa: SIM115  to close it fails too
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, full)
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    logs.set_up("text")
    print("to nobody", flush=True)
    print("to nobody", file=sys.stderr, flush=True)
    with suppress(OSError):  # nor can the rest be said
        full.close()
