"""The evenings this phone was at, and what they add up to."""

from __future__ import annotations

from flask import Blueprint, current_app, render_template, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.evenings.history import History, games, players
from companion.evenings.recap import Recap
from companion.games import take
from companion.web.charts import bar_chart, history_chart
from companion.web.guard import play, takes_long, token

bp = Blueprint("history", __name__, url_prefix="/history")
MOST_BARS = 10


def history() -> History:
    found: History = current_app.extensions["history"]
    return found


def evenings() -> list[Recap]:
    """Only those that this phone was at."""
    return history().of_phone(token())


@bp.get("")
@takes_long
def everything() -> ResponseReturnValue:
    mine = evenings()
    told = {"evenings": mine, "closed": history().closed_of(token()), "games": games(mine)}
    return render_template("history/all.html", **told, **_people(mine))


@bp.get("/<slug>")
@takes_long
def one_game(slug: str) -> ResponseReturnValue:
    """All of a box; or of any box what was played by this name."""
    game, called = take(play().games, slug), request.args.get("called", "").casefold()
    mine = [each for each in evenings() if each.game.slug == slug and called in ("", each.title.casefold())]
    chart = history_chart(mine)
    shelved = games(mine)
    return render_template(
        "history/game.html",
        game=game,
        title=mine[0].title if called and mine else game.title,
        evenings=mine,
        shelved=shelved[0] if shelved else None,
        chart=chart,
        **_people(mine),
    )


def _people(mine: list[Recap]) -> dict[str, object]:
    """Names, and a chart of who won how often, if anybody did."""
    tallies = players(mine)
    bars = [(tally.name, tally.wins) for tally in tallies if tally.wins][:MOST_BARS]
    words = "Wins. " + " ".join(f"{name}: {wins}." for name, wins in bars)
    return {"players": tallies, "wins": bar_chart(bars, words) if bars else Markup()}
