"""What the terminal says when the server is there: where phones find it, and a QR code for them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from companion.web.https import Https


def greet(public_url: str | None, port: int, https: Https | None = None) -> None:
    from companion.net.address import lan_addresses, reachable_base_urls
    from companion.net.qr import text

    over = https if https is not None and not https.welcomes_plain else None
    scheme, main_port = ("https", over.port) if over else ("http", port)
    urls = reachable_base_urls(public_url, "", scheme, main_port, lan_addresses())
    speak_utf8()
    if not urls:
        print("No address that a phone could reach was found. Set COMPANION_PUBLIC_URL to one that works.")
    else:
        print(text(urls[0]))
        print(f"\n  On your phone:      {urls[0]}")
        for url in urls[1:]:
            print(f"  or                  {url}")
    print(f"  On this machine:    {scheme}://localhost:{main_port}")
    if https is not None and https.authority is not None:
        _tell_of_https(port, https, lan_addresses())
    print("\n  Stop with Ctrl+C.", flush=True)


def _tell_of_https(port: int, https: Https, lan: list[str]) -> None:
    """Each phone learns once to trust this machine; that page has a QR code of its own."""
    from companion.net.address import reachable_base_urls
    from companion.net.qr import text

    for url in reachable_base_urls(None, "", "https", https.port, lan) if https.welcomes_plain else ():
        print(f"  Over https:         {url}")
    for url in reachable_base_urls(None, "", "http", port, lan)[:1]:
        print(f"\n  First, once for each phone: {url}/trust\n\n{text(f'{url}/trust')}")
    assert https.authority is not None
    print(f"\n  Fingerprint of what a phone is asked to trust:\n  {https.authority.fingerprint}")


def speak_utf8() -> None:
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
