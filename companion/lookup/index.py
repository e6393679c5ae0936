"""What is known of one room's rulings: made from their texts once, kept as a few flat arrays, read at once.

static/js/look-up.js makes the same of what it is sent; a test holds the two together.
"""

from __future__ import annotations

import hashlib
import marshal
import math
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

from companion.core import Ruling
from companion.lookup.words import VOICES, wording, words

FIELDS = (("title", 2.0), ("wordings", 0.6), ("topic", 0.3), ("answer", 0.8), ("more", 0.4))
SATURATED, LENGTH = 1.0, 0.75  # as in BM25: said thrice is not three times as telling; long texts say more
STRANGE = 0.75  # of the rarest word's weight: for one that no ruling uses, and that may be mere talk
COMMON = 0.06  # what more of the wordings say than this tells none of them apart
USUAL = 0.35  # a word of so many of a ruling's wordings is missed in a question without it

LEFT_OUT: dict[str, Any] = {
    "wordings": (),
    "words": "",
    "special": (),
}  # of what is kept: the index is made of it

Same = tuple[tuple[tuple[str, ...], ...], ...]


@dataclass(frozen=True)
class Postings:
    """For each of many keys, where it is heard, and how much."""

    starts: array[int]
    places: array[int]
    much: array[float]

    def of(self, key: int) -> Iterable[tuple[int, float]]:
        start, end = self.starts[key], self.starts[key + 1]
        return zip(self.places[start:end], self.much[start:end], strict=True)

    def where(self, key: int) -> array[int]:
        return self.places[self.starts[key] : self.starts[key + 1]]

    @classmethod
    def made(cls, rows: Sequence[Sequence[tuple[int, float]]]) -> Postings:
        return cls(
            array("I", accumulate(map(len, rows), initial=0)),
            array("H", [at for row in rows for at, _ in row]),
            array("d", [much for row in rows for _, much in row]),
        )


@dataclass(frozen=True)
class Keys:
    """Words and pairs by eight bytes of each: all that is ever asked is where one is."""

    sorted: array[int]

    def find(self, text: str) -> int:
        """-1 where nobody has said it."""
        key = _key(text)
        at = bisect_left(self.sorted, key)
        return at if at < len(self.sorted) and self.sorted[at] == key else -1


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


class Texts(Sequence[Ruling]):
    """Rulings as they were kept; most questions are answered by three of them."""

    def __init__(self, kept: Sequence[bytes]) -> None:
        self.kept = kept

    def __len__(self) -> int:
        return len(self.kept)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        return Ruling(**marshal.loads(self.kept[at]))


