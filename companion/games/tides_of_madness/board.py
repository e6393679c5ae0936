"""What lies on the table: the cards as they are tapped, the scoring step by step, each card's reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from companion.core import Do, Seat, Tap
from companion.core.memo import kept_on
from companion.core.pieces import (
    Bar,
    Because,
    Chips,
    Fold,
    Grid,
    Panel,
    Picker,
    Piece,
    Stage,
    Steps,
    Total,
    Tray,
)
from companion.games.tides_of_madness.cards import DECK, SUITS, card
from companion.games.tides_of_madness.rounds import Score, Scored
from companion.games.tides_of_madness.scoring import Line, Spread
from companion.games.tides_of_madness.state import LIMIT, PICKS, ROUNDS, Side, State

GRID = tuple(
    (mark, name, tuple(each.id for each in DECK if each.suit == mark))
    for mark, name in (*((suit.id, suit.many) for suit in SUITS), ("", "No suit"))
)
FREE = (0, "")
BY_HAND = "This round was scored by hand. Name the two cards if the calculator is to know them."

remembered = lru_cache(maxsize=2048)  # of the twelve rows before two players a tap changes two


def board(state: State, scored: tuple[Scored, ...], over: bool) -> tuple[Piece, ...]:
    """What comes and goes stands in a grid that is always there: then nothing beside it is sent again."""
    if not scored:
        return ()
    past, kept = Grid("tides-past", tuple(_past(state, scored)), 1), Grid("tides-kept", _kept(state), 1)
    return (*_now(state, scored[-1], over), past, kept)


def _now(state: State, now: Scored, over: bool) -> Iterator[Piece]:
    seats = state.table.seats
    if state.stage == "scoring" and now.entered:
        yield _stops(state, now)
        if not now.by_hand:
            yield _lines(now, seats)
    if over:
        return
    if state.stage == "refresh":
        hands = [_hand(seat, now.round, state.at(now.round).side(seat.id), now.by_hand) for seat in seats]
        yield Grid("tides-hands", tuple([piece for hand in hands for piece in hand]))
    elif not now.by_hand:
        for seat in seats:
            yield from _tray(state, seat)
        if not now.entered:
            laid = [_laid(seat.id, state.spread(seat.id, now.round).played) for seat in seats]
            yield Panel("tides-laid", (Grid("tides-sides", tuple(laid), narrow=2),), only="display")
    elif state.stage == "scoring":
        yield Grid("tides-typed", tuple([_typing(seat, now) for seat in seats]))
    ways = (_other_way(now.round, now.by_hand),) if state.stage == "scoring" and not now.complete else ()
    yield Grid("tides-ways", ways, 1)


# --- cards as they are tapped ---


def _tray(state: State, seat: Seat) -> tuple[Piece, ...]:
    """On this seat's own phones it lies open; the others open it to tap for them."""
    mine = state.spread(seat.id, state.round)
    if len(mine.played) == PICKS:  # then it does not matter where the other cards are
        return _full_tray(seat, state.round, mine)
    there = _elsewhere(state, seat.id) | {id: (place, "") for place, id in enumerate(mine.played, 1)}
    rows = [
        _suit(seat.id, state.round, at, tuple([there.get(id, FREE) for id in ids]))
        for at, (_, _, ids) in enumerate(GRID)
    ]
    count = f"{len(mine.played)} of {PICKS} cards"
    hint = "tap as you reveal, or later" if state.stage == "draft" and not mine.played else count
    return _opener(seat, count), _open_tray(seat, mine, hint, tuple(rows))


def _elsewhere(state: State, seat: int) -> dict[str, tuple[int, str]]:
    mine, other = state.kept_before(seat, state.round), state.other(seat)
    theirs = f"{state.name(other)} has it"
    spread = state.spread(other, state.round)
    sides = [each.side(one) for each in state.rounds[:-1] for one in state.table.ids]
    return {
        **dict.fromkeys((*spread.played, *spread.kept), (0, theirs)),
        **dict.fromkeys(mine, (0, "you keep it")),
        **{side.discarded: (0, "out of the game") for side in sides if side.discarded},
    }


@remembered
def _full_tray(seat: Seat, round: int, mine: Spread) -> tuple[Piece, ...]:
    taps = tuple([_card(seat.id, round, id, place) for place, id in enumerate(mine.played, 1)])
    five = Picker(f"tides-five-{seat.id}", taps, look="cards", columns=3)
    tray = _open_tray(seat, mine, "all five; tap one to change it", (five,))
    return _opener(seat, f"{PICKS} of {PICKS} cards"), tray


