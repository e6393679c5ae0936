"""What lies on the table: factions and bases before the first turn, then the bases and what a tap opens."""

from collections.abc import Iterator

from companion.core import Counter, Do, Phase, Seat, Tap, counted, kept_on, listed, remembered
from companion.core.checklist import checklist
from companion.core.pieces import Bar, Chips, Grid, Meter, Note, Panel, Picker, Piece, Share, Tone, Tray
from companion.games.smash_up.cards import BASES, FACTIONS, MADNESS, PHASES, SETS, THIS_SET, Card, faction
from companion.games.smash_up.state import CHECKLIST, EACH, PLAY, Base, Holding, State

POWERS = range(1, 7)  # one tap each; other powers are counted with + or typed
WHEN = {"scoring": "When it scores: ", "after": "After scoring: "}  # other abilities say it themselves
HELP = "Tap a base for what happens to minions there, a player's Madness for VP and Madness cards."
MAD = "A Madness card is an action: draw two cards, or return it to its deck."

Seats = tuple[tuple[Seat, bool], ...]  # and whether their minions are known by name


def setting_up(state: State) -> Phase:
    lacking, here = listed([state.name(seat) for seat in state.undecided]), len(state.bases) == state.wanted
    said = [f"two factions for {lacking}"] if lacking else []
    said += [counted(state.lacking, "base")] if state.lacking else []
    begins = f"All is there, and {state.name(state.table.starter)} begins."
    text = f"Still to come: {', and '.join(said)}." if said else begins
    have = "has" if len(state.undecided) == 1 else "have"
    sure = f"{lacking} {have} not chosen two factions. Start all the same?" if lacking and here else ""
    start = Tap("Start the game", Do("begin_game"), strong=here and not lacking, confirm=sure)
    return Phase("Set up", text, (start,), "setup", _warning(state))


def _warning(state: State) -> tuple[Piece, ...]:
    """This box alone has four factions: two players."""
    players = len(state.table.seats)
    if players <= 2 or any(faction(name).set != THIS_SET for name in state.played):
        return ()
    text = f"This box alone seats two: it has four factions, and {players} players need {players * EACH}."
    return (Note("su-warning", f"{text} Take the others from the core set, or type them in.", "warn"),)


def to_set_up(state: State) -> tuple[Piece, ...]:
    seats, choose, use = state.table.seats, Do("choose_starter"), Do("use_set")
    starter, used = state.table.starter, {set: "no" if set in state.used else "yes" for set in SETS}
    first = [Tap(each.name, choose.also(seat=each.id), seat=each, on=each.id == starter) for each in seats]
    lot = Tap("By lot", Do("draw_starter"), mark="die")
    sets = [Tap(SETS[set], use.also(set=set, used=to), on=set in state.used) for set, to in used.items()]
    return (
        *[piece for seat in seats for piece in _choosing(state, seat)],
        Picker("su-sets", tuple(sets), f"Bases: {state.wanted}, one per player and one more", "chips"),
        Grid("su-laid", tuple(map(_laid, state.bases))),
        *to_lay(state),
        Picker("su-first", (*first, lot), "First player", "chips"),
        checklist(state.ticked, CHECKLIST, "su-setup"),
    )


def _choosing(state: State, seat: Seat) -> tuple[Piece, ...]:
    """On this seat's own phones the factions lie open; the others open them to tap for them."""
    id, chosen = f"factions-{seat.id}", " + ".join(state.factions_of(seat.id)) or "chooses two factions"
    tap = Tap(seat.name, detail=chosen, seat=seat, opens=id, id=f"choosing-{seat.id}", shows="factions")
    return tap, Tray(id, seat.name, factions(state, seat), seat, chosen, stays=True)


