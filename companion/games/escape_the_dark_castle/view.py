"""What everybody sees: nothing in this castle is secret once it is tapped."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

from companion.core import Form, Forms, Phase, Seat, SeatView, Tray, View, kept_but_for, load, picks, replace
from companion.core.checklist import checklist as ticks
from companion.core.forms import Blanks, asks_choice, asks_text
from companion.core.pieces import Bar, Chips, Counter, Do, Fold, Note, Panel, Picker, Piece, Stage, Steps, Tap
from companion.core.sentences import sentence
from companion.core.text import capital, counted, listed
from companion.games.escape_the_dark_castle import adjudication, box, castle, fight_view, items, trial_view
from companion.games.escape_the_dark_castle.box import BOSS, CHAPTERS, chapter_name
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Hero, Item, State
from companion.games.escape_the_dark_castle.throws import Fight

How = Literal["done", "now", "next"]
MOMENTS = {each.step: each for each in load(__package__, "moments.toml", Phase)}
LOW = 4  # health that should worry a table
MINUTE = 60_000
HURT_ALL = Bar("castle-all", tuple(Tap(f"Everyone −{n}", Do("hurt_all", {"damage": n})) for n in (1, 2)))
SHUFFLE = Tap("Shuffle it into a new deck", Do("reshuffle_items"), confirm="Shuffle the discard pile?")
OFFERED = (("", "something else"), *((each.id, each.words) for each in box.EFFECTS if each.offered))
HANDS = (("1", "one hand"), ("2", "two hands"))
blanks = Blanks(__package__)


def view(state: State) -> View:
    around, rolling = _around(state), state.fight or state.trial
    if around.phase.final or not rolling:
        return around
    if isinstance(rolling, Fight):
        first, go = fight_view.fight_board(state, rolling, around), fight_view.settle(state, rolling)
    else:
        first, go = trial_view.trial_board(state, rolling), trial_view.count_tap(state, rolling)
    phase = around.phase if around.phase.pieces else replace(around.phase, pieces=(Bar("castle-go", (go,)),))
    forms = Forms(lambda: _forms(state), listed=False)  # a roll changes what items do
    return View(phase, around.seats, (), forms, (*first, *around.board), around.in_play)


def _but_the_dice(state: State) -> tuple[object, ...]:
    fight, trial = state.fight, state.trial
    return (fight.round, not fight.dice, fight.rests) if fight else (trial.ended,) if trial else ()


@kept_but_for(State, "table", "fight", "trial", also=_but_the_dice)
def _around(state: State) -> View:
    """All that the dice of a fight or a test do not change."""
    seats = tuple(_seat(state, each) for each in state.table.seats)
    board = tuple(_castle(state) if state.begun else _setup(state))
    forms = Forms(lambda: _forms(state), listed=False)
    if (verdict := adjudication.adjudicate(state)).final:
        over = Phase(verdict.summary, "A slip? Undo it.", key="over", step=verdict.outcome, final=True)
        return View(over, seats, (), forms, board)
    return View(_phase(state), seats, (), forms, board, state.in_play)


def _forms(state: State) -> Iterator[Form]:
    for number in range(state.chapter + 1) if state.begun else ():
        note, args = state.notes.get(number, ""), {"number": number}
        away = (Tap("Take the note away", Do("clear_note", args)),) if note else ()
        yield blanks(number, args, {"chapter": chapter_name(number)}, "note", (), away, note=asks_text(note))
    if not state.playing:
        return
    for item in state.items:
        taps = tuple(_all_of(state, item))
        if taps and taps[0].do:  # the likeliest is the big button: what it does now, or else where it goes
            what = f"{item.name} ({_about(item)})" if _about(item) else item.name
            yield Form(f"item-{item.id}", what, taps[0].do, (), taps[0].label, taps[1:], listed=False)
    whose = {hero.id: f"for {state.who(hero.id)}" for hero in state.heroes}
    for to, whom in {TABLE: "to the table", **whose}.items():
        dos = [(each, Do("draw_item", {"to": to, "name": each.name})) for each in box.ITEMS]
        known = tuple(Tap(each.name, do, _about(each)) for each, do in dos)
        pieces, another = (Picker(f"known-{to}", known, columns=2),), asks_choice(OFFERED)
        other = {"name": asks_text(), "hands": asks_choice(HANDS), "effect": another}
        yield blanks(to, {"to": to}, {"whom": whom}, "draw", pieces, **other)


def _phase(state: State) -> Phase:
    moment, fight = MOMENTS[_moment(state)], state.fight
    title, text = (sentence(words)(state, state) for words in (moment.title, moment.text))
    first, done, stages = list[Piece](), state.done, []
    for number in range(1, BOSS + 1) if state.begun else ():
        how: How = "done" if number <= done else "now" if number == state.chapter else "next"
        stages.append(Stage("Boss" if number == BOSS else "", how, title=capital(chapter_name(number))))
    if stages:
        spoken = f"{min(done, CHAPTERS)} of {CHAPTERS} chapters done, then the boss"
        first.append(Steps("castle-steps", spoken, tuple(stages)))
    if state.playing and state.chapter == BOSS and BOSS not in state.notes:
        bosses = picks(Do("note_chapter", {"number": BOSS}), "note", {each: each for each in box.BOSS_CARDS})
        first.append(Picker("castle-bosses", bosses, "Which boss is it?", "rows"))
    if moment.key == "chapter" and moment.step != "test":
        first.append(HURT_ALL)
    step, taps = f"round-{fight.round}" if fight else "", _next(state, moment.step)
    step += "-own-dice" if state.own_dice else ""  # their faces come into view
    go = (Bar("castle-go", taps),) if taps else ()
    return Phase(capital(title), text, (), moment.key, go, tuple(first), step)


def _moment(state: State) -> str:
    if state.fight:
        return "round" if state.fight.round else "laying"
    if state.stage == "between":
        return "between" if state.chapter else "start"
    if state.trial and not state.trial.ended:
        return "test"
    return (
        "beaten" if state.won_fights and state.chapter == BOSS else "won" if state.won_fights else state.stage
    )


def _of(state: State, hero: Hero, label: str, **more: Any) -> Tap:
    """Under this one's token and name."""
    who = state.short(hero)
    return Tap(label.format(who), seat=state.seat(hero), short=who, **more)


