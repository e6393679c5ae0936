"""What a room keeps in its `data/`."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from companion.core.parsed import read_toml


def read(package: str, file: str) -> dict[str, Any]:
    return read_toml(resources.files(package).joinpath("data", file))


@cache  # small ones, which many ask for
def read_if_there(package: str, file: str) -> dict[str, Any]:
    try:
        return read(package, file) if package else {}
    except FileNotFoundError:
        return {}
