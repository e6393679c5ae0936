"""Rules look-up: search, browse by topic, and a page for each ruling."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import asdict, fields
from typing import Any

from flask import Blueprint, Response, abort, current_app, render_template, request
from flask.typing import ResponseReturnValue

from companion.core import Game, Ruling
from companion.core.game import STATUSES, Rulings
from companion.games import take
from companion.lookup.rooms import LookUp
from companion.lookup.weights import tuning
from companion.lookup.words import groups, wording
from companion.web.guard import play, takes_long

bp = Blueprint("rules", __name__)
MOST = 8  # answers on a page: whoever finds none among them asks differently


def look_up() -> LookUp:
    found: LookUp = current_app.extensions["look_up"]
    return found


@bp.get("/rules")
def shelf() -> ResponseReturnValue:
    return _page("rules/shelf.html", games=[game for game in play().games.values() if game.rulings])


@bp.get("/rules/<slug>")
def browse(slug: str) -> ResponseReturnValue:
    game = take(play().games, slug)
    return _page("rules/browse.html", game=game, topics=topics(game))


@bp.get("/rules/<slug>/<ruling>")
def ruling(slug: str, ruling: str) -> ResponseReturnValue:
    game = take(play().games, slug)
    found = next((each for each in game.rulings if each.id == ruling), None) or abort(404)
    rule = next((each for each in game.house_rules if each.id == found.house_rule), None)
    related = [each for each in game.rulings if each.id in found.related]
    return _page(
        "rules/ruling.html", game=game, ruling=found, rule=rule, related=related, answer=found.answer_at(rule)
    )


@bp.get("/rules/answers")
@takes_long
def answers() -> ResponseReturnValue:
    """What the search field fills its list with. The game at the table first, the others after."""
    question, slug = request.args.get("q", "").strip(), request.args.get("game", "")
    game = take(play().games, slug) if slug else None
    here = look_up().search(question, slug, MOST) if game and "others" not in request.args else None
    elsewhere = [
        each for each in look_up().search(question, limit=MOST, besides=slug) if each.clear or not game
    ]
    return _page("rules/_answers.html", question=question, game=game, here=here, elsewhere=elsewhere)


@bp.get("/games/<slug>/rulings.json")
@takes_long
def rulings(slug: str) -> ResponseReturnValue:
    """All that a phone needs to answer while the server is away."""
    made = current_app.extensions.setdefault("rulings", {})
    if slug not in made:  # reckoned once, since nothing in it changes while we run
        made[slug] = for_phones(take(play().games, slug))
    body, squeezed, tag = made[slug]
    small = bool(request.accept_encodings.quality("gzip"))
    answer = Response(squeezed if small else body, mimetype="application/json")
    if small:
        answer.headers["Content-Encoding"] = "gzip"
    answer.vary.add("Accept-Encoding")
    answer.headers["Cache-Control"] = "no-cache"  # asked for with every page, sent only when it is new
    answer.set_etag(tag)
    return answer.make_conditional(request)


def for_phones(game: Game[Any]) -> tuple[bytes, bytes, str]:
    """As it is, squeezed, and by which name."""
    body = json.dumps(rulebook(game), ensure_ascii=False, separators=(",", ":")).encode()
    return body, gzip.compress(body, 9, mtime=0), hashlib.sha256(body).hexdigest()[:20]


def rulebook(game: Game[Any]) -> dict[str, Any]:
    own = groups(game.rulings.same) if isinstance(game.rulings, Rulings) else ()
    return {
        "title": game.title,
        "rulings": _by_field([_fields_of(each) for each in game.rulings]),
        "house_rules": [asdict(rule) for rule in game.house_rules],
        "statuses": STATUSES,
        "same": [*wording().same, *own],
        **tuning(),
    }


def _fields_of(ruling: Ruling) -> dict[str, Any]:
    """When it comes up is wanted only of what is often played wrong; of others the page says it."""
    without = () if ruling.trap else ("phases", "about")
    names = [each.name for each in fields(ruling) if each.name not in without]
    return {name: value for name in names if (value := getattr(ruling, name))}


def _by_field(rulings: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """All titles, all answers and so on, 0 where a ruling has none: that squeezes better than one by one."""
    names = dict.fromkeys(name for each in rulings for name in each)
    return {name: [each.get(name, 0) for each in rulings] for name in names}


def topics(game: Game[Any]) -> dict[str, list[Ruling]]:
    found: dict[str, list[Ruling]] = {}
    for each in game.rulings:
        found.setdefault(each.topic or "Other questions", []).append(each)
    return found


def _page(template: str, **more: Any) -> ResponseReturnValue:
    return render_template(template, statuses=STATUSES, **more)
