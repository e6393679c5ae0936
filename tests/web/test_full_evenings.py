"""A full game of each room to its verdict: told, taken along, brought back, played again, forgotten."""

from __future__ import annotations

import csv
import io
import json
import re
import secrets
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from at_the_table import Handset, companion
from brought import brought
from flask import Flask
from full_games import AT_ONCE, CAST, FULL, GAMES, TOKENS, Played, full_game, sudden_end
from test_every_game import check_verdict
from test_qr import painted, scanned
from test_recaps import assert_ours
from test_rights import rows

from companion.evenings.recap import Recap, recap
from companion.sittings.play import Play
from companion.web.charts import score_chart

CODE = "R4GDX8"
ENDS: dict[str, tuple[str, list[str]]] = {  # how each full game ends, and who wins
    "any-game": ("win", ["Bartholomew the Unready"]),
    "smash-up": ("win", ["Bartholomew the Unready"]),
    "escape-the-dark-castle": ("win", list(CAST[:4])),
    "mountains-of-madness": ("win", list(CAST)),
    "wisdom-of-cthulhu": ("shared", ["Ada", "Bartholomew the Unready"]),
    **brought("ENDS"),
}
EVERY = pytest.mark.parametrize("slug", FULL)


def told(evening: Played) -> Recap:
    return recap(CODE, evening.journal)


def bring(folder: Path, evening: Played, code: str = CODE) -> str:
    """Into the database of this folder, by command."""
    ran = companion(folder, "import", "-", said=evening.as_journal(code))
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


@pytest.fixture
def at(app: Flask, tmp_path: Path) -> Any:
    """The first phone of a full game, at a server that this game was brought to."""

    def phone(slug: str, token: str = TOKENS[0]) -> Handset:
        play: Play = app.extensions["play"]
        if play.store.sitting(CODE) is None:
            bring(tmp_path, full_game(slug))
        handset = Handset(app)
        handset.client.set_cookie("phone", token)
        return handset

    return phone


# --- the verdict ---


@EVERY
def test_a_full_game_is_decided_by_its_last_tap_and_not_before(slug: str) -> None:
    evening = full_game(slug)
    outcome, winners = ENDS[slug]
    assert evening.verdict.outcome == outcome
    assert [evening.table.seat(id).name for id in evening.verdict.winners] == winners
    assert told(evening).over_at == evening.journal.entries[-1].at
    check_verdict(evening.journal.game, evening.table, evening.verdict)


@pytest.mark.parametrize("how", AT_ONCE)
def test_what_ends_a_game_at_once_is_one_tap_that_one_undo_takes_back(how: str) -> None:
    evening = Played(AT_ONCE[how][0], AT_ONCE[how][1])
    AT_ONCE[how][2](evening)
    assert evening.verdict.final
    assert evening.verdict.winners == ((2,) if how == "nine Madness" else ())
    last = evening.journal.last()
    assert last
    assert last.version == evening.journal.version
    Played.do(evening, "take_back", entry=last.version)
    assert not evening.verdict.final


@EVERY
def test_if_we_ended_now_has_an_answer_after_every_tap(slug: str) -> None:
    evening = Played(slug, FULL[slug][0])
    game, taps = evening.journal.game, full_game(slug).taps
    for asked, (command, given) in enumerate(taps, 1):
        evening.now = max(evening.now, full_game(slug).journal.entries[evening.journal.version].at)
        evening.do(command, **given)
        verdict = evening.verdict
        assert verdict.summary.endswith((".", "!"))
        assert verdict.final == (asked == len(taps))
        check_verdict(game, evening.table, verdict)


# --- the recap ---


@EVERY
def test_the_recap_of_a_full_game(slug: str) -> None:
    evening, this = full_game(slug), told(full_game(slug))
    assert this.finished
    assert this.headline == evening.verdict.summary
    assert [place.seat.name for place in this.places if place.winner] == ENDS[slug][1]
    assert len(this.places) == FULL[slug][0]
    assert this.minutes == round((this.over_at - this.opened_at) / 60_000) > 5
    assert this.verdict.steps
    assert len(this.choices) == len(evening.journal.game.house_rules) > 0
    assert this.moments, "something was worth telling besides the end"
    assert "is over" not in this.decided, "that a turn is over decides nothing"
    assert this.decided or ":" in this.headline, "one sentence says what decided it"
    when = [list(this.columns).index(each.when) for each in this.moments]
    assert when == sorted(when), "in the order it happened"


