"""A fight as everybody sees it: the enemy's dice, a row for each character, and the odds.

A roll changes little of it, and what stays is the very same object: so it is neither drawn nor sent again.
"""

from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from companion.core import Seat, View, capital, counted, kept_on, listed, remembered, replace, stepper
from companion.core.fixed import dataclass
from companion.core.pieces import Bar, Chips, Do, Grid, Note, Panel, Picker, Piece, Tap, Tray
from companion.games.escape_the_dark_castle import box, items, odds_view
from companion.games.escape_the_dark_castle.fight import CAST, MOST_DAMAGE, NOBODY, on, why_no_rising
from companion.games.escape_the_dark_castle.state import Hero, State
from companion.games.escape_the_dark_castle.throws import Fight, Lot, Part, Settled

BLOWS = range(MOST_DAMAGE + 1)
NO_USES = Chips("castle-uses", (), "Items to use now")
STAND_IN = Note("enemy-note", "More than nine: use a stand-in for what the box lacks.")
_card = attrgetter("dice", "removed", "damage", "no_rest", "cast", "last", "fell")  # a roll leaves it
Led = tuple[Hero, Seat]
Fate = tuple[str, str]  # what a round or an attempt does to the character, and what to fear


class Turn(NamedTuple):
    """When a die is rolled: a round of a fight, or an attempt of a test."""

    name: str
    number: int
    roll: str  # the command
    cap: int
    own: bool  # the table rolls its own dice

    def do(self, hero: Hero, command: str, **more: str | int) -> Do:
        return hero.does(command, **{self.name: self.number}, **more)


@dataclass(frozen=True)
class Scene:
    """All that a roll leaves as it is."""

    fight: Fight  # its dice and its card, whatever has been rolled since
    led: tuple[Led, ...]
    turn: Turn
    hits: Bar  # how hard the enemy does
    enemy: tuple[Piece, ...]
    last: tuple[Note, ...]  # the round before with its dice, for whoever looked away
    taps: Bar
    more: Picker  # what else may be done to a die


@kept_on
def _scene(around: View, *card: object, state: State) -> Scene:
    """What is seen around it tells the round, and all of the table that matters here."""
    fight, led = on(state), [(hero, state.seat(hero)) for hero in state.heroes]
    turn = Turn("round", fight.round, "roll_die", state.cap, state.own_dice)
    hits = stepper("enemy-hits", "Hits for", fight.damage, BLOWS[1:], Do("set_damage"), "damage")
    if box.ATTACK.chosen(state.table) == "two":
        hits = Bar(hits.id, hits.taps[:1])
    enemy = _laid(fight, hits)
    taps = Bar("fight-taps", (*dice_taps(turn.own), Tap("Card specials", opens="by-hand")))
    last: tuple[Note, ...] = ()
    if fight.last:
        sides = {hero: box.character(hero).side(face) for hero, face in fight.fell.items()}
        fell = listed([f"{state.who(hero)} {side.name}" for hero, side in sides.items()])
        last = (Note("last-round", f"Last round: {capital(f'{fell}: {_outcome(state, fight.last)}')}"),)
    more = tuple([Tap(seat.name, opens=f"die-{hero.id}", seat=seat) for hero, seat in led])
    picker = Picker("enter-more", more, "Roll again, rest, stand by, another blow", columns=2)
    return Scene(fight, tuple(led), turn, hits, tuple(enemy), last, taps, picker)


def fight_board(state: State, fight: Fight, around: View) -> tuple[Piece, ...]:
    scene, lots = _scene(around, *_card(fight), state=state), fight.lots
    if not fight.round:
        return Panel("castle-enemy", scene.enemy), using(state, fight.heroes)
    stays = fight.rests if fight.rests and why_no_rising(state, fight, fight.rests) else ""
    shown = [_shown(*led, lots[led[0].id], scene.turn, fight.won, stays == led[0].id) for led in scene.led]
    return (
        _enemy(scene, *[fight.falling.count(each) for each in fight.stock]),
        Grid("castle-rows", tuple([row for row, _ in shown]), 1),
        Grid("castle-weighed", odds_view.odds_of(state, fight, scene.led), 1),
        using(state, fight.heroes, *_kept(state, fight)),
        scene.taps,
        *scene.last,
        enter_all(*[each for _, faces in shown for each in faces], scene.more),
        *_trays(scene, *[lot.hit for lot in lots.values()]),
    )


