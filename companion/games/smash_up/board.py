"""What lies on the table: factions and bases before the first turn, then the bases and what a tap opens."""

from companion.core import Counter, Do, Phase, Seat, Tap, kept_on, remembered, replace
from companion.core.checklist import checklist
from companion.core.pieces import Bar, Chips, Grid, Meter, Note, Panel, Picker, Piece, Share, Tone, Tray
from companion.games.smash_up import cards
from companion.games.smash_up.cards import HINTS, SAYS, SETS, Card, faction
from companion.games.smash_up.state import CHECKLIST, EACH, PLAY, Base, Holding, State

POWERS = range(1, 7)  # one tap each; other powers are counted with + or typed
Seats = tuple[tuple[Seat, bool], ...]  # and whether their minions are known by name


def setting_up(state: State) -> Phase:
    here, lacking = len(state.bases) == state.wanted, state.undecided
    sure = SAYS["sure"](state) if lacking and here else ""
    start = Tap("Start the game", Do("begin_game"), strong=here and not lacking, confirm=sure)
    many, known = len(state.table.seats), all(faction(name).set == cards.THIS_SET for name in state.played)
    alone = Note("su-warning", HINTS["alone"].format(players=many, needed=many * EACH), "warn")
    return Phase("Set up", SAYS["waits"](state), (start,), "setup", (alone,) if many > 2 and known else ())


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
    boxes = {set: tuple(tap(each.name) for each in cards.FACTIONS if each.set == set) for set in SETS}
    known = [Picker(f"set-{set}-{seat.id}", taps, SETS[set], "chips") for set, taps in boxes.items() if taps]
    return (*known, Bar(f"other-{seat.id}", (*typed, other)))


def _laid(base: Base) -> Panel:
    id, card = base.id, base.card
    fix = (Tap("Correct", opens=f"card-{id}"), Tap("Put it back", Do("put_back_base", {"base": id})))
    numbers = (f"breaks at {card.breakpoint}", card.prizes)
    return Panel(f"base-{id}", (Bar(f"fix-{id}", fix),), card.name, card.does(), tags=numbers)


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
    boxes = {SETS[set]: [card for card in cards.BASES if card.set == set] for set in state.used}
    boxes |= {"Typed in": list(state.typed.values())} if state.typed else {}

    def tap(card: Card) -> Tap:
        detail = f"{card.breakpoint} · {card.prizes} VP" + (", scored" if card.id in state.discards else "")
        there = "in play" if card.id in state.in_play else ""
        return Tap(card.name, do.also(card=card.id), detail, why_not=there)

    of_boxes = enumerate(boxes.items())
    rows = [Picker(f"{id}-{n}", tuple(map(tap, each)), name, "cards", 3) for n, (name, each) in of_boxes]
    return Tray(id, title, tuple(rows))


def late(state: State) -> tuple[Piece, ...]:
    """What a game that is under way lacks since more people play it."""
    words = SAYS["late"](state)
    return (Note("su-late", words, "warn"), *to_lay(state)) if words else to_lay(state)


def below(state: State, *past: Piece) -> Grid:
    """What comes and goes stands in a grid that is always there: then nothing beside it is sent again."""
    madness = Tap(f"{state.madness_deck} of {cards.MADNESS} in the Madness deck")
    decks = Chips("su-decks", (madness, Tap(f"{len(state.base_deck)} in the base deck")), "Decks")
    return Grid("su-below", (*_mind(state), decks, *past), 1)


@kept_on
def base_at(base: Base, at: int, seats: Seats, playing: bool, held: bool, scoring: bool) -> Panel:
    """By its place on the table: where one is scored, just that is another. Its tray has who has what."""
    tone: Tone = "warn" if base.ready or scoring else ""
    laid, tray = _bare(at, base.id, base.card, playing, held)
    rows = [_row(seat, base.id, base.at(seat.id), named) for seat, named in seats]
    (opens, *plays), tray = laid.pieces, replace(tray, pieces=(*rows, *tray.pieces))
    return replace(laid, pieces=(opens, _meter(base, seats, scoring, tone), *plays, tray), tone=tone)


