"""What to do now: the five phases of a turn, a base that is being scored, and one that has been."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter

from companion.core import Counter, Do, Phase, Question, Seat, Tap, Verdict, kept_while, replace
from companion.core.pieces import Bar, Because, Fold, Note, Panel, Picker, Piece, Steps, Total, asked, steps
from companion.core.text import capital, listed
from companion.games.smash_up.adjudication import judge, standings
from companion.games.smash_up.board import POWERS, ability, cards_to_pick, late, turned_up
from companion.games.smash_up.cards import LAST_BASE, PHASES, Award, winners
from companion.games.smash_up.state import LAST, PLAY, SCORE, Base, Scored, Scoring, State

SHORT = tuple(each.short for each in PHASES)
SCORED = SHORT[SCORE - 1].lower()
COUNT = "Before the verdict: Madness cards in hand, deck and discard pile"
RANKS = ("–", "1st", "2nd", "3rd", "4th")
EMPTY = {"shuffle": "shuffle for a new base", "none": "no new base"}  # base deck


def phase(state: State, verdict: Verdict) -> Phase:
    if verdict.final:
        undo = "Something mistyped? Undo it, or count it right: the verdict follows."
        return Phase(verdict.summary, undo, key="over", step=verdict.outcome, final=True)
    player, key = state.table.seat(state.player), "play" if state.phase == 1 else state.doing.short.lower()
    if state.stage == "check":
        on = Tap("Play on", Do("play_on", {"turn": state.turn}), strong=True)
        return Phase(f"After {player.name}'s turn", verdict.summary, (on,), key)
    first: tuple[Piece, ...] = (_steps(state),)
    if state.ending:
        first += (Note("su-ending", verdict.summary, "warn", "crown", buzz="ending"),)
    if state.scoring:
        return _scoring(state, state.scoring, first, player)
    if state.leaving:
        return _leaving(state, state.leaving, first, player)
    if len(state.ready) > 1 and state.phase <= SCORE:
        first += (_which(state),)
    text = f"{state.all_ready} to score." if state.ready else state.doing.text
    pieces = (*_trade(state), *late(state), *_slip(state), *_replaced(state), *_to_count(state))
    title = f"{player.name}'s turn" if state.phase <= PLAY else f"{player.name}: {state.doing.name}"
    return Phase(title, text, _buttons(state), key, pieces, first, "", player)


def _steps(state: State) -> Steps:
    """The next is tapped to go on. A minion that is played goes on too, and nothing but this is new then."""
    where = steps("su-steps", f"Turn {state.turn}", SHORT, state.phase - 1)
    waits = state.scoring or state.leaving or (state.ready and state.phase == SCORE)
    if waits or state.phase == LAST:
        return where
    on = replace(where.stages[state.phase], do=Do("next_phase", _now(state)), title=PHASES[state.phase].name)
    return replace(where, stages=(*where.stages[: state.phase], on, *where.stages[state.phase + 1 :]))


def _buttons(state: State) -> tuple[Tap, ...]:
    """To score what is ready is next, and else to end the turn."""
    ready, phase = state.ready, state.phase
    mad = (Tap("+1 Madness", Do("draw_madness", {"seat": state.player})),) if phase <= SCORE else ()
    if ready and phase <= SCORE:
        name, only = ready[0].card.name, len(ready) == 1
        score = replace(_to_score(state, ready[0]), label=f"Score {name}", strong=True)
        return (score, *mad) if only else mad  # which of several is asked above
    ends = state.ending and judge(state.table, standings(state)).final
    words, do = "End the game" if ends else "End turn", Do("end_turn", {"turn": state.turn})
    return *mad, Tap(words, do, strong=True)


def _now(state: State) -> dict[str, str | int]:
    return {"turn": state.turn, "phase": state.phase}


def _slip(state: State) -> Iterator[Piece]:
    """Scoring is compulsory, so this is no way on, but a way out."""
    if state.ready and state.phase == SCORE:
        go = Do("next_phase", {**_now(state), "anyway": "yes"})
        yield Bar("su-slip", (Tap("Go on without scoring", go, "only if it was a slip, or a card says so"),))


def _to_score(state: State, base: Base, detail: str = "") -> Tap:
    return Tap(base.card.name, Do("begin_scoring", {"base": base.id, "number": state.number}), detail)


def _which(state: State) -> Question:
    bases = [_to_score(state, base, f"{base.total} of {base.card.breakpoint}") for base in state.ready]
    waiting = f"{state.all_ready} to score. {state.name(state.player)} chooses which scores first."
    return asked(state.table, state.player, "Which base scores first?", waiting, tuple(bases))


def _trade(state: State) -> Iterator[Piece]:
    """A minion of one's own for 1 VP, in one tap, where a base does that at the start of a turn."""
    for base in state.bases:
        most = base.at(state.player).power
        if base.card.trade and most and state.phase == 1 and state.traded != state.turn:
            args = {"base": base.id, "seat": state.player}
            gives, there = (
                f"{state.name(state.player)} gives a minion of power",
                f"at {base.card.name} for 1 VP",
            )
            dos = {power: Do("trade_minion", {**args, "power": power}) for power in POWERS[:most]}
            taps = [Tap(f"{gives} {n} {there}", do, short=str(n), costs=True) for n, do in dos.items()]
            title = f"{base.card.name}: a minion of {state.name(state.player)}’s, by its power, for 1 VP"
            yield Picker("su-trade", tuple(taps), title, "faces", 6)


def _to_count(state: State) -> Iterator[Piece]:
    """Before the verdict: what lies in decks and discard piles is easily forgotten."""
    if state.ending:
        held = _counters(state, "counted", "count_madness", lambda seat: state.madness.get(seat, 0))
        yield Panel("su-count", held, COUNT, only="players")


