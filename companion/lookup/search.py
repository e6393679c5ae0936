"""Rules look-up: the ruling that answers a question, however a player words it.

Each room's rulings are an index of their own, asked in two ways. By words: each word of the question stands
for itself, for its other forms, for words that mean the same and, if nobody ever wrote it, for those that it
may be a slip of; what is found in a title counts more than what is found in an answer. And by likeness: each
ruling knows dozens of ways in which people ask for it, and the nearer they come to the question, word by word
and pair by pair, the better. static/js/look-up.js does the same on the phone while the server is away; a test
holds the two together.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from operator import mul
from typing import Any

from companion.core import Game, Ruling
from companion.lookup.words import NUMERALS, distance, pieces, wording, words

LONGEST = 200  # characters of a question that are read
WORDS = 24
SAME, SLIP = 0.6, 0.8  # beside the word itself: one that means the same, one that this may be a slip of
FIELDS = (("title", 2.0), ("wordings", 0.6), ("topic", 0.3), ("answer", 0.8), ("more", 0.4))
SATURATED, LENGTH = 1.0, 0.75  # as in BM25: said thrice is not three times as telling; long texts say more
STRANGE = 0.75  # of the rarest word's weight: for one that no ruling uses, and that may be mere talk
LIKELY = 25  # rulings whose wordings are compared
ALIKE = 0.25  # how much the likeness to its wordings counts, beside the words found anywhere
COMMON = 0.06  # what more of the wordings say than this tells none of them apart
# How much of the question the best ruling has, and how near its nearest wording is, together:
SURE = 0.45  # below this nothing answers
CLEAR = 0.75  # and below this we only show what is nearest

Term = dict[str, float]  # the words that one word of the question may stand for, and how much each counts


@dataclass(frozen=True)
class Answer:
    ruling: Ruling
    score: float
    clear: bool  # or else only the nearest that there is


@dataclass(frozen=True)
class Found(Answer):
    game: Game[Any]


@dataclass
class Index:
    """The rulings of one room."""

    rulings: Sequence[Ruling]
    rare: dict[str, float] = field(default_factory=dict)  # how telling a word is
    where: defaultdict[str, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    # Ways of asking for each ruling: how many there are, and which of them say a word or a pair.
    ways: list[tuple[int, dict[str, list[tuple[int, float]]]]] = field(default_factory=list)
    telling: dict[str, float] = field(default_factory=dict)  # how much a word or pair says about a wording
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
        self._remember(
            [[words(each) for each in (ruling.title, *ruling.wordings)] for ruling in self.rulings]
        )
        for word in self.rare:
            for piece in pieces(word):
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

    def _remember(self, told: list[list[list[str]]]) -> None:
        """All wordings of all rulings, by their words and pairs."""
        titles = [(tuple(units[0]), at) for at, units in enumerate(told)]
        others = [(tuple(unit), at) for at, units in enumerate(told) for unit in units[1:]]
        self.exact = dict([*reversed(others), *reversed(titles)])
        number = sum(map(len, told))
        grams = [[_grams(unit) for unit in units] for units in told]
        spread = Counter(gram for units in grams for unit in units for gram in unit)
        self.strangest = math.log(number + 1)
        most = COMMON * number + 1
        self.telling = {gram: math.log((number + 1) / (n + 1)) for gram, n in spread.items() if n <= most}
        for units in grams:
            found: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
            for at, unit in enumerate(units):
                known = {gram: self.telling[gram] for gram in unit if gram in self.telling}
                length = _length(known.values()) or 1.0
                for gram, weight in known.items():
                    found[gram].append((at, weight / length))
            self.ways.append((len(units), found))

    def search(self, question: str, limit: int = 5, spelled: Container[str] = ()) -> list[Answer]:
        """The best first; none where nothing fits well enough."""
        terms, understood = self.read(question, spelled)
        idle = wording().idle
        telling = [each for each in terms if not each[0] or not idle.issuperset(each[0])] or terms
        if 2 * sum(not term for term, _ in telling) > len(telling):
            return []  # most of it is about things that no ruling here knows
        fits = self._fits(telling)
        exact = self.exact.get(tuple(words(question)))
        likely = sorted(fits, key=lambda at: (at != exact, -fits[at], at))[:LIKELY]
        asked = self._asked(terms, understood)
        alike = {at: self._alike(asked, at) for at in likely}
        most = max((near for near, _ in alike.values()), default=0.0) or 1.0
        found = [(at, (1 - ALIKE) * fits[at] + ALIKE * alike[at][0] / most) for at in likely]
        found = [(at, 1.0 if at == exact else score) for at, score in found]
        found.sort(key=lambda each: (-each[1], each[0]))
        sure = max((fits[at] + alike[at][1] for at, _ in found[:1]), default=0.0)
        if sure < SURE:
            return []
        return [Answer(self.rulings[at], score, sure >= CLEAR) for at, score in found[:limit]]

    def _fits(self, terms: list[tuple[Term, float]]) -> dict[int, float]:
        """How much of the question is heard in each ruling: 1 is all of it."""
        asked = (SATURATED + 1) * sum(weight for _, weight in terms)
        scores: defaultdict[int, float] = defaultdict(float)
        for term, weight in terms:
            best: dict[int, float] = {}
            for word, much in term.items():
                for at, heard in self.where.get(word, ()):
                    if much * heard > best.get(at, 0.0):
                        best[at] = much * heard
            for at, heard in best.items():
                scores[at] += weight * heard / asked
        return scores

    def _asked(self, terms: list[tuple[Term, float]], understood: list[str]) -> Term:
        """The question as one of its wordings would be kept: 1 long."""
        asked: Term = dict.fromkeys(_grams(understood), 1.0)
        for term, _ in terms:
            for word, much in term.items():
                asked[word] = max(asked.get(word, 0.0), much)
        known = {gram: asked[gram] * self.telling[gram] for gram in sorted(asked) if gram in self.telling}
        strange = sum(not term for term, _ in terms)  # nothing is like a question about what nobody asks here
        length = _length([*known.values(), *[self.strangest] * strange]) or 1.0
        return {gram: weight / length for gram, weight in known.items()}

    def _alike(self, asked: Term, at: int) -> tuple[float, float]:
        """How near a ruling's wordings are to the question: all together, and the nearest (1 is the same).

        All count, by the square of their likeness: many rather near ones say more than a nearer one.
        """
        number, ways = self.ways[at]
        near = [0.0] * number
        for gram, weight in asked.items():
            for unit, heard in ways.get(gram, ()):
                near[unit] += weight * heard
        return sum(map(mul, near, near)), max(near)

    def read(self, question: str, spelled: Container[str] = ()) -> tuple[list[tuple[Term, float]], list[str]]:
        """What the question asks for: terms, and how telling each is; and its words, with slips mended.

        What is `spelled` right is no slip.
        """
        told = words(question[:LONGEST])[:WORDS]
        phrases = wording().phrases()
        terms: list[tuple[Term, float]] = []
        understood: list[str] = []
        at = 0
        while at < len(told):
            length = next((n for n in (3, 2) if tuple(told[at : at + n]) in phrases), 1)
            phrase = told[at : at + length]
            term = self._term(phrase, phrases.get(tuple(phrase), frozenset()), spelled)
            terms += [term] if term else []
            if term and term[0] and length == 1 and phrase[0] not in self.rare:
                phrase = [max(term[0], key=term[0].__getitem__)]
            understood += phrase
            at += length
        return terms, understood

    def _term(
        self, phrase: list[str], same: Iterable[str], spelled: Container[str]
    ) -> tuple[Term, float] | None:
        known = {word: SAME for word in sorted(same) if word in self.rare}
        if len(phrase) > 1:  # said in several words: each of them counts too, but less
            term = known | {word: SAME for word in phrase if word in self.rare}
            return term, max((self.rare[word] for word in term), default=self.unknown)
        (word,) = phrase
        if word in self.rare:
            return {**known, word: 1.0}, self.rare[word]
        if word in wording().idle:
            return None
        if not known and word not in spelled:
            known = {near: SLIP * like for near, like in self._slips(word)}
        return known, max((self.rare[each] for each in known), default=self.unknown)

    def _slips(self, word: str) -> list[tuple[str, float]]:
        """Known words that this may be a slip of, the three nearest."""
        if len(word) < 4 or word.isdigit():
            return []
        near = Counter(other for piece in pieces(word) for other in self.pieces.get(piece, ()))
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


def _grams(told: list[str]) -> set[str]:
    """Words, and pairs of neighbours: "not played" is something else than "played"."""
    return {*told, *(f"{one} {other}" for one, other in pairwise(told))}


def _text(ruling: Ruling, name: str) -> str:
    value = getattr(ruling, name)
    return value if isinstance(value, str) else " ".join(value)


def tuning() -> dict[str, Any]:
    """What the phone must know to find what the server would find."""
    return {
        "same": wording().same,
        "idle": sorted(wording().idle),
        "numerals": NUMERALS,
        "fields": FIELDS,
        "weights": {
            "same": SAME,
            "slip": SLIP,
            "saturated": SATURATED,
            "length": LENGTH,
            "strange": STRANGE,
            "likely": LIKELY,
            "alike": ALIKE,
            "common": COMMON,
            "sure": SURE,
            "clear": CLEAR,
        },
    }


@cache
def index(rulings: tuple[Ruling, ...]) -> Index:
    """Made when a room is first asked about: half a second that no start waits for."""
    return Index(rulings)


class LookUp:
    """All rooms of a shelf."""

    def __init__(self, games: Mapping[str, Game[Any]]) -> None:
        self.games = games
        self._index = cache(lambda slug: index(tuple(games[slug].rulings)))

    def get_ready(self, pause: Callable[[], None] = lambda: None) -> None:
        """Before anybody asks. It takes seconds, so nobody does this where phones tap; see aside.py."""
        for slug in self.games:
            pause()
            self._index(slug)
        _ = self._words

    @cached_property
    def _words(self) -> frozenset[str]:
        """All that any ruling says: in a question to all rooms, what one room knows is no other's slip."""
        return frozenset(word for slug in self.games for word in self._index(slug).rare)

    def search(self, question: str, game: str = "", limit: int = 5, besides: str = "") -> list[Found]:
        """Over one room, or over all (besides one) with the best first."""
        slugs = [game] if game else [slug for slug in self.games if slug != besides]
        spelled = () if game else self._words
        found = [
            Found(each.ruling, round(each.score, 4), each.clear, self.games[slug])
            for slug in slugs
            for each in self._index(slug).search(question, limit, spelled)
        ]
        return sorted(found, key=lambda each: -each.score)[:limit]
