"""What everybody sees: nothing at this table is secret once it is tapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from companion.core import Do, Phase, Question, Seat, SeatView, Tap, Verdict, View
from companion.core.checklist import checklist
from companion.core.memo import remembered
from companion.core.pieces import Bar, Panel, Tone, Track, asked, steps
from companion.games.tides_of_madness.adjudication import adjudicate
from companion.games.tides_of_madness.board import board, kept_cards
from companion.games.tides_of_madness.cards import DREAMS, SUITS
from companion.games.tides_of_madness.rounds import Missing, Scored, score_cards, score_game, scored_round
from companion.games.tides_of_madness.sheet import PLACES, do_for, forms, sheets
from companion.games.tides_of_madness.state import CHECKLIST, LIMIT, PICKS, Bonus, Round, State

Asks = tuple[str, tuple[Tap, ...]]  # what is asked, and the answers


def view(state: State) -> View:
    scored, verdict = score_game(state), adjudicate(state)
    seats = tuple([_seat(state, scored, verdict, each) for each in state.table.seats])
    phase, pieces = _phase(state, scored, verdict), board(state, scored, verdict.final)
    return View(phase, seats, sheets(state, scored), tuple(forms(state)), pieces)


# --- what to do now ---


def _phase(state: State, scored: tuple[Scored, ...], verdict: Verdict) -> Phase:
    if state.stage == "setup":
        ready = len(state.ticked) == len(CHECKLIST)
        start = Tap("Start round 1", Do("begin_round", {"after": 0}), strong=ready)
        todo = checklist(state.ticked, CHECKLIST, "tides-setup")
        return Phase("Set up", "Tick off what is ready, on either phone.", (start,), "setup", first=(todo,))
    if verdict.final:
        text = "Something mistyped? Undo it, or correct it on the sheet."
        phase = Phase(verdict.summary, text, key="over", final=True)
    elif state.stage == "draft":
        phase = _draft(state.round, state.picks)
    else:
        phase = _scoring(scored[-1]) if state.stage == "scoring" else _refresh(state.rounds[-1])
    asks = (*_lacks(state, scored), *_questions(state, scored))
    if not asks:
        return phase
    step = " ".join([each.id for each in asks if isinstance(each, Question)])
    return replace(phase, first=(*phase.first, *asks), step=step)


@cache  # five picks in each of three rounds
def _draft(number: int, picks: int) -> Phase:
    text, last = "Choose one card, reveal it together, pass the rest.", picks + 1 == PICKS
    if number > 1:
        text += f" What you kept stays in front of you: {PICKS + number - 1} cards will score."
    label = "Pick 5 is made: score" if last else f"Pick {picks + 1} is made"
    made = Tap(label, Do("next_pick", {"round": number, "after": picks}), strong=True)
    score = Tap("To scoring", Do("begin_scoring", {"round": number}))
    title, taps = f"Round {number}, pick {picks + 1} of {PICKS}", (made,) if last else (made, score)
    where = steps("tides-picks", f"{picks} of {PICKS} picks made", PLACES, picks)
    return Phase(title, text, taps, "draft", first=(where,))


def _scoring(now: Scored) -> Phase:
    text = "All numbers are in." if now.by_hand else "All cards are in."
    refresh = Tap("To the refresh", Do("begin_refresh", {"round": now.round}), strong=True)
    if now.complete:
        text = "Scored. Compare it with the table, then go on."
    elif now.waits_for("typed"):
        text = "Count the icons before you and the points of your cards, and enter both."
    elif now.waits_for("cards") or now.waits_for("kept"):
        kept = f" With what you kept, {PICKS + now.round - 1} cards score." if now.round > 1 else ""
        text = f"Tap your five cards in the order you played them.{kept}"
    return Phase(f"Round {now.round}, scoring", text, (refresh,) if now.complete else (), "scoring")


def _refresh(now: Round) -> Phase:
    ready = now.by_hand or all(side.kept and side.discarded for side in now.sides.values())
    text = "Take your five cards back. Choose one to keep for good and one to discard, reveal both,"
    start = Tap(f"Start round {now.number + 1}", Do("begin_round", {"after": now.number}), strong=ready)
    return Phase(f"Refresh after round {now.number}", f"{text} then draw two.", (start,), "refresh")


def _lacks(state: State, scored: tuple[Scored, ...]) -> Iterator[Panel]:
    """What can only be put right on the sheet: after a correction, or because a round was scored by hand."""
    told = set()
    for each in (each for round in scored for each in round.missing):
        past = each.round < state.round and each.what in ("cards", "typed")
        if each.form in told or not (past or each.what in ("kept", "refresh")):
            continue
        told.add(each.form)
        id, text = (
            f"tides-lack-{each.form}",
            f"Round {each.round}: {each.sentence}" if past else each.sentence,
        )
        put = Bar(f"{id}-bar", (Tap("Put it right", opens=each.form),))
        # which card was kept only the one who sits there can say
        mine = each.what == "kept" and state.table.holder(each.seat) is not None
        seat = state.table.seat(each.seat)
        yield Panel(id, (put,), text=text, seat=seat, tone="bad", only="owner" if mine else "")


# --- what one player has to decide, with what each answer would give ---


def _questions(state: State, scored: tuple[Scored, ...]) -> Iterator[Question]:
    options = {"wild": _suits, "bonus": _bonuses, "token": _token}
    for round in scored if state.stage != "draft" else scored[:-1]:
        past = f"Round {round.round}: " if round.round < state.round else ""
        for each in round.missing:
            if each.what in options:
                title, taps = options[each.what](state, each, round)
                id = f"tides-{each.what}-{each.round}-{each.seat}"
                yield asked(state.table, each.seat, past + title, past + each.sentence, taps, id=id)


def _suits(state: State, each: Missing, scored: Scored) -> Asks:
    other, taps = state.other(each.seat), []
    for suit in SUITS:
        mine, theirs = (
            sum(line.points for line in score_cards(state, scored.sides[seat], each.round, suit.id))
            for seat in (each.seat, other)
        )
        do = do_for(each.seat, each.round, "declare_suit", suit=suit.id)
        taps.append(Tap(suit.many, do, f"you {mine} VP, {state.name(other)} {theirs}", mark=suit.id))
    return f"{DREAMS} counts as", tuple(taps)


def _token(state: State, each: Missing, scored: Scored) -> Asks:
    now = scored.sides[each.seat].after
    taps = tuple(
        Tap(label, do_for(each.seat, each.round, "decide_token", takes=takes), f"your Madness {then}")
        for label, takes, then in (("Take it", "yes", f"{now + 1}"), ("Leave it", "no", f"stays {now}"))
    )
    return f"Take a token from {state.name(state.other(each.seat))}?", taps


def _bonuses(state: State, each: Missing, scored: Scored) -> Asks:
    def option(label: str, choice: Bonus) -> Tap:
        chosen = state.with_round(each.round, bonus=(each.seat, choice))
        would = scored_round(chosen, each.round).sides[each.seat]
        detail = f"{would.points} VP this round, {would.after} Madness"
        detail += ": lost at the check" if would.lost else ": saved from nine" if would.saved else ""
        do = do_for(each.seat, each.round, "choose_bonus", choice=choice)
        sure = f"With {would.after} Madness you lose the game. Take 4 VP all the same?"
        could_heal = choice == "points" and would.after == LIMIT
        return Tap(label, do, detail, danger=would.lost, confirm=sure if could_heal else "")

    return "You gained more Madness. Choose:", (option("Take 4 VP", "points"), option("Heal 1", "heal"))


# --- seats ---

_seen = remembered(SeatView)  # in a draft they stay as they are


def _seat(state: State, scored: tuple[Scored, ...], verdict: Verdict, seat: Seat) -> SeatView:
    last, madness = scored[-1] if scored else None, 0
    done = [each.sides[seat.id].points for each in scored if each.complete or each.round < state.round]
    if last:
        madness = last.sides[seat.id].after if last.entered else last.sides[seat.id].before
    near = {1: "one more is nine", 2: "two more are nine"}.get(LIMIT - madness, "")
    note = near if madness < LIMIT else "lost" if last and last.complete else "nine or more!"
    tone: Tone = "bad" if note else ""
    id, warn = f"tides-madness-{seat.id}", LIMIT - 2
    track = Track(id, "Madness", madness, LIMIT, warn=warn, note=note, tone=tone, seat=seat)
    kept = state.kept_before(seat.id, state.round + (state.stage == "refresh"))
    cards = (kept_cards(f"tides-has-{seat.id}", f"Kept by {seat.name}", kept),) if kept else ()
    leads = bool(done) and verdict.leaders == (seat.id,)
    return _seen(seat, leads=leads, pieces=(track, *cards), score=str(sum(done)), unit="VP")
