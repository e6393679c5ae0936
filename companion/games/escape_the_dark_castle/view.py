"""What everybody sees: nothing in this castle is secret once it is tapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from companion.core import Counter, Do, Field, Form, Forms, Phase, Seat, SeatView, Tap, View
from companion.core import pieces as core
from companion.core.checklist import checklist as ticks
from companion.core.memo import kept_while
from companion.core.pieces import Bar, Chips, Fold, Note, Picker, Piece, Stage, Steps, Tray
from companion.core.text import capital, counted, listed
from companion.games.escape_the_dark_castle import box
from companion.games.escape_the_dark_castle.adjudication import adjudicate
from companion.games.escape_the_dark_castle.box import BOSS, CHAPTERS, chapter_name
from companion.games.escape_the_dark_castle.castle import checklist
from companion.games.escape_the_dark_castle.fight_view import fight_board, settle
from companion.games.escape_the_dark_castle.items import DRAW, item_forms, item_tap, pile, pool
from companion.games.escape_the_dark_castle.state import TABLE, Chapter, Hero, State
from companion.games.escape_the_dark_castle.testing import WHICH_TEST, count_tap, test_forms, trial_board

LOW = 4  # health that should worry a table
MINUTE = 60_000
TOO_MANY = Tap("more than two hands can hold", tone="bad")


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
    return View(Phase(""), seats, forms=Forms(lambda: _forms(state)), board=board)


def _forms(state: State) -> Iterator[Form]:
    if state.begun:
        yield from (_note(state, number) for number in range(state.chapter + 1))
    if state.playing:
        yield from item_forms(state)
    if state.playing and state.stage == "chapter":
        yield from test_forms(state)


# --- what to do now ---


def _phase(state: State) -> Phase:
    (title, text, taps), fight = _words(state), state.fight
    key = "fight" if fight else "castle" if state.stage == "between" else state.stage
    first: tuple[Piece, ...] = (_steps(state.done, state.chapter),) if state.begun else ()
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
    name = capital(chapter_name(state.chapter))
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
    name, left = chapter_name(ahead), [item.name for item in state.held(TABLE)]
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
    if state.chapter == BOSS:
        return "Beaten, and everyone is alive. Does the card ask for nothing more? Then you are out."
    return "The enemy is beaten. " + ("Draw one item for the group." if state.owed else "Read on, or go on.")


def _open_card(state: State) -> tuple[Tap, ...]:
    number, fought = {"number": state.chapter}, state.won_fights > 0
    unbeaten = state.chapter == BOSS and not fought
    label = "Boss beaten" if unbeaten else "We are free" if state.chapter == BOSS else "Chapter done"
    sure = "Is the boss beaten, and is everyone alive? Then you are free." if unbeaten else ""
    done = Tap(label, Do("finish_chapter", number), strong=not unbeaten, confirm=sure)
    fight = Tap("Fight again" if fought else "Fight", Do("begin_fight", number), strong=unbeaten)
    return (fight, done) if state.trial else (Tap("Test", opens="tests"), fight, done)


def _yous(state: State) -> Picker:
    """Who may turn the next card."""

    def tap(hero: Hero) -> Tap:
        seat, on, do = state.table.seat(hero.seat), state.you == hero.id, hero.does("choose_you")
        return Tap(state.short(hero.id), do, "YOU" if on else "", on=on, seat=seat, id=f"you-{hero.id}")

    return Picker("castle-yous", tuple(map(tap, state.heroes)), columns=2)


# --- set-up ---


def _setup(state: State) -> Iterator[Piece]:
    for seat in state.table.seats:
        characters = Picker(f"characters-{seat.id}", tuple(_characters(state, seat)), columns=2)
        yield Tray(f"picker-{seat.id}", f"{seat.name} plays", (characters,), seat, stays=True)
    team = {each: sum(hero.character.value(each.id) for hero in state.party) for each in box.TRAITS}
    values = tuple(Tap(f"{each.name} {value}", mark=each.id) for each, value in team.items())
    yield Chips("castle-team", values, "The team")
    much, little = max(team.values()), min(team.values())
    if len(state.party) > 1 and little * 2 <= much:  # a trait of which there is half as much will be missed
        strong, weak = (listed([each.name for each in team if team[each] == n]) for n in (much, little))
        lopsided = f"Lopsided: much {strong}, little {weak}. A balanced team gets further."
        yield Note("castle-hint", lopsided, "warn")
    yield ticks(state.ticked, checklist(state.table))


def _characters(state: State, seat: Seat) -> Iterator[Tap]:
    owners = {hero.id: state.table.seat(hero.seat) for hero in state.party}
    for each in box.CHARACTERS:
        owner, mark, id = owners.get(each.id), f"die-{each.id}", f"choose-{seat.id}-{each.id}"
        values, on = " · ".join(f"{trait.name} {value}" for trait, value in each.values), owner == seat
        do = Hero(each.id, seat.id).does("drop_character" if on else "choose_character")
        why_not = f"{owner.name} plays it" if owner and not on else ""
        yield Tap(each.name, do, values, on=on, why_not=why_not, mark=mark, id=id)


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
    hands = tuple(_hands(state, hero) for hero in heroes) if state.playing else ()
    return SeatView(seat, counters, notes, pieces=hands)


def _health(state: State, hero: Hero, id: str) -> Counter:
    label = f"{hero.name}, health" if state.quota > 1 else "health"
    return Counter(id, label, hero.health, hero.does("change_health"), f"of {state.cap}")


def _notes(state: State, hero: Hero) -> list[str]:
    you = state.chapters[-1].you if state.stage == "chapter" else state.you
    said = {"YOU": you == hero.id, "dead": hero.id in state.fallen, "weak": 0 < hero.health <= LOW}
    return [hero.name, *(word for word, it_is_so in said.items() if it_is_so)]


def _hands(state: State, hero: Hero) -> Chips:
    """What is in them, and the character's traits."""
    free = box.HANDS - state.hands(hero.id)
    chips = [Tap(hero.name)] if state.quota > 1 else []
    chips += [Tap(f"{each.name} {n}", mark=each.id, short=str(n)) for each, n in hero.character.values]
    chips += [item_tap(state, each) for each in state.held(hero.id)]
    if free:
        chips.append(Tap(counted(free, "free hand")) if free > 0 else TOO_MANY)
    return Chips(f"hands-{hero.id}", tuple(chips), f"In the hands of {state.named(hero.id)}")


