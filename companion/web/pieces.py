"""`{% piece "base-3" %}…{% endpiece %}`: an element inside a part that changes on its own.

It is one element with that id, and may hold further pieces. A tap sends only the pieces that it changed, and
draws only those whose template names something that is different now: what a piece depends on is read off its
template, so nobody can forget to say it. A macro called in it must live on its arguments alone.
Of a piece where nothing but attributes is new, just these are sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from keyword import iskeyword
from typing import Any, NamedTuple, cast

from jinja2 import Environment, Template, TemplateAssertionError, meta, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Context, Macro, Undefined, markup_join
from jinja2.utils import missing
from markupsafe import Markup, escape

# Where a piece stands in what surrounds it. What people type holds no such characters (`core.text.clean`).
PLACE = re.compile("\x02([^\x03]*)\x03")
FIXED = ("code", "game")  # never change at a table, so a macro may look at them
Inputs = list[Any]
NOTHING: list[Any] = []
ATTRIBUTE = re.compile(r""" ([a-z-]+)(="[^"]*"|='[^']*')?""")
TYPED_IN = (
    "<input",
    "<select",
    "<textarea",
    "<option",
    "<details",
    "<dialog",
)  # what people did to it is theirs


class Piece(NamedTuple):
    inputs: Inputs
    html: str  # with places where its own pieces go
    inner: list[str]  # which those are


_leaf = partial(tuple.__new__, Piece)  # as `Piece(…)`, without a step in Python: a tap draws several


class Attributes(str):
    """Those of an element that are different, where nothing else of it is."""

    __slots__ = ()


def swap(target: str, html: str, how: str = "") -> str:
    """Without a word of how, the element itself is morphed; static/js/stream.js spells that out for htmx."""
    way = f' hx-swap="{how}"' if how else ""
    return f'<hx-partial id="{target}"{way}>{html}</hx-partial>'


def _set(target: str, attributes: Attributes) -> str:
    """Nothing but these is new about the element; stream.js makes the whole of it again."""
    return f'<hx-set id="{target}" {attributes}>'


class Drawn(NamedTuple):
    """A part as it was last drawn, and from what."""

    inputs: tuple[Any, ...]
    html: str
    pieces: dict[str, Piece]
    inner: list[str]  # the pieces that stand in it and in no other
    news: str = ""  # what is different, as phones hear it, since it was drawn …
    since_inputs: tuple[Any, ...] | None = None  # … from these

    def __str__(self) -> str:
        return self.whole(self.html)

    def __html__(self) -> str:
        return str(self)

    def whole(self, html: str) -> str:
        """With all its pieces in their places."""
        if "\x02" not in html:
            return html
        return PLACE.sub(lambda place: self.whole(self.pieces[place[1]].html), html)

    def since(self, id: str, before: Drawn) -> str:
        """The elements that are drawn differently now, outermost first, as phones hear it."""
        if self.since_inputs is before.inputs:
            return self.news
        if before.html is not self.html and before.html != self.html:
            return swap(id, str(self))
        return "".join(self._changes(before, self.inner))

    def touched_up(
        self,
        inputs: tuple[Any, ...],
        leaves: Iterable[tuple[str, str]],
        draw: Callable[[], list[str]] | None = None,
    ) -> Drawn:
        """The same, with these leaves for those of the same ids, and with the pieces that `draw` draws, whose
        ids it gives: what stands around them needs no second look."""
        known = self.pieces
        pieces, news = known.copy(), ""
        for id, html in leaves:
            if id not in known:
                raise KeyError(id)  # it has no place yet
            pieces[id] = _leaf((NOTHING, html, NOTHING))
            news += swap(id, html)
        touched = Drawn(inputs, self.html, pieces, self.inner, news, self.inputs)
        if draw is None:
            return touched
        ids, drawn = _touch(known, draw)
        for id, now in drawn.items():
            if id in known and known[id].inner != now.inner:
                self._leave_out(pieces, known[id].inner)  # or what came and went stays for ever
        pieces.update(drawn)
        return touched._replace(news=news + "".join(touched._changes(self, ids)))

    def _leave_out(self, pieces: dict[str, Piece], ids: list[str]) -> None:
        for id in ids:
            pieces.pop(id, None)
            self._leave_out(pieces, self.pieces[id].inner)

    def _changes(self, before: Drawn, ids: list[str]) -> Iterator[str]:
        for id in ids:
            was, now = before.pieces[id], self.pieces[id]
            if was is now:
                continue
            attributes = None
            if was.html != now.html:
                attributes = _attributes(was.html, now.html)
                yield swap(id, self.whole(now.html)) if attributes is None else _set(id, attributes)
            if now.inner and (was.html == now.html or attributes is not None):
                yield from self._changes(before, now.inner)


