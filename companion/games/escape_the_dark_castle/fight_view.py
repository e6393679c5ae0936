"""A fight as everybody sees it: the enemy's dice, a row for each character, and the odds.

A roll changes little of it, and what stays is the very same object: so it is neither drawn nor sent again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from companion.core import Do, Seat, Tap
from companion.core.pieces import Bar, Chips, Fold, Grid, Note, Own, Panel, Picker, Piece, Tray
from companion.core.text import capital, listed
from companion.games.escape_the_dark_castle.box import ATTACK, DICE_IN_BOX, TRAITS, Side, character, trait
from companion.games.escape_the_dark_castle.combat import Fight, Fighter, Part, Settled, shown
from companion.games.escape_the_dark_castle.enemy import MOST_DAMAGE
from companion.games.escape_the_dark_castle.odds import Odds, weigh
from companion.games.escape_the_dark_castle.rounds import NOBODY, why_no_rest
from companion.games.escape_the_dark_castle.state import Hero, State

ENTER, SPECIALS = Tap("Enter for all", opens="enter"), Tap("Card specials by hand", opens="by-hand")
RECKONED = (
    "Exactly, over every face. The forecast takes it that nobody rests after this round, "
    "and that no items are used."
)
Said = tuple[str, str]  # what a round or an attempt does to the character, and what to fear
HOW = Fold("policy", "How is that reckoned?", (Note("policy-words", RECKONED),))


class Turn(NamedTuple):
    """When a die is rolled: a round of a fight, or an attempt of a test."""

    name: str
    number: int
    roll: str  # the commands
    enter: str

    def do(self, hero: Hero, command: str, **more: str | int) -> Do:
        return hero.does(command, **{self.name: self.number}, **more)


def fight_board(state: State, fight: Fight) -> tuple[Piece, ...]:
    fixed = ATTACK.chosen(state.table) == "two"
    if not fight.round:
        return (_laying(fight.dice, fight.damage, fixed, fight.no_rest, len(state.party)),)
    turn, there = Turn("round", fight.round, "roll_die", "enter_die"), fight.stock
    heroes = [(hero := state.hero(id), state.table.seat(hero.seat)) for id in fight.heroes]
    dice = [_dice(each, n, fight.falling.count(each)) for each, n in there.items() if n]
    rows = []
    for hero, seat in heroes:
        said, part = _words(state, fight, hero), fight.stance(hero.id).part
        rows.append(die_row(hero, seat, state.cap, fight.sides.get(hero.id), said, turn, part))
    shown = [(*each, fight.sides.get(each[0].id)) for each in heroes if each[0].id in fight.fighting]
    return (
        Panel("castle-enemy", (*dice, *_facts(len(fight.dice), fight.damage, fight.no_rest, fight.removed))),
        Grid("castle-rows", tuple(rows), 1),
        *_odds(state, fight),
        Bar("fight-taps", (ENTER, SPECIALS)),
        *_last(state, fight),
        enter_all([faces(*each, turn) for each in shown], _more(tuple(heroes))),
        *[_die_tray(*each, turn, fight.hit(each[0].id)) for each in heroes],
        _by_hand(tuple(there.values()), fight.removed, fight.damage, fixed, fight.no_rest),
    )


# --- the enemy ---


@lru_cache(512)  # of some hundred tables
def _laying(dice: tuple[str, ...], damage: int, fixed: bool, no_rest: bool, per_player: int) -> Panel:
    lay = tuple(Tap(each.name, Do("lay_die", {"trait": each.id}), mark=each.id) for each in TRAITS)
    laid: list[Piece] = [_dice(each.id, n, 0, True) for each in TRAITS if (n := dice.count(each.id))]
    pieces = (
        *(laid or [Note("no-dice", "No dice yet.")]),
        *_stand_in(len(dice)),
        Picker("castle-lay", lay, columns=3),
        Bar("castle-roll", (Tap(f"Roll {per_player}, one per player", Do("lay_rolled"), mark="die"),)),
        _hits(damage, fixed),
        Bar("enemy-ends", (_no_rest(no_rest), Tap("No fight after all", Do("end_fight", {"won": "no"})))),
    )
    return Panel("castle-enemy", pieces)


def _stand_in(dice: int) -> tuple[Note, ...]:
    many = Note("enemy-note", "More than nine: use a stand-in for what the box lacks.")
    return (many,) if dice > DICE_IN_BOX else ()


@lru_cache(2048)
def _dice(id: str, there: int, falling: int, laying: bool = False) -> Chips:
    """The enemy's of one trait, in a row behind how many they are; those that fall are struck out."""
    name = trait(id).name
    dice = [Tap(name, mark=id, tone="done" if n < falling else "", id=f"{id}-{n + 1}") for n in range(there)]
    if laying:
        up = Do("take_die", {"trait": id})
        dice = [Tap(f"{name}: take it up again", up, mark=id, shows="chapter")] * there
    many = f"{there} → {there - falling} {name}" if falling else f"{there} {name}"
    return Chips(f"dice-{id}", (*dice, Tap(many, id=f"{id}-n", shows="chapter")), name)


