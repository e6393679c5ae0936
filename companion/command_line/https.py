"""`companion serve --https`: by an authority of this machine's own, or by a certificate that is brought."""

from __future__ import annotations

import argparse
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from companion import settings

if TYPE_CHECKING:
    from flask import Flask

    from companion.serving.secure import Certificate

PORT = 8443


def add_options(serve: argparse.ArgumentParser) -> None:
    serve.add_argument(
        "--https",
        nargs="?",
        const=PORT,
        type=port,
        metavar="PORT",
        help=f"speak https too, on another port (default: {PORT}), by an authority that phones trust once",
    )
    serve.add_argument(
        "--cert", type=Path, metavar="FILE", help="for https, a certificate of one's own, in PEM"
    )
    serve.add_argument("--key", type=Path, metavar="FILE", help="the key to that certificate")
    serve.add_argument(
        "--redirect", action="store_true", help="lead whoever opens a page over plain http to https"
    )


def port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port; use a number up to 65535")
    return int(text)


def cannot_be(options: argparse.Namespace) -> str:
    """Why what was asked for does not go together; nothing if it does."""
    if bool(options.cert) != bool(options.key):
        return "--cert and --key belong together: a certificate, and the key to it."
    if options.cert and options.https is None:
        options.https = PORT
    if options.redirect and options.https is None:
        return "--redirect leads to https, so it needs --https, or --cert and --key."
    if options.workers > 1 and options.https is not None:
        return "Several workers stand behind a proxy, and it is for that to speak https: leave out --workers."
    return ""


def certificate(options: argparse.Namespace, app: Flask) -> Certificate | None:
    """What the server shows over https, and by whose word. Nothing is loaded for it where nobody asks."""
    if options.https is None:
        return None
    from companion.net.authority import FOLDER, Authority
    from companion.net.hosts import names_of_this_machine
    from companion.serving import secure
    from companion.web.https import Https

    if options.cert:
        app.extensions["https"] = Https(options.https, None, options.redirect)
        return secure.brought(options.cert, options.key)
    instance: Path = settings()["INSTANCE"]
    instance.mkdir(mode=0o700, parents=True, exist_ok=True)
    authority = Authority(instance / FOLDER, names_of_this_machine(), socket.gethostname())
    app.extensions["https"] = Https(options.https, authority, options.redirect)
    return secure.own(authority)
