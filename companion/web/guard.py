"""What every request passes: who may ask, from where, how often, and in which words it is refused."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import (
    Flask,
    Response,
    current_app,
    has_request_context,
    jsonify,
    make_response,
    render_template,
    request,
)
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, HTTPException

from companion.core import Refused
from companion.games import NoSuchGame
from companion.net.hosts import Hosts
from companion.sittings.play import Closed, Forbidden, NotFound, NotSaved, OtherTap, Play
from companion.web.limits import LINGER, Gate, Limits, Throttle, TooMany

log = logging.getLogger(__name__)
V = TypeVar("V", bound=Callable[..., ResponseReturnValue])

COOKIE = "phone"
TAP = "sitting.do"  # whose answer a queue reads, not a person
LOOK_BACK = ("take_back", "put_back")  # far back in a long journal they take their time, with pauses
TOKEN = re.compile(r"[0-9a-f]{64}")  # what `Play.token` makes; any other cookie is not of our baking
REQUEST_ID = re.compile(r"[\w.-]{8,80}")
A_YEAR = 365 * 24 * 3600
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


def play() -> Play:
    found: Play = current_app.extensions["play"]
    return found


def throttle() -> Throttle:
    found: Throttle = current_app.extensions["throttle"]
    return found


def gate() -> Gate:
    found: Gate = current_app.extensions["gate"]
    return found


def address() -> str:
    return request.remote_addr or ""


def token() -> str | None:
    found = request.cookies.get(COOKIE, "")
    return found if TOKEN.fullmatch(found) else None


def remember(response: Response, value: str) -> Response:
    """The phone's token, out of reach of scripts and of other sites. `Secure` would be dropped on a LAN, and
    where the same machine also speaks plain http it would lock the phone out there; see web/https.py."""
    https = current_app.extensions["https"]
    secure = request.is_secure and (https is None or https.keeps_cookies)
    response.set_cookie(COOKIE, value, max_age=A_YEAR, httponly=True, samesite="Lax", secure=secure)
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


def init_app(app: Flask) -> None:
    limits: Limits = app.extensions["limits"]
    store = app.extensions["play"].store
    app.extensions["gate"] = Gate(limits, store)
    app.extensions["throttle"] = Throttle(store, limits.guesses, 60, in_all=limits.strangers)
    app.before_request(name_request)
    app.before_request(check_query)
    app.before_request(check_host)
    app.before_request(check_origin)
    app.before_request(check_guesses)
    app.before_request(refuse_what_was_refused)
    app.before_request(check_share)
    app.before_request(hand_over)
    app.after_request(add_headers)
    app.register_error_handler(Refused, refuse)
    app.register_error_handler(NotSaved, not_saved)
    app.register_error_handler(TakesTooLong, takes_too_long)
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(Exception, our_fault)


def name_request() -> None:
    """So that what is logged of it can be found; by the name that a proxy has given it, if one has."""
    environ = request.environ
    if "companion.request" in environ:  # it was handed over to us
        return
    given = environ.get("HTTP_X_REQUEST_ID", "")
    through = environ.get("werkzeug.proxy_fix.orig")  # a proxy's word was taken
    believed = through is not None and REQUEST_ID.fullmatch(given)
    environ["companion.request"] = given if believed else secrets.token_hex(8)


def about_request() -> dict[str, Any]:
    """For the log."""
    if not has_request_context():
        return {}
    code = (request.view_args or {}).get("code", "")
    sitting = play().in_memory(code) if code else None
    version = sitting.version if sitting else None
    return {"request": request.environ.get("companion.request"), "table": code, "version": version}


class ElsewheresName(Refused):
    """It was sent to a name that is not ours."""


def check_host() -> None:
    """A browser that was led here under a stranger's name would show that stranger our tables."""
    hosts: Hosts = current_app.extensions["hosts"]
    if "HTTP_HOST" in request.environ and not hosts.ours(request.environ["HTTP_HOST"]):
        raise ElsewheresName(
            "This server does not go by that name. Use the address that it printed when it started,"
            " or add the name to COMPANION_HOSTS."
        )


def check_query() -> None:
    """A browser would have written %FF; bytes that are no text would break whoever reads them."""
    try:
        request.query_string.decode()
    except UnicodeDecodeError as error:
        raise BadRequest from error


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
    if throttle().full(address()):
        gate().send_away(f"codes {address()}", 1)
        raise TooMany("Too many wrong codes. Wait a minute, or scan the QR code instead.", 60)


def check_share() -> None:
    """What the short road has not counted already."""
    given = request.view_args or {}
    code = given.get("code", "")
    mine = token() if code and play().welcomes(code, token()) else None
    if mine and request.endpoint == TAP:
        gate().tap(mine, address(), cost_of(play().version_of(code), given.get("command", "")))
    else:
        gate().page(mine, address(), _dear(given))


def cost_of(version: int, command: str) -> float:
    """A tap is one. What is taken back or put back is folded anew, which takes longer late in an evening."""
    return 1 + version // 2500 if command in LOOK_BACK else 1


def _dear(given: dict[str, Any]) -> float:
    """A page is one; a recap or an export reads a whole journal, and one that is brought has its length."""
    which = getattr(current_app.view_functions.get(request.endpoint or ""), "takes_long", None)
    if which is None or not which(**given):
        return 1
    return 10 + play().version_of(given.get("code", "")) // 200 + (request.content_length or 0) // 20_000


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
        miss()  # all guesses are counted in one place
    return answer


def add_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if response.status_code >= 500:
        response.headers["X-Request-Id"] = request.environ.get("companion.request", "")
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response


KINDS: dict[type[Refused], int] = {
    Forbidden: 403,
    NotFound: 404,
    NoSuchGame: 404,
    OtherTap: 409,
    Closed: 409,
    TooMany: 429,
    ElsewheresName: 421,
}


def refuse(why: Refused) -> ResponseReturnValue:
    if isinstance(why, NotFound):
        miss()
    response = make_response(_in_place(why) or say(str(why), KINDS.get(type(why), 422)))
    if isinstance(why, TooMany):
        response.headers["Retry-After"] = str(why.seconds)
        if "aside" in current_app.extensions:  # in a server, where others go on meanwhile
            time.sleep(LINGER)
    return response


def _in_place(why: Refused) -> ResponseReturnValue | None:
    """Whoever was choosing a seat goes on choosing, and reads why."""
    if request.endpoint != "sitting.sit_down" or type(why) is not Refused:
        return None
    page: Callable[[str, str], str] = current_app.extensions["seat_page"]
    try:
        return page((request.view_args or {})["code"], str(why)), 422
    except Refused:  # nobody chooses a seat here
        return None


def miss() -> None:
    why = throttle().miss(address())
    if why:
        log.warning("a wrong code from %s was not counted: %s", address(), why)


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
