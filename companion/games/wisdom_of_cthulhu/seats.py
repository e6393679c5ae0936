"""A player: points, six cards, the Ritual, two markers, and the Dark Masters that the bonds pay."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from companion.core import Counter, Do, Seat, SeatView, Tap
from companion.core.pieces import Bar, Note, Picker, Piece, Track, Tray
from companion.core.text import counted, listed, signed
from companion.games.wisdom_of_cthulhu.box import BONDS, BOXES, REQUIREMENTS, SACRIFICE_WHEN, find_bond
from companion.games.wisdom_of_cthulhu.points import idle
from companion.games.wisdom_of_cthulhu.state import Player, State

TOOLS = (("points", "Points"), ("seeker", "Seeker"), ("sign", "Elder Sign"), ("take", "Dark Master"))
RARE = (("bond", "Other bond"), ("cards", "Six cards"))


class Now(NamedTuple):
    """What is the same for every seat."""

    turn: int
    over: bool
    evoked: bool
    sacrifice_at_once: bool
    idle: tuple[str, ...]  # bonds that pay nobody


def seats(state: State, leaders: tuple[int, ...]) -> tuple[SeatView, ...]:
    at_once = SACRIFICE_WHEN.chosen(state.table) == "same"
    nothing = tuple([each.id for each in BONDS if idle(state, each.id)])
    now = Now(state.turn, state.over, state.evoked is not None, at_once, nothing)
    found = []
    for seat, got in zip(state.table.seats, state.gains, strict=True):
        mine = state.players[seat.id]
        spots = (state.where(mine.seeker), state.where(mine.sign))
        found.append(_seat(seat, mine, spots, now, got, bool(got) and leaders == (seat.id,)))
    return tuple(found)


@lru_cache(4096)  # the seats of many tables: most taps change one of them, or none
def _seat(
    seat: Seat, mine: Player, spots: tuple[str, str], now: Now, got: tuple[int, ...], leads: bool
) -> SeatView:
    if not got:
        return SeatView(seat)
    detail, do = (
        f"{signed(got[-1])} this turn" if got[-1] else "",
        Do("count", {"seat": seat.id, "turn": now.turn}),
    )
    kp = Counter(f"counter-{seat.id}-1", "KP", sum(got), do, detail)
    return SeatView(seat, (kp,), leads=leads, pieces=_pieces(seat, mine, spots, now))


@lru_cache(4096)
def _pieces(seat: Seat, mine: Player, spots: tuple[str, str], now: Now) -> tuple[Piece, ...]:
    id, evokes = seat.id, mine.ritual == BOXES and not now.evoked
    rite = Track(f"wis-rite-{id}", "Ritual", mine.ritual, BOXES, note=_rite(mine, evokes, now), seat=seat)
    lies = Note(f"wis-lies-{id}", _lies(mine, *spots))
    bonds = tuple(_bonds(id, mine, now))
    paid = (Picker(f"wis-bonds-{id}", bonds, look="rows"),) if bonds else ()
    return rite, lies, *paid, *_tools(seat, mine, evokes, now.over)


def _tools(seat: Seat, mine: Player, evokes: bool, over: bool) -> tuple[Piece, ...]:
    """What is wanted often stands on one's own card; the rest, and the others', is one tap behind it."""
    rite = [("ritual", each.name) for each in REQUIREMENTS[mine.ritual :][:1]]
    rite = [] if over else [("evoke", "Evoke")] if evokes else rite
    every = [Tap(words, opens=f"{form}-{seat.id}") for form, words in (*rite, *TOOLS, *RARE)]
    every += [Tap(each.name, opens=f"master-{seat.id}-{at}") for at, each in enumerate(mine.masters)]
    often = [Tap(words, opens=f"{form}-{seat.id}", strong=evokes) for form, words in rite]
    often += [Tap(words, opens=f"{form}-{seat.id}") for form, words in TOOLS[:1]]
    picker = Picker(f"wis-every-{seat.id}", tuple(every), columns=2)
    tray = Tray(f"wis-all-{seat.id}", seat.name, (picker,), seat)
    return Bar(f"wis-tools-{seat.id}", (*often, Tap("More", opens=tray.id))), tray


def _rite(mine: Player, evokes: bool, now: Now) -> str:
    """What each box was reached with, and what comes next."""
    met = ", ".join(find_bond(rite.bond).name if rite.bond else "by hand" for rite in mine.rites)
    words = "can evoke" if evokes else "complete" if mine.ritual == BOXES else "not completed"
    if mine.ritual < BOXES and not now.over:
        needed, turn = REQUIREMENTS[mine.ritual], mine.rites[-1].turn + 1 if mine.ritual == BOXES - 1 else 0
        wait = f" of turn {turn}" if turn > now.turn and not now.sacrifice_at_once else ""
        words = f"{needed.name} next, {needed.met}{wait}"
    return f"{met}; {words}" if met else words


def _lies(mine: Player, seeker: str, sign: str) -> str:
    """The six cards by what they are now, and the markers that are not at home."""
    used = f", {mine.used} used" if mine.used else ""
    cards = (
        counted(mine.hand, "Path", "no"),
        f"{mine.temporary} temporary" if mine.temporary else "",
        f"{mine.permanent} permanent{used}" if mine.permanent else "",
        f"{mine.spent} spent" if mine.spent else "",
    )
    markers = (f"Seeker: {seeker}" if mine.seeker else "", f"Elder Sign: {sign}" if mine.sign else "")
    return " · ".join(filter(None, (*cards, *markers)))


def _bonds(seat: int, mine: Player, now: Now) -> Iterator[Tap]:
    """One tap pays all Dark Masters of a bond."""
    for each in BONDS if mine.masters else ():
        points, masters = mine.paid_by(each.id)
        if masters:
            off = now.over or each.id in now.idle
            do = None if off else Do("pay_bond", {"seat": seat, "turn": now.turn, "bond": each.id})
            worth, id = f"+{points} KP", f"wis-pay-{seat}-{each.id}"
            yield Tap(each.name, do, listed(masters), mark=each.id, badge=worth, id=id)
