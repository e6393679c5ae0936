"""All that is seen, once for every phone: each player, the Arcane Places, and points, turn by turn."""

from functools import cache, lru_cache

from companion.core import Counter, Do, Seat, Tap, kept_but_for, kept_on, listed, plain, replace
from companion.core.pieces import Bar, Fold, Grid, Note, Panel, Picker, Piece, Race, Share, Track, Tray
from companion.core.view import Cell, Field, Form, Forms, Row, SeatView, Sheet, View, over
from companion.games.wisdom_of_cthulhu import adjudication, box, forms, panels, research
from companion.games.wisdom_of_cthulhu.state import POINTS, Place, Player, State, but_points

NEW_ACTIONS = listed(sorted({str(each.number) for each in box.ACTIONS if each.later}))


def view(state: State) -> View:
    """A player: points, what lies before them, the Ritual, and what else can be done for them."""
    (laid, before), first, turn = _laid(state), adjudication.adjudicate(state).leaders, state.turn
    players, counted = state.players, zip(state.table.seats, state.gains, strict=True)
    seats = [_seat(players[s.id], s, turn, before[s.id], got, first == (s.id,)) for s, got in counted]
    sheets = (_sheet(state.table.seats, state.gains),) if turn else ()
    return replace(laid, seats=tuple(seats), sheets=sheets)


def _weighed(state: State) -> object:
    """Of the points: all while they are compared, and who has most while somebody acts, and can be robbed."""
    then = but_points(state)
    if then.phase == "research":
        return research.richest(state, then.actor)
    return None if then.phase == "order" else state.points


@kept_but_for(State, *POINTS, also=_weighed)
def _laid(state: State) -> tuple[View, dict[int, tuple[Piece, ...]]]:
    """What most taps leave as it was, and what lies before each player."""
    phase = over(adjudication.adjudicate(state)) if state.over else panels.phase(state)
    asks = Forms(lambda: forms.forms(state), listed=False)
    mine = {seat: state.players[seat.id] for seat in state.table.seats}
    lies = {seat: f"{_rite(state, each)} · {box.SAYS['lies'](each, state)}" for seat, each in mine.items()}
    before = {seat.id: _pieces(mine[seat], seat, lies[seat], state.turn, state.over) for seat in mine}
    return View(phase, (), (), asks, _board(state), _lying(state)), before


def _board(state: State) -> tuple[Piece, ...]:
    """On the display the ring is in the middle, and the rest beside it."""
    if not state.turn:
        return (_drafts("setup"),)
    if state.over:
        return (_compared(state), _drafts("over"))
    many, named = len(state.seats), len(state.gods)
    known = state.evoked or many in (named, len(box.BONDS))
    title = "Great Old Ones in play" if known else f"Great Old Ones: {named} of {many} named"
    gods = Panel("wis-gods-in", (panels.gods(state),), title)
    compared = state.phase in ("preparation", "end")
    side = Grid("wis-side", (_compared(state) if compared else _area(state), gods), 1)
    sure = "Leave the rest of this Research to the table? Points can still be counted by hand."
    end = Tap("End the Research without the phones", Do("end_research", {"turn": state.turn}), confirm=sure)
    skip = (Bar("wis-skip", (end,)),) if state.phase == "research" else ()
    return (_places(state), side, *skip, _drafts(state.phase))


def _compared(state: State) -> Panel:
    """While nobody acts; in between the points stand with the players, and are not sent twice."""
    race = Race("wis-race", tuple([Share(seat, state.kp(seat.id)) for seat in state.table.seats]), "KP")
    return Panel("wis-kp", (race,), "Knowledge Points", only="display")


def _area(state: State) -> Panel:
    """What is left of the Knowledge cards of this turn."""
    left = {id: max(0, n - state.bought.count(id)) for id, n in box.laid_out(state.table).items()}
    shown = [(box.FAMILIES[id], f"wis-area-{id}", n) for id, n in left.items()]
    taps = [Tap(name, badge=str(n), id=id, tone="" if n else "done") for name, id, n in shown]
    return Panel("wis-area", (Picker("wis-left", tuple(taps), look="rows"),), "Research Area", only="display")


@cache
def _drafts(phase: str) -> Fold:
    """One mark on a screen is enough."""
    what = box.SAID["later"].get(phase, "").format(actions=NEW_ACTIONS)
    title = f"From the later draft: {what}" if what else "What “later draft” means"
    return Fold("wis-drafts", title, (Note("wis-two-drafts", box.SAID["drafts"]["two"]),), only="players")


