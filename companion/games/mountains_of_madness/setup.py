"""Before the first turn: what each player takes, what is prepared for all, and who leads first."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from companion.core import Choice, Context, Event, Events, Seat, Table, YesOrNo, checklist, refuse_if, replace
from companion.core.game import load
from companion.core.pieces import Bar, Checklist, Do, Fold, Grid, Note, Panel, Picker, Piece, Tap, Tick
from companion.games.mountains_of_madness import box
from companion.games.mountains_of_madness.state import Cards, Injuries, State


class Item(NamedTuple):
    id: str
    short: str
    text: str
    who: str = "all"
    seat: int | None = None


ITEMS = load(__package__, "setup.toml", Item)


def first_levels(table: Table) -> dict[int, int]:
    """Nobody with three players, all but the first Leader with four, everyone with five."""
    number = len(table.seats)
    return {seat: int(number == 5 or (number == 4 and seat != table.starter)) for seat in table.ids}


def _items(state: State) -> Iterator[Item]:
    table, players = state.table, len(state.table.seats)
    mad = [seat for seat, level in first_levels(table).items() if level]
    takes = {"all": (None,), "each": table.ids, "mad": mad, "leader": (table.starter,)}
    for each in ITEMS:
        for seat in takes[each.who]:
            args = {"players": players, "left": box.INJURIES - players, "hand": state.base_hand, "seat": seat}
            id, short, text = (words.format_map(args) for words in each[:3])
            yield Item(id, short, text, each.who, seat)


class SetupTicked(checklist.SetupTicked):
    seat: int | None = None


class ExpeditionBegun(Event[State]):
    leader: int
    levels: Mapping[int, int]
    injuries: int
    cards: int  # left in the Equipment deck
    hands: int

    def fold(self, state: State) -> State:
        players, leader = len(state.table.seats), state.table.seat(self.leader).id
        late = state.stage != "setup" or players not in box.HANDS
        refuse_if(late, "The expedition cannot begin now.")
        others = self.injuries != players or set(self.levels) != set(state.table.ids)
        refuse_if(others, "The set-up was for other players.")
        injuries = Injuries(state.injuries.supply - self.injuries, 0, self.injuries, 0)
        begun = replace(state, stage="movement", turn=1, leader=leader, levels=dict(self.levels))
        return replace(begun, injuries=injuries, cards=Cards(self.cards, self.injuries, self.hands))


def tick(state: State, context: Context, item: Choice, done: YesOrNo = "yes") -> Events:
    refuse_if(state.stage != "setup", "The set-up is over.")
    found = {each.id: each for each in _items(state)}
    short = found[item].short if item in found else None
    label = checklist.to_tick(state.ticked, item, short, done == "yes")
    yield SetupTicked(item, label, done == "yes", found[item].seat)


def begin(state: State, context: Context) -> Events:
    refuse_if(state.stage != "setup", "The expedition has begun already.")
    players = len(state.table.seats)
    hands, levels = players * state.base_hand, first_levels(state.table)
    yield ExpeditionBegun(state.table.starter, levels, players, box.PLAIN_CARDS - hands, hands)


def pieces(state: State) -> Iterator[Piece]:
    """Whoever stood on a summit last leads first; only they know who that is."""
    table, do = state.table, Do("choose_starter")
    others = [seat for seat in table.seats if seat.id != table.starter]
    taps = tuple([Tap(seat.name, do.also(seat=seat.id), seat=seat) for seat in others])
    summit = Note("peak-summit", "Whoever stood on a mountain top last leads first.")
    title = f"{state.name(table.starter)} leads first. Somebody else?"
    yield Fold("peak-first", title, (summit, Picker("peak-firsts", taps, columns=2)), only="players")
    yield Grid("peak-packs", tuple([_pack(state, seat) for seat in (None, *table.seats)]), columns=2)
    yield Bar("peak-begin", (Tap("Begin the expedition", Do("begin"), strong=True),))


def _pack(state: State, seat: Seat | None) -> Panel:
    """What one player takes; without a seat: what is prepared for all."""
    ticks = []
    for each in [each for each in _items(state) if each.seat == (seat.id if seat else None)]:
        done, id = each.id in state.ticked, f"peak-tick-{each.id}"
        do = Do("tick", {"item": each.id, "done": "no" if done else "yes"})
        ticks.append(Tick(each.short, do, done, each.text, id=id))
    ready = f"{sum(tick.done for tick in ticks)} of {len(ticks)}"
    name, title = (seat.id, seat.name) if seat else ("all", "For all")
    listed = Checklist(f"peak-list-{name}", tuple(ticks))
    return Panel(f"peak-pack-{name}", (listed,), title, seat=seat, tags=(ready,))
