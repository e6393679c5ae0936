"""All that is seen, once for every phone: each player, the Arcane Places, and points, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from companion.core import Cell, Counter, Do, Field, Form, Phase, Row, Seat, SeatView, Sheet, Tap, View
from companion.core.fixed import replace
from companion.core.memo import kept_while
from companion.core.pieces import Bar, Fold, Grid, Note, Panel, Picker, Piece, Race, Share, Tone, Track, Tray
from companion.core.text import counted, listed, plain
from companion.games.wisdom_of_cthulhu import box, panels
from companion.games.wisdom_of_cthulhu.adjudication import adjudicate
from companion.games.wisdom_of_cthulhu.box import ACTIONS, BONDS, BOXES, REQUIREMENTS, find_bond, places
from companion.games.wisdom_of_cthulhu.forms import KINDS, forms, short
from companion.games.wisdom_of_cthulhu.player import Learned, Player
from companion.games.wisdom_of_cthulhu.state import Place, State, but_points

Gains = tuple[tuple[int, ...], ...]
MISTYPED = "Something mistyped? Undo it, or correct it on the sheet."
LATER = box.SAID["later"]
NEW_ACTIONS = listed(sorted({str(each.number) for each in ACTIONS if each.later}))
TOOLS = (("points", "Points"), ("take", "Learning Area"), ("seeker", "Seeker"), ("sign", "Elder Sign"))
RARE = (("bond", "Other bond"), ("cards", "Six cards"))


def view(state: State) -> View:
    verdict = adjudicate(state)
    over = Phase(verdict.summary, MISTYPED, key="over", step=verdict.outcome, final=True)
    phase = over if state.over else panels.phase(state)
    sheets = (_sheet(state.table.seats, state.gains),) if state.turn else ()
    seats = _seats(state, verdict.leaders)
    return View(phase, seats, sheets, forms(state), _board(state), state.lying)


def _board(state: State) -> tuple[Piece, ...]:
    """On the display the ring is in the middle, and the rest beside it."""
    if not state.turn:
        return (_drafts("setup"),)
    if state.over:
        return (_compared(state), _drafts("over"))
    gods = Panel("wis-gods-in", (panels.gods(state),), _in_play(state))
    compared = state.phase in ("preparation", "end")
    side = Grid("wis-side", (_compared(state) if compared else _area(state), gods), 1)
    skip = (panels.skip(state.turn),) if state.phase == "research" else ()
    return (_places(state), side, *skip, _drafts(state.phase))


def _compared(state: State) -> Panel:
    """While nobody acts; in between the points stand with the players, and are not sent twice."""
    race = Race("wis-race", tuple([Share(seat, state.kp(seat.id)) for seat in state.table.seats]), "KP")
    return Panel("wis-kp", (race,), "Knowledge Points", only="display")


def _area(state: State) -> Panel:
    """What is left of the Knowledge cards of this turn."""
    taps = []
    for id, many in box.laid_out(state.table).items():
        left = max(0, many - state.bought.count(id))
        tone: Tone = "" if left else "done"
        taps.append(Tap(box.FAMILIES[id], badge=str(left), id=f"wis-area-{id}", tone=tone))
    return Panel("wis-area", (Picker("wis-left", tuple(taps), look="rows"),), "Research Area", only="display")


@cache
def _drafts(phase: str) -> Fold:
    """One mark on a screen is enough."""
    what = LATER.get(phase, "").format(actions=NEW_ACTIONS)
    title = f"From the later draft: {what}" if what else "What “later draft” means"
    return Fold("wis-drafts", title, (Note("wis-two-drafts", box.SAID["drafts"]["two"]),), only="players")


# --- a player: points, six cards, the Ritual, two markers, and the Dark Masters that the bonds pay ---


class Now(NamedTuple):
    """What is the same for every seat."""

    turn: int
    over: bool
    evoked: bool
    sacrifice_at_once: bool


def _seats(state: State, leaders: tuple[int, ...]) -> tuple[SeatView, ...]:
    at_once = box.SACRIFICE_WHEN.chosen(state.table) == "same"
    now = Now(state.turn, state.over, state.evoked is not None, at_once)
    found = []
    for seat, got in zip(state.table.seats, state.gains, strict=True):
        mine = state.players[seat.id]
        spots = (state.where(mine.seeker), state.where(mine.sign))
        found.append(_seat(seat, mine, spots, now, got, bool(got) and leaders == (seat.id,)))
    return tuple(found)


@lru_cache(4096)  # the seats of many tables: most taps change one of them, or none
def _seat(
    seat: Seat, mine: Player, spots: tuple[str, str], now: Now, got: tuple[int, ...], leads: bool
) -> SeatView:
    if not got:
        return SeatView(seat)
    do = Do("count", {"seat": seat.id, "turn": now.turn})
    kp = Counter(f"counter-{seat.id}-1", "KP", sum(got), do)
    return SeatView(seat, (kp,), leads=leads, pieces=_pieces(seat, mine, spots, now))


@lru_cache(4096)
def _pieces(seat: Seat, mine: Player, spots: tuple[str, str], now: Now) -> tuple[Piece, ...]:
    id, evokes = seat.id, mine.ritual == BOXES and not now.evoked
    rite = Track(f"wis-rite-{id}", "Ritual", mine.ritual, BOXES, seat=seat)
    lies = Note(f"wis-lies-{id}", " · ".join([_rite(mine, evokes, now), *_lies(mine, *spots)]))
    tiles = tuple([_card(id, at, each, mine.worth(each), now) for at, each in enumerate(mine.learned)])
    learned = (Picker(f"wis-cards-{id}", tiles, look="cards", columns=3),) if tiles else ()
    return *learned, rite, lies, *(() if now.over else _tools(seat, mine))


@lru_cache(4096)
def _card(seat: int, at: int, card: Learned, worth: int, now: Now) -> Tap:
    """A card of the Learning Area. One tap activates it; of any other it opens what can be done with it."""
    pays = f" +{worth}" if worth else ""
    detail = "used" if card.used else f"lacks {short(card.lacks)}" if card.lacks else KINDS[card.kind] + pays
    mark, id = card.bond or card.object, f"wis-card-{seat}-{at}"
    tap = Tap(card.name, None, detail, mark=mark, id=id, shows="card")
    if now.over:
        return tap
    if card.ready:
        do = Do("activate", {"turn": now.turn, "seat": seat, "card": card.name})
        return replace(tap, do=do, costs=True, tone="good")
    return replace(tap, opens=f"card-{seat}-{at}", tone="done" if card.used else "")


def _tools(seat: Seat, mine: Player) -> tuple[Piece, ...]:
    """What is wanted often stands on one's own card; the rest, and the others', is one tap behind it."""
    rite = [("ritual", each.name) for each in REQUIREMENTS[mine.ritual :][:1]]
    every = [Tap(words, opens=f"{form}-{seat.id}") for form, words in (*rite, *TOOLS, *RARE)]
    often = [Tap(words, opens=f"{form}-{seat.id}") for form, words in (*rite, *TOOLS[:1])]
    picker = Picker(f"wis-every-{seat.id}", tuple(every), columns=2)
    tray = Tray(f"wis-all-{seat.id}", seat.name, (picker,), seat)
    return Bar(f"wis-tools-{seat.id}", (*often, Tap("More", opens=tray.id))), tray


def _rite(mine: Player, evokes: bool, now: Now) -> str:
    """What each box was reached with, and what comes next."""
    met = ", ".join(find_bond(rite.bond).name if rite.bond else "by hand" for rite in mine.rites)
    words = "can evoke" if evokes else "complete" if mine.ritual == BOXES else "not completed"
    if mine.ritual < BOXES and not now.over:
        needed, turn = REQUIREMENTS[mine.ritual], mine.rites[-1].turn + 1 if mine.ritual == BOXES - 1 else 0
        wait = f" of turn {turn}" if turn > now.turn and not now.sacrifice_at_once else ""
        words = f"{needed.name} next, {needed.met}{wait}"
    return f"{met}; {words}" if met else words


def _lies(mine: Player, seeker: str, sign: str) -> Iterator[str]:
    """The six cards by what they are now, and the markers that are not at home."""
    yield counted(mine.hand, "Path", "no")
    if mine.temporary:
        yield f"{mine.temporary} temporary"
    if mine.permanent:
        yield f"{mine.permanent} permanent" + (f", {mine.used} used" if mine.used else "")
    if mine.spent:
        yield f"{mine.spent} spent"
    if mine.seeker:
        yield f"Seeker: {seeker}"
    if mine.sign:
        yield f"Elder Sign: {sign}"


# --- Arcane Places ---


@kept_while(but_points)
def _places(state: State) -> Picker:
    there = [(state.players[seat.id].seeker, state.players[seat.id].sign, seat) for seat in state.table.seats]
    seekers, signs = {spot: seat for spot, _, seat in there}, {spot: seat for _, spot, seat in there}
    spots = [(number, f"place-{number}") for number in range(1, places(len(there)) + 1)]
    taps = [_tile(n, state.places.get(n, Place()), seekers.get(at), signs.get(at)) for n, at in spots]
    return Picker("wis-places", tuple(taps), "Arcane Places", "cards", 3)


@lru_cache(4096)  # the rings of many tables: few taps change a tile
def _tile(number: int, place: Place, seeker: Seat | None, sign: Seat | None) -> Tap:
    """A tap notes its name and bond. A Seeker stands on it as its token, an Elder Sign as words."""
    there = [f"{seeker.name}’s Seeker"] if seeker else []
    there += [f"{sign.name}’s Sign"] if sign else []
    there += [f"+{place.points} KP"] if place.points and not there else []
    name, words, opens = place.name or f"Place {number}", ", ".join(there), f"place-{number}"
    tap = Tap(name, None, words, mark=place.bond, seat=seeker, opens=opens, id=f"wis-{opens}", shows="place")
    return replace(tap, tone="warn") if sign else tap


def _in_play(state: State) -> str:
    many, named = len(state.seats), len(state.gods)
    if state.evoked or named == many or many == len(BONDS):
        return "Great Old Ones in play"
    return f"Great Old Ones: {named} of {many} named"


# --- points ---


@lru_cache(1024)
def _sheet(seats: tuple[Seat, ...], gains: Gains) -> Sheet:
    columns = tuple(map(str, range(1, len(gains[0]) + 1)))
    rows = tuple([_row(seat, got) for seat, got in zip(seats, gains, strict=True)])
    return Sheet("kp", "Knowledge Points by turn", columns, rows, total="")  # it stands on each seat


@lru_cache(4096)
def _row(seat: Seat, got: tuple[int, ...]) -> Row:
    return Row(seat, tuple([_cell(seat, turn, kp) for turn, kp in enumerate(got, 1)]), "")


@lru_cache(4096)
def _cell(seat: Seat, turn: int, got: int) -> Cell:
    title, do = f"{seat.name}, points of turn {turn}", Do("correct", {"seat": seat.id, "turn": turn})
    to = Field("to", "Knowledge Points", str(got), "number")
    return Cell(plain(got), Form(f"cell-{turn}-{seat.id}", title, do, (to,), "Correct it"))
