"""A companion for people round a real table: phones join by QR, tap what happens, and all phones agree."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from flask import Flask

__version__ = "0.1.0"

T = TypeVar("T")

HERE = Path(__file__).resolve().parent
# In a checkout templates/ and static/ lie beside the package; a wheel carries them inside it.
ROOT = HERE if (HERE / "templates").is_dir() else HERE.parent


class BadSetting(ValueError):
    """What was set cannot be; the text says so in one line."""


def settings() -> dict[str, Any]:
    """What can be set from outside, and what it is otherwise."""
    env = os.environ
    instance = Path(env.get("COMPANION_INSTANCE") or _home()).resolve()
    return {
        "INSTANCE": instance,
        "DATABASE_URL": env.get("COMPANION_DATABASE_URL") or f"sqlite:///{instance / 'companion.sqlite'}",
        "REDIS_URL": env.get("COMPANION_REDIS_URL") or None,
        "PUBLIC_URL": env.get("COMPANION_PUBLIC_URL") or None,
        "SHELF": _folders(env.get("COMPANION_SHELF", "")),
        "GALLERY": env.get("COMPANION_GALLERY", "") == "yes",
        "TRUSTED_PROXIES": _hops(env.get("COMPANION_TRUSTED_PROXIES") or "0"),
        "PROXY_ADDRESSES": env.get("COMPANION_PROXY_ADDRESSES") or "127.0.0.0/8,::1",
        "HOSTS": env.get("COMPANION_HOSTS", "").replace(",", " ").split(),
        "LIMITS": env.get("COMPANION_LIMITS", ""),
        "WATCH": _watch(env.get("COMPANION_WATCH", "")),
        "LOG": _log(env.get("COMPANION_LOG", "")),
    }


def _home() -> Path:
    """Of the database: in a checkout here; where it was installed, where this user's programs keep things."""
    if ROOT != HERE:
        return Path("instance")
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "companion"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "companion"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "companion"


def _folders(text: str) -> list[str]:
    found = [folder for folder in text.split(os.pathsep) if folder]
    for folder in found:
        if not Path(folder).is_dir():
            raise BadSetting(f"COMPANION_SHELF names {folder}, which is no folder.")
    return found


def _watch(text: str) -> tuple[str, int] | None:
    host, _, port = text.rpartition(":")
    if text and not (port.isdecimal() and 0 < int(port) < 65_500):
        raise BadSetting(
            f"COMPANION_WATCH is where to be watched from, such as 9464 or 127.0.0.1:9464; {text!r} is not."
        )
    return (host.strip("[]") or "127.0.0.1", int(port)) if text else None


def _log(text: str) -> str:
    if text not in ("", "text", "json"):
        raise BadSetting(f"COMPANION_LOG is text or json; {text!r} is neither.")
    return text or "text"


def _hops(text: str) -> int:
    if not text.isdecimal() or int(text) > 9:
        raise BadSetting(f"COMPANION_TRUSTED_PROXIES is a number of proxies, such as 1; {text!r} is none.")
    return int(text)


def create_app(overrides: Mapping[str, Any] | None = None) -> Flask:
    """The only place where the parts meet. Imports are in here: gevent must patch before any of them."""
    from companion.storage.database import SERVING
    from companion.storage.store import Store

    config = {**settings(), **(overrides or {})}
    url = config["DATABASE_URL"]
    if url.startswith("sqlite:///"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    reads_only = bool(config.get("READS_ONLY"))  # beside a server, which has prepared it; see aside.py
    store = Store(url, reads_only, SERVING)
    if not reads_only:
        store.prepare(
            check_all=True
        )  # before the rest is loaded: nobody waits for games that could not be kept

    from flask import Flask

    from companion import web
    from companion.games import shelf
    from companion.net.hosts import Hosts, Proxies
    from companion.net.live import Live
    from companion.sittings.play import Play
    from companion.web.limits import Limits

    app = Flask("companion", template_folder=str(ROOT / "templates"), static_folder=str(ROOT / "static"))
    app.config.from_mapping(config)
    limits = _read("COMPANION_LIMITS", lambda: Limits.read(config["LIMITS"]))
    app.extensions["limits"] = limits
    app.extensions["hosts"] = _read(
        "COMPANION_PUBLIC_URL or COMPANION_HOSTS", lambda: Hosts(config["PUBLIC_URL"], config["HOSTS"])
    )
    app.extensions["proxies"] = _read(
        "COMPANION_PROXY_ADDRESSES", lambda: Proxies(config["TRUSTED_PROXIES"], config["PROXY_ADDRESSES"])
    )
    play = Play(
        store,
        _read("COMPANION_REDIS_URL", lambda: Live(config["REDIS_URL"])),
        shelf(app.config["SHELF"]),
        luck=app.config.get("LUCK"),
        alone=False if reads_only else None,
        most=limits.entries,
    )
    web.init_app(app, play)
    return app


def _read(name: str, make: Callable[[], T]) -> T:
    try:
        return make()
    except ValueError as why:
        raise BadSetting(f"{name} cannot be used: {why}.") from why
