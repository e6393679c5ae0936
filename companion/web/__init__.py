"""Flask, and nothing else imports it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask
from jinja2 import ChoiceLoader, FileSystemLoader, PrefixLoader
from werkzeug.middleware.proxy_fix import ProxyFix

from companion.core.text import capital, counted, plain, plural, signed
from companion.evenings.history import History
from companion.evenings.recap import lasted
from companion.games import folder
from companion.lookup.rooms import LookUp
from companion.net.hosts import Proxies
from companion.sittings.play import Play
from companion.tools import taps
from companion.web import assets, guard, history, https, lobby, parts, recap, rules, shell, sitting
from companion.web.charts import spreads
from companion.web.compiled import keep_compiled
from companion.web.compiler import PieceTag
from companion.web.drawn import Pieces
from companion.web.leaves import FILTERS
from companion.web.marks import act, address, icon, mark, picture, token
from companion.web.stream import Streams

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def init_app(app: Flask, play: Play) -> None:
    app.extensions["play"] = play
    app.extensions["look_up"] = LookUp(play.games)
    app.extensions["history"] = History(play)
    if app.extensions["proxies"]:
        app.wsgi_app = _behind(app.extensions["proxies"], app.wsgi_app)  # type: ignore[assignment]
    app.config["MAX_CONTENT_LENGTH"] = 64 * 1024
    app.jinja_env.add_extension(PieceTag)
    keep_compiled(app.jinja_env)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(plain=plain, signed=signed, lasted=lasted, capital=capital)
    app.jinja_env.filters.update(counted=counted, plural=plural)
    app.extensions["pieces"] = Pieces(app.jinja_env)
    app.jinja_env.filters.update(FILTERS, drawn=app.extensions["pieces"].drawn)
    app.jinja_env.loader = ChoiceLoader([*([app.jinja_loader] if app.jinja_loader else []), _faces(play)])
    app.jinja_env.globals.update(icon=icon, token=token, act=act, address=address, mark=mark, picture=picture)
    app.jinja_env.globals.update(taps=taps, spreads=spreads)
    for macros in ("_icon.html", "sitting/_do.html"):  # importing them in each part would cost more
        app.jinja_env.globals.update(_macros(app.jinja_env.get_template(macros).module))
    assets.init_app(app, play.games)
    app.extensions["parts"] = parts.Parts(app, play)
    app.extensions["streams"] = Streams(app.extensions["parts"], play)
    app.extensions["seat_page"] = sitting.seat_page
    guard.init_app(app)
    https.init_app(app)
    shell.init_app(app)
    app.register_blueprint(lobby.bp)
    app.register_blueprint(history.bp)
    app.register_blueprint(recap.bp)  # the sitting's own, with the routes of its end on it
    app.register_blueprint(rules.bp)
    if app.config.get("GALLERY"):
        from companion.web import gallery  # for whoever writes a room: no start waits for it

        app.register_blueprint(gallery.bp)


def _behind(proxies: Proxies, direct: WSGIApplication) -> WSGIApplication:
    """What proxies say of a visitor is believed when one of them says it."""
    hops = proxies.hops
    behind_proxy = ProxyFix(direct, x_for=hops, x_proto=hops, x_host=hops)

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        believed = proxies.believed(environ.get("REMOTE_ADDR", ""))
        return (behind_proxy if believed else direct)(environ, start_response)

    return answer


def _macros(module: object) -> dict[str, object]:
    return {name: macro for name, macro in vars(module).items() if not name.startswith("_")}


def _faces(play: Play) -> PrefixLoader:
    """A room's own templates live in its folder; `games/<slug>/_seat.html` finds them."""
    loaders = {f"games/{slug}": FileSystemLoader(folder(game) / "faces") for slug, game in play.games.items()}
    return PrefixLoader(loaders, delimiter="/faces/")
