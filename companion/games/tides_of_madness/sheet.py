"""What a round gave, and why: the scoring step by step, each card's reason, and the score sheet, where any
number of any round can be put right, and everything after follows."""

from collections.abc import Callable, Iterator

from companion.core import Cell, Do, Form, Row, Seat, Sheet, Tap, kept_on, remembered, replace
from companion.core.forms import Blanks, Filled, Words, asks_choice, asks_number
from companion.core.pieces import Because, Fold, Grid, Steps, Total, steps
from companion.games.tides_of_madness.cards import DECK, DREAMS, KEPT_ICONS, SAYS, SUITS, card
from companion.games.tides_of_madness.rounds import Score, Scored
from companion.games.tides_of_madness.state import PICKS, Round, Side, State

CARDS = (("none", "not named"), *((each.id, each.name) for each in DECK))
WILDS = (("none", "not here"), *((each.id, each.many) for each in SUITS))
TAKES = (("no", f"no {DREAMS}"), ("yes", "takes one from the other player"))
BONUS = (("points", "4 VP"), ("heal", "heal 1 Madness"))
blanks = Blanks(__package__)


def do_for(seat: int, round: int, command: str, **given: str) -> Do:
    return Do(command, {"seat": seat, "round": round, **given})


def other_way(round: int, by_hand: bool) -> Tap:
    label, way = ("Score card by card", "cards") if by_hand else ("Enter this round by hand", "hand")
    return Tap(f"{label} instead", Do(f"score_by_{way}", {"round": round}))


@kept_on  # a round that is over is told the same until somebody corrects it
def card_vp(scored: Scored, seats: tuple[Seat, ...]) -> Grid:
    id, both = f"tides-lines-{scored.round}", []
    for seat in seats:
        side, rows = scored.sides[seat.id], []
        for shown, points, why, kept, _ in side.card_vp:
            tags = ("Madness",) * shown.madness + ("kept",) * kept
            rows.append(Because(shown.name, str(points), why, shown.suit or "none", tags=tags))
        value = f"{side.cards} + {side.bonus}" if side.bonus else str(side.cards)
        both.append(Total(f"{id}-{seat.id}", seat.name, value, "VP", tuple(rows), seat=seat, open=True))
    return Grid(id, tuple(both))


def past(state: State, scored: tuple[Scored, ...]) -> Iterator[Fold]:
    """The rounds that are over, the last one first. By hand the next one begins at once, so it lies open."""
    for each in reversed([each for each in scored if each.round < state.round and each.entered]):
        title, done = f"Round {each.round}, step by step", stops(each, state, f"tides-stops-{each.round}")
        cards = () if each.by_hand else (card_vp(each, state.table.seats),)
        last = each.by_hand and each.round == state.round - 1
        yield Fold(f"tides-past-{each.round}", title, (done, *cards), last, only="players")


def stops(now: Scored, state: State, id: str = "tides-stops") -> Steps:
    """The scoring as the manual orders it; what is not done yet says what it waits for."""

    def pairs(say: Callable[[Score], str]) -> str:
        return ", ".join(f"{state.name(seat)} {say(side)}" for seat, side in now.sides.items())

    chosen = now.chooser is None or now.choice is not None
    moved = chosen and not now.waits_for("token")
    waits = "" if moved else "after the bonus"
    found = (
        ("Madness", True, pairs(lambda side: f"{side.before} + {side.gained}")),
        ("Most Madness", chosen, _bonus(state, now)),
        ("Dreamlands", moved, (waits or _dreams(state, now, now.dreamer)) if now.dreamer else ""),
        ("Objectives", moved, waits or pairs(lambda side: f"{side.cards} VP")),
        ("Check for nine", now.complete, pairs(SAYS["checked"]) if now.complete else "at the end"),
    )
    titles, dones, texts = zip(*[each for each in found if each[2]], strict=True)
    where = steps(id, "Scoring, step by step", titles, sum(dones))
    stages = [replace(stage, detail=text) for stage, text in zip(where.stages, texts, strict=True)]
    return replace(where, stages=tuple(stages), upright=True)


def _bonus(state: State, now: Scored) -> str:
    if now.chooser is None:
        return "both gained as much, so nobody has the bonus"
    held = now.sides[now.chooser].held
    how = {None: "chooses", "points": "takes 4 VP", "heal": f"heals 1: {held} → {held - 1}"}[now.choice]
    return f"{state.name(now.chooser)} gained more and {how}"


