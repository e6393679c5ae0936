"""All that is seen, once for every phone; and what lies on the table: Arcane Places, points, turn by turn."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache

from companion.core import Cell, Do, Field, Form, Phase, Row, Seat, Sheet, Tap, View
from companion.core.memo import kept_while
from companion.core.pieces import Fold, Grid, Note, Panel, Picker, Piece, Race, Share
from companion.core.text import listed, plain
from companion.games.wisdom_of_cthulhu import panels
from companion.games.wisdom_of_cthulhu.adjudication import adjudicate
from companion.games.wisdom_of_cthulhu.box import ACTIONS, BONDS, places
from companion.games.wisdom_of_cthulhu.forms import forms
from companion.games.wisdom_of_cthulhu.seats import seats
from companion.games.wisdom_of_cthulhu.state import Place, State, but_points

Gains = tuple[tuple[int, ...], ...]
MISTYPED = "Something mistyped? Undo it, or correct it on the sheet."
LATER = {
    "preparation": "the steps of the Preparation",
    "order": "the Research Order",
    "research": f"actions {listed(sorted({str(each.number) for each in ACTIONS if each.later}))}",
    "end": "the End of Search, but for the Path that turns",
}
TWO_DRAFTS = (
    "Our manual is the author’s first public draft of August 2017, which ends in the middle of the Arcane "
    "Places. The plan of a turn, the Elder Sign, the Ritual and the end of a turn come from the author’s own "
    "later draft, and each screen says so once. Where the two differ, your house rules decide."
)


def view(state: State) -> View:
    verdict = adjudicate(state)
    over = Phase(verdict.summary, MISTYPED, key="over", final=True) if state.over else None
    return View(
        phase=over or panels.phase(state),
        seats=seats(state, verdict.leaders),
        sheets=(_sheet(state.table.seats, state.gains),) if state.turn else (),
        forms=forms(state),
        board=_board(state),
    )


def _board(state: State) -> tuple[Piece, ...]:
    """On the display the ring is in the middle, and the rest beside it."""
    if not state.turn:
        return (_drafts("setup"),)
    points = Panel("wis-kp", (_race(state.table.seats, state.gains),), "Knowledge Points", only="display")
    if state.over:
        return (points, _drafts("over"))
    side = Grid("wis-side", (points, Panel("wis-gods-in", (panels.gods(state),), _in_play(state))), 1)
    return (_places(state), side, _drafts(state.phase))


@cache
def _drafts(phase: str) -> Fold:
    """One mark on a screen is enough."""
    title = f"From the later draft: {LATER[phase]}" if phase in LATER else "What “later draft” means"
    return Fold("wis-drafts", title, (Note("wis-two-drafts", TWO_DRAFTS),), only="players")


# --- Arcane Places ---


@kept_while(but_points)
def _places(state: State) -> Picker:
    there = [(state.players[seat.id].seeker, state.players[seat.id].sign, seat) for seat in state.table.seats]
    seekers, signs = {spot: seat for spot, _, seat in there}, {spot: seat for _, spot, seat in there}
    spots = [(number, f"place-{number}") for number in range(1, places(len(there)) + 1)]
    taps = [_tile(n, state.places.get(n, Place()), seekers.get(at), signs.get(at)) for n, at in spots]
    return Picker("wis-places", tuple(taps), "Arcane Places", columns=3)


@lru_cache(4096)  # the rings of many tables: few taps change a tile
def _tile(number: int, place: Place, seeker: Seat | None, sign: Seat | None) -> Tap:
    """A tap notes its name and bond. A Seeker stands on it as its token, an Elder Sign as words."""
    there = [f"{seeker.name}’s Seeker"] if seeker else []
    there += [f"{sign.name}’s Sign"] if sign else []
    name, words, opens = place.name or f"Place {number}", ", ".join(there), f"place-{number}"
    tap = Tap(name, None, words, mark=place.bond, seat=seeker, opens=opens, id=f"wis-{opens}", shows="place")
    return replace(tap, tone="warn") if sign else tap


def _in_play(state: State) -> str:
    many, named = len(state.seats), len(state.gods)
    if state.evoked or named == many or many == len(BONDS):
        return "Great Old Ones in play"
    return f"Great Old Ones: {named} of {many} named"


# --- points ---


@lru_cache(1024)  # most taps change no points
def _race(seats: tuple[Seat, ...], gains: Gains) -> Race:
    shares = tuple([Share(seat, sum(got)) for seat, got in zip(seats, gains, strict=True)])
    return Race("wis-race", shares, "KP")


@lru_cache(1024)
def _sheet(seats: tuple[Seat, ...], gains: Gains) -> Sheet:
    columns = tuple(map(str, range(1, len(gains[0]) + 1)))
    rows = tuple([_row(seat, got) for seat, got in zip(seats, gains, strict=True)])
    return Sheet("kp", "Knowledge Points by turn", columns, rows)


@lru_cache(4096)
def _row(seat: Seat, got: tuple[int, ...]) -> Row:
    return Row(seat, tuple([_cell(seat, turn, kp) for turn, kp in enumerate(got, 1)]), plain(sum(got)))


@lru_cache(4096)
def _cell(seat: Seat, turn: int, got: int) -> Cell:
    title, do = f"{seat.name}, points of turn {turn}", Do("correct", {"seat": seat.id, "turn": turn})
    to = Field("to", "Knowledge Points", str(got), "number")
    return Cell(plain(got), Form(f"cell-{turn}-{seat.id}", title, do, (to,), "Correct it"))
