"""A whole evening of Tides of Madness, card by card; found by tests/brought.py."""

from __future__ import annotations

from typing import Any

from companion.core import Question

PLAYERS = 2
ENDS = ("win", ["Ada"])
#: Round by round what each plays, in this order.
DRAFTS = (
    (
        ("cthulhu", "azathoth", "deep-ones", "rlyeh", "necronomicon"),
        ("hastur", "unaussprechlichen-kulten", "yog-sothoth", "innsmouth", "miskatonic-university"),
    ),
    (
        ("azathoth", "elder-things", "mountains-of-madness", "unaussprechlichen-kulten", "nyarlathotep"),
        ("necronomicon", "yog-sothoth", "miskatonic-university", "deep-ones", "dagon"),
    ),
    (
        ("yog-sothoth", "deep-ones", "pnakotic-manuscripts", "great-race-of-yith", "miskatonic-university"),
        ("unaussprechlichen-kulten", "mountains-of-madness", "elder-things", "dreamlands", "shub-niggurath"),
    ),
)
#: What each keeps and discards after rounds 1 and 2.
REFRESHES = (
    (("cthulhu", "rlyeh"), ("hastur", "innsmouth")),
    (("azathoth", "nyarlathotep"), ("necronomicon", "dagon")),
)


def play(table: Any) -> None:
    """Each on their own phone, face down until both have chosen; nobody taps that it goes on."""
    for round, draft in enumerate(DRAFTS, 1):
        for pick, cards in enumerate(zip(*draft, strict=True), 1):
            for seat, card in enumerate(cards, 1):
                table.do("choose_card", seat, seat=seat, round=round, pick=pick, card=card)
        if round == 3:
            table.do("declare_suit", 2, seat=2, round=3, suit="manuscripts")
        for asked in [each for each in table.view.phase.first if isinstance(each, Question)]:
            choice = "points" if round < 3 else "heal"
            table.do("choose_bonus", asked.seat, seat=asked.seat, round=round, choice=choice)
        for seat, (kept, gone) in enumerate(REFRESHES[round - 1] if round < 3 else (), 1):
            table.do("choose_refresh", seat, seat=seat, round=round, what="kept", card=kept)
            table.do("choose_refresh", seat, seat=seat, round=round, what="discarded", card=gone)
