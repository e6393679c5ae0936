"""What an event makes of the state. What must always hold is checked here, so that take-backs stay honest."""

from __future__ import annotations

from dataclasses import replace

from companion.core import Event, Refused, TableEvent
from companion.core.checklist import SetupTicked
from companion.core.text import counted
from companion.games.smash_up.cards import MADNESS, Card, box
from companion.games.smash_up.events import (
    AwardChanged,
    BaseCorrected,
    BaseDeckShuffled,
    BaseLaid,
    BaseScored,
    BaseTakenUp,
    BaseTyped,
    FactionChosen,
    FactionDropped,
    GameBegun,
    MadnessDrawn,
    MadnessPlayed,
    MadnessReturned,
    MinionMoved,
    MinionPlayed,
    MinionsCounted,
    PhaseBegun,
    PlayedOn,
    PowerCounted,
    ScoringBegun,
    ScoringStopped,
    SetUsed,
    SpecialPassed,
    SpecialsDone,
    SpecialUsed,
    TurnEnded,
    VpCounted,
)
from companion.games.smash_up.state import EACH, LAST, MOST_BASES, Base, Holding, Scored, Scoring, State


def evolve(state: State, event: Event) -> State:
    match event:
        case TableEvent():
            return _seats(state)
        case SetupTicked() | FactionChosen() | FactionDropped() | SetUsed():
            return _prepare(state, event)
        case BaseTyped() | BaseLaid() | BaseTakenUp() | BaseCorrected() | BaseDeckShuffled():
            return _bases(state, event)
        case GameBegun() | PhaseBegun() | TurnEnded() | PlayedOn():
            return _turns(state, event)
        case PowerCounted() | MinionsCounted() | MinionPlayed() | MinionMoved():
            return _hold(state, event)
        case VpCounted() | MadnessDrawn() | MadnessPlayed() | MadnessReturned():
            return _count(state, event)
        case _:
            return _score(state, event)


def _seats(state: State) -> State:
    """Whoever leaves takes everything along; their Madness cards go back to the deck."""
    here = tuple(seat.id for seat in state.table.seats)
    if here == state.order:
        return state
    if set(state.order) - set(here):
        player = state.player
        if state.stage != "setup" and player not in here:
            after = state.order[state.order.index(player) :]
            player = next((seat for seat in after if seat in here), here[0])
            state = replace(state, player=player, phase=1, scoring=None, after=None)
        state = replace(
            state,
            factions={seat: names for seat, names in state.factions.items() if seat in here},
            vp={seat: vp for seat, vp in state.vp.items() if seat in here},
            madness={seat: cards for seat, cards in state.madness.items() if seat in here},
            bases=tuple(
                replace(base, held={seat: held for seat, held in base.held.items() if seat in here})
                for base in state.bases
            ),
        )
    return replace(state, order=here)


# --- set-up ---


def _prepare(state: State, event: Event) -> State:
    match event:
        case SetupTicked(item, _, done):
            others = tuple(each for each in state.ticked if each != item)
            return replace(state, ticked=(*others, item) if done else others)
        case FactionChosen(seat, faction):
            _check_faction(state, seat, faction)
            mine = (*state.factions_of(seat), faction)
            return replace(state, factions={**state.factions, seat: mine})
        case FactionDropped(seat, faction):
            mine = tuple(each for each in state.factions_of(seat) if each != faction)
            if len(mine) == len(state.factions_of(seat)):
                raise Refused(f"{state.name(seat)} does not play {faction}.")
            return replace(state, factions={**state.factions, seat: mine})
        case SetUsed(set, _, used):
            return replace(state, sets={**state.sets, box(set).id: used})
    return state


def _check_faction(state: State, seat: int, faction: str) -> None:
    name = state.name(seat)
    for other in state.table.seats:
        if faction.casefold() in [each.casefold() for each in state.factions_of(other.id)]:
            if other.id == seat:
                raise Refused(f"{name} plays {faction} already; the two must differ.")
            raise Refused(f"{other.name} plays {faction}. No faction is at the table twice.")
    if len(state.factions_of(seat)) >= EACH:
        both = " and ".join(state.factions_of(seat))
        raise Refused(f"{name} has two factions already: {both}. Put one back first.")


# --- bases ---


