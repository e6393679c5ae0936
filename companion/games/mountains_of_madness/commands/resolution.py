"""The reveal: what lies on the sled, what a miss costs, what the tile gives, and the penalty die."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId, Whole
from companion.games.mountains_of_madness import consequences, events, revealed
from companion.games.mountains_of_madness.challenges import KINDS, VALUES, Kind, read
from companion.games.mountains_of_madness.house_rules import SPOKEN_CONFUSION
from companion.games.mountains_of_madness.reveal import gap, owed, result, rewarding, unfinished
from companion.games.mountains_of_madness.state import (
    FACES,
    LEVELS,
    MOST_ARCANE,
    PENALTY_DIE,
    RELICS,
    SAND,
    SPACES,
    SPOKEN,
    Penalty,
    State,
)
from companion.games.mountains_of_madness.tokens import check_token, playing
from companion.tools.dice import Cup, roll, throw
from companion.tools.timer import TimerStarted, TimerStopped

Which = Annotated[Count, Field(le=1)]
Value = Annotated[Count, Field(ge=2, le=10)]


def read_challenges(
    state: State,
    context: Context,
    turn: Count,
    first_kind: Kind,
    first: Choice,
    second_kind: Kind,
    second: Choice,
) -> Iterator[Event]:
    """As early as the tile is seen; it need not wait for the reveal."""
    playing(state, turn, "resolution", "encounter")
    if first_kind == second_kind:
        raise Refused(f"A tile never asks for {KINDS[first_kind]} twice; choose two kinds.")
    asked = read(first_kind, first), read(second_kind, second)
    if state.now.challenges == asked:
        raise Refused("It says that already.")
    yield revealed.ChallengesRead(turn, *asked)


def show_card(state: State, context: Context, turn: Count, kind: Kind, value: Value) -> Iterator[Event]:
    playing(state, turn, "resolution")
    yield revealed.CardShown(turn, kind, _value(value))


def hide_card(state: State, context: Context, turn: Count, kind: Kind, value: Value) -> Iterator[Event]:
    playing(state, turn, "resolution")
    yield revealed.CardHidden(turn, kind, _value(value))


def _value(value: int) -> int:
    if value not in VALUES:
        raise Refused("Equipment is worth 2 to 6, and Arcane Equipment 10.")
    return value


def count_total(state: State, context: Context, turn: Count, kind: Kind, by: Whole) -> Iterator[Event]:
    playing(state, turn, "resolution")
    if not by:
        raise Refused("That would change nothing.")
    yield revealed.TotalCounted(turn, kind, by)


def count_sled(
    state: State, context: Context, turn: Count, what: Literal["cards", "injuries"], by: Whole
) -> Iterator[Event]:
    playing(state, turn, "resolution")
    if not by:
        raise Refused("That would change nothing.")
    if what == "cards" and state.now.on_sled < state.now.played:  # those shown one by one are there
        by += state.now.played - state.now.on_sled
    yield revealed.SledCounted(turn, what, by)


def judge_by_hand(
    state: State, context: Context, turn: Count, which: Which, met: Literal["yes", "no"]
) -> Iterator[Event]:
    """For tables that see at a glance what was met."""
    playing(state, turn, "resolution")
    if state.now.by_hand[which] == (met == "yes"):
        raise Refused("It says that already.")
    yield revealed.JudgedByHand(turn, which, met == "yes")


def judge(state: State, context: Context, turn: Count) -> Iterator[Event]:
    playing(state, turn, "resolution")
    if state.now.met is not None:
        raise Refused("The Challenges are judged already.")
    first, second = result(state, 0), result(state, 1)
    if first is None or second is None:
        raise Refused("Enter both Challenges, or say of each whether it was met.")
    gaps = gap(state, 0), gap(state, 1)
    yield revealed.ChallengesJudged(turn, (first, second), gaps, on_sled=state.now.shown_injuries)


def pay_with_madness(
    state: State, context: Context, turn: Count, which: Which, whom: SeatId
) -> Iterator[Event]:
    playing(state, turn, "resolution")
    name = state.table.seat(whom).name
    if state.all_mad:
        raise Refused("Everyone has Madness of level 3, so it must be the penalty die.")
    if state.level(whom) == LEVELS:
        raise Refused(f"{name} has Madness of level 3 already; choose somebody else.")
    yield revealed.MissPaid(turn, which, "madness")
    yield from consequences.facts(consequences.madness(state, whom))


def pay_with_die(state: State, context: Context, turn: Count, which: Which) -> Iterator[Event]:
    playing(state, turn, "resolution")
    if state.now.penalties:
        raise Refused("One thing after the other: first the die that is owed.")
    yield revealed.MissPaid(turn, which, "die")
    yield revealed.PenaltyOwed(turn, state.now.rolled + 1, which)


def end_resolution(state: State, context: Context, turn: Count) -> Iterator[Event]:
    playing(state, turn, "resolution")
    if why := unfinished(state):
        raise Refused(why)
    searching = state.now.searching
    injuries = min(state.now.injured, state.injuries.hands)  # fewer, if they were put right meanwhile
    yield events.ResolutionEnded(turn, state.now.played, injuries)
    if searching:
        yield TimerStopped()


# --- at least one Challenge was met: what the tile gives ---


RelicKind = Literal["specimen", "ruin", "knowledge"]
Space = Literal["movement", "encounter", "resolution", "draw"]


def _check(state: State, turn: int) -> None:
    playing(state, turn, "resolution")
    if rewarding(state):
        return
    now = state.now
    if now.met is None:
        raise Refused("First judge both Challenges.")
    if now.reward:
        raise Refused("The reward is taken already.")
    raise Refused("No Challenge was met." if not any(now.met) else "A space without a tile gives no reward.")


def plan_relic(
    state: State,
    context: Context,
    turn: Count,
    kind: RelicKind | Literal[""] = "",
    whom: SeatId = 0,
    space: Space | Literal[""] = "",
) -> Iterator[Event]:
    """What it would be, for whom, and which space its token would cover: all phones see what follows."""
    _check(state, turn)
    if state.relic_count == RELICS:
        raise Refused("All 11 Relics are found.")
    find = state.now.find
    if kind and kind != find.kind:
        yield revealed.RelicPlanned(turn, "kind", kind)
    if whom and whom != find.seat:
        if not consequences.may_take_relic(state, state.table.seat(whom).id):
            raise Refused(f"{state.name(whom)} has Madness of level 3 and cannot be chosen.")
        yield revealed.RelicPlanned(turn, "seat", str(whom))
    if space and space != find.space:
        if not find.seat:
            raise Refused("First choose who takes the Relic.")
        if space in state.covered.get(find.seat, ()):
            raise Refused(f"“{SPACES[space]}” is covered on that board already.")
        yield revealed.RelicPlanned(turn, "space", space)


def take_relic(state: State, context: Context, turn: Count) -> Iterator[Event]:
    """The card, its token and the Madness it brings, as it was shown."""
    _check(state, turn)
    find = state.now.find
    chain = consequences.relic(state, find)
    if not chain:
        raise Refused("Choose which Relic, who takes it, and the space that its token covers.")
    if not consequences.may_take_relic(state, find.seat):
        raise Refused(f"{state.name(find.seat)} has Madness of level 3 and cannot be chosen.")
    yield revealed.RewardTaken(turn, "relic")
    yield from consequences.facts(chain)


def search(state: State, context: Context, turn: Count) -> Iterator[Event]:
    _check(state, turn)
    yield revealed.RewardTaken(turn, "search")
    yield TimerStarted("down", SAND, context.now)


def take_arcane(state: State, context: Context, turn: Count) -> Iterator[Event]:
    _check(state, turn)
    if state.arcane == MOST_ARCANE:
        raise Refused("There is no Arcane Equipment left: no box holds more than 11.")
    yield revealed.RewardTaken(turn, "arcane")


def nothing_to_heal(state: State) -> str:
    """What was played this turn lies on the sled until the phase ends."""
    if state.now.injured:
        return "No Injury lies in the Equipment discard; those on the sled come there when this phase ends."
    return "No Injury lies in the Equipment discard."


def heal(state: State, context: Context, turn: Count) -> Iterator[Event]:
    _check(state, turn)
    if not state.injuries.discard:
        raise Refused(f"{nothing_to_heal(state)} So there is nothing to heal.")
    yield revealed.RewardTaken(turn, "heal")
    yield events.InjuriesMoved("discard", "supply")


def praise(state: State, context: Context, turn: Count, count: Count = 2) -> Iterator[Event]:
    _check(state, turn)
    if not 1 <= count <= 2:
        raise Refused("Praise brings back one token or two.")
    if count > state.tokens.discard:
        raise Refused(f"The discard holds {state.tokens.discard} tokens.")
    yield revealed.RewardTaken(turn, "praise")
    yield events.TokensMoved("discard", "sled", count)


def no_reward(state: State, context: Context, turn: Count) -> Iterator[Event]:
    """A reward that cannot be used is let go."""
    _check(state, turn)
    yield revealed.RewardTaken(turn, "none")


# --- the penalty die: rolled here or at the table, shown with all that follows, and applied in one tap ---


Face = Literal["", "accident", "confusion", "confidence"]
CUP = Cup((PENALTY_DIE,), 0, "the penalty die")
Gap = Annotated[Count, Field(ge=1, le=300)]


def rolls_again(state: State, due: Penalty) -> bool:
    """Confusion before the reveal, where the table chose to roll on."""
    spoken = due.source == SPOKEN and due.face == "confusion"
    return spoken and SPOKEN_CONFUSION.chosen(state.table) == "again"


def roll_penalty(
    state: State, context: Context, turn: Count, penalty: Count, rolls: Count, face: Face = ""
) -> Iterator[Event]:
    """With a face: the real die fell so."""
    playing(state, turn, "encounter", "resolution")
    due = owed(state, penalty)
    if due.rolls != rolls:
        raise Refused(f"The die has fallen already: {FACES[due.face]}.")
    if due.face and not rolls_again(state, due):
        raise Refused(f"The die shows {FACES[due.face]}; another roll costs a token.")
    yield from _fall(context, turn, penalty, face)


def reroll(
    state: State, context: Context, turn: Count, penalty: Count, rolls: Count, face: Face = ""
) -> Iterator[Event]:
    if state.stage == "encounter":
        raise Refused("A token re-rolls the die only in the Resolution phase.")
    playing(state, turn, "resolution")
    due = owed(state, penalty)
    if due.rolls != rolls:
        raise Refused(f"The die has fallen again already: {FACES[due.face]}.")
    if not due.face:
        raise Refused("The die has not fallen yet.")
    if due.source < 0:
        raise Refused("This Confusion was rolled in the Encounter phase; no token re-rolls it now.")
    check_token(state, "resolution")
    yield events.TokensMoved("sled", "discard")
    yield from _fall(context, turn, penalty, face)


def _fall(context: Context, turn: int, penalty: int, face: Face) -> Iterator[Event]:
    if face:
        at = next(n for n, each in enumerate(PENALTY_DIE.faces, 1) if each.name == FACES[face])
        yield throw(CUP, [at], context.phone, real=True, quiet=True)
        yield revealed.PenaltyRolled(turn, penalty, face, "at the table")
        return
    fallen = roll(context, CUP, quiet=True)
    yield fallen
    shown = next(id for id, name in FACES.items() if name == fallen.results[0].name)
    yield revealed.PenaltyRolled(turn, penalty, shown, "here")


def tell_gap(state: State, context: Context, turn: Count, which: Count, gap: Gap) -> Iterator[Event]:
    """For a Challenge that was judged by hand: Confusion needs to know by how much it was missed."""
    playing(state, turn, "resolution")
    if which not in state.now.missed:
        raise Refused("That Challenge was not missed.")
    if state.now.gaps[which] is not None:
        raise Refused(f"It was missed by {state.now.gaps[which]}.")
    yield revealed.GapTold(turn, which, gap)


def pay_penalty(
    state: State, context: Context, turn: Count, penalty: Count, injuries: Count = 0
) -> Iterator[Event]:
    """The whole chain, as it was shown. `injuries`: seen among the cards that Confusion discards."""
    playing(state, turn, "encounter", "resolution")
    due = owed(state, penalty)
    if not due.face:
        raise Refused("The die has not fallen yet.")
    if rolls_again(state, due):
        raise Refused("There is no gap to count yet: roll again.")
    gap = consequences.gap_of(state, due)
    if due.face == "confusion" and due.source != SPOKEN and gap is None:
        raise Refused("First say how far the total was from the Challenge.")
    if injuries and (due.face != "confusion" or injuries > min(gap or 0, state.injuries.deck)):
        raise Refused("So many Injuries cannot be among those cards.")
    later = due.source == SPOKEN and due.face == "confusion"
    later = later and SPOKEN_CONFUSION.chosen(state.table) == "later"
    yield revealed.PenaltyPaid(turn, penalty, due.face, later)
    yield from consequences.facts(consequences.penalty(state, due, injuries))