@kept_on
def _enemy(scene: Scene, *falling: int) -> Panel:
    there = zip(scene.fight.stock.items(), falling, strict=True)
    return Panel("castle-enemy", (*[_dice(*each, fall) for each, fall in there if each[1]], *scene.enemy))


@kept_on
def _shown(hero: Hero, seat: Seat, lot: Lot, turn: Turn, won: bool, stays: bool) -> tuple[Bar, list[Picker]]:
    """The row of this one, who `stays` if rest is chosen for good; and the faces that its die may be said to
    show."""
    led, part = (hero, seat), lot.stance.part
    more: tuple[Tap, ...] = ()
    if part != "fight" and not stays:
        more = (Tap("Get up" if part == "rest" else "Join in", turn.do(hero, "take_part", part="fight")),)
    elif lot.side and lot.wants and turn.own:  # the chapter die that an item rolls along, as it fell
        for each in box.TRAITS:
            do, id = turn.do(hero, "enter_also", trait=each.id), f"{hero.id}-and-{each.id}"
            more += (Tap(f"{hero.name}: and {each.name}", do, mark=each.id, short=" ", id=id),)
    row = die_row(led, lot.side, _fate(hero, lot, turn.cap, won), turn, part, *more)
    return row, [faces(led, lot.side, turn)] if part == "fight" and (lot.side or not turn.own) else []


def _laid(fight: Fight, hits: Bar) -> Iterator[Piece]:
    """What is laid out, and by which taps; later, what the card says besides the dice."""
    if not fight.round:
        yield from [_dice(each, n, 0, laying=True) for each, n in fight.stock.items() if n]
        yield from [] if fight.dice else [Note("no-dice", "No dice yet.")]
    yield from [STAND_IN] * (len(fight.dice) > box.DICE_IN_BOX)
    if fight.round:
        gone = [f"{n} {each.name}" for each in box.TRAITS if (n := fight.removed.count(each.id))]
        words = [f"Hits for {fight.damage}"] + ["no rest here"] * fight.no_rest
        words += [f"removed {listed(gone)}"] * bool(gone)
        yield Chips("enemy-facts", tuple(map(Tap, words)))
        return
    lay = [Tap(each.name, Do("lay_die", {"trait": each.id}), mark=each.id) for each in box.TRAITS]
    yield Picker("castle-lay", tuple(lay), columns=3)
    roll, why_not = f"Roll {len(fight.heroes)}, one per player", CAST if fight.cast else ""
    yield Bar("castle-roll", (Tap(roll, Do("lay_rolled"), mark="die", why_not=why_not),))
    yield hits
    yield Bar("enemy-ends", (_no_rest(fight), Tap("No fight after all", Do("end_fight", {"won": "no"}))))


@remembered
def _dice(id: str, there: int, falling: int, laying: bool = False) -> Chips:
    """The enemy's of one trait, in a row behind how many they are; those that fall are struck out."""
    name = box.trait(id).name
    dice = [Tap(name, mark=id, tone="done" if n < falling else "", id=f"{id}-{n + 1}") for n in range(there)]
    if laying:
        up = Do("take_die", {"trait": id})
        dice = [Tap(f"{name}: take it up again", up, mark=id, shows="chapter")] * there
    many = f"{there} → {there - falling} {name}" if falling else f"{there} {name}"
    return Chips(f"dice-{id}", (*dice, Tap(many, id=f"{id}-n", shows="chapter")), name)


def _no_rest(fight: Fight) -> Tap:
    change = Do("forbid_rest", {"forbidden": "no" if fight.no_rest else "yes"})
    return Tap("No rest here", change, on=fight.no_rest)


