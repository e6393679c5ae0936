"""A fight: how it begins and ends, the enemy's dice, and what is done and rolled in each round of it."""

from dataclasses import dataclass
from typing import Annotated, Any

from companion.core import Context, Event, Events, Refused, refuse_if, replace, there
from companion.core.text import Bounds, Choice, Count, SeatId, YesOrNo, capital
from companion.games.escape_the_dark_castle import box
from companion.games.escape_the_dark_castle.castle import Number, check_chapter
from companion.games.escape_the_dark_castle.state import OfHero, State
from companion.games.escape_the_dark_castle.throws import USUAL_DAMAGE, Fight, Part, Settled, Stance
from companion.tools.dice import Cup, fall, roll
from companion.tools.pools import without

MOST_DAMAGE = 9
Damage = Annotated[Count, Bounds(ge=1, le=MOST_DAMAGE)]
Hit = Annotated[Count, Bounds(le=MOST_DAMAGE)]
Round = Annotated[Count, Bounds(ge=1, le=999)]
Face = Annotated[Count, Bounds(le=6)]  # 0: the app rolls
Where = tuple[int, str, int]  # seat, hero, and the round or the attempt
CAST = "The dice for the players are rolled already."
NOBODY = "Nobody fights or rests in this round."
NO_DICE: dict[str, Any] = {"face": 0, "before": (), "also": (), "real": False}
PARTS = box.SAID["parts"]


def on(state: State) -> Fight:
    return there(state.fight, "There is no fight on.")


def changed(state: State, **changed: Any) -> State:
    return replace(state, fight=replace(on(state), **changed))


def over(state: State, won: bool) -> State:
    """An item for the group, but not for the boss: nothing comes after it."""
    on(state)
    owed = state.owed + (won and state.chapter != box.BOSS)
    return replace(state, fight=None, owed=owed, won_fights=state.won_fights + won)


# --- how it begins and ends ---


class FightBegun(Event[State], tap="begin_fight", number=Number):
    number: int
    damage: int = USUAL_DAMAGE

    def check_tap(self, state: State) -> None:
        state.check_hands("before you fight")

    def fold(self, state: State) -> State:
        check_chapter(state, self.number)
        refuse_if(state.fight, "A fight is on already.")
        heroes = tuple(hero.id for hero in state.heroes)
        return replace(state, fight=Fight(heroes, damage=self.damage), trial=None).geared()


class FightJoined(Event[State], tap="join_fight"):
    def fold(self, state: State) -> State:
        refuse_if(on(state).round, "The fight has begun already.")
        refuse_if(not on(state).dice, "Lay out the chapter dice first: tap the symbols on the card.")
        return changed(state, round=1)


class FightEnded(Event[State], tap="end_fight", won=bool):
    """By hand: the card says so, or it was begun by mistake."""

    won: bool

    def fold(self, state: State) -> State:
        return over(state, self.won)


class DamageSet(Event[State], tap="set_damage", damage=Damage):
    damage: int

    def check_tap(self, state: State) -> None:
        fixed = box.ATTACK.chosen(state.table) == "two" and self.damage != USUAL_DAMAGE
        refuse_if(fixed, "At this table every enemy hits for 2.")

    def fold(self, state: State) -> State:
        return changed(state, damage=self.damage)


class RestForbidden(Event[State], tap="forbid_rest", forbidden=bool):
    """Whoever rests already gets up."""

    forbidden: bool

    def fold(self, state: State) -> State:
        fight = on(state)
        if self.forbidden and fight.rests:
            fight = fight.with_stance(fight.rests, part="fight")
        return replace(state, fight=replace(fight, no_rest=self.forbidden))


# --- the enemy's dice: laid out as the card shows them, rolled for the players, taken away and returned ---


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


class DieTaken(Event[State]):
    trait: str
    laying: bool = False

    def fold(self, state: State) -> State:
        fight, name = on(state), box.trait(self.trait).name
        refuse_if(self.trait not in fight.dice, f"No {name} die lies there.")
        removed = fight.removed if self.laying else (*fight.removed, self.trait)
        return changed(state, dice=without(fight.dice, (self.trait,)), removed=removed)


class DieReturned(Event[State], tap="return_die", trait=Choice):
    trait: str

    def fold(self, state: State) -> State:
        fight, name = on(state), box.trait(self.trait).name
        refuse_if(self.trait not in fight.removed, f"No {name} die has been removed.")
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


# --- round after round ---


