"""What an event makes of the state, and what cannot stand: take-backs fold the journal again through here."""

from __future__ import annotations

from dataclasses import replace

from companion.core import Event, Refused
from companion.games.mountains_of_madness.events import (
    CardPlayed,
    CardsDealt,
    CardsDiscarded,
    CardsSet,
    EncounterEnded,
    ExpeditionBegun,
    HandRaised,
    InjuriesMoved,
    InjuriesSet,
    InjuryMissing,
    MadnessDrawn,
    MadnessIgnored,
    PlaneMoved,
    PlanePut,
    RelicTaken,
    ResolutionEnded,
    Rested,
    SandTurned,
    SeatPut,
    SetupTicked,
    TokensMoved,
    TokensSet,
    TurnEnded,
)
from companion.games.mountains_of_madness.reveal import reveal, unfinished
from companion.games.mountains_of_madness.state import (
    HANDS,
    LATER,
    NEIGHBOURS,
    STAGES,
    Cards,
    Injuries,
    Leadership,
    Penalty,
    State,
    Turn,
    checked,
)
from companion.tools.seats import SeatAdded, SeatRemoved
from companion.tools.timer import (
    TimerEvent,
    TimerStarted,
    TimerStopped,
)


def evolve(state: State, event: Event) -> State:
    match event:
        case TimerEvent():
            return _timer(state, event)
        case SeatAdded() | SeatRemoved():
            if state.stage != "setup":
                raise Refused("The expedition is under way; nobody can join or leave it now.")
            return state
        case TokensMoved() | InjuriesMoved() | CardsDiscarded() | MadnessDrawn() | RelicTaken():
            return checked(_move(state, event))
        case TokensSet() | InjuriesSet() | CardsSet() | PlanePut() | SeatPut():
            return checked(_put_right(state, event))
        case _:
            return checked(reveal(_go_on(state, event), event))


def _timer(state: State, event: TimerEvent) -> State:
    """The sand of an encounter or a Search is nobody's to stop; the clock is free at any other time."""
    if state.stage != "encounter" and not state.now.searching:
        return state
    if isinstance(event, TimerStarted) and state.now.sand == "due":
        return state.with_turn(sand="runs")
    if state.now.searching:
        if isinstance(event, TimerStopped):
            return state.with_turn(searching=False)
        raise Refused("A Search lasts 30 seconds and cannot be extended.")
    raise Refused("The sand runs for the encounter: it cannot be stopped, and more of it costs a token.")


def _move(state: State, event: Event) -> State:
    match event:
        case TokensMoved(source, to, count):
            moved = {source: getattr(state.tokens, source) - count, to: getattr(state.tokens, to) + count}
            return replace(state, tokens=replace(state.tokens, **moved))
        case InjuriesMoved(source, to, count):
            return _move_injuries(state, event)
        case CardsDiscarded(count):
            cards = replace(state.cards, deck=state.cards.deck - count, discard=state.cards.discard + count)
            return replace(state, cards=cards)
        case MadnessDrawn(seat, level):
            if level != state.level(seat) + 1:
                raise Refused(f"{state.name(seat)} has Madness of level {state.level(seat)}.")
            return replace(state, levels={**state.levels, seat: level})
        case RelicTaken(seat, kind, space):
            state.table.seat(seat)
            covered = (*state.covered.get(seat, ()), *((space,) if space else ()))
            return replace(
                state,
                relics={**state.relics, seat: (*state.relics.get(seat, ()), kind)},
                covered={**state.covered, seat: covered},
            )
    return state


def _move_injuries(state: State, event: InjuriesMoved) -> State:
    """An Injury is a card too: the Equipment discard grows and shrinks with the Injury deck."""
    moved = {
        event.source: getattr(state.injuries, event.source) - event.count,
        event.to: getattr(state.injuries, event.to) + event.count,
    }
    state = replace(state, injuries=replace(state.injuries, **moved))
    change = event.count * ((event.source == "supply") - (event.to == "supply"))
    return replace(state, cards=replace(state.cards, discard=max(0, state.cards.discard + change)))


def expect(state: State, turn: int, *stages: str) -> None:
    if state.turn != turn:
        raise Refused(f"Turn {turn} is over; this is turn {state.turn}.")
    if state.stage not in stages:
        raise Refused(f"That belongs to the {STAGES[stages[0]]}; the table is at the {STAGES[state.stage]}.")


