"""A tally is what a table counted without us: JSON in, a verdict out.

A room judges one with `Game.tally`, a function `(table, …typed arguments) → Verdict` whose arguments are the
keys of the tally, as a command's are the fields of its form. `players` names the seats, in order: a list of
names, or of objects with a `name`. `house_rules` may stand beside them in any tally.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, get_type_hints

from pydantic import TypeAdapter, ValidationError

from companion.core.game import Game
from companion.core.refused import Refused
from companion.core.table import COLOURS, SYMBOLS, Seat, Table
from companion.core.text import Name, clean, listed, named, plain, same_name
from companion.core.verdict import Verdict


@dataclass(frozen=True)
class Player:
    """One of the players of a tally; a room's own adds what it counts. An unknown key is refused."""

    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012  pydantic reads it here

    name: Name


def judge(game: Game[Any], text: str) -> tuple[Verdict, Table]:
    """The verdict, and the table whose seats it speaks of. Refuses a tally that cannot be."""
    if game.tally is None:
        raise Refused(f"{game.title} has no tally that could be judged.")
    keys = _read(text)
    picked = keys.pop("house_rules", {})
    table = _table(game, keys.get("players"), picked)
    hints = get_type_hints(game.tally, include_extras=True)  # without the extras the bounds vanish
    wanted = list(inspect.signature(game.tally).parameters.values())[1:]
    _check_keys(keys, {each.name: each.default is each.empty for each in wanted})
    given = {name: _typed(hints[name], name, value) for name, value in keys.items()}
    return game.tally(table, **given), table


def _read(text: str) -> dict[str, Any]:
    try:
        keys = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (json.JSONDecodeError, RecursionError):
        raise Refused("The tally is not JSON.") from None
    except Refused:
        raise
    except ValueError:
        raise Refused("A number in the tally is too long.") from None
    if not isinstance(keys, dict):
        raise Refused("A tally is a JSON object, with its keys in { }.")
    return keys


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise Refused(f"The key “{clean(twice)[:40]}” stands in the tally twice.")
    return dict(pairs)


def _no_number(word: str) -> NoReturn:
    raise Refused(f"{word} is not a number a table can count.")


def _table(game: Game[Any], players: Any, picked: Any) -> Table:
    if not isinstance(players, list):
        raise Refused("The tally needs “players”, a list.")
    given = [each.get("name") if isinstance(each, dict) else each for each in players]
    game.check_seats(len(given))
    if not all(isinstance(name, str) for name in given):
        raise Refused("Every player in the tally needs a name.")
    names = [named(str(name)) for name in given]
    twice = same_name(names)
    if twice:
        raise Refused(f"Two players in the tally are called {twice}.")
    seats = tuple(
        Seat(n, name, COLOURS[(n - 1) % len(COLOURS)], SYMBOLS[(n - 1) % len(SYMBOLS)])
        for n, name in enumerate(names, 1)
    )
    return Table(seats, starter=1, choices=_choices(game, picked))


def _choices(game: Game[Any], picked: Any) -> dict[str, str]:
    if not isinstance(picked, Mapping) or not all(isinstance(choice, str) for choice in picked.values()):
        raise Refused("“house_rules” is an object: the id of a house rule, and the choice.")
    for id, choice in picked.items():
        game.house_rule(id).reading(choice)
    return {rule.id: picked.get(rule.id, rule.default) for rule in game.house_rules}


def _check_keys(keys: Mapping[str, Any], wanted: Mapping[str, bool]) -> None:
    unknown = [f"“{clean(key)[:40]}”" for key in keys if key not in wanted]
    if unknown:
        raise Refused(f"The tally has a key that means nothing here: {listed(unknown)}.")
    lacking = [f"“{key}”" for key, needed in wanted.items() if needed and key not in keys]
    if lacking:
        raise Refused(f"The tally lacks {listed(lacking)}.")


def _typed(hint: Any, name: str, value: Any) -> Any:
    try:
        return TypeAdapter(hint).validate_json(json.dumps(value), strict=True)  # "3" and true are no numbers
    except ValidationError as error:
        raise Refused(_sentence(name, error)) from None


def _sentence(name: str, error: ValidationError) -> str:
    first = error.errors()[0]
    where = name + "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in first["loc"])
    limits = first.get("ctx", {})
    match first["type"]:
        case "value_error":
            return f"{where}: {limits['error']}"
        case "greater_than_equal":
            return f"{where} must be at least {plain(limits['ge'])}; the tally says {_quote(first['input'])}."
        case "less_than_equal":
            return f"{where} can be at most {plain(limits['le'])}; the tally says {_quote(first['input'])}."
        case "missing":
            return f"The tally lacks {where}."
        case "unexpected_keyword_argument" | "extra_forbidden":
            return f"The tally has a key that means nothing here: {clean(where)[:60]}."
        case "bool_type":
            return f"{where} must be true or false."
        case "int_type" | "int_from_float" | "int_parsing" | "int_parsing_size":
            return f"{where} must be a whole number."
        case _:
            return f"{where} cannot be {_quote(first['input'])}."


def _quote(value: Any) -> str:
    """As the tally has it, as far as anyone would read."""
    quoted = clean(json.dumps(value, ensure_ascii=False, default=str))
    return quoted if len(quoted) <= 40 else f"{quoted[:40]}…"
