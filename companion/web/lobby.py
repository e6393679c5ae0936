"""Before the table: the shelf, opening a table, joining one."""

from __future__ import annotations

import os
import secrets
from typing import Any

from flask import (
    Blueprint,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue

from companion.core import Game, Refused, Seat
from companion.core.table import Role
from companion.core.text import named
from companion.games import take
from companion.sittings.opening import Added, has_room, turned_away
from companion.sittings.play import OtherTap, Play, Sitting
from companion.tools.phones import TELEVISION
from companion.web.guard import address, gate, play, remember, token
from companion.web.limits import TooMany
from companion.web.looks import Looks
from companion.web.sitting import chosen_place

bp = Blueprint("lobby", __name__)
Row = dict[str, Any]  # a player on the form that opens a table
MOST_CHIPS = 12
LONG_WORD = 8  # letters that fit beside two other seats on the narrowest phone
OLD_INVITATION = "This invitation is no longer good. Scan the one on the host's screen, or ask to be let in."


@bp.get("/")
def home() -> ResponseReturnValue:
    games, tables = play().games, play().tables_of(token())
    closed = [(games[row.slug], row.code) for row in play().closed_of(token())]
    return render_template("lobby/home.html", games=games.values(), tables=tables, closed=closed)


@bp.get("/knocks")
def knocks() -> ResponseReturnValue:
    """At tables whose host looks at something else just now; at the table itself the stream brings it."""
    there = [(each, play().phone(each, token())) for each in play().tables_of(token()) if not each.ended]
    hosts = [sitting for sitting, phone in there if phone == sitting.table.host]
    return render_template("lobby/_knocks.html", hosts=hosts, once=lambda: secrets.token_urlsafe(24))


@bp.get("/healthz")
def healthz() -> ResponseReturnValue:
    """Of the worker that answers, where there are several."""
    return {"streams": len(current_app.extensions["streams"]), "pid": os.getpid()}


@bp.get("/time")
def clock() -> ResponseReturnValue:
    """What phones set their own counting by: the server's clock, whatever theirs says."""
    return {"now": play().clock()}


# --- opening ---


@bp.get("/open/<slug>")
def players(slug: str) -> ResponseReturnValue:
    game = take(play().games, slug)
    return _players(game, _remembered(game), {})


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
    playing = _playing(form)
    keys = [row["key"] for row in playing]
    starter = form.get("starter", ["lot"])[0]
    return play.open(
        game.slug,
        form.get("tap", [""])[0],
        _seats(playing),
        None if starter == "lot" else keys.index(starter) + 1 if starter in keys else 0,
        [keys.index(key) + 1 for key in form.get("mine", []) if key in keys],
        {rule.id: form.get(f"rule-{rule.id}", [""])[0] for rule in game.house_rules},
        token,
        address,
        to_learn=form.get("played", [""])[0] == "no",
    )


def _players(game: Game[Any], rows: list[Row], form: Any, sentence: str = "") -> str:
    return render_template(
        "lobby/players.html",
        game=game,
        rows=rows,
        form=form,
        sentence=sentence,
        mine=form.getlist("mine") if form else [row["key"] for row in rows if row["mine"]],
        usual=_usual(game),
        tap=secrets.token_urlsafe(32),  # also after a refusal: nothing was kept under the old one
    )


def _seats(rows: list[Row]) -> list[Seat]:
    return [
        Seat(number, named(row["name"]), row["colour"], row["symbol"]) for number, row in enumerate(rows, 1)
    ]


def _rows(form: dict[str, list[str]]) -> list[Row]:
    """Everyone on the form; who plays is ticked, and a form without ticks has only those on it."""
    lists = [form.get(name, []) for name in ("name", "colour", "symbol", "key")]
    rows: list[Row] = [
        dict(zip(("name", "colour", "symbol", "key"), row, strict=True)) for row in zip(*lists, strict=False)
    ]
    return [row | {"plays": "plays" not in form or row["key"] in form["plays"]} for row in rows]


def _playing(form: dict[str, list[str]]) -> list[Row]:
    return [row for row in _rows(form) if row["plays"]]


def _remembered(game: Game[Any]) -> list[Row]:
    """Who was at this phone's tables, the last one's first and ticked: nobody types their family twice."""
    tables = play().tables_of(token())
    last = next((each for each in tables if each.game.slug == game.slug), tables[0] if tables else None)
    rows: dict[str, Row] = {}
    for sitting in [last, *tables] if last else []:
        held = sitting.table.phone(play().phone(sitting, token())).seats
        for seat in sitting.table.seats:
            again = sitting is last and len(rows) < game.seats[-1]
            rows.setdefault(seat.name.casefold(), _row(seat, again, again and seat.id in held))
    return list(rows.values())[:MOST_CHIPS]


def _row(seat: Seat, plays: bool, mine: bool) -> Row:
    look = {"name": seat.name, "colour": seat.colour, "symbol": seat.symbol}
    return look | {"key": secrets.token_hex(4), "plays": plays, "mine": mine}


def _usual(game: Game[Any]) -> dict[str, str]:
    """What this phone's last table of this game had chosen, as far as that can still be chosen."""
    last = next((each for each in play().tables_of(token()) if each.game.slug == game.slug), None)
    chosen = last.table.choices if last else {}
    return {
        rule.id: chosen[rule.id] for rule in game.house_rules if chosen.get(rule.id) in dict(rule.choices)
    }


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
    return _door(sitting, secret, turned_away(sitting.journal, number))


@bp.get("/tv/<code>")
def television(code: str) -> ResponseReturnValue:
    """The same door for a screen that all look at: short enough for a remote control, and no name to type."""
    return _door(play().show(code), "", television=True)


def _door(sitting: Sitting, secret: str, sentence: str = "", television: bool = False) -> str:
    """With an invitation that is no longer good one can still knock."""
    table = sitting.table
    if secret and not sitting.invites(secret):
        secret, sentence = "", sentence or OLD_INVITATION
    colour, symbol = table.free_look()
    free = [seat for seat in table.seats if not table.holder(seat.id)]
    return render_template(
        "lobby/door.html",
        sitting=sitting,
        game=sitting.game,
        secret=secret,
        television=television,
        host=table.who(table.host),
        free=free,
        long_names=any(len(word) > LONG_WORD for seat in free for word in seat.name.split()),
        taken=[seat for seat in table.seats if table.holder(seat.id)],
        adds=has_room(sitting.game, table),
        seat=Seat(0, "", colour, symbol),
        looks=Looks(table),
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
    sits = _sits(form) if secret else None
    _, made = play.join(
        code, form.get("tap", [""])[0], token, secret, _label(form, secret), sits, _adds(form, secret)
    )
    return "table" if sits or _adds(form, secret) else "seat" if secret else "waiting", made


def _label(form: dict[str, list[str]], secret: str) -> str:
    """Who knocks says who they are; a television need not."""
    if "display" in form:
        return TELEVISION
    label = form.get("label", [""])[0]
    return named(label) if label.strip() or not secret else ""


def _adds(form: dict[str, list[str]], secret: str) -> Added | None:
    """Whose name is not there adds it, with a look."""
    name, colour, symbol = (form.get(each, [""])[0] for each in ("newcomer", "colour", "symbol"))
    return Added(named(name), colour, symbol) if secret and "add" in form else None


def _sits(form: dict[str, list[str]]) -> tuple[tuple[int, ...], Role] | None:
    """Where a phone sits down as it comes in: the token that was tapped at the door is the seat."""
    role, seats = chosen_place(form)
    numbers = [int(each) if each.isdecimal() and len(each) < 4 else 0 for each in seats]
    return (tuple(dict.fromkeys(numbers)), role) if role else None
