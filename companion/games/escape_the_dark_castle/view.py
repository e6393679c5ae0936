"""What everybody sees: nothing in this castle is secret once it is tapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.core import Counter, Do, Forms, Phase, Seat, SeatView, Tap, View
from companion.core.checklist import checklist as ticks
from companion.core.memo import kept_while
from companion.core.pieces import Bar, Chips, Fold, Note, Panel, Picker, Piece, Tray
from companion.core.text import capital, counted, listed
from companion.games.escape_the_dark_castle import box
from companion.games.escape_the_dark_castle.adjudication import adjudicate
from companion.games.escape_the_dark_castle.fight_view import fight_board, settle
from companion.games.escape_the_dark_castle.forms import TESTS, forms, movable, playing
from companion.games.escape_the_dark_castle.path import steps, way
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Hero, Item, State, checklist
from companion.games.escape_the_dark_castle.trial_view import count_tap, trial_board

LOW = 4  # health that should worry a table


def view(state: State) -> View:
    around, verdict = _around(state), adjudicate(state)
    if verdict.final:
        return replace(around, phase=Phase(verdict.summary, "A slip? Undo it.", key="over", final=True))
    first: tuple[Piece, ...] = ()
    if state.fight:
        first = fight_board(state, state.fight)
    elif state.trial:
        first = trial_board(state, state.trial)
    return replace(around, phase=_phase(state), board=(*first, *around.board))


def _but_the_dice(state: State) -> tuple[object, ...]:
    fight = state.fight
    return (
        *(state.table.seats, state.table.choices, state.ticked, state.party, state.begun, state.chapters),
        *(state.you, state.notes, state.items, state.owed, state.trial, state.won_fights, state.fallen),
        *(fight is None, fight.rests if fight else ""),
    )


@kept_while(_but_the_dice)
def _around(state: State) -> View:
    """All that the dice of a fight do not change."""
    seats = tuple(_seat(state, each) for each in state.table.seats)
    board = tuple(_castle(state) if state.begun else _setup(state))
    return View(Phase(""), seats, forms=Forms(lambda: forms(state)), board=board)


# --- what to do now ---


def _phase(state: State) -> Phase:
    (title, text, taps), fight = _words(state), state.fight
    key = "fight" if fight else "castle" if state.stage == "between" else state.stage
    first: tuple[Piece, ...] = (steps(state.done, state.chapter),) if state.begun else ()
    if state.stage == "between":
        first = (*first, _yous(state))
    go = (Bar("castle-go", taps),)
    return Phase(title, text, (), key, go, first, f"round-{fight.round}" if fight else "")


def _words(state: State) -> tuple[str, str, tuple[Tap, ...]]:
    """Title, text, and what can be tapped next."""
    if state.stage == "setup":
        ready = len(state.party) == state.quota * len(state.table.seats)
        each = "two characters" if state.quota > 1 else "a character each"
        begin = Tap("Into the castle", Do("begin_escape"), strong=ready)
        return "Set up", f"Choose {each}, and tick off what is ready.", (begin,)
    if state.stage == "between":
        return _between(state)
    name = capital(box.chapter_name(state.chapter))
    if state.fight and not state.fight.round:
        join = Tap("To the fight", Do("join_fight"), strong=bool(state.fight.dice))
        return f"{name}: lay out the dice", "Tap the symbols as they stand on the card.", (join,)
    if state.fight:
        return f"{name}: round {state.fight.round}", "", (settle(state, state.fight),)
    if state.trial and not state.trial.ended:
        return f"{name}: a test", "", (count_tap(state, state.trial),)
    return name, _read(state), _open_card(state)


def _between(state: State) -> tuple[str, str, tuple[Tap, ...]]:
    ahead = state.chapter + 1
    name, left = box.chapter_name(ahead), [item.name for item in state.held(TABLE)]
    ask = [f"{listed(left)} will be left behind."] if left else []
    if state.owed:
        ask.append(f"{state.owed} {'item is' if state.owed == 1 else 'items are'} still to be drawn.")
    confirm = f"{' '.join(ask)} Turn the card all the same?" if ask else ""
    turn = Tap(f"Turn {name}", Do("turn_card", {"number": ahead}), strong=bool(state.you), confirm=confirm)
    more = f"{counted(state.owed, 'item')} to draw and share out. " if state.owed else ""
    text = f"{more}Trade if you like, then choose who turns the card."
    return (f"Before {name}" if state.chapter else "The Start card"), text, (turn,)


def _read(state: State) -> str:
    if not state.won_fights:
        you = state.named(state.chapters[-1].you)
        return f"{you} is “you” on the card. Read it: a fight, a test, or health and items here."
    if state.chapter == box.BOSS:
        return "Beaten, and everyone is alive. Does the card ask for nothing more? Then you are out."
    return "The enemy is beaten. " + ("Draw one item for the group." if state.owed else "Read on, or go on.")


def _open_card(state: State) -> tuple[Tap, ...]:
    number, fought = {"number": state.chapter}, state.won_fights > 0
    unbeaten = state.chapter == box.BOSS and not fought
    label = "Boss beaten" if unbeaten else "We are free" if state.chapter == box.BOSS else "Chapter done"
    sure = "Is the boss beaten, and is everyone alive? Then you are free." if unbeaten else ""
    done = Tap(label, Do("finish_chapter", number), strong=not unbeaten, confirm=sure)
    fight = Tap("Fight again" if fought else "Fight", Do("begin_fight", number), strong=unbeaten)
    return (fight, done) if state.trial else (Tap("Test", opens="tests"), fight, done)


def _yous(state: State) -> Picker:
    """Who may turn the next card."""
    taps = []
    for hero in state.heroes:
        seat, on = state.table.seat(hero.seat), state.you == hero.id
        do = Do("choose_you", {"seat": seat.id, "hero": hero.id})
        name = hero.name if state.quota > 1 else seat.name
        taps.append(Tap(name, do, "YOU" if on else "", on=on, seat=seat, id=f"you-{hero.id}"))
    return Picker("castle-yous", tuple(taps), columns=2)


# --- set-up ---


def _setup(state: State) -> Iterator[Piece]:
    for seat in state.table.seats:
        characters = Picker(f"characters-{seat.id}", tuple(_characters(state, seat)), columns=2)
        yield Tray(f"picker-{seat.id}", f"{seat.name} plays", (characters,), seat, stays=True)
    team = [(each, sum(hero.character.value(each.id) for hero in state.party)) for each in box.TRAITS]
    values = tuple(Tap(f"{each.name} {value}", mark=each.id) for each, value in team)
    yield Chips("castle-team", values, "The team")
    if hint := _lopsided({each.name: value for each, value in team}, len(state.party)):
        yield Note("castle-hint", hint, "warn")
    yield ticks(state.ticked, checklist(state.table))


def _characters(state: State, seat: Seat) -> Iterator[Tap]:
    owners = {hero.id: state.table.seat(hero.seat) for hero in state.party}
    for each in box.CHARACTERS:
        owner, mark, id = owners.get(each.id), f"die-{each.id}", f"choose-{seat.id}-{each.id}"
        values = " · ".join(f"{trait.name} {value}" for trait, value in each.values)
        command = "drop_character" if owner == seat else "choose_character"
        do, on = Do(command, {"seat": seat.id, "hero": each.id}), owner == seat
        why_not = f"{owner.name} plays it" if owner and not on else ""
        yield Tap(each.name, do, values, on=on, why_not=why_not, mark=mark, id=id)


def _lopsided(values: dict[str, int], heroes: int) -> str:
    """A team with twice as much of one trait as of another will miss it."""
    most, least = max(values.values()), min(values.values())
    if heroes < 2 or least * 2 > most:
        return ""
    weak = listed([name for name, value in values.items() if value == least])
    strong = listed([name for name, value in values.items() if value == most])
    return f"Lopsided: much {strong}, little {weak}. A balanced team gets further."


# --- characters ---


def _seat(state: State, seat: Seat) -> SeatView:
    heroes = state.of(seat.id)
    if not state.begun:
        names = " and ".join(hero.name for hero in heroes)
        lacks = len(heroes) < state.quota
        choose = Tap(names or "Choose a character", opens=f"picker-{seat.id}", strong=lacks, mark="edit")
        plays = Bar(f"plays-{seat.id}", (choose,))
        return SeatView(seat, notes=(names or "no character yet",), pieces=(plays,))
    counters = tuple(_health(state, hero, f"counter-{seat.id}-{n}") for n, hero in enumerate(heroes, 1))
    notes = tuple(note for hero in heroes for note in _notes(state, hero))
    hands = tuple(_hands(state, hero) for hero in heroes) if playing(state) else ()
    return SeatView(seat, counters, notes, pieces=hands)


def _health(state: State, hero: Hero, id: str) -> Counter:
    label = f"{hero.name}, health" if state.quota > 1 else "health"
    do = Do("change_health", {"seat": hero.seat, "hero": hero.id})
    return Counter(id, label, hero.health, do, f"of {state.cap}")


def _notes(state: State, hero: Hero) -> Iterator[str]:
    you = state.chapters[-1].you if state.stage == "chapter" else state.you
    yield hero.name
    if you == hero.id:
        yield "YOU"
    if hero.id in state.fallen:
        yield "dead"
    elif hero.health <= LOW:
        yield "weak"


def _hands(state: State, hero: Hero) -> Chips:
    """What is in them, and the character's traits."""
    free, held = box.HANDS - state.hands(hero.id), state.held(hero.id)
    chips = [Tap(hero.name)] if state.quota > 1 else []
    chips += [Tap(f"{each.name} {n}", mark=each.id, short=str(n)) for each, n in hero.character.values]
    chips += [_item(state, each) for each in held]
    if free:
        chips.append(Tap(counted(free, "free hand")) if free > 0 else TOO_MANY)
    return Chips(f"hands-{hero.id}", tuple(chips), f"In the hands of {state.named(hero.id)}")


