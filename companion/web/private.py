"""What only the phones of one seat may see.

Parts are drawn once for all, so it stands in none of them: each seat has an empty place in the shared page,
and what belongs there is sent to that seat's phones alone. A part that is drawn again leaves the places as
they are; a whole drawing empties them, for a phone that was away may have lost its seat (`parts.ANEW`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Flask

from companion.core import Game, Seat, State
from companion.core.pieces import Fold
from companion.sittings.play import Sitting
from companion.web.drawn import Pieces
from companion.web.leaves import MoreThanLeaves, Pile
from companion.web.pieces import Drawn, context, draw

TEMPLATE = "sitting/_own.html"
Own = Mapping[int, Drawn]  # by seat


def whispered(private: Own) -> str:
    """Into the places that the shared part keeps for it, seat by seat."""
    return "".join([_whole(seat, str(drawn)) for seat, drawn in private.items()])


def _whole(seat: int, html: str) -> str:
    return f'<hx-partial id="private-{seat}" hx-swap="innerHTML">{html}</hx-partial>'


def _news(seat: int, was: Drawn | None, now: Drawn | None) -> str:
    """Of what a phone shows already only what is different; the place of a seat that it lost is wiped."""
    if now is was:
        return ""
    if was is None or now is None or was.html != now.html:
        return _whole(seat, str(now or ""))
    return now.since("", was)


class Private:
    """Of one table. It goes with its screen."""

    def __init__(self, app: Flask) -> None:
        self._templates = app.jinja_env
        self._pieces: Pieces = app.extensions["pieces"]
        self._state: State | None = None  # which the piles were made of
        self._piles: dict[int, Pile] = {}  # by seat; every phone of it is asked for
        self._drawn: dict[int, Drawn] = {}  # by seat
        self._shown: dict[Any, Own] = {}  # by wire, for those that show something

    def of(self, sitting: Sitting, phone: int) -> Own:
        """By seat, what this phone may see and others may not."""
        if sitting.game.private is None:
            return {}
        table = sitting.table
        held = [seat for each in table.phones if each.number == phone for seat in each.seats]
        own = {seat: pile for seat in held if (pile := self._pile(sitting, seat))}
        if len(own) > 1:
            own = {seat: _folded(table.seat(seat), pile) for seat, pile in own.items()}
        return {seat: self._draw(sitting, seat, pile) for seat, pile in own.items()}

    def _pile(self, sitting: Sitting, seat: int) -> Pile:
        state, private = sitting.journal.state, sitting.game.private
        if state is not self._state:
            self._state, self._piles = state, {}
        if seat not in self._piles:
            self._piles[seat] = private(state, seat) if private else ()
        return self._piles[seat]

    def _draw(self, sitting: Sitting, seat: int, pile: Pile) -> Drawn:
        before, code, game = self._drawn.get(seat), sitting.code, sitting.game
        if before and before.inputs == (pile,):
            return before
        drawn = self._touched_up(before, pile, code, game) if before else None
        if drawn is None:
            seen = context(self._templates, {"own": pile, "code": code, "game": game})
            drawn = draw(self._templates.get_template(TEMPLATE), seen, (pile,), before)
        self._drawn[seat] = drawn
        return drawn

    def _touched_up(self, before: Drawn, pile: Pile, code: str, game: Game[Any]) -> Drawn | None:
        was: Pile = before.inputs[0]
        try:
            return before.touched_up((pile,), (), lambda: self._pieces.drawn_anew(was, pile, code, game))
        except MoreThanLeaves:
            return None

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
            self._shown[wire] = own
        else:
            self._shown.pop(wire, None)

    def quiet(self, sitting: Sitting) -> bool:
        """Nobody has anything to hide, nor has shown it: so it is for nearly every tap."""
        if sitting.game.private is None:
            return True
        if self._shown:
            return False
        state, private = sitting.journal.state, sitting.game.private
        # Not by the piles: of most states there are none, and nobody else asks.
        return not any(private(state, seat.id) for seat in state.table.seats)

    def news(self, sitting: Sitting, wire: Any, phone: int) -> str:
        """What this wire has not heard."""
        now, before = self.of(sitting, phone), self._shown.get(wire, {})
        self._keep(wire, now)
        return "".join([_news(seat, before.get(seat), now.get(seat)) for seat in now.keys() | before.keys()])

    def drop(self, wire: Any) -> None:
        self._shown.pop(wire, None)


def _folded(seat: Seat, pieces: Pile) -> Pile:
    """A phone that plays several seats goes round, and each of them opens what is theirs."""
    return (Fold(f"only-{seat.id}", f"Only {seat.name} looks in here", pieces),)
