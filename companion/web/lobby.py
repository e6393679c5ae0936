"""Before the table: the shelf, opening a table, joining one."""

from __future__ import annotations

import os
import secrets
from typing import Any

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue

from companion.core import Game, Refused, Seat
from companion.core.table import COLOURS, SYMBOLS, Role
from companion.core.text import named
from companion.games import folder, take
from companion.sittings.play import OtherTap, Play, Sitting
from companion.web.guard import address, gate, play, remember, token
from companion.web.limits import TooMany

bp = Blueprint("lobby", __name__)
OLD_INVITATION = "This invitation is no longer good. Scan the one on the host's screen, or ask to be let in."


@bp.get("/")
def home() -> ResponseReturnValue:
    games, tables = play().games, play().tables_of(token())
    closed = [(games[row.slug], row.code) for row in play().closed_of(token())]
    return render_template("lobby/home.html", games=games.values(), tables=tables, closed=closed)


@bp.get("/healthz")
def healthz() -> ResponseReturnValue:
    """Of the worker that answers, where there are several."""
    return {"streams": len(current_app.extensions["streams"]), "pid": os.getpid()}


@bp.get("/time")
def clock() -> ResponseReturnValue:
    """What phones set their own counting by: the server's clock, whatever theirs says."""
    return {"now": play().clock()}


@bp.get("/games/<slug>.css")
def accent(slug: str) -> ResponseReturnValue:
    """One accent per game, and the room's own styles if it has any: no other file knows its colour."""
    game = take(play().games, slug)
    own = folder(game) / "faces" / "style.css"
    css = render_template("lobby/accent.css", game=game) + (own.read_text("utf-8") if own.exists() else "")
    return Response(css, mimetype="text/css", headers={"Cache-Control": "no-cache"})


@bp.get("/games/<slug>/marks.svg")
def marks(slug: str) -> ResponseReturnValue:
    """The room's own signs, each a `<symbol>`."""
    file = folder(take(play().games, slug)) / "faces" / "marks.svg"
    if not file.exists():
        abort(404)
    headers = {"Cache-Control": "no-cache"}
    return Response(file.read_text("utf-8"), mimetype="image/svg+xml", headers=headers)


# --- opening ---


@bp.get("/open/<slug>")
def players(slug: str) -> ResponseReturnValue:
    game = take(play().games, slug)
    return _players(game, _remembered(game.seats), {})


@bp.get("/open/<slug>/seat")
def another_seat(slug: str) -> ResponseReturnValue:
    """One more row for the form, with a look that nobody in it has."""
    take(play().games, slug)
    taken = request.args.getlist("colour"), request.args.getlist("symbol")
    colour, symbol = (
        next((each for each in every if each not in used), every[0])
        for every, used in zip((COLOURS, SYMBOLS), taken, strict=True)
    )
    row = {"name": "", "colour": colour, "symbol": symbol, "key": secrets.token_hex(4)}
    return render_template("lobby/_player.html", row=row, mine=(), new=True)


@bp.post("/open/<slug>")
def open_table(slug: str) -> ResponseReturnValue:
    game = take(play().games, slug)
    form = request.form.to_dict(flat=False)
    try:
        code, made = lay_table(play(), game, form, token(), gate().table(address()))
    except TooMany:
        raise
    except Refused as why:
        status = 409 if isinstance(why, OtherTap) else 422
        return _players(game, _rows(form), request.form, str(why)), status
    return remember(make_response(redirect(url_for("sitting.people", code=code), 303)), made)


def lay_table(
    play: Play, game: Game[Any], form: dict[str, list[str]], token: str | None, address: str = ""
) -> tuple[str, str]:
    """The code of the new table, and the token that the phone which opened it is known by."""
    keys = form.get("key", [])
    starter = form.get("starter", ["lot"])[0]
    return play.open(
        game.slug,
        form.get("tap", [""])[0],
        _seats(form),
        None if starter == "lot" else keys.index(starter) + 1 if starter in keys else 0,
        [keys.index(key) + 1 for key in form.get("mine", []) if key in keys],
        {rule.id: form.get(f"rule-{rule.id}", [""])[0] for rule in game.house_rules},
        token,
        address,
    )


def _players(game: Game[Any], rows: list[dict[str, str]], form: Any, sentence: str = "") -> str:
    return render_template(
        "lobby/players.html",
        game=game,
        rows=rows,
        form=form,
        sentence=sentence,
        mine=form.getlist("mine") if form else [row["key"] for row in rows[:1]],
        names=_known_names(),
        tap=secrets.token_urlsafe(32),  # also after a refusal: nothing was kept under the old one
    )


