"""The power is cut under eight tapping phones: what the kernel had not yet brought to the disk is gone.

The disk is an ext4 in a file, whose driver can be told to stop at once and to forget what it has not written.
Needs root and loop devices; where it has neither it says so, and nothing is proven.

The server is stopped a moment before the disk, because the driver is not honest while it stops: it sets its
own mark first (EXT4_FLAGS_SHUTDOWN), and the journal's (JBD2_ABORT) only after a line on the console, which
takes milliseconds. A flush that ends in between could not note that the file has grown, and says all the same
that it went well. A small program shows it without anything of ours: one thread appends a block to a file,
calls fdatasync and counts, another stops the disk. In 5 of 80 cuts (Linux 6.18) the last block that had been
flushed "well" was not there afterwards, and its flush had always ended while the stop was under way; with
blocks that were there before and are only overwritten, in none of 80. Without power nobody answers for
anything in those milliseconds.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from at_the_table import OUTSIDE, Serve, Served
from broken import Copy
from proven import Proven, how_many, listed
from tapping import Tapper, acknowledged, faults, one_table, under_tapping

POWER_CUTS = how_many("POWER_CUTS", 1, 20)
SHUTDOWN = 0x8004587D  # _IOR('X', 125, __u32): EXT4_IOC_SHUTDOWN
AT_ONCE = struct.pack("I", 2)  # not even the log of the file system is written
pytestmark = [pytest.mark.proof, pytest.mark.timeout(900)]


class Disk:
    """An ext4 of its own, whose power can be cut."""

    def __init__(self, folder: Path) -> None:
        self.image, self.folder = folder / "disk.img", folder / "disk"
        self.folder.mkdir()
        with self.image.open("wb") as image:
            image.truncate(64 << 20)
        _run("mkfs.ext4", "-q", "-F", str(self.image))

    def plug_in(self) -> None:
        _run("mount", "-o", "loop", str(self.image), str(self.folder))

    def cut(self) -> None:
        inside = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.ioctl(inside, SHUTDOWN, AT_ONCE)
        finally:
            os.close(inside)

    def unplug(self) -> None:
        for _ in range(100):  # whoever was killed may be about to let go
            if not os.path.ismount(self.folder):
                return
            subprocess.run(["umount", str(self.folder)], capture_output=True)
            time.sleep(0.05)
        raise AssertionError(f"{self.folder} cannot be unmounted")

    def cut_and_start(self, server: Served, number: int) -> None:
        """The server stops first, as it does without power: what it is told of a flush while the disk stops
        may be wrong, as said above."""
        server.freeze()
        self.cut()
        server.kill()
        self.unplug()
        self.plug_in()
        server.start()


def _run(*words: str) -> None:
    ran = subprocess.run(words, capture_output=True, text=True)
    if ran.returncode:
        raise OSError(f"{words[0]} said: {ran.stderr.strip() or ran.returncode}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if os.geteuid() != 0:
        pytest.skip("power cuts need root, who alone may mount a disk and stop it")
    if not (shutil.which("mkfs.ext4") and shutil.which("mount")):
        pytest.skip("power cuts need mkfs.ext4 and mount (Debian: e2fsprogs, mount)")
    disk = Disk(tmp_path)
    try:
        disk.plug_in()
        disk.cut()  # some kernels let us mount and nothing more
        disk.unplug()
        disk.plug_in()
    except OSError as why:
        disk.unplug()
        pytest.skip(f"power cuts need a loop device and an ext4 that can be stopped: {why}")
    yield disk
    disk.unplug()


def under_cuts(server: Served, disk: Disk, cuts: int) -> tuple[list[Tapper], dict[str, list[str]]]:
    def sit(server: Served) -> list[Tapper]:
        tappers = one_table(server)
        _run("sync", "-f", str(disk.folder))  # or a copy that loses taps may lose the whole table with them
        return tappers

    tappers = under_tapping(server, cuts, seconds=0.6, sit=sit, harm=disk.cut_and_start)
    return tappers, faults(f"sqlite:///{disk.folder}/companion.sqlite", tappers)


def test_power_cuts_under_eight_tapping_phones_lose_nothing(
    served: Serve, disk: Disk, proven: Proven
) -> None:
    server = served(COMPANION_INSTANCE=str(disk.folder), **OUTSIDE)
    tappers, found = under_cuts(server, disk, POWER_CUTS)
    proven(f"{POWER_CUTS} power cuts, SQLite, {acknowledged(tappers):,} taps", listed(found))
    assert found == {}
    assert all(len(tapper.sent) > 2 * POWER_CUTS for tapper in tappers)


def test_the_checker_notices_a_server_that_does_not_wait_for_the_disk(
    served: Serve, disk: Disk, copy: Copy, proven: Proven
) -> None:
    copy.trust_the_kernel()
    server = served(COMPANION_INSTANCE=str(disk.folder), **copy.env)
    for cuts in (2, 4, 8):  # on a busy machine so little is tapped that all of it may be on disk by chance
        tappers, found = under_cuts(server, disk, cuts)
        if found:
            break
        server.start()
    what = (
        f"{cuts} power cuts of a copy broken on purpose: synchronous=NORMAL, {acknowledged(tappers):,} taps"
    )
    proven(what, listed(found))
    assert "lost" in found
