"""What everybody sees: nothing at this table is secret once it is tapped."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
)
from companion.games.smash_up.forms import forms
from companion.games.smash_up.reckoning import PLACES, After, Line, UnderWay, after, past, under_way
from companion.games.smash_up.state import GOAL, LAST, PHASES, PLAY, SCORE, Scored, Stage, State

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
    vp_counter: Counter | None = None
    madness_counter: Counter | None = None


@dataclass(frozen=True)
class SmashView(View):
    stage: Stage = "setup"
    final: bool = False
    turn: int = 0
    player: Seat | None = None
    steps: tuple[Step, ...] = ()
    reminders: tuple[str, ...] = ()
    ready: str = ""
    questions: tuple[Question, ...] = ()
    bases: tuple[Lying, ...] = ()
    empty: int = 0  # places where a base is still to come
    late: tuple[str, ...] = ()
    ending: str = ""  # somebody has 15 VP, and what that means
    boxes: tuple[Box, ...] = ()
    setup: SettingUp | None = None
    scoring: UnderWay | None = None
    after: After | None = None
    history: tuple[tuple[Scored, tuple[Line, ...]], ...] = ()
    madness_deck: int = 0
    base_deck: int = 0
    summary: str = ""


def view(state: State, seat: int | None) -> SmashView:
    verdict = adjudicate(state)
    stands = standings(state)
    playing = state.stage == "play" and not verdict.final
    there = any(each.vp >= GOAL for each in stands)
    ending = verdict.summary if playing and there else ""
    ahead = places(state) if any(each.vp for each in stands) else {}
    return SmashView(
        phase=replace(_phase(state, verdict), key=_key(state, verdict)),
        seats=tuple(_seat(state, verdict, each, ahead.get(each.seat, 0)) for each in stands),
        sheets=_sheets(state),
        forms=forms(state),
        stage=state.stage,
        final=verdict.final,
        turn=state.turn,
        player=state.table.seat(state.player) if state.stage != "setup" else None,
        steps=_steps(state) if playing else (),
        reminders=_reminders(state) if playing and state.scoring is None and not ending else (),
        ready=_ready(state) if playing else "",
        questions=_questions(state) if playing else (),
        bases=tuple(lying(state, base) for base in state.bases),
        empty=state.lacking,
        late=late(state) if playing and state.scoring is None else (),
        ending=ending,
        boxes=boxes(state, Do("lay_base", {"have": len(state.bases)})) if state.lacking else (),
        setup=setting_up(state) if state.stage == "setup" else None,
        scoring=under_way(state) if state.scoring and not verdict.final else None,
        after=after(state) if state.after and not verdict.final else None,
        history=tuple((each, past(state, each.awards)) for each in reversed(state.scored)),
        madness_deck=state.madness_deck,
        base_deck=len(state.base_deck),
        summary=verdict.summary,
    )


# --- what to do now ---


def _phase(state: State, verdict: Verdict) -> Phase:
    if verdict.final:
        return Phase(verdict.summary, "Something mistyped? Undo it, or count it right: the verdict follows.")
    if state.stage == "setup":
        asks, have = unready(state), len(state.bases)
        done = have == state.wanted
        start = Button(
            "Start the game", Do("begin_game"), strong=done and not asks, confirm=asks if done else ""
        )
        return Phase("Set up", still_to_come(state), (start,))
    name = state.name(state.player)
    if state.stage == "check":
        on = Button("Play on", Do("play_on", {"turn": state.turn}), strong=True)
        return Phase(f"After {name}'s turn", verdict.summary, (on,))
    if state.scoring is not None:
        return Phase(f"Scoring {state.base(state.scoring.base).card.name}")
    return Phase(f"{name}: {PHASES[state.phase - 1]}", TEXTS[state.phase - 1], _buttons(state))


def _key(state: State, verdict: Verdict) -> str:
    """What people ask about now."""
    if verdict.final:
        return "over"
    return "setup" if state.stage == "setup" else KEYS[state.phase - 1]


def _buttons(state: State) -> tuple[Button, ...]:
    args = {"turn": state.turn, "phase": state.phase}
    held_up = bool(state.ready) and state.phase <= SCORE
    waits = state.asked is not None  # for those who may use a Special after scoring
    end = Button(
        "End the turn",
        Do("end_turn", {**args, "anyway": "yes"} if held_up else args),
        strong=state.phase == LAST,
        confirm=f"{_ready(state)} End the turn without scoring?" if held_up else "",
    )
    if state.phase == LAST:
        return (end,)
    blocked = held_up and state.phase == SCORE
    ahead = Button(
        f"Next: {SHORT[state.phase]}",
        Do("next_phase", {**args, "anyway": "yes"} if blocked else args),
        strong=not blocked and not waits,
        confirm=f"{_ready(state)} Go on without scoring?" if blocked else "",
    )
    if blocked and not waits:
        return (*_score_buttons(state), ahead)
    return (ahead, end)


def _score_buttons(state: State) -> tuple[Button, ...]:
    if len(state.ready) > 1:
        return ()  # the current player is asked which
    base = state.ready[0]
    do = Do("begin_scoring", {"base": base.id, "number": state.number})
    return (Button(f"Score {base.card.name}", do, strong=True),)


def _ready(state: State) -> str:
    names = [base.card.name for base in state.ready]
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} ready to score." if names else ""


def _steps(state: State) -> tuple[Step, ...]:
    return tuple(
        Step(
            number,
            title,
            SHORT[number - 1],
            number == state.phase,
            number < state.phase,
            Do("next_phase", {"turn": state.turn, "phase": state.phase, "to": number})
            if number > state.phase and state.scoring is None
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
        asked = f"{_ready(state)} {name} chooses which scores first."
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


def _seat(state: State, verdict: Verdict, standing: Standing, place: int) -> SmashSeat:
    seat = state.table.seat(standing.seat)
    vp = Counter(f"vp-{seat.id}", "VP", standing.vp, Do("count_vp", {"seat": seat.id}))
    cards = Counter(
        f"madness-{seat.id}", "Madness cards", standing.madness, Do("count_madness", {"seat": seat.id})
    )
    leads = verdict.leaders == (seat.id,) and standing.left > 0
    return SmashSeat(
        seat,
        (vp, cards),
        leads=leads,
        vp=standing.vp,
        madness=standing.madness,
        penalty=standing.penalty,
        left=standing.left,
        sum=standing.sum,
        turn=state.stage == "play" and state.player == seat.id,
        place=PLACES[place] if place else "",
        factions=state.factions_of(seat.id),
        choosing=choosing(state, seat) if seat in newcomers(state) else None,
        vp_counter=vp,
        madness_counter=cards,
    )


def _sheets(state: State) -> tuple[Sheet, ...]:
    columns = tuple(each.card.name for each in state.scored)

    def row(seat: Seat) -> Row:
        gained = [sum(award.vp for award in each.awards if award.seat == seat.id) for each in state.scored]
        return Row(seat, tuple(Cell(str(vp)) for vp in gained), str(state.vp_of(seat.id)))

    return (Sheet("vp", "Victory points", columns, tuple(row(seat) for seat in state.table.seats)),)
