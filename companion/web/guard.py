"""What every request passes: who may ask, from where, how often, and in which words it is refused."""

from __future__ import annotations

import logging
import re
import time
from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import Flask, Response, current_app, g, jsonify, make_response, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from companion.core import Refused
from companion.games import NoSuchGame
from companion.play import Forbidden, NotFound, NotSaved, OtherTap, Play

log = logging.getLogger(__name__)
V = TypeVar("V", bound=Callable[..., ResponseReturnValue])

COOKIE = "phone"
TOKEN = re.compile(r"[0-9a-f]{64}")  # what `Play.token` makes; any other cookie is not of our baking
A_YEAR = 365 * 24 * 3600
GUESSES = 10  # wrong codes a minute from one address; with 30^6 codes that is a guess every few lifetimes
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class TooMany(Refused):
    """Slow down."""


def play() -> Play:
    found: Play = current_app.extensions["play"]
    return found


def throttle() -> Throttle:
    found: Throttle = current_app.extensions["throttle"]
    return found


def token() -> str | None:
    found = request.cookies.get(COOKIE, "")
    return found if TOKEN.fullmatch(found) else None


def remember(response: Response, value: str) -> Response:
    """The phone's token, out of reach of scripts and of other sites. `Secure` would be dropped on a LAN."""
    response.set_cookie(
        COOKIE, value, max_age=A_YEAR, httponly=True, samesite="Lax", secure=request.is_secure
    )
    return response


def host_only(view: V) -> V:
    """Marks a route that only the host may use; checked before the view runs."""

    @wraps(view)
    def checked(*args: Any, **kwargs: Any) -> ResponseReturnValue:
        sitting = play().show(kwargs["code"])
        if play().phone(sitting, token()) != sitting.table.host:
            raise Forbidden("Only the host can do that.")
        return view(*args, **kwargs)

    checked.host_only = True  # type: ignore[attr-defined]
    return checked  # type: ignore[return-value]


class Throttle:
    """Counts wrong codes by address, in this process."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.most, self.seconds, self.clock = most, seconds, clock
        self._misses: dict[str, deque[float]] = {}

    def full(self, who: str) -> bool:
        misses = self._misses.get(who)
        return misses is not None and len(misses) >= self.most and misses[0] > self.clock() - self.seconds

    def miss(self, who: str) -> None:
        if len(self._misses) > 10_000:
            self._misses.clear()
        self._misses.setdefault(who, deque(maxlen=self.most)).append(self.clock())


def init_app(app: Flask) -> None:
    app.extensions["throttle"] = Throttle(GUESSES, 60)
    app.before_request(check_origin)
    app.before_request(check_guesses)
    app.after_request(add_headers)
    app.register_error_handler(Refused, refuse)
    app.register_error_handler(NotSaved, not_saved)
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(Exception, our_fault)


def check_origin() -> None:
    """Browsers send Origin with every POST, on plain http too; one from elsewhere is not from our pages."""
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    origin = request.headers.get("Origin", "").partition("://")[2]
    if not origin or origin != request.host:
        raise Forbidden("This came from another page than the table's own, so it was not taken.")


def check_guesses() -> None:
    """Whoever guessed too often gets no answer about any code, unless this phone belongs to that table."""
    given = request.view_args or {}
    if "code" in given and throttle().full(request.remote_addr or ""):
        sitting = play().find(given["code"])
        invited = sitting and sitting.invites(given.get("secret", ""))
        if sitting is None or not (invited or play().known(sitting, token())):
            raise TooMany("Too many wrong codes. Wait a minute, or scan the QR code instead.")


def add_headers(response: Response) -> Response:
    response.headers.setdefault("Content-Security-Policy", POLICY)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = (
        "same-origin"  # join links hold a secret; with no-referrer Origin is null
    )
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response


def refuse(why: Refused) -> ResponseReturnValue:
    if isinstance(why, NotFound):
        throttle().miss(request.remote_addr or "")
    kinds = {Forbidden: 403, NotFound: 404, NoSuchGame: 404, OtherTap: 409, TooMany: 429}
    return say(str(why), kinds.get(type(why), 422))


def not_saved(why: NotSaved) -> ResponseReturnValue:
    log.warning("not saved: %s", why)
    response = make_response(say("Not saved yet: the table's book is busy. It will be tried again.", 503))
    response.headers["Retry-After"] = "1"
    return response


def http_error(error: HTTPException) -> ResponseReturnValue:
    sentences = {
        400: "That request could not be read.",
        404: "There is nothing at this address.",
        405: "That cannot be done here.",
        413: "That is more than a table can take; write less.",
    }
    return say(sentences.get(error.code or 500, error.name + "."), error.code or 500)


def our_fault(error: Exception) -> ResponseReturnValue:
    log.exception("our fault", exc_info=error)
    return say("Something broke on our side. Nothing was changed; try again.", 500)


def say(sentence: str, status: int) -> ResponseReturnValue:
    """One sentence: as JSON for a tap, as a page for a person."""
    if getattr(g, "is_tap", False) or request.accept_mimetypes.best == "application/json":
        return jsonify(refused=sentence), status
    return render_template("sentence.html", sentence=sentence, status=status), status
