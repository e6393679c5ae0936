"""What lies on the table: the cards as they are chosen and tapped, a round by hand, the refresh."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from companion.core import Bar, Chips, Do, Grid, Note, Panel, Picker, Piece, Seat, Tap, Tray, once, remembered
from companion.games.tides_of_madness.adjudication import adjudicate
from companion.games.tides_of_madness.cards import DECK, SUITS, Spread, card
from companion.games.tides_of_madness.draft import card_about
from companion.games.tides_of_madness.refresh import chosen_refresh
from companion.games.tides_of_madness.rounds import Scored
from companion.games.tides_of_madness.sheet import do_for, lines, other_way, past, stops
from companion.games.tides_of_madness.state import PICKS, ROUNDS, Side, State
from companion.tools.sealed import choice_of

GRID = tuple(
    (mark, name, tuple(each.id for each in DECK if each.suit == mark))
    for mark, name in (*((suit.id, suit.many) for suit in SUITS), ("", "No suit"))
)
FREE = (0, "")
FACE_DOWN = "It lies face down until both have chosen"
THEIRS = "other has it"  # names may be long, and there are two
ELSEWHERE = {"kept": "you keep it", "discarded": "out"}
Placed = tuple[tuple[tuple[int, str], ...], ...]  # suit by suit, card by card: my place of it, or where it is


def board(state: State, scored: tuple[Scored, ...], over: bool) -> tuple[Piece, ...]:
    """What comes and goes stands in a grid that is always there: then nothing beside it is sent again."""
    if not scored:
        return (Chips("tides-other-way", (Tap("Score by hand", Do("score_by_hand", {"round": 1})),)),)
    earlier = Grid("tides-past", tuple(past(state, scored)), 1)
    return (*_now(state, scored[-1], over), earlier, Grid("tides-kept", _kept(state), 1))


def _now(state: State, now: Scored, over: bool) -> Iterator[Piece]:
    seats, stage = state.table.seats, state.stage
    if stage != "draft" and now.entered:
        yield stops(now, state)
        if not now.by_hand:
            yield lines(now, seats)
    if over:
        return
    if stage == "refresh":
        if not state.secret:
            hands = [_hand(seat, now.round, state.side(seat.id, now.round)) for seat in seats]
            yield Grid("tides-hands", tuple([piece for hand in hands for piece in hand]))
        return
    if now.by_hand:
        yield Grid("tides-typed", tuple([_typing(seat, now) for seat in seats]))
    elif now.waits_for("cards") and (stage == "scoring" or not state.secret):
        for seat in seats:
            mine = state.spread(seat.id, now.round)
            yield from _open_tray(seat, now.round, mine, _placed(state, seat.id, mine))
    yield Grid("tides-ways", (_ways(now.round, now.by_hand, stage == "draft"),) * (not now.complete), 1)


@remembered
def _ways(round: int, by_hand: bool, drafting: bool) -> Chips:
    """For tables that do not tap along."""
    later = Tap("Drafted already? Tap all five", Do("begin_scoring", {"round": round}))
    return Chips("tides-other-way", (*(later,) * drafting, other_way(round, by_hand)))


# --- what only the phones of one seat see ---


def private(state: State, seat: int) -> tuple[Piece, ...]:
    return _privates(state).get(seat, ())


@once
def _privates(state: State) -> dict[int, tuple[Piece, ...]]:
    seats, stage = state.table.seats, state.stage
    now = state.rounds[-1] if state.rounds else None
    if not state.secret or adjudicate(state).final:
        return {}
    if stage in ("setup", "draft"):
        return {seat.id: _choosing(state, seat) for seat in seats}
    if now is None or stage != "refresh" or now.by_hand or now.refreshed:
        return {}
    return {seat.id: _keeping(state, seat, now.side(seat.id)) for seat in seats}


def _choosing(state: State, seat: Seat) -> tuple[Piece, ...]:
    """All 18 cards, so that what was just drawn is where everything else is."""
    number, other = state.round or 1, state.name(state.other(seat.id))
    mine = state.spread(seat.id, number) if state.rounds else Spread()
    pick = len(mine.played) + 1
    chosen = choice_of(state.table, card_about(number, pick), seat.id)
    placed = _placed(state, seat.id, mine)
    rows = [_row(seat.id, number, chosen, at, row) for at, row in enumerate(placed)]
    ahead = pick > state.pick
    return _hint(seat.id, f"{other} has a card to tap first" if ahead else FACE_DOWN), *rows


@remembered
def _hint(seat: int, text: str) -> Note:
    return Note(f"tides-mine-{seat}", text)


@remembered
def _row(seat: int, round: int, chosen: str, at: int, there: tuple[tuple[int, str], ...]) -> Picker:
    """What lies face down is pressed; what was played is put right by a tap."""

    def tap(id: str, place: int, elsewhere: str) -> Tap:
        where, lies = f"card-{seat}-{id}", f"card-{round}-{seat}-{place}"
        if place and not elsewhere:
            return Tap(card(id).narrow or card(id).name, opens=lies, tone="done", badge=str(place), id=where)
        do = None if elsewhere else do_for(seat, round, "choose_card", card=id)
        return _face(id, where, do, None if elsewhere else id == chosen, elsewhere)

    mark, name, ids = GRID[at]
    taps = tuple([tap(id, *how) for id, how in zip(ids, there, strict=True)])
    return Picker(f"tides-suit-{seat}-{at}", taps, name, "cards", 3, mark or "none")


def _keeping(state: State, seat: Seat, side: Side) -> tuple[Piece, ...]:
    number = state.round
    now = chosen_refresh(state, seat.id, number)

    def do(what: str, id: str) -> Do:
        return do_for(seat.id, number, "choose_refresh", what=what, card=id)

    return _hint(seat.id, FACE_DOWN), *_two_rows(seat.id, side.played, now["kept"], now["discarded"], do)


def _two_rows(
    seat: int, played: tuple[str, ...], kept: str, gone: str, do: Callable[[str, str], Do]
) -> tuple[Picker, Picker]:
    def row(what: str, title: str, chosen: str) -> Picker:
        dos = {id: do(what, id) if id != chosen else None for id in played}
        taps = [_face(id, f"{what}-{seat}-{id}", each, id == chosen, "") for id, each in dos.items()]
        return Picker(f"tides-{what}-{seat}", tuple(taps), title, "cards", 3)

    return row("kept", "Keep for good", kept), row("discarded", "Discard", gone)


# --- cards as they are tapped in the open ---


def _placed(state: State, seat: int, mine: Spread) -> Placed:
    there = {}
    for id, whose, how, _ in state.places(state.round) if state.rounds else ():
        there[id] = (0, ELSEWHERE.get(how, "") if whose == seat or how == "discarded" else THEIRS)
    there |= {id: (place, "") for place, id in enumerate(mine.played, 1)}
    return tuple([tuple([there.get(id, FREE) for id in ids]) for _, _, ids in GRID])


@remembered
def _open_tray(seat: Seat, round: int, mine: Spread, there: Placed) -> tuple[Piece, ...]:
    """On this seat's own phones it lies open; the others open it to tap for them."""
    id, count = f"tides-tray-{seat.id}", f"{len(mine.played)} of {PICKS} cards"
    rows = tuple([_suit(seat.id, round, at, row) for at, row in enumerate(there)])
    opener = Tap(seat.name, detail=count, seat=seat, opens=id, id=f"tides-open-{seat.id}", shows="cards")
    return opener, Tray(id, seat.name, rows, seat, count, stays=True)


