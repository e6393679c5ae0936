"""What a room keeps in its `data/`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


def read(package: str, file: str) -> dict[str, Any]:
    return tomllib.loads(resources.files(package).joinpath("data", file).read_text("utf-8"))


@cache  # small ones, which many ask for
def read_if_there(package: str, file: str) -> dict[str, Any]:
    try:
        return read(package, file) if package else {}
    except FileNotFoundError:
        return {}
