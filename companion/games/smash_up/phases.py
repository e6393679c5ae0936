"""What to do now: the five phases of a turn, a base that is being scored, and one that has been."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

from companion.core import Counter, Do, Phase, Question, Seat, Tap
from companion.core.pieces import Bar, Fold, Note, Panel, Piece, Steps, asked, steps
from companion.core.text import listed
from companion.games.smash_up import setting_up
from companion.games.smash_up.board import ability, gains
from companion.games.smash_up.cards import LAST_BASE
from companion.games.smash_up.scoring import winners
from companion.games.smash_up.state import GOAL, LAST, PHASES, SCORE, Base, Scoring, State

SHORT = ("Start", "Play", "Score", "Draw", "End")  # in small letters as the rulings call them
TEXTS = (
    "What happens at the start of a turn happens now.",
    "One minion, one action, both or neither.",
    "A base that has reached its breakpoint scores now.",
    "Draw two cards. More than ten cards in hand? Discard down to ten, now and only now.",
    "Whatever happens at the end of a turn happens now. Then it is the next player's turn.",
)


def phase(state: State, summary: str) -> Phase:
    player, key = state.table.seat(state.player), SHORT[state.phase - 1].lower()
    if state.stage == "check":
        on = Tap("Play on", Do("play_on", {"turn": state.turn}), strong=True)
        return Phase(f"After {player.name}'s turn", summary, (on,), key)
    first: tuple[Piece, ...] = (_steps(state.turn, state.phase, state.scoring is None),)
    if any(vp >= GOAL for vp in state.vp.values()):
        first += (Note("su-ending", summary, "warn", "crown", buzz="ending"),)
    if state.scoring:
        return _scoring(state, state.scoring, first, player)
    buttons, pieces = _buttons(state), (*setting_up.late(state), *_after(state))
    if state.asked is not None:
        passed = Do("all_passed", {"number": len(state.scored), "when": "after"})
        buttons = (Tap("All passed", passed, strong=True), *buttons)
        first += (_special(state, state.asked),)
    elif state.phase == SCORE and len(state.ready) > 1:
        first += (_which(state),)
    title, text = f"{player.name}: {PHASES[state.phase - 1]}", _ready(state.ready) or TEXTS[state.phase - 1]
    return Phase(title, text, buttons, key, pieces, first, "after" if state.asked else "", player)


@lru_cache(1000)  # numbers alone, so all tables share them
def _steps(turn: int, phase: int, ahead: bool) -> Steps:
    where = steps("su-steps", f"Turn {turn}", SHORT, phase - 1)
    go = {
        number: Do("next_phase", {"turn": turn, "phase": phase, "to": number})
        for number in range(phase + 1, LAST + 1)
        if ahead
    }
    named = enumerate(zip(where.stages, PHASES, strict=True), 1)
    return replace(
        where, stages=tuple(replace(each, do=go.get(n), title=title) for n, (each, title) in named)
    )


def _buttons(state: State) -> tuple[Tap, ...]:
    ready, phase, waits = state.ready, state.phase, state.asked is not None
    held_up = bool(ready) and phase <= SCORE
    blocked = held_up and phase == SCORE
    end = _go(state, "End the turn", "end_turn", "End the turn" if held_up else "", phase == LAST)
    if phase == LAST:
        return (end,)
    strong = not blocked and not waits
    ahead = _go(state, f"Next: {SHORT[phase]}", "next_phase", "Go on" if blocked else "", strong)
    if not blocked or waits:
        return (ahead, end)
    if len(ready) > 1:
        return (ahead,)  # the current player is asked which
    return replace(_to_score(state, ready[0]), label=f"Score {ready[0].card.name}", strong=True), ahead


def _go(state: State, label: str, command: str, without: str, strong: bool) -> Tap:
    """On to the next phase or player; `without` scoring what is ready it asks first."""
    do = Do(command, {"turn": state.turn, "phase": state.phase, **({"anyway": "yes"} if without else {})})
    sure = f"{_ready(state.ready)} {without} without scoring?" if without else ""
    return Tap(label, do, strong=strong, confirm=sure)


def _ready(ready: tuple[Base, ...]) -> str:
    names = [base.card.name for base in ready]
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} ready to score." if names else ""


def _to_score(state: State, base: Base) -> Tap:
    return Tap(base.card.name, Do("begin_scoring", {"base": base.id, "number": state.number}))


def _which(state: State) -> Question:
    options = [
        replace(_to_score(state, base), detail=f"{base.total} of {base.card.breakpoint}")
        for base in state.ready
    ]
    waiting = f"{_ready(state.ready)} {state.name(state.player)} chooses which scores first."
    return asked(state.table, state.player, "Which base scores first?", waiting, tuple(options))


def _special(state: State, seat: int) -> Question:
    """Before a base gives its VP, and once more after."""
    when, number = ("before", state.number) if state.scoring else ("after", len(state.scored))
    args: dict[str, str | int] = {"seat": seat, "number": number, "when": when}
    options = (
        Tap("Pass", Do("pass_special", args), "you may come back if others act"),
        Tap("I use one", Do("use_special", args), "resolve it, count the power"),
    )
    waiting = f"{state.name(seat)} may use a Special {when} scoring, or passes."
    return asked(state.table, seat, f"A Special {when} scoring?", waiting, options)


# --- a base that is being scored ---


def _scoring(state: State, scoring: Scoring, first: tuple[Piece, ...], player: Seat) -> Phase:
    base, number = state.base(scoring.base), state.number
    label = "This is what it gives" if scoring.done else "As it stands"
    gives = gains("su-gives", label, state, state.awards(scoring), then=True)
    stop = Tap("Do not score it now", Do("stop_scoring", {"number": number}))
    more = (
        *_asks(state, base),
        *_note("su-does", ability(base.card, "scoring", "after")),
        _more(state, scoring),
    )
    text = "" if base.ready else "Below the breakpoint by now; it is scored all the same."
    if state.asked is not None:
        first += (_special(state, state.asked), *_note("su-order", _order(state, scoring)))
        buttons: tuple[Tap, ...] = (
            Tap("All passed", Do("all_passed", {"number": number}), strong=True),
            stop,
        )
        pieces = (gives, *more)
    else:
        do = Do("score_base", {"base": base.id, "number": number})
        others = (
            Tap("Score, pick base", opens="pick-next"),
            Tap("Score, type base", opens="next-base"),
            stop,
        )
        cards = setting_up.cards_to_pick(state, "pick-next", "Score, and lay out", do)
        first, buttons = (*first, gives), (Tap(_lot(state), do, strong=True),)
        pieces = (Bar("su-others", others), *more, cards)
    title, step = f"Scoring {base.card.name}", f"{number} {scoring.done}"
    return Phase(title, text, buttons, SHORT[SCORE - 1].lower(), pieces, first, step, player)


def _lot(state: State) -> str:
    if state.base_deck:
        return "Score it, new base by lot"
    shuffle = LAST_BASE.chosen(state.table) == "shuffle"
    return "Score it, shuffle for a new base" if shuffle else "Score it, no new base"


def _order(state: State, scoring: Scoring) -> str:
    order = ", ".join(state.name(seat) for seat in state.clockwise(state.player))
    passed = [state.name(seat) for seat in scoring.passed if seat in state.order]
    return f"In this order: {order}." + (f" Passed: {listed(passed)}." if passed else "")


def _note(id: str, words: str) -> tuple[Piece, ...]:
    return (Note(id, words),) if words else ()


def _asks(state: State, base: Base) -> tuple[Piece, ...]:
    """Where minions give VP, they are counted here."""
    if base.card.gives != "minions":
        return ()
    do = Do("count_minions", {"base": base.id})
    counters = _for_each(state, "asked", do, lambda seat: base.at(seat).here)
    return (Panel("su-asks", counters, "How many minions has everyone here?", only="players"),)


def _more(state: State, scoring: Scoring) -> Fold:
    do = Do("change_award", {"number": state.number})
    counters = _for_each(state, "more", do, lambda seat: scoring.more.get(seat, 0))
    return Fold("su-more", "A card changes the VP", counters, only="players")


def _for_each(state: State, id: str, do: Do, value: Callable[[int], int]) -> tuple[Counter, ...]:
    return tuple(
        Counter(f"{id}-{seat.id}", seat.name, value(seat.id), Do(do.command, {**do.args, "seat": seat.id}))
        for seat in state.table.seats
    )


# --- a base that has been scored ---


def _after(state: State) -> Iterator[Piece]:
    if state.after is None:
        return
    scored, done = state.scored[-1], state.after.done
    won = [seat for seat in winners(scored.awards) if seat in state.table.ids]
    new = next((base for base in state.bases if base.id == scored.replaced), None)
    other = (Tap("It is another base", opens=f"pick-{new.id}"),) if new and not new.total else ()
    back = [
        Tap(f"{state.name(seat)}: return Madness", opens=f"return-{seat}")
        for seat in won
        if scored.card.sanity and state.madness_of(seat)
    ]
    does = ability(scored.card, "after")
    winner = f" Winner: {listed([state.name(seat) for seat in won])}." if does and won else ""
    pieces = (
        gains("su-gave", f"{scored.card.name} has scored", state, scored.awards),
        *_note("su-does", does + winner),
        *_note("su-order", "" if done else _order(state, state.after)),
        *_note("su-then", _then(new, done)),
        *((Bar("su-afterwards", (*back, *other)),) if back or other else ()),
    )
    yield Panel("su-after", pieces, tone="done" if done else "")
    if new and other:
        do = Do("swap_base", {"base": new.id})
        yield setting_up.cards_to_pick(state, f"pick-{new.id}", "The new base is", do)


def _then(new: Base | None, done: bool) -> str:
    goes = f"{'Now' if done else 'Then'} what lay there goes to its owners' discard piles."
    moved = "A minion that moved away instead? Count it where it is."
    return f"{goes} {moved} {f'New base: {new.card.name}.' if new else 'No new base comes.'}"
