"""Two factions each, and the bases as they come and go."""

from typing import Literal

from companion.core import Context, Event, Events, Luck, SeatEvent, refuse_if, replace, there
from companion.core.text import Choice, Count, SeatId
from companion.games.smash_up.cards import SETS, AsPrinted, Card, Printed
from companion.games.smash_up.state import EACH, MOST_BASES, Base, State, Which


class FactionChosen(SeatEvent[State], tap="choose_faction", seat=SeatId, faction=AsPrinted):
    faction: str

    def fold(self, state: State) -> State:
        name, mine = state.name(self.seat), state.factions_of(self.seat)
        holder = state.played.get(self.faction.casefold())
        whose = state.name(holder) if holder else ""
        refuse_if(holder == self.seat, f"{name} plays {self.faction} already; the two must differ.")
        refuse_if(holder, f"{whose} plays {self.faction}. No faction is at the table twice.")
        has_two = f"{name} has two factions already: {' and '.join(mine)}."
        refuse_if(len(mine) >= EACH, f"{has_two} Put one back first.")
        return replace(state, factions={**state.factions, self.seat: (*mine, self.faction)})


class FactionDropped(SeatEvent[State], tap="drop_faction", seat=SeatId, faction=AsPrinted):
    faction: str

    def fold(self, state: State) -> State:
        mine = state.factions_of(self.seat)
        refuse_if(self.faction not in mine, f"{state.name(self.seat)} does not play {self.faction}.")
        left = tuple(each for each in mine if each != self.faction)
        return replace(state, factions={**state.factions, self.seat: left})


class SetUsed(Event[State]):
    set: str
    name: str
    used: bool

    def fold(self, state: State) -> State:
        return replace(state, sets={**state.sets, self.set: self.used})


class BaseTyped(Event[State]):
    """A base no box of ours has; it is in the base deck from now on."""

    id: str
    name: str
    breakpoint: int
    vp: tuple[int, int, int]

    def fold(self, state: State) -> State:
        since = state.typed.get(self.id)
        refuse_if(since, f"{since and since.name} has been typed in since.")
        _check_names(state, self.name)
        card = Card(self.id, self.name, "", self.breakpoint, tuple(self.vp))
        return replace(state, typed={**state.typed, self.id: card})


def _check_names(state: State, name: str, but: str = "") -> None:
    for card in [base.card for base in state.bases if base.card.id != but]:
        refuse_if(card.name.casefold() == name.casefold(), f"{card.name} is in play already.")


class BaseLaid(Event[State]):
    """A base comes into play; its number is its own for the whole game."""

    base: int
    card: str
    how: Literal["lot", "picked", "typed"] = "picked"

    def fold(self, state: State) -> State:
        card, bases, scored = state.card(self.card), state.bases, state.scored
        refuse_if(any(each.id == self.base for each in bases), "Another base lies there now.")
        refuse_if(self.card in state.in_play, f"{card.name} is in play already.")
        _check_names(state, card.name)
        refuse_if(len(bases) >= MOST_BASES, f"{MOST_BASES} bases are as many as the table has room for.")
        at = len(bases) if state.gap is None else state.gap
        replaces = state.after and not state.after.lies and scored
        if replaces and all(each.id != scored[-1].replaced for each in bases):
            scored = (*scored[:-1], replace(scored[-1], replaced=self.base))
        bases, laid = (*bases[:at], Base(self.base, card), *bases[at:]), max(state.laid, self.base)
        discards = tuple(each for each in state.discards if each != self.card)
        state = replace(state, seen=tuple(dict.fromkeys((*state.seen, self.card))), discards=discards)
        return replace(state, bases=bases, gap=None, laid=laid, scored=scored)


class BaseTakenUp(Event[State]):
    base: int
    name: str

    def fold(self, state: State) -> State:
        if self.base in [each.base for each in (state.scoring, state.after) if each]:
            state.check_no_scoring()
        return state.without_base(state.base(self.base))


class BaseCorrected(Event[State]):
    base: int
    name: str
    breakpoint: int
    vp: tuple[int, int, int]

    def fold(self, state: State) -> State:
        old = state.base(self.base)
        _check_names(state, self.name, but=old.card.id)
        card = old.card._replace(name=self.name, breakpoint=self.breakpoint, vp=tuple(self.vp))
        return state.with_base(replace(old, card=card))


class BaseDeckShuffled(Event[State]):
    def fold(self, state: State) -> State:
        return replace(state, discards=())


def use_set(state: State, context: Context, set: Choice, used: bool) -> Events:
    name = there(SETS.get(set), "That is none of the sets whose bases are known here.")
    refuse_if((set in state.used) == used, f"{name}: that is so already.")
    yield SetUsed(set, name, used)


def draw_bases(state: State, context: Context, have: Count) -> Events:
    """By lot, as many as are still missing. `have` is what the phone saw: a late tap draws nothing more."""
    _check_have(state, have)
    missing, deck = state.wanted - have, list(state.base_deck)
    refuse_if(missing < 1, f"All {state.wanted} bases lie here already.")
    refuse_if(not deck, "The base deck is empty. Use another set, or type bases in.")
    for number in range(1, min(missing, len(deck)) + 1):
        card = deck.pop(deck.index(context.luck.choose(deck)))
        yield BaseLaid(state.laid + number, card, "lot")


def _check_have(state: State, have: int) -> None:
    here = len(state.bases)
    refuse_if(have != here, f"{here} bases lie here by now. Tap again if one more is meant.")


def lay_base(state: State, context: Context, card: Choice, have: Count) -> Events:
    _check_have(state, have)
    _check_room(state)
    yield BaseLaid(state.laid + 1, state.card(card).id)


def type_base(state: State, context: Context, printed: Printed) -> Events:
    _check_room(state)
    yield from typed_base(state, printed)


def _check_room(state: State) -> None:
    full = state.stage == "setup" and len(state.bases) >= state.wanted
    refuse_if(full, f"{state.plays_with}. Put one back first.")


def typed_base(state: State, printed: Printed) -> Events:
    id = f"typed-{len(state.typed) + 1}"
    yield BaseTyped(id, *printed.all)
    yield BaseLaid(state.laid + 1, id, "typed")


def drawn_base(state: State, luck: Luck, also: str) -> Events:
    """The top card of the base deck; the scored bases, `also` among them, are shuffled if it is empty."""
    deck = state.base_deck
    if not deck:
        deck = tuple(id for id in (*state.discards, also) if id in (*state.pool, also))
        yield BaseDeckShuffled()
    yield BaseLaid(state.laid + 1, luck.choose(deck), "lot")


def put_back_base(state: State, context: Context, base: Which) -> Events:
    yield BaseTakenUp(base, state.base(base).card.name)


def swap_base(state: State, context: Context, base: Which, card: Choice) -> Events:
    """Another card lies there: for a base drawn by lot where the table turned over its own."""
    old = state.base(base)
    taken = any(held.power or held.here for held in old.held.values())
    refuse_if(taken, f"There is power at {old.card.name}; it cannot be another base now.")
    yield BaseTakenUp(base, old.card.name)
    yield BaseLaid(state.laid + 1, state.card(card).id)


def correct_base(state: State, context: Context, base: Which, printed: Printed) -> Events:
    old = state.base(base).card
    refuse_if((old.name, old.breakpoint, old.vp) == printed.all, "It says that already.")
    yield BaseCorrected(base, *printed.all)