def at_round(state: State, round: int) -> Fight:
    """The fight, if it is at this round."""
    fight = on(state)
    if fight.round != round or not round:
        refuse_if(0 < round < fight.round, f"Round {round} is over; this is round {fight.round}.")
        raise Refused("That round has not begun.")
    return fight


def _settled(state: State, round: int) -> Settled:
    fight = at_round(state, round)
    refuse_if(not fight.fighting and not fight.rests, NOBODY)
    names = " and ".join(state.who(hero) for hero in fight.lacks)
    refuse_if(names, f"The round cannot be settled before {names} rolled.")
    return fight.settled()


@dataclass(frozen=True)
class _InRound(OfHero):
    """Of one character in one round."""

    round: int

    def at(self, state: State) -> tuple[Fight, Stance]:
        fight = at_round(state, self.round)
        return fight, fight.stance(state.hero(self.hero, self.seat).id)

    def changed(self, state: State, **stance: object) -> State:
        return replace(state, fight=self.at(state)[0].with_stance(self.hero, **stance))


class PartTaken(_InRound, Event[State], tap="take_part", seat=SeatId, hero=Choice, round=Round, part=Part):
    """Fights, rests, or takes no part in this round."""

    part: Part

    def check_tap(self, state: State) -> None:
        fight, stance = self.at(state)
        refuse_if(stance.part == self.part, f"{capital(state.who(self.hero))} {PARTS[self.part]} already.")
        why_not = why_no_rest if self.part == "rest" else why_no_rising
        refuse_if(why := why_not(state, fight, self.hero), why)

    def fold(self, state: State) -> State:
        if self.part == "rest":
            refuse_if(why := _taken(state, at_round(state, self.round), self.hero), why)
        return self.changed(state, part=self.part, **NO_DICE)


class CharacterRolled(_InRound, Event[State]):
    face: int
    real: bool = False
    again: bool = False
    kept: bool = False  # the roll before counts after all

    def fold(self, state: State) -> State:
        fight, stance = self.at(state)
        box.character(self.hero).side(self.face)
        if stance.part != "fight":
            raise Refused(f"The {self.name} {PARTS[stance.part]} in this round, and does not roll.")
        before = (*stance.before, stance.face) if stance.face else stance.before
        rolled = fight.with_stance(self.hero, face=self.face, before=before, real=self.real)
        return replace(state, fight=rolled)

    def log_text(self, state: State) -> str:
        side = box.character(self.hero).side(self.face)
        rolled = box.character(self.hero).rolled(self.face, self.real, self.again)
        return (f"the {self.name} keeps {side.name}" if self.kept else rolled) + ", a BLOCK" * side.block


class AlsoRolled(_InRound, Event[State]):
    """A further die that an item adds: a chapter die, or the character's own once more."""

    trait: str
    count: int = 1

    @property
    def side(self) -> box.Side:
        return box.Side(box.trait(self.trait).id, self.count)

    def fold(self, state: State) -> State:
        _, stance = self.at(state)
        refuse_if(not stance.face, f"First the {self.name}'s own die, then the other.")
        refuse_if(stance.also, f"The {self.name} has rolled twice already.")
        return self.changed(state, also=(self.side,))


class ItemServed(_InRound, Event[State]):
    """One that is kept, and serves once a round."""

    item: int
    used: str  # what it is called

    def fold(self, state: State) -> State:
        _, stance = self.at(state)
        refuse_if(self.item in stance.used, f"{self.used} has served in this round.")
        return self.changed(state, used=(*stance.used, self.item))


class RollCleared(_InRound, Event[State], tap="clear_roll", seat=SeatId, hero=Choice, round=Round):
    def check_tap(self, state: State) -> None:
        _, stance = self.at(state)
        refuse_if(not stance.face, f"{capital(state.who(self.hero))} has not rolled yet.")

    def fold(self, state: State) -> State:
        return self.changed(state, **NO_DICE)


class HitSet(_InRound, Event[State], tap="set_hit", seat=SeatId, hero=Choice, round=Round, hit=Hit):
    hit: int

    def check_tap(self, state: State) -> None:
        now = at_round(state, self.round).lots[state.hero(self.hero, self.seat).id].hit
        refuse_if(now == self.hit, f"A blow costs {state.who(self.hero)} {self.hit} already.")

    def fold(self, state: State) -> State:
        return self.changed(state, hit=self.hit)


