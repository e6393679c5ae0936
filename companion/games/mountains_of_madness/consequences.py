"""What follows from what, to its end: each chain is worked out here, shown on the phones, and then applied.

A chain is a row of links, each a sentence and the fact that makes it true. Pure: it looks at the state and
changes nothing, so what is shown is what will happen.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.core import Event
from companion.games.mountains_of_madness import events
from companion.games.mountains_of_madness.events import number
from companion.games.mountains_of_madness.house_rules import SPOKEN_CONFUSION, TOKEN_ORIGIN
from companion.games.mountains_of_madness.state import (
    LATER,
    LEVELS,
    RELIC_KINDS,
    SPACES,
    SPOKEN,
    TOKENS,
    Find,
    Penalty,
    State,
)


@dataclass(frozen=True)
class Link:
    text: str
    event: Event | None = None  # none: a remark
    lost: bool = False


Chain = tuple[Link, ...]


def facts(chain: Chain) -> list[Event]:
    return [link.event for link in chain if link.event]


def penalty(state: State, rolled: Penalty, injuries: int = 0) -> Chain:
    """What this face would do now. `injuries`: how many turned up among the cards that Confusion discards."""
    match rolled.face:
        case "accident":
            return accident(state)
        case "confidence":
            return loss_of_confidence(state)
        case "confusion" if rolled.source == SPOKEN:
            return _spoken(state)
        case "confusion":
            gap = gap_of(state, rolled)
            if gap is None:
                return (Link("Confusion counts the gap. How far was the total from the Challenge?"),)
            return confusion(state, gap, injuries)
    return ()


def gap_of(state: State, rolled: Penalty) -> int | None:
    gaps = state.now.gaps
    if rolled.source == LATER:
        known = [gaps[which] for which in state.now.missed]
        return max((gap for gap in known if gap is not None), default=None if known else 0)
    return gaps[rolled.source] if 0 <= rolled.source < len(gaps) else None


def accident(state: State) -> Chain:
    there = state.injuries.supply
    if there >= 2:
        return (Link(_drawn(2, there - 2), events.InjuriesMoved("supply", "discard", 2)),)
    one = (Link(_drawn(1, 0), events.InjuriesMoved("supply", "discard", 1)),) if there else ()
    words = "The second cannot be drawn" if there else "The Injury deck is empty"
    return (*one, Link(f"{words}: the expedition is lost.", events.InjuryMissing(), lost=True))


def _drawn(count: int, left: int) -> str:
    return f"{number(count, 'Injury', 'Injuries')} to the Equipment discard; {left} left in the Injury deck."


def loss_of_confidence(state: State) -> Chain:
    sled = state.tokens.sled
    if sled >= 2:
        return (
            Link(
                f"2 tokens from the sled to the discard; {sled - 2} stay.",
                events.TokensMoved("sled", "discard", 2),
            ),
        )
    words = "Only 1 token lies on the sled" if sled else "No token lies on the sled"
    return (Link(f"{words}, too few to discard 2."), *_to_the_box(state, _origin(state)))


def confusion(state: State, gap: int, injuries: int = 0) -> Chain:
    deck = state.cards.deck
    if gap > deck:
        words = f"Missed by {gap}, but the Equipment deck holds only {number(deck, 'card')}."
        return (Link(words), *_to_the_box(state, _origin(state)))
    if not gap:
        return (Link("Nothing was missed, so nothing is discarded."),)
    first = Link(
        f"Missed by {gap}: {number(gap, 'card')} from the Equipment deck to the discard; {deck - gap} stay.",
        events.CardsDiscarded(gap),
    )
    return (first, *_uncovered(state, injuries)) if injuries else (first,)


def _uncovered(state: State, injuries: int) -> Chain:
    words = f"{number(injuries, 'Injury', 'Injuries')} among them."
    return (Link(words, events.InjuriesMoved("deck", "discard", injuries)),)


def _spoken(state: State) -> Chain:
    match SPOKEN_CONFUSION.chosen(state.table):
        case "again":
            return (Link("Nothing has been missed yet, so there is no gap to count: roll again."),)
        case "later":
            return (Link("The gap is counted after the reveal, by the wider miss."),)
        case _:
            return (Link("Nothing has been missed yet, so nothing happens."),)


def madness(state: State, seat: int) -> Chain:
    """One more level for this player, or a token if nobody can go further."""
    if state.all_mad:
        return (Link("Everyone has Madness of level 3."), *_instead(state))
    level = state.level(seat) + 1
    gone = f", level {level - 1} goes back under its deck" if level > 1 else ""
    return (
        Link(f"{state.name(seat)} draws Madness of level {level}{gone}.", events.MadnessDrawn(seat, level)),
    )


def _instead(state: State) -> Chain:
    """Madness that nobody can draw costs a token: from the sled, and if none is there one for good."""
    if state.tokens.sled:
        left = state.tokens.sled - 1
        return (
            Link(
                f"1 token from the sled to the discard; {left} stay.", events.TokensMoved("sled", "discard")
            ),
        )
    return (Link("No token lies on the sled."), *_to_the_box(state, "discard"))


def _origin(state: State) -> events.TokenPlace:
    first, second = ("sled", "discard") if TOKEN_ORIGIN.chosen(state.table) == "sled" else ("discard", "sled")
    return first if getattr(state.tokens, first) else second  # type: ignore[return-value]


def _to_the_box(state: State, origin: events.TokenPlace) -> Chain:
    """Only asked while the game goes on, so that at least one token is left."""
    left = TOKENS - state.tokens.box - 1
    words = f"1 token from the {origin} back to the box; {left} left in all."
    chain = (Link(words, events.TokensMoved(origin, "box")),)
    return chain if left else (*chain, Link("That was the last token: the expedition is lost.", lost=True))


def relic(state: State, find: Find) -> Chain:
    """The card, its token, and the Madness it brings."""
    if not find.kind or not find.seat:
        return ()
    name, kind = state.name(find.seat), RELIC_KINDS[find.kind]
    if not find.space and not no_token(state, find):
        return ()
    space = find.space if find.space in SPACES else ""
    if space:
        covers = f"{name} takes a {kind} Relic; its token covers “{SPACES[space]}”"
        words = f"{covers} whenever {name} leads."
    else:
        words = f"{name} takes a {kind} Relic, without a token."
    return (Link(words, events.RelicTaken(find.seat, find.kind, space)), *madness(state, find.seat))


def no_token(state: State, find: Find) -> bool:
    """Whether this Relic comes without one: a second Knowledge, or a board that is full."""
    again = find.kind == "knowledge" and "knowledge" in state.relics.get(find.seat, ())
    return again or len(state.covered.get(find.seat, ())) == len(SPACES)


def may_take_relic(state: State, seat: int) -> bool:
    """Whoever cannot draw Madness cannot be chosen, unless nobody can."""
    return state.level(seat) < LEVELS or state.all_mad


def rest(state: State) -> Chain:
    """Which token is taken makes no difference: the others all lie on the sled afterwards."""
    tokens, injuries, cards = state.tokens, state.injuries, state.cards
    origin: events.TokenPlace = "discard" if tokens.discard else "sled"
    chain = [
        Link(
            f"1 token from the {origin} to the box; {tokens.left - 1} left in all.",
            events.TokensMoved(origin, "box"),
        )
    ]
    back = tokens.discard - (origin == "discard")
    if back:
        words = f"{number(back, 'token')} from the discard back to the sled."
        chain.append(Link(words, events.TokensMoved("discard", "sled", back)))
    words = f"{number(cards.discard, 'discarded card')} shuffled into a new Equipment deck"
    if injuries.discard:
        words += f", {number(injuries.discard, 'Injury', 'Injuries')} among them"
        chain.append(Link(f"{words}.", events.InjuriesMoved("discard", "deck", injuries.discard)))
        words = ""
    chain.append(Link(f"{words}." if words else "", events.Rested(state.turn)))
    return tuple(chain)
