"""Round after round of a fight: who fights, rests or stands by, what the dice show, what that comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, cast

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.core.text import capital, listed
from companion.games.escape_the_dark_castle.box import character, character_die, trait
from companion.games.escape_the_dark_castle.castle import Yes, going_on
from companion.games.escape_the_dark_castle.combat import Fight, Part, Settled
from companion.games.escape_the_dark_castle.enemy import MOST_DAMAGE, on, over
from companion.games.escape_the_dark_castle.house_rules import REST_AGAIN, REST_FIRST
from companion.games.escape_the_dark_castle.state import State
from companion.tools.dice import Cup, roll, throw

Round = Annotated[Count, Field(ge=1, le=999)]
FaceNumber = Annotated[Count, Field(ge=1, le=6)]
Hit = Annotated[Count, Field(le=MOST_DAMAGE)]
PARTS = {"fight": "fights", "rest": "rests", "out": "takes no part"}


def at_round(state: State, round: int) -> Fight:
    """The fight, if it is at this round."""
    fight = on(state)
    if fight.round != round or not round:
        late = f"Round {round} is over; this is round {fight.round}." if 0 < round < fight.round else ""
        raise Refused(late or "That round has not begun.")
    return fight


def _settled(state: State, round: int) -> Settled:
    fight = at_round(state, round)
    if not fight.fighting:
        raise Refused("Somebody has to fight: nobody does in this round.")
    if lacking := fight.lacks():
        names = " and ".join(state.who(hero) for hero in lacking)
        raise Refused(f"The round cannot be settled before {names} rolled.")
    return fight.settled()


# --- what happens ---


@dataclass(frozen=True)
class _InRound:
    """Of one character in one round."""

    seat: int
    hero: str
    round: int

    @property
    def name(self) -> str:
        return character(self.hero).name

    def changed(self, state: State, **stance: object) -> State:
        fight = at_round(state, self.round)
        return replace(state, fight=fight.with_stance(state.hero(self.hero, self.seat).id, **stance))


@dataclass(frozen=True)
class PartTaken(_InRound, Event[State]):
    """Fights, rests, or takes no part in this round."""

    part: str

    def fold(self, state: State) -> State:
        fight, hero = at_round(state, self.round), state.hero(self.hero, self.seat).id
        if self.part == "rest" and fight.rests not in ("", hero):
            raise Refused(f"Only one may rest in a round, and {state.who(fight.rests)} does.")
        if self.part == "rest" and fight.no_rest:
            raise Refused("Nobody can rest here: the card says so.")
        return self.changed(state, part=cast("Part", self.part), face=0, real=False, before=())

    def told(self, state: State) -> str:
        return f"the {self.name} {PARTS[self.part]} in round {self.round}"


@dataclass(frozen=True)
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
        return self.changed(state, face=self.face, real=self.real, before=before)

    def told(self, state: State) -> str:
        block = ", a BLOCK" if character(self.hero).side(self.face).block else ""
        return character(self.hero).rolled(self.face, self.real, self.again) + block


@dataclass(frozen=True)
class RollCleared(_InRound, Event[State]):
    def fold(self, state: State) -> State:
        return self.changed(state, face=0, real=False, before=())

    def told(self, state: State) -> str:
        return f"the {self.name} has not rolled after all"


@dataclass(frozen=True)
class HitSet(_InRound, Event[State]):
    hit: int

    def fold(self, state: State) -> State:
        return self.changed(state, hit=self.hit)

    def told(self, state: State) -> str:
        return f"a blow costs the {self.name} {self.hit} in round {self.round}"


@dataclass(frozen=True)
class RoundSettled(Event[State]):
    """What was settled must still be what the dice say: an undone roll may not leave its blow behind."""

    round: int
    removed: tuple[str, ...]
    hits: Mapping[str, int] = field(default_factory=dict)
    healed: str = ""
    won: bool = False

    def fold(self, state: State) -> State:
        fight, done = at_round(state, self.round), _settled(state, self.round)
        if done != Settled(self.round, tuple(self.removed), dict(self.hits), self.healed, self.won):
            raise Refused(f"The dice of round {self.round} no longer say what was settled.")
        for hero, hit in done.hits.items():
            state = state.with_health(hero, -hit)
        if done.healed:
            state = state.with_health(done.healed, 1)
        return over(state, True) if done.won else replace(state, fight=fight.next_round(done))

    def told(self, state: State) -> str:
        removed = listed([trait(each).name for each in self.removed]) or "nothing"
        words = [f"round {self.round}: {removed} removed"]
        words += [f"{character(hero).name} −{hit}" for hero, hit in self.hits.items()]
        words += [f"{character(self.healed).name} rested"] if self.healed else []
        words += ["the enemy is beaten"] if self.won else []
        return ", ".join(words) + state.deaths(*self.hits)


# --- what is tapped ---


def take_part(
    state: State,
    context: Context,
    seat: SeatId,
    hero: Choice,
    round: Round,
    part: Literal["fight", "rest", "out"],
) -> Iterator[Event]:
    fight = at_round(going_on(state), round)
    if fight.stance(state.hero(hero, seat).id).part == part:
        raise Refused(f"{capital(state.who(hero))} {PARTS[part]} already.")
    if part == "rest":
        _check_rest(state, fight, hero)
    yield PartTaken(seat, hero, round, part)


def let_rest(state: State, context: Context, seat: SeatId, hero: Choice, round: Round) -> Iterator[Event]:
    """Rest instead of whoever rests now: the table changed its mind."""
    fight = at_round(going_on(state), round)
    resting = fight.rests
    if resting == state.hero(hero, seat).id:
        raise Refused(f"{capital(state.who(hero))} rests already.")
    if resting:
        yield PartTaken(state.hero(resting).seat, resting, round, "fight")
        fight = fight.with_stance(resting, part="fight")
    _check_rest(state, fight, hero)
    yield PartTaken(seat, hero, round, "rest")


def why_no_rest(state: State, fight: Fight, hero: str) -> str:
    """Why this one cannot rest now; empty if they can."""
    who = capital(state.who(hero))
    if fight.no_rest:
        return "Nobody can rest here: the card says so."
    if fight.rests and fight.rests != hero:
        return f"Only one may rest in a round, and {state.who(fight.rests)} does."
    if fight.stance(hero).face:
        return f"{who} has rolled; resting is chosen before the roll."
    if fight.sides and REST_FIRST.chosen(state.table) == "round":
        return "Somebody has rolled already; who rests is chosen before the first roll of a round."
    if fight.last and fight.last.healed == hero and REST_AGAIN.chosen(state.table) == "no":
        return f"{who} rested in the round before; at this table not twice running."
    return ""


def may_rest(state: State, fight: Fight, hero: str) -> bool:
    return fight.stance(hero).part == "fight" and not why_no_rest(state, fight, hero)


def _check_rest(state: State, fight: Fight, hero: str) -> None:
    if why := why_no_rest(state, fight, hero):
        raise Refused(why)


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
        raise Refused(f"{capital(state.who(hero))} has rolled already in this round.")
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
        raise Refused(f"{capital(state.who(hero))} has not rolled yet.")
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
    done = _settled(going_on(state), round)
    yield RoundSettled(round, done.removed, done.hits, done.healed, done.won)
