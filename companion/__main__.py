"""The `companion` command."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from companion import __version__, create_app, settings


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="companion", description="A companion for people round a real table."
    )
    parser.add_argument("--version", action="version", version=f"companion {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="serve tables to the phones in this network")
    serve.add_argument("--host", default="0.0.0.0", help="address to listen on (default: all)")
    serve.add_argument("--port", default=8000, type=_port, help="default: 8000")
    serve.set_defaults(run=_serve)
    backup = commands.add_parser("backup", help="copy the database, also while tables are being played")
    backup.add_argument("file", type=Path, metavar="FILE")
    backup.set_defaults(run=_backup)
    asked = parser.parse_args(words)
    status: int = asked.run(asked)
    return status


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port; use a number up to 65535")
    return int(text)


def _serve(asked: argparse.Namespace) -> int:
    from gevent import monkey

    monkey.patch_all()  # before Flask, SQLAlchemy or psycopg are imported, or they would block every phone
    from companion.database import Unusable
    from companion.serve import serve
    from companion.store import NotSaved

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        app = create_app()
    except Unusable as why:
        return _fail(str(why))
    except NotSaved as why:
        return _fail(f"The database cannot be written just now: {why}")
    except OSError as why:
        return _fail(f"{why.filename} cannot be used: {why.strerror}.")
    try:
        serve(app, asked.host, asked.port, lambda port: _greet(app.config["PUBLIC_URL"], port))
    except OSError as why:
        reason = str(why.strerror).partition(": ")[0]  # gevent puts the address behind it
        return _fail(f"Port {asked.port} cannot be used: {reason}. Try another: make run PORT=8123")
    return 0


def _greet(public_url: str | None, port: int) -> None:
    from companion.address import lan_addresses, reachable_base_urls
    from companion.qr import text

    urls = reachable_base_urls(public_url, "", "http", port, lan_addresses())
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    if not urls:
        print("No address that a phone could reach was found. Set COMPANION_PUBLIC_URL to one that works.")
    else:
        print(text(urls[0]))
        print(f"\n  On your phone:      {urls[0]}")
        for url in urls[1:]:
            print(f"  or                  {url}")
    print(f"  On this machine:    http://localhost:{port}\n\n  Stop with Ctrl+C.", flush=True)


def _backup(asked: argparse.Namespace) -> int:
    from companion.database import Unusable, back_up

    try:
        back_up(settings()["DATABASE_URL"], asked.file)
    except Unusable as why:
        return _fail(str(why))
    print(f"Saved to {asked.file}")
    return 0


def _fail(line: str) -> int:
    print(f"companion: {' '.join(line.split())}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
