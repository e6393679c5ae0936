"""Rules look-up: the ruling that answers a question, however a player words it.

Each room's rulings are an index of their own. Each word of the question stands for itself, for its other
forms, for words that mean the same and, if nobody ever wrote it, for those that it may be a slip of. A ruling
is judged by several marks: how much of the question it says, how near the ways are in which people ask for
it, which of its usual words are missed, whether the numbers are its numbers, and who is spoken of. What makes
a case special must be said: else the general ruling stands above it. static/js/look-up.js does the same on
the phone while the server is away; a test holds the two together.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.core import Ruling
from companion.lookup.index import COMMON, SATURATED, USUAL, Index, grams_of, numbers_in
from companion.lookup.weights import (
    CLEAR,
    EQUAL,
    FARTHEST,
    LONGEST,
    MARKS,
    NOTHING,
    OWN,
    OWNED,
    ROUGH,
    SAME,
    SELDOM,
    SLIP,
    SURE,
    WORDS,
)
from companion.lookup.words import VOICES, distance, pieces, wording, words

Term = dict[str, float]  # the words that one word of the question may stand for, and how much each counts


@dataclass(frozen=True)
class Answer:
    ruling: Ruling
    score: float  # how sure it is that it answers
    clear: bool  # or else only the nearest that there is
    equal: bool  # it and another answer about as well


@dataclass(frozen=True)
class Query:
    """As it is understood: its terms, how telling each is, its words with slips mended, all that it says."""

    terms: list[tuple[Term, float]]
    understood: list[str]
    heard: frozenset[str]

    @property
    def telling(self) -> list[tuple[Term, float]]:
        idle = wording().idle
        return [each for each in self.terms if not each[0] or not idle.issuperset(each[0])] or self.terms

    @property
    def strange(self) -> float:
        """How much of it is about things that no ruling here knows."""
        return sum(not term for term, _ in self.telling) / (len(self.telling) or 1)


class Searcher:
    """Asks the index of one room."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.number = len(index.rulings)
        self._phrases = wording().phrases(index.same)

    def search(self, question: str, limit: int = 5, spelled: Container[str] = ()) -> list[Answer]:
        """The best first; none where nothing fits well enough."""
        found = self.places(question, limit, spelled)
        return [Answer(self.index.rulings[at], score, clear, equal) for at, score, clear, equal in found]

    def places(
        self, question: str, limit: int, spelled: Container[str] = ()
    ) -> list[tuple[int, float, bool, bool]]:
        """Where they are, how sure each is, whether it is clear and has an equal: not yet read themselves."""
        query = self.read(question, spelled)
        if not self.understands(query):
            return []
        marks = self.marks(query)
        chances = self.chances(marks)
        exact = self.exact(question)
        order = sorted(range(self.number), key=lambda at: (at != exact, -round(math.log(chances[at]), 6), at))
        first, second = order[0], order[1] if self.number > 1 else order[0]
        sure = 1.0 if first == exact else self.sure(marks, chances, query, first, second)
        if sure < NOTHING:
            return []
        equals = first != exact and chances[second] > EQUAL * chances[first]
        best = chances[first] or 1
        scores = [(at, round(sure * min(1.0, chances[at] / best), 6)) for at in order[:limit]]
        return [(at, score, sure >= CLEAR, equals and at in (first, second)) for at, score in scores]

    def understands(self, query: Query) -> bool:
        return bool(self.number) and any(term for term, _ in query.telling) and query.strange <= 0.6

    def exact(self, question: str) -> int:
        at = self.index.exact.find(" ".join(words(question)))
        return self.index.whose[at] if at >= 0 else -1

    def marks(self, query: Query) -> dict[str, list[float]]:
        """For each ruling, by the name of the mark."""
        index = self.index
        squares, sums, nearest = self._near(query)
        voices = [not voice.isdisjoint(query.heard) for voice in VOICES]
        numbers = numbers_in(query.heard)
        return {
            "said": self._said(query.telling),
            "many": _beside_the_most(squares),
            "mean": _beside_the_most([much / many for much, many in zip(sums, index.many, strict=True)]),
            "nearest": nearest,
            "likely": self._likely(query.terms),
            "missed": self._missed(query.terms),
            **{
                name: [one if speaks else 1 - one for one in shares]
                for name, speaks, shares in zip(("me", "other", "not"), voices, index.voices, strict=True)
            },
            "numbers": [len(numbers - own) / len(numbers) if numbers else 0.0 for own in index.numbers],
            "seldom": list(index.seldom),
            "special": [
                float(bool(case) and not any(phrase <= query.heard for phrase in case))
                for case in index.special
            ],
        }

    def chances(self, marks: dict[str, list[float]]) -> list[float]:
        """That it is the one among all of them."""
        sums = [0.0] * self.number
        for name, weight in MARKS.items():
            sums = [all_of_it + weight * mark for all_of_it, mark in zip(sums, marks[name], strict=True)]
        most = max(sums)
        weights = [math.exp(max(each - most, FARTHEST)) for each in sums]
        total = sum(weights)
        return [each / total for each in weights]

    def features(
        self, marks: dict[str, list[float]], chances: list[float], query: Query, first: int, second: int
    ) -> dict[str, float]:
        return {
            "": 1.0,
            "chance": chances[first],
            "ahead": chances[first] - chances[second],
            "sum": sum(weight * marks[name][first] for name, weight in MARKS.items()),
            **{name: marks[name][first] for name in ("said", "nearest", "missed", "likely")},
            "strange": query.strange,
            "long": float(min(len(query.telling), 6)),
            **self._beyond(query, first),
            **self._at_once(query, first),
        }

    def _beyond(self, query: Query, first: int) -> dict[str, float]:
        """Words that people use when they ask for this ruling, if it answers a question with them."""
        index, known = self.index, wording()

        def unsaid(word: str) -> float:
            return 1 - min(1.0, index.share_in(word, first) / SELDOM)

        others = [word for word in query.heard & known.elsewhere if index.usual_of(word) < OWNED]
        return {
            "beyond": max(map(unsaid, query.heard & known.beyond), default=0.0),
            "elsewhere": sum(map(unsaid, others)),
            "foreign": float(sum(word not in index.vocabulary for word in others)),
        }

    def _at_once(self, query: Query, first: int) -> dict[str, float]:
        """How much of the question a single wording says; and how many of its pairs of words one says, of the
        best ruling or of any."""
        mine = range(self.index.ways[first], self.index.ways[first + 1])
        weights = [weight for _, weight in query.telling]
        everywhere = [self._saying(term) for term, _ in query.telling]
        here = [{unit: units[unit] for unit in mine if unit in units} for units in everywhere]
        most = max(
            sum(weight * units.get(unit, 0.0) for weight, units in zip(weights, here, strict=True))
            for unit in mine
        )
        return {
            "at once": most / (sum(weights) or 1.0),
            "pairs": _paired(weights, here),
            "known pairs": _paired(weights, everywhere),
        }

    def _saying(self, term: Term) -> Mapping[int, float]:
        """The wordings that say a word or what it may stand for, and how much; a common one is in all."""
        index = self.index
        units: dict[int, float] = {}
        for word, much in sorted(term.items(), key=lambda each: each[1]):
            gram = index.grams.find(word)
            common = range(len(index.owner) if index.usual_of(word) > COMMON / 2 else 0)
            units.update(dict.fromkeys(index.near.where(gram) if gram >= 0 else common, much))
        return units

    def sure(
        self, marks: dict[str, list[float]], chances: list[float], query: Query, first: int, second: int
    ) -> float:
        features = self.features(marks, chances, query, first, second)
        return 1 / (1 + math.exp(-sum(weight * features[name] for name, weight in SURE.items())))

    def _said(self, terms: list[tuple[Term, float]]) -> list[float]:
        """How much of the question is heard in each ruling: 1 is all of it."""
        most = (SATURATED + 1) * sum(weight for _, weight in terms)
        scores = [0.0] * self.number
        for term, weight in terms:
            for at, heard in self._best(term, self.index.heard).items():
                scores[at] += weight * heard / most
        return scores

    def _best(self, term: Term, postings: Any) -> dict[int, float]:
        """Of the words that one may stand for, the one that is heard most."""
        best: dict[int, float] = {}
        for word, much in term.items():
            for at, heard in postings.of(self.index.vocabulary[word]):
                if much * heard > best.get(at, 0.0):
                    best[at] = much * heard
        return best

    def _likely(self, terms: list[tuple[Term, float]]) -> list[float]:
        """How much more its wordings say these words than all wordings do."""
        index = self.index
        known = [term for term, _ in terms if term]
        scores, never = [0.0] * self.number, 0.0
        for term in known:
            usual = max(much * index.usual[index.vocabulary[word]] for word, much in term.items())
            silent = (1 - OWN) * usual + ROUGH
            never += math.log(silent / (usual + ROUGH))  # as if no ruling's wordings said it
            for at, share in self._best(term, index.share).items():
                scores[at] += math.log(OWN * share / silent + 1)
        return [(never + score) / (len(known) or 1) for score in scores]

    def _missed(self, terms: list[tuple[Term, float]]) -> list[float]:
        index = self.index
        left = list(index.core)
        for word in sorted({word for term, _ in terms for word in term}):
            at = index.vocabulary[word]
            for ruling, much in index.share.of(at):
                left[ruling] -= much * index.rare[at] if much >= USUAL else 0.0
        return [each / (all_of_it + 1e-6) for each, all_of_it in zip(left, index.core, strict=True)]

    def _near(self, query: Query) -> tuple[list[float], list[float], list[float]]:
        """How near each ruling's wordings are to the question, 1 being the same: squared, added, most."""
        index = self.index
        near: dict[int, float] = {}
        for gram, weight in self._as_wording(query):
            for unit, heard in index.near.of(gram):
                near[unit] = near.get(unit, 0.0) + weight * heard
        squares, sums, nearest = ([0.0] * self.number for _ in range(3))
        for unit in sorted(near):
            at, like = index.owner[unit], near[unit]
            squares[at] += like * like
            sums[at] += like
            if like > nearest[at]:
                nearest[at] = like
        return squares, sums, nearest

    def _as_wording(self, query: Query) -> list[tuple[int, float]]:
        """The question as one of its wordings would be kept: 1 long."""
        index = self.index
        weighed: Term = dict.fromkeys(grams_of(query.understood), 1.0)
        for term, _ in query.terms:
            for word, much in term.items():
                weighed[word] = max(weighed.get(word, 0.0), much)
        places = [(index.grams.find(gram), weighed[gram]) for gram in sorted(weighed)]
        known = [(at, much * index.telling(at)) for at, much in places if at >= 0]
        strange = sum(not term for term, _ in query.terms)  # nothing is like what nobody asks here
        length = math.sqrt(sum(much * much for _, much in known) + strange * index.strangest**2) or 1.0
        return [(at, much / length) for at, much in known]

    def read(self, question: str, spelled: Container[str] = ()) -> Query:
        """What is `spelled` right is no slip."""
        stems = words(question[:LONGEST])[:WORDS]
        terms: list[tuple[Term, float]] = []
        understood: list[str] = []
        at = 0
        while at < len(stems):
            left = len(stems) - at
            length = next((n for n in (3, 2) if n <= left and tuple(stems[at : at + n]) in self._phrases), 1)
            phrase = stems[at : at + length]
            term = self._term(phrase, self._phrases.get(tuple(phrase), frozenset()), spelled)
            terms += [term] if term else []
            if term and term[0] and length == 1 and phrase[0] not in self.index.vocabulary:
                phrase = [max(term[0], key=term[0].__getitem__)]
            understood += phrase
            at += length
        return Query(terms, understood, frozenset((*stems, *understood)))

    def _term(
        self, phrase: list[str], same: Iterable[str], spelled: Container[str]
    ) -> tuple[Term, float] | None:
        index = self.index
        known = {word: SAME for word in sorted(same) if word in index.vocabulary}
        if len(phrase) > 1:  # said in several words: each of them counts too, but less
            term = known | {word: SAME for word in phrase if word in index.vocabulary}
            return term, self._rarest(term)
        (word,) = phrase
        if word in index.vocabulary:
            return {**known, word: 1.0}, index.rare[index.vocabulary[word]]
        if word in wording().idle:
            return None
        if not known and word not in spelled and word not in wording().spelled:
            known = {near: SLIP * like for near, like in self._slips(word)}
        return known, self._rarest(known)

    def _rarest(self, term: Term) -> float:
        index = self.index
        return max((index.rare[index.vocabulary[word]] for word in term), default=index.unknown)

    def _slips(self, word: str) -> list[tuple[str, float]]:
        """Known words that this may be a slip of, the three nearest."""
        if len(word) < 4 or word.isdigit():
            return []
        most = 1 if len(word) < 6 else 2
        needed = max(2, len(word) + 1 - 3 * most)  # of its pairs of letters; a slip spoils three at most
        mine = pieces(word)
        found = [
            (other, 1 - slips / max(len(word), len(other)))
            for other in self.index.vocabulary
            if other[0] == word[0]
            and abs(len(other) - len(word)) <= most
            and len(mine & pieces(other)) >= needed
            for slips in (distance(word, other, most),)
            if slips <= most
        ]
        return sorted(found, key=lambda each: (-each[1], each[0]))[:3]


def _paired(weights: list[float], saying: Sequence[Mapping[int, float]]) -> float:
    """Of all pairs, by the lesser weight; of a single word, whether it is said at all."""
    pairs = [
        (min(weights[at], weights[other]), not saying[at].keys().isdisjoint(saying[other]))
        for at in range(len(weights))
        for other in range(at)
    ] or [(1.0, bool(saying[0]))]
    return sum(weight for weight, together in pairs if together) / (sum(weight for weight, _ in pairs) or 1.0)


def _beside_the_most(many: list[float]) -> list[float]:
    most = max(many) or 1.0
    return [each / most for each in many]
