"""The panel of whoever is to declare or to act: every choice with its cost, its gain and what is left."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core import Do
from companion.core.text import listed, plain
from companion.games.wisdom_of_cthulhu.box import ACTIONS, BONDS, OBSESSION_KP, PATH_KP, Action, Bond
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, Player, State


@dataclass(frozen=True)
class Offer:
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
    seat: int
    title: str
    waiting: str
    has: str
    offers: tuple[Offer, ...]


def panel(state: State) -> Panel | None:
    if state.phase == "order":
        return _declaring(state)
    return _acting(state) if state.phase == "research" else None


def plural(count: int, one: str) -> str:
    return f"{count or 'no'} {one}{'' if count == 1 else 's'}"


def _declaring(state: State) -> Panel:
    assert state.declarer is not None
    seat, lap = state.declarer
    mine, name = state.player(seat), state.name(seat)
    args: dict[str, str | int] = {"seat": seat, "turn": state.turn, "lap": lap}
    offers = tuple(
        Offer(
            str(count),
            cost=f"{state.obsessed(seat) + count} Obs.",
            after=plural(mine.hand - count, "Path"),
            do=Do("declare", {**args, "count": count}),
        )
        for count in range(mine.hand + 1)
    )
    return Panel(
        "order",
        seat,
        "Lap 2: how many more?" if lap == 2 else "Lap 1: turn how many Paths?",
        f"{name} declares, lap {lap} of 2",
        _most(state, seat),
        offers,
    )


def _most(state: State, seat: int) -> str:
    """What there is to beat."""
    said = {each.seat for each in state.declared} - {seat}
    others = [other for other in state.speaking if other in said]
    if not others:
        return "You speak first: most Obsessions act first."
    best = max(others, key=lambda other: (state.obsessed(other), -state.reached(other)))
    return f"To beat: {state.name(best)} with {state.obsessed(best)}; a tie is {state.name(best)}’s."


def _acting(state: State) -> Panel:
    assert state.actor is not None
    seat = state.actor
    mine, name = state.player(seat), state.name(seat)
    has = f"{plural(mine.hand, 'Path')}, {plural(mine.obsessions, 'Obsession')}, {plain(state.kp(seat))} KP"
    offers = tuple(_offer(state, seat, each) for each in ACTIONS)
    return Panel(
        "research",
        seat,
        "Your action",
        f"{name}’s action, round {mine.actions + 1}",
        f"You have {has}.",
        offers,
    )


def _offer(state: State, seat: int, each: Action) -> Offer:
    mine = state.player(seat)
    args: dict[str, str | int] = {"seat": seat, "turn": state.turn, "after": state.acted}
    refusal = _why_not(state, seat, each)
    cost, after = _price(state, seat, mine, each)
    do: Do | None = None
    form = ""
    match each.id:
        case "cash-path" | "cash-obsession":
            do = Do("cash_in", {**args, "what": each.cost})
        case _:
            form = f"act-{each.id}"
    if refusal:
        do, form = None, ""
    return Offer(each.short, cost, after, do, form, refusal, each.number, each.later)


def _price(state: State, seat: int, mine: Player, each: Action) -> tuple[str, str]:
    """What it costs, and what is left of that afterwards."""
    if each.id == "invocation":
        return "no cost", "the Seeker moves to its card"
    if each.id == "place" and not mine.obsessions:
        return "free powers only", "no Obsession left"
    if each.id.startswith("cash"):
        gain = PATH_KP if each.cost == "path" else OBSESSION_KP
        return f"+{gain} KP", f"→ {plain(state.kp(seat) + gain)} KP, {_left(mine, each.cost)}"
    fallback = each.id == "knowledge" and not mine.hand
    cost = "obsession" if fallback else each.cost
    words = "−1 Path" if cost == "path" else "−1 Obs."
    return words, f"→ {_left(mine, cost)}" + (", only once" if fallback else "")


def _left(mine: Player, cost: str) -> str:
    left = mine.hand if cost == "path" else mine.obsessions
    return f"{left - 1 if left > 1 else 'none'} left"


def _why_not(state: State, seat: int, each: Action) -> str:
    mine = state.player(seat)
    if each.id == "knowledge":
        if mine.hand:
            return ""
        return "no more this turn" if mine.fallback else ""
    if each.id == "invocation":
        if not mine.ritual:
            return "your Ritual token is at the start"
        return "" if invocable(state, seat) else "the Great Old One of your bond is not in play"
    if each.id == "place":
        return ""  # some powers cost nothing
    if each.cost == "path" and not mine.hand:
        return "no Path left"
    if each.cost == "obsession" and not mine.obsessions:
        return "no Obsession left"
    if each.id == "sign" and mine.sign:
        return f"yours: {state.where(mine.sign)}"
    if each.id == "unsign" and not placed_signs(state, seat):
        return "none is placed"
    return ""


def invocable(state: State, seat: int) -> tuple[Bond, ...]:
    """The Great Old Ones in play for whose bond this player turned a Ritual Object; by hand means any."""
    turned = {rite.bond for rite in state.player(seat).rites}
    return tuple(each for each in BONDS if state.in_play(each.id) and {each.id, ""} & turned)


def placed_signs(state: State, seat: int) -> tuple[int, ...]:
    return tuple(o for o in state.seats if o != seat and state.player(o).sign not in (HOME, OUT))


def masters_of(state: State, seat: int, id: str) -> str:
    """What a bond would pay, in words."""
    masters = state.player(seat).paid_by(id)
    if not masters:
        return "no Dark Master of yours"
    return f"+{sum(each.points for each in masters)} KP for {listed([each.name for each in masters])}"
