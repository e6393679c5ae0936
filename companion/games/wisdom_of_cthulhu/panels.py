"""What to do now: set-up, the four phases, and the question to whoever is to declare or to act."""

from collections.abc import Iterator
from functools import cache

from companion.core import Do, Phase, Question, Seat, Tap, Tick, counted, replace
from companion.core.pieces import Bar, Checklist, Note, Picker, Piece, Stage, Steps, Tone, asked, steps
from companion.games.wisdom_of_cthulhu import box
from companion.games.wisdom_of_cthulhu.state import Declared, Player, State, ties

NTH = ("1st", "2nd", "3rd", "4th")
ORDERED = {"preparation": "Last turn’s order", "order": "Declaring, in this order"}


def phase(state: State) -> Phase:
    """That somebody can evoke comes into view on every phone."""
    now, turn, ticks = state.phase, state.turn, _ticks(state)
    ready = all(not tick.do or tick.done for each in ticks for tick in each.ticks)  # all may go on before
    title = f"Turn {turn} of {box.TURNS}: {box.PHASES.get(now, '')}"
    if now == "setup":
        many, text = len(state.seats), "Tick off what is ready, on any phone."
        named = many in (len(box.BONDS), len(state.gods))  # four have all four before them, fewer say which
        start = Tap("Start turn 1", Do("begin_game"), strong=ready and named)
        lot = Bar("wis-lot", (Tap(f"Draw {many} by lot", Do("draw_gods"), mark="die"),))
        return Phase(f"Set up for {many}", text, (start,), now, ticks, (gods(state), lot))
    above = _evocation(state)
    first = (*above, _stops(now, turn == 1), _order(state))
    step = "evocation" if any(isinstance(each, Question) for each in above) else ""
    if state.declarer and now == "order":
        return Phase(title, "", (), now, (), (*first, _declaring(state, *state.declarer)), step)
    if now == "research":
        tied = ties(state) if not state.acted else ()  # nobody asks any more once somebody has acted
        tie_note = (Note("wis-ties", " ".join(tied)),) if tied else ()
        return Phase(title, "", (), now, (), (*first, *tie_note, _acting(state)), step)
    words, command = "End the game" if turn == box.TURNS else f"Close turn {turn}", "close_turn"
    if now == "preparation":
        words, command = "To the Research Order", "finish_preparation"
    return Phase(title, "", (Tap(words, Do(command, {"turn": turn}), strong=ready),), now, ticks, first, step)


def _ticks(state: State) -> tuple[Checklist, ...]:
    """What the table does by itself."""
    ticks = []
    for each in box.steps(state.table, state.phase, state.turn):
        done, detail = each.id in state.ticked, "the phones count it" if each.by_app else ""
        do = None if each.by_app else Do("tick", {"item": each.id, "done": "no" if done else "yes"})
        ticks.append(Tick(each.label, do, done, detail, id=f"wis-tick-{each.id}"))
    return (Checklist("wis-list", tuple(ticks)),) if ticks else ()


def gods(state: State) -> Picker:
    open = not state.evoked and (not state.turn or len(state.seats) < len(box.BONDS))
    taps = [_god(each.id, state.in_play(each.id), each.id in state.gods, open) for each in box.BONDS]
    title = "" if state.turn else "Which Great Old Ones are in play?"
    return Picker("wis-gods", tuple(taps), title, columns=2)


@cache
def _god(bond: str, here: bool, chosen: bool, open: bool) -> Tap:
    """A question as long as it is open: four players have all four before them, an evocation leaves one."""
    each, id = box.find_bond(bond), f"wis-god-{bond}"
    if not open:
        return Tap(each.god, detail=each.name, mark=each.id, tone="good" if here else "done", id=id)
    do = Do("choose_god", {"god": each.id, "done": "no" if chosen else "yes"})
    return Tap(each.god, do, each.name, on=chosen, mark=each.id, id=id, shows="god")


def _evocation(state: State) -> tuple[Piece, ...]:
    """Once in a game, so it stands above all else: that somebody can evoke, and then who came."""
    if state.evoked:
        buzz = f"evoked-{state.evoked.turn}"
        return (Note("wis-evoked", box.SAYS["came"](state), "good", state.came.id, buzz=buzz),)
    return tuple([_evokes(state, seat) for seat in state.seats if state.players[seat].ritual == box.BOXES])


def _evokes(state: State, seat: int) -> Question:
    mine, name = state.players[seat], state.name(seat)
    gods = [each for each in box.BONDS if mine.last_bond in ("", each.id) and state.in_play(each.id)]
    who = gods[0].god if len(gods) == 1 else "a Great Old One"
    off = "" if gods else "that Great Old One is not in play"
    evoke = Tap(f"Evoke {who}", opens=f"evoke-{seat}", why_not=off, strong=True, mark=mine.last_bond)
    text = f"All three requirements are met. The only evocation of the game: {name} evokes {who}."
    can, id = f"{name} can evoke {who}", f"wis-evokes-{seat}"
    return asked(state.table, seat, "Evocation", can, (evoke,), id=id, text=text)


@cache
def _stops(phase: str, first: bool) -> Steps:
    stops = steps("wis-stops", "The four phases of a turn", box.PHASES.values(), [*box.PHASES].index(phase))
    skipped = Stage("Preparation", "skipped", detail="not in turn 1")
    return replace(stops, stages=(skipped, *stops.stages[1:])) if first else stops