def _seats(form: dict[str, list[str]]) -> list[Seat]:
    return [
        Seat(number, named(row["name"]), row["colour"], row["symbol"])
        for number, row in enumerate(_rows(form), 1)
    ]


def _rows(form: dict[str, list[str]]) -> list[dict[str, str]]:
    lists = [form.get(name, []) for name in ("name", "colour", "symbol", "key")]
    return [
        dict(zip(("name", "colour", "symbol", "key"), row, strict=True)) for row in zip(*lists, strict=False)
    ]


def _known_names() -> list[str]:
    """Everyone this phone has played with lately."""
    names = [seat.name for sitting in play().tables_of(token()) for seat in sitting.table.seats]
    return sorted(set(names), key=str.casefold)


def _remembered(seats: range) -> list[dict[str, str]]:
    """The people who sat at this phone's last table; nobody types their family twice."""
    last = next(iter(play().tables_of(token())), None)
    people = list(last.table.seats) if last else []
    number = min(max(len(people), seats[0], min(2, seats[-1])), seats[-1])
    rows = []
    for place in range(number):
        known = people[place] if place < len(people) else None
        rows.append(
            {
                "name": known.name if known else "",
                "colour": known.colour if known else COLOURS[place],
                "symbol": known.symbol if known else SYMBOLS[place],
                "key": secrets.token_hex(4),
            }
        )
    return rows


# --- joining ---


@bp.get("/join")
def typed() -> ResponseReturnValue:
    """The code as people type it: any case, with spaces or dashes."""
    code = "".join(c for c in request.args.get("code", "").upper() if c.isalnum())[:12]
    if not code:
        raise Refused("Type the six characters that stand under the QR code.")
    return redirect(url_for("lobby.door", code=code))


@bp.get("/j/<code>", defaults={"secret": ""})
@bp.get("/j/<code>/<secret>")
def door(code: str, secret: str) -> ResponseReturnValue:
    """Names the table; looking changes nothing."""
    sitting = play().show(code)
    number = play().known(sitting, token())
    if number is not None and sitting.table.phone(number).role not in ("gone", "waiting"):
        return redirect(url_for("sitting.table", code=code))
    return _door(sitting, secret)


def _door(sitting: Sitting, secret: str, sentence: str = "") -> str:
    """With an invitation that is no longer good one can still knock."""
    table = sitting.table
    if secret and not sitting.invites(secret):
        secret, sentence = "", sentence or OLD_INVITATION
    return render_template(
        "lobby/door.html",
        sitting=sitting,
        secret=secret,
        host=table.who(table.host),
        free=[seat for seat in table.seats if not table.holder(seat.id)],
        taken=[seat for seat in table.seats if table.holder(seat.id)],
        tap=secrets.token_urlsafe(32),
        sentence=sentence,
    )


@bp.post("/j/<code>", defaults={"secret": ""})
@bp.post("/j/<code>/<secret>")
def join(code: str, secret: str) -> ResponseReturnValue:
    try:
        page, made = come_in(play(), code, secret, request.form.to_dict(flat=False), token())
    except Refused as why:
        if type(why) is not Refused or not secret:
            raise
        return _door(play().show(code), secret, str(why)), 422  # somebody else sat down there meanwhile
    return remember(make_response(redirect(url_for(f"sitting.{page}", code=code), 303)), made)


def come_in(
    play: Play, code: str, secret: str, form: dict[str, list[str]], token: str | None
) -> tuple[str, str]:
    """Where the phone goes next, and the token that it is known by from now on."""
    play.game(code)  # no word about the name at a table that is not there
    label = form.get("label", [""])[0]
    name = named(label) if label.strip() or not secret else ""
    sits = _sits(form) if secret else None
    _, made = play.join(code, form.get("tap", [""])[0], token, secret, name, sits)
    return "table" if sits else "seat" if secret else "waiting", made


def _sits(form: dict[str, list[str]]) -> tuple[tuple[int, ...], Role] | None:
    """Where a phone sits down as it comes in: the token that was tapped at the door is the seat."""
    if "display" in form:
        return (), "display"
    if "watch" in form:
        return (), "watcher"
    seats = [int(each) if each.isdecimal() and len(each) < 4 else 0 for each in form.get("seats", ())]
    return (tuple(dict.fromkeys(seats)), "player") if seats else None
