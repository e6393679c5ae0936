"""What whoever runs the server can do with all of its database: backup, restore, move."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

Settings = dict[str, Any]


def add(commands: Any, run: Callable[[argparse.Namespace], int]) -> None:
    """`run` calls `options.ask`, and has a line for what cannot be."""
    saves = commands.add_parser("backup", help="copy the database, also while tables are being played")
    saves.add_argument("path", type=Path, metavar="PATH", help="a file; in a folder it gets a name by date")
    saves.add_argument("--keep", type=_keep, metavar="N", help="a folder; keep its newest N backups")
    saves.set_defaults(run=run, ask=backup)
    restores = commands.add_parser("restore", help="put a backup in the place of the database")
    restores.add_argument("path", type=Path, metavar="PATH", help="a backup; of a folder, its newest")
    restores.set_defaults(run=run, ask=restore)
    moves = commands.add_parser("move", help="copy everything to another database, SQLite or PostgreSQL")
    moves.add_argument("url", metavar="URL", help="of an empty one, as COMPANION_DATABASE_URL has it")
    moves.set_defaults(run=run, ask=move)


def _keep(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text} is not a number of backups; use 1 to 10000")
    return int(text)


def backup(options: argparse.Namespace, settings: Settings) -> str:
    from companion.storage.moving import save

    return f"Saved to {save(settings['DATABASE_URL'], options.path, options.keep)}"


def restore(options: argparse.Namespace, settings: Settings) -> str:
    from companion.storage.moving import bring_back

    file, kept = bring_back(settings["DATABASE_URL"], options.path, settings["INSTANCE"])
    return f"Restored from {file}." + (f" What was there before is kept as {kept}" if kept else "")


def move(options: argparse.Namespace, settings: Settings) -> str:
    from companion.core.text import counted
    from companion.storage import moving

    rows = moving.move(settings["DATABASE_URL"], options.url)
    many = f"{counted(rows['sitting'], 'table')} with {rows['entry']} entries"
    next_step = "Set COMPANION_DATABASE_URL to it, and start the server."
    return f"Moved {many} to {moving.spoken(options.url)}. {next_step}"
