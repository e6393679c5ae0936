"""A screen is one device at the table: a browser of its own, fingers, and an ear for all that goes wrong."""

from __future__ import annotations

import http.client
import io
import json
import re
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from weakref import WeakSet

import zxingcpp
from at_the_table import Served
from PIL import Image
from playwright.sync_api import BrowserContext, Error, Locator, Page, expect

from companion.core.table import COLOURS, SYMBOLS

DOCS = Path(__file__).parents[2] / "docs"
SIZES = {"narrow": (320, 640), "phone": (360, 740), "tablet": (820, 1180), "tv": (1920, 1080)}
TOUCHED = ("narrow", "phone", "tablet")
PATIENCE = 45_000  # ms; two busy cores are slower than any table
LISTEN = """addEventListener("securitypolicyviolation",
  (event) => console.error(`CSP: ${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}`));"""
#: Where a phone was touched, sound and the film that keeps it awake take a fiftieth of a core each second.
SILENT = """delete window.AudioContext;
HTMLCanvasElement.prototype.captureStream = () => { throw new Error("no film here"); };"""
#: To draw is a third of what a browser does here, and most tests ask where things are and what they say, not
#: how that looks. Whoever does ask is shown the page (`SHOWN`).
UNSEEN = """{ if (!window.unseen) {
    window.unseen = new CSSStyleSheet();
    window.unseen.replaceSync("html, dialog, [popover], ::backdrop { opacity: 0 !important }");
    document.adoptedStyleSheets.push(window.unseen);
} window.unseen.disabled = false; }"""
SHOWN = "() => { if (window.unseen) window.unseen.disabled = true; }"
#: What the phone before this one had kept in the same browser; it may have written until it was gone.
FORGET = """try { if (!sessionStorage.getItem("known")) {
    localStorage.clear(); sessionStorage.clear(); sessionStorage.setItem("known", "yes");
} } catch { /* about:blank keeps nothing */ }"""
LEAVE = """() => location.protocol === 'http:' && (localStorage.clear(), sessionStorage.clear())"""
PREFER = """try { localStorage.getItem("companion.theme") || localStorage.setItem("companion.theme", "%s"); }
catch { /* about:blank keeps nothing */ }"""

SMALL = """() => [...document.querySelectorAll("#page button, #page summary")]
  .filter((each) => each.checkVisibility())
  .map((each) => [each.textContent.trim().slice(0, 30), each.getBoundingClientRect()])
  .filter(([_, box]) => box.width < 47.5 || box.height < 47.5)
  .map(([text, box]) => `${text} ${box.width}×${box.height}`)"""

# Counts real taps. That a page which has just moved keeps fingers off for a moment is another test's.
TAPS = """() => {
  window.taps = 0;
  addEventListener("click", (event) => { taps += event.isTrusted; }, true);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".settling #page, [data-moved] { pointer-events: auto !important; }");
  document.adoptedStyleSheets.push(sheet);
}"""
#: Where things have just moved, nothing can be hit for a moment. Whoever tries all the same tries again and
#: again, scrolls each time, and keeps the page busy with that.
SETTLED = """() => new Promise((done) => {
    const look = () => document.body.classList.contains("settling") ? setTimeout(look, 50) : done();
    look();
})"""
#: Where a finger hits the only one of these, if it is there, still, to be seen, and leads to no other page.
PLACE = f"""async ([target, ...others]) => {{
    const leads = "a, label, form button:not([type=button]), [aria-disabled=true]";
    if (!target || others.length || target.matches(":disabled") || target.closest(leads)) return null;
    await ({SETTLED})();
    const box = () => target.getBoundingClientRect();
    const {{ top, left, bottom, right }} = box();
    if (Math.min(top, left, innerHeight - bottom, innerWidth - right) < 0) return null;
    const before = box();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) await new Promise(requestAnimationFrame);
    const {{ x, y, width, height }} = box(), at = [x + width / 2, y + height / 2];
    const still = x === before.x && y === before.y && width === before.width && target.isConnected;
    if (!still || !target.contains(document.elementFromPoint(...at))) return null;
    window.missed = true;
    addEventListener("pointerdown", (finger) => {{ window.missed = !target.contains(finger.target); }},
        {{ capture: true, once: true }});
    return at;
}}"""

expect.set_options(timeout=PATIENCE)

_spoilt: WeakSet[Page] = WeakSet()


def spoil(page: Page) -> Page:
    """Something is done to it that stays, so no other phone gets this page."""
    _spoilt.add(page)
    return page


class House(Served):
    """A real server that listens on every address of this machine, as `make run` does."""

    host = "0.0.0.0"

    def __init__(self, folder: Path, address: str, **env: str) -> None:
        super().__init__(folder, **env)
        self.url = f"http://{address}:{self.port}"