@remembered
def _opener(seat: Seat, count: str) -> Tap:
    return Tap(seat.name, detail=count, seat=seat, opens=f"tides-tray-{seat.id}", id=f"tides-open-{seat.id}")


def _open_tray(seat: Seat, mine: Spread, hint: str, rows: tuple[Piece, ...]) -> Tray:
    kept = (kept_cards(f"tides-lies-{seat.id}", "Kept, already here", mine.kept),) if mine.kept else ()
    return Tray(f"tides-tray-{seat.id}", seat.name, (*kept, *rows), seat, hint, stays=True)


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
    return Tap(
        card(id).narrow,
        Do("take_up_card" if place else "play_card", {"seat": seat, "round": round, "card": id}),
        why_not=elsewhere,
        on=None if elsewhere else place > 0,
        mark="madness" if card(id).madness else "",
        badge=str(place or ""),
        id=f"card-{seat}-{id}",
    )


def _laid(seat: int, played: tuple[str, ...]) -> Picker:
    slots = [_slot(seat, at, id) for at, id in enumerate((*played, *("",) * (PICKS - len(played))), 1)]
    return Picker(f"tides-laid-{seat}", tuple(slots), look="rows")


@remembered
def _slot(seat: int, at: int, id: str) -> Tap:
    here = f"tides-slot-{seat}-{at}"
    return Tap(card(id).name, mark=card(id).suit or "none", id=here) if id else Tap(str(at), id=here)


# --- a round by hand, and the refresh ---


def _typing(seat: Seat, now: Scored) -> Panel:
    form, side = f"typed-{now.round}-{seat.id}", now.sides[seat.id]
    if now.waits_for("typed", seat.id):
        text, tap = "nothing entered yet", Tap("Enter", strong=True, opens=form)
    else:
        text, tap = f"{side.gained} Madness, {side.cards} VP", Tap("Change", opens=form)
    return Panel(f"tides-typed-{seat.id}", (Bar(f"tides-enter-{seat.id}", (tap,)),), seat.name, text, seat)


def _other_way(round: int, by_hand: bool) -> Bar:
    command = "score_by_cards" if by_hand else "score_by_hand"
    label = "Score card by card instead" if by_hand else "Enter this round by hand instead"
    return Bar("tides-other-way", (Tap(label, Do(command, {"round": round})),))


@remembered
def _hand(seat: Seat, round: int, side: Side, by_hand: bool) -> tuple[Piece, ...]:
    """The five cards a seat takes back, on its own phones; the others see how far it is."""
    known = not by_hand and bool(side.played)
    hint = "both chosen" if side.kept and side.discarded else "keeps one, discards one"
    tap = Tap("Choose for them" if known else "Name them", opens=f"refresh-{round}-{seat.id}")
    bar = Bar(f"tides-for-{seat.id}", (tap,))
    if not known:
        return (Panel(f"tides-named-{seat.id}", (bar,), seat.name, BY_HAND, seat, only="players"),)

    def choose(command: str, title: str, chosen: str, other: str, gone: str) -> Picker:
        args = {"seat": seat.id, "round": round}
        taps = tuple(
            Tap(
                card(id).narrow,
                Do(command, {**args, "card": id}) if id != chosen else None,
                why_not=gone if id == other else "",
                on=id == chosen,
                mark="madness" if card(id).madness else "",
                id=f"{command}-{seat.id}-{id}",
            )
            for id in side.played
        )
        return Picker(f"tides-{command}-{seat.id}", taps, title, "cards", 3)

    rows = (
        choose("keep_card", "Keep for good", side.kept, side.discarded, "discarded"),
        choose("discard_card", "Discard", side.discarded, side.kept, "kept"),
    )
    return (
        Panel(f"tides-hand-{seat.id}", rows, seat.name, seat=seat, only="owner"),
        Panel(f"tides-others-{seat.id}", (bar,), seat.name, hint, seat, only="others"),
    )


# --- what it gave ---


@kept_on  # a round that is over is told the same until somebody corrects it
def _lines(scored: Scored, seats: tuple[Seat, ...]) -> Grid:
    both = [_total(seat, scored.round, scored.sides[seat.id]) for seat in seats]
    return Grid(f"tides-lines-{scored.round}", tuple(both))


