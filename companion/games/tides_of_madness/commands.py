"""What players can tap: the draft, the scoring of a round by cards or by hand, and the refresh."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.core.checklist import SetupTicked, to_tick
from companion.games.tides_of_madness import events
from companion.games.tides_of_madness.adjudication import adjudicate
from companion.games.tides_of_madness.cards import DREAMLANDS, card, suit
from companion.games.tides_of_madness.house_rules import DREAMLANDS_TOKEN
from companion.games.tides_of_madness.rounds import check_scored, score_game
from companion.games.tides_of_madness.state import CHECKLIST, PICKS, ROUNDS, Bonus, State, Typed

NOTHING = "none"  # what a form sends for an empty place
MOST_POINTS = 150  # no seven cards give as much; anything beyond is a slip of the thumb

Number = Annotated[Count, Field(ge=1, le=ROUNDS)]
Points = Annotated[Count, Field(le=MOST_POINTS)]
Done = Literal["yes", "no"]


# --- set-up, and five picks of choose, reveal and pass ---


def tick(state: State, context: Context, item: Choice, done: Done = "yes") -> Iterator[Event]:
    label = to_tick(state.ticked, item, dict(CHECKLIST).get(item), done == "yes")
    yield SetupTicked(item, label, done == "yes")


def begin_round(state: State, context: Context, after: Annotated[Count, Field(le=ROUNDS)]) -> Iterator[Event]:
    """Both phones may press this at once; the second one is late, not a second round."""
    if after != state.round:
        raise Refused(f"Round {after + 1} has begun already." if after < state.round else "Not yet.")
    if state.stage not in ("setup", "refresh"):
        raise Refused(f"Round {state.round} is not over yet.")
    _check_going_on(state)
    if after:
        _check_refreshed(state, after)
    yield events.RoundBegun(after + 1)


def _check_going_on(state: State) -> None:
    verdict = adjudicate(state)
    if verdict.final:
        raise Refused(f"The game is over. {verdict.summary}")


def _check_refreshed(state: State, number: int) -> None:
    """Where the cards are known the calculator needs to know what was kept; by hand nobody has to say."""
    for seat in state.table.seats if not state.at(number).by_hand else ():
        side = state.at(number).side(seat.id)
        for verb, id in (("keep", side.kept), ("discard", side.discarded)):
            if not id:
                raise Refused(f"{seat.name} still chooses a card to {verb}.")


def next_pick(
    state: State, context: Context, round: Number, after: Annotated[Count, Field(le=PICKS)]
) -> Iterator[Event]:
    if not state.drafts(round):
        raise Refused(f"The draft of round {round} is over already.")
    if after != state.picks:
        raise Refused(f"Pick {after + 1} is counted already; this is pick {state.picks + 1}.")
    yield events.PickMade(round, after + 1)
    if after + 1 == PICKS:
        yield events.ScoringBegun(round)


def begin_scoring(state: State, context: Context, round: Number) -> Iterator[Event]:
    """For a table that does not count its picks."""
    if not state.drafts(round):
        raise Refused(f"The draft of round {round} is over already.")
    yield events.ScoringBegun(round)


def play_card(state: State, context: Context, seat: SeatId, round: Number, card: Choice) -> Iterator[Event]:
    """With the tenth card of a round nothing is left to draft."""
    yield events.CardPlayed(seat, round, card)
    if state.drafts(round):
        mine, theirs = state.at(round).side(seat), state.at(round).side(state.other(seat))
        if (len(mine.played), len(theirs.played)) == (PICKS - 1, PICKS):
            yield events.ScoringBegun(round)


def take_up_card(
    state: State, context: Context, seat: SeatId, round: Number, card: Choice
) -> Iterator[Event]:
    yield events.CardTakenUp(seat, round, card)


# --- scoring ---


def declare_suit(
    state: State, context: Context, seat: SeatId, round: Number, suit: Choice
) -> Iterator[Event]:
    if state.at(round).side(seat).wild == suit:
        raise Refused("That is declared already.")
    yield events.SuitDeclared(seat, round, suit)


def choose_bonus(
    state: State, context: Context, seat: SeatId, round: Number, choice: Bonus
) -> Iterator[Event]:
    if state.at(round).bonus == (seat, choice):
        raise Refused("That is chosen already.")
    yield events.BonusChosen(seat, round, choice)


def decide_token(state: State, context: Context, seat: SeatId, round: Number, takes: Done) -> Iterator[Event]:
    if DREAMLANDS_TOKEN.chosen(state.table) == "must":
        raise Refused(f"At this table {card(DREAMLANDS).name} must take its token.")
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
) -> Iterator[Event]:
    """All five at once, so that two cards can change places. An empty place is filled in later."""
    asked = [each for each in (first, second, third, fourth, fifth) if each != NOTHING]
    cards = tuple(card(each).id for each in asked)
    twice = next((each for each in cards if cards.count(each) > 1), None)
    if twice:
        raise Refused(f"{card(twice).name} cannot be in two places.")
    dreams = DREAMLANDS in cards or DREAMLANDS in state.kept_before(seat, round)
    declared = suit(wild).id if wild != NOTHING and dreams else ""
    side = state.at(round).side(seat)
    if (side.played, side.wild) == (cards, declared):
        raise Refused("It says that already.")
    yield events.CardsCorrected(seat, round, cards, declared)


# --- a round without the calculator: its points and its Madness, typed in ---


def score_by_hand(state: State, context: Context, round: Number) -> Iterator[Event]:
    if state.at(round).by_hand:
        raise Refused(f"Round {round} is scored by hand already.")
    yield events.WayChosen(round, by_hand=True)
    scored = score_game(state)[round - 1]
    for seat, side in scored.sides.items():  # what the cards gave is where the typing starts
        if scored.complete and state.at(round).side(seat).typed is None:
            yield events.RoundTyped(seat, round, side.cards, side.gained, scored.dreamer == seat)


def score_by_cards(state: State, context: Context, round: Number) -> Iterator[Event]:
    if not state.at(round).by_hand:
        raise Refused(f"Round {round} is scored card by card already.")
    yield events.WayChosen(round, by_hand=False)


def enter_round(
    state: State,
    context: Context,
    seat: SeatId,
    round: Number,
    madness: Count,
    vp: Points,
    dreamlands: Done = "no",
) -> Iterator[Event]:
    """The bonus is not typed: whoever gained more is asked, as in any other round."""
    if state.drafts(round):
        raise Refused(f"The draft of round {round} is not over yet.")
    scored = PICKS + round - 1
    if madness > scored:
        raise Refused(f"{scored} cards are scored in round {round}, so {scored} Madness are the most.")
    if state.at(round).side(seat).typed == Typed(vp, madness, dreamlands == "yes"):
        raise Refused("It says that already.")
    if not state.at(round).by_hand:
        yield events.WayChosen(round, by_hand=True)
    yield events.RoundTyped(seat, round, vp, madness, dreamlands == "yes")


# --- after rounds 1 and 2: keep one card, discard one ---


def begin_refresh(state: State, context: Context, round: Number) -> Iterator[Event]:
    if state.round > round or (state.round == round and state.stage == "refresh"):
        raise Refused(f"Round {round} is in its refresh already, or past it.")
    state.at(round)
    if state.stage != "scoring":
        raise Refused(f"Round {round} has not come to its scoring.")
    check_scored(state, round)
    _check_going_on(state)
    yield events.RefreshBegun(round)


def keep_card(state: State, context: Context, seat: SeatId, round: Number, card: Choice) -> Iterator[Event]:
    if state.refreshed(round).side(seat).kept == card:
        raise Refused("That is the kept card already.")
    yield events.CardKept(seat, round, card)


def discard_card(
    state: State, context: Context, seat: SeatId, round: Number, card: Choice
) -> Iterator[Event]:
    if state.refreshed(round).side(seat).discarded == card:
        raise Refused("That is the discarded card already.")
    yield events.CardDiscarded(seat, round, card)


def correct_refresh(
    state: State, context: Context, seat: SeatId, round: Number, kept: Choice, discarded: Choice
) -> Iterator[Event]:
    side = state.refreshed(round).side(seat)
    now = tuple("" if id == NOTHING else card(id).id for id in (kept, discarded))
    if now == (side.kept, side.discarded):
        raise Refused("It says that already.")
    yield events.RefreshCorrected(seat, round, *now)
