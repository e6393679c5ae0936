"""The Resolution phase: Challenges and totals, what was missed, what was won, and the die."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from companion.core import Event, Refused
from companion.games.mountains_of_madness.challenges import KINDS
from companion.games.mountains_of_madness.events import (
    CardHidden,
    CardShown,
    ChallengesJudged,
    ChallengesRead,
    GapTold,
    JudgedByHand,
    MissPaid,
    PenaltyOwed,
    PenaltyPaid,
    PenaltyRolled,
    RelicPlanned,
    RewardTaken,
    SledCounted,
    TotalCounted,
)
from companion.games.mountains_of_madness.state import Find, Injuries, Penalty, State

MOST = 300  # points of one kind: more than the box holds


def reveal(state: State, event: Event) -> State:
    match event:
        case ChallengesRead() | CardShown() | CardHidden() | TotalCounted() | SledCounted() | JudgedByHand():
            return _count(state, event)
        case ChallengesJudged(turn, met, gaps, injuries, on_sled):
            _at(state, turn)
            known = state.injuries
            hidden = max(0, injuries + on_sled - known.hands)  # nobody told that they were dealt
            after = Injuries(
                known.supply, known.deck - hidden, known.discard + injuries, known.hands + hidden - injuries
            )
            judged = replace(state.now, met=met, gaps=gaps, on_sled=state.now.played, injured=on_sled)
            return replace(state, injuries=after, now=judged)
        case GapTold(_, which, gap):
            told = tuple(gap if n == which else each for n, each in enumerate(state.now.gaps))
            return state.with_turn(gaps=told)
        case MissPaid(turn, which, _):
            _at(state, turn)
            if which not in state.now.missed or which in state.now.settled:
                raise Refused("That Challenge costs nothing more.")
            return state.with_turn(settled=(*state.now.settled, which))
        case RelicPlanned() | RewardTaken():
            return _reward(state, event)
        case PenaltyOwed() | PenaltyRolled() | PenaltyPaid():
            return _die(state, event)
    return state


def _at(state: State, turn: int) -> None:
    if state.turn != turn or state.stage != "resolution":
        raise Refused(f"The Resolution phase of turn {turn} is not what the table is at.")


def _count(state: State, event: Event) -> State:
    now = state.now
    if now.met is not None:
        raise Refused("The Challenges are judged already; undo that to count again.")
    match event:
        case ChallengesRead(_, first, second):
            return state.with_turn(challenges=(first, second), by_hand=(None, None))
        case CardShown(_, kind, value):
            return _total(state.with_turn(shown=(*now.shown, (kind, value))), kind, value)
        case CardHidden(_, kind, value):
            if (kind, value) not in now.shown:
                raise Refused(f"No {KINDS[kind]} {value} was counted.")
            at = now.shown.index((kind, value))
            return _total(state.with_turn(shown=now.shown[:at] + now.shown[at + 1 :]), kind, -value)
        case TotalCounted(_, kind, by):
            return _total(state, kind, by)
        case SledCounted():
            return _sled(state, event)
        case JudgedByHand(_, which, met):
            by_hand = list(now.by_hand)
            by_hand[which] = met
            return state.with_turn(by_hand=tuple(by_hand))
    return state


def _sled(state: State, event: SledCounted) -> State:
    now, by = state.now, event.by
    if event.what == "cards":
        if not 0 <= now.on_sled + by <= 60:
            raise Refused("There cannot be that many cards on the sled.")
        return state.with_turn(on_sled=now.on_sled + by)
    most = state.injuries.hands + state.injuries.deck
    if now.shown_injuries + by > most:
        raise Refused(f"Only {most} Injuries are in hands or in the Equipment deck.")
    if now.shown_injuries + by < 0:
        raise Refused("There cannot be fewer than no Injuries.")
    return state.with_turn(shown_injuries=now.shown_injuries + by)


def _total(state: State, kind: str, by: int) -> State:
    total = state.now.totals.get(kind, 0) + by
    if not 0 <= total <= MOST:
        raise Refused(f"{KINDS[kind]} cannot add up to {total}.")
    return state.with_turn(totals={**state.now.totals, kind: total})


def result(state: State, which: int) -> bool | None:
    """Met or missed, as far as it is known: what the table said, else what was counted."""
    said, challenge = state.now.by_hand[which], state.now.challenges[which]
    if said is not None or challenge is None:
        return said
    return challenge.met(state.now.totals.get(challenge.kind, 0))


def gap(state: State, which: int) -> int | None:
    challenge = state.now.challenges[which]
    if result(state, which) or challenge is None:
        return 0 if result(state, which) else None
    return challenge.gap(state.now.totals.get(challenge.kind, 0)) or None


def unfinished(state: State) -> str:
    """What the Resolution phase still waits for; empty if it can end."""
    now = state.now
    if now.met is None:
        return "First judge both Challenges."
    if now.penalties:
        return "First the penalty die."
    for which in now.missed:
        if which not in now.settled:
            return f"Challenge {which + 1} was missed; choose what it costs."
    if rewarding(state):
        return "A Challenge was met; take the reward."
    return ""


def rewarding(state: State) -> bool:
    """Whether a reward is still to be taken. A space without a tile has none."""
    now = state.now
    return now.met is not None and any(now.met) and now.tile and not now.reward


def _reward(state: State, event: Event) -> State:
    if not rewarding(state):
        raise Refused("There is no reward to take.")
    if isinstance(event, RelicPlanned):
        find = state.now.find
        if event.what == "seat":
            changed = replace(find, seat=state.table.seat(int(event.choice)).id, space="")
        elif event.what == "kind":
            changed = replace(find, kind=event.choice, space="")
        else:
            changed = replace(find, space=event.choice)
        return state.with_turn(find=changed)
    event = cast("RewardTaken", event)
    _at(state, event.turn)
    now = replace(state.now, reward=event.reward, find=Find())
    if event.reward == "search":
        now = replace(now, searching=True, sand="due")
    if event.reward == "arcane":
        cards = replace(state.cards, discard=state.cards.discard + 1)
        state = replace(state, arcane=state.arcane + 1, cards=cards)
    return replace(state, now=now)


def owed(state: State, number: int) -> Penalty:
    for each in state.now.penalties:
        if each.number == number:
            return each
    raise Refused("That penalty is paid already.")


def _die(state: State, event: Event) -> State:
    now = state.now
    if isinstance(event, PenaltyOwed):
        if event.penalty != now.rolled + 1 or state.turn != event.turn:
            raise Refused("That penalty is rolled for already.")
        due = Penalty(event.penalty, event.source)
        return state.with_turn(penalties=(*now.penalties, due), rolled=event.penalty)
    if isinstance(event, PenaltyRolled):
        due = owed(state, event.penalty)
        rolled = replace(due, face=event.face, rolls=due.rolls + 1)
        return state.with_turn(penalties=tuple(rolled if each is due else each for each in now.penalties))
    event = cast("PenaltyPaid", event)
    due = owed(state, event.penalty)
    return state.with_turn(
        penalties=tuple(each for each in now.penalties if each is not due), later=now.later + event.later
    )
