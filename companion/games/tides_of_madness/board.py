"""What lies on the table: the cards as they are chosen and tapped, a round by hand, the refresh."""

from collections.abc import Callable, Iterator
from functools import lru_cache

from companion.core import Bar, Chips, Do, Grid, Note, Panel, Picker, Piece, Seat, Tap, Tray
from companion.core.memo import kept_while, remembered
from companion.games.tides_of_madness import adjudication, draft, sheet
from companion.games.tides_of_madness.cards import DECK, SUITS, card
from companion.games.tides_of_madness.rounds import Scored
from companion.games.tides_of_madness.state import BUT_SEALED, PICKS, ROUNDS, Round, Side, State
from companion.tools.sealed import choice_of

NAMES = {each.id: each.many for each in SUITS} | {"": "No suit"}
GRID = [(suit, name, tuple(each.id for each in DECK if each.suit == suit)) for suit, name in NAMES.items()]
FACE_DOWN = "It lies face down until both have chosen"
ELSEWHERE = {"kept": "you keep it", "discarded": "out"}
Row = tuple[tuple[int, str], ...]  # of a suit, card by card: my place of it, or where it is


def board(state: State, scored: tuple[Scored, ...], over: bool) -> tuple[Piece, ...]:
    """What comes and goes stands in a grid that is always there: then nothing beside it is sent again."""
    if not scored:
        return (Chips("tides-other-way", (Tap("Score by hand", Do("score_by_hand", {"round": 1})),)),)
    earlier = Grid("tides-past", tuple(sheet.past(state, scored)), 1)
    return (*_now(state, scored[-1], over), earlier, Grid("tides-kept", _kept(state), 1))


def _now(state: State, now: Scored, over: bool) -> Iterator[Piece]:
    seats, stage = state.table.seats, state.stage
    if stage != "draft" and now.entered:
        yield sheet.stops(now, state)
        if not now.by_hand:
            yield sheet.card_vp(now, seats)
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
            played = state.side(seat.id, now.round).played
            yield from _open_tray(seat, now.round, len(played), _placed(state, seat.id, played))
    later = Tap("Drafted already? Tap all five", Do("begin_scoring", {"round": now.round}))
    ways = (later,) * (stage == "draft") + (sheet.other_way(now.round, now.by_hand),)
    yield Grid("tides-ways", (Chips("tides-other-way", ways),) * (not now.complete), 1)


def private(state: State, seat: int) -> tuple[Piece, ...]:
    about, laid_out = _hands(state).get(seat, NOTHING)
    return laid_out(choice_of(state.table, about, seat))


#: What a seat chooses from, and about what: any of the 18, since nobody says which it drew, or of its own
#: five; with what lies face down.
Hand = tuple[str, Callable[[str], tuple[Piece, ...]]]
NOTHING: Hand = "", lambda chosen: ()


@kept_while(*BUT_SEALED)
def _hands(state: State) -> dict[int, Hand]:
    now = state.rounds[-1] if state.rounds else Round(1)
    drafts = state.stage in ("setup", "draft")
    keeps = state.stage == "refresh" and not (now.by_hand or now.refreshed)
    if not state.secret or adjudication.adjudicate(state).final or not (drafts or keeps):
        return {}
    return {seat: (_drawn if drafts else _taken_back)(state, seat, now) for seat in state.table.ids}


def _drawn(state: State, seat: int, now: Round) -> Hand:
    played, first = now.side(seat).played, f"{state.name(state.other(seat))} has a card to tap first"
    hint = Note(f"tides-mine-{seat}", first if len(played) >= state.pick else FACE_DOWN)
    placed = tuple(enumerate(_placed(state, seat, played)))

    @lru_cache(1)  # till this seat chooses again; and then five rows of six stay as they are
    def laid_out(chosen: str) -> tuple[Piece, ...]:
        marked = [chosen if chosen in ids else "" for _, _, ids in GRID]
        return hint, *[_suit(seat, now.number, at, row, marked[at]) for at, row in placed]

    return state.about(len(played) + 1), laid_out


def _taken_back(state: State, seat: int, now: Round) -> Hand:
    hint, played = Note(f"tides-mine-{seat}", FACE_DOWN), now.side(seat).played

    @lru_cache(1)
    def laid_out(chosen: str) -> tuple[Piece, ...]:
        return hint, *_two_rows(seat, now.number, played, *draft.chosen_refresh(chosen))

    return state.about(), laid_out


