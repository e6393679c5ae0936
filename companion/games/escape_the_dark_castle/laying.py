"""The enemy's dice: laid out as the card shows them, rolled for the players, taken away and returned."""

from __future__ import annotations

from companion.core import Choice, Context, Event, Events, refuse_if
from companion.games.escape_the_dark_castle import box
from companion.games.escape_the_dark_castle.combat import without
from companion.games.escape_the_dark_castle.fight import changed, on
from companion.games.escape_the_dark_castle.state import State
from companion.tools.dice import Cup, roll

CAST = "The dice for the players are rolled already."


class DiceLaid(Event[State]):
    """Laid out by hand one by one, or several rolled for the players."""

    traits: tuple[str, ...]
    rolled: bool = False

    def fold(self, state: State) -> State:
        dice = (*on(state).dice, *(box.trait(each).id for each in self.traits))
        refuse_if(len(dice) > box.MOST_DICE, f"{box.MOST_DICE} dice are as many as one enemy can have here.")
        return changed(state, dice=dice, cast=on(state).cast or self.rolled)

    def lacking(self, state: State) -> bool:
        return len(on(state).dice) > box.DICE_IN_BOX


class _OfTrait(Event[State]):
    trait: str

    @property
    def name(self) -> str:
        return box.trait(self.trait).name


class DieTaken(_OfTrait):
    laying: bool = False

    def fold(self, state: State) -> State:
        fight = on(state)
        refuse_if(self.trait not in fight.dice, f"No {self.name} die lies there.")
        removed = fight.removed if self.laying else (*fight.removed, self.trait)
        return changed(state, dice=without(fight.dice, (self.trait,)), removed=removed)


class DieReturned(_OfTrait, tap="return_die", trait=Choice):
    def fold(self, state: State) -> State:
        fight = on(state)
        refuse_if(self.trait not in fight.removed, f"No {self.name} die has been removed.")
        return changed(state, dice=(*fight.dice, self.trait), removed=without(fight.removed, (self.trait,)))


def _check_box(state: State, more: int) -> None:
    many = len(on(state).dice) + more > box.DICE_IN_BOX
    nine = many and box.TENTH_DIE.chosen(state.table) == "nine"
    refuse_if(nine, "Nine chapter dice are in the box, and at this table nine it is.")


def lay_die(state: State, context: Context, trait: Choice) -> Events:
    _check_box(state, 1)
    yield DiceLaid((trait,))


def lay_rolled(state: State, context: Context) -> Events:
    """The small figure on the card: one rolled chapter die for each character in play. Two phones may press
    this at once."""
    refuse_if(on(state).cast, CAST)
    _check_box(state, len(state.party))
    fallen = roll(context, Cup((box.CHAPTER_DIE,) * len(state.party), 0, "the enemy's dice"), quiet=True)
    yield DiceLaid(tuple(box.TRAITS[(each.face - 1) // 2].id for each in fallen.results), rolled=True)
    yield fallen


def take_die(state: State, context: Context, trait: Choice) -> Events:
    """While the dice are laid out it was a slip; later a card or an item removes it."""
    yield DieTaken(trait, laying=on(state).round == 0)