def factions(state: State, seat: Seat) -> tuple[Piece, ...]:
    mine, played = state.factions_of(seat.id), state.played

    def tap(name: str) -> Tap:
        do = Do("drop_faction" if name in mine else "choose_faction", {"seat": seat.id, "faction": name})
        holder = played.get(name.casefold(), seat.id)
        taken = "" if holder == seat.id else f"{state.name(holder)} plays it"
        return Tap(name, do, why_not=taken, on=name in mine)

    if len(mine) >= EACH:
        return (Picker(f"chosen-{seat.id}", tuple(map(tap, mine)), "Tap one to put it back", "chips"),)
    typed = [tap(name) for name in mine if not faction(name).set]
    other = Tap("Another faction: type it in", opens=f"faction-{seat.id}")
    boxes = {set: tuple(tap(each.name) for each in FACTIONS if each.set == set) for set in SETS}
    known = [Picker(f"set-{set}-{seat.id}", taps, SETS[set], "chips") for set, taps in boxes.items() if taps]
    return (*known, Bar(f"other-{seat.id}", (*typed, other)))


def _laid(base: Base) -> Panel:
    id, card = base.id, base.card
    fix = (Tap("Correct", opens=f"card-{id}"), Tap("Put it back", Do("put_back_base", {"base": id})))
    numbers = (f"breaks at {card.breakpoint}", card.prizes)
    return Panel(f"base-{id}", (Bar(f"fix-{id}", fix),), card.name, ability(card), tags=numbers)


def to_lay(state: State) -> tuple[Piece, ...]:
    """How the bases come that are still missing."""
    if not state.lacking:
        return ()
    have, strong = {"have": len(state.bases)}, state.stage == "setup"
    draw = Tap(f"Draw {state.lacking} by lot", Do("draw_bases", have), strong=strong)
    taps = (draw, Tap("Pick", opens="pick-base"), Tap("Type in", opens="new-base"))
    return Bar("su-lay", taps), cards_to_pick(state, "pick-base", "Lay out a base", Do("lay_base", have))


def cards_to_pick(state: State, id: str, title: str, do: Do) -> Tray:
    """Every base that could come, box by box."""
    boxes = {SETS[set]: [card for card in BASES if card.set == set] for set in state.used}
    boxes |= {"Typed in": list(state.typed.values())} if state.typed else {}

    def tap(card: Card) -> Tap:
        detail = f"{card.breakpoint} · {card.prizes} VP" + (", scored" if card.id in state.discards else "")
        there = "in play" if card.id in state.in_play else ""
        return Tap(card.name, do.also(card=card.id), detail, why_not=there)

    of_boxes = enumerate(boxes.items())
    rows = [Picker(f"{id}-{n}", tuple(map(tap, each)), name, "cards", 3) for n, (name, each) in of_boxes]
    return Tray(id, title, tuple(rows))


def turned_up(state: State, do: Do) -> Picker:
    """What a table with its own base deck turns up is one tap."""
    taps = [Tap(state.card(id).name, do.also(card=id)) for id in state.base_deck or state.discards]
    return Picker("su-next", tuple(taps), "Or the one you turned up", "chips")


def late(state: State) -> Iterator[Piece]:
    """What a game that is under way lacks since more people play it."""
    said = []
    if lacking := [state.name(seat) for seat in state.late]:
        who = f"{listed(lacking)} {'has' if len(lacking) == 1 else 'have'} no factions yet."
        said.append(f"{who} Tap their Madness below, choose two, shuffle, draw five cards.")
    if state.lacking:
        more = "one more comes" if state.lacking == 1 else f"{state.lacking} more come"
        said.append(f"{state.plays_with}: {more}.")
    if said:
        yield Note("su-late", " ".join(said), "warn")
    yield from to_lay(state)


# --- the bases, from the first turn on ---


def board(state: State, *past: Piece) -> tuple[Piece, ...]:
    """What comes and goes stands in a grid that is always there: then nothing beside it is sent again."""
    seats = tuple((seat, bool(minions(state, seat.id))) for seat in state.table.seats)
    playing = state.stage == "play"
    around = seats, playing, playing and state.table.holder(state.player) is not None
    under_way = state.scoring or (state.after if state.leaving else None)
    scoring = under_way.base if under_way else 0
    bases = [_base(base, at, *around, scoring == base.id) for at, base in enumerate(state.bases, 1)]
    madness = Tap(f"{state.madness_deck} of {MADNESS} in the Madness deck")
    decks = Chips("su-decks", (madness, Tap(f"{len(state.base_deck)} in the base deck")), "Decks")
    return Grid("su-bases", tuple(bases)), Grid("su-below", (*_mind(state), decks, *past), 1)


