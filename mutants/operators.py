"""The mutants of a file: which small errors a node of the syntax tree can have."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In},
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is},
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult},
    **{ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.MatMult: ast.Mult},
    **{ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr},
    **{ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd},
}
_PAIRS = """min max, minimum maximum, argmin argmax, floor ceil, any all, zeros ones, triu tril,
startswith endswith, find rfind, split rsplit, partition rpartition, lstrip rstrip, lower upper,
union intersection"""
NAMES = {
    name: other
    for one, two in (pair.split() for pair in _PAIRS.split(","))
    for name, other in [(one, two), (two, one)]
}
SIDES = {"left": "right", "right": "left"}  # of searchsorted and bisect; no other text is changed
LOGS = {"_log", "log", "logging", "logger"}
EXACT = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)
NOT_VISITED = {"annotation", "returns", "decorator_list", "type_params"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Mutant:
    """One small error."""

    path: Path
    line: int
    lines: range  # of its statement, of a compound one those of its head
    in_function: bool
    before: str
    after: str
    place: tuple[int, str, int]  # parent in the order of ast.walk, field, position in the field
    node: ast.AST

    def __str__(self) -> str:
        return f"{self.path}:{self.line}  {self.before} -> {self.after}"

    def tree(self) -> ast.Module:
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        number, field, position = self.place
        parent = list(ast.walk(tree))[number]
        value = getattr(parent, field)
        if isinstance(value, list):
            value[position] = ast.copy_location(self.node, value[position])
        else:
            setattr(parent, field, ast.copy_location(self.node, value))
        return ast.fix_missing_locations(tree)


def mutants_of(path: Path) -> list[Mutant]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    mutants: list[Mutant] = []

    def visit(parent: ast.AST, statement: ast.stmt | None, in_function: bool) -> None:
        for field, value in ast.iter_fields(parent):
            children = value if isinstance(value, list) else [value]
            if field in NOT_VISITED:
                continue
            inside = in_function or (isinstance(parent, Function) and field == "body")
            for position, child in enumerate(children):
                if not isinstance(child, ast.AST) or _is_skipped(child):
                    continue
                here = child if isinstance(child, ast.stmt) else statement
                for new in _changes(child, parent, field):
                    if here is not None and hasattr(child, "lineno"):
                        place = (numbers[id(parent)], field, position)
                        text = _text(child), _text(new)
                        mutants.append(
                            Mutant(path, child.lineno, _lines(here), inside, *text, place, new)
                        )
                visit(child, here, inside)

    visit(tree, None, False)
    return mutants


def _lines(statement: ast.stmt) -> range:
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not body:
        return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    return range(statement.lineno, max(statement.lineno + 1, getattr(body[0], "lineno", 0)))


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(ast.fix_missing_locations(node)).split())


def _is_skipped(node: ast.AST) -> bool:
    """Whether a node is no behaviour: imports, assertions for mypy, stubs, types."""
    match node:
        case ast.FunctionDef(decorator_list=decorators):
            stubs = ("overload", "abstractmethod")
            return any(isinstance(d, ast.Name) and d.id in stubs for d in decorators)
        case ast.ClassDef(bases=bases):
            return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in bases)
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(value=ast.BinOp(op=ast.BitOr(), left=left)):
            name = ast.unparse(left).rpartition(".")[2]
            return name[:1].isupper() or name.partition("[")[0] in ("int", "str", "float", "list")
    return isinstance(node, ast.Assert | ast.Import | ast.ImportFrom)


def _changes(node: ast.AST, parent: ast.AST, field: str) -> Iterator[ast.AST]:
    """Yield what could stand in the place of a node by mistake."""
    if isinstance(node, ast.expr):
        branch = field == "test" and isinstance(parent, ast.If | ast.While | ast.IfExp)
        # Of these another mutant is the same as the negation.
        turned = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        if isinstance(node, ast.Compare):
            turned = len(node.ops) == 1 and isinstance(node.ops[0], EXACT)
        if (branch or field == "ifs") and not turned:
            yield ast.UnaryOp(ast.Not(), node)
        yield from _operators(node)
        yield from _values(node, parent, field)
    elif isinstance(node, ast.stmt):
        yield from _statements(node)


def _operators(node: ast.expr) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others):
            for at, op in enumerate(ops):
                changed = [*ops[:at], COMPARISONS[type(op)](), *ops[at + 1 :]]
                yield ast.Compare(left, changed, others)
        case ast.BinOp(left=left, op=op, right=right):
            if type(op) in ARITHMETIC and not _is_wording(left) and not _is_wording(right):
                yield ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield node.operand
        case ast.Slice(lower=lower, upper=upper, step=step):
            if lower is not None:
                yield ast.Slice(None, upper, step)
            if upper is not None:
                yield ast.Slice(lower, None, step)


def _values(node: ast.expr, parent: ast.AST, field: str) -> Iterator[ast.AST]:
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Constant(value=float(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str(value)) if value in SIDES:
            yield ast.Constant(SIDES[value])
        case ast.Name(id=name) if field == "func" and name in NAMES:
            yield ast.Name(NAMES[name], node.ctx)
        case ast.Attribute(attr=name, ctx=ast.Load()) if name in NAMES and _differs(node, parent):
            yield ast.Attribute(node.value, NAMES[name], node.ctx)


def _statements(node: ast.stmt) -> Iterator[ast.AST]:
    match node:
        case ast.Return(value=ast.expr() as value):
            if not (isinstance(value, ast.Constant) and value.value is None):
                yield ast.Return(None)
        case ast.AugAssign(target=target, op=op, value=value):
            if type(op) in ARITHMETIC and not isinstance(value, ast.JoinedStr):
                yield ast.AugAssign(target, ARITHMETIC[type(op)](), value)
            yield ast.Pass()
        case ast.Expr(value=ast.Call() as call):
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            if not (isinstance(owner, ast.Name) and owner.id in LOGS):
                yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.Raise() | ast.Delete():
            yield ast.Pass()
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()


def _is_wording(node: ast.expr) -> bool:
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return text or isinstance(node, ast.JoinedStr)


def _differs(node: ast.Attribute, parent: ast.AST) -> bool:
    """Whether the other name exists and gives another result: a split everywhere has no side."""
    if isinstance(node.value, ast.Name) and node.value.id == "np":
        return node.attr not in ("partition", "split")
    if node.attr not in ("split", "rsplit") or not isinstance(parent, ast.Call):
        return True
    return len(parent.args) + len(parent.keywords) > 1
