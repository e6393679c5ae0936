"""The way through the castle: fifteen steps and the boss, and how fast the group gets on."""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.escape_the_dark_castle.box import BOSS, CHAPTERS
from companion.games.escape_the_dark_castle.state import Chapter, State

MINUTE = 60_000


@dataclass(frozen=True)
class Turned:
    """A card on the way, with what there is to say about it."""

    number: int
    name: str
    you: str
    minutes: str
    note: str
    done: bool


@dataclass(frozen=True)
class Path:
    steps: tuple[str, ...]  # done, open, next, ahead; the last is the boss
    spoken: str
    pace: str
    turned: tuple[Turned, ...]  # the newest first


def path(state: State) -> Path:
    done = sum(1 for each in state.chapters if each.done)
    return Path(
        steps=tuple(_step(number, done, state.chapter) for number in range(1, BOSS + 1)),
        spoken=f"{min(done, CHAPTERS)} of {CHAPTERS} chapters done, then the boss",
        pace=_pace(state, done),
        turned=tuple(_turned(state, each) for each in reversed(state.chapters)),
    )


def _step(number: int, done: int, turned: int) -> str:
    if number <= done:
        return "done"
    if number == turned:
        return "open"
    return "next" if number == done + 1 else "ahead"


def _pace(state: State, done: int) -> str:
    """Minutes and health for each chapter so far, and what that means for the rest."""
    total = sum(hero.health for hero in state.party)
    words = [f"{min(done, CHAPTERS)} of {CHAPTERS} chapters"]
    if done:
        last = state.chapters[done - 1]
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


def _turned(state: State, each: Chapter) -> Turned:
    hero = state.hero(each.you)
    return Turned(
        each.number,
        "Boss" if each.number == BOSS else f"Chapter {each.number}",
        hero.name if state.quota > 1 else state.table.seat(hero.seat).name,
        _minutes((each.done - each.turned) / MINUTE) if each.done else "open",
        state.notes.get(each.number, ""),
        bool(each.done),
    )
