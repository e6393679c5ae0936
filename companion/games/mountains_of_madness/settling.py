"""From the reveal to the Draw phase: nothing has to be said that follows from what was said.

Whatever is done about two Challenges whose results are known judges them first; when nothing is left to be
decided the phase ends, and after the third Escape tile the game. What the tile gives is here too: a Relic is
two taps, which and for whom, and a third for the first of its kind, to say which space its token covers.
"""

from collections.abc import Iterator
from functools import wraps
from typing import Any, Literal

from companion.core import Command, Context, Count, Events, Seat, SeatId, picks, refuse_if, replace
from companion.core.chains import facts
from companion.core.pieces import Note, Panel, Picker, Piece, Tap
from companion.games.mountains_of_madness import box, consequences, counting, rest
from companion.games.mountains_of_madness.consequences import InjuriesMoved, TokensMoved, too_mad
from companion.games.mountains_of_madness.state import Find, Resolving, State, _InTurn, evolve
from companion.tools.timer import TimerStarted, TimerStopped

Relic = Literal["", "specimen", "ruin", "knowledge"]
Spot = Literal["", "movement", "encounter", "resolution", "draw"]
REWARDS = box.SAID["rewards"]


class ResolutionEnded(_InTurn, during=("resolution",)):
    cards: int  # that were played
    injuries: int = 0  # among them

    def fold(self, state: State) -> State:
        """What was raised until this Draw phase may have left more in a hand than its limit."""
        refuse_if(why := state.now.unfinished, why)
        was = state.cards
        cards = replace(was, hands=max(0, was.hands - self.cards), discard=was.discard + self.cards)
        now = replace(state.now, searching=False, sand="", injured=0)
        over = state.surplus + state.more_held
        changed = {"stage": "draw", "cards": cards, "raised": (), "surplus": over, "now": now}
        return state.moving("injuries", "hands", "discard", self.injuries, **changed)


def settles(command: Command) -> Command:
    """For what is done about the Challenges: they are judged, it is done, and the table goes on."""

    @wraps(command)
    def settled(state: State, context: Context, **given: Any) -> Events:
        if state.stage == "resolution" and state.now.met is None:
            yield (judged := counting.judgement(state))
            state = judged.fold(state)
        for event in command(state, context, **given):
            yield event
            state = evolve(state, event)
        if state.stage == "resolution" and not (state.over or state.now.searching or state.now.unfinished):
            injuries = min(state.now.injured, state.injuries.hands)  # fewer, if they were put right meanwhile
            yield ResolutionEnded(state.turn, state.played, injuries)
            if state.place == "escape-3":
                yield rest.TurnEnded(state.turn)

    return settled


class RelicPlanned(_InTurn):
    what: Literal["kind", "seat", "space"]
    choice: str

    def fold(self, state: State) -> State:
        """Another Relic, or for somebody else: then its space is chosen anew."""
        refuse_if(not state.now.rewarding, "There is no reward to take.")
        chosen: Any = state.table.seat(int(self.choice)).id if self.what == "seat" else self.choice
        return state.with_turn(find=replace(state.now.find, **{"space": "", self.what: chosen}))


class RewardTaken(_InTurn, during=("resolution",)):
    reward: str

    def fold(self, state: State) -> State:
        refuse_if(not state.now.rewarding, "There is no reward to take.")
        now = replace(state.now, reward=self.reward, find=Find())
        if self.reward == "search":
            now = replace(now, searching=True, sand="due")
        if self.reward == "arcane":
            cards = replace(state.cards, discard=state.cards.discard + 1)
            state = replace(state, arcane=state.arcane + 1, cards=cards)
        return replace(state, now=now)


def _check(state: State) -> None:
    now = state.now
    refuse_if(now.reward, "The reward is taken already.")
    refuse_if(not any(now.met or ()), "No Challenge was met.")
    refuse_if(not now.tile, "A space without a tile gives no reward.")
    refuse_if(now.penalties, box.DIE_FIRST)