@EVERY
def test_the_chart_of_a_full_game_says_its_numbers(slug: str) -> None:
    this = told(full_game(slug))
    assert this.chart
    assert this.scores
    svg = score_chart(this.chart)
    assert_ours(svg)
    assert this.chart.labels[0] == "Start"
    assert this.chart.labels[1] == "1", "nothing is played before the first round"
    assert len(set(this.chart.labels)) == len(this.chart.labels) > 3
    words = unescape(re.search(r'aria-label="([^"]*)"', svg)[1])  # type: ignore[index]
    word, now = this.chart.word, {seat.id: seat.name for seat in this.table.seats}
    ends = this.scores.together or {now[seat]: total for seat, total in this.scores.now.items()}
    assert this.scores.together or word == this.scores.word
    assert words.startswith(f"{word[0].upper()}{word[1:]} by ")
    for seat, totals in this.chart.lines:
        assert f"{seat.name}: {', '.join(map(str, totals))}.".replace("-", "−") in words
        assert totals[-1] == ends[seat.name]
        assert f'data-colour="{seat.colour}"' in svg


@EVERY
def test_the_text_to_paste_tells_a_full_game(slug: str) -> None:
    this, lines = told(full_game(slug)), told(full_game(slug)).text.splitlines()
    assert lines[0].startswith(f"{this.game.title}, ")
    assert lines[0].endswith(" min")
    assert lines[1] == this.headline
    for place in this.places:
        (line,) = (line for line in lines[2:] if re.match(rf"(\d\.|-) {re.escape(place.seat.name)}: ", line))
        assert line.endswith(", winner") == place.winner
    assert not any(mark in this.text for mark in ("<", "**", "http", "None"))
    assert len(this.text) < 1500


def test_a_team_that_climbs_is_told_its_relics_and_not_what_it_was_dealt() -> None:
    this = told(full_game("mountains-of-madness"))
    assert [f"{each.when}: {each.text}" for each in this.moments][:2] == [
        "Turn 1: Bartholomew the Unready takes a Ruin Relic",
        "Turn 2: Zoë takes a Knowledge Relic",
    ]
    assert dict(this.start) == dict.fromkeys(range(1, 6), 1), "with five, everyone begins with Madness"


def test_madness_gained_is_a_blow_as_health_lost_is() -> None:
    evening = Played("mountains-of-madness", 3)
    evening.do("begin")
    evening.do("move", turn=1, to="coast")
    evening.do("flip", turn=1)
    evening.do("put_seat", seat=2, level=3, specimen=0, ruin=0, knowledge=0)
    moments = [each.text for each in told(evening).moments]
    assert moments == ["Bartholomew the Unready +3 Madness, the hardest blow of the evening"]
    castle = told(full_game("escape-the-dark-castle"))
    assert castle.moments[0].text == "Dov & Söhne 名前 −6 health, the hardest blow of the evening"
    assert castle.start == dict.fromkeys(range(1, 5), 12)


@EVERY
def test_the_recap_page_of_a_full_game(at: Any, slug: str) -> None:
    page = unescape(at(slug).get(f"/s/{CODE}/recap").text)
    this = told(full_game(slug))
    assert this.headline in page
    assert f">{this.game.title}<" in re.sub(r"</svg>\s*", ">", page)
    assert all(step.text in page for step in this.verdict.steps)
    assert all(each.text in page for each in this.moments)
    assert all(each.question in page and each.reading in page for each in this.choices)
    assert this.text in page
    beside = [each.beside for each in this.places if each.beside]
    under = 0 if this.scores and this.scores.together else 1
    assert all(page.count(f"<small>{each}</small>") > under for each in beside), (
        "at the places and under the chart"
    )
    assert bool(beside) == (slug in ("tides-of-madness", "mountains-of-madness"))
    assert "Play again" in page
    assert f"/<wbr>{CODE}/<wbr>recap" in page
    assert not re.search(r"<[^>]*\s(on\w+|style)=|<style|<script(?![^>]*\ssrc=)", page)


# --- taken along ---


@EVERY
@pytest.mark.usefixtures("for_cameras")
def test_a_camera_reads_the_play_of_a_full_game_off_the_page(at: Any, slug: str) -> None:
    page = at(slug).get(f"/s/{CODE}/bgstats").text
    drawn = re.search(r'<div class="qr">(<svg.*?</svg>)', page, re.DOTALL)
    assert drawn, "every room's play fits into a QR code"
    link = scanned(painted(drawn[1]), level="L")
    assert f'href="{link}"' in unescape(page)
    assert companion_link(slug) == link
    address = urlsplit(link)
    assert link.startswith("https://app.bgstatsapp.com/createPlay.html?data=%7B%22")
    assert list(parse_qs(address.query)) == ["data"]
    check_play(slug, json.loads(parse_qs(address.query)["data"][0]))


def companion_link(slug: str) -> str:
    from companion.evenings.export import bgstats_link

    return bgstats_link(told(full_game(slug)))


