"""The bases as everybody sees them, and the pieces of the set-up."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core import Counter, Do, Seat, Tick
from companion.core.text import listed
from companion.games.smash_up.cards import BASES, FACTIONS, SETS, THIS_SET, Card, faction
from companion.games.smash_up.commands.setting_up import CHECKLIST
from companion.games.smash_up.state import EACH, Base, State

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

    seat: Seat
    power: Counter
    minions: Counter
    words: str  # "2 minions"
    bare: bool  # power, but no minion


@dataclass(frozen=True)
class Lying:
    """A base in play."""

    id: int
    card: Card
    when: str
    total: int
    ready: bool
    scoring: bool
    lacking: int
    held: tuple[Held, ...]
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
    warning: str
    choosing: tuple[Choosing, ...]
    wanted: int
    starts: tuple[tuple[Seat, Do], ...]
    ticks: tuple[Tick, ...]


def lying(state: State, base: Base) -> Lying:
    playing = state.stage == "play"
    args = {"base": base.id, "seat": state.player}
    return Lying(
        base.id,
        base.card,
        WHEN.get(base.card.when, ""),
        base.total,
        base.ready,
        state.scoring is not None and state.scoring.base == base.id,
        max(0, base.card.breakpoint - base.total),
        tuple(_held(state, base, seat) for seat in state.table.seats),
        tuple((power, Do("play_minion", {**args, "power": power})) for power in POWERS) if playing else (),
        len(state.bases) > 1,
    )


def _held(state: State, base: Base, seat: Seat) -> Held:
    held = base.at(seat.id)
    args = {"seat": seat.id, "base": base.id}
    here = held.here
    return Held(
        seat,
        Counter(
            f"power-{base.id}-{seat.id}", f"power at {base.card.name}", held.power, Do("count_power", args)
        ),
        minion_counter(f"minions-{base.id}-{seat.id}", base, seat, here),
        f"{here} minion{'s' if here != 1 else ''}",
        held.power > 0 and not here,
    )


def minion_counter(id: str, base: Base, seat: Seat, here: int) -> Counter:
    label = f"minions at {base.card.name}"
    return Counter(id, label, here, Do("count_minions", {"seat": seat.id, "base": base.id}))


# --- picking a base ---


def boxes(state: State, do: Do) -> tuple[Box, ...]:
    """Every base that could come, as a tap that adds its `card` to what `do` says."""
    found = []
    for each in SETS:
        used = state.uses(each.id)
        toggle = Do("use_set", {"set": each.id, "used": "no" if used else "yes"})
        cards = [state.card(base.id) for base in BASES if base.set == each.id]
        found.append(Box(each.name, used, toggle, tuple(_pick(state, card, do) for card in cards)))
    if state.typed:
        found.append(
            Box("Typed in", True, None, tuple(_pick(state, card, do) for card in state.typed.values()))
        )
    return tuple(found)


def _pick(state: State, card: Card, do: Do) -> Pick:
    if card.id in state.in_play:
        return Pick(card, None, "in play")
    where = "scored" if card.id in state.discards else ""
    return Pick(card, Do(do.command, {**do.args, "card": card.id}), where)


# --- set-up ---


def setting_up(state: State) -> SettingUp:
    return SettingUp(
        warning(state),
        tuple(choosing(state, seat) for seat in state.table.seats),
        state.wanted,
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
        said.append(f"{state.lacking} base{'s' if state.lacking > 1 else ''}")
    if said:
        return f"Still to come: {', and '.join(said)}."
    return f"All is there, and {state.name(state.table.starter)} begins."


def _undecided(state: State) -> list[str]:
    return [seat.name for seat in state.table.seats if len(state.factions_of(seat.id)) < EACH]


def choosing(state: State, seat: Seat) -> Choosing:
    owners = {name.casefold(): other for other in state.table.seats for name in state.factions_of(other.id)}
    mine = state.factions_of(seat.id)
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
