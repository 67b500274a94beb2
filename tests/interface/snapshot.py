"""What users see, as text: public names, options, and what every command writes and says.

`python -m tests.interface.snapshot DIR` writes it all below DIR, so that two versions of the
package can be compared on one machine to the last byte; `--update` renews the files that
test_snapshot.py compares with.
"""

import contextlib
import dataclasses
import inspect
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from unittest import mock

import click

import linkprior as lp

SAVED = Path(__file__).parent / "saved"

FEW_STEPS = ["--set", "n_starts=1", "--set", "max_iter=6"]
LIST = ["--top", "15", "-q"]
SCORES = ["--metrics", "auprc,recall@5%"]  # no times
PEERS = ["pa", "cn", "aa", "ra", "jaccard", "katz", "lrw", "l3", "l3n", "ch2-l3", "mps", "rnm"]
MODELS = (
    ["tri", *FEW_STEPS],
    ["tri-l1", *FEW_STEPS],
    ["tri-scale", *FEW_STEPS],
    ["tri-degree", *FEW_STEPS, "--set", "warmup=5"],
    ["tri-degree", "--set", "preset=paper", "--set", "rank=4", "--set", "max_iter=4"],
    ["nuclear-degree"],
    ["pu"],
    *([name] for name in PEERS),
    ["spm"],
    ["dcsbm"],
    ["random"],
    ["degree:l3"],
    ["consensus:tri", "--set", "fits=2"],
    ["auto", "--effort", "fast"],
)


def networks(folder):
    """Write three small networks: plain, weighted with a header, and in two parts with loops."""
    plain = lp.planted_network(60, 4, 7.0, seed=1)
    names = plain.names
    lines = [f"{names[i]}\t{names[j]}" for i, j in plain.edges.tolist()]
    (folder / "plain.tsv").write_text("\n".join(lines) + "\n")
    some = lp.planted_network(50, 3, 6.0, seed=2)
    rows = ["protein_a,protein_b,score"]
    rows += [
        f"P{i:03d},P{j:03d},{0.3 + (7 * i + j) % 60 / 100:.2f}" for i, j in some.edges.tolist()
    ]
    (folder / "weighted.csv").write_text("\n".join(rows) + "\n")
    parts = lp.planted_network(40, 2, 5.0, seed=3)
    pairs = parts.edges.tolist()
    text = [f"{i} pp {j}" for i, j in pairs] + [f"{i + 100} pp {j + 100}" for i, j in pairs[::2]]
    (folder / "parts.sif").write_text("\n".join([*text, "7 pp 7", text[0], "900"]) + "\n")
    (folder / "older.tsv").write_text("\n".join(lines[::2]) + "\n")
    (folder / "pairs.tsv").write_text(f"{names[0]}\t{names[9]}\n{names[3]}\t{names[30]}\n")
    (folder / "left.txt").write_text("\n".join(names[:20]) + "\n")
    (folder / "right.txt").write_text("\n".join(names[20:]) + "\n")
    return ["plain.tsv", "weighted.csv", "parts.sif"]


def commands(network):
    """The commands whose output is kept, for one network: a label, and its arguments."""
    for model, *options in MODELS:
        label = "-".join([model, *(o.partition("=")[2] for o in options if "preset" in o)])
        yield f"predict {label}", ["predict", network, "--model", model, *options, *LIST]
    yield "predict report", ["predict", network, "--model", "l3", "--top", "5"]
    yield "predict dry run", ["predict", network, "--model", "l3", "--dry-run", "-q"]
    for kind in ("csv", "jsonl", "graphml", "cx2", "sif"):
        yield f"predict as {kind}", ["predict", network, "--model", "ra", *LIST, "--format", kind]
    run = ["predict", network, "--model", "aa", "--top", "15", "-o", "run/", "--report", "run.html"]
    yield "predict folder", run
    auto = ["predict", network, "--effort", "fast", "--top", "15", "-o", "auto/", "-q"]
    yield "predict auto folder", auto
    yield "report auto", ["report", "auto"]
    judged = ["evaluate", network, "--models", "l3,pa,tri", "--repeats", "3", "-o", "judged"]
    yield "evaluate", [*judged, "--report", "judged.html", *SCORES, *FEW_STEPS]
    found = ["tune", network, "--model", "katz", "--trials", "3", "--study", "study"]
    yield "tune", [*found, "--report", "study.html"]


