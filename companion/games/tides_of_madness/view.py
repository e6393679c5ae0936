"""What everybody sees: nothing at this table is secret once it is tapped."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from companion.core import Do, Phase, Question, Seat, SeatView, Tap, Verdict, View
from companion.core.checklist import checklist
from companion.core.pieces import Bar, Panel, Piece, Steps, Tone, Track, asked, steps
from companion.games.tides_of_madness.adjudication import adjudicate
from companion.games.tides_of_madness.board import board, kept_cards
from companion.games.tides_of_madness.cards import DREAMLANDS, SUITS, card
from companion.games.tides_of_madness.rounds import Missing, Score, Scored, score_cards, score_game, what_if
from companion.games.tides_of_madness.sheet import PLACES, forms, sheets
from companion.games.tides_of_madness.state import CHECKLIST, LIMIT, PICKS, Bonus, State

BAD: Tone = "bad"
CALM: Tone = ""
Now = tuple[str, str, tuple[Tap, ...]]  # title, text and buttons of what is to be done


def view(state: State) -> View:
    scored, verdict = score_game(state), adjudicate(state)
    return View(
        phase=_phase(state, scored, verdict),
        seats=tuple([_seat(state, scored, verdict, each) for each in state.table.seats]),
        sheets=sheets(state, scored),
        forms=forms(state),
        board=board(state, scored, verdict.final),
    )


# --- what to do now ---


def _phase(state: State, scored: tuple[Scored, ...], verdict: Verdict) -> Phase:
    questions, lacks = tuple(_questions(state, scored)), tuple(_lacks(state, scored))
    drafting = state.stage == "draft" and not verdict.final
    if drafting and not questions and not lacks:
        return _drafting(state.round, state.picks)
    title, text, buttons = _now(state, scored, verdict)
    first: tuple[Piece, ...] = (*lacks, *questions)
    if state.stage == "setup":
        first = (checklist(state.ticked, CHECKLIST, "tides-setup"),)
    elif drafting:
        first = (_picks(state.picks), *first)
    step = " ".join(each.id for each in questions)
    key = "over" if verdict.final else state.stage
    return Phase(title, text, buttons, key, first=first, step=step, final=verdict.final)


@cache  # five picks in each of three rounds
def _drafting(number: int, picks: int) -> Phase:
    return Phase(*_draft(number, picks + 1), "draft", first=(_picks(picks),))


def _picks(made: int) -> Steps:
    return steps("tides-picks", f"{made} of {PICKS} picks made", PLACES, made)


def _now(state: State, scored: tuple[Scored, ...], verdict: Verdict) -> Now:
    if verdict.final:
        return verdict.summary, "Something mistyped? Undo it, or correct it on the sheet.", ()
    number = state.round
    match state.stage:
        case "setup":
            ready = len(state.ticked) == len(CHECKLIST)
            return "Set up", "Tick off what is ready, on either phone.", (_start(1, ready),)
        case "draft":
            return _draft(number, state.picks + 1)
        case "scoring":
            return _scoring(scored[-1])
        case "refresh":
            sides = [state.at(number).side(seat) for seat in state.table.ids]
            ready = state.at(number).by_hand or all(side.kept and side.discarded for side in sides)
            text = "Take your five cards back. Choose one to keep for good and one to discard, reveal both,"
            return f"Refresh after round {number}", f"{text} then draw two.", (_start(number + 1, ready),)


def _start(number: int, ready: bool) -> Tap:
    return Tap(f"Start round {number}", Do("begin_round", {"after": number - 1}), strong=ready)


def _draft(number: int, pick: int) -> Now:
    text = "Choose one card, reveal it together, pass the rest."
    if number > 1:
        text += f" What you kept stays in front of you: {PICKS + number - 1} cards will score."
    last = pick == PICKS
    label = "Pick 5 is made: score" if last else f"Pick {pick} is made"
    made = Tap(label, Do("next_pick", {"round": number, "after": pick - 1}), strong=True)
    score = Tap("To scoring", Do("begin_scoring", {"round": number}))
    return f"Round {number}, pick {pick} of {PICKS}", text, (made,) if last else (made, score)


def _scoring(now: Scored) -> Now:
    number = now.round
    title = f"Round {number}, scoring"
    if now.complete:
        button = Tap("To the refresh", Do("begin_refresh", {"round": number}), strong=True)
        return title, "Scored. Compare it with the table, then go on.", (button,)
    if now.waits_for("typed"):
        return title, "Count the icons before you and the points of your cards, and enter both.", ()
    if now.waits_for("cards") or now.waits_for("kept"):
        kept = f" With what you kept, {PICKS + number - 1} cards score." if number > 1 else ""
        return title, f"Tap your five cards in the order you played them.{kept}", ()
    return title, "All numbers are in." if now.by_hand else "All cards are in.", ()


def _lacks(state: State, scored: tuple[Scored, ...]) -> Iterator[Panel]:
    """What can only be put right on the sheet: after a correction, or because a round was scored by hand."""
    told = set()
    for each in (each for round in scored for each in round.missing):
        past = each.round < state.round and each.what in ("cards", "typed")
        if not past and each.what not in ("kept", "refresh"):
            continue
        what, round = (each.what, each.round) if past else ("refresh", each.after)
        id = f"tides-lack-{what}-{round}-{each.seat}"
        if id in told:
            continue
        told.add(id)
        put = Bar(f"{id}-bar", (Tap("Put it right", opens=f"{what}-{round}-{each.seat}"),))
        # which card was kept only the one who sits there can say
        mine = each.what == "kept" and state.table.holder(each.seat) is not None
        text = f"Round {round}: {each.sentence}" if past else each.sentence
        seat = state.table.seat(each.seat)
        yield Panel(id, (put,), text=text, seat=seat, tone="bad", only="owner" if mine else "")


# --- what one player has to decide, with what each answer would give ---


def _questions(state: State, scored: tuple[Scored, ...]) -> Iterator[Question]:
    for round in scored:
        for each in round.missing if round.round < state.round or state.stage != "draft" else ():
            if each.what in ("wild", "bonus", "token"):
                yield _question(state, each, round)


def _question(state: State, each: Missing, scored: Scored) -> Question:
    past = f"Round {each.round}: " if each.round < state.round else ""
    match each.what:
        case "wild":
            title, options = f"{card(DREAMLANDS).name} counts as", _suits(state, each, scored)
        case "token":
            title = f"Take a token from {state.name(state.other(each.seat))}?"
            options = _token(each, scored.sides[each.seat].after)
        case _:
            title, options = "You gained more Madness. Choose:", _bonuses(state, each)
    id = f"tides-{each.what}-{each.round}-{each.seat}"
    return asked(state.table, each.seat, f"{past}{title}", f"{past}{each.sentence}", options, id=id)


def _answer(each: Missing, command: str, **given: str) -> Do:
    return Do(command, {"seat": each.seat, "round": each.round, **given})


def _suits(state: State, each: Missing, scored: Scored) -> tuple[Tap, ...]:
    mine, theirs = scored.sides[each.seat], scored.sides[state.other(each.seat)]

    def option(wild: str, label: str) -> Tap:
        points, against = (
            sum(line.points for line in score_cards(state, side, each.round, wild)) for side in (mine, theirs)
        )
        detail = f"you {points} VP, {state.name(theirs.seat)} {against}"
        return Tap(label, _answer(each, "declare_suit", suit=wild), detail, mark=wild)

    return tuple(option(suit.id, suit.many) for suit in SUITS)


def _token(each: Missing, now: int) -> tuple[Tap, ...]:
    take, leave = (_answer(each, "decide_token", takes=takes) for takes in ("yes", "no"))
    return Tap("Take it", take, f"your Madness {now + 1}"), Tap(
        "Leave it", leave, f"your Madness stays {now}"
    )


def _bonuses(state: State, each: Missing) -> tuple[Tap, ...]:
    points, heal = (
        what_if(state, each.round, each.seat, choice).sides[each.seat] for choice in ("points", "heal")
    )
    sure = f"With {points.after} Madness you lose the game. Take 4 VP all the same?"
    return (
        _bonus(each, "Take 4 VP", "points", points, sure if heal.after < LIMIT <= points.after else ""),
        _bonus(each, "Heal 1", "heal", heal),
    )


def _bonus(each: Missing, label: str, choice: Bonus, would: Score, confirm: str = "") -> Tap:
    lost = would.after >= LIMIT
    detail = f"{would.points} VP this round, {would.after} Madness"
    detail += ": lost at the check" if lost else ": saved from nine" if would.saved else ""
    return Tap(label, _answer(each, "choose_bonus", choice=choice), detail, danger=lost, confirm=confirm)


# --- seats ---


def _seat(state: State, scored: tuple[Scored, ...], verdict: Verdict, seat: Seat) -> SeatView:
    sides = [each.sides[seat.id] for each in scored]
    done = [each.sides[seat.id] for each in scored if each.complete or each.round < state.round]
    madness = 0 if not sides else sides[-1].after if scored[-1].entered else sides[-1].before
    return _seated(
        seat,
        bool(done) and verdict.leaders == (seat.id,),
        sum([each.points for each in done]),
        madness,
        bool(scored) and scored[-1].complete,
        state.kept_before(seat.id, state.round + (state.stage == "refresh")),
    )


@lru_cache(maxsize=2048)  # in a draft they stay as they are
def _seated(seat: Seat, leads: bool, vp: int, madness: int, checked: bool, kept: tuple[str, ...]) -> SeatView:
    near = {1: "one more is nine", 2: "two more are nine"}.get(LIMIT - madness, "")
    note = near if madness < LIMIT else "lost" if checked else "nine or more!"
    id, tone = f"tides-madness-{seat.id}", BAD if note else CALM
    track = Track(id, "Madness", madness, LIMIT, warn=LIMIT - 2, note=note, tone=tone, seat=seat)
    cards = (kept_cards(f"tides-has-{seat.id}", f"Kept by {seat.name}", kept),) if kept else ()
    return SeatView(seat, leads=leads, pieces=(track, *cards), score=str(vp), unit="VP")
