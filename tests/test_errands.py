"""What waits for the disk is sent there, and everybody else goes on."""

from __future__ import annotations

import gevent
import pytest
from gevent.monkey import get_original

from companion.serving.errands import Errands

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