class HastyHouse(House):
    """One whose clock can be put forward, so that nobody has to wait for sand."""

    runs = (str(Path(__file__).with_name("set_forward.py")),)

    def __init__(self, folder: Path, address: str) -> None:
        self.hand = folder / "seconds"
        self.hand.write_text("0", "ascii")
        super().__init__(folder, address, SET_FORWARD=str(self.hand))

    def put_forward(self, seconds: int, *screens: Screen) -> None:
        """The phones ask for the time again when they are taken up."""
        fresh = self.hand.with_suffix(".new")
        fresh.write_text(str(int(self.hand.read_text("ascii")) + seconds), "ascii")
        fresh.replace(self.hand)  # in one step: the server looks at any moment
        for each in screens:
            each.page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")


class Cable:
    """Lies between a phone and the house; it can be pulled, or go silent without a word, as Wi-Fi does."""

    def __init__(self, house: House) -> None:
        self._house, self._plugged = house, True
        self._ends: set[socket.socket] = set()
        self._streams: set[socket.socket] = set()
        self._silent: set[socket.socket] = set()
        self.heard = bytearray()  # all that went to the phones
        self._socket = socket.create_server(("0.0.0.0", 0))
        self.url = f"{house.url.rpartition(':')[0]}:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                phone, _ = self._socket.accept()
                self._ends.add(phone)
                try:
                    if not self._plugged:
                        raise OSError
                    server = socket.create_connection(("127.0.0.1", self._house.port))
                except OSError:
                    self._hang_up(phone)
                    continue
                self._ends.add(server)
                for way in ((phone, server, bytearray()), (server, phone, self.heard)):
                    threading.Thread(target=self._carry, args=way, daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket, heard: bytearray) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                if b"/live/" in data.partition(b"\r\n")[0]:
                    self._streams |= {one, other}
                if one not in self._silent:
                    heard += data
                    other.sendall(data)
        if one not in self._silent:
            self._hang_up(one)
            self._hang_up(other)

    def _hang_up(self, end: socket.socket) -> None:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
        self._ends.discard(end)

    def pull(self) -> None:
        self._plugged = False
        for end in list(self._ends):
            self._hang_up(end)

    def plug_in(self) -> None:
        self._plugged = True

    def go_silent(self) -> None:
        """Streams stay open and hear nothing more; whoever connects anew is heard."""
        self._silent |= self._streams
        for end in self._ends - self._silent:
            self._hang_up(end)

    def close(self) -> None:
        self._silent.clear()
        self.pull()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def opening(*names: str, mine: int, first: bool) -> dict[str, Any]:
    """The form of whoever opens a table."""
    keys = [f"k{n}" for n in range(1, len(names) + 1)]
    looks = {"colour": COLOURS[: len(names)], "symbol": SYMBOLS[: len(names)]}
    form = {"name": names, "key": keys, "mine": keys[:mine], "starter": "k1", **looks}
    return form | ({"played": "no"} if first else {})


def invitation(where: str, ask: Callable[[str], str]) -> tuple[str, str]:
    """The code of the table that was opened, and the link of its QR code."""
    code = re.search(r"/s/(\w{6})/people", where)[1]
    return code, re.search(rf'href="https?://[^/"]+(/j/{code}/[^"]+)"', ask(f"/s/{code}/people"))[1]


class Caller:
    """A phone at the table that nobody looks at: it has a cookie and sends forms, and no page is drawn."""

    def __init__(self, url: str) -> None:
        self.url, self._phone = url, ""
        self.code = self.link = ""
        self._line = http.client.HTTPConnection(url.removeprefix("http://"), timeout=PATIENCE / 1000)

    def open(self, *names: str, mine: int = 1, game: str = "any-game", first: bool = False) -> Caller:
        where = self.ask(f"/open/{game}", opening(*names, mine=mine, first=first))
        self.code, self.link = invitation(where, lambda path: self.ask(path))
        return self

    def join(self, host: Screen | Caller, *seats: int, role: str = "watch") -> Caller:
        self.code, self.link = host.code, host.link
        self.ask(self.link, {})
        self.ask(f"/s/{self.code}/seat", {"seats": seats} if seats else {role: "yes"})
        return self

    def ask(self, path: str, form: dict[str, Any] | None = None) -> str:
        """Gives what is answered, or where that leads; it is no refusal."""
        said = {"Origin": self.url, "Cookie": self._phone}
        if form is None:
            self._line.request("GET", path, headers=said)
        else:
            said["Content-Type"] = "application/x-www-form-urlencoded"
            sent = urlencode({"tap": secrets.token_hex(8), **form}, doseq=True)
            self._line.request("POST", path, sent, said)
        answer = self._line.getresponse()
        text = answer.read().decode()
        assert answer.status < 400, f"{answer.status}: {text}"
        if cookie := answer.headers.get("Set-Cookie"):
            self._phone = cookie.partition(";")[0]
        return answer.headers.get("Location") or text

    def tap(self, command: str, **given: object) -> int:
        """Gives the version that came of it."""
        return int(json.loads(self.ask(f"/s/{self.code}/do/{command}", given))["version"])

    def close(self) -> None:
        self._line.close()


