"""A fight as everybody sees it: the enemy's dice, a row for each character, and the odds.

A roll changes little of it, and what stays is the very same object: so it is neither drawn nor sent again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from companion.core import Bar, Chips, Do, Grid, Note, Panel, Picker, Piece, Seat, Tap, Tray, remembered
from companion.core.numbers import stepper
from companion.core.text import capital, listed
from companion.games.escape_the_dark_castle.box import ATTACK, DICE_IN_BOX, TRAITS, Side, character, trait
from companion.games.escape_the_dark_castle.combat import Fight, Part, Settled
from companion.games.escape_the_dark_castle.fight import MOST_DAMAGE, NOBODY, why_no_rising
from companion.games.escape_the_dark_castle.items import uses
from companion.games.escape_the_dark_castle.laying import CAST
from companion.games.escape_the_dark_castle.odds_view import odds_of
from companion.games.escape_the_dark_castle.state import Hero, State

BY_HAND = Tap("Card specials", opens="by-hand")
BLOWS = range(MOST_DAMAGE + 1)
MORE = "Roll again, rest, stand by, another blow"
Said = tuple[str, str]  # what a round or an attempt does to the character, and what to fear
Led = tuple[Hero, Seat]


class Turn(NamedTuple):
    """When a die is rolled: a round of a fight, or an attempt of a test."""

    name: str
    number: int
    roll: str  # the command
    cap: int
    own: bool  # the table rolls its own dice

    def do(self, hero: Hero, command: str, **more: str | int) -> Do:
        return hero.does(command, **{self.name: self.number}, **more)


class Enemy(NamedTuple):
    """What a roll leaves as it is."""

    dice: tuple[str, ...]
    removed: tuple[str, ...]
    damage: int
    no_rest: bool
    fixed: bool  # at this table they all hit alike
    cast: bool  # the dice for the players are rolled


def fight_board(state: State, fight: Fight) -> tuple[Piece, ...]:
    fixed = ATTACK.chosen(state.table) == "two"
    enemy = Enemy(fight.dice, fight.removed, fight.damage, fight.no_rest, fixed, fight.cast)
    if not fight.round:
        return Panel("castle-enemy", _laying(enemy, len(state.party))), using(state, fight.heroes)
    turn, sides = Turn("round", fight.round, "roll_die", state.cap, state.own_dice), fight.sides
    led = tuple([(hero := state.hero(id), state.seat(hero)) for id in fight.heroes])
    dice = [_dice(each, n, fight.falling.count(each)) for each, n in fight.stock.items() if n]
    rows, entered = [], []
    for each in led:
        id, part, lies = each[0].id, fight.stance(each[0].id).part, sides.get(each[0].id)
        wants, stays = turn.own and fight.wants_more(id), bool(why_no_rising(state, fight, id))
        rows.append(die_row(each, lies, _words(state, fight, each[0]), turn, part, wants, stays))
        entered += [faces(each, lies, turn)] if part == "fight" and (lies or not turn.own) else []
    more = tuple([Tap(seat.name, opens=f"die-{hero.id}", seat=seat) for hero, seat in led])
    return (
        Panel("castle-enemy", (*dice, *_facts(enemy))),
        Grid("castle-rows", tuple(rows), 1),
        Grid("castle-weighed", tuple(odds_of(state, fight)), 1),
        using(state, fight.heroes, tuple(_kept(state, fight))),
        Bar("fight-taps", (*dice_taps(turn.own), BY_HAND)),
        *_last(state, fight),
        enter_all([*entered, Picker("enter-more", more, MORE, columns=2)]),
        *_trays(enemy, led, turn, tuple([fight.hit(id) for id in fight.heroes])),
    )


# --- the enemy ---


@remembered
def _laying(enemy: Enemy, per_player: int) -> tuple[Piece, ...]:
    lay = tuple(Tap(each.name, Do("lay_die", {"trait": each.id}), mark=each.id) for each in TRAITS)
    roll = f"Roll {per_player}, one per player"
    laid: list[Piece] = [_dice(each.id, n, 0, True) for each in TRAITS if (n := enemy.dice.count(each.id))]
    return (
        *(laid or [Note("no-dice", "No dice yet.")]),
        *_stand_in(enemy),
        Picker("castle-lay", lay, columns=3),
        Bar("castle-roll", (Tap(roll, Do("lay_rolled"), mark="die", why_not=CAST if enemy.cast else ""),)),
        _hits(enemy),
        Bar("enemy-ends", (_no_rest(enemy), Tap("No fight after all", Do("end_fight", {"won": "no"})))),
    )


def _stand_in(enemy: Enemy) -> list[Note]:
    many = len(enemy.dice) > DICE_IN_BOX
    return [Note("enemy-note", "More than nine: use a stand-in for what the box lacks.")] if many else []


@remembered
def _dice(id: str, there: int, falling: int, laying: bool = False) -> Chips:
    """The enemy's of one trait, in a row behind how many they are; those that fall are struck out."""
    name = trait(id).name
    dice = [Tap(name, mark=id, tone="done" if n < falling else "", id=f"{id}-{n + 1}") for n in range(there)]
    if laying:
        up = Do("take_die", {"trait": id})
        dice = [Tap(f"{name}: take it up again", up, mark=id, shows="chapter")] * there
    many = f"{there} → {there - falling} {name}" if falling else f"{there} {name}"
    return Chips(f"dice-{id}", (*dice, Tap(many, id=f"{id}-n", shows="chapter")), name)


