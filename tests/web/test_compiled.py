"""Templates that are compiled before a phone asks for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask

from companion import create_app
from companion.web import compiled
from companion.web.compiled import forget_others, load_all, load_compiled

Make = Callable[[], Flask]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Apps of one machine, on which nothing was compiled yet."""
    monkeypatch.setattr(compiled, "HERE", tmp_path)
    return lambda: create_app({"DATABASE_URL": "sqlite://", "REDIS_URL": None, "SHELF": []})


def known(app: Flask) -> set[str]:
    cache = app.jinja_env.cache
    assert cache is not None
    return {name for _, name in cache.keys()}  # type: ignore[union-attr]  # noqa: SIM118


def test_what_one_process_compiled_another_only_loads_the_rooms_own_templates_too(make: Make) -> None:
    first, second = make(), make()
    assert not load_compiled(second.jinja_env, lambda: None)
    board = "games/escape-the-dark-castle/faces/_odds.html"
    assert board not in known(second)
    load_all(first.jinja_env, lambda: None)
    pauses: list[int] = []
    assert load_compiled(second.jinja_env, lambda: pauses.append(1))
    assert board in known(second)
    assert len(pauses) > 50  # one after each


def test_a_template_that_was_changed_is_compiled_again(make: Make, tmp_path: Path) -> None:
    app = make()
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "page.html").write_text("old", "utf-8")
    app.jinja_loader.searchpath.append(str(folder))  # type: ignore[union-attr]
    assert app.jinja_env.get_template("page.html").render() == "old"
    (folder / "page.html").write_text("new", "utf-8")
    other = make()
    other.jinja_loader.searchpath.append(str(folder))  # type: ignore[union-attr]
    assert other.jinja_env.get_template("page.html").render() == "new"


def test_damaged_or_foreign_leftovers_are_no_harm(make: Make, tmp_path: Path) -> None:
    load_all(make().jinja_env, lambda: None)
    for file in tmp_path.glob("__pycache__/templates-*/*"):
        file.write_bytes(file.read_bytes()[:40])
    (tmp_path / "__pycache__" / "templates-of-old").mkdir()
    assert b"Tides of Madness" in make().test_client().get("/").data
    forget_others()
    assert not (tmp_path / "__pycache__" / "templates-of-old").exists()


def test_where_nothing_can_be_kept_everything_works_all_the_same(make: Make, tmp_path: Path) -> None:
    (tmp_path / "__pycache__").write_text("not a folder", "utf-8")
    app = make()
    assert app.jinja_env.bytecode_cache is None
    assert load_compiled(app.jinja_env, lambda: None)
    assert b"Tides of Madness" in app.test_client().get("/").data
