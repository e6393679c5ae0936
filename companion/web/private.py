"""What only the phones of one seat may see.

Parts are drawn once for all, so it stands in none of them: each seat has an empty place in the shared page,
and what belongs there is sent to that seat's phones alone. A part that is drawn again leaves the places as
they are; a whole drawing empties them, for a phone that was away may have lost its seat (`parts.ANEW`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment

from companion.core import Seat
from companion.core.pieces import Fold, Piece
from companion.sittings.play import Sitting
from companion.web.drawing import changes_in_part
from companion.web.pieces import Drawn, context, draw

TEMPLATE = "sitting/_own.html"
Own = Mapping[int, Drawn]  # by seat


def whispered(private: Own) -> str:
    """Into the places that the shared part keeps for it, seat by seat."""
    return "".join([_whole(seat, str(drawn)) for seat, drawn in private.items()])


def _whole(seat: int, html: str) -> str:
    return f'<hx-partial id="private-{seat}" hx-swap="innerHTML">{html}</hx-partial>'


def _news(seat: int, was: Drawn | None, now: Drawn | None) -> list[str]:
    """Of what a phone shows already only what is different; the place of a seat that it lost is wiped."""
    if now is was:
        return []
    if was is None or now is None or was.html != now.html:
        return [_whole(seat, str(now or ""))]
    return changes_in_part("", was, now)


class Private:
    """Of one table. It goes with its screen."""

    def __init__(self, templates: Environment) -> None:
        self._templates = templates
        self._drawn: dict[int, Drawn] = {}  # by seat
        self._told: dict[Any, Own] = {}  # by wire, for those that show something

    def of(self, sitting: Sitting, phone: int) -> Own:
        """By seat, what this phone may see and others may not."""
        pieces = sitting.game.private
        if pieces is None:
            return {}
        table, state = sitting.table, sitting.journal.state
        held = [seat for each in table.phones if each.number == phone for seat in each.seats]
        own = {seat: shown for seat in held if (shown := pieces(state, seat))}
        if len(own) > 1:
            own = {seat: _folded(table.seat(seat), shown) for seat, shown in own.items()}
        return {seat: self._draw(sitting, seat, shown) for seat, shown in own.items()}

    def _draw(self, sitting: Sitting, seat: int, pieces: tuple[Piece, ...]) -> Drawn:
        before = self._drawn.get(seat)
        if before and before.inputs == (pieces,):
            return before
        seen = context(self._templates, {"own": pieces, "code": sitting.code, "game": sitting.game})
        template = self._templates.get_template(TEMPLATE)
        drawn = self._drawn[seat] = draw(template, seen, (pieces,), before)
        return drawn

    def put_into(self, html: str, sitting: Sitting, phone: int) -> str:
        """The shared part, as this phone's page begins with it."""
        for seat, own in self.of(sitting, phone).items():
            before, place, after = html.partition(f'<div id="private-{seat}"')
            tag, end, rest = after.partition(">")
            html = f"{before}{place}{tag}{end}{own}{rest}"
        return html

    def begin(self, sitting: Sitting, wire: Any, phone: int) -> None:
        """It has just been sent all of it."""
        self._keep(wire, self.of(sitting, phone))

    def _keep(self, wire: Any, own: Own) -> None:
        if own:
            self._told[wire] = own
        else:
            self._told.pop(wire, None)

    def quiet(self, sitting: Sitting) -> bool:
        """Nobody has anything to hide, nor has shown it: so it is for nearly every tap."""
        pieces, state = sitting.game.private, sitting.journal.state
        if pieces is None:
            return True
        return not self._told and not any(pieces(state, seat.id) for seat in sitting.table.seats)

    def news(self, sitting: Sitting, wire: Any, phone: int) -> str:
        """What this wire has not heard."""
        now, before = self.of(sitting, phone), self._told.get(wire, {})
        self._keep(wire, now)
        told = [_news(seat, before.get(seat), now.get(seat)) for seat in now.keys() | before.keys()]
        return "".join([each for news in told for each in news])

    def drop(self, wire: Any) -> None:
        self._told.pop(wire, None)


def _folded(seat: Seat, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """A phone that plays several seats goes round, and each of them opens what is theirs."""
    return (Fold(f"only-{seat.id}", f"Only {seat.name} looks in here", pieces),)