@remembered
def _facts(enemy: Enemy) -> tuple[Piece, ...]:
    gone = [f"{n} {each.name}" for each in TRAITS if (n := enemy.removed.count(each.id))]
    words = [f"Hits for {enemy.damage}"] + ["no rest here"] * enemy.no_rest
    words += [f"removed {listed(gone)}"] * bool(gone)
    return *_stand_in(enemy), Chips("enemy-facts", tuple(map(Tap, words)))


def _hits(enemy: Enemy) -> Bar:
    hits = stepper("enemy-hits", "Hits for", enemy.damage, BLOWS[1:], Do("set_damage"), "damage")
    return Bar(hits.id, hits.taps[:1]) if enemy.fixed else hits


def _no_rest(enemy: Enemy) -> Tap:
    change = Do("forbid_rest", {"forbidden": "no" if enemy.no_rest else "yes"})
    return Tap("No rest here", change, on=enemy.no_rest)


@remembered  # a roll changes one row or two
def die_row(
    led: Led,
    side: Side | None,
    said: Said,
    turn: Turn,
    part: Part = "fight",
    wants: bool = False,
    stays: bool = False,
) -> Bar:
    """A character's die in a round of a fight or an attempt of a test. Where the table rolls its own dice,
    the faces are there to be tapped at once, and those of another that an item `wants`. Whoever rests and
    `stays` cannot get up."""
    (hero, seat), (words, fear) = led, said
    taps: tuple[Tap, ...] = ()
    whom, opens = f"{seat.name} the {hero.name}", "enter"
    if part != "fight":
        die = Tap(whom, mark="rest" if part == "rest" else "close", short=" ", shows=hero.id)
        up = turn.do(hero, "take_part", part="fight")
        taps = () if stays else (Tap("Get up" if part == "rest" else "Join in", up),)
    elif side:
        die = Tap(f"{hero.name}: {side.name}, change it", mark=side.mark, opens=opens, shows=hero.id)
        taps = tuple(_also(hero, turn)) if wants else ()
    else:
        die = Tap(f"{whom}: enter your own die", mark="edit", opens=opens, shows=hero.id, short="own die")
        taps = (Tap(f"Roll for {whom}", turn.do(hero, turn.roll), short="Roll"),)
    detail, health = " · ".join(filter(None, (hero.name, words, fear))), f"{hero.health}/{turn.cap}"
    who = Tap(seat.name, detail=detail, badge=health, tone="bad" if fear else "", id=f"{hero.id}-says")
    rolls = turn.own and part == "fight" and not side
    return Bar(f"row-{hero.id}", (who, *faces(led, None, turn).taps) if rolls else (die, who, *taps), seat)


