"""A fight as everybody sees it: the enemy's dice, a row for each character, and the odds.

A roll changes little of it, and what stays is the very same object: so it is neither drawn nor sent again.
"""

from __future__ import annotations

from functools import lru_cache

from companion.core import Do, Seat, Tap
from companion.core.pieces import Bar, Chips, Grid, Note, Panel, Picker, Piece, Tone, Tray
from companion.core.text import capital, listed
from companion.games.escape_the_dark_castle.box import DICE_IN_BOX, TRAITS, Side, trait
from companion.games.escape_the_dark_castle.combat import Fight, Part, Settled
from companion.games.escape_the_dark_castle.enemy import MOST_DAMAGE
from companion.games.escape_the_dark_castle.house_rules import ATTACK
from companion.games.escape_the_dark_castle.state import Hero, State
from companion.games.escape_the_dark_castle.weighing import odds_board

Args = dict[str, str | int]
ENTER = "Tap what the real die shows, or what counts after an item."


def fight_board(state: State, fight: Fight) -> tuple[Piece, ...]:
    fixed = ATTACK.chosen(state.table) == "two"
    if not fight.round:
        return (_laying(fight.dice, fight.damage, fixed, fight.no_rest, len(state.party)),)
    dice = [_dice(each, there, fight.falling.count(each)) for each, there in fight.stock.items() if there]
    facts = _facts(fight.damage, fight.no_rest, fight.removed)
    heroes = [(hero := state.hero(id), state.table.seat(hero.seat)) for id in fight.heroes]
    entered = [
        faces(hero, seat, fight.sides.get(hero.id), "enter_die", "round", fight.round)
        for hero, seat in heroes
        if hero.id in fight.fighting
    ]
    trays = [_die_tray(hero, seat, fight.round, fight.hit(hero.id)) for hero, seat in heroes]
    more = tuple([Tap(seat.name, opens=f"die-{hero.id}", seat=seat) for hero, seat in heroes])
    return (
        Panel("castle-enemy", (*dice, *_stand_in(len(fight.dice)), facts)),
        Grid("castle-rows", tuple([_row(state, fight, hero) for hero, _ in heroes]), 1),
        *odds_board(state, fight),
        FIGHT_TAPS,
        *_last(state, fight),
        enter_all(tuple(entered), "Roll again, rest, stand by, another blow", more),
        *trays,
        _by_hand(tuple(fight.stock.values()), fight.removed, fight.damage, fixed, fight.no_rest),
    )


# --- the enemy ---


@lru_cache(512)  # of some hundred tables
def _laying(dice: tuple[str, ...], damage: int, fixed: bool, no_rest: bool, per_player: int) -> Panel:
    lay = tuple(Tap(each.name, Do("lay_die", {"trait": each.id}), mark=each.id) for each in TRAITS)
    laid = tuple(_dice(each.id, n, 0, True) for each in TRAITS if (n := dice.count(each.id)))
    return Panel(
        "castle-enemy",
        (
            *(laid or (Note("no-dice", "No dice yet."),)),
            *_stand_in(len(dice)),
            Picker("castle-lay", lay, columns=3),
            Bar("castle-roll", (Tap(f"Roll {per_player}, one per player", Do("lay_rolled"), mark="die"),)),
            _hits(damage, fixed),
            Bar("enemy-ends", (_no_rest(no_rest), Tap("No fight after all", Do("end_fight", {"won": "no"})))),
        ),
    )


def _stand_in(dice: int) -> tuple[Note, ...]:
    many = Note("enemy-note", "More than nine: use a stand-in for what the box lacks.")
    return (many,) if dice > DICE_IN_BOX else ()


@lru_cache(2048)
def _dice(id: str, there: int, falling: int, laying: bool = False) -> Chips:
    """The enemy's of one trait, in a row behind how many they are; those that fall are struck out."""
    name = trait(id).name
    many = f"{there} → {there - falling} {name}" if falling else f"{there} {name}"
    return Chips(
        f"dice-{id}",
        (
            *(
                Tap(f"{name}: take it up again", Do("take_die", {"trait": id}), mark=id, shows="chapter")
                if laying
                else Tap(name, mark=id, tone="done" if n <= falling else "", id=f"{id}-{n}")
                for n in range(1, there + 1)
            ),
            Tap(many, id=f"{id}-n", shows="chapter"),
        ),
        name,
    )