# --- what lies around ---


def _castle(state: State) -> Iterator[Piece]:
    still = playing(state)
    if still and not (state.chapter == box.BOSS and state.won_fights):
        yield _pool(state)
        yield KNOWN
    if still and state.chapter == box.BOSS and box.BOSS not in state.notes:
        bosses = (Tap(each, Do("note_chapter", {"number": box.BOSS, "note": each})) for each in box.BOSSES)
        yield Picker("castle-bosses", tuple(bosses), "Which boss is it?", "rows")
    if still and state.stage == "chapter" and not state.fight and not state.trial:
        yield WHICH_TEST
    yield way(state)
    if pile := state.held(PILE):
        items = Picker("pile-items", tuple(_item(state, each) for each in pile), columns=2)
        yield Fold("castle-pile", f"Discard pile: {len(pile)}", (items, Bar("pile-taps", (SHUFFLE,))))


def _item(state: State, item: Item) -> Tap:
    kind = item.kind if item.place in (TABLE, PILE) else ""
    detail = ", ".join(filter(None, (kind, "two hands" if item.hands == 2 else "")))
    opens = f"item-{item.id}" if playing(state) and movable(state, item) else ""
    return Tap(item.name, detail=detail, opens=opens, id=f"item-{item.id}-tap", shows="item")


