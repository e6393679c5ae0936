"""Rules look-up: the ruling that answers a question, however a player words it.

Each room's rulings are an index of their own. A question is read word by word; every word stands for itself,
for its other forms, for words that mean the same and, if nobody ever wrote it, for those it may be a slip of.
What is found in a title, or in the words people use, counts more than what is found in an answer.
static/js/look-up.js does the same on the phone while the server is away; a test holds the two together.
"""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import Any

from companion.core import Game, Ruling

LONGEST = 200  # characters of a question that are read
WORDS = 24
SAME, SLIP = 0.6, 0.8  # beside the word itself: one that means the same, one that this may be a slip of
FIELDS = (("title", 2.0), ("asked", 0.6), ("topic", 0.3), ("answer", 0.8), ("more", 0.4))
SATURATED, LENGTH = 1.0, 0.75  # as in BM25: said thrice is not three times as telling; long texts say more
WHOLE = 0.2  # how much the likeness to one whole wording counts, beside the words found anywhere
STRANGE = 0.5  # of the rarest word's weight: for one that no ruling uses, and that may be mere talk
LIKELY = 20  # rulings that are looked at more closely
SURE = 0.3  # below this nothing is an answer

_SPLIT = re.compile(r"[^a-z0-9]+")
_APOSTROPHES = re.compile(r"['’`´]")
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_NUMERALS = {word: str(number) for number, word in enumerate(_COUNTED.split())}
_NUMERALS |= {"thirty": "30", "once": "1", "twice": "2"}


@dataclass(frozen=True)
class Found:
    game: Game[Any]
    ruling: Ruling
    score: float


