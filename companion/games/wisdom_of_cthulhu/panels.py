"""What to do now: set-up, the four phases, and the question to whoever is to declare or to act."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from companion.core import Do, Phase, Question, Tap, Tick
from companion.core.memo import kept_while
from companion.core.pieces import Bar, Checklist, Note, Picker, Piece, Stage, Steps, Tone, asked
from companion.core.pieces import State as How
from companion.core.text import counted, plain
from companion.games.wisdom_of_cthulhu import box
from companion.games.wisdom_of_cthulhu.board import evoked, gods
from companion.games.wisdom_of_cthulhu.forms import invocable, placed_signs
from companion.games.wisdom_of_cthulhu.state import Player, State, but_points, ties
from companion.games.wisdom_of_cthulhu.turn import steps_now

Args = tuple[tuple[str, int], ...]
ORDERED = {"preparation": "Last turn’s order", "order": "Declaring, in this order"}


def _facts(state: State) -> tuple[object, ...]:
    """Points do not matter, but for those of whoever acts."""
    return *but_points(state), state.kp(state.actor) if state.phase == "research" and state.actor else 0


@kept_while(_facts)
def phase(state: State) -> Phase:
    now, turn, steps = state.phase, state.turn, _steps(state)
    title, args = f"Turn {turn} of {box.TURNS}: {box.PHASES.get(now, '')}", {"turn": turn}
    if now == "setup":
        start = Tap("Start turn 1", Do("begin_game"), strong=_ready(state) and _named(state))
        title, text = f"Set up for {len(state.seats)}", "Tick off what is ready, on any phone."
        return Phase(title, text, (start,), now, steps, (gods(state), _lot(len(state.seats))))
    first = (*evoked(state), _stops(now, turn == 1), _order(state))
    match now:
        case "preparation":
            go = Tap("To the Research Order", Do("finish_preparation", args), strong=_ready(state))
            return Phase(title, "", (go,), now, steps, first)
        case "order":
            return Phase(title, "", (), now, (), (*first, _declaring(state)))
        case "research":
            return Phase(title, "", (), now, (_skip(turn),), (*first, *_ties(state), _acting(state)))
        case _:
            words = "End the game" if turn == box.TURNS else f"Close turn {turn}"
            close = Tap(words, Do("close_turn", args), strong=_ready(state))
            return Phase(title, "", (close,), now, steps, first)


# --- what the table does by itself ---


def _ready(state: State) -> bool:
    """Whether all of it is ticked; going on is open all the same."""
    return all(each.by_app or each.id in state.ticked for each in steps_now(state))


def _named(state: State) -> bool:
    """Four players have all four Great Old Ones before them; fewer say which."""
    return len(state.seats) in (len(box.BONDS), len(state.gods))


def _steps(state: State) -> tuple[Piece, ...]:
    ticks = []
    for each in steps_now(state):
        done, detail = each.id in state.ticked, "the phones count it" if each.by_app else ""
        do = None if each.by_app else Do("tick", {"item": each.id, "done": "no" if done else "yes"})
        ticks.append(Tick(each.label, do, done, detail, id=f"wis-tick-{each.id}"))
    return (Checklist("wis-list", tuple(ticks)),) if ticks else ()


@cache
def _lot(players: int) -> Bar:
    return Bar("wis-lot", (Tap(f"Draw {players} by lot", Do("draw_gods"), mark="die"),))


@cache
def _skip(turn: int) -> Bar:
    """For a table that does not tap every action."""
    sure = "Leave the rest of this Research to the table? Points can still be counted by hand."
    do = Do("end_research", {"turn": turn})
    return Bar("wis-skip", (Tap("End the Research without the phones", do, confirm=sure),))


# --- where we are, and who comes after whom ---


@cache
def _stops(phase: str, first: bool) -> Steps:
    now, how = [*box.PHASES].index(phase), list[How](["next", "now", "done"])
    stages = [Stage(name, how[(now > at) + (now >= at)]) for at, name in enumerate(box.PHASES.values())]
    if first:
        stages[0] = Stage("Preparation", "skipped", detail="not in turn 1")
    return Steps("wis-stops", "The four phases of a turn", tuple(stages))


def _order(state: State) -> Picker:
    lined_up = state.speaking if state.phase in ORDERED else state.order
    taps = tuple([_rank(state, at, seat) for at, seat in enumerate(lined_up, 1)])
    return Picker("wis-order", taps, ORDERED.get(state.phase, "Research Order"), columns=len(taps))


def _rank(state: State, at: int, seat: int) -> Tap:
    """What one has said or has left."""
    mine, whose = state.players[seat], state.declarer[0] if state.declarer else state.actor
    tone: Tone = ""
    if state.phase in ("order", "research"):
        tone = "waits" if seat == whose else "" if mine.able else "done"
    left = f"{mine.hand + mine.obsessions} left" if mine.able else "done"
    words = {"preparation": "", "order": _said(state, seat), "research": left}
    detail = words.get(state.phase, f"{state.obsessed[seat] or 'no'} Obs.")
    place = "" if state.phase in ORDERED else str(at)
    who = state.table.seat(seat)
    return Tap(who.name, detail=detail, badge=place, seat=who, tone=tone, id=f"wis-rank-{seat}")


def _said(state: State, seat: int) -> str:
    laps = [each.count for each in state.declared if each.seat == seat]
    if not laps:
        return "…"
    more = state.obsessed[seat] - sum(laps)
    return " + ".join(map(str, laps)) + (f" (+{more})" if more else "")


def _ties(state: State) -> tuple[Note, ...]:
    found = ties(state)
    return (Note("wis-ties", " ".join(found)),) if found else ()


# --- whose word, whose action ---


def _declaring(state: State) -> Question:
    assert state.declarer is not None
    seat, lap = state.declarer
    title = "Lap 2: how many more?" if lap == 2 else "Lap 1: turn how many Paths?"
    waiting = f"{state.name(seat)} declares, lap {lap} of 2"
    taps = _counts(state.player(seat).hand, (("seat", seat), ("turn", state.turn), ("lap", lap)))
    more = {"text": _to_beat(state, seat), "pieces": (Picker("wis-counts", taps, look="faces", columns=4),)}
    return asked(state.table, seat, title, waiting, (), id="wis-ask", **more)


@lru_cache(1024)
def _counts(hand: int, args: Args) -> tuple[Tap, ...]:
    """Always seven, so that none moves under a thumb."""
    sends = [Do("declare", {**dict(args), "count": n}) for n in range(box.PATHS + 1)]
    why = [f"{hand or 'no'} left" if n > hand else "" for n in range(box.PATHS + 1)]
    return tuple([Tap(str(n), do, why_not=why[n], id=f"wis-say-{n}") for n, do in enumerate(sends)])


def _to_beat(state: State, seat: int) -> str:
    said = {each.seat for each in state.declared} - {seat}
    others = [other for other in state.speaking if other in said]
    if not others:
        return "You speak first: most Obsessions act first."
    obsessed, reached = state.obsessed, state.reached
    best = max(others, key=lambda other: (obsessed[other], -reached[other]))
    has, name = f"You have {obsessed[seat]}", state.name(best)
    if (obsessed[seat], -reached[seat]) > (obsessed[best], -reached[best]):
        return f"{has} and are first so far; {name} has {obsessed[best]}."
    return f"{has}. To beat: {name} with {obsessed[best]}; a tie is {name}’s."


def _acting(state: State) -> Question:
    assert state.actor is not None
    seat = state.actor
    mine, kp = state.player(seat), state.kp(seat)
    now = Now(mine, kp, state.where(mine.sign), bool(placed_signs(state, seat)), bool(invocable(state, seat)))
    taps = _actions(now, (("seat", seat), ("turn", state.turn), ("after", state.acted)))
    paths, obsessions = counted(mine.hand, "Path", "no"), counted(mine.obsessions, "Obsession", "no")
    text = f"You have {paths}, {obsessions}, {plain(kp)} KP."
    waiting = f"{state.name(seat)}’s action, round {mine.actions + 1}"
    pieces = (Picker("wis-actions", taps, columns=2),)
    return asked(state.table, seat, "Your action", waiting, (), id="wis-ask", text=text, pieces=pieces)


class Now(NamedTuple):
    """All that the taps of an action depend on."""

    mine: Player
    kp: int
    sign: str  # where one's own is
    signs: bool  # whether others have placed theirs
    invocable: bool


@lru_cache(1024)  # for whoever acts at each of many tables
def _actions(now: Now, args: Args) -> tuple[Tap, ...]:
    return tuple([_action(now, dict(args), each) for each in box.ACTIONS])


def _action(now: Now, args: Mapping[str, int], each: box.Action) -> Tap:
    cash = Do("cash_in", {**args, "what": each.cost}) if each.id.startswith("cash") else None
    opens = "" if cash else f"act-{each.id}"
    why, detail, id = _why_not(now, each), " ".join(_price(now, each)), f"wis-act-{each.id}"
    return Tap(each.short, cash, detail, why_not=why, badge=str(each.number), opens=opens, id=id)


def _price(now: Now, each: box.Action) -> Iterator[str]:
    """What it costs, and what is left of that afterwards."""
    mine = now.mine
    fallback = each.id == "knowledge" and not mine.hand
    cost = "obsession" if fallback else each.cost
    left = (mine.hand if cost == "path" else mine.obsessions) - 1
    if each.id == "invocation":
        yield "no cost"
    elif each.id == "place" and not mine.obsessions:
        yield "free powers only"
    elif each.id.startswith("cash"):
        yield f"+{box.PATH_KP if cost == 'path' else box.OBSESSION_KP} KP, {left or 'none'} left"
    else:
        yield f"−1 {'Path' if cost == 'path' else 'Obs.'} → {left or 'none'} left"
    if fallback:
        yield "(only once)"


def _why_not(now: Now, each: box.Action) -> str:
    mine = now.mine
    match each.id:
        case "knowledge":
            return "no more this turn" if mine.fallback and not mine.hand else ""
        case "invocation" if not mine.ritual:
            return "your Ritual token is at the start"
        case "invocation":
            return "" if now.invocable else "the Great Old One of your bond is not in play"
        case "place":
            return ""  # some powers cost nothing
    if not (mine.hand if each.cost == "path" else mine.obsessions):
        return f"no {each.cost.capitalize()} left"
    if each.id == "sign" and mine.sign:
        return f"yours: {now.sign}"
    return "none is placed" if each.id == "unsign" and not now.signs else ""