@lru_cache(512)
def _facts(damage: int, no_rest: bool, removed: tuple[str, ...]) -> Chips:
    gone = [(each, removed.count(each.id)) for each in TRAITS]
    words = [f"{n} {each.name}" for each, n in gone if n]
    facts = (
        Tap(f"Hits for {damage}"),
        *((Tap("no rest here"),) if no_rest else ()),
        *((Tap(f"removed {listed(words)}"),) if words else ()),
    )
    return Chips("enemy-facts", facts)


def _hits(damage: int, fixed: bool) -> Bar:
    return _stepper("enemy-hits", "Hits for", damage, 1, "set_damage", {}, "damage", fixed)


def _stepper(
    id: str, what: str, now: int, least: int, command: str, args: Args, name: str, fixed: bool = False
) -> Bar:
    """A number that is set to one less or one more."""
    steps = {"−": now - 1, "+": now + 1} if not fixed else {}
    taps = [
        Tap(f"{what} {to}", Do(command, {**args, name: to}), short=sign)
        if least <= to <= MOST_DAMAGE
        else Tap(sign)
        for sign, to in steps.items()
    ]
    return Bar(id, (Tap(f"{what} {now}"), *taps))


def _no_rest(now: bool) -> Tap:
    return Tap("No rest here", Do("forbid_rest", {"forbidden": "no" if now else "yes"}), on=now)


@lru_cache(512)
def _by_hand(
    there: tuple[int, ...], removed: tuple[str, ...], damage: int, fixed: bool, no_rest: bool
) -> Tray:
    def end(label: str, won: str, confirm: str) -> Tap:
        return Tap(label, Do("end_fight", {"won": won}), confirm=confirm)

    return Tray(
        "by-hand",
        "Card specials, by hand",
        (
            *(_special(each.id, n, removed.count(each.id)) for each, n in zip(TRAITS, there, strict=True)),
            *(() if fixed else (_hits(damage, fixed),)),
            Bar("enemy-rest", (_no_rest(no_rest),)),
            Bar(
                "enemy-ends",
                (
                    end("The card says: won", "yes", "Does the card say that the fight is won?"),
                    end("Call it off", "no", "Call the fight off, with nothing won?"),
                ),
            ),
        ),
    )


def _special(id: str, there: int, removed: int) -> Picker:
    name = trait(id).name
    taps = (
        Tap(f"Remove a {name} die", Do("take_die", {"trait": id}) if there else None, short="Remove"),
        Tap(f"Return a {name} die", Do("return_die", {"trait": id}) if removed else None, short="Return"),
        Tap(f"Add a {name} die", Do("lay_die", {"trait": id}), short="Add"),
    )
    return Picker(f"special-{id}", taps, name, columns=3, mark=id, text=f"{there} there, {removed} removed")


FIGHT_TAPS = Bar(
    "fight-taps", (Tap("Enter for all", opens="enter"), Tap("Card specials by hand", opens="by-hand"))
)


# --- rows ---


def _row(state: State, fight: Fight, hero: Hero) -> Bar:
    part, side, seat = fight.stance(hero.id).part, fight.sides.get(hero.id), state.table.seat(hero.seat)
    words = _words(state, fight, hero)
    return die_row(hero, seat, state.cap, side, *words, "roll_die", "round", fight.round, part)


@lru_cache(2048)  # a roll changes one row or two
def die_row(
    hero: Hero,
    seat: Seat,
    cap: int,
    side: Side | None,
    words: str,
    warning: str,
    command: str,
    turn: str,
    number: int,
    part: Part = "fight",
) -> Bar:
    """A character's die in a round of a fight or an attempt of a test, whatever that turn is called there."""
    args: Args = {"seat": hero.seat, "hero": hero.id, turn: number}
    whom, block = f"{seat.name} the {hero.name}", "BLOCK, " if side and side.block else ""
    said = " · ".join(filter(None, (hero.name, block + words, warning)))
    tone: Tone = "bad" if warning else ""
    die = Tap(f"{whom}: enter your own die", mark="edit", opens="enter", shows=hero.id, short="own die")
    taps: tuple[Tap, ...] = (Tap(f"Roll for {whom}", Do(command, args), short="Roll"),)
    if part != "fight":
        die = Tap(whom, mark="moon" if part == "rest" else "eye", short=" ", shows=hero.id)
        up = "Get up" if part == "rest" else "Join in"
        taps = (Tap(up, Do("take_part", {**args, "part": "fight"})),)
    elif side:
        die = Tap(f"{whom}: {side.name}, change it", mark=side.mark, opens="enter", shows=hero.id)
        taps = ()
    who = Tap(seat.name, detail=said, badge=f"{hero.health}/{cap}", tone=tone, id=f"{hero.id}-says")
    return Bar(f"row-{hero.id}", (die, who, *taps), seat)


