"""Scoring as the manual orders it: Madness, the bonus, Dreamlands, objectives; then the check for nine.

Nothing in here is stored. It follows from the facts, so a corrected card of round 1 reaches round 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from companion.core import Seat
from companion.games.tides_of_madness.cards import DREAMLANDS, card
from companion.games.tides_of_madness.house_rules import (
    DREAMLANDS_TOKEN,
    EMPTY_HANDED,
    KEPT_ICONS,
    KEPT_MADNESS,
    KEPT_SHUB,
    chose,
)
from companion.games.tides_of_madness.scoring import Line, Spread, score
from companion.games.tides_of_madness.state import LIMIT, PICKS, Bonus, Round, State

POINTS = 4  # the bonus, for whoever does not heal

Asked = Literal["typed", "cards", "kept", "wild", "bonus", "token", "refresh"]


@dataclass(frozen=True)
class Missing:
    """What the round still waits for, and from whom."""

    round: int
    seat: int
    what: Asked
    sentence: str
    after: int = 0  # the round whose refresh it is about


@dataclass(frozen=True)
class Score:
    """One seat in one round."""

    seat: int
    before: int  # Madness when the scoring began
    gained: int = 0
    compared: int = 0  # what counts towards the bonus
    healed: int = 0
    moved: int = 0  # +1: Dreamlands took a token; −1: it was taken from here
    bonus: int = 0
    cards: int = 0
    lines: tuple[Line, ...] = ()

    @property
    def after(self) -> int:
        return self.before + self.gained - self.healed + self.moved

    @property
    def points(self) -> int:
        return self.cards + self.bonus

    @property
    def saved(self) -> bool:
        """Healing brought this player back under nine, before anybody checked."""
        return self.healed > 0 and self.after < LIMIT <= self.after + self.healed


@dataclass(frozen=True)
class Scored:
    """A round with all that follows from its facts so far."""

    round: int
    by_hand: bool
    sides: Mapping[int, Score]
    chooser: int | None = None  # who gained more Madness
    choice: Bonus | None = None
    dreamer: int | None = None  # who has Dreamlands
    missing: tuple[Missing, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.missing

    @property
    def mad(self) -> tuple[int, ...]:
        return tuple(seat for seat, score in self.sides.items() if score.after >= LIMIT)

    def waits_for(self, what: Asked, seat: int | None = None) -> bool:
        return any(each.what == what and seat in (None, each.seat) for each in self.missing)


def score_game(state: State) -> tuple[Scored, ...]:
    held = {seat.id: 0 for seat in state.table.seats}
    scored = []
    for round in state.rounds:
        scored.append(score_round(state, round, held))
        held = {seat: side.after for seat, side in scored[-1].sides.items()}
    return tuple(scored)


def score_round(state: State, round: Round, held: Mapping[int, int]) -> Scored:
    missing = tuple(_missing_cards(state, round))
    sides = {seat: _gain(state, round, seat, before) for seat, before in held.items()}
    scored = Scored(round.number, round.by_hand, sides, dreamer=_dreamer(state, round), missing=missing)
    if not missing:
        scored = _give_bonus(state, round, scored)
    if not scored.missing:
        scored = _move_token(state, round, scored)
    return _count_objectives(state, round, scored)


def _missing_cards(state: State, round: Round) -> Iterator[Missing]:
    for seat in state.table.seats:
        yield from _wanted(state, round, seat)


def _wanted(state: State, round: Round, seat: Seat) -> Iterator[Missing]:
    def wanted(what: Asked, sentence: str, after: int = round.number) -> Missing:
        return Missing(round.number, seat.id, what, f"{seat.name} {sentence}.", after)

    side, needed = round.side(seat.id), PICKS - len(round.side(seat.id).played)
    if round.by_hand:
        if side.typed is None:
            yield wanted("typed", f"enters VP and Madness of round {round.number}")
        return
    for earlier in state.rounds[: round.number - 1]:
        if not earlier.side(seat.id).kept:
            yield wanted("kept", f"names the card kept after round {earlier.number}", earlier.number)
    if needed:
        yield wanted("cards", f"taps {needed} more {'card' if needed == 1 else 'cards'}")
        return
    if state.spread(seat.id, round.number).has(DREAMLANDS) and not side.wild:
        yield wanted("wild", f"declares the suit of {card(DREAMLANDS).name}")
    # after a correction, what was kept or discarded may no longer be among the cards of that round
    for verb, id in (("kept", side.kept), ("discarded", side.discarded)):
        if id and id not in side.played:
            yield wanted(
                "refresh", f"{verb} {card(id).name} after round {round.number} without having played it"
            )


def _dreamer(state: State, round: Round) -> int | None:
    for seat in state.table.seats:
        typed = round.side(seat.id).typed
        if round.by_hand and typed and typed.dreamlands:
            return seat.id
        if not round.by_hand and state.spread(seat.id, round.number).has(DREAMLANDS):
            return seat.id
    return None


def _gain(state: State, round: Round, seat: int, before: int) -> Score:
    """Step 1: a token for each icon."""
    if round.by_hand:
        typed = round.side(seat).typed
        gained = typed.madness if typed else 0
        return Score(seat, before, gained, gained)
    spread = state.spread(seat, round.number)
    gained = spread.icons(kept_too=chose(state.table, KEPT_MADNESS, "again"))
    new_only = chose(state.table, KEPT_ICONS, "new")
    return Score(seat, before, gained, spread.icons(kept_too=False) if new_only else gained)


def _give_bonus(state: State, round: Round, scored: Scored) -> Scored:
    """Step 2: whoever gained more takes points or heals; a tie gives nobody anything."""
    one, other = scored.sides.values()
    if one.compared == other.compared:
        return scored
    chooser = one.seat if one.compared > other.compared else other.seat
    scored = replace(scored, chooser=chooser)
    if round.bonus is None or round.bonus[0] != chooser:
        sentence = f"{state.name(chooser)} gained more Madness and chooses: {POINTS} VP, or heal 1."
        return replace(scored, missing=(Missing(round.number, chooser, "bonus", sentence),))
    choice = round.bonus[1]
    side = scored.sides[chooser]
    side = replace(side, healed=min(1, side.after)) if choice == "heal" else replace(side, bonus=POINTS)
    return replace(scored, choice=choice, sides={**scored.sides, chooser: side})


def _move_token(state: State, round: Round, scored: Scored) -> Scored:
    """After the bonus and before the objectives, so it counts for Necronomicon and for the check."""
    if scored.dreamer is None:
        return scored
    mine = scored.sides[scored.dreamer]
    theirs = scored.sides[state.other(scored.dreamer)]
    empty = theirs.after == 0
    if empty and chose(state.table, EMPTY_HANDED, "nothing"):
        return scored
    if not round.by_hand and chose(state.table, DREAMLANDS_TOKEN, "may"):
        takes = round.side(mine.seat).takes
        if takes is None:
            sentence = f"{state.name(mine.seat)} decides whether {card(DREAMLANDS).name} takes a token."
            return replace(scored, missing=(Missing(round.number, mine.seat, "token", sentence),))
        if not takes:
            return scored
    mine = replace(mine, moved=1)
    theirs = replace(theirs, moved=0 if empty else -1)
    return replace(scored, sides={**scored.sides, mine.seat: mine, theirs.seat: theirs})


def _count_objectives(state: State, round: Round, scored: Scored) -> Scored:
    """Step 3, also while cards are still being tapped: then it is what they would give so far."""
    sides = {}
    for seat, side in scored.sides.items():
        if round.by_hand:
            typed = round.side(seat).typed
            sides[seat] = replace(side, cards=typed.vp if typed else 0)
        else:
            lines = score_cards(state, seat, round.number, side.after)
            sides[seat] = replace(side, lines=lines, cards=sum(line.points for line in lines))
    return replace(scored, sides=sides)


def score_cards(state: State, seat: int, number: int, tokens: int, wild: str = "") -> tuple[Line, ...]:
    """One seat's cards; with `wild` as if Dreamlands, wherever it lies, were declared so."""
    mine, theirs = state.spread(seat, number), state.spread(state.other(seat), number)
    if wild:
        mine, theirs = _declared(mine, wild), _declared(theirs, wild)
    return score(mine, theirs, tokens, chose(state.table, KEPT_SHUB, "before"))


def _declared(spread: Spread, wild: str) -> Spread:
    return replace(spread, wild=wild) if spread.has(DREAMLANDS) else spread


def missing(scored: tuple[Scored, ...]) -> tuple[Missing, ...]:
    return tuple(each for round in scored for each in round.missing)


def what_if(state: State, number: int, choice: Bonus) -> Scored:
    """The round as it would be scored with this bonus."""
    scored = score_game(state)
    round, chooser = state.at(number), scored[number - 1].chooser
    if chooser is None:
        return scored[number - 1]
    return score_game(state.with_round(replace(round, bonus=(chooser, choice))))[number - 1]