class RoundSettled(Settled, Event[State]):
    """What was settled must still be what the dice say: an undone roll may not leave its blow behind."""

    def fold(self, state: State) -> State:
        fight, done = at_round(state, self.round), _settled(state, self.round)
        refuse_if(vars(done) != vars(self), f"The dice of round {self.round} no longer say what was settled.")
        state = state.hurt({**self.hits, self.healed: -1} if self.healed else self.hits)
        return over(state, True) if self.won else replace(state, fight=fight.next_round(done))


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
    if fight.sides and box.REST_FIRST.chosen(state.table) == "round":
        return "Somebody has rolled already; who rests is chosen before the first roll of a round."
    if fight.last and fight.last.healed == hero and box.REST_AGAIN.chosen(state.table) in ("in-turn", "no"):
        return f"{capital(state.who(hero))} rested in the round before; at this table not twice running."
    return ""


def why_no_rising(state: State, fight: Fight, hero: str) -> str:
    """Why whoever rests cannot get up again; empty if they can."""
    seen = hero == fight.rests and fight.sides and box.REST_FIRST.chosen(state.table) == "round"
    return f"Somebody has rolled; {state.who(hero)} rests to the end of this round." if seen else ""


def let_rest(state: State, context: Context, seat: SeatId, hero: Choice, round: Round) -> Events:
    """Rest instead of whoever rests now: the table changed its mind."""
    fight, resting = at_round(state, round), at_round(state, round).rests
    refuse_if(resting == state.hero(hero, seat).id, f"{capital(state.who(hero))} rests already.")
    if resting:
        refuse_if(why := why_no_rising(state, fight, resting), why)
        yield PartTaken(state.hero(resting).seat, resting, round, "fight")
        fight = fight.with_stance(resting, part="fight")
    refuse_if(why := why_no_rest(state, fight, hero), why)
    yield PartTaken(seat, hero, round, "rest")


# --- what the dice show ---


@dataclass(frozen=True)
class Thrown:
    face: Face = 0
    again: YesOrNo = "no"


def shown(context: Context, kind: Any, where: Where, lies: int, was_real: bool, now: Thrown) -> Events:
    """In a fight or in a test: a die is rolled, or a real one entered; `lies` is what is there already. What
    was entered wrong is put right in the count too; where an item changes what was rolled, no die fell.
    A second tap is a slip; rolling again is for items, and says so."""
    hero, face = box.character(where[1]), now.face
    refuse_if(lies and not face and now.again == "no", f"The {hero.name} has rolled already.")
    refuse_if(face and lies and hero.side(lies) == hero.side(face), "The die shows that already.")
    fallen = fall(context, hero.die, face)
    yield kind(*where, fallen.results[0].face, real=bool(face), again=bool(lies))
    if not (face and lies):
        yield fallen
    elif was_real:
        yield replace(fallen, instead=lies)


def roll_die(state: State, context: Context, seat: SeatId, hero: Choice, round: Round, now: Thrown) -> Events:
    fight, where = at_round(state, round), (seat, hero, round)
    stance = fight.stance(state.hero(hero, seat).id)
    yield from shown(context, CharacterRolled, where, stance.face, stance.real, now)
    if fight.wants_more(hero) and not now.face:
        yield from _along(context, where, 0)


def enter_also(
    state: State, context: Context, seat: SeatId, hero: Choice, round: Round, trait: Choice
) -> Events:
    """The real chapter die that an item adds."""
    wanted = at_round(state, round).wants_more(state.hero(hero, seat).id)
    refuse_if(not wanted, "No other die is rolled with it.")
    yield from _along(context, (seat, hero, round), box.TRAITS.index(box.trait(trait)) * 2 + 1)


def _along(context: Context, where: Where, face: int) -> Events:
    fallen = fall(context, box.CHAPTER_DIE, face)
    yield AlsoRolled(*where, box.TRAITS[(fallen.results[0].face - 1) // 2].id)
    yield fallen


def keep_die(state: State, context: Context, seat: SeatId, hero: Choice, round: Round) -> Events:
    """After an item that lets one choose: the roll before counts after all."""
    stance = at_round(state, round).stance(state.hero(hero, seat).id)
    refuse_if(not stance.before, f"The {box.character(hero).name} has rolled only once.")
    yield CharacterRolled(seat, hero, round, stance.before[-1], stance.real, again=True, kept=True)


def settle_round(state: State, context: Context, round: Round) -> Events:
    """Dice off, blows, rest: one entry, so that one undo brings the whole round back."""
    yield RoundSettled(**vars(_settled(state, round)))
