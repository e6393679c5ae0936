"""A screen is one device at the table: a browser of its own, fingers, and an ear for all that goes wrong."""

from __future__ import annotations

import re
import secrets
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from at_the_table import Served
from playwright.sync_api import Browser, Locator, Page, Route, expect

from companion.core.table import COLOURS, SYMBOLS

SIZES = {"narrow": (320, 640), "phone": (360, 740), "tablet": (820, 1180), "tv": (1920, 1080)}
PATIENCE = 15_000  # ms; two busy cores are slower than any table
LISTEN = """addEventListener("securitypolicyviolation",
  (event) => console.error(`CSP: ${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}`));"""
PREFER = """try { localStorage.getItem("companion.theme") || localStorage.setItem("companion.theme", "%s"); }
catch { /* about:blank keeps nothing */ }"""

expect.set_options(timeout=PATIENCE)


class House(Served):
    """A real server that listens on every address of this machine, as `make run` does."""

    def __init__(self, folder: Path, address: str, **env: str) -> None:
        super().__init__(folder, **env)
        self.url = f"http://{address}:{self.port}"

    def start(self) -> House:
        words = [sys.executable, "-m", "companion", "serve", "--host", "0.0.0.0", "--port", str(self.port)]
        with (self.folder / "serve.log").open("ab") as log:
            self.process = subprocess.Popen(words, env=self.env, stdout=log, stderr=log)
        until = time.monotonic() + 30
        while time.monotonic() < until and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}/healthz", timeout=1).read()
                return self
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"the server did not start:\n{self.log()}")


