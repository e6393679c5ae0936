"""The laws of the house: what may touch what, and what a page may hold."""

import ast
import re
import secrets
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from at_the_table import seats

from companion.games import folder, shelf
from companion.web.assets import STYLES
from companion.web.parts import PAGES

ROOT = Path(__file__).resolve().parent.parent
COMPANION = ROOT / "companion"
GAMES = shelf()
PURE = [path for part in ("core", "tools", "games") for path in sorted((COMPANION / part).rglob("*.py"))]
FORBIDDEN = {
    "datetime",
    "flask",
    "gevent",
    "jinja2",
    "random",
    "secrets",
    "sqlalchemy",
    "sqlmodel",
    "time",
    "werkzeug",
}
TEMPLATES = sorted([*(ROOT / "templates").rglob("*.html"), *COMPANION.rglob("faces/*.html")])
MOST_LINES = 400  # a mirror more than a gate; but a god file must not grow unseen


def name(path):
    return str(path.relative_to(ROOT))


# --- what may touch what ---


def test_layers_look_inward_rules_are_pure_and_no_game_imports_another():
    lint = Path(sys.executable).with_name("lint-imports")
    asked = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert asked.returncode == 0, asked.stdout + asked.stderr
    assert re.search(r"Contracts: [3-9] kept, 0 broken", asked.stdout), asked.stdout


