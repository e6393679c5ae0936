"""What follows from what, to its end: each chain is worked out here, shown on the phones, and then applied.

A chain is a row of links, each a sentence and the fact that makes it true. Pure: it looks at the state and
changes nothing, so what is shown is what will happen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.core import Event
from companion.core.pieces import Note, Piece, Stage, Steps
from companion.core.text import counted
from companion.games.mountains_of_madness import box, moves
from companion.games.mountains_of_madness.house_rules import SPOKEN_CONFUSION, TOKEN_ORIGIN
from companion.games.mountains_of_madness.state import State, TokenPlace
from companion.games.mountains_of_madness.turn import LATER, SPOKEN, Find, Penalty


@dataclass(frozen=True)
class Link:
    text: str
    event: Event | None = None  # none: a remark
    lost: bool = False


Chain = tuple[Link, ...]


def facts(chain: Chain) -> list[Event]:
    return [link.event for link in chain if link.event]


def shown(id: str, chain: Chain) -> Iterator[Piece]:
    stages = tuple([Stage(link.text, "next") for link in chain if link.text and not link.lost])
    if stages:
        yield Steps(id, "What follows", stages, upright=True)
    for link in chain:
        if link.lost:
            yield Note(f"{id}-lost", link.text, "bad")


# --- the penalty die ---


def penalty(state: State, rolled: Penalty, injuries: int = 0) -> Chain:
    """What this face would do now. `injuries`: how many turned up among the cards that Confusion discards."""
    match rolled.face:
        case "accident":
            return accident(state)
        case "confidence":
            return loss_of_confidence(state)
        case "confusion" if rolled.source == SPOKEN:
            return (Link(WHILE_SILENT[SPOKEN_CONFUSION.chosen(state.table)]),)
        case "confusion":
            gap = gap_of(state, rolled)
            if gap is None:
                return (Link("Confusion counts the gap. How far was the total from the Challenge?"),)
            return confusion(state, gap, injuries)
    return ()


#: Confusion before the reveal, by what the table chose.
WHILE_SILENT = {
    "again": "Nothing has been missed yet, so there is no gap to count: roll again.",
    "later": "The gap is counted after the reveal, by the wider miss.",
    "nothing": "Nothing has been missed yet, so nothing happens.",
}


def gap_of(state: State, rolled: Penalty) -> int | None:
    gaps = state.now.gaps
    if rolled.source == LATER:
        known = [gaps[which] for which in state.now.missed]
        return max((gap for gap in known if gap is not None), default=None if known else 0)
    return gaps[rolled.source] if 0 <= rolled.source < len(gaps) else None


def accident(state: State) -> Chain:
    there = state.injuries.supply
    drawn = min(there, 2)
    words = f"{box.injuries(drawn)} to the Equipment discard; {there - drawn} left in the Injury deck."
    some = (Link(words, moves.InjuriesMoved("supply", "discard", drawn)),) if drawn else ()
    if drawn == 2:
        return some
    short = "The second cannot be drawn" if there else "The Injury deck is empty"
    return (*some, Link(f"{short}: the expedition is lost.", moves.InjuryMissing(), lost=True))


def loss_of_confidence(state: State) -> Chain:
    sled = state.tokens.sled
    if sled >= 2:
        words = f"2 tokens from the sled to the discard; {sled - 2} stay."
        return (Link(words, moves.TokensMoved("sled", "discard", 2)),)
    words = "Only 1 token lies on the sled" if sled else "No token lies on the sled"
    return (Link(f"{words}, too few to discard 2."), *_to_the_box(state, _origin(state)))


def confusion(state: State, gap: int, injuries: int = 0) -> Chain:
    deck = state.cards.deck
    if gap > deck:
        words = f"Missed by {gap}, but the Equipment deck holds only {counted(deck, 'card')}."
        return (Link(words), *_to_the_box(state, _origin(state)))
    if not gap:
        return (Link("Nothing was missed, so nothing is discarded."),)
    way = "from the Equipment deck to the discard"
    first = Link(
        f"Missed by {gap}: {counted(gap, 'card')} {way}; {deck - gap} stay.", moves.CardsDiscarded(gap)
    )
    if not injuries:
        return (first,)
    uncovered = moves.InjuriesMoved("deck", "discard", injuries)
    return (first, Link(f"{box.injuries(injuries)} among them.", uncovered))


def _origin(state: State) -> TokenPlace:
    """Where a token comes from that must go to the box instead."""
    if TOKEN_ORIGIN.chosen(state.table) == "sled":
        return "sled" if state.tokens.sled else "discard"
    return "discard" if state.tokens.discard else "sled"


def _to_the_box(state: State, origin: TokenPlace) -> Chain:
    """Only asked while the game goes on, so that at least one token is left."""
    left = box.TOKENS - state.tokens.box - 1
    words = f"1 token from the {origin} back to the box; {left} left in all."
    chain = (Link(words, moves.TokensMoved(origin, "box")),)
    return chain if left else (*chain, Link("That was the last token: the expedition is lost.", lost=True))


# --- Madness and Relics ---


def madness(state: State, seat: int) -> Chain:
    """One more level for this player, or a token if nobody can go further."""
    if state.all_mad:
        return (Link("Everyone has Madness of level 3."), *_instead(state))
    level = state.level(seat) + 1
    gone = f", level {level - 1} goes back under its deck" if level > 1 else ""
    words = f"{state.name(seat)} draws Madness of level {level}{gone}."
    return (Link(words, moves.MadnessDrawn(seat, level)),)


def _instead(state: State) -> Chain:
    """Madness that nobody can draw costs a token: from the sled, and if none is there one for good."""
    if not state.tokens.sled:
        return (Link("No token lies on the sled."), *_to_the_box(state, "discard"))
    words = f"1 token from the sled to the discard; {state.tokens.sled - 1} stay."
    return (Link(words, moves.TokensMoved("sled", "discard")),)


def relic(state: State, find: Find) -> Chain:
    """The card, its token, and the Madness it brings."""
    if not (find.kind and find.seat and (find.space or no_token(state, find))):
        return ()
    name, space = state.name(find.seat), find.space if find.space in box.SPACES else ""
    takes = f"{name} takes a {box.RELIC_KINDS[find.kind]} Relic"
    words = f"{takes}, without a token."
    if space:
        words = f"{takes}; its token covers “{box.SPACES[space]}” whenever {name} leads."
    return (Link(words, moves.RelicTaken(find.seat, find.kind, space)), *madness(state, find.seat))


def no_token(state: State, find: Find) -> bool:
    """Whether this Relic comes without one: a second Knowledge, or a board that is full."""
    again = find.kind == "knowledge" and "knowledge" in state.relics.get(find.seat, ())
    return again or len(state.covered.get(find.seat, ())) == len(box.SPACES)


def may_take_relic(state: State, seat: int) -> bool:
    """Whoever cannot draw Madness cannot be chosen, unless nobody can."""
    return state.level(seat) < box.LEVELS or state.all_mad