def words(text: str) -> list[str]:
    """Small letters without accents, numbers as figures, each word by its stem."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    plain = _APOSTROPHES.sub("", plain)
    return [stem(_NUMERALS.get(word, word)) for word in _SPLIT.split(plain) if word]


@lru_cache(20_000)
def stem(word: str) -> str:
    """What is left without the commonest endings: enough for discard, discards, discarded and discarding."""
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word


@dataclass(frozen=True)
class Wording:
    """Words that mean the same, and those that say nothing about what is asked."""

    same: tuple[tuple[tuple[str, ...], ...], ...]  # groups of phrases
    idle: frozenset[str]

    @cache  # noqa: B019  one wording is loaded, and lives as long as the server
    def phrases(self) -> Mapping[tuple[str, ...], frozenset[str]]:
        """Phrase → the single words that may stand for it."""
        found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for group in self.same:
            single = {phrase[0] for phrase in group if len(phrase) == 1}
            for phrase in group:
                found[phrase] |= single - set(phrase)
        return {phrase: frozenset(others) for phrase, others in found.items()}


@cache
def wording() -> Wording:
    told = tomllib.loads(resources.files("companion").joinpath("words.toml").read_text("utf-8"))
    groups = tuple(tuple(tuple(words(phrase)) for phrase in group) for group in told["same"])
    return Wording(groups, frozenset(word for each in told["idle"] for word in words(each)))


Term = dict[str, float]  # the words that one word of the question may stand for, and how much each counts


@dataclass
class Index:
    """The rulings of one room."""

    rulings: Sequence[Ruling]
    units: list[tuple[dict[str, list[int]], list[float]]] = field(default_factory=list)  # of its wordings
    rare: dict[str, float] = field(default_factory=dict)  # how telling a word is
    where: defaultdict[str, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    exact: dict[tuple[str, ...], int] = field(default_factory=dict)  # a wording, word for word
    pieces: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # for slips

    def __post_init__(self) -> None:
        texts = [{name: Counter(words(_text(ruling, name))) for name, _ in FIELDS} for ruling in self.rulings]
        number = len(self.rulings)
        spread = Counter(word for text in texts for word in {w for each in text.values() for w in each})
        self.rare = {
            word: math.log(1 + (number - n + 0.5) / (n + 0.5)) * (0.2 if word in wording().idle else 1)
            for word, n in spread.items()
        }
        self.unknown = math.log(1 + (number + 0.5) / 0.5) * STRANGE
        self._weigh(texts)
        exact: list[tuple[tuple[str, ...], int]] = []
        others: list[tuple[tuple[str, ...], int]] = []
        for at, ruling in enumerate(self.rulings):
            told = [words(each) for each in (ruling.title, *ruling.asked)]
            exact.append((tuple(told[0]), at))
            others += [(tuple(unit), at) for unit in told[1:]]
            self.units.append(self._wordings([set(unit) - wording().idle for unit in told]))
        self.exact = dict([*reversed(others), *reversed(exact)])
        for word in self.rare:
            for piece in _pieces(word):
                self.pieces[piece].append(word)

    def _weigh(self, texts: list[dict[str, Counter[str]]]) -> None:
        """How much of each word is heard in each ruling."""
        number = len(texts) or 1
        average = {name: (sum(text[name].total() for text in texts) / number) or 1 for name, _ in FIELDS}
        for at, text in enumerate(texts):
            heard: defaultdict[str, float] = defaultdict(float)
            for name, weight in FIELDS:
                long = 1 - LENGTH + LENGTH * text[name].total() / average[name]
                for word, n in text[name].items():
                    heard[word] += weight * n / long
            for word, much in heard.items():
                self.where[word].append((at, much * (SATURATED + 1) / (much + SATURATED)))

    def _wordings(self, told: list[set[str]]) -> tuple[dict[str, list[int]], list[float]]:
        """Which of a ruling's wordings have a word, and how long each is."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, unit in enumerate(told):
            for word in unit:
                found[word].append(number)
        return found, [_length(self.rare[word] for word in unit) or 1.0 for unit in told]

    def search(
        self, question: str, limit: int = 5, spelled: Container[str] = ()
    ) -> list[tuple[Ruling, float]]:
        """The best first; none where nothing fits well enough."""
        terms = self.read(question, spelled)
        idle = wording().idle
        telling = [each for each in terms if not each[0] or not idle.issuperset(each[0])] or terms
        if 2 * sum(not term for term, _ in telling) > len(telling):
            return []  # most of it is about things that no ruling here knows
        asked = sum(weight for _, weight in telling)
        scores: defaultdict[int, float] = defaultdict(float)
        for term, weight in telling:
            best: dict[int, float] = {}
            for word, much in term.items():
                for at, heard in self.where.get(word, ()):
                    best[at] = max(best.get(at, 0.0), much * heard)
            for at, heard in best.items():
                scores[at] += weight * heard / (SATURATED + 1)
        likely = sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:LIKELY]
        whole = _length(weight for _, weight in telling)
        found = [
            (at, (1 - WHOLE) * score / asked + WHOLE * self._likeness(telling, whole, at))
            for at, score in likely
        ]
        if (exact := self.exact.get(tuple(words(question)))) is not None:
            found = [(at, score) for at, score in found if at != exact] + [(exact, 1.0)]
        found.sort(key=lambda each: (-each[1], each[0]))
        return [(self.rulings[at], score) for at, score in found[:limit] if score >= SURE]

    def _likeness(self, terms: list[tuple[Term, float]], whole: float, at: int) -> float:
        """To the title or to the one of its other wordings that is nearest: 1 is the same."""
        units, lengths = self.units[at]
        shared = [0.0] * len(lengths)
        for term, weight in terms:
            best: dict[int, float] = {}
            for word, much in term.items():
                for unit in units.get(word, ()):
                    best[unit] = max(best.get(unit, 0.0), much * self.rare[word])
            for unit, heard in best.items():
                shared[unit] += weight * heard
        return max(both / (whole * length) for both, length in zip(shared, lengths, strict=True))

    def read(self, question: str, spelled: Container[str] = ()) -> list[tuple[Term, float]]:
        """What the question asks for: terms, and how telling each is. What is `spelled` right is no slip."""
        told = words(question[:LONGEST])[:WORDS]
        phrases = wording().phrases()
        terms: list[tuple[Term, float]] = []
        at = 0
        while at < len(told):
            length = next((n for n in (3, 2) if tuple(told[at : at + n]) in phrases), 1)
            phrase = told[at : at + length]
            terms += self._terms(phrase, phrases.get(tuple(phrase), frozenset()), spelled)
            at += length
        return terms

    def _terms(
        self, phrase: list[str], same: Iterable[str], spelled: Container[str]
    ) -> list[tuple[Term, float]]:
        known = {word: SAME for word in sorted(same) if word in self.rare}
        if len(phrase) > 1:  # said in several words: each of them counts too, but less
            term = known | {word: SAME for word in phrase if word in self.rare}
            return [(term, max((self.rare[word] for word in term), default=self.unknown))]
        (word,) = phrase
        if word in self.rare:
            return [({**known, word: 1.0}, self.rare[word])]
        if word in wording().idle:
            return []
        if not known and word not in spelled:
            known = {near: SLIP * like for near, like in self._slips(word)}
        return [(known, max((self.rare[each] for each in known), default=self.unknown))]

    def _slips(self, word: str) -> list[tuple[str, float]]:
        """Known words that this may be a slip of, the three nearest."""
        if len(word) < 4 or word.isdigit():
            return []
        near = Counter(other for piece in _pieces(word) for other in self.pieces.get(piece, ()))
        most = 1 if len(word) < 6 else 2
        needed = max(2, len(word) + 1 - 3 * most)  # of its pairs of letters; a slip spoils three at most
        found = [
            (other, 1 - slips / max(len(word), len(other)))
            for other, shared in near.items()
            if shared >= needed and abs(len(other) - len(word)) <= most
            for slips in (distance(word, other, most),)
            if slips <= most
        ]
        return sorted(found, key=lambda each: (-each[1], each[0]))[:3]


