"""At least one Challenge was met: what the tile gives. A Relic is planned first, so all see what follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from companion.core import Context, Count, Do, Event, Refused, Seat, SeatId, Tap
from companion.core.pieces import Bar, Grid, Note, Panel, Picker, Piece
from companion.core.text import counted
from companion.games.mountains_of_madness import box, consequences
from companion.games.mountains_of_madness.moves import InjuriesMoved, TokensMoved
from companion.games.mountains_of_madness.state import Facts, State
from companion.games.mountains_of_madness.turn import Find
from companion.tools.timer import TimerStarted

RelicKind = Literal["", "specimen", "ruin", "knowledge"]
Space = Literal["", "movement", "encounter", "resolution", "draw"]
REWARDS = {  # what the log says of it, and the table while it goes on
    "relic": "a Relic",
    "search": "Search",
    "arcane": "Arcane Equipment",
    "heal": "Heal",
    "praise": "Praise",
}
MORE = {"search": ", 30 seconds", "arcane": " to the Equipment discard"}
remembered = lru_cache(1024)


def _due(state: State) -> None:
    if not state.now.rewarding:
        raise Refused("There is no reward to take.")


class RelicPlanned(Event[State]):
    turn: int
    what: Literal["kind", "seat", "space"]
    choice: str

    def fold(self, state: State) -> State:
        _due(state)
        find = state.now.find
        if self.what == "space":
            return state.with_turn(find=replace(find, space=self.choice))
        if self.what == "kind":
            return state.with_turn(find=replace(find, kind=self.choice, space=""))
        seat = state.table.seat(int(self.choice)).id
        return state.with_turn(find=replace(find, seat=seat, space=""))

    def log_text(self, state: State) -> str:
        if self.what == "seat":
            return f"the Relic would go to {state.name(int(self.choice))}"
        if self.what == "kind":
            return f"the Relic is a {box.RELIC_KINDS[self.choice]}"
        space = box.SPACES.get(self.choice)
        return f"its token would cover “{space}”" if space else "no token"


class RewardTaken(Event[State]):
    turn: int
    reward: str

    def fold(self, state: State) -> State:
        _due(state)
        state.expect(self.turn, "resolution")
        now = replace(state.now, reward=self.reward, find=Find())
        if self.reward == "search":
            now = replace(now, searching=True, sand="due")
        if self.reward == "arcane":
            cards = replace(state.cards, discard=state.cards.discard + 1)
            state = replace(state, arcane=state.arcane + 1, cards=cards)
        return replace(state, now=now)

    def log_text(self, state: State) -> str:
        if self.reward == "none":
            return "no reward"
        return f"reward: {REWARDS[self.reward]}{MORE.get(self.reward, '')}"


def _check(state: State, turn: int) -> None:
    state.playing(turn, "resolution")
    now = state.now
    if now.met is None:
        raise Refused("First judge both Challenges.")
    if now.reward:
        raise Refused("The reward is taken already.")
    if not any(now.met):
        raise Refused("No Challenge was met.")
    if not now.tile:
        raise Refused("A space without a tile gives no reward.")


def _check_seat(state: State, seat: int) -> None:
    if not consequences.may_take_relic(state, seat):
        raise Refused(f"{state.name(seat)} has Madness of level 3 and cannot be chosen.")


def plan_relic(
    state: State, context: Context, turn: Count, kind: RelicKind = "", whom: SeatId = 0, space: Space = ""
) -> Facts:
    """What it would be, for whom, and which space its token would cover: all phones see what follows."""
    _check(state, turn)
    if state.relic_count == box.RELICS:
        raise Refused("All 11 Relics are found.")
    find = state.now.find
    if kind and kind != find.kind:
        yield RelicPlanned(turn, "kind", kind)
    if whom and whom != find.seat:
        _check_seat(state, whom)
        yield RelicPlanned(turn, "seat", str(whom))
    if space and space != find.space:
        if not find.seat:
            raise Refused("First choose who takes the Relic.")
        if space in state.covered.get(find.seat, ()):
            raise Refused(f"“{box.SPACES[space]}” is covered on that board already.")
        yield RelicPlanned(turn, "space", space)


def take_relic(state: State, context: Context, turn: Count) -> Facts:
    """The card, its token and the Madness it brings, as it was shown."""
    _check(state, turn)
    chain = consequences.relic(state, state.now.find)
    if not chain:
        raise Refused("Choose which Relic, who takes it, and the space that its token covers.")
    _check_seat(state, state.now.find.seat)
    yield RewardTaken(turn, "relic")
    yield from consequences.facts(chain)


def search(state: State, context: Context, turn: Count) -> Facts:
    _check(state, turn)
    yield RewardTaken(turn, "search")
    yield TimerStarted("down", box.SAND, context.now)


def take_arcane(state: State, context: Context, turn: Count) -> Facts:
    _check(state, turn)
    if state.arcane == box.MOST_ARCANE:
        raise Refused("There is no Arcane Equipment left: no box holds more than 11.")
    yield RewardTaken(turn, "arcane")


def _nothing_to_heal(state: State) -> str:
    """What was played this turn lies on the sled until the phase ends."""
    if state.injuries.discard:
        return ""
    none = "No Injury lies in the Equipment discard"
    return f"{none}; those on the sled come there when this phase ends." if state.now.injured else f"{none}."


def heal(state: State, context: Context, turn: Count) -> Facts:
    _check(state, turn)
    if why := _nothing_to_heal(state):
        raise Refused(f"{why} So there is nothing to heal.")
    yield RewardTaken(turn, "heal")
    yield InjuriesMoved("discard", "supply")


def praise(state: State, context: Context, turn: Count, count: Count = 2) -> Facts:
    _check(state, turn)
    if not 1 <= count <= 2:
        raise Refused("Praise brings back one token or two.")
    if count > state.tokens.discard:
        raise Refused(f"The discard holds {state.tokens.discard} tokens.")
    yield RewardTaken(turn, "praise")
    yield TokensMoved("discard", "sled", count)


def no_reward(state: State, context: Context, turn: Count) -> Facts:
    """A reward that cannot be used is let go."""
    _check(state, turn)
    yield RewardTaken(turn, "none")


# --- what is seen ---


def pieces(state: State) -> Iterator[Piece]:
    now = state.now
    if now.rewarding:
        yield Panel("peak-reward", _choices(state), "Reward of the tile")
    elif now.reward in REWARDS:
        search = " 30 seconds, then the tile is turned face down again." if now.searching else ""
        yield Note("peak-rewarded", f"Reward taken: {REWARDS[now.reward]}.{search}", "done")


def _choices(state: State) -> tuple[Piece, ...]:
    """A Relic, step by step, with all that follows from it; or something else. Each place is kept."""
    turn, find = state.turn, state.now.find
    spaces = find.seat and find.kind and not consequences.no_token(state, find)
    follows = consequences.relic(state, find)
    why = "" if follows else "Choose a Relic, a player and a space."
    take = Tap("Take the Relic", Do("take_relic", {"turn": turn}), strong=True, why_not=why)
    plan = (*consequences.shown("peak-relic-chain", follows), Bar("peak-relic-taken", (take,)))
    covered = state.covered.get(find.seat, ())
    return (
        _kinds(turn, find.kind),
        Grid("peak-relic-for", (_players(state),) if find.kind else ()),
        Grid("peak-relic-covers", (_spaces(turn, covered, find.space),) if spaces else ()),
        Grid("peak-relic-take", plan if find.kind else (), columns=1),
        _others(turn, state.arcane, state.injuries.discard, _nothing_to_heal(state), state.tokens.discard),
    )


def _plan(turn: int, **chosen: str | int) -> Do:
    return Do("plan_relic", {"turn": turn, **chosen})


@remembered
def _kinds(turn: int, chosen: str) -> Picker:
    taps = [
        Tap(name, _plan(turn, kind=kind), on=kind == chosen, mark=kind, id=f"peak-relic-{kind}")
        for kind, name in box.RELIC_KINDS.items()
    ]
    return Picker("peak-relic", tuple(taps), "A Relic", "faces", 3)


def _players(state: State) -> Picker:
    taps = tuple([_player(state, seat) for seat in state.table.seats])
    return Picker("peak-relic-who", taps, "for", columns=2)


def _player(state: State, seat: Seat) -> Tap:
    price = "a token pays" if state.all_mad else deeper(state.level(seat.id))
    why = "" if consequences.may_take_relic(state, seat.id) else "Madness of level 3"
    do, on = _plan(state.turn, whom=seat.id), state.now.find.seat == seat.id
    return Tap(seat.name, do, price, why_not=why, on=on, seat=seat, id=f"peak-relic-for-{seat.id}")


def deeper(level: int) -> str:
    return f"level\u00a0{level}\u00a0→\u00a0{level + 1}" if level < box.LEVELS else ""


@remembered
def _spaces(turn: int, covered: tuple[str, ...], chosen: str) -> Picker:
    def tap(space: str, what: str) -> Tap:
        why, id = "covered" if space in covered else "", f"peak-relic-on-{space}"
        do = _plan(turn, space=space)
        return Tap(space.capitalize(), do, what, why_not=why, on=space == chosen, id=id)

    taps = tuple([tap(space, what) for space, what in box.SPACES.items()])
    return Picker("peak-relic-where", taps, "Its token covers, as printed on the board", columns=2)


@remembered
def _others(turn: int, arcane: int, injuries: int, not_healed: str, discard: int) -> Picker:
    args, left = {"turn": turn}, box.ARCANE - arcane
    count = f"{left} left by our count" if left > 0 else "none left by our count, but your box may hold more"
    no_more = "No box holds more than 11." if arcane == box.MOST_ARCANE else ""
    lies = f"{box.injuries(injuries)} {'lies' if injuries == 1 else 'lie'} in the Equipment discard"
    taps = (
        Tap("Search", Do("search", args), "look at a face-down tile for 30 seconds, no more"),
        Tap(
            "Arcane Equipment",
            Do("take_arcane", args),
            f"any one, into the Equipment discard; {count}",
            why_not=no_more,
        ),
        Tap("Heal", Do("heal", args), f"1 Injury back to the Injury deck; {lies}", why_not=not_healed),
        *_praises(args, discard),
        Tap("No reward", Do("no_reward", args), "there is none, or it is of no use"),
    )
    return Picker("peak-others", taps, "or", "rows")


def _praises(args: dict[str, int], discard: int) -> Iterator[Tap]:
    if not discard:
        yield Tap("Praise", Do("praise", args), why_not="No token lies in the discard.")
    for count in range(min(2, discard), 0, -1):
        what = f"{counted(count, 'token')} from the discard to the sled"
        yield Tap("Praise", Do("praise", {**args, "count": count}), what)
