"""The bases as everybody sees them, what a tap on one opens, and every base that could come."""

from __future__ import annotations

from functools import lru_cache

from companion.core import Counter, Do, Seat, Tap
from companion.core.memo import kept_on
from companion.core.pieces import Bar, Chips, Grid, Meter, Note, Panel, Picker, Piece, Share, Tone, Tray
from companion.games.smash_up.cards import MADNESS, Card
from companion.games.smash_up.state import PLAY, SCORE, Base, Holding, State

POWERS = range(1, 7)  # one tap each; other powers are counted with + or typed
WHEN = {
    "start": "At the start of a turn",
    "play": "When a minion is played",
    "ongoing": "While in play",
    "scoring": "When it scores",
    "after": "After scoring",
}
HELP = "Tap a base for minions and for the others' power, a player's Madness for VP and Madness cards."
REMINDERS = {
    PLAY: "In any order, each Talent once; extra cards come on top. A minion that is moved or returned is not"
    " played: nothing triggers. “Cannot” beats “can”.",
    SCORE + 1: "Deck empty? Shuffle your discard pile, then draw.",
}

Seats = tuple[Seat, ...]
remembered = lru_cache(4096)  # of all that lies there a tap changes what one player has at one base


def board(state: State, *past: Piece) -> tuple[Piece, ...]:
    """What comes and goes stands in a grid that is always there: then nothing beside it is sent again."""
    player = state.table.seat(state.player) if state.stage == "play" else None
    held, scoring = state.table.holder(state.player) is not None, state.scoring.base if state.scoring else 0
    around = state.table.seats, player, held
    bases = [_base(base, at, *around, scoring == base.id) for at, base in enumerate(state.bases, 1)]
    madness = Tap(f"{state.madness_deck} of {MADNESS} in the Madness deck")
    decks = Chips("su-decks", (madness, Tap(f"{len(state.base_deck)} in the base deck")), "Decks")
    return Grid("su-bases", tuple(bases)), Grid("su-below", (*_mind(state), decks, *past), 1)


@kept_on
def _base(base: Base, at: int, seats: Seats, player: Seat | None, held: bool, scoring: bool) -> Panel:
    """By its place on the table: where one is scored, just that place is another."""
    id, card = base.id, base.card
    opens = Tap(f"Power at {card.name}", opens=f"held-{id}", id=f"open-{id}")
    tone: Tone = "warn" if base.ready or scoring else ""
    plays = (_plays(id, card.name, player, held),) if player else ()
    pieces = (opens, _meter(base, seats, scoring, tone), *plays, _tray(base, seats))
    return Panel(f"place-{at}", pieces, card.name, card.ability, tone=tone, tags=(card.prizes,))


def _tray(base: Base, seats: Seats) -> Tray:
    """What everyone has there."""
    id, card = base.id, base.card
    rows = [_row(seat, id, base.at(seat.id)) for seat in seats]
    does = (Note(f"does-{id}", f"{ability(card)} {card.note}".strip()),) if card.ability else ()
    fix = Tap("Move a minion", opens=f"move-{id}"), Tap("Correct the card", opens=f"card-{id}")
    text = f"{base.total} of {card.breakpoint} power · {card.prizes} VP"
    return Tray(f"held-{id}", card.name, (*does, *rows, Bar(f"fix-{id}", fix)), text=text)


def _meter(base: Base, seats: Seats, scoring: bool, tone: Tone) -> Meter:
    lacking = base.card.breakpoint - base.total
    note = "scoring" if scoring else "ready" if lacking <= 0 else f"{lacking} to go"
    held = [(seat, base.at(seat.id)) for seat in seats if base.at(seat.id).here or base.at(seat.id).power]
    few = {0: "no minion", 1: ""}  # one is what power stands for
    shares = [
        Share(seat, each.power, detail=few.get(each.here, f"{each.here} minions")) for seat, each in held
    ]
    return Meter(f"meter-{base.id}", "power", tuple(shares), base.card.breakpoint, note, tone)


@remembered
def _plays(base: int, where: str, player: Seat, held: bool) -> Panel:
    """A minion in one tap, on the phones of the one whose turn it is."""

    def tap(power: int) -> Tap:
        does = f"{player.name} plays a minion of power {power} at {where}"
        do = Do("play_minion", {"base": base, "seat": player.id, "power": power})
        return Tap(does, do, short=str(power))

    row = Picker(f"plays-{base}", tuple(map(tap, POWERS)), look="faces")
    return Panel(f"turn-{base}", (row,), seat=player, only="owner" if held else "players")


@remembered
def _row(seat: Seat, base: int, held: Holding) -> Panel:
    at, do = f"{base}-{seat.id}", {"seat": seat.id, "base": base}
    counters = (
        Counter(f"power-{at}", "power", held.power, Do("count_power", do), whom=seat.name),
        Counter(f"minions-{at}", "minions", held.here, Do("count_minions", do), whom=seat.name),
    )
    return Panel(f"row-{at}", counters, seat.name, seat=seat)


def ability(card: Card, *when: str) -> str:
    """What it does and when; nothing if that is at another time."""
    if not card.ability or (when and card.when not in when):
        return ""
    return f"{WHEN[card.when]}: {card.ability}" if card.when else card.ability


def _mind(state: State) -> tuple[Piece, ...]:
    """What is easily forgotten in this phase."""
    said = [REMINDERS.get(state.phase, "")]
    if state.phase == 1:
        cards = [base.card for base in state.bases]
        said += [HELP] if state.turn == 1 else []
        said += [f"{card.name}: {card.ability}" for card in cards if card.when == "start"]
    if state.phase == PLAY and any(state.madness.values()):
        said.append("A Madness card is an action: draw two cards, or return it to its deck.")
    text = " ".join(filter(None, said))
    return (Panel("su-mind", (), text=text, only="players"),) if text else ()
