"""Scripts, styles and the typeface under an address that changes with them: a phone asks for each just once.

The version is part of the path, so that what a script imports, or a style names, beside itself has it too.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from flask import Flask, send_from_directory
from flask.typing import ResponseReturnValue

ONCE = "public, max-age=31536000, immutable"


def init_app(app: Flask) -> None:
    folder = Path(str(app.static_folder))
    ours = _version(folder)

    def versioned(version: str, filename: str) -> ResponseReturnValue:
        """A page that is older than this server gets what there is now, and asks again next time."""
        answer = send_from_directory(folder, filename)
        answer.headers["Cache-Control"] = ONCE if version == ours else "no-cache"
        return answer

    app.add_url_rule("/static/v-<version>/<path:filename>", "versioned", versioned)
    app.jinja_env.globals["assets"] = f"/static/v-{ours}"


def _version(folder: Path) -> str:
    """By what is in them, so that all workers and machines agree."""
    whole = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()[:10]