def _next(state: State, moment: str) -> tuple[Tap, ...]:
    """Who turns the card is “you” on it; choosing and turning are one tap."""
    if moment == "setup":
        ready = len(state.party) == state.quota * len(state.table.seats)
        return (Tap("Into the castle", Do("begin_escape"), strong=ready),)
    if state.fight or moment == "test":
        join = Tap("To the fight", Do("join_fight"), strong=bool(state.fight and state.fight.dice))
        return (join,) if moment == "laying" else ()
    if state.stage == "between":
        ahead, turns = state.chapter + 1, f"{{}} turns {chapter_name(state.chapter + 1)}"
        dos = {hero: Do("turn_card", {"number": ahead, "hero": hero.id}) for hero in state.heroes}
        return tuple([_of(state, hero, turns, do=do, id=f"turn-{hero.id}") for hero, do in dos.items()])
    number, fought, boss = {"number": state.chapter}, state.won_fights > 0, state.chapter == BOSS
    unbeaten = boss and not fought
    label = "Boss beaten" if unbeaten else "We are free" if boss else "Chapter done"
    sure = "Is the boss beaten, and is everyone alive? Then you are free." if unbeaten else ""
    done = Tap(label, Do("finish_chapter", number), strong=not unbeaten, confirm=sure)
    fight = Tap("Fight again" if fought else "Fight", Do("begin_fight", number), strong=unbeaten)
    return (fight, done) if state.trial else (Tap("Test", opens="tests"), fight, done)


def _setup(state: State) -> Iterator[Piece]:
    owners = {hero.id: state.seat(hero) for hero in state.party}
    for seat in state.table.seats:
        taps = []
        for each in box.CHARACTERS:
            owner, mark, id = owners.get(each.id), f"die-{each.id}", f"choose-{seat.id}-{each.id}"
            values, on = " · ".join(f"{trait.name} {value}" for trait, value in each.values), owner == seat
            do = Hero(each.id, seat.id).does("drop_character" if on else "choose_character")
            why_not = f"{owner.name} plays it" if owner and not on else ""
            taps.append(Tap(each.name, do, values, on=on, why_not=why_not, mark=mark, id=id))
        characters = Picker(f"characters-{seat.id}", tuple(taps), columns=2)
        yield Tray(f"picker-{seat.id}", f"{seat.name} plays", (characters,), seat, stays=True)
    team = {each: sum(hero.character.value(each.id) for hero in state.party) for each in box.TRAITS}
    chips = tuple(Tap(f"{each.name} {value}", mark=each.id) for each, value in team.items())
    yield Chips("castle-team", chips, "The team")
    much, little = max(team.values()), min(team.values())
    if len(state.party) > 1 and little * 2 <= much:  # a trait of which there is half as much will be missed
        strong, weak = (listed([each.name for each in team if team[each] == n]) for n in (much, little))
        words = f"Lopsided: much {strong}, little {weak}. A balanced team gets further."
        yield Note("castle-hint", words, "warn")
    yield ticks(state.ticked, castle.checklist(state.table))


