"""What a small error is: for a node of the syntax tree, the nodes it might have been by mistake."""

from __future__ import annotations

import ast
from collections.abc import Iterator

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
_PAIRS = """min max, minimum maximum, argmin argmax, floor ceil, any all, zeros ones, triu tril,
startswith endswith, find rfind, split rsplit, partition rpartition, lstrip rstrip, lower upper,
union intersection"""
NAMES = {
    name: other
    for pair in _PAIRS.replace("\n", " ").split(",")
    for one, two in [pair.split()]
    for name, other in [(one, two), (two, one)]
}
SIDES = {"left": "right", "right": "left"}  # of searchsorted and bisect; no other text is changed
LOGS = {"_log", "log", "logging", "logger"}

Change = tuple[str, ast.AST]


def changes(node: ast.AST, parent: ast.AST, field: str) -> Iterator[Change]:
    """Yield name and replacement of every small error that `node` can have where it stands."""
    if isinstance(node, ast.expr):
        yield from _negated(node, parent, field)
        yield from _expression(node, parent, field)
    elif isinstance(node, ast.stmt):
        yield from _statement(node)
    elif isinstance(node, ast.Slice):
        yield from _slice(node)


def _negated(node: ast.expr, parent: ast.AST, field: str) -> Iterator[Change]:
    """The other branch; left out where turning a comparison or a `not` is the same."""
    conditional = field == "test" and isinstance(parent, ast.If | ast.While | ast.IfExp)
    if not conditional and field != "ifs":
        return
    turned = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    exact = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        turned = isinstance(node.ops[0], exact)
    if not turned:
        yield "condition", ast.UnaryOp(ast.Not(), node)


def _expression(node: ast.expr, parent: ast.AST, field: str) -> Iterator[Change]:
    match node:
        case ast.Compare():
            yield from _compare(node)
        case ast.BinOp() if type(node.op) in ARITHMETIC and not _is_text(node):
            other = ARITHMETIC[type(node.op)]()
            yield "arithmetic", ast.BinOp(node.left, other, node.right)
        case ast.BoolOp():
            other_op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "and/or", ast.BoolOp(other_op, node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield "sign", node.operand
        case ast.Constant():
            yield from _constant(node)
        case ast.Name(id=name) if field == "func" and name in NAMES:
            yield "name", ast.Name(NAMES[name], node.ctx)
        case ast.Attribute(attr=name, ctx=ast.Load()) if name in NAMES and _counts(node, parent):
            yield "name", ast.Attribute(node.value, NAMES[name], node.ctx)
        case ast.Slice():  # an expression to the ast module
            yield from _slice(node)


def _compare(node: ast.Compare) -> Iterator[Change]:
    for place, op in enumerate(node.ops):
        ops = [*node.ops]
        ops[place] = COMPARISONS[type(op)]()
        yield "comparison", ast.Compare(node.left, ops, node.comparators)


def _constant(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", ast.Constant(not value)
    elif isinstance(value, int):
        yield "constant", ast.Constant(value + 1)
        yield "constant", ast.Constant(value - 1)
    elif isinstance(value, float):
        yield "constant", ast.Constant(value + 1)
    elif isinstance(value, str) and value in SIDES:
        yield "side", ast.Constant(SIDES[value])


def _slice(node: ast.Slice) -> Iterator[Change]:
    if node.lower is not None:
        yield "slice", ast.Slice(None, node.upper, node.step)
    if node.upper is not None:
        yield "slice", ast.Slice(node.lower, None, node.step)


def _statement(node: ast.stmt) -> Iterator[Change]:
    match node:
        case ast.Return(value=value) if value is not None and not _is_none(value):
            yield "return", ast.Return(None)
        case ast.AugAssign():
            if type(node.op) in ARITHMETIC and not isinstance(node.value, ast.JoinedStr):
                other = ARITHMETIC[type(node.op)]()
                yield "arithmetic", ast.AugAssign(node.target, other, node.value)
            yield "dropped", ast.Pass()
        case ast.Expr(value=ast.Call() as call) if not _is_log(call):
            yield "dropped", ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.Raise() | ast.Delete():
            yield "dropped", ast.Pass()
        case ast.Continue():
            yield "loop", ast.Break()
        case ast.Break():
            yield "loop", ast.Continue()


def _is_text(node: ast.BinOp) -> bool:
    """Whether text is joined or filled in, which is wording."""
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr)
        or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def _counts(node: ast.Attribute, parent: ast.AST) -> bool:
    """Whether the other name is there, and another result: splitting everywhere has no side."""
    if isinstance(node.value, ast.Name) and node.value.id == "np":
        return node.attr not in ("partition", "split")
    if node.attr not in ("split", "rsplit") or not isinstance(parent, ast.Call):
        return True
    return len(parent.args) + len(parent.keywords) > 1


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _is_log(call: ast.Call) -> bool:
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id in LOGS
