"""What is logged: one line each, with the table, its version and the request that it is about."""

from __future__ import annotations

import io
import json
import logging
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TextIO

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
ABOUT = ("table", "version", "request")


def set_up(kind: str) -> None:
    sys.stdout, sys.stderr = Unfailing(sys.stdout), Unfailing(sys.stderr)
    handler = logging.StreamHandler()
    handler.setFormatter(AsJson() if kind == "json" else AsText(FORMAT))
    handler.addFilter(add_request)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class Unfailing(io.TextIOBase):
    """For a server, whose log may lie on a disk that is full: what cannot be said is left unsaid. gevent must
    be able to say that a greenlet broke; where that fails, it forgets others whose turn it was, and they are
    never answered."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str, /) -> int:
        with suppress(OSError):
            self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self.stream.flush()

    def fileno(self) -> int:
        return self.stream.fileno()

    def isatty(self) -> bool:
        return self.stream.isatty()


def add_request(record: logging.LogRecord) -> bool:
    """What is logged while a request is answered is about that, and about its table."""
    guard = sys.modules.get("companion.web.guard")  # not imported here: gevent must patch before it is
    if guard:
        for name, value in guard.about_request().items():
            if not hasattr(record, name):
                setattr(record, name, value)
    return True


def about(record: logging.LogRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in ABOUT if getattr(record, name, None) not in (None, "")}


class AsText(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        facts = " ".join(f"{name}={value}" for name, value in about(record).items())
        return _one_line(f"{text} [{facts}]" if facts else text)


class AsJson(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        facts = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **about(record),
            "pid": record.process,
        }
        if record.exc_info:
            facts["traceback"] = self.formatException(record.exc_info)
        return json.dumps(facts, ensure_ascii=False)


def _one_line(text: str) -> str:
    """What somebody sent may hold the end of a line, and what follows would look like a line of ours."""
    return text.replace("\r", "\\r").replace("\n", "\\n")
