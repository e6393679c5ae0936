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
from companion.tools.teaching import SENTENCE, Card, cards, taught
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


def _score(table: Played, base: Any, new: str = "") -> None:
    """And a new base comes, by lot where none is named."""
    number, card = table.state.number, {"card": new} if new else {}
    table.do("begin_scoring", base=base.id, number=number)
    table.do("score_base", base=base.id, number=number)
    table.do("replace_base", base=base.id, number=number, **card)


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


def _to_price(table: Played, turn: int, to: str, second: str = "yes", counted: int = 4) -> None:
    table.do("move", turn=turn, to=to)
    table.do("flip", turn=turn)
    if turn == counted:  # the tile is entered, and the cards are counted
        for kind in ("tools", "crates"):
            table.do("ask_kind", turn=turn, kind=kind)
            table.do("read_challenge", turn=turn, kind=kind, value="9-11")
    table.now = max(table.now, timer(table.table).until)
    table.do("resolve", turn=turn)
    if turn != counted:
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


# --- the shortest way through a game, by what the phones offer and nothing else ---


def short_any(table: Played) -> None:
    for round in (1, 2):
        for seat, by in ((1, 3), (2, 12), (3, -1)):
            table.do("count", seat=seat, counter="1", by=by, round=round)
        table.do("next_round", after=1) if round == 1 else table.do("end_game")