def _words(state: State, fight: Fight, hero: Hero) -> tuple[str, str]:
    """What this round does to the character, and what to fear."""
    part, hit = fight.stance(hero.id).part, fight.hit(hero.id)
    if part == "rest":
        full = hero.health >= state.cap
        return ("rests, at full health" if full else f"rests: {hero.health} → {hero.health + 1}"), ""
    if part == "out":
        return "takes no part", ""
    side = fight.sides.get(hero.id)
    if side is None:
        return "", f"a blow of {hit} kills" if hit >= hero.health else ""
    taken, name = fight.blows[hero.id], trait(side.trait).name
    words = f"removes {taken} {name}" if taken else f"no {name} die to hit"
    if taken and taken < side.count:
        words += ", the other is lost"
    if before := fight.stance(hero.id).before:
        words += f" (before: {', '.join([hero.character.side(face).name for face in before])})"
    if fight.won or side.block:
        return words, ""
    after = max(0, hero.health - hit)
    blow = f", {hero.health} → {after}" + (" unless all fall" if fight.unrolled else "")
    return words + (blow if hit else ", no damage"), "dies" if after == 0 else ""


# --- entering dice ---


def enter_all(pickers: tuple[Picker, ...], title: str, more: tuple[Tap, ...]) -> Tray:
    rest = (Picker("enter-more", more, title, columns=2),) if more else ()
    return Tray("enter", "What the dice show", (*pickers, *rest), text=ENTER)


@lru_cache(2048)
def faces(hero: Hero, seat: Seat, now: Side | None, command: str, turn: str, number: int) -> Picker:
    """What a character's die may show, for this turn, whatever that is called there."""
    args: Args = {"seat": hero.seat, "hero": hero.id, turn: number}
    taps = tuple(
        Tap(
            side.name,
            Do(command, {**args, "face": face}),
            on=side == now,
            mark=side.mark,
            id=f"{hero.id}-{place}",
        )
        for place, (face, side) in enumerate(hero.character.faces, 1)
    )
    return Picker(f"faces-{hero.id}", taps, f"{seat.name} the {hero.name}", "faces", columns=5)


@lru_cache(512)
def _die_tray(hero: Hero, seat: Seat, round: int, hit: int) -> Tray:
    """What else may be done to a die: a roll leaves it as it is, and what is not open says why."""
    args: Args = {"seat": hero.seat, "hero": hero.id, "round": round}

    taps = (
        Tap("Roll again, an item says so", Do("roll_die", {**args, "again": "yes"})),
        Tap("Not rolled after all", Do("clear_roll", args)),
        Tap("Rests in this round", Do("take_part", {**args, "part": "rest"})),
        Tap("Takes no part in this round", Do("take_part", {**args, "part": "out"})),
    )
    blow = _stepper(f"{hero.id}-blow", "A blow costs", hit, 0, "set_hit", args, "hit")
    pieces = Picker(f"{hero.id}-else", taps, columns=2), blow
    return Tray(f"die-{hero.id}", f"{seat.name} the {hero.name}", pieces, seat)


# --- what the button would do, and what it did ---


def settle(state: State, fight: Fight) -> Tap:
    do, label = Do("settle_round", {"round": fight.round}), f"Settle round {fight.round}"
    if not fight.fighting:
        return Tap(label, do, why_not="Somebody has to fight: nobody does in this round.", id="settle")
    if lacking := fight.lacks():
        return Tap(label, do, why_not=still_to_roll(state, lacking), id="settle")
    done = fight.settled()
    won = "All dice fall: the enemy is beaten, nobody is hit."
    return Tap(label, do, won if done.won else capital(_told(state, done)), strong=True, id="settle")


def still_to_roll(state: State, heroes: tuple[str, ...]) -> str:
    names = listed([state.who(hero) for hero in heroes])
    return f"Still to roll: {names}." if len(heroes) < 3 else f"{len(heroes)} still to roll."


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


def _last(state: State, fight: Fight) -> tuple[Note, ...]:
    """The round before with its dice, for whoever looked away."""
    if fight.last is None:
        return ()
    fell = [(hero, state.hero(hero).character.side(face).name) for hero, face in fight.fell.items()]
    dice = listed([f"{state.who(hero)} {side}" for hero, side in fell])
    return (Note("last-round", f"Last round: {capital(f'{dice}: {_told(state, fight.last)}')}"),)
