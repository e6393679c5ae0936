"""What only the phones of one seat may see.

Parts are drawn once for all, so it stands in none of them: each seat has an empty place in the shared page,
and what belongs there is sent to that seat's phones alone. A part that is drawn again leaves the places as
they are; a whole drawing empties them, for a phone that was away may have lost its seat (`parts.ANEW`).
"""

from __future__ import annotations

from typing import Any

from jinja2 import Environment

from companion.core import Seat
from companion.core.pieces import Fold, Piece
from companion.sittings.play import Sitting

TITLE = "<h3>Only on this phone</h3>"


def whispered(private: dict[int, str]) -> str:
    """Into the places that the shared part keeps for it, seat by seat."""
    return "".join(
        [
            f'<hx-partial id="private-{seat}" hx-swap="innerHTML">{html}</hx-partial>'
            for seat, html in private.items()
        ]
    )


class Private:
    """Of one table. It goes with its screen."""

    def __init__(self, templates: Environment) -> None:
        self._templates = templates
        self._drawn: dict[int, tuple[tuple[Piece, ...], str]] = {}  # by seat
        self._told: dict[Any, dict[int, str]] = {}  # by wire, for those that show something

    def of(self, sitting: Sitting, phone: int) -> dict[int, str]:
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

    def _draw(self, sitting: Sitting, seat: int, pieces: tuple[Piece, ...]) -> str:
        known, html = self._drawn.get(seat, ((), ""))
        if known != pieces:
            drawn = self._templates.filters["drawn"]
            html = TITLE + "".join([drawn(each, sitting.code, sitting.game) for each in pieces])
            self._drawn[seat] = (pieces, html)
        return html

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

    def _keep(self, wire: Any, own: dict[int, str]) -> None:
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
        """What this wire has not heard; the place of a seat that its phone lost is wiped."""
        now, before = self.of(sitting, phone), self._told.get(wire, {})
        self._keep(wire, now)
        new = {seat: now.get(seat, "") for seat in now.keys() | before.keys()}
        return whispered({seat: html for seat, html in new.items() if before.get(seat, "") != html})

    def drop(self, wire: Any) -> None:
        self._told.pop(wire, None)


def _folded(seat: Seat, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """A phone that plays several seats goes round, and each of them opens what is theirs."""
    return (Fold(f"only-{seat.id}", f"Only {seat.name} looks in here", pieces),)
