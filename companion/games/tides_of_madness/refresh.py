"""After rounds 1 and 2 each keeps one card for good and discards one: face down, or in the open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from companion.core import Choice, Context, Events, SeatId, refuse_if
from companion.games.tides_of_madness.cards import card
from companion.games.tides_of_madness.moves import Named, Number, _InRound, _OfCard, _OfSide
from companion.games.tides_of_madness.state import PICKS, State
from companion.tools import sealed

What = Literal["kept", "discarded"]


def refresh_about(round: int) -> str:
    return f"refresh-{round}"


class _Refreshed(_OfSide):
    """Only the five cards of that round come back into the hand. A round scored by hand knows no cards."""

    chooses: ClassVar[tuple[tuple[str, str], ...]]  # `kept` or `discarded`, and the field that says which

    @property
    def chosen(self) -> dict[str, Any]:
        return {how: getattr(self, field) for how, field in self.chooses}

    def fold(self, state: State) -> State:
        number, who = self.round, state.name(self.seat)
        for id in filter(None, self.chosen.values()):
            played, name = state.refreshed(self.seat, number).played, card(id).name
            known = not state.at(number).by_hand and len(played) == PICKS
            others = f"{name} is not one of the five cards that {who} played in round {number}."
            refuse_if(known and id not in played, others)
            refuse_if(id in state.kept_before(self.seat, number), f"{who} keeps {name} already.")
        return self.changed(state, **self.chosen)


class CardKept(_Refreshed, _OfCard, tap="keep_card", seat=SeatId, round=Number, card=Choice):
    chooses = (("kept", "card"),)


class CardDiscarded(_Refreshed, _OfCard, tap="discard_card", seat=SeatId, round=Number, card=Choice):
    chooses = (("discarded", "card"),)


class RefreshCorrected(
    _Refreshed, tap="correct_refresh", seat=SeatId, round=Number, kept=Named, discarded=Named
):
    kept: str
    discarded: str

    chooses = (("kept", "kept"), ("discarded", "discarded"))


class RefreshRevealed(_InRound):
    """Both kept and both discarded at once, as they were sealed."""

    kept: Mapping[int, str]  # by seat
    discarded: Mapping[int, str]

    def fold(self, state: State) -> State:
        for kind, cards in ((CardKept, self.kept), (CardDiscarded, self.discarded)):
            for seat, id in cards.items():
                state = kind(seat, self.round, id).fold(state)
        return state

    def log_text(self, state: State) -> str:
        out = {
            seat: f"{card(id).name}, out: {card(self.discarded[seat]).name}" for seat, id in self.kept.items()
        }
        both = "; ".join(f"{state.name(seat)} keeps {words}" for seat, words in out.items())
        return f"after round {self.round} {both}"


def choose_refresh(
    state: State, context: Context, seat: SeatId, round: Number, what: What, card: Choice
) -> Events:
    """One to keep and one to discard, in any order, face down until both have chosen both."""
    over = round < state.round or state.side(seat, round).kept
    refuse_if(over, f"The refresh after round {round} is over already.")
    (CardKept if what == "kept" else CardDiscarded)(seat, round, card).fold(state)  # or it cannot be that
    chosen = {**chosen_refresh(state, seat, round), what: card}
    if chosen["kept"] == chosen["discarded"]:  # it is now to be the other one
        chosen["discarded" if what == "kept" else "kept"] = sealed.OPEN
    words, about = f"{chosen['kept']} {chosen['discarded']}", refresh_about(round)
    both = yield from sealed.seal(state, context, seat, about, words, state.table.ids)
    if both:
        kept, gone = ({seat: choice.split()[at] for seat, choice in both.items()} for at in (0, 1))
        yield RefreshRevealed(round, kept, gone)


def chosen_refresh(state: State, seat: int, round: int) -> dict[str, str]:
    """For this seat's own eyes."""
    words = sealed.choice_of(state.table, refresh_about(round), seat).split() or [sealed.OPEN] * 2
    return dict(zip(("kept", "discarded"), words, strict=True))
