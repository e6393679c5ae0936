"""Everyone chooses a number, and all are shown together: bids, votes, guesses, whoever is nearest.

Where nobody asks for it, it costs a table nothing.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from companion.core import Context, Event, Refused, Seat, Table, TableEvent, replace
from companion.core.pieces import Bar, Do, Grid, Panel, Piece, Tap, Total
from companion.core.text import Count, SeatId, capital, listed
from companion.core.view import Field, Form, Phase
from companion.games.any_game.state import State
from companion.tools import sealed


def about(asking: int) -> str:
    return f"number-{asking}"


# --- what can happen ---


class NumbersAsked(Event[State]):
    asking: int  # the first, the second …: a tap that was meant for an earlier one is late

    says = "everyone chooses a number"

    def fold(self, state: State) -> State:
        if self.asking != state.askings + 1:
            raise Refused("Everyone has been asked already.")
        return replace(state, askings=self.asking, numbers={})


class NumbersShown(Event[State]):
    asking: int
    numbers: Mapping[int, int]  # by seat

    def fold(self, state: State) -> State:
        check_open(state, self.asking)
        return replace(state, numbers=self.numbers)

    def log_text(self, state: State) -> str:
        named = [(seat.name, self.numbers.get(seat.id)) for seat in state.table.seats]
        return "the numbers: " + listed([f"{name} {number}" for name, number in named if number is not None])


class NumbersPutAway(TableEvent):
    asking: int

    says = "the numbers are put away"

    def change(self, table: Table) -> Table:
        return sealed.thrown_away(table, about(self.asking))

    def fold(self, state: Any) -> Any:
        if state.numbers is None or self.asking != state.askings:
            raise Refused("Those numbers are put away already.")
        return replace(state, numbers=None)


def check_open(state: State, asking: int) -> None:
    if state.numbers is None or state.numbers or asking != state.askings:
        raise Refused("Nobody is asked for that number any more.")


# --- what can be tapped ---


def ask_numbers(state: State, context: Context, after: Count) -> Iterator[Event]:
    yield NumbersAsked(after + 1)


def choose_number(
    state: State, context: Context, seat: SeatId, asking: Count, number: Count
) -> Iterator[Event]:
    check_open(state, asking)
    chosen = yield from sealed.seal(state, context, seat, about(asking), str(number), state.table.ids)
    if chosen:
        yield NumbersShown(asking, {id: int(each) for id, each in chosen.items()})


def put_numbers_away(state: State, context: Context, asking: Count) -> Iterator[Event]:
    yield NumbersPutAway(asking)


# --- what is seen ---


def private(state: State, seat: int) -> tuple[Piece, ...]:
    if state.numbers is None or state.numbers:
        return ()
    mine = sealed.choice_of(state.table, about(state.askings), seat)
    holder = state.table.holder(seat)
    shared = holder is not None and len(holder.seats) > 1  # who plays for two reads for which
    whose = f"{state.name(seat)}’s" if shared else "your"
    label = capital(f"{whose} number: {mine}") if mine else f"Choose {whose} number"
    words = "Tap to change it, until all have chosen." if mine else "Nobody sees it until all have chosen."
    return (Tap(label, detail=words, strong=not mine, opens=f"number-{seat}", id=f"my-number-{seat}"),)


def forms(state: State) -> tuple[Form, ...]:
    """While they choose, one for each, with nothing in it: all phones may open all."""
    return () if state.numbers else tuple(_to_choose(seat, state.askings) for seat in state.table.seats)


@lru_cache(100)
def to_ask(askings: int) -> tuple[Form, ...]:
    """One to ask everyone."""
    do = Do("ask_numbers", {"after": askings})
    words = "Everyone chooses a number on their own phone. When the last one has, all are shown together."
    return (Form("ask-numbers", "Secret numbers", do, (), "Ask everyone", text=words),)


def _to_choose(seat: Seat, asking: int) -> Form:
    do = Do("choose_number", {"seat": seat.id, "asking": asking})
    field = Field("number", "The number", "", "number")
    return Form(f"number-{seat.id}", f"{seat.name}’s number", do, (field,), "Seal it", listed=False)


def with_numbers(phase: Phase, state: State) -> Phase:
    """The phase of the game, and above its buttons who has chosen, or all the numbers."""
    asking = state.askings
    away = Tap("Put away", Do("put_numbers_away", {"asking": asking}))
    if not state.numbers:
        who = sealed.waiting(state.table, about(asking), state.table.ids)
        return replace(phase, first=(Panel("numbers", (who, away), "Everyone chooses a number"),))
    again = Tap("Ask again", Do("ask_numbers", {"after": asking}))
    shown = tuple(
        Total(f"number-of-{seat.id}", seat.name, str(state.numbers[seat.id]), seat=seat, large=True)
        for seat in state.table.seats
        if seat.id in state.numbers
    )
    grid = Grid("all-numbers", shown, columns=min(4, len(shown)), narrow=2)
    then = Bar("then", (again, away))
    return replace(phase, first=(Panel("numbers", (grid, then), "The numbers"),), step=about(asking))
