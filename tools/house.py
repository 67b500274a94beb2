"""The size and shape of the package: `make house` prints the table of ARCHITECTURE.md."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import grimp
import networkx as nx

import linkprior
from linkprior import theory
from linkprior.predictors.registry import MODELS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "linkprior"
BESIDE = ("benchmarks", "torture", "fuzz", "mutants", "tools")
TEXT = {".py", ".js", ".css", ".json", ".html", ".typed"}


def tracked(*folders: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [path for line in listed.stdout.splitlines() if (path := ROOT / line).exists()]


def lines(paths: list[Path]) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


def modules() -> dict[str, ast.Module]:
    trees = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = ["linkprior", *path.relative_to(SOURCE).with_suffix("").parts]
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        trees[name] = ast.parse(path.read_text("utf-8"))
    return trees


def cycles() -> list[list[str]]:
    """Find groups of modules that import each other: lazily too, but not for types alone."""
    graph = grimp.build_graph("linkprior", exclude_type_checking_imports=True)
    arrows: Any = nx.DiGraph()
    for name in graph.modules:
        arrows.add_edges_from((name, to) for to in graph.find_modules_directly_imported_by(name))
    return sorted(sorted(one) for one in nx.strongly_connected_components(arrows) if len(one) > 1)


def state(trees: dict[str, ast.Module]) -> tuple[list[str], list[str]]:
    """List the context variables, and the module variables that functions assign to."""
    context, mutable = [], []
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ContextVar":
                context.append(name)
            elif isinstance(node, ast.Global):
                mutable += [f"{name}.{one}" for one in node.names]
    return context, sorted(set(mutable))


def traced(text: str, work: Callable[[Path], object]) -> tuple[int, int]:
    """Count the functions and files of the package that work on a file runs through."""
    functions = set()

    def note(frame: Any, event: str, _: object) -> None:
        code = frame.f_code
        ours = event == "call" and code.co_filename.startswith(str(SOURCE))
        if ours and not code.co_name.startswith("<"):
            functions.add((code.co_filename, code.co_name, code.co_firstlineno))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.tsv"
        path.write_text(text)
        work(path)  # everything is imported now
        threading.setprofile(note)
        sys.setprofile(note)
        try:
            work(path)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return len(functions), len({place[0] for place in functions})


def predict_l3(path: Path) -> None:
    """Run `linkprior predict FILE --model l3`."""
    from linkprior.cli import main

    words, quiet = ["linkprior", "predict", str(path), "--model", "l3"], io.StringIO()
    with (
        mock.patch.object(sys, "argv", words),
        contextlib.redirect_stdout(quiet),
        contextlib.redirect_stderr(quiet),
    ):
        main()


def public() -> Iterator[tuple[str, Any]]:
    things = {name: getattr(linkprior, name) for name in linkprior.__all__}
    things |= {f"theory.{name}": getattr(theory, name) for name in theory.__all__}
    for name in MODELS:
        kind = type(linkprior.make(name))
        things[kind.__name__] = kind
    seen = set()
    for name, thing in sorted(things.items()):
        if callable(thing) and id(thing) not in seen:
            seen.add(id(thing))
            yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            for part, member in inspect.getmembers(thing):
                plain = getattr(member, "__func__", member)
                ours = str(getattr(plain, "__module__", "")).startswith("linkprior")
                new = not part.startswith("_") and id(plain) not in seen
                if ours and new and inspect.isfunction(plain):
                    seen.add(id(plain))
                    yield f"{name}.{part}", plain


def complete(thing: Any) -> bool:
    """Tell whether a docstring has the sections that its definition needs."""
    text = inspect.getdoc(thing) or ""
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return bool(text)
    parameters = [one for one in inspect.signature(thing).parameters if one not in {"self", "cls"}]
    wanted = ["Examples"] + ["Parameters"] * bool(parameters)
    if not inspect.isclass(thing) and inspect.signature(thing).return_annotation != "None":
        wanted.append("Yields" if "Yields" in text else "Returns")
    return all(f"{title}\n{'-' * len(title)}" in text for title in wanted)


def main() -> None:
    trees = modules()
    source = [path for path in tracked("src") if path.suffix in TEXT]
    tests = [path for path in tracked("tests") if path.suffix == ".py"]
    beside = [path for path in tracked(*BESIDE) if path.suffix == ".py"]
    net = linkprior.planted_network(60)
    edges = "".join(f"{net.names[i]}\t{net.names[j]}\n" for i, j in net.edges)
    functions, files = traced(edges, predict_l3)
    context, mutable = state(trees)
    documented = {name: complete(thing) for name, thing in public()}
    missing = [name for name, whole in documented.items() if not whole]
    for label, value in (
        ("lines under src, files", f"{lines(source):,}, {len(source)}"),
        ("… of them Python", f"{lines([one for one in source if one.suffix == '.py']):,}"),
        ("lines of tests, files", f"{lines(tests):,}, {len(tests)}"),
        ("lines of tooling, files", f"{lines(beside):,}, {len(beside)}"),
        ("functions, files of `predict --model l3`", f"{functions}, {files}"),
        ("files to read a two-column TSV", traced("a\tb\nb\tc\n", linkprior.read_network)[1]),
        ("context variables, module variables assigned", f"{len(context)}, {len(mutable)}"),
        ("import cycles", len(cycles())),
        (
            "public definitions documented in full",
            f"{sum(documented.values())} of {len(documented)}",
        ),
    ):
        print(f"| {label} | {value} |")
    if "--details" in sys.argv:
        for package in sorted({path.relative_to(SOURCE).parts[0] for path in source}):
            inside = [p for p in source if p.relative_to(SOURCE).parts[0] == package]
            print(f"{package}: {lines(inside):,} lines, {len(inside)} files")
        print("context:", *context, "\nassigned:", *mutable)
        print("cycles:", *cycles(), sep="\n  ")
        print("not documented in full:", *missing, sep="\n  ")


if __name__ == "__main__":
    main()
