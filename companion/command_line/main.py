"""The `companion` command."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion import BadSetting, __version__, create_app, settings
from companion.command_line import databases, https
from companion.command_line.greeting import greet, speak_utf8
from companion.serving import logs
from companion.serving.starting import load_quickly, patch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Flask

    from companion.core import Table, Verdict
    from companion.lookup.rooms import Found, HasRulings
    from companion.serving.workers import Leash
    from companion.sittings.play import Play
    from companion.storage.locks import FileLock


def parser() -> argparse.ArgumentParser:
    """All that can be asked; README.md says the same."""
    parser = argparse.ArgumentParser(
        prog="companion", description="A companion for people round a real table."
    )
    parser.add_argument("--version", action="version", version=f"companion {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="serve tables to the phones in this network")
    serve.add_argument("--host", default="0.0.0.0", help="address to listen on (default: all)")
    serve.add_argument("--port", default=8000, type=https.port, help="default: 8000")
    serve.add_argument("--workers", default=1, type=_many, help="processes; more than 1 needs PostgreSQL")
    https.add_options(serve)
    serve.set_defaults(run=_serve)
    databases.add(commands, _databases)
    adjudicate = commands.add_parser("adjudicate", help="say who won, and why, from a tally in JSON")
    adjudicate.add_argument("game", metavar="GAME", help="the last part of its address on the shelf")
    adjudicate.add_argument(
        "file", nargs="?", metavar="FILE", help="the tally; standard input without it, or if it is -"
    )
    adjudicate.add_argument("--json", action="store_true", help="print the verdict as JSON")
    adjudicate.set_defaults(run=_adjudicate)
    rules = commands.add_parser("rules", help="answer a question about the rules")
    rules.add_argument("question", metavar="QUESTION", help="- reads one question per line")
    rules.add_argument("--game", default="", help="the last part of its address on the shelf")
    rules.add_argument("--limit", default=3, type=_limit, help="answers to a question (default: 3)")
    rules.add_argument(
        "--json", action="store_true", help="print one JSON object per question: clear, and answers"
    )
    rules.set_defaults(run=_rules)
    _add_evenings(commands)
    return parser


def main(words: list[str] | None = None) -> int:
    options = parser().parse_args(words)
    load_quickly()
    try:
        status: int = options.run(options)
    except BadSetting as why:
        return _fail(str(why), 2)
    return status


def _add_evenings(commands: Any) -> None:
    history = commands.add_parser("history", help="list the evenings that are over")
    history.add_argument("--json", action="store_true", help="with scores, as JSON")
    history.add_argument("--statistics", action="store_true", help="what they add up to, by game and name")
    history.set_defaults(run=_history)
    export = commands.add_parser("export", help="print a table's journal, scores or BG Stats link")
    export.add_argument("code", metavar="CODE")
    export.add_argument("--format", choices=("json", "csv", "bgstats"), default="json", help="default: json")
    export.set_defaults(run=_export)
    bring = commands.add_parser("import", help="bring back a table from its exported journal")
    bring.add_argument("file", metavar="FILE", help="as JSON; - is standard input")
    bring.set_defaults(run=_import)
    forget = commands.add_parser("forget", help="delete a table with everything in it")
    forget.add_argument("code", metavar="CODE")
    forget.set_defaults(run=_forget)


def _many(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 64:
        raise argparse.ArgumentTypeError(f"{text} is not a number of workers; use 1 to 64")
    return int(text)


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f"{text} is not a number of answers; use 1 to 100")
    return int(text)


def _serve(options: argparse.Namespace) -> int:
    logs.set_up(settings()["LOG"])
    if why := https.cannot_be(options):
        return _fail(why, 2)
    return _serve_alone(options) if options.workers == 1 else _serve_together(options)


def _serve_alone(options: argparse.Namespace, leash: Leash | None = None) -> int:
    """In this process; as one of several where there is a leash."""
    patch()  # before Flask, SQLAlchemy or psycopg are imported
    from companion.net.authority import NoAuthority
    from companion.storage.database import Unusable
    from companion.storage.store import NotSaved

    fail = _say_on(leash) if leash else _fail
    try:
        lock = _serving_lock()
        if not _take(lock):
            return fail("Another server is running on this database. Stop that one first.")
        app = create_app()
        certificate = https.certificate(options, app)
    except (Unusable, BadSetting, NoAuthority) as why:
        return fail(str(why))
    except NotSaved as why:
        return fail(f"The database cannot be written just now: {why}")
    except OSError as why:
        return fail(f"{why.filename} cannot be used: {why.strerror}.")

    from companion.serving.serve import serve

    try:
        if leash:
            leash.wait()
            serve(app, options.host, leash.port, leash=leash)
        else:
            serve(app, options.host, options.port, lambda port: _greet(app, port), certificate=certificate)
    except BadSetting as why:
        return fail(str(why))
    except OSError as why:
        return fail(_no_port(options.port, why))
    return 0


def _serving_lock() -> FileLock:
    """So that nobody restores a backup under our feet, and no second server writes beside us."""
    from companion.storage.locks import serving_lock
    from companion.storage.recovery import file_of

    file = file_of(settings()["DATABASE_URL"])
    if file:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return serving_lock(file)


def _take(lock: FileLock) -> bool:
    try:
        return lock.take()
    except OSError:  # then nothing can be written there, and the database is the one to say so
        return True


def _serve_together(options: argparse.Namespace) -> int:
    from companion.serving.workers import Workers

    config = settings()
    if not hasattr(os, "fork"):
        return _fail("Several workers need Linux or macOS; serve without --workers.")
    if config["DATABASE_URL"].startswith("sqlite"):
        return _fail(
            "Several workers need PostgreSQL: set COMPANION_DATABASE_URL, or serve without --workers."
        )
    try:
        workers = Workers(
            options.host, options.port, options.workers, lambda leash: _serve_alone(options, leash)
        )
    except OSError as why:
        return _fail(_no_port(options.port, why))

    def ready() -> None:
        greet(config["PUBLIC_URL"], workers.port)
        if not config["REDIS_URL"]:
            slow = "Without COMPANION_REDIS_URL, phones at another worker see a tap within two seconds."
            print(f"  {slow}", flush=True)

    return workers.run(ready, _fail)


def _greet(app: Flask, port: int) -> None:
    greet(app.config["PUBLIC_URL"], port, app.extensions["https"])


def _say_on(leash: Leash) -> Callable[[str], int]:
    """Whoever started us says it, once for all."""

    def say(line: str) -> int:
        leash.say(line)
        return 1

    return say


def _no_port(port: int, why: OSError) -> str:
    reason, _, where = str(why.strerror).partition(": ")  # gevent puts the address behind it
    other = re.search(r", (\d+)\D*$", where)
    if other and int(other[1]) != port:
        return f"Port {other[1]} cannot be used: {reason}. Try another: companion serve --https 8444"
    return f"Port {port} cannot be used: {reason}. Try another: make run PORT=8123"


def _databases(options: argparse.Namespace) -> int:
    from companion.storage.database import Unusable

    try:
        answer: str = options.ask(options, settings())
    except Unusable as why:
        return _fail(str(why))
    print(answer)
    return 0


def _adjudicate(options: argparse.Namespace) -> int:
    from companion.core import Refused
    from companion.core.tally import judge
    from companion.games import shelf, take

    games = shelf(settings()["SHELF"])
    try:
        if options.game not in games:
            raise Refused(f"There is no game called {options.game} on the shelf: {', '.join(games)}.")
        named = options.file not in (None, "-")
        read = Path(options.file).read_bytes() if named else sys.stdin.buffer.read()
        verdict, table = judge(take(games, options.game), read.decode("utf-8-sig"))
    except OSError as why:
        return _fail(f"{options.file} cannot be read: {why.strerror}.", 2)
    except UnicodeDecodeError:
        return _fail("The tally is not text in UTF-8.", 2)
    except Refused as why:
        return _fail(str(why), 2)
    speak_utf8()
    print(_as_json(verdict, table) if options.json else _as_text(verdict))
    return 0


def _rules(options: argparse.Namespace) -> int:
    from companion.lookup.rooms import LookUp

    more = settings()["SHELF"]
    games = _rooms_to_search(options.game, more)
    if not games:
        from companion.games import shelf

        return _fail(f"There is no game called {options.game} on the shelf: {', '.join(shelf(more))}.", 2)
    look_up = LookUp(games)
    speak_utf8()
    lines = (
        sys.stdin.buffer if options.question == "-" else [options.question.encode("utf-8", "surrogateescape")]
    )
    for line in lines:
        found = look_up.search(line.decode("utf-8", "replace"), options.game, options.limit)
        print(_answers_as_json(found) if options.json else _answers_as_text(found), flush=True)
    return 0


def _rooms_to_search(game: str, more: list[str]) -> Mapping[str, HasRulings]:
    """To load the rooms takes longer than to answer, so that is done only where nothing is kept of them."""
    from companion.lookup.rooms import keep_rooms, kept_rooms

    known = kept_rooms(more)
    if known and (not game or game in known):
        return {game: known[game]} if game else known
    from companion.games import shelf

    games = shelf(more, game)
    keep_rooms(games, more)
    return games


def _answers_as_json(found: list[Found]) -> str:
    """Not `clear`: they are only the nearest. Two that are `equal` answer about as well."""
    answers = [
        {
            "id": each.ruling.id,
            "game": each.game.slug,
            "title": each.ruling.title,
            "answer": each.answer,
            "status": each.ruling.status,
            "source": each.ruling.source,
            "score": each.score,
            "equal": each.equal,
        }
        for each in found
    ]
    clear = bool(found) and found[0].clear
    return json.dumps({"clear": clear, "answers": answers}, ensure_ascii=False)


def _answers_as_text(found: list[Found]) -> str:
    from companion.core.game import STATUSES

    if not found:
        return "No ruling answers that."
    above = "" if found[0].clear else "No ruling fits that well. The nearest:\n"
    if found[0].clear and found[0].equal:
        above = "Two rulings come about as near:\n"
    return above + "\n".join(
        f"{each.ruling.title} ({each.game.title})\n  {each.answer}\n"
        f"  {STATUSES[each.ruling.status]}: {each.ruling.source}"
        for each in found
    )


def _history(options: argparse.Namespace) -> int:
    from companion.command_line import owner

    tell = owner.statistics if options.statistics else owner.history
    return _answer(lambda play: tell(play, options.json))


def _export(options: argparse.Namespace) -> int:
    from companion.command_line import owner

    return _answer(lambda play: owner.export(play, options.code, options.format))


def _import(options: argparse.Namespace) -> int:
    from companion.command_line import owner

    try:
        read = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
        text = read.decode("utf-8-sig")
    except OSError as why:
        return _fail(f"{options.file} cannot be read: {why.strerror}.", 2)
    except UnicodeDecodeError:
        return _fail("This is not a journal: it is not text in UTF-8.", 2)
    return _answer(lambda play: owner.bring(play, text))


def _forget(options: argparse.Namespace) -> int:
    from companion.command_line import owner

    return _answer(lambda play: owner.forget(play, options.code))


def _answer(ask: Callable[[Play], str]) -> int:
    """One question about this server's evenings; what cannot be is one line and status 2."""
    from companion.command_line import owner
    from companion.storage.store import Damage, NotSaved

    try:
        with owner.evenings(settings()) as play:
            answer = ask(play)
    except owner.Refused as why:
        return _fail(str(why), 2)
    except owner.Unusable as why:
        return _fail(str(why))
    except Damage as why:
        return _fail(str(why))
    except NotSaved as why:
        return _fail(f"The database is busy: {why}. Try again.")
    speak_utf8()
    print(answer)
    return 0


def _as_json(verdict: Verdict, table: Table) -> str:
    fields = {
        "outcome": verdict.outcome,
        "winners": [table.seat(id).name for id in verdict.winners],
        "summary": verdict.summary,
        "steps": [{"text": step.text, "because": step.because} for step in verdict.steps],
    }
    return json.dumps(fields, ensure_ascii=False)


def _as_text(verdict: Verdict) -> str:
    steps = [f"  {step.text}" + (f" [{step.because}]" if step.because else "") for step in verdict.steps]
    return "\n".join([verdict.summary, *steps])


def _fail(line: str, status: int = 1) -> int:
    print(f"companion: {' '.join(line.split())}", file=sys.stderr)
    return status