@remembered
def kept_cards(id: str, label: str, ids: tuple[str, ...]) -> Chips:
    kept = [card(each) for each in ids]
    return Chips(id, tuple(Tap(each.narrow or each.name, mark=each.suit or "none") for each in kept), label)


@remembered
def _suit(seat: int, round: int, at: int, there: tuple[tuple[int, str], ...]) -> Picker:
    mark, name, ids = GRID[at]
    taps = tuple([_open_card(seat, round, id, *how) for id, how in zip(ids, there, strict=True)])
    return Picker(f"tides-open-{seat}-{at}", taps, name, "cards", 3, mark or "none")


@remembered
def _open_card(seat: int, round: int, id: str, place: int, elsewhere: str = "") -> Tap:
    """Tap to play it, tap again to take it up; or where else it is."""
    do = do_for(seat, round, "take_up_card" if place else "play_card", card=id)
    on = None if elsewhere else place > 0
    return _face(id, f"open-{seat}-{id}", do, on, elsewhere, str(place or ""))


def _face(card_id: str, id: str, do: Do | None, on: bool | None, why_not: str, badge: str = "") -> Tap:
    shown = card(card_id)
    mark = "madness" if shown.madness and not why_not else ""
    return Tap(shown.narrow or shown.name, do, why_not=why_not, on=on, mark=mark, badge=badge, id=id)


# --- a round by hand, and the refresh in the open ---


def _typing(seat: Seat, now: Scored) -> Panel:
    form, side = f"typed-{now.round}-{seat.id}", now.sides[seat.id]
    text, tap = f"{side.gained} Madness, {side.cards} VP", Tap("Change", opens=form)
    if now.waits_for("typed", seat.id):
        text, tap = "nothing entered yet", Tap("Enter", strong=True, opens=form)
    return Panel(f"tides-typed-{seat.id}", (Bar(f"tides-enter-{seat.id}", (tap,)),), seat.name, text, seat)


@remembered
def _hand(seat: Seat, round: int, side: Side) -> tuple[Piece, ...]:
    """The five cards a seat takes back, on its own phones; the others see how far it is."""

    def do(what: str, id: str) -> Do:
        return do_for(seat.id, round, "keep_card" if what == "kept" else "discard_card", card=id)

    hint = "both chosen" if side.kept and side.discarded else "keeps one, discards one"
    bar = Bar(f"tides-for-{seat.id}", (Tap("Choose for them", opens=f"refresh-{round}-{seat.id}"),))
    rows = _two_rows(seat.id, side.played, side.kept, side.discarded, do)
    return (
        Panel(f"tides-hand-{seat.id}", rows, seat.name, seat=seat, only="owner"),
        Panel(f"tides-others-{seat.id}", (bar,), seat.name, hint, seat, only="others"),
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
