"""A companion for people round a real table: phones join by QR, tap what happens, and all phones agree."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

__version__ = "0.1.0"

HERE = Path(__file__).resolve().parent
# In a checkout templates/ and static/ lie beside the package; a wheel carries them inside it.
ROOT = HERE if (HERE / "templates").is_dir() else HERE.parent


def settings() -> dict[str, Any]:
    """What can be set from outside, and what it is otherwise."""
    env = os.environ
    instance = Path(env.get("COMPANION_INSTANCE", "instance")).resolve()
    return {
        "DATABASE_URL": env.get("COMPANION_DATABASE_URL") or f"sqlite:///{instance / 'companion.sqlite'}",
        "REDIS_URL": env.get("COMPANION_REDIS_URL") or None,
        "PUBLIC_URL": env.get("COMPANION_PUBLIC_URL") or None,
        "SHELF": [folder for folder in env.get("COMPANION_SHELF", "").split(os.pathsep) if folder],
        "GALLERY": env.get("COMPANION_GALLERY", "") == "yes",
        "TRUSTED_PROXIES": int(env.get("COMPANION_TRUSTED_PROXIES") or 0),
    }


def create_app(overrides: Mapping[str, Any] | None = None) -> Flask:
    """The only place where the parts meet. Imports are in here: gevent must patch before any of them."""
    from companion.storage.store import Store

    config = {**settings(), **(overrides or {})}
    url = config["DATABASE_URL"]
    if url.startswith("sqlite:///"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    reads_only = bool(config.get("READS_ONLY"))  # beside a server, which has prepared it; see aside.py
    store = Store(url, reads_only)
    if not reads_only:
        store.prepare(
            check_all=True
        )  # before the rest is loaded: nobody waits for games that could not be kept

    from flask import Flask

    from companion import web
    from companion.games import shelf
    from companion.net.live import Live
    from companion.sittings.play import Play

    app = Flask("companion", template_folder=str(ROOT / "templates"), static_folder=str(ROOT / "static"))
    app.config.from_mapping(config)
    play = Play(
        store,
        Live(app.config["REDIS_URL"]),
        shelf(app.config["SHELF"]),
        luck=app.config.get("LUCK"),
        alone=False if reads_only else None,
    )
    web.init_app(app, play)
    return app
