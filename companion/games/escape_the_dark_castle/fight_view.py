"""A fight as everybody sees it: the enemy's dice, a row for each character, and the odds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from companion.core import Button, Do, Refused, Seat
from companion.core.text import listed
from companion.games.escape_the_dark_castle.box import DICE_IN_BOX, TRAITS, Side, Trait, trait
from companion.games.escape_the_dark_castle.combat import Fight, Settled, Stance
from companion.games.escape_the_dark_castle.commands.fight import check_rest
from companion.games.escape_the_dark_castle.house_rules import ATTACK, choice
from companion.games.escape_the_dark_castle.odds import Odds
from companion.games.escape_the_dark_castle.state import Hero, State
from companion.games.escape_the_dark_castle.weighing import weighed

MOST_DAMAGE = 9


@dataclass(frozen=True)
class Group:
    """The enemy's dice of one trait."""

    trait: Trait
    there: int
    falling: int
    removed: int

    @property
    def dice(self) -> tuple[bool, ...]:
        """Whether each one falls."""
        return tuple(n < self.falling for n in range(self.there))


@dataclass(frozen=True)
class FaceButton:
    side: Side
    do: Do
    chosen: bool


@dataclass(frozen=True)
class DieRow:
    """A character's die in a round of a fight or an attempt of a test."""

    hero: Hero
    seat: Seat
    cap: int
    part: str
    side: Side | None
    real: bool
    throws: int  # how often it was thrown or changed
    earlier: tuple[Side, ...]
    words: str
    warning: str
    roll: Do
    again: Do
    faces: tuple[FaceButton, ...]
    clear: Do | None = None
    rest: Do | None = None
    fights: Do | None = None  # back from resting or standing by
    out: Do | None = None
    hit: int = 0
    less: Do | None = None
    more: Do | None = None


@dataclass(frozen=True)
class Chance:
    """One choice of who rests, as a picture."""

    label: str
    hero: str
    seat: Seat | None
    clear: float  # per cent
    survive: float
    clear_words: str
    survive_words: str
    removed: str
    damage: tuple[tuple[Seat, str, float, str], ...]  # seat, name, share of a full blow, in words
    chosen: bool
    do: Do | None

    @property
    def spoken(self) -> str:
        each = ", ".join(f"{name} {words}" for _, name, _, words in self.damage)
        chances = f"{self.clear_words} % to clear it this round, {self.survive_words} % that all survive"
        return f"{self.label}: {chances} the fight. On average {self.removed} dice fall; damage {each}."


@dataclass(frozen=True)
class FightView:
    laying: bool
    round: int
    damage: int
    fixed_damage: bool
    no_rest: bool
    groups: tuple[Group, ...]
    rows: tuple[DieRow, ...]
    chances: tuple[Chance, ...]
    chosen: Chance | None
    preview: str
    last: str
    note: str
    per_player: int
    weaker: Do | None
    stronger: Do | None


def fight_view(state: State, fight: Fight) -> FightView:
    falling = Counter(fight.falling())
    groups = tuple(
        Group(each, fight.dice.count(each.id), falling[each.id], fight.removed.count(each.id))
        for each in TRAITS
    )
    chances = _chances(state, fight)
    fixed = choice(state.table, ATTACK) == "two"
    return FightView(
        laying=fight.round == 0,
        round=fight.round,
        damage=fight.damage,
        fixed_damage=fixed,
        no_rest=fight.no_rest,
        groups=groups,
        rows=tuple(_row(state, fight, state.hero(hero)) for hero in fight.heroes) if fight.round else (),
        chances=chances,
        chosen=next((each for each in chances if each.chosen), None),
        preview=_preview(state, fight),
        last=_last(state, fight),
        note="More than nine: use a stand-in for what the box lacks."
        if len(fight.dice) > DICE_IN_BOX
        else "",
        per_player=len(state.party),
        weaker=Do("set_damage", {"damage": fight.damage - 1}) if fight.damage > 1 and not fixed else None,
        stronger=Do("set_damage", {"damage": fight.damage + 1})
        if fight.damage < MOST_DAMAGE and not fixed
        else None,
    )


# --- rows ---


def _row(state: State, fight: Fight, hero: Hero) -> DieRow:
    stance = fight.stance(hero.id)
    args: dict[str, str | int] = {"seat": hero.seat, "hero": hero.id, "round": fight.round}
    words, warning = _words(state, fight, hero)
    hit = fight.hit(hero.id)
    idle = stance.part != "fight"
    return DieRow(
        hero=hero,
        seat=state.table.seat(hero.seat),
        cap=state.cap,
        part=stance.part,
        side=fight.side(hero.id),
        real=stance.real,
        throws=len(stance.before) + bool(stance.face),
        earlier=tuple(hero.character.side(face) for face in stance.before),
        words=words,
        warning=warning,
        roll=Do("roll_die", args),
        again=Do("roll_die", {**args, "again": "yes"}),
        faces=faces(hero, stance.face, "enter_die", args),
        clear=Do("clear_roll", args) if stance.face else None,
        rest=_rest(state, fight, hero, args),
        fights=Do("take_part", {**args, "part": "fight"}) if idle else None,
        out=Do("take_part", {**args, "part": "out"}) if not idle else None,
        hit=hit,
        less=Do("set_hit", {**args, "hit": hit - 1}) if hit else None,
        more=Do("set_hit", {**args, "hit": hit + 1}) if hit < MOST_DAMAGE else None,
    )


