"""Recall of hidden edges on real networks, defaults untuned: `make accuracy`.

Needs LINKPRIOR_DATA. Prints recall@x% (the paper's measure, all-nodes rule) with seeds and data
digests, and the goals beside it.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import data
from linkprior.evaluation import splits
from linkprior.evaluation.metrics import PERCENTS, recall_at
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.predictors.registry import make

STARTS = 10
RESULTS = Path(__file__).parent / "results" / "accuracy.json"
MODELS = {
    "tri": {"n_starts": STARTS},
    "tri-l1": {"n_starts": STARTS},
    "tri-scale": {"n_starts": STARTS},
    "tri-degree": {"n_starts": STARTS},
    "pu": {},
    "nuclear-degree": {},
    "pa": {},
    "l3": {},
}


def cases(folder: Path) -> dict[str, list[splits.Split]]:
    """The splits judged on: five of DREAM5, and the three release pairs of the rat."""
    dream = data.dream5(folder)
    releases = {version: data.rat(folder, version) for version in data.RAT_CUTS}
    return {
        "DREAM5 network 1, 90 % uniform": [
            splits.uniform(dream, 0.9, seed, "all-nodes") for seed in range(5)
        ],
        **{
            f"rat {a} → {b}": [splits.release(releases[a], releases[b], "all-nodes")]
            for a, b in (("3.1.94", "3.2.104"), ("3.1.94", "3.2.114"), ("3.2.104", "3.2.114"))
        },
    }


def measure_recall(split: splits.Split, name: str) -> dict[str, float]:
    """Fit one model on one split and return its recalls."""
    model = make(name, **MODELS[name]).fit(split.train)
    standing = rank_hidden_edges(model, split)
    return {f"recall@{x}%": recall_at(standing, x) for x in PERCENTS}


def main() -> None:
    """Judge every model in every case, print tables, keep the figures as JSON."""
    folder = data.required_folder()
    kept = {}
    for title, several in cases(folder).items():
        digest = several[0].train.digest[:12]
        print(
            f"\n{title}: {len(several)} split(s), {len(several[0].hidden)} hidden edges, ", end=""
        )
        print(f"training digest {digest}, seed 0, {STARTS} starts, all-nodes rule")
        for name in MODELS:
            recalls = [measure_recall(split, name) for split in several]
            at = {m: [r[m] for r in recalls] for m in recalls[0]}
            print(f"  {name:15s}" + "  ".join(_cell(m, v) for m, v in at.items()), flush=True)
            kept[f"{title} | {name}"] = {"digest": digest, **at}
    data.write_results(RESULTS, kept)


def _cell(metric: str, values: list[float]) -> str:
    mean = sum(values) / len(values)
    sd = (sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1)) ** 0.5
    return f"{metric} {mean:.3f}" + (f" ± {sd:.3f}" if len(values) > 1 else "")


if __name__ == "__main__":
    main()
