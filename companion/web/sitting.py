"""At the table: the pages, the taps, the stream."""

from __future__ import annotations

import secrets

from flask import Blueprint, Response, current_app, g, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion import qr
from companion.address import lan_addresses, reachable_base_urls
from companion.core import Form, Refused, View
from companion.core.command import right
from companion.core.table import COLOURS, SYMBOLS
from companion.play import Forbidden, Sitting, at_the_table
from companion.web.guard import host_only, play, token
from companion.web.parts import Parts
from companion.web.stream import Streams

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
    drawing = parts().drawing(sitting, page)
    own = {"drawing": drawing, "me": number, "page": page, "now": play().clock()}
    return render_template(f"sitting/{page}.html", **drawing.seen, **own, **more)


@bp.get("")
def table(code: str) -> ResponseReturnValue:
    sitting, number = member(code)
    if sitting.table.phone(number).role == "display":
        return redirect(url_for("sitting.display", code=code))
    return draw_page(code, "table")


@bp.get("/display")
def display(code: str) -> ResponseReturnValue:
    return draw_page(code, "display", **_invitation(code))


@bp.get("/people")
def people(code: str) -> ResponseReturnValue:
    return draw_page(code, "people", **_invitation(code))


@bp.get("/log")
def log(code: str) -> ResponseReturnValue:
    """All of it, from the first tap of the evening."""
    return draw_page(code, "log")


@bp.get("/dice")
def spread(code: str) -> ResponseReturnValue:
    """How the evening's dice fell."""
    return draw_page(code, "dice")


@bp.get("/seat")
def seat(code: str) -> ResponseReturnValue:
    sitting, number = member(code)
    mine = sitting.table.phone(number).seats
    return render_template(
        "sitting/seat.html", me=number, mine=mine, tap=secrets.token_urlsafe(24), **parts().seen(sitting)
    )


@bp.post("/seat")
def sit_down(code: str) -> ResponseReturnValue:
    form = request.form.to_dict(flat=False)
    command = "be_display" if "display" in form else "take_seats"
    wanted = {} if "watch" in form or "display" in form else {"seats": form.get("seats", [])}
    if command == "take_seats" and "watch" not in form and not wanted["seats"]:
        raise Refused("Choose a seat first, or just watch.")
    play().do(code, token(), command, wanted, request.form.get("tap", ""))
    return redirect(url_for("sitting.table", code=code), 303)


@bp.get("/waiting")
def waiting(code: str) -> ResponseReturnValue:
    """Asked again every two seconds by the page itself until the host has decided."""
    sitting = play().show(code)
    number = play().phone(sitting, token())
    role = sitting.table.phone(number).role
    here = url_for("lobby.door" if role == "gone" else "sitting.seat", code=code)
    if role == "waiting":
        page = "sitting/_waiting.html" if request.headers.get("HX-Request") else "sitting/waiting.html"
        return render_template(page, code=code, host=sitting.table.who(sitting.table.host), game=sitting.game)
    if request.headers.get("HX-Request"):
        return "", 204, {"HX-Redirect": here}
    return redirect(here)


def _invitation(code: str) -> dict[str, object]:
    """QR, code and link: drawn for each request, since the best address depends on the one the host used."""
    sitting, bases = play().show(code), base_urls()
    picked = request.args.get("address", 0, int)
    base = bases[picked] if 0 <= picked < len(bases) else bases[0] if bases else ""
    link = f"{base}/j/{code}/{sitting.row.secret}" if base else ""
    drawn = Markup(qr.svg(link, f"QR code to join table {code}")) if link else ""
    return {"bases": bases, "base": base, "link": link, "qr": drawn}


def base_urls() -> list[str]:
    """Where other phones find this server, best first."""
    return reachable_base_urls(
        current_app.config["PUBLIC_URL"],
        request.host,
        request.scheme,
        int(request.environ.get("SERVER_PORT") or 80),
        lan_addresses(),
    )


# --- pieces ---


@bp.get("/form/<form>")
def form(code: str, form: str) -> ResponseReturnValue:
    """A form of the room's, for the sheet."""
    sitting, _ = member(code)
    asked = _find(sitting.game.view(sitting.journal.state, None), form)
    return render_template("sitting/_form.html", form=asked, code=code)


def _find(view: View, id: str) -> Form:
    for form in view.every_form:
        if form.id == id:
            return form
    raise Refused("That cannot be changed here any more.")


@bp.get("/chair/<int:id>")
def chair(code: str, id: int) -> ResponseReturnValue:
    """Everything the host can change about one seat, for the sheet."""
    sitting, _ = member(code)
    return render_template(
        "sitting/_chair.html", code=code, seat=sitting.table.seat(id), colours=COLOURS, symbols=SYMBOLS
    )


@bp.get("/parts/<page>")
def redraw(code: str, page: str) -> ResponseReturnValue:
    """The whole page's parts, for a phone that was away; nothing if it missed nothing."""
    sitting, _ = member(code)
    drawing = parts().drawing(sitting, page)
    if request.args.get("version") == str(drawing.version):
        return "", 204
    return drawing.whole(), {"X-Version": str(drawing.version)}


@bp.get("/live/<page>")
def live(code: str, page: str) -> ResponseReturnValue:
    _, number = member(code)
    streams: Streams = current_app.extensions["streams"]
    first, version = streams.first(code, page, request.headers.get("Last-Event-ID", ""))
    # The server takes the socket over once this first answer is out; see serve.py.
    if request.method == "GET":
        request.environ["companion.stream"] = lambda wire: streams.attach(code, page, wire, version, number)
    return Response(iter([first]), mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"})


# --- taps ---


@bp.post("/do/<command>")
def do(code: str, command: str) -> ResponseReturnValue:
    g.is_tap = True
    if right(play().game(code).by_name.get(command)) == "host":
        raise Forbidden("That is for the host, and has an address of its own.")
    return _tap(code, command)


@bp.post("/host/<command>")
@host_only
def do_as_host(code: str, command: str) -> ResponseReturnValue:
    g.is_tap = True
    return _tap(code, command)


def _tap(code: str, command: str) -> ResponseReturnValue:
    form = request.form.to_dict(flat=False)
    receipt = play().do(code, token(), command, form, request.form.get("tap", ""))
    return jsonify(tap=request.form["tap"], version=receipt.version), 201