def _bases(state: State, event: Event) -> State:
    match event:
        case BaseTyped(id, name, breakpoint, vp):
            if id in state.typed:
                raise Refused(f"{state.typed[id].name} has been typed in since.")
            _check_names(state, name)
            return replace(state, typed={**state.typed, id: Card(id, name, "", breakpoint, tuple(vp))})
        case BaseLaid(base, card):
            return _lay(state, base, card)
        case BaseTakenUp(base):
            gone = state.base(base)
            _check_not_scoring(state, base)
            left = tuple(each for each in state.bases if each is not gone)
            return replace(state, bases=left, gap=state.bases.index(gone))
        case BaseCorrected(base, name, breakpoint, vp):
            old = state.base(base)
            _check_names(state, name, but=old.card.id)
            return state.with_base(
                replace(old, card=replace(old.card, name=name, breakpoint=breakpoint, vp=tuple(vp)))
            )
        case BaseDeckShuffled():
            return replace(state, discards=())
    return state


def _check_names(state: State, name: str, but: str = "") -> None:
    for base in state.bases:
        if base.card.name.casefold() == name.casefold() and base.card.id != but:
            raise Refused(f"{base.card.name} is in play already.")


def _lay(state: State, base: int, id: str) -> State:
    card = state.card(id)
    if any(each.id == base for each in state.bases):
        raise Refused("Another base lies there now.")
    if id in state.in_play:
        raise Refused(f"{card.name} is in play already.")
    _check_names(state, card.name)
    if len(state.bases) >= MOST_BASES:
        raise Refused(f"{MOST_BASES} bases are as many as the table has room for.")
    at = len(state.bases) if state.gap is None else min(state.gap, len(state.bases))
    last = state.scored[-1:] if state.after and not (state.scored and state.scored[-1].replaced) else ()
    return replace(
        state,
        bases=(*state.bases[:at], Base(base, card), *state.bases[at:]),
        gap=None,
        laid=max(state.laid, base),
        seen=tuple(dict.fromkeys((*state.seen, id))),
        discards=tuple(each for each in state.discards if each != id),
        scored=(*state.scored[:-1], replace(last[0], replaced=base)) if last else state.scored,
    )


# --- turns ---


def _turns(state: State, event: Event) -> State:
    match event:
        case GameBegun(seat):
            if state.stage != "setup":
                raise Refused("The game has begun already.")
            return replace(state, stage="play", turn=1, phase=1, player=state.table.seat(seat).id, gap=None)
        case PhaseBegun(turn, phase):
            _check_turn(state, turn)
            if not state.phase < phase <= LAST:
                raise Refused("That phase is over.")
            return replace(state, phase=phase, after=None)
        case TurnEnded(turn, check):
            _check_turn(state, turn)
            state = replace(state, phase=LAST, after=None)
            return replace(state, stage="check") if check else _next_player(state)
        case PlayedOn(turn):
            if (state.stage, state.turn) != ("check", turn):
                raise Refused("The game is going on.")
            return _next_player(replace(state, stage="play"))
    return state


def _check_turn(state: State, turn: int) -> None:
    if state.stage != "play" or state.turn != turn:
        raise Refused(f"Turn {turn} is not the one being played.")
    if state.scoring is not None:
        raise Refused(f"{state.base(state.scoring.base).card.name} is being scored.")


def _next_player(state: State) -> State:
    seats = state.clockwise(state.player)
    return replace(state, turn=state.turn + 1, phase=1, player=seats[1 % len(seats)])


# --- what is counted ---


def _hold(state: State, event: Event) -> State:
    match event:
        case PowerCounted(seat, base, by):
            return _change(state, base, seat, power=by)
        case MinionsCounted(seat, base, by):
            return _change(state, base, seat, minions=by)
        case MinionPlayed(seat, base, power):
            return _change(state, base, seat, power=power, minions=1)
        case MinionMoved(seat, base, to, power):
            if base == to:
                raise Refused("It is there already.")
            return _change(
                _change(state, base, seat, power=-power, minions=-1), to, seat, power=power, minions=1
            )
    return state


def _change(state: State, id: int, seat: int, power: int = 0, minions: int | None = None) -> State:
    base, held = state.base(id), state.base(id).at(seat)
    changed = Holding(held.power + power, held.minions if minions is None else held.here + minions)
    where = f"{state.name(seat)} at {base.card.name}"
    if changed.power < 0:
        raise Refused(f"{where} has {held.power} power; it cannot fall below 0.")
    if changed.here < 0:
        raise Refused(f"{where} has no minion that could go.")
    if changed.power > 999 or changed.here > 99:
        raise Refused("No base has room for so many.")
    return state.with_holding(id, seat, changed)


