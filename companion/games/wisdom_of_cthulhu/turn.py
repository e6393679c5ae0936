"""Set-up, and from phase to phase. Each tap says which turn it meant, so that the second one is only late."""

from typing import Annotated

from companion.core import Context, Event, Events, Refused, SeatEvent, refuse_if, replace
from companion.core.checklist import SetupTicked, to_tick
from companion.core.text import Bounds, Choice, Count, SeatId, YesOrNo, counted
from companion.games.wisdom_of_cthulhu.box import BONDS, PATHS, PHASES, TURNS, find_bond, steps
from companion.games.wisdom_of_cthulhu.state import Declared, Player, State, ties

Turn = Annotated[Count, Bounds(ge=1, le=TURNS)]
Lap = Annotated[Count, Bounds(ge=1, le=2)]
Part = Annotated[Count, Bounds(le=PATHS)]  # of one's six cards
SIX = dict.fromkeys(("hand", "spent", "temporary", "permanent"), Part)


def evolve(state: State, event: Event) -> State:
    """What must always hold is checked here and in `fold`, so that take-backs stay honest."""
    after = _seated(event.fold(state))
    for seat in after.seats if after.players is not state.players else ():  # six cards each
        mine = after.players[seat]
        cards = [getattr(mine, name) for name in SIX]
        wrong = min(*cards, mine.permanent - mine.used) < 0 or sum(cards) != PATHS
        refuse_if(wrong, f"{after.name(seat)} has six cards, no more and no fewer.")
    return after


def _seated(state: State) -> State:
    """Somebody who sits down late has as many Permanent Obsessions as the others."""
    for seat in state.seats:
        if seat in state.players:
            continue
        late, running = max(0, state.turn - 1), state.phase in ("research", "end")
        zeros = (Declared(seat, 1, 0), Declared(seat, 2, 0)) if running else ()
        players = {**state.players, seat: Player(hand=PATHS - late, permanent=late)}
        sequence = (*state.sequence, seat) if state.turn else ()
        state = replace(state, players=players, sequence=sequence, declared=(*state.declared, *zeros))
    return state


def expect(state: State, phase: str, turn: int) -> None:
    """Two phones may tap the same; the second one is late."""
    order, now = [*PHASES, "over"], state.phase
    if (now, state.turn) == (phase, turn):
        return
    refuse_if(now == "setup", "The game has not begun.")
    if (state.turn, order.index(now)) > (turn, order.index(phase)):
        raise Refused(f"The {PHASES[phase]} of turn {turn} is over already.")
    waits = f": {state.name(state.actor)} can still act" if now == "research" and state.actor else ""
    raise Refused(f"Turn {state.turn} is in its {PHASES[now]}{waits}.")


class StepTicked(SetupTicked):
    """Of any phase."""


def tick(state: State, context: Context, item: Choice, done: YesOrNo = "yes") -> Events:
    now = steps(state.table, state.phase, state.turn)
    label = {each.id: each.label for each in now if not each.by_app}.get(item)
    yield StepTicked(item, to_tick(state.ticked, item, label, done == "yes"), done == "yes")


class GodsChosen(Event[State]):
    gods: tuple[str, ...]  # their bonds
    by_lot: bool = False

    def fold(self, state: State) -> State:
        """Who was evoked is in play, whatever is remembered later."""
        absent = state.evoked and len(self.gods) == len(state.seats) and state.came.id not in self.gods
        refuse_if(absent, f"{state.came.god} has been evoked, so it is one of those in play.")
        return replace(state, gods=tuple(self.gods))


def choose_god(state: State, context: Context, god: Choice, done: YesOrNo = "yes") -> Events:
    """Which Great Old Ones are in play, said at any time; a table that does not say may evoke any."""
    known, most = find_bond(god), len(state.seats)
    gods, so = {*state.gods} ^ {known.id}, "in play already" if done == "yes" else "not in play"
    refuse_if(state.over, "The game is over.")
    refuse_if((known.id in state.gods) == (done == "yes"), f"{known.god} is {so}.")
    refuse_if(len(gods) > most, f"With {most} players there are {most} Great Old Ones; take one out first.")
    yield GodsChosen(tuple(each.id for each in BONDS if each.id in gods))