def _seat(state: State, seat: Seat) -> SeatView:
    heroes = state.of(seat.id)
    if not state.begun:
        names, lacks = " and ".join(hero.name for hero in heroes), len(heroes) < state.quota
        choose = Tap(names or "Choose a character", opens=f"picker-{seat.id}", strong=lacks, mark="edit")
        plays = Bar(f"plays-{seat.id}", (choose,))
        return SeatView(seat, notes=(names or "no character yet",), pieces=(plays,))
    counters, notes, hands = [], [], []
    for n, hero in enumerate(heroes, 1):
        label, do = f"{hero.name}, health" if state.quota > 1 else "health", hero.does("change_health")
        id, cap = f"counter-{seat.id}-{n}", state.cap
        counters.append(Counter(id, label, hero.health, do, f"of {cap}", most=cap))
        marks = {"YOU": state.you == hero.id, "dead": hero.id in state.fallen, "weak": 0 < hero.health <= LOW}
        notes += [hero.name, *(word for word, it_is_so in marks.items() if it_is_so)]
        free, chips = box.HANDS - state.hands(hero.id), [Tap(hero.name)] if state.quota > 1 else []
        chips += [Tap(f"{each.name} {n}", mark=each.id, short=str(n)) for each, n in hero.character.values]
        chips += [_item(state, each) for each in state.held(hero.id)]
        chips += [Tap(counted(free, "free hand"))] if free > 0 else []
        chips += [Tap("more than two hands can hold", tone="bad")] if free < 0 else []
        hands.append(Chips(f"hands-{hero.id}", tuple(chips), f"In the hands of {state.named(hero.id)}"))
    held = tuple(hands) if state.playing else ()
    return SeatView(seat, tuple(counters), tuple(notes), pieces=held)


def _item(state: State, item: Item) -> Tap:
    opens = f"item-{item.id}" if state.playing and any(_all_of(state, item)) else ""
    return Tap(item.name, detail=_about(item), opens=opens, id=f"item-{item.id}-tap", shows="item")


def _about(item: Item | box.Known) -> str:
    words = box.effect(item.effect).words if item.effect else item.kind
    return ", ".join(filter(None, (words, "two hands" if item.hands == 2 else "")))


def _all_of(state: State, item: Item) -> Iterator[Tap]:
    """What can be done with it now, and where it can go."""
    for words, args in items.uses(state, item):
        yield Tap(words, Do("use_item", {"item": item.id, **args}))
    gets = "gets it" if item.held else "takes it"
    places = {PILE: "Used up or not wanted: discard"} if item.held else {}
    places |= {TABLE: "Put it on the table"}
    places |= {hero.id: f"{capital(state.who(hero.id))} {gets}" for hero in state.heroes}
    places |= {PILE: "Discard it"} if item.place == TABLE else {}
    able = [to for to in places if to != item.place and not items.locked(state, item, to)]
    yield from picks(Do("move_item", {"item": item.id}), "to", {to: places[to] for to in able})


def _castle(state: State) -> Iterator[Piece]:
    still, boss = state.playing, state.chapter == BOSS
    if still and not (boss and state.won_fights):
        lying = tuple(_item(state, each) for each in state.held(TABLE))
        items = (Picker("pool-items", lying, columns=2),) if lying else ()
        of, owed = partial(_of, state, label="Draw for {}"), bool(state.owed) and not state.fight
        draws = [of(hero, opens=f"draw-{hero.id}", strong=owed) for hero in state.heroes]
        draws.append(Tap("Draw to the table", opens="draw-table", short="the table"))
        pieces, tags = (*items, Bar("pool-taps", tuple(draws))), (f"{state.owed} to draw",) * bool(state.owed)
        only: Literal["players", ""] = "" if lying or tags else "players"  # nothing that a display could show
        yield Panel("castle-pool", pieces, "Draw an item for", tags=tags, only=only)
    if still and state.stage == "chapter" and not state.fight and not state.trial:
        yield trial_view.which_test(state)
    turned = []  # each can be noted on
    for each in reversed(state.chapters):
        minutes = _minutes((each.done - each.turned) / MINUTE) if each.done else "open"
        name, note = capital(chapter_name(each.number).removeprefix("the ")), state.notes.get(each.number)
        detail = f"{state.short(state.hero(each.you))}, {minutes}{f': {note}' if note else ''}"
        opens, id = f"note-{each.number}", f"way-{each.number}"
        turned.append(Tap(name, detail=detail, mark="" if note else "edit", opens=opens, id=id))
    none = Note("castle-turned", "No card is turned yet.")
    rows = Picker("castle-turned", tuple(turned), look="rows") if turned else none
    yield Fold("castle-way", "The way so far", (Note("castle-pace", _pace(state)), rows))
    if gone := tuple(_item(state, each) for each in state.held(PILE)):
        pieces = Picker("pile-items", gone, columns=2), Bar("pile-taps", (SHUFFLE,))
        yield Fold("castle-pile", f"Discard pile: {len(gone)}", pieces)


def _pace(state: State) -> str:
    """Minutes and health for each chapter so far, and what that means for the rest."""
    done = state.done
    words = [f"{min(done, CHAPTERS)} of {CHAPTERS} chapters"]
    if done:
        last, total = state.chapters[done - 1], sum(hero.health for hero in state.party)
        each = (last.done - state.begun) / MINUTE / done
        lost, ahead = (state.cap * len(state.party) - last.health) / done, each * (CHAPTERS - done)
        words += [f"{_minutes(each)} a chapter"]
        words += [f"{lost:.1f} health a chapter, {total} left"] * (lost > 0)
        words += [f"about {_minutes(ahead)} to the boss"] * (ahead >= 1)
    return " · ".join(words)


def _minutes(minutes: float) -> str:
    return "under 1 min" if minutes < 1 else f"{round(minutes)} min"
