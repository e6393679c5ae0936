"""Who is at the table, five phases, and what is counted in them. A tap says which phase it saw."""

from typing import Annotated, ClassVar, Literal

from companion.core import Context, Event, Events, Refused, SeatEvent, SeatId, TableEvent, refuse_if, replace
from companion.core.text import Bounds, By, Count, Text, counted
from companion.games.smash_up.adjudication import adjudicate, judge, standings
from companion.games.smash_up.cards import MADNESS, Cards, Power
from companion.games.smash_up.state import GOAL, LAST, PLAY, SCORE, Holding, State, Which

Lost = Literal["destroyed", "returned"]
FIRST = "and must be scored first."  # before the third phase is left behind, unless that was a slip
MOST = 3 * GOAL  # VP that a table can have by ties that play on; what is beyond was mistyped
Phase = Annotated[Count, Bounds(ge=1, le=LAST)]


def evolve(state: State, event: Event[State]) -> State:
    """Whoever leaves takes everything along; their Madness cards go back to the deck."""
    if not isinstance(event, TableEvent):
        return event.fold(state)
    here, theirs = state.table.ids, state.table.theirs
    if here == state.order:
        return state
    if state.stage != "setup" and state.player not in here:
        order, at = state.order, state.order.index(state.player)
        player = next((seat for seat in order[at:] if seat in here), here[0])
        after = state.after if state.leaving else None
        state = replace(state, player=player, phase=1, scoring=None, after=after)
    bases = tuple(replace(base, held=theirs(base.held)) for base in state.bases)
    factions, vp, madness = theirs(state.factions), theirs(state.vp), theirs(state.madness)
    return replace(state, order=here, factions=factions, vp=vp, madness=madness, bases=bases)


class GameBegun(SeatEvent[State]):
    def fold(self, state: State) -> State:
        refuse_if(state.stage != "setup", "The game has begun already.")
        return replace(state, stage="play", turn=1, phase=1, player=state.table.seat(self.seat).id, gap=None)


class PhaseBegun(Event[State]):
    turn: int
    phase: int

    def fold(self, state: State) -> State:
        state.check_turn(self.turn)
        refuse_if(not state.phase < self.phase <= LAST, "That phase is over.")
        return replace(state, phase=self.phase, after=None)


class TurnEnded(Event[State]):
    """`check` says that the check at its end found the game over."""

    turn: int
    check: bool = False
    note: str = ""
    tally: str = ""  # told again when the evening is over

    def fold(self, state: State) -> State:
        state.check_turn(self.turn)
        state = replace(state, phase=LAST, after=None)
        return replace(state, stage="check") if self.check else _next_player(state)


class PlayedOn(Event[State], tap="play_on", turn=Which):
    """After a correction that took the end back."""

    turn: int

    def check_tap(self, state: State) -> None:
        adjudicate(state).check_going_on()

    def fold(self, state: State) -> State:
        refuse_if((state.stage, state.turn) != ("check", self.turn), "The game is going on.")
        return _next_player(state)


def _next_player(state: State) -> State:
    seats = state.table.clockwise(state.player)
    return replace(state, stage="play", turn=state.turn + 1, phase=1, player=seats[1 % len(seats)])


def begin_game(state: State, context: Context) -> Events:
    """Two phones may press this at once; the second one is late."""
    early, here, more = state.stage == "setup", len(state.bases), state.wanted - len(state.bases)
    refuse_if(early and more > 0, f"{state.plays_with}; {more} still to come.")
    refuse_if(early and more < 0, f"{state.plays_with}, and {here} lie here. Put one back.")
    yield GameBegun(state.table.starter)


def _check_now(state: State, turn: int, phase: int = 0) -> None:
    """Whoever ends a turn does so from any of its phases; whoever goes on goes on from one."""
    refuse_if(state.stage == "setup", "The game has not begun.")
    refuse_if(state.stage == "check", f"That turn is over. {adjudicate(state).summary}")
    seen, now = (turn, phase or state.phase), (state.turn, state.phase)
    if seen != now:
        at = f"{state.name(state.player)} is at {state.doing.name}"
        raise Refused(f"{'That was tapped already' if seen < now else 'Not yet'}: {at}.")
    adjudicate(state).check_going_on()
    state.check_no_scoring("; finish that first")


