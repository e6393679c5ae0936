"""What waits for the disk is sent there, and everybody else goes on."""

from __future__ import annotations

import gevent
import pytest
from gevent.monkey import get_original

from companion.serving.errands import QUICK, SHY, Errands, Standby

original_sleep = get_original("time", "sleep")


def test_an_errand_to_the_disk_stops_only_whoever_sent_it_and_brings_back_what_went_wrong() -> None:
    """The loop goes on meanwhile; and the next errand is not told of the one before."""
    errands, order = Errands(), []

    def wait_for_the_disk() -> str:
        original_sleep(0.05)  # a real one, which would stop the loop
        order.append("back")
        return "written"

    def fail() -> None:
        raise OSError("the disk is full")

    gevent.spawn(order.append, "others went on")
    assert errands(wait_for_the_disk) == "written"
    assert order == ["others went on", "back"]
    with pytest.raises(OSError, match="the disk is full"):
        errands(fail)
    assert errands(lambda: "again") == "again"


def test_a_quick_disk_is_waited_for_here_and_a_slow_one_only_until_that_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    errands, now, beside = Errands(), [1000.0], []
    monkeypatch.setattr("companion.serving.errands.time.monotonic", lambda: now[0])
    monkeypatch.setattr(Errands, "__call__", lambda self, do: (beside.append(now[0]), do())[1])

    def disk(seconds: float) -> bool:
        """Whether everybody waits for it."""
        sent = len(beside)

        def turn() -> str:
            now[0] += seconds
            return "written"

        assert errands.quickly(turn) == "written"
        return len(beside) == sent

    assert all(disk(QUICK / 10) for _ in range(100))
    assert disk(1), "one that is slow"
    assert all(disk(QUICK / 10) for _ in range(100)), "says nothing about the next"
    assert sum(disk(0.03) for _ in range(100)) <= 4
    now[0] += SHY
    assert sum(disk(0.03) for _ in range(600)) <= 4, "it is tried again, and soon given up"
    now[0] += 2 * SHY
    assert all(disk(QUICK / 10) for _ in range(100)), "a disk that is quick again"


def test_what_is_due_is_done_while_a_quick_disk_turns_and_then_it_is_waited_for() -> None:
    errands, order, turned = Errands(), [], get_original("_thread", "allocate_lock")()
    turned.acquire()

    def wait_for_the_disk() -> str:
        assert turned.acquire(timeout=5), "nobody did what was due"
        order.append("written")
        return "written"

    def draw(seconds: float) -> None:
        order.append("drawn")
        turned.release()

    errands.is_due, errands.meanwhile = lambda: True, draw
    assert errands.quickly(wait_for_the_disk) == "written"
    assert order == ["drawn", "written"]

    errands.is_due = lambda: False
    turned.release()
    assert errands.quickly(wait_for_the_disk) == "written"
    assert order == ["drawn", "written", "written"]


def test_neither_what_went_wrong_at_the_disk_nor_what_broke_beside_it_is_taken_for_the_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    errands = Errands()

    def fail() -> None:
        raise OSError("the disk is full")

    def break_down(seconds: float) -> None:
        raise ValueError("what is drawn badly")

    errands.is_due, errands.meanwhile = lambda: True, break_down
    assert errands.quickly(lambda: "written") == "written"
    assert "while the disk turned" in caplog.text
    errands.meanwhile = lambda seconds: None
    with pytest.raises(OSError, match="the disk is full"):
        errands.quickly(fail)
    assert errands(lambda: "again") == errands.quickly(lambda: "again") == "again"


def test_one_greenlet_stands_by_for_all_that_is_to_be_done_soon_and_what_breaks_stops_it_not() -> None:
    standby, done = Standby(), []

    def do(what: str, seconds: float = 0) -> None:
        gevent.sleep(seconds)
        done.append((what, gevent.getcurrent()))

    for what in ("before it has begun", "again"):
        standby(lambda what=what: do(what))
        assert [each for each, _ in done][-1:] != [what], "soon, not now"
        gevent.sleep(0.01)
    standby(lambda: 1 / 0)
    gevent.sleep(0.01)
    standby(lambda: do("long", 0.02))
    gevent.sleep(0)
    standby(lambda: do("meanwhile"))
    gevent.sleep(0.05)
    standby(lambda: do("last"))
    gevent.sleep(0.01)
    assert [what for what, _ in done] == ["before it has begun", "again", "meanwhile", "long", "last"]
    (first, again, beside, long, last) = [who for _, who in done]
    assert first is again is long is last, "no other is made"
    assert beside is not first, "but for what comes while it is busy"