@dataclass(frozen=True)
class Index:
    rulings: Sequence[Ruling]
    same: Same  # words that mean the same in this room, besides those that do everywhere
    vocabulary: dict[str, int]
    rare: array[float]  # how telling a word is
    usual: array[float]  # how many of the wordings say it, over all rulings
    heard: Postings  # word → rulings, as in BM25
    share: Postings  # word → rulings, how many of the wordings say it
    core: array[float]  # how much is missed of a ruling when none of its usual words is said
    grams: Keys
    near: Postings  # word or pair → wordings
    owner: array[int]  # wording → ruling
    ways: array[int]  # ruling → its first wording; and the end
    voices: tuple[array[float], ...]  # how many of the wordings speak of me, of another, of what is not
    numbers: tuple[frozenset[str], ...]
    special: tuple[tuple[frozenset[str], ...], ...]  # one must be heard, or it is about another
    seldom: array[float]  # asked for
    exact: Keys  # wordings word for word
    whose: array[int]

    @cached_property
    def many(self) -> list[int]:
        """How many wordings each ruling has."""
        return [end - start for start, end in pairwise(self.ways)]

    @cached_property
    def unknown(self) -> float:
        return math.log(1 + (len(self.rulings) + 0.5) / 0.5) * STRANGE

    @cached_property
    def strangest(self) -> float:
        return math.log(len(self.owner) + 1)

    def share_in(self, word: str, ruling: int) -> float:
        at = self.vocabulary.get(word, -1)
        return next((much for place, much in self.share.of(at) if place == ruling), 0.0) if at >= 0 else 0.0

    def usual_of(self, word: str) -> float:
        at = self.vocabulary.get(word, -1)
        return self.usual[at] if at >= 0 else 0.0

    def telling(self, gram: int) -> float:
        """How much a word or pair says about a wording."""
        return math.log((len(self.owner) + 1) / (self.near.starts[gram + 1] - self.near.starts[gram] + 1))

    def pack(self) -> bytes:
        def flat(value: Any) -> Any:
            if isinstance(value, array):
                return (value.typecode, value.tobytes())
            if isinstance(value, Keys):
                return flat(value.sorted)
            if isinstance(value, Postings):
                return tuple(map(flat, (value.starts, value.places, value.much)))
            return tuple(map(flat, value)) if isinstance(value, tuple) else value

        texts = [marshal.dumps(asdict(replace(each, **LEFT_OUT))) for each in self.rulings]
        names = [name for name in self.__dataclass_fields__ if name != "rulings"]
        return marshal.dumps((texts, [flat(getattr(self, name)) for name in names]))

    @classmethod
    def unpack(cls, kept: bytes) -> Index:
        texts, flat = marshal.loads(kept)
        names = [name for name in cls.__dataclass_fields__ if name != "rulings"]
        fields = dict(zip(names, flat, strict=True))
        for name in ("rare", "usual", "core", "owner", "ways", "seldom", "whose"):
            fields[name] = _array(fields[name])
        for name in ("heard", "share", "near"):
            fields[name] = Postings(*map(_array, fields[name]))
        for name in ("grams", "exact"):
            fields[name] = Keys(_array(fields[name]))
        fields["voices"] = tuple(map(_array, fields["voices"]))
        return cls(Texts(texts), **fields)


def _array(kept: tuple[str, bytes]) -> array[Any]:
    made = array(kept[0])
    made.frombytes(kept[1])
    return made


def ways_of(ruling: Ruling) -> list[list[str]]:
    """All wordings, its title first, and its id: that names what it is about."""
    return [words(text) for text in (ruling.title, ruling.id.replace("-", " "), *ruling.wordings)]


def grams_of(stems: list[str]) -> set[str]:
    """Words, and pairs of neighbours: "not played" is something else than "played"."""
    return {*stems, *(f"{one} {other}" for one, other in pairwise(stems))}


def numbers_in(stems: Iterable[str]) -> set[str]:
    return {word for word in stems if word.isdigit()}


def build(rulings: Sequence[Ruling], same: Same = ()) -> Index:
    ways = [ways_of(ruling) for ruling in rulings]
    texts = [_counted(ruling, units) for ruling, units in zip(rulings, ways, strict=True)]
    spread = Counter(word for text in texts for word in {word for each in text.values() for word in each})
    vocabulary = {word: at for at, word in enumerate(sorted(spread))}
    number, idle = len(rulings), wording().idle
    rare = array(
        "d",
        (
            math.log(1 + (number - spread[word] + 0.5) / (spread[word] + 0.5)) * (0.2 if word in idle else 1)
            for word in vocabulary
        ),
    )
    share = _shares(rulings, ways, vocabulary)
    core = [0.0] * number
    for word, row in enumerate(share):
        for at, much in row:
            core[at] += much * rare[word] if much >= USUAL else 0.0
    return Index(
        rulings,
        same,
        vocabulary,
        rare,
        array("d", (sum(much for _, much in row) / (number or 1) for row in share)),
        Postings.made(_heard(texts, vocabulary)),
        Postings.made(share),
        array("d", core),
        *_likeness(ways),
        _voices(ways),
        tuple(_numbers(ruling, units) for ruling, units in zip(rulings, ways, strict=True)),
        tuple(tuple(frozenset(words(phrase)) for phrase in ruling.special) for ruling in rulings),
        array("d", (float(ruling.seldom) for ruling in rulings)),
        *_exactly(ways),
    )


