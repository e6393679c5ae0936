"""Round after round of a fight: who fights, rests or stands by, what the dice show, what that comes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId, refuse_if
from companion.core.text import capital, listed
from companion.games.escape_the_dark_castle.box import REST_AGAIN, REST_FIRST, character, trait
from companion.games.escape_the_dark_castle.castle import Yes, going_on
from companion.games.escape_the_dark_castle.combat import Fight, Part, Settled, Stance
from companion.games.escape_the_dark_castle.enemy import MOST_DAMAGE, on, over
from companion.games.escape_the_dark_castle.state import Events, OfHero, State
from companion.tools.dice import Cup, roll, throw

Round = Annotated[Count, Field(ge=1, le=999)]
FaceNumber = Annotated[Count, Field(ge=1, le=6)]
Hit = Annotated[Count, Field(le=MOST_DAMAGE)]
Where = tuple[int, str, int]  # seat, hero, and the round or the attempt
NOBODY = "Somebody has to fight: nobody does in this round."
PARTS: dict[Part, str] = {"fight": "fights", "rest": "rests", "out": "takes no part"}


def at_round(state: State, round: int) -> Fight:
    """The fight, if it is at this round."""
    fight = on(state)
    if fight.round != round or not round:
        late = f"Round {round} is over; this is round {fight.round}." if 0 < round < fight.round else ""
        raise Refused(late or "That round has not begun.")
    return fight


def _settled(state: State, round: int) -> Settled:
    fight = at_round(state, round)
    refuse_if(not fight.fighting, NOBODY)
    names = " and ".join(state.who(hero) for hero in fight.lacks())
    refuse_if(names, f"The round cannot be settled before {names} rolled.")
    return fight.settled()


# --- what happens ---


@dataclass(frozen=True)
class _InRound(OfHero):
    """Of one character in one round."""

    round: int

    def changed(self, state: State, **stance: object) -> State:
        fight = at_round(state, self.round)
        return replace(state, fight=fight.with_stance(state.hero(self.hero, self.seat).id, **stance))


class PartTaken(_InRound, Event[State]):
    """Fights, rests, or takes no part in this round."""

    part: Part

    def fold(self, state: State) -> State:
        if self.part == "rest":
            refuse_if(why := _taken(state, at_round(state, self.round), self.hero), why)
        return self.changed(state, part=self.part, face=0, before=())

    def log_text(self, state: State) -> str:
        return f"the {self.name} {PARTS[self.part]} in round {self.round}"


class CharacterRolled(_InRound, Event[State]):
    face: int
    real: bool = False
    again: bool = False

    def fold(self, state: State) -> State:
        stance = at_round(state, self.round).stance(state.hero(self.hero, self.seat).id)
        character(self.hero).side(self.face)
        if stance.part != "fight":
            raise Refused(f"The {self.name} {PARTS[stance.part]} in this round, and does not roll.")
        before = (*stance.before, stance.face) if stance.face else stance.before
        return self.changed(state, face=self.face, before=before)

    def log_text(self, state: State) -> str:
        block = ", a BLOCK" if character(self.hero).side(self.face).block else ""
        return character(self.hero).rolled(self.face, self.real, self.again) + block


class RollCleared(_InRound, Event[State]):
    says = "the {name} has not rolled after all"

    def fold(self, state: State) -> State:
        return self.changed(state, face=0, before=())


class HitSet(_InRound, Event[State]):
    hit: int

    says = "a blow costs the {name} {hit} in round {round}"

    def fold(self, state: State) -> State:
        return self.changed(state, hit=self.hit)


class RoundSettled(Settled, Event[State]):
    """What was settled must still be what the dice say: an undone roll may not leave its blow behind."""

    def fold(self, state: State) -> State:
        fight, done = at_round(state, self.round), _settled(state, self.round)
        refuse_if(vars(done) != vars(self), f"The dice of round {self.round} no longer say what was settled.")
        state = state.hurt({**self.hits, self.healed: -1} if self.healed else self.hits)
        return over(state, True) if self.won else replace(state, fight=fight.next_round(done))

    def log_text(self, state: State) -> str:
        removed = listed([trait(each).name for each in self.removed]) or "nothing"
        words = [f"round {self.round}: {removed} removed"]
        words += [f"{character(hero).name} −{hit}" for hero, hit in self.hits.items()]
        words += [f"{character(self.healed).name} rested"] if self.healed else []
        words += ["the enemy is beaten"] if self.won else []
        return ", ".join(words) + state.deaths(*self.hits)


# --- who rests ---


def _taken(state: State, fight: Fight, hero: str) -> str:
    """Why nobody else can rest, whatever this table's rules are; empty if somebody can."""
    if fight.no_rest:
        return "Nobody can rest here: the card says so."
    other = fight.rests not in ("", hero)
    return f"Only one may rest in a round, and {state.who(fight.rests)} does." if other else ""