def check_play(slug: str, play: dict[str, Any]) -> None:
    """Key by key."""
    this, evening = told(full_game(slug)), full_game(slug)
    points = bool(this.scores and this.scores.decide)
    assert list(play) == ["sourceName", "sourcePlayId", "playDate", "durationMin", "game", "players"]
    end = datetime.fromtimestamp(evening.journal.entries[-1].at / 1000, UTC)
    assert play["playDate"] == f"{end:%Y-%m-%d %H:%M:%S}"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", play["playDate"])
    assert play["durationMin"] == this.minutes
    assert play["game"] == {
        "name": this.game.title,
        "sourceGameId": slug,
        "highestWins": not (this.scores and this.scores.lowest_wins),
        "noPoints": not points,
    }
    assert {player["name"] for player in play["players"]} == set(CAST[: FULL[slug][0]])
    for player in play["players"]:
        seat = evening.seat(player["name"])
        assert player["winner"] is (player["name"] in ENDS[slug][1])
        assert player["startPlayer"] is (seat.id == 1)
        assert (player.get("score") is not None) == points
        if points and this.scores:
            assert player["score"] == this.scores.now[seat.id]
            assert player["rank"] >= 1


@EVERY
def test_the_rounds_of_a_full_game_add_up_in_its_csv(at: Any, slug: str) -> None:
    answer = at(slug).get(f"/s/{CODE}/scores.csv")
    assert answer.mimetype == "text/csv"
    sheet = list(csv.reader(io.StringIO(answer.get_data().decode("utf-8-sig"))))
    this = told(full_game(slug))
    assert sheet[0] == ["round", *CAST[: FULL[slug][0]]]
    labels = [row[0] for row in sheet[1:]]
    assert labels == [*(["start"] if any(this.start.values()) else []), *this.columns, "total", "winner"]
    for at_seat, seat in enumerate(this.table.seats, 1):
        assert sum(int(row[at_seat]) for row in sheet[1:-2]) == int(sheet[-2][at_seat])
        assert this.scores
        assert int(sheet[-2][at_seat]) == this.scores.now[seat.id]
        assert sheet[-1][at_seat] == ("yes" if seat.name in ENDS[slug][1] else "no")