def _lying(state: State) -> frozenset[str]:
    """What people may ask about now: cards by name, bonds of Great Old Ones, what is not always so."""
    players = [state.players[seat] for seat in state.seats]
    cards = [card for each in players for card in each.learned]
    now = {
        "sign": state.placed_signs(0),
        "object": any(card.object for card in cards),
        "master": any(card.family == "dm" for card in cards),
        "entity": any(card.family == "en" for card in cards),
        "combination": any(card.under or card.lacks for card in cards),
        "permanent": any(each.permanent for each in players),
        "no path": any(not each.hand and each.able for each in players),
        "evoked": state.evoked,
        "three": len(players) == 3,
        "first turn": state.turn < 2,
        "last turn": state.turn == box.TURNS,
    }
    gods, names = [each.id for each in box.BONDS if state.in_play(each.id)], [card.name for card in cards]
    return frozenset([*[name for name, holds in now.items() if holds], *gods, *names])


@kept_on
def _seat(
    mine: Player, seat: Seat, turn: int, before: tuple[Piece, ...], got: tuple[int, ...], leads: bool
) -> SeatView:
    """Most taps change one of them, or none."""
    kp = Counter(f"counter-{seat.id}-1", "KP", sum(got), Do("count", {"seat": seat.id, "turn": turn}))
    return SeatView(seat, (kp,), leads=leads, pieces=before) if got else SeatView(seat)


@kept_on
def _pieces(mine: Player, seat: Seat, lies: str, turn: int, over: bool) -> tuple[Piece, ...]:
    rite = Track(f"wis-rite-{seat.id}", "Ritual", mine.ritual, box.BOXES, seat=seat)
    held, now = enumerate(mine.learned), 0 if over else turn
    tiles = tuple([_card(f"{seat.id}-{at}", seat.id, each, mine.worth(each), now) for at, each in held])
    learned = (Picker(f"wis-cards-{seat.id}", tiles, look="cards", columns=3),) if tiles else ()
    return *learned, rite, Note(f"wis-lies-{seat.id}", lies), *(() if over else _tools(seat, mine))


def _card(id: str, seat: int, card: box.Card, worth: int, turn: int) -> Tap:
    """A card of the Learning Area. One tap activates it; of any other it opens what can be done with it."""
    pays = forms.KINDS[card.kind] + (f" +{worth}" if worth else "")
    detail = "used" if card.used else f"lacks {forms.short(card.lacks)}" if card.lacks else pays
    name = box.SAID["narrow"].get(card.name, card.name)
    tap = Tap(name, None, detail, mark=card.bond or card.object, id=f"wis-card-{id}", shows="card")
    if not turn:
        return tap
    if card.ready:
        do = Do("activate", {"turn": turn, "seat": seat, "card": card.name})
        return replace(tap, do=do, costs=True, tone="good")
    return replace(tap, opens=f"card-{id}", tone="done" if card.used else "")


def _tools(seat: Seat, mine: Player) -> tuple[Piece, ...]:
    """What is wanted often stands on one's own card; the rest, and the others', is one tap behind it."""
    rite = [("ritual", each.name) for each in box.REQUIREMENTS[mine.ritual :][:1]]
    every = [Tap(words, opens=f"{form}-{seat.id}") for form, words in (*rite, *box.SAID["tools"].items())]
    picker = Picker(f"wis-every-{seat.id}", tuple(every), columns=2)
    tray = Tray(f"wis-all-{seat.id}", seat.name, (picker,), seat)
    return Bar(f"wis-tools-{seat.id}", (*every[: len(rite) + 1], Tap("More", opens=tray.id))), tray


def _rite(state: State, mine: Player) -> str:
    """What each box was reached with, and what comes next."""
    met = ", ".join(box.find_bond(rite.bond).name if rite.bond else "by hand" for rite in mine.rites)
    words = "not completed" if mine.ritual < box.BOXES else "complete" if state.evoked else "can evoke"
    if mine.ritual < box.BOXES and not state.over:
        turn, needed = mine.rites[-1].turn + 1 if mine.ritual > 1 else 0, box.REQUIREMENTS[mine.ritual]
        wait = f" of turn {turn}" if turn > state.turn and not state.sacrifice_at_once else ""
        words = f"{needed.name} next, {needed.met}{wait}"
    return f"{met}; {words}" if met else words


def _places(state: State) -> Picker:
    there = [(state.players[seat.id].seeker, state.players[seat.id].sign, seat) for seat in state.table.seats]
    seekers, signs = {spot: seat for spot, _, seat in there}, {spot: seat for _, spot, seat in there}
    spots = [(number, f"place-{number}") for number in state.ring]
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


@lru_cache(1024)
def _sheet(seats: tuple[Seat, ...], gains: tuple[tuple[int, ...], ...]) -> Sheet:
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
