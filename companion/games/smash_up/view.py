"""What everybody sees: nothing at this table is secret once it is tapped."""

from collections.abc import Iterator
from functools import partial

from companion.core import Counter, Do, Grid, Picker, Seat, Tap, Tray, counted, replace
from companion.core.forms import Blanks, Filled, Words, asks_number, asks_text
from companion.core.memo import kept_but_for, kept_while, remembered
from companion.core.view import Cell, Form, Forms, Row, SeatView, Sheet, View
from companion.games.smash_up import board, cards, phases
from companion.games.smash_up.adjudication import Standing, adjudicate, places, standings
from companion.games.smash_up.state import EACH, Base, State

LONG = 8  # turns each, after which a deck of forty may run out


def view(state: State) -> View:
    laid, seats, held, scored = _but_power(state)
    if state.stage == "setup":
        return laid
    here, playing = enumerate(state.bases, 1), state.stage == "play"
    bases = [board.base_at(base, at, seats, playing, held, scored == base.id) for at, base in here]
    return replace(laid, board=(Grid("su-bases", tuple(bases)), *laid.board))


def _decides(state: State) -> object:
    """Of the bases: all that lies there if that is weighed now, else which they are, and which are ready."""
    here, starts = state.bases, state.phase == 1
    if state.scoring or state.after or (starts and any(base.card.trade for base in here)):
        return here
    return [(base.id, base.card) for base in here], state.ready


@kept_but_for(State, "bases", also=_decides)
def _but_power(state: State) -> tuple[View, board.Seats, bool, int]:
    """The commonest tap leaves it as it was; so also if who plays now is here, and which base is scored."""
    if state.stage == "setup":
        now, lies = board.setting_up(state), board.to_set_up(state)
    else:
        now, below = phases.phase(state, adjudicate(state)), board.below(state, *phases.past(state))
        lies = (below, *_trays(state))
    laid = View(now, _seats(state), _sheets(state), _forms(state), lies, _in_play(state))
    seats = tuple((seat, bool(board.minions(state, seat.id))) for seat in state.table.seats)
    scoring = state.scoring or (state.after if state.leaving else None)
    held = state.stage == "play" and state.table.holder(state.player) is not None
    return laid, seats, held, scoring.base if scoring else 0


def _in_play(state: State) -> frozenset[str]:
    """The bases, and what does not come up in every game."""
    awards = state.awards(state.scoring) if state.scoring else ()
    taken = [each.place for each in awards if each.place]
    now = {
        "fifteen": state.ending,
        "tie": len({*taken}) < len(taken),
        "level": state.ending and any(step.because == "tie-plays-on" for step in adjudicate(state).steps),
        "no madness": not state.madness_deck,
        "long": state.turn > LONG * len(state.table.seats),
    }
    return frozenset((*state.in_play, *(name for name, holds in now.items() if holds)))


_seen = remembered(SeatView)  # most taps leave all but one as they were


@kept_while("table.seats", "table.choices", "vp", "madness", "stage", "player", "after")
def _seats(state: State) -> tuple[SeatView, ...]:
    """Who is at which place is said once somebody is ahead."""
    over = adjudicate(state).final
    ranks, someone = places(state.table, standings(state), over), any(state.vp.values())
    turn, firsts = state.player if state.stage == "play" else 0, [*ranks.values()].count(1)

    def view(seat: Seat, each: Standing) -> SeatView:
        notes = phases.RANKS[ranks[seat.id]] if someone else "", "plays now" if turn == seat.id else ""
        words, counts = f"{each.madness} Madness", each.sum if over and each.penalty else ""
        tap = Tap(words, detail=counts, opens=f"su-seat-{seat.id}", id=f"mad-{seat.id}", shows="madness")
        shown, pieces = tuple(filter(None, notes)), (tap,) if state.stage != "setup" else ()
        leads = (ranks[seat.id], firsts, someone) == (1, 1, True)
        return _seen(seat, notes=shown, leads=leads, pieces=pieces, score=str(each.vp), unit="VP")

    return tuple(map(view, state.table.seats, standings(state)))


@kept_while("table.seats", "vp", "madness", "factions")
def _trays(state: State) -> tuple[Tray, ...]:
    """VP and Madness cards of each player; whoever joined late chooses factions there."""

    def tray(seat: Seat, each: Standing) -> Tray:
        known = _tray(seat, each, " + ".join(state.factions_of(seat.id)))
        late = board.factions(state, seat) if seat.id in state.late else ()
        return replace(known, pieces=(*late, *known.pieces)) if late else known

    return tuple(map(tray, state.table.seats, standings(state)))


