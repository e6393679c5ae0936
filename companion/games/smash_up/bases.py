"""Two factions each, and the bases as they come and go."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Luck, Name, Refused, SeatId, Whole
from companion.games.smash_up import cards
from companion.games.smash_up.cards import Card, box
from companion.games.smash_up.state import EACH, MOST_BASES, Base, Events, State

BaseId = Annotated[Count, Field(ge=1, le=9999)]
Breakpoint = Annotated[Whole, Field(ge=1, le=99)]
Vp = Annotated[Whole, Field(ge=0, le=20)]


# --- what can happen ---


class FactionChosen(Event[State]):
    seat: int
    faction: str

    says = "plays {faction}"

    def fold(self, state: State) -> State:
        name, mine = state.name(self.seat), state.factions_of(self.seat)
        for other in state.table.seats:
            if self.faction.casefold() not in [each.casefold() for each in state.factions_of(other.id)]:
                continue
            if other.id == self.seat:
                raise Refused(f"{name} plays {self.faction} already; the two must differ.")
            raise Refused(f"{other.name} plays {self.faction}. No faction is at the table twice.")
        if len(mine) >= EACH:
            raise Refused(f"{name} has two factions already: {' and '.join(mine)}. Put one back first.")
        return replace(state, factions={**state.factions, self.seat: (*mine, self.faction)})


class FactionDropped(Event[State]):
    seat: int
    faction: str

    says = "does not play {faction} after all"

    def fold(self, state: State) -> State:
        mine = state.factions_of(self.seat)
        left = tuple(each for each in mine if each != self.faction)
        if left == mine:
            raise Refused(f"{state.name(self.seat)} does not play {self.faction}.")
        return replace(state, factions={**state.factions, self.seat: left})


class SetUsed(Event[State]):
    set: str
    name: str
    used: bool

    def fold(self, state: State) -> State:
        return replace(state, sets={**state.sets, box(self.set).id: self.used})

    def log_text(self, state: State) -> str:
        return f"bases of “{self.name}” {'are' if self.used else 'are not'} in the base deck"


class BaseTyped(Event[State]):
    """A base no box of ours has; it is in the base deck from now on."""

    id: str
    name: str
    breakpoint: int
    vp: tuple[int, int, int]

    def fold(self, state: State) -> State:
        if self.id in state.typed:
            raise Refused(f"{state.typed[self.id].name} has been typed in since.")
        _check_names(state, self.name)
        card = Card(self.id, self.name, "", self.breakpoint, tuple(self.vp))
        return replace(state, typed={**state.typed, self.id: card})

    def log_text(self, state: State) -> str:
        return f"typed in {self.name}, breakpoint {self.breakpoint}, {' · '.join(map(str, self.vp))} VP"


def _check_names(state: State, name: str, but: str = "") -> None:
    for base in state.bases:
        if base.card.name.casefold() == name.casefold() and base.card.id != but:
            raise Refused(f"{base.card.name} is in play already.")


class BaseLaid(Event[State]):
    """A base comes into play; its number is its own for the whole game."""

    base: int
    card: str
    how: Literal["lot", "picked", "typed"] = "picked"

    def fold(self, state: State) -> State:
        card, bases, scored = state.card(self.card), state.bases, state.scored
        if any(each.id == self.base for each in bases):
            raise Refused("Another base lies there now.")
        if self.card in state.in_play:
            raise Refused(f"{card.name} is in play already.")
        _check_names(state, card.name)
        if len(bases) >= MOST_BASES:
            raise Refused(f"{MOST_BASES} bases are as many as the table has room for.")
        at = len(bases) if state.gap is None else min(state.gap, len(bases))
        if state.after and scored and all(each.id != scored[-1].replaced for each in bases):
            scored = (*scored[:-1], replace(scored[-1], replaced=self.base))
        return replace(
            state,
            bases=(*bases[:at], Base(self.base, card), *bases[at:]),
            gap=None,
            laid=max(state.laid, self.base),
            seen=tuple(dict.fromkeys((*state.seen, self.card))),
            discards=tuple(each for each in state.discards if each != self.card),
            scored=scored,
        )

    def log_text(self, state: State) -> str:
        return f"{state.card(self.card).name} is laid out{', by lot' if self.how == 'lot' else ''}"


class BaseTakenUp(Event[State]):
    base: int
    name: str

    says = "{name} goes back to the base deck"

    def fold(self, state: State) -> State:
        gone = state.base(self.base)
        if state.scoring and state.scoring.base == self.base:
            raise Refused(f"{gone.card.name} is being scored.")
        left = tuple(each for each in state.bases if each is not gone)
        return replace(state, bases=left, gap=state.bases.index(gone))


class BaseCorrected(Event[State]):
    base: int
    name: str
    breakpoint: int
    vp: tuple[int, int, int]

    def fold(self, state: State) -> State:
        old = state.base(self.base)
        _check_names(state, self.name, but=old.card.id)
        card = replace(old.card, name=self.name, breakpoint=self.breakpoint, vp=tuple(self.vp))
        return state.with_base(replace(old, card=card))

    def log_text(self, state: State) -> str:
        vp = " · ".join(map(str, self.vp))
        return f"{self.name} has breakpoint {self.breakpoint} and gives {vp} VP"


class BaseDeckShuffled(Event[State]):
    says = "the scored bases are shuffled into a new base deck"

    def fold(self, state: State) -> State:
        return replace(state, discards=())


# --- what can be tapped ---


def choose_faction(state: State, context: Context, seat: SeatId, faction: Name) -> Events:
    yield FactionChosen(seat, cards.faction(faction).name)


def drop_faction(state: State, context: Context, seat: SeatId, faction: Name) -> Events:
    yield FactionDropped(seat, cards.faction(faction).name)


def use_set(state: State, context: Context, set: Choice, used: Literal["yes", "no"]) -> Events:
    if (box(set).id in state.used) == (used == "yes"):
        raise Refused(f"{box(set).name}: that is so already.")
    yield SetUsed(set, box(set).name, used == "yes")


def draw_bases(state: State, context: Context, have: Count) -> Events:
    """By lot, as many as are still missing. `have` is what the phone saw: a late tap draws nothing more."""
    _check_have(state, have)
    missing, deck = state.wanted - have, list(state.base_deck)
    if missing < 1:
        raise Refused(f"All {state.wanted} bases lie here already.")
    if not deck:
        raise Refused("The base deck is empty. Use another set, or type bases in.")
    for number in range(1, min(missing, len(deck)) + 1):
        card = context.luck.choose(deck)
        deck.remove(card)
        yield BaseLaid(state.laid + number, card, "lot")


def _check_have(state: State, have: int) -> None:
    if have != len(state.bases):
        raise Refused(f"{len(state.bases)} bases lie here by now. Tap again if one more is meant.")


def lay_base(state: State, context: Context, card: Choice, have: Count) -> Events:
    _check_have(state, have)
    _check_room(state)
    yield BaseLaid(state.laid + 1, state.card(card).id)


def type_base(
    state: State,
    context: Context,
    name: Name,
    breakpoint: Breakpoint,
    vp_for_first: Vp,
    vp_for_second: Vp,
    vp_for_third: Vp,
) -> Events:
    _check_room(state)
    yield from typed_base(state, name, breakpoint, (vp_for_first, vp_for_second, vp_for_third))


def _check_room(state: State) -> None:
    if state.stage == "setup" and len(state.bases) >= state.wanted:
        players = len(state.table.seats)
        raise Refused(f"{players} players play with {state.wanted} bases. Put one back first.")


def typed_base(state: State, name: str, breakpoint: int, vp: tuple[int, int, int]) -> Events:
    id = f"typed-{len(state.typed) + 1}"
    yield BaseTyped(id, name, breakpoint, vp)
    yield BaseLaid(state.laid + 1, id, "typed")


def drawn_base(state: State, luck: Luck, also: str) -> Events:
    """The top card of the base deck; the scored bases, `also` among them, are shuffled if it is empty."""
    deck = state.base_deck
    if not deck:
        deck = tuple(id for id in (*state.discards, also) if id in (*state.pool, also))
        yield BaseDeckShuffled()
    yield BaseLaid(state.laid + 1, luck.choose(deck), "lot")


def put_back_base(state: State, context: Context, base: BaseId) -> Events:
    yield BaseTakenUp(base, state.base(base).card.name)


def swap_base(state: State, context: Context, base: BaseId, card: Choice) -> Events:
    """Another card lies there: for a base drawn by lot where the table turned over its own."""
    old = state.base(base)
    if any(held.power or held.here for held in old.held.values()):
        raise Refused(f"There is power at {old.card.name}; it cannot be another base now.")
    yield BaseTakenUp(base, old.card.name)
    yield BaseLaid(state.laid + 1, state.card(card).id)


def correct_base(
    state: State,
    context: Context,
    base: BaseId,
    name: Name,
    breakpoint: Breakpoint,
    vp_for_first: Vp,
    vp_for_second: Vp,
    vp_for_third: Vp,
) -> Events:
    old, vp = state.base(base).card, (vp_for_first, vp_for_second, vp_for_third)
    if (old.name, old.breakpoint, old.vp) == (name, breakpoint, vp):
        raise Refused("It says that already.")
    yield BaseCorrected(base, name, breakpoint, vp)
