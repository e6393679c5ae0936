"""https at home: where it is, and the page from which phones learn to trust it."""

from __future__ import annotations

from dataclasses import dataclass

from flask import (
    Blueprint,
    Flask,
    Response,
    abort,
    current_app,
    redirect,
    render_template,
    request,
)
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.net import qr
from companion.net.address import AUTHORITY
from companion.net.authority import Authority
from companion.net.hosts import name_in
from companion.web.sitting import bases_for

bp = Blueprint("https", __name__)
#: What an open page asks for by itself goes on as it began; only whoever opens a page is led elsewhere.
STAYS = ("https.trust", "https.profile", "https.certificate", "sitting.redraw", "sitting.live", "asset")


@dataclass
class Https:
    """How this server speaks it: on which port, and by whose word; in an app it is `extensions["https"]`."""

    port: int
    authority: Authority | None = None  # this machine's own; none, where somebody brought a certificate
    redirects: bool = False  # whoever opens a page over plain http is led here
    plain: int = 0  # the port of plain http

    @property
    def welcomes_plain(self) -> bool:
        """Whether a phone that has not learnt to trust us is invited to plain http."""
        return self.authority is not None and not self.redirects

    @property
    def keeps_cookies(self) -> bool:
        """From plain http, that is. At home not: a phone whose cookie is for https alone could not be known
        to the same machine on plain http any more, tonight or on the next evening without https."""
        return self.authority is None and self.redirects


def https() -> Https | None:
    found: Https | None = current_app.extensions.get("https")
    return found


def init_app(app: Flask) -> None:
    app.extensions.setdefault("https", None)
    app.register_blueprint(bp)
    app.before_request(lead_to_https)
    app.jinja_env.globals["https"] = lambda: app.extensions["https"]


def lead_to_https() -> ResponseReturnValue | None:
    over = https()
    if over is None or not over.redirects or request.is_secure or request.method not in ("GET", "HEAD"):
        return None
    opens = request.accept_mimetypes.best == "text/html" and "HX-Request" not in request.headers
    if not opens or request.endpoint in STAYS:
        return None
    return redirect(f"{https_base(over)}{request.full_path.removesuffix('?')}", 308)


def https_base(over: Https) -> str:
    """Under the name that this browser knows us by."""
    match = AUTHORITY.fullmatch(request.host)
    name = match[1] if match else "localhost"
    return f"https://{name}" if over.port == 443 else f"https://{name}:{over.port}"


def _authority() -> tuple[Https, Authority]:
    over = https()
    if over is None or over.authority is None:
        abort(404)
    return over, over.authority


@bp.get("/trust")
def trust() -> ResponseReturnValue:
    """On plain http too, and there above all: who does not trust us yet cannot read it over https."""
    over, authority = _authority()
    here = f"{name_in(request.host) or 'localhost'}:{over.plain}"
    bases = bases_for(current_app, here, "http", over.plain, 0)
    link = f"{bases[0]}/trust" if bases else ""
    return render_template(
        "trust.html",
        authority=authority,
        link=link,
        qr=Markup(qr.svg(link, "QR code of this page")) if link else "",
        there=https_base(over),
        phone=_kind(request.headers.get("User-Agent", "")),
    )


def _kind(agent: str) -> str:
    return "iphone" if any(each in agent for each in ("iPhone", "iPad")) else "android"


@bp.get("/trust/companion.mobileconfig")
def profile() -> ResponseReturnValue:
    return _handed_out(_authority()[1].profile, "application/x-apple-aspen-config", "companion.mobileconfig")


@bp.get("/trust/companion.crt")
def certificate() -> ResponseReturnValue:
    return _handed_out(_authority()[1].der, "application/x-x509-ca-cert", "companion.crt")


def _handed_out(data: bytes, kind: str, name: str) -> Response:
    answer = Response(data, mimetype=kind)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