@remembered
def _tray(seat: Seat, each: Standing, plays: str) -> Tray:
    mine, cost = {"seat": seat.id}, f"{each.penalty} VP" if each.penalty else "nothing"
    cards, play = Do("count_madness", mine), Do("play_madness", mine)
    penalty = f"At the end {counted(each.madness, 'Madness card')} will cost {cost}"
    acts = (
        Tap("Draw one", Do("draw_madness", mine)),
        Tap("Return some", opens=f"return-{seat.id}"),
        Tap("Play: draw two cards, keep it", play.also(choice="cards")),
        Tap("Play: return it", play.also(choice="return")),
        Tap("VP with a reason", opens=f"vp-why-{seat.id}"),
    )
    pieces = (
        Counter(f"vp-{seat.id}", "VP", each.vp, Do("count_vp", mine), whom=seat.name),
        Counter(f"madness-{seat.id}", "Madness cards", each.madness, cards, whom=seat.name),
        Picker(f"acts-{seat.id}", acts, "Madness: hand, deck and discard pile together", columns=2),
    )
    return Tray(f"su-seat-{seat.id}", f"{seat.name}: {plays}" if plays else seat.name, pieces, seat, penalty)


@kept_while("table.seats", "scored", "vp")
def _sheets(state: State) -> tuple[Sheet, ...]:
    def row(seat: Seat) -> Row:
        gained = [sum(award.vp for award in each.awards if award.seat == seat.id) for each in state.scored]
        return Row(seat, tuple(Cell(str(each)) for each in gained), str(state.vp.get(seat.id, 0)))

    columns = tuple(each.card.name for each in state.scored)
    return (Sheet("vp", "Victory points", columns, tuple(map(row, state.table.seats))),) if columns else ()


blanks = Blanks(__package__)


def _looked_at(state: State) -> tuple[object, ...]:
    """Power changes none of them."""
    here = [each for base in state.bases for each in (base.id, base.card)]
    return state.table.seats, state.madness, state.factions, state.stage, state.player, state.after, *here


@kept_while(_looked_at)
def _forms(state: State) -> Forms:
    return Forms(lambda: _all_forms(state))


def _all_forms(state: State) -> Iterator[Form]:
    for seat in state.table.seats:
        form = partial(blanks, seat.id, {"seat": seat.id}, {"name": seat.name})
        yield form("vp-why", by=asks_number(1), reason=asks_text(optional=True))
        yield form("return", cards=asks_number(state.madness.get(seat.id, 0)))
        if len(state.factions_of(seat.id)) < EACH:
            yield form("faction", faction=asks_text())
    for base in state.bases:
        yield from _of_base(state, base)
    playing = state.stage == "play"
    title = "One more base by a card: type it in" if playing else "Type a base in"
    yield blanks("", {}, {"title": title}, "new-base", (), (), "", playing, **_printed())
    if state.leaving:
        gone = {"base": state.leaving.id, "number": len(state.scored)}
        yield blanks("", gone, {}, "next-base", **_printed())


def _of_base(state: State, base: Base) -> Iterator[Form]:
    name, here = base.card.name, {"base": base.id}
    sure = f"Put {name} back into the base deck, with all power there forgotten?"
    out = Tap("Take it out of play", Do("put_back_base", here), confirm=sure)
    yield blanks(base.id, here, {"name": name}, "card", (), (out,), **_printed(base.card))
    for seat in state.table.seats:
        yield from _of_minions(state, base, seat)


def _of_minions(state: State, base: Base, seat: Seat) -> Iterator[Form]:
    """What happens to one of theirs here, and what they can play here by name."""
    at, here = f"{base.id}-{seat.id}", {"base": base.id, "seat": seat.id}
    play, known = Do("play_minion", here), board.minions(state, seat.id)
    taps = [Tap(f"{name}, {power}", play.also(power=power, name=name)) for name, power in known]
    for first in taps[:1]:
        title, do = f"{seat.name} plays at {base.card.name}", first.do or Do("")
        yield Form(f"names-{at}", title, do, (), first.label, tuple(taps[1:]), listed=False)
    others = [other for other in state.bases if other is not base]
    for power in board.POWERS:
        lost, move = (Do(command, {**here, "power": power}) for command in ("lose_minion", "move_minion"))
        back = Tap("Returned to hand or deck", lost.also(how="returned"))
        moved = [Tap(f"Moved to {to.card.name}", move.also(to=to.id)) for to in others]
        words: Words = {"name": seat.name, "power": power, "base": base.card.name}
        yield blanks(f"{at}-{power}", lost.also(how="destroyed").args, words, "gone", (), (*moved, back))


def _printed(card: cards.Card | None = None) -> dict[str, Filled]:
    numbers = (card.breakpoint, *card.vp) if card else ("",) * 4
    known = asks_text(card.name if card else ""), *[asks_number(each) for each in numbers]
    return dict(zip(blanks["card"].fields, known, strict=True))
