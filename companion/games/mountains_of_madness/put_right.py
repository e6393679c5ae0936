"""What the table forgot to tap, or mistapped, put right: counted anew in a sheet."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated, Any, ClassVar

from companion.core import (
    Context,
    Event,
    Events,
    Fold,
    Form,
    Picker,
    Seat,
    Tap,
    refuse_if,
    remembered,
    there,
)
from companion.core.fixed import replace
from companion.core.forms import asks_choice, asks_number
from companion.core.text import Bounds, Choice, Count, SeatId, YesOrNo, capital, counted
from companion.games.mountains_of_madness import box
from companion.games.mountains_of_madness.state import Cards, Injuries, Leadership, State

Token = Annotated[Count, Bounds(le=box.TOKENS)]
Hurt = Annotated[Count, Bounds(le=box.INJURIES)]
Card = Annotated[Count, Bounds(le=100)]
Relic = Annotated[Count, Bounds(le=box.RELICS)]
Level = Annotated[Count, Bounds(le=box.LEVELS)]
Left = Annotated[int, Bounds(ge=-1)]
PILES = ("tokens", "injuries", "cards")
ANSWERS = (("no", "open"), ("yes", "covered by a Relic token"))
LEVELS = tuple((str(level), str(level)) for level in range(box.LEVELS + 1))
WHERE = tuple((id, capital(name)) for id, name in box.PLACES.items())


class _PutRight(Event[State]):
    """What the table says is so. Where it counted piles, the event has their fields."""

    piles: ClassVar[str]  # as the state calls them

    def fold(self, state: State) -> State:
        refuse_if(state.stage == "setup", "The expedition has not begun.")
        return replace(state, **self.changes(state))

    def changes(self, state: State) -> dict[str, Any]:
        return {self.piles: type(getattr(state, self.piles))(**vars(self))}


class TokensSet(_PutRight, Leadership, tap="put_tokens", sled=Token, discard=Token, box=Token):
    piles = "tokens"


class InjuriesSet(_PutRight, Injuries, tap="put_injuries", supply=Hurt, deck=Hurt, discard=Hurt, hands=Hurt):
    piles = "injuries"

    def changes(self, state: State) -> dict[str, Any]:
        """An Injury is a card too: no pile holds fewer of those."""
        cards = {pile: max(count, getattr(self, pile)) for pile, count in vars(state.cards).items()}
        return super().changes(state) | {"cards": Cards(**cards)}


class CardsSet(_PutRight, Cards, tap="put_cards", deck=Card, discard=Card, hands=Card):
    piles = "cards"

    def check_tap(self, state: State) -> None:
        for pile, label in box.blanks["cards"].fields.items():
            count, hurt = getattr(self, pile), getattr(state.injuries, pile)
            words = f"{label}: {box.injuries(hurt)} by our count, so {counted(count, 'card')} cannot be all."
            refuse_if(count < hurt, f"{words} Put the Injuries right first.")


class PlanePut(_PutRight):
    place: str
    tiles: Mapping[str, int] = field(default_factory=dict)  # taken, by region, where that was counted

    def changes(self, state: State) -> dict[str, Any]:
        return {"place": self.place, "tiles": {**state.tiles, **self.tiles}}


def put_plane(
    state: State, context: Context, place: Choice, coast: Left = -1, mountain: Left = -1, city: Left = -1
) -> Events:
    """And how many tiles still lie in each region, where that is said too."""
    there(box.PLACES.get(place), "There is no such place on the board.")
    entered = {"coast": coast, "mountain": mountain, "city": city}
    for region, left in entered.items():
        most = box.TILES[region]
        refuse_if(left > most, f"There are {most} {box.PLACES[region]} tiles.")
    new = {region: left for region, left in entered.items() if left not in (-1, state.tiles_left(region))}
    yield PlanePut(place, {region: box.TILES[region] - left for region, left in new.items()})


class SeatPut(_PutRight):
    seat: int
    level: int
    relics: tuple[str, ...]
    covered: tuple[str, ...]

    def changes(self, state: State) -> dict[str, Any]:
        seat = state.table.seat(self.seat).id
        put = {"levels": self.level, "relics": tuple(self.relics), "covered": tuple(self.covered)}
        return {name: {**getattr(state, name), seat: value} for name, value in put.items()}


def put_seat(
    state: State,
    context: Context,
    seat: SeatId,
    level: Level,
    specimen: Relic,
    ruin: Relic,
    knowledge: Relic,
    movement: YesOrNo = "no",
    encounter: YesOrNo = "no",
    resolution: YesOrNo = "no",
    draw: YesOrNo = "no",
) -> Events:
    relics = ("specimen",) * specimen + ("ruin",) * ruin + ("knowledge",) * knowledge
    answers = (movement, encounter, resolution, draw)
    covered = tuple(space for space, answer in zip(box.SPACES, answers, strict=True) if answer == "yes")
    refuse_if(len(covered) > len(relics), "Each covered space needs a Relic of its own.")
    yield SeatPut(seat, level, relics, covered)


@remembered
def fold_of(seats: tuple[Seat, ...]) -> Fold:
    """Everything that a thumb may have missed, and what each player has."""
    taps = [Tap(capital(each), opens=each) for each in PILES]
    taps += [Tap("Airplane", opens="plane")]
    taps += [Tap(seat.name, seat=seat, opens=f"seat-{seat.id}") for seat in seats]
    wrong = Picker("peak-wrong", tuple(taps), columns=2)
    return Fold("peak-put-right", "Put right what was mistapped", (wrong,), only="players")


def forms(state: State) -> Iterator[Form]:
    for what in PILES:
        piles = vars(getattr(state, what)).items()
        yield box.blanks("", {}, {}, what, **{pile: asks_number(count) for pile, count in piles})
    place = asks_choice(WHERE, state.place or "coast")
    tiles = {each: asks_number(state.tiles_left(each), optional=True) for each in box.WITH_SPACES}
    yield box.blanks("", {}, {}, "plane", place=place, **tiles)
    for seat in state.table.seats:
        relics, covered = state.relics.get(seat.id, ()), state.covered.get(seat.id, ())
        has = {kind: asks_number(relics.count(kind)) for kind in box.RELIC_KINDS}
        has |= {each: asks_choice(ANSWERS, "yes" if each in covered else "no") for each in box.SPACES}
        level = asks_choice(LEVELS, str(state.level(seat.id)))
        yield box.blanks(seat.id, {"seat": seat.id}, {"name": seat.name}, "seat", level=level, **has)