def _go_on(state: State, event: Event) -> State:
    match event:
        case SetupTicked(item, _, done):
            others = tuple(each for each in state.ticked if each != item)
            return replace(state, ticked=(*others, item) if done else others)
        case ExpeditionBegun():
            return _begin(state, event)
        case PlaneMoved(turn, to, tile):
            expect(state, turn, "movement")
            if state.now.moved or to not in NEIGHBOURS[state.place]:
                raise Refused("The airplane cannot move there now.")
            return replace(state, place=to, now=replace(state.now, moved=True, tile=tile))
        case MadnessIgnored(seat, turn):
            expect(state, turn, "movement")
            return state.with_turn(ignoring=(*state.now.ignoring, state.table.seat(seat).id))
        case SandTurned() | CardPlayed() | EncounterEnded():
            return _meet(state, event)
        case InjuryMissing():
            return replace(state, undrawn=True)
        case _:
            return _end_turn(state, event)


def _meet(state: State, event: Event) -> State:
    match event:
        case SandTurned(turn, flip, cards):
            expect(state, turn, "movement", "encounter")
            if flip != state.now.flips + 1 or not state.now.moved:
                raise Refused("The sand timer cannot be flipped now.")
            now = replace(state.now, flips=flip, silent=False, sand="due", on_sled=cards)
            return replace(state, stage="encounter", now=now)
        case CardPlayed(turn, flip):
            expect(state, turn, "encounter")
            if flip != state.now.flips:
                raise Refused("The sand timer was flipped since.")
            return state.with_turn(silent=True, on_sled=state.now.on_sled + 1)
        case EncounterEnded(turn):
            expect(state, turn, "encounter")
            return _uncover(state)
    return state


def _begin(state: State, event: ExpeditionBegun) -> State:
    if state.stage != "setup" or len(state.table.seats) not in HANDS:
        raise Refused("The expedition cannot begin now.")
    if event.injuries != len(state.table.seats) or set(event.levels) != {s.id for s in state.table.seats}:
        raise Refused("The set-up was for other players.")
    state.table.seat(event.leader)
    return replace(
        state,
        stage="movement",
        turn=1,
        leader=event.leader,
        levels=dict(event.levels),
        injuries=Injuries(state.injuries.supply - event.injuries, 0, event.injuries, 0),
        cards=Cards(event.cards, event.injuries, event.hands),
    )


def _uncover(state: State) -> State:
    """The reveal; what had to wait for it is owed now."""
    if state.now.penalties:
        raise Refused("Somebody spoke: first the penalty die.")
    owed = tuple(Penalty(state.now.rolled + n, LATER, "confusion", 1) for n in range(1, state.now.later + 1))
    now = replace(
        state.now, sand="", silent=False, penalties=owed, rolled=state.now.rolled + len(owed), later=0
    )
    return replace(state, stage="resolution", now=now)


def _end_turn(state: State, event: Event) -> State:
    cards = state.cards
    match event:
        case ResolutionEnded(turn, played, injuries):
            expect(state, turn, "resolution")
            if why := unfinished(state):
                raise Refused(why)
            after = replace(cards, hands=max(0, cards.hands - played), discard=cards.discard + played)
            was = state.injuries
            hurt = replace(was, hands=was.hands - injuries, discard=was.discard + injuries)
            now = replace(state.now, searching=False, sand="", injured=0)
            return replace(state, stage="draw", cards=after, injuries=hurt, raised=(), now=now)
        case HandRaised(turn, seat):
            expect(state, turn, "draw")
            return replace(state, raised=(*state.raised, seat or 0))
        case CardsDealt(turn, count):
            expect(state, turn, "draw")
            after = replace(cards, deck=cards.deck - count, hands=cards.hands + count)
            return replace(state, stage="rest", cards=after)
        case Rested(turn):
            expect(state, turn, "rest")
            return replace(state, cards=replace(cards, deck=cards.deck + cards.discard, discard=0))
        case TurnEnded(turn):
            expect(state, turn, "rest")
            if state.place == "escape-3":
                return replace(state, out=True)
            return replace(state, turn=turn + 1, leader=state.on_left(), stage="movement", now=Turn())
    return state


def _put_right(state: State, event: Event) -> State:
    if state.stage == "setup":
        raise Refused("The expedition has not begun.")
    match event:
        case TokensSet(sled, discard, box):
            return replace(state, tokens=Leadership(sled, discard, box))
        case InjuriesSet(supply, deck, discard, hands):
            return replace(state, injuries=Injuries(supply, deck, discard, hands))
        case CardsSet(deck, discard, hands):
            return replace(state, cards=Cards(deck, discard, hands))
        case PlanePut(place):
            return replace(state, place=place)
        case SeatPut(seat, level, relics, covered):
            state.table.seat(seat)
            return replace(
                state,
                levels={**state.levels, seat: level},
                relics={**state.relics, seat: tuple(relics)},
                covered={**state.covered, seat: tuple(covered)},
            )
    return state
