"""Lines, views and pieces never change once they are made.

mypy sees to that, and it reads every line of ours. To have Python see to it as well makes each of them take
three times as long to make, and a tap makes dozens; so while we run they are plain dataclasses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def dataclass(*, frozen: bool) -> Callable[[type], type]:
        """As in `dataclasses`, for what is frozen and nobody extends."""
        assert frozen
        return dataclasses.dataclass(eq=True, unsafe_hash=True)

    def replace(thing: Any, /, **changes: Any) -> Any:
        """As in `dataclasses`, for what is made of its fields alone."""
        kind = type(thing)
        names, values = _fields(kind)
        return kind(**{**dict(zip(names, values(thing), strict=True)), **changes})


@cache
def _fields(kind: type) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    names = tuple(each.name for each in dataclasses.fields(kind))
    return names, attrgetter(*names) if len(names) > 1 else lambda thing: (getattr(thing, names[0]),)


__all__ = ["dataclass", "replace"]
