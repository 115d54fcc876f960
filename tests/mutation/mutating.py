"""Where a module can be changed, and the changed module."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

SWAPPED: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
RENAMED = {"minimum": "maximum", "maximum": "minimum", "min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Site:
    """An expression of a module, by its place among all that can be changed, and what becomes of it."""

    module: str
    place: int
    line: int
    source: str
    change: str

    @property
    def name(self) -> str:
        """The same from one version of the module to the next, as long as the line stays as it is."""
        return f"{self.module}: {self.source} [{self.change}]"


def changeable(tree: ast.Module) -> Iterator[ast.AST]:
    """Expressions that can be changed, in the order of the source; types, messages, decorators and
    docstrings are left alone."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        annotations = [getattr(node, name, None) for name in ("annotation", "returns")]
        raised = [node] if isinstance(node, ast.Raise | ast.Assert) else []
        checked = [node] if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" else []
        decorators = getattr(node, "decorator_list", [])
        for hidden in [*annotations, *raised, *checked, *decorators]:
            if isinstance(hidden, ast.AST):
                skipped |= {id(one) for one in ast.walk(hidden)}
    for node in ast.walk(tree):
        if id(node) not in skipped and change_of(node) is not None:
            yield node


def change_of(node: ast.AST) -> str | None:
    """What becomes of an expression, in words; None where it is left alone."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in SWAPPED:
            return f"{type(op).__name__} to {SWAPPED[type(op)].__name__}"
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op) if type(op) in SWAPPED:
            # types are joined by |, which is not among these
            return f"{type(op).__name__} to {SWAPPED[type(op)].__name__}"
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            return f"without {type(node.op).__name__}"
        case ast.Constant(value=bool() as value):
            return f"{value} to {not value}"
        case ast.Constant(value=int() | float() as value):
            return f"{value} to {value + 1}"
        case ast.Attribute(attr=attr) if attr in RENAMED:
            return f"{attr} to {RENAMED[attr]}"
        case ast.If() | ast.IfExp():
            return "condition negated"
    return None


def changed(node: ast.AST) -> ast.AST:
    node = copy.deepcopy(node)
    match node:
        case ast.Compare():
            node.ops = [SWAPPED[type(node.ops[0])]()]
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign():
            node.op = SWAPPED[type(node.op)]()
        case ast.UnaryOp():
            return node.operand
        case ast.Constant(value=bool() as value):
            node.value = not value
        case ast.Constant(value=value):
            node.value = value + 1
        case ast.Attribute():
            node.attr = RENAMED[node.attr]
        case ast.If() | ast.IfExp():
            node.test = ast.UnaryOp(ast.Not(), node.test)
    return node


def sites(module: str, text: str) -> list[Site]:
    lines = text.splitlines()
    return [
        Site(module, place, node.lineno, lines[node.lineno - 1].strip(), str(change_of(node)))
        for place, node in enumerate(changeable(ast.parse(text)))
    ]


def mutated(text: str, place: int) -> ast.Module:
    """The module with one expression changed."""
    tree = ast.parse(text)
    chosen = list(changeable(tree))[place]

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return changed(node) if node is chosen else self.generic_visit(node)

    return ast.fix_missing_locations(Swap().visit(tree))
