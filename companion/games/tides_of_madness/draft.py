"""The cards of a round: chosen face down and revealed together, tapped in the open, and put right. And the
refresh after rounds 1 and 2, in which each keeps one card for good and discards one."""

from collections.abc import Mapping
from typing import ClassVar, Literal, get_args

from companion.core import Choice, Context, Events, Refused, SeatId, led_to, refuse_if, same_name
from companion.games.tides_of_madness import moves
from companion.games.tides_of_madness.cards import DREAMLANDS, card, suit
from companion.games.tides_of_madness.moves import Named, Number, Pick, _InRound, _OfCard, _OfSide
from companion.games.tides_of_madness.state import PICKS, ROUNDS, State
from companion.tools import sealed

What = Literal["kept", "discarded"]


class CardPlayed(_OfCard, tap="play_card", seat=SeatId, round=Number, card=Choice):
    """Tapped in the open: one phone for both, or cards that were not tapped while they were drafted."""

    def begins_with(self, state: State) -> tuple[moves.RoundBegun, ...]:
        return moves.first_begun(state, self.round)

    def check(self, state: State) -> tuple[str, ...]:
        """What was played before it, if it can be played after that."""
        played, name = self.now(state).played, state.name(self.seat)
        card(self.card)  # or it is none of the 18
        if elsewhere := state.where(self.round, self.card):
            raise Refused(elsewhere)
        full = len(played) >= PICKS
        refuse_if(full, f"{name} has five cards in round {self.round} already. Take one back first.")
        return played

    def fold(self, state: State) -> State:
        return self.changed(state, played=(*self.check(state), self.card))


class CardTakenUp(_OfCard, tap="take_up_card", seat=SeatId, round=Number, card=Choice):
    def fold(self, state: State) -> State:
        side, whose = self.now(state), state.name(self.seat)
        refuse_if(self.card not in side.played, f"{card(self.card).name} is not among the cards of {whose}.")
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


def choose_card(
    state: State, context: Context, seat: SeatId, round: Number, card: Choice, pick: Pick | None = None
) -> Events:
    """Face down until both have chosen. Where the other's card lies there already, it is simply played.

    The page does not say for which pick: it would send all 18 cards anew for each. What a thumb chose too
    late lies face down for the next one, where it can still be changed.
    """
    state = yield from led_to(state, moves.first_begun(state, round))
    state.check_drafts(round)
    mine, theirs = (len(state.side(each, round).played) for each in (seat, state.other(seat)))
    pick = pick or mine + 1
    refuse_if(pick <= mine, f"Pick {pick} is revealed already; this is pick {mine + 1}.")
    refuse_if(pick > mine + 1, f"Pick {pick} comes later; this is pick {mine + 1}.")
    refuse_if(mine > theirs, f"{state.name(state.other(seat))} has a card to tap first.")
    played = CardPlayed(seat, round, card)
    played.check(state)
    if mine < theirs:
        yield played
        return
    chosen = yield from sealed.seal(state, context, seat, state.about(pick), card, state.table.ids)
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
    # what the other has then: for each card that I name and they had, the one that lay in my place
    mine, had = dict(zip(five, side.played, strict=False)), state.side(other, round).played
    theirs = tuple(mine[id] if id in mine and mine[id] not in five else id for id in had)
    if theirs == had:
        yield CardsCorrected(seat, round, cards, declared)
    else:
        yield SidesCorrected(round, {seat: cards, other: theirs})


class _Kept(_OfSide):
    """Only the five cards of that round come back into the hand. A round scored by hand knows no cards."""

    chooses: ClassVar[tuple[tuple[str, str], ...]]  # `kept` or `discarded`, and the field that says which

    def fold(self, state: State) -> State:
        number, who = self.round, state.name(self.seat)
        chosen = {how: getattr(self, field) for how, field in self.chooses}
        for id in filter(None, chosen.values()):
            played, early = state.side(self.seat, number).played, number == state.round
            refuse_if(number == ROUNDS, "There is no refresh after round 3.")
            refuse_if(early and state.stage != "refresh", f"Round {number} has not come to its refresh.")
            other, name = state.at(number).known(self.seat) and id not in played, card(id).name
            refuse_if(other, f"{name} is not one of the five cards that {who} played in round {number}.")
            refuse_if(id in state.kept_before(self.seat, number), f"{who} keeps {name} already.")
        return self.changed(state, **chosen)


class CardKept(_Kept, _OfCard, tap="keep_card", seat=SeatId, round=Number, card=Choice):
    chooses = (("kept", "card"),)


class CardDiscarded(_Kept, _OfCard, tap="discard_card", seat=SeatId, round=Number, card=Choice):
    chooses = (("discarded", "card"),)


class RefreshCorrected(_Kept, tap="correct_refresh", seat=SeatId, round=Number, kept=Named, discarded=Named):
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
        both, out = self.kept.items(), self.discarded
        rows = [f"{state.name(seat)} keeps {card(id).name}, out: {card(out[seat]).name}" for seat, id in both]
        return f"after round {self.round} {'; '.join(rows)}"


def choose_refresh(
    state: State, context: Context, seat: SeatId, round: Number, what: What, card: Choice
) -> Events:
    """One to keep and one to discard, in any order, face down until both have chosen both."""
    over, about = round < state.round or state.side(seat, round).kept, state.about()
    refuse_if(over, f"The refresh after round {round} is over already.")
    (CardKept if what == "kept" else CardDiscarded)(seat, round, card).fold(state)  # or it cannot be that
    before = zip(get_args(What), chosen_refresh(sealed.choice_of(state.table, about, seat)), strict=True)
    chosen = {how: sealed.OPEN if id == card else id for how, id in before}  # what was to be the other one
    words = " ".join((chosen | {what: card}).values())
    if both := (yield from sealed.seal(state, context, seat, about, words, state.table.ids)):
        kept, gone = ({seat: choice.split()[at] for seat, choice in both.items()} for at in (0, 1))
        yield RefreshRevealed(round, kept, gone)


def chosen_refresh(words: str) -> tuple[str, str]:
    """What to keep and what to discard, as it was sealed."""
    kept, _, discarded = words.partition(" ")
    return kept or sealed.OPEN, discarded or sealed.OPEN
