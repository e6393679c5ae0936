"""Set-up, Movement, Encounter, Draw and Rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.core.checklist import to_tick
from companion.games.mountains_of_madness import consequences, events, revealed
from companion.games.mountains_of_madness.checklist import item_of
from companion.games.mountains_of_madness.house_rules import AGAIN_CARDS, DRAW_TOKENS, HAND_RAISED
from companion.games.mountains_of_madness.state import (
    NEIGHBOURS,
    PLACES,
    PLAIN_CARDS,
    SAND,
    SPOKEN,
    WITH_SPACES,
    State,
    first_levels,
)
from companion.games.mountains_of_madness.tokens import check_token, playing
from companion.tools.timer import TimerStarted, TimerStopped, timer

Done = Literal["yes", "no"]


def tick(state: State, context: Context, item: Choice, done: Done = "yes") -> Iterator[Event]:
    if state.stage != "setup":
        raise Refused("The set-up is over.")
    found = item_of(state, item)
    label = to_tick(state.ticked, item, found.short, done == "yes")
    yield events.SetupTicked(item, label, done == "yes", found.seat)


def begin(state: State, context: Context) -> Iterator[Event]:
    if state.stage != "setup":
        raise Refused("The expedition has begun already.")
    players = len(state.table.seats)
    hands = players * state.base_hand
    levels = first_levels(state.table)
    yield events.ExpeditionBegun(state.table.starter, levels, players, PLAIN_CARDS - hands, hands)


def move(state: State, context: Context, turn: Count, to: Choice, tile: Done = "yes") -> Iterator[Event]:
    playing(state, turn, "movement")
    if to not in PLACES:
        raise Refused("There is no such place on the board.")
    if state.now.moved:
        raise Refused(f"The airplane has moved to the {PLACES[state.place]} already; undo that to change it.")
    if to not in NEIGHBOURS[state.place]:
        raise Refused(_no_way(state.place, to))
    if tile == "no" and to not in WITH_SPACES:
        raise Refused(f"There is always a tile on the {PLACES[to]}.")
    yield events.PlaneMoved(turn, to, tile == "yes")


def _no_way(place: str, to: str) -> str:
    if not place:
        return "The first turn starts on the Coast."
    if place == "edge" or place.startswith("escape"):
        (only,) = NEIGHBOURS[place]
        return f"From the Edge of Madness nobody comes back down: the way leads to the {PLACES[only]}."
    return f"The {PLACES[to]} is not next to the {PLACES[place]}."


def ignore_madness(state: State, context: Context, turn: Count, whom: SeatId) -> Iterator[Event]:
    playing(state, turn, "movement")
    name = state.table.seat(whom).name
    if not state.level(whom):
        raise Refused(f"{name} has no Madness to ignore.")
    if whom in state.now.ignoring:
        raise Refused(f"{name} ignores Madness this turn already.")
    check_token(state, "movement")
    yield events.MadnessIgnored(whom, turn)
    yield events.TokensMoved("sled", "discard")


def flip(state: State, context: Context, turn: Count) -> Iterator[Event]:
    """The tile is revealed and the sand runs on every phone."""
    playing(state, turn, "movement")
    if not state.now.moved:
        raise Refused(f"First {state.name(state.leader)} moves the airplane.")
    yield events.SandTurned(turn, 1)
    yield TimerStarted("down", SAND, context.now)


# --- Encounter: talk, then silence, until the sand has run out ---


def time_is_up(state: State, now: int) -> bool:
    """Nobody ticks: the phones show the end by themselves, the rules look at the clock when somebody taps."""
    sand = timer(state.table)
    return sand is None or sand.over(now)


def card_on_sled(state: State, context: Context, turn: Count, flip: Count) -> Iterator[Event]:
    """The first one ends all talk; the others only count, so two at once are two cards."""
    playing(state, turn, "encounter")
    if flip != state.now.flips:
        raise Refused("The sand timer was flipped again since.")
    if time_is_up(state, context.now):
        raise Refused("The sand has run out: that card stays in hand.")
    yield events.CardPlayed(turn, flip)


def someone_spoke(state: State, context: Context, turn: Count, owed: Count) -> Iterator[Event]:
    """Two may hear the same word: `owed` tells the second that it is noted."""
    playing(state, turn, "encounter")
    if not state.now.silent:
        raise Refused("Talk is allowed until the first card lies on the sled.")
    if owed != state.now.rolled:
        raise Refused("That word is noted already; roll for it.")
    yield revealed.PenaltyOwed(turn, state.now.rolled + 1, SPOKEN)


def again(state: State, context: Context, turn: Count, flip: Count) -> Iterator[Event]:
    playing(state, turn, "encounter")
    if flip != state.now.flips:
        raise Refused("The sand timer was flipped again already.")
    if not time_is_up(state, context.now):
        raise Refused("The sand still runs; a token can be spent when it has run out.")
    check_token(state, "encounter")
    yield events.TokensMoved("sled", "discard")
    stay = AGAIN_CARDS.chosen(state.table) == "stay"
    yield events.SandTurned(turn, flip + 1, state.now.on_sled if stay else 0)
    yield TimerStarted("down", SAND, context.now)


def resolve(
    state: State, context: Context, turn: Count, early: Literal["yes", "no"] = "no"
) -> Iterator[Event]:
    """When the sand has run out; before that only if everyone has played what they want."""
    playing(state, turn, "encounter")
    if not time_is_up(state, context.now):
        if not state.now.silent:
            raise Refused("The sand still runs, and no card lies on the sled.")
        if early != "yes":
            raise Refused("The sand still runs: others may still play a card.")
    if state.now.penalties:
        raise Refused("Somebody spoke: first the penalty die.")
    yield events.EncounterEnded(turn)
    yield TimerStopped()


# --- Draw, Rest, and the end of the turn ---


def wanted(state: State) -> int:
    """Cards that would fill every hand."""
    full = sum(state.limit(seat.id) for seat in state.table.seats)
    return max(0, full - state.cards.hands)


def raise_hand(
    state: State, context: Context, turn: Count, raised: Count, whom: SeatId = 0
) -> Iterator[Event]:
    """`raised`: how often it was, so that two phones do not pay twice."""
    playing(state, turn, "draw")
    if raised != len(state.raised):
        raise Refused("The hand limit is raised already.")
    if state.raised and DRAW_TOKENS.chosen(state.table) == "one":
        raise Refused("One token a turn can raise the hand limit.")
    one = HAND_RAISED.chosen(state.table) == "one"
    if one and not whom:
        raise Refused("Whose hand limit grows?")
    check_token(state, "draw")
    yield events.TokensMoved("sled", "discard")
    yield events.HandRaised(turn, state.table.seat(whom).id if one else None)


def deal(state: State, context: Context, turn: Count) -> Iterator[Event]:
    playing(state, turn, "draw")
    yield events.CardsDealt(turn, min(state.cards.deck, wanted(state)))


def find_injury(state: State, context: Context, turn: Count) -> Iterator[Event]:
    """Somebody drew one from the Equipment deck."""
    playing(state, turn, "draw", "rest", "movement")
    if not state.injuries.deck:
        raise Refused("By our count no Injury is in the Equipment deck.")
    yield events.InjuriesMoved("deck", "hands")


def no_rest_because(state: State) -> str:
    """Why the Leader cannot rest; empty if they can."""
    if state.tokens.left == 1:
        return "Only one Leadership token is left, and a rest would put it into the box."
    return ""


def rest(state: State, context: Context, turn: Count) -> Iterator[Event]:
    playing(state, turn, "rest")
    if why := no_rest_because(state):
        raise Refused(why)
    yield from consequences.facts(consequences.rest(state))
    yield events.TurnEnded(turn)


def end_turn(state: State, context: Context, turn: Count) -> Iterator[Event]:
    """Without a rest."""
    playing(state, turn, "rest")
    yield events.TurnEnded(turn)
