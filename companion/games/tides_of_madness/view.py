"""What everybody sees: of a card that lies face down, only that it does."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal

from companion.core import Do, Phase, Question, Seat, SeatView, Tap, Verdict, View, remembered, replace
from companion.core.checklist import checklist
from companion.core.pieces import Bar, Grid, Panel, Piece, Sealed, Tone, Track, asked
from companion.games.tides_of_madness.adjudication import adjudicate
from companion.games.tides_of_madness.board import board, kept_cards
from companion.games.tides_of_madness.cards import DREAMS, SUITS, card
from companion.games.tides_of_madness.draft import card_about
from companion.games.tides_of_madness.refresh import refresh_about
from companion.games.tides_of_madness.rounds import Missing, Scored, score_game, scored_round
from companion.games.tides_of_madness.sheet import do_for, forms, sheets
from companion.games.tides_of_madness.state import CHECKLIST, LIMIT, PICKS, ROUNDS, Bonus, Round, State
from companion.tools.sealed import waiting

Asks = tuple[str, tuple[Tap, ...]]  # what is asked, and the answers


def view(state: State) -> View:
    scored, verdict = score_game(state), adjudicate(state)
    seats = tuple([_seat(state, scored, each) for each in state.table.seats])
    phase, pieces = _phase(state, scored, verdict), board(state, scored, verdict.final)
    lie = state.in_play.union(_seldom(state, scored))
    return View(phase, seats, sheets(state, scored), tuple(forms(state)), pieces, lie)


def _seldom(state: State, scored: tuple[Scored, ...]) -> Iterator[str]:
    """What does not come up in every round."""
    if state.stage == "draft":
        yield from ("last round",) if state.round == ROUNDS else ()
    elif done := [each for each in scored if each.entered]:
        one, other = done[-1].sides.values()
        yield from ("level",) if one.compared == other.compared else ()
        held = [each.after if done[-1].complete else each.held for each in (one, other)]
        yield "nine" if max(held) >= LIMIT else "sane"


# --- what to do now ---


def _phase(state: State, scored: tuple[Scored, ...], verdict: Verdict) -> Phase:
    if state.stage == "setup":
        return _setup(state)
    if verdict.final:
        text = "Something mistyped? Undo it, or correct it on the sheet."
        phase = Phase(verdict.summary, text, key="over", step=verdict.outcome, final=True)
    elif state.stage == "draft":
        phase = _draft(state)
    else:
        phase = _scoring(scored[-1]) if state.stage == "scoring" else _refresh(state, state.rounds[-1])
    asks = (*_lacks(state, scored), *_questions(state, scored))
    if not asks:
        return phase
    step = " ".join([each.id for each in asks if isinstance(each, Question)])
    return replace(phase, first=(*phase.first, *asks), step=step)


def _setup(state: State) -> Phase:
    """The first card begins round 1; where one phone goes round, a tap does."""
    ready = len(state.ticked) == len(CHECKLIST)
    start = Tap("Start round 1", Do("begin_round", {"after": 0}), strong=ready)
    todo = checklist(state.ticked, CHECKLIST, "tides-setup")
    text = "Tick off what is ready, on either phone"
    text += ", then choose your first card." if state.secret else "."
    return Phase("Set up", text, () if state.secret else (start,), "setup", first=(todo,))


def _draft(state: State) -> Phase:
    number, pick = state.round, state.pick
    who = (_choosing(state, number, pick),) if state.secret else ()
    text = "Choose one, reveal it, pass the rest on."
    if number > 1:
        text = f"With what you kept, {PICKS + number - 1} cards will score."
    return Phase(f"Round {number}, pick {pick} of {PICKS}", text, (), "draft", who)


def _choosing(state: State, number: int, pick: int) -> Grid:
    """Who has chosen, beside what was revealed last and what lies there; the same two in every pick."""
    found = []
    for each in waiting(state.table, card_about(number, pick), state.table.ids).pieces:
        assert isinstance(each, Sealed)
        laid = state.side(each.seat.id, number).played
        if laid and not each.chosen:
            before = ", ".join([card(id).name for id in laid[:-1]])
            each = replace(each, last=_last(laid[-1]), waiting=before)
        found.append(replace(each, id=f"tides-seals-{each.seat.id}"))
    return Grid("tides-seals", tuple(found), narrow=2)


@remembered
def _last(id: str) -> Tap:
    shown = card(id)
    gives = f"{shown.gives}; +1 Madness" if shown.madness else shown.gives
    return Tap(shown.narrow or shown.name, detail=gives, mark=shown.suit or "none")


def _scoring(now: Scored) -> Phase:
    text = "All numbers are in." if now.by_hand else "All cards are in."
    buttons: tuple[Tap, ...] = ()
    if now.complete and now.round < ROUNDS:  # a line that was put back, a house rule: no tap of ours did it
        text = "Scored. Compare it with the table, then go on."
        buttons = (Tap("To the refresh", Do("begin_refresh", {"round": now.round}), strong=True),)
    elif now.waits_for("typed"):
        text = "Count the icons before you and the points of your cards, and enter both."
    elif now.waits_for("cards") or now.waits_for("kept"):
        kept = f" With what you kept, {PICKS + now.round - 1} cards score." if now.round > 1 else ""
        text = f"Tap your five cards in the order you played them.{kept}"
    return Phase(f"Round {now.round}, scoring", text, buttons, "scoring")


def _refresh(state: State, now: Round) -> Phase:
    text = "Take your five cards back. Keep one for good, discard one; then each draws two."
    ready = now.refreshed or now.by_hand
    start = Tap(f"Start round {now.number + 1}", Do("begin_round", {"after": now.number}), strong=ready)
    who: tuple[Piece, ...] = ()
    if state.secret and not ready:
        who = (waiting(state.table, refresh_about(now.number), state.table.ids),)
    return Phase(f"Refresh after round {now.number}", text, (start,) * ready, "refresh", who)


def _lacks(state: State, scored: tuple[Scored, ...]) -> Iterator[Panel]:
    """What can only be put right on the sheet: after a correction, or because a round was scored by hand."""
    told = set()
    for each in (each for round in scored for each in round.missing):
        past = each.round < state.round and each.what in ("cards", "typed")
        if each.form in told or not (past or each.what in ("kept", "refresh")):
            continue
        told.add(each.form)
        id, text = f"tides-lack-{each.form}", f"Round {each.round}: " * past + each.sentence
        asks = each.what == "kept"  # after a round by hand; only who sits there can say it
        put = Bar(f"{id}-bar", (Tap("Name it" if asks else "Put it right", opens=each.form),))
        tone: Tone = "" if asks else "bad"
        only: Literal["owner", ""] = "owner" if asks and state.table.holder(each.seat) else ""
        yield Panel(id, (put,), text=text, seat=state.table.seat(each.seat), tone=tone, only=only)


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
    other, taps, sides = state.other(each.seat), [], state.at(each.round).sides
    for suit in SUITS:
        declared = {**sides, each.seat: sides[each.seat]._replace(wild=suit.id)}
        would = scored_round(state.with_round(each.round, sides=declared), each.round).sides
        mine, theirs = would[each.seat].cards, would[other].cards
        do = do_for(each.seat, each.round, "declare_suit", suit=suit.id)
        words = f"{state.name(each.seat)} {mine} VP, {state.name(other)} {theirs}"
        taps.append(Tap(suit.many, do, words, mark=suit.id))
    return f"{DREAMS} counts as", tuple(taps)


def _token(state: State, each: Missing, scored: Scored) -> Asks:
    now, do = scored.sides[each.seat].after, partial(do_for, each.seat, each.round, "decide_token")
    take = Tap("Take it", do(takes="yes"), f"Madness {now + 1}")
    leave = Tap("Leave it", do(takes="no"), f"Madness stays {now}")
    return f"Take a token from {state.name(state.other(each.seat))}?", (take, leave)


def _bonuses(state: State, each: Missing, scored: Scored) -> Asks:
    def option(label: str, choice: Bonus) -> Tap:
        chosen = state.with_round(each.round, bonus=(each.seat, choice))
        would = scored_round(chosen, each.round).sides[each.seat]
        detail = f"{would.points} VP this round, {would.after} Madness"
        detail += ": lost at the check" if would.lost else ": saved from nine" if would.saved else ""
        do = do_for(each.seat, each.round, "choose_bonus", choice=choice)
        sure = f"With {would.after} Madness {state.name(each.seat)} loses the game. Take 4 VP all the same?"
        could_heal = choice == "points" and would.after == LIMIT
        return Tap(label, do, detail, danger=would.lost, confirm=sure if could_heal else "")

    return "More Madness gained. Choose:", (option("Take 4 VP", "points"), option("Heal 1", "heal"))


# --- seats ---

_seen = remembered(SeatView)  # in a draft they stay as they are


def _seat(state: State, scored: tuple[Scored, ...], seat: Seat) -> SeatView:
    """Numbers that are settled: nobody leads by cards that are not scored yet."""
    last, madness = scored[-1] if scored else None, 0
    done = [each for each in scored if each.complete or each.round < state.round]
    mine, theirs = (sum([each.sides[one].points for each in done]) for one in (seat.id, state.other(seat.id)))
    if last:
        side = last.sides[seat.id]
        madness = side.after if last.complete else side.held if last.entered else side.before
    near = {1: "one more is nine", 2: "two more are nine"}.get(LIMIT - madness, "")
    note = near if madness < LIMIT else "lost" if last and last.complete else "nine or more!"
    tone: Tone = "bad" if note else ""
    id, warn = f"tides-madness-{seat.id}", LIMIT - 2
    track = Track(id, "Madness", madness, LIMIT, warn=warn, note=note, tone=tone, seat=seat)
    kept = state.kept_before(seat.id, state.round + (state.stage == "refresh"))
    cards = (kept_cards(f"tides-has-{seat.id}", f"Kept by {seat.name}", kept),) if kept else ()
    return _seen(seat, leads=mine > theirs, pieces=(track, *cards), score=str(mine), unit="VP")