def imported(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").split(".")[0]


def test_rules_bring_no_luck_no_clock_and_no_web_of_their_own():
    """Belt and braces: import-linter keeps the same law by another road."""
    for path in PURE:
        assert not FORBIDDEN & set(imported(path)), name(path)
        assert "__import__" not in path.read_text("utf-8"), name(path)


@pytest.mark.parametrize("slug", GAMES)
def test_no_game_is_named_outside_its_room(slug):
    game = GAMES[slug]
    names = re.compile(
        "|".join(rf"\b{re.escape(each)}\b" for each in (slug, slug.replace("-", "_"), game.title))
    )
    kinds = {".py", ".html", ".js", ".css"}
    everywhere = [COMPANION, ROOT / "templates", ROOT / "static" / "js", ROOT / "static" / "css"]
    found = [
        f"{name(path)}:{number}: {line.strip()}"
        for place in everywhere
        for path in sorted(place.rglob("*"))
        if path.suffix in kinds and folder(game) not in path.parents
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if names.search(line)
    ]
    assert not found, "\n".join(found)


IN_A_ROW = 6  # lines; fewer are alike by chance


def said_twice(rooms):
    """Lines in a row that several rooms say alike; what two rooms need is everyone's."""
    said = {}
    for room, files in rooms.items():
        for text in files:
            lines = [line.strip() for line in text.splitlines()]
            lines = [line for line in lines if line and not line.startswith(("from ", "import ", "#", "}"))]
            for at in range(len(lines) - IN_A_ROW + 1):
                said.setdefault("\n".join(lines[at : at + IN_A_ROW]), set()).add(room)
    return {text: rooms for text, rooms in said.items() if len(rooms) > 1}


def test_no_two_rooms_say_the_same():
    kinds = ("*.py", "faces/*.html", "faces/*.css")
    rooms = {
        slug: [file.read_text("utf-8") for kind in kinds for file in sorted(folder(game).glob(kind))]
        for slug, game in GAMES.items()
    }
    assert all(rooms.values())
    assert said_twice(rooms) == {}


def test_what_two_rooms_say_would_be_noticed():
    lines = "\n\n".join(f"    line {number}" for number in range(IN_A_ROW))
    assert len(said_twice({"one": [f"before\n{lines}"], "another": [f"{lines}\nafter"]})) == 1
    assert said_twice({"one": [lines, lines], "another": ["another"]}) == {}


def test_no_file_grows_beyond_what_one_can_read():
    sizes = {name(path): len(path.read_text("utf-8").splitlines()) for path in COMPANION.rglob("*.py")}
    assert {path: size for path, size in sizes.items() if size > MOST_LINES} == {}


# --- what a page may hold ---


FORBIDDEN_IN_PAGES = {
    "an inline style": r"\sstyle\s*=",
    "a style sheet of its own": r"<style\b",
    "a script without src": r"<script\b(?![^>]*\bsrc=)",
    "a handler": r"\son[a-z]+\s*=",
    "a handler of htmx": r"\b(data-)?hx-on\b",
    "a value that is code": r"[\"'](js|javascript):",
    "something from another host": r"\b(src|href)\s*=\s*[\"'](https?:)?//",
}


@pytest.mark.parametrize(("what", "pattern"), FORBIDDEN_IN_PAGES.items())
def test_no_template_holds_what_the_policy_forbids(what, pattern):
    forbidden = re.compile(pattern, re.IGNORECASE)
    found = [
        f"{name(path)}:{number} holds {what}: {line.strip()}"
        for path in TEMPLATES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if forbidden.search(line)
    ]
    assert not found, "\n".join(found)


LONGEST_LINE = 160  # beyond that it is logic in disguise


def test_no_line_of_a_template_is_too_long_to_read():
    found = [
        f"{name(path)}:{number} has {len(line)} characters"
        for path in TEMPLATES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert not found, "\n".join(found)


COMMAND = re.compile(r"""/(?:do|host)/\w|["']command["']\s*:""")


def test_no_template_names_a_command():
    """It draws the taps of the view and of companion/tools/taps.py."""
    found = [
        f"{name(path)}:{number}: {line.strip()}"
        for path in TEMPLATES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if COMMAND.search(line)
    ]
    assert not found, "\n".join(found)
    assert COMMAND.search("""data-do="/s/{{ code }}/host/admit" """)
    assert COMMAND.search("""act(code, {"command": "end_sitting"})""")


IN_BRACES = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
SAID = re.compile(r""""[^"]*"|'[^']*'""")
RECKONING = re.compile(r"[\w)]\s*[-+*/%]\s*[\w(]|(?<![\w)])-[a-z(]|\|\s*sum\b")


def reckoned(template: str) -> list[str]:
    """What in it is worked out where it should only be laid out."""
    found = IN_BRACES.findall(template)
    return [each for each in found if RECKONING.search(SAID.sub('""', each[2:-2].strip("-")))]


def test_no_template_reckons():
    found = [f"{name(path)}: {each}" for path in TEMPLATES for each in reckoned(path.read_text("utf-8"))]
    assert not found, "\n".join(found)
    for each in ("{{ seat.score - 1 }}", "{{ -step }}", "{{ all | sum }}", "{% if 2*share > most %}"):
        assert reckoned(each) == [each]
    assert reckoned('{{- "a - b" -}} {%- if x %} a - b {% endif %} {{ ["Plays"] + points }}') == []


# --- what a style may hold ---


CSS = ROOT / "static" / "css"
LAYERS = ("tokens", "pieces", "pages")
MOST_SHARED, MOST_OF_A_ROOM = 60_000, 6_000  # bytes


def test_the_shared_style_is_three_layers_of_sixty_kilobytes_at_most():
    assert STYLES == LAYERS, "in this order"
    sizes = {path.name: path.stat().st_size for path in CSS.iterdir()}
    assert sizes.keys() == {f"{layer}.css" for layer in LAYERS}
    assert sum(sizes.values()) <= MOST_SHARED, sizes


@pytest.mark.parametrize("slug", GAMES)
def test_a_room_adds_little_style_of_its_own(slug):
    own = folder(GAMES[slug]) / "faces" / "style.css"
    size = own.stat().st_size if own.exists() else 0
    assert size <= MOST_OF_A_ROOM


#: Which properties speak in which tokens.
SPOKEN = {
    "--size-": r"font|font-size",
    "--space-": r"(?:row-|column-)?gap|padding[\w-]*|margin[\w-]*|inset[\w-]*|top|right|bottom|left",
    "--round": r"border-radius",
    "--touch": r"(?:min-|max-)?(?:width|height)",
}
RAW = re.compile(r"(?<![\w.-])(\d*\.?\d+)(rem|px)\b")


def _rem(number, unit):
    return float(number) / (16 if unit == "px" else 1)


def raw_sizes(css, tokens):
    """Sizes that a token of their kind would say; the values of tokens are raw, of course."""
    for told, value in re.findall(
        r"(?<![\w-])([\w-]+):\s*([^;{}]+)[;}]", re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    ):
        for kind, spoken in SPOKEN.items():
            if re.fullmatch(spoken, told):
                known = {size: token for token, size in tokens.items() if token.startswith(kind)}
                raw = [_rem(*found) for found in RAW.findall(value)]
                yield from (f"{told}: {value.strip()} → {known[size]}" for size in raw if size in known)


def _tokens():
    css = (CSS / "tokens.css").read_text("utf-8")
    return {token: _rem(*size) for token, *size in re.findall(r"(--[\w-]+): ([\d.]+)(rem|px);", css)}


@pytest.mark.parametrize("layer", LAYERS[1:])
def test_no_raw_size_stands_where_a_token_says_it(layer):
    found = list(raw_sizes((CSS / f"{layer}.css").read_text("utf-8"), _tokens()))
    assert not found, "\n".join(found)


def test_a_raw_size_would_be_noticed():
    tokens = _tokens()
    assert len(tokens) > 12
    assert list(raw_sizes(".a { padding: 0 0.5rem; gap: 8px; }", tokens)) == [
        "padding: 0 0.5rem → --space-2",
        "gap: 8px → --space-2",
    ]
    assert list(
        raw_sizes(".a { font: 600 1.5rem/1 serif; min-height: 48px; border-radius: 1rem; }", tokens)
    ) == [
        "font: 600 1.5rem/1 serif → --size-title",
        "min-height: 48px → --touch",
        "border-radius: 1rem → --round",
    ]
    assert not list(raw_sizes(".a { width: 1.5rem; padding: 0.3rem; --own: 1rem; } /* gap: 1rem; */", tokens))


def after_anything(css):
    """Rules for whatever stands after something. With one of them, a browser styles the whole page anew for
    each drawing, since htmx puts what is left of it beside the body for a moment."""
    return re.findall(r"[^{}]*[+~]\s*\*[^{}]*(?={)", re.sub(r"/\*.*?\*/", "", css, flags=re.S))


def test_no_rule_is_for_whatever_stands_after_something():
    styles = [*CSS.iterdir(), *(COMPANION / "games").glob("*/faces/style.css")]
    assert len(styles) > len(LAYERS)
    assert {path: found for path in styles if (found := after_anything(path.read_text("utf-8")))} == {}


def test_a_rule_for_whatever_stands_after_something_would_be_noticed():
    assert len(after_anything(".a > * + * { top: 0; } .b { :focus ~ *, i { top: 0; } }")) == 2
    assert not after_anything("* { top: calc(1px + 2 * 3px); } .a + .b * { top: 0; } /* .a + * { } */")


IN_BRACKETS = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")


def apart(selectors, at):
    """Where one of these signs stands outside all brackets."""
    found, depth = [""], 0
    for sign in re.sub(r"\s*([>+~])\s*", r"\1", selectors):
        depth += (sign in "([") - (sign in ")]")
        if sign in at and not depth:
            found.append("")
        else:
            found[-1] += sign
    return [each.strip() for each in found]


def is_named(thing):
    """Whether its tag, id, class or an attribute says what it is; `:not(…)` says only what it is not."""
    if re.search(r"[\w#.\[]", re.sub(r"::?[\w-]+", "", IN_BRACKETS.sub("", thing))):
        return True
    any_of = re.finditer(rf":(?:is|where)({IN_BRACKETS.pattern})", thing)
    return any(all(is_named(apart(each, " >+~")[-1]) for each in apart(one[1][1:-1], ",")) for one in any_of)


def anything_by_has(css):
    """Rules for whatever is in something that `:has(…)`. With one of them, a browser styles all of the page
    anew whenever any `:has` on it might come out differently, which is with nearly every drawing."""
    around, found, text = [("", False)], [], ""
    for piece in re.split(r"([{};])", re.sub(r"/\*.*?\*/", "", css, flags=re.S)):
        if piece == "{":
            head, (outer, named) = " ".join(text.split()), around[-1]
            for each in () if head.startswith("@") else apart(head, ","):
                *before, end = apart(each, " >+~")
                above = "".join(before) if end.startswith("&") else outer + "".join(before)
                if ":has(" in above and not (is_named(end) or (end.startswith("&") and named)):
                    found.append(f"{outer} {each}".strip())
            inner = all(is_named(apart(each, " >+~")[-1]) for each in apart(head, ","))
            around.append(around[-1] if head.startswith("@") else (f"{outer} {head}".strip(), inner))
        elif piece == "}":
            around.pop()
        text = piece if piece not in "{};" else ""
    return found


def test_no_rule_is_for_anything_in_something_that_has_something():
    styles = [*CSS.iterdir(), *(COMPANION / "games").glob("*/faces/style.css")]
    assert {path: found for path in styles if (found := anything_by_has(path.read_text("utf-8")))} == {}


def test_a_rule_for_anything_in_something_that_has_something_would_be_noticed():
    for bad in (
        ".a:has(.b) * { top: 0; }",
        ".a:has(.b) > * { top: 0; }",
        "i, .a:has(.b) { .c > *, b { top: 0; } }",
        "@media (width > 1px) { .a:has(.b) { &.d { :is(.c > *, #e) { top: 0; } } } }",
        ".a:not(:has(.b)) .c > :not(.d) { top: 0; }",
        ".a { &:has(.b) ::after { top: 0; } }",
    ):
        assert len(anything_by_has(bad)) == 1, bad
    for good in (
        ".a:has(.b) { top: calc(1px * 2); &.c { top: 0; } b { top: 0; } }",
        ".a > :not(:has(.b)) { top: 0; > [id] { top: 0; } }",
        ".a:has(> * + :not(.b)) :is(.c, #d .e) { top: 0; } .a > * { top: 0; }",
        "/* .a:has(.b) * { } */ .a { > * { top: 0; } .b:has(i) { top: 0; } }",
    ):
        assert anything_by_has(good) == [], good


VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Roots(HTMLParser):
    """The outermost elements of a piece of a page, with their ids, and the ids of everything."""

    def __init__(self, html):
        super().__init__()
        self.roots, self.ids, self.open, self.stray = [], [], [], ""
        self.feed(html)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        given = dict(attrs)
        if not self.open:
            self.roots.append(given.get("id"))
        if "id" in given:
            self.ids.append(given["id"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open:
            self.stray += data.strip()


@pytest.fixture(params=GAMES)
def sitting(request, app):
    """All that can be drawn: a player, a watcher, a display, a stranger at the door, a tap taken back."""
    game, play = GAMES[request.param], app.extensions["play"]
    people = seats("Ada", "Bob", "Cleo", "Dov", "Eve", "Fay")[: game.seats[-1]]
    people = people if len(people) in game.seats else seats(*"ABCDEFGHIJKL"[: game.seats[0]])
    code, host = play.open(game.slug, new(), people, 1, [1])
    for role, invited in (("player", True), ("watcher", True), ("display", True), ("waiting", False)):
        _, token = play.join(code, new(), None, play.show(code).invitation if invited else "", role)
        if role == "player":
            play.do(code, token, "take_seats", {"seats": [str(people[-1].id)]}, new())
        if role == "display":
            play.do(code, token, "be_display", {}, new())
    play.do(code, host, "draw_starter", {}, new())
    play.do(code, host, "take_back", {"entry": [str(play.show(code).version)]}, new())
    play.do(code, host, "choose_starter", {"seat": ["1"]}, new())
    return play.show(code)


def new():
    return secrets.token_hex(8)


@pytest.mark.parametrize("page", PAGES)
def test_every_part_is_one_element_that_owns_its_id(app, sitting, page):
    drawing = app.extensions["parts"].drawing(sitting, page)
    pieces = {id: str(part) for id, part in drawing.parts.items()}
    for children in drawing.groups.values():
        pieces |= {id: str(child) for id, child in children.items()}
    assert set(drawing.parts) == set(PAGES[page].parts)
    for id, html in pieces.items():
        piece = Roots(html)
        assert piece.roots == [id], f"{page}: {id} has the roots {piece.roots}"
        assert not piece.stray, f"{page}: {id} has text beside its root: {piece.stray}"
    every_id = [each for html in pieces.values() for each in Roots(html).ids]
    assert sorted(set(every_id)) == sorted(every_id), "an id is there once on a page"


def test_a_part_with_two_roots_would_be_noticed():
    assert Roots('<p id="a">x</p><p id="b"><br></p>').roots == ["a", "b"]
    assert Roots('<p id="a"><input></p> and').stray == "and"
