"""The odds of a fight as this table stands, for each choice of who rests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from companion.core import Do, Tap
from companion.core.pieces import Fold, Note, Own, Piece
from companion.core.text import capital
from companion.games.escape_the_dark_castle.combat import Fight, Fighter, shown
from companion.games.escape_the_dark_castle.odds import Odds, weigh
from companion.games.escape_the_dark_castle.rounds import why_no_rest
from companion.games.escape_the_dark_castle.state import State

RECKONED = (
    "Exactly, over every face. The forecast takes it that nobody rests after this round, "
    "and that no items are used."
)
HOW = Fold("policy", "How is that reckoned?", (Note("policy-words", RECKONED),))


def choices(state: State, fight: Fight) -> tuple[str, ...]:
    """Who could rest in this round; "" is nobody. What is chosen now is always among them."""
    if fight.rests and fight.sides:
        return (fight.rests,)
    if fight.rests:  # they could change their minds
        return ("", *(hero for hero in fight.heroes if hero == fight.rests or hero in fight.fighting))
    return ("", *(hero for hero in fight.fighting if not why_no_rest(state, fight, hero)))


def weighed(state: State, fight: Fight) -> Mapping[str, Odds]:
    """By who rests. Nothing to weigh when no die is left, or where nobody would fight."""
    if not fight.dice or state.fallen:
        return {}
    might, cunning, wisdom = fight.stock.values()
    there = {hero for hero in fight.heroes if fight.stance(hero).part != "out"}
    options = [each for each in choices(state, fight) if there - {each}]
    places = tuple([fight.heroes.index(each) if each else None for each in options])
    team = tuple([_fighter(state, fight, hero, hero not in there) for hero in fight.heroes])
    return dict(zip(options, weigh((might, cunning, wisdom), team, fight.damage, places), strict=True))


def _fighter(state: State, fight: Fight, hero: str, out: bool) -> Fighter:
    known = shown(fight.sides[hero]) if hero in fight.sides else None
    return Fighter(hero, state.hero(hero).health, state.cap, fight.hit(hero), known, out)


# --- as a picture ---


class Chance(NamedTuple):
    """One choice of who rests, as a picture."""

    id: str
    tap: Tap  # chooses it
    who: str
    clear: int  # per cent, the height of its bar
    survive: int
    clear_words: str
    survive_words: str
    hurt: str


def odds_board(state: State, fight: Fight) -> tuple[Piece, ...]:
    found = weighed(state, fight)
    if not found:
        return ()
    chances = tuple([_chance(state, fight, rests, odds) for rests, odds in found.items()])
    now = found.get(fight.rests)
    mean = (Note("castle-mean", _mean(state, fight, now)),) if now else ()
    return Own("castle-odds", "odds", chances), *mean, HOW


def _mean(state: State, fight: Fight, odds: Odds) -> str:
    hurt = [f"{state.who(hero)} {n:.1f}" for hero, n in zip(fight.heroes, odds.damage, strict=True)]
    return f"{odds.removed:.1f} dice fall on average; damage {', '.join(hurt)}"


def _chance(state: State, fight: Fight, rests: str, odds: Odds) -> Chance:
    who = state.who(rests) if rests else "All fight"
    label = f"{capital(who)} rests" if rests else who
    clear, survive = per_cent(odds.clear), per_cent(odds.survive)
    chosen, seat = fight.rests == rests, state.table.seat(state.hero(rests).seat) if rests else None
    words = f"{label}: {clear} % to clear it this round, {survive} % that all survive the fight."
    tap = Tap(words, None if chosen else _choose(state, fight, rests), on=chosen, seat=seat)
    heights, hurt = (round(100 * odds.clear), round(100 * odds.survive)), f"−{sum(odds.damage):.1f}"
    return Chance(f"chance-{rests or 'none'}", tap, who, *heights, clear, survive, hurt)


def _choose(state: State, fight: Fight, rests: str) -> Do:
    """One tap changes who rests, where that is still open."""
    hero = state.hero(rests or fight.rests)
    args: dict[str, str | int] = {"seat": hero.seat, "hero": hero.id, "round": fight.round}
    if rests and fight.rests:
        return Do("let_rest", args)
    return Do("take_part", {**args, "part": "rest" if rests else "fight"})


def per_cent(chance: float) -> str:
    """Never 0 or 100 for what is not certain."""
    if 0 < chance < 0.005:
        return "<1"
    return ">99" if 0.995 < chance < 1 - 1e-9 else str(round(100 * chance))