def _total(seat: Seat, round: int, side: Score) -> Total:
    value = f"{side.cards} + {side.bonus}" if side.bonus else str(side.cards)
    rows = tuple(_because(line) for line in side.lines)
    return Total(f"tides-lines-{round}-{seat.id}", seat.name, value, "VP", rows, seat=seat, open=True)


def _because(line: Line) -> Because:
    tags = ("Madness",) * line.card.madness + ("kept",) * line.kept
    return Because(line.card.name, str(line.points), line.why, line.card.suit or "none", tags=tags)


def _past(state: State, scored: tuple[Scored, ...]) -> Iterator[Fold]:
    """The rounds that are over, the last one first, where there are cards to show."""
    for each in reversed(scored):
        over = each.round < state.round or state.stage == "refresh"
        if over and not each.by_hand and any(side.lines for side in each.sides.values()):
            lines = _lines(each, state.table.seats)
            yield Fold(
                f"tides-past-{each.round}", f"Round {each.round}, card by card", (lines,), only="players"
            )


def _kept(state: State) -> tuple[Piece, ...]:
    """What each refresh did: kept for good, and out of the game. A tap corrects it."""
    found = [
        _refreshed(seat, each.number, side.kept, side.discarded)
        for each in state.rounds[: ROUNDS - 1]
        for seat in state.table.seats
        if (side := each.side(seat.id)).kept or side.discarded
    ]
    rows = Picker("tides-refreshed", tuple(found), look="rows")
    title = "Kept and out of the game"
    return (Panel("tides-outs", (rows,), title, only="players"),) if found else ()


@remembered
def _refreshed(seat: Seat, round: int, kept: str, gone: str) -> Tap:
    return Tap(
        f"keeps {card(kept).name}" if kept else "keeps a card",
        detail=f"after {round}, " + (f"out: {card(gone).name}" if gone else "one discarded"),
        seat=seat,
        opens=f"refresh-{round}-{seat.id}",
        id=f"tides-out-{round}-{seat.id}",
    )


# --- the scoring, step by step ---


def _stops(state: State, now: Scored) -> Steps:
    chosen = now.chooser is None or now.choice is not None
    moved = chosen and not now.waits_for("token")
    stops = [
        ("Madness", _pairs(state, now, lambda s: f"{s.before} + {s.gained}"), True),
        ("Most Madness", _bonus(state, now), chosen),
        ("Dreamlands", _dreams(state, now) if moved else "after the bonus", moved),
        ("Objectives", _pairs(state, now, lambda s: f"{s.cards} VP") if moved else "after the bonus", moved),
        ("Nine or more?", _pairs(state, now, _checked) if now.complete else "at the end", now.complete),
    ]
    if now.dreamer is None:
        stops.pop(2)
    first = next((title for title, _, done in stops if not done), "")
    stages = [
        Stage(title, "done" if done else "now" if title == first else "next", detail=text)
        for title, text, done in stops
    ]
    return Steps("tides-stops", "Scoring, step by step", tuple(stages), upright=True)


def _pairs(state: State, now: Scored, say: Callable[[Score], str]) -> str:
    return ", ".join(f"{state.name(seat)} {say(side)}" for seat, side in now.sides.items())


def _bonus(state: State, now: Scored) -> str:
    if now.chooser is None:
        return "both gained as much, so nobody has the bonus"
    side = now.sides[now.chooser]
    healed = side.before + side.gained
    how = {None: "chooses", "points": "takes 4 VP", "heal": f"heals 1: {healed} → {healed - 1}"}[now.choice]
    return f"{state.name(now.chooser)} gained more and {how}"


def _dreams(state: State, now: Scored) -> str:
    if now.dreamer is None:
        return ""
    name, other = state.name(now.dreamer), state.other(now.dreamer)
    mine, theirs = now.sides[now.dreamer], now.sides[other]
    if not mine.moved:
        return f"{name} takes no token"
    if not theirs.moved:
        return f"{name} takes a token from the supply: now {mine.after}"
    return f"{name} takes a token from {state.name(other)}: now {mine.after} and {theirs.after}"


def _checked(side: Score) -> str:
    if side.after >= LIMIT:
        return f"{side.after}, lost"
    return f"{side.after}, saved by healing before the check" if side.saved else f"{side.after}"