def why_no_rest(state: State, fight: Fight, hero: str) -> str:
    """Why this one cannot rest now; empty if they can."""
    if why := _taken(state, fight, hero):
        return why
    if fight.stance(hero).face:
        return f"{capital(state.who(hero))} has rolled; resting is chosen before the roll."
    if fight.sides and REST_FIRST.chosen(state.table) == "round":
        return "Somebody has rolled already; who rests is chosen before the first roll of a round."
    if fight.last and fight.last.healed == hero and REST_AGAIN.chosen(state.table) == "no":
        return f"{capital(state.who(hero))} rested in the round before; at this table not twice running."
    return ""


def _stance(state: State, seat: int, hero: str, round: int) -> Stance:
    return at_round(going_on(state), round).stance(state.hero(hero, seat).id)


def take_part(state: State, context: Context, seat: SeatId, hero: Choice, round: Round, part: Part) -> Events:
    now = _stance(state, seat, hero, round).part
    refuse_if(now == part, f"{capital(state.who(hero))} {PARTS[part]} already.")
    if part == "rest":
        refuse_if(why := why_no_rest(state, at_round(state, round), hero), why)
    yield PartTaken(seat, hero, round, part)


def let_rest(state: State, context: Context, seat: SeatId, hero: Choice, round: Round) -> Events:
    """Rest instead of whoever rests now: the table changed its mind."""
    now, fight = _stance(state, seat, hero, round).part, at_round(state, round)
    refuse_if(now == "rest", f"{capital(state.who(hero))} rests already.")
    if resting := fight.rests:
        yield PartTaken(state.hero(resting).seat, resting, round, "fight")
        fight = fight.with_stance(resting, part="fight")
    refuse_if(why := why_no_rest(state, fight, hero), why)
    yield PartTaken(seat, hero, round, "rest")


# --- what the dice show ---


def shown(context: Context, kind: Callable[..., Event], where: Where, before: int, face: int = 0) -> Events:
    """In a fight or in a test: a die is rolled, or a real one entered. Where an item changes what lies there,
    no die fell. Its row shows it and the event tells it, so the throw is kept for the count alone."""
    hero = character(where[1])
    refuse_if(face and before and hero.side(before) == hero.side(face), "The die shows that already.")
    cup = Cup((hero.die,), 0, f"the {hero.die.name}")
    fallen = throw(cup, [face], context.phone, real=True, quiet=True) if face else roll(context, cup, True)
    yield kind(*where, fallen.results[0].face, real=bool(face), again=bool(before))
    if not (face and before):
        yield fallen


def roll_die(
    state: State, context: Context, seat: SeatId, hero: Choice, round: Round, again: Yes = "no"
) -> Events:
    """A second tap is a slip; rolling again is for items, and says so."""
    before = _stance(state, seat, hero, round).face
    if before and again == "no":
        raise Refused(f"{capital(state.who(hero))} has rolled already in this round.")
    yield from shown(context, CharacterRolled, (seat, hero, round), before)


def enter_die(
    state: State, context: Context, seat: SeatId, hero: Choice, round: Round, face: FaceNumber
) -> Events:
    before = _stance(state, seat, hero, round).face
    yield from shown(context, CharacterRolled, (seat, hero, round), before, face)


def clear_roll(state: State, context: Context, seat: SeatId, hero: Choice, round: Round) -> Events:
    if not _stance(state, seat, hero, round).face:
        raise Refused(f"{capital(state.who(hero))} has not rolled yet.")
    yield RollCleared(seat, hero, round)


def set_hit(state: State, context: Context, seat: SeatId, hero: Choice, round: Round, hit: Hit) -> Events:
    now = at_round(going_on(state), round).hit(state.hero(hero, seat).id)
    refuse_if(now == hit, f"A blow costs {state.who(hero)} {hit} already.")
    yield HitSet(seat, hero, round, hit)


def settle_round(state: State, context: Context, round: Round) -> Events:
    """Dice off, blows, rest: one entry, so that one undo brings the whole round back."""
    yield RoundSettled(**vars(_settled(going_on(state), round)))
