"""A drawing is right when a scanner reads it, so these tests scan it."""

import re
from xml.etree import ElementTree as ET

import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from qrcode.constants import ERROR_CORRECT_M
from qrcode.main import QRCode
from qrcode.util import MODE_8BIT_BYTE, QRData

from companion.net import qr

JOIN = "http://192.168.1.20:8000/j/K7PQ4M/s3cr3tS3cr3t11"
SVG = "{http://www.w3.org/2000/svg}"
BLACK, WHITE = 0, 255
Picture = list[list[int]]


def painted(drawing: str) -> Picture:
    """The SVG as a screen shows it: its white rectangle, then each box of its path."""
    root = ET.fromstring(drawing)
    rect, path = root
    assert (rect.get("fill"), path.get("fill")) == ("#fff", "#000")
    width, height = int(rect.attrib["width"]), int(rect.attrib["height"])
    assert root.get("viewBox") == f"0 0 {width} {height}"
    picture = [[WHITE] * width for _ in range(height)]
    boxes = re.findall(r"M(\d+) (\d+)h(\d+)v1H(\d+)z", path.attrib["d"])
    assert "".join("M{} {}h{}v1H{}z".format(*box) for box in boxes) == path.attrib["d"]
    for x, y, length, back in (map(int, box) for box in boxes):
        assert back == x
        picture[y][x : x + length] = [BLACK] * length
    return picture


def on_a_dark_terminal(drawing: str) -> Picture:
    """Light ink on a dark ground, each character two modules high."""
    ink = {"█": (WHITE, WHITE), "▀": (WHITE, BLACK), "▄": (BLACK, WHITE), " ": (BLACK, BLACK)}
    return [[ink[character][half] for character in line] for line in drawing.split("\n") for half in (0, 1)]


def scanned(picture: Picture, enlarged: int = 4, level: str = "M") -> str:
    pixels = [
        bytes(shade for shade in row for _ in range(enlarged)) for row in picture for _ in range(enlarged)
    ]
    image = memoryview(b"".join(pixels)).cast("B", (len(pixels), len(pixels[0])))
    # Inverted codes are read by some phones only, so reading one here would prove too little.
    formats = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    (code,) = zxingcpp.read_barcodes(image, formats=formats, try_invert=False)
    assert code.ec_level == level
    return str(code.text)


def dark_modules(picture: Picture) -> list[tuple[int, int]]:
    return [(x, y) for y, row in enumerate(picture) for x, shade in enumerate(row) if shade == BLACK]


def test_a_phone_reads_the_join_link_off_the_page() -> None:
    assert scanned(painted(qr.svg(JOIN))) == JOIN


def test_a_phone_reads_the_join_link_off_a_dark_terminal() -> None:
    assert scanned(on_a_dark_terminal(qr.text(JOIN))) == JOIN


@pytest.mark.parametrize(
    "link",
    [
        "http://[fd00::2]:8000/j/K7PQ4M/x",
        "https://games.example.org/table/j/K7PQ4M/" + "s" * 300,
        "Käse & <b>",
    ],
)
def test_long_links_and_odd_letters_are_read_too(link: str) -> None:
    assert scanned(painted(qr.svg(link))) == link
    assert scanned(on_a_dark_terminal(qr.text(link))) == link


@settings(max_examples=40, deadline=None)
@given(
    code=st.text("23456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=6, max_size=6),
    secret=st.from_regex(r"[A-Za-z0-9_-]{11,43}", fullmatch=True),
)
def test_every_join_link_is_read_alike_from_page_and_terminal(code: str, secret: str) -> None:
    link = f"http://10.0.0.7:8000/j/{code}/{secret}"
    assert scanned(painted(qr.svg(link))) == scanned(on_a_dark_terminal(qr.text(link))) == link


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=1, max_size=600).map(lambda some: some.hex()[: len(some)] + "ü"))
def test_every_module_is_where_the_package_would_put_it(text: str) -> None:
    """Of any length: a code of another size has other patterns, and more blocks of error correction."""
    code = QRCode(error_correction=ERROR_CORRECT_M, border=qr.QUIET, mask_pattern=qr.MASK)
    code.add_data(QRData(text.encode(), MODE_8BIT_BYTE))
    expected = [[BLACK if module else WHITE for module in row] for row in code.get_matrix()]
    assert painted(qr.svg(text)) == expected


def test_four_modules_of_white_surround_the_code() -> None:
    page, terminal = painted(qr.svg(JOIN)), on_a_dark_terminal(qr.text(JOIN))
    for picture in (page, terminal):
        for along in zip(*dark_modules(picture), strict=True):  # all x, then all y
            assert (min(along), max(along)) == (4, len(page) - 5)


def test_the_terminal_drawing_is_a_clean_rectangle() -> None:
    lines = qr.text(JOIN).split("\n")
    assert {len(line) for line in lines} == {len(lines) * 2 - 1}


def test_the_page_gets_one_rectangle_one_path_and_nothing_the_csp_forbids() -> None:
    root = ET.fromstring(qr.svg(JOIN))
    assert [child.tag for child in root] == [f"{SVG}rect", f"{SVG}path"]
    names = {name for element in root.iter() for name in element.attrib}
    assert not {name for name in names if name in {"style", "class", "id"} or name.startswith("on")}
    assert root.get("shape-rendering") == "crispEdges"


def test_neighbouring_modules_share_a_box_so_the_drawing_stays_small() -> None:
    drawing = qr.svg(JOIN)
    boxes = drawing.count("z")
    assert boxes < len(dark_modules(painted(drawing))) * 0.6
    assert len(drawing) < 5_000


def test_a_screen_reader_hears_the_label_and_never_the_secret() -> None:
    drawing = qr.svg(JOIN, "Join table K7PQ4M")
    root = ET.fromstring(drawing)
    assert (root.get("role"), root.get("aria-label")) == ("img", "Join table K7PQ4M")
    assert "s3cr3t" not in drawing


def test_a_table_named_in_markup_stays_a_name() -> None:
    name = """Bob"><script>alert('x')</script>&amp;"""
    root = ET.fromstring(qr.svg(JOIN, name))
    assert root.get("aria-label") == name
    assert len(list(root.iter())) == 3


def test_a_link_in_markup_leaves_no_trace_in_the_page() -> None:
    drawing = qr.svg('http://10.0.0.7/"><script>alert(1)</script>')
    assert "script" not in drawing
    assert "alert" not in drawing


def test_a_code_that_was_drawn_is_not_drawn_again():
    assert qr.svg(JOIN) is qr.svg(JOIN) != qr.svg(f"{JOIN}2")
