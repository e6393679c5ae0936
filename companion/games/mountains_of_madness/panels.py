"""What can be tapped now: set-up, Movement, Encounter, Draw and Rest."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Do, Seat, Tap, Tick
from companion.core.pieces import Bar, Checklist, Fold, Grid, Note, Panel, Picker, Piece, Stage, Steps
from companion.core.text import capital
from companion.games.mountains_of_madness import consequences
from companion.games.mountains_of_madness.checklist import items
from companion.games.mountains_of_madness.commands.turn import no_rest_because, wanted
from companion.games.mountains_of_madness.consequences import Chain
from companion.games.mountains_of_madness.events import number
from companion.games.mountains_of_madness.house_rules import DRAW_TOKENS, HAND_RAISED
from companion.games.mountains_of_madness.state import NEIGHBOURS, PLACES, WITH_SPACES, State
from companion.games.mountains_of_madness.tokens import why_not

Taps = tuple[Tap, ...]


def chain(id: str, links: Chain) -> Iterator[Piece]:
    """What follows from what, down to its end."""
    stages = tuple([Stage(link.text, "next") for link in links if link.text and not link.lost])
    if stages:
        yield Steps(id, "What follows", stages, upright=True)
    for link in links:
        if link.lost:
            yield Note(f"{id}-lost", link.text, "bad")


def _spend(id: str, title: str, taps: Taps, why: str) -> Iterator[Panel]:
    """What this phase lets the Leader do with a token."""
    if taps:
        picker = () if why else (Picker(f"{id}-taps", taps, columns=2 if len(taps) > 1 else 0),)
        yield Panel(id, picker, text=f"{title}: {why}" if why else title, only="players")


# --- set-up ---


def setup(state: State) -> Iterator[Piece]:
    """Whoever stood on a summit last leads first; only they know who that is."""
    table = state.table
    others = [seat for seat in table.seats if seat.id != table.starter]
    taps = tuple([Tap(seat.name, Do("choose_starter", {"seat": seat.id}), seat=seat) for seat in others])
    words = Note("peak-summit", "Whoever stood on a mountain top last leads first.")
    title = f"{state.name(table.starter)} leads first. Somebody else?"
    yield Fold("peak-first", title, (words, Picker("peak-firsts", taps, columns=2)), only="players")
    packs = tuple([_pack(state, seat) for seat in (None, *table.seats)])
    yield Grid("peak-packs", packs, columns=2)
    yield Bar("peak-begin", (Tap("Begin the expedition", Do("begin"), strong=True),))


def _pack(state: State, seat: Seat | None) -> Panel:
    """What one player takes; without a seat: what is prepared for all."""
    whose = seat.id if seat else "all"
    ticks = tuple(
        [
            Tick(
                each.short,
                Do("tick", {"item": each.id, "done": "no" if each.id in state.ticked else "yes"}),
                each.id in state.ticked,
                each.text,
                id=f"peak-tick-{each.id}",
            )
            for each in items(state)
            if each.seat == (seat.id if seat else None)
        ]
    )
    ready = f"{sum(tick.done for tick in ticks)} of {len(ticks)}"
    lists = (Checklist(f"peak-list-{whose}", ticks),)
    return Panel(f"peak-pack-{whose}", lists, seat.name if seat else "For all", seat=seat, tags=(ready,))


# --- Movement ---


def movement(state: State) -> Iterator[Piece]:
    turn = {"turn": state.turn}
    if state.now.moved:
        yield Bar("peak-flip", (Tap("Flip the sand timer", Do("flip", turn), strong=True),))
    else:
        yield Picker("peak-moves", tuple(_moves(state)), columns=2)


def ignoring(state: State) -> Iterator[Panel]:
    """It stands on the board: the airplane moves, and this stays as it was."""
    if state.stage != "movement":
        return
    taps = tuple(
        [
            Tap(
                seat.name,
                Do("ignore_madness", {"turn": state.turn, "whom": seat.id}),
                f"level {state.level(seat.id)}",
                seat=seat,
            )
            for seat in state.table.seats
            if state.level(seat.id) and seat.id not in state.now.ignoring
        ]
    )
    title = "Spend a token: somebody ignores their Madness this turn"
    yield from _spend("peak-ignore", title, taps, why_not(state, "movement"))


def _moves(state: State) -> Iterator[Tap]:
    for place in NEIGHBOURS[state.place]:
        label = capital(PLACES[place])
        to: dict[str, str | int] = {"turn": state.turn, "to": place}
        words = "no way back down" if place == "edge" else "with its tile" if place in WITH_SPACES else ""
        yield Tap(label, Do("move", to), words, mark=place)
        if place in WITH_SPACES and state.turn > 1:
            do = Do("move", {**to, "tile": "no"})
            yield Tap(f"{label}, no tile", do, "no reward there", mark=place)


# --- Encounter: the phones see by themselves when the sand has run out, and show what can be done then ---


def encounter(state: State) -> Iterator[Piece]:
    now, turn = state.now, {"turn": state.turn}
    flip, sled = {**turn, "flip": now.flips}, now.on_sled
    silence = f"silence-{state.turn}-{now.flips}" if now.silent else ""
    words = (
        "Not a word until the sand has run out."
        if silence
        else "What do you have? The first card ends all talk."
    )
    yield Note("peak-sound", words, buzz=silence)
    leader = state.name(state.leader)
    yield Note("peak-up", f"Forget your Madness. {leader} reveals the sled, or buys time.")
    yield Picker("peak-acts", tuple([_act(state, seat) for seat in state.table.seats]), look="chips")
    lies = f"{number(sled, 'card')} on the sled, as tapped" if sled else "no card on the sled yet"
    card = Tap("Card on the sled", Do("card_on_sled", flip), lies, strong=True, id="peak-card")
    yield Bar("peak-play", (card,))
    first = "First the penalty die." if now.penalties else ""
    reveal = Tap("Reveal the sled", Do("resolve", turn), strong=True, why_not=first)
    why = why_not(state, "encounter")
    yield Bar(
        "peak-over", (reveal, Tap("Again: 30 more seconds", Do("again", flip), "costs a token", why_not=why))
    )
    sure = "Nobody wants to play another card? The sand still runs."
    early = Tap("All cards are in", Do("resolve", {**turn, "early": "yes"}), confirm=sure, id="peak-early")
    spoke = Tap("Someone spoke", Do("someone_spoke", {**turn, "owed": now.rolled}), id="peak-spoke")
    yield Bar("peak-side", (spoke, early))


def _act(state: State, seat: Seat) -> Tap:
    """What one player's phone says while the sand runs; its name only where several play on it."""
    level = state.level(seat.id)
    if seat.id in state.now.ignoring:
        return Tap("Ignore your Madness this turn", detail=seat.name, seat=seat)
    words = f"Act on your level {level} Madness" if level else "No Madness to act on"
    return Tap(words, detail=seat.name, seat=seat, strong=bool(level))


