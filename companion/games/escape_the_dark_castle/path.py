"""The way through the castle: fifteen steps and the boss, and how fast the group gets on."""

from __future__ import annotations

from functools import lru_cache

from companion.core import Tap
from companion.core.pieces import Fold, Note, Picker, Stage, Steps
from companion.core.pieces import State as Done
from companion.core.text import capital
from companion.games.escape_the_dark_castle.box import BOSS, CHAPTERS, chapter_name
from companion.games.escape_the_dark_castle.state import Chapter, State

MINUTE = 60_000


@lru_cache(2 * BOSS)
def steps(done: int, turned: int) -> Steps:
    spoken = f"{min(done, CHAPTERS)} of {CHAPTERS} chapters done, then the boss"
    return Steps("castle-steps", spoken, tuple(_step(n, done, turned) for n in range(1, BOSS + 1)))


def _step(number: int, done: int, turned: int) -> Stage:
    how: Done = "done" if number <= done else "now" if number == turned else "next"
    return Stage("Boss" if number == BOSS else "", how, title=capital(chapter_name(number)))


def way(state: State) -> Fold:
    """Card by card, the newest first; each can be noted on."""
    rows: Picker | Note = Note("castle-turned", "No card is turned yet.")
    if turned := tuple(_turned(state, each) for each in reversed(state.chapters)):
        rows = Picker("castle-turned", turned, look="rows")
    return Fold("castle-way", "The way so far", (Note("castle-pace", pace(state)), rows))


def pace(state: State) -> str:
    """Minutes and health for each chapter so far, and what that means for the rest."""
    done = state.done
    words = [f"{min(done, CHAPTERS)} of {CHAPTERS} chapters"]
    if done:
        last, total = state.chapters[done - 1], sum(hero.health for hero in state.party)
        each = (last.done - state.begun) / MINUTE / done
        lost = (state.cap * len(state.party) - last.health) / done
        words.append(f"{_minutes(each)} a chapter")
        if lost > 0:
            words.append(f"{lost:.1f} health a chapter, {total} left")
        if done < CHAPTERS and each * (CHAPTERS - done) >= 1:
            words.append(f"about {_minutes(each * (CHAPTERS - done))} to the boss")
    return " · ".join(words)


def _minutes(minutes: float) -> str:
    return "under 1 min" if minutes < 1 else f"{round(minutes)} min"


def _turned(state: State, each: Chapter) -> Tap:
    hero = state.hero(each.you)
    you = hero.name if state.quota > 1 else state.table.seat(hero.seat).name
    minutes = _minutes((each.done - each.turned) / MINUTE) if each.done else "open"
    name, note = "Boss" if each.number == BOSS else f"Chapter {each.number}", state.notes.get(each.number)
    said, mark = f"{you}, {minutes}{f': {note}' if note else ''}", "" if note else "edit"
    return Tap(name, detail=said, mark=mark, opens=f"note-{each.number}", id=f"way-{each.number}")
