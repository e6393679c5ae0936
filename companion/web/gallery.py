"""Every piece in every state, for whoever writes a room: `COMPANION_GALLERY=yes`, then /gallery."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from companion.core import Game, Seat
from companion.core.pieces import (
    Bar,
    Because,
    Checklist,
    Chips,
    Counter,
    Do,
    Fold,
    Grid,
    Meter,
    Note,
    Panel,
    Picker,
    Piece,
    Question,
    Race,
    Sealed,
    Share,
    Stage,
    Steps,
    Tap,
    Tick,
    Total,
    Track,
    Tray,
)
from companion.core.plans import Thing, plan, sketch
from companion.core.view import Cell, Field, Form, Row, Sheet

bp = Blueprint("gallery", __name__)
ADA, BEN, CLEO = (
    Seat(1, "Ada", "coral", "sun"),
    Seat(2, "Bartholomew the Unready", "sky", "moon"),
    Seat(3, "Cleo", "moss", "star"),
)
DO = Do("nothing")
NOWHERE: Game[object] = Game("", range(1, 2), None, None, None, None, (), ())  # type: ignore[type-var, arg-type]

TAPS = (
    Tap("Settle round 2", DO, "Ada and Cleo have rolled", strong=True, mark="die"),
    Tap("Roll for Ada", DO, "Cunning on 3 of 6 faces", seat=ADA),
    Tap("Ben rests", DO, "does not roll this round", on=True),
    Tap("Settle round 2", DO, why_not="Cleo has not rolled yet"),
    Tap("Give up the chapter", DO, "everyone loses 2 health", danger=True),
    Tap("Cash in a Path", DO, "whoever taps it for Ada is asked first", costs=True),
    Tap("Ada rolled Cunning", detail="one Cunning fell", tone="done"),
    Tap("Cleo rolls", detail="on her own phone", tone="waits", seat=CLEO),
)
PIECES: tuple[tuple[str, str, tuple[Piece, ...]], ...] = (
    (
        "Tap",
        "A word for what happens, a line for what it means. Off, it says why in the same place.",
        (Picker("taps", TAPS, look="rows"),),
    ),
    (
        "Bar",
        "What can be done now, side by side; in a player's row, with what stands there.",
        (
            Bar("bar", (Tap("Next", DO, strong=True), Tap("Stop", DO))),
            Bar("row", (Tap("Ada", detail="has not rolled", badge="12"), Tap("Roll", DO)), ADA),
        ),
    ),
    (
        "Picker",
        "A grid of taps: tiles, cards, rows, chips or the faces of a die.",
        (
            Picker(
                "tiles",
                (
                    Tap("Cook", DO, "4 · 3 · 1"),
                    Tap("Smith", DO, "4 · 1 · 3", on=True),
                    Tap("Abbot", DO, why_not="not in this box"),
                    Tap("Tailor", DO, "weak in Might", danger=True),
                    Tap("Miller", detail="yours", tone="done"),
                    Tap("Tanner", detail="Ben picks", tone="waits", seat=BEN),
                ),
                "Tiles",
            ),
            Picker(
                "cards",
                (
                    Tap("Innsmouth", DO, "Location", mark="anchor"),
                    Tap("Azathoth", DO, "Outer God", on=True, badge="3"),
                    Tap("Dagon", DO, "+1 Madness", danger=True, mark="wave"),
                    Tap("Elder Things", DO, why_not="Ben has it"),
                    Tap("Necro\u00adnomicon", detail="kept for good", tone="done"),
                ),
                "Cards",
                "cards",
            ),
            Picker("faces", tuple(Tap(str(n), DO, on=n == 4 or None) for n in range(1, 7)), look="faces"),
            Picker(
                "few",
                tuple(
                    Tap(f"A minion of power {n}", DO, short=str(n), tone="good" if n == 3 else "")
                    for n in (2, 3, 4)
                ),
                "Three in a row",
                columns=3,
                mark="star",
                text="said short, read out in full",
            ),
            Picker(
                "small",
                (Tap("Zombies", DO, on=True), Tap("Wizards", DO), Tap("Aliens", DO, tone="warn")),
                look="chips",
            ),
        ),
    ),
    (
        "Steps",
        "Where we are, what is behind us and what comes.",
        (
            Steps(
                "steps",
                "A turn",
                (
                    Stage("Start", "done"),
                    Stage("Play", "done"),
                    Stage("Score", "now"),
                    Stage("Draw", "next", DO),
                    Stage("End", "next"),
                ),
            ),
            Steps(
                "upright",
                "Scoring",
                (
                    Stage("Prepare", "skipped", detail="not in turn 1"),
                    Stage("Order", "done", detail="Ada, then Ben"),
                    Stage("Research", "now", detail="Ben is choosing", seat=BEN),
                    Stage("End", "next"),
                ),
                upright=True,
            ),
        ),
    ),
    (
        "Track",
        "Cells that can be counted. The warning cells are ringed before anyone stands on them.",
        (
            Track("calm", "Madness", 4, 9, warn=7, seat=ADA),
            Track("wary", "Madness", 8, 9, warn=7, seat=BEN, note="one more is nine"),
            Track("lost", "Madness", 9, 9, warn=7, seat=BEN, note="lost to Madness", tone="bad"),
            Track("health", "Health", 6, 18, DO, warn=3, falls=True, seat=CLEO),
        ),
    ),
    (
        "Meter",
        "The line stands at the same place in each, so that they can be compared.",
        (
            Meter("far", "power", (Share(ADA, 5), Share(CLEO, 4), Share(BEN, 3)), 20, "8 to go"),
            Meter("broken", "power", (Share(BEN, 15), Share(ADA, 6)), 19, "ready to score", "warn"),
            Meter("tapped", "power", (Share(ADA, 5, DO, "share-1"), Share(BEN, 3, DO, "share-2")), 16),
            Meter("many", "power", (Share(ADA, 5, detail="×2"), Share(CLEO, 9, detail="no minion")), 24),
        ),
    ),
    (
        "Race",
        "Who is how far; the longest bar runs from edge to edge.",
        (Race("race", (Share(ADA, 27), Share(BEN, 31), Share(CLEO, 0)), "Points"),),
    ),
    (
        "Total",
        "No total without its sum one tap away.",
        (
            Total(
                "total",
                "Round 3",
                "38",
                "VP",
                (
                    Because("R’lyeh", "7", "most Great Old Ones"),
                    Because("Dagon", "9", "3 × 3 Locations", tags=("kept",)),
                    Because("Necronomicon", "18", "a set of five"),
                    Because("More Madness, chose points", "4"),
                ),
                seat=ADA,
                open=True,
            ),
            Total("large", "Bids on the table", "61", "lanterns", large=True),
            Total("wrong", "The table disagrees", "15", "VP", note="Ben wrote 15, the sum is 16", tone="bad"),
        ),
    ),
    (
        "Chips",
        "Facts in a row.",
        (
            Chips(
                "chips",
                (
                    Tap("Location", mark="anchor"),
                    Tap("counted", on=True),
                    Tap("Draw", DO, why_not="no card left"),
                    Tap("+1 Madness", tone="bad"),
                    Tap("used", tone="done"),
                    Tap("Ben decides", tone="waits", seat=BEN),
                ),
            ),
        ),
    ),
    (
        "Checklist",
        "Anyone may tick; the tick carries who did.",
        (
            Checklist(
                "list",
                (
                    Tick("Shuffle the chapter deck", DO),
                    Tick("Deal two items", DO, done=True, detail="Ben ticked it", seat=BEN),
                    Tick("Only 14 chapters counted", DO, detail="there should be 15", tone="bad"),
                    Tick("The phones count the rest", None, detail="nobody has to", tags=("24",)),
                ),
                "On the table",
            ),
        ),
    ),
    (
        "Question",
        "The chooser gets the buttons; the others read who is asked.",
        (
            Question(
                1,
                "You gained more Madness. Choose one.",
                "Ada gained more Madness and chooses.",
                (Tap("4 VP", DO, "28 → 32"), Tap("Heal 1", DO, "7 → 6 Madness")),
                "asked",
                ADA,
                held=False,
            ),
            Question(
                3,
                "Which of them?",
                "Cleo says which.",
                (),
                "more",
                CLEO,
                held=False,
                text="Nobody holds her phone, so every phone is asked.",
                pieces=(Chips("said", (Tap("Cthulhu", DO), Tap("Hastur", DO))),),
            ),
            Question(2, "Choose one.", "Ben chooses: 4 VP, or heal 1.", (Tap("4 VP", DO),), "waits", BEN),
        ),
    ),
    (
        "Sealed",
        "Who has chosen, and nothing of what.",
        (
            Sealed("open", ADA, "Ada is choosing", chosen=False),
            Sealed("shut", BEN, "Ben has chosen", chosen=True, waiting="waits for Ada"),
            Sealed("again", BEN, "Bartholomew is choosing", chosen=False, last=Tap("Tower", mark="star")),
        ),
    ),
    (
        "Note",
        "A hint, a warning, a reminder.",
        (
            Note("hint", "Tap your five cards in the order you played them."),
            Note("warning", "15 VP: the game ends with this turn.", "warn", "crown"),
            Note("alarm", "One more is nine, and nine loses.", "bad", seat=BEN),
            Note("ruled", "Dreamlands counts as a Manuscript.", "good", ruling="dreamlands"),
        ),
    ),
    (
        "Plan",
        "Where things lie: the table of a first game, or a small drawing in a lesson.",
        (
            plan(
                "plan",
                (
                    Thing("back", (0, 32), "Five cards", "hands", many=5, each=True),
                    Thing("pile", (38, 46), "To draw", "pile"),
                    Thing("token", (64, 50), "Tokens", "tokens", many=3),
                ),
                (ADA, BEN, CLEO),
                {"hands": "1", "pile": "2", "tokens": "3"},
                220,
            ),
            sketch(
                "sketch",
                (
                    Thing("card", (20, 45), "yours"),
                    Thing("arrow", (32, 45), to=(68, 45)),
                    Thing("die", (80, 45), "rolls"),
                ),
                "From a card to a die",
                80,
            ),
        ),
    ),
    (
        "Panel, Grid, Fold, Tray, Counter",
        "What belongs together; what is looked at now and then; a number to count.",
        (
            Grid(
                "grid",
                (
                    Panel(
                        "ada",
                        (Counter("count", "Points", 27, DO, whom="Ada"),),
                        "Ada",
                        seat=ADA,
                        tags=("leads",),
                    ),
                    Panel("done", (), "The Asylum is scored", "Cleo +3, Ada +1", tone="done", mark="crown"),
                ),
            ),
            Fold("fold", "Round 2, card by card", (Note("inside", "Nothing was scored."),)),
            Fold("unfolded", "Round 3, card by card", (Note("shown", "Cleo gains 3."),), open=True),
            Bar("opener", (Tap("What lies in the tray", opens="tray"),)),
            Tray(
                "tray",
                "Over the table",
                (Note("in-tray", "It stays while taps are made in it."),),
                ADA,
                "Ada’s",
            ),
        ),
    ),
)


OVER = Bar("over-it", (Tap("The same over the page", opens="over"),))
FORM = Form(
    "form",
    "Ada, round 2",
    DO,
    (
        Field("name", "What it is called", "The long night", optional=True),
        Field("points", "Points", "27", "number"),
        Field(
            "how", "How it ended", "won", "choice", (("won", "Won"), ("lost", "Lost"), ("shared", "Shared"))
        ),
    ),
    "Correct it",
    (Tap("Take it out", DO),),
    text="What was written down may be wrong.",
)


def _row(seat: Seat, first: str, second: str, total: str) -> Row:
    form = Form(f"correct-{seat.id}", f"{seat.name}, round 2", DO, ())
    return Row(seat, (Cell(first, detail="3 of 4"), Cell(second, form)), total)


SHEETS = (
    Sheet(
        "sheet",
        "Points",
        ("Round 1", "Round 2"),
        (
            _row(ADA, "12", "15", "27"),
            _row(replace(BEN, name="Bob"), "20", "11", "31"),
            _row(CLEO, "−4", "4", "0"),
        ),
    ),
)


@bp.get("/gallery")
def gallery() -> ResponseReturnValue:
    more = {"over": OVER, "form": FORM, "sheets": SHEETS, "forms": (), "code": "GALLERY", "game": NOWHERE}
    return render_template("gallery.html", pieces=PIECES, nowhere=NOWHERE, chosen={}, **more)