# --- what lies around, and the way through the castle ---


def _castle(state: State) -> Iterator[Piece]:
    still, boss = state.playing, state.chapter == BOSS
    if still and not (boss and state.won_fights):
        yield from (pool(state), DRAW)
    if still and boss and BOSS not in state.notes:
        bosses = (Tap(each, Do("note_chapter", {"number": BOSS, "note": each})) for each in box.BOSS_CARDS)
        yield Picker("castle-bosses", tuple(bosses), "Which boss is it?", "rows")
    if still and state.stage == "chapter" and not state.fight and not state.trial:
        yield WHICH_TEST
    turned = tuple(_turned(state, each) for each in reversed(state.chapters))  # each can be noted on
    none = Note("castle-turned", "No card is turned yet.")
    rows = Picker("castle-turned", turned, look="rows") if turned else none
    yield Fold("castle-way", "The way so far", (Note("castle-pace", _pace(state)), rows))
    yield from pile(state)


@lru_cache(2 * BOSS)
def _steps(done: int, turned: int) -> Steps:
    stages = []
    for number in range(1, BOSS + 1):
        how: core.State = "done" if number <= done else "now" if number == turned else "next"
        stages.append(Stage("Boss" if number == BOSS else "", how, title=capital(chapter_name(number))))
    spoken = f"{min(done, CHAPTERS)} of {CHAPTERS} chapters done, then the boss"
    return Steps("castle-steps", spoken, tuple(stages))


def _pace(state: State) -> str:
    """Minutes and health for each chapter so far, and what that means for the rest."""
    done = state.done
    words = [f"{min(done, CHAPTERS)} of {CHAPTERS} chapters"]
    if done:
        last, total = state.chapters[done - 1], sum(hero.health for hero in state.party)
        each = (last.done - state.begun) / MINUTE / done
        lost = (state.cap * len(state.party) - last.health) / done
        words.append(f"{_minutes(each)} a chapter")
        if lost > 0:
            words.append(f"{lost:.1f} health a chapter, {total} left")
        if done < CHAPTERS and each * (CHAPTERS - done) >= 1:
            words.append(f"about {_minutes(each * (CHAPTERS - done))} to the boss")
    return " · ".join(words)


def _minutes(minutes: float) -> str:
    return "under 1 min" if minutes < 1 else f"{round(minutes)} min"


def _turned(state: State, each: Chapter) -> Tap:
    minutes = _minutes((each.done - each.turned) / MINUTE) if each.done else "open"
    name, note = "Boss" if each.number == BOSS else f"Chapter {each.number}", state.notes.get(each.number)
    said, mark = f"{state.short(each.you)}, {minutes}{f': {note}' if note else ''}", "" if note else "edit"
    return Tap(name, detail=said, mark=mark, opens=f"note-{each.number}", id=f"way-{each.number}")


def _note(state: State, number: int) -> Form:
    note, args = state.notes.get(number, ""), {"number": number}
    away = (Tap("Take the note away", Do("clear_note", args)),) if note else ()
    fields = (Field("note", "What happened, what to remember", note),)
    title, do = f"Note on {chapter_name(number)}", Do("note_chapter", args)
    return Form(f"note-{number}", title, do, fields, "Keep it", away, listed=False)
