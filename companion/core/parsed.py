"""A data file is parsed once for a machine, and kept beside it like what Python compiles of us.

To parse all rulings takes a quarter of a second, and Python's lock with it: no start and no phone waits for
that. Where nothing can be kept a file is parsed at every start, and nothing else is different.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from contextlib import suppress
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any


def read_toml(file: Traversable) -> dict[str, Any]:
    source = file.read_bytes()
    if not isinstance(file, Path):  # it lies in an archive
        return _parse(source)
    name = hashlib.sha256(source).hexdigest()[:16]
    kept = file.parent / "__pycache__" / f"{file.stem}.{sys.implementation.cache_tag}-{name}.toml"
    with suppress(OSError, ValueError, EOFError, TypeError):  # none yet, or whatever it is that lies there
        read = marshal.loads(kept.read_bytes())
        if isinstance(read, dict):
            return read
    made = _parse(source)
    with suppress(OSError, ValueError):  # nobody may write here, or there is a date in it
        keep(kept, marshal.dumps(made))
    return made


def _parse(source: bytes) -> dict[str, Any]:
    import tomllib  # only here: where all is kept nobody needs it

    return tomllib.loads(source.decode())


def keep(kept: Path, made: bytes) -> None:
    """In one step, and in place of whatever was made of another source: a name ends in its hash."""
    kept.parent.mkdir(exist_ok=True)
    fresh = kept.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(made)
    fresh.replace(kept)
    for other in kept.parent.glob(f"{kept.name.rpartition('-')[0]}-*{kept.suffix}"):
        if other != kept:
            other.unlink(missing_ok=True)