def _also(hero: Hero, turn: Turn) -> Iterator[Tap]:
    """The chapter die that an item rolls along, as it fell on the table."""
    for each in TRAITS:
        do = turn.do(hero, "enter_also", trait=each.id)
        yield Tap(f"{hero.name}: and {each.name}", do, mark=each.id, short=" ", id=f"{hero.id}-and-{each.id}")


def _words(state: State, fight: Fight, hero: Hero) -> Said:
    stance, hit, side = fight.stance(hero.id), fight.hit(hero.id), fight.sides.get(hero.id)
    if stance.part == "rest":
        full = hero.health >= state.cap
        return ("rests, at full health" if full else f"rests: {hero.health} → {hero.health + 1}"), ""
    if stance.part == "out":
        return "takes no part", ""
    if side is None:
        return "", f"a blow of {hit} kills" if hit >= hero.health else ""
    words = [f"{'BLOCK, ' if fight.blocks(hero.id) else ''}{_removes(fight, hero.id)}"]
    words += [f"and {each.name}" for each in stance.also]
    words += ["which chapter die?"] if fight.wants_more(hero.id) else []
    before = [hero.character.side(face).name for face in stance.before]
    words += [f"(before: {', '.join(before)})"] if before else []
    said = ", ".join(words)
    if fight.won or fight.blocks(hero.id):
        return said, ""
    after = max(0, hero.health - hit)
    loses = f"{hero.health} → {after}".replace(" ", "\N{NO-BREAK SPACE}") if hit else "no damage"
    return f"{said}, {loses}", "" if after else "dies"


def _removes(fight: Fight, hero: str) -> str:
    taken, shown = fight.taken[hero], fight.symbols(hero)
    if not taken:
        return f"no {listed([trait(each).name for each, _ in shown])} die to hit"
    each = [f"{taken.count(id)} {trait(id).name}" for id in dict.fromkeys(taken)]
    lost = sum(count for _, count in shown) - len(taken)
    spare = f", {'the other is' if lost == 1 else f'{lost} are'} lost" if lost else ""
    return f"removes {listed(each)}{spare}"


# --- items, where they can be used ---


def dice_taps(own: bool) -> tuple[Tap, ...]:
    ours = Tap("We roll our own dice", Do("roll_own_dice", {"own": "no" if own else "yes"}), on=own)
    return (ours,) if own else (Tap("Enter dice", opens="enter"), ours)


def using(state: State, heroes: tuple[str, ...], more: tuple[Tap, ...] = ()) -> Chips:
    """One tap each: all that can be done just now with what they carry."""
    taps = list(more)
    for hero in map(state.hero, heroes):
        for item in state.held(hero.id):
            for n, (words, args) in enumerate(uses(state, item)):
                do, id = Do("use_item", {"item": item.id, **args}), f"use-{item.id}-{n}"
                taps.append(Tap(item.name, do, words, seat=state.seat(hero), id=id))
    return Chips("castle-uses", tuple(taps), "Items to use now")


def _kept(state: State, fight: Fight) -> Iterator[Tap]:
    """After an item that lets one choose between two rolls."""
    for id, stance in fight.stances.items():
        if stance.used and stance.before and fight.has(id, "again") and stance.face != stance.before[-1]:
            hero, (was, now) = state.hero(id), map(character(id).side, (stance.before[-1], stance.face))
            do, words = hero.does("keep_die", round=fight.round), f"instead of {now.name}"
            yield Tap(f"Keep {was.name}", do, words, seat=state.seat(hero), id=f"keep-{id}")


# --- entering dice, and what slides up ---