def _counted(ruling: Ruling, ways: list[list[str]]) -> dict[str, Counter[str]]:
    wordings = Counter([*(word for unit in ways[1:] for word in unit), *words(ruling.words)])
    return {
        name: wordings if name == "wordings" else Counter(words(getattr(ruling, name))) for name, _ in FIELDS
    }


def _heard(texts: list[dict[str, Counter[str]]], vocabulary: dict[str, int]) -> list[list[tuple[int, float]]]:
    """How much of each word is heard in each ruling."""
    number = len(texts) or 1
    average = {name: (sum(text[name].total() for text in texts) / number) or 1 for name, _ in FIELDS}
    found: list[list[tuple[int, float]]] = [[] for _ in vocabulary]
    for at, text in enumerate(texts):
        heard: defaultdict[str, float] = defaultdict(float)
        for name, weight in FIELDS:
            long = 1 - LENGTH + LENGTH * text[name].total() / average[name]
            for word, n in text[name].items():
                heard[word] += weight * n / long
        for word, much in heard.items():
            found[vocabulary[word]].append((at, much * (SATURATED + 1) / (much + SATURATED)))
    return found


def _shares(
    rulings: Sequence[Ruling], ways: list[list[list[str]]], vocabulary: dict[str, int]
) -> list[list[tuple[int, float]]]:
    """How many of a ruling's wordings say a word."""
    found: list[list[tuple[int, float]]] = [[] for _ in vocabulary]
    for at, (ruling, units) in enumerate(zip(rulings, ways, strict=True)):
        counts = Counter([*(word for unit in units for word in set(unit)), *words(ruling.words)])
        for word, n in counts.items():
            found[vocabulary[word]].append((at, n / len(units)))
    return found


def _likeness(
    ways: list[list[list[str]]],
) -> tuple[Keys, Postings, array[int], array[int]]:
    """All wordings of all rulings, by their words and pairs."""
    flat = [grams_of(unit) for units in ways for unit in units]
    spread = Counter(gram for unit in flat for gram in unit)
    most = COMMON * len(flat) + 1
    telling = {gram: math.log((len(flat) + 1) / (n + 1)) for gram, n in spread.items() if n <= most}
    order = sorted(telling, key=_key)
    place = {gram: at for at, gram in enumerate(order)}
    found: list[list[tuple[int, float]]] = [[] for _ in order]
    for at, unit in enumerate(flat):
        known = sorted(gram for gram in unit if gram in telling)
        length = math.sqrt(sum(telling[gram] ** 2 for gram in known)) or 1.0
        for gram in known:
            found[place[gram]].append((at, telling[gram] / length))
    return (
        Keys(array("Q", map(_key, order))),
        Postings.made(found),
        array("H", (at for at, units in enumerate(ways) for _ in units)),
        array("H", accumulate(map(len, ways), initial=0)),
    )


def _voices(ways: list[list[list[str]]]) -> tuple[array[float], ...]:
    return tuple(
        array("d", (sum(not voice.isdisjoint(unit) for unit in units) / len(units) for units in ways))
        for voice in VOICES
    )


def _numbers(ruling: Ruling, ways: list[list[str]]) -> frozenset[str]:
    """Those it is about: of its title and answer, and of at least two of its wordings."""
    often = Counter(number for unit in ways for number in numbers_in(unit))
    stated = numbers_in(words(f"{ruling.title} {ruling.answer}"))
    return frozenset(stated | {number for number, times in often.items() if times > 1})


def _exactly(ways: list[list[list[str]]]) -> tuple[Keys, array[int]]:
    titles = [(" ".join(units[0]), at) for at, units in enumerate(ways)]
    others = [(" ".join(unit), at) for at, units in enumerate(ways) for unit in units[1:]]
    whose = {_key(text): at for text, at in [*reversed(others), *reversed(titles)]}
    return Keys(array("Q", sorted(whose))), array("H", (whose[key] for key in sorted(whose)))