def _taken(state: State, turn: int, reward: str, why_not: str = "") -> Events:
    _check(state)
    refuse_if(why_not, why_not)
    yield RewardTaken(turn, reward)


@settles
def plan_relic(state: State, context: Context, turn: Resolving, kind: Relic = "", whom: SeatId = 0) -> Events:
    """Which it is and for whom: all phones see what follows."""
    _check(state)
    refuse_if(state.relic_count == box.RELICS, "All 11 Relics are found.")
    if kind and kind != state.now.find.kind:
        yield RelicPlanned(turn, "kind", kind)
    if whom and whom != state.now.find.seat:
        refuse_if(mad := too_mad(state, whom), f"{state.name(whom)} has {mad} and cannot be chosen.")
        yield RelicPlanned(turn, "seat", str(whom))


@settles
def take_relic(state: State, context: Context, turn: Resolving, whom: SeatId = 0, space: Spot = "") -> Events:
    """The card, its token and the Madness it brings, as it was shown."""
    _check(state)
    planned = state.now.find
    find = replace(planned, seat=whom or planned.seat, space=space or planned.space)
    covered = space and space in state.covered.get(find.seat, ())
    refuse_if(covered, f"{box.SAID['quoted'].get(space)} is covered on that board already.")
    chain = consequences.relic(state, find)
    refuse_if(not chain, "Choose which Relic, who takes it, and the space that its token covers.")
    mad = too_mad(state, find.seat)
    refuse_if(mad, f"{state.name(find.seat)} has {mad} and cannot be chosen.")
    yield RewardTaken(turn, "relic")
    yield from facts(chain)


@settles
def search(state: State, context: Context, turn: Resolving) -> Events:
    yield from _taken(state, turn, "search")
    yield TimerStarted("down", box.SAND, context.now)


@settles
def take_arcane(state: State, context: Context, turn: Resolving) -> Events:
    none = "There is no Arcane Equipment left: no box holds more than 11."
    yield from _taken(state, turn, "arcane", none if state.arcane == box.MOST_ARCANE else "")


def _nothing_to_heal(state: State) -> str:
    """What was played this turn lies on the sled until the phase ends."""
    if state.injuries.discard:
        return ""
    none = "No Injury lies in the Equipment discard"
    return f"{none}; those on the sled come there when this phase ends." if state.now.injured else f"{none}."


@settles
def heal(state: State, context: Context, turn: Resolving) -> Events:
    why = _nothing_to_heal(state)
    yield from _taken(state, turn, "heal", why and f"{why} So there is nothing to heal.")
    yield InjuriesMoved("discard", "supply")


@settles
def praise(state: State, context: Context, turn: Resolving, count: Count = 2) -> Events:
    _check(state)
    refuse_if(not 1 <= count <= 2, "Praise brings back one Leadership token or two.")
    refuse_if(count > state.tokens.discard, f"The discard holds {box.tokens(state.tokens.discard)}.")
    yield RewardTaken(turn, "praise")
    yield TokensMoved("discard", "sled", count)


@settles
def no_reward(state: State, context: Context, turn: Resolving) -> Events:
    """A reward that cannot be used is let go."""
    yield from _taken(state, turn, "none")


@settles
def judge(state: State, context: Context, turn: Resolving) -> Events:
    """Where a Confusion from the silence has to be measured, and nothing else is done about them."""
    yield from ()


def call_results(state: State, context: Context, turn: Resolving, first: bool, second: bool) -> Events:
    """At a glance."""
    refuse_if(state.now.met is not None, "The Challenges are judged already.")
    yield from judge(state.with_turn(by_hand=(first, second)), context, turn=turn)


@settles
def end_resolution(state: State, context: Context, turn: Resolving) -> Events:
    """Before the clock of a Search has run out, or where nothing was left to be decided from the start."""
    refuse_if(why := state.now.unfinished, why)
    if state.now.searching:
        yield TimerStopped()


