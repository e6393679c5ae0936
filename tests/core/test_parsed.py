"""A data file is parsed once for a machine."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from companion.core.parsed import read_toml
from companion.lookup.kept import main as make_ahead

#: A server's start, its first page, a table's page and a page of rulings, where TOML cannot be parsed at all.
WITHOUT_TOML = """
import sys
sys.modules["tomllib"] = None
from companion import create_app
from companion.games import shelf

app = create_app({"DATABASE_URL": "sqlite:///" + sys.argv[1], "SERVER_NAME": None})
phone = app.test_client()
home = {"Origin": "http://localhost", "Host": "localhost"}
assert phone.get("/", headers=home).status_code == 200
for game in shelf().values():
    assert phone.get(f"/rules/{game.slug}", headers=home).status_code == 200
    if game.rulings:
        ruling = game.rulings[0]
        assert phone.get(f"/rules/{game.slug}/{ruling.id}", headers=home).status_code == 200
        answers = phone.get(f"/rules/answers?game={game.slug}&q={ruling.title}", headers=home)
        assert ruling.id in answers.text
"""


def test_no_start_and_no_page_parses_what_has_not_changed(tmp_path: Path) -> None:
    make_ahead()
    asked = [sys.executable, "-c", WITHOUT_TOML, str(tmp_path / "companion.sqlite")]
    subprocess.run(asked, check=True, timeout=60)


def test_a_file_is_parsed_once_and_anew_when_it_says_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    parse = tomllib.loads
    monkeypatch.setattr(tomllib, "loads", lambda text: parsed.append(text) or parse(text))
    file = tmp_path / "cards.toml"
    for told, times in (("a = 1", 1), ("a = 1", 1), ("a = 2", 2)):
        file.write_text(told)
        assert read_toml(file) == parse(told)
        assert len(parsed) == times
    (kept,) = (tmp_path / "__pycache__").iterdir()
    kept.write_bytes(b"whatever")
    assert read_toml(file) == {"a": 2}
    assert len(parsed) == 3


def test_what_cannot_be_kept_is_parsed_each_time(tmp_path: Path) -> None:
    file = tmp_path / "cards.toml"
    file.write_text("made = 2026-11-17")  # of a date nothing can be kept
    assert read_toml(file) == read_toml(file)
    (tmp_path / "__pycache__").write_text("no folder")
    file.write_text("a = 1")
    assert read_toml(file) == read_toml(file) == {"a": 1}
