"""Families own Windows and Apple laptops: what those lack is not asked for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from at_the_table import Served
from forked import ran
from test_serving import Caller

from companion import HERE

RUN = Path(__file__).with_name("without_posix.py")
#: In Python's own library, and not on Windows.
ELSEWHERE = {
    "fcntl",
    "grp",
    "posix",
    "pty",
    "pwd",
    "resource",
    "syslog",
    "termios",
    "tty",
    "readline",
    "crypt",
}


class Window(Served):
    """A server on a system that lacks what Windows lacks."""

    runs = (str(RUN),)
    forks = True


@pytest.fixture
def window(tmp_path: Path):  # type: ignore[no-untyped-def]
    server = Window(tmp_path).start()
    yield server
    if server.process:
        server.kill()


def test_it_serves_where_what_windows_lacks_is_missing(window: Window) -> None:
    ada = Caller(window.url)
    assert "Any game" in ada.ask("GET", "/").text
    code = ada.open("Ada", "Bob")
    stream = ada.listen(code)
    version = ada.count(code).json["version"]
    assert "hx-partial" in stream.until(version)["data"]
    for _ in range(3):  # on a line that the loop watches
        version = ada.count(code).json["version"]
    stream.until(version)
    assert ada.ask("GET", f"/s/{code}/log").status == 200
    assert ada.ask("GET", "/rules").status == 200
    assert ada.ask("POST", f"/s/{code}/do/end_sitting", {"tap": "end-of-evening"}).status == 201
    assert "Ada" in ada.ask("GET", f"/s/{code}/recap").text  # computed here: there is no process beside it
    assert "Traceback" not in window.log()


def test_its_locks_keep_others_out_there_too(window: Window, tmp_path: Path) -> None:
    def said(*words: str) -> str:
        ended = ran(list(words), window.env, other=str(RUN))
        assert ended.returncode == (1 if ended.stderr else 0)
        return ended.stderr

    assert "Another server is running" in said("serve", "--port", "0")
    assert not said("backup", str(tmp_path / "copy"))
    assert "A server is running" in said("restore", str(tmp_path / "copy"))
    assert "Several workers need Linux or macOS" in said("serve", "--workers", "2")


def guarded(tree: ast.Module) -> set[int]:
    """Lines inside a try that has an answer to what is missing, or inside a function: not run on import."""
    inside: set[int] = set()
    for node in ast.walk(tree):
        answers = isinstance(node, ast.Try) and any(
            isinstance(each.type, ast.Name) and each.type.id == "ImportError" for each in node.handlers
        )
        if answers or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            inside |= {each.lineno for each in ast.walk(node) if hasattr(each, "lineno")}
    return inside


def imports(source: str) -> list[str]:
    tree = ast.parse(source)
    safe, found = guarded(tree), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        if names and node.lineno not in safe:
            found += [name.partition(".")[0] for name in names]
    return found


def test_nothing_that_windows_lacks_is_imported_unguarded() -> None:
    for path in HERE.rglob("*.py"):
        assert not ELSEWHERE & set(imports(path.read_text("utf-8"))), path
    assert "resource" in imports("import resource")
    assert "resource" not in imports("try:\n    import resource\nexcept ImportError:\n    pass")