def _order(state: State) -> Picker:
    lined_up = state.speaking if state.phase in ORDERED else state.order
    taps = tuple([_rank(state, at, state.table.seat(seat)) for at, seat in enumerate(lined_up, 1)])
    return Picker("wis-order", taps, ORDERED.get(state.phase, "Research Order"), columns=len(taps))


def _rank(state: State, at: int, who: Seat) -> Tap:
    """What one has said: it says why the order is so. What is left to each stands with their cards."""
    seat, whose = who.id, state.declarer[0] if state.declarer else state.actor
    tone: Tone = ""
    if state.phase in ("order", "research"):
        tone = "waits" if seat == whose else "" if state.players[seat].able else "done"
    laps = [each.count for each in state.declared if each.seat == seat]
    more = state.obsessed[seat] - sum(laps)
    sums = " + ".join(map(str, laps)) + (f" (+{more})" if more else "") if laps else "…"
    words = {"preparation": "", "order": sums}
    detail = words.get(state.phase, f"{state.obsessed[seat] or 'no'} Obs.")
    place = "" if state.phase in ORDERED else str(at)
    return Tap(who.name, detail=detail, badge=place, seat=who, tone=tone, id=f"wis-rank-{seat}")


def _declaring(state: State, seat: int, lap: int) -> Question:
    title, waiting = box.SAYS["asks"](state), box.SAYS["declares"](state)
    pieces = (Picker("wis-counts", _counts(state, seat, lap), look="faces", columns=4),)
    text = "Most Obsessions act first; of equals, whoever was there first."
    return asked(state.table, seat, title, waiting, (), id="wis-ask", text=text, pieces=pieces)


def _counts(state: State, seat: int, lap: int) -> tuple[Tap, ...]:
    """Always seven, so that none moves under a thumb; each says in which place one would act so far."""
    hand, counts = state.player(seat).hand, range(box.PATHS + 1)
    says = [Do("declare", {"seat": seat, "turn": state.turn, "lap": lap, "count": n}) for n in counts]
    why = [f"{hand or 'no'} left" if n > hand else "" for n in counts]
    comes = ["" if why[n] else NTH[_place(state, Declared(seat, lap, n))] for n in counts]
    return tuple([Tap(str(n), says[n], comes[n], why_not=why[n], id=f"wis-say-{n}") for n in counts])


def _place(state: State, new: Declared) -> int:
    """Where that would put its player, if nobody else said anything more."""
    after = replace(state, declared=(*state.declared, new))
    heard = [seat for seat in after.order if any(each.seat == seat for each in after.declared)]
    return heard.index(new.seat)


def _acting(state: State) -> Question:
    seat, mine = state.actor, state.players[state.actor]
    text = f"{counted(mine.hand, 'Path', 'no')}, {counted(mine.obsessions, 'Obsession', 'no')}."
    waiting = f"{state.name(seat)}’s action, round {mine.actions + 1}"
    taps = [tap for each in box.ACTIONS for tap in _action(state, mine, each)]
    pieces = (Picker("wis-actions", tuple(taps), columns=3),)
    return asked(state.table, seat, "Action", waiting, (), id="wis-ask", text=text, pieces=pieces)


def _action(state: State, mine: Player, each: box.Action) -> Iterator[Tap]:
    """A Knowledge card by its family: the three are what lies in the Research Area."""
    off = _why_not(state, mine, each)
    for family, name in box.FAMILIES.items() if each.id == "knowledge" else ():
        left, opens = state.left(family, state.actor), f"act-{family}"
        why, price = off or ("" if left else "none left"), "" if mine.hand else ", 1 Obs."
        yield Tap(name, None, f"{left} left{price}", why_not=why, opens=opens, id=f"wis-{opens}")
    if each.id.startswith("cash"):
        do, price = Do("cash_in", {**state.acting, "what": each.cost}), f"+{box.CASHED_IN[each.cost]} KP"
        yield Tap(each.short, do, price, why_not=off, id=f"wis-act-{each.id}", costs=True)
    elif each.id != "knowledge":
        free = _is_free(state, each) or (each.id == "place" and not mine.obsessions)
        price, opens = "free ones" if free else "1 Obsession", f"act-{each.id}"
        yield Tap(each.short, None, price, why_not=off, opens=opens, id=f"wis-{opens}")


def _is_free(state: State, each: box.Action) -> bool:
    return each.id == "invocation" and box.INVOCATION_COST.chosen(state.table) == "free"


def _why_not(state: State, mine: Player, each: box.Action) -> str:
    if each.id == "knowledge":
        return "no more this turn" if mine.fallback and not mine.hand else ""
    if each.id == "invocation" and all((powers := state.powers(state.actor)).values()):
        none = "none is in play for it" if mine.ritual else "no object turned"
        return "none left this turn" if powers else none
    if each.id == "place" or _is_free(state, each):
        return ""  # some powers cost nothing
    if not (mine.hand if each.cost == "path" else mine.obsessions):
        return f"no {each.cost.capitalize()} left"
    if each.id == "sign" and mine.sign:
        return f"sign: {state.where(mine.sign)}"
    return "none is placed" if each.id == "unsign" and not state.placed_signs(state.actor) else ""
