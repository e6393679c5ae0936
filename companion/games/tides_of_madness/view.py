"""What everybody sees: nothing at this table is secret once it is tapped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from companion.core import Button, Cell, Do, Phase, Question, Row, Seat, SeatView, Sheet, Tick, Verdict, View
from companion.games.tides_of_madness.adjudication import adjudicate
from companion.games.tides_of_madness.cards import DECK, SUITS, Card, card
from companion.games.tides_of_madness.forms import forms
from companion.games.tides_of_madness.questions import Lack, lacks, questions
from companion.games.tides_of_madness.rounds import Score, Scored, score_game
from companion.games.tides_of_madness.state import CHECKLIST, LIMIT, PICKS, ROUNDS, Stage, State

TO_ENTER = ("cards", "kept", "typed", "wild")  # before these are in, no step of the scoring can be shown


@dataclass(frozen=True)
class Choosable:
    """A card in a grid: tap to play it, tap again to take it up; or where else it is."""

    card: Card
    do: Do | None
    place: int = 0  # 1 to 5: played, in this order
    elsewhere: str = ""


@dataclass(frozen=True)
class Suited:
    id: str
    name: str
    cards: tuple[Choosable, ...]


@dataclass(frozen=True)
class Tray:
    """The cards in front of one seat in this round, and the grid they are tapped in."""

    seat: Seat
    kept: tuple[Card, ...]
    played: tuple[Choosable, ...]
    needed: int
    suits: tuple[Suited, ...]


@dataclass(frozen=True)
class Hand:
    """The five cards a seat takes back in the refresh."""

    seat: Seat
    keep: tuple[Choosable, ...]
    discard: tuple[Choosable, ...]
    kept: str
    discarded: str
    form: str  # where the cards are not known


@dataclass(frozen=True)
class Stop:
    """One step of the scoring."""

    number: str
    title: str
    text: str
    done: bool


@dataclass(frozen=True)
class Out:
    """What a refresh did: kept for good, and out of the game."""

    seat: Seat
    round: int
    kept: Card | None
    discarded: Card | None
    form: str


@dataclass(frozen=True)
class TidesSeat(SeatView):
    vp: int = 0
    madness: int = 0
    warning: str = ""
    kept: tuple[Card, ...] = ()


@dataclass(frozen=True)
class TidesView(View):
    stage: Stage = "setup"
    round: int = 0
    picks: int = 0
    final: bool = False
    ticks: tuple[Tick, ...] = ()
    questions: tuple[Question, ...] = ()
    lacks: tuple[Lack, ...] = ()
    trays: tuple[Tray, ...] = ()
    hands: tuple[Hand, ...] = ()
    stops: tuple[Stop, ...] = ()
    rounds: tuple[Scored, ...] = ()
    outs: tuple[Out, ...] = ()
    typing: tuple[tuple[Seat, Score | None], ...] = ()  # a round by hand: what each has entered
    summary: str = ""  # if we ended now


def view(state: State, seat: int | None) -> TidesView:
    scored, verdict = score_game(state), adjudicate(state)
    now = scored[-1] if scored else None
    known = now is not None and not any(each.what in TO_ENTER for each in now.missing)
    scoring = state.stage == "scoring" and now is not None
    return TidesView(
        phase=replace(_phase(state, scored, verdict), key="over" if verdict.final else state.stage),
        seats=tuple(_seat(state, scored, verdict, each, known) for each in state.table.seats),
        sheets=_sheets(state, scored),
        forms=forms(state, scored),
        stage=state.stage,
        round=state.round,
        picks=state.picks,
        final=verdict.final,
        ticks=_ticks(state),
        questions=questions(state, scored),
        lacks=lacks(state, scored),
        trays=tuple(_tray(state, each) for each in state.table.seats)
        if now and not now.by_hand and state.stage in ("draft", "scoring")
        else (),
        hands=tuple(_hand(state, each) for each in state.table.seats) if state.stage == "refresh" else (),
        stops=_stops(state, now) if scoring and known and now else (),
        rounds=scored,
        outs=_outs(state),
        typing=_typing(state, now) if scoring and now and now.by_hand else (),
        summary=verdict.summary,
    )


# --- what to do now ---


def _phase(state: State, scored: tuple[Scored, ...], verdict: Verdict) -> Phase:
    if verdict.final:
        return Phase(verdict.summary, "Something mistyped? Undo it, or correct it on the sheet.")
    number = state.round
    match state.stage:
        case "setup":
            ready = len(state.ticked) == len(CHECKLIST)
            start = Button("Start round 1", Do("begin_round", {"after": 0}), strong=ready)
            return Phase("Set up", "Tick off what is ready, on either phone.", (start,))
        case "draft":
            return _draft(state)
        case "scoring":
            return _scoring(scored[-1])
        case "refresh":
            sides = [state.at(number).side(seat.id) for seat in state.table.seats]
            ready = state.at(number).by_hand or all(side.kept and side.discarded for side in sides)
            start = Button(f"Start round {number + 1}", Do("begin_round", {"after": number}), strong=ready)
            text = (
                "Take your five cards back. Choose one to keep for good and one to discard, reveal both,"
                " then draw two."
            )
            return Phase(f"Refresh after round {number}", text, (start,))


def _draft(state: State) -> Phase:
    number, pick = state.round, state.picks + 1
    text = "Choose one card, reveal it together, pass the rest."
    if number > 1:
        text += f" What you kept stays in front of you: {PICKS + number - 1} cards will score."
    last = pick == PICKS
    label = "Pick 5 is made: score" if last else f"Pick {pick} is made"
    return Phase(
        f"Round {number}, pick {pick} of {PICKS}",
        text,
        (
            Button(label, Do("next_pick", {"round": number, "after": state.picks}), strong=True),
            Button("To scoring", Do("begin_scoring", {"round": number})),
        )[: 1 if last else 2],
    )


def _scoring(now: Scored) -> Phase:
    number = now.round
    title = f"Round {number}, scoring"
    if now.complete:
        button = Button("To the refresh", Do("begin_refresh", {"round": number}), strong=True)
        return Phase(title, "Scored. Compare it with the table, then go on.", (button,))
    if now.waits_for("typed"):
        return Phase(title, "Count the icons before you and the points of your cards, and enter both.")
    if now.waits_for("cards") or now.waits_for("kept"):
        kept = f" With what you kept, {PICKS + number - 1} cards score." if number > 1 else ""
        return Phase(title, f"Tap your five cards in the order you played them.{kept}")
    return Phase(title, "All numbers are in." if now.by_hand else "All cards are in.")


def _ticks(state: State) -> tuple[Tick, ...]:
    if state.stage != "setup":
        return ()
    return tuple(
        Tick(
            label,
            Do("tick", {"item": item, "done": "no" if item in state.ticked else "yes"}),
            item in state.ticked,
        )
        for item, label in CHECKLIST
    )


# --- cards ---


def _tray(state: State, seat: Seat) -> Tray:
    spread = state.spread(seat.id, state.round)
    places = {id: (owner, how) for id, owner, how in state.places(state.round)}
    grid = {each.id: _choosable(state, seat, each, places.get(each.id)) for each in DECK}
    suits = [(each.id, each.many) for each in SUITS] + [("", "No suit")]
    return Tray(
        seat,
        tuple(card(id) for id in spread.kept),
        tuple(grid[id] for id in spread.played),
        PICKS - len(spread.played),
        tuple(
            Suited(id, name, tuple(each for each in grid.values() if each.card.suit == id))
            for id, name in suits
        ),
    )


def _choosable(state: State, seat: Seat, each: Card, place: tuple[int, str] | None) -> Choosable:
    args: dict[str, str | int] = {"seat": seat.id, "round": state.round, "card": each.id}
    if place is None:
        return Choosable(each, Do("play_card", args))
    owner, how = place
    if how == "played" and owner == seat.id:
        played = state.at(state.round).side(seat.id).played
        return Choosable(each, Do("take_up_card", args), played.index(each.id) + 1)
    if how.startswith("discarded"):
        return Choosable(each, None, elsewhere="out of the game")
    return Choosable(each, None, elsewhere="you keep it" if owner == seat.id else state.name(owner))


def _hand(state: State, seat: Seat) -> Hand:
    side = state.at(state.round).side(seat.id)
    args: dict[str, str | int] = {"seat": seat.id, "round": state.round}
    cards = [] if state.at(state.round).by_hand else [card(id) for id in side.played]

    def choose(command: str, chosen: str, other: str) -> tuple[Choosable, ...]:
        return tuple(
            Choosable(
                each,
                None if each.id in (chosen, other) else Do(command, {**args, "card": each.id}),
                place=int(each.id == chosen),
            )
            for each in cards
        )

    return Hand(
        seat,
        choose("keep_card", side.kept, side.discarded),
        choose("discard_card", side.discarded, side.kept),
        side.kept,
        side.discarded,
        f"refresh-{state.round}-{seat.id}",
    )


def _outs(state: State) -> tuple[Out, ...]:
    return tuple(
        Out(
            seat,
            each.number,
            card(side.kept) if side.kept else None,
            card(side.discarded) if side.discarded else None,
            f"refresh-{each.number}-{seat.id}",
        )
        for each in state.rounds[: ROUNDS - 1]
        for seat in state.table.seats
        for side in (each.side(seat.id),)
        if side.kept or side.discarded
    )


def _typing(state: State, now: Scored) -> tuple[tuple[Seat, Score | None], ...]:
    return tuple(
        (seat, None if now.waits_for("typed", seat.id) else now.sides[seat.id]) for seat in state.table.seats
    )


# --- the steps of the scoring ---


def _stops(state: State, now: Scored) -> tuple[Stop, ...]:
    chosen = now.chooser is None or now.choice is not None
    moved = chosen and not now.waits_for("token")
    stops = [
        Stop("1", "Madness", _pairs(state, now, lambda s: f"{s.before} + {s.gained}"), True),
        Stop("2", "Most Madness", _bonus(state, now), chosen),
    ]
    if now.dreamer is not None:
        stops.append(Stop("", "Dreamlands", _dreams(state, now) if moved else "after the bonus", moved))
    points = _pairs(state, now, lambda s: f"{s.cards} VP") if moved else "after the bonus"
    checked = _pairs(state, now, _checked) if now.complete else "at the end"
    return (
        *stops,
        Stop("3", "Objectives", points, moved),
        Stop("4", "Nine or more?", checked, now.complete),
    )


def _pairs(state: State, now: Scored, say: Callable[[Score], str]) -> str:
    return ", ".join(f"{state.name(seat)} {say(side)}" for seat, side in now.sides.items())


def _bonus(state: State, now: Scored) -> str:
    if now.chooser is None:
        return "both gained as much, so nobody has the bonus"
    name = state.name(now.chooser)
    if now.choice is None:
        return f"{name} gained more and chooses"
    if now.choice == "points":
        return f"{name} gained more and takes 4 VP"
    side = now.sides[now.chooser]
    healed = side.before + side.gained
    return f"{name} gained more and heals 1: {healed} → {healed - 1}"


def _dreams(state: State, now: Scored) -> str:
    assert now.dreamer is not None
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


# --- seats and sheet ---


def _seat(state: State, scored: tuple[Scored, ...], verdict: Verdict, seat: Seat, known: bool) -> TidesSeat:
    sides = [each.sides[seat.id] for each in scored]
    done = [each.sides[seat.id] for each in scored if each.complete or each.round < state.round]
    madness = 0 if not sides else sides[-1].after if known else sides[-1].before
    kept = state.kept_before(seat.id, state.round + (state.stage == "refresh"))
    return TidesSeat(
        seat,
        (),
        leads=bool(done) and verdict.leaders == (seat.id,),
        vp=sum(each.points for each in done),
        madness=madness,
        warning=_warning(madness, bool(scored) and scored[-1].complete),
        kept=tuple(card(id) for id in kept),
    )


def _warning(madness: int, checked: bool) -> str:
    if madness >= LIMIT:
        return "lost" if checked else "nine or more!"
    left = LIMIT - madness
    return {1: "one more is nine", 2: "two more are nine"}.get(left, "")


def _sheets(state: State, scored: tuple[Scored, ...]) -> tuple[Sheet, ...]:
    columns = tuple(str(each.round) for each in scored)

    def row(seat: Seat, what: str, total: int) -> Row:
        cells = tuple(Cell(str(getattr(each.sides[seat.id], what))) for each in scored)
        return Row(seat, cells, str(total))

    vp = tuple(
        row(seat, "points", sum(each.sides[seat.id].points for each in scored)) for seat in state.table.seats
    )
    mad = tuple(
        row(seat, "after", scored[-1].sides[seat.id].after if scored else 0) for seat in state.table.seats
    )
    return (Sheet("vp", "Victory points", columns, vp), Sheet("madness", "Madness", columns, mad))
