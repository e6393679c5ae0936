"""What is asked in a sheet: the Challenges of the tile, and what the table wants to put right."""

from __future__ import annotations

from companion.core import Do, Field, Form, Seat
from companion.games.mountains_of_madness.challenges import KINDS
from companion.games.mountains_of_madness.state import PLACES, RELIC_KINDS, SPACES, State


def forms(state: State) -> tuple[Form, ...]:
    if state.stage == "setup":
        return ()
    return (
        *_challenges(state),
        _tokens(state),
        _injuries(state),
        _cards(state),
        _plane(state),
        *(_seat(state, seat) for seat in state.table.seats),
    )


def _challenges(state: State) -> tuple[Form, ...]:
    if state.stage not in ("encounter", "resolution") or state.now.met is not None:
        return ()
    kinds = tuple(KINDS.items())
    first, second = state.now.challenges
    return (
        Form(
            "challenges",
            "What the tile asks for",
            Do("read_challenges", {"turn": state.turn}),
            (
                Field("first_kind", "First Challenge", first.kind if first else "tools", "choice", kinds),
                Field("first", "Value: 14, 11-13, or 10 or 12", first.value if first else ""),
                Field(
                    "second_kind", "Second Challenge", second.kind if second else "weapons", "choice", kinds
                ),
                Field("second", "Value", second.value if second else ""),
            ),
            "Write them down",
        ),
    )


def _number(name: str, label: str, value: int) -> Field:
    return Field(name, label, str(value), "number")


def _tokens(state: State) -> Form:
    tokens = state.tokens
    return Form(
        "tokens",
        "Leadership tokens",
        Do("put_tokens"),
        (
            _number("sled", "On the sled", tokens.sled),
            _number("discard", "In the discard", tokens.discard),
            _number("box", "In the box", tokens.box),
        ),
        "Put it right",
    )


def _injuries(state: State) -> Form:
    injuries = state.injuries
    return Form(
        "injuries",
        "Where the 15 Injuries are",
        Do("put_injuries"),
        (
            _number("supply", "Injury deck", injuries.supply),
            _number("deck", "Equipment deck", injuries.deck),
            _number("discard", "Equipment discard", injuries.discard),
            _number("hands", "In hands", injuries.hands),
        ),
        "Put it right",
    )


def _cards(state: State) -> Form:
    cards = state.cards
    return Form(
        "cards",
        "Cards, Injuries included",
        Do("put_cards"),
        (
            _number("deck", "Equipment deck", cards.deck),
            _number("discard", "Equipment discard", cards.discard),
            _number("hands", "In all hands", cards.hands),
        ),
        "Put it right",
    )


def _plane(state: State) -> Form:
    places = tuple((id, name[0].upper() + name[1:]) for id, name in PLACES.items())
    place = Field("place", "The airplane is at", state.place or "coast", "choice", places)
    return Form("plane", "Where the airplane is", Do("put_plane"), (place,), "Put it right")


def _seat(state: State, seat: Seat) -> Form:
    relics, covered = state.relics.get(seat.id, ()), state.covered.get(seat.id, ())
    answers = (("no", "open"), ("yes", "covered by a Relic token"))
    return Form(
        f"seat-{seat.id}",
        f"{seat.name}: put it right",
        Do("put_seat", {"seat": seat.id}),
        (
            Field(
                "level", "Madness level", str(state.level(seat.id)), "choice", tuple((n, n) for n in "0123")
            ),
            *(_number(kind, f"{name} Relics", relics.count(kind)) for kind, name in RELIC_KINDS.items()),
            *(
                Field(space, f"Space “{what}”", "yes" if space in covered else "no", "choice", answers)
                for space, what in SPACES.items()
            ),
        ),
        "Put it right",
    )
