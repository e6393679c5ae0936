"""A choice that is sealed and revealed together: a draft, a bid, a vote.

A room's command seals by `choices = yield from seal(…)`; whoever is last gets everyone's choices, and the
room goes on with them in the same tap. Until then they are in the journal alone: no view, line, stream or
export tells one. What its owner may see, `Game.private` says, from `choice_of`. Its owner is the phone that
chose: whoever comes to hold that seat may choose anew, and does not see what lies there.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import NamedTuple, cast

from companion.core import Context, Event, Refused, Seat, State, Table, TableEvent, replace
from companion.core.pieces import Grid, Sealed

TOOL = "sealed"
OPEN = "?"  # stands in a choice of several taps where one is still to come: till then nobody has chosen
Choices = Mapping[int, str]  # by seat


class FaceDown(NamedTuple):
    choice: str
    phone: int  # that chose; 0 where an evening of earlier days does not say


Pile = Mapping[int, FaceDown]  # by seat


class ChoiceSealed(TableEvent):
    seat: int
    about: str
    choice: str  # empty where a phone took the journal along before it was revealed
    again: bool = False
    phone: int = 0

    owned = True

    def change(self, table: Table) -> Table:
        """One that was changed must have been there, or a reveal could be put back beneath it."""
        known = _pile(table, self.about)
        if self.again and self.seat not in known:
            raise Refused("What was chosen first is gone.")
        return _with(table, self.about, {**known, self.seat: FaceDown(self.choice, self.phone)})

    def log_text(self, state: State) -> str:
        if OPEN in self.choice:
            return "is choosing"
        return "has chosen again" if self.again else "has chosen"


class ChoicesRevealed(TableEvent):
    about: str
    choices: Mapping[int, str]

    def change(self, table: Table) -> Table:
        """What was revealed must still be what was sealed: a choice that is taken back cannot stay behind."""
        known = sealed(table, self.about)
        if any(known.get(seat) != choice for seat, choice in self.choices.items()):
            raise Refused("What was revealed rests on it.")
        return _with(table, self.about, {})


EVENTS: tuple[type[Event], ...] = (ChoiceSealed, ChoicesRevealed)


def sealed(table: Table, about: str) -> Choices:
    """What lies face down. For rules, never for a view: a view asks `has_chosen`."""
    return {seat: each.choice for seat, each in _pile(table, about).items()}


def _piles(table: Table) -> Mapping[str, Pile]:
    return cast("Mapping[str, Pile]", table.tools.get(TOOL, {}))


def _pile(table: Table, about: str) -> Pile:
    return _piles(table).get(about, {})


def _with(table: Table, about: str, pile: Pile) -> Table:
    kept = {**_piles(table), about: pile}
    kept = {name: each for name, each in kept.items() if each}
    others = {name: each for name, each in table.tools.items() if name != TOOL}
    return replace(table, tools={**others, TOOL: kept} if kept else others)


def thrown_away(table: Table, about: str) -> Table:
    """Nobody will ever see them."""
    return _with(table, about, {})


def laid_open(table: Table) -> Table:
    """As templates may look at it: nothing of what lies face down is in there, nor what else tools remember.

    So a die that fell is no reason to draw again what is about phones and seats.
    """
    return replace(table, tools={})


def has_chosen(table: Table, about: str, seat: int) -> bool:
    lies = _pile(table, about).get(seat)
    return lies is not None and _is_whole(lies.choice)


def _is_whole(choice: str) -> bool:
    return bool(choice) and OPEN not in choice


def choice_of(table: Table, about: str, seat: int) -> str:
    """For this seat's own eyes, on the phone that chose. Another that holds the seat by now finds nothing."""
    lies, holder = _pile(table, about).get(seat), table.holder(seat)
    if lies is None or (holder and lies.phone not in (0, holder.number)):
        return ""
    return lies.choice


def seal(
    state: State, context: Context, seat: int, about: str, choice: str, among: Iterable[int]
) -> Generator[Event, None, Choices | None]:
    """This seat's choice; everyone's, if with it all of `among` have chosen, else None."""
    _check_owner(state.table, context.phone, seat, about)
    among, known = tuple(among), sealed(state.table, about)
    if seat not in among:
        raise Refused(f"{state.table.seat(seat).name} has nothing to choose now.")
    yield ChoiceSealed(seat, about, choice, _is_whole(known.get(seat, "")), context.phone)
    choices = {id: choice if id == seat else known.get(id, "") for id in among}
    if not all(map(_is_whole, choices.values())):
        return None
    yield ChoicesRevealed(about, choices)
    return choices


def _check_owner(table: Table, phone: int, seat: int, about: str) -> None:
    """Nobody chooses for another, unless no phone holds that seat and one goes round: that one, then."""
    holder, lies, name = table.holder(seat), _pile(table, about).get(seat), table.seat(seat).name
    if holder and holder.number != phone:
        raise Refused(f"{name} chooses on {name}’s own phone.")
    if lies and not holder and lies.phone not in (0, phone):
        raise Refused(f"{name} has chosen on another phone. Take {name}’s seat to choose anew.")


def waiting(table: Table, about: str, among: Iterable[int]) -> Grid:
    """For everyone: who has chosen, and whom the others wait for."""
    choosing = [table.seat(id) for id in among]
    late = [seat.name for seat in choosing if not has_chosen(table, about, seat.id)]
    if len(late) > 1:
        words = f"waits for {len(late)} more"
    else:  # nobody is late when a seat was taken away: then somebody has to say it once more
        words = f"waits for {late[0]}" if late else "choose once more to reveal"
    pieces = tuple(_waiting(table, about, seat, words) for seat in choosing)
    return Grid(f"sealed-{about}", pieces, columns=min(4, len(pieces)), narrow=2)


def _waiting(table: Table, about: str, seat: Seat, words: str) -> Sealed:
    id, name = f"sealed-{about}-{seat.id}", seat.name
    if has_chosen(table, about, seat.id):
        return Sealed(id, seat, f"{name} has chosen", chosen=True, waiting=words)
    nobody = "" if table.holder(seat.id) else "no phone holds this seat yet"
    return Sealed(id, seat, f"{name} is choosing", chosen=False, waiting=nobody)
