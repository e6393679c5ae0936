"""Who won, by command: every boundary of every room from both sides, and every tally that cannot be."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from at_the_table import Ran, companion, refused
from brought import brought

from companion.games import shelf

GAMES = {slug: game for slug, game in shelf().items() if game.tally}
CAST = ("Ada", "Bob", "Cleo", "Dov", "Eve")
Tally = dict[str, Any]


def people(*each: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, **counted} for name, counted in zip(CAST, each, strict=False)]


def tides(round: int, *each: tuple[int, int], **more: Any) -> Tally:
    return {"round": round, "players": people(*({"vp": vp, "madness": m} for vp, m in each)), **more}


def smash(*each: tuple[int, int], **more: Any) -> Tally:
    return {"players": people(*({"vp": vp, "madness_cards": cards} for vp, cards in each)), **more}


def castle(chapters: int, boss: bool, *hps: int, **more: Any) -> Tally:
    return {
        "chapters_done": chapters,
        "boss_defeated": boss,
        "players": people(*({"hp": hp} for hp in hps)),
        **more,
    }


def climb(
    relics: int = 7,
    escape: int = 3,
    injuries: tuple[int, int, int, int] = (8, 3, 3, 1),
    tokens: tuple[int, int, int] = (3, 2, 1),
    failed: bool = False,
    players: int = 3,
    **more: Any,
) -> Tally:
    places = ("injury_deck", "equipment_deck", "equipment_discard", "hands")
    return {
        "players": list(CAST[:players]),
        "escape_tiles": escape,
        "relics": relics,
        "injuries": dict(zip(places, injuries, strict=True)),
        "leadership": dict(zip(("sled", "discard", "box"), tokens, strict=True)),
        "injury_draw_failed": failed,
        **more,
    }


def wisdom(turn: int, over: bool, *kps: int, **more: Any) -> Tally:
    return {"turn": turn, "turn_over": over, "players": people(*({"kp": kp} for kp in kps)), **more}


PENALTY = GAMES["smash-up"].house_rule("penalty-unends")
TIDES, SMASH, CASTLE = "tides-of-madness", "smash-up", "escape-the-dark-castle"
CLIMB, WISDOM = "mountains-of-madness", "wisdom-of-cthulhu"
SOUND: dict[str, Tally] = {
    TIDES: tides(3, (43, 5), (40, 7)),
    SMASH: smash((16, 5), (15, 0)),
    CASTLE: castle(15, True, 1, 18),
    CLIMB: climb(),
    WISDOM: wisdom(6, True, 40, 52),
    **brought("TALLY"),
}

ONE, TWO, THREE = ["Ada"], ["Ada", "Bob"], ["Ada", "Bob", "Cleo"]
SECOND = ["Bob"]
FEWEST, UNENDS = {"tied-for-most": "madness"}, {"penalty-unends": "yes"}
MORE, PRINTED = {"relics-needed": "more"}, {"injuries-counted": "printed"}
GONE = (0, 5, 5, 5)  # no Injury left to draw

BOUNDARIES: list[tuple[str, Tally, str, list[str], str]] = [
    # eight Madness are enough to stay, nine are not, in any round; then, and only then, VP are compared
    (TIDES, tides(1, (30, 8), (10, 0)), "continues", [], "Round 1 of 3 is scored. If we ended now, Ada"),
    (TIDES, tides(1, (30, 9), (10, 0)), "win", SECOND, "Ada is lost to Madness with 9 tokens."),
    (TIDES, tides(2, (30, 8), (10, 8)), "continues", [], "If we ended now, Ada would win with 30 VP."),
    (TIDES, tides(2, (30, 9), (10, 8)), "win", SECOND, "Bob wins: Ada is lost"),
    (TIDES, tides(2, (10, 8), (30, 9)), "win", ONE, "Ada wins: Bob is lost"),
    (TIDES, tides(2, (10, 9), (30, 12)), "no_winner", [], "Ada and Bob are both lost to Madness."),
    (TIDES, tides(2, (20, 0), (20, 0)), "continues", [], "would share the win with 20 VP each."),
    (TIDES, tides(3, (41, 8), (40, 8)), "win", ONE, "Ada wins with 41 VP."),
    (TIDES, tides(3, (40, 8), (40, 0)), "shared", TWO, "Ada and Bob share the win with 40 VP each."),
    (TIDES, tides(3, (39, 8), (40, 8)), "win", SECOND, "Bob wins with 40 VP."),
    (TIDES, tides(3, (90, 9), (0, 8)), "win", SECOND, "Bob wins: Ada is lost"),
    (TIDES, tides(3, (90, 9), (0, 9)), "no_winner", [], "Nobody wins."),
    (TIDES, tides(3, (0, 0), (0, 0)), "shared", TWO, "share the win with 0 VP each."),
    # 15 VP end it; each second Madness card costs one, and what is left is compared
    (SMASH, smash((14, 0), (3, 0)), "continues", [], "The game goes on. Ada leads with 14 VP."),
    (SMASH, smash((15, 0), (14, 0)), "win", ONE, "Ada wins with 15 VP."),
    (SMASH, smash((15, 1), (14, 0)), "win", ONE, "Ada wins with 15 VP."),
    (SMASH, smash((15, 3), (13, 0)), "win", ONE, "Ada wins with 14 VP."),
    (SMASH, smash((15, 4), (14, 0)), "win", SECOND, "Bob wins with 14 VP."),
    (SMASH, smash((15, 2), (14, 0)), "continues", [], "Ada and Bob tie with 14 VP: play goes on"),
    (SMASH, smash((15, 2), (14, 0), house_rules=FEWEST), "win", SECOND, "14 VP and fewer Madness cards."),
    (SMASH, smash((15, 3), (15, 2), house_rules=FEWEST), "win", SECOND, "fewer Madness cards."),
    (SMASH, smash((15, 2), (15, 2), house_rules=FEWEST), "shared", TWO, "share the win with 14 VP each."),
    (SMASH, smash((16, 2), (3, 0), house_rules=UNENDS), "win", ONE, "Ada wins with 15 VP."),
    (SMASH, smash((15, 2), (3, 0), house_rules=UNENDS), "continues", [], "Ada leads with 14 VP."),
    (SMASH, smash((16, 5), (15, 0)), "win", SECOND, "Bob wins with 15 VP."),
    (SMASH, smash((15, 30), (0, 0)), "continues", [], "Ada and Bob tie with 0 VP"),
    (SMASH, smash((0, 30), (0, 0)), "continues", [], "The game goes on"),
    (SMASH, smash((9, 0), (8, 0), (15, 0), (15, 2)), "win", ["Cleo"], "Cleo wins with 15 VP."),
    # one death is everyone's; the boss is what is left after fifteen chapters
    (CASTLE, castle(15, True, 1, 1), "win", TWO, "You are free!"),
    (CASTLE, castle(15, True, 0, 18), "loss", [], "Ada died."),
    (CASTLE, castle(15, False, 1, 18), "continues", [], "Only the boss stands between you"),
    (CASTLE, castle(14, False, 1, 18), "continues", [], "1 chapter and the boss stand between you"),
    (CASTLE, castle(13, False, 1, 18), "continues", [], "2 chapters and the boss stand between you"),
    (CASTLE, castle(0, False, 18, 18), "continues", [], "15 chapters and the boss"),
    (CASTLE, castle(0, False, 0, 0), "loss", [], "Ada and Bob died."),
    (CASTLE, castle(15, False, 12, 12, 12, 0), "loss", [], "Dov died."),
    (CASTLE, castle(15, True, 14, 14, 14), "win", THREE, "everyone is alive."),
    (CASTLE, castle(15, True, 1), "win", ONE, "You are free!"),
    # relics against injuries, and what the two contradictions of the manual are read as
    (CLIMB, climb(8), "win", THREE, "8 Relics, 7 Injuries."),
    (CLIMB, climb(7), "win", THREE, "7 Relics, 7 Injuries."),
    (CLIMB, climb(6), "loss", [], "6 Relics, 7 Injuries."),
    (CLIMB, climb(7, house_rules=MORE), "loss", [], "A tie is not enough here."),
    (CLIMB, climb(8, house_rules=MORE), "win", THREE, "8 Relics, 7 Injuries."),
    (CLIMB, climb(7, injuries=(9, 0, 0, 6)), "win", THREE, "7 Relics, 6 Injuries."),
    (CLIMB, climb(7, injuries=(8, 0, 0, 7), house_rules=PRINTED), "loss", [], "7 Relics, 15 Injuries."),
    (CLIMB, climb(7, injuries=(3, 8, 4, 0), house_rules=PRINTED), "win", THREE, "7 Relics, 7 Injuries."),
    (CLIMB, climb(11, injuries=(15, 0, 0, 0)), "win", THREE, "11 Relics, 0 Injuries."),
    (CLIMB, climb(0, injuries=GONE), "loss", [], "0 Relics, 15 Injuries."),
    (CLIMB, climb(1, injuries=(14, 1, 0, 0)), "win", THREE, "1 Relic, 1 Injury."),
    (CLIMB, climb(escape=2), "continues", [], "If it ended now, you would succeed."),
    (CLIMB, climb(6, escape=2), "continues", [], "If it ended now, you would fail."),
    # the last token; a token that is spent is not lost
    (CLIMB, climb(11, tokens=(0, 0, 6)), "loss", [], "the last Leadership token went back to the box."),
    (CLIMB, climb(tokens=(0, 1, 5)), "win", THREE, "You made it"),
    (CLIMB, climb(escape=0, tokens=(1, 0, 5)), "continues", [], "1 Leadership token left."),
    # no Injury to draw; an empty deck alone loses nothing
    (CLIMB, climb(11, injuries=GONE, failed=True), "loss", [], "the Injury deck was empty."),
    (CLIMB, climb(11, escape=2, injuries=GONE), "continues", [], "11 Relics, 15 Injuries"),
    (CLIMB, climb(players=5), "win", list(CAST), "You made it"),
    # the most points after the sixth turn, and not before it is over
    (WISDOM, wisdom(6, True, 11, 10), "win", ONE, "Ada wins with 11 KP."),
    (WISDOM, wisdom(6, True, 11, 11), "shared", TWO, "Ada and Bob share the win with 11 KP each"),
    (WISDOM, wisdom(6, True, 11, 12), "win", SECOND, "Bob wins with 12 KP."),
    (WISDOM, wisdom(6, True, 9, 11, 11, 11), "shared", ["Bob", "Cleo", "Dov"], "Bob, Cleo and Dov share"),
    (WISDOM, wisdom(6, False, 11, 10), "continues", [], "Turn 6 of 6. If we ended now, Ada would win"),
    (WISDOM, wisdom(5, True, 11, 10), "continues", [], "Turn 5 of 6 is over. If we ended now, Ada"),
    (WISDOM, wisdom(1, False, 0, 0), "continues", [], "would share the win with 0 KP each."),
    (WISDOM, wisdom(6, True, 0, 0), "shared", TWO, "with 0 KP each"),
    (WISDOM, wisdom(6, True, -1, -2, house_rules={"below-zero": "yes"}), "win", ONE, "with −1 KP."),
    *((slug, *each) for slug, some in brought("BOUNDARIES").items() for each in some),
]


@pytest.fixture
def adjudicate(tmp_path: Path) -> Callable[..., Ran]:
    def ask(game: str, told: Tally | str | bytes, *words: str) -> Ran:
        return companion(tmp_path, "adjudicate", game, *words, said=told if _raw(told) else json.dumps(told))

    return ask


def _raw(told: object) -> bool:
    return isinstance(told, str | bytes)


# --- what it says ---


@pytest.mark.parametrize("game", SOUND)
def test_every_boundary_has_its_verdict(adjudicate: Callable[..., Ran], game: str) -> None:
    boundaries = [each[1:] for each in BOUNDARIES if each[0] == game]
    assert boundaries
    for told, outcome, winners, words in boundaries:
        check_boundary(adjudicate, game, told, (outcome, winners), words)


def check_boundary(
    adjudicate: Callable[..., Ran], game: str, told: Tally, ends: tuple[str, list[str]], words: str
) -> None:
    ran = adjudicate(game, told, "--json")
    assert (ran.returncode, ran.stderr) == (0, ""), told
    verdict = json.loads(ran.stdout)
    assert list(verdict) == ["outcome", "winners", "summary", "steps"]
    assert (verdict["outcome"], verdict["winners"]) == ends, told
    assert words in verdict["summary"], told
    check_words(verdict["summary"])
    known = {each.id for each in (*GAMES[game].rulings, *GAMES[game].house_rules)}
    assert verdict["steps"]
    for step in verdict["steps"]:
        assert list(step) == ["text", "because"]
        assert step["because"] in known
        check_words(step["text"])
    read = adjudicate(game, told).stdout
    assert read.startswith(verdict["summary"] + "\n")
    assert all(step["text"] in read for step in verdict["steps"])


def check_words(said: str) -> None:
    """A sentence: a beginning, a full stop, no holes, the minus of a score sheet."""
    assert said[0].isupper() or said[0].isdigit()
    assert said.endswith((".", "!"))
    assert "  " not in said
    assert not any(wrong in said for wrong in ("None", "{", "}", "-1", "-2", "..", " ,", " ."))


def test_each_outcome_is_reached() -> None:
    assert {outcome for _, _, outcome, *_ in BOUNDARIES} == {
        "win",
        "loss",
        "shared",
        "no_winner",
        "continues",
    }


def test_the_working_has_its_numbers(adjudicate: Callable[..., Ran]) -> None:
    def steps(game: str, told: Tally) -> list[str]:
        return [step["text"] for step in json.loads(adjudicate(game, told, "--json").stdout)["steps"]]

    assert steps(SMASH, smash((16, 5), (15, 1))) == [
        "Bob: 15 VP; 1 Madness card costs nothing.",  # first to last
        "Ada: 16 − 2 = 14 VP; 5 Madness cards cost 2.",
        "Bob and Ada reached 15 VP, so the game ends.",
        "Most VP left: Bob with 15.",
        f"Our table: {PENALTY.question} No: 15 before the penalty ends it.",
    ]
    assert steps(SMASH, smash((16, 5), (14, 0)))[2:5] == [
        "Ada reached 15 VP, so the game would end.",
        "Most VP left: Ada and Bob with 14.",
        "Ada and Bob are tied, so play goes on until one is ahead.",
    ]
    assert steps(CLIMB, climb(7, house_rules=MORE))[3] == "7 − 7 = 0: you come home to embarrassment."
    assert steps(CLIMB, climb(7))[3] == "7 − 7 = 0: you just about keep your posts."


# --- what cannot be ---


def first(told: Tally) -> Tally:
    """The players as a list of objects in every room but one."""
    player = told["players"][0]
    return player if isinstance(player, dict) else told


def count(told: Tally) -> str:
    """A key that holds a number."""
    return next(key for key, value in first(told).items() if type(value) is int)


Change = Callable[[Tally], Any]
EVERYWHERE: dict[str, tuple[Change, str]] = {
    "nobody": (lambda told: told.update(players=[]), "this table has 0"),
    "a crowd": (lambda told: told.update(players=told["players"][:1] * 13), "this table has 13"),
    "players who are no list": (lambda told: told.update(players={"Ada": 1}), "“players”, a list"),
    "no players": (lambda told: told.pop("players"), "“players”, a list"),
    "one name twice": (lambda told: told["players"].__setitem__(0, told["players"][1]), "called Bob"),
    "an unknown key": (lambda told: told.update(weather="fine"), "means nothing here: “weather”"),
    "a key of nothing but spaces": (lambda told: told.update({" \n": 1}), "means nothing here"),
    "an unknown house rule": (lambda told: told.update(house_rules={"x": "y"}), "no such house rule"),
    "house rules that are none": (lambda told: told.update(house_rules="all"), "“house_rules” is an object"),
    "below nothing": (lambda told: first(told).update({count(told): -10_000}), "must be at least"),
    "far too many": (lambda told: first(told).update({count(told): 10**6}), "can be at most"),
    "more than anyone can read": (
        lambda told: first(told).update({count(told): 10**4000}),
        "can be at most",
    ),
    "true for a number": (lambda told: first(told).update({count(told): True}), "must be a whole number"),
    "a point for a number": (lambda told: first(told).update({count(told): 1.0}), "must be a whole number"),
    "text for a number": (lambda told: first(told).update({count(told): "1"}), "must be a whole number"),
    "null for a number": (lambda told: first(told).update({count(told): None}), "must be a whole number"),
    "a list for a number": (lambda told: first(told).update({count(told): [1]}), "must be a whole number"),
    "a number missing": (lambda told: first(told).pop(count(told)), "lacks"),
}
WRITTEN: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "not JSON"),
    "blanks": (" \n\n", "not JSON"),
    "words": ("Ada won.\nReally.", "not JSON"),
    "half of it": ('{"players": [', "not JSON"),
    "two of them": ("{} {}", "not JSON"),
    "a list": ("[]", "JSON object"),
    "a number": ("7", "JSON object"),
    "null": ("null", "JSON object"),
    "no number": ('{"players": [], "vp": NaN}', "NaN is not a number"),
    "a number without end": ('{"players": [], "vp": ' + "9" * 9000 + "}", "too long"),
    "too deep": ("[" * 100_000, "not JSON"),
    "deep and whole": ('{"players": ' + "[" * 900 + "]" * 900 + "}", "this table has 1|needs a name"),
    "not text": (b"\xff\xfe{}", "not text in UTF-8"),
}


@pytest.mark.parametrize("game", SOUND)
def test_a_tally_that_cannot_be_is_one_clear_line_in_every_room(
    adjudicate: Callable[..., Ran], game: str
) -> None:
    assert adjudicate(game, SOUND[game], "--json").returncode == 0
    for what, (change, words) in EVERYWHERE.items():
        told = copy.deepcopy(SOUND[game])
        change(told)
        line = refused(adjudicate(game, told, "--json"))
        assert words in line, what
        assert len(line) < 200, what


@pytest.mark.parametrize("game", SOUND)
def test_what_is_no_tally_is_one_clear_line(adjudicate: Callable[..., Ran], game: str) -> None:
    for what, (text, words) in WRITTEN.items():
        line = refused(adjudicate(game, text))
        assert any(word in line for word in words.split("|")), (what, line)


@pytest.mark.parametrize("game", SOUND)
def test_an_unknown_choice_of_a_known_house_rule(adjudicate: Callable[..., Ran], game: str) -> None:
    rule = GAMES[game].house_rules[0].id
    assert "no such answer" in refused(adjudicate(game, SOUND[game] | {"house_rules": {rule: "perhaps"}}))
    assert "is an object" in refused(adjudicate(game, SOUND[game] | {"house_rules": {rule: True}}))


IMPOSSIBLE: list[tuple[str, Tally, str]] = [
    (TIDES, tides(0, (1, 1), (1, 1)), "round must be at least 1"),
    (TIDES, tides(4, (1, 1), (1, 1)), "round can be at most 3"),
    (TIDES, tides(9, (1, 1), (1, 1)), "round can be at most 3; the tally says 9."),
    (TIDES, tides(3, (1, 1)), "is for 2 players; this table has 1"),
    (TIDES, tides(3, (1, 1), (1, 1), (1, 1)), "is for 2 players; this table has 3"),
    (TIDES, tides(3, (1, 25), (1, 1)), "players[0].madness can be at most 24"),
    (TIDES, tides(3, (1, 1), (-1, 1)), "players[1].vp must be at least 0; the tally says -1."),
    (SMASH, smash((15, 31), (0, 0)), "players[0].madness_cards can be at most 30"),
    (SMASH, smash((15, 15), (0, 16)), "There are only 30 Madness cards; the tally has 31."),
    (SMASH, smash((15, -1), (0, 0)), "players[0].madness_cards must be at least 0"),
    (SMASH, smash((15, 0)), "is for 2 to 4 players; this table has 1"),
    (SMASH, smash(*[(1, 0)] * 5), "is for 2 to 4 players; this table has 5"),
    (CASTLE, castle(16, True, 1, 1), "chapters_done can be at most 15"),
    (CASTLE, castle(-1, False, 1, 1), "chapters_done must be at least 0"),
    (CASTLE, castle(14, True, 1, 1), "after 14 nobody has met it"),
    (CASTLE, castle(1, False, 19, 1), "hp can be at most 18"),
    (CASTLE, castle(1, False, 15, 1, 1), "hp can be at most 14 with 3 players"),
    (CASTLE, castle(1, False, 13, 1, 1, 1), "hp can be at most 12 with 4 players"),
    (CASTLE, castle(1, False, *[1] * 5), "is for 1 to 4 players; this table has 5"),
    (CASTLE, SOUND[CASTLE] | {"boss_defeated": 1}, "boss_defeated must be true or false"),
    (CLIMB, climb(injuries=(8, 3, 4, 1)), "There are 15 Injuries in the box; the tally has 16."),
    (CLIMB, climb(injuries=(8, 3, 2, 1)), "There are 15 Injuries in the box; the tally has 14."),
    (CLIMB, climb(injuries=(16, 0, 0, 0)), "injuries.injury_deck can be at most 15"),
    (CLIMB, climb(injuries=(16, 0, 0, -1)), "injuries.injury_deck can be at most 15"),
    (CLIMB, climb(tokens=(3, 2, 2)), "There are 6 Leadership tokens in the box; the tally has 7."),
    (CLIMB, climb(tokens=(3, 2, 0)), "There are 6 Leadership tokens in the box; the tally has 5."),
    (CLIMB, climb(tokens=(7, 0, 0)), "leadership.sled can be at most 6"),
    (CLIMB, climb(tokens=(7, 0, -1)), "leadership.sled can be at most 6"),
    (CLIMB, climb(12), "relics can be at most 11"),
    (CLIMB, climb(escape=4), "escape_tiles can be at most 3"),
    (CLIMB, climb(failed=True), "No draw can have failed while the Injury deck holds 8 cards."),
    (CLIMB, climb(players=2), "is for 3 to 5 players; this table has 2"),
    (CLIMB, climb() | {"players": list("ABCDEF")}, "is for 3 to 5 players; this table has 6"),
    (WISDOM, wisdom(0, False, 1, 1), "turn must be at least 1"),
    (WISDOM, wisdom(7, True, 1, 1), "turn can be at most 6"),
    (WISDOM, wisdom(6, True, 1, -1), "Bob cannot have −1 KP: nobody goes below 0."),
    (WISDOM, wisdom(6, True, 1), "is for 2 to 4 players; this table has 1"),
    (WISDOM, wisdom(6, True, *[1] * 5), "is for 2 to 4 players; this table has 5"),
    (WISDOM, SOUND[WISDOM] | {"turn_over": "yes"}, "turn_over must be true or false"),
]


def test_what_the_box_does_not_hold_is_refused(adjudicate: Callable[..., Ran]) -> None:
    for game, told, words in IMPOSSIBLE:
        assert words in refused(adjudicate(game, told, "--json")), (game, told)


# --- where it reads from ---


def test_a_file_standard_input_and_a_dash_are_the_same(tmp_path: Path) -> None:
    text = json.dumps(SOUND[SMASH])
    file = tmp_path / "tally.json"
    file.write_text("\ufeff" + text, "utf-8")
    answers = [
        companion(tmp_path, "adjudicate", SMASH, str(file), "--json"),
        companion(tmp_path, "adjudicate", SMASH, "--json", said=text),
        companion(tmp_path, "adjudicate", SMASH, "-", "--json", said=text),
    ]
    assert answers[0].returncode == 0
    assert answers[0] == answers[1] == answers[2]


def test_a_file_that_is_not_there_and_a_game_that_is_not(tmp_path: Path) -> None:
    missing = companion(tmp_path, "adjudicate", SMASH, str(tmp_path / "nowhere.json"))
    assert "nowhere.json cannot be read" in refused(missing)
    assert "cannot be read" in refused(companion(tmp_path, "adjudicate", SMASH, str(tmp_path)))
    unknown = refused(companion(tmp_path, "adjudicate", "ludo", said="{}"))
    assert "There is no game called ludo on the shelf" in unknown
    assert all(slug in unknown for slug in GAMES)
    assert "no tally" in refused(companion(tmp_path, "adjudicate", "any-game", said="{}"))


def test_names_in_any_writing_are_given_back_as_they_came(adjudicate: Callable[..., Ran]) -> None:
    told = wisdom(6, True, 3, 9)
    told["players"][0]["name"], told["players"][1]["name"] = "Zoë", "名前 📱"
    verdict = json.loads(adjudicate(WISDOM, told, "--json").stdout)
    assert verdict["winners"] == ["名前 📱"]
    assert verdict["summary"] == "名前 📱 wins with 9 KP."