@kept_on
def _base(base: Base, at: int, seats: Seats, playing: bool, held: bool, scoring: bool) -> Panel:
    """By its place on the table: where one is scored, just that is another. Its tray has who has what."""
    id, card, does, prizes = base.id, base.card, ability(base.card), base.card.prizes
    opens = Tap(f"Power at {card.name}", opens=f"held-{id}", id=f"open-{id}")
    tone: Tone = "warn" if base.ready or scoring else ""
    plays = (_plays(id, card.name, held),) if playing else ()
    rows = [_row(seat, id, base.at(seat.id), named) for seat, named in seats]
    fix = Bar(f"fix-{id}", (Tap("Correct the card", opens=f"card-{id}"),))
    text = f"Breaks at {card.breakpoint}, {prizes} VP. {does} {card.note}".strip()
    tray = Tray(f"held-{id}", card.name, (*rows, fix), text=text)
    pieces = (opens, _meter(base, seats, scoring, tone), *plays, tray)
    return Panel(f"place-{at}", pieces, card.name, does, tone=tone, tags=(prizes,))


def _meter(base: Base, seats: Seats, scoring: bool, tone: Tone) -> Meter:
    lacking = base.card.breakpoint - base.total
    note = "scoring" if scoring else "ready" if lacking <= 0 else f"{lacking} to go"
    held = [(seat, base.at(seat.id)) for seat, _ in seats if base.at(seat.id).here or base.at(seat.id).power]
    few = {0: "no minion", 1: ""}  # one is what power stands for
    shares = [Share(seat, has.power, detail=few.get(has.here, f"×{has.here}")) for seat, has in held]
    return Meter(f"meter-{base.id}", "power", tuple(shares), base.card.breakpoint, note, tone)


@remembered
def _plays(base: int, where: str, held: bool) -> Panel:
    """A minion in one tap, for the one whose turn it is; it names nobody, so no turn sends it again."""
    dos = {power: Do("play_minion", {"base": base, "power": power}) for power in POWERS}
    taps = [Tap(f"A minion of power {n} at {where}", do, short=str(n)) for n, do in dos.items()]
    row = Picker(f"plays-{base}", tuple(taps), look="faces")
    return Panel(f"turn-{base}", (row,), only="turn" if held else "players")


def minions(state: State, seat: int) -> list[tuple[str, int]]:
    """Those of a player's factions that are known by name."""
    return [each for name in state.factions_of(seat) for each in faction(name).minions]


@remembered
def _row(seat: Seat, base: int, held: Holding, named: bool) -> Panel:
    at, counts = f"{base}-{seat.id}", {"power": held.power, "minions": held.here}
    dos = {what: Do(f"count_{what}", {"seat": seat.id, "base": base}) for what in counts}
    counters = [Counter(f"{what}-{at}", what, n, dos[what], whom=seat.name) for what, n in counts.items()]
    by_name = (Tap("Play by name", opens=f"names-{at}"),) if named else ()
    return Panel(f"row-{at}", (*counters, _losing(seat, base), *by_name), seat.name, seat=seat)


@remembered
def _losing(seat: Seat, base: int) -> Picker:
    """A minion of theirs by its power; what happened to it is asked next."""
    at, one = f"{base}-{seat.id}", f"A minion of {seat.name}'s, power"
    taps = [Tap(f"{one} {power}", opens=f"gone-{at}-{power}", short=str(power)) for power in POWERS]
    return Picker(f"gone-{at}", tuple(taps), "Destroyed, moved, returned: power", "faces", 6)


def ability(card: Card, *when: str) -> str:
    """What it does and when; nothing if that is at another time."""
    due = card.ability and (not when or card.when in when)
    return WHEN.get(card.when, "") + card.ability if due else ""


def _mind(state: State) -> tuple[Piece, ...]:
    """What is easily forgotten in this phase."""
    said = [PHASES[max(state.phase, PLAY) - 1].reminder]
    if state.phase <= PLAY:
        starts = [base.card for base in state.bases if base.card.when == "start"]
        said += [HELP] if state.turn == 1 else []
        said += [f"{card.name}: {ability(card)}" for card in starts]
        said += [MAD] if any(state.madness.values()) else []
    text = " ".join(filter(None, said))
    return (Panel("su-mind", (), text=text, only="players"),) if text else ()
