"""What everybody sees: of a card that lies face down, only that it does."""

from collections.abc import Iterator
from typing import Literal

from companion.core import Do, Phase, Question, Seat, SeatView, Tap, Verdict, View, over, replace
from companion.core.checklist import checklist
from companion.core.memo import kept_on, kept_while, remembered
from companion.core.pieces import Bar, Grid, Panel, Sealed, Tone, Track, asked
from companion.games.tides_of_madness import adjudication, board, moves, sheet
from companion.games.tides_of_madness.cards import DREAMS, SAYS, SUITS, card
from companion.games.tides_of_madness.rounds import Missing, Scored, score_game, scored_round
from companion.games.tides_of_madness.state import BUT_SEALED, CHECKLIST, LIMIT, PICKS, ROUNDS, Bonus, State
from companion.tools.sealed import has_chosen, waiting

Asks = tuple[str, tuple[Tap, ...]]  # what is asked, and the answers


def view(state: State) -> View:
    laid, about = _but_seals(state)
    if not about:
        return laid
    chosen = tuple([has_chosen(state.table, about, seat) for seat in state.table.ids])
    return _with_seals(laid, chosen, state=state, about=about)


@kept_on  # who has chosen and changes that changes nothing here
def _with_seals(laid: View, chosen: tuple[bool, ...], *, state: State, about: str) -> View:
    who = waiting(state.table, about, state.table.ids)
    who = _choosing(state, who) if laid.phase.key == "draft" else who
    return replace(laid, phase=replace(laid.phase, pieces=(who,)))


@kept_while(*BUT_SEALED)
def _but_seals(state: State) -> tuple[View, str]:
    """And what it is that both now choose face down, if they do."""
    scored, verdict = score_game(state), adjudication.adjudicate(state)
    seats = tuple([_seat(state, scored, each) for each in state.table.seats])
    phase, pieces = _phase(state, scored, verdict), board.board(state, scored, verdict.final)
    chooses = phase.key in ("draft", "refresh") and state.secret and not phase.buttons
    lie = frozenset(_in_play(state, scored))
    laid = View(phase, seats, sheet.sheets(state, scored), tuple(sheet.forms(state)), pieces, lie)
    return laid, state.about(state.pick) if chooses else ""


def _in_play(state: State, scored: tuple[Scored, ...]) -> Iterator[str]:
    """Cards that lie before somebody, of this round and kept, and what does not come up in every round. While
    they come nobody asks about each."""
    if state.stage == "draft":
        yield from ("last round",) * (state.round == ROUNDS)
        return
    for each in state.rounds:
        for side in each.sides.values():
            yield from side.played if each is state.rounds[-1] else (side.kept,)
    if done := [each for each in scored if each.entered]:
        one, other = done[-1].sides.values()
        yield from ("level",) * (one.compared == other.compared)
        held = [each.after if done[-1].complete else each.held for each in (one, other)]
        yield "nine" if max(held) >= LIMIT else "sane"


def _phase(state: State, scored: tuple[Scored, ...], verdict: Verdict) -> Phase:
    kinds = {"setup": _setup, "draft": _draft, "scoring": _scoring, "refresh": _refresh}
    phase = over(verdict) if verdict.final else kinds[state.stage](state)
    asks = (*_lacks(state, scored), *_questions(state, scored))
    step = " ".join([each.id for each in asks if isinstance(each, Question)])
    return replace(phase, first=asks, step=step) if asks else phase


def _setup(state: State) -> Phase:
    """The first card begins round 1; where one phone goes round, a tap does."""
    ready, secret = len(state.ticked) == len(CHECKLIST), state.secret
    start = Tap("Start round 1", Do("begin_round", {"after": 0}), strong=ready)
    text = f"Tick off what is ready, on either phone{', then choose your first card' * secret}."
    todo = checklist(state.ticked, CHECKLIST, "tides-setup")
    return Phase("Set up", text, () if secret else (start,), "setup", first=(todo,))


def _draft(state: State) -> Phase:
    kept = f"With what you kept, {PICKS + state.round - 1} cards will score."
    text = kept if state.round > 1 else "Choose one, reveal it, pass the rest on."
    return Phase(f"Round {state.round}, pick {state.pick} of {PICKS}", text, (), "draft")


def _choosing(state: State, who: Grid) -> Grid:
    """Who has chosen, beside what was revealed last and what lies there; the same two in every pick."""
    found = []
    for each in who.pieces:
        assert isinstance(each, Sealed)
        laid = [card(id) for id in state.side(each.seat.id, state.round).played]
        if laid and not each.chosen:
            *before, last = laid
            gives = last.gives + "; +1 Madness" * last.madness
            shown = Tap(last.narrow or last.name, detail=gives, mark=last.suit or "none")
            each = replace(each, last=shown, waiting=", ".join([one.name for one in before]))
        found.append(replace(each, id=f"tides-seals-{each.seat.id}"))
    return Grid("tides-seals", tuple(found), narrow=2)


def _scoring(state: State) -> Phase:
    now = score_game(state)[-1]
    buttons: tuple[Tap, ...] = ()
    text = f"All {'numbers' if now.by_hand else 'cards'} are in."
    if now.complete and now.round < ROUNDS:  # a line that was put back, a house rule: no tap of ours did it
        text = "Scored. Compare it with the table, then go on."
        buttons = (Tap("To the refresh", Do("begin_refresh", {"round": now.round}), strong=True),)
    elif now.waits_for("typed"):
        text = "Count the icons before you and the points of your cards, and enter both."
    elif now.waits_for("cards") or now.waits_for("kept"):
        kept = f" With what you kept, {PICKS + now.round - 1} cards score." if now.round > 1 else ""
        text = f"Tap your five cards in the order you played them.{kept}"
    return Phase(f"Round {now.round}, scoring", text, buttons, "scoring")


