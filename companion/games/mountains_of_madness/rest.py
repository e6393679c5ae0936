"""The Leader may rest; then the sled is passed on, or the expedition is out of the mountains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.core import Context, Count, Event, Refused, Tap
from companion.core.pieces import Bar, Panel, Piece
from companion.core.text import counted
from companion.games.mountains_of_madness import box, consequences
from companion.games.mountains_of_madness.consequences import Chain, Link
from companion.games.mountains_of_madness.moves import InjuriesMoved, TokensMoved
from companion.games.mountains_of_madness.state import Facts, State, TokenPlace, moved
from companion.games.mountains_of_madness.turn import Turn


class Rested(Event[State]):
    turn: int
    says = "turn {turn}: rest, the Equipment discard is a new deck"

    def fold(self, state: State) -> State:
        state.expect(self.turn, "rest")
        return replace(state, cards=moved(state.cards, "discard", "deck", state.cards.discard))


class TurnEnded(Event[State]):
    turn: int

    def fold(self, state: State) -> State:
        state.expect(self.turn, "rest")
        if state.place == "escape-3":
            return replace(state, out=True)
        return replace(state, turn=self.turn + 1, leader=state.on_left(), stage="movement", now=Turn())

    def log_text(self, state: State) -> str:
        return "out of the mountains" if state.out else f"{state.leads} leads turn {state.turn}"


def _what_it_means(state: State) -> Chain:
    """Which token is taken makes no difference: the others all lie on the sled afterwards."""
    tokens, injuries, cards = state.tokens, state.injuries.discard, state.cards.discard
    origin: TokenPlace = "discard" if tokens.discard else "sled"
    lost = f"1 token from the {origin} to the box; {tokens.left - 1} left in all."
    chain = [Link(lost, TokensMoved(origin, "box"))]
    if tokens.discard > 1:
        back = tokens.discard - 1
        words = f"{counted(back, 'token')} from the discard back to the sled."
        chain.append(Link(words, TokensMoved("discard", "sled", back)))
    words = f"{counted(cards, 'discarded card')} shuffled into a new Equipment deck"
    rested = Rested(state.turn)
    if not injuries:
        return (*chain, Link(f"{words}.", rested))
    among = Link(f"{words}, {box.injuries(injuries)} among them.", InjuriesMoved("discard", "deck", injuries))
    return (*chain, among, Link("", rested))


def _no_rest_because(state: State) -> str:
    """Why the Leader cannot rest; empty if they can."""
    if state.tokens.left > 1:
        return ""
    return "Only one Leadership token is left, and a rest would put it into the box."


def rest(state: State, context: Context, turn: Count) -> Facts:
    state.playing(turn, "rest")
    if why := _no_rest_because(state):
        raise Refused(why)
    yield from consequences.facts(_what_it_means(state))
    yield TurnEnded(turn)


def end_turn(state: State, context: Context, turn: Count) -> Facts:
    """Without a rest."""
    state.playing(turn, "rest")
    yield TurnEnded(turn)


# --- what is seen ---


def words(state: State) -> tuple[str, str]:
    return "Rest phase", f"{state.leads} may rest, or not."


def pieces(state: State) -> Iterator[Piece]:
    why, ends = _no_rest_because(state), state.place == "escape-3"
    after = "the game ends" if ends else f"the sled goes to {state.name(state.on_left())}"
    if not why:
        follows = consequences.shown("peak-rest-chain", _what_it_means(state))
        yield Panel("peak-rest", tuple(follows), "A rest would mean")
    rest = Tap("Rest", state.do("rest"), f"then {after}", why_not=why)
    yield Bar("peak-turn", (rest, Tap("No rest", state.do("end_turn"), after, strong=True)))
