"""Templates, compiled once for a machine: to compile a room's takes longer than all phones may wait.

What was compiled lies beside what Python compiled of us. `make` fills that folder, or else the process beside
the server (companion/serving/aside.py) does; the server takes it from there before the first table needs it.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import jinja2
from jinja2 import Environment, FileSystemBytecodeCache
from jinja2.bccache import Bucket

from companion import HERE, create_app
from companion.web import compiler

log = logging.getLogger(__name__)


class Compiled(FileSystemBytecodeCache):
    """Where it cannot be kept, it is compiled again; that is slower, and nothing else."""

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """A room's template is called one thing by us and another by its own folder."""
        return super().get_cache_key(filename or name)

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except Exception:  # whatever it is that lies there
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


def keep_compiled(templates: Environment) -> None:
    folder = _folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        log.info("compiled templates cannot be kept: %s", why)
        return
    templates.bytecode_cache = Compiled(str(folder))


def _folder() -> Path:
    """One for each way to compile: what another version of us compiled is of no use."""
    way = jinja2.__version__.encode() + Path(compiler.__file__).read_bytes()
    return HERE / "__pycache__" / f"templates-{hashlib.sha256(way).hexdigest()[:16]}"


def forget_others() -> None:
    mine = _folder()
    for other in mine.parent.glob("templates-*"):
        if other != mine:
            shutil.rmtree(other, ignore_errors=True)


def load_all(templates: Environment, pause: Callable[[], None]) -> None:
    for name in _names(templates):
        templates.get_template(name)
        pause()


def load_compiled(templates: Environment, pause: Callable[[], None]) -> bool:
    """Those that need not be compiled any more. Whether that is all of them."""
    loader, cache, all_of_them = templates.loader, templates.bytecode_cache, True
    if loader is None or cache is None:
        return True
    for name in _names(templates):
        source, filename, _ = loader.get_source(templates, name)
        if cache.get_bucket(templates, name, filename, source).code is None:
            all_of_them = False
        else:
            templates.get_template(name)
        pause()
    return all_of_them


def _names(templates: Environment) -> list[str]:
    return [name for name in templates.list_templates() if name.endswith(".html")]


def main() -> None:
    load_all(create_app({"DATABASE_URL": "sqlite://"}).jinja_env, lambda: None)
    forget_others()