def _attributes(was: str, now: str) -> Attributes | None:
    """None if more is different than what a few attributes say."""
    until, end = was.find(">"), now.find(">")
    if was[until:] != now[end:] or now.startswith(TYPED_IN):
        return None
    before, after = was[:until], now[:end]
    if before.count('"') % 2 or after.count('"') % 2:  # that was not yet the end of the tag
        return None
    old, new = ATTRIBUTE.findall(before), ATTRIBUTE.findall(after)
    if [name for name, _ in old] != [name for name, _ in new] or before.split()[0] != after.split()[0]:
        return None
    changed = [name + value for (name, value), (_, known) in zip(new, old, strict=True) if value != known]
    if not changed or any(each.startswith("hx-") for each in changed):
        return None
    return Attributes(" ".join(changed))


class _Known(dict[str, Any]):
    """All that a part may name; what is not there is `missing`, as jinja calls it."""

    def __missing__(self, name: str) -> Any:
        return missing


def context(templates: Environment, given: dict[str, Any]) -> Context:
    """As a template would make it, which looks through all its globals anew each time. A part is in no other
    template that could have set a name for it, so each is found by one look."""
    known = _Known(templates.globals)
    known.update(given)
    made = Context(templates, known, "part.html", {})
    made.resolve_or_missing = known.__getitem__  # type: ignore[assignment,method-assign]
    return made


def draw(template: Template, context: Context, inputs: tuple[Any, ...], before: Drawn | None) -> Drawn:
    """Only the pieces that see something new are drawn; the others are taken from before.

    The context is handed in: one serves all parts of a drawing, and to make it costs as much as a small part.
    """
    global _canvas
    above, _canvas = _canvas, _Canvas(before.pieces if before else {})
    try:
        html = "".join(template.root_render_func(context))
        return Drawn(inputs, html, _canvas.pieces, _inner(html))
    finally:
        _canvas = above
        context.vars.clear()  # what this template set for itself
        context.exported_vars.clear()


class _Canvas:
    """One drawing of one part."""

    def __init__(self, before: dict[str, Piece]) -> None:
        self.before = before
        self.pieces: dict[str, Piece] = {}

    def keep(self, ids: list[str]) -> None:
        """These as they were, with all that stands in them."""
        for id in ids:
            piece = self.pieces[id] = self.before[id]
            if piece.inner:
                self.keep(piece.inner)


class _TouchUp(_Canvas):
    """Only what is new: whatever else was there is there still."""

    def keep(self, ids: list[str]) -> None:
        pass


def _touch(before: dict[str, Piece], draw: Callable[[], list[str]]) -> tuple[list[str], dict[str, Piece]]:
    global _canvas
    above, _canvas = _canvas, _TouchUp(before)
    try:
        return draw(), _canvas.pieces
    finally:
        _canvas = above


_canvas: _Canvas | None = None  # drawing never waits for anything, so there is one at a time


# What `{% piece %}` calls; see `Compiler.visit_FilterBlock`.


def kept(id: str, inputs: Inputs) -> Markup | None:
    """The place of a piece that sees nothing new."""
    if _canvas is None:
        return None
    known = _canvas.before.get(id)
    if known is None or known.inputs != inputs:
        return None
    _canvas.pieces[id] = known
    if known.inner:
        _canvas.keep(known.inner)
    return _place(id)


def before(id: str) -> Inputs:
    """What the piece was last drawn from."""
    known = _canvas.before.get(id) if _canvas else None
    return known.inputs if known else NOTHING


def laid_out(id: str, inputs: Inputs) -> Markup:
    """The place of a piece that is as it was, but for those inside it, which have been drawn already."""
    assert _canvas
    known = _canvas.before[id]
    _canvas.pieces[id] = Piece(inputs, known.html, known.inner)
    _canvas.keep([each for each in known.inner if each not in _canvas.pieces])
    return _place(id)


def piece(html: str, id: str, inputs: Inputs) -> Markup:
    if _canvas is None:  # a page that is drawn once and for all
        return Markup(html)
    html = str(html).strip()
    _canvas.pieces[id] = Piece(inputs, html, _inner(html))
    return _place(id)


def place(id: str, html: str) -> Markup:
    """Where a leaf stands, which is a piece that holds no other and needs no template."""
    if _canvas is None:
        return Markup(html)
    _canvas.pieces[id] = Piece(NOTHING, html, NOTHING)
    return _place(id)


def _inner(html: str) -> list[str]:
    return PLACE.findall(html) if "\x02" in html else NOTHING


@lru_cache(10_000)
def _place(id: str) -> Markup:
    return Markup(f"\x02{id}\x03")


