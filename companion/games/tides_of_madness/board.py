"""What lies on the table: the cards as they are tapped, a round by hand, the refresh."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Do, Seat, Tap
from companion.core.memo import remembered
from companion.core.pieces import Bar, Chips, Grid, Panel, Picker, Piece, Tray
from companion.games.tides_of_madness.cards import DECK, SUITS, Spread, card
from companion.games.tides_of_madness.rounds import Scored
from companion.games.tides_of_madness.sheet import do_for, lines, other_way, past, stops
from companion.games.tides_of_madness.state import PICKS, ROUNDS, Side, State

GRID = tuple(
    (mark, name, tuple(each.id for each in DECK if each.suit == mark))
    for mark, name in (*((suit.id, suit.many) for suit in SUITS), ("", "No suit"))
)
FREE = (0, "")
ELSEWHERE = {"kept": "you keep it", "discarded": "out of the game"}
BY_HAND = "This round was scored by hand. Name the two cards if the calculator is to know them."


def board(state: State, scored: tuple[Scored, ...], over: bool) -> tuple[Piece, ...]:
    """What comes and goes stands in a grid that is always there: then nothing beside it is sent again."""
    if not scored:
        return ()
    earlier = Grid("tides-past", tuple(past(state, scored)), 1)
    return (*_now(state, scored[-1], over), earlier, Grid("tides-kept", _kept(state), 1))


def _now(state: State, now: Scored, over: bool) -> Iterator[Piece]:
    seats, scoring = state.table.seats, state.stage == "scoring"
    if scoring and now.entered:
        yield stops(state, now)
        if not now.by_hand:
            yield lines(now, seats)
    if over:
        return
    if state.stage == "refresh":
        hands = [_hand(seat, now.round, state.side(seat.id, now.round), now.by_hand) for seat in seats]
        yield Grid("tides-hands", tuple([piece for hand in hands for piece in hand]))
    elif not now.by_hand:
        for seat in seats:
            yield from _tray(state, seat)
        if not now.entered:
            laid = [_laid(seat.id, state.side(seat.id, now.round).played) for seat in seats]
            yield Panel("tides-laid", (Grid("tides-sides", tuple(laid), narrow=2),), only="display")
    elif scoring:
        yield Grid("tides-typed", tuple([_typing(seat, now) for seat in seats]))
    other = Bar("tides-other-way", (other_way(now.round, now.by_hand),))
    yield Grid("tides-ways", (other,) if scoring and not now.complete else (), 1)


# --- cards as they are tapped ---


def _tray(state: State, seat: Seat) -> tuple[Piece, ...]:
    mine, theirs = state.spread(seat.id, state.round), f"{state.name(state.other(seat.id))} has it"
    there = {}
    if len(mine.played) < PICKS:  # else it does not matter where the other cards are
        for id, whose, how, _ in state.places(state.round):
            there[id] = (0, ELSEWHERE.get(how, "") if whose == seat.id or how == "discarded" else theirs)
        there |= {id: (place, "") for place, id in enumerate(mine.played, 1)}
    rows = tuple([tuple([there.get(id, FREE) for id in ids]) for _, _, ids in GRID])
    return _open_tray(seat, state.round, mine, state.stage == "draft", rows)


@remembered
def _open_tray(
    seat: Seat, round: int, mine: Spread, drafting: bool, there: tuple[tuple[tuple[int, str], ...], ...]
) -> tuple[Piece, ...]:
    """On this seat's own phones it lies open; the others open it to tap for them."""
    id, count = f"tides-tray-{seat.id}", f"{len(mine.played)} of {PICKS} cards"
    hint = "tap as you reveal, or later" if drafting and not mine.played else count
    rows = tuple([_suit(seat.id, round, at, row) for at, row in enumerate(there)])
    if len(mine.played) == PICKS:
        hint, taps = "all five; tap one to change it", enumerate(mine.played, 1)
        five = tuple([_card(seat.id, round, id, place) for place, id in taps])
        rows = (Picker(f"tides-five-{seat.id}", five, look="cards", columns=3),)
    kept = (kept_cards(f"tides-lies-{seat.id}", "Kept, already here", mine.kept),) if mine.kept else ()
    opener = Tap(seat.name, detail=count, seat=seat, opens=id, id=f"tides-open-{seat.id}")
    return opener, Tray(id, seat.name, (*kept, *rows), seat, hint, stays=True)


@remembered
def kept_cards(id: str, label: str, ids: tuple[str, ...]) -> Chips:
    return Chips(id, tuple(Tap(card(each).name, mark=card(each).suit or "none") for each in ids), label)


