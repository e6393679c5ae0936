"""What an event makes of the state. What must always hold is checked here, so that take-backs stay honest."""

from __future__ import annotations

from dataclasses import replace

from companion.core import Event, Refused
from companion.core.text import counted, plain
from companion.games.wisdom_of_cthulhu import marks
from companion.games.wisdom_of_cthulhu.box import PATHS, TURNS, action, bond
from companion.games.wisdom_of_cthulhu.events import (
    ActionTaken,
    BondPaid,
    CardsSet,
    GameBegun,
    GodsChosen,
    ObsessionsDeclared,
    PointsCounted,
    ResearchEnded,
    StepTicked,
    TurnClosed,
    TurnPrepared,
)
from companion.games.wisdom_of_cthulhu.house_rules import BELOW_ZERO
from companion.games.wisdom_of_cthulhu.state import HOME, Declared, Player, State


def evolve(state: State, event: Event) -> State:
    match event:
        case StepTicked() | GodsChosen() | GameBegun() | TurnPrepared() | ResearchEnded() | TurnClosed():
            return check_cards(_go_on(state, event))
        case ObsessionsDeclared() | ActionTaken() | CardsSet():
            return check_cards(_spend(state, event))
        case PointsCounted(seat, turn, by) | BondPaid(seat, turn, _, by):
            return scored(state, seat, turn, by)
        case _:
            return marks.evolve(_seated(state), event)


def check_cards(state: State) -> State:
    """Six cards each, whatever happened."""
    for seat in state.seats:
        each = state.player(seat)
        counts = (each.hand, each.spent, each.temporary, each.permanent, each.permanent - each.used)
        if min(counts) < 0 or each.cards != PATHS:
            raise Refused(f"{state.name(seat)} has six cards, no more and no fewer.")
    return state


def scored(state: State, seat: int, turn: int, by: int) -> State:
    state.check_turn(turn)
    state.table.seat(seat)
    if by < 0 and state.kp(seat) + by < 0 and BELOW_ZERO.chosen(state.table) != "yes":
        raise Refused(
            f"{state.name(seat)} has {plain(state.kp(seat))} KP and cannot pay {-by}: nobody goes below 0."
        )
    return state.with_points(turn, seat, by)


def _seated(state: State) -> State:
    """Somebody who sits down late has as many Permanent Obsessions as the others."""
    for seat in state.seats:
        if seat in state.players:
            continue
        running = state.phase in ("research", "end")
        late = max(0, state.turn - 1)
        zeros = (Declared(seat, 1, 0), Declared(seat, 2, 0)) if running else ()
        state = replace(
            state,
            players={**state.players, seat: Player(hand=PATHS - late, permanent=late)},
            sequence=(*state.sequence, seat) if state.turn else (),
            declared=(*state.declared, *zeros),
        )
    return state


# --- from phase to phase ---


def _go_on(state: State, event: Event) -> State:
    match event:
        case StepTicked(item, _, done):
            others = tuple(each for each in state.ticked if each != item)
            return replace(state, ticked=(*others, item) if done else others)
        case GodsChosen(gods):
            _check_evoked(state, gods)
            return replace(state, gods=tuple(gods))
        case GameBegun(first):
            _expect(state, "setup", 0)
            return replace(state, turn=1, prepared=True, sequence=_all_of(state, first), ticked=())
        case TurnPrepared(turn):
            _expect(state, "preparation", turn)
            players = {seat: replace(each, seeker=HOME, sign=HOME) for seat, each in state.players.items()}
            return replace(state, prepared=True, players=players, ticked=())
        case ResearchEnded(turn):
            _expect(state, "research", turn)
            return replace(state, ended=True)
        case TurnClosed(turn):
            _expect(state, "end", turn)
            return _closed(state)
    return state


def _check_evoked(state: State, gods: tuple[str, ...]) -> None:
    """Who was evoked is in play, whatever is remembered later."""
    if state.evoked and len(gods) == len(state.seats) and state.evoked.bond not in gods:
        raise Refused(f"{bond(state.evoked.bond).god} has been evoked, so it is one of those in play.")


