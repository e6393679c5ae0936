"""Won or lost together: everyone alive and the boss beaten, or one death and it is over."""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated

from companion.core import START, Bounds, Scores, Step, Table, Verdict, counted, kept_while, listed, refuse_if
from companion.core.tally import Player
from companion.games.escape_the_dark_castle.box import BOSS, CHAPTERS, HEALTH, HOUSE_RULES
from companion.games.escape_the_dark_castle.state import State

Done = Annotated[int, Bounds(ge=0, le=CHAPTERS)]


def judge(table: Table, health: Mapping[str, int], chapters_done: int, boss_beaten: bool) -> Verdict:
    """By what everyone's health is, by name."""
    cap = HEALTH[len(table.seats)]
    steps = [Step(f"{name}: {n} of {cap} health.", "health-by-count") for name, n in health.items()]
    steps.append(Step(f"{chapters_done} of {CHAPTERS} chapters are done.", "fifteen-chapters"))
    ours = [rule.step(table) for rule in HOUSE_RULES if not rule.is_usual(table)]
    if died := listed([name for name, n in health.items() if n <= 0]):
        last = Step(f"{died} died: one death ends the game for all.", "any-death")
        return Verdict("loss", f"The castle keeps you: {died} died.", (), (*steps, last, *ours))
    if boss_beaten:
        last = Step("The boss is beaten and everyone is alive: all win together.", "all-alive")
        summary = "You are free! The boss is beaten, and everyone is alive."
        return Verdict("win", summary, table.ids, (*steps, last, *ours))
    ahead, last = CHAPTERS - chapters_done, Step("The boss comes last.", "boss-last")
    to_go = f"{counted(ahead, 'chapter')} and the boss stand" if ahead else "Only the boss stands"
    return Verdict(
        "continues", f"Everyone is alive. {to_go} between you and the way out.", (), (*steps, last)
    )


@kept_while(attrgetter("table.seats", "table.choices", "party", "begun", "chapters"))
def adjudicate(state: State) -> Verdict:
    if not state.begun:
        return Verdict("continues", "The escape has not begun.")
    health = {state.named(hero.id): hero.health for hero in state.heroes}
    return judge(state.table, health, min(CHAPTERS, state.done), state.stage == "escaped")


@dataclass(frozen=True)
class Alive(Player):
    hp: Annotated[int, Bounds(ge=-99, le=max(HEALTH.values()))]  # 0 or below is dead


def tally(table: Table, chapters_done: Done, boss_defeated: bool, players: tuple[Alive, ...]) -> Verdict:
    """A lone player gives the weaker of the two characters, or both as two players: the cap is the same."""
    cap = HEALTH[len(players)]
    most = f"can be at most {cap} with {counted(len(players), 'player')}"
    for at, each in enumerate(players):
        refuse_if(each.hp > cap, f"players[{at}].hp {most}; the tally says {each.hp}.")
    unmet = f"The boss lies beneath {CHAPTERS} chapters; after {chapters_done} nobody has met it."
    refuse_if(boss_defeated and chapters_done < CHAPTERS, unmet)
    return judge(table, {each.name: each.hp for each in players}, chapters_done, boss_defeated)


def scores(state: State) -> Scores:
    """Health, chapter by chapter; of one who plays two characters, the weaker's."""
    least = {id: min((hero.health for hero in state.of(id)), default=state.cap) for id in state.table.ids}
    label = f"Chapter {state.chapter}" if state.chapter else START
    label = "Boss" if state.chapter == BOSS and state.edition > 1 else label
    return Scores({label: least}, "health", decide=False)
