"""At least one Challenge was met: what the tile gives.

A Relic is two taps, which and for whom, and a third for the first of its kind: then the table says which
space its token covers, and the others of that kind follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

from companion.core import Context, Count, Events, Refused, Seat, SeatId, Tap, refuse_if, remembered, replace
from companion.core.chains import facts
from companion.core.pieces import Note, Panel, Picker, Piece
from companion.games.mountains_of_madness import box, consequences
from companion.games.mountains_of_madness.consequences import InjuriesMoved, TokensMoved
from companion.games.mountains_of_madness.settling import settles
from companion.games.mountains_of_madness.state import DIE_FIRST, Find, Resolving, State, _InTurn, of_turn
from companion.tools.timer import TimerStarted

RelicKind = Literal["", "specimen", "ruin", "knowledge"]
Space = Literal["", "movement", "encounter", "resolution", "draw"]
REWARDS = box.SAID["rewards"]


class RelicPlanned(_InTurn):
    what: Literal["kind", "seat", "space"]
    choice: str

    def fold(self, state: State) -> State:
        """Another Relic, or for somebody else: then its space is chosen anew."""
        refuse_if(not state.now.rewarding, "There is no reward to take.")
        chosen: Any = state.table.seat(int(self.choice)).id if self.what == "seat" else self.choice
        return state.with_turn(find=replace(state.now.find, **{"space": "", self.what: chosen}))


class RewardTaken(_InTurn, during=("resolution",)):
    reward: str

    def fold(self, state: State) -> State:
        refuse_if(not state.now.rewarding, "There is no reward to take.")
        now = replace(state.now, reward=self.reward, find=Find())
        if self.reward == "search":
            now = replace(now, searching=True, sand="due")
        if self.reward == "arcane":
            cards = replace(state.cards, discard=state.cards.discard + 1)
            state = replace(state, arcane=state.arcane + 1, cards=cards)
        return replace(state, now=now)


def _check(state: State) -> None:
    now = state.now
    refuse_if(now.reward, "The reward is taken already.")
    refuse_if(not any(now.met or ()), "No Challenge was met.")
    refuse_if(not now.tile, "A space without a tile gives no reward.")
    refuse_if(now.penalties, DIE_FIRST)


def _check_seat(state: State, seat: int) -> None:
    mad = not consequences.may_take_relic(state, seat)
    refuse_if(mad, f"{state.name(seat)} has Madness of level 3 and cannot be chosen.")


@settles
def plan_relic(
    state: State, context: Context, turn: Resolving, kind: RelicKind = "", whom: SeatId = 0
) -> Events:
    """Which it is and for whom: all phones see what follows."""
    _check(state)
    refuse_if(state.relic_count == box.RELICS, "All 11 Relics are found.")
    if kind and kind != state.now.find.kind:
        yield RelicPlanned(turn, "kind", kind)
    if whom and whom != state.now.find.seat:
        _check_seat(state, whom)
        yield RelicPlanned(turn, "seat", str(whom))


@settles
def take_relic(
    state: State, context: Context, turn: Resolving, whom: SeatId = 0, space: Space = ""
) -> Events:
    """The card, its token and the Madness it brings, as it was shown."""
    _check(state)
    planned = state.now.find
    find = replace(planned, seat=whom or planned.seat, space=space or planned.space)
    if space and space in state.covered.get(find.seat, ()):
        raise Refused(f"“{box.SPACES[space]}” is covered on that board already.")
    chain = consequences.relic(state, find)
    refuse_if(not chain, "Choose which Relic, who takes it, and the space that its token covers.")
    _check_seat(state, find.seat)
    yield RewardTaken(turn, "relic")
    yield from facts(chain)


@settles
def search(state: State, context: Context, turn: Resolving) -> Events:
    _check(state)
    yield RewardTaken(turn, "search")
    yield TimerStarted("down", box.SAND, context.now)


@settles
def take_arcane(state: State, context: Context, turn: Resolving) -> Events:
    _check(state)
    none = "There is no Arcane Equipment left: no box holds more than 11."
    refuse_if(state.arcane == box.MOST_ARCANE, none)
    yield RewardTaken(turn, "arcane")


def _nothing_to_heal(state: State) -> str:
    """What was played this turn lies on the sled until the phase ends."""
    if state.injuries.discard:
        return ""
    none = "No Injury lies in the Equipment discard"
    return f"{none}; those on the sled come there when this phase ends." if state.now.injured else f"{none}."


@settles
def heal(state: State, context: Context, turn: Resolving) -> Events:
    _check(state)
    refuse_if(why := _nothing_to_heal(state), f"{why} So there is nothing to heal.")
    yield RewardTaken(turn, "heal")
    yield InjuriesMoved("discard", "supply")


@settles
def praise(state: State, context: Context, turn: Resolving, count: Count = 2) -> Events:
    _check(state)
    refuse_if(not 1 <= count <= 2, "Praise brings back one Leadership token or two.")
    refuse_if(count > state.tokens.discard, f"The discard holds {box.tokens(state.tokens.discard)}.")
    yield RewardTaken(turn, "praise")
    yield TokensMoved("discard", "sled", count)


@settles
def no_reward(state: State, context: Context, turn: Resolving) -> Events:
    """A reward that cannot be used is let go."""
    _check(state)
    yield RewardTaken(turn, "none")


# --- what is seen ---


def pieces(state: State) -> Iterator[Piece]:
    now = state.now
    if now.rewarding or (now.met is None and now.tile):
        text = f"{state.leads} takes what the tile shows, if it is of use."
        yield Panel("peak-reward", _choices(state), "Reward of the tile", text)
    elif now.reward in REWARDS:
        search = " 30 seconds, then the tile goes face down." if now.searching else ""
        yield Note("peak-rewarded", f"Reward taken: {REWARDS[now.reward]}.{search}", "done")


def _choices(state: State) -> tuple[Piece, ...]:
    """A Relic, step by step, with all that follows from it; or something else. Each place is kept."""
    turn, find = state.turn, state.now.find
    injuries, tokens = state.injuries.discard, state.tokens.discard
    others = _others(turn, state.arcane, injuries, _nothing_to_heal(state), tokens)
    if not find.kind:
        return (_kinds(turn, ""), others)
    taps = tuple([_player(state, each) for each in state.table.seats])
    asks = find.seat and not (consequences.space_of(state, find) or consequences.no_token(state, find))
    spaces = (_spaces(turn, state.covered.get(find.seat, ())),) if asks else ()
    return (_kinds(turn, find.kind), Picker("peak-relic-who", taps, "for", columns=2), *spaces, others)


@remembered
def _kinds(turn: int, chosen: str) -> Picker:
    plan = partial(of_turn, turn, "plan_relic")
    taps = [
        Tap(name, plan(kind=kind), on=kind == chosen, mark=kind, id=f"peak-relic-{kind}")
        for kind, name in box.RELIC_KINDS.items()
    ]
    return Picker("peak-relic", tuple(taps), "A Relic", "faces", 3)


def _player(state: State, seat: Seat) -> Tap:
    """What it would mean for them; where all of that is known, the tap does it."""
    find = replace(state.now.find, seat=seat.id)
    chain, alone = consequences.relic(state, find), consequences.no_token(state, find)
    loses = next((link.text for link in chain if link.lost), "")
    price = "a Leadership token pays" if state.all_mad else deeper(state.level(seat.id))
    covers = box.SPACES.get(consequences.space_of(state, find), "")
    covered = alone or (covers and f"covers “{covers}”")
    why = "" if consequences.may_take_relic(state, seat.id) else "Madness of level 3"
    do = state.do("take_relic" if chain else "plan_relic", whom=seat.id)
    detail = ", ".join(filter(None, (price, covered)))
    on, id, sure = state.now.find.seat == seat.id, f"peak-relic-for-{seat.id}", loses and f"{loses} Really?"
    return Tap(seat.name, do, detail, why_not=why, on=on, seat=seat, confirm=sure, id=id)


def deeper(level: int) -> str:
    return f"level\u00a0{level}\u00a0→\u00a0{level + 1}" if level < box.LEVELS else ""


@remembered
def _spaces(turn: int, covered: tuple[str, ...]) -> Picker:
    def tap(space: str, what: str) -> Tap:
        why, id = "covered" if space in covered else "", f"peak-relic-on-{space}"
        do = of_turn(turn, "take_relic", space=space)
        return Tap(space.capitalize(), do, what, why_not=why, id=id)

    taps = tuple([tap(space, what) for space, what in box.SPACES.items()])
    return Picker("peak-relic-where", taps, "Its token covers, as printed on the board", columns=2)


@remembered
def _others(turn: int, arcane: int, injuries: int, not_healed: str, discard: int) -> Picker:
    do, left = partial(of_turn, turn), box.ARCANE - arcane
    count = f"{left} left by our count" if left > 0 else "none left by our count, but your box may hold more"
    no_more = "No box holds more than 11." if arcane == box.MOST_ARCANE else ""
    back = {n: f"{box.tokens(n)} back to the sled" for n in range(min(2, discard), 0, -1)}
    praises = [Tap("Praise", do("praise", count=n), words) for n, words in back.items()]
    taps = (
        Tap("Search", do("search"), "30 seconds for a face-down tile"),
        Tap("Arcane Equipment", do("take_arcane"), f"to the discard; {count}", why_not=no_more),
        Tap("Heal", do("heal"), f"1 of {box.injuries(injuries)} in the discard", why_not=not_healed),
        *(praises or [Tap("Praise", do("praise"), why_not="No Leadership token lies in the discard.")]),
        Tap("No reward", do("no_reward"), "there is none, or it is of no use"),
    )
    return Picker("peak-others", taps, "or", columns=2)
