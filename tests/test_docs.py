"""What the documents say is true of what is here."""

from __future__ import annotations

import argparse
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

import companion
from companion.command_line.main import parser

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
EVERYTHING = "\n".join(
    (ROOT / name).read_text("utf-8") for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
)
SOURCE = "\n".join(path.read_text("utf-8") for path in (ROOT / "companion").rglob("*.py"))


def test_every_setting_is_in_the_readme_and_every_one_there_exists():
    said = set(re.findall(r"COMPANION_[A-Z_]+", README))
    read = set(re.findall(r'"(COMPANION_[A-Z_]+)"', Path(companion.__file__).read_text("utf-8")))
    assert said == read


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"`?make ([a-z-]+)\b", EVERYTHING)) - {"and"}
    assert {"run", "test"} <= named <= targets


@pytest.mark.parametrize("link", re.findall(r"\]\((?!http)([^)#]+)\)", EVERYTHING))
def test_every_picture_and_link_is_there(link: str):
    assert (ROOT / link).exists()


def test_every_path_that_is_named_exists():
    for named in re.findall(
        r"`((?:companion|deploy|docs|tests|static|templates|instance)/[\w/.]*)`", EVERYTHING
    ):
        assert (ROOT / named).exists(), named


def test_every_command_of_the_companion_is_in_the_readme():
    told = subprocess.run(
        [ROOT / ".venv/bin/companion", "--help"], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    commands = re.findall(r"^    (\w+) ", told, re.MULTILINE)
    assert commands
    for command in commands:
        assert f"companion {command}" in README


def manual() -> str:
    """The command's own words, as the page in the README has them."""
    made = parser()
    (commands,) = (each for each in made._actions if isinstance(each, argparse._SubParsersAction))  # noqa: SLF001
    briefly = {each.dest: each.help for each in commands._choices_actions}  # noqa: SLF001
    lines = []
    for name, command in commands.choices.items():
        usage = " ".join(command.format_usage().removeprefix("usage: ").replace("[-h] ", "").split())
        lines += [f"    {usage}", f"        {briefly[name]}"]
        for each in command._actions:  # noqa: SLF001
            if each.dest != "help" and each.help:
                called = " ".join([*each.option_strings, *([] if each.nargs == 0 else [_value(each)])])
                lines.append(f"            {called:<18} {each.help}")
        lines.append("")
    return "\n".join(lines)


def _value(each: argparse.Action) -> str:
    if each.choices:
        return "{" + ",".join(each.choices) + "}"
    return str(each.metavar or each.dest.upper())


def test_the_manual_page_says_what_the_command_says() -> None:
    assert manual() in README, f"README.md, “The command”, should have:\n{manual()}"


def test_the_words_of_the_glossary_are_used_for_what_they_mean():
    for word in ("Game", "Journal", "Entry", "Seat", "Phone", "Verdict", "View", "HouseRule"):
        assert re.search(rf"^class {word}\b", SOURCE, re.MULTILINE), word


def test_the_screens_speak_of_evenings_games_and_tables_as_people_do():
    """An evening is over and kept, a game is a box, a table is where one sits; nobody sits at a sitting."""
    odd = r"may sleep|stale since|[Nn]ot this time|has forgotten it|A slip\? Undo: "
    ours = rf"{odd}|\b(sitting|shelf|room|journal)s?\b"
    for path in (ROOT / "templates").glob("*/*.html"):  # the gallery is for whoever writes a room
        text = re.sub(r"\{[{%#].*?[}%#]\}", "", path.read_text("utf-8"), flags=re.DOTALL)
        said = [
            *re.findall(r">([^<>]+)<", text),
            *re.findall(r'(?:aria-label|title|placeholder)="([^"]*)"', text),
        ]
        assert not [each for each in said if re.search(ours, each)], path
    for path in (ROOT / "static/js").glob("*.js"):
        assert not re.search(odd, path.read_text("utf-8")), path


def test_no_file_names_a_registry():
    hosts = re.compile("registry" + r"\.npmjs|pypi" + r"\.org|files" + r"\.pythonhosted|deb" + r"\.debian")
    folders = [
        ROOT / name
        for name in ("companion", "templates", "static", "tests", ".ci", "bench", "deploy", "docs")
    ]
    files = [path for folder in folders for path in folder.rglob("*") if "vendor" not in path.parts]
    for path in [*files, *ROOT.iterdir()]:
        if path.is_file() and path.suffix not in (".png", ".pyc"):
            assert not hosts.search(path.read_text("utf-8", "replace")), path


def test_the_changelog_has_the_unreleased_part_on_top():
    parts = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert parts[0] == "Unreleased"


@pytest.mark.parametrize("lock", ["requirements.txt", "requirements-test.txt"])
@pytest.mark.parametrize("tool", ["pip", "setuptools"])
def test_what_installs_is_pinned_like_what_it_installs(lock: str, tool: str) -> None:
    """A new .venv would else have whatever its Python came with."""
    found = re.search(rf"^{tool}==(\S+) \\\n    --hash=sha256:", (ROOT / lock).read_text("utf-8"), re.M)
    assert found
    assert version(tool) == found[1]