def die_row(led: Led, side: box.Side | None, fate: Fate, turn: Turn, part: Part = "fight", *more: Tap) -> Bar:
    """A character's die in a round of a fight or an attempt of a test. Where the table rolls its own dice,
    the faces are there to be tapped at once."""
    (hero, seat), (words, fear) = led, fate
    whom, opens = f"{seat.name} the {hero.name}", "enter"
    if part != "fight":
        die = Tap(whom, mark="rest" if part == "rest" else "close", short=" ", shows=hero.id)
    elif side:
        die = Tap(f"{hero.name}: {side.name}, change it", mark=side.mark, opens=opens, shows=hero.id)
    else:
        die = Tap(f"{whom}: enter your own die", mark="edit", opens=opens, shows=hero.id, short="own die")
        more = (Tap(f"Roll for {whom}", turn.do(hero, turn.roll), short="Roll"),)
    detail, health = " · ".join(filter(None, (hero.name, words, fear))), f"{hero.health}/{turn.cap}"
    who = Tap(seat.name, detail=detail, badge=health, tone="bad" if fear else "", id=f"{hero.id}-says")
    rolls = turn.own and part == "fight" and not side
    return Bar(f"row-{hero.id}", (who, *faces(led, None, turn).taps) if rolls else (die, who, *more), seat)


def _fate(hero: Hero, lot: Lot, cap: int, won: bool) -> Fate:
    stance = lot.stance
    if stance.part == "rest":
        full = hero.health >= cap
        return ("rests, at full health" if full else f"rests: {hero.health} → {hero.health + 1}"), ""
    if stance.part == "out":
        return "takes no part", ""
    if not lot.side:
        return "", f"a blow of {lot.hit} kills" if lot.hit >= hero.health else ""
    words = [f"{'BLOCK, ' if lot.blocks else ''}{_removes(lot)}"]
    words += [f"and {each.name}" for each in stance.also]
    words += ["which chapter die?"] if lot.wants else []
    before = [hero.character.side(face).name for face in stance.before]
    words += [f"(before: {', '.join(before)})"] if before else []
    does = ", ".join(words)
    if won or lot.blocks:
        return does, ""
    after = max(0, hero.health - lot.hit)
    loses = f"{hero.health} → {after}".replace(" ", "\N{NO-BREAK SPACE}") if lot.hit else "no damage"
    return f"{does}, {loses}", "" if after else "dies"


def _removes(lot: Lot) -> str:
    if not lot.taken:
        return f"no {listed([box.trait(each).name for each, _ in lot.symbols])} die to hit"
    each = [f"{lot.taken.count(id)} {box.trait(id).name}" for id in dict.fromkeys(lot.taken)]
    lost = sum(count for _, count in lot.symbols) - len(lot.taken)
    spare = f", {'the other is' if lost == 1 else f'{lost} are'} lost" if lost else ""
    return f"removes {listed(each)}{spare}"


def dice_taps(own: bool) -> tuple[Tap, ...]:
    ours = Tap("We roll our own dice", Do("roll_own_dice", {"own": "no" if own else "yes"}), on=own)
    return (ours,) if own else (Tap("Enter dice", opens="enter"), ours)


def using(state: State, heroes: tuple[str, ...], *more: Tap) -> Chips:
    """One tap each: all that can be done just now with what they carry."""
    taps, able = list(more), [item for item in state.items if item.effect and item.held]
    for hero in map(state.hero, heroes) if able else ():
        for item in [each for each in able if each.place == hero.id]:
            for n, (words, args) in enumerate(items.uses(state, item)):
                do, id = Do("use_item", {"item": item.id, **args}), f"use-{item.id}-{n}"
                taps.append(Tap(item.name, do, words, seat=state.seat(hero), id=id))
    return Chips("castle-uses", tuple(taps), "Items to use now") if taps else NO_USES


def _kept(state: State, fight: Fight) -> Iterator[Tap]:
    """After an item that lets one choose between two rolls."""
    for id, stance in fight.stances.items():
        if stance.used and stance.before and fight.has(id, "again") and stance.face != stance.before[-1]:
            hero, (was, now) = state.hero(id), map(box.character(id).side, (stance.before[-1], stance.face))
            do, words = hero.does("keep_die", round=fight.round), f"instead of {now.name}"
            yield Tap(f"Keep {was.name}", do, words, seat=state.seat(hero), id=f"keep-{id}")


# --- entering dice, and what slides up ---


def enter_all(*pieces: Picker) -> Tray:
    return Tray("enter", "What the dice show", pieces, text=box.SAID["hints"]["faces"])


