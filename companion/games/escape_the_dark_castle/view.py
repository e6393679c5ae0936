"""What everybody sees: nothing in this castle is secret once it is tapped."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.core import Button, Counter, Do, Phase, Seat, SeatView, Tick, View
from companion.core.text import listed
from companion.games.escape_the_dark_castle.adjudication import adjudicate
from companion.games.escape_the_dark_castle.box import (
    BOSS,
    BOSSES,
    CHARACTERS,
    HANDS,
    ITEMS,
    TRAITS,
    Character,
    Known,
    Trait,
)
from companion.games.escape_the_dark_castle.events import chapter_name
from companion.games.escape_the_dark_castle.fight_view import FightView, fight_view, settle_button
from companion.games.escape_the_dark_castle.forms import forms
from companion.games.escape_the_dark_castle.path import Path, path
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Hero, Item, Stage, State, checklist
from companion.games.escape_the_dark_castle.trial_view import TrialView, count_button, trial_view

LOW = 4  # health that should worry a table


@dataclass(frozen=True)
class Choosable:
    """A character in a seat's picker."""

    character: Character
    do: Do | None
    chosen: bool
    taken: str


@dataclass(frozen=True)
class Picker:
    seat: Seat
    needed: int
    characters: tuple[Choosable, ...]


@dataclass(frozen=True)
class ItemView:
    item: Item
    movable: bool  # there is a sheet that says where to


@dataclass(frozen=True)
class HeroView:
    hero: Hero
    counter: Counter
    whom: str
    you: bool
    cap: int
    low: bool
    dead: bool
    items: tuple[ItemView, ...]
    free: int  # hands
    over: bool


@dataclass(frozen=True)
class CastleSeat(SeatView):
    heroes: tuple[HeroView, ...] = ()
    quota: int = 1


@dataclass(frozen=True)
class You:
    """One of those who may turn the next card."""

    hero: Hero
    seat: Seat
    label: str
    chosen: bool
    do: Do


@dataclass(frozen=True)
class CastleView(View):
    stage: Stage = "setup"
    final: bool = False
    ticks: tuple[Tick, ...] = ()
    pickers: tuple[Picker, ...] = ()
    team: tuple[tuple[Trait, int], ...] = ()
    hint: str = ""
    path: Path | None = None
    yous: tuple[You, ...] = ()
    you: str = ""  # who turned the open card
    fight: FightView | None = None
    trial: TrialView | None = None
    pool: tuple[ItemView, ...] = ()
    pile: tuple[ItemView, ...] = ()
    known: tuple[Known, ...] = ()
    owed: int = 0
    drawing: bool = False
    testing: bool = False  # a card lies open that may ask for a test
    bosses: tuple[str, ...] = ()


def view(state: State, seat: int | None) -> CastleView:
    final = adjudicate(state).final
    asked = forms(state)
    movable = {form.id for form in asked}
    playing = bool(state.begun) and not final
    return CastleView(
        phase=replace(_phase(state, final), key=_key(state, final)),
        seats=tuple(_seat(state, each, movable) for each in state.table.seats),
        forms=asked,
        stage=state.stage,
        final=final,
        ticks=_ticks(state),
        pickers=_pickers(state),
        team=_team(state),
        hint=_lopsided(state),
        path=path(state) if state.begun else None,
        yous=_yous(state) if playing and state.stage == "between" else (),
        you=_you(state) if state.stage == "chapter" else "",
        fight=fight_view(state, state.fight) if state.fight and not final else None,
        trial=trial_view(state, state.trial) if state.trial and not final else None,
        pool=_items(state, TABLE, movable),
        pile=_items(state, PILE, movable),
        known=ITEMS if playing else (),
        owed=state.owed if playing else 0,
        drawing=playing and not (state.chapter == BOSS and state.won_fights),
        testing=playing and state.stage == "chapter" and not state.fight and not state.trial,
        bosses=BOSSES if playing and state.chapter == BOSS and BOSS not in state.notes else (),
    )


# --- what to do now ---


def _key(state: State, final: bool) -> str:
    """What the rulings call this part of the game."""
    if final:
        return "over"
    if state.fight:
        return "fight"
    return "castle" if state.stage == "between" else state.stage


def _phase(state: State, final: bool) -> Phase:
    if final:
        return Phase(adjudicate(state).summary, "A slip? Undo it.")
    if state.stage == "setup":
        ready = len(state.party) == state.quota * len(state.table.seats)
        begin = Button("Into the castle", Do("begin_escape"), strong=ready)
        each = "two characters" if state.quota > 1 else "a character each"
        return Phase("Set up", f"Choose {each}, and tick off what is ready.", (begin,))
    if state.stage == "between":
        return _between(state)
    number, name = state.chapter, chapter_name(state.chapter).capitalize()
    if state.fight and not state.fight.round:
        join = Button("To the fight", Do("join_fight"), strong=bool(state.fight.dice))
        return Phase(f"{name}: lay out the dice", "Tap the symbols as they stand on the card.", (join,))
    if state.fight:
        return Phase(f"{name}: round {state.fight.round}", "", (settle_button(state.fight),))
    if state.trial and not state.trial.ended:
        return Phase(f"{name}: a test", "", (count_button(state.trial),))
    boss = number == BOSS
    fought = state.won_fights > 0
    done = Button(
        ("We are free" if fought else "Boss beaten") if boss else "Chapter done",
        Do("finish_chapter", {"number": number}),
        strong=not boss or fought,
        confirm="Is the boss beaten, and is everyone alive? Then you are free."
        if boss and not fought
        else "",
    )
    fight = Button(
        "Fight again" if fought else "Fight",
        Do("begin_fight", {"number": number}),
        strong=boss and not fought,
    )
    text = f"{_you(state)} is “you” on the card. Read it: a fight, a test, or health and items here."
    if fought and boss:
        text = "Beaten, and everyone is alive. Does the card ask for nothing more? Then you are out."
    elif fought:
        text = "The enemy is beaten. " + (
            "Draw one item for the group." if state.owed else "Read on, or go on."
        )
    return Phase(name, text, (done, fight))