def _dreams(state: State, now: Scored, dreamer: int) -> str:
    mine, theirs = now.sides[dreamer], now.sides[state.other(dreamer)]
    who, other = state.name(dreamer), state.name(theirs.seat)
    if now.left:
        return f"{who} leaves {other} the token"
    if not mine.moved:
        return f"{who} takes no token: {other} has none"
    whose, left = (other, f" and {theirs.after}") if theirs.moved else ("the supply", "")
    return f"{who} takes a token from {whose}: now {mine.after}{left}"


def sheets(state: State, scored: tuple[Scored, ...]) -> tuple[Sheet, ...]:
    """Of the rounds that have come to their scoring."""
    seats, asks_new = state.table.seats, KEPT_ICONS.chosen(state.table) == "new"
    done = [each for each in scored if not state.drafts(each.round)]
    return tuple([_sheet(each, seats, state.at(each.round), asks_new) for each in done])


@kept_on  # a round that is over stays as it is until somebody corrects it
def _sheet(scored: Scored, seats: tuple[Seat, ...], round: Round, asks_new: bool) -> Sheet:
    number, by_hand = round.number, round.by_hand

    def row(seat: Seat) -> Row:
        score, side, bonus = scored.sides[seat.id], round.side(seat.id), Cell("–")
        form = _typed(seat, number, side, asks_new) if by_hand else _cards(seat, number, side)
        again = replace(form, id=f"madness-{number}-{seat.id}")
        if scored.choice and scored.chooser == seat.id:
            given = "4" if scored.choice == "points" else "heal"
            bonus = Cell(given, _form("bonus", seat, number, choice=asks_choice(BONUS, scored.choice)))
        cells = (Cell(str(score.cards), form), bonus, Cell(str(score.after), again))
        return Row(seat, cells, str(score.points))

    title = f"Round {number}{', by hand' * by_hand}{', not complete' * bool(scored.missing)}"
    columns = ("Cards", "Bonus", "Madness")
    return Sheet(f"round-{number}", title, columns, tuple(map(row, seats)), total="VP")


def _form(kind: str, seat: Seat, round: int, *also: Tap, **filled: Filled) -> Form:
    args, words = {"seat": seat.id, "round": round}, {"name": seat.name, "round": str(round)}
    return blanks(f"{round}-{seat.id}", args, words, kind, (), also, "", kind != "refresh", **filled)


def _cards(seat: Seat, round: int, side: Side) -> Form:
    there = zip(blanks["cards"].fields, (*side.played, *["none"] * (PICKS - len(side.played))), strict=False)
    five = {name: asks_choice(CARDS, id) for name, id in there}
    return _form("cards", seat, round, other_way(round, False), **five, wild=asks_choice(WILDS, side.wild))


def _typed(seat: Seat, round: int, side: Side, asks_new: bool) -> Form:
    """Where only new icons decide the bonus, they are asked for too, once there are others."""
    vp, madness, dreamlands, new = side.typed or ("", "", False, None)
    dreams = asks_choice(TAKES, "yes" if dreamlands else "no")
    filled = {"madness": asks_number(madness), "vp": asks_number(vp), "dreamlands": dreams}
    if asks_new and round > 1:
        filled["new"] = asks_number("" if new is None else new)
    return _form("typed", seat, round, other_way(round, True), **filled)


def forms(state: State) -> Iterator[Form]:
    """What a tap on the board opens: a card of this round, and the refreshes that have come."""
    for now in state.rounds[-1:] if state.stage in ("draft", "scoring") else ():
        for seat in state.table.seats:
            for place, id in enumerate(now.side(seat.id).played, 1):
                yield _card(seat, now.number, place, id)
    for each in state.rounds if state.stage == "refresh" else state.rounds[:-1]:
        for seat in state.table.seats:
            yield _refresh(seat, each.number, each.side(seat.id), each.known(seat.id))


@remembered
def _card(seat: Seat, round: int, place: int, id: str) -> Form:
    args: Words = {"seat": seat.id, "round": round, "place": place}
    words: Words = {**args, "name": seat.name}
    return blanks(f"{round}-{seat.id}-{place}", args, words, "card", card=asks_choice(CARDS[1:], id))


@remembered
def _refresh(seat: Seat, round: int, side: Side, known: bool) -> Form:
    choices = (CARDS[0], *((id, card(id).name) for id in side.played)) if known else CARDS
    kept, discarded = asks_choice(choices, side.kept), asks_choice(choices, side.discarded)
    return _form("refresh", seat, round, kept=kept, discarded=discarded)