def _length(weights: Iterable[float]) -> float:
    return math.sqrt(sum(weight * weight for weight in weights))


def _text(ruling: Ruling, name: str) -> str:
    value = getattr(ruling, name)
    return value if isinstance(value, str) else " ".join(value)


def _pieces(word: str) -> set[str]:
    framed = f"^{word}$"
    return {framed[at : at + 2] for at in range(len(framed) - 1)}


def distance(one: str, other: str, most: int = 99) -> int:
    """Letters to add, leave out, change, or swap with their neighbour; counted no further than `most`."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row = row, [i]
        for j, b in enumerate(other, 1):
            step = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                step = min(step, before[j - 2] + 1)
            row.append(step)
        if min(row) > most:
            return most + 1
        before = last
    return row[-1]


def tuning() -> dict[str, Any]:
    """What the phone must know to find what the server would find."""
    return {
        "same": wording().same,
        "idle": sorted(wording().idle),
        "numerals": _NUMERALS,
        "fields": FIELDS,
        "weights": {
            "same": SAME,
            "slip": SLIP,
            "saturated": SATURATED,
            "length": LENGTH,
            "whole": WHOLE,
            "strange": STRANGE,
            "likely": LIKELY,
            "sure": SURE,
        },
    }


class LookUp:
    """All rooms of a shelf."""

    def __init__(self, games: Mapping[str, Game[Any]]) -> None:
        self.games = games
        self._index = cache(lambda slug: Index(games[slug].rulings))

    @cached_property
    def _words(self) -> frozenset[str]:
        """All that any ruling says: in a question to all rooms, what one room knows is no other's slip."""
        return frozenset(word for slug in self.games for word in self._index(slug).rare)

    def search(self, question: str, game: str = "", limit: int = 5, besides: str = "") -> list[Found]:
        """Over one room, or over all (besides one) with the best first."""
        slugs = [game] if game else [slug for slug in self.games if slug != besides]
        spelled = () if game else self._words
        found = [
            Found(self.games[slug], ruling, round(score, 4))
            for slug in slugs
            for ruling, score in self._index(slug).search(question, limit, spelled)
        ]
        return sorted(found, key=lambda each: -each.score)[:limit]
