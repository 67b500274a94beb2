"""An evaluation as tables: plain text for a terminal, Markdown, and LaTeX."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from linkprior.errors import ParameterError
from linkprior.evaluation import statistics
from linkprior.evaluation.store import BASELINE

if TYPE_CHECKING:
    from linkprior.evaluation.results import Evaluation

MAIN = (
    *("auprc", "p@100", "p@500", "ndcg", "auroc", "dc_auroc", "recall@1%", "recall@5%"),
    *("recall@10/node", "spearman_degree", "seconds"),
)
WIDTH = 120
_NOTHING = "–"
_DIGITS, _MOST_DECIMALS = 3, 7
_MODELS_ABREAST = 6  # columns of a LaTeX table that fit on a page
_ARROWS = {1: "↑", -1: "↓", 0: ""}


class _Numbers:
    """How the numbers of one metric are written: as many decimals as the largest needs."""

    def __init__(self, evaluation: Evaluation, metric: str) -> None:
        self.evaluation, self.metric = evaluation, metric
        self.best = statistics.best(evaluation, metric)
        means = [abs(evaluation.mean(model, metric)) for model in evaluation.models]
        largest = max((mean for mean in means if mean > 0.0), default=1.0)
        wanted = _DIGITS - 1 - math.floor(math.log10(largest))
        self.decimals = min(max(wanted, 0), _MOST_DECIMALS)

    def entry(self, model: str, between: str = "±") -> str:
        """Return a model's mean, with its standard deviation where there is one."""
        mean = mean_or_nan(self.evaluation, model, self.metric)
        if math.isnan(mean):
            return _NOTHING
        if model == BASELINE:
            return f"{mean:.2g}"
        kind = f".{self.decimals}f"
        if mean and not float(f"{mean:{kind}}"):  # not 0.000 for a little
            kind = ".1e"
        sd = self.evaluation.sd(model, self.metric)
        return f"{mean:{kind}}" if math.isnan(sd) else f"{mean:{kind}}{between}{sd:{kind}}"


def row_names(evaluation: Evaluation) -> list[str]:
    """Return the models, and the random baseline where it was measured."""
    return [*evaluation.models, *([BASELINE] if evaluation.baseline else [])]


def mean_or_nan(evaluation: Evaluation, model: str, metric: str) -> float:
    """Return a mean; NaN where the metric was not measured: the random baseline takes no time."""
    try:
        return evaluation.mean(model, metric)
    except ParameterError:
        return math.nan


# ---------------------------------------------------------------------- plain text


def text_table(
    evaluation: Evaluation,
    metrics: Sequence[str] | None = None,
    against: str | None = None,
    width: int = WIDTH,
) -> str:
    """Return the table for a terminal: best models marked, the random baseline last, notes below.

    Columns that do not fit into `width` are put in further blocks. With several splits paired tests
    follow for one metric, the AUPRC if it is shown; the other tables have them for all.
    """
    chosen = [m for m in MAIN if m in evaluation.metrics] if metrics is None else list(metrics)
    names = row_names(evaluation)
    columns = []
    for numbers in (_Numbers(evaluation, metric) for metric in chosen):
        marks = {} if numbers.best is None else {**dict.fromkeys(names, " "), numbers.best: "*"}
        columns.append([numbers.metric, *(numbers.entry(m) + marks.get(m, "") for m in names)])
    blocks = list(_blocks(["model", *names], columns, width))
    compared = _comparison(evaluation, chosen, against)
    wrapped = [line for note in notes(evaluation) for line in textwrap.wrap(note, width)]
    return "\n\n".join("\n".join(lines) for lines in (*blocks, compared, wrapped) if lines)


def _blocks(first: list[str], columns: list[list[str]], width: int) -> Iterator[list[str]]:
    """Lay columns side by side, as many as fit; the first one leads every block."""
    left = _aligned(first, "<")
    blocks: list[list[list[str]]] = []
    for column in (_aligned(column, ">") for column in columns):
        used = sum(2 + len(one[0]) for one in blocks[-1]) if blocks else width
        if used + len(column[0]) > width:
            blocks.append([left])
        blocks[-1].append(column)
    for block in blocks:
        yield ["  ".join(cells).rstrip() for cells in zip(*block, strict=True)]