def next_phase(state: State, context: Context, turn: Which, phase: Phase, anyway: bool = False) -> Events:
    _check_now(state, turn, phase)
    refuse_if(phase == LAST, "After Shut It Down the turn ends.")
    refuse_if(phase == SCORE and not anyway and state.all_ready, f"{state.all_ready} {FIRST}")
    yield PhaseBegun(turn, phase + 1)


def end_turn(state: State, context: Context, turn: Which) -> Events:
    _check_now(state, turn)
    refuse_if(state.phase <= SCORE and state.all_ready, f"{state.all_ready} {FIRST}")
    had, verdict = standings(state), judge(state.table, standings(state))
    note = verdict.summary if state.ending and not verdict.final else ""
    by = {each: " and ".join(state.factions_of(each.seat)) for each in had}  # with which factions
    totals = "; ".join([f"{each.name}{by[each] and f' ({by[each]})'} {each.sum} VP" for each in had])
    yield TurnEnded(turn, verdict.final, note, f"counted up: {totals}" if verdict.final else "")


# --- power at the bases ---


class _AtABase(SeatEvent[State]):
    """Changes what a seat has there."""

    base: int

    def now(self, state: State) -> Holding:
        return state.base(self.base).at(self.seat)

    def change(self, state: State, power: int = 0, minions: int | None = None) -> State:
        base = state.base(self.base)
        held = base.at(self.seat)
        changed = Holding(held.power + power, held.minions if minions is None else held.here + minions)
        if changed.power < 0 or changed.here < 0:
            where = f"{state.name(self.seat)} at {base.card.name} has"
            refuse_if(changed.power < 0, f"{where} {held.power} power; it cannot fall below 0.")
            raise Refused(f"{where} no minion that could go.")
        refuse_if(changed.power > 999 or changed.here > 99, "No base has room for so many.")
        return state.with_base(replace(base, held={**base.held, self.seat: changed}))


class PowerCounted(_AtABase, tap="count_power", seat=SeatId, base=Which, by=By):
    by: int

    def fold(self, state: State) -> State:
        return self.change(state, power=self.by)


class MinionsCounted(_AtABase, tap="count_minions", seat=SeatId, base=Which, by=By):
    by: int

    def fold(self, state: State) -> State:
        return self.change(state, minions=self.by)


class MinionPlayed(_AtABase):
    power: int
    adds: int = 0  # what the base adds to it
    name: str = ""
    begins: bool = False  # Play Cards with it

    def fold(self, state: State) -> State:
        state = replace(state, phase=PLAY) if self.begins else state
        return self.change(state, self.power + self.adds, 1)


class MinionLeft(_AtABase):
    """Destroyed, returned or moved; where nobody counts minions, what power is left still stands for one."""

    power: int  # its own, without what a base adds
    how: Literal["destroyed", "returned", "moved", "traded"]
    to: int = 0
    lost: int = 0  # what the base added to it
    gained: int = 0  # what the base adds to it where it is now

    def fold(self, state: State) -> State:
        refuse_if(self.base == self.to, "It is there already.")
        counted = self.now(state).minions is not None
        left = self.change(state, -self.power - self.lost, -1 if counted else None)
        left = replace(left, traded=state.turn) if self.how == "traded" else left
        return replace(self, base=self.to).change(left, self.power + self.gained, 1) if self.to else left


def play_minion(
    state: State, context: Context, base: Which, power: Power, seat: SeatId = 0, name: Text = ""
) -> Events:
    """It is the first thing of a turn that is tapped, and the base does what it does by itself."""
    if not seat:  # in a row that only the one whose turn it is sees: it may be another's by now
        holder, seat = state.table.holder(state.player), state.player
        refuse_if(state.stage != "play", "Nobody's turn is being played.")
        refuse_if(holder and holder.number != context.phone, f"It is {state.name(seat)}'s turn now.")
    card = state.base(base).card
    begins = (state.stage, state.phase, state.player) == ("play", 1, seat)
    yield MinionPlayed(seat, base, power, card.adds, name, begins)
    if drawn := min(card.draws, state.madness_deck):
        yield MadnessDrawn(seat, drawn, card.draws)


