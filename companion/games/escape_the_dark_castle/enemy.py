"""An enemy: the chapter dice that lie for it, how hard it hits, and how the fight begins and ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, refuse_if
from companion.core.text import listed
from companion.games.escape_the_dark_castle import box
from companion.games.escape_the_dark_castle.castle import Number, Yes, check_chapter, going_on
from companion.games.escape_the_dark_castle.combat import USUAL_DAMAGE, Fight, without
from companion.games.escape_the_dark_castle.state import Events, State
from companion.tools.dice import Cup, roll

MOST_DAMAGE = 9
Damage = Annotated[Count, Field(ge=1, le=MOST_DAMAGE)]


def on(state: State) -> Fight:
    if state.fight is None:
        raise Refused("There is no fight on.")
    return state.fight


def _with(state: State, **changed: Any) -> State:
    return replace(state, fight=replace(on(state), **changed))


def over(state: State, won: bool) -> State:
    """An item for the group, but not for the boss: nothing comes after it."""
    on(state)
    owed = state.owed + (won and state.chapter != box.BOSS)
    return replace(state, fight=None, owed=owed, won_fights=state.won_fights + won)


# --- what happens ---


class FightBegun(Event[State]):
    number: int
    damage: int = 2

    def fold(self, state: State) -> State:
        check_chapter(state, self.number)
        refuse_if(state.fight, "A fight is on already.")
        state.check_no_test()
        heroes = tuple(hero.id for hero in state.heroes)
        return replace(state, fight=Fight(heroes, damage=self.damage), trial=None)

    def log_text(self, state: State) -> str:
        return f"a fight in {box.chapter_name(self.number)}"


class DiceLaid(Event[State]):
    """Laid out by hand one by one, or several rolled for the players."""

    traits: tuple[str, ...]
    rolled: bool = False

    def fold(self, state: State) -> State:
        dice = (*on(state).dice, *(box.trait(each).id for each in self.traits))
        refuse_if(len(dice) > box.MOST_DICE, f"{box.MOST_DICE} dice are as many as one enemy can have here.")
        return _with(state, dice=dice)

    def log_text(self, state: State) -> str:
        names = listed([box.trait(each).name for each in self.traits])
        many = state.fight and len(state.fight.dice) > box.DICE_IN_BOX
        stand_in = ", with a stand-in for what the box lacks" if many else ""
        return f"{'rolled and added' if self.rolled else 'laid out'} {names}{stand_in}"


class DieTaken(Event[State]):
    trait: str
    laying: bool = False

    def fold(self, state: State) -> State:
        fight = on(state)
        refuse_if(self.trait not in fight.dice, f"No {box.trait(self.trait).name} die lies there.")
        removed = fight.removed if self.laying else (*fight.removed, self.trait)
        return _with(state, dice=without(fight.dice, (self.trait,)), removed=removed)

    def log_text(self, state: State) -> str:
        return f"a {box.trait(self.trait).name} die {'taken up again' if self.laying else 'removed by hand'}"


class DieReturned(Event[State]):
    trait: str

    def fold(self, state: State) -> State:
        fight = on(state)
        refuse_if(self.trait not in fight.removed, f"No {box.trait(self.trait).name} die has been removed.")
        return _with(state, dice=(*fight.dice, self.trait), removed=without(fight.removed, (self.trait,)))

    def log_text(self, state: State) -> str:
        return f"a removed {box.trait(self.trait).name} die returned"


class DamageSet(Event[State]):
    damage: int

    says = "the enemy hits for {damage}"

    def fold(self, state: State) -> State:
        return _with(state, damage=self.damage)


class RestForbidden(Event[State]):
    """Whoever rests already gets up."""

    forbidden: bool

    def fold(self, state: State) -> State:
        fight = on(state)
        if self.forbidden and fight.rests:
            fight = fight.with_stance(fight.rests, part="fight")
        return replace(state, fight=replace(fight, no_rest=self.forbidden))

    def log_text(self, state: State) -> str:
        return "nobody can rest here" if self.forbidden else "one may rest here"


class FightJoined(Event[State]):
    def fold(self, state: State) -> State:
        fight = on(state)
        refuse_if(fight.round, "The fight has begun already.")
        refuse_if(not fight.dice, "Lay out the chapter dice first: tap the symbols on the card.")
        return _with(state, round=1)

    def log_text(self, state: State) -> str:
        return f"the fight begins: {len(on(state).dice)} dice against you"


class FightEnded(Event[State]):
    """By hand: the card says so, or it was begun by mistake."""

    won: bool

    def fold(self, state: State) -> State:
        return over(state, self.won)

    def log_text(self, state: State) -> str:
        return "the fight is won, the card says so" if self.won else "the fight is called off"


# --- what is tapped ---


def begin_fight(state: State, context: Context, number: Number) -> Events:
    going_on(state)
    yield FightBegun(number, USUAL_DAMAGE)


def _check_box(state: State, more: int) -> None:
    many = len(on(going_on(state)).dice) + more > box.DICE_IN_BOX
    nine = many and box.TENTH_DIE.chosen(state.table) == "nine"
    refuse_if(nine, "Nine chapter dice are in the box, and at this table nine it is.")


def lay_die(state: State, context: Context, trait: Choice) -> Events:
    _check_box(state, 1)
    yield DiceLaid((trait,))


def lay_rolled(state: State, context: Context) -> Events:
    """The small figure on the card: one rolled chapter die for each character in play."""
    _check_box(state, len(state.party))
    fallen = roll(context, Cup((box.CHAPTER_DIE,) * len(state.party), 0, "the enemy's dice"), quiet=True)
    yield DiceLaid(tuple(box.TRAITS[(each.face - 1) // 2].id for each in fallen.results), rolled=True)
    yield fallen


def take_die(state: State, context: Context, trait: Choice) -> Events:
    """While the dice are laid out it was a slip; later a card or an item removes it."""
    yield DieTaken(trait, laying=on(going_on(state)).round == 0)


def return_die(state: State, context: Context, trait: Choice) -> Events:
    going_on(state)
    yield DieReturned(trait)


def set_damage(state: State, context: Context, damage: Damage) -> Events:
    if box.ATTACK.chosen(state.table) == "two" and damage != USUAL_DAMAGE:
        raise Refused("At this table every enemy hits for 2.")
    refuse_if(on(going_on(state)).damage == damage, f"The enemy hits for {damage} already.")
    yield DamageSet(damage)


def forbid_rest(state: State, context: Context, forbidden: Yes) -> Events:
    refuse_if(on(going_on(state)).no_rest == (forbidden == "yes"), "It is so already.")
    yield RestForbidden(forbidden == "yes")


def join_fight(state: State, context: Context) -> Events:
    going_on(state)
    yield FightJoined()


def end_fight(state: State, context: Context, won: Yes) -> Events:
    going_on(state)
    yield FightEnded(won == "yes")