def pieces(state: State) -> Iterator[Piece]:
    now = state.now
    if now.rewarding or (now.met is None and now.tile):
        text = f"{state.leads} takes what the tile shows, if it is of use."
        yield Panel("peak-reward", _choices(state), "Reward of the tile", text)
    elif now.reward in REWARDS:
        search = " 30 seconds, then the tile goes face down." if now.searching else ""
        yield Note("peak-rewarded", f"Reward taken: {REWARDS[now.reward]}.{search}", "done")


def _choices(state: State) -> tuple[Piece, ...]:
    """A Relic, step by step, with all that follows from it; or something else. Each place is kept."""
    find, kinds = state.now.find, box.RELIC_KINDS
    which = picks(state.do("plan_relic"), "kind", kinds, "peak-relic", marked=True, chosen=find.kind)
    pieces = [Picker("peak-relic", which, "A Relic", "faces", 3)]
    if find.kind:
        taps = tuple([_player(state, each) for each in state.table.seats])
        pieces.append(Picker("peak-relic-who", taps, "for", columns=2))
        if find.seat and not (consequences.space_of(state, find) or consequences.no_token(state, find)):
            why, where = dict.fromkeys(state.covered.get(find.seat, ()), "covered"), []
            for id, what in box.SPACES.items():
                do, no = state.do("take_relic", space=id), why.get(id, "")
                where.append(Tap(id.capitalize(), do, what, why_not=no, id=f"peak-relic-on-{id}"))
            title = "Its token covers, as printed on the board"
            pieces.append(Picker("peak-relic-where", tuple(where), title, columns=2))
    return *pieces, _others(state)


def _player(state: State, seat: Seat) -> Tap:
    """What it would mean for them; where all of that is known, the tap does it."""
    find = replace(state.now.find, seat=seat.id)
    chain, alone = consequences.relic(state, find), consequences.no_token(state, find)
    loses = next((link.text for link in chain if link.lost), "")
    price = "a Leadership token pays" if state.all_mad else deeper(state.level(seat.id))
    covers = box.SPACES.get(consequences.space_of(state, find), "")
    covered = alone or (covers and f"covers “{covers}”")
    do = state.do("take_relic" if chain else "plan_relic", whom=seat.id)
    detail = ", ".join(filter(None, (price, covered)))
    on, id, sure = state.now.find.seat == seat.id, f"peak-relic-for-{seat.id}", loses and f"{loses} Really?"
    return Tap(
        seat.name,
        do,
        detail,
        why_not=too_mad(state, seat.id),
        on=on,
        seat=seat,
        confirm=sure,
        id=id,
    )


def deeper(level: int) -> str:
    return f"level\u00a0{level}\u00a0→\u00a0{level + 1}" if level < box.LEVELS else ""


def _others(state: State) -> Picker:
    do, left, hurt = state.do, box.ARCANE - state.arcane, box.injuries(state.injuries.discard)
    count = f"{left} left by our count" if left > 0 else "none left by our count, but your box may hold more"
    no_more = "No box holds more than 11." if state.arcane == box.MOST_ARCANE else ""
    back = {n: f"{box.tokens(n)} back to the sled" for n in range(min(2, state.tokens.discard), 0, -1)}
    praises = [Tap("Praise", do("praise", count=n), words) for n, words in back.items()]
    taps = (
        Tap("Search", do("search"), "30 seconds for a face-down tile"),
        Tap("Arcane Equipment", do("take_arcane"), f"to the discard; {count}", why_not=no_more),
        Tap("Heal", do("heal"), f"1 of {hurt} in the discard", why_not=_nothing_to_heal(state)),
        *(praises or [Tap("Praise", do("praise"), why_not="No Leadership token lies in the discard.")]),
        Tap("No reward", do("no_reward"), "there is none, or it is of no use"),
    )
    return Picker("peak-others", taps, "or", columns=2)
