"""The cards of a round: chosen face down and revealed together, tapped in the open, and put right.

What must always hold is checked where an event is folded, so that take-backs stay honest.
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.core import Choice, Context, Events, Refused, SeatId, listed, refuse_if, same_name
from companion.games.tides_of_madness import moves
from companion.games.tides_of_madness.cards import DREAMLANDS, card, suit
from companion.games.tides_of_madness.moves import Named, Number, Pick, _InRound, _OfCard, _OfSide
from companion.games.tides_of_madness.state import PICKS, State
from companion.tools import sealed


def card_about(round: int, pick: int) -> str:
    return f"card-{round}-{pick}"


class CardPlayed(_OfCard):
    def fold(self, state: State) -> State:
        played = state.side(self.seat, self.round).played
        card(self.card)  # or it is none of the 18
        elsewhere = state.where(self.round, self.card)
        refuse_if(elsewhere, elsewhere)
        five = f"{state.name(self.seat)} has five cards in round {self.round} already"
        refuse_if(len(played) >= PICKS, f"{five}. Take one back first.")
        return self.changed(state, played=(*played, self.card))

    def log_text(self, state: State) -> str:
        return f"{self.name}, card {len(state.side(self.seat, self.round).played)} of round {self.round}"


class CardTakenUp(_OfCard, tap="take_up_card", seat=SeatId, round=Number, card=Choice):
    def fold(self, state: State) -> State:
        side, whose = state.side(self.seat, self.round), state.name(self.seat)
        refuse_if(self.card not in side.played, f"{self.name} is not among the cards of {whose}.")
        left = tuple(each for each in side.played if each != self.card)
        return self.changed(state, played=left, wild="" if self.card == DREAMLANDS else side.wild)


class CardsCorrected(_OfSide):
    cards: tuple[str, ...]
    wild: str = ""

    def fold(self, state: State) -> State:
        state = self.changed(state, played=tuple(self.cards), wild=self.wild)
        if self.wild:
            self.check_dreams(state, state.spread(self.seat, self.round).has(DREAMLANDS))
        return state


class CardsRevealed(_InRound):
    """Both at once, as they were sealed."""

    pick: int
    cards: Mapping[int, str]  # by seat

    def fold(self, state: State) -> State:
        state.check_drafts(self.round)
        for seat, id in self.cards.items():
            made = len(state.side(seat, self.round).played)
            refuse_if(made != self.pick - 1, f"Pick {self.pick} is not the next one of {state.name(seat)}.")
            state = CardPlayed(seat, self.round, id).fold(state)
        return state

    def log_text(self, state: State) -> str:
        both = [f"{state.name(seat)} {card(id).name}" for seat, id in self.cards.items()]
        return f"pick {self.pick}: {', '.join(both)}"


class PickClashed(_InRound):
    """Both tapped the same card, so one thumb has slipped. To refuse it would tell what the other chose."""

    card: str


class SidesCorrected(_InRound):
    """Cards that change sides. What was kept or discarded was what is now said to have lain there."""

    cards: Mapping[int, tuple[str, ...]]  # by seat

    def fold(self, state: State) -> State:
        sides = dict(state.at(self.round).sides)
        for seat, cards in self.cards.items():
            state.table.seat(seat)
            side = sides[seat]
            wild = side.wild if DREAMLANDS in (*cards, *state.kept_before(seat, self.round)) else ""
            now = {was: id for was, id in zip(side.played, cards, strict=False) if was not in cards}
            kept, gone = (now.get(id, id) for id in (side.kept, side.discarded))
            sides[seat] = side._replace(played=tuple(cards), wild=wild, kept=kept, discarded=gone)
        return state.with_round(self.round, sides=sides)

    def log_text(self, state: State) -> str:
        told = [f"{state.name(seat)} {listed([card(id).name for id in c])}" for seat, c in self.cards.items()]
        return f"round {self.round} corrected: {'; '.join(told)}"


def play_card(state: State, context: Context, seat: SeatId, round: Number, card: Choice) -> Events:
    """In the open: one phone for both, or cards that were not tapped while they were drafted."""
    yield from moves.first_begun(state, round)[1]
    yield CardPlayed(seat, round, card)


def choose_card(
    state: State, context: Context, seat: SeatId, round: Number, card: Choice, pick: Pick | None = None
) -> Events:
    """Face down until both have chosen. Where the other's card lies there already, it is simply played.

    The page does not say for which pick: it would send all 18 cards anew for each. What a thumb chose too
    late lies face down for the next one, where it can still be changed.
    """
    state, begun = moves.first_begun(state, round)
    yield from begun
    state.check_drafts(round)
    mine, theirs = (len(state.side(each, round).played) for each in (seat, state.other(seat)))
    pick = pick or mine + 1
    refuse_if(pick <= mine, f"Pick {pick} is revealed already; this is pick {mine + 1}.")
    refuse_if(pick > mine + 1, f"Pick {pick} comes later; this is pick {mine + 1}.")
    refuse_if(mine > theirs, f"{state.name(state.other(seat))} has a card to tap first.")
    played = CardPlayed(seat, round, card)
    played.fold(state)  # or it cannot be that
    if mine < theirs:
        yield played
        return
    chosen = yield from sealed.seal(state, context, seat, card_about(round, pick), card, state.table.ids)
    if chosen and len({*chosen.values()}) == 1:
        yield PickClashed(round, card)
    elif chosen:
        yield CardsRevealed(round, pick, chosen)


def correct_cards(
    state: State,
    context: Context,
    seat: SeatId,
    round: Number,
    first: Named,
    second: Named,
    third: Named,
    fourth: Named,
    fifth: Named,
    wild: Choice = moves.NOTHING,
) -> Events:
    """All five at once, so that two cards can change places. An empty place is filled in later."""
    yield from _correct(state, seat, round, (first, second, third, fourth, fifth), wild)


def change_card(
    state: State, context: Context, seat: SeatId, round: Number, place: Pick, card: Choice
) -> Events:
    """One of them. The card that lay elsewhere in this round gets its place: they are exchanged."""
    side = state.side(seat, round)
    refuse_if(place > len(side.played), f"{state.name(seat)} has no card {place} in round {round}.")
    five, at = list(side.played), place - 1
    if card in five:
        five[five.index(card)] = five[at]
    five[at] = card
    yield from _correct(state, seat, round, tuple(five), side.wild or moves.NOTHING)


def _correct(state: State, seat: int, round: int, five: tuple[str, ...], wild: str) -> Events:
    if twice := same_name([id for id in five if id]):
        raise Refused(f"{card(twice).name} cannot be in two places.")
    cards, side, other = tuple(filter(None, five)), state.side(seat, round), state.other(seat)
    dreams = DREAMLANDS in cards or DREAMLANDS in state.kept_before(seat, round)
    declared = suit(wild).id if wild != moves.NOTHING and dreams else ""
    refuse_if((side.played, side.wild) == (cards, declared), "It says that already.")
    theirs = _exchanged(side.played, five, state.side(other, round).played)
    if theirs == state.side(other, round).played:
        yield CardsCorrected(seat, round, cards, declared)
    else:
        yield SidesCorrected(round, {seat: cards, other: theirs})


def _exchanged(was: tuple[str, ...], five: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    """What the other has then: for each card that I name and they had, the one that lay in my place."""
    mine = dict(zip(five, was, strict=False))
    return tuple(mine[id] if id in mine and mine[id] not in five else id for id in theirs)