def _refresh(state: State) -> Phase:
    now = state.rounds[-1]
    text = "Take your five cards back. Keep one for good, discard one; then each draws two."
    start = Tap(f"Start round {now.number + 1}", Do("begin_round", {"after": now.number}), strong=True)
    buttons = (start,) * (now.refreshed or now.by_hand)
    return Phase(f"Refresh after round {now.number}", text, buttons, "refresh")


def _lacks(state: State, scored: tuple[Scored, ...]) -> Iterator[Panel]:
    """What can only be put right on the sheet: after a correction, or because a round was scored by hand."""
    missing = [each for round in scored for each in round.missing]
    past = [each for each in missing if each.round < state.round and each.what in ("cards", "typed")]
    lacks: dict[str, Missing] = {}
    for each in [each for each in missing if each in past or each.what in ("kept", "refresh")]:
        lacks.setdefault(each.form, each)
    for form, each in lacks.items():
        id, text = f"tides-lack-{form}", f"Round {each.round}: " * (each in past) + each.sentence
        asks = each.what == "kept"  # after a round by hand; only who sits there can say it
        put = Bar(f"{id}-bar", (Tap("Name it" if asks else "Put it right", opens=form),))
        tone: Tone = "" if asks else "bad"
        only: Literal["owner", ""] = "owner" if asks and state.table.holder(each.seat) else ""
        yield Panel(id, (put,), text=text, seat=state.table.seat(each.seat), tone=tone, only=only)


def _questions(state: State, scored: tuple[Scored, ...]) -> Iterator[Question]:
    options = {"wild": _suits, "bonus": _bonuses, "token": _token}
    for round in scored if state.stage != "draft" else scored[:-1]:
        past = f"Round {round.round}: " * (round.round < state.round)
        for each in [each for each in round.missing if each.what in options]:
            title, taps = options[each.what](state, each, round)
            id = f"tides-{each.what}-{each.round}-{each.seat}"
            yield asked(state.table, each.seat, past + title, past + each.sentence, taps, id=id)


def _suits(state: State, each: Missing, scored: Scored) -> Asks:
    taps, who, other = [], each.seat, state.other(each.seat)
    for suit in SUITS:
        would = scored_round(moves.SuitDeclared(who, each.round, suit.id).fold(state), each.round).sides
        words = f"{state.name(who)} {would[who].cards} VP, {state.name(other)} {would[other].cards}"
        do = sheet.do_for(who, each.round, "declare_suit", suit=suit.id)
        taps.append(Tap(suit.many, do, words, mark=suit.id))
    return f"{DREAMS} counts as", tuple(taps)


def _token(state: State, each: Missing, scored: Scored) -> Asks:
    now, takes = scored.sides[each.seat].after, {"yes": "Take it", "no": "Leave it"}
    words = {"yes": f"Madness {now + 1}", "no": f"Madness stays {now}"}
    dos = {how: sheet.do_for(each.seat, each.round, "decide_token", takes=how) for how in takes}
    taps = tuple([Tap(label, dos[how], words[how]) for how, label in takes.items()])
    return f"Take a token from {state.name(state.other(each.seat))}?", taps


def _bonuses(state: State, each: Missing, scored: Scored) -> Asks:
    def option(label: str, choice: Bonus) -> Tap:
        chosen = moves.BonusChosen(each.seat, each.round, choice).fold(state)
        would = scored_round(chosen, each.round).sides[each.seat]
        do = sheet.do_for(each.seat, each.round, "choose_bonus", choice=choice)
        sure = f"With {would.after} Madness {state.name(each.seat)} loses the game. Take 4 VP all the same?"
        could_heal = choice == "points" and would.after == LIMIT
        return Tap(label, do, SAYS["would"](would), danger=would.lost, confirm=sure if could_heal else "")

    return "More Madness gained. Choose:", (option("Take 4 VP", "points"), option("Heal 1", "heal"))


_seen = remembered(SeatView)  # in a draft they stay as they are


def _seat(state: State, scored: tuple[Scored, ...], seat: Seat) -> SeatView:
    """Numbers that are settled: nobody leads by cards that are not scored yet."""
    last, madness, other = scored[-1] if scored else None, 0, state.other(seat.id)
    done = [each.sides for each in scored if each.complete or each.round < state.round]
    mine, theirs = (sum([each[one].points for each in done]) for one in (seat.id, other))
    if last:
        side = last.sides[seat.id]
        madness = side.after if last.complete else side.held if last.entered else side.before
    near = {1: "one more is nine", 2: "two more are nine"}.get(LIMIT - madness, "")
    note = near if madness < LIMIT else "lost" if last and last.complete else "nine or more!"
    id, warn = f"tides-madness-{seat.id}", LIMIT - 2
    track = Track(id, "Madness", madness, LIMIT, None, warn, note=note, tone="bad" if note else "", seat=seat)
    kept = state.kept_before(seat.id, state.round + (state.stage == "refresh"))
    cards = (board.kept_cards(f"tides-has-{seat.id}", f"Kept by {seat.name}", kept),) if kept else ()
    return _seen(seat, leads=mine > theirs, pieces=(track, *cards), score=str(mine), unit="VP")