class Screen:
    """Wrong is every error or warning in the console: broken policies and answers from 400 up are among them.

    To be told of every answer would cost a twentieth of all that a browser does here.
    """

    def __init__(
        self,
        context: BrowserContext,
        url: str,
        size: str = "phone",
        theme: str = "dark",
        page: Page | None = None,
    ) -> None:
        """With a `page` that was there already."""
        self.context, self.url, self.touch = context, url, size in TOUCHED
        self.code = self.link = ""
        self.has_own_time = False
        self.wrong: list[str] = []
        self._expected: list[str] = []
        self._ears = {"console": self._hear, "weberror": self._stumble}
        for event, ear in self._ears.items():
            context.on(event, ear)
        self._scripts: list[Any] = []
        self.page = page or context.new_page()
        self._arrived = False  # until then what is heard of this page is the last phone's
        self.page.once("framenavigated", self._arrive)
        viewport = dict(zip(("width", "height"), SIZES[size], strict=True))
        if self.page.viewport_size != viewport:
            self.page.set_viewport_size(viewport)
        if theme != "dark":
            self.on_every_page(PREFER % theme)

    def _arrive(self, _: Any) -> None:
        self._arrived = True

    def _is_ours(self, page: Any) -> bool:
        return self._arrived or page is not self.page

    def _stumble(self, error: Any) -> None:
        if self._is_ours(error.page):
            self.wrong.append(f"page error: {error.error}")

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning") and self._is_ours(message.page):
            self.wrong.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def on_every_page(self, script: str) -> None:
        """Runs before anything of ours does."""
        self._scripts.append(self.page.add_init_script(script))

    def takes_its_own_time(self) -> None:
        """The clock runs, and can be put forward: `page.clock`. It is that of the whole browser, for good."""
        self.has_own_time = True
        spoil(self.page).clock.install()

    def expects(self, *patterns: str) -> Screen:
        """What goes wrong here on purpose."""
        self._expected += patterns
        return self

    def close(self, again: bool = False) -> list[str]:
        """Gives what went wrong and was not expected; the next phone with this browser is a new one.

        To make a page takes as long as to open a table in it, so one that nothing special was done to is
        used `again`, and stays where it is until then.
        """
        self.context.set_offline(False)
        _, *pages = self.context.pages  # the first is nobody's
        for page in pages:
            page.unroute_all(behavior="ignoreErrors")
            page.evaluate(LEAVE)  # and hears the rest
        for event, ear in self._ears.items():
            self.context.remove_listener(event, ear)
        if not self._arrived:
            self.page.remove_listener("framenavigated", self._arrive)
        for page in pages:
            if page is not self.page or not again or page in _spoilt:
                page.close()  # and with it scripts, clocks and media that were only for this test
        if not self.page.is_closed():
            for script in self._scripts:
                script.close()
        self.context.clear_cookies()
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

    def open(
        self, *names: str, mine: int = 1, game: str = "any-game", look: bool = True, first: bool = False
    ) -> Screen:
        """A table in one request, for tests about what comes after; this screen is the host.

        Who does not look yet is drawn nothing: `at_table()` once there is something to see.
        """
        where = self.post(f"/open/{game}", opening(*names, mine=mine, first=first))
        self.code, self.link = invitation(
            where, lambda path: self.context.request.get(self.url + path).text()
        )
        return self.at_table() if look else self

    def join(self, host: Screen | Caller, *seats: int, role: str = "watch", look: bool = True) -> Screen:
        """By the QR code's link; with seats it plays, without it watches, or is the "display"."""
        self.code, self.link = host.code, host.link
        self.post(self.link, {})
        self.post(f"/s/{self.code}/seat", {"seats": seats} if seats else {role: "yes"})
        return self.at_table() if look else self

    def post(self, path: str, form: dict[str, Any], status: int = 303) -> str:
        """A form as this device's browser would send it; gives where that leads."""
        answer = self.context.request.post(
            self.url + path,
            data=urlencode({"tap": secrets.token_hex(8), **form}, doseq=True),
            headers={"Origin": self.url, "Content-Type": "application/x-www-form-urlencoded"},
            max_redirects=0,
        )
        assert answer.status == status, f"{answer.status}: {answer.text()}"
        return answer.headers.get("location", "")

    # --- looking ---

    def scanned(self) -> str:
        """What a camera makes of the QR code on this screen. Lines of text can look like other bar codes."""
        self.page.evaluate(SHOWN)
        formats = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
        (seen,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(self.page.screenshot())), formats=formats)
        return str(seen.text)

    def pictured(self, name: str, whole: bool = False) -> None:
        """For README and CONTRIBUTING. In 256 colours it takes a third, and nobody sees the difference."""
        self.page.evaluate(SHOWN)
        taken = Image.open(io.BytesIO(self.page.screenshot(full_page=whole))).convert("RGB")
        taken.quantize(256, dither=Image.Dither.NONE).save(DOCS / f"{name}.png", optimize=True)

    def fits(self) -> None:
        """Nothing scrolls sideways, and on a phone a thumb hits every button."""
        assert self.page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
        if not self.at("body.display").count():
            assert self.page.evaluate(SMALL) == []

    def at(self, selector: str, **more: Any) -> Locator:
        return self.page.locator(selector, **more)

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

    def counted(self) -> Locator:
        """The lines of the log that count something, newest first; not those that take back or put back."""
        return self.at("#log .line-text", has_text=re.compile(r"^[+−]\d"))

    def has_counted(self, *told: str) -> None:
        """Just this, oldest first."""
        expect(self.counted()).to_have_text(list(reversed(told)))

    def waiting(self) -> int:
        """Taps that are still on this phone."""
        key = f"companion.taps.{self.code}"
        return len(self.page.evaluate("(key) => JSON.parse(localStorage.getItem(key) || '[]')", key))

    def all_sent(self) -> None:
        key = f"companion.taps.{self.code}"
        empty = "(key) => (localStorage.getItem(key) || '[]') === '[]'"
        self.page.wait_for_function(empty, arg=key, polling=20)  # not by frames: each would be drawn

    def remember(self, seat: int) -> None:
        """From now on, every number that this counter shows for as long as a frame."""
        self.page.evaluate(
            """(id) => {
                const seen = (window.seen = []);
                (function look() {
                    const now = document.querySelector(`#${id} output`).textContent;
                    if (seen.at(-1) !== now) seen.push(now);
                    requestAnimationFrame(look);
                })();
            }""",
            f"counter-{seat}-1",
        )

    def only_grew_to(self, number: int) -> None:
        """Since `remember`, the number never stepped back or ran ahead; a busy machine may skip a frame."""
        seen = [int(each.replace("−", "-")) for each in self.page.evaluate("() => window.seen")]
        assert seen == sorted(set(seen)), f"the number on screen stepped back: {seen}"
        assert seen[-1] == number, f"the number on screen was not what was counted: {seen}"

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
        """With a finger where there is a touch screen. What is there and still is pressed where it is; for
        all else the browser's driver looks and waits, which takes twice as long."""
        target = self.at(what) if isinstance(what, str) else what
        if at := self._place(target):
            (self.page.touchscreen.tap if self.touch else self.page.mouse.click)(*at)
            if not self._missed():
                return
        target.evaluate(SETTLED)
        if self.touch:
            target.tap()
        else:
            target.click()

    def _place(self, target: Locator) -> list[float] | None:
        try:
            found: list[float] | None = target.evaluate_all(PLACE)
        except Error:  # another page was on its way
            return None
        return found

    def _missed(self) -> bool:
        """What was there has moved away under the finger, which then hits nothing."""
        try:
            return bool(self.page.evaluate("() => window.missed"))
        except Error:  # it led to another page after all
            return False

    def poke(self, what: Locator) -> None:
        """A finger on this place, whatever lies there."""
        what.scroll_into_view_if_needed()
        box = what.bounding_box()
        self.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def choose(self, field: str, what: str) -> None:
        """A tile of the sheet, by what it stands for or by what is on it."""
        tiles = self.at(f'#sheet .tile:has([name="{field}"])')
        named = tiles.filter(has=self.page.get_by_text(what, exact=True))
        tile = tiles.filter(has=self.page.locator(f'[value="{what}"]')).or_(named)
        tile.scroll_into_view_if_needed()
        self.press(tile)
        expect(tile.locator("input")).to_be_checked()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def open_log(self) -> None:
        self.press(".bar-logbook")
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


def fits(*screens: Screen) -> None:
    for each in screens:
        each.fits()


def boxes(*what: Locator) -> list[dict[str, float]]:
    """Where all of these are, at one moment: a page may have scrolled on before the next one is asked."""
    found = [each for some in what for each in some.element_handles()]
    read = "(all) => all.map((each) => each.getBoundingClientRect().toJSON())"
    there: list[dict[str, float]] = what[0].page.evaluate(read, found)
    return there


def says(words: str | re.Pattern[str], *screens: Screen) -> None:
    """The phase is called so on all of them."""
    for each in screens:
        expect(each.at("#phase h2")).to_have_text(words)
