from __future__ import annotations

from functools import lru_cache

from companion.core import Do, Field, Form, Phase, Row, Sheet, Tap, View
from companion.games.any_game.adjudication import adjudicate
from companion.games.any_game.numbers import forms, with_numbers
from companion.games.any_game.standing import standings
from companion.games.any_game.state import Kind, State


def view(state: State) -> View:
    leaders = adjudicate(state).leaders if state.points else ()
    phase, kinds, stand = _phase(state.round, state.over), state.kinds, standings(state)
    rows = zip(*[each.rows for each in stand], strict=True)
    return View(
        phase=phase if state.numbers is None else with_numbers(phase, state),
        seats=tuple([each.seen(each.seat.id in leaders) for each in stand]),
        sheets=tuple([_sheet(kind, state.round, of_it) for kind, of_it in zip(kinds, rows, strict=True)]),
        forms=_counters(kinds) + forms(state),
    )


@lru_cache(1000)
def _counters(kinds: tuple[Kind, ...]) -> tuple[Form, ...]:
    """The new one first: whoever adds two finds it where it was."""
    return (NEW_COUNTER, *(_rename(kind, len(kinds) > 1) for kind in kinds))


NEW_COUNTER = Form(
    "new-counter",
    "New counter",
    Do("add_counter"),
    (Field("name", "Name"), Field("start", "Starts at", "0", "number", optional=True)),
    "Add counter",
)


@lru_cache(100)
def _phase(round: int, over: bool) -> Phase:
    if over:
        return Phase("The game is over", buttons=(Tap("Play on", Do("play_on")),))
    return Phase(
        f"Round {round}",
        buttons=(
            Tap("Next round", Do("next_round", {"after": round}), strong=True),
            Tap("End game", Do("end_game"), confirm="End the game and show who won?"),
        ),
    )


def _sheet(kind: Kind, round: int, rows: tuple[Row, ...]) -> Sheet:
    return Sheet(f"sheet-{kind.id}", kind.name, _columns(round), rows)


@lru_cache(100)
def _columns(rounds: int) -> tuple[str, ...]:
    return tuple(str(round) for round in range(1, rounds + 1))


@lru_cache(1000)
def _rename(kind: Kind, several: bool) -> Form:
    return Form(
        f"counter-{kind.id}",
        f"Counter “{kind.name}”",
        Do("rename_counter", {"counter": kind.id}),
        (Field("name", "Name", kind.name),),
        "Rename",
        also=(Tap("Put away", Do("remove_counter", {"counter": kind.id})),) if several else (),
    )
