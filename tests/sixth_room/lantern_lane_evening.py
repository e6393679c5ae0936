"""A whole evening in Lantern Lane, and tallies from both sides of every line; found by tests/brought.py."""

from __future__ import annotations

from typing import Any

PLAYERS = 3
ENDS = ("win", ["Bartholomew the Unready"])
#: Round by round what the three bid, and what they lit.
ROUNDS = (((2, 0, 3), (2, 1, 3)), ((5, 4, 2), (2, 4, 2)), ((1, 5, 0), (0, 5, 3)), ((3, 4, 1), (1, 4, 2)))


def play(table: Any) -> None:
    """Bartholomew, who bids on a phone of his own, comes from behind; Ada's oil runs out."""
    for item in ("lane", "oil"):
        table.do("tick", item=item, done="yes")
    table.do("next_round", after=0)
    for round, (bids, lit) in enumerate(ROUNDS, 1):
        for seat, lanterns in enumerate(bids, 1):
            table.do("bid", 2 if seat == 2 else 1, seat=seat, round=round, lanterns=lanterns)
        for seat, lanterns in enumerate(lit, 1):
            table.do("light", seat=seat, round=round, lanterns=lanterns)
        table.do("next_round", after=round)


def tally(*each: tuple[int, int]) -> dict[str, Any]:
    names = ("Ada", "Bob", "Cleo", "Dov")
    return {
        "players": [
            {"name": name, "points": points, "oil": oil}
            for name, (points, oil) in zip(names, each, strict=False)
        ]
    }


TALLY = tally((31, 2), (40, 1))
BOUNDARIES = [
    (tally((31, 1), (30, 1)), "win", ["Ada"], "Ada has lit the lane with 31."),
    (tally((31, 0), (30, 1)), "win", ["Bob"], "Bob has lit the lane with 30."),
    (tally((30, 1), (30, 6), (29, 1)), "shared", ["Ada", "Bob"], "Ada and Bob share the lane with 30 each."),
    (tally((30, 0), (30, 0)), "loss", [], "Every lamp is dark: the lane wins."),
    (tally((-3, 1), (-4, 6)), "win", ["Ada"], "Ada has lit the lane with −3."),
]
