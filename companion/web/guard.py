"""What every request passes: who may ask, from where, how often, and in which words it is refused."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from functools import wraps
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Any, TypeVar

from flask import Flask, Response, current_app, jsonify, make_response, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from companion.core import Refused
from companion.games import NoSuchGame
from companion.sittings.play import Closed, Forbidden, NotFound, NotSaved, OtherTap, Play
from companion.storage.store import Store

log = logging.getLogger(__name__)
V = TypeVar("V", bound=Callable[..., ResponseReturnValue])

COOKIE = "phone"
TAP = "sitting.do"  # whose answer a queue reads, not a person
TOKEN = re.compile(r"[0-9a-f]{64}")  # what `Play.token` makes; any other cookie is not of our baking
A_YEAR = 365 * 24 * 3600
GUESSES = 10  # wrong codes a minute from one address; with 30^6 codes that is a guess every few lifetimes
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # join links hold a secret; with no-referrer Origin is null
}


class TakesTooLong(Exception):
    """Who was asked for what takes long gave no answer."""


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


def takes_long(view: V) -> V:
    """Marks a page that computes for more than a few milliseconds; see companion/serving/aside.py."""
    return takes_long_if(lambda **_: True)(view)


def takes_long_if(which: Callable[..., bool]) -> Callable[[V], V]:
    """As `takes_long`, where that depends on the address."""

    def mark(view: V) -> V:
        view.takes_long = which  # type: ignore[attr-defined]
        return view

    return mark


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
    """Counts wrong codes by address, in the database: workers count together, and no restart forgives."""

    def __init__(
        self, store: Store, most: int, seconds: float, clock: Callable[[], float] = time.time
    ) -> None:
        self.store, self.most, self.seconds, self.clock = store, most, seconds, clock
        self._full: dict[str, float] = {}  # until when; whoever hammers on is not looked up again

    def full(self, address: str) -> bool:
        """Ask only about a stranger: whoever is at the table need not wait for this."""
        who, now = counted(address), self.clock()
        if self._full.get(who, 0) > now:
            return True
        try:
            misses = self.store.misses(who, int((now - self.seconds) * 1000), self.most)
        except NotSaved:  # then it cannot say either whether a code is right
            return False
        if len(misses) < self.most:
            return False
        if len(self._full) > 10_000:
            self._full.clear()
        self._full[who] = misses[-1] / 1000 + self.seconds
        return True

    def miss(self, address: str) -> None:
        now = self.clock()
        try:
            self.store.miss(counted(address), int(now * 1000), int((now - self.seconds) * 1000))
        except NotSaved as why:  # the answer is a refusal either way
            log.warning("a wrong code from %s was not counted: %s", address, why)


def counted(address: str) -> str:
    """Whom a miss counts against. A household has a whole /64 of IPv6 addresses, so these count as one."""
    try:
        known = ip_address(address)
    except ValueError:  # a proxy may say anything
        return "".join(letter for letter in address if letter.isprintable())[:64]
    if isinstance(known, IPv4Address):
        return str(known)
    return str(known.ipv4_mapped or IPv6Network((int(known) >> 64 << 64, 64)))


def init_app(app: Flask) -> None:
    app.extensions["throttle"] = Throttle(app.extensions["play"].store, GUESSES, 60)
    app.before_request(check_origin)
    app.before_request(check_guesses)
    app.before_request(refuse_what_was_refused)
    app.before_request(hand_over)
    app.after_request(add_headers)
    app.register_error_handler(Refused, refuse)
    app.register_error_handler(NotSaved, not_saved)
    app.register_error_handler(TakesTooLong, takes_too_long)
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(Exception, our_fault)


def check_origin() -> None:
    """Browsers send Origin with every POST, on plain http too; one from elsewhere is not from our pages."""
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    if not origin_fits(request.headers.get("Origin", ""), request.host):
        raise Forbidden("This came from another page than the table's own, so it was not taken.")


def origin_fits(origin: str, host: str) -> bool:
    return bool(host) and origin.partition("://")[2] == host


def check_guesses() -> None:
    """Whoever guessed too often gets no answer about any code, unless this phone belongs to that table."""
    given = request.view_args or {}
    if "code" not in given or play().welcomes(given["code"], token(), given.get("secret", "")):
        return
    if throttle().full(request.remote_addr or ""):
        raise TooMany("Too many wrong codes. Wait a minute, or scan the QR code instead.")


def refuse_what_was_refused() -> None:
    """On the short road, which has no words for it; see road.py."""
    why: Exception | None = request.environ.get("companion.why_not")
    if why:
        raise why


def hand_over() -> ResponseReturnValue | None:
    """What takes long is not done here if there is somebody beside us to do it, as there is in a server."""
    aside: Callable[[Any], Response] | None = current_app.extensions.get("aside")
    view = current_app.view_functions.get(request.endpoint or "")
    which = getattr(view, "takes_long", None)
    if aside is None or which is None or request.method not in ("GET", "HEAD"):
        return None
    given = request.view_args or {}
    if not which(**given):
        return None
    answer = aside(request.environ)
    if answer.status_code == 404 and "code" in given:
        throttle().miss(request.remote_addr or "")  # all guesses are counted in one place
    return answer


def add_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response


def refuse(why: Refused) -> ResponseReturnValue:
    if isinstance(why, NotFound):
        throttle().miss(request.remote_addr or "")
    kinds = {Forbidden: 403, NotFound: 404, NoSuchGame: 404, OtherTap: 409, Closed: 409, TooMany: 429}
    return say(str(why), kinds.get(type(why), 422))


def not_saved(why: NotSaved) -> ResponseReturnValue:
    log.warning("%s: not saved: %s", _where(), why)
    response = make_response(say(why.sentence, 503))
    response.headers["Retry-After"] = str(why.soon)
    return response


def takes_too_long(why: TakesTooLong) -> ResponseReturnValue:
    log.warning("%s: takes too long: %s", _where(), why)
    response = make_response(say("This takes longer than it should just now. Try again in a moment.", 503))
    response.headers["Retry-After"] = "2"
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
    log.exception("%s: failed: %r", _where(), error, exc_info=error)
    return say("Something broke on our side. Nothing was changed; try again.", 500)


def _where() -> str:
    """For whoever runs the server: what was asked, at which table, at which version. No secret of a link."""
    given = request.view_args or {}
    code, command = given.get("code", ""), given.get("command", "")
    words = f"{request.method} {request.endpoint} {command}".rstrip()
    sitting = play().in_memory(code)
    version = f", version {sitting.version}" if sitting else ""
    return f"{words} at table {code}{version}" if code else words


def say(sentence: str, status: int) -> ResponseReturnValue:
    """One sentence: as JSON for a tap, as a page for a person."""
    if request.endpoint == TAP or request.accept_mimetypes.best == "application/json":
        return jsonify(refused=sentence), status
    return render_template("sentence.html", sentence=sentence, status=status), status