@remembered
def _suit(seat: int, round: int, at: int, there: tuple[tuple[int, str], ...]) -> Picker:
    mark, name, ids = GRID[at]
    taps = tuple([_card(seat, round, id, *how) for id, how in zip(ids, there, strict=True)])
    return Picker(f"tides-suit-{seat}-{at}", taps, name, "cards", 3, mark or "none")


@remembered
def _card(seat: int, round: int, id: str, place: int, elsewhere: str = "") -> Tap:
    """Tap to play it, tap again to take it up; or where else it is."""
    do = do_for(seat, round, "take_up_card" if place else "play_card", card=id)
    on = None if elsewhere else place > 0
    return _face(id, f"card-{seat}-{id}", do, on, elsewhere, str(place or ""))


def _face(card_id: str, id: str, do: Do | None, on: bool | None, why_not: str, badge: str = "") -> Tap:
    shown = card(card_id)
    mark = "madness" if shown.madness else ""
    return Tap(shown.narrow or shown.name, do, why_not=why_not, on=on, mark=mark, badge=badge, id=id)


@remembered
def _laid(seat: int, played: tuple[str, ...]) -> Picker:
    """As it lies there, for the display."""
    shown = [(card(id).name, card(id).suit or "none") for id in played]
    shown += [(str(at), "") for at in range(len(played) + 1, PICKS + 1)]
    slots = [Tap(name, mark=mark, id=f"tides-slot-{seat}-{at}") for at, (name, mark) in enumerate(shown, 1)]
    return Picker(f"tides-laid-{seat}", tuple(slots), look="rows")


# --- a round by hand, and the refresh ---


def _typing(seat: Seat, now: Scored) -> Panel:
    form, side = f"typed-{now.round}-{seat.id}", now.sides[seat.id]
    text, tap = f"{side.gained} Madness, {side.cards} VP", Tap("Change", opens=form)
    if now.waits_for("typed", seat.id):
        text, tap = "nothing entered yet", Tap("Enter", strong=True, opens=form)
    return Panel(f"tides-typed-{seat.id}", (Bar(f"tides-enter-{seat.id}", (tap,)),), seat.name, text, seat)


@remembered
def _hand(seat: Seat, round: int, side: Side, by_hand: bool) -> tuple[Piece, ...]:
    """The five cards a seat takes back, on its own phones; the others see how far it is."""
    known = not by_hand and bool(side.played)
    tap = Tap("Choose for them" if known else "Name them", opens=f"refresh-{round}-{seat.id}")
    bar = (Bar(f"tides-for-{seat.id}", (tap,)),)
    if not known:
        return (Panel(f"tides-named-{seat.id}", bar, seat.name, BY_HAND, seat, only="players"),)

    def choose(command: str, title: str, chosen: str, other: str, gone: str) -> Picker:
        taps = []
        for id in side.played:
            do = do_for(seat.id, round, command, card=id) if id != chosen else None
            why_not = gone if id == other else ""
            taps.append(_face(id, f"{command}-{seat.id}-{id}", do, id == chosen, why_not))
        return Picker(f"tides-{command}-{seat.id}", tuple(taps), title, "cards", 3)

    hint = "both chosen" if side.kept and side.discarded else "keeps one, discards one"
    keep = choose("keep_card", "Keep for good", side.kept, side.discarded, "discarded")
    discard = choose("discard_card", "Discard", side.discarded, side.kept, "kept")
    return (
        Panel(f"tides-hand-{seat.id}", (keep, discard), seat.name, seat=seat, only="owner"),
        Panel(f"tides-others-{seat.id}", bar, seat.name, hint, seat, only="others"),
    )


def _kept(state: State) -> tuple[Piece, ...]:
    """What each refresh did: kept for good, and out of the game. A tap corrects it."""
    found = []
    for each in state.rounds[: ROUNDS - 1]:
        for seat in state.table.seats:
            if named := dict(each.side(seat.id).named):
                kept, gone = (card(named[how]).name if how in named else "" for how in ("kept", "discarded"))
                out = f"after {each.number}, " + (f"out: {gone}" if gone else "one discarded")
                form, id = f"refresh-{each.number}-{seat.id}", f"tides-out-{each.number}-{seat.id}"
                found.append(Tap(f"keeps {kept or 'a card'}", detail=out, seat=seat, opens=form, id=id))
    if not found:
        return ()
    rows = Picker("tides-refreshed", tuple(found), look="rows")
    return (Panel("tides-outs", (rows,), "Kept and out of the game", only="players"),)