def _counters(
    state: State, id: str, command: str, value: Callable[[int], int], **args: int
) -> tuple[Counter, ...]:
    """One for each player, by name."""
    seats = [(seat.id, seat.name) for seat in state.table.seats]
    do = {seat: Do(command, {**args, "seat": seat}) for seat, _ in seats}
    return tuple(Counter(f"{id}-{seat}", name, value(seat), do[seat]) for seat, name in seats)


def _special(state: State, seat: int) -> Question:
    """Before a base gives its VP, and once more after."""
    when, number = ("before", state.number) if state.scoring else ("after", len(state.scored))
    args: dict[str, str | int] = {"seat": seat, "number": number, "after": "no" if state.scoring else "yes"}
    options = (
        Tap("Pass", Do("pass_special", args), "may come back if others act"),
        Tap("I use one", Do("use_special", args), "resolve it, count the power"),
    )
    waiting = f"{state.name(seat)} may use a Special {when} scoring, or passes."
    return asked(state.table, seat, f"A Special {when} scoring?", waiting, options)


def _order(state: State, scoring: Scoring) -> Note:
    order = ", ".join(state.name(seat) for seat in state.table.clockwise(state.player))
    passed = [state.name(seat) for seat in scoring.passed if seat in state.order]
    return Note("su-order", f"In this order: {order}." + (f" Passed: {listed(passed)}." if passed else ""))


# --- a base that is being scored ---


def _scoring(state: State, scoring: Scoring, first: tuple[Piece, ...], player: Seat) -> Phase:
    base, args = state.base(scoring.base), {"number": state.number}
    text = "" if base.ready else "Below the breakpoint by now; it is scored all the same."
    label = "This is what it gives" if scoring.done else "As it stands"
    gives = gains("su-gives", label, state, state.awards(scoring), then=True)
    words = "Score it" if scoring.done else "All passed: score it"
    score = Tap(words, Do("score_base", {"base": base.id, **args}), strong=True)
    stop = Tap("Not now: a slip", Do("stop_scoring", args))
    asks = () if state.asked is None else (_special(state, state.asked), _order(state, scoring))
    pieces, step = (gives, *_counted(state, scoring, base)), f"{state.number} {base.card.id} {state.asked}"
    title = f"Scoring {base.card.name}"
    return Phase(title, text, (score, stop), SCORED, pieces, (*first, *asks), step, player)


def _counted(state: State, scoring: Scoring, base: Base) -> Iterator[Piece]:
    """What still changes the VP: minions where those give some, what the base does, and cards."""
    if base.card.gives == "minions":
        here = _counters(state, "asked", "count_minions", lambda seat: base.at(seat).here, base=base.id)
        yield Panel("su-asks", here, "How many minions has everyone here?", only="players")
    if does := ability(base.card, "scoring", "after"):
        yield Note("su-does", does)
    number, changes = state.number, scoring.more
    more = _counters(state, "more", "change_award", lambda seat: changes.get(seat, 0), number=number)
    yield Fold("su-more", "A card changes the VP", more, only="players")


# --- a base that has been scored: Specials, then its cards go, then a new one comes ---


def _leaving(state: State, base: Base, first: tuple[Piece, ...], player: Seat) -> Phase:
    scored, after, number = state.scored[-1], state.after or Scoring(base.id), len(state.scored)
    do = Do("replace_base", {"base": base.id, "number": number})
    comes = "new base by lot" if state.base_deck else EMPTY[LAST_BASE.chosen(state.table)]
    words = capital(comes) if after.done else f"All passed: {comes}"
    asks = () if state.asked is None else (_special(state, state.asked), _order(state, after))
    gave = gains("su-gave", f"{base.card.name} gave", state, scored.awards)
    taps = (*_sanity(state, scored), Tap("Type the new base in", opens="next-base"))
    pieces = (_what_goes(state, scored), turned_up(state, do), Bar("su-afterwards", taps), gave)
    title, step = f"{base.card.name} has scored", f"after {number} {state.asked}"
    text = "Specials after scoring, then its cards go, then a new base comes."
    buttons = (Tap(words, do, strong=True),)
    return Phase(title, text, buttons, SCORED, pieces, (*first, *asks), step, player)


def _what_goes(state: State, scored: Scored) -> Note:
    """What the base does after scoring, who its winner is, and where the rest of its cards goes."""
    does = ability(scored.card, "after")
    won = [state.name(seat) for seat in winners(scored.awards) if seat in state.table.ids]
    winner = f" Winner: {listed(won)}." if does and won else ""
    goes = "All else there goes" if does else "Then all that lies there goes"
    return Note("su-does", f"{does}{winner} {goes} to its owners' discard piles.".strip())


def _sanity(state: State, scored: Scored) -> Iterator[Tap]:
    for seat in winners(scored.awards) if scored.card.sanity else ():
        if seat in state.table.ids and state.madness.get(seat, 0):
            yield Tap(f"{state.name(seat)}: return Madness", opens=f"return-{seat}")


def _replaced(state: State) -> Iterator[Piece]:
    """The base that came, while it can still be another."""
    came = [each.replaced for each in state.scored[-1:]]
    new = next((base for base in state.bases if base.id in came), None)
    if state.after is None or not new or new.total:
        return
    id, swap = f"pick-{new.id}", Do("swap_base", {"base": new.id})
    yield Bar("su-new", (Tap(f"New base: {new.card.name}", detail="tap if it is another", opens=id),))
    yield cards_to_pick(state, id, "The new base is", swap)


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
