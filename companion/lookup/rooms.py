"""All rooms of a shelf are asked; and a room can be asked although none of its code is loaded."""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Protocol

from companion.core import HouseRule, Ruling
from companion.core.game import Rulings
from companion.lookup import kept
from companion.lookup.search import Answer, Searcher


class HasRulings(Protocol):
    """A game as far as questions about it go."""

    @property
    def slug(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def rulings(self) -> Sequence[Ruling]: ...
    @property
    def house_rules(self) -> tuple[HouseRule, ...]: ...


@dataclass(frozen=True)
class Room:
    """One whose title and house rules were kept when its code was last loaded."""

    slug: str
    title: str
    rulings: Rulings
    house_rules: tuple[HouseRule, ...]


def kept_rooms(more: Iterable[str] = ()) -> dict[str, Room] | None:
    """Every room that has rulings; None where of one nothing is kept, or not what it says now."""
    found = {}
    for folder in _folders(more):
        try:
            title, rows = marshal.loads(_file(folder).read_bytes())
            house_rules = tuple(HouseRule(**row) for row in rows)
        except (OSError, ValueError, EOFError, TypeError):
            return None
        rulings = Rulings(folder.name, folder / "data")
        slug = folder.name.replace("_", "-")
        found[slug] = Room(slug, title, rulings, house_rules)
    return dict(sorted(found.items(), key=lambda each: each[1].title))


def keep_rooms(games: Mapping[str, HasRulings], more: Iterable[str] = ()) -> None:
    for folder in _folders(more):
        game = games.get(folder.name.replace("_", "-"))
        with suppress(OSError, ValueError):
            if game:
                kept.keep(_file(folder), marshal.dumps((game.title, [asdict(r) for r in game.house_rules])))


def _folders(more: Iterable[str]) -> list[Path]:
    """Those of rooms that have rulings."""
    shelves = [Path(__file__).parent.parent / "games", *map(Path, more)]
    found = [file.parent.parent for shelf in shelves for file in shelf.glob("*/data/rulings.toml")]
    return sorted(folder for folder in found if (folder / "__init__.py").is_file())


def _file(folder: Path) -> Path:
    """By all that a title or a house rule may depend on."""
    files = sorted((*folder.rglob("*.py"), *(folder / "data").glob("*.toml")))
    name = hashlib.sha256(kept.way() + b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    return kept.FOLDER / f"{folder.name}-{name}.room"


@dataclass(frozen=True)
class Found(Answer):
    game: HasRulings

    @property
    def answer(self) -> str:
        """Where no table has chosen: with every reading."""
        unclear = (rule for rule in self.game.house_rules if rule.id == self.ruling.house_rule)
        return self.ruling.answer_at(next(unclear, None))


class LookUp:
    """All rooms of a shelf."""

    def __init__(self, games: Mapping[str, HasRulings]) -> None:
        self.games = games
        self._ask = cache(lambda slug: Searcher(kept.index_of(games[slug].rulings)))

    def get_ready(self, pause: Callable[[], None] = lambda: None) -> None:
        """Before anybody asks: where nothing is kept yet it takes seconds, so not where phones tap."""
        for slug in self.games:
            pause()
            self._ask(slug)
        _ = self._words

    @cached_property
    def _words(self) -> frozenset[str]:
        """All that any ruling says: in a question to all rooms, what one room knows is no other's slip."""
        return frozenset(word for slug in self.games for word in self._ask(slug).index.vocabulary)

    def search(self, question: str, game: str = "", limit: int = 5, besides: str = "") -> list[Found]:
        """Over one room, or over all (besides one) with the best first."""
        slugs = [game] if game else [slug for slug in self.games if slug != besides]
        spelled = () if game else self._words
        found = [
            (place, slug) for slug in slugs for place in self._ask(slug).places(question, limit, spelled)
        ]
        best = sorted(found, key=lambda each: -each[0][1])[:limit]
        return [
            Found(self._ask(slug).index.rulings[at], score, clear, equal, self.games[slug])
            for (at, score, clear, equal), slug in best
        ]
