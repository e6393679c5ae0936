"""Lines, views and pieces never change once they are made.

mypy sees to that, and it reads every line of ours. To have Python see to it as well makes each of them take
three times as long to make, and a tap makes dozens; so while we run they are plain dataclasses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def dataclass(*, frozen: bool) -> Callable[[type], type]:
        """As in `dataclasses`, for what is frozen and nobody extends."""
        assert frozen
        make = dataclasses.dataclass(eq=True, unsafe_hash=True)

        def fixed(kind: type) -> type:
            kind.__doc__ = kind.__doc__ or kind.__name__  # else its signature is worked out and written there
            return make(kind)

        return fixed

    def replace(thing: Any, /, **changes: Any) -> Any:
        """As in `dataclasses`, for what is made of its fields alone: they are taken over as they lie there,
        which takes a quarter of the time. What else is kept on the thing (`cached_property`) stays behind."""
        kind, fields = type(thing), vars(thing)
        names = _names(kind)
        made = object.__new__(kind)
        own = vars(made)
        own.update(fields if len(fields) == len(names) else {name: getattr(thing, name) for name in names})
        own.update(changes)
        if len(own) != len(names):
            raise TypeError(f"{kind.__name__} has no {', '.join(changes.keys() - names)}")
        return made


@cache
def _names(kind: type) -> frozenset[str]:
    if hasattr(kind, "__post_init__"):
        raise TypeError(f"{kind.__name__} is more than its fields")
    return frozenset(each.name for each in dataclasses.fields(kind))


__all__ = ["dataclass", "replace"]
