"""At the table: the pages, the taps, the stream."""

from __future__ import annotations

import secrets
from functools import lru_cache

from flask import (
    Blueprint,
    Flask,
    Request,
    Response,
    current_app,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.core import Form, Refused, View
from companion.core.refused import refuse_if
from companion.core.table import Role, Table
from companion.net import qr
from companion.net.address import AUTHORITY, lan_addresses, reachable_base_urls
from companion.sittings.play import Sitting, at_the_table
from companion.tools.asking import SILENT
from companion.tools.phones import may_invite
from companion.tools.teaching import SENTENCE, in_thirty_seconds, learning, lessons_of, taught
from companion.web.guard import address, gate, play, takes_long_if, token
from companion.web.looks import Looks
from companion.web.parts import LOG_PAGE, PAGES, Parts, lines
from companion.web.private import whispered
from companion.web.stream import Streams, Wire

bp = Blueprint("sitting", __name__, url_prefix="/s/<code>")


def parts() -> Parts:
    found: Parts = current_app.extensions["parts"]
    return found


def member(code: str) -> tuple[Sitting, int]:
    """The sitting and the number of the phone that asks, if it has been let in."""
    sitting = play().show(code)
    number = play().phone(sitting, token())
    at_the_table(sitting.table, number)
    return sitting, number


# --- pages ---


@bp.before_request
def send_strangers_to_the_door() -> ResponseReturnValue | None:
    """A link to a table that was shared by hand still leads somewhere."""
    code = (request.view_args or {})["code"]
    if request.method != "GET" or request.endpoint in ("sitting.live", "sitting.redraw", "sitting.waiting"):
        return None
    sitting = play().show(code)
    number = play().known(sitting, token())
    if number is None or sitting.table.phone(number).role == "gone":
        return redirect(url_for("lobby.door", code=code))
    if sitting.table.phone(number).role == "waiting":
        return redirect(url_for("sitting.waiting", code=code))
    return None


def draw_page(code: str, page: str, **more: object) -> str:
    sitting, number = member(code)
    return page_for(parts(), sitting, number, page, **more)


def page_for(parts: Parts, sitting: Sitting, phone: int, page: str, **more: object) -> str:
    """All of it, for one phone. Of the request it knows nothing, and needs none."""
    drawing = parts.drawing(sitting, page)
    own = {"drawing": drawing, "me": phone, "page": page, "now": parts.play.clock()}
    own |= {"marks": _marks(sitting.table, phone, page)}
    own |= parts.screen(sitting).seen(sitting)
    shared = parts.app.jinja_env.get_template(f"sitting/{page}.html").render(**own, **more)
    return shared if page == "display" else _for_phone(shared, sitting.table, phone)


def _marks(table: Table, phone: int, page: str) -> str:
    """What the body is told of this phone; the page says so itself whenever that changes (table.js)."""
    host, shows = phone == table.host, page == "display"
    now = {
        "is-host": host,
        "watches": shows or (table.phone(phone).role != "player" and not host),
        "several": not shows and len(table.phone(phone).seats) > 1,
        "learns": not shows and phone in learning(table),
    }
    return "".join(f" {mark}" for mark, holds in now.items() if holds)


def _for_phone(html: str, table: Table, phone: int) -> str:
    """Parts are the same for all; what is this phone's is marked, so that nothing moves when scripts run."""
    whose = (f'data-phone="{phone}"', *(f'data-seat="{seat}"' for seat in table.phone(phone).seats))
    for mark in whose:
        html = html.replace(f" {mark}", f" {mark} data-yours")
    return html


@bp.get("")
def table(code: str) -> ResponseReturnValue:
    sitting, number = member(code)
    if sitting.table.phone(number).role == "display":
        return redirect(url_for("sitting.display", code=code))
    return draw_page(code, "table", private=_private(sitting, number))


def _private(sitting: Sitting, number: int) -> str:
    shared = str(parts().drawing(sitting, "table").parts["private"])
    return parts().screen(sitting).private.put_into(shared, sitting, number)


@bp.get("/display")
def display(code: str) -> ResponseReturnValue:
    return draw_page(code, "display", **_invitation(code))


@bp.get("/people")
def people(code: str) -> ResponseReturnValue:
    return draw_page(code, "people", **_invitation(code))


@bp.get("/log")
def log(code: str) -> ResponseReturnValue:
    """The newest lines; earlier ones are asked for, a hundred at a time, to the first tap of the evening."""
    return draw_page(code, "log", earlier=_earlier(code, play().show(code).version + 1 - LOG_PAGE))


@bp.get("/log/before/<int:version>")
def earlier(code: str, version: int) -> ResponseReturnValue:
    sitting, _ = member(code)
    some = sitting.journal.lines[max(0, version - 1 - LOG_PAGE) : max(0, version - 1)]
    earlier_lines = lines(sitting.journal, some)
    more = _earlier(code, some[0].version if some else 0)
    return render_template("sitting/_earlier.html", lines=earlier_lines, earlier=more)


def _earlier(code: str, version: int) -> str:
    """Where the lines before this one are, if there are any."""
    return url_for("sitting.earlier", code=code, version=version) if version > 1 else ""


@bp.get("/log/<int:version>")
def line(code: str, version: int) -> ResponseReturnValue:
    """One line as it is now, for a page that shows it among the earlier ones."""
    sitting, _ = member(code)
    if not 1 <= version <= sitting.version:
        raise Refused("There is no such line in the log.")
    return lines(sitting.journal, [sitting.journal.lines[version - 1]])[0]


@bp.get("/dice")
def spread(code: str) -> ResponseReturnValue:
    """How the evening's dice fell."""
    return draw_page(code, "dice")


@bp.get("/seat")
def seat(code: str) -> ResponseReturnValue:
    return seat_page(code)


def seat_page(code: str, sentence: str = "") -> str:
    """Whose phone each seat is on, and whether that one is still heard of."""
    sitting, number = member(code)
    now = play().clock()
    silent = {
        phone.number
        for phone in sitting.table.phones
        if now - (sitting.last_heard(phone.number) or now) >= SILENT
    }
    return render_template(
        "sitting/seat.html",
        me=number,
        mine=sitting.table.phone(number).seats,
        silent=silent,
        sentence=sentence,
        tap=secrets.token_urlsafe(24),
        **parts().screen(sitting).seen(sitting),
    )


@bp.post("/seat")
def sit_down(code: str) -> ResponseReturnValue:
    command, wanted = seating(request.form.to_dict(flat=False))
    play().do(code, token(), command, wanted, request.form.get("tap", ""))
    return redirect(url_for("sitting.table", code=code), 303)


def seating(form: dict[str, list[str]]) -> tuple[str, dict[str, list[str]]]:
    """Which tap it is to sit down in this way, and with what."""
    role, seats = chosen_place(form)
    refuse_if(role is None, "Choose a seat first, or just watch.")
    return ("be_display", {}) if role == "display" else ("take_seats", {"seats": seats} if seats else {})


def chosen_place(form: dict[str, list[str]]) -> tuple[Role | None, list[str]]:
    """As what a phone sits down, at the door or on the page of seats, and where, as it was sent."""
    if "display" in form:
        return "display", []
    if "watch" in form:
        return "watcher", []
    seats = form.get("seats", [])
    return "player" if seats else None, seats


@bp.get("/waiting")
def waiting(code: str) -> ResponseReturnValue:
    """Asked again every two seconds by the page itself until the host has decided."""
    sitting = play().show(code)
    number = play().phone(sitting, token())
    role = sitting.table.phone(number).role
    sits = role in ("player", "display")
    here = url_for("lobby.door" if role == "gone" else "sitting.table" if sits else "sitting.seat", code=code)
    if role == "waiting":
        page = "sitting/_waiting.html" if request.headers.get("HX-Request") else "sitting/waiting.html"
        about = {"host": sitting.table.who(sitting.table.host), "game": sitting.game, "title": sitting.title}
        return render_template(page, code=code, **about)
    if request.headers.get("HX-Request"):
        return "", 204, {"HX-Redirect": here}
    return redirect(here)


def _invitation(code: str) -> dict[str, object]:
    sitting, number = member(code)
    return invitation(sitting, number, base_urls(), request.args.get("address", 0, int))


def invitation(sitting: Sitting, phone: int, bases: list[str], picked: int = 0) -> dict[str, object]:
    """QR, code and link: drawn for each request, since the best address depends on the one the host used.

    Whoever only watches does not get them: it is for those who play to ask people in, and for their display.
    """
    table = sitting.table
    if not may_invite(table, phone):
        return {"bases": [], "base": "", "link": "", "qr": "", "watches": True}
    base = bases[picked] if 0 <= picked < len(bases) else bases[0] if bases else ""
    link = f"{base}/j/{sitting.code}/{sitting.invitation}" if base else ""
    picture = Markup(qr.svg(link, f"QR code to join table {sitting.code}")) if link else ""
    return {"bases": bases, "base": base, "link": link, "qr": picture, "watches": False}


def base_urls() -> list[str]:
    """Where other phones find this server, best first."""
    port = int(request.environ.get("SERVER_PORT") or 80)
    return bases_for(current_app, request.host, request.scheme, port, play().clock())


def bases_for(app: Flask, host: str, scheme: str, port: int, now: int) -> list[str]:
    public, https = app.config["PUBLIC_URL"], app.extensions.get("https")
    bases = _bases(public, host, scheme, port, now // 10_000)
    used = AUTHORITY.fullmatch(host)
    if scheme == "https" and https and https.welcomes_plain and used:
        # To whoever does not trust us yet, a browser would show a warning in the place of the table.
        bases = (*_bases(public, f"{used[1]}:{https.plain}", "http", https.plain, now // 10_000), *bases)
    return list(dict.fromkeys(bases))


@lru_cache(20)  # phones of one house write the address in one or two ways
def _bases(public: str | None, host: str, scheme: str, port: int, now: int) -> tuple[str, ...]:
    return tuple(reachable_base_urls(public, host, scheme, port, _lan(now)))


@lru_cache(1)
def _lan(now: int) -> list[str]:
    """Networks change when a laptop is carried about, not from one page to the next."""
    return lan_addresses()


# --- pieces ---


@bp.get("/form/<form>")
def form(code: str, form: str) -> ResponseReturnValue:
    """A form of the room's, for the sheet."""
    sitting, _ = member(code)
    form_open = _find(sitting.view, form)
    return render_template("sitting/_form.html", form=form_open, code=code, game=sitting.game)


def _find(view: View, id: str) -> Form:
    for form in view.every_form:
        if form.id == id:
            return form
    raise Refused("That cannot be changed here any more.")


@bp.get("/chair/<int:id>")
def chair(code: str, id: int) -> ResponseReturnValue:
    """Everything the host can change about one seat, for the sheet."""
    sitting, _ = member(code)
    own = {"seat": sitting.table.seat(id), "looks": Looks(sitting.table, id)}
    return render_template("sitting/_chair.html", code=code, game=sitting.game, **own)


@bp.get("/lessons")
def lessons(code: str) -> ResponseReturnValue:
    """All that the game teaches, for the sheet: what this phone has read, and what not."""
    sitting, number = member(code)
    known, found = taught(sitting.table), lessons_of(sitting.game)
    read = [
        each for each in found if known.has(number, each[0].id) or known.has(number, each[0].id + SENTENCE)
    ]
    own = {"read": read, "unread": [each for each in found if each not in read]}
    wanted = known.wanted(sitting.table.phone(number))
    return render_template("sitting/_lessons.html", code=code, game=sitting.game, wanted=wanted, **own)


@bp.get("/lessons/large")
def thirty(code: str) -> ResponseReturnValue:
    """The game in thirty seconds, for who reads it out."""
    sitting, _ = member(code)
    title, words = in_thirty_seconds(sitting.game)
    return render_template("sitting/_thirty.html", title=title, words=words)


@bp.get("/parts/<page>")
@takes_long_if(lambda page, **_: page in PAGES and PAGES[page].on_request)
def redraw(code: str, page: str) -> ResponseReturnValue:
    """The whole page's parts, for a phone that was away; nothing if it missed nothing."""
    sitting, number = member(code)
    drawing = parts().drawing(sitting, page)
    if request.args.get("version") == str(drawing.version):
        return "", 204
    own = whispered(parts().screen(sitting).private.of(sitting, number)) if page == "table" else ""
    return drawing.whole() + own, {"X-Version": str(drawing.version)}


@bp.get("/live/<page>")
def live(code: str, page: str) -> ResponseReturnValue:
    sitting, number = member(code)
    streams: Streams = current_app.extensions["streams"]
    gate_of = gate()  # the request is over when it is asked
    here = address()
    gate().stream(streams.of(sitting, number), here)
    first, version = streams.first(sitting, page, shown_by(request), number)

    def attach(wire: Wire) -> None:
        wire.closed = gate_of.hears(wire, here)
        streams.attach(code, page, wire, version, number)

    # The server takes the socket over once this first answer is out; see serve.py.
    if request.method == "GET":
        request.environ["companion.stream"] = attach
    return Response(
        iter([streams.hello + first]), mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )


def shown_by(request: Request) -> str:
    """The version that a phone shows already: it says so in the address, and after a break in a header."""
    return request.headers.get("Last-Event-ID", "").rpartition("-")[2] or request.args.get("version", "")


# --- taps ---


@bp.post("/do/<command>")
@bp.post("/host/<command>")  # where a host's taps went once; one may still wait in a phone's queue
def do(code: str, command: str) -> ResponseReturnValue:
    """Who may do what is checked in one place, for all: `core.decide`."""
    form = request.form.to_dict(flat=False)
    receipt = play().do(code, token(), command, form, request.form.get("tap", ""))
    return jsonify(tap=request.form["tap"], version=receipt.version), 201