@lru_cache(512)
def _facts(dice: int, damage: int, no_rest: bool, removed: tuple[str, ...]) -> tuple[Piece, ...]:
    gone = [f"{n} {each.name}" for each in TRAITS if (n := removed.count(each.id))]
    words = [f"Hits for {damage}"] + ["no rest here"] * no_rest + [f"removed {listed(gone)}"] * bool(gone)
    return *_stand_in(dice), Chips("enemy-facts", tuple(map(Tap, words)))


def _hits(damage: int, fixed: bool) -> Bar:
    if fixed:
        return Bar("enemy-hits", (Tap(f"Hits for {damage}"),))
    return _stepper("enemy-hits", "Hits for", damage, 1, "damage", Do("set_damage"))


def _stepper(id: str, what: str, now: int, least: int, name: str, do: Do) -> Bar:
    """A number that is set to one less or one more."""
    taps = [
        Tap(f"{what} {to}", Do(do.command, {**do.args, name: to}), short=sign)
        if least <= to <= MOST_DAMAGE
        else Tap(sign)
        for sign, to in (("−", now - 1), ("+", now + 1))
    ]
    return Bar(id, (Tap(f"{what} {now}"), *taps))


def _no_rest(now: bool) -> Tap:
    return Tap("No rest here", Do("forbid_rest", {"forbidden": "no" if now else "yes"}), on=now)


@lru_cache(512)
def _by_hand(
    there: tuple[int, ...], removed: tuple[str, ...], damage: int, fixed: bool, no_rest: bool
) -> Tray:
    sure = "Does the card say that the fight is won?", "Call the fight off, with nothing won?"
    won = Tap("The card says: won", Do("end_fight", {"won": "yes"}), confirm=sure[0])
    off = Tap("Call it off", Do("end_fight", {"won": "no"}), confirm=sure[1])
    pieces = (
        *(_special(each.id, n, removed.count(each.id)) for each, n in zip(TRAITS, there, strict=True)),
        *(() if fixed else (_hits(damage, fixed),)),
        Bar("enemy-rest", (_no_rest(no_rest),)),
        Bar("enemy-ends", (won, off)),
    )
    return Tray("by-hand", "Card specials, by hand", pieces)


def _special(id: str, there: int, removed: int) -> Picker:
    name, able = trait(id).name, (("take_die", "Remove", there), ("return_die", "Return", removed))
    taps = tuple(
        Tap(f"{word} a {name} die", Do(command, {"trait": id}) if number else None, short=word)
        for command, word, number in (*able, ("lay_die", "Add", 1))
    )
    return Picker(f"special-{id}", taps, name, columns=3, mark=id, text=f"{there} there, {removed} removed")


# --- rows ---


@lru_cache(2048)  # a roll changes one row or two
def die_row(
    hero: Hero, seat: Seat, cap: int, side: Side | None, said: Said, turn: Turn, part: Part = "fight"
) -> Bar:
    """A character's die in a round of a fight or an attempt of a test."""
    whom, (words, fear) = f"{seat.name} the {hero.name}", said
    block = "BLOCK, " if side and side.block else ""
    taps: tuple[Tap, ...] = ()
    if part != "fight":
        die = Tap(whom, mark="moon" if part == "rest" else "eye", short=" ", shows=hero.id)
        up = turn.do(hero, "take_part", part="fight")
        taps = (Tap("Get up" if part == "rest" else "Join in", up),)
    elif side:
        die = Tap(f"{whom}: {side.name}, change it", mark=side.mark, opens="enter", shows=hero.id)
    else:
        die = Tap(f"{whom}: enter your own die", mark="edit", opens="enter", shows=hero.id, short="own die")
        taps = (Tap(f"Roll for {whom}", turn.do(hero, turn.roll), short="Roll"),)
    detail, health = " · ".join(filter(None, (hero.name, block + words, fear))), f"{hero.health}/{cap}"
    who = Tap(seat.name, detail=detail, badge=health, tone="bad" if fear else "", id=f"{hero.id}-says")
    return Bar(f"row-{hero.id}", (die, who, *taps), seat)


