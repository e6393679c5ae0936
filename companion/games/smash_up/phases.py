"""What to do now: the five phases of a turn, a base that is being scored, and one that has been."""

from collections.abc import Iterator, Mapping

from companion.core import Counter, Do, Phase, Seat, Tap, Verdict, kept_while, over, replace
from companion.core.pieces import Bar, Because, Fold, Note, Panel, Picker, Piece, Steps, Total, asked, steps
from companion.core.text import capital, listed
from companion.games.smash_up import adjudication
from companion.games.smash_up.board import POWERS, cards_to_pick, late
from companion.games.smash_up.cards import HINTS, LAST_BASE, PHASES, SAID, Award, winners
from companion.games.smash_up.state import LAST, PLAY, SCORE, Base, Scored, Scoring, State

SHORT = tuple(each.short for each in PHASES)
SCORED = SHORT[SCORE - 1].lower()
RANKS = ("–", "1st", "2nd", "3rd", "4th")


def phase(state: State, verdict: Verdict) -> Phase:
    if verdict.final:
        return over(verdict, HINTS["over"])
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
        bases = [_to_score(state, base, f"{base.total} of {base.card.breakpoint}") for base in state.ready]
        waiting = f"{state.all_ready} to score. {player.name} chooses which scores first."
        first += (asked(state.table, player.id, "Which base scores first?", waiting, tuple(bases)),)
    text = f"{state.all_ready} to score." if state.ready else state.doing.text
    title = f"{player.name}'s turn" if state.phase <= PLAY else f"{player.name}: {state.doing.name}"
    return Phase(title, text, _buttons(state), key, (*_below(state),), first, "", player)


def _steps(state: State) -> Steps:
    """The next is tapped to go on. A minion that is played goes on too, and nothing but this is new then."""
    where = steps("su-steps", f"Turn {state.turn}", SHORT, state.phase - 1)
    if state.scoring or state.leaving or (state.ready and state.phase == SCORE) or state.phase == LAST:
        return where
    on = replace(where.stages[state.phase], do=_next(state), title=PHASES[state.phase].name)
    return replace(where, stages=(*where.stages[: state.phase], on, *where.stages[state.phase + 1 :]))


def _buttons(state: State) -> tuple[Tap, ...]:
    """To score what is ready is next, and else to end the turn."""
    early, ready = state.phase <= SCORE, state.ready
    mad = (Tap("+1 Madness", Do("draw_madness", {"seat": state.player})),) if early else ()
    if ready and early:
        score = replace(_to_score(state, ready[0]), label=f"Score {ready[0].card.name}", strong=True)
        return (score, *mad) if len(ready) == 1 else mad  # which of several is asked above
    ends = state.ending and adjudication.judge(state.table, adjudication.standings(state)).final
    words, do = "End the game" if ends else "End turn", Do("end_turn", {"turn": state.turn})
    return *mad, Tap(words, do, strong=True)


def _next(state: State) -> Do:
    return Do("next_phase", {"turn": state.turn, "phase": state.phase})


def _below(state: State) -> Iterator[Piece]:
    yield from _trade(state)
    yield from late(state)
    if state.ready and state.phase == SCORE:  # it is compulsory, so this is no way on, but a way out
        go = _next(state).also(anyway="yes")
        yield Bar("su-slip", (Tap("Go on without scoring", go, "only if it was a slip, or a card says so"),))
    yield from _replaced(state)
    if state.ending:  # what lies in decks and discard piles is easily forgotten
        held = _counters(state, "counted", state.madness, Do("count_madness"))
        yield Panel("su-count", held, HINTS["count"], only="players")


def _to_score(state: State, base: Base, detail: str = "") -> Tap:
    return Tap(base.card.name, Do("begin_scoring", {"base": base.id, "number": state.number}), detail)


def _trade(state: State) -> Iterator[Piece]:
    """A minion of one's own for 1 VP, in one tap, where a base does that at the start of a turn."""
    now, who = state.phase == 1 and state.traded != state.turn, state.name(state.player)
    for base in [each for each in state.bases if now and each.card.trade and each.at(state.player).power]:
        name, trade = base.card.name, Do("trade_minion", {"base": base.id, "seat": state.player})
        dos = {power: trade.also(power=power) for power in POWERS[: base.at(state.player).power]}
        words = {n: f"{who} gives a minion of power {n} at {name} for 1 VP" for n in dos}
        taps = tuple(Tap(words[n], do, short=str(n), costs=True) for n, do in dos.items())
        yield Picker("su-trade", taps, f"{name}: a minion of {who}’s, by its power, for 1 VP", "faces", 6)


def _counters(state: State, id: str, values: Mapping[int, int], do: Do) -> tuple[Counter, ...]:
    """One for each player, by name."""
    seats = [(seat.id, seat.name) for seat in state.table.seats]
    return tuple(Counter(f"{id}-{n}", name, values.get(n, 0), do.also(seat=n)) for n, name in seats)


