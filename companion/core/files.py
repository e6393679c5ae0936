"""What a room keeps in its `data/`."""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from companion.core.parsed import read_toml


def _at(package: str, file: str) -> Traversable:
    return resources.files(package).joinpath("data", file)


def is_there(package: str, file: str) -> bool:
    return bool(package) and _at(package, file).is_file()


def read(package: str, file: str) -> dict[str, Any]:
    return read_toml(_at(package, file))


@cache  # small ones, which many ask for
def read_if_there(package: str, file: str) -> dict[str, Any]:
    return read(package, file) if is_there(package, file) else {}