def _aligned(cells: list[str], side: str) -> list[str]:
    return [f"{cell:{side}{max(map(len, cells))}}" for cell in cells]


def _comparison(evaluation: Evaluation, metrics: list[str], against: str | None) -> list[str]:
    """Return the paired tests for AUPRC, or else the first metric that has a better end."""
    ordered = [metric for metric in metrics if statistics.direction(metric)]
    metric = MAIN[0] if MAIN[0] in ordered else next(iter(ordered), None)
    count = len(evaluation.splits)
    if count < 2 or len(evaluation.models) < 2 or metric is None:
        return []
    compared = statistics.compare(evaluation, metric, against)
    decimals = _Numbers(evaluation, metric).decimals
    columns = [
        ["difference", *(f"{one.difference:+.{decimals}f}" for one in compared)],
        ["better/equal/worse", *(f"{one.wins}/{one.ties}/{one.losses}" for one in compared)],
        ["Wilcoxon p", *(p_value(one.wilcoxon) for one in compared)],
        ["sign test p", *(p_value(one.sign) for one in compared)],
    ]
    title = f"{metric} compared with {compared[0].against} on the same {count} splits:"
    return [title, *next(_blocks(["model", *(one.model for one in compared)], columns, 10**6))]


def p_value(p: float | None) -> str:
    """Return a p-value with two digits, a dash where there was nothing to test."""
    return _NOTHING if p is None else f"{p:.2g}"


def notes(evaluation: Evaluation) -> list[str]:
    """Return what was measured, on what, and what the marks mean; one sentence or two each."""
    count = len(evaluation.splits)
    made = "One split" if count == 1 else f"Mean ± standard deviation over {count} splits"
    lines = [f"{made}: {', '.join(circumstances(evaluation))}."]
    if count == 1:
        lines.append("With one split no spread is known and no model is marked as best.")
    elif len(evaluation.models) > 1:
        lines.append(
            "* leads the next model by more than one standard deviation (the larger of the two). "
            f"p-values are two-sided; {count} splits cannot give one below "
            f"{p_value(statistics.smallest_p(count))}, and overlapping splits make them too small."
        )
    meanings = {BASELINE: "the mean over all random orders", "pa": "degree alone"}
    there = [f"{name}: {what}" for name, what in meanings.items() if name in row_names(evaluation)]
    return [*lines, *([f"{'; '.join(there)}."] if there else [])]


def circumstances(evaluation: Evaluation) -> list[str]:
    """Return the protocol, the data and all that was done to them, in words."""
    facts = evaluation.facts
    plan, network, tune = (facts.get(name) or {} for name in ("plan", "network", "tune"))
    hidden = [split["hidden"] for split in facts.get("splits", [])]
    clauses = [
        (facts.get("protocol"), "{}"),
        (facts.get("rule"), "rule {}"),
        (facts.get("seed"), "seed {}"),
        (network.get("nodes"), "{:,} nodes"),
        (network.get("edges"), "{:,} edges"),
        (span(hidden), "{} hidden edges to find"),
        (plan.get("noise") or None, "{:.0%} of the training edges replaced by random pairs"),
        (tune.get("trials"), "each model tuned with {} settings inside the training network"),
    ]
    phrases = [form.format(value) for value, form in clauses if value is not None]
    if plan.get("null") == "rewired":
        phrases.append("all edges rewired at random, degrees kept (null)")
    return phrases


def span(numbers: list[int]) -> str | None:
    """Return the least and the largest number in words, None where there is none."""
    if not numbers:
        return None
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


# ---------------------------------------------------------------------- Markdown and LaTeX


