from functools import lru_cache

from companion.core import Do, Field, Form, Phase, Row, SeatView, Sheet, Table, Tap, View
from companion.core.memo import kept_on
from companion.core.pieces import Note
from companion.core.text import listed, plain
from companion.games.any_game.adjudication import adjudicate, lowest_wins
from companion.games.any_game.numbers import forms, to_ask, with_numbers
from companion.games.any_game.standing import standings
from companion.games.any_game.state import Arrangement, Kind, State


def view(state: State) -> View:
    leaders = adjudicate(state).leaders if state.points else ()
    agreed, kinds, columns, stand = state.agreed, state.kinds, _columns(state.round), standings(state)
    rows = zip(*[each.rows for each in stand], strict=True)
    around = (agreed, kinds, state.round, state.over, state.reached, state.askings)
    phase, usual = _around(state.table, *around)
    return View(
        phase=phase if state.numbers is None else with_numbers(phase, state),
        seats=_placed(state, tuple([each.seen(each.seat.id in leaders) for each in stand])),
        sheets=tuple([_sheet(kind, columns, of_it) for kind, of_it in zip(kinds, rows, strict=True)]),
        forms=usual if state.numbers is None else (*_arranged(agreed, kinds), *forms(state)),
    )


@kept_on
def _around(
    table: Table,
    agreed: Arrangement,
    kinds: tuple[Kind, ...],
    round: int,
    over: bool,
    reached: tuple[str, ...],
    askings: int,
) -> tuple[Phase, tuple[Form, ...]]:
    """What stands around the numbers: what to do now, and what can be arranged."""
    return _phase(round, over, agreed, reached), (*_arranged(agreed, kinds), *to_ask(askings))


def _arranged(agreed: Arrangement, kinds: tuple[Kind, ...]) -> tuple[Form, ...]:
    return (_arranging(agreed), *_counters(kinds))


def _placed(state: State, seats: tuple[SeatView, ...]) -> tuple[SeatView, ...]:
    """By rank, as it was when the round began: nobody changes places while somebody taps."""
    if not state.agreed.by_rank:
        return seats
    kind, way = state.kinds[0], 1 if lowest_wins(state) else -1

    def had(each: SeatView) -> int:
        tally = state.tally(each.seat.id)
        return way * (tally.total(kind) - tally.got(state.round, kind.id))

    return tuple(sorted(seats, key=had))


@lru_cache(1000)
def _arranging(agreed: Arrangement) -> Form:
    orders, starters = (
        (("seats", "As we sit"), ("rank", "By rank")),
        (("stays", "Stays"), ("moves", "Moves on")),
    )
    fields = (
        Field("title", "What do you play?", agreed.title, optional=True),
        Field("target", "Played to", str(agreed.target or ""), "number", optional=True),
        Field("order", "Players stand", orders[agreed.by_rank][0], "choice", orders),
        Field("starter", "Who starts", starters[agreed.rotates][0], "choice", starters),
    )
    return Form("this-game", "This game", Do("arrange"), fields)


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


@lru_cache(1000)
def _phase(round: int, over: bool, agreed: Arrangement, reached: tuple[str, ...]) -> Phase:
    if over:
        return Phase("The game is over", buttons=(Tap("Play on", Do("play_on")),))
    on = Tap("Next round", Do("next_round", {"after": round}), strong=not reached)
    end = Tap("End game", Do("end_game"), confirm="End the game and show who won?", strong=bool(reached))
    title = f"{agreed.title}, round {round}" if agreed.title else f"Round {round}"
    text = f"Played to {plain(agreed.target)}" if agreed.target and not reached else ""
    return Phase(title, text, (on, end), pieces=_announced(agreed.target, reached))


def _announced(target: int, reached: tuple[str, ...]) -> tuple[Note, ...]:
    if not reached:
        return ()
    have = "has" if len(reached) == 1 else "have"
    words = f"{listed(reached)} {have} reached {plain(target)}. After this round the game is over."
    return (Note("target", words, tone="warn", buzz=f"target {target}"),)


def _sheet(kind: Kind, columns: tuple[str, ...], rows: tuple[Row, ...]) -> Sheet:
    return Sheet(f"sheet-{kind.id}", kind.name, columns, rows)


@lru_cache(100)
def _columns(rounds: int) -> tuple[str, ...]:
    return tuple(str(round) for round in range(1, rounds + 1))


@lru_cache(1000)
def _rename(kind: Kind, several: bool) -> Form:
    return Form(
        f"counter-{kind.id}",
        f"Counter “{kind.name}”",
        Do("rename_counter", {"counter": kind.id}),
        (
            Field("name", "Name", kind.name),
            Field("start", "Starts at", str(kind.start), "number", optional=True),
        ),
        "Save",
        also=(Tap("Put away", Do("remove_counter", {"counter": kind.id})),) if several else (),
    )
