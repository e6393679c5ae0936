"""What players can tap: the draft, the scoring of a round by cards or by hand, and the refresh."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId, refuse_if
from companion.core.text import same_name
from companion.games.tides_of_madness import events
from companion.games.tides_of_madness.adjudication import adjudicate
from companion.games.tides_of_madness.cards import DREAMLANDS, DREAMLANDS_TOKEN, DREAMS, card, suit
from companion.games.tides_of_madness.rounds import scored_round
from companion.games.tides_of_madness.state import PICKS, ROUNDS, Bonus, State, Typed

NOTHING = "none"  # what a form sends for an empty place

Events: TypeAlias = Iterator[Event]
Number = Annotated[Count, Field(ge=1, le=ROUNDS)]
After = Annotated[Count, Field(le=ROUNDS)]  # that round, or the set-up
Picks = Annotated[Count, Field(le=PICKS)]
Points = Annotated[Count, Field(le=150)]  # no seven cards give as much; more is a slip of the thumb
Done = Literal["yes", "no"]


# --- five picks of choose, reveal and pass ---


def begin_round(state: State, context: Context, after: After) -> Events:
    """Both phones may press this at once; the second one is late, not a second round."""
    refuse_if(after < state.round, f"Round {after + 1} has begun already.")
    refuse_if(after > state.round, "Not yet.")
    refuse_if(state.stage not in ("setup", "refresh"), f"Round {state.round} is not over yet.")
    adjudicate(state).check_going_on()
    # where the cards are known the calculator needs to know what was kept; by hand nobody has to say
    for seat in state.table.seats if after and not state.at(after).by_hand else ():
        side = state.side(seat.id, after)
        for verb, id in (("keep", side.kept), ("discard", side.discarded)):
            refuse_if(not id, f"{seat.name} still chooses a card to {verb}.")
    yield events.RoundBegun(after + 1)


def next_pick(state: State, context: Context, round: Number, after: Picks) -> Events:
    yield events.PickMade(round, after + 1)
    if after + 1 == PICKS:
        yield events.ScoringBegun(round)


def begin_scoring(state: State, context: Context, round: Number) -> Events:
    """For a table that does not count its picks."""
    yield events.ScoringBegun(round)


def play_card(state: State, context: Context, seat: SeatId, round: Number, card: Choice) -> Events:
    """With the tenth card of a round nothing is left to draft."""
    yield events.CardPlayed(seat, round, card)
    if state.drafts(round):
        mine, theirs = (len(state.side(one, round).played) for one in (seat, state.other(seat)))
        if (mine, theirs) == (PICKS - 1, PICKS):
            yield events.ScoringBegun(round)


def take_up_card(state: State, context: Context, seat: SeatId, round: Number, card: Choice) -> Events:
    yield events.CardTakenUp(seat, round, card)


# --- scoring ---


def declare_suit(state: State, context: Context, seat: SeatId, round: Number, suit: Choice) -> Events:
    refuse_if(suit == state.side(seat, round).wild, "That is declared already.")
    yield events.SuitDeclared(seat, round, suit)


def choose_bonus(state: State, context: Context, seat: SeatId, round: Number, choice: Bonus) -> Events:
    refuse_if(state.at(round).bonus == (seat, choice), "That is chosen already.")
    yield events.BonusChosen(seat, round, choice)


def decide_token(state: State, context: Context, seat: SeatId, round: Number, takes: Done) -> Events:
    must = DREAMLANDS_TOKEN.chosen(state.table) == "must"
    refuse_if(must, f"At this table {DREAMS} must take its token.")
    yield events.TokenDecided(seat, round, takes == "yes")


def correct_cards(
    state: State,
    context: Context,
    seat: SeatId,
    round: Number,
    first: Choice,
    second: Choice,
    third: Choice,
    fourth: Choice,
    fifth: Choice,
    wild: Choice = NOTHING,
) -> Events:
    """All five at once, so that two cards can change places. An empty place is filled in later."""
    cards = tuple(card(each).id for each in (first, second, third, fourth, fifth) if each != NOTHING)
    if twice := same_name(cards):
        raise Refused(f"{card(twice).name} cannot be in two places.")
    dreams = DREAMLANDS in cards or DREAMLANDS in state.kept_before(seat, round)
    declared = suit(wild).id if wild != NOTHING and dreams else ""
    side = state.side(seat, round)
    refuse_if((side.played, side.wild) == (cards, declared), "It says that already.")
    yield events.CardsCorrected(seat, round, cards, declared)


# --- a round without the calculator: its points and its Madness, typed in ---


def score_by_hand(state: State, context: Context, round: Number) -> Events:
    refuse_if(state.at(round).by_hand, f"Round {round} is scored by hand already.")
    yield events.WayChosen(round, by_hand=True)
    scored = scored_round(state, round)
    for seat, side in scored.sides.items():  # what the cards gave is where the typing starts
        if scored.complete and state.side(seat, round).typed is None:
            yield events.RoundTyped(seat, round, side.cards, side.gained, scored.dreamer == seat)


def score_by_cards(state: State, context: Context, round: Number) -> Events:
    refuse_if(not state.at(round).by_hand, f"Round {round} is scored card by card already.")
    yield events.WayChosen(round, by_hand=False)


def enter_round(
    state: State,
    context: Context,
    seat: SeatId,
    round: Number,
    madness: Count,
    vp: Points,
    dreamlands: Done = "no",
) -> Events:
    """The bonus is not typed: whoever gained more is asked, as in any other round."""
    scored, typed = PICKS + round - 1, Typed(vp, madness, dreamlands == "yes")
    most = f"{scored} cards are scored in round {round}, so {scored} Madness are the most."
    refuse_if(state.drafts(round), f"The draft of round {round} is not over yet.")
    refuse_if(madness > scored, most)
    refuse_if(state.side(seat, round).typed == typed, "It says that already.")
    if not state.at(round).by_hand:
        yield events.WayChosen(round, by_hand=True)
    yield events.RoundTyped(seat, round, *typed)


# --- after rounds 1 and 2: keep one card, discard one ---


def begin_refresh(state: State, context: Context, round: Number) -> Events:
    adjudicate(state).check_going_on()
    yield events.RefreshBegun(round)


def keep_card(state: State, context: Context, seat: SeatId, round: Number, card: Choice) -> Events:
    refuse_if(state.refreshed(seat, round).kept == card, "That is the kept card already.")
    yield events.CardKept(seat, round, card)


def discard_card(state: State, context: Context, seat: SeatId, round: Number, card: Choice) -> Events:
    refuse_if(state.refreshed(seat, round).discarded == card, "That is the discarded card already.")
    yield events.CardDiscarded(seat, round, card)


def correct_refresh(
    state: State, context: Context, seat: SeatId, round: Number, kept: Choice, discarded: Choice
) -> Events:
    side = state.refreshed(seat, round)
    now = tuple("" if id == NOTHING else card(id).id for id in (kept, discarded))
    refuse_if((side.kept, side.discarded) == now, "It says that already.")
    yield events.RefreshCorrected(seat, round, *now)