def markdown_table(evaluation: Evaluation, against: str | None = None) -> str:
    """Return all metrics, one per row, then the p-values, as Markdown tables."""
    names, rows = row_names(evaluation), []
    for numbers in (_Numbers(evaluation, metric) for metric in evaluation.metrics):
        entries = [(name == numbers.best, numbers.entry(name, " ± ")) for name in names]
        label = f"{numbers.metric} {_ARROWS[statistics.direction(numbers.metric)]}".strip()
        rows.append([label, *(f"**{text}**" if best else text for best, text in entries)])
    title, tests = _tests(evaluation, against)
    parts = [piped(["metric", *map(_markdown, names)], rows), *_bold_notes(evaluation)]
    if tests:
        head, *below = ([_markdown(cell) for cell in row] for row in tests)
        parts += [title, piped(head, below)]
    return "\n\n".join(parts) + "\n"


def piped(head: Sequence[str], rows: Iterable[Sequence[str]], others: str = "--:") -> str:
    """Return a Markdown table; all columns but the first are right-aligned."""
    rule = ["---", *(others for _ in head[1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *rows))


def _bold_notes(evaluation: Evaluation) -> list[str]:
    return [note.replace("* leads", "Bold: leads") for note in notes(evaluation)]


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*|<])", r"\\\1", text)


def _tests(evaluation: Evaluation, against: str | None) -> tuple[str, list[list[str]]]:
    """Return a title and rows of p-values, a metric each, below the names of the models."""
    if len(evaluation.splits) < 2 or len(evaluation.models) < 2:
        return "", []
    metrics = [metric for metric in evaluation.metrics if statistics.direction(metric) > 0]
    compared = [statistics.compare(evaluation, metric, against) for metric in metrics]
    rows = [
        [metric, *(f"{p_value(one.wilcoxon)} / {p_value(one.sign)}" for one in row)]
        for metric, row in zip(metrics, compared, strict=True)
    ]
    chosen = statistics.known_model(evaluation.models, against)
    tests = "p-values of Wilcoxon's signed-rank test / the sign test."
    head = ["p", *(one.model for one in compared[0])]
    return f"Paired tests against {chosen}: {tests}", [head, *rows]


def latex_table(evaluation: Evaluation, against: str | None = None) -> str:
    """Return all metrics and the p-values as LaTeX tables (package booktabs), six models each."""
    names, rows = row_names(evaluation), []
    for numbers in (_Numbers(evaluation, metric) for metric in evaluation.metrics):
        row = [_latex(numbers.metric)]
        for name in names:
            text = re.sub(r"^-(?=\d)", "$-$", _latex(numbers.entry(name, " ± ")))
            row.append(f"\\textbf{{{text}}}" if name == numbers.best else text)
        rows.append(row)
    tables = _booktabs(["metric", *names], rows, " ".join(_bold_notes(evaluation)))
    title, tests = _tests(evaluation, against)
    if tests:
        below = [[_latex(cell) for cell in row] for row in tests[1:]]
        tables += _booktabs(tests[0], below, title)
    return "% \\usepackage{booktabs}\n" + "\n".join(tables)


def _booktabs(head: list[str], rows: list[list[str]], caption: str) -> list[str]:
    """Return tables of even numbers of columns that fit on a page, the first column in each."""
    pieces = max(1, -(-(len(head) - 1) // _MODELS_ABREAST))
    each = max(1, -(-(len(head) - 1) // pieces))
    tables = []
    for at in range(1, len(head), each):
        lines = [[row[0], *row[at : at + each]] for row in ([*map(_latex, head)], *rows)]
        first, *others = (" & ".join(line) + " \\\\" for line in lines)
        parts = [
            *("\\begin{table}", "\\centering", f"\\caption{{{_latex(caption)}}}"),
            *(f"\\begin{{tabular}}{{l{'r' * (len(lines[0]) - 1)}}}", "\\toprule"),
            *(first, "\\midrule", *others),
            *("\\bottomrule", "\\end{tabular}", "\\end{table}\n"),
        ]
        tables.append("\n".join(parts))
    return tables


_LATEX: dict[str, Any] = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"±": r"$\pm$", "–": "--", "×": r"$\times$", "<": "$<$", ">": "$>$"},
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
