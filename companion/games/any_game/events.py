"""What can happen, and what it makes of the state."""

from collections.abc import Mapping

from companion.core import Event, Refused, replace
from companion.core.text import plain, same_name, signed
from companion.games.any_game.state import Arrangement, Kind, State, Tally

MOST_KINDS = 6


class Counted(Event[State]):
    seat: int
    counter: str
    round: int
    by: int
    corrected: bool = False

    def fold(self, state: State) -> State:
        state.table.seat(self.seat)
        state.kind(self.counter)
        if self.round > state.round:
            raise Refused(f"Round {self.round} has not begun.")
        known: Mapping[int, Tally] = state.points
        if self.seat not in known:  # all get one then, so that each can keep what follows from it
            known = {**{each.id: Tally() for each in state.table.seats}, **known}
        now = known[self.seat].plus(self.round, self.counter, self.by)
        return replace(state, points={**known, self.seat: now})

    def log_text(self, state: State) -> str:
        kind = state.kind(self.counter)
        where = f"round {self.round} corrected, " if self.corrected else ""
        return f"{where}{signed(self.by)} {kind.name}, now {plain(state.total(self.seat, kind))}"


class RoundEnded(Event[State]):
    round: int

    def fold(self, state: State) -> State:
        if self.round != state.round:
            raise Refused(f"Round {self.round} is not the one being played.")
        return replace(state, round=self.round + 1)

    def log_text(self, state: State) -> str:
        return f"round {self.round} is over, round {self.round + 1} begins"


def _with_kinds(state: State, kinds: tuple[Kind, ...]) -> State:
    """Checked by the events, so that taking back or putting back cannot get round it."""
    if len(kinds) > MOST_KINDS:
        raise Refused("Six counters are as many as a phone can show.")
    if twice := same_name([kind.name for kind in kinds]):
        raise Refused(f"There is a counter called {twice} already.")
    if len({kind.id for kind in kinds}) < len(kinds):
        raise Refused(f"The counter {kinds[-1].name} has taken its place.")
    return replace(state, kinds=kinds)


class CounterAdded(Event[State]):
    counter: str
    name: str
    start: int = 0

    def fold(self, state: State) -> State:
        state = _with_kinds(state, (*state.kinds, Kind(self.counter, self.name, self.start)))
        return replace(state, last_kind=max(state.last_kind, int(self.counter)))

    def log_text(self, state: State) -> str:
        return f"new counter {self.name}" + (f", starting at {plain(self.start)}" if self.start else "")


class CounterRenamed(Event[State]):
    counter: str
    name: str
    was: str = ""

    says = "the counter {was} is now called {name}"

    def fold(self, state: State) -> State:
        was = state.kind(self.counter)
        now = replace(was, name=self.name)
        return _with_kinds(state, tuple(now if kind is was else kind for kind in state.kinds))


class CounterRemoved(Event[State]):
    counter: str
    name: str

    says = "the counter {name} is put away"

    def fold(self, state: State) -> State:
        kinds = tuple(kind for kind in state.kinds if kind.id != self.counter)
        if not kinds:
            raise Refused("A table needs at least one counter.")
        return replace(state, kinds=kinds)


class StartSet(Event[State]):
    """What everyone begins with; totals follow."""

    counter: str
    start: int

    def fold(self, state: State) -> State:
        was = state.kind(self.counter)
        return replace(
            state, kinds=tuple(replace(k, start=self.start) if k is was else k for k in state.kinds)
        )

    def log_text(self, state: State) -> str:
        return f"{state.kind(self.counter).name} start at {plain(self.start)}"


class CountersKept(Event[State]):
    """Those of the game before, for the same people."""

    kinds: tuple[Kind, ...]

    says = "the same counters as last time"

    def fold(self, state: State) -> State:
        ids = [int(kind.id) for kind in self.kinds]
        return replace(_with_kinds(state, self.kinds), last_kind=max(ids))


class GameArranged(Event[State]):
    title: str = ""
    target: int = 0
    by_rank: bool = False
    rotates: bool = False

    def fold(self, state: State) -> State:
        return replace(state, agreed=Arrangement(self.title, self.target, self.by_rank, self.rotates))

    def log_text(self, state: State) -> str:
        parts = [
            f"we play {self.title or 'a game without a name'}",
            f"to {plain(self.target)}" if self.target else "",
            "players by rank" if self.by_rank else "",
            "the next one starts each round" if self.rotates else "",
        ]
        return ", ".join(filter(None, parts))


class GameEnded(Event[State]):
    says = "the game is over"

    def fold(self, state: State) -> State:
        return replace(state, over=True)


class GameResumed(Event[State]):
    says = "the game goes on"

    def fold(self, state: State) -> State:
        return replace(state, over=False)