class Compiler(CodeGenerator):
    """Most of what is put into a page is plain words and numbers; to find that out is all that it takes.

    And what a template looks at is written down with it, since to find that out takes long.
    """

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        looks_at = tuple(sorted(meta.find_undeclared_variables(node)))
        why = why_not_alone(self.environment, node)
        _leave_out_what_stays(self.environment, node)
        super().visit_Template(node, frame)
        self.writeline(f"looks_at, why_not_alone = {looks_at!r}, {why!r}")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        """At once, where jinja would first look whether it wants to be told in which template it is called.
        Nothing of ours does; a macro asks whether to escape, and all of ours do."""
        strange = node.dyn_args or node.dyn_kwargs or any(iskeyword(each.key) for each in node.kwargs)
        if forward_caller or strange or _asks_where(self.environment, node.node):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in (*node.args, *node.kwargs):
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")

    def visit_CondExpr(self, node: nodes.CondExpr, frame: Frame) -> None:  # noqa: N802
        """`a if b` is nothing where b is not so, and no object that says in words where that was."""
        if node.expr2 is None:
            node.expr2 = nodes.Const("", lineno=node.lineno)
        super().visit_CondExpr(node, frame)

    def visit_FilterBlock(self, node: nodes.FilterBlock, frame: Frame) -> None:  # noqa: N802
        """A piece asks for what is known of it before its body is drawn at all."""
        if node.filter.name != "piece":
            super().visit_FilterBlock(node, frame)
            return
        (id, inputs), there = node.filter.args, self.temporary_identifier()
        names = [self.temporary_identifier() for _ in (id, inputs)]
        for name, value in zip(names, (id, inputs), strict=True):
            self.writeline(f"{name} = ", node)
            self.visit(value, frame)
        given = ", ".join(names)
        self.writeline(f"{there} = environment.kept({given})")
        self.writeline(f"if {there} is None:")
        self.indent()
        body = frame.inner()
        body.symbols.analyze_node(node)
        self.enter_frame(body)
        self.buffer(body)
        self.blockvisit(node.body, body)
        self.writeline(f"{there} = environment.piece(concat({body.buffer}), {given})")
        self.leave_frame(body)
        self.outdent()
        self.writeline(f"yield {there}" if frame.buffer is None else f"{frame.buffer}.append({there})")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.autoescape and not frame.eval_ctx.volatile and finalize.src is None:
            self.write("environment.quick(")
        else:
            super()._output_child_pre(node, frame, finalize)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super().visit_Concat(node, frame)
            return
        self.write("environment.joined((")
        for each in node.nodes:
            self.visit(each, frame)
            self.write(", ")
        self.write("))")


def _asks_where(templates: Environment, called: nodes.Expr) -> bool:
    known = templates.globals.get(called.name) if isinstance(called, nodes.Name) else None
    asking = [each for each in (known, type(known).__call__) if hasattr(each, "jinja_pass_arg")]
    return bool(asking) and not isinstance(known, Macro)


_SPECIAL = re.compile(r"""[&<>'"]""").search


def quick(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        return escape(value) if _SPECIAL(value) else value
    if kind is Markup:
        return value
    if kind is int:
        return str(value)
    return "" if kind is Undefined else escape(value)


def joined(some: tuple[Any, ...]) -> str:
    """`a ~ b`. Nearly always it makes an id."""
    for each in some:
        if type(each) is not str and type(each) is not int:
            return markup_join(some)
    return "".join(map(str, some))


class PieceTag(Extension):
    tags = {"piece"}  # noqa: RUF012

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        environment.extend(quick=quick, joined=joined, kept=kept, piece=piece)
        environment.filters["piece"] = piece
        environment.code_generator_class = Compiler

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        expression = parser.parse_expression()
        body = parser.parse_statements(("name:endpiece",), drop_needle=True)
        names = sorted(_free(self.environment, body))
        if "loop" in names:
            raise TemplateAssertionError("a piece cannot see `loop`: set what it needs before it", line)
        inputs = nodes.List([nodes.Name(name, "load") for name in names])
        filter = nodes.Filter(None, "piece", [expression, inputs], [], None, None)
        return nodes.FilterBlock(body, filter).set_lineno(line)


def _free(templates: Environment, body: list[nodes.Node]) -> set[str]:
    whole = nodes.Template(body, lineno=1)
    whole.set_environment(templates)
    return set(meta.find_undeclared_variables(whole))


def _leave_out_what_stays(templates: Environment, parsed: nodes.Template) -> None:
    """What is the same in every drawing need not be compared: macros, the template's own and everyone's.

    A template's own are new objects each time, and a name that also stands for something else stays in.
    """
    set_here = {name.name for name in parsed.find_all(nodes.Name) if name.ctx != "load"}
    macros = {macro.name for macro in parsed.find_all(nodes.Macro)}
    stays = (macros | templates.globals.keys()) - set_here
    for filter in parsed.find_all(nodes.Filter):
        inputs = filter.args[1] if filter.name == "piece" else None
        if isinstance(inputs, nodes.List):  # of a piece that names nothing Jinja has made a constant
            names = cast("list[nodes.Name]", inputs.items)
            inputs.items = [name for name in names if name.name not in stays]


def why_not_alone(templates: Environment, parsed: nodes.Template) -> str:
    """Why it cannot be told when to draw this again, or nothing.

    It stands alone, and a macro that looks beyond its arguments would hide from a piece what that depends on.
    """
    if any(meta.find_referenced_templates(parsed)):
        return "a part stands alone, or nobody knows when to draw it again"
    macros = {macro.name: macro for macro in parsed.find_all(nodes.Macro)}
    for name, macro in macros.items():
        given = {argument.name for argument in macro.args}
        known = given | macros.keys() | templates.globals.keys() | {"caller", "varargs", "kwargs", *FIXED}
        if beyond := _free(templates, macro.body) - known:
            return f"the macro {name} looks beyond its arguments: {', '.join(sorted(beyond))}"
    return ""
