"""What one player has to decide, with what each answer would give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.core import Do, Option, Question
from companion.games.tides_of_madness.cards import DREAMLANDS, SUITS, card
from companion.games.tides_of_madness.rounds import Missing, Scored, score_cards, what_if
from companion.games.tides_of_madness.state import LIMIT, Bonus, State


@dataclass(frozen=True)
class Lack:
    """What can only be put right on the sheet."""

    seat: int
    sentence: str
    form: str
    personal: bool = False  # only the one who sits there can say


def questions(state: State, scored: tuple[Scored, ...]) -> tuple[Question, ...]:
    return tuple(_question(state, each, scored[each.round - 1]) for each in _asked(state, scored))


def _asked(state: State, scored: tuple[Scored, ...]) -> Iterator[Missing]:
    for round in scored:
        if round.round < state.round or state.stage != "draft":
            yield from (each for each in round.missing if each.what in ("wild", "bonus", "token"))


def lacks(state: State, scored: tuple[Scored, ...]) -> tuple[Lack, ...]:
    """What earlier rounds still need after a correction, or because they were scored by hand."""
    found = []
    for round in scored:
        for each in round.missing:
            if each.what == "kept":
                found.append(Lack(each.seat, each.sentence, f"refresh-{each.after}-{each.seat}", True))
            elif each.what == "refresh":
                found.append(Lack(each.seat, each.sentence, f"refresh-{each.after}-{each.seat}"))
            elif each.round < state.round and each.what in ("cards", "typed"):
                sentence = f"Round {each.round}: {each.sentence}"
                found.append(Lack(each.seat, sentence, f"{each.what}-{each.round}-{each.seat}"))
    return tuple(dict.fromkeys(found))


def _question(state: State, asked: Missing, scored: Scored) -> Question:
    past = f"Round {asked.round}: " if asked.round < state.round else ""
    match asked.what:
        case "wild":
            return Question(
                asked.seat,
                f"{past}{card(DREAMLANDS).name} counts as",
                f"{past}{asked.sentence}",
                tuple(_suit(state, asked, scored, each.id, each.many) for each in SUITS),
            )
        case "token":
            do = {"seat": asked.seat, "round": asked.round}
            other = state.name(state.other(asked.seat))
            return Question(
                asked.seat,
                f"{past}Take a token from {other}?",
                f"{past}{asked.sentence}",
                (
                    Option(
                        "Take it",
                        Do("decide_token", {**do, "takes": "yes"}),
                        f"your Madness {scored.sides[asked.seat].after + 1}",
                    ),
                    Option(
                        "Leave it",
                        Do("decide_token", {**do, "takes": "no"}),
                        f"your Madness stays {scored.sides[asked.seat].after}",
                    ),
                ),
            )
        case _:
            gained = f"{state.name(asked.seat)} gained more Madness"
            return Question(
                asked.seat,
                f"{past}You gained more Madness. Choose:",
                f"{past}{gained} and chooses: 4 VP, or heal 1.",
                (_bonus(state, asked, "points"), _bonus(state, asked, "heal")),
            )


def _suit(state: State, asked: Missing, scored: Scored, wild: str, label: str) -> Option:
    mine, theirs = scored.sides[asked.seat], scored.sides[state.other(asked.seat)]
    points = sum(each.points for each in score_cards(state, mine.seat, asked.round, mine.after, wild))
    against = sum(each.points for each in score_cards(state, theirs.seat, asked.round, theirs.after, wild))
    do = Do("declare_suit", {"seat": asked.seat, "round": asked.round, "suit": wild})
    return Option(label, do, f"you {points} VP, {state.name(theirs.seat)} {against}", mark=wild)


def _bonus(state: State, asked: Missing, choice: Bonus) -> Option:
    would = what_if(state, asked.round, choice).sides[asked.seat]
    do = Do("choose_bonus", {"seat": asked.seat, "round": asked.round, "choice": choice})
    lost = would.after >= LIMIT
    detail = f"{would.points} VP this round, {would.after} Madness"
    if lost:
        detail += ": lost at the check"
    elif would.saved:
        detail += ": saved from nine"
    other: Bonus = "heal" if choice == "points" else "points"
    spared = what_if(state, asked.round, other).sides[asked.seat].after < LIMIT
    confirm = (
        f"With {would.after} Madness you lose the game. Take 4 VP all the same?" if lost and spared else ""
    )
    return Option("Take 4 VP" if choice == "points" else "Heal 1", do, detail, danger=lost, confirm=confirm)
