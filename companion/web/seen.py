"""What templates may look at, by name: all of it follows from a table as it is at one version."""

from __future__ import annotations

from typing import Any

from companion.core.game import STATUSES
from companion.evenings.recap import recap, result
from companion.sittings.play import Sitting
from companion.tools.dice import dice
from companion.tools.ending import ending
from companion.tools.hosting import hosting, who_asks
from companion.tools.sealed import laid_open
from companion.tools.shown_ruling import shown
from companion.tools.teaching import learning, taught
from companion.tools.timer import timer
from companion.web.charts import score_chart

#: What a room's own taps may change, and the templates get to know; the rest is in `seen_of_table`.
CHANGING = (
    *("view", "phase", "board", "sheets", "forms", "verdict", "final", "slip"),
    *("result", "lines_left", "last_of", "title"),
)


class Seen(dict[str, Any]):
    """What templates may look at, by name. What is not there is nothing."""

    def __missing__(self, name: str) -> None:
        return None

    def update_with(self, now: dict[str, Any]) -> list[str]:
        """Gives the names of what is new. What is the same thing again stays what it was, so that it is known
        by a glance."""
        new = [name for name, value in now.items() if name not in self or self[name] != value]
        self.update({name: now[name] for name in new})
        return new


def seen_of_game(sitting: Sitting) -> tuple[Any, ...]:
    """In the order of `CHANGING`."""
    journal, view = sitting.journal, sitting.view
    verdict = sitting.game.adjudicate(journal.state)
    final = verdict if verdict.final else None
    return (
        view,
        view.phase,
        view.board,
        view.sheets,
        view.forms,
        verdict,
        final,  # a part that only speaks of the end is drawn again only then
        journal.last() if final else None,
        result(sitting.game, journal.state, verdict) if final else None,
        sitting.lines_left,
        journal.last_of_each(),
        sitting.title,
    )


def seen_of_phase(sitting: Sitting) -> dict[str, Any]:
    game, view = sitting.game, sitting.view
    key = view.phase.key
    return {"phase_key": key, "trap_here": key in game.trapped, "rulings_here": game.rulings_now(view)}


def seen_of_table(sitting: Sitting) -> dict[str, Any]:
    """What a room's own taps leave as it is. Phones come and go, and a part that mostly says nothing gets to
    know the table only when it does: `at_roll`, `at_ruling`, `at_asking`."""
    table = sitting.table
    rolled, ruling, would_host = dice(table), shown(table), who_asks(table)
    former, wanted, open = hosting(table).former, sitting.wanted_seats, laid_open(table)
    asks = would_host or former or wanted or any(phone.role == "waiting" for phone in table.phones)
    return {
        "code": sitting.code,
        "game": sitting.game,
        "table": open,
        "at_roll": open if rolled.last else None,
        "at_ruling": open if ruling.ruling else None,
        "at_asking": open if asks else None,
        "chosen": table.choices,
        "starter": table.starter if sitting.game.starts else None,
        "timer": timer(table),
        "dice": rolled,
        "shown": ruling,
        "seats": table.seats,
        "statuses": STATUSES,
        "ending": ending(table),
        "wanted_seats": wanted,
        "would_host": would_host,
        "former_host": former,
        "taught": taught(table).everyone if sitting.game.lessons else None,
        "learning": learning(table),
    }


def seen_of_recap(sitting: Sitting) -> dict[str, Any]:
    made = recap(sitting.code, sitting.journal)
    return {"recap": made, "chart": score_chart(made.chart) if made.chart else ""}
