"""Set-up, and from phase to phase. Each tap says which turn it meant, so that the second one is only late."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.core.checklist import SetupTicked, to_tick
from companion.core.text import counted, listed
from companion.games.wisdom_of_cthulhu.box import BONDS, PATHS, PHASES, TURNS, Step, find_bond, steps
from companion.games.wisdom_of_cthulhu.state import HOME, Declared, Events, Player, State, ties

Turn = Annotated[Count, Field(ge=1, le=TURNS)]
Lap = Annotated[Count, Field(ge=1, le=2)]
Part = Annotated[Count, Field(le=PATHS)]  # of one's six cards
Done = Literal["yes", "no"]


def evolve(state: State, event: Event) -> State:
    """What must always hold is checked here and in `fold`, so that take-backs stay honest."""
    after = _seated(event.fold(state))
    if after.players is not state.players:
        _check_cards(after)
    return after


def _seated(state: State) -> State:
    """Somebody who sits down late has as many Permanent Obsessions as the others."""
    for seat in state.seats:
        if seat in state.players:
            continue
        late, running = max(0, state.turn - 1), state.phase in ("research", "end")
        zeros = (Declared(seat, 1, 0), Declared(seat, 2, 0)) if running else ()
        state = replace(
            state,
            players={**state.players, seat: Player(hand=PATHS - late, permanent=late)},
            sequence=(*state.sequence, seat) if state.turn else (),
            declared=(*state.declared, *zeros),
        )
    return state


def _check_cards(state: State) -> None:
    """Six cards each, whatever happened."""
    for seat in state.seats:
        each = state.players[seat]
        if min(*each.cards, each.permanent - each.used) < 0 or sum(each.cards) != PATHS:
            raise Refused(f"{state.name(seat)} has six cards, no more and no fewer.")


def expect(state: State, phase: str, turn: int) -> None:
    """Two phones may tap the same; the second one is late."""
    order, now = [*PHASES, "over"], state.phase
    if (now, state.turn) == (phase, turn):
        return
    if now == "setup":
        raise Refused("The game has not begun.")
    if (state.turn, order.index(now)) > (turn, order.index(phase)):
        raise Refused(f"The {PHASES[phase]} of turn {turn} is over already.")
    waits = f": {state.name(state.actor)} can still act" if now == "research" and state.actor else ""
    raise Refused(f"Turn {state.turn} is in its {PHASES[now]}{waits}.")


# --- set-up ---


class StepTicked(SetupTicked):
    def log_text(self, state: State) -> str:
        return f"{'done' if self.done else 'not done after all'}: {self.label}"


def steps_now(state: State) -> tuple[Step, ...]:
    return steps(state.table, state.phase, state.turn)


def tick(state: State, context: Context, item: Choice, done: Done = "yes") -> Events:
    found = next((each.label for each in steps_now(state) if each.id == item and not each.by_app), None)
    yield StepTicked(item, to_tick(state.ticked, item, found, done == "yes"), done == "yes")


class GodsChosen(Event[State]):
    gods: tuple[str, ...]  # their bonds
    by_lot: bool = False

    def fold(self, state: State) -> State:
        """Who was evoked is in play, whatever is remembered later."""
        evoked = state.evoked
        if evoked and len(self.gods) == len(state.seats) and evoked.bond not in self.gods:
            raise Refused(f"{find_bond(evoked.bond).god} has been evoked, so it is one of those in play.")
        return replace(state, gods=tuple(self.gods))

    def log_text(self, state: State) -> str:
        names = listed([find_bond(each).god for each in self.gods]) or "not said yet"
        return f"Great Old Ones: {names}{', by lot' if self.by_lot else ''}"


def choose_god(state: State, context: Context, god: Choice, done: Done = "yes") -> Events:
    """Which Great Old Ones are in play, said at any time; a table that does not say may evoke any."""
    if state.over:
        raise Refused("The game is over.")
    known, most = find_bond(god), len(state.seats)
    if (known.id in state.gods) == (done == "yes"):
        raise Refused(f"{known.god} is {'in play already' if done == 'yes' else 'not in play'}.")
    gods = {*state.gods} ^ {known.id}
    if len(gods) > most:
        raise Refused(f"With {most} players there are {most} Great Old Ones; take one out first.")
    yield GodsChosen(tuple(each.id for each in BONDS if each.id in gods))


def draw_gods(state: State, context: Context) -> Events:
    if state.phase != "setup":
        raise Refused("Lots are drawn before turn 1; now tap those that lie on the table.")
    drawn = context.luck.shuffle([each.id for each in BONDS])[: len(state.seats)]
    yield GodsChosen(tuple(each.id for each in BONDS if each.id in drawn), by_lot=True)


class GameBegun(Event[State]):
    first: tuple[int, ...]  # who declares one after another in turn 1

    def fold(self, state: State) -> State:
        if state.turn:
            raise Refused("The game has begun already.")
        known = tuple(seat for seat in self.first if seat in state.seats)
        since = tuple(seat for seat in state.seats if seat not in known)  # whoever sat down since
        return replace(state, turn=1, prepared=True, sequence=known + since, ticked=())

    def log_text(self, state: State) -> str:
        return f"turn 1 begins; {state.name(self.first[0])} declares first"


def begin_game(state: State, context: Context) -> Events:
    at = state.seats.index(state.table.starter)
    yield GameBegun((*state.seats[at:], *state.seats[:at]))


# --- the four phases of a turn ---


class TurnPrepared(Event[State]):
    turn: int

    says = "turn {turn} is prepared; Seekers and Elder Signs are home"

    def fold(self, state: State) -> State:
        expect(state, "preparation", self.turn)
        players = {seat: replace(each, seeker=HOME, sign=HOME) for seat, each in state.players.items()}
        return replace(state, prepared=True, players=players, ticked=())


def finish_preparation(state: State, context: Context, turn: Turn) -> Events:
    yield TurnPrepared(turn)


class ObsessionsDeclared(Event[State]):
    seat: int
    turn: int
    lap: int
    count: int

    def fold(self, state: State) -> State:
        expect(state, "order", self.turn)
        if any((each.seat, each.lap) == (self.seat, self.lap) for each in state.declared):
            raise Refused(f"{state.name(self.seat)} has declared in lap {self.lap} already.")
        assert state.declarer is not None
        whose, lap = state.declarer
        if (whose, lap) != (self.seat, self.lap):
            raise Refused(f"It is {state.name(whose)}’s word in lap {lap}.")
        mine = state.player(whose)
        if self.count > mine.hand:
            paths = counted(mine.hand, "Path", "no")
            raise Refused(f"{state.name(whose)} has {paths} in hand, not {self.count}.")
        hand, temporary = mine.hand - self.count, mine.temporary + self.count
        declared = (*state.declared, Declared(whose, lap, self.count))
        return replace(state.with_player(whose, hand=hand, temporary=temporary), declared=declared)

    def log_text(self, state: State) -> str:
        paths = counted(self.count, "more Path" if self.lap == 2 else "Path", "no")
        words = f"lap {self.lap}: turns {paths}"
        if state.declarer is None:
            words += "; Research Order: " + ", ".join(state.name(seat) for seat in state.order)
            words += "".join(f". {tie}" for tie in ties(state))
        return words


def declare(state: State, context: Context, seat: SeatId, turn: Turn, lap: Lap, count: Part) -> Events:
    yield ObsessionsDeclared(seat, turn, lap, count)


class ResearchEnded(Event[State]):
    turn: int

    says = "turn {turn}: the rest of the Research was played without the phones"

    def fold(self, state: State) -> State:
        expect(state, "research", self.turn)
        return replace(state, ended=True)


def end_research(state: State, context: Context, turn: Turn) -> Events:
    yield ResearchEnded(turn)


class TurnClosed(Event[State]):
    """All but the Permanent Obsessions come back, then one more Path turns for good."""

    turn: int

    def fold(self, state: State) -> State:
        expect(state, "end", self.turn)
        last = self.turn == TURNS
        return replace(
            state,
            players={seat: each.come_back() for seat, each in state.players.items()},
            turn=self.turn + (not last),
            over=last,
            prepared=last,
            ended=False,
            sequence=state.order,
            declared=state.declared if last else (),
            ticked=(),
        )

    def log_text(self, state: State) -> str:
        words = f"turn {self.turn} is over; one more Path of each is a Permanent Obsession"
        return words + ("; the game is over" if self.turn == TURNS else "")


def close_turn(state: State, context: Context, turn: Turn) -> Events:
    yield TurnClosed(turn)


# --- six cards, put right by hand ---


class CardsSet(Event[State]):
    seat: int
    hand: int
    spent: int
    temporary: int
    permanent: int

    says = "cards put right: {hand} Paths, {spent} spent, {temporary} temporary, {permanent} permanent"

    def fold(self, state: State) -> State:
        cards = {name: count for name, count in vars(self).items() if name != "seat"}
        return state.with_player(self.seat, used=min(state.player(self.seat).used, self.permanent), **cards)


def set_cards(
    state: State, context: Context, seat: SeatId, hand: Part, spent: Part, temporary: Part, permanent: Part
) -> Events:
    if (total := hand + spent + temporary + permanent) != PATHS:
        raise Refused(f"That makes {total} cards; everyone has six.")
    if state.player(seat).cards == (hand, spent, temporary, permanent):
        raise Refused("It says that already.")
    yield CardsSet(seat, hand, spent, temporary, permanent)
