"""What the table forgot to tap, or mistapped, put right: counted anew in a sheet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, ClassVar

from pydantic import Field as Bounds

from companion.core import Choice, Context, Count, Do, Event, Field, Form, Refused, Seat, SeatId, Tap
from companion.core.pieces import Fold, Picker
from companion.core.text import capital, counted, listed
from companion.games.mountains_of_madness import box
from companion.games.mountains_of_madness.box import TOKENS
from companion.games.mountains_of_madness.state import Facts, State, YesOrNo

Token = Annotated[Count, Bounds(le=TOKENS)]
Injury = Annotated[Count, Bounds(le=box.INJURIES)]
Cards = Annotated[Count, Bounds(le=100)]
Relics = Annotated[Count, Bounds(le=box.RELICS)]
Level = Annotated[Count, Bounds(le=box.LEVELS)]


class _PilesSet(Event[State]):
    """How many lie where, as the table counted them: its fields are those of the piles."""

    piles: ClassVar[str]  # as the state calls them

    def fold(self, state: State) -> State:
        state.begun()
        return replace(state, **{self.piles: type(getattr(state, self.piles))(**vars(self))})


class TokensSet(_PilesSet):
    sled: int
    discard: int
    box: int
    piles = "tokens"
    says = "tokens put right: {sled} on the sled, {discard} in the discard, {box} in the box"


class InjuriesSet(_PilesSet):
    supply: int
    deck: int
    discard: int
    hands: int
    piles = "injuries"
    says = (
        "Injuries put right: {supply} in their deck, {deck} in the Equipment deck, "
        "{discard} in its discard, {hands} in hands"
    )


class CardsSet(_PilesSet):
    deck: int
    discard: int
    hands: int
    piles = "cards"
    says = "cards put right: {deck} in the deck, {discard} discarded, {hands} in hands"


class PlanePut(Event[State]):
    place: str

    def fold(self, state: State) -> State:
        state.begun()
        return replace(state, place=self.place)

    def log_text(self, state: State) -> str:
        return f"the airplane is at the {box.PLACES[self.place]}"


class SeatPut(Event[State]):
    seat: int
    level: int
    relics: tuple[str, ...]
    covered: tuple[str, ...]

    def fold(self, state: State) -> State:
        state.begun()
        seat = state.table.seat(self.seat).id
        return replace(
            state,
            levels={**state.levels, seat: self.level},
            relics={**state.relics, seat: tuple(self.relics)},
            covered={**state.covered, seat: tuple(self.covered)},
        )

    def log_text(self, state: State) -> str:
        spaces = listed([f"“{box.SPACES[each]}”" for each in self.covered]) or "no space"
        return f"put right: Madness {self.level}, {counted(len(self.relics), 'Relic')}, {spaces} covered"


def put_tokens(state: State, context: Context, sled: Token, discard: Token, box: Token) -> Facts:
    if (total := sled + discard + box) != TOKENS:
        raise Refused(f"There are {TOKENS} Leadership tokens, not {total}.")
    yield TokensSet(sled, discard, box)


def put_injuries(
    state: State, context: Context, supply: Injury, deck: Injury, discard: Injury, hands: Injury
) -> Facts:
    if (total := supply + deck + discard + hands) != box.INJURIES:
        raise Refused(f"There are {box.INJURIES} Injuries, not {total}.")
    yield InjuriesSet(supply, deck, discard, hands)


def put_cards(state: State, context: Context, deck: Cards, discard: Cards, hands: Cards) -> Facts:
    yield CardsSet(deck, discard, hands)


def put_plane(state: State, context: Context, place: Choice) -> Facts:
    if place not in box.PLACES:
        raise Refused("There is no such place on the board.")
    yield PlanePut(place)


def put_seat(
    state: State,
    context: Context,
    seat: SeatId,
    level: Level,
    specimen: Relics,
    ruin: Relics,
    knowledge: Relics,
    movement: YesOrNo = "no",
    encounter: YesOrNo = "no",
    resolution: YesOrNo = "no",
    draw: YesOrNo = "no",
) -> Facts:
    relics = ("specimen",) * specimen + ("ruin",) * ruin + ("knowledge",) * knowledge
    answers = (movement, encounter, resolution, draw)
    covered = tuple(space for space, answer in zip(box.SPACES, answers, strict=True) if answer == "yes")
    if len(covered) > len(relics):
        raise Refused("Each covered space needs a Relic of its own.")
    yield SeatPut(seat, level, relics, covered)


# --- what is seen ---

#: What the sheet of each is called, and how it calls the piles.
PILES = {
    "tokens": ("Leadership tokens", ("On the sled", "In the discard", "In the box")),
    "injuries": (
        "Where the 15 Injuries are",
        ("Injury deck", "Equipment deck", "Equipment discard", "In hands"),
    ),
    "cards": ("Cards, Injuries included", ("Equipment deck", "Equipment discard", "In all hands")),
}
ANSWERS = (("no", "open"), ("yes", "covered by a Relic token"))
LEVELS = tuple((str(level), str(level)) for level in range(box.LEVELS + 1))
WHERE = tuple((id, capital(name)) for id, name in box.PLACES.items())


@lru_cache(1024)
def fold_of(seats: tuple[Seat, ...]) -> Fold:
    """Everything that a thumb may have missed, and what each player has."""
    taps = [Tap(capital(each), opens=each) for each in PILES]
    taps += [Tap("Airplane", opens="plane")]
    taps += [Tap(seat.name, seat=seat, opens=f"seat-{seat.id}") for seat in seats]
    wrong = Picker("peak-wrong", tuple(taps), columns=2)
    return Fold("peak-put-right", "Put right what was mistapped", (wrong,), only="players")


def forms(state: State) -> Iterator[Form]:
    for what, (title, labels) in PILES.items():
        piles = vars(getattr(state, what)).items()
        fields = [_number(name, label, n) for (name, n), label in zip(piles, labels, strict=True)]
        yield _form(what, title, Do(f"put_{what}"), *fields)
    place = Field("place", "The airplane is at", state.place or "coast", "choice", WHERE)
    yield _form("plane", "Where the airplane is", Do("put_plane"), place)
    for seat in state.table.seats:
        do = Do("put_seat", {"seat": seat.id})
        yield _form(f"seat-{seat.id}", f"{seat.name}: put it right", do, *_fields(state, seat.id))


def _fields(state: State, seat: int) -> Iterator[Field]:
    relics, covered = state.relics.get(seat, ()), state.covered.get(seat, ())
    yield Field("level", "Madness level", str(state.level(seat)), "choice", LEVELS)
    for kind, name in box.RELIC_KINDS.items():
        yield _number(kind, f"{name} Relics", relics.count(kind))
    for space, what in box.SPACES.items():
        yield Field(space, f"Space “{what}”", "yes" if space in covered else "no", "choice", ANSWERS)


def _form(id: str, title: str, do: Do, *fields: Field) -> Form:
    return Form(id, title, do, fields, "Put it right", listed=False)


def _number(name: str, label: str, value: int) -> Field:
    return Field(name, label, str(value), "number")