def _placed(state: State, seat: int, played: tuple[str, ...]) -> tuple[Row, ...]:
    there = {}
    for id, whose, how, _ in state.places(state.round) if state.rounds else ():
        mine = whose == seat or how == "discarded"
        there[id] = (0, ELSEWHERE.get(how, "") if mine else "other has it")  # names may be long
    there |= {id: (place, "") for place, id in enumerate(played, 1)}
    return tuple([tuple([there.get(id, (0, "")) for id in ids]) for _, _, ids in GRID])


@remembered
def _open_tray(seat: Seat, round: int, many: int, there: tuple[Row, ...]) -> tuple[Piece, ...]:
    """On this seat's own phones it lies open; the others open it to tap for them."""
    id, count = f"tides-tray-{seat.id}", f"{many} of {PICKS} cards"
    rows = tuple([_suit(seat.id, round, at, row) for at, row in enumerate(there)])
    opener = Tap(seat.name, detail=count, seat=seat, opens=id, id=f"tides-open-{seat.id}", shows="cards")
    return opener, Tray(id, seat.name, rows, seat, count, stays=True)


@remembered
def _suit(seat: int, round: int, at: int, there: Row, chosen: str | None = None) -> Picker:
    """In the open a tap plays a card, and another takes it up. Where one is chosen face down, that one is
    pressed, and what was played is put right by a tap."""
    way = "open" if chosen is None else "suit"

    def tap(id: str, place: int, elsewhere: str) -> Tap:
        if chosen is None:
            do = sheet.do_for(seat, round, "take_up_card" if place else "play_card", card=id)
            return _face(id, f"open-{seat}-{id}", do, place > 0, elsewhere, str(place or ""))
        where, lies = f"card-{seat}-{id}", f"card-{round}-{seat}-{place}"
        if place:
            return Tap(card(id).narrow or card(id).name, opens=lies, tone="done", badge=str(place), id=where)
        do = sheet.do_for(seat, round, "choose_card", card=id)
        return _face(id, where, None if elsewhere else do, id == chosen, elsewhere)

    mark, name, ids = GRID[at]
    taps = tuple([tap(id, *how) for id, how in zip(ids, there, strict=True)])
    return Picker(f"tides-{way}-{seat}-{at}", taps, name, "cards", 3, mark or "none")


def _face(card_id: str, id: str, do: Do | None, on: bool, why_not: str = "", badge: str = "") -> Tap:
    shown, free = card(card_id), not why_not
    mark, pressed = "madness" if shown.madness and free else "", on if free else None
    return Tap(shown.narrow or shown.name, do, why_not=why_not, on=pressed, mark=mark, badge=badge, id=id)


@remembered
def kept_cards(id: str, label: str, ids: tuple[str, ...]) -> Chips:
    kept = [card(each) for each in ids]
    return Chips(id, tuple(Tap(each.narrow or each.name, mark=each.suit or "none") for each in kept), label)


def _two_rows(
    seat: int, round: int, played: tuple[str, ...], kept: str, discarded: str, open: bool = False
) -> tuple[Picker, Picker]:
    def row(what: str, title: str, command: str, chosen: str) -> Picker:
        do = sheet.do_for(seat, round, command)
        do = do if open else Do("choose_refresh", {**do.args, "what": what})
        dos = {id: None if id == chosen else do.also(card=id) for id in played}
        taps = [_face(id, f"{what}-{seat}-{id}", does, not does) for id, does in dos.items()]
        return Picker(f"tides-{what}-{seat}", tuple(taps), title, "cards", 3)

    keep = row("kept", "Keep for good", "keep_card", kept)
    return keep, row("discarded", "Discard", "discard_card", discarded)


def _typing(seat: Seat, now: Scored) -> Panel:
    form, side = f"typed-{now.round}-{seat.id}", now.sides[seat.id]
    text, tap = f"{side.gained} Madness, {side.cards} VP", Tap("Change", opens=form)
    if now.waits_for("typed", seat.id):
        text, tap = "nothing entered yet", Tap("Enter", strong=True, opens=form)
    return Panel(f"tides-typed-{seat.id}", (Bar(f"tides-enter-{seat.id}", (tap,)),), seat.name, text, seat)


@remembered
def _hand(seat: Seat, round: int, side: Side) -> tuple[Piece, ...]:
    """The five cards a seat takes back, on its own phones; the others see how far it is."""
    hint = "both chosen" if side.kept and side.discarded else "keeps one, discards one"
    bar = Bar(f"tides-for-{seat.id}", (Tap("Choose for them", opens=f"refresh-{round}-{seat.id}"),))
    rows = _two_rows(seat.id, round, side.played, side.kept, side.discarded, open=True)
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