def _words(state: State, fight: Fight, hero: Hero) -> Said:
    stance, hit, side = fight.stance(hero.id), fight.hit(hero.id), fight.sides.get(hero.id)
    if stance.part == "rest":
        full = hero.health >= state.cap
        return ("rests, at full health" if full else f"rests: {hero.health} → {hero.health + 1}"), ""
    if stance.part == "out":
        return "takes no part", ""
    if side is None:
        return "", f"a blow of {hit} kills" if hit >= hero.health else ""
    taken, name = fight.blows[hero.id], trait(side.trait).name
    words = f"removes {taken} {name}" if taken else f"no {name} die to hit"
    if taken and taken < side.count:
        words += ", the other is lost"
    if stance.before:
        words += f" (before: {', '.join([hero.character.side(face).name for face in stance.before])})"
    if fight.won or side.block:
        return words, ""
    after = max(0, hero.health - hit)
    blow = f", {hero.health} → {after}" + (" unless all fall" if fight.unrolled else "")
    return words + (blow if hit else ", no damage"), "dies" if after == 0 else ""


# --- entering dice ---


def enter_all(entered: list[Picker], *more: Picker) -> Tray:
    text = "Tap what the real die shows, or what counts after an item."
    return Tray("enter", "What the dice show", (*entered, *more), text=text)


@lru_cache(2048)
def faces(hero: Hero, seat: Seat, now: Side | None, turn: Turn) -> Picker:
    """What a character's die may show."""
    taps = []
    for place, (face, side) in enumerate(hero.character.faces, 1):
        do, id = turn.do(hero, turn.enter, face=face), f"{hero.id}-{place}"
        taps.append(Tap(side.name, do, on=side == now, mark=side.mark, id=id))
    return Picker(f"faces-{hero.id}", tuple(taps), f"{seat.name} the {hero.name}", "faces", columns=5)


@lru_cache(512)
def _more(heroes: tuple[tuple[Hero, Seat], ...]) -> Picker:
    taps = tuple(Tap(seat.name, opens=f"die-{hero.id}", seat=seat) for hero, seat in heroes)
    return Picker("enter-more", taps, "Roll again, rest, stand by, another blow", columns=2)


@lru_cache(512)
def _die_tray(hero: Hero, seat: Seat, turn: Turn, hit: int) -> Tray:
    """What else may be done to a die: a roll leaves it as it is, and what is not open says why."""
    taps = (
        Tap("Roll again, an item says so", turn.do(hero, "roll_die", again="yes")),
        Tap("Not rolled after all", turn.do(hero, "clear_roll")),
        Tap("Rests in this round", turn.do(hero, "take_part", part="rest")),
        Tap("Takes no part in this round", turn.do(hero, "take_part", part="out")),
    )
    blow = _stepper(f"{hero.id}-blow", "A blow costs", hit, 0, "hit", turn.do(hero, "set_hit"))
    pieces = Picker(f"{hero.id}-else", taps, columns=2), blow
    return Tray(f"die-{hero.id}", f"{seat.name} the {hero.name}", pieces, seat)


# --- what the button would do, and what it did ---


def settle(state: State, fight: Fight) -> Tap:
    do, label = Do("settle_round", {"round": fight.round}), f"Settle round {fight.round}"
    lacking = fight.lacks()
    if not fight.fighting or lacking:
        why_not = still_to_roll(state, lacking) if fight.fighting else NOBODY
        return Tap(label, do, why_not=why_not, id="settle")
    won = "All dice fall: the enemy is beaten, nobody is hit."
    told = won if fight.won else capital(_told(state, fight.settled()))
    return Tap(label, do, told, strong=True, id="settle")


def still_to_roll(state: State, heroes: tuple[str, ...]) -> str:
    names = listed([state.who(hero) for hero in heroes])
    return f"Still to roll: {names}." if len(heroes) < 3 else f"{len(heroes)} still to roll."


