"""What everybody sees. The Madness cards themselves stay on the table: only their levels are known here."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Phase, Verdict, View
from companion.core.pieces import Piece
from companion.games.mountains_of_madness import die, panels, resolving
from companion.games.mountains_of_madness.adjudication import adjudicate
from companion.games.mountains_of_madness.board import board, seats
from companion.games.mountains_of_madness.forms import forms
from companion.games.mountains_of_madness.state import PLACES, State


def view(state: State) -> View:
    verdict = adjudicate(state)
    return View(
        phase=_phase(state, verdict),
        seats=seats(state),
        forms=forms(state),
        board=board(state, verdict.summary, verdict.final),
    )


def _phase(state: State, verdict: Verdict) -> Phase:
    if verdict.final:
        return Phase(verdict.summary, "Something mistapped? Undo it.", key="over", final=True)
    owed = state.now.penalties[0].number if state.now.penalties else 0
    step = f"judged-{owed}" if state.now.met else f"owed-{owed}"
    title, text = _words(state)
    return Phase(title, text, key=state.stage, first=tuple(_pieces(state)), step=step)


def _pieces(state: State) -> Iterator[Piece]:
    match state.stage:
        case "setup":
            yield from panels.setup(state)
        case "movement":
            yield from panels.movement(state)
        case "encounter":  # the big button stays where the thumb is
            yield from panels.encounter(state)
            yield from die.owed(state)
        case "resolution":
            yield from die.owed(state)
            yield from resolving.count(state) if state.now.met is None else resolving.paying(state)
        case "draw":
            yield from panels.draw(state)
        case "rest":
            yield from panels.rest(state)


def _words(state: State) -> tuple[str, str]:
    leader = state.name(state.leader or state.table.starter)
    match state.stage:
        case "setup":
            return "Set up", "Tick off what is ready, on any phone. Yours comes first."
        case "movement" if state.now.moved:
            where = f"To the {PLACES[state.place]}" + ("" if state.now.tile else ", without a tile")
            return where, f"{leader} holds the tile. Ready? The sand runs on every phone."
        case "movement":
            return f"Turn {state.turn}: {leader} leads", _where_to(state)
        case "encounter":
            return ("SILENCE" if state.now.silent else "Talk"), ""
        case "resolution" if state.now.met is None:
            return "Reveal the sled", _counting(state)
        case "resolution":
            return "What it brings, what it costs", f"In the order that {leader} likes."
        case "draw":
            return "Draw phase", f"{leader} deals until everyone holds {_limits(state)}."
        case "rest":
            return "Rest phase", f"{leader} may rest, or not."


def _counting(state: State) -> str:
    if all(state.now.challenges):
        return "Tap the cards, or set the totals. Both Challenges are judged together."
    return "Say of each Challenge whether it was met; or enter both, and we count."


def _where_to(state: State) -> str:
    if not state.place:
        return "Put the airplane on a Coast space of the lowest row."
    if state.place == "edge" or state.place.startswith("escape"):
        return "No way back down. On to the next Escape tile."
    return "Move the airplane to a space next to it; it cannot stay."


def _limits(state: State) -> str:
    limits = {state.limit(seat.id) for seat in state.table.seats}
    if len(limits) == 1:
        return f"{limits.pop()} cards"
    more = " and ".join(state.name(seat) for seat in state.raised if seat)
    return f"{min(limits)} cards, {more} one more"