def enter_all(pieces: list[Picker]) -> Tray:
    text = "Tap what the real die shows, or what counts after an item."
    return Tray("enter", "What the dice show", tuple(pieces), text=text)


@remembered
def faces(led: Led, now: Side | None, turn: Turn) -> Picker:
    """What a character's die may show."""
    (hero, seat), taps = led, []
    for place, (face, side) in enumerate(hero.character.faces, 1):
        do, id = turn.do(hero, turn.roll, face=face), f"{hero.id}-{place}"
        taps.append(Tap(side.name, do, on=side == now, mark=side.mark, id=id))
    return Picker(f"faces-{hero.id}", tuple(taps), f"{seat.name} the {hero.name}", "faces", columns=5)


@remembered
def _trays(enemy: Enemy, led: tuple[Led, ...], turn: Turn, hits: tuple[int, ...]) -> tuple[Tray, ...]:
    """What else may be done to a die, and what a card may do: a roll leaves it as it is, and what is not open
    says why."""
    trays = []
    for (hero, seat), hit in zip(led, hits, strict=True):
        more = (
            Tap("Roll again, an item says so", turn.do(hero, "roll_die", again="yes")),
            Tap("Not rolled after all", turn.do(hero, "clear_roll")),
            Tap("Rests in this round", turn.do(hero, "take_part", part="rest")),
            Tap("Takes no part in this round", turn.do(hero, "take_part", part="out")),
        )
        blow = stepper(f"{hero.id}-blow", "A blow costs", hit, BLOWS, turn.do(hero, "set_hit"), "hit")
        pieces = Picker(f"{hero.id}-else", more, columns=2), blow
        trays.append(Tray(f"die-{hero.id}", f"{seat.name} the {hero.name}", pieces, seat))
    sure = "Does the card say that the fight is won?", "Call the fight off, with nothing won?"
    won = Tap("The card says: won", Do("end_fight", {"won": "yes"}), confirm=sure[0])
    off = Tap("Call it off", Do("end_fight", {"won": "no"}), confirm=sure[1])
    specials = []
    for each in TRAITS:
        there, removed = enemy.dice.count(each.id), enemy.removed.count(each.id)
        able = (("take_die", "Remove", there), ("return_die", "Return", removed), ("lay_die", "Add", 1))
        does = {word: Do(command, {"trait": each.id}) if number else None for command, word, number in able}
        taps = tuple(Tap(f"{word} a {each.name} die", do, short=word) for word, do in does.items())
        text = f"{there} there, {removed} removed"
        specials.append(Picker(f"special-{each.id}", taps, each.name, columns=3, mark=each.id, text=text))
    ends = Bar("enemy-rest", (_no_rest(enemy),)), Bar("enemy-ends", (won, off))
    return *trays, Tray("by-hand", "Card specials, by hand", (*specials, _hits(enemy), *ends))


# --- what the button would do, and what it did ---


def settle(state: State, fight: Fight) -> Tap:
    label, do = f"Settle round {fight.round}", Do("settle_round", {"round": fight.round})
    why_not = to_roll(state, fight.lacks()) if fight.fighting or fight.rests else NOBODY
    if why_not:
        return Tap(label, do, why_not=why_not, id="settle")
    done, words = fight.settled(), "All dice fall: the enemy is beaten, nobody is hit."
    dead = [state.who(hero) for hero, hit in done.hits.items() if hit >= state.hero(hero).health]
    if not fight.won:
        dies = f" {capital(listed(dead))} {'dies' if len(dead) == 1 else 'die'}!" if dead else ""
        words = capital(_told(state, done)) + dies
    return Tap(label, do, words, True, id="settle", danger=bool(dead))


def to_roll(state: State, heroes: tuple[str, ...]) -> str:
    """Who is waited for; empty: nobody."""
    one = "".join([f"Still to roll: {state.who(hero)}." for hero in heroes])
    return one if len(heroes) < 2 else f"{len(heroes)} still to roll."


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