def _closed(state: State) -> State:
    """All but the Permanent Obsessions come back, then one more Path turns for good."""
    last = state.turn == TURNS
    players = {seat: _come_back(each) for seat, each in state.players.items()}
    return replace(
        state,
        players=players,
        turn=state.turn + (not last),
        over=last,
        prepared=last,
        ended=False,
        sequence=state.order,
        declared=state.declared if last else (),
        ticked=(),
    )


def _come_back(each: Player) -> Player:
    back = each.hand + each.spent + each.temporary
    turned = min(back, 1)
    return replace(
        each,
        hand=back - turned,
        spent=0,
        temporary=0,
        permanent=each.permanent + turned,
        used=0,
        actions=0,
        fallback=False,
    )


def _all_of(state: State, first: tuple[int, ...]) -> tuple[int, ...]:
    """As said, and whoever sat down since."""
    known = tuple(seat for seat in first if seat in state.seats)
    return (*known, *(seat for seat in state.seats if seat not in known))


WORDS = {
    "setup": "being set up",
    "preparation": "in its Preparation",
    "order": "in its Research Order",
    "research": "in its Research",
    "end": "in its End of Search",
    "over": "over",
}


def _expect(state: State, phase: str, turn: int) -> None:
    if (state.phase, state.turn) == (phase, turn):
        return
    if state.phase in ("setup", "over"):
        raise Refused(f"The game is {WORDS[state.phase]}.")
    waits = f": {state.name(state.actor)} can still act" if state.phase == "research" and state.actor else ""
    raise Refused(f"Turn {state.turn} is {WORDS[state.phase]}{waits}.")


# --- cards ---


def _spend(state: State, event: Event) -> State:
    match event:
        case ObsessionsDeclared(seat, turn, lap, count):
            _expect(state, "order", turn)
            if state.declarer != (seat, lap):
                assert state.declarer is not None
                whose, now = state.declarer
                raise Refused(f"It is {state.name(whose)}’s word in lap {now}.")
            mine = state.player(seat)
            if count > mine.hand:
                raise Refused(f"{state.name(seat)} has {_paths(mine.hand)} in hand, not {count}.")
            state = state.with_player(seat, hand=mine.hand - count, temporary=mine.temporary + count)
            return replace(state, declared=(*state.declared, Declared(seat, lap, count)))
        case ActionTaken(seat, turn, what, cost, points, _, at):
            _expect(state, "research", turn)
            action(what)
            marks.check_place(state, seat, at)
            state = _paid(state, seat, what, cost)
            state = state.with_player(seat, actions=state.player(seat).actions + 1)
            return scored(state, seat, turn, points) if points else state
        case CardsSet(seat, hand, spent, temporary, permanent):
            used = min(state.player(seat).used, permanent)
            return state.with_player(
                seat, hand=hand, spent=spent, temporary=temporary, permanent=permanent, used=used
            )
    return state


def _paid(state: State, seat: int, what: str, cost: str) -> State:
    mine, name = state.player(seat), state.name(seat)
    if cost == "path":
        if not mine.hand:
            raise Refused(f"{name} has no Path left to spend.")
        return state.with_player(seat, hand=mine.hand - 1, spent=mine.spent + 1)
    if cost != "obsession":
        return state
    if what == "knowledge":
        check_fallback(state, seat)
        state = state.with_player(seat, fallback=True)
    if mine.temporary:  # the temporary ones first: those come back, and the others stay where they lie
        return state.with_player(seat, temporary=mine.temporary - 1, spent=mine.spent + 1)
    if mine.obsessions:
        return state.with_player(seat, used=mine.used + 1)
    raise Refused(f"{name} has no Obsession left to spend.")


def check_fallback(state: State, seat: int) -> None:
    mine, name = state.player(seat), state.name(seat)
    if mine.hand:
        raise Refused(f"{name} still has {_paths(mine.hand)}; an Obsession buys only when none is left.")
    if mine.fallback:
        raise Refused(f"{name} bought with an Obsession already; no more Knowledge cards this turn.")


def _paths(count: int) -> str:
    return counted(count, "Path", "no")
