"""What bench/learn.py makes of questions: numbers that tell the answered from the others."""

from __future__ import annotations

from random import Random

from bench import learn
from bench.rules import BLIND, SETS
from companion.lookup.weights import SURE


def example(row: list[float], right: bool) -> learn.Example:
    return learn.Example([1.0, *row], right, not right, 1.0, "some")


def test_what_tells_them_apart_gets_the_weight_and_what_does_not_gets_none() -> None:
    luck = Random(3)
    rows = [[luck.random() for _ in range(len(SURE) - 1)] for _ in range(300)]
    weights = learn.learn([example(row, row[0] > row[1]) for row in rows])
    assert weights[1] > 5 > -5 > weights[2]
    assert all(abs(weight) < 1.5 for weight in weights[3:])
    told = [1.0, 0.9, 0.1, *[0.5] * (len(SURE) - 3)]
    assert learn.logistic(weights, told) > 0.95


def test_nothing_is_learnt_from_what_is_blind() -> None:
    blind = {SETS[name] for name in BLIND}
    assert all(folder.name in ("blind", "sixth") for folder in blind)
    assert not {SETS[name] for name in SETS if name not in BLIND} & blind
    assert all(folder not in blind for folder in learn.learnt_from().values())
