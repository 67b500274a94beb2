"""Every small error of a source tree, with the name it is known by and its turn by lot."""

from __future__ import annotations

import ast
import hashlib
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

from mutants.operators import changes
from mutants.project import Project

Function = ast.FunctionDef | ast.AsyncFunctionDef
NOT_LOOKED_AT = {"annotation", "returns", "decorator_list", "type_params"}
STUBS = {"overload", "abstractmethod"}


@dataclass(frozen=True)
class Mutant:
    """One small error: where it stands, what it was and what it is."""

    key: str  # of the text it stands in and of itself, whatever stands around
    area: str
    file: str
    scope: str  # the outermost function, '' outside
    within: bool  # its code can be exchanged; else the module is loaded anew
    line: int
    lines: tuple[int, int]  # of the statement
    operator: str
    before: str
    after: str
    names: tuple[str, ...]  # what a statement outside functions sets
    place: tuple[int, str, int]  # node in the order of ast.walk, field, position in the field
    node: ast.AST

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}"
        return f"{self.key}  {where}  {self.scope or 'module'}  {self.before} -> {self.after}"


@dataclass
class HiddenEdgeRanks:
    """Where the walk through a tree is: the function, the statement, whether in a body."""

    scope: str = ""
    function: Function | None = None
    within: bool = False
    statement: ast.stmt | None = None


def digest(*parts: str) -> str:
    """Return twelve hex digits for some texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """Yield the outermost functions, those of classes included, with their qualified names."""

    def inside(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
        for node in body:
            if isinstance(node, Function):
                yield prefix + node.name, node
            elif isinstance(node, ast.ClassDef):
                yield from inside(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.If | ast.Try):
                yield from inside(node.body, prefix)

    return inside(tree.body, "")


def first_line(node: Function) -> int:
    """Return the line that the compiled function calls its first: that of a decorator, too."""
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def mutants_of(project: Project, area: str, path: Path) -> list[Mutant]:
    """Return all small errors of one file, in the order of its text."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    owners = {id(node): name for name, node in functions(tree)}
    file, seen, found = project.name(path), dict[tuple[str, ...], int](), list[Mutant]()
    dumps: dict[int, str] = {}

    def visit(node: ast.AST, at: HiddenEdgeRanks) -> None:
        for field, value in ast.iter_fields(node):
            if field in NOT_LOOKED_AT:
                continue
            children = value if isinstance(value, list) else [value]
            for position, child in enumerate(children):
                if isinstance(child, ast.AST) and not _skipped(child):
                    here = _enter(child, node, field, at, owners)
                    for operator, new in changes(child, node, field):
                        add(child, (numbers[id(node)], field, position), operator, new, here)
                    visit(child, here)

    def add(
        old: ast.AST, place: tuple[int, str, int], operator: str, new: ast.AST, at: HiddenEdgeRanks
    ) -> None:
        statement = at.statement
        if statement is None or not hasattr(old, "lineno"):
            return
        before, after = _text(old), _text(new)
        outer = at.function if at.function is not None else statement
        if id(outer) not in dumps:  # long, and the same for all errors of a function
            dumps[id(outer)] = ast.dump(outer)
        around = dumps[id(outer)]
        known = (file, at.scope, around, operator, before, after)
        seen[known] = seen.get(known, 0) + 1  # the same error twice in one function
        key = digest(*known, str(seen[known]))
        names = () if at.within else _names(statement, at)
        span = (statement.lineno, _last_line(statement))
        found.append(
            Mutant(
                key,
                area,
                file,
                at.scope,
                at.within,
                old.lineno,
                span,
                operator,
                before,
                after,
                names,
                place,
                new,
            )
        )

    visit(tree, HiddenEdgeRanks())
    return found


def _enter(
    child: ast.AST, parent: ast.AST, field: str, at: HiddenEdgeRanks, owners: dict[int, str]
) -> HiddenEdgeRanks:
    """Return where the walk is once it goes into `child`."""
    scope, function, within, statement = at.scope, at.function, at.within, at.statement
    if isinstance(child, Function) and function is None:
        scope, function = owners.get(id(child), child.name), child
    if parent is function and field == "body":
        within = True
    if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
        statement = child if isinstance(child, ast.stmt) else statement
    return HiddenEdgeRanks(scope, function, within, statement)


def _skipped(node: ast.AST) -> bool:
    """Whether a node is no behaviour: assertions for mypy, stubs, imports, docstrings, types."""
    if isinstance(node, Function):
        return any(isinstance(d, ast.Name) and d.id in STUBS for d in node.decorator_list)
    if isinstance(node, ast.ClassDef):
        return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        return isinstance(node.value.op, ast.BitOr) and _is_type(node.value.left)
    return isinstance(node, ast.Assert | ast.Import | ast.ImportFrom)


def _is_type(node: ast.expr) -> bool:
    text = ast.unparse(node).rpartition(".")[2]
    return text[:1].isupper() or text.partition("[")[0] in {"int", "str", "float", "list", "dict"}


def _names(statement: ast.stmt, at: HiddenEdgeRanks) -> tuple[str, ...]:
    if at.function is not None:
        return ()
    targets = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and _is_set(n)}
    return tuple(sorted(targets))


def _is_set(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _last_line(statement: ast.stmt) -> int:
    """Return the last line of a statement, of a compound one that of its head."""
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not body:
        return statement.end_lineno or statement.lineno
    return max(statement.lineno, getattr(body[0], "lineno", statement.lineno + 1) - 1)


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(ast.fix_missing_locations(node)).split())


def mutated(path: Path, mutant: Mutant) -> CodeType:
    """Compile the file with this one error in it; every line keeps its number."""
    return compile(mutated_tree(path, mutant), str(path), "exec")


def mutated_tree(path: Path, mutant: Mutant) -> ast.Module:
    """Return the file's syntax tree with this one error in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    number, field, position = mutant.place
    parent = list(ast.walk(tree))[number]
    value = getattr(parent, field)
    old = value[position] if isinstance(value, list) else value
    new = ast.copy_location(mutant.node, old)
    if isinstance(value, list):
        value[position] = new
    else:
        setattr(parent, field, new)
    return ast.fix_missing_locations(tree)


def by_lot(mutants: Iterable[Mutant], seed: int = 0) -> list[Mutant]:
    """Return them in an order drawn by lot, in which every file comes up at an even pace."""
    files: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        files.setdefault(mutant.file, []).append(mutant)
    turns = []
    for file in sorted(files):
        chance = random.Random(f"{seed} {file}")
        drawn = sorted(files[file], key=lambda mutant: mutant.key)
        chance.shuffle(drawn)
        start = chance.random()
        turns += [((n + start) / len(drawn), file, mutant) for n, mutant in enumerate(drawn)]
    return [mutant for _, _, mutant in sorted(turns, key=lambda turn: turn[:2])]


def all_mutants(project: Project) -> list[Mutant]:
    """Return every small error of the project, in the order by lot."""
    files = project.files()
    return by_lot(mutant for area, path in files for mutant in mutants_of(project, area, path))