@EVERY
def test_a_full_game_goes_out_and_comes_back_to_the_letter(tmp_path: Path, slug: str) -> None:
    """By command from one server to another, and out again."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    bring(here, full_game(slug))
    (out,) = (companion(here, "export", CODE).stdout,)
    assert json.loads(out) == json.loads(full_game(slug).as_journal(CODE))
    back = companion(there, "import", "-", said=out)
    entries = full_game(slug).journal.version
    assert back.stdout == f"{GAMES[slug].title} is back at table {CODE}, with {entries} entries.\n"
    for kind in ("json", "csv", "bgstats"):
        again = companion(there, "export", CODE, "--format", kind).stdout
        assert again == companion(here, "export", CODE, "--format", kind).stdout
    (known,) = json.loads(companion(there, "history", "--json").stdout)
    assert (known["outcome"], sorted(known["winners"])) == (ENDS[slug][0], sorted(ENDS[slug][1]))
    assert known["summary"] == full_game(slug).verdict.summary


@EVERY
def test_the_same_seats_play_a_full_game_again(app: Flask, at: Any, slug: str) -> None:
    answer = at(slug).post(f"/s/{CODE}/again", {"tap": secrets.token_hex(8)})
    assert answer.status_code == 303, answer.text
    play: Play = app.extensions["play"]
    old, new = play.show(CODE), play.show(answer.headers["Location"][-6:])
    assert new.table.seats == old.table.seats, "names, order, colours and symbols"
    assert new.table.choices == old.table.choices
    assert not new.game.adjudicate(new.journal.state).final
    for token, role, seats in zip(TOKENS, ("player", "player", "display"), (None, (2,), ()), strict=True):
        mine = new.table.phone(play.phone(new, token))
        assert mine.role == role
        assert seats is None or mine.seats == seats
        assert f'href="/s/{new.code}"' in at(slug, token).get(f"/s/{CODE}/display").text


@EVERY
def test_nothing_is_left_of_a_full_game_that_was_forgotten(app: Flask, at: Any, slug: str) -> None:
    ada, bob = at(slug), at(slug, TOKENS[1])
    assert CODE in bob.get("/history").text
    assert bob.post(f"/s/{CODE}/forget", {"sure": "yes"}).status_code == 403
    assert ada.post(f"/s/{CODE}/forget", {"sure": "yes"}).status_code == 303
    kept = rows(app)
    assert [kept[name] for name in ("sitting", "entry", "phone")] == [[], [], []]
    for path in ("", "/recap", "/display", "/bgstats", "/scores.csv", "/journal.json", "/standing", "/log"):
        assert bob.get(f"/s/{CODE}{path}").status_code == 404
    for page in ("/history", f"/history/{slug}", "/"):
        assert not any(name in bob.get(page).text for name in (CODE, "Bartholomew"))
    file = Path(str(app.config["DATABASE_URL"]).removeprefix("sqlite:///"))
    left = b"".join(each.read_bytes() for each in file.parent.glob(f"{file.name}*"))
    assert b"Bartholomew" not in left, "not even in the file"


@EVERY
def test_a_stranger_sees_nothing_of_a_full_game(at: Any, app: Flask, slug: str) -> None:
    at(slug)
    stranger = Handset(app)
    stranger.open("Xaver", "Yves", "Zita")
    for path in ("", "/recap", "/bgstats", "/scores.csv", "/journal.json", "/standing", "/parts/recap"):
        answer = stranger.get(f"/s/{CODE}{path}")
        assert answer.status_code in (302, 403), path
        assert not any(name in answer.text for name in CAST)
    for page in ("/history", f"/history/{slug}", "/"):
        text = stranger.get(page).text
        assert not any(name in text for name in (CODE, "Bartholomew"))


# --- what they add up to ---


def test_statistics_of_games_that_are_won_lost_and_shared(app: Flask, tmp_path: Path) -> None:
    """Worked out by hand, from how each of them ends."""
    from companion.evenings.history import History, games, players

    played = [
        sudden_end("no health"),  # Ada, Bartholomew and Zoë lose
        sudden_end("nine Madness"),  # Bartholomew wins by 39 VP to 43, since Ada is lost
        sudden_end("nine Madness each"),  # 30 to 60 VP, and nobody wins
        full_game("escape-the-dark-castle"),  # the four win
        full_game("wisdom-of-cthulhu"),  # Ada and Bartholomew share 21 KP; Zoë 18, Dov 15
    ]
    for at_end, evening in enumerate(played, 2):
        bring(tmp_path, evening, f"R4GDX{at_end}")
    history: History = app.extensions["history"]
    mine = history.of_phone(TOKENS[0])
    assert len(mine) == 5
    found = {tally.name: tally for tally in players(mine)}
    ada, bob, zoe, dov = (found[name] for name in CAST[:4])
    facts = [
        (each.plays, each.decided, each.wins, each.streak, each.longest) for each in (ada, bob, zoe, dov)
    ]
    assert facts == [(5, 5, 2, 2, 2), (5, 5, 3, 2, 2), (3, 3, 1, 0, 1), (2, 2, 1, 0, 1)]
    assert [each.share for each in (ada, bob, zoe, dov)] == [40, 60, 33, 50]
    assert ada.totals == [43, 30, 21], "health decides nothing, so it is no score"
    assert (ada.best, bob.best, zoe.best, zoe.average) == (43, 60, 18, 18)
    assert ada.minutes == sum(told(each).minutes for each in played)
    shelved = {each.slug: each for each in games(mine)}
    assert shelved["escape-the-dark-castle"].outcomes == {"loss": 1, "win": 1}
    assert shelved["escape-the-dark-castle"].best is None
    assert shelved["tides-of-madness"].outcomes == {"win": 1, "no_winner": 1}
    assert shelved["tides-of-madness"].best == ("Bartholomew the Unready", 60, "VP")
    assert shelved["wisdom-of-cthulhu"].outcomes == {"shared": 1}
    assert shelved["wisdom-of-cthulhu"].best == ("Ada", 21, "KP")
    text = companion(tmp_path, "history", "--statistics").stdout
    assert "Tides of Madness: 2 plays, " in text
    assert "  Ada: 2 plays, 0 wins (0 %), 36.5 on average, best 43, streak 0, longest 0, " in text
    assert "All games\n  Bartholomew the Unready: 5 plays, 3 wins (60 %), streak 2, longest 2, " in text
    sums = json.loads(companion(tmp_path, "history", "--statistics", "--json").stdout)
    assert [each["name"] for each in sums["players"]] == [bob.name, ada.name, zoe.name, dov.name]
    (castle,) = (each for each in sums["games"] if each["game"] == "escape-the-dark-castle")
    assert (castle["plays"], castle["outcomes"], castle["best"]) == (2, {"loss": 1, "win": 1}, None)
    ours = Handset(app)
    ours.client.set_cookie("phone", TOKENS[0])
    page = unescape(ours.get("/history/tides-of-madness").text)
    assert "No winner" in page
    assert "VP from evening to evening. Ada: 43, 30. Bartholomew the Unready: 39, 60." in page
    assert "Lost by all" in ours.get("/history/escape-the-dark-castle").text