def faces(hero: Hero, shown: int, command: str, args: dict[str, str | int]) -> tuple[FaceButton, ...]:
    die = hero.character
    return tuple(
        FaceButton(side, Do(command, {**args, "face": number}), bool(shown) and die.side(shown) == side)
        for number, side in die.faces
    )


def _rest(state: State, fight: Fight, hero: Hero, args: dict[str, str | int]) -> Do | None:
    if fight.stance(hero.id).part != "fight":
        return None
    try:
        check_rest(state, fight, hero.id)
    except Refused:
        return None
    return Do("take_part", {**args, "part": "rest"})


def _words(state: State, fight: Fight, hero: Hero) -> tuple[str, str]:
    """What this round does to the character, and what to fear."""
    stance: Stance = fight.stance(hero.id)
    if stance.part == "rest":
        full = hero.health >= state.cap
        return ("rests, at full health" if full else f"rests: {hero.health} → {hero.health + 1}"), ""
    if stance.part == "out":
        return "takes no part", ""
    side = fight.side(hero.id)
    deadly = f"a blow of {fight.hit(hero.id)} kills" if fight.hit(hero.id) >= hero.health else ""
    if side is None:
        return "", deadly
    taken = fight.blows()[hero.id]
    name = trait(side.trait).name
    words = f"removes {taken} {name}" if taken else f"no {name} die to hit"
    if taken and taken < side.count:
        words += ", the other is lost"
    if fight.settled().won or side.block:
        return words, ""
    after = max(0, hero.health - fight.hit(hero.id))
    blow = f", {hero.health} → {after} unless all fall" if fight.unrolled else f", {hero.health} → {after}"
    return words + (blow if fight.hit(hero.id) else ", no damage"), "dies" if after == 0 else ""


def _preview(state: State, fight: Fight) -> str:
    """What the button would do."""
    if not fight.round:
        return ""
    lacking = fight.lacks()
    if lacking:
        names = listed([state.who(hero) for hero in lacking])
        return f"Still to roll: {names}." if len(lacking) < 3 else f"{len(lacking)} still to roll."
    done = fight.settled()
    if done.won:
        return "All dice fall: the enemy is beaten, nobody is hit."
    return _upper(_told(state, done))


def _told(state: State, done: Settled) -> str:
    number = len(done.removed)
    words = [f"{number} {'die falls' if number == 1 else 'dice fall'}" if number else "no die falls"]
    by_hit: dict[int, list[str]] = {}
    for hero, hit in done.hits.items():
        by_hit.setdefault(hit, []).append(state.who(hero))
    words += [
        f"{listed(names)} {'takes' if len(names) == 1 else 'take'} {hit}" for hit, names in by_hit.items()
    ]
    words += ["nobody is hit"] if not done.hits else []
    words += [f"{state.who(done.healed)} rests"] if done.healed else []
    return "; ".join(words) + "."


def _last(state: State, fight: Fight) -> str:
    """The round before with its dice, for whoever looked away."""
    if fight.last is None:
        return ""
    dice = [
        f"{state.who(hero)} {state.hero(hero).character.side(face).name}" for hero, face in fight.fell.items()
    ]
    return _upper(f"{listed(dice)}: {_told(state, fight.last)}")


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]


def settle_button(fight: Fight) -> Button:
    ready = not fight.lacks() and bool(fight.fighting)
    return Button(f"Settle round {fight.round}", Do("settle_round", {"round": fight.round}), strong=ready)


# --- odds ---


def _chances(state: State, fight: Fight) -> tuple[Chance, ...]:
    return tuple(_chance(state, fight, rests, odds) for rests, odds in weighed(state).items())


def _chance(state: State, fight: Fight, rests: str, odds: Odds) -> Chance:
    seat = state.table.seat(state.hero(rests).seat) if rests else None
    chosen = fight.rests == rests
    return Chance(
        label=f"{_upper(state.who(rests))} rests" if rests else "All fight",
        hero=rests,
        seat=seat,
        clear=round(100 * odds.clear, 1),
        survive=round(100 * odds.survive, 1),
        clear_words=per_cent(odds.clear),
        survive_words=per_cent(odds.survive),
        removed=f"{odds.removed:.1f}",
        damage=tuple(
            (
                state.table.seat(state.hero(hero).seat),
                state.who(hero),
                round(min(100.0, 100 * expected / max(fight.damage, fight.hit(hero))), 1),
                f"{expected:.1f}",
            )
            for hero, expected in zip(fight.heroes, odds.damage, strict=True)
        ),
        chosen=chosen,
        do=None if chosen else _choose(state, fight, rests),
    )


def _choose(state: State, fight: Fight, rests: str) -> Do | None:
    """One tap changes who rests, where that is still open."""
    if not fight.round:
        return None
    hero = state.hero(rests or fight.rests)
    part = "rest" if rests else "fight"
    if rests and fight.rests:
        return Do("let_rest", {"seat": hero.seat, "hero": hero.id, "round": fight.round})
    return Do("take_part", {"seat": hero.seat, "hero": hero.id, "round": fight.round, "part": part})


def per_cent(chance: float) -> str:
    """Never 0 or 100 for what is not certain."""
    if 0 < chance < 0.005:
        return "<1"
    if 0.995 < chance < 1 - 1e-9:
        return ">99"
    return str(round(100 * chance))