def _count(state: State, event: Event) -> State:
    match event:
        case VpCounted(seat, by):
            vp = state.vp_of(state.table.seat(seat).id) + by
            if vp < 0:
                raise Refused(f"{state.name(seat)} has {state.vp_of(seat)} VP; nobody goes below 0.")
            return replace(state, vp={**state.vp, seat: vp})
        case MadnessDrawn(seat, cards):
            return _with_madness(state, seat, cards)
        case MadnessReturned(seat, cards):
            return _with_madness(state, seat, -cards)
        case MadnessPlayed(seat):
            if not state.madness_of(seat):
                raise Refused(f"{state.name(seat)} holds no Madness card.")
    return state


def _with_madness(state: State, seat: int, by: int) -> State:
    """Deck and players together always hold thirty."""
    name, held = state.name(seat), state.madness_of(seat)
    if held + by < 0:
        number = f"{counted(held, 'Madness card')}, no more" if held else "no Madness card"
        raise Refused(f"{name} holds {number}.")
    if by > state.madness_deck:
        raise Refused(f"There are only {MADNESS} Madness cards; {state.madness_deck} are in the deck.")
    return replace(state, madness={**state.madness, seat: held + by})


# --- scoring ---


def _score(state: State, event: Event) -> State:
    match event:
        case ScoringBegun(base, number):
            _check_turn(state, state.turn)
            _check_number(state, number)
            return replace(state, scoring=Scoring(state.base(base).id), after=None)
        case ScoringStopped(number):
            _under_way(state, number)
            return replace(state, scoring=None)
        case SpecialPassed() | SpecialUsed() | SpecialsDone():
            return _specials(state, event)
        case AwardChanged(seat, number, by):
            scoring = _under_way(state, number)
            more = {**scoring.more, state.table.seat(seat).id: scoring.more.get(seat, 0) + by}
            return replace(state, scoring=replace(scoring, more=more))
        case BaseScored():
            return _apply(state, event)
    return state


def _check_number(state: State, number: int) -> None:
    if number != state.number:
        raise Refused("That base is scored already." if number < state.number else "Not yet.")


def _under_way(state: State, number: int) -> Scoring:
    _check_number(state, number)
    if state.scoring is None:
        raise Refused("No base is being scored.")
    return state.scoring


def _specials(state: State, event: SpecialPassed | SpecialUsed | SpecialsDone) -> State:
    if not event.after:
        return replace(state, scoring=_gone_round(state, _under_way(state, event.number), event))
    if state.after is None or event.number != len(state.scored):
        return state  # one undo takes a scoring back, whoever has passed after it
    return replace(state, after=_gone_round(state, state.after, event))


def _gone_round(state: State, scoring: Scoring, event: SpecialPassed | SpecialUsed | SpecialsDone) -> Scoring:
    if isinstance(event, SpecialsDone):
        return replace(scoring, done=True)
    if state.asked is None:
        raise Refused("All have passed already.")
    if event.seat != state.asked:
        raise Refused(f"It is {state.name(state.asked)} who uses a Special or passes now.")
    if isinstance(event, SpecialUsed):
        return replace(scoring, passed=(), last=event.seat)
    passed = (*(each for each in scoring.passed if each != event.seat), event.seat)
    everyone = {each.id for each in state.table.seats} <= set(passed)
    return replace(scoring, passed=passed, last=event.seat, done=everyone)


def _check_not_scoring(state: State, base: int) -> None:
    if state.scoring and state.scoring.base == base:
        raise Refused(f"{state.base(base).card.name} is being scored.")


def _apply(state: State, event: BaseScored) -> State:
    """The VP were reckoned when it was tapped; what they were reckoned from must still lie there."""
    scoring, base = _under_way(state, event.number), state.base(event.base)
    if scoring.base != base.id:
        raise Refused(f"{base.card.name} is not the base being scored.")
    vp = dict(state.vp)
    for award in event.awards:
        held = base.at(state.table.seat(award.seat).id)
        if (held.power, held.here) != (award.power, award.minions):
            name = state.name(award.seat)
            raise Refused(f"{base.card.name} was scored with {name} at {award.power} power.")
        vp[award.seat] = vp.get(award.seat, 0) + award.vp
    return replace(
        state,
        vp=vp,
        bases=tuple(each for each in state.bases if each is not base),
        gap=state.bases.index(base),
        discards=tuple(dict.fromkeys((*state.discards, base.card.id))),
        scoring=None,
        scored=(*state.scored, Scored(event.number, event.turn, base.card, tuple(event.awards))),
        after=Scoring(base.id),
    )
