"""Hundreds of apps are made in one process of tests, where a server makes one. What takes most of the time is
the same for all: only for the first are addresses compiled, templates read, scripts and styles joined.
A command's words are laid out once, too, for hundreds that are run here.
And of the eight masks that a long QR code may have, the best is looked for only where a camera reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from flask import Flask
from jinja2.bccache import Bucket
from qrcode.main import QRCode
from werkzeug.routing import Rule

from companion.command_line import main as command_line
from companion.core import Game
from companion.games import folder
from companion.net import qr
from companion.web import assets, compiled, shell
from companion.web.compiled import Compiled

_compile, _parse, _load = Rule._compile_builder, Rule._parse_rule, Compiled.load_bytecode  # noqa: SLF001
_Assets, _Shell = assets.Assets, shell.Shell
best_mask = QRCode.best_mask_pattern
_compiled: dict[tuple[object, ...], Any] = {}
_parsed: dict[str, tuple[Any, ...]] = {}
_together: dict[tuple[object, ...], assets.Assets] = {}
_editions: dict[tuple[object, ...], shell.Shell] = {}
_code: dict[tuple[Path, str, str], CodeType] = {}


def _compile_once(self: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
    key = (self.rule, self.subdomain, self.host, repr(self.defaults), append_unknown)
    if key not in _compiled:
        _compiled[key] = _compile(self, append_unknown)
    return _compiled[key]  # type: ignore[no-any-return]


def _parse_once(self: Rule, rule: str) -> Any:
    """What it notes on the way, it notes for all."""
    if rule not in _parsed:
        traced, known = len(self._trace), set(self._converters)
        parts = list(_parse(self, rule))
        converters = {name: each for name, each in self._converters.items() if name not in known}
        _parsed[rule] = (parts, self._trace[traced:], converters)
        return parts
    parts, trace, converters = _parsed[rule]
    self._trace.extend(trace)
    self._converters.update(converters)
    self.arguments.update(converters)
    return parts


def _put_together_once(static: Path, games: Mapping[str, Game[Any]]) -> assets.Assets:
    key = (static, *((slug, folder(game), game.accent) for slug, game in games.items()))
    if key not in _together:
        _together[key] = _Assets(static, games)
    return _together[key]


def _read_once(app: Flask) -> shell.Shell:
    """All templates; the addresses of scripts and styles say what is in those."""
    rooms = tuple(folder(game) for game in app.extensions["play"].games.values())
    key = (*app.extensions["assets"].addresses, app.template_folder, app.static_folder, *rooms)
    if key not in _editions:
        _editions[key] = _Shell(app)
    return _editions[key]


def _load_once(self: Compiled, bucket: Bucket) -> None:
    """From the disk once; as long as its source is the same, which is what the checksum is of."""
    key = (compiled.HERE, bucket.key, bucket.checksum)
    if key in _code:
        bucket.code = _code[key]
        return
    _load(self, bucket)
    if bucket.code is not None:
        _code[key] = bucket.code


def _any_mask(self: QRCode) -> int:
    """As join links have it always. To try all of them is nearly all the work of such a page."""
    return qr.MASK


def make_once() -> None:
    Rule._compile_builder = _compile_once  # type: ignore[assignment]  # noqa: SLF001
    Rule._parse_rule = _parse_once  # type: ignore[method-assign]  # noqa: SLF001
    assets.Assets = _put_together_once  # type: ignore[assignment,misc]
    shell.Shell = _read_once  # type: ignore[assignment,misc]
    Compiled.load_bytecode = _load_once  # type: ignore[method-assign]
    QRCode.best_mask_pattern = _any_mask
    command_line.parser = cache(command_line.parser)
