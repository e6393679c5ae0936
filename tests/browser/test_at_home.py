"""https at home, with a browser that was taught to trust this machine's authority, and one that was not."""

from __future__ import annotations

import io
import socket
import ssl
import threading
from base64 import b64decode
from pathlib import Path

import pytest
import qrcode
import zxingcpp
from at_home import Home, over_https
from conftest import NewPhone
from PIL import Image
from playwright.sync_api import Browser, Error, expect

from companion.net.authority import Authority

pytestmark = pytest.mark.browser


def test_who_trusts_the_authority_is_in_and_who_does_not_is_warned(
    home: Home, trusting: Browser, chromium: Browser, phones: NewPhone
) -> None:
    ada = phones(trusting, home.secure).go("/")
    expect(ada.at("h1")).to_have_text("Companion")
    stranger = phones(chromium, home.secure)
    with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
        stranger.go("/")
    stranger.page.wait_for_url("chrome-error://**")
    stranger.url = home.url
    stranger.go("/trust")
    expect(stranger.at("h1")).to_have_text("Over https")


def test_the_authority_cannot_speak_for_a_bank(home: Home, trusting: Browser, phones: NewPhone) -> None:
    """Even if somebody stole its key and signed what we never would."""
    forged = home.folder / "forged.pem"
    forged.write_bytes(Authority(home.folder / "authority", (), "").issue(["bank.example"]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(forged)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        line, _ = listener.accept()
        try:
            context.wrap_socket(line, server_side=True).close()
        except OSError:
            line.close()

    thread = threading.Thread(target=serve)
    thread.start()
    ada = phones(trusting, home.secure)
    with pytest.raises(Error, match="ERR_CERT_INVALID"):
        ada.go(f"https://bank.example:{listener.getsockname()[1]}/")
    ada.page.wait_for_url("chrome-error://**")
    thread.join(10)
    listener.close()


def test_the_page_that_hands_it_out_shows_its_own_qr_code_and_leads_on_to_https(
    home: Home, trusting: Browser, phones: NewPhone
) -> None:
    ada = phones(trusting, home.url).go("/trust")
    ada.at(".qr").scroll_into_view_if_needed()
    assert ada.scanned() == f"{home.url}/trust"
    with ada.page.expect_download() as taken:
        ada.press(ada.page.get_by_role("link", name="Take the certificate"))
    mine = Authority(home.folder / "authority", (), "")
    assert Path(taken.value.path()).read_bytes() == mine.der
    ada.press(ada.page.get_by_role("link", name="Open it over https").locator("visible=true"))
    ada.page.wait_for_url(f"{home.secure}/")
    expect(ada.at("h1")).to_have_text("Companion")


def test_over_https_the_screen_is_locked_awake_and_the_app_can_be_installed(
    home: Home, trusting: Browser, phones: NewPhone
) -> None:
    ada = phones(trusting, home.url).open("Ada", "Bob", look=False)
    ada.on_every_page(
        """window.asked = 0; const real = WakeLock.prototype.request;
        WakeLock.prototype.request = function (kind) { window.asked += 1; return real.call(this, kind); };"""
    )
    over_https(ada, home)
    assert ada.page.evaluate("() => isSecureContext && asked") == 1
    assert ada.at("video").count() == 0, "no film is needed"
    chrome = ada.context.new_cdp_session(ada.page)
    found = chrome.send("Page.getAppManifest")
    assert found["errors"] == []
    assert '"standalone"' in found["data"]
    chrome.detach()
    ada.go("/")
    expect(ada.at("#install")).to_be_hidden()
    ada.page.evaluate(  # as Chrome does on a phone, once it finds that it can
        """() => dispatchEvent(Object.assign(new Event("beforeinstallprompt", { cancelable: true }),
            { prompt: () => { window.prompted = true; } }))"""
    )
    ada.press(ada.button("Install"))
    assert ada.page.evaluate("() => prompted")
    expect(ada.at("#install")).to_be_hidden()


def test_the_invitation_is_copied_or_shared_with_one_tap(
    home: Home, trusting: Browser, phones: NewPhone
) -> None:
    ada = phones(trusting, home.url, permissions=["clipboard-read", "clipboard-write"])
    ada.open("Ada", "Bob", look=False)
    over_https(ada, home).go(f"/s/{ada.code}/people")
    assert ada.page.evaluate("() => navigator.share") is None, "this browser has none, so it is copied"
    ada.press(ada.button("Send the invitation"))
    expect(ada.at("#toasts")).to_contain_text("Copied")
    assert ada.page.evaluate("() => navigator.clipboard.readText()") == f"{home.url}{ada.link}"
    ada.page.evaluate("() => { navigator.share = async (given) => { window.shared = given.url; }; }")
    ada.press(ada.button("Send the invitation"))
    assert ada.page.evaluate("() => window.shared") == f"{home.url}{ada.link}"


#: What a phone's browser has and this one lacks: it hands each picture to a real reader of QR codes.
READER = """window.BarcodeDetector = class {
    static async getSupportedFormats() { return ["qr_code"]; }
    async detect(video) {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
        canvas.getContext("2d").drawImage(video, 0, 0);
        return (await read(canvas.toDataURL("image/png"))).map((rawValue) => ({ rawValue }));
    }
};"""


def read(picture: str) -> list[str]:
    seen = Image.open(io.BytesIO(b64decode(picture.partition(",")[2])))
    return [each.text for each in zxingcpp.read_barcodes(seen)]


def held_up(text: str) -> bytes:
    """A QR code in front of the camera, for a few pictures."""
    view = Image.new("RGB", (640, 480), "gray")
    view.paste(qrcode.make(text).get_image().convert("RGB").resize((400, 400)), (120, 40))
    frame = io.BytesIO()
    view.save(frame, "JPEG", quality=90)
    return frame.getvalue() * 5


def test_a_qr_code_is_read_inside_the_app_and_leads_to_the_table_over_https(
    home: Home, trusting: Browser, phones: NewPhone, camera: Path
) -> None:
    ada = phones(trusting, home.url).open("Ada", "Bob", look=False)
    bob = phones(trusting, home.secure, permissions=["camera"])
    bob.page.expose_function("read", read)
    bob.on_every_page(READER)
    bob.go("/")
    camera.write_bytes(held_up("https://somewhere.example/else"))
    bob.press("#scan")
    expect(bob.at("#scanner")).to_contain_text("not one of a table")
    bob.press("#scanner .sheet-close")
    camera.write_bytes(held_up(f"{home.url}{ada.link}"))  # as guests get it, on plain http
    bob.press("#scan")
    bob.page.wait_for_url(f"{home.secure}{ada.link}")
    bob.press(bob.at(".door-seat", has_text="Bob"))
    bob.page.wait_for_url(f"{home.secure}/s/{ada.code}")


def test_a_browser_that_cannot_read_qr_codes_says_what_to_do(
    home: Home, trusting: Browser, phones: NewPhone
) -> None:
    bob = phones(trusting, home.secure).go("/")
    bob.page.evaluate("() => { delete window.BarcodeDetector; }")
    bob.press("#scan")
    expect(bob.at("#scanner")).to_contain_text(
        "This browser cannot read QR codes. Open this phone’s own camera"
    )
    assert bob.at("#scanner video").is_hidden()
