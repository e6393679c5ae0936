"""The Leader moves the airplane; a token lets somebody ignore their Madness; then the sand is turned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.core import Choice, Context, Count, Event, Refused, SeatId, Tap
from companion.core.pieces import Bar, Panel, Picker, Piece
from companion.core.text import capital
from companion.games.mountains_of_madness import box
from companion.games.mountains_of_madness.encounter import SandTurned
from companion.games.mountains_of_madness.moves import spend_token
from companion.games.mountains_of_madness.state import Facts, State, YesOrNo
from companion.tools.timer import TimerStarted


class PlaneMoved(Event[State]):
    turn: int
    to: str
    tile: bool = True

    def fold(self, state: State) -> State:
        state.expect(self.turn, "movement")
        if state.now.moved or self.to not in box.NEIGHBOURS[state.place]:
            raise Refused("The airplane cannot move there now.")
        return replace(state, place=self.to, now=replace(state.now, moved=True, tile=self.tile))

    def log_text(self, state: State) -> str:
        tile = "" if self.tile else ", a space without a tile"
        return f"turn {self.turn}: to the {box.PLACES[self.to]}{tile}"


class MadnessIgnored(Event[State]):
    seat: int
    turn: int
    says = "may ignore Madness in turn {turn}"

    def fold(self, state: State) -> State:
        state.expect(self.turn, "movement")
        return state.with_turn(ignoring=(*state.now.ignoring, state.table.seat(self.seat).id))


def move(state: State, context: Context, turn: Count, to: Choice, tile: YesOrNo = "yes") -> Facts:
    state.playing(turn, "movement")
    if to not in box.PLACES:
        raise Refused("There is no such place on the board.")
    if state.now.moved:
        where = box.PLACES[state.place]
        raise Refused(f"The airplane has moved to the {where} already; undo that to change it.")
    if to not in box.NEIGHBOURS[state.place]:
        raise Refused(_no_way(state.place, to))
    if tile == "no" and to not in box.WITH_SPACES:
        raise Refused(f"There is always a tile on the {box.PLACES[to]}.")
    yield PlaneMoved(turn, to, tile == "yes")


def _no_way(place: str, to: str) -> str:
    if not place:
        return "The first turn starts on the Coast."
    if place in box.WAY_OUT:
        (only,) = box.NEIGHBOURS[place]
        return f"From the Edge of Madness nobody comes back down: the way leads to the {box.PLACES[only]}."
    return f"The {box.PLACES[to]} is not next to the {box.PLACES[place]}."


def ignore_madness(state: State, context: Context, turn: Count, whom: SeatId) -> Facts:
    state.playing(turn, "movement")
    if not state.level(whom):
        raise Refused(f"{state.name(whom)} has no Madness to ignore.")
    if whom in state.now.ignoring:
        raise Refused(f"{state.name(whom)} ignores Madness this turn already.")
    yield MadnessIgnored(whom, turn)
    yield from spend_token(state, "movement")


def flip(state: State, context: Context, turn: Count) -> Facts:
    """The tile is revealed and the sand runs on every phone."""
    state.playing(turn, "movement")
    if not state.now.moved:
        raise Refused(f"First {state.leads} moves the airplane.")
    yield SandTurned(turn, 1)
    yield TimerStarted("down", box.SAND, context.now)


# --- what is seen ---


def words(state: State) -> tuple[str, str]:
    if state.now.moved:
        where = f"To the {box.PLACES[state.place]}" + ("" if state.now.tile else ", without a tile")
        return where, f"{state.leads} holds the tile. Ready? The sand runs on every phone."
    title = f"Turn {state.turn}: {state.leads} leads"
    if not state.place:
        return title, "Put the airplane on a Coast space of the lowest row."
    if state.place in box.WAY_OUT:
        return title, "No way back down. On to the next Escape tile."
    return title, "Move the airplane to a space next to it; it cannot stay."


def pieces(state: State) -> Iterator[Piece]:
    if state.now.moved:
        yield Bar("peak-flip", (Tap("Flip the sand timer", state.do("flip"), strong=True),))
    else:
        yield Picker("peak-moves", tuple(_moves(state)), columns=2)


def _moves(state: State) -> Iterator[Tap]:
    for place in box.NEIGHBOURS[state.place]:
        label, tiles = capital(box.PLACES[place]), place in box.WITH_SPACES
        detail = "no way back down" if place == "edge" else "with its tile" if tiles else ""
        yield Tap(label, state.do("move", to=place), detail, mark=place)
        if tiles and state.turn > 1:
            do = state.do("move", to=place, tile="no")
            yield Tap(f"{label}, no tile", do, "no reward there", mark=place)


def ignoring(state: State) -> Iterator[Panel]:
    """It stands on the board: the airplane moves, and this stays as it was."""
    if state.stage != "movement":
        return
    taps = [
        Tap(seat.name, state.do("ignore_madness", whom=seat.id), f"level {level}", seat=seat)
        for seat in state.table.seats
        if (level := state.level(seat.id)) and seat.id not in state.now.ignoring
    ]
    if taps:
        title = "Spend a token: somebody ignores their Madness this turn"
        yield spending("peak-ignore", title, taps, state.why_no_token("movement"))


def spending(id: str, title: str, taps: list[Tap], why: str) -> Panel:
    """What this phase lets the Leader do with a token."""
    picker = () if why else (Picker(f"{id}-taps", tuple(taps), columns=2 if len(taps) > 1 else 0),)
    return Panel(id, picker, text=f"{title}: {why}" if why else title, only="players")
