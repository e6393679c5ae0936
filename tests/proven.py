"""How often the proofs do what they do, and the table that `make proof` prints at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

Proven = Callable[[str, str], None]
MARKS = {"passed": "", "failed": "FAILED: ", "error": "FAILED: ", "skipped": "not run: "}
FULL = os.environ.get("PROOF") == "full"


def how_many(setting: str, short: int, full: int) -> int:
    """In full for `make proof`, in short for `make test`, and as the environment says where it does."""
    return int(os.environ.get(setting) or (full if FULL else short))


@pytest.fixture
def proven(record_property: Callable[[str, object], None]) -> Proven:
    """A line of the table: what was done, and what was found. Said before it is judged, so that a line stands
    there whichever way it goes."""
    return lambda done, found: record_property("proven", [done, found])


def listed(found: dict[str, Any]) -> str:
    """`{"lost": [3 taps]}` → `3 lost`."""
    return ", ".join(f"{len(each):,} {fault}" for fault, each in found.items() if each) or "nothing amiss"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not FULL:
        return
    reports: dict[str, list[Any]] = terminalreporter.stats
    lines = [("Done", "Found"), *_lines(reports)]
    width = max(len(done) for done, _ in lines)
    terminalreporter.section("proof")
    for done, found in lines:
        terminalreporter.write_line(f"{done:{width}}  {found}")
    said = {"passed": "held", "failed": "failed", "error": "could not be set up", "skipped": "not run"}
    counted = [f"{len(reports[kind])} {word}" for kind, word in said.items() if reports.get(kind)]
    terminalreporter.write_line(f"Checks: {', '.join(counted)}.")


def _lines(reports: dict[str, list[Any]]) -> Iterator[tuple[str, str]]:
    for kind, mark in MARKS.items():
        for report in reports.get(kind, []):
            told = [value for name, value in getattr(report, "user_properties", ()) if name == "proven"]
            if not told and kind != "passed":
                told = [[_sentence(report), _why(report)]]
            yield from ((done, mark + found) for done, found in told)


def _sentence(report: Any) -> str:
    return str(report.nodeid.rpartition("::test_")[2].replace("_", " "))


def _why(report: Any) -> str:
    if isinstance(report.longrepr, tuple):  # a skip: file, line, reason
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    return str(report.longreprtext.strip().splitlines()[-1])