def _pool(state: State) -> Panel:
    lying = tuple(_item(state, each) for each in state.held(TABLE))
    items = Picker("pool-items", lying, columns=2) if lying else Note("pool-items", "no items")
    draw = Tap("Draw an item", opens="draw", strong=bool(state.owed) and not state.fight)
    tags = (f"{state.owed} to draw",) if state.owed else ()
    return Panel("castle-pool", (items, Bar("pool-taps", (draw,))), "On the table", tags=tags)


def _known(each: box.Known) -> Tap:
    two = ", two hands" if each.hands == 2 else ""
    return Tap(each.name, Do("draw_item", {"name": each.name}), f"{each.kind}{two}")


TOO_MANY = Tap("more than two hands can hold", tone="bad")
SURE = "Shuffle the discard pile into a new deck?"
SHUFFLE = Tap("Shuffle it into a new deck", Do("reshuffle_items"), confirm=SURE)
ANOTHER = Bar("draw-another", (Tap("Another name", opens="another-item", mark="edit"),))
ITEMS = Picker("draw-known", tuple(map(_known, box.ITEMS)), columns=2)
KNOWN = Tray("draw", "Which item is it?", (ANOTHER, ITEMS))
KINDS = Picker("tests-kinds", tuple(Tap(title, opens=f"test-{kind}") for kind, title in TESTS), columns=3)
ASKS = "What does the card ask for: one roll each, so many successes in so many tries, or all together?"
WHICH_TEST = Tray("tests", "A test of the castle", (KINDS,), text=ASKS)