def short_smash(table: Played) -> None:
    """Four bases; at the third, two are level."""
    mine = ("Elder Things", "Innsmouth", "Minions of Cthulhu", "Miskatonic University", "Zombies", "Ninjas")
    for n, name in enumerate(mine):
        table.do("choose_faction", seat=n // 2 + 1, faction=name)
    for n, card in enumerate(("plateau-of-leng", "rlyeh", "mountains-of-madness", "innsmouth")):
        table.do("lay_base", card=card, have=n)
    table.do("begin_game")
    new, base = ["the-asylum", "antarctic-base", "ritual-site", "ninja-dojo"], table.state.bases[0]
    table.do("draw_madness", seat=table.state.player)
    for base, powers in zip(table.state.bases, ((20, 5), (23, 4), (12, 12), (20, 3)), strict=True):
        for seat, by in zip((1, 3), powers, strict=True):
            table.do("count_power", seat=seat, base=base.id, by=by)
        _score(table, base, new.pop(0))
        _end_turn(table)


def short_castle(table: Played) -> None:
    """An item, a fight of two rounds, many quiet chapters, and the boss."""
    for seat, hero in enumerate(HEROES[:3], 1):
        table.do("choose_character", seat=seat, hero=hero)
    table.do("begin_escape")
    for chapter in range(1, 17):
        table.do("turn_card", number=chapter, hero=HEROES[chapter % 3])
        if chapter in (2, 16):
            _fight(table, chapter, rounds=2 if chapter == 2 else 1)
        if chapter == 3:
            table.do("change_health", seat=2, hero="cook", by=-3)
        table.do("finish_chapter", number=chapter)


def _fight(table: Played, chapter: int, rounds: int) -> None:
    table.do("begin_fight", number=chapter)
    for trait in ("might", "wisdom", "cunning")[:rounds]:
        table.do("lay_die", trait=trait)
    table.do("join_fight")
    round = 1
    while table.state.fight and not table.verdict.final:
        for seat, hero in enumerate(HEROES[:3], 1):
            if hero in [each.id for each in table.state.party]:
                table.do("roll_die", seat=seat, hero=hero, round=round, face=round)
        table.do("settle_round", round=round)
        round += 1


def short_climb(table: Played) -> None:
    """The straight way up and out, with three Relics."""
    table.do("begin")
    way = ("coast", "coast", "mountain", "city", "edge", "escape-1", "escape-2", "escape-3")
    for turn, to in enumerate(way, 1):
        _to_price(table, turn, to, second="no" if turn == 2 else "yes", counted=3)
        if turn == 2:
            table.do("pay_with_madness", turn=turn, which=1, whom=1)
        if turn <= 3:
            table.do("plan_relic", turn=turn, kind=("specimen", "ruin", "knowledge")[turn - 1])
            table.do("plan_relic", turn=turn, whom=turn)
            table.do("take_relic", turn=turn, space="draw")
        else:
            table.do("no_reward", turn=turn)
        if to != "escape-3":
            table.do("deal", turn=turn, rest="yes" if turn == 5 else "no")


def short_wisdom(table: Played) -> None:
    """A few actions in the first turn; later the Research is left to the table."""
    table.do("begin_game")
    for turn in range(1, 7):
        if table.state.phase == "preparation":
            table.do("finish_preparation", turn=turn)
        while table.state.declarer:
            seat, lap = table.state.declarer
            table.do("declare", seat=seat, turn=turn, lap=lap, count=int(turn == 1 and lap == 1 and seat < 3))
        for what in ("path", "path", "path") if turn == 1 else ():
            table.do("cash_in", seat=table.state.actor, turn=turn, after=table.state.acted, what=what)
        table.do("count", seat=turn % 3 + 1, turn=turn, by=turn)
        table.do("end_research", turn=turn)
        table.do("close_turn", turn=turn)


# --- what is rare, all of it in one evening of the room ---


def seldom_smash(table: Played) -> None:
    """A tie at a base, no base left to draw, no Madness either, decks that may run out, level at the top."""
    table.dice = LoadedDice(*[1] * 40)
    table.do("draw_bases", have=0)
    table.do("begin_game")
    one = {"seat": 1, "base": table.state.bases[-1].id, "power": 3}
    table.do("play_minion", **one)
    table.do("lose_minion", **one, how="returned")
    for n in range(5):
        base = table.state.bases[0]
        for at, by in enumerate((9, 9, 9) if n == 2 else (10, 9, 8)):
            table.do("count_power", seat=(at + n) % 3 + 1, base=base.id, by=by)
        _score(table, base)
        for seat, vp in [(seat, vp) for seat, vp in table.state.vp.items() if vp]:
            table.do("count_vp", seat=seat, by=-vp, reason="so that it goes on")
        _end_turn(table)
    table.do("draw_madness", seat=3, cards=30)
    for seat in (1, 2):
        table.do("count_vp", seat=seat, by=14)
    while table.state.turn < 26:
        _end_turn(table)
    table.all("count_vp", {"seat": 1}, {"seat": 2}, by=1, reason="an action")
    _end_turn(table)
    table.do("count_vp", seat=2, by=1, reason="an action")
    _end_turn(table)


def level_tides(table: Played) -> None:
    """Level on Madness round after round, first by cards, and level on points in the end."""
    ada = ("azathoth", "nyarlathotep", "cthulhu", "hastur", "yog-sothoth")
    bob = ("elder-things", "innsmouth", "mountains-of-madness", "unaussprechlichen-kulten", "dagon")
    for pick, laid in enumerate(zip(ada, bob, strict=True), 1):
        for seat, card in enumerate(laid, 1):
            table.do("choose_card", seat, seat=seat, round=1, pick=pick, card=card)
    scored = GAMES["tides-of-madness"].scores(table.state).columns["Round 1"]
    for seat, (kept, *_, gone) in enumerate((ada, bob), 1):
        table.do("choose_refresh", seat, seat=seat, round=1, what="kept", card=kept)
        table.do("choose_refresh", seat, seat=seat, round=1, what="discarded", card=gone)
    table.do("score_by_hand", round=2)
    for round in (2, 3):
        for seat in (1, 2):
            vp = 50 - scored[seat] if round == 2 else 10
            table.do("enter_round", seat=seat, round=round, vp=vp, madness=1)


def reshuffled_castle(table: Played) -> None:
    """An item deck that is empty, a test, and a fight that takes more than a round."""
    for seat, hero in enumerate(HEROES[:3], 1):
        table.do("choose_character", seat=seat, hero=hero)
    table.do("begin_escape")
    _turn_card(table, 1)
    table.do("draw_item", name="Rusty sword")
    table.do("move_item", item=1, to="pile")
    table.do("reshuffle_items")
    table.do("begin_test", kind="once", trait="might", who="abbot")
    table.do("close_test")
    table.do("begin_fight", number=1)
    table.all("lay_die", *[{"trait": "might"}] * 8)
    table.do("join_fight")
    for seat, hero in enumerate(HEROES[:3], 1):
        table.do("roll_die", seat=seat, hero=hero, round=1, face=1)
    table.do("settle_round", round=1)


def mad_climb(table: Played) -> None:
    """Everyone at level 3, a deck that is too small, and as many Relics as Injuries."""
    table.do("begin")
    for seat in (1, 2, 3):
        table.do("put_seat", seat=seat, level=3, specimen=0, ruin=0, knowledge=0)
    table.do("put_cards", deck=1, discard=30, hands=9)
    _to_price(table, 1, "coast")
    table.do("no_reward", turn=1)
    table.do("deal", turn=1, rest="yes")
    relics = 15 - table.state.injuries.supply
    table.do("put_seat", seat=1, level=1, specimen=relics, ruin=0, knowledge=0)
    table.do("put_plane", place="escape-2")
    _to_price(table, 2, "escape-3")
    table.do("no_reward", turn=2)


def evoked(table: Played) -> None:
    """No Path left, a Ritual, Dark Bonds, an Evocation."""
    table.do("begin_game")
    while table.state.declarer:
        seat, lap = table.state.declarer
        table.do("declare", seat=seat, turn=1, lap=lap, count=1 if lap == 1 else 0)
    table.do("set_cards", seat=table.state.actor, hand=0, spent=0, temporary=6, permanent=0)
    table.do("hold_bond", seat=1, name="My own card", bond="madness", points=2)
    for box in (1, 2, 3):
        table.do("advance_ritual", seat=1, turn=1, box=box, bond="madness", by="effect")
    table.do("evoke", seat=1, turn=1, bond="madness")


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
#: Tapped on real phones: each tap is one that they offer just then.
SHORT: dict[str, tuple[int, Script]] = {
    **FULL,
    "any-game": (3, short_any),
    "smash-up": (3, short_smash),
    "escape-the-dark-castle": (3, short_castle),
    "mountains-of-madness": (3, short_climb),
    "wisdom-of-cthulhu": (3, short_wisdom),
}
#: Lost, or won, in the middle of the game.
AT_ONCE: dict[str, tuple[str, int, Script]] = {
    "nine Madness": ("tides-of-madness", 2, nine_madness),
    "nine Madness each": ("tides-of-madness", 2, both_lost),
    "no health": ("escape-the-dark-castle", 3, no_health),
    "the last token": ("mountains-of-madness", 3, last_token),
    "no Injury to draw": ("mountains-of-madness", 3, no_injury),
}


#: Played for what seldom happens; not all of them come to an end.
SELDOM: dict[str, tuple[str, int, Script]] = {
    "a tie, and nothing left to draw": ("smash-up", 3, seldom_smash),
    "level in all": ("tides-of-madness", 2, level_tides),
    "items shuffled": ("escape-the-dark-castle", 3, reshuffled_castle),
    "all mad": ("mountains-of-madness", 3, mad_climb),
    "an Evocation": ("wisdom-of-cthulhu", 4, evoked),
}


@cache
def full_game(slug: str) -> Played:
    """Played once for all tests: whoever wants to go on with it sits down anew."""
    return whole_game(slug, *FULL[slug])


def whole_game(slug: str, players: int, play: Script) -> Played:
    table = Played(slug, players)
    play(table)
    return table


@cache
def first_game(slug: str) -> Pupils:
    """The same game at a table where nobody has played before, with each phone's cards read as they come."""
    return _taught(slug, *FULL[slug], lazy=True)


def _taught(slug: str, players: int, play: Script, lazy: bool = False) -> Pupils:
    table = Pupils(slug, players, lazy)
    table.do("teach_everyone", on="yes")
    play(table)
    return table


@cache
def first_games(slug: str) -> tuple[Pupils, ...]:
    """All that are written here, at a table where nobody has played before."""
    others = [each for each in (*AT_ONCE.values(), *SELDOM.values()) if each[0] == slug]
    return (first_game(slug), *(_taught(*each) for each in others))


class Pupils(Played):
    """They put away what they have read; the lazy not all of it: a few cards go when the game goes on."""

    def __init__(self, slug: str, players: int, lazy: bool = False) -> None:
        self.lazy = lazy
        self.came: dict[str, str] = {}  # by lesson that was on a phone, the tap with which it came first
        super().__init__(slug, players)

    def do(self, command: str, phone: int = 1, **given: object) -> Entry:
        entry = super().do(command, phone, **given)
        if command in self.journal.game.by_name and taught(self.table).everyone and command != "read_lesson":
            for _ in range(9):
                version = self.journal.version
                for card in self.due:
                    self.came.setdefault(card.id.removesuffix(SENTENCE), command)
                    if len(card.id) % 5 or not self.lazy:
                        super().do("read_lesson", card.phone, lesson=card.id)
                if self.journal.version == version:  # nobody has read one, so no other comes
                    break
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
    return whole_game(*AT_ONCE[how])
