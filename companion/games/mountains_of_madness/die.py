"""The penalty die, from the roll to its price: whenever it is owed, this is what can be tapped."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Do, Tap
from companion.core.pieces import Bar, Fold, Panel, Picker, Piece
from companion.games.mountains_of_madness import consequences
from companion.games.mountains_of_madness.commands.resolution import rolls_again
from companion.games.mountains_of_madness.panels import Taps, chain
from companion.games.mountains_of_madness.state import FACES, SPOKEN, Penalty, State
from companion.games.mountains_of_madness.tokens import why_not

MOST_MISSED = 18  # no Challenge asks for more than this


def owed(state: State) -> Iterator[Panel]:
    if state.now.penalties:
        due = state.now.penalties[0]
        yield Panel("peak-owed", tuple(_price(state, due)), _title(state, due), tone="bad")


def _title(state: State, due: Penalty) -> str:
    if due.source >= 0:
        challenge = state.now.challenges[due.source]
        return f"Penalty die for {challenge.name if challenge else f'Challenge {due.source + 1}'}"
    return "Somebody spoke: penalty die" if due.source == SPOKEN else "Confusion from the silence"


def _price(state: State, due: Penalty) -> Iterator[Piece]:
    args = {"turn": state.turn, "penalty": due.number, "rolls": due.rolls}
    if due.face:  # another id with every roll, so that it is seen to fall again
        face = f"peak-face-{due.rolls}"
        yield Tap(FACES[due.face], mark=due.face, shows="penalty", id=face)
    yield from chain("peak-owed-chain", consequences.penalty(state, due))
    if not due.face or rolls_again(state, due):
        yield Picker("peak-roll-real", _faces("roll_penalty", args), look="faces", columns=3)
        here = Tap("Roll it here", Do("roll_penalty", args), "assumed: two faces of each")
        yield Bar("peak-roll", (here,))
    else:
        yield from _paid(state, due)
    if due.face and due.source >= 0:
        why = why_not(state, "resolution")
        yield Bar("peak-reroll", (Tap("Re-roll here", Do("reroll", args), "costs a token", why_not=why),))
        if not why:
            real = Picker("peak-reroll-faces", _faces("reroll", args), look="faces", columns=3)
            yield Fold("peak-reroll-real", "Re-roll our own die, for a token", (real,), only="players")


def _faces(command: str, args: dict[str, int]) -> Taps:
    return tuple([Tap(name, Do(command, {**args, "face": face}), mark=face) for face, name in FACES.items()])


def _paid(state: State, due: Penalty) -> Iterator[Piece]:
    args = {"turn": state.turn, "penalty": due.number}
    gap = consequences.gap_of(state, due) if due.source != SPOKEN else 0
    confusion = due.face == "confusion"
    if confusion and gap is None:
        yield Picker("peak-gaps", tuple(_gaps(state, due)), look="faces")
        return
    discards = confusion and 0 < (gap or 0) <= state.cards.deck
    most = min(gap or 0, state.injuries.deck, 5) if discards else 0
    if not most:
        yield Bar("peak-pay", (Tap("Do it", Do("pay_penalty", args), strong=True),))
    else:
        among = range(most + 1)
        yield Bar("peak-pay", tuple([_pay(injuries, {**args, "injuries": injuries}) for injuries in among]))
    if confusion:
        yield Bar("peak-recount", (Tap("Not as many in the deck? Put it right", opens="cards"),))


def _gaps(state: State, due: Penalty) -> Iterator[Tap]:
    which = due.source if due.source >= 0 else state.now.missed[0]
    for gap in range(1, MOST_MISSED + 1):
        yield Tap(str(gap), Do("tell_gap", {"turn": state.turn, "which": which, "gap": gap}))


def _pay(injuries: int, args: dict[str, int]) -> Tap:
    words = f"{injuries or 'no'} {'Injury' if injuries == 1 else 'Injuries'} among them"
    return Tap("Do it", Do("pay_penalty", args), words, strong=True)
