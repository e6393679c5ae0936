"""Scripts, styles, signs and pictures as phones get them: put together, squeezed, and asked for just once.

Each is read when the server starts and has an address that changes with what is in it. `static/` has them as
people write them; a script brings what it imports, and the styles are one sheet with every game's colours.
"""

from __future__ import annotations

import base64
import colorsys
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from flask import Flask, Response, abort, request
from flask.typing import ResponseReturnValue

from companion.core import Game
from companion.core.table import COLOURS
from companion.games import folder
from companion.web import sign
from companion.web.guard import takes_long_if

ONCE = "public, max-age=31536000, immutable"
TEXT = {
    "text/html", "text/css", "text/javascript", "image/svg+xml",
    "application/json", "application/manifest+json",
}  # fmt: skip
KINDS = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
    "png": "image/png",
    "webmanifest": "application/manifest+json",
}
TOUCH = "touch.png"  # as Apple calls what stands on a home screen; it rounds the corners itself
ICONS = {
    TOUCH: (180, True),
    "icon-192.png": (192, False),
    "icon-512.png": (512, False),
    "mask-192.png": (192, True),
    "mask-512.png": (512, True),
}  # how large, and whether a phone cuts it to its own shape
LEAST = 1000  # bytes: less is a packet of its own, squeezed or not
STYLES = ("tokens", "pieces", "pages")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
URL = re.compile(r'url\("\.\./([^"]+)"\)')
LINE_COMMENT = re.compile(r"^\s*(?://.*|/\*\*.*\*/)\n", re.M)
IMPORT = re.compile(r'^import (?:(\{ [\w, ]+ \}) from )?"\./([\w-]+)\.js";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.M)


class Asset:
    """`made`, where it is made when it is first asked for; `body` is then what it is made of."""

    def __init__(self, name: str, body: bytes, made: Callable[[], bytes] | None = None) -> None:
        self._made = made or (lambda: body)
        self.version = hashlib.sha256(body).hexdigest()[:6]
        self.address = f"/f/{self.version}/{name}"
        self.kind = KINDS.get(name.rpartition(".")[2], "application/octet-stream")

    @cached_property
    def body(self) -> bytes:
        return self._made()

    @cached_property
    def squeezed(self) -> bytes:
        return gzip.compress(self.body, 9, mtime=0) if self.kind in TEXT else self.body


class Assets:
    def __init__(self, static: Path, games: Mapping[str, Game[Any]]) -> None:
        self._static = static
        self._all: dict[str, Asset] = {}
        for file in sorted((static / "vendor").iterdir()) if (static / "vendor").is_dir() else ():
            self._put(file.name, file.read_bytes())
        self._put("i.svg", (static / "icons.svg").read_bytes())
        self._put("icon.svg", (static / "icon.svg").read_bytes())
        for file in sorted((static / "js").glob("*.js")):
            self._put(file.name, script(file).encode())
        painted = [f'[data-colour="{each}"]{{--seat:var(--{each})}}' for each in COLOURS]
        painted += [colours(game) for game in games.values()]
        self._put("site.css", (self._styles() + "".join(painted)).encode())
        self._put_sign()
        for slug, game in games.items():
            for file in sorted((folder(game) / "faces").glob("*.*")):
                if file.suffix in (".css", ".svg"):
                    self._put(f"{slug}/{file.name}", file.read_bytes())

    def _put(self, name: str, body: bytes) -> None:
        self._all[name] = Asset(name, body)

    def _put_sign(self) -> None:
        """For a phone's home screen: the sign in several sizes, and what else it asks for there."""
        drawing = Path(sign.__file__).read_bytes()
        for name, (size, masked) in ICONS.items():
            self._all[name] = Asset(name, drawing + name.encode(), partial(sign.png, size, masked))
        self._put("companion.webmanifest", json.dumps(self._manifest(), indent=1).encode())

    def _manifest(self) -> dict[str, Any]:
        icons = [
            {
                "src": self.address(name),
                "sizes": f"{size}x{size}",
                "type": "image/png",
                "purpose": "maskable" if masked else "any",
            }
            for name, (size, masked) in ICONS.items()
            if name != TOUCH
        ]
        whole = {"src": self.address("icon.svg"), "sizes": "any", "type": "image/svg+xml", "purpose": "any"}
        return {
            "id": "/",
            "name": "Companion",
            "short_name": "Companion",
            "description": "Score, time, dice and rules for people round a real table.",
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "background_color": "#121517",
            "theme_color": "#121517",
            "icons": [whole, *icons],
        }

    @property
    def addresses(self) -> list[str]:
        """Of all that a page may need; a home screen asks for its pictures once."""
        return sorted(each.address for name, each in self._all.items() if name not in ICONS)

    def address(self, name: str) -> str:
        """Where it is; nowhere, if a room does not bring it."""
        return self._all[name].address if name in self._all else ""

    @takes_long_if(lambda name, **_: name in ICONS)
    def send(self, version: str, name: str) -> ResponseReturnValue:
        """A page that is older than this server gets what there is now, and asks again next time."""
        asset = self._all.get(name) or abort(404)
        answer = Response(asset.body, mimetype=asset.kind)
        answer.headers["Cache-Control"] = ONCE if version == asset.version else "no-cache"
        if len(asset.squeezed) < len(asset.body):
            answer.headers["Vary"] = "Accept-Encoding"
            if request.accept_encodings.quality("gzip"):
                _as_squeezed(answer, asset.squeezed)
        return answer

    def _styles(self) -> str:
        written = [(self._static / "css" / f"{name}.css").read_text("utf-8") for name in STYLES]
        bare = COMMENT.sub("", "".join(written))
        return URL.sub(lambda found: f'url("{self._named(found[1])}")', re.sub(r"\s+", " ", bare))

    def _named(self, path: str) -> str:
        """What a style names beside itself; a small sign is written into it."""
        if path.endswith(".svg"):
            sign = base64.b64encode((self._static / path).read_bytes()).decode()
            return f"data:image/svg+xml;base64,{sign}"
        return self.address(path.removeprefix("vendor/"))


#: A picture is drawn in six inks of its game's hue, from the sky behind it to paper: how light, how strong.
INKS = {
    "dark": ((0.12, 0.5), (0.19, 0.48), (0.36, 0.42), (0.05, 0.4), (0.66, 0.6), (0.96, 0.8)),
    "light": ((0.88, 0.55), (0.8, 0.5), (0.6, 0.42), (0.14, 0.6), (0.52, 0.48), (0.985, 0.9)),
}


def colours(game: Game[Any]) -> str:
    """What a game is painted in, wherever it is spoken of: on its own pages, and on the shelf."""
    here = f'[data-game="{game.slug}"]'
    dark, light = game.accent
    on_paper = f'[data-theme="light"]{here},[data-theme="light"] {here}'
    return _painted(here, dark, "dark") + _painted(on_paper, light, "light")


def _painted(where: str, accent: str, theme: str) -> str:
    red, green, blue = (int(accent[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, _, strength = colorsys.rgb_to_hls(red, green, blue)
    inks = [colorsys.hls_to_rgb(hue, light, min(strong, strength)) for light, strong in INKS[theme]]
    colours = [
        f"--p{number}:#{''.join(f'{round(255 * part):02x}' for part in ink)}"
        for number, ink in enumerate(inks)
    ]
    return f"{where}{{--accent:{accent};{';'.join(colours)}}}"


def script(file: Path) -> str:
    """A script behind what it imports, each of which stays by itself in a function as it was in a module."""
    put: dict[str, str] = {}
    own = _module(file, put)
    return "".join(put.values()) + own


def _module(file: Path, put: dict[str, str]) -> str:
    text = LINE_COMMENT.sub("", file.read_text("utf-8"))
    for _, other in IMPORT.findall(text):
        if other not in put:
            inside = _module(file.with_name(f"{other}.js"), put)
            gives = ", ".join(EXPORT.findall(inside))
            inside = EXPORT.sub("", inside)
            if re.search(r"^(?:im|ex)port ", inside, re.M):
                raise ValueError(f"{other}.js imports or exports in a way that cannot be put together")
            put[other] = f"const {_as_name(other)} = (() => {{\n{inside}return {{ {gives} }};\n}})();\n"
    return IMPORT.sub(lambda found: f"const {found[1]} = {_as_name(found[2])};\n" if found[1] else "", text)


def _as_name(module: str) -> str:
    return f"${module.replace('-', '_')}"


def init_app(app: Flask, games: Mapping[str, Game[Any]]) -> None:
    assets = Assets(Path(str(app.static_folder)), games)
    app.extensions["assets"] = assets
    app.add_url_rule("/f/<version>/<path:name>", "asset", assets.send)
    app.jinja_env.globals["asset"] = assets.address
    app.after_request(squeeze)


def squeeze(answer: Response) -> Response:
    """Pages too, which are as long as all the rest: it takes less time than it saves on the way."""
    fits = answer.mimetype in TEXT and answer.status_code == 200 and not answer.is_streamed
    if not fits or "Content-Encoding" in answer.headers or not request.accept_encodings.quality("gzip"):
        return answer
    body = answer.get_data()
    return _as_squeezed(answer, gzip.compress(body, 5, mtime=0)) if len(body) > LEAST else answer


def _as_squeezed(answer: Response, body: bytes) -> Response:
    answer.set_data(body)
    answer.headers["Content-Encoding"] = "gzip"
    answer.vary.add("Accept-Encoding")
    return answer
