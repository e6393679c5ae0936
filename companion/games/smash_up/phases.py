"""What to do now: the five phases of a turn, a base that is being scored, and one that has been."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter

from companion.core import Counter, Do, Phase, Question, Seat, Tap, Verdict
from companion.core.memo import kept_while, remembered
from companion.core.pieces import Bar, Because, Fold, Note, Panel, Piece, Steps, Total, asked, steps
from companion.core.text import listed
from companion.games.smash_up.board import ability, cards_to_pick, late
from companion.games.smash_up.cards import LAST_BASE, PHASES, Award, winners
from companion.games.smash_up.state import GOAL, LAST, SCORE, Base, Scoring, State

RANKS = ("–", "1st", "2nd", "3rd", "4th")
EMPTY = {"shuffle": "shuffle for a new base", "none": "no new base"}  # base deck


def phase(state: State, verdict: Verdict) -> Phase:
    if verdict.final:
        undo = "Something mistyped? Undo it, or count it right: the verdict follows."
        return Phase(verdict.summary, undo, key="over", final=True)
    player, key = state.table.seat(state.player), state.doing.short.lower()
    if state.stage == "check":
        on = Tap("Play on", Do("play_on", {"turn": state.turn}), strong=True)
        return Phase(f"After {player.name}'s turn", verdict.summary, (on,), key)
    first: tuple[Piece, ...] = (_steps(state.turn, state.phase, state.scoring is None),)
    if any(vp >= GOAL for vp in state.vp.values()):
        first += (Note("su-ending", verdict.summary, "warn", "crown", buzz="ending"),)
    if state.scoring:
        return _scoring(state, state.scoring, first, player)
    buttons, pieces = _buttons(state), (*late(state), *_after(state))
    if state.asked is not None:
        passed = Do("all_passed", {"number": len(state.scored), "after": "yes"})
        buttons = (Tap("All passed", passed, strong=True), *buttons)
        first += (_special(state, state.asked),)
    elif state.phase == SCORE and len(state.ready) > 1:
        first += (_which(state),)
    title = f"{player.name}: {state.doing.name}"
    text = f"{state.all_ready} to score." if state.ready else state.doing.text
    return Phase(title, text, buttons, key, pieces, first, "after" if state.asked else "", player)


@remembered
def _steps(turn: int, phase: int, ahead: bool) -> Steps:
    def go(to: int) -> Do | None:
        return Do("next_phase", {"turn": turn, "phase": phase, "to": to}) if ahead and to > phase else None

    where = steps("su-steps", f"Turn {turn}", [each.short for each in PHASES], phase - 1)
    stages = [replace(each, do=go(n), title=PHASES[n - 1].name) for n, each in enumerate(where.stages, 1)]
    return replace(where, stages=tuple(stages))


def _buttons(state: State) -> tuple[Tap, ...]:
    ready, phase, waits = state.ready, state.phase, state.asked is not None
    held_up = bool(ready) and phase <= SCORE
    blocked = held_up and phase == SCORE
    end = _go(state, "End the turn", "end_turn", "End the turn" if held_up else "", phase == LAST)
    if phase == LAST:
        return (end,)
    strong = not blocked and not waits
    ahead = _go(state, f"Next: {PHASES[phase].short}", "next_phase", "Go on" if blocked else "", strong)
    if not blocked or waits:
        return (ahead, end)
    if len(ready) > 1:
        return (ahead,)  # the current player is asked which
    return replace(_to_score(state, ready[0]), label=f"Score {ready[0].card.name}", strong=True), ahead


def _go(state: State, label: str, command: str, without: str, strong: bool) -> Tap:
    """On to the next phase or player; `without` scoring what is ready it asks first."""
    do = Do(command, {"turn": state.turn, "phase": state.phase, **({"anyway": "yes"} if without else {})})
    sure = f"{state.all_ready} to score. {without} without scoring?" if without else ""
    return Tap(label, do, strong=strong, confirm=sure)


def _to_score(state: State, base: Base, detail: str = "") -> Tap:
    return Tap(base.card.name, Do("begin_scoring", {"base": base.id, "number": state.number}), detail)


def _which(state: State) -> Question:
    bases = [_to_score(state, base, f"{base.total} of {base.card.breakpoint}") for base in state.ready]
    waiting = f"{state.all_ready} to score. {state.name(state.player)} chooses which scores first."
    return asked(state.table, state.player, "Which base scores first?", waiting, tuple(bases))


def _special(state: State, seat: int) -> Question:
    """Before a base gives its VP, and once more after."""
    when, number = ("before", state.number) if state.scoring else ("after", len(state.scored))
    args: dict[str, str | int] = {"seat": seat, "number": number, "after": "no" if state.scoring else "yes"}
    options = (
        Tap("Pass", Do("pass_special", args), "you may come back if others act"),
        Tap("I use one", Do("use_special", args), "resolve it, count the power"),
    )
    waiting = f"{state.name(seat)} may use a Special {when} scoring, or passes."
    return asked(state.table, seat, f"A Special {when} scoring?", waiting, options)


# --- a base that is being scored ---


def _scoring(state: State, scoring: Scoring, first: tuple[Piece, ...], player: Seat) -> Phase:
    base, args = state.base(scoring.base), {"number": state.number}
    text = "" if base.ready else "Below the breakpoint by now; it is scored all the same."
    label = "This is what it gives" if scoring.done else "As it stands"
    gives = gains("su-gives", label, state, state.awards(scoring), then=True)
    pieces, stop = tuple(_counted(state, scoring, base)), Tap("Do not score it now", Do("stop_scoring", args))
    if state.asked is not None:
        first += (_special(state, state.asked), _order(state, scoring))
        buttons: tuple[Tap, ...] = (Tap("All passed", Do("all_passed", args), strong=True), stop)
        pieces = (gives, *pieces)
    else:
        do = Do("score_base", {"base": base.id, **args})
        label = "new base by lot" if state.base_deck else EMPTY[LAST_BASE.chosen(state.table)]
        pick, typed = Tap("Score, pick base", opens="pick-next"), Tap("Score, type base", opens="next-base")
        cards = cards_to_pick(state, "pick-next", "Score, and lay out", do)
        first, buttons = (*first, gives), (Tap(f"Score it, {label}", do, strong=True),)
        pieces = (Bar("su-others", (pick, typed, stop)), *pieces, cards)
    title, step = f"Scoring {base.card.name}", f"{state.number} {scoring.done}"
    return Phase(title, text, buttons, PHASES[SCORE - 1].short.lower(), pieces, first, step, player)


def _order(state: State, scoring: Scoring) -> Note:
    order = ", ".join(state.name(seat) for seat in state.table.clockwise(state.player))
    passed = [state.name(seat) for seat in scoring.passed if seat in state.order]
    return Note("su-order", f"In this order: {order}." + (f" Passed: {listed(passed)}." if passed else ""))


def _counted(state: State, scoring: Scoring, base: Base) -> Iterator[Piece]:
    """What still changes the VP: minions where those give some, what the base does, and cards."""
    seats, number = state.table.seats, state.number

    def counters(id: str, command: str, value: Callable[[int], int], **args: int) -> tuple[Counter, ...]:
        do = {seat.id: Do(command, {**args, "seat": seat.id}) for seat in seats}
        return tuple(Counter(f"{id}-{seat.id}", seat.name, value(seat.id), do[seat.id]) for seat in seats)

    if base.card.gives == "minions":
        here = counters("asked", "count_minions", lambda seat: base.at(seat).here, base=base.id)
        yield Panel("su-asks", here, "How many minions has everyone here?", only="players")
    if does := ability(base.card, "scoring", "after"):
        yield Note("su-does", does)
    more = counters("more", "change_award", lambda seat: scoring.more.get(seat, 0), number=number)
    yield Fold("su-more", "A card changes the VP", more, only="players")


# --- a base that has been scored ---


def _after(state: State) -> Iterator[Piece]:
    if state.after is None:
        return
    scored, done = state.scored[-1], state.after.done
    won = [seat for seat in winners(scored.awards) if seat in state.table.ids]
    new = next((base for base in state.bases if base.id == scored.replaced), None)
    pieces: list[Piece] = [gains("su-gave", f"{scored.card.name} has scored", state, scored.awards)]
    if does := ability(scored.card, "after"):
        winner = f" Winner: {listed([state.name(seat) for seat in won])}." if won else ""
        pieces.append(Note("su-does", does + winner))
    if not done:
        pieces.append(_order(state, state.after))
    goes = f"{'Now' if done else 'Then'} what lay there goes to its owners' discard piles."
    comes = f"New base: {new.card.name}." if new else "No new base comes."
    pieces.append(Note("su-then", f"{goes} A minion that moved away instead? Count it where it is. {comes}"))
    back = [seat for seat in won if scored.card.sanity and state.madness.get(seat, 0)]
    taps = [Tap(f"{state.name(seat)}: return Madness", opens=f"return-{seat}") for seat in back]
    if new and not new.total:
        id, swap = f"pick-{new.id}", Do("swap_base", {"base": new.id})
        taps.append(Tap("It is another base", opens=id))
        yield cards_to_pick(state, id, "The new base is", swap)
    if taps:
        pieces.append(Bar("su-afterwards", tuple(taps)))
    yield Panel("su-after", tuple(pieces), tone="done" if done else "")


# --- what a base gives ---


def gains(id: str, label: str, state: State, awards: tuple[Award, ...], then: bool = False) -> Total:
    """First to last; whoever takes no place comes after all who do. Without those who have left since."""

    def because(award: Award) -> Because:
        seat, had = state.table.seat(award.seat), state.vp.get(award.seat, 0)
        why = f"{award.why}; {had} → {had + award.vp}" if then and award.vp else award.why
        value = f"+{award.vp} VP" if award.vp else "0"
        return Because(f"{RANKS[award.place]} {seat.name}", value, why, seat=seat)

    here = [each for each in awards if each.seat in state.table.ids]
    here.sort(key=lambda each: (each.place or len(RANKS), -each.power))
    return Total(id, label, str(sum(each.vp for each in here)), "VP", tuple(map(because, here)), open=True)


@kept_while(attrgetter("table.seats", "scored"))
def past(state: State) -> tuple[Piece, ...]:
    labels = [f"{each.card.name}, turn {each.turn}" for each in state.scored]
    gave = zip(labels, state.scored, strict=True)
    scored = [gains(f"past-{n}", label, state, each.awards) for n, (label, each) in enumerate(gave, 1)]
    title = f"Scored bases ({len(scored)})"
    return (Fold("su-past", title, tuple(reversed(scored)), only="players"),) if scored else ()
