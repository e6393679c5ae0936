"""A whole game of each room, tapped from the first card to its verdict, and ends that come all at once.

Each is a script of real commands. It is played once; what it tapped is kept beside the journal, so that the
same game can be tapped again on phones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from at_the_table import Evening, LoadedDice
from brought import brought

from companion.core import Entry, Journal, Question
from companion.evenings.archive import journal_json
from companion.games import shelf
from companion.sittings.sitting import Sitting, hash_of
from companion.storage.store import SittingRow
from companion.tools.teaching import Card, cards, taught
from companion.tools.timer import timer

GAMES = shelf()
CAST = ("Ada", "Bartholomew the Unready", "Zoë", "Dov & Söhne 名前", "Eve")
TOKENS = ("a" * 64, "b" * 64, "d" * 64)  # Ada's phone, which plays for all but one; the other; the display
Tap = tuple[str, dict[str, object]]


class Played(Evening):
    """An evening that remembers what was tapped. Two phones and a display; a tap every half minute."""

    def __init__(self, slug: str, players: int, **more: Any) -> None:
        super().__init__(GAMES[slug], *CAST[:players], **more)
        self.dice = LoadedDice(*range(1, 7), *range(1, 7))
        self.taps: list[Tap] = []
        self.join("", 2)
        self.do("be_display", phone=self.join())
        self.taps.clear()  # sitting down is no part of the game

    @property
    def slug(self) -> str:
        return self.journal.game.slug

    def as_journal(self, code: str, without: int = 0) -> str:
        """As it would have been exported, with its phones; `without` the last few taps."""
        journal = self.journal
        if without:  # an evening of its own: of one that goes on like this all may be here already
            first, *others = journal.entries[:-without]
            journal = Journal(journal.game, [replace(first, tap=f"opened-{code}"), *others])
        opened = self.journal.entries[0].at
        row = SittingRow(
            code=code, slug=self.slug, secret="s3cr3tS3cr3t", tap="x", version=0, opened_at=opened
        )
        phones = {hash_of(token): number for number, token in enumerate(TOKENS, 1)}
        return journal_json(Sitting(row, journal.game, journal), phones)

    def do(self, command: str, phone: int = 1, **given: object) -> Entry:
        self.now += 29_000
        entry = super().do(command, phone, **given)
        self.taps.append((command, given if phone == 1 else {**given, "phone": phone}))
        return entry

    def all(self, command: str, *each: dict[str, object], **same: object) -> None:
        for given in each:
            self.do(command, **given, **same)


def any_game(table: Played) -> None:
    """Bartholomew comes from behind."""
    table.do("roll_dice", throw_what="2d6")
    for round, points in enumerate(((3, 5, 1), (6, 1, 0), (2, 9, 4), (5, 3, 3)), 1):
        for seat, by in enumerate(points, 1):
            if by:
                table.do("count", seat=seat, counter="1", by=by, round=round)
        if round < 4:
            table.do("next_round", after=round)
    table.do("end_game")


def _asked(table: Played) -> list[int]:
    """The seats that have something to decide."""
    return [each.seat for each in table.view.phase.first if isinstance(each, Question)]


def smash(table: Played) -> None:
    """Ten bases; Ada is the first beyond fifteen, but her Madness is dear."""
    for n, name in enumerate(("Zombies", "Ninjas", "Pirates", "Robots", "Wizards", "Aliens")):
        table.do("choose_faction", seat=n // 2 + 1, faction=name)
    laid = ("mountains-of-madness", "plateau-of-leng", "innsmouth", "the-asylum")
    for n, card in enumerate(laid):
        table.do("lay_base", card=card, have=n)
    table.do("begin_game")
    more = ["rlyeh", "the-homeworld", "jungle-oasis", "ninja-dojo", "rhodes-plaza-mall", "antarctic-base"]
    powers = ((16, 9, 0), (2, 15, 8), (5, 4, 17), (9, 9, 7), (3, 18, 4), (16, 4, 9), (20, 11, 4), (9, 3, 21))
    for turn, power in enumerate(powers, 1):
        base = table.state.bases[0 if turn % 2 else 1]
        for seat, by in enumerate(power, 1):
            if by:
                table.do("count_power", seat=seat, base=base.id, by=by)
        if turn % 2 == 0:
            table.do("draw_madness", seat=1, cards=2)
        if sum(power) >= base.card.breakpoint:
            _score(table, base, more.pop(0))
        _end_turn(table)
        if table.verdict.final:
            return
    for seat, by in ((1, 2), (2, 3)):
        table.do("count_vp", seat=seat, by=by, reason="an action")
    _end_turn(table)


def _score(table: Played, base: Any, new: str) -> None:
    number = table.state.number
    table.do("begin_scoring", base=base.id, number=number)
    table.do("score_base", base=base.id, number=number)
    table.do("replace_base", base=base.id, number=number, card=new)


def _end_turn(table: Played) -> None:
    table.do("end_turn", turn=table.state.turn)


HEROES = ("abbot", "cook", "miller", "smith")


def castle(table: Played) -> None:
    """Fifteen chapters and a boss; the Cook gets out with three health."""
    for seat, hero in enumerate(HEROES, 1):
        table.do("choose_character", seat=seat, hero=hero)
    table.do("begin_escape")
    wounds = {2: (2, -3), 4: (1, -2), 5: (2, -4), 7: (4, -6), 9: (2, -2), 10: (3, -5), 13: (1, -4)}
    for chapter in range(1, 17):
        _turn_card(table, chapter)
        if chapter in wounds:
            seat, by = wounds[chapter]
            table.do("change_health", seat=seat, hero=HEROES[seat - 1], by=by)
        if chapter == 3:
            table.do("draw_item", name="Rusty sword")
        if chapter == 16:
            _beat_the_boss(table)
        table.do("finish_chapter", number=chapter)


def _turn_card(table: Played, chapter: int) -> None:
    seat = chapter % 4
    table.do("turn_card", number=chapter, hero=HEROES[seat])


def _beat_the_boss(table: Played) -> None:
    table.do("begin_fight", number=16)
    for trait in ("might", "might", "wisdom"):
        table.do("lay_die", trait=trait)
    table.do("join_fight")
    for seat, face in ((1, 1), (2, 1), (3, 1), (4, 1)):
        table.do("roll_die", seat=seat, hero=HEROES[seat - 1], round=1, face=face)
    table.do("settle_round", round=1)
    if table.state.fight:
        table.do("end_fight", won="yes")


WAY = ("coast", "coast", "mountain", "mountain", "city", "city", "edge", "escape-1", "escape-2", "escape-3")


def climb(table: Played) -> None:
    """Ten turns up and out, with a Relic wherever there is one."""
    table.do("begin")
    for turn, to in enumerate(WAY, 1):
        _to_price(table, turn, to, second="no" if turn in (3, 6) else "yes")
        if turn in (3, 6):
            table.do("pay_with_madness", turn=turn, which=1, whom=turn // 3 + 1)
        if turn <= 6:
            kind, whom = ("specimen", "ruin", "knowledge")[turn % 3], (2, 3, 4, 5, 1, 4)[turn - 1]
            table.do("plan_relic", turn=turn, kind=kind)
            table.do("plan_relic", turn=turn, whom=whom)
            space = "" if whom in table.state.covered else ("movement", "encounter", "draw")[turn % 3]
            table.do("take_relic", turn=turn, space=space)
        else:
            table.do("no_reward", turn=turn)
        if to != "escape-3":
            table.do("deal", turn=turn, rest="no")


def _to_price(table: Played, turn: int, to: str, second: str = "yes") -> None:
    table.do("move", turn=turn, to=to)
    table.do("flip", turn=turn)
    if turn == 4:  # the tile is entered, and the cards are counted
        for kind in ("tools", "crates"):
            table.do("ask_kind", turn=turn, kind=kind)
            table.do("read_challenge", turn=turn, kind=kind, value="9-11")
    table.now = max(table.now, timer(table.table).until)
    table.do("resolve", turn=turn)
    if turn != 4:
        table.do("call_results", turn=turn, first="yes", second=second)
        return
    for kind in ("tools", "crates"):
        table.do("show_card", turn=turn, kind=kind, value=6)
        table.do("show_card", turn=turn, kind=kind, value=4)


def wisdom(table: Played) -> None:
    """Six turns, cards in three Learning Areas; in the end two are level at the top."""
    table.do("begin_game")
    for seat, card in ((1, "Ghoul"), (1, "Lagh Metal"), (2, "Silver Key"), (3, "Henry Armitage")):
        table.do("take_card", seat=seat, card=card)
    gains = ((4, 2, 0, 1), (3, 6, 2, 0), (5, 1, 8, 2), (2, 4, 3, 7), (6, 2, 1, 3), (1, 6, 4, 2))
    for turn, points in enumerate(gains, 1):
        if table.state.phase == "preparation":
            table.do("finish_preparation", turn=turn)
        while table.state.declarer:
            seat, lap = table.state.declarer
            table.do("declare", seat=seat, turn=turn, lap=lap, count=0)
        for seat, by in enumerate(points, 1):
            if by:
                table.do("count", seat=seat, turn=turn, by=by)
        table.do("end_research", turn=turn)
        table.do("close_turn", turn=turn)


def nine_madness(table: Played) -> None:
    table.do("score_by_hand", round=1)
    for round, (ada, bob) in enumerate((((20, 4), (18, 3)), ((15, 5), (21, 3))), 1):
        table.do("enter_round", seat=1, round=round, vp=ada[0], madness=ada[1])
        table.do("enter_round", seat=2, round=round, vp=bob[0], madness=bob[1])
        for seat in _asked(table):
            table.do("choose_bonus", seat=seat, round=round, choice="points")


def both_lost(table: Played) -> None:
    """Level all the way, so there is no bonus; nine each in the last round."""
    table.do("begin_round", after=0)
    table.do("score_by_hand", round=1)
    for round, icons in enumerate((4, 4, 1), 1):
        for seat in (1, 2):
            table.do("enter_round", seat=seat, round=round, vp=10 * seat, madness=icons)


def no_health(table: Played) -> None:
    for seat, hero in enumerate(HEROES[:3], 1):
        table.do("choose_character", seat=seat, hero=hero)
    table.do("begin_escape")
    _turn_card(table, 1)
    table.do("change_health", seat=2, hero="cook", by=-5)
    table.do("change_health", seat=2, hero="cook", by=-9)


def last_token(table: Played) -> None:
    table.do("begin")
    table.do("put_tokens", sled=1, discard=0, box=5)
    _to_price(table, 1, "coast", second="no")
    table.do("pay_with_die", turn=1, which=1)
    _pay(table, "confidence")


def no_injury(table: Played) -> None:
    table.do("begin")
    table.do("put_injuries", supply=1, deck=6, discard=4, hands=4)
    _to_price(table, 1, "coast", second="no")
    table.do("pay_with_die", turn=1, which=1)
    _pay(table, "accident")


def _pay(table: Played, face: str) -> None:
    due = table.state.now.penalties[0]
    table.do("roll_penalty", turn=1, penalty=due.number, rolls=due.rolls, face=face)
    table.do("pay_penalty", turn=1, penalty=due.number)


Script = Callable[[Played], None]
#: The room, how many play, and how; each ends with the tap that decides it.
FULL: dict[str, tuple[int, Script]] = {
    "any-game": (3, any_game),
    "smash-up": (3, smash),
    "escape-the-dark-castle": (4, castle),
    "mountains-of-madness": (5, climb),
    "wisdom-of-cthulhu": (4, wisdom),
    **{slug: (players, brought("play")[slug]) for slug, players in brought("PLAYERS").items()},
}
#: Lost, or won, in the middle of the game.
AT_ONCE: dict[str, tuple[str, int, Script]] = {
    "nine Madness": ("tides-of-madness", 2, nine_madness),
    "nine Madness each": ("tides-of-madness", 2, both_lost),
    "no health": ("escape-the-dark-castle", 3, no_health),
    "the last token": ("mountains-of-madness", 3, last_token),
    "no Injury to draw": ("mountains-of-madness", 3, no_injury),
}


@cache
def full_game(slug: str) -> Played:
    """Played once for all tests: whoever wants to go on with it sits down anew."""
    players, play = FULL[slug]
    table = Played(slug, players)
    play(table)
    return table


@cache
def first_game(slug: str) -> Played:
    """The same game at a table where nobody has played before, with each phone's cards read as they come."""
    players, play = FULL[slug]
    table = Pupils(slug, players)
    table.do("teach_everyone", on="yes")
    play(table)
    return table


class Pupils(Played):
    """They put away what they have read; but for a few cards, which go when the game goes on."""

    def do(self, command: str, phone: int = 1, **given: object) -> Entry:
        entry = super().do(command, phone, **given)
        if command in self.journal.game.by_name and taught(self.table).everyone and command != "read_lesson":
            for _ in range(9):
                for card in self.due:
                    if len(card.id) % 5:
                        super().do("read_lesson", card.phone, lesson=card.id)
        return entry

    @property
    def game_taps(self) -> list[Tap]:
        """Without those that are only about what was learnt."""
        return [each for each in self.taps if each[0] not in ("read_lesson", "teach_everyone")]

    @property
    def due(self) -> tuple[Card, ...]:
        return cards(self.journal.game, self.table, self.view)


@cache
def sudden_end(how: str) -> Played:
    slug, players, play = AT_ONCE[how]
    table = Played(slug, players)
    play(table)
    return table
