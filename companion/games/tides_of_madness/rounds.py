"""Scoring as the manual orders it: Madness, the bonus, Dreamlands, objectives; then the check for nine.

Nothing in here is stored. It follows from the facts, so a corrected card of round 1 reaches round 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from companion.core import Seat, counted, kept_on, once, replace
from companion.games.tides_of_madness import cards
from companion.games.tides_of_madness.state import LIMIT, PICKS, Bonus, Round, State

POINTS = 4  # the bonus, for whoever does not heal

MissingKind = Literal["typed", "cards", "kept", "wild", "bonus", "token", "refresh"]


class Missing(NamedTuple):
    """What the round still waits for, and from whom."""

    round: int
    seat: int
    what: MissingKind
    sentence: str
    form: str = ""  # that puts it right


class Score(NamedTuple):
    """One seat in one round."""

    seat: int
    before: int  # Madness when the scoring began
    gained: int = 0
    compared: int = 0  # what counts towards the bonus
    healed: int = 0
    moved: int = 0  # +1: Dreamlands took a token; −1: it was taken from here
    bonus: int = 0
    cards: int = 0
    card_vp: tuple[cards.CardVP, ...] = ()

    @property
    def after(self) -> int:
        return self.held - self.healed + self.moved

    @property
    def held(self) -> int:
        """After step 1, before the bonus."""
        return self.before + self.gained

    @property
    def points(self) -> int:
        return self.cards + self.bonus

    @property
    def lost(self) -> bool:
        return self.after >= LIMIT

    @property
    def saved(self) -> bool:
        """Healing brought this player back under nine, before anybody checked."""
        return self.after < LIMIT <= self.after + self.healed


@dataclass(frozen=True)
class Scored:
    """A round with all that follows from its facts so far."""

    round: int
    by_hand: bool
    sides: Mapping[int, Score]
    chooser: int | None = None  # who gained more Madness
    choice: Bonus | None = None
    dreamer: int | None = None  # who has Dreamlands
    left: bool = False  # and did not want its token
    missing: tuple[Missing, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.missing

    @property
    def waits(self) -> str:
        """For what, in a sentence; for the first thing of several."""
        return self.missing[0].sentence if self.missing else ""

    @property
    def entered(self) -> bool:
        """Before all of it is in, no step of the scoring can be shown."""
        return not any(each.what in ("cards", "kept", "typed", "wild") for each in self.missing)

    def waiting(self, what: MissingKind, seat: int, sentence: str) -> Scored:
        return replace(self, missing=(Missing(self.round, seat, what, sentence),))

    def waits_for(self, what: MissingKind, seat: int | None = None) -> bool:
        return any(each.what == what and seat in (None, each.seat) for each in self.missing)


@once
def score_game(state: State) -> tuple[Scored, ...]:
    scored: list[Scored] = []
    for round in state.rounds:
        rests_on = (state.table.seats, state.table.choices, state.rounds[: round.number - 1])
        held = {seat: scored[-1].sides[seat].after if scored else 0 for seat in state.table.ids}
        scored.append(_score_round(round, rests_on, state=state, held=held))
    return tuple(scored)


def scored_round(state: State, number: int) -> Scored:
    state.at(number)  # or it has not begun
    return score_game(state)[number - 1]


@kept_on  # most taps change the last round only, and what `rests_on` says is all that a round looks at
def _score_round(round: Round, rests_on: object, *, state: State, held: Mapping[int, int]) -> Scored:
    missing = tuple([each for seat in state.table.seats for each in _wanted(state, round, seat)])
    sides = {seat: _gain(state, round, seat, before) for seat, before in held.items()}
    dreamer = next((seat for seat in held if state.dreams(seat, round.number)), None)
    scored = Scored(round.number, round.by_hand, sides, dreamer=dreamer, missing=missing)
    if scored.complete:
        scored = _give_bonus(state, round, scored)
    if scored.entered:  # also before the bonus is chosen, so that nobody chooses by points that go away
        scored = _move_token(state, round, scored)
    return replace(scored, sides={seat: _count(state, round, side) for seat, side in scored.sides.items()})


def _wanted(state: State, round: Round, seat: Seat) -> Iterator[Missing]:
    side, number = round.side(seat.id), round.number

    def wanted(what: MissingKind, sentence: str, form: str = "", about: int = number) -> Missing:
        return Missing(number, seat.id, what, f"{seat.name} {sentence}.", f"{form or what}-{about}-{seat.id}")

    if round.by_hand:
        if side.typed is None:
            yield wanted("typed", f"enters VP and Madness of round {number}")
        return
    for earlier in state.rounds[: number - 1]:
        if not earlier.side(seat.id).kept:
            words = f"names the card kept after round {earlier.number}"
            yield wanted("kept", words, "refresh", earlier.number)
    if needed := PICKS - len(side.played):
        yield wanted("cards", f"taps {counted(needed, 'more card')}")
        return
    if not side.wild and state.dreams(seat.id, number):
        yield wanted("wild", f"declares the suit of {cards.DREAMS}")
    # after a correction, what was kept or discarded may no longer be among the cards of that round
    for verb, id in side.named:
        if id not in side.played:
            name = cards.card(id).name
            yield wanted("refresh", f"{verb} {name} after round {number} without having played it")


def _gain(state: State, round: Round, seat: int, before: int) -> Score:
    """Step 1: a token for each icon."""
    new_only = cards.KEPT_ICONS.chosen(state.table) == "new"
    if round.by_hand:
        typed = round.typed(seat)
        compared = typed.new if new_only and typed.new is not None else typed.madness
        return Score(seat, before, typed.madness, compared)
    spread = state.spread(seat, round.number)
    gained = spread.icons if cards.KEPT_MADNESS.chosen(state.table) == "again" else spread.new_icons
    return Score(seat, before, gained, spread.new_icons if new_only else gained)


def _give_bonus(state: State, round: Round, scored: Scored) -> Scored:
    """Step 2: whoever gained more takes points or heals; a tie gives nobody anything."""
    one, other = scored.sides.values()
    if one.compared == other.compared:
        return scored
    side = max(one, other, key=lambda side: side.compared)
    if round.bonus is None or round.bonus[0] != side.seat:
        sentence = f"{state.name(side.seat)} gained more Madness and chooses: {POINTS} VP, or heal 1."
        return replace(scored.waiting("bonus", side.seat, sentence), chooser=side.seat)
    choice = round.bonus[1]
    side = side._replace(healed=min(1, side.after)) if choice == "heal" else side._replace(bonus=POINTS)
    return replace(scored, chooser=side.seat, choice=choice, sides={**scored.sides, side.seat: side})


def _move_token(state: State, round: Round, scored: Scored) -> Scored:
    """After the bonus and before the objectives, so it counts for Necronomicon and for the check."""
    if scored.dreamer is None:
        return scored
    mine, theirs = scored.sides[scored.dreamer], scored.sides[state.other(scored.dreamer)]
    empty = theirs.after == 0
    if empty and cards.EMPTY_HANDED.chosen(state.table) == "nothing":
        return scored
    must = round.by_hand or cards.DREAMLANDS_TOKEN.chosen(state.table) == "must"
    takes = must or round.side(mine.seat).takes
    if takes is None and scored.missing:  # the bonus comes first
        return scored
    if takes is None:
        sentence = f"{state.name(mine.seat)} decides whether {cards.DREAMS} takes a token."
        return scored.waiting("token", mine.seat, sentence)
    mine = mine._replace(moved=int(takes))
    theirs = theirs._replace(moved=-1 if takes and not empty else 0)
    return replace(scored, left=not takes, sides={**scored.sides, mine.seat: mine, theirs.seat: theirs})


def _count(state: State, round: Round, side: Score) -> Score:
    """Step 3, also while cards are still being tapped: then it is what they would give so far."""
    if round.by_hand:
        return side._replace(cards=round.typed(side.seat).vp)
    both = [state.spread(seat, round.number) for seat in (side.seat, state.other(side.seat))]
    card_vp = cards.score(*both, side.after, cards.KEPT_SHUB.chosen(state.table) == "before")
    return side._replace(card_vp=card_vp, cards=sum([each.points for each in card_vp]))
