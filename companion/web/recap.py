"""The end of the evening: how it stands, the recap, what can be taken along, once more, or forgotten."""

from __future__ import annotations

from flask import Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.core import Refused
from companion.evenings import export
from companion.evenings.archive import journal_json
from companion.evenings.recap import recap
from companion.net import qr
from companion.web.guard import address, gate, host_only, play, takes_long, token
from companion.web.sitting import base_urls, bp, draw_page, member

__all__ = ["bp"]


@bp.get("/standing")
def standing(code: str) -> ResponseReturnValue:
    """If we ended now: asked at any time, for the sheet."""
    sitting, _ = member(code)
    verdict = sitting.game.adjudicate(sitting.journal.state)
    return render_template("sitting/_now.html", game=sitting.game, verdict=verdict)


@bp.get("/recap")
@takes_long
def show_recap(code: str) -> ResponseReturnValue:
    here = url_for("sitting.show_recap", code=code)
    base = next(iter(base_urls()), request.host_url.rstrip("/"))
    return draw_page(code, "recap", link=base + here)


@bp.get("/bgstats")
@takes_long
def bgstats(code: str) -> ResponseReturnValue:
    """The link that hands the result on, and its QR code, for the sheet."""
    sitting, _ = member(code)
    evening = recap(code, sitting.journal)
    link = export.bgstats_link(evening)
    drawn = qr.svg(link, "QR code that opens this play in BG Stats", dense=True) if qr.fits(link) else ""
    return render_template(
        "sitting/_bgstats.html", link=link, qr=Markup(drawn), finished=evening.verdict.final
    )


@bp.get("/scores.csv")
@takes_long
def scores(code: str) -> ResponseReturnValue:
    sitting, _ = member(code)
    return _file(export.scores_csv(recap(code, sitting.journal)), f"{code}.csv", "text/csv")


@bp.get("/journal.json")
@takes_long
def journal(code: str) -> ResponseReturnValue:
    """Without the marks by which phones are known: those are the server's business."""
    sitting, _ = member(code)
    return _file(journal_json(sitting), f"{code}.json", "application/json")


def _file(text: str, name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f"attachment; filename={name}"}
    return Response(text, mimetype=kind, headers=headers)


@bp.post("/again")
def again(code: str) -> ResponseReturnValue:
    new = play().again(code, token(), request.form.get("tap", ""), gate().table(address()))
    return redirect(url_for("sitting.table", code=new), 303)


@bp.post("/forget")
@host_only
def forget(code: str) -> ResponseReturnValue:
    if request.form.get("sure") != "yes":
        raise Refused("Say that nothing of it should be kept; forgetting cannot be taken back.")
    play().forget(code)
    return redirect(url_for("lobby.home"), 303)
