"""A player: points, six cards, the Ritual, two markers, and the Dark Masters that the bonds pay."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from companion.core import Counter, Do, Seat, SeatView
from companion.core.text import signed
from companion.games.wisdom_of_cthulhu.box import BONDS, BOXES, MET_WHEN, REQUIREMENTS, Bond, bond
from companion.games.wisdom_of_cthulhu.commands.points import idle_bonds
from companion.games.wisdom_of_cthulhu.house_rules import SACRIFICE_WHEN
from companion.games.wisdom_of_cthulhu.state import Player, State


@dataclass(frozen=True)
class Held:
    """The Dark Masters of one bond before one player, and the tap that pays them all."""

    bond: Bond
    points: int
    cards: tuple[tuple[str, str], ...]  # name, form
    do: Do | None


@dataclass(frozen=True)
class WisdomSeat(SeatView):
    tag: str = ""  # beside the name
    cards: tuple[str, ...] = ()  # six of them, each by what it is now
    counts: tuple[tuple[int, str], ...] = ()  # the same in words
    kp: int = 0
    ritual: int = 0
    rite: str = ""
    next_rite: str = ""
    evokes: bool = False
    seeker: str = ""
    sign: str = ""
    held: tuple[Held, ...] = ()
    tools: tuple[tuple[str, str], ...] = ()  # what opens a form, and its words


class Now(NamedTuple):
    """What is the same for every seat."""

    turn: int
    over: bool
    evoked: bool
    sacrifice_at_once: bool
    idle: tuple[str, ...]  # bonds that pay nobody


def seats(state: State, leaders: tuple[int, ...]) -> tuple[WisdomSeat, ...]:
    now = Now(
        state.turn,
        state.over,
        state.evoked is not None,
        SACRIFICE_WHEN.chosen(state.table) == "same",
        idle_bonds(state),
    )
    found = []
    for seat, got in zip(state.table.seats, state.gains, strict=True):
        mine = state.players[seat.id]
        tag = "leads" if now.turn and leaders == (seat.id,) else ""
        if not now.turn and seat.id == state.table.starter:
            tag = "declares first"
        found.append(_seat(seat, mine, got, tag, state.where(mine.seeker), state.where(mine.sign), now))
    return tuple(found)


@lru_cache(4096)  # the seats of many tables: most taps change one of them, or none
def _seat(
    seat: Seat, mine: Player, got: tuple[int, ...], tag: str, seeker: str, sign: str, now: Now
) -> WisdomSeat:
    playing = now.turn > 0
    kp = sum(got)
    counter = Counter(
        id=f"counter-{seat.id}-1",
        label="KP",
        value=kp,
        do=Do("count", {"seat": seat.id, "turn": now.turn}),
        detail=f"{signed(got[-1])} this turn" if playing and got[-1] else "",
    )
    next_rite = REQUIREMENTS[mine.ritual] if mine.ritual < BOXES else ""
    evokes = mine.ritual == BOXES and not now.evoked
    return WisdomSeat(
        seat,
        (counter,) if playing else (),
        leads=tag == "leads",
        tag=tag,
        cards=_cards(mine),
        counts=_counts(mine),
        kp=kp,
        ritual=mine.ritual,
        rite=_rite(mine, next_rite, evokes, now),
        next_rite=next_rite,
        evokes=evokes,
        seeker=seeker,
        sign=sign,
        held=_held(seat.id, mine, now) if playing else (),
        tools=_tools(next_rite, evokes, now.over),
    )


@cache
def _tools(next_rite: str, evokes: bool, over: bool) -> tuple[tuple[str, str], ...]:
    rite = ("evoke", "Evoke") if evokes else ("ritual", next_rite)
    return (
        ("points", "Points"),
        *((rite,) if rite[1] and not over else ()),
        ("seeker", "Seeker"),
        ("take", "Dark Master"),
        ("sign", "Sign"),
        ("bond", "Other bond"),
        ("cards", "Six cards"),
    )


def _rite(mine: Player, next_rite: str, evokes: bool, now: Now) -> str:
    """What each box was reached with, and what comes next."""
    met = ", ".join(bond(rite.bond).name if rite.bond else "by hand" for rite in mine.rites)
    if not next_rite and not evokes:
        words = "complete"
    elif now.over:
        words = "not completed"
    else:
        words = "can evoke" if evokes else f"{next_rite} next, {_rite_when(mine, now)}"
    return f"{met}; {words}" if met else words


def _rite_when(mine: Player, now: Now) -> str:
    turn = mine.rites[-1].turn + 1 if mine.ritual == BOXES - 1 else 0
    wait = turn > now.turn and not now.sacrifice_at_once
    return MET_WHEN[mine.ritual] + (f" of turn {turn}" if wait else "")


def _cards(mine: Player) -> tuple[str, ...]:
    return (
        *("path",) * mine.hand,
        *("temporary",) * mine.temporary,
        *("spent",) * mine.spent,
        *("permanent",) * (mine.permanent - mine.used),
        *("used",) * mine.used,
    )


def _counts(mine: Player) -> tuple[tuple[int, str], ...]:
    return (
        (mine.hand, "Path" if mine.hand == 1 else "Paths"),
        (mine.spent, "spent"),
        (mine.temporary, "temporary"),
        (mine.permanent, f"permanent, {mine.used} used" if mine.used else "permanent"),
    )


def _held(seat: int, mine: Player, now: Now) -> tuple[Held, ...]:
    found = []
    for each in BONDS if mine.masters else ():
        cards = tuple(
            (m.name, f"master-{seat}-{at}") for at, m in enumerate(mine.masters) if m.bond == each.id
        )
        do = Do("pay_bond", {"seat": seat, "turn": now.turn, "bond": each.id})
        if cards:
            points = sum(m.points for m in mine.paid_by(each.id))
            found.append(Held(each, points, cards, None if now.over or each.id in now.idle else do))
    return tuple(found)