def _between(state: State) -> Phase:
    ahead = state.chapter + 1
    name = chapter_name(ahead)
    left = [item.name for item in state.held(TABLE)]
    ask = []
    if left:
        ask.append(f"{listed(left)} will be left behind.")
    if state.owed:
        ask.append(f"{state.owed} {'item is' if state.owed == 1 else 'items are'} still to be drawn.")
    turn = Button(
        f"Turn {name}",
        Do("turn_card", {"number": ahead}),
        strong=bool(state.you),
        confirm=f"{' '.join(ask)} Turn the card all the same?" if ask else "",
    )
    more = f"{state.owed} item{'s' if state.owed > 1 else ''} to draw and share out. " if state.owed else ""
    return Phase(
        "The Start card" if not state.chapter else f"Before {name}",
        f"{more}Trade if you like, then choose who turns the card.",
        (turn,),
    )


def _you(state: State) -> str:
    hero = state.hero(state.chapters[-1].you)
    return f"{state.table.seat(hero.seat).name} the {hero.name}"


def _yous(state: State) -> tuple[You, ...]:
    return tuple(
        You(
            hero,
            state.table.seat(hero.seat),
            hero.name if state.quota > 1 else state.table.seat(hero.seat).name,
            state.you == hero.id,
            Do("choose_you", {"seat": hero.seat, "hero": hero.id}),
        )
        for hero in state.heroes
    )


# --- set-up ---


def _ticks(state: State) -> tuple[Tick, ...]:
    if state.begun:
        return ()
    return tuple(
        Tick(
            label,
            Do("tick", {"item": item, "done": "no" if item in state.ticked else "yes"}),
            item in state.ticked,
        )
        for item, label in checklist(state.table)
    )


def _pickers(state: State) -> tuple[Picker, ...]:
    if state.begun:
        return ()
    return tuple(
        Picker(
            seat,
            state.quota - len(state.of(seat.id)),
            tuple(_choosable(state, seat, each) for each in CHARACTERS),
        )
        for seat in state.table.seats
    )


def _choosable(state: State, seat: Seat, each: Character) -> Choosable:
    args: dict[str, str | int] = {"seat": seat.id, "hero": each.id}
    owner = next((hero for hero in state.party if hero.id == each.id), None)
    if owner is None:
        return Choosable(each, Do("choose_character", args), False, "")
    if owner.seat == seat.id:
        return Choosable(each, Do("drop_character", args), True, "")
    return Choosable(each, None, False, state.table.seat(owner.seat).name)


def _team(state: State) -> tuple[tuple[Trait, int], ...]:
    return tuple((each, sum(hero.character.value(each.id) for hero in state.party)) for each in TRAITS)


def _lopsided(state: State) -> str:
    """A team with twice as much of one trait as of another will miss it."""
    if len(state.party) < 2 or state.begun:
        return ""
    values = {each.name: value for each, value in _team(state)}
    most, least = max(values.values()), min(values.values())
    if least * 2 > most:
        return ""
    weak = listed([name for name, value in values.items() if value == least])
    strong = listed([name for name, value in values.items() if value == most])
    return f"Lopsided: much {strong}, little {weak}. A balanced team gets further."


# --- characters and items ---


def _seat(state: State, seat: Seat, movable: set[str]) -> CastleSeat:
    heroes = tuple(
        _hero(state, seat, hero, place, movable) for place, hero in enumerate(state.of(seat.id), 1)
    )
    counters = tuple(each.counter for each in heroes) if state.begun else ()
    return CastleSeat(seat, counters, heroes=heroes, quota=state.quota)


def _hero(state: State, seat: Seat, hero: Hero, place: int, movable: set[str]) -> HeroView:
    open_card = state.chapters[-1].you if state.stage == "chapter" else state.you
    full = state.hands(hero.id)
    return HeroView(
        hero=hero,
        counter=Counter(
            id=f"counter-{seat.id}-{place}",
            label="health",
            value=hero.health,
            do=Do("change_health", {"seat": seat.id, "hero": hero.id}),
        ),
        whom=f"{seat.name} the {hero.name}",
        you=open_card == hero.id,
        cap=state.cap,
        low=0 < hero.health <= LOW,
        dead=hero.id in state.fallen,
        items=_items(state, hero.id, movable),
        free=max(0, HANDS - full),
        over=full > HANDS,
    )


def _items(state: State, place: str, movable: set[str]) -> tuple[ItemView, ...]:
    return tuple(ItemView(item, f"item-{item.id}" in movable) for item in state.held(place))
