"""Lines, views and pieces never change once they are made.

mypy sees to that, and it reads every line of ours. To have Python see to it as well makes each of them take
three times as long to make, and a tap makes dozens; so while we run they are plain dataclasses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
    from functools import cached_property
else:

    def dataclass(*, frozen: bool) -> Callable[[type], type]:
        """As in `dataclasses`, for what is frozen and nobody extends."""
        assert frozen
        make = dataclasses.dataclass(eq=True, unsafe_hash=True)

        def fixed(kind: type) -> type:
            kind.__doc__ = kind.__doc__ or kind.__name__  # else its signature is worked out and written there
            make(kind)
            if kind.__match_args__:  # to have all fields at once takes a fifth of asking for one by one
                kind.__eq__ = _equal(attrgetter(*kind.__match_args__))
            return kind

        return fixed

    class cached_property:  # noqa: N801  as in functools, without its lock, which Python 3.12 has given up too
        def __init__(self, find: Callable[[Any], Any]) -> None:
            self.find, self.name, self.__doc__ = find, find.__name__, find.__doc__

        def __get__(self, thing: Any, kind: type) -> Any:
            if thing is None:
                return self
            found = thing.__dict__[self.name] = self.find(thing)
            return found

    def replace(thing: Any, /, **changes: Any) -> Any:
        """As in `dataclasses`, for what is made of its fields alone: they are taken over as they lie there,
        which takes a quarter of the time. What else is kept on the thing (`cached_property`) stays behind."""
        kind, fields = type(thing), vars(thing)
        names = _names(kind)
        made = object.__new__(kind)
        own = vars(made)
        if len(fields) == len(names):
            own.update(fields)
        else:
            own.update(zip(names, map(partial(getattr, thing), names), strict=True))
        own.update(changes)
        if len(own) != len(names):
            raise TypeError(f"{kind.__name__} has no {', '.join(changes.keys() - set(names))}")
        return made


def _equal(look: Callable[[Any], Any]) -> Callable[[Any, Any], bool]:
    def equal(one: Any, other: Any) -> bool:
        return look(one) == look(other) if type(one) is type(other) else NotImplemented

    return equal


@cache
def _names(kind: type) -> tuple[str, ...]:
    if hasattr(kind, "__post_init__"):
        raise TypeError(f"{kind.__name__} is more than its fields")
    return tuple(each.name for each in dataclasses.fields(kind))


__all__ = ["cached_property", "dataclass", "replace"]
