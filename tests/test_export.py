"""What leaves the house: a play for BG Stats, scores as CSV, the journal; and the journal's way back."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from at_the_table import Evening, Handset, Served, companion, refused
from evenings import SEEDS, wild_evening
from flask import Flask
from test_qr import painted, scanned
from test_serving import Caller

from companion.core import Journal
from companion.evenings.archive import Damaged, already_here, bring_back, journal_json, read
from companion.evenings.export import bgstats_link, bgstats_play, scores_csv
from companion.evenings.recap import recap
from companion.games import shelf
from companion.net import qr
from companion.sittings.play import Play, Sitting
from companion.storage.store import SittingRow, Store

GAMES = shelf()
EPOCH = 1_800_000_000_000


def sitting_of(evening: Evening, code: str = "K7PQ4M") -> Sitting:
    slug = evening.journal.game.slug
    row = SittingRow(code=code, slug=slug, secret="s3cr3tS3cr3t", tap="x", version=0, opened_at=EPOCH)
    return Sitting(row, evening.journal.game, evening.journal)


@pytest.fixture
def evening(sit_down: Callable[..., Evening]) -> Evening:
    """Bob wins 14 to 6, in three rounds."""
    evening = sit_down("any-game", "Ada", "Bob")
    for number, (ada, bob) in enumerate(((1, 3), (2, 2), (3, 9)), 1):
        evening.do("count", seat="Ada", counter="1", by=ada, round=number)
        evening.do("count", seat="Bob", counter="1", by=bob, round=number)
        if number < 3:
            evening.do("next_round", after=number)
    evening.now += 45 * 60_000
    evening.do("end_game")
    return evening


# --- BG Stats ---


def decoded(link: str) -> Any:
    address = urlsplit(link)
    assert (address.scheme, address.netloc, address.path) == (
        "https",
        "app.bgstatsapp.com",
        "/createPlay.html",
    )
    assert list(parse_qs(address.query)) == ["data"]
    return json.loads(parse_qs(address.query)["data"][0])


def test_the_link_hands_the_whole_play_on(evening: Evening) -> None:
    told = recap("K7PQ4M", evening.journal)
    end = datetime.fromtimestamp(evening.log[-1].at / 1000, UTC)
    assert decoded(bgstats_link(told)) == {
        "sourceName": "Companion",
        "sourcePlayId": f"K7PQ4M-{evening.log[0].at}",
        "playDate": end.strftime("%Y-%m-%d %H:%M:%S"),
        "durationMin": 45,
        "game": {"name": "Any game", "sourceGameId": "any-game", "highestWins": True, "noPoints": False},
        "players": [
            {
                "name": "Bob",
                "sourcePlayerId": "bob",
                "startPlayer": False,
                "winner": True,
                "score": 14,
                "rank": 1,
            },
            {
                "name": "Ada",
                "sourcePlayerId": "ada",
                "startPlayer": True,
                "winner": False,
                "score": 6,
                "rank": 2,
            },
        ],
    }


@pytest.mark.usefixtures("for_cameras")
def test_a_scanner_reads_the_same_play_from_the_qr_code(evening: Evening) -> None:
    link = bgstats_link(recap("K7PQ4M", evening.journal))
    read_back = scanned(painted(qr.svg(link, dense=True)), level="L")
    assert decoded(read_back) == bgstats_play(recap("K7PQ4M", evening.journal))


@pytest.mark.usefixtures("for_cameras")
def test_names_survive_the_link_whatever_they_are(sit_down: Callable[..., Evening]) -> None:
    names = ["Zoë & Söhne?", "100% #1 +=", "名前 📱", "Bartholomew the Unready"]
    link = bgstats_link(recap("K7PQ4M", sit_down("any-game", *names).journal))
    assert [player["name"] for player in decoded(link)["players"]] == names
    assert scanned(painted(qr.svg(link, dense=True)), level="L") == link


@pytest.mark.usefixtures("for_cameras")
def test_six_players_with_long_names_still_fit_into_a_qr_code(sit_down: Callable[..., Evening]) -> None:
    names = [f"{name} the Unready of Ürzig"[:24] for name in ("Ada", "Bob", "Cleo", "Dov", "Eve", "Fay")]
    evening = sit_down("any-game", *names)
    evening.do("end_game")
    link = bgstats_link(recap("K7PQ4M", evening.journal))
    assert qr.fits(link)
    play = decoded(scanned(painted(qr.svg(link, dense=True)), level="L"))
    assert [player["name"] for player in play["players"]] == names


def test_a_link_too_long_for_a_camera_has_no_qr_code(sit_down: Callable[..., Evening], app: Flask) -> None:
    names = [f"{n}" + "名" * 20 for n in range(12)]
    link = bgstats_link(recap("K7PQ4M", sit_down("any-game", *names).journal))
    assert not qr.fits(link)
    ada = Handset(app)
    page = ada.get(f"/s/{ada.open(*names)}/bgstats").text
    assert "too long for a QR code" in page
    assert "<svg" not in page


def test_where_the_lowest_wins_bg_stats_hears_so(evening: Evening) -> None:
    evening.do("choose_rule", rule="who-wins", choice="lowest")
    assert bgstats_play(recap("K7PQ4M", evening.journal))["game"]["highestWins"] is False


@pytest.mark.parametrize(("slug", "seed"), SEEDS)
def test_every_room_hands_a_play_on_that_has_all_that_is_asked_for(slug: str, seed: int) -> None:
    evening = wild_evening(slug, seed)
    told = recap("K7PQ4M", evening.journal)
    play = decoded(bgstats_link(told))
    assert datetime.strptime(play["playDate"], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    assert play["durationMin"] >= 1
    assert "bggId" not in play["game"]
    assert {type(play["game"][key]) for key in ("highestWins", "noPoints")} == {bool}
    assert len(play["players"]) == len(evening.table.seats)
    for player in play["players"]:
        assert {type(player[key]) for key in ("winner", "startPlayer")} == {bool}
        assert ("score" in player) == (not play["game"]["noPoints"] and bool(told.scores and told.scores.now))
    assert sum(player["startPlayer"] for player in play["players"]) == 1
    winners = {player["name"] for player in play["players"] if player["winner"]}
    assert winners == {evening.table.seat(id).name for id in evening.verdict.winners}
    assert ("comments" in play) == (not evening.verdict.final)


# --- CSV ---


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_the_csv_is_the_score_sheet(evening: Evening) -> None:
    assert table(scores_csv(recap("K7PQ4M", evening.journal))) == [
        ["round", "Ada", "Bob"],
        ["Round 1", "1", "3"],
        ["Round 2", "2", "2"],
        ["Round 3", "3", "9"],
        ["total", "6", "14"],
        ["winner", "no", "yes"],
    ]


def test_what_everyone_started_with_is_in_it(sit_down: Callable[..., Evening]) -> None:
    evening = sit_down("any-game", "Ada", "Bob")
    evening.do("add_counter", name="Life", start=20)
    evening.do("remove_counter", counter="1")
    evening.do("count", seat="Bob", counter="2", by=-3, round=1)
    told = table(scores_csv(recap("K7PQ4M", evening.journal)))
    assert told[-2] == ["total", "20", "17"]


def test_a_name_that_looks_like_a_formula_is_no_formula(sit_down: Callable[..., Evening]) -> None:
    evening = sit_down("any-game", "=1+1", "@Ada", "a,b")
    assert table(scores_csv(recap("K7PQ4M", evening.journal)))[0] == ["round", "'=1+1", "'@Ada", "a,b"]


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("＝1+1", "'＝1+1"),
        ("＋1", "'＋1"),
        ("－1", "'－1"),
        ("＠Ada", "'＠Ada"),
        (";=1+1", ";'=1+1"),
        ("Ada; =1+1", "Ada; '=1+1"),
        ("Ada;＝1", "Ada;'＝1"),
        ("Ada|@Bob", "Ada|'@Bob"),
        ("Ada-Bob = 2", "Ada-Bob = 2"),
        ("Ada; Bob", "Ada; Bob"),
    ],
)
def test_nor_is_one_that_a_spreadsheet_of_another_land_would_read(
    sit_down: Callable[..., Evening], name: str, cell: str
) -> None:
    """Where cells end at a semicolon, or signs are as wide as letters."""
    evening = sit_down("any-game", name, "Bob")
    assert table(scores_csv(recap("K7PQ4M", evening.journal)))[0][1] == cell


@pytest.mark.parametrize(("slug", "seed"), SEEDS)
def test_every_room_has_a_csv_in_which_the_rounds_add_up(slug: str, seed: int) -> None:
    evening = wild_evening(slug, seed)
    rows = {row[0]: row[1:] for row in table(scores_csv(recap("K7PQ4M", evening.journal)))}
    assert {len(row) for row in rows.values()} == {len(evening.table.seats)}
    assert "winner" in rows
    for place, total in enumerate(rows.get("total", [])):
        between = [row[place] for name, row in rows.items() if name not in ("round", "total", "winner")]
        if total and all(between):
            assert sum(map(int, between)) == int(total)


# --- the journal, there and back ---


@pytest.fixture
def store(database: str) -> Any:
    store = Store(database)
    store.prepare()
    yield store
    store.close()


@pytest.mark.parametrize(("slug", "seed"), SEEDS)
def test_a_journal_that_went_out_comes_back_as_it_was(slug: str, seed: int, tmp_path: Path) -> None:
    evening = wild_evening(slug, seed)
    store = Store(f"sqlite:///{tmp_path / 'other.sqlite'}")
    store.prepare()
    code = bring_back(store, read(GAMES, journal_json(sitting_of(evening), {})))
    row = store.sitting(code)
    assert row is not None
    assert (row.code, row.slug, row.opened_at) == ("K7PQ4M", slug, EPOCH)
    assert row.secret != "s3cr3tS3cr3t", (
        "the invitation is not in the file, and who brings it back gets a new one"
    )
    assert row.version == evening.journal.version
    again = Journal(GAMES[slug], store.entries(GAMES[slug], row.id or 0))
    assert again.entries == evening.journal.entries
    assert again.state == evening.state
    assert again.lines == evening.log
    assert GAMES[slug].adjudicate(again.state) == evening.verdict
    assert recap(code, again).text == recap("K7PQ4M", evening.journal).text
    store.close()


@pytest.mark.parametrize(("slug", "seed"), SEEDS)
def test_one_that_a_phone_took_along_says_the_same_though_what_is_sealed_stays_here(
    slug: str, seed: int
) -> None:
    evening = wild_evening(slug, seed)
    again = read(GAMES, journal_json(sitting_of(evening))).journal
    assert again.lines == evening.log
    assert GAMES[slug].adjudicate(again.state) == evening.verdict


def test_it_comes_back_on_either_database_with_its_phones(store: Store, evening: Evening) -> None:
    phones = {"ab" * 32: 1}
    code = bring_back(store, read(GAMES, journal_json(sitting_of(evening), phones)))
    row = store.sitting(code)
    assert row
    assert row.id
    assert store.phones(row.id) == phones
    assert store.entries(GAMES["any-game"], row.id) == evening.journal.entries


def test_a_code_that_is_taken_is_left_to_whoever_has_it(store: Store, evening: Evening) -> None:
    book = read(GAMES, journal_json(sitting_of(evening)))
    assert bring_back(store, book) == "K7PQ4M"
    second = bring_back(store, book)
    assert second != "K7PQ4M"
    for code in ("K7PQ4M", second):
        row = store.sitting(code)
        assert row
        assert store.entries(GAMES["any-game"], row.id or 0) == evening.journal.entries


def test_an_evening_that_is_here_already_is_not_brought_twice(store: Store, evening: Evening) -> None:
    before = read(GAMES, journal_json(sitting_of(evening)))
    assert already_here(store, before) is None
    bring_back(store, before)
    assert already_here(store, before) == "K7PQ4M"
    known = read(GAMES, journal_json(sitting_of(evening), {"ab" * 32: 1}))
    assert already_here(store, known) is None, "here, but without its phones"
    evening.do("play_on")
    longer = read(GAMES, journal_json(sitting_of(evening)))
    assert already_here(store, longer) is None, "here, but not all of it"
    assert bring_back(store, longer) != "K7PQ4M", "what went on otherwise is left as it is"


def changed(evening: Evening, change: Callable[[dict[str, Any]], Any], honest: bool = True) -> str:
    """The journal with something done to it; `honest`: by somebody who made the checksum fit again."""
    told = json.loads(journal_json(sitting_of(evening), {"ab" * 32: 1}))
    change(told)
    if honest:
        from companion.evenings.archive import _checksum

        told.pop("sha256", None)
        told["sha256"] = _checksum(told)
    return json.dumps(told)


def entry(told: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = told["entries"][1]
    return found


def second(told: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = entry(told)["events"][0]
    return found


DAMAGE: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "another number": (lambda told: second(told).update(by=99), "checksum"),
    "another name": (lambda told: told["entries"][0]["events"][0]["seats"][0].update(name="Eve"), "checksum"),
    "no checksum": (lambda told: told.pop("sha256"), "checksum"),
    "an entry less": (lambda told: told["entries"].pop(), "checksum"),
}
FORGED: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a gap": (lambda told: told["entries"].pop(2), "Entry 3 .* is missing, or out of order"),
    "out of order": (lambda told: told["entries"].reverse(), "Entry 1 "),
    "no entries": (lambda told: told.update(entries=[]), "does not begin"),
    "entries that are none": (lambda told: told.update(entries=["x"]), "Entry 1 .* is not an entry"),
    "no opening": (lambda told: told["entries"][0].update(events=[]), "does not begin"),
    "an unknown event": (
        lambda told: entry(told).update(events=[{"event": "Cheated"}]),
        "does not know",
    ),
    "an event that is none": (lambda told: entry(told).update(events=[7]), "does not know"),
    "an event without its fields": (
        lambda told: entry(told).update(events=[{"event": "Counted"}]),
        "does not know",
    ),
    "a fact that cannot stand": (
        lambda told: second(told).update(round=7),
        "Round 7 has not",
    ),
    "a seat that nobody has": (
        lambda told: second(told).update(seat=9),
        "does not add up",
    ),
    "a tap twice": (lambda told: told["entries"][1].update(tap=told["entries"][2]["tap"]), "same tap twice"),
    "a phone from nowhere": (lambda told: told["entries"][1].update(phone=9), "does not add up"),
    "no time": (lambda told: told["entries"][1].update(at=None), "who did what when"),
    "more than any table counts": (lambda told: second(told).update(by=10**400), "counts further than"),
    "an end after the end of time": (
        lambda told: told["entries"][-1].update(events=[{"event": "SittingEnded", "at": 2**62}]),
        "does not add up",
    ),
    "a time that is too long": (lambda told: told["entries"][1].update(at=10**30), "who did what when"),
    "a tap that is no word": (lambda told: told["entries"][1].update(tap="\ud800"), "who did what when"),
    "a command with a hole in it": (
        lambda told: told["entries"][1].update(command="count\0"),
        "who did what when",
    ),
    "opened in no time": (lambda told: told.update(opened_at=True), "when its table was opened"),
    "opened after the end of time": (lambda told: told.update(opened_at=2**63), "when its table was opened"),
    "another game": (lambda told: told.update(game="chess"), "not on this shelf"),
    "another format": (lambda told: told.update(format=99), "another version"),
    "not ours": (lambda told: told.update(companion="score"), "not a journal"),
    "a code that is none": (lambda told: told.update(code="../../etc"), "which table"),
    "a token that is none": (lambda told: told["phones"][0].update(token_hash="x"), "phone"),
    "a phone that was not there": (lambda told: told["phones"][0].update(number=9), "phone"),
    "the same phone twice": (lambda told: told["phones"].append(told["phones"][0]), "same phone twice"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_journal_that_was_changed_is_noticed(evening: Evening, what: str) -> None:
    change, why = DAMAGE[what]
    with pytest.raises(Damaged, match=why):
        read(GAMES, changed(evening, change, honest=False))


@pytest.mark.parametrize("what", FORGED)
def test_a_journal_that_cannot_be_is_refused_even_if_its_checksum_fits(evening: Evening, what: str) -> None:
    change, why = FORGED[what]
    with pytest.raises(Damaged, match=why) as refused:
        read(GAMES, changed(evening, change))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "7", '{"companion": "journal"}', "[" * 100_000])
def test_what_is_no_journal_is_refused(text: str) -> None:
    with pytest.raises(Damaged):
        read(GAMES, text)


def test_half_a_journal_is_refused(evening: Evening) -> None:
    text = journal_json(sitting_of(evening))
    for part in (len(text) // 2, len(text) - 3):
        with pytest.raises(Damaged, match="not JSON, or only a part"):
            read(GAMES, text[:part])


def test_no_bit_can_turn_without_being_noticed(evening: Evening) -> None:
    """Unless it says the same: a line break for a blank between two entries."""
    text, chance = journal_json(sitting_of(evening)).encode(), random.Random(10)
    for _ in range(400):
        at = chance.randrange(len(text))
        turned = text[:at] + bytes([text[at] ^ 1 << chance.randrange(8)]) + text[at + 1 :]
        try:
            book = read(GAMES, turned.decode("utf-8", "surrogateescape"))
        except Damaged:
            continue
        assert book.journal.entries == evening.journal.entries


@pytest.mark.parametrize("what", ["far too deep", "far too long", "of another program", "of tomorrow"])
def test_a_file_that_is_no_journal_of_ours_is_one_line(tmp_path: Path, what: str) -> None:
    text = {
        "far too deep": '{"companion": "journal", "format": 1, "x": ' + "[" * 985 + "]" * 985 + "}",
        "far too long": '{"companion": "journal", "format": 1, "x": "' + "y" * 50_000_000 + '"}',
        "of another program": json.dumps({"plays": [{"game": "Chess", "players": []}], "about": "scores"}),
        "of tomorrow": json.dumps({"companion": "journal", "format": 2, "entries": {}}),
    }[what]
    line = refused(companion(tmp_path, "import", "-", said=text))
    assert len(line) < 200
    assert ("update companion" in line) == (what == "of tomorrow")


# --- by command ---


def test_out_forgotten_and_back_again_by_command(app: Flask, tmp_path: Path) -> None:
    ada, bob = Handset(app), Handset(app)
    code = ada.open("Ada", "Bob")
    bob.join(code, 2)
    ada.count(code, 1, 3)
    bob.count(code, 2, 7)
    ada.tap(code, "end_game")
    play: Play = app.extensions["play"]
    before = play.show(code).journal

    assert companion(tmp_path, "export", code, "--format", "bgstats").stdout.startswith("https://app.bgstats")
    assert "total,3,7" in companion(tmp_path, "export", code.lower(), "--format", "csv").stdout
    exported = companion(tmp_path, "export", code).stdout
    (tmp_path / "evening.json").write_text(exported, "utf-8")
    assert "Bob wins with 7 Points." in companion(tmp_path, "history").stdout
    (told,) = json.loads(companion(tmp_path, "history", "--json").stdout)
    assert (told["code"], told["outcome"], told["winners"]) == (code, "win", ["Bob"])

    assert companion(tmp_path, "forget", code).returncode == 0
    assert "no table with this code" in refused(companion(tmp_path, "forget", code))
    assert companion(tmp_path, "history").stdout == "No evening has ended yet.\n"
    play.look_again()
    assert play.find(code) is None, "the server that runs notices too"

    back = companion(tmp_path, "import", str(tmp_path / "evening.json"))
    assert (back.returncode, back.stderr) == (0, "")
    assert f"is back at table {code}, with {before.version} entries" in back.stdout
    twice = companion(tmp_path, "import", "-", said=exported)
    assert (twice.returncode, twice.stderr) == (0, "")
    assert f"Any game is at table {code} already" in twice.stdout
    assert len(play.store.all_sittings()) == 1

    after = play.show(code).journal
    assert after is not before
    assert after.entries == before.entries
    assert after.state == before.state
    assert "Bob wins" in bob.get(f"/s/{code}/recap").text, "his phone is known again"
    assert ada.post(f"/s/{code}/forget", {"sure": "yes"}).status_code == 303, "and hers hosts"


def test_what_cannot_be_imported_is_one_line_and_changes_nothing(app: Flask, tmp_path: Path) -> None:
    ada = Handset(app)
    code = ada.open("Ada", "Bob")
    file = tmp_path / "evening.json"
    text = companion(tmp_path, "export", code).stdout
    file.write_text(text.replace('"Ada"', '"Eve"', 1), "utf-8")
    assert "does not match its checksum" in refused(companion(tmp_path, "import", str(file))).replace(
        "do ", "does "
    )
    file.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in refused(companion(tmp_path, "import", str(file)))
    assert "cannot be read" in refused(companion(tmp_path, "import", str(tmp_path / "nowhere.json")))
    assert "no table with this code" in refused(companion(tmp_path, "export", "ZZZZZZ"))
    assert len(app.extensions["play"].store.all_sittings()) == 1


def test_a_running_server_notices_within_seconds_what_was_forgotten_by_command(
    inn: Served,
) -> None:
    ada = Caller(inn.url)
    code = ada.open("Ada", "Bob")
    stream = ada.listen(code)
    assert companion(inn.folder, "forget", code).returncode == 0
    while stream.next().get("event") != "forgotten":
        pass
    assert ada.ask("GET", f"/s/{code}/recap").status == 404
    assert ada.count(code).status == 404
    assert "Traceback" not in inn.log()
