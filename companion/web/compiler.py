"""How our templates are compiled: a piece asks for what is known of it, and what jinja would find out each
time that something is called or put into a page is settled once."""

from __future__ import annotations

import re
from keyword import iskeyword
from typing import Any, cast

from jinja2 import Environment, TemplateAssertionError, meta, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Macro, Undefined, markup_join
from markupsafe import Markup, escape

from companion.web.pieces import kept, piece

FIXED = ("code", "game")  # never change at a table, so a macro may look at them


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
