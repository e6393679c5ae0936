"""Items: drawn, handed round, put down, used up. What each does is in data/effects.toml, or on its card.

`uses` says what can be done with one just now, for the page and for the tap alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated

from companion.core import Bounds, Choice, Context, Count, Event, Events, Name, capital, refuse_if, replace
from companion.games.escape_the_dark_castle import box, testing
from companion.games.escape_the_dark_castle import fight as fights
from companion.games.escape_the_dark_castle.castle import HealthChanged, check_begun
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Item, State
from companion.games.escape_the_dark_castle.throws import Fight, Lot, Trial
from companion.tools.dice import fall

Hands = Annotated[Count, Bounds(ge=1, le=box.HANDS)]
Use = tuple[str, dict[str, str | int]]  # in words, and what the tap says besides the item


class ItemDrawn(Event[State]):
    item: int
    name: str
    kind: str
    hands: int
    effect: str = ""

    def fold(self, state: State) -> State:
        check_begun(state)
        taken = any(item.id == self.item for item in state.items)
        refuse_if(taken, f"Another item was drawn in its place; draw {self.name} again instead.")
        items = (*state.items, Item(self.item, self.name, self.kind, self.hands, TABLE, self.effect))
        last = max(state.last_item, self.item)
        return replace(state, items=items, last_item=last, owed=max(0, state.owed - 1))


class ItemMoved(Event[State]):
    item: int
    name: str
    place: str
    used: bool = False

    def fold(self, state: State) -> State:
        if self.place not in (TABLE, PILE):
            state.hero(self.place)
        moved = replace(state.item(self.item), place=self.place)
        others = tuple(item for item in state.items if item.id != self.item)
        return replace(state, items=(*others, moved)).geared()


class PileShuffled(Event[State]):
    number: int

    def fold(self, state: State) -> State:
        return replace(state, items=tuple(item for item in state.items if item.place != PILE))


def draw_item(
    state: State, context: Context, name: Name, hands: Hands = 1, effect: Choice = "", to: Choice = TABLE
) -> Events:
    """A name from the list knows its hands and what it does; any other card is as it was said to be. It goes
    straight to whoever gets it."""
    known = box.KNOWN.get(name.casefold())
    card = (known.name, known.kind, known.hands, known.effect) if known else (name, "", hands, effect)
    if card[-1]:
        box.effect(card[-1])
    drawn = ItemDrawn(state.last_item + 1, *card)
    yield drawn
    if to != TABLE:
        after = drawn.fold(state)
        refuse_if(why := locked(after, after.item(drawn.item), state.hero(to).id), why)
        yield ItemMoved(drawn.item, drawn.name, to)


def move_item(state: State, context: Context, item: Count, to: Choice) -> Events:
    moved = state.item(item)
    refuse_if(moved.place == to, f"{moved.name} is there already.")
    refuse_if(why := locked(state, moved, to), why)
    yield ItemMoved(moved.id, moved.name, to, used=moved.place not in (TABLE, PILE))


def locked(state: State, item: Item, to: str) -> str:
    """Why this item cannot go there now; empty if it can."""
    if to == PILE:
        return resting(state, item)
    rule = box.TRADING.chosen(state.table)
    if state.stage == "between" or rule == "free":
        return ""
    if item.place == PILE:
        return "What is discarded stays there until the chapter is done."
    full = any(state.hands(hero.id) > box.HANDS for hero in state.party)  # then it is not shared out yet
    drawing = bool(state.owed) or full or any(each.place == TABLE for each in state.items)
    if rule in ("manual", "draws") and drawing and not state.fight:
        return ""
    if item.held:
        return "Items change hands when a chapter is done or items are drawn; neither is so now."
    if to != TABLE and state.hands(to) + item.hands > box.HANDS:
        return f"The {state.hero(to).name} has no hand free, and trading waits for the chapter's end."
    return ""


def resting(state: State, item: Item) -> str:
    rests = state.fight.rests if state.fight else ""
    words = f"The {box.character(rests).name} rests, and may not use items this round." if rests else ""
    return words if rests == item.place else ""


def reshuffle_items(state: State, context: Context) -> Events:
    pile = state.held(PILE)
    no_more = box.EMPTY_DECK.chosen(state.table) == "none"
    refuse_if(no_more, "At this table there are no more items once the deck is empty.")
    refuse_if(not pile, "The discard pile is empty.")
    yield PileShuffled(len(pile))


def uses(state: State, item: Item) -> Iterator[Use]:
    """What can be done with it now."""
    if item.place == PILE or resting(state, item) or not state.playing or not item.effect:
        return
    effect, fight, trial = box.effect(item.effect), state.fight, state.trial
    if effect.does == "heal":
        eaters = state.heroes if not locked(state, item, TABLE) else ()
        for hero in [state.hero(item.place)] if item.held else eaters:
            if gain := min(effect.amount, state.cap - hero.health):
                whom = "Eat it" if item.held else f"{capital(state.who(hero.id))} eats it"
                yield f"{whom}: {hero.health} → {hero.health + gain}", {"whom": hero.id}
    elif item.held and fight:
        yield from _in_fight(state, fight, item, effect)
    elif item.held and trial and not trial.ended and item.place in trial.heroes:
        yield from _in_test(state, trial, item.place, effect)


def _in_fight(state: State, fight: Fight, item: Item, effect: box.Effect) -> Iterator[Use]:
    hero, lot = item.place, fight.lots[item.place]
    if not fight.round:
        for of, to in permutations(box.TRAITS, 2) if effect.does == "set" else ():
            if of.id in fight.dice:
                yield f"{of.name} becomes {to.name}", {"of": of.id, "to": to.id}
    elif effect.does == "remove" and effect.trait in fight.dice:
        yield f"Take one {box.trait(effect.trait).name} die away", {}
    elif effect.does in ("evade", "ward") and lot.stance.part == "fight" and lot.hit and not fight.won:
        yield f"No damage to {state.who(hero)} this round", {}
    elif lot.side and item.id not in lot.stance.used:
        yield from _after_roll(state, hero, lot, effect)


def _after_roll(state: State, hero: str, lot: Lot, effect: box.Effect) -> Iterator[Use]:
    if effect.does == "give" and lot.blocks:
        for hurt in [each.id for each in state.heroes if each.health < state.cap]:
            yield f"+1 for {state.who(hurt)}", {"whom": hurt}
    elif effect.does == "twice" and lot.taken and not lot.stance.also:
        yield from _rolls(state, hero, "Attack again")
    elif effect.does == "luck" or (effect.does == "again" and effect.trait in ("", lot.symbols[0][0])):
        yield from _rolls(state, hero, "Roll again")


def _in_test(state: State, trial: Trial, hero: str, effect: box.Effect) -> Iterator[Use]:
    if effect.counts_as(trial.trait):
        yield f"Counts as one {box.trait(trial.trait).name}", {}
    elif effect.does == "evade" and trial.charged(hero):
        yield f"It costs {state.who(hero)} nothing", {}
    elif effect.does == "luck" and hero in trial.shown:
        yield from _rolls(state, hero, "Roll again")


def _rolls(state: State, hero: str, words: str) -> Iterator[Use]:
    """By the app; or what the real die shows then."""
    faces = box.character(hero).faces if state.own_dice else ()
    real: list[Use] = [(f"{words}: {side.name}", {"face": face}) for face, side in faces]
    yield from real or [(words, {})]


@dataclass(frozen=True)
class Aim:
    whom: Choice = ""
    of: Choice = ""
    to: Choice = ""
    face: fights.Face = 0


def use_item(state: State, context: Context, item: Count, aim: Aim) -> Events:
    """What it does, and where it is spent, the discard pile."""
    used, fight, face = state.item(item), state.fight, aim.face
    refuse_if(why := resting(state, used), why)
    given = {name: value for name, value in vars(aim).items() if value}
    idle = box.effect(used.effect).idle if used.effect else box.SAID["hints"]["card"]
    refuse_if(not any(args == given for _, args in uses(state, used)), idle)
    effect, hero = box.effect(used.effect), state.hero(aim.whom or used.place)
    if effect.spent:
        yield ItemMoved(used.id, used.name, PILE, used=True)
    elif fight:
        yield fights.ItemServed(state.hero(used.place).seat, used.place, fight.round, used.id, used.name)
    where = hero.seat, hero.id, fight.round if fight else state.trial.attempt if state.trial else 0
    match effect.does, bool(fight):
        case "heal" | "give", _:
            yield HealthChanged(hero.seat, hero.id, min(effect.amount, state.cap - hero.health))
        case "set", _:
            yield fights.DieTaken(aim.of, laying=True)
            yield fights.DiceLaid((aim.to,))
        case "remove", True:
            yield fights.DieTaken(effect.trait)
        case "evade" | "ward", True:
            yield fights.HitSet(*where, 0)
        case "remove" | "evade", False:
            yield testing.TestEased(*where, "helped" if effect.does == "remove" else "spared")
        case _, fought:
            fallen = fall(context, hero.character.die, face)
            side = hero.character.side(shows := fallen.results[0].face)
            if effect.does == "twice":
                yield fights.AlsoRolled(*where, side.trait, side.count)
            else:
                kind = fights.CharacterRolled if fought else testing.TestRolled
                yield kind(*where, shows, bool(face), True)
            yield fallen
