from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from companion import core
from companion.core import Event
from companion.core.text import counted, listed, plain, signed
from companion.games.wisdom_of_cthulhu.box import REQUIREMENTS, TURNS, action, bond
from companion.games.wisdom_of_cthulhu.ranks import ties

if TYPE_CHECKING:
    from companion.games.wisdom_of_cthulhu.state import State


def _room(state: core.State) -> State:
    return cast("State", state)


@dataclass(frozen=True)
class StepTicked(Event):
    item: str
    label: str
    done: bool

    def told(self, state: core.State) -> str:
        return f"{'done' if self.done else 'not done after all'}: {self.label}"


@dataclass(frozen=True)
class GodsChosen(Event):
    gods: tuple[str, ...]  # their bonds
    by_lot: bool = False

    def told(self, state: core.State) -> str:
        names = listed([bond(each).god for each in self.gods]) or "not said yet"
        return f"Great Old Ones: {names}{', by lot' if self.by_lot else ''}"


@dataclass(frozen=True)
class GameBegun(Event):
    first: tuple[int, ...]  # who declares one after another in turn 1

    def told(self, state: core.State) -> str:
        return f"turn 1 begins; {state.table.seat(self.first[0]).name} declares first"


@dataclass(frozen=True)
class TurnPrepared(Event):
    turn: int

    def told(self, state: core.State) -> str:
        return f"turn {self.turn} is prepared; Seekers and Elder Signs are home"


@dataclass(frozen=True)
class ObsessionsDeclared(Event):
    seat: int
    turn: int
    lap: int
    count: int

    def told(self, state: core.State) -> str:
        room = _room(state)
        more = "more " if self.lap == 2 else ""
        paths = counted(self.count, f"{more}Path", "no")
        words = f"lap {self.lap}: turns {paths}"
        if room.declarer is None:
            words += "; Research Order: " + ", ".join(room.name(seat) for seat in room.order)
            words += "".join(f". {tie}" for tie in ties(room, room.name))
        return words


@dataclass(frozen=True)
class ActionTaken(Event):
    seat: int
    turn: int
    action: str
    cost: str = ""  # path, obsession, or nothing
    points: int = 0
    why: str = ""
    at: str = ""  # the Arcane Place that was explored, where the table said

    def told(self, state: core.State) -> str:
        room = _room(state)
        known = action(self.action)
        words = f"action {known.number}: {known.label[0].lower()}{known.label[1:]}"
        words += f" ({self.why})" if self.why else ""
        words += f" at {room.where(self.at)}" if self.at else ""
        if self.cost and not self.action.startswith("cash"):
            words += ", for a Path" if self.cost == "path" else ", for an Obsession"
        if self.points:
            words += f", {signed(self.points)} KP, now {plain(room.kp(self.seat))}"
        return words + ("; nobody can act any more: End of Search" if room.phase == "end" else "")


@dataclass(frozen=True)
class ResearchEnded(Event):
    turn: int

    def told(self, state: core.State) -> str:
        return f"turn {self.turn}: the rest of the Research was played without the phones"


@dataclass(frozen=True)
class TurnClosed(Event):
    turn: int

    def told(self, state: core.State) -> str:
        words = f"turn {self.turn} is over; one more Path of each is a Permanent Obsession"
        return words + ("; the game is over" if self.turn == TURNS else "")


@dataclass(frozen=True)
class PointsCounted(Event):
    seat: int
    turn: int
    by: int
    why: str = ""
    corrected: bool = False

    def told(self, state: core.State) -> str:
        words = f"{signed(self.by)} KP"
        if self.corrected:
            words = f"turn {self.turn} corrected, {words}"
        return f"{words}{f' ({self.why})' if self.why else ''}, now {plain(_room(state).kp(self.seat))}"


@dataclass(frozen=True)
class BondPaid(Event):
    seat: int
    turn: int
    bond: str
    points: int
    masters: tuple[str, ...]

    def told(self, state: core.State) -> str:
        now = plain(_room(state).kp(self.seat))
        return (
            f"bond of {bond(self.bond).name}: {signed(self.points)} KP for {listed(self.masters)}, now {now}"
        )


@dataclass(frozen=True)
class MasterTaken(Event):
    seat: int
    name: str
    bond: str
    points: int

    def told(self, state: core.State) -> str:
        return f"has {self.name} (bond of {bond(self.bond).name}, {self.points} KP)"


@dataclass(frozen=True)
class MasterLost(Event):
    seat: int
    name: str

    def told(self, state: core.State) -> str:
        return f"puts {self.name} away"


@dataclass(frozen=True)
class RitualAdvanced(Event):
    seat: int
    turn: int
    box: int
    bond: str
    cost: int = 0  # KP for mixing bonds
    by_effect: bool = False
    met: int = 0  # the turn in which it was met, where that is tapped late
    master: str = ""  # the Dark Master that was the object, and so pays nobody

    def told(self, state: core.State) -> str:
        what = "a card’s effect" if self.by_effect else REQUIREMENTS[self.box - 1]
        words = f"Ritual box {self.box}: {what}"
        if self.met:
            words += f" (met {f'when turn {self.met} began' if self.box == 1 else f'in turn {self.met}'})"
        words += f" with {self.master}, a Dark Master" if self.master else ""
        words += f", bond of {bond(self.bond).name}"
        return words + (f", −{self.cost} KP for mixing bonds" if self.cost else "")


@dataclass(frozen=True)
class RitualSet(Event):
    seat: int
    to: int

    def told(self, state: core.State) -> str:
        return f"Ritual token set to {f'box {self.to}' if self.to else 'the start'}"


@dataclass(frozen=True)
class GodEvoked(Event):
    seat: int
    turn: int
    bond: str

    def told(self, state: core.State) -> str:
        return f"evokes {bond(self.bond).god}; the other Great Old Ones leave the game"

    def remembered(self, state: core.State) -> str:
        return f"evokes {bond(self.bond).god}"


@dataclass(frozen=True)
class SeekerMoved(Event):
    seat: int
    to: str

    def told(self, state: core.State) -> str:
        return f"Seeker {'to ' if self.to else ''}{_room(state).where(self.to)}"


@dataclass(frozen=True)
class SignMoved(Event):
    owner: int
    to: str

    def told(self, state: core.State) -> str:
        room = _room(state)
        return f"Elder Sign of {room.name(self.owner)}: {room.where(self.to)}"


@dataclass(frozen=True)
class PlaceNoted(Event):
    place: int
    name: str
    bond: str = ""

    def told(self, state: core.State) -> str:
        words = f"place {self.place} is {self.name}"
        return words + (f", bond of {bond(self.bond).name}" if self.bond else "")


@dataclass(frozen=True)
class CardsSet(Event):
    seat: int
    hand: int
    spent: int
    temporary: int
    permanent: int

    def told(self, state: core.State) -> str:
        words = (
            f"{self.hand} Paths, {self.spent} spent, {self.temporary} temporary, {self.permanent} permanent"
        )
        return f"cards put right: {words}"


EVENTS = (
    StepTicked,
    GodsChosen,
    GameBegun,
    TurnPrepared,
    ObsessionsDeclared,
    ActionTaken,
    ResearchEnded,
    TurnClosed,
    PointsCounted,
    BondPaid,
    MasterTaken,
    MasterLost,
    RitualAdvanced,
    RitualSet,
    GodEvoked,
    SeekerMoved,
    SignMoved,
    PlaceNoted,
    CardsSet,
)
