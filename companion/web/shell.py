"""The shell: what a phone keeps of us, to open while the server is away (static/worker.js).

An edition is all that belongs together: scripts, styles, signs, and the pages that name them. It is called by
what is in it, pages say which one drew them, and a phone never puts two of them together. Browsers keep it
over https and on the server's own machine; on plain http nothing here is asked for.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from flask import Blueprint, Flask, Response, current_app, render_template, request
from flask.typing import ResponseReturnValue

from companion import __version__
from companion.games import folder
from companion.web.assets import Assets
from companion.web.guard import HEADERS

bp = Blueprint("shell", __name__)


class Shell:
    def __init__(self, app: Flask) -> None:
        assets: Assets = app.extensions["assets"]
        static, templates = Path(str(app.static_folder)), Path(str(app.template_folder))
        worker = (static / "worker.js").read_text("utf-8")
        faces = [folder(game) / "faces" for game in app.extensions["play"].games.values()]
        drawn = [file for each in (templates, *faces) for file in sorted(each.rglob("*.html"))]
        made_of = [__version__, worker, *assets.addresses, *(file.read_text("utf-8") for file in drawn)]
        self.edition = hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:10]
        constants = {"EDITION": self.edition, "FILES": assets.addresses, "HEADERS": self.headers}
        self.worker = (
            "".join(f"const {name} = {json.dumps(constants[name])};\n" for name in constants) + worker
        )

    @property
    def headers(self) -> dict[str, str]:
        """As every page has them; a page that is kept is under the same policy."""
        return {**HEADERS, "X-Edition": self.edition}


def init_app(app: Flask) -> None:
    shell = app.extensions["shell"] = Shell(app)
    app.jinja_env.globals["edition"] = shell.edition
    app.extensions["streams"].hello = f"event: edition\ndata: {shell.edition}\n\n".encode()
    app.register_blueprint(bp)
    app.after_request(say_edition)


def say_edition(answer: Response) -> Response:
    if answer.mimetype == "text/html":
        answer.headers["X-Edition"] = current_app.extensions["shell"].edition
    return answer


@bp.get("/shell.js")
def worker() -> ResponseReturnValue:
    """At the top, since it answers for all below it; always asked for, since its name has no version."""
    answer = Response(current_app.extensions["shell"].worker, mimetype="text/javascript")
    answer.headers["Cache-Control"] = "no-cache"
    answer.add_etag()
    return answer.make_conditional(request)


@bp.get("/offline")
def offline() -> ResponseReturnValue:
    """What opens in the place of a page that is not on the phone."""
    return render_template("offline.html")
