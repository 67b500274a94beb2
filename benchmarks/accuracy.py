"""Recall of hidden edges on real networks, defaults untuned: `make accuracy`.

Needs LINKPRIOR_DATA. Prints recall@x% (the paper's measure, all-nodes rule) with seeds and data
digests, and the goals beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.studies_base import RELEASES
from linkprior.evaluation import splits
from linkprior.evaluation.metrics import PERCENTS, recall_at
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.predictors.registry import make

STARTS = 10
MODELS: dict[str, dict[str, Any]] = {
    **{name: {"n_starts": STARTS} for name in ("tri", "tri-l1", "tri-scale", "tri-degree")},
    **{name: {} for name in ("pu", "nuclear-degree", "pa", "l3")},
}


def cases(folder: Path) -> dict[str, list[splits.Split]]:
    """The splits judged on: five of DREAM5, and the three release pairs of the rat."""
    dream = data.dream5(folder)
    uniform = [splits.uniform(dream, 0.9, seed, "all-nodes") for seed in range(5)]
    found = {"DREAM5 network 1, 90 % uniform": uniform}
    for older, newer in RELEASES:
        pair = data.rat(folder, older), data.rat(folder, newer)
        found[f"rat {older} → {newer}"] = [splits.release(*pair, "all-nodes")]
    return found


def main() -> None:
    results = {}
    for title, several in cases(data.required_folder()).items():
        digest = several[0].train.digest[:12]
        print(f"\n{title}: {len(several)} split(s), {len(several[0].hidden)} hidden edges, "
              f"training digest {digest}, seed 0, {STARTS} starts, all-nodes rule")  # fmt: skip
        for name, params in MODELS.items():
            models = [make(name, **params).fit(split.train) for split in several]
            ranks = [rank_hidden_edges(*pair) for pair in zip(models, several, strict=True)]
            at = {f"recall@{x}%": [recall_at(one, x) for one in ranks] for x in PERCENTS}
            shown = (f"{metric} {data.mean_sd(values)}" for metric, values in at.items())
            print(f"  {name:15s}" + "  ".join(shown), flush=True)
            results[f"{title} | {name}"] = {"digest": digest, **at}
    data.write_results(data.RESULTS / "accuracy.json", results)


if __name__ == "__main__":
    main()
