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
    around, final = _around(state), adjudicate(state).final
    if final:
        summary = Phase(adjudicate(state).summary, "A slip? Undo it.", key="over", final=True)
        return replace(around, phase=summary)
    board = around.board
    if state.fight:
        board = (*fight_board(state, state.fight), *board)
    elif state.trial:
        board = (*trial_board(state, state.trial), *board)
    return replace(around, phase=_phase(state), board=board)


def _but_the_dice(state: State) -> tuple[object, ...]:
    fight = state.fight
    return (
        *(state.table.seats, state.table.rules, state.ticked, state.party, state.begun, state.chapters),
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
    title, text, taps = _words(state)
    go = Bar("castle-go", taps)
    if state.stage == "setup":
        return Phase(title, text, key="setup", pieces=(go,))
    fight = state.fight
    key = "fight" if fight else "castle" if state.stage == "between" else state.stage
    first = (steps(state), *((_yous(state),) if state.stage == "between" else ()))
    return Phase(title, text, (), key, (go,), first, f"round-{fight.round}" if fight else "")


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
    boss = state.chapter == box.BOSS
    done = Tap(
        ("We are free" if fought else "Boss beaten") if boss else "Chapter done",
        Do("finish_chapter", number),
        strong=not boss or fought,
        confirm="Is the boss beaten, and is everyone alive? Then you are free."
        if boss and not fought
        else "",
    )
    fight = Tap("Fight again" if fought else "Fight", Do("begin_fight", number), strong=boss and not fought)
    return (*(() if state.trial else (Tap("Test", opens="tests"),)), fight, done)


def _yous(state: State) -> Picker:
    """Who may turn the next card."""
    taps = (
        Tap(
            hero.name if state.quota > 1 else seat.name,
            Do("choose_you", {"seat": seat.id, "hero": hero.id}),
            "YOU" if state.you == hero.id else "",
            on=state.you == hero.id,
            seat=seat,
            id=f"you-{hero.id}",
        )
        for hero in state.heroes
        if (seat := state.table.seat(hero.seat))
    )
    return Picker("castle-yous", tuple(taps), columns=2)


# --- set-up ---


def _setup(state: State) -> Iterator[Piece]:
    for seat in state.table.seats:
        characters = Picker(f"characters-{seat.id}", tuple(_characters(state, seat)), columns=2)
        yield Tray(f"picker-{seat.id}", f"{seat.name} plays", (characters,), seat, stays=True)
    team = [(each, sum(hero.character.value(each.id) for hero in state.party)) for each in box.TRAITS]
    yield Chips(
        "castle-team", tuple(Tap(f"{each.name} {value}", mark=each.id) for each, value in team), "The team"
    )
    if hint := _lopsided({each.name: value for each, value in team}, len(state.party)):
        yield Note("castle-hint", hint, "warn")
    yield ticks(state.ticked, checklist(state.table))


def _characters(state: State, seat: Seat) -> Iterator[Tap]:
    for each in box.CHARACTERS:
        args: dict[str, str | int] = {"seat": seat.id, "hero": each.id}
        values = " · ".join(f"{trait.name} {value}" for trait, value in each.values)
        owner = next((hero.seat for hero in state.party if hero.id == each.id), 0)
        mine, taken = owner == seat.id, state.table.seat(owner).name if owner and owner != seat.id else ""
        do = Do("drop_character" if mine else "choose_character", args)
        yield Tap(
            each.name,
            do,
            values,
            on=mine,
            why_not=taken and f"{taken} plays it",
            mark=f"die-{each.id}",
            id=f"choose-{seat.id}-{each.id}",
        )


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
    counters = tuple(_health(state, seat, hero, place) for place, hero in enumerate(heroes, 1))
    notes = tuple(note for hero in heroes for note in _notes(state, hero))
    hands = tuple(_hands(state, hero) for hero in heroes) if playing(state) else ()
    return SeatView(seat, counters, notes, pieces=hands)


def _health(state: State, seat: Seat, hero: Hero, place: int) -> Counter:
    return Counter(
        f"counter-{seat.id}-{place}",
        f"{hero.name}, health" if state.quota > 1 else "health",
        hero.health,
        Do("change_health", {"seat": seat.id, "hero": hero.id}),
        f"of {state.cap}",
    )


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
    traits = (Tap(f"{trait.name} {n}", mark=trait.id, short=str(n)) for trait, n in hero.character.values)
    chips = (
        *((Tap(hero.name),) if state.quota > 1 else ()),
        *traits,
        *(_item(state, each) for each in held),
        *((Tap("more than two hands can hold", tone="bad"),) if free < 0 else ()),
        *((Tap(counted(free, "free hand")),) if free > 0 else ()),
    )
    return Chips(f"hands-{hero.id}", chips, f"In the hands of {state.named(hero.id)}")


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
        shuffle = Tap(
            "Shuffle it into a new deck",
            Do("reshuffle_items"),
            confirm="Shuffle the discard pile into a new deck?",
        )
        items = Picker("pile-items", tuple(_item(state, each) for each in pile), columns=2)
        yield Fold("castle-pile", f"Discard pile: {len(pile)}", (items, Bar("pile-taps", (shuffle,))))


def _item(state: State, item: Item) -> Tap:
    two = "two hands" if item.hands == 2 else ""
    kind = "" if item.place in (hero.id for hero in state.party) else item.kind
    opens = f"item-{item.id}" if playing(state) and movable(state, item) else ""
    return Tap(
        item.name,
        detail=", ".join(filter(None, (kind, two))),
        opens=opens,
        id=f"item-{item.id}-tap",
        shows="item",
    )


def _pool(state: State) -> Panel:
    lying = tuple(_item(state, each) for each in state.held(TABLE))
    items = Picker("pool-items", lying, columns=2) if lying else Note("pool-items", "no items")
    draw = Tap("Draw an item", opens="draw", strong=bool(state.owed) and not state.fight)
    tags = (f"{state.owed} to draw",) if state.owed else ()
    return Panel("castle-pool", (items, Bar("pool-taps", (draw,))), "On the table", tags=tags)


KNOWN = Tray(
    "draw",
    "Which item is it?",
    (
        Bar("draw-another", (Tap("Another name", opens="another-item", mark="edit"),)),
        Picker(
            "draw-known",
            tuple(
                Tap(
                    each.name,
                    Do("draw_item", {"name": each.name}),
                    f"{each.kind}{', two hands' if each.hands == 2 else ''}",
                )
                for each in box.ITEMS
            ),
            columns=2,
        ),
    ),
)
WHICH_TEST = Tray(
    "tests",
    "A test of the castle",
    (Picker("tests-kinds", tuple(Tap(title, opens=f"test-{kind}") for kind, title in TESTS), columns=3),),
    text="What does the card ask for: one roll each, so many successes in so many tries, or all together?",
)