def more_commands():
    """Commands that need one network only, and wrong ones."""
    one = "plain.tsv"
    names = ["node-00", "node-09"]
    for label, options in {
        "node": ["--node", names[0]],
        "nodes": ["--nodes", "left.txt"],
        "between": ["--between", "left.txt", "right.txt"],
        "negatives": ["--negatives", "pairs.tsv"],
        "exclude": ["--exclude", "pairs.tsv"],
        "threshold": ["--threshold", "3"],
        "paths3": ["--candidates", "paths3", "--partners", "10"],
        "coverage": ["--coverage", "0.7"],
        "explain": ["--explain", *names],
        "tuned": ["--model", "katz", "--tune", "2"],
    }.items():
        yield label, ["predict", one, "--model", "l3", "--top", "15", *options]
    yield "history", ["predict", one, "--effort", "fast", *LIST, "--history", "older.tsv", one]
    yield (
        "ablations",
        ["evaluate", one, "--models", "tri-degree", "--ablations", *FEW_STEPS, *SCORES],
    )
    folds = ["--protocol", "kfold:5", "--folds", "0-1"]
    yield "kfold", ["evaluate", one, "--models", "l3", *folds, *SCORES]
    yield "coverage of two", ["coverage", one, "older.tsv"]
    for label in ("models", "formats", "cite", "demo", "data list"):
        yield label, label.split()
    for model in ("auto", "tri-degree", "l3"):
        yield f"models {model}", ["models", model]
    for label, wrong in {
        "no file": ["predict", "no.tsv"],
        "no model": ["predict", one, "--model", "l4"],
        "no parameter": ["predict", one, "--model", "tri", "--set", "rnak=3"],
        "bad parameter": ["predict", one, "--model", "tri", "--set", "rank=-3"],
        "no node": ["predict", one, "--model", "l3", "--node", "node-1"],
        "no option": ["predict", one, "--mode", "l3"],
        "no weights": ["predict", one, "--weights", "score"],
        "weights ignored": ["predict", "weighted.csv", "--weights", "score", "--model", "random"],
        "bad columns": ["predict", one, "--columns", "4,5"],
        "bad protocol": ["evaluate", one, "--protocol", "uniform:2"],
        "bad metric": ["evaluate", one, "--metrics", "auprd"],
        "no release": ["evaluate", one, "--protocol", "release:no.tsv"],
        "bad budget": ["tune", one, "--model", "katz", "--trials", "0"],
        "nothing to tune": ["tune", one, "--model", "pa"],
        "no run": ["report", "left.txt"],
        "no data": ["data", "fetch", "nowhere"],
        "other command": ["predict", "older.tsv", "--model", "l3", "-o", "run/"],
        "memory": ["predict", one, "--memory-limit", "1K"],
    }.items():
        yield f"error {label}", wrong


def run(arguments):
    """Run one command here and return its status and output as text."""
    from linkprior.cli import main

    out, err = io.StringIO(), io.StringIO()
    status = 0
    with (
        mock.patch.object(sys, "argv", ["linkprior", *arguments]),
        mock.patch.object(sys.modules["__main__"], "__package__", None),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as leaving:
            status = leaving.code or 0
    return f"$ linkprior {' '.join(arguments)}\n{out.getvalue()}--- {status}\n{err.getvalue()}"


# What differs from run to run, and from machine to machine: times, sizes, places, versions.
_PASSING = (
    (re.compile(r'"(seconds|peak_mb)",\s+"value": [-\d.e]+'), r'"\1" …'),
    (re.compile(r"^.*(gone|\d %).*\n", re.MULTILINE), ""),
    (re.compile(r'^[^"\n]*(\bseconds  |\| seconds |peak_mb)[^"\n]*\n', re.MULTILINE), ""),
    (
        re.compile(
            r'"(created|started|finished|date|wall_seconds|seconds|peak_mb|version|python|numpy|'
            r"platform|machine|processor|cpu|cores|threads|memory|pid|time|took|duration|"
            r"fit_seconds|fitting|ranking|evidence|reading|peak_memory_mb|linkprior|scipy|"
            r'numba|system)": ?("[^"]*"|[-\d.e]+|\{[^}]*\})'
        ),
        r'"\1": …',
    ),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+\d\d:\d\d)?"), "DATE"),
    (re.compile(r"\b\d+(\.\d+)? (ms|s|seconds?|minutes?|min|MB|MiB|GB|GiB)\b"), "SOME"),
    (re.compile(r"\babout \d+:\d\d\b"), "about SOME"),
    (re.compile(r"\bless than a second\b|\bunder a second\b"), "SOME"),
    (re.compile(r"\d+(\.\d+)? of \d+(\.\d+)? (GB|GiB) (free|available)"), "SOME"),
)


def _steady(text, folder):
    for place in {str(folder), os.path.realpath(folder)}:
        text = text.replace(place, "FOLDER")
    for pattern, plain in _PASSING:
        text = pattern.sub(plain, text)
    return text


