"""The panel of whoever is to declare or to act: every choice with its cost, its gain and what is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from companion.core import Do, Seat
from companion.core.text import counted, listed, plain
from companion.games.wisdom_of_cthulhu.box import ACTIONS, BONDS, OBSESSION_KP, PATH_KP, Action, Bond
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, Player, State


class Offer(NamedTuple):
    """Tapped at once, or after a few words in a sheet; with neither it cannot be done, for a reason."""

    label: str
    cost: str = ""
    after: str = ""
    do: Do | None = None
    form: str = ""
    why_not: str = ""
    number: int = 0
    later: bool = False


@dataclass(frozen=True)
class Panel:
    kind: str  # order, research
    whose: Seat
    held: bool  # by a phone: then it comes up on that one
    title: str
    waiting: str
    has: str
    offers: tuple[Offer, ...]

    @property
    def seat(self) -> int:
        return self.whose.id


def panel(state: State) -> Panel | None:
    if state.phase == "order":
        return _declaring(state)
    return _acting(state) if state.phase == "research" else None


def _declaring(state: State) -> Panel:
    assert state.declarer is not None
    seat, lap = state.declarer
    mine, name = state.player(seat), state.name(seat)
    args: dict[str, str | int] = {"seat": seat, "turn": state.turn, "lap": lap}
    obsessed = state.obsessed[seat]
    offers = tuple(
        [
            Offer(
                str(count),
                cost=f"{obsessed + count} Obs.",
                after=counted(mine.hand - count, "Path", "no"),
                do=Do("declare", {**args, "count": count}),
            )
            for count in range(mine.hand + 1)
        ]
    )
    return Panel(
        "order",
        *_whose(state, seat),
        "Lap 2: how many more?" if lap == 2 else "Lap 1: turn how many Paths?",
        f"{name} declares, lap {lap} of 2",
        _most(state, seat),
        offers,
    )


def _whose(state: State, seat: int) -> tuple[Seat, bool]:
    return state.table.seat(seat), state.table.holder(seat) is not None


def _most(state: State, seat: int) -> str:
    """What there is to beat."""
    said = {each.seat for each in state.declared} - {seat}
    others = [other for other in state.speaking if other in said]
    if not others:
        return "You speak first: most Obsessions act first."
    best = max(others, key=lambda other: (state.obsessed[other], -state.reached[other]))
    return f"To beat: {state.name(best)} with {state.obsessed[best]}; a tie is {state.name(best)}’s."


def _acting(state: State) -> Panel:
    assert state.actor is not None
    seat = state.actor
    mine, name, kp = state.player(seat), state.name(seat), state.kp(seat)
    has = f"{counted(mine.hand, 'Path', 'no')}, {counted(mine.obsessions, 'Obsession', 'no')}, {plain(kp)} KP"
    now = Now(mine, kp, state.where(mine.sign), bool(placed_signs(state, seat)), bool(invocable(state, seat)))
    return Panel(
        "research",
        *_whose(state, seat),
        "Your action",
        f"{name}’s action, round {mine.actions + 1}",
        f"You have {has}.",
        _offers(now, (("seat", seat), ("turn", state.turn), ("after", state.acted))),
    )


class Now(NamedTuple):
    """All that the offers of an action depend on."""

    mine: Player
    kp: int
    sign: str  # where one's own is
    signs: bool  # whether others have placed theirs
    invocable: bool


@lru_cache(1024)  # for whoever acts at each of many tables
def _offers(now: Now, args: tuple[tuple[str, int], ...]) -> tuple[Offer, ...]:
    return tuple([_offer(now, dict(args), each) for each in ACTIONS])


def _offer(now: Now, args: Mapping[str, str | int], each: Action) -> Offer:
    refusal = _why_not(now, each)
    cost, after = _price(now, each)
    do, form = None, f"act-{each.id}"
    if each.id.startswith("cash"):
        do, form = Do("cash_in", {**args, "what": each.cost}), ""
    if refusal:
        do, form = None, ""
    return Offer(each.short, cost, after, do, form, refusal, each.number, each.later)


def _price(now: Now, each: Action) -> tuple[str, str]:
    """What it costs, and what is left of that afterwards."""
    mine = now.mine
    if each.id == "invocation":
        return "no cost", "the Seeker moves to its card"
    if each.id == "place" and not mine.obsessions:
        return "free powers only", "no Obsession left"
    if each.id.startswith("cash"):
        gain = PATH_KP if each.cost == "path" else OBSESSION_KP
        return f"+{gain} KP", f"→ {plain(now.kp + gain)} KP, {_left(mine, each.cost)}"
    fallback = each.id == "knowledge" and not mine.hand
    cost = "obsession" if fallback else each.cost
    words = "−1 Path" if cost == "path" else "−1 Obs."
    return words, f"→ {_left(mine, cost)}" + (", only once" if fallback else "")


def _left(mine: Player, cost: str) -> str:
    left = mine.hand if cost == "path" else mine.obsessions
    return f"{left - 1 if left > 1 else 'none'} left"


def _why_not(now: Now, each: Action) -> str:
    mine = now.mine
    if each.id == "knowledge":
        return "no more this turn" if mine.fallback and not mine.hand else ""
    if each.id == "invocation":
        if not mine.ritual:
            return "your Ritual token is at the start"
        return "" if now.invocable else "the Great Old One of your bond is not in play"
    if each.id == "place":
        return ""  # some powers cost nothing
    if each.cost == "path" and not mine.hand:
        return "no Path left"
    if each.cost == "obsession" and not mine.obsessions:
        return "no Obsession left"
    if each.id == "sign" and mine.sign:
        return f"yours: {now.sign}"
    if each.id == "unsign" and not now.signs:
        return "none is placed"
    return ""


def invocable(state: State, seat: int) -> tuple[Bond, ...]:
    """The Great Old Ones in play for whose bond this player turned a Ritual Object; by hand means any."""
    turned = {rite.bond for rite in state.player(seat).rites}
    return tuple([each for each in BONDS if {each.id, ""} & turned and state.in_play(each.id)])


def placed_signs(state: State, seat: int) -> tuple[int, ...]:
    return tuple([o for o in state.seats if o != seat and state.players[o].sign not in (HOME, OUT)])


def masters_of(state: State, seat: int, id: str) -> str:
    """What a bond would pay, in words."""
    masters = state.player(seat).paid_by(id)
    if not masters:
        return "no Dark Master of yours"
    return f"+{sum(each.points for each in masters)} KP for {listed([each.name for each in masters])}"
