"""The bases as everybody sees them, and the pieces of the set-up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from companion.core import Counter, Do, Seat, Tick
from companion.core.text import counted, listed
from companion.games.smash_up.cards import BASES, FACTIONS, SETS, THIS_SET, Card, faction
from companion.games.smash_up.commands.setting_up import CHECKLIST
from companion.games.smash_up.state import EACH, Base, Holding, State

POWERS = (1, 2, 3, 4, 5, 6)  # one tap each; other powers are counted with + or typed
WHEN = {
    "start": "At the start of a turn",
    "play": "When a minion is played",
    "ongoing": "While in play",
    "scoring": "When it scores",
    "after": "After scoring",
}


@dataclass(frozen=True)
class Held:
    """One seat at one base."""

    id: str
    seat: Seat
    power: Counter
    minions: Counter
    said: str  # of the minions
    bare: bool  # power, but no minion


@dataclass(frozen=True)
class Lying:
    """A base in play."""

    place: str  # where it lies
    id: int
    card: Card
    when: str
    total: int
    ready: bool
    scoring: bool
    lacking: int
    filled: int  # of its breakpoint
    held: tuple[Held, ...]
    player: Seat | None  # whose turn it is
    plays: tuple[tuple[int, Do], ...]  # a minion of this power by the current player
    moves: bool


@dataclass(frozen=True)
class Pick:
    card: Card
    do: Do | None
    where: str = ""  # why it cannot be taken


@dataclass(frozen=True)
class Box:
    """A set, whether its bases are in the deck, and its cards to pick from."""

    name: str
    used: bool
    do: Do | None
    picks: tuple[Pick, ...]


@dataclass(frozen=True)
class FactionChip:
    name: str
    do: Do | None
    mine: bool = False
    taken: str = ""


@dataclass(frozen=True)
class Choosing:
    """The factions of one seat."""

    seat: Seat
    chosen: tuple[FactionChip, ...]
    typed: tuple[FactionChip, ...]  # those of no box of ours
    groups: tuple[tuple[str, tuple[FactionChip, ...]], ...]
    complete: bool


@dataclass(frozen=True)
class SettingUp:
    choosing: tuple[Choosing, ...]
    wanted: int
    empty: range  # the numbers of the places where a base is still to come
    starts: tuple[tuple[Seat, Do], ...]
    ticks: tuple[Tick, ...]


def lying(state: State) -> tuple[Lying, ...]:
    player = state.table.seat(state.player) if state.stage == "play" else None
    scoring, moves = state.scoring.base if state.scoring else 0, len(state.bases) > 1
    seats = state.table.seats
    return tuple(
        [
            state.kept(("base", base.id), _lying, at, base, seats, player, scoring == base.id, moves)
            for at, base in enumerate(state.bases, 1)
        ]
    )


def _lying(
    at: int, base: Base, seats: tuple[Seat, ...], player: Seat | None, scoring: bool, moves: bool
) -> Lying:
    card, total = base.card, base.total
    return Lying(
        f"place-{at}",
        base.id,
        card,
        WHEN.get(card.when, ""),
        total,
        total >= card.breakpoint,
        scoring,
        max(0, card.breakpoint - total),
        min(total, card.breakpoint),
        tuple([_held(seat, base.id, card.name, base.at(seat.id)) for seat in seats]),
        player,
        _plays(base.id, player.id) if player else (),
        moves,
    )


@lru_cache(4096)  # a tap changes what one of them has at one base
def _held(seat: Seat, base: int, where: str, holding: Holding) -> Held:
    at, power, here = f"{base}-{seat.id}", holding.power, holding.here
    do = Do("count_power", {"seat": seat.id, "base": base})
    bare = power > 0 and not here
    return Held(
        f"row-{at}",
        seat,
        Counter(f"power-{at}", f"power at {where}", power, do),
        minion_counter(f"minions-{at}", base, where, seat, here),
        "no minion" if bare else "minion" if here == 1 else "minions",
        bare,
    )


@lru_cache(1000)  # numbers alone, so all tables share them
def _plays(base: int, seat: int) -> tuple[tuple[int, Do], ...]:
    return tuple((power, Do("play_minion", {"base": base, "seat": seat, "power": power})) for power in POWERS)


def minion_counter(id: str, base: int, where: str, seat: Seat, here: int) -> Counter:
    return Counter(id, f"minions at {where}", here, Do("count_minions", {"seat": seat.id, "base": base}))


# --- picking a base ---


def boxes(state: State, do: Do) -> tuple[Box, ...]:
    """Every base that could come, as a tap that adds its `card` to what `do` says."""
    return state.kept("boxes", _boxes, do, state.used, state.typed, state.in_play, state.discards)


def _boxes(
    do: Do, used: tuple[str, ...], typed: Mapping[str, Card], in_play: tuple[str, ...], gone: tuple[str, ...]
) -> tuple[Box, ...]:
    def pick(card: Card) -> Pick:
        if card.id in in_play:
            return Pick(card, None, "in play")
        return Pick(card, Do(do.command, {**do.args, "card": card.id}), "scored" if card.id in gone else "")

    found = []
    for each in SETS:
        toggle = Do("use_set", {"set": each.id, "used": "no" if each.id in used else "yes"})
        cards = [typed.get(base.id, base) for base in BASES if base.set == each.id]
        found.append(Box(each.name, each.id in used, toggle, tuple(map(pick, cards))))
    if typed:
        found.append(Box("Typed in", True, None, tuple(map(pick, typed.values()))))
    return tuple(found)


# --- set-up ---


def setting_up(state: State) -> SettingUp:
    return SettingUp(
        tuple(choosing(state.table.seats, state.factions, seat) for seat in state.table.seats),
        state.wanted,
        range(len(state.bases) + 1, len(state.bases) + state.lacking + 1),
        tuple((seat, Do("choose_starter", {"seat": seat.id})) for seat in state.table.seats),
        tuple(
            Tick(
                label,
                Do("tick", {"item": item, "done": "no" if item in state.ticked else "yes"}),
                item in state.ticked,
            )
            for item, label in CHECKLIST
        ),
    )


def warning(state: State) -> str:
    """This box alone has four factions: two players."""
    players = len(state.table.seats)
    chosen = [faction(name) for names in state.factions.values() for name in names]
    if players <= 2 or any(each.set != THIS_SET for each in chosen):
        return ""
    return (
        f"This box alone seats two: it has four factions, and {players} players need {players * EACH}."
        " Take the others from the core set, or type them in."
    )


def newcomers(state: State) -> tuple[Seat, ...]:
    """Who plays without factions, having joined late; nobody, where the table keeps no factions at all."""
    lacking = tuple(seat for seat in state.table.seats if len(state.factions_of(seat.id)) < EACH)
    return lacking if state.stage == "play" and len(lacking) < len(state.table.seats) else ()


def late(state: State) -> tuple[str, ...]:
    """What a game that is under way lacks since more people play it."""
    said = []
    if lacking := [seat.name for seat in newcomers(state)]:
        who = f"{listed(lacking)} {'has' if len(lacking) == 1 else 'have'} no factions yet."
        said.append(f"{who} Tap the name below, choose two, shuffle, draw five cards.")
    if state.stage == "play" and state.lacking:
        more = "one more comes" if state.lacking == 1 else f"{state.lacking} more come"
        said.append(f"{len(state.table.seats)} players play with {state.wanted} bases: {more}.")
    return tuple(said)


def unready(state: State) -> str:
    """Who still has to choose, as a question before the start."""
    lacking = _undecided(state)
    have = "has" if len(lacking) == 1 else "have"
    return f"{listed(lacking)} {have} not chosen two factions. Start all the same?" if lacking else ""


def still_to_come(state: State) -> str:
    """What the set-up lacks, on your own phone or for the others."""
    lacking = _undecided(state)
    said = []
    if lacking:
        said.append(f"two factions for {listed(lacking)}")
    if state.lacking:
        said.append(counted(state.lacking, "base"))
    if said:
        return f"Still to come: {', and '.join(said)}."
    return f"All is there, and {state.name(state.table.starter)} begins."


def _undecided(state: State) -> list[str]:
    return [seat.name for seat in state.table.seats if len(state.factions_of(seat.id)) < EACH]


def choosing(seats: tuple[Seat, ...], factions: Mapping[int, tuple[str, ...]], seat: Seat) -> Choosing:
    owners = {name.casefold(): other for other in seats for name in factions.get(other.id, ())}
    mine = factions.get(seat.id, ())
    complete = len(mine) >= EACH

    def chip(name: str) -> FactionChip:
        owner = owners.get(name.casefold())
        args: dict[str, str | int] = {"seat": seat.id, "faction": name}
        if owner is not None and owner.id == seat.id:
            return FactionChip(name, Do("drop_faction", args), mine=True)
        if owner is not None:
            return FactionChip(name, None, taken=owner.name)
        return FactionChip(name, None if complete else Do("choose_faction", args))

    groups = tuple(
        (each.name, tuple(chip(one.name) for one in FACTIONS if one.set == each.id)) for each in SETS
    )
    return Choosing(
        seat,
        tuple(chip(name) for name in mine),
        tuple(chip(name) for name in mine if not faction(name).set),
        tuple(group for group in groups if group[1]),
        complete,
    )
