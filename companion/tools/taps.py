"""What can be pressed at every table, whatever the game. Templates draw it; none of them names a command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.core import Do, Game, Phone, Seat, Table
from companion.core.command import Command
from companion.core.game import HouseRule
from companion.core.pieces import Tap, Tick
from companion.tools import asking, dice, ending, hosting, phones, seats, shown_ruling, teaching, timer


def _do(command: Command, **given: str | int) -> Do:
    return Do(command.__name__, given)


# --- phones ---


def newcomer(phone: Phone) -> tuple[Tap, ...]:
    """A phone that knocks, and what the host may say."""
    return (
        Tap("Let in", _do(phones.admit, phone=phone.number), strong=True),
        Tap("No", _do(phones.remove_phone, phone=phone.number)),
    )


def about_asking(wanted: asking.WantedSeat) -> tuple[Tap, ...]:
    """A phone that asks for a seat, and what its holder or the host may say."""
    return (
        Tap("Give it", _do(asking.give_seats, phone=wanted.phone), strong=True),
        Tap("No", _do(asking.keep_seats, phone=wanted.phone)),
    )


def about_phone(table: Table, phone: Phone) -> tuple[Tap, ...]:
    number, who = phone.number, table.who(phone.number)
    if phone.role == "waiting":
        return newcomer(phone)
    if number == table.host:
        return ()
    shows = (Tap("Show QR code", _do(phones.let_invite, phone=number), strong=True),)
    handed = f"Make {who} the host? This phone will no longer be."
    return (
        *(shows if phone.role == "display" and not phone.invites else ()),
        Tap("Make host", _do(hosting.hand_host_on, phone=number), confirm=handed),
        Tap("Remove", _do(phones.remove_phone, phone=number), confirm=f"Remove {who} from the table?"),
    )


ASK_TO_HOST = Tap("Host instead", _do(hosting.ask_to_host))
CLEAR_PHONES = Tap("Clear away phones that are gone", _do(phones.clear_phones))
BACK_AGAIN = (
    Tap("Host again", _do(hosting.take_host_back), strong=True),
    Tap("Leave it", _do(hosting.leave_host)),
)


def would_host(phone: int) -> tuple[Tap, ...]:
    """A phone that asks to be the host, and what the host may say."""
    return (
        Tap("Hand it over", _do(hosting.hand_host_on, phone=phone), strong=True),
        Tap("No", _do(hosting.keep_host, phone=phone)),
    )


def switches(table: Table, taught: bool | None = None) -> tuple[Tick, ...]:
    """`taught`: whether the phones teach this game, where they can."""
    lock = _do(phones.lock_joining, locked=_other(table.locked))
    limit = _do(phones.limit_tapping, own_seats_only=_other(table.own_seats_only))
    fix = _do(phones.fix_seats, fixed=_other(table.seats_fixed))
    return (
        Tick("Closed to new phones", lock, table.locked),
        Tick("Only the host adds players", fix, table.seats_fixed),
        Tick("Everyone taps for their own seat only", limit, table.own_seats_only),
        *(() if taught is None else (taught_to_all(taught),)),
    )


def taught_to_all(now: bool) -> Tick:
    return Tick("A first game: the phones teach it", _do(teaching.teach_everyone, on=_other(now)), now)


def taught_here(now: bool) -> Tick:
    return Tick("Teach me on this phone", _do(teaching.teach_me, on=_other(now)), now)


def put_away(lesson: str) -> Do:
    return Do("read_lesson", {"lesson": lesson})


def _other(now: bool) -> str:
    return "no" if now else "yes"


# --- seats ---


def moves(table: Table, seat: Seat) -> tuple[Tap, ...]:
    """Earlier and later round the table; off for the first and the last."""
    at_the_ends = (seat == table.seats[0], seat == table.seats[-1])
    ways = zip(("up", "down"), ("earlier", "later"), at_the_ends, strict=True)
    return tuple(
        Tap(
            f"{seat.name} sits {word}", None if end else _do(seats.move_seat, seat=seat.id, way=way), mark=way
        )
        for way, word, end in ways
    )


def about_seat(game: Game[Any], seat: Seat) -> tuple[Tap, ...]:
    gone = f"Remove {seat.name} from the table?"
    return (
        *((Tap("Starts", _do(seats.choose_starter, seat=seat.id)),) if game.starts else ()),
        Tap("Remove", _do(seats.remove_seat, seat=seat.id), confirm=gone),
    )


def changed(seat: Seat) -> Do:
    return _do(seats.change_seat, seat=seat.id)


SEAT_ADDED = _do(seats.add_seat)
WHO_STARTS = Tap("Draw lots: who starts?", _do(seats.draw_starter))
SHUFFLED = Tap("Shuffle the seats", _do(dice.shuffle_seats), confirm="Shuffle the order of the seats?")

# --- timer and dice ---

LENGTHS = (("0:30", 30), ("1:00", 60), ("2:00", 120), ("5:00", 300))
TIMED = _do(timer.start_timer)
TIMER_AWAY = Tap("Stop the timer and put it away", _do(timer.stop_timer), mark="close")


def timers(game: Game[Any]) -> tuple[Tap, ...]:
    """The game's own, the usual lengths, and one that counts up."""
    own = [Tap(name, _do(timer.start_timer, length=long), strong=True) for name, long in game.timers]
    usual = [Tap(name, _do(timer.start_timer, length=long)) for name, long in LENGTHS]
    return (*own, *usual, Tap("Stopwatch", _do(timer.start_timer, mode="up")))


def pause(running: timer.Timer) -> Tap:
    if running.running:
        return Tap("Pause", _do(timer.pause_timer))
    return Tap("Resume", _do(timer.resume_timer), strong=True)


def about_timer(running: timer.Timer) -> tuple[Tap, ...]:
    more = (Tap("+10 s", _do(timer.add_time)),) if running.mode == "down" else ()
    return (*more, Tap("Restart", _do(timer.restart_timer)))


DICE = ("coin", "d4", "d6", "d8", "d10", "d12", "d20", "d100")
ROLLED = Do("roll_dice")
LOTS = Tap("Draw lots", _do(dice.draw_lot))

# --- rules, and the end of the evening ---

RULING_AWAY = Tap("Put away for all", _do(shown_ruling.put_ruling_away), strong=True)
PLAY_ON = Tap("Play on here", _do(ending.resume_sitting))


def readings(rule: HouseRule, chosen: Mapping[str, str]) -> tuple[Tap, ...]:
    """The ways to read a point where the manual is unclear; one of them is this table's."""
    now = chosen.get(rule.id, rule.default)
    return tuple(
        Tap(reading, Do("choose_rule", {"rule": rule.id, "choice": id}), on=id == now)
        for id, reading in rule.choices
    )


def end(final: object) -> Tap:
    sure = "End the evening? The recap stays for everyone who was here."
    early = "Stop here, before the game is over? The recap will say so."
    return Tap("End the evening", _do(ending.end_sitting), confirm=sure if final else early)
