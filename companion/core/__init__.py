"""The language rooms are written in. Pure: no web, no database, no clock, no luck of its own."""

from companion.core.command import Context, Holds, Luck, host_only, phone_only
from companion.core.event import Event, Events
from companion.core.fixed import replace
from companion.core.game import Game, HouseRule, Ruling, finder, load
from companion.core.journal import Entry, Journal, Line, PutBack, TakenBack
from companion.core.pieces import Counter, Do, Question, Tap, Tick
from companion.core.refused import Refused, refuse_if, there
from companion.core.scores import Scores
from companion.core.table import Names, Phone, Seat, State, Table, TableEvent
from companion.core.text import Bounds, Choice, Count, Name, SeatId, Text, Whole, YesOrNo
from companion.core.verdict import Step, Verdict
from companion.core.view import Button, Cell, Field, Form, Forms, Option, Phase, Row, SeatView, Sheet, View

__all__ = [
    "Bounds",
    "Button",
    "Cell",
    "Choice",
    "Context",
    "Count",
    "Counter",
    "Do",
    "Entry",
    "Event",
    "Events",
    "Field",
    "Form",
    "Forms",
    "Game",
    "Holds",
    "HouseRule",
    "Journal",
    "Line",
    "Luck",
    "Name",
    "Names",
    "Option",
    "Phase",
    "Phone",
    "PutBack",
    "Question",
    "Refused",
    "Row",
    "Ruling",
    "Scores",
    "Seat",
    "SeatId",
    "SeatView",
    "Sheet",
    "State",
    "Step",
    "Table",
    "TableEvent",
    "TakenBack",
    "Tap",
    "Text",
    "Tick",
    "Verdict",
    "View",
    "Whole",
    "YesOrNo",
    "finder",
    "host_only",
    "load",
    "phone_only",
    "refuse_if",
    "replace",
    "there",
]
