"""What is asked in a sheet: the Challenges of the tile, and what the table wants to put right."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Do, Field, Form, Forms, Seat
from companion.core.memo import kept_while
from companion.core.text import capital
from companion.games.mountains_of_madness.challenges import KINDS
from companion.games.mountains_of_madness.state import LEVELS, PLACES, RELIC_KINDS, SPACES, State

ANSWERS = (("no", "open"), ("yes", "covered by a Relic token"))
CHOICES = tuple((str(level), str(level)) for level in range(LEVELS + 1))
WHERE = tuple((id, capital(name)) for id, name in PLACES.items())


def _what_they_ask(state: State) -> tuple[object, ...]:
    return (
        *(state.table.seats, state.stage, state.turn, state.now.challenges, state.now.met, state.place),
        *(state.tokens, state.injuries, state.cards, state.levels, state.relics, state.covered),
    )


@kept_while(_what_they_ask)
def forms(state: State) -> Forms:
    return Forms(lambda: _forms(state))


def _forms(state: State) -> Iterator[Form]:
    if state.stage == "setup":
        return
    if state.stage in ("encounter", "resolution") and state.now.met is None:
        yield _challenges(state)
    tokens, injuries, cards = state.tokens, state.injuries, state.cards
    yield _put_right(
        "tokens",
        "Leadership tokens",
        _number("sled", "On the sled", tokens.sled),
        _number("discard", "In the discard", tokens.discard),
        _number("box", "In the box", tokens.box),
    )
    yield _put_right(
        "injuries",
        "Where the 15 Injuries are",
        _number("supply", "Injury deck", injuries.supply),
        _number("deck", "Equipment deck", injuries.deck),
        _number("discard", "Equipment discard", injuries.discard),
        _number("hands", "In hands", injuries.hands),
    )
    yield _put_right(
        "cards",
        "Cards, Injuries included",
        _number("deck", "Equipment deck", cards.deck),
        _number("discard", "Equipment discard", cards.discard),
        _number("hands", "In all hands", cards.hands),
    )
    place = Field("place", "The airplane is at", state.place or "coast", "choice", WHERE)
    yield _put_right("plane", "Where the airplane is", place)
    yield from [_seat(state, seat) for seat in state.table.seats]


def _challenges(state: State) -> Form:
    kinds, (first, second) = tuple(KINDS.items()), state.now.challenges
    fields = (
        Field("first_kind", "First Challenge", first.kind if first else "tools", "choice", kinds),
        Field("first", "Value: 14, 11-13, or 10 or 12", first.value if first else ""),
        Field("second_kind", "Second Challenge", second.kind if second else "weapons", "choice", kinds),
        Field("second", "Value", second.value if second else ""),
    )
    do = Do("read_challenges", {"turn": state.turn})
    return Form("challenges", "What the tile asks for", do, fields, "Write them down", listed=False)


def _put_right(what: str, title: str, *fields: Field) -> Form:
    return Form(what, title, Do(f"put_{what}"), fields, "Put it right", listed=False)


def _number(name: str, label: str, value: int) -> Field:
    return Field(name, label, str(value), "number")


def _seat(state: State, seat: Seat) -> Form:
    relics, covered = state.relics.get(seat.id, ()), state.covered.get(seat.id, ())
    fields = (
        Field("level", "Madness level", str(state.level(seat.id)), "choice", CHOICES),
        *[_number(kind, f"{name} Relics", relics.count(kind)) for kind, name in RELIC_KINDS.items()],
        *[
            Field(space, f"Space “{what}”", "yes" if space in covered else "no", "choice", ANSWERS)
            for space, what in SPACES.items()
        ],
    )
    title, do = f"{seat.name}: put it right", Do("put_seat", {"seat": seat.id})
    return Form(f"seat-{seat.id}", title, do, fields, "Put it right", listed=False)