@remembered
def faces(led: Led, now: box.Side | None, turn: Turn) -> Picker:
    """What a character's die may show; the faces that it does not are always the same."""
    (hero, seat), taps = led, []
    if now:
        usual = faces(led, None, turn)
        taps = [replace(tap, on=True) if tap.mark == now.mark else tap for tap in usual.taps]
        return replace(usual, taps=tuple(taps))
    for place, (face, side) in enumerate(hero.character.faces, 1):
        do, id = turn.do(hero, turn.roll, face=face), f"{hero.id}-{place}"
        taps.append(Tap(side.name, do, on=False, mark=side.mark, id=id))
    return Picker(f"faces-{hero.id}", tuple(taps), f"{seat.name} the {hero.name}", "faces", columns=5)


@kept_on
def _trays(scene: Scene, *hits: int) -> tuple[Tray, ...]:
    """What else may be done to a die, and what a card may do: a roll leaves it as it is, and what is not open
    says why."""
    trays, fight, turn = [], scene.fight, scene.turn
    for (hero, seat), hit in zip(scene.led, hits, strict=True):
        more = (
            Tap("Roll again, an item says so", turn.do(hero, "roll_die", again="yes")),
            Tap("Not rolled after all", turn.do(hero, "clear_roll")),
            Tap("Rests in this round", turn.do(hero, "take_part", part="rest")),
            Tap("Takes no part in this round", turn.do(hero, "take_part", part="out")),
        )
        blow = stepper(f"{hero.id}-blow", "A blow costs", hit, BLOWS, turn.do(hero, "set_hit"), "hit")
        pieces = Picker(f"{hero.id}-else", more, columns=2), blow
        trays.append(Tray(f"die-{hero.id}", f"{seat.name} the {hero.name}", pieces, seat))
    won = Tap("The card says: won", Do("end_fight", {"won": "yes"}), confirm=box.SAID["hints"]["won"])
    off = Tap("Call it off", Do("end_fight", {"won": "no"}), confirm=box.SAID["hints"]["off"])
    specials = []
    for each in box.TRAITS:
        there, removed = fight.dice.count(each.id), fight.removed.count(each.id)
        able = (("take_die", "Remove", there), ("return_die", "Return", removed), ("lay_die", "Add", 1))
        does = {word: Do(command, {"trait": each.id}) if number else None for command, word, number in able}
        taps = tuple(Tap(f"{word} a {each.name} die", do, short=word) for word, do in does.items())
        text = f"{there} there, {removed} removed"
        specials.append(Picker(f"special-{each.id}", taps, each.name, columns=3, mark=each.id, text=text))
    ends = Bar("enemy-rest", (_no_rest(fight),)), Bar("enemy-ends", (won, off))
    return *trays, Tray("by-hand", "Card specials, by hand", (*specials, scene.hits, *ends))


# --- what the button would do, and what it did ---


def settle(state: State, fight: Fight) -> Tap:
    label, do = f"Settle round {fight.round}", Do("settle_round", {"round": fight.round})
    why_not = to_roll(state, fight.lacks) if fight.fighting or fight.rests else NOBODY
    if why_not:
        return Tap(label, do, why_not=why_not, id="settle")
    done, words = fight.settled(), "All dice fall: the enemy is beaten, nobody is hit."
    dead = [state.who(hero) for hero, hit in done.hits.items() if hit >= state.hero(hero).health]
    if not fight.won:
        dies = f" {capital(listed(dead))} {'dies' if len(dead) == 1 else 'die'}!" if dead else ""
        words = capital(_outcome(state, done)) + dies
    return Tap(label, do, words, True, id="settle", danger=bool(dead))


def to_roll(state: State, heroes: tuple[str, ...]) -> str:
    """Who is waited for; empty: nobody."""
    if len(heroes) > 1:
        return f"{len(heroes)} still to roll."
    return f"Still to roll: {state.who(heroes[0])}." if heroes else ""


def _outcome(state: State, done: Settled) -> str:
    words = [counted(len(done.removed), "die falls/dice fall") if done.removed else "no die falls"]
    for hit in dict.fromkeys(done.hits.values()):
        names = [state.who(hero) for hero, each in done.hits.items() if each == hit]
        words.append(f"{listed(names)} {'takes' if len(names) == 1 else 'take'} {hit}")
    words += ["nobody is hit"] if not done.hits else []
    words += [f"{state.who(done.healed)} rests"] if done.healed else []
    return "; ".join(words) + "."
