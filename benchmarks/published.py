"""Do the peers reach the figures others published for them? `python -m benchmarks.published`

Ten-fold cross-validation, every unobserved pair a candidate (the rule `all-nodes`), as in the
comparisons these figures come from: means over all folds of yeast, and over folds 0–2 of HuRI.
Every finished cell is kept under build/published, so that a second run goes on.
"""

from __future__ import annotations

import sys
from pathlib import Path

import linkprior as lp
from benchmarks import data
from linkprior.experiments.models import PEERS, installed, make_peer

CELLS = Path("build") / "published"  # cells and splits: the latter hold the data, never committed
# model, then AUPRC, P@500, and for HuRI NDCG, AUROC, AUROC against degree-matched non-edges
YEAST = """
pa      .0024 .012
ra      .0018 .016
l3      .0240 .063
ch2-l3  .0243 .060
l3n     .0230 .060
mps     .0089 .026
rnm     .0277 .055
sklearn-nmf   .0055 .028
implicit-als  .0128 .038
implicit-bpr  .0063 .032
"""
HURI = """
pa      .0050 .020 .564 .890 .502
ra      .0052 .046 .546 .758 .628
l3      .0396 .240 .658 .926 .747
ch2-l3  .0427 .270 .658 .924 .745
l3n     .0554 .344 .675 .926 .781
mps     .0569 .468 .651 .913 .789
sklearn-nmf   .0474 .322 .654 .897 .771
implicit-als  .0481 .210 .663 .881 .818
implicit-bpr  .0133 .110 .594 .893 .883
"""
COLUMNS = ("auprc", "p@500", "ndcg", "auroc", "dc_auroc")
CASES = {"yeast": (data.YEAST, None, YEAST), "HuRI": (data.HURI, [0, 1, 2], HURI)}


def compare(title: str, folder: Path) -> dict[str, object]:
    """Judge the peers on one network, print ours beside theirs, return both."""
    path, folds, text = CASES[title]
    published = {name: values for name, *values in map(str.split, text.strip().splitlines())}
    for name in [name for name in published if name in PEERS and not installed(name)]:
        print(f"{name} is left out: its library is not installed (make bench installs it)")
        del published[name]
    net = lp.read_network(folder / path)
    models = [make_peer(name) if name in PEERS else name for name in published]
    found = lp.evaluate(models, net, "kfold:10", "all-nodes", folds=folds, folder=CELLS / title)
    print(f"\n{title}: {net.n_nodes} nodes, {net.n_edges} edges, digest {net.digest[:12]}, seed 0")
    print(f"{'model':13}{'metric':10}{'published':>11}{'mean':>9}{'sd':>8}   ratio")
    rows = []
    for model, theirs in published.items():
        for metric, value in zip(COLUMNS, map(float, theirs), strict=False):
            mean, sd = found.mean(model, metric), found.sd(model, metric)
            print(f"{model:13}{metric:10}{value:11.4f}{mean:9.4f}{sd:8.4f}{mean / value:8.2f}")
            rows.append([model, metric, value, round(mean, 5), round(sd, 5)])
    return {"digest": net.digest, "seed": 0, "folds": folds or "all", "rows": rows}


def main() -> None:
    folder, results = data.required_folder(), data.RESULTS / "published.json"
    compared = {title: compare(title, folder) for title in sys.argv[1:] or CASES}
    data.write_results(results, data.read_results(results) | compared)


if __name__ == "__main__":
    main()
