"""What holds whatever happens. Asked after every event, so take-backs keep to it."""

from __future__ import annotations

from companion.core import Event, Refused
from companion.games.mountains_of_madness import box
from companion.games.mountains_of_madness.state import State
from companion.tools.seats import SeatAdded, SeatRemoved
from companion.tools.timer import TimerEvent, TimerStarted, TimerStopped


def evolve(state: State, event: Event) -> State:
    match event:
        case TimerEvent():
            return _timer(state, event)
        case SeatAdded() | SeatRemoved() if state.stage != "setup":
            raise Refused("The expedition is under way; nobody can join or leave it now.")
    return _checked(event.fold(state))


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


def _checked(state: State) -> State:
    """What is in the box stays as many, wherever it is."""
    tokens, injuries = vars(state.tokens).values(), vars(state.injuries).values()
    if min(tokens) < 0:
        raise Refused("There are not as many Leadership tokens there.")
    if sum(tokens) != box.TOKENS:
        where = "on the sled, in the discard and in the box"
        raise Refused(f"There are {box.TOKENS} Leadership tokens, {where}.")
    if min(injuries) < 0:
        raise Refused("There are not as many Injuries there.")
    if sum(injuries) != box.INJURIES:
        raise Refused(f"There are {box.INJURIES} Injuries; count them again.")
    if min(vars(state.cards).values()) < 0:
        raise Refused("There cannot be fewer than no cards.")
    if state.relic_count > box.RELICS:
        raise Refused(f"There are only {box.RELICS} Relics in the box.")
    if state.arcane > box.MOST_ARCANE:
        raise Refused("There is no Arcane Equipment left.")
    if not all(0 <= level <= box.LEVELS for level in state.levels.values()):
        raise Refused("Madness has three levels.")
    if any(len(set(each)) != len(each) for each in state.covered.values()):
        raise Refused("That space is covered already.")
    return state
