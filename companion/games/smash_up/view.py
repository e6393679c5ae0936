"""What everybody sees: nothing at this table is secret once it is tapped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from companion.core import (
    Button,
    Cell,
    Counter,
    Do,
    Option,
    Phase,
    Question,
    Row,
    Seat,
    SeatView,
    Sheet,
    Table,
    Verdict,
    View,
)
from companion.core.text import listed
from companion.games.smash_up.adjudication import Standing, adjudicate, places, standings
from companion.games.smash_up.board import (
    Box,
    Choosing,
    Lying,
    SettingUp,
    boxes,
    choosing,
    late,
    lying,
    newcomers,
    setting_up,
    still_to_come,
    unready,
    warning,
)
from companion.games.smash_up.forms import forms
from companion.games.smash_up.reckoning import PLACES, After, Line, UnderWay, after, history, under_way
from companion.games.smash_up.state import GOAL, LAST, PHASES, PLAY, SCORE, Base, Scored, Stage, State

SHORT = ("Start", "Play", "Score", "Draw", "End")
KEYS = ("start", "play", "score", "draw", "end")  # as the rulings call the phases
TEXTS = (
    "Whatever happens at the start of a turn happens now.",
    "One minion, one action, both or neither, in any order. Each Talent once.",
    "A base whose power has reached its breakpoint scores now.",
    "Draw two cards. More than ten cards in hand? Discard down to ten, now and only now.",
    "Whatever happens at the end of a turn happens now. Then it is the next player's turn.",
)
HELP = "Tap a player for VP and Madness cards, a base for minions and for the others' power."
REMINDERS = (
    (),
    (
        "Extra cards come on top of that.",
        "A minion that is moved or returned is not played: nothing triggers.",
        "“Cannot” beats “can”.",
    ),
    (),
    ("Deck empty? Shuffle your discard pile, then draw.",),
    (),
)


@dataclass(frozen=True)
class Step:
    """One of the five phases of a turn."""

    number: int
    title: str
    short: str
    now: bool
    done: bool
    do: Do | None  # a tap ahead


@dataclass(frozen=True)
class SmashSeat(SeatView):
    vp: int = 0
    madness: int = 0
    penalty: int = 0
    left: int = 0
    sum: str = ""
    turn: bool = False
    place: str = ""  # "2nd", once somebody is ahead
    factions: tuple[str, ...] = ()
    choosing: Choosing | None = None  # who joined late has not chosen yet


@dataclass(frozen=True)
class SmashPhase(Phase):
    """All that is said and asked above the bases."""

    stage: Stage = "setup"
    final: bool = False
    turn: int = 0
    player: Seat | None = None
    steps: tuple[Step, ...] = ()
    reminders: tuple[str, ...] = ()
    ready: str = ""
    questions: tuple[Question, ...] = ()
    late: tuple[str, ...] = ()
    empty: int = 0  # places where a base is still to come, in a game under way
    laid: int = 0
    boxes: tuple[Box, ...] = ()
    ending: str = ""  # somebody has 15 VP, and what that means
    warning: str = ""
    scoring: UnderWay | None = None
    after: After | None = None


@dataclass(frozen=True)
class SmashSheet(Sheet):
    stage: Stage = "setup"
    madness_deck: int = 0
    base_deck: int = 0
    summary: str = ""
    history: tuple[tuple[Scored, tuple[Line, ...]], ...] = ()


@dataclass(frozen=True)
class SmashView(View):
    phase: SmashPhase
    stage: Stage = "setup"
    bases: tuple[Lying, ...] = ()
    empty: int = 0  # places where a base is still to come
    boxes: tuple[Box, ...] = ()
    setup: SettingUp | None = None


def view(state: State) -> SmashView:
    verdict, stands = adjudicate(state), standings(state)
    turn = state.player if state.stage == "play" else 0
    sheet = state.kept(
        "sheet",
        _sheet,
        *(state.table.seats, state.scored, state.vp, history(state)),
        *(state.stage, state.madness_deck, len(state.base_deck), verdict.summary),
    )
    return SmashView(
        phase=_phase(state, verdict),
        seats=state.kept(
            "seats", _seats, state.table, stands, verdict, turn, state.factions, newcomers(state)
        ),
        sheets=(sheet,),
        forms=forms(state),
        stage=state.stage,
        bases=lying(state),
        empty=state.lacking,
        boxes=_to_lay(state),
        setup=setting_up(state) if state.stage == "setup" else None,
    )


# --- what to do now ---


def _phase(state: State, verdict: Verdict) -> SmashPhase:
    if state.stage == "setup":
        asks, done = unready(state), len(state.bases) == state.wanted
        start = Button(
            "Start the game", Do("begin_game"), strong=done and not asks, confirm=asks if done else ""
        )
        return SmashPhase("Set up", still_to_come(state), (start,), "setup", warning=warning(state))
    player, key = state.table.seat(state.player), KEYS[state.phase - 1]
    phase = partial(SmashPhase, stage=state.stage, turn=state.turn, player=player)
    if verdict.final:
        undo = "Something mistyped? Undo it, or count it right: the verdict follows."
        return phase(verdict.summary, undo, key="over", final=True)
    if state.stage == "check":
        on = Button("Play on", Do("play_on", {"turn": state.turn}), strong=True)
        return phase(f"After {player.name}'s turn", verdict.summary, (on,), key)
    there = any(each.vp >= GOAL for each in standings(state))
    ending = verdict.summary if there else ""
    phase = partial(phase, key=key, ready=_ready(state.ready), questions=_questions(state), ending=ending)
    if state.scoring is not None:
        name = state.base(state.scoring.base).card.name
        steps = _steps(state.turn, state.phase, False)
        return phase(f"Scoring {name}", steps=steps, scoring=under_way(state))
    waits = state.asked is not None  # for those who may use a Special after scoring
    return phase(
        f"{player.name}: {PHASES[state.phase - 1]}",
        TEXTS[state.phase - 1],
        state.kept("buttons", _buttons, state.turn, state.phase, state.number, state.ready, waits),
        steps=_steps(state.turn, state.phase, True),
        reminders=() if ending else _reminders(state),
        late=late(state),
        empty=state.lacking,
        laid=len(state.bases),
        boxes=_to_lay(state),
        after=after(state) if state.after else None,
    )


def _to_lay(state: State) -> tuple[Box, ...]:
    return boxes(state, Do("lay_base", {"have": len(state.bases)})) if state.lacking else ()


def _buttons(turn: int, phase: int, number: int, ready: tuple[Base, ...], waits: bool) -> tuple[Button, ...]:
    args = {"turn": turn, "phase": phase}
    held_up = bool(ready) and phase <= SCORE
    end = Button(
        "End the turn",
        Do("end_turn", {**args, "anyway": "yes"} if held_up else args),
        strong=phase == LAST,
        confirm=f"{_ready(ready)} End the turn without scoring?" if held_up else "",
    )
    if phase == LAST:
        return (end,)
    blocked = held_up and phase == SCORE
    ahead = Button(
        f"Next: {SHORT[phase]}",
        Do("next_phase", {**args, "anyway": "yes"} if blocked else args),
        strong=not blocked and not waits,
        confirm=f"{_ready(ready)} Go on without scoring?" if blocked else "",
    )
    if not blocked or waits:
        return (ahead, end)
    if len(ready) > 1:
        return (ahead,)  # the current player is asked which
    do = Do("begin_scoring", {"base": ready[0].id, "number": number})
    return (Button(f"Score {ready[0].card.name}", do, strong=True), ahead)


def _ready(ready: tuple[Base, ...]) -> str:
    names = [base.card.name for base in ready]
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} ready to score." if names else ""


@lru_cache(1000)  # numbers alone, so all tables share them
def _steps(turn: int, phase: int, ahead: bool) -> tuple[Step, ...]:
    return tuple(
        Step(
            number,
            title,
            SHORT[number - 1],
            number == phase,
            number < phase,
            Do("next_phase", {"turn": turn, "phase": phase, "to": number})
            if number > phase and ahead
            else None,
        )
        for number, title in enumerate(PHASES, 1)
    )


def _reminders(state: State) -> tuple[str, ...]:
    said = list(REMINDERS[state.phase - 1])
    if state.phase == 1:
        said += [HELP] if state.turn == 1 else []
        said += [f"{b.card.name}: {b.card.ability}" for b in state.bases if b.card.when == "start"]
    if state.phase == PLAY and any(state.madness_of(seat.id) for seat in state.table.seats):
        said.append("A Madness card is an action: draw two cards, or return it to its deck.")
    return tuple(said)


def _questions(state: State) -> tuple[Question, ...]:
    if state.asked is not None:
        return (_special(state, state.asked),)
    if state.scoring is None and state.phase == SCORE and len(state.ready) > 1:
        options = tuple(
            Option(
                base.card.name,
                Do("begin_scoring", {"base": base.id, "number": state.number}),
                f"{base.total} of {base.card.breakpoint}",
            )
            for base in state.ready
        )
        name = state.name(state.player)
        asked = f"{_ready(state.ready)} {name} chooses which scores first."
        return (Question(state.player, "Which base scores first?", asked, options),)
    return ()


def _special(state: State, asked: int) -> Question:
    """Before a base gives its VP, and once more after."""
    when, number = ("before", state.number) if state.scoring else ("after", len(state.scored))
    args: dict[str, str | int] = {"seat": asked, "number": number, "when": when}
    return Question(
        asked,
        f"A Special {when} scoring?",
        f"{state.name(asked)} may use a Special {when} scoring, or passes.",
        (
            Option("Pass", Do("pass_special", args), "you may come back if others act"),
            Option("I use one", Do("use_special", args), "resolve it, count the power"),
        ),
    )


# --- seats and sheet ---


def _seats(
    table: Table,
    stands: tuple[Standing, ...],
    verdict: Verdict,
    turn: int,
    factions: Mapping[int, tuple[str, ...]],
    late: tuple[Seat, ...],
) -> tuple[SmashSeat, ...]:
    place = places(table, stands) if any(each.vp for each in stands) else {}
    return tuple(
        SmashSeat(
            seat,
            _counters(each),
            leads=verdict.leaders == (seat.id,) and each.left > 0,
            vp=each.vp,
            madness=each.madness,
            penalty=each.penalty,
            left=each.left,
            sum=each.sum,
            turn=turn == seat.id,
            place=PLACES[place[seat.id]] if place else "",
            factions=factions.get(seat.id, ()),
            choosing=choosing(table.seats, factions, seat) if seat in late else None,
        )
        for seat, each in zip(table.seats, stands, strict=True)
    )


def _counters(each: Standing) -> tuple[Counter, Counter]:
    mine = {"seat": each.seat}
    return (
        Counter(f"vp-{each.seat}", "VP", each.vp, Do("count_vp", mine)),
        Counter(f"madness-{each.seat}", "Madness cards", each.madness, Do("count_madness", mine)),
    )


def _sheet(
    seats: tuple[Seat, ...],
    scored: tuple[Scored, ...],
    vp: Mapping[int, int],
    history: tuple[tuple[Scored, tuple[Line, ...]], ...],
    stage: Stage,
    madness_deck: int,
    base_deck: int,
    summary: str,
) -> SmashSheet:
    columns = tuple(each.card.name for each in scored)

    def row(seat: Seat) -> Row:
        gained = [sum(award.vp for award in each.awards if award.seat == seat.id) for each in scored]
        return Row(seat, tuple(Cell(str(each)) for each in gained), str(vp.get(seat.id, 0)))

    rows = tuple(map(row, seats))
    return SmashSheet("vp", "Victory points", columns, rows, stage, madness_deck, base_deck, summary, history)
