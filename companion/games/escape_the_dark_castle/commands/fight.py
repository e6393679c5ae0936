"""A fight: its dice, and each round rolled, changed where a card says so, and settled as one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.games.escape_the_dark_castle.box import CHAPTER_DIE, DICE_IN_BOX, TRAITS, character_die, trait
from companion.games.escape_the_dark_castle.combat import USUAL_DAMAGE, Fight
from companion.games.escape_the_dark_castle.commands.chapters import Number, going_on
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
from companion.games.escape_the_dark_castle.evolve.fight import at_round, check_settled, on
from companion.games.escape_the_dark_castle.house_rules import (
    ATTACK,
    REST_AGAIN,
    REST_FIRST,
    TENTH_DIE,
    choice,
)
from companion.games.escape_the_dark_castle.state import State
from companion.tools.dice import Cup, roll, throw

Round = Annotated[Count, Field(ge=1, le=999)]
FaceNumber = Annotated[Count, Field(ge=1, le=6)]
Damage = Annotated[Count, Field(ge=1, le=9)]
Hit = Annotated[Count, Field(le=9)]
Yes = Literal["yes", "no"]


# --- the enemy ---


def begin_fight(state: State, context: Context, number: Number) -> Iterator[Event]:
    expect_chapter(going_on(state), number)
    yield FightBegun(number, USUAL_DAMAGE)


def lay_die(state: State, context: Context, trait: Choice) -> Iterator[Event]:
    _check_box(state, on(going_on(state)), 1)
    yield DiceLaid((_known(trait),))


def lay_rolled(state: State, context: Context) -> Iterator[Event]:
    """The small figure on the card: one rolled chapter die for each character in play."""
    fight = on(going_on(state))
    _check_box(state, fight, len(state.party))
    fallen = roll(context, Cup((CHAPTER_DIE,) * len(state.party), 0, "the enemy's dice"), quiet=True)
    yield DiceLaid(tuple(TRAITS[(each.face - 1) // 2].id for each in fallen.results), rolled=True)
    yield fallen


def _check_box(state: State, fight: Fight, more: int) -> None:
    if choice(state.table, TENTH_DIE) == "nine" and len(fight.dice) + more > DICE_IN_BOX:
        raise Refused("Nine chapter dice are in the box, and at this table nine it is.")


def take_die(state: State, context: Context, trait: Choice) -> Iterator[Event]:
    """While the dice are laid out it was a slip; later a card or an item removes it."""
    yield DieTaken(_known(trait), laying=on(going_on(state)).round == 0)


def return_die(state: State, context: Context, trait: Choice) -> Iterator[Event]:
    on(going_on(state))
    yield DieReturned(_known(trait))


def _known(id: str) -> str:
    return trait(id).id


def set_damage(state: State, context: Context, damage: Damage) -> Iterator[Event]:
    if choice(state.table, ATTACK) == "two" and damage != USUAL_DAMAGE:
        raise Refused("At this table every enemy hits for 2.")
    if on(going_on(state)).damage == damage:
        raise Refused(f"The enemy hits for {damage} already.")
    yield DamageSet(damage)


def forbid_rest(state: State, context: Context, forbidden: Yes) -> Iterator[Event]:
    if on(going_on(state)).no_rest == (forbidden == "yes"):
        raise Refused("It is so already.")
    yield RestForbidden(forbidden == "yes")


def join_fight(state: State, context: Context) -> Iterator[Event]:
    on(going_on(state))
    yield FightJoined()


def end_fight(state: State, context: Context, won: Yes) -> Iterator[Event]:
    on(going_on(state))
    yield FightEnded(won == "yes")


# --- a round ---


def take_part(
    state: State,
    context: Context,
    seat: SeatId,
    hero: Choice,
    round: Round,
    part: Literal["fight", "rest", "out"],
) -> Iterator[Event]:
    fight = at_round(going_on(state), round)
    now = fight.stance(state.hero(hero, seat).id)
    if now.part == part:
        words = {"fight": "fights", "rest": "rests", "out": "takes no part"}[part]
        raise Refused(f"{_upper(state.who(hero))} {words} already.")
    if part == "rest":
        check_rest(state, fight, hero)
    yield PartTaken(seat, hero, round, part)


def let_rest(state: State, context: Context, seat: SeatId, hero: Choice, round: Round) -> Iterator[Event]:
    """Rest instead of whoever rests now: the table changed its mind."""
    fight = at_round(going_on(state), round)
    resting = fight.rests
    if resting == state.hero(hero, seat).id:
        raise Refused(f"{_upper(state.who(hero))} rests already.")
    if resting:
        yield PartTaken(state.hero(resting).seat, resting, round, "fight")
        fight = fight.with_stance(resting, part="fight")
    check_rest(state, fight, hero)
    yield PartTaken(seat, hero, round, "rest")


def check_rest(state: State, fight: Fight, hero: str) -> None:
    """Why this one cannot rest now, if so."""
    if fight.no_rest:
        raise Refused("Nobody can rest here: the card says so.")
    if fight.rests and fight.rests != hero:
        raise Refused(f"Only one may rest in a round, and {state.who(fight.rests)} does.")
    if fight.stance(hero).face:
        raise Refused(f"{_upper(state.who(hero))} has rolled; resting is chosen before the roll.")
    if fight.rolled and choice(state.table, REST_FIRST) == "round":
        raise Refused("Somebody has rolled already; who rests is chosen before the first roll of a round.")
    again = fight.last is not None and fight.last.healed == hero
    if again and choice(state.table, REST_AGAIN) == "no":
        raise Refused(
            f"{_upper(state.who(hero))} rested in the round before; at this table not twice running."
        )


def cup(hero: str) -> Cup:
    """The character's die, for the count of how the dice fell; its row shows it and the event tells it."""
    die = character_die(hero)
    return Cup((die,), 0, f"the {die.name}")