# --- Draw and Rest ---


def draw(state: State) -> Iterator[Piece]:
    need, deck = wanted(state), state.cards.deck
    dealt = min(need, deck)
    yield Note("peak-deals", f"{number(dealt, 'card')} by our count; {deck - dealt} stay in the deck.")
    if need > deck:
        left = f"Only {number(deck, 'card')} left by our count"
        yield Note("peak-short", f"{left}: {state.name(state.leader)} says who gets them.", "bad")
    yield Bar("peak-deal", (Tap("Cards are dealt", Do("deal", {"turn": state.turn}), strong=True),))
    spent = "One token a turn." if state.raised and DRAW_TOKENS.chosen(state.table) == "one" else ""
    yield from _spend("peak-raise", "Spend a token", _raises(state), spent or why_not(state, "draw"))
    yield from found_injury(state)


def _raises(state: State) -> Taps:
    raised = {"turn": state.turn, "raised": len(state.raised)}
    if HAND_RAISED.chosen(state.table) == "one":
        return tuple(
            [
                Tap(seat.name, Do("raise_hand", {**raised, "whom": seat.id}), seat=seat)
                for seat in state.table.seats
            ]
        )
    return (Tap("Hand limit +1", Do("raise_hand", raised), "for everyone, until the next Draw phase"),)


def found_injury(state: State) -> Iterator[Bar]:
    if left := state.injuries.deck:
        do = Do("find_injury", {"turn": state.turn})
        yield Bar("peak-found", (Tap("An Injury was dealt", do, f"{left} in the Equipment deck"),))


def rest(state: State) -> Iterator[Piece]:
    turn, why = {"turn": state.turn}, no_rest_because(state)
    ends = state.place == "escape-3"
    after = "the game ends" if ends else f"the sled goes to {state.name(state.on_left())}"
    if not why:
        follows = tuple(chain("peak-rest-chain", consequences.rest(state)))
        yield Panel("peak-rest", follows, "A rest would mean")
    rest = Tap("Rest", Do("rest", turn), f"then {after}", why_not=why)
    yield Bar("peak-turn", (rest, Tap("No rest", Do("end_turn", turn), after, strong=True)))