def _asks(state: State, scoring: Scoring) -> tuple[Piece, ...]:
    """Specials go round before a base gives its VP, and once more after, until all have passed."""
    if state.whose_special is None:
        return ()
    seat, before = state.whose_special, state.scoring is not None
    when, number = ("before", state.number) if before else ("after", len(state.scored))
    args: dict[str, str | int] = {"seat": seat, "number": number, "after": "no" if before else "yes"}
    passes = Tap("Pass", Do("pass_special", args), "may come back if others act")
    uses = Tap("I use one", Do("use_special", args), "resolve it, count the power")
    waiting = f"{state.name(seat)} may use a Special {when} scoring, or passes."
    order = ", ".join(map(state.name, state.table.clockwise(state.player)))
    passed = listed([state.name(each) for each in scoring.passed if each in state.order])
    order_note = Note("su-order", f"In this order: {order}." + (f" Passed: {passed}." if passed else ""))
    return asked(state.table, seat, f"A Special {when} scoring?", waiting, (passes, uses)), order_note


def _scoring(state: State, scoring: Scoring, first: tuple[Piece, ...], player: Seat) -> Phase:
    base, args = state.base(scoring.base), {"number": state.number}
    text = "" if base.ready else "Below the breakpoint by now; it is scored all the same."
    label = "This is what it gives" if scoring.done else "As it stands"
    gives = gains("su-gives", label, state, state.awards(scoring), then=True)
    words = "Score it" if scoring.done else "All passed: score it"
    score = Tap(words, Do("score_base", {"base": base.id, **args}), strong=True)
    taps = score, Tap("Not now: a slip", Do("stop_scoring", args))
    pieces = (gives, *_counted(state, scoring, base))
    step = f"{state.number} {base.card.id} {state.whose_special}"
    first += _asks(state, scoring)
    return Phase(f"Scoring {base.card.name}", text, taps, SCORED, pieces, first, step, player)


def _counted(state: State, scoring: Scoring, base: Base) -> Iterator[Piece]:
    """What still changes the VP: minions where those give some, what the base does, and cards."""
    if base.card.gives == "minions":
        here = {seat: held.here for seat, held in base.held.items()}
        asks = _counters(state, "asked", here, Do("count_minions", {"base": base.id}))
        yield Panel("su-asks", asks, "How many minions has everyone here?", only="players")
    if does := base.card.does("scoring", "after"):
        yield Note("su-does", does)
    more = _counters(state, "more", scoring.more, Do("change_award", {"number": state.number}))
    yield Fold("su-more", "A card changes the VP", more, only="players")


def _leaving(state: State, base: Base, first: tuple[Piece, ...], player: Seat) -> Phase:
    """It has been scored: Specials, then its cards go, then a new one comes."""
    scored, after, number = state.scored[-1], state.after or Scoring(base.id), len(state.scored)
    do = Do("replace_base", {"base": base.id, "number": number})
    comes = "new base by lot" if state.base_deck else SAID["empty"][LAST_BASE.chosen(state.table)]
    words = capital(comes) if after.done else f"All passed: {comes}"
    gave = gains("su-gave", f"{base.card.name} gave", state, scored.awards)
    sane = [seat for seat in winners(scored.awards) if scored.card.sanity and state.madness.get(seat)]
    mad = [Tap(f"{state.name(seat)}: return Madness", opens=f"return-{seat}") for seat in sane]
    bar = Bar("su-afterwards", (*mad, Tap("Type the new base in", opens="next-base")))
    taps = tuple(Tap(state.card(id).name, do.also(card=id)) for id in state.base_deck or state.discards)
    others = Picker("su-next", taps, "Or the one you turned up", "chips")  # by a table that has its own deck
    pieces, first = (_what_goes(state, scored), others, bar, gave), first + _asks(state, after)
    step, go = f"after {number} {state.whose_special}", Tap(words, do, strong=True)
    return Phase(f"{base.card.name} has scored", HINTS["leaving"], (go,), SCORED, pieces, first, step, player)


def _what_goes(state: State, scored: Scored) -> Note:
    """What the base does after scoring, who its winner is, and where the rest of its cards goes."""
    does = scored.card.does("after")
    won = [state.name(seat) for seat in winners(scored.awards) if seat in state.table.ids]
    winner = f" Winner: {listed(won)}." if does and won else ""
    goes = "All else there goes" if does else "Then all that lies there goes"
    return Note("su-does", f"{does}{winner} {goes} to its owners' discard piles.".strip())


def _replaced(state: State) -> Iterator[Piece]:
    """The base that came, while it can still be another."""
    came = [each.replaced for each in state.scored[-1:]]
    new = next((base for base in state.bases if base.id in came), None)
    if state.after is None or not new or new.total:
        return
    id, swap = f"pick-{new.id}", Do("swap_base", {"base": new.id})
    yield Bar("su-new", (Tap(f"New base: {new.card.name}", detail="tap if it is another", opens=id),))
    yield cards_to_pick(state, id, "The new base is", swap)


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


@kept_while("table.seats", "scored")
def past(state: State) -> tuple[Piece, ...]:
    rows = [(f"{each.card.name}, turn {each.turn}", state, each.awards) for each in state.scored]
    scored = [gains(f"past-{n}", *each) for n, each in enumerate(rows, 1)]
    title = f"Scored bases ({len(scored)})"
    return (Fold("su-past", title, tuple(reversed(scored)), only="players"),) if scored else ()
