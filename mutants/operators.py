"""The defects that are planted: each is one small change of one expression or statement."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitOr: ("|", "&"),
    ast.BitAnd: ("&", "|"),
}
OPPOSITES = {
    **{"min": "max", "argmin": "argmax", "minimum": "maximum", "any": "all", "floor": "ceil", "lower": "upper"},
    **{"max": "min", "argmax": "argmin", "maximum": "minimum", "all": "any", "ceil": "floor", "upper": "lower"},
}
ORDERLESS = {"min", "max", "minimum", "maximum", "isinstance", "hasattr", "getattr"}
"""Calls whose arguments are not swapped: the result is the same, or there is none."""

DEFAULTS = {"bool": ("True", "False"), "int": ("0",), "float": ("0.0",)}
"""What a function with this annotation may return instead."""

UNTESTED_NAMES = {"__repr__", "__str__"}
"""Functions that only make text for people."""

UNTESTED_CALLS = {"print", "warn", "debug", "info", "warning", "exception", "cast", "TypeVar", "reshape"}
"""Calls that are left as they are: text for people, types, and shapes, where any negative number says the same."""

UNTESTED_KEYWORDS = {"strict", "stacklevel", "copy"}
"""Arguments that guard against errors of the library itself, or that only affect speed."""


@dataclass(frozen=True)
class Mutation:
    """Bytes `start` to `end` of a source replaced by `text`; the statement has the lines `first` to `last`."""

    operator: str
    start: int
    end: int
    text: str
    first: int
    last: int

    def apply(self, source: bytes) -> bytes:
        """Return the source with the change."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def compiles(self, source: bytes) -> bool:
        """Return whether the changed source is Python."""
        try:
            ast.parse(self.apply(source))
        except SyntaxError:
            return False
        return True


def mutations(source: bytes) -> list[Mutation]:
    """Return all changes of a source; messages, annotations and decorators are left out."""
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    return finder.found


class _Finder(ast.NodeVisitor):
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.found: list[Mutation] = []
        self.lines = (1, 1)
        self.returns: list[str] = []
        self.line_starts = [0]
        for line in source.splitlines(keepends=True):
            self.line_starts.append(self.line_starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None  # noqa: PT018
        return (
            self.line_starts[node.lineno - 1] + node.col_offset,
            self.line_starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def text(self, node: ast.expr) -> str:
        start, end = self.span(node)
        return self.source[start:end].decode()

    def operand(self, node: ast.expr) -> str:
        """The text of an operand that takes the place of its expression."""
        simple = isinstance(node, ast.Name | ast.Constant | ast.Attribute | ast.Call | ast.Subscript)
        return self.text(node) if simple and "\n" not in self.text(node) else f"({self.text(node)})"

    def add(self, operator: str, span: tuple[int, int], text: str) -> None:
        self.found.append(Mutation(operator, *span, text, *self.lines))

    def between(self, operator: str, left: ast.expr, right: ast.expr, old: str, new: str) -> None:
        """Replace an operator between two operands, with or without parentheses around these."""
        start, end = self.span(left)[1], self.span(right)[0]
        token = re.search(r"\s+".join(map(re.escape, old.split())), self.source[start:end].decode())
        if token is not None:
            self.add(operator, (start + token.start(), start + token.end()), new)

    def visit(self, node: ast.AST) -> None:
        before = self.lines
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
            self.lines = (node.lineno, last or node.lineno)
        super().visit(node)
        self.lines = before

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name in UNTESTED_NAMES:
            return
        self.returns.append(ast.unparse(node.returns) if node.returns else "")
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(default)
        for statement in node.body:
            self.visit(statement)
        self.returns.pop()

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)  # type: ignore[arg-type]

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Leave out aliases of types, which are in CamelCase."""
        if not re.fullmatch(r"_?[A-Z]\w*[a-z]\w*", _name(node.targets[0])):
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and ast.unparse(node.annotation) != "TypeAlias":
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave messages out."""

    def visit_Raise(self, node: ast.Raise) -> None:
        self.add("removed raise", self.span(node), "pass")

    def visit_Break(self, node: ast.Break) -> None:
        self.add("removed break", self.span(node), "pass")

    def visit_Continue(self, node: ast.Continue) -> None:
        self.add("removed continue", self.span(node), "pass")

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.add("removed update", self.span(node), "pass")
        self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and _name(node.value.func) not in UNTESTED_CALLS:
            self.add("removed call", self.span(node), "pass")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and self.returns:
            annotation = self.returns[-1]
            others = ("None",) if annotation.endswith("| None") else DEFAULTS.get(annotation, ())
            for other in others:
                if self.text(node.value) != other:
                    self.add("other return", self.span(node.value), other)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if _name(node.test) == "TYPE_CHECKING":
            return
        self.negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        if _is_text(node.body) or _is_text(node.orelse):
            return
        self.negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.negate(test)
        self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        """Leave assertions out: they tell the type checker what the code ensures."""

    def negate(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare | ast.UnaryOp):  # these have mutants of their own
            self.add("negated condition", self.span(test), f"(not ({self.text(test)}))")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub):
            operator = "removed not" if isinstance(node.op, ast.Not) else "removed sign"
            self.add(operator, self.span(node), self.operand(node.operand))
        self.visit(node.operand)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            old, others = COMPARISONS[type(op)]
            for new in others:
                self.between("comparison", left, right, old, new)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between("and/or", left, right, old, new)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in ARITHMETIC and not _is_text(node.left) and not _is_text(node.right):
            self.between("arithmetic", node.left, node.right, *ARITHMETIC[type(node.op)])
            self.add("dropped term", self.span(node), self.operand(node.left))
            if isinstance(node.op, ast.Add | ast.Mult):
                self.add("dropped term", self.span(node), self.operand(node.right))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = _name(node.func)
        if name in UNTESTED_CALLS:
            return
        if len(node.args) >= 2 and not any(isinstance(each, ast.Starred) for each in node.args[:2]):
            first, second = node.args[:2]
            gap = self.source[self.span(first)[1] : self.span(second)[0]].decode()
            if name not in ORDERLESS and not _is_text(first) and self.text(first) != self.text(second):
                span = (self.span(first)[0], self.span(second)[1])
                self.add("swapped arguments", span, self.text(second) + gap + self.text(first))
        self.visit(node.func)
        for argument in node.args:
            self.visit(argument)
        for keyword in node.keywords:
            if keyword.arg not in UNTESTED_KEYWORDS:
                self.visit(keyword.value)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id in OPPOSITES:
            self.add("opposite", self.span(node), OPPOSITES[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load) and node.attr in OPPOSITES:
            end = self.span(node)[1]
            self.add("opposite", (end - len(node.attr), end), OPPOSITES[node.attr])
        self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        for other in _other_constants(node.value):
            self.add("constant", self.span(node), other)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _other_constants(value: object) -> Iterator[str]:
    """Integers ± 1; numbers doubled and halved, tiny ones, which are tolerances, × 10 and ÷ 10."""
    if isinstance(value, bool):
        yield str(not value)
    elif isinstance(value, int):
        yield str(value + 1)
        if value > 0:
            yield str(value - 1)
    elif isinstance(value, float):
        factor = 10.0 if 0 < value < 1e-3 else 2.0
        yield from (repr(value * factor), repr(value / factor)) if value != 0 else ("1.0",)