def lose_minion(state: State, context: Context, base: Which, seat: SeatId, power: Power, how: Lost) -> Events:
    card = state.base(base).card
    yield MinionLeft(seat, base, power, how, lost=card.adds)
    if how == "destroyed" and card.dies:
        yield VpCounted(seat, card.dies, card.name)


def move_minion(state: State, context: Context, base: Which, seat: SeatId, power: Power, to: Which) -> Events:
    lost, gained = state.base(base).card.adds, state.base(to).card.adds
    yield MinionLeft(seat, base, power, "moved", to, lost, gained)


def trade_minion(state: State, context: Context, base: Which, seat: SeatId, power: Power) -> Events:
    card, now = state.base(base).card, (state.stage, state.phase, state.player)
    refuse_if(not card.trade, f"{card.name} gives no VP for a minion.")
    refuse_if(now != ("play", 1, seat), f"{card.name} does that at the start of one's own turn.")
    refuse_if(state.traded == state.turn, f"{state.name(seat)} has done that in this turn.")
    yield MinionLeft(seat, base, power, "traded", lost=card.adds)
    yield VpCounted(seat, 1, card.name)


class MinionMoved(_AtABase):
    """As it was told once; `MinionLeft` is how it is told now."""

    to: int
    power: int

    def fold(self, state: State) -> State:
        refuse_if(self.base == self.to, "It is there already.")
        return replace(self, base=self.to).change(self.change(state, -self.power, -1), self.power, 1)


# --- VP by hand, and Madness cards ---


class VpCounted(SeatEvent[State], tap="count_vp", seat=SeatId, by=By, reason=Text):
    by: int
    reason: str = ""

    def check_tap(self, state: State) -> None:
        total = state.vp.get(self.seat, 0) + self.by
        slip = f"{total} VP for {state.name(self.seat)}? {GOAL} end the game, so that looks mistyped."
        refuse_if(self.by > 0 and total > MOST, slip)

    def fold(self, state: State) -> State:
        had = state.vp.get(state.table.seat(self.seat).id, 0)
        refuse_if(had + self.by < 0, f"{state.name(self.seat)} has {had} VP; nobody goes below 0.")
        return replace(state, vp={**state.vp, self.seat: had + self.by})


class _MadnessMoved(SeatEvent[State]):
    """Deck and players together always hold thirty."""

    cards: int

    sign: ClassVar[int] = 1

    def fold(self, state: State) -> State:
        name, held, by = state.name(self.seat), state.madness.get(self.seat, 0), self.sign * self.cards
        number = f"{counted(held, 'Madness card')}, no more" if held else "no Madness card"
        refuse_if(held + by < 0, f"{name} holds {number}.")
        deck = state.madness_deck
        refuse_if(by > deck, f"There are only {MADNESS} Madness cards; {deck} are in the deck.")
        return replace(state, madness={**state.madness, self.seat: held + by})


class MadnessDrawn(_MadnessMoved):
    asked: int = 0  # where the deck had fewer

    @property
    def lacking(self) -> bool:
        return self.asked > self.cards


class MadnessReturned(_MadnessMoved, tap="return_madness", seat=SeatId, cards=Cards):
    cards: int = 1
    played: bool = False

    sign = -1


class MadnessPlayed(SeatEvent[State]):
    """For two cards; it goes to the discard pile and is still this player's."""

    def fold(self, state: State) -> State:
        refuse_if(not state.madness.get(self.seat, 0), f"{state.name(self.seat)} holds no Madness card.")
        return state


def draw_madness(state: State, context: Context, seat: SeatId, cards: Cards = 1) -> Events:
    empty = f"The Madness deck is empty: all {MADNESS} cards are out, so the draw is ignored."
    refuse_if(not state.madness_deck, empty)
    yield MadnessDrawn(seat, min(cards, state.madness_deck), cards)


def play_madness(state: State, context: Context, seat: SeatId, choice: Literal["cards", "return"]) -> Events:
    yield MadnessPlayed(seat) if choice == "cards" else MadnessReturned(seat, 1, played=True)


def count_madness(state: State, context: Context, seat: SeatId, by: By) -> Events:
    """The number beside − and +: plus draws, minus returns."""
    yield from draw_madness(state, context, seat, min(by, 999)) if by > 0 else [MadnessReturned(seat, -by)]
