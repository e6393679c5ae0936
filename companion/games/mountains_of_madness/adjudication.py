"""Whether the expedition was a success, and why: Relics against Injuries, or one of two sudden ends."""

from operator import attrgetter
from typing import Annotated

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as strict

from companion.core import START, Scores, Step, Table, Verdict, kept_while, refuse_if, replace
from companion.core.text import Bounds, Name, capital, counted, plain
from companion.games.mountains_of_madness import box
from companion.games.mountains_of_madness.state import Injuries, Leadership, State

ESCAPE = 3
DECIDES = ("table.seats", "table.choices", "stage", "out", "undrawn", "relics", "injuries", "tokens")


def band(difference: int) -> str:
    return next(words for least, words in box.SAID["bands"].items() if difference >= int(least))


def suffered(state: State) -> tuple[int, Step]:
    """The Injuries that count, by the reading this table chose."""
    injuries, chosen = state.injuries, box.INJURIES_COUNTED.chosen(state.table)
    printed = injuries.supply + injuries.discard + injuries.hands
    count = printed if chosen == "printed" else box.INJURIES - injuries.supply
    words = box.SAID["counted"][chosen].format(box=box.INJURIES, count=count, **vars(injuries))
    return count, Step(words, "which-injuries")


@kept_while(attrgetter(*DECIDES))
def adjudicate(state: State) -> Verdict:
    """By all that decides the game."""
    table, relics, tokens = state.table, state.relic_count, state.tokens
    ends, is_so = box.SAID["ends"], {"last-token": not tokens.left, "no-injury-left": state.undrawn}
    if lost := [because for because in ends if is_so[because]]:
        steps = tuple(Step(capital(ends[because]), because) for because in lost)
        return Verdict("loss", f"The expedition is lost: {ends[lost[0]]}", (), steps)
    if state.stage == "setup":
        return Verdict("continues", "The expedition has not begun.")
    injuries, which = suffered(state)
    difference, tie_wins = relics - injuries, box.TIES.chosen(table) == "as-many"
    success = difference > 0 or (difference == 0 and tie_wins)
    words = band(difference if success else -1)  # a tie that is not enough is a failure
    enough = "as many Relics as Injuries are enough" if tie_wins else "it takes more Relics than Injuries"
    found = Step(f"Relics in front of you: {relics}.", "relics-counted")
    result = Step(f"{relics} − {injuries} = {plain(difference)}: {words}.", "results")
    tie = Step(f"The manual contradicts itself on a tie; at this table {enough}.", "tie")
    steps = found, which, result, tie
    compared = f"{counted(relics, 'Relic')}, {box.injuries(injuries)}"
    if not state.out:
        now, left = "succeed" if success else "fail", counted(tokens.left, "Leadership token")
        summary = f"The expedition goes on: {compared}, {left} left. If it ended now, you would {now}."
        return Verdict("continues", summary, (), steps)
    out = Step("The turn on the third Escape tile is over, so the game ends.", "escape")
    if not success:
        level = "" if difference else " A tie is not enough here."
        return Verdict("loss", f"Out of the mountains, but a failure: {compared}.{level}", (), (out, *steps))
    return Verdict("win", f"You made it: {compared}. {capital(words)}.", table.ids, (out, *steps))


Injury = Annotated[int, Bounds(ge=0, le=box.INJURIES)]
Token = Annotated[int, Bounds(ge=0, le=box.TOKENS)]
closed = strict(config=ConfigDict(extra="forbid"))


@closed
class InjuriesTallied:
    injury_deck: Injury
    equipment_deck: Injury
    equipment_discard: Injury
    hands: Injury


@closed
class TokensTallied:
    sled: Token
    discard: Token
    box: Token


def tally(
    table: Table,
    players: tuple[Name, ...],
    escape_tiles: Annotated[int, Bounds(ge=0, le=ESCAPE)],
    relics: Annotated[int, Bounds(ge=0, le=box.RELICS)],
    injuries: InjuriesTallied,
    leadership: TokensTallied,
    injury_draw_failed: bool,
) -> Verdict:
    """`escape_tiles`: those that the expedition has come through, the turn on them included."""
    counted_up = {"Injuries": (injuries, box.INJURIES), "Leadership tokens": (leadership, box.TOKENS)}
    for what, (piles, most) in counted_up.items():
        total = sum(vars(piles).values())
        refuse_if(total != most, f"There are {most} {what} in the box; the tally has {total}.")
    failed = f"No draw can have failed while the Injury deck holds {counted(injuries.injury_deck, 'card')}."
    refuse_if(injury_draw_failed and injuries.injury_deck, failed)
    tokens, out = Leadership(*vars(leadership).values()), escape_tiles == ESCAPE
    ended = State(table, stage="movement", tokens=tokens, undrawn=injury_draw_failed, out=out)
    found = {table.ids[0]: ("",) * relics}  # whoever has them, and of whatever kind
    return adjudicate(replace(ended, injuries=Injuries(*vars(injuries).values()), relics=found))


def scores(state: State) -> Scores:
    """What decides is the table's, turn by turn. How mad each became is worth telling, but no score."""
    levels = {seat: state.levels.get(seat, 0) for seat in state.table.ids}
    dealt = state.stage == "setup" or (state.turn, state.stage) == (1, "movement")
    when = START if dealt else f"Turn {state.turn}"
    together = {"Relics": state.relic_count, "Injuries": suffered(state)[0]}
    together |= {"Leadership tokens": state.tokens.left}
    beside = {seat: f"Madness {level}" if level else "no Madness" for seat, level in levels.items()}
    return Scores({when: levels}, "Madness", True, decide=False, beside=beside, together=together)
