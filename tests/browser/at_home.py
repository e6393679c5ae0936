"""A server that speaks https at home, and a browser that has learnt to trust it as a phone does."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext
from screen import LISTEN, PATIENCE, UNSEEN, House, Screen
from services import cannot, find, free_port


class Home(House):
    """With an authority that is there already, so that one browser trusts the servers of many tests."""

    def __init__(self, folder: Path, address: str, authority: Path, *more: str, **env: str) -> None:
        shutil.copytree(authority, folder / "authority")
        super().__init__(folder, address, **env)
        self.tls = free_port()
        self.more = ("--https", str(self.tls), *more)
        self.secure = f"https://{address}:{self.tls}"


def taught(folder: Path, certificate: Path) -> dict[str, str]:
    """The environment of a browser whose user has taken the certificate, where Chromium looks for it."""
    certutil = find("certutil")
    if not certutil:
        cannot("certutil is not installed (Debian: libnss3-tools), so no browser learnt to trust us.")
    for drawer in (".pki/nssdb", ".local/share/pki/nssdb"):
        there = folder / drawer
        there.mkdir(parents=True)
        known = ["-d", f"sql:{there}"]
        subprocess.run([certutil, "-N", *known, "--empty-password"], check=True)
        subprocess.run(
            [certutil, "-A", *known, "-n", "companion", "-t", "C,,", "-i", certificate], check=True
        )
    return {**os.environ, "HOME": str(folder)}


def phone(browser: Browser, url: str, **more: object) -> Screen:
    """One that keeps what it has seen; its first page is nobody's."""
    context: BrowserContext = browser.new_context(
        has_touch=True, reduced_motion="reduce", color_scheme="dark", **more
    )
    context.set_default_timeout(PATIENCE)
    for script in (LISTEN, UNSEEN):
        context.add_init_script(script)
    context.new_page()
    return Screen(context, url)


def over_https(screen: Screen, home: Home) -> Screen:
    """It sat down on plain http, as guests do, and goes on over https."""
    screen.url = home.secure
    return screen.at_table()
