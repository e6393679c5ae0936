"""The evenings this phone was at, and what they add up to."""

from __future__ import annotations

import secrets

from flask import Blueprint, Response, current_app, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.core import Refused
from companion.evenings.archive import Copy, put, read_evening
from companion.evenings.history import History, games, players
from companion.evenings.recap import Recap
from companion.games import take
from companion.sittings.play import PAUSE
from companion.sittings.sitting import hash_of
from companion.web.charts import bar_chart, history_chart
from companion.web.guard import address, gate, play, remember, takes_long, token

bp = Blueprint("history", __name__, url_prefix="/history")
MOST_BARS = 10
MOST_BYTES = 2 * 1024 * 1024  # of a journal that is brought: an evening of several thousand taps


def history() -> History:
    found: History = current_app.extensions["history"]
    return found


def evenings() -> list[Recap]:
    """Only those that this phone was at."""
    return history().of_phone(token())


@bp.get("")
@takes_long
def everything() -> ResponseReturnValue:
    return _everything()


def _everything(sentence: str = "") -> str:
    mine = evenings()
    shown = {"evenings": mine, "closed": history().closed_of(token()), "games": games(mine)}
    minutes = sum(each.minutes for each in mine)
    return render_template("history/all.html", sentence=sentence, minutes=minutes, **shown, **_people(mine))


# --- an evening from elsewhere ---


@bp.post("/bring")
@takes_long
def bring() -> ResponseReturnValue:
    """The second process reads it, which takes long; we write down what it found, as this phone's own.

    Marks of other phones in the file are left out: nobody's history gets longer by another's file. Nor is
    this phone let in at a table that is here: what it brings is a copy of its own.
    """
    request.max_content_length = MOST_BYTES
    if (request.content_length or 0) > MOST_BYTES:
        raise Refused("This file is larger than an evening can be: a journal has at most 2 MB.")
    by = gate().table(address()), play().clock()
    aside = current_app.extensions.get("aside")
    environ = {**request.environ, "HTTP_ACCEPT_ENCODING": ""}  # the answer is for us, and not to be unpacked
    found: Response = aside(environ, request.get_data(cache=False)) if aside else _looked_over()
    if found.status_code != 200 or current_app.config.get("READS_ONLY"):
        return found
    copy, mine = Copy.heard(found.get_data(), PAUSE), token() or play().token(secrets.token_urlsafe(32))
    phones, store = {hash_of(mine): copy.host}, play().store
    code = copy.with_phone(store, hash_of(mine)) or put(store, copy, phones, PAUSE, by)
    return remember(make_response(redirect(url_for("sitting.show_recap", code=code), 303)), mine)


def _looked_over() -> Response:
    """Line by line as it is to be stored; or the page with the sentence that says what is wrong with it."""
    file = request.files.get("journal")
    try:
        if file is None or not file.filename:
            raise Refused(
                "Choose the file first: the one that “Journal (JSON)” saves at the end of an evening."
            )
        text = file.read().decode("utf-8", "replace")
        return Response(Copy.of(read_evening(play().games, text, PAUSE)).lines())
    except Refused as why:
        return make_response(_everything(str(why)), 422)


@bp.get("/<slug>")
@takes_long
def one_game(slug: str) -> ResponseReturnValue:
    """All of a box; or of any box what was played by this name."""
    game, called = take(play().games, slug), request.args.get("called", "").casefold()
    mine = [each for each in evenings() if each.game.slug == slug and called in ("", each.title.casefold())]
    chart = history_chart(mine)
    tallies = games(mine)
    return render_template(
        "history/game.html",
        game=game,
        title=mine[0].title if called and mine else game.title,
        evenings=mine,
        tally=tallies[0] if tallies else None,
        chart=chart,
        **_people(mine),
    )


def _people(mine: list[Recap]) -> dict[str, object]:
    """Names, and a chart of who won how often, if anybody did."""
    tallies = players(mine)
    bars = [(tally.name, tally.wins) for tally in tallies if tally.wins][:MOST_BARS]
    words = "Wins. " + " ".join(f"{name}: {wins}." for name, wins in bars)
    return {"players": tallies, "wins": bar_chart(bars, words) if bars else Markup()}
