"""The colours and symbols a seat can have, and whose they are already."""

from __future__ import annotations

from companion.core.table import COLOURS, SYMBOLS, Table


class Looks:
    """As one seat may choose them: what another seat has is named with its owner."""

    def __init__(self, table: Table, seat: int = 0) -> None:
        others = [each for each in table.seats if each.id != seat]
        self.colours = {
            colour: next((s.name for s in others if s.colour == colour), "") for colour in COLOURS
        }
        self.symbols = {
            symbol: next((s.name for s in others if s.symbol == symbol), "") for symbol in SYMBOLS
        }
