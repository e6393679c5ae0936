"""What can be tapped now: set-up, Movement, Encounter, Draw and Rest."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core import Do, Seat
from companion.games.mountains_of_madness import consequences
from companion.games.mountains_of_madness.checklist import items
from companion.games.mountains_of_madness.commands.draw import no_rest_because, wanted
from companion.games.mountains_of_madness.consequences import Chain
from companion.games.mountains_of_madness.events import number
from companion.games.mountains_of_madness.house_rules import DRAW_TOKENS, HAND_RAISED, chose
from companion.games.mountains_of_madness.state import NEIGHBOURS, PLACES, WITH_SPACES, State
from companion.games.mountains_of_madness.tokens import why_not


@dataclass(frozen=True)
class Tap:
    """A button; with `why` it cannot be pressed, and says why."""

    label: str
    do: Do
    detail: str = ""
    why: str = ""
    mark: str = ""
    on: bool = False  # chosen
    seat: Seat | None = None
    confirm: str = ""


@dataclass(frozen=True)
class Use:
    """What this phase lets the Leader do with a token."""

    title: str
    taps: tuple[Tap, ...]
    why: str = ""


@dataclass(frozen=True)
class Pack:
    """What one player takes in the set-up; without a seat: what is prepared for all."""

    seat: Seat | None
    taps: tuple[Tap, ...]
    ready: int


@dataclass(frozen=True)
class Movement:
    moves: tuple[Tap, ...]
    ignore: Use
    flip: Tap | None


@dataclass(frozen=True)
class Act:
    """What one player's phone says while the sand runs."""

    seat: Seat
    level: int
    ignores: bool


@dataclass(frozen=True)
class Encounter:
    silent: bool
    flip: int
    cards: int
    card: Tap
    spoke: Tap
    early: Tap
    resolve: Tap
    again: Tap
    acts: tuple[Act, ...]


@dataclass(frozen=True)
class Draw:
    deal: Tap
    words: str
    short: str  # where the deck will not do
    lift: Use
    injury: Tap | None


@dataclass(frozen=True)
class Rest:
    chain: Chain
    rest: Tap
    end: Tap


def packs(state: State) -> tuple[Pack, ...]:
    return tuple(_pack(state, seat) for seat in (None, *state.table.seats))


def _pack(state: State, seat: Seat | None) -> Pack:
    mine = [each for each in items(state) if each.seat == (seat.id if seat else None)]
    taps = tuple(
        Tap(
            each.short,
            Do("tick", {"item": each.id, "done": "no" if each.id in state.ticked else "yes"}),
            each.text,
            on=each.id in state.ticked,
        )
        for each in mine
    )
    return Pack(seat, taps, sum(tap.on for tap in taps))


def leaders(state: State) -> tuple[Tap, ...]:
    """Whoever stood on a summit last leads first; only they know who that is."""
    return tuple(
        Tap(seat.name, Do("choose_starter", {"seat": seat.id}), seat=seat)
        for seat in state.table.seats
        if seat.id != state.table.starter
    )


def movement(state: State) -> Movement:
    turn = {"turn": state.turn}
    moves = []
    for place in () if state.now.moved else NEIGHBOURS[state.place]:
        name = PLACES[place]
        label = name[0].upper() + name[1:]
        moves.append(Tap(label, Do("move", {**turn, "to": place}), _move_words(place), mark=place))
        if place in WITH_SPACES and state.turn > 1:
            do = Do("move", {**turn, "to": place, "tile": "no"})
            moves.append(Tap(f"{label}, no tile", do, "no reward there", mark=place))
    ignore = Use(
        "Spend a token: somebody ignores their Madness this turn",
        tuple(
            Tap(
                seat.name,
                Do("ignore_madness", {**turn, "whom": seat.id}),
                f"level {state.level(seat.id)}",
                seat=seat,
            )
            for seat in state.table.seats
            if state.level(seat.id) and seat.id not in state.now.ignoring
        ),
        why_not(state, "movement"),
    )
    flip = Tap("Flip the sand timer", Do("flip", turn)) if state.now.moved else None
    return Movement(tuple(moves), ignore, flip)


def _move_words(place: str) -> str:
    if place == "edge":
        return "no way back down"
    return "" if place.startswith("escape") else "with its tile"


def encounter(state: State) -> Encounter:
    now = state.now
    turn = {"turn": state.turn}
    flip = {**turn, "flip": now.flips}
    return Encounter(
        silent=now.silent,
        flip=now.flips,
        cards=now.on_sled,
        card=Tap("Card on the sled", Do("card_on_sled", flip)),
        spoke=Tap("Someone spoke", Do("someone_spoke", {**turn, "owed": now.rolled})),
        early=Tap(
            "All cards are in",
            Do("resolve", {**turn, "early": "yes"}),
            confirm="Nobody wants to play another card? The sand still runs.",
        ),
        resolve=Tap(
            "Reveal the sled", Do("resolve", turn), why="First the penalty die." if now.penalties else ""
        ),
        again=Tap("Again: 30 more seconds", Do("again", flip), "costs a token", why_not(state, "encounter")),
        acts=tuple(Act(seat, state.level(seat.id), seat.id in now.ignoring) for seat in state.table.seats),
    )


def draw(state: State) -> Draw:
    turn = {"turn": state.turn}
    need, deck = wanted(state), state.cards.deck
    dealt = min(need, deck)
    short = ""
    if need > deck:
        short = (
            f"Only {number(deck, 'card')} left by our count: {state.name(state.leader)} says who gets them."
        )
    raised = {**turn, "raised": len(state.raised)}
    one = chose(state.table, HAND_RAISED) == "one"
    spent = "One token a turn." if state.raised and chose(state.table, DRAW_TOKENS) == "one" else ""
    taps = (
        tuple(
            Tap(seat.name, Do("raise_hand", {**raised, "whom": seat.id}), seat=seat)
            for seat in state.table.seats
        )
        if one
        else (Tap("Hand limit +1", Do("raise_hand", raised), "for everyone, until the next Draw phase"),)
    )
    return Draw(
        Tap("Cards are dealt", Do("deal", turn)),
        f"{number(dealt, 'card')} by our count; {deck - dealt} stay in the deck.",
        short,
        Use("Spend a token", taps, spent or why_not(state, "draw")),
        injury(state),
    )


def injury(state: State) -> Tap | None:
    if not state.injuries.deck:
        return None
    left = f"{state.injuries.deck} in the Equipment deck"
    return Tap("An Injury was dealt", Do("find_injury", {"turn": state.turn}), left)


def rest(state: State) -> Rest:
    turn = {"turn": state.turn}
    out = state.place == "escape-3"
    after = "the game ends" if out else f"the sled goes to {state.name(state.on_left())}"
    return Rest(
        consequences.rest(state) if not no_rest_because(state) else (),
        Tap("Rest", Do("rest", turn), f"then {after}", no_rest_because(state)),
        Tap("No rest", Do("end_turn", turn), after),
    )