@remembered
def _bare(at: int, id: int, card: Card, playing: bool, held: bool) -> tuple[Panel, Tray]:
    """Whatever power is there. Who plays there in one tap is not named, so no turn sends that again."""
    opens = Tap(f"Power at {card.name}", opens=f"held-{id}", id=f"open-{id}")
    dos = {power: Do("play_minion", {"base": id, "power": power}) for power in POWERS}
    taps = [Tap(f"A minion of power {n} at {card.name}", do, short=str(n)) for n, do in dos.items()]
    row = Picker(f"plays-{id}", tuple(taps), look="faces")
    plays = (Panel(f"turn-{id}", (row,), only="turn" if held else "players"),) if playing else ()
    text = f"Breaks at {card.breakpoint}, {card.prizes} VP. {card.does()} {card.note}".strip()
    fix = Bar(f"fix-{id}", (Tap("Correct the card", opens=f"card-{id}"),))
    laid = Panel(f"place-{at}", (opens, *plays), card.name, card.does(), tags=(card.prizes,))
    return laid, Tray(f"held-{id}", card.name, (fix,), text=text)


def _meter(base: Base, seats: Seats, scoring: bool, tone: Tone) -> Meter:
    lacking = base.card.breakpoint - base.total
    note = "scoring" if scoring else "ready" if lacking <= 0 else f"{lacking} to go"
    few = {0: "no minion", 1: ""}  # one is what power stands for
    held = [(seat, has) for seat, _ in seats if (has := base.held.get(seat.id)) and (has.here or has.power)]
    shares = [Share(seat, has.power, detail=few.get(has.here, f"×{has.here}")) for seat, has in held]
    return Meter(f"meter-{base.id}", "power", tuple(shares), base.card.breakpoint, note, tone)


def minions(state: State, seat: int) -> list[tuple[str, int]]:
    """Those of a player's factions that are known by name."""
    return [each for name in state.factions_of(seat) for each in faction(name).minions]


@remembered
def _row(seat: Seat, base: int, held: Holding, named: bool) -> Panel:
    id, name, counts = seat.id, seat.name, (("power", held.power), ("minions", held.here))
    counters = [_counter(what, id, base, name, n) for what, n in counts]
    return Panel(f"row-{base}-{id}", (*counters, *_losing(id, base, name, named)), name, seat=seat)


@remembered
def _counter(what: str, seat: int, base: int, whom: str, now: int) -> Counter:
    do = Do(f"count_{what}", {"seat": seat, "base": base})
    return Counter(f"{what}-{base}-{seat}", what, now, do, whom=whom)


@remembered
def _losing(seat: int, base: int, name: str, named: bool) -> tuple[Piece, ...]:
    """A minion of theirs by its power; what happened to it is asked next."""
    at, one = f"{base}-{seat}", f"A minion of {name}'s, power"
    taps = [Tap(f"{one} {power}", opens=f"gone-{at}-{power}", short=str(power)) for power in POWERS]
    gone = Picker(f"gone-{at}", tuple(taps), "Destroyed, moved, returned: power", "faces", 6)
    return (gone, Tap("Play by name", opens=f"names-{at}")) if named else (gone,)


def _mind(state: State) -> tuple[Piece, ...]:
    """What is easily forgotten in this phase."""
    sentences = [state.doing.reminder]
    if state.phase <= PLAY:
        starts = [base.card for base in state.bases if base.card.when == "start"]
        sentences += [HINTS["help"]] if state.turn == 1 else []
        sentences += [f"{card.name}: {card.does()}" for card in starts]
        sentences += [HINTS["mad"]] if any(state.madness.values()) else []
    text = " ".join(filter(None, sentences))
    return (Panel("su-mind", (), text=text, only="players"),) if text else ()