def roll_die(
    state: State, context: Context, seat: SeatId, hero: Choice, round: Round, again: Yes = "no"
) -> Iterator[Event]:
    """A second tap is a slip; rolling again is for items, and says so."""
    fight = at_round(going_on(state), round)
    stance = fight.stance(state.hero(hero, seat).id)
    if stance.face and again == "no":
        raise Refused(f"{_upper(state.who(hero))} has rolled already in this round.")
    fallen = roll(context, cup(hero), quiet=True)
    yield CharacterRolled(seat, hero, round, fallen.results[0].face, again=bool(stance.face))
    yield fallen


def enter_die(
    state: State, context: Context, seat: SeatId, hero: Choice, round: Round, face: FaceNumber
) -> Iterator[Event]:
    """A real die, or a result that an item changed."""
    fight = at_round(going_on(state), round)
    stance = fight.stance(state.hero(hero, seat).id)
    if stance.face and state.hero(hero).character.side(stance.face) == state.hero(hero).character.side(face):
        raise Refused("The die shows that already.")
    yield CharacterRolled(seat, hero, round, face, real=True, again=bool(stance.face))
    if not stance.face:  # else an item changed it, and no die fell
        yield throw(cup(hero), [face], context.phone, real=True, quiet=True)


def clear_roll(state: State, context: Context, seat: SeatId, hero: Choice, round: Round) -> Iterator[Event]:
    fight = at_round(going_on(state), round)
    if not fight.stance(state.hero(hero, seat).id).face:
        raise Refused(f"{_upper(state.who(hero))} has not rolled yet.")
    yield RollCleared(seat, hero, round)


def set_hit(
    state: State, context: Context, seat: SeatId, hero: Choice, round: Round, hit: Hit
) -> Iterator[Event]:
    fight = at_round(going_on(state), round)
    if fight.hit(state.hero(hero, seat).id) == hit:
        raise Refused(f"A blow costs {state.who(hero)} {hit} already.")
    yield HitSet(seat, hero, round, hit)


def settle_round(state: State, context: Context, round: Round) -> Iterator[Event]:
    """Dice off, blows, rest: one entry, so that one undo brings the whole round back."""
    done = check_settled(state, at_round(going_on(state), round))
    yield RoundSettled(round, done.removed, done.hits, done.healed, done.won)


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]


COMMANDS = (
    begin_fight,
    lay_die,
    lay_rolled,
    take_die,
    return_die,
    set_damage,
    forbid_rest,
    join_fight,
    end_fight,
    take_part,
    let_rest,
    roll_die,
    enter_die,
    clear_roll,
    set_hit,
    settle_round,
)
