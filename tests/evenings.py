"""Evenings of any game, tapped at random but always the same for one seed."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator
from functools import cache

from at_the_table import Evening
from test_every_game import CAST, GAMES, SAID

from companion.core import Context, Entry, Refused
from companion.core.command import parameters
from companion.core.decide import decide

SEEDS = [(slug, seed) for slug in GAMES for seed in range(3)]


class Dice:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def roll(self, faces: int) -> int:
        return self.chance.randint(1, faces)

    def choose(self, among):
        return self.chance.choice(list(among))

    def shuffle(self, order):
        return tuple(self.chance.sample(list(order), len(order)))


@cache
def wild_evening(slug: str, seed: int, taps: int = 120) -> Evening:
    """Ends with somebody ending it, whatever state the game is in by then. Only to be looked at."""
    chance, game = random.Random(f"{slug} {seed}"), GAMES[slug]
    evening = Evening(game, *CAST[: chance.choice(game.seats)])
    for command, form in _asked(evening, chance, taps):
        evening.now += 20_000
        try:
            events = decide(evening.journal, command, form, Context(evening.now, Dice(chance), 1))
        except Refused:
            continue
        version = evening.journal.version + 1
        evening.journal.add(Entry(version, secrets.token_hex(8), "", 1, command, evening.now, events))
    if not evening.table.tools.get("ending"):
        evening.do("end_sitting")
    return evening


def _asked(evening: Evening, chance: random.Random, taps: int) -> Iterator[tuple[str, dict[str, list[str]]]]:
    game = evening.journal.game
    yield "roll_dice", {"throw_what": ["2d6"]}
    for _ in range(taps):
        on_the_page = list(evening.view.taps())
        meant = {name: str(value) for do, _ in on_the_page for name, value in do.args.items()}
        name = chance.choice([*game.by_name, *[do.command for do, _ in on_the_page] * 2])
        form = {asked: [meant.get(asked, chance.choice(SAID))] for asked in parameters(game.by_name[name])}
        for do, asked in on_the_page:
            if do.command == name and chance.random() < 0.8:
                form = {key: [str(value)] for key, value in do.args.items()}
                form |= {key: [chance.choice(SAID[:6])] for key in asked}
                break
        yield name, form