def draw_gods(state: State, context: Context) -> Events:
    refuse_if(state.turn, "Lots are drawn before turn 1; now tap those that lie on the table.")
    drawn = context.luck.shuffle([each.id for each in BONDS])[: len(state.seats)]
    yield GodsChosen(tuple(each.id for each in BONDS if each.id in drawn), by_lot=True)


class GameBegun(Event[State]):
    first: tuple[int, ...]  # who declares one after another in turn 1

    def fold(self, state: State) -> State:
        refuse_if(state.turn, "The game has begun already.")
        known = tuple(seat for seat in self.first if seat in state.seats)
        since = tuple(seat for seat in state.seats if seat not in known)  # whoever sat down since
        return replace(state, turn=1, prepared=True, sequence=known + since, ticked=())


def begin_game(state: State, context: Context) -> Events:
    yield GameBegun(state.table.clockwise(state.table.starter))


class TurnPrepared(Event[State], tap="finish_preparation", turn=Turn):
    turn: int

    def fold(self, state: State) -> State:
        expect(state, "preparation", self.turn)
        players = {seat: each.prepared() for seat, each in state.players.items()}
        return replace(state, prepared=True, players=players, ticked=())


class ObsessionsDeclared(SeatEvent[State], tap="declare", seat=SeatId, turn=Turn, lap=Lap, count=Part):
    turn: int
    lap: int
    count: int
    passed: bool = False  # without a word, as there was no Path left to turn

    def fold(self, state: State) -> State:
        expect(state, "order", self.turn)
        done, word = [(each.seat, each.lap) for each in state.declared], (self.seat, self.lap)
        refuse_if(word in done, f"{state.name(self.seat)} has declared in lap {self.lap} already.")
        whose, lap = state.declarer or (0, 0)
        mine, name = state.player(whose), state.name(whose)
        refuse_if((whose, lap) != word, f"It is {name}’s word in lap {lap}.")
        paths = counted(mine.hand, "Path", "no")
        refuse_if(self.count > mine.hand, f"{name} has {paths} in hand, not {self.count}.")
        hand, temporary = mine.hand - self.count, mine.temporary + self.count
        declared = (*state.declared, Declared(whose, lap, self.count))
        return replace(state.with_player(whose, hand=hand, temporary=temporary), declared=declared)

    def follows(self, state: State) -> Events:
        """Who has no Path left to turn is not asked in lap 2."""
        while state.declarer and state.declarer[1] == 2 and not state.players[state.declarer[0]].hand:
            passed = ObsessionsDeclared(state.declarer[0], self.turn, 2, 0, passed=True)
            yield passed
            state = passed.fold(state)

    def settled(self, state: State) -> str:
        """The last word says in which order they act, and why."""
        order = ", ".join([state.name(seat) for seat in state.order])
        return "" if state.declarer else ". ".join([f"; Research Order: {order}", *ties(state)])


class ResearchEnded(Event[State], tap="end_research", turn=Turn):
    turn: int

    def fold(self, state: State) -> State:
        expect(state, "research", self.turn)
        return replace(state, ended=True)


class TurnClosed(Event[State], tap="close_turn", turn=Turn):
    """All but the Permanent Obsessions come back, then one more Path turns for good."""

    turn: int

    def fold(self, state: State) -> State:
        expect(state, "end", self.turn)
        players = {seat: each.come_back() for seat, each in state.players.items()}
        state = replace(state, players=players, sequence=state.order, ended=False, ticked=(), bought=())
        if self.turn == TURNS:
            return replace(state, over=True, prepared=True)
        return replace(state, turn=self.turn + 1, prepared=False, declared=())


class CardsSet(SeatEvent[State], tap="set_cards", seat=SeatId, **SIX):
    """Put right by hand."""

    hand: int
    spent: int
    temporary: int
    permanent: int

    def check_tap(self, state: State) -> None:
        cards = sum(getattr(self, name) for name in SIX)
        refuse_if(cards != PATHS, f"That makes {cards} cards; everyone has six.")

    def fold(self, state: State) -> State:
        cards = {name: getattr(self, name) for name in SIX}
        return state.with_player(self.seat, used=min(state.player(self.seat).used, self.permanent), **cards)