def _file_text(path):
    if path.suffix == ".html":
        match = re.search(r'id="data">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
        return json.dumps(json.loads(match[1]), indent=1, ensure_ascii=False)
    if path.name == "results.tsv":
        lines = path.read_text().splitlines()
        return "\n".join(x for x in lines if "\tseconds\t" not in x and "\tpeak_mb\t" not in x)
    if path.suffix in {".json", ".jsonl", ".tsv", ".csv", ".txt", ".md"}:
        return path.read_text("utf-8")
    return path.name  # pictures, arrays, journals


_BINARY = {".safetensors", ".png", ".svg", ".npz", ".log", ".lock", ".pdf"}


def outputs():
    """Every command's output, and every file it leaves, by label."""
    nowhere = mock.patch.dict(os.environ)
    with nowhere, tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        os.environ.pop("LINKPRIOR_DATA", None)
        folder = Path(name)
        inputs = networks(folder)
        sources = {p.name for p in folder.iterdir()}
        for network in inputs:
            for label, arguments in commands(network):
                yield f"{network}/{label}", _steady(run(arguments), folder)
            for path in sorted(p for p in folder.rglob("*") if p.is_file()):
                place = path.relative_to(folder)
                if place.parts[0] not in sources and not place.name.startswith("."):
                    binary = path.suffix in _BINARY
                    text = "" if binary else _file_text(path)
                    yield f"{network}/files/{place}", _steady(text, folder)
            if network != inputs[-1]:
                _remove(folder, sources)
        for label, arguments in more_commands():
            yield f"more/{label}", _steady(run(arguments), folder)


def _remove(folder, sources):
    import shutil

    for path in folder.iterdir():
        if path.name not in sources:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _signature(thing):
    try:
        return str(inspect.signature(thing)).replace("'", "")
    except (TypeError, ValueError):
        return ""


def public_names():
    """Every public name with its signature; of classes, their methods and fields."""
    for name in sorted(lp.__all__):
        thing = getattr(lp, name)
        if inspect.ismodule(thing):
            for part in sorted(getattr(thing, "__all__", dir(thing))):
                yield f"{name}.{part}{_signature(getattr(thing, part))}"
            continue
        yield f"{name}{_signature(thing) if callable(thing) else ''}"
        if inspect.isclass(thing):
            yield from _members(name, thing)


def _members(name, kind):
    fields = (
        {field.name for field in dataclasses.fields(kind)}
        if dataclasses.is_dataclass(kind)
        else set()
    )
    for part in sorted({*dir(kind), *fields}):
        if not part.startswith("_"):
            member = inspect.getattr_static(kind, part, None)
            plain = getattr(member, "__func__", member)
            yield f"{name}.{part}{_signature(plain) if callable(plain) else ''}"


def model_parameters():
    """Every model with its parameters and their defaults."""
    from linkprior.predictors.registry import MODELS as REGISTERED

    for name in sorted(REGISTERED):
        model = lp.make(name)
        yield f"{name} {model.get_params()}"
        yield from _members(f"  {name}", type(model))


def options():
    """Every command with its options, kinds and defaults."""
    from linkprior.cli.main import cli

    yield from _options("linkprior", cli)


def _options(name, command):
    for one in command.params:
        flags = "/".join([*one.opts, *one.secondary_opts])
        choices = getattr(one.type, "choices", "")
        more = " ".join(
            filter(None, [str(one.nargs) * (one.nargs != 1), "multiple" * one.multiple])
        )
        yield f"{name} {flags} {one.type.name} {choices} default={one.default!r} {more}".rstrip()
    if isinstance(command, click.Group):
        for part in sorted(command.commands):
            yield from _options(f"{name} {part}", command.commands[part])


def texts():
    """Everything, by the path of the file it is kept in."""
    yield "names.txt", "\n".join(public_names()) + "\n"
    yield "models.txt", "\n".join(model_parameters()) + "\n"
    yield "options.txt", "\n".join(options()) + "\n"
    for label, text in outputs():
        place = label if "/files/" in label else f"{label}.txt"
        yield place.replace(" ", "_").replace(":", "_"), text


def kept(texts):
    """The part of it that is saved beside the tests: one file each for names, lists, messages."""
    lists, messages = [], []
    for label, text in texts:
        if "/" not in label:
            yield label, text
        elif label.startswith("more/"):
            messages.append(text)
        elif "/predict" in label and not label.endswith(("cx2.txt", "graphml.txt")):
            lists.append(text)
    yield "lists.txt", "\n".join(lists)
    yield "messages.txt", "\n".join(messages)


def main(arguments):
    update = arguments == ["--update"]
    folder = SAVED if update else Path(arguments[0])
    for label, text in kept(texts()) if update else texts():
        path = folder / label
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