def _told(state: State, done: Settled) -> str:
    number = len(done.removed)
    words = [f"{number} {'die falls' if number == 1 else 'dice fall'}" if number else "no die falls"]
    for hit in dict.fromkeys(done.hits.values()):
        names = [state.who(hero) for hero, each in done.hits.items() if each == hit]
        words.append(f"{listed(names)} {'takes' if len(names) == 1 else 'take'} {hit}")
    words += ["nobody is hit"] if not done.hits else []
    words += [f"{state.who(done.healed)} rests"] if done.healed else []
    return "; ".join(words) + "."


def _last(state: State, fight: Fight) -> Iterator[Note]:
    """The round before with its dice, for whoever looked away."""
    if fight.last:
        fell = [f"{state.who(hero)} {character(hero).side(face).name}" for hero, face in fight.fell.items()]
        yield Note("last-round", f"Last round: {capital(f'{listed(fell)}: {_told(state, fight.last)}')}")


# --- the odds, for each choice of who rests ---


class Chance(NamedTuple):
    """One choice of who rests, as a picture."""

    tap: Tap  # chooses it
    clear: int  # per cent, the height of its bar
    survive: int
    clear_words: str
    survive_words: str


def _choices(state: State, fight: Fight) -> tuple[str, ...]:
    """Who could rest in this round; "" is nobody. What is chosen now is always among them."""
    if fight.rests and fight.sides:
        return (fight.rests,)
    if fight.rests:  # they could change their minds
        return ("", *(hero for hero in fight.heroes if hero == fight.rests or hero in fight.fighting))
    return ("", *(hero for hero in fight.fighting if not why_no_rest(state, fight, hero)))


def _weighed(state: State, fight: Fight) -> Mapping[str, Odds]:
    """By who rests. Nothing to weigh when no die is left, or where nobody would fight."""
    if not fight.dice or state.fallen:
        return {}
    might, cunning, wisdom = fight.stock.values()
    out = {hero for hero in fight.heroes if fight.stance(hero).part == "out"}
    options = [each for each in _choices(state, fight) if {*fight.heroes} - out - {each}]
    places = tuple([fight.heroes.index(each) if each else None for each in options])
    known = {hero: shown(side) for hero, side in fight.sides.items()}
    team = tuple(
        Fighter(hero, state.hero(hero).health, state.cap, fight.hit(hero), known.get(hero), hero in out)
        for hero in fight.heroes
    )
    return dict(zip(options, weigh((might, cunning, wisdom), team, fight.damage, places), strict=True))


def _odds(state: State, fight: Fight) -> Iterator[Piece]:
    found = _weighed(state, fight)
    if found:
        yield Own("castle-odds", "odds", tuple([_chance(state, fight, *each) for each in found.items()]))
    if now := found.get(fight.rests):
        hurt = [f"{state.who(hero)} {n:.1f}" for hero, n in zip(fight.heroes, now.damage, strict=True)]
        yield Note("castle-mean", f"{now.removed:.1f} dice fall on average; damage {', '.join(hurt)}")
    if found:
        yield HOW


def _chance(state: State, fight: Fight, rests: str, odds: Odds) -> Chance:
    who = state.who(rests) if rests else "All fight"
    label = f"{capital(who)} rests" if rests else who
    clear, survive = _per_cent(odds.clear), _per_cent(odds.survive)
    chosen, seat = fight.rests == rests, state.table.seat(state.hero(rests).seat) if rests else None
    words = f"{label}: {clear} % to clear it this round, {survive} % that all survive the fight."
    do, id = None if chosen else _choose(state, fight, rests), f"chance-{rests or 'none'}"
    tap = Tap(words, do, f"−{sum(odds.damage):.1f}", on=chosen, seat=seat, id=id, short=who)
    return Chance(tap, round(100 * odds.clear), round(100 * odds.survive), clear, survive)


def _choose(state: State, fight: Fight, rests: str) -> Do:
    """One tap changes who rests, where that is still open."""
    hero = state.hero(rests or fight.rests)
    if rests and fight.rests:
        return hero.does("let_rest", round=fight.round)
    return hero.does("take_part", round=fight.round, part="rest" if rests else "fight")


def _per_cent(chance: float) -> str:
    """Never 0 or 100 for what is not certain."""
    if 0 < chance < 0.005:
        return "<1"
    return ">99" if 0.995 < chance < 1 - 1e-9 else str(round(100 * chance))