class Screen:
    """Wrong is every error or warning in the console, every broken policy, every answer from 400 up."""

    def __init__(self, browser: Browser, url: str, size: str = "phone", theme: str = "dark", **more: Any) -> None:
        width, height = SIZES[size]
        self.url, self.code, self.link = url, "", ""
        self.wrong: list[str] = []
        self._expected: list[str] = []
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, has_touch=width < 1000, **more
        )
        self.context.set_default_timeout(PATIENCE)
        self.context.add_init_script(LISTEN)
        self.context.add_init_script(PREFER % theme)
        self.context.on("console", self._hear)
        self.context.on("weberror", lambda error: self.wrong.append(f"page error: {error.error}"))
        self.context.on("response", self._look)
        self.page: Page = self.context.new_page()

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def _look(self, response: Any) -> None:
        if response.status >= 400:
            self.wrong.append(f"{response.status}: {response.request.method} {response.url}")

    def expects(self, *patterns: str) -> Screen:
        """What goes wrong here on purpose."""
        self._expected += patterns
        return self

    def close(self) -> list[str]:
        """Gives what went wrong and was not expected."""
        for page in self.context.pages:
            page.evaluate("0")  # whatever was said before this has been heard after it
        self.context.close()
        return [each for each in self.wrong if not any(re.search(known, each) for known in self._expected)]

    # --- getting there ---

    def go(self, path: str = "/") -> Screen:
        self.page.goto(path if path.startswith("http") else self.url + path)
        return self

    def at_table(self, page: str = "") -> Screen:
        """To the table's page, and listening."""
        return self.go(f"/s/{self.code}{page}").is_live()

    def is_live(self) -> Screen:
        expect(self.at("#pill")).to_have_attribute("data-state", "live")
        return self

    def open(self, *names: str, mine: int = 1) -> Screen:
        """A table in one request, for tests about what comes after; this screen is the host."""
        keys = [f"k{n}" for n in range(1, len(names) + 1)]
        looks = {"colour": COLOURS[: len(names)], "symbol": SYMBOLS[: len(names)]}
        form = {"name": names, "key": keys, "mine": keys[:mine], "starter": "k1", **looks}
        self.code = re.search(r"/s/(\w{6})/people", self.post("/open/any-game", form))[1]
        invitation = self.context.request.get(f"{self.url}/s/{self.code}/people").text()
        self.link = re.search(rf'href="(http[^"]+/j/{self.code}/[^"]+)"', invitation)[1]
        self.link = self.url + re.sub(r"https?://[^/]+", "", self.link)
        return self.at_table()

    def join(self, host: Screen, *seats: int, role: str = "seats") -> Screen:
        """By the QR code's link; with seats it plays, as "display" it shows, else it watches."""
        self.code, self.link = host.code, host.link
        self.post(self.link.removeprefix(self.url), {})
        given: dict[str, Any] = {"seats": seats} if seats else {"display" if role == "display" else "watch": "yes"}
        self.post(f"/s/{self.code}/seat", given)
        return self.at_table()

    def post(self, path: str, form: dict[str, Any]) -> str:
        """A form as this device's browser would send it; gives where that leads."""
        answer = self.context.request.post(
            self.url + path,
            data=urlencode({"tap": secrets.token_hex(8), **form}, doseq=True),
            headers={"Origin": self.url, "Content-Type": "application/x-www-form-urlencoded"},
            max_redirects=0,
        )
        assert answer.status == 303, f"{answer.status}: {answer.text()}"
        return answer.headers["location"]

    # --- looking ---

    def at(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def number(self, seat: int, counter: int = 1) -> Locator:
        return self.at(f"#counter-{seat}-{counter} output")

    def shows(self, seat: int, number: int | str, counter: int = 1) -> None:
        expect(self.number(seat, counter)).to_have_text(str(number).replace("-", "−"))

    def bubble(self, seat: int) -> Locator:
        return self.at(f"#counter-{seat}-1 .bubble")

    def pill(self, state: str, words: str = "") -> None:
        expect(self.at("#pill")).to_have_attribute("data-state", state)
        if words:
            expect(self.at("#pill")).to_have_text(re.compile(words))

    def line(self, words: str) -> Locator:
        """Lines of the log that say so."""
        return self.at("#log .line").filter(has=self.page.locator(".line-text", has_text=words))

    def counted(self) -> list[str]:
        """What was counted, oldest first, as the log tells it."""
        texts = self.at("#log .line-text").all_inner_texts() or self.at("#log .line-text").all_text_contents()
        return [text for text in reversed(texts) if " now " in text]

    def waiting(self) -> int:
        """Taps that are still on this phone."""
        key = f"companion.taps.{self.code}"
        return len(self.page.evaluate("(key) => JSON.parse(localStorage.getItem(key) || '[]')", key))

    def all_sent(self) -> None:
        key = f"companion.taps.{self.code}"
        self.page.wait_for_function("(key) => (localStorage.getItem(key) || '[]') === '[]'", arg=key)

    # --- tapping ---

    def step(self, seat: int, by: int = 1, counter: int = 1) -> Locator:
        return self.at(f"#counter-{seat}-{counter} [data-step='{by}']")

    def plus(self, seat: int, times: int = 1, counter: int = 1) -> None:
        for _ in range(times):
            self.press(self.step(seat, 1, counter))

    def minus(self, seat: int, times: int = 1, counter: int = 1) -> None:
        for _ in range(times):
            self.press(self.step(seat, -1, counter))

    def press(self, what: Locator | str) -> None:
        """With a finger where there is a touch screen."""
        target = self.at(what) if isinstance(what, str) else what
        if self.page.evaluate("() => navigator.maxTouchPoints > 0"):
            target.tap()
        else:
            target.click()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    def open_log(self) -> None:
        self.press(".bar-log")
        expect(self.at("#logbook")).to_be_visible()

    def close_log(self) -> None:
        self.press(".logbook-close")
        expect(self.at("#logbook")).to_be_hidden()

    def open_keypad(self, seat: int) -> None:
        self.press(f"#counter-{seat}-1 .number")
        expect(self.at("#keypad")).to_be_visible()

    def keys(self, typed: str) -> None:
        for key in typed:
            self.press(f"#keypad [data-key='{key}']")

    def agree(self, *others: Screen, numbers: dict[int, int]) -> None:
        for screen in (self, *others):
            for seat, number in numbers.items():
                screen.shows(seat, number)


def after_the_answer(route: Route, do: Any) -> None:
    """Lets the server have the request, then does something else with its answer."""
    do(route, route.fetch())
