"""The enemy's dice and the rounds against them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from companion.core import Event, Refused
from companion.games.escape_the_dark_castle.box import BOSS, MOST_DICE, trait
from companion.games.escape_the_dark_castle.combat import Fight, Part, Settled, without
from companion.games.escape_the_dark_castle.events import (
    CharacterRolled,
    DamageSet,
    DiceLaid,
    DieReturned,
    DieTaken,
    FightBegun,
    FightEnded,
    FightJoined,
    HitSet,
    PartTaken,
    RestForbidden,
    RollCleared,
    RoundSettled,
)
from companion.games.escape_the_dark_castle.evolve.castle import expect_chapter
from companion.games.escape_the_dark_castle.state import State


def on(state: State) -> Fight:
    if state.fight is None:
        raise Refused("There is no fight on.")
    return state.fight


def at_round(state: State, round: int) -> Fight:
    """The fight, if it is at this round."""
    fight = on(state)
    if fight.round != round or not round:
        late = f"Round {round} is over; this is round {fight.round}." if 0 < round < fight.round else ""
        raise Refused(late or "That round has not begun.")
    return fight


def check_settled(state: State, fight: Fight) -> Settled:
    if not fight.fighting:
        raise Refused("Somebody has to fight: nobody does in this round.")
    if lacking := fight.lacks():
        names = " and ".join(state.who(hero) for hero in lacking)
        raise Refused(f"The round cannot be settled before {names} rolled.")
    return fight.settled()


# --- the enemy ---


def _begin(state: State, event: FightBegun) -> State:
    expect_chapter(state, event.number)
    if state.fight:
        raise Refused("A fight is on already.")
    if state.trial and not state.trial.ended:
        raise Refused("The test is still on.")
    heroes = tuple(hero.id for hero in state.heroes)
    return replace(state, fight=Fight(heroes, damage=event.damage), trial=None)


def _lay(state: State, event: DiceLaid) -> State:
    fight = on(state)
    dice = (*fight.dice, *(trait(each).id for each in event.traits))
    if len(dice) > MOST_DICE:
        raise Refused(f"{MOST_DICE} dice are as many as one enemy can have here.")
    return replace(state, fight=replace(fight, dice=dice))


def _take(state: State, event: DieTaken) -> State:
    fight = on(state)
    if event.trait not in fight.dice:
        raise Refused(f"No {trait(event.trait).name} die lies there.")
    removed = fight.removed if event.laying else (*fight.removed, event.trait)
    return replace(state, fight=replace(fight, dice=without(fight.dice, (event.trait,)), removed=removed))


def _return(state: State, event: DieReturned) -> State:
    fight = on(state)
    if event.trait not in fight.removed:
        raise Refused(f"No {trait(event.trait).name} die has been removed.")
    removed = without(fight.removed, (event.trait,))
    return replace(state, fight=replace(fight, dice=(*fight.dice, event.trait), removed=removed))


def _damage(state: State, event: DamageSet) -> State:
    return replace(state, fight=replace(on(state), damage=event.damage))


def _forbid(state: State, event: RestForbidden) -> State:
    """Whoever rests already gets up."""
    fight = on(state)
    if event.forbidden and fight.rests:
        fight = fight.with_stance(fight.rests, part="fight")
    return replace(state, fight=replace(fight, no_rest=event.forbidden))


def _join(state: State, event: FightJoined) -> State:
    fight = on(state)
    if fight.round:
        raise Refused("The fight has begun already.")
    if not fight.dice:
        raise Refused("Lay out the chapter dice first: tap the symbols on the card.")
    return replace(state, fight=replace(fight, round=1))


def _end(state: State, event: FightEnded) -> State:
    on(state)
    return _over(state, event.won)


def _over(state: State, won: bool) -> State:
    """An item for the group, but not for the boss: nothing comes after it."""
    owed = state.owed + (won and state.chapter != BOSS)
    return replace(state, fight=None, owed=owed, won_fights=state.won_fights + won)


# --- a round ---


def _part(state: State, event: PartTaken) -> State:
    fight = at_round(state, event.round)
    hero = state.hero(event.hero, event.seat).id
    if event.part == "rest" and fight.rests not in ("", hero):
        raise Refused(f"Only one may rest in a round, and {state.who(fight.rests)} does.")
    if event.part == "rest" and fight.no_rest:
        raise Refused("Nobody can rest here: the card says so.")
    part = cast("Part", event.part)
    return replace(state, fight=fight.with_stance(hero, part=part, face=0, real=False, before=()))


def _roll(state: State, event: CharacterRolled) -> State:
    fight = at_round(state, event.round)
    hero = state.hero(event.hero, event.seat)
    hero.character.side(event.face)
    stance = fight.stance(hero.id)
    if stance.part != "fight":
        how = "rests" if stance.part == "rest" else "takes no part"
        raise Refused(f"The {hero.name} {how} in this round, and does not roll.")
    before = (*stance.before, stance.face) if stance.face else stance.before
    return replace(state, fight=fight.with_stance(hero.id, face=event.face, real=event.real, before=before))


def _clear(state: State, event: RollCleared) -> State:
    fight = at_round(state, event.round)
    hero = state.hero(event.hero, event.seat).id
    return replace(state, fight=fight.with_stance(hero, face=0, real=False, before=()))


def _hit(state: State, event: HitSet) -> State:
    fight = at_round(state, event.round)
    return replace(state, fight=fight.with_stance(state.hero(event.hero, event.seat).id, hit=event.hit))


def _settle(state: State, event: RoundSettled) -> State:
    """What was settled must still be what the dice say: an undone roll may not leave its blow behind."""
    fight = at_round(state, event.round)
    done = check_settled(state, fight)
    if done != Settled(event.round, tuple(event.removed), dict(event.hits), event.healed, event.won):
        raise Refused(f"The dice of round {event.round} no longer say what was settled.")
    for hero, hit in done.hits.items():
        state = state.with_health(hero, -hit)
    if done.healed:
        state = state.with_health(done.healed, 1)
    return _over(state, True) if done.won else replace(state, fight=fight.next_round(done))


FOLDS: dict[type[Event], Callable[[State, Any], State]] = {
    FightBegun: _begin,
    DiceLaid: _lay,
    DieTaken: _take,
    DieReturned: _return,
    DamageSet: _damage,
    RestForbidden: _forbid,
    FightJoined: _join,
    FightEnded: _end,
    PartTaken: _part,
    CharacterRolled: _roll,
    RollCleared: _clear,
    HitSet: _hit,
    RoundSettled: _settle,
}
